"""Landing: from poses and geometry alone, where each cube is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus.board import CombatShip
from tower_sim.apparatus.parts import Apparatus, as_tower
from tower_sim.landing import board, tower
from tower_sim.landing.place import BORDER, INSIDE, LOST, TABLE, TRAY, ZONE, Place

__all__ = ["BORDER", "INSIDE", "LOST", "TABLE", "TRAY", "ZONE", "Place", "emerged", "escaped", "find", "loose"]

Array = npt.NDArray[np.float64]


def find(position: Array, orientation: Array, apparatus: Apparatus) -> list[Place]:
    """Say where each cube is, from centres (m), shape (n, 3), and unit quaternions (x, y, z, w), shape (n, 4)."""
    if isinstance(apparatus, CombatShip):
        return board.find(position, orientation, apparatus)
    return tower.find(position, orientation, as_tower(apparatus))


def emerged(position: Array, apparatus: Apparatus) -> npt.NDArray[np.bool_]:
    """Tell which cubes have come out."""
    if isinstance(apparatus, CombatShip):
        return ~board.inside(position, apparatus)
    return tower.emerged(position, as_tower(apparatus))


def escaped(position: Array, apparatus: Apparatus) -> npt.NDArray[np.bool_]:
    """Tell which cubes are where no cube can be; a position that is not a number is such a place."""
    if isinstance(apparatus, CombatShip):
        return board.escaped(position, apparatus)
    return tower.escaped(position, as_tower(apparatus))


def loose(position: Array, orientation: Array, apparatus: Apparatus) -> npt.NDArray[np.bool_]:
    """Tell which cubes at rest may have lost what held them: those on a board that do not lie flat in a zone."""
    if isinstance(apparatus, CombatShip):
        return board.loose(position, orientation, apparatus)
    return np.zeros(len(position), dtype=bool)
