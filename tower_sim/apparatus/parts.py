"""The parts of every apparatus: boxes, surfaces, regions, and the hand that throws."""

from __future__ import annotations

import math
from abc import ABC
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus import where
from tower_sim.apparatus.board import Board
from tower_sim.apparatus.dimensions import BoardPlan, Cut, Dimensions, Height, Part, Printed, Section, Width
from tower_sim.apparatus.hull import Hull
from tower_sim.apparatus.solids import axes
from tower_sim.compiled import call
from tower_sim.errors import UsageError, check_kind
from tower_sim.places import BORDER, DOORWAY, INSIDE, LOST, TABLE, TRAY, ZONE, Place
from tower_sim.tools import portable

Array = npt.NDArray[np.float64]

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
HALF_TABLE = 1.0  # m: half the table's edge, as in where.py


@dataclass(frozen=True, slots=True)
class Surface:
    """The contact of a cube with a material: Coulomb `friction`, Newton `restitution`."""

    friction: float
    restitution: float


@dataclass(frozen=True, slots=True)
class Box:
    """A fixed box: `centre`, half edges `half` (m), `orientation` (x, y, z, w) and the name of its material."""

    part: str
    surface: str
    centre: Vector
    half: Vector
    orientation: Quaternion = (0.0, 0.0, 0.0, 1.0)

    @property
    def bounds(self) -> tuple[Vector, Vector]:
        """The smallest and the largest x, y and z (m)."""
        turned = np.abs(axes(np.array([self.orientation]))[0])
        reach = turned[:, 0] * self.half[0] + turned[:, 1] * self.half[1] + turned[:, 2] * self.half[2]
        return tuple((self.centre - reach).tolist()), tuple((self.centre + reach).tolist())


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the tower's inside, above the height `above` (m).

    A cube belongs to the highest region that it reaches into.
    """

    name: str
    above: float


@dataclass(frozen=True, slots=True)
class Hand:
    """The release of cubes by a hand over the middle of the apparatus.

    The lowest cube starts `height` (m) above the rim. All start within a horizontal circle of diameter `spread` (m) and
    move down at `fall` (m/s). Random are the components of velocity, normal with standard deviation `speed` (m/s), and
    of spin, with `spin` (rad/s). The hand pours `rate` cubes a second; None means all at once.
    """

    height: float
    spread: float
    speed: float
    spin: float
    rate: float | None = None
    fall: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Apparatus(ABC):
    """A shape that cubes are thrown into.

    Units are SI. z points up, the table is at z = 0, and the hand is over x = y = 0.

    - `profile` has the tables that the shape was made from, read from `file`, if any; `digest` identifies the shape.
    - `boxes` and `hulls` are the fixed parts. The core can simulate hulls.
    - `surfaces` has the contact of a cube with each material, `between_cubes` that of two cubes.
    - `hand` releases the cubes over the height `rim_top`.
    - `passed`: a cube below this height may be simulated more coarsely, since nothing can hold it.
    - `swept`: whether cubes are removed as they come out, or when all cubes are at rest.
    - `regions` are the parts of the inside, from top to bottom.
    - `board` is where cubes land and stay; None for a tower.

    The methods take the centres (m), shape (n, 3), and unit quaternions (x, y, z, w), shape (n, 4).
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
    regions: tuple[Region, ...]
    passed: float = -math.inf
    swept: bool = True
    board: Board | None = None
    hulls: tuple[Hull, ...] = ()
    file: Path | None = field(default=None, compare=False)

    @property
    def solids(self) -> tuple[Box | Hull, ...]:
        """All fixed parts, boxes before hulls; states number them so."""
        return (*self.boxes, *self.hulls)

    @property
    def rule(self) -> tuple[float, ...]:
        """The numbers that decide where cubes are, as where.py explains; empty for a kind that decides in Python.

        Such a kind has its own `find`, `emerged`, `escaped` and, if cubes can miss its opening, `missed`.
        """
        return ()

    def find(self, position: Array, orientation: Array) -> list[Place]:
        """Return the place of each cube."""
        return self.named(*self._look(position, orientation))

    def emerged(self, position: Array) -> npt.NDArray[np.bool_]:
        """Return whether each cube has come out, shape (n,)."""
        return self._has_flag(position, "EMERGED")

    def missed(self, position: Array) -> npt.NDArray[np.bool_]:
        """Return whether each cube missed the opening at the top, shape (n,)."""
        return self._has_flag(position, "MISSED") if self.rule else np.zeros(len(position), dtype=bool)

    def escaped(self, position: Array) -> npt.NDArray[np.bool_]:
        """Return whether each cube is at an impossible position (nan included), shape (n,)."""
        return self._has_flag(position, "ESCAPED")

    def room_to_look(self, number: int) -> tuple[Array, Array, Array]:
        """Return empty tables of the places of so many cubes, of the zones that they touch, and of what they lie on."""
        zones = len(self.board.zones) if self.board else 0
        return np.zeros((number, 2)), np.zeros((number, 1 + zones)), np.zeros((number, number))

    def named(self, places: Array, zones: Array, on: Array) -> list[Place]:
        """Return what such tables say in words."""
        names = {where.LOST: LOST, where.DOORWAY: DOORWAY, where.TRAY: TRAY, where.TABLE: TABLE, where.BORDER: BORDER}
        zone: list[str] = [other.name for other in self.board.zones] if self.board else []
        numbers: list[int] = places[:, 0].astype(int).tolist()
        rows: list[list[int]] = zones.astype(int).tolist()
        answer: list[Place] = []
        for at, touched, below in zip(numbers, rows, on, strict=True):
            if at >= where.ZONES:
                place = ZONE + zone[at - where.ZONES]
            else:
                place = names.get(at) or INSIDE + self.regions[at].name
            touches = tuple(zone[k] for k in touched[: touched.index(-1)]) if zone else ()
            answer.append(Place(place, touches, tuple(np.flatnonzero(below).tolist()) if zone else ()))
        return answer

    def _has_flag(self, position: Array, flag: str) -> npt.NDArray[np.bool_]:
        upright = np.tile((0.0, 0.0, 0.0, 1.0), (len(position), 1))
        return self._look(position, upright)[0][:, 1].astype(int) & getattr(where, flag) != 0

    def _look(self, position: Array, orientation: Array) -> tuple[Array, Array, Array]:
        tables = self.room_to_look(len(position))
        poses = np.concatenate([position, orientation], axis=1, dtype=np.float64)
        call(where.PLACES, "look", np.array(self.rule), self.cube_edge, poses, *tables, np.zeros(where.DESK))
        return tables

    def dimensions(self) -> Dimensions:
        """Return what is drawn besides the boxes; by default this is derived from them."""
        return _of_boxes(self)


