"""The figures that games of Amerigo are compared in: one number a game, from its counts of cubes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from tower_sim.games.amerigo.many import Array, Games
from tower_sim.games.amerigo.rules import Rules
from tower_sim.games.game import Figure


@dataclass(frozen=True)
class Counted(Figure):
    """A figure that `of` returns for each of many games."""

    of: Callable[[Games], Array]


def main_figures() -> tuple[Counted, ...]:
    """Return the figures that are compared; a phase is a drop after the set-up, `in play` is after a phase."""
    return (
        Counted("inside_setup", "inside after the set-up", "cubes", lambda games: games.inside[:, 0].sum(-1)),
        Counted("inside", "mean inside in play", "cubes", lambda games: _by_phase(games.inside).mean(1)),
        Counted("most_inside", "most inside in play", "cubes", lambda games: _by_phase(games.inside).max(1)),
        Counted("out", "cubes out a phase", "cubes", lambda games: _by_phase(games.emerged).mean(1)),
        Counted("share_out", "share out of a phase", "1", _share_out),
        Counted("action_points", "action points a phase", "points", lambda games: games.action_points[:, 1:].mean(1)),
        Counted("actions", "actions allowed a phase", "actions", lambda games: games.actions[:, 1:].mean(1)),
        Counted("gold", "gold for passing a phase", "gold", lambda games: games.gold[:, 1:].mean(1)),
        Counted("gold_with_token", "gold with the token", "gold", lambda games: games.gold_with_token[:, 1:].mean(1)),
        Counted("skipped", "phases skipped", "phases", lambda games: (_by_phase(games.emerged) == 0).sum(1)),
    )


def colour_figures(a: Rules, b: Rules) -> tuple[Counted, ...]:
    """Return, for each colour that both games have, the mean number of its cubes that come out of a phase."""
    shared = [colour for colour in a.colours if colour in b.colours]
    return tuple(Counted(colour, colour, "cubes", partial(_out_of_colour, colour)) for colour in shared)


def table(games: Games, figures: tuple[Counted, ...]) -> Array:
    """Return the figures of games, shape (game, figure)."""
    return np.stack([figure.of(games).astype(float) for figure in figures], 1)


def _by_phase(counts: Array) -> Array:
    """Return all colours together after each drop but the set-up."""
    return counts[:, 1:].sum(-1)


def _share_out(games: Games) -> Array:
    """Of the cubes that a phase could bring out (thrown or inside before) those that came out, summed over phases.

    0 for a game in which no phase could bring out any.
    """
    could = _by_phase(games.thrown).sum(1) + games.inside[:, :-1].sum((1, 2))
    return _by_phase(games.emerged).sum(1) / np.maximum(could, 1)


def _out_of_colour(colour: str, games: Games) -> Array:
    return games.emerged[:, 1:, games.rules.colours.index(colour)].mean(1)
