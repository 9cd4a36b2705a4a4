"""Where thrown cubes land on a combat ship's board, and which lying cubes they move: a fitted distribution."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from tower_sim.errors import UsageError, check_whole, fault
from tower_sim.places import BORDER, TABLE, ZONE

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
        """Return the probability that a cube at each place moves while `thrown` cubes are thrown, shape (places,).

        Beyond the training data the probabilities go on rising.
        """
        if thrown == 0:
            chances = np.full(len(self.places), self.quiet)
        else:
            log_rate = np.array(self.changed) + self.slope * math.log(thrown)
            chances = -np.expm1(-np.exp(np.clip(log_rate, -_STEEPEST, _STEEPEST)))
        chances[self.places.index(TABLE)] = 0.0
        return chances

    def to_plain(self) -> dict[str, Any]:
        """Return the parameters as plain values; `from_plain` restores them exactly."""
        plain: dict[str, Any] = {item.name: _listed(getattr(self, item.name)) for item in fields(self)}
        cover = [[s.thrown_low, s.thrown_high, s.lying_low, s.lying_high] for s in self.cover]
        return plain | {"terms": list(TERMS), "cover": cover}

    @staticmethod
    def from_plain(plain: object) -> BoardLaw:
        """Restore the result of `to_plain`; raise UsageError for anything else."""
        if not isinstance(plain, Mapping):
            raise fault("board law", type(plain).__name__, "a table", "fit it again")
        table = cast("Mapping[str, object]", plain)
        names = ["terms", *(item.name for item in fields(BoardLaw))]
        if wrong := sorted(set(names) ^ {*table}):
            raise fault("board law: missing or unknown", wrong, f"the keys {', '.join(names)}", "fit it again")
        if table["terms"] != list(TERMS):
            raise fault("board law: terms", table["terms"], str(list(TERMS)), "fit it with this version")
        places = _places(table["places"])
        size = len(places)
        moves = tuple(_numbers(row, "moves", size, low=0.0) for row in _rows(table["moves"], "moves", size))
        for place, row in zip(places, moves, strict=True):
            if abs(sum(row) - 1) > 1e-9:
                raise fault(f"board law: sum of moves from {place}", sum(row), "1", "fit it again")
        return BoardLaw(
            places=places,
            landing=tuple(_numbers(row, "landing", 3) for row in _rows(table["landing"], "landing", size)),
            landing_errors=tuple(
                _numbers(row, "landing_errors", 3, low=0.0)
                for row in _rows(table["landing_errors"], "landing_errors", size)
            ),
            crowd=_number(table["crowd"], "crowd"),
            crowd_error=_number(table["crowd_error"], "crowd_error", low=0.0),
            changed=_numbers(table["changed"], "changed", size),
            changed_errors=_numbers(table["changed_errors"], "changed_errors", size, low=0.0),
            slope=_number(table["slope"], "slope"),
            slope_error=_number(table["slope_error"], "slope_error", low=0.0),
            quiet=_number(table["quiet"], "quiet", low=0.0, high=1.0),
            moves=moves,
            moved=_whole(table["moved"], "moved", size),
            cover=_cover(table["cover"]),
        )


def _listed(value: Any) -> Any:
    return [_listed(item) for item in cast("tuple[Any, ...]", value)] if isinstance(value, tuple) else value


def _rows(value: object, name: str, size: int | None) -> list[object]:
    if not isinstance(value, list):
        raise fault(f"board law: {name}", value, "a list", "fit it again")
    rows = cast("list[object]", value)
    if not rows or (size is not None and len(rows) != size):
        raise fault(f"board law: length of {name}", len(rows), str(size) if size else "1 or more", "fit it again")
    return rows


def _number(value: object, name: str, low: float = -math.inf, high: float = math.inf) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise fault(f"board law: {name}", value, "a finite number", "fit it again")
    if not low <= value <= high:
        raise fault(f"board law: {name}", value, f"a number from {low:g} to {high:g}", "fit it again")
    return float(value)


def _numbers(value: object, name: str, size: int, low: float = -math.inf) -> tuple[float, ...]:
    return tuple(_number(number, name, low) for number in _rows(value, name, size))


def _whole(value: object, name: str, size: int) -> tuple[int, ...]:
    rows = _rows(value, name, size)
    return tuple(check_whole(f"board law: {name}", number, 0) for number in rows)


def _places(value: object) -> tuple[str, ...]:
    places = [str(place) for place in _rows(value, "places", None)]
    zones = places[:-2]
    if not zones or places[-2:] != [BORDER, TABLE] or not all(place.startswith(ZONE) for place in zones):
        raise fault("board law: places", places, f"zones as {ZONE}NAME, then {BORDER}, {TABLE}", "fit it again")
    if len(set(places)) < len(places):
        raise fault("board law: places", places, "each once", "fit it again")
    return tuple(places)


def _cover(value: object) -> tuple[Covered, ...]:
    cover = tuple(Covered(*_whole(row, "cover", 4)) for row in _rows(value, "cover", None))
    for part in cover:
        if not (1 <= part.thrown_low <= part.thrown_high and part.lying_low <= part.lying_high):
            raise UsageError(f"board law: cover holds {part}; allowed are low ends up to the high ones; fit it again")
    return cover
