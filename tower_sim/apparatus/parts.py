"""The parts of every apparatus: boxes, surfaces, regions and the hand that throws."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim import portable
from tower_sim.apparatus.board import Board
from tower_sim.apparatus.dimensions import BoardPlan, Cut, Dimensions, Height, Part, Printed, Section, Width
from tower_sim.apparatus.hull import Hull
from tower_sim.apparatus.solids import axes
from tower_sim.errors import UsageError, check_kind
from tower_sim.places import Place

Array = npt.NDArray[np.float64]

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
HALF_TABLE = 1  # m: half the table's edge
Upright = tuple[Vector, Vector]
"""An upright box: its low and its high corner (m)."""


@dataclass(frozen=True, slots=True)
class Surface:
    """The contact of a cube with a material: Coulomb `friction` and Newton `restitution` of the pair."""

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

    @property
    def bounds(self) -> tuple[Vector, Vector]:
        """The lowest and the highest x, y and z (m)."""
        turned = np.abs(axes(np.array([self.orientation]))[0])
        reach = turned[:, 0] * self.half[0] + turned[:, 1] * self.half[1] + turned[:, 2] * self.half[2]
        return tuple((self.centre - reach).tolist()), tuple((self.centre + reach).tolist())


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the inside: the cubes whose highest point is over height `above` (m), if no higher one's."""

    name: str
    above: float


@dataclass(frozen=True, slots=True)
class Hand:
    """The release of cubes by a hand over the middle of the apparatus.

    The lowest cube starts `height` (m) above the rim, all within a horizontal circle of diameter `spread` (m). All
    cubes move down at `fall` (m/s); each cube adds a velocity of its own, each component from a normal distribution of
    standard deviation `speed` (m/s), and a spin of standard deviation `spin` (rad/s). `rate` is the number of cubes a
    second when they are poured, None when they are let go all at once.
    """

    height: float
    spread: float
    speed: float
    spin: float
    rate: float | None = None
    fall: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Apparatus(ABC):
    """A shape that cubes are thrown into, in SI units, z up, the table at z = 0, the hand over x = y = 0.

    `profile` is what the shape was made from (as read, for drawing and records) and `digest` identifies it.
    `surfaces` holds the pair of a cube with each material; `between_cubes` that of two cubes. The hand is over
    `rim_top`. A cube lower than `passed` is under everything that could hold it and may be simulated more coarsely.
    `swept` tells when emerged cubes are taken away: at the exit, or, if not, when all cubes are at rest. `regions` are
    the parts of the inside, from top to bottom; `board` is what cubes fall onto and stay on, None for a tower, which
    keeps cubes and brings others out. `calm` are upright boxes: a cube whose centre is in one of them, or on its face,
    has not missed the opening nor escaped, and has not emerged if it would be swept; an engine need not ask while every
    centre is in one. There may be none.

    `hulls` are fixed parts that are no boxes, for an engine that knows them: the core does. `file` is the profile's,
    beside which its surrogate may lie; None for one that ships or was never a file.

    The methods take centres (m), shape (n, 3), and unit quaternions (x, y, z, w), shape (n, 4), of n cubes.
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
    calm: tuple[Upright, ...] = ()
    hulls: tuple[Hull, ...] = ()
    file: Path | None = field(default=None, compare=False)

    @property
    def solids(self) -> tuple[Box | Hull, ...]:
        """All fixed parts, in the order in which states count them: boxes, then hulls."""
        return (*self.boxes, *self.hulls)

    @abstractmethod
    def find(self, position: Array, orientation: Array) -> list[Place]:
        """Return the place of every cube."""

    @abstractmethod
    def emerged(self, position: Array) -> npt.NDArray[np.bool_]:
        """Return whether each cube has come out, of shape (n,)."""

    def missed(self, position: Array) -> npt.NDArray[np.bool_]:
        """Return whether each cube missed the opening at the top, of shape (n,); the default is never."""
        return np.zeros(len(position), dtype=bool)

    @abstractmethod
    def escaped(self, position: Array) -> npt.NDArray[np.bool_]:
        """Return whether each cube is at an impossible position (nan included), of shape (n,)."""

    def where(self) -> dict[str, Any]:
        """Return what decides where cubes are as data, for programs in other languages: a `rule` and its numbers (m).

        physics/js has the rules.
        """
        raise UsageError(
            f"apparatus {self.name!r} is of a kind that does not say as data where its cubes are; allowed is one that "
            "does, such as those that ship"
        )

    def loose(self, position: Array, orientation: Array) -> npt.NDArray[np.bool_]:
        """Return whether each resting cube may have lost its support, of shape (n,); the default is never."""
        return np.zeros(len(position), dtype=bool)

    def dimensions(self) -> Dimensions:
        """Say what is drawn beside the boxes; of a kind that does not, what can be told from them alone."""
        return _of_boxes(self)


def over_table(box: Box | Hull) -> bool:
    """Return whether a box or hull reaches above the table's surface; one that does not is the table."""
    return box.bounds[1][2] > 1e-9


