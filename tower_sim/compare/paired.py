"""Statistics of pairs: mean differences with intervals, tests corrected for several figures, numbers of pairs."""

from __future__ import annotations

import importlib
import math
from bisect import bisect_left
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from tower_sim.runs.array import Array
from tower_sim.statistics import CONFIDENCE, holm

LEVEL = 0.05  # probability that any figure is shown if none differs
POWER = 0.8  # probability that the stated number of games shows a difference
_NORMAL = 100_000  # games from which the normal distribution replaces Student's
_NOTHING = 1e-12  # relative to the values: a smaller spread of differences is rounding error


@dataclass(frozen=True, eq=False)
class Paired:
    """Statistics of k figures over `n` pairs, arrays of shape (k,). Differences are B - A.

    `low` and `high` are Student's interval of the mean difference, NaN where it is the same in all pairs. `p` is
    two-sided, `adjusted` corrected for all figures (Holm). `correlation` is NaN where A or B is constant.
    """

    n: int
    mean_a: Array
    mean_b: Array
    sd_a: Array
    sd_b: Array
    difference: Array
    sd_difference: Array
    low: Array
    high: Array
    correlation: Array
    p: Array
    adjusted: Array


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over `n` pairs, for k figures.

    `mean` and `square` (3, k) are the means of A, B and B - A, and the sums of their squared deviations. `product` (k,)
    is the sum of the products of the deviations of A and B, `largest` (k,) the largest absolute value.
    """

    n: int
    mean: Array
    square: Array
    product: Array
    largest: Array

    @staticmethod
    def of(a: Array, b: Array) -> Moments:
        """Return the sums for figures of n >= 1 pairs, both of shape (n, k)."""
        sides = a, b, b - a
        mean = np.stack([side.mean(0) for side in sides])
        off_a, off_b, off_d = (side - middle for side, middle in zip(sides, mean, strict=True))
        square = np.stack([(off * off).sum(0) for off in (off_a, off_b, off_d)])
        largest = np.maximum(np.abs(a).max(0), np.abs(b).max(0))
        return Moments(len(a), mean, square, (off_a * off_b).sum(0), largest)

    def only(self, figures: slice) -> Moments:
        return Moments(self.n, *(getattr(self, sums.name)[..., figures] for sums in fields(self)[1:]))

    def __add__(self, more: Moments) -> Moments:
        """Return the sums over the pairs of both.

        Source: Chan, Golub and LeVeque, Updating formulae and a pairwise algorithm for sample variances (1979).
        """
        n, part = self.n + more.n, more.n / (self.n + more.n)
        step, weight = more.mean - self.mean, self.n * part
        return Moments(
            n=n,
            mean=self.mean + step * part,
            square=self.square + more.square + step * step * weight,
            product=self.product + more.product + step[0] * step[1] * weight,
            largest=np.maximum(self.largest, more.largest),
        )


def compute_paired(sums: Moments) -> Paired:
    """Return the statistics of at least 2 pairs from their sums.

    `p` is Student's of the paired differences; if all are the same, 1 for a difference of 0, else that of the sign
    test.
    """
    n, size, (mean_a, mean_b, difference) = sums.n, sums.largest, sums.mean
    sd_a, sd_b, sd = np.sqrt(sums.square / (n - 1))
    is_constant = sd <= _NOTHING * size
    sd = np.where(is_constant, 0.0, sd)
    error = np.where(is_constant, np.nan, sd / math.sqrt(n))
    half = error * float(_stats.t.ppf((1 + CONFIDENCE) / 2, n - 1))
    by_sign = np.where(np.abs(difference) <= _NOTHING * size, 1.0, 2.0 ** (1 - n))
    p = np.where(is_constant, by_sign, 2 * _stats.t.sf(np.abs(difference) / error, n - 1))
    flat = (sd_a <= _NOTHING * size) | (sd_b <= _NOTHING * size)
    correlation = np.where(flat, np.nan, sums.product / (n - 1) / np.where(flat, 1.0, sd_a * sd_b))
    ends = difference - half, difference + half
    return Paired(n, mean_a, mean_b, sd_a, sd_b, difference, sd, *ends, correlation, p, holm(p))


def shows_from(sd: float, n: int, figures: int) -> float:
    """Return the smallest mean difference that `n` pairs show with probability POWER; `sd` is that of the differences.

    "Shown" means Holm's first and strictest step, a two-sided p of LEVEL / `figures`.
    """
    return sd * _noncentrality(n, LEVEL / figures) / math.sqrt(n)


def games_to_show(difference: float, sd: float, figures: int) -> int:
    """Return the smallest number of pairs, at least 2, that show a `difference` above 0; see `shows_from`."""

    def shows(n: int) -> bool:
        return shows_from(sd, n, figures) <= difference

    many = max(2, math.ceil((sd / difference * _noncentrality(_NORMAL, LEVEL / figures)) ** 2))
    few = 2
    while not shows(many):
        few, many = many, 2 * many
    return few + bisect_left(range(few, many), True, key=shows)


def _noncentrality(n: int, alpha: float) -> float:
    """Return the mean, in standard errors, for which Student's two-sided test at `alpha` has the power POWER.

    Rejections on the side opposite to the mean, of a probability below alpha / 2, are left out.
    """
    if n >= _NORMAL:
        return float(_stats.norm.isf(alpha / 2) + _stats.norm.ppf(POWER))
    border = float(_stats.t.isf(alpha / 2, n - 1))
    near = border + float(_stats.norm.ppf(POWER))

    def beyond(shift: float) -> float:
        return float(_stats.nct.sf(border, n - 1, shift)) - POWER

    return float(_optimize.brentq(beyond, near / 2, 4 * near))


_stats: Any = importlib.import_module("scipy.stats")  # scipy has no type stubs
_optimize: Any = importlib.import_module("scipy.optimize")
