"""What `granular` makes of its runs: means of counts that were cut short, and whether a chance stays the same.

A count S >= 1 (cubes in an avalanche, knocks that an arch takes) is known, or known to be larger than what was seen.
Three laws are fitted by maximum likelihood:

- geometric, P(S > s) = (1 - p)^s: the chance to stop is the same at every count, "exponential, without memory";
- discrete Weibull, P(S > s) = (1 - p)^(s^k) (Nakagawa and Osaki, IEEE Trans. Reliability 24, 300, 1975): below k = 1
  the chance falls with the count;
- beta-geometric, P(S > s) = B(a, b + s) / B(a, b): every arch has its own chance, drawn from a beta law. Its tail is a
  power law, s^-a.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import betaln

Array = npt.NDArray[np.float64]
LogSurvival = Callable[[Array, Array], Array]
"""The logarithm of P(S > s) for counts s and the law's parameters, as `fit` looks for them."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts from 1 on; where `known` is false the true one is larger than `size`."""

    size: Array
    known: npt.NDArray[np.bool_]

    @property
    def ends(self) -> int:
        return int(self.known.sum())

    def chance(self) -> float:
        """Return the chance to stop at a count, by maximum likelihood under the geometric law."""
        return self.ends / float(self.size.sum())

    def mean(self) -> tuple[float, float, float]:
        """Return the mean count under the geometric law with its 95 % interval (delta method on the logarithm).

        Where nothing ended the mean is infinite and its lower bound the one that 3 / total has ("rule of three").
        """
        total = float(self.size.sum())
        if not self.ends:
            return math.inf, total / 3, math.inf
        p = self.chance()
        wide = math.exp(1.96 * math.sqrt((1 - p) / self.ends))
        return 1 / p, max(1 / p / wide, 1.0), wide / p

    def resampled(self, rng: np.random.Generator, draws: int = 2000) -> tuple[float, float]:
        """Return the 95 % interval of the mean by resampling counts (percentiles), whatever their law."""
        taken = rng.integers(len(self.size), size=(draws, len(self.size)))
        means = self.size[taken].sum(axis=1) / np.maximum(self.known[taken].sum(axis=1), 1)
        low, high = np.quantile(means, (0.025, 0.975)).tolist()
        return low, high

    def survival(self) -> tuple[Array, Array]:
        """Return counts s and the share larger than s (Kaplan and Meier, J. Am. Stat. Assoc. 53, 457, 1958)."""
        at = np.unique(self.size[self.known])
        left = np.array([(self.size >= s).sum() for s in at])
        stops = np.array([(self.known & (self.size == s)).sum() for s in at])
        return at, np.cumprod(1 - stops / left).astype(np.float64)


def geometric(s: Array, parameters: Array) -> Array:
    """Log survival of the geometric law; the parameter is the logit of p."""
    return -s * np.logaddexp(0.0, parameters[0])


def weibull(s: Array, parameters: Array) -> Array:
    """Log survival of the discrete Weibull law; the parameters are the logit of p and the logarithm of k."""
    return -(s ** np.exp(parameters[1])) * np.logaddexp(0.0, parameters[0])


def beta_geometric(s: Array, parameters: Array) -> Array:
    """Log survival of the beta-geometric law; the parameters are the logit of a / (a + b) and -log(a + b)."""
    both = math.exp(-min(max(parameters[1], -12.0), 12.0))
    a = both / (1 + math.exp(-parameters[0]))
    b = max(both - a, 1e-12)
    return betaln(a, b + s) - betaln(a, b)


def likelihood(counts: Counts, law: LogSurvival, parameters: Array) -> float:
    upto, over = law(counts.size - 1, parameters), law(counts.size, parameters)
    ended = upto + np.log(-np.expm1(np.minimum(over - upto, -1e-15)))
    return float(np.where(counts.known, ended, over).sum())


def fit(counts: Counts, law: LogSurvival, start: float = 0.0) -> tuple[Array, float]:
    """Return a two-parameter law's parameters and log likelihood, begun at the geometric law and `start`."""
    logit = math.log(max(counts.chance(), 1e-6) / max(1 - counts.chance(), 1e-6))
    found = minimize(lambda x: -likelihood(counts, law, x), [logit, start], method="Nelder-Mead")
    return np.asarray(found.x), -float(found.fun)


def gain(counts: Counts, law: LogSurvival, start: float = 0.0) -> float:
    p = min(max(counts.chance(), 1e-6), 1 - 1e-6)
    plain = likelihood(counts, geometric, np.array([math.log(p / (1 - p))]))
    return 2 * (fit(counts, law, start)[1] - plain)


