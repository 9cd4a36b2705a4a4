"""The common base of towers with a memory: throw, knock, and see the cubes inside, out and on the board."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from tower_sim.cubes import count_by_colour
from tower_sim.errors import fault
from tower_sim.outcome import Outcome
from tower_sim.state import TowerState


class Throwing(ABC):
    """A tower that remembers what was thrown into it; `last` is the outcome of the last throw or knock, if any."""

    last: Outcome | None
    _state: TowerState

    @abstractmethod
    def _do(self, counts: Mapping[str, int], knock: float | None, seed: int | None) -> Outcome:
        """Throw cubes (counts by colour), or knock with strength `knock` (g), and remember the outcome."""

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
        """The cubes on the board, by place and colour; empty for a tower."""
        lying = self._state.board.lying
        places = sorted({each.region for each in lying})
        return {place: count_by_colour(each.cube for each in lying if each.region == place) for place in places}

    def throw(self, cubes: Mapping[str, int] | None = None, /, *, seed: int | None = None, **colours: int) -> Outcome:
        """Throw cubes in, as a number for each colour, and return the outcome.

        `throw(blue=4)` and `throw({"blue": 4})` do the same. A mapping can have any colour.
        """
        counts = {**(cubes or {}), **colours}
        if cubes and (twice := sorted(cubes.keys() & colours.keys())):
            raise fault("cubes of " + twice[0], "said twice", "each colour once", "leave one of them out")
        return self._do(counts, None, seed)

    def knock(self, strength: float = 1.0, *, seed: int | None = None) -> Outcome:
        """Knock on the table with `strength` (peak sideways acceleration in g) and return the outcome."""
        return self._do({}, strength, seed)
