"""The throws of battles as counts by place on the board: cubes thrown, cubes lying, cubes displaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tower_sim.apparatus.board import Board
from tower_sim.apparatus.kind import WithBoard, with_board
from tower_sim.campaign.data import NOWHERE, Array, Campaign, Words
from tower_sim.errors import fault
from tower_sim.fitting.data import find_apparatus, run_starts, starts
from tower_sim.places import BORDER, INSIDE, TABLE, ZONE
from tower_sim.study.battles import through_ship

MOST_STUCK = 1e-3  # of the cubes thrown; with more stuck, no law is fitted, since the law has no stuck cubes


@dataclass(frozen=True)
class Throws:
    """Throws through the ship as counts.

    - `run` numbers the battles over all campaigns.
    - Of shape (throws, places): thrown cubes that `landed`, cubes `lying` before, and those whose place `changed`.
    - `moves` has a row (throw, from, to) for each change.
    - `quiet` counts, in steps that throw no cube, the lying cubes that changed their place, and all of them.
    - `stuck` counts the throws left out because a cube was in the ship before or after.
    """

    places: tuple[str, ...]
    run: Array
    landed: Array
    lying: Array
    changed: Array
    moves: Array
    quiet: tuple[int, int]
    stuck: int

    @property
    def thrown(self) -> Array:
        """The number of cubes of each throw, shape (throws,)."""
        return self.landed.sum(1)

    def take(self, rows: Array) -> Throws:
        """Return the throws selected by a mask."""
        number = np.cumsum(rows) - 1
        moves = self.moves[rows[self.moves[:, 0]]]
        moves = np.column_stack([number[moves[:, 0]], moves[:, 1:]])
        run, landed, lying, changed = (array[rows] for array in (self.run, self.landed, self.lying, self.changed))
        return Throws(self.places, run, landed, lying, changed, moves, self.quiet, self.stuck)


def find_ship(campaigns: Sequence[Campaign]) -> WithBoard:
    """Return the ship of all `campaigns`."""
    if not campaigns:
        raise fault("number of campaigns", 0, "1 or more", "name a campaign's directory")
    for campaign in campaigns:
        if campaign.kind != "battle":
            raise fault("campaign.kind", campaign.kind, "battle", "a tower's surrogate is fitted to games")
    return with_board(find_apparatus(campaigns))


def list_places(board: Board) -> tuple[str, ...]:
    """Return the names of a board's places, in the order of the law: zones, border, table."""
    return (*(ZONE + zone.name for zone in board.zones), BORDER, TABLE)


def count_throws(campaigns: Sequence[Campaign], ship: WithBoard) -> Throws:
    """Count the cubes of the campaigns' throws by place, without throws in which a cube was in the ship.

    Raises UsageError if no cube was thrown, or more than one such throw for every 1000 cubes.
    """
    places = list_places(ship.board)
    parts = [_throws(campaign, places) for campaign in campaigns]
    columns = ("run", "landed", "lying", "changed", "moves")
    run, landed, lying, changed, moves = (np.concatenate([getattr(part, name) for part in parts]) for name in columns)
    throws = [len(part.run) for part in parts]
    run = run + np.repeat(run_starts(campaigns), throws)
    moves[:, 0] += np.repeat(starts(throws), [len(part.moves) for part in parts])
    quiet = (sum(part.quiet[0] for part in parts), sum(part.quiet[1] for part in parts))
    joined = Throws(places, run, landed, lying, changed, moves, quiet, sum(part.stuck for part in parts))
    cubes = int(joined.landed.sum())
    if not cubes:
        raise fault("cubes thrown through the ship", 0, "1 or more", "run the campaign first")
    if joined.stuck > MOST_STUCK * cubes:
        allowed = f"up to {MOST_STUCK:g} of the {cubes} thrown"
        raise fault("cubes stuck in the ship", joined.stuck, allowed, "this ship keeps cubes: use --model physics")
    return joined


def _throws(campaign: Campaign, places: tuple[str, ...]) -> Throws:
    cubes, rows, size = campaign.cubes, len(campaign.drops), len(places)
    before, after = number_places(cubes.before, places), number_places(cubes.after, places)
    through = through_ship(campaign)
    inside = cubes.before.starts(INSIDE) | cubes.after.starts(INSIDE)
    is_stuck = np.bincount(cubes.row[inside], minlength=rows) > 0
    lies = ~cubes.thrown & (before >= 0)

    def table(cells: Array, where: Array) -> Array:
        code = cubes.row[cells].astype(np.int64) * size + where[cells]
        return np.bincount(code, minlength=rows * size).reshape(rows, size)

    landed = table(through & (after >= 0), after)
    lying, changed = table(lies, before), table(lies & (before != after) & (after >= 0), before)
    is_throw = (landed.sum(1) > 0) & ~is_stuck
    number = np.cumsum(is_throw) - 1
    has_moved = lies & (before != after) & (after >= 0) & is_throw[cubes.row]
    moves = np.column_stack([number[cubes.row[has_moved]], before[has_moved], after[has_moved]])
    has_thrown = np.bincount(cubes.row[cubes.thrown], minlength=rows) > 0
    quiet = ~has_thrown & ~is_stuck
    return Throws(
        places,
        campaign.drops.run[is_throw],
        landed[is_throw],
        lying[is_throw],
        changed[is_throw],
        moves.astype(np.int64),
        (int(changed[quiet].sum()), int(lying[quiet].sum())),
        int((is_stuck & (landed.sum(1) > 0)).sum()),
    )


def number_places(words: Words, places: Sequence[str]) -> Array:
    """Return the number of each row's place, shape (rows,); -1 for none and in the ship."""
    for name in words.names:
        if name not in places and not name.startswith(INSIDE):
            raise fault("place in the campaign", name, f"one of {', '.join(places)}", "verify the campaign")
    number = [places.index(name) if name in places else NOWHERE for name in words.names]
    return np.array([*number, NOWHERE])[words.codes]
