"""The picture of a run of a declared game: what lies inside, what came out of each throw, and what was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from tower_sim.drawing.by_drop import dress
from tower_sim.drawing.files import FONT, INK, check_path, cube_colours, ink_on, save
from tower_sim.errors import UsageError
from tower_sim.games.declared.compared import main_reading, values_of
from tower_sim.games.declared.play import Throw
from tower_sim.games.declared.rules import DeclaredRules
from tower_sim.games.game import Turn

_ROW = 0.2  # inches for each colour
_COLUMN = 0.218  # inches for each throw, less when the figure would become wider than
_WIDEST = 24.0
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
    colours = rules.declaration.colours
    left = 0.72 + 0.075 * max(5, *map(len, colours))
    width = min(_WIDEST, max(6.0, left + _RIGHT + _COLUMN * len(throws)))
    rows = _ROW * (len(colours) + 0.6)
    height = _BOTTOM + rows + _GAP + _INSIDE + _TOP
    figure: Any = Figure(figsize=(width, height))
    across = 1 - (left + _RIGHT) / width
    out = figure.add_axes((left / width, _BOTTOM / height, across, rows / height))
    inside = figure.add_axes((left / width, (_BOTTOM + rows + _GAP) / height, across, _INSIDE / height))
    paint: Mapping[str, str] = cube_colours(colours)
    _draw_inside(inside, throws, colours, paint)
    said = _draw_out(out, throws, rules, paint, (width - left - _RIGHT) * 72 / len(throws))
    for panel in (inside, out):
        _dress(panel, throws)
        panel.tick_params(labelbottom=panel is out, labelsize=FONT)
        panel.yaxis.set_label_coords((0.46 - left) / (width - left - _RIGHT), 0.5)
    out.set_xlabel(f"throw (0 is the first){said}", fontsize=FONT)
    size = min(10.0, (width - 0.3) * 72 / max(len(title), 1) / 0.68)
    figure.text(0.12 / width, 1 - 0.1 / height, title, size=size, weight="bold", va="top", color=INK)
    return figure


def _draw_inside(panel: Any, throws: Sequence[Throw], colours: Sequence[str], paint: Mapping[str, str]) -> None:
    """Stack the cubes inside after each throw, the first colour on top, as in the rows below."""
    base = [0] * len(throws)
    for colour in reversed(colours):
        counts = [sum(cube.colour == colour for cube in throw.table.tower.cubes) for throw in throws]
        panel.bar(range(len(throws)), counts, 0.84, base, color=paint[colour], edgecolor=INK, linewidth=0.5, zorder=3)
        base = [a + b for a, b in zip(base, counts, strict=True)]
    panel.set_ylim(0, 1.08 * max(1, *base))
    panel.set_ylabel("inside\n[cubes]", fontsize=FONT)


def _draw_out(
    panel: Any, throws: Sequence[Throw], rules: DeclaredRules, paint: Mapping[str, str], column: float
) -> str:
    """Draw a square with the number of cubes out for each colour and throw; a ring is around the colour that was read.

    Returns what is to be said of the rings.
    """
    colours = rules.declaration.colours
    name = main_reading(rules.declaration)
    side = min(0.8 * column, 0.8 * _ROW * 72)
    for row, colour in enumerate(colours):
        panel.axhline(row, color="0.9", lw=0.6, zorder=1)
        counts = {i: sum(cube.colour == colour for cube in throw.out) for i, throw in enumerate(throws)}
        there = [i for i, count in counts.items() if count]
        style = {"s": side**2, "marker": "s", "color": paint[colour], "edgecolor": INK, "linewidth": 0.6, "zorder": 3}
        panel.scatter(there, [row] * len(there), **style)
        for i in there if side > 7 else ():
            words = {"color": ink_on(paint[colour]), "fontsize": min(FONT, 0.72 * side), "zorder": 4}
            panel.text(i, row, str(counts[i]), ha="center", va="center_baseline", **words)
        read = [i for i, throw in enumerate(throws) if name in throw.read and throw.read[name].value == colour]
        ring = {"s": (1.2 * side) ** 2, "marker": "o", "facecolor": "none", "edgecolor": INK, "linewidth": 1.3}
        panel.scatter(read, [row] * len(read), zorder=5, **ring)
    panel.set_ylim(len(colours) - 0.35, -0.65)
    panel.set_yticks(range(len(colours)), colours)
    panel.set_ylabel("came out\n[cubes]", fontsize=FONT)
    skipped = sum(not throw.out for throw in throws)
    hatched = f"; hatched: {skipped} with nothing out" if skipped else ""
    rings = bool(name) and set(values_of(rules.declaration, name)) <= set(colours)
    return (f"; ringed: {name}" if rings else "") + hatched


def _dress(panel: Any, throws: Sequence[Throw]) -> None:
    """Mark rounds of several throws, and throws with nothing out, and give the panel its axes."""
    starts = [i for i in range(1, len(throws)) if throws[i].round != throws[i - 1].round]
    rounds = starts if len(starts) * 2 < len(throws) else []
    dress(panel, [throw.index for throw in throws], rounds, [i for i, throw in enumerate(throws) if not throw.out])
