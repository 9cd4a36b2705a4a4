"""Read the dataclasses of a fitted law from the plain values of a file, for towers and boards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from typing import Any, cast, get_args, get_type_hints

from tower_sim.errors import check_kind, check_whole, fault

AGAIN = "fit it again"
_hints = cache(get_type_hints)


def from_plain(kind: Any, plain: object, where: str) -> Any:
    """Restore a value of the type `kind` from what `dataclasses.asdict` returns or JSON holds.

    `kind` is a dataclass, a tuple of any length, str, int (from 0) or float (between -1e6 and 1e6). A dataclass may
    have a method `check(where)`. Raises UsageError for anything else, called `where` in the error.
    """
    if is_dataclass(kind):
        hints, table = _hints(kind), cast("Mapping[str, object]", plain if isinstance(plain, Mapping) else {})
        if {*table} != {*hints}:
            raise fault(f"keys of {where} of the model", sorted(table), ", ".join(hints), AGAIN)
        values = {name: from_plain(hint, table[name], f"{where}, {name}") for name, hint in hints.items()}
        value = cast("Any", kind)(**values)
        if hasattr(value, "check"):
            value.check(where)
        return value
    where_here = f"{where} of the model"
    if kind is str:
        return check_kind(where_here, plain, str, "a word", AGAIN)
    if kind is int:
        return check_whole(where_here, plain, 0, advice=AGAIN)
    if kind is float:
        if isinstance(plain, bool) or not isinstance(plain, (int, float)) or not abs(plain) < 1e6:
            raise fault(where_here, plain, "a number between -1e6 and 1e6", AGAIN)
        return float(plain)
    if not isinstance(plain, (list, tuple)):
        raise fault(where_here, plain, "a list", AGAIN)
    item_kind = get_args(kind)[0]
    number = " {}" if is_dataclass(item_kind) else ""
    items = enumerate(cast("list[object]", plain))
    return tuple(from_plain(item_kind, item, where + number.format(i)) for i, item in items)