def over_table(box: Box | Hull) -> bool:
    """Return whether a solid reaches above the table's surface."""
    return box.bounds[1][2] > 1e-9


_TITLES = ("section through the middle", "section across it, through the middle")


def _of_boxes(apparatus: Apparatus) -> Dimensions:
    boxes, board = [box for box in apparatus.solids if over_table(box)], apparatus.board
    low, high = np.array([box.bounds for box in boxes]).transpose(1, 2, 0)
    ends = list(zip(low.min(axis=1).tolist(), high.max(axis=1).tolist(), strict=True))
    top = ends[2][1]
    sections = tuple(
        Section(words, axis, 0.0, (Width(f"{1e3 * (b - a):.4g}", a, b),), (Height(f"{1e3 * top:.4g}", 0.0, top, b),))
        for axis, (a, b), words in zip("yx", ends, _TITLES, strict=False)
    )
    parts = {box.part: Part(box.part.replace("_", " ")) for box in boxes}
    of_board = tuple(dict.fromkeys(box.part for box in boxes if board and _lies_on(board, box)))
    standing = tuple(part for part in parts if part not in of_board)
    return Dimensions(
        parts,
        sections,
        board=BoardPlan({zone.name: Printed() for zone in board.zones}, of_board) if board else None,
        cuts=(Cut(((0.0, -1.0, 0.0), 0.0), standing),) if standing else (),
        note="the near half is cut away" if standing else "",
    )


def _lies_on(board: Board, box: Box | Hull) -> bool:
    (x0, y0, _), (x1, y1, _) = box.bounds
    return min(x0 - board.x[0], board.x[1] - x1, y0 - board.y[0], board.y[1] - y1) > -1e-6


def as_apparatus(apparatus: object) -> Apparatus:
    """Return the apparatus; raise UsageError if the value is something else."""
    return check_kind("apparatus", apparatus, Apparatus, "an Apparatus", "load it by name: tower_sim.load(NAME)")


def as_tower(apparatus: object) -> Apparatus:
    """Return the apparatus; raise UsageError unless it is a tower, which has no board."""
    apparatus = as_apparatus(apparatus)
    if apparatus.board is not None:
        raise UsageError(
            f"apparatus {apparatus.name!r} is no tower that keeps cubes; allowed is a tower; "
            "take one, or fight battles with this ship"
        )
    return apparatus


def span(part: str, x: tuple[float, float], y: tuple[float, float], z: tuple[float, float], surface: str) -> Box:
    """Return an upright box with extents (m) along x, y and z."""
    centre = ((x[0] + x[1]) / 2, (y[0] + y[1]) / 2, (z[0] + z[1]) / 2)
    half = ((x[1] - x[0]) / 2, (y[1] - y[0]) / 2, (z[1] - z[0]) / 2)
    return Box(part, surface, centre, half)


def table(surface: str) -> Box:
    """Return the box of the table."""
    reach = (-HALF_TABLE, HALF_TABLE)
    return span("table", reach, reach, (-0.05, 0), surface)


def tilted_about_y(angle: float) -> Quaternion:
    """Return the quaternion (x, y, z, w) of a rotation by `angle` (rad) about y."""
    return (0.0, portable.sin(angle / 2), 0.0, portable.cos(angle / 2))


def tilted_about_x(angle: float) -> Quaternion:
    """Return the quaternion (x, y, z, w) of a rotation by `angle` (rad) about x."""
    return (portable.sin(angle / 2), 0.0, 0.0, portable.cos(angle / 2))


def turned_about_z(angle: float) -> Quaternion:
    """Return the quaternion (x, y, z, w) of a rotation by `angle` (rad) about z."""
    return (0.0, 0.0, portable.sin(angle / 2), portable.cos(angle / 2))


def turned_by(turn: Quaternion, first: Quaternion) -> Quaternion:
    """Return the quaternion (x, y, z, w) of the rotation `first` followed by `turn`."""
    (ax, ay, az, aw), (bx, by, bz, bw) = turn, first
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )
