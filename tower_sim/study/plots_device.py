"""The picture of a tower beside the deck, bag or dice that it stands in for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tower_sim.statistics import Estimates
from tower_sim.study.plots import BAR, FONT, INK, label, panels, whiskers
from tower_sim.study.stand_ins import Against, BesideExact

MARKS = (
    {"marker": "o", "mfc": INK}, {"marker": "s", "mfc": "white"}, {"marker": "^", "mfc": INK},
    {"marker": "D", "mfc": "white"},
)  # fmt: skip
MOST = len(MARKS)  # series


def devices(told: Sequence[Against], names: Sequence[str]) -> Any:
    """Draw the device's exact figures as bars, and the tower's of each series over them with their intervals."""
    figure, made = panels(2, 2, 6.2)
    one = told[0]
    kind, draws = one.stand_in.kind, one.stand_in.draws
    which = f"share of the first {one.early} draws" if one.stand_in.is_whole else "share of draws"
    events = [row.name for row in one.shares]
    wide = len(events) * max(map(len, events)) > 36  # characters side by side
    for panel, pick, words in (
        (made[0], "shares", which),
        (made[2], "first", "mean first draw, where it comes"),
        (made[3], "place", f"mean of its draws, of {draws}"),
    ):
        _against(panel, [getattr(each, pick) for each in told], kind, names)
        turned = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if wide else {}
        panel.set_xticks(np.arange(len(events)), [event.replace("_", " ") for event in events], **turned)
        label(panel, "", words)
    lags = [row.name.split()[0] for row in one.repeats]
    _against(made[1], [each.repeats for each in told], kind, names)
    made[1].set_xticks(np.arange(len(lags)), lags)
    label(made[1], "draws before", "chance of the same event")
    handles, said = made[0].get_legend_handles_labels()
    figure.legend(handles, said, loc="outside lower center", ncols=2, fontsize=FONT - 0.5, frameon=False)
    return figure


def _against(panel: Any, series: Sequence[Sequence[BesideExact]], kind: str, names: Sequence[str]) -> None:
    exact = np.array([row.exact for row in series[0]])
    x = np.arange(len(exact))
    panel.bar(x, exact, 0.8, label=f"the {kind}, exact", **BAR)
    for i, rows in enumerate(series):
        ends = (np.array([getattr(row.tower, end) for row in rows]) for end in ("value", "low", "high"))
        shift = 0.22 * (i - (len(series) - 1) / 2)
        style = {"color": INK, "ls": "none", "ms": 3.5} | MARKS[i]
        whiskers(panel, x + shift, Estimates(*ends), style, names[i])
    panel.set_ylim(bottom=0)
