"""The pictures of the atlas: what matters, main effects with bands, the strongest pairs, cubes at rest in towers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from tower_sim.apparatus import space
from tower_sim.apparatus.parts import Apparatus
from tower_sim.design.atlas import Atlas, AtlasPart
from tower_sim.design.effects import DUMMY, Pair
from tower_sim.drawing.sheet import Sheet
from tower_sim.drawing.sight import Sight
from tower_sim.drawing.surfaces import cube_faces, cuts_of, shades, surface
from tower_sim.state import TowerState
from tower_sim.study.plots import FONT, INK, dressed, label, panels

Array = npt.NDArray[np.float64]

SHOWN = 14  # numbers of a tower in the picture of indices, from the one that matters most
CERTAIN = 1.96  # standard errors on either side of a band
NAMED = {
    "floors": ("with one", "with two"), "cross_bars": ("without", "with them"), "crossed": ("if alike", "if across"),
    "poured": ("at once", "poured"),
}  # fmt: skip
"""The two values of counts in words."""
Tower = tuple[str, Apparatus, TowerState]
"""What is said over a tower, the tower, and the cubes in it."""


def ranked(atlas: Atlas, outputs: Sequence[str]) -> list[str]:
    """Return the names of all numbers, from that whose total index is greatest in the mean over `outputs`."""
    totals = {
        name: float(np.mean([atlas.parts[output].effects.total[name].value for output in outputs]))
        for name in space.NAMES
    }
    return sorted(totals, key=lambda name: -totals[name])


def indices(atlas: Atlas) -> Any:
    """Draw the total indices as a table in greys, a row a number and a column an output; last the dummy's."""
    parts = list(atlas.parts.values())
    names = [*ranked(atlas, list(atlas.parts))[:SHOWN], DUMMY]
    value = np.array([[max(part.effects.total[name].value, 0.0) for part in parts] for name in names])
    figure: Any = Figure(figsize=(6.5, 0.27 * len(names) + 1.1), layout="constrained")
    panel = figure.subplots()
    panel.imshow(value, cmap="Greys", vmin=0, vmax=max(0.8, float(value.max())), aspect="auto")
    for i, j in np.ndindex(*value.shape):
        ink = "white" if value[i, j] > 0.45 else INK
        panel.text(j, i, f"{100 * value[i, j]:.0f}", ha="center", va="center", fontsize=FONT - 0.5, color=ink)
    panel.set_xticks(range(len(parts)), [part.output.title.replace(" ", "\n", 1) for part in parts], fontsize=FONT - 1)
    panel.set_yticks(range(len(names)), [said(name) for name in names], fontsize=FONT - 0.5)
    panel.xaxis.tick_top()
    panel.tick_params(length=0)
    for side in panel.spines.values():
        side.set_visible(False)
    panel.set_xlabel("total index [% of the variance between towers]", fontsize=FONT)
    return figure


def said(name: str) -> str:
    """Return a number's name in words: `lower_opening` is "lower opening"."""
    return name.removesuffix("_mm").removesuffix("_deg").replace("_", " ")


def main_effects(parts: Sequence[AtlasPart], names: Sequence[str]) -> Any:
    """Draw each output (a row) along each number (a column), all else averaged; bands: 95 %."""
    figure, made = panels(len(parts), len(names), 1.35 * len(parts) + 0.3)
    for i, part in enumerate(parts):
        row = made[i * len(names) : (i + 1) * len(names)]
        curves = [part.effects.main[name] for name in names]
        low = min(float((curve.mean - CERTAIN * curve.error).min()) for curve in curves)
        high = max(float((curve.mean + CERTAIN * curve.error).max()) for curve in curves)
        for panel, curve in zip(row, curves, strict=True):
            parameter = space.BY_NAME[curve.name]
            if parameter.is_count:
                panel.errorbar(curve.at, curve.mean, CERTAIN * curve.error, color=INK, marker="o", ms=3.5, ls="none",
                               capsize=2)  # fmt: skip
                panel.set_xticks(curve.at, NAMED[curve.name])
                panel.set_xlim(curve.at[0] - 0.5, curve.at[-1] + 0.5)
            else:
                panel.fill_between(curve.at, curve.mean - CERTAIN * curve.error, curve.mean + CERTAIN * curve.error,
                                   color="0.8", lw=0)  # fmt: skip
                panel.plot(curve.at, curve.mean, color=INK, lw=1.1)
            panel.set_ylim(low - 0.05 * (high - low), high + 0.05 * (high - low))
            if panel is not row[0]:
                panel.tick_params(labelleft=False)
            panel.tick_params(labelsize=FONT - 1.5)
            unit = f" [{parameter.unit}]" if parameter.unit else ""
            x = said(curve.name) + unit if i == len(parts) - 1 else ""
            y = f"{part.output.title}\n[{part.output.analysed}]" if panel is row[0] else ""
            label(panel, x.replace(" [", "\n["), y)
            panel.xaxis.label.set_fontsize(FONT - 0.5)
            panel.yaxis.label.set_fontsize(FONT - 0.5)
    return figure


