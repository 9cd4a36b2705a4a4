"""The picture of cubes out by cubes thrown and cubes inside: the mean, and where it is above or below the rule's."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.patches import Rectangle

from tower_sim.campaign.data import Array
from tower_sim.study.plots import FONT, INK, RULE_NAME, label, legend, of_counts, panels, whole
from tower_sim.study.retention import FEWEST, Map

ROOMY = (9, 14)  # cells across and up, up to which there is room for a number in each
FEW = f"fewer than {FEWEST} drops"
BEYOND = "95 % interval without 0"


def heat_map(binned: Map) -> Any:
    """Draw mean cubes out, and the difference from the 2/3-1/3 rule, by cubes thrown and cubes inside.

    The difference has a diverging scale with 0 in its middle: red is more than the rule, blue less.
    """
    figure, (left, right) = panels(1, 2, 3.7)
    few = binned.drops < FEWEST
    mean, excess = (np.ma.masked_array(x.value, few | ~np.isfinite(x.value)) for x in (binned.mean, binned.excess))
    most, farthest = (float(np.ma.max(np.abs(x))) if x.count() else 1.0 for x in (mean, excess))
    _cells(figure, left, binned, mean, {"cmap": "Greys", "vmin": 0, "vmax": most}, "mean out [cubes]")
    diverging = {"cmap": "RdBu_r", "vmin": -farthest, "vmax": farthest}
    _cells(figure, right, binned, excess, diverging, f"mean out minus {RULE_NAME}'s [cubes]")
    _edge(right, binned, ~few & ((binned.excess.low > 0) | (binned.excess.high < 0)))
    for panel, title in ((left, f"n = {binned.drops.sum()} drops"), (right, "the same drops")):
        label(panel, "thrown [cubes]", "inside before [cubes]", title)
        if panel.get_legend_handles_labels()[0]:
            legend(panel)
    return figure


def _cells(figure: Any, panel: Any, binned: Map, drawn: Any, scale: dict[str, Any], name: str) -> None:
    """Paint the cells of one panel, hatch those with too few drops, and add the labelled colour bar."""
    panel.grid(visible=False)
    x, y = binned.thrown_edges - 0.5, binned.inside_edges - 0.5
    mesh = panel.pcolormesh(x, y, drawn.T, **scale)
    bar = figure.colorbar(mesh, ax=panel, location="bottom", pad=0.02, aspect=28, ticks=of_counts())
    bar.ax.tick_params(labelsize=FONT - 1)
    bar.set_label(name, fontsize=FONT)
    style: dict[str, Any] = {"facecolor": "none", "edgecolor": "0.6", "hatch": "//////", "linewidth": 0}
    for n, (i, j) in enumerate(np.argwhere((binned.drops > 0) & np.ma.getmaskarray(drawn))):
        low, high = (float(x[i]), float(y[j])), (float(x[i + 1]), float(y[j + 1]))
        panel.add_patch(Rectangle(low, high[0] - low[0], high[1] - low[1], label=None if n else FEW, **style))
    _numbers(panel, binned, drawn, mesh, signs=scale["vmin"] < 0)
    whole(panel.xaxis)
    whole(panel.yaxis)


def _numbers(panel: Any, binned: Map, drawn: Any, mesh: Any, signs: bool) -> None:
    """Write the values into the cells when there is room for them."""
    if drawn.shape[0] > ROOMY[0] or drawn.shape[1] > ROOMY[1]:
        return
    x = (binned.thrown_edges[:-1] + binned.thrown_edges[1:] - 1) / 2
    y = (binned.inside_edges[:-1] + binned.inside_edges[1:] - 1) / 2
    for i, j in np.argwhere(~np.ma.getmaskarray(drawn)):
        red, green, blue, _ = mesh.cmap(mesh.norm(drawn[i, j]))
        ink = INK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"
        words = f"{drawn[i, j]:{'+' if signs else ''}.1f}"
        panel.text(x[i], y[j], words, ha="center", va="center", fontsize=FONT - 3, color=ink)


def _edge(panel: Any, binned: Map, there: Array) -> None:
    """Draw the edge of the cells where `there` is true."""
    x, y = binned.thrown_edges - 0.5, binned.inside_edges - 0.5
    padded = np.pad(there, 1)
    name: str | None = BEYOND
    for i, j in np.argwhere(there):
        sides = (
            (padded[i, j + 1], (x[i], x[i]), (y[j], y[j + 1])),
            (padded[i + 2, j + 1], (x[i + 1], x[i + 1]), (y[j], y[j + 1])),
            (padded[i + 1, j], (x[i], x[i + 1]), (y[j], y[j])),
            (padded[i + 1, j + 2], (x[i], x[i + 1]), (y[j + 1], y[j + 1])),
        )
        for neighbour, across, up in sides:
            if not neighbour:
                panel.plot(across, up, color=INK, lw=1.0, solid_capstyle="projecting", label=name)
                name = None
