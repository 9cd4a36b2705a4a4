"""The figures in which the games of a tower's two models are compared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tower_sim.errors import fault
from tower_sim.results import INSIDE, INSIDE_SETUP, OUT, SKIPPED, Array, Results
from tower_sim.studies.fitting.compared import PERMUTATIONS, Measured, SideBySide, compare

LAGS = 7  # drops; at the last lag the same colour is thrown again
FEWEST = 10  # games a side


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
