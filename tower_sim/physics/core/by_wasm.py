"""The core by wasmtime: a world has an instance of core.wasm of its own, in whose memory its tables lie."""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from typing import Any, cast

import numpy as np

from tower_sim.physics.core import arrays
from tower_sim.physics.core.arrays import Tables
from tower_sim.physics.core.compiled import Machine
from tower_sim.physics.core.exported import CORE
from tower_sim.tools.jit import T
from tower_sim.wasm.memory import Memory


def machine() -> Machine:
    """Return what runs the core so."""
    Memory(CORE.path)  # what it takes is taken now
    names = [item.name for item in fields(Machine) if item.name != "make"]
    return Machine(make=_make, **{name: partial(_call, name) for name in names})


def _make(fixed: int, cubes: int, hulls: int, rule: int, pairs: int) -> Tables:
    memory = Memory(CORE.path)
    memory.table((_WORDS,), np.int64)
    tables = arrays.make(fixed, cubes, hulls, rule, pairs, memory.table)
    memory.list_up(tables)
    return tables


def _call(name: str, tables: Tables, *arguments: T | float) -> Any:
    """Call a function; tables beside the world's are copied in, and out again."""
    memory: Memory = cast(Any, tables.whole.base).memory
    given = [each for each in arguments if isinstance(each, np.ndarray)]
    lent = memory.lent(*(each.shape for each in given))
    for here, there in zip(given, lent, strict=True):
        there[:] = here
    memory.list_up(lent, behind=_OF_A_WORLD)
    result = memory.call(name, *(each for each in arguments if not isinstance(each, np.ndarray)))
    for here, there in zip(given, lent, strict=True):
        here[:] = there
    return result


_OF_A_WORLD = sum(1 + each.ndim for each in arrays.make(0, 0))
_WORDS = _OF_A_WORLD + 4 * 4  # those of up to four more tables
