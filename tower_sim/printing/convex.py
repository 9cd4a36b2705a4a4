"""A mesh as convex solids, which engines know: cut along its own faces where it is not convex."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations, count
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus.hull import MOST_VERTICES, Hull, Vector
from tower_sim.apparatus.parts import Apparatus, over_table
from tower_sim.errors import UsageError
from tower_sim.printing import solid
from tower_sim.printing.mesh import Array, Mesh, across, normals, owners

_spatial: Any = importlib.import_module("scipy.spatial")  # scipy has no type stubs
_REFLEX = 1e-3  # mm: how far the far corner of a neighbour is over a triangle's plane where the edge is reflex
_SLIVER = 1e-2  # mm^2: twice the area of a triangle that tells no plane
_NEAR = (1e-3, 3e-3, 1e-2, 3e-2, 1e-1)  # mm: what is so near to a plane lies in it, tried in this order
_MISSED = 0.1  # mm^3
_LEAST = 1e-2  # mm^3
_SAME = 1e-3  # mm^3: by so much a hull may be larger than the two solids it takes the place of
_MOST = 5000
_SHARE = 1e-3  # of the volume: the most that hulls may miss of parts


def convex(mesh: Mesh) -> list[Array]:
    """Return the vertices (k, 3) of convex solids that make up a closed mesh, flat faces where it has them.

    A solid that is not convex is divided by the plane of a face at one of its reflex edges, that of most of them
    (Chazelle 1984); then solids whose union is convex are joined again. Raises UsageError for over 5,000.
    """
    waiting = solid.from_mesh(mesh).decompose()
    done: list[solid.Solid] = []
    while waiting:
        part = waiting.pop()
        if part.volume() < _LEAST:
            continue
        plane = _cut(part)
        if plane is None:
            done.append(part)
        else:
            waiting += [piece for half in solid.halves(part, *plane) for piece in half.decompose()]
        if len(done) + len(waiting) > _MOST:
            raise UsageError(f"a mesh has over {_MOST} convex parts; allowed is one of flat faces; export it again")
    return [solid.raw_mesh(part).vertices for part in _merged(done)]


def remade(apparatus: Apparatus, parts: Iterable[tuple[Mesh, str, str]]) -> tuple[Apparatus, float]:
    """Return an apparatus made of meshes (mm), each with its part and surface, for the engine core; its table stays.

    Its fixed parts are convex hulls; the second value is the share of the volume that these have not, or have too much.
    Raises UsageError for meshes that convex solids cannot stand for.
    """
    found: list[Hull] = []
    missed = volume = 0.0
    for mesh, part, surface in parts:
        own = [hull for corners in convex(mesh) for hull in hulls(corners, part, surface)]
        found += own
        missed += abs(mesh.volume - sum(float(solid.hull(1e3 * np.array(hull.vertices)).volume()) for hull in own))
        volume += mesh.volume
    share = missed / max(volume, 1e-9)
    if share > _SHARE:
        raise UsageError(
            f"convex solids miss {share:.2%} of the parts of {apparatus.name}; allowed is {_SHARE:.1%}; these parts "
            "cannot be simulated"
        )
    table = tuple(box for box in apparatus.boxes if not over_table(box))
    return replace(apparatus, boxes=table, hulls=tuple(found)), share


def _cut(part: solid.Solid) -> tuple[Array, float] | None:
    """Return the plane (unit normal, offset) to cut along; None of a convex solid.

    It is that of faces with something before them: of all such planes the one with the longest reflex edges, else with
    the largest faces (slivers may hide an edge).
    """
    mesh = solid.raw_mesh(part)
    if solid.hull(mesh.vertices).volume() < part.volume() + _SAME:
        return None
    first, owner = mesh.corners[:, 0], owners(mesh.faces)
    normal, area = normals(mesh.corners)
    over = np.zeros(len(first))
    for (start, end), i in owner.items():
        far = int(mesh.faces[owner.get((end, start), i)].sum()) - start - end
        if normal[i] @ (mesh.vertices[far] - first[i]) > _REFLEX:
            over[i] += float(np.linalg.norm(mesh.vertices[end] - mesh.vertices[start]))
    weight: dict[tuple[float, ...], Array] = {}
    planes: dict[tuple[float, ...], tuple[Array, float]] = {}
    for i in np.argsort(-area, kind="stable"):
        if area[i] > _SLIVER:
            offset = float(normal[i] @ first[i])
            key = _key(normal[i], offset)
            planes.setdefault(key, (normal[i], offset))
            weight[key] = weight.get(key, np.zeros(2)) + np.array([over[i], area[i]])
    for key in sorted(weight, key=lambda key: (*(-weight[key]).round(2).tolist(), key)):
        across_it, offset = planes[key]
        away = mesh.vertices @ across_it - offset
        if away.min() < -_REFLEX and away.max() > _REFLEX:
            return across_it, offset
    return None


def _key(normal: Array, offset: float) -> tuple[float, ...]:
    sign = 1.0 if tuple(normal.round(4)) > tuple(-normal.round(4)) else -1.0
    return (*(sign * normal).round(4).tolist(), round(sign * offset, 2))


def _merged(parts: list[solid.Solid]) -> list[solid.Solid]:
    """Join two solids as long as there are two whose hull is no larger than both; no two are tried twice."""
    found, number = list(enumerate(parts)), count(len(parts))
    apart: set[tuple[int, int]] = set()
    again = True
    while again:
        again = False
        for (i, (one, first)), (j, (other, second)) in combinations(enumerate(found), 2):
            if (one, other) in apart:
                continue
            hull = _joined(first, second)
            if hull is None:
                apart.add((one, other))
                continue
            found[i] = next(number), hull
            del found[j]
            again = True
            break
    return [part for _, part in found]


def _joined(one: solid.Solid, other: solid.Solid) -> solid.Solid | None:
    """Return the hull of two solids; None where it is larger than both, or they are not near each other."""
    if not solid.near(one, other):
        return None
    hull = solid.hull(np.concatenate([solid.raw_mesh(one).vertices, solid.raw_mesh(other).vertices]))
    return hull if hull.volume() <= one.volume() + other.volume() + _SAME else None


def hulls(vertices: Array, part: str, surface: str, deep: int = 3) -> Iterator[Hull]:
    """Yield the convex hull (m) of points (mm); where its faces cannot be told apart, those of its two halves."""
    found = hull_of(vertices, part, surface)
    if found is not None:
        yield found
        return
    whole = solid.hull(vertices)
    if deep and whole.volume() > 1.0:
        axis = int(np.argmax(np.ptp(vertices, axis=0)))
        for half in solid.halves(whole, np.eye(3)[axis], float(vertices[:, axis].mean())):
            yield from hulls(solid.raw_mesh(half).vertices, part, surface, deep - 1)


def hull_of(vertices: Array, part: str, surface: str) -> Hull | None:
    """Return the convex hull (m) of points (mm), its flat faces whole; None where there is none as large, to 0.1 mm^3.

    What is flat and what is one corner is tried within a thousandth of a mm and up.
    """
    try:
        made = _spatial.ConvexHull(vertices)
    except _spatial.QhullError:
        return None
    for near in _NEAR:
        corners, faces = _whole_faces(vertices, made, near)
        if not 4 <= len(corners) <= MOST_VERTICES:
            continue
        in_metres: tuple[Vector, ...] = tuple((float(x), float(y), float(z)) for x, y, z in 1e-3 * corners)
        try:
            if abs(_spatial.ConvexHull(corners).volume - made.volume) < _MISSED:
                return Hull(part, surface, in_metres, faces)
        except (UsageError, _spatial.QhullError):
            continue
    return None


def _whole_faces(vertices: Array, made: Any, near: float) -> tuple[Array, tuple[tuple[int, ...], ...]]:
    """Return the corners of a hull and its faces as their indices; a corner is one of three faces or more."""
    planes = _planes(vertices, made, near)
    kept = [i for i, v in enumerate(vertices) if (np.linalg.norm(vertices[:i] - v, axis=1) > near).all()]
    while True:
        corners = vertices[kept]
        lies_in = np.abs(corners @ planes[:, :3].T + planes[:, 3]) < near
        rings = [
            _ring(corners, plane[:3], np.flatnonzero(inside)) for plane, inside in zip(planes, lies_in.T, strict=True)
        ]
        rings = [ring for ring in rings if len(ring) > 2]
        times = np.bincount([i for ring in rings for i in ring], minlength=len(kept))
        if (times > 2).all():
            return corners, tuple(tuple(ring) for ring in rings)
        kept = [i for i, number in zip(kept, times, strict=True) if number > 2]
        if len(kept) < 4:
            return vertices[kept], ()


def _planes(vertices: Array, made: Any, near: float) -> Array:
    """Return the planes (normal, offset) of a hull's faces, each once: of triangles in one plane the largest one's."""
    corners = vertices[made.simplices]
    area = normals(corners)[1]
    planes: list[Array] = []
    for k in np.argsort(-area, kind="stable"):
        if area[k] > _SLIVER and not any(
            np.abs(corners[k] @ plane[:3] + plane[3]).max() < near and plane[:3] @ made.equations[k, :3] > 0
            for plane in planes
        ):
            planes.append(made.equations[k])
    return np.array(planes).reshape(-1, 4)


def _ring(vertices: Array, normal: Array, indices: npt.NDArray[np.intp]) -> list[int]:
    """Return the indices of a flat face's corners, counter-clockwise as seen from outside; none on its sides."""
    if len(indices) < 3:
        return []
    u = across(normal)
    flat: Array = vertices[indices] @ (np.stack([u, np.cross(normal, u)], axis=1) / np.linalg.norm(u))
    try:
        return indices[_spatial.ConvexHull(flat).vertices].tolist()
    except _spatial.QhullError:
        return []
