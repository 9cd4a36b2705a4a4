"""The Amerigo tower."""

from __future__ import annotations

from tower_sim.apparatus import tower_parts
from tower_sim.apparatus.amerigo.boxes import boxes
from tower_sim.apparatus.amerigo.dimensions import dimensions
from tower_sim.apparatus.amerigo.profile import AmerigoTower

TITLE = "a funnel, a tower of two floors with openings, a tray"
KIND = tower_parts.kind("amerigo_tower", TITLE, __name__, AmerigoTower, boxes, dimensions)
