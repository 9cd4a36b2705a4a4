"""Film: where every cube is after each window of a draw, when each is let go and when each is taken away.

Nothing is recorded unless a model is given a film; what is recorded changes no draw. What is made of it, is made
elsewhere (tower_sim/replay): here are an engine's numbers as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus.parts import Upright
from tower_sim.errors import check_kind
from tower_sim.outcome import Outcome
from tower_sim.state import Pose, TowerState

Array = npt.NDArray[np.float64]


@runtime_checkable
class Films(Protocol):
    """A Runner that writes down where its cubes are while it runs; others are asked for one window at a time."""

    def run_filmed(self, windows: int, calm: Sequence[Upright]) -> Array:
        """Run as `run` does; returns where the cubes are after each window taken, shape (windows, cubes, 7).

        A pose is x y z (m) and a unit quaternion x y z w; cubes are in the order in which they were added.
        """
        ...


@dataclass(frozen=True, slots=True)
class Strip:
    """Windows in which the same cubes were there: their `numbers`, and `poses` after each, shape (windows, cubes, 7).

    `first` windows had passed after the first of them.
    """

    first: int
    numbers: tuple[int, ...]
    poses: Array


@dataclass(slots=True)
class Reel:
    """What one draw looked like, window by window; `window` is in seconds, `windows` have passed.

    `let_go` has for each cube thrown how many windows had passed and its pose, `swept` for each that was taken away how
    many had passed; both by cube number.
    """

    window: float
    windows: int = 0
    let_go: dict[int, tuple[int, Pose]] = field(default_factory=dict[int, tuple[int, Pose]])
    swept: dict[int, int] = field(default_factory=dict[int, int])
    strips: list[Strip] = field(default_factory=list[Strip])

    def add(self, numbers: Sequence[int], poses: Array) -> None:
        """Add windows, shape (windows, cubes, 7), in which the cubes were these."""
        self.strips.append(Strip(self.windows + 1, tuple(numbers), poses))
        self.windows += len(poses)


@dataclass(frozen=True, slots=True)
class Shot:
    """One draw that was filmed: its `kind` as in an `Event`, a knock's `strength` (g), the state before, the outcome.

    `reel` is None for a draw that was no landing.
    """

    kind: str
    strength: float
    state: TowerState
    outcome: Outcome
    reel: Reel | None


class Film:
    """The draws of a model that was given it as `record`, until they are taken.

    A draw of fifty cubes is about two megabytes until then.
    """

    def __init__(self) -> None:
        self._shots: list[Shot] = []

    def keep(self, shot: Shot) -> None:
        """Keep a draw."""
        self._shots.append(shot)

    def taken(self) -> list[Shot]:
        """Return the draws since the last call of this, and forget them."""
        shots, self._shots = self._shots, []
        return shots


def as_film(record: object) -> Film | None:
    """Return a film, or None where nothing is recorded; raises UsageError for anything else."""
    return None if record is None else check_kind("record", record, Film, "a Film", "write record=Film()")
