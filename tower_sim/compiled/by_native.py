"""A trial of compiled functions on a machine: cubes fall, games are played; are all digits right?"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import importlib
import os
import platform
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np

from tower_sim.compiled import file as files
from tower_sim.compiled.file import WORDS, CompiledFile, Memory, Table, is_table, split, words_of
from tower_sim.compiled.marks import TRIAL, VARIABLE

RIGHT = "dab3597364b892c96301c5ce7c95bc55af9c2bf7525ba62f6242b6e2354dcbd4"
"""The digest of all results, as WebAssembly and plain Python compute them."""
_PARTS = ("tower_sim.physics.core.engine", "tower_sim.surrogate.many")
"""Each has a function `trial` that returns tables."""


def digest() -> str:
    """Return the digest of the trial's results, as functions run in this process."""
    results = hashlib.sha256()
    for part in _PARTS:
        for table in importlib.import_module(part).trial():
            results.update(table.tobytes())
    return results.hexdigest()


def main() -> None:
    """Print whether all digits are right, as the native library computes them."""
    os.environ[VARIABLE] = TRIAL
    print("right" if digest() == RIGHT else "wrong")


_HERE = Path(__file__).parent
LIBRARIES = {
    ("linux", "x86_64"): "linux-x86_64.so",
    ("linux", "aarch64"): "linux-aarch64.so",
    ("darwin", "arm64"): "macos-arm64.dylib",
    ("darwin", "x86_64"): "macos-x86_64.dylib",
    ("win32", "AMD64"): "windows-x86_64.dll",
}
"""The file for a system and a processor."""
TRIAL_CODE = "from tower_sim.compiled.by_native import main; main()"
_PATIENCE = 60  # s
_TYPES: dict[Any, Any] = {int: ctypes.c_int32, float: ctypes.c_double, None: None}


def library() -> Path | None:
    """Return the file for this system, or None."""
    name = LIBRARIES.get((sys.platform, platform.machine()))
    path = _HERE / "native" / name if name else None
    return path if path is not None and path.is_file() else None


@cache
def doubt() -> str:
    """Return why the library must not run on this machine; empty where it passed its trial, now or before."""
    path = library()
    if path is None:
        return "there is no native library for this system"
    about = "\0".join([platform.node(), platform.machine(), platform.processor()])
    name = "trial_" + hashlib.sha256(about.encode() + path.read_bytes()).hexdigest()[:16]
    if (known := files.kept(name)) is not None:
        return known.decode()
    verdict, is_final = _try(path)
    if is_final:
        files.keep(name, verdict.encode())
    return verdict


def _try(path: Path) -> tuple[str, bool]:
    """Let another process try a library, which may crash it; return the doubt that is left, and whether it stays."""
    if getattr(sys, "frozen", False) or not Path(sys.executable or "").name.lower().startswith("py"):
        return f"{path.name} cannot be tried without a Python to run it in", False
    code = f"import sys; sys.path[:] = {sys.path!r}; {TRIAL_CODE}"
    try:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=_PATIENCE)
    except (OSError, subprocess.SubprocessError) as error:
        return f"{path.name} cannot be tried ({type(error).__name__})", False
    if done.returncode == 0:
        verdict = done.stdout.strip()
        return ("" if verdict == "right" else f"{path.name} computes other digits on this machine"), True
    last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    return f"{path.name} does not run on this machine ({last})", done.returncode < 0


@cache
def _functions(file: CompiledFile) -> dict[str, Any]:
    path = library()
    assert path is not None
    opened = ctypes.CDLL(str(path))  # it gives Python's lock back while it runs
    functions: dict[str, Any] = {}
    for name, each in file.exports.items():
        with contextlib.suppress(AttributeError):  # those of numbers alone are for other languages
            function = getattr(opened, name)
            function.argtypes = [ctypes.c_void_p, *(_TYPES[type(number)] for number in split(each.takes)[1])]
            function.restype = _TYPES[each.gives]
            functions[name] = function
    return functions


class NativeMemory(Memory):
    """A block of arguments, and the tables that are bound to it."""

    def __init__(self, file: CompiledFile) -> None:
        self._functions = _functions(file)
        self._block = np.zeros(WORDS, np.int64)
        self._address = self._block.ctypes.data
        self._bound = 0

    def table(self, shape: tuple[int, ...], kind: Any) -> Table:
        """Allocate a table of zeros."""
        raw: Any = (ctypes.c_char * (int(np.prod(shape)) * np.dtype(kind).itemsize))()
        raw.memory = self
        return np.ndarray(shape, kind, raw)

    def bind(self, tables: tuple[Table, ...]) -> None:
        """Let every call begin with these tables of this memory."""
        words = [*words_of(tables)]
        self._bound = len(words)
        self._block[: self._bound] = words

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function with the bound tables, and with tables, tuples of them, and numbers from anywhere."""
        tables, numbers = split(arguments)
        if tables:
            packed = [np.ascontiguousarray(x) if is_table(x) else x for x in tables]
            words = [*words_of(packed)]
            self._block[self._bound : self._bound + len(words)] = words
            result = self._functions[name](self._address, *numbers)
            for here, there in zip(tables, packed, strict=True):
                if here is not there:
                    cast("Table", here)[...] = there
            return result
        return self._functions[name](self._address, *numbers)
