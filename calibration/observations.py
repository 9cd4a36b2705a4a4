"""What was observed of real towers: small files with their sources, as strong or weak as they are."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from tower_sim.errors import fault
from tower_sim.reading import read_text, toml_table

CUBES = 49  # of a game as published
LARGEST = 100_000  # bytes of a file
LONGEST = 2000  # letters of its words
FOLDER = Path(__file__).parent / "observations"
KINDS = ("measurement", "worked example", "impression", "illustration", "qualitative")


@dataclass(frozen=True, slots=True)
class Observation:
    """One observation: what it `says`, its `source`, its `kind` (one of KINDS) and how strong it is.

    Numbers it may have, in cubes: of one drop what was `thrown` and came `out`, and what was `inside_after`, by colour
    (`from_empty`: into the empty tower); or, of many drops, the range in which the number out of a drop (`out_total`)
    or inside between drops (`inside_in_play`) is said to lie, ends included.
    """

    name: str
    says: str
    source: str
    kind: str
    strength: str
    thrown: dict[str, int] = field(default_factory=dict[str, int])
    out: dict[str, int] = field(default_factory=dict[str, int])
    inside_after: dict[str, int] = field(default_factory=dict[str, int])
    from_empty: bool = False
    out_total: tuple[int, int] | None = None
    inside_in_play: tuple[int, int] | None = None

    @property
    def numbers(self) -> dict[str, tuple[int, int]]:
        """The totals it gives: `out` of a drop, `setup_inside` after all cubes were thrown in, `inside` in play."""
        totals: dict[str, tuple[int, int]] = {}
        if self.out:
            totals["out"] = (sum(self.out.values()), sum(self.out.values()))
        if self.out_total:
            totals["out"] = self.out_total
        if self.inside_after and self.from_empty:
            totals["setup_inside"] = (sum(self.inside_after.values()), sum(self.inside_after.values()))
        if self.inside_in_play:
            totals["inside"] = self.inside_in_play
        return totals


def observations(folder: Path = FOLDER) -> list[Observation]:
    """Read every observation of a folder, by name; raises UsageError, in one line, for what is none."""
    return [read(file) for file in sorted(folder.glob("*.toml"))]


def read(file: Path) -> Observation:
    """Read one observation; raises UsageError, in one line that names the file."""
    text = read_text(file, "observation", limit=LARGEST, advice="give a TOML file in UTF-8")
    table = toml_table(text, f"observation {file}")
    known = [field.name for field in fields(Observation) if field.name != "name"]
    for key in table:
        if key not in known:
            raise fault(f"key of observation {file}", key, f"one of {', '.join(known)}", "correct or remove it")
    for key in ("says", "source", "kind", "strength"):
        words = table.get(key)
        if not isinstance(words, str) or not 0 < len(words) <= LONGEST:
            raise fault(f"{key} of observation {file}", words, f"words, up to {LONGEST} letters", "say it")
    if table["kind"] not in KINDS:
        raise fault(f"kind of observation {file}", table["kind"], f"one of {', '.join(KINDS)}")
    for key in ("thrown", "out", "inside_after"):
        counts = table.get(key, {})
        if not _are_counts(counts):
            raise fault(f"{key} of observation {file}", counts, f"whole numbers from 0 by colour, up to {CUBES} in all")
    if not isinstance(table.get("from_empty", False), bool):
        raise fault(f"from_empty of observation {file}", table["from_empty"], "true or false")
    for key in ("out_total", "inside_in_play"):
        ends = table.get(key)
        if ends is None:
            continue
        if not isinstance(ends, list) or [type(n) for n in ends] != [int, int] or not 0 <= ends[0] <= ends[1] <= CUBES:
            raise fault(f"{key} of observation {file}", ends, f"two whole numbers from 0 to {CUBES}, the smaller first")
        table[key] = tuple(ends)
    return Observation(name=file.stem, **table)


def _are_counts(counts: Any) -> bool:
    """Return whether these are numbers of cubes by colour, of a game at most."""
    if not isinstance(counts, dict):
        return False
    numbers: list[Any] = list(counts.values())
    return all(type(n) is int and 0 <= n <= CUBES for n in numbers) and sum(numbers) <= CUBES
