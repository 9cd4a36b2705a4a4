"""The facts of battles with which a surrogate is checked, counted for each battle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from tower_sim.apparatus.kind import WithBoard
from tower_sim.campaign.data import NOWHERE, Array, Campaign
from tower_sim.fitting.board.data import count_throws, list_places, number_places
from tower_sim.places import ZONE
from tower_sim.study.battles import chain_lengths, first_cubes

THROWN = (1, 2, 3, 5, 9)  # cubes thrown at once: the smallest number of each class
LONGEST = 6  # explosions in a row: longer chains count together
STEPS = ("throw", "rethrow", "explosion", "ability", "pass")


@dataclass(frozen=True)
class Fact:
    """For each cell, the ratio of the sums over battles of `over` and `under`, of shape (battles, cells)."""

    name: str
    unit: str
    cells: tuple[str, ...]
    over: Array
    under: Array


def list_facts(campaigns: Sequence[Campaign], ship: WithBoard) -> tuple[Fact, ...]:
    """Count all facts for each battle; the battles of the second campaign follow those of the first, and so on."""
    by_campaign = [{fact.name: fact for fact in _facts(campaign, ship, i)} for i, campaign in enumerate(campaigns)]
    joined: list[Fact] = []
    for name in dict.fromkeys(name for named in by_campaign for name in named):
        one = next(named[name] for named in by_campaign if name in named)
        over, under = (
            np.concatenate(
                [
                    getattr(named[name], side) if name in named else np.zeros((campaign.runs, len(one.cells)))
                    for named, campaign in zip(by_campaign, campaigns, strict=True)
                ]
            )
            for side in ("over", "under")
        )
        joined.append(replace(one, over=over, under=under))
    return tuple(joined)


def _facts(campaign: Campaign, ship: WithBoard, number: int) -> list[Fact]:
    d, runs = campaign.drops, campaign.runs
    throws = count_throws([campaign], ship)
    short = tuple(place.removeprefix(ZONE).replace("_", " ") for place in throws.places)
    group = np.searchsorted(THROWN, throws.thrown, side="right") - 1
    counted: list[Fact] = []

    def add(name: str, unit: str, cells: Sequence[str], over: Array, under: Array) -> None:
        over = over.reshape(runs, -1).astype(float)
        under = np.broadcast_to(under.reshape(runs, -1), over.shape).astype(float)
        counted.append(Fact(name, unit, tuple(cells), over, under))

    def by_run(values: Array, rows: Array) -> Array:
        table = np.zeros((runs, values.shape[1]))
        np.add.at(table, throws.run[rows], values[rows])
        return table

    for i, name in enumerate(classes()):
        landed = by_run(throws.landed, group == i)
        add(f"landing, {name} thrown", "share of thrown cubes", short, landed, landed.sum(1))
    groups = np.eye(len(THROWN))[group]
    changed, lying = (by_run(groups * table.sum(1)[:, None], group >= 0) for table in (throws.changed, throws.lying))
    add("displacement", "share of lying cubes", [f"{name} thrown" for name in classes()], changed, lying)
    add("displacement from places", "share of lying cubes", short[:-2],
        *(by_run(table[:, :-2], group >= 0) for table in (throws.changed, throws.lying)))  # fmt: skip
    run, length = chain_lengths(campaign)
    chain = campaign.tally(run, np.minimum(length, LONGEST), LONGEST + 1)
    add("chains", "share of throws", [*map(str, range(LONGEST)), f"{LONGEST}+"], chain, chain.sum(1))
    kinds = np.stack([np.bincount(d.run, d.kind.among(kind), runs) for kind in STEPS], 1)
    add("steps", "steps a battle", STEPS, kinds, np.ones(runs))
    final, strength = _final(campaign, ship)
    add("places at the end", "share of cubes", short, final, final.sum(1))
    colours = campaign.colours
    add("strength", "strength a battle", colours, strength, np.ones(runs))
    won = _won(campaign)
    add("wins", "share of battles", colours[:1], won[:, :1], won.sum(1))
    setups = campaign.run_point[:, None] == np.unique(campaign.run_point)[None]
    first = first_cubes(campaign)
    names = [" : ".join(str(int(n)) for n in np.median(first[rows], 0)) for rows in setups.T]
    of = f", campaign {number + 1}" if number else ""
    add(f"wins by set-up{of}", "share of battles", names, won[:, :1] * setups, won.sum(1)[:, None] * setups)
    return counted


def classes() -> list[str]:
    """Return the names of the classes of throws by the number of cubes thrown at once."""
    below = [str(low) if low == next_low - 1 else f"{low} to {next_low - 1}" for low, next_low in pairwise(THROWN)]
    return [*below, f"{THROWN[-1]} or more"]


def _final(campaign: Campaign, ship: WithBoard) -> tuple[Array, Array]:
    cubes, places = campaign.cubes, list_places(ship.board)
    last = np.full(campaign.runs, NOWHERE)
    run = campaign.drops.run[cubes.row]
    np.maximum.at(last, run, cubes.row)
    rows = (cubes.row == last[run]) & (number_places(cubes.after, places) >= 0)
    after, run = number_places(cubes.after, places)[rows], run[rows]
    worth = np.array([*(zone.printed.get("strength", 0) for zone in ship.board.zones), 0, 0])[after]
    strength = campaign.tally(run, cubes.colour.codes[rows], len(campaign.colours), worth)
    return campaign.tally(run, after, len(places)), strength


def _won(campaign: Campaign) -> Array:
    d = campaign.drops
    won = np.zeros((campaign.runs, len(campaign.colours)))
    rows = np.flatnonzero(d.winner.codes != NOWHERE)
    colour = np.array([campaign.colours.index(name) for name in d.winner.names])
    won[d.run[rows], colour[d.winner.codes[rows]]] = 1
    return won
