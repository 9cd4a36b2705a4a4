"""What compiles this folder: numba where it is installed; without it, core.wasm is what was compiled before.

Results are the same bytes either way, and as plain Python: nothing here may reorder or fuse arithmetic, so no
fast-math, no threads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from tower_sim.jit import OPTIONS, compiled, kept, lies_on_disk, way
from tower_sim.physics.core.arrays import T, Tables

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Machine:
    """It makes a world's tables, with room for so many fixed rows, cubes and numbers of hulls; the rest is run.py's."""

    make: Callable[[int, int, int], Tables]
    take_windows: Callable[[Tables, int, T, T, float, int], int]
    lie_still: Callable[[Tables], None]
    wake_row: Callable[[Tables, int], None]
    take_out: Callable[[Tables, int], None]
    face_row: Callable[[Tables, int], None]
    deepest: Callable[[Tables], float]


def sources() -> list[Path]:
    """Return the files of what is compiled: all of this folder but what calls it."""
    calls_it = ("__init__.py", "by_wasm.py", "compiled.py", "engine.py", "exported.py", "machine.py")
    return sorted(path for path in Path(__file__).parent.glob("*.py") if path.name not in calls_it)


@cache
def digest() -> str:
    """Return a short digest of what is compiled: the engine's version."""
    return hashlib.sha256(b"".join(file.read_bytes() for file in sources())).hexdigest()[:12]


def inner(function: F) -> F:
    """Compile a function that only compiled ones call; it is kept on disk as a part of those.

    It is compiled into its callers, and without the counting of references to tables, which nothing here makes or
    keeps: that would take most of the time.
    """
    return compiled(function, forceinline=True, **OPTIONS) if way() == "numba" else function


def aside(function: F) -> F:
    """Compile a function that compiled ones call seldom: it stays one of its own, so that they stay small."""
    return compiled(function, **OPTIONS) if way() == "numba" else function


def entry(function: F) -> F:
    """Compile a function that Python calls, and keep it on disk.

    A file goes on to be read when another one of the folder changes, so the name that it is kept under has the digest
    of all of them. The lock that Python's threads share is given back while the function runs.
    """
    if way() != "numba":
        return function
    function.__qualname__ = f"{function.__name__}_{digest()}"
    return kept(function, **OPTIONS)


def is_ready(function: Any) -> bool:
    """Tell whether what numba compiles of an entry is there: it was compiled before, now or on disk."""
    return bool(function.signatures) or lies_on_disk(function)
