"""Build the boxes of an Amerigo tower from its parameters."""

from __future__ import annotations

from collections.abc import Iterator

from tower_sim.apparatus.amerigo.profile import AmerigoTower, Floor
from tower_sim.apparatus.parts import Box, span, table, tilted_about_x, tilted_about_y
from tower_sim.apparatus.sheets import between, pierced, plank
from tower_sim.apparatus.tower_parts import SHEET, WALL, measure_funnel, tray
from tower_sim.tools import portable


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
