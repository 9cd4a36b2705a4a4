"""Records of towers that were printed or cut: what was built, checked, beside the drops that fell through it.

python -m tower_sim.calibration.printed check FOLDER/record.toml
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path
from typing import cast

from tower_sim.apparatus.catalogue import load
from tower_sim.calibration import records
from tower_sim.errors import UsageError, fault, shown, unknown
from tower_sim.reading import read_text, toml_table

SCHEMA, VERSION = "tower-sim/printed-record", 1
MADE = ("printed", "laser-cut")
LARGEST = 100_000  # bytes of a record
LONGEST = 500  # letters of a field
PROFILE = "tower.toml"
_CUBES = 0.05  # of its edge: by so much more a cube is another one than the profile's
_DIGEST = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class PrintedRecord:
    """What was built: `profile_digest` tells which tower, `parts_digest` which files; `drops` is the CSV beside it.

    `layer_mm` is the height of a printed layer or the thickness of the sheet, `cube_edge_mm` the mean of ten measured
    cubes, `cube_mass_g` that of ten together (0: not weighed), `measured_mm` what was measured of the tower, by name.
    """

    profile_digest: str
    parts_digest: str
    drops: str
    made: str
    material: str
    layer_mm: float
    finish: str
    cube_edge_mm: float
    cube_material: str
    cube_mass_g: float
    measured_mm: Mapping[str, float]
    changes: str
    who: str
    when: str
    licence: str


_NEEDED = ("drops", "made", "material", "finish", "cube_material", "who", "when", "licence")
_LENGTHS = {"layer_mm": (0.02, 10.0), "cube_edge_mm": (2.0, 40.0), "cube_mass_g": (0.0, 1000.0)}


def read(path: str | Path) -> PrintedRecord:
    """Read a record; raises UsageError, in one line, for what it lacks and for what cannot be."""
    where = f"record {shown(str(path))}"
    text = read_text(path, "record", limit=LARGEST, advice="give the record.toml that export wrote, filled in")
    table = toml_table(text, where)
    if table.pop("schema", None) != SCHEMA or table.pop("version", None) != VERSION:
        raise UsageError(
            f"{where} has no schema {SCHEMA!r} of version {VERSION}; allowed is the form of export; fill that in"
        )
    known = [field.name for field in fields(PrintedRecord)]
    for key in table:
        if key not in known:
            raise unknown(f"key of {where}", key, known, "correct or remove it")
    for key in known:
        if key not in table:
            raise UsageError(f"{where} lacks {key}; allowed are all of {', '.join(known)}; add it")
    for key, value in table.items():
        _check(where, key, value)
    return PrintedRecord(**table)


def _check(where: str, key: str, value: object) -> None:
    what = f"{key} of {where}"
    if key in _LENGTHS:
        low, high = _LENGTHS[key]
        if not _is_number(value, low, high):
            raise fault(what, value, f"a number from {low:g} to {high:g}", "measure it")
        return
    if key == "measured_mm":
        told = cast("dict[str, object]", value) if isinstance(value, dict) else {"": None}
        if not all(_is_number(length, 0.0, 2000.0) for length in told.values()):
            raise fault(what, value, "a table of lengths in mm, or {}", "write { upper_opening = 13.1 }")
        return
    if not isinstance(value, str) or len(value) > LONGEST or (key in _NEEDED and not value.strip()):
        raise fault(what, value, f"words, up to {LONGEST} letters", "fill it in")
    if key == "made" and value not in MADE:
        raise unknown(what, value, MADE, "say how it was made")
    if key.endswith("_digest") and not _DIGEST.fullmatch(value):
        raise fault(what, value, "16 letters of 0 to 9 and a to f", "take those that export wrote")
    if key == "when" and not _is_day(value):
        raise fault(what, value, "a day, as 2026-11-23", "write it so")


def _is_number(value: object, low: float, high: float) -> bool:
    return type(value) in (int, float) and math.isfinite(cast("float", value)) and low <= cast("float", value) <= high


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def checked(path: str | Path) -> list[str]:
    """Read a record with its drops and its profile, and say what they are, what to mind, what next.

    Raises UsageError for a record, drops or a profile that cannot be.
    """
    path = Path(path)
    record = read(path)
    drops, profile = path.parent / Path(record.drops).name, path.parent / PROFILE
    thrown = records.read(drops)
    tower = load(profile)
    lines = [
        f"A {record.made} tower of {record.material}, by {record.who}, {record.when}: {len(thrown)} drops recorded.",
    ]
    if tower.digest != record.profile_digest:
        lines.append(
            f"Mind: it was built after another profile ({record.profile_digest}) than {profile} ({tower.digest})."
        )
    edge = 1e3 * tower.cube_edge
    if abs(record.cube_edge_mm / edge - 1) > _CUBES:
        lines.append(
            f"Mind: its cubes have an edge of {record.cube_edge_mm:g} mm, the profile's {edge:.4g} mm: others make "
            "another tower; write theirs into the profile."
        )
    if record.changes.strip():
        lines.append(f"Mind: it was changed: {record.changes.strip()}")
    return [*lines, records.summary(thrown), f"next: tower-sim fairness {drops} --apparatus {profile}"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line; returns the exit status: 0 all is well, 2 the caller's mistake."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["check"])
    parser.add_argument("file", type=Path)
    options = parser.parse_args(arguments)
    try:
        print("\n".join(checked(options.file)))
    except UsageError as error:
        print(f"printed: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
