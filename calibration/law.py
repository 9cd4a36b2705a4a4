"""The distribution of the evidence under each simulated tower: jointly normal values, and a probability for each clue.

A summary over games is normal with mean m + d: m is the tower's estimated long-run mean; d is the error of m plus the
discrepancy, the same for what the tower does next. Given the tower, clues are independent of the values and of each
other [A]; their probabilities are averages over d.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
from scipy.special import betaln, log_ndtr, ndtr
from scipy.special import expit as share

from tower_sim.calibration.evidence import GAMES, PHASE, Clue, ColoursOut, Evidence, GamesClog, LeastOut, ThrownLeads
from tower_sim.calibration.prior import Array, Towers
from tower_sim.calibration.summaries import EVERY, WHOLE, Discrepancy, Window, expit, log

TARGETS = ("setup", "inside", "out")  # the main predictions of a fit: long-run means over whole games
# other predictions: means and shares of phases
TOLD = ("colours", "single", "many", "leads", "share_own", "old", "points", "ones", "skipped")
LEAST_CHANCE = 1e-12  # of a clue, so that its logarithm is a number


class Means:
    """Long-run means of the simulated towers, each summary computed once; `off` is the discrepancy."""

    def __init__(self, towers: Towers, off: Discrepancy) -> None:
        self.towers, self.off = towers, off
        self.at = towers.at

    def inside(self) -> Array:
        """Return how many cubes each tower keeps in play, shape (S,)."""
        return expit(self.at(WHOLE["inside"]).mean)

    def wrong(self, window: Window) -> Array:
        """Return the standard deviation of d for one summary alone, shape (S,)."""
        error = self.at(window).error[:, None]
        return np.sqrt(self.off.covariance([window.summary], self.inside(), error)[:, 0, 0])

    def phase(self) -> Array:
        """Return the variance of a single phase around the long-run mean, shape (S,).

        It is that of the logarithm of the number out; other values of a phase vary as much [A].
        """
        ratio = np.exp(self.at(WHOLE["spread"]).mean - self.at(WHOLE["out"]).mean)
        return ratio**2 + self.at(WHOLE["out"]).games ** 2


def chance(clue: Clue, of: Means) -> Array:
    """Return the probability of a clue under each tower, shape (S,)."""
    if isinstance(clue, ColoursOut):
        one, three = (_share(of, window) for window in clue.windows)
        by_number = {1: one, 2: (1 - one) * (1 - three), 3: (1 - one) * three}
        return np.sum([by_number[number] for number in clue.numbers], axis=0)
    if isinstance(clue, ThrownLeads):
        leads = _share(of, EVERY["leads"])
        return leads if clue.leads else 1 - leads
    if isinstance(clue, LeastOut):
        return ndtr(_score(clue, of))
    if isinstance(clue, GamesClog):
        a, b = of.towers.clogs
        return np.exp(betaln(a + clue.clogged, b + clue.usual) - betaln(a, b))
    low, high = clue.ends
    mean, sd = of.at(clue.window).mean, np.hypot(of.wrong(clue.window), clue.soft)
    return ndtr((high - mean) / sd) - ndtr((low - mean) / sd)


def _score(clue: LeastOut, of: Means) -> Array:
    sd = np.sqrt(of.phase() + of.wrong(WHOLE["out"]) ** 2)
    return (of.at(WHOLE["out"]).mean - log(clue.cubes - 0.5)) / sd


def _share(of: Means, window: Window) -> Array:
    """Return the mean of a share whose log odds are normal. Source: MacKay, Neural Computation 4 (1992) 720."""
    return share(of.at(window).mean / np.sqrt(1 + np.pi / 8 * of.wrong(window) ** 2))


def log_chance(clue: Clue, of: Means) -> Array:
    """Return the log probability of a clue under each tower, shape (S,), accurate in far tails for LeastOut."""
    if isinstance(clue, LeastOut):
        return log_ndtr(_score(clue, of))
    return np.log(np.maximum(chance(clue, of), LEAST_CHANCE))


@dataclass(frozen=True, slots=True)
class JointLaw:
    """The joint distribution of evidence and targets under S towers.

    `mean` (S, n) and the covariances `shared` and `noise` (S, n, n) have the evidence's values first. `clues`
    (S, clues) are log probabilities divided by their doubt.
    """

    mean: Array
    shared: Array
    noise: Array
    clues: Array

    def take(self, rows: Array) -> JointLaw:
        return JointLaw(*(getattr(self, f.name)[rows] for f in fields(JointLaw)))

    def scores(self, values: Array, keep: Keep) -> Array:
        """Return the log likelihood of the part `keep` of `values` and clues, shape (S,)."""
        total: Array = self.clues[:, keep.clues].sum(1)
        if len(keep.values):
            root = np.linalg.cholesky(part(self.shared + self.noise, keep.values, keep.values))
            white = np.linalg.solve(root, (values[keep.values] - self.mean[:, keep.values])[..., None])[..., 0]
            total = total - 0.5 * (white**2 + np.log(2 * np.pi)).sum(1)
            total -= np.log(np.diagonal(root, axis1=1, axis2=2)).sum(1)
        return total


class Keep(NamedTuple):
    """A part of the evidence: indices of values and of clues."""

    values: Array
    clues: Array


def part(matrices: Array, rows: Array, columns: Array) -> Array:
    """Return the given rows and columns of each matrix."""
    return matrices[:, rows[:, None], columns]


def law(towers: Towers, evidence: Sequence[Evidence], off: Discrepancy, targets: Sequence[str]) -> JointLaw:
    """Return the joint distribution of the evidence and of the one or more long-run means `targets`."""
    of = Means(towers, off)
    windows = [window for entry in evidence for window in entry.windows] + [EVERY[name] for name in targets]
    errors = np.stack([of.at(window).error for window in windows], 1)
    shared = off.covariance([window.summary for window in windows], of.inside(), errors)
    both = np.zeros_like(shared)
    first = 0
    for entry in evidence:
        if entry.windows:
            block = slice(first, first := first + len(entry.windows))
            both[:, block, block] = noise(entry, of)
    clues = [log_chance(clue, of) / entry.doubt for entry in evidence for clue in entry.clues]
    by_tower = np.array(clues).reshape(len(clues), len(errors)).T
    means = np.stack([of.at(window).mean for window in windows], 1)
    return JointLaw(means, shared, both, by_tower)


def noise(entry: Evidence, of: Means) -> Array:
    """Return the covariance of the random errors of an entry's n values under each tower, shape (S, n, n)."""
    if entry.noise == GAMES:
        sd = np.stack([of.at(window).games for window in entry.windows], 1)
        correlation = of.towers.correlation(entry.windows)
        return correlation * sd[:, :, None] * sd[:, None, :] * entry.doubt / entry.games
    variance = of.phase() / entry.games if entry.noise == PHASE else np.full(len(of.towers.unit), entry.sd**2)
    return (variance * entry.doubt)[:, None, None]
