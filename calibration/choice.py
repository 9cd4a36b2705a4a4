"""Which tower of the posterior becomes the profile: one in its middle, in what it does and in how it is built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import spatial

from calibration.design import Point
from calibration.fit import Fit
from calibration.law import TARGETS, Predicts, law
from calibration.parameters import features
from calibration.summaries import EVERY, SUMMARIES, Array

DOES = (*TARGETS, "single")  # what a tower in the middle should do as predicted: also how often there is no choice
CLOSE = 0.1  # share of the posterior's towers that count as doing what is predicted
WIDTH = 2 * 1.645  # standard deviations between the ends of an interval of a normal law
NEIGHBOURS = 0.05  # share of the draws within whose reach a tower lies in a dense part


@dataclass(frozen=True, slots=True)
class MiddleTower:
    """The tower chosen: `point` of the unit cube, of `towers` different ones in the posterior.

    `closer` is the share of them that do more nearly what is predicted, `denser` the share that more others are like.
    """

    point: Point
    towers: int
    closer: float
    denser: float

    @property
    def why(self) -> str:
        """Say why in a sentence."""
        return (
            f"Of {self.towers} towers that agree with the evidence it is one in the middle: of the "
            f"{100 * CLOSE:.0f} % that do most nearly what is predicted, the one with the most others built like it "
            f"({100 * (1 - self.denser):.0f} % of all have fewer)."
        )


def choose(emulator: Predicts, fitted: Fit, others: Sequence[Point]) -> MiddleTower:
    """Choose, of the posterior's towers and `others` drawn from it, one in the middle; nothing is random.

    What a tower does is near the prediction when the emulator's means of DOES are near the posterior's medians, in the
    posterior's standard deviations on the scales of the fit; the emulator's own error counts as distance. Among the
    nearest CLOSE it is the one that lies densest: with the shortest way, in the emulator's coordinates, to its nearest
    NEIGHBOURS of the draws.
    """
    draws = fitted.posterior.unit
    towers = np.unique(np.concatenate([draws, np.array(others, float).reshape(-1, draws.shape[1])]), axis=0)
    off, reach = _off(emulator, fitted, towers), _reach(draws, towers)
    near = np.flatnonzero(off <= np.quantile(off, CLOSE))
    best = int(near[np.argmin(reach[near])])
    return MiddleTower(
        tuple(towers[best].tolist()), len(towers), float((off < off[best]).mean()), float((reach < reach[best]).mean())
    )


def _off(emulator: Predicts, fitted: Fit, towers: Array) -> Array:
    """Return how far each tower's means are from the predicted medians, squared, shape (towers,).

    Twice the logarithm of the chance that it gives to the clues of the evidence counts as distance too.
    """
    off = np.zeros(len(towers))
    posterior = fitted.posterior
    for name in DOES:
        if name not in TARGETS and name not in posterior.told:
            continue
        span = posterior.told[name] if name in posterior.told else posterior.interval(name)
        low, middle, high = (float(SUMMARIES[name].scale(end)) for end in (span.low, span.middle, span.high))
        at = emulator.at(EVERY[name], towers)
        off += ((at.mean - middle) ** 2 + at.error**2) / max((high - low) / WIDTH, 1e-6) ** 2
    clued = [entry for entry in fitted.evidence if entry.clues]
    return off - 2 * law(emulator, clued, fitted.discrepancy, towers).clues.sum(1) if clued else off


def _reach(draws: Array, towers: Array) -> Array:
    """Return how far from each tower the nearest NEIGHBOURS of the draws reach, shape (towers,)."""
    near: Any = spatial
    neighbours = max(int(NEIGHBOURS * len(draws)), 1)
    return near.KDTree(features(draws)).query(features(towers), k=[neighbours])[0][:, 0]
