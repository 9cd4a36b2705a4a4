"""The section of a report on what the varied parameters do, and its picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from tower_sim.study.bootstrap import Estimates, Resamples
from tower_sim.study.data import Campaign
from tower_sim.study.plots import FONT, INK, label, panels, whiskers
from tower_sim.study.sheets import Cell, Sheets, said
from tower_sim.study.sweeps import FEWEST_FOR_DELTA, Sweep, has_salib, parameters, quantities, sweep

WIDEST = 3  # parameters in a row of the picture
HIGHEST = 8  # parameters in the picture: those with the largest slopes


def sweeps(sheets: Sheets, campaign: Campaign, boot: Resamples) -> None:
    """Tell how each varied parameter moves the main figures, and which matter."""
    sheets.text("## What the varied parameters do")
    columns = parameters(campaign)
    if not columns:
        sheets.text("The manifest names no parameter that differs between points.")
        return
    names = tuple(columns)
    used = np.unique(campaign.run_point)
    x = np.stack(list(columns.values()), 1)
    found = [sweep(campaign, boot, quantity, x, names) for quantity in quantities(campaign)]
    _points(sheets, found, names, used)
    n = len(used)
    sheets.text(
        f"Slopes are standardised: standard deviations of the figure (over {n} points) for one of the parameter, all "
        f"parameters fitted together by least squares; `rank` is Spearman's correlation. Intervals: {found[0].by}."
    )
    for each in found:
        _tell(sheets, each)
    rows: list[list[Cell]] = []
    for each in found:
        for i, name in enumerate(names):
            row: list[Cell] = [each.quantity.name, name, each.slope.at(i, n), each.raw.at(i, n), each.rank.at(i, n)]
            if any(other.delta is not None for other in found):
                for values in (each.delta, each.delta_half, each.first, each.first_half):
                    row.append(float(values[i]) if values is not None else None)
            rows.append(row)
    head = ["figure", "parameter", "standardised slope", "slope in their units", "rank correlation"]
    if any(each.delta is not None for each in found):
        dummies = np.array([each.dummy for each in found if each.dummy])
        head += ["delta", "delta +-", "first-order share", "first-order +-"]
        sheets.text(
            "`delta` is Borgonovo's index, how far knowing the parameter moves the whole distribution of the figure; "
            "the first-order share is the part of its variance that the parameter alone accounts for. With so many "
            f"points a parameter without any effect reaches about {dummies[:, 0].max():.2f} and "
            f"{dummies[:, 1].max():.2f} (the highest of a column of random numbers)."
        )
    elif not has_salib():
        sheets.text("Delta indices are left out: SALib is not installed (pip install SALib adds it).")
    else:
        sheets.text(f"Delta indices are left out: they need {FEWEST_FOR_DELTA} points and a figure that varies.")
    sheets.table("sweep", head, rows, shown=60)
    for number, each in enumerate(found):
        slug = "".join(c if c.isalnum() else "_" for c in each.quantity.name)
        sheets.picture(f"sweep_{number}_{slug}", draw(each, used), f"{each.quantity.name} against the parameters")


def _points(sheets: Sheets, found: list[Sweep], names: tuple[str, ...], used: Any) -> None:
    rows: list[list[Cell]] = [
        [int(p), *(float(v) for v in found[0].x[p]), *(each.y.at(int(p), 0) for each in found)] for p in used
    ]
    head = ["point", *names, *(f"{each.quantity.name} [{each.quantity.unit}]" for each in found)]
    sheets.table("points", head, rows, shown=12)


def _tell(sheets: Sheets, each: Sweep) -> None:
    slope = each.slope
    sure = [i for i in range(len(each.parameters)) if slope.low[i] > 0 or slope.high[i] < 0]
    sure.sort(key=lambda i: -abs(float(slope.value[i])))
    told = "; ".join(f"`{each.parameters[i]}` by {said(slope.at(i, 0))}" for i in sure[:5])
    rest = len(each.parameters) - len(sure)
    verdict = f"moved by {told}" if sure else "moved by no parameter beyond its interval"
    fit = f"R squared {each.r_squared:.2f}" if np.isfinite(each.r_squared) else "too few points for a fit"
    sheets.text(
        f"**{each.quantity.name}** ({fit}): {verdict}; for {rest} of {len(each.parameters)} no effect is shown."
    )


def draw(each: Sweep, used: Any) -> Any:
    """Draw the figure against every parameter, one panel each; the strongest first when there are many."""
    strength = np.nan_to_num(np.abs(each.slope.value))
    shown = np.argsort(-strength, kind="stable")[:HIGHEST] if len(strength) > HIGHEST else np.arange(len(strength))
    columns = min(WIDEST, len(shown))
    rows = -(-len(shown) // columns)
    figure, made = panels(rows, columns, 0.4 + 2.1 * rows)
    y = Estimates(each.y.value[used], each.y.low[used], each.y.high[used])
    mark = {"color": INK, "marker": "o", "ms": 3, "ls": "none"}
    for i, panel in zip(shown, made, strict=False):
        values = each.x[used, i]
        whiskers(panel, values, y, mark)
        if np.isfinite(each.raw.value[i]):
            ends = np.array([values.min(), values.max()])
            middle = float(np.nanmean(y.value)) + each.raw.value[i] * (ends - values.mean())
            panel.plot(ends, middle, color="0.45", ls="--", lw=1)
        name = each.parameters[i]
        label(panel, name if len(name) < 34 else "..." + name[-31:], "", "")
        panel.xaxis.label.set_size(FONT - 1)
    for panel in made[len(shown) :]:
        panel.set_visible(False)
    what = f"{each.quantity.name} [{each.quantity.unit}]"
    figure.supylabel(what, size=FONT)
    figure.suptitle(f"n = {len(used)} points; dashed: fitted with the others at their means", size=FONT - 0.5)
    return figure
