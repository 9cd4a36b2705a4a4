"""What a comparison and a game say to each other: the figures of runs, what came of them, and words for that.

The comparison (tower_sim/compare) knows no game; it asks `Game.compared` for an object of this module.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Protocol, cast

import numpy as np

from tower_sim.contract import DropModel
from tower_sim.games.running import shares, word_facts
from tower_sim.games.turn import Turn
from tower_sim.runs.array import Array
from tower_sim.runs.figure import Figure

_CERTAIN = 1e-4  # adjusted p
_TOLD = 4  # figures told in plain words with their means; others by name
_NAMED = 6  # of those others
_ALIKE = 0.1  # of A's mean: two means that differ by less are about the same


class Sureness(StrEnum):
    """What the pairs say of a figure's difference."""

    SHOWN = "shown"
    """It holds for all figures of its table together."""
    LIKELY = "likely"
    """Its own interval leaves 0 out, but that is no more than chance may do to one of so many figures."""
    ALIKE = "alike"
    """It may be 0, and is under a tenth of A's mean whatever it is."""
    OPEN = "open"
    """It may be 0, and it may be large."""


@dataclass(frozen=True)
class Group:
    """Figures that are judged together: their `key` in the document, the `head` over their table.

    `of` is what the figures of the group are shares of, as in `room`, for words; empty where they are no shares.
    """

    key: str
    head: str
    figures: tuple[Figure, ...]
    of: str = ""


@dataclass(frozen=True, eq=False)
class Values:
    """Some whole runs of one variant as numbers: `values` are their figures, shape (run, figure), all groups in order.

    `drops` is how many drops they have in all and `beyond` how many of these are outside of what a fitted model covers;
    None where it does not tell. `course` is what else the game counts of them: None, or an object whose `and_` returns
    the counts of both.
    """

    values: Array
    drops: int = 0
    beyond: int | None = None
    course: Any = None

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, eq=False)
class Curve:
    """A number by turn over `runs` runs of one variant: `mean`, `sd` and what 5 and 95 % of runs do not exceed.

    Arrays of shape (turn,).
    """

    runs: int
    mean: Array
    sd: Array
    low: Array
    high: Array


@dataclass(frozen=True, eq=False)
class Picture:
    """How the runs of A and B went, by turn: what the axes are of, and where a part of a run ends, called `part`."""

    curves: tuple[Curve, Curve]
    x: str
    y: str
    ends: tuple[float, ...] = ()
    part: str = ""


@dataclass(frozen=True)
class Row:
    """One figure in both variants: means and standard deviations over runs, and the mean difference B - A.

    `interval` is of 95 %, this figure by itself; `correlation` is of A with B over pairs; `p_adjusted` is for all
    figures of its table together, and `shown` is whether it is at most 5 %. `shows_from` is the smallest difference
    that so many pairs show with chance 80 %, and `smaller` a smaller one with the pairs that it needs: half the
    difference when it is shown, else half of `shows_from`. None where the runs give none: no two pairs differ.
    """

    key: str
    title: str
    unit: str
    mean_a: float
    mean_b: float
    sd_a: float
    sd_b: float
    difference: float
    sd_difference: float
    interval: tuple[float, float] | None
    correlation: float | None
    p: float
    p_adjusted: float
    shown: bool
    shows_from: float | None
    smaller: tuple[float, int] | None

    @property
    def relative(self) -> tuple[float, float, float] | None:
        """The difference and its interval as shares of A's mean; None where that is 0."""
        if self.mean_a == 0:
            return None
        low, high = self.interval or (self.difference, self.difference)
        return self.difference / self.mean_a, low / self.mean_a, high / self.mean_a

    @property
    def never(self) -> bool:
        """Whether it is 0 in every run of both."""
        return not (self.mean_a or self.mean_b or self.sd_a or self.sd_b)

    @property
    def verdict(self) -> Sureness:
        """What the pairs say of the difference."""
        if self.shown:
            return Sureness.SHOWN
        low, high = self.interval or (self.difference, self.difference)
        if self.interval and (low > 0 or high < 0):
            return Sureness.LIKELY
        return Sureness.ALIKE if max(-low, high) <= _ALIKE * abs(self.mean_a) else Sureness.OPEN

    @property
    def effect(self) -> float:
        """How much of the difference one run shows: it over the root mean square of the standard deviations."""
        spread = math.sqrt((self.sd_a**2 + self.sd_b**2) / 2)
        return abs(self.difference) / spread if spread else math.inf * bool(self.difference)

    @property
    def pairing_gain(self) -> float | None:
        """How many times as many runs equal intervals would need without pairs; None where no two pairs differ."""
        return (self.sd_a**2 + self.sd_b**2) / self.sd_difference**2 if self.sd_difference else None


