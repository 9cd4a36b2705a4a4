"""The one file: SQLite in WAL. What is written together is committed together, and told only when it is on the disk."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
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

from tower_sim.service.http.files import failed, open_ours
from tower_sim.terminal import one_line, warn

Statement = tuple[str, tuple[Any, ...]]
"""SQL and its values; what inserts a row ends with its ` VALUES (...)`."""

_Waiting = tuple[Sequence[Statement], "asyncio.AbstractEventLoop", "asyncio.Future[None]"]
_MOST_ROWS = 16  # of one statement

DAY = 86_400
_FORGET_EVERY = 3_600.0  # s


def _bits() -> Iterator[bytes]:
    """Yield 128 random bits of the system each time, fetched for many: asking for few costs as much."""
    while True:
        some = secrets.token_bytes(16 * 256)
        yield from (some[i : i + 16] for i in range(0, len(some), 16))


_BITS = _bits()  # of the one thread that answers


def new_id() -> str:
    """Return an identifier of 128 random bits, 22 characters that a path may hold."""
    return base64.urlsafe_b64encode(next(_BITS)).rstrip(b"=").decode()


def new_seed() -> str:
    """Return a seed of 128 random bits, as its decimal digits."""
    return str(int.from_bytes(next(_BITS)))


def hashed(text: str) -> bytes:
    """Return what is looked up in the place of an identifier: how long that takes says nothing about others."""
    return hashlib.sha256(text.encode()).digest()


def sealed(name: bytes, body: bytes) -> bytes:
    """Return the checksum of a body that is stored under `name`."""
    return hashlib.blake2b(body, digest_size=16, key=name).digest()


def answer_row(
    identifier: str, kind: str, body: bytes, tower: bytes | None = None, number: int | None = None, told: bytes = b""
) -> Statement:
    """Return the statement that stores an answer; of a drop into a `tower` with its number and what a history says."""
    name = hashed(identifier)
    row = (name, kind, time.time(), body, sealed(name, body), tower, number, told or None)
    return (
        "INSERT INTO answers (hash, kind, made, body, seal, tower, number, told) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        row,
    )


class Damaged(Exception):
    """A body on the disk is not the one that was stored."""


def checked(name: bytes, body: bytes, seal: bytes | None) -> bytes:
    """Return a body as it was stored under `name`; raises Damaged where its checksum is another, or gone."""
    if seal is None or not hmac.compare_digest(seal, sealed(name, body)):
        warn(f"the file of answers is damaged: the row {name.hex()} is not as it was written; take it from a backup")
        raise Damaged
    return body


class Database:
    """The file of answers, towers and keys. One thread writes: all that waits at a moment is one commit.

    It is woken once a round of the loop and writes rows together: it would else stop the loop, which is of the same
    interpreter, for each.

    `open` it before use; raises UsageError for a file that cannot be opened, is not ours or is of another version, and
    WritingFailed where its disk is full.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._reader = open_ours(path)
            self._writer = open_ours(path)
        except (sqlite3.Error, OSError) as error:
            raise failed(path, error) from error
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

    def purge(self, keep_days: int, now: float) -> tuple[Statement, ...]:
        """Return the statements that note the time and forget what is older than `keep_days`.

        A clock that is ahead makes all that is kept look old, and what is deleted does not come back when it is set
        right. So a purge deletes what was old enough at a purge of a day before. A time that is still to come was shown
        by a clock that was ahead, and counts no more.
        """
        noted = (("DELETE FROM clock WHERE seen > ?", (now,)), ("INSERT OR REPLACE INTO clock VALUES (?)", (now,)))
        ((seen,),) = self.read("SELECT max(seen) FROM clock WHERE seen <= ?", now - DAY)
        if seen is None:
            return noted
        before = (seen - keep_days * DAY,)
        return (
            *noted,
            ("DELETE FROM clock WHERE seen < ?", (seen,)),
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
        is_last = False
        while not is_last and (batch := self._waiting.get()) is not None:
            while not (is_last or self._waiting.empty()):
                more = self._waiting.get()
                is_last = more is None
                batch += more or []
            self._commit(batch)

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
            await store.write(*store.purge(keep_days, time.time()))
        except sqlite3.Error as error:
            warn(one_line(f"what is older than {keep_days} days could not be forgotten: {error}", 400, 200))
        await (asyncio.sleep(_FORGET_EVERY) if pause is None else pause())
