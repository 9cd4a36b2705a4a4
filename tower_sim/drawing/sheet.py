"""A drawing sheet in mm. Lines, arrows and text on paper do not scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline
from matplotlib.textpath import TextToPath

from tower_sim.drawing.files import FONT, GREY, INK
from tower_sim.drawing.solids import Array, Face, View, find_edges

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

    def paint(self, faces: Sequence[Face], view: View, colours: Sequence[Any], width: float, zorder: float = 2) -> None:
        """Paint `faces` in their order, with their drawn edges."""
        outlines: list[tuple[Outline, Any, Any, float]] = []
        for face, colour in zip(faces, colours, strict=True):
            ring = view.project(face.corners)
            # the stroke covers the hairline that antialiasing leaves between two pieces of a face
            outlines.append((Outline(np.concatenate([ring, ring[:1]]), closed=True), colour, colour, 0.4))
            outlines += [(Outline(ends), "none", INK, width) for ends in find_edges(face, view)]
        paths, fills, strokes, widths = map(list, zip(*outlines, strict=True)) if outlines else ([], [], [], [])
        patches: Any = PathCollection(
            paths, facecolors=fills, edgecolors=strokes, linewidths=widths, capstyle="round", joinstyle="round"
        )
        patches.set_zorder(zorder)
        self.axes.add_collection(patches, autolim=False)

    def hatch(self, faces: Sequence[Face], view: View, slope: int, gap: float = 3.2, colour: str = INK) -> None:
        """Hatch `faces` with thin lines at 45 degrees, rising (`slope` 1) or falling (-1), `gap` points apart."""
        if not faces:
            return
        rings = [view.project(face.corners) for face in faces]
        shape: Any = Outline.make_compound_path(*(Outline(np.concatenate([r, r[:1]]), closed=True) for r in rings))
        points = np.concatenate(rings)
        (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
        tall, step = y1 - y0, gap * self.pt
        starts = [i * step for i in range(math.floor((x0 - tall) / step), math.ceil(x1 / step))]
        ends = (y0, y1) if slope > 0 else (y1, y0)
        lines = [((x, ends[0]), (x + tall, ends[1])) for x in starts]
        clip = PathPatch(shape, facecolor="none", edgecolor="none", transform=self.axes.transData)
        hatching: Any = LineCollection(lines, colors=colour, linewidths=0.45, zorder=3)
        self.axes.add_collection(hatching, autolim=False)
        hatching.set_clip_path(clip)


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
