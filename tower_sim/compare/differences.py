"""What tells two variants apart, key by key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tower_sim.apparatus.parts import Apparatus
from tower_sim.games.compared import Compared, leaves
from tower_sim.variants import Variant


@dataclass(frozen=True)
class Difference:
    """A key with another value in B than in A; `tower.` or `ship.` begins a profile's. None: the key is not there."""

    key: str
    a: Any
    b: Any


def differences(compared: Compared, a: Variant, b: Variant) -> tuple[Difference, ...]:
    """Return what of B is other than in A: of the rules what the game tells, of the apparatus the keys of its profile.

    None: the two play alike, and equal seeds give equal runs.
    """
    tables = [(compared.keys(0), compared.keys(1))]
    if a.apparatus.digest != b.apparatus.digest:
        old, new = (dict(leaves(variant.apparatus.profile, noun(variant.apparatus))) for variant in (a, b))
        tables.append((old, new))
    return tuple(
        Difference(key, old.get(key), new.get(key))
        for old, new in tables
        for key in {**old, **new}
        if old.get(key) != new.get(key)
    )


def noun(apparatus: Apparatus) -> str:
    """Return what people call an apparatus: a tower, or a ship where it has a board."""
    return "tower" if apparatus.board is None else "ship"
