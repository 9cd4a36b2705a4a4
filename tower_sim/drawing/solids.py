"""Flat faces of many convex solids in arrays: made, cut open, put together. Lengths are in mm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus import Box, Hull, axes

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
_NEAR = 1e-6  # mm: points closer than this to a plane lie in it
_SIDES = list(product(range(3), (1.0, -1.0)))  # the faces of a box: x, -x, y, -y, z, -z; corners in half edges
_SQUARES = np.array([np.roll([[s, -1, -s], [s, 1, -s], [s, 1, s], [s, -1, s]], axis, axis=1) for axis, s in _SIDES])
_NORMALS = np.array([np.roll([s, 0.0, 0.0], axis) for axis, s in _SIDES])


@dataclass(frozen=True, slots=True, eq=False)
class Faces:
    """Convex polygons of solids.

    `corners` (m, 3) has the corners of all faces, face after face, counter-clockwise as seen from outside. Of each of
    the n faces, `sizes` has the number of corners, `normal` (n, 3) the outward unit normal, `solid` the number of its
    solid, `part` the name of its part. `is_cut`: the material is cut open here. `is_skin`: not inside the material.
    """

    corners: Array
    sizes: npt.NDArray[np.int64]
    normal: Array
    solid: npt.NDArray[np.int64]
    part: npt.NDArray[np.str_]
    is_cut: Mask
    is_skin: Mask

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        """The number of each face's first corner."""
        return np.cumsum(self.sizes) - self.sizes

    def rings(self) -> list[Array]:
        """Return the corners of each face."""
        return np.split(self.corners, self.starts[1:])

    def parts(self) -> npt.NDArray[np.str_]:
        """Return the part of each solid, by its number."""
        names = np.zeros(int(self.solid.max(initial=-1)) + 1, dtype=self.part.dtype)
        names[self.solid] = self.part
        return names

    def bounds(self) -> tuple[Array, Array]:
        """Return the least and greatest coordinates of each solid, both of shape (number of solids, 3)."""
        number = int(self.solid.max(initial=-1)) + 1
        low, high = np.full((number, 3), np.inf), np.full((number, 3), -np.inf)
        of_corner = np.repeat(self.solid, self.sizes)
        for axis in range(3):
            np.minimum.at(low[:, axis], of_corner, self.corners[:, axis])
            np.maximum.at(high[:, axis], of_corner, self.corners[:, axis])
        return low, high

    def select(self, kept: Mask) -> Faces:
        """Return the faces for which `kept` is true."""
        rest = [getattr(self, field.name)[kept] for field in fields(self)[1:]]
        return Faces(self.corners[np.repeat(kept, self.sizes)], *rest)

    def clip(self, normal: Sequence[float], offset: float, is_clipped: Mask, is_cut: bool) -> Faces:
        """Return what is left of the solids that `is_clipped` names where normal . x <= offset, closed by new faces."""
        plane = np.array(normal, dtype=float)
        over = self.corners @ plane - offset
        over[np.abs(over) < _NEAR] = 0.0
        low, high = np.full(len(is_clipped), np.inf), np.full(len(is_clipped), -np.inf)
        of_corner = np.repeat(self.solid, self.sizes)
        np.minimum.at(low, of_corner, over)
        np.maximum.at(high, of_corner, over)
        is_hit = ((low < 0) & (high > 0) & is_clipped)[self.solid]
        rest = self.select(~is_hit & ~((low >= 0) & is_clipped)[self.solid])
        return join([rest, *self.select(is_hit)._split(over[np.repeat(is_hit, self.sizes)], plane, is_cut)])

    def _split(self, over: Array, plane: Array, is_cut: bool) -> list[Faces]:
        """Return what is left of solids that a plane goes through, and the new faces; `over` is of each corner."""
        after = np.arange(1, len(over) + 1)
        after[self.starts + self.sizes - 1] = self.starts
        there = over[after]
        crosses = over * there < 0
        share = over / np.where(crosses, over - there, np.inf)
        points = np.stack([self.corners, self.corners + share[:, None] * (self.corners[after] - self.corners)], axis=1)
        kept = np.stack([over <= 0, crosses], axis=1)  # a corner, and a point between it and the next
        is_rim = np.stack([over == 0, crosses], axis=1)
        solid = np.repeat(self.solid, self.sizes)[:, None].repeat(2, axis=1)[is_rim]
        sizes = np.add.reduceat(kept.sum(axis=1), self.starts) if len(self) else self.sizes
        whole = sizes > 2
        rest = [getattr(self, field.name)[whole] for field in fields(self)[2:]]
        left = Faces(points[kept & np.repeat(whole, self.sizes)[:, None]], sizes[whole], *rest)
        return [left, self._close(points[is_rim], solid, plane, is_cut)]

    def _close(self, points: Array, solid: npt.NDArray[np.int64], plane: Array, is_cut: bool) -> Faces:
        names, of_point, sizes = np.unique(solid, return_inverse=True, return_counts=True)
        middle = np.stack([np.bincount(of_point, x, len(names)) for x in points.T], axis=1) / sizes[:, None]
        u = np.linalg.svd(plane[None])[2][1]
        away = points - middle[of_point]
        order = np.lexsort((np.arctan2(away @ np.cross(plane, u), away @ u), of_point))
        some = np.ones(len(names), dtype=bool)
        return Faces(
            points[order], sizes, np.tile(plane, (len(names), 1)), names, self.parts()[names], some & is_cut, some
        )


