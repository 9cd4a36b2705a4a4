"""Measure laws of granular physics with our cubes: packing, avalanches from hoppers, balls, crosses, knocks on arches.

python -m calibration.validation.granular packing
python -m calibration.validation.granular avalanches tilt holes shapes
python -m calibration.validation.granular knocks --minutes 60

Each study makes the runs that its CSV file in docs/granular has not yet, and prints the table of docs/granular.md from
all of them. `avalanches` also draws the picture. --minutes stops a study earlier; the same again goes on, and
--minutes 0 only sums up what is there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.optimize import curve_fit, minimize
from scipy.special import betaln
from scipy.stats import CensoredData, bootstrap, chi2, ecdf

from calibration.validation.granular_piles import Crosses, Pile, Spheres, bed, bulk_fraction, deepest, pile
from calibration.validation.script import ROOT, go_on, option, print_table, script
from tower_sim.apparatus import Surface
from tower_sim.physics import STANDARD, accuracy
from tower_sim.report.charts import FONT, WIDTH

FOLDER = ROOT / "docs/granular"
SEED = 20261123
BOUNCE = 0.4
HOPPER, FULL = 6.6, 130
"""The hopper: its width (edges), and the cubes in it, which stand some five edges high.

The width is no whole number: rows of cubes would fit between the walls and wedge.
"""
MOST = 100
"""Cubes after which an avalanche is stopped: it is known to be larger."""
CHAIN, FIRST = 15, 5
"""Avalanches in one run of a hopper; those of them that come soon after the pile was poured."""
ROUND = 16
"""Corners of a hole that is as good as round: its area is 1.3 % larger than the circle's in it."""
PATIENCE = 1.0
"""Seconds without a grain that falls after which an avalanche of Bullet's has ended: balls roll on for long."""
RISE = {"brisk": 0.45, "gentle": 0.56}
"""How a hand that pours rises: as if cubes filled this share of the box. Less than they do lets them fall further."""
KNOCKS = 40
"""Knocks after which an arch is left standing."""
LOOKS = (0, 1, 2, 5, 10, 15, 20, 30, 40)
"""Taps after which the fraction of a pile is looked at."""
LOOSE, DENSE = 0.54, 0.67
"""Share of the volume of real cubes, loosest and densest: Baker and Kudrolli, Phys. Rev. E 82, 061304 (2010)."""
CRITICAL = 5.0
"""Grain sizes at which the mean avalanche of spheres is commonly said to diverge; not checked in the paper itself."""
FEWEST = 12
"""Avalanches that ended, below which nothing is said of their law."""
GRAINS = ("cube", "ball", "cross")

Key = Mapping[str, Any]
Row = dict[str, Any]
Frame = Any  # pandas.DataFrame, whose types say too little
Array = np.ndarray[Any, np.dtype[Any]]


def stream(key: Key, *more: int) -> np.random.Generator:
    numbers = [round(1000 * value) for value in key.values() if not isinstance(value, str)]
    return np.random.default_rng([SEED, *numbers, *more])


# Runs: each returns the rows of one key


def pack(key: Key) -> list[Row]:
    width = round(1.135 * key["cubes"] ** (1 / 3), 2)
    rows: list[Row] = []
    rng = stream(key)
    with pile(accuracy("core", key["accuracy"]), bed(width, Surface(key["friction"], BOUNCE))) as heap:
        heap.pour(key["cubes"], rng, RISE[key["pour"]])
        for tap in range(key["taps"] + 1):
            if tap:
                heap.tap(key["strength"], rng)
            if tap in LOOKS:
                rows.append({"after": tap, **_look(heap, width)})
    return rows


def _look(heap: Pile, width: float) -> Row:
    motion, edge = heap.motion(), heap.shape.cube_edge
    inner = {f"fraction_{margin}": round(bulk_fraction(motion, width, margin), 4) for margin in (1, 2, 3)}
    top = float(np.quantile(motion.position[:, 2], 0.95)) / edge
    heap.scene.lie_still()
    overlap = round(deepest(heap.scene) / edge, 4)
    return {"status": str(heap.status), "width": width, "top": round(top, 2), **inner, "overlap": overlap}


