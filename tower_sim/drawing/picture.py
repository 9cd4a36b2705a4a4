"""Panels with a column for each drop of a run: stacks of cubes, rows of counts, and their axes.

Each cube that is large enough has the letter of its colour, for readers who cannot distinguish colours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from tower_sim.apparatus import Apparatus, Dimensions, Section, Width
from tower_sim.drawing.files import FONT, GREY, INK, check_path, save
from tower_sim.drawing.paint import Paint
from tower_sim.drawing.plan import describe_cubes, draw_plan, find_near_cubes
from tower_sim.drawing.section import Drawing
from tower_sim.drawing.sheet import Sheet, Where, measure_width
from tower_sim.drawing.sight import Sight, View, look_at
from tower_sim.drawing.solids import Array, Faces, join, make_boxes, make_faces
from tower_sim.drawing.surfaces import cube_faces, cut_section, find_part, find_shades, find_surface, mm, zone_faces
from tower_sim.values import TowerState

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


_WIDE, _TALL, _TALLER = 10.0, 5.8, 4.3  # inches: the figure's width, a single row, one of several rows
_STRIP = 0.27  # of a panel's height, for the plans below the view
_LARGE = 0.6  # of a part's largest visible face: a label may point at faces at least so large
_ROW = 13.0  # pt between labels
_COARSE = 400  # samples across the view, to find where labels point


def draw_apparatus(apparatus: Apparatus, path: str | Path, state: TowerState | None = None) -> None:
    """Draw an apparatus, with the cubes of a state where they lie, into a file; lengths are in mm.

    Args:
        apparatus: A tower or a ship.
        path: The picture; its ending says the format.
        state: Its cubes need poses, as physics has them.
    """
    check_path(path)
    save(apparatus_figure(apparatus, state), path)


def apparatus_figure(apparatus: Apparatus, state: TowerState | None = None) -> Figure:
    """Return the matplotlib figure that `draw_apparatus` writes; the arguments are the same.

    >>> from tower_sim import load
    >>> len(apparatus_figure(load("amerigo")).axes)
    5
    """
    dimensions = apparatus.dimensions()
    lying, far = find_near_cubes(apparatus, state.board.lying if state else ())
    cubes = join([cube_faces(state.residents if state else ()), lying])
    panels = 1 + len(dimensions.sections) + (apparatus.board is not None)
    rows = (panels + 1) // 2
    height = _TALL if rows == 1 else rows * _TALLER
    figure: Any = Figure(figsize=(_WIDE, height))
    half = 0.46 if rows == 1 else 0.5
    cells = [((0.0, half)[i % 2], 1 - (i // 2 + 1) / rows, (half, 1 - half)[i % 2], 1 / rows) for i in range(panels)]
    left, bottom, width, tall = cells[0]
    notes = [note for note in (describe_cubes(apparatus, state, far) if state else "", dimensions.note) if note]
    head = (0.3 + 0.17 * len(notes)) / height
    strip = _STRIP * tall if dimensions.plans else 0.0
    zones = [zone_faces(apparatus.board)] if apparatus.board else []
    solids = make_faces(apparatus.solids)
    shown = join([find_surface(solids, dimensions, dimensions.cuts), cubes, *zones])
    _draw_view(figure, (left, bottom + strip, width, tall - strip - head), shown, dimensions)
    if strip:
        _draw_plans(figure, (left, bottom, width, strip), solids, dimensions, apparatus.cube_edge)
    for section, where in zip(dimensions.sections, cells[1:], strict=False):
        Drawing(section, *cut_section(solids, dimensions, section), dimensions).draw(figure, where)
    if apparatus.board:
        says = {name: printed.words for name, printed in dimensions.board.printed.items()} if dimensions.board else {}
        draw_plan(figure, cells[-1], apparatus, says, lying)
    size = min(10.0, 10.0 * 0.44 * 72 * _WIDE / measure_width(apparatus.name, 10.0, True))
    figure.text(0.02, 1 - 0.09 / height, apparatus.name, fontsize=size, color=INK, va="top", weight="bold")
    figure.text(0.02, 1 - 0.32 / height, "\n".join(notes), fontsize=FONT, color=GREY, va="top", linespacing=1.4)
    return figure


def _draw_view(figure: Figure, where: Where, faces: Faces, dimensions: Dimensions) -> None:
    view = look_at(faces, dimensions.eye)
    seen = view.project(faces.corners)
    low, high = seen.min(axis=0), seen.max(axis=0)
    middle = float(view.project([(0.0, 0.0, view.target[2])])[0][0])  # where the apparatus's axis is seen
    tips = find_tips(faces, view, {name: find_part(dimensions, name).words for name in faces.part.tolist()}, middle)
    tips |= {label.words: view.project([mm(label.tip)])[0] for label in dimensions.labels}
    labels = [(words, tip, bool(tip[0] < middle)) for words, tip in tips.items()]
    left, right = (
        18 + max((measure_width(w) for w, _, s in labels if s == side), default=0.0) for side in (True, False)
    )
    sheet = Sheet(figure, where, ([(low[0], left)], [(high[0], right)], [(low[1], 4)], [(high[1], 4)]))
    sheet.paint(faces, view, find_shades(faces, dimensions), 0.5)
    sheet.draw_leaders(labels, (low[0], high[0]), 10.0, _ROW)


def find_tips(faces: Faces, view: View, names: Mapping[str, str], middle: float) -> dict[str, Array]:
    """Return for each text in `names`, by part, the point (mm on the sheet) at which its label points.

    It lies on a large visible surface, far from `middle` (mm across).
    """
    seen = view.project(faces.corners)
    low, high = seen.min(axis=0), seen.max(axis=0)
    pitch = float((high - low).max()) / _COARSE
    columns, rows = (int(size) + 1 for size in (high - low) / pitch)
    face = Sight(faces, view, (float(low[0]), float(high[1])), pitch, (rows, columns)).face
    row, column = np.nonzero(face >= 0)
    of = face[row, column]
    points = np.column_stack([low[0] + pitch * column, high[1] - pitch * row])
    words = np.array([names[name] for name in faces.part[of].tolist()], dtype=str)
    tips: dict[str, Array] = {}
    for word in np.unique(words[words != ""]).tolist():
        is_word = words == word
        numbers, area = np.unique(of[is_word], return_counts=True)
        for number in numbers[area > _LARGE * area.max()]:
            some = points[of == number]
            away = some[:, 0] - middle
            goal = (some.mean(axis=0) + some[int(np.argmax(away if away.mean() > 0 else -away))]) / 2
            tip = some[int(((some - goal) ** 2).sum(axis=1).argmin())]
            if word not in tips or abs(tip[0] - middle) > abs(tips[word][0] - middle):
                tips[word] = tip
    return tips


def _draw_plans(figure: Figure, where: Where, solids: Faces, dimensions: Dimensions, edge: float) -> None:
    cube = Section("cube", "z", 0.0, (Width(f"{1e3 * edge:g}", -edge / 2, edge / 2),))
    drawings = [Drawing(plan, *cut_section(solids, dimensions, plan), dimensions) for plan in dimensions.plans]
    faces = make_boxes(["cube"], (0.0, 0.0, 0.0), mm([edge / 2] * 3), (0.0, 0.0, 0.0, 1.0))
    drawings.append(Drawing(cube, faces, drawings[0].view, dimensions))
    left, bottom, width, tall = where
    share = width / (len(drawings) - 0.5)  # the cube takes half as much as a plan
    cells = [(left + i * share, bottom, share / (1 + (d is drawings[-1])), tall) for i, d in enumerate(drawings)]
    pt = max(drawing.scale(figure, cell) for drawing, cell in zip(drawings, cells, strict=True))
    for drawing, cell in zip(drawings, cells, strict=True):
        drawing.draw(figure, cell, pt)
