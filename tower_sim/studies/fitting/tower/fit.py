"""Fit the cascade, the surrogate of a tower, to drops, floor by floor, by penalised maximum likelihood."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tower_sim.apparatus import Apparatus, as_tower
from tower_sim.campaign import Campaign
from tower_sim.results import Array, ratios_of_sums, sum_by_unit
from tower_sim.studies.fitting.data import find_engine, run_starts
from tower_sim.studies.fitting.numerics import maximise
from tower_sim.studies.fitting.tower.data import Rows, held_out, read_rows
from tower_sim.studies.fitting.tower.knocks import FITTED, fit_knocks, games_to_knock, play_knocks
from tower_sim.surrogate import (
    LOG_SIZE,
    LOG_SIZE_SD,
    RESIDENT_OUT,
    THROWN_OUT,
    TOWER,
    Cascade,
    Fitted,
    FloorLaw,
    Passing,
    Polyline,
    RungScore,
    Source,
    chance,
    fit_group,
    normal_scores,
)
from tower_sim.tools import nothing

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


Score = Callable[[Rows], Array]

_CHUNK = 20_000  # cubes at a time; each has some hundred probabilities


@dataclass(frozen=True)
class Rung:
    """One fitted rung; `score` returns the log score of each drop, in nats."""

    name: str
    title: str
    score: Score


class _Counts(NamedTuple):
    """The kinds of drops by their counts: of `n` cubes thrown `k` come out, and of `m` cubes inside `r`.

    `weight` counts the drops of each kind, `row` is each drop's kind. The means' log-odds are linear in the terms `x`,
    shape (kinds, 3).
    """

    n: Array
    m: Array
    k: Array
    r: Array
    row: Array
    weight: Array
    x: Array


def _count(rows: Rows) -> _Counts:
    is_thrown = rows.start < 0
    k, r = (np.bincount(rows.drop[of & rows.out], minlength=len(rows)) for of in (is_thrown, ~is_thrown))
    counts = np.stack([rows.thrown, rows.lying.sum(1), k, r], 1)
    alike, row, weight = np.unique(counts, axis=0, return_inverse=True, return_counts=True)
    n, m, k, r = alike.T.astype(float)
    return _Counts(n, m, k, r, row.ravel(), weight.astype(float), np.stack([np.ones(len(n)), np.log1p(n), m / 10], 1))


def climb(rows: Rows, note: Callable[[], None] = nothing) -> tuple[dict[str, tuple[float, ...]], Cascade]:
    """Fit every rung; return the parameters of rungs 1 and 2 by name, and the cascade."""
    return {"groups": fit_groups(rows), "shared": fit_shared(rows, note)}, fit_cascade(rows, note)


def rungs(parameters: Mapping[str, Sequence[float]], law: Cascade) -> tuple[Rung, ...]:
    """Return all rungs, given the results of `climb`."""
    return (two_thirds(), groups(parameters["groups"]), make_shared(parameters["shared"]), cascade(law))


def two_thirds() -> Rung:
    """Return rung 0, which has no parameters."""

    def score(rows: Rows) -> Array:
        c = _count(rows)
        (out, stays), (leaves, rests) = np.log([[p, 1 - p] for p in (THROWN_OUT, RESIDENT_OUT)])
        return (c.k * out + (c.n - c.k) * stays + c.r * leaves + (c.m - c.r) * rests)[c.row]

    return Rung("two_thirds", "0 two thirds, one third", score)


def fit_groups(rows: Rows) -> tuple[float, ...]:
    """Return rung 1's parameters: three coefficients and the log size for cubes thrown, then for cubes inside."""
    c = _count(rows)
    laws = [fit_group(c.x, n, k, c.weight) for n, k in ((c.n, c.k), (c.m, c.r))]
    return tuple(round(x, 6) for law in laws for x in (*law.coefficients, law.log_size))


def groups(parameters: Sequence[float]) -> Rung:
    """Return rung 1 with the given parameters."""
    return _beta_binomials("groups", "1 two beta-binomials", np.insert(np.array(parameters), [4, 8], 0.0))


def make_shared(parameters: Sequence[float]) -> Rung:
    """Return rung 2 with the given parameters."""
    return _beta_binomials("shared", "2 and a shared effect", np.array(parameters))


def _beta_binomials(name: str, title: str, at: Array) -> Rung:
    return Rung(name, title, lambda rows: _pair(at, c := _count(rows))[0][c.row])


def fit_shared(rows: Rows, note: Callable[[], None] = nothing) -> tuple[float, ...]:
    """Return rung 2's parameters: the four of rung 1 and the effect's standard deviation, for each group.

    The standard deviations have a standard normal penalty, the log sizes that of rung 1.
    """
    c = _count(rows)
    begin = np.insert(np.array(fit_groups(rows)), [4, 8], 0.2)
    weight = c.weight / c.weight.sum()
    centre = np.array([0, 0, 0, LOG_SIZE, 0] * 2)
    pull = np.array([0, 0, 0, LOG_SIZE_SD**-2, 1] * 2) / c.weight.sum()

    def penalise(at: Array) -> tuple[float, Array]:
        score, slopes = _pair(at, c)
        return float(weight @ score - pull @ (at - centre) ** 2 / 2), weight @ slopes - pull * (at - centre)

    def climb(at: Array) -> tuple[float, Array, Array]:
        note()
        steps = np.eye(10) * 1e-4
        curvature = np.array([(penalise(at - step)[1] - penalise(at + step)[1]) / 2e-4 for step in steps])
        return *penalise(at), (curvature + curvature.T) / 2

    return tuple(round(float(x), 4) for x in maximise(climb, begin)[0])


def cascade(law: Cascade) -> Rung:
    """Return rung 3 with a fitted cascade."""

    def score_part(rows: Rows) -> Array:
        out, weights = chances(law, rows)
        by_drop = np.zeros((len(rows), len(weights)))
        np.add.at(by_drop, rows.drop, np.log(np.where(rows.out[:, None], out, 1 - out)))
        return _special.logsumexp(by_drop + np.log(weights), axis=1)

    def score(rows: Rows) -> Array:
        parts = np.array_split(np.arange(len(rows)), max(len(rows.drop) // _CHUNK, 1))
        return np.concatenate([score_part(rows.take(np.isin(np.arange(len(rows)), part))) for part in parts])

    return Rung("cascade", "3 cascade of floors, with ages", score)


def scores(every: Sequence[Rung], rows: Rows) -> tuple[RungScore, ...]:
    """Score the rungs on held-out drops; standard errors are clustered by run."""
    by_drop = [rung.score(rows) for rung in every]
    return tuple(
        RungScore(rung.name, rung.title, *_average(score_of, rows.run), *_average(score_of - by_drop[0], rows.run))
        for rung, score_of in zip(every, by_drop, strict=True)
    )


def _average(values: Array, run: Array) -> tuple[float, float]:
    mean, error, _ = ratios_of_sums(*(sum_by_unit(run, part[:, None]) for part in (values, np.ones(len(values)))))
    return round(float(mean[0]), 6), round(float(error[0]), 6)


def _pair(at: Array, c: _Counts) -> tuple[Array, Array]:
    """Return the log probability that exactly these cubes came out, and its gradient at `at`, shape (kinds, 10).

    The law is two beta-binomials with a shared effect.
    """
    scores = np.array(normal_scores()) if at[4] or at[9] else np.zeros(1)
    psi = _special.digamma
    total = np.zeros((len(c.n), len(scores)))
    slopes: list[Array] = []
    for score_of, n, k in ((at[:5], c.n, c.k), (at[5:], c.m, c.r)):
        size, mean = np.exp(np.clip(score_of[3], -10, 12)), chance((c.x @ score_of[:3])[:, None] + score_of[4] * scores)
        a, b, out, stays = mean * size, (1 - mean) * size, k[:, None], (n - k)[:, None]
        total += _special.betaln(out + a, stays + b) - _special.betaln(a, b)
        common = psi(size) - psi(n[:, None] + size)
        by_a, by_b = psi(out + a) - psi(a) + common, psi(stays + b) - psi(b) + common
        by_odds, by_size = (by_a - by_b) * size * mean * (1 - mean), (by_a * mean + by_b * (1 - mean)) * size
        slopes += [*(by_odds * column[:, None] for column in c.x.T), by_size, by_odds * scores]
    share = _special.softmax(total, axis=1)
    gradient = np.stack([(share * slope).sum(1) for slope in slopes], 1)
    return _special.logsumexp(total, axis=1) - np.log(len(scores)), gradient


_ALIKE = 1.25  # numbers thrown up to this ratio apart count as similar for the range of the data


def fit_tower(campaigns: Sequence[Campaign], apparatus: Apparatus, note: Callable[[], None]) -> Fitted:
    """Fit the cascade and the lower rungs to campaigns of games.

    The last 3 of every 10 runs are held out, and score the rungs. Up to 100 other games are played again for knocks.
    """
    regions = [region.name for region in as_tower(apparatus).regions]
    rows = read_rows(campaigns, regions)
    is_held = np.concatenate([held_out(campaign) for campaign in campaigns])[rows.run]
    used, unused = rows.take(~is_held), rows.take(is_held)
    lower, law = climb(used, note)
    campaign_of = np.searchsorted(run_starts(campaigns), used.run, side="right") - 1
    runs = [used.run[campaign_of == number] for number in range(len(campaigns))]
    chosen = [np.flatnonzero(~held_out(campaign)) for campaign in campaigns]
    knocks = fit_knocks(play_knocks(games_to_knock(campaigns, chosen), regions, FITTED, note))
    return Fitted(
        TOWER,
        apparatus.name,
        apparatus.digest,
        find_engine(campaigns),
        tuple(
            Source(campaign.digest, len(np.unique(run)), len(run))
            for campaign, run in zip(campaigns, runs, strict=True)
        ),
        find_ranges(used),
        scores(rungs(lower, law), unused),
        lower,
        replace(law, knocks=knocks),
    )


def find_ranges(rows: Rows) -> tuple[tuple[int, int, int], ...]:
    """Return the range of cubes inside before a drop, for each number of cubes thrown, as (thrown, least, most).

    It covers all drops with similar numbers thrown, at a ratio of up to 1.25.
    """
    inside = rows.lying.sum(1)
    ranges: list[tuple[int, int, int]] = []
    for thrown in np.unique(rows.thrown):
        alike = (rows.thrown <= thrown * _ALIKE) & (rows.thrown * _ALIKE >= thrown)
        ranges.append((int(thrown), int(inside[alike].min()), int(inside[alike].max())))
    return tuple(ranges)
