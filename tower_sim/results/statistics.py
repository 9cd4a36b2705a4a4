"""Shared statistics, with the sources of their formulas. Intervals are of 95 % unless a docstring says otherwise.

Results have the same digits with every version of Python and scipy: samples are summed in order, and functions whose
rounding in scipy changes are written out here.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

CONFIDENCE = 0.95
RESAMPLES = 2000  # fewer, but never below 1000, when there are very many runs
FEWEST = 8  # runs; with fewer there is no interval. docs/statistics.md says how often intervals of 8 hold
_BLOCK = 4_000_000  # weights turned into floats at a time


def too_few(runs: int, unit: str) -> str:
    """Return in words that so many runs are too few for an interval, or ""; `unit` is the word for one."""
    many = f"{runs} {unit}{'s' * (runs != 1)}"
    return "" if runs >= FEWEST else f"{many}, too few to tell how sure this is (an interval needs {FEWEST})"


@dataclass(frozen=True)
class Estimate:
    """A number with its interval (NaN if it has none) and its sample size `n`."""

    value: float
    low: float
    high: float
    n: int

    @property
    def width(self) -> float:
        """The width of the interval."""
        return self.high - self.low

    def times(self, factor: float) -> Estimate:
        """Return the estimate in another unit."""
        return Estimate(factor * self.value, factor * self.low, factor * self.high, self.n)


@dataclass(frozen=True)
class Estimates:
    """Several numbers with their intervals and sample sizes `n`, in arrays of one shape."""

    value: Array
    low: Array
    high: Array
    n: Array | None = None

    def at(self, i: int | tuple[int, int], n: int | None = None) -> Estimate:
        """Return estimate `i`, with another sample size `n` if given."""
        of = n if n is not None else 0 if self.n is None else self.n[i]
        return Estimate(float(self.value[i]), float(self.low[i]), float(self.high[i]), int(of))

    def take(self, rows: Array | slice | int) -> Estimates:
        """Return the estimates at `rows`."""
        return Estimates(self.value[rows], self.low[rows], self.high[rows], None if self.n is None else self.n[rows])

    @property
    def clearness(self) -> Array:
        """The distance of each number from 0, in halves of its interval on the side of 0; NaN without an interval."""
        half = np.where(self.value > 0, self.value - self.low, self.high - self.value)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.value == 0, 0.0, np.abs(self.value) / half)

    @property
    def p(self) -> Array:
        """The two-sided p value of each number's being 0; the half of its interval that faces 0 is read as normal."""
        return 2 * normal_share(-self.clearness * normal_quantile((1 + CONFIDENCE) / 2))

    def reshape(self, *shape: int) -> Estimates:
        """Return the estimates in another shape."""
        parts = (self.value, self.low, self.high, self.n)
        return Estimates(*(part if part is None else part.reshape(shape) for part in parts))  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[Estimate]:
        """Yield every estimate of a one-dimensional array."""
        return (self.at(i) for i in range(len(self.value)))

    def __len__(self) -> int:
        return len(self.value)

    @staticmethod
    def of(estimates: Iterable[Estimate | None]) -> Estimates:
        """Join estimates into arrays; None becomes NaN."""
        nothing = Estimate(math.nan, math.nan, math.nan, 0)
        rows = [(e.value, e.low, e.high, e.n) for e in (each or nothing for each in estimates)]
        value, low, high, n = np.array(rows, float).reshape(-1, 4).T
        return Estimates(value, low, high, n.astype(np.int64))


# Laws


def student_quantile(freedom: Array | float, level: float) -> Any:
    """Return the quantile of Student's t distribution."""
    return _special().stdtrit(freedom, level)


def student_cdf(freedom: Array | float, t: Array | float) -> Any:
    """Return the cumulative distribution function of Student's t."""
    return _special().stdtr(freedom, t)


def normal_quantile(level: float) -> float:
    """Return the quantile of the standard normal distribution."""
    return float(_special().ndtri(level))


def normal_share(z: Array) -> Any:
    """Return the cumulative distribution function of the standard normal."""
    return _special().ndtr(z)


def chi2_tail(freedom: int, value: float) -> float:
    """Return the probability that chi-squared with `freedom` degrees of freedom exceeds `value`."""
    return float(_special().chdtrc(freedom, value))


# Means


