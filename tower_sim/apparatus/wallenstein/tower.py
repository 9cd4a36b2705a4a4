"""The tower with a round or square tube, and where its cubes are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim import portable
from tower_sim.apparatus import calm as calm_boxes
from tower_sim.apparatus.dimensions import Dimensions
from tower_sim.apparatus.parts import Upright
from tower_sim.apparatus.tower_parts import WALL, TowerOfFloors
from tower_sim.apparatus.wallenstein.dimensions import dimensions
from tower_sim.apparatus.wallenstein.profile import Given

Array = npt.NDArray[np.float64]

# rectangles that stand for a round plan: cubes keep off the tube's walls, but pass the exit's edge
_PLANS = 5
_PLANS_OF_EXIT = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundTower(TowerOfFloors):
    """A tower whose tube is a regular polygon, with an exit at its front (x > 0); `given` are its parameters.

    `outward` are the unit normals (x, y) of the tube's walls.
    """

    given: Given
    outward: tuple[tuple[float, float], ...]

    def dimensions(self) -> Dimensions:
        """Say what is drawn beside the boxes."""
        return dimensions(self.given)

    def where(self) -> dict[str, Any]:
        """Return what decides where cubes are as data."""
        given = self.given
        return {
            "rule": "round",
            "outward": [list(normal) for normal in self.outward],
            "half": given.half,
            "outer": given.half + WALL,
            "top": given.tube.top,
            "rise": given.funnel.height or 1.0,
            "widens": given.funnel.rim / 2 - given.half,
            "exit_side": given.exit_side[0],
            "exit_top": given.exit_top,
        }

    def across(self, position: Array) -> Array:
        """Return how far (m) centres are from the tube's axis, square to the wall they are nearest to: shape (n,)."""
        return portable.dot(position[:, None, :2], np.array(self.outward)).max(axis=1)

    def within(self, position: Array) -> npt.NDArray[np.bool_]:
        """Tell which cubes are in the tube, the funnel (or over its opening) or within its exit."""
        given, height, across = self.given, position[:, 2], self.across(position)
        rise = np.clip((height - given.tube.top) / (given.funnel.height or 1.0), 0.0, 1.0)
        width = given.half + rise * (given.funnel.rim / 2 - given.half)
        return (across <= width) | (self._at_exit(position) & (across <= given.half + WALL))

    def emerged(self, position: Array) -> npt.NDArray[np.bool_]:
        """Tell which cubes have come out: the centre is past the tube's walls at its front, under the exit's top."""
        return self._at_exit(position) & (self.across(position) > self.given.half + WALL)

    def _at_exit(self, position: Array) -> npt.NDArray[np.bool_]:
        return (position[:, 0] > self.given.exit_side[0]) & (position[:, 2] < self.given.exit_top)


def calm(given: Given) -> Iterator[Upright]:
    """Yield boxes in which cubes are surely within and have not emerged; see `Apparatus.calm`."""
    yield from calm_boxes.inside(given, calm_boxes.rectangles(given.outward, _PLANS))
    outer = given.half + WALL
    for x, y in calm_boxes.rectangles(given.outward, _PLANS_OF_EXIT):
        if x * outer > given.exit_side[0] + 2 * calm_boxes.SLACK:
            yield calm_boxes.upright((given.exit_side[0], x * outer), (-y * outer, y * outer), (0.0, given.exit_top))
