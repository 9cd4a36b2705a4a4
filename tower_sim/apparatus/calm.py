"""Calm boxes: upright boxes in which a cube is surely where it may stay, so that an engine need not ask.

Corners are in m. Each box ends `SLACK` short of where it might: what is told at its faces is told beyond rounding.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tower_sim import portable
from tower_sim.apparatus.parts import HALF_TABLE, Upright
from tower_sim.apparatus.tower_parts import WALL, Given

SLACK = 1e-6
_SKY = 10.0  # m: over every hand
_MOST_LEVELS = 12


def upright(x: tuple[float, float], y: tuple[float, float], z: tuple[float, float]) -> Upright:
    """Make a calm box from its extents (m) along x, y and z."""
    return (x[0] + SLACK, y[0] + SLACK, z[0] + SLACK), (x[1] - SLACK, y[1] - SLACK, z[1] - SLACK)


def levels(rise: float, clearance: float) -> list[float]:
    """Return parts of 1, from 0 on, at which steps under a slope of height `rise` begin (m).

    Each is at most `clearance` high, so that a cube which keeps it from the slope is over a step; no more than 12.
    """
    number = min(max(math.ceil(rise / clearance), 1), _MOST_LEVELS)
    return [i / number for i in range(number)]


def rectangles(outward: Sequence[tuple[float, float]], number: int) -> list[tuple[float, float]]:
    """Return half edges of up to `number` rectangles around 0 that fill most of a polygon, from its unit normals.

    The polygon's sides are at distance 1 from 0 and mirrored in x and in y; a square is filled by one rectangle.
    """
    found: list[tuple[float, float]] = []
    for i in range(1, number + 1):
        angle = math.pi / 2 * i / (number + 1)
        x, y = portable.cos(angle), portable.sin(angle)
        most = max(abs(x * a) + abs(y * b) for a, b in outward)
        found.append((x / most, y / most))
    found.sort(key=lambda half: -half[0] * half[1])
    return [half for i, half in enumerate(found) if not any(_covers(larger, half) for larger in found[:i])]


def _outside(given: Given, plans_of_exit: Sequence[tuple[float, float]]) -> Iterator[Upright]:
    """Yield calm boxes of the exit and of the room around a tower, where cubes stay until they are cleared away.

    `plans_of_exit` are half edges of rectangles within the walls' outer faces, in a tube of which these are at 1.
    """
    outer = given.half + WALL
    least, side = given.opening
    for x, y in plans_of_exit:
        if x * outer > least + 2 * SLACK:
            wide = min(y * outer, side)
            yield upright((least, x * outer), (-wide, wide), (0.0, given.exit_top))
    sides, everywhere = len(given.outward), (-HALF_TABLE, HALF_TABLE)
    beside = outer if sides % 4 == 0 else outer / portable.cos(math.pi / sides)  # a wall's distance, or a corner's
    yield upright((outer, HALF_TABLE), everywhere, (0.0, given.air_top))
    yield upright((-HALF_TABLE, -outer), everywhere, (0.0, given.exit_top))
    for y in ((beside, HALF_TABLE), (-HALF_TABLE, -beside)):
        yield upright(everywhere, y, (0.0, given.exit_top))


def _covers(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] >= other[0] - SLACK and one[1] >= other[1] - SLACK


def of_tower(given: Given, plans: int, plans_of_exit: int) -> Iterator[Upright]:
    """Yield the calm boxes of a tower; the numbers say how many rectangles stand for its plan, in tube and exit.

    Cubes keep off the tube's walls, but pass the exit's edge, which is worth more rectangles.
    """
    yield from _inside(given, rectangles(given.outward, plans))
    if given.exit.emerged != "swept":
        yield from _outside(given, rectangles(given.outward, plans_of_exit))


def _inside(given: Given, plans: Sequence[tuple[float, float]]) -> Iterator[Upright]:
    r"""Yield calm boxes of tube and funnel, each up into the air; `plans` are half edges in a tube of half width 1.

    :  |          |  :      a funnel only gets wider: what is over a part of its plan at one height
    : \|          |/ :      is over it at every greater one
     \ :          : /
      \|          |/
       |          |
    """
    half, run, rise = given.half, given.funnel.rim / 2 - given.half, given.funnel.height
    steps = [(0.0, half)]
    if run > 0:
        clearance = given.cubes.edge / 2 * portable.length((run, rise)) / rise  # of a centre, level, from the slope
        steps += [(given.tube.top + part * rise, half + part * run) for part in levels(run, clearance)[1:]]
    for z, width in steps:
        for x, y in plans:
            yield upright((-x * width, x * width), (-y * width, y * width), (z, _SKY))
