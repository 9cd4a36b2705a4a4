"""The figures of `granular`: ours in ink, the published values as bands and broken lines, with errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from calibration.validation import granular_report as report
from calibration.validation.granular_report import CRITICAL, DENSE, FIRST, LOOSE, SPREAD, Line
from calibration.validation.granular_runs import CHAIN, HOPPER, KNOCKS, Table
from calibration.validation.granular_statistics import Counts, beta_geometric, fit
from tower_sim.report.charts import FONT, INK, WIDTH

STYLES = (("0.1", "o"), ("#1f5fa8", "s"), ("#c0392b", "^"), ("#2e8b57", "D"), ("#8e44ad", "v"))


GENTLE = {"color": STYLES[2][0], "marker": STYLES[2][1], "ms": 4.5, "lw": 0}
ALONG = 2.5
"""The outlet whose avalanches are drawn along their chains."""
SIDE = 2.0
"""The outlet through which balls and cubes are compared."""
WHOLE = {"color": "0.4", "marker": "o", "mfc": "white", "ms": 3.5, "lw": 1, "ls": "--"}


def panels(rows: int, columns: int, height: float) -> tuple[Any, list[Any]]:
    figure: Any = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False)
    for panel in axes.flat:
        panel.spines[["top", "right"]].set_visible(False)
        panel.tick_params(labelsize=FONT - 0.5)
        panel.grid(axis="y", color="0.9", lw=0.6)
        panel.set_axisbelow(True)
    return figure, [*axes.flat]


def label(panel: Any, x: str, y: str, title: str = "") -> None:
    panel.set_xlabel(x, fontsize=FONT)
    panel.set_ylabel(y, fontsize=FONT)
    panel.set_title(title, fontsize=FONT, loc="left", color=INK)


def legend(panel: Any, columns: int = 1) -> None:
    style = {"frameon": False, "borderpad": 0.0, "handlelength": 1.8, "columnspacing": 1.2, "alignment": "left"}
    where = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2, "ncols": columns}
    title = panel.get_title("left")  # stands over the names, whatever their number
    panel.legend(fontsize=FONT - 0.5, title=title or None, title_fontsize=FONT, **where, **style)
    panel.set_title("", loc="left")


def packing(lines: Sequence[Line], table: Table) -> Any:
    figure, (left, middle, right) = panels(1, 3, 3.3)
    usual = [line for line in lines if line["accuracy"] == "fast" and line["after"] == 0]
    poured = [line for line in usual if line["taps"] == 0 and line["pour"] == "brisk"]
    gentle = [line for line in usual if line["pour"] == "gentle"]
    for style, cubes in zip(STYLES, (500, 300), strict=False):
        _points(left, "friction", [line for line in poured if line["cubes"] == cubes], style, f"{cubes}, bulk")
    large = [line for line in poured if line["cubes"] == 500]
    left.plot([line["friction"] for line in large], [line["whole"] for line in large], **WHOLE, label="500, whole box")
    if gentle:
        left.plot([g["friction"] for g in gentle], [g["fraction"] for g in gentle], **GENTLE, label="500, bulk, gently")
    label(left, "friction of all contacts", "share of the volume in cubes", "poured")
    for number, friction in enumerate((0.2, 0.4, 0.6)):
        tapped = [line for line in lines if line["taps"] and line["friction"] == friction]
        if tapped:
            x = [line["after"] for line in tapped]
            colour, marker = STYLES[number]
            style = {"color": colour, "marker": marker, "ms": 3.5, "lw": 1}
            middle.plot(x, [line["fraction"] for line in tapped], **style, label=f"{friction:g}, bulk")
            middle.plot(
                x, [line["whole"] for line in tapped], **style, ls="--", mfc="white", label=f"{friction:g}, whole"
            )
    label(middle, "knocks of 2 g", "", "300 cubes, tapped; friction")
    sizes = [line for line in poured if line["friction"] == 0.4]
    _points(right, "cubes", sizes, STYLES[0], "bulk")
    right.plot([line["cubes"] for line in sizes], [line["whole"] for line in sizes], **WHOLE, label="whole box")
    right.set_xscale("log")
    right.set_xticks([300, 500, 1000, 2000], ["300", "500", "1,000", "2,000"])
    right.minorticks_off()
    label(right, "cubes in the box", "", "poured, friction 0.4")
    for panel in (left, middle, right):
        panel.set_ylim(0.5, 0.85)
        for value, name in ((LOOSE, "real, loose"), (DENSE, "real, dense")):
            panel.axhspan(value - SPREAD, value + SPREAD, color="0.85", lw=0)
            x, side = (0.02, "left") if panel is left else (0.98, "right")
            panel.annotate(name, (x, value), xycoords=("axes fraction", "data"), ha=side, va="center", fontsize=7)
    legend(left)
    legend(right)
    if middle.get_legend_handles_labels()[0]:
        legend(middle, 2)
    return figure


def _points(panel: Any, name: str, lines: Sequence[Line], style: tuple[str, str], title: str) -> None:
    x, y = [line[name] for line in lines], [line["fraction"] for line in lines]
    error = [1.96 * (line["se"] or 0.0) for line in lines]
    panel.errorbar(x, y, error, color=style[0], marker=style[1], ms=3.5, lw=1, capsize=2, label=title)


def avalanches(lines: Sequence[Line], table: Table) -> Any:
    figure, (outlets, means, along, places) = panels(2, 2, 6.4)
    data = table.columns()
    square = report.squares(lines)
    usual = [line for line in square if line["friction"] == 0.4 and line["ended"]]
    _survival(outlets, {f"{line['outlet']:g} edges": _counts(data, line) for line in usual})
    label(outlets, "cubes s", "share of avalanches larger than s", "friction 0.4; broken: one chance for every cube")
    for style, friction in zip(STYLES, sorted({line["friction"] for line in square}), strict=False):
        of = [line for line in square if line["friction"] == friction]
        _means(means, of, style, f"{friction:g}", 0.15 * (friction - 0.4))
        for line in of:
            if line["outlet"] == ALONG and "rest" in line:
                _means(places, _along(data, line), style, f"{friction:g}", 2 * (friction - 0.4), "place")
    x = np.linspace(1.4, 3.7, 100)
    _law(means, square, x, x, "0.5", f"({CRITICAL:g} - side)^-{{:.1f}}")
    label(means, "side of the outlet, edges", "mean avalanche, cubes", "friction; hollow: lower bound, none ended")
    rough = [line for line in square if line["friction"] in (0.4, 0.6) and line["outlet"] == ALONG]
    parts = {"first": (0, FIRST), "rest": (FIRST, CHAIN)}
    _survival(
        along,
        {f"{line['friction']:g}, {name}": _counts(data, line, *of) for line in rough for name, of in parts.items()},
    )
    label(
        along,
        "cubes s",
        "share of avalanches larger than s",
        f"{ALONG:g} edges; friction; first {FIRST} of chains, rest",
    )
    for panel, most in ((means, 1000), (places, 100)):
        panel.set_yscale("log")
        panel.set_ylim(0.9, most)
    places.set_xticks([3, 8, 13], ["1 to 5", "6 to 10", "11 to 15"])
    label(places, "place in the chain", "mean avalanche, cubes", f"{ALONG:g} edges; friction")
    places.set_xlim(1, 15)
    for panel in (outlets, means, along, places):
        legend(panel, 2)
    return figure


def _survival(panel: Any, kinds: Mapping[str, Counts]) -> None:
    """Draw which share is larger, up to 60 and down to 1 in 100, and broken what one chance for every cube makes it."""
    for (colour, _), (title, counts) in zip(STYLES, kinds.items(), strict=False):
        at, share = counts.survival()
        title = f"{title}, n = {len(counts.size)}"
        panel.step([0, *at], [1, *share], where="post", color=colour, lw=1.2, label=title)
        s = np.linspace(0, at.max(), 50)
        panel.plot(s, (1 - counts.chance()) ** s, color=colour, lw=0.9, ls="--")
    panel.set_yscale("log")
    panel.set_ylim(0.01, 1.05)
    panel.set_xlim(0, 60)


def _counts(data: Any, line: Line, begin: int = 0, end: int = CHAIN) -> Counts:
    """Return a line's avalanches, those from place `begin` on to before `end` in their chains."""
    rows = np.all([data[name] == line[name] for name in report.AVALANCHES["avalanches"]], axis=0)
    rows &= (data["size"] > 0) & (data["number"] >= begin) & (data["number"] < end)
    return Counts(data["size"][rows], data["ended"][rows] > 0)


