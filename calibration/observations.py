"""What was observed of real towers: small files with their sources, as strong or weak as they are."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from tower_sim.errors import UsageError, fault

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
        found: dict[str, tuple[int, int]] = {}
        if self.out:
            found["out"] = (sum(self.out.values()), sum(self.out.values()))
        if self.out_total:
            found["out"] = self.out_total
        if self.inside_after and self.from_empty:
            found["setup_inside"] = (sum(self.inside_after.values()), sum(self.inside_after.values()))
        if self.inside_in_play:
            found["inside"] = self.inside_in_play
        return found


def observations(folder: Path = FOLDER) -> list[Observation]:
    """Read every observation of a folder, by name; raises UsageError, in one line, for what is none."""
    return [read(file) for file in sorted(folder.glob("*.toml"))]


def read(file: Path) -> Observation:
    """Read one observation; raises UsageError, in one line that names the file."""
    try:
        table: dict[str, Any] = tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"observation {file} cannot be read ({error}); give a TOML file in UTF-8") from error
    known = [each.name for each in fields(Observation) if each.name != "name"]
    for key in table:
        if key not in known:
            raise fault(f"key of observation {file}", key, f"one of {', '.join(known)}", "correct or remove it")
    for key in ("says", "source", "kind", "strength"):
        if not isinstance(table.get(key), str) or not table[key]:
            raise fault(f"{key} of observation {file}", table.get(key), "words", "say it")
    if table["kind"] not in KINDS:
        raise fault(f"kind of observation {file}", table["kind"], f"one of {', '.join(KINDS)}")
    for key in ("thrown", "out", "inside_after"):
        counts = table.get(key, {})
        if not isinstance(counts, dict) or not all(type(n) is int and n >= 0 for n in counts.values()):
            raise fault(f"{key} of observation {file}", counts, "whole numbers from 0 by colour")
    for key in ("out_total", "inside_in_play"):
        ends = table.get(key)
        if ends is None:
            continue
        if not isinstance(ends, list) or len(ends) != 2 or not all(type(n) is int for n in ends) or ends[0] > ends[1]:
            raise fault(f"{key} of observation {file}", ends, "two whole numbers, the smaller first")
        table[key] = tuple(ends)
    return Observation(name=file.stem, **table)
