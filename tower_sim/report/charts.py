"""Charts as SVG: text stays text, the background is transparent, and colours follow the theme of the page."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from tower_sim.results import Estimate, Estimates

INK, SOFT, PALE, FAINT, PAPER = "#1a1a1a", "#737373", "#bfbfbf", "#e6e6e6", "#ffffff"
BLUE, RED, GREEN, PURPLE, CALM = "#2360b5", "#b8460e", "#1f6b38", "#7a3e9d", "#b9cdea"
DARK = {
    INK: "currentColor", "#000000": "currentColor", SOFT: "#a9b0b9", PALE: "#5a626c", FAINT: "#373d45",
    PAPER: "#131619", BLUE: "#86b8f5", RED: "#f0a070", GREEN: "#7ccf94", PURPLE: "#cf9df0",
    CALM: "#2f4a70",
}  # fmt: skip
STYLE = "\n".join(
    [".chart { width: min(100%, 780px); height: auto; font-family: Verdana, 'DejaVu Sans', sans-serif; }"]
    + [
        f'.chart [{side}="{light}"] {{ {side}: {dark if dark == "currentColor" else f"light-dark({light}, {dark})"}; }}'
        for light, dark in DARK.items()
        for side in ("fill", "stroke")
    ]
)
"""CSS for charts in a page, with colours for light and dark mode. Without it, a chart has the light colours."""
_ALONE = f"<style>:root {{ color-scheme: light dark; color: light-dark({INK}, #ece8df); }}\n{STYLE}</style>"


def svg(figure: Any, name: str, caption: str) -> str:
    """Return a matplotlib figure as an SVG element for a page whose style includes STYLE.

    `name` makes its ids different from those of other charts on the page.
    """
    import matplotlib as mpl
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        text.set_parse_math(False)  # a dollar sign in a name starts no formula
    buffer = io.StringIO()
    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": name}
    with cast("Any", mpl).rc_context(settings):
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(buffer, format="svg", transparent=True, metadata=nothing)
    drawn = buffer.getvalue()
    drawn = re.sub(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>|<style.*?</style>", "", drawn, flags=re.DOTALL)
    drawn = re.sub(r' style="([^"]*)"', lambda found: _attributes(found[1]), drawn)
    used = set(re.findall(r"#([\w.-]+)[\")]", drawn))
    drawn = re.sub(r' id="([^"]+)"', lambda found: found[0] if found[1] in used else "", drawn)
    marks = r'(?<=<path id="m)[^>]*'  # marks get the colour of the place where they are used
    drawn = re.sub(marks, lambda found: re.sub(r' (fill|stroke)="[^"]*"', "", found[0]), drawn)
    drawn = re.sub(r' (d|x|y|transform)="[^"]*"', lambda found: re.sub(r"-?\d+\.\d{2,}", _round, found[0]), drawn)
    drawn = re.sub(r"\s*\n\s*", "\n", drawn).strip()
    head = f'<svg id="svg-{name}" class="chart" role="img" aria-label="{_quote(caption)}" fill="currentColor"'
    head += ' stroke-linejoin="round"'
    return drawn.replace("<svg", head, 1)


def _round(found: re.Match[str]) -> str:
    return f"{float(found[0]):.1f}".removesuffix(".0")


def again(figure: Any, name: str) -> str:
    """Return an element that shows the SVG element of the same name on the page once more, without a label."""
    size = " ".join(f"{96 * inches:.0f}" for inches in figure.get_size_inches())  # pixels
    return f'<svg viewBox="0 0 {size}" aria-hidden="true"><use href="#svg-{name}"/></svg>'


def alone(drawn: str) -> str:
    """Return the SVG element from `svg` as the text of a separate file."""
    return drawn.replace(">", f">{_ALONE}", 1) + "\n"


def _attributes(style: str) -> str:
    pairs = (part.split(":", 1) for part in style.split(";") if ":" in part)
    kept = ((key.strip(), value.strip()) for key, value in pairs if key.strip() != "font-family")
    return "".join(f' {key}="{value}"' for key, value in kept)


def _quote(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")


# What is drawn on the axes of a panel

FONT = 8.5  # pt
WIDTH = 6.5  # in
CHARACTERS = 75  # of that font size in that width
UPRIGHT = 24  # of that font size along an upright axis
Array = npt.NDArray[Any]
Draw = Callable[[Any], None]
ROLES: tuple[dict[str, Any], ...] = (
    {"color": BLUE, "marker": "o", "ls": "-", "mfc": BLUE},
    {"color": SOFT, "marker": "s", "ls": "--", "mfc": PAPER},
    {"color": INK, "marker": "^", "ls": "-.", "mfc": INK},
    {"color": RED, "marker": "D", "ls": ":", "mfc": PAPER},
    {"color": GREEN, "marker": "v", "ls": (0, (5, 1)), "mfc": GREEN},
    {"color": PURPLE, "marker": "P", "ls": (0, (1, 1)), "mfc": PAPER},
)
"""The styles of points and lines: one calm hue for ours, grey for what stands beside, then others. They differ in marks
and dashes too, for readers who cannot tell colours apart."""
FILLS = ((CALM, ""), (PAPER, "////"), (FAINT, "...."), (PALE, "xxxx"), (PAPER, "----"), (FAINT, "\\\\\\\\"))
"""The styles of bars: colour and hatching."""
SIMULATED, RULE = 0, 1


@dataclass(frozen=True)
class Panel:
    """A pair of axes: labels with units, functions that draw on the axes, and a `title` on the sample.

    `names` label the places 0, 1, ... on x, or on y if `across`. `floor` makes y start at 0.
    """

    x: str
    y: str
    draws: Sequence[Draw]
    title: str = ""
    names: Sequence[str] = ()
    across: bool = False
    floor: bool = False
    limits: tuple[float, float] | None = None


def figure(
    panels: Sequence[Panel],
    height: float | Sequence[float] = 2.9,
    columns: int = 3,
    *,
    foot: bool = False,
    head: str = "",
) -> Any:
    """Return a figure with up to `columns` panels in a row; `height` (inches) is that of all rows or of each.

    If `foot`, one legend below the panels replaces theirs. `head` is a title above all panels.
    """
    from matplotlib.figure import Figure

    columns = min(columns, len(panels)) if len(panels) != 4 else min(columns, 2)
    rows = -(-len(panels) // columns)
    heights = [height] * rows if isinstance(height, int | float) else [*height]
    picture: Any = Figure(figsize=(WIDTH, sum(heights)), layout="constrained")
    axes: list[Any] = picture.subplots(rows, columns, squeeze=False, height_ratios=heights).ravel().tolist()
    for unused in axes[len(panels) :]:
        unused.set_visible(False)
    for axis, panel in zip(axes, panels, strict=False):
        _dress(axis, panel, 7 if columns < 3 else 4)
        axis.set_xlabel(fill(panel.x, CHARACTERS // columns), fontsize=FONT)  # the layout keeps no room for its width
        if not foot and axis.get_legend_handles_labels()[1]:
            _legend(axis)
    if head:
        picture.suptitle(head, size=FONT - 0.5)
    named = {name: handle for axis in axes for handle, name in zip(*axis.get_legend_handles_labels(), strict=True)}
    if foot and len(named) > 1:
        across = 4 if sum(map(len, named)) < 80 else 2
        style = {"ncols": min(len(named), across), "fontsize": FONT - 0.5, "frameon": False}
        picture.legend([*named.values()], [*named], loc="outside lower center", **style)
    return picture


def _dress(axis: Any, panel: Panel, ticks: int) -> None:
    from matplotlib.ticker import MaxNLocator, NullFormatter, StrMethodFormatter

    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
    axis.tick_params(labelsize=FONT - 0.5)
    axis.grid(axis="x" if panel.across else "y", color=FAINT, lw=0.6)
    axis.set_axisbelow(True)
    for which, most in ((axis.xaxis, ticks), (axis.yaxis, 7)):  # whole numbers, unless fewer than three ticks are left
        which.set_major_locator(MaxNLocator(most, integer=True, min_n_ticks=3))
    for draw in panel.draws:
        draw(axis)
    if axis.get_yscale() == "log":  # as numbers, since powers would be formulas
        axis.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axis.yaxis.set_minor_formatter(NullFormatter())
    axis.set_ylabel(fill(panel.y, UPRIGHT), fontsize=FONT)
    axis.set_title(panel.title, fontsize=FONT, loc="left", color=INK)
    if panel.limits:
        axis.set_ylim(*panel.limits)
    elif panel.floor:
        axis.set_ylim(0, 1.04 * axis.get_ylim()[1])
    if panel.names and panel.across:
        axis.set_yticks(range(len(panel.names)), panel.names)
        axis.set_ylim(len(panel.names) - 0.4, -0.6)
    elif panel.names:
        turned = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if max(map(len, panel.names)) > 3 else {}
        axis.set_xticks(range(len(panel.names)), panel.names, **turned)


def _legend(axis: Any) -> None:
    style = {"frameon": False, "borderpad": 0.0, "handlelength": 1.8, "columnspacing": 1.2, "alignment": "left"}
    where = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2}
    title = axis.get_title("left")
    named = dict(zip(*axis.get_legend_handles_labels()[::-1], strict=True))
    axis.legend(
        [*named.values()], [*named], fontsize=FONT - 0.5, title=title or None, title_fontsize=FONT, **where, **style
    )
    axis.set_title("", loc="left")


def points(x: Any, y: Any, name: str = "", role: int = 0, *, joined: bool = True, across: bool = False) -> Draw:
    """Return a function that draws values as points with their intervals, joined by a line.

    `x` are places, `y` values or Estimates. `across` exchanges the axes.
    """
    style = ROLES[role] | {"ms": 3.5, "lw": 1.1, "label": name or None} | ({} if joined else {"ls": "none"})
    value, reach = _reach(y)

    def draw(axis: Any) -> None:
        end = {"xerr" if across else "yerr": reach, "capsize": 2, "elinewidth": 0.8}
        axis.errorbar(*((value, x) if across else (x, value)), **end, **style)

    return draw


def unthemed(colour: str) -> str:
    """Return a colour of cubes as it is in either theme: next to one that the dark theme would change."""
    return f"#{int(colour[1:], 16) ^ 1:06x}" if colour in DARK else colour


def bars(
    x: Any,
    y: Any,
    name: str = "",
    width: float = 0.8,
    fill: int = 0,
    *,
    across: bool = False,
    paint: Sequence[str] = (),
) -> Draw:
    """Return a function that draws values as bars with their intervals; the arguments are those of `points`.

    `paint` are the colours of the bars, where they mean the colours of cubes.
    """
    face, hatch = ([*map(unthemed, paint)], "") if paint else FILLS[fill % len(FILLS)]
    value, reach = _reach(y)

    def draw(axis: Any) -> None:
        style = {"facecolor": face, "hatch": hatch, "edgecolor": INK, "linewidth": 0.6, "label": name or None}
        (axis.barh if across else axis.bar)(x, value, width, **style)
        if reach is not None:
            end = {"xerr" if across else "yerr": reach, "capsize": 2, "elinewidth": 0.8, "color": INK, "ls": "none"}
            axis.errorbar(*((value, x) if across else (x, value)), **end)

    return draw


def _reach(y: Any) -> tuple[Array, Array | None]:
    if not isinstance(y, Estimates):
        return np.asarray(y, float), None
    reach = np.maximum(np.array([y.value - y.low, y.high - y.value]), 0)
    return y.value, reach if np.isfinite(reach).any() else None


def band(x: Any, low: Any, high: Any, name: str = "", role: int = 0, *, step: bool = False) -> Draw:
    """Return a function that fills the area between two curves."""
    style = {"color": ROLES[role]["color"], "alpha": 0.16, "lw": 0, "label": name or None}
    return lambda axis: axis.fill_between(x, low, high, step="post" if step else None, **style)


def line(x: Any, y: Any, name: str = "", role: int = 0, paint: str = "") -> Draw:
    """Return a function that draws a curve without marks, in the colour `paint` if it is that of cubes."""
    return lambda axis: axis.plot(x, y, lw=1.1, label=name or None, color=unthemed(paint) or ROLES[role]["color"])


def steps(x: Any, y: Any, name: str = "", role: int = 0) -> Draw:
    """Return a function that draws a step curve; each value holds until the next place."""
    return lambda axis: axis.step(x, y, where="post", lw=1.1, label=name or None, color=ROLES[role]["color"],
                                  ls=ROLES[role]["ls"])  # fmt: skip


def outline(edges: Any, values: Any, name: str = "", role: int = 0, *, filled: bool = False) -> Draw:
    """Return a function that draws the outline of a histogram."""
    style = {"color": FAINT, "fill": True} if filled else {"color": ROLES[role]["color"], "lw": 1.3}
    return lambda axis: axis.stairs(values, edges, label=name or None, **style)


def level(value: float, name: str = "", role: int = 1, *, upright: bool = False) -> Draw:
    """Return a function that draws a horizontal line, or a vertical one; thin and solid without a name."""
    named = {key: ROLES[role][key] for key in ("color", "ls")} | {"lw": 1, "label": name}
    style = named if name else {"color": INK, "lw": 0.6}
    return lambda axis: (axis.axvline if upright else axis.axhline)(value, **style)


def cells(
    x: Array, y: Array, values: Array, form: str = "{:.1f}", few: Array | None = None, edged: Array | None = None
) -> Draw:
    """Return a function that draws a heat map of `values`, shape (columns, rows), between the edges `x` and `y`.

    If some are negative they are blue, positive ones red. Cells show their number, or its sign if space is short. Those
    of `few` are hatched, those of `edged` have an edge.
    """
    most = float(np.nanmax(np.abs(values), initial=0)) or 1.0
    both, is_roomy = bool((values < 0).any()), len(x) <= 10 and len(y) <= 16
    hatched, edge = (np.zeros(values.shape, bool) if mask is None else mask for mask in (few, edged))

    def draw(axis: Any) -> None:
        from matplotlib.patches import Rectangle

        axis.grid(visible=False)
        axis.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))

        def paint(i: int, j: int, **style: Any) -> None:
            axis.add_patch(Rectangle((x[i], y[j]), x[i + 1] - x[i], y[j + 1] - y[j], **style))

        for i, j in np.argwhere(np.isfinite(values) & ~hatched):
            value = float(values[i, j])
            colour = SOFT if not both else RED if value > 0 else BLUE
            paint(i, j, fc=colour, alpha=0.75 * abs(value) / most, lw=0)
            words = form.format(value) if is_roomy else "" if not both else "+" if value > 0 else "−"
            place = (x[i] + x[i + 1]) / 2, (y[j] + y[j + 1]) / 2
            axis.text(*place, words, ha="center", va="center", fontsize=FONT - 3)
        for mask, style in (
            (hatched, {"ec": SOFT, "hatch": "//////", "lw": 0, "label": FEW}),
            (edge, {"ec": INK, "lw": 0.9, "label": BEYOND}),
        ):
            for i, j in np.argwhere(mask):
                paint(i, j, fc="none", **style)
                style = style | {"label": None}

    return draw


FEW = "too few drops"
BEYOND = "95 % interval without 0"


def has_ratio(below: Estimate) -> bool:
    """Return whether one may divide by it: its interval excludes 0 and is narrower than its value."""
    return bool(below.value) and not below.low <= 0 <= below.high and not below.high - below.low >= abs(below.value)


def beside(
    rows: Sequence[tuple[str, Estimate, Estimate]], names: tuple[str, str], farthest: float = 2.0
) -> tuple[list[Panel], float]:
    """Return a panel of the ratios of pairs of estimates, both intervals divided by the second value, and its height.

    Pairs are left out if the second value may be 0, or the ratio is more than `farthest` from 1.
    """
    kept = [row for row in rows if has_ratio(row[2]) and abs(row[1].value / row[2].value - 1) <= farthest]
    y = np.arange(len(kept))
    draws: list[Draw] = [level(1, upright=True)]
    for role, (name, shift) in enumerate(zip(names, (-0.14, 0.14), strict=True)):
        ratios = Estimates.of((row[2] if role else row[1]).times(1 / row[2].value) for row in kept)
        draws.append(points(y + shift, ratios, name, role, joined=False, across=True))
    panel = Panel(f"ratio to {names[1]}", "", draws, names=[row[0] for row in kept], across=True)
    return [panel], 1.2 + 0.2 * len(kept)
