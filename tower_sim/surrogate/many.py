"""Many independent towers at once, for programs that decide after each throw."""

from __future__ import annotations

import numpy as np

from tower_sim.compiled import call
from tower_sim.runs.array import Array
from tower_sim.surrogate import kernel
from tower_sim.surrogate.model import SurrogateModel


class ManyTowers:
    """`number` independent surrogate towers, empty at first.

    Each has room for `cubes` cubes, and for `drops` throws before it is emptied. `inside` has shape (tower, colour).
    Random: `rng` seeds a stream for each tower.
    """

    def __init__(
        self, model: SurrogateModel, number: int, cubes: int, colours: int, drops: int, rng: np.random.Generator
    ) -> None:
        self._law = kernel.law_of(model.table, cubes, drops)
        self._work = kernel.work_for(cubes, drops, len(model.table.floors))
        by_cube = (np.zeros((number, cubes), np.uint32) for _ in range(4))
        words = rng.integers(0, 1 << 32, (number, 4)) | (0, 0, 0, 1)  # not all 0
        self._towers = kernel.Batch(*by_cube, *np.zeros((2, number), np.int64), state=words)
        self.inside = np.zeros((number, colours), np.int64)

    def throw(self, counts: Array) -> Array:
        """Throw `counts` cubes and return the cubes that come out, both of shape (tower, colour).

        A tower into which no cube is thrown does not change.
        """
        out = np.zeros(counts.shape, np.int64)
        call(kernel.GAMES, "throw_each", self._law, counts, self._towers, self._work, out)
        self.inside += counts - out
        return out

    def empty(self, which: Array) -> None:
        """Remove all cubes from the towers `which`, and forget their earlier throws."""
        self.inside[which] = 0
        self._towers.held[which] = self._towers.done[which] = 0
