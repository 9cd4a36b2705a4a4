"""What a varied field does to a figure: over which range, and in which shape; never a straight line through a curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tower_sim.campaign.data import Array
from tower_sim.statistics import Estimate
from tower_sim.study.points import Varied
from tower_sim.study.sheets import plainly
from tower_sim.study.sweeps import SweptCurve

RISES, FALLS = "rises", "falls"
PEAK, DIP = "highest between the ends", "lowest between the ends"
TURNS = "goes up and down"
DIFFERS = "differs"
UNSEEN = "no difference beyond the intervals"
UNKNOWN = "no interval"


@dataclass(frozen=True)
class Slice:
    """Points that differ in one field (and what moves with it) only: `points` by its value, and what is `held`."""

    field: Varied
    points: Array
    held: str


@dataclass(frozen=True)
class Effect:
    """What a figure does along a slice: the least and the greatest of its points, and the shape between.

    The shape is judged by the points' intervals: a difference counts where two of them do not meet.
    """

    curve: SweptCurve
    along: Slice
    lowest: int
    highest: int
    shape: str

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


def effect_of(curve: SweptCurve, along: Slice) -> Effect | None:
    """Judge a figure along a slice; None where it has fewer than two values there."""
    rows = along.points[np.isfinite(curve.y.value[along.points])]
    if len(rows) < 2:
        return None
    value, low, high = (edge[rows] for edge in (curve.y.value, curve.y.low, curve.y.high))
    least, most = int(np.argmin(value)), int(np.argmax(value))
    shape = _shape(low, high, least, most, along.field.is_number)
    return Effect(curve, along, int(rows[least]), int(rows[most]), shape)


def _shape(low: Array, high: Array, least: int, most: int, is_number: bool) -> str:
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        return UNKNOWN
    if not low[most] > high[least]:
        return UNSEEN
    if not is_number:
        return DIFFERS
    above = low[:, None] > high[None, :]  # [i, j]: surely higher at i than at j
    earlier = np.triu(np.ones(above.shape, bool), 1)
    falls, rises = bool((above & earlier).any()), bool((above.T & earlier).any())
    if not (falls and rises):
        return RISES if rises else FALLS
    if above[most, 0] and above[most, -1]:
        return PEAK if not (above[0, least] and above[-1, least]) else TURNS
    return DIP if above[0, least] and above[-1, least] else TURNS


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
