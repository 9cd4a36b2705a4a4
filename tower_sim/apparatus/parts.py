"""Hull: a fixed convex solid with flat faces, of which printed parts are made."""

from __future__ import annotations

import math
from abc import ABC
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus import where
from tower_sim.apparatus.board import Board
from tower_sim.apparatus.dimensions import BoardPlan, Cut, Dimensions, Height, Part, Printed, Section, Vector, Width
from tower_sim.apparatus.shapes import axes
from tower_sim.compiled import call
from tower_sim.errors import UsageError, check_kind
from tower_sim.tools import portable
from tower_sim.values import BORDER, DOORWAY, INSIDE, LOST, TABLE, TRAY, ZONE, Place

T = TypeVar("T")

MOST_VERTICES = 64
_FLAT = 1e-5  # of a hull's size: a vertex nearer to a face's plane than this lies in it
_ADVICE = "take the convex hull of the vertices, its flat faces whole, or divide the part into convex ones"


@dataclass(frozen=True, slots=True)
class Hull:
    """A fixed convex solid, given by its `vertices` (m) and `faces`; `surface` is the material's name.

    A face has the indices of its vertices, counter-clockwise from outside. Raises UsageError if the faces make no
    closed convex solid.

    A piece of a larger surface has `least_cosines`, so that cubes do not notice where it meets the next piece. Cubes
    touch its face 0, unless their middle is behind it. For each face they have the least cosine of the angle between a
    contact normal and the normal of face 0: 1 where the next piece lies in the same plane or rises, the cosine of the
    angle by which it falls off, 0 or less where nothing is next, and 2 for a face that nothing can touch.
    """

    part: str
    surface: str
    vertices: tuple[Vector, ...]
    faces: tuple[tuple[int, ...], ...]
    least_cosines: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        fault = _fault(self.vertices, self.faces)
        if not fault and len(self.least_cosines) not in (0, len(self.faces)):
            fault = f"has {len(self.least_cosines)} least cosines; allowed are none, or one for each face"
        if fault:
            raise UsageError(f"hull of part {self.part!r} {fault}; {_ADVICE}")

    @property
    def bounds(self) -> tuple[Vector, Vector]:
        """The smallest and largest x, y and z (m)."""
        x, y, z = zip(*self.vertices, strict=True)
        return (min(x), min(y), min(z)), (max(x), max(y), max(z))

    @property
    def centre(self) -> Vector:
        """The centre (m) of the bounding box."""
        (x0, y0, z0), (x1, y1, z1) = self.bounds
        return ((x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2)

    @property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """All edges, sorted: indices of two vertices, the smaller first."""
        return tuple(sorted({(min(edge), max(edge)) for face in self.faces for edge in sides(face)}))


def sides(ring: Sequence[T]) -> list[tuple[T, T]]:
    """Return the sides of a polygon as pairs of corners."""
    return list(zip(ring, [*ring[1:], ring[0]], strict=True))


def normal_of(vertices: Sequence[Vector], face: Sequence[int]) -> Vector:
    """Return the outward unit normal of a face, by Newell's method; zeros if it has no area."""
    x = y = z = 0.0
    for i, j in sides(face):
        (ax, ay, az), (bx, by, bz) = vertices[i], vertices[j]
        x, y, z = x + (ay - by) * (az + bz), y + (az - bz) * (ax + bx), z + (ax - bx) * (ay + by)
    size = math.sqrt(x * x + y * y + z * z)
    return (x / size, y / size, z / size) if size > 0.0 else (0.0, 0.0, 0.0)


def along(a: Vector, b: Vector) -> float:
    """Return the scalar product of two vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _fault(vertices: Sequence[Vector], faces: Sequence[Sequence[int]]) -> str:
    if not 4 <= len(vertices) <= MOST_VERTICES:
        return f"has {len(vertices)} vertices; allowed are 4 to {MOST_VERTICES}"
    if not all(len(vertex) == 3 and all(map(math.isfinite, vertex)) for vertex in vertices):
        return "has a vertex that is not three finite numbers; allowed are x, y and z in metres"
    for k, face in enumerate(faces):
        if len(face) < 3 or len(set(face)) < len(face) or not set(face) <= set(range(len(vertices))):
            return f"has face {k}, {tuple(face)}; allowed are three or more different indices of vertices"
    directed = [side for face in faces for side in sides(face)]
    if len(set(directed)) < len(directed) or {(j, i) for i, j in directed} != set(directed):
        return "is not closed; allowed is a surface whose every edge two faces share, once in either direction"
    if {i for i, _ in directed} != set(range(len(vertices))):
        return "has a vertex in no face; allowed are those of faces"
    return _bend(vertices, faces)


def _bend(vertices: Sequence[Vector], faces: Sequence[Sequence[int]]) -> str:
    limit = _FLAT * max(max(column) - min(column) for column in zip(*vertices, strict=True))
    for k, face in enumerate(faces):
        nx, ny, nz = normal_of(vertices, face)
        base, own = along((nx, ny, nz), vertices[face[0]]), frozenset(face)
        is_flat, most = (nx, ny, nz) != (0.0, 0.0, 0.0), -math.inf
        for i, (x, y, z) in enumerate(vertices):
            over = nx * x + ny * y + nz * z - base
            if i in own:
                is_flat = is_flat and abs(over) <= limit
            elif over > most:
                most = over
        if not is_flat:
            return f"has face {k}, which is not flat; allowed are flat ones"
        if most > limit:
            return f"is not convex at face {k}; allowed are faces that have all else behind them, seen from outside"
        if most > -limit:
            return f"has face {k} in one plane with another; allowed is one face a plane"
    return ""


Opening = tuple[float, float, float, float]
"""A rectangular opening: x0, x1, y0, y1 (m)."""


def space_evenly(number: int, width: float, room: float) -> list[tuple[float, float]]:
    """Return the ends (m) of openings of `width` (m), spaced evenly over a `room` (m) around 0."""
    ledge = (room - number * width) / (number + 1)
    starts = [-room / 2 + ledge + i * (ledge + width) for i in range(number)]
    return [(start, start + width) for start in starts]


def space(
    number: int, width: float, room: float, ledge: float | None = None, offset: float = 0.0
) -> list[tuple[float, float]]:
    """Return the ends (m) of openings of `width` (m) in a `room` (m) around 0, shifted by `offset` (m).

    The outermost are `ledge` (m) from the ends before the shift; if None, or with one opening, all are spaced evenly.
    """
    if ledge is None or number == 1:
        places = space_evenly(number, width, room)
    else:
        pitch = (room - 2 * ledge - width) / (number - 1)
        places = [(start, start + width) for start in (-room / 2 + ledge + i * pitch for i in range(number))]
    return [(low + offset, high + offset) for low, high in places] if offset else places


def between(places: Sequence[tuple[float, float]], room: float) -> list[tuple[float, float]]:
    """Return the ends (m) of the pieces that openings, in order, leave of a `room` (m) around 0."""
    ends = [-room / 2, *(end for place in places for end in place), room / 2]
    return [(low, high) for low, high in zip(ends[::2], ends[1::2], strict=True) if high - low > 1e-9]


def pierced(
    part: str, half: tuple[float, float], openings: Sequence[Opening], z: tuple[float, float], surface: str
) -> Iterator[Box]:
    """Yield the boxes that are left of a rectangle around the origin, with half edges `half` (m), without `openings`.

    Openings may reach over the edge. Two that overlap in y must not overlap in x.
    """
    x, y = half
    cuts = sorted({-y, y, *(min(max(end, -y), y) for opening in openings for end in opening[2:])})
    for low, high in pairwise(cuts):
        yield from band(part, (low, high), x, openings, z, surface)


def band(
    part: str,
    y: tuple[float, float],
    half: float,
    openings: Sequence[Opening],
    z: tuple[float, float],
    surface: str,
) -> Iterator[Box]:
    """Yield what `openings` leave of a band of y (m), from -`half` to `half` (m) in x."""
    middle = (y[0] + y[1]) / 2
    in_band = sorted(opening[:2] for opening in openings if opening[2] <= middle <= opening[3])
    start = -half
    for x0, x1 in [*in_band, (half, half)]:
        end = min(x0, half)
        if end - start > 1e-9:
            yield span(part, (start, end), y, z, surface)
        start = max(start, x1)


def plank(part: str, surface: str, upper: Vector, size: Vector, *, about_x: float = 0.0, about_y: float = 0.0) -> Box:
    """Return a plank whose upper face has its middle at `upper` (m), tilted about one axis by an angle (rad).

    `size` has half the extents along x and y, and the thickness (m).
    """
    turned = tilted_about_x(about_x) if about_x else tilted_about_y(about_y)
    down = size[2] / 2
    centre = (
        upper[0] - down * portable.sin(about_y),
        upper[1] + down * portable.sin(about_x),
        upper[2] - down * portable.cos(about_x + about_y),
    )
    return Box(part, surface, centre, (*size[:2], down), turned)


Array = npt.NDArray[np.float64]

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
    - `accuracy` is that of the core, if the caller names none.

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
    accuracy: str = "standard"
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
