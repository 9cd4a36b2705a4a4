"""The design of a campaign: which fields vary, and at which points."""

from __future__ import annotations

import importlib
import itertools
import math
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import reduce
from typing import Any, Literal, cast, get_args

import numpy as np
from pydantic import Field

from tower_sim.documents import Document, read
from tower_sim.errors import fault, quote

SAMPLED = ("latin_hypercube", "sobol")  # designs whose points are a sample
Design = Literal["grid", "list", "latin_hypercube", "sobol"]
DESIGNS: tuple[str, ...] = get_args(Design)
MAX_POINTS = 10_000  # each is tried before anything runs, which takes milliseconds
DESIGN_STREAM = 2**31  # spawn keys of runs begin with the run's number, which is lower
_UNITS = ("_mm", "_deg", "_kg_m3", "_m_s", "_rad_s", "_s")  # keys with these endings are quantities, never counts
_HEAD = ("schema", "version", "kind", "accuracy")  # of a profile, which do not vary

Values = dict[str, Any]


class Vary(Document, frozen=True):
    """The table `[vary]` of a campaign file."""

    design: Design = Field("grid", description="How the points follow from the fields.")
    points: int | None = Field(None, ge=1, le=MAX_POINTS, description="The number of points of a sample.")
    fields: dict[str, Any] = Field(
        description="A list of values or a range of each field, by its dotted name.",
        json_schema_extra={"allowed": "a table of lists or ranges by field"},
    )


class _Range(Document, frozen=True):
    low: int | float
    high: int | float


def points(vary: Mapping[str, Any], base: Mapping[str, Any], seed: int) -> tuple[str, tuple[Values, ...]]:
    """Return the name of the design and the values of the varied fields at each of its points.

    `base` has the tables of the fields. Random: `latin_hypercube` and `sobol` (scipy.stats.qmc) draw from `seed`.
    """
    if not vary:
        return "", ({},)
    table, varied = read(Vary, vary, "vary"), list_fields(vary)
    if not varied:
        raise fault("vary.fields", table.fields, "one field or more", 'try "rules.cubes" = [6, 7]')
    old = {field: _look_up(base, field) for field in varied}
    if table.design in SAMPLED:
        return table.design, _sample_points(table, varied, old, seed)
    if table.points is not None:
        raise fault("vary.points", table.points, f"nothing: a {table.design} has the points of its values", "remove it")
    return table.design, _list_points(table.design, varied)


def list_fields(vary: Mapping[str, Any]) -> dict[str, Any]:
    """Return the list or range of each varied field, by its dotted name."""
    return _flat(vary.get("fields", {}))


def _look_up(tables: Mapping[str, Any], field: str) -> Any:
    value: Any = tables
    for i, word in enumerate(words := field.split(".")):
        known = [str(key) for key in (range(len(value)) if isinstance(value, list) else _keys(value))]  # type: ignore[arg-type]
        if i == 1 and words[0] == "profile":
            known = [key for key in known if key not in _HEAD]
        if word not in known:
            allowed = f"one that is there: {'.'.join([*words[:i], '...'])} with {', '.join(known) or 'nothing below'}"
            raise fault("a field of vary.fields", field, allowed, "check its spelling")
        value = _inner(value, word)
    return value


def _keys(value: Any) -> Sequence[str]:
    return list(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else []


def _inner(value: Any, word: str) -> Any:
    return value[int(word) if isinstance(value, list) else word]


def apply_values(tables: Mapping[str, Any], values: Values) -> dict[str, Any]:
    """Return a copy of `tables` with the dotted fields of `values` set."""
    result = deepcopy(dict(tables))
    for field, value in values.items():
        _look_up(result, field)
        *path, last = field.split(".")
        inner: Any = reduce(_inner, path, result)
        inner[int(last) if isinstance(inner, list) else last] = value
    return result


def describe(values: Values) -> str:
    """Return the values of a point as one line of text."""
    return ", ".join(f"{field} = {quote(value)}" for field, value in values.items())


def _flat(table: object, prefix: str = "") -> dict[str, Any]:
    by_field: dict[str, Any] = {}
    for key, value in cast("Mapping[str, Any]", table).items() if isinstance(table, Mapping) else ():
        leads_on = isinstance(value, Mapping) and not {"low", "high"} & set(_keys(value))
        by_field |= _flat(cast("object", value), f"{prefix}{key}.") if leads_on else {prefix + key: value}
    return by_field


def _list_points(design: str, varied: Mapping[str, Any]) -> tuple[Values, ...]:
    for field, values in varied.items():
        if not isinstance(values, list) or not values:
            raise fault(f"vary.fields.{field}", cast("object", values), "a list of one value or more", "write [1, 2]")
    lengths = [len(values) for values in varied.values()]
    if design == "list" and len(set(lengths)) > 1:
        raise fault("lengths of vary.fields", lengths, "the same for all in a list", 'or write design = "grid"')
    count = math.prod(lengths) if design == "grid" else lengths[0]
    if count > MAX_POINTS:
        raise fault(f"points of the {design}", count, f"up to {MAX_POINTS}", "shorten the lists, or run two campaigns")
    rows = itertools.product(*varied.values()) if design == "grid" else zip(*varied.values(), strict=True)
    return tuple(dict(zip(varied, row, strict=True)) for row in rows)


def _sample_points(table: Vary, varied: Mapping[str, Any], old: Mapping[str, Any], seed: int) -> tuple[Values, ...]:
    qmc: Any = importlib.import_module("scipy.stats.qmc")  # half a second, so only where it is needed
    count = table.points
    if count is None:
        raise fault("vary.points", None, f"a whole number from 1 to {MAX_POINTS}", "write points = 16")
    if table.design == "sobol" and count & (count - 1):
        raise fault("vary.points", count, "a power of 2 for a sobol design", f"try {1 << count.bit_length()}")
    ranges = {field: _range(field, value, old[field]) for field, value in varied.items()}
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(DESIGN_STREAM,)))
    make: Any = qmc.Sobol if table.design == "sobol" else qmc.LatinHypercube
    rows: Sequence[Sequence[float]] = make(len(ranges), seed=rng).random(count).tolist()
    return tuple(
        {field: _at(u, low, high) for u, (field, (low, high)) in zip(row, ranges.items(), strict=True)} for row in rows
    )


def _range(field: str, value: object, old: object) -> tuple[float, float]:
    where, table = f"vary.fields.{field}", value
    if isinstance(old, bool) or not isinstance(old, (int, float)):
        raise fault(where, value, "a list: the field is no number", 'use design = "grid" or "list"')
    if not isinstance(value, Mapping):
        raise fault(where, table, "{ low = NUMBER, high = NUMBER }, low below high")
    limits = read(_Range, table, where)
    low, high = limits.low, limits.high
    if not low < high:
        raise fault(where, table, "{ low = NUMBER, high = NUMBER }, low below high")
    if not isinstance(old, int) or field.endswith(_UNITS):
        return float(low), float(high)
    if isinstance(low, float) or isinstance(high, float):
        raise fault(where, table, "whole numbers: the field is a count")
    return low, high


def _at(u: float, low: float, high: float) -> float:
    if isinstance(low, int) and isinstance(high, int):
        return min(high, low + math.floor(u * (high - low + 1)))
    return low + u * (high - low)
