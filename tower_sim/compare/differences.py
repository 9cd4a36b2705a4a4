"""The differences between two variants, key by key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tower_sim.apparatus.parts import Apparatus
from tower_sim.games.compared import Compared, leaves
from tower_sim.variants import Variant


@dataclass(frozen=True)
class Difference:
    """A key with different values in A and B (None: lacking). A key of the apparatus begins with its noun."""

    key: str
    a: Any
    b: Any


def differences(compared: Compared, a: Variant, b: Variant) -> tuple[Difference, ...]:
    """Return the differences between A and B in rules and apparatus."""
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
    """Return the word for an apparatus: `ship` if it has a board, else `tower`."""
    return "tower" if apparatus.board is None else "ship"
