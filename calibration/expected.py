"""What is known before a recorded throw and expected of it, compiled in advance.

bets.py goes on from here. All tables come from outside. Sums go from the first number to the last; logarithms are those
of portable.py.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tower_sim.compiled.marks import T, aside
from tower_sim.compiled.trig import exp, log

Array = npt.NDArray[Any]

WHY = ("", "odd", "nothing", "setup", "later", "thrown", "inside", "drops")
"""Why the reference does not cover a throw, by number: 0 if it does, 5 to 7 what lies outside the games' range."""

_STEEPEST = 20.0  # see groups.chance


class Laws(NamedTuple):
    """A reference: see reference.py.

    `counts` are the first throws known, `setups` their laws (first throw, law, 2), `thrown` and `resident` the laws of
    later throws (law, 5), none if they are not known; coefficients, then the logarithm of the size. `ranges` has the
    ends of what is covered: thrown, inside, drops. `ages` are the odds by class of age, of later throws and of a first
    one, `least` the least age of each class.
    """

    counts: Array
    setups: Array
    thrown: Array
    resident: Array
    ranges: Array
    ages: Array
    least: Array


class Night(NamedTuple):
    """Recorded throws: counts by throw and colour; `marks` has the number of the game, 1 if odd, 1 if emptied."""

    thrown: Array
    out: Array
    after: Array
    marks: Array


class Known(NamedTuple):
    """What an owner knows before each throw: see reference.Situation; `odds` are sums over a colour's cubes.

    `ages` are the expected cubes by colour and age while a night is followed, `weights` the odds by age.
    """

    before: Array
    drops: Array
    why: Array
    loose: Array
    odds: Array
    ages: Array
    weights: Array


def known_of(throws: int, colours: int) -> Known:
    """Return tables for a night of so many throws."""
    shapes = (throws, colours), (throws,), (throws,), (throws,), (throws, colours), (colours, throws + 2), (throws + 2,)
    return Known(*(np.zeros(shape, np.int32 if i < 3 else float) for i, shape in enumerate(shapes)))


@aside
def expit(x: float) -> float:
    """Return the probability of log-odds."""
    return 1 / (1 + exp(-x))


@aside
def log_sum(values: T) -> float:
    """Return the logarithm of the sum of exponentials."""
    most, total = -math.inf, 0.0
    for value in values.flat:
        most = max(most, value)
    for value in values.flat:
        total += exp(value - most)
    return most + log(total)


@aside
def enter(known: Known, i: int, thrown: T, ages: T, least: T, drops: int) -> None:
    """Write what is known before throw `i`, and let its cubes in with age 0; the tower was empty `drops` throws ago."""
    kind, held, loosened = 0, 0.0, 0.0
    for age in range(drops + 1):
        while kind + 1 < len(least) and least[kind + 1] <= age:
            kind += 1
        known.weights[age] = ages[1 if age == drops else 0, kind]
    known.drops[i], known.loose[i] = drops, 0.0
    for c in range(len(thrown)):
        for age in range(drops, 0, -1):
            cubes = known.ages[c, age - 1]
            known.ages[c, age] = cubes
            held += cubes
            loosened += cubes * known.weights[age]
        known.ages[c, 0] = thrown[c]
        odds = 0.0
        for age in range(drops + 1):
            odds += known.ages[c, age] * known.weights[age]
        known.odds[i, c] = odds
    if drops > 0:
        known.loose[i] = log(loosened / held if held > 0 else ages[0, 1])


@aside
def factor_for(counts: T, odds: T, out: float) -> float:
    """Return the factor x of all odds with which `out` of so many `counts` are expected out.

    The share that comes out is x odds / (1 + x odds): nearly the mean of Fisher's noncentral hypergeometric law. The
    logarithm of x is found by bisection.
    """
    low, high = -60.0, 60.0
    for _ in range(60):
        middle = (low + high) / 2
        x, many = exp(middle), 0.0
        for k in range(len(counts)):
            many += counts[k] * (x * odds[k] / (1 + x * odds[k]))
        if many > out:
            high = middle
        else:
            low = middle
    return exp((low + high) / 2)


@aside
def leave(known: Known, out: T, drops: int) -> None:
    """Take the cubes that came out from the expected cubes by age."""
    for c in range(len(out)):
        x = factor_for(known.ages[c, : drops + 1], known.weights, out[c])
        for age in range(drops + 1):
            known.ages[c, age] /= 1 + x * known.weights[age]


@aside
def end(known: Known, thrown: T, after: T, is_odd: int, is_emptied: int, drops: int) -> int:
    """Go on after a throw with `after` cubes inside; return how many throws there were since the tower was empty."""
    for c in range(len(after) if is_odd else 0):
        held = 0.0
        for age in range(drops + 1):
            held += known.ages[c, age]
        if held < 1e-9:  # those of nothing are new
            held += 1 - known.ages[c, 0]
            known.ages[c, 0] = 1.0
        for age in range(drops + 1):
            known.ages[c, age] *= after[c] / held
    if is_emptied:
        return 0
    if thrown.sum() > 0:
        return drops + 1
    for c in range(len(after)):
        for age in range(drops):
            known.ages[c, age] = known.ages[c, age + 1]
    return drops


