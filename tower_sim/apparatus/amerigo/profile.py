r"""The Amerigo tower: funnel with crossed ribs, square tube, two floors with openings, ramp, exit, tray.

            \    +    /      funnel, open at the top; two crossed ribs over the tube
             \   |   /
              |__ __ |       upper floor: cut openings
              |      |
              | __ __|       lower floor: its openings cross those of the upper floor
              |`-.   |
              |   `-.                     |
              |______`-.__________________|   ramp, exit, walled tray
        z ^
          +-> x             origin: the table under the middle of the tube

All lengths are parameters; the profile says which of them are known from the real tower.
"""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field

from tower_sim.apparatus import tower_parts
from tower_sim.apparatus.common import demand, demand_length, mm
from tower_sim.apparatus.sheets import Opening, between, space
from tower_sim.apparatus.tower_parts import Given, demand_openings_fit
from tower_sim.tools import portable
from tower_sim.typed import number


class Funnel(tower_parts.Funnel, frozen=True):
    """The square funnel with two crossed ribs on the tube's top edge."""

    height: float = number("height_mm", 5, 300, "The height of the funnel from the tube's top edge.")
    rib_height: float = number("rib_height_mm", 0, 200, "The height of the ribs from the tube's top edge.")
    rib_thickness: float = number("rib_thickness_mm", 0.5, 10, "The thickness of the ribs.")


class Floor(tower_parts.Floor, frozen=True):
    """A floor with openings.

    The pattern `corners` ignores `openings`, `length_mm` and `along`. The offset shifts openings that are already
    spaced.
    """

    pattern: Literal["slots", "squares", "corners"] = Field(
        description="`slots`: that many slots side by side. `squares`: as many rows of square holes as columns. "
        "`corners`: four square holes in the corners of the tube."
    )
    length: float = number("length_mm", 1, 200, "The length of a slot.")
    along: Literal["x", "y"] = Field(description="The direction of the slots: `x` is towards the exit.")
    ledge: float | None = number(
        "ledge_mm",
        0,
        100,
        "The width that stays closed between a wall and the opening next to it. Left out, openings are evenly spaced.",
        None,
    )
    offset: float = number("offset_mm", -100, 100, "All openings are shifted by so much, across `along`.", 0)
    slope: float = number(
        "slope_deg",
        0,
        45,
        "Bars between slots and ledges along walls are tilted so much about their own long axis, all down towards the "
        "tube's middle. A bar in the middle falls towards +x or +y. `top_mm` is then the height of the lower edges.",
        0,
    )
    rows: int = Field(1, ge=1, le=6, description="The number of slots one behind the other.")
    end_ledge: float | None = number(
        "end_ledge_mm",
        0,
        100,
        "The width that stays closed at the ends of slots in rows. Left out, rows are evenly spaced.",
        None,
    )

    def cut(self, inside: float) -> list[Opening]:
        """Return the openings (m)."""
        half = inside / 2
        if self.pattern == "corners":
            edges = [(-half, -half + self.opening), (half - self.opening, half)]
            return [(*x, *y) for x in edges for y in edges]
        across = self.across(inside)
        if self.pattern == "squares":
            along = space(self.openings, self.opening, inside, self.ledge)
            x, y = (along, across) if self.along == "x" else (across, along)
            return [(*of_x, *of_y) for of_x in x for of_y in y]
        along = [(-self.length / 2, self.length / 2)]
        if self.rows > 1:
            along = space(self.rows, self.length, inside, self.end_ledge)
        return [(*b, *a) if self.along == "x" else (*a, *b) for a in across for b in along]

    def across(self, inside: float) -> list[tuple[float, float]]:
        """Return the ends (m) of the openings across `along`, in a tube `inside` (m) wide."""
        return space(self.openings, self.opening, inside, self.ledge, self.offset)

    def peak(self, inside: float) -> float:
        """Return the height (m) of the highest edge, in a tube `inside` (m) wide."""
        if not self.slope:
            return self.top
        widest = max((high - low for low, high in between(self.across(inside), inside)), default=0.0)
        return self.top + widest * portable.tan(self.slope)


