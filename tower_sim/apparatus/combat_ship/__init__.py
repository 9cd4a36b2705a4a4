"""The combat ship of Dead Reckoning, and the board next to it."""

from __future__ import annotations

from tower_sim.apparatus.combat_ship.boxes import make
from tower_sim.apparatus.kind import ApparatusKind

KIND = ApparatusKind("combat_ship", "a ship that cubes fall through, and a board with zones", __name__, make)
