"""The interface between a comparison of two variants and a game: figures of runs, statistics, sentences.

A comparison (`tower_sim.studies`) plays pairs of runs of the variants A and B, and asks `Game.compared` for the
rest.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, cast

import numpy as np

from tower_sim.drops import DropModel
from tower_sim.games.running import count_words, record, word_facts
from tower_sim.games.tower import Turn
from tower_sim.results import Array, Estimate, Figure, Results, brief, capitalise, table
from tower_sim.tools import count_noun

LEVEL = 0.05  # probability that any figure of a table is shown if none differs
_CERTAIN = 1e-4  # adjusted p up to which a difference is called certain
_WITH_MEANS = 4  # figures that the sentences give with their means
_NAMED = 6  # further figures that the sentences name
_ALIKE = 0.1  # share of A's mean: means that differ by less are about the same


class Sureness(StrEnum):
    """The conclusion about a figure's difference between A and B."""

    SHOWN = "shown"
    """The difference is significant, even after the correction for all figures of its table."""
    LIKELY = "likely"
    """The interval of this figure alone excludes 0, but with so many figures this may be chance."""
    ALIKE = "alike"
    """The difference may be 0. No value in its interval is larger than a tenth of A's mean."""
    OPEN = "open"
    """The difference may be 0, but it may also be larger than a tenth of A's mean, or the pairs are too few."""


@dataclass(frozen=True)
class Group:
    """Figures whose tests are corrected together, shown as one table with the heading `head`.

    If all figures are shares of one thing, `of` names it, such as `room`.
    """

    key: str
    head: str
    figures: tuple[Figure, ...]
    of: str = ""


@dataclass(frozen=True, eq=False)
class Values:
    """Numbers of complete runs of one variant: its figures `values`, shape (run, figure), and `course`, by name further
    numbers of each run, for the picture.

    `beyond` is the number of `drops` outside the training range of a fitted model, or None for a model without one.
    `draws` are the numbers that landed and that were drawn again; None if the model does not report them.
    """

    values: Array
    course: Mapping[str, Array] = field(default_factory=dict[str, Array])
    drops: int = 0
    beyond: int | None = None
    draws: tuple[int, int] | None = None

    def __len__(self) -> int:
        return len(self.values)

    @staticmethod
    def together(parts: Sequence[Values]) -> Values:
        """Return the runs of all parts."""
        beyond, draws = ([part.beyond for part in parts], [part.draws for part in parts])
        return Values(
            np.concatenate([part.values for part in parts]),
            {name: np.concatenate([part.course[name] for part in parts]) for name in parts[0].course},
            sum(part.drops for part in parts),
            None if None in beyond else sum(cast("list[int]", beyond)),
            None if None in draws else cast("tuple[int, int]", tuple(map(sum, zip(*cast("Any", draws), strict=True)))),
        )


@dataclass(frozen=True, eq=False)
class Picture:
    """A quantity of A and B by turn, each of shape (runs, turns), and lines at the `ends` of parts of a run."""

    sides: tuple[Array, Array]
    x: str
    y: str
    ends: tuple[float, ...] = ()
    part: str = ""


