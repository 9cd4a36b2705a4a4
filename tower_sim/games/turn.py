"""One turn of a game: what the game reports, and what the runner adds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tower_sim.cubes import count_by_colour
from tower_sim.drops.repeat import TooManyFailedDraws
from tower_sim.outcome import Outcome
from tower_sim.state import TowerState


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a run, with at most one throw, and after it at most one knock.

    The game sets `says`, a sentence for people, and `facts`, values by name for the dataset, null where missing. A turn
    with the fact `phase` = `setup` only fills the tower and does not count as play. `entry` is an object for the game's
    own reports and pictures. `kind` is a word for what happened; in a turn of the kind `drop`, datasets list the knock
    separately.

    The runner sets `index`, from 0, the tower's `state` after the turn, and the `outcomes` of its throw and its knock.
    `failed` is the error that ended the run early, after five failed draws in a row.
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
        return count_by_colour(cube for outcome in self.outcomes for cube in outcome.thrown)

    @property
    def out(self) -> dict[str, int]:
        return count_by_colour(cube for outcome in self.outcomes for cube in outcome.emerged)

    @property
    def inside(self) -> dict[str, int]:
        return count_by_colour(self.state.cubes)
