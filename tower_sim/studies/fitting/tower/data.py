"""A tower's campaigns as data for the surrogate: drops, and the start and end of every cube."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tower_sim.campaign import INSIDE, Campaign
from tower_sim.errors import UsageError
from tower_sim.results import Array
from tower_sim.studies.fitting.data import run_starts, starts
from tower_sim.surrogate import CROWD, FRESH, Fitted

BY_DROP, BY_CUBE = ("run", "thrown", "lying", "fresh"), ("drop", "start", "end", "age", "in_crowd", "cube")
HELD_OUT = 3  # of every 10 runs the last 3 are held out of the fit


@dataclass(frozen=True, eq=False)
class Rows:
    """Drops in which at least one cube was thrown, and their cubes, sorted by drop.

    - By drop: `run`, numbered over all campaigns, and the number `thrown`. Of shape (drop, floor): cubes `lying`
      before, and those `fresh` among them, at most FRESH drops old. Floors are the `regions` from the top.
    - By cube: the row of its `drop`; its floor at the `start` (-1: thrown) and the `end` (number of floors: out); its
      `age` in drops; `in_crowd`, whether it was last thrown with CROWD - 1 others or more; and its number.
    """

    regions: tuple[str, ...]
    run: Array
    thrown: Array
    lying: Array
    fresh: Array
    drop: Array
    start: Array
    end: Array
    age: Array
    in_crowd: Array
    cube: Array

    def __len__(self) -> int:
        return len(self.run)

    @property
    def out(self) -> Array:
        """Whether each cube came out, shape (cubes,)."""
        return self.end == len(self.regions)

    def take(self, drops: Array) -> Rows:
        """Return the drops selected by a mask, with their cubes."""
        place = np.cumsum(drops) - 1
        cubes = drops[self.drop]
        by_drop = {name: getattr(self, name)[drops] for name in BY_DROP}
        by_cube = {name: getattr(self, name)[cubes] for name in BY_CUBE}
        return Rows(self.regions, **by_drop, **by_cube | {"drop": place[self.drop[cubes]]})


def read_rows(campaigns: Sequence[Campaign], regions: Sequence[str]) -> Rows:
    """Return the drops of a tower's campaigns."""
    parts = [_rows(campaign, tuple(regions)) for campaign in campaigns]
    joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in BY_DROP + BY_CUBE}
    joined["run"] = joined["run"] + np.repeat(run_starts(campaigns), [len(part) for part in parts])
    joined["drop"] = joined["drop"] + np.repeat(starts(map(len, parts)), [len(part.drop) for part in parts])
    return Rows(tuple(regions), **joined)


def held_out(campaign: Campaign) -> Array:
    """Return for each run whether it is held out of a fit, shape (runs,): the last 3 of every 10."""
    return np.arange(campaign.runs) % 10 >= 10 - HELD_OUT


def unseen(campaign: Campaign, fitted: Fitted) -> Array:
    """Return for each run of a campaign whether the model was not fitted to it, shape (runs,)."""
    is_fitted = campaign.digest in {source.digest for source in fitted.data}
    return held_out(campaign) if is_fitted else np.ones(campaign.runs, bool)


def _rows(campaign: Campaign, regions: tuple[str, ...]) -> Rows:
    drops, cubes = campaign.rows, campaign.cubes
    floor_of = {INSIDE + region: i for i, region in enumerate(regions)}
    strange = {name for name in (*cubes.before.names, *cubes.after.names) if name.startswith(INSIDE)} - set(floor_of)
    if strange:
        raise UsageError(
            f"campaign has cubes in {sorted(strange)[0]!r}; allowed are {', '.join(floor_of)}, the tower's regions; "
            "give a campaign of this tower"
        )
    start_of = np.array([floor_of.get(name, len(regions)) for name in cubes.before.names] + [-1])
    end_of = np.array([floor_of.get(name, len(regions)) for name in cubes.after.names])
    start, end = start_of[cubes.before.codes], end_of[cubes.after.codes]
    first_seen = _drop_thrown_in(campaign)
    lying = np.zeros((len(drops), len(regions) + 1), np.int64)
    np.add.at(lying, (cubes.row, start), 1)  # thrown cubes have -1 and go to the last column
    fresh = np.zeros_like(lying)
    np.add.at(fresh, (cubes.row, start), cubes.age <= FRESH)
    every = Rows(
        regions=regions,
        run=drops.run,
        thrown=drops.thrown.astype(np.int64),
        lying=lying[:, :-1],
        fresh=fresh[:, :-1],
        drop=cubes.row.astype(np.int64),
        start=start,
        end=end,
        age=cubes.age.astype(np.int64),
        in_crowd=drops.thrown[first_seen] >= CROWD,
        cube=cubes.cube.astype(np.int64),
    )
    return every.take(drops.thrown > 0)


def _drop_thrown_in(campaign: Campaign) -> Array:
    cubes, runs = campaign.cubes, campaign.rows.run
    key = runs[cubes.row].astype(np.int64) * (int(cubes.cube.max(initial=0)) + 1) + cubes.cube
    order = np.lexsort((cubes.row, key))
    is_new = cubes.thrown[order]
    latest = np.maximum.accumulate(np.where(is_new, np.arange(len(order)), 0))
    row = np.empty(len(order), np.int64)
    row[order] = cubes.row[order][latest]
    return row
