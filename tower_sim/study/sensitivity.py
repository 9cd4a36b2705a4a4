"""What matters in a design whose points are a sample: rank correlations, smooth effects, delta and Sobol indices."""

from __future__ import annotations

import importlib
import importlib.util
import math
import warnings
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from tower_sim import gaussian
from tower_sim.campaign.data import Array
from tower_sim.statistics import (
    CONFIDENCE,
    Estimate,
    Estimates,
    normal_share,
    percentiles,
    student_cdf,
    student_quantile,
)
from tower_sim.study import sobol
from tower_sim.study.sobol import Index

FEWEST = 10  # points for the interval of a rank correlation
FEWEST_FOR_SMOOTH = 20  # points
FEWEST_FOR_DELTA = 40  # points
FEWEST_FOR_SHARES = 40  # points
MOST_FOR_SHARES = 1_500  # points that the process goes through: its time grows with their cube
LEAST_TOLD = 0.2  # of the variance over points left out: of a process that tells less no share is given
SHARES_SAMPLE = 1_024
STARTS = (2.0, 0.4)  # of the process's lengths: from the long one alone it misses what goes up and down
DELTA_RESAMPLES = 25  # slow: each fits four sets of densities
SMOOTH_RESAMPLES = 200
_RIDGE = 1e-9  # of the weight at a place: keeps the fit of few points there from blowing up
_WIDTH = 0.15  # of the field's range: the standard deviation of the smooth's weights


@dataclass(frozen=True)
class Indices:
    """Borgonovo's delta of each field; `half` are half-widths of 95 % intervals.

    `dummy` is that of a column of random numbers: what a field without any effect reaches with so few points.
    """

    delta: Array
    half: Array
    dummy: float


@dataclass(frozen=True)
class Shares:
    """Sobol indices of each field: the share of a figure's variance that it makes alone, and in all with others.

    `dummy` is the total of a column of random numbers, `told` the share of the variance over points that a Gaussian
    process through the others tells of points left out.
    """

    first: tuple[Index, ...]
    total: tuple[Index, ...]
    dummy: float
    told: float


def rank_correlation(x: Array, y: Array) -> Estimate:
    """Return Spearman's correlation over points with its 95 % interval; NaN where it has none.

    Source of the interval: Bonett and Wright, Psychometrika 65 (2000) 23, with Student's quantile.
    """
    n = len(x)
    if n < 3 or np.ptp(x) == 0 or np.ptp(y) <= 1e-12 * max(1.0, float(np.abs(y).max())):
        return Estimate(math.nan, math.nan, math.nan, n)
    value = float(np.corrcoef(_ranks(x), _ranks(y))[0, 1])
    if n < FEWEST:
        return Estimate(value, math.nan, math.nan, n)
    nearest = 1 - 6 / (n * (n * n - 1))  # the greatest value below 1
    z = math.atanh(max(-nearest, min(nearest, value)))
    reach = float(student_quantile(n - 2, 0.975)) * math.sqrt((1 + value**2 / 2) / (n - 3))
    return Estimate(value, math.tanh(z - reach), math.tanh(z + reach), n)


def rank_p(rank: Estimate) -> float:
    """Return the p value of a rank correlation, both ways, by Student's law; NaN where it has no interval."""
    if not math.isfinite(rank.low):
        return math.nan
    t = abs(rank.value) * math.sqrt((rank.n - 2) / max(1 - rank.value**2, 1e-300))
    return 2 * float(student_cdf(rank.n - 2, -t))


def _ranks(x: Array) -> Array:
    """Return the rank of each value, from 1; values alike share the mean of theirs."""
    _, place, counts = np.unique(x, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]


