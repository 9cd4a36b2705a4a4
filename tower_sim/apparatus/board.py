"""The board that cubes fall onto: named zones with values, raised borders between them."""

from __future__ import annotations

from dataclasses import dataclass

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
