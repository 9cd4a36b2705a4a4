"""A Wallenstein-like tower."""

from __future__ import annotations

from tower_sim.apparatus import tower_parts
from tower_sim.apparatus.wallenstein.boxes import boxes
from tower_sim.apparatus.wallenstein.dimensions import dimensions
from tower_sim.apparatus.wallenstein.profile import Given

TITLE = "a round or square tower of two floors that differ, a tray"
KIND = tower_parts.kind("wallenstein_tower", TITLE, __name__, Given, boxes, dimensions)
