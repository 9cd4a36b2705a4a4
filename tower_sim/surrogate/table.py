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

import math
from dataclasses import asdict, dataclass
from itertools import pairwise
from statistics import NormalDist
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from tower_sim.errors import fault
from tower_sim.surrogate.two_thirds import AGAIN, from_plain

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

    def check(self, where: str) -> None:
        """Raise UsageError for unequal lengths, and for knots that do not rise up to MAX_KNOT at most."""
        lengths = [len(numbers) for numbers in (self.knots, self.values, self.errors)]
        if not lengths[0] or len({*lengths}) > 1:
            raise fault(f"lengths of {where}", lengths, "equal ones from 1", AGAIN)
        if any(a >= b for a, b in pairwise((*self.knots, MAX_KNOT + 1))):
            raise fault(f"knots of {where}", [*self.knots], f"rising whole numbers from 0 to {MAX_KNOT}", AGAIN)

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
        plain = asdict(self)
        return plain if self.knocks else {"floors": plain["floors"]}

    @staticmethod
    def from_plain(plain: object) -> Cascade:
        """Restore the result of `to_plain`."""
        table = cast("dict[str, object]", plain if isinstance(plain, dict) else {})
        return from_plain(Cascade, {"knocks": (), **table}, "law")

    def check(self, where: str) -> None:
        """Raise UsageError for too many floors, and for knocks of other floors."""
        if not 1 <= len(self.floors) <= MAX_FLOORS:
            raise fault(f"number of floors of {where}", len(self.floors), f"1 to {MAX_FLOORS}", AGAIN)
        if len(self.knocks) not in (0, len(self.floors)):
            allowed = f"{len(self.floors)}, one for each floor"
            raise fault(f"number of knocks of {where}", len(self.knocks), allowed, AGAIN)


UNIT = 512  # units of the table per 1 of log-odds
LIMIT = 12 * UNIT  # log-odds beyond +-12 count as +-12
WORD = 1 << 32


@dataclass(frozen=True, slots=True)
class FloorTable:
    """The terms of the log-odds that a cube passes one floor, in units of 1 / UNIT.

    An index beyond the end of a list means its last entry. Indices: `arriving_thrown` and `lying_thrown` by the number
    of cubes thrown; `arriving_lying` and `lying_lying` by the number of cubes on the floor; `arriving_fresh` by how
    many of these are at most FRESH drops old; `age` and `crowd` by the cube's age in drops; `arriving_effect` and
    `lying_effect` by the number of cubes on the floor, then by the number of the shared effect.
    """

    arriving_thrown: tuple[int, ...]
    arriving_lying: tuple[int, ...]
    arriving_fresh: tuple[int, ...]
    arriving_effect: tuple[tuple[int, ...], ...]
    pushed: int
    lying_thrown: tuple[int, ...]
    lying_lying: tuple[int, ...]
    lying_effect: tuple[tuple[int, ...], ...]
    age: tuple[int, ...]
    crowd: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """The cascade in whole numbers.

    `regions` and `floors` go from top to bottom; `thresholds` go by log-odds, from 0 to LIMIT in units of 1 / UNIT.
    `knocks` are log-odds by floor and strength, in hundredths of g; they are empty without a fit to knocks.
    """

    regions: tuple[str, ...]
    floors: tuple[FloorTable, ...]
    thresholds: tuple[int, ...]
    knocks: tuple[tuple[int, ...], ...] = ()

    def to_plain(self) -> dict[str, Any]:
        """Return the table as lists, numbers and strings, as `tower-sim model export` writes it."""
        names = FloorTable.__slots__
        return {
            "regions": list(self.regions),
            "crowd_from": CROWD,
            "fresh_to": FRESH,
            "floors": [{name: _lists(getattr(floor, name)) for name in names} for floor in self.floors],
            "thresholds": list(self.thresholds),
            **({"knock_from": KNOCKS[0], "knocks": _lists(self.knocks)} if self.knocks else {}),
        }


def table_of(law: Cascade) -> Table:
    """Round a cascade to whole numbers: log-odds to within 1 / (2 UNIT), probabilities to within 2^-33."""
    scores = normal_scores()

    def curve(which: Polyline, last: int | None = None) -> tuple[int, ...]:
        return tuple(_units(float(x)) for x in which.at(range((which.knots[-1] if last is None else last) + 1)))

    def effect(sd: Polyline) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(_units(float(x) * e) for e in scores) for x in sd.at(range(sd.knots[-1] + 1)))

    floors = [
        FloorTable(
            arriving_thrown=curve(floor.arriving.thrown),
            arriving_lying=curve(floor.arriving.lying),
            arriving_fresh=curve(floor.fresh),
            arriving_effect=effect(floor.arriving.sd),
            pushed=_units(floor.pushed),
            lying_thrown=curve(floor.lying.thrown),
            lying_lying=curve(floor.lying.lying),
            lying_effect=effect(floor.lying.sd),
            age=curve(floor.age, min(floor.age.knots[-1], MAX_AGE)),
            crowd=curve(floor.crowd, min(floor.crowd.knots[-1], MAX_AGE)),
        )
        for floor in law.floors
    ]
    thresholds = tuple(round(WORD / (1 + math.exp(-i / UNIT))) for i in range(LIMIT + 1))
    by_step = law.knock_odds(np.maximum(np.arange(KNOCKS[-1] + 1), 1)).tolist()
    return Table(law.regions, tuple(floors), thresholds, tuple(tuple(map(_units, odds)) for odds in by_step))


def _lists(value: Any) -> Any:
    return [_lists(inner) for inner in cast("tuple[Any, ...]", value)] if isinstance(value, tuple) else value


def _units(log_odds: float) -> int:
    return round(log_odds * UNIT)
