"""Write a report: Markdown with its tables as CSV files and its pictures beside it, each file whole or not at all."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.text import Text

from tower_sim.statistics import Estimate
from tower_sim.writing import told, write

DOTS_PER_INCH = 150
Cell = str | int | float | Estimate | None


class Sheets:
    """A report in the making, in the directory `out`: `text`, `table` and `picture` add to it, `close` writes it."""

    def __init__(self, out: str | Path) -> None:
        self.out = Path(out)
        self.lines: list[str] = []
        for folder in (self.out, self.out / "tables", self.out / "plots"):
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise told(folder, error, "report folder") from error

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
        self._write(f"plots/{name}.png", buffer.getvalue())
        self.lines += [f"![{caption}](plots/{name}.png)", ""]

    def close(self) -> None:
        """Write `report.md`, the last file."""
        self._write("report.md", ("\n".join(self.lines).rstrip() + "\n").encode())

    def _csv(self, name: str, head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
        wide = [any(isinstance(row[i], Estimate) for row in rows) for i in range(len(head))]
        ends = ("", ", low", ", high")
        names = [key + end for i, key in enumerate(head) for end in ends[: 3 if wide[i] else 1]]
        lines = [",".join(_quoted(part) for part in names)]
        for row in rows:
            lines.append(",".join(part for i, cell in enumerate(row) for part in _csv(cell, wide[i])))
        self._write(f"tables/{name}.csv", ("\n".join(lines) + "\n").encode())

    def _write(self, name: str, data: bytes) -> None:
        write(self.out / name, data, "report file")


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n') else text


def _csv(cell: Cell, wide: bool) -> list[str]:
    if isinstance(cell, Estimate):
        return [_plain(cell.value), _plain(cell.low), _plain(cell.high)]
    text = _quoted(cell) if isinstance(cell, str) else _plain(cell)
    return [text, "", ""] if wide else [text]


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
