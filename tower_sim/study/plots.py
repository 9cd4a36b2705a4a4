"""The pictures of a report on games and chains: greys, hatches and markers, with units and sample sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from tower_sim.campaign.data import Array
from tower_sim.statistics import Estimates
from tower_sim.study.fairness import ByPhase, Fairness
from tower_sim.study.memory import LAGS, Information, Prediction
from tower_sim.study.retention import FEWEST
from tower_sim.study.survival import Hazards, Survival

FONT = 8.5  # pt
WIDTH = 6.5  # in
INK = "0.1"
SIM = {"color": INK, "marker": "o", "ms": 3.5, "lw": 1.1}
RULE = {"color": "0.45", "marker": "s", "ms": 3.5, "lw": 1.0, "ls": "--", "mfc": "white"}
BARE = {"color": INK, "ls": "none"}  # an interval alone
BAR = {"facecolor": "0.75", "edgecolor": INK, "linewidth": 0.6}
RULE_NAME = "2/3-1/3 rule"


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


def legend(panel: Any, columns: int = 1) -> None:
    """Name what is drawn, between the panel and its title, where no data can lie behind the names."""
    style = {"frameon": False, "borderpad": 0.0, "handlelength": 1.8, "columnspacing": 1.2, "alignment": "left"}
    where = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2, "ncols": columns}
    title = panel.get_title("left")  # stands over the names, whatever their number
    panel.legend(fontsize=FONT - 0.5, title=title or None, title_fontsize=FONT, **where, **style)
    panel.set_title("", loc="left")


def whiskers(panel: Any, x: Array, values: Estimates, style: dict[str, Any], name: str = "") -> None:
    """Draw values with their intervals; values without one are drawn bare."""
    reach = np.maximum(np.array([values.value - values.low, values.high - values.value]), 0)
    panel.errorbar(x, values.value, reach, capsize=2, elinewidth=0.8, label=name or None, **style)


def bars(panel: Any, x: Array, values: Estimates, width: float, name: str = "") -> None:
    """Draw values as bars with their intervals."""
    panel.bar(x, values.value, width, label=name or None, **BAR)
    whiskers(panel, x, values, BARE)


def rule_at(panel: Any, share: float) -> None:
    """Draw a share that the 2/3-1/3 rule has, whatever the x."""
    panel.axhline(share, color="0.45", ls="--", lw=1, label=RULE_NAME)


def whole(axis: Any) -> None:
    """Number an axis of counts in whole numbers."""
    axis.set_major_locator(MaxNLocator(9, integer=True, min_n_ticks=1))


def counted(axis: Any) -> None:
    """Number an axis of means of counts in whole numbers, unless it is so short that fewer than three would be left."""
    axis.set_major_locator(of_counts())


def of_counts() -> MaxNLocator:
    """Return what numbers an axis as `counted` says."""
    return MaxNLocator(7, integer=True, min_n_ticks=3)


def setup(inside: Array, rule: Array, colours: Sequence[str], means: Estimates, rule_means: Estimates) -> Any:
    """Draw how many stay inside at the set-up, and of which colours."""
    figure, (left, right) = panels(1, 2, 2.9)
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
    left.set_ylim(bottom=0)
    whole(left.xaxis)
    label(left, "inside after the set-up [cubes]", "share of games")
    legend(left)
    x = np.arange(len(colours))
    bars(right, x, means, 0.7)
    if len(rule_means.value):
        right.plot(x, rule_means.value, ls="none", label=RULE_NAME, **{k: v for k, v in RULE.items() if k != "ls"})
    right.set_ylim(bottom=0)
    counted(right.yaxis)
    right.set_xticks(x, colours, rotation=45, ha="right", rotation_mode="anchor")
    label(right, "", "mean inside [cubes]", f"by colour, n = {len(inside)} games")
    if len(rule_means.value):
        legend(right)
    return figure


def course(
    mean: Estimates, quantiles: Array, rule: Array | None, runs: int, names: tuple[str, str], rounds: Sequence[float]
) -> Any:
    """Draw the number inside by drop, with its interval and the band that holds 90 % of runs."""
    figure, (panel,) = panels(1, 1, 2.9)
    drop = np.arange(len(mean.value))
    panel.fill_between(drop, *quantiles, color="0.87", lw=0, label=f"90 % of {names[0]}s")
    whiskers(panel, drop, mean, SIM, f"mean, 95 % interval, n = {runs} {names[0]}s")
    if rule is not None:
        panel.plot(drop[: len(rule)], rule[: len(drop)], label=RULE_NAME, **RULE)
    for i, at in enumerate(rounds):
        panel.axvline(at, color="0.6", lw=0.7, ls=(0, (4, 2)), label=None if i else "between rounds")
    panel.set_ylim(bottom=0)
    whole(panel.xaxis)
    counted(panel.yaxis)
    label(panel, names[1], "inside after the drop [cubes]")
    legend(panel, columns=2)
    return figure


def out_of_drop(
    shares: Estimates, rule_shares: Array, by_thrown: Estimates, counts: Array, rule_by_thrown: Array, first: int
) -> Any:
    """Draw how many come out of a drop, and their mean by the number thrown; index 0 of `counts` is `first` thrown."""
    figure, (left, right) = panels(1, 2, 2.9)
    seen = np.flatnonzero(shares.value > 0)
    bars(left, seen, shares.take(seen), 0.85, "simulated")
    if len(rule_shares):
        left.plot(np.arange(len(rule_shares)), rule_shares, label=RULE_NAME, **RULE)
    whole(left.xaxis)
    label(left, "out of a drop [cubes]", "share of drops", f"n = {counts.sum()} drops")
    legend(left)
    thrown = first + np.arange(len(counts))
    enough = counts >= FEWEST
    whiskers(right, thrown[enough], by_thrown.take(enough), SIM, "simulated")
    if len(rule_by_thrown):
        right.plot(thrown[enough], rule_by_thrown[enough], label=f"{RULE_NAME}, same drops", **RULE)
    whole(right.xaxis)
    counted(right.yaxis)
    right.set_ylim(bottom=0)
    label(right, "thrown [cubes]", "mean out [cubes]", f"at least {FEWEST} drops a point")
    legend(right)
    return figure


def fresh_and_colours(
    share: Estimates, counts: Array, first: int, colours: Estimates, rule_colours: Array, drops: int
) -> Any:
    """Draw the share of the cubes just thrown that come out by the number thrown, and how many colours come out."""
    figure, (left, right) = panels(1, 2, 2.8)
    enough = counts >= FEWEST
    thrown = (first + np.arange(len(counts)))[enough]
    whiskers(left, thrown, share.take(enough), SIM, "simulated")
    rule_at(left, 2 / 3)
    left.set_ylim(0, 1.03)
    whole(left.xaxis)
    label(left, "thrown [cubes]", "share of these that come out", f"n = {drops} drops")
    legend(left)
    x = np.arange(len(colours.value))
    bars(right, x, colours, 0.8, "simulated")
    if len(rule_colours):
        right.plot(np.arange(len(rule_colours)), rule_colours, label=RULE_NAME, **RULE)
    whole(right.xaxis)
    label(right, "different colours out of a drop", "share of drops", f"n = {drops} drops")
    legend(right)
    return figure


def stays(mine: Survival, by_place: Hazards, rule: Survival | None) -> Any:
    """Draw the survival of residents and their chance of release by age and by region."""
    figure, (left, middle, right) = panels(1, 3, 3.0)
    shown = mine.at_risk >= 20
    age = np.append(0, mine.age[shown])
    curve = np.append(1.0, mine.survival.value[shown])
    low, high = (np.append(1.0, edge[shown]) for edge in (mine.survival.low, mine.survival.high))
    left.fill_between(age, np.nan_to_num(low, nan=1), np.nan_to_num(high, nan=1), step="post", color="0.8", lw=0)
    left.step(age, curve, where="post", color=INK, lw=1.1, label="simulated")
    if rule is not None:
        there = rule.at_risk[: len(mine.age)] >= 20
        ages, values = rule.age[: len(there)][there], rule.survival.value[: len(there)][there]
        style = {"color": "0.45", "ls": "--", "lw": 1, "label": RULE_NAME}
        left.step(np.append(0, ages), np.append(1.0, values), where="post", **style)
    left.set_ylim(0, 1.02)
    whole(left.xaxis)
    label(left, "age [drops since it stayed]", "still inside", f"n = {mine.entered} stays")
    legend(left)
    some = mine.hazard.take(shown)
    whiskers(middle, mine.age[shown], some, SIM, "simulated")
    rule_at(middle, 1 / 3)
    highest = float(np.nanmax(np.fmax(some.high, some.value), initial=0.4))
    middle.set_ylim(0, min(1.0, 1.25 * highest))
    whole(middle.xaxis)
    label(middle, "age [drops]", "chance of release in a drop", f"n = {mine.at_risk.sum()} cube-drops")
    legend(middle)
    x = np.arange(len(by_place.regions))
    bars(right, x, by_place.by_region, 0.6, "simulated")
    rule_at(right, 1 / 3)
    names = [name.replace("_", " ") for name in by_place.regions]
    right.set_xlim(-0.6, max(len(names), 3) - 0.4)
    right.set_xticks(x, names, rotation=35, ha="right", rotation_mode="anchor")
    label(right, "", "chance of release in a drop", "by region")
    legend(right)
    return figure


def remembrance(
    acf: Estimates, rule: Array | None, colours: int, information: Information | None, prediction: Prediction | None
) -> Any:
    """Draw autocorrelations, the information between successive outcomes, and what predictors gain."""
    figure, made = panels(1, 1 + bool(information) + bool(prediction), 3.1)
    _autocorrelations(made[0], acf, rule, colours)
    if information:
        _information(made[1], information)
    if prediction:
        _gains(made[-1], prediction)
    return figure


def _autocorrelations(panel: Any, acf: Estimates, rule: Array | None, colours: int) -> None:
    lags = np.arange(1, LAGS + 1)
    for i, row in enumerate(acf.value[LAGS:].reshape(colours, LAGS)):
        panel.plot(lags, row, color="0.75", lw=0.7, label="each colour" if i == 0 else None)
    whiskers(panel, lags, acf.take(slice(LAGS)), SIM, "all cubes")
    if rule is not None:
        panel.plot(lags, rule[:LAGS], label=RULE_NAME, **RULE)
    panel.axhline(0, color=INK, lw=0.6)
    panel.set_xticks(lags)
    label(panel, "lag [drops]", "autocorrelation, number inside")
    legend(panel)


def _information(panel: Any, information: Information) -> None:
    low, high = float(information.null.min()), float(information.null.max())
    bins = np.linspace(low, high + 1e-9, 22).tolist()
    panel.hist(information.null, bins=bins, label="shuffled runs", **BAR)
    panel.axvline(information.bits.value, color=INK, lw=1.6, label="this campaign")
    panel.margins(x=0.08)
    label(panel, "information [bits]", "shuffles", f"n = {information.bits.n} pairs")
    panel.xaxis.set_major_locator(MaxNLocator(4))
    whole(panel.yaxis)
    legend(panel)


def _gains(panel: Any, prediction: Prediction) -> None:
    y = np.arange(len(prediction.gains))
    value, low, high = np.array([(gain.bits.value, gain.bits.low, gain.bits.high) for gain in prediction.gains]).T
    panel.barh(y, value, 0.6, **BAR)
    reach = np.maximum(np.array([value - low, high - value]), 0)
    panel.errorbar(value, y, xerr=reach, color=INK, ls="none", capsize=2, elinewidth=0.8)
    panel.axvline(0, color=INK, lw=0.6)
    panel.set_yticks(y, [gain.knows.replace(", ", ",\n") for gain in prediction.gains])
    panel.invert_yaxis()
    panel.xaxis.set_major_locator(MaxNLocator(4))
    label(panel, "gain [bits/drop]", "", f"knows; n = {prediction.memoryless.n} drops")
    panel.tick_params(axis="y", labelsize=FONT - 1.5)


def colours_alike(tests: Sequence[tuple[str, Fairness]], order: ByPhase, colours: Sequence[str]) -> Any:
    """Draw how far each colour is from what chance among like cubes gives, and what comes out in whose phase."""
    figure, (left, right) = panels(1, 2, 3.0)
    x = np.arange(len(colours))
    marks = ({"marker": "o", "mfc": INK}, {"marker": "s", "mfc": "white"})
    for i, (name, test) in enumerate(tests):
        one = test.differences
        scaled = Estimates(100 * one.value, 100 * one.low, 100 * one.high)
        style = BARE | {"ms": 4} | marks[i % 2]
        whiskers(left, x + 0.2 * (i - (len(tests) - 1) / 2), scaled, style, f"{name}, n = {test.cubes} cubes")
    left.axhline(0, color=INK, lw=0.6)
    left.set_xticks(x, colours, rotation=45, ha="right", rotation_mode="anchor")
    label(left, "", "out minus expected [pp]", "pp: percentage points")
    if tests:
        legend(left)
    if len(order.names):
        table = order.table.value.reshape(len(order.names), len(colours))
        right.grid(visible=False)
        right.imshow(table, cmap="Greys", vmin=0, aspect="auto")
        middle = np.nanmax(table) / 2
        for i, j in np.ndindex(*table.shape):
            ink = "white" if table[i, j] > middle else INK
            right.text(j, i, f"{table[i, j]:.2f}", ha="center", va="center", fontsize=FONT - 2.5, color=ink)
        right.set_xticks(x, colours, rotation=45, ha="right", rotation_mode="anchor")
        right.set_yticks(np.arange(len(order.names)), order.names)
        label(right, "colour that comes out", "phase of", f"mean out [cubes], n = {int(order.phases.sum())} phases")
    else:
        bars(right, x, order.mean, 0.7)
        right.set_xticks(x, colours, rotation=45, ha="right", rotation_mode="anchor")
        counted(right.yaxis)
        label(right, "", "mean out of a drop [cubes]")
    return figure
