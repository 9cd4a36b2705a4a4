"""The exact law of a surrogate's table, by enumeration."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from vectors.renew import Resting

from tower_sim.surrogate import FRESH
from tower_sim.surrogate.kernel import OUT
from tower_sim.surrogate.table import EFFECTS, WORD, Table

Ends = tuple[int, ...]


def exact(table: Table, resting: Sequence[Resting | None]) -> dict[Ends, Fraction]:
    """The chance of every outcome: floor by floor the mean over its 16 effects of the product over its cubes.

    Cubes are independent given the effects, and a floor's effect matters to the cubes on it only. Written from the
    documentation, not from `move`.
    """
    thrown = resting.count(None)

    def at(entries: Any, index: int) -> Any:
        return entries[min(index, len(entries) - 1)]

    def chances(number: int, effect: int) -> list[int]:
        """Chance times 2^32 of each cube to pass this floor, if it comes to it or lies there."""
        floor = table.floors[number]
        there = [cube for cube in resting if cube and cube.floor == number]
        fresh = sum(cube.age <= FRESH for cube in there)
        arriving = at(floor.arriving_thrown, thrown) + at(floor.arriving_lying, len(there))
        arriving += at(floor.arriving_fresh, fresh) + at(floor.arriving_effect, len(there))[effect]
        lying = at(floor.lying_thrown, thrown) + at(floor.lying_lying, len(there))
        lying += at(floor.lying_effect, len(there))[effect]
        found: list[int] = []
        for cube in resting:
            odds = arriving + (floor.pushed if cube else 0)
            if cube in there:
                odds = lying + at(floor.crowd if cube.in_crowd else floor.age, cube.age)
            entry = at(table.thresholds, abs(odds))
            found.append(entry if odds >= 0 else WORD - entry)
        return found

    last = len(table.floors)
    passing = [[chances(number, effect) for effect in range(EFFECTS)] for number in range(last)]
    starts = [cube.floor if cube else 0 for cube in resting]
    law: dict[Ends, Fraction] = {}
    for ends in product(*([*range(start, last), OUT] for start in starts)):
        chance = Fraction(1)
        for number in range(last):
            here = [i for i, end in enumerate(ends) if starts[i] <= number and (end == OUT or end >= number)]
            ways = (prod(p[i] if ends[i] != number else WORD - p[i] for i in here) for p in passing[number])
            chance *= Fraction(sum(ways), EFFECTS * WORD ** len(here))
        law[ends] = chance
    assert sum(law.values()) == 1
    return law
