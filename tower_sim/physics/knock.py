"""A knock: the table jerks for a moment. In the frame of the apparatus this is a short swing of gravity."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tower_sim import draws, portable
from tower_sim.physics.settings import GRAVITY

HOLD = 0.1  # [assumed] a weaker knock wakes nothing: a quarter of what friction 0.4 holds, and the engine's own creep
SECONDS = 0.1  # [assumed] a table knocked by hand moves out and back in about a tenth of a second


@dataclass(frozen=True, slots=True)
class Shake:
    """A jerk of the table, out and back along the horizontal (`x`, `y`), with peak acceleration `strength` (g).

    The displacement is proportional to sin^4(pi t / SECONDS), so the table begins and ends at rest in the same place.
    At strength 1 it moves by 2.5 mm.
    """

    strength: float
    x: float
    y: float

    @staticmethod
    def draw(strength: float, rng: np.random.Generator) -> Shake:
        """Return a knock of this strength in a horizontal direction drawn uniformly from `rng`."""
        angle = draws.uniform(rng, 0.0, 2 * math.pi)
        return Shake(strength, portable.cos(angle), portable.sin(angle))

    def gravity(self, time: float) -> tuple[float, float, float]:
        """Return the gravity (m/s2) felt in the apparatus at `time` (s) after the knock began."""
        sine = portable.sin(math.pi * time / SECONDS) if time < SECONDS else 0.0
        u = sine * sine
        swing = self.strength * GRAVITY * (4 * u * u - 3 * u)
        return (swing * self.x, swing * self.y, -GRAVITY)
