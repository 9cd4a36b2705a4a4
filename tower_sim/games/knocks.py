"""Knocks on the table between the drops of a run: a table of strengths (g) by the number of the drop before."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from numbers import Real
from typing import cast

import numpy as np

from tower_sim.contract import DropModel
from tower_sim.errors import fault
from tower_sim.model import until_landed

HARDEST = 1_000  # g: beyond what any model takes


def check_strength(strength: object) -> None:
    """Raise UsageError unless `strength` (g) is a number from 0 that may be one; models have lower limits."""
    is_number = isinstance(strength, Real) and not isinstance(cast("object", strength), bool)
    if not is_number or not 0 <= cast("float", strength) <= HARDEST:
        raise fault("strength of a knock", strength, f"0 to {HARDEST} (peak acceleration in g)", "try 0.5")


def read_knocks(table: object, drops: int, first: str = "the first is drop 0") -> dict[int, float]:
    """Read the knocks of a run of at most `drops` drops from a table of strengths by the drop before, as text.

    Raises UsageError for anything but a table, and for a number or a strength that is not allowed; `first` says what
    the first drop is.
    """
    if not isinstance(table, Mapping):
        raise fault("knocks", table, "a table of strengths by drop", 'write it as {"3": 0.5} in JSON, [knocks] in TOML')
    knocks: dict[int, float] = {}
    for key, strength in cast("Mapping[object, object]", table).items():
        text = str(key)
        is_number = text.isascii() and text.isdecimal() and len(text) < 10 and text == str(int(text))
        if not is_number or int(text) >= drops:
            raise fault("number of a knock", text, f"a drop's, from 0 to {drops - 1}, the last of these rules", first)
        check_strength(strength)
        knocks[int(text)] = float(cast("float", strength))
    return knocks


def check_knocks(model: DropModel, knocks: Mapping[int, float]) -> None:
    """Raise UsageError for a strength that `model` does not take, or one that knows no knocks, before a run begins.

    Each strength is tried on the empty tower, from which nothing can come out.
    """
    for strength in sorted(set(knocks.values())):
        until_landed(partial(model.knock, model.empty(), strength), np.random.SeedSequence(0))
