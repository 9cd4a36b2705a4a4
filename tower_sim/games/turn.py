"""A turn of a game: what the game tells of it, and what the runner adds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tower_sim.cubes import count_by_colour
from tower_sim.model import TooManyFailedDraws
from tower_sim.outcome import Outcome
from tower_sim.state import TowerState


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a run, with one throw at most, which one knock may follow.

    A game gives `says`, a sentence for people, and `facts`, numbers and words by name for the dataset; a fact that is
    left out is null. A turn whose fact `phase` is `setup` only fills the tower: it is no turn of play.
    The runner adds `index`, from 0, the tower's `state` after the turn, and the `outcomes` of its throw and its knock.
    `failed` is the error that cuts a run short: five draws in a row failed. Such a turn is the last.
    `entry` is an object of the game's own, for its lines and pictures. `kind` is a word for what happened; in a turn of
    the kind `drop` datasets list the knock apart from the throw.
    """

    says: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    kind: str = "drop"
    entry: Any = None
    failed: TooManyFailedDraws | None = None
    index: int = 0
    state: TowerState = field(default_factory=partial(TowerState, "", "", ""))
    outcomes: tuple[Outcome, ...] = ()

    @property
    def thrown(self) -> dict[str, int]:
        """The cubes thrown, by colour."""
        return count_by_colour(cube for outcome in self.outcomes for cube in outcome.thrown)

    @property
    def out(self) -> dict[str, int]:
        """The cubes that came out, by colour."""
        return count_by_colour(cube for outcome in self.outcomes for cube in outcome.emerged)

    @property
    def inside(self) -> dict[str, int]:
        """The cubes inside after the turn, by colour."""
        return count_by_colour(self.state.cubes)
