"""Games as arrays, and the summaries of a game that the fit compares: what it keeps, what comes out, how evenly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from itertools import groupby

import numpy as np

from calibration.observations import CUBES
from calibration.records import Record
from tower_sim.study.data import Array, Campaign

Counts = Array  # of whole numbers

DROPS = 36  # its set-up and 35 phases
SPREAD_FROM = 8  # drops, of which a spread can be told


@dataclass(frozen=True, slots=True)
class GameCounts:
    """Games as counts of cubes, each of shape (..., drops), -1 where a game has no such drop.

    `thrown`, `out` and, after the drop, `inside`; `own`: cubes of the colours thrown, thrown or inside before;
    `own_out`: how many of these came out.
    """

    thrown: Counts
    out: Counts
    inside: Counts
    own: Counts
    own_out: Counts

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
    for _, rows in groupby(records, key=lambda record: record.game):
        table: list[tuple[int, ...]] = []
        before = dict.fromkeys(records[0].thrown, 0)
        for row in rows:
            colours = [colour for colour, n in row.thrown.items() if n]
            own = sum(row.thrown[colour] + before[colour] for colour in colours)
            own_out = sum(row.out[colour] for colour in colours)
            before = row.inside
            table.append((sum(row.thrown.values()), sum(row.out.values()), sum(before.values()), own, own_out))
        counts.append(GameCounts(*np.array(table, np.int16).T))
    return counts


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
    nothing = drops.thrown == 0
    columns = (
        drops.thrown,
        drops.emerged,
        drops.inside_after,
        np.where(nothing, 0, own),
        np.where(nothing, 0, own_out),
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

    `of` takes games cut to these drops and gives the value on the scale of the fit, `scale` takes cubes there and
    `back` from there.
    """

    name: str
    words: str
    of: Callable[[GameCounts], Array]
    scale: Callable[[Array | float], Array]
    back: Callable[[Array | float], Array]


def _share(value: Array | float) -> Array:
    return 1 / (1 + np.exp(-np.asarray(value)))


def _log_odds(value: Array | float) -> Array:
    return np.log(np.asarray(value) / (1 - np.asarray(value)))


SUMMARIES: dict[str, GameSummary] = {
    summary.name: summary
    for summary in (
        GameSummary("setup", "inside after the set-up", lambda g: logit(g.inside[..., 0]), logit, expit),
        GameSummary("inside", "mean inside in play", lambda g: logit(g.inside.mean(-1)), logit, expit),
        GameSummary("out", "mean out in a phase", lambda g: log(g.out.mean(-1)), log, exp),
        GameSummary(
            "own",
            "share out of the thrown colour",
            lambda g: np.log((g.own_out.sum(-1) + 0.5) / (g.own.sum(-1) - g.own_out.sum(-1) + 0.5)),
            _log_odds,
            _share,
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
}


@dataclass(frozen=True, slots=True, order=True)
class Window:
    """A summary by its name and the drops of a game that it is made of, `start` to before `stop`."""

    summary: str
    start: int
    stop: int

    def of(self, games: GameCounts) -> Array:
        """Return the summary of each game, NaN where it lacks one of the drops; shape as `games`, less drops."""
        cut = games.take((..., slice(self.start, self.stop)))
        whole = cut.thrown.shape[-1] == self.stop - self.start and (cut.thrown >= 0).all(-1)
        with np.errstate(invalid="ignore", divide="ignore"):  # where a game is not whole
            return np.where(whole, SUMMARIES[self.summary].of(cut), np.nan)


SETUP = Window("setup", 0, 1)


def windows(start: int, stop: int) -> list[Window]:
    """Return the windows of drops `start` to before `stop` of a game: the set-up if it is there, and the play."""
    of_drops = [SETUP] if start == 0 < stop else []
    first = max(start, 1)
    if stop > first:
        names = ["inside", "out", "own", *(["spread"] if stop - first >= SPREAD_FROM else [])]
        of_drops += [Window(name, first, stop) for name in names]
    return of_drops


WHOLE = {window.summary: window for window in windows(0, DROPS)}
