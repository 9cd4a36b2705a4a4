"""Statistics that more than one part needs, each with the source of its formula: every interval is of 95 % unless said.

Digits are the same with every Python and every scipy: sums of a sample are added up in order, and what scipy gives
rounds otherwise from version to version is written out.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

CONFIDENCE = 0.95
RESAMPLES = 2000  # fewer, but never below 1000, when there are very many runs
FEWEST = 5  # runs, below which there is no interval
_BLOCK = 4_000_000  # weights turned into floats at a time


@dataclass(frozen=True)
class Estimate:
    """A number with its interval (NaN: there is none), and `n`, what it was taken from."""

    value: float
    low: float
    high: float
    n: int

    def times(self, factor: float) -> Estimate:
        """Return the number in units that are `factor` (above 0) times smaller."""
        return Estimate(factor * self.value, factor * self.low, factor * self.high, self.n)


@dataclass(frozen=True)
class Estimates:
    """Several numbers with their intervals, and `n`, what each was taken from; arrays of one shape."""

    value: Array
    low: Array
    high: Array
    n: Array | None = None

    def at(self, i: int | tuple[int, int], n: int | None = None) -> Estimate:
        """Return the i-th, taken from `n` things if that is given."""
        of = n if n is not None else 0 if self.n is None else self.n[i]
        return Estimate(float(self.value[i]), float(self.low[i]), float(self.high[i]), int(of))

    def take(self, rows: Array | slice | int) -> Estimates:
        """Return those at `rows`."""
        return Estimates(self.value[rows], self.low[rows], self.high[rows], None if self.n is None else self.n[rows])

    def reshape(self, *shape: int) -> Estimates:
        """Return them in another shape."""
        parts = (self.value, self.low, self.high, self.n)
        return Estimates(*(part if part is None else part.reshape(shape) for part in parts))  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[Estimate]:
        """Yield each, of one row of them."""
        return (self.at(i) for i in range(len(self.value)))

    def __len__(self) -> int:
        return len(self.value)

    @staticmethod
    def of(estimates: Iterable[Estimate | None]) -> Estimates:
        """Put numbers together; None is NaN."""
        nothing = Estimate(math.nan, math.nan, math.nan, 0)
        rows = [(e.value, e.low, e.high, e.n) for e in (each or nothing for each in estimates)]
        value, low, high, n = np.array(rows, float).reshape(-1, 4).T
        return Estimates(value, low, high, n.astype(np.int64))


# Laws


def student_quantile(freedom: Array | float, level: float) -> Any:
    """Return the quantile of Student's law with so many degrees of freedom, in the shape of `freedom`."""
    return _special().stdtrit(freedom, level)


def student_cdf(freedom: Array | float, t: Array | float) -> Any:
    """Return the chance that a number of Student's law with so many degrees of freedom is at most `t`."""
    return _special().stdtr(freedom, t)


def normal_quantile(level: float) -> float:
    """Return the quantile of the standard normal law."""
    return float(_special().ndtri(level))


def normal_share(z: Array) -> Any:
    """Return the chance that a standard normal number is at most `z`, in its shape."""
    return _special().ndtr(z)


def chi2_tail(freedom: int, value: float) -> float:
    """Return the chance that a chi-squared number is greater than `value`."""
    return float(_special().chdtrc(freedom, value))


