r"""A tower like that of Wallenstein: funnel, round or square tube, two floors, a pillar between them, ramp, exit, tray.

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

A round tube is a regular polygon of flat walls, the middle of one of them at the front. All lengths are parameters;
which of them are known of a real tower is said in the profile.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tower_sim.apparatus.common import Cubes, Release, demand, mm
from tower_sim.apparatus.fields import choice, count, number
from tower_sim.apparatus.profile import Profile
from tower_sim.apparatus.sheets import Opening, evenly

SHEET = 2e-3  # thickness of ramp and tray floor, m
WALL = 6e-3  # walls are this thick outwards, where no cube can be


@dataclass(frozen=True, slots=True)
class Tube:
    """The tube: `sides` flat walls, `inside` the clear width from wall to wall, top edge at height `top`.

    4 sides make a square tube, 12 or more a round one. Their number is even.
    """

    sides: int = count(4, 24)
    inside: float = number("mm", 20, 200)
    top: float = number("mm", 50, 500)


@dataclass(frozen=True, slots=True)
class Funnel:
    """The funnel on the tube, of as many walls: clear width `rim` at its top, `height` of its own; 0 is an open top."""

    rim: float = number("mm", 20, 400)
    height: float = number("mm", 0, 300)


@dataclass(frozen=True, slots=True)
class Floor:
    """A horizontal floor with openings: its upper surface at height `top` over the table.

    `bars`: `openings` gaps, each `opening` wide, from wall to wall, running along `along`, between bars; `squares`:
    `openings` x `openings` square holes of edge `opening` (`along` then does not matter). Both evenly spaced.
    """

    top: float = number("mm", 5, 500)
    thickness: float = number("mm", 0.5, 20)
    pattern: str = choice("bars", "squares")
    openings: int = count(1, 6)
    opening: float = number("mm", 1, 200)
    along: str = choice("x", "y")

    def cut(self, inside: float) -> list[Opening]:
        """Return the openings (m) in a tube `inside` (m) wide; those of bars reach into the walls."""
        across = evenly(self.openings, self.opening, inside)
        if self.pattern == "squares":
            return [(*x, *y) for x in across for y in across]
        long = (-inside, inside)
        return [(*long, *gap) if self.along == "x" else (*gap, *long) for gap in across]


@dataclass(frozen=True, slots=True)
class Pillar:
    """The square pillar of edge `width` in the middle between the floors; 0 is none."""

    width: float = number("mm", 0, 100)


@dataclass(frozen=True, slots=True)
class Ramp:
    """The ramp from the back wall down and out of the exit: at `angle`, its lower edge `lip` over the tray."""

    angle: float = number("deg", 5, 60)
    lip: float = number("mm", 0, 50)


@dataclass(frozen=True, slots=True)
class Exit:
    """The exit: `walls` of the tube's walls, around the front, end `height` over the ramp's lower edge.

    From its sides wings as high lead to the tray's, turned outwards by `splay`. `emerged` cubes are `swept` away as
    they come out, as a player would, or `left` lying until the drop is over.
    """

    walls: int = count(1, 11)
    height: float = number("mm", 5, 200)
    splay: float = number("deg", 10, 80)
    emerged: str = choice("swept", "left")


@dataclass(frozen=True, slots=True)
class Tray:
    """The walled tray: clear `length` before the tube's front and `width`, `wall` height."""

    length: float = number("mm", 20, 500)
    width: float = number("mm", 20, 500)
    wall: float = number("mm", 0, 100)


@dataclass(frozen=True, slots=True)
class Given:
    """All parameters of a Wallenstein-like tower; each part is one table of the profile."""

    cubes: Cubes
    tube: Tube
    funnel: Funnel
    upper_floor: Floor
    lower_floor: Floor
    pillar: Pillar
    ramp: Ramp
    exit: Exit
    tray: Tray
    release: Release
    shared: dict[str, Any]

    @property
    def half(self) -> float:
        """Half the clear width (m) of the tube."""
        return self.tube.inside / 2

    @property
    def exit_side(self) -> tuple[float, float]:
        """Where (x, y; m) the exit ends and a wing begins, on the side of y > 0."""
        angle, corner = math.pi / self.tube.sides * self.exit.walls, self.half / math.cos(math.pi / self.tube.sides)
        return corner * math.cos(angle), corner * math.sin(angle)

    @property
    def exit_top(self) -> float:
        """Height (m) of the exit's upper edge."""
        return SHEET + self.ramp.lip + self.exit.height

    @property
    def tray_back(self) -> float:
        """Where (x, m) the wings meet the sides of the tray."""
        x, y = self.exit_side
        return x + (self.tray.width / 2 - y) / math.tan(self.exit.splay)

    def ramp_height(self, x: float) -> float:
        """Height (m) of the ramp's surface at `x`; its lower edge is under the front wall's outer face."""
        return SHEET + self.ramp.lip + math.tan(self.ramp.angle) * (self.half + WALL - x)


