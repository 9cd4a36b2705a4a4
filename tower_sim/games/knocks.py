"""Knocks on the table between the drops of a run: their strengths (g) by the number of the drop before."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, cast

import numpy as np
from pydantic import BeforeValidator, Field

from tower_sim.contract import DropModel
from tower_sim.door import HARDEST
from tower_sim.drops.repeat import until_landed
from tower_sim.errors import fault


def _number_keys(table: object) -> object:
    if not isinstance(table, Mapping):
        return table
    knocks: dict[object, object] = {}
    for key, strength in cast("Mapping[object, object]", table).items():
        text = str(key)
        if not (text.isascii() and text.isdecimal() and len(text) < 10 and text == str(int(text))):
            raise fault("number of a knock", text, "a drop's, from 0", "write knocks = { 3 = 0.5 }")
        knocks[int(text)] = strength
    return knocks


_G = Field(ge=0, le=HARDEST, json_schema_extra={"allowed": f"a number from 0 to {HARDEST} (peak acceleration in g)"})
Knocks = Annotated[dict[int, Annotated[float, _G]], BeforeValidator(_number_keys)]


def check_drops(knocks: Mapping[int, float], drops: int) -> None:
    """Raise UsageError for a knock after a drop beyond a run of `drops`."""
    for drop in knocks:
        if drop >= drops:
            allowed = f"a drop's, from 0 to {drops - 1}, the last of these rules"
            raise fault("number of a knock", drop, allowed, "the set-up is drop 0")


def check_knocks(model: DropModel, knocks: Mapping[int, float]) -> None:
    """Raise UsageError if `model` has no knocks or refuses one of these strengths on the empty tower."""
    for strength in sorted(set(knocks.values())):
        until_landed(partial(model.knock, model.empty(), strength), np.random.SeedSequence(0))
