"""The combat ship of Dead Reckoning, and the board beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tower_sim.apparatus.combat_ship.boxes import build
from tower_sim.apparatus.combat_ship.profile import read
from tower_sim.apparatus.combat_ship.ship import CombatShip
from tower_sim.apparatus.kind import ApparatusKind


def make(tables: Mapping[str, object], name: str, profile: dict[str, Any], digest: str) -> CombatShip:
    """Make the ship called `name` from the tables of its profile; raises UsageError for what makes no sense."""
    return build(read(tables), name, profile, digest)


KIND = ApparatusKind("combat_ship", "a ship that cubes fall through, and a board with zones", __name__, make)
