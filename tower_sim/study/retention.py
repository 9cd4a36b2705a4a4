"""How many cubes stay, how many come out, and of which colours: the seven questions, and the map of section 2."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tower_sim.campaign.data import Array, Campaign
from tower_sim.statistics import Estimate, Estimates, Resamples
from tower_sim.study.jackknife import LOGARITHM, jackknifed
from tower_sim.surrogate.two_thirds import RESIDENT_OUT, THROWN_OUT

FEWEST = 5  # drops in a cell of the map, below which it is not drawn


def moments(campaign: Campaign, boot: Resamples, values: Array, rows: Array) -> tuple[Estimate, Estimate]:
    """Return the mean and the standard deviation of `values`, one a drop, over the drops of mask `rows`."""
    x = values[rows].astype(float)
    sums = campaign.by_run(np.stack([np.ones_like(x), x, x * x], 1), rows)
    n = len(x)

    def spread(s: Array) -> Array:
        variance = np.maximum(s[:, 2] / s[:, 0] - (s[:, 1] / s[:, 0]) ** 2, 0) * n / max(n - 1, 1)
        return np.sqrt(variance)[:, None]

    return boot.ratio(sums[:, 1], sums[:, 0]), jackknifed(sums.sum(0), sums, boot.stratum, spread, LOGARITHM).at(0, n)


def grouped_mean(
    campaign: Campaign, boot: Resamples, values: Array, groups: Array, rows: Array, size: int
) -> tuple[Estimates, Array]:
    """Return the mean of `values` over the drops of each group among `rows`, and how many these are, shapes (size,)."""
    run, group = campaign.drops.run[rows], groups[rows]
    count = campaign.tally(run, group, size).astype(float)
    return boot.ratios(campaign.tally(run, group, size, values[rows]), count), count.sum(0).astype(int)


def histogram(campaign: Campaign, boot: Resamples, values: Array, rows: Array) -> tuple[Estimates, Array]:
    """Return the share of the drops of `rows` with each value 0, 1, ..., and the counts, shapes (values,)."""
    size = int(values[rows].max(initial=0)) + 1
    count = campaign.tally(campaign.drops.run[rows], values[rows], size)
    drops = np.broadcast_to(count.sum(1, keepdims=True), count.shape)
    return boot.shares(count.astype(float), drops.astype(float)), count.sum(0)


def cube_share(campaign: Campaign, boot: Resamples, rows: Array, of_thrown: bool) -> Estimate:
    """Return the share that came out of the cubes thrown (or resident) in the drops of mask `rows`."""
    cubes = campaign.cubes
    chosen = rows[cubes.row] & (cubes.thrown == of_thrown)
    run = campaign.drops.run[cubes.row[chosen]]
    hits = np.bincount(run, cubes.out[chosen], campaign.runs)
    return boot.share(hits, np.bincount(run, minlength=campaign.runs).astype(float))


def thrown_out(campaign: Campaign) -> Array:
    """How many of the cubes just thrown came out, shape (drops,)."""
    cubes = campaign.cubes
    return np.bincount(cubes.row[cubes.thrown & cubes.out], minlength=len(campaign.drops))


def slopes(campaign: Campaign, boot: Resamples, rows: Array) -> Estimates:
    """Fit emerged = a + b thrown + c inside before by least squares; return a, b, c and R squared.

    The intercept is in cubes, b and c in cubes out for one cube more.
    """
    d = campaign.drops
    x = np.stack([np.ones(rows.sum()), d.thrown[rows], d.inside_before[rows]], 1).astype(float)
    y = d.emerged[rows].astype(float)
    parts = [(x[:, :, None] * x[:, None, :]).reshape(len(x), 9), x * y[:, None], (y * y)[:, None]]
    sums = campaign.by_run(np.hstack(parts), rows)

    def fit(s: Array) -> Array:
        gram, cross = s[:, :9].reshape(-1, 3, 3), s[:, 9:12]
        beta = (np.linalg.pinv(gram, hermitian=True, rcond=1e-10) @ cross[:, :, None])[:, :, 0]
        n, total, squares = gram[:, 0, 0], cross[:, 0], s[:, 12]
        residual = squares - (beta * cross).sum(1)
        r_squared = 1 - residual / (squares - total**2 / n)
        return np.column_stack([beta, r_squared])

    return boot.estimates(sums, fit)


def band(campaign: Campaign, values: Array, chances: tuple[float, ...]) -> Array:
    """Return quantiles over runs of `values` at each drop, shape (chances, drops)."""
    table = campaign.matrix(values)
    return np.nanquantile(table, chances, axis=0)


@dataclass(frozen=True)
class SetupColours:
    """Colours inside after the set-up: mean cubes of each, and how unequal they are in one game.

    `dispersion` is the variance of a colour's count over games, averaged over colours, divided by that of drawing the
    cubes that stay at random from all thrown (multivariate hypergeometric): 1 means colours do not matter.
    """

    means: Estimates
    all_present: Estimate
    dispersion: Estimate


def setup_colours(campaign: Campaign, boot: Resamples, rows: Array) -> SetupColours:
    """Study the colours inside after the drops of mask `rows` (one a run).

    Source: Johnson, Kotz and Balakrishnan, Discrete Multivariate Distributions, 1997, chapter 39.
    """
    inside = campaign.inside_by_colour[rows].astype(float)
    thrown = campaign.out_by_colour[rows] + inside
    total, kept = thrown.sum(1, keepdims=True), inside.sum(1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(total > 0, thrown / total, 0)
        expected = kept * share
        variance = np.where(total > 1, kept * share * (1 - share) * (total - kept) / np.maximum(total - 1, 1), 0)
    sums = campaign.by_run(np.column_stack([((inside - expected) ** 2).sum(1), variance.sum(1)]), rows)
    per_run = campaign.by_run(inside, rows)
    ones = campaign.by_run(np.ones(len(inside)), rows)
    return SetupColours(
        boot.ratios(per_run, np.broadcast_to(ones, per_run.shape)),
        boot.share(campaign.by_run(np.all(inside > 0, axis=1).astype(float), rows)[:, 0], ones[:, 0]),
        boot.ratio(sums[:, 0], sums[:, 1]),
    )


@dataclass(frozen=True)
class Map:
    """Mean cubes out by (thrown, inside before), in bins: edges, then arrays of shape (thrown bins, inside bins).

    `rule` is what the 2/3-1/3 rule expects for the same drops; `excess` the mean out above it, with its interval.
    """

    thrown_edges: Array
    inside_edges: Array
    drops: Array
    runs: Array
    mean: Estimates
    rule: Array
    excess: Estimates


def edges(values: Array, most: int) -> Array:
    """Return edges, shape (bins + 1,), of at most `most` bins of whole numbers, alike wide, that hold all values."""
    low, high = int(values.min()), int(values.max())
    width = -(-(high - low + 1) // most)
    return np.arange(low, high + width + 1, width)


def emerged_map(campaign: Campaign, boot: Resamples, rows: Array) -> Map:
    """Bin the drops of mask `rows` by cubes thrown and cubes inside before."""
    d = campaign.drops
    x, y = edges(d.thrown[rows], 16), edges(d.inside_before[rows], 16)
    i = np.searchsorted(x, d.thrown[rows], "right") - 1
    j = np.searchsorted(y, d.inside_before[rows], "right") - 1
    shape = (len(x) - 1, len(y) - 1)
    cell = i * shape[1] + j
    cells = shape[0] * shape[1]
    used = np.flatnonzero(np.bincount(cell, minlength=cells))
    expected = THROWN_OUT * d.thrown[rows] + RESIDENT_OUT * d.inside_before[rows]
    count, out, rule = (
        campaign.tally(d.run[rows], cell, cells, weights)[:, used]
        for weights in (np.ones(len(cell)), d.emerged[rows], expected)
    )

    def spread(values: Array, empty: float = np.nan) -> Array:
        table = np.full(cells, empty)
        table[used] = values
        return table.reshape(shape)

    def table_of(means: Estimates) -> Estimates:
        return Estimates(spread(means.value), spread(means.low), spread(means.high))

    return Map(
        thrown_edges=x,
        inside_edges=y,
        drops=spread(count.sum(0), 0).astype(int),
        runs=spread((count > 0).sum(0), 0).astype(int),
        mean=table_of(boot.ratios(out, count)),
        rule=spread(rule.sum(0) / count.sum(0)),
        excess=table_of(boot.ratios(out - rule, count)),
    )
