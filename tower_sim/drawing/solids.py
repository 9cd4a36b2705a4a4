"""Convex solids as lists of flat faces.

    boxes -> convex solids -> (cut) -> their union -> faces -> painted from the back to the front

Lengths are in mm. A face's corners run counter-clockwise as seen from outside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise, product
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus.solids import axes

Array = npt.NDArray[np.float64]
_NEAR = 1e-6  # mm: points closer than this to a plane lie in it
_CREASE = 0.01  # mm: narrower gaps, from rounded lengths in profiles, are not drawn as creases
_TRIED = 8  # candidates for the dividing plane: the one that splits fewest faces is taken


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """A convex polygon of a part: `corners` (n, 3), and its outward unit `normal`.

    `drawn` says which edges are drawn, from each corner to the next. `is_cut`: the material is cut open here.
    """

    part: str
    corners: Array
    normal: Array
    drawn: tuple[bool, ...]
    is_cut: bool = False

    def split(self, normal: Array, offset: float) -> tuple[Face | None, Face | None]:
        """Split a face at the plane normal . x = offset; return the pieces on the side of `normal` and on the other.

        A missing piece is None. The edge between the pieces is not drawn.
        """
        beyond: list[float] = [x if abs(x) >= _NEAR else 0.0 for x in (self.corners @ normal - offset).tolist()]
        if min(beyond) >= 0:
            return self, None
        if max(beyond) <= 0:
            return None, self
        pieces: list[Face | None] = []
        for side in (beyond, [-x for x in beyond]):
            corners: list[Array] = []
            drawn: list[bool] = []
            for i, here in enumerate(side):
                j = (i + 1) % len(side)
                there = side[j]
                if here >= 0:
                    corners.append(self.corners[i])
                    drawn.append(self.drawn[i] and not (here == 0 and there < 0))
                if here * there < 0:
                    corners.append(self.corners[i] + here / (here - there) * (self.corners[j] - self.corners[i]))
                    drawn.append(self.drawn[i] and here < 0)
            pieces.append(replace(self, corners=np.array(corners), drawn=tuple(drawn)))
        return pieces[0], pieces[1]


Solid = Sequence[Face]  # the faces of a convex solid


def tilted_box(part: str, centre: Sequence[float], half: Sequence[float], q: Sequence[float]) -> list[Face]:
    """Return the faces of a box with half edges `half`, rotated by the unit quaternion `q` (x, y, z, w)."""
    turn = axes(np.array([q], dtype=float))[0]
    faces: list[Face] = []
    for axis, sign in product(range(3), (1, -1)):
        local = np.empty((4, 3))
        local[:, axis] = sign
        local[:, (axis + 1) % 3] = [-1, 1, 1, -1]
        local[:, (axis + 2) % 3] = [-sign, -sign, sign, sign]
        corners = np.asarray(centre) + (local * half) @ turn.T
        faces.append(Face(part, corners, sign * turn[:, axis], (True,) * 4))
    return faces


def clip(solid: Solid, normal: Sequence[float], offset: float, is_cut: bool) -> Solid:
    """Return the part of a solid where normal . x <= offset, closed by a new face."""
    plane = np.asarray(normal, dtype=float)
    beyond: Array = np.concatenate([np.empty((0, 3)), *(face.corners for face in solid)]) @ plane - offset
    if (beyond > -_NEAR).all():
        return []
    if (beyond < _NEAR).all():
        return solid
    left = [face for face in (face.split(-plane, -offset)[0] for face in solid) if face is not None]
    points = np.concatenate([face.corners for face in left])
    points = points[np.abs(points @ plane - offset) < 10 * _NEAR]
    u = np.linalg.svd(plane[None])[2][1]
    v = np.cross(plane, u)  # u, v turn counter-clockwise seen from outside, where the normal points
    from_middle = points - points.mean(axis=0)
    ring = points[np.argsort(np.arctan2(from_middle @ v, from_middle @ u))]
    ring = ring[np.linalg.norm(ring - np.roll(ring, 1, axis=0), axis=1) > 10 * _NEAR]
    return left if len(ring) < 3 else [*left, Face(left[0].part, ring, plane, (True,) * len(ring), is_cut)]


def unite(solids: Sequence[Solid]) -> list[Face]:
    """Return the surface of the union of convex solids of one part."""
    owned = [(i, face) for i, solid in enumerate(solids) for face in solid]
    if not owned:
        return []
    low, high = _extents([face for _, face in owned], np.eye(3))
    starts = np.cumsum([0, *map(len, solids[:-1])])
    of_solid: Any = np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)
    is_near = ((of_solid[0] <= high[:, None] + _NEAR) & (of_solid[1] >= low[:, None] - _NEAR)).all(axis=2)
    normals = [np.array([face.normal for face in solid]) for solid in solids]
    offsets = [np.array([face.normal @ face.corners[0] for face in solid]) for solid in solids]
    planes = np.concatenate(normals).T, np.concatenate(offsets)
    is_parted: Any = _part(*_extents([face for _, face in owned], planes[0].T), planes[1])[0]
    is_near &= ~np.logical_or.reduceat(is_parted, starts, axis=1)
    surface: list[Face] = []
    for (i, face), near in zip(owned, is_near, strict=True):
        pieces = [face]
        for j in np.flatnonzero(near).tolist():
            if j != i:
                pieces = [left for piece in pieces for left in _cut_away(piece, normals[j], offsets[j], j < i)]
        surface += pieces
    return join(surface)


def join(faces: Sequence[Face]) -> list[Face]:
    """Return faces with only the creases drawn, where different planes meet."""
    of_plane: dict[tuple[float, ...], list[Face]] = {}
    for face in faces:
        offset = float(face.normal @ face.corners[0])
        plane = (*(np.round(face.normal, 5) + 0.0).tolist(), round(offset, 3), face.is_cut)
        of_plane.setdefault(plane, []).append(face)
    return [face for of_one in of_plane.values() for face in _crease(of_one)]


def _extents(faces: Sequence[Face], directions: Array) -> tuple[Array, Array]:
    along = np.concatenate([face.corners for face in faces]) @ directions.T
    starts = np.cumsum([0, *(len(face.corners) for face in faces[:-1])])
    ends: Any = np.minimum.reduceat(along, starts), np.maximum.reduceat(along, starts)
    return ends


def _part(low: Array, high: Array, offsets: Array) -> tuple[Any, Any, Any]:
    low, high = low - offsets, high - offsets
    is_flat = (low > -_NEAR) & (high < _NEAR)
    return (low > -_NEAR) & ~is_flat, is_flat, high > _NEAR


def _cut_away(face: Face, normals: Array, offsets: Array, is_later: bool) -> list[Face]:
    along = face.corners @ normals.T
    is_apart, is_flat, is_cut = _part(along.min(axis=0), along.max(axis=0), offsets)
    if is_apart.any() or (not is_later and (is_flat & (normals @ face.normal > 0)).any()):
        return [face]
    inside, pieces = face, list[Face]()
    for k in np.flatnonzero(is_cut):
        piece, rest = inside.split(normals[k], float(offsets[k]))
        if rest is None:
            return [face]
        inside = rest
        pieces += [piece] if piece else []
    return pieces


def _crease(faces: Sequence[Face]) -> list[Face]:
    if len(faces) == 1:
        return [replace(faces[0], drawn=(True,) * len(faces[0].corners))]
    normal = faces[0].normal
    u = np.roll(np.eye(3), 1, axis=0)[int(np.argmax(np.abs(normal)))]
    u = u - (u @ normal) * normal
    flat: Any = np.stack([u, np.cross(normal, u)], axis=1) / np.linalg.norm(u)  # projects onto the plane's two axes
    corners = np.concatenate([face.corners for face in faces])
    points = corners[np.unique(np.round(corners, 6), axis=0, return_index=True)[1]]
    rings = [_add_corners(face.corners, points @ flat, flat) for face in faces]
    starts = [ring @ flat for ring in rings]
    sides = [_shift(start) - start for start in starts]
    outward = [side[:, ::-1] * (1, -1) / np.maximum(np.linalg.norm(side, axis=1), 1e-12)[:, None] for side in sides]
    beyond = np.concatenate(
        [start + side / 2 + _CREASE * out for start, side, out in zip(starts, sides, outward, strict=True)]
    )
    goes_on = np.zeros(len(beyond), dtype=bool)
    for start, out in zip(starts, outward, strict=True):
        goes_on |= np.all(beyond @ out.T < (start * out).sum(axis=1) + _NEAR, axis=1)
    ends = pairwise(np.cumsum([0, *map(len, rings)]))
    return [
        replace(face, corners=ring, drawn=tuple((~goes_on[a:b]).tolist()))
        for face, ring, (a, b) in zip(faces, rings, ends, strict=True)
    ]


def _shift(ring: Array) -> Array:
    return np.concatenate([ring[1:], ring[:1]])


def _add_corners(ring: Array, points: Array, flat: Array) -> Array:
    start = ring @ flat
    way = _shift(start) - start
    length = np.maximum(np.linalg.norm(way, axis=1), 1e-12)
    away = points[:, None] - start
    t = (away * way).sum(axis=2) / length
    off = np.abs(away[..., 0] * way[:, 1] - away[..., 1] * way[:, 0]) / length
    is_on = (off < _CREASE) & (t > _CREASE) & (t < length - _CREASE)
    if not is_on.any():
        return ring
    corners: list[Array] = []
    for i, corner in enumerate(ring):
        end = ring[(i + 1) % len(ring)]
        corners += [
            corner,
            *(
                corner + t[j, i] / length[i] * (end - corner)
                for j in np.flatnonzero(is_on[:, i])[np.argsort(t[is_on[:, i], i])]
            ),
        ]
    return np.array(corners)


@dataclass(frozen=True, slots=True)
class View:
    """An eye in the direction `towards`, `distance` mm from `target` (infinite: a parallel projection).

    `up` points up on the sheet.
    """

    towards: tuple[float, float, float]
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    distance: float = math.inf

    def project(self, points: Any) -> Array:
        """Return where points (n, 3) are seen, shape (n, 2), in mm at the target's distance."""
        seen = (np.asarray(points, dtype=float) - self.target) @ _turn(self.towards, self.up)
        return seen[:, :2] / (1 - seen[:, 2:] / self.distance)

    def sees(self, normal: Array, offset: float) -> bool:
        """Return whether the eye is on the side of `normal`."""
        back = _turn(self.towards, self.up)[:, 2]
        if math.isinf(self.distance):
            return bool(normal @ back > 1e-9)
        return bool(normal @ (np.asarray(self.target) + self.distance * back) - offset > _NEAR)


