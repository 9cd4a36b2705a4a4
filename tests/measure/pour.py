"""What hand and tray do to each Amerigo profile: all at once or poured, swept at the exit or cleared from the tray.

    python -m tests.measure.pour [--setups 300] [--games 100]

prints a table with standard errors and writes it as docs/trust/pour.csv; docs/trust.md has both. About 15 minutes of
one core.
"""

from __future__ import annotations

import argparse
import copy
import csv
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tower_sim import registry
from tower_sim.apparatus.catalogue import from_tables, load
from tower_sim.apparatus.parts import Apparatus
from tower_sim.cubes import supply
from tower_sim.simulator import PhysicsModel

FILE = Path(__file__).parents[2] / "docs" / "trust" / "pour.csv"
FIGURES = ("inside", "out", "colours", "single")  # of a game
OUT = ("doorway", "tray", "table")
NAMES = ("amerigo", "amerigo-club", "amerigo-rulebook")
WAYS = {"at once, swept": (False, "swept"), "poured, swept": (True, "swept"), "poured, cleared": (True, "cleared")}
_GAME: Any = registry.get("game", "amerigo")


class Job(NamedTuple):
    """Set-ups or games of one profile in one way, by their seeds."""

    name: str
    way: str
    is_game: bool
    seeds: range


def shape_of(name: str, way: str) -> Apparatus:
    """Return a shipped tower in another way."""
    is_poured, emerged = WAYS[way]
    profile = copy.deepcopy(load(name).profile)
    profile["exit"]["emerged"] = emerged
    if not is_poured:
        profile["release"] = {k: v for k, v in profile["release"].items() if k not in ("rate_per_s", "fall_m_s")}
    return from_tables(profile, name)


def done(job: Job) -> tuple[list[list[float]], Counter[str], float]:
    """Return a row for each set-up (kept; 1 if it failed) or game (inside, out, colours, one colour), places, CPU s."""
    rows: list[list[float]] = []
    places: Counter[str] = Counter()
    begun = time.process_time()
    with PhysicsModel(shape_of(job.name, job.way)) as model:
        for seed in job.seeds:
            if not job.is_game:
                outcome = model.drop(
                    model.empty(), supply({"any": 49}, model.cube_edge), np.random.default_rng([46, seed])
                )
                places.update(landing.place.partition(":")[0] for landing in outcome.landings)
                rows.append([len(outcome.inside), outcome.missed, not outcome.status.is_landing])
                continue
            entries = [turn.entry for turn in _GAME.start(model, _GAME.read({}), 46, seed)][1:]
            out = [sum(entry.emerged.values()) for entry in entries]
            colours = [sum(n > 0 for n in entry.emerged.values()) for entry in entries]
            some = [c for c in colours if c]
            inside = [sum(entry.inside.values()) for entry in entries]
            means = (inside, out, some, [c == 1 for c in some])
            rows.append([float(np.mean(values)) for values in means])
    return rows, places, time.process_time() - begun


def main(words: Sequence[str] | None = None) -> None:
    """Print the table and write it."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.measure.pour", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--setups", type=int, default=300)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--profiles", nargs="+", default=NAMES)
    options = parser.parse_args(words)
    rows: list[dict[str, Any]] = []
    with ProcessPoolExecutor(2) as pool:
        for name in options.profiles:
            for way in WAYS:
                jobs = [Job(name, way, False, range(k, options.setups, 2)) for k in (0, 1)]
                jobs += [Job(name, way, True, range(k, options.games, 2)) for k in (0, 1)]
                first, second, *games = pool.map(done, jobs)
                setups = np.array([*first[0], *second[0]], float)
                played = np.array([row for rows, _, _ in games for row in rows])
                out = first[1] + second[1]
                row = {"profile and way": f"{name}, {way}", "setups": len(setups), "games": len(played)}
                for key, values in (("kept", setups[:, 0]), *zip(FIGURES, played.T, strict=True)):
                    row |= {key: values.mean(), f"{key} error": values.std(ddof=1) / np.sqrt(len(values))}
                row |= {"missed": setups[:, 1].mean(), "failed": setups[:, 2].sum()}
                row |= {place: out[place] / max(sum(out[each] for each in OUT), 1) for place in OUT}
                row["seconds"] = sum(seconds for _, _, seconds in games) / len(played)
                rows.append(row)
                print(
                    ", ".join(f"{k} {v if isinstance(v, str) else format(v, '.4g')}" for k, v in row.items()),
                    flush=True,
                )
    FILE.parent.mkdir(exist_ok=True)
    with FILE.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows({k: v if isinstance(v, str) else f"{v:.5g}" for k, v in row.items()} for row in rows)


if __name__ == "__main__":
    main()
