"""A picture of a game: the cubes inside, the cubes that each drop threw and brought out, and their colours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from tower_sim.drawing import FONT, GREY, INK, check_path, draw_squares, find_mark, save
from tower_sim.errors import UsageError
from tower_sim.games.amerigo.rules import SETUP, Rules
from tower_sim.games.picture import GAP, RunSheet, lay_out
from tower_sim.games.tower import Turn

_NAMES = 0.3  # inches between panels with a legend between them


def draw_game(turns: Sequence[Turn], rules: Rules, path: str | Path, *, title: str) -> None:
    """Draw the drops of a game, in order, into the file `path`."""
    check_path(path)
    save(game_figure(turns, rules, title), path)


def game_figure(turns: Sequence[Turn], rules: Rules, title: str) -> Figure:
    """Return the matplotlib figure of `draw_game`. Raises UsageError if there are no turns."""
    if not turns:
        raise UsageError("turns of the game are 0; allowed is 1 or more; play the game first")
    counts = {
        colour: (
            [turn.inside.get(colour, 0) for turn in turns],
            [turn.thrown_out.get(colour, 0) for turn in turns],
        )
        for colour in rules.colours
    }
    flow = ((1.15, _NAMES),)
    sheet = lay_out(
        counts, title, narrowest=5.5, more_rows=1.4, tallest=1.9, top=0.35 + GAP, middle=flow, names=["phase"]
    )
    _draw_flow(sheet.panels[1], turns)
    _draw_phases(sheet, turns)
    starts = [i for i in range(1, len(turns)) if turns[i].facts["round"] != turns[i - 1].facts["round"]]
    skipped = [i for i, turn in enumerate(turns) if turn.facts["skipped"]]
    hatched = f"; hatched: {len(skipped)} skipped, nothing came out" if skipped else ""
    sheet.dress([turn.index for turn in turns], starts, skipped, f"drop (0 is the set-up){hatched}")
    _name_rounds(sheet.panels[2], turns, sheet.column)
    return sheet.figure


def _draw_flow(panel: Any, turns: Sequence[Turn]) -> None:
    thrown = [sum(turn.thrown.values()) for turn in turns]
    out = [sum(turn.thrown_out.values()) for turn in turns]
    of_phases = [max(thrown[i], out[i]) for i, turn in enumerate(turns) if turn.facts["phase"] != SETUP]
    limit = 1.5 * max(of_phases, default=0) or 1.5 * max(1, *thrown, *out)
    drops = range(len(turns))
    panel.bar(drops, thrown, 0.84, color="0.88", edgecolor=INK, linewidth=0.5, label="thrown", zorder=3)
    panel.bar(drops, out, 0.42, color="0.4", edgecolor=INK, linewidth=0.5, label="came out", zorder=4)
    panel.set_ylim(0, limit)
    for i, turn in enumerate(turns):
        if max(thrown[i], out[i]) > limit:
            for rise in (0.84, 0.9):
                ends = [(rise - 0.03) * limit, (rise + 0.03) * limit]
                panel.plot([i - 0.5, i + 0.5], ends, color="white", lw=2, zorder=5)
            text = f"{'set-up: ' if turn.facts['phase'] == SETUP else ''}{thrown[i]} thrown, {out[i]} came out"
            style = {"va": "bottom", "fontsize": FONT - 0.5, "color": INK, "textcoords": "offset points"}
            panel.annotate(text, (0, 1), (0, 4), xycoords="axes fraction", **style)
    names = {"frameon": False, "borderpad": 0.0, "borderaxespad": 0.4, "handlelength": 1.2, "ncols": 2}
    panel.legend(loc="lower right", bbox_to_anchor=(1, 1), fontsize=FONT - 0.5, **names)
    panel.set_ylabel("each drop\n[cubes]", fontsize=FONT)


def _draw_phases(sheet: RunSheet, turns: Sequence[Turn]) -> None:
    panel, row = sheet.panels[0], len(sheet.colours) + 0.3
    panel.axhline(row - 0.65, color=GREY, lw=0.6)
    for i, turn in enumerate(turns):
        if paint := sheet.paint.get(turn.facts["phase"]):
            draw_squares(panel, [i], row, paint, 0.85 * sheet.side, [find_mark(paint)])
        elif sheet.side > 7:
            panel.text(i, row, "all", ha="center", va="center", fontsize=FONT - 1.5, color=GREY)
    panel.set_ylim(row + 0.6, -0.65)
    panel.set_yticks([*range(len(sheet.colours)), row], [*sheet.colours, "phase"])


def _name_rounds(panel: Any, turns: Sequence[Turn], column: float) -> None:
    numbers = enumerate(turn.facts["round"] for turn in turns)
    rounds = {number: [i for i, _ in group] for number, group in groupby(numbers, key=lambda pair: pair[1])}
    narrowest = min((len(drops) for number, drops in rounds.items() if number), default=1)
    step = math.ceil(46 / (column * narrowest))
    for number, drops in rounds.items():
        name, at, across = f"round {number}", (drops[0] + drops[-1]) / 2, "center"
        if number == 0:
            name, at, across = ("set-up", drops[0], "center") if column > 30 else ("set-up", drops[0] + 0.5, "right")
        elif (number - 1) % step:
            continue
        panel.text(at, 1.02, name, transform=panel.get_xaxis_transform(), ha=across, va="bottom", fontsize=FONT)
