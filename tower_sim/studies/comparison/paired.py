"""Statistics of pairs of runs, and the comparison of two variants."""

from __future__ import annotations

import importlib
import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any

import numpy as np

from tower_sim.apparatus import Apparatus
from tower_sim.compiled import call, paired
from tower_sim.games import LEVEL, Compared, Course, Row, Values, leaves
from tower_sim.requests import DEFAULT, Variant
from tower_sim.results import CONFIDENCE, FEWEST, Array, Estimate, Figure
from tower_sim.surrogate import FAILED_NAME, GAMES

POWER = 0.8  # probability that the stated number of games shows a difference
_NORMAL = 100_000  # games from which the normal distribution replaces Student's
_NOTHING = 1e-12  # relative to the values: a smaller spread is rounding error


def rows(a: Array, b: Array, figures: Sequence[Figure]) -> tuple[Row, ...]:
    """Return the row of each of k figures from n >= 2 pairs, both of shape (n, k), with p corrected for all (Holm).

    The lab calls the same compiled functions. If all differences are the same, `p` is 1 for a difference of 0, else
    that of the sign test.
    """
    n = len(a)
    sums: Array = np.zeros((len(paired.SUMS), len(figures)))
    table: Array = np.zeros((len(figures), len(paired.COLUMNS)))
    call(GAMES, "sum_pairs", np.asarray(a, float), np.asarray(b, float), sums)
    call(GAMES, "compare_pairs", sums, table, n)
    found: list[Row] = []
    for figure, numbers, largest in zip(figures, table.tolist(), sums[-1].tolist(), strict=True):
        mean_a, sd_a, _, mean_b, sd_b, half_b, value, sd, half, p, adjusted = numbers
        half = half if n >= FEWEST else math.nan
        is_flat = math.isnan(half) or min(sd_a, sd_b) <= _NOTHING * largest
        correlation = math.nan if is_flat else (sd_a**2 + sd_b**2 - sd**2) / (2 * sd_a * sd_b)
        difference = Estimate(value, value - half, value + half, n)
        of = mean_a, mean_b, sd_a, sd_b, sd, correlation, p, adjusted, len(figures), half_b
        found.append(Row(figure.key, figure.title, figure.unit, difference, *of))
    return tuple(found)


def smaller(row: Row) -> tuple[float, float, int] | None:
    """Return the smallest difference that so many pairs show with probability POWER, a smaller one, and its pairs.

    The smaller one is half of the difference if that is shown, else half of the first. None without an interval.
    """
    if row.interval is None:
        return None
    least = shows_from(row.sd_difference, row.difference.n, row.tests)
    half = (abs(row.difference.value) if row.shown else least) / 2
    return least, half, games_to_show(half, row.sd_difference, row.tests)


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
VERSION = 2
_DOUBT = (
    "This is of a surrogate that failed its own check, so nothing here is certain of the tower; take --model physics."
)


