"""Recorded games as arrays, and the summaries of games that the fit compares: cubes kept, out, and colours.

A summary has a unit for people (cubes, colours or shares) and an unbounded scale for the fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle, groupby, islice
from typing import cast

import numpy as np

from tower_sim.apparatus import Apparatus, as_tower
from tower_sim.calibration.observations import CUBES
from tower_sim.calibration.records import RECOUNT, Record, has_colours
from tower_sim.drops import DropModel, TooManyFailedDraws, until_landed
from tower_sim.errors import check_whole
from tower_sim.games import DROP_STREAM, Game
from tower_sim.games.amerigo import Rules
from tower_sim.models import PHYSICS, open_model
from tower_sim.physics import PhysicsSettings
from tower_sim.results import (
    EVERY as EVERY_COLOUR,
)
from tower_sim.results import (
    INSIDE,
    INSIDE_SETUP,
    MEAN,
    OUT,
    SUM,
    UNKNOWN,
    Array,
    Figure,
    Plan,
    Results,
    by_key,
)
from tower_sim.tools import in_threads, registry, report_progress
from tower_sim.values import MAX_CUBES, Cube, count_by_colour, derive_seed, supply

GAME: Game = registry.get("game", "amerigo")
RULES = GAME.read({})
PLAN = cast("Plan", GAME.plan(RULES))
"""The cubes that each drop of a game of Amerigo throws: the set-up and 35 phases."""
DROPS = PLAN.drops  # the set-up and 35 phases
CLOG, FOR = 20, 5  # cubes, phases
BOTH, USUAL, CLOGGED = -1, 0, 1  # kinds of games
SPREAD_FROM = 8  # drops, from which on a window has the spread and the shares of colours


def from_records(records: Sequence[Record]) -> list[Results]:
    """Return the recorded games one by one, each of shape (drops,)."""
    games = [list(rows) for _, rows in groupby(records, key=lambda record: record.game)]
    return [_make_game(rows, list(records[0].thrown), has_colours(records)) for rows in games]


def _make_game(rows: Sequence[Record], colours: Sequence[str], known: bool) -> Results:
    thrown, out, inside = (
        np.array([[getattr(row, what).get(colour, 0) for colour in colours] for row in rows], np.int16)
        for what in ("thrown", "out", "inside")
    )
    least, most = np.maximum(out - thrown, 0).sum(-1), np.minimum(out, inside + out - thrown).sum(-1)
    old_out, counts = np.where(least == most, least, UNKNOWN), {"thrown": thrown, "out": out, "inside": inside}
    unknown = {} if known else dict.fromkeys(("own", "own_out", "colours", "lead"), np.full(len(rows), UNKNOWN))
    return Results.of_counts(counts, terms=PLAN.terms, old_out=old_out, **unknown)


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


Span = tuple[int, int]
"""Drops from the first number to before the second."""


@dataclass(frozen=True, slots=True)
class GameSummary:
    """A summary of games, `words` for people, and its scale of the fit.

    `of` computes it on that scale from the drops that count (NaN if none shows it). `scale` converts from its unit, and
    `back` to its unit. `needs` are the columns that must be known.
    """

    name: str
    words: str
    of: Callable[[Results, Span], Array]
    scale: Callable[[Array | float], Array]
    back: Callable[[Array | float], Array]
    needs: tuple[str, ...] = ()


def _share(value: Array | float) -> Array:
    return 1 / (1 + np.exp(-np.asarray(value)))


def _log_odds(value: Array | float) -> Array:
    return np.log(np.asarray(value) / (1 - np.asarray(value)))


def _odds(figure: Figure, games: Results, drops: Span) -> Array:
    """Return the log odds of a figure that is a share, with half a count added to both numbers; NaN without any."""
    part, of = replace(figure, take=MEAN).sums(games, drops)
    return np.where(of > 0, np.log((part + 0.5) / (of - part + 0.5)), np.nan)


def _make_summary(figure: Figure) -> GameSummary:
    """Return a figure as a summary on the scale of its kind.

    Shares, numbers of phases and cubes inside become log odds; other means become logarithms.
    """
    if figure.is_share or figure.take == SUM:
        return GameSummary(figure.key, figure.title, partial(_odds, figure), _log_odds, _share, figure.needs)
    scale, back = log, exp
    if figure.key in (INSIDE_SETUP.key, INSIDE.key):
        scale, back = logit, expit
    elif figure.key == "colours":  # one or more
        scale, back = np.log, np.exp

    def of(games: Results, drops: Span) -> Array:
        return scale(figure.value(games, drops=drops))

    return GameSummary(figure.key, figure.title, of, scale, back, figure.needs)


FIGURES = by_key((*GAME.figures, *GAME.fitted))
"""All figures of Amerigo that the fit can use, by key."""
_FIRST = (INSIDE_SETUP.key, INSIDE.key, OUT.key, "own", "spread")
_TURN = GameSummary(
    "turn",
    "mean out, over a seventh of the cubes outside",
    lambda games, drops: log(OUT.value(games, drops=drops)) - seventh(logit(INSIDE.value(games, drops=drops))),
    log,
    exp,
)
_REST = tuple(name for name in (*by_key(GAME.fitted), *by_key(GAME.figures)) if name not in _FIRST)
SUMMARIES: dict[str, GameSummary] = {
    **{name: _make_summary(FIGURES[name]) for name in _FIRST},
    _TURN.name: _TURN,
    **{name: _make_summary(FIGURES[name]) for name in _REST},
}


@dataclass(frozen=True, slots=True, order=True)
class Window:
    """A summary, by its name, over the drops `start` to before `stop` of a game of a `kind`."""

    summary: str
    start: int
    stop: int
    kind: int = BOTH

    def is_known(self, game: Results) -> bool:
        return bool(np.isfinite(self.of(game)))

    def of(self, games: Results) -> Array:
        """Return the summary of each game, in the shape of `games`.

        It is NaN for a game that lacks a drop or a column that the summary needs.
        """
        summary, drop = SUMMARIES[self.summary], games.rows.drop
        known = (self.start <= drop) & (drop < self.stop)
        for name in ("thrown", *summary.needs):
            known &= games.column(name) != UNKNOWN
        whole = np.bincount(games.rows.run[known], minlength=games.runs).reshape(games.shape) == self.stop - self.start
        with np.errstate(invalid="ignore", divide="ignore"):  # where a game is not whole
            return np.where(whole, summary.of(games, (self.start, self.stop)), np.nan)


SETUP = Window(INSIDE_SETUP.key, 0, 1)


def find_clogs(games: Results) -> Array:
    """Return whether a tower clogs in a game: over CLOG cubes stay inside for FOR phases; in the games' shape."""
    over = np.pad(games.grid("inside")[..., 1:] > CLOG, [*[(0, 0)] * len(games.shape), (0, FOR)])
    return np.asarray(np.lib.stride_tricks.sliding_window_view(over, FOR, -1).all(-1).any(-1))


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


