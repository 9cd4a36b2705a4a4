"""A mesh as convex prisms: each flat region cut into convex polygons, each pushed inwards.

    triangles --flat within a tolerance--> regions --merged while convex--> polygons --pushed inwards--> prisms

The mesh need not be closed. A prism is as thick as the wall behind it, at most THICK. Its sides lean inwards where the
surface has a sharp edge, so that it comes out at no other face. Source of the merging: Hertel and Mehlhorn, Fast
triangulation of simple polygons, 1983.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus.mesh.solids import Prism, as_hull
from tower_sim.apparatus.mesh.space import find_normals, sample, spatial
from tower_sim.apparatus.parts import Vector, sides
from tower_sim.errors import UsageError

_sparse: Any = import_module("scipy.sparse")  # scipy has no type stubs
_graphs: Any = import_module("scipy.sparse.csgraph")

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]
Point = tuple[float, float]

THICK = 1.5  # mm
THIN = 0.2  # mm: no prism is thinner
FLAT = 0.05  # mm: what is flat within this is one region
SLIVER = 0.02  # mm: narrower polygons are left out
CORNERS = 30  # of a polygon: a hull has at most 64 vertices
_BENT = math.cos(math.radians(12))  # a region's triangles are no steeper to each other
_DIGITS = 6  # of coordinates in mm


@dataclass(frozen=True, slots=True)
class Slivers:
    """The slivers that were left out: number and area (mm2)."""

    number: int
    area: float


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Triangles: `vertices` (n, 3; mm), `faces` (m, 3), and for each its part, an index in `parts`."""

    vertices: Array
    faces: Rows
    part: Rows
    parts: tuple[str, ...]

    @property
    def triangles(self) -> Array:
        """The corners of all triangles, shape (m, 3, 3)."""
        return self.vertices[self.faces]

    def closed(self) -> tuple[Rows, npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Return the body of each triangle, and of each body whether it is closed and its outside is outside.

        A body is closed if it has as many edges in one direction as in the other.
        """
        ends = self.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        rows = np.repeat(np.arange(len(self.faces)), 3)
        count = len(self.vertices)
        low, high = ends.min(axis=1), ends.max(axis=1)
        _, edge = np.unique(low * count + high, return_inverse=True)
        first = np.zeros(edge.max() + 1, dtype=int)
        first[edge] = rows  # one of the triangles at an edge stands for all
        link = _sparse.coo_matrix((np.ones(len(rows)), (rows, first[edge])), shape=(len(self.faces),) * 2)
        number, body = _graphs.connected_components(link, directed=False)
        closed = np.ones(number, dtype=bool)
        balance = np.bincount(edge, np.where(ends[:, 0] == low, 1, -1))
        closed[body[first[balance != 0]]] = False
        a, b, c = np.moveaxis(self.triangles, 1, 0)
        volume = np.bincount(body, np.sum(a * np.cross(b, c), axis=1), number)
        return body, closed, volume > 0

    def only(self, kept: npt.NDArray[np.bool_]) -> Mesh:
        """Return the mesh of some of its triangles."""
        return Mesh(self.vertices, self.faces[kept], self.part[kept], self.parts)


@dataclass(slots=True, eq=False)
class _Region:
    """Triangles in one plane: their rows, the plane's normal and offset, and which are turned over."""

    rows: list[int]
    normal: Array
    offset: float
    turned: list[bool]


def make_prisms(mesh: Mesh, flat: float, turned: npt.NDArray[np.bool_]) -> tuple[list[Prism], Slivers]:
    """Return the prisms of a mesh, and what was left out; `turned` triangles have their outside behind them."""
    neighbours = _find_neighbours(mesh)
    regions = _find_regions(mesh, flat, neighbours)
    areas = find_normals(mesh.triangles)[1]
    for region in regions:
        behind = turned[region.rows] ^ np.array(region.turned)
        if areas[region.rows] @ np.where(behind, 1.0, -1.0) > 0:
            region.normal, region.offset = -region.normal, -region.offset
            region.turned = [not each for each in region.turned]
    of_row = {row: region for region in regions for row in region.rows}
    pieces: list[tuple[_Region, Array, _Ring]] = []
    slivers: list[float] = []
    for region in regions:
        flat_axes = _find_axes(region.normal)
        rings, narrow = _find_polygons(mesh, region, flat_axes)
        pieces += [(region, flat_axes, ring) for ring in rings]
        slivers += narrow
    prisms: list[Prism] = []
    for (region, flat_axes, ring), depth in zip(pieces, _find_depths(mesh, pieces).tolist(), strict=True):
        falls = [_find_fall(mesh, region, edges, neighbours, of_row) for edges in ring.sides]
        corners = _push(ring.corners, region, flat_axes, [cotangent for _, cotangent in falls], depth)
        part, cosines = mesh.parts[int(mesh.part[region.rows[0]])], [round(max(cosine, -1.0), 4) for cosine, _ in falls]
        try:  # after rounding a very narrow one may be no hull
            as_hull(part, "", [(1e-3 * x, 1e-3 * y, 1e-3 * z) for x, y, z in corners], cosines)
            prisms.append(Prism(part, corners, cosines))
        except UsageError:
            slivers.append(_find_area(ring.corners))
    return prisms, Slivers(len(slivers), sum(slivers))


def _find_neighbours(mesh: Mesh) -> dict[tuple[int, int], list[int]]:
    neighbours: dict[tuple[int, int], list[int]] = {}
    for row, face in enumerate(mesh.faces.tolist()):
        for edge in sides(face):
            neighbours.setdefault((min(edge), max(edge)), []).append(row)
    return neighbours


def _find_regions(mesh: Mesh, flat: float, neighbours: dict[tuple[int, int], list[int]]) -> list[_Region]:
    corners = mesh.triangles
    normals, sizes = find_normals(corners)
    beside: list[list[int]] = [[] for _ in range(len(corners))]
    for rows in neighbours.values():
        if len(rows) == 2 and mesh.part[rows[0]] == mesh.part[rows[1]]:
            beside[rows[0]].append(rows[1])
            beside[rows[1]].append(rows[0])
    spans = np.sort(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2), axis=1)
    is_sliver = sizes < 0.02 * spans[:, 2]  # its normal says nothing
    is_taken = np.zeros(len(corners), dtype=bool)
    regions: list[_Region] = []
    plain_normals, plain_corners, slim = normals.tolist(), corners.tolist(), is_sliver.tolist()
    for seed in np.argsort(-sizes, kind="stable").tolist():
        if is_taken[seed]:
            continue
        x, y, z = plain_normals[seed]
        a, b, c = plain_corners[seed][0]
        offset = x * a + y * b + z * c
        region = _Region([seed], normals[seed], offset, [False])
        is_taken[seed] = True
        for row in region.rows:
            for other in beside[row]:
                if is_taken[other]:
                    continue
                p, q, r = plain_normals[other]
                same = x * p + y * q + z * r
                if abs(same) < _BENT and not slim[other]:
                    continue
                if all(abs(x * u + y * v + z * w - offset) <= flat for u, v, w in plain_corners[other]):
                    is_taken[other] = True
                    region.rows.append(other)
                    region.turned.append(same < 0)
        regions.append(region)
    return regions


