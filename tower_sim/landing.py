"""Landing: from poses and geometry alone, where each cube is; every apparatus answers for itself."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus.parts import Apparatus
from tower_sim.places import BORDER, DOORWAY, INSIDE, LOST, TABLE, TRAY, ZONE, Place

__all__ = [
    "BORDER",
    "DOORWAY",
    "INSIDE",
    "LOST",
    "TABLE",
    "TRAY",
    "ZONE",
    "Place",
    "emerged",
    "escaped",
    "find",
    "loose",
    "missed",
]

Array = npt.NDArray[np.float64]


def find(position: Array, orientation: Array, apparatus: Apparatus) -> list[Place]:
    """Say where each cube is, from centres (m), shape (n, 3), and unit quaternions (x, y, z, w), shape (n, 4)."""
    return apparatus.find(position, orientation)


def emerged(position: Array, apparatus: Apparatus) -> npt.NDArray[np.bool_]:
    """Tell which cubes have come out: shape (n,)."""
    return apparatus.emerged(position)


def missed(position: Array, apparatus: Apparatus) -> npt.NDArray[np.bool_]:
    """Tell which cubes fall beside the opening at the top: shape (n,)."""
    return apparatus.missed(position)


def escaped(position: Array, apparatus: Apparatus) -> npt.NDArray[np.bool_]:
    """Tell which cubes are where no cube can be, shape (n,); a position that is not a number is such a place."""
    return apparatus.escaped(position)


def loose(position: Array, orientation: Array, apparatus: Apparatus) -> npt.NDArray[np.bool_]:
    """Tell which cubes at rest may have lost what held them, shape (n,): on a board, those that do not lie flat."""
    return apparatus.loose(position, orientation)
