"""What matters in a design whose points are a sample of the fields' ranges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tower_sim.campaign.data import Campaign
from tower_sim.statistics import Estimate, holm
from tower_sim.study.effects import LEVEL
from tower_sim.study.points import Varied
from tower_sim.study.sensitivity import (
    FEWEST,
    FEWEST_FOR_DELTA,
    FEWEST_FOR_SHARES,
    FEWEST_FOR_SMOOTH,
    Indices,
    Shares,
    has_salib,
    indices,
    rank_correlation,
    rank_p,
    shares,
)
from tower_sim.study.sheets import Cell, Sheets, said
from tower_sim.study.sobol import Index
from tower_sim.study.sweeps import SweptCurve

LEAST_REACH = 0.005  # of a share, to either side: no finer is told


def followed(curves: Sequence[SweptCurve], fields: Sequence[Varied]) -> dict[tuple[str, str], float]:
    """Return how surely each figure follows each field: p values of ranks after Holm, by the names of both.

    Fields of words have none, nor have figures with fewer points than an interval needs.
    """
    found = {
        (curve.name, field.name): p
        for curve in curves
        for field in fields
        if field.is_number and np.isfinite(p := rank_p(_rank(curve, field)))
    }
    return dict(zip(found, holm(list(found.values())).tolist(), strict=True))


def _rank(curve: SweptCurve, field: Varied) -> Estimate:
    known = np.isfinite(curve.y.value)
    return rank_correlation(field.numbers[known], curve.y.value[known])


def strongest(curve: SweptCurve, fields: Sequence[Varied], movers: Sequence[str]) -> str:
    """Name the field that a figure follows most, of those that it surely follows."""
    ranks = [(_rank(curve, field), field) for field in fields if field.name in movers]
    rank, field = max(ranks, key=lambda one: abs(one[0].value))
    return f", {'more' if rank.value > 0 else 'less'} with a greater `{field.name}` (rank correlation {said(rank)})"


def sampled_effects(
    sheets: Sheets,
    campaign: Campaign,
    curves: Sequence[SweptCurve],
    fields: Sequence[Varied],
    followed_by: Mapping[tuple[str, str], float],
    tell: Callable[[float], None],
) -> None:
    """Tell which fields each figure follows: ranks and, with points enough, delta and Sobol indices.

    `followed_by` are p values as of `followed`. `tell` hears what part is done: indices of a large design take minutes.
    """
    points = len(fields[0].numbers)
    smooths = f" Lines in the pictures are smooths over {points} points." if points >= FEWEST_FOR_SMOOTH else ""
    sheets.text(
        f"The {points} points are a sample of the fields' ranges. `rank` is Spearman's correlation over points (-1 to "
        f"1; its interval needs {FEWEST} points): how steadily a figure goes up or down with a field, whatever the "
        f"shape; it misses what goes up and down again, and words have none. A figure counts as following a field "
        f"where p is {LEVEL:.2g} or less after Holm's correction over all {len(followed_by)} ranks.{smooths}"
    )
    deltas: list[Indices] = []
    parts: list[Shares] = []
    rows: list[list[Cell]] = []
    for done, curve in enumerate(curves, start=1):
        known = np.isfinite(curve.y.value)
        x, y = np.stack([field.numbers[known] for field in fields], 1), curve.y.value[known]
        delta = indices(x, y, campaign.rng(f"sweep {curve.name}")) if known.any() else None
        part = shares(x, y, campaign.rng(f"shares {curve.name}")) if known.any() else None
        deltas += [delta] if delta else []
        parts += [part] if part else []
        sure: list[str] = []
        for i, field in enumerate(fields):
            rank = _rank(curve, field) if field.is_number and known.any() else None
            p = followed_by.get((curve.name, field.name))
            if rank and p is not None and p <= LEVEL:
                sure.append(f"{'up' if rank.value > 0 else 'down'} with `{field.name}` ({said(rank)})")
            rows.append(
                [curve.name, field.name, int(known.sum()), rank, p, *_delta(delta, i), *_shares(part, i, len(y))]
            )
        tell(done / len(curves))
        sheets.text(f"**{curve.name}** goes {', '.join(sure) or 'surely with no field'}.")
    if deltas:
        sheets.text(
            "`delta` is Borgonovo's index, how far knowing the field moves the whole distribution of the figure. With "
            "so many points a field without any effect reaches about "
            f"{max(delta.dummy for delta in deltas):.2f} (the highest of a column of random numbers)."
        )
    elif not has_salib():
        sheets.text("Delta indices are left out: SALib is not installed (pip install SALib adds it).")
    else:
        sheets.text(f"Delta indices are left out: they need {FEWEST_FOR_DELTA} points and a figure that varies.")
    if parts:
        least, most = (f"{100 * pick(part.told for part in parts):.0f} %" for pick in (min, max))
        sheets.text(
            "`alone` is the share of a figure's variance over the design that the field makes by itself, `in all` what "
            "it makes together with others, too (Sobol's first and total indices, of a Gaussian process through the "
            f"points; in brackets two standard errors to either side). The process tells {least} to {most} of the "
            "variance of points that it was not given; a column of random numbers reaches "
            f"{max(part.dummy for part in parts):.2f} in all. Figures of which it tells too little have none."
        )
    else:
        sheets.text(
            f"Shares of variance are left out: they need {FEWEST_FOR_SHARES} points and a figure that follows the "
            "fields closely enough."
        )
    head = ["figure", "field", "points", "rank", "p", "delta", "delta +-", "alone", "in all"]
    used = [i for i in range(len(head)) if i < 5 or any(row[i] is not None for row in rows)]
    sheets.table("effects", [head[i] for i in used], [[row[i] for i in used] for row in rows], shown=60)


def _delta(delta: Indices | None, i: int) -> list[Cell]:
    return [None, None] if delta is None else [float(delta.delta[i]), float(delta.half[i])]


def _shares(part: Shares | None, i: int, n: int) -> list[Cell]:
    return [None, None] if part is None else [_with_errors(part.first[i], n), _with_errors(part.total[i], n)]


def _with_errors(index: Index, n: int) -> Estimate:
    reach = max(2 * index.error, LEAST_REACH)
    return Estimate(index.value, max(index.value - reach, 0.0), index.value + reach, n)