def follow(ages: T, least: T, night: Night, known: Known) -> None:
    """Follow a night throw by throw: write what its owner knows before each; a game begins with the empty tower."""
    drops = 0
    for i in range(len(night.marks)):
        if i == 0 or night.marks[i, 0] != night.marks[i - 1, 0]:
            drops = 0
        else:
            for c in range(night.after.shape[1]):
                known.before[i, c] = night.after[i - 1, c]
        enter(known, i, night.thrown[i], ages, least, drops)
        leave(known, night.out[i], drops)
        drops = end(known, night.thrown[i], night.after[i], night.marks[i, 1], night.marks[i, 2], drops)


@aside
def setup_of(law: Laws, thrown: int) -> int:
    """Return which first throw has so many cubes, -1 if none."""
    for i in range(len(law.counts)):
        if law.counts[i] == thrown:
            return i
    return -1


@aside
def why_not(law: Laws, thrown: int, inside: int, drops: int) -> int:
    """Return why the reference does not cover such a throw: see WHY."""
    if thrown == 0:
        return 2
    if drops == 0:
        return 3 if setup_of(law, thrown) < 0 else 0
    if len(law.thrown) == 0:
        return 4
    ranges = law.ranges
    for k in range(3):
        value: Any = thrown if k == 0 else inside if k == 1 else drops
        if value < ranges[k, 0] or value > ranges[k, 1]:
            return 5 + k
    return 0


@aside
def beta_binomial(row: T, n: int, log_odds: float, log_size: float) -> None:
    """Write the probabilities of 0 to n cubes of a beta-binomial law, from the ratios of neighbours."""
    mean, size = expit(min(max(log_odds, -_STEEPEST), _STEEPEST)), exp(log_size)
    a, b = mean * size, (1 - mean) * size
    row[0] = 0.0
    for k in range(n):
        row[k + 1] = row[k] + log(((n - k) / (k + 1)) * ((a + k) / (b + (n - k - 1))))
    normalise(row, n)


@aside
def normalise(row: T, n: int) -> None:
    """Make probabilities of logarithms that lack a constant."""
    total = log_sum(row[: n + 1])
    for k in range(n + 1):
        row[k] = exp(row[k] - total)


@aside
def mean_of(law: T, n: int, m: int, loose: float) -> float:
    """Return the log-odds of the mean of a later throw's law."""
    return law[0] + law[1] * log(1.0 + n) + law[2] * (m / 10) + law[3] * loose


@aside
def write_pmf(law: Laws, which: int, n: int, m: int, drops: int, loose: float, rows: T) -> int:
    """Write the probabilities of the number out by law `which` into row 0; return how many cubes may come out."""
    if drops == 0:
        own = law.setups[setup_of(law, n), which]
        beta_binomial(rows[0], n, own[0], own[1])
        return n
    own, other = law.thrown[which], law.resident[which]
    beta_binomial(rows[1], n, mean_of(own, n, m, loose), own[4])
    beta_binomial(rows[2], m, mean_of(other, n, m, loose), other[4])
    convolve(rows[1], n, rows[2], m, rows[0])
    return n + m


@aside
def convolve(a: T, n: int, b: T, m: int, into: T) -> None:
    """Write the law of the sum of two numbers, from 0 to n and to m."""
    into[: n + m + 1] = 0.0
    for i in range(n + 1):
        for j in range(m + 1):
            into[i + j] += a[i] * b[j]


def cover(law: Laws, night: Night, known: Known) -> None:
    """Write why the reference does not cover each throw."""
    for i in range(len(night.marks)):
        thrown, inside = night.thrown[i].sum(), known.before[i].sum()
        known.why[i] = 1 if night.marks[i, 1] else why_not(law, thrown, inside, known.drops[i])


def list_chances(law: Laws, n: int, m: int, drops: int, loose: float, rows: T, chances: T) -> None:
    """List the probability of 0, 1, ... cubes out by law, shape (laws, cubes), of n thrown onto m."""
    for which in range(len(chances)):
        write_pmf(law, which, n, m, drops, loose, rows)
        for k in range(chances.shape[1]):
            chances[which, k] = rows[0, k]


def expect(law: Laws, night: Night, known: Known, rows: T, chances: T, ends: T) -> None:
    """Write what was expected of each throw that is covered: `chances` by the number out, averaged over the laws.

    `ends` has by throw the mean, the 5 % and 95 % points, and the chance of a number as far out as it was.
    """
    for i in range(len(ends)):
        if known.why[i] != 0:
            continue
        n, m, out, drops = night.thrown[i].sum(), known.before[i].sum(), night.out[i].sum(), known.drops[i]
        laws, most = law.setups.shape[1], 0
        for which in range(laws):
            most = write_pmf(law, which, n, m, drops, known.loose[i], rows)
            for k in range(most + 1):
                chances[i, k] += rows[0, k]
        mean = up = fewer = as_many = 0.0
        low = high = most
        for k in range(most, -1, -1):
            chances[i, k] /= laws
            mean += chances[i, k] * k
        for k in range(most + 1):
            fewer = up if k == out else fewer
            up += chances[i, k]
            as_many = up if k == out else as_many
            low, high = min(low, k) if up >= 0.05 else low, min(high, k) if up >= 0.95 else high
        ends[i, 0], ends[i, 1], ends[i, 2], ends[i, 3] = mean, low, high, min(1.0, 2 * min(as_many, 1 - fewer))
