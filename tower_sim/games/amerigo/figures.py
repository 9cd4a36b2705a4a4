"""The figures (statistics) of a game of Amerigo."""

from __future__ import annotations

from tower_sim.runs.figure import Figure
from tower_sim.runs.tower import DETAILS, INSIDE, INSIDE_SETUP, MOST_INSIDE, OUT, SHARE_OUT, SKIPPED, some_out

_MOST = "max(own_out, lead)"
ACTIONS = Figure(
    "actions",
    "actions to choose from",
    "actions",
    "different colours out in a phase, each of which allows its action",
    "colours",
    sentence="the players choose from {} actions",
    chances=("0", "1", "2", "3 or more"),
)
ACTION_POINTS = Figure(
    "action_points",
    "action points",
    "points",
    "cubes out of the most numerous colour, before any token",
    _MOST,
    sentence="the action they take has {} action points",
)
GOLD = Figure(
    "gold",
    "gold for passing",
    "gold",
    "cubes out divided by {gold_divisor}, rounded up",
    "ceil(out / gold_divisor)",
    sentence="passing pays {} gold",
)
GOLD_WITH_TOKEN = Figure(
    "gold_with_token",
    "gold with the token",
    "gold",
    "cubes out divided by {gold_divisor_with_token}, rounded up",
    "ceil(out / gold_divisor_with_token)",
    minor=True,
)
TERMS = ("gold_divisor", "gold_divisor_with_token")
"""The rules whose numbers these figures use."""

FIGURES = (
    *(INSIDE_SETUP, INSIDE, MOST_INSIDE, OUT, SHARE_OUT),
    *(ACTIONS, ACTION_POINTS, GOLD, GOLD_WITH_TOKEN),
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
