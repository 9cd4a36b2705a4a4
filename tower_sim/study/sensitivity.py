"""What matters in a design whose points are a sample: rank correlations, smooth effects and delta indices."""

from __future__ import annotations

import importlib
import importlib.util
import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from tower_sim.statistics import Estimate, Estimates, student_quantile
from tower_sim.study.data import Array

FEWEST = 10  # points for the interval of a rank correlation
FEWEST_FOR_SMOOTH = 20  # points
FEWEST_FOR_DELTA = 40  # points
DELTA_RESAMPLES = 25  # slow: each fits four sets of densities
SMOOTH_RESAMPLES = 200
_WIDTH = 0.15  # of the field's range: the standard deviation of the smooth's weights


@dataclass(frozen=True)
class Indices:
    """Of each field, and of a column of random numbers: Borgonovo's delta and the first-order share of variance.

    `delta_half` and `first_half` are half-widths of 95 % intervals. The random column says what a field without any
    effect reaches with so few points.
    """

    delta: Array
    delta_half: Array
    first: Array
    first_half: Array
    dummy: tuple[float, float]


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


def _ranks(x: Array) -> Array:
    """Return the rank of each value, from 1; values alike share the mean of theirs."""
    _, place, counts = np.unique(x, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]


def smooth(x: Array, y: Array, at: Array, rng: np.random.Generator) -> Estimates | None:
    """Return a local linear fit of `y` on `x` at places `at` with its 95 % band, points resampled; None for too few.

    Source: Fan and Gijbels, Local Polynomial Modelling and Its Applications, 1996, chapter 2.
    """
    if len(x) < FEWEST_FOR_SMOOTH or np.ptp(x) == 0:
        return None
    scale = _WIDTH * np.ptp(x)
    distance = (at[:, None] - x) / scale
    kernel = np.exp(-(distance**2) / 2)
    picks = rng.integers(len(x), size=(SMOOTH_RESAMPLES, len(x)))
    weights = np.stack([np.ones(len(x)), *(np.bincount(row, minlength=len(x)) for row in picks)])
    moments = [weights @ (kernel * distance**k).T for k in range(3)]
    over = [weights @ (kernel * distance**k * y).T for k in range(2)]
    with np.errstate(divide="ignore", invalid="ignore"):
        fitted = (moments[2] * over[0] - moments[1] * over[1]) / (moments[2] * moments[0] - moments[1] ** 2)
    low, high = np.nanquantile(fitted[1:], [0.025, 0.975], axis=0)
    return Estimates(fitted[0], low, high)


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
    keys = {"delta": "delta", "delta_half": "delta_conf", "first": "S1", "first_half": "S1_conf"}
    others = {"delta": "delta_raw", "delta_half": "delta_raw_conf"}
    values = {
        name: np.asarray(analysed[key if key in analysed else others.get(name, key)], float)
        for name, key in keys.items()
    }
    dummy = (float(values["delta"][-1]), float(values["first"][-1]))
    return Indices(**{name: column[:-1] for name, column in values.items()}, dummy=dummy)
