"""Solids as flat faces: merged, cut open, seen from somewhere, in the order a painter needs.

    boxes, cubes -> faces -> (cut) -> painted from the back to the front

All lengths here are mm; a face's corners run counter-clockwise as seen from outside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
_NEAR = 1e-6  # mm: points closer than this to a plane lie in it
_TRIED = 8  # faces of which that is chosen for a plane that splits fewest others


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """A convex polygon: `corners` (n, 3), its outward `normal`, which edges are `drawn` (from corner i to the next).

    `part` names what it belongs to; `is_cut` tells that it is material cut open.
    """

    part: str
    corners: Array
    normal: Array
    drawn: tuple[bool, ...]
    is_cut: bool = False

    def split(self, normal: Array, offset: float, is_crease: bool) -> tuple[Face | None, Face | None]:
        """Return the pieces on the side `normal` points to from the plane normal . x = offset, and on the other.

        A new edge is drawn if it `is_crease`.
        """
        beyond = self.corners @ normal - offset
        beyond[np.abs(beyond) < _NEAR] = 0
        if np.all(beyond >= 0):
            return self, None
        if np.all(beyond <= 0):
            return None, self
        pieces: list[Face | None] = []
        for side in (beyond, -beyond):
            corners: list[Array] = []
            drawn: list[bool] = []
            for i, here in enumerate(side):
                j = (i + 1) % len(side)
                there = side[j]
                if here >= 0:
                    corners.append(self.corners[i])
                    drawn.append(is_crease if here == 0 and there < 0 else self.drawn[i])
                if here * there < 0:
                    corners.append(self.corners[i] + here / (here - there) * (self.corners[j] - self.corners[i]))
                    drawn.append(is_crease if here > 0 else self.drawn[i])
            pieces.append(replace(self, corners=np.array(corners), drawn=tuple(drawn)))
        return pieces[0], pieces[1]


def union_of_upright(part: str, low: Array, high: Array, cuts: Array) -> list[Face]:
    """Return the faces of the union of upright boxes from `low` to `high` (n, 3), each as far as y > its `cuts` (n,).

    Space is divided by all the boxes' planes into cells; a face lies where a full cell meets an empty one, and its
    edge is drawn unless the surface goes on flat beyond it, so that no seam between two boxes shows.
    """
    planes = [np.unique(np.round(np.concatenate([low[:, a], high[:, a]]), 6)) for a in range(3)]
    planes[1] = np.unique(np.append(planes[1], cuts[(cuts > planes[1][0]) & (cuts < planes[1][-1])]))
    middles = [np.convolve(p, [0.5, 0.5], "valid") for p in planes]
    cells = np.stack(np.meshgrid(*middles, indexing="ij"), axis=-1)
    inside = ((cells[..., None, :] > low) & (cells[..., None, :] < high)).all(axis=-1)
    whole = np.pad(inside.any(axis=-1), 1)  # a rim of empty cells, so that every cell has neighbours
    full = np.pad((inside & (cells[..., None, 1] > cuts)).any(axis=-1), 1)
    faces: list[Face] = []
    for cell, axis, sign in product(map(tuple, np.argwhere(full)), range(3), (1, -1)):
        beyond = _moved(cell, axis, sign)
        if full[beyond]:
            continue
        u, v = (axis + 1) % 3, (axis + 2) % 3
        corners, drawn = np.empty((4, 3)), [True] * 4
        corners[:, axis] = planes[axis][cell[axis] - 1 + (sign > 0)]
        corners[:, u] = planes[u][np.array([0, 1, 1, 0]) + cell[u] - 1]
        corners[:, v] = planes[v][np.array([0, 0, 1, 1]) + cell[v] - 1]
        for edge, (along, step) in enumerate([(v, -1), (u, 1), (v, 1), (u, -1)]):
            is_flat = full[_moved(cell, along, step)] and not full[_moved(beyond, along, step)]
            drawn[edge] = not is_flat
        if sign < 0:
            corners, drawn = corners[::-1].copy(), [*drawn[2::-1], drawn[3]]
        faces.append(Face(part, corners, sign * np.eye(3)[axis], tuple(drawn), bool(whole[beyond])))
    return faces


def _moved(cell: tuple[Any, ...], axis: int, step: int) -> tuple[Any, ...]:
    return tuple(index + step * (a == axis) for a, index in enumerate(cell))


def tilted_box(part: str, centre: Sequence[float], half: Sequence[float], q: Sequence[float]) -> list[Face]:
    """Return the six faces of a box with half edges `half`, turned by the unit quaternion `q` (x, y, z, w)."""
    turn = rotation(q)
    faces: list[Face] = []
    for axis, sign in product(range(3), (1, -1)):
        local = np.empty((4, 3))
        local[:, axis] = sign
        local[:, (axis + 1) % 3] = [-1, 1, 1, -1]
        local[:, (axis + 2) % 3] = [-sign, -sign, sign, sign]
        corners = np.asarray(centre) + (local * half) @ turn.T
        faces.append(Face(part, corners, sign * turn[:, axis], (True,) * 4))
    return faces


def prism(part: str, ring: Array, low: float, high: float, drawn: Sequence[bool]) -> list[Face]:
    """Return the faces of an upright prism over a convex `ring` (k, 2), counter-clockwise.

    `drawn` tells for each side of the ring, from corner i to the next, whether its edges are.
    """
    bottom, top = (np.column_stack([ring, np.full(len(ring), z)]) for z in (low, high))
    up, every = np.array([0.0, 0.0, 1.0]), tuple(drawn)
    faces = [Face(part, top, up, every), Face(part, bottom[::-1], -up, (*every[-2::-1], every[-1]))]
    for i in range(len(ring)):
        j = (i + 1) % len(ring)
        side = ring[j] - ring[i]
        normal = np.array([side[1], -side[0], 0.0]) / np.linalg.norm(side)
        faces.append(Face(part, np.array([bottom[i], bottom[j], top[j], top[i]]), normal, (drawn[i],) * 4))
    return faces


def rotation(q: Sequence[float]) -> Array:
    """Return the rotation matrix of a unit quaternion (x, y, z, w)."""
    x, y, z, w = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def clipped(faces: Sequence[Face], normal: Sequence[float], offset: float, is_cut: bool) -> list[Face]:
    """Return what is left of a convex solid on the side normal . x > offset; closed by a face there if it `is_cut`."""
    plane = np.asarray(normal, dtype=float)
    plane, offset = plane / np.linalg.norm(plane), offset / float(np.linalg.norm(plane))
    if not faces or max(float(np.max(face.corners @ plane)) for face in faces) < offset + _NEAR:
        return []
    kept = [face.split(plane, offset, True)[0] for face in faces]
    left = [face for face in kept if face is not None]
    if not left or not is_cut or all(a is b for a, b in zip(kept, faces, strict=True)):
        return left
    points = np.concatenate([face.corners for face in left])
    points = points[np.abs(points @ plane - offset) < 10 * _NEAR]
    u = np.linalg.svd(plane[None])[2][1]
    v = np.cross(-plane, u)  # u, v turn counter-clockwise seen from outside, where -normal points
    from_middle = points - points.mean(axis=0)
    turned = np.arctan2(from_middle @ v, from_middle @ u)
    ring = points[np.argsort(turned)]
    ring = ring[np.linalg.norm(ring - np.roll(ring, 1, axis=0), axis=1) > 10 * _NEAR]
    if len(ring) < 3:
        return left
    return [*left, Face(left[0].part, ring, -plane, (True,) * len(ring), is_cut=True)]


@dataclass(frozen=True, slots=True)
class View:
    """Where the eye is: in direction `towards` from `target`, `distance` mm off (infinite: a parallel projection)."""

    towards: tuple[float, float, float]
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    distance: float = math.inf

    def project(self, points: Any) -> Array:
        """Return where `points` (n, 3) are seen on the sheet: (n, 2), in mm at the target's distance."""
        back = self._back()
        right = np.cross(self.up, back)
        right /= np.linalg.norm(right)
        seen = (np.asarray(points, dtype=float) - self.target) @ np.stack([right, np.cross(back, right), back], axis=1)
        return seen[:, :2] / (1 - seen[:, 2:] / self.distance)

    def sees(self, normal: Array, offset: float) -> bool:
        """Tell whether the eye is on the side `normal` points to from the plane normal . x = offset."""
        if math.isinf(self.distance):
            return bool(normal @ self._back() > 1e-9)
        return bool(normal @ (np.asarray(self.target) + self.distance * self._back()) - offset > _NEAR)

    def _back(self) -> Array:
        towards = np.asarray(self.towards, dtype=float)
        return towards / np.linalg.norm(towards)


