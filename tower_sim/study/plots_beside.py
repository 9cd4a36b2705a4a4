"""The picture of a campaign's figures beside those of the 2/3-1/3 rule: their ratios, and the values themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tower_sim.statistics import Estimate
from tower_sim.study.plots import FONT, INK, RULE, RULE_NAME, SIM, label, legend, panels
from tower_sim.study.sheets import digits

FARTHEST = 2.0  # from 1, on the axis of ratios to the rule: what lies beyond is told in numbers
COLUMNS = ((42, "here"), (84, "rule"))  # right ends of the columns of values, in points beside the panel

Row = tuple[str, str, Estimate, Estimate]


def has_ratio(rule: Estimate) -> bool:
    """Whether a value can be divided by the rule's: not when its interval is as wide as the value, or holds 0."""
    if not rule.value:
        return False
    return not (rule.low <= 0 <= rule.high) and not rule.high - rule.low >= abs(rule.value)


def beside(rows: Sequence[Row], names: tuple[str, str]) -> Any:
    """Draw the ratio of each figure to the rule's, with both intervals in units of the rule's value, and both values.

    A figure whose value under the rule may be 0 has no ratio: see `has_ratio`.
    """
    kept = [row for row in rows if np.isfinite(row[2].value) and np.isfinite(row[3].value)]
    figure, (panel,) = panels(1, 1, 1.1 + 0.2 * len(kept))
    panel.grid(axis="x", color="0.9", lw=0.6)
    named: set[str] = set()
    for y, (_, _, mine, rule) in enumerate(kept):
        for (x, _), figure_of in zip(COLUMNS, (mine, rule), strict=True):
            _beside(panel, x, y, _said(figure_of))
        if not has_ratio(rule):
            continue
        for figure_of, name, style, shift in ((mine, names[0], SIM, -0.14), (rule, names[1], RULE, 0.14)):
            ratio = _over(figure_of, rule.value)
            if abs(ratio.value - 1) > FARTHEST:
                _far(panel, ratio.value, y + shift)
                continue
            reach = np.abs([[ratio.value - ratio.low], [ratio.high - ratio.value]])
            style = style | {"ls": "none", "label": None if name in named else name}
            panel.errorbar([ratio.value], [y + shift], xerr=reach, capsize=2, elinewidth=0.8, **style)
            named.add(name)
    for x, name in COLUMNS:
        _beside(panel, x, -1, name)
    panel.axvline(1, color=INK, lw=0.6)
    low, high = panel.get_xlim()
    panel.set_xlim(max(low, 0.9 - FARTHEST), min(high, 1.1 + FARTHEST))
    panel.set_yticks(np.arange(len(kept)), [name if unit == "1" else f"{name} [{unit}]" for name, unit, *_ in kept])
    panel.set_ylim(len(kept) - 0.4, -0.6)
    label(panel, f"figure / the {RULE_NAME}'s; no ratio where that is near 0", "")
    if named:
        legend(panel, columns=2)
    return figure


def _beside(panel: Any, x: float, y: float, words: str) -> None:
    """Write a value to the right of its row, ending `x` points from the panel."""
    style = {"ha": "right", "va": "center", "fontsize": FONT - 1, "color": INK}
    where = {"xycoords": panel.get_yaxis_transform(), "textcoords": "offset points"}
    panel.annotate(words.replace("-", "−"), (1, y), (x, 0), **where, **style)


def _over(estimate: Estimate, unit: float) -> Estimate:
    return Estimate(estimate.value / unit, estimate.low / unit, estimate.high / unit, estimate.n)


def _said(estimate: Estimate) -> str:
    """Say a value to two digits of its interval's half width."""
    half = (estimate.high - estimate.low) / 2
    return f"{estimate.value:.{digits(half, estimate.value)}f}" if np.isfinite(half) else f"{estimate.value:.3g}"


def _far(panel: Any, value: float, y: float) -> None:
    """Mark a ratio that lies beyond the axis, with its value."""
    right = value > 1
    edge = 1 + FARTHEST * (1 if right else -1)
    panel.plot([edge], [y], marker=">" if right else "<", color=INK, ms=4)
    panel.annotate(
        f"{value:.2g}", (edge, y), (-7 if right else 7, 0), textcoords="offset points",
        ha="right" if right else "left", va="center", fontsize=FONT - 1.5,
    )  # fmt: skip
