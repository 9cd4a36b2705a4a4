"""The axes of a panel that has a column for each drop of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.ticker import MaxNLocator

from tower_sim.drawing.files import GREY

_STEPS = [a * 10**b for b in range(9) for a in (1, 2, 5)]  # between the drops that are numbered


def dress(panel: Any, numbers: Sequence[int], starts: Sequence[int], empty: Sequence[int]) -> None:
    """Give a panel its axes: `numbers` of the drops, a line before the columns `starts`, hatching on those `empty`.

    A panel whose second axis counts cubes upwards gets a grid of whole numbers.
    """
    panel.set_xlim(-0.7, len(numbers) - 0.3)
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
    panel.set_axisbelow(True)
    step = next(step for step in _STEPS if step * 20 >= len(numbers))
    ticks = range(0, len(numbers), step)
    panel.set_xticks(ticks, [str(numbers[i]) for i in ticks])
    if not panel.yaxis_inverted():
        panel.yaxis.set_major_locator(MaxNLocator(5, integer=True))
        panel.grid(axis="y", color="0.9", lw=0.6)
    for i in starts:
        panel.axvline(i - 0.5, color=GREY, lw=0.8, ls=(0, (4, 2)), zorder=2)
    for i in empty:
        panel.axvspan(i - 0.5, i + 0.5, facecolor="0.94", edgecolor="0.78", hatch="////", lw=0, zorder=0)
