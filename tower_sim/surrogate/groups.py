"""One drop as two beta-binomials: how many thrown cubes come out, and how many cubes from inside."""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from tower_sim.errors import fault
from tower_sim.outcome import BORDER, TABLE, ZONE
from tower_sim.surrogate.two_thirds import AGAIN, from_plain

Array = npt.NDArray[Any]

AGES = (0, 1, 2, 3, 4, 6, 8, 11, 15, 22)  # the least age of each class, in drops; 0 is thrown just now
COEFFICIENT_SD = 5.0  # of the weak penalty, with mean 0
LOG_SIZE, LOG_SIZE_SD = 3.0, 2.0  # of the weak penalty: overdispersion about 0.05, from 0.001 to 0.7
_STEEPEST = 20.0  # log-odds of a mean are cut to +-20, so that no probability is rounded to 0 or 1

_special: Any = importlib.import_module("scipy.special")  # has no type stubs
_optimize: Any = importlib.import_module("scipy.optimize")


@dataclass(frozen=True, slots=True)
class BetaBinomial:
    """A beta-binomial distribution of the number of cubes of a group that come out in a drop.

    The beta distribution's mean has the log-odds `coefficients` @ terms; its parameters sum to exp(`log_size`).
    """

    coefficients: tuple[float, ...]
    log_size: float


@dataclass(frozen=True, slots=True)
class AgeOdds:
    """The odds that a cube comes out, by its age: drops since it was thrown. Both fields go by the classes of AGES.

    `setup` is for cubes from the first drop of a game, which lie deeper.
    """

    later: tuple[float, ...]
    setup: tuple[float, ...]

    def at(self, drops: int) -> Array:
        """Return the odds at ages 0 to `drops` in a tower that was empty `drops` drops ago, shape (drops + 1,)."""
        which = np.searchsorted(AGES, np.arange(drops + 1), side="right") - 1
        odds = np.array(self.later)[which]
        odds[-1] = self.setup[which[-1]]
        return odds

    def loose(self, residents: Array) -> float:
        """Return the log of the mean odds of the cubes inside, counted by age; for none, the log-odds at age 1."""
        odds = self.at(len(residents) - 1)
        total = float(residents.sum())
        return math.log(float(residents @ odds) / total if total > 0 else self.later[1])


def fit_ages(age: Array, drops: Array, is_out: Array) -> AgeOdds:
    """Estimate the odds by age as (out + 1/2) / (stayed + 1/2), from one entry for each cube and drop.

    `age` and `drops` count drops since the cube was thrown and since the tower was empty.
    """
    which = np.searchsorted(AGES, age, side="right") - 1

    def odds(rows: Array) -> tuple[float, ...]:
        out, stayed = (np.bincount(which[rows & (is_out == left)], minlength=len(AGES)) for left in (True, False))
        return tuple(((out + 0.5) / (stayed + 0.5)).tolist())

    return AgeOdds(odds(age != drops), odds(age == drops))


class GroupsLaw(NamedTuple):
    """The independent distributions of the numbers of thrown cubes and of cubes inside that come out in a drop.

    The `terms` of their means were chosen by held-out log score.
    """

    thrown: BetaBinomial
    resident: BetaBinomial


def terms(thrown: Any, inside: Any, loose: Any) -> Array:
    """Return 1, log(1 + thrown), inside / 10 and loose of one or more drops, shape (..., terms)."""
    columns = np.broadcast_arrays(1.0, np.log1p(thrown), np.asarray(inside) / 10, np.asarray(loose, float))
    return np.stack(columns, axis=-1)


def chance(log_odds: Array) -> Array:
    """Return the probabilities for `log_odds`, which are first cut to -20 to 20."""
    return _special.expit(np.clip(log_odds, -_STEEPEST, _STEEPEST))


def beta_binomial(cubes: int, mean: Array, size: Array) -> Array:
    """Return the beta-binomial probabilities of 0 to `cubes` cubes, shape (..., cubes + 1).

    `mean` is that of the beta distribution and `size` the sum of its parameters, both of shape (...). Source: Johnson,
    Kemp, Kotz, Univariate Discrete Distributions, 2005, section 6.2.2.
    """
    k = np.arange(cubes + 1)
    n = np.array(cubes)
    pmf = np.exp(_log_pmf(k, n, _log_choose(k, n), np.asarray(mean)[..., None], np.asarray(size)[..., None]))
    return pmf / pmf.sum(-1, keepdims=True)


def _log_choose(out: Array, cubes: Array) -> Array:
    return -_special.betaln(out + 1, cubes - out + 1) - np.log1p(cubes)


def _log_pmf(out: Array, cubes: Array, choose: Array, mean: Array, size: Array) -> Array:
    a, b = mean * size, (1 - mean) * size
    return choose + _special.betaln(out + a, cubes - out + b) - _special.betaln(a, b)


