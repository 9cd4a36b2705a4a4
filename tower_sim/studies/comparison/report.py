"""The report of a comparison: sentences, tables and notes for the terminal and the page, and the page's picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, cast

import numpy as np

from tower_sim.games import LEVEL, Group, Picture, Row
from tower_sim.report import Chart, Panel, Report, Section, Table, charts
from tower_sim.results import (
    FEWEST,
    Array,
    Estimate,
    Estimates,
    averages,
    brief,
    capitalise,
    percent,
    plainly,
    show,
    too_few,
)
from tower_sim.studies.comparison.paired import POWER, Comparison, noun, smaller
from tower_sim.tools import count_noun

_MOST = 6  # differing keys that are listed
_WIDEST = 100.0  # % of A's mean: wider intervals are not drawn, to leave room for the others
_FARTHEST = 200.0  # % of A's mean: larger differences are not drawn
_ROW = 0.33  # inches for each figure
_COURSE = 3.0  # inches


def comparison_report(comparison: Comparison) -> Report:
    """Return the report of a comparison; only a page draws its picture.

    >>> from tower_sim.studies import compare_files
    >>> comparison = compare_files(("amerigo", None), 100, 1, "surrogate", ["cubes=6"])
    >>> print(comparison_report(comparison).title)
    Amerigo, house rules compared: 100 pairs of games, model surrogate, seed 1
    """
    game = comparison.compared.game
    tables = _list_tables(comparison)
    means = [
        Section(
            capitalise(group.head),
            table=Table(group.key, ["figure", "A", "B", "B minus A", "shown"], [*map(_list_means, rows)], len(rows)),
        )
        for group, rows in tables
    ]
    head = ["figure", "correlation", "p", "shown from", "a smaller one", "pairs"]
    tests = [
        Section(
            f"{capitalise(group.head)}: how sure",
            table=Table(f"{group.key}_tests", head, [*map(_list_tests, rows)], len(rows)),
        )
        for group, rows in tables
        if len(comparison) >= FEWEST
    ]
    says = [_describe_variant(comparison, 0), _describe_variant(comparison, 1), _describe_differences(comparison)]
    return Report(
        f"{game.title}, house rules compared: {len(comparison)} pairs of {game.run}s, model {comparison.model}, "
        f"seed {comparison.seed}",
        [comparison.in_plain_words, "\n".join(says), _describe_shown(comparison)],
        [
            Section("The differences", chart=_chart(comparison), parts=[*means, *tests]),
            Section("Notes", "\n\n".join(_list_notes(comparison))),
        ],
    )


def _list_tables(comparison: Comparison) -> list[tuple[Group, list[Row]]]:
    groups = zip(comparison.compared.groups, comparison.groups, strict=True)
    tables = [(group, [row for row in rows if not row.never]) for group, rows in groups]
    return [(group, rows) for group, rows in tables if rows]


def _difference(row: Row) -> Estimate | float:
    return row.difference if row.interval else row.difference.value


def _list_means(row: Row) -> list[Any]:
    return [row.title, row.mean_a, row.mean_b, _difference(row), "yes" if row.shown else "no"]


def _list_tests(row: Row) -> list[Any]:
    p = "<0.0001" if row.p_adjusted < 1e-4 else row.p_adjusted
    return [row.title, row.correlation, p, *(smaller(row) or (None, None, None))]


def _describe_variant(comparison: Comparison, side: int) -> str:
    variant = (comparison.a, comparison.b)[side]
    file = " --set ".join([variant.file, *variant.changes])
    apparatus = f"{noun(variant.apparatus)} {variant.apparatus.name}"
    parts = [word for word in (comparison.compared.label(side), apparatus) if word]
    return f"{'AB'[side]} is {variant.name}: {', '.join(parts)} ({file})."


def _describe_differences(comparison: Comparison) -> str:
    differing = comparison.differs
    if not differing:
        what = noun(comparison.a.apparatus)
        return (
            f"The two variants play alike: equal rules, equal {what}; from equal seeds every difference is exactly 0."
        )
    changes = [f"{one['key']} {_value(one['b'])} (A: {_value(one['a'])})" for one in differing[:_MOST]]
    changes += [f"{len(differing) - _MOST} more keys"] * (len(differing) > _MOST)
    unseen = [one["key"] for one in differing if comparison.compared.is_unseen(one["key"])]
    rest = f" No figure below depends on {' and '.join(unseen)}." if unseen else ""
    return f"B differs from A in {'; '.join(changes)}.{rest}"


def _value(value: Any) -> str:
    if value is None:
        return "left out"
    if isinstance(value, Mapping):
        return " ".join(f"{key}={_value(inner)}" for key, inner in cast("Mapping[str, Any]", value).items())
    if isinstance(value, list):
        return " ".join(map(_value, cast("list[Any]", value)))
    return str(value) or "none"


def _describe_shown(comparison: Comparison) -> str:
    groups = comparison.compared.groups
    named = [
        (f"{group.of} {row.title}".strip(), row)
        for group, rows in zip(groups, comparison.groups, strict=True)
        if group is groups[0] or group.of
        for row in rows
    ]
    listed = [f"{name} {plainly(row.difference)}{_relative(row)}" for name, row in named if row.shown]
    if not listed:
        return "No difference is shown."
    rest = len(named) - len(listed)
    others = f"of the other {rest} none" if rest > 1 else "of the other one none" if rest else "that is all of them"
    return f"Shown, B minus A: {', '.join(listed)}; {others}."


def _relative(row: Row) -> str:
    return f" ({brief(100 * row.difference.value / row.mean_a)} %)" if row.mean_a else ""


def _list_notes(comparison: Comparison) -> list[str]:
    run = comparison.compared.game.run
    draws = comparison.values[0].draws, comparison.values[1].draws
    explained = (
        f"A, B: means over {run}s. In brackets: the 95 % interval of this row by itself. Correlation: of A with B over "
        "the pairs. p: adjusted for all rows of its table (Holm); in the words above, at most 0.0001 is certain, up to "
        f"{LEVEL:g} is very likely, and above that likely, but not sure, where the row's own interval leaves out 0. "
        f"Shown: p is at most {100 * LEVEL:g} %; a table of two {run}s that do not differ shows any with at most that "
        f"chance. Shown from: the smallest difference that {len(comparison)} pairs show with a chance of "
        f"{100 * POWER:g} %. A smaller one: half the difference (where none is shown, half of 'shown from'), and how "
        "many pairs show that."
    )
    few = too_few(len(comparison), "pair")
    notes = [explained, f"{few}." if few else _describe_gain(comparison.figures, run)]
    if never := [row.title for row in chain(*comparison.groups) if row.never]:
        notes.append(f"0 in every {run} of A and B, and so not in the tables: {', '.join(never)}.")
    if comparison.left_out:
        notes.append(f"{count_noun(comparison.left_out, 'pair')} left out: a drop of either {run} failed 5 times.")
    if any(comparison.extrapolated or ()):
        shares = " and ".join(map(percent, comparison.extrapolated or ()))
        notes.append(
            f"Drops outside of what the model was fitted to: {shares} (A and B); --model physics plays them too."
        )
    if all(draws):
        redrawn = " and ".join(f"{again} of {landed + again}" for landed, again in filter(None, draws))
        notes.append(f"Draws made again since they were no landing: {redrawn} (A and B).")
    if comparison.interrupted:
        notes.append(f"Interrupted: {comparison.asked} pairs were asked for.")
    return notes


def _describe_gain(figures: Sequence[Row], run: str) -> str:
    gains = [row.pairing_gain for row in figures if row.pairing_gain is not None]
    equal = len(figures) - len(gains)
    sentences = [f"No two pairs differ in {count_noun(equal, 'figure')}: no interval."] * bool(equal)
    if gains:
        low, middle, high = map(brief, (min(gains), float(np.median(gains)), max(gains)))
        sentences.append(
            f"Pairing: without pairs, equal intervals would need {middle} times as many {run}s (the middle figure; "
            f"{low} to {high}); 1 is no gain."
        )
    return " ".join(sentences)


# The picture


def comparison_figure(comparison: Comparison) -> Any:
    """Return the matplotlib figure of a comparison: the difference of each figure, and the course of the runs."""
    return _chart(comparison).drawn


def _chart(comparison: Comparison) -> Chart:
    tables, compared = _list_tables(comparison), comparison.compared
    picture = compared.picture(comparison.courses)
    panels = [_draw_differences(rows, group) for group, rows in tables]
    heights = [1.4 + _ROW * len(rows) for _, rows in tables]
    if picture:
        panels.append(_draw_course(picture, compared.game.run))
        heights.append(_COURSE)
    title = f"A {comparison.a.name}, B {comparison.b.name}: {len(comparison)} pairs, model {comparison.model}"
    caption = "Differences with their intervals of 95 %"
    return Chart("differences", caption, panels, heights, 1, head=f"{title}, seed {comparison.seed}")


def _draw_differences(rows: Sequence[Row], group: Group) -> Panel:
    names: list[str] = []
    ends: tuple[list[Estimate | None], list[Estimate | None]] = ([], [])  # shown, not shown
    for row in rows:
        means = f"A {show(row.mean_a)}, B {show(row.mean_b)}: {plainly(row.difference)}"
        unit = f" [{row.extra_unit}]" if row.extra_unit else ""
        names.append(f"{row.title}{unit}\n{means}".replace("_", " "))
        low, high = row.interval or (row.difference.value, row.difference.value)
        share = 1.0 if group.of else row.mean_a
        by = Estimate(row.difference.value, low, high, 0).times(100 / share) if share else None
        is_drawn = by and (bool(group.of) or (by.high - by.low <= _WIDEST and abs(by.value) <= _FARTHEST))
        ends[0].append(by if is_drawn and row.shown else None)
        ends[1].append(by if is_drawn and not row.shown else None)
    y = np.arange(len(rows))
    drawn: list[charts.Draw] = [charts.level(0, upright=True), lambda axis: axis.margins(x=0.1)]
    drawn += [
        charts.points(y, Estimates.of(some), name, role, joined=False, across=True)
        for role, (some, name) in enumerate(zip(ends, ("shown", "not shown"), strict=True))
        if any(some)
    ]
    unit = "percentage points" if group.of else "% of A"
    return Panel(f"B − A [{unit}]", "", drawn, group.head.replace("_", " "), names, across=True)


def _draw_course(picture: Picture, run: str) -> Panel:
    def draw(axis: Any) -> None:
        for name, values, role in zip("AB", picture.sides, (2, 3), strict=True):
            x, of = cast("Array", np.arange(values.shape[1])), f"n = {len(values)} {run}s"
            low, high = np.quantile(values, (0.05, 0.95), axis=0)
            charts.band(x, low, high, f"{name}: 90 % of {run}s", role)(axis)
            charts.points(x, averages(values), f"{name}: mean, 95 % interval, {of}", role)(axis)

    ends = [charts.level(end, f"between {picture.part}s", upright=True) for end in picture.ends]
    return Panel(picture.x, picture.y, [draw, *ends], floor=True)
