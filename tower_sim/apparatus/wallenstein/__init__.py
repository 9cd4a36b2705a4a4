"""A Wallenstein-like tower: its dimensions, boxes and profile."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Literal

from pydantic import Field

from tower_sim.apparatus import tower_parts
from tower_sim.apparatus.common import demand, demand_length, mm
from tower_sim.apparatus.dimensions import Cut, Dimensions, Label, Part, Section, Width, flare
from tower_sim.apparatus.parts import (
    Box,
    Opening,
    band,
    plank,
    space_evenly,
    span,
    table,
    tilted_about_y,
    turned_about_z,
    turned_by,
)
from tower_sim.apparatus.tower_parts import SHEET, WALL, demand_openings_fit, measure_funnel, parts, plan, section, tray
from tower_sim.documents import Document, number
from tower_sim.tools import portable


def dimensions(given: Given) -> Dimensions:
    """Return what is drawn besides the boxes."""
    return Dimensions(
        _parts(given),
        (_section(given),),
        tuple(
            plan(name, floor, floor.cut(given.tube.inside)[0], given, -given.half, ["pillar"])
            for name, floor in given.floors.items()
        ),
        cuts=(Cut(((0.0, -1.0, 0.0), 0.0), ("tube", "funnel")),),
        labels=(Label("exit", (given.half + WALL, 0.0, (given.ramp_height(given.half) + given.exit_top) / 2)),),
        note="near half of tube and funnel cut away",
    )


def _parts(given: Given) -> dict[str, Part]:
    sides = given.tube.sides
    around = [(2 * math.pi * i / sides, given.half) for i in range(sides)]
    closed = [side for i, side in enumerate(around) if min(i, sides - i) > given.exit.walls // 2]  # no exit there
    of_all = parts(given, around, flare(around, 0.0, 1.0, 0.0), flare(closed, 0.0, 1.0, 0.0))
    return of_all | {"pillar": Part("pillar", 0.8, -1), "wing": Part("wings")}


def _section(given: Given) -> Section:
    pillar, tube = given.pillar.width, "inside" if given.tube.sides == 4 else f"of {given.tube.sides} sides, inside"
    widths = [Width(f"pillar {mm(pillar)}", -pillar / 2, pillar / 2)] if pillar else []
    return section(given, tube=tube, widths=widths)


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


def _floor(part: str, floor: tower_parts.Floor, given: Given) -> Iterator[Box]:
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


class Tube(tower_parts.Tube, frozen=True):
    """The tube, measured between the middles of opposite walls."""

    sides: int = Field(
        ge=4, le=24, description="The number of walls, even. 4 make a square tube, 12 or more a round one."
    )


class Floor(tower_parts.Floor, frozen=True):
    """A floor with evenly spaced openings."""

    pattern: Literal["bars", "squares"] = Field(
        description="`bars`: that many gaps between bars from wall to wall. `squares`: as many rows of square holes as "
        "columns."
    )
    along: Literal["x", "y"] = Field(
        description="The direction of the bars: `x` is towards the exit. It does not matter for squares."
    )

    def cut(self, inside: float) -> list[Opening]:
        """Return the openings (m); gaps between bars extend into the walls."""
        across = space_evenly(self.openings, self.opening, inside)
        if self.pattern == "squares":
            return [(*x, *y) for x in across for y in across]
        long = (-inside, inside)
        return [(*long, *gap) if self.along == "x" else (*gap, *long) for gap in across]


class Pillar(Document, frozen=True):
    """The square pillar between the floors."""

    width: float = number("width_mm", 0, 100, "The edge of the pillar. 0 is none.")


class Exit(tower_parts.Exit, frozen=True):
    """The exit around the front; wings lead from it to the tray's sides."""

    walls: int = Field(
        ge=1, le=11, description="So many of the tube's walls, around the front, end over the ramp's lower edge."
    )
    splay: float = number("splay_deg", 10, 80, "The angle by which the wings are turned outwards.")


