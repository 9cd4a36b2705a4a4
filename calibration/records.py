"""Drops of one's own tower, recorded in a CSV: read, checked line by line, written; a blank form to print and fill in.

python -m calibration.records check MY_TOWER.csv
python -m calibration.records form FORM.pdf
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from tower_sim.drawing import check_path
from tower_sim.drawing.files import save
from tower_sim.errors import UsageError
from tower_sim.games.amerigo import Rules

THROWN, OUT = "thrown_", "out_"
_ROWS = 30  # of the form


@dataclass(frozen=True, slots=True)
class Record:
    """One recorded drop: cubes `thrown` and `out` by colour, and what was then `inside`.

    `number` counts the drops of a `game` from 1, `game` the games from 1; each begins with the empty tower.
    """

    number: int
    thrown: dict[str, int]
    out: dict[str, int]
    inside: dict[str, int]
    game: int = 1


def read(path: str | Path) -> list[Record]:
    """Read the drops of a CSV; the tower was empty before the first, and again wherever `drop` returns to 1.

    The header has `drop`, for every colour `thrown_COLOUR` and `out_COLOUR`, and perhaps `note`. Lines that begin with
    # are left out; an empty cell is 0. Raises UsageError, in one line with the line's number, for what cannot be: more
    out than is inside, a drop left out, something that is no whole number.
    """
    path = Path(path)
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"records {path} cannot be read ({error}); give a CSV file in UTF-8") from error
    return _parsed(text, path)


def _parsed(text: str, path: Path) -> list[Record]:
    lines = text.splitlines()
    rows = ((i, cells) for i, cells in _cells(lines) if any(cell.strip() for cell in cells))
    try:
        _, header = next(rows)
    except StopIteration:
        raise UsageError(f"records {path} are empty; allowed is a header and a row a drop; see the form") from None
    names = [name.strip().lower() for name in header]
    colours = _colours(names, path)
    found: list[Record] = []
    inside: dict[str, int] = {}
    game = 0
    for line, cells in rows:
        where = f"records {path}, line {line}"
        if len(cells) > len(names):
            raise UsageError(f"{where} has {len(cells)} cells; allowed are {len(names)}, as in the header; remove some")
        values = dict(zip(names, [*cells, *[""] * (len(names) - len(cells))], strict=True))
        number = _whole(values["drop"], f"{where}, drop")
        due = found[-1].number + 1 if found else 1
        if number not in (1, due):
            allowed = f"{due}, the next, or 1 for a new game with the tower emptied" if found else "1, the first"
            raise UsageError(
                f"{where}: drop {number}; allowed is {allowed}; record every drop, the first into the empty tower"
            )
        if number == 1:
            inside = dict.fromkeys(colours, 0)
            game += 1
        thrown = {colour: _whole(values[THROWN + colour], f"{where}, {THROWN}{colour}") for colour in colours}
        out = {colour: _whole(values[OUT + colour], f"{where}, {OUT}{colour}") for colour in colours}
        for colour in colours:
            inside[colour] += thrown[colour] - out[colour]
            if inside[colour] < 0:
                most = inside[colour] + out[colour]
                raise UsageError(
                    f"{where}: {out[colour]} {colour} out; allowed is at most {most}, what was inside and thrown; "
                    "count again, or look for a row that is missing before it"
                )
        found.append(Record(number, thrown, out, dict(inside), game))
    if not found:
        raise UsageError(f"records {path} hold no drop; allowed is a row a drop; fill in the form")
    return found


def write(path: str | Path, records: Sequence[Record], remarks: Sequence[str] = ()) -> None:
    """Write `records` as a CSV that `read` reads, with `remarks` as the lines above that begin with #.

    Raises UsageError for a path that cannot be written, and for records that would not be read back as they are.
    """
    path = Path(path)
    if not records:
        raise UsageError(f"records for {path} hold no drop; allowed is one or more; record the first")
    colours = list(records[0].thrown)
    text = io.StringIO()
    text.writelines(f"# {line}\n" for remark in remarks for line in remark.splitlines() or [""])
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["drop", *(THROWN + colour for colour in colours), *(OUT + colour for colour in colours)])
    for record in records:
        counts = [kind.get(colour, "") for kind in (record.thrown, record.out) for colour in colours]
        rows.writerow([record.number, *counts])
    if _parsed(text.getvalue(), path) != list(records):
        raise UsageError(
            f"records for {path} do not follow from their drops; allowed are games numbered from 1, each colour in "
            "lower case, and as inside what was thrown and not out; make them with read"
        )
    try:
        path.write_text(text.getvalue(), "utf-8")
    except OSError as error:
        raise UsageError(f"records {path} cannot be written ({error}); give another file") from error


def _cells(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each line that is no comment, with its number."""
    for number, line in enumerate(lines, start=1):
        if not line.lstrip().startswith("#"):
            yield number, next(csv.reader([line]), [])


