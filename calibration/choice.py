"""Which tower of the posterior becomes the profile: one in its middle, in what it does and in how it is built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import spatial

from tower_sim.calibration.design import Point
from tower_sim.calibration.fit import Fit
from tower_sim.calibration.law import TARGETS
from tower_sim.calibration.parameters import features
from tower_sim.calibration.summaries import SUMMARIES, Array

DOES = (*TARGETS, "single")  # what a tower in the middle should do as predicted: also how often there is no choice
CLOSE = 0.1  # share of the posterior's towers that count as doing what is predicted
WIDTH = 2 * 1.645  # standard deviations between the ends of an interval of a normal law
NEIGHBOURS = 0.05  # share of the draws within whose reach a tower lies in a dense part


@dataclass(frozen=True, slots=True)
class ChosenTower:
    """The tower chosen: `point` of the unit cube, of `towers` different ones that were played and agree."""

    point: Point
    towers: int

    @property
    def why(self) -> str:
        """Say why in a sentence."""
        return (
            f"Of {self.towers} towers that were played and agree with the evidence it is, of the {100 * CLOSE:.0f} % "
            "that do most nearly what is predicted, the one with the most others built like it."
        )


def choose(fitted: Fit) -> ChosenTower:
    """Choose the tower of the posterior that lies in its middle; nothing is random.

    What a tower does is near the prediction when its own means of DOES are near the medians of all draws, in their
    standard deviations on the scales of the fit; how far its own means are not known counts as distance. Of the nearest
    CLOSE it is the one that lies densest: with the shortest way, in the emulator's coordinates, to the nearest
    NEIGHBOURS of the draws.
    """
    draws = fitted.posterior.unit
    towers, tower = np.unique(draws, axis=0, return_inverse=True)
    times = np.bincount(tower)
    off = np.zeros(len(towers))
    for name in DOES:
        if name in fitted.posterior.played:
            does = SUMMARIES[name].scale(fitted.posterior.played[name])
            low, middle, high = np.quantile(does, [0.05, 0.5, 0.95])
            off += np.bincount(tower, (does - middle) ** 2) / times / max((high - low) / WIDTH, 1e-6) ** 2
    near = np.flatnonzero(off <= np.quantile(off, CLOSE))
    chosen = near[np.argmin(_reach(draws, towers[near]))]
    return ChosenTower(tuple(towers[chosen].tolist()), len(towers))


def _reach(draws: Array, towers: Array) -> Array:
    """Return how far from each tower the nearest NEIGHBOURS of the draws reach, shape (towers,)."""
    near: Any = spatial
    neighbours = max(int(NEIGHBOURS * len(draws)), 1)
    return near.KDTree(features(draws)).query(features(towers), k=[neighbours])[0][:, 0]
