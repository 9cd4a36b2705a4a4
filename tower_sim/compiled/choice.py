"""How compiled functions run in this process."""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from tower_sim.compiled import by_native
from tower_sim.compiled.file import CompiledFile, Memory
from tower_sim.compiled.marks import BUILD, TRIAL, VARIABLE
from tower_sim.errors import UsageError
from tower_sim.tools import pip_install, warn

WAYS = ("native", "wasm", "python")
"""A shared library for this system, WebAssembly by wasmtime, or plain Python."""


@cache
def way() -> str:
    """Return how functions run, one of WAYS: as TOWER_SIM_CORE says, else the fastest that runs here.

    Raises UsageError if TOWER_SIM_CORE names another, or one that does not run here. A line on standard error says if
    a native library for this system is passed over, or if plain Python runs.
    """
    asked, allowed = os.environ.get(VARIABLE), ", ".join(WAYS)
    if asked in (BUILD, TRIAL):
        return "python" if asked == BUILD else "native"
    if asked and asked not in WAYS:
        raise UsageError(f"{VARIABLE} is {asked!r}; allowed are {allowed}; try leaving it out")
    has_wasm = find_spec("wasmtime") is not None
    if asked == "wasm" and not has_wasm:
        raise UsageError(f"{VARIABLE} is 'wasm', but wasmtime is not installed; try: {pip_install('wasmtime')}")
    if asked in (None, "", "native"):
        if not (doubt := by_native.doubt()):
            return "native"
        if asked:
            raise UsageError(f"{VARIABLE} is 'native', but {doubt}; allowed are {allowed}; try leaving it out")
        if by_native.library() is not None:
            warn(f"{doubt}: {'core.wasm' if has_wasm else 'plain Python'} runs instead, slower, with the same results")
        asked = "wasm" if has_wasm else "python"
    if asked == "python":
        warn(f"physics runs as plain Python, some hundred times slower; try: {pip_install('wasmtime')}")
    return asked


@cache
def chosen() -> type[Memory] | None:
    """Return where the tables of compiled functions lie in this process; None where plain Python runs them."""
    if way() == "native":
        return by_native.NativeMemory
    if way() == "wasm":
        from tower_sim.compiled.by_wasm import WasmMemory  # here, because it imports wasmtime

        return WasmMemory
    return None


def call(file: CompiledFile, name: str, *arguments: Any) -> Any:
    """Call a function with tables from anywhere; plain Python runs it where nothing compiled does."""
    memory = chosen()
    if memory is None or (file.path is None and memory is not by_native.NativeMemory):
        with np.errstate(over="ignore"):  # words of 32 bits overflow on purpose
            return file.exports[name].function(*arguments)
    return memory(file).call(name, *arguments)
