"""Write a report: Markdown with tables and pictures beside it, and one HTML file with all; each whole or not at all."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.text import Text

from tower_sim.statistics import Estimate
from tower_sim.study.page import page_of
from tower_sim.writing import check_folder, told, write_folder

DOTS_PER_INCH = 150
FILES = "report.html", "report.md"  # of every report
Cell = str | int | float | Estimate | None


class Sheets:
    """A report in the making, in the directory `out`: `text`, `table` and `picture` add to it, `close` writes it."""

    def __init__(self, out: str | Path) -> None:
        self.out = Path(out)
        self.lines: list[str] = []
        self.tables: dict[str, tuple[Sequence[str], Sequence[Sequence[Cell]]]] = {}
        self._files: dict[str, bytes] = {}
        try:
            self.out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise told(self.out, error, "report folder") from error
        check_folder(self.out, FILES, "report")

    def text(self, *paragraphs: str) -> None:
        """Add paragraphs (or a heading)."""
        for paragraph in paragraphs:
            self.lines += [paragraph, ""]

    def table(self, name: str, head: Sequence[str], rows: Sequence[Sequence[Cell]], shown: int = 40) -> None:
        """Write `tables/NAME.csv` and show up to `shown` rows of it.

        An Estimate takes one column here and three in the file (the value, `low` and `high` of its interval).
        """
        self._csv(name, head, rows)
        self.lines += ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
        self.lines += ["| " + " | ".join(said(cell) for cell in row) + " |" for row in rows[:shown]]
        more = f", all {len(rows)} rows" if len(rows) > shown else ""
        self.lines += ["", f"([tables/{name}.csv](tables/{name}.csv){more})", ""]

    def data(self, name: str, head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
        """Write `tables/NAME.csv` as `table` does, and show nothing but where it is."""
        self._csv(name, head, rows)
        self.lines += [f"([tables/{name}.csv](tables/{name}.csv), {len(rows)} rows)", ""]

    def picture(self, name: str, figure: Any, caption: str) -> None:
        """Write `plots/NAME.png` and show it."""
        for text in figure.findobj(Text):
            text.set_parse_math(False)  # names are names, also those with a dollar sign
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
        self._files[f"plots/{name}.png"] = buffer.getvalue()
        self.lines += [f"![{caption}](plots/{name}.png)", ""]

    @property
    def opening(self) -> list[str]:
        """The paragraphs between the title and the first heading: what the report says in plain words."""
        paragraphs = [line for line in self.lines if line]
        ends = [i for i, line in enumerate(paragraphs) if line.startswith("## ")]
        return paragraphs[1 : ends[0] if ends else None]

    def document(self, schema: str) -> dict[str, Any]:
        """Return what the report says and its tables, ready for `json.dumps`."""
        return {
            "schema": schema,
            "version": 1,
            "title": self.lines[0].removeprefix("# "),
            "says": self.opening,
            "tables": {
                name: {"columns": list(head), "rows": [[_value(cell) for cell in row] for row in rows]}
                for name, (head, rows) in self.tables.items()
            },
        }

    def close(self) -> None:
        """Write all, `report.html` and then `report.md` last."""
        text = "\n".join(self.lines).rstrip() + "\n"
        pages = page_of(text, self._files).encode(), text.encode()
        write_folder(self.out, self._files | dict(zip(FILES, pages, strict=True)), "report")

    def _csv(self, name: str, head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
        wide = [any(isinstance(row[i], Estimate) for row in rows) for i in range(len(head))]
        ends = ("", ", low", ", high")
        names = [key + end for i, key in enumerate(head) for end in ends[: 3 if wide[i] else 1]]
        lines = [",".join(_quoted(part) for part in names)]
        for row in rows:
            lines.append(",".join(part for i, cell in enumerate(row) for part in _csv(cell, wide[i])))
        self.tables[name] = head, rows
        self._files[f"tables/{name}.csv"] = ("\n".join(lines) + "\n").encode()


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n') else text


def _csv(cell: Cell, wide: bool) -> list[str]:
    if isinstance(cell, Estimate):
        return [_plain(cell.value), _plain(cell.low), _plain(cell.high)]
    text = _quoted(cell) if isinstance(cell, str) else _plain(cell)
    return [text, "", ""] if wide else [text]


def _value(cell: Cell) -> Any:
    """Return a cell as JSON has it: an Estimate as an object, no number as null."""
    if isinstance(cell, Estimate):
        return {"value": _number(cell.value), "low": _number(cell.low), "high": _number(cell.high), "n": cell.n}
    return _number(cell) if isinstance(cell, float) else cell


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _plain(value: float | int | None) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def said(cell: Cell, unit: str = "") -> str:
    """Say a cell in words: an Estimate as `value (low to high)`, to two digits of its interval's half width."""
    tail = f" {unit}" if unit else ""
    if isinstance(cell, Estimate):
        if not math.isfinite(cell.value):
            return "-"
        if not (math.isfinite(cell.low) and math.isfinite(cell.high)):
            return f"{cell.value:.3g}{tail} (no interval)"
        places = digits((cell.high - cell.low) / 2, cell.value)
        if cell.value == cell.low == cell.high:
            return f"{cell.value:.3g}{tail} (the same in every resample)"
        return f"{_fixed(cell.value, places)}{tail} ({_fixed(cell.low, places)} to {_fixed(cell.high, places)})"
    if cell is None or (isinstance(cell, float) and not math.isfinite(cell)):
        return "-"
    return f"{cell:.3g}" if isinstance(cell, float) else str(cell)


def percent(share: Estimate) -> str:
    """Say a share in percent, as `said` does."""
    return said(share.times(100), "%")


HOW_SURE = "19 times in 20 the true figure lies within ±, or in the brackets"
_LOPSIDED = 2.0  # one half of an interval over the other: more is not told by ±


def plainly(figure: Estimate, unit: str = "") -> str:
    """Say a figure as a player reads it, `13.9 ± 0.1`: to one digit of the half of its interval, of its own to three.

    Without ± where there is no interval, or it is too small to show; with both ends where it is lopsided.
    """
    if not math.isfinite(figure.value):
        return "-"
    tail = f" {unit}" if unit else ""
    places, down, up = digits(0, figure.value), figure.value - figure.low, figure.high - figure.value
    if not 0 < down + up < math.inf:
        return f"{_fixed(figure.value, places)}{tail}"
    places = min(max(digits((down + up) / 2) - 1, 0), places)
    value, sure = _fixed(figure.value, places), _fixed((down + up) / 2, places)
    if not sure.strip("0."):
        return f"{value}{tail}"
    if max(down, up) > _LOPSIDED * min(down, up):
        return f"{value}{tail} ({_fixed(figure.low, places)} to {_fixed(figure.high, places)})"
    return f"{value} ± {sure}{tail}"


def plain_share(share: Estimate) -> str:
    """Say a share in percent, as `plainly` does."""
    return plainly(share.times(100), "%")


def digits(half: float, value: float = 0.0) -> int:
    """Return how many decimal places show two digits of `half` (three of `value` when `half` is 0)."""
    if half <= 0:
        return 2 if value == 0 else max(0, min(6, 2 - math.floor(math.log10(abs(value)))))
    return max(0, min(6, 1 - math.floor(math.log10(half))))


def _fixed(value: float, places: int) -> str:
    if value == 0:
        return "0"
    text = f"{value:.{places}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text
