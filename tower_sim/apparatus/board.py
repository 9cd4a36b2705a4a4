"""The board that cubes fall onto: named zones, raised borders between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Zone:
    """A zone: a convex polygon of floor, its `corners` (m) counter-clockwise.

    `printed` is what else the profile says of it, as read: what that means is a game's to say. It cannot be changed.
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
        for zone in self.zones:  # a battle asks again and again: no table is made of so few
            if zone.name == name:
                return zone
        raise KeyError(name)
