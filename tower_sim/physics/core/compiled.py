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

from tower_sim.apparatus import where
from tower_sim.physics.core.arrays import Tables
from tower_sim.tools import portable
from tower_sim.tools.jit import OPTIONS, T, from_zero, kept, lies_on_disk, way

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Machine:
    """What runs the core: `make` is `arrays.make` without its last argument, the rest are the functions of run.py."""

    make: Callable[[int, int, int, int, int], Tables]
    write_row: Callable[..., None]
    write_hulls: Callable[[Tables, T, int], None]
    lay_grid: Callable[[Tables], None]
    let_go: Callable[[Tables, T], int]
    put_down: Callable[[Tables, T, int], int]
    begin: Callable[[Tables, T], None]
    start: Callable[[Tables], None]
    go_on: Callable[[Tables, T, int, float, int], int]
    come_and_go: Callable[[Tables], None]
    judge: Callable[[Tables], int]
    set_gravity: Callable[[Tables], None]
    lie_still: Callable[[Tables], None]
    list_touches: Callable[[Tables, T], int]
    find_places: Callable[[Tables, T, T, T, T], None]
    find_far_touch: Callable[[Tables, T], int]
    depth_of: Callable[[Tables, int], float]
    deepest_overlap: Callable[[Tables], float]
    deepest: Callable[[Tables], float]
    wake_row: Callable[[Tables, int], None]
    take_out: Callable[[Tables, int], None]


def sources() -> list[Path]:
    """Return the files of what is compiled: all of this folder but what calls it, and two that it shares."""
    calls_it = ("__init__.py", "by_wasm.py", "compiled.py", "engine.py", "exported.py", "machine.py", "tables.py")
    here = [path for path in Path(__file__).parent.glob("*.py") if path.name not in calls_it]
    return [*sorted(here), Path(where.__file__), Path(portable.__file__)]


@cache
def digest() -> str:
    """Return a short digest of what is compiled: the engine's version."""
    return hashlib.sha256(b"".join(file.read_bytes() for file in sources())).hexdigest()[:12]


def entry(function: F) -> F:
    """Compile a function that Python calls, and keep it on disk.

    A file goes on to be read when another one of the folder changes, so the name that it is kept under has the digest
    of all of them. The lock that Python's threads share is given back while the function runs.
    """
    if way() != "numba":
        return function
    function.__qualname__ = f"{function.__name__}_{digest()}"
    dispatcher: Any = kept(function, **OPTIONS)
    compiling = dispatcher.compile

    def compile_from_zero(signature: Any) -> Any:
        with from_zero():
            return compiling(signature)

    dispatcher.compile = compile_from_zero
    return dispatcher


def is_ready(function: Any) -> bool:
    """Tell whether what numba compiles of an entry is there: it was compiled before, now or on disk."""
    return bool(function.signatures) or lies_on_disk(function)
