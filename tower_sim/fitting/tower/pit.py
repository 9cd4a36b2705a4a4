"""Calibration of predicted counts: the non-randomised PIT (probability integral transform), and predicted means.

Whole games are resampled, since a game's drops are not independent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tower_sim.errors import fault
from tower_sim.fitting.numerics import p_value
from tower_sim.runs.array import Array
from tower_sim.statistics import Estimate, Estimates, Resamples, sum_by_unit

BINS = 10
SIGNS = 2000  # random sets of signs in a test


@dataclass(frozen=True, eq=False)
class Histogram:
    """The PIT histogram: `heights` by bin, 1 everywhere if the predictions are right.

    `p` is the probability of a histogram at least so far from flat if they are.
    """

    heights: Estimates
    drops: int
    games: int
    p: float

    @property
    def worst(self) -> tuple[int, Estimate]:
        """The number of the bin whose height is farthest from 1, and that height."""
        at = int(np.argmax(np.abs(self.heights.value - 1)))
        return at, self.heights.at(at, self.drops)


@dataclass(frozen=True, eq=False)
class Reliability:
    """Observed mean counts in bins of similar predicted means; `difference` is predicted minus observed."""

    predicted: Array
    observed: Estimates
    difference: Estimates
    drops: Array
    games: int

    @property
    def worst(self) -> tuple[float, Estimate]:
        """The mean prediction of the bin with the largest difference, and that difference (cubes)."""
        at = int(np.argmax(np.abs(self.difference.value)))
        return float(self.predicted[at]), self.difference.at(at, int(self.drops[at]))


def pit(game: Array, below: Array, upto: Array, rng: np.random.Generator, bins: int = BINS) -> Histogram:
    """Return the PIT histogram of predicted distributions, one for each drop.

    `below` and `upto` are the predicted probabilities of fewer than the observed count and of at most that count.
    Random, from `rng`, are the resampled games and the signs of the test, a wild bootstrap of the sum of squared
    standardised deviations of the bins. It is reliable with 30 games or more.

    Sources: Czado, Gneiting and Held, Biometrics 65 (2009), section 2.1; Mammen, Annals of Statistics 21 (1993).
    """
    if not len(game):
        raise fault("drops", 0, "1 or more", "give the drops of held-out games")
    # A sum of probabilities may exceed 1 by rounding.
    if np.any(below < -1e-9) or np.any(upto > 1 + 1e-9) or np.any(upto <= below):
        raise fault("predicted chances", "below >= upto or beyond 0 to 1", "0 <= below < upto <= 1", "check the law")
    edges = np.linspace(0, 1, bins + 1)
    reached = np.clip((edges - below[:, None]) / (upto - below)[:, None], 0, 1)
    masses = np.diff(reached, axis=1)
    by_game = sum_by_unit(game, np.column_stack([masses, np.ones(len(game))]))
    drops = by_game[:, -1:]
    boot = Resamples(np.zeros(len(by_game)), rng)
    heights = boot.ratios(bins * by_game[:, :-1], np.repeat(drops, bins, 1))
    return Histogram(heights, len(game), len(by_game), _sign_test(by_game[:, :-1] - drops / bins, rng))


def reliability(
    game: Array, predicted: Array, observed: Array, rng: np.random.Generator, bins: int = BINS
) -> Reliability:
    """Compare predicted means with observed counts, in bins of equally many drops; equal predictions share a bin.

    Random, from `rng`, are the resampled games. Source: Gneiting and Katzfuss, Annual Review of Statistics 1 (2014),
    section 3.
    """
    edges = np.unique(np.quantile(predicted, np.arange(1, bins) / bins))
    bin_of = np.unique(np.searchsorted(edges, predicted, side="right"), return_inverse=True)[1]
    there = np.eye(int(bin_of.max()) + 1)[bin_of]
    columns = (np.ones(len(game)), predicted, observed)
    count, expected, came = (sum_by_unit(game, there * column[:, None]) for column in columns)
    boot = Resamples(np.zeros(len(count)), rng)
    return Reliability(
        predicted=expected.sum(0) / count.sum(0),
        observed=boot.ratios(came, count),
        difference=boot.ratios(expected - came, count),
        drops=count.sum(0).astype(int),
        games=len(count),
    )


def _sign_test(parts: Array, rng: np.random.Generator) -> float:
    """Return the p value of sums over games of `parts`, shape (games, K), whose means are 0 by hypothesis."""
    scale = np.sqrt((parts**2).sum(0))
    parts = parts / np.where(scale > 0, scale, 1)
    signs = rng.integers(0, 2, (SIGNS, len(parts))) * 2.0 - 1
    return p_value((parts.sum(0) ** 2).sum(), ((signs @ parts) ** 2).sum(1))
