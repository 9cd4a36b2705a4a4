"""Build the Amerigo tower's boxes and regions from its parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tower_sim.apparatus.amerigo.profile import SHEET, WALL, AmerigoTower, ramp_height
from tower_sim.apparatus.amerigo.tower import SquareTower
from tower_sim.apparatus.parts import Box, Region, span, tilted_about_x, tilted_about_y
from tower_sim.apparatus.profile import Profile
from tower_sim.apparatus.sheets import pierced


def build(tower: AmerigoTower, profile: Profile) -> SquareTower:
    """Build the boxes and regions of `tower`."""
    half = tower.tube.inside / 2
    return SquareTower(
        **profile.shared(tower.cubes, tower.release, tower.surfaces),
        boxes=tuple(_boxes(tower)),
        swept=tower.exit.emerged == "swept",
        regions=(
            Region("funnel", tower.tube.top),
            Region("upper_floor", tower.upper_floor.top),
            Region("lower_floor", tower.lower_floor.top),
            Region("ramp", 0.0),
        ),
        tube_half=half,
        tube_top=tower.tube.top,
        rim_half=tower.funnel.rim / 2,
        rim_top=tower.tube.top + tower.funnel.height,
        passed=tower.lower_floor.top - tower.lower_floor.thickness - math.sqrt(3) / 2 * tower.cubes.edge,
        exit_x=half + WALL,
        exit_top=tower.ramp.lip + SHEET + tower.exit.height,
        tray_x=half + tower.tray.length,
        tray_half_y=tower.tray.width / 2,
        given=tower,
    )


def _boxes(tower: AmerigoTower) -> Iterator[Box]:
    yield from _tube(tower)
    yield from _funnel(tower)
    for part, floor in (("upper_floor", tower.upper_floor), ("lower_floor", tower.lower_floor)):
        holes = floor.cut(tower.tube.inside)
        half = tower.tube.inside / 2
        yield from pierced(part, (half, half), holes, (floor.top - floor.thickness, floor.top), "cardboard")
    yield from _ramp_and_tray(tower)


def _tube(tower: AmerigoTower) -> Iterator[Box]:
    half, top = tower.tube.inside / 2, tower.tube.top
    outer = half + WALL
    yield span("tube", (-outer, -half), (-outer, outer), (0, top), "cardboard")
    yield span("tube", (-half, outer), (half, outer), (0, top), "cardboard")
    yield span("tube", (-half, outer), (-outer, -half), (0, top), "cardboard")
    exit_top = tower.ramp.lip + SHEET + tower.exit.height
    yield span("tube", (half, outer), (-half, half), (exit_top, top), "cardboard")


def _funnel(tower: AmerigoTower) -> Iterator[Box]:
    """Four slanted walls, each a box as long as the rim is wide, and the ribs.

    A wall reaches past its neighbours' inner faces only outside the funnel, so the inside is exactly the frustum.
    """
    half, rim = tower.tube.inside / 2, tower.funnel.rim / 2
    rise, run = tower.funnel.height, rim - half
    slant = math.hypot(rise, run)
    lean = math.atan2(run, rise)
    # middle of the inner face, moved out by half the thickness along the outward normal
    across = (half + rim) / 2 + WALL / 2 * math.cos(lean)
    z = tower.tube.top + rise / 2 - WALL / 2 * math.sin(lean)
    flat = (WALL / 2, rim + WALL, slant / 2)
    for sign in (1, -1):
        yield Box("funnel", "funnel", (sign * across, 0, z), flat, tilted_about_y(sign * lean))
        turned = (flat[1], flat[0], flat[2])
        yield Box("funnel", "funnel", (0, sign * across, z), turned, tilted_about_x(-sign * lean))
    if tower.funnel.rib_height > 0:
        thin, bottom = tower.funnel.rib_thickness / 2, tower.tube.top
        reach = half + run * tower.funnel.rib_height / rise
        z_range = (bottom, bottom + tower.funnel.rib_height)
        yield span("rib", (-reach, reach), (-thin, thin), z_range, "funnel")
        yield span("rib", (-thin, thin), (-reach, reach), z_range, "funnel")


def _ramp_and_tray(tower: AmerigoTower) -> Iterator[Box]:
    half, angle = tower.tube.inside / 2, tower.ramp.angle
    # the ramp runs on through the front wall, so that no step is left in the exit
    x0, x1 = -half, half
    length = (x1 - x0) / math.cos(angle)
    x, z = (x0 + x1) / 2, ramp_height(tower, (x0 + x1) / 2)
    centre = (x - SHEET / 2 * math.sin(angle), 0.0, z - SHEET / 2 * math.cos(angle))
    yield Box("ramp", "cardboard", centre, (length / 2, half, SHEET / 2), tilted_about_y(angle))
    outer, width, wall = half + tower.tray.length, tower.tray.width / 2, tower.tray.wall + SHEET
    yield span("tray", (-half, outer + WALL), (-width - WALL, width + WALL), (0, SHEET), "cardboard")
    if tower.tray.wall > 0:
        yield span("tray", (outer, outer + WALL), (-width - WALL, width + WALL), (SHEET, wall), "cardboard")
        for sign in (1, -1):
            y = sorted((sign * width, sign * (width + WALL)))
            yield span("tray", (half, outer), (y[0], y[1]), (SHEET, wall), "cardboard")
    yield span("table", (-1, 1), (-1, 1), (-0.05, 0), "cardboard")
