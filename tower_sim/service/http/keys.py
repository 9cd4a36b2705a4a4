"""What happens once for each Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07), also over a crash.

The key, the answer and what changed are one commit: a request that is sent again gets the same answer, or, where the
first never came to its commit, is answered as if it came for the first time.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass

from tower_sim.service.http.problems import Problem
from tower_sim.service.http.store import Database, Statement, checked, hashed, sealed

LEAST, MOST = 16, 255  # characters; with fewer a stranger could guess another's
_KEY = re.compile(f"[\\x21\\x23-\\x7e]{{{LEAST},{MOST}}}")
_TOWERS = "/v1/towers/"
_EXAMPLE = 'Idempotency-Key: "8e03978e-40d5-43e8-bc93-6894a57f9324"'
_ROW = "scope, made, digest, status, location, answer, body, seal"
_EACH = "?, ?, ?, ?, ?, ?, ?, ?"
_ADVICE = f"send {LEAST} to {MOST} visible ASCII characters but quotes: {_EXAMPLE}"


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer, and the `statements` that must be committed before it is given.

    `stored` is the hash under which its `body` is stored as an answer by them, if it is.
    """

    status: int
    body: bytes
    location: str
    statements: tuple[Statement, ...] = ()
    stored: bytes | None = None


@dataclass(frozen=True, slots=True)
class KeyedCall:
    """What is asked for once: the method and path, the key (empty: none was sent), and the digest of the body."""

    where: str
    key: str
    digest: bytes

    @property
    def scope(self) -> bytes:
        """What the key is looked up by: its own bytes and where it was sent to."""
        return hashlib.sha256(f"{self.where}\n{self.key}".encode()).digest()


def read_key(value: str | None, *, needed: bool) -> str:
    """Return the key of a header, with or without quotes; raises Problem where it is missing or not allowed."""
    if value is None:
        if needed:
            raise Problem("key.missing", f"There is none; allowed is a new one for each request; {_ADVICE}")
        return ""
    key = value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
    if not _KEY.fullmatch(key):
        raise Problem("key.invalid", f"It has {len(key)} characters, or some that are not allowed; {_ADVICE}")
    return key


class Once:
    """Answers each key once. Raises Problem for a key that is being answered and one of another request."""

    def __init__(self, store: Database) -> None:
        self._store = store
        self._in_flight: set[bytes] = set()

    async def answer(
        self,
        asked: KeyedCall,
        work: Callable[[], Awaitable[Answered]],
        alone: AbstractAsyncContextManager[object] | None = None,
    ) -> tuple[Answered, bool]:
        """Return the answer, and whether it was given before; `work` draws it where it was not.

        `alone` is held from before the work until its answer is stored.
        """
        alone = nullcontext() if alone is None else alone
        if not asked.key:
            async with alone:
                answered = await work()
                await self._store.write(*answered.statements)
            return answered, False
        scope = asked.scope
        if scope in self._in_flight:
            raise Problem("key.in_flight", "The first answer is not there yet; send the same again in a moment.")
        if (before := self._before(asked, scope)) is not None:
            return before, True
        self._in_flight.add(scope)
        try:
            async with alone:
                answered = await work()
                body = None if answered.stored else answered.body
                seal = None if body is None else sealed(scope, body)
                how = asked.digest, answered.status, answered.location, answered.stored
                row = scope, time.time(), *how, body, seal
                await self._store.write(*answered.statements, (f"INSERT INTO keys ({_ROW}) VALUES ({_EACH})", row))
        finally:
            self._in_flight.discard(scope)
        return answered, False

    def _before(self, asked: KeyedCall, scope: bytes) -> Answered | None:
        rows = self._store.read(f"SELECT {_ROW} FROM keys WHERE scope = ?", scope)
        if not rows:
            return None
        name, _, digest, status, location, stored, body, seal = rows[0]
        if not hmac.compare_digest(digest, asked.digest):
            raise Problem("key.reused", "The body is not that of the first request; take a new key for a new request.")
        if stored is not None:
            kept = self._store.read("SELECT hash, body, seal FROM answers WHERE hash = ?", stored)
            name, body, seal = kept[0] if kept else (stored, None, None)
        if location.startswith(_TOWERS):
            tower = hashed(location.removeprefix(_TOWERS))
            body = body if self._store.read("SELECT 1 FROM towers WHERE hash = ?", tower) else None
        if body is None:
            raise Problem("not_found", "What this key was answered with is no longer kept.")
        return Answered(status, checked(name, body, seal), location)
