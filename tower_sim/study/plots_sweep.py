"""The pictures of a swept report: figures against the varied fields, each mark from one design point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tower_sim.campaign.data import Array
from tower_sim.statistics import Estimates
from tower_sim.study.plots import BARE, FONT, INK, RULE_NAME, counted, label, panels, whiskers
from tower_sim.study.points import Varied
from tower_sim.study.sweeps import SweptCurve

COLUMNS = 3  # panels in a row
MOST_LINES = 6  # curves in a panel
MOST_FIELDS = 9  # panels of a figure against every field: those of the strongest
MARKS = ("o", "s", "^", "D", "v", "P")
GREYS = ("0.0", "0.35", "0.55", "0.2", "0.45", "0.65")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)))
HIGH = 1.85  # in: a row of panels
SHORT = 30  # letters that fit over a panel


def curves(shown: Sequence[SweptCurve], x: Varied, family: Varied | None, words: str, runs: str) -> Any:
    """Draw each figure against one field, a line for each value of a second one.

    `words` name the axis, `runs` say how many there are at a point.
    """
    rows, columns = _layout(len(shown))
    figure, made = panels(rows, columns, HIGH * rows + (0.65 if family or _has_rule(shown) else 0.35))
    figure.suptitle(f"{runs} at each point; bars: 95 % intervals", size=FONT - 0.5)
    levels = np.unique(family.numbers) if family else np.zeros(1)
    groups = [np.flatnonzero(family.numbers == level) if family else np.arange(len(x.numbers)) for level in levels]
    for panel, curve in zip(made, shown, strict=False):
        for i, group in enumerate(groups):
            order = group[np.argsort(x.numbers[group], kind="stable")]
            shift = 0.0 if x.is_number else 0.12 * (i - (len(groups) - 1) / 2)
            name = f"{family.name} = {family.at(int(order[0]))}" if family else "simulated, 95 % interval"
            _line(panel, x.numbers[order] + shift, curve.y.take(order), i, x.is_number, name)
            if curve.rule is not None and (i == 0 or not _same_rule(curve.rule, groups, x)):
                style = {"color": "0.55", "ls": (0, (2, 2)) if x.is_number else "none", "lw": 1, "marker": "_", "ms": 7}
                panel.plot(x.numbers[order], curve.rule[order], label=RULE_NAME if i == 0 else None, **style)
        _dress(panel, curve, x)
    _name_axes(made, len(shown), columns, words, "")
    handles, names = made[0].get_legend_handles_labels()
    if RULE_NAME in names:  # last
        place = names.index(RULE_NAME)
        handles, names = [*handles[:place], *handles[place + 1 :], handles[place]], [*names, RULE_NAME]
        names.pop(place)
    if len(names) > 1:
        style = {"fontsize": FONT - 0.5, "ncols": min(len(names), 4), "frameon": False}
        figure.legend(handles, names, loc="outside lower center", **style)
    return figure


def contours(shown: Sequence[SweptCurve], x: Varied, y: Varied) -> Any:
    """Draw each figure over two fields: bands between contours, a dot at every point."""
    rows, columns = _layout(len(shown))
    figure, made = panels(rows, columns, 2.1 * rows)
    for panel, curve in zip(made, shown, strict=False):
        panel.grid(visible=False)
        known = np.isfinite(curve.y.value)
        at = (x.numbers[known], y.numbers[known])
        value = curve.y.value[known]
        if np.ptp(value) > 0:
            bands = panel.tricontourf(*at, value, levels=7, cmap="Greys", alpha=0.75)
            bar = figure.colorbar(bands, ax=panel, shrink=0.9, pad=0.02)
            bar.ax.tick_params(labelsize=FONT - 1.5)
        panel.plot(*at, ls="none", marker="o", ms=2.5, mfc="white", mec=INK, mew=0.6, clip_on=False, zorder=4)
        _titled(panel, _named(curve))
    _name_axes(made, len(shown), columns, trimmed(x.name), trimmed(y.name), FONT - 0.5)
    return figure


def fields(curve: SweptCurve, shown: Sequence[Varied], smooths: Sequence[tuple[Array, Estimates] | None]) -> Any:
    """Draw a figure against each of several fields, a panel a field; `smooths` are lines with bands, where there are.

    Every mark is one point; in a panel the other fields differ too.
    """
    rows, columns = _layout(len(shown))
    figure, made = panels(rows, columns, 0.3 + HIGH * rows)
    small = 3 if len(curve.n) <= 60 else 1.8
    for panel, field, smooth in zip(made, shown, smooths, strict=False):
        mark = {"color": "0.3", "marker": "o", "ms": small, "ls": "none", "mew": 0}
        whiskers(panel, field.numbers, curve.y, mark)
        if smooth is not None:
            at, line = smooth
            panel.fill_between(at, line.low, line.high, color="0.6", alpha=0.35, lw=0)
            panel.plot(at, line.value, color=INK, lw=1.3)
        _ticks(panel, field)
        label(panel, trimmed(field.name), "", "")
        panel.xaxis.label.set_size(FONT - 1)
    _hide(made[len(shown) :])
    figure.supylabel(_named(curve), size=FONT)
    line = "; line: smooth over points, with its 95 % band" if any(line is not None for line in smooths) else ""
    figure.suptitle(f"n = {len(curve.n)} points, each a mark{line}", size=FONT - 0.5)
    return figure


def bars_by_point(shares: Sequence[Estimates], names: Sequence[str], drops: Sequence[int], words: str) -> Any:
    """Draw a histogram for each of several points, one below or beside the other, on one scale."""
    rows, columns = _layout(len(shares))
    figure, made = panels(rows, columns, HIGH * rows + 0.1)
    widest = max(len(share.value) for share in shares)
    for panel, share, name, n in zip(made, shares, names, drops, strict=False):
        x = np.arange(len(share.value))
        panel.bar(x, share.value, 0.85, facecolor="0.75", edgecolor=INK, linewidth=0.5 if widest < 40 else 0)
        if widest <= 16:
            whiskers(panel, x, share, BARE)
        panel.set_xlim(-0.7, widest - 0.3)
        _titled(panel, f"{trimmed(name, SHORT)}\nn = {n}")
        panel.xaxis.get_major_locator().set_params(integer=True)
    _share_heights(made[: len(shares)])
    _name_axes(made, len(shares), columns, words, "share of drops")
    return figure


def courses_by_point(means: Sequence[Estimates], names: Sequence[str], words: str) -> Any:
    """Draw the number inside by drop for each of several points, a panel a point, on one scale."""
    rows, columns = _layout(len(means))
    figure, made = panels(rows, columns, HIGH * rows + 0.1)
    for panel, mean, name in zip(made, means, names, strict=False):
        drop = np.arange(len(mean.value))
        if np.isfinite(mean.low).any():
            panel.fill_between(drop, mean.low, mean.high, color="0.8", lw=0)
        panel.plot(drop, mean.value, color=INK, lw=1.1)
        _titled(panel, trimmed(name, SHORT))
        panel.xaxis.get_major_locator().set_params(integer=True)
    _share_heights(made[: len(means)])
    _name_axes(made, len(means), columns, "drop", words)
    return figure


def trimmed(name: str, longest: int = 34) -> str:
    """Cut a long dotted name at its front."""
    return name if len(name) <= longest else f"...{name[3 - longest :]}"


def _line(panel: Any, x: Array, y: Estimates, i: int, joined: bool, name: str) -> None:
    bars = {"color": GREYS[i], "ls": "none"}
    whiskers(panel, x, y, bars)
    style: dict[str, Any] = {"marker": MARKS[i], "ms": 3.5, "mfc": "white" if i % 2 else GREYS[i], "zorder": 3}
    panel.plot(x, y.value, label=name, color=GREYS[i], ls=DASHES[i] if joined else "none", lw=1.1, **style)


def _dress(panel: Any, curve: SweptCurve, x: Varied) -> None:
    _titled(panel, _named(curve))
    _ticks(panel, x)
    if curve.unit == "cubes":
        counted(panel.yaxis)
    low, high = panel.get_ylim()
    if low < 0 <= float(np.nanmin(curve.y.value)):
        panel.set_ylim(0 if low > -0.06 * (high - low) else low, high)


def _ticks(panel: Any, x: Varied) -> None:
    if not x.is_number:
        names = [trimmed(level, 16) for level in x.levels]
        turned = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if max(map(len, names)) > 5 else {}
        panel.set_xticks(range(len(names)), names, **turned)
        panel.set_xlim(-0.5, len(names) - 0.5)
        return
    values = np.unique(x.numbers)
    if len(values) > 8:
        return
    names: list[str] = []
    last = -np.inf
    for value, level in zip(values.tolist(), x.levels, strict=True):
        has_room = value - last >= (0.03 + 0.03 * len(level)) * float(np.ptp(values))
        names.append(level if has_room else "")
        last = value if has_room else last
    panel.set_xticks(values, names)


def _titled(panel: Any, title: str) -> None:
    panel.set_title(title, fontsize=FONT - 0.5, loc="left", color=INK)


def _layout(number: int) -> tuple[int, int]:
    columns = min(COLUMNS, number) if number != 4 else 2
    return -(-number // columns), columns


def _name_axes(made: Sequence[Any], number: int, columns: int, x: str, y: str, size: float = FONT) -> None:
    """Name x under the lowest panel in use of every column, y left of every row; hide panels not in use."""
    for panel in made[max(number - columns, 0) : number]:
        panel.set_xlabel(x, fontsize=size)
    for panel in made[:number:columns]:
        panel.set_ylabel(y, fontsize=size)
    _hide(made[number:])


def _hide(unused: Sequence[Any]) -> None:
    for panel in unused:
        panel.set_visible(False)


def _share_heights(made: Sequence[Any]) -> None:
    top = max(panel.get_ylim()[1] for panel in made)
    for panel in made:
        panel.set_ylim(0, top)


def _named(curve: SweptCurve) -> str:
    return curve.name if curve.unit == "1" or curve.unit in curve.name else curve.title


def _has_rule(shown: Sequence[SweptCurve]) -> bool:
    return any(curve.rule is not None for curve in shown)


def _same_rule(rule: Array, groups: Sequence[Array], x: Varied) -> bool:
    """Whether the rule's line is the same for every curve of the family."""
    first = dict(zip(x.numbers[groups[0]].tolist(), rule[groups[0]].tolist(), strict=True))
    return all(first.get(float(x.numbers[i])) == rule[i] for group in groups for i in group)
