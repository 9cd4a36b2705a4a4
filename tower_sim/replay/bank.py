"""Bank: the recorded drops of a campaign, and which of them can be shown in the place of one that is wanted."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from tower_sim.apparatus.catalogue import from_tables
from tower_sim.apparatus.parts import Apparatus
from tower_sim.errors import UsageError, shown
from tower_sim.extras import extra
from tower_sim.reading import json_value, read_text
from tower_sim.replay import stored
from tower_sim.replay.matching import LEVELS, Wanted, distance, level_of, read_moves
from tower_sim.replay.takes import Take

_SCHEMA = ["tower-sim/campaign", 1]
_POSES = "poses"
_FEW = 12  # numbers of cubes thrown that a message names
_INDEX = """
    CREATE TABLE takes AS
    SELECT row_number() OVER (ORDER BY filename, file_row_number) AS number, filename, file_row_number,
           run, "drop", inside_before, thrown, emerged, emerged_thrown, moves
    FROM read_parquet($files, filename = true, file_row_number = true)
    WHERE kind = 'drop' AND thrown > 0
"""
_ALIKE = """
    SELECT moves, list(number ORDER BY number) FROM takes
    WHERE inside_before = $inside AND thrown = $thrown AND emerged = $out GROUP BY moves ORDER BY moves
"""
_NEAR = """
    SELECT abs(inside_before - $inside) AS apart, moves, list(number ORDER BY number) FROM takes
    WHERE thrown = $thrown GROUP BY inside_before, moves ORDER BY apart, inside_before, moves
