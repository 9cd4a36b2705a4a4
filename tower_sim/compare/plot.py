"""The picture of a comparison: every figure's difference with its interval and, where the game says, how runs went."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import blended_transform_factory

from tower_sim.compare.comparison import Comparison
from tower_sim.compare.paired import CONFIDENCE
from tower_sim.compare.words import decimals
from tower_sim.drawing.files import FONT, GREY, INK, check_path, save
from tower_sim.games.compared import Curve, Group, Picture, Row
from tower_sim.statistics import student_quantile
from tower_sim.study.plots import WIDTH, counted, dressed, label, legend, whole

_A = {"color": "#2360b5", "marker": "o", "ms": 3.2, "lw": 1.1}
_B = {"color": "#b8460e", "marker": "s", "ms": 3.2, "lw": 1.1, "ls": "--", "mfc": "white"}
_SMALL = {"size": FONT - 1.5, "color": GREY, "va": "center", "bbox": {"fc": "white", "ec": "none", "pad": 1.0}}
_WIDEST = 1.0  # share of A's mean: a wider interval would leave no room for the others
_FARTHEST = 2.0  # the same: a difference beyond it would
_ROW = 0.21  # inches a line of a figure's name
_BETWEEN = 0.75  # inches from one table to the next, for the axis and the head
_NAME = 27  # characters of a line of a figure's name
_COURSE = 2.3  # inches
_NAMES = 0.5  # inches over it, for the names of what is drawn
_COLUMNS = ((0.615, "A"), (0.695, "B"), (0.795, "B − A"), (0.985, "95 % interval"))  # right ends, share of the width


def draw_comparison(comparison: Comparison, path: str | Path) -> None:
    """Draw a comparison into the file `path`. Raises UsageError for a path that cannot be written."""
    check_path(path)
    save(comparison_figure(comparison), path)


def comparison_figure(comparison: Comparison) -> Any:
    """Return the figure that `draw_comparison` writes: all groups of figures, one below the other, and the course."""
    pairs = comparison.pairs
    picture = pairs.compared.picture(pairs.courses)
    run = pairs.compared.game.run
    tables = [(group, rows) for group, rows in zip(pairs.compared.groups, comparison.groups, strict=True) if rows]
    heights = [_ROW * (sum(len(_name(row)) for row in rows) + 1) for _, rows in tables]
    forests = sum(heights) + _BETWEEN * (len(tables) - 1)
    height = forests + (_COURSE + _NAMES + 1.65 if picture else 1.05)
    figure: Any = Figure(figsize=(WIDTH, height))
    top = height - 0.55
    for (group, rows), tall in zip(tables, heights, strict=True):
        panel = dressed(figure.add_axes((0.285, (top - tall) / height, 0.255, tall / height)))
        _forest(figure, panel, rows, group)
        top -= tall + _BETWEEN
    if picture:
        _course(dressed(figure.add_axes((0.085, 0.5 / height, 0.9, _COURSE / height))), picture, run)
    title = (
        f"A {comparison.a.name}, B {comparison.b.name}: {len(pairs)} pairs of {run}s, model {comparison.model}, "
        f"seed {comparison.seed}"
    )
    size = min(FONT + 1, (WIDTH - 0.2) * 72 / len(title) / 0.6)
    figure.text(0.015, 1 - 0.1 / height, title, size=size, weight="bold", va="top", color=INK)
    return figure


def _name(row: Row) -> list[str]:
    """Return a figure's name with its unit, as lines that fit beside the panel."""
    said = row.title if row.unit in ("1", *row.title.split()) else f"{row.title} [{row.unit}]"
    return textwrap.wrap(said.replace("_", " "), _NAME)


