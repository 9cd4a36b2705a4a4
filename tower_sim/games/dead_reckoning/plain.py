"""Nested frozen dataclasses as lists, numbers and words, for tokens; and back, by the types of their fields."""

from __future__ import annotations

import types
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from tower_sim.apparatus.board import Zone
from tower_sim.games.dead_reckoning.worths import SavedZone
from tower_sim.state import TowerState


def plain(value: object) -> Any:
    """Turn a value into lists, numbers and words: a dataclass into the list of its fields, a state into its token."""
    if isinstance(value, TowerState):
        return value.token()
    if isinstance(value, Zone):
        return plain(SavedZone.of(value))
    if is_dataclass(value):
        return [plain(getattr(value, item.name)) for item in fields(value)]
    if isinstance(value, tuple):
        return [plain(item) for item in cast("Iterable[object]", value)]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in cast("dict[str, object]", value).items()}
    return value


def read_plain(kind: Any, given: Any) -> Any:
    """Undo `plain`: make a value of type `kind`; raises ValueError for what is not the plain data of one."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is TowerState:
        return TowerState.from_token(_of(str, given))
    if kind is Zone:
        return read_plain(SavedZone, given).zone()
    if is_dataclass(kind):
        of = zip(_types(kind), _of(list, given), strict=True)
        return cast("type", kind)(*(read_plain(each, item) for each, item in of))
    if origin is tuple and inner[-1] is ...:
        return tuple(read_plain(inner[0], item) for item in _of(list, given))
    if origin is tuple:
        return tuple(read_plain(each, item) for each, item in zip(inner, _of(list, given), strict=True))
    if origin is dict:
        return {key: read_plain(inner[1], item) for key, item in _of(dict, given).items()}
    if origin in (Union, types.UnionType):
        return None if given is None else read_plain(inner[0], given)
    if origin is Literal:
        if given not in inner:
            raise ValueError(f"one of {inner} is due")
        return given
    if kind is float and type(given) is int:
        return float(given)
    return kind(_of(str, given)) if issubclass(kind, str) else _of(kind, given)


def _of(kind: type, given: Any) -> Any:
    """Return what is `given`, which has to be of type `kind`."""
    if type(given) is not kind:
        raise ValueError(f"{kind.__name__} is due, not {type(given).__name__}")
    return given


@cache
def _types(kind: type) -> tuple[Any, ...]:
    """Return the types of a dataclass's fields, in order."""
    hints = get_type_hints(kind)
    return tuple(hints[item.name] for item in fields(kind))
