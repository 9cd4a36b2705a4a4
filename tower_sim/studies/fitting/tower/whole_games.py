"""Whole games of both models: the figures in which they are compared, and whether a classifier tells them apart."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tower_sim.campaign import Campaign
from tower_sim.errors import UsageError, check_whole, fault
from tower_sim.results import (
    EVERY,
    INSIDE,
    INSIDE_SETUP,
    OUT,
    SKIPPED,
    Array,
    Estimate,
    Plan,
    Results,
    averages,
    clopper_pearson,
    difference,
    wilson,
)
from tower_sim.studies.fitting.compared import LEVEL, PERMUTATIONS, Measured, SideBySide, compare
from tower_sim.studies.fitting.tower.data import unseen
from tower_sim.surrogate import Fitted
from tower_sim.tools import extra, nothing

_special: Any = importlib.import_module("scipy.special")  # has no type stubs

LAGS = 7  # drops; at the last lag the same colour is thrown again
FEWEST = 10  # games a side
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


# Figures


def compare_games(
    physics: Results, surrogate: Results, rng: np.random.Generator, permutations: int = PERMUTATIONS
) -> tuple[SideBySide, ...]:
    """Compare two models' games; as many of both are tested.

    Random, from `rng`, are the games left out of the tests, the permutations and the intervals.
    """
    (_, first), (_, second) = balance(physics, surrogate, rng)
    games, is_physics = Results.together([physics, surrogate]), np.repeat([True, False], [len(physics), len(surrogate)])
    tested = np.concatenate([first, len(physics) + second])
    strata = np.zeros(len(games), int)
    return compare(list_figures(games, is_physics), is_physics, strata, rng, permutations, tested)


def balance(physics: Results, surrogate: Results, rng: np.random.Generator) -> Sequence[tuple[Results, Array]]:
    """Return both sides with the numbers of equally many of their games, drawn without replacement.

    Raises UsageError unless both have one plan of at least two drops, and at least 10 games each.
    """
    sides = (physics, surrogate)
    n = min(map(len, sides))
    if physics.plan != surrogate.plan:
        raise fault("plan of the surrogate's games", surrogate.plan, "that of the physics games", "play that")
    if physics.plan.drops < 2:
        raise fault("drops of a game", physics.plan.drops, "2 or more, the set-up and a phase", "set rounds = 1")
    if n < FEWEST:
        raise fault("games on one side", n, f"{FEWEST} or more", "play more")
    every = (np.arange(len(games)) for games in sides)
    chosen = (all_ if len(all_) == n else np.sort(rng.permutation(len(all_))[:n]) for all_ in every)
    return [*zip(sides, chosen, strict=True)]


def list_figures(games: Results, is_physics: Array) -> list[Measured]:
    """Return the figures of every tower, and the game's own, of games of both models."""
    ones = np.ones((len(games), 1))
    figures = [
        Measured(figure.title, figure.unit, [""], values.mean(1, keepdims=True), ones, steps(values))
        for figure, values in (
            *((figure, figure.by_phase(games)) for figure in (INSIDE, OUT, *games.plan.figures)),
            *((figure, figure.value(games)[:, None]) for figure in (INSIDE_SETUP, SKIPPED)),
        )
    ]
    colours = games.each_colour("out")[:, 1:] > 0
    phases, unit = colours.sum(1), "phases of a game in which it comes out"
    each = colours.reshape(len(games), -1)
    figures.append(Measured("colours out", unit, games.plan.colours, phases, np.ones_like(phases), each))
    for name, figure in (("inside", INSIDE), ("cubes out", OUT)):
        figures.append(memory(f"autocorrelation of {name}", figure.by_phase(games), is_physics))
    return [figure for figure in figures if figure.cells]


def steps(values: Array) -> Array:
    """Return whether whole numbers of shape (games, K) are at most each value but the last, shape (games, K * values).

    The squared differences of these means add up to half the energy distance.
    """
    return np.hstack([values <= step for step in range(int(values.min()), int(values.max()))] or [values[:, :0]])


def memory(name: str, series: Array, is_physics: Array) -> Measured:
    """Return the autocorrelations at lags 1 to 7 about each phase's mean over the games of the same model.

    `series` has shape (games, phases). Source: Diggle et al., Analysis of Longitudinal Data, 2002, section 3.4.
    """
    x = series.astype(float)
    for side in (is_physics, ~is_physics):
        x[side] -= x[side].mean(0)
    pairs = lagged(x)
    over = [(now * later).sum(1) for now, later in pairs]
    under = [(now**2 + later**2).sum(1) / 2 for now, later in pairs]
    lags = [f"lag {lag}" for lag in range(1, len(pairs) + 1)]
    return Measured(name, "", lags, *(np.stack(side, 1) if pairs else x[:, :0] for side in (over, under)))


