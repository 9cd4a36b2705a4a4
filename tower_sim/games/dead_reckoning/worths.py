"""What the zones of a board are worth in Dead Reckoning, read from what is printed on them.

A zone prints its `kind`, one of KINDS, and what a cube in it gives: a strength zone `strength`, a plunder zone `coins`,
`cargo` and `choice` (so many of coins and cargo, as the owner likes); a damage zone does one damage to the opposing
ship.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import cast

from tower_sim.apparatus.board import Board, Point, Zone
from tower_sim.apparatus.common import demand
from tower_sim.errors import UsageError
from tower_sim.fields import choice, count, read_table

EXPLOSIVE = "explosive"
PLUNDER = "plunder"
DAMAGE = "damage"
STRENGTH = "strength"
KINDS = (EXPLOSIVE, PLUNDER, DAMAGE, STRENGTH)

_GIVES = {PLUNDER: ("coins", "cargo", "choice"), STRENGTH: ("strength",)}


@dataclass(frozen=True, slots=True)
class Worth:
    """What a cube in a zone, or an ability, brings; `choice` is so many of coins and cargo, as the owner likes.

    Source: rulebook, lines 1015, 1027 and 1035.
    """

    strength: int = 0
    coins: int = 0
    cargo: int = 0
    choice: int = 0
    damage: int = 0

    def __add__(self, other: Worth) -> Worth:
        """Add the two up, field by field."""
        return Worth(
            self.strength + other.strength,
            self.coins + other.coins,
            self.cargo + other.cargo,
            self.choice + other.choice,
            self.damage + other.damage,
        )


@dataclass(frozen=True, slots=True)
class _Printed:
    """What is printed on a zone; only the numbers of its kind may differ from 0."""

    kind: str = choice(*KINDS)
    strength: int = count(0, 9, default=0)
    coins: int = count(0, 99, default=0)
    cargo: int = count(0, 99, default=0)
    choice: int = count(0, 99, default=0)

    @property
    def amounts(self) -> dict[str, int]:
        """The numbers by name."""
        return {item.name: cast("int", getattr(self, item.name)) for item in fields(self) if item.name != "kind"}


def read(zone: Zone) -> _Printed:
    """Read what is printed on `zone`; raises UsageError, in one line, for what this game does not know."""
    where = f"zone {zone.name}"
    printed = read_table(_Printed, zone.printed, where)
    gives = _GIVES.get(printed.kind, ())
    for key, amount in printed.amounts.items():
        demand(
            amount == 0 or key in gives,
            f"{where}.{key} = {amount}; allowed for kind {printed.kind!r} is {' or '.join(gives) or 'no value'}; "
            "remove it or change the kind",
        )
    demand(
        not gives or any(printed.amounts[key] for key in gives),
        f"{where} of kind {printed.kind!r} gives nothing; allowed is {' or '.join(gives)} of 1 or more; add it",
    )
    return printed


_known = lru_cache(maxsize=4096)(read)  # a battle asks again and again


def legible(board: Board, apparatus: str) -> Board:
    """Return `board`, of the apparatus so called, with what is printed written the shortest way: no zeros.

    Raises UsageError, in one line that names the profile, when a zone prints what this game does not know.
    """
    try:
        return replace(board, zones=tuple(_zone(zone.name, zone.corners, read(zone)) for zone in board.zones))
    except UsageError as error:
        raise UsageError(f"profile {apparatus}: {error}") from None


def _zone(name: str, corners: tuple[Point, ...], printed: _Printed) -> Zone:
    numbers = {key: amount for key, amount in printed.amounts.items() if amount}
    return Zone(name, corners, {"kind": printed.kind} | numbers)


def kind(zone: Zone) -> str:
    """Return the kind of `zone`, one of KINDS; raises UsageError as `read` does."""
    return _known(zone).kind


def worth(zone: Zone) -> Worth:
    """Return what a cube in `zone` brings its owner; raises UsageError as `read` does.

    Source: rulebook, lines 1015, 1027 and 1035.
    """
    return Worth(damage=1) if kind(zone) == DAMAGE else Worth(**_known(zone).amounts)


@dataclass(frozen=True, slots=True)
class SavedZone:
    """A zone as a saved battle has it."""

    name: str
    kind: str
    corners: tuple[Point, ...]
    strength: int
    coins: int
    cargo: int
    choice: int

    @staticmethod
    def of(zone: Zone) -> SavedZone:
        """Return `zone` so; raises UsageError as `read` does."""
        printed = read(zone)
        return SavedZone(zone.name, printed.kind, zone.corners, **printed.amounts)

    def zone(self) -> Zone:
        """Return the zone again; raises ValueError for one that no battle has."""
        zone = _zone(self.name, self.corners, _Printed(self.kind, self.strength, self.coins, self.cargo, self.choice))
        try:
            read(zone)
        except UsageError as error:
            raise ValueError(str(error)) from None
        return zone
