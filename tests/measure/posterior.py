"""Whether a posterior holds for its own towers: some drawn from it anew play games with new seeds, and are counted.

python -m tests.measure.posterior PROFILE.calibration --out WORK [--towers 48] [--games 8] [--seed 1] [--workers 1]

PROFILE.calibration is the folder that `tower-sim calibrate` has left beside a profile. The games are kept in WORK:
stopped, the same command goes on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from tests.measure.script import ended
from tower_sim.calibration.design import Point, play
from tower_sim.calibration.fit import LEVEL
from tower_sim.calibration.summaries import EVERY, SUMMARIES
from tower_sim.reading import read_text
from tower_sim.runs.by_drop import ByDrop


def drawn(posterior: Mapping[str, Any], towers: int, seed: int) -> list[Point]:
    """Draw so many towers, each as often as the posterior has it. Random, from `seed`."""
    times = np.array(posterior["times"], float)
    rows = np.random.default_rng(seed).choice(len(times), towers, p=times / times.sum())
    return [tuple(posterior["unit"][row]) for row in rows]


def judged(posterior: Mapping[str, Any], games: ByDrop) -> str:
    """Hold games, shape (towers, games), against what was told: a row for each figure.

    `z` is of a tower's mean over its games about the posterior's mean, in its standard deviations, on the scale of the
    fit. Right would be the middle 95 % of a binomial law of LEVEL.
    """
    lines = [
        f"| figure | within the {LEVEL:.0%} interval | right would be | below, above | mean z | its error |",
        "|---|---|---|---|---|---|",
    ]
    for name, told in posterior["told"].items():
        of = EVERY[name].of(games)
        seen = np.nanmean(of[(~np.isnan(of)).any(1)], axis=1)
        mine = np.asarray(SUMMARIES[name].back(seen))
        below, above = int((mine < told["low"]).sum()), int((mine > told["high"]).sum())
        least, most = (int(stats.binom.ppf(q, len(mine), LEVEL)) for q in (0.025, 0.975))
        z = (seen - told["mean"]) / told["sd"]
        lines.append(
            f"| {name} | {len(mine) - below - above} of {len(mine)} | {least} to {most} | {below}, {above} | "
            f"{z.mean():+.2f} | {z.std(ddof=1) / len(z) ** 0.5:.2f} |"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="that calibrate has left beside the profile")
    parser.add_argument("--out", type=Path, required=True, help="where the games are kept")
    for name, value in (("towers", 48), ("games", 8), ("seed", 1), ("workers", 1)):
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args(arguments)

    def work() -> None:
        posterior = json.loads(
            read_text(options.folder / "posterior.json", "posterior", limit=10**8, advice="fit anew")
        )
        points = drawn(posterior, options.towers, options.seed)
        again = play(points, options.games, options.seed, options.out, options.workers)
        print(judged(posterior, again.games))

    return ended("posterior", work)


if __name__ == "__main__":
    sys.exit(main())
