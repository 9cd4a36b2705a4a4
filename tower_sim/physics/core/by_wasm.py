"""The core by wasmtime: a world has an instance of core.wasm of its own, in whose memory its tables lie."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

import numpy as np

from tower_sim.physics.core import arrays
from tower_sim.physics.core.arrays import T, Tables
from tower_sim.physics.core.compiled import Machine
from tower_sim.physics.core.exported import CORE
from tower_sim.wasm.memory import Memory


def machine() -> Machine:
    """Return what runs the core so."""
    Memory(CORE.path)  # what it takes is taken now
    return Machine(
        make=_make,
        take_windows=_take_windows,
        lie_still=partial(_call, "lie_still"),
        wake_row=partial(_call, "wake_row"),
        take_out=partial(_call, "take_out"),
        face_row=partial(_call, "face_row"),
        deepest=partial(_call, "deepest"),
    )


def _make(fixed: int, cubes: int, hulls: int) -> Tables:
    memory = Memory(CORE.path)
    memory.table((_WORDS,), np.int64)
    tables = arrays.make(fixed, cubes, hulls, memory.table)
    memory.list_up(tables)
    return tables


def _call(name: str, tables: Tables, *numbers: float) -> Any:
    return _memory_of(tables).call(name, *numbers)


def _take_windows(tables: Tables, windows: int, calm: T, film: T, step: float, steps: int) -> int:
    """Boxes are copied in, and films out."""
    memory = _memory_of(tables)
    boxes, frames = memory.lent(calm.shape, film.shape)
    boxes[:] = calm
    memory.list_up((boxes, frames), behind=_OF_A_WORLD)
    taken = memory.call("take_windows", windows, step, steps)
    film[:taken] = frames[:taken]
    return taken


def _memory_of(tables: Tables) -> Memory:
    """Return where tables lie."""
    return cast(Any, tables.whole.base).memory


_OF_A_WORLD = sum(1 + each.ndim for each in arrays.make(0, 0))
_WORDS = _OF_A_WORLD + 3 + 4  # those of the upright boxes and of the film of `take_windows`
