"""The core by wasmtime: tables lie in the memory of an instance of core.wasm, where numpy sees them as they are.

A world has an instance of its own, which goes when its last table does; a memory keeps its place when it grows.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import importlib
import math
from collections.abc import Iterable
from functools import cache, partial
from typing import Any, cast

import numpy as np
import wasmtime

from tower_sim.errors import UsageError
from tower_sim.extras import pip_install
from tower_sim.jit import seal, unsealed, user_cache
from tower_sim.physics.core import arrays
from tower_sim.physics.core.arrays import T, Tables
from tower_sim.physics.core.compiled import Machine
from tower_sim.physics.core.wasm.file import CORE

_c: Any = None
with contextlib.suppress(ImportError):  # a call by the C interface takes 2 us, by the documented one 60 to 130
    _c = importlib.import_module("wasmtime._ffi")
_PAGE = 1 << 16
_MOST = 1 << 32  # bytes of a memory
_ALIGNED = 16
_WORD = 8


def machine() -> Machine:
    """Return what runs the core so."""
    _compiled()
    return Machine(
        make=_make,
        take_windows=_take_windows,
        lie_still=partial(_call, "lie_still"),
        wake_row=partial(_call, "wake_row"),
        take_out=partial(_call, "take_out"),
        face_row=partial(_call, "face_row"),
        deepest=partial(_call, "deepest"),
    )


@cache
def _compiled() -> tuple[wasmtime.Engine, wasmtime.Module]:
    """Return the core, compiled for this processor: that takes a second, so it is kept in the user's cache."""
    config = wasmtime.Config()
    config.parallel_compilation = False  # a process that is forked would wait for the threads of its parent
    engine, code = wasmtime.Engine(config), CORE.read_bytes()
    path = user_cache() / f"core_{hashlib.sha256(code).hexdigest()[:16]}.cwasm"
    with contextlib.suppress(OSError, wasmtime.WasmtimeError):  # not there, or of another wasmtime or processor
        if (kept := unsealed(path.read_bytes())) is not None:
            return engine, wasmtime.Module.deserialize(engine, kept)
    module = wasmtime.Module(engine, code)
    with contextlib.suppress(OSError):  # where nothing can be kept it takes that second each time
        seal(path, bytes(module.serialize()))
    return engine, module


class Memory:
    """The memory of an instance, from which tables are taken one behind the other; each of them keeps it alive."""

    def __init__(self) -> None:
        engine, module = _compiled()
        self._store: Any = wasmtime.Store(engine)
        self._exports: Any = wasmtime.Instance(self._store, module, []).exports(self._store)
        self._memory: wasmtime.Memory = self._exports["memory"]
        self._start = ctypes.addressof(self._memory.data_ptr(self._store).contents)
        self.end = _aligned(self._exports["__heap_base"].value(self._store))
        self.words = self.end

    def table(self, shape: tuple[int, ...], kind: Any) -> T:
        """Take a table, all zeros."""
        at, self.end = self.end, _aligned(self.end + math.prod(shape) * _WORD)
        self._reach(self.end)
        return self._seen(at, shape, kind)

    def call(self, name: str, *numbers: float) -> Any:
        """Call a function of the core on the tables that are listed; raises RuntimeError for one that traps."""
        function = self._exports[name]
        if _c is None:
            return function(self._store, self.words, *numbers)
        slots: Any = (_c.wasmtime_val_raw * (1 + len(numbers)))()
        trap = cast(Any, ctypes.POINTER(_c.wasm_trap_t)())
        for slot, number in zip(slots, (self.words, *numbers), strict=True):
            setattr(slot, "f64" if isinstance(number, float) else "i32", number)
        where, of = self._store._context(), ctypes.byref(function._func)
        if _c.wasmtime_func_call_unchecked(where, of, slots, len(slots), ctypes.byref(trap)) or trap:
            raise RuntimeError(f"{name} of core.wasm was stopped: it reached beyond its memory")
        return slots[0].f64 if name == "deepest" else slots[0].i32

    def list_up(self, tables: Iterable[T], behind: int = 0) -> None:
        """Write where tables lie and their shapes, behind so many words."""
        words = [word for each in tables for word in (each.ctypes.data - self._start, *each.shape)]
        self._seen(self.words + behind * _WORD, (len(words),), np.int64)[:] = words

    def lent(self, *shapes: tuple[int, ...]) -> list[T]:
        """Lend tables beyond all others, with whatever is in them, until the next are lent."""
        lent: list[T] = []
        at = self.end
        for shape in shapes:
            end = _aligned(at + math.prod(shape) * _WORD)
            self._reach(end)
            lent.append(self._seen(at, shape, np.float64))
            at = end
        return lent

    def _seen(self, at: int, shape: tuple[int, ...], kind: Any) -> T:
        raw: Any = (ctypes.c_char * (math.prod(shape) * _WORD)).from_address(self._start + at)
        raw.memory = self
        return np.ndarray(shape, kind, raw)

    def _reach(self, end: int) -> None:
        """Grow up to there; raises UsageError beyond what 32 bits can address."""
        pages = -(-end // _PAGE) - self._memory.size(self._store)
        if end > _MOST:
            raise UsageError(
                "so many cubes at once need more than the 4 GiB that WebAssembly can address; allowed are about 1,000; "
                f"try fewer, or: {pip_install('numba')}"
            )
        if pages > 0:
            self._memory.grow(self._store, pages)


def _make(fixed: int, cubes: int, hulls: int) -> Tables:
    memory = Memory()
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


def _aligned(at: int) -> int:
    return -(-at // _ALIGNED) * _ALIGNED


_OF_A_WORLD = sum(1 + each.ndim for each in arrays.make(0, 0))
_WORDS = _OF_A_WORLD + 3 + 4  # those of the upright boxes and of the film of `take_windows`
