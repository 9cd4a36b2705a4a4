"""Fit the cascade, the surrogate of a tower, to drops, floor by floor, by penalised maximum likelihood."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tower_sim.fitting.numerics import maximise
from tower_sim.fitting.tower.data import Rows
from tower_sim.runs.array import Array
from tower_sim.surrogate.cascade import Cascade, FloorLaw, Passing, Polyline, normal_scores
from tower_sim.tools.progress import nothing

THROWN = (1, 2, 3, 4, 5, 6, 7, 10, 15, 25, 35, 49, 60, 75, 98)
SPREAD = (1, 5, 10, 20, 40)
ARRIVING_SPREAD = (0, 2, 8, 20)  # the first is of an empty floor, so of a set-up
FRESH = (0, 1, 2, 4, 6, 9, 13, 18, 25, 49)
LYING = (0, 1, 2, 4, 6, 9, 13, 18, 24, 32, 40, 60, 90)
AGE = (1, 2, 3, 4, 6, 8, 11, 15, 22, 30)
# Normal penalties on a curve's values, and on the first and second differences of neighbouring values.
VALUE_SD, STEP_SD, BEND_SD = 5.0, 1.0, 0.5
SHARED = 0.05  # a floor with at least this share of the cubes inside has a shared effect

_sparse: Any = importlib.import_module("scipy.sparse")
_special: Any = importlib.import_module("scipy.special")


@dataclass(frozen=True, slots=True)
class _Block:
    """Consecutive parameters: the values of a curve at `knots`, or a number if there are none.

    A curve with an `origin` is 0 at its first knot, so that this value is no parameter.
    """

    knots: tuple[int, ...]
    origin: bool
    start: int

    @property
    def stop(self) -> int:
        return self.start + max(len(self.knots) - self.origin, 1)


_LAYOUT = {
    "arriving thrown": (THROWN, False),
    "arriving lying": (LYING, True),
    "fresh": (FRESH, True),
    "pushed": ((), False),
    "lying thrown": (THROWN, False),
    "lying lying": (LYING[1:], True),
    "age": (AGE, True),
    "crowd": (AGE, False),
    "arriving sd": (ARRIVING_SPREAD, False),
    "lying sd": (SPREAD, False),
}


def _make_blocks() -> dict[str, _Block]:
    blocks: dict[str, _Block] = {}
    at = 0
    for name, (knots, origin) in _LAYOUT.items():
        blocks[name] = _Block(knots, origin, at)
        at = blocks[name].stop
    return blocks


_BLOCKS = _make_blocks()
_SIZE = _BLOCKS["lying sd"].stop
_SPLIT = _BLOCKS["arriving sd"].start  # the standard deviations come last; without a shared effect they stay 0


@dataclass(frozen=True, eq=False)
class _Cells:
    """Groups of like cubes that reach a floor in one drop, sorted by `drop`.

    `x` has the weights of the parameters in the log-odds, `spread` those of the shared effects' standard deviations.
    """

    drop: Array
    cubes: Array
    passed: Array
    x: Any
    spread: Any


def fit_cascade(rows: Rows, note: Callable[[], None] = nothing) -> Cascade:
    """Fit the cascade; nothing is random, and equal rows give an equal cascade.

    The likelihood of a drop is the product over its cubes and floors, averaged over each floor's shared effect.
    Standard errors come from the curvature of the penalised likelihood, and assume independent drops.
    """
    resting = np.bincount(rows.start[rows.start >= 0], minlength=len(rows.regions))
    shared = resting >= SHARED * max(resting.sum(), 1)
    return Cascade(tuple(_fit_floor(rows, i, bool(shared[i]), note) for i in range(len(rows.regions))))


def _fit_floor(rows: Rows, floor: int, shared: bool, note: Callable[[], None]) -> FloorLaw:
    cells, penalty = _cells(rows, floor), _penalty()
    free = slice(0, _SIZE if shared else _SPLIT)
    least = np.where(np.arange(_SIZE) < _SPLIT, -np.inf, 0.0)[free]

    def climb(free_values: Array) -> tuple[float, Array, Array]:
        note()
        at = np.zeros(_SIZE)
        at[free] = free_values
        value, slope, information = _log_likelihood(at, cells)
        pulled = penalty @ at
        return value - float(at @ pulled) / 2, (slope - pulled)[free], (information + penalty)[free, free]

    values, errors = np.zeros((2, _SIZE))
    begin = np.where(np.arange(_SIZE) < _SPLIT, 0.0, 0.3)
    values[free], covariance = maximise(climb, begin[free], least)
    errors[free] = np.sqrt(np.diag(covariance))

    def curve(name: str) -> Polyline:
        block = _BLOCKS[name]
        origin = [0.0] * block.origin
        return Polyline(block.knots, *((*origin, *_round(x[block.start : block.stop])) for x in (values, errors)))

    def passing(group: str) -> Passing:
        return Passing(curve(f"{group} thrown"), curve(f"{group} lying"), curve(f"{group} sd"))

    pushed, error = _round(np.stack([values, errors])[:, _BLOCKS["pushed"].start])
    return FloorLaw(
        rows.regions[floor],
        passing("arriving"),
        curve("fresh"),
        pushed,
        error,
        passing("lying"),
        curve("age"),
        curve("crowd"),
    )


def _round(values: Array) -> list[float]:
    """Round to ten-thousandths, far below any standard error, so that rounding errors of sums change no model."""
    return [float(value) for value in np.round(values, 4) + 0.0]


def _cells(rows: Rows, floor: int) -> _Cells:
    there = (rows.start <= floor) & (rows.end >= floor)
    drop, start = rows.drop[there], rows.start[there]
    kind = np.where(start == floor, 2 + rows.in_crowd[there], np.where(start < 0, 0, 1))
    age = np.where(kind >= 2, np.minimum(rows.age[there], AGE[-1]), 0)
    key = (drop * 4 + kind) * (AGE[-1] + 1) + age
    cells, which = np.unique(key, return_inverse=True)
    passed = np.bincount(which, rows.end[there] > floor, len(cells))
    cubes = np.bincount(which, minlength=len(cells)).astype(float)
    age, rest = cells % (AGE[-1] + 1), cells // (AGE[-1] + 1)
    drop, kind = rest // 4, rest % 4
    lies = kind >= 2
    thrown, lying = rows.thrown[drop], rows.lying[drop, floor]
    parts = [
        _hats(_BLOCKS["arriving thrown"], thrown, ~lies),
        _hats(_BLOCKS["arriving lying"], lying, ~lies),
        _hats(_BLOCKS["fresh"], rows.fresh[drop, floor], ~lies),
        _sparse.csr_array((kind == 1).astype(float)[:, None]),
        _hats(_BLOCKS["lying thrown"], thrown, lies),
        _hats(_BLOCKS["lying lying"], lying, lies),
        _hats(_BLOCKS["age"], age, kind == 2),
        _hats(_BLOCKS["crowd"], age, kind == 3),
    ]
    spread = [_hats(_BLOCKS["arriving sd"], lying, ~lies), _hats(_BLOCKS["lying sd"], lying, lies)]
    return _Cells(drop, cubes, passed, *(_sparse.hstack(columns, format="csr") for columns in (parts, spread)))


def _hats(block: _Block, numbers: Array, rows: Array) -> Any:
    """Return the weights of a curve's values at `numbers`, shape (numbers, values); zeros where `rows` is false."""
    knots = np.array(block.knots, float)
    at = np.interp(numbers, knots, np.arange(len(knots)))
    left = np.minimum(at.astype(int), len(knots) - 2)
    share = at - left
    index = np.flatnonzero(rows)
    entries = np.concatenate([1 - share[index], share[index]])
    where = (np.tile(index, 2), np.concatenate([left[index], left[index] + 1]))
    return _sparse.csr_array((entries, where), shape=(len(numbers), len(knots)))[:, int(block.origin) :]


