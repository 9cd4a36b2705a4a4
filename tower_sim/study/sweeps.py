"""What each varied parameter does to the main figures: slopes, rank correlations and, with SALib, delta indices."""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from tower_sim.study.bootstrap import Estimates, Resamples, percentiles
from tower_sim.study.data import Array, Campaign

FEW = 10  # points below which they are taken as given, and runs are drawn again within each
FEWEST_FOR_DELTA = 40  # points
RESAMPLES = 1000
DELTA_RESAMPLES = 25  # slow: each fits four sets of densities


@dataclass(frozen=True)
class Quantity:
    """A figure of the study as a ratio of two sums over runs: arrays of one entry a run."""

    name: str
    unit: str
    over: Array
    under: Array


@dataclass(frozen=True)
class Sweep:
    """One figure against the parameters: `x` (points, parameters), `y` (points) with intervals by run.

    `slope` is the standardised regression coefficient of each parameter, all fitted together: standard deviations of
    the figure for one of the parameter. `raw` is in the figure's units for the parameter's. `rank` is Spearman's
    correlation. `delta` and `first` are Borgonovo's index and the first-order variance share, with half-widths in
    `delta_half`, `first_half`; `dummy` are both of a column of random numbers, which is what a parameter without any
    effect reaches with so few points. None without SALib or points enough. `r_squared` is of the regression.
    """

    quantity: Quantity
    parameters: tuple[str, ...]
    x: Array
    y: Estimates
    slope: Estimates
    raw: Estimates
    rank: Estimates
    r_squared: float
    by: str
    delta: Array | None = None
    delta_half: Array | None = None
    first: Array | None = None
    first_half: Array | None = None
    dummy: tuple[float, float] | None = None


def parameters(campaign: Campaign) -> dict[str, Array]:
    """Return the value of every field that varies between points, one entry a point.

    Words and tables are taken as levels, numbered by their order of appearance.
    """
    nothing: Mapping[str, Any] = {}
    size = int(campaign.run_point.max()) + 1
    points = [campaign.points[i] if i < len(campaign.points) else nothing for i in range(size)]
    flat = [_flat(point) for point in points]
    names = list(dict.fromkeys(name for point in flat for name in point))
    found: dict[str, Array] = {}
    for name in names:
        values = [point.get(name) for point in flat]
        if all(isinstance(value, (int, float)) for value in values):
            column = np.array(values, float)
        else:
            levels = list(dict.fromkeys(map(repr, values)))
            column = np.array([levels.index(repr(value)) for value in values], float)
        if len(np.unique(column[np.unique(campaign.run_point)])) > 1:
            found[name] = column
    return found


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{key}.")  # pyright: ignore[reportUnknownArgumentType]
        else:
            flat[prefix + str(key)] = value
    return flat


def quantities(campaign: Campaign) -> list[Quantity]:
    """Return the main figures of a game, a chain or a battle."""
    d = campaign.drops
    if campaign.kind == "battle":
        return _of_battles(campaign)
    found: list[Quantity] = []
    if campaign.kind == "game":
        setup = d.drop == 0
        found.append(_mean(campaign, "inside after set-up", "cubes", d.inside_after, setup))
    phases = campaign.phases
    found.append(_mean(campaign, "mean inside", "cubes", d.inside_after, phases))
    found.append(_mean(campaign, "mean out of a drop", "cubes", d.emerged, phases))
    cubes = campaign.cubes
    for name, chosen in (("share of thrown out", cubes.thrown), ("share of residents out", ~cubes.thrown)):
        run = d.run[cubes.row[chosen & phases[cubes.row]]]
        out = cubes.out[chosen & phases[cubes.row]]
        counts = np.bincount(run, out, campaign.runs), np.bincount(run, minlength=campaign.runs).astype(float)
        found.append(Quantity(name, "1", *counts))
    return found


def _mean(campaign: Campaign, name: str, unit: str, values: Array, rows: Array) -> Quantity:
    sums = campaign.by_run(np.stack([values[rows], np.ones(int(rows.sum()))], 1), rows)
    return Quantity(name, unit, sums[:, 0], sums[:, 1])


def _of_battles(campaign: Campaign) -> list[Quantity]:
    d = campaign.drops
    done = (~campaign.unfinished).astype(float)
    found: list[Quantity] = []
    for i, name in enumerate(d.winner.names):
        won = np.bincount(d.run[d.winner.codes == i], minlength=campaign.runs).astype(float)
        found.append(Quantity(f"won by {name}", "1", won, done))
    kinds = [np.bincount(d.run[d.kind.among(kind)], minlength=campaign.runs) for kind in ("throw", "explosion")]
    found.append(Quantity("battles with an explosion", "1", (kinds[1] > 0).astype(float), np.ones(campaign.runs)))
    found.append(Quantity("explosions a battle", "1", kinds[1].astype(float), np.ones(campaign.runs)))
    return found


