"""Call compiled functions with wasmtime, on tables that numpy sees in the memory of a WebAssembly instance.

A memory is freed after its last table. It keeps its address when it grows.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import importlib
import math
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import wasmtime

from tower_sim.errors import UsageError
from tower_sim.tools.extras import pip_install
from tower_sim.tools.jit import seal, unsealed, user_cache

Table = npt.NDArray[Any]

_c: Any = None
with contextlib.suppress(ImportError):  # a call by the C interface takes 2 us, by the documented one 60 to 130
    _c = importlib.import_module("wasmtime._ffi")
_PAGE = 1 << 16
_MOST = 1 << 32  # bytes of a memory
_ALIGNED = 16
_WORD = 8


@cache
def _compile(path: Path) -> tuple[wasmtime.Engine, wasmtime.Module]:
    """Return a file compiled for this processor, which takes a second; it is kept in the user's cache."""
    config = wasmtime.Config()
    config.parallel_compilation = False  # a process that is forked would wait for the threads of its parent
    engine, code = wasmtime.Engine(config), path.read_bytes()
    cached = user_cache() / f"{path.stem}_{hashlib.sha256(code).hexdigest()[:16]}.cwasm"
    with contextlib.suppress(OSError, wasmtime.WasmtimeError):  # not there, or of another wasmtime or processor
        if (kept := unsealed(cached.read_bytes())) is not None:
            return engine, wasmtime.Module.deserialize(engine, kept)
    module = wasmtime.Module(engine, code)
    with contextlib.suppress(OSError):  # without a cache, each process compiles again
        seal(cached, bytes(module.serialize()))
    return engine, module


class Memory:
    """The memory of one instance of a file; each table in it keeps it alive."""

    def __init__(self, path: Path) -> None:
        engine, module = _compile(path)
        self._name = path.name
        self._store: Any = wasmtime.Store(engine)
        self._exports: Any = wasmtime.Instance(self._store, module, []).exports(self._store)
        self._memory: wasmtime.Memory = self._exports["memory"]
        self._start = ctypes.addressof(self._memory.data_ptr(self._store).contents)
        self.end = _align(self._exports["__heap_base"].value(self._store))
        self.words = self.end

    def table(self, shape: tuple[int, ...], kind: Any) -> Table:
        """Allocate a table of zeros."""
        at, self.end = self.end, _align(self.end + math.prod(shape) * np.dtype(kind).itemsize)
        self._reach(self.end)
        return self._seen(at, shape, kind)

    def call(self, name: str, *numbers: float) -> Any:
        """Call a function with the listed tables and `numbers`; raise RuntimeError if it traps."""
        function = self._exports[name]
        if _c is None:
            return function(self._store, self.words, *numbers)
        slots: Any = (_c.wasmtime_val_raw * (1 + len(numbers)))()
        trap = cast(Any, ctypes.POINTER(_c.wasm_trap_t)())
        for slot, number in zip(slots, (self.words, *numbers), strict=True):
            setattr(slot, "f64" if isinstance(number, float) else "i32", number)
        where, of = self._store._context(), ctypes.byref(function._func)
        if _c.wasmtime_func_call_unchecked(where, of, slots, len(slots), ctypes.byref(trap)) or trap:
            raise RuntimeError(f"{name} of {self._name} was stopped: it reached beyond its memory")
        return slots[0].f64 if name.startswith("de") else slots[0].i32  # depths are floats

    def list_up(self, listed: Iterable[Table | int], behind: int = 0) -> None:
        """Write the list of tables for `call`, starting `behind` words after its beginning.

        A table is written as its address and its shape, a whole number as it is.
        """
        words: list[int] = []
        for each in listed:
            words += [each] if isinstance(each, int) else [each.ctypes.data - self._start, *each.shape]
        self._seen(self.words + behind * _WORD, (len(words),), np.int64)[:] = words

    def lent(self, *shapes: tuple[int, ...]) -> list[Table]:
        """Return tables of floats with undefined content, valid until the next call of `lent`."""
        lent: list[Table] = []
        at = self.end
        for shape in shapes:
            end = _align(at + math.prod(shape) * _WORD)
            self._reach(end)
            lent.append(self._seen(at, shape, np.float64))
            at = end
        return lent

    def _seen(self, at: int, shape: tuple[int, ...], kind: Any) -> Table:
        raw: Any = (ctypes.c_char * (math.prod(shape) * np.dtype(kind).itemsize)).from_address(self._start + at)
        raw.memory = self
        return np.ndarray(shape, kind, raw)

    def _reach(self, end: int) -> None:
        pages = -(-end // _PAGE) - self._memory.size(self._store)
        if end > _MOST:
            raise UsageError(
                "so many cubes at once need more than the 4 GiB that WebAssembly can address; allowed are about 1,000; "
                f"try fewer, or: {pip_install('numba')}"
            )
        if pages > 0:
            self._memory.grow(self._store, pages)


def _align(at: int) -> int:
    return -(-at // _ALIGNED) * _ALIGNED
