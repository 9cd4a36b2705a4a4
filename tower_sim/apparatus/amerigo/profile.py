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
from dataclasses import dataclass

from tower_sim.apparatus import tower_parts
from tower_sim.apparatus.common import demand, mm
from tower_sim.apparatus.fields import choice, number
from tower_sim.apparatus.profile import Profile
from tower_sim.apparatus.sheets import Opening, evenly
from tower_sim.apparatus.tower_parts import (
    Given,
    Ramp,
    Tray,
    demand_floor_in_tube,
    demand_hand_over_rim,
    demand_openings_fit,
)


@dataclass(frozen=True, slots=True)
class Tube(tower_parts.Tube):
    """The square tube: clear width `inside`, top edge at height `top` over the table."""

    inside: float = number("mm", 20, 200)
    top: float = number("mm", 50, 500)


@dataclass(frozen=True, slots=True)
class Funnel(tower_parts.Funnel):
    """The square funnel on the tube, and two crossed ribs over the tube.

    The ribs are upright sheets, `rib_height` tall, standing on the tube's top edge.
    """

    height: float = number("mm", 5, 300)
    rib_height: float = number("mm", 0, 200)
    rib_thickness: float = number("mm", 0.5, 10)


@dataclass(frozen=True, slots=True)
class Floor(tower_parts.Floor):
    """A horizontal floor with openings.

    `slots`: `openings` slots, each `opening` wide and `length` long, side by side, running along `along`;
    `squares`: `openings` x `openings` square holes of edge `opening`; `corners`: four square holes of edge `opening` in
    the corners of the tube (`openings`, `length` and `along` then do not matter).
    """

    pattern: str = choice("slots", "squares", "corners")
    length: float = number("mm", 1, 200)
    along: str = choice("x", "y")

    def cut(self, inside: float) -> list[Opening]:
        """Return the openings (m), evenly spaced."""
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
class Exit(tower_parts.Exit):
    """The exit in the tube's front wall."""

    height: float = number("mm", 5, 200)
    emerged: str = choice("swept", "left")


@dataclass(frozen=True, slots=True)
class AmerigoTower(Given):
    """All parameters of a tower of the Amerigo kind; each part is one table of the profile."""

    funnel: Funnel
    upper_floor: Floor
    lower_floor: Floor


_PARTS: dict[str, type] = {
    "tube": Tube,
    "funnel": Funnel,
    "upper_floor": Floor,
    "lower_floor": Floor,
    "ramp": Ramp,
    "exit": Exit,
    "tray": Tray,
}


def read(profile: Profile) -> AmerigoTower:
    """Read a profile of this kind; raises UsageError, in one line, for what makes no sense.

    The surfaces that cubes meet are the `cardboard` (tube, floors, ramp, tray) and the `funnel`.
    """
    parts, shared = profile.read(_PARTS, ("cardboard", "funnel"))
    tower = AmerigoTower(**parts, shared=shared)
    _check(tower)
    return tower


def _check(tower: AmerigoTower) -> None:
    """Refuse parameters that are each allowed but make no tower together."""
    edge, inside, funnel = tower.cubes.edge, tower.tube.inside, tower.funnel
    upper, lower, exit_height = tower.upper_floor, tower.lower_floor, tower.exit.height
    floors = (("upper_floor", upper), ("lower_floor", lower))
    for name, floor in floors:
        _check_floor(name, floor, inside)
    widest = max(upper.opening, lower.opening)
    for name, floor in floors:
        demand(
            min(floor.opening, floor.length if floor.pattern == "slots" else floor.opening) > edge,
            f"cubes.edge_mm = {mm(edge)}; allowed is less than {name}'s opening, {mm(floor.opening)} mm, or no cube "
            f"gets through; make the cubes smaller or {name}.opening_mm larger (the widest opening is {mm(widest)})",
        )
    ramp_top = tower.ramp_height(-inside / 2)
    demand(
        lower.underside >= ramp_top + edge,
        f"lower_floor.top_mm = {mm(lower.top)}; allowed is at least {mm(ramp_top + edge + lower.thickness)}, one cube "
        "over the top of the ramp; raise the floor",
    )
    demand(
        upper.underside >= lower.top + edge,
        f"upper_floor.top_mm = {mm(upper.top)}; allowed is at least {mm(lower.top + edge + upper.thickness)}, one cube "
        "over the lower floor; raise it",
    )
    demand_floor_in_tube(tower)
    demand(
        funnel.rim >= inside,
        f"funnel.rim_mm = {mm(funnel.rim)}; allowed is at least tube.inside_mm = {mm(inside)}; widen the rim",
    )
    demand(
        funnel.rib_height <= funnel.height,
        f"funnel.rib_height_mm = {mm(funnel.rib_height)}; allowed is at most funnel.height_mm = {mm(funnel.height)}; "
        "make the ribs lower",
    )
    gap = (inside - funnel.rib_thickness) / 2
    demand(
        funnel.rib_height == 0 or gap > edge,
        f"cubes.edge_mm = {mm(edge)}; allowed is less than the {mm(gap)} mm between rib and wall; "
        "make the cubes smaller or the tube wider",
    )
    demand(
        tower.ramp.lip + exit_height < lower.underside,
        f"exit.height_mm = {mm(exit_height)}; allowed is less than the lower floor's underside over the ramp's "
        f"lip, {mm(lower.underside - tower.ramp.lip)}; lower the exit",
    )
    demand(
        exit_height > math.sqrt(2) * edge,
        f"exit.height_mm = {mm(exit_height)}; allowed is more than {mm(math.sqrt(2) * edge)}, the height a "
        "cube needs to tumble out; raise the exit",
    )
    demand_hand_over_rim(tower)


def _check_floor(name: str, floor: Floor, inside: float) -> None:
    demand(
        floor.opening < inside,
        f"{name}.opening_mm = {mm(floor.opening)}; allowed is less than tube.inside_mm = {mm(inside)}; "
        "make the opening narrower",
    )
    demand_openings_fit(name, floor, 2 if floor.pattern == "corners" else floor.openings, inside)
    demand(
        floor.pattern != "slots" or floor.length <= inside,
        f"{name}.length_mm = {mm(floor.length)}; allowed is at most tube.inside_mm = {mm(inside)}; shorten the slots",
    )
