"""A tower that keeps cubes, and where its cubes are: in a region inside, the doorway, the tray or on the table."""

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
    """A tower that keeps cubes and brings others out, of any shape: a kind says what is `within`, and what `emerged`.

    Centres (m) have shape (n, 3).
    """

    @abstractmethod
    def within(self, position: Array) -> npt.NDArray[np.bool_]:
        """Tell which cubes are where those inside can be, or over the opening at the top: shape (n,)."""

    def outside(self, position: Array) -> list[str]:
        """Return the place of each cube that has emerged: here the tray."""
        return [TRAY] * len(position)

    def escaped(self, position: Array) -> npt.NDArray[np.bool_]:
        """Tell which cubes are where they cannot be, shape (n,): in a wall, say, under the table's top, or beside it.

        A position that is not a number is where no cube can be.
        """
        allowed = self.within(position) | self.emerged(position) | self.missed(position)
        on_table = (np.abs(position[:, :2]).max(axis=1, initial=0.0) < HALF_TABLE) & (position[:, 2] >= 0)
        return ~(allowed & on_table & ~np.isnan(position).any(axis=1))

    def find(self, position: Array, orientation: Array) -> list[Place]:
        """Return the place of each cube: `inside:REGION`, `doorway`, `tray`, `table` or `lost`.

        A cube inside belongs to the highest region that any part of it reaches into.
        """
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
