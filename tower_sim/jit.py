"""numba, where it is installed: functions that it compiles and keeps on disk, in the user's cache."""

from __future__ import annotations

import contextlib
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


def compiled(function: F, **options: Any) -> F:
    """Return a function that numba compiles when a compiled one first calls it, or itself without numba."""
    return importlib.import_module("numba").njit(**options)(function) if is_compiled() else function


def kept(function: F, **options: Any) -> F:
    """Return a function that numba compiles when it is first called and keeps on disk, or itself without numba."""
    if not is_compiled():
        return function
    try:
        with _kept_apart():
            return compiled(function, cache=True, **options)
    except RuntimeError:  # there is no folder that numba could keep compiled functions in
        return compiled(function, **options)


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
