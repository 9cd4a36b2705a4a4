"""The Amerigo tower."""

from __future__ import annotations

from tower_sim.apparatus import tower_parts
from tower_sim.apparatus.amerigo.boxes import boxes
from tower_sim.apparatus.amerigo.dimensions import dimensions
from tower_sim.apparatus.amerigo.profile import read
from tower_sim.apparatus.kind import ApparatusKind
from tower_sim.apparatus.profile import Profile
from tower_sim.apparatus.tower_parts import TowerOfFloors


def make(profile: Profile) -> TowerOfFloors:
    """Make the Amerigo tower that a profile describes."""
    given = read(profile)
    return tower_parts.make(profile, given, boxes(given), dimensions)


KIND = ApparatusKind("amerigo_tower", "a funnel, a tower of two floors with openings, a tray", __name__, make)
