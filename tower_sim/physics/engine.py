"""Engines by name (tower_sim/tools/registry.py, group `engine`). SI units."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.physics.settings import PhysicsSettings
from tower_sim.tools import get
from tower_sim.values import Pose


@dataclass(slots=True)
class Motion:
    """Positions (n, 3), quaternions (n, 4; x, y, z, w), velocities (n, 3) and spins (n, 3) of n cubes, in SI units."""

    position: npt.NDArray[np.float64]
    orientation: npt.NDArray[np.float64]
    velocity: npt.NDArray[np.float64]
    spin: npt.NDArray[np.float64]

    def pose(self, i: int) -> Pose:
        """Return the pose of cube `i`."""
        x, y, z = (float(v) for v in self.position[i])
        a, b, c, w = (float(v) for v in self.orientation[i])
        return Pose((x, y, z), (a, b, c, w))


def make(settings: PhysicsSettings) -> Any:
    """Return a new engine of the kind that `settings` name."""
    return get("engine", settings.engine)(settings)


def find_version(name: str) -> str | None:
    """Return the version of an engine's package, or None if it is not installed."""
    try:
        return metadata.version(get("engine", name).distribution)
    except metadata.PackageNotFoundError:
        return None
