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

from dataclasses import asdict, dataclass
from itertools import pairwise
from statistics import NormalDist
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from tower_sim.errors import fault
from tower_sim.surrogate.plain import AGAIN, from_plain

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
