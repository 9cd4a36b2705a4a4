"""The directory of a campaign: the tables of each shard, and one manifest that lists the finished shards.

    DIRECTORY/manifest.jsonl           first the spec and all that decides its results, then a line for each shard done
              drops/00012.parquet      a table's rows of one shard
              cubes/00012.parquet
              GAME/00012.parquet       the game's own columns for each drop, if it has any

A shard's line, with the digests of its files, is written after them. In the end the lines are sorted: the directory is
the same with and without a crash.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import platform
from collections.abc import Generator, Iterable
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from tower_sim.campaign import tables
from tower_sim.campaign.spec import Spec, canonical_json
from tower_sim.campaign.tables import Shard
from tower_sim.documents import Document, read
from tower_sim.drops import MAX_ATTEMPTS
from tower_sim.errors import UsageError, fault, quote
from tower_sim.physics import SETTINGS_VERSION, find_version
from tower_sim.tools import (
    OWN,
    PART,
    TOWER_SIM,
    extra,
    get,
    json_value,
    read_bytes,
    replace,
    sync_directory,
    writing_error,
)

SCHEMA = "tower-sim/campaign"
VERSION = 2
MANIFEST = "manifest.jsonl"
_OLD = "manifest.json"  # of version 1
_LOCK = ".lock.db"
_MAX_BYTES = 50_000_000  # the manifest of MAX_SHARDS shards has about 8 MB

Table = Annotated[str, Field(pattern="^[a-z][a-z0-9_]{0,99}$")]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Head(Document, frozen=True):
    """The first line of a manifest: everything that decides the bytes of the tables.

    `points` has the digests of each design point's apparatus and model.
    """

    spec: dict[str, Any]
    versions: dict[str, str]
    tables: list[Table]
    points: list[dict[str, str | None]]

    @property
    def line(self) -> str:
        """The head as one line of JSON; its last key is a digest of the others."""
        document = {"schema": SCHEMA, "version": VERSION, **self.model_dump()}
        return canonical_json(document | {"digest": _sha256(canonical_json(document).encode())})


class Done(Document, frozen=True):
    """The manifest line of a finished shard, with the SHA-256 of its files."""

    shard: int = Field(ge=0)
    sha256: dict[Table, Sha256]


@dataclass
class Store:
    """A directory with the campaign of `head`, its valid lines of shards and the numbers of damaged ones."""

    directory: Path
    head: Head
    spec: Spec
    lines: dict[int, Done] = field(default_factory=dict[int, Done])
    damaged: list[str] = field(default_factory=list[str])

    @staticmethod
    @contextmanager
    def open(directory: Path, head: Head, spec: Spec) -> Generator[Store, None, None]:
        """Create the directory or continue in it, and lock it against other runs for the block.

        Raises UsageError if it is in use, or holds another campaign, other versions or other files.
        """
        _check_owner(directory, head)  # before anything is written, and again under the lock
        _make(directory)
        with _lock(directory):
            before, store = _check_owner(directory, head), Store(directory, head, spec)
            if before:
                store.lines = {i: x for i, x in before.lines.items() if before.spec.runs_of(i) == spec.runs_of(i)}
            store.rewrite(store.lines.values())
            for name in ("", *head.tables):
                _make(directory / name)
                for path in (directory / name).glob(f".*{PART}"):  # what an interrupted write left
                    with suppress(OSError):
                        path.unlink()
            if strangers := store.foreign():
                raise UsageError(
                    f"{directory / strangers[0]} is of no shard of this campaign; allowed are its own files; "
                    "move it away, since other programs read whole folders"
                )
            yield store

    @staticmethod
    def read(directory: Path) -> Store:
        """Open a directory for reading; raises UsageError if its manifest is missing, damaged or of another version."""
        store = _at(directory)
        if store is None:
            place = quote(str(directory))
            raise UsageError(f"{place} holds no {MANIFEST}; allowed is the directory of a campaign; check the path")
        if (version := store.head.versions.get("tables")) != str(tables.VERSION):
            what = f"version of the tables in {quote(str(directory))}"
            raise fault(what, version, str(tables.VERSION), "take the tower_sim that made it")
        return store

    def path(self, table: str, index: int) -> Path:
        """Return the path of a table's file for shard `index`."""
        return self.directory / table / f"{index:05d}.parquet"

    def put(self, shard: Shard) -> None:
        """Write the tables of a shard, then its line; raises what `writing.replace` raises."""
        for table, data in shard.tables.items():
            replace(self.path(table, shard.index), data)
        line = Done(shard=shard.index, sha256={table: _sha256(data) for table, data in shard.tables.items()})
        path = self.directory / MANIFEST
        try:
            with open(path, "ab") as file:
                file.write(_text(line))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise writing_error(path, error) from error
        self.lines[shard.index] = line

    def rewrite(self, lines: Iterable[Done]) -> None:
        """Write the manifest with these lines, unless it is the same already."""
        path, data = self.directory / MANIFEST, f"{self.head.line}\n".encode() + b"".join(map(_text, lines))
        if not path.exists() or path.read_bytes() != data:
            replace(path, data)

    def is_there(self, index: int) -> bool:
        """Return whether a shard is done and all its files exist."""
        return index in self.lines and all(self.path(table, index).is_file() for table in self.head.tables)

    def problems(self, index: int) -> list[str]:
        """Return one line for each problem with the files of a shard."""
        if index not in self.lines:
            return [f"shard {index}: not done"]
        problems: list[str] = []
        for table, sha256 in self.lines[index].sha256.items():
            path = self.path(table, index)
            try:
                with path.open("rb") as file:
                    if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
                        problems.append(f"{table}/{path.name}: changed: its SHA-256 is not that in {MANIFEST}")
            except OSError as error:
                problems.append(f"{table}/{path.name}: missing or not readable ({error.strerror})")
        return problems

    def foreign(self) -> list[str]:
        """Return the files in the tables' folders that belong to no shard."""
        there = (path for table in self.head.tables for path in sorted((self.directory / table).glob("*")))
        ours = {self.path(table, index) for table in self.head.tables for index in range(self.spec.shards)}
        return [f"{x.parent.name}/{x.name}" for x in there if x not in ours and not x.name.endswith(PART)]

    def failures(self) -> tuple[int, int]:
        """Return the numbers of failed draws and of runs that ended after five in a row."""
        arrow, parquet = extra("pyarrow", "campaign"), extra("pyarrow.parquet", "campaign")
        attempts: list[int] = []
        for path in [self.path("drops", index) for index in self.lines if self.is_there(index)]:
            try:
                with parquet.ParquetFile(path.absolute()) as file:  # a dataset would load pandas: half a second
                    table = file.read(columns=["attempt", "emerged"])
                attempts += table.filter(table.column("emerged").is_null()).column("attempt").to_pylist()
            except (arrow.ArrowException, KeyError, OSError) as error:
                why = " ".join(str(error).split())[:120]
                raise UsageError(f"{path} cannot be read ({why}); run the campaign again to mend it") from error
        return len(attempts), attempts.count(MAX_ATTEMPTS - 1)