class Sampler(Protocol):
    """Samples many runs of a game at once, with one model."""

    def __call__(self, side: int, runs: int, seed: int, first: int) -> Values:
        """Sample `runs` runs by the rules of `side`; run r draws from the stream first + r of `seed`."""
        ...


class Compared:
    """How a comparison sees a game played by the rules of A and of B; `side` is 0 for A and 1 for B.

    This one is of any game that has figures. A game with more to say returns one of its own from `Game.compared`.
    """

    def __init__(self, game: Any, rules: tuple[Any, Any]) -> None:
        self.game = game
        self.rules = rules
        self.groups = self.grouped()

    def grouped(self) -> tuple[Group, ...]:
        """Return the groups of figures: the game's own, called `figures`, then the shares of words of its facts."""
        own = Group("figures", f"a {self.game.run}", self.game.figures)
        return (own, *(_shares(name, words) for name, words in word_facts(self.game).items()))

    def run(self, turns: Sequence[Turn], side: int) -> Values:
        """Return one whole run as numbers."""
        more = [share for words in shares(self.game, turns).values() for share in words.values()]
        return Values(np.array([[*self.game.measured(turns, self.rules[side]), *more]], float), len(turns))

    def none(self, side: int) -> Values:
        """Return no runs."""
        return Values(np.zeros((0, sum(len(group.figures) for group in self.groups))))

    # Many runs at once, where the game can and the model too.

    def sampler(self, model: DropModel) -> Sampler | None:
        """Return what samples many runs of the game at once with `model`; None where it is played run by run."""
        return None

    def numbers(self) -> int:
        """Return how many numbers a sampled run is, at most, so that memory has a bound."""
        return 1

    # What is told.

    def check(self, side: int) -> None:
        """Raise UsageError for rules whose runs have no figures."""

    def keys(self, side: int) -> dict[str, Any]:
        """Return what the rules say, by dotted key, ready for `json.dumps`; the variants are told apart by it."""
        first, *others = self.game.tables
        tables = self.game.plain(self.rules[side])
        more = {name: tables[name] for name in others if name in tables}
        return dict(leaves(tables.get(first, {}))) | dict(leaves(more))

    def is_unseen(self, key: str) -> bool:
        """Say whether no figure depends on what `key` says."""
        return False

    def document(self, side: int) -> dict[str, Any]:
        """Return the rules for the JSON document."""
        tables = self.game.plain(self.rules[side])
        return tables[self.game.tables[0]] if len(tables) == 1 else tables

    def named(self, side: int) -> str:
        """Return the rules in a few words; empty: the variant's name has to do."""
        return ""

    def words(self, groups: Sequence[Sequence[Row]], courses: tuple[Any, Any]) -> str:
        """Say in a few sentences what a player will notice, and how sure that is; `groups` are the rows of `groups`.

        Of figures that are shown or likely those with the largest effect are told with their means, others by name.
        """
        rows = [(row, group.of) for group, some in zip(self.groups, groups, strict=True) for row in some]
        seen = [(row, of) for row, of in rows if row.verdict in (Sureness.SHOWN, Sureness.LIKELY)]
        seen.sort(key=lambda each: (each[0].verdict is Sureness.LIKELY, -each[0].effect))
        others = len(rows) - len(seen)
        if not seen:
            which = f"any of {others} figures" if others > 1 else "its figure"
            return f"No difference between A and B is shown in {which}. {_reach([row for row, _ in rows])}".rstrip()
        said = [_told(row, of, self.game.run) for row, of in seen[:_TOLD]]
        names = [f"{of} {row.title}".strip() for row, of in seen[_TOLD:]]
        more = [f"{len(names) - _NAMED} more"] * (len(names) > _NAMED)
        also = f" Other figures differ too: {', '.join([*names[:_NAMED], *more])}." if names else ""
        rest = f" Of {others} other figure{'s' * (others != 1)} no difference is shown." if others else ""
        return f"B: {'; '.join(said)}.{also}{rest}"

    def picture(self, courses: tuple[Any, Any]) -> Picture | None:
        """Return how runs went, to be drawn; None: nothing beside the figures."""
        return None