"""


@dataclass(frozen=True, slots=True)
class Found:
    """A recorded drop that can be shown: its number in the bank, at what level, and its `distance` in cubes.

    `run` and `drop` are those of the campaign; `among` is how many drops it was drawn from.
    """

    number: int
    level: str
    distance: int
    run: int
    drop: int
    among: int


class Bank:
    """The recorded drops of one campaign of one tower, open to be searched; close it, or use it as a context manager.

    `drops` is how many there are, `campaign` the digest of its spec.
    """

    def __init__(self, directory: str | Path, first: int | None = None) -> None:
        """Open the campaign in `directory`; `first` keeps that many of its drops, in their order.

        Raises UsageError for what is no campaign with a table of recorded drops, one of several towers or of one with a
        board, files that are damaged or of another campaign, and where DuckDB is not installed.
        """
        self.directory = Path(directory)
        duckdb = extra("duckdb", "replay")
        manifest = _manifest(self.directory)
        spec: dict[str, Any] = manifest["spec"]
        self.campaign: str = manifest["spec_digest"]
        self.apparatus: Apparatus = from_tables(spec["profile"], spec["apparatus"])
        if self.apparatus.board is not None:
            raise self._refused(f"is of {self.apparatus.name}, which has a board", "a tower", "give another bank")
        done = sorted(path.stem for path in (self.directory / "receipts").glob("[0-9]*.json"))
        files = [str(self.directory / _POSES / f"{stem}.parquet") for stem in done]
        if not files:
            raise self._refused("has no finished shard", "one with recorded drops", "run the campaign")
        self._errors: Any = duckdb.Error
        self._database: Any = duckdb.connect(":memory:", config={"threads": 1, "autoinstall_known_extensions": False})
        try:
            with self._reading():
                self._check_owner(files)
                self._database.execute(_INDEX, {"files": files})
                if first is not None:
                    self._database.execute("DELETE FROM takes WHERE number > $first", {"first": first})
                self.drops: int = self._rows("SELECT count(*) FROM takes")[0][0]
        except UsageError:
            self.close()
            raise

    def __enter__(self) -> Bank:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the index back."""
        self._database.close()

    @property
    def name(self) -> str:
        """What a page calls it: the directory's own name."""
        return self.directory.resolve().name

    def check(self, apparatus: Apparatus) -> None:
        """Raise UsageError unless its drops are of this very tower."""
        if apparatus.digest != self.apparatus.digest:
            raise self._refused(
                f"is of the tower {self.apparatus.name} ({self.apparatus.digest})",
                f"one of {apparatus.name} ({apparatus.digest})",
                "record a campaign of that",
            )

    def find(self, wanted: Wanted, rng: np.random.Generator) -> Found | None:
        """Return a recorded drop that is as good as any for what is wanted; None where none throws as many cubes.

        Random: which one of several at the best level, or of those at the least distance.
        """
        inside, thrown, out = wanted.size
        with self._reading():
            rows = self._rows(_ALIKE, {"inside": inside, "thrown": thrown, "out": out})
            by_level: dict[str, list[int]] = {}
            for moves, numbers in rows:
                if level := level_of(wanted, read_moves(moves)):
                    by_level.setdefault(level, []).extend(numbers)
            for level in LEVELS:
                if level in by_level:
                    return self._drawn(by_level[level], level, 0, rng)
            numbers, far = self._nearest(wanted)
            return self._drawn(numbers, LEVELS[-1], far, rng) if numbers else None

    def take(self, found: Found) -> Take:
        """Return what a drop looked like, as it was recorded; raises UsageError where the bank is damaged."""
        with self._reading():
            where = "SELECT filename, file_row_number FROM takes WHERE number = $number"
            ((file, row),) = self._rows(where, {"number": found.number})
            motion = "SELECT motion FROM read_parquet($file, file_row_number = true) WHERE file_row_number = $row"
            ((data,),) = self._rows(motion, {"file": file, "row": row})
            return stored.unpacked(data)

    def thrown(self) -> list[int]:
        """Return the numbers of cubes that its drops throw."""
        return [row[0] for row in self._rows("SELECT DISTINCT thrown FROM takes ORDER BY thrown")]

    def nothing_fits(self, sizes: Sequence[tuple[int, int, int]]) -> UsageError:
        """Return the error that nothing recorded can be shown for drops of these sizes: inside before, thrown, out."""
        if not sizes:
            allowed = "a drop that throws cubes; knocks are not matched"
            return self._refused("was asked for nothing that it could show", allowed, "take another outcome")
        known = self.thrown()
        named = ", ".join(map(str, known[:_FEW])) + (", ..." if len(known) > _FEW else "")
        inside, thrown, _ = sizes[0]
        asked = f"has no drop that throws {thrown} cubes onto {inside}"
        return self._refused(asked, f"{named or 'nothing'}, which it throws", "record a campaign that does")

    def _nearest(self, wanted: Wanted) -> tuple[list[int], int]:
        """Return the drops at the least distance, and that; no drops where none can be shown."""
        inside, thrown, _ = wanted.size
        best: list[int] = []
        least = 0
        for apart, moves, numbers in self._rows(_NEAR, {"inside": inside, "thrown": thrown}):
            if best and apart > least:
                break
            far = distance(wanted, read_moves(moves))
            if far is None or (best and far > least):
                continue
            if not best or far < least:
                best, least = [], far
            best = best + numbers
        return sorted(best), least

    def _drawn(self, numbers: Sequence[int], level: str, far: int, rng: np.random.Generator) -> Found:
        number = sorted(numbers)[int(rng.integers(len(numbers)))]
        ((run, drop),) = self._rows('SELECT run, "drop" FROM takes WHERE number = $number', {"number": number})
        return Found(number, level, far, run, drop, len(numbers))

    def _rows(self, query: str, values: Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
        return cast("list[tuple[Any, ...]]", self._database.execute(query, values or {}).fetchall())

    def _check_owner(self, files: Sequence[str]) -> None:
        """Refuse files that the campaign did not write."""
        keys = "SELECT file_name, decode(value) FROM parquet_kv_metadata($files) WHERE decode(key) = 'spec'"
        ours = {file for file, spec in self._rows(keys, {"files": list(files)}) if spec == self.campaign}
        if strange := sorted(set(files) - ours):
            name = f"{_POSES}/{Path(strange[0]).name}"
            raise self._refused(f"has {name} of another campaign", "its own files", "run `campaign verify`")

    @contextmanager
    def _reading(self) -> Generator[None]:
        try:
            yield
        except (self._errors, ValueError) as error:
            if isinstance(error, UsageError):
                raise
            why = " ".join(str(error).split())[:120]
            raise self._refused(
                f"cannot be read ({why})", "a dataset as it was written", "run `campaign verify`"
            ) from error

    def _refused(self, what: str, allowed: str, advice: str) -> UsageError:
        return UsageError(f"bank {shown(str(self.directory))} {what}; allowed is {allowed}; {advice}")


def _manifest(directory: Path) -> dict[str, Any]:
    """Read a campaign's manifest as far as a bank needs it; raises UsageError."""
    path = directory / "manifest.json"
    what = f"bank {shown(str(directory))}"
    advice = "give the directory of a campaign with record = true"
    if not path.exists():
        raise UsageError(f"{what} holds no manifest.json; allowed is the directory of a campaign; {advice}")
    plain: object = json_value(read_text(path, "manifest", advice=advice), "the manifest")
    manifest = cast("dict[str, Any]", plain) if isinstance(plain, dict) else {}
    if [manifest.get("schema"), manifest.get("version")] != _SCHEMA:
        raise UsageError(f"{what} holds no manifest of a campaign that is known here; {advice}")
    try:
        spec, points = manifest["spec"], manifest["points"]
        recorded, versions, several = spec.get("record") is True, manifest["versions"], len(points)
        named = isinstance(spec["apparatus"], str) and isinstance(manifest["spec_digest"], str)
    except (KeyError, TypeError, AttributeError):
        recorded, versions, several, named = False, cast("dict[str, Any]", {}), 1, True
    if not (recorded and named):
        raise UsageError(f"{what} has no recorded drops; allowed is a campaign of physics with record = true; {advice}")
    if several != 1:
        raise UsageError(f"{what} has {several} design points; allowed is 1: one tower; {advice}")
    if versions.get(_POSES) != str(stored.VERSION):
        version = shown(versions.get(_POSES))
        raise UsageError(f"{what} has drops of version {version}; allowed is {stored.VERSION}; record it anew")
    return manifest
