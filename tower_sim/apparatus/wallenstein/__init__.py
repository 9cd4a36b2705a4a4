"""A Wallenstein-like tower."""

from __future__ import annotations

from tower_sim.apparatus import tower_parts
from tower_sim.apparatus.kind import ApparatusKind
from tower_sim.apparatus.profile import Profile
from tower_sim.apparatus.tower_parts import TowerOfFloors
from tower_sim.apparatus.wallenstein.boxes import boxes
from tower_sim.apparatus.wallenstein.dimensions import dimensions
from tower_sim.apparatus.wallenstein.profile import read


def make(profile: Profile) -> TowerOfFloors:
    """Make the Wallenstein-like tower that a profile describes."""
    given = read(profile)
    return tower_parts.make(profile, given, boxes(given), dimensions)


KIND = ApparatusKind("wallenstein_tower", "a round or square tower of two floors that differ, a tray", __name__, make)
