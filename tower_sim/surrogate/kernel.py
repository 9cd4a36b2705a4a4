"""Whole games at once: the table's algorithm over arrays, compiled by numba where that is installed.

The functions here are plain Python too, and give the same games without numba, some hundred times slower.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.surrogate.cascade import CROWD, EFFECTS, FRESH
from tower_sim.surrogate.table import LIMIT, WORD, Table

Array = npt.NDArray[Any]

_MASK = 0xFFFFFFFF
_GOLDEN = 0x9E3779B9
_BITS = 32 - EFFECTS.bit_length() + 1  # a word's first bits number the shared effect


@dataclass(frozen=True, eq=False)
class Arrays:
    """A Table as arrays of one row a floor; entries beyond the end of a list repeat the last one.

    `thrown`, `lying` and `effect` have two planes, arriving and lying; `age` has those of age and crowd.
    """

    thrown: Array
    lying: Array
    fresh: Array
    effect: Array
    age: Array
    pushed: Array
    has_effect: Array
    thresholds: Array

    def ordered(self) -> tuple[Array, ...]:
        """Return the arrays in the order of the arguments of `play`."""
        by_count = (self.thrown, self.lying, self.fresh, self.effect)
        return (*by_count, self.age, self.pushed, self.has_effect, self.thresholds)

    @staticmethod
    def of(table: Table, cubes: int, drops: int) -> Arrays:
        """Lay out a table for games of so many cubes and drops."""

        def planes(names: tuple[str, ...], length: int) -> Array:
            rows = [[getattr(floor, name) for floor in table.floors] for name in names]
            return np.array([[[each[min(i, len(each) - 1)] for i in range(length)] for each in row] for row in rows])

        return Arrays(
            planes(("arriving_thrown", "lying_thrown"), cubes + 1),
            planes(("arriving_lying", "lying_lying"), cubes + 1),
            planes(("arriving_fresh",), cubes + 1)[0],
            planes(("arriving_effect", "lying_effect"), cubes + 1),
            planes(("age", "crowd"), drops + 1),
            np.array([floor.pushed for floor in table.floors]),
            np.array([floor.has_effect for floor in table.floors]),
            np.array([WORD - x for x in table.thresholds[:0:-1]] + list(table.thresholds)),
        )


def mixed(x: int) -> int:
    """See generator.mixed."""
    x = ((x ^ (x >> 16)) * 0x85EBCA6B) & _MASK
    x = ((x ^ (x >> 13)) * 0xC2B2AE35) & _MASK
    return x ^ (x >> 16)


def seeded(state: Array, seed: Array, stream: int) -> None:
    """Begin a stream of words; see generator.Words."""
    for i in range(4):
        state[i] = mixed((seed[i] + mixed((stream + _GOLDEN * (i + 1)) & _MASK)) & _MASK)
    state[3] |= 1


def word(state: Array) -> int:
    """Return the next word; see generator.Words."""
    a, b, c, d = state[0], state[1], state[2], state[3]
    x = (b * 5) & _MASK
    found = ((((x << 7) | (x >> 25)) & _MASK) * 9) & _MASK
    shifted = (b << 9) & _MASK
    c ^= a
    d ^= b
    state[1] = b ^ c
    state[0] = a ^ d
    state[2] = c ^ shifted
    state[3] = ((d << 11) | (d >> 21)) & _MASK
    return found


def play(
    thrown_odds: Array,
    lying_odds: Array,
    fresh_odds: Array,
    effect_odds: Array,
    age_odds: Array,
    pushed: Array,
    has_effect: Array,
    thresholds: Array,
    seed: Array,
    first: int,
    colour: Array,
    phases: Array,
    crowd_from: int,
    shift: float,
    thrown: Array,
    emerged: Array,
    inside: Array,
) -> None:
    """Play games `first`, `first` + 1, ... into the arrays `thrown`, `emerged` and `inside` (game, drop, colour).

    `colour` is each cube's, by number; `phases` the colour that each drop throws, -1 for all. With a `shift` every
    thrown cube's chance to come out is greater by it (or 1).
    """
    games, drops = thrown.shape[:2]
    floors, cubes = len(pushed), len(colour)
    place = np.empty(cubes, np.int64)  # the floor; -1 in storage
    since = np.empty(cubes, np.int64)
    crowd = np.empty(cubes, np.int64)
    lying = np.empty(floors, np.int64)
    fresh = np.empty(floors, np.int64)
    arrive = np.empty(floors, np.int64)
    lie = np.empty(floors, np.int64)
    state = np.empty(4, np.int64)
    for game in range(games):
        seeded(state, seed, first + game)
        place[:] = -1
        lying[:] = 0
        done = 0  # drops in which cubes were thrown
        for drop in range(drops):
            count = 0
            fresh[:] = 0
            for cube in range(cubes):
                if place[cube] >= 0:
                    fresh[place[cube]] += done - since[cube] <= FRESH
                elif phases[drop] < 0 or phases[drop] == colour[cube]:
                    count += 1
                    thrown[game, drop, colour[cube]] += 1
            if count == 0:
                if drop:
                    inside[game, drop] = inside[game, drop - 1]
                continue
            for floor in range(floors):
                effect = word(state) >> _BITS if has_effect[floor] else 0
                m = lying[floor]
                arrive[floor] = thrown_odds[0, floor, count] + lying_odds[0, floor, m] + fresh_odds[floor, fresh[floor]]
                arrive[floor] += effect_odds[0, floor, m, effect]
                lie[floor] = thrown_odds[1, floor, count] + lying_odds[1, floor, m] + effect_odds[1, floor, m, effect]
            for cube in range(cubes):
                start = place[cube]
                is_thrown = start < 0
                if is_thrown and not (phases[drop] < 0 or phases[drop] == colour[cube]):
                    continue
                floor = 0
                chance = 1.0
                while floor < floors:
                    if floor < start:
                        floor = start
                    if floor == start:
                        odds = lie[floor] + age_odds[crowd[cube], floor, done - since[cube]]
                    elif is_thrown:
                        odds = arrive[floor]
                    else:
                        odds = arrive[floor] + pushed[floor]
                    limit = thresholds[min(max(odds, -LIMIT), LIMIT) + LIMIT]
                    chance *= limit / WORD
                    if word(state) >= limit:
                        break
                    floor += 1
                if shift > 0 and is_thrown and floor < floors:
                    for below in range(floor + 1, floors):
                        chance *= thresholds[min(max(arrive[below], -LIMIT), LIMIT) + LIMIT] / WORD
                    if word(state) < shift / max(1 - chance, shift) * WORD:
                        floor = floors
                if is_thrown and floor < floors:
                    since[cube] = done
                    crowd[cube] = 1 if count >= crowd_from else 0
                if floor == floors:
                    emerged[game, drop, colour[cube]] += 1
                    floor = -1
                else:
                    inside[game, drop, colour[cube]] += 1
                if floor != start:
                    if start >= 0:
                        lying[start] -= 1
                    if floor >= 0:
                        lying[floor] += 1
                    place[cube] = floor
            done += 1


def play_games(
    table: Table, colour: Array, phases: Array, games: int, seed: Array, first: int, shift: float, colours: int = 1
) -> tuple[Array, Array, Array]:
    """Play `games` whole games and return what was thrown, came out and is inside, shape (game, drop, colour).

    `colour` is each cube's, by number, of `colours` or as many as it names; `phases` the colour that each drop throws,
    -1 for all; `seed` four words, of which game g draws from stream first + g. See `play` for `shift`.
    """
    width = max(colours, int(colour.max(initial=0)) + 1)
    counts = tuple(np.zeros((games, len(phases), width), np.int16) for _ in range(3))
    with np.errstate(over="ignore"):  # of words in plain Python: the product's low 32 bits are right all the same
        odds = Arrays.of(table, len(colour), len(phases)).ordered()
        compiled()(*odds, seed, first, colour, phases, CROWD, shift, *counts)
    return counts[0], counts[1], counts[2]


@cache
def compiled() -> Callable[..., None]:
    """Return `play` compiled by numba, or as it is where numba is not installed."""
    try:
        numba: Any = importlib.import_module("numba")
    except ImportError:
        return play
    jit = numba.njit(cache=False, inline="never")
    names = {"mixed": jit(mixed)}
    names["seeded"] = numba.njit(_with(seeded, names))
    names["word"] = jit(word)
    return numba.njit(_with(play, names))


def _with(function: Any, names: dict[str, Any]) -> Any:
    """Return a copy of a function that finds compiled functions under the names of plain ones."""
    copy: Any = type(function)(function.__code__, {**function.__globals__, **names}, function.__name__)
    return copy