def log_sum_exp(x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """Return the logarithm of the sum of exp(x) over `axis` (None: over all), without overflow; shapes as numpy.sum."""
    most = x.max(axis=axis, keepdims=True)
    total = most + np.log(np.exp(x - most).sum(axis=axis, keepdims=True))
    return total if keepdims else total.squeeze(axis)


# Means


def mean_error(values: Sequence[float] | Array) -> tuple[float, float]:
    """Return the mean of one sample, of shape (n,), and its standard error: NaN for fewer than two."""
    sample: list[float] = np.asarray(values, float).tolist()
    n = len(sample)
    mean = math.fsum(sample) / n
    square = 0.0
    for value in sample:  # sum() of floats rounds otherwise from Python 3.12 on
        square += (value - mean) ** 2
    return mean, math.sqrt(square / (n - 1) / n) if n > 1 else math.nan


def average(values: Sequence[float] | Array, confidence: float = CONFIDENCE) -> Estimate:
    """Return the mean of one sample, of shape (n,), with Student's interval: none for fewer than two."""
    mean, error = mean_error(values)
    n = len(values)
    half = error * float(student_quantile(n - 1, (1 + confidence) / 2)) if n > 1 else math.nan
    return Estimate(mean, mean - half, mean + half, n)


def averages(values: Array) -> Estimates:
    """Return what `average` does for each column of `values`, of shape (n, k); the numbers have shape (k,)."""
    means = [average(column) for column in values.T]
    return Estimates(*(np.array([getattr(mean, end) for mean in means]) for end in ("value", "low", "high")))


def sum_by_unit(unit: Array, values: Array) -> Array:
    """Add up `values`, of shape (n,) or (n, k), over those of each unit: shape (units,) or (units, k).

    `unit`, of shape (n,), says which unit each is of; they come in rising order. What one unit's values share is no
    independent evidence, so the sums are what statistics are made of.
    """
    number = np.unique(unit, return_inverse=True)[1]
    sums = np.zeros((int(number.max(initial=-1)) + 1, *values.shape[1:]))
    np.add.at(sums, number, values)
    return sums


def sum_error(sums: Array) -> tuple[float, float]:
    """Return the sum of independent numbers, of shape (n,), and its standard error: NaN for fewer than two."""
    error = float(sums.std(ddof=1)) * math.sqrt(len(sums)) if len(sums) > 1 else math.nan
    return float(sums.sum()), error


def ratio_of_sums(over: Sequence[float], under: Sequence[float]) -> tuple[float, float]:
    """Return sum(over) / sum(under), each of one value a run, and its standard error: NaN for fewer than two runs.

    The error is that of the linearised ratio of two sums over independent runs (Cochran, Sampling Techniques, 1977,
    section 6.3). Sums of nothing make a ratio of 0.
    """
    n, total = len(under), math.fsum(under)
    ratio = math.fsum(over) / total if total else 0.0
    if n < 2 or not total:
        return ratio, math.nan
    spread = 0.0
    for part, of in zip(over, under, strict=True):
        spread += (part - ratio * of) ** 2
    return ratio, math.sqrt(spread * n / (n - 1)) / total


def ratio_errors(over: Array, under: Array) -> tuple[Array, Array]:
    """Return the error of `ratio_of_sums` and its degrees of freedom, for each column of sums of shape (runs, M).

    Runs whose sum below is 0 do not count; NaN for a column that fewer than five count for.
    """
    there = (under > 0).sum(0)
    with np.errstate(divide="ignore", invalid="ignore"):
        total = under.sum(0)
        spread = ((over - under * (over.sum(0) / total)) ** 2).sum(0)
        error = np.sqrt(spread * there / (there - 1)) / total
    return np.where(there >= FEWEST, error, np.nan), there - 1


# Shares


def wilson(hits: int, trials: int, worth: float | None = None, confidence: float = CONFIDENCE) -> Estimate:
    """Return the share of `hits` among `trials` with Wilson's interval, as `worth` independent trials give it.

    `worth` is less than `trials` (None: as many) where trials hang together.
    Sources: Wilson, JASA 22 (1927); Newcombe, Statistics in Medicine 17 (1998), for the formula.
    """
    n, share, z = trials if worth is None else worth, hits / trials, normal_quantile(0.5 + 0.5 * confidence)
    scale = 2 * (n + z**2)
    middle = (2 * n * share + z**2) / scale
    reach = z / scale * math.sqrt(4 * n * share * (1 - share) + z**2)
    low, high = 0.0 if hits == 0 else middle - reach, 1.0 if hits == trials else middle + reach
    return Estimate(share, low, high, trials)


def clopper_pearson(hits: int, trials: int, confidence: float = CONFIDENCE) -> Estimate:
    """Return the share of `hits` among independent `trials` with its exact interval.

    Source: Clopper and Pearson, Biometrika 26 (1934).
    """
    tail = (1 - confidence) / 2
    low = float(_special().betaincinv(hits, trials - hits + 1, tail)) if hits else 0.0
    high = float(_special().betaincinv(hits + 1, trials - hits, 1 - tail)) if hits < trials else 1.0
    return Estimate(hits / trials, low, high, trials)


# Several tests at once


def holm(p: Sequence[float] | Array) -> Array:
    """Return p values, of shape (k,), adjusted: the chance of any false one up to a level is at most that level.

    Source: Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979).
    """
    values = np.asarray(p, float)
    order = np.argsort(values, kind="stable")
    steps = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


# Differences between groups

_NOTHING = 1e-24  # of the sum of squares: a square that rounding alone makes


def any_difference(means: Array, errors: Array, freedom: Array, block: Array) -> float:
    """Return the p value of "within each block all groups have one mean", which nothing else about groups goes into.

    `means`, of shape (groups,), have independent `errors` with so many degrees of `freedom`; they need not be alike.
    Source: Brunner, Dette and Munk, JASA 92 (1997) 1494, the statistic of ANOVA's type with Box's approximation.
    """
    number, size = np.unique(block, return_inverse=True, return_counts=True)[1:]
    m = size[number]
    square = errors**2
    apart = float(((means - (np.bincount(number, means) / size)[number]) ** 2).sum())
    expected = (1 - 1 / m) * square
    trace = float(expected.sum())
    nothing = _NOTHING * float((means**2).sum())
    if trace <= nothing:
        return 0.0 if apart > nothing else 1.0
    of_pairs = float((square**2 * (1 - 2 / m)).sum() + ((np.bincount(number, square) / size) ** 2).sum())
    return float(_special().fdtrc(trace**2 / of_pairs, trace**2 / (expected**2 / freedom).sum(), apart / trace))


def apart(one: Estimate, other: Estimate) -> float:
    """Return the p value of two independent estimates being of one number, by the halves that face each other.

    The error is read off the intervals, whose halves are taken for as many normal standard errors; NaN without them.
    """
    low, high = sorted((one, other), key=lambda estimate: estimate.value)
    reach = math.hypot(low.high - low.value, high.value - high.low) / normal_quantile((1 + CONFIDENCE) / 2)
    if low.value == high.value or reach == 0:
        return float(low.value == high.value)
    return 2 * float(normal_share(np.array((low.value - high.value) / reach)))


def contrast(means: Array, errors: Array, freedom: Array, weights: Array) -> tuple[Array, Array]:
    """Return the sum of weighted `means`, all of shape (..., groups), and the p value of its being 0, both ways.

    Student's law with Satterthwaite's degrees of freedom; with weights 1 and -1 it is Welch's test.
    Sources: Welch, Biometrika 34 (1947) 28; Satterthwaite, Biometrics Bulletin 2 (1946) 110.
    """
    value = (weights * means).sum(-1)
    parts = weights**2 * errors**2
    variance = parts.sum(-1)
    nothing = _NOTHING * (weights**2 * means**2).sum(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * student_cdf(variance**2 / (parts**2 / freedom).sum(-1), -np.abs(value) / np.sqrt(variance))
    return value, np.where(variance > nothing, p, np.where(value**2 > nothing, 0.0, 1.0))


# Resampling


def picks(units: int, times: int, rng: np.random.Generator) -> Array:
    """Return `times` resamples of `units` with replacement: the numbers of those picked, of shape (times, units)."""
    return rng.integers(units, size=(times, units))


def times_picked(picked: Array) -> Array:
    """Return how often each unit is in each resample; what is picked and the counts have shape (times, units)."""
    times, units = picked.shape
    row = cast("Array", np.arange(times))[:, None]
    return np.bincount((picked + units * row).ravel(), minlength=times * units).reshape(times, units)


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
                self.weights[i : i + rows, members] = np.minimum(times_picked(picks(size, rows, rng)), 255)

    @property
    def has_intervals(self) -> bool:
        """Whether there are five runs or more, and two in every stratum."""
        return self.runs >= max(FEWEST, 2 * self.strata)

    def tails(self, counted: Array | None = None) -> Array:
        """Return, shape (M,), the share of resamples beyond each end of an interval, for each column of `counted`.

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
        made = self.estimates(np.hstack([over, under]), lambda s: s[:, :width] / s[:, width:], under > 0)
        return replace(made, n=under.sum(0).round().astype(np.int64))

    def shares(self, hits: Array, of: Array) -> Estimates:
        """Return shares as `ratios` does; where all or none hit, the interval is Clopper and Pearson's by run.

        The latter counts each run as one trial, so it is wide rather than narrow; it too takes five runs.
        Source: Clopper and Pearson, Biometrika 26 (1934).
        """
        ratios = self.ratios(hits, of)
        runs = np.maximum((of > 0).sum(0), 1)
        reach = 1 - ((1 - CONFIDENCE) / 2) ** (1 / runs)
        enough = (of > 0).sum(0) >= FEWEST
        none, every = enough & (ratios.value == 0), enough & (ratios.value == 1)
        low = np.where(none, 0.0, np.where(every, 1 - reach, ratios.low))
        high = np.where(every, 1.0, np.where(none, reach, ratios.high))
        return replace(ratios, low=low, high=high)

    def ratio(self, over: Array, under: Array) -> Estimate:
        """Return one ratio of sums over runs; its `n` is the sum below."""
        return self.ratios(over.reshape(-1, 1), under.reshape(-1, 1)).at(0)

    def share(self, hits: Array, of: Array) -> Estimate:
        """Return one share as `shares` does; its `n` is the sum below."""
        return self.shares(hits.reshape(-1, 1), of.reshape(-1, 1)).at(0)


def percentiles(draws: Array, tails: Array) -> tuple[Array, Array]:
    """Return the `tails` quantiles at both ends of each column of `draws`, shape (B, M): two of shape (M,).

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


def _special() -> Any:
    return importlib.import_module("scipy.special")  # a sixth of a second, only where it is needed; has no type stubs
