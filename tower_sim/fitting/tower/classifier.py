"""A classifier two-sample test: can a gradient-boosted classifier tell the surrogate's games from physics games?

Sources: Lopez-Paz and Oquab, Revisiting classifier two-sample tests, ICLR 2017; Ke et al., LightGBM, NIPS 2017, for
histogram-based boosting as in scikit-learn.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tower_sim.errors import check_whole
from tower_sim.fitting.numerics import LEVEL
from tower_sim.fitting.tower.distances import lagged
from tower_sim.fitting.tower.whole_games import balance, check_pair, difference
from tower_sim.runs.array import EVERY, Array, Runs
from tower_sim.runs.tower import INSIDE, OUT, SKIPPED
from tower_sim.statistics import Estimate, clopper_pearson, wilson
from tower_sim.tools.extras import extra
from tower_sim.tools.progress import nothing

_special: Any = importlib.import_module("scipy.special")  # has no type stubs

ENOUGH = 300  # games on each side; the claims about the test's power are for so many
FOLDS = 5
ACCURACY_BELOW, ACCURACY_STRETCH = 0.60, 0.55  # upper limits for the interval of the accuracy
SHIFT = 0.03  # added to every thrown cube's probability of coming out; the test has to detect it
POWER = 0.9  # the least share of trials in which it has to be detected
MOST_DIFFERENT = 5  # features reported
# Small trees, strongly shrunk: with hundreds of games and a thousand features, larger ones learn noise.
SETTINGS = {"max_iter": 80, "learning_rate": 0.05, "max_leaf_nodes": 4, "max_bins": 32, "early_stopping": False}
# Variance of the accuracy relative to independent coin tosses, for samples of one model. The games of a fold share a
# classifier, and the classifiers share most of their games. A long test counts the false alarms that follow.
DEPENDENCE = 1.5


@dataclass(frozen=True)
class DifferentFeature:
    """A feature whose means differ: surrogate minus physics, and `z` in standard errors without correction."""

    feature: str
    difference: Estimate
    z: float


@dataclass(frozen=True)
class Classification:
    """How often a classifier recognises the model of games that it was not trained on, with `games` on each side.

    `accuracy` has Wilson's interval for two thirds of the answers (see DEPENDENCE). `p` is the probability of so high
    an accuracy by tossing coins.

    Sources: Wilson, JASA 22 (1927); Bengio and Grandvalet, Journal of Machine Learning Research 5 (2004).
    """

    games: int
    features: int
    accuracy: Estimate
    p: float
    different: Sequence[DifferentFeature]

    @property
    def differs(self) -> bool:
        """Whether `p` is at most 0.05."""
        return self.p <= LEVEL


@dataclass(frozen=True)
class Power:
    """How often the test flagged a known difference; `rate` has Clopper and Pearson's interval."""

    games: int
    hits: int
    trials: int
    rate: Estimate


def tell_apart(physics: Runs, surrogate: Runs, rng: np.random.Generator) -> Classification:
    """Train classifiers on four fifths of both models' games and test them on the last fifth, five times.

    Random, from `rng`, are the games left out of the larger side, and the folds.
    """
    check_pair(physics, surrogate)
    a, b = balance(physics, surrogate, rng)
    names, first = features(a)
    second = features(b)[1]
    right = _right(np.concatenate([first, second]), np.repeat([0, 1], len(a)), rng)
    hits, games = int(right.sum()), len(right)
    return Classification(
        games=len(a),
        features=len(names),
        accuracy=wilson(hits, games, games / DEPENDENCE),
        p=float(_special.bdtrc(hits - 1, games, 0.5)) if hits else 1.0,
        different=_find_different(names, first, second),
    )


def power(
    make_pair: Callable[[np.random.Generator], tuple[Runs, Runs]],
    trials: int,
    rng: np.random.Generator,
    note: Callable[[], None] = nothing,
) -> Power:
    """Count how many of `trials` pairs of samples from `make_pair(rng)` the test flags; `note` is called after each."""
    check_whole("trials", trials, 1)
    tests: list[Classification] = []
    for stream in rng.spawn(trials):
        tests.append(tell_apart(*make_pair(stream), stream))
        note()
    hits = sum(test.differs for test in tests)
    return Power(min(test.games for test in tests), hits, trials, clopper_pearson(hits, trials))


# Features


