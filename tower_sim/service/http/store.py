"""The one file: SQLite in WAL. What is written together is committed together, and told only when it is on the disk."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import queue
import secrets
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from tower_sim.errors import UsageError, shown
from tower_sim.terminal import one_line, warn

Statement = tuple[str, tuple[Any, ...]]
"""SQL and its values; what inserts a row ends with its ` VALUES (...)`."""

_Waiting = tuple[Sequence[Statement], "asyncio.AbstractEventLoop", "asyncio.Future[None]"]
_MOST_ROWS = 16  # of one statement

MIGRATIONS = (
    """
    CREATE TABLE answers (
        hash BLOB PRIMARY KEY, kind TEXT NOT NULL, made REAL NOT NULL, body BLOB NOT NULL, tower BLOB, number INTEGER
    ) WITHOUT ROWID;
    CREATE UNIQUE INDEX drops_of_a_tower ON answers (tower, number) WHERE tower IS NOT NULL;
    CREATE INDEX answers_made ON answers (made);
    CREATE TABLE towers (
        hash BLOB PRIMARY KEY, made REAL NOT NULL, used REAL NOT NULL, fields TEXT NOT NULL, state TEXT,
        drops INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX towers_used ON towers (used);
    CREATE TABLE keys (
        scope BLOB PRIMARY KEY, made REAL NOT NULL, digest BLOB NOT NULL, status INTEGER NOT NULL,
        location TEXT NOT NULL, answer BLOB, body BLOB
    ) WITHOUT ROWID;
    CREATE INDEX keys_made ON keys (made);
    """,
    """
    CREATE TABLE rounds (hash BLOB PRIMARY KEY, made REAL NOT NULL, ledger TEXT NOT NULL) WITHOUT ROWID;
    CREATE INDEX rounds_made ON rounds (made);
    CREATE TABLE lines (
        round BLOB NOT NULL, number INTEGER NOT NULL, line TEXT NOT NULL, PRIMARY KEY (round, number)
    ) WITHOUT ROWID;
    CREATE TABLE rings (id INTEGER PRIMARY KEY, made REAL NOT NULL, ring TEXT NOT NULL);
    """,
    """
    CREATE TABLE found (
        hash BLOB PRIMARY KEY NOT NULL, kind TEXT NOT NULL, made REAL NOT NULL, body BLOB NOT NULL, tower BLOB,
        number INTEGER
    );
    INSERT INTO found SELECT hash, kind, made, body, tower, number FROM answers ORDER BY made;
    DROP TABLE answers;
    ALTER TABLE found RENAME TO answers;
    CREATE UNIQUE INDEX drops_of_a_tower ON answers (tower, number) WHERE tower IS NOT NULL;
    CREATE INDEX answers_made ON answers (made);
    """,
)
"""Scripts that lead from each version of the file to the next; never changed, only added to.

The third puts answers behind each other: among others of about its hash, each moved some that were there.
"""

_APPLICATION = 0x54575253  # "TWRS": says that a file is one of ours
_DAY = 86_400
_FORGET_EVERY = 3_600.0  # s


class _Bits:
    """Random bits of the system, fetched some hundred draws at a time: asking for few costs as much as for many."""

    def __init__(self) -> None:
        self._left = b""

    def draw(self) -> bytes:
        """Return 128 of them, given to nobody before."""
        if not self._left:
            self._left = secrets.token_bytes(16 * 256)
        drawn, self._left = self._left[:16], self._left[16:]
        return drawn


_BITS = _Bits()  # of the one thread that answers


def new_id() -> str:
    """Return an identifier of 128 random bits, 22 characters that a path may hold."""
    return base64.urlsafe_b64encode(_BITS.draw()).rstrip(b"=").decode()


def new_seed() -> str:
    """Return a seed of 128 random bits, as its decimal digits."""
    return str(int.from_bytes(_BITS.draw()))


def hashed(text: str) -> bytes:
    """Return what is looked up in the place of an identifier: how long that takes says nothing about others."""
    return hashlib.sha256(text.encode()).digest()


class Database:
    """The file of answers, towers and keys. One thread writes: all that waits at a moment is one commit.

    It is woken once a round of the loop and writes rows together: it would else stop the loop, which is of the same
    interpreter, for each.

    `open` it before use; raises UsageError for a file that cannot be opened, is not ours or is of a later version.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._reader = _opened(path)
            self._writer = _opened(path)
        except sqlite3.Error as error:
            raise UsageError(
                f"--db {shown(str(path))} cannot be opened ({error}); allowed is a file of this service or a new one "
                "in a directory that can be written; check the path"
            ) from error
        self._next: list[_Waiting] = []
        self._waiting: queue.SimpleQueue[list[_Waiting] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write_all, name="store", daemon=True)
        self._thread.start()
        self.commits = 0

    def read(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return rows of what is committed."""
        return self._reader.execute(sql, values).fetchall()

    async def write(self, *statements: Statement) -> None:
        """Write, all or nothing; returns when it is on the disk. Raises sqlite3.Error when it is not."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        self._next.append((statements, loop, done))
        loop.call_soon(self._hand_over)
        await done

    def _hand_over(self) -> None:
        if self._next:
            handed, self._next = self._next, []
            self._waiting.put(handed)

    def purge(self, keep_days: int) -> tuple[Statement, ...]:
        """Return the statements that forget what is older."""
        before = (time.time() - keep_days * _DAY,)
        return (
            ("DELETE FROM answers WHERE made < ?", before),
            ("DELETE FROM keys WHERE made < ?", before),
            ("DELETE FROM towers WHERE used < ?", before),
            ("DELETE FROM lines WHERE round IN (SELECT hash FROM rounds WHERE made < ?)", before),
            ("DELETE FROM rounds WHERE made < ?", before),
        )

    def close(self) -> None:
        """Write what waits, and close the file."""
        self._hand_over()
        self._waiting.put(None)
        self._thread.join()
        self._reader.close()
        self._writer.close()

    def _write_all(self) -> None:
        while (first := self._waiting.get()) is not None:
            batch, is_last = first, False
            while not self._waiting.empty():
                if (more := self._waiting.get()) is None:
                    is_last = True
                    break
                batch += more
            self._commit(batch)
            if is_last:
                return

    def _commit(self, batch: list[_Waiting]) -> None:
        try:
            self._transact([statement for statements, *_ in batch for statement in statements])
        except sqlite3.Error as error:
            if len(batch) == 1:
                _tell(batch, error)
            else:  # one of them fails: each for itself
                for each in batch:
                    self._commit([each])
            return
        self.commits += 1
        _tell(batch, None)

    def _transact(self, statements: Sequence[Statement]) -> None:
        some = list(joined(statements))
        if len(some) == 1:  # which is a transaction by itself
            self._writer.execute(*some[0])
            return
        self._writer.execute("BEGIN IMMEDIATE")
        try:
            for sql, values in some:
                self._writer.execute(sql, values)
            self._writer.execute("COMMIT")
        except sqlite3.Error:
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")
            raise


def joined(statements: Sequence[Statement]) -> Iterator[Statement]:
    """Yield fewer statements that do the same: equal ones in a row that insert a row each insert them together."""
    for sql, alike in groupby(statements, itemgetter(0)):
        rows = [values for _, values in alike]
        head, _, values_of_one = sql.rpartition(" VALUES ")
        most = _MOST_ROWS if head.startswith("INSERT ") else 1
        for i in range(0, len(rows), most):
            some = rows[i : i + most]
            yield sql + f", {values_of_one}" * (len(some) - 1), tuple(chain.from_iterable(some))


def _tell(batch: list[_Waiting], error: sqlite3.Error | None) -> None:
    def tell() -> None:
        for _, _, done in batch:
            if done.done():
                continue
            if error is None:
                done.set_result(None)
            else:
                done.set_exception(error)

    loop = batch[0][1]
    if not loop.is_closed():
        loop.call_soon_threadsafe(tell)


async def forget(store: Database, keep_days: int, pause: Callable[[], Awaitable[None]] | None = None) -> None:
    """Forget what is older than `keep_days`, now and after each `pause` (an hour), until it is cancelled.

    Where that fails, it is told on standard error, and tried again.
    """
    while True:
        try:
            await store.write(*store.purge(keep_days))
        except sqlite3.Error as error:
            warn(one_line(f"what is older than {keep_days} days could not be forgotten: {error}", 400, 200))
        await (asyncio.sleep(_FORGET_EVERY) if pause is None else pause())


def backup(source: Path, target: Path) -> None:
    """Copy the file of a service, also of one at work, as it is at one moment.

    Raises UsageError for a target that is there already, and for what cannot be read or written.
    """
    if target.exists():
        raise UsageError(f"backup {shown(str(target))} is there already; allowed is a new file; choose another name")
    if not source.is_file():
        raise UsageError(f"--db {shown(str(source))} is no file; allowed is that of a service; check the path")
    try:
        before, after = sqlite3.connect(source), sqlite3.connect(target)
        try:
            before.backup(after)
        finally:
            before.close()
            after.close()
    except sqlite3.Error as error:
        raise UsageError(f"backup {shown(str(target))} cannot be written ({error}); check both paths") from error


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")  # an answer outlives also a power cut
    _migrate(connection, path)
    return connection


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")  # two that start at once: one waits, and finds all done
    try:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        application = int(connection.execute("PRAGMA application_id").fetchone()[0])
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if application != _APPLICATION and tables:
            raise UsageError(f"--db {shown(str(path))} is another program's file; allowed is a new one; choose another")
        if version > len(MIGRATIONS):
            raise UsageError(
                f"--db {shown(str(path))} is of version {version}; allowed is up to {len(MIGRATIONS)}; "
                "use the later tower_sim that wrote it"
            )
        for script in MIGRATIONS[version:]:
            for statement in filter(str.strip, script.split(";")):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
