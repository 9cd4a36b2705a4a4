"""Permutation tests of whether colours are physically alike: colours are shuffled among cubes in the same situation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice
from typing import cast

import numpy as np

from tower_sim.campaign import INSIDE, Campaign
from tower_sim.drawing import cube_colours
from tower_sim.report import Chart, Panel, Rows, Section, Table, charts
from tower_sim.results import (
    NOWHERE,
    Array,
    Estimate,
    Estimates,
    Resamples,
    chi2_tail,
    how_sure,
    permutation_p,
    permuted,
    plain_share,
    show,
)
from tower_sim.studies.retention.retention import count_values, grouped, histogram, list_counts, overall, resident_rows
from tower_sim.tools import count_noun
from tower_sim.values import BORDER, ZONE

PERMUTATIONS = 999
FEWEST = 199  # permutations at least that may be drawn, for any number of cubes
ENOUGH = 50  # permutations that reach the statistic, after which no more are drawn
_WORK = 2e8  # cubes shuffled, over all permutations


@dataclass(frozen=True)
class Fairness:
    """A permutation test of whether colour has no effect among cubes in the same situation.

    `differences` are, by colour, the share out minus that expected from all cubes in the same situations. `statistic`
    is the squared distance of the numbers out from their expectation, in the metric of their covariance. `p` is its
    Monte Carlo p value, with standard error `p_error`; `p_chi2` that of the limiting distribution.
    """

    colours: tuple[str, ...]
    differences: Estimates
    cubes: int
    situations: int
    statistic: float
    p: float
    p_error: float
    p_chi2: float
    permutations: int

    def largest(self) -> tuple[str, Estimate]:
        """Return the colour with the greatest absolute difference, and the difference."""
        i = int(np.nanargmax(np.abs(self.differences.value)))
        return self.colours[i], self.differences.at(i)


@dataclass(frozen=True)
class Situations:
    """Cubes of informative situations; `cell` numbers the situations from 0, sorted."""

    cell: Array
    run: Array
    colour: Array
    out: Array


def thrown_situations(campaign: Campaign) -> Situations:
    """Return the thrown cubes, grouped by drop."""
    cubes = campaign.cubes
    rows = np.flatnonzero(cubes.thrown & (campaign.rows.thrown[cubes.row] > 0))
    return _find_telling(campaign, rows, cubes.row[rows].astype(np.int64))


def resident_situations(campaign: Campaign) -> Situations:
    """Return the cubes that were inside, grouped by drop, region and age."""
    cubes = campaign.cubes
    rows = resident_rows(campaign)
    ages = int(cubes.age[rows].max(initial=0)) + 1
    place = cubes.row[rows].astype(np.int64) * (len(cubes.before.names) + 1) + cubes.before.codes[rows]
    return _find_telling(campaign, rows, place * ages + np.maximum(cubes.age[rows], 0))


def _find_telling(campaign: Campaign, rows: Array, key: Array) -> Situations:
    cubes = campaign.cubes
    cell = np.unique(key, return_inverse=True)[1]
    colour, out = cubes.colour.codes[rows], cubes.out[rows]
    n, k = np.bincount(cell), np.bincount(cell, out)
    least, most = np.full(len(n), 32767), np.full(len(n), -1)
    np.minimum.at(least, cell, colour)
    np.maximum.at(most, cell, colour)
    kept = ((k > 0) & (k < n) & (least < most))[cell]
    order = np.flatnonzero(kept)[np.argsort(cell[kept], kind="stable")]
    number = np.unique(cell[order], return_inverse=True)[1]
    return Situations(number, campaign.rows.run[cubes.row[rows[order]]], colour[order].astype(np.int64), out[order])


def compare_colours(
    campaign: Campaign, boot: Resamples, cubes: Situations, rng: np.random.Generator
) -> Fairness | None:
    """Test whether colours are alike among `cubes`; None if no situation is informative.

    Random: the permutations, from `rng`, which end after ENOUGH that reach the statistic.
    """
    if not len(cubes.cell):
        return None
    width = len(campaign.colours)
    cells = int(cubes.cell[-1]) + 1
    m = np.bincount(cubes.cell * width + cubes.colour, minlength=cells * width).reshape(cells, width).astype(float)
    n, k = m.sum(1), np.bincount(cubes.cell, cubes.out)
    weight = k * (n - k) / (n**2 * (n - 1))
    covariance = np.diag((weight * n) @ m) - (m * weight[:, None]).T @ m
    inverse = cast("Array", np.linalg.pinv(covariance, rcond=1e-9, hermitian=True))
    expected = (k / n) @ m

    def distance(colour: Array) -> float:
        off = np.bincount(colour[cubes.out], minlength=width) - expected
        return float(off @ inverse @ off)

    most = int(np.clip(_WORK // len(cubes.cell), FEWEST, PERMUTATIONS))
    p, permutations = permutation_p(map(distance, islice(permuted(cubes.colour, cubes.cell, rng), 1 + most)), ENOUGH)
    statistic, chance = distance(cubes.colour), (k / n)[cubes.cell]
    return Fairness(
        colours=campaign.colours,
        differences=grouped(campaign, boot, cubes.run, cubes.colour, width, cubes.out - chance),
        cubes=len(cubes.cell),
        situations=cells,
        statistic=statistic,
        p=p,
        p_error=math.sqrt(p * (1 - p) / (1 + permutations)),
        p_chi2=chi2_tail(int(np.linalg.matrix_rank(covariance, hermitian=True)), statistic),
        permutations=permutations,
    )


MOST_THROWN = 8  # cubes thrown at once: larger throws count together
THROUGH = ("throw", "rethrow", "explosion", "ability", "drop")  # the steps in which cubes can go through the ship
WINNER = "winner"  # the game's column with the winner, if it has winners
DRAWN = 12  # set-ups whose win shares are drawn


def have_winners(campaign: Campaign) -> bool:
    """Return whether the game reports winners of battles on a board; those in a tower are a column like any other."""
    return WINNER in campaign.facts.by_name and (campaign.game is None or campaign.game.board)


def are_on_board(campaign: Campaign) -> bool:
    """Return whether cubes fall onto a board, so that none stays inside."""
    return have_winners(campaign) or any(name.startswith(ZONE) or name == BORDER for name in campaign.cubes.after.names)


def through_ship(campaign: Campaign) -> Array:
    """Return whether the cube of each entry was thrown through the ship, shape (entries,).

    Of an ability only the first entry of a cube counts: it may also put a known cube into a zone.
    """
    cubes, kind = campaign.cubes, campaign.rows.kind
    key = campaign.rows.run[cubes.row].astype(np.int64) * (int(cubes.cube.max(initial=0)) + 1) + cubes.cube
    first = np.zeros(len(cubes), bool)
    first[np.unique(key, return_index=True)[1]] = True
    is_ability = kind.among("ability")[cubes.row]
    return cubes.thrown & kind.among(*THROUGH)[cubes.row] & (~is_ability | first)


def _count_knocked(campaign: Campaign) -> tuple[Array, Array, Array]:
    cubes, steps = campaign.cubes, len(campaign.rows)
    lies = ~cubes.thrown & (cubes.before.codes != NOWHERE) & ~cubes.before.starts(INSIDE)
    before, after = (np.array([*words.names, ""])[words.codes] for words in (cubes.before, cubes.after))
    thrown = np.bincount(cubes.row[through_ship(campaign)], minlength=steps)
    lying = np.bincount(cubes.row[lies], minlength=steps)
    return thrown, lying, np.bincount(cubes.row[lies & (before != after)], minlength=steps)


def moved_and_lying(campaign: Campaign) -> tuple[Array, Array]:
    """Return how many lying cubes the throws of each run moved, and how many lay there, both (runs,)."""
    thrown, lying, moved = _count_knocked(campaign)
    rows = thrown > 0
    sums = campaign.by_run(np.stack([moved[rows], lying[rows]], 1), rows)
    return sums[:, 0], sums[:, 1]


def chain_lengths(campaign: Campaign) -> tuple[Array, Array]:
    """Return the run of each throw, or ability that called the model, and the explosions after it, both (n,)."""
    d = campaign.rows
    starts = d.kind.among("throw") | (d.kind.among("ability") & d.drawn)
    number = np.cumsum(starts) - 1
    explosions = d.kind.among("explosion") & (number >= 0)
    return d.run[starts], np.bincount(number[explosions], minlength=int(starts.sum()))


def first_cubes(campaign: Campaign) -> Array:
    """Return how many cubes of each colour each run threw in its first step, shape (runs, colours)."""
    cubes = campaign.cubes
    rows = cubes.thrown & (campaign.rows.drop[cubes.row] == 0)
    return campaign.tally(campaign.rows.run[cubes.row[rows]], cubes.colour.codes[rows], len(campaign.colours))


# Sections


def plain(campaign: Campaign, boot: Resamples) -> str:
    """Return a sentence on who wins, or "" if battles differ in their first cubes."""
    sides, cubes, wins = _odds(campaign, boot)
    if len(cubes) != 1:
        return ""
    words = " and ".join(f"{side} wins {plain_share(wins.at((0, i)))}" for i, side in enumerate(sides))
    nobody = wins.at((0, len(sides)))
    rest = f", nobody {plain_share(nobody)}" if nobody.value > 0 else ""
    first = " to ".join(map(str, cubes[0].tolist()))
    return f"With {first} cubes {words} of battles{rest}. ({how_sure(campaign.runs, campaign.unit)}.)"


def sections(campaign: Campaign, boot: Resamples) -> list[Section]:
    """Return the sections on battles."""
    if not len(campaign.cubes):
        return [Section("1. Where cubes land", "No cube was thrown, so there is nothing more to study.")]
    parts = [landings(campaign, boot), _knocks(campaign, boot)]
    return [*parts, _chains(campaign, boot), _who_wins(campaign, boot)] if have_winners(campaign) else parts


def landings(campaign: Campaign, boot: Resamples) -> Section:
    """Return the section on where cubes land, each time, and where they lie at the end."""
    cubes, run = campaign.cubes, campaign.rows.run[campaign.cubes.row].astype(np.int64)
    key = run * (int(cubes.cube.max(initial=0)) + 1) + cubes.cube
    last = len(key) - 1 - np.unique(key[::-1], return_index=True)[1]
    used, place = np.unique(cubes.after.codes, return_inverse=True)
    landed, final = (
        histogram(campaign, boot, run[rows], place[rows], len(used)) for rows in (through_ship(campaign), last)
    )
    names = [cubes.after.names[int(code)] for code in used]
    thrown = 0 if landed.n is None else int(landed.n[0])
    says = ""
    if thrown:
        best = int(np.nanargmax(landed.value))
        says = (
            f"{count_noun(thrown, 'cube')} went through the ship in {count_noun(campaign.runs, campaign.unit)}. "
            f"Most often they land at "
            f"{names[best]}, a share of {show(landed.at(best))}. `At the end` counts each cube once, where it last lay."
        )
    columns = {"place": names, "landed [cubes]": list_counts(landed), "share of landings": landed}
    columns |= {"at the end [cubes]": list_counts(final), "share at the end": final}
    order: Array = np.argsort(-np.nan_to_num(landed.value), kind="stable")
    y = np.arange(len(order))
    drawn = [
        charts.bars(y + shift, shares.take(order), name, 0.38, fill, across=True)
        for shares, name, shift, fill in ((landed, "landings", -0.2, 0), (final, "at the end", 0.2, 1))
    ]
    labels = [names[int(i)].removeprefix(ZONE).replace("_", " ") for i in order]
    panel = Panel("share of cubes", "", drawn, f"{campaign.runs} {campaign.unit}s", names=labels, across=True)
    chart = Chart("landings", "Where cubes land", [panel], 0.9 + 0.27 * len(order))
    return Section("1. Where cubes land", says, Table.of("landings", columns), chart)


def _knocks(campaign: Campaign, boot: Resamples) -> Section:
    title, (thrown, lying, moved) = "2. Cubes knocked on", _count_knocked(campaign)
    rows = (thrown > 0) & (lying > 0)
    if not rows.any():
        return Section(title, "No throw found cubes lying on the board.")
    run, group = campaign.rows.run[rows], np.minimum(thrown[rows], MOST_THROWN) - 1
    moved, lying = moved[rows], lying[rows]
    moves = grouped(campaign, boot, run, group, MOST_THROWN, moved)
    shares = grouped(campaign, boot, run, group, MOST_THROWN, moved, lying, share=True)
    every, of_lying = overall(campaign, boot, run, moved), overall(campaign, boot, run, moved, lying, share=True)
    used = np.flatnonzero(np.isfinite(moves.value))
    more = {MOST_THROWN - 1: " or more"}
    table: Rows = [
        [f"{i + 1}{more.get(i, '')}", moves.at(i).n, moves.at(i), shares.at(i, moves.at(i).n)] for i in used.tolist()
    ]
    x = f"thrown [cubes{f'; {MOST_THROWN}: or more' if used[-1] == MOST_THROWN - 1 else ''}]"
    drawn = [
        Panel(x, y, [charts.points(used + 1, values.take(used))], f"n = {rows.sum()} throws", floor=True)
        for y, values in (("moved a throw [cubes]", moves), ("share of lying cubes moved", shares))
    ]
    return Section(
        title,
        f"A throw onto a board with cubes moves {show(every)} of them into another place ({every.n} throws), a share "
        f"of {show(of_lying)} of those that lay there ({of_lying.n} cube-throws).",
        Table("knocks", ["thrown [cubes]", "throws", "moved a throw [cubes]", "share of those lying"], table),
        Chart("knocks", "Cubes knocked on by a throw", drawn, 2.5),
    )


def _chains(campaign: Campaign, boot: Resamples) -> Section:
    title, (run, length) = "3. Explosions", chain_lengths(campaign)
    if not len(run):
        return Section(title, "There was no throw.")
    lengths = histogram(campaign, boot, run, length)
    mean, some = overall(campaign, boot, run, length), overall(campaign, boot, run, length > 0, share=True)
    drawn = charts.bars(np.arange(len(lengths)), lengths, width=0.7)
    panel = Panel("explosions in a row", "share of throws", [drawn], f"n = {len(run)} throws", floor=True)
    return Section(
        title,
        f"After a throw (or an ability that asked the model) {show(mean)} explosions follow on average; a share of "
        f"{show(some)} of {count_noun(len(run), 'throw')} has any, the longest chain is {len(lengths) - 1}.",
        Table("chains", ["explosions in a row", "throws", "share of throws"], count_values(lengths)),
        Chart("chains", "Explosions in a row", [panel], 2.3),
    )


def _odds(campaign: Campaign, boot: Resamples) -> tuple[tuple[str, ...], Array, Estimates]:
    d, colours = campaign.rows, campaign.colours
    winner = np.full(campaign.runs, len(colours))
    rows = d.winner.codes != NOWHERE
    winner[d.run[rows]] = np.array([*map(colours.index, d.winner.names), NOWHERE])[d.winner.codes[rows]]
    done = np.flatnonzero(~campaign.unfinished & (np.bincount(d.run, minlength=campaign.runs) > 0))
    setups, group = np.unique(first_cubes(campaign)[done], axis=0, return_inverse=True)
    width = len(colours) + 1
    won = campaign.tally(done, group.ravel() * width + winner[done], len(setups) * width)
    played = np.repeat(campaign.tally(done, group.ravel(), len(setups)), width, axis=1)
    return colours, setups, boot.ratios(won.astype(float), played.astype(float), share=True).reshape(len(setups), width)


def _who_wins(campaign: Campaign, boot: Resamples) -> Section:
    sides, cubes, wins = _odds(campaign, boot)
    if not len(cubes) or wins.n is None:
        return Section("4. Who wins", "No battle was finished.")
    played = wins.n[:, 0]
    rows: Rows = [
        [*cubes[i].tolist(), int(played[i]), *(wins.at((i, k)) for k in range(len(sides) + 1))]
        for i in range(len(cubes))
    ]
    low, high = (float(pick(wins.value[:, 0])) for pick in (np.nanmin, np.nanmax))
    one = len(cubes) == 1
    head = [*(f"{side} [cubes]" for side in sides), "battles", *(f"won by {side}" for side in sides), "no winner"]
    common = np.sort(np.argsort(-played, kind="stable")[:DRAWN])
    x, step = np.arange(len(common)), 0.8 / (len(sides) + 1)
    paints = [*([paint] * len(common) for paint in cube_colours(sides).values()), []]
    drawn = [
        charts.bars(
            x + step * (k - len(sides) / 2),
            Estimates.of(wins.at((int(i), k)) for i in common),
            name,
            step,
            paint=paints[k],
        )
        for k, name in enumerate(head[len(sides) + 1 :])
    ]
    names = [f"{' : '.join(map(str, cubes[i]))} (n = {played[i]})" for i in common]
    note = f"the {DRAWN} commonest of {len(cubes)}" if len(cubes) > DRAWN else ""
    panel = Panel(f"first cubes, {' : '.join(sides)}", "share of battles", drawn, note, names, limits=(0, 1.03))
    return Section(
        "4. Who wins",
        f"Finished: {count_noun(int(played.sum()), 'battle')}. Different numbers of first cubes: {len(cubes)}. "
        f"{sides[0]} wins a "
        f"share of {low:.2f}{'' if one else f' to {high:.2f}'} of them."
        f"{f' With one set-up only: {show(wins.at((0, 0)))}.' if one else ''}",
        Table("odds", head, rows),
        Chart("odds", "Win shares by cubes on each side", [panel], 3.2, foot=True),
    )
