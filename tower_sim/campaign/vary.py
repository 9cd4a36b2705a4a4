"""The design of a campaign: which fields vary, and over which points."""

from __future__ import annotations

import importlib
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from tower_sim.apparatus.space import PREFIX
from tower_sim.apparatus.space import tables as tower_tables
from tower_sim.errors import check_whole, fault, shown
from tower_sim.fields import refuse_unknown

SAMPLED = ("latin_hypercube", "sobol")  # designs whose points are a sample themselves
DESIGNS = ("grid", "list", *SAMPLED)
FEWEST_RUNS = 5  # at a point of the others, below which a study has no interval
MAX_RUNS = 2**31  # runs are numbered by int32
MAX_POINTS = 10_000  # each is tried before anything runs, which takes milliseconds
MAX_SHARDS = 20_000  # each has three or four files
DESIGN_STREAM = 2**31  # spawn keys of runs begin with the run's number, which is lower
TOWER = PREFIX.rstrip(".")  # the table of what varies that makes a tower's profile
_UNITS = ("_mm", "_deg", "_kg_m3", "_m_s", "_rad_s", "_s")  # keys with these hold quantities, never counts
_HEAD = ("schema", "version", "kind")

Values = dict[str, Any]


def points(vary: Mapping[str, Any], base: Mapping[str, Any], seed: int) -> tuple[str, tuple[Values, ...]]:
    """Return the name of the design and the values of the varied fields at each of its points.

    `vary` is the `[vary]` table, `base` the tables that its dotted fields lead into. Random: the two designs from
    scipy.stats.qmc, drawn from `seed`. Raises UsageError for a field, range or design that is not allowed.
    """
    if not vary:
        return "", ({},)
    refuse_unknown(vary, dict.fromkeys(["design", "points", "fields"]), "vary")
    name = vary.get("design", "grid")
    if name not in DESIGNS:
        raise fault("vary.design", name, f"one of {', '.join(DESIGNS)}")
    varied = fields_of(vary)
    if not varied:
        raise fault("vary.fields", vary.get("fields"), "one field or more", 'try "rules.cubes" = [6, 7]')
    old = {field: look_up(base, field) for field in varied}
    if name in ("grid", "list"):
        if "points" in vary:
            raise fault("vary.points", vary["points"], f"nothing: a {name} has the points of its values", "remove it")
        return name, _listed(name, varied)
    return name, _sampled(name, vary.get("points"), varied, old, seed)


def fields_of(vary: Mapping[str, Any]) -> dict[str, Any]:
    """Return the list or range of each varied field, by its dotted name."""
    return _flat(vary.get("fields", {}))


def look_up(tables: Mapping[str, Any], field: str) -> Any:
    """Return the value at the dotted `field`; raises UsageError where there is none."""
    value: Any = tables
    for i, word in enumerate(words := field.split(".")):
        if isinstance(value, list):
            known = [str(number) for number in range(len(cast("list[Any]", value)))]
        else:
            known = list(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else []
        if i == 1 and words[0] == "profile":
            known = [key for key in known if key not in _HEAD]
        if word not in known:
            where = "".join(f"{word}." for word in words[:i])
            allowed = f"one that is there: {where}... with {', '.join(known) or 'nothing below'}"
            raise fault("a field of vary.fields", field, allowed, "check its spelling")
        value = _inner(value, word)
    return value


def _inner(value: Any, word: str) -> Any:
    return value[int(word) if isinstance(value, list) else word]


def applied(tables: Mapping[str, Any], values: Values) -> dict[str, Any]:
    """Return a copy of `tables` in which each dotted field has its value of `values`; raises as `look_up`."""
    result = _copy(tables)
    for field, value in values.items():
        look_up(result, field)
        *path, last = field.split(".")
        inner: Any = result
        for word in path:
            inner = _inner(inner, word)
        inner[int(last) if isinstance(inner, list) else last] = value
    return result


def designed(tables: Mapping[str, Any], values: Values) -> dict[str, Any]:
    """Do as `applied` with a point's `values`, of which `tower.NAME` are numbers of the design space.

    These make the tower out of the profile of `tables`; what else is varied, fields of the profile too, is set after
    them. Raises as `applied`, and UsageError for a number that the design space has not.
    """
    of_tower = {name.removeprefix(PREFIX): value for name, value in values.items() if name.startswith(PREFIX)}
    if not of_tower:
        return applied(tables, values)
    made = {**tables, "profile": tower_tables(of_tower, tables["profile"])}
    return applied(made, {name: value for name, value in values.items() if not name.startswith(PREFIX)})


def told(values: Values) -> str:
    """Say the values of a point in one line."""
    return ", ".join(f"{field} = {shown(value)}" for field, value in values.items())


def _copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copy(inner) for key, inner in cast("Mapping[str, Any]", value).items()}
    return [_copy(inner) for inner in cast("list[Any]", value)] if isinstance(value, list) else value


