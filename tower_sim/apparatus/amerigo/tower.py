"""The tower with a square tube, and where its cubes are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus import calm as calm_boxes
from tower_sim.apparatus.amerigo.dimensions import dimensions
from tower_sim.apparatus.amerigo.profile import AmerigoTower
from tower_sim.apparatus.dimensions import Dimensions
from tower_sim.apparatus.parts import Upright
from tower_sim.apparatus.tower_parts import WALL, TowerOfFloors

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SquareTower(TowerOfFloors):
    """A tower with a square tube, whose exit is in its wall towards a tray."""

    given: AmerigoTower

    def dimensions(self) -> Dimensions:
        """Say what is drawn beside the boxes."""
        return dimensions(self.given)

    def where(self) -> dict[str, Any]:
        """Return what decides where cubes are as data."""
        given = self.given
        return {
            "rule": "square",
            "half": given.half,
            "outer": given.half + WALL,
            "top": given.tube.top,
            "rise": self.rim_top - given.tube.top,
            "widens": given.funnel.rim / 2 - given.half,
            "exit_top": given.exit_top,
        }

    def emerged(self, position: Array) -> npt.NDArray[np.bool_]:
        """Tell which cubes have come out: the centre is past the exit and under its upper edge."""
        return (position[:, 0] > self.given.half + WALL) & (position[:, 2] < self.given.exit_top)

    def within(self, position: Array) -> npt.NDArray[np.bool_]:
        """Tell which cubes are in the tube, the funnel (or over its opening) or the exit."""
        given, (x, y, height) = self.given, position.T
        rise = np.clip((height - given.tube.top) / (self.rim_top - given.tube.top), 0.0, 1.0)
        width = given.half + rise * (given.funnel.rim / 2 - given.half)
        in_exit = (x > 0) & (height < given.exit_top) & (np.abs(y) < given.half)
        return (np.maximum(np.abs(x), np.abs(y)) <= width) | in_exit


def calm(given: AmerigoTower) -> Iterator[Upright]:
    """Yield boxes in which cubes are surely within and have not emerged; see `Apparatus.calm`."""
    half = given.half
    yield from calm_boxes.inside(given, [(1.0, 1.0)])
    yield calm_boxes.upright((0.0, half + WALL), (-half, half), (0.0, given.exit_top))
