"""What a search may change: the rules, each with its values."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from tower_sim.errors import UsageError, fault
from tower_sim.games.ways import parse_value
from tower_sim.requests import APPARATUS
from tower_sim.tools.reading import toml_table, toml_text
from tower_sim.variants import Variant, read_variant

MOST = 1000  # values of one rule
_NUMBER = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"
_RANGE = re.compile(rf"\s*({_NUMBER})\s*\.\.\s*({_NUMBER})\s*(?:\.\.\s*({_NUMBER})\s*)?\Z")
_FORM = "KEY=VALUES, such as cubes=5..12, knock=0..1..0.25 or gold_divisor=2,3"


@dataclass(frozen=True)
class RuleValues:
    """A rule `key` and the `values` that the search may give it, in order, each a text as after `--set KEY=`."""

    key: str
    values: tuple[str, ...]


Way = Mapping[str, str]
"""Changes to rules: the text of the new value by the key of the rule."""


def read_vary(text: str) -> RuleValues:
    """Return what a text such as `cubes=5..12` lets vary."""
    key, equals, values = (part.strip() for part in text.partition("="))
    if not (key and equals and values):
        raise UsageError(f"--vary {text!r}; allowed is {_FORM}; write --vary cubes=5..12")
    if found := _RANGE.match(values):
        return parse_vary(key, _list_range(text, *found.groups()))
    try:
        return parse_vary(key, toml_table(f"value = [{values}]", "the values")["value"])
    except UsageError:
        return parse_vary(key, [parse_value(word) for word in map(str.strip, values.split(",")) if word])


def parse_vary(key: str, values: Any) -> RuleValues:
    """Return what a key and its values let vary: a text as after `--vary KEY=`, a range, or a list."""
    if isinstance(values, str):
        return read_vary(f"{key}={values}")
    if not isinstance(values, (Sequence, range)):
        raise fault(f"vary {key}", values, 'a range, a list of values, or a text such as "5..12"')
    every = [toml_text(value) for value in cast("Sequence[Any]", values)]
    if not 1 <= len(every) <= MOST:
        raise fault(f"the number of values of --vary {key}", len(every), f"1 to {MOST}", "give fewer, or a step")
    return RuleValues(key, tuple(dict.fromkeys(every)))


def usual(base: Variant) -> tuple[RuleValues, ...]:
    """Return every rule that is a whole number above 0, from half to twice its value.

    Values that the game refuses are left out, and so are rules without two values.
    """
    keys = base.game.ways.compared((base.rules, base.rules)).keys(0)
    found: list[RuleValues] = []
    for key, value in keys.items():
        if isinstance(value, int) and not isinstance(value, bool) and value > 0 and "." not in key:
            every = [str(each) for each in range(math.ceil(value / 2), 2 * value + 1)]
            allowed = [each for each in every if _is_allowed(base, {key: each})]
            found += [RuleValues(key, tuple(allowed))] * (len(allowed) > 1)
    if not found:
        raise fault("--vary", "nothing", _FORM, f"{base.game.name} has no rule that is a whole number: name one")
    return tuple(found)


def check_values(base: Variant, varied: Sequence[RuleValues]) -> tuple[RuleValues, ...]:
    """Return what varies, without values that change nothing; raise UsageError for a value that is not allowed."""
    keys = [vary.key for vary in varied]
    if twice := next((key for key in keys if keys.count(key) > 1), None):
        raise fault("--vary", twice, "each rule once", "write all its values in one --vary")

    def changes(key: str, value: str) -> bool:
        other = varied_by(base, {key: value})
        return other.rules != base.rules or other.apparatus.digest != base.apparatus.digest

    return tuple(
        RuleValues(vary.key, tuple(value for value in vary.values if changes(vary.key, value))) for vary in varied
    )


def varied_by(base: Variant, way: Way) -> Variant:
    """Return `base` with the changes of a way."""
    own = [change for change in base.changes if change.partition("=")[0].strip() not in way]
    return read_variant(base.file, [*own, *(f"{key}={value}" for key, value in way.items())])


def as_it_was(base: Variant, key: str) -> Any:
    """Return the value that a rule has in `base`."""
    if key == APPARATUS:
        return base.apparatus.name
    tables = base.game.plain(base.rules)
    found: Any = {**tables, **tables.get(base.game.tables[0], {})}
    for word in key.split("."):
        found = cast("dict[str, Any]", found).get(word) if isinstance(found, dict) else None
    return found


def _list_range(text: str, first: str, last: str, step: str | None) -> list[Any]:
    if step is None and not (first.lstrip("-").isdigit() and last.lstrip("-").isdigit()):
        raise UsageError(f"--vary {text!r} has no step; allowed is FIRST..LAST..STEP; write {first}..{last}..0.1")
    by = float(step or 1)
    number = (float(last) - float(first)) / by if by > 0 else -1
    if not 0 <= number < MOST:
        allowed = f"up to {MOST} values from less to more"
        raise UsageError(f"--vary {text!r}; allowed are {allowed}; write --vary cubes=5..12")
    every = [round(float(first) + i * by, 12) for i in range(math.floor(number + 1e-9) + 1)]
    is_whole = all(each.lstrip("-").isdigit() for each in (first, last, step or "1"))
    return [int(each) for each in every] if is_whole else every


def _is_allowed(base: Variant, way: Way) -> bool:
    try:
        varied_by(base, way)
    except UsageError:
        return False
    return True