_PARTS: dict[str, type] = {
    "tube": Tube,
    "funnel": Funnel,
    "upper_floor": Floor,
    "lower_floor": Floor,
    "pillar": Pillar,
    "ramp": Ramp,
    "exit": Exit,
    "tray": Tray,
}


def read(profile: Profile) -> Given:
    """Read a profile of this kind; raises UsageError, in one line, for what makes no sense."""
    parts, shared = profile.read(_PARTS, ("cardboard", "funnel"))
    given = Given(**parts, shared=shared)
    _check(given)
    return given


def _check(given: Given) -> None:
    """Refuse parameters that are each allowed but make no tower together."""
    tube, funnel, ramp, tray = given.tube, given.funnel, given.ramp, given.tray
    edge, inside = given.cubes.edge, tube.inside
    passage = math.sqrt(3) * edge  # a cube gets through however it is turned
    demand(
        tube.sides % 2 == 0,
        f"tube.sides = {tube.sides}; allowed is an even number from 4 to 24; take one more or less",
    )
    demand(
        given.exit.walls % 2 == 1 and given.exit.walls < tube.sides / 2,
        f"exit.walls = {given.exit.walls}; allowed is an odd number under half of tube.sides = {tube.sides}; "
        "take 1 for a square tube, 5 for one of 16 sides",
    )
    for name, floor in (("upper_floor", given.upper_floor), ("lower_floor", given.lower_floor)):
        taken = floor.openings * floor.opening
        demand(
            taken < inside,
            f"{name}.openings = {floor.openings} of {mm(floor.opening)} mm take {mm(taken)} mm; allowed is less than "
            f"tube.inside_mm = {mm(inside)}; cut fewer or narrower openings",
        )
        demand(
            floor.opening > edge,
            f"{name}.opening_mm = {mm(floor.opening)}; allowed is more than cubes.edge_mm = {mm(edge)}, or no cube "
            "gets through; make it wider",
        )
    for name, floor, below, what in (
        ("lower_floor", given.lower_floor, given.ramp_height(-given.half), "the top of the ramp"),
        ("upper_floor", given.upper_floor, given.lower_floor.top, "the lower floor"),
    ):
        demand(
            floor.top - floor.thickness >= below + passage,
            f"{name}.top_mm = {mm(floor.top)}; allowed is at least {mm(below + passage + floor.thickness)}, room for a "
            f"cube over {what}; raise the floor",
        )
    demand(
        given.upper_floor.top < tube.top,
        f"upper_floor.top_mm = {mm(given.upper_floor.top)}; allowed is less than tube.top_mm = {mm(tube.top)}; "
        "lower the floor or make the tube taller",
    )
    demand(
        funnel.rim >= inside if funnel.height else funnel.rim == inside,
        f"funnel.rim_mm = {mm(funnel.rim)}; allowed is {'at least ' if funnel.height else ''}tube.inside_mm = "
        f"{mm(inside)}{'' if funnel.height else ' for an open top'}; change the rim",
    )
    between = (inside - given.pillar.width) / 2
    demand(
        given.pillar.width == 0 or between > passage,
        f"pillar.width_mm = {mm(given.pillar.width)}; allowed is less than {mm(inside - 2 * passage)}, or a cube gets "
        "stuck beside it; make it thinner",
    )
    friction = given.shared["surfaces"]["cardboard"].friction
    demand(
        math.tan(ramp.angle) > friction,
        f"ramp.angle_deg = {math.degrees(ramp.angle):g}; allowed is more than {math.degrees(math.atan(friction)):.3g}, "
        f"or cubes stay on it at surfaces.cardboard.friction = {friction:g}; make it steeper",
    )
    demand(
        passage < given.exit.height < given.lower_floor.top - given.lower_floor.thickness - SHEET - ramp.lip,
        f"exit.height_mm = {mm(given.exit.height)}; allowed is more than {mm(passage)}, the height a cube needs, and "
        f"less than {mm(given.lower_floor.top - given.lower_floor.thickness - SHEET - ramp.lip)}, what is under the "
        "lower floor; change it",
    )
    side = given.exit_side[1]
    demand(
        side > passage / 2,
        f"exit.walls = {given.exit.walls} are {mm(2 * side)} mm wide; allowed is more than {mm(passage)}, or a cube "
        "gets stuck; take more",
    )
    demand(
        tray.width / 2 >= side + WALL,
        f"tray.width_mm = {mm(tray.width)}; allowed is at least {mm(2 * (side + WALL))}, the exit's and its walls; "
        "make it wider",
    )
    demand(
        given.half + tray.length > max(given.tray_back, given.half) + passage,
        f"tray.length_mm = {mm(tray.length)}; allowed is more than "
        f"{mm(max(given.tray_back - given.half, 0.0) + passage)}, past the exit's wings; make it longer",
    )
    demand(
        given.release.spread <= funnel.rim,
        f"release.spread_mm = {mm(given.release.spread)}; allowed is at most funnel.rim_mm = {mm(funnel.rim)}; "
        "hold the hand closer",
    )
