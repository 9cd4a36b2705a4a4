"""Wishes: which mean of a figure somebody wants, and whether games meet it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from numbers import Real
from typing import Any, cast

from tower_sim.errors import UsageError, fault, unknown
from tower_sim.games.compared import number

NEAR = 0.05  # a wish with "=" allows this share of its value on either side; of 0, this share of the sd over games
_FORM = "FIGURE=3, FIGURE>=3, FIGURE<=3 or FIGURE=2.9..3.1"
_WISH = re.compile(r"\s*([\w-]+)\s*(>=|<=|=)\s*(\S+?)\s*(?:\.\.\s*(\S+?)\s*)?\Z")


class Verdict(StrEnum):
    """What games say about a wish."""

    MET = "met"
    """The whole 95 % interval of the mean lies where the wish wants it."""
    MISSED = "missed"
    """The whole interval lies elsewhere."""
    OPEN = "open"
    """The interval crosses the border of the wish."""


@dataclass(frozen=True)
class Wish:
    """The wish that the mean of the figure `key` lies from `low` to `high`, which may be infinite.

    `target` is the one number that was wished for, or None for a range or a limit.
    """

    key: str
    low: float
    high: float
    target: float | None
    text: str

    def border(self, sd: float) -> tuple[float, float]:
        """Return the ends of the band that meets the wish; `sd` is the standard deviation over games."""
        if self.target is None:
            return self.low, self.high
        slack = NEAR * (abs(self.target) or sd)
        return self.target - slack, self.target + slack

    def off(self, mean: float) -> float:
        return max(self.low - mean, mean - self.high, 0.0)

    def verdict(self, low: float, high: float, sd: float) -> Verdict:
        least, most = self.border(sd)
        if least <= low and high <= most:
            return Verdict.MET
        return Verdict.MISSED if high < least or low > most else Verdict.OPEN

    @property
    def words(self) -> str:
        if self.target is not None:
            return number(self.target)
        if math.isinf(self.high):
            return f"{number(self.low)} or more"
        return f"{number(self.high)} or less" if math.isinf(self.low) else f"{self.low:g} to {self.high:g}"


def together(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on several wishes at once."""
    every = set(verdicts)
    return next((each for each in (Verdict.MISSED, Verdict.OPEN) if each in every), Verdict.MET)


def read_wishes(texts: Sequence[str]) -> tuple[Wish, ...]:
    """Return wishes written as on the command line, at most one for each figure."""
    wishes = tuple(map(_read, texts))
    keys = [wish.key for wish in wishes]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise fault("--wish", [*texts], "each figure once", f"write a range, such as {twice}=2.9..3.1")
    if not wishes:
        raise fault("--wish", "nothing", "one wish or more", "write --wish actions=3")
    return wishes


def parse_wishes(wish: Mapping[str, Any]) -> tuple[Wish, ...]:
    """Return the wishes of a table from figures to a number, a text such as ">=3" or "2.9..3.1", or a pair of ends."""
    return read_wishes([f"{key}{_right(key, value)}" for key, value in wish.items()])


def check_known(wishes: Iterable[Wish], known: Iterable[str]) -> None:
    """Raise UsageError for a wish for a figure that is not `known`."""
    for wish in wishes:
        if wish.key not in (every := list(known)):
            raise unknown("--wish", wish.key, every)


def _right(key: str, value: Any) -> str:
    if isinstance(value, str):
        return value if value.lstrip()[:1] in (">", "<", "=") else f"={value}"
    ends = cast("Sequence[object]", value if isinstance(value, (tuple, list)) else [value])
    if len(ends) in (1, 2) and all(isinstance(end, Real) and end is not True and end is not False for end in ends):
        return f"={'..'.join(map(str, ends))}"
    raise fault(f"the wish {key}", cast("object", value), 'a number, ">=3", "<=3" or (2.9, 3.1)')


def _read(text: str) -> Wish:
    found = _WISH.match(text)
    first, last = (_number(text, each) for each in found.groups()[2:]) if found else (None, None)
    if not found or first is None or (found[4] is not None and (last is None or found[2] != "=")):
        raise UsageError(f"--wish {text!r}; allowed is {_FORM}; write --wish actions=3")
    key, relation = found[1], found[2]
    if last is not None:
        if last < first:
            raise fault(f"--wish {key}", f"{first:g}..{last:g}", "a range from less to more", "exchange its ends")
        return Wish(key, first, last, None, text.strip())
    low, high = (-math.inf if relation == "<=" else first), (math.inf if relation == ">=" else first)
    return Wish(key, low, high, first if relation == "=" else None, text.strip())


def _number(text: str, part: str | None) -> float | None:
    if part is None:
        return None
    try:
        value = float(part)
    except ValueError:
        return None
    if not math.isfinite(value):
        raise UsageError(f"--wish {text!r}; allowed is a finite number; write --wish actions=3")
    return value
