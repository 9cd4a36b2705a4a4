"""The design: towers drawn over the prior and the games they played, from a campaign; one ships with the package."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tower_sim.calibration.parameters import campaign_text, tower_text
from tower_sim.calibration.summaries import Array, from_campaign, game_counts
from tower_sim.campaign import parse, run
from tower_sim.campaign.progress import told
from tower_sim.campaign.reader import load_whole
from tower_sim.errors import UsageError
from tower_sim.runs.by_drop import COUNTS, ByDrop

SHIPPED = Path(__file__).with_name("design.npz")
Point = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Design:
    """Towers and their games: `unit[i]`, the point of the unit cube of design point i, its `games`."""

    unit: Array
    games: ByDrop

    @property
    def digest(self) -> str:
        """The SHA-256 of all of it, in hexadecimal."""
        words = hashlib.sha256()
        for array in (self.unit, *(getattr(self.games, column) for column in COUNTS)):
            words.update(np.ascontiguousarray(array).tobytes())
        return words.hexdigest()

    def take(self, index: Array) -> Design:
        """Return the design's points `index`."""
        return Design(self.unit[index], self.games.take(index))

    def after(self, other: Design) -> Design:
        """Return this design with the points of `other` behind its own."""
        return Design(np.concatenate([self.unit, other.unit]), self.games.after(other.games))


def shipped() -> Design:
    """Read the design that ships with the package; raises UsageError when the file is damaged."""
    try:
        with np.load(SHIPPED, allow_pickle=False) as held:
            columns = (held[column].astype(np.int16) for column in COUNTS)
            return Design(held["unit"], game_counts(*columns))
    except (OSError, ValueError, KeyError) as error:
        raise UsageError(f"the design {SHIPPED} cannot be read ({error}); install tower_sim again") from error


def play(points: Sequence[Point], games: int, seed: int, directory: Path, workers: int) -> Design:
    """Play `games` games at each of `points` as a campaign in `directory`, or go on with it; tells how far it is.

    Random, from `seed`: the games. Raises KeyboardInterrupt when it was interrupted (what is done is kept),
    SimulationFailed when a shard failed, UsageError as a campaign does.
    """
    _run(campaign_text(points, games, seed), directory, workers)
    return played(points, directory, games)


def play_tower(profile: Path, games: int, seed: int, directory: Path, workers: int) -> ByDrop:
    """Play games of the tower of a profile as `play` does; returns them, shape (games, DROPS)."""
    _run(tower_text(profile, games, seed), directory, workers)
    return from_campaign(load_whole(directory), 1, games).take(0)


def _run(text: str, directory: Path, workers: int) -> None:
    spec = parse(text)
    with told(spec) as progress:
        summary = run(spec, directory, workers, progress=progress)
    if summary.interrupted:
        raise KeyboardInterrupt
    if summary.failed:
        raise SimulationFailed("; ".join(summary.failed.values()))


class SimulationFailed(RuntimeError):
    """A shard of the campaign could not be done."""


def played(points: Sequence[Point], directory: Path, games: int) -> Design:
    """Read the campaign that played `games` games at each of `points`."""
    return Design(np.array(points, float), from_campaign(load_whole(directory), len(points), games))
