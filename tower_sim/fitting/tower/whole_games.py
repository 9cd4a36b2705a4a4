"""Whole games of both models: what tells them apart, by figures and by a classifier."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tower_sim.campaign import Campaign
from tower_sim.errors import UsageError, check_whole, fault
from tower_sim.fitting.numerics import LEVEL
from tower_sim.fitting.tower.data import unseen
from tower_sim.fitting.tower.distances import (
    SERIES,
    Distance,
    draw_splits,
    lagged,
    list_distances,
    memory_parts,
    statistics,
)
from tower_sim.results import (
    EVERY,
    INSIDE,
    OUT,
    SKIPPED,
    Array,
    Estimate,
    Estimates,
    Plan,
    Results,
    average,
    averages,
    clopper_pearson,
    student_quantile,
    wilson,
)
from tower_sim.surrogate import Fitted
from tower_sim.tools import extra, nothing

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


def tell_apart(physics: Results, surrogate: Results, rng: np.random.Generator) -> Classification:
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
    make_pair: Callable[[np.random.Generator], tuple[Results, Results]],
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


def features(games: Results) -> tuple[tuple[str, ...], Array]:
    """Return the names of the features and their values, shape (games, features), float32.

    - For each phase: how many cubes of the colours that it throws are thrown.
    - For each drop: how many cubes of each colour come out, and are inside afterwards.
    - For phases 1 to 7 apart: the products of the numbers thrown, out and inside.
    - For each game: sums, shares, and mean lagged products of deviations from the game's mean.
    """
    series = {
        "thrown": _own(games.thrown[:, 1:], games),
        "out": OUT.by_phase(games),
        "inside": INSIDE.by_phase(games),
    }
    series = {name: values.astype(float) for name, values in series.items()}
    columns = _by_game(games, series)
    columns |= {f"thrown in phase {i + 1}": column for i, column in enumerate(series["thrown"].T)}
    for what, table in (("out of", games.out), ("inside after", games.inside)):
        for drop in range(games.plan.drops):
            for i, colour in enumerate(games.plan.colours):
                columns[f"{colour} {what} drop {drop}"] = table[:, drop, i]
    for name, x in series.items():
        for lag, (now, later) in enumerate(lagged(x), start=1):
            for i, column in enumerate((now * later).T):
                columns[f"{name} in phase {i + 1} times phase {i + 1 + lag}"] = column
    return tuple(columns), np.stack(list(columns.values()), 1).astype(np.float32)


def _by_game(games: Results, series: dict[str, Array]) -> dict[str, Array]:
    own_out, before = _own(games.out[:, 1:], games), games.inside[:, :-1]
    own_before = _own(before, games)
    other_out = (series["out"] - own_out).sum(1)
    other_before = (before.sum(-1) - own_before).sum(1)
    thrown, first, first_out = series["thrown"].sum(1), games.thrown[:, 0].sum(-1), games.out[:, 0].sum(-1)
    residents = _share(other_out, other_before)
    released = own_out.sum(1) - residents * own_before.sum(1)
    columns: dict[str, Array] = {
        "own colour's share out": _share(own_out.sum(1), thrown),
        "residents' share out": residents,
        "thrown cubes' share out of phases": _share(released, thrown),
        "share out of the set-up": _share(first_out, first),
        "thrown cubes' share out of the game": _share(released + first_out, thrown + first),
        **{f"{own.title} of the game": own.by_phase(games).sum(1) for own in games.plan.figures},
        SKIPPED.title: SKIPPED.value(games),
    }
    for name, x in series.items():
        columns[f"mean {name}"], columns[f"spread of {name}"] = x.mean(1), x.std(1)
        for lag, (now, later) in enumerate(lagged(x - x.mean(1, keepdims=True)), start=1):
            columns[f"{name}, lagged product {lag}"] = (now * later).mean(1)
    return columns


def _own(table: Array, games: Results) -> Array:
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


PERMUTATIONS = 5000
FEWEST = 10  # games a side
INSIDE_WITHIN, OUT_WITHIN = 0.3, 0.1  # cubes: how close the means of a good surrogate must be
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class ComparedMean:
    """A mean over games and phases for both models, in cubes; `difference` is surrogate minus physics.

    `needed` is roughly how many physics games give an interval of the difference within `within`.
    """

    name: str
    physics: Estimate
    surrogate: Estimate
    difference: Estimate
    within: float
    needed: int

    @property
    def is_close(self) -> bool:
        """Whether the whole interval of the difference is closer to 0 than `within`."""
        return -self.within < self.difference.low and self.difference.high < self.within

    @property
    def is_apart(self) -> bool:
        """Whether the whole interval of the difference is at least `within` from 0."""
        return self.difference.low >= self.within or self.difference.high <= -self.within


@dataclass(frozen=True)
class Autocorrelation:
    """The autocorrelation of one series at lags 1 to 7, for both models."""

    name: str
    physics: Estimates
    surrogate: Estimates


@dataclass(frozen=True, eq=False)
class WholeGames:
    """The comparison of two models' games.

    The permutation tests used `compared` games on each side. `fans` has QUANTILES of the number inside after each drop,
    shape (2, 5, drops): physics, then the surrogate.
    """

    physics: int
    surrogate: int
    compared: int
    permutations: int
    distances: Sequence[Distance]
    means: Sequence[ComparedMean]
    curves: Sequence[Autocorrelation]
    fans: Array


def compare_games(
    physics: Results, surrogate: Results, rng: np.random.Generator, permutations: int = PERMUTATIONS
) -> WholeGames:
    """Compare two models' games.

    Random, from `rng`, are the games left out of the larger side, and the permutations.
    """
    check_pair(physics, surrogate)
    measures = statistics(physics.plan)
    if permutations < len(measures) / LEVEL:
        raise fault("permutations", permutations, f"a whole number from {math.ceil(len(measures) / LEVEL)}")
    a, b = balance(physics, surrogate, rng)
    splits = draw_splits(len(a), permutations, rng)
    values = [x.measure(np.concatenate([x.series(a), x.series(b)]), splits) for x in measures]
    sizes = [clearest(x.reduce(x.series(physics)), x.reduce(x.series(surrogate)), x.units) for x in measures]
    return WholeGames(
        physics=len(physics),
        surrogate=len(surrogate),
        compared=len(a),
        permutations=permutations,
        distances=list_distances([x.name for x in measures], values, sizes),
        means=means(physics, surrogate),
        curves=[
            Autocorrelation(name, *(averages(memory_parts(series(games))) for games in (physics, surrogate)))
            for name, series in SERIES.items()
        ],
        fans=np.stack([np.quantile(games.inside.sum(-1), QUANTILES, axis=0) for games in (physics, surrogate)]),
    )


def means(physics: Results, surrogate: Results) -> list[ComparedMean]:
    """Return the means of the number inside after a phase and of the number out in one."""
    pairs: list[ComparedMean] = []
    for figure, within in ((INSIDE, INSIDE_WITHIN), (OUT, OUT_WITHIN)):
        a, b = (figure.value(games) for games in (physics, surrogate))
        needed = math.ceil((1.96 * float(a.std(ddof=1)) / within) ** 2) + 2  # 2: about the addition for Student's t
        pairs.append(ComparedMean(figure.title, average(a), average(b), difference(a, b), within, needed))
    return pairs


def check_pair(physics: Results, surrogate: Results) -> None:
    """Raise UsageError unless both sides have one plan of at least two drops, and at least 10 games each."""
    if physics.plan != surrogate.plan:
        raise fault("plan of the surrogate's games", surrogate.plan, "that of the physics games", "play that")
    if physics.plan.drops < 2:
        raise fault("drops of a game", physics.plan.drops, "2 or more, the set-up and a phase", "set rounds = 1")
    fewest = min(len(physics), len(surrogate))
    if fewest < FEWEST:
        raise fault("games on one side", fewest, f"{FEWEST} or more", "play more")


def balance(physics: Results, surrogate: Results, rng: np.random.Generator) -> tuple[Results, Results]:
    """Return equally many games of both sides, drawn without replacement."""
    n = min(len(physics), len(surrogate))
    first, second = (
        games if len(games) == n else games.take(np.sort(rng.permutation(len(games))[:n]))
        for games in (physics, surrogate)
    )
    return first, second


def difference(a: Array, b: Array, level: float = LEVEL) -> Estimate:
    """Return mean(b) - mean(a) with Welch's interval of confidence 1 - `level`; its n is that of both samples together.

    Source: Welch, Biometrika 34 (1947).
    """
    one, two = (float(side.var(ddof=1)) / len(side) for side in (a, b))
    mean, variance = float(b.mean() - a.mean()), one + two
    if variance == 0:
        return Estimate(mean, mean, mean, len(a) + len(b))
    freedom = variance**2 / (one**2 / (len(a) - 1) + two**2 / (len(b) - 1))
    reach = float(student_quantile(np.array(freedom), 1 - level / 2)) * math.sqrt(variance)
    return Estimate(mean, mean - reach, mean + reach, len(a) + len(b))


def clearest(a: Array, b: Array, units: Sequence[str]) -> tuple[Estimate, str]:
    """Return the difference of means in the column where it is clearest, and the column's unit.

    `a` and `b` have shape (games, columns). The interval is corrected for the choice of the column (Bonferroni).
    """
    if not units:
        return Estimate(0.0, math.nan, math.nan, len(a) + len(b)), "no lag"
    differences = [difference(a[:, i], b[:, i], LEVEL / len(units)) for i in range(len(units))]
    clear = [abs(difference.value) / max(difference.high - difference.value, 1e-12) for difference in differences]
    at = clear.index(max(clear))
    return differences[at], units[at]


# Games of a campaign


def list_finished_runs(campaign: Campaign) -> Array:
    """Return the numbers of the campaign's games that were played to the end, shape (games,)."""
    drops = np.bincount(campaign.rows.run, minlength=campaign.runs)
    return np.flatnonzero((drops == _find_plan(campaign).drops) & ~campaign.unfinished)


