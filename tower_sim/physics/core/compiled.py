"""What compiles this folder: numba where it is installed; without it the same functions run as plain Python.

Results are the same bytes either way: nothing here may reorder or fuse arithmetic, so no fast-math, no threads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from tower_sim.jit import compiled, is_compiled, kept, lies_on_disk

F = TypeVar("F", bound=Callable[..., Any])


def sources() -> list[Path]:
    """Return the files of what is compiled: all of this folder but what calls it."""
    calls_it = ("__init__.py", "compiled.py", "engine.py")
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
    return compiled(function, forceinline=True, **OPTIONS)


def aside(function: F) -> F:
    """Compile a function that compiled ones call seldom: it stays one of its own, so that they stay small."""
    return compiled(function, **OPTIONS)


def entry(function: F) -> F:
    """Compile a function that Python calls, and keep it on disk.

    A file goes on to be read when another one of the folder changes, so the name that it is kept under has the digest
    of all of them. The lock that Python's threads share is given back while the function runs.
    """
    if is_compiled():
        function.__qualname__ = f"{function.__name__}_{digest()}"
    return kept(function, **OPTIONS)


def is_ready(function: Any) -> bool:
    """Tell whether an entry can run at once: it is plain Python, or was compiled before, now or on disk."""
    if not is_compiled():
        return True
    return bool(function.signatures) or lies_on_disk(function)


OPTIONS = {"error_model": "numpy", "nogil": True, "_nrt": False}
