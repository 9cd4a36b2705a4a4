"""Where thrown cubes land on a combat ship's board, and which lying cubes they move: a fitted distribution."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from tower_sim.errors import fault
from tower_sim.surrogate.two_thirds import AGAIN, from_plain
from tower_sim.values import BORDER, TABLE, ZONE

Array = npt.NDArray[Any]

TERMS = ("1", "log thrown", "log (thrown + lying)")
_STEEPEST = 700.0  # logarithms are cut to +-700, so that no exponential overflows


@dataclass(frozen=True, slots=True)
class Covered:
    """A class of throws in the training data, by the cubes thrown and lying; all four limits are inclusive."""

    thrown_low: int
    thrown_high: int
    lying_low: int
    lying_high: int


@dataclass(frozen=True, slots=True)
class BoardLaw:
    """Where thrown cubes land on a ship's board, and where lying cubes move.

    `places` are the zones as `zone:NAME`, then `border` and `table`; all that is by place has this order.

    n cubes are thrown at once onto m lying cubes, m[k] of them at place k. Each lands at place k with a probability
    proportional to

        exp(landing[k] @ (1, log n, log(n + m)) + crowd * log(1 + m[k]))

    The most common place has coefficients 0. A cube at place k moves with probability 1 - exp(-exp(changed[k] + slope *
    log n)), or `quiet` if nothing is thrown, and comes to place j with probability `moves[k][j]`. A cube on the table
    stays. All cubes are independent. The terms were chosen by held-out log score (docs/surrogate/dead_reckoning).

    The fields that end in `error` or `errors` are standard errors. `moved` counts the displacements that `moves` was
    estimated from, `cover` describes the throws in the training data.
    """

    places: tuple[str, ...]
    landing: tuple[tuple[float, ...], ...]
    landing_errors: tuple[tuple[float, ...], ...]
    crowd: float
    crowd_error: float
    changed: tuple[float, ...]
    changed_errors: tuple[float, ...]
    slope: float
    slope_error: float
    quiet: float
    moves: tuple[tuple[float, ...], ...]
    moved: tuple[int, ...]
    cover: tuple[Covered, ...]

    @property
    def most_thrown(self) -> int:
        """The greatest number thrown at once in the training data."""
        return max(covered.thrown_high for covered in self.cover)

    @property
    def most_together(self) -> int:
        """The greatest sum of cubes thrown and lying, over the classes in `cover`."""
        return max(covered.thrown_high + covered.lying_high for covered in self.cover)

    def covers(self, thrown: int, lying: int) -> bool:
        """Return whether the training data include such throws."""
        if thrown == 0:
            return lying <= max(covered.lying_high for covered in self.cover)
        return any(
            covered.thrown_low <= thrown <= covered.thrown_high and covered.lying_low <= lying <= covered.lying_high
            for covered in self.cover
        )

    def shares(self, thrown: int, lying: Sequence[int] | Array) -> Array:
        """Return the probability that a thrown cube lands at each place, shape (places,).

        `lying` counts the cubes before the throw, shape (places,). Counts are cut to the greatest in the training data.
        """
        there = np.asarray(lying, float)
        together = min(max(thrown, 1) + float(there.sum()), self.most_together)
        x = np.array([1.0, math.log(min(max(thrown, 1), self.most_thrown)), math.log(together)])
        crowded = np.log1p(np.minimum(there, self.most_together))
        log_odds = np.array(self.landing) @ x + self.crowd * crowded
        odds = np.exp(np.maximum(log_odds - log_odds.max(), -_STEEPEST))
        return odds / odds.sum()

    def changes(self, thrown: int) -> Array:
        """Return the probability that a cube at each place moves while `thrown` cubes are thrown, shape (places,)."""
        if thrown == 0:
            chances = np.full(len(self.places), self.quiet)
        else:
            log_rate = np.array(self.changed) + self.slope * math.log(thrown)
            chances = -np.expm1(-np.exp(np.clip(log_rate, -_STEEPEST, _STEEPEST)))
        chances[self.places.index(TABLE)] = 0.0
        return chances

    def to_plain(self) -> dict[str, Any]:
        """Return the parameters as plain values; `from_plain` restores them exactly."""
        return asdict(self) | {"terms": TERMS, "cover": [astuple(covered) for covered in self.cover]}

    @staticmethod
    def from_plain(plain: object) -> BoardLaw:
        """Restore the result of `to_plain`."""
        table = dict(cast("Mapping[str, Any]", plain)) if isinstance(plain, Mapping) else {}
        terms = table.pop("terms", ())
        if tuple(terms) != TERMS:
            raise fault("terms of the law", terms, ", ".join(TERMS), "fit it with this version")
        rows = from_plain(tuple[tuple[int, ...], ...], table.get("cover", ()), "law, cover")
        names = [item.name for item in fields(Covered)]
        cover = [dict(zip(names, row, strict=False)) for row in rows]
        return from_plain(BoardLaw, table | {"cover": cover}, "law")

    def check(self, where: str) -> None:
        """Raise UsageError for numbers that no fit gives: wrong shapes, and what is no error, chance or range."""
        zones = self.places[:-2]
        if not zones or self.places[-2:] != (BORDER, TABLE) or not all(zone.startswith(ZONE) for zone in zones):
            raise fault(f"places of {where}", self.places, f"zones as {ZONE}NAME, then {BORDER}, {TABLE}", AGAIN)
        size = len({*self.places})
        by_place = {"places": (), "landing": (3,), "landing_errors": (3,), "changed": (), "changed_errors": (),
                    "moves": (size,), "moved": ()}  # fmt: skip
        for name, width in by_place.items():
            if (shape := np.shape(getattr(self, name))) != (size, *width):
                raise fault(f"shape of {name} of {where}", shape, f"{(size, *width)}: different places", AGAIN)
        for name in ("landing_errors", "crowd_error", "changed_errors", "slope_error", "moves", "quiet"):
            if np.min(numbers := getattr(self, name)) < 0:
                raise fault(f"{name} of {where}", numbers, "numbers from 0", AGAIN)
        if self.quiet > 1 or np.abs(np.sum(self.moves, 1) - 1).max() > 1e-9:
            raise fault(f"quiet and moves of {where}", [self.quiet, *self.moves], "chances, those of a row 1", AGAIN)
        ranges = [1 <= x.thrown_low <= x.thrown_high and x.lying_low <= x.lying_high for x in self.cover]
        if not ranges or not all(ranges):
            raise fault(f"cover of {where}", self.cover, "low ends up to the high ones, one or more", AGAIN)
