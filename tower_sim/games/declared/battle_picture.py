"""The picture of the odds of many battles: who wins, and what stays in the tower, beside the rules of thumb."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from tower_sim.drawing.files import FONT, INK, save
from tower_sim.drawing.sheet import width_of

_FILLS = ("0.35", "0.7", "0.95")


def draw_odds(
    columns: Mapping[str, Mapping[str, Any]], who: Mapping[str, str], path: str | Path, *, title: str
) -> None:
    """Draw the summaries `columns`, by what they are of, into the file `path`; `who` names each word for a winner.

    Raises UsageError for a path that cannot be written.
    """
    figure: Any = Figure(figsize=(7.2, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    every = list(next(iter(columns.values()))["inside"])
    inside = [name for name in every if any(summary["inside"][name]["mean"] for summary in columns.values())] or every
    for i, (name, summary) in enumerate(columns.items()):
        wins = [_ends(summary["win"][word], "share") for word in who]
        stays = [_ends(summary["inside"][colour], "mean") for colour in inside]
        for panel, values in ((left, wins), (right, stays)):
            shift = 0.27 * (i - (len(columns) - 1) / 2)
            at = [x + shift for x in range(len(values))]
            heights = [value for value, _, _ in values]
            reach = [[low for _, low, _ in values], [high for _, _, high in values]]
            fill = {"facecolor": _FILLS[i % len(_FILLS)], "edgecolor": INK, "linewidth": 0.6}
            panel.bar(at, heights, 0.25, label=name, **fill)
            panel.errorbar(at, heights, reach, color=INK, ls="none", capsize=2, elinewidth=0.8)
    for panel, names, words in (
        (left, list(who.values()), "share of battles"),
        (right, inside, "in the tower afterwards [cubes]"),
    ):
        panel.set_xticks(range(len(names)), names, rotation=30, ha="right", rotation_mode="anchor")
        panel.set_ylabel(words, fontsize=FONT)
        panel.tick_params(labelsize=FONT)
        panel.set_ylim(bottom=0)
        for side in ("top", "right"):
            panel.spines[side].set_visible(False)
    handles, said = left.get_legend_handles_labels()
    figure.legend(handles, said, loc="outside lower center", ncols=len(columns), fontsize=FONT, frameon=False)
    size = min(FONT, FONT * 7.0 * 72 / max(1.0, width_of(title)))
    figure.suptitle(title, fontsize=size, color=INK)
    save(figure, path)


def _ends(value: Mapping[str, Any], key: str) -> tuple[float, float, float]:
    """Return a value and how far its interval reaches below and above it."""
    middle = value[key]
    low, high = value["interval"] or (middle, middle)
    return middle, max(middle - low, 0), max(high - middle, 0)
