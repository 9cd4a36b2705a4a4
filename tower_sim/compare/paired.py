"""Sums over pairs of runs, in memory that does not grow with the number of pairs."""

from __future__ import annotations

import importlib
import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from tower_sim.apparatus import Apparatus
from tower_sim.drops import TooManyFailedDraws
from tower_sim.games import Compared, Row, Values, leaves
from tower_sim.requests import DEFAULT, Variant
from tower_sim.runs import CONFIDENCE, FEWEST, Array, Figure, holm
from tower_sim.surrogate import FAILED_NAME

CHUNK = 4096  # pairs that are summed at once, so that the sums do not depend on the sizes of batches


@dataclass(frozen=True)
class Draws:
    """The number of draws that `landed` in the runs of a variant, and of failed draws that were repeated."""

    landed: int
    redrawn: int

    def __add__(self, more: Draws) -> Draws:
        return Draws(self.landed + more.landed, self.redrawn + more.redrawn)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of runs; run r of both has the same seed.

    `left_out` counts pairs with a failed run, `failure` is the error of one. `draws` are None if the model does not
    report them.
    """

    a: Values
    b: Values
    left_out: int = 0
    draws: tuple[Draws, Draws] | None = None
    failure: TooManyFailedDraws | None = None

    def __len__(self) -> int:
        return len(self.a)


@dataclass(frozen=True, eq=False)
class Tally:
    """Sums over all pairs so far, immutable; pairs of values are for A and B.

    `courses` are further counts of the game, `drops` and `beyond` as in `Values`. `waiting` has values not yet in
    `sums`.
    """

    compared: Compared
    courses: tuple[Any, Any]
    n: int = 0
    left_out: int = 0
    draws: tuple[Draws, Draws] | None = None
    drops: tuple[int, int] = (0, 0)
    beyond: tuple[int, int] | None = None
    interrupted: bool = False
    sums: Moments | None = None
    waiting: tuple[tuple[Array, Array], ...] = ()

    @staticmethod
    def empty(compared: Compared) -> Tally:
        return Tally(compared, (compared.none(0).course, compared.none(1).course))

    def __len__(self) -> int:
        return self.n

    @property
    def extrapolated(self) -> tuple[float, float] | None:
        """The shares of drops outside the training range of a fitted model, or None."""
        if self.beyond is None:
            return None
        return self.beyond[0] / self.drops[0], self.beyond[1] / self.drops[1]

    @property
    def total(self) -> Moments:
        if not self.waiting:
            assert self.sums is not None  # there are pairs, and all are added up
            return self.sums
        return _sum(self.sums, Moments.of(*_join(self.waiting)))

    def add(self, pairs: Pairs) -> Tally:
        draws = _sum_by_side(self.draws, pairs.draws)
        counted = replace(self, n=self.n + len(pairs), left_out=self.left_out + pairs.left_out, draws=draws)
        if not len(pairs):
            return counted
        a, b = pairs.a, pairs.b
        sums, waiting = self.sums, (*self.waiting, (a.values, b.values))
        if sum(len(values) for values, _ in waiting) >= CHUNK:
            every_a, every_b = _join(waiting)
            while len(every_a) >= CHUNK:
                sums = _sum(sums, Moments.of(every_a[:CHUNK], every_b[:CHUNK]))
                every_a, every_b = every_a[CHUNK:], every_b[CHUNK:]
            waiting = ((every_a, every_b),) if len(every_a) else ()
        beyond = None if a.beyond is None or b.beyond is None else (a.beyond, b.beyond)
        return replace(
            counted,
            courses=(_sum(self.courses[0], a.course), _sum(self.courses[1], b.course)),
            drops=_sum_by_side(self.drops, (a.drops, b.drops)),
            beyond=_sum_by_side(self.beyond, beyond),
            sums=sums,
            waiting=waiting,
        )


def _sum(one: Any, other: Any) -> Any:
    return other if one is None else one if other is None else one + other


def _sum_by_side(one: tuple[Any, Any] | None, other: tuple[Any, Any] | None) -> Any:
    return (one[0] + other[0], one[1] + other[1]) if one and other else one or other


def _join(waiting: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    return np.concatenate([a for a, _ in waiting]), np.concatenate([b for _, b in waiting])


LEVEL = 0.05  # probability that any figure is shown if none differs
POWER = 0.8  # probability that the stated number of games shows a difference
_NORMAL = 100_000  # games from which the normal distribution replaces Student's
_NOTHING = 1e-12  # relative to the values: a smaller spread of differences is rounding error


@dataclass(frozen=True, eq=False)
class Paired:
    """Statistics of k figures over `n` pairs, arrays of shape (k,). Differences are B - A.

    `low` and `high` are Student's interval of the mean difference, NaN where it is the same in all pairs. `p` is
    two-sided, `adjusted` corrected for all figures (Holm). `correlation` is NaN where A or B is constant.
    """

    n: int
    mean_a: Array
    mean_b: Array
    sd_a: Array
    sd_b: Array
    difference: Array
    sd_difference: Array
    low: Array
    high: Array
    correlation: Array
    p: Array
    adjusted: Array


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over `n` pairs, for k figures.

    `mean` and `square` (3, k) are the means of A, B and B - A, and the sums of their squared deviations. `product` (k,)
    is the sum of the products of the deviations of A and B, `largest` (k,) the largest absolute value.
    """

    n: int
    mean: Array
    square: Array
    product: Array
    largest: Array

    @staticmethod
    def of(a: Array, b: Array) -> Moments:
        """Return the sums for figures of n >= 1 pairs, both of shape (n, k)."""
        sides = a, b, b - a
        mean = np.stack([side.mean(0) for side in sides])
        off_a, off_b, off_d = (side - middle for side, middle in zip(sides, mean, strict=True))
        square = np.stack([(off * off).sum(0) for off in (off_a, off_b, off_d)])
        largest = np.maximum(np.abs(a).max(0), np.abs(b).max(0))
        return Moments(len(a), mean, square, (off_a * off_b).sum(0), largest)

    def only(self, figures: slice) -> Moments:
        return Moments(self.n, *(getattr(self, sums.name)[..., figures] for sums in fields(self)[1:]))

    def __add__(self, more: Moments) -> Moments:
        """Return the sums over the pairs of both.

        Source: Chan, Golub and LeVeque, Updating formulae and a pairwise algorithm for sample variances (1979).
        """
        n, part = self.n + more.n, more.n / (self.n + more.n)
        step, weight = more.mean - self.mean, self.n * part
        return Moments(
            n=n,
            mean=self.mean + step * part,
            square=self.square + more.square + step * step * weight,
            product=self.product + more.product + step[0] * step[1] * weight,
            largest=np.maximum(self.largest, more.largest),
        )


