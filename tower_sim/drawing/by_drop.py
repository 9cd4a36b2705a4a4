"""Panels with a column for each drop of a run: stacks of cubes, rows of counts, and their axes.

Each cube that is large enough has the letter of its colour, for readers who cannot distinguish colours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.ticker import MaxNLocator

from tower_sim.drawing.files import FONT, GREY, INK
from tower_sim.drawing.paint import Paint
from tower_sim.drawing.sheet import measure_width

Counts = Mapping[str, Sequence[int]]
"""The number of cubes at each drop, by colour."""

ROW = 0.2  # inches for each colour
COLUMN = 0.218  # inches for each drop; less if the figure would be wider than WIDEST
WIDEST = 24.0
_MARK = 19.0  # pt for the mark beside a row's name
_LEAST = 4.5  # pt: smaller letters are left out
_CUBE = 7.0  # pt for a cube of a stack; less if the stack would be taller than _TALLEST
_TALLEST = 3.4  # inches

_STEPS = [a * 10**b for b in range(9) for a in (1, 2, 5)]  # between the drops that are numbered


def find_colours(colours: Sequence[str], *counts: Counts) -> list[str]:
    """Return the colours of any drop; all if none appears."""
    return [colour for colour in colours if any(any(each[colour]) for each in counts)] or [*colours]


def measure_margin(names: Sequence[str]) -> float:
    """Return the width (inches) left of the panels, for names and marks."""
    return 0.5 + (_MARK + max(map(measure_width, names))) / 72


def stack_height(counts: Counts, least: float) -> float:
    """Return the height (inches) of a panel of stacks, up to a limit."""
    return min(max(least, _CUBE * _limit(counts) / 72), max(least, _TALLEST))


def draw_stacks(panel: Any, counts: Counts, paint: Mapping[str, Paint]) -> None:
    """Draw the cubes inside after each drop, the first colour on top."""
    drops = len(next(iter(counts.values())))
    limit = _limit(counts)
    figure, box = panel.figure, panel.get_position()
    tall = box.height * figure.get_figheight() * 72 / limit  # pt for each cube
    wide = 0.84 * box.width * figure.get_figwidth() * 72 / (drops + 0.4)
    base = [0] * drops
    for colour in reversed(list(counts)):
        of, numbers = paint[colour], counts[colour]
        panel.bar(range(drops), numbers, 0.84, base, color=of.rgb, edgecolor=INK, linewidth=0.5, zorder=3)
        for i, number in enumerate(numbers):
            size = min(FONT - 0.5, 0.8 * number * tall, 0.8 * wide)
            if size >= _LEAST:
                _write(panel, i, base[i] + number / 2, find_mark(of), of, size)
        base = [a + b for a, b in zip(base, numbers, strict=True)]
    panel.set_ylim(0, limit)
    panel.set_ylabel("inside\n[cubes]", fontsize=FONT)


def _limit(counts: Counts) -> float:
    return 1.08 * max(1, *map(sum, zip(*counts.values(), strict=True)))


def draw_rows(panel: Any, counts: Counts, paint: Mapping[str, Paint], column: float) -> float:
    """Draw a square with the number of cubes out for each colour and drop; return the squares' side (pt).

    `column` is the width (pt) of a drop's column.
    """
    side = min(0.8 * column, 0.8 * ROW * 72)
    for row, (colour, numbers) in enumerate(counts.items()):
        panel.axhline(row, color="0.9", lw=0.6, zorder=1)
        there = [i for i, number in enumerate(numbers) if number]
        draw_squares(panel, there, row, paint[colour], side, [str(numbers[i]) for i in there])
        mark = {"boxstyle": "square,pad=0.22", "facecolor": paint[colour].rgb, "edgecolor": INK, "linewidth": 0.6}
        style = {"va": "center_baseline", "ha": "center", "fontsize": FONT - 1.5, "weight": "bold", "bbox": mark}
        at = {"xycoords": panel.get_yaxis_transform(), "textcoords": "offset points", "annotation_clip": False}
        panel.annotate(find_mark(paint[colour]), (0, row), (-11, 0), color=paint[colour].ink, **at, **style)
    panel.set_yticks(range(len(counts)), [*counts])
    panel.tick_params(axis="y", length=0, pad=_MARK)
    panel.set_ylabel("came out\n[cubes]", fontsize=FONT)
    return side


def find_mark(paint: Paint) -> str:
    """Return a colour's letter, or its name of at most two letters."""
    return paint.name if len(paint.name) <= 2 else paint.letter


def draw_squares(panel: Any, at: Sequence[int], row: float, paint: Paint, side: float, words: Sequence[str]) -> None:
    """Draw squares of `side` (pt) in a row, at the columns `at`; large ones have their text."""
    style = {"s": side**2, "marker": "s", "color": paint.rgb, "edgecolor": INK, "linewidth": 0.6, "zorder": 3}
    panel.scatter(at, [row] * len(at), **style)
    for i, word in zip(at, words, strict=True) if side > 7 else ():
        _write(panel, i, row, word, paint, min(FONT, 0.72 * side))


def _write(panel: Any, x: float, y: float, words: str, paint: Paint, size: float) -> None:
    panel.text(x, y, words, color=paint.ink, fontsize=size, ha="center", va="center_baseline", zorder=4)


def dress(panel: Any, numbers: Sequence[int], starts: Sequence[int], empty: Sequence[int]) -> None:
    """Give a panel its axes.

    `numbers` are the drops' numbers. A line stands before each column of `starts`. Columns of `empty` are hatched.
    """
    panel.set_xlim(-0.7, len(numbers) - 0.3)
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
    panel.set_axisbelow(True)
    step = next(step for step in _STEPS if step * 20 >= len(numbers))
    ticks = range(0, len(numbers), step)
    panel.set_xticks(ticks, [str(numbers[i]) for i in ticks])
    if not panel.yaxis_inverted():
        panel.yaxis.set_major_locator(MaxNLocator(5, integer=True))
        panel.grid(axis="y", color="0.9", lw=0.6)
    for i in starts:
        panel.axvline(i - 0.5, color=GREY, lw=0.8, ls=(0, (4, 2)), zorder=2)
    for i in empty:
        panel.axvspan(i - 0.5, i + 0.5, facecolor="0.94", edgecolor="0.78", hatch="////", lw=0, zorder=0)
