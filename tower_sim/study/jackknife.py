"""Intervals from what a statistic is without one run or block, for those that resampling makes too narrow."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tower_sim.campaign.data import Array
from tower_sim.statistics import CONFIDENCE, FEWEST, Estimates, student_quantile

_LEAST_FREEDOM = 1.5


@dataclass(frozen=True)
class Scale:
    """The scale on which a statistic's error hardly depends on its value, and the way back."""

    there: Callable[[Array], Array]
    back: Callable[[Array], Array]


LOGARITHM = Scale(np.log, np.exp)  # of standard deviations
FISHERS = Scale(np.arctanh, np.tanh)  # of correlations


def jackknifed(
    total: Array, own: Array, stratum: Array, statistic: Callable[[Array], Array], scale: Scale
) -> Estimates:
    """Return `statistic` of sums `total` (K,), of shape (M,), with intervals from runs left out one at a time.

    `own` (runs, K) is what leaves the sums with a run, `stratum` (runs,) numbers its stratum. The middle of an interval
    is freed of the jackknife's bias, its degrees of freedom follow how unlike the runs' parts are. None for fewer than
    five runs, or fewer than two in a stratum.
    Sources: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 11; the freedom is Satterthwaite's
    for a variance of numbers of such kurtosis (Box, Biometrika 40 (1953) 318).
    """
    runs = len(own)
    sizes = np.bincount(stratum)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = statistic(total[None])[0]
        nothing = np.full(value.shape, np.nan)
        if runs < FEWEST or sizes.min() < 2:
            return Estimates(value, nothing, nothing)
        without = statistic(total - own)
        here, there = scale.there(value), scale.there(without)
        mean = np.zeros((len(sizes), len(value)))
        np.add.at(mean, stratum, there)
        mean /= sizes[:, None]
        n = sizes[stratum][:, None]
        middle = here - ((sizes[:, None] - 1) * (mean - here)).sum(0)
        parts = (n - 1) * (there - mean[stratum])
        error = np.sqrt((parts**2 / (n * (n - 1))).sum(0))
        left = runs - len(sizes)
        kurtosis = runs * (parts**4).sum(0) / (parts**2).sum(0) ** 2
        freedom = np.clip(2 * runs / (kurtosis - 1 + 2 / left), _LEAST_FREEDOM, left)
        reach = student_quantile(freedom, (1 + CONFIDENCE) / 2) * error
        low, high = np.fmin(scale.back(middle - reach), value), np.fmax(scale.back(middle + reach), value)
    still = np.isfinite(value) & (without == value).all(0)
    known = np.isfinite(error) & np.isfinite(middle)
    ends = (np.where(still, value, np.where(known, end, np.nan)) for end in (low, high))
    return Estimates(value, *ends)


def jackknife_interval(value: float, left_out: Array) -> tuple[float, float]:
    """Return Student's interval from the values with each block left out; NaN for fewer than two."""
    n = len(left_out)
    if n < 2 or not np.isfinite(left_out).all():
        return math.nan, math.nan
    error = math.sqrt((n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum()))
    half = error * float(student_quantile(n - 1, (1 + CONFIDENCE) / 2))
    return value - half, value + half
