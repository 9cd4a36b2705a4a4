r"""A Wallenstein-like tower: funnel, round or square tube, two floors with a pillar between them, ramp, exit, tray.

         \              /        funnel, or an open top
          |_   __   __ |         upper floor: bars, or square openings
          |     ||     |
          |__   ||   __|         lower floor; the pillar stands on it
          |`-.         |
          |   `-.                             |
          |______`-.__________________________|   ramp, exit, walled tray
        z ^
          +-> x             origin: the table under the middle of the tube

    from above       ______,----------------|
                 ,-'      /  wing           |
                (  tube  (   exit    tray   |
                 `-.______\                 |
                           '----------------|

A round tube is a regular polygon of flat walls, with the middle of one wall at the front. All lengths are parameters.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Literal

from pydantic import Field

from tower_sim.apparatus import tower_parts
from tower_sim.apparatus.common import demand, demand_length, mm
from tower_sim.apparatus.sheets import Opening, space_evenly
from tower_sim.apparatus.tower_parts import SHEET, WALL, demand_openings_fit
from tower_sim.tools import portable
from tower_sim.typed import Document, number


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