def _along(data: Any, line: Line) -> list[Line]:
    found: list[Line] = []
    for begin in range(0, CHAIN, FIRST):
        counts = _counts(data, line, begin, begin + FIRST)
        low, high = counts.resampled(np.random.default_rng(begin))
        found.append({"place": begin + (FIRST + 1) / 2, "mean": counts.mean()[0], "low": low, "high": high})
    return found


def tilt(lines: Sequence[Line], table: Table) -> Any:
    figure, (panel,) = panels(1, 1, 3.4)
    square = report.squares(report.beside(table))
    for number, (style, outlet) in enumerate(zip(STYLES, sorted({line["outlet"] for line in lines}), strict=False)):
        of = [line for line in (*square, *lines) if line["outlet"] == outlet and line["friction"] == 0.4]
        _means(panel, [{"tilt": 0.0, **line} for line in of], style, f"{outlet:g} edges", 0.6 * number, "tilt")
        angle = np.linspace(0, 60, 61)
        _law(panel, square, angle, outlet * np.sqrt(np.cos(np.radians(angle))), style[0])
    panel.set_yscale("log")
    panel.set_ylim(1, 60)
    panel.set_xticks([0, 15, 30, 45, 60])
    label(panel, "tilt, degrees", "mean avalanche, cubes", "friction 0.4; broken: upright, area as seen along gravity")
    legend(panel, 2)
    return figure


