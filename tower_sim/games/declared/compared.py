"""How comparisons see a declared game: beside its figures, how often the main reading has each of its values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tower_sim.games.compared import Compared, Group, Values
from tower_sim.games.declared.declaration import Declaration
from tower_sim.games.declared.expressions import COLOUR, WORD
from tower_sim.games.game import Turn
from tower_sim.runs.figure import Figure

_MOST = 30  # values of a reading whose shares are compared


def main_reading(of: Declaration) -> str:
    """Return the reading that a device stands for, else the first of a colour or a word; empty where there is none."""
    device = of.compared_with
    read = [name for name, reading in of.readings.items() if reading.kind in (COLOUR, WORD)]
    if device and device.reads in read:
        return device.reads
    return read[0] if read else ""


def values_of(of: Declaration, reading: str) -> tuple[str, ...]:
    """Return the values that a reading of a colour or a word may have, in their order."""
    known = of.readings[reading]
    return known.words() if known.kind == WORD else of.colours


class ComparedDeclared(Compared):
    """The figures of a game, and the shares of its main reading's values as a group of their own."""

    def grouped(self) -> tuple[Group, ...]:
        """See Compared."""
        name = main_reading(self._of)
        shares = [Group("shares", f"share of {name}", self._shares(), name)] if self._values() else []
        return (*super().grouped(), *shares)

    def run(self, turns: Sequence[Turn], side: int) -> Values:
        """See Compared; a run in which nothing was read has shares of 0."""
        main = self.game.measured(turns, self.rules[side])
        name, values = main_reading(self._of), self._values()
        read = [fact for turn in turns if (fact := turn.facts.get(name)) is not None]
        shares = [read.count(value) / max(1, len(read)) for value in values]
        return Values(np.array([[*main, *shares]], float), len(turns))

    @property
    def _of(self) -> Declaration:
        return self.rules[0].declaration

    def _values(self) -> tuple[str, ...]:
        name = main_reading(self._of)
        return values_of(self._of, name)[:_MOST] if name else ()

    def _shares(self) -> tuple[Figure, ...]:
        return tuple(Figure(f"share_{value}", value, "1") for value in self._values())
