"""Build the boxes of a Wallenstein-like tower from its parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from tower_sim.apparatus.parts import Box, span, table, tilted_about_y, turned_about_z, turned_by
from tower_sim.apparatus.sheets import band, plank
from tower_sim.apparatus.tower_parts import SHEET, WALL, Floor, measure_funnel, tray
from tower_sim.apparatus.wallenstein.profile import Given
from tower_sim.tools import portable


def boxes(given: Given) -> Iterator[Box]:
    """Yield all boxes, and the table."""
    yield from _tube(given)
    yield from _funnel(given)
    for part, floor in given.floors.items():
        yield from _floor(part, floor, given)
    if given.pillar.width:
        thin = given.pillar.width / 2
        z = (given.lower_floor.top, given.upper_floor.underside)
        yield span("pillar", (-thin, thin), (-thin, thin), z, "cardboard")
    yield from _ramp(given)
    floor_and_walls = tray(given, given.tray_back)
    yield from floor_and_walls[:2]
    for sign, side in ((1, floor_and_walls[2:3]), (-1, floor_and_walls[3:])):
        yield from side
        yield _wing(given, sign)
    yield table("cardboard")


def _tube(given: Given) -> Iterator[Box]:
    sides, half = given.tube.sides, given.half
    wide = (half + WALL) * portable.tan(math.pi / sides)
    for i in range(sides):
        is_open = min(i, sides - i) <= given.exit.walls // 2
        low, high = given.exit_top if is_open else 0.0, given.tube.top
        yield _at(given, "tube", "cardboard", i, half + WALL / 2, (low + high) / 2, (WALL / 2, wide, (high - low) / 2))


def _funnel(given: Given) -> Iterator[Box]:
    if not given.funnel.height:
        return
    lean, slant, away, z = measure_funnel(given)
    size = (WALL / 2, (given.funnel.rim / 2 + WALL) * portable.tan(math.pi / given.tube.sides), slant / 2)
    for i in range(given.tube.sides):
        yield _at(given, "funnel", "funnel", i, away, z, size, lean)


def _at(
    given: Given,
    part: str,
    surface: str,
    i: int,
    away: float,
    z: float,
    half: tuple[float, float, float],
    lean: float = 0.0,
) -> Box:
    x, y = given.outward[i]
    turn = turned_by(turned_about_z(2 * math.pi * i / given.tube.sides), tilted_about_y(lean))
    return Box(part, surface, (away * x, away * y, z), half, turn)


def _floor(part: str, floor: Floor, given: Given) -> Iterator[Box]:
    holes = floor.cut(given.tube.inside)
    z = (floor.underside, floor.top)
    for y in _bands(given, [end for hole in holes for end in hole[2:]]):
        yield from band(part, y, _widest(given, y), holes, z, "cardboard")


def _ramp(given: Given) -> Iterator[Box]:
    side, angle = given.exit_side[1], given.ramp.angle
    for low, high in _bands(given, [-side, side]):
        back = _widest(given, (low, high))
        front = given.ramp_end if max(abs(low), abs(high)) <= side + 1e-9 else back
        upper = ((front - back) / 2, (low + high) / 2, given.ramp_height((front - back) / 2))
        size = ((front + back) / portable.cos(angle) / 2, (high - low) / 2, SHEET)
        yield plank("ramp", "cardboard", upper, size, about_y=angle)


def _wing(given: Given, sign: int) -> Box:
    (x, y), back, width, splay = given.exit_side, given.tray_back, given.tray.width / 2, given.exit.splay
    middle = (
        (x + back) / 2 - WALL / 2 * portable.sin(splay),
        sign * ((y + width) / 2 + WALL / 2 * portable.cos(splay)),
        (SHEET + given.exit_top) / 2,
    )
    half = (portable.length((back - x, width - y)) / 2, WALL / 2, (given.exit_top - SHEET) / 2)
    return Box("wing", "cardboard", middle, half, turned_about_z(sign * splay))


def _chord(given: Given, y: float, wall: float = 0.0) -> float:
    return min((given.half + wall - y * sin) / cos for cos, sin in given.outward if cos > 1e-9)


def _widest(given: Given, y: tuple[float, float]) -> float:
    return _chord(given, 0.0 if y[0] < 0 < y[1] else min(map(abs, y)))


def _bands(given: Given, ends: list[float]) -> Iterator[tuple[float, float]]:
    """Yield bands of y (m) that fill the tube and cross none of `ends` (m).

    A band is so narrow that a strip of full length ends within the walls.
    """
    sides = given.tube.sides
    most = given.half / (portable.cos(math.pi / sides) if sides % 4 else 1.0)
    for low, high in pairwise(sorted({-most, 0.0, most, *(end for end in ends if -most < end < most)})):
        yield from _divide(given, low, high)


def _divide(given: Given, low: float, high: float) -> Iterator[tuple[float, float]]:
    if _widest(given, (low, high)) <= _chord(given, max(abs(low), abs(high)), WALL) - 1e-4:
        yield low, high
        return
    middle = (low + high) / 2
    yield from _divide(given, low, middle)
    yield from _divide(given, middle, high)
