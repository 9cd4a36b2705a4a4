"""Memory of the tower: autocorrelation, mutual information, and the gain of a prediction from knowing the past.

scipy has no bootstrap for sums by run with strata, and no jackknife with corrected degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from tower_sim.campaign.data import INSIDE, Array, Campaign
from tower_sim.statistics import CONFIDENCE, FEWEST, Estimate, Estimates, Resamples, student_quantile, sum_by_unit

LAGS = 7
PERMUTATIONS = 999
FOLDS = 5
_GROUPS = 200  # blocks of runs that the jackknife leaves out, one at a time
_WEIGHT = 10.0  # drops: the weight of the smooth part of the memoryless distribution (a choice)


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


def jackknife_error(left_out: Array) -> Array:
    """Return the standard error of values; the last axis of `left_out` has them without each group."""
    n = left_out.shape[-1]
    return np.sqrt((n - 1) / n * ((left_out - left_out.mean(-1, keepdims=True)) ** 2).sum(-1))


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


# Mutual information


@dataclass(frozen=True)
class Information:
    """Mutual information (bits) between the numbers out in one drop and in the next, minus its mean without memory.

    `null` are values for next numbers from another run, minus the same mean; `p` the share of them that are at least as
    great, with the value itself added, `p_error` its Monte Carlo standard error.
    """

    bits: Estimate
    null: Array
    p: float
    p_error: float


def mutual_information(counts: Array) -> Array:
    """Return the mutual information (bits) of joint counts (..., K, K) with Miller and Madow's correction.

    Source: Miller, Note on the bias of information estimates, 1955; Paninski, Neural Computation 15 (2003), eq. 4.
    """
    n = counts.sum((-2, -1))
    first, second = (_entropy(counts.sum(axis), (-1,), n) for axis in (-1, -2))
    return (first + second - _entropy(counts, (-2, -1), n)) / math.log(2)


def _entropy(counts: Array, axes: tuple[int, ...], n: Array) -> Array:
    terms = np.where(counts > 0, counts * np.log(np.maximum(counts, 1)), 0).sum(axes)
    cells = (counts > 0).sum(axes)
    return np.log(n) - terms / n + (cells - 1) / (2 * n)


def successive_information(campaign: Campaign, rng: np.random.Generator) -> Information | None:
    """Return the information between successive phases of a run; None without such phases in two runs.

    The null distribution takes the next numbers from another run at the same drops. The interval is a jackknife's over
    blocks of runs, since resampling repeats pairs, which looks like information. Random: the pairing of runs. Source:
    Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapters 11 and 15.
    """
    table = np.nan_to_num(campaign.matrix(np.where(campaign.phases, campaign.drops.emerged, np.nan)), nan=-1)
    now, later = table[:, :-1].astype(np.int64), table[:, 1:].astype(np.int64)
    pairs = (now >= 0) & (later >= 0)
    size = int(table.max(initial=-1)) + 1
    if campaign.runs < 2 or not pairs.any():
        return None

    def joint(first: Array, second: Array) -> Array:
        there = (first >= 0) & (second >= 0)
        return np.bincount(first[there] * size + second[there], minlength=size**2).reshape(size, size)

    value = float(mutual_information(joint(now, later)))
    null = np.array([mutual_information(joint(now, later[other])) for other in _permutations(campaign.strata, rng)])
    p = (1 + int((null >= value).sum())) / (1 + len(null))
    groups = min(_GROUPS, campaign.runs)
    group = np.broadcast_to((np.arange(campaign.runs) * groups // campaign.runs)[:, None], now.shape)[pairs]
    code = (group * size + now[pairs]) * size + later[pairs]
    by_group = np.bincount(code, minlength=groups * size**2).reshape(groups, size, size)
    left_out = mutual_information(by_group.sum(0) - by_group)
    beyond = value - float(null.mean())
    half = float(jackknife_error(left_out) * student_quantile(groups - 1, (1 + CONFIDENCE) / 2))
    bits = Estimate(beyond, beyond - half, beyond + half, int(pairs.sum()))
    return Information(bits, null - null.mean(), p, math.sqrt(p * (1 - p) / (1 + len(null))))


def _permutations(strata: Array, rng: np.random.Generator) -> Iterator[Array]:
    order = np.argsort(strata, kind="stable")
    for _ in range(PERMUTATIONS):
        if not strata.any():
            yield rng.permutation(len(strata))
            continue
        other = np.empty(len(strata), np.int64)
        other[order] = np.lexsort((rng.random(len(strata)), strata))
        yield other


# What the past adds to a prediction


@dataclass(frozen=True)
class Prediction:
    """The held-out log score (bits a drop) of the memoryless predictor, and the gain of each richer one.

    `gains` are named by what it knows beside the number thrown.
    """

    memoryless: Estimate
    gains: Mapping[str, Estimate]


def prediction(campaign: Campaign, boot: Resamples, rng: np.random.Generator) -> Prediction | None:
    """Score predictions of the number of cubes out of each phase after the first; None with fewer runs than folds.

    The memoryless predictor is the distribution of the number out, e, given the number thrown. A richer one multiplies
    it by exp((theta . z) e + phi e^2), where z is what it knows and a constant, fitted to 4/5 of the runs and scored on
    the rest. Random: the folds. Sources: Efron and Tibshirani, Annals of Statistics 24 (1996) 2431 (the family);
    Gneiting and Raftery, Journal of the American Statistical Association 102 (2007) 359 (the score).
    """
    rows = _scored(campaign)
    if campaign.runs < FOLDS or not rows.any():
        return None
    d = campaign.drops
    thrown, out = d.thrown[rows].astype(np.int64), d.emerged[rows].astype(np.int64)
    fold = np.argsort(rng.permutation(campaign.runs))[d.run[rows]] % FOLDS
    known = _features(campaign, rows)
    base_score = np.zeros(len(out))
    scores = {name: np.zeros(len(out)) for name in known}
    for held in range(FOLDS):
        fit, test = fold != held, fold == held
        if not fit.any() or not test.any():
            continue
        base = memoryless(thrown[fit], out[fit], int(thrown.max()), int(out.max()))
        base_score[test] = base[thrown[test], out[test]]
        for name, z in known.items():
            scores[name][test] = _tilted_scores(base, thrown, out, z, fit, test)
    drops = campaign.by_run(np.ones(len(out)), rows)[:, 0]

    def mean_bits(score: Array) -> Estimate:
        return boot.ratio(campaign.by_run(score / math.log(2), rows)[:, 0], drops)

    return Prediction(mean_bits(base_score), {name: mean_bits(score - base_score) for name, score in scores.items()})


def _scored(campaign: Campaign) -> Array:
    d = campaign.drops
    first = 2 if campaign.has_setup else 1
    return campaign.phases & (d.drop >= first) & np.append(False, d.run[1:] == d.run[:-1])


def _features(campaign: Campaign, rows: Array) -> dict[str, Array]:
    d, cubes = campaign.drops, campaign.cubes
    last = np.append(0, d.emerged[:-1])
    resident = ~cubes.thrown & cubes.before.starts(INSIDE)
    fresh = np.bincount(cubes.row[resident & (cubes.age <= 1)], minlength=len(d))
    known = {
        "inside": [d.inside_before],
        "last out": [last],
        "inside, last out": [d.inside_before, last],
        "inside, fresh, last out": [d.inside_before, fresh, last],
    }
    places = np.unique(cubes.before.codes[resident])
    if len(places) > 1:
        in_each = [np.bincount(cubes.row[resident & (cubes.before.codes == p)], minlength=len(d)) for p in places]
        known["inside by region"] = in_each
        known["inside by region, fresh, last out"] = [*in_each, fresh, last]
    return {name: np.stack(columns, 1)[rows].astype(float) for name, columns in known.items()}


def memoryless(thrown: Array, out: Array, most_thrown: int, most_out: int) -> Array:
    """Return the log probability of each number out by the number thrown, shape (most_thrown + 1, most_out + 1).

    Frequencies are smoothed with a normal distribution around a fitted line, of the weight of 10 drops.
    """
    level = np.arange(most_thrown + 1)
    slope, start = np.polyfit(thrown, out, 1) if len(np.unique(thrown)) > 1 else (0.0, out.mean())
    spread = max(float(np.std(out - slope * thrown - start)), 0.5)
    z = (np.arange(most_out + 1) - (start + slope * level)[:, None]) / spread
    normal = np.exp(-0.5 * z**2) + 1e-6
    normal /= normal.sum(1, keepdims=True)
    cells = (most_thrown + 1) * (most_out + 1)
    counts = np.bincount(thrown * (most_out + 1) + out, minlength=cells).reshape(normal.shape)
    mixed = counts + _WEIGHT * normal
    return np.log(mixed / mixed.sum(1, keepdims=True))


def _tilted_scores(base: Array, thrown: Array, out: Array, z: Array, fit: Array, test: Array) -> Array:
    centre, scale = z[fit].mean(0), z[fit].std(0)
    cell, inverse = np.unique(np.column_stack([thrown, z]), axis=0, return_inverse=True)
    at = np.empty(len(cell), np.int64)
    at[inverse] = np.arange(len(inverse))
    known = (z[at] - centre) / np.where(scale > 0, scale, 1)
    features = np.column_stack([known, np.ones(len(cell))])
    log_base = base[thrown[at]]
    e = cast("Array", (np.arange(base.shape[1]) - out[fit].mean()) / max(float(out[fit].std()), 0.5))
    weight = np.bincount(inverse[fit], minlength=len(cell)).astype(float)
    first = np.bincount(inverse[fit], e[out[fit]], len(cell))
    second = float((e[out[fit]] ** 2).sum())
    theta = cast("Array", np.zeros(features.shape[1] + 1))
    for _ in range(30):
        chance = np.exp(_tilted(log_base, features, theta, e))
        m1, m2, m3, m4 = (chance @ e**power for power in (1, 2, 3, 4))
        gradient = np.append(features.T @ (first - weight * m1), second - weight @ m2)
        cross = features.T @ (weight * (m3 - m1 * m2))
        square: Array = (features * (weight * (m2 - m1**2))[:, None]).T @ features
        curvature = np.block([[square, cross[:, None]], [cross[None], np.array([[weight @ (m4 - m2**2)]])]])
        # A small ridge keeps the coefficients of constant columns finite.
        step = cast("Array", np.linalg.solve(curvature + 1e-3 * np.eye(len(theta)), gradient - 1e-3 * theta))
        theta = theta + step * min(1.0, 1 / float(np.abs(step).max() + 1e-12))
        if np.abs(step).max() < 1e-7:
            break
    return _tilted(log_base, features, theta, e)[inverse[test], out[test]]


def _tilted(log_base: Array, features: Array, theta: Array, e: Array) -> Array:
    log_chance = log_base + (features @ theta[:-1])[:, None] * e + theta[-1] * e**2
    log_chance -= log_chance.max(1, keepdims=True)
    log_chance -= np.log(np.exp(log_chance).sum(1, keepdims=True))
    return log_chance
