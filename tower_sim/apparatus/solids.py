"""Cubes as solids: where their corners are, what of them lies low, which touch."""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

_SIGNS = np.array(list(product((-1.0, 1.0), repeat=3)))
_EDGES = [(i, j) for i in range(8) for j in range(i) if np.abs(_SIGNS[i] - _SIGNS[j]).sum() == 2]


def axes(orientation: Array) -> Array:
    """Return the rotation matrices of unit quaternions (x, y, z, w): shape (n, 3, 3), columns are a cube's axes."""
    x, y, z, w = orientation.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def reach(orientation: Array, edge: float) -> Array:
    """Return how far cubes of edge `edge` (m) reach from their centre along x, y and z: shape (n, 3).

    The reach of a box along an axis is the sum of the absolute projections of its half edges.
    """
    return edge / 2 * np.abs(axes(orientation)).sum(axis=2)


def corners(position: Array, orientation: Array, edge: float) -> Array:
    """Return the corners (m) of cubes of edge `edge`: shape (n, 8, 3)."""
    return position[:, None, :] + edge / 2 * np.einsum("nij,cj->nci", axes(orientation), _SIGNS)


def section_below(corner: Array, height: float) -> Array:
    """Return points (k, 2) whose hull is the plan of what of one cube, by its corners (8, 3), is at `height` or below.

    They are the corners below and the edges' cuts at the height; none if nothing is.
    """
    beneath = corner[:, 2] <= height
    points = [corner[i, :2] for i in range(8) if beneath[i]]
    for i, j in _EDGES:
        if beneath[i] != beneath[j]:
            t = (height - corner[i, 2]) / (corner[j, 2] - corner[i, 2])
            points.append(corner[i, :2] + t * (corner[j, :2] - corner[i, :2]))
    return np.array(points).reshape(-1, 2)


def touching(position: Array, orientation: Array, edge: float, within: float) -> npt.NDArray[np.bool_]:
    """Tell which pairs of cubes come within about `within` (m) of each other: a symmetric matrix (n, n), no diagonal.

    Cubes grown by `within` / 2 on all sides meet unless one of the 15 axes of a pair of boxes separates them: 3 face
    normals of each and the 9 products of their edges (Gottschalk, Lin, Manocha 1996).
    """
    n = len(position)
    touches = np.zeros((n, n), dtype=bool)
    turned = axes(orientation)
    half = (edge + within) / 2
    for i in range(n):
        for j in range(i):
            away = position[j] - position[i]
            if away @ away > 3 * (2 * half) ** 2:
                continue
            a, b = turned[i].T, turned[j].T
            products = np.cross(a[:, None, :], b[None, :, :]).reshape(-1, 3)
            normals = np.concatenate([a, b, products[np.linalg.norm(products, axis=1) > 1e-9]])
            spread = half * (np.abs(normals @ a.T).sum(axis=1) + np.abs(normals @ b.T).sum(axis=1))
            touches[i, j] = touches[j, i] = bool(np.all(np.abs(normals @ away) <= spread))
    return touches
