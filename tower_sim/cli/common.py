"""Helpers that several commands share: the version, seeds, states, pictures."""

from __future__ import annotations

import codecs
import math
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from itertools import chain, count
from pathlib import Path
from typing import Any, TextIO

from tower_sim.apparatus.parts import Apparatus
from tower_sim.errors import UsageError, quote
from tower_sim.models import Model, open_model
from tower_sim.physics.settings import ENGINE
from tower_sim.registry import OWN, get
from tower_sim.requests import Play, Throw
from tower_sim.state import TowerState, check_seed, short_seed
from tower_sim.tools.reading import STATE, json_value, read_text, refuse_other
from tower_sim.tools.terminal import warn
from tower_sim.version import TOWER_SIM

Physics = tuple[str, str | None, str | None]
"""The requested model, engine and accuracy. The engine and the accuracy are None if they are not given."""


def version() -> str:
    """Return the versions of tower_sim, Python and our engines, in one line."""
    import platform

    from tower_sim.physics.engine import find_version

    engines: list[str] = []
    for name in sorted(OWN["engine"], key=lambda name: name != ENGINE):
        title, number = get("engine", name).title, find_version(name)
        engines.append(f"{title} {number}" if number else f"no {title}")
    return f"tower-sim {TOWER_SIM} (Python {platform.python_version()}, {', '.join(engines)})"


def read_seed(text: str | None) -> int:
    """Return the seed of `--seed`; None draws one."""
    return short_seed() if text is None else check_seed(text, "--seed")


def number(text: str) -> float | str:
    """Return the number in a text, or else the text, which a later check refuses."""
    with suppress(ValueError):
        return int(text)
    with suppress(ValueError):
        if math.isfinite(value := float(text)):
            return value
    return text


def choose_path(path: Path | None, name: str) -> Path:
    """Return `path`, or else `name`, numbered if that file exists."""
    first = Path(name)
    others = (first.with_stem(f"{first.stem}-{i}") for i in count(2))
    return path or next(each for each in chain([first], others) if not each.exists())


def reopen_model(shape: Apparatus, state: TowerState | None) -> Model:
    """Open the model that made a state, with its engine and accuracy; without a state, open physics."""
    if state is None or state.model != "physics":
        return open_model(shape, state.model if state else "physics")
    from tower_sim.physics.scene import find_maker
    from tower_sim.physics.settings import accuracy

    engine = find_maker(shape, state.digest)
    return open_model(shape, "physics", accuracy(*engine) if engine else None)


def check_replay(replay: Path | None, request: Throw | Play) -> None:
    """Check, before any work, that a page can be written that replays a request."""
    if replay is not None:
        from tower_sim.web import replay as pages

        pages.check_path(replay)
        pages.check(request)


def read_state(text: str | None) -> TowerState | None:
    """Return the state of `--state`: a token, or @FILE with a token or a `throw --json` document."""
    if text is None:
        return None
    if text.startswith("@"):
        text = read_text(text[1:], "--state file", advice="give a file with a token").strip()
        refuse_other(text, "--state file", STATE)
        if text.startswith("{"):
            document = json_value(text, "--state file")
            if "state" not in document:
                raise UsageError(
                    "--state file holds neither a token nor a 'throw --json' document with a 'state'; save one of them "
                    "there"
                )
            text = str(document["state"])
    return TowerState.from_token(text)


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
