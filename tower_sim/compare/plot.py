"""The picture of a comparison and its report: the difference of each figure, and the course of the runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from tower_sim.compare.paired import Comparison
from tower_sim.compare.words import decimals, describe_differences, describe_significant, notes
from tower_sim.drawing import check_path, save
from tower_sim.games import Group, Picture, Row
from tower_sim.report import SETTERS, Chart, Panel, Report, Section, Table, charts
from tower_sim.results import Array, Cell, Estimate, Estimates, averages
from tower_sim.tools import need, writing

PAGE = ".html"
_WIDEST = 1.0  # share of A's mean: wider intervals are not drawn, to leave room for the others
_FARTHEST = 2.0  # share of A's mean: larger differences are not drawn
_ROW = 0.33  # inches for each figure
_COURSE = 3.0  # inches


def check_drawing(path: str | Path) -> None:
    """Raise UsageError for a path that a comparison cannot be drawn into."""
    if Path(path).suffix == PAGE:
        need("campaign", *SETTERS)
        writing.check(path, "report")
    else:
        check_path(path)


def draw_comparison(comparison: Comparison, path: str | Path) -> None:
    """Draw a comparison into the file `path`; the ending `.html` gives the complete report. Raises UsageError."""
    check_drawing(path)
    if Path(path).suffix == PAGE:
        writing.write(path, comparison_report(comparison).page(), "report")
    else:
        save(comparison_figure(comparison), path)


def comparison_report(comparison: Comparison) -> Report:
    """Return the report: sentences for players, the picture, all tables, and notes."""
    pairs = comparison.pairs
    head = ["figure", "unit", "A", "B", "B minus A", "correlation of A and B", "p, corrected", "shown", "shown from"]
    tables: list[Section] = []
    for group, rows in zip(pairs.compared.groups, comparison.groups, strict=True):
        cells: list[Sequence[Cell]] = [
            [row.title, row.unit, row.mean_a, row.mean_b, _difference(row, len(pairs)), row.correlation, row.p_adjusted,
             "yes" if row.shown else "no", row.shows_from]
            for row in rows if not row.never
        ]  # fmt: skip
        title = group.head[:1].upper() + group.head[1:]
        tables.append(Section(title or "Figures", "", Table(group.key, head, cells)))
    chart = Chart("differences", comparison_figure(comparison), "Differences with their intervals of 95 %")
    names = f"A {comparison.a.name}, B {comparison.b.name}"
    heading = (
        f"{names}: {len(pairs)} pairs of {pairs.compared.game.run}s, model {comparison.model}, seed {comparison.seed}."
    )
    return Report(
        f"{pairs.compared.game.title}, house rules compared",
        [comparison.in_plain_words, f"{heading} {describe_differences(comparison)}", describe_significant(comparison)],
        [Section("The differences", chart=chart), *tables, Section("Notes", "\n\n".join(notes(comparison)))],
    )


def _difference(row: Row, pairs: int) -> Estimate:
    low, high = row.interval or (row.difference, row.difference)
    return Estimate(row.difference, low, high, pairs)


def comparison_figure(comparison: Comparison) -> Any:
    """Return the matplotlib figure of a comparison."""
    pairs = comparison.pairs
    picture = pairs.compared.picture(pairs.courses)
    present = ([row for row in rows if not row.never] for rows in comparison.groups)
    tables = [(group, rows) for group, rows in zip(pairs.compared.groups, present, strict=True) if rows]
    panels = [_forest(rows, group) for group, rows in tables]
    heights = [1.4 + _ROW * len(rows) for _, rows in tables]
    if picture:
        panels.append(_course(picture, pairs.compared.game.run))
        heights.append(_COURSE)
    title = f"A {comparison.a.name}, B {comparison.b.name}: {len(pairs)} pairs, model {comparison.model}"
    return charts.figure(panels, heights, 1, head=f"{title}, seed {comparison.seed}")


def _forest(rows: Sequence[Row], group: Group) -> Panel:
    names: list[str] = []
    ends: tuple[list[Estimate | None], list[Estimate | None]] = ([], [])  # shown, not shown
    for row in rows:
        unit = "" if row.unit in ("1", *row.title.split()) else f" [{row.unit}]"
        a, b, by = (f"{value:{sign}.{decimals(row)}f}" for value, sign in
                    ((row.mean_a, ""), (row.mean_b, ""), (row.difference, "+")))  # fmt: skip
        names.append(f"{row.title}{unit}\nA {a}, B {b}: {by}".replace("_", " "))
        low, high = row.interval or (row.difference, row.difference)
        value = (row.difference, low, high) if group.of else row.relative
        is_drawn = value is not None and (
            bool(group.of) or (value[2] - value[1] <= _WIDEST and abs(value[0]) <= _FARTHEST)
        )
        estimate = Estimate(100 * value[0], 100 * value[1], 100 * value[2], 0) if value and is_drawn else None
        ends[0].append(estimate if row.shown else None)
        ends[1].append(None if row.shown else estimate)
    y = np.arange(len(rows))
    drawn: list[charts.Draw] = [charts.level(0, upright=True), lambda axis: axis.margins(x=0.1)]
    drawn += [
        charts.points(y, Estimates.of(some), name, role, joined=False, across=True)
        for role, (some, name) in enumerate(zip(ends, ("shown", "not shown"), strict=True))
        if any(some)
    ]
    unit = "percentage points" if group.of else "% of A"
    return Panel(f"B − A [{unit}]", "", drawn, group.head.replace("_", " "), names, across=True)


def _course(picture: Picture, run: str) -> Panel:
    drawn: list[charts.Draw] = []
    for name, values, role in zip("AB", picture.sides, (2, 3), strict=True):
        runs, x = len(values), cast("Array", np.arange(values.shape[1]))
        low, high = np.quantile(values, (0.05, 0.95), axis=0)
        drawn.append(charts.band(x, low, high, f"{name}: 90 % of {run}s", role))
        drawn.append(charts.points(x, averages(values), f"{name}: mean, 95 % interval, n = {runs} {run}s", role))
    drawn += [charts.level(end, f"between {picture.part}s", upright=True) for end in picture.ends]
    return Panel(picture.x, picture.y, drawn, floor=True)