def sweep(campaign: Campaign, boot: Resamples, quantity: Quantity, x: Array, names: tuple[str, ...]) -> Sweep:
    """Study one figure against the parameters `x` (points, parameters).

    With 10 points or more, points are resampled (the design is a sample); with fewer, runs within each point.
    Sources: Saltelli et al., Global Sensitivity Analysis, 2008, sections 1.2.5 and 6.6.
    """
    points = x.shape[0]
    member = np.zeros((campaign.runs, points))
    member[np.arange(campaign.runs), campaign.run_point] = 1
    over, under = member * quantity.over[:, None], member * quantity.under[:, None]
    y = boot.ratios(over, under)
    rng = campaign.rng(f"sweep {quantity.name}")
    known = np.isfinite(y.value)
    slope, raw, rank, r_squared = _relations(x[known], y.value[known])
    if points >= FEW:
        by = "points resampled"
        draws: list[Array] = []
        at = np.flatnonzero(known)
        for _ in range(RESAMPLES):
            i = at[rng.integers(len(at), size=len(at))]
            draws.append(np.concatenate(_relations(x[i], y.value[i])[:3]))
        low, high = percentiles(np.array(draws), np.full(3 * len(names), 0.025))
    elif boot.has_intervals and boot.strata == points:
        by = "runs resampled within points"
        with np.errstate(divide="ignore", invalid="ignore"):
            resampled = boot.sums(over) / boot.sums(under)
        draws = [np.concatenate(_relations(x[known], row[known])[:3]) for row in resampled[:RESAMPLES]]
        low, high = percentiles(np.array(draws), np.repeat(boot.tails(), 3 * len(names)))
    else:
        by = "no interval: too few points, and one run at some"
        low = high = np.full(3 * len(names), np.nan)
    ends = list(zip(low.reshape(3, -1), high.reshape(3, -1), strict=True))
    return Sweep(
        quantity,
        names,
        x,
        y,
        Estimates(slope, *ends[0]),
        Estimates(raw, *ends[1]),
        Estimates(rank, *ends[2]),
        r_squared,
        by,
        **_delta(x[known], y.value[known], names, rng),
    )


def _relations(x: Array, y: Array) -> tuple[Array, Array, Array, float]:
    """Return standardised slopes, raw slopes, Spearman's correlations and R squared; NaN where they are undefined."""
    width = x.shape[1]
    scale, spread = x.std(0), y.std()
    if len(y) < 3 or spread <= 1e-12 * max(1.0, float(np.abs(y).max())):
        nothing = np.full(width, np.nan)
        return nothing, nothing, nothing, np.nan
    varies = scale > 0
    z = (x - x.mean(0)) / np.where(varies, scale, 1)
    slope = np.full(width, np.nan)
    r_squared = np.nan
    if len(y) > varies.sum() + 1:
        standard = (y - y.mean()) / spread
        fitted = cast("Array", np.linalg.pinv(z[:, varies])) @ standard
        slope[varies] = fitted
        residual = cast("Array", standard - z[:, varies] @ fitted)
        r_squared = float(1 - np.mean(residual**2))
    statistics: Any = importlib.import_module("scipy.stats")  # slow to load, and needed for sweeps only
    rx: Array = statistics.rankdata(x, axis=0)
    ry: Array = statistics.rankdata(y)
    rx, ry = rx - rx.mean(0), ry - ry.mean()
    with np.errstate(invalid="ignore", divide="ignore"):
        rank = (rx * ry[:, None]).sum(0) / np.sqrt((rx**2).sum(0) * (ry**2).sum())
        return slope, slope * spread / np.where(varies, scale, np.nan), rank, r_squared


def has_salib() -> bool:
    """Whether SALib is installed."""
    return importlib.util.find_spec("SALib") is not None


def _delta(x: Array, y: Array, names: tuple[str, ...], rng: np.random.Generator) -> dict[str, Any]:
    """Return delta indices of the given sample and of a dummy.

    Source: Plischke, Borgonovo and Smith, European Journal of Operational Research 226 (2013).
    """
    if not has_salib() or len(y) < FEWEST_FOR_DELTA or not y.std() > 0:
        return {}
    analyze: Any = importlib.import_module("SALib.analyze.delta").analyze
    columns = [*names, "dummy"]
    x = np.column_stack([x, rng.random(len(x))])
    problem = {"num_vars": len(columns), "names": columns, "bounds": [[0, 1]] * len(columns)}
    seed = int(rng.integers(1 << 31))
    kept = np.random.get_state()  # SALib seeds the global generator, and replaces how warnings are told
    told = warnings.formatwarning
    try:
        with warnings.catch_warnings(record=True):  # its notices are of bins
            found = analyze(problem, x, y, num_resamples=DELTA_RESAMPLES, seed=seed)
    finally:
        np.random.set_state(kept)
        warnings.formatwarning = told
    keys = {"delta": "delta", "delta_half": "delta_conf", "first": "S1", "first_half": "S1_conf"}
    alternatives = {"delta": "delta_raw", "delta_half": "delta_raw_conf"}
    values = {
        name: np.asarray(found[key if key in found else alternatives.get(name, key)], float)
        for name, key in keys.items()
    }
    dummy = (float(values["delta"][-1]), float(values["first"][-1]))
    return {name: column[:-1] for name, column in values.items()} | {"dummy": dummy}
