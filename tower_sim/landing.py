"""Find where each cube is from poses and geometry alone; each kind of apparatus has its own rules."""

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
    """Return the place of each cube, from centres (m, shape (n, 3)) and unit quaternions (x, y, z, w; shape (n, 4))."""
    return apparatus.find(position, orientation)


def emerged(position: Array, apparatus: Apparatus) -> npt.NDArray[np.bool_]:
    """Return whether each cube has come out, of shape (n,)."""
    return apparatus.emerged(position)


def missed(position: Array, apparatus: Apparatus) -> npt.NDArray[np.bool_]:
    """Return whether each cube has missed the opening at the top, of shape (n,)."""
    return apparatus.missed(position)


def escaped(position: Array, apparatus: Apparatus) -> npt.NDArray[np.bool_]:
    """Return whether each cube is at an impossible position (NaN included), of shape (n,)."""
    return apparatus.escaped(position)


def loose(position: Array, orientation: Array, apparatus: Apparatus) -> npt.NDArray[np.bool_]:
    """Return whether each cube at rest may have lost its support, of shape (n,): on a board, if it leans."""
    return apparatus.loose(position, orientation)
