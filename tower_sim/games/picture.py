"""A picture of one run of any game: the cubes inside after each turn, and the cubes that each turn brought out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from tower_sim.drawing.by_drop import COLUMN, ROW, WIDEST, beside, draw_rows, draw_stacks, dress, seen, stack_height
from tower_sim.drawing.files import FONT, INK, check_path, save
from tower_sim.drawing.paint import paints
from tower_sim.errors import UsageError
from tower_sim.games.turn import Turn

_RIGHT, _GAP, _TOP, _BOTTOM, _INSIDE = 0.15, 0.14, 0.42, 0.48, 1.6  # inches


def draw_run(turns: Sequence[Turn], colours: Sequence[str], path: str | Path, *, title: str) -> None:
    """Draw the turns of a run into the file `path`. Counts are cubes."""
    check_path(path)
    save(figure(turns, colours, title), path)


def figure(turns: Sequence[Turn], colours: Sequence[str], title: str) -> Figure:
    """Return the matplotlib figure of a run. Raises UsageError if no turn was completed."""
    turns = [turn for turn in turns if turn.failed is None]
    if not turns:
        raise UsageError("the number of turns is 0; allowed is 1 or more; play the game first")
    paint = {of.name: of for of in paints(colours)}
    inside_by, out_by = (
        {colour: [counts.get(colour, 0) for counts in by_turn] for colour in colours}
        for by_turn in ([turn.inside for turn in turns], [turn.out for turn in turns])
    )
    shown = seen(colours, inside_by, out_by)
    stacks = {colour: inside_by[colour] for colour in shown}
    left = beside(shown)
    width = min(WIDEST, max(6.0, left + _RIGHT + COLUMN * len(turns)))
    rows, tall = ROW * (len(shown) + 0.6), stack_height(stacks, _INSIDE)
    height = _BOTTOM + rows + _GAP + tall + _TOP
    drawn: Any = Figure(figsize=(width, height))
    across = 1 - (left + _RIGHT) / width
    out = drawn.add_axes((left / width, _BOTTOM / height, across, rows / height))
    inside = drawn.add_axes((left / width, (_BOTTOM + rows + _GAP) / height, across, tall / height))
    draw_stacks(inside, stacks, paint)
    draw_rows(out, {colour: out_by[colour] for colour in shown}, paint, (width - left - _RIGHT) * 72 / len(turns))
    out.set_ylim(len(shown) - 0.35, -0.65)
    nothing = [i for i, turn in enumerate(turns) if not any(turn.out.values())]
    for panel in (inside, out):
        dress(panel, [turn.index for turn in turns], [], nothing)
        panel.tick_params(labelbottom=panel is out, labelsize=FONT)
        panel.yaxis.set_label_coords((0.36 - left) / (width - left - _RIGHT), 0.5)
    hatched = f"; hatched: {len(nothing)} turns in which no cube came out" if nothing else ""
    hidden = len(colours) - len(shown)
    unseen = f"; {hidden} of {len(colours)} colours never appear" if hidden else ""
    out.set_xlabel(f"turn (0 is the first){hatched}{unseen}", fontsize=FONT)
    size = min(10.0, (width - 0.3) * 72 / max(len(title), 1) / 0.68)
    drawn.text(0.12 / width, 1 - 0.1 / height, title, size=size, weight="bold", va="top", color=INK)
    return drawn