def draw_counts(p: float, k: float, number: int, most: float, rng: np.random.Generator) -> Counts:
    """Draw counts of a discrete Weibull law of mean-like chance `p` and shape `k`, cut short at `most`."""
    size = np.ceil((np.log(rng.random(number)) / math.log(1 - p)) ** (1 / k))
    size = np.maximum(size, 1.0)
    return Counts(np.minimum(size, most), size <= most)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether counts are geometric: Weibull's `shape`, p value of shape 1, power against other shapes, and the slope.

    `z` is the slope of the likelihood in units of its spread under shape 1: below 0 where the chance to stop falls.
    """

    shape: float
    p: float
    power: dict[float, float]
    z: float


def slope(counts: Counts) -> float:
    """Return how the log likelihood of the discrete Weibull law changes with k at the geometric law, per count.

    It is 0 on average where the chance to stop stays the same (the score test), below 0 where it falls.
    """
    rate = -math.log1p(-min(counts.chance(), 1 - 1e-12))
    s = counts.size
    over = rate * s * np.log(s)
    upto = rate * (s - 1) * np.log(np.maximum(s - 1, 1.0))
    ended = (over * math.exp(-rate) - upto) / -math.expm1(-rate)
    return float(np.where(counts.known, ended, -over).mean())


def memoryless(
    counts: Counts, most: float, rng: np.random.Generator, draws: int = 1000, others: tuple[float, ...] = (0.7, 1.4)
) -> Verdict:
    """Test whether the chance to stop stays the same (shape 1): by `slope`, two-sided, with a parametric bootstrap.

    The power at 5 % is that for as many counts of the same mean, of the shapes `others`. Random, from `rng`.
    """
    number, mean = len(counts.size), counts.mean()[0]
    null = np.sort([slope(draw_counts(1 / mean, 1.0, number, most, rng)) for _ in range(draws)])
    low, high = np.quantile(null, (0.025, 0.975)).tolist()
    power: dict[float, float] = {}
    for other in others:
        p = _chance_of_mean(mean, other)
        found = np.array([slope(draw_counts(p, other, number, most, rng)) for _ in range(draws)])
        power[other] = float(((found < low) | (found > high)).mean())
    seen = slope(counts)
    tail = min((null <= seen).sum(), (null >= seen).sum())
    p_value = min(2 * float(1 + tail) / (1 + draws), 1.0)
    z = float((seen - null.mean()) / null.std())
    return Verdict(math.exp(fit(counts, weibull)[0][1]), p_value, power, z)


def pooled(z: Sequence[float]) -> tuple[float, float]:
    """Return several verdicts' z as one, and its two-sided p value (Stouffer): the sum over the root of the number."""
    together = math.fsum(z) / math.sqrt(len(z))
    return together, math.erfc(abs(together) / math.sqrt(2))


def _chance_of_mean(mean: float, shape: float) -> float:
    s = np.arange(0.0, 20000.0)
    low, high = 1e-6, 1 - 1e-9
    for _ in range(60):
        p = math.sqrt(low * high)
        if float(np.exp(weibull(s, np.array([math.log(p / (1 - p)), math.log(shape)]))).sum()) > mean:
            low = p
        else:
            high = p
    return math.sqrt(low * high)


def correlation(sizes: list[Array], rng: np.random.Generator, draws: int = 2000) -> tuple[float, float]:
    """Return the correlation of the ranks of successive counts in chains, and its p value by shuffling each chain."""

    def of(chains: list[Array]) -> float:
        pairs: Array = np.concatenate([np.stack([chain[:-1], chain[1:]], axis=1) for chain in chains if len(chain) > 1])
        return float(np.corrcoef(pairs[:, 0], pairs[:, 1])[0, 1])

    return _by_shuffling(sizes, of, rng, draws)


def drift(sizes: list[Array], rng: np.random.Generator, draws: int = 2000) -> tuple[float, float]:
    """Return the correlation of counts' ranks with their places in chains, and its p value by shuffling each chain."""
    place: Array = np.concatenate([np.arange(len(chain), dtype=np.float64) for chain in sizes])
    return _by_shuffling(sizes, lambda chains: float(np.corrcoef(place, np.concatenate(chains))[0, 1]), rng, draws)


def _by_shuffling(
    sizes: list[Array], of: Callable[[list[Array]], float], rng: np.random.Generator, draws: int
) -> tuple[float, float]:
    everything = np.concatenate(sizes)
    order = {
        value: float(np.mean(np.flatnonzero(np.sort(everything) == value))) for value in np.unique(everything).tolist()
    }
    ranked = [np.array([order[value] for value in chain.tolist()]) for chain in sizes]
    seen = of(ranked)
    shuffled = np.array([of([rng.permutation(chain) for chain in ranked]) for _ in range(draws)])
    return seen, float((1 + (np.abs(shuffled) >= abs(seen)).sum()) / (1 + draws))
