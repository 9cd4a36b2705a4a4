"""Drops of a real tower, recorded in a CSV: read and check them, or draw a blank form to print and fill in.

python -m tower_sim.calibration.records check MY_TOWER.csv
python -m tower_sim.calibration.records form FORM.pdf
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from tower_sim.calibration.spreadsheet import SEPARATORS, Line, decode, is_column, iter_rows, name_column
from tower_sim.drawing import check_path, save
from tower_sim.errors import UsageError, quote
from tower_sim.games.amerigo import Rules
from tower_sim.tools import count_noun, read_bytes
from tower_sim.values import MAX_CUBES

THROWN, OUT = "thrown_", "out_"
NOTE, MARK = "note", "mark"
MISCOUNT, EMPTIED, RECOUNT = "miscount", "emptied", "recount"
DISTURBING = ("knock", "spilled", EMPTIED, RECOUNT)  # marks after which the cubes inside do not lie as drops left them
MARKS = ("beside", MISCOUNT, *DISTURBING)
DROP, THROW = "drop", "throw"  # the first column for drops of a game, and for free throws
ANY = "any"  # the colour of cubes whose colours were not recorded
LARGEST = 2_000_000  # bytes of a file
MOST_DROPS = 2000  # of a file
MOST_OF_A_GAME = 400  # drops; the time for following cubes from drop to drop grows with their square
LONGEST_NAME = 40  # characters of a column
MOST_TOLD = 12  # series of free throws, up to which the summary lists each first throw
_ROWS = 30  # of the form


@dataclass(frozen=True, slots=True)
class Record:
    """One recorded drop: the cubes `thrown`, `out`, and `inside` afterwards, by colour.

    `number` counts the drops of a `game` from 0, `game` counts from 1. Each game begins with the empty tower. Drop 0
    throws all cubes; if `is_free`, any drop may throw any number. `marks` are of MARKS.
    """

    number: int
    thrown: dict[str, int]
    out: dict[str, int]
    inside: dict[str, int]
    game: int = 1
    is_free: bool = False
    marks: tuple[str, ...] = ()

    @property
    def is_odd(self) -> bool:
        """Return whether no model predicts the drop: the tower was disturbed, or the cubes were miscounted."""
        return not {MISCOUNT, *DISTURBING}.isdisjoint(self.marks)


def read(path: str | Path) -> list[Record]:
    """Read the drops of a CSV; the tower was empty before the first, and again before each drop with the number 0.

    The columns are `drop` (or `throw`: any number of cubes at any time), `thrown_COLOUR` and `out_COLOUR` for each
    colour (or only `thrown` and `out`), and optionally `mark` and `note`. Lines that begin with # are skipped; an empty
    cell is 0. Marks are of MARKS: after `emptied` nothing is inside. A `recount` is no drop: its cubes thrown minus
    those out are inside, whatever the rows before say. A drop marked `miscount` may be impossible: if more come out
    than can be there, none stays inside; in a game, the cubes thrown of a colour are taken for all outside.

    Args:
        path: The CSV.

    Returns:
        The drops.

    Raises:
        UsageError: With the number of the line, for impossible drops (more out than inside, more thrown than outside),
            a missing drop, a line cut short, a cell that is no whole number, and more than MOST_*.

    >>> from tower_sim.calibration.evidence import shipped
    >>> records = read(shipped()["my_tower"])
    >>> len(records), records[0].number, sum(records[0].thrown.values())
    (44, 0, 49)
    """
    where = f"records {quote(str(path))}"
    data = read_bytes(path, "records", limit=LARGEST, advice="give a CSV file of recorded drops")
    return _parse(decode(data, where), where)


def _parse(text: str, where: str) -> list[Record]:
    lines = iter_rows(text, where)
    header = next(lines, None)
    if header is None:
        raise UsageError(f"{where} are empty; allowed is a header and a row a drop; see the form")
    names = _read_names(header.cells, where)
    colours = _read_colours(names, where)
    records: list[Record] = []
    before: Record | None = None
    setup = dict.fromkeys(colours, 0)
    for row in lines:
        before = _read_record(row, names, colours, before, setup, f"{where}, line {row.line}")
        if not before.number:
            setup = before.thrown
        records.append(before)
        if len(records) > MOST_DROPS:
            raise UsageError(f"{where} have over {MOST_DROPS} drops; allowed are so many; make two files of them")
    if not records:
        raise UsageError(f"{where} hold no drop; allowed is a row a drop; fill in the form")
    return records


def _read_record(
    row: Line, names: Sequence[str], colours: Sequence[str], before: Record | None, setup: dict[str, int], where: str
) -> Record:
    if len(row.cells) > len(names):
        raise UsageError(
            f"{where} has {len(row.cells)} cells; allowed are {len(names)}, as in the header; remove some, or put "
            "semicolons between the cells if the numbers have decimal commas"
        )
    least = 1 + max(i for i, name in enumerate(names) if name not in (NOTE, MARK))
    if row.wide < least:
        raise UsageError(
            f"{where} has {row.wide} of {len(names)} cells; allowed is a whole row, as the header (a {MARK} and a "
            f"{NOTE} may be left out); write the rest, with 0 or nothing between the separators where no cube was "
            "thrown or came out"
        )
    values = dict(zip(names, [*row.cells, *[""] * (len(names) - len(row.cells))], strict=True))
    counted = THROW if THROW in values else DROP
    is_free = counted == THROW
    number = _read_number(values[counted], counted, before, where)
    thrown, out = (
        {colour: _read_whole(values[kind + colour], f"{where}, {kind}{colour}") for colour in colours}
        for kind in (THROWN, OUT)
    )
    marks = tuple(values.get(MARK, "").split())
    for mark in marks:
        if mark not in MARKS:
            raise UsageError(
                f"{where}, {MARK} {quote(mark)}; allowed are {', '.join(MARKS)}, with blanks between; other words go "
                f"into the column {NOTE}"
            )
    is_first = before is None or not number
    inside = before.inside if before and number and RECOUNT not in marks else dict.fromkeys(colours, 0)
    game = (before.game if before else 0) + is_first
    total = f"{where}: {sum(thrown.values())} cubes thrown; allowed are up to"
    if not number and sum(thrown.values()) > MAX_CUBES:
        raise UsageError(f"{total} {MAX_CUBES} in a game; count again")
    if number and is_free and sum(thrown.values()) > MAX_CUBES - sum(inside.values()):
        held = sum(inside.values())
        raise UsageError(f"{total} {MAX_CUBES - held} beside {held} inside; count again, or look for a mistake above")
    if number and not is_free and MISCOUNT in marks:
        inside = {c: max(setup[c] - thrown[c], 0) if thrown[c] else held for c, held in inside.items()}
    elif number and not is_free:
        for colour, cubes in thrown.items():
            if cubes > (outside := setup[colour] - inside[colour]):
                raise UsageError(
                    f"{where}: {_words(cubes, colour)} thrown; allowed is at most {outside}, what lies outside "
                    f"({setup[colour]} thrown in drop 0, {inside[colour]} inside); count again, or look for a mistake "
                    f"before it (drop 0 throws all cubes of the game; with the column {THROW} instead of {DROP} any "
                    "number may be thrown)"
                )
    after = {colour: inside[colour] + thrown[colour] - out[colour] for colour in colours}
    for colour in colours:
        if after[colour] < 0 and MISCOUNT not in marks:
            raise UsageError(
                f"{where}: {_words(out[colour], colour)} out; allowed is at most {inside[colour] + thrown[colour]}, "
                "what was inside and thrown; count again, or look for a mistake or a missing row before it, or mark "
                f"the row {MISCOUNT}"
            )
    after = {colour: 0 if EMPTIED in marks else max(cubes, 0) for colour, cubes in after.items()}
    return Record(number, thrown, out, after, game, is_free, marks)


def _read_number(text: str, counted: str, before: Record | None, where: str) -> int:
    if not text:
        raise UsageError(f"{where}: no {counted}; allowed is its number, from 0 in the empty tower; write it")
    number = _read_whole(text, f"{where}, {counted}")
    again = "the tower emptied" if counted == THROW else "a new game with the tower emptied"
    if before is None and number == 1:
        raise UsageError(
            f"{where}: {counted} 1 is the first; allowed is 0, the throw into the empty tower; {counted}s are counted "
            "from 0, so take 1 from every number of the file"
        )
    due = before.number + 1 if before else 0
    if number not in (0, due):
        allowed = f"{due}, the next, or 0 for {again}" if before else "0, the first"
        raise UsageError(
            f"{where}: {counted} {number}; allowed is {allowed}; record every {counted}, the first into the empty tower"
        )
    if number >= MOST_OF_A_GAME:
        raise UsageError(
            f"{where}: {counted} {number}; allowed are up to {MOST_OF_A_GAME - 1}; empty the tower, begin again with 0"
        )
    return number


def _words(cubes: int, colour: str) -> str:
    return count_noun(cubes, "cube") if colour == ANY else f"{cubes} {colour}"


def _read_names(cells: Sequence[str], where: str) -> list[str]:
    names = [name_column(cell) for cell in cells]
    bare = [name for name in names if name in ("thrown", "out")]
    of_a_colour = [name for name in names if name.startswith((THROWN, OUT))]
    if bare and of_a_colour:
        raise UsageError(
            f"{where}: columns {bare[0]} and {quote(of_a_colour[0])}; allowed are those of colours or, where none were "
            "recorded, thrown and out alone; remove one kind"
        )
    if DROP in names and THROW in names:
        raise UsageError(
            f"{where}: columns {DROP} and {THROW}; allowed is {DROP} for games or {THROW} for free throws; remove one"
        )
    return [f"{name}_{ANY}" if name in bare else name for name in names]


def _read_colours(names: Sequence[str], where: str) -> list[str]:
    for name in names:
        if names.count(name) > 1:
            raise UsageError(
                f"{where}: column {quote(name)} is there twice; allowed is each once, with a name; remove one"
            )
        if not is_column(name):
            raise UsageError(
                f"{where}: column {quote(name)} is unknown; allowed are {DROP} (or {THROW}), {THROWN}COLOUR, "
                f"{OUT}COLOUR (or thrown and out), {MARK} and {NOTE}, between {', '.join(SEPARATORS.values())}; "
                "correct or remove it; a title goes behind a #"
            )
        if name in (THROWN, OUT) or not name.isprintable() or len(name) > LONGEST_NAME:
            raise UsageError(
                f"{where}: column {quote(name)} names no colour; allowed are up to {LONGEST_NAME} letters; as in "
                f"{THROWN}blue"
            )
    colours = [name.removeprefix(THROWN) for name in names if name.startswith(THROWN)]
    due = [OUT + colour for colour in colours]
    due += [THROWN + name.removeprefix(OUT) for name in names if name.startswith(OUT)]
    missing = [name for name in due if name not in names]
    if DROP not in names and THROW not in names:
        missing = [DROP, *missing]
    if missing or not colours:
        absent = missing[0] if missing else THROWN + "COLOUR"
        raise UsageError(f"{where}: column {quote(absent)} is missing; every colour needs both; add it to the header")
    return colours


def _read_whole(text: str, where: str) -> int:
    """Return a number of cubes; 3,0 and 3.00 are 3, but 3.000 is refused, because it could mean three thousand."""
    matched = re.fullmatch(r"(\d{1,9})(?:[.,]0{1,2})?", text or "0")
    if matched is None:
        raise UsageError(
            f"{where} = {quote(text)}; allowed is a whole number of up to 9 digits, or nothing for 0; correct it"
        )
    return int(matched[1])


def has_colours(records: Sequence[Record]) -> bool:
    """Return whether the colours were recorded."""
    return list(records[0].thrown) != [ANY]


def summary(records: Sequence[Record]) -> str:
    """Return a summary of the recorded drops in words."""
    drops = Counter(record.game for record in records)
    is_free = records[0].is_free
    what, series = ("free throws", "series") if is_free else ("drops", "games")
    games = f" in {len(drops)} {series} ({', '.join(map(str, drops.values()))})" if len(drops) > 1 else ""
    colours = f"colours: {', '.join(records[0].thrown)}" if has_colours(records) else "colours not recorded"
    lines = [f"{len(records)} {what}{games}; {colours}"]
    firsts = [record for record in records if not record.number]
    for first in firsts if not is_free or len(firsts) <= MOST_TOLD else ():
        which = f" of {'series' if is_free else 'game'} {first.game}" if games else ""
        thrown, out, inside = (sum(counts.values()) for counts in (first.thrown, first.out, first.inside))
        lines.append(f"first {'throw' if is_free else 'drop'}{which}: {thrown} thrown, {out} out, {inside} inside")
    later = [record for record in records if record.number]
    if later:
        out = [sum(record.out.values()) for record in later]
        kept = [sum(record.inside.values()) for record in later]
        lines.append(
            f"later {'throws' if is_free else 'drops'}: {sum(out) / len(out):.1f} out on average ({min(out)} to "
            f"{max(out)}), {sum(kept) / len(kept):.1f} inside ({min(kept)} to {max(kept)})"
        )
    return "\n".join(lines)


def draw_form(path: str | Path, colours: Sequence[str] = Rules().colours) -> None:
    """Draw a blank form to print (A4, landscape)."""
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
        axes.text(0.2, row + 2.5, str(row), color="0.6", **style | {"fontsize": 6})
    figure.text(0.04, 0.94, "Drops of my cube tower", fontsize=14, weight="bold")
    figure.text(
        0.04,
        0.85,
        "Throw all cubes into the empty tower first: that is drop 0. Record every drop, in order; leave a cell empty "
        "for 0.\nWhere a new game begins so, write 0 as the drop again. "
        "Count what a knock on the table brings out as out of the next drop. The drop is the small number of its row, "
        "if you write none beside it.\n"
        "Then type it in as CSV: a header drop,thrown_blue,out_blue,... and a row a drop; "
        "lines that begin with # are remarks (tower, cubes, date, who threw).",
        fontsize=9,
        linespacing=1.5,
    )
    save(figure, path)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status: 0 for success, 2 for a mistake of the caller."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["check", "form"])
    parser.add_argument("file", type=Path)
    options = parser.parse_args(arguments)
    try:
        if options.what == "form":
            draw_form(options.file)
        else:
            print(summary(read(options.file)))
    except UsageError as error:
        print(f"records: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
