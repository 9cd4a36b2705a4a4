"""Many independent towers at once, for programs that decide after each throw."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from tower_sim.compiled import call
from tower_sim.results import Array
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


def trial() -> list[Array]:
    """Return the counts of some games by a law that is no tower's: see compiled/trial.py."""
    floors, cubes, drops, effects = 2, 12, 5, 32

    def spread(*shape: int) -> npt.NDArray[np.int64]:
        numbers = 37 * np.arange(math.prod(shape)) % 801 - 400
        return numbers.reshape(shape)

    law = kernel.Law(
        thrown=spread(2, floors, cubes + 1),
        onto=spread(2, floors, cubes + 1, effects).astype(np.int32),
        fresh=spread(floors, cubes + 1).astype(np.int32),
        age=spread(2 * floors, drops + 1).astype(np.int32),
        pushed=spread(floors).astype(np.int32),
        has_effect=np.array([True, False]),
        thresholds=np.linspace(1 << 29, 1 << 32, 2001, endpoint=False).astype(np.uint32),
        effect_shift=32 - effects.bit_length() + 1,
        crowd_from=8,
        fresh_to=1,
    )
    counts = [np.zeros((20, drops, 2), np.int16) for _ in range(3)]
    colour, low, phases = np.repeat(np.arange(2, dtype=np.uint32), 6), np.array([0, 6, 12]), np.array([-1, 0, 1, 0, 1])
    work = kernel.work_for(cubes, drops, floors)
    call(kernel.GAMES, "play", law, np.array([1, 2, 3, 4]), 0, colour, low, phases, 0.0, *counts, work)
    return counts
