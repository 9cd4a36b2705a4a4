"""The picture of what the tower gives the players."""

from __future__ import annotations

from typing import Any

import numpy as np

from tower_sim.study.players import PhaseYield
from tower_sim.study.plots import BAR, FONT, INK, RULE, RULE_NAME, counted, label, panels, whiskers, whole

LINE = {"color": INK, "marker": "o", "ms": 2.2, "lw": 1.0}
RULE_LINE = RULE | {"ms": 2.2}


DRAWN = 3
"""Figures whose course is drawn."""


def players(
    mine: PhaseYield, rule: PhaseYield | None, by_number: PhaseYield, rule_by_number: PhaseYield | None, games: int
) -> Any:
    """Draw how often the game's first figure is 0, 1, ..., then the means of some along the phases of a game."""
    drawn = mine.figures[:DRAWN]
    first, panels_of = mine.figures[0], len(drawn) + bool(mine.figures[0].chances)
    figure, made = panels(-(-panels_of // 2), 2, 2.3 * -(-panels_of // 2))
    if first.chances:
        _chances(made[0], mine, rule, games)
    number = np.arange(1, len(by_number.names) + 1)
    courses = made[panels_of - len(drawn) : panels_of]
    for panel, of in zip(courses, drawn, strict=True):
        whiskers(panel, number, by_number.means[of.key], LINE, f"simulated, {games} games")
        if rule_by_number is not None:
            values = rule_by_number.means[of.key].value
            panel.plot(number[: len(values)], values[: len(number)], label=RULE_NAME, **RULE_LINE)
        panel.set_ylim(bottom=0)
        whole(panel.xaxis)
        counted(panel.yaxis)
        label(panel, "phase of the game", f"mean {of.title}")
    for panel in made[panels_of:]:
        panel.set_visible(False)
    handles, names = courses[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=2, fontsize=FONT - 0.5, frameon=False)
    return figure


def _chances(panel: Any, mine: PhaseYield, rule: PhaseYield | None, games: int) -> None:
    of, x = mine.figures[0], np.arange(len(mine.figures[0].chances))
    panel.bar(x, mine.chances.value, 0.7, **BAR)
    whiskers(panel, x, mine.chances, {"color": INK, "ls": "none"}, f"simulated, {games} games")
    if rule is not None:
        style = {key: value for key, value in RULE.items() if key != "ls"}
        panel.plot(x, rule.chances.value, ls="none", label=RULE_NAME, **style)
    panel.set_xticks(x, of.chances)
    panel.set_ylim(0, min(1.05, 1.15 * float(np.nanmax(_highest(mine, rule)))))
    label(panel, of.title, "share of phases", f"n = {mine.phases[0]} phases")


def _highest(mine: PhaseYield, rule: PhaseYield | None) -> list[float]:
    tops = [*mine.chances.value, *np.nan_to_num(mine.chances.high)]
    return [*tops, *(rule.chances.value if rule is not None else [])]