@cache
def _turn(towards: tuple[float, float, float], up: tuple[float, float, float]) -> Array:
    back = np.array(towards) / np.linalg.norm(towards)
    right = np.cross(up, back)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(back, right), back], axis=1)


def from_back_to_front(faces: Sequence[Face], view: View) -> list[Face]:
    """Return the faces that `view` sees, so that each hides only faces before it; some are split."""
    return list(_order([face for face in faces if view.sees(face.normal, face.normal @ face.corners[0])], view))


def _order(faces: list[Face], view: View) -> Iterator[Face]:
    """Divide space recursively at the planes of faces. Source: Fuchs, Kedem and Naylor 1980, on BSP trees."""
    if not faces:
        return
    tried = faces[:: len(faces) // _TRIED + 1]
    low, high = _extents(faces, np.array([face.normal for face in tried]))
    offsets = [float(face.normal @ face.corners[0]) for face in tried]
    splits = (low < np.array(offsets) - _NEAR) & (high > np.array(offsets) + _NEAR)
    best = int(np.argmin(splits.sum(axis=0)))  # splits fewest faces
    pivot, offset = tried[best], offsets[best]
    front: list[Face] = []
    behind: list[Face] = []
    flat: list[Face] = []
    for face, lowest, highest in zip(faces, low[:, best] - offset, high[:, best] - offset, strict=True):
        if lowest > -_NEAR and highest < _NEAR:
            flat.append(face)
            continue
        for side, piece in zip((front, behind), face.split(pivot.normal, offset), strict=True):
            if piece is not None:
                side.append(piece)
    near, far = (front, behind) if view.sees(pivot.normal, offset) else (behind, front)
    yield from _order(far, view)
    yield from flat
    yield from _order(near, view)


def find_edges(face: Face, view: View) -> list[Array]:
    """Return the drawn edges as seen, each of shape (2, 2)."""
    ring = view.project(np.concatenate([face.corners, face.corners[:1]]))
    return [np.array(ends) for ends, is_drawn in zip(pairwise(ring), face.drawn, strict=True) if is_drawn]


class Sight:
    """The faces (mm) that an eye sees when it looks at their `middle`, from back to front.

    `eye` is its direction, `far` its distance in diagonals of the bounding box. `low` and `high` bound everything in
    `view`. `rings` are the faces' corners as seen.
    """

    def __init__(self, faces: Sequence[Face], eye: tuple[float, float, float], far: float = 5.0) -> None:
        points = np.concatenate([face.corners for face in faces])
        least, most = points.min(axis=0), points.max(axis=0)
        x, y, z = ((least + most) / 2).tolist()
        self.middle: tuple[float, float, float] = (x, y, z)
        self.view = View(eye, target=self.middle, distance=far * float(np.linalg.norm(most - least)))
        self.faces = from_back_to_front(faces, self.view)
        self.rings = [self.view.project(face.corners) for face in self.faces]
        self._bounds = [np.array([end(ring, axis=0) for ring in self.rings]) for end in (np.min, np.max)]
        seen = self.view.project(points)
        self.low: list[float] = seen.min(axis=0).tolist()
        self.high: list[float] = seen.max(axis=0).tolist()

    def area(self, i: int) -> float:
        """Return the area of face `i` as seen."""
        x, y = self.rings[i].T
        return abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2

    def largest_first(self) -> list[int]:
        """Return the numbers of the faces, sorted by `area`."""
        return sorted(range(len(self.rings)), key=lambda i: -self.area(i))

    def is_seen(self, i: int, tip: Array) -> bool:
        """Return whether no other face hides the point `tip` of face `i`."""
        low, high = self._bounds
        over = i + 1 + np.flatnonzero(((low[i + 1 :] < tip) & (high[i + 1 :] > tip)).all(axis=1))
        for ring in (self.rings[j] for j in over.tolist()):
            side, away = np.roll(ring, -1, axis=0) - ring, tip - ring
            turn = side[:, 0] * away[:, 1] - side[:, 1] * away[:, 0]
            if np.all(turn >= 0) or np.all(turn <= 0):
                return False
        return True