def pour_hopper(key: Key) -> list[Row]:
    """Fill a hopper and watch CHAIN avalanches, of cubes by the core or of other grains by Bullet."""
    outlet = (key["outlet"], key.get("length", key["outlet"]))
    shape = bed(HOPPER, Surface(key["friction"], BOUNCE), outlet, key.get("corners", 4))
    if grain := key.get("grain"):
        with pile(accuracy("bullet", STANDARD), shape, {"ball": Spheres, "cross": Crosses}.get(grain)) as heap:
            return _chain(heap, stream(key, GRAINS.index(grain)), PATIENCE)
    with pile(accuracy("core", key.get("accuracy", "fast")), shape) as heap:
        return _chain(heap, stream(key), tilt=key.get("tilt", 0.0))


def _chain(heap: Pile, rng: np.random.Generator, patience: float = math.inf, tilt: float = 0.0) -> list[Row]:
    rows: list[Row] = []
    _fill(heap, rng, patience)
    if tilt:
        heap.tilt(tilt)
        heap.flow(rng, MOST, patience)
    for number in range(CHAIN):
        pokes, fallen, ended = 0, 0, True
        while not fallen and pokes < 20:
            heap.take_out(heap.arch())
            heap.give_back(rng)
            pokes += 1
            fallen, ended = heap.flow(rng, MOST, patience)
        rows.append({"number": number, "size": fallen, "ended": int(ended), "pokes": pokes})
        if not ended:
            break  # the next would begin in the middle of this one
    return rows


def _fill(heap: Pile, rng: np.random.Generator, patience: float = math.inf) -> None:
    """Pour the hopper full and let it run until it clogs, or as long as the longest avalanche."""
    heap.pour(FULL, rng)
    heap.give_back(rng)
    heap.flow(rng, MOST, patience)


def break_arches(key: Key) -> list[Row]:
    shape = bed(HOPPER, Surface(key["friction"], BOUNCE), (key["outlet"], key["outlet"]))
    rng, rows = stream(key, 1), list[Row]()
    with pile(accuracy("core", key["accuracy"]), shape) as heap:
        _fill(heap, rng)
        for arch in range(key["arches"]):
            knocks = 0
            while knocks < KNOCKS and not heap.out:
                heap.tap(key["strength"], rng)
                knocks += 1
            fallen = len(heap.out)
            rows.append({"arch": arch, "knocks": knocks, "broke": int(fallen > 0), "fallen": fallen})
            if not fallen:
                heap.take_out(heap.arch())
            heap.give_back(rng)
            heap.flow(rng, MOST)
    return rows


# Keys of the studies


def packing_keys() -> Iterator[Key]:
    def key(cubes: int, friction: float, seed: int, taps: int = 0, g: float = 0.0, pour: str = "brisk") -> Key:
        pour_key = {"cubes": cubes, "friction": friction, "taps": taps, "strength": g}
        return {**pour_key, "accuracy": "fast", "pour": pour, "seed": seed}

    frictions = (0.4, 0.2, 0.6, 0.8, 0.1)
    yield from (key(500, friction, 0) for friction in frictions)
    yield from (key(300, friction, seed) for seed in range(4) for friction in frictions[:4])
    yield from (key(300, friction, 10, 20, 2.0) for friction in frictions[:3])
    yield from (key(500, friction, 0, pour="gentle") for friction in (0.4, 0.8))
    yield from (key(300, 0.4, 11, 40, 2.0), key(500, 0.4, 1), key(500, 0.4, 1, pour="gentle"))
    yield from (key(1000, 0.4, 0), key(2000, 0.4, 0), key(1000, 0.4, 1))


