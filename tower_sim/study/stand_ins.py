"""The tower of a game against the deck, bag or dice that it stands in for: odds, repeats, first times, order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tower_sim.campaign.data import NOWHERE, Array, Campaign, Words
from tower_sim.errors import UsageError
from tower_sim.games.stand_in import StandIn
from tower_sim.statistics import Estimate, Estimates, Resamples, holm, ratio_of_sums, student_cdf

LAGS = 5  # draws back that a repeat is looked for
LONGEST = 300  # draws of which the law of an event's first is told
LEVEL = 0.05  # below which a difference is called sure, after Holm's adjustment: of repeats, one statement
LEVEL_OF_MANY = 0.01  # of shares, first draws and order, of which every event has three
EARLY = 3  # the early draws of a deck that is drawn whole are the first third


@dataclass(frozen=True)
class BesideExact:
    """A figure of the tower, that of the device, and `p`, the chance of a difference like it were they the same.

    `p` is adjusted (Holm) for all rows that are told together, from Student's law of the ratio over runs; NaN: not
    tested. A difference is sure where it is below `level`.
    """

    name: str
    tower: Estimate
    exact: float
    p: float
    level: float = LEVEL

    @property
    def differs(self) -> bool:
        """Whether the difference is sure."""
        return self.p < self.level

    @property
    def farthest(self) -> float:
        """How far from the exact figure the tower's may be, by its interval."""
        return max(abs(self.tower.low - self.exact), abs(self.tower.high - self.exact))


@dataclass(frozen=True)
class Against:
    """The tower against the device, for runs that are alike; `label` says which runs.

    `shares` are of all draws, of a deck that is drawn whole of its early ones; `repeats` of draws that give the event
    of 1, 2, ... draws before; `twice` is the first of these, and where several events count as one kind a second
    row; `first` are mean first draws in the whole runs in which an event came, `never` the shares of those in which it
    did not, none of a deck that is drawn whole; `place` are mean numbers of draws.
    """

    label: str
    stand_in: StandIn
    runs: int
    whole: int
    early: int
    shares: Sequence[BesideExact]
    repeats: Sequence[BesideExact]
    twice: Sequence[BesideExact]
    first: Sequence[BesideExact]
    never: Sequence[BesideExact]
    place: Sequence[BesideExact]
    laws: Mapping[str, tuple[Array, Array]]


def stand_in_of(campaign: Campaign) -> StandIn | None:
    """Return what the tower stands in for in a campaign of one design point; None: nothing, or nothing was drawn."""
    game = campaign.game
    if game is None:
        return None
    try:
        rules = game.read({name: campaign.spec[name] for name in game.tables if campaign.spec.get(name)})
        found = game.stand_in(rules)
    except UsageError:  # of rules that this version does not know
        return None
    return found if found is not None and (_events(campaign, found).codes >= 0).any() else None


def against(campaign: Campaign, boot: Resamples, stand_in: StandIn, label: str = "") -> Against:
    """Compare a campaign of one design point with what its tower stands in for."""
    return _against(_draws(campaign, stand_in), boot, stand_in, label)


def against_runs(runs: Sequence[Sequence[str]], boot: Resamples, like: Against) -> Against:
    """Compare the events of runs that were played elsewhere, `like` a campaign's, of which all events are told."""
    stand_in, known = like.stand_in, like.stand_in.device.events
    told = (row.name for row in like.shares)
    events = tuple(dict.fromkeys([*known, *told, *(event for run in runs for event in run)]))
    drawn = np.full((len(runs), max(stand_in.draws, *map(len, runs))), NOWHERE)
    for number, run in enumerate(runs):
        drawn[number, : len(run)] = [events.index(event) for event in run]
    return _against(_Draws(events, known, drawn, stand_in.draws), boot, stand_in, like.label)


