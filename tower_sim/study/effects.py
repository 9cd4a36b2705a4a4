"""The effect of a varied field on a figure: its p value, its range and its shape. No line is fitted through a curve.

With chosen points each figure and field has one test: do points that differ only in that field differ at all, or along
it? A sampled design uses rank correlations, and delta and Sobol indices. Holm's correction covers the whole report.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from tower_sim.campaign.data import Array
from tower_sim.report.numbers import plainly
from tower_sim.statistics import (
    CONFIDENCE,
    Estimate,
    Estimates,
    any_difference,
    contrast,
    holm,
    normal_share,
    percentiles,
    student_quantile,
)
from tower_sim.study.design import SweptCurve, Varied
from tower_sim.study.memory import jackknife_error

RISES, FALLS = "rises", "falls"
PEAK, DIP = "highest between the ends", "lowest between the ends"
TURNS = "goes up and down"
DIFFERS = "differs"
UNSEEN = "no difference shown"
UNKNOWN = "no interval"
LEVEL = 1 - CONFIDENCE  # of a report: the probability that it reports any change if there is none
FEWEST_FOR_RANKS = 10  # points for the interval of a rank correlation
FEWEST_FOR_SMOOTH = 20  # points
FEWEST_FOR_DELTA = 40  # points
FEWEST_FOR_SHARES = 40  # points
MOST_FOR_SHARES = 1_500  # points that the Gaussian process uses: its time grows with their cube
LEAST_EXPLAINED = 0.2  # share of the variance of held-out points; with less, there are no indices
SHARES_SAMPLE = 1_024  # a power of 2
SOUGHT = 400  # points at most for fitting the process's lengths: the time grows with their cube
GROUPS = 10  # of points: each is predicted by the others, and left out for errors
CHUNK = 2048  # places at once
SALIB, SKLEARN = "SALib", "sklearn"
STARTS = (2.0, 0.4)  # of the process's lengths: the long one alone misses curves that go up and down
DELTA_RESAMPLES = 25  # slow: each fits four sets of densities
SMOOTH_RESAMPLES = 200
_RIDGE = 1e-9  # share of the weight at a place: stabilises fits with few points nearby
_WIDTH = 0.15  # of the field's range: the standard deviation of the smooth's weights
SHARES_RESAMPLES = 64


@dataclass(frozen=True)
class Slice:
    """Points that differ only in one field, in the order of its values; `held` are the values of the other fields."""

    field: Varied
    points: Array
    held: str


@dataclass(frozen=True)
class Effect:
    """The change of a figure along a slice: its least and greatest point, and the shape between them.

    `p` is the p value of no effect after Holm's correction over the report (NaN: too few runs).
    """

    curve: SweptCurve
    along: Slice
    lowest: int
    highest: int
    shape: str
    p: float

    @property
    def ends(self) -> tuple[Estimate, Estimate]:
        """The figure at its least and at its greatest point."""
        return self.curve.y.at(self.lowest), self.curve.y.at(self.highest)


def slices(groups: Sequence[Sequence[Varied]]) -> list[Slice]:
    """Return all sets of two or more points that differ in only one group of fields."""
    found: list[Slice] = []
    for group in groups:
        others = [other for other in groups if other is not group]
        points = len(group[0].numbers)
        keys = [tuple(float(other[0].numbers[i]) for other in others) for i in range(points)]
        for key in dict.fromkeys(keys):
            rows = np.array([i for i in range(points) if keys[i] == key])
            rows = rows[np.argsort(group[0].numbers[rows], kind="stable")]
            if len(rows) > 1 and len(np.unique(group[0].numbers[rows])) == len(rows):
                held = ", ".join(f"{other[0].name} = {other[0].at(int(rows[0]))}" for other in others)
                found.append(Slice(group[0], rows, held))
    return found


def _by_field(alike: Sequence[Slice]) -> dict[str, list[Slice]]:
    names = dict.fromkeys(along.field.name for along in alike)
    return {name: [along for along in alike if along.field.name == name] for name in names}


def changes(curves: Sequence[SweptCurve], alike: Sequence[Slice], points: int) -> dict[tuple[str, str], float]:
    """Return the p value of no change for each figure and field, after Holm's correction, by both names.

    If no points differ in one field only, all are compared and the field is "".
    """
    every = Slice(Varied("", False, np.arange(points), ()), np.arange(points), "")
    fields = _by_field(alike) or {"": [every]}
    found = {(curve.name, name): _p(curve, some) for curve in curves for name, some in fields.items()}
    known = {pair: p for pair, p in found.items() if np.isfinite(p)}
    return dict(zip(known, holm(list(known.values())).tolist(), strict=True))


def _p(curve: SweptCurve, some: Sequence[Slice]) -> float:
    parts = [(rows, i) for i, along in enumerate(some) if len(rows := _find_known(curve, along)) > 1]
    if not parts:
        return np.nan
    rows = np.concatenate([part for part, _ in parts])
    block = np.repeat([i for _, i in parts], [len(part) for part, _ in parts])
    means = curve.means(rows)
    p = any_difference(*means, block)
    if not some[0].field.is_number or len(rows) == 2:
        return p
    steps = np.concatenate([np.arange(len(part)) - (len(part) - 1) / 2 for part, _ in parts])
    return min(1.0, 2 * min(p, float(contrast(*means, steps)[1])))


def _find_known(curve: SweptCurve, along: Slice) -> Array:
    return along.points[np.isfinite(curve.y.value[along.points]) & np.isfinite(curve.error[along.points])]


def estimate_effects(
    curves: Sequence[SweptCurve], alike: Sequence[Slice], sure: Mapping[tuple[str, str], float]
) -> list[Effect]:
    """Return the effect on each figure along each slice; `sure` are the p values of `changes`.

    The p value of a slice is that of its field, or its own after Holm's correction over the field's slices if greater.
    """
    found: list[Effect] = []
    for curve in curves:
        for name, some in _by_field(alike).items():
            field = sure.get((curve.name, name), np.nan)
            alone = holm(np.nan_to_num([_p(curve, [along]) for along in some], nan=1.0)).tolist()
            for along, own in zip(some, alone, strict=True):
                rows, p = along.points[np.isfinite(curve.y.value[along.points])], max(field, own)
                if len(rows) > 1:
                    least, most = (int(rows[pick(curve.y.value[rows])]) for pick in (np.argmin, np.argmax))
                    found.append(Effect(curve, along, least, most, _shape(curve, along, p), p))
    return found


def _shape(curve: SweptCurve, along: Slice, p: float) -> str:
    if not np.isfinite(p):
        return UNKNOWN
    if p > LEVEL:
        return UNSEEN
    if not along.field.is_number:
        return DIFFERS
    rows = _find_known(curve, along)
    means = curve.means(rows)
    above = _above(*means)
    earlier = np.triu(np.ones(above.shape, bool), 1)
    slope, p_slope = contrast(*means, np.arange(len(rows)) - (len(rows) - 1) / 2)
    trend = np.sign(slope) if p_slope <= LEVEL else 0
    falls, rises = bool((above & earlier).any() or trend < 0), bool((above.T & earlier).any() or trend > 0)
    if not (falls and rises):
        return RISES if rises else FALLS if falls else DIFFERS
    least, most = int(np.argmin(means[0])), int(np.argmax(means[0]))
    if above[most, 0] and above[most, -1]:
        return PEAK if not (above[0, least] and above[-1, least]) else TURNS
    return DIP if above[0, least] and above[-1, least] else TURNS


def _above(value: Array, error: Array, freedom: Array) -> Array:
    i, j = np.triu_indices(len(value), 1)
    pairs = np.stack([i, j], 1)
    greater, p = contrast(value[pairs], error[pairs], freedom[pairs], np.array([1, -1]))
    sure = holm(p) <= LEVEL
    above = np.zeros((len(value), len(value)), bool)
    above[i, j], above[j, i] = sure & (greater > 0), sure & (greater < 0)
    return above


def describe(effect: Effect) -> str:
    """Return the effect in words; those that begin with a verb follow the name of the figure."""
    field, (low, high) = effect.along.field, effect.ends
    at_low, at_high = field.at(effect.lowest), field.at(effect.highest)
    if low.value == high.value:
        return f"{plainly(low)} at every point"
    if effect.shape == RISES:
        return f"rises from {plainly(low)} at {at_low} to {plainly(high)} at {at_high}"
    if effect.shape == FALLS:
        return f"falls from {plainly(high)} at {at_high} to {plainly(low)} at {at_low}"
    rest = {
        PEAK: f"highest at {at_high}",
        DIP: f"lowest at {at_low}",
        UNSEEN: UNSEEN,
        UNKNOWN: f"highest at {at_high} (no interval: chance may have made the difference)",
    }
    return (
        f"from {plainly(low)} to {plainly(high)}, {rest.get(effect.shape, f'lowest at {at_low}, highest at {at_high}')}"
    )


# Points that are a sample


@dataclass(frozen=True)
class Indices:
    """Borgonovo's delta of each field; `half` are the half-widths of 95 % intervals.

    `dummy` is the index of a column of random numbers: about what a field without any effect reaches.
    """

    delta: Array
    half: Array
    dummy: float


@dataclass(frozen=True)
class Shares:
    """Sobol indices of each field: the share of a figure's variance by itself, and in all with other fields.

    Each has shape (2, fields): values and standard errors. `dummy` is the total index of a column of random numbers,
    `explained` the share of the variance of held-out points that the Gaussian process predicts.
    """

    first: Array
    total: Array
    dummy: float
    explained: float


def rank_correlation(x: Array, y: Array) -> Estimate:
    """Return Spearman's correlation over points with its 95 % interval; NaN if it is not defined.

    Source of the interval: Bonett and Wright, Psychometrika 65 (2000) 23, with Student's quantile.
    """
    n = len(x)
    if n < 3 or np.ptp(x) == 0 or np.ptp(y) <= 1e-12 * max(1.0, float(np.abs(y).max())):
        return Estimate(math.nan, math.nan, math.nan, n)
    value = float(_stats().spearmanr(x, y)[0])
    if n < FEWEST_FOR_RANKS:
        return Estimate(value, math.nan, math.nan, n)
    nearest = 1 - 6 / (n * (n * n - 1))  # the greatest value below 1
    z = math.atanh(max(-nearest, min(nearest, value)))
    reach = float(student_quantile(n - 2, 0.975)) * math.sqrt((1 + value**2 / 2) / (n - 3))
    return Estimate(value, math.tanh(z - reach), math.tanh(z + reach), n)


def correlate_ranks(curve: SweptCurve, field: Varied) -> Estimate:
    """Return the rank correlation of a figure with a field."""
    known = np.isfinite(curve.y.value)
    return rank_correlation(field.numbers[known], curve.y.value[known])


def followed(curves: Sequence[SweptCurve], fields: Sequence[Varied]) -> dict[tuple[str, str], float]:
    """Return the p value of each rank correlation that has an interval, after Holm's correction."""
    found: dict[tuple[str, str], float] = {}
    for curve in curves:
        known = np.isfinite(curve.y.value)
        for field in fields:
            if field.is_number and math.isfinite(correlate_ranks(curve, field).low):
                found[curve.name, field.name] = float(_stats().spearmanr(field.numbers[known], curve.y.value[known])[1])
    return dict(zip(found, holm(list(found.values())).tolist(), strict=True))


