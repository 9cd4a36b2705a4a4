"""The Amerigo tower: funnel with crossed ribs, square tube, two floors with openings, ramp, exit, tray."""

from __future__ import annotations

from tower_sim.apparatus.amerigo.boxes import boxes
from tower_sim.apparatus.amerigo.profile import read
from tower_sim.apparatus.amerigo.tower import SquareTower, calm
from tower_sim.apparatus.kind import ApparatusKind
from tower_sim.apparatus.profile import Profile


def make(profile: Profile) -> SquareTower:
    """Make the tower of a profile; raises UsageError for what makes no sense."""
    given = read(profile)
    return SquareTower(**given.of_tower(), boxes=tuple(boxes(given)), calm=tuple(calm(given)), given=given)


KIND = ApparatusKind("amerigo_tower", "a funnel, a tower of two floors with openings, a tray", __name__, make)