def _penalty() -> Array:
    matrix = np.eye(_SIZE) / VALUE_SD**2
    for block in _BLOCKS.values():
        for order, sd in ((1, STEP_SD), (2, BEND_SD)):
            if len(block.knots) > order:
                change = np.diff(np.eye(len(block.knots)), order, axis=0)[:, int(block.origin) :]
                matrix[block.start : block.stop, block.start : block.stop] += change.T @ change / sd**2
    return matrix


def _log_likelihood(at: Array, cells: _Cells) -> tuple[float, Array, Array]:
    """Return the log-likelihood of a floor's cells, its gradient and its information at the parameters `at`.

    Source of the information: Louis, Journal of the Royal Statistical Society B 44 (1982).
    """
    size = cells.x.shape[1]
    sds = cells.spread @ at[size:]
    scores = np.array(normal_scores()) if sds.any() else np.zeros(1)
    odds = (cells.x @ at[:size])[:, None] + sds[:, None] * scores
    first = np.flatnonzero(np.diff(cells.drop, prepend=-1))
    by_node = cells.passed[:, None] * odds - cells.cubes[:, None] * np.logaddexp(0, odds)
    by_drop = np.add.reduceat(by_node, first, axis=0)
    total = _special.logsumexp(by_drop, axis=1) - np.log(len(scores))
    weight = _special.softmax(by_drop, axis=1)
    of_cell = np.repeat(weight, np.diff(first, append=len(cells.drop)), axis=0)
    chance = _special.expit(odds)
    rest = cells.passed[:, None] - cells.cubes[:, None] * chance
    every = _sparse.hstack([cells.x, cells.spread], format="csr")
    drops = _sparse.csr_array((np.ones(len(cells.drop)), np.arange(len(cells.drop)), [*first, len(cells.drop)]))
    slopes: Any = 0.0
    information = np.zeros((len(at), len(at)))
    for node, score in enumerate(scores):
        weighted = every @ _sparse.diags_array(np.where(np.arange(len(at)) < size, 1.0, score))
        curve = of_cell[:, node] * cells.cubes * chance[:, node] * (1 - chance[:, node])
        by_drop = drops @ (_sparse.diags_array(rest[:, node]) @ weighted)
        weighed = _sparse.diags_array(weight[:, node]) @ by_drop
        information += (weighted.T @ (_sparse.diags_array(curve) @ weighted) - by_drop.T @ weighed).toarray()
        slopes = slopes + weighed
    information += (slopes.T @ slopes).toarray()
    return float(total.sum()), np.asarray(slopes.sum(0)), information