def _of_boxes(apparatus: Apparatus) -> Dimensions:
    """Return what the boxes tell alone: the parts by their names, width, depth and height over all, a board's zones."""
    boxes, board = [box for box in apparatus.solids if over_table(box)], apparatus.board
    low, high = np.array([box.bounds for box in boxes]).transpose(1, 2, 0)
    (x0, y0, _), (x1, y1, z1) = low.min(axis=1).tolist(), high.max(axis=1).tolist()
    width, depth = (Width(f"{1e3 * (b - a):.4g}", a, b) for a, b in ((x0, x1), (y0, y1)))
    heights = (Height(f"{1e3 * z1:.4g}", 0.0, z1, x1),), (Height(f"{1e3 * z1:.4g}", 0.0, z1, y1),)
    words = "section through the middle", "section across it, through the middle"
    parts = {box.part: Part(box.part.replace("_", " ")) for box in boxes}
    of_board = tuple(dict.fromkeys(box.part for box in boxes if board and _is_of(board, box)))
    standing = tuple(part for part in parts if part not in of_board)
    return Dimensions(
        parts,
        (Section(words[0], "y", 0.0, (width,), heights[0]), Section(words[1], "x", 0.0, (depth,), heights[1])),
        board=BoardPlan({zone.name: Printed() for zone in board.zones}, of_board) if board else None,
        cuts=(Cut(((0.0, -1.0, 0.0), 0.0), standing),) if standing else (),
        said="the near half is cut away" if standing else "",
    )


def _is_of(board: Board, box: Box | Hull) -> bool:
    """Return whether a box or hull is part of a board, that is, within its bounds."""
    (x0, y0, _), (x1, y1, _) = box.bounds
    return min(x0 - board.x[0], board.x[1] - x1, y0 - board.y[0], board.y[1] - y1) > -1e-6


def as_apparatus(apparatus: object) -> Apparatus:
    """Check that the value is an apparatus (not, for example, its name) and return it."""
    return check_kind("apparatus", apparatus, Apparatus, "an Apparatus", "load it by name: tower_sim.load(NAME)")


def as_tower(apparatus: object) -> Apparatus:
    """Check that the value is a tower, an apparatus that keeps cubes and has no board; return it."""
    apparatus = as_apparatus(apparatus)
    if apparatus.board is not None:
        raise UsageError(
            f"apparatus {apparatus.name!r} is no tower that keeps cubes; allowed is a tower; "
            "take one, or fight battles with this ship"
        )
    return apparatus


def span(part: str, x: tuple[float, float], y: tuple[float, float], z: tuple[float, float], surface: str) -> Box:
    """Make an upright box from its extents (m) along x, y and z."""
    centre = ((x[0] + x[1]) / 2, (y[0] + y[1]) / 2, (z[0] + z[1]) / 2)
    half = ((x[1] - x[0]) / 2, (y[1] - y[0]) / 2, (z[1] - z[0]) / 2)
    return Box(part, surface, centre, half)


def table(surface: str) -> Box:
    """Return the box of the table under the apparatus."""
    reach = (-HALF_TABLE, HALF_TABLE)
    return span("table", reach, reach, (-0.05, 0), surface)


def tilted_about_y(angle: float) -> Quaternion:
    """Return the quaternion of a turn by `angle` (rad) about the y axis."""
    return (0.0, portable.sin(angle / 2), 0.0, portable.cos(angle / 2))


def tilted_about_x(angle: float) -> Quaternion:
    """Return the quaternion of a turn by `angle` (rad) about the x axis."""
    return (portable.sin(angle / 2), 0.0, 0.0, portable.cos(angle / 2))


def turned_about_z(angle: float) -> Quaternion:
    """Return the quaternion of a turn by `angle` (rad) about the z axis."""
    return (0.0, 0.0, portable.sin(angle / 2), portable.cos(angle / 2))


def turned_by(turn: Quaternion, first: Quaternion) -> Quaternion:
    """Return the quaternion of the turn `first` and after it `turn`: their product."""
    (ax, ay, az, aw), (bx, by, bz, bw) = turn, first
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )
