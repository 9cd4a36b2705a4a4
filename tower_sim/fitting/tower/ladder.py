"""The ladder of models, from a rule of thumb to the cascade, and how well each predicts drops it was not fitted to.

A score is the log probability that a rung gave to which cubes came out. With n cubes thrown and m inside:

    0  two thirds     a thrown cube comes out with probability 2/3, a cube inside with 1/3 (bgdf.com/node/180)
    1  groups         two beta-binomials; means' log-odds linear in 1, log(1 + n), m / 10 (surrogate/groups.py)
    2  shared effect  as 1, and one normal effect e a drop adds sd_group * e to both log-odds (Agresti, 2013, ch. 13)
    3  cascade        every cube has a floor and an age (surrogate/cascade.py)
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tower_sim.fitting.numerics import maximise
from tower_sim.fitting.tower.cascade_fit import chances, fit_cascade
from tower_sim.fitting.tower.data import Rows
from tower_sim.runs.array import Array
from tower_sim.statistics import ratio_of_sums, sum_by_unit
from tower_sim.surrogate.cascade import Cascade, normal_scores
from tower_sim.surrogate.groups import LOG_SIZE, LOG_SIZE_SD, chance, fit_group
from tower_sim.surrogate.store import RungScore
from tower_sim.surrogate.two_thirds import RESIDENT_OUT, THROWN_OUT
from tower_sim.tools.progress import nothing

Score = Callable[[Rows], Array]

_CHUNK = 20_000  # cubes at a time; each has some hundred probabilities
_special: Any = importlib.import_module("scipy.special")


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


def score_lines(rungs_scored: Sequence[RungScore], title: str, over: str) -> list[str]:
    """Return a table for a terminal, headed by `title` and `over`: each rung's score, and its gain over the first."""
    return [
        f"{title:34s} {'score':>18s} {over:>18s}",
        *(f"{x.title:34s} {x.score:9.4f} +- {x.se:.4f} {x.gain:+9.4f} +- {x.gain_se:.4f}" for x in rungs_scored),
    ]


def _average(values: Array, run: Array) -> tuple[float, float]:
    mean, error = ratio_of_sums(*sum_by_unit(run, np.stack([values, np.ones(len(values))], 1)).T)
    return round(float(mean), 6), round(float(error), 6)


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
