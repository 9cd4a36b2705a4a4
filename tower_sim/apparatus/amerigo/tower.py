"""The tower with a square tube, and where its cubes are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus.amerigo.dimensions import dimensions
from tower_sim.apparatus.amerigo.profile import AmerigoTower
from tower_sim.apparatus.dimensions import Dimensions
from tower_sim.apparatus.tower import Tower

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SquareTower(Tower):
    """A tower with a square tube, whose exit is in its wall towards a tray.

    Inside is the vertical square tube of half width `tube_half` up to `tube_top`, widening to half width `rim_half`
    at `rim_top`; cubes leave at x = `exit_x` below `exit_top`. `tray_x` and `tray_half_y` bound the tray's floor.
    `given` are its parameters.
    """

    tube_half: float
    tube_top: float
    rim_half: float
    exit_x: float
    exit_top: float
    tray_x: float
    tray_half_y: float
    given: AmerigoTower

    def dimensions(self) -> Dimensions:
        """Say what is drawn beside the boxes."""
        return dimensions(self.given)

    def emerged(self, position: Array) -> npt.NDArray[np.bool_]:
        """Tell which cubes have come out: the centre is past the exit and under its upper edge."""
        return (position[:, 0] > self.exit_x) & (position[:, 2] < self.exit_top)

    def within(self, position: Array) -> npt.NDArray[np.bool_]:
        """Tell which cubes are in the tube, the funnel (or over its opening) or the exit."""
        across = np.abs(position[:, :2]).max(axis=1)
        height = position[:, 2]
        rise = np.clip((height - self.tube_top) / (self.rim_top - self.tube_top), 0.0, 1.0)
        width = self.tube_half + rise * (self.rim_half - self.tube_half)
        in_exit = (position[:, 0] > 0) & (height < self.exit_top) & (np.abs(position[:, 1]) < self.tube_half)
        return (across <= width) | in_exit

    def in_tray(self, position: Array) -> npt.NDArray[np.bool_]:
        """Tell which of the cubes that have come out lie in the tray."""
        return (position[:, 0] < self.tray_x) & (np.abs(position[:, 1]) < self.tray_half_y)
