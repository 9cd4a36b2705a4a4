"""Answer each Idempotency-Key once, even across a crash (draft-ietf-httpapi-idempotency-key-header-07).

The key, the answer and all changes are one commit. If it never came, a request that is sent again is new.
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
from tower_sim.service.http.store import Database, Statement, hash_id

LEAST, MOST = 16, 255  # characters; a shorter key could be guessed
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
class Reply:
    """An answer, and the `statements` to commit before it is sent.

    `stored` is the hash under which they store `body`, or None.
    """

    status: int
    body: bytes
    location: str
    statements: tuple[Statement, ...] = ()
    stored: bytes | None = None


@dataclass(frozen=True, slots=True)
class CallIdentity:
    """The identity of a request: its method and path, its key or "", and the digest of its body."""

    where: str
    key: str
    digest: bytes

    @property
    def scope(self) -> bytes:
        """The hash by which the key is looked up."""
        return hashlib.sha256(f"{self.where}\n{self.key}".encode()).digest()


class Once:
    """The answers by key."""

    def __init__(self, store: Database) -> None:
        self._store = store
        self._in_flight: set[bytes] = set()

    async def answer(
        self, call: CallIdentity, work: Callable[[], Awaitable[Reply]], alone: asyncio.Lock | None = None
    ) -> tuple[Reply, bool]:
        """Return the answer, and whether it was given before; `work` draws it the first time.

        `alone` is held until the answer is stored. Raises Problem if the key is being answered, came with another body,
        or has an answer that is no longer kept.
        """
        scope = call.scope
        if call.key:
            if scope in self._in_flight:
                raise Problem("key.in_flight", "The first answer is not there yet; send the same again in a moment.")
            if (before := self._before(call)) is not None:
                return before, True
            self._in_flight.add(scope)
        try:
            async with alone or nullcontext():
                result = await work()
                body = None if result.stored else result.body
                row = scope, time.time(), call.digest, result.status, result.location, result.stored, body
                key_rows = ((f"INSERT INTO keys VALUES ({', '.join('?' * len(row))})", row),) if call.key else ()
                await self._store.write(*result.statements, *key_rows)
        finally:
            if call.key:
                self._in_flight.discard(scope)
        return result, False

    def _before(self, call: CallIdentity) -> Reply | None:
        sql = "SELECT digest, status, location, answer, body FROM keys WHERE scope = ?"
        rows = self._store.read(sql, call.scope)
        if not rows:
            return None
        digest, status, location, stored, body = rows[0]
        if not hmac.compare_digest(digest, call.digest):
            raise Problem("key.reused", "The body is not that of the first request; take a new key for a new request.")
        if stored is not None:
            bodies = self._store.read("SELECT body FROM answers WHERE hash = ?", stored)
            body = bodies[0][0] if bodies else None
        if location.startswith(_TOWERS):
            tower = hash_id(location.removeprefix(_TOWERS)[:22])
            body = body if self._store.read("SELECT 1 FROM towers WHERE ? IN (hash, seen)", tower) else None
        if body is None:
            raise Problem("not_found", "What this key was answered with is no longer kept.")
        return Reply(status, body, location)
