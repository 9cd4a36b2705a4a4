"""Intervals by resampling whole runs: what one run's drops share never counts as independent evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np

from tower_sim.campaign.vary import FEWEST_RUNS
from tower_sim.study.data import Array
from tower_sim.study.laws import normal_share, student_quantile

CONFIDENCE = 0.95
RESAMPLES = 2000  # fewer, but never below 1000, when there are very many runs
FEWEST = FEWEST_RUNS  # runs, below which there is no interval
_BLOCK = 4_000_000  # weights turned into floats at a time


@dataclass(frozen=True)
class Estimate:
    """A number with its interval (NaN: there is none), and `n`, what it was taken from."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Estimates:
    """Several numbers with their intervals; arrays of one shape."""

    value: Array
    low: Array
    high: Array

    def at(self, i: int, n: int) -> Estimate:
        """Return the i-th, taken from `n` things."""
        return Estimate(float(self.value[i]), float(self.low[i]), float(self.high[i]), int(n))


class Resamples:
    """Bootstrap resamples of runs, drawn with replacement within each stratum, the same for every statistic.

    A statistic is a function of sums over runs, so a resample is a row of weights and costs one product of matrices.
    Intervals are percentiles of the resampled statistic, at a level widened for the number of runs (the expanded
    percentile interval, which is Student's for a mean). Source: Efron and Tibshirani, An Introduction to the Bootstrap,
    1993, chapter 13; Hesterberg, The American Statistician 69 (2015), section 3.3.
    """

    def __init__(self, strata: Array, rng: np.random.Generator, count: int | None = None) -> None:
        self.runs = len(strata)
        self.stratum = np.unique(strata, return_inverse=True)[1]
        self.strata = int(self.stratum.max(initial=-1)) + 1
        self.count = count or int(np.clip(20_000_000 // max(self.runs, 1), 1000, RESAMPLES))
        self.weights = np.zeros((self.count, self.runs), np.uint8)
        for stratum in np.unique(strata):
            members = np.flatnonzero(strata == stratum)
            size = len(members)
            for i in range(0, self.count, step := max(1, _BLOCK // size)):
                rows = min(step, self.count - i)
                picked = rng.integers(size, size=(rows, size)) + size * np.arange(rows)[:, None]
                counts = np.bincount(picked.ravel(), minlength=rows * size).reshape(rows, size)
                self.weights[i : i + rows, members] = np.minimum(counts, 255)

    @property
    def has_intervals(self) -> bool:
        """Whether there are five runs or more, and two in every stratum."""
        return self.runs >= max(FEWEST, 2 * self.strata)

    def tails(self, counted: Array | None = None) -> Array:
        """Return the share of resamples beyond each end of an interval, one for each column of `counted`.

        `counted` (runs, M) says which runs contribute to each value (None: all, to one); NaN for fewer than five.
        """
        there = np.ones((self.runs, 1), bool) if counted is None else counted
        by_stratum = np.zeros((self.strata, there.shape[1]))
        np.add.at(by_stratum, self.stratum, there)
        runs, strata = by_stratum.sum(0), (by_stratum > 0).sum(0)
        enough = (runs >= FEWEST) & (runs >= 2 * strata)
        runs, strata = np.where(enough, runs, FEWEST), np.where(enough, strata, 1)
        reach = student_quantile(runs - strata, (1 + CONFIDENCE) / 2) * np.sqrt(runs / (runs - strata))
        return np.where(enough, normal_share(-reach), np.nan)

    def sums(self, per_run: Array) -> Array:
        """Add up `per_run` (runs, K) over the runs of every resample: shape (resamples, K)."""
        step = max(1, _BLOCK // max(self.runs, 1))
        blocks = [self.weights[i : i + step].astype(float) @ per_run for i in range(0, self.count, step)]
        return np.concatenate(blocks)

    def estimates(self, per_run: Array, statistic: Callable[[Array], Array], counted: Array | None = None) -> Estimates:
        """Return `statistic`, which turns sums (B, K) into values (B, M), with an interval for each of the M.

        `counted` (runs, M) says which runs contribute to each value; None: all to every one.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.asarray(statistic(per_run.sum(0)[None]))[0]
            if not self.has_intervals:
                return Estimates(value, np.full_like(value, np.nan), np.full_like(value, np.nan))
            draws = np.asarray(statistic(self.sums(per_run)))
        tails = np.broadcast_to(self.tails(counted), draws.shape[1:])
        return Estimates(value, *percentiles(draws, tails))

    def ratios(self, over: Array, under: Array) -> Estimates:
        """Return sum(over) / sum(under) for each column, with intervals; both have shape (runs, M)."""
        width = over.shape[1]
        return self.estimates(np.hstack([over, under]), lambda s: s[:, :width] / s[:, width:], under > 0)

    def shares(self, hits: Array, of: Array) -> Estimates:
        """Return shares as `ratios` does; where all or none hit, the interval is Clopper and Pearson's by run.

        The latter counts each run as one trial, so it is wide rather than narrow; it too takes five runs.
        Source: Clopper and Pearson, Biometrika 26 (1934).
        """
        found = self.ratios(hits, of)
        runs = np.maximum((of > 0).sum(0), 1)
        reach = 1 - ((1 - CONFIDENCE) / 2) ** (1 / runs)
        enough = (of > 0).sum(0) >= FEWEST
        none, every = enough & (found.value == 0), enough & (found.value == 1)
        low = np.where(none, 0.0, np.where(every, 1 - reach, found.low))
        high = np.where(every, 1.0, np.where(none, reach, found.high))
        return Estimates(found.value, low, high)

    def ratio(self, over: Array, under: Array) -> Estimate:
        """Return one ratio of sums over runs; its `n` is the sum below."""
        return self.ratios(over.reshape(-1, 1), under.reshape(-1, 1)).at(0, round(float(under.sum())))

    def share(self, hits: Array, of: Array) -> Estimate:
        """Return one share as `shares` does; its `n` is the sum below."""
        return self.shares(hits.reshape(-1, 1), of.reshape(-1, 1)).at(0, round(float(of.sum())))


def percentiles(draws: Array, tails: Array) -> tuple[Array, Array]:
    """Return the `tails` quantiles at both ends of each column of `draws` (B, M).

    NaN where the tail is NaN, or where more than one draw of twenty has no value.
    """
    known = np.isfinite(draws)
    count = known.sum(0)
    ordered = np.sort(np.where(known, draws, np.inf), axis=0)
    usable = (count >= 0.95 * len(draws)) & np.isfinite(tails)
    last = np.maximum(count - 1, 0)
    column = cast("Array", np.arange(draws.shape[1]))
    ends: list[Array] = []
    for share in (np.where(usable, tails, 0), np.where(usable, 1 - tails, 0)):
        at = share * last
        below = np.floor(at).astype(np.int64)
        above = np.minimum(below + 1, last)
        with np.errstate(invalid="ignore"):
            value = ordered[below, column] + (at - below) * (ordered[above, column] - ordered[below, column])
        ends.append(np.where(usable, value, np.nan))
    return ends[0], ends[1]
