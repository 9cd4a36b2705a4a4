"""The board that cubes fall onto: named zones with raised borders between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from tower_sim.values import BORDER, TABLE, ZONE

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Zone:
    """A zone of the board: a convex polygon, its `corners` (m) counter-clockwise.

    `printed` has all other fields of the zone's table, for the game.
    """

    name: str
    corners: tuple[Point, ...]
    printed: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "printed", MappingProxyType(dict(self.printed)))

    def __reduce__(self) -> tuple[type[Zone], tuple[str, tuple[Point, ...], dict[str, Any]]]:
        return Zone, (self.name, self.corners, dict(self.printed))


@dataclass(frozen=True, slots=True)
class Board:
    """The zones of a board, with raised borders between and around them.

    `floor` and `border_top` are heights (m) over the table, `x` and `y` bounds (m) with the frame. `neighbours` are the
    zones across one border, by name.
    """

    zones: tuple[Zone, ...]
    neighbours: dict[str, tuple[str, ...]]
    x: tuple[float, float]
    y: tuple[float, float]
    floor: float
    border_top: float

    @property
    def places(self) -> tuple[str, ...]:
        """The places of cubes that lie on the board or next to it: the zones, the border and the table."""
        return (*(ZONE + zone.name for zone in self.zones), BORDER, TABLE)

    def zone(self, name: str) -> Zone:
        """Return the zone called `name`; raise KeyError if there is none."""
        for zone in self.zones:  # a board has few zones: a search is fast enough without a table
            if zone.name == name:
                return zone
        raise KeyError(name)
