"""Report the progress of long work on standard error: as a bar on a terminal, elsewhere as a line now and then."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

QUIET = 2.0  # seconds before the first report
WIDEST_GAP = 30.0  # seconds between two lines off a terminal


def nothing() -> None:
    """Report nothing."""


class Telling:
    """A progress report on how many of `total` things, `what` in the plural, are done; `clock` returns seconds."""

    def __init__(self, what: str, total: int | None, stream: TextIO, clock: Callable[[], float]) -> None:
        self._what, self._total, self._stream, self._clock = what, total, stream, clock
        self._begun = clock()
        self._gap = QUIET
        self._next = self._begun + QUIET
        self._done = 0
        self._from = self._begun, 0  # the time and the number done from which the pace counts
        self._once = 1  # things that also take what happens once, such as compiling
        self._first = 0  # what was done already when the work began
        self._last = -1  # number that a line has reported
        self._bar: Any = None
        self._on_terminal = stream.isatty()

    def __call__(self, done: int) -> None:
        """Report that `done` are done."""
        now = self._clock()
        if self._done - self._first < self._once <= done - self._first:
            self._from = now, done
        self._done = done
        if now < self._next:
            return
        if self._on_terminal and self._draw(now):
            self._next = now + 0.1
            return
        self._line(now)
        self._gap = min(2 * self._gap, WIDEST_GAP)
        self._next = now + self._gap

    def step(self) -> None:
        """Add 1 to the number done, and report it."""
        self(self._done + 1)

    def begin(self, total: int, done: int = 0, once: int = 1) -> None:
        """Set the total, if it becomes known late, and the number that an earlier run has done.

        The first `once` things also take what happens once, such as compiling, which the time left leaves out.
        """
        self._total, self._done, self._first, self._once = total, done, done, once

    def note(self, text: str) -> None:
        """Print a line of text at once."""
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            self._print(text)

    def end(self) -> None:
        """Print the last line, if any line was printed, and remove the bar."""
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self._done)
            self._bar.stop()
        elif self._last not in (-1, self._done):
            self._line(self._clock())

    def _line(self, now: float) -> None:
        self._last = self._done
        total = "" if self._total is None else f" of {self._total}"
        self._print(f"... {self._done}{total} {self._what}, {now - self._begun:.0f} s{self._estimate_left(now)}")

    def _print(self, line: str) -> None:
        with suppress(OSError):  # a full standard error ends no work
            print(line, file=self._stream, flush=True)

    def _find_pace(self, now: float) -> float:
        """Return the seconds that one thing takes, without what happens once; 0 while that is unknown."""
        since, before = self._from
        done = self._done - before
        return (now - since) / done if done > 0 and self._done - self._first > self._once else 0.0

    def _estimate_left(self, now: float) -> str:
        pace = self._find_pace(now)
        if self._total is None or not pace or self._done >= self._total:
            return ""
        seconds = pace * (self._total - self._done)
        return f", about {seconds:.0f} s left" if seconds < 120 else f", about {seconds / 60:.0f} min left"

    def _draw(self, now: float) -> bool:
        if self._bar is None:
            if importlib.util.find_spec("rich") is None:
                return False
            self._bar = _bar(self._what, self._total, self._first, self._stream)
        pace = self._find_pace(now)
        rate = f"{60 / pace:.3g} a minute{self._estimate_left(now)}" if pace else ""
        self._bar.update(self._bar.task_ids[0], completed=self._done, total=self._total, rate=rate)
        return True


@contextmanager
def report_progress(
    what: str,
    total: int | None = None,
    *,
    stream: TextIO | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Generator[Telling]:
    """Report in the block how many of `total` things are done, but nothing for the first 2 seconds.

    Call the yielded object with the number done.
    """
    tell = Telling(what, total, sys.stderr if stream is None else stream, clock)
    try:
        yield tell
    finally:
        tell.end()


def _bar(what: str, total: int | None, done: int, stream: TextIO) -> Any:
    progress: Any = importlib.import_module("rich.progress")
    console: Any = importlib.import_module("rich.console")
    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TextColumn("{task.fields[rate]}"),
    )
    bar = progress.Progress(*columns, console=console.Console(file=stream))
    bar.add_task(what, total=total, completed=done, rate="")
    bar.start()
    return bar
