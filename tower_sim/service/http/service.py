"""What every route shares: the file, the keys, the workers, the jobs; how a body is read and an answer is given."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakValueDictionary

from starlette.requests import Request as Call
from starlette.responses import Response
from starlette.routing import Route

from tower_sim.errors import UsageError, fault
from tower_sim.model import TooManyFailedDraws
from tower_sim.service import codes
from tower_sim.service.http import drawing
from tower_sim.service.http.hosts import caller_of
from tower_sim.service.http.jobs import Jobs
from tower_sim.service.http.keys import Answered, KeyedCall, Once, read_key
from tower_sim.service.http.metrics import Metrics
from tower_sim.service.http.problems import MEDIA, Problem, of_usage
from tower_sim.service.http.settings import Settings
from tower_sim.service.http.store import Damaged, Database, checked, hashed, new_seed
from tower_sim.service.http.workers import ADVICE, Job, Workers
from tower_sim.service.loop import read_object
from tower_sim.terminal import one_line, warn

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

JSON = "application/json"
AGAIN = "Idempotency-Replayed"  # the header of an answer that was given before
_ENCODER = json.JSONEncoder(allow_nan=False)
SHORT = 16_384  # bytes of a body that are read where the loop is
MOST_VALUES = 4_000  # of a body: the worst take 50 ms; the longest that means anything has some 2,000
MOST_ID = 64  # characters of an identifier that are looked up
T = TypeVar("T")
Endpoint = Callable[[Call], Awaitable[Response]]


class Service:
    """One service at work: made when it starts, closed when it ends."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store = Database(settings.db)
        self.once = Once(self.store)
        self.workers = Workers(settings.processes, settings.queue)
        self.jobs = Jobs(self.store, self.once, self.workers, self.body_of, problem_of)
        self.metrics = Metrics(self.store, self.workers)
        self._reading = ThreadPoolExecutor(1, "reading")  # one: several would take turns with the loop
        self.fields = {do: drawing.known_fields(do) for do in (drawing.DROP, drawing.GAME, drawing.BATTLE)}
        self._alone: WeakValueDictionary[bytes, asyncio.Lock] = WeakValueDictionary()

    def close(self) -> None:
        """End the workers, write what waits, close the file."""
        self.workers.close()
        self._reading.shutdown()
        self.store.close()

    def alone(self, tower: bytes) -> asyncio.Lock:
        """Return what is held by the one request that changes a tower."""
        lock = self._alone.get(tower)
        if lock is None:
            lock = self._alone[tower] = asyncio.Lock()
        return lock

    async def drawn(
        self, do: str, given: Mapping[str, Any], owner: bytes, watch: Callable[[Job], None] | None = None
    ) -> dict[str, Any]:
        """Return the document that answers the fields of a body, drawn here or by a worker, which `watch` is told of.

        Raises UsageError, Problem and TooManyFailedDraws.
        """
        fields = drawing.narrowed(do, given, self.fields[do])
        fields.setdefault("seed", new_seed())
        request = drawing.read(do, fields) if drawing.is_small(fields.get("state")) else None  # else a worker reads it
        self.metrics.drawn(do, str(fields.get("model", "physics")))
        if request is not None and drawing.is_light(request):
            return drawing.answer_light(request)
        job = self.workers.submit(owner, do, fields, is_long=watch is not None)
        if watch is not None:
            watch(job)
        return await job.result

    async def stands(self, token: str, owner: bytes) -> dict[str, Any]:
        """Return of what a state is, as `drawing.stands`, looked at here or by a worker. Raises as `drawn`."""
        if drawing.is_small(token):
            return drawing.stands(token)
        return await self.workers.submit(owner, drawing.STATE, {"state": token}).result

    async def aside(self, work: Callable[[], T]) -> T:
        """Do what takes longer than a moment in a thread beside the loop, one after the other."""
        return await asyncio.get_running_loop().run_in_executor(self._reading, work)

    async def body(self, call: Call, example: str) -> tuple[bytes, dict[str, Any]]:
        """Return the digest of a body and the JSON object in it. Raises Problem and UsageError for all else."""
        media = call.headers.get("content-type", "")
        if media.partition(";")[0].strip().lower() != JSON:
            raise Problem("media_type", f"Content-Type is {media[:80]!r}; allowed is {JSON}; send that header")
        raw = await call.body()
        read = partial(_read, raw, example)
        return read() if len(raw) <= SHORT else await self.aside(read)

    async def once_for(
        self, call: Call, example: str, work: Callable[[dict[str, Any]], Awaitable[Answered]], row: bytes | None = None
    ) -> Response:
        """Answer a request with its key, which it needs, by `work` on its body; alone with what is stored as `row`.

        Raises Problem and UsageError as `body`, `asked_of`, `Once.answer` and `work` do.
        """
        digest, body = await self.body(call, example)
        asked = asked_of(call, digest, needed=True)
        alone = None if row is None else self.alone(row)
        return given(*await self.once.answer(asked, lambda: work(body), alone))

    def body_of(self, identifier: str, kind: str) -> bytes:
        """Return an answer as it was given. Raises Problem where there is none, Damaged where it is another."""
        sql = "SELECT hash, body, seal FROM answers WHERE hash = ? AND kind = ?"
        body, seal = self.row_of(kind, sql, identifier, kind)
        return checked(hashed(identifier[:MOST_ID]), body, seal)

    def row_of(self, what: str, sql: str, identifier: str, *values: Any) -> tuple[Any, ...]:
        """Return the row of an identifier, without its hash: `sql` selects that first, and by it and `values`.

        Raises Problem where there is none.
        """
        looked = hashed(identifier[:MOST_ID])
        rows = self.store.read(sql, looked, *values)
        if not rows or not hmac.compare_digest(rows[0][0], looked):
            raise Problem("not_found", f"There is no {what} with this identifier, or it is no longer kept.")
        return rows[0][1:]


