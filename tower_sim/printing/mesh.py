"""A mesh: a closed surface of triangles, and whether it really is one."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_spatial: Any = importlib.import_module("scipy.spatial")  # scipy has no type stubs
_sparse: Any = importlib.import_module("scipy.sparse")
_graphs: Any = importlib.import_module("scipy.sparse.csgraph")
_SHEET = 1e-3  # mm^3
_THIN = 1e-9  # mm^2: twice the area of a triangle that is none
_LOW = 1e-4  # mm: a triangle lower than that is divided among others
_AT_ONCE = 256  # rows of what is compared pair by pair
_CLEAR = 1e-4  # mm: how far a triangle must reach through another to pass through it


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Triangles: `vertices` (n, 3) in mm, `faces` (m, 3) their indices, counter-clockwise as seen from outside."""

    vertices: Array
    faces: Indices

    @property
    def corners(self) -> Array:
        """The corners of each triangle: (m, 3, 3)."""
        return self.vertices[self.faces]

    @property
    def volume(self) -> float:
        """The volume (mm^3) within, by the divergence theorem; negative where it is inside out."""
        a, b, c = np.moveaxis(self.corners - self.vertices.mean(axis=0), 1, 0)
        return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6

    @property
    def bounds(self) -> tuple[Array, Array]:
        """The lowest and the highest x, y and z."""
        return self.vertices.min(axis=0), self.vertices.max(axis=0)

    def moved(self, by: npt.ArrayLike) -> Mesh:
        """Return the mesh moved by a vector (mm)."""
        return Mesh(self.vertices + np.asarray(by, dtype=float), self.faces)


def welded(corners: Array) -> Mesh:
    """Make a mesh of loose triangles (m, 3, 3): corners at the very same place are one vertex."""
    vertices, index = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    return Mesh(vertices, index.reshape(-1, 3).astype(np.int64))


def normals(corners: Array) -> tuple[Array, Array]:
    """Return the unit normals (m, 3) of triangles (m, 3, 3), 0 where one has no area, and twice the areas (m,)."""
    a, b, c = np.moveaxis(corners, 1, 0)
    normal = np.cross(b - a, c - a)
    doubled = np.linalg.norm(normal, axis=1)
    return normal / np.maximum(doubled, 1e-12)[:, None], doubled


def owners(faces: Indices) -> dict[tuple[int, int], int]:
    """Return which triangle has each side: by the indices of the vertices from which and to which it goes."""
    return {(f[k], f[(k + 1) % 3]): i for i, f in enumerate(faces.tolist()) for k in range(3)}


def _sides(faces: Indices) -> Indices:
    """Return the sides of all triangles, (3 m, 2): the indices of the vertices from which and to which each goes."""
    return np.stack([faces.ravel(), np.roll(faces, -1, axis=1).ravel()], axis=1)


def across(direction: Array) -> Array:
    """Return a vector at right angles to a direction (3,), of no particular length."""
    axis: Array = np.eye(3)[int(np.argmin(np.abs(direction)))]
    return np.cross(direction, axis)


def faults(mesh: Mesh) -> list[str]:
    """Say what keeps a mesh from being the surface of a solid; nothing if it is watertight.

    Every edge must be shared by two triangles, once in either direction; each triangle has an area; the volume is
    positive; no triangle passes through another.
    """
    found: list[str] = []
    if not len(mesh.faces):
        return ["it has no triangle"]
    edges, times = np.unique(_sides(mesh.faces), axis=0, return_counts=True)
    there: list[list[int]] = edges.tolist()
    back = {(j, i) for i, j in there}
    lonely = sum((i, j) not in back for i, j in there)
    if lonely or (times > 1).any():
        found.append(f"{lonely} edges have no second triangle, {int((times > 1).sum())} have too many")
    flat = int((normals(mesh.corners)[1] < _THIN).sum())
    if flat:
        found.append(f"{flat} triangles have no area")
    if mesh.volume <= 0:
        found.append(f"its volume is {mesh.volume:.3g} mm^3")
    if crossing := crossings(mesh):
        found.append(f"{crossing} pairs of triangles pass through each other")
    return found


def pinched(mesh: Mesh) -> set[tuple[int, int]]:
    """Return the edges (indices of their ends, the lower first) that more than two triangles share."""
    edges, times = np.unique(_sides(mesh.faces), axis=0, return_counts=True)
    return {(min(i, j), max(i, j)) for i, j in edges[times > 1].tolist()}


