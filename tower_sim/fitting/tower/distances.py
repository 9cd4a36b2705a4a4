"""Distances between the games of two models, each with its permutation distribution and Holm's correction.

The permutations exchange whole games, since the drops of one game are not independent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tower_sim.runs.array import Array, Plan, Runs
from tower_sim.runs.figure import Figure
from tower_sim.runs.tower import INSIDE, INSIDE_SETUP, OUT, SKIPPED
from tower_sim.statistics import Estimate, holm

LEVEL = 0.05  # probability of flagging any distance if the models are equal
LAGS = 7  # drops; at the last lag the same colour is thrown again


@dataclass(frozen=True)
class Distance:
    """The distance between the two models' games in one statistic.

    `quantile` is the critical value at the level at which Holm's procedure tests this distance; `single` is the 95 %
    quantile without correction. `p` is the permutation p value and `adjusted` Holm's. `size` is a difference of means,
    surrogate minus physics, in `unit`.
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
        """Whether the distance exceeds its corrected quantile; equivalently, `adjusted` is at most 0.05."""
        return self.adjusted <= LEVEL


def random_splits(n: int, count: int, rng: np.random.Generator) -> Array:
    """Return which of 2n games are on the first side, shape (1 + count, 2n).

    The first row is the observed split; `count` random splits follow.
    """
    observed = np.repeat([True, False], n)
    return np.concatenate([observed[None], rng.permuted(np.tile(observed, (count, 1)), axis=1)])


def corrected(
    names: Sequence[str], values: Sequence[Array], sizes: Sequence[tuple[Estimate, str]]
) -> tuple[Distance, ...]:
    """Return the distances of several statistics with Holm's correction.

    Each of `values` has the observed distance first, then the distances of random splits. p is (1 + number of random
    splits with at least this distance) / (1 + number of random splits).

    Sources: Holm, Scandinavian Journal of Statistics 6 (1979); Phipson and Smyth, Statistical Applications in Genetics
    and Molecular Biology 9 (2010), for p.
    """
    # Equal splits may differ in the last bit if sums are not of whole numbers.
    p = [float((drawn >= drawn[0] * (1 - 1e-9)).mean()) for drawn in values]
    adjusted: list[float] = holm(p).tolist()
    seen = len([value for value in adjusted if value <= LEVEL])
    order: list[int] = np.argsort(p, kind="stable").tolist()
    # A distance that is not significant is compared with the level at which the procedure stopped.
    steps = [len(p) - min(order.index(i), seen) for i in range(len(p))]
    return tuple(
        Distance(name, float(drawn[0]), critical(drawn, LEVEL / step), critical(drawn, LEVEL), p[i], adjusted[i], *size)
        for i, (name, drawn, step, size) in enumerate(zip(names, values, steps, sizes, strict=True))
    )


def critical(values: Array, level: float) -> float:
    """Return the value that an observed distance must exceed for p <= level; infinity if no value is large enough.

    `values` has the observed distance first, then the distances of random splits.
    """
    allowed = math.floor(level * len(values) + 1e-9) - 1
    if allowed < 0:
        return math.inf
    ordered: Array = np.sort(values[1:])
    return float(ordered[max(len(ordered) - 1 - allowed, 0)])


# Statistics


@dataclass(frozen=True)
class Statistic:
    """A statistic in which two models' games are compared.

    `distance(a, b, splits)` returns the distance for each split of the games of both, shape (splits,). `sizes(games)`
    has shape (games, K). The difference of its means over games is reported, column k in `units[k]`; of several
    columns, the one with the clearest difference.
    """

    name: str
    distance: Callable[[Runs, Runs, Array], Array]
    sizes: Callable[[Runs], Array]
    units: Sequence[str]


