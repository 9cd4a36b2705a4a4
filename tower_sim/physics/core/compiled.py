"""What compiles this folder: numba where it is installed; without it the same functions run as plain Python.

Results are the same bytes either way: nothing here may reorder or fuse arithmetic, so no fast-math, no threads.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Generator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


@cache
def is_compiled() -> bool:
    """Tell whether numba is installed, and not told to leave functions as they are."""
    return importlib.util.find_spec("numba") is not None and not importlib.import_module("numba").config.DISABLE_JIT


@cache
def digest() -> str:
    """Return a short digest of all files of this folder: the engine's version."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def inner(function: F) -> F:
    """Compile a function that only compiled ones call; it is kept on disk as a part of those.

    It is compiled into its callers, and without the counting of references to tables, which nothing here makes or
    keeps: that would take most of the time.
    """
    if not is_compiled():
        return function
    return _njit()(function, forceinline=True, **_OPTIONS)


def aside(function: F) -> F:
    """Compile a function that compiled ones call seldom: it stays one of its own, so that they stay small."""
    if not is_compiled():
        return function
    return _njit()(function, **_OPTIONS)


def entry(function: F) -> F:
    """Compile a function that Python calls, and keep it on disk.

    numba would go on with what it kept when another file of the folder changes, so the name that it keeps it under has
    the digest of all of them. The lock that Python's threads share is given back while the function runs.
    """
    if not is_compiled():
        return function
    function.__qualname__ = f"{function.__name__}_{digest()}"
    try:
        with _kept_apart():
            return _njit()(function, cache=True, **_OPTIONS)
    except RuntimeError:  # there is no folder that numba could keep compiled functions in
        return _njit()(function, **_OPTIONS)


@contextlib.contextmanager
def _kept_apart() -> Generator[None]:
    """Have numba keep what it compiles in the user's cache, unless told where: pip leaves what lies in its folders.

    A folder that is left of an uninstalled package stands before one that is installed to be edited.
    """
    config = importlib.import_module("numba").config
    told = config.CACHE_DIR
    homes = {"darwin": "~/Library/Caches", "win32": os.environ.get("LOCALAPPDATA", "~")}
    home = homes.get(sys.platform, os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    config.CACHE_DIR = told or str(Path(home).expanduser() / "tower_sim")
    try:
        yield
    finally:
        config.CACHE_DIR = told


def is_ready(function: Any) -> bool:
    """Tell whether an entry can run at once: it is plain Python, or was compiled before, now or on disk."""
    if not is_compiled():
        return True
    return bool(function.signatures) or bool(_kept(function))


def _kept(function: Any) -> bool:
    """Tell whether numba has kept an entry on disk: each has an index file there."""
    folder = getattr(function.stats, "cache_path", None)
    name = f"*.{function.py_func.__qualname__}-*.nbi"
    return folder is not None and any(Path(folder).glob(name))


def _njit() -> Any:
    return importlib.import_module("numba").njit


_OPTIONS = {"error_model": "numpy", "nogil": True, "_nrt": False}