def compute_paired(sums: Moments) -> Paired:
    """Return the statistics of at least 2 pairs from their sums.

    `p` is Student's of the paired differences; if all are the same, 1 for a difference of 0, else that of the sign
    test.
    """
    n, size, (mean_a, mean_b, difference) = sums.n, sums.largest, sums.mean
    sd_a, sd_b, sd = np.sqrt(sums.square / (n - 1))
    is_constant = sd <= _NOTHING * size
    sd = np.where(is_constant, 0.0, sd)
    error = np.where(is_constant, np.nan, sd / math.sqrt(n))
    half = error * float(_stats.t.ppf((1 + CONFIDENCE) / 2, n - 1))
    by_sign = np.where(np.abs(difference) <= _NOTHING * size, 1.0, 2.0 ** (1 - n))
    p = np.where(is_constant, by_sign, 2 * _stats.t.sf(np.abs(difference) / error, n - 1))
    flat = (sd_a <= _NOTHING * size) | (sd_b <= _NOTHING * size)
    correlation = np.where(flat, np.nan, sums.product / (n - 1) / np.where(flat, 1.0, sd_a * sd_b))
    ends = difference - half, difference + half
    return Paired(n, mean_a, mean_b, sd_a, sd_b, difference, sd, *ends, correlation, p, holm(p))


