"""What people read on a terminal: output folded between words, and the one line of a mistake, a failure or a hint."""

from __future__ import annotations

import shutil
import sys
import textwrap
from contextlib import suppress

from tower_sim.errors import printable

_LEAST = 20  # columns; a terminal that says it is narrower is not believed
_INDENT = "    "
_HEAD, _TAIL = 700, 300  # characters kept of a long line: what was received may be long, advice is at the end


def say(text: str, *, flush: bool = False) -> None:
    """Print `text`, of names only what can be printed; on a terminal lines that are too long for it are folded."""
    text = printable(text)
    if sys.stdout.isatty():
        text = folded(text, shutil.get_terminal_size().columns)
    print(text, flush=flush)


def warn(text: str) -> None:
    """Write one line on standard error, whatever is in the text; also where nobody reads it."""
    line = printable(one_line(text, _HEAD, _TAIL))
    with suppress(OSError, ValueError, AttributeError):  # nobody can be told that nobody can be told
        print(f"tower-sim: {line}", file=sys.stderr, flush=True)


def one_line(text: str, head: int, tail: int) -> str:
    """Return `text` on one line; of a long one the first `head` and the last `tail` characters."""
    line = " ".join(text.split())
    return line if len(line) <= head + tail else f"{line[:head]} ... {line[-tail:]}"


def folded(text: str, width: int) -> str:
    """Return `text` with no line longer than `width` columns where words allow; what follows is indented.

    Spaces inside of a line stay, so that the columns of tables hold as far as they fit.
    """
    if width < _LEAST:
        return text
    lines: list[str] = []
    for line in text.split("\n"):
        lines += (
            [line]
            if len(line) <= width
            else textwrap.wrap(
                line, width, subsequent_indent=_INDENT, replace_whitespace=False, break_long_words=False,
                break_on_hyphens=False,
            )
        )  # fmt: skip
    return "\n".join(lines)