def _find_axes(normal: Array) -> Array:
    u: Array = np.roll(np.eye(3), 1, axis=0)[int(np.argmax(np.abs(normal)))]
    u = u - (u @ normal) * normal
    u /= np.linalg.norm(u)
    return np.stack([u, np.cross(normal, u)])


@dataclass(frozen=True, slots=True)
class _Ring:
    """A convex polygon in a region's plane: its `corners`, and the mesh's edges on each side."""

    corners: list[Point]
    sides: list[list[tuple[int, int]]]


def _find_polygons(mesh: Mesh, region: _Region, flat_axes: Array) -> tuple[list[_Ring], list[float]]:
    faces = mesh.faces[region.rows].tolist()
    used = sorted({vertex for face in faces for vertex in face})
    flat = (mesh.vertices[used] @ flat_axes.T).tolist()
    places: dict[int, Point] = {vertex: (x, y) for vertex, (x, y) in zip(used, flat, strict=True)}
    polygons: dict[int, list[int]] = {}
    owner: dict[tuple[int, int], int] = {}
    slivers: list[float] = []
    for k, ((a, b, c), turned) in enumerate(zip(faces, region.turned, strict=True)):
        ring = [a, c, b] if turned else [a, b, c]
        area = _find_area([places[v] for v in ring])
        if area < 0:
            ring, area = ring[::-1], -area
        polygons[k] = ring
        for side in sides(ring):
            owner.setdefault(side, k)
    shared = [(a, b) for a, b in owner if a < b and (b, a) in owner]
    shared.sort(key=lambda side: -_length(places[side[0]], places[side[1]]))
    for a, b in shared:
        one, two = owner[a, b], owner[b, a]
        union = _merge(polygons[one], polygons[two], a, b, places) if one != two else None
        if union:
            polygons[one] = union
            del polygons[two]
            owner |= dict.fromkeys(sides(union), one)
    rings: list[_Ring] = []
    for polygon in polygons.values():
        ring = _straighten(polygon, places)
        points = [places[v] for v, _ in ring]
        if len(ring) < 3 or _find_width(points) < SLIVER:
            slivers.append(abs(_find_area([places[v] for v in polygon])))
        else:
            rings.append(_Ring(points, [edges for _, edges in ring]))
    return rings, slivers


