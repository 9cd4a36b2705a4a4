"""What tells two variants apart, key by key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, cast

from tower_sim.games.amerigo import Rules
from tower_sim.variants import Variant


@dataclass(frozen=True)
class Difference:
    """A key with another value in B than in A; `tower.` begins those of the profile. None: the key is not there."""

    key: str
    a: Any
    b: Any


def differences(a: Variant, b: Variant) -> tuple[Difference, ...]:
    """Return what of B is other than in A: of the rules all but their name, of the tower the keys of its profile.

    None: the two play alike, and equal seeds give equal games.
    """
    rules = [each.name for each in fields(Rules) if each.name not in ("name", "rulings")]
    found = [Difference(key, _plain(getattr(a.rules, key)), _plain(getattr(b.rules, key))) for key in rules]
    ruled = a.rules.rulings, b.rules.rulings
    found += [Difference(f"rulings.{key}", *(each[key] for each in ruled)) for key in ruled[0]]
    if a.tower.digest != b.tower.digest:
        old, new = (dict(_leaves(variant.tower.profile, "tower")) for variant in (a, b))
        found += [Difference(key, old.get(key), new.get(key)) for key in {**old, **new}]
    return tuple(each for each in found if each.a != each.b)


def _plain(value: Any) -> Any:
    """Return a value of the rules as TOML and JSON have it: lists for tuples."""
    return json.loads(json.dumps(value))


def _leaves(value: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, inner in cast("Mapping[str, Any]", value).items():
            yield from _leaves(inner, f"{prefix}.{key}")
    else:
        yield prefix, value
