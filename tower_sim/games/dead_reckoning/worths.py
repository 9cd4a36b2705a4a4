"""The worth of the zones of a board in Dead Reckoning, read from their print.

A zone prints its `kind` and what a cube in it gives: `strength`, or `coins`, `cargo` and `choice` for plunder. A damage
zone deals one damage to the opposing ship.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from operator import add, attrgetter
from typing import Literal

from pydantic import Field

from tower_sim.apparatus import Board, Zone, demand
from tower_sim.documents import typed
from tower_sim.errors import UsageError

EXPLOSIVE = "explosive"
PLUNDER = "plunder"
DAMAGE = "damage"
STRENGTH = "strength"
KINDS = (EXPLOSIVE, PLUNDER, DAMAGE, STRENGTH)

_GIVES = {PLUNDER: ("coins", "cargo", "choice"), STRENGTH: ("strength",)}


@dataclass(frozen=True, slots=True)
class Worth:
    """What a cube in a zone, or an ability, brings its owner; `choice` are goods, each a coin or a cargo."""

    strength: int = 0
    coins: int = 0
    cargo: int = 0
    choice: int = 0
    damage: int = 0

    def __add__(self, other: Worth) -> Worth:
        return Worth(*map(add, _amounts(self), _amounts(other)))


_amounts = attrgetter(*(item.name for item in fields(Worth)))


class _Printed(typed.Document, frozen=True):
    kind: Literal["explosive", "plunder", "damage", "strength"]
    strength: int = Field(default=0, ge=0, le=9)
    coins: int = Field(default=0, ge=0, le=99)
    cargo: int = Field(default=0, ge=0, le=99)
    choice: int = Field(default=0, ge=0, le=99)

    @property
    def amounts(self) -> dict[str, int]:
        return {key: amount for key, amount in self.model_dump(exclude={"kind"}).items() if amount}


def read(zone: Zone) -> _Printed:
    """Return the print of `zone`. Raises UsageError for numbers of another kind."""
    where = f"zone {zone.name}"
    printed = typed.read(_Printed, zone.printed, where)
    gives = _GIVES.get(printed.kind, ())
    for key, amount in printed.amounts.items():
        allowed = f"allowed for kind {printed.kind!r} is {' or '.join(gives) or 'no value'}"
        demand(key in gives, f"{where}.{key} = {amount}; {allowed}; remove it or change the kind")
    allowed = f"allowed is {' or '.join(gives)} of 1 or more"
    demand(not gives or bool(printed.amounts), f"{where} of kind {printed.kind!r} gives nothing; {allowed}; add it")
    return printed


_known = lru_cache(maxsize=4096)(read)  # cached, because a battle reads the zones many times


def legible(board: Board, apparatus: str) -> Board:
    """Return `board` with the print of its zones in the shortest form, without zeros.

    `apparatus` is a name for messages. Raises UsageError for a print that is not allowed.
    """
    try:
        prints = [(zone, read(zone)) for zone in board.zones]
    except UsageError as error:
        raise UsageError(f"profile {apparatus}: {error}") from None
    zones = (replace(zone, printed={"kind": printed.kind} | printed.amounts) for zone, printed in prints)
    return replace(board, zones=tuple(zones))


def kind(zone: Zone) -> str:
    """Return the kind of `zone`, one of KINDS."""
    return _known(zone).kind


@lru_cache(maxsize=4096)
def worth(zone: Zone) -> Worth:
    """Return what a cube in `zone` brings its owner (rulebook, lines 1015, 1027 and 1035)."""
    return Worth(damage=1) if kind(zone) == DAMAGE else Worth(**_known(zone).amounts)