def chances(law: Cascade, rows: Rows) -> tuple[Array, Array]:
    """Return each cube's probability of coming out, shape (cube, node), and the weights of the nodes.

    A node is a combination of the shared effects of all floors that have one.
    """
    scores = np.array(normal_scores())
    shared = [i for i, floor in enumerate(law.floors) if floor.arriving.sd or floor.lying.sd]
    grids = np.meshgrid(*[scores] * len(shared), indexing="ij")
    nodes = max(len(scores) ** len(shared), 1)
    out: Array = np.ones((len(rows.drop), nodes))
    for i, floor in enumerate(law.floors):
        effect = grids[shared.index(i)].ravel() if i in shared else np.zeros(nodes)
        out = out * _passes(floor, i, rows, effect)
    return out, np.ones(nodes) / nodes


def _passes(floor: FloorLaw, number: int, rows: Rows, effect: Array) -> Array:
    thrown, lying = rows.thrown[rows.drop], rows.lying[rows.drop, number]
    lies = rows.start == number
    arrive = floor.arriving.thrown.at(thrown) + floor.arriving.lying.at(lying)
    arrive = arrive + floor.fresh.at(rows.fresh[rows.drop, number]) + floor.pushed * (rows.start >= 0)
    age = np.where(rows.in_crowd, floor.crowd.at(rows.age), floor.age.at(rows.age))
    lie = floor.lying.thrown.at(thrown) + floor.lying.lying.at(lying) + age
    sd = np.where(lies, floor.lying.sd.at(lying), floor.arriving.sd.at(lying))
    odds = np.where(lies, lie, arrive)[:, None] + sd[:, None] * effect
    return np.where((rows.start > number)[:, None], 1.0, _special.expit(odds))
