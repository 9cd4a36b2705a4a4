"""Measure what the Wallenstein-like tower keeps: the sentence about it in docs/apparatus.md.

python -m tests.measure.wallenstein --drops 100
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

import numpy as np

from tests.measure.script import ended
from tower_sim.apparatus.catalogue import load
from tower_sim.cubes import supply
from tower_sim.physics.settings import STANDARD, accuracy
from tower_sim.pool import spread_out
from tower_sim.simulator import PhysicsModel
from tower_sim.statistics import mean_error

CUBES, LATER, THROWN = 49, 6, 6


def chain(seed: int) -> tuple[list[str], list[int], int]:
    """Throw 49 cubes, then six times six: the statuses, the cubes inside after each, and how many of the 49 came out.

    The last is of those that had stayed inside at first. A drop that is no landing ends the chain.
    """
    statuses: list[str] = []
    inside: list[int] = []
    with PhysicsModel(load("wallenstein"), accuracy("core", STANDARD)) as model:
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
    mean, end_mean, out_mean = ("{:.1f} ± {:.1f}".format(*mean_error(counts)) for counts in (kept, end, out))
    landed = status["settled"] + status["jammed"]
    return (
        f"Of {CUBES} cubes thrown into the empty tower {mean} stay inside (mean ± standard error of {len(kept)} drops; "
        f"the fewest were {kept.min()}, the most {kept.max()}). After six more throws of {THROWN} cubes, {out_mean} of "
        f"them have come out, and {end_mean} cubes are inside. Of the {status.total()} drops {landed} came to rest."
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and say it in a sentence; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drops", type=int, default=100, help="chains of drops")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    options = parser.parse_args(arguments)
    return ended("wallenstein", lambda: print(sentence(options.drops, options.workers)))


if __name__ == "__main__":
    sys.exit(main())