def smooth(x: Array, y: Array, at: Array, rng: np.random.Generator) -> Estimates | None:
    """Return a local quadratic fit of `y` on `x` at places `at` with its 95 % band, points resampled; None for too few.

    A line instead would cut off peaks and dips by more than its band. The level is widened for few points nearby.
    Source: Fan and Gijbels, Local Polynomial Modelling and Its Applications, 1996, chapter 2.
    """
    if len(x) < FEWEST_FOR_SMOOTH or np.ptp(x) == 0:
        return None
    scale = _WIDTH * np.ptp(x)
    distance = (at[:, None] - x) / scale
    kernel = np.exp(-(distance**2) / 2)
    picks = rng.integers(len(x), size=(SMOOTH_RESAMPLES, len(x)))
    weights = np.stack([np.ones(len(x)), *(np.bincount(row, minlength=len(x)) for row in picks)])
    moments = [weights @ (kernel * distance**k).T for k in range(5)]
    over = np.stack([weights @ (kernel * distance**k * y).T for k in range(3)], -1)
    gram = np.stack([np.stack(moments[k : k + 3], -1) for k in range(3)], -1)
    gram = gram + _RIDGE * np.eye(3) * moments[0][..., None, None]
    fitted = cast("Array", np.linalg.solve(gram, over[..., None]))[..., 0, 0]
    near = kernel.sum(1) ** 2 / (kernel**2).sum(1)  # points that a place's fit is worth
    left = np.maximum(near - 3, 1)
    reach = student_quantile(left, (1 + CONFIDENCE) / 2) * np.sqrt(near / left)
    return Estimates(fitted[0], *percentiles(fitted[1:], normal_share(-reach)))


def has_salib() -> bool:
    """Whether SALib is installed."""
    return importlib.util.find_spec("SALib") is not None


def indices(x: Array, y: Array, rng: np.random.Generator) -> Indices | None:
    """Return delta indices of a sample `x` (points, fields), `y` (points); None without SALib or points enough.

    Source: Plischke, Borgonovo and Smith, European Journal of Operational Research 226 (2013).
    """
    if not has_salib() or len(y) < FEWEST_FOR_DELTA or not y.std() > 0:
        return None
    analyze: Any = importlib.import_module("SALib.analyze.delta").analyze
    x = np.column_stack([x, rng.random(len(x))])
    names = [f"x{i}" for i in range(x.shape[1])]
    problem = {"num_vars": len(names), "names": names, "bounds": [[0, 1]] * len(names)}
    seed = int(rng.integers(1 << 31))
    kept = np.random.get_state()  # SALib seeds the global generator, and replaces how warnings are told
    shown = warnings.formatwarning
    try:
        with warnings.catch_warnings(record=True):  # its notices are of bins
            analysed = analyze(problem, x, y, num_resamples=DELTA_RESAMPLES, seed=seed)
    finally:
        np.random.set_state(kept)
        warnings.formatwarning = shown
    delta, half = (
        np.asarray(analysed[key if key in analysed else other], float)
        for key, other in (("delta", "delta_raw"), ("delta_conf", "delta_raw_conf"))
    )
    return Indices(delta[:-1], half[:-1], float(delta[-1]))


def shares(x: Array, y: Array, rng: np.random.Generator) -> Shares | None:
    """Return Sobol indices of a sample `x` (points, fields), `y` (points), fields taken as independent and uniform.

    None for too few points, and where a Gaussian process through them tells too little. Random: a column of random
    numbers, groups of points, samples, and which points are taken of more than MOST_FOR_SHARES.
    """
    if len(y) < FEWEST_FOR_SHARES or not y.std() > 1e-9 * max(1.0, float(np.abs(y).max())):
        return None
    some = rng.permutation(len(y))[:MOST_FOR_SHARES]
    x, y = x[some], y[some]
    width = np.ptp(x, axis=0)
    unit = np.column_stack([(x - x.min(0)) / np.where(width > 0, width, 1.0), rng.random(len(x))])
    process = gaussian.fit(unit, y, None, rng, starts=STARTS)
    told = float(1 - ((y - process.held_out()) ** 2).mean() / y.var())
    if told < LEAST_TOLD:
        return None
    seed, columns = int(rng.integers(1 << 31)), unit.shape[1]
    total, sampled, variance = sobol.totals(process.means, columns, seed, SHARES_SAMPLE)
    first = sobol.firsts(process.means, columns, seed + 2, variance)
    errors = np.hypot(sobol.jackknife(total), sampled), sobol.jackknife(first)
    made = [
        tuple(Index(float(value[0]), float(error)) for value, error in zip(values[:-1], of[:-1], strict=True))
        for values, of in zip((total, first), errors, strict=True)
    ]
    return Shares(first=made[1], total=made[0], dummy=float(total[-1, 0]), told=told)