def make_head(spec: Spec) -> Head:
    """Return the first line of the manifest of a campaign that runs here."""
    game, engine = spec.game, spec.settings.get("engine")
    points = [spec.point(number) for number in range(len(spec.points))]
    versions = environment() | {"game": f"{game.name} {game.version}"}
    versions |= {"engine": f"{engine} {find_version(engine) or 'without a version'}"} if engine else {}
    return Head(
        spec=spec.plain | {"points": list(spec.points)},
        versions=versions,
        tables=[table.name for table in tables.list_tables(game)],
        points=[{"apparatus": each.apparatus.digest, "settings": each.model_digest} for each in points],
    )


def environment() -> dict[str, str]:
    """Return the versions and the platform that decide results; raises UsageError if pyarrow is missing."""
    games = [get("game", name) for name in OWN["game"]]
    versions = {
        "tower_sim": TOWER_SIM,
        **{f"{game.name}_rules": str(game.version) for game in games if game.apparatus},
        "settings": str(SETTINGS_VERSION),
        "tables": str(tables.VERSION),
        "python": platform.python_version(),
        "pyarrow": extra("pyarrow", "campaign").__version__,
    }
    for name in ("numpy", "scipy", get("engine", "bullet").distribution):
        with suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    return versions | {"system": platform.system(), "machine": platform.machine()}


