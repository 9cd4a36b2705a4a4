"""A drawing sheet in mm. Lines, arrows and text on paper do not scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

from tower_sim.drawing.files import DOTS_PER_INCH, FONT, GREY, INK
from tower_sim.drawing.sight import Look, View, render
from tower_sim.drawing.solids import Array, Faces

_THIN = 0.5
ARROW = 15.0  # pt: a dimension line shorter than this has its arrows outside


Side = Sequence[tuple[float, float]]  # content extends to a position (mm), and some pt beyond it
Sides = tuple[Side, Side, Side, Side]  # left, right, bottom, top
Where = tuple[float, float, float, float]  # left, bottom, width, height, as shares of the figure


def scale(figure: Figure, where: Where, sides: Sides) -> float:
    """Return the length (mm) of one point on paper at which the content just fits."""
    pairs = _find_sizes(figure, where, sides)
    return max((b - a) / max(points - p - q, 1.0) for points, lows, highs in pairs for a, p in lows for b, q in highs)


def _find_sizes(figure: Figure, where: Where, sides: Sides) -> list[tuple[float, Side, Side]]:
    wide, tall = figure.get_figwidth() * where[2] * 72, figure.get_figheight() * where[3] * 72
    return [(wide, sides[0], sides[1]), (tall, sides[2], sides[3])]


class Sheet:
    """Axes in mm, scaled so that the content fits; `pt` is the length (mm) of one point on paper, at least `least`."""

    def __init__(self, figure: Figure, where: Where, sides: Sides, least: float = 0.0) -> None:
        canvas: Any = figure
        self.axes: Any = canvas.add_axes(where)
        self.axes.set_axis_off()
        self.pt = max(least, scale(figure, where, sides), 1e-9)
        limits = (self.axes.set_xlim, self.axes.set_ylim)
        for (points, lows, highs), limit in zip(_find_sizes(figure, where, sides), limits, strict=True):
            low, high = min(a - p * self.pt for a, p in lows), max(b + q * self.pt for b, q in highs)
            spare = (points * self.pt - (high - low)) / 2
            limit(low - spare, high + spare)

    def text(self, x: float, y: float, words: str, across: str = "center", up: str = "center", **style: Any) -> None:
        """Write `words` at (x, y)."""
        paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
        style = {"fontsize": FONT, "color": INK, "bbox": paper, "zorder": 8} | style
        self.axes.text(x, y, words, ha=across, va=up, **style)

    def line(self, *points: tuple[float, float], width: float = _THIN, colour: str = GREY, **style: Any) -> None:
        """Draw a thin line through `points`."""
        self.axes.plot(*zip(*points, strict=True), lw=width, color=colour, **({"zorder": 6} | style))

    def measure(self, low: float, high: float, start: float, line: float, is_upright: bool = False) -> None:
        """Draw a dimension from `low` to `high` at the height (upright: x) `line`; extension lines begin at `start`."""
        beyond = line + math.copysign(2 * self.pt, line - start)

        def place(along: float, away: float) -> tuple[float, float]:
            return (away, along) if is_upright else (along, away)

        for end in (low, high):
            self.line(place(end, start), place(end, beyond))
        a, b = place(low, line), place(high, line)
        first, last = np.array(a), np.array(b)
        length = float(np.linalg.norm(last - first))
        step = 9 * self.pt * ((last - first) / max(length, 1e-9))
        arrows = [(first, last, "<|-|>")]
        if length < ARROW * self.pt:
            self.line(a, b, colour=INK)
            arrows = [(first - step, first, "-|>"), (last + step, last, "-|>")]
        for tail, tip, style in arrows:
            shape = {"arrowstyle": f"{style},head_length=0.35,head_width=0.13", "lw": _THIN, "color": INK}
            shape |= {"shrinkA": 0, "shrinkB": 0, "mutation_scale": 13}
            self.axes.annotate("", tip, tail, arrowprops=shape, zorder=7)

    def draw_leaders(
        self, tips: Sequence[tuple[str, Array, bool]], ends: tuple[float, float], off: float, gap: float
    ) -> None:
        """Write names in a column on either side, each with a line to its tip.

        `tips` has (text, tip, whether on the left). Columns stand `off` points outside the two x of `ends`, texts at
        least `gap` points apart.
        """
        for is_left, x, across in ((True, ends[0] - off * self.pt, "right"), (False, ends[1] + off * self.pt, "left")):
            column = [(words, tip) for words, tip, side in tips if side == is_left]
            heights = spread([tip[1] for _, tip in column], gap * self.pt)
            for (words, tip), y in zip(column, heights, strict=True):
                for width, colour in ((2.2, "white"), (0.7, INK)):
                    self.line((x + (3 if is_left else -3) * self.pt, y), (tip[0], tip[1]), width=width, colour=colour)
                self.axes.plot(*tip, "o", ms=3, mfc=INK, mec="white", mew=0.5, zorder=7)
                self.text(x, y, words, across)

    def paint(
        self, faces: Faces, view: View, colour: Array, width: Any, hatch: Any = 0, gap: float = 3.2, grey: float = 0.1
    ) -> None:
        """Paint what `view` sees of faces, with their lines, as a picture of pixels.

        `colour`, (n, 4), `width` (pt) of the lines and `hatch` are of each face; the hatching's lines are `gap` points
        apart, and have the shade `grey`.
        """
        per_pt = DOTS_PER_INCH / 72
        pixel, n = self.pt / per_pt, len(faces)
        look = Look(colour, per_pt * np.broadcast_to(width, n), np.broadcast_to(hatch, n), per_pt * gap, grey)
        seen, edge = view.project(faces.corners), look.width.max(initial=0.0) + 1
        box = self.axes.figure.bbox.transformed(self.axes.transData.inverted())  # the figure's corners, in mm
        places: Array = (seen - np.array([box.x0, box.y1])) * np.array([1, -1]) / pixel
        first, last = (places.min(axis=0) - edge).round(), (places.max(axis=0) + edge).round()
        x, y = float(box.x0 + pixel * first[0]), float(box.y1 - pixel * first[1])
        columns, rows = (last - first).astype(int).tolist()
        picture = render(faces, view, look, (x, y), pixel, (rows, columns))
        extent = (x, x + pixel * columns, y - pixel * rows, y)
        self.axes.imshow(picture, extent=extent, aspect="auto", interpolation="none", zorder=2)


def spread(wanted: Sequence[float], gap: float) -> list[float]:
    """Return places at least `gap` apart, in the order of `wanted`, with the least squared shifts."""
    order = np.argsort(wanted, kind="stable")
    blocks: list[list[float]] = []
    for rank, i in enumerate(order):
        blocks.append([wanted[i] - rank * gap])
        while len(blocks) > 1 and np.mean(blocks[-2]) > np.mean(blocks[-1]):
            last = blocks.pop()
            blocks[-1] += last
    flat = [float(np.mean(block)) for block in blocks for _ in block]
    placed = [0.0] * len(flat)
    for rank, i in enumerate(order):
        placed[i] = flat[rank] + rank * gap
    return placed


def measure_width(words: str, size: float = FONT, is_bold: bool = False) -> float:
    """Return the width (pt) of the widest line of a text."""
    return max(_width(line, size, is_bold) for line in words.split("\n"))


@cache
def _width(words: str, size: float, is_bold: bool) -> float:
    font = FontProperties(size=size, weight="bold" if is_bold else "normal")
    maker: Any = TextToPath()
    return float(maker.get_text_width_height_descent(words, font, False)[0])
