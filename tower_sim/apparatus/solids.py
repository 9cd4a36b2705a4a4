"""Cubes as solids: their axes, how far they reach, and their corners."""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt

from tower_sim.tools import portable

Array = npt.NDArray[np.float64]

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
