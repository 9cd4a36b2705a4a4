"""The design: towers drawn over the prior and the games they played, from a campaign; one ships with the package.

python -m calibration.design campaign --points 128 --games 4 > DESIGN.toml
tower-sim campaign run DESIGN.toml --out DIRECTORY
python -m calibration.design pack DIRECTORY
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import qmc

from calibration.parameters import NUMBERS, PATTERNS, campaign_text
from calibration.summaries import Array, Games, from_campaign
from tower_sim.campaign import parse, run
from tower_sim.campaign.progress import told
from tower_sim.errors import UsageError
from tower_sim.study.load import load_whole

SHIPPED = Path(__file__).with_name("design.npz")
SEED = 20261121
Point = tuple[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Design:
    """Towers and their games: `pattern[i]` (a number into PATTERNS) and `unit[i]` of design point i, its `games`."""

    pattern: Array
    unit: Array
    games: Games

    @property
    def digest(self) -> str:
        """The SHA-256 of all of it, in hexadecimal."""
        words = hashlib.sha256()
        for array in (self.pattern, self.unit, *(getattr(self.games, each.name) for each in fields(Games))):
            words.update(np.ascontiguousarray(array).tobytes())
        return words.hexdigest()

    def take(self, index: Array) -> Design:
        """Return the design's points `index`."""
        return Design(self.pattern[index], self.unit[index], self.games.take(index))

    def after(self, other: Design) -> Design:
        """Return this design with the points of `other` behind its own."""
        return Design(
            np.concatenate([self.pattern, other.pattern]),
            np.concatenate([self.unit, other.unit]),
            self.games.after(other.games),
        )


def shipped() -> Design:
    """Read the design that ships with the package; raises UsageError when the file is damaged."""
    try:
        with np.load(SHIPPED, allow_pickle=False) as held:
            names = [each.name for each in fields(Games)]
            games = Games(*(held[name].astype(np.int16) for name in names))
            return Design(held["pattern"], held["unit"], games)
    except (OSError, ValueError, KeyError) as error:
        raise UsageError(f"the design {SHIPPED} cannot be read ({error}); install tower_sim again") from error


def save(design: Design, path: Path) -> None:
    """Write a design as a file of numpy arrays."""
    games = {each.name: getattr(design.games, each.name).astype(np.int8) for each in fields(Games)}
    np.savez_compressed(path, pattern=design.pattern, unit=design.unit, **games)


def prior_points(number: int, first: int = 0) -> list[Point]:
    """Return points `first` to before `first` + `number` of each pattern, the patterns in turn, drawn from the prior.

    Each pattern has a scrambled Sobol sequence of its own, always the same. Source: Owen, Journal of Complexity 14
    (1998) 466.
    """
    sobol: Any = qmc.Sobol
    rows: dict[str, Array] = {}
    for i, pattern in enumerate(PATTERNS):
        sequence = sobol(len(NUMBERS), seed=np.random.default_rng(i + 1))
        if first:
            sequence.fast_forward(first)
        rows[pattern] = sequence.random(number)
    return [(pattern, tuple(rows[pattern][i].tolist())) for i in range(number) for pattern in PATTERNS]


def play(points: Sequence[Point], games: int, seed: int, directory: Path, workers: int) -> Design:
    """Play `games` games at each of `points` as a campaign in `directory`, or go on with it; tells how far it is.

    Random, from `seed`: the games. Raises KeyboardInterrupt when it was interrupted (what is done is kept),
    SimulationFailed when a shard failed, UsageError as a campaign does.
    """
    spec = parse(campaign_text(points, games, seed))
    with told(spec) as progress:
        summary = run(spec, directory, workers, progress=progress)
    if summary.interrupted:
        raise KeyboardInterrupt
    if summary.failed:
        raise SimulationFailed("; ".join(summary.failed.values()))
    return played(points, directory, games)


class SimulationFailed(RuntimeError):
    """A shard of the campaign could not be done."""


def played(points: Sequence[Point], directory: Path, games: int) -> Design:
    """Read the campaign that played `games` games at each of `points`."""
    order = list(PATTERNS)
    return Design(
        np.array([order.index(pattern) for pattern, _ in points], np.int8),
        np.array([unit for _, unit in points], float),
        from_campaign(load_whole(directory), len(points), games),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line; returns the exit status: 0 all is well, 2 the caller's mistake."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["campaign", "pack"])
    parser.add_argument("directory", type=Path, nargs="?", help="of the campaign that was run")
    parser.add_argument("--points", type=int, default=128, help="for each pattern; a power of 2")
    parser.add_argument("--games", type=int, default=4, help="at each point")
    options = parser.parse_args(arguments)
    points = prior_points(options.points)
    try:
        if options.what == "campaign":
            print(campaign_text(points, options.games, SEED), end="")
        else:
            save(played(points, options.directory, options.games), SHIPPED)
            print(SHIPPED)
    except UsageError as error:
        print(f"design: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
