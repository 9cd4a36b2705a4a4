"""How far physics moves what a tower does: engine against engine, step against step, on towers of the design.

python -m tests.measure.discrepancy play standard --out DIRECTORY --towers 96 --games 6
python -m tests.measure.discrepancy play half-step --out DIRECTORY --towers 96 --games 6
python -m tests.measure.discrepancy play bullet --out DIRECTORY --towers 48 --games 4
python -m tests.measure.discrepancy judge DIRECTORY

`play` takes towers of the design that ships, as many of few cubes inside as of many, and plays each with the core at
its standard accuracy, at half its step, or with Bullet as it ships: a campaign, which can be stopped and goes on.
`judge` says how far towers differ, beyond what games of one tower do, and how that changes with what is inside.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from tests.measure.script import ended
from tower_sim.calibration import design as designs
from tower_sim.calibration.design import Design, Point
from tower_sim.calibration.parameters import campaign_text
from tower_sim.calibration.summaries import CUBES, EVERY, WHOLE, Array, expit
from tower_sim.calibration.summaries import SUMMARIES as SUMMARY
from tower_sim.campaign import parse, run, status
from tower_sim.campaign.files import make_directory
from tower_sim.campaign.progress import told
from tower_sim.physics.settings import PhysicsSettings, accuracy

SEED = 20261122
SETTINGS = {
    "standard": PhysicsSettings(engine="core"),
    "half-step": accuracy("core", "fine"),
    "bullet": PhysicsSettings(engine="bullet"),
}
BINS = (1.0, 10.0, 25.0, 42.0)  # cubes inside in play: what a third of the towers lies between
SUMMARIES = ("setup", "inside", "out", "own", "spread", "colours", "single", "many", "leads", "old")
RESAMPLED = 2000


def towers(number: int) -> list[Point]:
    """Return `number` towers of the design, a third each of BINS, in the design's order."""
    shipped = designs.shipped()
    inside = expit(np.nanmean(WHOLE["inside"].of(shipped.games), 1))
    rows = [
        np.flatnonzero((inside >= low) & (inside < high))[: number // (len(BINS) - 1)] for low, high in pairwise(BINS)
    ]
    return [tuple(shipped.unit[row].tolist()) for row in np.sort(np.concatenate(rows))]


def text(points: Sequence[Point], games: int, settings: PhysicsSettings) -> str:
    """Write the campaign that plays `games` games at each of `points` with `settings`; the same seeds for all."""
    usual = PhysicsSettings(engine=settings.engine)
    others = [name for name in settings.__slots__ if getattr(settings, name) != getattr(usual, name)]
    said = "".join(f"{name} = {getattr(settings, name)!r}\n" for name in others if name != "engine")
    plain = campaign_text(points, games, SEED)
    return plain.replace('engine = "core"\n', f'engine = "{settings.engine}"\n{said}', 1)


@dataclass(frozen=True, slots=True)
class Moved:
    """How far n towers are moved in a summary, on the scale of the fit: mean `shift` with its standard error, and the
    `variance` of towers' differences about 0 that games do not explain, with the 95 % interval of resampled towers.
    """

    n: int
    shift: float
    se: float
    variance: float
    low: float
    high: float

    def __str__(self) -> str:
        sd, low, high = (np.sqrt(max(each, 0.0)) for each in (self.variance, self.low, self.high))
        return f"{self.n} | {self.shift:+.3f} +- {self.se:.3f} | {sd:.2f} ({low:.2f} to {high:.2f})"


def moved(differences: Array, noise: Array, rng: np.random.Generator) -> Moved:
    """Return how far towers are moved, given each one's difference and the variance of it that games explain.

    The variance is by moments, so that it is right on average whatever the laws. Random, from `rng`: the resampling.
    """
    n = len(differences)
    beyond = differences**2 - noise
    low, high = np.quantile(beyond[rng.integers(n, size=(RESAMPLED, n))].mean(1), (0.025, 0.975))
    shift, se = float(differences.mean()), float(differences.std(ddof=1) / np.sqrt(n))
    return Moved(n, shift, se, float(beyond.mean()), float(low), float(high))


def differences(name: str, first: Design, second: Design) -> tuple[Array, Array, Array]:
    """Return how much more `second` has of a summary, the variance that games explain, and which towers know it."""
    means: list[Array] = []
    noise: list[Array] = []
    for each in (first, second):
        games = EVERY[name].of(each.games)
        count = (~np.isnan(games)).sum(1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a tower without a game that tells it
            means.append(np.nanmean(games, axis=1))
            noise.append(np.where(count > 1, np.nanvar(games, axis=1, ddof=1) / count, np.nan))
    known = np.isfinite(means[0] + means[1] + noise[0] + noise[1])
    return (means[1] - means[0])[known], (noise[0] + noise[1])[known], known


def _played(directory: Path) -> Design:
    """Read a campaign of `play` with as many towers and games as it has."""
    spec = status(directory).spec
    return designs.played(towers(len(spec.points)), directory, spec.runs)


def _shared(first: Design, second: Design) -> tuple[Design, Design]:
    """Return both cut to the towers that both have."""
    of = {tuple(row): i for i, row in enumerate(first.unit.tolist())}
    rows = [(of[tuple(row)], i) for i, row in enumerate(second.unit.tolist()) if tuple(row) in of]
    mine, others = (np.array(each) for each in zip(*rows, strict=True))
    return first.take(mine), second.take(others)


def judge(directory: Path) -> str:
    """Return the tables: each other physics beside the standard, over all towers and by what they keep in play."""
    played = {name: _played(directory / name) for name in SETTINGS if (directory / name).exists()}
    standard = played.pop("standard")
    rng = np.random.default_rng(SEED)
    head = "| against | inside in play | summary | towers | shift | sd between towers (95 % interval) |"
    lines = [head, "|---|---|---|---|---|---|"]
    for against, whole in played.items():
        first, other = _shared(standard, whole)
        both = np.mean([np.nanmean(WHOLE["inside"].of(each.games), 1) for each in (first, other)], 0)
        inside = expit(both)
        for low, high in [(0, CUBES), *pairwise((0, *BINS[1:-1], CUBES))]:
            within = (inside >= low) & (inside < high)
            for name in SUMMARIES:
                off, noise, known = differences(name, first, other)
                rows = within[known]
                told = moved(off[rows], noise[rows], rng)
                lines.append(f"| {against} | {low:.0f} to {high:.0f} | {SUMMARY[name].words} | {told} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    play = commands.add_parser("play", help="play the towers with one of the settings")
    play.add_argument("settings", choices=SETTINGS)
    play.add_argument("--out", type=Path, required=True, dest="directory")
    play.add_argument("--towers", type=int, default=96)
    play.add_argument("--games", type=int, default=6)
    play.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    commands.add_parser("judge", help="print the table").add_argument("directory", type=Path)
    options = parser.parse_args(arguments)

    def work() -> None:
        if options.command == "judge":
            print(judge(options.directory))
            return
        make_directory(options.directory)
        spec = parse(text(towers(options.towers), options.games, SETTINGS[options.settings]))
        with told(spec) as progress:
            summary = run(spec, options.directory / options.settings, options.workers, progress=progress)
        if summary.interrupted:
            raise KeyboardInterrupt

    return ended("discrepancy", work)


if __name__ == "__main__":
    sys.exit(main())
