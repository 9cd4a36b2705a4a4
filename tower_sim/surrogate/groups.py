"""One drop as two beta-binomials: how many thrown cubes come out, and how many cubes from inside."""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

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
