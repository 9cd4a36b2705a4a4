"""Reports: sections of text, a table and a chart, written as one HTML page and as Markdown with its files.

    study, calibration, checks, comparisons --sections--> Report --write--> report.html, report.md, tables/, plots/

The text is Markdown. It may include text from other people, so HTML in it is escaped.
"""

from __future__ import annotations

import base64
import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tower_sim.report import charts
from tower_sim.results import Cell, Estimate, show
from tower_sim.tools import check, count_noun, make_folder, need, write_all
from tower_sim.web import Page, read_built, source

FILES = "report.html", "report.md"  # of every report
SETTERS = "jinja2", "markdown_it"  # packages that make the pages
LONG = 8  # rows, above which a page folds a table
Rows = list[Sequence[Cell]]
_MARKS = str.maketrans("", "", "`*")  # of Markdown, for a terminal


@dataclass(frozen=True)
class Table:
    """The file `tables/NAME.csv`; the report shows its first `shown` rows (0: only a link).

    An Estimate takes three columns in the file: the value and the ends of its interval.
    """

    name: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    shown: int = 40

    @staticmethod
    def of(name: str, columns: Mapping[str, Iterable[Any]], shown: int = 40) -> Table:
        """Return a table of columns of equal length, by their heads."""
        cells = [column.tolist() if isinstance(column, np.ndarray) else column for column in columns.values()]
        return Table(name, [*columns], [*map(list, zip(*cells, strict=True))], shown)

    def csv(self) -> str:
        """Return the text of the CSV file."""
        wide = [any(isinstance(row[i], Estimate) for row in self.rows) for i in range(len(self.head))]
        ends = [("", ", low", ", high") if is_wide else ("",) for is_wide in wide]
        file = io.StringIO()
        out = csv.writer(file, lineterminator="\n")
        out.writerow([f"{name}{end}" for name, some in zip(self.head, ends, strict=True) for end in some])
        for row in self.rows:
            out.writerow([text for cell, is_wide in zip(row, wide, strict=True) for text in _csv(cell, is_wide)])
        return file.getvalue()

    @property
    def is_long(self) -> bool:
        """Whether a page folds it."""
        return min(self.shown, len(self.rows)) > LONG

    @property
    def base64(self) -> str:
        """The CSV file in base64, for links."""
        return base64.b64encode(self.csv().encode()).decode()

    def text(self) -> str:
        """Return the first rows for a terminal: words to the left, numbers to the right of their column."""
        cells = [[*self.head], *([show(cell) for cell in row] for row in self.rows[: self.shown])]
        first = self.rows[0] if self.rows else self.head
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(
                f"{cell:{'<' if isinstance(of, str) else '>'}{n}}"
                for cell, of, n in zip(row, first, widths, strict=True)
            )
            for row in cells
        ]
        more = len(self.rows) - self.shown
        return "\n".join([line.rstrip() for line in lines] + [f"and {count_noun(more, 'more row')}"] * (more > 0))

    def json(self) -> dict[str, Any]:
        """Return the table for `json.dumps`; numbers that are not finite become null."""
        return {"columns": [*self.head], "rows": [[_value(cell) for cell in row] for row in self.rows]}


@dataclass(frozen=True)
class Chart:
    """The file `plots/NAME.svg`: panels, drawn when the chart is asked for; `charts.figure` explains the rest."""

    name: str
    caption: str
    panels: Sequence[charts.Panel]
    height: float | Sequence[float] = 2.9
    columns: int = 3
    foot: bool = False
    head: str = ""

    @cached_property
    def drawn(self) -> Any:
        """The matplotlib figure."""
        return charts.figure(self.panels, self.height, self.columns, foot=self.foot, head=self.head)

    @cached_property
    def svg(self) -> str:
        """The chart as an SVG element of a page."""
        return charts.svg(self.drawn, self.name, self.caption)

    @property
    def small(self) -> str:
        """The same chart once more on the page, small and without a name, for readers who see it."""
        return charts.again(self.drawn, self.name)


