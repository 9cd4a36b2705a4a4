"""How long a cube stays inside: survival over drops, and the chance of release by age and by region."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tower_sim.campaign.data import INSIDE, Array, Campaign
from tower_sim.statistics import Estimate, Estimates, Resamples


@dataclass(frozen=True)
class Survival:
    """Residents from the drop in which they stayed: arrays by age 1, 2, ... drops since they were thrown in.

    `at_risk` cubes were inside before a drop at that age, `released` of them came out; `hazard` is their ratio and
    `survival` the chance to be still inside after it. `median` is the least age at which survival is 1/2 or less
    (NaN: not reached). A stay ends unseen with the run, or when a knock or a hand takes the cube out (censored).
    """

    age: Array
    at_risk: Array
    released: Array
    hazard: Estimates
    survival: Estimates
    median: Estimate
    mean_within: Estimate
    entered: int


@dataclass(frozen=True)
class Hazards:
    """The chance of release in a drop by the region a cube lies in, and by region and age; `n` are cube-drops.

    Rows of `by_age` are regions, columns ages 1 to `ages`, the last of which holds all older cubes too.
    """

    regions: tuple[str, ...]
    by_region: Estimates
    n: Array
    ages: int
    by_age: Estimates
    n_by_age: Array


def resident_rows(campaign: Campaign) -> Array:
    """Return the entries, shape (n,), of cubes that were inside before a drop in which something was thrown."""
    cubes = campaign.cubes
    return np.flatnonzero(~cubes.thrown & cubes.before.starts(INSIDE) & (campaign.drops.thrown[cubes.row] > 0))


def kaplan_meier(at_risk: Array, released: Array) -> Array:
    """Return the product-limit estimate of survival after each age; ages along the last axis.

    Source: Kaplan and Meier, Journal of the American Statistical Association 53 (1958).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.cumprod(np.where(at_risk > 0, 1 - released / at_risk, np.nan), axis=-1)


def survival(campaign: Campaign, boot: Resamples) -> Survival | None:
    """Estimate survival over ages counted in drops with something thrown; None when no cube was ever resident.

    Every cube inside before a drop is at risk at its age, so cubes whose entry was not seen (a chain that starts with
    a filled tower) enter late, as the product-limit estimate allows.
    """
    cubes = campaign.cubes
    rows = resident_rows(campaign)
    if not len(rows):
        return None
    age = np.maximum(cubes.age[rows], 1).astype(np.int64)
    size = int(age.max())
    run = campaign.drops.run[cubes.row[rows]]
    at_risk = campaign.tally(run, age - 1, size).astype(float)
    released = campaign.tally(run, age - 1, size, cubes.out[rows])
    both = np.hstack([at_risk, released])
    curve = boot.estimates(both, lambda s: kaplan_meier(s[:, :size], s[:, size:]), at_risk > 0)
    extra = boot.estimates(both, lambda s: _summaries(kaplan_meier(s[:, :size], s[:, size:])))
    entered = int((cubes.thrown & ~cubes.out).sum())
    return Survival(
        age=np.arange(1, size + 1),
        at_risk=at_risk.sum(0).astype(int),
        released=released.sum(0).astype(int),
        hazard=boot.shares(released, at_risk),
        survival=curve,
        median=extra.at(0, entered),
        mean_within=extra.at(1, entered),
        entered=entered,
    )


WITHIN = 7  # drops: the mean stay is given within so many


def _summaries(curve: Array) -> Array:
    """Return the median and the mean stay within `WITHIN` drops (restricted mean) of each row."""
    below = curve <= 0.5
    median = np.where(below.any(1), 1.0 + below.argmax(1), np.nan)
    known = np.nan_to_num(curve[:, : WITHIN - 1])
    return np.column_stack([median, 1 + known.sum(1)])


def hazards(campaign: Campaign, boot: Resamples, ages: int = 8) -> Hazards | None:
    """Estimate the chance of release by region and age; None when no cube was ever resident."""
    cubes = campaign.cubes
    rows = resident_rows(campaign)
    if not len(rows):
        return None
    used: Array = np.unique(cubes.before.codes[rows])
    place = np.searchsorted(used, cubes.before.codes[rows])
    ages = min(ages, int(max(cubes.age[rows].max(), 1)))
    age = np.clip(cubes.age[rows], 1, ages).astype(np.int64) - 1
    run, cell, cells = campaign.drops.run[cubes.row[rows]], place * ages + age, len(used) * ages
    at_risk = campaign.tally(run, cell, cells).astype(float)
    released = campaign.tally(run, cell, cells, cubes.out[rows])

    def over_ages(table: Array) -> Array:
        return table.reshape(campaign.runs, len(used), ages).sum(2)

    return Hazards(
        regions=tuple(cubes.before.names[int(code)].removeprefix(INSIDE) for code in used),
        by_region=boot.shares(over_ages(released), over_ages(at_risk)),
        n=over_ages(at_risk).sum(0).astype(int),
        ages=ages,
        by_age=boot.shares(released, at_risk),
        n_by_age=at_risk.sum(0).astype(int).reshape(len(used), ages),
    )
