"""How fast cubes that stayed in a tower leave it, by how many drops ago they stayed; from simulated games."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tower_sim.campaign.data import Campaign
from tower_sim.statistics import Estimate
from tower_sim.study.survival import resident_rows

AGES = ((1, 1), (2, 2), (3, 4), (5, 7), (8, 14), (15, 99))  # drops, ends included
WIDTH = 1.645  # standard errors on either side: 90 %


@dataclass(frozen=True, slots=True)
class Leaving:
    """Cubes that stayed `first` to `last` drops ago: `at_risk` of them were inside before a drop, a `share` left in it.

    The interval of the share is of 90 %, from how much games differ; it is the whole range of one game.
    """

    first: int
    last: int
    at_risk: int
    share: Estimate


def leaving(campaign: Campaign) -> tuple[Leaving, ...]:
    """Return how fast residents leave, by age, from the games of one tower; ages that no cube reached are left out.

    A ratio of sums over games, with the standard error of one. Source: Cochran, Sampling Techniques, 1977, chapter 6.
    """
    rows = resident_rows(campaign)
    cubes, games = campaign.cubes, campaign.runs
    age = np.maximum(cubes.age[rows], 1)
    run = campaign.drops.run[cubes.row[rows]]
    found: list[Leaving] = []
    for first, last in AGES:
        mine = (age >= first) & (age <= last)
        at_risk = np.bincount(run[mine], minlength=games).astype(float)
        out = np.bincount(run[mine], cubes.out[rows][mine], games)
        if not at_risk.sum():
            continue
        share = float(out.sum() / at_risk.sum())
        error = np.inf
        if games > 1:
            error = float(np.sqrt(games / (games - 1) * ((out - share * at_risk) ** 2).sum()) / at_risk.sum())
        ends = max(share - WIDTH * error, 0.0), min(share + WIDTH * error, 1.0)
        found.append(Leaving(first, last, int(at_risk.sum()), Estimate(share, *ends, games)))
    return tuple(found)
