"""A tower that keeps cubes, and where its cubes are."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus.parts import HALF_TABLE, Apparatus
from tower_sim.apparatus.solids import reach
from tower_sim.places import INSIDE, LOST, TRAY, Place

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tower(Apparatus):
    """A tower of any shape; a kind defines which cubes are `within` and which have `emerged`. Centres are in m."""

    @abstractmethod
    def within(self, position: Array) -> npt.NDArray[np.bool_]:
        """Return whether each cube is inside, or over the opening at the top, shape (n,)."""

    def outside(self, position: Array) -> list[str]:
        """Return the place of each cube that has emerged; by default the tray."""
        return [TRAY] * len(position)

    def escaped(self, position: Array) -> npt.NDArray[np.bool_]:
        """Return whether each cube is in a wall, under the table, or off it (nan included), shape (n,)."""
        allowed = self.within(position) | self.emerged(position) | self.missed(position)
        on_table = (np.abs(position[:, :2]).max(axis=1, initial=0.0) < HALF_TABLE) & (position[:, 2] >= 0)
        return ~(allowed & on_table & ~np.isnan(position).any(axis=1))

    def find(self, position: Array, orientation: Array) -> list[Place]:
        """Return the place of each cube: `inside:REGION`, `doorway`, `tray`, `table` or `lost`."""
        top = position[:, 2] + reach(orientation, self.cube_edge)[:, 2]
        out, outside = self.emerged(position), self.outside(position)
        lost = self.escaped(position) | self.missed(position)
        places: list[Place] = []
        for i in range(len(position)):
            if lost[i]:
                places.append(Place(LOST))
            elif out[i]:
                places.append(Place(outside[i]))
            else:
                region = next((region for region in self.regions if top[i] > region.above), self.regions[-1])
                places.append(Place(INSIDE + region.name))
        return places
