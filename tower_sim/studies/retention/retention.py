"""Memory of the tower: autocorrelation, with intervals by the jackknife.

scipy has no bootstrap for sums by run with strata, and no jackknife with corrected degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np

from tower_sim.campaign import INSIDE, Campaign
from tower_sim.results import CONFIDENCE, FEWEST, Array, Estimate, Estimates, Resamples, student_quantile, sum_by_unit
from tower_sim.surrogate import RESIDENT_OUT, THROWN_OUT

LAGS = 7


# The jackknife

_LEAST_FREEDOM = 1.5


# There and back: scales on which the error of a statistic hardly depends on its value.
Scale = tuple[Callable[[Array], Array], Callable[[Array], Array]]
LOGARITHM: Scale = np.log, np.exp  # of standard deviations
FISHERS: Scale = np.arctanh, np.tanh  # of correlations


def jackknifed(
    total: Array, own: Array, stratum: Array, statistic: Callable[[Array], Array], scale: Scale
) -> Estimates:
    """Return `statistic` of the sums `total` (K,), shape (M,), with intervals from leaving out one run at a time.

    `own` (runs, K) is the part that leaves with each run. The middle is corrected for bias. Sources: Efron and
    Tibshirani, An Introduction to the Bootstrap, 1993, chapter 11; the degrees of freedom are Satterthwaite's for the
    variance of numbers with this kurtosis (Box, Biometrika 40 (1953) 318).
    """
    runs = len(own)
    sizes = np.bincount(stratum)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = statistic(total[None])[0]
        nothing = np.full(value.shape, np.nan)
        if runs < FEWEST or sizes.min() < 2:
            return Estimates(value, nothing, nothing)
        without = statistic(total - own)
        scaled, back = scale
        here, there = scaled(value), scaled(without)
        mean = np.zeros((len(sizes), len(value)))
        np.add.at(mean, stratum, there)
        mean /= sizes[:, None]
        n = sizes[stratum][:, None]
        middle = here - ((sizes[:, None] - 1) * (mean - here)).sum(0)
        parts = (n - 1) * (there - mean[stratum])
        error = np.sqrt((parts**2 / (n * (n - 1))).sum(0))
        left = runs - len(sizes)
        kurtosis = runs * (parts**4).sum(0) / (parts**2).sum(0) ** 2
        freedom = np.clip(2 * runs / (kurtosis - 1 + 2 / left), _LEAST_FREEDOM, left)
        reach = student_quantile(freedom, (1 + CONFIDENCE) / 2) * error
        low, high = np.fmin(back(middle - reach), value), np.fmax(back(middle + reach), value)
    still = np.isfinite(value) & (without == value).all(0)
    known = np.isfinite(error) & np.isfinite(middle)
    ends = (np.where(still, value, np.where(known, end, np.nan)) for end in (low, high))
    return Estimates(value, *ends)


# Autocorrelation


def autocorrelation(campaign: Campaign, boot: Resamples, values: Array) -> Estimates:
    """Return the autocorrelation of `values` (drops, K) at lags 1 to 7, shape (K * 7), with intervals over runs.

    It is sum x_t x_(t+k) over sqrt(sum x_t^2 sum x_(t+k)^2), of differences from the mean over runs of the stratum at
    the same drop. A run that is left out also moves the means, so n / (n - 1) of its products leave. Source: Diggle et
    al., Analysis of Longitudinal Data, 2002, section 3.4.
    """
    columns: list[Array] = []
    for column in values.reshape(len(values), -1).T:
        table = campaign.grid(column, np.nan)
        there = np.isfinite(table)
        count, total = (sum_by_unit(campaign.strata, part) for part in (there, np.nan_to_num(table)))
        x = np.where(there, table - (total / np.maximum(count, 1))[campaign.strata], 0)
        for lag in range(1, LAGS + 1):
            now, later = x[:, :-lag], x[:, lag:]
            both = there[:, :-lag] & there[:, lag:]
            columns += [(now * later).sum(1), (now**2 * both).sum(1), (later**2 * both).sum(1)]
    sums = np.stack(columns, 1)
    size = np.bincount(boot.stratum)[boot.stratum]
    own = sums * (size / np.maximum(size - 1, 1))[:, None]
    return jackknifed(sums.sum(0), own, boot.stratum, lambda s: s[:, 0::3] / np.sqrt(s[:, 1::3] * s[:, 2::3]), FISHERS)


DROPS_OF_A_CELL = 5  # drops in a cell of the map, below which it is not drawn
WITHIN = 7  # drops: limit of the restricted mean stay
LATE = 5  # drops: residents of this age or more are called old


def grouped(
    campaign: Campaign,
    boot: Resamples,
    run: Array,
    group: Array,
    size: int,
    over: Array,
    under: Array | None = None,
    *,
    share: bool = False,
) -> Estimates:
    """Return for each group the sum of `over` divided by the sum of `under`, shape (size,).

    The arrays have one entry for each thing that is counted, of which `under` is 1 if it is None. With `share`
    intervals are those of shares.
    """
    of = campaign.tally(run, group, size, under).astype(float)
    return boot.ratios(campaign.tally(run, group, size, over), of, share=share)


def overall(
    campaign: Campaign, boot: Resamples, run: Array, over: Array, under: Array | None = None, *, share: bool = False
) -> Estimate:
    """Return the sum of `over` divided by the sum of `under` as `grouped` does, for all things together."""
    return grouped(campaign, boot, run, np.zeros(len(run), int), 1, over, under, share=share).at(0)


def histogram(campaign: Campaign, boot: Resamples, run: Array, values: Array, size: int = 0) -> Estimates:
    """Return the share of each value 0, 1, ... among all things, shape (size,); `run` is the run of each thing."""
    size = size or int(values.max(initial=0)) + 1
    counts = campaign.tally(run, values, size).astype(float)
    return boot.ratios(counts, counts.sum(1, keepdims=True), share=True)


def list_counts(shares: Estimates) -> list[int]:
    """Return the number of things behind each share."""
    return np.round(shares.value * (0 if shares.n is None else shares.n)).astype(int).tolist()


def count_values(shares: Estimates) -> list[tuple[int, int, Estimate]]:
    """Return each value that occurs, its number of things, and its share."""
    return [(i, n, share) for i, (n, share) in enumerate(zip(list_counts(shares), shares, strict=True)) if n]


def moments(campaign: Campaign, boot: Resamples, values: Array, rows: Array) -> tuple[Estimate, Estimate]:
    """Return the mean and the standard deviation of `values` (drops,) over the drops of the mask `rows`."""
    x = values[rows].astype(float)
    sums = campaign.by_run(np.stack([np.ones_like(x), x, x * x], 1), rows)
    n = len(x)

    def spread(s: Array) -> Array:
        variance = np.maximum(s[:, 2] / s[:, 0] - (s[:, 1] / s[:, 0]) ** 2, 0) * n / max(n - 1, 1)
        return np.sqrt(variance)[:, None]

    return boot.ratio(sums[:, 1], sums[:, 0]), jackknifed(sums.sum(0), sums, boot.stratum, spread, LOGARITHM).at(0, n)


def cube_share(campaign: Campaign, boot: Resamples, rows: Array, of_thrown: bool) -> Estimate:
    """Return the share of thrown cubes (or of residents) that came out in the drops of the mask `rows`."""
    cubes = campaign.cubes
    chosen = rows[cubes.row] & (cubes.thrown == of_thrown)
    run = campaign.rows.run[cubes.row[chosen]]
    return overall(campaign, boot, run, cubes.out[chosen], share=True)


def colours_out(campaign: Campaign) -> Array:
    """Return how many different colours came out, shape (drops,)."""
    return cast("Array", campaign.column("colours"))


def by_the_rule(campaign: Campaign) -> Array:
    """Return how many cubes the 2/3-1/3 rule expects to come out, shape (drops,)."""
    return THROWN_OUT * campaign.rows.thrown + RESIDENT_OUT * campaign.rows.before


def slopes(campaign: Campaign, boot: Resamples, rows: Array) -> Estimates:
    """Fit emerged = a + b thrown + c inside before by least squares; return a, b, c and R squared."""
    d = campaign.rows
    x = np.stack([np.ones(rows.sum()), d.thrown[rows], d.before[rows]], 1).astype(float)
    y = d.out[rows].astype(float)
    parts = [(x[:, :, None] * x[:, None, :]).reshape(len(x), 9), x * y[:, None], (y * y)[:, None]]

    def fit(s: Array) -> Array:
        gram, cross = s[:, :9].reshape(-1, 3, 3), s[:, 9:12]
        beta = (np.linalg.pinv(gram, hermitian=True, rcond=1e-10) @ cross[:, :, None])[:, :, 0]
        residual = s[:, 12] - (beta * cross).sum(1)
        return np.column_stack([beta, 1 - residual / (s[:, 12] - cross[:, 0] ** 2 / gram[:, 0, 0])])

    return boot.estimates(campaign.by_run(np.hstack(parts), rows), fit)


@dataclass(frozen=True)
class SetupColours:
    """Colours inside after the set-up: `means` by colour, and the share of games in which `all_present` are.

    `dispersion` is the mean variance of a colour's number, divided by that of drawing the cubes that stay at random.
    """

    means: Estimates
    all_present: Estimate
    dispersion: Estimate


def setup_colours(campaign: Campaign, boot: Resamples, rows: Array) -> SetupColours:
    """Return the statistics of colours inside after the drops of the mask `rows`, one for each run.

    Source: Johnson, Kotz and Balakrishnan, Discrete Multivariate Distributions, 1997, chapter 39.
    """
    inside = campaign.by_colour["inside"][rows].astype(float)
    thrown = campaign.by_colour["out"][rows] + inside
    total, kept = thrown.sum(1, keepdims=True), inside.sum(1, keepdims=True)
    share = thrown / np.maximum(total, 1)
    variance = kept * share * (1 - share) * (total - kept) / np.maximum(total - 1, 1)
    parts = [((inside - kept * share) ** 2).sum(1), variance.sum(1), np.all(inside > 0, axis=1), np.ones(len(inside))]
    sums, per_run = campaign.by_run(np.column_stack(parts), rows), campaign.by_run(inside, rows)
    return SetupColours(
        boot.ratios(per_run, sums[:, 3:]),
        boot.ratio(sums[:, 2], sums[:, 3], share=True),
        boot.ratio(sums[:, 0], sums[:, 1]),
    )


@dataclass(frozen=True)
class Map:
    """The mean number out, in bins of cubes thrown and cubes inside before, shape (thrown bins, inside bins).

    `rule` is the number that the 2/3-1/3 rule expects for the same drops; `excess` is the difference.
    """

    thrown_edges: Array
    inside_edges: Array
    drops: Array
    runs: Array
    mean: Estimates
    rule: Array
    excess: Estimates


def _edges(values: Array, most: int) -> Array:
    low, high = int(values.min()), int(values.max())
    width = -(-(high - low + 1) // most)
    return np.arange(low, high + width + 1, width)


def _bins(edges: Array, values: Array) -> Array:
    return np.searchsorted(edges, values, "right") - 1


def emerged_map(campaign: Campaign, boot: Resamples, rows: Array) -> Map:
    """Return the map of cubes out over the drops of the mask `rows`."""
    d = campaign.rows
    x, y = _edges(d.thrown[rows], 16), _edges(d.before[rows], 16)
    i, j = _bins(x, d.thrown[rows]), _bins(y, d.before[rows])
    shape = (len(x) - 1, len(y) - 1)
    cell, cells = i * shape[1] + j, shape[0] * shape[1]
    run, out, rule = d.run[rows], d.out[rows], by_the_rule(campaign)[rows]
    count = campaign.tally(run, cell, cells)
    with np.errstate(invalid="ignore"):
        expected = campaign.tally(run, cell, cells, rule).sum(0) / count.sum(0)
    return Map(
        thrown_edges=x,
        inside_edges=y,
        drops=count.sum(0).reshape(shape),
        runs=(count > 0).sum(0).reshape(shape),
        mean=grouped(campaign, boot, run, cell, cells, out).reshape(*shape),
        rule=expected.reshape(shape),
        excess=grouped(campaign, boot, run, cell, cells, out - rule).reshape(*shape),
    )


# How long a cube stays


@dataclass(frozen=True)
class Survival:
    """The length of stays, by age 1, 2, ... in drops since the cube was thrown in.

    `at_risk` cubes were inside before a drop at that age, `released` of them came out, and `hazard` is the ratio;
    `survival` is the probability of being inside afterwards. `median` is the least age at which it is 1/2 or less (NaN:
    not reached). A stay is censored if the run ends, or if a knock or a hand takes the cube out. `by_region` has the
    chance of release in a drop in each of `regions`.
    """

    age: Array
    at_risk: Array
    released: Array
    hazard: Estimates
    survival: Estimates
    median: Estimate
    mean_within: Estimate
    entered: int
    old_hazard: Estimate | None
    regions: tuple[str, ...]
    by_region: Estimates


def resident_rows(campaign: Campaign) -> Array:
    """Return the entries of cubes that were inside before a drop that threw cubes, shape (n,)."""
    cubes = campaign.cubes
    return np.flatnonzero(~cubes.thrown & cubes.before.starts(INSIDE) & (campaign.rows.thrown[cubes.row] > 0))


def _kaplan_meier(at_risk: Array, released: Array) -> Array:
    """Return the survival after each age; ages are the last axis.

    Source: Kaplan and Meier, Journal of the American Statistical Association 53 (1958). scipy.stats.ecdf has no late
    entry.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.cumprod(np.where(at_risk > 0, 1 - released / at_risk, np.nan), axis=-1)


