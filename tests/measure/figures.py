"""Write the figures that stand in reports into the pages that quote them, so that the two cannot differ.

python -m tests.measure.figures [--check]

A page marks a quoted figure by its name, `<!--NAME-->5.4 (3.4 to 8.2)<!--/-->`; a reader does not see the marks. For
each name docs/figures.toml has `[file, row, words]`: a table (CSV) under docs/, the beginning of its row's first cell,
and the words, in which `{column:.1f}` is the cell of that column, named without its unit in brackets. --check writes
nothing and ends with status 2 where a page differs.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from tests.measure.script import ended
from tower_sim.errors import UsageError
from tower_sim.writing import write

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
UNIT = re.compile(r" \[[^]]*\]")
MARKED = re.compile(r"<!--([\w.-]+)-->(.*?)<!--/-->")


def pages() -> list[Path]:
    """Return the pages that may quote figures."""
    return [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]


def quoted(name: str) -> str:
    """Return a figure in words, from its table; raises UsageError for a name, row or column that is not there."""
    try:
        file, start, template = _names()[name]
        (row,) = (row for row in _table(file) if next(iter(row.values())).startswith(start))
        return template.format_map({UNIT.sub("", column): _value(cell) for column, cell in row.items()})
    except (KeyError, ValueError) as error:
        raise UsageError(
            f"figure {name} cannot be quoted ({error!r}); allowed is a name in docs/figures.toml, with one row and its "
            "columns; mend it there"
        ) from error


def filled(text: str) -> str:
    """Return a page with all its marked figures as the tables have them."""
    return MARKED.sub(lambda mark: f"<!--{mark[1]}-->{quoted(mark[1])}<!--/-->", text)


@cache
def _names() -> Mapping[str, tuple[str, str, str]]:
    return tomllib.loads((DOCS / "figures.toml").read_text("utf-8"))


@cache
def _table(file: str) -> list[dict[str, str]]:
    with (DOCS / file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _value(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 2 where a page differs")
    options = parser.parse_args(arguments)

    def work() -> None:
        for page in pages():
            text = page.read_text("utf-8")
            if (now := filled(text)) == text:
                continue
            if options.check:
                raise UsageError(f"{page.name} differs from its reports; run python -m tests.measure.figures")
            write(page, now, "page")
            print(f"{page.name}: written anew")

    return ended("figures", work)


if __name__ == "__main__":
    sys.exit(main())