def mean_error(values: Sequence[float] | Array) -> tuple[float, float]:
    """Return the mean of a sample of shape (n,) and its standard error (NaN if n < 2)."""
    sample: list[float] = np.asarray(values, float).tolist()
    n = len(sample)
    mean = math.fsum(sample) / n
    square = 0.0
    for value in sample:  # sum() of floats rounds otherwise from Python 3.12 on
        square += (value - mean) ** 2
    return mean, math.sqrt(square / (n - 1) / n) if n > 1 else math.nan


def average(values: Sequence[float] | Array, confidence: float = CONFIDENCE) -> Estimate:
    """Return the mean of a sample with Student's interval.

    Args:
        values: The sample, shape (n,).
        confidence: The probability of the interval.

    Returns:
        The mean, with no interval if n < 2.

    >>> mean = average([3, 4, 5, 4])
    >>> mean.value, round(mean.low, 2), round(mean.high, 2), mean.n
    (4.0, 2.7, 5.3, 4)
    """
    mean, error = mean_error(values)
    n = len(values)
    half = error * float(student_quantile(n - 1, (1 + confidence) / 2)) if n > 1 else math.nan
    return Estimate(mean, mean - half, mean + half, n)


def averages(values: Array) -> Estimates:
    """Return `average` of every column of `values`, of shape (n, k), as estimates of shape (k,)."""
    means = [average(column) for column in values.T]
    return Estimates(*(np.array([getattr(mean, end) for mean in means]) for end in ("value", "low", "high")))


def sum_by_unit(unit: Array, values: Array) -> Array:
    """Sum `values`, of shape (n,) or (n, k), within each unit; the result has shape (units,) or (units, k).

    `unit`, of shape (n,), is in rising order. Values of one unit are not independent, so statistics use these sums.
    """
    number = np.unique(unit, return_inverse=True)[1]
    sums = np.zeros((int(number.max(initial=-1)) + 1, *values.shape[1:]))
    np.add.at(sums, number, values)
    return sums


def sum_error(sums: Array) -> tuple[float, float]:
    """Return the sum of independent numbers of shape (n,) and its standard error (NaN if n < 2)."""
    error = float(sums.std(ddof=1)) * math.sqrt(len(sums)) if len(sums) > 1 else math.nan
    return float(sums.sum()), error


def ratios_of_sums(over: Array, under: Array) -> tuple[Array, Array, Array]:
    """Return sum(over) / sum(under), or 0, its standard error and the degrees of freedom for every column.

    Both have shape (runs, M), or `under` (runs, 1). The errors are linearised over independent runs; runs whose
    denominator is 0 do not count, and fewer than two that count give NaN. Source: Cochran, Sampling Techniques, 1977,
    section 6.3.
    """
    over, under = (np.asarray(side, float) for side in np.broadcast_arrays(over, under))
    there = (under > 0).sum(0)
    total, of = (np.array([math.fsum(column) for column in side.T.tolist()]) for side in (under, over))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(total > 0, of / total, 0.0)
        error = np.sqrt(((over - ratio * under) ** 2).cumsum(0)[-1] * there / (there - 1)) / total
    return ratio, np.where(there > 1, error, np.nan), there - 1


# Shares


def wilson(hits: int, trials: int, worth: float | None = None, confidence: float = CONFIDENCE) -> Estimate:
    """Return a share with Wilson's interval.

    Sources: Wilson, JASA 22 (1927); Newcombe, Statistics in Medicine 17 (1998), for the formula.

    Args:
        hits: The number of hits.
        trials: The number of trials.
        worth: The effective number of independent trials (None: `trials`); correlated trials are worth less.
        confidence: The probability of the interval.

    Returns:
        The share with its interval.

    >>> share = wilson(8, 10)
    >>> share.value, round(share.low, 2), round(share.high, 2)
    (0.8, 0.49, 0.94)
    """
    n, share, z = trials if worth is None else worth, hits / trials, normal_quantile(0.5 + 0.5 * confidence)
    scale = 2 * (n + z**2)
    middle = (2 * n * share + z**2) / scale
    reach = z / scale * math.sqrt(4 * n * share * (1 - share) + z**2)
    low, high = 0.0 if hits == 0 else middle - reach, 1.0 if hits == trials else middle + reach
    return Estimate(share, low, high, trials)


