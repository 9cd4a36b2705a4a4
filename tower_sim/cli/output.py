"""Print in any encoding; if standard output is closed or full, end with one line and never a traceback."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from tower_sim.errors import quote
from tower_sim.tools import warn

PLAIN = "tower-sim-plain"
_PLAIN = str.maketrans("▁▂▃▄▅▆▇█±×²°→←−…", "_.-=+*%#~x2o><-.")


def prepare() -> str:
    """Let both standard streams print any text, with plainer characters where the encoding lacks one.

    Returns the reason why standard output cannot print, or "".
    """
    streams: dict[str, TextIO | None] = {"stdout": sys.stdout, "stderr": sys.stderr}
    if streams["stdout"] is None:  # Python sets it to None when it was closed
        return "standard output is closed; allowed is a terminal, a pipe or a file; try >/dev/null"
    if streams["stderr"] is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # for as long as the process lives
    codecs.register_error(PLAIN, _plainer)
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors=PLAIN)
    return ""


def end(status: int) -> int:
    """Flush standard output and return the exit status; a failure makes 0 to 1."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has gone: nothing to tell
        forget()
        return status or 1
    except OSError as error:
        forget()
        if not status:
            warn(failure(error))
        return status or 1
    return status


@contextmanager
def defer_failure() -> Generator[None]:
    """Let the block write its files even if standard output fails; then raise the OSError."""
    stream = sys.stdout
    guard = sys.stdout = _DeferredOutput(stream)
    try:
        yield
        guard.flush()
    finally:
        sys.stdout = stream
    if guard.failed is not None:
        raise guard.failed


class _DeferredOutput:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.failed: OSError | None = None

    def write(self, text: str) -> int:
        try:
            self._stream.write(text)
        except OSError as error:
            self._leave(error)
        return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            self._leave(error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _leave(self, error: OSError) -> None:
        self.failed = self.failed or error
        forget()


def failure(error: OSError) -> str:
    """Return a line that says which output failed and why."""
    what = "standard output" if error.filename is None else quote(str(error.filename))
    return f"{what} cannot be written or read ({error.strerror or error}); make room or choose another, and try again"


def forget() -> None:
    """Discard buffered output, which Python would report at its end."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())  # from now on printing cannot fail
        os.close(nowhere)


def _plainer(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_PLAIN)
    return "".join(letter if letter.isascii() else "?" for letter in text), error.end