def _shares(name: str, words: Sequence[str]) -> Group:
    title = name.replace("_", " ")
    figures = tuple(Figure(f"{name}_{word}", str(word).replace("_", " "), "1") for word in words)
    return Group(f"shares_{name}", f"share of {title}", figures, title)


# Words


def more_or_less(row: Row) -> str:
    """Say the difference of a figure in its unit, as in `about 1.2 cubes more`."""
    unit = "" if row.unit in ("1", *row.title.split()) else row.unit
    return f"about {number(abs(row.difference))} {unit} {'less' if row.difference < 0 else 'more'}".replace("  ", " ")


def instead(row: Row, unit: str = "") -> str:
    """Say both means with so many decimals that they differ, as they do."""
    said = number(row.mean_b), number(row.mean_a)
    decimals = 1
    while said[0] == said[1] and decimals < 6:
        decimals += 1
        said = f"{row.mean_b:.{decimals}f}", f"{row.mean_a:.{decimals}f}"
    return f"{said[0]}{unit} instead of {said[1]}"


def how_sure(row: Row, run: str, unit: str = "", scale: float = 1) -> str:
    """Say how sure a difference is and, where it is not, how large it may be, in `unit`; a run is called `run`."""
    if row.verdict is Sureness.SHOWN:
        return "certain" if row.p_adjusted <= _CERTAIN else "very likely"
    if row.interval is None:
        return f"no {run} differs" if row.difference == 0 else f"too few {run}s to tell"
    low, high = (scale * end for end in row.interval)
    if row.verdict is Sureness.ALIKE:
        return f"no difference is shown, and it is most likely under {number(max(-low, high))} {unit}".rstrip()
    fewer = "fewer" if unit else "less"
    if row.verdict is Sureness.OPEN:
        return f"no difference is shown, but it may be {number(-low)} {fewer} to {number(high)} more"
    ends = f"{number(low)} to {number(high)} more" if low > 0 else f"{number(-high)} to {number(-low)} {fewer}"
    return f"likely, but not sure, and it may be {ends}"


def _told(row: Row, of: str, run: str) -> str:
    """Say the difference of a figure; one of shares in percent of what it is a share `of`."""
    if not of:
        return f"{row.title} {more_or_less(row)} ({instead(row)}): {how_sure(row, run)}"
    shares = instead(replace(row, mean_a=100 * row.mean_a, mean_b=100 * row.mean_b), " %")
    return f"{of} is {row.title} in {shares}: {how_sure(row, run, 'points', 100)}"


def _reach(rows: Sequence[Row]) -> str:
    """Say of which figures the difference may be large all the same."""
    wide = [row.title for row in rows if row.verdict is Sureness.OPEN]
    more = f" and {len(wide) - _NAMED} more" if len(wide) > _NAMED else ""
    return f"It may be large all the same, over a tenth, in {', '.join(wide[:_NAMED])}{more}." if wide else ""


def number(value: float) -> str:
    """Write a number as people say it: whole from 20, else with one decimal, below 1 with two figures."""
    size = abs(value)
    if size >= 20:
        return f"{value:.0f}"
    return f"{value:.1f}" if size >= 0.95 else f"{value:.2g}"


def leaves(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values in nested tables, each with its dotted key."""
    if isinstance(value, Mapping):
        for key, inner in cast("Mapping[str, Any]", value).items():
            yield from leaves(inner, f"{prefix}.{key}" if prefix else key)
    else:
        yield prefix, value
