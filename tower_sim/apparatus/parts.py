"""The parts every apparatus is made of: boxes, surfaces, regions, the hand above it, the way out of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tower_sim.errors import UsageError

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Surface:
    """How a cube meets a material: Coulomb `friction` and Newton `restitution` of the pair."""

    friction: float
    restitution: float


@dataclass(frozen=True, slots=True)
class Box:
    """A fixed box: `part` it belongs to, `surface` name, `centre` and `half` edges (m), `orientation` (x, y, z, w)."""

    part: str
    surface: str
    centre: Vector
    half: Vector
    orientation: Quaternion = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the inside: the cubes whose highest point is over height `above` (m), if no higher one's."""

    name: str
    above: float


@dataclass(frozen=True, slots=True)
class Hand:
    """How a hand lets cubes go over the middle of the apparatus.

    The lowest cube starts `height` (m) above the rim, all within a horizontal circle of diameter `spread` (m); each
    velocity component is drawn from a normal law of sd `speed` (m/s), each spin component of sd `spin` (rad/s).
    `interval` (s) is the time between two cubes when they are poured, 0 when they are let go all at once.
    """

    height: float
    spread: float
    speed: float
    spin: float
    interval: float


@dataclass(frozen=True, slots=True)
class Apparatus:
    """A shape that cubes are thrown into, in SI units, z up, the table at z = 0, the hand over x = y = 0.

    `profile` is what the shape was made from (as read, for drawing and records) and `digest` identifies it.
    `surfaces` holds the pair of a cube with each material; `between_cubes` that of two cubes. The hand is over
    `rim_top`. A cube lower than `passed` is under everything that could hold it and may be simulated more coarsely;
    `swept` tells whether emerged cubes are taken away at the exit.
    """

    name: str
    profile: dict[str, Any]
    digest: str
    boxes: tuple[Box, ...]
    surfaces: dict[str, Surface]
    between_cubes: Surface
    cube_edge: float
    cube_density: float
    hand: Hand
    rim_top: float
    passed: float
    swept: bool


@dataclass(frozen=True, slots=True)
class Tower(Apparatus):
    """A tower that keeps cubes and brings others out into a tray.

    Inside is the vertical square tube of half width `tube_half` up to `tube_top`, widening to half width `rim_half`
    at `rim_top`; cubes leave at x = `exit_x` below `exit_top`. `regions` run from top to bottom.
    `tray_x` and `tray_half_y` bound the tray's floor.
    """

    regions: tuple[Region, ...]
    tube_half: float
    tube_top: float
    rim_half: float
    exit_x: float
    exit_top: float
    tray_x: float
    tray_half_y: float


def as_tower(apparatus: Apparatus) -> Tower:
    """Return `apparatus`, known to be a tower; raises UsageError for one that keeps no cubes."""
    if not isinstance(apparatus, Tower):
        raise UsageError(
            f"apparatus {apparatus.name!r} is no tower that keeps cubes; allowed is a tower, such as 'amerigo'; "
            "take one, or fight battles with this ship"
        )
    return apparatus


def span(part: str, x: tuple[float, float], y: tuple[float, float], z: tuple[float, float], surface: str) -> Box:
    """Make an upright box from its extents (m) along x, y and z."""
    centre = ((x[0] + x[1]) / 2, (y[0] + y[1]) / 2, (z[0] + z[1]) / 2)
    half = ((x[1] - x[0]) / 2, (y[1] - y[0]) / 2, (z[1] - z[0]) / 2)
    return Box(part, surface, centre, half)


def tilted_about_y(angle: float) -> Quaternion:
    """Return the quaternion of a turn by `angle` (rad) about the y axis."""
    return (0.0, math.sin(angle / 2), 0.0, math.cos(angle / 2))


def tilted_about_x(angle: float) -> Quaternion:
    """Return the quaternion of a turn by `angle` (rad) about the x axis."""
    return (math.sin(angle / 2), 0.0, 0.0, math.cos(angle / 2))