def fit(
    thrown: Any, inside: Any, loose: Any, thrown_out: Any, resident_out: Any, weights: Array | None = None
) -> GroupsLaw:
    """Fit both beta-binomials; arguments have one entry for each drop, `weights` multiply the log-likelihoods."""
    x = terms(*(np.asarray(counts, float) for counts in (thrown, inside, loose)))
    return GroupsLaw(fit_group(x, thrown, thrown_out, weights), fit_group(x, inside, resident_out, weights))


def fit_group(x: Array, cubes: Any, out: Any, weights: Array | None = None) -> BetaBinomial:
    """Fit one beta-binomial by penalised maximum likelihood; `x` has the terms of each drop, shape (drops, terms).

    The normal penalties (mean 0 and sd 5 for each coefficient, mean 3 and sd 2 for `log_size`) keep the estimates
    finite if a group always or never comes out.
    """
    n, k = np.asarray(cubes, float), np.asarray(out, float)
    w = np.ones(len(n)) if weights is None else np.asarray(weights, float)
    centre = np.zeros(x.shape[1] + 1)
    centre[-1] = LOG_SIZE
    sd = np.full(len(centre), COEFFICIENT_SD)
    sd[-1] = LOG_SIZE_SD
    scale = max(float(w.sum()), 1.0)  # the optimiser's first step is the gradient, so the loss needs a natural scale

    choose = _log_choose(k, n)  # the same at each step

    def loss(at: Array) -> tuple[float, Array]:
        value, slope = _log_likelihood(at, x, n, k, choose, w)
        off = (at - centre) / sd
        return (float(off @ off) / 2 - value) / scale, (off / sd - slope) / scale

    begin = centre.copy()
    begin[0] = math.log((w @ k + 0.5) / (w @ (n - k) + 0.5))
    best: Array = _optimize.minimize(loss, begin, jac=True, method="BFGS", options={"gtol": 1e-5}).x
    steps = np.eye(len(best)) * 1e-4
    hessian = np.array([(loss(best + step)[1] - loss(best - step)[1]) / 2e-4 for step in steps]) * scale
    for _ in range(5):  # to the last digits, so that equal drops in any order give equal numbers when rounded
        best = best - np.linalg.solve(hessian, loss(best)[1] * scale)
    return BetaBinomial(tuple(best[:-1].tolist()), float(best[-1]))


def _log_likelihood(at: Array, x: Array, n: Array, k: Array, choose: Array, w: Array) -> tuple[float, Array]:
    mean, size = chance(x @ at[:-1]), np.exp(np.clip(at[-1], -10, 12))
    a, b = mean * size, (1 - mean) * size
    psi = _special.digamma
    common = psi(size) - psi(n + size)
    by_a, by_b = psi(k + a) - psi(a) + common, psi(n - k + b) - psi(b) + common
    by_mean = w * (by_a - by_b) * size * mean * (1 - mean)
    by_size = float(w @ (by_a * mean + by_b * (1 - mean)) * size)
    return float(w @ _log_pmf(k, n, choose, mean, size)), np.append(by_mean @ x, by_size)


TERMS = ("1", "log thrown", "log (thrown + lying)")
_MOST_LOG = 700.0  # logarithms are cut to +-700, so that no exponential overflows


@dataclass(frozen=True, slots=True)
class Covered:
    """A class of throws in the training data, by the cubes thrown and lying; all four limits are inclusive."""

    thrown_low: int
    thrown_high: int
    lying_low: int
    lying_high: int


