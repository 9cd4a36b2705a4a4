"""What matters in a design whose points are a sample of the fields' ranges."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tower_sim.study.data import Campaign
from tower_sim.study.points import Varied
from tower_sim.study.sensitivity import (
    FEWEST,
    FEWEST_FOR_DELTA,
    FEWEST_FOR_SMOOTH,
    Indices,
    has_salib,
    indices,
    rank_correlation,
)
from tower_sim.study.sheets import Cell, Sheets, said
from tower_sim.study.sweeps import SweptCurve


def strongest(curve: SweptCurve, fields: Sequence[Varied]) -> str:
    """Name the field that a figure follows most, where its rank correlation is surely not 0."""
    known = np.isfinite(curve.y.value)
    ranks = [
        (rank_correlation(field.numbers[known], curve.y.value[known]), field) for field in fields if field.is_number
    ]
    sure = [(abs(rank.value), rank, field) for rank, field in ranks if rank.low > 0 or rank.high < 0]
    if not sure:
        return ""
    _, rank, field = max(sure, key=lambda one: one[0])
    return f", {'more' if rank.value > 0 else 'less'} with a greater `{field.name}` (rank correlation {said(rank)})"


def sampled_effects(
    sheets: Sheets,
    campaign: Campaign,
    curves: Sequence[SweptCurve],
    fields: Sequence[Varied],
    tell: Callable[[float], None],
) -> None:
    """Tell which fields each figure follows: ranks and, with points enough, delta indices.

    `tell` hears what part is done: the indices of a large design take minutes.
    """
    points = len(fields[0].numbers)
    smooths = f" Lines in the pictures are smooths over {points} points." if points >= FEWEST_FOR_SMOOTH else ""
    sheets.text(
        f"The {points} points are a sample of the fields' ranges. `rank` is Spearman's correlation over points (-1 to "
        f"1; its interval needs {FEWEST} points): how steadily a figure goes up or down with a field, whatever the "
        f"shape; it misses what goes up and down again, and words have none.{smooths}"
    )
    told: list[Indices] = []
    rows: list[list[Cell]] = []
    for done, curve in enumerate(curves, start=1):
        known = np.isfinite(curve.y.value)
        x, y = np.stack([field.numbers[known] for field in fields], 1), curve.y.value[known]
        deltas = indices(x, y, campaign.rng(f"sweep {curve.name}")) if known.any() else None
        if deltas:
            told.append(deltas)
        sure: list[str] = []
        for i, field in enumerate(fields):
            rank = rank_correlation(x[:, i], y) if field.is_number and known.any() else None
            if rank and (rank.low > 0 or rank.high < 0):
                sure.append(f"{'up' if rank.value > 0 else 'down'} with `{field.name}` ({said(rank)})")
            row: list[Cell] = [curve.name, field.name, int(known.sum()), rank]
            if deltas:
                parts = (deltas.delta, deltas.delta_half, deltas.first, deltas.first_half)
                row += [float(part[i]) for part in parts]
            rows.append(row)
        tell(done / len(curves))
        sheets.text(f"**{curve.name}** goes {', '.join(sure) or 'with no field beyond its interval'}.")
    head = ["figure", "field", "points", "rank"]
    if told:
        head += ["delta", "delta +-", "first-order share", "first-order +-"]
        rows = [[*row, *[None] * (len(head) - len(row))] for row in rows]
        dummies = np.array([deltas.dummy for deltas in told])
        sheets.text(
            "`delta` is Borgonovo's index, how far knowing the field moves the whole distribution of the figure; the "
            "first-order share is the part of its variance that the field alone accounts for. With so many points a "
            f"field without any effect reaches about {dummies[:, 0].max():.2f} and {dummies[:, 1].max():.2f} (the "
            "highest of a column of random numbers)."
        )
    elif not has_salib():
        sheets.text("Delta indices are left out: SALib is not installed (pip install SALib adds it).")
    else:
        sheets.text(f"Delta indices are left out: they need {FEWEST_FOR_DELTA} points and a figure that varies.")
    sheets.table("effects", head, rows, shown=60)