def _read(raw: bytes, example: str) -> tuple[bytes, dict[str, Any]]:
    """Read a body, as `Service.body`; how many values it may hold is counted before."""
    if sum(len(raw.split(sign, MOST_VALUES)) - 1 for sign in (b",", b"[", b"{")) >= MOST_VALUES:
        raise Problem(codes.BODY_TOO_LARGE, f"The body has more than {MOST_VALUES} values; send fewer.")
    return hashlib.sha256(raw).digest(), read_object(raw, "body", "a JSON object in UTF-8", f"try {example}")


def asked_of(call: Call, digest: bytes, *, needed: bool) -> KeyedCall:
    """Return what a request is known by when it is sent again. Raises Problem for a key that is not allowed."""
    key = read_key(call.headers.get("idempotency-key"), needed=needed)
    return KeyedCall(f"{call.method} {call.scope['path']}", key, digest)


def identifier_of(call: Call) -> str:
    """Return the identifier in a path, no longer than any that is looked up."""
    return call.path_params["id"][:MOST_ID]


def owner_of(call: Call) -> bytes:
    """Return who waits in the workers' queue: everyone from one address."""
    return caller_of(call.scope).encode()


def given(answered: Answered, is_again: bool) -> Response:
    """Return an answer; one that was given before says so."""
    headers = {"Location": answered.location} if answered.location else {}
    if is_again:
        headers[AGAIN] = "true"
    return Response(answered.body, answered.status, headers, JSON)


def plain(document: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a document as an answer."""
    return Response(encoded(document), status, headers, JSON)


def encoded(document: Mapping[str, Any]) -> bytes:
    """Return a document as it is stored and sent."""
    return _ENCODER.encode(document).encode()


def refused(problem: Problem) -> Response:
    """Return a problem as an answer."""
    return Response(problem.body(), problem.status, problem.headers, MEDIA)


def problem_of(error: Exception) -> Problem:
    """Return the problem that an error is; a defect of ours is told on standard error, too, without its request."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, UsageError):
        return of_usage(error)
    if isinstance(error, TooManyFailedDraws):
        return Problem(codes.NO_LANDING, f"{error}; {ADVICE}")
    if isinstance(error, Damaged):
        return Problem("damaged", "It is not given: its checksum is another; a line on standard error names the row.")
    if isinstance(error, sqlite3.IntegrityError):
        return Problem("tower.moved", "Ask for the tower again, then for the drop, with a new key.")
    if isinstance(error, sqlite3.Error):
        warn(one_line(f"the file of answers cannot be written: {error}", 400, 200))
        return Problem(
            "storage", "The answer was thrown away; send the same again later.", headers={"Retry-After": "5"}
        )
    warn(one_line(f"internal error: {type(error).__name__}: {error}", 400, 200))
    return Problem(codes.INTERNAL, f"{type(error).__name__}; this is a defect of the service, not of the request")


class Answering:
    """What stands behind a route: an endpoint, whose every error is answered with a problem."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        try:
            response = await self._endpoint(Call(scope, receive, send))
        except Exception as error:
            response = refused(problem_of(error))
        await response(scope, receive, send)


def several(path: str, **endpoints: Endpoint) -> Route:
    """Return the one route of a path with an endpoint for each method, so that a refusal names them all."""

    async def by_method(call: Call) -> Response:
        return await endpoints["GET" if call.method == "HEAD" else call.method](call)

    return Route(path, Answering(by_method), methods=list(endpoints))


def query_number(call: Call, name: str, default: int, least: int, most: int) -> int:
    """Return a whole number behind the question mark. Raises Problem for anything else."""
    text = call.query_params.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and least <= int(text) <= most):
        detail = str(fault(name, text, f"a whole number from {least} to {most}"))
        raise Problem("query.invalid", detail, name)
    return int(text)
