"""Battles: where cubes land, what they knock on, how long explosions go on, and who wins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tower_sim.campaign.data import INSIDE, NOWHERE, Array, Campaign, CubeEntries
from tower_sim.places import BORDER, ZONE
from tower_sim.statistics import Estimate, Estimates, Resamples

MOST_THROWN = 8  # cubes thrown at once: larger throws count together
THROUGH = ("throw", "rethrow", "explosion", "ability", "drop")  # the steps in which cubes can go through the ship
WINNER = "winner"  # what a game tells of its last drop, if it has winners


@dataclass(frozen=True)
class Landings:
    """Of the cubes thrown through the ship the share that landed at each place, and where thrown cubes lay at the end.

    `cubes` and `final_cubes` count what the shares are of. A cube thrown again counts each time in `landed`, once in
    `final`; cubes that left the board before the end count where they last lay.
    """

    places: tuple[str, ...]
    landed: Estimates
    counts: Array
    final: Estimates
    final_counts: Array


@dataclass(frozen=True)
class Knocks:
    """Cubes that lay on the board and changed their place, by the number of cubes thrown at once.

    `moved` is their mean number a throw, `share` their share of all that lay there; throws that found none lying are
    left out. The last of `thrown` holds all larger throws too.
    """

    thrown: Array
    throws: Array
    moved: Estimates
    share: Estimates
    overall: Estimate
    lying: Estimate


@dataclass(frozen=True)
class Chains:
    """How many explosions follow a throw or an ability: `lengths` shares of 0, 1, 2, ...; `mean`; `any` explosion."""

    lengths: Estimates
    counts: Array
    mean: Estimate
    any: Estimate


@dataclass(frozen=True)
class WinShares:
    """Who wins, by the cubes each side threw first: `cubes` has a row for each such set-up, a column for each side.

    `wins` has for each row the share won by each side, then that of battles without a winner; `battles` counts them.
    """

    sides: tuple[str, ...]
    cubes: Array
    battles: Array
    wins: Estimates


def have_winners(campaign: Campaign) -> bool:
    """Whether the game tells who wins on a board; a winner of battles in a tower is a column like any other."""
    return WINNER in campaign.facts and (campaign.game is None or campaign.game.board)


def are_on_board(campaign: Campaign) -> bool:
    """Whether cubes fall onto a board and stay there, so that none is kept inside."""
    return have_winners(campaign) or any(name.startswith(ZONE) or name == BORDER for name in campaign.cubes.after.names)


def through_ship(campaign: Campaign) -> Array:
    """Say for each entry whether its cube was thrown through the ship in that step, shape (entries,).

    An ability may also put a cube into a zone; that cube has been seen before, one newly thrown has not.
    """
    cubes, kind = campaign.cubes, campaign.drops.kind
    key = campaign.drops.run[cubes.row].astype(np.int64) * (int(cubes.cube.max(initial=0)) + 1) + cubes.cube
    first = np.zeros(len(cubes), bool)
    first[np.unique(key, return_index=True)[1]] = True
    is_ability = kind.among("ability")[cubes.row]
    return cubes.thrown & kind.among(*THROUGH)[cubes.row] & (~is_ability | first)


def landings(campaign: Campaign, boot: Resamples) -> Landings:
    """Count where cubes landed, battle by battle."""
    cubes = campaign.cubes
    thrown = through_ship(campaign)
    run = campaign.drops.run[cubes.row].astype(np.int64)
    used: Array = np.unique(cubes.after.codes)

    def count(rows: Array) -> Array:
        return campaign.tally(run[rows], cubes.after.codes[rows], len(cubes.after.names))[:, used].astype(float)

    key = run * (int(cubes.cube.max(initial=0)) + 1) + cubes.cube
    last = len(key) - 1 - np.unique(key[::-1], return_index=True)[1]
    landed, final = count(np.flatnonzero(thrown)), count(last)

    def shares(counts: Array) -> Estimates:
        return boot.shares(counts, np.broadcast_to(counts.sum(1, keepdims=True), counts.shape))

    places = tuple(cubes.after.names[int(code)] for code in used)
    return Landings(places, shares(landed), landed.sum(0).astype(int), shares(final), final.sum(0).astype(int))


def _lying(cubes: CubeEntries) -> Array:
    return ~cubes.thrown & (cubes.before.codes != NOWHERE) & ~cubes.before.starts(INSIDE)


def _moved(cubes: CubeEntries) -> Array:
    """Say whether each entry's place after differs from that before, by name."""
    names = {name: i for i, name in enumerate(sorted({*cubes.before.names, *cubes.after.names}))}
    before, after = (
        np.array([names[name] for name in words.names] + [-1])[words.codes] for words in (cubes.before, cubes.after)
    )
    return before != after


