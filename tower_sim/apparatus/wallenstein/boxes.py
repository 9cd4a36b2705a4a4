"""Build the boxes and regions of a Wallenstein-like tower from its parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from tower_sim.apparatus.parts import Box, Region, span, tilted_about_y, turned_about_z, turned_by
from tower_sim.apparatus.profile import Profile
from tower_sim.apparatus.sheets import band
from tower_sim.apparatus.wallenstein.profile import SHEET, WALL, Floor, Given
from tower_sim.apparatus.wallenstein.tower import RoundTower


def build(given: Given, profile: Profile) -> RoundTower:
    """Build the boxes and regions of the tower of `given`."""
    floors = (Region("upper_floor", given.upper_floor.top), Region("lower_floor", given.lower_floor.top))
    funnel = (Region("funnel", given.tube.top),) if given.funnel.height else ()
    return RoundTower(
        **given.shared,
        boxes=tuple(_boxes(given)),
        swept=given.exit.emerged == "swept",
        regions=(*funnel, *floors, Region("ramp", 0.0)),
        rim_top=given.tube.top + given.funnel.height,
        passed=given.lower_floor.top - given.lower_floor.thickness - math.sqrt(3) / 2 * given.cubes.edge,
        given=given,
    )


def _boxes(given: Given) -> Iterator[Box]:
    yield from _tube(given)
    yield from _funnel(given)
    yield from _floor("upper_floor", given.upper_floor, given)
    yield from _floor("lower_floor", given.lower_floor, given)
    if given.pillar.width:
        thin = given.pillar.width / 2
        high = given.upper_floor.top - given.upper_floor.thickness
        yield span("pillar", (-thin, thin), (-thin, thin), (given.lower_floor.top, high), "cardboard")
    yield from _ramp(given)
    yield from _tray(given)


def _tube(given: Given) -> Iterator[Box]:
    """The walls, those of the exit only over it; a wall reaches past its neighbours' inner faces only outside."""
    sides, half = given.tube.sides, given.half
    wide = (half + WALL) * math.tan(math.pi / sides)
    for i in range(sides):
        is_open = min(i, sides - i) <= given.exit.walls // 2
        low, high = given.exit_top if is_open else 0.0, given.tube.top
        yield _at(given, "tube", "cardboard", i, half + WALL / 2, (low + high) / 2, (WALL / 2, wide, (high - low) / 2))


def _funnel(given: Given) -> Iterator[Box]:
    """Slanted walls, each a box as wide as the rim's side: it passes its neighbours' inner faces only outside."""
    half, rim, rise = given.half, given.funnel.rim / 2, given.funnel.height
    if not rise:
        return
    lean, slant = math.atan2(rim - half, rise), math.hypot(rise, rim - half)
    # middle of the inner face, moved out by half the thickness along the outward normal
    away = (half + rim) / 2 + WALL / 2 * math.cos(lean)
    z = given.tube.top + rise / 2 - WALL / 2 * math.sin(lean)
    size = (WALL / 2, (rim + WALL) * math.tan(math.pi / given.tube.sides), slant / 2)
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
    """Make a box that faces side `i` of the tube, `away` (m) from the axis, leaning outwards by `lean` (rad)."""
    angle = 2 * math.pi * i / given.tube.sides
    turn = turned_by(turned_about_z(angle), tilted_about_y(lean))
    return Box(part, surface, (away * math.cos(angle), away * math.sin(angle), z), half, turn)


def _floor(part: str, floor: Floor, given: Given) -> Iterator[Box]:
    holes = floor.cut(given.tube.inside)
    z = (floor.top - floor.thickness, floor.top)
    for y in _bands(given, [end for hole in holes for end in hole[2:]]):
        yield from band(part, y, _widest(given, y), holes, z, "cardboard")


def _ramp(given: Given) -> Iterator[Box]:
    """Strips side by side, from the back wall out of the exit; beside it to the walls."""
    side, angle = given.exit_side[1], given.ramp.angle
    for low, high in _bands(given, [-side, side]):
        back = _widest(given, (low, high))
        front = given.half + WALL if max(abs(low), abs(high)) <= side + 1e-9 else back
        x, length = (front - back) / 2, (front + back) / math.cos(angle)
        centre = (
            x - SHEET / 2 * math.sin(angle),
            (low + high) / 2,
            given.ramp_height(x) - SHEET / 2 * math.cos(angle),
        )
        yield Box("ramp", "cardboard", centre, (length / 2, (high - low) / 2, SHEET / 2), tilted_about_y(angle))


def _tray(given: Given) -> Iterator[Box]:
    end, width, top = given.half + given.tray.length, given.tray.width / 2, given.tray.wall + SHEET
    (x, y), back = given.exit_side, given.tray_back
    yield span("tray", (-given.half, end + WALL), (-width - WALL, width + WALL), (0, SHEET), "cardboard")
    if given.tray.wall > 0:
        yield span("tray", (end, end + WALL), (-width - WALL, width + WALL), (SHEET, top), "cardboard")
    for sign in (1, -1):
        if given.tray.wall > 0:
            low, high = sorted((sign * width, sign * (width + WALL)))
            yield span("tray", (back, end), (low, high), (SHEET, top), "cardboard")
        # the inner face runs from the exit's side to the tray's
        long, turn = math.hypot(back - x, width - y), sign * given.exit.splay
        middle = (
            (x + back) / 2 - WALL / 2 * math.sin(given.exit.splay),
            sign * ((y + width) / 2 + WALL / 2 * math.cos(given.exit.splay)),
            (SHEET + given.exit_top) / 2,
        )
        half = (long / 2, WALL / 2, (given.exit_top - SHEET) / 2)
        yield Box("wing", "cardboard", middle, half, turned_about_z(turn))
    yield span("table", (-1, 1), (-1, 1), (-0.05, 0), "cardboard")


def _chord(given: Given, y: float, wall: float = 0.0) -> float:
    """Return half the width (m) of the tube along x at `y`; `wall` (m) into its walls."""
    angles = [2 * math.pi * i / given.tube.sides for i in range(given.tube.sides)]
    ahead = [angle for angle in angles if math.cos(angle) > 1e-9]
    return min((given.half + wall - y * math.sin(angle)) / math.cos(angle) for angle in ahead)


def _widest(given: Given, y: tuple[float, float]) -> float:
    """Return half the width (m) of the tube where the band `y` is nearest to its middle."""
    return _chord(given, 0.0 if y[0] < 0 < y[1] else min(map(abs, y)))


def _bands(given: Given, ends: list[float]) -> Iterator[tuple[float, float]]:
    """Divide the tube into bands of y, none across one of `ends`, that fill it and end within its walls."""
    sides = given.tube.sides
    most = given.half / (math.cos(math.pi / sides) if sides % 4 else 1.0)
    for low, high in pairwise(sorted({-most, 0.0, most, *(end for end in ends if -most < end < most)})):
        yield from _parted(given, low, high)


def _parted(given: Given, low: float, high: float) -> Iterator[tuple[float, float]]:
    """Halve a band until a strip that fills the tube there does not come out of its walls."""
    if _widest(given, (low, high)) <= _chord(given, max(abs(low), abs(high)), WALL) - 1e-4:
        yield low, high
        return
    middle = (low + high) / 2
    yield from _parted(given, low, middle)
    yield from _parted(given, middle, high)
