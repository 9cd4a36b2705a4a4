"""The law of one drop by two beta-binomials: how many of the thrown cubes come out, and how many of the residents."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.errors import UsageError, fault

Array = npt.NDArray[Any]

AGES = (0, 1, 2, 3, 4, 6, 8, 11, 15, 22)  # drops in the tower, the first of each class; 0 is thrown just now
COEFFICIENT_SD = 5.0  # of the weak penalty, about 0
LOG_SIZE, LOG_SIZE_SD = 3.0, 2.0  # of the weak penalty: overdispersion about 0.05, from 0.001 to 0.7
_STEEPEST = 20.0  # a mean's log-odds never leave +-20, so that no chance is rounded to 0 or 1

_special: Any = importlib.import_module("scipy.special")  # has no type stubs
_optimize: Any = importlib.import_module("scipy.optimize")


@dataclass(frozen=True, slots=True)
class BetaBinomial:
    """A group of cubes that leave with one chance, which is drawn anew for every drop from a beta law.

    The beta law's mean has the log-odds `coefficients` @ terms, and its parameters sum to exp(`log_size`): the smaller,
    the more alike the cubes of one drop do. `covariance` is that of the estimates, `log_size` last, for independent
    drops (the inverse of the observed information, penalty included).
    """

    coefficients: tuple[float, ...]
    log_size: float
    covariance: tuple[tuple[float, ...], ...]

    @property
    def errors(self) -> tuple[float, ...]:
        """Standard errors of the coefficients and, last, of `log_size`."""
        return tuple(math.sqrt(row[i]) for i, row in enumerate(self.covariance))

    def mean(self, terms: Sequence[float] | Array) -> float:
        """Return the probability that a cube comes out."""
        return float(chance(np.asarray(terms, float) @ np.array(self.coefficients)))

    def pmf(self, cubes: int, terms: Sequence[float] | Array) -> Array:
        """Return the chances that 0, 1, ... `cubes` come out, shape (..., cubes + 1)."""
        return beta_binomial(cubes, np.array(self.mean(terms)), np.array(math.exp(self.log_size)))


@dataclass(frozen=True, slots=True)
class AgeOdds:
    """The odds of a cube to leave in a drop, by its age: for how many drops it has been in the tower, 0 if thrown now.

    By class of AGES; `setup` are those of cubes that the first drop of a game threw, all at once: they lie deeper.
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
        """Return the logarithm of the mean odds of `residents`, which counts them by age from 0 (none) up to all drops.

        Of none it is that of a cube one drop old.
        """
        odds = self.at(len(residents) - 1)
        total = float(residents.sum())
        return math.log(float(residents @ odds) / total if total > 0 else self.later[1])


def fit_ages(age: Array, drops: Array, is_out: Array) -> AgeOdds:
    """Estimate odds by age, (out + 1/2) / (stayed + 1/2), from one entry a cube and drop; see AgeOdds."""
    which = np.searchsorted(AGES, age, side="right") - 1

    def odds(rows: Array) -> tuple[float, ...]:
        out, stayed = (np.bincount(which[rows & (is_out == left)], minlength=len(AGES)) for left in (True, False))
        return tuple(((out + 0.5) / (stayed + 0.5)).tolist())

    return AgeOdds(odds(age != drops), odds(age == drops))


@dataclass(frozen=True, slots=True)
class GroupsLaw:
    """How many come out of a drop: two beta-binomials that are independent given what is thrown into how full a tower.

    `thrown` and `inside` count cubes before the drop, `loose` is AgeOdds.loose of the residents; the means depend on
    them by TERMS. These were chosen by held-out log score on 426 simulated games (14901 later drops) of the tower in
    calibration/tower.toml, ten-fold by game; gain over a constant mean, in thousandths of a nat a drop:

        terms                                        thrown         residents
        thrown, inside                               13.3 +- 2.0    42.2 +- 3.3
        thrown, inside, log of drops since empty     13.9 +- 2.0    62.2 +- 3.5
        thrown, inside, loose                        14.7 +- 2.0    83.1 +- 3.8
        the same, with ages guessed from a record    14.4 +- 2.0    77.4 +- 3.8
        ... and a product or a square besides        15.2 +- 2.1    77.6 +- 3.7 at most

    With `loose` from a record the errors of the total are not correlated from drop to drop (lags 1 to 4: 0.01, 0.01,
    0.03, 0.00) and those of the groups hardly (0.03 +- 0.01).
    """

    thrown: BetaBinomial
    resident: BetaBinomial


