"""The one place that imports PyBullet, without the line its C code prints on standard error when it is loaded."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator
from typing import Any


@contextlib.contextmanager
def _stderr_away() -> Generator[None]:
    """Turn the process's standard error away; the line passes by Python's own streams."""
    try:
        kept = os.dup(2)
    except OSError:  # standard error is closed: nothing to keep clean
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


with _stderr_away():
    import pybullet

bullet: Any = pybullet
