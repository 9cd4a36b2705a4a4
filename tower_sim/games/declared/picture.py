"""The picture of a run of a declared game: what lies inside, what came out of each throw, and what was read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from tower_sim.drawing.by_drop import (
    COLUMN,
    ROW,
    WIDEST,
    beside,
    draw_rows,
    draw_stacks,
    dress,
    seen,
    stack_height,
)
from tower_sim.drawing.files import FONT, INK, check_path, save
from tower_sim.drawing.paint import paints
from tower_sim.errors import UsageError
from tower_sim.games.declared.compared import main_reading, values_of
from tower_sim.games.declared.play import Throw
from tower_sim.games.declared.rules import DeclaredRules
from tower_sim.games.game import Turn

_RIGHT = 0.15  # inches beside the panels
_GAP = 0.14  # inches between them
_TOP = 0.42  # inches above them
_BOTTOM = 0.48
_INSIDE = 1.6  # inches


def draw_run(turns: Sequence[Turn], rules: DeclaredRules, path: str | Path, *, title: str) -> None:
    """Draw the throws of a run, in order, into the file `path`; counts are cubes.

    Raises UsageError for a path that cannot be written, or no throws.
    """
    check_path(path)
    save(run_figure(turns, rules, title), path)


def run_figure(turns: Sequence[Turn], rules: DeclaredRules, title: str) -> Figure:
    """Return the figure that `draw_run` writes."""
    throws: list[Throw] = [turn.entry for turn in turns if turn.failed is None]
    if not throws:
        raise UsageError("throws of the game are 0; allowed is 1 or more; play the game first")
    every = rules.declaration.colours
    paint = {of.name: of for of in paints(every, rules.declaration.paints)}
    inside_by, out_by = (
        {colour: [sum(cube.colour == colour for cube in cubes) for cubes in by_throw] for colour in every}
        for by_throw in ([throw.table.tower.cubes for throw in throws], [throw.out for throw in throws])
    )
    colours = seen(every, inside_by, out_by)
    stacks = {colour: inside_by[colour] for colour in colours}
    left = beside(colours)
    width = min(WIDEST, max(6.0, left + _RIGHT + COLUMN * len(throws)))
    rows, tall = ROW * (len(colours) + 0.6), stack_height(stacks, _INSIDE)
    height = _BOTTOM + rows + _GAP + tall + _TOP
    figure: Any = Figure(figsize=(width, height))
    across = 1 - (left + _RIGHT) / width
    out = figure.add_axes((left / width, _BOTTOM / height, across, rows / height))
    inside = figure.add_axes((left / width, (_BOTTOM + rows + _GAP) / height, across, tall / height))
    draw_stacks(inside, stacks, paint)
    column = (width - left - _RIGHT) * 72 / len(throws)
    side = draw_rows(out, {colour: out_by[colour] for colour in colours}, paint, column)
    said = _draw_read(out, throws, rules, colours, side)
    if left_out := len(every) - len(colours):
        said += f"; not shown: {left_out} of {len(every)} kinds of cubes, which never appear"
    for panel in (inside, out):
        _dress(panel, throws)
        panel.tick_params(labelbottom=panel is out, labelsize=FONT)
        panel.yaxis.set_label_coords((0.36 - left) / (width - left - _RIGHT), 0.5)
    out.set_xlabel(f"throw (0 is the first){said}", fontsize=FONT)
    size = min(10.0, (width - 0.3) * 72 / max(len(title), 1) / 0.68)
    figure.text(0.12 / width, 1 - 0.1 / height, title, size=size, weight="bold", va="top", color=INK)
    return figure


def _draw_read(panel: Any, throws: Sequence[Throw], rules: DeclaredRules, colours: Sequence[str], side: float) -> str:
    """Draw a ring around the square, `side` pt wide, of the colour that was read in each throw.

    Returns what is to be said of the rings.
    """
    name = main_reading(rules.declaration)
    ring = {"s": (1.2 * side) ** 2, "marker": "o", "facecolor": "none", "edgecolor": INK, "linewidth": 1.3}
    for row, colour in enumerate(colours):
        read = [i for i, throw in enumerate(throws) if name in throw.read and throw.read[name].value == colour]
        panel.scatter(read, [row] * len(read), zorder=5, **ring)
    panel.set_ylim(len(colours) - 0.35, -0.65)
    skipped = sum(not throw.out for throw in throws)
    hatched = f"; hatched: {skipped} with nothing out" if skipped else ""
    rings = bool(name) and set(values_of(rules.declaration, name)) <= set(rules.declaration.colours)
    return (f"; ringed: {name.replace('_', ' ')}" if rings else "") + hatched


def _dress(panel: Any, throws: Sequence[Throw]) -> None:
    """Mark rounds of several throws, and throws with nothing out, and give the panel its axes."""
    starts = [i for i in range(1, len(throws)) if throws[i].round != throws[i - 1].round]
    rounds = starts if len(starts) * 2 < len(throws) else []
    dress(panel, [throw.index for throw in throws], rounds, [i for i, throw in enumerate(throws) if not throw.out])
