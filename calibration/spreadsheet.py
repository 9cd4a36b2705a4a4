"""Read the cells of a CSV as people and spreadsheets write it: common separators and encodings, notes, comments."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tower_sim.errors import UsageError, quote

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
LONGEST = 1000  # characters of a cell, so of a note
MOST_COLUMNS = 100
_UTF_16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@dataclass(frozen=True, slots=True)
class Line:
    """The cells of a line, without surrounding blanks; `line` is its number, from 1.

    `cells` ends with the last cell that is not empty; `wide` counts empty ones too.
    """

    line: int
    cells: list[str]
    wide: int


def decode(data: bytes, where: str) -> str:
    """Return the text of a file: UTF-8 with or without a byte-order mark, UTF-16 with one, or else Windows-1252."""
    mark = data[:2]
    for encoding in (_UTF_16[mark],) if mark in _UTF_16 else ("utf-8-sig", "cp1252"):
        try:
            text = data.decode(encoding).removeprefix("\ufeff")
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise UsageError(f"{where} are no text; allowed is a CSV file; in a spreadsheet, save it as CSV (UTF-8)")


def iter_rows(text: str, where: str) -> Iterator[Line]:
    """Yield the header and then the rows of a CSV, without empty lines and lines that begin with #.

    The separator is the one that gives the header most columns (see `is_column`).
    """
    separator = ""
    for number, line in enumerate(re.split("\r\n|\r|\n", text), start=1):
        bare = line.lstrip()
        if bare.lstrip('"').startswith("#") or (not separator and re.fullmatch('"?sep=."?', line.strip(), re.I)):
            continue
        if len(line) > LONGEST * MOST_COLUMNS:
            raise UsageError(
                f"{where}, line {number} has {len(line)} characters; allowed are {LONGEST} a cell; shorten it"
            )
        if not separator and bare:
            separator = _find_separator(line)
        row = Line(number, *_split_cells(line, separator or ",", f"{where}, line {number}"))
        if row.cells:
            yield row


def name_column(cell: str) -> str:
    """Return the name of the column for a cell of the header, in lower case: `thrown_blue` for `Thrown blue`."""
    return re.sub(r"^(thrown|out)\s+(?=\S)", r"\1_", cell.lower())


def is_column(name: str) -> bool:
    """Return whether a cell of a header looks like the name of a column of recorded drops."""
    name = name_column(name)
    return name in ("drop", "throw", "mark", "note", "thrown", "out") or name.startswith(("thrown_", "out_"))


def _find_separator(line: str) -> str:
    split = {
        separator: next(csv.reader([line], delimiter=separator, skipinitialspace=True)) for separator in SEPARATORS
    }
    return max(split, key=lambda separator: sum(is_column(cell.strip()) for cell in split[separator]))


def _split_cells(line: str, separator: str, where: str) -> tuple[list[str], int]:
    try:
        cells = next(csv.reader([line], delimiter=separator, strict=True, skipinitialspace=True), [])
    except csv.Error as error:
        raise UsageError(
            f'{where}: {quote(line)} cannot be read ({error}); allowed are quotes (") that close in their line, before '
            "a separator; take out quotes and line breaks"
        ) from error
    cells, wide = [cell.strip() for cell in cells], len(cells)
    while cells and not cells[-1]:
        cells.pop()
    if len(cells) > MOST_COLUMNS:
        raise UsageError(f"{where} has {len(cells)} cells; allowed are up to {MOST_COLUMNS}; remove some")
    for cell in cells:
        if len(cell) > LONGEST:
            raise UsageError(
                f"{where} has a cell of {len(cell)} characters, {quote(cell)}; allowed are {LONGEST}; shorten the note"
            )
    return cells, wide
