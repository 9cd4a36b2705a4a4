"""Permutation tests of whether colours are physically alike: colours are shuffled among cubes in the same situation.

scipy's permutation test has no blocks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import numpy as np

from tower_sim.campaign.data import Array, Campaign
from tower_sim.statistics import Estimate, Estimates, Resamples, chi2_tail
from tower_sim.study.retention import grouped, resident_rows

PERMUTATIONS = 999
FEWEST = 199  # permutations at least, for any number of cubes
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
    rows = np.flatnonzero(cubes.thrown & (campaign.drops.thrown[cubes.row] > 0))
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
    return Situations(number, campaign.drops.run[cubes.row[rows[order]]], colour[order].astype(np.int64), out[order])


def compare_colours(
    campaign: Campaign, boot: Resamples, cubes: Situations, rng: np.random.Generator
) -> Fairness | None:
    """Test whether colours are alike among `cubes`; None if no situation is informative.

    Random: the permutations, from `rng`. Sources: Good, Permutation, Parametric and Bootstrap Tests, 2005, chapter 3
    (blocks); Phipson and Smyth, Statistical Applications in Genetics and Molecular Biology 9 (2010) 39 (p = (1 +
    greater) / (1 + permutations)).
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

    def distance(out: Array) -> float:
        return float((out - expected) @ inverse @ (out - expected))

    labels = cubes.colour[cubes.out]
    statistic = distance(np.bincount(labels, minlength=width))
    permutations = int(np.clip(_WORK // len(cubes.cell), FEWEST, PERMUTATIONS))
    null = np.array([distance(np.bincount(shuffled(cubes, rng), minlength=width)) for _ in range(permutations)])
    p = (1 + int((null >= statistic - 1e-9).sum())) / (1 + permutations)
    chance = (k / n)[cubes.cell]
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


def shuffled(cubes: Situations, rng: np.random.Generator) -> Array:
    """Return the colours of the cubes out after a shuffle within each situation, shape (out,).

    One sort of packed whole numbers (situation, random bits, colour) shuffles all situations at once.
    """
    key = (cubes.cell.astype(np.int64) << 40) | (rng.integers(1 << 32, size=len(cubes.cell)) << 8) | cubes.colour
    key.sort()
    return (key & 255)[cubes.out]