def features(games: Runs) -> tuple[tuple[str, ...], Array]:
    """Return the names of the features and their values, shape (games, features), float32.

    - For each phase: how many cubes of the colours that it throws are thrown.
    - For each drop: how many cubes of each colour come out, and are inside afterwards.
    - For phases 1 to 7 apart: the products of the numbers thrown, out and inside.
    - For each game: sums, shares, and mean lagged products of deviations from the game's mean.
    """
    series = {
        "thrown": _own(games.thrown[:, 1:], games),
        "out": OUT.by_phase(games.by_drop),
        "inside": INSIDE.by_phase(games.by_drop),
    }
    series = {name: values.astype(float) for name, values in series.items()}
    columns = _by_game(games, series)
    columns |= {f"thrown in phase {i + 1}": column for i, column in enumerate(series["thrown"].T)}
    for what, table in (("out of", games.emerged), ("inside after", games.inside)):
        for drop in range(games.plan.drops):
            for i, colour in enumerate(games.plan.colours):
                columns[f"{colour} {what} drop {drop}"] = table[:, drop, i]
    for name, x in series.items():
        for lag, (now, later) in enumerate(lagged(x), start=1):
            for i, column in enumerate((now * later).T):
                columns[f"{name} in phase {i + 1} times phase {i + 1 + lag}"] = column
    return tuple(columns), np.stack(list(columns.values()), 1).astype(np.float32)


def _by_game(games: Runs, series: dict[str, Array]) -> dict[str, Array]:
    own_out, before = _own(games.emerged[:, 1:], games), games.inside[:, :-1]
    own_before = _own(before, games)
    other_out = (series["out"] - own_out).sum(1)
    other_before = (before.sum(-1) - own_before).sum(1)
    thrown, first, first_out = series["thrown"].sum(1), games.thrown[:, 0].sum(-1), games.emerged[:, 0].sum(-1)
    residents = _share(other_out, other_before)
    released = own_out.sum(1) - residents * own_before.sum(1)
    columns: dict[str, Array] = {
        "own colour's share out": _share(own_out.sum(1), thrown),
        "residents' share out": residents,
        "thrown cubes' share out of phases": _share(released, thrown),
        "share out of the set-up": _share(first_out, first),
        "thrown cubes' share out of the game": _share(released + first_out, thrown + first),
        **{f"{own.title} of the game": own.by_phase(games.by_drop).sum(1) for own in games.plan.figures},
        SKIPPED.title: SKIPPED.value(games.by_drop),
    }
    for name, x in series.items():
        columns[f"mean {name}"], columns[f"spread of {name}"] = x.mean(1), x.std(1)
        for lag, (now, later) in enumerate(lagged(x - x.mean(1, keepdims=True)), start=1):
            columns[f"{name}, lagged product {lag}"] = (now * later).mean(1)
    return columns


def _own(table: Array, games: Runs) -> Array:
    throws = np.array(games.plan.throws[1:])[:, None]
    is_own = (throws == EVERY) | (throws == np.arange(len(games.plan.colours)))
    return (table * is_own).sum(-1).astype(float)


def _share(part: Array, of: Array) -> Array:
    return part / np.maximum(of, 1)


def _find_different(names: Sequence[str], a: Array, b: Array) -> tuple[DifferentFeature, ...]:
    spread = np.sqrt(a.var(0, ddof=1) / len(a) + b.var(0, ddof=1) / len(b))
    z = (b.mean(0) - a.mean(0)) / np.where(spread > 0, spread, np.inf)
    best: list[int] = np.argsort(-np.abs(z), kind="stable")[:MOST_DIFFERENT].tolist()
    apart = [difference(a[:, i].astype(float), b[:, i].astype(float)) for i in best]
    return tuple(DifferentFeature(names[i], by, float(z[i])) for i, by in zip(best, apart, strict=True))


# Cross-validation


def _right(x: Array, y: Array, rng: np.random.Generator) -> Array:
    ensemble: Any = extra("sklearn.ensemble", "surrogate")
    threads: Any = extra("threadpoolctl", "surrogate")
    fold = np.zeros(len(y), int)
    for side in (0, 1):
        members = np.flatnonzero(y == side)
        fold[members] = rng.permutation(np.arange(len(members)) % FOLDS)
    guesses = np.zeros(len(y), int)
    with threads.threadpool_limits(1):  # sums are in the same order on every machine
        for held in range(FOLDS):
            model = ensemble.HistGradientBoostingClassifier(random_state=0, **SETTINGS)
            guesses[fold == held] = model.fit(x[fold != held], y[fold != held]).predict(x[fold == held])
    return guesses == y
