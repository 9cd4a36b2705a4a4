"""A Wallenstein-like tower: funnel, round or square tube, two floors that differ, ramp, splayed exit, tray."""

from __future__ import annotations

from tower_sim.apparatus.kind import ApparatusKind
from tower_sim.apparatus.profile import Profile
from tower_sim.apparatus.wallenstein.boxes import boxes
from tower_sim.apparatus.wallenstein.profile import read
from tower_sim.apparatus.wallenstein.tower import RoundTower, calm


def make(profile: Profile) -> RoundTower:
    """Make the tower of a profile; raises UsageError for what makes no sense."""
    given = read(profile)
    return RoundTower(
        **given.of_tower(),
        boxes=tuple(boxes(given)),
        calm=tuple(calm(given)),
        given=given,
        outward=given.outward,
    )


KIND = ApparatusKind("wallenstein_tower", "a round or square tower of two floors that differ, a tray", __name__, make)
