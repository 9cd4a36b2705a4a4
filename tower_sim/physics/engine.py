"""The one place that imports PyBullet, without the line its C code prints on standard error when it is loaded.

The engine keeps some of its state once for the whole process (the contact-breaking threshold is one), not once for each
client: calls of two threads that mix change each other's results. Whoever drops holds `LOCK` from building the world to
the last look at it.
"""

from __future__ import annotations

import contextlib
import os
import threading
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
LOCK = threading.RLock()
if hasattr(os, "register_at_fork"):  # a process forked while another thread drops would have it held for ever
    os.register_at_fork(before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release)