def _forest(figure: Any, panel: Any, rows: Sequence[Row], group: Group) -> None:
    """Draw the differences, and beside each the means and the difference in its unit.

    They are shares of A's means; of a group of shares they are percentage points.
    """
    panel.axvline(0, color=GREY, lw=0.8)
    panel.grid(axis="y", visible=False)
    panel.grid(axis="x", color="0.9", lw=0.6)
    lines = np.array([len(_name(row)) for row in rows])
    places: list[float] = (np.cumsum(lines) - lines / 2 - 0.5).tolist()
    for y, row in zip(places, rows, strict=True):
        low, high = row.interval or (row.difference, row.difference)
        ends = (row.difference, low, high) if group.of else row.relative
        if ends is None or (not group.of and not _is_drawn(ends)):
            panel.text(0.5, y, _instead(ends, row), transform=_blended(panel.transAxes, panel), ha="center", **_SMALL)
        else:
            value, low, high = (100 * share for share in ends)
            style = {"color": INK, "marker": "o", "ms": 3.4, "mfc": INK if row.shown else "white"}
            panel.errorbar(value, y, xerr=[[value - low], [high - value]], elinewidth=1, capsize=2.4, **style)
        said = [f"{value:.{decimals(row)}f}" for value in (row.mean_a, row.mean_b)]
        said += [f"{value:+.{decimals(row)}f}" for value in (row.difference, *(row.interval or ()))]
        cells = [*said[:3], " to ".join(said[3:]) or "none"]
        _across(figure, panel, y, [cell.replace("-", "−") for cell in cells], "bold" if row.shown else "normal")
    _across(figure, panel, -1, [name for _, name in _COLUMNS], "normal")
    panel.set_ylim(lines.sum() - 0.5, -1.0)
    panel.set_yticks(places, ["\n".join(_name(row)) for row in rows])
    panel.tick_params(axis="y", length=0)
    low, high = panel.get_xlim()
    reach = max(-low, high)  # some room on both sides of 0, at least a hundredth
    panel.set_xlim(min(low, -0.2 * reach, -1.0), max(high, 0.2 * reach, 1.0))
    panel.xaxis.set_major_locator(MaxNLocator(5))
    unit = "percentage points" if group.of else "% of A"
    label(panel, f"B − A [{unit}]; filled and bold: shown", "", group.head.replace("_", " "))


def _is_drawn(ends: tuple[float, float, float]) -> bool:
    """Say whether a difference and its interval, as shares of A's mean, leave room for the others."""
    return ends[2] - ends[1] <= _WIDEST and abs(ends[0]) <= _FARTHEST


def _instead(ends: tuple[float, float, float] | None, row: Row) -> str:
    """Say what stands in the place of a mark that is not drawn."""
    if ends is None or not row.shown:
        return "in numbers only"
    return f"beyond: {100 * ends[0]:+.0f} %".replace("-", "−")


def _across(figure: Any, panel: Any, y: float, words: Sequence[str], weight: str) -> None:
    """Write a line of the table beside the forest at its row `y`."""
    for (x, _), word in zip(_COLUMNS, words, strict=True):
        where = _blended(figure.transFigure, panel)
        panel.text(x, y, word, transform=where, ha="right", va="center", size=FONT - 1, weight=weight, color=INK)


def _blended(across: Any, panel: Any) -> Any:
    """Return the transform with x in shares of what `across` is of and y in rows of the panel."""
    return blended_transform_factory(across, panel.transData)


def _course(panel: Any, picture: Picture, run: str) -> None:
    """Draw the mean after each turn, with its interval and the band that holds 90 % of runs."""
    tallest = 0.0
    for name, curve, style in zip("AB", picture.curves, (_A, _B), strict=True):
        tallest = max(tallest, _curve(panel, name, curve, style, run))
    for number, end in enumerate(picture.ends):
        name = None if number else f"between {picture.part}s"
        panel.axvline(end, color="0.6", lw=0.7, ls=(0, (4, 2)), label=name)
    panel.set_ylim(0, 1.05 * tallest)
    panel.margins(x=0.01)
    whole(panel.xaxis)
    counted(panel.yaxis)
    label(panel, picture.x, picture.y)
    legend(panel, columns=2)


def _curve(panel: Any, name: str, curve: Curve, style: dict[str, Any], run: str) -> float:
    """Draw one variant; returns its highest value."""
    n, turns = curve.runs, range(len(curve.mean))
    half = student_quantile(n - 1, (1 + CONFIDENCE) / 2) * curve.sd / np.sqrt(n)
    panel.fill_between(
        turns, curve.low, curve.high, color=style["color"], alpha=0.13, lw=0, label=f"{name}: 90 % of {run}s"
    )
    words = f"{name}: mean, 95 % interval, n = {n} {run}s"
    panel.errorbar(turns, curve.mean, half, capsize=1.5, elinewidth=0.8, label=words, **style)
    return float(max(curve.high.max(), (curve.mean + half).max(), 1.0))