def avalanche_keys() -> Iterator[Key]:
    def key(outlet: float, length: float, friction: float, seed: int, how: str = "fast") -> Key:
        return {"outlet": outlet, "length": length, "friction": friction, "accuracy": how, "seed": seed}

    cells = [(width, friction) for width in (2.5, 2.0) for friction in (0.4, 0.2, 0.6)]
    others = [(3.0, 0.4), (1.5, 0.4), (3.5, 0.4), (2.5, 0.8)]
    for seed in range(8):
        yield from (key(width, width, friction, seed) for width, friction in cells)
        if seed < 4:
            yield from (key(width, width, friction, seed) for width, friction in others)
        if seed < 2:
            yield from (key(width, HOPPER, 0.4, seed) for width in (1.5, 2.0))
            yield key(2.5, 2.5, 0.4, seed, "standard")


def tilt_keys() -> Iterator[Key]:
    for outlet in (2.5, 2.0):
        for seed in range(4):
            for tilt in (45.0, 30.0, 15.0, 60.0):
                yield {"outlet": outlet, "friction": 0.4, "tilt": tilt, "seed": seed}


def hole_keys() -> Iterator[Key]:
    round_to_square = math.sqrt(ROUND / 4 * math.tan(math.pi / ROUND))
    for seed in range(4):
        for side in (2.5, 2.0):
            for outlet in (side, round(side / round_to_square, 3)):  # as wide, and as large
                yield {"outlet": outlet, "corners": ROUND, "friction": 0.4, "seed": seed}


def shape_keys() -> Iterator[Key]:
    def key(grain: str, outlet: float, friction: float, seed: int) -> Key:
        return {"grain": grain, "outlet": outlet, "friction": friction, "seed": seed}

    for seed in range(4):
        yield from (key("ball", 2.0, friction, seed) for friction in (0.4, 0.2, 0.6))
        if seed < 3:
            yield from (key("cube", 2.0, friction, seed) for friction in (0.4, 0.2, 0.6))
        if seed < 2:
            yield from (key("cross", *pair, seed) for pair in ((2.0, 0.4), (1.5, 0.4), (2.0, 0.2), (2.0, 0.6)))
            yield from (key("ball", outlet, 0.4, seed) for outlet in (1.5, 2.5))


def knock_keys() -> Iterator[Key]:
    pairs = [(strength, 0) for strength in (0.4, 0.7, 0.2)]
    pairs += [(strength, seed) for seed in range(1, 10) for strength in (2.0, 1.0, 0.7)]
    for g, seed in pairs:
        yield {"outlet": 2.5, "friction": 0.4, "strength": g, "arches": 8, "accuracy": "fast", "seed": seed}


# Counts that were cut short: cubes of avalanches, knocks that arches take


def geometric(s: Array, parameters: Array) -> Array:
    """Return the log survival of the geometric law, without memory; the parameter is the logit of a chance to stop."""
    return -s * np.logaddexp(0.0, parameters[0])


def weibull(s: Array, parameters: Array) -> Array:
    """Return that of the discrete Weibull law (Nakagawa and Osaki 1975); parameters: a logit, the log of the shape.

    The shape is 1 for the geometric law; below 1 the chance to stop falls with the count.
    """
    return -(s ** np.exp(parameters[1])) * np.logaddexp(0.0, parameters[0])


def beta_geometric(s: Array, parameters: Array) -> Array:
    """Return that of arches with chances of a beta law: parameters are the logit of a / (a + b) and -log(a + b)."""
    both = math.exp(-min(max(parameters[1], -12.0), 12.0))
    a = both / (1 + math.exp(-parameters[0]))
    b = max(both - a, 1e-12)
    return betaln(a, b + s) - betaln(a, b)


