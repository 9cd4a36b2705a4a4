"""The prior: ten free numbers that decide what a tower does, from which all simulated towers are made.

A tower is a point of the unit cube with one coordinate for each of NUMBERS; every point is valid. Everything else is as
in base.toml, and assumed [A]. Lengths are rounded to 0.1 mm, angles and rates to whole numbers, friction and
restitution to 0.01, so a profile describes exactly the tower that was played.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import betaln, expit

from tower_sim.apparatus import Apparatus, from_tables
from tower_sim.calibration.summaries import BOTH, CLOGGED, USUAL, WHOLE, Window, find_clogs
from tower_sim.results import Results

Array = npt.NDArray[Any]

BASE = Path(__file__).with_name("base.toml")
SURFACES = ("cube", "cardboard", "funnel")
OPENING = (1.3, 3.2)  # cube edges
WIDER = 0.6  # cube edges: growth of the least opening with friction, since rough cubes arch over wider openings
LEAST_OPEN = 18.0  # square cube edges: least open area of a floor, unless the widest openings have less
BAR = (0.5, 3.0)  # cube edges
MOST_OPEN = 0.75  # share of the tube's width, unless the narrowest openings take more
LEDGES = 0.5  # share of ledges in the closed width beyond the narrowest bars
LEAST_LEDGE = 0.13  # cube edges: a narrower ledge becomes part of the openings
CROSS_BAR = 1.0  # cube edges: the bar that makes a grid of slots
LEAST_LENGTH = 1.6  # cube edges: of an opening of a grid
CLEARANCE = 2.6  # cube edges: from the ramp's top to the lower floor, and from there to the upper floor
HEADROOM = 40.0  # mm from the upper floor's highest edge to the tube's top


@dataclass(frozen=True, slots=True)
class Parameter:
    """A free number from `low` to `high`, in `unit`, with the `reason` for these limits."""

    name: str
    low: float
    high: float
    unit: str
    reason: str


_COUNT = "bars are reported, so two slots or more; as many as the tube has room for"
_OPENING = "narrower, or under 18 square edges open: the floor clogs; wider: nothing stays"
NUMBERS: tuple[Parameter, ...] = (
    Parameter("tube", 50.0, 80.0, "mm", "two hands of cubes must pass; the box is 9.4 cm deep, the tube packed whole"),
    Parameter("upper_openings", 2, 4, "slots", _COUNT),
    Parameter("upper_opening", *OPENING, "edges", _OPENING),
    Parameter("lower_openings", 2, 4, "slots", _COUNT),
    Parameter("lower_opening", *OPENING, "edges", _OPENING),
    Parameter("grid", 0, 3, "floors", "slots with a cross bar: half no floor (0), else upper (1), lower (2), both (3)"),
    Parameter("slope", 0.0, 30.0, "deg", "half: flat; else bars and ledges tilt; steeper, nothing lies on them"),
    Parameter("friction", 0.2, 0.577, "", "wood on wood, card, plastic; from tan 30° on cubes lie on the ramp"),
    Parameter("restitution", 0.15, 0.6, "", "small wooden cubes on card and wood; one for all"),
    Parameter("rate", 25.0, 250.0, "per s", "49 cubes within a fifth of a second to two; log-uniform"),
)
NAMES = tuple(number.name for number in NUMBERS)


def numbers(unit: Array) -> dict[str, float]:
    """Return the free numbers of the tower at `unit`, shape (10,), by name, as its profile has them."""
    tables = profile(unit)
    upper, lower = tables["upper_floor"], tables["lower_floor"]
    edge = tables["cubes"]["edge_mm"]
    return {
        "tube": tables["tube"]["inside_mm"],
        "upper_openings": upper["openings"],
        "upper_opening": upper["opening_mm"] / edge,
        "lower_openings": lower["openings"],
        "lower_opening": lower["opening_mm"] / edge,
        "grid": (upper["rows"] == 2) + 2 * (lower["rows"] == 2),
        "slope": max(upper["slope_deg"], lower["slope_deg"]),
        "friction": tables["surfaces"]["cube"]["friction"],
        "restitution": tables["surfaces"]["cube"]["restitution"],
        "rate": tables["release"]["rate_per_s"],
    }


def profile(unit: Array) -> dict[str, Any]:
    """Return the profile of the tower at `unit`, shape (10,), as tables."""
    at = dict(zip(NAMES, (float(u) for u in unit), strict=True))
    span = {number.name: number.low + at[number.name] * (number.high - number.low) for number in NUMBERS}
    tables: dict[str, Any] = {
        name: dict(value) if isinstance(value, dict) else value for name, value in _read_base().items()
    }
    edge, ramp = tables["cubes"]["edge_mm"], tables["ramp"]
    inside = round(span["tube"], 1)
    friction, restitution = round(span["friction"], 2), round(span["restitution"], 2)
    grid, slope = math.ceil(3 * _upper_half(at["grid"])), round(30 * _upper_half(at["slope"]))
    tables["tube"]["inside_mm"] = inside
    peak = 2 + ramp["lip_mm"] + math.tan(math.radians(ramp["angle_deg"])) * inside
    for bit, floor in ((2, "lower"), (1, "upper")):
        table = tables[f"{floor}_floor"]
        is_grid = bool(grid & bit)
        tilt = 0 if is_grid else slope
        table |= _make_floor(inside / edge, at[f"{floor}_openings"], at[f"{floor}_opening"], friction, is_grid, edge)
        top = math.ceil(10 * (peak + CLEARANCE * edge + table["thickness_mm"])) / 10
        table |= {"top_mm": top, "slope_deg": tilt}
        closed = inside - table["openings"] * table["opening_mm"]
        widest = max(table["ledge_mm"], (closed - 2 * table["ledge_mm"]) / (table["openings"] - 1))
        peak = top + widest * math.tan(math.radians(tilt))
    tables["tube"]["top_mm"] = math.ceil(10 * (peak + HEADROOM)) / 10
    for surface in SURFACES:
        tables["surfaces"][surface] = {"friction": friction, "restitution": restitution}
    tables["release"]["rate_per_s"] = round(25 * 10 ** at["rate"])
    return tables


def tower(unit: Array, name: str = "prior") -> Apparatus:
    """Return the tower at `unit`, shape (10,)."""
    return from_tables(profile(unit), name)


def _upper_half(coordinate: float) -> float:
    return max(2 * coordinate - 1, 0.0)


def _make_floor(width: float, count: float, wide: float, friction: float, is_grid: bool, edge: float) -> dict[str, Any]:
    """Return the openings of a floor in a tube `width` cube edges wide; `count` and `wide` go from 0 to 1."""
    least = OPENING[0] + WIDER * (friction - 0.2)
    most = min(4, math.floor((width + BAR[0]) / (least + BAR[0])))
    openings = 2 + min(math.floor(count * (most - 1)), most - 2)
    gaps = openings - 1
    room = min(MOST_OPEN * width, width - BAR[0] * gaps) / openings
    widest = max(min(OPENING[1] - 2 * LEAST_LEDGE / openings, room), least)
    least = min(max(LEAST_OPEN / openings / (width - CROSS_BAR if is_grid else width), least), widest)
    opening = least + wide * (widest - least)
    closed = width - openings * opening
    bars = min(BAR[1] * gaps, closed)
    bars -= LEDGES * (bars - BAR[0] * gaps)
    ledge = (closed - bars) / 2
    ledge = ledge if ledge >= LEAST_LEDGE else 0.0
    opening = round((width - bars - 2 * ledge) / openings * edge, 1)
    end = min(ledge, (width - CROSS_BAR - 2 * LEAST_LENGTH) / 2) if is_grid else 0.0
    end = round(end * edge, 1)
    inside = width * edge
    return {
        "openings": openings,
        "opening_mm": opening,
        "ledge_mm": round(ledge * edge, 1),
        "rows": 2 if is_grid else 1,
        "end_ledge_mm": end,
        "length_mm": round((inside - CROSS_BAR * edge) / 2 - end, 1) if is_grid else round(inside, 1),
    }


@cache
def _read_base() -> dict[str, Any]:
    return tomllib.loads(BASE.read_text("utf-8"))


NEAR = 120  # towers with about as many cubes inside, over which the variance between games is averaged
LEAST = 0.02  # sd of a summary between games, on the scale of the fit
LEAST_CLOGS = 1e-4  # of a tower's prior share of games that clog
ROUNDS, STEPS, RIDGE = 4, 12, 1.0  # of the regression of these shares: Newton's steps in each round, and the penalty


@dataclass(frozen=True, slots=True)
class Predicted:
    """A summary of S towers: its long-run `mean`, the standard `error` of this mean, and the sd between `games`, each
    (S,).

    Source of the error: Prasad and Rao, Journal of the American Statistical Association 85 (1990) 163, first two terms.
    """

    mean: Array
    error: Array
    games: Array


class Towers:
    """The simulated towers with two or more complete games; `number` is the row of each in the table.

    Games in which a tower clogs and all others have means of their own. A tower's long-run mean is their mixture, by
    its share of games that clog.
    """

    def __init__(self, unit: Array, games: Results, base: Array | None = None) -> None:
        """Take points of the table, shape (N, 10), games, shape (N, games, drops), and how much each tower counts."""
        whole = (games.grid("thrown")[..., -1] >= 0).sum(1) >= 2
        self.number = np.flatnonzero(whole)
        self.unit = unit[whole]
        self.base = np.ones(len(self.unit)) if base is None else base[whole]
        self.games = games.take(whole)
        self.is_clogged = find_clogs(self.games)
        self._known: dict[Window, Predicted] = {}
        self._kinds: dict[Window, list[Predicted]] = {}
        self._solutions: dict[bytes, Array] = {}

    @cached_property
    def numbers(self) -> Array:
        """Return the free numbers of each tower, in the order of NUMBERS, shape (S, 10)."""
        return np.array([list(numbers(unit).values()) for unit in self.unit])

    def at(self, window: Window) -> Predicted:
        """Return the estimates for one kind of games, or for the mixture of both."""
        if window not in self._known:
            kinds = self._estimate(replace(window, kind=BOTH))
            if window.kind != BOTH:
                kinds = kinds[-1:] if window.kind else kinds
            elif len(kinds) > 1:
                usual, clogged = kinds
                a, b = self.clogs
                share, apart = a / (a + b), (clogged.mean - usual.mean) ** 2
                doubt = share * (1 - share) / (a + b + 1)  # the variance of the share
                mean = (1 - share) * usual.mean + share * clogged.mean
                errors = ((1 - share) * usual.error) ** 2 + (share * clogged.error) ** 2
                errors += doubt * (apart + usual.error**2 + clogged.error**2)
                games = (1 - share) * usual.games**2 + share * clogged.games**2 + share * (1 - share) * apart
                kinds = [Predicted(mean, np.sqrt(errors), np.sqrt(games))]
            self._known[window] = kinds[0]
        return self._known[window]

    def draw(
        self, windows: Sequence[Window], rows: Array, rng: np.random.Generator, seen: Sequence[float] = (0, 0)
    ) -> tuple[Array, Array]:
        """Draw long-run means of the towers `rows`, shape (rows, n), and their shares of games that clog, (rows,).

        `seen` are further games of the tower that clogged, and that did not.
        """
        share = rng.beta(*self.clogs[:, rows] + np.reshape(seen, (2, 1)))
        means = np.zeros((len(rows), len(windows)))
        for column, window in zip(means.T, windows, strict=True):
            kinds = self._estimate(window)
            for part, each in zip((1 - share, share) if len(kinds) > 1 else (1.0,), kinds, strict=True):
                column += part * rng.normal(each.mean[rows], each.error[rows])
        return means, share

    @cached_property
    def clogs(self) -> Array:
        """Return both parameters of the beta law of each tower's share of games that clog, shape (2, S).

        They are the tower's own counts and its prior: a logistic regression on the free numbers, with penalty RIDGE,
        and the size that makes the counts likeliest. Source: Williams, Journal of the Royal Statistical Society C 31
        (1982) 144.
        """
        known = (self.games.grid("thrown")[..., -1] >= 0).sum(1)
        clogged, x = self.is_clogged.sum(1), self._design
        penalty = np.diag([1e-6, *[RIDGE] * (x.shape[1] - 1)])
        size, line, chance = 1.0, np.zeros(x.shape[1]), np.full(len(x), 0.5)

        def doubt(log_size: float) -> float:
            a, b = np.exp(log_size) * np.stack([chance, 1 - chance])
            return float((betaln(a, b) - betaln(a + clogged, b + known - clogged)).sum())

        for step in range(ROUNDS * STEPS):
            counts = known * (1 + size) / (known + size)  # as many independent games say as much
            weighted = x.T * (counts * chance * (1 - chance))
            line = np.linalg.solve(
                weighted @ x + penalty, weighted @ (x @ line) + x.T @ (counts * (clogged / known - chance))
            )
            chance = np.clip(expit(x @ line), LEAST_CLOGS, 1 - LEAST_CLOGS)
            if step % STEPS == STEPS - 1:
                best: Any = minimize_scalar(doubt, bounds=(-4, 4), method="bounded")
                size = float(np.exp(best.x))
        return np.stack([chance * size + clogged, (1 - chance) * size + known - clogged])

    def correlation(self, windows: Sequence[Window]) -> Array:
        """Return the correlation of n summaries over games of one tower, pooled over all towers, shape (n, n)."""
        columns = [(self._of_kind(window), self.at(window).games) for window in windows]
        scores = np.stack([(of - _average(of)[:, None]) / sd[:, None] for of, sd in columns], 2)
        scores = scores.reshape(-1, len(windows))
        known = ~np.isnan(scores)
        clipped = np.where(known, np.clip(scores, -3, 3), 0.0)  # so that a few jammed games do not decide the result
        both = clipped.T @ clipped / np.maximum(known.T.astype(float) @ known, 1)
        sd = np.sqrt(np.maximum(np.diagonal(both), 1e-9))
        values, vectors = np.linalg.eigh(both / sd[:, None] / sd)
        positive = (vectors * np.maximum(values, 0.0)) @ vectors.T
        sd = np.sqrt(np.diagonal(positive))
        return 0.98 * positive / sd[:, None] / sd + 0.02 * np.eye(len(sd))

    def _of_kind(self, window: Window) -> Array:
        of = window.of(self.games)
        return of if window.kind == BOTH else np.where(self.is_clogged == window.kind, of, np.nan)

    def deviations(self, windows: Sequence[Window]) -> Array:
        """Return how far a game of each tower is off its long-run means, in sd between games, shape (S, n).

        It is the difference of two games over the root of two, so both signs are as likely.
        """
        columns = [(window.of(self.games), self.at(window).games) for window in windows]
        return np.stack([np.nan_to_num(of[:, 0] - of[:, 1]) / (np.sqrt(2) * sd) for of, sd in columns], 1)

    def like(self, rows: Array, number: int, rng: np.random.Generator) -> Array:
        """Return `number` random towers for each of `rows` that keep about as many cubes, shape (rows, number)."""
        order, first = self._near(_average(WHOLE["inside"].of(self.games)), np.ones(len(self.unit), bool))
        return order[first[rows, None] + rng.integers(min(NEAR, len(order)), size=(len(rows), number))]

    def _estimate(self, window: Window) -> list[Predicted]:
        """Return the usual games and, if any game clogged, those that did."""
        if window not in self._kinds:
            kinds = (
                [self._of_kind(replace(each, kind=kind)) for each in (window, WHOLE["inside"])]
                for kind in (USUAL, CLOGGED)
            )
            self._kinds[window] = [self._combine(*kind) for kind in kinds if np.isfinite(kind[0]).any()]
        return self._kinds[window]

    def _combine(self, of: Array, inside: Array) -> Predicted:
        """Return what the games of one kind say: each tower's own, and the regression on those of all towers."""
        count, mean, kept = (~np.isnan(of)).sum(1), _average(of), _average(inside)
        is_known, has_kept = count > 0, ~np.isnan(kept)
        kept = np.where(has_kept, kept, self._regress(has_kept) @ kept[has_kept])
        games = np.sqrt(np.maximum(self._pool(of, kept), LEAST**2))
        own = np.where(is_known, games**2 / np.maximum(count, 1), np.inf)
        line = self._regress(is_known)
        alike = line @ mean[is_known]
        free = max(is_known.sum() - len(self._solve(is_known)), 1)
        rest = ((mean - alike)[is_known] ** 2).sum() / free - own[is_known].mean()
        spread = max(rest, 1e-4)
        weight = spread / (spread + own)  # of the tower's own games
        both = np.where(is_known, weight * np.where(is_known, mean, 0.0) + (1 - weight) * alike, alike)
        of_line = line**2 @ (spread + own[is_known])  # the variance of the regression's values
        error = np.sqrt(spread * (1 - weight) + (1 - weight) ** 2 * of_line)
        return Predicted(both, error, games)

    def _regress(self, is_known: Array) -> Array:
        """Return the map from known means to the values of the regression, shape (S, known)."""
        solution = self._solve(is_known)
        return self._design[:, : len(solution)] @ solution

    def _solve(self, is_known: Array) -> Array:
        """Return the map to coefficients: of all terms, or of fewer where few towers are known."""
        mask = is_known.tobytes()
        if mask not in self._solutions:
            terms = next(n for n in (self._design.shape[1], 1 + len(NAMES), 1) if n == 1 or 2 * n < is_known.sum())
            x = self._design[is_known, :terms]
            self._solutions[mask] = np.linalg.pinv(x.T @ x, rcond=1e-10, hermitian=True) @ x.T
        return self._solutions[mask]

    def _near(self, value: Array, is_known: Array) -> tuple[Array, Array]:
        """Return the known towers in the order of `value`, and for each tower where its NEAR neighbours begin."""
        order = np.flatnonzero(is_known)[np.argsort(value[is_known], kind="stable")]
        place = np.searchsorted(value[order], value)
        return order, np.clip(place - NEAR // 2, 0, max(len(order) - NEAR, 0))

    def _pool(self, of: Array, inside: Array) -> Array:
        """Return the variance between games of a tower, averaged over NEAR towers that keep about as many cubes."""
        count = (~np.isnan(of)).sum(1)
        rest = np.nan_to_num(of - _average(of)[:, None]) ** 2
        order, low = self._near(inside, count > 0)
        free = np.maximum(count - 1, 0)
        squares, degrees = (np.cumsum(np.concatenate([[0.0], each[order]])) for each in (rest.sum(1), free))
        high = np.minimum(low + NEAR, len(order))
        return (squares[high] - squares[low]) / np.maximum(degrees[high] - degrees[low], 1)

    @cached_property
    def _design(self) -> Array:
        table = self.numbers.copy()
        table[:, NAMES.index("rate")] = np.log(table[:, NAMES.index("rate")])
        grid = table[:, NAMES.index("grid")].astype(int)
        plain = np.column_stack([np.delete(table, NAMES.index("grid"), 1), grid & 1, grid >> 1])
        plain = (plain - plain.mean(0)) / plain.std(0)
        pairs = [plain[:, i] * plain[:, j] for i, j in combinations_with_replacement(range(plain.shape[1]), 2)]
        return np.column_stack([np.ones(len(plain)), plain, *pairs])


def _average(of: Array) -> Array:
    count = (~np.isnan(of)).sum(1)
    return np.where(count > 0, np.nansum(of, axis=1) / np.maximum(count, 1), np.nan)
