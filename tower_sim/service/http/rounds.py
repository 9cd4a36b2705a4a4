"""Rounds of verifiable draws: commitment, words of the player, draws, reveal; docs/verify.md says what that proves.

Each round has a log of its own. A step, its line and its answer are one commit, so what was answered is in the log.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from starlette.requests import Request as Call
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from tower_sim.errors import fault
from tower_sim.fields import refuse_unknown
from tower_sim.models import settings_of
from tower_sim.requests import PHYSICS, OddsRequest, first_game, one_of
from tower_sim.service.codes import TOO_LARGE
from tower_sim.service.http import drawing
from tower_sim.service.http.draws import EXAMPLES, KINDS, MAX_WAITED
from tower_sim.service.http.keys import Answered
from tower_sim.service.http.problems import Problem
from tower_sim.service.http.service import Endpoint, Service, encoded, identifier_of, plain, several
from tower_sim.service.http.store import Statement, answer_row, hashed, new_id
from tower_sim.service.opened import Opened
from tower_sim.service.verifiable import Keyring, Ledger, opened
from tower_sim.service.verifiable.ledger import Step
from tower_sim.service.verifiable.redraw import made_by

SCHEMA, KEYS, VERSION = "tower-sim/round", "tower-sim/keys", 1
LINES = "application/jsonl"
MAX_DRAWS = 1000  # of one round
_AT_ONCE = 8  # lines of a log, each of up to 2 MB
KEY_DAYS = 90
_DAY = 86_400
_NOT_DUE = "round.order"


def routes(service: Service) -> list[Route]:
    """Return the routes."""
    rounds = _Rounds(service)
    return [
        several("/v1/rounds", POST=rounds.make),
        several("/v1/rounds/{id}", GET=rounds.get),
        several("/v1/rounds/{id}/words", POST=rounds.words),
        *(several(f"/v1/rounds/{{id}}/{path}", POST=rounds.draw(path)) for path in KINDS),
        several("/v1/rounds/{id}/reveal", POST=rounds.reveal),
        several("/v1/rounds/{id}/log", GET=rounds.log),
        several("/v1/keys", GET=rounds.keys),
    ]


class _Rounds:
    def __init__(self, service: Service) -> None:
        self._service = service
        self._ring: tuple[Keyring, float] | None = None
        self._making = asyncio.Lock()
        self._makers: dict[tuple[Any, ...], dict[str, Any]] = {}

    async def make(self, call: Call) -> Response:
        """Open a round: the secret is drawn, and its hash is told."""

        async def work(body: dict[str, Any]) -> Answered:
            refuse_unknown(body, {}, "round")
            identifier = new_id()
            ledger, lines = opened(await self._keys(), secrets.token_bytes)
            row = (hashed(identifier), time.time(), json.dumps(ledger.to_plain()))
            statements = ("INSERT INTO rounds VALUES (?, ?, ?)", row), *_rows(identifier, ledger, lines)
            return Answered(201, encoded(_document(identifier, ledger)), f"/v1/rounds/{identifier}", statements)

        return await self._service.once_for(call, "{}", work)

    async def get(self, call: Call) -> Response:
        """Tell how a round stands."""
        return plain(_document(*self._round(call)))

    async def words(self, call: Call) -> Response:
        """Take the player's words."""

        def step(ledger: Ledger, ring: Keyring, body: dict[str, Any]) -> Step:
            refuse_unknown(body, {"words": None}, "words")
            if ledger.words is not None:
                raise Problem(_NOT_DUE, "This round has its words already; open another for other words.")
            return ledger.worded(ring, body.get("words"))

        return await self._step(call, '{"words": "seven green tomatoes"}', step)

    async def reveal(self, call: Call) -> Response:
        """End a round and show its secret."""

        def step(ledger: Ledger, ring: Keyring, body: dict[str, Any]) -> Step:
            refuse_unknown(body, {}, "reveal")
            return ledger.revealed(ring)

        return await self._step(call, "{}", step)

    def draw(self, path: str) -> Endpoint:
        """Return the endpoint of what is drawn with the next seed of a round: drops, games or battles."""
        kind, service = KINDS[path], self._service
        known = tuple(field for field in service.fields[kind] if field != "seed")

        async def draw(call: Call) -> Response:
            row = hashed(identifier_of(call))

            async def work(body: dict[str, Any]) -> Answered:
                identifier, ledger = self._open(call)
                if ledger.words is None:
                    raise Problem(_NOT_DUE, "Nothing is drawn before the player's words; send them first.")
                if ledger.index >= MAX_DRAWS:
                    raise Problem(_NOT_DUE, f"This round has had {MAX_DRAWS} draws; reveal it, and open another.")
                fields = _named(kind, drawing.narrowed(kind, body, known))
                drawn = await service.drawn(kind, fields | {"seed": str(ledger.seed)}, row)
                line = drawing.line_of(kind, fields)
                after, lines = ledger.drawn(await self._keys(), line, drawn, await self._made_by(fields))
                name = new_id()
                at = {"round": ledger.round_id, "index": ledger.index, **after.last}
                whole = encoded({"id": name, **at, **drawn})
                statements = (answer_row(name, kind, whole), *_kept(identifier, after, lines))
                return Answered(201, whole, f"/v1/{path}/{name}", statements, hashed(name))

            return await service.once_for(call, EXAMPLES[path], work, row)

        return draw

    async def log(self, call: Call) -> Response:
        """Give the log of a round, as far as it is; nothing in it is secret."""
        identifier, ledger = self._round(call)
        return StreamingResponse(self._lines(hashed(identifier), ledger.number), 200, {"Content-Type": LINES})

    async def _lines(self, row: bytes, number: int) -> AsyncGenerator[bytes, None]:
        """Yield the first `number` lines of a round, a few at a time, so that a long log keeps nobody waiting."""
        sql = "SELECT line FROM lines WHERE round = ? AND number >= ? AND number < ? ORDER BY number"
        for first in range(0, number, _AT_ONCE):
            some = self._service.store.read(sql, row, first, min(first + _AT_ONCE, number))
            yield "".join(f"{line}\n" for (line,) in some).encode()
            await asyncio.sleep(0)

    async def keys(self, call: Call) -> Response:
        """Tell the public key in use, and how it followed older ones."""
        ring = await self._keys()
        succession = [asdict(link) for link in ring.succession]
        said = {"schema": KEYS, "version": VERSION, "key": ring.public, "succession": succession}
        return plain(said)

    async def _step(
        self, call: Call, example: str, step: Callable[[Ledger, Keyring, dict[str, Any]], Step]
    ) -> Response:
        """Do a step that draws nothing, and tell how the round then stands."""

        async def work(body: dict[str, Any]) -> Answered:
            identifier, ledger = self._open(call)
            after, lines = step(ledger, await self._keys(), body)
            return Answered(201, encoded(_document(identifier, after)), "", _kept(identifier, after, lines))

        return await self._service.once_for(call, example, work, hashed(identifier_of(call)))

    def _open(self, call: Call) -> tuple[str, Ledger]:
        identifier, ledger = self._round(call)
        if ledger.is_revealed:
            raise Problem(_NOT_DUE, "This round is over, its secret was shown; open another.")
        return identifier, ledger

    def _round(self, call: Call) -> tuple[str, Ledger]:
        identifier = identifier_of(call)
        (ledger,) = self._service.row_of("round", "SELECT hash, ledger FROM rounds WHERE hash = ?", identifier)
        return identifier, Ledger.from_plain(json.loads(ledger))

    async def _made_by(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a line says of the model that made its draw; opening one of physics can take half a second."""
        name = fields["apparatus"], fields["model"], fields.get("engine"), fields.get("accuracy")
        if name not in self._makers:
            self._makers[name] = await asyncio.to_thread(_made_by, *name)
        return self._makers[name]

    async def _keys(self) -> Keyring:
        """Return the ring; the first is made when it is asked for, and one of 90 days is followed by another."""
        async with self._making:
            if self._ring is None:
                rows = self._service.store.read("SELECT made, ring FROM rings")
                self._ring = (Keyring.from_plain(json.loads(rows[0][1])), rows[0][0]) if rows else None
            if self._ring is not None and time.time() - self._ring[1] < KEY_DAYS * _DAY:
                return self._ring[0]
            old = self._ring and self._ring[0]
            new = old.rotated(secrets.token_bytes) if old else Keyring.made(secrets.token_bytes)
            row = (1, time.time(), json.dumps(new.to_plain()))
            await self._service.store.write(("INSERT OR REPLACE INTO rings VALUES (?, ?, ?)", row))
            self._ring = new, row[1]
            return new


def _document(identifier: str, ledger: Ledger) -> dict[str, Any]:
    """Return how a round stands: what the player should keep, and its secret when that was shown."""
    return {
        "id": identifier,
        "schema": SCHEMA,
        "version": VERSION,
        "round": ledger.round_id,
        "commitment": ledger.commitment,
        "key": ledger.key,
        "words": ledger.words,
        "draws": ledger.index,
        "secret": ledger.secret.hex() if ledger.is_revealed else None,
        **ledger.last,
    }


def _named(kind: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a draw with the apparatus and the model that are meant where none is named.

    Raises UsageError for a value that is not allowed, and for more games than a caller should wait for.
    """
    if kind == drawing.DROP:
        return {"apparatus": first_game().apparatus, "model": PHYSICS} | fields
    request = drawing.read(kind, fields)
    one = one_of(request)
    if isinstance(request, OddsRequest) and request.runs > MAX_WAITED:
        raise fault("games", request.runs, f"up to {MAX_WAITED} in one draw", "ask for fewer at a time", TOO_LARGE)
    return fields | {"apparatus": one.apparatus, "model": one.model}


def _made_by(apparatus: str, model: str, engine: str | None, accuracy: str | None) -> dict[str, Any]:
    with Opened() as opened:
        return made_by(opened.model(apparatus, model, settings_of(model, engine, accuracy)))


def _rows(identifier: str, ledger: Ledger, lines: Sequence[str]) -> list[Statement]:
    first, row = ledger.number - len(lines), hashed(identifier)
    return [("INSERT INTO lines VALUES (?, ?, ?)", (row, first + i, line)) for i, line in enumerate(lines)]


def _kept(identifier: str, ledger: Ledger, lines: Sequence[str]) -> tuple[Statement, ...]:
    """Return the statements that keep a step."""
    moved = ("UPDATE rounds SET ledger = ? WHERE hash = ?", (json.dumps(ledger.to_plain()), hashed(identifier)))
    return moved, *_rows(identifier, ledger, lines)
