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
from pathlib import Path
from typing import Any, cast

import numpy as np

from tower_sim.drops import DropModel
from tower_sim.games.running import count_words, record, word_facts
from tower_sim.games.tower import Turn
from tower_sim.results import Array, Estimate, Figure, Results, brief, table

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
    numbers of each run, for sentences and the picture.

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

    def words(self, groups: Sequence[Sequence[Row]], courses: tuple[Course, Course]) -> str:
        """Return a few sentences about what a player will notice, the largest effects first.

        `groups` has the rows of each of `self.groups`, and `courses` the further numbers of A and B.
        """
        rows = [(row, group.of) for group, some in zip(self.groups, groups, strict=True) for row in some]
        seen = [(row, of) for row, of in rows if row.verdict in (Sureness.SHOWN, Sureness.LIKELY)]
        seen.sort(key=lambda each: (each[0].verdict is Sureness.LIKELY, -each[0].effect))
        others = len(rows) - len(seen)
        if not seen:
            which = f"any of {others} figures" if others > 1 else "its figure"
            reach = _describe_open([row for row, _ in rows], self.game.run)
            return f"No difference between A and B is shown in {which}{reach}."
        first = "; ".join(_describe(row, of, self.game.run) for row, of in seen[:_WITH_MEANS])
        names = [f"{of} {row.title}".strip() for row, of in seen[_WITH_MEANS:]]
        more = [f"{len(names) - _NAMED} more"] * (len(names) > _NAMED)
        also = f" Other figures differ too: {', '.join([*names[:_NAMED], *more])}." if names else ""
        rest = f" Of {others} other figure{'s' * (others != 1)} no difference is shown." if others else ""
        return f"B: {first}.{also}{rest}"

    def picture(self, courses: tuple[Course, Course]) -> Picture | None:
        return None


SENTENCES: Mapping[str, str] = json.loads(Path(__file__).with_name("sentences.json").read_text("utf-8"))
"""Sentences on two variants by what they are about and, where it has one of its own, the verdict.

The lab page chooses and fills them likewise.
"""


def say(about: str, row: Row, **more: str) -> str:
    """Return the sentence of SENTENCES about a row; its means `a` and `b` have decimals that tell them apart."""
    a, b = brief(row.mean_a), brief(row.mean_b)
    for decimals in range(2, 7):
        if a != b:
            break
        a, b = f"{row.mean_a:.{decimals}f}", f"{row.mean_b:.{decimals}f}"
    by, fewer = brief(abs(row.difference.value)), "fewer" if row.difference.value < 0 else "more"
    sentence = SENTENCES.get(f"{about}, {row.verdict}") or SENTENCES[about]
    return sentence.format_map({"a": a, "b": b, "mean": brief(row.mean_a), "by": by, "more": fewer, **more})


def instead(row: Row, unit: str = "") -> str:
    """Return both means, as in `3.4 instead of 2.9`."""
    return say("instead", row, unit=unit)


def how_sure(row: Row, run: str, unit: str = "", scale: float = 1) -> str:
    """Return how sure a difference is, and unless it is shown, how large it may be, times `scale` in `unit`."""
    if row.verdict is Sureness.SHOWN:
        return SENTENCES["certain" if row.p_adjusted <= _CERTAIN else "likely"]
    if row.interval is None and (row.difference.value or row.sd_difference):
        return f"too few {run}s to tell"
    low, high = (scale * end for end in row.interval or (0.0, 0.0))
    which: str = "equal" if row.interval is None else row.verdict
    if row.verdict is Sureness.LIKELY:
        which = "more" if low > 0 else "fewer"
    ends = {"low": brief(abs(low)), "high": brief(abs(high)), "most": brief(max(-low, high))}
    return SENTENCES[f"{which}, how sure"].format(
        **ends, run=run, unit=f" {unit}" if unit else "", fewer="fewer" if unit else "less"
    )


def _describe(row: Row, of: str, run: str) -> str:
    if not of:
        by, less = f"{brief(abs(row.difference.value))} {row.extra_unit}".strip(), row.difference.value < 0
        by = f"about {by} {'less' if less else 'more'}"
        return f"{row.title} {by} ({instead(row)}): {how_sure(row, run)}"
    shares = instead(replace(row, mean_a=100 * row.mean_a, mean_b=100 * row.mean_b), " %")
    return f"{of} is {row.title} in {shares}: {how_sure(row, run, 'points', 100)}"


def _describe_open(rows: Sequence[Row], run: str) -> str:
    if any(row.interval is None and row.sd_difference for row in rows):
        return f": too few {run}s to tell"
    wide = [row.title for row in rows if row.verdict is Sureness.OPEN]
    more = f" and {len(wide) - _NAMED} more" if len(wide) > _NAMED else ""
    return f". It may be large all the same, over a tenth, in {', '.join(wide[:_NAMED])}{more}" if wide else ""


def leaves(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values in nested tables, each with its dotted key."""
    if isinstance(value, Mapping):
        for key, inner in cast("Mapping[str, Any]", value).items():
            yield from leaves(inner, f"{prefix}.{key}" if prefix else key)
    else:
        yield prefix, value
