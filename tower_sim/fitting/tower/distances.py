"""Distances between the games of two models, with permutation distributions and Holm's correction.

The permutations exchange whole games, since the drops of one game are not independent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tower_sim.fitting.numerics import LEVEL, p_value
from tower_sim.results import INSIDE, INSIDE_SETUP, OUT, SKIPPED, Array, Estimate, Figure, Plan, Results, holm

LAGS = 7  # drops; at the last lag the same colour is thrown again


@dataclass(frozen=True)
class Distance:
    """The distance between the two models' games in one statistic.

    `quantile` is the critical value at the level of Holm's procedure, `single` the uncorrected 95 % quantile. `p` is
    the permutation p value, `adjusted` Holm's, `size` a difference of means, surrogate minus physics.
    """

    name: str
    value: float
    quantile: float
    single: float
    p: float
    adjusted: float
    size: Estimate
    unit: str

    @property
    def is_seen(self) -> bool:
        """Whether `adjusted` is at most 0.05."""
        return self.adjusted <= LEVEL


def draw_splits(n: int, count: int, rng: np.random.Generator) -> Array:
    """Return which of 2n games are on the first side: as observed, then at random; shape (1 + count, 2n)."""
    observed = np.repeat([True, False], n)
    return np.concatenate([observed[None], rng.permuted(np.tile(observed, (count, 1)), axis=1)])


def list_distances(
    names: Sequence[str], values: Sequence[Array], sizes: Sequence[tuple[Estimate, str]]
) -> tuple[Distance, ...]:
    """Return the distances of several statistics with Holm's correction.

    Each of `values` has the observed distance first, then those of random splits.

    Source: Holm, Scandinavian Journal of Statistics 6 (1979).
    """
    p = [p_value(row[0], row[1:]) for row in values]
    adjusted: list[float] = holm(p).tolist()
    flagged = len([value for value in adjusted if value <= LEVEL])
    order: list[int] = np.argsort(p, kind="stable").tolist()
    # A distance that is not significant is compared with the level at which the procedure stopped.
    steps = [len(p) - min(order.index(i), flagged) for i in range(len(p))]
    return tuple(
        Distance(name, float(row[0]), critical(row, LEVEL / step), critical(row, LEVEL), p[i], adjusted[i], *size)
        for i, (name, row, step, size) in enumerate(zip(names, values, steps, sizes, strict=True))
    )


def critical(values: Array, level: float) -> float:
    """Return the value that an observed distance must exceed for p <= level; infinity if no value is large enough."""
    allowed = math.floor(level * len(values) + 1e-9) - 1
    if allowed < 0:
        return math.inf
    ordered: Array = np.sort(values[1:])
    return float(ordered[max(len(ordered) - 1 - allowed, 0)])


# Statistics


def _mean(series: Array) -> Array:
    return series.mean(1, keepdims=True)


@dataclass(frozen=True)
class Statistic:
    """A statistic in which two models' games are compared.

    `series(games)` has a row for each game. `measure(series, splits)` returns the distance of the sides for each split,
    shape (splits,). `reduce(series)` has shape (games, K); the column whose means differ most clearly is reported, in
    its unit.
    """

    name: str
    series: Callable[[Results], Array]
    units: Sequence[str]
    measure: Callable[[Array, Array], Array]
    reduce: Callable[[Array], Array] = _mean


def energy(values: Array, splits: Array) -> Array:
    """Return the sides' energy distance, averaged over columns, shape (splits,).

    `values` are whole numbers, shape (2n, columns). Source: Szekely and Rizzo, Journal of Statistical Planning and
    Inference 143 (2013), section 2.
    """
    low, high = values.min(0), values.max(0)
    steps = [values[:, i] <= step for i in range(values.shape[1]) for step in range(int(low[i]), int(high[i]))]
    if not steps:
        return np.zeros(len(splits))
    table = np.stack(steps, 1).astype(np.float32)  # sums of 0 and 1 are exact
    n = len(values) // 2
    apart = (2 * (splits.astype(np.float32) @ table) - table.sum(0)) / n
    return 2 * np.einsum("ij,ij->i", apart, apart) / values.shape[1]


def memory(series: Array, splits: Array) -> Array:
    """Return the root mean square difference of the sides' autocorrelations at lags 1 to 7, shape (splits,).

    It is in standard errors. `series` has shape (2n, phases).
    """
    sums = lag_sums(series.astype(float))
    first = splits.astype(float) @ sums
    apart = correlations(first, series.shape[1]) - correlations(sums.sum(0) - first, series.shape[1])
    spread = apart.std(0)
    return np.sqrt(np.mean((apart / np.where(spread > 0, spread, 1)) ** 2, 1))


def lag_sums(x: Array) -> Array:
    """Return columns, shape (games, K), whose sums over games determine the autocorrelations.

    They are 1, `x`, and for each lag the sums of now * later, now squared, later squared.
    """
    columns = [np.ones((len(x), 1)), x]
    for now, later in lagged(x):
        columns += [product.sum(1, keepdims=True) for product in (now * later, now**2, later**2)]
    return np.hstack(columns)


def correlations(sums: Array, phases: int) -> Array:
    """Return autocorrelations about each phase's mean over games, shape (B, lags); 0 where nothing varies.

    `sums` has B sums over games of the columns of `lag_sums`. Source: Diggle et al., Analysis of Longitudinal Data,
    2002, section 3.4.
    """
    count, x, products = sums[:, :1], sums[:, 1 : 1 + phases], sums[:, 1 + phases :]
    by_lag: list[Array] = []
    for i, (now, later) in enumerate(lagged(x)):
        by_chance = [(a * b / count).sum(1) for a, b in ((now, later), (now, now), (later, later))]
        cross, first, second = (products[:, 3 * i + j] - by_chance[j] for j in range(3))
        scale = np.sqrt(np.maximum(first, 0) * np.maximum(second, 0))
        varies = scale > 1e-9
        by_lag.append(np.where(varies, cross / np.where(varies, scale, 1), 0))
    return np.stack(by_lag, 1) if by_lag else np.zeros((len(sums), 0))


def lagged(series: Array) -> list[tuple[Array, Array]]:
    """Return for lags 1 to 7 the columns that have a later one, and those later ones, shape (games, columns - lag)."""
    return [(series[:, :-lag], series[:, lag:]) for lag in range(1, min(LAGS, series.shape[1] - 1) + 1)]


def by_phase(figure: Figure) -> Callable[[Results], Array]:
    """Return what computes `figure` for every phase of games, shape (games, phases)."""
    return lambda games: figure.by_phase(games)


def memory_parts(series: Array) -> Array:
    """Return the autocorrelation r plus each game's influence on it, shape (games, lags).

    The mean over games is r, and its standard error that of r, to first order. Source: Efron and Tibshirani, An
    Introduction to the Bootstrap, 1993, section 21.3.
    """
    x = series - series.mean(0)
    by_lag: list[Array] = []
    for now, later in lagged(x):
        cross, first, second = ((a * b).sum(1) for a, b in ((now, later), (now, now), (later, later)))
        scale = math.sqrt(float(first.mean() * second.mean()))
        if scale <= 1e-9:
            by_lag.append(np.zeros(len(x)))
            continue
        r = float(cross.mean()) / scale
        by_lag.append(r + cross / scale - r / 2 * (first / first.mean() + second / second.mean()))
    return np.stack(by_lag, 1) if by_lag else np.zeros((len(x), 0))


SERIES: Mapping[str, Callable[[Results], Array]] = {"inside": by_phase(INSIDE), "cubes out": by_phase(OUT)}


def statistics(plan: Plan) -> tuple[Statistic, ...]:
    """Return the statistics in which games of `plan` are compared: those of every tower, and the game's own."""
    width = len(plan.colours)
    lags = [f"autocorrelation at lag {lag}" for lag in range(1, min(LAGS, plan.drops - 2) + 1)]
    colours = [f"phases of a game in which {colour} comes out" for colour in plan.colours]
    return (
        Statistic("inside by phase", SERIES["inside"], ["cubes inside after a phase"], energy),
        Statistic(INSIDE_SETUP.title, _by_game(INSIDE_SETUP), [f"cubes {INSIDE_SETUP.title}"], energy),
        Statistic("cubes out by phase", SERIES["cubes out"], ["cubes out of a phase"], energy),
        Statistic(
            "colours out by phase",
            lambda games: (games.out[:, 1:] > 0).reshape(len(games), -1).astype(int),
            colours,
            energy,
            lambda series: series.reshape(len(series), -1, width).sum(1),
        ),
        *(Statistic(f"autocorrelation of {name}", x, lags, memory, memory_parts) for name, x in SERIES.items()),
        *(Statistic(f"{x.title} by phase", by_phase(x), [f"{x.title} in a phase"], energy) for x in plan.figures),
        Statistic(SKIPPED.title, _by_game(SKIPPED), [f"{SKIPPED.title} of a game"], energy),
    )


def _by_game(figure: Figure) -> Callable[[Results], Array]:
    return lambda games: figure.value(games)[:, None]
