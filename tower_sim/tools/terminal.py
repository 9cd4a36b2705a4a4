"""Print text for people: output folded between words, and errors and hints in one line."""

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
