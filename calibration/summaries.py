"""Recorded games as arrays, and the summaries of games that the fit compares: cubes kept, out, and colours.

A summary has a unit for people (cubes, colours or shares) and an unbounded scale for the fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import cast

import numpy as np

from tower_sim import registry
from tower_sim.calibration.observations import CUBES
from tower_sim.calibration.records import Record, has_colours
from tower_sim.campaign.data import Array
from tower_sim.games.game import Game
from tower_sim.runs.array import Plan
from tower_sim.runs.by_drop import UNKNOWN, ByDrop, by_drop
from tower_sim.runs.figure import MEAN, SUM, Figure, by_key
from tower_sim.runs.tower import INSIDE, INSIDE_SETUP, OUT

GAME: Game = registry.get("game", "amerigo")
RULES = GAME.read({})
PLAN = cast("Plan", GAME.plan(RULES))
"""The cubes that each drop of a game of Amerigo throws: the set-up and 35 phases."""
DROPS = PLAN.drops  # the set-up and 35 phases
SPREAD_FROM = 8  # drops, from which on a window has the spread and the shares of colours


def from_records(records: Sequence[Record]) -> list[ByDrop]:
    """Return the recorded games one by one, each of shape (drops,)."""
    games = [list(rows) for _, rows in groupby(records, key=lambda record: record.game)]
    return [_make_game(rows, list(records[0].thrown), has_colours(records)) for rows in games]


def _make_game(rows: Sequence[Record], colours: Sequence[str], known: bool) -> ByDrop:
    thrown, out, inside = (
        np.array([[getattr(row, what).get(colour, 0) for colour in colours] for row in rows], np.int16)
        for what in ("thrown", "out", "inside")
    )
    least, most = np.maximum(out - thrown, 0).sum(-1), np.minimum(out, inside + out - thrown).sum(-1)
    counted = by_drop(thrown, out, inside, old_out=np.where(least == most, least, UNKNOWN), terms=PLAN.terms)
    unknown = np.full_like(counted.thrown, UNKNOWN)
    return counted if known else replace(counted, own=unknown, own_out=unknown, colours=unknown, lead=unknown)


def logit(count: Array | float, of: float = CUBES) -> Array:
    """Return the log odds of `count` cubes among `of`, in its shape, with half a cube added to both numbers."""
    return np.log((np.asarray(count) + 0.5) / (of - np.asarray(count) + 0.5))


def expit(value: Array | float, of: float = CUBES) -> Array:
    """Return the number of cubes whose logit is `value`, in its shape."""
    return (of + 1) / (1 + np.exp(-np.asarray(value))) - 0.5


FLOOR = 0.25  # cubes, added before a logarithm


def log(count: Array | float) -> Array:
    """Return the logarithm of a number of cubes out, with FLOOR added, in its shape."""
    return np.log(np.asarray(count) + FLOOR)


def exp(value: Array | float) -> Array:
    """Return the number of cubes out whose `log` is `value`, in its shape."""
    return np.exp(np.asarray(value)) - FLOOR


def seventh(inside: Array | float) -> Array:
    """Return the logarithm of a seventh of the cubes outside; `inside` is the logit of those inside, in the same shape.

    In the long run a phase brings out what it throws.
    """
    return log((CUBES - expit(inside)) / 7)


@dataclass(frozen=True, slots=True)
class GameSummary:
    """A summary of games, `words` for people, and its scale of the fit.

    `of` computes it on that scale from games cut to the relevant drops (NaN if no drop shows it). `scale` converts from
    its unit, and `back` to its unit. `needs` are the columns that must be known.
    """

    name: str
    words: str
    of: Callable[[ByDrop], Array]
    scale: Callable[[Array | float], Array]
    back: Callable[[Array | float], Array]
    needs: tuple[str, ...] = ()


def _share(value: Array | float) -> Array:
    return 1 / (1 + np.exp(-np.asarray(value)))


def _log_odds(value: Array | float) -> Array:
    return np.log(np.asarray(value) / (1 - np.asarray(value)))


def _odds(figure: Figure, games: ByDrop) -> Array:
    """Return the log odds of a figure that is a share, with half a count added to both numbers; NaN without any."""
    part, of = replace(figure, take=MEAN).sums(games)
    return np.where(of > 0, np.log((part + 0.5) / (of - part + 0.5)), np.nan)


def _make_summary(figure: Figure) -> GameSummary:
    """Return a figure as a summary on the scale of its kind.

    Shares, numbers of phases and cubes inside become log odds; other means become logarithms.
    """
    if figure.is_share or figure.take == SUM:
        return GameSummary(figure.key, figure.title, partial(_odds, figure), _log_odds, _share, figure.needs)
    scale, back = log, exp
    if figure in (INSIDE_SETUP, INSIDE):
        scale, back = logit, expit
    elif figure.key == "colours":  # one or more
        scale, back = np.log, np.exp
    return GameSummary(figure.key, figure.title, lambda games: scale(figure.value(games)), scale, back, figure.needs)


FIGURES = by_key((*GAME.figures, *GAME.fitted()))
"""All figures of Amerigo that the fit can use, by key."""
_FIRST = (INSIDE_SETUP.key, INSIDE.key, OUT.key, "own", "spread")
_TURN = GameSummary(
    "turn",
    "mean out, over a seventh of the cubes outside",
    lambda games: log(OUT.value(games)) - seventh(logit(INSIDE.value(games))),
    log,
    exp,
)
_REST = tuple(name for name in (*by_key(GAME.fitted()), *by_key(GAME.figures)) if name not in _FIRST)
SUMMARIES: dict[str, GameSummary] = {
    **{name: _make_summary(FIGURES[name]) for name in _FIRST},
    _TURN.name: _TURN,
    **{name: _make_summary(FIGURES[name]) for name in _REST},
}


@dataclass(frozen=True, slots=True, order=True)
class Window:
    """A summary, by its name, over the drops `start` to before `stop` of a game."""

    summary: str
    start: int
    stop: int

    def is_known(self, game: ByDrop) -> bool:
        cut = game.cut(self.start, self.stop)
        known = all((getattr(cut, name) != UNKNOWN).all() for name in ("thrown", *SUMMARIES[self.summary].needs))
        return known and bool(np.isfinite(self.of(game)))

    def of(self, games: ByDrop) -> Array:
        """Return the summary of each game, in the shape of `games` without the drops.

        It is NaN for a game that lacks a drop or a column that the summary needs.
        """
        cut = games.cut(self.start, self.stop)
        summary = SUMMARIES[self.summary]
        known = cut.thrown != UNKNOWN
        for name in summary.needs:
            known &= getattr(cut, name) != UNKNOWN
        whole = cut.thrown.shape[-1] == self.stop - self.start and known.all(-1)
        with np.errstate(invalid="ignore", divide="ignore"):  # where a game is not whole
            return np.where(whole, summary.of(cut), np.nan)


SETUP = Window(INSIDE_SETUP.key, 0, 1)


def list_windows(start: int, stop: int) -> list[Window]:
    """Return the windows of drops `start` to before `stop` of a game: the set-up, if included, and the play."""
    of_drops = [SETUP] if start == 0 < stop else []
    first = max(start, 1)
    if stop > first:
        names = ["inside", "out", "own", *(["spread", "single", "many"] if stop - first >= SPREAD_FROM else [])]
        of_drops += [Window(name, first, stop) for name in names]
    return of_drops


# over whole games: the summaries of recorded drops, and those with all others
WHOLE = {window.summary: window for window in list_windows(0, DROPS)}
EVERY = WHOLE | {name: Window(name, 1, DROPS) for name in _REST}