def terms(thrown: Any, inside: Any, loose: Any) -> Array:
    """Return TERMS, on a last axis, of a drop or of arrays of drops: shape (..., terms)."""
    columns = np.broadcast_arrays(1.0, np.log1p(thrown), np.asarray(inside) / 10, np.asarray(loose, float))
    return np.stack(columns, axis=-1)


def chance(log_odds: Array) -> Array:
    """Return the chance that has these log-odds, cut at +-20, in their shape."""
    return _special.expit(np.clip(log_odds, -_STEEPEST, _STEEPEST))


def beta_binomial(cubes: int, mean: Array, size: Array) -> Array:
    """Return beta-binomial chances of 0 to `cubes`: shape (..., cubes + 1), that of `mean` and `size` before.

    Source: Johnson, Kemp, Kotz, Univariate Discrete Distributions, 2005, section 6.2.2.
    """
    if cubes < 0:
        raise fault("cubes of a group", cubes, "a number from 0", "count them again")
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
    """Fit the law to drops, one entry of each argument a drop; `weights` say how often each counts (once)."""
    x = terms(*(np.asarray(counts, float) for counts in (thrown, inside, loose)))
    return GroupsLaw(fit_group(x, thrown, thrown_out, weights), fit_group(x, inside, resident_out, weights))


def fit_group(x: Array, cubes: Any, out: Any, weights: Array | None = None) -> BetaBinomial:
    """Fit one group by penalised maximum likelihood: `x` are its terms by drop; see `fit`.

    The penalty is that of normal laws, on the coefficients about 0 with sd 5 and on `log_size` about 3 with sd 2:
    nothing beside some hundred cubes, and finite where a group always or never leaves.
    """
    n, k = np.asarray(cubes, float), np.asarray(out, float)
    w = np.ones(len(n)) if weights is None else np.asarray(weights, float)
    if not len(n) or not len(x) == len(n) == len(k) == len(w):
        raise UsageError(
            f"drops to fit to have lengths {len(x)}, {len(n)}, {len(k)}, {len(w)}; allowed are equal ones from 1; "
            "give an entry a drop"
        )
    if (k < 0).any() or (k > n).any():
        worst = int(np.argmax(np.maximum(k - n, -k)))
        raise fault(f"cubes out of drop {worst}", out[worst], f"0 to {cubes[worst]}, what was there", "count again")
    centre = np.zeros(x.shape[1] + 1)
    centre[-1] = LOG_SIZE
    sd = np.full(len(centre), COEFFICIENT_SD)
    sd[-1] = LOG_SIZE_SD
    scale = max(float(w.sum()), 1.0)  # the optimiser's first step is the gradient

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
    covariance: Array = np.linalg.inv((hessian + hessian.T) / 2)
    return BetaBinomial(tuple(best[:-1].tolist()), float(best[-1]), tuple(tuple(row) for row in covariance.tolist()))


def _log_likelihood(at: Array, x: Array, n: Array, k: Array, choose: Array, w: Array) -> tuple[float, Array]:
    """Return the weighted log-likelihood and its gradient."""
    mean, size = chance(x @ at[:-1]), np.exp(np.clip(at[-1], -10, 12))
    a, b = mean * size, (1 - mean) * size
    psi = _special.digamma
    common = psi(size) - psi(n + size)
    by_a, by_b = psi(k + a) - psi(a) + common, psi(n - k + b) - psi(b) + common
    by_mean = w * (by_a - by_b) * size * mean * (1 - mean)
    by_size = float(w @ (by_a * mean + by_b * (1 - mean)) * size)
    return float(w @ _log_pmf(k, n, choose, mean, size)), np.append(by_mean @ x, by_size)
