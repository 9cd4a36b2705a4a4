"""Landing: from poses and geometry alone, where each cube is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus.parts import Apparatus

Array = npt.NDArray[np.float64]

TRAY = "tray"
TABLE = "table"
LOST = "lost"


def reach(orientation: Array, edge: float) -> Array:
    """Return how far cubes of edge `edge` (m) reach from their centre along x, y and z: shape (n, 3).

    `orientation` holds unit quaternions (x, y, z, w), shape (n, 4). The reach of a box along an axis is the sum of
    the absolute projections of its half edges.
    """
    x, y, z, w = orientation.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return edge / 2 * np.stack([np.abs(a) + np.abs(b) + np.abs(c) for a, b, c in rows], axis=1)


def emerged(position: Array, apparatus: Apparatus) -> npt.NDArray[np.bool_]:
    """Tell which cubes have come out: the centre is past the exit and under its upper edge."""
    return (position[:, 0] > apparatus.exit_x) & (position[:, 2] < apparatus.exit_top)


def escaped(position: Array, apparatus: Apparatus) -> npt.NDArray[np.bool_]:
    """Tell which cubes are where they cannot be: neither inside, nor over the rim's opening, nor out by the exit.

    A position that is not a number is where no cube can be.
    """
    across = np.abs(position[:, :2]).max(axis=1)
    height = position[:, 2]
    rise = np.clip((height - apparatus.tube_top) / (apparatus.rim_top - apparatus.tube_top), 0.0, 1.0)
    width = apparatus.tube_half + rise * (apparatus.rim_half - apparatus.tube_half)
    in_exit = (position[:, 0] > 0) & (height < apparatus.exit_top) & (np.abs(position[:, 1]) < apparatus.tube_half)
    allowed = (across <= width) | in_exit | emerged(position, apparatus)
    return ~(allowed & (height >= 0))


def places(position: Array, orientation: Array, edge: float, apparatus: Apparatus) -> list[str]:
    """Return the place of each cube: `inside:REGION`, `tray`, `table` or `lost`.

    A cube inside belongs to the highest region that any part of it reaches into.
    """
    top = position[:, 2] + reach(orientation, edge)[:, 2]
    out, lost = emerged(position, apparatus), escaped(position, apparatus)
    found: list[str] = []
    for i in range(len(position)):
        x, y, _ = position[i]
        if lost[i]:
            found.append(LOST)
        elif out[i]:
            found.append(TRAY if x < apparatus.tray_x and abs(y) < apparatus.tray_half_y else TABLE)
        else:
            region = next(region for region in apparatus.regions if top[i] > region.above)
            found.append(f"inside:{region.name}")
    return found
