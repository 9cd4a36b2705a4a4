"""The combat ship of Dead Reckoning, and the board next to it."""

from __future__ import annotations

from tower_sim.apparatus.combat_ship.boxes import build
from tower_sim.apparatus.combat_ship.profile import read
from tower_sim.apparatus.combat_ship.ship import CombatShip
from tower_sim.apparatus.kind import ApparatusKind
from tower_sim.apparatus.profile import Profile


def make(profile: Profile) -> CombatShip:
    """Make the combat ship and the board that a profile describes."""
    return build(profile, *read(profile))


KIND = ApparatusKind("combat_ship", "a ship that cubes fall through, and a board with zones", __name__, make)