LogSurvival = Callable[[Array, Array], Array]


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts from 1 on; where `known` is false the true one is larger than `size`."""

    size: Array
    known: Array

    def mean(self) -> float:
        """Return the mean count under the geometric law; infinite where none is known."""
        return float(mean_count(self.size, self.known))

    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval of the mean: by resampling where enough are known, else by the geometric law.

        Where none is known it has the lower bound of the "rule of three" only.
        """
        total, ends, mean = float(self.size.sum()), int(self.known.sum()), self.mean()
        if not ends:
            return total / 3, math.inf
        if ends < FEWEST or mean <= 1.5:
            wide = math.exp(1.96 * math.sqrt((1 - 1 / mean) / ends))
            return max(mean / wide, 1.0), mean * wide
        rng, data = np.random.default_rng(SEED), (self.size, self.known)
        found = bootstrap(data, mean_count, paired=True, vectorized=True, method="percentile", rng=rng)
        return float(found.confidence_interval.low), float(found.confidence_interval.high)

    def likelihood(self, law: LogSurvival, parameters: Array) -> float:
        upto, over = law(self.size - 1.0, parameters), law(self.size, parameters)
        ended = upto + np.log(-np.expm1(np.minimum(over - upto, -1e-15)))
        return float(np.where(self.known, ended, over).sum())

    def fit(self, law: LogSurvival, start: float = 0.0) -> tuple[Array, float]:
        """Return the two parameters of a law by maximum likelihood, and twice its gain over the geometric law."""
        p = min(max(1 / self.mean(), 1e-6), 1 - 1e-6)
        logit = math.log(p / (1 - p))
        found = minimize(lambda x: -self.likelihood(law, x), [logit, start], method="Nelder-Mead")
        return np.asarray(found.x), max(-2 * (float(found.fun) + self.likelihood(geometric, np.array([logit]))), 0.0)


def mean_count(size: Array, known: Array, axis: int = -1) -> Array:
    with np.errstate(divide="ignore"):
        return size.sum(axis) / known.sum(axis)


# Tables


def sum_up_packing(table: Frame) -> Frame:
    """Return the share of the volume by kind of pile: of the bulk, two edges from all sides, and of the whole box."""
    table["whole"] = 0.95 * table["cubes"] / (table["width"] ** 2 * table["top"])
    of = table.groupby(["cubes", "friction", "accuracy", "pour", "taps", "strength", "after"])
    named = {"piles": ("seed", "size"), "fraction": ("fraction_2", "mean"), "se": ("fraction_2", "sem")}
    return of.agg(**named, whole=("whole", "mean"), overlap=("overlap", "max")).reset_index()


def sum_up_avalanches(names: Sequence[str], table: Frame) -> Frame:
    """Return by the columns `names` the mean avalanche with its interval, and the shape of the Weibull law.

    `p` is of the likelihood ratio to shape 1. `first` is the mean of the first FIRST avalanches of each chain, `rest`
    of those after them.
    """
    lines: list[Row] = []
    for key, rows in table[table["size"] > 0].groupby(list(names)):
        counts = counts_of(rows)
        low, high = counts.interval()
        line: Row = dict(zip(names, key, strict=True)) | {"n": len(rows), "ended": int(counts.known.sum())}
        line |= {"mean": counts.mean(), "low": low, "high": high}
        if line["ended"] >= FEWEST and line["mean"] > 1.5:
            parameters, gain = counts.fit(weibull)
            line |= {"shape": math.exp(parameters[1]), "p": float(chi2.sf(gain, 1))}
            for part, some in (("first", rows["number"] < FIRST), ("rest", rows["number"] >= FIRST)):
                own = counts_of(rows[some])
                line |= dict(zip((part, f"{part}_low", f"{part}_high"), (own.mean(), *own.interval()), strict=True))
        lines.append(line)
    return pd.DataFrame(lines)


def counts_of(rows: Frame, size: str = "size", known: str = "ended") -> Counts:
    return Counts(rows[size].to_numpy(float), rows[known].to_numpy() > 0)


def upright() -> Frame:
    """Return the lines of the study of upright hoppers with square holes, at `fast` and friction 0.4."""
    lines = STUDIES["avalanches"].sum_up(pd.read_csv(FOLDER / "avalanches.csv"))
    is_square = (lines["outlet"] == lines["length"]) & (lines["accuracy"] == "fast")
    return lines[is_square & (lines["friction"] == 0.4)]


