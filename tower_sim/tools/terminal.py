"""Print text for people: output folded between words, and errors and hints in one line."""

from __future__ import annotations

import importlib
import importlib.util
import re
import shutil
import signal
import sys
import textwrap
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread
from types import FrameType
from typing import Any, TextIO

from tower_sim.errors import printable

_LEAST = 20  # columns; a terminal that says it is narrower is not believed
_INDENT = 4  # columns
_PROSE = 100  # columns of words that can be read well
_HEAD, _TAIL = 700, 300  # characters kept of a long line: what was received may be long, advice is at the end


def say(text: str, *, flush: bool = False) -> None:
    """Print `text` with control characters escaped, and fold long lines on a terminal, not elsewhere."""
    text = printable(text)
    if sys.stdout.isatty():
        text = fold(text, shutil.get_terminal_size().columns)
    print(text, flush=flush)


def warn(text: str) -> None:
    """Print `text` as one line on standard error, with control characters escaped, if that is possible."""
    line = printable(one_line(text, _HEAD, _TAIL))
    with suppress(OSError, ValueError, AttributeError):  # there is nowhere left to report it
        print(f"tower-sim: {line}", file=sys.stderr, flush=True)


def count_noun(number: int, what: str) -> str:
    """Return a number with its noun, such as "1 cube" or "2 cubes"."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def one_line(text: str, head: int, tail: int) -> str:
    """Return `text` on one line, if long only its first `head` and last `tail` characters."""
    line = " ".join(text.split())
    return line if len(line) <= head + tail else f"{line[:head]} ... {line[-tail:]}"


def fold(text: str, width: int) -> str:
    """Return `text` with lines of at most `width` columns, as far as words allow; prose has at most 100.

    A line with two spaces in a row is a row of a table, which continues under a column. A `width` below 20 is ignored.
    """
    if width < _LEAST:
        return text
    lines: list[str] = []
    for line in text.split("\n"):
        begun = line.lstrip()
        is_row = "  " in begun
        most = width if is_row else min(width, _PROSE)
        indent = " " * (_column(line, width // 3) if is_row else len(line) - len(begun))
        lines += [line] if len(line) <= most else _wrap(line, most, indent)
    return "\n".join(lines)


def _column(line: str, most: int) -> int:
    begins = [gap.end() for gap in re.finditer(r"(?<=\S) {2,}", line) if gap.end() <= most]
    return begins[-1] if begins else _INDENT


def _wrap(line: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(
        line, width, subsequent_indent=indent, replace_whitespace=False, break_long_words=False, break_on_hyphens=False
    )


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
