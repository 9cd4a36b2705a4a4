"""Hull: a fixed convex solid with flat faces, of which printed parts are made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from tower_sim.errors import UsageError

Vector = tuple[float, float, float]
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
