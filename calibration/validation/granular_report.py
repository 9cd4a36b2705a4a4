"""What the studies of `granular` come to: figures beside the published values, as a table of JSON and Markdown."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import curve_fit

from calibration.validation.granular_runs import KNOCKS, MOST, SEED, Table
from calibration.validation.granular_statistics import (
    Counts,
    beta_geometric,
    correlation,
    drift,
    fit,
    gain,
    memoryless,
    pooled,
)

Columns = Mapping[str, npt.NDArray[Any]]
Line = dict[str, Any]

LOOSE, DENSE, SPREAD = 0.54, 0.67, 0.01
"""Cubes, loosest and densest with their standard deviation: Baker and Kudrolli, Phys. Rev. E 82, 061304 (2010)."""
CRITICAL = 5.0
"""Grain sizes at which the mean avalanche of spheres is commonly said to diverge; not checked in the paper itself."""
START = 4
"""Cubes from which on the later part of an avalanche is looked at: published laws are about tails."""
FIRST = 5
"""Avalanches of a chain that are also looked at by themselves: the pile has just been poured."""
FEWEST_ARCHES = 8
"""Broken arches below which no law of theirs is fitted."""
FEWEST = 12
"""Avalanches below which nothing is said of their law."""
AVALANCHES = {
    "avalanches": ("outlet", "length", "friction", "accuracy"),
    "tilt": ("outlet", "friction", "tilt"),
    "holes": ("outlet", "corners", "friction"),
    "shapes": ("grain", "outlet", "friction"),
}
"""The studies of avalanches, and what tells their lines from each other."""


def packing(table: Table) -> list[Line]:
    """Return the fractions of every kind of pile and number of taps: mean, standard error, piles.

    `fraction` is that of the bulk, two edges from walls, floor and surface. `whole` is that of the box, walls and floor
    included, up to the height under which the centres of 95 % of the cubes are.
    """
    data = table.columns()
    lines: list[Line] = []
    for key in _kinds(data, ("cubes", "friction", "accuracy", "pour", "taps", "strength", "after")):
        rows = _rows(data, key)
        values = np.array([float(v) for v in data["fraction_2"][rows]])
        box = data["width"][rows] ** 2 * data["top"][rows]
        whole = 0.95 * float(key["cubes"]) / box
        spread = float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else None
        lines.append(
            {
                **key,
                "piles": len(values),
                "fraction": round(float(values.mean()), 4),
                "se": None if spread is None else round(spread, 4),
                "sd": None if spread is None else round(float(values.std(ddof=1)), 4),
                "whole": round(float(whole.mean()), 4),
                "top": round(float(data["top"][rows].mean()), 1),
                "seconds": round(float(data["cpu"][rows].mean()), 1),
                "overlap": float(data["overlap"][rows].max()),
            }
        )
    return lines


def avalanches(table: Table, names: Sequence[str] = AVALANCHES["avalanches"]) -> list[Line]:
    """Return for every value of the columns `names` the mean avalanche with its interval, and if it is without memory.

    The interval is by resampling where enough avalanches ended, else that of the geometric law. `first` and `rest` are
    the means of the first of each chain and of those after them, `drift` the correlation of sizes with their places.
    """
    data = table.columns()
    lines: list[Line] = []
    for key in _kinds(data, names):
        rows = _rows(data, key)
        rows = rows[data["size"][rows] > 0]
        counts = Counts(data["size"][rows], data["ended"][rows] > 0)
        line: Line = {**key, "avalanches": len(rows), "ended": counts.ends}
        line |= dict(zip(("mean", "low", "high"), (_rounded(value) for value in counts.mean()), strict=True))
        line["pokes"] = round(float(data["pokes"][rows].mean()), 2)
        if counts.ends >= FEWEST and counts.mean()[0] > 1.5:
            rng = np.random.default_rng([SEED, round(100 * float(key["outlet"])), round(100 * float(key["friction"]))])
            line["low"], line["high"] = (_rounded(value) for value in counts.resampled(rng))
            verdict = memoryless(counts, MOST, rng)
            line |= {"shape": round(verdict.shape, 2), "p": round(verdict.p, 3), "z": round(verdict.z, 2)}
            line |= {f"power_{other:g}": round(power, 2) for other, power in verdict.power.items()}
            beyond = counts.size > START
            if beyond.sum() >= FEWEST:
                later = memoryless(Counts(counts.size[beyond] - START, counts.known[beyond]), MOST - START, rng)
                line |= {"later": int(beyond.sum()), "later_shape": round(later.shape, 2), "later_z": round(later.z, 2)}
            chains = [data["size"][rows[data["seed"][rows] == seed]] for seed in np.unique(data["seed"][rows])]
            if max(len(chain) for chain in chains) > 2:
                seen, chance = correlation([chain for chain in chains if len(chain) > 1], rng)
                line |= {"correlation": round(seen, 2), "correlation_p": round(chance, 3)}
                seen, chance = drift([chain for chain in chains if len(chain) > 1], rng)
                line |= {"drift": round(seen, 2), "drift_p": round(chance, 4)}
                line |= _settled(counts, data["number"][rows] < FIRST, rng)
        lines.append(line)
    return lines


def _settled(counts: Counts, first: npt.NDArray[np.bool_], rng: np.random.Generator) -> Line:
    fresh, rest = (Counts(counts.size[part], counts.known[part]) for part in (first, ~first))
    line: Line = {}
    if fresh.ends:
        low, high = fresh.resampled(rng)
        line |= {"first": _rounded(fresh.mean()[0]), "first_low": _rounded(low), "first_high": _rounded(high)}
    if rest.ends >= FEWEST and rest.mean()[0] > 1.5:
        low, high = rest.resampled(rng)
        verdict = memoryless(rest, MOST, rng, others=())
        line |= {"rest": _rounded(rest.mean()[0]), "rest_low": _rounded(low), "rest_high": _rounded(high)}
        line |= {"rest_shape": round(verdict.shape, 2), "rest_p": round(verdict.p, 3), "rest_z": round(verdict.z, 2)}
    return line


def growth(lines: Sequence[Line], friction: float) -> Line:
    """Fit how the mean grows with the side of a square outlet: a power law that diverges at CRITICAL, and exp(b D^3).

    The second is what Thomas and Durian find for the fraction of clogging states (Phys. Rev. Lett. 114, 178001, 2015).
    The fits are weighted by the logarithm's standard error; `chi2` is over points less two.
    """
    used = [
        line
        for line in squares(lines)
        if line["friction"] == friction
        if line["ended"] >= FEWEST / 2 and line["mean"] is not None
    ]
    side = np.array([line["outlet"] for line in used], float)
    y = np.log([line["mean"] for line in used])
    error = np.array([max(math.log(line["high"] / line["mean"]) / 1.96, 0.03) for line in used])
    found: Line = {"friction": friction, "points": len(used)}
    if len(used) < 3:
        return found

    def diverging(d: Any, a: float, g: float) -> Any:
        return a - g * np.log(CRITICAL - d)

    def exponential(d: Any, a: float, b: float) -> Any:
        return a + b * d**3

    for name, law in (("power", diverging), ("cubic", exponential)):
        best, spread = curve_fit(law, side, y, sigma=error, absolute_sigma=True)
        left = float((((law(side, *best) - y) / error) ** 2).sum())
        errors = np.sqrt(np.diag(spread))
        found[name] = {
            "log_of_factor": round(float(best[0]), 3),
            "log_of_factor_se": round(float(errors[0]), 3),
            "rate": round(float(best[1]), 3),
            "rate_se": round(float(errors[1]), 3),
            "correlation": round(float(spread[0, 1] / errors[0] / errors[1]), 5),
            "chi2": round(left, 1),
            "over": len(used) - 2,
        }
    return found


def beside(table: Table) -> list[Line]:
    """Return the lines of upright hoppers: of the table of avalanches that lies beside another, if there is one."""
    upright = Table(table.path.with_name("avalanches.csv"))
    return avalanches(upright) if upright.rows else []


def squares(lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if line["outlet"] == line["length"] and line["accuracy"] == "fast"]


def area(line: Line) -> float:
    """Return the area (edges squared) of a hole with as many corners as `line` says, seen along gravity if tilted."""
    corners, tilt = line.get("corners", 4), math.radians(line.get("tilt", 0.0))
    rectangle = line["outlet"] * line.get("length", line["outlet"]) * math.cos(tilt)
    return rectangle * corners / 4 * math.tan(math.pi / corners)


def against(lines: Sequence[Line], square: Sequence[Line]) -> list[Line]:
    """Return for each line how its mean compares with those of `square` holes of upright hoppers.

    `to_square` is over the one of the same width, `to_area` over what the power law of `growth` says for its area; each
    with its 95 % interval, from those of logarithms.
    """
    found: list[Line] = []
    for line in lines:
        comparison = {name: value for name, value in line.items() if name in ("outlet", "corners", "friction", "tilt")}
        comparison["area"] = round(area(line), 3)
        same = [other for other in square if all(other[name] == line[name] for name in ("outlet", "friction"))]
        power = growth(square, line["friction"]).get("power")
        if same:
            comparison["to_square"] = _ratio(line, same[0]["mean"], _error(same[0]))
        if power:
            far = -math.log(CRITICAL - math.sqrt(area(line)))
            a, b = power["log_of_factor_se"], far * power["rate_se"]
            error = math.sqrt(a * a + b * b + 2 * a * b * power["correlation"])
            comparison["to_area"] = _ratio(line, math.exp(power["log_of_factor"] + far * power["rate"]), error)
        found.append(comparison)
    return found


def _error(line: Line) -> float:
    return math.log(line["high"] / line["low"]) / 3.92


def _ratio(line: Line, other: float, error: float) -> list[float | None]:
    if line["mean"] is None:
        return [None, _rounded(line["low"] / other), None]
    wide = math.exp(1.96 * math.hypot(_error(line), error))
    ratio = line["mean"] / other
    return [_rounded(ratio), _rounded(ratio / wide), _rounded(ratio * wide)]


def trend(lines: Sequence[Line], square: Sequence[Line]) -> list[Line]:
    """Return for each outlet by how much the logarithm of the mean changes for every 10 degrees of tilt, 0 included.

    `chi2` is what the straight line leaves, over angles less two.
    """
    found: list[Line] = []
    kinds = sorted({(line["outlet"], line["friction"]) for line in lines})
    for outlet, friction in kinds:
        used = [line for line in (*square, *lines) if line["outlet"] == outlet and line["friction"] == friction]
        used = [line for line in used if line["mean"] is not None]
        if len(used) > 2:
            x = np.array([line.get("tilt", 0.0) / 10 for line in used])
            y, weight = np.log([line["mean"] for line in used]), 1 / np.array([_error(line) for line in used])
            (slope, at_zero), spread = np.polyfit(x, y, 1, w=weight, cov="unscaled")
            error = math.sqrt(spread[0, 0])
            left = float((((slope * x + at_zero - y) * weight) ** 2).sum())
            line = {"slope": round(slope, 3), "se": round(error, 3), "z": round(slope / error, 2)}
            found.append(
                {"outlet": outlet, "friction": friction, **line, "chi2": round(left, 1), "over": len(used) - 2}
            )
    return found


def knocks(table: Table) -> list[Line]:
    """Return for every strength how many knocks an arch takes: geometric and beta-geometric law, and the tail's power.

    `p` is the chance of such a gain in likelihood if all arches were alike, half chi-squared's: alike is at the edge.
    """
    data = table.columns()
    lines: list[Line] = []
    for key in _kinds(data, ("outlet", "friction", "strength")):
        rows = _rows(data, key)
        counts = Counts(data["knocks"][rows], data["broke"][rows] > 0)
        line: Line = {**key, "arches": len(rows), "broke": counts.ends, "first": int((data["knocks"][rows] == 1).sum())}
        line |= dict(zip(("mean", "low", "high"), (_rounded(value) for value in counts.mean()), strict=True))
        if counts.ends >= FEWEST_ARCHES:
            better = max(gain(counts, beta_geometric, start) for start in (-3.0, 0.0))
            (logit, size), _ = max((fit(counts, beta_geometric, start) for start in (-3.0, 0.0)), key=lambda f: f[1])
            power = math.exp(-size) / (1 + math.exp(-logit))
            line |= {
                "gain": round(max(better, 0.0), 1),
                "p": float(f"{0.5 * math.erfc(math.sqrt(max(better, 0.0) / 2)):.2g}"),
            }
            if better > 2.7:  # 5 %: otherwise all are as good as alike, and the tail may be any
                line |= {"tail": round(power, 2), "other": round(math.exp(-size) - power, 2)}
        lines.append(line)
    return lines


def _rounded(value: float) -> float | None:
    return round(value, 2) if math.isfinite(value) else None


def _kinds(data: Columns, names: Sequence[str]) -> list[Line]:
    rows = zip(*(data[name].tolist() for name in names), strict=True)
    return [dict(zip(names, values, strict=True)) for values in sorted(set(rows))]


def _rows(data: Columns, key: Line) -> npt.NDArray[np.int64]:
    return np.flatnonzero(np.all([data[name] == value for name, value in key.items()], axis=0))


def summary(study: str, table: Table) -> tuple[list[Line], str]:
    if study in AVALANCHES:
        lines = avalanches(table, AVALANCHES[study])
    else:
        lines = {"packing": packing, "knocks": knocks}[study](table)
    document: Line = {"study": study, "lines": lines}
    if study != "packing":
        document["stopped_at"] = KNOCKS if study == "knocks" else MOST
    if study == "avalanches":
        document["growth"] = [growth(lines, friction) for friction in sorted({line["friction"] for line in lines})]
        for name, column in (("memory", "z"), ("memory_later", "later_z"), ("memory_rest", "rest_z")):
            together = pooled([line[column] for line in lines if column in line] or [0.0])
            document[name] = {"z": round(together[0], 2), "p": float(f"{together[1]:.2g}")}
    if study in ("tilt", "holes"):
        square = squares(beside(table))
        document["against"] = against(lines, square)
        if study == "tilt":
            document["trend"] = trend(lines, square)
    return lines, json.dumps(document, indent=1) + "\n"
