"""The figures of a game of Amerigo, and many games as one array: sampled at once."""

from __future__ import annotations

from dataclasses import replace

from tower_sim.errors import check_whole, fault
from tower_sim.games.amerigo.rules import Rules, as_rules
from tower_sim.results import (
    DETAILS,
    EVERY,
    INSIDE,
    INSIDE_SETUP,
    MOST_INSIDE,
    OUT,
    SHARE_OUT,
    SKIPPED,
    Figure,
    Plan,
    Results,
    RunSampler,
    some_out,
)

_MOST = "max(own_out, lead)"
ACTIONS, ACTION_POINTS, GOLD, GOLD_WITH_TOKEN = (
    Figure("actions", "actions to choose from", "actions",
           "different colours out in a phase, each of which allows its action", "colours",
           sentence="the players choose from {} actions", chances=("0", "1", "2", "3 or more")),
    Figure("action_points", "action points", "points", "cubes out of the most numerous colour, before any token", _MOST,
           sentence="the action they take has {} action points"),
    Figure("gold", "gold for passing", "gold", "cubes out divided by {gold_divisor}, rounded up",
           "ceil(out / gold_divisor)", sentence="passing pays {} gold"),
    Figure("gold_with_token", "gold with the token", "gold",
           "cubes out divided by {gold_divisor_with_token}, rounded up",
           "ceil(out / gold_divisor_with_token)", minor=True),
)  # fmt: skip
TERMS = ("gold_divisor", "gold_divisor_with_token")
"""The rules whose numbers these figures use."""

FIGURES = (
    INSIDE_SETUP,
    replace(INSIDE, sentence="{} cubes stay in the tower"),
    MOST_INSIDE,
    OUT,
    SHARE_OUT,
    ACTIONS,
    ACTION_POINTS,
    GOLD,
    GOLD_WITH_TOKEN,
    SKIPPED,
)
FITTED = (*DETAILS, some_out("points", "mean action points", "points", _MOST))
"""The figures that fits of a model to tower data compare, in addition to FIGURES."""


def colour_figures(colours: tuple[str, ...]) -> tuple[Figure, ...]:
    """Return a figure for each colour: the mean number of its cubes out in a phase, from the fact `out_i`."""
    return tuple(
        Figure(colour, colour, "cubes", f"{colour} cubes that come out in a phase", f"out_{i}")
        for i, colour in enumerate(colours)
    )


def make_plan(rules: Rules) -> Plan:
    """Return the cubes that each drop throws."""
    phases = [rules.colours.index(phase) for phase in rules.phases] * rules.rounds
    cubes = tuple(rules.counts[colour] for colour in rules.colours)
    terms = {name: float(getattr(rules, name)) for name in TERMS}
    return Plan(tuple(rules.colours), cubes, (EVERY, *phases), (ACTION_POINTS, ACTIONS), terms)


def sample_games(
    model: RunSampler, rules: Rules, games: int, seed: int, *, first: int = 0, shift: float = 0.0
) -> Results:
    """Play many complete games at once.

    Args:
        model: A model that samples runs, such as the surrogate.
        rules: The rules.
        games: The number of games.
        seed: A whole number from 0. Game g draws from its stream number first + g, other than in `GAME.start`.
        first: The number of the first game.
        shift: Added to the probability of each thrown cube to come out (up to 1), for tests.

    Returns:
        Their counts, each of shape (game, drop, colour).

    >>> from tower_sim import open_model
    >>> with open_model("amerigo", "surrogate") as model:
    ...     runs = sample_games(model, Rules(), 1000, seed=1)
    >>> inside = runs.each_colour("inside")
    >>> print(inside.shape, round(inside[:, 0].sum(1).mean(), 1))
    (1000, 36, 7) 13.8
    """
    check_whole("games", games, 1)
    if not hasattr(model, "sample_runs"):
        allowed = "one that samples whole games, such as a surrogate"
        raise fault("model", model, allowed, "take open_model(..., 'surrogate')")
    as_rules(rules)
    return model.sample_runs(make_plan(rules), games, seed, first=first, shift=shift)