def growth(square: Frame) -> tuple[Array, Array]:
    """Fit how the mean grows with the side: log mean = a - g log(CRITICAL - side). Returns (a, g), their covariance."""
    used = square[(square["ended"] >= FEWEST / 2) & np.isfinite(square["mean"])]
    error = np.maximum(np.log(used["high"] / used["mean"]) / 1.96, 0.03)
    side, y = used["outlet"].to_numpy(), np.log(used["mean"]).to_numpy()
    return curve_fit(lambda d, a, g: a - g * np.log(CRITICAL - d), side, y, sigma=error, absolute_sigma=True)


def area(line: Key) -> float:
    """Return the area (edges squared) of a hole with as many corners as `line` says, seen along gravity if tilted."""
    corners, tilt = line.get("corners", 4), math.radians(line.get("tilt", 0.0))
    return line["outlet"] ** 2 * math.cos(tilt) * corners / 4 * math.tan(math.pi / corners)


def against_area(lines: Frame, square: Frame) -> Frame:
    """Add how many times the mean is what `growth` says for a square hole of equal area, with the 95 % interval."""
    fitted, covariance = growth(square)
    rows: list[Row] = []
    for line in lines.to_dict("records"):
        at = np.array([1.0, -math.log(CRITICAL - math.sqrt(area(line)))])
        wide = math.exp(1.96 * math.hypot(log_error(line), math.sqrt(at @ covariance @ at)))
        ratio = line["mean"] / math.exp(at @ fitted)
        rows.append({**line, "to_area": ratio, "to_area_low": ratio / wide, "to_area_high": ratio * wide})
    return pd.DataFrame(rows)


def log_error(line: Any) -> Any:
    """Return the standard error of the logarithm of the mean, from its interval."""
    return np.log(line["high"] / line["low"]) / 3.92


def trend(lines: Frame, square: Frame) -> dict[float, tuple[float, float]]:
    """Return by outlet the change of the log mean for every 10 degrees of tilt, upright included, and its error."""
    found: dict[float, tuple[float, float]] = {}
    for outlet in lines["outlet"].unique():
        used = pd.concat([square.assign(tilt=0.0), lines])
        used = used[(used["outlet"] == outlet) & np.isfinite(used["mean"])]
        if len(used) > 2:
            weight = 1 / log_error(used)
            (slope, _), spread = np.polyfit(used["tilt"] / 10, np.log(used["mean"]), 1, w=weight, cov="unscaled")
            found[outlet] = float(slope), math.sqrt(spread[0, 0])
    return found


def sum_up_tilt(table: Frame) -> Frame:
    lines = sum_up_avalanches(("outlet", "friction", "tilt"), table)
    slopes = trend(lines, upright())
    lines["slope"], lines["slope_se"] = zip(*(slopes.get(each, (np.nan,) * 2) for each in lines["outlet"]), strict=True)
    return lines


def sum_up_holes(table: Frame) -> Frame:
    return against_area(sum_up_avalanches(("outlet", "corners", "friction"), table), upright())


def sum_up_knocks(table: Frame) -> Frame:
    """Return by strength how many knocks arches take, and the chance `p` of such a gain if all arches were alike.

    It is half of chi-squared's, since alike is at the edge of the law.
    """
    lines: list[Row] = []
    for strength, rows in table.groupby("strength"):
        counts = counts_of(rows, "knocks", "broke")
        low, high = counts.interval()
        line: Row = {"strength": strength, "arches": len(rows), "broke": int(counts.known.sum())}
        line |= {"at the first": int((rows["knocks"] == 1).sum()), "mean": counts.mean(), "low": low, "high": high}
        if line["broke"] >= 8:
            line["p"] = chi2.sf(max(counts.fit(beta_geometric, start)[1] for start in (-3.0, 0.0)), 1) / 2
        lines.append(line)
    return pd.DataFrame(lines)


