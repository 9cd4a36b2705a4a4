"""A comparison: what the pairs say of each figure, and its JSON document."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from tower_sim.compare.differences import differences
from tower_sim.compare.figures import Figure
from tower_sim.compare.paired import CONFIDENCE, LEVEL, POWER, Moments, Paired, games_to_show, paired_of, shows_from
from tower_sim.compare.tally import Draws, Tally
from tower_sim.variants import Variant

SCHEMA = "tower-sim/compare"
VERSION = 1


@dataclass(frozen=True)
class Row:
    """One figure in both variants: means and standard deviations over games, and the mean difference B - A.

    `interval` is of 95 %, this figure by itself; `correlation` is of A with B over pairs; `p_adjusted` is for all
    figures of its table together, and `shown` is whether it is at most 5 %. `shows_from` is the smallest difference
    that so many pairs show with chance 80 %, and `smaller` a smaller one with the pairs that it needs: half the
    difference when it is shown, else half of `shows_from`. None where the games give none: no two pairs differ.
    """

    key: str
    title: str
    unit: str
    mean_a: float
    mean_b: float
    sd_a: float
    sd_b: float
    difference: float
    sd_difference: float
    interval: tuple[float, float] | None
    correlation: float | None
    p: float
    p_adjusted: float
    shown: bool
    shows_from: float | None
    smaller: tuple[float, int] | None

    @property
    def relative(self) -> tuple[float, float, float] | None:
        """The difference and its interval as shares of A's mean; None where that is 0."""
        if self.mean_a == 0:
            return None
        low, high = self.interval or (self.difference, self.difference)
        return self.difference / self.mean_a, low / self.mean_a, high / self.mean_a

    @property
    def pairing_gain(self) -> float | None:
        """How many times as many games equal intervals would need without pairs; None where no two pairs differ."""
        return (self.sd_a**2 + self.sd_b**2) / self.sd_difference**2 if self.sd_difference else None


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two variants, `asked` pairs of games from `seed`, and what they say; `figures` and `colours` are two tables."""

    a: Variant
    b: Variant
    model: str
    seed: int
    asked: int
    pairs: Tally
    figures: tuple[Row, ...]
    colours: tuple[Row, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the document of `compare --json`, ready for `json.dumps`."""
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
            "a": _variant_json(self.a, draws[0], beyond[0]),
            "b": _variant_json(self.b, draws[1], beyond[1]),
            "differs": [asdict(each) for each in differences(self.a, self.b)],
            "figures": [_row_json(row) for row in self.figures],
            "colours": [_row_json(row) for row in self.colours],
        }


def compare(variants: tuple[Variant, Variant], pairs: Tally, *, model: str, seed: int, asked: int) -> Comparison:
    """Compare the pairs that were played: the main figures, and the cubes out a phase of each colour of both."""
    a, b = variants
    main = len(pairs.figures)
    figures = rows(pairs.total.only(slice(main)), pairs.figures)
    colours = rows(pairs.total.only(slice(main, None)), pairs.colours)
    return Comparison(a, b, model, seed, asked, pairs, figures=figures, colours=colours)


def rows(sums: Moments, figures: tuple[Figure, ...]) -> tuple[Row, ...]:
    """Compare the pairs that were summed up in these figures, which are judged together."""
    if not figures:
        return ()
    found = paired_of(sums)
    return tuple(_row(figure, found, i, len(figures)) for i, figure in enumerate(figures))


def _row(figure: Figure, found: Paired, i: int, of: int) -> Row:
    difference, sd = float(found.difference[i]), float(found.sd_difference[i])
    shown = bool(found.adjusted[i] <= LEVEL)
    least = shows_from(sd, found.n, of) if sd else None
    half = abs(difference) / 2 if shown else (least or 0.0) / 2
    correlation = float(found.correlation[i])
    return Row(
        key=figure.key,
        title=figure.title,
        unit=figure.unit,
        mean_a=float(found.mean_a[i]),
        mean_b=float(found.mean_b[i]),
        sd_a=float(found.sd_a[i]),
        sd_b=float(found.sd_b[i]),
        difference=difference,
        sd_difference=sd,
        interval=(float(found.low[i]), float(found.high[i])) if sd else None,
        correlation=None if math.isnan(correlation) else correlation,
        p=float(found.p[i]),
        p_adjusted=float(found.adjusted[i]),
        shown=shown,
        shows_from=least,
        smaller=(half, games_to_show(half, sd, of)) if least else None,
    )


def _row_json(row: Row) -> dict[str, Any]:
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


def _variant_json(variant: Variant, draws: Draws | None, extrapolated: float | None) -> dict[str, Any]:
    return {
        "name": variant.name,
        "file": variant.file,
        "set": list(variant.changes),
        "apparatus": variant.tower.name,
        "apparatus_digest": variant.tower.digest,
        "rules": asdict(variant.rules),
        "draws": draws and asdict(draws),
        "extrapolated": extrapolated,
    }
