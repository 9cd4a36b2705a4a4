"""E-values of recorded throws against a model, compiled in advance; expected.py has what the model expects.

verdict.py says what the numbers mean. The page of a game night calls the same functions, so it shows the same numbers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tower_sim.calibration import expected
from tower_sim.calibration.expected import (
    Array,
    Known,
    Laws,
    Night,
    convolve,
    cover,
    enter,
    expect,
    factor_for,
    follow,
    leave,
    list_chances,
    log_sum,
    normalise,
    why_not,
    write_pmf,
)  # fmt: skip
from tower_sim.compiled import CompiledFile, CompiledFunction, trig
from tower_sim.compiled.marks import T, aside
from tower_sim.compiled.trig import exp, log
from tower_sim.surrogate import generator
from tower_sim.surrogate.generator import word
from tower_sim.tools import portable, student

STRONG = 20.0
TILTS = (0.1, 0.2, 0.4, 0.8, -0.1, -0.2, -0.4, -0.8)
"""Of the log-odds, about: towers that let more go, then towers that keep more."""
POWERS = (0.5, 0.7, 1.4, 2.0)
"""Of probabilities: towers that are more erratic, then towers that are more regular."""
BETS_ON_NUMBERS = len(TILTS) + len(POWERS)
COLOUR_TILTS = (-1.6, -0.8, -0.4, 0.4, 0.8, 1.6)
FINE, STEEP = 161, 4.0
"""Tilts of the interval: so many, from -STEEP to STEEP."""

_DIRECTIONS = (1, 5, 9, 11, 13)  # where the sums of each begin: two of TILTS, two of POWERS
_LEAST = 1e-300  # a probability of which the logarithm is taken
_NEVER = -1e9  # the logarithm of nearly 0
_FAR = 690.0  # of a logarithm, so that a sum is finite and above 0
_MOST = 340.0  # of a log e-value, so that a product of two is finite


class Desk(NamedTuple):
    """Tables to work in.

    `rows` are five rows of probabilities, `powers` a row for each tilt of FINE; `sums` the log-likelihoods of the
    reference, then those of each bet, by law; `fine` those of FINE; `shifts` of the mean, by tilt; `logs` the log
    e-values by colour and tilt; `series` a row for each colour; `both` are sums of first throws and of later ones,
    `shares` those of the directions.
    """

    rows: Array
    powers: Array
    sums: Array
    fine: Array
    shifts: Array
    logs: Array
    series: Array
    both: Array
    shares: Array


def desk_for(cubes: int, laws: int, colours: int) -> Desk:
    """Return tables for throws of up to so many cubes, thrown and inside."""
    width, bets = cubes + 1, (1 + BETS_ON_NUMBERS, laws)
    tilts = colours * len(COLOUR_TILTS)
    shapes = (5, width), (FINE, width), bets, (FINE, laws), (FINE,), (tilts,), (colours, width), (2, *bets), (4,)
    return Desk(*map(np.zeros, shapes))


@aside
def bet(sums: T, rows: T, which: int, most: int, out: int) -> None:
    """Add the log-likelihoods of `out` of 0 to `most` cubes: of a law, in row 0, and of each bet against it.

    A bet's law is p(k) exp(t k) or p(k)^s, normalised.
    """
    for k in range(most + 1):
        rows[3, k] = log(max(rows[0, k], _LEAST))
    sums[0, which] += rows[3, out]
    for i in range(BETS_ON_NUMBERS):
        for k in range(most + 1):
            rows[4, k] = rows[3, k] + TILTS[i] * k if i < len(TILTS) else rows[3, k] * POWERS[i - len(TILTS)]
        sums[1 + i, which] += rows[4, out] - log_sum(rows[4, : most + 1])


@aside
def worth(sums: T, shares: T) -> float:
    """Return the logarithm of the e-value, and write the share of each direction in the stake now.

    Null and bets are averages of the likelihood of all throws over the laws. Their ratio has expectation 1, so the
    uncertainty of the fit is no evidence.
    """
    for i in range(len(shares)):  # equal stakes by direction, then by size
        first, last = _DIRECTIONS[i], _DIRECTIONS[i + 1]
        shares[i] = log_sum(sums[first:last]) - log(4.0 * (last - first))
    total = log_sum(shares)
    for i in range(len(shares)):
        shares[i] = exp(shares[i] - total)
    return total - log_sum(sums[0])


@aside
def tilt_at(f: int) -> float:
    """Return tilt `f` of the interval."""
    return -STEEP + f * (2 * STEEP / (FINE - 1))


@aside
def refine(desk: Desk, which: int, most: int, out: int, laws: int) -> float:
    """Add a throw to the interval; return the mean of the law in row 0. See `desk.powers` for the tilts."""
    p, mean = desk.rows[0], 0.0
    for k in range(most + 1):
        mean += p[k] * k
    own = log(max(p[out], _LEAST))
    for f in range(FINE):
        powers, mass, tilted = desk.powers[f], 0.0, 0.0
        for k in range(most + 1):
            share = p[k] * powers[k]
            mass += share
            tilted += share * k
        desk.fine[f, which] += own + tilt_at(f) * (out - most / 2) - log(mass)
        desk.shifts[f] += (tilted / mass - mean) / laws
    return mean


@aside
def bound(desk: Desk, count: int, numbers: T) -> None:
    """Write the range of mean shifts whose tilt is not rejected: the bet against it is below STRONG."""
    own = log_sum(desk.sums[1 : _DIRECTIONS[2]]) - log(_DIRECTIONS[2] - 1.0)
    low, high = FINE, 0
    for f in range(FINE):
        if own - log_sum(desk.fine[f]) < log(STRONG):
            low, high = min(low, f), f
    numbers[3] = desk.shifts[max(low - 1, 0)] / count  # a grid step more, to be safe
    numbers[4] = desk.shifts[min(high + 1, FINE - 1)] / count


@aside
def bet_on_numbers(law: Laws, night: Night, known: Known, is_later: int, desk: Desk, e: T, numbers: T) -> None:
    """Bet on how many come out of the first throws that are covered, or of the later ones."""
    sums, laws, count = desk.sums, desk.sums.shape[1], 0
    sums[:, :] = 0.0
    desk.fine[:, :] = 0.0
    desk.shifts[:] = 0.0
    for i in range(len(e)):
        drops = known.drops[i]
        if known.why[i] == 0 and (drops > 0) == (is_later > 0):
            n, m, out = night.thrown[i].sum(), known.before[i].sum(), night.out[i].sum()
            most = n + m if is_later else n
            for f in range(FINE):
                for k in range(most + 1):
                    power = tilt_at(f) * (k - most / 2)
                    desk.powers[f, k] = exp(min(max(power, -_FAR), _FAR))
            for which in range(laws):
                write_pmf(law, which, n, m, drops, known.loose[i], desk.rows)
                bet(sums, desk.rows, which, most, out)
                numbers[2] += refine(desk, which, most, out, laws) / laws
            numbers[1] += out
            count += 1
        e[i] = exp(min(worth(sums, numbers[5:9]), _MOST))
    some = max(count, 1)
    numbers[0], numbers[1], numbers[2] = count, numbers[1] / some, numbers[2] / some
    bound(desk, some, numbers)


def write_colour_law(cubes: T, odds: T, colour: int, out: int, series: T, rows: T) -> None:
    """Write into row 0 the law of the number of a colour's cubes among `out`; `cubes` are 0 of a colour left out.

    It is a marginal of Fisher's noncentral hypergeometric distribution. A common factor of the odds, which changes no
    result, keeps probabilities from underflowing.
    """
    x, width, rest = factor_for(cubes, odds, out), 0, 1
    rows[1, 0] = 1.0
    for c in range(len(cubes)):
        n = int(cubes[c])
        series[c, 0] = 0.0
        for k in range(n):
            series[c, k + 1] = series[c, k] + log((n - k) / (k + 1) * (x * odds[c]))
        normalise(series[c], n)
        if c != colour:
            convolve(rows[rest], width, series[c], n, rows[3 - rest])
            width, rest = width + n, 3 - rest
    n, total = int(cubes[colour]), 0.0
    for k in range(n + 1):
        rows[0, k] = series[colour, k] * rows[rest, out - k] if 0 <= out - k <= width else 0.0
        total += rows[0, k]
    for k in range(n + 1):
        rows[0, k] /= total


@aside
def bet_on_colours(night: Night, known: Known, desk: Desk, e: T, by_colour: T) -> int:
    """Bet that one colour differs, given how many come out among the colours that can be compared; return how often.

    `by_colour` gets the cubes out and expected, and the share of the stake on fewer and on more.
    """
    colours, count, row = by_colour.shape[0], 0, desk.rows[1]
    cubes, odds, logs, tilts = by_colour[:, 2], by_colour[:, 3], desk.logs, len(COLOUR_TILTS)
    logs[:] = 0.0
    for i in range(len(e)):
        came, there, kinds = 0, 0.0, 0
        for c in range(colours):
            many = night.thrown[i, c] + known.before[i, c]
            cubes[c] = many if known.drops[i] == 0 or night.thrown[i, c] == 0 else 0.0
            odds[c] = known.odds[i, c] / max(many, 1)
            there += cubes[c]
            if cubes[c] > 0:
                kinds, came = kinds + 1, came + night.out[i, c]
        if kinds > 1 and night.marks[i, 1] == 0 and 0 < came < there:
            count += 1
            for c in range(colours):
                n, out = int(cubes[c]), night.out[i, c]
                if n > 0:
                    write_colour_law(cubes, odds, c, came, desk.series, desk.rows)
                    for k in range(n + 1):
                        by_colour[c, 1] += desk.rows[0, k] * k
                    by_colour[c, 0] += out
                    for t in range(tilts):
                        for k in range(n + 1):
                            p = desk.rows[0, k]
                            row[k] = COLOUR_TILTS[t] * k + log(p) if p > _LEAST else _NEVER
                        logs[tilts * c + t] += COLOUR_TILTS[t] * out - log_sum(row[: n + 1])
        e[i] = exp(min(log_sum(logs) - log(float(len(logs))), _MOST))
    total = log_sum(logs)
    for c in range(colours):
        by_colour[c, 2] = by_colour[c, 3] = 0.0
        for t in range(tilts):
            by_colour[c, 2 if COLOUR_TILTS[t] < 0 else 3] += exp(logs[tilts * c + t] - total)
    return count


def judge_night(law: Laws, night: Night, known: Known, desk: Desk, e: T, numbers: T, by_colour: T) -> int:
    """Do all bets on a night that was followed and covered; return on how many throws colours were bet.

    `e` gets the e-values after each throw: of first throws, of later ones, of colours. `numbers` gets for first throws
    and for later ones: how many, cubes out, cubes predicted, the ends of the interval, the share of each direction. For
    `by_colour` see `bet_on_colours`. Both begin with zeros.
    """
    for is_later in range(2):
        bet_on_numbers(law, night, known, is_later, desk, e[is_later], numbers[is_later])
    return bet_on_colours(night, known, desk, e[2], by_colour)


# How many nights it takes


@aside
def uniform(state: T) -> float:
    """Draw a number from 0 to 1."""
    return word(state) / 4294967296.0


@aside
def pick(weights: T, count: int, state: T) -> int:
    """Draw one of the first `count`, in proportion to their weights."""
    total = 0.0
    for k in range(count):
        total += weights[k]
    left = uniform(state) * total
    for k in range(count):
        left -= weights[k]
        if left < 0:
            return k
    return count - 1


def play_night(
    law: Laws, phases: T, colour: T, since: T, night: Night, known: Known, desk: Desk, state: T, sums: T, tilt: float
) -> float:
    """Play a night of a tower whose odds are exp(tilt) times the model's; return the mean number inside in play.

    A game throws what lies outside of the colours of its `phases`, -1 for all; `colour` is each cube's, `since` the
    throw that threw it in (-1: outside). `sums` gets the log-likelihoods of first throws and of later ones, as in Desk.
    Words are drawn from `state`.
    """
    drops, inside, held, laws = 0, 0, 0.0, law.setups.shape[1]
    since[:] = -1
    sums[:, :, :] = 0.0
    for phase in phases:
        thrown, out, after = night.thrown[drops], night.out[drops], night.after[drops]
        thrown[:] = 0
        out[:] = 0
        after[:] = 0
        for k in range(len(colour)):
            if since[k] < 0 and (phase < 0 or colour[k] == phase):
                since[k] = drops
                thrown[colour[k]] += 1
        n = thrown.sum()
        if n == 0:
            continue
        enter(known, drops, thrown, law.ages, law.least, drops)
        loose = known.loose[drops]
        near: Any = n if drops == 0 else min(max(n, law.ranges[0, 0]), law.ranges[0, 1])
        most = write_pmf(law, int(uniform(state) * laws), near, inside, drops, loose, desk.rows)
        for k in range(most + 1):
            desk.rows[0, k] *= exp(tilt * k)
        many = pick(desk.rows[0], most + 1, state)
        if why_not(law, n, inside, drops) == 0:
            for which in range(laws):
                write_pmf(law, which, n, inside, drops, loose, desk.rows)
                bet(sums[1 if drops > 0 else 0], desk.rows, which, most, many)
        inside += n
        for _ in range(min(many, inside)):
            for k in range(len(colour)):
                desk.rows[0, k] = known.weights[drops - since[k]] if since[k] >= 0 else 0.0
            cube = pick(desk.rows[0], len(colour), state)
            since[cube] = -1
            out[colour[cube]] += 1
            inside -= 1
        for k in range(len(colour)):
            if since[k] >= 0:
                after[colour[k]] += 1
        leave(known, out, drops)
        held += inside if drops > 0 else 0
        drops += 1
    return held / max(drops - 1, 1)


def find_nights(nights: T, desk: Desk, state: T, found: T) -> None:
    """Find in sequences of nights, drawn from `nights` (see play_night), when the bet first reaches STRONG.

    `found` has a row for each sequence, which begins as the most nights of it; it becomes their number, 0 if never.
    """
    for i in range(len(found)):
        longest = found[i]
        found[i] = 0
        both, parts = desk.both, nights.shape[1]
        both[:, :, :] = 0.0
        for night in range(longest):
            drawn = int(uniform(state) * len(nights))
            total = 0.0
            for part in range(parts):
                for row in range(both.shape[1]):
                    for which in range(both.shape[2]):
                        both[part, row, which] += nights[drawn, part, row, which]
                total += worth(both[part], desk.shares)
            if total >= log(STRONG):
                found[i] = night + 1
                break


def _exports() -> dict[str, CompiledFunction]:
    """Return what is exported; tables with one number of nothing have widths that differ."""
    wide, flat, counts, whole = np.zeros((0, 0)), np.zeros(0), np.zeros((0, 0), np.int32), np.zeros(0, np.int32)
    later, ends, cube, words = np.zeros((0, 5)), np.zeros((0, 2), np.int32), np.zeros((0, 0, 0)), np.zeros(4, np.uint32)
    law = Laws(whole, np.zeros((0, 0, 2)), later, later, ends, wide, whole)
    night = Night(counts, counts, counts, np.zeros((0, 3), np.int32))
    known = Known(counts, whole, whole, flat, wide, wide, flat)
    desk = Desk(wide, wide, wide, wide, flat, flat, wide, cube, flat)
    takes: dict[Any, tuple[Any, ...]] = {
        follow: (wide, whole, night, known),
        cover: (law, night, known),
        list_chances: (law, 1, 1, 1, 1.0, wide, wide),
        expect: (law, night, known, wide, wide, np.zeros((0, 4))),
        judge_night: (law, night, known, desk, wide, np.zeros((0, 9)), np.zeros((0, 4))),
        write_colour_law: (flat, flat, 1, 1, wide, wide),
        play_night: (law, whole, whole, whole, night, known, desk, words, cube, 1.0),
        find_nights: (np.zeros((0, 0, 0, 0)), desk, words, whole),
    }
    gives = {judge_night: int, play_night: float}
    return {each.__name__: CompiledFunction(each, given, gives.get(each)) for each, given in takes.items()}


SOURCES = tuple(
    Path(str(each))
    for each in (__file__, expected.__file__, generator.__file__, portable.__file__, student.__file__, trig.__file__)
)
BETS = CompiledFile("bets", SOURCES, _exports(), Path(__file__).with_name("bets.wasm"))
