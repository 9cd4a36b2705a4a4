"""What must hold of any picture of data, checked on the figure itself; each check returns what it found wrong."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.text import Text

from tower_sim.apparatus import Apparatus, parse

COUNTS = (
    "cubes]",
    "gold",
    "action",
    "drops]",
    "rounds",
    "colours out",
    "explosions",
    "shuffles",
    "(0",
)  # ends and parts of axis labels


def drawn(figure: Any) -> FigureCanvasAgg:
    """Draw a figure, and keep its layout as it is then."""
    for text in figure.findobj(Text):
        text.set_parse_math(False)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    figure.set_layout_engine("none")
    return canvas


def legends(figure: Any) -> list[Any]:
    return [*figure.legends, *(axes.get_legend() for axes in figure.axes if axes.get_legend() and axes.get_visible())]


def hidden_by_legends(figure: Any, canvas: FigureCanvasAgg) -> list[str]:
    """Return the legends, by their words, that lie on anything but paper: the figure is drawn without them."""
    every = legends(figure)
    boxes = [legend.get_window_extent(canvas.get_renderer()) for legend in every]
    for legend in every:
        legend.set_visible(False)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[::-1, :, :3]  # from the bottom, as boxes are
    for legend in every:
        legend.set_visible(True)
    found: list[str] = []
    for legend, box in zip(every, boxes, strict=True):
        inside = box.x0 > 0 and box.y0 > 0 and box.x1 <= pixels.shape[1] and box.y1 <= pixels.shape[0]
        behind = pixels[round(box.y0) + 1 : round(box.y1) - 1, round(box.x0) + 1 : round(box.x1) - 1]
        if not inside or behind.min() < 250:
            found.append(" | ".join(text.get_text() for text in legend.get_texts()))
    return found


def overlaps(figure: Any, canvas: FigureCanvasAgg) -> list[tuple[str, str]]:
    """Return the pairs of texts whose boxes overlap by more than a pixel, and the texts that leave the figure."""
    return clashes(texts(figure), canvas, 1.0, 1.0)


def clashes(words: Iterable[Text], canvas: FigureCanvasAgg, by: float, beyond: float) -> list[tuple[str, str]]:
    """Return the pairs of texts that overlap by more than `by` pixels, and those more than `beyond` off the figure."""
    boxes = [(text.get_text(), text.get_window_extent(canvas.get_renderer())) for text in words]
    (width, height), low = canvas.get_width_height(), -beyond
    off = [text for text, box in boxes if box.x0 < low or box.y0 < low or box.x1 > width - low or box.y1 > height - low]
    return [(text, "the margin") for text in off] + [
        (a, b)
        for (a, p), (b, q) in itertools.combinations(boxes, 2)
        if min(p.x1, q.x1) - max(p.x0, q.x0) > by and min(p.y1, q.y1) - max(p.y0, q.y0) > by
    ]


def written(figure: Any) -> list[Text]:
    """Return the texts of a figure that have words and are not hidden."""
    return [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]


def changed(profile: Mapping[str, Any], changes: Mapping[str, Any], name: str = "changed") -> Apparatus:
    """Return the apparatus of a profile that is changed: a table's values one by one, lists of tables whole."""
    tables = dict(profile)
    for table, values in changes.items():
        tables[table] = tables[table] | values if isinstance(values, Mapping) else values
    return parse(toml(tables), name)


def words_of(figure: Any) -> list[str]:
    return [text.get_text() for text in written(figure)]


def crowded(figure: Any) -> list[tuple[str, str]]:
    """Return the pairs of texts whose boxes overlap by more than half a pixel, and the texts that leave the figure."""
    for text in figure.findobj(Text):
        text.set_parse_math(False)  # as they are written
    figure.draw_without_rendering()
    return clashes(written(figure), FigureCanvasAgg(figure), 0.5, 0.0)


def texts(figure: Any) -> Iterator[Any]:
    """Yield the texts that are seen and stand upright; slanted ones have boxes much larger than they are."""
    for axes in figure.axes:
        out_of_sight: set[int] = set()
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            out_of_sight |= {id(t.label1) for t in axis.get_major_ticks() if not low <= t.get_loc() <= high}
        for text in axes.findobj(Text) if axes.get_visible() else ():
            seen = text.get_visible() and id(text) not in out_of_sight
            if text.get_text() and seen and text.get_rotation() % 90 == 0:
                yield text
    yield from figure.texts


def unnamed(figure: Any, _: FigureCanvasAgg) -> list[str]:
    """Return the panels with a dashed or dotted line whose style is in no legend of theirs or of the figure."""
    found: list[str] = []
    for axes in figure.axes:
        own = [axes.get_legend()] if axes.get_legend() else []
        known = {style(line) for legend in (*own, *figure.legends) for line in legend.findobj(Line2D)}
        lines = [line for line in axes.get_lines() if line.get_visible() and dashes(line)]
        if any(style(line) not in known for line in lines):
            found.append(axes.get_ylabel() or axes.get_xlabel())
    return found


def dashes(line: Any) -> Any:
    """Return the dash pattern of a line, None when it is solid or not drawn."""
    return None if line.get_linestyle() == "None" else line._unscaled_dash_pattern[1]


def style(line: Any) -> tuple[Any, ...]:
    pattern = dashes(line)
    return str(line.get_color()), tuple(pattern) if pattern else None


def half_counts(figure: Any, _: FigureCanvasAgg) -> list[str]:
    """Return the ticks that say half a cube on axes of counts that are two or more long."""
    found: list[str] = []
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            if not any(part in axis.get_label_text() for part in COUNTS) or high - low < 2:
                continue
            for tick in axis.get_major_ticks():
                words = tick.label1.get_text()
                if low <= tick.get_loc() <= high and re.search(r"\d\.\d*[1-9]", words):
                    found.append(f"{axis.get_label_text()}: {words}")
    return found


def faults(figure: Any) -> dict[str, list[Any]]:
    """Return all that is wrong with a picture, by the name of the check; empty when nothing is."""
    canvas = drawn(figure)
    checks = (overlaps, unnamed, half_counts, hidden_by_legends)
    return {check.__name__: wrong for check in checks if (wrong := check(figure, canvas))}


def shades_of(pixels: np.ndarray, paint: str) -> int:
    base = np.array(to_rgb(paint))
    lit = pixels @ base / (base @ base)  # how bright the nearest shade of the paint is
    is_shade = (np.abs(pixels - lit[:, None] * base).max(axis=1) < 0.02) & (lit > 0.6) & (lit < 1.01)
    return int(is_shade.sum())


def toml(tables: Mapping[str, Any]) -> str:
    """Return tables as TOML, those within in line."""

    def text_of(value: Any) -> str:
        if isinstance(value, Mapping):
            return "{" + ", ".join(f"{key} = {text_of(item)}" for key, item in value.items()) + "}"
        return "[" + ", ".join(map(text_of, value)) + "]" if isinstance(value, list) else repr(value)

    return "\n".join(f"{key} = {text_of(value)}" for key, value in tables.items())