@dataclass(frozen=True)
class Row:
    """Statistics of one figure in both variants, over pairs of runs.

    `difference` is the mean of B - A with the 95 % confidence interval of this figure alone. It has no interval if all
    pairs have the same difference, and for fewer than FEWEST pairs; then there is no `correlation` either. `p` is
    two-sided, and `p_adjusted` is corrected for all `tests` figures of the table. `half_b` is half of the 95 % interval
    of B's mean.
    """

    key: str
    title: str
    unit: str
    difference: Estimate
    mean_a: float
    mean_b: float
    sd_a: float
    sd_b: float
    sd_difference: float
    correlation: float
    p: float
    p_adjusted: float
    tests: int
    half_b: float = math.nan

    @property
    def extra_unit(self) -> str:
        """The unit, unless the title says it."""
        return "" if self.unit in ("1", *self.title.split()) else self.unit

    @property
    def shown(self) -> bool:
        return self.p_adjusted <= LEVEL

    @property
    def interval(self) -> tuple[float, float] | None:
        low, high = self.difference.low, self.difference.high
        return None if math.isnan(low) else (low, high)

    @property
    def never(self) -> bool:
        return not (self.mean_a or self.mean_b or self.sd_a or self.sd_b)

    @property
    def verdict(self) -> Sureness:
        if self.shown:
            return Sureness.SHOWN
        if self.interval is None and self.sd_difference:
            return Sureness.OPEN
        low, high = self.interval or (self.difference.value, self.difference.value)
        if self.interval and (low > 0 or high < 0):
            return Sureness.LIKELY
        return Sureness.ALIKE if max(-low, high) <= _ALIKE * abs(self.mean_a) else Sureness.OPEN

    @property
    def effect(self) -> float:
        """The absolute difference in units of the root mean square of both standard deviations."""
        spread = math.sqrt((self.sd_a**2 + self.sd_b**2) / 2)
        return abs(self.difference.value) / spread if spread else math.inf * bool(self.difference.value)

    @property
    def pairing_gain(self) -> float | None:
        """The factor for the number of unpaired runs that give an equally wide interval."""
        return (self.sd_a**2 + self.sd_b**2) / self.sd_difference**2 if self.sd_difference else None


Course = Mapping[str, Array]
"""Further numbers of each run, by name."""
Sampler = Callable[[int, int, int, int], Values]
"""A function of a side, the number of runs, a seed and `first`: run r draws from stream first + r of the seed."""


class Compared:
    """A description of one game for a comparison. `rules` are those of A and B; a `side` is 0 for A, 1 for B.

    A game with more to report returns a subclass.
    """

    def __init__(self, game: Any, rules: tuple[Any, Any]) -> None:
        self.game = game
        self.rules = rules
        self.groups = self.make_groups()

    def make_groups(self) -> tuple[Group, ...]:
        """Return the game's figures, then the share of each word for each fact of words."""
        groups = [Group("figures", f"a {self.game.run}", self.game.figures)]
        for name, words in word_facts(self.game).items():
            title = name.replace("_", " ")
            figures = tuple(Figure(f"{name}_{word}", str(word).replace("_", " "), "1") for word in words)
            groups.append(Group(f"shares_{name}", f"share of {title}", figures, title))
        return tuple(groups)

    @property
    def width(self) -> int:
        """The number of figures."""
        return sum(len(group.figures) for group in self.groups)

    def run(self, turns: Sequence[Turn], side: int) -> Values:
        return self.measure(record(self.game, [turns], self.rules[side]), side)

    def measure(self, results: Results, side: int) -> Values:
        """Return the figures of many runs with the rules of a side."""
        told = count_words(results).values()
        shares = [counts / np.maximum(counts.sum(1, keepdims=True), 1) for counts in told]
        return Values(np.hstack([table(results, self.game.figures), *shares]))

    # Many runs at once, if the game and the model can.

    def sampler(self, model: DropModel) -> Sampler | None:
        """Return a sampler, or None without one."""
        return None

    def numbers(self) -> int:
        """Return an upper bound for the numbers in a sampled run."""
        return 1

    # The report.

    def check(self, side: int) -> None:
        """Raise UsageError if runs with these rules have no figures."""

    def keys(self, side: int) -> dict[str, Any]:
        """Return the rules by dotted key, ready for `json.dumps`."""
        first, *others = self.game.tables
        tables = self.game.plain(self.rules[side])
        more = {name: tables[name] for name in others if name in tables}
        return dict(leaves(tables.get(first, {}))) | dict(leaves(more))

    def is_unseen(self, key: str) -> bool:
        """Return whether no figure depends on the rule `key`."""
        return False

    def document(self, side: int) -> dict[str, Any]:
        tables = self.game.plain(self.rules[side])
        return tables[self.game.tables[0]] if len(tables) == 1 else tables

    def label(self, side: int) -> str:
        """Return the rules in a few words, or ""."""
        return self.game.label(self.rules[side])

    def words(self, rows: Sequence[Row]) -> str:
        """Return sentences about what a player will notice, the surest first.

        Figures that have a sentence come first, then the largest effects. Where a game has such figures, only these
        are told that are likely and not shown.
        """
        about = {figure.key: (figure, group.of) for group in self.groups for figure in group.figures}
        told = {key for key, (figure, _) in about.items() if figure.sentence}
        seen = [row for row in rows if row.shown or (row.verdict is Sureness.LIKELY and (row.key in told or not told))]
        seen.sort(key=lambda row: (_rank(row), row.key not in told, 0 if row.key in told else -row.effect))
        others = [row for row in rows if row not in seen]
        reach = self._reach([row for row in others if not about[row.key][0].minor])
        if not seen:
            return _say("none" if len(rows) > 1 else "none in one", number=len(rows), reach=reach)
        means = [_describe(row, *about[row.key]) for row in seen[:_WITH_MEANS]]
        by_sureness = [(how, "; ".join(words for words, _ in some)) for how, some in groupby(means, key=itemgetter(1))]
        first = " ".join(f"{capitalise(words) if i else words}: {how}." for i, (how, words) in enumerate(by_sureness))
        names = [f"{about[row.key][1]} {row.title}".strip() for row in seen[_WITH_MEANS:]]
        also = _say("also", titles=_list(names, ", ")) if names else ""
        rest = _say("rest", others=count_noun(len(others), "other figure"), reach=reach) if others else ""
        return _say("seen", first=first, also=also, rest=rest)

    def _reach(self, rows: Sequence[Row]) -> str:
        if any(row.interval is None and row.sd_difference for row in rows):
            return _say("few", run=self.game.run)
        wide = [row.title for row in rows if row.verdict is Sureness.OPEN]
        return _say("large", titles=_list(wide, " and ")) if wide else ""

    def picture(self, courses: tuple[Course, Course]) -> Picture | None:
        return None


