"""A picture of one run of any game: the cubes inside after each turn, and those that each turn brought out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from tower_sim.drawing import (
    COLUMN,
    FONT,
    INK,
    ROW,
    WIDEST,
    Paint,
    check_path,
    draw_rows,
    draw_stacks,
    dress,
    find_colours,
    measure_margin,
    paints,
    save,
    stack_height,
)
from tower_sim.errors import UsageError
from tower_sim.games.tower import Turn
from tower_sim.tools import count_noun

_RIGHT, _BOTTOM = 0.15, 0.48  # inches
GAP = 0.14  # inches between panels


@dataclass(frozen=True, eq=False)
class RunSheet:
    """The picture of a run: `panels` from the bottom, first the cubes out, last those inside.

    `colours` are those that appear. A turn is `column` pt wide, and a square of the first panel `side` pt.
    """

    figure: Any
    panels: tuple[Any, ...]
    colours: Sequence[str]
    paint: Mapping[str, Paint]
    column: float
    side: float

    def dress(self, numbers: Sequence[int], starts: Sequence[int], empty: Sequence[int], label: str) -> None:
        """Draw the axes of all panels; see `drawing.by_drop.dress`."""
        for panel in self.panels:
            dress(panel, numbers, starts, empty)
            panel.tick_params(labelbottom=panel is self.panels[0], labelsize=FONT)
        self.panels[0].set_xlabel(label, fontsize=FONT)


def lay_out(
    counts: Mapping[str, tuple[Sequence[int], Sequence[int]]],
    title: str,
    *,
    narrowest: float,
    more_rows: float,
    tallest: float,
    top: float,
    middle: tuple[tuple[float, float], ...] = (),
    names: Sequence[str] = (),
) -> RunSheet:
    """Return the sheet of a run whose `counts` are the cubes inside and out by turn, for each colour.

    Lengths are inches. `middle` has the height of each further panel and the gap above it. `names` are further labels
    of rows.
    """
    paint = {of.name: of for of in paints(list(counts))}
    inside_by, out_by = ({colour: pair[i] for colour, pair in counts.items()} for i in range(2))
    colours = find_colours(list(counts), inside_by, out_by)
    stacks, rows = ({colour: by_turn[colour] for colour in colours} for by_turn in (inside_by, out_by))
    turns = len(next(iter(inside_by.values())))
    left = measure_margin([*colours, *names])
    width = min(WIDEST, max(narrowest, left + _RIGHT + COLUMN * turns))
    across = width - left - _RIGHT
    heights = ((ROW * (len(colours) + more_rows), GAP), *middle, (stack_height(stacks, tallest), top))
    height, bottom = sum(chain((_BOTTOM,), *heights)), _BOTTOM
    figure: Any = Figure(figsize=(width, height))
    panels: list[Any] = []
    for tall, gap in heights:
        panels.append(figure.add_axes((left / width, bottom / height, 1 - (left + _RIGHT) / width, tall / height)))
        panels[-1].yaxis.set_label_coords((0.36 - left) / across, 0.5)
        bottom += tall + gap
    draw_stacks(panels[-1], stacks, paint)
    column = across * 72 / turns
    side = draw_rows(panels[0], rows, paint, column)
    size = min(10.0, (width - 0.3) * 72 / max(len(title), 1) / 0.68)
    figure.text(0.12 / width, 1 - 0.1 / height, title, size=size, weight="bold", va="top", color=INK)
    return RunSheet(figure, tuple(panels), colours, paint, column, side)


def draw_run(turns: Sequence[Turn], colours: Sequence[str], path: str | Path, *, title: str) -> None:
    """Draw the turns of a run into the file `path`."""
    check_path(path)
    save(figure(turns, colours, title), path)


def figure(turns: Sequence[Turn], colours: Sequence[str], title: str) -> Figure:
    """Return the matplotlib figure of a run. Raises UsageError without a completed turn."""
    turns = [turn for turn in turns if turn.failed is None]
    if not turns:
        raise UsageError("the number of turns is 0; allowed is 1 or more; play the game first")
    counts = [(turn.inside, turn.out) for turn in turns]
    by_colour = {
        colour: ([now.get(colour, 0) for now, _ in counts], [out.get(colour, 0) for _, out in counts])
        for colour in colours
    }
    sheet = lay_out(by_colour, title, narrowest=6.0, more_rows=0.6, tallest=1.6, top=0.42)
    sheet.panels[0].set_ylim(len(sheet.colours) - 0.35, -0.65)
    nothing = [i for i, turn in enumerate(turns) if not any(turn.out.values())]
    label = "turn (0 is the first)"
    label += f"; hatched: {count_noun(len(nothing), 'turn')} in which no cube came out" if nothing else ""
    hidden = len(colours) - len(sheet.colours)
    label += (
        f"; {hidden} of {count_noun(len(colours), 'colour')} never {'appears' if hidden == 1 else 'appear'}"
        if hidden
        else ""
    )
    sheet.dress([turn.index for turn in turns], [], nothing, label)
    return sheet.figure
