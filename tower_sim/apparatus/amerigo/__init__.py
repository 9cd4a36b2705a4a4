"""The Amerigo tower: its dimensions, boxes and profile."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from tower_sim.apparatus import tower_parts
from tower_sim.apparatus.common import demand, demand_length, mm
from tower_sim.apparatus.dimensions import Cut, Dimensions, Height, Label, Part, Section, Width, flare
from tower_sim.apparatus.parts import (
    Box,
    Opening,
    between,
    pierced,
    plank,
    space,
    span,
    table,
    tilted_about_x,
    tilted_about_y,
)
from tower_sim.apparatus.tower_parts import (
    SHEET,
    WALL,
    Given,
    demand_openings_fit,
    measure_funnel,
    parts,
    plan,
    section,
    tray,
)
from tower_sim.documents import number
from tower_sim.tools import portable


def dimensions(tower: AmerigoTower) -> Dimensions:
    """Return what is drawn besides the boxes."""
    half, floors = tower.half, tower.floors
    cuts = {name: floor.cut(tower.tube.inside) for name, floor in floors.items()}
    of_parts = _parts(tower)
    return Dimensions(
        of_parts,
        (_section(tower, _place([hole for holes in cuts.values() for hole in holes], half)),),
        tuple(_plan(name, floor, cuts[name][0], tower) for name, floor in floors.items()),
        cuts=(
            # everything but the tray is cut at the near wall's inner face, and the exit's wall in its middle
            Cut(((0.0, -1.0, 0.0), half), tuple(name for name in of_parts if name != "tray")),
            Cut(((0.0, -1.0, 0.0), 0.0), ("tube", "funnel"), ((1.0, 0.0, 0.0), half)),
        ),
        labels=(Label("exit", (half + WALL, 0.0, 0.6 * (SHEET + tower.ramp.lip + tower.exit.height))),),
        note="near walls cut away",
    )


def _parts(tower: AmerigoTower) -> dict[str, Part]:
    around = [(i * math.pi / 2, tower.half) for i in range(4)]
    slant = flare(around, tower.tube.top, tower.funnel.height, tower.funnel.rim / 2 - tower.half)
    of_all = parts(tower, around, ramp=flare(around, 0.0, 1.0, 0.0))
    return of_all | {"rib": Part("ribs", hatch=0, within=slant)}


def _plan(name: str, floor: Floor, hole: Opening, tower: AmerigoTower) -> Section:
    half, (x0, _, y0, _) = tower.half, hole
    widths: tuple[Width, ...] = ()
    heights: tuple[Height, ...] = ()
    if floor.ledge is not None or floor.offset:
        if floor.along == "y" and x0 + half > 1e-9:
            widths = (Width(mm(x0 + half), -half, x0),)
        elif floor.along == "x" and y0 + half > 1e-9:
            heights = (Height(mm(y0 + half), -half, y0, x0, -half - WALL, is_left=True),)
    words = f", bars {math.degrees(floor.slope):.4g}°" if floor.slope else ""
    return plan(
        name, floor, hole, tower, at=x0, words=words, height=floor.peak(tower.tube.inside), ledges=(widths, heights)
    )


def _place(holes: list[Opening], half: float) -> float:
    def edges(y: float) -> int:
        return sum(abs(x) < half - 1e-9 for x0, x1, low, high in holes if low < y < high for x in (x0, x1))

    middles = {round((low + high) / 2, 9) for *_, low, high in holes} | {0.0}
    return max(middles, key=lambda y: (edges(y), -abs(y), -y))


def _section(tower: AmerigoTower, at: float) -> Section:
    top, ribs = tower.tube.top, tower.funnel.rib_height
    of_ribs = Height(f"ribs {mm(ribs)}", top, top + ribs, tower.half + WALL, tower.funnel.rim / 2 + WALL)
    words = "section through the middle" if at == 0 else f"section {-1e3 * at:.4g} mm in front of the middle"
    return section(tower, words, at, heights=(of_ribs,))


def boxes(tower: AmerigoTower) -> Iterator[Box]:
    """Yield all boxes, and the table."""
    half = tower.half
    yield from _tube(tower)
    yield from _funnel(tower)
    for part, floor in tower.floors.items():
        if floor.slope:
            yield from _slope(part, floor, tower.tube.inside)
            continue
        z = (floor.underside, floor.top)
        yield from pierced(part, (half, half), floor.cut(tower.tube.inside), z, "cardboard")
    # the ramp runs through the front wall, so that the exit has no step
    size = (half / portable.cos(tower.ramp.angle), half, SHEET)
    yield plank("ramp", "cardboard", (0.0, 0.0, tower.ramp_height(0.0)), size, about_y=tower.ramp.angle)
    yield from tray(tower, half)
    yield table("cardboard")


def _slope(part: str, floor: Floor, inside: float) -> Iterator[Box]:
    """Yield the tilted bars and ledges of a sloping floor, each falling towards the middle.

    A bar and its tilted thickness fill the space between two openings. A ledge's upper face begins at its wall; its
    thickness continues into the wall, so that no gap stays open.
    """
    half, slope = inside / 2, floor.slope
    leaning = floor.thickness * portable.sin(slope)
    for low, high in between(floor.across(inside), inside):
        is_ledge = low <= -half or high >= half
        down = -1 if high >= half or (low > -half and low + high > 1e-9) else 1
        run = high - low - (0.0 if is_ledge else leaning)
        at = (high if down > 0 else low) - down * run / 2
        z = floor.top + run / 2 * portable.tan(slope)
        across = run / 2 / portable.cos(slope)
        if floor.along == "x":
            size = (half, across, floor.thickness)
            yield plank(part, "cardboard", (0.0, at, z), size, about_x=-down * slope)
        else:
            size = (across, half, floor.thickness)
            yield plank(part, "cardboard", (at, 0.0, z), size, about_y=down * slope)


def _tube(tower: AmerigoTower) -> Iterator[Box]:
    half, top = tower.half, tower.tube.top
    outer = half + WALL
    yield span("tube", (-outer, -half), (-outer, outer), (0, top), "cardboard")
    yield span("tube", (-half, outer), (half, outer), (0, top), "cardboard")
    yield span("tube", (-half, outer), (-outer, -half), (0, top), "cardboard")
    yield span("tube", (half, outer), (-half, half), (tower.exit_top, top), "cardboard")


def _funnel(tower: AmerigoTower) -> Iterator[Box]:
    half, rim, rise = tower.half, tower.funnel.rim / 2, tower.funnel.height
    lean, slant, across, z = measure_funnel(tower)
    flat = (WALL / 2, rim + WALL, slant / 2)
    for sign in (1, -1):
        yield Box("funnel", "funnel", (sign * across, 0, z), flat, tilted_about_y(sign * lean))
        turned = (flat[1], flat[0], flat[2])
        yield Box("funnel", "funnel", (0, sign * across, z), turned, tilted_about_x(-sign * lean))
    if tower.funnel.rib_height > 0:
        thin, bottom = tower.funnel.rib_thickness / 2, tower.tube.top
        reach = half + (rim - half) * tower.funnel.rib_height / rise
        z_range = (bottom, bottom + tower.funnel.rib_height)
        yield span("rib", (-reach, reach), (-thin, thin), z_range, "funnel")
        yield span("rib", (-thin, thin), (-reach, reach), z_range, "funnel")


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


TITLE = "a funnel, a tower of two floors with openings, a tray"
KIND = tower_parts.kind("amerigo_tower", TITLE, __name__, AmerigoTower, boxes, dimensions)
