"""The discrepancy: how far the simulation is off any real tower of the same shape, and its correlations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tower_sim.calibration.summaries import CUBES, SUMMARIES, Array

_LOGARITHMS = {"spread": "spread", "old": "spread", "turn": "flow", "colours": "colours", "points": "colours"}


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """Standard deviations of the difference between the simulation and a real tower of the same shape.

    Assumed [A]: about as far as half the time step, or Bullet in place of the core, moved simulated towers.

    `setup` and `inside` are in log odds, with correlation `together`; 0.42 is 2 cubes at 5 of 49. The number out
    follows from the number inside, except for `flow` (logarithm). `own` and `share` (of phases) are in log odds;
    `spread` and `colours` (also for action points) are in logarithm.
    """

    setup: float = 0.17
    inside: float = 0.42
    together: float = 0.85
    flow: float = 0.03
    own: float = 0.39
    spread: float = 0.11
    share: float = 0.26
    colours: float = 0.065

    def alone(self, summary: str) -> float:
        """Return the standard deviation for a summary whose discrepancy is independent of the others."""
        return getattr(self, "own" if summary == "own" else _LOGARITHMS.get(summary, "share"))

    def covariance(self, names: Sequence[str], inside: Array, errors: Array) -> Array:
        """Return the covariance of discrepancies and errors of the summaries `names`, for S towers, shape (S, n, n).

        `inside` (S) is in cubes; `errors` (S, n) are the standard errors of the means. Windows of one summary share
        their discrepancy. Those of different summaries are independent [A], except for `setup`, `inside` and `out`.
        """
        share = np.clip(inside / CUBES, 0.0, 1.0)
        common, alone = np.sqrt(self.together), np.sqrt(1 - self.together)
        load = np.zeros((len(inside), len(names), 1 + len(SUMMARIES)))
        column = {name: 1 + i for i, name in enumerate(SUMMARIES)}
        for i, name in enumerate(names):
            if name in ("setup", "inside"):
                sd = self.setup if name == "setup" else self.inside
                load[:, i, 0] = sd * common
                load[:, i, column[name]] = np.hypot(sd * alone, errors[:, i])
            elif name == "out":  # in the long run a seventh of the cubes outside: d log(49 - inside) = -share d logit
                load[:, i, 0] = -share * self.inside * common
                load[:, i, column["inside"]] = -share * self.inside * alone
                load[:, i, column["out"]] = np.hypot(self.flow, errors[:, i])
            else:
                load[:, i, column[name]] = np.hypot(self.alone(name), errors[:, i])
        return load @ load.transpose(0, 2, 1)
