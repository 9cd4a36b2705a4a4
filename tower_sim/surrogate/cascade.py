"""The cascade, a fitted distribution of one drop: floor by floor, each cube either passes the floor or stays on it.

    thrown --> [ funnel ] --> [ upper floor ] --> [ lower floor ] --> [ ramp ] --> out
                lying ^             lying ^            lying ^          lying ^

The log-odds that a cube passes a floor are a sum of curves and of a random effect that the floor shares in this drop:

    arriving    thrown(n) + lying(m) + fresh(f) + pushed     + sd(m) * e
    lying       thrown(n) + lying(m) + age(a) or crowd(a)    + sd(m) * e

n cubes are thrown. m lie on this floor before, f of them thrown at most FRESH drops ago: a young heap is loose and
holds more. a is a lying cube's age in drops. `pushed` is for a cube that lay on a higher floor. `crowd` replaces `age`
for a cube thrown with CROWD - 1 others or more: it lies deeper. e, one of EFFECTS equally likely normal scores, is
drawn once for each drop and floor; given these, cubes are independent. Colours play no part.

Source of the form: logistic regression with a random intercept (Agresti, Categorical Data Analysis, 2013, chapter 13).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from statistics import NormalDist
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from tower_sim.errors import fault

Array = npt.NDArray[Any]

CROWD = 15  # cubes thrown at once, from which on they lie deeper; phases of a game throw fewer
FRESH = 5  # drops
EFFECTS = 16
MAX_KNOT = 1000  # cubes or drops: the greatest index of a table
MAX_FLOORS = 12
MAX_AGE = 255  # drops; older cubes count as this old
KNOCKS = (10, 20, 50, 100, 200, 500)  # hundredths of g; weaker knocks move nothing, stronger ones are refused


def normal_scores() -> tuple[float, ...]:
    """Return EFFECTS values with mean 0 and variance 1: scaled normal quantiles at (i + 1/2) / EFFECTS."""
    raw = [NormalDist().inv_cdf((i + 0.5) / EFFECTS) for i in range(EFFECTS)]
    sd = (sum(x * x for x in raw) / EFFECTS) ** 0.5
    return tuple(x / sd for x in raw)


@dataclass(frozen=True, slots=True)
class Polyline:
    """A function of a whole number, linear between `knots` and constant beyond them.

    `values` are log-odds or their standard deviation, `errors` their standard errors.
    """

    knots: tuple[int, ...]
    values: tuple[float, ...]
    errors: tuple[float, ...]

    def __bool__(self) -> bool:
        """Return whether the function differs from 0 anywhere."""
        return any(self.values)

    def at(self, numbers: Any) -> Array:
        """Return the values at `numbers`, in their shape."""
        return cast("Array", np.interp(numbers, self.knots, self.values))


@dataclass(frozen=True, slots=True)
class Passing:
    """Terms of the log-odds that arriving, or lying, cubes pass a floor.

    `thrown` depends on the number of cubes thrown, `lying` and `sd` on the number on the floor.
    """

    thrown: Polyline
    lying: Polyline
    sd: Polyline


@dataclass(frozen=True, slots=True)
class FloorLaw:
    """The terms for one floor, a region of the apparatus.

    `fresh` depends on the number of fresh cubes there, `age` and `crowd` on a lying cube's age in drops.
    """

    region: str
    arriving: Passing
    fresh: Polyline
    pushed: float
    pushed_error: float
    lying: Passing
    age: Polyline
    crowd: Polyline


@dataclass(frozen=True, slots=True)
class Cascade:
    """The distribution of one drop: the floors from top to bottom; the module's docstring has the formula.

    `knocks` has a curve for each floor: the log-odds that a knock brings out a cube that lies there, linear in the
    logarithm of the strength. Knots are in hundredths of g. Without curves no knock is possible.
    """

    floors: tuple[FloorLaw, ...]
    knocks: tuple[Polyline, ...] = ()

    @property
    def regions(self) -> tuple[str, ...]:
        """The region of each floor, from top to bottom."""
        return tuple(floor.region for floor in self.floors)

    def knock_odds(self, strengths: Any) -> Array:
        """Return the log-odds of `knocks` at `strengths`, in hundredths of g from 1, shape (floor, strength)."""
        odds: list[Any] = [np.interp(np.log(strengths), np.log(each.knots), each.values) for each in self.knocks]
        return np.array(odds).reshape(len(odds), np.size(strengths))

    def to_plain(self) -> dict[str, Any]:
        """Return the parameters as plain values."""
        knocks = {"knocks": [_plain(curve) for curve in self.knocks]} if self.knocks else {}
        return {"floors": [_plain(floor) for floor in self.floors], **knocks}

    @staticmethod
    def from_plain(plain: object) -> Cascade:
        """Restore the result of `to_plain`; raise UsageError for anything else."""
        keys = ("floors", "knocks")
        known = dict[str, object](knocks=[]) | cast("dict[str, object]", plain if isinstance(plain, dict) else {})
        floors, knocks = (_table(known, "law", keys)[key] for key in keys)
        if not isinstance(floors, list) or not 1 <= len(cast("list[object]", floors)) <= MAX_FLOORS:
            allowed = f"a list of 1 to {MAX_FLOORS} floors"
            raise fault("floors of the model", cast("object", floors), allowed, "fit it again")
        laws = tuple(_floor(floor, f"floor {i}") for i, floor in enumerate(cast("list[object]", floors)))
        if not isinstance(knocks, list) or len(cast("list[object]", knocks)) not in (0, len(laws)):
            allowed = f"a list of {len(laws)} curves, one a floor"
            raise fault("knocks of the model", cast("object", knocks), allowed, "fit it again")
        curves = (_curve(curve, f"knocks of floor {i}") for i, curve in enumerate(cast("list[object]", knocks)))
        return Cascade(laws, tuple(curves))


def _plain(value: Any) -> object:
    if isinstance(value, (str, float, int)):
        return value
    if isinstance(value, tuple):
        return [_plain(item) for item in cast("tuple[float, ...]", value)]
    return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}


def _floor(plain: object, where: str) -> FloorLaw:
    table = _table(plain, where, [item.name for item in fields(FloorLaw)])
    if not isinstance(table["region"], str):
        raise fault(f"region of {where}", table["region"], "a word", "fit it again")
    return FloorLaw(
        table["region"],
        _passing(table["arriving"], f"{where}, arriving"),
        _curve(table["fresh"], f"{where}, fresh"),
        _number(table["pushed"], f"{where}, pushed"),
        _number(table["pushed_error"], f"{where}, pushed_error"),
        _passing(table["lying"], f"{where}, lying"),
        _curve(table["age"], f"{where}, age"),
        _curve(table["crowd"], f"{where}, crowd"),
    )


def _passing(plain: object, where: str) -> Passing:
    table = _table(plain, where, [item.name for item in fields(Passing)])
    return Passing(*(_curve(table[item.name], f"{where}, {item.name}") for item in fields(Passing)))


def _curve(plain: object, where: str) -> Polyline:
    table = _table(plain, where, [item.name for item in fields(Polyline)])
    lists = [_numbers(table[key], f"{where}, {key}") for key in ("knots", "values", "errors")]
    knots, values, errors = lists
    if not 1 <= len(knots) == len(values) == len(errors):
        raise fault(f"lengths of {where}", [len(numbers) for numbers in lists], "equal ones from 1", "fit it again")
    whole = tuple(int(knot) for knot in knots)
    if whole != knots or any(a >= b for a, b in pairwise(whole)) or whole[0] < 0 or whole[-1] > MAX_KNOT:
        raise fault(f"knots of {where}", [*knots], f"rising whole numbers from 0 to {MAX_KNOT}", "fit it again")
    return Polyline(whole, values, errors)


def _table(plain: object, where: str, keys: Sequence[str]) -> Mapping[str, object]:
    table: Mapping[str, object] = cast("Mapping[str, object]", plain) if isinstance(plain, Mapping) else {}
    if set(table) != set(keys):
        raise fault(f"keys of {where} of the model", sorted(table), f"{', '.join(keys)}", "fit it again")
    return table


def _numbers(plain: object, where: str) -> tuple[float, ...]:
    if not isinstance(plain, list):
        raise fault(f"{where} of the model", plain, "a list of numbers", "fit it again")
    return tuple(_number(number, where) for number in cast("list[object]", plain))


def _number(plain: object, where: str) -> float:
    if isinstance(plain, bool) or not isinstance(plain, (int, float)) or not abs(plain) < 1e6:
        raise fault(f"{where} of the model", plain, "a number between -1e6 and 1e6", "fit it again")
    return float(plain)