def holes(lines: Sequence[Line], table: Table) -> Any:
    figure, (panel,) = panels(1, 1, 3.4)
    upright = [line for line in report.beside(table) if line["friction"] == 0.4 and line["accuracy"] == "fast"]
    square = report.squares(upright)
    slits = [line for line in upright if line not in square and line["ended"] > 2]
    kinds = {"square": square, "round": lines, f"slit, {HOPPER:g} edges long": slits}
    for number, (style, (title, of)) in enumerate(zip(STYLES, kinds.items(), strict=False)):
        _means(panel, [{**line, "area": report.area(line)} for line in of], style, title, 0.06 * number, "area")
    at = np.linspace(1.5, 11, 60)
    _law(panel, square, at, np.sqrt(at), STYLES[0][0])
    panel.set_yscale("log")
    panel.set_ylim(1, 100)
    label(
        panel, "area of the hole, edges squared", "mean avalanche, cubes", "friction 0.4; broken: fit to square holes"
    )
    legend(panel, 2)
    return figure


def _law(panel: Any, square: Sequence[Line], x: Any, side: Any, colour: str, title: str | None = None) -> None:
    power = report.growth(square, 0.4).get("power")
    if power:
        y = np.exp(power["log_of_factor"]) * (CRITICAL - side) ** -power["rate"]
        panel.plot(x, y, color=colour, lw=1, ls="--", label=title and title.format(power["rate"]))


def shapes(lines: Sequence[Line], table: Table) -> Any:
    figure, (panel,) = panels(1, 1, 3.2)
    kinds = {"cubes, the core": report.squares(report.beside(table))}
    for grain, title in (("cube", "cubes"), ("ball", "balls"), ("cross", "crosses")):
        kinds[f"{title}, Bullet"] = [line for line in lines if line["grain"] == grain]
    for number, (style, (title, of)) in enumerate(zip(STYLES, kinds.items(), strict=False)):
        of = [line for line in of if line["outlet"] == SIDE]
        if of:
            _means(panel, of, style, title, 0.006 * (number - 1), "friction")
    panel.set_yscale("log")
    panel.set_ylim(1, 100)
    panel.set_xlim(0.1, 0.7)
    label(panel, "friction of all contacts", "mean avalanche, grains", f"outlet of {SIDE:g} edges, or diameters")
    legend(panel, 3)
    return figure


def _means(
    panel: Any, lines: Sequence[Line], style: tuple[str, str], title: str, aside: float, by: str = "outlet"
) -> None:
    """Draw means with intervals, `aside` of where they are, so that none hides another; hollow where nothing ended."""
    colour, marker = style
    sure = [line for line in lines if line["mean"] is not None]
    x, y = [line[by] + aside for line in sure], np.array([line["mean"] for line in sure])
    error = [y - [line["low"] for line in sure], np.array([line["high"] for line in sure]) - y]
    panel.errorbar(x, y, error, color=colour, marker=marker, ms=4, lw=1, capsize=2, label=title)
    for line in lines:
        if line["mean"] is None:
            panel.plot(line[by] + aside, line["low"], color=colour, marker="^", mfc="white", ms=5)


def knocks(lines: Sequence[Line], table: Table) -> Any:
    figure, (panel,) = panels(1, 1, 3.4)
    data = table.columns()
    for (colour, _), line in zip(STYLES, lines, strict=False):
        rows = data["strength"] == line["strength"]
        counts = Counts(data["knocks"][rows], data["broke"][rows] > 0)
        at, share = counts.survival()
        s = np.arange(1, KNOCKS + 1)
        steps = np.array([share[at <= k][-1] if (at <= k).any() else 1.0 for k in s])
        panel.step(
            s, steps, where="post", color=colour, lw=1.3, label=f"{line['strength']:g} g, {line['arches']} arches"
        )
        panel.plot(s, (1 - counts.chance()) ** s, color=colour, lw=0.9, ls="--")
        if "tail" in line:
            panel.plot(
                s,
                np.exp(beta_geometric(s.astype(float), fit(counts, beta_geometric, -1.0)[0])),
                color=colour,
                lw=0.9,
                ls=":",
            )
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.set_ylim(0.03, 1.1)
    panel.set_xticks([1, 2, 5, 10, 20, 40], ["1", "2", "5", "10", "20", "40"])
    panel.minorticks_off()
    label(
        panel,
        "knocks",
        "share of arches that stand",
        "broken: all arches alike; dotted: each its own chance, tail a power law",
    )
    legend(panel, 3)
    return figure


FIGURES: Mapping[str, Callable[[Sequence[Line], Table], Any]] = {
    "packing": packing,
    "avalanches": avalanches,
    "tilt": tilt,
    "holes": holes,
    "shapes": shapes,
    "knocks": knocks,
}
