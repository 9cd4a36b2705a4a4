"""Make the design that calibration ships with, and its emulator's kernels, anew; say how well the emulator predicts.

python -m tests.measure.design campaign --part 0 > FIRST.toml
python -m tests.measure.design campaign --part 1 > SECOND.toml
tower-sim campaign run FIRST.toml -o FIRST
tower-sim campaign run SECOND.toml -o SECOND
python -m tests.measure.design pack FIRST SECOND
OMP_NUM_THREADS=1 python -m tests.measure.design kernels
python -m tests.measure.design check
"""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import qmc

from tests.measure.script import ended
from tower_sim.calibration.design import SHIPPED, Design, Point, played, shipped
from tower_sim.calibration.emulator import KERNELS, Emulator, shipped_kernels
from tower_sim.calibration.parameters import NUMBERS, campaign_text
from tower_sim.calibration.summaries import EVERY, SUMMARIES, Array, game_counts
from tower_sim.runs.by_drop import COUNTS
from tower_sim.writing import write

SEED = 20261121


def save(design: Design, path: Path) -> None:
    """Write a design as a file of numpy arrays, whole or not at all; raises as `tower_sim.writing.write` does."""
    games = {column: getattr(design.games, column).astype(np.int8) for column in COUNTS}
    data = io.BytesIO()
    np.savez_compressed(data, unit=design.unit, **games)
    write(path, data.getvalue(), "design")


def side_by_side(parts: Sequence[Design]) -> Design:
    """Return the design that has the games of all `parts`, which are of the same points."""
    columns = [[getattr(part.games, column) for part in parts] for column in COUNTS]
    return Design(parts[0].unit, game_counts(*(np.concatenate(column, 1) for column in columns)))


def prior_points(number: int) -> list[Point]:
    """Return the first `number` points drawn from the prior: a scrambled Sobol sequence, always the same.

    Source: Owen, Journal of Complexity 14 (1998) 466.
    """
    sobol: Any = qmc.Sobol
    rows: Array = sobol(len(NUMBERS), seed=np.random.default_rng(1)).random(number)
    return [tuple(row) for row in rows.tolist()]


def kernels() -> None:
    """Find the kernels of the design that ships, and put them beside it."""
    emulator = Emulator(shipped())
    for window in EVERY.values():
        emulator.kernels_of(window)
    write(KERNELS, json.dumps(emulator.kernels, indent=1, allow_nan=False) + "\n", "kernels")


def check(design: Design, folds: int = 5) -> str:
    """Predict each fold of the design's points from the others; returns a table of how well that went."""
    lines = [
        "| summary | points | variance explained | median error | misses, in standard errors (sd) | within 90 % |",
        "|---|---|---|---|---|---|",
    ]
    fold = np.arange(len(design.unit)) % folds
    whole = Emulator(design, shipped_kernels() if design.digest == shipped().digest else None)
    for name, window in EVERY.items():
        parts: list[Array] = []
        for k in range(folds):
            rest = Emulator(design.take(np.flatnonzero(fold != k)), whole.kernels_of(window))
            held = design.take(np.flatnonzero(fold == k))
            at = rest.at(window, held.unit)
            error = at.error
            if name == "out":
                inside = rest.at(replace(window, summary="inside"), held.unit)
                error = np.hypot(error, inside.error / (1 + np.exp(-inside.mean)))
            games = window.of(held.games)
            count = (~np.isnan(games)).sum(1)
            of_games = at.games / np.sqrt(np.maximum(count, 1))
            known = count > 0
            mean = np.nansum(games, axis=1)[known] / count[known]
            parts.append(np.stack([mean, at.mean[known], error[known], of_games[known]]))
        simulated, predicted, error, noise = np.concatenate(parts, 1)
        z = (simulated - predicted) / np.hypot(error, noise)
        explained = 1 - np.mean((simulated - predicted) ** 2) / simulated.var()
        lines.append(
            f"| {SUMMARIES[name].words} | {len(z)} | {explained:.3f} | {np.median(error):.3f} | {z.std():.2f} | "
            f"{np.mean(np.abs(z) < 1.645):.0%} |"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    campaign = commands.add_parser("campaign", help="print the campaign that plays the design")
    pack = commands.add_parser("pack", help="make the design that ships of that campaign")
    pack.add_argument("directory", type=Path, nargs="+", help="of each campaign that was run, its parts in order")
    campaign.add_argument("--part", type=int, default=0, help="which games at the points: a part has a seed of its own")
    for command in (campaign, pack):
        command.add_argument("--points", type=int, default=1024, help="a power of 2")
        command.add_argument("--games", type=int, default=2, help="at each point")
    commands.add_parser("kernels", help="find the emulator's kernels for the design that ships")
    commands.add_parser("check", help="predict each fifth of the design from the rest")
    options = parser.parse_args(arguments)

    def work() -> None:
        if options.command == "campaign":
            print(campaign_text(prior_points(options.points), options.games, SEED + options.part), end="")
        elif options.command == "pack":
            points = prior_points(options.points)
            save(side_by_side([played(points, each, options.games) for each in options.directory]), SHIPPED)
            print(SHIPPED)
        elif options.command == "kernels":
            kernels()
            print(KERNELS)
        else:
            print(check(shipped()))

    return ended("design", work)


if __name__ == "__main__":
    sys.exit(main())