def shows_from(sd: float, n: int, figures: int) -> float:
    """Return the smallest mean difference that `n` pairs show with probability POWER; `sd` is that of the differences.

    "Shown" means Holm's first and strictest step, a two-sided p of LEVEL / `figures`.
    """
    return sd * _noncentrality(n, LEVEL / figures) / math.sqrt(n)


def games_to_show(difference: float, sd: float, figures: int) -> int:
    """Return the smallest number of pairs, at least 2, that show a `difference` above 0; see `shows_from`."""

    def shows(n: int) -> bool:
        return shows_from(sd, n, figures) <= difference

    many = max(2, math.ceil((sd / difference * _noncentrality(_NORMAL, LEVEL / figures)) ** 2))
    few = 2
    while not shows(many):
        few, many = many, 2 * many
    return few + bisect_left(range(few, many), True, key=shows)


def _noncentrality(n: int, alpha: float) -> float:
    """Return the mean, in standard errors, for which Student's two-sided test at `alpha` has the power POWER.

    Rejections on the side opposite to the mean, of a probability below alpha / 2, are left out.
    """
    if n >= _NORMAL:
        return float(_stats.norm.isf(alpha / 2) + _stats.norm.ppf(POWER))
    border = float(_stats.t.isf(alpha / 2, n - 1))
    near = border + float(_stats.norm.ppf(POWER))

    def beyond(shift: float) -> float:
        return float(_stats.nct.sf(border, n - 1, shift)) - POWER

    return float(_optimize.brentq(beyond, near / 2, 4 * near))


_stats: Any = importlib.import_module("scipy.stats")  # scipy has no type stubs
_optimize: Any = importlib.import_module("scipy.optimize")


SCHEMA = "tower-sim/compare"
VERSION = 1
_DOUBT = (
    "This is of a surrogate that failed its own check, so nothing here is certain of the tower; take --model physics."
)


@dataclass(frozen=True, eq=False)
class Comparison:
    """A comparison of two variants by their `pairs`, of which `asked` were asked for; `compare_files` has an example.

    `groups` has the rows of each group of figures, `model` the name of the model, or of both.
    """

    a: Variant
    b: Variant
    model: str
    seed: int
    asked: int
    pairs: Tally
    groups: tuple[tuple[Row, ...], ...]

    @property
    def figures(self) -> tuple[Row, ...]:
        return self.groups[0]

    @property
    def in_plain_words(self) -> str:
        """Sentences about what a player will notice, and how sure that is."""
        if not differences(self.pairs.compared, self.a, self.b):
            return f"A and B play alike: from equal seeds every {self.pairs.compared.game.run} is the same."
        if FAILED_NAME not in self.model:
            return self.pairs.compared.words(self.groups, self.pairs.courses)
        likely = [[replace(row, p_adjusted=max(row.p_adjusted, LEVEL)) for row in rows] for rows in self.groups]
        return f"{_DOUBT} {self.pairs.compared.words(likely, self.pairs.courses)}"

    def to_json(self) -> dict[str, Any]:
        draws, beyond = self.pairs.draws or (None, None), self.pairs.extrapolated or (None, None)
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "seed": str(self.seed),
            "model": self.model,
            "games": self.asked,
            "pairs": len(self.pairs),
            "left_out": self.pairs.left_out,
            "interrupted": self.pairs.interrupted,
            "confidence": CONFIDENCE,
            "level": LEVEL,
            "power": POWER,
            "a": self._variant_json(0, draws[0], beyond[0]),
            "b": self._variant_json(1, draws[1], beyond[1]),
            "differs": [asdict(difference) for difference in differences(self.pairs.compared, self.a, self.b)],
        } | {
            group.key: [row_json(row) for row in rows]
            for group, rows in zip(self.pairs.compared.groups, self.groups, strict=True)
        }

    def _variant_json(self, side: int, draws: Draws | None, extrapolated: float | None) -> dict[str, Any]:
        variant = (self.a, self.b)[side]
        return {
            "name": variant.name,
            "file": variant.file,
            "set": list(variant.changes),
            **({} if variant.game.name == DEFAULT else {"game": variant.game.name}),
            "apparatus": variant.apparatus.name,
            "apparatus_digest": variant.apparatus.digest,
            "rules": self.pairs.compared.document(side),
            "draws": draws and asdict(draws),
            "extrapolated": extrapolated,
        }


