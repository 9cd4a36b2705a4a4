"""A picture of a game: the cubes inside, the cubes that each drop threw and brought out, and their colours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from tower_sim.drawing.by_drop import (
    COLUMN,
    ROW,
    WIDEST,
    beside,
    draw_rows,
    draw_squares,
    draw_stacks,
    dress,
    mark_of,
    seen,
    stack_height,
)
from tower_sim.drawing.files import FONT, GREY, INK, check_path, save
from tower_sim.drawing.paint import Paint, paints
from tower_sim.errors import UsageError
from tower_sim.games.amerigo.phases import DropEntry
from tower_sim.games.amerigo.rules import SETUP, Rules

_RIGHT = 0.15  # inches to the right of the panels
_GAP = 0.14  # inches between the panels
_NAMES = 0.3  # inches between panels with a legend between them


def draw_game(entries: Sequence[DropEntry], rules: Rules, path: str | Path, *, title: str) -> None:
    """Draw the drops of a game, in order, into the file `path`. Counts are cubes."""
    check_path(path)
    save(game_figure(entries, rules, title), path)


def game_figure(entries: Sequence[DropEntry], rules: Rules, title: str) -> Figure:
    """Return the matplotlib figure that `draw_game` writes. Raises UsageError if there are no entries."""
    if not entries:
        raise UsageError("entries of the game are 0; allowed is 1 or more; play the game first")
    paint = {of.name: of for of in paints(rules.colours)}
    inside_by = {colour: [entry.inside.get(colour, 0) for entry in entries] for colour in rules.colours}
    out_by = {colour: [entry.emerged.get(colour, 0) for entry in entries] for colour in rules.colours}
    colours = seen(rules.colours, inside_by, out_by)
    left = beside([*colours, "phase"])  # inches to the left of the panels
    width = min(WIDEST, max(5.5, left + _RIGHT + COLUMN * len(entries)))
    stacks = {colour: inside_by[colour] for colour in colours}
    heights = (ROW * (len(colours) + 1.4), 1.15, stack_height(stacks, 1.9))  # inches, from the bottom
    height, bottom = sum(heights) + 1.25 + _NAMES - _GAP, 0.48
    figure: Any = Figure(figsize=(width, height))
    panels: list[Any] = []
    for tall, gap in zip(heights, (_GAP, _NAMES, 0.0), strict=True):
        where = (left / width, bottom / height, 1 - (left + _RIGHT) / width, tall / height)
        panels.append(figure.add_axes(where))
        bottom += tall + gap
    out, flow, inside = panels
    column = (width - left - _RIGHT) * 72 / len(entries)  # pt for each drop
    draw_stacks(inside, stacks, paint)
    _draw_flow(flow, entries)
    side = draw_rows(out, {colour: out_by[colour] for colour in colours}, paint, column)
    _draw_phases(out, entries, colours, paint, side)
    for panel in panels:
        _dress(panel, entries)
        panel.tick_params(labelbottom=panel is out, labelsize=FONT)
        panel.yaxis.set_label_coords((0.36 - left) / (width - left - _RIGHT), 0.5)
    _name_rounds(inside, entries, column)
    out.set_xlabel("drop (0 is the set-up)" + _said_of_skipped(entries), fontsize=FONT)
    size = min(10.0, (width - 0.3) * 72 / max(len(title), 1) / 0.68)
    figure.text(0.12 / width, 1 - 0.1 / height, title, size=size, weight="bold", va="top", color=INK)
    return figure


def _draw_flow(panel: Any, entries: Sequence[DropEntry]) -> None:
    thrown = [sum(entry.thrown.values()) for entry in entries]
    out = [sum(entry.emerged.values()) for entry in entries]
    of_phases = [
        n
        for entry, pair in zip(entries, zip(thrown, out, strict=True), strict=True)
        for n in pair
        if entry.phase != SETUP
    ]
    limit = 1.5 * max(of_phases, default=0) or 1.5 * max(1, *thrown, *out)
    drops = range(len(entries))
    panel.bar(drops, thrown, 0.84, color="0.88", edgecolor=INK, linewidth=0.5, label="thrown", zorder=3)
    panel.bar(drops, out, 0.42, color="0.4", edgecolor=INK, linewidth=0.5, label="came out", zorder=4)
    panel.set_ylim(0, limit)
    for i, entry in enumerate(entries):
        if max(thrown[i], out[i]) > limit:
            for rise in (0.84, 0.9):
                panel.plot(
                    [i - 0.5, i + 0.5], [(rise - 0.03) * limit, (rise + 0.03) * limit], color="white", lw=2, zorder=5
                )
            words = f"{'set-up: ' if entry.phase == SETUP else ''}{thrown[i]} thrown, {out[i]} came out"
            style = {"va": "bottom", "fontsize": FONT - 0.5, "color": INK, "textcoords": "offset points"}
            panel.annotate(words, (0, 1), (0, 4), xycoords="axes fraction", **style)
    names = {"frameon": False, "borderpad": 0.0, "borderaxespad": 0.4, "handlelength": 1.2, "ncols": 2}
    panel.legend(loc="lower right", bbox_to_anchor=(1, 1), fontsize=FONT - 0.5, **names)
    panel.set_ylabel("each drop\n[cubes]", fontsize=FONT)


def _draw_phases(
    panel: Any, entries: Sequence[DropEntry], colours: Sequence[str], paint: Mapping[str, Paint], side: float
) -> None:
    row = len(colours) + 0.3
    panel.axhline(row - 0.65, color=GREY, lw=0.6)
    for i, entry in enumerate(entries):
        if entry.phase in paint:
            draw_squares(panel, [i], row, paint[entry.phase], 0.85 * side, [mark_of(paint[entry.phase])])
        elif side > 7:
            panel.text(i, row, "all", ha="center", va="center", fontsize=FONT - 1.5, color=GREY)
    panel.set_ylim(row + 0.6, -0.65)
    panel.set_yticks([*range(len(colours)), row], [*colours, "phase"])


def _dress(panel: Any, entries: Sequence[DropEntry]) -> None:
    starts = [i for i in range(1, len(entries)) if entries[i].round != entries[i - 1].round]
    skipped = [i for i, entry in enumerate(entries) if entry.skipped]
    dress(panel, [entry.index for entry in entries], starts, skipped)


def _name_rounds(panel: Any, entries: Sequence[DropEntry], column: float) -> None:
    of_round: dict[int, list[int]] = {}
    for i, entry in enumerate(entries):
        of_round.setdefault(entry.round, []).append(i)
    narrowest = min((len(drops) for number, drops in of_round.items() if number), default=1)
    step = math.ceil(46 / (column * narrowest))
    for number, drops in of_round.items():
        if number == 0:
            words, at, across = (
                "set-up",
                (drops[0] if column > 30 else drops[0] + 0.5),
                ("center" if column > 30 else "right"),
            )
        elif (number - 1) % step == 0:
            words, at, across = f"round {number}", (drops[0] + drops[-1]) / 2, "center"
        else:
            continue
        panel.text(at, 1.02, words, transform=panel.get_xaxis_transform(), ha=across, va="bottom", fontsize=FONT)


def _said_of_skipped(entries: Sequence[DropEntry]) -> str:
    skipped = sum(entry.skipped for entry in entries)
    return f"; hatched: {skipped} skipped, nothing came out" if skipped else ""
