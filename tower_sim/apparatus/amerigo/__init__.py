"""The Amerigo tower: funnel with crossed ribs, square tube, two floors with openings, ramp, exit, tray."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tower_sim.apparatus.amerigo.boxes import build
from tower_sim.apparatus.amerigo.profile import read
from tower_sim.apparatus.kind import ApparatusKind
from tower_sim.apparatus.tower import Tower


def make(tables: Mapping[str, object], name: str, profile: dict[str, Any], digest: str) -> Tower:
    """Make the tower called `name` from the tables of its profile; raises UsageError for what makes no sense."""
    return build(read(tables), name, profile, digest)


KIND = ApparatusKind("amerigo_tower", "a funnel, a tower of two floors with openings, a tray", __name__, make)
