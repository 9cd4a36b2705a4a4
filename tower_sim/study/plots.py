"""The pictures of a report on games and chains: greys, hatches and markers, with units and sample sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from tower_sim.study.bootstrap import Estimate, Estimates
from tower_sim.study.data import Array
from tower_sim.study.fairness import ByPhase, Fairness
from tower_sim.study.memory import LAGS, Information, Prediction
from tower_sim.study.retention import FEWEST, Map
from tower_sim.study.survival import Hazards, Survival

FONT = 8.5  # pt
WIDTH = 6.5  # in
INK = "0.1"
SIM = {"color": INK, "marker": "o", "ms": 3.5, "lw": 1.1}
RULE = {"color": "0.45", "marker": "s", "ms": 3.5, "lw": 1.0, "ls": "--", "mfc": "white"}
BAR = {"facecolor": "0.75", "edgecolor": INK, "linewidth": 0.6}
RULE_NAME = "2/3-1/3 rule"
FARTHEST = 2.0  # from 1, on the axis of ratios to the rule: what lies beyond is told in numbers


def panels(rows: int, columns: int, height: float) -> tuple[Any, list[Any]]:
    """Return a figure of rows by columns panels and the panels in a row; `height` (in) is of all."""
    figure: Any = Figure(figsize=(WIDTH, height), layout="constrained")
    made = figure.subplots(rows, columns, squeeze=False)
    return figure, [dressed(panel) for panel in made.flat]


def dressed(panel: Any) -> Any:
    """Give a panel its look."""
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
    panel.tick_params(labelsize=FONT - 0.5)
    panel.grid(axis="y", color="0.9", lw=0.6)
    panel.set_axisbelow(True)
    return panel


def label(panel: Any, x: str, y: str, title: str = "") -> None:
    """Name the axes, with units, and say in the title what the sample is."""
    panel.set_xlabel(x, fontsize=FONT)
    panel.set_ylabel(y, fontsize=FONT)
    panel.set_title(title, fontsize=FONT, loc="left", color=INK)


def legend(panel: Any, where: str = "best", columns: int = 1) -> None:
    """Add the legend, on white."""
    style = {"framealpha": 0.9, "edgecolor": "none", "borderpad": 0.2, "handlelength": 1.8, "ncols": columns}
    panel.legend(fontsize=FONT - 0.5, loc=where, **style)


def whiskers(panel: Any, x: Array, found: Estimates, style: dict[str, Any], name: str = "") -> None:
    """Draw values with their intervals; values without one are drawn bare."""
    low = np.nan_to_num(found.value - found.low)
    high = np.nan_to_num(found.high - found.value)
    reach = np.maximum(np.array([low, high]), 0)
    panel.errorbar(x, found.value, reach, capsize=2, elinewidth=0.8, label=name or None, **style)


def whole(axis: Any) -> None:
    """Number an axis in whole numbers."""
    axis.set_major_locator(MaxNLocator(9, integer=True))


def setup(inside: Array, rule: Array, colours: Sequence[str], means: Estimates, rule_means: Estimates) -> Any:
    """Draw how many stay inside at the set-up, and of which colours."""
    figure, (left, right) = panels(1, 2, 2.6)
    most = int(max(inside.max(), rule.max(initial=0)))
    least = int(min(inside.min(), rule.min(initial=most)))
    for values, style in ((inside, None), (rule, RULE)):
        if not len(values):
            continue
        share = np.bincount(values, minlength=most + 1)[least:] / len(values)
        at = np.arange(least, most + 1)
        if style is None:
            left.bar(at, share, 0.85, label=f"simulated, n = {len(values)}", **BAR)
        else:
            left.plot(at, share, label=f"{RULE_NAME}, n = {len(values)}", **style)
    left.set_ylim(0, left.get_ylim()[1] * 1.35)
    whole(left.xaxis)
    label(left, "inside after the set-up [cubes]", "share of games")
    legend(left, "upper center")
    x = np.arange(len(colours))
    right.bar(x, means.value, 0.7, **BAR)
    whiskers(right, x, means, {"color": INK, "ls": "none"})
    if len(rule_means.value):
        right.plot(x, rule_means.value, ls="none", label=RULE_NAME, **{k: v for k, v in RULE.items() if k != "ls"})
        right.set_ylim(0, 1.25 * max(np.nanmax(np.fmax(means.high, means.value)), np.nanmax(rule_means.value)))
        legend(right, "upper right")
    right.set_xticks(x, colours, rotation=45, ha="right", rotation_mode="anchor")
    label(right, "", "mean inside [cubes]", f"by colour, n = {len(inside)} games")
    return figure


def course(
    mean: Estimates, quantiles: Array, rule: Array | None, runs: int, names: tuple[str, str], rounds: Sequence[float]
) -> Any:
    """Draw the number inside by drop, with its interval and the band that holds 90 % of runs."""
    figure, (panel,) = panels(1, 1, 2.7)
    drop = np.arange(len(mean.value))
    panel.fill_between(drop, *quantiles, color="0.87", lw=0, label=f"90 % of {names[0]}s")
    whiskers(panel, drop, mean, SIM, f"mean, 95 % interval, n = {runs} {names[0]}s")
    if rule is not None:
        panel.plot(drop[: len(rule)], rule[: len(drop)], label=RULE_NAME, **RULE)
    for at in rounds:
        panel.axvline(at, color="0.6", lw=0.7, ls=(0, (4, 2)))
    panel.set_ylim(0, 1.08 * max(float(np.nanmax(quantiles)), float(np.nanmax(mean.value))))
    whole(panel.xaxis)
    label(panel, names[1], "inside after the drop [cubes]")
    legend(panel, "lower center", columns=3)
    return figure


def out_of_drop(
    shares: Estimates, rule_shares: Array, by_thrown: Estimates, counts: Array, rule_by_thrown: Array, first: int
) -> Any:
    """Draw how many come out of a drop, and their mean by the number thrown; index 0 of `counts` is `first` thrown."""
    figure, (left, right) = panels(1, 2, 2.6)
    seen = np.flatnonzero(shares.value > 0)
    left.bar(seen, shares.value[seen], 0.85, label="simulated", **BAR)
    some = Estimates(shares.value[seen], shares.low[seen], shares.high[seen])
    whiskers(left, seen, some, {"color": INK, "ls": "none"})
    if len(rule_shares):
        left.plot(np.arange(len(rule_shares)), rule_shares, label=RULE_NAME, **RULE)
    whole(left.xaxis)
    label(left, "out of a drop [cubes]", "share of drops", f"n = {counts.sum()} drops")
    legend(left, "upper right")
    thrown = first + np.arange(len(counts))
    enough = counts >= FEWEST
    panel_of = Estimates(by_thrown.value[enough], by_thrown.low[enough], by_thrown.high[enough])
    whiskers(right, thrown[enough], panel_of, SIM, "simulated")
    if len(rule_by_thrown):
        right.plot(thrown[enough], rule_by_thrown[enough], label=f"{RULE_NAME}, same drops", **RULE)
    whole(right.xaxis)
    right.set_ylim(bottom=0)
    label(right, "thrown [cubes]", "mean out [cubes]", f"at least {FEWEST} drops a point")
    legend(right, "lower right")
    return figure


def fresh_and_colours(
    share: Estimates, counts: Array, first: int, colours: Estimates, rule_colours: Array, drops: int
) -> Any:
    """Draw the share of the cubes just thrown that come out by the number thrown, and how many colours come out."""
    figure, (left, right) = panels(1, 2, 2.5)
    enough = counts >= FEWEST
    thrown = (first + np.arange(len(counts)))[enough]
    whiskers(left, thrown, Estimates(share.value[enough], share.low[enough], share.high[enough]), SIM, "simulated")
    left.axhline(2 / 3, color="0.45", ls="--", lw=1, label=RULE_NAME)
    left.set_ylim(0, 1)
    whole(left.xaxis)
    label(left, "thrown [cubes]", "share of these that come out", f"n = {drops} drops")
    legend(left, "lower right")
    x = np.arange(len(colours.value))
    right.bar(x, colours.value, 0.8, label="simulated", **BAR)
    whiskers(right, x, colours, {"color": INK, "ls": "none"})
    if len(rule_colours):
        right.plot(np.arange(len(rule_colours)), rule_colours, label=RULE_NAME, **RULE)
    whole(right.xaxis)
    label(right, "different colours out of a drop", "share of drops", f"n = {drops} drops")
    legend(right, "upper right")
    return figure


def heat_map(found: Map) -> Any:
    """Draw mean cubes out, and the difference from the 2/3-1/3 rule, by cubes thrown and cubes inside."""
    figure, (left, right) = panels(1, 2, 3.4)
    few = found.drops < FEWEST
    pictures = (
        (left, found.mean.value, "mean out [cubes]"),
        (right, found.excess.value, f"minus {RULE_NAME}'s, sign in cells"),
    )
    for panel, values, title in pictures:
        panel.grid(visible=False)
        drawn = np.ma.masked_array(values, few | ~np.isfinite(values))
        mesh = panel.pcolormesh(
            found.thrown_edges - 0.5, found.inside_edges - 0.5, np.abs(drawn).T, cmap="Greys", vmin=0
        )
        bar = figure.colorbar(mesh, ax=panel, shrink=0.9, pad=0.02)
        bar.ax.tick_params(labelsize=FONT - 1)
        _outline(panel, found, found.drops > 0)
        _numbers(panel, found, drawn, mesh, signs=panel is right)
        whole(panel.xaxis)
        whole(panel.yaxis)
        label(panel, "thrown [cubes]", "inside before [cubes]", title)
    figure.supxlabel(
        f"n = {found.drops.sum()} drops; line: where there are any; drawn: cells with {FEWEST} or more", size=FONT - 0.5
    )
    return figure


def _numbers(panel: Any, found: Map, drawn: Any, mesh: Any, signs: bool) -> None:
    """Write the values into the cells when there is room for them, or the `signs` of those beyond their interval."""
    roomy = drawn.shape[0] <= 9 and drawn.shape[1] <= 14
    if not roomy and not signs:
        return
    beyond = (found.excess.low > 0) | (found.excess.high < 0)
    x = (found.thrown_edges[:-1] + found.thrown_edges[1:] - 1) / 2
    y = (found.inside_edges[:-1] + found.inside_edges[1:] - 1) / 2
    for i, j in np.argwhere(~np.ma.getmaskarray(drawn)):
        red, green, blue, _ = mesh.cmap(mesh.norm(abs(drawn[i, j])))
        ink = INK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"
        words = f"{drawn[i, j]:{'+' if signs else ''}.1f}"
        if not roomy:
            words = words[0] if beyond[i, j] else ""
        panel.text(x[i], y[j], words, ha="center", va="center", fontsize=FONT - 3, color=ink)


def _outline(panel: Any, found: Map, there: Array) -> None:
    """Draw the edge of the cells where `there` is true."""
    x, y = found.thrown_edges - 0.5, found.inside_edges - 0.5
    padded = np.pad(there, 1)
    for i, j in np.argwhere(there):
        sides = (
            (padded[i, j + 1], (x[i], x[i]), (y[j], y[j + 1])),
            (padded[i + 2, j + 1], (x[i + 1], x[i + 1]), (y[j], y[j + 1])),
            (padded[i + 1, j], (x[i], x[i + 1]), (y[j], y[j])),
            (padded[i + 1, j + 2], (x[i], x[i + 1]), (y[j + 1], y[j + 1])),
        )
        for neighbour, across, up in sides:
            if not neighbour:
                panel.plot(across, up, color=INK, lw=0.7, solid_capstyle="butt")


def stays(found: Survival, by_place: Hazards, rule: Survival | None) -> Any:
    """Draw the survival of residents and their chance of release by age and by region."""
    figure, (left, middle, right) = panels(1, 3, 2.7)
    shown = found.at_risk >= 20
    age = np.append(0, found.age[shown])
    curve = np.append(1.0, found.survival.value[shown])
    low, high = (np.append(1.0, edge[shown]) for edge in (found.survival.low, found.survival.high))
    left.fill_between(age, np.nan_to_num(low, nan=1), np.nan_to_num(high, nan=1), step="post", color="0.8", lw=0)
    left.step(age, curve, where="post", color=INK, lw=1.1, label="simulated")
    if rule is not None:
        there = rule.at_risk[: len(found.age)] >= 20
        ages, values = rule.age[: len(there)][there], rule.survival.value[: len(there)][there]
        style = {"color": "0.45", "ls": "--", "lw": 1, "label": RULE_NAME}
        left.step(np.append(0, ages), np.append(1.0, values), where="post", **style)
    left.set_ylim(0, 1.02)
    whole(left.xaxis)
    label(left, "age [drops since it stayed]", "still inside", f"n = {found.entered} stays")
    legend(left, "upper right")
    some = Estimates(found.hazard.value[shown], found.hazard.low[shown], found.hazard.high[shown])
    whiskers(middle, found.age[shown], some, SIM)
    middle.axhline(1 / 3, color="0.45", ls="--", lw=1)
    highest = float(np.nanmax(np.fmax(some.high, some.value), initial=0.4))
    middle.set_ylim(0, min(1.0, 1.25 * highest))
    whole(middle.xaxis)
    label(middle, "age [drops]", "chance of release in a drop", f"n = {found.at_risk.sum()} cube-drops")
    x = np.arange(len(by_place.regions))
    right.bar(x, by_place.by_region.value, 0.6, **BAR)
    whiskers(right, x, by_place.by_region, {"color": INK, "ls": "none"})
    right.axhline(1 / 3, color="0.45", ls="--", lw=1)
    names = [name.replace("_", " ") for name in by_place.regions]
    right.set_xlim(-0.6, max(len(names), 3) - 0.4)
    right.set_xticks(x, names, rotation=35, ha="right", rotation_mode="anchor")
    label(right, "", "chance of release in a drop", "by region")
    return figure


def remembrance(
    acf: Estimates, rule: Array | None, colours: int, information: Information | None, found: Prediction | None
) -> Any:
    """Draw autocorrelations, the information between successive outcomes, and what predictors gain."""
    figure, (left, middle, right) = panels(1, 3, 2.9)
    lags = np.arange(1, LAGS + 1)
    first = Estimates(acf.value[:LAGS], acf.low[:LAGS], acf.high[:LAGS])
    table = acf.value[LAGS:].reshape(colours, LAGS)
    for i, row in enumerate(table):
        left.plot(lags, row, color="0.75", lw=0.7, label="each colour" if i == 0 else None)
    whiskers(left, lags, first, SIM, "all cubes")
    if rule is not None:
        left.plot(lags, rule[:LAGS], label=RULE_NAME, **RULE)
    left.axhline(0, color=INK, lw=0.6)
    left.set_ylim(top=1.45 * float(np.nanmax(np.fmax(first.high, first.value), initial=0.1)))
    left.set_xticks(lags)
    label(left, "lag [drops]", "autocorrelation, number inside")
    legend(left, "upper right")
    if information:
        low, high = float(information.null.min()), float(information.null.max())
        reach = max(high, information.bits.value) - low + 1e-9
        middle.hist(information.null, bins=np.linspace(low, high + 1e-9, 22).tolist(), **BAR)
        middle.axvline(information.bits.value, color=INK, lw=1.6)
        middle.set_ylim(0, 1.3 * middle.get_ylim()[1])
        middle.set_xlim(low - 0.05 * reach, low + 1.2 * reach)
        words = "line: this campaign\nbars: shuffled runs"
        middle.text(
            0.45, 0.98, words, transform=middle.transAxes, ha="center", va="top", fontsize=FONT - 1,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1},
        )  # fmt: skip
        label(middle, "information [bits]", "shuffles", f"n = {information.bits.n} pairs")
        middle.xaxis.set_major_locator(MaxNLocator(4))
    if found:
        y = np.arange(len(found.gains))
        for i, gain in enumerate(found.gains):
            one = Estimates(*(np.array([v]) for v in (gain.bits.value, gain.bits.low, gain.bits.high)))
            right.barh(i, gain.bits.value, 0.6, **BAR)
            reach = np.nan_to_num(np.array([one.value - one.low, one.high - one.value]))
            right.errorbar(one.value, [i], xerr=np.maximum(reach, 0), color=INK, capsize=2, elinewidth=0.8)
        right.axvline(0, color=INK, lw=0.6)
        right.set_yticks(y, [gain.knows.replace(", ", ",\n") for gain in found.gains])
        right.invert_yaxis()
        right.xaxis.set_major_locator(MaxNLocator(4))
        label(right, "gain [bits/drop]", "", f"knows; n = {found.memoryless.n} drops")
        right.tick_params(axis="y", labelsize=FONT - 1.5)
    return figure


def colours_alike(tests: Sequence[tuple[str, Fairness]], order: ByPhase, colours: Sequence[str]) -> Any:
    """Draw how far each colour is from what chance among like cubes gives, and what comes out in whose phase."""
    figure, made = panels(1, 2, 2.8)
    left, right = made
    x = np.arange(len(colours))
    marks = ({"marker": "o", "mfc": INK}, {"marker": "s", "mfc": "white"})
    for i, (name, found) in enumerate(tests):
        one = found.differences
        scaled = Estimates(100 * one.value, 100 * one.low, 100 * one.high)
        style = {"color": INK, "ls": "none", "ms": 4} | marks[i % 2]
        whiskers(left, x + 0.2 * (i - (len(tests) - 1) / 2), scaled, style, f"{name}, n = {found.cubes} cubes")
    left.axhline(0, color=INK, lw=0.6)
    left.set_xticks(x, colours, rotation=45, ha="right", rotation_mode="anchor")
    low, high = left.get_ylim()
    left.set_ylim(low, high + 0.4 * (high - low))
    label(left, "", "out minus expected [pp]", "pp: percentage points")
    if tests:
        legend(left, "upper center")
    if len(order.names):
        table = order.table.value.reshape(len(order.names), len(colours))
        right.grid(visible=False)
        mesh = right.imshow(table, cmap="Greys", vmin=0, aspect="auto")
        middle = np.nanmax(table) / 2
        for i, j in np.ndindex(*table.shape):
            ink = "white" if table[i, j] > middle else INK
            right.text(j, i, f"{table[i, j]:.2f}", ha="center", va="center", fontsize=FONT - 2.5, color=ink)
        right.set_xticks(x, colours, rotation=45, ha="right", rotation_mode="anchor")
        right.set_yticks(np.arange(len(order.names)), order.names)
        label(right, "colour that comes out", "phase of", f"mean out [cubes], n = {int(order.phases.sum())} phases")
        del mesh
    else:
        right.bar(x, order.mean.value, 0.7, **BAR)
        whiskers(right, x, order.mean, {"color": INK, "ls": "none"})
        right.set_xticks(x, colours, rotation=45, ha="right", rotation_mode="anchor")
        label(right, "", "mean out of a drop [cubes]")
    return figure


def beside(rows: Sequence[tuple[str, str, Estimate, Estimate]], names: tuple[str, str]) -> Any:
    """Draw the ratio of each figure to the rule's, with both intervals in units of the rule's value."""
    kept = [row for row in rows if np.isfinite(row[2].value) and np.isfinite(row[3].value) and abs(row[3].value) > 1e-9]
    figure, (panel,) = panels(1, 1, 0.9 + 0.2 * len(kept))
    panel.grid(axis="x", color="0.9", lw=0.6)
    for i, (_, _, mine, rule) in enumerate(kept):
        for each, style, shift in ((mine, SIM, -0.14), (rule, RULE, 0.14)):
            value, low, high = (x / rule.value for x in (each.value, each.low, each.high))
            if abs(value - 1) > FARTHEST:
                right = value > 1
                edge = 1 + FARTHEST * (1 if right else -1)
                panel.plot([edge], [i + shift], marker=">" if right else "<", color=INK, ms=4)
                panel.annotate(
                    f"{value:.2g}", (edge, i + shift), (-7 if right else 7, 0), textcoords="offset points",
                    ha="right" if right else "left", va="center", fontsize=FONT - 1.5,
                )  # fmt: skip
                continue
            reach = np.nan_to_num([[abs(value - low)], [abs(high - value)]])
            panel.errorbar(
                [value], [i + shift], xerr=reach, capsize=2, elinewidth=0.8,
                label=None if i else names[each is rule], **(style | {"ls": "none"}),
            )  # fmt: skip
    panel.axvline(1, color=INK, lw=0.6)
    low, high = panel.get_xlim()
    panel.set_xlim(max(low, 0.9 - FARTHEST), min(high, 1.1 + FARTHEST))
    panel.set_yticks(np.arange(len(kept)), [name for name, *_ in kept])
    panel.invert_yaxis()
    label(panel, f"figure / the {RULE_NAME}'s", "")
    legend(panel, "best")
    return figure
