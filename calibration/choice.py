"""Which tower of the posterior becomes the profile: one in its middle, in what it does and in how it is built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import spatial

from tower_sim.calibration.design import Point
from tower_sim.calibration.evidence import Within
from tower_sim.calibration.fit import Fit
from tower_sim.calibration.law import TARGETS, Predicts, law
from tower_sim.calibration.parameters import features
from tower_sim.calibration.summaries import EVERY, SUMMARIES, Array

DOES = (*TARGETS, "single")  # what a tower in the middle should do as predicted: also how often there is no choice
CLOSE = 0.1  # share of the posterior's towers that count as doing what is predicted
WIDTH = 2 * 1.645  # standard deviations between the ends of an interval of a normal law
NEIGHBOURS = 0.05  # share of the draws within whose reach a tower lies in a dense part


@dataclass(frozen=True, slots=True)
class MiddleTower:
    """A tower in the posterior's middle: `point` of the unit cube, of `towers` different ones that agree.

    `bounded` says that bounds were told, and that only those `towers` count that keep to all of them.
    """

    point: Point
    towers: int
    bounded: bool


@dataclass(frozen=True, slots=True)
class ChosenTower:
    """The tower chosen, `middle`, and how many in the middle were `played` to choose it."""

    middle: MiddleTower
    played: int

    @property
    def why(self) -> str:
        """Say why in a sentence."""
        bounds = ", and keep within every bound that was told," if self.middle.bounded else ""
        several = f"{self.played} in the middle were played" if self.played > 1 else "one in the middle was played"
        return (
            f"Of {self.middle.towers} towers that agree with the evidence{bounds} {several}: of the "
            f"{100 * CLOSE:.0f} % that do most nearly what is predicted, those with the most others built like them. "
            "Of these it is the one whose games come nearest to what is predicted."
        )


def choose(emulator: Predicts, fitted: Fit, middle: Sequence[MiddleTower]) -> ChosenTower:
    """Choose, of a shortlist, the tower that does most nearly what is predicted; `emulator` knows the games of each."""
    counts = _counts(emulator, fitted)
    off = _off(emulator, fitted, np.array([each.point for each in middle]), counts)
    return ChosenTower(middle[int(np.argmin(off))], len(middle))


def shortlist(emulator: Predicts, fitted: Fit, others: Sequence[Point], number: int) -> list[MiddleTower]:
    """Return so many towers in the posterior's middle, of its own and `others` drawn from it; nothing is random.

    Where the evidence tells bounds of what a tower does (`Within`), and the emulator's means of some towers lie within
    all of them, only these count. What a tower does is near the prediction when the emulator's means of DOES are near
    the medians of the draws that count, in their standard deviations on the scales of the fit; the emulator's own error
    counts as distance. Of the nearest CLOSE come first those that lie densest: with the shortest way, in the
    emulator's coordinates, to the nearest NEIGHBOURS of these draws.
    """
    draws = fitted.posterior.unit
    towers = np.unique(np.concatenate([draws, np.array(others, float).reshape(-1, draws.shape[1])]), axis=0)
    counts = _counts(emulator, fitted)
    bounded = bool(_bounds(fitted)) and bool(_within(emulator, fitted, draws).any())
    if bounded:
        towers = towers[_within(emulator, fitted, towers)]
    off, reach = _off(emulator, fitted, towers, counts), _reach(draws[counts], towers)
    near = np.flatnonzero(off <= np.quantile(off, CLOSE))
    densest = near[np.argsort(reach[near], kind="stable")][:number]
    return [MiddleTower(tuple(towers[row].tolist()), len(towers), bounded) for row in densest]


def _counts(emulator: Predicts, fitted: Fit) -> Array:
    """Return which draws of the posterior count: those within the bounds, if any, shape (draws,)."""
    within = _within(emulator, fitted, fitted.posterior.unit)
    return within if within.any() else ~within


def _bounds(fitted: Fit) -> list[Within]:
    return [clue for entry in fitted.evidence for clue in entry.clues if isinstance(clue, Within)]


def _within(emulator: Predicts, fitted: Fit, towers: Array) -> Array:
    """Return which towers the emulator sees within every bound of the evidence, shape (towers,)."""
    within = np.ones(len(towers), bool)
    for clue in _bounds(fitted):
        low, high = clue.ends
        mean = emulator.at(clue.window, towers).mean
        within &= (mean >= low) & (mean <= high)
    return within


def _off(emulator: Predicts, fitted: Fit, towers: Array, counts: Array) -> Array:
    """Return how far each tower's means are from the medians of the draws that count, squared, shape (towers,).

    Twice the logarithm of the chance that it gives to the clues of the evidence counts as distance too.
    """
    off = np.zeros(len(towers))
    posterior = fitted.posterior
    for name in DOES:
        if name in TARGETS:
            drawn = SUMMARIES[name].scale(posterior.targets[name][counts])
        elif name in posterior.told:
            drawn = emulator.at(EVERY[name], posterior.unit[counts]).mean
        else:
            continue
        low, middle, high = np.quantile(drawn, [0.05, 0.5, 0.95])
        at = emulator.at(EVERY[name], towers)
        off += ((at.mean - middle) ** 2 + at.error**2) / max((high - low) / WIDTH, 1e-6) ** 2
    clued = [entry for entry in fitted.evidence if entry.clues]
    return off - 2 * law(emulator, clued, fitted.discrepancy, towers).clues.sum(1) if clued else off


def _reach(draws: Array, towers: Array) -> Array:
    """Return how far from each tower the nearest NEIGHBOURS of the draws reach, shape (towers,)."""
    near: Any = spatial
    neighbours = max(int(NEIGHBOURS * len(draws)), 1)
    return near.KDTree(features(draws)).query(features(towers), k=[neighbours])[0][:, 0]