@dataclass(frozen=True, slots=True)
class BoardLaw:
    """Where thrown cubes land on a ship's board, and where lying cubes move.

    `places` are the zones as `zone:NAME`, then `border` and `table`; all that is by place has this order.

    n cubes are thrown at once onto m lying cubes, m[k] of them at place k. Each lands at place k with a probability
    proportional to

        exp(landing[k] @ (1, log n, log(n + m)) + crowd * log(1 + m[k]))

    The most common place has coefficients 0. A cube at place k moves with probability 1 - exp(-exp(changed[k] + slope *
    log n)), or `quiet` if nothing is thrown, and comes to place j with probability `moves[k][j]`. A cube on the table
    stays. All cubes are independent. The terms were chosen by held-out log score (docs/surrogate/dead_reckoning).

    The fields that end in `error` or `errors` are standard errors. `moved` counts the displacements that `moves` was
    estimated from, `cover` describes the throws in the training data.
    """

    places: tuple[str, ...]
    landing: tuple[tuple[float, ...], ...]
    landing_errors: tuple[tuple[float, ...], ...]
    crowd: float
    crowd_error: float
    changed: tuple[float, ...]
    changed_errors: tuple[float, ...]
    slope: float
    slope_error: float
    quiet: float
    moves: tuple[tuple[float, ...], ...]
    moved: tuple[int, ...]
    cover: tuple[Covered, ...]

    @property
    def most_thrown(self) -> int:
        """The greatest number thrown at once in the training data."""
        return max(covered.thrown_high for covered in self.cover)

    @property
    def most_together(self) -> int:
        """The greatest sum of cubes thrown and lying, over the classes in `cover`."""
        return max(covered.thrown_high + covered.lying_high for covered in self.cover)

    def covers(self, thrown: int, lying: int) -> bool:
        """Return whether the training data include such throws."""
        if thrown == 0:
            return lying <= max(covered.lying_high for covered in self.cover)
        return any(
            covered.thrown_low <= thrown <= covered.thrown_high and covered.lying_low <= lying <= covered.lying_high
            for covered in self.cover
        )

    def shares(self, thrown: int, lying: Sequence[int] | Array) -> Array:
        """Return the probability that a thrown cube lands at each place, shape (places,).

        `lying` counts the cubes before the throw, shape (places,). Counts are cut to the greatest in the training data.
        """
        there = np.asarray(lying, float)
        together = min(max(thrown, 1) + float(there.sum()), self.most_together)
        x = np.array([1.0, math.log(min(max(thrown, 1), self.most_thrown)), math.log(together)])
        crowded = np.log1p(np.minimum(there, self.most_together))
        log_odds = np.array(self.landing) @ x + self.crowd * crowded
        odds = np.exp(np.maximum(log_odds - log_odds.max(), -_MOST_LOG))
        return odds / odds.sum()

    def changes(self, thrown: int) -> Array:
        """Return the probability that a cube at each place moves while `thrown` cubes are thrown, shape (places,)."""
        if thrown == 0:
            chances = np.full(len(self.places), self.quiet)
        else:
            log_rate = np.array(self.changed) + self.slope * math.log(thrown)
            chances = -np.expm1(-np.exp(np.clip(log_rate, -_MOST_LOG, _MOST_LOG)))
        chances[self.places.index(TABLE)] = 0.0
        return chances

    def to_plain(self) -> dict[str, Any]:
        """Return the parameters as plain values; `from_plain` restores them exactly."""
        return asdict(self) | {"terms": TERMS, "cover": [astuple(covered) for covered in self.cover]}

    @staticmethod
    def from_plain(plain: object) -> BoardLaw:
        """Restore the result of `to_plain`."""
        table = dict(cast("Mapping[str, Any]", plain)) if isinstance(plain, Mapping) else {}
        terms = table.pop("terms", ())
        if tuple(terms) != TERMS:
            raise fault("terms of the law", terms, ", ".join(TERMS), "fit it with this version")
        rows = from_plain(tuple[tuple[int, ...], ...], table.get("cover", ()), "law, cover")
        names = [item.name for item in fields(Covered)]
        cover = [dict(zip(names, row, strict=False)) for row in rows]
        return from_plain(BoardLaw, table | {"cover": cover}, "law")

    def check(self, where: str) -> None:
        """Raise UsageError for numbers that no fit gives: wrong shapes, and what is no error, chance or range."""
        zones = self.places[:-2]
        if not zones or self.places[-2:] != (BORDER, TABLE) or not all(zone.startswith(ZONE) for zone in zones):
            raise fault(f"places of {where}", self.places, f"zones as {ZONE}NAME, then {BORDER}, {TABLE}", AGAIN)
        size = len({*self.places})
        by_place = {"places": (), "landing": (3,), "landing_errors": (3,), "changed": (), "changed_errors": (),
                    "moves": (size,), "moved": ()}  # fmt: skip
        for name, width in by_place.items():
            if (shape := np.shape(getattr(self, name))) != (size, *width):
                raise fault(f"shape of {name} of {where}", shape, f"{(size, *width)}: different places", AGAIN)
        for name in ("landing_errors", "crowd_error", "changed_errors", "slope_error", "moves", "quiet"):
            if np.min(numbers := getattr(self, name)) < 0:
                raise fault(f"{name} of {where}", numbers, "numbers from 0", AGAIN)
        if self.quiet > 1 or np.abs(np.sum(self.moves, 1) - 1).max() > 1e-9:
            raise fault(f"quiet and moves of {where}", [self.quiet, *self.moves], "chances, those of a row 1", AGAIN)
        ranges = [1 <= x.thrown_low <= x.thrown_high and x.lying_low <= x.lying_high for x in self.cover]
        if not ranges or not all(ranges):
            raise fault(f"cover of {where}", self.cover, "low ends up to the high ones, one or more", AGAIN)
