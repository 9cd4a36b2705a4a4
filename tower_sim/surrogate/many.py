"""Many towers at once, each with a memory and a throw of its own: for programs that decide after every throw."""

from __future__ import annotations

import numpy as np

from tower_sim.runs.array import Array
from tower_sim.surrogate.model import SurrogateModel


class ManyTowers:
    """`number` towers of a surrogate, empty at first, for up to `cubes` cubes each and `drops` throws before emptying.

    `inside` counts the cubes inside, shape (tower, colour). Colours have the numbers from 0 to before `colours`.
    Random: each tower draws from a stream of words that `rng` begins.
    """

    def __init__(
        self, model: SurrogateModel, number: int, cubes: int, colours: int, drops: int, rng: np.random.Generator
    ) -> None:
        from tower_sim.surrogate import kernel  # here, because it imports numba, which takes a while

        self._throw_each = kernel.throw_each
        self._law = kernel.law_of(model.table, cubes, drops)
        self._work = kernel.work_for(cubes, drops, len(model.table.floors))
        by_cube = (np.zeros((number, cubes), np.uint32) for _ in range(4))
        words = rng.integers(0, 1 << 32, (number, 4)) | (0, 0, 0, 1)  # not all 0
        self._towers = kernel.Batch(*by_cube, *np.zeros((2, number), np.int64), state=words)
        self.inside = np.zeros((number, colours), np.int64)

    def throw(self, counts: Array) -> Array:
        """Throw so many cubes of each colour into each tower and return those that come out; shapes (tower, colour).

        Without a cube to throw nothing happens in a tower.
        """
        out = np.zeros(counts.shape, np.int64)
        with np.errstate(over="ignore"):  # of words in plain Python, as in play_games
            self._throw_each(self._law, counts, self._towers, self._work, out)
        self.inside += counts - out
        return out

    def empty(self, which: Array) -> None:
        """Take all cubes out of the towers `which`, and forget their throws."""
        self.inside[which] = 0
        self._towers.held[which] = self._towers.done[which] = 0
