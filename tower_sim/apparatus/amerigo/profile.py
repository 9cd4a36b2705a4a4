r"""The Amerigo tower: funnel with crossed ribs, square tube, two floors with openings, ramp, exit, tray.

            \    +    /      funnel, open at the top; two crossed ribs over the tube
             \   |   /
              |__ __ |       upper floor: cut openings
              |      |
              | __ __|       lower floor: openings crossed to the upper ones
              |`-.   |
              |   `-.                     |
              |______`-.__________________|   ramp, exit, walled tray
        z ^
          +-> x             origin: the table under the middle of the tube

All lengths are parameters; which of them are known of the real tower and which are assumed is said in the profile.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tower_sim.apparatus.common import Cubes, Release, demand, mm, read_surfaces, read_tables
from tower_sim.apparatus.fields import choice, count, number
from tower_sim.apparatus.parts import Surface
from tower_sim.apparatus.sheets import Opening, evenly

SHEET = 2e-3  # thickness of ramp and tray floor, m
WALL = 6e-3  # walls are this thick outwards, where nothing can see it: a fast cube overlaps by under 2 mm


@dataclass(frozen=True, slots=True)
class Tube:
    """The square tube: clear width `inside`, top edge at height `top` over the table."""

    inside: float = number("mm", 20, 200)
    top: float = number("mm", 50, 500)


@dataclass(frozen=True, slots=True)
class Funnel:
    """The square funnel on the tube: clear width `rim` at its top, `height` of its own, two crossed ribs over the tube.

    The ribs are upright sheets, `rib_height` tall, standing on the tube's top edge.
    """

    rim: float = number("mm", 20, 400)
    height: float = number("mm", 5, 300)
    rib_height: float = number("mm", 0, 200)
    rib_thickness: float = number("mm", 0.5, 10)


@dataclass(frozen=True, slots=True)
class Floor:
    """A horizontal floor with openings: its upper surface at height `top` over the table.

    `slots`: `openings` slots, each `opening` wide and `length` long, side by side, running along `along`;
    `squares`: `openings` x `openings` square holes of edge `opening`; `corners`: four square holes of edge `opening` in
    the corners of the tube (`openings`, `length` and `along` then do not matter).
    """

    top: float = number("mm", 5, 500)
    thickness: float = number("mm", 0.5, 20)
    pattern: str = choice("slots", "squares", "corners")
    openings: int = count(1, 6)
    opening: float = number("mm", 1, 200)
    length: float = number("mm", 1, 200)
    along: str = choice("x", "y")

    def cut(self, inside: float) -> list[Opening]:
        """Return the openings (m), evenly spaced over a tube `inside` (m) wide."""
        half = inside / 2
        if self.pattern == "corners":
            edges = [(-half, -half + self.opening), (half - self.opening, half)]
            return [(*x, *y) for x in edges for y in edges]
        across = evenly(self.openings, self.opening, inside)
        if self.pattern == "squares":
            return [(*x, *y) for x in across for y in across]
        along = (-self.length / 2, self.length / 2)
        return [(*along, *a) if self.along == "x" else (*a, *along) for a in across]


@dataclass(frozen=True, slots=True)
class Ramp:
    """The ramp from the back wall down to the exit: at `angle`, its lower edge `lip` over the tray."""

    angle: float = number("deg", 5, 60)
    lip: float = number("mm", 0, 50)


@dataclass(frozen=True, slots=True)
class Exit:
    """The exit in the tube's front wall: `height` of the opening over the ramp's lower edge.

    `emerged` cubes are `swept` away as they come out, as a player would, or `left` lying until the drop is over.
    """

    height: float = number("mm", 5, 200)
    emerged: str = choice("swept", "left")


@dataclass(frozen=True, slots=True)
class Tray:
    """The walled tray in front of the exit: clear `length` and `width`, `wall` height."""

    length: float = number("mm", 20, 500)
    width: float = number("mm", 20, 500)
    wall: float = number("mm", 0, 100)


@dataclass(frozen=True, slots=True)
class AmerigoTower:
    """All parameters of a tower of the Amerigo kind; each part is one table of the profile.

    `surfaces` are the pairs that can meet: a `cube` with another, with the `cardboard` (tube, floors, ramp, tray), with
    the `funnel`.
    """

    cubes: Cubes
    tube: Tube
    funnel: Funnel
    upper_floor: Floor
    lower_floor: Floor
    ramp: Ramp
    exit: Exit
    tray: Tray
    surfaces: dict[str, Surface]
    release: Release


_TABLES: dict[str, type] = {
    "cubes": Cubes,
    "tube": Tube,
    "funnel": Funnel,
    "upper_floor": Floor,
    "lower_floor": Floor,
    "ramp": Ramp,
    "exit": Exit,
    "tray": Tray,
    "release": Release,
}


def read(tables: Mapping[str, object]) -> AmerigoTower:
    """Read the tables of a profile of kind `amerigo_tower`; raises UsageError, in one line, for what makes no sense."""
    parts = read_tables(tables, _TABLES, ["surfaces"])
    tower = AmerigoTower(surfaces=read_surfaces(tables, ("cube", "cardboard", "funnel")), **parts)
    _check(tower)
    return tower


def _check(tower: AmerigoTower) -> None:
    """Refuse parameters that are each allowed but make no tower together."""
    edge, inside = tower.cubes.edge, tower.tube.inside
    for name, floor in (("upper_floor", tower.upper_floor), ("lower_floor", tower.lower_floor)):
        _check_floor(name, floor, inside)
    widest = max(tower.upper_floor.opening, tower.lower_floor.opening)
    for name, floor in (("upper_floor", tower.upper_floor), ("lower_floor", tower.lower_floor)):
        demand(
            min(floor.opening, floor.length if floor.pattern == "slots" else floor.opening) > edge,
            f"cubes.edge_mm = {mm(edge)}; allowed is less than {name}'s opening, {mm(floor.opening)} mm, or no cube "
            f"gets through; make the cubes smaller or {name}.opening_mm larger (the widest opening is {mm(widest)})",
        )
    ramp_top = ramp_height(tower, -inside / 2)
    demand(
        tower.lower_floor.top - tower.lower_floor.thickness >= ramp_top + edge,
        f"lower_floor.top_mm = {mm(tower.lower_floor.top)}; allowed is at least "
        f"{mm(ramp_top + edge + tower.lower_floor.thickness)}, one cube over the top of the ramp; raise the floor",
    )
    demand(
        tower.upper_floor.top - tower.upper_floor.thickness >= tower.lower_floor.top + edge,
        f"upper_floor.top_mm = {mm(tower.upper_floor.top)}; allowed is at least "
        f"{mm(tower.lower_floor.top + edge + tower.upper_floor.thickness)}, one cube over the lower floor; raise it",
    )
    demand(
        tower.upper_floor.top < tower.tube.top,
        f"upper_floor.top_mm = {mm(tower.upper_floor.top)}; allowed is less than tube.top_mm = {mm(tower.tube.top)}; "
        "lower the floor or make the tube taller",
    )
    demand(
        tower.funnel.rim >= inside,
        f"funnel.rim_mm = {mm(tower.funnel.rim)}; allowed is at least tube.inside_mm = {mm(inside)}; widen the rim",
    )
    demand(
        tower.funnel.rib_height <= tower.funnel.height,
        f"funnel.rib_height_mm = {mm(tower.funnel.rib_height)}; allowed is at most funnel.height_mm = "
        f"{mm(tower.funnel.height)}; make the ribs lower",
    )
    gap = (inside - tower.funnel.rib_thickness) / 2
    demand(
        tower.funnel.rib_height == 0 or gap > edge,
        f"cubes.edge_mm = {mm(edge)}; allowed is less than the {mm(gap)} mm between rib and wall; "
        "make the cubes smaller or the tube wider",
    )
    demand(
        tower.ramp.lip + tower.exit.height < tower.lower_floor.top - tower.lower_floor.thickness,
        f"exit.height_mm = {mm(tower.exit.height)}; allowed is less than the lower floor's underside over the ramp's "
        f"lip, {mm(tower.lower_floor.top - tower.lower_floor.thickness - tower.ramp.lip)}; lower the exit",
    )
    demand(
        tower.exit.height > math.sqrt(2) * edge,
        f"exit.height_mm = {mm(tower.exit.height)}; allowed is more than {mm(math.sqrt(2) * edge)}, the height a "
        "cube needs to tumble out; raise the exit",
    )
    demand(
        tower.release.spread <= tower.funnel.rim,
        f"release.spread_mm = {mm(tower.release.spread)}; allowed is at most funnel.rim_mm = {mm(tower.funnel.rim)}; "
        "hold the hand closer",
    )


def _check_floor(name: str, floor: Floor, inside: float) -> None:
    demand(
        floor.opening < inside,
        f"{name}.opening_mm = {mm(floor.opening)}; allowed is less than tube.inside_mm = {mm(inside)}; "
        "make the opening narrower",
    )
    taken = {"slots": floor.openings, "squares": floor.openings, "corners": 2}[floor.pattern] * floor.opening
    demand(
        taken < inside,
        f"{name}.openings = {floor.openings} of {mm(floor.opening)} mm take {mm(taken)} mm; allowed is less than "
        f"tube.inside_mm = {mm(inside)}; cut fewer or narrower openings",
    )
    demand(
        floor.pattern != "slots" or floor.length <= inside,
        f"{name}.length_mm = {mm(floor.length)}; allowed is at most tube.inside_mm = {mm(inside)}; shorten the slots",
    )


def ramp_height(tower: AmerigoTower, x: float) -> float:
    """Height (m) of the ramp's surface at `x`; its lower edge lies in the tube's front wall."""
    return SHEET + tower.ramp.lip + math.tan(tower.ramp.angle) * (tower.tube.inside / 2 - x)
