"""Build the Amerigo tower's boxes from its parameters."""

from __future__ import annotations

from collections.abc import Iterator

from tower_sim import portable
from tower_sim.apparatus.amerigo.profile import AmerigoTower
from tower_sim.apparatus.parts import Box, span, table, tilted_about_x, tilted_about_y
from tower_sim.apparatus.sheets import pierced, plank
from tower_sim.apparatus.tower_parts import SHEET, WALL, slanted, tray_floor, tray_side


def boxes(tower: AmerigoTower) -> Iterator[Box]:
    """Yield the boxes of a tower."""
    half = tower.half
    yield from _tube(tower)
    yield from _funnel(tower)
    for part, floor in tower.floors.items():
        z = (floor.underside, floor.top)
        yield from pierced(part, (half, half), floor.cut(tower.tube.inside), z, "cardboard")
    # the ramp runs on through the front wall, so that no step is left in the exit
    size = (half / portable.cos(tower.ramp.angle), half, SHEET)
    yield plank("ramp", "cardboard", (0.0, 0.0, tower.ramp_height(0.0)), size, about_y=tower.ramp.angle)
    yield from tray_floor(tower)
    for sign in (1, -1):
        yield from tray_side(tower, sign, half)
    yield table("cardboard")


def _tube(tower: AmerigoTower) -> Iterator[Box]:
    half, top = tower.half, tower.tube.top
    outer = half + WALL
    yield span("tube", (-outer, -half), (-outer, outer), (0, top), "cardboard")
    yield span("tube", (-half, outer), (half, outer), (0, top), "cardboard")
    yield span("tube", (-half, outer), (-outer, -half), (0, top), "cardboard")
    yield span("tube", (half, outer), (-half, half), (tower.exit_top, top), "cardboard")


def _funnel(tower: AmerigoTower) -> Iterator[Box]:
    """Four slanted walls, each a box as long as the rim is wide, and the ribs.

    A wall reaches past its neighbours' inner faces only outside the funnel, so the inside is exactly the frustum.
    """
    half, rim, rise = tower.half, tower.funnel.rim / 2, tower.funnel.height
    lean, slant, across, z = slanted(tower)
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