SENTENCES: Mapping[str, str] = json.loads(Path(__file__).with_name("sentences.json").read_text("utf-8"))
"""The sentences of a comparison, which the command and the lab fill."""


def _say(key: str, **values: object) -> str:
    return SENTENCES[key].format(**values)


def _list(names: Sequence[str], last: str) -> str:
    return ", ".join(names[:_NAMED]) + (f"{last}{len(names) - _NAMED} more" if len(names) > _NAMED else "")


def instead(row: Row) -> str:
    """Return both means, as in `3.4 instead of 2.9`, with decimals that distinguish them."""
    a, b = brief(row.mean_a), brief(row.mean_b)
    for decimals in range(2, 7):
        if a != b:
            break
        a, b = f"{row.mean_a:.{decimals}f}", f"{row.mean_b:.{decimals}f}"
    return _say("instead", a=a, b=b)


def how_sure(row: Row, scale: float = 1) -> str:
    """Return how sure a difference is that is shown or likely, and unless it is shown, its ends times `scale`."""
    if row.verdict is Sureness.SHOWN:
        return SENTENCES["certain" if row.p_adjusted <= _CERTAIN else "very likely"]
    low, high = sorted(abs(scale * end) for end in row.interval or (math.nan, math.nan))
    return _say("more" if row.difference.value > 0 else "less", low=brief(low), high=brief(high))


def _rank(row: Row) -> int:
    return 2 if row.verdict is Sureness.LIKELY else int(row.p_adjusted > _CERTAIN)


def _describe(row: Row, figure: Figure, of: str) -> tuple[str, str]:
    """Return a difference in words and how sure it is; `of` is what shares are of."""
    scale = 100 if figure.is_share and (of or figure.sentence) else 1
    means = instead(replace(row, mean_a=scale * row.mean_a, mean_b=scale * row.mean_b)) + " %" * (scale == 100)
    how = how_sure(row, scale)
    if of:
        return _say("share", of=of, title=row.title, instead=means), how
    if figure.sentence:
        text = figure.sentence.format(means).removesuffix(".")
        return text[:1].lower() + text[1:], how
    by = f"{brief(abs(row.difference.value))} {row.extra_unit}".strip()
    more = "less" if row.difference.value < 0 else "more"
    return _say("figure", title=row.title, by=by, more=more, instead=means), how


def leaves(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values in nested tables, each with its dotted key."""
    if isinstance(value, Mapping):
        for key, inner in cast("Mapping[str, Any]", value).items():
            yield from leaves(inner, f"{prefix}.{key}" if prefix else key)
    else:
        yield prefix, value
