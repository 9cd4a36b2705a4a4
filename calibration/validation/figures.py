"""Measure the figures that pages quote, and write them into the pages, so that the two cannot differ.

python -m calibration.validation.figures [--renew] [--only TEXT ...] [--workers 2] [--check]

A page marks a figure, `<!--printed.kept-->5.5 ± 0.2<!--/-->`; a reader does not see the marks. Its name is

    SAMPLE.NAME            a row of docs/figures.csv: mean ± standard error
    SAMPLE.NAME %          the same in percent
    A - B                  a difference of two rows of independent draws
    A - B %                the same in percent of B
    SAMPLE.NAME n          of how many draws the row is the mean

or one of docs/figures.toml, which has `[file, row, words, part]` for the tables of reports: a table (CSV) under docs/,
the beginning of its row's first cell, the words, in which `{column:.1f}` is the cell of that column, and, if only a
part of them is quoted, a regular expression whose first group it is.

Without options only the pages are written. --renew draws all samples of samples.py again, the oldest first, and
stores each when it is done; stopped, it goes on with those that are left. All take an hour of two cores or less.
--check writes nothing and ends with status 2 where a page differs.
"""

from __future__ import annotations

import csv
import math
import re
import subprocess
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache
from pathlib import Path

from calibration.validation.samples import SAMPLES
from calibration.validation.script import ROOT, WORKERS, option, script
from tests.support.pool import spread_out
from tower_sim.errors import UsageError
from tower_sim.results import mean_error
from tower_sim.tools import write

DOCS = ROOT / "docs"
TABLE = DOCS / "figures.csv"
UNIT = re.compile(r" \[[^]]*\]")
MARKED = re.compile(r"<!--([\w.-]+(?: - [\w.-]+)?(?: [%n])?)-->(.*?)<!--/-->")
BATCHES = 20  # of each sample


@dataclass(frozen=True, slots=True)
class Row:
    """A figure: the mean over `n` draws of its sample, with standard error; processor time of the whole sample."""

    name: str
    sample: str
    value: float
    error: float
    n: int
    seconds: float
    commit: str


def pages() -> list[Path]:
    return [ROOT / "README.md", ROOT / "tower_sim/clients/npm/README.md", *sorted(DOCS.glob("*.md"))]


def rows() -> dict[str, Row]:
    with TABLE.open(encoding="utf-8", newline="") as lines:
        read = (float, float, int, float)
        return {
            name: Row(name, sample, *(of(cell) for of, cell in zip(read, cells, strict=True)), commit)  # type: ignore[arg-type]
            for name, sample, *cells, commit in list(csv.reader(lines))[1:]
        }


def draw_piece(piece: tuple[str, range]) -> tuple[list[dict[str, float]], float]:
    """Draw from a sample once for each seed; returns what the draws are, and the processor time (s)."""
    sample, seeds = piece
    start = time.process_time()
    return [dict(SAMPLES[sample].draw(seed)) for seed in seeds], time.process_time() - start


def draw_samples(only: Sequence[str], workers: int) -> None:
    """Draw the samples again whose names hold one of the words `only`, the oldest first; store each when it is done."""
    git = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    known = rows() if TABLE.exists() else {}
    ages = {row.sample: (row.commit == commit, place) for place, row in enumerate(known.values())}
    samples = [name for name in SAMPLES if ages.get(name, (False,))[0] is False and any(word in name for word in only)]
    samples.sort(key=lambda name: ages.get(name, (False, -1)))
    pieces = [
        (name, range(SAMPLES[name].n)[start::BATCHES])
        for name in samples
        for start in range(min(BATCHES, SAMPLES[name].n))
    ]
    draws: list[dict[str, float]] = []
    seconds = 0.0
    found = spread_out(draw_piece, pieces, workers, "batches of draws")
    for (sample, _), (after, _), (more, took) in zip(pieces, [*pieces[1:], ("", range(0))], found, strict=True):
        draws, seconds = draws + more, seconds + took
        if after == sample:
            continue
        known = {name: row for name, row in known.items() if row.sample != sample and row.sample in SAMPLES}
        for name in dict.fromkeys(name for draw in draws for name in draw):
            values = [float(draw[name]) for draw in draws if name in draw]
            row = Row(f"{sample}.{name}", sample, *mean_error(values), len(values), round(seconds, 1), commit)
            known[row.name] = row
        cells = [[format(x, ".6g") if isinstance(x, float) else str(x) for x in astuple(row)] for row in known.values()]
        lines = [[field.name for field in fields(Row)], *cells]
        write(TABLE, "".join(",".join(line) + "\n" for line in lines), "table")
        draws, seconds = [], 0.0


def with_error(value: float, error: float, n: int, is_share: bool) -> str:
    """Return a figure with as many digits as its error has; where nothing was seen, an upper bound of 95 %."""
    factor, unit = (100, " %") if is_share else (1, "")
    if value == error == 0:
        return f"0{unit} (below {3 * factor / n:.2g}{unit})"
    if error == 0:
        return f"{value * factor:g}{unit}"
    value, error = value * factor, error * factor
    lead = math.floor(math.log10(error))
    places = max(-lead + (error / 10**lead < 2), 0)
    return f"{value:.{places}f} ± {error:.{places}f}{unit}"


def quote(name: str) -> str:
    """Return a figure in words; raises UsageError for a name, row or column that is not there."""
    try:
        if name in _names():
            file, start, template, *part = _names()[name]
            found = [row for row in _table(file) if next(iter(row.values())).startswith(start)]
            (row,) = [row for row in found if next(iter(row.values())) == start] or found
            words = template.format_map({UNIT.sub("", column): _value(cell) for column, cell in row.items()})
            return re.findall(part[0], words)[0] if part else words
        table = rows()
        is_share = name.endswith(" %")
        first, _, second = name.removesuffix(" %").removesuffix(" n").partition(" - ")
        row = table[first]
        if name.endswith(" n"):
            return f"{row.n:,}"
        if not second:
            return with_error(row.value, row.error, row.n, is_share)
        other = table[second]
        by = other.value if is_share else 1.0
        less, error = (row.value - other.value) / by, math.hypot(row.error, other.error) / by
        words = with_error(less, error, row.n, is_share)
        return words if words.startswith("-") else f"+{words}"
    except (IndexError, KeyError, ValueError) as error:
        raise UsageError(
            f"figure {name} cannot be quoted ({error!r}); allowed is a row of docs/figures.csv, or a name in "
            "docs/figures.toml with one row and its columns; measure it, or mend the name"
        ) from error


def fill(text: str) -> str:
    return MARKED.sub(lambda mark: f"<!--{mark[1]}-->{quote(mark[1])}<!--/-->", text)


@cache
def _names() -> Mapping[str, list[str]]:
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


def update(renew: bool, only: Sequence[str], workers: int, check: bool) -> None:
    if renew:
        draw_samples(only, workers)
    for page in pages():
        text = page.read_text("utf-8")
        if (now := fill(text)) == text:
            continue
        if check:
            raise UsageError(f"{page.name} differs from its figures; run python -m calibration.validation.figures")
        write(page, now, "page")
        print(f"{page.name}: written again")


main = script(
    __doc__,
    update,
    option("--renew", action="store_true", help="draw the samples again"),
    option("--only", nargs="+", default=[""], metavar="TEXT", help="only samples whose names hold it"),
    WORKERS,
    option("--check", action="store_true", help="write nothing; exit status 2 where a page differs"),
    to_go_on="the samples that are done are stored; run the same again",
)

if __name__ == "__main__":
    raise SystemExit(main())