def smooth(x: Array, y: Array, at: Array, rng: np.random.Generator) -> Estimates | None:
    """Return a local quadratic fit of `y` on `x` at the places `at` with its 95 % band; None for too few points.

    Random: resampled points. Source: Fan and Gijbels, Local Polynomial Modelling and Its Applications, 1996, chapter 2.
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
    near = kernel.sum(1) ** 2 / (kernel**2).sum(1)  # effective number of points for the fit at each place
    left = np.maximum(near - 3, 1)
    reach = student_quantile(left, (1 + CONFIDENCE) / 2) * np.sqrt(near / left)
    return Estimates(fitted[0], *percentiles(fitted[1:], normal_share(-reach)))


def is_there(package: str) -> bool:
    """Return whether a package of the extra `sweep` is installed."""
    return importlib.util.find_spec(package) is not None


def indices(x: Array, y: Array, rng: np.random.Generator) -> Indices | None:
    """Return delta indices of a sample `x` (points, fields), `y` (points); None without SALib or with too few points.

    Source: Plischke, Borgonovo and Smith, European Journal of Operational Research 226 (2013).
    """
    if not is_there(SALIB) or len(y) < FEWEST_FOR_DELTA or not y.std() > 0:
        return None
    analyze: Any = importlib.import_module("SALib.analyze.delta").analyze
    x = np.column_stack([x, rng.random(len(x))])
    names = [f"x{i}" for i in range(x.shape[1])]
    problem = {"num_vars": len(names), "names": names, "bounds": [[0, 1]] * len(names)}
    seed = int(rng.integers(1 << 31))
    kept = np.random.get_state()  # SALib seeds the global generator, and replaces the format of warnings
    warning_format = warnings.formatwarning
    try:
        with warnings.catch_warnings(record=True):  # its warnings are about bins
            analysed = analyze(problem, x, y, num_resamples=DELTA_RESAMPLES, seed=seed)
    except ValueError:  # for a figure that is the same at nearly all points
        return None
    finally:
        np.random.set_state(kept)
        warnings.formatwarning = warning_format
    delta, half = (
        np.asarray(analysed[key if key in analysed else other], float)
        for key, other in (("delta", "delta_raw"), ("delta_conf", "delta_raw_conf"))
    )
    return Indices(delta[:-1], half[:-1], float(delta[-1]))


def shares(x: Array, y: Array, rng: np.random.Generator) -> Shares | None:
    """Return Sobol indices of a sample `x` (points, fields), `y` (points), with independent and uniform fields.

    None without scikit-learn, for too few points, or if a Gaussian process predicts held-out points badly. Random: a
    column, groups of points, samples, and the points used of more than MOST_FOR_SHARES. Source: Saltelli et al.,
    Computer Physics Communications 181 (2010) 259, as implemented in scipy.
    """
    if not is_there(SKLEARN) or len(y) < FEWEST_FOR_SHARES or not y.std() > 1e-9 * max(1.0, float(np.abs(y).max())):
        return None
    some = rng.permutation(len(y))[:MOST_FOR_SHARES]
    x, y = x[some], y[some]
    width = np.ptp(x, axis=0)
    unit = np.column_stack([(x - x.min(0)) / np.where(width > 0, width, 1.0), rng.random(len(x))])
    means, held_out = _process(unit, y, rng)
    explained = float(1 - ((y - held_out) ** 2).mean() / y.var())
    if explained < LEAST_EXPLAINED:
        return None

    size = unit.shape[1]
    sobol = _stats().qmc.Sobol(2 * size, bits=64, rng=np.random.default_rng(int(rng.integers(1 << 31))))
    one, other = np.split(sobol.random(SHARES_SAMPLE), 2, axis=1)
    mixed = [np.where(is_own, other, one) for is_own in np.eye(size, dtype=bool)]
    f_one, f_other, f_mixed = means(one).T, means(other).T, np.stack([means(each).T for each in mixed])

    def indices_of(rows: Array) -> Array:
        values = {"f_A": f_one[:, rows], "f_B": f_other[:, rows], "f_AB": f_mixed[..., rows]}
        found = _stats().sobol_indices(func=values, n=SHARES_SAMPLE)
        return np.stack([found.first_order, found.total_order])

    every = indices_of(np.arange(SHARES_SAMPLE))
    again = [indices_of(rng.integers(SHARES_SAMPLE, size=SHARES_SAMPLE))[:, 0] for _ in range(SHARES_RESAMPLES)]
    error = np.hypot([jackknife_error(of.T[..., 1:]) for of in every], np.std(again, axis=0, ddof=1))
    first, total = np.stack([every[:, 0], error], 1)
    return Shares(first[:, :-1], total[:, :-1], dummy=float(total[0, -1]), explained=explained)


def _process(x: Array, y: Array, rng: np.random.Generator) -> tuple[Callable[[Array], Array], Array]:
    """Fit Gaussian processes to `y` (T,) at `x` (T, F): to all points, and without each group of them.

    Return a function from places (n, F) to the means (n, 1 + GROUPS), and the prediction for each point without its
    group (T,). All share one kernel, of the greatest likelihood for up to SOUGHT points: Matern 5/2, one length for
    each coordinate, and a nugget. Random: groups and points. Source: Rasmussen and Williams, Gaussian Processes for
    Machine Learning, 2006.
    """
    sk = importlib.import_module("sklearn.gaussian_process")
    of, fitted = sk.kernels, sk.GaussianProcessRegressor
    some = rng.permutation(len(y))[:SOUGHT]
    scale = float(y[some].std()) or 1.0
    starts = [
        of.ConstantKernel(1.0, (0.01, 50)) * of.Matern(np.full(x.shape[1], length), (0.15, 50), nu=2.5)
        + of.WhiteKernel(0.05, (1e-5, 2))
        for length in STARTS
    ]
    with warnings.catch_warnings(record=True):  # it warns of each length that ends at its limit
        tried = [fitted(start).fit(x[some], (y[some] - y[some].mean()) / scale) for start in starts]
    kernel = max(tried, key=lambda one: one.log_marginal_likelihood_value_).kernel_
    group = rng.permutation(np.arange(len(y)) % GROUPS)
    weights, centres = np.zeros((len(y), 1 + GROUPS)), np.zeros(1 + GROUPS)
    for k in range(1 + GROUPS):
        mine = group != k - 1  # the first process leaves out no group
        centres[k] = y[mine].mean()
        weights[mine, k] = fitted(kernel, optimizer=None).fit(x[mine], y[mine] - centres[k]).alpha_

    def means(at: Array) -> Array:
        parts = [kernel(at[i : i + CHUNK], x) @ weights for i in range(0, len(at), CHUNK)]
        return np.concatenate(parts) + centres

    return means, means(x)[np.arange(len(x)), 1 + group]


def _stats() -> Any:
    return importlib.import_module("scipy.stats")  # half a second, so only where it is needed
