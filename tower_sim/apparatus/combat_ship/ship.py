"""The combat ship, and the numbers that decide where its cubes are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tower_sim.apparatus import polygon, where
from tower_sim.apparatus.board import Zone
from tower_sim.apparatus.combat_ship.dimensions import dimensions
from tower_sim.apparatus.combat_ship.profile import ShipAndBoard
from tower_sim.apparatus.dimensions import Dimensions
from tower_sim.apparatus.with_board import WithBoard


@dataclass(frozen=True, slots=True, kw_only=True)
class CombatShip(WithBoard):
    """A ship that cubes fall through, and the board next to it; lengths in m.

    The hull reaches from -`hull_x` to `hull_x`, -`hull_y` to `hull_y`, up to `rim_top`. The gun deck ends at x =
    `hull_x`, `deck_low` high, and rises inboard by `deck_rise` (m/m).
    """

    hull_x: float
    hull_y: float
    deck_low: float
    deck_rise: float
    given: ShipAndBoard

    def dimensions(self) -> Dimensions:
        """Return what is drawn besides the boxes."""
        return dimensions(self.given, self.board)

    @property
    def rule(self) -> tuple[float, ...]:
        """The numbers (m) of where.py."""
        board = self.board
        head = (where.SHIP, self.hull_x, self.hull_y, self.deck_low, self.deck_rise, *board.x, *board.y)
        return (*head, board.floor, board.border_top, len(board.zones), *_zones(board.zones, where.FIRST_ZONE))


@lru_cache(maxsize=8)
def _zones(zones: tuple[Zone, ...], first: int) -> tuple[float, ...]:
    starts: list[float] = []
    numbers: list[float] = []
    for zone in zones:
        starts += [first + 2 * len(zones) + len(numbers), len(zone.corners)]
        for corner, normal in zip(zone.corners, polygon.inward(np.array(zone.corners)).tolist(), strict=True):
            numbers += [*corner, *normal]
    return (*starts, *numbers)
