"""Calm boxes: upright boxes that contain only allowed places, so that an engine need not check the cubes in them.

Corners are in m. Each box is `SLACK` smaller on every side than it could be, so that rounding changes no answer at its
faces.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tower_sim import portable
from tower_sim.apparatus.parts import HALF_TABLE, Upright
from tower_sim.apparatus.tower_parts import WALL, Given

SLACK = 1e-6
_SKY = 10.0  # m: higher than any hand
_MOST_LEVELS = 12


def upright(x: tuple[float, float], y: tuple[float, float], z: tuple[float, float]) -> Upright:
    """Return a calm box with the given extents (m) along x, y and z, less `SLACK` on every side."""
    return (x[0] + SLACK, y[0] + SLACK, z[0] + SLACK), (x[1] - SLACK, y[1] - SLACK, z[1] - SLACK)


def levels(rise: float, clearance: float) -> list[float]:
    """Return the fractions of a slope's height at which steps under the slope begin, from 0 on.

    `rise` is the height (m) of the slope. Steps are at most `clearance` (m) high, so a cube centre that keeps this
    distance from the slope is over a step. There are at most 12 steps, which may then be higher.
    """
    number = min(max(math.ceil(rise / clearance), 1), _MOST_LEVELS)
    return [i / number for i in range(number)]


def rectangles(outward: Sequence[tuple[float, float]], number: int) -> list[tuple[float, float]]:
    """Return up to `number` rectangles around the origin that together fill most of a polygon, as half edges (x, y).

    `outward` are the unit normals of the polygon's sides. The sides are at distance 1 from the origin and symmetric
    about both axes. One rectangle fills a square.
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
    """Yield calm boxes in the exit and around a tower, where cubes stay until they are cleared away.

    `plans_of_exit` are half edges of rectangles that fit in a tube whose walls' outer faces are at distance 1.
    """
    outer = given.half + WALL
    least, side = given.opening
    for x, y in plans_of_exit:
        if x * outer > least + 2 * SLACK:
            wide = min(y * outer, side)
            yield upright((least, x * outer), (-wide, wide), (0.0, given.exit_top))
    sides, everywhere = len(given.outward), (-HALF_TABLE, HALF_TABLE)
    beside = outer if sides % 4 == 0 else outer / portable.cos(math.pi / sides)  # distance of a wall, or a corner
    yield upright((outer, HALF_TABLE), everywhere, (0.0, given.air_top))
    yield upright((-HALF_TABLE, -outer), everywhere, (0.0, given.exit_top))
    for y in ((beside, HALF_TABLE), (-HALF_TABLE, -beside)):
        yield upright(everywhere, y, (0.0, given.exit_top))


def _covers(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] >= other[0] - SLACK and one[1] >= other[1] - SLACK


def of_tower(given: Given, plans: int, plans_of_exit: int) -> Iterator[Upright]:
    """Yield the calm boxes of a tower.

    `plans` and `plans_of_exit` are the numbers of rectangles that fill the plan of the tube and of the exit. The exit
    needs more of them: cubes keep off the tube's walls but pass the exit's edge.
    """
    yield from _inside(given, rectangles(given.outward, plans))
    if given.exit.emerged != "swept":
        yield from _outside(given, rectangles(given.outward, plans_of_exit))


def _inside(given: Given, plans: Sequence[tuple[float, float]]) -> Iterator[Upright]:
    r"""Yield calm boxes in the tube and the funnel, each open to the sky.

    `plans` are half edges of rectangles in a tube of half width 1. A funnel only widens upwards, so that everything
    above a rectangle inside it is inside too:

        :  |          |  :
        : \|          |/ :
         \ :          : /
          \|          |/
           |          |
    """
    half, run, rise = given.half, given.funnel.rim / 2 - given.half, given.funnel.height
    steps = [(0.0, half)]
    if run > 0:
        clearance = given.cubes.edge / 2 * portable.length((run, rise)) / rise  # horizontal
        steps += [(given.tube.top + part * rise, half + part * run) for part in levels(run, clearance)[1:]]
    for z, width in steps:
        for x, y in plans:
            yield upright((-x * width, x * width), (-y * width, y * width), (z, _SKY))