def pairs(chosen: Sequence[tuple[AtlasPart, Pair]]) -> Any:
    """Draw outputs over two numbers together, all else averaged, one panel each."""
    figure: Any = Figure(figsize=(6.5, 2.9), layout="constrained")
    made = figure.subplots(1, len(chosen), squeeze=False)[0]
    for panel, (part, pair) in zip(made, chosen, strict=True):
        dressed(panel).grid(visible=False)
        names = [f"{said(name)} [{space.BY_NAME[name].unit}]".replace(" []", "") for name in pair.names]
        drawn = panel.pcolormesh(pair.x, pair.y, pair.mean.T, cmap="Greys", shading="nearest", alpha=0.75)
        for i, j in np.ndindex(*pair.mean.shape):
            dark = (pair.mean[i, j] - pair.mean.min()) / max(float(np.ptp(pair.mean)), 1e-12) > 0.6
            panel.text(pair.x[i], pair.y[j], f"{pair.mean[i, j]:.2g}", ha="center", va="center", fontsize=FONT - 2,
                       color="white" if dark else INK)  # fmt: skip
        for axis, name, at in ((panel.xaxis, pair.names[0], pair.x), (panel.yaxis, pair.names[1], pair.y)):
            if name in NAMED:
                axis.set_ticks(at, NAMED[name])
        bar = figure.colorbar(drawn, ax=panel, shrink=0.9)
        bar.ax.tick_params(labelsize=FONT - 1)
        label(panel, names[0], names[1], f"{part.output.title} [{part.output.analysed}]")
    return figure


def at_rest(rows: Sequence[Sequence[Tower]]) -> Any:
    """Draw towers cut open with the cubes that rest in them, in rows; over each what is said of it."""
    columns = max(len(row) for row in rows)
    tall = 2.45
    figure: Any = Figure(figsize=(6.5, tall * len(rows)))
    for i, row in enumerate(rows):
        for j, (words, apparatus, state) in enumerate(row):
            left, bottom = j / columns, 1 - (i + 1) / len(rows)
            head = 0.36 / (tall * len(rows))
            _tower(figure, (left, bottom, 1 / columns, 1 / len(rows) - head), apparatus, state)
            at = (left + 0.5 / columns, bottom + 1 / len(rows) - 0.04 / len(rows))
            figure.text(*at, words, fontsize=FONT - 0.5, color=INK, ha="center", va="top", linespacing=1.3)
    return figure


def _tower(figure: Any, where: tuple[float, float, float, float], apparatus: Apparatus, state: TowerState) -> None:
    dimensions = apparatus.dimensions()
    faces = [*surface(apparatus.solids, dimensions, cuts_of(dimensions.cuts)), *cube_faces(state.residents)]
    sight = Sight(faces, dimensions.eye)
    (x0, y0), (x1, y1) = sight.low, sight.high
    sheet = Sheet(figure, where, ([(x0, 4)], [(x1, 4)], [(y0, 4)], [(y1, 4)]))
    sheet.paint(sight.faces, sight.view, shades(sight.faces, dimensions), 0.4)