@dataclass(frozen=True)
class Section:
    """The answer to one question as text, with a table and a chart, followed by the subsections `parts`.

    `short` is the answer in one sentence for the top of the report. A `folded` section is closed when the page opens.
    """

    title: str
    says: str = ""
    table: Table | None = None
    chart: Chart | None = None
    parts: Sequence[Section] = ()
    short: str = ""
    folded: bool = False

    @property
    def anchor(self) -> str:
        """The id of the section for links."""
        return "".join(letter if letter.isalnum() else "-" for letter in self.title.lower())

    def all(self) -> list[Section]:
        """Return the section and all its parts, in order."""
        return [self, *(inner for part in self.parts for inner in part.all())]

    def text(self) -> str:
        """Return the text and the table for a terminal, with those of the parts, without Markdown's marks."""
        table = [self.table.text()] if self.table and self.table.rows and self.table.shown else []
        parts = [self.title, self.says.translate(_MARKS), *table, *(part.text() for part in self.parts)]
        return "\n\n".join(filter(None, parts))


@dataclass(frozen=True)
class Report:
    """A report: a title, sentences for players, and sections; those with a `short` answer are listed at the top."""

    title: str
    says: Sequence[str]
    sections: Sequence[Section] = field(default_factory=list[Section])

    @property
    def every(self) -> list[Section]:
        """All sections and their parts, in order."""
        return [inner for section in self.sections for inner in section.all()]

    @property
    def tables(self) -> Mapping[str, Table]:
        """All tables by name."""
        return {section.table.name: section.table for section in self.every if section.table}

    @property
    def charts(self) -> Mapping[str, Chart]:
        """All charts by name."""
        return {section.chart.name: section.chart for section in self.every if section.chart}

    def text(self, sections: int | None = None) -> str:
        """Return the sentences and the first `sections` (None: all) for a terminal. A paragraph is one line."""
        says = [*self.says, *(f"{section.title} {section.short}" for section in self.every if section.short)]
        some = [section.text() for section in self.sections[:sections]]
        return "\n\n".join([says[0], self.title, *says[1:], *some]).translate(_MARKS) if says else self.title

    def document(self, schema: str) -> dict[str, Any]:
        """Return the sentences and tables of the report for `json.dumps`."""
        answers = [f"{section.title} {section.short}" for section in self.every if section.short]
        tables = {name: table.json() for name, table in self.tables.items()}
        return {"schema": schema, "version": 1, "title": self.title, "says": [*self.says, *answers], "tables": tables}

    def page(self) -> str:
        """Return the HTML page, a single file that includes everything."""
        styles = read_built("common.css"), source("tower_sim.report", "report.css"), charts.STYLE
        return Page(self.title, body=self._set("report.html.j2"), styles=styles).text()

    def write(self, out: str | Path) -> None:
        """Write report.html, report.md, tables/*.csv and plots/*.svg into `out`, each completely or not at all."""
        write_all(self.files(out), "report")

    def files(self, out: str | Path) -> dict[str | Path, str]:
        """Return the texts that `write` writes, by path."""
        files = {f"tables/{name}.csv": table.csv() for name, table in self.tables.items()}
        files |= {f"plots/{name}.svg": charts.alone(chart.svg) for name, chart in self.charts.items()}
        files |= {FILES[1]: self._set("report.md.j2"), FILES[0]: self.page()}
        return {Path(out, name): text for name, text in files.items()}

    def _set(self, template: str) -> str:
        jinja, markdown = need("campaign", *SETTERS)
        reader = markdown.MarkdownIt("commonmark", {"html": False}).disable("image")
        house = jinja.Environment(autoescape=template == "report.html.j2", trim_blocks=True, lstrip_blocks=True)
        house.filters |= {"inline": reader.renderInline, "block": reader.render, "cell": _cell, "show": show}
        return house.from_string(source("tower_sim.report", template)).render(
            title=self.title,
            says=self.says,
            sections=self.sections,
            answers=[section for section in self.every if section.short],
            numbers={"table": [*self.tables].index, "chart": [*self.charts].index},
        )


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def check_report(out: str | Path) -> None:
    """Check, before any work, that a report can be made and written into the folder `out`, which is made for it."""
    need("campaign", *SETTERS)
    for name in FILES:
        make_folder(Path(out, name), "report folder")
        check(Path(out, name), "report")


def _csv(cell: Cell, wide: bool) -> list[str]:
    if isinstance(cell, Estimate):
        return [_plain(cell.value), _plain(cell.low), _plain(cell.high)]
    return [cell if isinstance(cell, str) else _plain(cell), *([""] * (2 * wide))]


def _value(cell: Cell) -> Any:
    if isinstance(cell, Estimate):
        return {"value": _number(cell.value), "low": _number(cell.low), "high": _number(cell.high), "n": cell.n}
    return _number(cell) if isinstance(cell, float) else cell


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _plain(value: float | int | None) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    return str(value) if isinstance(value, int) else f"{value:.6g}"
