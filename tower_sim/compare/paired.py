"""Statistics of pairs of runs, and the comparison of two variants."""

from __future__ import annotations

import importlib
import math
from bisect import bisect_left
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from tower_sim.apparatus import Apparatus
from tower_sim.games import Compared, Course, Row, Values, leaves
from tower_sim.requests import DEFAULT, Variant
from tower_sim.results import CONFIDENCE, FEWEST, Array, Figure, holm
from tower_sim.surrogate import FAILED_NAME


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of runs; run r of both has the same seed. `left_out` counts pairs with a failed run."""

    compared: Compared
    a: Values
    b: Values
    left_out: int = 0
    interrupted: bool = False

    def __len__(self) -> int:
        return len(self.a)

    @property
    def courses(self) -> tuple[Course, Course]:
        """Further numbers of A and B."""
        return self.a.course, self.b.course

    @property
    def extrapolated(self) -> tuple[float, float] | None:
        """The shares of drops outside the training range of a fitted model, or None."""
        if self.a.beyond is None or self.b.beyond is None:
            return None
        return self.a.beyond / self.a.drops, self.b.beyond / self.b.drops


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


def paired(a: Array, b: Array) -> Paired:
    """Return the statistics of n >= 2 pairs in k figures, both of shape (n, k).

    `p` is Student's of the paired differences; if all are the same, 1 for a difference of 0, else that of the sign
    test.
    """
    n, size = len(a), np.maximum(np.abs(a).max(0), np.abs(b).max(0))
    (mean_a, sd_a), (mean_b, sd_b), (difference, sd) = ((x.mean(0), x.std(0, ddof=1)) for x in (a, b, b - a))
    is_constant = sd <= _NOTHING * size
    sd = np.where(is_constant, 0.0, sd)
    error = np.where(is_constant, np.nan, sd / math.sqrt(n))
    half = error * float(_stats.t.ppf((1 + CONFIDENCE) / 2, n - 1))
    by_sign = np.where(np.abs(difference) <= _NOTHING * size, 1.0, 2.0 ** (1 - n))
    p = np.where(is_constant, by_sign, 2 * _stats.t.sf(np.abs(difference) / error, n - 1))
    flat = (sd_a <= _NOTHING * size) | (sd_b <= _NOTHING * size)
    product = ((a - mean_a) * (b - mean_b)).sum(0)
    correlation = np.where(flat, np.nan, product / (n - 1) / np.where(flat, 1.0, sd_a * sd_b))
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
    pairs: Pairs
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
        beyond = self.pairs.extrapolated or (None, None)
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
            "a": self._variant_json(0, self.pairs.a, beyond[0]),
            "b": self._variant_json(1, self.pairs.b, beyond[1]),
            "differs": [asdict(difference) for difference in differences(self.pairs.compared, self.a, self.b)],
        } | {
            group.key: [row_json(row) for row in rows]
            for group, rows in zip(self.pairs.compared.groups, self.groups, strict=True)
        }

    def _variant_json(self, side: int, played: Values, extrapolated: float | None) -> dict[str, Any]:
        variant = (self.a, self.b)[side]
        return {
            "name": variant.name,
            "file": variant.file,
            "set": list(variant.changes),
            **({} if variant.game.name == DEFAULT else {"game": variant.game.name}),
            "apparatus": variant.apparatus.name,
            "apparatus_digest": variant.apparatus.digest,
            "rules": self.pairs.compared.document(side),
            "draws": played.draws and dict(zip(("landed", "redrawn"), played.draws, strict=True)),
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


def compare(variants: tuple[Variant, Variant], pairs: Pairs, *, model: str, seed: int, asked: int) -> Comparison:
    """Return the comparison from the pairs that were played."""
    ends = np.cumsum([0, *(len(group.figures) for group in pairs.compared.groups)])
    groups = tuple(
        rows(pairs.a.values[:, first:last], pairs.b.values[:, first:last], group.figures)
        for group, (first, last) in zip(pairs.compared.groups, pairwise(ends.tolist()), strict=True)
    )
    return Comparison(*variants, model, seed, asked, pairs, groups)


def rows(a: Array, b: Array, figures: tuple[Figure, ...]) -> tuple[Row, ...]:
    """Return the row of each figure from values of shape (pairs, figures), with p-values corrected for all of them."""
    if not figures:
        return ()
    statistics = paired(a, b)
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
