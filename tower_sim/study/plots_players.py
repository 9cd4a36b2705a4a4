"""The picture of what the tower gives the players."""

from __future__ import annotations

from typing import Any

import numpy as np

from tower_sim.study.players import CHANCES, PhaseYield
from tower_sim.study.plots import BAR, FONT, INK, RULE, RULE_NAME, counted, label, panels, whiskers, whole

LINE = {"color": INK, "marker": "o", "ms": 2.2, "lw": 1.0}
RULE_LINE = RULE | {"ms": 2.2}


def players(
    mine: PhaseYield, rule: PhaseYield | None, by_number: PhaseYield, rule_by_number: PhaseYield | None, games: int
) -> Any:
    """Draw the chances of 0, 1, 2, 3 or more actions, then actions, points and gold along the phases of a game."""
    figure, made = panels(2, 2, 4.6)
    first = made[0]
    x = np.arange(len(CHANCES))
    first.bar(x, mine.chances.value, 0.7, **BAR)
    whiskers(first, x, mine.chances, {"color": INK, "ls": "none"}, f"simulated, {games} games")
    if rule is not None:
        style = {key: value for key, value in RULE.items() if key != "ls"}
        first.plot(x, rule.chances.value, ls="none", label=RULE_NAME, **style)
    first.set_xticks(x, CHANCES)
    first.set_ylim(0, min(1.05, 1.15 * float(np.nanmax(_highest(mine, rule)))))
    label(first, "actions to choose from", "share of phases", f"n = {mine.phases[0]} phases")
    number = np.arange(1, len(by_number.names) + 1)
    for panel, pick, words in (
        (made[1], "actions", "mean actions to choose from"),
        (made[2], "points", "mean action points"),
        (made[3], "gold", "mean gold for passing"),
    ):
        whiskers(panel, number, getattr(by_number, pick), LINE, f"simulated, {games} games")
        if rule_by_number is not None:
            values = getattr(rule_by_number, pick).value
            panel.plot(number[: len(values)], values[: len(number)], label=RULE_NAME, **RULE_LINE)
        panel.set_ylim(bottom=0)
        whole(panel.xaxis)
        counted(panel.yaxis)
        label(panel, "phase of the game", words)
    handles, names = made[1].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=2, fontsize=FONT - 0.5, frameon=False)
    return figure


def _highest(mine: PhaseYield, rule: PhaseYield | None) -> list[float]:
    tops = [*mine.chances.value, *np.nan_to_num(mine.chances.high)]
    return [*tops, *(rule.chances.value if rule is not None else [])]