def _merge(one: list[int], two: list[int], a: int, b: int, places: dict[int, Point]) -> list[int] | None:
    if len(one) + len(two) - 2 > 4 * CORNERS:
        return None
    i, j = one.index(a), two.index(b)
    first, second = [*one[i + 1 :], *one[: i + 1]], [*two[j + 1 :], *two[: j + 1]]  # b ... a, a ... b
    ring = [*first, *second[1:-1]]
    if len(set(ring)) < len(ring):
        return None
    size = len(ring)
    for corner in (len(first) - 1, 0):  # the two joints
        before, here, after = places[ring[corner - 1]], places[ring[corner]], places[ring[(corner + 1) % size]]
        ahead = (here[0] - before[0]) * (after[0] - here[0]) + (here[1] - before[1]) * (after[1] - here[1])
        if _turn(before, here, after) < (-1e-9 if ahead > 0 else 1e-9):  # no way back on the same line
            return None
    return ring


def _straighten(ring: list[int], places: dict[int, Point]) -> list[tuple[int, list[tuple[int, int]]]]:
    left = [(a, [(a, b)]) for a, b in sides(ring)]
    xs, ys = zip(*(places[v] for v in ring), strict=True)
    least_rise = max(1e-3, 3e-5 * max(max(xs) - min(xs), max(ys) - min(ys)))  # a hull takes less for one plane
    while len(left) > 3:
        flattest, least = 0, math.inf
        for k in range(len(left)):
            before, here, after = places[left[k - 1][0]], places[left[k][0]], places[left[(k + 1) % len(left)][0]]
            base = max(_length(before, here), _length(here, after))
            height = abs(_turn(before, here, after)) / base if base else 0.0
            if height < least:
                flattest, least = k, height
        if least > least_rise and len(left) <= CORNERS:
            break
        left[flattest - 1][1].extend(left[flattest][1])
        del left[flattest]
    return left


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


def _length(a: Point, b: Point) -> float:
    return math.hypot(b[0] - a[0], b[1] - a[1])


def _find_area(ring: Sequence[Point]) -> float:
    return sum(a[0] * b[1] - a[1] * b[0] for a, b in sides(ring)) / 2


def _find_width(ring: Sequence[Point]) -> float:
    lengths = [(a, b, _length(a, b)) for a, b in sides(ring)]
    return min((max(_turn(a, b, c) for c in ring) / size for a, b, size in lengths if size > 0), default=math.inf)


def _find_fall(
    mesh: Mesh,
    region: _Region,
    edges: Sequence[tuple[int, int]],
    neighbours: dict[tuple[int, int], list[int]],
    of_row: dict[int, _Region],
) -> tuple[float, float]:
    """Return the least cosine (see `Hull`) over a side's edges, and the cotangent of the material's sharpest angle.

    The cotangent is 0 for a right angle or more.
    """
    least, sharpest = 1.0, 0.0
    for edge in edges:
        rows = neighbours[min(edge), max(edge)]
        if len(rows) == 1:
            least = -1.0  # nothing is next
        for row in rows:
            other = of_row[row]
            depth = mesh.vertices[mesh.faces[row]] @ region.normal - region.offset
            if other is not region and depth.min() < -1e-3:
                cosine = float(region.normal @ other.normal)
                least, sharpest = min(least, cosine), min(sharpest, cosine)
    return least, min(-sharpest / math.sqrt(max(1.0 - sharpest * sharpest, 1e-6)), 20.0)


