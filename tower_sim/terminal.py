"""What people read on a terminal: output folded between words, and the one line of a mistake, a failure or a hint."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from contextlib import suppress

from tower_sim.errors import printable

_LEAST = 20  # columns; a terminal that says it is narrower is not believed
_INDENT = 4  # columns
_PROSE = 100  # columns of words that can be read well
_HEAD, _TAIL = 700, 300  # characters kept of a long line: what was received may be long, advice is at the end


def say(text: str, *, flush: bool = False) -> None:
    """Print `text`, what does not print written out; on a terminal long lines are folded.

    Elsewhere a paragraph stays a line, which programs can search and editors fold.
    """
    text = printable(text)
    if sys.stdout.isatty():
        text = folded(text, shutil.get_terminal_size().columns)
    print(text, flush=flush)


def warn(text: str) -> None:
    """Write one line on standard error, whatever is in the text; also where nobody reads it."""
    line = printable(one_line(text, _HEAD, _TAIL))
    with suppress(OSError, ValueError, AttributeError):  # nobody can be told that nobody can be told
        print(f"tower-sim: {line}", file=sys.stderr, flush=True)


def counted(number: int, what: str) -> str:
    """Return how many there are of what a word names: 1 cube, 2 cubes."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def one_line(text: str, head: int, tail: int) -> str:
    """Return `text` on one line; of a long one the first `head` and the last `tail` characters."""
    line = " ".join(text.split())
    return line if len(line) <= head + tail else f"{line[:head]} ... {line[-tail:]}"


def folded(text: str, width: int) -> str:
    """Return `text` with no line longer than `width` columns where words allow, prose not longer than 100.

    Spaces inside of a line stay, so that the columns of tables hold as far as they fit; what follows of their rows is
    indented, of prose as its first line is.
    """
    if width < _LEAST:
        return text
    lines: list[str] = []
    for line in text.split("\n"):
        begun = line.lstrip()
        is_row = "  " in begun
        most = width if is_row else min(width, _PROSE)
        indent = " " * (_column(line, width // 3) if is_row else len(line) - len(begun))
        lines += [line] if len(line) <= most else _wrapped(line, most, indent)
    return "\n".join(lines)


def _column(line: str, most: int) -> int:
    """Return where the last column of a row begins that begins within its first `most` characters."""
    begins = [gap.end() for gap in re.finditer(r"(?<=\S) {2,}", line) if gap.end() <= most]
    return begins[-1] if begins else _INDENT


def _wrapped(line: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(
        line, width, subsequent_indent=indent, replace_whitespace=False, break_long_words=False, break_on_hyphens=False
    )
