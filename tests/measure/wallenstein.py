"""Measure what the Wallenstein-like tower keeps: `python -m tests.measure.wallenstein [DROPS]`."""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np

from tower_sim.apparatus.catalogue import load
from tower_sim.cubes import supply
from tower_sim.pool import spread_out
from tower_sim.simulator import PhysicsModel

CUBES, LATER, THROWN = 49, 6, 6


def chain(seed: int) -> tuple[list[str], list[int], int]:
    """Throw 49 cubes, then six times six: the statuses, the cubes inside after each, and how many of the 49 came out.

    The last is of those that had stayed inside at first. A drop that is no landing ends the chain.
    """
    statuses: list[str] = []
    inside: list[int] = []
    with PhysicsModel(load("wallenstein")) as model:
        state, first = model.empty(), supply({"first": CUBES}, model.cube_edge)
        for drop in range(LATER + 1):
            new = supply({"later": THROWN}, model.cube_edge, first_id=CUBES + drop * THROWN)
            stream = np.random.SeedSequence(seed, spawn_key=(drop,))
            outcome = model.drop(state, new if drop else first, np.random.default_rng(stream))
            statuses.append(str(outcome.status))
            if not outcome.status.is_landing:
                break
            state = outcome.state
            inside.append(len(state.residents))
    left = sum(cube.colour == "first" for cube in state.cubes)
    return statuses, inside, inside[0] - left if inside else 0


def sentence(drops: int, workers: int) -> str:
    """Say what `drops` such chains came to."""
    chains = list(spread_out(chain, range(drops), workers, "chains"))
    status = Counter(status for statuses, *_ in chains for status in statuses)
    kept = np.array([inside[0] for _, inside, _ in chains if inside])
    end = np.array([inside[-1] for _, inside, _ in chains if inside])
    out = np.array([out for _, inside, out in chains if inside])
    mean, end_mean, out_mean = (f"{x.mean():.1f} ± {x.std(ddof=1) / np.sqrt(len(x)):.1f}" for x in (kept, end, out))
    landed = status["settled"] + status["jammed"]
    return (
        f"Of {CUBES} cubes thrown into the empty tower {mean} stay inside (mean ± standard error of {len(kept)} drops; "
        f"the fewest were {kept.min()}, the most {kept.max()}). {LATER} throws of {THROWN} more later {out_mean} of "
        f"them have come out, and {end_mean} cubes are inside. Of the {status.total()} drops {landed} came to rest, "
        f"{status.total() - landed} did not."
    )


if __name__ == "__main__":
    print(sentence(int(sys.argv[1]) if len(sys.argv) > 1 else 100, 2))
