"""Treat SIGTERM, and Ctrl-Break on Windows, like Ctrl-C, so that a batch system can stop the program cleanly."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType

_STOPS: tuple[signal.Signals, ...] = tuple(each for each in signal.Signals if each.name in ("SIGTERM", "SIGBREAK"))
"""The signals that ask a process to stop; SIGBREAK exists only on Windows."""


@contextmanager
def terminable() -> Generator[None, None, None]:
    """Raise KeyboardInterrupt in the block when SIGTERM or SIGBREAK arrives; outside the main thread, do nothing."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    if current_thread() is not main_thread():
        yield
        return
    before = {stop: signal.signal(stop, interrupt) for stop in _STOPS}
    try:
        yield
    finally:
        for stop, handler in before.items():
            signal.signal(stop, handler)
