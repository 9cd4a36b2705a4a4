"""A tower that keeps cubes, and where its cubes are: in a region inside, in the tray or on the table."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus.parts import Apparatus
from tower_sim.apparatus.solids import reach
from tower_sim.places import INSIDE, LOST, TABLE, TRAY, Place

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tower(Apparatus):
    """A tower that keeps cubes and brings others out, of any shape: a kind says what is `within`, and what `emerged`.

    Centres (m) have shape (n, 3).
    """

    @abstractmethod
    def within(self, position: Array) -> npt.NDArray[np.bool_]:
        """Tell which cubes are where those inside can be, or over the opening at the top: shape (n,)."""

    def in_tray(self, position: Array) -> npt.NDArray[np.bool_]:
        """Tell which of the cubes that have emerged lie in the tray, shape (n,); here all do."""
        return np.ones(len(position), dtype=bool)

    def escaped(self, position: Array) -> npt.NDArray[np.bool_]:
        """Tell which cubes are where they cannot be, shape (n,): neither within nor out, or under the table's top.

        A position that is not a number is where no cube can be.
        """
        allowed = self.within(position) | self.emerged(position)
        return ~(allowed & (position[:, 2] >= 0) & ~np.isnan(position).any(axis=1))

    def find(self, position: Array, orientation: Array) -> list[Place]:
        """Return the place of each cube: `inside:REGION`, `tray`, `table` or `lost`.

        A cube inside belongs to the highest region that any part of it reaches into.
        """
        top = position[:, 2] + reach(orientation, self.cube_edge)[:, 2]
        out, lost, in_tray = self.emerged(position), self.escaped(position), self.in_tray(position)
        places: list[Place] = []
        for i in range(len(position)):
            if lost[i]:
                places.append(Place(LOST))
            elif out[i]:
                places.append(Place(TRAY if in_tray[i] else TABLE))
            else:
                region = next((region for region in self.regions if top[i] > region.above), self.regions[-1])
                places.append(Place(INSIDE + region.name))
        return places
