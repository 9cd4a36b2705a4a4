"""The effect of a varied field on a figure: its p value, its range and its shape. No line is fitted through a curve.

With chosen points each figure and field has one test: do points that differ only in that field differ at all, or along
it? A sampled design uses rank correlations. Holm's correction covers the whole report.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tower_sim.results import CONFIDENCE, Array, Estimate, any_difference, contrast, holm, plainly, student_quantile
from tower_sim.studies.retention.design import SweptCurve, Varied

RISES, FALLS = "rises", "falls"
PEAK, DIP = "highest between the ends", "lowest between the ends"
TURNS = "goes up and down"
DIFFERS = "differs"
UNSEEN = "no difference shown"
UNKNOWN = "no interval"
LEVEL = 1 - CONFIDENCE  # of a report: the probability that it reports any change if there is none
FEWEST_FOR_RANKS = 10  # points for the interval of a rank correlation


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


def _stats() -> Any:
    return importlib.import_module("scipy.stats")  # half a second, so only where it is needed
