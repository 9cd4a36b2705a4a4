"""The database file: SQLite in WAL mode. Answers are sent only after their commit is on the disk."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import queue
import secrets
import sqlite3
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tower_sim.errors import UsageError, quote
from tower_sim.tools.terminal import count_noun, one_line, warn

Statement = tuple[str, tuple[Any, ...]]
"""An SQL statement and its values."""

_Waiting = tuple[Sequence[Statement], "asyncio.AbstractEventLoop", "asyncio.Future[None]"]
VERSION = 6
_TABLES = """
CREATE TABLE answers (
    hash BLOB PRIMARY KEY NOT NULL, kind TEXT NOT NULL, made REAL NOT NULL, body BLOB NOT NULL,
    tower BLOB, number INTEGER, told BLOB
);
CREATE UNIQUE INDEX drops_of_a_tower ON answers (tower, number) WHERE tower IS NOT NULL;
CREATE INDEX answers_made ON answers (made);
CREATE TABLE towers (
    hash BLOB PRIMARY KEY, seen BLOB NOT NULL UNIQUE, used REAL NOT NULL, asked TEXT NOT NULL, state TEXT,
    drops INTEGER NOT NULL, inside TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE keys (
    scope BLOB PRIMARY KEY, made REAL NOT NULL, digest BLOB NOT NULL, status INTEGER NOT NULL,
    location TEXT NOT NULL, answer BLOB, body BLOB
) WITHOUT ROWID;
"""
"""`answers.told` is the entry of a throw in its tower's history. A tower has two identifiers: `towers.hash` is the hash
of the program's, `towers.seen` that of the table's. `towers.inside` counts the cubes inside by colour. `keys.answer` is
the hash of an answer in `answers`; `keys.body` is an answer that is not stored there."""

_APPLICATION = 0x54575253  # "TWRS": marks a file as one of ours
_BESIDE = ("", "-wal", "-shm", "-journal")
_DAY, _FORGET_EVERY = 86_400, 3_600.0  # s


def new_id() -> str:
    """Return a new identifier: 128 random bits as 22 characters."""
    return secrets.token_urlsafe(16)


def derive_table(identifier: str) -> str:
    """Return a tower's identifier for the table; the way back is not feasible."""
    return base64.urlsafe_b64encode(hashlib.sha256(f"table {identifier}".encode()).digest()[:16]).decode().rstrip("=")


def hash_id(text: str) -> bytes:
    """Return the hash of an identifier that is looked up, so that look-up times reveal none."""
    return hashlib.sha256(text.encode()).digest()


def answer_row(
    identifier: str, kind: str, body: bytes, tower: bytes | None = None, number: int | None = None, entry: bytes = b""
) -> Statement:
    """Return the statement that stores an answer; a throw into a kept `tower` has a number and a history `entry`."""
    row = (hash_id(identifier), kind, time.time(), body, tower, number, entry or None)
    return "INSERT INTO answers (hash, kind, made, body, tower, number, told) VALUES (?, ?, ?, ?, ?, ?, ?)", row


class Database:
    """The file of answers, towers and keys. One thread writes; all waiting writes are one commit."""

    def __init__(self, path: str | Path) -> None:
        path = Path(path)
        try:
            self._reader, self._writer = _open(path), _open(path)
        except (sqlite3.Error, OSError) as error:
            raise UsageError(
                f"--db {quote(str(path))} cannot be opened ({error}); allowed is a file of this service or a new one"
                " in a folder that can be written, on a disk with room; check the path"
            ) from error
        self._waiting: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write_all, name="store", daemon=True)
        self._thread.start()
        self.commits = 0

    def read(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        return self._reader.execute(sql, values).fetchall()

    async def write(self, *statements: Statement) -> None:
        """Commit the statements, all or none, and wait for the disk. Raises sqlite3.Error."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        self._waiting.put((statements, loop, future))
        await future

    def close(self) -> None:
        self._waiting.put(None)
        self._thread.join()
        self._reader.close()
        self._writer.close()

    def _write_all(self) -> None:
        is_last = False
        while not is_last and (first := self._waiting.get()) is not None:
            batch = [first]
            while not (is_last or self._waiting.empty()):
                more = self._waiting.get()
                is_last = more is None
                batch += [more] if more else []
            self._commit(batch)

    def _commit(self, batch: list[_Waiting]) -> None:
        failure: sqlite3.Error | None = None
        try:
            self._writer.execute("BEGIN IMMEDIATE")
            for statements, *_ in batch:
                for sql, values in statements:
                    self._writer.execute(sql, values)
            self._writer.execute("COMMIT")
            self.commits += 1
        except sqlite3.Error as error:
            failure = error
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")
            if len(batch) > 1:  # one of them fails: commit each by itself
                for each in batch:
                    self._commit([each])
                return
        for _, loop, future in batch:
            if not loop.is_closed():
                loop.call_soon_threadsafe(_settle, future, failure)


def _settle(future: asyncio.Future[None], failure: sqlite3.Error | None) -> None:
    if not future.done():
        future.set_exception(failure) if failure else future.set_result(None)


async def forget(store: Database, keep_days: int) -> None:
    """Delete what is older than `keep_days`, now and every hour; print failures on standard error."""
    while True:
        before = (time.time() - keep_days * _DAY,)
        columns = {"answers": "made", "keys": "made", "towers": "used"}
        try:
            await store.write(*((f"DELETE FROM {table} WHERE {at} < ?", before) for table, at in columns.items()))
        except sqlite3.Error as error:
            warn(
                one_line(f"what is older than {count_noun(keep_days, 'day')} could not be forgotten: {error}", 400, 200)
            )
        await asyncio.sleep(_FORGET_EVERY)


def _open(path: Path) -> sqlite3.Connection:
    if not path.exists():
        _make_private(path)
    path = path.absolute()  # SQLite has other meanings for :memory: and file:NAME
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
    try:
        if _version(connection, path) == 0:
            connection.execute("BEGIN IMMEDIATE")  # if two services start at once, one waits and finds the tables made
            for statement in filter(str.strip, _TABLES.split(";") if _version(connection, path) == 0 else ()):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
            connection.execute("COMMIT")
        _make_private(path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # an answer survives a power cut
    except BaseException:
        connection.close()
        raise
    return connection


def _make_private(path: Path) -> None:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    for end in _BESIDE:
        with suppress(FileNotFoundError):
            if os.stat(f"{path}{end}").st_mode & 0o077:
                os.chmod(f"{path}{end}", 0o600)


def _version(connection: sqlite3.Connection, path: Path) -> int:
    application, version, tables = (
        int(connection.execute(sql).fetchone()[0])
        for sql in ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
    )
    if application != _APPLICATION and (application or version or tables):
        raise UsageError(f"--db {quote(str(path))} is another program's file; allowed is a new one; choose another")
    if version not in (0, VERSION):
        raise UsageError(
            f"--db {quote(str(path))} is of version {version}; allowed is {VERSION}; use the tower_sim that wrote it"
        )
    return version
