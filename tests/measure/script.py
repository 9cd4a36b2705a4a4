"""What scripts here have in common: how they end and tell mistakes, and how they write a part of a document."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from tower_sim.errors import UsageError
from tower_sim.tools.writing import WritingFailed, write


def ended(name: str, work: Callable[[], object], to_go_on: str = "run the same again") -> int:
    """Do the work of the script `name`; returns the exit status: 0 done, 1 it could not go on, 2 the caller's mistake.

    `to_go_on` says, after Ctrl-C, what is kept and what to do.
    """
    try:
        work()
    except UsageError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except WritingFailed as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{name}: interrupted; {to_go_on}", file=sys.stderr)
        return 1
    return 0


def put(document: Path, part: str, text: str) -> None:
    """Write `text` between the marks of a part of a document; raises UsageError where there are none."""
    begin, end = f"<!-- {part} -->", f"<!-- /{part} -->"
    before, found, rest = document.read_text("utf-8").partition(begin)
    _, also, after = rest.partition(end)
    if not (found and also):
        raise UsageError(f"{document.name} has no {begin} ... {end}; allowed is a document with both; put them there")
    write(document, f"{before}{begin}\n{text}\n{end}{after}", "document")
