"""Games as arrays, and the summaries of a game that the fit compares: what it keeps, what comes out, of which colours.

A summary is said in cubes, colours or shares and fitted on a scale that has no ends; shares of phases are log odds with
half a phase added on both sides.
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
"""What the drops of the game throw that the tower is made for: the set-up and 35 phases."""
DROPS = PLAN.drops  # its set-up and 35 phases
SPREAD_FROM = 8  # drops, of which a spread can be told, and shares of phases by their colours


def from_records(records: Sequence[Record]) -> list[ByDrop]:
    """Return the recorded games, one by one, each of shape (drops,)."""
    games = [list(rows) for _, rows in groupby(records, key=lambda record: record.game)]
    return [_recorded(rows, list(records[0].thrown), has_colours(records)) for rows in games]


def _recorded(rows: Sequence[Record], colours: Sequence[str], known: bool) -> ByDrop:
    """Return one game; where colours are not `known` the columns about them are not."""
    thrown, out, inside = (
        np.array([[getattr(row, what).get(colour, 0) for colour in colours] for row in rows], np.int16)
        for what in ("thrown", "out", "inside")
    )
    least, most = np.maximum(out - thrown, 0).sum(-1), np.minimum(out, inside + out - thrown).sum(-1)
    counted = by_drop(thrown, out, inside, old_out=np.where(least == most, least, UNKNOWN), terms=PLAN.terms)
    unknown = np.full_like(counted.thrown, UNKNOWN)
    return counted if known else replace(counted, own=unknown, own_out=unknown, colours=unknown, lead=unknown)


def logit(count: Array | float, of: float = CUBES) -> Array:
    """Log odds of a number of cubes among `of`, with half a cube added on both sides; as all scales, in its shape."""
    return np.log((np.asarray(count) + 0.5) / (of - np.asarray(count) + 0.5))


def expit(value: Array | float, of: float = CUBES) -> Array:
    """Cubes of which `value` is the logit, in its shape."""
    return (of + 1) / (1 + np.exp(-np.asarray(value))) - 0.5


FLOOR = 0.25  # cubes, added before a logarithm


def log(count: Array | float) -> Array:
    """Logarithm of a number of cubes out, with a quarter of a cube added, in its shape."""
    return np.log(np.asarray(count) + FLOOR)


def exp(value: Array | float) -> Array:
    """Cubes out of which `value` is the log, in its shape."""
    return np.exp(np.asarray(value)) - FLOOR


def seventh(inside: Array | float) -> Array:
    """Logarithm of a seventh of the cubes outside, in the shape of `inside`, the logit of those inside.

    In the long run as many cubes come out of a phase as are thrown, and those are about a seventh of all outside.
    """
    return log((CUBES - expit(inside)) / 7)


@dataclass(frozen=True, slots=True)
class GameSummary:
    """A figure on the scale of the fit, or what is made of some: its `name`, and `words` for people.

    `of` takes games cut to the drops that it is of, and gives the value on that scale (NaN where no drop tells it),
    `scale` takes cubes there and `back` from there; `needs` are columns without which it is not known.
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
    """Return the log odds of the share that a figure is, half a one added on both sides; NaN of none."""
    part, of = replace(figure, take=MEAN).sums(games)
    return np.where(of > 0, np.log((part + 0.5) / (of - part + 0.5)), np.nan)


def _summary(figure: Figure) -> GameSummary:
    """Return a figure on the scale of its kind.

    Shares, and how many phases have something, by their log odds; cubes inside by those of a cube to be there; other
    means by their logarithm, of those that may be 0 with a little added.
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
"""The figures of the game, by their names: each may be a clue."""
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
    **{name: _summary(FIGURES[name]) for name in _FIRST},
    _TURN.name: _TURN,
    **{name: _summary(FIGURES[name]) for name in _REST},
}


@dataclass(frozen=True, slots=True, order=True)
class Window:
    """A summary by its name and the drops of a game that it is made of, `start` to before `stop`."""

    summary: str
    start: int
    stop: int

    def is_known(self, game: ByDrop) -> bool:
        """Return whether one game tells it."""
        cut = game.cut(self.start, self.stop)
        known = all((getattr(cut, name) != UNKNOWN).all() for name in ("thrown", *SUMMARIES[self.summary].needs))
        return known and bool(np.isfinite(self.of(game)))

    def of(self, games: ByDrop) -> Array:
        """Return the summary of each game, NaN where it lacks a drop or what it needs; shape as `games`, less drops."""
        cut = games.cut(self.start, self.stop)
        summary = SUMMARIES[self.summary]
        known = cut.thrown != UNKNOWN
        for name in summary.needs:
            known &= getattr(cut, name) != UNKNOWN
        whole = cut.thrown.shape[-1] == self.stop - self.start and known.all(-1)
        with np.errstate(invalid="ignore", divide="ignore"):  # where a game is not whole
            return np.where(whole, summary.of(cut), np.nan)


SETUP = Window(INSIDE_SETUP.key, 0, 1)


def windows(start: int, stop: int) -> list[Window]:
    """Return the windows of drops `start` to before `stop` of a game: the set-up if it is there, and the play."""
    of_drops = [SETUP] if start == 0 < stop else []
    first = max(start, 1)
    if stop > first:
        names = ["inside", "out", "own", *(["spread", "single", "many"] if stop - first >= SPREAD_FROM else [])]
        of_drops += [Window(name, first, stop) for name in names]
    return of_drops


# whole games: what recorded drops are summed up by, and that with the colours
WHOLE = {window.summary: window for window in windows(0, DROPS)}
EVERY = WHOLE | {name: Window(name, 1, DROPS) for name in _REST}