def from_back_to_front(faces: Sequence[Face], view: View) -> list[Face]:
    """Return what `view` sees of closed solids, split where needed so that each face hides only faces before it."""
    return list(_ordered([face for face in faces if view.sees(face.normal, face.normal @ face.corners[0])], view))


def _ordered(faces: list[Face], view: View) -> Iterator[Face]:
    """Divide space by the plane of one face, and each half again (Fuchs, Kedem & Naylor 1980, BSP trees)."""
    if not faces:
        return
    pivot = min(faces[:: len(faces) // _TRIED + 1], key=lambda face: _number_of_splits(face, faces))
    offset = float(pivot.normal @ pivot.corners[0])
    front: list[Face] = []
    behind: list[Face] = []
    flat: list[Face] = []
    for face in faces:
        if np.all(np.abs(face.corners @ pivot.normal - offset) < _NEAR):
            flat.append(face)
            continue
        for side, piece in zip((front, behind), face.split(pivot.normal, offset, False), strict=True):
            if piece is not None:
                side.append(piece)
    near, far = (front, behind) if view.sees(pivot.normal, offset) else (behind, front)
    yield from _ordered(far, view)
    yield from flat
    yield from _ordered(near, view)


def _number_of_splits(pivot: Face, faces: list[Face]) -> int:
    beyond = [face.corners @ pivot.normal - pivot.normal @ pivot.corners[0] for face in faces]
    return sum(bool(side.min() < -_NEAR and side.max() > _NEAR) for side in beyond)


def outline(face: Face, view: View) -> list[Array]:
    """Return the drawn edges of a face as seen: each (2, 2)."""
    ring = view.project(np.concatenate([face.corners, face.corners[:1]]))
    return [np.array(ends) for ends, is_drawn in zip(pairwise(ring), face.drawn, strict=True) if is_drawn]
