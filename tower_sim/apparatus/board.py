"""The board that cubes fall onto: named zones with values, raised borders between them; and the ship beside it."""

from __future__ import annotations

from dataclasses import dataclass

from tower_sim.apparatus.parts import Apparatus
from tower_sim.errors import UsageError

EXPLOSIVE = "explosive"
PLUNDER = "plunder"
DAMAGE = "damage"
STRENGTH = "strength"
KINDS = (EXPLOSIVE, PLUNDER, DAMAGE, STRENGTH)

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Zone:
    """A zone: a convex polygon of floor, its `corners` (m) counter-clockwise, and what a cube in it is worth.

    `kind` is one of KINDS. A strength zone gives `strength`; a plunder zone `coins`, `cargo` and `choice` (so many of
    coins and cargo, as the owner likes); a damage zone one damage to the opposing ship.
    """

    name: str
    kind: str
    corners: tuple[Point, ...]
    strength: int = 0
    coins: int = 0
    cargo: int = 0
    choice: int = 0


@dataclass(frozen=True, slots=True)
class Board:
    """Zones, with raised borders between and around them.

    Heights (m) over the table: the zones' `floor`, the borders' upper face `border_top`. `x` and `y` are the outer
    bounds (m) of the board with its frame. `neighbours` names for each zone those across one border from it.
    """

    zones: tuple[Zone, ...]
    neighbours: dict[str, tuple[str, ...]]
    x: tuple[float, float]
    y: tuple[float, float]
    floor: float
    border_top: float

    def zone(self, name: str) -> Zone:
        """Return the zone called `name`; raises KeyError when there is none."""
        return {zone.name: zone for zone in self.zones}[name]


@dataclass(frozen=True, slots=True)
class CombatShip(Apparatus):
    """A ship that cubes fall through, and the board beside it.

    The hull stands between x = -`hull_x` and `hull_x` (its port side, towards the board) and y = -`hull_y` and
    `hull_y`, up to `rim_top`; the gun deck, on which cubes leave, falls towards the board: its surface is at height
    `deck_low` at x = `hull_x`, and rises by `deck_rise` (m/m) inboard. Lengths in m.
    """

    hull_x: float
    hull_y: float
    deck_low: float
    deck_rise: float
    board: Board


def as_ship(apparatus: Apparatus) -> CombatShip:
    """Return `apparatus`, known to be a combat ship; raises UsageError for one that has no board."""
    if not isinstance(apparatus, CombatShip):
        raise UsageError(f"apparatus {apparatus.name!r} has no board; allowed is a combat ship; try 'dead_reckoning'")
    return apparatus
