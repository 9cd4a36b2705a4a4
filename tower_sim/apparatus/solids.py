"""Cubes as solids: their corners, the part of a cube below a height, and which cubes touch."""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt

from tower_sim import portable

Array = npt.NDArray[np.float64]

_SIGNS = np.array(list(product((-1.0, 1.0), repeat=3)))
_PARALLEL = 1e-9  # parallel edges have no common normal
_EDGES = [(i, j) for i in range(8) for j in range(i) if np.abs(_SIGNS[i] - _SIGNS[j]).sum() == 2]


def axes(orientation: Array) -> Array:
    """Return the rotation matrices of unit quaternions (x, y, z, w), shape (n, 3, 3); the columns are a cube's axes."""
    x, y, z, w = orientation.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def reach(orientation: Array, edge: float) -> Array:
    """Return how far cubes of edge `edge` (m) reach from their centre along x, y and z, shape (n, 3), in m.

    The reach of a box along an axis is the sum of the absolute projections of its half edges.
    """
    a, b, c = np.moveaxis(np.abs(axes(orientation)), 2, 0)
    return edge / 2 * (a + b + c)


def corners(position: Array, orientation: Array, edge: float) -> Array:
    """Return the corners (m) of cubes of edge `edge` (m), shape (n, 8, 3)."""
    along = portable.dot(axes(orientation)[:, None], _SIGNS[:, None])  # one vector a corner, shape (n, 8, 3)
    return position[:, None, :] + edge / 2 * along


def section_below(corner: Array, height: float) -> Array:
    """Return points (k, 2) whose convex hull is the plan of the part of a cube at or below `height`.

    `corner` are the cube's corners, shape (8, 3). The points are the corners at or below the height, and the points
    where edges cross it. If no part of the cube is so low, k is 0.
    """
    at: list[tuple[float, float, float]] = corner.tolist()  # plain numbers are faster than numpy's here
    points = [(x, y) for x, y, z in at if z <= height]
    if 0 < len(points) < 8:
        for i, j in _EDGES:
            (x, y, z), (u, v, w) = at[i], at[j]
            if (z <= height) != (w <= height):
                t = (height - z) / (w - z)
                points.append((x + t * (u - x), y + t * (v - y)))
    return np.array(points).reshape(-1, 2)


def touching(position: Array, orientation: Array, edge: float, within: float) -> npt.NDArray[np.bool_]:
    """Return which pairs of cubes are within about `within` (m) of each other, a symmetric matrix (n, n).

    The diagonal is false. The test enlarges all cubes by `within` / 2 on every side. Two cubes then overlap unless one
    of 15 axes separates them: the 3 face normals of each, and the 9 products of their edges (Gottschalk, Lin, Manocha
    1996).
    """
    touches = np.zeros((len(position), len(position)), dtype=bool)
    half = (edge + within) / 2
    first, second = np.tril_indices(len(position), -1)
    away = position[second] - position[first]
    near = portable.dot(away, away) <= 3 * (2 * half) * (2 * half)
    first, second, away = first[near], second[near], away[near]
    turned = np.moveaxis(axes(orientation), 1, 2)  # rows are a cube's axes
    a, b = turned[first], turned[second]
    products = _cross(a[:, :, None], b[:, None, :]).reshape(-1, 9, 3)
    normals = np.concatenate([a, b, products], axis=1)
    spread = half * (_width(normals, a) + _width(normals, b))
    apart = np.abs(portable.dot(normals, away[:, None])) > spread
    apart &= portable.lengths(normals) > _PARALLEL
    meets = ~apart.any(axis=1)
    touches[first, second] = touches[second, first] = meets
    return touches


def _cross(a: Array, b: Array) -> Array:
    """Return the vector products along the last axis."""
    (ax, ay, az), (bx, by, bz) = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def _width(lines: Array, turned: Array) -> Array:
    """Return half the widths of cubes of half edge 1 along `lines`, shape (k, 15) for lines (k, 15, 3).

    `turned` has the cubes' axes as rows, shape (k, 3, 3).
    """
    along = np.abs(portable.dot(lines[:, :, None], turned[:, None]))
    return along[..., 0] + along[..., 1] + along[..., 2]
