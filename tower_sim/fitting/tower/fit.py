"""Fit the law of a tower to campaigns of games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from tower_sim.apparatus.parts import Apparatus, as_tower
from tower_sim.campaign.data import Campaign
from tower_sim.fitting.data import find_engine, run_starts
from tower_sim.fitting.tower.data import Rows, held_out, read_rows
from tower_sim.fitting.tower.knocks import FITTED, fit_knocks, games_to_knock, play_knocks
from tower_sim.fitting.tower.ladder import climb, rungs, scores
from tower_sim.surrogate.store import TOWER, Fitted, Source

_ALIKE = 1.25  # numbers thrown up to this ratio apart count as similar for the range of the data


def fit_tower(campaigns: Sequence[Campaign], apparatus: Apparatus, note: Callable[[], None]) -> Fitted:
    """Fit the cascade and the lower rungs to campaigns of games.

    The last 3 of every 10 runs are held out, and score the rungs. Up to 100 other games are played again for knocks.
    """
    regions = [region.name for region in as_tower(apparatus).regions]
    rows = read_rows(campaigns, regions)
    is_held = np.concatenate([held_out(campaign) for campaign in campaigns])[rows.run]
    used, unused = rows.take(~is_held), rows.take(is_held)
    lower, law = climb(used, note)
    campaign_of = np.searchsorted(run_starts(campaigns), used.run, side="right") - 1
    runs = [used.run[campaign_of == number] for number in range(len(campaigns))]
    chosen = [np.flatnonzero(~held_out(campaign)) for campaign in campaigns]
    knocks = fit_knocks(play_knocks(games_to_knock(campaigns, chosen), regions, FITTED, note))
    return Fitted(
        TOWER,
        apparatus.name,
        apparatus.digest,
        find_engine(campaigns),
        tuple(
            Source(campaign.digest, len(np.unique(run)), len(run))
            for campaign, run in zip(campaigns, runs, strict=True)
        ),
        find_ranges(used),
        scores(rungs(lower, law), unused),
        lower,
        replace(law, knocks=knocks),
    )


def find_ranges(rows: Rows) -> tuple[tuple[int, int, int], ...]:
    """Return the range of cubes inside before a drop, for each number of cubes thrown, as (thrown, least, most).

    It covers all drops with similar numbers thrown, at a ratio of up to 1.25.
    """
    inside = rows.lying.sum(1)
    ranges: list[tuple[int, int, int]] = []
    for thrown in np.unique(rows.thrown):
        alike = (rows.thrown <= thrown * _ALIKE) & (rows.thrown * _ALIKE >= thrown)
        ranges.append((int(thrown), int(inside[alike].min()), int(inside[alike].max())))
    return tuple(ranges)
