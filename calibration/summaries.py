"""Games as arrays, and the summaries of a game that the fit compares: what it keeps, what comes out, of which colours.

A summary is said in cubes, colours or shares and fitted on a scale that has no ends; shares of phases are log odds with
half a phase added on both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from itertools import groupby

import numpy as np

from calibration.observations import CUBES
from calibration.records import Record, has_colours
from tower_sim.games.amerigo.rules import Rules
from tower_sim.study.data import Array, Campaign

Counts = Array  # of whole numbers

DROPS = Rules().drops  # of a game: its set-up and 35 phases
SPREAD_FROM = 8  # drops, of which a spread can be told


@dataclass(frozen=True, slots=True)
class GameCounts:
    """Games as counts of cubes, each of shape (..., drops), -1 where a game has no such drop.

    `thrown`, `out` and, after the drop, `inside`; `own`: cubes of the colours thrown, thrown or inside before;
    `own_out`: how many of these came out. `colours`: how many colours came out; `lead`: cubes out of the most numerous
    colour that was not thrown; `old_out`: cubes out that were inside before. What is not known is -1: all of colours
    where none were recorded; `old_out`, which records tell of a drop only if it can be one number.
    """

    thrown: Counts
    out: Counts
    inside: Counts
    own: Counts
    own_out: Counts
    colours: Counts
    lead: Counts
    old_out: Counts

    def take(self, index: object) -> GameCounts:
        """Return the games at `index`, as numpy indexes arrays."""
        return GameCounts(*(getattr(self, column.name)[index] for column in fields(self)))

    def after(self, others: GameCounts) -> GameCounts:
        """Return these design points with those of `others` behind them; games that one has fewer of are missing."""
        most = max(self.thrown.shape[1], others.thrown.shape[1])
        return GameCounts(
            *(
                np.concatenate([_widened(getattr(x, column.name), most) for x in (self, others)])
                for column in fields(self)
            )
        )


def _widened(counts: Counts, games: int) -> Counts:
    return np.pad(counts, ((0, 0), (0, games - counts.shape[1]), (0, 0)), constant_values=-1)


def from_records(records: Sequence[Record]) -> list[GameCounts]:
    """Return the recorded games, one by one, each of shape (drops,)."""
    counts: list[GameCounts] = []
    known = has_colours(records)
    for _, rows in groupby(records, key=lambda record: record.game):
        table: list[tuple[int, ...]] = []
        before = dict.fromkeys(records[0].thrown, 0)
        for row in rows:
            colours = [colour for colour, n in row.thrown.items() if n]
            own = sum(row.thrown[colour] + before[colour] for colour in colours)
            own_out = sum(row.out[colour] for colour in colours)
            lead = max((n for colour, n in row.out.items() if colour not in colours), default=0)
            old = _old_out(row, before)
            before = row.inside
            totals = (sum(each.values()) for each in (row.thrown, row.out, before))
            of_colours = own, own_out, sum(n > 0 for n in row.out.values()), lead
            table.append((*totals, *(of_colours if known else (-1,) * len(of_colours)), old))
        counts.append(GameCounts(*np.array(table, np.int16).T))
    return counts


def _old_out(row: Record, before: Mapping[str, int]) -> int:
    """Return how many cubes came out that were inside `before`, -1 where the counts leave it open."""
    least = sum(max(out - row.thrown[colour], 0) for colour, out in row.out.items())
    most = sum(min(out, before[colour]) for colour, out in row.out.items())
    return least if least == most else -1


def from_campaign(campaign: Campaign, points: int, games: int) -> GameCounts:
    """Return the games of a campaign, shape (points, games, DROPS); one that ended early lacks its last drops."""
    drops, rows = campaign.drops, np.arange(len(campaign.drops))
    first = drops.drop == 0
    phase = np.array([campaign.colours.index(name) if name in campaign.colours else -1 for name in drops.phase.names])
    colour = phase[drops.phase.codes]
    before = np.zeros_like(campaign.inside_by_colour)
    before[1:] = campaign.inside_by_colour[:-1]
    own = np.where(first, drops.thrown, drops.thrown + before[rows, colour])
    own_out = np.where(first, drops.emerged, campaign.out_by_colour[rows, colour])
    others_out = campaign.out_by_colour.copy()
    others_out[rows[colour >= 0], colour[colour >= 0]] = 0
    nothing, cubes = drops.thrown == 0, campaign.cubes
    old = cubes.out & ~cubes.thrown.astype(bool) & (cubes.row >= 0)
    columns = (
        drops.thrown,
        drops.emerged,
        drops.inside_after,
        np.where(nothing, 0, own),
        np.where(nothing, 0, own_out),
        (campaign.out_by_colour > 0).sum(1),
        np.where(first, 0, others_out.max(1, initial=0)),
        np.bincount(cubes.row[old], minlength=len(drops)),
    )
    point = campaign.run_point[drops.run]
    run = _within(campaign.run_point)[drops.run]
    tables: list[Counts] = []
    for column in columns:
        table = np.full((points, games, DROPS), -1, np.int16)
        table[point, run, drops.drop] = column
        tables.append(table)
    return GameCounts(*tables)


def _within(run_point: Array) -> Array:
    """Number the runs of each point from 0."""
    first = np.searchsorted(run_point, run_point)
    return np.arange(len(run_point)) - first


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
    """A summary of drops `start` to `stop` of a game: its `name`, `words` for people, and scale.

    `of` takes games cut to these drops and gives the value on the scale of the fit (NaN where no drop tells it),
    `scale` takes cubes there and `back` from there; `needs` is a column without which it is not known.
    """

    name: str
    words: str
    of: Callable[[GameCounts], Array]
    scale: Callable[[Array | float], Array]
    back: Callable[[Array | float], Array]
    needs: str = "thrown"


def _share(value: Array | float) -> Array:
    return 1 / (1 + np.exp(-np.asarray(value)))


def _log_odds(value: Array | float) -> Array:
    return np.log(np.asarray(value) / (1 - np.asarray(value)))


def _odds(part: Array, of: Array | int) -> Array:
    """Return the log odds of `part` among `of`, half a one added on both sides; NaN of none."""
    return np.where(np.asarray(of) > 0, np.log((part + 0.5) / (of - part + 0.5)), np.nan)


def mean_where(values: Array, rows: Array) -> Array:
    """Return the mean of the `rows` of `values` over drops, NaN where there are none."""
    count = rows.sum(-1)
    return np.where(count > 0, (values * rows).sum(-1) / np.maximum(count, 1), np.nan)


def _is_skipped(games: GameCounts) -> Array:
    return (games.thrown == 0) | (games.out == 0)


TOTALS = ((5, 7), (8, 10))  # cubes out, ends included, of phases whose colours are summed up together


def _with_colours(games: GameCounts, least: int, most: int, among: int, out: tuple[int, int] = (1, CUBES)) -> Array:
    """Return the log odds of `least` to `most` colours, of the phases with `among` colours or more and `out` cubes."""
    of = (games.out >= out[0]) & (games.out <= out[1]) & (games.colours >= among)
    part = of & (games.colours >= least) & (games.colours <= most)
    return _odds(part.sum(-1), of.sum(-1))


def single_of(out: tuple[int, int]) -> str:
    """Return the name of the share of phases with one colour, of those with so many cubes out."""
    return f"single_{out[0]}_{out[1]}"


def many_of(out: tuple[int, int]) -> str:
    """Return the name of the share of phases with three colours or more, of those with two and so many cubes out."""
    return f"many_{out[0]}_{out[1]}"


def _given_total(out: tuple[int, int]) -> tuple[GameSummary, GameSummary]:
    words = f"phases with {out[0]} to {out[1]} out"
    one, three = partial(_with_colours, least=1, most=1, among=1), partial(_with_colours, least=3, most=CUBES, among=2)
    return (
        GameSummary(
            single_of(out), f"share with one colour, of {words}", partial(one, out=out), _log_odds, _share, "colours"
        ),
        GameSummary(
            many_of(out),
            f"share with three colours or more, of {words} and two or more colours",
            partial(three, out=out),
            _log_odds,
            _share,
            "colours",
        ),
    )


_OF_COUNTS = (
    GameSummary("setup", "inside after the set-up", lambda g: logit(g.inside[..., 0]), logit, expit),
    GameSummary("inside", "mean inside in play", lambda g: logit(g.inside.mean(-1)), logit, expit),
    GameSummary("out", "mean out in a phase", lambda g: log(g.out.mean(-1)), log, exp),
    GameSummary(
        "own",
        "share out of the thrown colour",
        lambda g: np.log((g.own_out.sum(-1) + 0.5) / (g.own.sum(-1) - g.own_out.sum(-1) + 0.5)),
        _log_odds,
        _share,
        "own",
    ),
    GameSummary("spread", "spread (sd) of out over phases", lambda g: log(g.out.std(-1)), log, exp),
    GameSummary(
        "turn",
        "mean out, over a seventh of the cubes outside",
        lambda g: log(g.out.mean(-1)) - seventh(logit(g.inside.mean(-1))),
        log,
        exp,
    ),
)

_OF_COLOURS = (
    GameSummary(
        "colours",
        "mean colours out, of phases with something out",
        lambda g: np.log(mean_where(g.colours, g.out > 0)),
        np.log,
        np.exp,
        "colours",
    ),
    GameSummary(
        "single",
        "share with one colour, of phases with something out",
        partial(_with_colours, least=1, most=1, among=1),
        _log_odds,
        _share,
        "colours",
    ),
    GameSummary(
        "many",
        "share with three colours or more, of phases with something out",
        partial(_with_colours, least=3, most=CUBES, among=1),
        _log_odds,
        _share,
        "colours",
    ),
    GameSummary(
        "leads",
        "share in which the thrown colour is the most numerous, of phases with something out",
        lambda g: _odds(((g.own_out > g.lead) & (g.out > 0)).sum(-1), (g.out > 0).sum(-1)),
        _log_odds,
        _share,
        "lead",
    ),
    GameSummary(
        "share_own",
        "share of the thrown colour among cubes out",
        lambda g: _odds(g.own_out.sum(-1), g.out.sum(-1)),
        _log_odds,
        _share,
        "own",
    ),
    GameSummary(
        "old", "cubes out of a phase that were inside before", lambda g: log(g.old_out.mean(-1)), log, exp, "old_out"
    ),
    GameSummary(
        "ones",
        "share of phases in which one cube comes out",
        lambda g: _odds((g.out == 1).sum(-1), g.out.shape[-1]),
        _log_odds,
        _share,
    ),
    GameSummary(
        "skipped",
        "share of phases with nothing thrown or nothing out",
        lambda g: _odds(_is_skipped(g).sum(-1), g.out.shape[-1]),
        _log_odds,
        _share,
    ),
    GameSummary(
        "points",
        "mean action points, of phases with something out",
        lambda g: log(mean_where(np.maximum(g.own_out, g.lead), g.out > 0)),
        log,
        exp,
        "lead",
    ),
    *(summary for out in TOTALS for summary in _given_total(out)),
)

SUMMARIES: dict[str, GameSummary] = {summary.name: summary for summary in (*_OF_COUNTS, *_OF_COLOURS)}


@dataclass(frozen=True, slots=True, order=True)
class Window:
    """A summary by its name and the drops of a game that it is made of, `start` to before `stop`."""

    summary: str
    start: int
    stop: int

    def is_known(self, game: GameCounts) -> bool:
        """Return whether one game tells it."""
        return bool((getattr(game, SUMMARIES[self.summary].needs)[self.start : self.stop] >= 0).all())

    def of(self, games: GameCounts) -> Array:
        """Return the summary of each game, NaN where it lacks a drop or what it needs; shape as `games`, less drops."""
        cut = games.take((..., slice(self.start, self.stop)))
        summary = SUMMARIES[self.summary]
        known = (cut.thrown >= 0) & (getattr(cut, summary.needs) >= 0)
        whole = cut.thrown.shape[-1] == self.stop - self.start and known.all(-1)
        with np.errstate(invalid="ignore", divide="ignore"):  # where a game is not whole
            return np.where(whole, summary.of(cut), np.nan)


SETUP = Window("setup", 0, 1)


def windows(start: int, stop: int) -> list[Window]:
    """Return the windows of drops `start` to before `stop` of a game: the set-up if it is there, and the play."""
    of_drops = [SETUP] if start == 0 < stop else []
    first = max(start, 1)
    if stop > first:
        names = ["inside", "out", "own", *(["spread"] if stop - first >= SPREAD_FROM else [])]
        of_drops += [Window(name, first, stop) for name in names]
    return of_drops


# whole games: what recorded drops are summed up by, and that with the colours
WHOLE = {window.summary: window for window in windows(0, DROPS)}
EVERY = WHOLE | {summary.name: Window(summary.name, 1, DROPS) for summary in _OF_COLOURS}
