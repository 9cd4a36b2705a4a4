"""What happens once for each Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07), also over a crash.

The key, the answer and what changed are one commit: a request that is sent again gets the same answer, or, where the
first never came to its commit, is answered as if it came for the first time.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Annotated

from fastapi import Header
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from tower_sim.service.http.problems import Problem
from tower_sim.service.http.store import Database, Statement, hashed

LEAST, MOST = 16, 255  # characters; with fewer a stranger could guess another's
_TOWERS = "/v1/towers/"
_EXAMPLE = '"8e03978e-40d5-43e8-bc93-6894a57f9324"'
_TOLD = f"A new one for each request, as {_EXAMPLE}; what is sent again with it gets the same answer."
_LENGTH = f"{{{LEAST},{MOST}}}"
_HEADER = Header(alias="Idempotency-Key", description=_TOLD, examples=[_EXAMPLE])
_Text = Annotated[str, Field(pattern=f'^(?:[!#-~]{_LENGTH}|"[!#-~]{_LENGTH}")$')]
Key = Annotated[_Text, _HEADER]
MaybeKey = Annotated[_Text | SkipJsonSchema[None], _HEADER]
ADVICE = f"send {LEAST} to {MOST} visible ASCII characters but quotes, such as Idempotency-Key: {_EXAMPLE}"


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


class Once:
    """Answers each key once. Raises Problem for a key that is being answered and one of another request."""

    def __init__(self, store: Database) -> None:
        self._store = store
        self._in_flight: set[bytes] = set()

    async def answer(
        self, asked: KeyedCall, work: Callable[[], Awaitable[Answered]], alone: asyncio.Lock | None = None
    ) -> tuple[Answered, bool]:
        """Return the answer, and whether it was given before; `work` draws it where it was not.

        `alone` is held from before the work until its answer is stored.
        """
        scope = asked.scope
        if asked.key:
            if scope in self._in_flight:
                raise Problem("key.in_flight", "The first answer is not there yet; send the same again in a moment.")
            if (before := self._before(asked)) is not None:
                return before, True
            self._in_flight.add(scope)
        try:
            async with alone or nullcontext():
                answered = await work()
                body = None if answered.stored else answered.body
                row = scope, time.time(), asked.digest, answered.status, answered.location, answered.stored, body
                noted = ((f"INSERT INTO keys VALUES ({', '.join('?' * len(row))})", row),) if asked.key else ()
                await self._store.write(*answered.statements, *noted)
        finally:
            if asked.key:
                self._in_flight.discard(scope)
        return answered, False

    def _before(self, asked: KeyedCall) -> Answered | None:
        sql = "SELECT digest, status, location, answer, body FROM keys WHERE scope = ?"
        rows = self._store.read(sql, asked.scope)
        if not rows:
            return None
        digest, status, location, stored, body = rows[0]
        if not hmac.compare_digest(digest, asked.digest):
            raise Problem("key.reused", "The body is not that of the first request; take a new key for a new request.")
        if stored is not None:
            kept = self._store.read("SELECT body FROM answers WHERE hash = ?", stored)
            body = kept[0][0] if kept else None
        if location.startswith(_TOWERS):
            tower = hashed(location.removeprefix(_TOWERS)[:22])
            body = body if self._store.read("SELECT 1 FROM towers WHERE ? IN (hash, seen)", tower) else None
        if body is None:
            raise Problem("not_found", "What this key was answered with is no longer kept.")
        return Answered(status, body, location)
