"""Many independent towers at once, for programs that decide after each throw."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tower_sim.compiled import call
from tower_sim.results import Array
from tower_sim.surrogate import kernel
from tower_sim.surrogate.model import SurrogateModel
from tower_sim.surrogate.table import FloorTable, Table


class ManyTowers:
    """`number` independent surrogate towers, empty at first, each with room for `cubes` cubes.

    `inside` has shape (tower, colour). Random: `rng` seeds a stream for each tower.
    """

    def __init__(self, model: SurrogateModel, number: int, cubes: int, colours: int, rng: np.random.Generator) -> None:
        self._law = model.law
        self._towers = np.zeros((number, 5, cubes), np.int32)
        words = rng.integers(0, 1 << 32, (number, 4)) | (0, 0, 0, 1)  # not all 0
        self._own = np.hstack([np.zeros((number, 2), np.int64), words])
        self._room = (kernel.room_for_words(model.law, cubes), kernel.work_for())
        self.inside = np.zeros((number, colours), np.int64)

    def throw(self, counts: Array) -> Array:
        """Throw `counts` cubes and return the cubes that come out, both of shape (tower, colour).

        A tower into which no cube is thrown does not change.
        """
        out = np.zeros(counts.shape, np.int64)
        call(kernel.GAMES, "throw_each", self._law, counts, self._towers, self._own, out, *self._room)
        self.inside += counts - out
        return out

    def empty(self, which: Array) -> None:
        """Remove all cubes from the towers `which`, and forget their earlier throws."""
        self.inside[which] = 0
        self._own[which, :2] = 0


def trial() -> list[Array]:
    """Return the counts of some games by a law that is no tower's: see compiled/by_native.py."""

    def spread(count: int) -> tuple[int, ...]:
        return tuple(37 * i % 801 - 400 for i in range(count))

    rows = (spread(16), spread(19)[3:])
    ten, five = spread(10), spread(5)
    floor = FloorTable(ten, ten, ten, rows, 100, ten, ten, rows[::-1], five, five)
    thresholds = tuple(range(1 << 31, (1 << 32) - 1, 1 << 20))
    table = Table(("upper", "lower"), (floor, replace(floor, arriving_effect=((0,) * 16,))), thresholds)
    colour, throws = np.repeat(np.arange(2), 6), np.array([-1, 0, 1, 0, 1])
    return [
        kernel.play_games(kernel.law_of(table), colour, throws, 20, np.array([1, 2, 3, 4]), 0, shift)
        for shift in (0.0, 0.2)
    ]