class Given(tower_parts.Given, frozen=True):
    """All parameters of a Wallenstein-like tower."""

    tube: Tube
    upper_floor: Floor
    lower_floor: Floor
    exit: Exit
    pillar: Pillar

    @property
    def outward(self) -> tuple[tuple[float, float], ...]:
        """The unit normals (x, y) of the walls, counter-clockwise from the front."""
        return _outward(self.tube.sides)

    @property
    def exit_side(self) -> tuple[float, float]:
        """The point (x, y; m) with y > 0 where the exit ends and a wing begins."""
        angle, corner = math.pi / self.tube.sides * self.exit.walls, self.half / portable.cos(math.pi / self.tube.sides)
        return corner * portable.cos(angle), corner * portable.sin(angle)

    @property
    def opening(self) -> tuple[float, float]:
        """The exit's smallest x in the walls (m), and a bound on |y|: half the tray's width."""
        return self.exit_side[0], self.tray.width / 2

    @property
    def tray_back(self) -> float:
        """The x (m) where the wings meet the tray's sides."""
        x, y = self.exit_side
        return x + (self.tray.width / 2 - y) / portable.tan(self.exit.splay)

    @property
    def ramp_end(self) -> float:
        """The x (m) of the ramp's lower edge: under the front wall's outer face."""
        return self.half + WALL

    def check(self) -> None:
        """Refuse parameters that do not fit together."""
        tube, funnel, ramp, tray, exit_height = self.tube, self.funnel, self.ramp, self.tray, self.exit.height
        upper, lower = self.upper_floor, self.lower_floor
        edge, inside = self.cubes.edge, tube.inside
        passage = math.sqrt(3) * edge  # a cube gets through however it is turned
        demand(
            tube.sides % 2 == 0,
            f"tube.sides is {tube.sides}; allowed is an even number from 4 to 24; take one more or less",
        )
        demand(
            self.exit.walls % 2 == 1 and self.exit.walls < tube.sides / 2,
            f"exit.walls is {self.exit.walls}; allowed is an odd number under half of tube.sides = {tube.sides}; "
            "take 1 for a square tube, 5 for one of 16 sides",
        )
        allowed = "more than cubes.edge_mm = {}, or no cube gets through"
        for name, floor in self.floors.items():
            demand_openings_fit(name, floor, floor.openings, inside)
            demand_length(f"{name}.opening", floor.opening, allowed, edge, "make it wider")
        for key, floor, below, what in (
            ("lower_floor.top", lower, self.ramp_height(-self.half), "top of the ramp"),
            ("upper_floor.top", upper, lower.top, "lower floor"),
        ):
            allowed = f"at least {{}}, room for a cube over the {what}"
            demand_length(key, floor.top, allowed, below + passage, "raise the floor", floor.thickness)
        self.check_top()
        demand(
            funnel.rim >= inside if funnel.height else funnel.rim == inside,
            f"funnel.rim_mm is {mm(funnel.rim)}; allowed is {'at least ' if funnel.height else ''}tube.inside_mm = "
            f"{mm(inside)}{'' if funnel.height else ' for an open top'}; change the rim",
        )
        if self.pillar.width:
            allowed, room = "less than {}, or a cube gets stuck beside it", inside - 2 * passage
            demand_length("pillar.width", self.pillar.width, allowed, room, "make it thinner")
        friction = self.surfaces.cardboard.friction
        least = math.degrees(portable.atan2(friction, 1.0))
        demand(
            portable.tan(ramp.angle) > friction,
            f"ramp.angle_deg is {math.degrees(ramp.angle):g}; allowed is more than {least:.3g}, or "
            f"cubes stay on it at surfaces.cardboard.friction = {friction:g}; make it steeper",
        )
        demand(
            passage < exit_height < lower.underside - SHEET - ramp.lip,
            f"exit.height_mm is {mm(exit_height)}; allowed is more than {mm(passage)}, the height a cube needs, and "
            f"less than {mm(lower.underside - SHEET - ramp.lip)}, what is under the lower floor; change it",
        )
        side = self.exit_side[1]
        demand(
            side > passage / 2,
            f"exit.walls = {self.exit.walls} are {mm(2 * side)} mm wide; allowed is more than {mm(passage)}, or a cube "
            "gets stuck; take more",
        )
        allowed = "at least {}, the exit's and its walls"
        demand_length("tray.width", tray.width, allowed, 2 * (side + WALL), "make it wider")
        allowed, past_wings = "more than {}, past the exit's wings", max(self.tray_back, self.half) + passage
        demand_length("tray.length", tray.length, allowed, past_wings, "make it longer", -self.half)
        self.check_hand_and_tray()


@cache
def _outward(sides: int) -> tuple[tuple[float, float], ...]:
    angles = [2 * math.pi * i / sides for i in range(sides)]
    return tuple((portable.cos(angle), portable.sin(angle)) for angle in angles)


TITLE = "a round or square tower of two floors that differ, a tray"
KIND = tower_parts.kind("wallenstein_tower", TITLE, __name__, Given, boxes, dimensions)
