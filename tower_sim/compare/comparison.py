"""The result of a comparison: statistics of each figure, and the JSON document."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

from tower_sim.apparatus.parts import Apparatus
from tower_sim.compare.paired import LEVEL, POWER, Moments, Paired, compute_paired, games_to_show, shows_from
from tower_sim.compare.tally import Draws, Tally
from tower_sim.games.compared import Compared, Row, leaves
from tower_sim.runs.figure import Figure
from tower_sim.statistics import CONFIDENCE, FEWEST
from tower_sim.surrogate.store import FAILED_NAME
from tower_sim.variants import DEFAULT, Variant

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
