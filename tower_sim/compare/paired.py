"""Statistics of pairs: differences with intervals, tests that hold for several figures together, games needed."""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from tower_sim.runs.array import Array
from tower_sim.statistics import CONFIDENCE, holm

LEVEL = 0.05  # chance that any figure without a difference is shown
POWER = 0.8  # chance that a difference which games are said to show is shown
_NORMAL = 100_000  # games from which Student's law is as good as normal here
_NOTHING = 1e-12  # spread of differences, against the values, that is rounding


@dataclass(frozen=True, eq=False)
class Paired:
    """k figures of `n` pairs; arrays of shape (k,). `sd` are standard deviations over games, `sd_difference` of B - A.

    `low` and `high`: Student's interval of the mean difference at CONFIDENCE; NaN where no two pairs differ in it.
    `p` is two-sided, `adjusted` is p for all figures together. `correlation` of A with B is NaN where one is constant.
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
    """Sums over `n` pairs from which `Paired` is made, whatever n is; arrays of shape (k,).

    Means of A, B and B - A; sums of their squared distances from the mean, and of A's times B's; the largest value.
    """

    n: int
    mean_a: Array
    mean_b: Array
    mean_d: Array
    square_a: Array
    square_b: Array
    square_d: Array
    product: Array
    largest: Array

    @staticmethod
    def of(a: Array, b: Array) -> Moments:
        """Sum over n pairs in k figures, `a` and `b` of shape (n, k), n from 1."""
        d = b - a
        mean_a, mean_b, mean_d = a.mean(0), b.mean(0), d.mean(0)
        off_a, off_b, off_d = a - mean_a, b - mean_b, d - mean_d
        return Moments(
            n=len(a),
            mean_a=mean_a,
            mean_b=mean_b,
            mean_d=mean_d,
            square_a=(off_a * off_a).sum(0),
            square_b=(off_b * off_b).sum(0),
            square_d=(off_d * off_d).sum(0),
            product=(off_a * off_b).sum(0),
            largest=np.maximum(np.abs(a).max(0), np.abs(b).max(0)),
        )

    def only(self, figures: slice) -> Moments:
        """Return the sums of some of the figures."""
        cut: dict[str, Any] = {sums.name: getattr(self, sums.name)[figures] for sums in fields(self)[1:]}
        return Moments(self.n, **cut)

    def and_(self, more: Moments) -> Moments:
        """Return the sums over the pairs of both.

        Source: Chan, Golub and LeVeque, Updating formulae and a pairwise algorithm for sample variances (1979).
        """
        n, part = self.n + more.n, more.n / (self.n + more.n)
        step_a, step_b, step_d = more.mean_a - self.mean_a, more.mean_b - self.mean_b, more.mean_d - self.mean_d
        weight = self.n * part
        return Moments(
            n=n,
            mean_a=self.mean_a + step_a * part,
            mean_b=self.mean_b + step_b * part,
            mean_d=self.mean_d + step_d * part,
            square_a=self.square_a + more.square_a + step_a * step_a * weight,
            square_b=self.square_b + more.square_b + step_b * step_b * weight,
            square_d=self.square_d + more.square_d + step_d * step_d * weight,
            product=self.product + more.product + step_a * step_b * weight,
            largest=np.maximum(self.largest, more.largest),
        )


def paired_of(sums: Moments) -> Paired:
    """Compare the pairs, 2 or more, that were summed up.

    p is that of Student's test of the differences. Where every pair has the same difference there is no spread to
    judge it by: p is 1 for a difference of 0, else the sign test's, 2^(1 - n).
    """
    n, size, difference = sums.n, sums.largest, sums.mean_d
    sd = np.sqrt(sums.square_d / (n - 1))
    is_constant = sd <= _NOTHING * size
    sd = np.where(is_constant, 0.0, sd)
    error = np.where(is_constant, np.nan, sd / math.sqrt(n))
    half = error * float(_stats.t.ppf((1 + CONFIDENCE) / 2, n - 1))
    by_sign = np.where(np.abs(difference) <= _NOTHING * size, 1.0, 2.0 ** (1 - n))
    p = np.where(is_constant, by_sign, 2 * _stats.t.sf(np.abs(difference) / error, n - 1))
    sd_a, sd_b = np.sqrt(sums.square_a / (n - 1)), np.sqrt(sums.square_b / (n - 1))
    flat = (sd_a <= _NOTHING * size) | (sd_b <= _NOTHING * size)
    correlation = np.where(flat, np.nan, sums.product / (n - 1) / np.where(flat, 1.0, sd_a * sd_b))
    return Paired(
        n=n,
        mean_a=sums.mean_a,
        mean_b=sums.mean_b,
        sd_a=sd_a,
        sd_b=sd_b,
        difference=difference,
        sd_difference=sd,
        low=difference - half,
        high=difference + half,
        correlation=correlation,
        p=p,
        adjusted=holm(p),
    )


def shows_from(sd: float, n: int, figures: int) -> float:
    """Return the smallest mean difference that `n` pairs show with chance POWER, differences having this `sd`.

    Shown is what Holm's first and strictest step lets through, a two-sided p of LEVEL / `figures`.
    """
    return sd * _noncentrality(n, LEVEL / figures) / math.sqrt(n)


def games_to_show(difference: float, sd: float, figures: int) -> int:
    """Return the fewest pairs, from 2, of which `shows_from` is at most `difference` (over 0)."""
    few = 1  # too few
    many = max(2, math.ceil((sd / difference * _noncentrality(_NORMAL, LEVEL / figures)) ** 2))
    while shows_from(sd, many, figures) > difference:
        few, many = many, 2 * many
    while many - few > 1:
        middle = (few + many) // 2
        if shows_from(sd, middle, figures) > difference:
            few = middle
        else:
            many = middle
    return many


def _noncentrality(n: int, alpha: float) -> float:
    """Return by how many standard errors a mean must differ for Student's two-sided test at `alpha` to have POWER.

    The far side of the test, which rejects with a chance below alpha / 2, is left out.
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
