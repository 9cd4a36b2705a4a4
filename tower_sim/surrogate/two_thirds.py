"""Read the dataclasses of a fitted law from the plain values of a file, for towers and boards."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from typing import Any, cast, get_args, get_type_hints

import numpy as np

from tower_sim.apparatus import Apparatus, as_tower
from tower_sim.drops import BaseModel, Door, no_knocks
from tower_sim.errors import check_kind, check_whole, fault
from tower_sim.values import INSIDE, TRAY, Cube, Event, Landing, Outcome, Resident, Status, TowerState, rng_text

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


THROWN_OUT = 2 / 3
RESIDENT_OUT = 1 / 3
REGION = "tower"


class TwoThirdsRule(BaseModel):
    """A DropModel without physics: a thrown cube comes out with probability 2/3, a cube inside with 1/3, independently.

    All cubes inside are in the one region `tower`. Knocks are refused. Source: bgdf.com/node/180.

    Args:
        shape: A tower, as `load` returns it.

    >>> from tower_sim import load
    >>> rule = TwoThirdsRule(load("wallenstein"))
    >>> rule.chances(rule.empty())
    (0.6666666666666666, 0.3333333333333333)
    """

    name = "two_thirds"

    def __init__(self, shape: Apparatus) -> None:
        self.shape = as_tower(shape)
        edge = self.shape.cube_edge
        digest = hashlib.sha256(f"{self.name} {edge!r}".encode()).hexdigest()[:16]
        self._door = Door(self.name, self.shape.name, digest, edge, frozenset([REGION]))

    def drop(self, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
        """Throw `cubes` in and return the outcome; see DropModel. Random: whether each cube comes out."""
        thrown = self._door.check_throw(state, cubes)
        written = rng_text(rng)
        chances = np.repeat(self.chances(state), [len(thrown), len(state.residents)])
        is_out = rng.random(len(chances)) < chances
        since = {resident.cube: resident.since for resident in state.residents}
        landings = tuple(
            Landing(cube, TRAY if out else INSIDE + REGION)
            for cube, out in zip((*thrown, *state.cubes), is_out, strict=True)
        )
        inside = [Resident(x.cube, REGION, since.get(x.cube, state.drops)) for x in landings if x.inside]
        event = Event("drop", written, thrown, tuple(sorted(x.cube.id for x in landings if not x.inside)))
        after = self._door.made(state.after(inside, event))
        return Outcome(self.name, self.shape.name, Status.SETTLED, thrown, landings, after)

    def chances(self, state: TowerState) -> tuple[float, float]:
        """Return the probabilities that a cube thrown into `state` comes out, and that a cube inside does."""
        return THROWN_OUT, RESIDENT_OUT

    def knock(self, state: TowerState, strength: float, rng: np.random.Generator) -> Outcome:
        """Raise UsageError: the rule does not describe knocks."""
        no_knocks(strength, f"{self.name} knows no knocks")