def list_unseen_games(campaign: Campaign, fitted: Fitted) -> Array:
    """Return the numbers of the finished games that a surrogate was not fitted to, shape (games,)."""
    return np.intersect1d(list_finished_runs(campaign), np.flatnonzero(unseen(campaign, fitted)))


def read_games(campaign: Campaign, runs: Array | None = None) -> Results:
    """Return the campaign's finished games in the order of runs, or only those among `runs`."""
    plan, drops = _find_plan(campaign), campaign.rows
    if strange := sorted(set(campaign.colours) - set(plan.colours)):
        raise fault("colours of the campaign", strange, f"among {', '.join(plan.colours)}", "verify the campaign")
    chosen = list_finished_runs(campaign)
    if runs is not None:
        chosen = np.intersect1d(chosen, runs)
    of_plan = [plan.colours.index(colour) for colour in campaign.colours]
    # Drops are sorted by run and number, so those of a finished game follow one another.
    rows = np.flatnonzero(np.isin(drops.run, chosen))

    def counts(name: str) -> Array:
        table = np.zeros((len(rows), len(plan.colours)), np.int16)
        table[:, of_plan] = campaign.by_colour[name][rows]
        return table.reshape(len(chosen), plan.drops, len(plan.colours))

    return Results.of_counts({name: counts(name) for name in campaign.by_colour}, plan=plan)


def _find_plan(campaign: Campaign) -> Plan:
    game = campaign.game
    plan = game and game.plan(game.read({name: campaign.spec[name] for name in game.tables if name in campaign.spec}))
    if plan is None:
        raise UsageError(f"campaign is of {campaign.unit}s; allowed is one of games; run one with game = 'amerigo'")
    varied = sorted({key for point in campaign.points for key in point if key.startswith("rules")})
    if varied:
        raise fault("fields of vary.fields", varied, "any but those of rules", "run one campaign for each")
    return plan
