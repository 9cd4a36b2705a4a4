"""A knock: the table jerks for a moment, out and back. See `drop.set_gravity` of the core."""

from __future__ import annotations

import math

import numpy as np

from tower_sim import draws, portable
from tower_sim.physics.core.drop import HOLD, SHAKING

__all__ = ["HOLD", "SHAKING", "draw_direction"]


def draw_direction(rng: np.random.Generator) -> tuple[float, float]:
    """Draw a horizontal direction uniformly from `rng`: x and y of a unit vector."""
    angle = draws.uniform(rng, 0.0, 2 * math.pi)
    return portable.cos(angle), portable.sin(angle)
