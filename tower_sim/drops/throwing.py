"""A model that records its calls and their outcomes, for data sets and to count draws."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, SupportsIndex, cast

import numpy as np

from tower_sim.drops.contract import Closing, DropModel
from tower_sim.drops.door import knock_strength
from tower_sim.errors import check_table, fault, find_slip
from tower_sim.values import COLOURS, MAX_CUBES, Cube, Outcome, TowerState, as_counts, count_by_colour


@dataclass(frozen=True, slots=True)
class RecordedDrop:
    """One call of a model: the state before it and its outcome; `knock` is true for a knock on the table."""

    state: TowerState
    outcome: Outcome
    knock: bool = False


class Recorder(Closing):
    """A model that passes every call on to `model` and records it. Closing it leaves `model` open."""

    def __init__(self, model: DropModel) -> None:
        self._model: Any = model
        self._draws: list[RecordedDrop] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    @property
    def as_model(self) -> DropModel:
        """The recorder itself, with the type of a model."""
        return cast("DropModel", self)

    def take_draws(self) -> list[RecordedDrop]:
        """Return the draws since the last call of `take_draws`."""
        draws, self._draws = self._draws, []
        return draws

    def drop(self, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
        """See DropModel."""
        return self._keep(state, self._model.drop(state, cubes, rng))

    def knock(self, state: TowerState, strength: float, rng: np.random.Generator) -> Outcome:
        """See DropModel."""
        return self._keep(state, self._model.knock(state, strength, rng), knock=True)

    def place(self, state: TowerState, cube: Cube, zone: str, rng: np.random.Generator) -> Outcome:
        """See BoardModel."""
        return self._keep(state, self._model.place(state, cube, zone, rng))

    def _keep(self, state: TowerState, outcome: Outcome, *, knock: bool = False) -> Outcome:
        self._draws.append(RecordedDrop(state, outcome, knock))
        return outcome


Counts = Mapping[str, SupportsIndex]


def merge_counts(cubes: object, colours: Counts) -> dict[str, SupportsIndex]:
    """Return counts by colour from a table (None: no cubes) and from keywords."""
    table = {} if cubes is None else check_table("cubes", cubes, "write throw(blue=4)")
    if twice := sorted(table.keys() & colours):
        raise fault("cubes of " + twice[0], "said twice", "each colour once", "leave one of them out")
    return {**table, **colours}


def as_throw(cubes: object, state: TowerState | None, knock: object) -> tuple[dict[str, int], float | None]:
    """Return counts by colour and the strength (g) of a knock (None: no knock) as plain numbers.

    Refused are too many cubes, no cubes without a knock, and a colour one typing mistake away from a known one.
    """
    counts = as_counts("cubes", cubes)
    strength = None if knock is None else knock_strength(knock)
    for colour in counts:
        _check_spelling(colour, state)
    if (number := sum(counts.values())) > MAX_CUBES:
        raise fault("number of cubes", number, f"up to {MAX_CUBES}", "throw fewer")
    if not counts and strength is None:
        raise fault("cubes", {}, "a count by colour, unless there is a knock", "throw some, such as 4 blue")
    return counts, strength


def _check_spelling(colour: str, before: TowerState | None) -> None:
    if colour in COLOURS:
        return
    there = () if before is None else (before.cubes, before.board.cubes, *(event.thrown for event in before.log))
    known = {*COLOURS, *(cube.colour for cubes in there for cube in cubes)}
    if colour not in known and (meant := find_slip(colour, sorted(known))):
        what = "a colour that games or the state have, or one that is spelt otherwise than these"
        raise fault("a colour of cubes", colour, what, f"did you mean {meant}?")


class Throwing(ABC):
    """A tower with a memory; `last` is the outcome of the last throw or knock, if any."""

    last: Outcome | None
    _state: TowerState

    @abstractmethod
    def _do(self, counts: Counts, knock: float | None, seed: SupportsIndex | str | None) -> Outcome:
        pass

    @property
    def state(self) -> TowerState:
        """The current state, as models take it; a copy of the reference is a fork."""
        return self._state

    @property
    def inside(self) -> dict[str, int]:
        """The cubes inside, by colour."""
        return count_by_colour(self._state.cubes)

    @property
    def out(self) -> dict[str, int]:
        """The cubes that came out in the last throw or knock, by colour."""
        return {} if self.last is None else count_by_colour(self.last.emerged)

    @property
    def board(self) -> dict[str, dict[str, int]]:
        """The cubes on the board, by place and colour; empty for a tower.

        >>> from tower_sim import Tower
        >>> with Tower("dead_reckoning", "surrogate", seed=7) as ship:
        ...     outcome = ship.throw(blue=3)
        ...     ship.board
        {'zone:damage_fore': {'blue': 2}, 'zone:strength_1_fore': {'blue': 1}}
        """
        return self._state.board.by_place

    def throw(
        self, cubes: Counts | None = None, /, *, seed: SupportsIndex | str | None = None, **colours: SupportsIndex
    ) -> Outcome:
        """Throw new cubes in.

        Args:
            cubes: Counts by colour as a table, such as a dict or a pandas Series; a colour may be any word.
            seed: The seed of this throw. None takes the tower's next one.
            colours: The same counts as keywords.

        Returns:
            The outcome, which is also `last`.

        Raises:
            TooManyFailedDraws: Five attempts in a row failed. The tower is unchanged.

        >>> from tower_sim import Tower
        >>> with Tower("amerigo", "surrogate") as tower:
        ...     outcome = tower.throw({"blue": 4}, red=2, seed=2)
        ...     print(len(outcome.thrown), len(outcome.emerged), tower.last_seed)
        6 4 2
        """
        return self._do(merge_counts(cubes, colours), None, seed)

    def knock(self, strength: float = 1.0, *, seed: SupportsIndex | str | None = None) -> Outcome:
        """Knock on the table.

        Args:
            strength: The peak sideways acceleration (g).
            seed: As for `throw`.

        Returns:
            The outcome; `emerged` are the cubes that the knock released.

        Raises:
            TooManyFailedDraws: As for `throw`.

        >>> from tower_sim import Tower
        >>> with Tower("amerigo", "surrogate", seed=7) as tower:
        ...     outcome = tower.throw(blue=7, red=7)
        ...     outcome = tower.knock(1.5)
        ...     print(tower.out, tower.inside)
        {'blue': 1, 'red': 2} {'red': 1}
        """
        return self._do({}, strength, seed)