def lagged(series: Array) -> list[tuple[Array, Array]]:
    """Return for lags 1 to 7 the columns that have a later one, and those later ones, shape (games, columns - lag)."""
    return [(series[:, :-lag], series[:, lag:]) for lag in range(1, min(LAGS, series.shape[1] - 1) + 1)]


# A classifier


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
    different: SideBySide

    @property
    def differs(self) -> bool:
        """Whether `p` is at most 0.05."""
        return self.p <= LEVEL


def tell_apart(
    physics: Results, surrogate: Results, rng: np.random.Generator, only: Callable[[str], object] | None = None
) -> Classification:
    """Train classifiers on four fifths of both models' games and test them on the last fifth, five times.

    They see the features of whose name `only` is true, or all. Random, from `rng`, are the games left out of the larger
    side, and the folds.
    """
    a, b = (games.take(chosen) for games, chosen in balance(physics, surrogate, rng))
    names, first = features(a)
    second = features(b)[1]
    if only is not None:
        seen = [i for i, name in enumerate(names) if only(name)]
        names, first, second = tuple(names[i] for i in seen), first[:, seen], second[:, seen]
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
) -> Estimate:
    """Return the share of `trials` pairs of samples from `make_pair(rng)` that the test flags, with its exact interval.

    `note` is called after each trial.
    """
    check_whole("trials", trials, 1)
    hits = 0
    for stream in rng.spawn(trials):
        hits += tell_apart(*make_pair(stream), stream).differs
        note()
    return clopper_pearson(hits, trials)


# Features


def features(games: Results) -> tuple[tuple[str, ...], Array]:
    """Return the names of the features and their values, shape (games, features), float32.

    - For each phase: how many cubes of the colours that it throws are thrown.
    - For each drop: how many cubes of each colour come out, and are inside afterwards.
    - For phases 1 to 7 apart: the products of the numbers thrown, out and inside.
    - For each game: sums, shares, and mean lagged products of deviations from the game's mean.
    """
    series = {
        "thrown": _own(games.each_colour("thrown")[:, 1:], games),
        "out": OUT.by_phase(games),
        "inside": INSIDE.by_phase(games),
    }
    series = {name: values.astype(float) for name, values in series.items()}
    columns = _by_game(games, series)
    columns |= {f"thrown in phase {i + 1}": column for i, column in enumerate(series["thrown"].T)}
    for what, table in (("out of", games.each_colour("out")), ("inside after", games.each_colour("inside"))):
        for drop in range(games.plan.drops):
            for i, colour in enumerate(games.plan.colours):
                columns[f"{colour} {what} drop {drop}"] = table[:, drop, i]
    for name, x in series.items():
        for lag, (now, later) in enumerate(lagged(x), start=1):
            for i, column in enumerate((now * later).T):
                columns[f"{name} in phase {i + 1} times phase {i + 1 + lag}"] = column
    return tuple(columns), np.stack(list(columns.values()), 1).astype(np.float32)


def _by_game(games: Results, series: dict[str, Array]) -> dict[str, Array]:
    own_out, before = _own(games.each_colour("out")[:, 1:], games), games.each_colour("inside")[:, :-1]
    own_before = _own(before, games)
    other_out = (series["out"] - own_out).sum(1)
    other_before = (before.sum(-1) - own_before).sum(1)
    thrown, first, first_out = (
        series["thrown"].sum(1),
        games.each_colour("thrown")[:, 0].sum(-1),
        games.each_colour("out")[:, 0].sum(-1),
    )
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


def _find_different(names: Sequence[str], a: Array, b: Array) -> SideBySide:
    spread = np.sqrt(a.var(0, ddof=1) / len(a) + b.var(0, ddof=1) / len(b))
    z = (b.mean(0) - a.mean(0)) / np.where(spread > 0, spread, np.inf)
    best: list[int] = np.argsort(-np.abs(z), kind="stable")[:MOST_DIFFERENT].tolist()
    one, other = (averages(side[:, best].astype(float)) for side in (a, b))
    return SideBySide("features", "", [names[i] for i in best], one, other, difference(one, other))


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
