"""What the simulation gets wrong of every real tower of the same shape, and how that hangs together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tower_sim.calibration.summaries import CUBES, SUMMARIES, Array

_LOGARITHMS = {"spread": "spread", "old": "spread", "turn": "flow", "colours": "colours", "points": "colours"}


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """How far the simulation may be off a real tower of the same shape, as standard deviations.

    Measured: how far 96 towers moved when the core was given half its step, and 48 when Bullet took its place, the root
    mean square of both (docs/calibration.md). That a real tower is about as far off as these two are is assumed. [A]

    `setup` and `inside`: in log odds, after the set-up and in play, correlated by `together`. What comes out follows
    from what stays, but for `flow` (in logarithm). `own` and `share` (of phases) in log odds, `spread` and `colours`
    (also of action points) in logarithm. In log odds it is not seen to grow with what is inside; in cubes it does: 0.42
    are 2 cubes at 5 of 49, and 5 at half of them.
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
        """Return how far a summary may be off that hangs together with no other."""
        return getattr(self, "own" if summary == "own" else _LOGARITHMS.get(summary, "share"))

    def covariance(self, names: Sequence[str], inside: Array, errors: Array) -> Array:
        """Return the covariance of what is wrong with the summaries `names`, shape (S, n, n).

        For towers that keep `inside` cubes (S), with the `errors` (S, n) of their means added. Windows of one summary
        are wrong alike; errors of different summaries are taken as independent [A].
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
