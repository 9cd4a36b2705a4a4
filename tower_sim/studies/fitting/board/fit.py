"""The throws of battles as counts by place on the board: cubes thrown, cubes lying, cubes displaced."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from tower_sim.apparatus import Apparatus, Board, WithBoard, with_board
from tower_sim.campaign import Campaign
from tower_sim.errors import fault
from tower_sim.results import NOWHERE, Array, Words
from tower_sim.studies.fitting.data import find_apparatus, find_engine, run_starts, starts
from tower_sim.studies.fitting.numerics import maximise
from tower_sim.studies.retention.battles import through_ship
from tower_sim.surrogate import BOARD, BoardLaw, Covered, Fitted, Source
from tower_sim.tools import nothing
from tower_sim.values import INSIDE

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


def count_throws(campaigns: Sequence[Campaign], ship: WithBoard) -> Throws:
    """Count the cubes of the campaigns' throws by place, without throws in which a cube was in the ship.

    Raises UsageError if no cube was thrown, or more than one such throw for every 1000 cubes.
    """
    places = ship.board.places
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
    cubes, rows, size = campaign.cubes, len(campaign.rows), len(places)
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
        campaign.rows.run[is_throw],
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


LEVEL_SD = 5.0  # of the weak penalty on log-odds and log-rates
SLOPE_SD = 1.0  # of the penalty on slopes in logarithms of counts
PLACE_SD = 1.5  # of the places' log-rates of displacement around their mean
PRIOR_MOVES = 2.0  # weight of the prior in changes of place: half to the border, half to the neighbours
FOLDS = 10

_special: Any = importlib.import_module("scipy.special")  # has no type stubs


def fit_board(campaigns: Sequence[Campaign], apparatus: Apparatus, note: Callable[[], None] = nothing) -> Fitted:
    """Fit the law of a board to all battles."""
    law = fit_law(campaigns)
    note()
    used = tuple(Source(campaign.digest, campaign.runs, len(campaign.rows)) for campaign in campaigns)
    return Fitted(BOARD, apparatus.name, apparatus.digest, find_engine(campaigns), used, (), (), {}, law)


def fit_law(campaigns: Sequence[Campaign]) -> BoardLaw:
    """Fit the law to all battles; nothing is random, and equal data give an equal law.

    Landing is a multinomial logit, displacement a complementary log-log regression, both with normal penalties:
    standard deviation 5 on levels, 1 on slopes, 1.5 on places' levels of displacement around their mean. Standard
    errors assume independent throws; they invert the observed (landing) or expected (displacement) information.

    Source: McCullagh and Nelder, Generalized Linear Models, 1989, sections 4.1.3 and 5.3.
    """
    ship = find_ship(campaigns)
    throws = count_throws(campaigns, ship)
    (landing, landing_errors), (crowd, crowd_error) = fit_landing(throws)
    (changed, changed_errors), (slope, slope_error) = fit_changes(throws)
    return BoardLaw(
        places=throws.places,
        landing=_rows(landing),
        landing_errors=_rows(landing_errors),
        crowd=crowd,
        crowd_error=crowd_error,
        changed=tuple(changed.tolist()),
        changed_errors=tuple(changed_errors.tolist()),
        slope=slope,
        slope_error=slope_error,
        quiet=(throws.quiet[0] + 0.5) / (throws.quiet[1] + 100.0),
        moves=_rows(_moves(throws, ship.board)),
        moved=tuple(np.bincount(throws.moves[:, 1], minlength=len(throws.places)).tolist()),
        cover=_cover(throws),
    )


# Range of the data, and moves


def _cover(throws: Throws) -> tuple[Covered, ...]:
    thrown, lying = throws.thrown, throws.lying.sum(1)
    which = np.floor(np.log2(thrown)).astype(int)
    return tuple(
        Covered(
            thrown_low=2**power,
            thrown_high=int(min(2 ** (power + 1) - 1, thrown.max())),
            lying_low=int(lying[which == power].min()),
            lying_high=int(lying[which == power].max()),
        )
        for power in np.unique(which).tolist()
    )


def _moves(throws: Throws, board: Board) -> Array:
    """Return the probabilities of the new place of a displaced cube, a row for each old place.

    They are counts plus PRIOR_MOVES times a prior: from a zone half the border and half the neighbours, from the border
    uniform over the zones, from the table (which no cube leaves) the border.
    """
    size = len(throws.places)
    zones = {zone.name: i for i, zone in enumerate(board.zones)}
    prior = np.zeros((size, size))
    for zone, i in zones.items():
        beside = [zones[name] for name in board.neighbours[zone]]
        prior[i, size - 2] = 0.5 if beside else 1.0
        prior[i, beside] = 0.5 / max(len(beside), 1)
    prior[size - 2, : size - 2] = 1 / (size - 2)
    prior[size - 1, size - 2] = 1
    counts = np.zeros_like(prior)
    np.add.at(counts, (throws.moves[:, 1], throws.moves[:, 2]), 1)
    weights = counts + PRIOR_MOVES * prior
    return weights / weights.sum(1, keepdims=True)


# Landing


Terms = Callable[[Throws], Array]


def terms(throws: Throws) -> Array:
    """Return the terms of the landing law, `board_law.TERMS`, shape (throws, terms)."""
    n = throws.thrown.astype(float)
    return np.column_stack([np.ones(len(n)), np.log(n), np.log(n + throws.lying.sum(1))])


def crowding(throws: Throws) -> Array:
    """Return log(1 + lying), shape (throws, places)."""
    return np.log1p(throws.lying.astype(float))


def fit_landing(
    throws: Throws, columns: Terms = terms, beside: Terms | None = crowding
) -> tuple[tuple[Array, Array], tuple[float, float]]:
    """Fit the landing shares by Newton's method; the log-likelihood is concave.

    `columns` gives terms with a coefficient for each place, `beside` a term by place with one common coefficient.
    Returns the coefficients, shape (places, terms), and the common one, each with standard errors.
    """
    counts = throws.landed.astype(float)
    x = columns(throws)
    size, width = counts.shape[1], x.shape[1]
    free = [k for k in range(size) if k != int(counts.sum(0).argmax())]
    own = np.zeros_like(counts) if beside is None else beside(throws)
    of = counts.sum(1)
    split = len(free) * width
    precision = np.full(split + 1, SLOPE_SD**-2)
    precision[:split:width] = LEVEL_SD**-2

    def climb(at: Array) -> tuple[float, Array, Array]:
        log_odds = at[-1] * own
        log_odds[:, free] += x @ at[:-1].reshape(len(free), -1).T
        share: Array = _special.softmax(log_odds, axis=1)
        off = counts - of[:, None] * share
        slope = np.append((off[:, free].T @ x).ravel(), (off * own).sum()) - precision * at
        information = np.zeros((split + 1, split + 1))
        mean = (share * own).sum(1)
        for i, a in enumerate(free):
            rows = slice(i * width, (i + 1) * width)
            for j, b in enumerate(free[: i + 1]):
                weight = of * share[:, a] * ((a == b) - share[:, b])
                block = (x * weight[:, None]).T @ x
                columns_of = slice(j * width, (j + 1) * width)
                information[rows, columns_of], information[columns_of, rows] = block, block.T
            cross = (of * share[:, a] * (own[:, a] - mean)) @ x
            information[rows, -1] = information[-1, rows] = cross
        information[-1, -1] = of @ ((share * own**2).sum(1) - mean**2)
        value = float((counts * np.log(share)).sum()) - float(precision @ at**2) / 2
        return value, slope, information + np.diag(precision)

    begin = np.zeros(split + 1)
    begin[:split:width] = np.log((counts.sum(0)[free] + 0.5) / counts.sum(0).max())
    best, covariance = maximise(climb, begin)
    both = np.stack([best, np.sqrt(np.diag(covariance))])
    coefficients = np.zeros((2, size, width))
    coefficients[:, free] = both[:, :split].reshape(2, -1, width)
    common, error = (0.0, 0.0) if beside is None else both[:, -1].tolist()
    return (coefficients[0], coefficients[1]), (common, error)


# Displacement


def fit_changes(throws: Throws) -> tuple[tuple[Array, Array], tuple[float, float]]:
    """Fit the log-rates at which lying cubes change their place, by Fisher scoring.

    Returns the log-rates by place, and the slope in log(thrown), each with its standard errors.
    """
    size = len(throws.places)
    sizes, which = np.unique(throws.thrown, return_inverse=True)
    there, hit = np.zeros((len(sizes), size)), np.zeros((len(sizes), size))
    np.add.at(there, which, throws.lying)
    np.add.at(hit, which, throws.changed)
    there[:, -1] = hit[:, -1] = 0  # a cube on the table stays
    log_thrown = np.log(sizes)[:, None]
    # parameters: the mean level, the slope, each place's departure from the mean
    precision = np.array([LEVEL_SD**-2, SLOPE_SD**-2, *[PLACE_SD**-2] * size])

    def climb(at: Array) -> tuple[float, Array, Array]:
        rate = np.exp(np.clip(at[0] + at[1] * log_thrown + at[2:], -50, 6))
        chance = np.maximum(-np.expm1(-rate), 1e-300)
        value = float((hit * np.log(chance) - (there - hit) * rate).sum()) - float(precision @ at**2) / 2
        off = (hit * np.exp(-rate) / chance - (there - hit)) * rate
        weight = there * rate**2 * np.exp(-rate) / chance
        slope = np.array([off.sum(), (off * log_thrown).sum(), *off.sum(0)]) - precision * at
        information = np.diag(precision + np.array([weight.sum(), (weight * log_thrown**2).sum(), *weight.sum(0)]))
        crossed = ((0, 1, (weight * log_thrown).sum()), (0, slice(2, None), weight.sum(0)))
        for i, j, cross in (*crossed, (1, slice(2, None), (weight * log_thrown).sum(0))):
            information[i, j] = information[j, i] = cross
        return value, slope, information

    begin = np.zeros(2 + size)
    begin[0] = math.log((hit.sum() + 0.5) / ((there * sizes[:, None]).sum() + 1.0))
    begin[1] = 1.0
    best, covariance = maximise(climb, begin)
    levels = best[0] + best[2:]
    spread = np.sqrt(covariance[0, 0] + 2 * covariance[0, 2:] + np.diag(covariance)[2:])
    return (levels, spread), (float(best[1]), float(np.sqrt(covariance[1, 1])))


def _rows(table: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in cast("list[list[float]]", table.tolist()))
