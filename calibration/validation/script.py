"""What scripts here have in common: the command line, tables in Markdown, and parts of documents."""

from __future__ import annotations

import argparse
import importlib
import math
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any, Protocol

import pandas as pd

from tests.support.pool import spread_out
from tower_sim.errors import UsageError
from tower_sim.tools import WritingFailed, write

ROOT = Path(__file__).parents[2]
COMMAND = re.compile(r"python -m\s+calibration\.validation\.(\w+)")
Option = tuple[tuple[str, ...], dict[str, Any]]


class Main(Protocol):
    def __call__(self, arguments: Sequence[str] | None = None) -> int: ...


def option(*names: str, **details: Any) -> Option:
    """Return an option of a script; the arguments are those of `ArgumentParser.add_argument`."""
    return names, details


WORKERS = option("--workers", type=int, default=2, help="processes")


def script(
    document: str | None, work: Callable[..., object], *options: Option, to_go_on: str = "run the same again"
) -> Main:
    """Return the main function of the script that `document` describes; `work` gets its options by name.

    The main function returns the exit status: 0 done, 1 if the work returned False or cannot go on, 2 for a mistake of
    the caller. `to_go_on` says, after Ctrl-C, what is kept and what to do.
    """
    name = COMMAND.findall(document or "")[0]

    def main(arguments: Sequence[str] | None = None) -> int:
        if work.__module__ == "__main__":  # by that name worker processes do not find what a script hands them
            return importlib.import_module(f"calibration.validation.{name}").main(arguments)
        parser = argparse.ArgumentParser(description=document, formatter_class=argparse.RawDescriptionHelpFormatter)
        for names, details in options:
            parser.add_argument(*names, **details)
        chosen = vars(parser.parse_args(arguments))
        try:
            return int(work(**chosen) is False)
        except (UsageError, WritingFailed, CalledProcessError, OSError) as error:  # such as a missing node
            print(f"{name}: {error}", file=sys.stderr)
            return 1 if isinstance(error, WritingFailed) else 2
        except KeyboardInterrupt:
            print(f"{name}: interrupted; {to_go_on}", file=sys.stderr)
            return 1

    return main


def go_on(
    file: Path,
    keys: Iterable[Mapping[str, Any]],
    work: Callable[[Mapping[str, Any]], list[dict[str, Any]]],
    minutes: float = math.inf,
    workers: int = 1,
) -> Any:
    """Return the table (CSV) of a measurement as a DataFrame; runs that it lacks are made and added one by one.

    A run is known by its key, the first columns of its rows, which `work` returns. None begins after so many minutes of
    processor time. `workers` are processes. Raises UsageError if the file has other columns.
    """
    if file.exists() and not (text := file.read_text("utf-8")).endswith("\n"):  # its run was killed
        write(file, text[: text.rfind("\n") + 1], "table")
    table: Any = pd.read_csv(file) if file.exists() else pd.DataFrame()

    def is_missing(key: Mapping[str, Any]) -> bool:
        known = len(table) and set(key) <= set(table)
        return not (known and (table[list(key)] == pd.Series(key)).all(axis=1).any())

    missing, begun = [key for key in keys if is_missing(key)], time.process_time()
    made = map(work, missing) if workers == 1 else spread_out(work, missing, workers, "runs")
    for key, found in zip(missing, made, strict=True) if minutes else ():
        rows = pd.DataFrame([{**key, **row} for row in found])
        if len(table) and list(rows) != list(table):
            raise UsageError(f"{file} has other columns; allowed is a file of this script; name another")
        rows.to_csv(file, mode="a", header=not file.exists(), index=False, lineterminator="\n")
        table = pd.concat([table, rows], ignore_index=True)
        if time.process_time() - begun >= 60 * minutes:
            break
    return table


def put(document: Path, part: str, text: str) -> None:
    """Write `text` between the marks of a part of a document; raises UsageError where there are none."""
    begin, end = f"<!-- {part} -->", f"<!-- /{part} -->"
    before, found, rest = document.read_text("utf-8").partition(begin)
    _, also, after = rest.partition(end)
    if not (found and also):
        raise UsageError(f"{document.name} has no {begin} ... {end}; allowed is a document with both; put them there")
    write(document, f"{before}{begin}\n{text}\n{end}{after}", "document")


def table_lines(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    for cells in chain((head,), rows):
        yield f"| {' | '.join(map(str, cells))} |"
        if cells is head:
            yield "|" + "---|" * len(head)


def table_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return "\n".join(table_lines(head, rows))


def print_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table, each row as soon as it is there."""
    for line in table_lines(head, rows):
        print(line, flush=True)
