"""Read tables of text into frozen dataclasses: units in the key, bounds in the field, one line an error."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, Field, field, fields
from typing import Any, TypeVar, cast

from tower_sim.errors import UsageError, check_table, near, shown

T = TypeVar("T")

# unit suffix of the key -> factor to SI
_UNITS = {"mm": 1e-3, "deg": math.pi / 180, "kg_m3": 1.0, "m_s": 1.0, "rad_s": 1.0, "s": 1.0, "": 1.0}


def number(unit: str, low: float, high: float, default: float | None = None) -> Any:
    """Declare a number: key suffix `unit`, allowed `low` to `high` (in that unit), stored in SI."""
    metadata = {"unit": unit, "low": low, "high": high}
    if default is None:
        return field(metadata=metadata)
    return field(metadata=metadata, default=default * _UNITS[unit])


def optional(unit: str, low: float, high: float) -> Any:
    """Declare a number, as `number` does, that may be left out: then it is None."""
    return field(metadata={"unit": unit, "low": low, "high": high}, default=None)


def choice(*allowed: str) -> Any:
    """Declare one of the words `allowed`."""
    return field(metadata={"allowed": allowed})


def count(low: int, high: int, default: int | None = None) -> Any:
    """Declare a whole number from `low` to `high`."""
    metadata = {"low": low, "high": high}
    return field(metadata=metadata) if default is None else field(metadata=metadata, default=default)


def key_of(item: Field[Any]) -> str:
    """Return the TOML key of a field: its name and its unit."""
    unit = item.metadata.get("unit", "")
    return f"{item.name}_{unit}" if unit else item.name


def read_table(cls: type[T], table: object, where: str) -> T:
    """Make a `cls` from the TOML table `table`, called `where` in messages.

    Raises UsageError for an unknown or missing key, a wrong type and a value out of bounds.
    """
    if not isinstance(table, Mapping):
        raise UsageError(f"{where} = {shown(table)}; allowed is a table; write it as [{where}]")
    values = cast("Mapping[str, object]", table)
    declared = {key_of(item): item for item in fields(cast("Any", cls))}
    refuse_unknown(values, declared, where)
    read: dict[str, Any] = {}
    for key, item in declared.items():
        if key in values:
            read[item.name] = _read(values[key], item, f"{where}.{key}")
        elif item.default is MISSING:
            raise UsageError(f"{where}.{key} is missing; allowed is {_allowed(item)}; add the key")
    return cls(**read)


def read_fields(cls: type[T], table: Mapping[str, Any], where: str) -> T:
    """Make the dataclass `cls` from the fields that `table` has, called `where` in messages; it checks its own values.

    Raises UsageError for an unknown field.
    """
    refuse_unknown(table, {item.name: None for item in fields(cast("Any", cls))}, where)
    return cls(**table)


def refuse_unknown(values: Mapping[str, object], known: Mapping[str, object], where: str) -> None:
    """Raise UsageError for what is no table, and for the first key of it that `known` does not have."""
    for key in check_table(where, values):
        if key not in known:
            name = key if len(key) <= 40 and key.isprintable() else shown(key, 40)
            allowed = f"allowed are {', '.join(known)}; correct or remove it{near(key, known)}"
            raise UsageError(f"{where}.{name} is unknown; {allowed}", f"{where}.{name}", "field.unknown")


def _read(value: object, item: Field[Any], where: str) -> Any:
    bad = UsageError(f"{where} = {shown(value)}; allowed is {_allowed(item)}; change it")
    if "allowed" in item.metadata:
        words: tuple[str, ...] = item.metadata["allowed"]
        if not isinstance(value, str):
            raise bad
        if value not in words:
            raise UsageError(f"{bad}{near(value, words)}")
        return value
    whole = "unit" not in item.metadata
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        raise bad
    if not item.metadata["low"] <= value <= item.metadata["high"]:  # False for nan too
        raise bad
    return value if whole else value * _UNITS[item.metadata["unit"]]


def _allowed(item: Field[Any]) -> str:
    if "allowed" in item.metadata:
        return "one of " + ", ".join(repr(word) for word in item.metadata["allowed"])
    kind = "a number" if "unit" in item.metadata else "a whole number"
    return f"{kind} from {item.metadata['low']:g} to {item.metadata['high']:g}"
