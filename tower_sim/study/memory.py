"""Memory of the tower: autocorrelation, with intervals by the jackknife.

scipy has no bootstrap for sums by run with strata, and no jackknife with corrected degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tower_sim.campaign.data import Array, Campaign
from tower_sim.statistics import CONFIDENCE, FEWEST, Estimates, Resamples, student_quantile, sum_by_unit

LAGS = 7


# The jackknife

_LEAST_FREEDOM = 1.5


# There and back: scales on which the error of a statistic hardly depends on its value.
Scale = tuple[Callable[[Array], Array], Callable[[Array], Array]]
LOGARITHM: Scale = np.log, np.exp  # of standard deviations
FISHERS: Scale = np.arctanh, np.tanh  # of correlations


def jackknifed(
    total: Array, own: Array, stratum: Array, statistic: Callable[[Array], Array], scale: Scale
) -> Estimates:
    """Return `statistic` of the sums `total` (K,), shape (M,), with intervals from leaving out one run at a time.

    `own` (runs, K) is the part that leaves with each run. The middle is corrected for bias. Sources: Efron and
    Tibshirani, An Introduction to the Bootstrap, 1993, chapter 11; the degrees of freedom are Satterthwaite's for the
    variance of numbers with this kurtosis (Box, Biometrika 40 (1953) 318).
    """
    runs = len(own)
    sizes = np.bincount(stratum)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = statistic(total[None])[0]
        nothing = np.full(value.shape, np.nan)
        if runs < FEWEST or sizes.min() < 2:
            return Estimates(value, nothing, nothing)
        without = statistic(total - own)
        scaled, back = scale
        here, there = scaled(value), scaled(without)
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
        low, high = np.fmin(back(middle - reach), value), np.fmax(back(middle + reach), value)
    still = np.isfinite(value) & (without == value).all(0)
    known = np.isfinite(error) & np.isfinite(middle)
    ends = (np.where(still, value, np.where(known, end, np.nan)) for end in (low, high))
    return Estimates(value, *ends)


# Autocorrelation


def autocorrelation(campaign: Campaign, boot: Resamples, values: Array) -> Estimates:
    """Return the autocorrelation of `values` (drops, K) at lags 1 to 7, shape (K * 7), with intervals over runs.

    It is sum x_t x_(t+k) over sqrt(sum x_t^2 sum x_(t+k)^2), of differences from the mean over runs of the stratum at
    the same drop. A run that is left out also moves the means, so n / (n - 1) of its products leave. Source: Diggle et
    al., Analysis of Longitudinal Data, 2002, section 3.4.
    """
    columns: list[Array] = []
    for column in values.reshape(len(values), -1).T:
        table = campaign.matrix(column)
        there = np.isfinite(table)
        count, total = (sum_by_unit(campaign.strata, part) for part in (there, np.nan_to_num(table)))
        x = np.where(there, table - (total / np.maximum(count, 1))[campaign.strata], 0)
        for lag in range(1, LAGS + 1):
            now, later = x[:, :-lag], x[:, lag:]
            both = there[:, :-lag] & there[:, lag:]
            columns += [(now * later).sum(1), (now**2 * both).sum(1), (later**2 * both).sum(1)]
    sums = np.stack(columns, 1)
    size = np.bincount(boot.stratum)[boot.stratum]
    own = sums * (size / np.maximum(size - 1, 1))[:, None]
    return jackknifed(sums.sum(0), own, boot.stratum, lambda s: s[:, 0::3] / np.sqrt(s[:, 1::3] * s[:, 2::3]), FISHERS)
