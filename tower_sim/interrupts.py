"""SIGTERM taken for Ctrl-C, so that a batch system's stop is a clean one."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def terminable() -> Generator[None, None, None]:
    """Raise KeyboardInterrupt in the block when SIGTERM comes; out of the main thread, change nothing."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, interrupt)
    except ValueError:  # not the main thread: leave it
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