def energy(values: Array, splits: Array) -> Array:
    """Return the energy distance between the two sides' distributions, averaged over columns, shape (splits,).

    `values` are whole numbers, shape (2n, columns). `splits` says which games are on the first side. In one dimension
    the energy distance is twice the integral of the squared difference of the distribution functions, in the units of
    `values`.

    Source: Szekely and Rizzo, Journal of Statistical Planning and Inference 143 (2013), section 2.
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
    """Return the difference of the sides' autocorrelations, as a root mean square over lags, shape (splits,).

    The differences are in standard errors, estimated from the splits. `series` has shape (2n, phases). Lags are 1 to 7,
    or as many as there are.
    """
    sums = lag_sums(series.astype(float))
    first = splits.astype(float) @ sums
    apart = correlations(first, series.shape[1]) - correlations(sums.sum(0) - first, series.shape[1])
    spread = apart.std(0)
    return np.sqrt(np.mean((apart / np.where(spread > 0, spread, 1)) ** 2, 1))


def lag_sums(x: Array) -> Array:
    """Return columns for each game whose sums over games determine the autocorrelations, shape (games, K).

    The columns are 1, `x`, and for each lag the sums of three products: now * later, now squared, later squared.
    """
    columns = [np.ones((len(x), 1)), x]
    for lag in _lags(x.shape[1]):
        now, later = x[:, :-lag], x[:, lag:]
        columns += [product.sum(1, keepdims=True) for product in (now * later, now**2, later**2)]
    return np.hstack(columns)


def correlations(sums: Array, phases: int) -> Array:
    """Return autocorrelations about each phase's mean over games, shape (B, lags); 0 where nothing varies.

    `sums` are B sums over games of the columns of `lag_sums`, shape (B, K).

    Source: Diggle et al., Analysis of Longitudinal Data, 2002, section 3.4.
    """
    count, x, products = sums[:, :1], sums[:, 1 : 1 + phases], sums[:, 1 + phases :]
    by_lag: list[Array] = []
    for i, lag in enumerate(_lags(phases)):
        now, later = x[:, :-lag], x[:, lag:]
        by_chance = [(a * b / count).sum(1) for a, b in ((now, later), (now, now), (later, later))]
        cross, first, second = (products[:, 3 * i + j] - by_chance[j] for j in range(3))
        scale = np.sqrt(np.maximum(first, 0) * np.maximum(second, 0))
        varies = scale > 1e-9
        by_lag.append(np.where(varies, cross / np.where(varies, scale, 1), 0))
    return np.stack(by_lag, 1) if by_lag else np.zeros((len(sums), 0))


def _lags(phases: int) -> range:
    return range(1, min(LAGS, phases - 1) + 1)


def by_phase(figure: Figure) -> Callable[[Runs], Array]:
    """Return a function that computes `figure` for every phase of games, shape (games, phases)."""
    return lambda games: figure.by_phase(games.by_drop)


def _law(name: str, columns: Callable[[Runs], Array], unit: str) -> Statistic:
    """Return the statistic that compares the distributions of `columns(games)`, shape (games, columns).

    The reported size is the difference of their means.
    """
    return Statistic(
        name,
        lambda a, b, splits: energy(np.concatenate([columns(a), columns(b)]), splits),
        lambda games: columns(games).mean(1, keepdims=True),
        [unit],
    )


def _memory(name: str, series: Callable[[Runs], Array], phases: int) -> Statistic:
    """Return the statistic that compares the autocorrelations of a series."""
    return Statistic(
        name,
        lambda a, b, splits: memory(np.concatenate([series(a), series(b)]), splits),
        lambda games: memory_parts(series(games)),
        [f"autocorrelation at lag {lag}" for lag in _lags(phases)],
    )


def memory_parts(series: Array) -> Array:
    """Return a value for each game and lag, shape (games, lags), whose mean over games is the autocorrelation.

    The standard error of this mean is that of the autocorrelation, to first order. Each value is r plus the influence
    of its game on r.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 21.3.
    """
    x = series - series.mean(0)
    by_lag: list[Array] = []
    for lag in _lags(x.shape[1]):
        now, later = x[:, :-lag], x[:, lag:]
        cross, first, second = ((a * b).sum(1) for a, b in ((now, later), (now, now), (later, later)))
        scale = math.sqrt(float(first.mean() * second.mean()))
        if scale <= 1e-9:
            by_lag.append(np.zeros(len(x)))
            continue
        r = float(cross.mean()) / scale
        by_lag.append(r + cross / scale - r / 2 * (first / first.mean() + second / second.mean()))
    return np.stack(by_lag, 1) if by_lag else np.zeros((len(x), 0))


def _which(games: Runs) -> Array:
    """Return whether a cube of each colour came out in each phase, shape (games, phases * colours), as 0 or 1."""
    return (games.emerged[:, 1:] > 0).reshape(len(games), -1).astype(int)


def _which_colours(colours: Sequence[str]) -> Statistic:
    """Return the statistic that compares which colours come out in each phase."""
    return Statistic(
        "colours out by phase",
        lambda a, b, splits: energy(np.concatenate([_which(a), _which(b)]), splits),
        lambda games: (games.emerged[:, 1:] > 0).sum(1),
        [f"phases of a game in which {colour} comes out" for colour in colours],
    )


SERIES: Mapping[str, Callable[[Runs], Array]] = {"inside": by_phase(INSIDE), "cubes out": by_phase(OUT)}


def statistics(plan: Plan) -> tuple[Statistic, ...]:
    """Return the statistics that are compared for games of `plan`: those of every tower, and the game's own."""
    return (
        _law("inside by phase", by_phase(INSIDE), "cubes inside after a phase"),
        _law(INSIDE_SETUP.title, _of_game(INSIDE_SETUP), f"cubes {INSIDE_SETUP.title}"),
        _law("cubes out by phase", by_phase(OUT), "cubes out of a phase"),
        _which_colours(plan.colours),
        *(_memory(f"autocorrelation of {name}", series, plan.drops - 1) for name, series in SERIES.items()),
        *(_law(f"{own.title} by phase", by_phase(own), f"{own.title} in a phase") for own in plan.figures),
        _law(SKIPPED.title, _of_game(SKIPPED), f"{SKIPPED.title} of a game"),
    )


def _of_game(figure: Figure) -> Callable[[Runs], Array]:
    """Return a function that computes `figure` for every game, shape (games, 1)."""
    return lambda games: figure.value(games.by_drop)[:, None]
