"""Where the cubes of an Amerigo tower are: in a region inside, in the tray or on the table."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus.parts import Tower
from tower_sim.landing.cubes import reach
from tower_sim.landing.place import INSIDE, LOST, TABLE, TRAY, Place

Array = npt.NDArray[np.float64]


def emerged(position: Array, tower: Tower) -> npt.NDArray[np.bool_]:
    """Tell which cubes have come out: the centre is past the exit and under its upper edge."""
    return (position[:, 0] > tower.exit_x) & (position[:, 2] < tower.exit_top)


def escaped(position: Array, tower: Tower) -> npt.NDArray[np.bool_]:
    """Tell which cubes are where they cannot be: neither inside, nor over the rim's opening, nor out by the exit.

    A position that is not a number is where no cube can be.
    """
    across = np.abs(position[:, :2]).max(axis=1)
    height = position[:, 2]
    rise = np.clip((height - tower.tube_top) / (tower.rim_top - tower.tube_top), 0.0, 1.0)
    width = tower.tube_half + rise * (tower.rim_half - tower.tube_half)
    in_exit = (position[:, 0] > 0) & (height < tower.exit_top) & (np.abs(position[:, 1]) < tower.tube_half)
    allowed = (across <= width) | in_exit | emerged(position, tower)
    return ~(allowed & (height >= 0))


def find(position: Array, orientation: Array, tower: Tower) -> list[Place]:
    """Return the place of each cube: `inside:REGION`, `tray`, `table` or `lost`.

    A cube inside belongs to the highest region that any part of it reaches into.
    """
    top = position[:, 2] + reach(orientation, tower.cube_edge)[:, 2]
    out, lost = emerged(position, tower), escaped(position, tower)
    found: list[Place] = []
    for i in range(len(position)):
        x, y, _ = position[i]
        if lost[i]:
            found.append(Place(LOST))
        elif out[i]:
            found.append(Place(TRAY if x < tower.tray_x and abs(y) < tower.tray_half_y else TABLE))
        else:
            region = next(region for region in tower.regions if top[i] > region.above)
            found.append(Place(INSIDE + region.name))
    return found
