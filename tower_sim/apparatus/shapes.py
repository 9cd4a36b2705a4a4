"""Convex polygons in the plane, as arrays of corners (k, 2) in counter-clockwise order, and cubes as solids."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import product

import numpy as np
import numpy.typing as npt

from tower_sim.tools import portable

Array = npt.NDArray[np.float64]


def counter_clockwise(corners: Array) -> Array:
    """Return the corners in counter-clockwise order."""
    x, y = corners.T
    twice_area = math.fsum((x * np.roll(y, -1) - np.roll(x, -1) * y).tolist())
    return corners if twice_area >= 0 else corners[::-1]


def is_convex(corners: Array) -> bool:
    """Return whether a counter-clockwise polygon turns left at each corner and once round in all."""
    side = np.roll(corners, -1, axis=0) - corners
    after = np.roll(side, -1, axis=0)
    sine = side[:, 0] * after[:, 1] - side[:, 1] * after[:, 0]
    turns = [portable.atan2(y, x) for y, x in zip(sine.tolist(), portable.dot(side, after).tolist(), strict=True)]
    return min(turns) > 1e-9 and abs(math.fsum(turns) - 2 * math.pi) < 1e-6


def inward(corners: Array) -> Array:
    """Return the inward unit normals of the sides, shape (k, 2); side i goes from corner i on."""
    side = np.roll(corners, -1, axis=0) - corners
    return np.stack([-side[:, 1], side[:, 0]], axis=1) / portable.lengths(side)[:, None]


def inset(corners: Array, by: float) -> Array:
    """Return the part of a polygon that is at least `by` from the line of every side; shape (0, 2) if there is none."""
    kept = corners
    for corner, normal in zip(corners, inward(corners), strict=True):
        kept = clip(kept, portable.dot(kept - corner, normal) - by)
    return kept


def clip(corners: Array, depth: Array) -> Array:
    """Return the part of a polygon where a linear function, `depth` at its corners, is 0 or more; shape (k, 2)."""
    kept: list[Array] = []
    for i in range(len(corners)):
        j = (i + 1) % len(corners)
        if depth[i] >= 0:
            kept.append(corners[i])
        if depth[i] * depth[j] < 0:
            kept.append(corners[i] + depth[i] / (depth[i] - depth[j]) * (corners[j] - corners[i]))
    return np.array(kept).reshape(-1, 2)


def distance(points: Array, corners: Array) -> Array:
    """Return the distances of points (n, 2) from a polygon, shape (n,); 0 inside."""
    side = np.roll(corners, -1, axis=0) - corners
    away = points[:, None, :] - corners
    t = np.clip(portable.dot(away, side) / portable.dot(side, side), 0.0, 1.0)
    nearest = portable.lengths(away - t[:, :, None] * side).min(axis=1)
    is_inside = np.all(side[:, 0] * away[:, :, 1] - side[:, 1] * away[:, :, 0] >= 0, axis=1)
    return np.where(is_inside, 0.0, nearest)


def meet(points: Array, corners: Array) -> bool:
    """Return whether the convex hull of points (n, 2) and a polygon have a point in common.

    The separating axes are the normals of the sides, and the normals and directions (if all points are on one line) of
    the lines through every two points.
    """
    if np.any(points.max(axis=0) < corners.min(axis=0)) or np.any(corners.max(axis=0) < points.min(axis=0)):
        return False
    sides = np.roll(corners, -1, axis=0) - corners
    first, second = _pairs(len(points))
    spans = points[first] - points[second]
    directions = np.concatenate([sides, spans, spans[:, ::-1] * (-1.0, 1.0)])
    normals = np.stack([-directions[:, 1], directions[:, 0]], axis=1)
    a, b = portable.dot(points[:, None], normals), portable.dot(corners[:, None], normals)
    return bool(np.all((a.max(axis=0) >= b.min(axis=0)) & (b.max(axis=0) >= a.min(axis=0))))


@lru_cache(maxsize=32)
def _pairs(number: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    return np.triu_indices(number, 1)


def along(corners: Array, step: float) -> Array:
    """Return points on a polygon's outline: the middles of equal pieces of each side, at most `step` apart."""
    following = np.roll(corners, -1, axis=0)
    points: list[Array] = []
    for start, end in zip(corners, following, strict=True):
        number = int(np.ceil(portable.lengths(end - start) / step))
        t = (np.arange(number)[:, None] + 0.5) / number
        points.append(start + t * (end - start))
    return np.concatenate(points)


_SIGNS = np.array(list(product((-1.0, 1.0), repeat=3)))


def axes(orientation: Array) -> Array:
    """Return the rotation matrices of unit quaternions (x, y, z, w), shape (n, 3, 3); columns are a cube's axes."""
    x, y, z, w = orientation.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def reach(orientation: Array, edge: float) -> Array:
    """Return how far (m) cubes reach from their centre along x, y and z, shape (n, 3)."""
    a, b, c = np.moveaxis(np.abs(axes(orientation)), 2, 0)
    return edge / 2 * (a + b + c)


def corners(position: Array, orientation: Array, edge: float) -> Array:
    """Return the corners (m) of cubes of edge `edge` (m), shape (n, 8, 3)."""
    along = portable.dot(axes(orientation)[:, None], _SIGNS[:, None])  # one vector a corner, shape (n, 8, 3)
    return position[:, None, :] + edge / 2 * along
