"""A tower that keeps cubes, and where its cubes are: in a region inside, in the tray or on the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus.parts import Apparatus
from tower_sim.apparatus.solids import reach
from tower_sim.places import INSIDE, LOST, TABLE, TRAY, Place

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tower(Apparatus):
    """A tower with a square tube, whose exit is in its wall towards a tray.

    Inside is the vertical square tube of half width `tube_half` up to `tube_top`, widening to half width `rim_half`
    at `rim_top`; cubes leave at x = `exit_x` below `exit_top`. `tray_x` and `tray_half_y` bound the tray's floor.
    """

    tube_half: float
    tube_top: float
    rim_half: float
    exit_x: float
    exit_top: float
    tray_x: float
    tray_half_y: float

    def emerged(self, position: Array) -> npt.NDArray[np.bool_]:
        """Tell which cubes have come out: the centre is past the exit and under its upper edge."""
        return (position[:, 0] > self.exit_x) & (position[:, 2] < self.exit_top)

    def escaped(self, position: Array) -> npt.NDArray[np.bool_]:
        """Tell which cubes are where they cannot be: neither inside, nor over the rim's opening, nor out by the exit.

        A position that is not a number is where no cube can be.
        """
        across = np.abs(position[:, :2]).max(axis=1)
        height = position[:, 2]
        rise = np.clip((height - self.tube_top) / (self.rim_top - self.tube_top), 0.0, 1.0)
        width = self.tube_half + rise * (self.rim_half - self.tube_half)
        in_exit = (position[:, 0] > 0) & (height < self.exit_top) & (np.abs(position[:, 1]) < self.tube_half)
        allowed = (across <= width) | in_exit | self.emerged(position)
        return ~(allowed & (height >= 0))

    def find(self, position: Array, orientation: Array) -> list[Place]:
        """Return the place of each cube: `inside:REGION`, `tray`, `table` or `lost`.

        A cube inside belongs to the highest region that any part of it reaches into.
        """
        top = position[:, 2] + reach(orientation, self.cube_edge)[:, 2]
        out, lost = self.emerged(position), self.escaped(position)
        places: list[Place] = []
        for i in range(len(position)):
            x, y, _ = position[i]
            if lost[i]:
                places.append(Place(LOST))
            elif out[i]:
                places.append(Place(TRAY if x < self.tray_x and abs(y) < self.tray_half_y else TABLE))
            else:
                region = next(region for region in self.regions if top[i] > region.above)
                places.append(Place(INSIDE + region.name))
        return places