def _colours(names: Sequence[str], path: Path) -> list[str]:
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"records {path}: column {name!r} is there twice; allowed is each once; remove one")
        if name not in ("drop", "note") and not name.startswith((THROWN, OUT)):
            raise UsageError(
                f"records {path}: column {name!r} is unknown; allowed are drop, {THROWN}COLOUR, {OUT}COLOUR and note; "
                "correct or remove it"
            )
    colours = [name.removeprefix(THROWN) for name in names if name.startswith(THROWN)]
    missing = [name for name in ["drop", *(OUT + colour for colour in colours)] if name not in names]
    missing += [THROWN + name.removeprefix(OUT) for name in names if name.startswith(OUT)]
    missing = [name for name in missing if name not in names]
    if missing or not colours:
        wanted = missing[0] if missing else THROWN + "COLOUR"
        raise UsageError(f"records {path}: column {wanted!r} is missing; every colour needs both; add it to the header")
    return colours


def _whole(text: str, where: str) -> int:
    text = text.strip()
    if text and not text.isdecimal():
        raise UsageError(f"{where} = {text!r}; allowed is a whole number from 0, or nothing for 0; correct it")
    return int(text or 0)


def summary(records: Sequence[Record]) -> str:
    """Say in words what was recorded."""
    drops = Counter(record.game for record in records)
    games = f" in {len(drops)} games ({', '.join(map(str, drops.values()))})" if len(drops) > 1 else ""
    lines = [f"{len(records)} drops{games}; colours: {', '.join(records[0].thrown)}"]
    for first in (record for record in records if record.number == 1):
        which = f" of game {first.game}" if games else ""
        thrown, out, inside = (sum(counts.values()) for counts in (first.thrown, first.out, first.inside))
        lines.append(f"first drop{which}: {thrown} thrown, {out} out, {inside} inside")
    later = [record for record in records if record.number > 1]
    if later:
        out = [sum(record.out.values()) for record in later]
        kept = [sum(record.inside.values()) for record in later]
        lines.append(
            f"later drops: {sum(out) / len(out):.1f} out on average ({min(out)} to {max(out)}), "
            f"{sum(kept) / len(kept):.1f} inside ({min(kept)} to {max(kept)})"
        )
    return "\n".join(lines)


def form(path: str | Path, colours: Sequence[str] = Rules().colours) -> None:
    """Draw a blank form to print (A4, landscape): a row a drop, a column for each colour thrown and out.

    Raises UsageError for a path that cannot be written.
    """
    check_path(path)
    figure: Any = Figure(figsize=(11.69, 8.27))
    axes = figure.add_axes((0.04, 0.05, 0.92, 0.78))
    axes.set_axis_off()
    width = 1.5 + 2 * len(colours) + 3.0
    edges = [0.0, 1.5, *(2.5 + i for i in range(2 * len(colours))), width]
    axes.set_xlim(0, width)
    axes.set_ylim(_ROWS + 2, 0)
    for x in edges:
        heavy = x in (0.0, 1.5, 1.5 + len(colours), 1.5 + 2 * len(colours), width)
        axes.plot([x, x], [0 if heavy else 1, _ROWS + 2], color="0.1", lw=1.2 if heavy else 0.5, clip_on=False)
    for y in range(_ROWS + 3):
        axes.plot([0, width], [y, y], color="0.1", lw=1.2 if y in (0, 2, _ROWS + 2) else 0.5, clip_on=False)
    style = {"ha": "center", "va": "center", "fontsize": 8}
    for i, words in enumerate(("thrown [cubes]", "out [cubes]")):
        axes.text(1.5 + (i + 0.5) * len(colours), 0.5, words, weight="bold", **style)
        for j, colour in enumerate(colours):
            axes.text(2.0 + i * len(colours) + j, 1.5, colour, **style)
    axes.text(0.75, 1.5, "drop", **style)
    axes.text(width - 1.5, 1.5, "note", **style)
    for row in range(_ROWS):
        axes.text(0.2, row + 2.5, str(row + 1), color="0.6", **style | {"fontsize": 6})
    figure.text(0.04, 0.94, "Drops of my cube tower", fontsize=14, weight="bold")
    figure.text(
        0.04,
        0.85,
        "Begin with the empty tower and record every drop, in order; leave a cell empty for 0. "
        "Where a new game begins with the emptied tower, write 1 as the drop again.\n"
        "Count what a knock on the table brings out as out of the next drop. The drop is the small number of its row, "
        "if you write none beside it.\n"
        "Then type it in as CSV: a header drop,thrown_blue,out_blue,... and a row a drop; "
        "lines that begin with # are remarks (tower, cubes, date, who threw).",
        fontsize=9,
        linespacing=1.5,
    )
    save(figure, path)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line; returns the exit status: 0 all is well, 2 the caller's mistake."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["check", "form"])
    parser.add_argument("file", type=Path)
    options = parser.parse_args(arguments)
    try:
        if options.what == "form":
            form(options.file)
        else:
            print(summary(read(options.file)))
    except UsageError as error:
        print(f"records: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
