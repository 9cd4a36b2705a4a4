"""The dimensions of a Wallenstein-like tower, for its picture."""

from __future__ import annotations

import math

from tower_sim.apparatus.common import mm
from tower_sim.apparatus.dimensions import Angle, Cut, Dimensions, Height, Label, Level, Part, Section, Width, flaring
from tower_sim.apparatus.wallenstein.profile import SHEET, WALL, Floor, Given


def dimensions(given: Given) -> Dimensions:
    """Return the dimensions of a tower."""
    return Dimensions(
        _parts(given),
        (_section(given),),
        tuple(_plan(name, floor, given) for name, floor in _floors(given).items()),
        cuts=(Cut(((0.0, -1.0, 0.0), 0.0), ("tube", "funnel")),),
        labels=(Label("exit", (given.half + WALL, 0.0, (given.ramp_height(given.half) + given.exit_top) / 2)),),
        said="near half of tube and funnel cut away",
    )


def _floors(given: Given) -> dict[str, Floor]:
    return {"upper_floor": given.upper_floor, "lower_floor": given.lower_floor}


def _parts(given: Given) -> dict[str, Part]:
    sides = given.tube.sides
    around = [(2 * math.pi * i / sides, given.half) for i in range(sides)]
    closed = [side for i, side in enumerate(around) if min(i, sides - i) > given.exit.walls // 2]  # beside the exit
    run = given.funnel.rim / 2 - given.half
    inside = flaring(around, 0.0, 1.0, 0.0)
    return {
        "tube": Part(),
        "funnel": Part("funnel", 0.97, -1, flaring(around, given.tube.top, given.funnel.height, run, WALL)),
        "upper_floor": Part("upper floor", 0.82, within=inside),
        "lower_floor": Part("lower floor", 0.82, within=inside),
        "pillar": Part("pillar", 0.8, -1),
        "ramp": Part("ramp", 0.82, within=flaring(closed, 0.0, 1.0, 0.0)),
        "wing": Part("wings"),
        "tray": Part("tray", 0.93),
    }


def _rim_top(given: Given) -> float:
    return given.tube.top + given.funnel.height


def _section(given: Given) -> Section:
    half, top, rim, tray = given.half, given.tube.top, given.funnel.rim / 2, given.half + given.tray.length
    outer, upper, lower = half + WALL, given.upper_floor, given.lower_floor
    foot = given.ramp_height(outer)
    heights = [
        Height(f"exit {mm(given.exit.height)}", foot, given.exit_top, outer),
        *(Height(f"thickness {mm(it.thickness)}", it.top - it.thickness, it.top, outer) for it in (upper, lower)),
        Height(f"wall {mm(given.tray.wall)}", SHEET, SHEET + given.tray.wall, tray + WALL),
        Height(f"funnel {mm(given.funnel.height)}", top, _rim_top(given), rim, rim + WALL),
    ]
    pillar, width = given.pillar.width, "inside" if given.tube.sides == 4 else f"of {given.tube.sides} sides, inside"
    widths = [
        Width(f"funnel rim {mm(2 * rim)}", -rim, rim, _rim_top(given), is_above=True) if given.funnel.height else None,
        Width(f"tube {width} {mm(2 * half)}", -half, half),
        Width(f"tray {mm(given.tray.length)}, {mm(given.tray.width)} wide", half, tray),
        Width(f"pillar {mm(pillar)}", -pillar / 2, pillar / 2) if pillar else None,
    ]
    levels = (("tube top", top), ("upper floor", upper.top), ("lower floor", lower.top), ("table", 0.0))
    return Section(
        "section through the middle",
        "y",
        0.0,
        widths=tuple(width for width in widths if width),
        heights=tuple(height for height in heights if height.high > height.low),
        levels=tuple(Level(f"{name} {mm(height)}", height, -outer) for name, height in levels),
        angles=(Angle("ramp", given.ramp.angle, foot - SHEET / math.cos(given.ramp.angle), outer, -half - outer),),
    )


def _plan(name: str, floor: Floor, given: Given) -> Section:
    """Return the plan of a floor, with the dimensions of an opening in it."""
    x0, x1, y0, y1 = floor.cut(given.tube.inside)[0]
    is_across, is_along = (x1 - x0 < given.tube.inside, y1 - y0 < given.tube.inside)
    return Section(
        name.replace("_", " "),
        "z",
        floor.top,
        widths=(Width(mm(x1 - x0), x0, x1),) if is_across else (),
        heights=(Height(mm(y1 - y0), y0, y1, -given.half, -given.half - WALL, is_left=True),) if is_along else (),
        parts=("tube", name, "pillar"),
        beside="exit\n→",
    )