def clopper_pearson(hits: int, trials: int, confidence: float = CONFIDENCE) -> Estimate:
    """Return the share of `hits` among independent `trials` with its exact interval.

    Source: Clopper and Pearson, Biometrika 26 (1934). scipy.stats would cost half a second at every start.
    """
    tail = (1 - confidence) / 2
    low = float(_special().betaincinv(hits, trials - hits + 1, tail)) if hits else 0.0
    high = float(_special().betaincinv(hits + 1, trials - hits, 1 - tail)) if hits < trials else 1.0
    return Estimate(hits / trials, low, high, trials)


# Several tests at once


def holm(p: Sequence[float] | Array) -> Array:
    """Adjust p values by Holm's method to control the family-wise error rate.

    Source: Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979).

    Args:
        p: The p values, shape (k,).

    Returns:
        The adjusted values, shape (k,).

    >>> holm([0.01, 0.04]).tolist()
    [0.02, 0.04]
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
    """Return the p value of the hypothesis that all groups of a block have the same mean.

    `means`, of shape (groups,), have independent standard `errors`, which may differ, with `freedom` degrees of
    freedom. Source: Brunner, Dette and Munk, JASA 92 (1997) 1494, the statistic of ANOVA's type with Box's
    approximation.
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


def contrast(means: Array, errors: Array, freedom: Array, weights: Array) -> tuple[Array, Array]:
    """Return the weighted sum of `means` and the two-sided p value of its being 0; arrays have shape (..., groups).

    The test is Student's with Satterthwaite's degrees of freedom. With weights 1 and -1 it is Welch's test.
    Sources: Welch, Biometrika 34 (1947) 28; Satterthwaite, Biometrics Bulletin 2 (1946) 110.
    """
    value = (weights * means).sum(-1)
    parts = weights**2 * errors**2
    variance = parts.sum(-1)
    nothing = _NOTHING * (weights**2 * means**2).sum(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * student_cdf(variance**2 / (parts**2 / freedom).sum(-1), -np.abs(value) / np.sqrt(variance))
    return value, np.where(variance > nothing, p, np.where(value**2 > nothing, 0.0, 1.0))


def difference(one: Estimates, other: Estimates) -> Estimates:
    """Return `other` minus `one`, independent estimates; the halves of their intervals that face each other add up.

    Source: Donner and Zou, Statistics in Medicine 27 (2008) 1693.
    """
    value = other.value - one.value
    low = value - np.hypot(other.value - other.low, one.high - one.value)
    return Estimates(value, low, value + np.hypot(other.high - other.value, one.value - one.low))


# Permutations


def permuted(label: Array, block: Array, rng: np.random.Generator) -> Iterator[Array]:
    """Yield labels from 0 to 255 as they are, then permuted at random within each block, without end.

    One sort of packed whole numbers (block, random bits, label) permutes all blocks at once; scipy's permutation test
    has none. Source: Good, Permutation, Parametric and Bootstrap Tests of Hypotheses, 2005, chapter 3.
    """
    yield label
    order = np.argsort(block, kind="stable")
    fixed = (block[order].astype(np.int64) << 40) | label[order]
    while True:
        key, mixed = fixed | (rng.integers(1 << 32, size=len(fixed)) << 8), np.empty_like(label)
        key.sort()
        mixed[order] = key & 255
        yield mixed


def ratio_gaps(over: Array, under: Array, labels: Array) -> Array:
    """Return the ratios of sums over the runs without a label, minus those over the others, for each row of `labels`.

    `over` has shape (runs, M), `under` too or (runs, 1); the result (rows, M). It is 0 where a side has no data.
    """
    width, per_run = over.shape[1], np.hstack([over, under]).astype(float)
    one = _weighted(labels, per_run)
    other = per_run.sum(0) - one
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(other[:, :width] / other[:, width:] - one[:, :width] / one[:, width:])


def permutation_p(distances: Iterable[float], enough: float = math.inf) -> tuple[float, int]:
    """Return the p value of a distance and the number of permutations; later `distances` are those of permutations.

    It ends when `enough` permutations reach the first distance. Sources: Phipson and Smyth, Statistical Applications in
    Genetics and Molecular Biology 9 (2010) 39; Besag and Clifford, Biometrika 78 (1991) 301 (the end).
    """
    each = iter(distances)
    least = next(each) * (1 - 1e-9)  # equal values may differ in the last bits
    reached = count = 0
    for count, distance in enumerate(each, 1):
        reached += distance >= least
        if reached >= enough:
            return reached / count, count
    return (1 + reached) / (1 + count), count


# Resampling


def _weighted(weights: Array, per_run: Array) -> Array:
    step = max(1, _BLOCK // max(len(per_run), 1))
    return np.concatenate([weights[i : i + step].astype(float) @ per_run for i in range(0, len(weights), step)])


def picks(units: int, times: int, rng: np.random.Generator) -> Array:
    """Draw `times` resamples with replacement: indices of shape (times, units)."""
    return rng.integers(units, size=(times, units))


def times_picked(indices: Array) -> Array:
    """Return the count of every unit in every resample, of shape (times, units)."""
    times, units = indices.shape
    row = cast("Array", np.arange(times))[:, None]
    return np.bincount((indices + units * row).ravel(), minlength=times * units).reshape(times, units)


class Resamples:
    """Bootstrap resamples of runs, drawn with replacement within each stratum and shared by all statistics.

    A statistic is a function of sums over runs, so a resample is a row of weights. Intervals are expanded percentile
    intervals: percentiles of the resampled statistic at a level widened for few runs.
    Sources: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13; Hesterberg, The American
    Statistician 69 (2015), section 3.3.
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
        """Whether there are at least FEWEST runs, and at least two in every stratum."""
        return self.runs >= max(FEWEST, 2 * self.strata)

    def tails(self, counted: Array | None = None) -> Array:
        """Return the share of resamples beyond each end of an interval, of shape (M,).

        `counted`, of shape (runs, M), marks the runs that contribute to a value (None: all runs, one value). Fewer
        than FEWEST runs give NaN.
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
        """Sum `per_run`, of shape (runs, K), over the runs of every resample; the result has shape (resamples, K)."""
        return _weighted(self.weights, per_run)

    def estimates(self, per_run: Array, statistic: Callable[[Array], Array], counted: Array | None = None) -> Estimates:
        """Return the M values of a statistic with intervals; `statistic` turns sums (B, K) into values (B, M).

        `counted`, of shape (runs, M), marks the runs that contribute to a value; None marks all.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.asarray(statistic(per_run.sum(0)[None]))[0]
            if not self.has_intervals:
                return Estimates(value, np.full_like(value, np.nan), np.full_like(value, np.nan))
            draws = np.asarray(statistic(self.sums(per_run)))
        tails = np.broadcast_to(self.tails(counted), draws.shape[1:])
        return Estimates(value, *percentiles(draws, tails))

    def ratios(self, over: Array, under: Array, *, share: Array | bool = False) -> Estimates:
        """Return sum(over) / sum(under) with intervals for every column of shape (runs, M), or `under` (runs, 1).

        Of a `share` that is 0 or 1 the interval is Clopper and Pearson's by run: it counts every run as one trial,
        which makes it wide rather than narrow. It too needs FEWEST runs. Source: Biometrika 26 (1934).
        """
        width, under = over.shape[1], np.broadcast_to(under, over.shape)
        found = self.estimates(np.hstack([over, under]), lambda s: s[:, :width] / s[:, width:], under > 0)
        runs = (under > 0).sum(0)
        reach = 1 - ((1 - CONFIDENCE) / 2) ** (1 / np.maximum(runs, 1))
        is_exact = (runs >= FEWEST) & share
        none, every = is_exact & (found.value == 0), is_exact & (found.value == 1)
        low = np.where(none, 0.0, np.where(every, 1 - reach, found.low))
        high = np.where(every, 1.0, np.where(none, reach, found.high))
        return Estimates(found.value, low, high, under.sum(0).round().astype(np.int64))

    def ratio(self, over: Array, under: Array, *, share: bool = False) -> Estimate:
        """Return one ratio of sums over runs as `ratios` does; its `n` is the denominator."""
        return self.ratios(over.reshape(-1, 1), under.reshape(-1, 1), share=share).at(0)


def percentiles(draws: Array, tails: Array) -> tuple[Array, Array]:
    """Return the lower and the upper `tails` quantile, of shape (M,), of every column of `draws`, of shape (B, M).

    A quantile is NaN if its tail is NaN, or if more than one in twenty draws has no value.
    """
    is_finite = np.isfinite(draws)
    count = is_finite.sum(0)
    ordered = np.sort(np.where(is_finite, draws, np.inf), axis=0)
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