def _push(
    ring: list[Point], region: _Region, flat_axes: Array, cotangents: Sequence[float], depth: float
) -> list[Vector]:
    while (lower := _inset(ring, [depth * cotangent for cotangent in cotangents])) is None:
        depth /= 2
        if depth <= THIN:
            lower = ring
            break
    upper = np.array(ring) @ flat_axes + region.offset * region.normal
    under = np.array(lower) @ flat_axes + (region.offset - depth) * region.normal
    return list(map(tuple, np.round(np.concatenate([upper, under]), _DIGITS).tolist()))


def _inset(ring: list[Point], by: Sequence[float]) -> list[Point] | None:
    if not any(by):
        return ring
    lines: list[tuple[float, float, float]] = []  # inward normal, offset
    for (a, b), away in zip(sides(ring), by, strict=True):
        size = _length(a, b)
        x, y = (a[1] - b[1]) / size, (b[0] - a[0]) / size
        lines.append((x, y, x * a[0] + y * a[1] + away))
    inner: list[Point] = []
    for (a, b, p), (c, d, q) in zip([lines[-1], *lines[:-1]], lines, strict=True):
        bend = a * d - b * c
        if abs(bend) < 1e-9:
            return None
        inner.append(((p * d - b * q) / bend, (a * q - p * c) / bend))
    for (a, b), (c, d) in zip(sides(ring), sides(inner), strict=True):
        if (b[0] - a[0]) * (d[0] - c[0]) + (b[1] - a[1]) * (d[1] - c[1]) <= 1e-4 * _length(a, b):
            return None
    return inner


def _find_depths(mesh: Mesh, pieces: Sequence[tuple[_Region, Array, _Ring]]) -> Array:
    """Return how deep (mm) the material is behind each polygon, from THIN to THICK.

    Source: Moeller and Trumbore, Fast, minimum storage ray-triangle intersection, 1997.
    """
    starts: list[Array] = []
    for region, flat_axes, ring in pieces:
        corners = np.array(ring.corners)
        inner = middle = corners.mean(axis=0, keepdims=True)
        if np.ptp(corners, axis=0).max() > 2 * THICK:
            inner = np.concatenate([0.9 * corners + 0.1 * middle, middle])
        starts.append(inner @ flat_axes + region.offset * region.normal)
    numbers = [len(some) for some in starts]
    origins = np.concatenate(starts)
    owners = np.repeat(np.arange(len(pieces)), numbers)
    into = -np.repeat([region.normal for region, _, _ in pieces], numbers, axis=0)
    corners = mesh.triangles
    points, rows = sample(corners, THICK)
    normals = find_normals(corners)[0]
    tree = spatial.cKDTree(points)
    depths = np.full(len(pieces), THICK)
    # what is hit is up to half of THICK from the middle of the way, and up to .71 of it from a sample
    for some in np.array_split(np.arange(len(origins)), max(1, len(origins) // 20_000)):
        ways = spatial.cKDTree(origins[some] + THICK / 2 * into[some])
        near: Any = ways.sparse_distance_matrix(tree, 1.25 * THICK, output_type="ndarray")
        ray, other = some[near["i"]], rows[near["j"]]
        slant = np.einsum("rk,rk->r", normals[other], into[ray])
        ray, other = ray[np.abs(slant) > 0.1], other[np.abs(slant) > 0.1]
        off = np.sum((corners[other] - origins[ray][:, None]) * into[ray][:, None], axis=2)
        behind = np.abs(off).max(axis=1) > FLAT  # not in the polygon's own plane
        ray, other = ray[behind], other[behind]
        a = corners[other, 0]
        u, v = corners[other, 1] - a, corners[other, 2] - a
        way, to = into[ray], origins[ray] - a
        p, q = np.cross(way, v), np.cross(to, u)
        bend = np.sum(u * p, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):  # parallel: not hit
            s, r, away = np.sum(to * p, axis=1) / bend, np.sum(way * q, axis=1) / bend, np.sum(v * q, axis=1) / bend
            hit = (np.abs(bend) > 1e-12) & (s >= 0) & (r >= 0) & (s + r <= 1) & (away > 2 * FLAT)
        np.minimum.at(depths, owners[ray[hit]], 0.98 * away[hit])
    return np.maximum(depths, THIN)
