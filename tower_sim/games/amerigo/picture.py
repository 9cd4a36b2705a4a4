"""The picture of a game: what lies inside, what each drop threw and brought out, and in which colours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from tower_sim.drawing.by_drop import dress
from tower_sim.drawing.files import FONT, GREY, INK, check_path, cube_colours, ink_on, save
from tower_sim.errors import UsageError
from tower_sim.games.amerigo.phases import DropEntry
from tower_sim.games.amerigo.rules import SETUP, Rules

_RIGHT = 0.15  # inches beside the panels
_ROW = 0.2  # inches for each colour
_COLUMN = 0.218  # inches for each drop, less when the figure would become wider than
_WIDEST = 24.0


_GAP = 0.14  # inches between the panels
_NAMES = 0.3  # inches between those that have the names of the bars between them


def draw_game(entries: Sequence[DropEntry], rules: Rules, path: str | Path, *, title: str) -> None:
    """Draw the drops of a game, in order, into the file `path`; counts are cubes.

    Raises UsageError for a path that cannot be written, or no entries.
    """
    check_path(path)
    save(game_figure(entries, rules, title), path)


def game_figure(entries: Sequence[DropEntry], rules: Rules, title: str) -> Figure:
    """Return the figure that `draw_game` writes."""
    if not entries:
        raise UsageError("entries of the game are 0; allowed is 1 or more; play the game first")
    left = 0.62 + 0.075 * max(5, *map(len, rules.colours))  # inches beside the panels
    width = min(_WIDEST, max(5.5, left + _RIGHT + _COLUMN * len(entries)))
    heights = (_ROW * (len(rules.colours) + 1.4), 1.15, 1.9)  # inches, from the bottom
    height, bottom = sum(heights) + 1.25 + _NAMES - _GAP, 0.48
    figure: Any = Figure(figsize=(width, height))
    panels: list[Any] = []
    for tall, gap in zip(heights, (_GAP, _NAMES, 0.0), strict=True):
        where = (left / width, bottom / height, 1 - (left + _RIGHT) / width, tall / height)
        panels.append(figure.add_axes(where))
        bottom += tall + gap
    out, flow, inside = panels
    column = (width - left - _RIGHT) * 72 / len(entries)  # pt for each drop
    _draw_inside(inside, entries, rules)
    _draw_flow(flow, entries)
    _draw_colours(out, entries, rules, column)
    for panel in panels:
        _dress(panel, entries)
        panel.tick_params(labelbottom=panel is out, labelsize=FONT)
        panel.yaxis.set_label_coords((0.36 - left) / (width - left - _RIGHT), 0.5)
    _name_rounds(inside, entries, column)
    out.set_xlabel("drop (0 is the set-up)" + _said_of_skipped(entries), fontsize=FONT)
    size = min(10.0, (width - 0.3) * 72 / max(len(title), 1) / 0.68)
    figure.text(0.12 / width, 1 - 0.1 / height, title, size=size, weight="bold", va="top", color=INK)
    return figure


def _draw_inside(panel: Any, entries: Sequence[DropEntry], rules: Rules) -> None:
    """Stack the cubes inside after each drop, the first colour on top, as in the rows of the colours below."""
    paint = cube_colours(rules.colours)
    base = [0] * len(entries)
    for colour in reversed(rules.colours):
        counts = [entry.inside.get(colour, 0) for entry in entries]
        panel.bar(range(len(entries)), counts, 0.84, base, color=paint[colour], edgecolor=INK, linewidth=0.5, zorder=3)
        base = [a + b for a, b in zip(base, counts, strict=True)]
    panel.set_ylim(0, 1.08 * max(1, *base))
    panel.set_ylabel("inside\n[cubes]", fontsize=FONT)


def _draw_flow(panel: Any, entries: Sequence[DropEntry]) -> None:
    """Draw what each drop threw and brought out; the set-up, far larger, is cut and told in words."""
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


def _draw_colours(panel: Any, entries: Sequence[DropEntry], rules: Rules, column: float) -> None:
    """Draw a square with the number of cubes that came out for each colour and drop, and below the phase's colour."""
    paint = cube_colours(rules.colours)
    side = min(0.8 * column, 0.8 * _ROW * 72)
    for row, colour in enumerate(rules.colours):
        panel.axhline(row, color="0.9", lw=0.6, zorder=1)
        counts = {i: entry.emerged.get(colour, 0) for i, entry in enumerate(entries)}
        there = [i for i, count in counts.items() if count]
        style = {"s": side**2, "marker": "s", "color": paint[colour], "edgecolor": INK, "linewidth": 0.6, "zorder": 3}
        panel.scatter(there, [row] * len(there), **style)
        for i in there if side > 7 else ():
            words = {"color": ink_on(paint[colour]), "fontsize": min(FONT, 0.72 * side), "zorder": 4}
            panel.text(i, row, str(counts[i]), ha="center", va="center_baseline", **words)
    phase_row = len(rules.colours) + 0.3
    panel.axhline(phase_row - 0.65, color=GREY, lw=0.6)
    for i, entry in enumerate(entries):
        if entry.phase in paint:
            style = {"s": (0.6 * side) ** 2, "marker": "s", "edgecolor": INK, "linewidth": 0.6, "zorder": 3}
            panel.scatter([i], [phase_row], color=paint[entry.phase], **style)
        elif side > 7:
            panel.text(i, phase_row, "all", ha="center", va="center", fontsize=FONT - 1.5, color=GREY)
    panel.set_ylim(phase_row + 0.6, -0.65)
    panel.set_yticks([*range(len(rules.colours)), phase_row], [*rules.colours, "phase"])
    panel.set_ylabel("came out\n[cubes]", fontsize=FONT)


def _dress(panel: Any, entries: Sequence[DropEntry]) -> None:
    """Mark rounds and skipped phases, and give the panel its axes."""
    starts = [i for i in range(1, len(entries)) if entries[i].round != entries[i - 1].round]
    skipped = [i for i, entry in enumerate(entries) if entry.skipped]
    dress(panel, [entry.index for entry in entries], starts, skipped)


def _name_rounds(panel: Any, entries: Sequence[DropEntry], column: float) -> None:
    """Write the rounds over the panel, as many as there is room for."""
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
