"""Call compiled functions with wasmtime, on tables that numpy sees in the memory of a WebAssembly instance.

A memory is freed after its last table. It keeps its address when it grows.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import importlib
import math
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import wasmtime

from tower_sim.compiled.file import WORD, WORDS, CompiledFile, Memory, Table, is_table, keep, kept, split, words_of
from tower_sim.errors import UsageError

_c: Any = None
with contextlib.suppress(ImportError):  # a call by the C interface takes 2 us, by the documented one 60 to 130
    _c = importlib.import_module("wasmtime._ffi")
_PAGE = 1 << 16
_MOST = 1 << 32  # bytes of a memory
_ALIGNED = 16


@cache
def _compile(path: Path) -> tuple[wasmtime.Engine, wasmtime.Module]:
    """Return a file compiled for this processor, which takes a second; it is kept in the user's cache."""
    config = wasmtime.Config()
    config.parallel_compilation = False  # a process that is forked would wait for the threads of its parent
    engine, code = wasmtime.Engine(config), path.read_bytes()
    name = f"{path.stem}_{hashlib.sha256(code).hexdigest()[:16]}.cwasm"
    if (compiled := kept(name)) is not None:
        with contextlib.suppress(wasmtime.WasmtimeError):  # of another wasmtime or processor
            return engine, wasmtime.Module.deserialize(engine, compiled)
    module = wasmtime.Module(engine, code)
    keep(name, bytes(module.serialize()))
    return engine, module


class WasmMemory(Memory):
    """The memory of one instance of a file; each table in it keeps it alive."""

    def __init__(self, file: CompiledFile) -> None:
        assert file.path is not None
        engine, module = _compile(file.path)
        self._file = file
        self._store: Any = wasmtime.Store(engine)
        self._exports: Any = wasmtime.Instance(self._store, module, []).exports(self._store)
        self._memory: wasmtime.Memory = self._exports["memory"]
        self._start = ctypes.addressof(self._memory.data_ptr(self._store).contents)
        self._words = _align(self._exports["__heap_base"].value(self._store))
        self._bound = 0
        self._end = self._words + WORDS * WORD

    def table(self, shape: tuple[int, ...], kind: Any) -> Table:
        """Allocate a table of zeros."""
        at, self._end = self._end, _align(self._end + math.prod(shape) * np.dtype(kind).itemsize)
        self._reach(self._end)
        return self._seen(at, shape, kind)

    def bind(self, tables: tuple[Table, ...]) -> None:
        """Let every call begin with these tables of this memory."""
        self._bound = self._list([*words_of(tables, self._start)], 0)

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function; tables beside those bound are copied in, and out again. Raises RuntimeError if it traps."""
        tables, numbers = split(arguments)
        lent = tables.copy()
        at = self._end
        for i, here in enumerate(tables):
            if is_table(here):
                end = _align(at + here.nbytes)
                self._reach(end)
                lent[i] = self._seen(at, here.shape, here.dtype)
                cast("Table", lent[i])[...] = here
                at = end
        self._list([*words_of(lent, self._start)], self._bound)
        result = self._run(name, numbers)
        for here, there in zip(tables, lent, strict=True):
            if is_table(here) and here.flags.writeable:
                here[...] = there
        return result

    def _run(self, name: str, numbers: list[float]) -> Any:
        function = self._exports[name]
        if _c is None:
            return function(self._store, self._words, *numbers)
        slots: Any = (_c.wasmtime_val_raw * (1 + len(numbers)))()
        trap = cast(Any, ctypes.POINTER(_c.wasm_trap_t)())
        for slot, number in zip(slots, (self._words, *numbers), strict=True):
            setattr(slot, "f64" if isinstance(number, float) else "i32", number)
        where, of = self._store._context(), ctypes.byref(function._func)
        if _c.wasmtime_func_call_unchecked(where, of, slots, len(slots), ctypes.byref(trap)) or trap:
            raise RuntimeError(f"{name} of {self._file.name}.wasm was stopped: it reached beyond its memory")
        return slots[0].f64 if self._file.exports[name].gives is float else slots[0].i32

    def _list(self, words: list[int], behind: int) -> int:
        """Write words of the list of arguments; return where the next ones go."""
        self._seen(self._words + behind * WORD, (len(words),), np.int64)[:] = words
        return behind + len(words)

    def _seen(self, at: int, shape: tuple[int, ...], kind: Any) -> Table:
        raw: Any = (ctypes.c_char * (math.prod(shape) * np.dtype(kind).itemsize)).from_address(self._start + at)
        raw.memory = self
        return np.ndarray(shape, kind, raw)

    def _reach(self, end: int) -> None:
        pages = -(-end // _PAGE) - self._memory.size(self._store)
        if end > _MOST:
            raise UsageError(
                "so many cubes at once need more than the 4 GiB that WebAssembly can address; allowed are about 1,000; "
                "try fewer, or a system that docs/platforms.md lists with a native library"
            )
        if pages > 0:
            self._memory.grow(self._store, pages)


def _align(at: int) -> int:
    return -(-at // _ALIGNED) * _ALIGNED
