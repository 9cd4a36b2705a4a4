"""The dimensions that all towers of two floors have in their drawings."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tower_sim.apparatus.common import mm
from tower_sim.apparatus.dimensions import Angle, Height, Level, Part, Plane, Section, Width, flare
from tower_sim.apparatus.sheets import Opening
from tower_sim.apparatus.tower_parts import SHEET, WALL, Floor, Given


def parts(
    given: Given, around: Sequence[tuple[float, float]], within: tuple[Plane, ...] = (), ramp: tuple[Plane, ...] = ()
) -> dict[str, Part]:
    """Return the look of each part by name; `around` are the sides of the tube (see `flare`).

    The drawing cuts floors off at the planes `within`, and the ramp at `ramp`.
    """
    funnel = flare(around, given.tube.top, given.funnel.height, given.funnel.rim / 2 - given.half, WALL)
    return {
        "tube": Part(),
        "funnel": Part("funnel", 0.97, -1, funnel),
        "upper_floor": Part("upper floor", 0.82, within=within),
        "lower_floor": Part("lower floor", 0.82, within=within),
        "ramp": Part("ramp", 0.82, within=ramp),
        "tray": Part("tray", 0.93),
    }


def section(
    given: Given,
    words: str = "section through the middle",
    at: float = 0.0,
    tube: str = "inside",
    widths: Sequence[Width] = (),
    heights: Sequence[Height] = (),
) -> Section:
    """Return the section along the tower at y = `at` (m); `tube` says how the tube's width is measured."""
    half, outer, tray, rim = given.half, given.half + WALL, given.half + given.tray.length, given.funnel.rim / 2
    top, end, angle = given.tube.top, given.ramp_end, given.ramp.angle
    foot = given.ramp_height(end)
    upper, lower = given.upper_floor, given.lower_floor
    heights = [
        Height(f"exit {mm(given.exit.height)}", foot, given.exit_top, outer),
        *(Height(f"thickness {mm(floor.thickness)}", floor.underside, floor.top, outer) for floor in (upper, lower)),
        Height(f"wall {mm(given.tray.wall)}", SHEET, SHEET + given.tray.wall, tray + WALL),
        *heights,
        Height(f"funnel {mm(given.funnel.height)}", top, given.rim_top, rim, rim + WALL),
    ]
    of_rim = Width(f"funnel rim {mm(given.funnel.rim)}", -rim, rim, given.rim_top, is_above=True)
    levels = (("tube top", top), ("upper floor", upper.top), ("lower floor", lower.top), ("table", 0.0))
    return Section(
        words,
        "y",
        at,
        widths=(
            *([of_rim] if given.funnel.height else []),
            Width(f"tube {tube} {mm(given.tube.inside)}", -half, half),
            Width(f"tray {mm(given.tray.length)}, {mm(given.tray.width)} wide", half, tray),
            *widths,
        ),
        heights=tuple(height for height in heights if height.high > height.low),
        levels=tuple(Level(f"{name} {mm(height)}", height, -outer) for name, height in levels),
        angles=(Angle("ramp", angle, foot - SHEET / math.cos(angle), end, -half - end),),
    )


def plan(
    name: str,
    floor: Floor,
    hole: Opening,
    given: Given,
    at: float,
    beside: Sequence[str] = (),
    words: str = "",
    height: float | None = None,
    ledges: tuple[tuple[Width, ...], tuple[Height, ...]] = ((), ()),
) -> Section:
    """Return the plan of a floor at `height` (m; by default its top), with the dimensions of one opening, `hole`.

    The dimension along y starts from x = `at` (m). One longer than the tube is wide is left out. `beside` names further
    parts, `ledges` are further widths and heights.
    """
    x0, x1, y0, y1 = hole
    across = (Width(mm(x1 - x0), x0, x1),)
    along = (Height(mm(y1 - y0), y0, y1, at, -given.half - WALL, is_left=True),)
    return Section(
        name.replace("_", " ") + words,
        "z",
        floor.top if height is None else height,
        widths=(*(across if x1 - x0 <= given.tube.inside else ()), *ledges[0]),
        heights=(*(along if y1 - y0 <= given.tube.inside else ()), *ledges[1]),
        parts=("tube", name, *beside),
        beside="exit\n→",
    )
