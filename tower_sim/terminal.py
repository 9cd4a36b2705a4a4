"""What people read on a terminal: lines longer than it is wide are folded between words."""

from __future__ import annotations

import shutil
import sys
import textwrap

_LEAST = 20  # columns; a terminal that says it is narrower is not believed
_INDENT = "    "


def say(text: str, *, flush: bool = False) -> None:
    """Print `text`; on a terminal lines that are too long for it are folded, elsewhere nothing is changed."""
    if sys.stdout.isatty():
        text = folded(text, shutil.get_terminal_size().columns)
    print(text, flush=flush)


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
