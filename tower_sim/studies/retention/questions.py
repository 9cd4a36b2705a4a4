"""The questions about a tower: each is an entry with the figure that answers it, by what it goes, and its words.

The first seven are from gamesfanatic.pl, "Teoria wiezy", part 2, about the tower of Amerigo. A further question takes
an entry in QUESTIONS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tower_sim.drawing import cube_colours
from tower_sim.report import RULE, Chart, Panel, Section, Table, charts, level, points
from tower_sim.results import (
    DROPS,
    INSIDE_SETUP,
    SETUP,
    SHARE,
    THROWN_OUT,
    Array,
    Estimate,
    Estimates,
    Figure,
    plain_share,
    plainly,
    show,
)
from tower_sim.studies.retention import retention
from tower_sim.studies.retention.design import estimate
from tower_sim.studies.retention.retention import DROPS_OF_A_CELL, grouped, list_counts
from tower_sim.studies.retention.tower import NAMES, TowerFigures, beside_rule
from tower_sim.tools import count_noun

LASTS = 8  # drops at the end of a run


@dataclass(frozen=True)
class TowerQuestion:
    """A question that a report answers by a figure, with a table and a chart.

    Args:
        key: The name of the table and of the chart.
        title: The question.
        figure: The figure. Without `by`, the table has the share of drops with each value, if it is a whole number.
        says: The answer, with names of FIELDS in braces: an estimate has its interval, or `±` after `:plain`.
        short: The answer for the beginning of the report.
        x: The words for the values, or for those of `by`.
        head: The head of their column, if it is another.
        by: A count of each drop, such as `thrown` or `drop`, by whose values the figure goes.
        y: The words for the figure, if there is `by`.
        rule: What the 2/3-1/3 rule expects of the same drops; else it plays games of its own.
        unit: The word for what counts: `drop` or `game`.
    """

    key: str
    title: str
    figure: Figure
    says: str
    short: str
    x: str
    head: str = ""
    by: str = ""
    y: str = ""
    rule: Figure | None = None
    unit: str = "drop"


@dataclass(frozen=True)
class Told:
    """An estimate as words: with its interval, or with `±` in the form `:plain`."""

    estimate: Estimate
    is_share: bool = False

    def __format__(self, form: str) -> str:
        if form != "plain":
            return show(self.estimate)
        return plain_share(self.estimate) if self.is_share else plainly(self.estimate)


class TowerAnswer(dict[str, Any]):
    """What a campaign says to a question: its drops that count, and the names of FIELDS as they are asked for."""

    def __init__(self, question: TowerQuestion, tower: TowerFigures) -> None:
        super().__init__()
        self.question, self.tower, self.campaign = question, tower, tower.campaign
        of, among, self.rows = question.figure.columns(self.campaign)
        self.of, self.among, self.run = of[self.rows], among[self.rows], self.campaign.rows.run[self.rows]
        by = self.campaign.column(question.by) if question.by else of
        self.group: Array = np.asarray(by)[self.rows].astype(np.int64)

    def __missing__(self, name: str) -> Any:
        self[name] = FIELDS[name](self)
        return self[name]

    def ratio(self, group: Array, size: int, over: Array | None = None, under: Array | None = None) -> Estimates:
        """Return the figure by group, or the ratio of two columns of the drops that count."""
        sums = (self.of if over is None else over), (self.among if under is None else under)
        share = self.question.figure.is_share
        return grouped(self.campaign, self.tower.boot, self.run, group, size, *sums, share=share)

    def all(self, over: Array | None = None, under: Array | None = None) -> Estimate:
        """Return the same over all drops that count."""
        return self.ratio(np.zeros(len(self.run), int), 1, over, under).at(0)

    def rule(self, group: Array, size: int) -> Array:
        """Return what the rule expects of the same drops, by group."""
        assert self.question.rule is not None
        of, among, _ = self.question.rule.columns(self.campaign)
        return self.ratio(group, size, of[self.rows], among[self.rows]).value

    def quantile(self, share: float) -> str:
        """Return a quantile of the values of the drops that count."""
        return f"{np.quantile(self.of, share):g}"

    def section(self) -> Section:
        """Return the answer with its table and chart."""
        question, panel = self.question, None
        if question.by:
            table, panel = self._by_group()
        elif question.figure.among == "1" and question.figure.parts["of"].is_whole:
            table, panel = self._by_value()
        else:
            mine: dict[str, Any] = {"figure": [question.figure.title], "value": [self.all()], "n": [self.all().n]}
            theirs = [TowerAnswer(question, self.tower.rule).all()] if self.tower.rule else [None]
            table = Table.of(question.key, mine | {NAMES[1]: theirs})
        title, says, short = (words.format_map(self) for words in (question.title, question.says, question.short))
        chart = panel and Chart(question.key, title, [panel], 2.6, foot=True)
        return Section(title, says, table, chart, short=short)

    def _by_value(self) -> tuple[Table, Panel]:
        question, tower = self.question, self.tower
        mine = retention.histogram(self.campaign, tower.boot, self.run, self.group)
        theirs = np.zeros(0)
        if tower.rule:
            other = TowerAnswer(question, tower.rule)
            theirs = np.bincount(other.group) / len(other.group)
        n, rule = np.array(list_counts(mine)), _pad(theirs, len(mine))
        used, seen, of_rule = np.flatnonzero((n > 0) | (rule > 0)), np.flatnonzero(mine.value), np.flatnonzero(theirs)
        columns = {question.head or question.x: used, f"{question.unit}s": n[used]}
        columns |= {f"share of {question.unit}s": mine.take(used), "rule": rule[used]}
        draws = beside_rule(seen, mine.take(seen), of_rule, theirs[of_rule])
        panel = Panel(question.x, f"share of {question.unit}s", draws, f"n = {self['n']}", floor=True)
        return Table.of(question.key, columns), panel

    def _by_group(self) -> tuple[Table, Panel]:
        question, first = self.question, int(self.group.min())
        n = np.bincount(self.group - first)
        used, is_course = np.flatnonzero(n), question.by == "drop"
        enough = np.flatnonzero(n >= (1 if is_course else DROPS_OF_A_CELL))
        mine = self.ratio(self.group - first, len(n))
        columns: dict[str, Any] = {question.head or question.x: first + used, "runs" if is_course else "drops": n[used]}
        columns |= {question.y: mine.take(used)}
        if is_course:
            more, draws, ends = self._course(mine)
            columns |= {name: values[used] for name, values in more.items()}
            return Table.of(question.key, columns), Panel(ends, question.y, draws, floor=True)
        draws = [points(first + enough, mine.take(enough), NAMES[0])]
        if question.rule:
            rule = self.rule(self.group - first, len(n))
            columns["rule on the same drops"] = rule[used]
            draws.append(points(first + enough, rule[enough], f"{NAMES[1]}, same drops", RULE))
        title = f"at least {DROPS_OF_A_CELL} drops a point"
        limits = (0, 1.03) if question.figure.is_share else None
        return Table.of(question.key, columns), Panel(question.x, question.y, draws, title, floor=True, limits=limits)

    def _course(self, mean: Estimates) -> tuple[dict[str, Array], list[charts.Draw], str]:
        """Return further columns, what is drawn and the words for the drops, for a figure drop by drop."""
        campaign, rule, x = self.campaign, np.zeros(0), np.arange(len(mean))
        low, high = np.nanquantile(campaign.grid(self.question.figure.by_row(campaign), np.nan), (0.05, 0.95), axis=0)
        if self.tower.rule:
            other = TowerAnswer(self.question, self.tower.rule)
            rule = other.ratio(other.group, int(other.group.max()) + 1).value
        phases = len({code for code in campaign.rows.phase.codes[campaign.rows.drop > 0].tolist() if code >= 0})
        ends = [0.5 + phases * i for i in range(len(x) // phases + 1)] if phases and campaign.has_setup else []
        draws = [
            charts.band(x, low, high, f"90 % of {campaign.unit}s"),
            points(x, mean, f"mean, 95 % interval, n = {campaign.runs} {campaign.unit}s"),
            *([points(x[: len(rule)], rule[: len(x)], NAMES[1], RULE)] if len(rule) else []),
            *(level(at, "between rounds", upright=True) for at in ends),
        ]
        more = {"5 % of runs": low, "95 % of runs": high, "rule": _pad(rule, len(x))}
        return more, draws, "drop (0 is the set-up)" if ends else "drop"


def _pad(values: Array, size: int) -> Array:
    return np.append(values, np.full(size, np.nan))[:size]


def _nothing_to_throw(answer: TowerAnswer) -> str:
    if not answer.campaign.has_setup:
        return ""
    share = estimate(answer.campaign, answer.tower.boot, Figure("", "", SHARE, of="thrown == 0"))
    return f" In {show(share)} of phases there was nothing to throw."


def _cubes(answer: TowerAnswer) -> str:
    thrown = answer.campaign.rows.thrown[answer.rows]
    return f"{thrown.min()}" if thrown.min() == thrown.max() else f"{thrown.min()} to {thrown.max()}"


def _slope(i: int) -> Callable[[TowerAnswer], Told]:
    return lambda answer: Told(answer.tower.slopes.at(i, len(answer.of)))


FIELDS: Mapping[str, Callable[[TowerAnswer], Any]] = {
    "mean": lambda a: Told(a.all(), a.question.figure.is_share),
    "sd": lambda a: show(a.tower.moments(a.question.figure.by_row(a.campaign), a.rows)[1]),
    "low": lambda a: a.quantile(0.05),
    "median": lambda a: a.quantile(0.5),
    "high": lambda a: a.quantile(0.95),
    "likeliest": lambda a: np.bincount(a.group).argmax(),
    "n": lambda a: count_noun(len(a.of), a.question.unit),
    "counted": lambda a: a.all().n,
    "cubes": _cubes,
    "expected": lambda a: f"{a.rule(np.zeros(len(a.run), int), 1)[0]:.2f}",
    "unit": lambda a: a.campaign.unit,
    "first": lambda a: Told(a.all(a.of * (a.group == 0), (a.group == 0).astype(float))),
    "last": lambda a: Told(a.all(a.of * a["is_last"], a["is_last"].astype(float))),
    "is_last": lambda a: a.group >= a.campaign.longest - LASTS,
    "lasts": lambda a: count_noun(min(a.campaign.longest, LASTS), "drop"),
    "inside": lambda a: show(a.tower.inside[0]),
    "inside_sd": lambda a: show(a.tower.inside[1]),
    "phases": lambda a: count_noun(a.tower.inside[0].n, "drop"),
    "nothing_to_throw": _nothing_to_throw,
    "slope_thrown": _slope(1),
    "slope_inside": _slope(2),
    "r_squared": _slope(3),
    "residents": lambda a: Told(a.tower.residents_out, is_share=True),
    "resident_drops": lambda a: a.tower.residents_out.n,
}
"""The names that sentences may have, each with what says its number."""

_OUT = Figure("out", "cubes out of a drop", "cubes", of="out", where="thrown > 0")
_RULE_OUT = Figure("rule", "out by the rule", "cubes", of="(2 * thrown + before) / 3")
QUESTIONS = (
    TowerQuestion(
        "setup_inside",
        "How many of the {cubes} cubes stay inside at set-up?",
        INSIDE_SETUP,
        "{mean} on average, standard deviation {sd}. Half of the games have {median} or fewer, nine of ten between "
        "{low} and {high} ({n}). The 2/3-1/3 rule expects {expected}.",
        "{mean:plain} on average; nine games of ten have {low} to {high}.",
        "inside after the set-up [cubes]",
        rule=Figure("rule", "kept by the rule", "cubes", of="thrown / 3", at=SETUP),
        unit="game",
    ),
    TowerQuestion(
        "inside_by_drop",
        "How does the number inside change during the game?",
        Figure("course", "cubes inside after a drop", "cubes", of="inside", at=DROPS),
        "It goes from {first} after the first drop to {last} on average over the last {lasts}. Over all drops studied "
        "it is {inside}, standard deviation {inside_sd} ({phases}).",
        "It goes from {first:plain} after the first drop to {last:plain} in the last {lasts}.",
        "drop",
        by="drop",
        y="mean inside [cubes]",
    ),
    TowerQuestion(
        "out_of_drop",
        "How many come out in a phase?",
        _OUT,
        "{mean} on average, standard deviation {sd}. The median is {median}, nine of ten lie between {low} and {high} "
        "({n} with something thrown).{nothing_to_throw}",
        "{mean:plain} on average; nine times of ten {low} to {high}.",
        "out of a drop [cubes]",
        "out [cubes]",
    ),
    TowerQuestion(
        "out_by_thrown",
        "Does that depend on how many were dropped, and how?",
        _OUT,
        "One cube more thrown brings {slope_thrown} more out, one more inside {slope_inside} (least squares on both, R "
        "squared {r_squared}; the rule has 2/3 and 1/3). The mean by the number thrown:",
        "One cube more dropped brings {slope_thrown:plain} more out, one more inside {slope_inside:plain}.",
        "thrown [cubes]",
        by="thrown",
        y="mean out [cubes]",
        rule=_RULE_OUT,
    ),
    TowerQuestion(
        "thrown_out",
        "How many of the cubes just dropped come out?",
        replace(THROWN_OUT, where="thrown > 0"),
        "A share of {mean} of {counted} cubes thrown in phases. Of the cubes already inside {residents} come out in a "
        "drop ({resident_drops} cube-drops).",
        "{mean:plain} of them, and {residents:plain} of those already inside.",
        "thrown [cubes]",
        by="thrown",
        y="share of those thrown that come out",
    ),
    TowerQuestion(
        "colours_out",
        "How many different colours come out?",
        Figure("colours", "colours out of a drop", "colours", of="colours", where="thrown > 0"),
        "{mean} on average, standard deviation {sd} ({n}).",
        "{mean:plain} on average; most often {likeliest}.",
        "different colours out of a drop",
        "colours out",
    ),
    TowerQuestion(
        "empty_again",
        "How long until the tower is empty again?",
        Figure("empty_again", "drops from one empty tower to the next", "drops", of="1", among="inside == 0"),
        "From one drop after which nothing is inside to the next it takes {mean} drops on average: that is all drops "
        "of play, over those after which the tower was empty ({counted}).",
        "After {mean:plain} drops on average.",
        "",
    ),
)


def seven_questions(tower: TowerFigures) -> Section:
    """Return the section that answers the questions; chains have no answer to those about the set-up."""
    answers: list[Section] = []
    for question in QUESTIONS:
        if question.figure.at == SETUP and not tower.inside_setup:
            none = "This campaign has no set-up, so there is no answer."
            titles = question.title.replace(" of the {cubes}", ""), _COLOURS
            answers += [Section(title, none, short=none) for title in titles]
            continue
        answers.append(TowerAnswer(question, tower).section())
        answers += [_setup_colours(tower)] if question.figure.at == SETUP else []
    parts = [replace(section, title=f"{i}. {section.title}") for i, section in enumerate(answers, 1)]
    return Section("1. Questions about the tower", parts=parts)


_COLOURS = "How are their colours distributed?"


def _setup_colours(tower: TowerFigures) -> Section:
    campaign, rule = tower.campaign, tower.rule
    colours = retention.setup_colours(campaign, tower.boot, tower.setup)
    of_rule = retention.setup_colours(rule.campaign, rule.boot, rule.setup).means if rule else None
    ratio, place = colours.dispersion, np.arange(len(campaign.colours))
    alike = "more alike" if ratio.high < 1 else "more unlike" if ratio.low > 1 else "neither more alike nor more unlike"
    least, most = float(colours.means.value.min()), float(colours.means.value.max())
    paint, theirs = [*cube_colours(campaign.colours).values()], of_rule.value if of_rule else np.zeros(0)
    draws = beside_rule(place, colours.means, place, theirs, joined=False, paint=paint)
    note = f"n = {count_noun(int(tower.setup.sum()), 'game')}"
    panel = Panel("", "mean inside [cubes]", draws, note, campaign.colours, floor=True)
    columns: dict[str, Any] = {"colour": campaign.colours, "mean inside [cubes]": colours.means}
    return Section(
        _COLOURS,
        f"The means by colour span {most - least:.2g} cubes. All colours are present in a share of "
        f"{show(colours.all_present)} of games. The variance of a colour's count is {show(ratio)} times that of "
        f"drawing the cubes that stay at random, so colours are {alike} than chance makes them.",
        Table.of("setup_colours", columns | {"rule": of_rule or [None] * len(place)}),
        Chart("setup_colours", "Cubes inside after the set-up, by colour", [panel], 2.6, foot=True),
        short=f"From {least:.2g} to {most:.2g} of each colour on average, {alike} than chance makes them; all "
        f"colours are there in {plain_share(colours.all_present)} of games.",
    )
