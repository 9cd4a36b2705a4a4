"""The pictures of the check of a tower's surrogate: black circles are physics, grey squares the surrogate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tower_sim.fitting.distances import Distance
from tower_sim.fitting.pit import Histogram, Reliability
from tower_sim.fitting.whole_games import QUANTILES, Autocorrelation, WholeGames
from tower_sim.study.plots import BAR, FONT, INK, RULE, SIM, bars, counted, label, legend, panels, whiskers, whole
from tower_sim.surrogate.store import RungScore

SURROGATE = RULE  # as the rule is drawn in a study
NORMAL = 1.959964  # standard errors, of a 95 % interval
_FARTHEST = 3.0  # times its quantile, on the axis of distances: what lies beyond is told in numbers


def calibration(counts: Histogram, means: Reliability) -> Any:
    """Draw the PIT histogram with its intervals, and how far predicted means are from observed ones."""
    figure, (left, right) = panels(1, 2, 2.7)
    bins = len(counts.heights.value)
    middle = (np.arange(bins) + 0.5) / bins
    bars(left, middle, counts.heights, 1 / bins)
    left.axhline(1, color=INK, lw=0.8, ls="--", label="a law that is right")
    left.set_ylim(0, 1.05 * float(np.nanmax(np.fmax(counts.heights.high, counts.heights.value))))
    label(left, "PIT of the number out", "density", f"n = {counts.drops} drops of {counts.games} games")
    legend(left)
    whiskers(right, means.predicted, means.difference, {"color": INK, "marker": "o", "ms": 3.5, "ls": "none"})
    right.axhline(0, color=INK, lw=0.6)
    counted(right.xaxis)
    label(right, "predicted mean out [cubes]", "predicted minus observed [cubes]", f"n = {means.drops.sum()} drops")
    return figure


def ladder(scores: Sequence[RungScore], drops: int, games: int) -> Any:
    """Draw what each rung's log score gains over the first, with intervals by game."""
    figure, (panel,) = panels(1, 1, 0.9 + 0.25 * len(scores))
    panel.grid(axis="x", color="0.9", lw=0.6)
    y = np.arange(len(scores))
    gain = np.array([rung.gain for rung in scores])
    reach = NORMAL * np.array([rung.gain_se for rung in scores])
    panel.barh(y, gain, 0.6, **BAR)
    panel.errorbar(gain, y, xerr=reach, color=INK, ls="none", capsize=2, elinewidth=0.8)
    panel.axvline(0, color=INK, lw=0.6)
    panel.set_yticks(y, [rung.title for rung in scores])
    panel.invert_yaxis()
    n = f"n = {drops} drops of {games} held-out games, 95 % intervals by game"
    label(panel, "log score over the first rung [nats a drop]", "", n)
    return figure


def fans(games: WholeGames, setup: str = "set-up") -> Any:
    """Draw the quantiles of the number inside by drop, of both models."""
    figure, (panel,) = panels(1, 1, 3.0)
    physics, surrogate = games.fans
    drop = range(len(physics[0]))
    outer, inner = (f"{100 * (QUANTILES[-1 - i] - QUANTILES[i]):.0f} %" for i in (0, 1))
    name = f"physics, n = {games.physics} games"
    panel.fill_between(drop, physics[0], physics[-1], color="0.9", lw=0, label=f"{name}: {outer}")
    panel.fill_between(drop, physics[1], physics[-2], color="0.78", lw=0, label=f"{name}: {inner}")
    panel.plot(drop, physics[2], label=f"{name}: median", **SIM)
    name = f"surrogate, n = {games.surrogate} games"
    for at, line, what in ((0, ":", outer), (1, "--", inner), (-2, "--", ""), (-1, ":", "")):
        panel.plot(drop, surrogate[at], color="0.3", lw=1.0, ls=line, label=f"{name}: {what}" if what else None)
    panel.plot(drop, surrogate[2], label=f"{name}: median", **SURROGATE)
    panel.set_ylim(bottom=0)
    counted(panel.yaxis)
    whole(panel.xaxis)
    label(panel, f"drop (0: {setup})", "inside after the drop [cubes]")
    legend(panel, columns=2)
    return figure


def distances(measured: Sequence[Distance], games: int) -> Any:
    """Draw each distance as a multiple of its corrected quantile, where it would be no accident."""
    figure, (panel,) = panels(1, 1, 1.0 + 0.24 * len(measured))
    panel.grid(axis="x", color="0.9", lw=0.6)
    for i, distance in enumerate(measured):
        ratio = distance.value / distance.quantile if distance.quantile > 0 else 0.0
        fill = INK if distance.is_seen else "white"
        style: dict[str, Any] = {"color": INK, "mfc": fill, "ms": 4.5, "marker": "o" if ratio <= _FARTHEST else ">"}
        shown = min(ratio, _FARTHEST)
        panel.plot([0, shown], [i, i], color="0.6", lw=1)
        panel.plot([shown], [i], **style)
        words = {"textcoords": "offset points", "va": "center", "fontsize": FONT - 1}
        panel.annotate(
            f"{ratio:.2g}, p = {distance.adjusted:.2g}", (1, i), (6, 0), xycoords=panel.get_yaxis_transform(), **words
        )
    panel.axvline(1, color=INK, lw=1, ls="--", label="what chance alone would pass once in twenty reports")
    panel.set_xlim(0, max(1.7, 1.05 * min(_FARTHEST, max(e.value / (e.quantile or 1) for e in measured))))
    panel.set_yticks(np.arange(len(measured)), [distance.name for distance in measured])
    panel.set_ylim(len(measured) - 0.4, -0.7)
    label(panel, "distance / its corrected 95 % permutation quantile", "", f"n = {games} against {games} games")
    legend(panel)
    return figure


def memories(curves: Sequence[Autocorrelation], physics: int, surrogate: int) -> Any:
    """Draw both models' autocorrelations by lag."""
    figure, made = panels(1, len(curves), 2.7)
    for i, (panel, curve) in enumerate(zip(made, curves, strict=True)):
        lags = np.arange(1, len(curve.physics.value) + 1)
        whiskers(panel, lags - 0.08, curve.physics, SIM, f"physics, n = {physics} games")
        whiskers(panel, lags + 0.08, curve.surrogate, SURROGATE, f"surrogate, n = {surrogate} games")
        panel.axhline(0, color=INK, lw=0.6)
        low, high = (np.concatenate([getattr(c, e) for c in (curve.physics, curve.surrogate)]) for e in ("low", "high"))
        bottom, top = min(0.0, float(low.min())), float(high.max())
        panel.set_ylim(bottom - 0.05 * (top - bottom), top + 0.05 * (top - bottom))
        panel.set_xticks(lags)
        label(panel, "lag [drops]", "autocorrelation" if i == 0 else "", curve.name)
        legend(panel)
    return figure