class AmerigoTower(Given, frozen=True):
    """All parameters of an Amerigo tower."""

    funnel: Funnel
    upper_floor: Floor
    lower_floor: Floor

    @property
    def outward(self) -> tuple[tuple[float, float], ...]:
        """The unit normals (x, y) of the walls, counter-clockwise from the front."""
        return (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)

    @property
    def opening(self) -> tuple[float, float]:
        """The exit's place in the walls (m): its smallest x, and its largest |y|."""
        return 0.0, self.half

    def check(self) -> None:
        """Refuse parameters that do not fit together."""
        edge, inside, top, funnel = self.cubes.edge, self.tube.inside, self.tube.top, self.funnel
        upper, lower, exit_height, lip = self.upper_floor, self.lower_floor, self.exit.height, self.ramp.lip
        for name, floor in self.floors.items():
            _check_floor(name, floor, inside)
        widest = max(upper.opening, lower.opening)
        for name, floor in self.floors.items():
            demand(
                min(floor.opening, floor.length if floor.pattern == "slots" else floor.opening) > edge,
                f"cubes.edge_mm is {mm(edge)}; allowed is less than {name}'s opening, {mm(floor.opening)} mm, or no "
                f"cube gets through; make the cubes smaller or {name}.opening_mm larger (the widest opening is "
                f"{mm(widest)})",
            )
        for key, floor, below, what, advice in (
            ("lower_floor.top", lower, self.ramp_height(-inside / 2), "top of the ramp", "raise the floor"),
            ("upper_floor.top", upper, lower.peak(inside), "lower floor", "raise it"),
        ):
            allowed = f"at least {{}}, one cube over the {what}"
            demand_length(key, floor.top, allowed, below + edge, advice, floor.thickness)
        self.check_top()
        demand(
            not upper.slope or upper.peak(inside) < top,
            f"upper_floor.slope_deg = {upper.slope * 180 / math.pi:.6g} takes its bars up to {mm(upper.peak(inside))} "
            f"mm; allowed is less than tube.top_mm = {mm(top)}; lower the floor or the slope",
        )
        demand_length("funnel.rim", funnel.rim, "at least tube.inside_mm = {}", inside, "widen the rim")
        allowed, height = "at most funnel.height_mm = {}", funnel.height
        demand_length("funnel.rib_height", funnel.rib_height, allowed, height, "make the ribs lower")
        if funnel.rib_height:
            gap, advice = (inside - funnel.rib_thickness) / 2, "make the cubes smaller or the tube wider"
            demand_length("cubes.edge", edge, "less than the {} mm between rib and wall", gap, advice)
        allowed = "less than the lower floor's underside over the ramp's lip, {}"
        demand_length("exit.height", exit_height, allowed, lower.underside, "lower the exit", -lip)
        allowed = "more than {}, the height a cube needs to tumble out"
        demand_length("exit.height", exit_height, allowed, math.sqrt(2) * edge, "raise the exit")
        self.check_hand_and_tray()


_TOUCH = 1e-5  # m: lengths of a profile that differ by less count as equal


def _check_floor(name: str, floor: Floor, inside: float) -> None:
    allowed = "less than tube.inside_mm = {}"
    demand_length(f"{name}.opening", floor.opening, allowed, inside, "make the opening narrower")
    demand_openings_fit(name, floor, 2 if floor.pattern == "corners" else floor.openings, inside)
    if floor.pattern == "slots":
        demand_length(f"{name}.length", floor.length, "at most tube.inside_mm = {}", inside, "shorten the slots")
    _check_spacing(name, floor, inside)
    _check_slope(name, floor, inside)


def _check_spacing(name: str, floor: Floor, inside: float) -> None:
    given = {
        "ledge_mm": floor.ledge is not None,
        "offset_mm": bool(floor.offset),
        "slope_deg": bool(floor.slope),
        "rows": floor.rows > 1,
        "end_ledge_mm": floor.end_ledge is not None,
    }
    known = {"slots": tuple(given), "squares": ("ledge_mm", "offset_mm"), "corners": ()}[floor.pattern]
    for key, is_given in given.items():
        demand(
            not is_given or key in known,
            f"{name}.{key} is given with the pattern {floor.pattern!r}; allowed with it is "
            f"{' and '.join(known) or 'none of these fields'}; remove it, or change the pattern",
        )
    if floor.pattern == "corners":
        return
    _check_ledge(f"{name}.ledge", floor.ledge, floor.openings, floor.opening, inside)
    first = floor.across(inside)[0][0] - floor.offset
    demand(
        abs(floor.offset) <= first + inside / 2 + _TOUCH,
        f"{name}.offset_mm is {mm(floor.offset)}; allowed is {mm(-first - inside / 2)} to {mm(first + inside / 2)}, "
        "the width of the ledges; shift the openings less",
    )
    demand(
        floor.rows == 1 or floor.rows * floor.length < inside,
        f"{name}.rows = {floor.rows} of {mm(floor.length)} mm take {mm(floor.rows * floor.length)} mm; allowed is less "
        f"than tube.inside_mm = {mm(inside)}; cut fewer rows or shorter slots",
    )
    _check_ledge(f"{name}.end_ledge", floor.end_ledge, floor.rows, floor.length, inside)


def _check_ledge(key: str, ledge: float | None, number: int, width: float, inside: float) -> None:
    most = (inside - number * width) / 2
    if ledge is not None and number > 1:
        allowed = "less than {}, or no bar is left between the openings"
        demand_length(key, ledge, allowed, most, "make it narrower")
    elif ledge is not None:
        demand(
            abs(ledge - most) <= _TOUCH,
            f"{key}_mm is {mm(ledge)}; allowed is {mm(most)} beside a single opening, which lies in the middle; "
            "leave it out, or cut more openings",
        )


def _check_slope(name: str, floor: Floor, inside: float) -> None:
    if not floor.slope:
        return
    degrees = f"{name}.slope_deg is {floor.slope * 180 / math.pi:.6g}"
    demand(
        floor.rows == 1 and abs(floor.length - inside) <= _TOUCH,
        f"{degrees}; allowed is a slope of bars from wall to wall only: rows = 1 and length_mm = {mm(inside)}; "
        "make the slots that long, or leave the slope out",
    )
    least = floor.thickness * portable.sin(floor.slope)
    narrowest = min(high - low for low, high in between(floor.across(inside), inside))
    demand(
        narrowest > least,
        f"{degrees}; allowed is a slope of bars wider than {mm(least)} mm, what their thickness takes; the narrowest "
        f"is {mm(narrowest)} mm; make the slope less or the bars wider",
    )