def draw(table: Frame, lines: Frame, file: Path) -> None:
    """Draw the mean avalanche against the outlet, and which share is larger, soon after pouring and later."""
    figure: Any = Figure(figsize=(WIDTH, 3.6), layout="constrained")
    means, sizes = figure.subplots(1, 2)
    square = lines[(lines["outlet"] == lines["length"]) & (lines["accuracy"] == "fast")]
    for (friction, own), marker in zip(square[square["ended"] > 0].groupby("friction"), "osD^", strict=False):
        error = [own["mean"] - own["low"], own["high"] - own["mean"]]
        x = own["outlet"] + 0.15 * (float(str(friction)) - 0.4)  # so that none hides another
        means.errorbar(x, own["mean"], error, marker=marker, ms=4, lw=1, capsize=2, label=f"friction {friction:g}")
    (a, g), _ = growth(square[square["friction"] == 0.4])
    side = np.linspace(1.4, 3.2, 50)
    means.plot(side, np.exp(a) * (CRITICAL - side) ** -g, color="0.5", ls="--", label=f"({CRITICAL:g} - side)^-{g:.1f}")
    means.set(xlabel="side of the hole, edges", ylabel="mean avalanche, cubes", yscale="log")
    means.set_yticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
    means.minorticks_off()
    of_size = table[(table["outlet"] == 2.5) & (table["length"] == 2.5) & (table["accuracy"] == "fast")]
    for friction, colour in ((0.4, "C0"), (0.6, "C1")):
        rows = of_size[(of_size["friction"] == friction) & (of_size["size"] > 0)]
        parts = {"first 5": rows[rows["number"] < FIRST], "later": rows[rows["number"] >= FIRST]}
        for (name, part), style in zip(parts.items(), (":", "-"), strict=True):
            counts = counts_of(part)
            survival = ecdf(CensoredData.right_censored(counts.size, ~counts.known)).sf
            x, y = np.append(0, survival.quantiles), np.append(1, survival.probabilities)
            label = f"friction {friction:g}, {name}, n = {len(part)}"
            sizes.step(x, y, where="post", color=colour, ls=style, label=label)
    sizes.set(xlabel="cubes s, hole of 2.5 edges", ylabel="share of avalanches larger than s", yscale="log")
    sizes.set(xlim=(0, 60), ylim=(0.01, 1.05))
    for panel in (means, sizes):
        panel.spines[["top", "right"]].set_visible(False)
        panel.legend(fontsize=FONT - 1, frameon=False)
    figure.savefig(file, dpi=150)


@dataclass(frozen=True, slots=True)
class Study:
    plan: Callable[[], Iterator[Key]]
    work: Callable[[Key], list[Row]]
    sum_up: Callable[[Frame], Frame]


STUDIES = {
    "packing": Study(packing_keys, pack, sum_up_packing),
    "avalanches": Study(
        avalanche_keys, pour_hopper, partial(sum_up_avalanches, ("outlet", "length", "friction", "accuracy"))
    ),
    "tilt": Study(tilt_keys, pour_hopper, sum_up_tilt),
    "holes": Study(hole_keys, pour_hopper, sum_up_holes),
    "shapes": Study(shape_keys, pour_hopper, partial(sum_up_avalanches, ("grain", "outlet", "friction"))),
    "knocks": Study(knock_keys, break_arches, sum_up_knocks),
}


def run(studies: Sequence[str], minutes: float) -> None:
    for name in studies:
        study = STUDIES[name]
        table = go_on(FOLDER / f"{name}.csv", study.plan(), study.work, minutes)
        lines = study.sum_up(table)
        print(f"\n{name}\n")
        print_table(
            list(lines),
            [
                [f"{cell:.3g}" if isinstance(cell, float) else cell for cell in row]
                for row in lines.itertuples(index=False)
            ],
        )
        if name == "avalanches":
            draw(table, lines, FOLDER / "avalanches.png")


main = script(
    __doc__,
    run,
    option("studies", nargs="+", choices=tuple(STUDIES), help="what to measure"),
    option("--minutes", type=float, default=math.inf, help="processor time after which no run is begun"),
)

if __name__ == "__main__":
    raise SystemExit(main())