def survival(campaign: Campaign, boot: Resamples) -> Survival | None:
    """Estimate survival by age, in drops that threw cubes; None if no cube was ever inside before a drop.

    Cubes whose entry was not seen enter late, which the product-limit estimate allows.
    """
    cubes, rows = campaign.cubes, resident_rows(campaign)
    if not len(rows):
        return None
    age = np.maximum(cubes.age[rows], 1).astype(np.int64)
    size, run, out = int(age.max()), campaign.rows.run[cubes.row[rows]], cubes.out[rows]
    at_risk: Array = campaign.tally(run, age - 1, size).astype(float)
    both: Array = np.hstack([at_risk, campaign.tally(run, age - 1, size, out)])
    curve = boot.estimates(both, lambda s: _kaplan_meier(s[:, :size], s[:, size:]), at_risk > 0)
    extra = boot.estimates(both, lambda s: _summaries(_kaplan_meier(s[:, :size], s[:, size:])))
    entered, old = int((cubes.thrown & ~cubes.out).sum()), np.flatnonzero(age >= LATE)
    late = overall(campaign, boot, run[old], out[old]) if len(old) else None
    used, place = np.unique(cubes.before.codes[rows], return_inverse=True)
    return Survival(
        age=np.arange(1, size + 1),
        at_risk=at_risk.sum(0).astype(int),
        released=both[:, size:].sum(0).astype(int),
        hazard=grouped(campaign, boot, run, age - 1, size, out, share=True),
        survival=curve,
        median=extra.at(0, entered),
        mean_within=extra.at(1, entered),
        entered=entered,
        old_hazard=late,
        regions=tuple(cubes.before.names[int(code)].removeprefix(INSIDE) for code in used),
        by_region=grouped(campaign, boot, run, place, len(used), out, share=True),
    )


def _summaries(curve: Array) -> Array:
    below = curve <= 0.5
    median = np.where(below.any(1), 1.0 + below.argmax(1), np.nan)
    return np.column_stack([median, 1 + np.nan_to_num(curve[:, : WITHIN - 1]).sum(1)])