def crossings(mesh: Mesh) -> int:
    """Return how many pairs of triangles without a common vertex pass through each other."""
    corners = mesh.corners
    ends = list(zip(corners.min(axis=1).T.copy(), corners.max(axis=1).T.copy(), strict=True))  # along x, y and z
    pairs: list[Indices] = [np.empty((0, 2), dtype=np.int64)]
    for begin in range(0, len(corners), _AT_ONCE):
        of, rest = slice(begin, begin + _AT_ONCE), slice(begin, None)
        near = np.triu(np.ones((len(ends[0][0][of]), len(ends[0][0][rest])), dtype=bool), 1)
        for low, high in ends:
            near &= (low[rest] < high[of, None]) & (high[rest] > low[of, None])
        pairs.append(np.argwhere(near) + begin)
    both = np.concatenate(pairs)
    shares = (mesh.faces[both[:, 0], :, None] == mesh.faces[both[:, 1], None, :]).any(axis=(1, 2))
    both = both[~shares]
    crossed = np.zeros(len(both), dtype=bool)
    for one, other in ((both[:, 0], both[:, 1]), (both[:, 1], both[:, 0])):
        for k in range(3):
            crossed |= _pierces(corners[one, k], corners[one, (k + 1) % 3], corners[other])
    return int(crossed.sum())


def _pierces(start: Array, end: Array, triangles: Array) -> npt.NDArray[np.bool_]:
    """Tell which segments go through their triangle, well within both (Moeller and Trumbore 1997)."""
    a, b, c = np.moveaxis(triangles, 1, 0)
    normal = np.cross(b - a, c - a)
    size = np.maximum(np.linalg.norm(normal, axis=1), 1e-12)
    before, after = (np.einsum("ij,ij->i", point - a, normal) / size for point in (start, end))
    through = (before * after < 0) & (np.minimum(np.abs(before), np.abs(after)) > _CLEAR)
    t = before / np.where(before == after, 1.0, before - after)
    at = start + t[:, None] * (end - start)
    inside = np.ones(len(at), dtype=bool)
    for p, q in ((a, b), (b, c), (c, a)):
        side = np.einsum("ij,ij->i", np.cross(q - p, at - p), normal) / size
        inside &= side > _CLEAR * np.linalg.norm(q - p, axis=1)
    return through & inside


def cleaned(mesh: Mesh, fine: float = 1e-3) -> Mesh:
    """Return the surface with vertices nearer than `fine` mm to each other made one, no triangle without an area."""
    pairs: Indices = _spatial.cKDTree(mesh.vertices).query_pairs(fine, output_type="ndarray")
    first = np.arange(len(mesh.vertices))
    for i, j in pairs[np.lexsort(pairs.T[::-1])]:
        first[first == first[j]] = first[i]
    faces = first[mesh.faces]
    faces = faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]
    turned: Indices = (faces.argmin(axis=1)[:, None] + np.arange(3)) % 3
    ordered = [(i, j, k) for i, j, k in np.take_along_axis(faces, turned, axis=1).tolist()]
    back = {(i, k, j) for i, j, k in ordered}
    kept = np.array([face for face in ordered if face not in back], dtype=np.int64).reshape(-1, 3)
    kept = _thick(Mesh(mesh.vertices, kept))
    used, index = np.unique(kept, return_inverse=True)
    return flipped(Mesh(mesh.vertices[used], index.reshape(-1, 3).astype(np.int64)))


def _thick(mesh: Mesh) -> Indices:
    """Return the triangles of those pieces of a mesh that are no sheets without a volume."""
    start, end = _sides(mesh.faces).T
    size = len(mesh.vertices)
    graph = _sparse.coo_matrix((np.ones(len(start)), (start, end)), shape=(size, size))
    pieces: Indices = _graphs.connected_components(graph, directed=False)[1][mesh.faces[:, 0]]
    own = [mesh.faces[pieces == piece] for piece in np.unique(pieces)]
    thick = [faces for faces in own if abs(Mesh(mesh.vertices, faces).volume) > _SHEET]
    return np.concatenate(thick) if thick else mesh.faces


def flipped(mesh: Mesh) -> Mesh:
    """Return the same surface without triangles whose corners lie in one line.

    The longest side of such a triangle is shared with another one: the two are divided along their other diagonal.
    """
    faces = mesh.faces.copy()
    owner = owners(faces)
    waiting = [int(i) for i in np.flatnonzero(_height(mesh.vertices[faces]) < _LOW)]
    for _ in range(20 * len(waiting) + 100):
        if not waiting:
            break
        i = waiting.pop(0)
        corners = mesh.vertices[faces[i]]
        if _height(corners[None])[0] >= _LOW:
            continue
        k = int(np.argmax(np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)))
        start, end, between = (int(faces[i][(k + n) % 3]) for n in range(3))
        j = owner[end, start]
        beyond = next(int(v) for v in faces[j] if v not in (start, end))
        if beyond == between or (between, beyond) in owner or (beyond, between) in owner:
            waiting.append(i)  # after others it may be possible
            continue
        del owner[start, end], owner[end, start]
        faces[i], faces[j] = (beyond, between, start), (between, beyond, end)
        for n, face in ((i, faces[i]), (j, faces[j])):
            owner |= {(int(face[m]), int(face[(m + 1) % 3])): n for m in range(3)}
        waiting += [n for n in (i, j) if _height(mesh.vertices[faces[n]][None])[0] < _LOW]
    return Mesh(mesh.vertices, faces)


def _height(corners: Array) -> Array:
    """Return how high triangles (m, 3, 3) are over their longest side."""
    sides = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2).max(axis=1)
    return normals(corners)[1] / np.maximum(sides, 1e-12)