COLOURS = len(Rules().colours)


@dataclass(frozen=True, slots=True)
class AgedDrop:
    """A simulated drop: its record and the ages of all cubes in drops; `ages` begins with `out_ages`, of those out."""

    record: Record
    ages: tuple[int, ...]
    out_ages: tuple[int, ...]

    @property
    def thrown_out(self) -> int:
        return self.out_ages.count(0)


@dataclass(frozen=True, slots=True)
class RecordedThrows:
    """The throws of a recorded game: pairs of colour and cubes for each drop, of those that are outside."""

    thrown: tuple[tuple[tuple[str, int], ...], ...]
    is_free: bool


_OF_DROPS = [PLAN.colours if throw == EVERY_COLOUR else PLAN.colours[throw : throw + 1] for throw in PLAN.throws]
PUBLISHED = RecordedThrows(tuple(tuple((colour, RULES.counts[colour]) for colour in of) for of in _OF_DROPS), False)
"""The throws of the published game."""


def is_published(first: Record) -> bool:
    """Return whether a game begins as published: with CUBES cubes, equally many of each colour if known."""
    of_colour = [cubes for cubes in first.thrown.values() if cubes]
    known = has_colours([first])
    return not first.is_free and sum(of_colour) == CUBES and (not known or of_colour == [CUBES // COLOURS] * COLOURS)


def list_throws(records: Sequence[Record]) -> tuple[RecordedThrows, ...]:
    """Return the throws of reference games for comparison with `records`, each once."""
    kinds: dict[RecordedThrows, None] = {}
    for _, rows in groupby(records, key=lambda record: record.game):
        game = [
            record for record in rows if any(record.thrown.values()) and not (record.number and RECOUNT in record.marks)
        ]
        if game:
            thrown = tuple(tuple((c, n) for c, n in record.thrown.items() if n) for record in game)
            kinds[PUBLISHED if is_published(game[0]) else RecordedThrows(thrown, game[0].is_free)] = None
    return tuple(kinds) or (PUBLISHED,)


def observe(
    apparatus: Apparatus,
    games: int,
    seed: int,
    settings: PhysicsSettings | None = None,
    throws: Sequence[RecordedThrows] = (PUBLISHED,),
    model: str = PHYSICS,
) -> list[list[AgedDrop]]:
    """Play games with a model, on all cores; the games take turns with `throws`.

    Game i depends only on `seed`, on i and on its throws.
    """
    as_tower(apparatus)
    check_whole("seed", seed, 0)

    def watch(task: tuple[int, RecordedThrows]) -> list[AgedDrop]:
        with open_model(apparatus, model, settings) as opened:
            return watch_throws(opened, task[1], task[0])

    tasks = [(derive_seed(seed, i), each) for i, each in enumerate(islice(cycle(throws), games))]
    watched: list[list[AgedDrop]] = []
    with report_progress("games", len(tasks)) as tell:
        for drops in in_threads(watch, tasks):
            watched.append(drops)
            tell.step()
    return watched


def watch_throws(model: DropModel, throws: RecordedThrows, seed: int) -> list[AgedDrop]:
    """Throw what `throws` says, as far as cubes are outside, and return the drops with ages.

    The game ends early after five failed draws in a row, and before the tower would hold more than MAX_CUBES. Random:
    drop i draws from spawn key (i, DROP_STREAM) of `seed`, as in a game: PUBLISHED gives the drops of the game.
    """
    colours = list(dict.fromkeys(colour for drop in throws.thrown for colour, _ in drop))
    tower, outside = model.empty(), list[Cube]()
    drops: list[AgedDrop] = []
    for index, counts in enumerate(throws.thrown):
        if throws.is_free or not index:
            outside = list(supply(dict(counts), model.cube_edge, first_id=tower.next_id))
        thrown = tuple(cube for colour, n in counts for cube in [x for x in outside if x.colour == colour][:n])
        if not thrown:
            continue
        if len(thrown) + len(tower.cubes) > MAX_CUBES:
            break
        stream = np.random.SeedSequence(seed, spawn_key=(index, DROP_STREAM))
        try:
            outcome = until_landed(partial(model.drop, tower, thrown), stream)
        except TooManyFailedDraws:
            break
        outside = [cube for cube in outside if cube not in thrown] + list(outcome.emerged)
        put, out, inside = (
            dict(count_by_colour(cubes, colours)) for cubes in (thrown, outcome.emerged, outcome.state.cubes)
        )
        record = Record(len(drops), put, out, inside, is_free=throws.is_free)
        since = {resident.cube: resident.since for resident in tower.residents}
        gone, kept = (
            tuple(tower.drops - since.get(cube, tower.drops) for cube in cubes)
            for cubes in (outcome.emerged, outcome.state.cubes)
        )
        drops.append(AgedDrop(record, gone + kept, gone))
        tower = outcome.state
    return drops


_LOGARITHMS = {"spread": "spread", "old": "spread", "turn": "flow", "colours": "colours", "points": "colours"}


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """Standard deviations of the difference between the simulation and a real tower of the same shape.

    Assumed [A]: about as far as half the time step, or Bullet in place of the core, moved simulated towers.

    `setup` and `inside` are in log odds, with correlation `together`; 0.42 is 2 cubes at 5 of 49. The number out
    follows from the number inside, except for `flow` (logarithm). `own` and `share` (of phases) are in log odds;
    `spread` and `colours` (also for action points) are in logarithm.
    """

    setup: float = 0.17
    inside: float = 0.42
    together: float = 0.85
    flow: float = 0.03
    own: float = 0.39
    spread: float = 0.11
    share: float = 0.26
    colours: float = 0.065

    def alone(self, summary: str) -> float:
        """Return the standard deviation for a summary whose discrepancy is independent of the others."""
        return getattr(self, "own" if summary == "own" else _LOGARITHMS.get(summary, "share"))

    def covariance(self, names: Sequence[str], inside: Array, errors: Array) -> Array:
        """Return the covariance of discrepancies and errors of the summaries `names`, for S towers, shape (S, n, n).

        `inside` (S) is in cubes; `errors` (S, n) are the standard errors of the means. Windows of one summary share
        their discrepancy. Those of different summaries are independent [A], except for `setup`, `inside` and `out`.
        """
        share = np.clip(inside / CUBES, 0.0, 1.0)
        common, alone = np.sqrt(self.together), np.sqrt(1 - self.together)
        load = np.zeros((len(inside), len(names), 1 + len(SUMMARIES)))
        column = {name: 1 + i for i, name in enumerate(SUMMARIES)}
        for i, name in enumerate(names):
            if name in ("setup", "inside"):
                sd = self.setup if name == "setup" else self.inside
                load[:, i, 0] = sd * common
                load[:, i, column[name]] = np.hypot(sd * alone, errors[:, i])
            elif name == "out":  # in the long run a seventh of the cubes outside: d log(49 - inside) = -share d logit
                load[:, i, 0] = -share * self.inside * common
                load[:, i, column["inside"]] = -share * self.inside * alone
                load[:, i, column["out"]] = np.hypot(self.flow, errors[:, i])
            else:
                load[:, i, column[name]] = np.hypot(self.alone(name), errors[:, i])
        return load @ load.transpose(0, 2, 1)
