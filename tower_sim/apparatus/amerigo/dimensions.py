"""The dimensions of an Amerigo tower, for its picture."""

from __future__ import annotations

import math

from tower_sim.apparatus.amerigo.profile import SHEET, WALL, AmerigoTower, Floor, ramp_height
from tower_sim.apparatus.common import mm
from tower_sim.apparatus.dimensions import (
    Angle,
    Cut,
    Dimensions,
    Height,
    Label,
    Level,
    Part,
    Section,
    Width,
    flaring,
)
from tower_sim.apparatus.sheets import Opening


def dimensions(tower: AmerigoTower) -> Dimensions:
    """Return the dimensions of a tower."""
    half, outer = tower.tube.inside / 2, tower.tube.inside / 2 + WALL
    floors = {"upper_floor": tower.upper_floor, "lower_floor": tower.lower_floor}
    return Dimensions(
        _parts(tower),
        (_section(tower, _place([hole for floor in floors.values() for hole in floor.cut(2 * half)], half)),),
        tuple(_plan(name, floor, floor.cut(2 * half)[0], outer) for name, floor in floors.items()),
        cuts=(
            # to the inside of the near wall, the tray left out, and to the middle of the wall with the exit
            Cut(((0.0, -1.0, 0.0), half), tuple(name for name in _parts(tower) if name != "tray")),
            Cut(((0.0, -1.0, 0.0), 0.0), ("tube", "funnel"), ((1.0, 0.0, 0.0), half)),
        ),
        labels=(Label("exit", (outer, 0.0, 0.6 * (SHEET + tower.ramp.lip + tower.exit.height))),),
        said="near walls cut away",
    )


def _parts(tower: AmerigoTower) -> dict[str, Part]:
    half, top, funnel = tower.tube.inside / 2, tower.tube.top, tower.funnel
    around = [(i * math.pi / 2, half) for i in range(4)]
    slant = (around, top, funnel.height, funnel.rim / 2 - half)
    return {
        "tube": Part(),
        "funnel": Part("funnel", 0.97, -1, flaring(*slant, WALL)),
        "rib": Part("ribs", hatch=0, within=flaring(*slant)),
        "upper_floor": Part("upper floor", 0.82),
        "lower_floor": Part("lower floor", 0.82),
        "ramp": Part("ramp", 0.82, within=flaring(around, 0.0, 1.0, 0.0)),
        "tray": Part("tray", 0.93),
    }


def _place(holes: list[Opening], half: float) -> float:
    """Return the y (m) of the section that cuts most edges of openings; among equals the one nearest the middle."""

    def edges(y: float) -> int:
        return sum(abs(x) < half - 1e-9 for x0, x1, low, high in holes if low < y < high for x in (x0, x1))

    middles = {round((low + high) / 2, 9) for *_, low, high in holes} | {0.0}
    return max(middles, key=lambda y: (edges(y), -abs(y), -y))


def _section(tower: AmerigoTower, at: float) -> Section:
    half, rim, top = tower.tube.inside / 2, tower.funnel.rim / 2, tower.tube.top
    outer, tray, rim_top = half + WALL, half + tower.tray.length, top + tower.funnel.height
    upper, lower, ramp, foot = tower.upper_floor, tower.lower_floor, tower.ramp, ramp_height(tower, half)
    heights = [
        Height(f"exit {mm(tower.exit.height)}", foot, foot + tower.exit.height, outer),
        *(Height(f"thickness {mm(it.thickness)}", it.top - it.thickness, it.top, outer) for it in (upper, lower)),
        Height(f"wall {mm(tower.tray.wall)}", SHEET, SHEET + tower.tray.wall, tray + WALL),
        Height(f"ribs {mm(tower.funnel.rib_height)}", top, top + tower.funnel.rib_height, outer, rim + WALL),
        Height(f"funnel {mm(tower.funnel.height)}", top, rim_top, rim, rim + WALL),
    ]
    return Section(
        "section through the middle" if at == 0 else f"section {-1e3 * at:.4g} mm in front of the middle",
        "y",
        at,
        widths=(
            Width(f"funnel rim {mm(tower.funnel.rim)}", -rim, rim, rim_top, is_above=True),
            Width(f"tube inside {mm(tower.tube.inside)}", -half, half),
            Width(f"tray {mm(tower.tray.length)}, {mm(tower.tray.width)} wide", half, tray),
        ),
        heights=tuple(height for height in heights if height.high > height.low),
        levels=(
            Level(f"tube top {mm(top)}", top, -outer),
            Level(f"upper floor {mm(upper.top)}", upper.top, -outer),
            Level(f"lower floor {mm(lower.top)}", lower.top, -outer),
            Level("table 0", 0.0, -outer),
        ),
        angles=(Angle("ramp", ramp.angle, foot - SHEET / math.cos(ramp.angle), half, -2 * half),),
    )


def _plan(name: str, floor: Floor, hole: Opening, outer: float) -> Section:
    """Return the plan of a floor, with the dimensions of a `hole` in it; the tube is `outer` (m) outside."""
    x0, x1, y0, y1 = hole
    return Section(
        name.replace("_", " "),
        "z",
        floor.top,
        widths=(Width(mm(x1 - x0), x0, x1),),
        heights=(Height(mm(y1 - y0), y0, y1, x0, -outer, is_left=True),),
        parts=("tube", name),
        beside="exit\n→",
    )