def _against(table: _Draws, boot: Resamples, stand_in: StandIn, label: str) -> Against:
    early = -(-stand_in.draws // EARLY) if stand_in.is_whole else stand_in.draws
    some = table.early(early) if stand_in.is_whole else table
    chances = stand_in.device.chances()
    exact = [float(chances.get(event, 0)) for event in table.events]
    size = len(table.events)
    drawn = np.repeat((some.drawn >= 0).sum(1)[:, None], size, axis=1)
    lags = min(LAGS, table.drawn.shape[1] - 1)
    twice = float(stand_in.device.twice())
    repeats = _rows(
        [f"{lag} draw{'' if lag == 1 else 's'} before" for lag in range(1, lags + 1)],
        *table.repeats(lags), [twice] * lags, boot, shares=True,
    )  # fmt: skip
    said = [replace(row, name="the same event as the draw before") for row in repeats[:1]]
    if stand_in.device.kinds and repeats:
        lumped = table.lumped(stand_in.device.kinds)
        alike = ", ".join(stand_in.device.kinds)
        exactly = [float(stand_in.device.lumped().twice())]
        said += _rows([f"the same, {alike} as one"], *lumped.repeats(1), exactly, boot, shares=True)
    whole = np.repeat(table.is_whole[:, None], size, axis=1).astype(float)
    came = whole * (table.counts > 0)
    absent = [float(stand_in.device.absent(event, stand_in.draws)) for event in table.known]
    means = [_mean_first(stand_in, event) for event in table.known] + [np.nan] * (size - len(table.known))
    middle = [(stand_in.draws + 1) / 2] * size
    told = [
        _rows(table.events, some.counts, drawn, exact, boot, shares=True),
        _rows(table.events, table.first * came, came, means, boot),
        [] if stand_in.is_whole else _rows(table.known, (whole - came)[:, : len(absent)], whole[:, : len(absent)],
                                           absent, boot, shares=True),
        _rows(table.events, table.numbers * whole, table.counts * whole, middle, boot),
    ]  # fmt: skip
    shares, first, never, place = _adjusted(told, LEVEL_OF_MANY)
    (repeats,), (said,) = _adjusted([repeats], LEVEL), _adjusted([said], LEVEL)
    return Against(
        label=label,
        stand_in=stand_in,
        runs=len(table.drawn),
        whole=int(table.is_whole.sum()),
        early=early,
        shares=shares,
        repeats=repeats,
        twice=said,
        first=first,
        never=never,
        place=place,
        laws=_laws(table, stand_in),
    )


def _mean_first(stand_in: StandIn, event: str) -> float:
    """Return the mean draw of the first `event` of the device, where it comes at all; NaN where it never does."""
    draws, device = stand_in.draws, stand_in.device
    absent = device.absent(event, draws)
    return float((device.mean_first(event, draws) - (draws + 1) * absent) / (1 - absent)) if absent < 1 else np.nan


def _rows(
    names: Sequence[str],
    over: Array,
    under: Array,
    exact: Sequence[float],
    boot: Resamples,
    *,
    shares: bool = False,
) -> list[BesideExact]:
    """Compare ratios of sums over runs, a column for each name, with exact figures."""
    over, under = over.astype(float), under.astype(float)
    values: Estimates = (boot.shares if shares else boot.ratios)(over, under)
    tests: list[float] = []
    freedom = max(boot.runs - boot.strata, 1)
    for i, known in enumerate(exact):
        mean, error = ratio_of_sums(over[:, i].tolist(), under[:, i].tolist())
        is_tested = np.isfinite(error) and np.isfinite(known) and error > 0 and boot.has_intervals
        tests.append(2 * float(student_cdf(freedom, -abs(mean - known) / error)) if is_tested else np.nan)
    n = under.sum(0)
    return [
        BesideExact(name, values.at(i, round(float(n[i]))), known, tests[i])
        for i, (name, known) in enumerate(zip(names, exact, strict=True))
    ]


def _adjusted(families: Sequence[Sequence[BesideExact]], level: float) -> list[list[BesideExact]]:
    """Return the same rows with their p values adjusted for all of them together."""
    p = np.array([row.p for rows in families for row in rows])
    tested = np.isfinite(p)
    p[tested] = holm(p[tested])
    after = iter(p.tolist())
    return [[replace(row, p=next(after), level=level) for row in rows] for rows in families]


def _laws(table: _Draws, stand_in: StandIn) -> dict[str, tuple[Array, Array]]:
    """Return for each event the share of whole runs in which it first came at draw 1, 2, ..., and the exact chance."""
    at = table.first[table.is_whole]
    last = min(stand_in.draws, LONGEST)
    draws = np.arange(1, last + 1)
    return {
        event: (
            (at[:, i, None] == draws).sum(0) / max(len(at), 1),
            np.array([float(chance) for chance in stand_in.device.first(event, last)]),
        )
        for i, event in enumerate(table.known)
    }


def _events(campaign: Campaign, stand_in: StandIn) -> Words:
    """Return the event of each drop, of one that has none the code -1."""
    column = campaign.facts.get(stand_in.column)
    if column is None or isinstance(column, Words):
        return campaign.facts.words(stand_in.column, len(campaign.drops))
    numbers = np.asarray(column, float)
    return Words.of([str(int(x)) if np.isfinite(x) else None for x in numbers.tolist()])


@dataclass(frozen=True)
class _Draws:
    """The events of every run in their order: `drawn` has shape (runs, draws), numbers into `events`, then -1.

    `known` are the device's own events, which stand first; a whole run has as many as `wanted`.
    """

    events: tuple[str, ...]
    known: tuple[str, ...]
    drawn: Array
    wanted: int

    @cached_property
    def is_whole(self) -> Array:
        """Which runs drew as often as a whole one, shape (runs,)."""
        return (self.drawn >= 0).sum(1) == self.wanted

    @cached_property
    def _cells(self) -> tuple[Array, Array]:
        """For every draw its run and event as one number, and its number in the run, from 1: two of shape (n,)."""
        run, number = np.nonzero(self.drawn >= 0)
        return run * len(self.events) + self.drawn[run, number], number + 1

    @cached_property
    def counts(self) -> Array:
        """How often each event came, shape (runs, events)."""
        return self._by_event(np.bincount(self._cells[0], minlength=self.drawn.shape[0] * len(self.events)))

    @cached_property
    def numbers(self) -> Array:
        """The sum of the numbers of the draws that gave each event, from 1, shape (runs, events)."""
        return self._by_event(np.bincount(*self._cells, minlength=self.drawn.shape[0] * len(self.events)))

    @cached_property
    def first(self) -> Array:
        """The number of the first draw of each event, one after the last where it did not come: (runs, events)."""
        first = np.full(self.drawn.shape[0] * len(self.events), self.wanted + 1)
        np.minimum.at(first, *self._cells)
        return self._by_event(first)

    def _by_event(self, values: Array) -> Array:
        return values.reshape(-1, len(self.events))

    def repeats(self, lags: int) -> tuple[Array, Array]:
        """Count for 1, 2, ... `lags` draws back those like the one then, and all: two of shape (runs, lags)."""
        like = np.zeros((len(self.drawn), lags))
        every = np.zeros_like(like)
        for lag in range(1, lags + 1):
            now, then = self.drawn[:, lag:], self.drawn[:, :-lag]
            like[:, lag - 1] = ((now == then) & (now >= 0)).sum(1)
            every[:, lag - 1] = (now >= 0).sum(1)
        return like, every

    def early(self, draws: int) -> _Draws:
        """Return the first draws of every run."""
        return replace(self, drawn=self.drawn[:, :draws])

    def lumped(self, kinds: Mapping[str, Sequence[str]]) -> _Draws:
        """Return the same with each of `kinds` as one event."""
        kind_of = {word: kind for kind, words in kinds.items() for word in words}
        names = [kind_of.get(event, event) for event in self.events]
        events = tuple(dict.fromkeys(names))
        place = np.array([*(events.index(name) for name in names), -1])
        return replace(self, events=events, drawn=place[self.drawn])


def _draws(campaign: Campaign, stand_in: StandIn) -> _Draws:
    words = _events(campaign, stand_in)
    known = stand_in.device.events
    words = words.ordered([*known, *(name for name in words.names if name not in known)])
    events = (*known, *(name for name in words.names if name not in known))
    place = np.array([*(events.index(name) for name in words.names), NOWHERE])
    rows = np.flatnonzero(words.codes >= 0)  # in the order of play: drops are sorted by run and number
    run = campaign.drops.run[rows]
    counts = np.bincount(run, minlength=campaign.runs)
    number = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    drawn = np.full((campaign.runs, max(int(counts.max()), stand_in.draws)), NOWHERE)
    drawn[run, number] = place[words.codes[rows]]
    return _Draws(events, known, drawn, stand_in.draws)
