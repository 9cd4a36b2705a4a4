"""What a varied field does to a figure: how surely, over which range, and in which shape; never a line through a curve.

Each figure and field has one test, of any difference between points that differ in that field only or, where the field
is a number, a trend along it; Holm's correction goes over all of a report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tower_sim.campaign.data import Array
from tower_sim.statistics import CONFIDENCE, Estimate, any_difference, contrast, holm
from tower_sim.study.points import Varied
from tower_sim.study.sheets import plainly
from tower_sim.study.sweeps import SweptCurve

RISES, FALLS = "rises", "falls"
PEAK, DIP = "highest between the ends", "lowest between the ends"
TURNS = "goes up and down"
DIFFERS = "differs"
UNSEEN = "no difference shown"
UNKNOWN = "no interval"
LEVEL = 1 - CONFIDENCE  # of a report: the chance that it calls any figure changed where none is


@dataclass(frozen=True)
class Slice:
    """Points that differ in one field (and what moves with it) only: `points` by its value, and what is `held`."""

    field: Varied
    points: Array
    held: str


@dataclass(frozen=True)
class Effect:
    """What a figure does along a slice: the least and the greatest of its points, and the shape between.

    `p` is that of no effect, after Holm over the report's figures and fields (NaN: too few runs); the shape is that of
    pairs of points that differ after Holm over the slice's pairs, or of the trend.
    """

    curve: SweptCurve
    along: Slice
    lowest: int
    highest: int
    shape: str
    p: float

    def end(self, i: int) -> Estimate:
        """Return the figure at a point."""
        return self.curve.at(i)


def slices(groups: Sequence[Sequence[Varied]]) -> list[Slice]:
    """Return every set of two points or more that differ in one group of fields only, by group."""
    made: list[Slice] = []
    for group in groups:
        others = [other for other in groups if other is not group]
        points = len(group[0].numbers)
        keys = [tuple(float(other[0].numbers[i]) for other in others) for i in range(points)]
        for key in dict.fromkeys(keys):
            rows = np.array([i for i in range(points) if keys[i] == key])
            rows = rows[np.argsort(group[0].numbers[rows], kind="stable")]
            if len(rows) > 1 and len(np.unique(group[0].numbers[rows])) == len(rows):
                held = ", ".join(f"{other[0].name} = {other[0].at(int(rows[0]))}" for other in others)
                made.append(Slice(group[0], rows, held))
    return made


def by_field(alike: Sequence[Slice]) -> dict[str, list[Slice]]:
    """Return slices by the name of the field that they are along."""
    found: dict[str, list[Slice]] = {}
    for along in alike:
        found.setdefault(along.field.name, []).append(along)
    return found


def changes(curves: Sequence[SweptCurve], alike: Sequence[Slice], points: int) -> dict[tuple[str, str], float]:
    """Return how surely each field changes each figure: p values after Holm, by the names of both.

    Where no points differ in one field only, all are held against each other, and the field is named "". Figures
    without two points of five runs have none.
    """
    every = Slice(Varied("", False, np.arange(points), ()), np.arange(points), "")
    fields = by_field(alike) or {"": [every]}
    found = {(curve.name, name): _p(curve, some) for curve in curves for name, some in fields.items()}
    known = {pair: p for pair, p in found.items() if np.isfinite(p)}
    return dict(zip(known, holm(list(known.values())).tolist(), strict=True))


def _p(curve: SweptCurve, some: Sequence[Slice]) -> float:
    """Return the p value of no effect along slices of one field: of any difference or a trend, the lesser one twice."""
    parts = [(rows, i) for i, along in enumerate(some) if len(rows := _known(curve, along)) > 1]
    if not parts:
        return np.nan
    rows = np.concatenate([part for part, _ in parts])
    block = np.repeat([i for _, i in parts], [len(part) for part, _ in parts])
    told = curve.y.value[rows], curve.error[rows], curve.freedom[rows]
    p = any_difference(*told, block)
    if not some[0].field.is_number or len(rows) == 2:
        return p
    steps = np.concatenate([np.arange(len(part)) - (len(part) - 1) / 2 for part, _ in parts])
    return min(1.0, 2 * min(p, float(contrast(*told, steps)[1])))


def _known(curve: SweptCurve, along: Slice) -> Array:
    return along.points[np.isfinite(curve.y.value[along.points]) & np.isfinite(curve.error[along.points])]


def effects_of(
    curves: Sequence[SweptCurve], alike: Sequence[Slice], sure: Mapping[tuple[str, str], float]
) -> list[Effect]:
    """Judge every figure along every slice, where it has two values; `sure` are p values as of `changes`.

    A slice has the p of its field, or its own after Holm over the slices of that field if that is greater.
    """
    found: list[Effect] = []
    for curve in curves:
        for name, some in by_field(alike).items():
            field = sure.get((curve.name, name), np.nan)
            alone = holm(np.nan_to_num([_p(curve, [along]) for along in some], nan=1.0)).tolist()
            told = (effect_of(curve, along, max(field, p)) for along, p in zip(some, alone, strict=True))
            found += [effect for effect in told if effect]
    return found


def effect_of(curve: SweptCurve, along: Slice, p: float) -> Effect | None:
    """Judge a figure along a slice; None where it has fewer than two values there."""
    rows = along.points[np.isfinite(curve.y.value[along.points])]
    if len(rows) < 2:
        return None
    value = curve.y.value[rows]
    least, most = int(np.argmin(value)), int(np.argmax(value))
    return Effect(curve, along, int(rows[least]), int(rows[most]), _shape(curve, along, p), p)


def _shape(curve: SweptCurve, along: Slice, p: float) -> str:
    if not np.isfinite(p):
        return UNKNOWN
    if p > LEVEL:
        return UNSEEN
    if not along.field.is_number:
        return DIFFERS
    rows = _known(curve, along)
    told = curve.y.value[rows], curve.error[rows], curve.freedom[rows]
    above = _above(*told)
    earlier = np.triu(np.ones(above.shape, bool), 1)
    slope, p_slope = contrast(*told, np.arange(len(rows)) - (len(rows) - 1) / 2)
    trend = np.sign(slope) if p_slope <= LEVEL else 0
    falls, rises = bool((above & earlier).any() or trend < 0), bool((above.T & earlier).any() or trend > 0)
    if not (falls and rises):
        return RISES if rises else FALLS if falls else DIFFERS
    least, most = int(np.argmin(told[0])), int(np.argmax(told[0]))
    if above[most, 0] and above[most, -1]:
        return PEAK if not (above[0, least] and above[-1, least]) else TURNS
    return DIP if above[0, least] and above[-1, least] else TURNS


def _above(value: Array, error: Array, freedom: Array) -> Array:
    """Say of which points i, j the figure is surely greater at i, shape (points, points): Welch's test, Holm."""
    i, j = np.triu_indices(len(value), 1)
    pairs = np.stack([i, j], 1)
    greater, p = contrast(value[pairs], error[pairs], freedom[pairs], np.array([1, -1]))
    sure = holm(p) <= LEVEL
    above = np.zeros((len(value), len(value)), bool)
    above[i, j], above[j, i] = sure & (greater > 0), sure & (greater < 0)
    return above


def told(effect: Effect) -> str:
    """Say in words what a figure does along a slice; what begins with a verb follows the figure's name."""
    field, low, high = effect.along.field, effect.end(effect.lowest), effect.end(effect.highest)
    at_low, at_high = field.at(effect.lowest), field.at(effect.highest)
    low_end, high_end = f"{plainly(low)} at {at_low}", f"{plainly(high)} at {at_high}"
    if low.value == high.value:
        return f"{plainly(low)} at every point"
    if effect.shape == RISES:
        return f"rises from {low_end} to {high_end}"
    if effect.shape == FALLS:
        return f"falls from {high_end} to {low_end}"
    ends = f"from {plainly(low)} to {plainly(high)}"
    if effect.shape == PEAK:
        return f"{ends}, highest at {at_high}"
    if effect.shape == DIP:
        return f"{ends}, lowest at {at_low}"
    if effect.shape == UNSEEN:
        return f"{ends}, {UNSEEN}"
    if effect.shape == UNKNOWN:
        return f"{ends}, highest at {at_high} (no interval: chance may have made the difference)"
    return f"{ends}, lowest at {at_low}, highest at {at_high}"
