r"""A section of an apparatus with its dimensions in mm.

                 |<-width->|
level ----------- \       /  |
level ----------|  |     |   | height
                |  | `-. |       | height
level ----------|__|_____|_______|
                   |<--->|          width
                     |<--------->|  width, where there is no room in the row above
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Arc

from tower_sim.apparatus import Angle, Dimensions, Height, Level, Section, Width
from tower_sim.drawing.files import FONT, GREY, INK, MARK
from tower_sim.drawing.sheet import ARROW, Sheet, Sides, Where, measure_width, scale, spread
from tower_sim.drawing.sight import View
from tower_sim.drawing.solids import Faces
from tower_sim.drawing.surfaces import find_part

Item = TypeVar("Item", Width, Height, Level, Angle)

_LINE = 11.0  # pt from text to text
_ROW = 20.0  # pt from dimension line to dimension line
_GAP = 9.0  # pt from the apparatus to the first dimension line
_TITLE = 22.0  # pt for the section's name


class Drawing:
    """A drawing of a `section` in mm, and of the `faces` seen in it."""

    def __init__(self, section: Section, faces: Faces, view: View, dimensions: Dimensions) -> None:
        lists: Any = {name: in_mm(getattr(section, name)) for name in ("widths", "heights", "levels", "angles")}
        self.section, self.view, self.dimensions = replace(section, **lists), view, dimensions
        self.faces = faces
        self.is_plan = section.axis == "z"
        seen = view.project(faces.corners)
        (self.left, self.bottom), (self.right, self.top) = seen.min(axis=0).tolist(), seen.max(axis=0).tolist()
        self.bottom = self.bottom if self.is_plan else min(0.0, self.bottom)

    def scale(self, figure: Figure, where: Where) -> float:
        """Return the length (mm) of one point on paper at which the drawing just fits.

        It is found step by step: a smaller drawing needs more rows of widths.
        """
        pt = 0.0
        while (needed := scale(figure, where, self._sides(pt))) > pt * (1 + 1e-9):
            pt = needed
        return pt

    def draw(self, figure: Figure, where: Where, least: float = 0.0) -> None:
        """Draw the section at `where`; one point on paper is at least `least` mm."""
        pt = max(least, self.scale(figure, where))
        sheet, section = Sheet(figure, where, self._sides(pt), pt), self.section
        self._paint(sheet)
        for points in section.marks:
            sheet.line(*((1e3 * x, 1e3 * z) for x, z in points), width=0.9, colour=MARK, linestyle="--", zorder=7)
        angled = [draw_angle(sheet, angle) for angle in section.angles]
        self._draw_levels(sheet, [*section.levels, *(level for level in angled if level)])
        draw_widths(sheet, section.widths, self.bottom)
        draw_heights(sheet, section.heights)
        middle, height = (self.left + self.right) / 2, self._sides(pt)[3]
        if self.is_plan:
            sheet.text(middle, self.top + 10 * pt, section.words)
            sheet.text(self.right + 3 * pt, (self.bottom + self.top) / 2, section.beside, "left", color=GREY,
                       fontsize=FONT - 1.5)  # fmt: skip
        else:
            middle = sum(sheet.axes.get_xlim()) / 2
            sheet.text(middle, max(z + p * pt for z, p in height) - 10 * pt, f"{section.words}, lengths in mm")

    def _sides(self, pt: float) -> Sides:
        section = self.section
        levels = [*section.levels, *(Level(f"{a.words} {_format_angle(a)}", 0.0, 0.0) for a in section.angles)]
        left = [(self.left, 20 + max(measure_width(level.words) for level in levels) if levels else 6.0)]
        left += [(x, o + 8 + measure_width(h.words)) for h, x, o in _arrange_columns(section.heights) if h.is_left]
        right = [(self.right, 10.0 + (measure_width(section.beside) if section.beside else 0.0))]
        right += [(x, o + 8 + measure_width(h.words)) for h, x, o in _arrange_columns(section.heights) if not h.is_left]
        rows = _arrange_rows(section.widths, pt)
        bottom = [(self.bottom, 24 + _ROW * max((row for w, row in rows if not w.is_above), default=-1))]
        lift = 0.0 if self.is_plan else _TITLE
        top = [(self.top, 10 + max(lift, 8))]
        top += [(w.at, 16 + lift + 11 + _ROW * row) for w, row in rows if w.is_above]
        return left, right, bottom, top

    def _paint(self, sheet: Sheet) -> None:
        names, which = np.unique(self.faces.part, return_inverse=True)
        slope = np.array([find_part(self.dimensions, name).hatch for name in names.tolist()])[which]
        is_cut = self.faces.is_cut
        grey = np.where(slope == 0, 0.9, np.where(is_cut, 1.0, 0.82 if self.is_plan else 0.965))
        width = np.where(is_cut, 0.8, 0.7 if self.is_plan else 0.35)
        colour = np.column_stack([grey, grey, grey, np.ones(len(grey))])
        sheet.paint(self.faces, self.view, colour, width, np.where(is_cut, slope % 3, 0))
        if not self.is_plan:
            ends = ((self.left - 8 * sheet.pt, 0.0), (self.right + 8 * sheet.pt, 0.0))
            sheet.line(*ends, width=1.0, colour=INK, zorder=4)

    def _draw_levels(self, sheet: Sheet, levels: Sequence[Level]) -> None:
        if not levels:
            return
        pt, column = sheet.pt, self.left - 8 * sheet.pt
        heights = [level.height for level in levels]
        sheet.line((column, min(heights)), (column, max(heights)), colour=INK)
        gap = _LINE * max(level.words.count("\n") + 1 for level in levels)
        for level, y in zip(levels, spread(heights, gap * pt), strict=True):
            sheet.axes.plot(column, level.height, "o", ms=2, color=INK, zorder=7)
            sheet.line((level.at - 1.5 * pt, level.height), (column - 2 * pt, level.height), (column - 6 * pt, y))
            sheet.text(column - 8 * pt, y, level.words, "right", linespacing=1.1)


def in_mm(items: Sequence[Item]) -> tuple[Item, ...]:
    """Return dimensions with lengths in mm instead of m."""
    values = [{field.name: getattr(item, field.name) for field in fields(item)} for item in items]
    lengths = [{k: 1e3 * v for k, v in row.items() if isinstance(v, float) and k != "angle"} for row in values]
    return tuple(replace(item, **row) for item, row in zip(items, lengths, strict=True))


def _arrange_rows(widths: Sequence[Width], pt: float) -> list[tuple[Width, int]]:
    taken: list[tuple[Width, int]] = []
    for width in widths:
        row = 0
        while any(_collide(width, other, pt) for other, of_row in taken if of_row == row):
            row += 1
        taken.append((width, row))
    return taken


def _collide(one: Width, other: Width, pt: float) -> bool:
    if one.is_above != other.is_above:
        return False
    apart = abs(one.low + one.high - other.low - other.high) / 2
    arrows = sum(11 * pt for width in (one, other) if width.high - width.low < ARROW * pt)
    lines = (one.high - one.low + other.high - other.low) / 2 + arrows
    return apart < lines - 1e-6 or apart < ((measure_width(one.words) + measure_width(other.words)) / 2 + 4) * pt


def draw_widths(sheet: Sheet, widths: Sequence[Width], bottom: float) -> None:
    """Draw widths: above the measured part if `is_above`, else below `bottom` (mm)."""
    pt = sheet.pt
    for width, row in _arrange_rows(widths, pt):
        start = width.at + 1.5 * pt if width.is_above else bottom - 1.5 * pt
        y = width.at + (11 + _ROW * row) * pt if width.is_above else bottom - (12 + _ROW * row) * pt
        sheet.measure(width.low, width.high, start, y)
        up, text = ("bottom", y + 1.5 * pt) if width.is_above else ("top", y - 2.5 * pt)
        sheet.text((width.low + width.high) / 2, text, width.words, up=up)


def _arrange_columns(heights: Sequence[Height]) -> list[tuple[Height, float, float]]:
    placed: list[tuple[Height, float, float]] = []
    for height in heights:
        offset, x = _GAP, height.clear if height.clear is not None else height.at
        for other, at, room in placed:
            if at == x and min(height.high, other.high) > max(height.low, other.low):
                offset = max(offset, room + measure_width(other.words) + 12)
        placed.append((height, x, offset))
    return placed


def draw_heights(sheet: Sheet, heights: Sequence[Height]) -> None:
    """Draw heights, and keep their text apart."""
    pt = sheet.pt
    columns = [(h, x - offset * pt if h.is_left else x + offset * pt) for h, x, offset in _arrange_columns(heights)]
    columns.sort(key=lambda column: column[1])
    while columns:
        group, end = [columns.pop(0)], -math.inf
        while columns:
            end = max(end, group[-1][1] + (9 + measure_width(group[-1][0].words)) * pt)
            if columns[0][1] > (group[0][1] if group[0][0].is_left else end):
                break
            group.append(columns.pop(0))
        wanted = [max(h.over, (h.low + h.high) / 2) for h, _ in group]
        for (h, x), y in zip(group, spread(wanted, _LINE * pt), strict=True):
            side, middle = -1 if h.is_left else 1, (h.low + h.high) / 2
            sheet.measure(h.low, h.high, h.at + side * 1.5 * pt, x, is_upright=True)
            if abs(y - middle) > 2 * pt:
                sheet.line((x, middle), (x + side * 5 * pt, y))
            sheet.text(x + side * 5 * pt, y, h.words, "left" if side > 0 else "right")


def draw_angle(sheet: Sheet, angle: Angle) -> Level | None:
    """Draw an angle with its text in the wedge under it, or return it as a level if there is no room."""
    x, z = angle.at, angle.height
    pt, run, side = sheet.pt, abs(angle.run), math.copysign(1, angle.run)
    for words in (f"{angle.words} {_format_angle(angle)}", _format_angle(angle)):
        free = run - (measure_width(words) + 5) * pt  # between the words and the lower end
        if free < 0.35 * run or free * math.tan(angle.angle) < 13 * pt:
            continue
        sheet.line((x, z), (x + angle.run, z))
        size, turn = 1.7 * free, math.degrees(angle.angle)
        ends = (0.0, turn) if side > 0 else (180 - turn, 180.0)
        sheet.axes.add_patch(Arc((x, z), size, size, theta1=ends[0], theta2=ends[1], color=INK, lw=0.5, zorder=6))
        place = x + angle.run - side * 3 * pt
        sheet.text(place, z + 7 * pt, words, "left" if side < 0 else "right", bbox=None)
        return None
    return Level(f"{angle.words} {_format_angle(angle)}", z + run * math.tan(angle.angle), x + angle.run)


def _format_angle(angle: Angle) -> str:
    return f"{math.degrees(angle.angle):.6g}°"