def _knocked(campaign: Campaign) -> tuple[Array, Array, Array]:
    """Return for each step the cubes thrown through the ship, those that lay there before, those of them that moved."""
    cubes, steps = campaign.cubes, len(campaign.drops)
    lies = _lying(cubes)
    thrown = np.bincount(cubes.row[through_ship(campaign)], minlength=steps)
    lying = np.bincount(cubes.row[lies], minlength=steps)
    return thrown, lying, np.bincount(cubes.row[lies & _moved(cubes)], minlength=steps)


def moved_and_lying(campaign: Campaign) -> tuple[Array, Array]:
    """Return how many lying cubes the throws of each run moved, and how many lay there, shapes (runs,)."""
    thrown, lying, moved = _knocked(campaign)
    rows = thrown > 0
    sums = campaign.by_run(np.stack([moved[rows], lying[rows]], 1), rows)
    return sums[:, 0], sums[:, 1]


def knocks(campaign: Campaign, boot: Resamples, most: int = MOST_THROWN) -> Knocks | None:
    """Count the cubes that throws knocked into other places; None when no throw found any lying."""
    thrown, lying, moved = _knocked(campaign)
    rows = (thrown > 0) & (lying > 0)
    if not rows.any():
        return None
    run, group = campaign.drops.run[rows], np.minimum(thrown[rows], most) - 1
    throws, total, there = (
        campaign.tally(run, group, most, weights) for weights in (np.ones(len(run)), moved[rows], lying[rows])
    )
    used = np.flatnonzero(throws.sum(0))
    return Knocks(
        thrown=used + 1,
        throws=throws.sum(0)[used].astype(int),
        moved=boot.ratios(total[:, used], throws[:, used]),
        share=boot.shares(total[:, used], there[:, used]),
        overall=boot.ratio(total.sum(1), throws.sum(1)),
        lying=boot.share(total.sum(1), there.sum(1)),
    )


def chains(campaign: Campaign, boot: Resamples) -> Chains | None:
    """Count the explosions after each throw and each ability that asked the model; None when there is neither."""
    run, length = chain_lengths(campaign)
    if not len(run):
        return None
    size = int(length.max()) + 1
    counts = campaign.tally(run, length, size).astype(float)
    all_of = counts.sum(1)
    return Chains(
        boot.shares(counts, np.broadcast_to(all_of[:, None], counts.shape)),
        counts.sum(0).astype(int),
        boot.ratio(counts @ np.arange(size), all_of),
        boot.share(counts[:, 1:].sum(1), all_of),
    )


def chain_lengths(campaign: Campaign) -> tuple[Array, Array]:
    """Return the run of each throw and each ability that asked the model, and the explosions after it, shape (n,)."""
    d = campaign.drops
    starts = d.kind.among("throw") | (d.kind.among("ability") & d.drawn)
    number = np.cumsum(starts) - 1
    explosions = d.kind.among("explosion") & (number >= 0)
    return d.run[starts], np.bincount(number[explosions], minlength=int(starts.sum()))


def first_cubes(campaign: Campaign) -> Array:
    """Return how many cubes of each colour each run threw in its first step, shape (runs, colours)."""
    cubes = campaign.cubes
    rows = cubes.thrown & (campaign.drops.drop[cubes.row] == 0)
    return campaign.tally(campaign.drops.run[cubes.row[rows]], cubes.colour.codes[rows], len(campaign.colours))


def odds(campaign: Campaign, boot: Resamples) -> WinShares:
    """Count the winners of finished battles by the cubes on each side."""
    d = campaign.drops
    won = np.full(campaign.runs, NOWHERE)
    rows = d.winner.codes != NOWHERE
    colour_of = np.array([campaign.colours.index(name) for name in d.winner.names] + [NOWHERE])
    won[d.run[rows]] = colour_of[d.winner.codes[rows]]
    cubes = first_cubes(campaign)
    has_landed = np.bincount(d.run, minlength=campaign.runs) > 0
    done = ~campaign.unfinished & has_landed
    setups, group = np.unique(cubes[done], axis=0, return_inverse=True)
    width, size = len(campaign.colours) + 1, len(setups)
    winner = np.where(won[done] == NOWHERE, width - 1, won[done])
    per_run = np.zeros((campaign.runs, size, width))
    per_run[np.flatnonzero(done), group.ravel(), winner] = 1
    played = np.repeat(per_run.sum(2), width, axis=1)
    wins = boot.shares(per_run.reshape(campaign.runs, -1), played)
    return WinShares(campaign.colours, setups, per_run.sum((0, 2)).astype(int), wins)
