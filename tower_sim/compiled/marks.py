"""Marks of the functions that build.py compiles in advance; at run time they are plain Python."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any, TypeVar

import numpy.typing as npt

F = TypeVar("F", bound=Callable[..., Any])
T = npt.NDArray[Any]
"""A table that compiled functions work on."""
R = Any
"""A record, whose fields are numbers and arrays of them; or a table of records."""
VARIABLE, BUILD, TRIAL = "TOWER_SIM_CORE", "build", "trial"
OPTIONS = {"error_model": "numpy", "nogil": True, "_nrt": False}
"""numba's options: functions make no arrays. `_nrt` is off: counting references would take most of the time."""


def inner(function: F) -> F:
    """Mark a function that only compiled ones call: it is compiled into each of them."""
    return compiled(function, forceinline=True)


def aside(function: F) -> F:
    """Mark a function that compiled ones call seldom: it stays one of its own, so that they stay small."""
    return compiled(function)


def compiled(function: F, **options: Any) -> F:
    """Return what numba makes of `function` while build.py runs; else `function`."""
    if os.environ.get(VARIABLE) != BUILD:
        return function
    return importlib.import_module("numba").njit(**OPTIONS, **options)(function)