def _flat(table: object, prefix: str = "") -> dict[str, Any]:
    """Read `a.b = ...` and `"a.b" = ...` alike: a table that is no range leads on to the fields in it."""
    if not isinstance(table, Mapping):
        raise fault("vary.fields", table, "a table of lists or ranges by field", "write it as [vary.fields]")
    by_field: dict[str, Any] = {}
    for key, value in cast("Mapping[str, object]", table).items():
        is_range = isinstance(value, Mapping) and {"low", "high"} & set(cast("Mapping[str, object]", value))
        leads_on = isinstance(value, Mapping) and not is_range
        by_field |= _flat(cast("object", value), f"{prefix}{key}.") if leads_on else {f"{prefix}{key}": value}
    return by_field


def _listed(name: str, varied: Mapping[str, Any]) -> tuple[Values, ...]:
    for field, values in varied.items():
        if not (isinstance(values, list) and values):
            raise fault(f"vary.fields.{field}", cast("object", values), f"a list of values in a {name}", "try [1, 2]")
    lengths = {field: len(values) for field, values in varied.items()}
    if name == "list" and len(set(lengths.values())) > 1:
        raise fault("lengths of vary.fields", lengths, "the same for every field of a list", 'or use design = "grid"')
    number = math.prod(lengths.values()) if name == "grid" else max(lengths.values())
    if number > MAX_POINTS:
        raise fault(f"points of the {name}", number, f"up to {MAX_POINTS}", "shorten the lists")
    rows = itertools.product(*varied.values()) if name == "grid" else zip(*varied.values(), strict=True)
    return tuple(dict(zip(varied, row, strict=True)) for row in rows)


def _sampled(
    name: str, count: object, varied: Mapping[str, Any], old: Mapping[str, Any], seed: int
) -> tuple[Values, ...]:
    qmc: Any = importlib.import_module("scipy.stats.qmc")  # half a second, so only where it is needed
    check_whole("vary.points", count, 1, MAX_POINTS)
    number = cast("int", count)
    if name == "sobol" and number & (number - 1):
        raise fault("vary.points", number, "a power of 2 for a sobol design", f"try {1 << number.bit_length()}")
    ranges = {field: _range(field, value, old[field]) for field, value in varied.items()}
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(DESIGN_STREAM,)))
    make: Any = qmc.LatinHypercube if name == "latin_hypercube" else qmc.Sobol
    rows: Sequence[Sequence[float]] = make(len(ranges), seed=rng).random(number).tolist()
    return tuple(
        {field: _at(u, low, high) for u, (field, (low, high)) in zip(row, ranges.items(), strict=True)} for row in rows
    )


def _range(field: str, value: object, old: object) -> tuple[float, float]:
    """Return the limits: two ints for a count, else two floats."""
    bad = fault(f"vary.fields.{field}", value, "{ low = NUMBER, high = NUMBER }, low below high")
    if isinstance(old, bool) or not isinstance(old, (int, float)):
        raise fault(f"vary.fields.{field}", value, "a list: the field is no number", 'use design = "grid" or "list"')
    table: Mapping[str, Any] = cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
    if set(table) != {"low", "high"}:
        raise bad
    limits = [table["low"], table["high"]]
    if not all(isinstance(limit, (int, float)) and not isinstance(limit, bool) for limit in limits):
        raise bad
    if not -math.inf < limits[0] < limits[1] < math.inf:
        raise bad
    if isinstance(old, int) and not field.endswith(_UNITS):
        if not all(isinstance(limit, int) for limit in limits):
            raise fault(f"vary.fields.{field}", table, "whole numbers: the field is a count")
        return limits[0], limits[1]
    return float(limits[0]), float(limits[1])


def _at(u: float, low: float, high: float) -> float:
    """Return the value at share `u` (0 to below 1) of a range; every whole number is equally likely."""
    if isinstance(low, int) and isinstance(high, int):
        return min(high, low + math.floor(u * (high - low + 1)))
    return low + u * (high - low)


def check_size(points: int, runs: object, shard: object, what: str = "runs") -> None:
    """Raise UsageError for numbers of points, of runs at each and of runs a shard that no campaign can have.

    `what` the runs are called in messages.
    """
    check_whole(f"campaign.{what}", runs, 1)
    check_whole("campaign.shard", shard, 1)
    total = points * cast("int", runs)
    if not 1 <= points <= MAX_POINTS:
        raise fault("number of design points", points, f"1 to {MAX_POINTS}", "shorten the lists, or make two campaigns")
    if total >= MAX_RUNS:
        allowed = f"fewer than {MAX_RUNS} in all"
        raise fault(f"{what} at {points} points", total, allowed, "ask for fewer, or make two campaigns")
    if (shards := -(-total // cast("int", shard))) > MAX_SHARDS:
        raise fault("number of shards", shards, f"up to {MAX_SHARDS}", "write a larger campaign.shard")