def join(pieces: Sequence[Faces]) -> Faces:
    """Return the faces of all pieces."""
    return Faces(*(np.concatenate([getattr(piece, field.name) for piece in pieces]) for field in fields(Faces)))


def make_boxes(parts: Sequence[str], centre: Any, half: Any, orientation: Any) -> Faces:
    """Return the faces of boxes: `centre`, `half` edges and `orientation`, unit quaternions (x, y, z, w), by box."""
    number = len(parts)
    turn = axes(np.asarray(orientation, dtype=float).reshape(-1, 4))
    middle, half = (np.asarray(values, dtype=float).reshape(-1, 1, 1, 3) for values in (centre, half))
    corners = middle + (_SQUARES * half) @ turn[:, None].transpose(0, 1, 3, 2)
    some = np.ones(6 * number, dtype=bool)
    normal = (_NORMALS @ turn.transpose(0, 2, 1)).reshape(-1, 3)
    solid, names = np.repeat(np.arange(number), 6), np.repeat(np.array(parts, dtype=str), 6)
    return Faces(corners.reshape(-1, 3), np.full(6 * number, 4), normal, solid, names, ~some, some)


def make_faces(shapes: Sequence[Box | Hull]) -> Faces:
    """Return the faces of boxes, and after them those of hulls, whose lengths are in m."""
    boxes = [shape for shape in shapes if isinstance(shape, Box)]
    hulls = [shape for shape in shapes if isinstance(shape, Hull)]
    centre, half = (1e3 * np.array([getattr(box, name) for box in boxes]) for name in ("centre", "half"))
    made = make_boxes([box.part for box in boxes], centre, half, [box.orientation for box in boxes])
    return join([made, _make_hulls(hulls, len(boxes))]) if hulls else made


def _make_hulls(hulls: Sequence[Hull], first_number: int) -> Faces:
    vertices = 1e3 * np.array([vertex for hull in hulls for vertex in hull.vertices])
    first = np.cumsum([0, *(len(hull.vertices) for hull in hulls[:-1])])
    numbers = np.array([len(hull.faces) for hull in hulls])
    sizes = np.array([len(face) for hull in hulls for face in hull.faces])
    solid = np.repeat(np.arange(len(hulls)), numbers)
    index = np.array([i for hull in hulls for face in hull.faces for i in face])
    corners = vertices[index + np.repeat(first[solid], sizes)]
    number = len(sizes)
    starts = np.cumsum(sizes) - sizes
    after = np.arange(1, len(corners) + 1)
    after[starts + sizes - 1] = starts
    x, y, z = (corners - np.repeat(corners[starts], sizes, axis=0)).T
    u, v, w = x[after], y[after], z[after]
    normal = np.stack([np.add.reduceat(side, starts) for side in (y * w - z * v, z * u - x * w, x * v - y * u)], axis=1)
    normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]
    is_piece = np.array([bool(hull.least_cosines) for hull in hulls])[solid]  # its other faces are in the material
    is_skin = ~is_piece | (np.arange(number) == (np.cumsum(numbers) - numbers)[solid])
    parts = np.array([hull.part for hull in hulls])[solid]
    return Faces(corners, sizes, normal, solid + first_number, parts, np.zeros(number, dtype=bool), is_skin)