@dataclass(frozen=True, eq=False)
class Comparison:
    """A comparison of two variants by pairs of runs, of which `asked` were asked for; run r of both has the same seed.

    `values` are those of A and B, `groups` the rows of each group of figures. `model` names the model, or both.
    `left_out` counts pairs with a failed run. `compare_files` has an example.
    """

    a: Variant
    b: Variant
    model: str
    seed: int
    asked: int
    compared: Compared
    values: tuple[Values, Values]
    groups: tuple[tuple[Row, ...], ...]
    left_out: int = 0
    interrupted: bool = False

    def __len__(self) -> int:
        return len(self.values[0])

    @property
    def figures(self) -> tuple[Row, ...]:
        return self.groups[0]

    @property
    def courses(self) -> tuple[Course, Course]:
        """Further numbers of A and B."""
        return self.values[0].course, self.values[1].course

    @property
    def extrapolated(self) -> tuple[float, float] | None:
        """The shares of drops outside the training range of a fitted model, or None."""
        a, b = self.values
        return None if a.beyond is None or b.beyond is None else (a.beyond / a.drops, b.beyond / b.drops)

    @property
    def differs(self) -> list[dict[str, Any]]:
        """The differences in rules and apparatus: `key`, `a`, `b` (None: lacking)."""
        tables = [(self.compared.keys(0), self.compared.keys(1))]
        if self.a.apparatus.digest != self.b.apparatus.digest:  # a key of the apparatus begins with its noun
            profiles = (dict(leaves(of.apparatus.profile, noun(of.apparatus))) for of in (self.a, self.b))
            tables.append((next(profiles), next(profiles)))
        return [
            {"key": key, "a": old.get(key), "b": new.get(key)}
            for old, new in tables
            for key in {**old, **new}
            if old.get(key) != new.get(key)
        ]

    @property
    def in_plain_words(self) -> str:
        """Sentences about what a player will notice, and how sure that is."""
        if not self.differs:
            return f"A and B play alike: from equal seeds every {self.compared.game.run} is the same."
        rows = [*chain(*self.groups)]
        if FAILED_NAME not in self.model:
            return self.compared.words(rows)
        return f"{_DOUBT} {self.compared.words([replace(row, p_adjusted=max(row.p_adjusted, LEVEL)) for row in rows])}"

    def to_json(self) -> dict[str, Any]:
        groups = zip(self.compared.groups, self.groups, strict=True)
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "seed": str(self.seed),
            "model": self.model,
            "games": self.asked,
            "pairs": len(self),
            "left_out": self.left_out,
            "interrupted": self.interrupted,
            "confidence": CONFIDENCE,
            "level": LEVEL,
            "power": POWER,
            "a": self._variant_json(0),
            "b": self._variant_json(1),
            "differs": self.differs,
        } | {group.key: [row_json(row) for row in rows] for group, rows in groups}

    def _variant_json(self, side: int) -> dict[str, Any]:
        variant, draws = (self.a, self.b)[side], self.values[side].draws
        return {
            "name": variant.name,
            "file": variant.file,
            "set": list(variant.changes),
            **({} if variant.game.name == DEFAULT else {"game": variant.game.name}),
            "apparatus": variant.apparatus.name,
            "apparatus_digest": variant.apparatus.digest,
            "rules": self.compared.document(side),
            "draws": draws and dict(zip(("landed", "redrawn"), draws, strict=True)),
            "extrapolated": self.extrapolated and self.extrapolated[side],
        }


def noun(apparatus: Apparatus) -> str:
    """Return the word for an apparatus: `ship` if it has a board, else `tower`."""
    return "tower" if apparatus.board is None else "ship"


def group_rows(compared: Compared, values: tuple[Values, Values]) -> tuple[tuple[Row, ...], ...]:
    """Return the rows of each group of figures."""
    ends = np.cumsum([0, *(len(group.figures) for group in compared.groups)]).tolist()
    a, b = (side.values for side in values)
    parts = zip(compared.groups, pairwise(ends), strict=True)
    return tuple(rows(a[:, first:last], b[:, first:last], group.figures) for group, (first, last) in parts)


def row_json(row: Row) -> dict[str, Any]:
    """Return a row for the JSON document."""
    least, half, games = smaller(row) or (None, None, None)
    return {
        "key": row.key,
        "title": row.title,
        "unit": row.unit,
        "a": {"mean": row.mean_a, "sd": row.sd_a},
        "b": {"mean": row.mean_b, "sd": row.sd_b},
        "difference": row.difference.value,
        "interval": row.interval and list(row.interval),
        "sd_difference": row.sd_difference,
        "correlation": None if math.isnan(row.correlation) else row.correlation,
        "pairing_gain": row.pairing_gain,
        "p": row.p,
        "p_adjusted": row.p_adjusted,
        "shown": row.shown,
        "shows_from": least,
        "smaller": games and {"difference": half, "games": games},
    }
