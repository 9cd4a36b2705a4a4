"""Points of the unit cube that stand for a posterior: drawn evenly first, then again about those that weigh most.

Adaptive importance sampling: each round draws from a bell about the points that weigh most so far, and all points of
all rounds are weighted by the density of the mixture that they came from. Sources: Cornuet, Marin, Mira and Robert,
Scandinavian Journal of Statistics 39 (2012) 798; Owen, Monte Carlo theory, methods and examples, 2013, chapters 9 and
10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import ndtr, ndtri
from scipy.stats import qmc

from tower_sim.calibration.summaries import Array

WIDER = 1.3  # variance of a bell over that of the points it is about, since too narrow is worse than too wide
EVENLY = 0.1  # share of a bell's points that are drawn evenly, so that no weight can be large without bound
EDGE = 1e-12  # how near a face of the cube a point may be


def effective(weight: Array) -> float:
    """Return the effective number of points with these weights (Kish): how many equal ones vary as little."""
    return float(weight.sum() ** 2 / (weight**2).sum())


def even(points: int, numbers: int) -> Array:
    """Return the first `points` of a Sobol sequence in the unit cube, always the same; shape (points, numbers)."""
    sobol: Any = qmc.Sobol
    return sobol(numbers, seed=np.random.default_rng(0)).random(points)


def _normal(unit: Array) -> Array:
    return ndtri(np.clip(unit, EDGE, 1 - EDGE))


@dataclass(frozen=True, slots=True)
class Bell:
    """A normal law of the normal scores of points in the unit cube: its `mean` (D), and a root of its covariance.

    Where points are even, their scores are standard normal: what the data do not tell stays as it was. A share EVENLY
    of its points is drawn evenly.
    """

    mean: Array
    root: Array

    def draw(self, points: int, rng: np.random.Generator) -> Array:
        """Draw points, shape (points, D)."""
        scores = self.mean + rng.normal(size=(points, len(self.mean))) @ self.root.T
        is_even = rng.random(points) < EVENLY
        return np.where(is_even[:, None], rng.random(scores.shape), np.clip(ndtr(scores), EDGE, 1 - EDGE))

    def density(self, unit: Array) -> Array:
        """Return the density at points, shape (S,), over that of the even distribution."""
        scores = _normal(unit)
        white = solve_triangular(self.root, (scores - self.mean).T, lower=True)
        log = 0.5 * ((scores**2).sum(1) - (white**2).sum(0)) - np.log(np.diagonal(self.root)).sum()
        return EVENLY + (1 - EVENLY) * np.exp(log)


def bell_about(unit: Array, weight: Array, least: float) -> Bell:
    """Return a bell about points of which `weight` says how many of all points each stands for.

    Where the effective number is below `least`, weights are tempered (raised to a power below 1) until it is not. The
    covariance is drawn to one without correlations, the more the fewer points it is of.
    """
    tempered = _tempered(weight / weight.max(), min(least, len(weight) / 4))
    tempered /= tempered.sum()
    scores = _normal(unit)
    mean = tempered @ scores
    rest = scores - mean
    covariance = (tempered[:, None] * rest).T @ rest
    number, numbers = effective(tempered), len(mean)
    share = numbers / (number + numbers)
    covariance = (1 - share) * covariance + share * np.diag(np.diagonal(covariance))
    return Bell(mean, np.linalg.cholesky(WIDER * covariance + 1e-9 * np.eye(numbers)))


def _tempered(weight: Array, least: float) -> Array:
    low, high = 0.0, 1.0
    if effective(weight) >= least:
        return weight
    for _ in range(30):
        power = (low + high) / 2
        if effective(weight**power) >= least:
            low = power
        else:
            high = power
    return weight**low


def density_of_all(unit: Array, evenly: int, bells: Sequence[tuple[int, Bell]]) -> Array:
    """Return the density that points come from, shape (S,): `evenly` of them even, others from bells (number, bell).

    Over that of the even distribution; it is that of the mixture of all rounds, wherever a point came from.
    """
    total = np.full(len(unit), float(evenly))
    for number, bell in bells:
        total += number * bell.density(unit)
    return total / (evenly + sum(number for number, _ in bells))
