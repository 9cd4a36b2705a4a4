"""The file of a service on the disk: whom it belongs to, who may read it, its copy, and why it cannot be opened."""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from tower_sim.errors import UsageError, shown
from tower_sim.writing import PART, WritingFailed, sync_directory

VERSION = 4
_TABLES = """
CREATE TABLE answers (
    hash BLOB PRIMARY KEY NOT NULL, kind TEXT NOT NULL, made REAL NOT NULL, body BLOB NOT NULL, seal BLOB NOT NULL,
    tower BLOB, number INTEGER, told BLOB
);
CREATE UNIQUE INDEX drops_of_a_tower ON answers (tower, number) WHERE tower IS NOT NULL;
CREATE INDEX answers_made ON answers (made);
CREATE TABLE towers (
    hash BLOB PRIMARY KEY, made REAL NOT NULL, used REAL NOT NULL, fields TEXT NOT NULL, state TEXT,
    drops INTEGER NOT NULL, inside TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX towers_used ON towers (used);
CREATE TABLE keys (
    scope BLOB PRIMARY KEY, made REAL NOT NULL, digest BLOB NOT NULL, status INTEGER NOT NULL,
    location TEXT NOT NULL, answer BLOB, body BLOB, seal BLOB
) WITHOUT ROWID;
CREATE INDEX keys_made ON keys (made);
CREATE TABLE rounds (hash BLOB PRIMARY KEY, made REAL NOT NULL, ledger TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX rounds_made ON rounds (made);
CREATE TABLE lines (
    round BLOB NOT NULL, number INTEGER NOT NULL, line TEXT NOT NULL, PRIMARY KEY (round, number)
) WITHOUT ROWID;
CREATE TABLE rings (id INTEGER PRIMARY KEY, made REAL NOT NULL, ring TEXT NOT NULL);
CREATE TABLE clock (seen REAL PRIMARY KEY NOT NULL) WITHOUT ROWID;
"""
"""Answers lie behind each other: among others of about its hash, each would move some that are there.

`seal` is the checksum of a body (`store.sealed`), `told` what a history says of a drop, `inside` how many cubes are in
a tower, `clock` the times that the clock has shown (`store.Database.purge`).
"""

_APPLICATION = 0x54575253  # "TWRS": says that a file is one of ours
_PRIVATE = 0o600  # the file holds the key that signs, and secrets of rounds
_BESIDE = ("", "-wal", "-shm")
_LITTLE = 1_000_000  # bytes of a disk: with less a file that cannot be opened is for want of room


def open_ours(path: Path) -> sqlite3.Connection:
    """Open the file of a service, and make its tables where it is new.

    Another program's file is left as it is. Raises UsageError for one, and for one of another version; sqlite3.Error
    and OSError where it cannot be opened.
    """
    if not path.exists():
        _make(path)
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
    try:
        version = _version(connection, path)
        _make_private(path)
        if version == 0:
            _make_tables(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # an answer outlives also a power cut
    except BaseException:
        connection.close()
        raise
    return connection


def _make(path: Path) -> None:
    """Make an empty file that nobody but its owner may read: what SQLite makes beside it gets the same rights."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, _PRIVATE))


def _make_private(path: Path) -> None:
    """Let nobody but its owner read a file that was made otherwise, and what SQLite has beside it."""
    for end in _BESIDE:
        with suppress(FileNotFoundError):
            if os.stat(beside := f"{path}{end}").st_mode & 0o077:
                os.chmod(beside, _PRIVATE)


def _version(connection: sqlite3.Connection, path: Path) -> int:
    """Return the version of a file that is ours, or empty (0). Raises UsageError for any other."""
    application, version, tables = (
        int(connection.execute(sql).fetchone()[0])
        for sql in ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
    )
    if application != _APPLICATION and (application or version or tables):
        raise UsageError(f"--db {shown(str(path))} is another program's file; allowed is a new one; choose another")
    if version not in (0, VERSION):
        raise UsageError(
            f"--db {shown(str(path))} is of version {version}; allowed is {VERSION}; use the tower_sim that wrote it"
        )
    return version


def _make_tables(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")  # two that start at once: one waits, and finds all done
    try:
        statements = _TABLES.split(";") if _version(connection, path) == 0 else ()
        for statement in filter(str.strip, statements):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def failed(path: Path, error: sqlite3.Error | OSError, what: str = "--db") -> UsageError | WritingFailed:
    """Return the error to raise when the file of an option cannot be used: WritingFailed where its disk is full."""
    said = f"{what} {shown(str(path))} cannot be {'opened' if what == '--db' else 'written'}"
    with suppress(OSError):
        if shutil.disk_usage(os.path.realpath(path.parent)).free < _LITTLE:
            return WritingFailed(f"{said}: its disk is full ({error}); nothing that is in it is lost; make room")
    return UsageError(
        f"{said} ({error}); allowed is a file of this service or a new one in a directory that can be written; "
        "check the path"
    )


def backup(source: Path, target: Path) -> None:
    """Copy the file of a service, also of one at work, as it is at one moment: whole, or nothing is left.

    Raises UsageError for a target that is there already, a source that is no file of a service, and a place that cannot
    be written; WritingFailed where the disk is full.
    """
    if target.exists():
        raise UsageError(f"backup {shown(str(target))} is there already; allowed is a new file; choose another name")
    if not source.is_file():
        raise UsageError(f"--db {shown(str(source))} is no file; allowed is that of a service; check the path")
    aside = target.with_name(f".{secrets.token_hex(8)}{PART}")
    try:
        with closing(sqlite3.connect(source)) as before:
            if _version(before, source) == 0:
                raise UsageError(f"--db {shown(str(source))} is empty; allowed is that of a service; check the path")
            _make(aside)
            with closing(sqlite3.connect(aside)) as after:
                before.backup(after)
        os.replace(aside, target)
        sync_directory(target.parent)
    except (sqlite3.Error, OSError) as error:
        raise failed(target, error, "backup") from error
    finally:
        for end in (*_BESIDE, "-journal"):
            with suppress(OSError):
                os.unlink(f"{aside}{end}")