def difference(expected: dict[str, str], other: dict[str, str]) -> str:
    """Return the first difference, such as `numpy 2.0.1 instead of 2.1.0`, or an empty string."""
    names = [name for name in expected if other.get(name) != expected[name]]
    return f"{names[0]} {other.get(names[0], 'none')} instead of {expected[names[0]]}" if names else ""


def _at(directory: Path) -> Store | None:
    path = directory / MANIFEST
    if not os.path.lexists(path):
        if os.path.lexists(directory / _OLD):
            raise UsageError(f"{directory} holds a campaign of an older version; use the tower_sim that made it")
        return None
    first, *rest = read_bytes(path, "file", limit=_MAX_BYTES).split(b"\n")
    try:
        document = json_value(first, "its first line")
        origin = [document.pop(key, None) for key in ("schema", "version", "digest")][:2]
        if origin != [SCHEMA, VERSION]:
            raise LookupError(*origin)
        head = read(Head, document)
        store = Store(directory, head, Spec.from_canonical(canonical_json(head.spec)))
        if head.line.encode() != first:
            raise UsageError("its digest does not match")
    except LookupError as error:
        what, ours = f"schema and version of {path}", f"{SCHEMA!r}, {VERSION}"
        raise fault(what, error.args, ours, "use the tower_sim that made it") from None
    except (UsageError, ValueError, AttributeError, TypeError) as error:
        text = f"{path} was changed or is truncated ({error}); its shards are kept; take a copy of it"
        raise UsageError(text) from None
    for number, text in enumerate(rest[:-1], 2):  # the rest after the last line break is empty, or cut short by a crash
        try:
            line = Done.model_validate_json(text)
        except ValidationError:
            line = None
        is_ours = line is not None and line.shard < store.spec.shards and [*line.sha256] == head.tables
        if line is None or not is_ours or line.shard in store.lines or _text(line) != text + b"\n":
            store.damaged.append(f"{MANIFEST}: line {number} was changed")
        else:
            store.lines[line.shard] = line
    return store


def _check_owner(directory: Path, head: Head) -> Store | None:
    store = _at(directory)
    if store is None:
        names = sorted(path.name for path in directory.iterdir()) if directory.is_dir() else []
        strange = next((name for name in names if name != _LOCK and not name.endswith(PART)), None)
        if strange:
            allowed = "a new or empty directory, or one of this campaign"
            raise UsageError(f"{directory} holds {strange!r} and no campaign; allowed is {allowed}; give another -o")
        return None
    theirs, ours = store.head, head
    has_more = len(ours.points) == 1 and theirs.spec["runs"] < ours.spec["runs"]
    if canonical_json(theirs.spec | ({"runs": ours.spec["runs"]} if has_more else {})) != canonical_json(ours.spec):
        raise UsageError(
            f"{directory} holds another campaign (seed {theirs.spec['seed']}, spec {store.spec.digest[:16]}); allowed "
            "is the same spec, of one design point also with more runs; give another -o"
        )
    if theirs.model_copy(update={"spec": ours.spec}).line != ours.line:
        why = difference(theirs.versions, ours.versions) or "another apparatus or law"
        raise UsageError(
            f"{directory} was made elsewhere: here is {why}; allowed is the same, for the same bytes; go on there or "
            "give another -o"
        )
    return store


@contextmanager
def _lock(directory: Path) -> Generator[None, None, None]:
    sqlite3 = extra("sqlite3", "campaign")  # here, because a dataset can be read by a Python that was built without it
    path = directory / _LOCK
    try:
        path.touch()  # raises an error with the reason, unlike SQLite
        database = sqlite3.connect(path.absolute(), timeout=0, isolation_level=None, check_same_thread=False)
        database.execute("PRAGMA journal_mode = MEMORY")  # no file next to it
        database.execute("BEGIN EXCLUSIVE")
    except OSError as error:
        raise writing_error(path, error) from error
    except sqlite3.Error as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise UsageError(f"{path} is no lock ({error}); allowed is the empty file of a run; remove it") from None
        text = f"{directory} is in use by another run; allowed is one at a time; wait for it or give another -o"
        raise UsageError(text) from None
    with closing(database):
        yield


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        sync_directory(directory.parent)
    except OSError as error:
        raise writing_error(directory, error, "directory") from error


def _text(line: Done) -> bytes:
    return f"{canonical_json(line.model_dump())}\n".encode()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
