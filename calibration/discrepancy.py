"""What the simulation gets wrong of every real tower of the same shape, and how that hangs together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.summaries import CUBES, SUMMARIES, Array

_LOGARITHMS = {"spread": "spread", "old": "spread", "turn": "flow", "colours": "colours", "points": "colours"}


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """How far the simulation may be off a real tower of the same shape, as standard deviations. [A]

    `inside`: in log odds, of the set-up and in play, correlated by `together`; 0.2 is 2.5 of 49 cubes where half stay
    inside, the size of what contact law and engine move the count (docs/calibration.md). What comes out follows from
    what stays, but for `flow` (in logarithm). `own` and `share` (of phases) in log odds, `spread` and `colours` (also
    of action points) in logarithm.
    """

    inside: float = 0.20
    together: float = 0.8
    flow: float = 0.03
    own: float = 0.20
    spread: float = 0.10
    share: float = 0.20
    colours: float = 0.05

    def alone(self, summary: str) -> float:
        """Return how far a summary may be off that hangs together with no other."""
        return getattr(self, "own" if summary == "own" else _LOGARITHMS.get(summary, "share"))

    def covariance(self, names: Sequence[str], inside: Array, errors: Array) -> Array:
        """Return the covariance of what is wrong with the summaries `names`, shape (S, n, n).

        For towers that keep `inside` cubes (S), the emulator's `errors` (S, n) added; windows of one summary err alike.
        """
        share = np.clip(inside / CUBES, 0.0, 1.0)
        error = {name: errors[:, i] for i, name in enumerate(names)}
        common = self.inside * np.sqrt(self.together)
        alone = self.inside * np.sqrt(1 - self.together)
        load = np.zeros((len(inside), len(names), 1 + len(SUMMARIES)))
        column = {name: 1 + i for i, name in enumerate(SUMMARIES)}
        for i, name in enumerate(names):
            if name in ("setup", "inside"):
                load[:, i, 0] = common
                load[:, i, column[name]] = np.hypot(alone, error[name])
            elif name == "out":  # in the long run a seventh of the cubes outside: d log(49 - inside) = -share d logit
                load[:, i, 0] = -share * common
                load[:, i, column["inside"]] = -share * np.hypot(alone, error.get("inside", 0.0))
                load[:, i, column["out"]] = np.hypot(self.flow, error["out"])
            else:
                load[:, i, column[name]] = np.hypot(self.alone(name), error[name])
        return load @ load.transpose(0, 2, 1)