@dataclass(frozen=True)
class Difference:
    """A key with different values in A and B (None: lacking). A key of the apparatus begins with its noun."""

    key: str
    a: Any
    b: Any


def differences(compared: Compared, a: Variant, b: Variant) -> tuple[Difference, ...]:
    """Return the differences between A and B in rules and apparatus."""
    tables = [(compared.keys(0), compared.keys(1))]
    if a.apparatus.digest != b.apparatus.digest:
        old, new = (dict(leaves(variant.apparatus.profile, noun(variant.apparatus))) for variant in (a, b))
        tables.append((old, new))
    return tuple(
        Difference(key, old.get(key), new.get(key))
        for old, new in tables
        for key in {**old, **new}
        if old.get(key) != new.get(key)
    )


def noun(apparatus: Apparatus) -> str:
    """Return the word for an apparatus: `ship` if it has a board, else `tower`."""
    return "tower" if apparatus.board is None else "ship"


def name_models(a: str, b: str) -> str:
    """Return the name of the models of A and B for reports."""
    return a if a == b else f"{a} (A), {b} (B)"


def compare(variants: tuple[Variant, Variant], pairs: Tally, *, model: str, seed: int, asked: int) -> Comparison:
    """Return the comparison from the pairs that were played."""
    groups: list[tuple[Row, ...]] = []
    first = 0
    for group in pairs.compared.groups:
        last = first + len(group.figures)
        groups.append(rows(pairs.total.only(slice(first, last)), group.figures))
        first = last
    return Comparison(*variants, model, seed, asked, pairs, tuple(groups))


def rows(sums: Moments, figures: tuple[Figure, ...]) -> tuple[Row, ...]:
    """Return the row of each figure, with p-values corrected for all of them."""
    if not figures:
        return ()
    statistics = compute_paired(sums)
    return tuple(_row(figure, statistics, i, len(figures)) for i, figure in enumerate(figures))


def _row(figure: Figure, of: Paired, i: int, figures: int) -> Row:
    difference, sd = float(of.difference[i]), float(of.sd_difference[i])
    is_shown = bool(of.adjusted[i] <= LEVEL)
    is_told = sd > 0 and of.n >= FEWEST
    least = shows_from(sd, of.n, figures) if is_told else None
    half = abs(difference) / 2 if is_shown else (least or 0.0) / 2
    correlation = float(of.correlation[i])
    return Row(
        key=figure.key,
        title=figure.title,
        unit=figure.unit,
        mean_a=float(of.mean_a[i]),
        mean_b=float(of.mean_b[i]),
        sd_a=float(of.sd_a[i]),
        sd_b=float(of.sd_b[i]),
        difference=difference,
        sd_difference=sd,
        interval=(float(of.low[i]), float(of.high[i])) if is_told else None,
        correlation=None if math.isnan(correlation) or not is_told else correlation,
        p=float(of.p[i]),
        p_adjusted=float(of.adjusted[i]),
        shown=is_shown,
        shows_from=least,
        smaller=(half, games_to_show(half, sd, figures)) if least else None,
    )


def row_json(row: Row) -> dict[str, Any]:
    """Return a row for the JSON document."""
    smaller = row.smaller and {"difference": row.smaller[0], "games": row.smaller[1]}
    return {
        "key": row.key,
        "title": row.title,
        "unit": row.unit,
        "a": {"mean": row.mean_a, "sd": row.sd_a},
        "b": {"mean": row.mean_b, "sd": row.sd_b},
        "difference": row.difference,
        "interval": row.interval and list(row.interval),
        "sd_difference": row.sd_difference,
        "correlation": row.correlation,
        "pairing_gain": row.pairing_gain,
        "p": row.p,
        "p_adjusted": row.p_adjusted,
        "shown": row.shown,
        "shows_from": row.shows_from,
        "smaller": smaller,
    }
