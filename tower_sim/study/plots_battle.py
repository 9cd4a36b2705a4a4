"""The pictures of a report on battles."""

from __future__ import annotations

from typing import Any

import numpy as np

from tower_sim.campaign.data import Array
from tower_sim.study.battles import MOST_THROWN, Chains, Knocks, Landings, WinShares
from tower_sim.study.plots import BAR, BARE, FONT, INK, SIM, bars, counted, label, legend, panels, whiskers, whole

HATCHES = ("", "////", "....", "xxxx", "----", "\\\\\\\\")
FILLS = ("0.82", "1.0", "0.6", "0.92", "0.7", "0.5")


def landings(landings: Landings, battles: int) -> Any:
    """Draw the shares of cubes at each place."""
    order: Array = np.argsort(-np.nan_to_num(landings.landed.value), kind="stable")
    figure, (panel,) = panels(1, 1, 0.8 + 0.27 * len(order))
    panel.grid(axis="y", visible=False)
    panel.grid(axis="x", color="0.9", lw=0.6)
    y = np.arange(len(order))
    for shares, counts, shift, fill, name in (
        (landings.landed, landings.counts, -0.2, "0.7", "landings"),
        (landings.final, landings.final_counts, 0.2, "1.0", "at the end"),
    ):
        value, low, high = (end[order] for end in (shares.value, shares.low, shares.high))
        style = BAR | {"facecolor": fill}
        panel.barh(y + shift, value, 0.38, label=f"{name}, n = {counts.sum()} cubes", **style)
        reach = np.maximum(np.nan_to_num([value - low, high - value]), 0)
        panel.errorbar(value, y + shift, xerr=reach, color=INK, ls="none", capsize=2, elinewidth=0.8)
    panel.set_yticks(y, [landings.places[int(i)].removeprefix("zone:").replace("_", " ") for i in order])
    panel.invert_yaxis()
    label(panel, "share of cubes", "", f"{battles} battles")
    legend(panel, columns=2)
    return figure


def knocks(knocks: Knocks) -> Any:
    """Draw how many lying cubes a throw moves, by the number thrown."""
    figure, made = panels(1, 2, 2.5)
    for panel, values, name in (
        (made[0], knocks.moved, "moved a throw [cubes]"),
        (made[1], knocks.share, "share of lying cubes moved"),
    ):
        whiskers(panel, knocks.thrown, values, SIM)
        panel.set_ylim(bottom=0)
        if values is knocks.moved:
            counted(panel.yaxis)
        whole(panel.xaxis)
        last = f"; {MOST_THROWN}: or more" if knocks.thrown[-1] == MOST_THROWN else ""
        label(panel, f"thrown [cubes{last}]", name, f"n = {knocks.throws.sum()} throws")
    return figure


def chains(chains: Chains) -> Any:
    """Draw the shares of throws by how many explosions follow."""
    figure, (panel,) = panels(1, 1, 2.3)
    x = np.arange(len(chains.lengths.value))
    bars(panel, x, chains.lengths, 0.7)
    whole(panel.xaxis)
    label(panel, "explosions in a row", "share of throws", f"n = {chains.counts.sum()} throws")
    return figure


def odds(odds: WinShares) -> Any:
    """Draw the win shares for each combination of first cubes; the commonest 12 when there are more."""
    width = len(odds.sides) + 1
    shown = np.sort(np.argsort(-odds.battles, kind="stable")[:12])
    figure, (panel,) = panels(1, 1, 2.8)
    x = np.arange(len(shown))
    step = 0.8 / width
    for k, name in enumerate([*(f"won by {side}" for side in odds.sides), "no winner"]):
        at = x + step * (k - (width - 1) / 2)
        style = BAR | {"facecolor": FILLS[k % len(FILLS)], "hatch": HATCHES[k % len(HATCHES)]}
        wins = odds.wins.take(shown * width + k)
        panel.bar(at, wins.value, step, label=name, **style)
        whiskers(panel, at, wins, BARE)
    names = [" : ".join(map(str, odds.cubes[i])) + f"\nn = {odds.battles[i]}" for i in shown]
    panel.set_xticks(x, names, fontsize=FONT - 1.5 if len(shown) > 6 else FONT - 0.5)
    panel.set_ylim(0, 1.03)
    panel.set_yticks(np.linspace(0, 1, 6))
    title = f"the {len(shown)} commonest of {len(odds.battles)}" if len(odds.battles) > len(shown) else ""
    label(panel, f"first cubes, {' : '.join(odds.sides)}", "share of battles", title)
    legend(panel, columns=min(width, 4))
    return figure
