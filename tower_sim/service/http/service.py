"""The parts that all routes share, and the way to an answer."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sqlite3
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Annotated, Any, TypeVar
from weakref import WeakValueDictionary

from fastapi import FastAPI, Path
from fastapi import Request as Call
from fastapi.routing import APIRoute
from starlette.responses import Response

from tower_sim import requests
from tower_sim.answers import ProblemAnswer
from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.parts import Apparatus
from tower_sim.models import Model, open_model
from tower_sim.requests import PHYSICS, AnyRequest, Play, Throw
from tower_sim.service import codes, limits
from tower_sim.service.http.jobs import Jobs
from tower_sim.service.http.keys import CallIdentity, Once, Reply
from tower_sim.service.http.metrics import Metrics
from tower_sim.service.http.problems import LATER, MEDIA, Problem
from tower_sim.service.http.settings import Settings
from tower_sim.service.http.store import Database, hash_id
from tower_sim.service.http.workers import RunsDone, Workers
from tower_sim.service.lines import read_object

JSON = "application/json"
AGAIN = "Idempotency-Replayed"  # the header of an answer that was given before
LIGHT = 100  # cubes thrown and inside that are drawn without a worker; about 1 ms
SHORT = 16_384  # bytes of a body that is read in the event loop
SHORT_STATE = 2_000  # characters of a state that is read in the event loop
MOST_VALUES = 4_000  # in a body: the worst body takes 50 ms to read; the longest useful one has some 2,000
ASKED: Sequence[int] = (400, 404, 409, 413, 415, 422)
"""The statuses that can refuse a request with a body. 404: the answer to the request's key is no longer kept."""
LOCATED = {"headers": {"Location": {"schema": {"type": "string"}, "description": "Where to get it again."}}}
Id = Annotated[
    str, Path(pattern="^[A-Za-z0-9_-]{22}$", description="The identifier.", examples=["X2WFOWCkRgSM5X9JCcIMVA"])
]
T = TypeVar("T")
_ASIDE = ThreadPoolExecutor(1, "reading")  # one thread: several would slow the loop down


async def aside(work: Callable[[], T]) -> T:
    """Do work in a thread beside the event loop, one piece after the other."""
    return await asyncio.get_running_loop().run_in_executor(_ASIDE, work)


class Routes:
    """The routes of an application, each described with its refusals; a POST needs the content type of JSON."""

    def __init__(self, app: FastAPI) -> None:
        app.router.route_class = _JsonRoute
        self._app = app

    def on(self, way: str, path: str, summary: str, *refusals: int, answers: Any = None, **more: Any) -> Any:
        """Return the decorator of a route, as in `on("GET", "/v1/jobs/{id}", "Look at a job", 404, answers=Job)`.

        `refusals` are statuses besides those of every route. A route that `makes` something answers with 201 and a
        Location.
        """
        makes: bool = more.pop("makes", False)
        responses = problems(*refusals, *(ASKED if way == "POST" else ())) | ({201: LOCATED} if makes else {})
        status = 204 if way == "DELETE" else 201 if makes else 200
        more["responses"] = responses | more.get("responses", {})
        return self._app.api_route(
            path, methods=[way], summary=summary, status_code=status, response_model=answers, **more
        )


class _JsonRoute(APIRoute):
    def get_route_handler(self) -> Callable[[Call], Any]:
        handle = super().get_route_handler()

        async def strictly(call: Call) -> Response:
            media = call.headers.get("content-type", "")
            if call.method == "POST" and media.partition(";")[0].strip().lower() != JSON:
                raise Problem("media_type", f"Content-Type is {media[:80]!r}; allowed is {JSON}; send that header.")
            return await handle(_JsonCall(call.scope, call.receive))

        return strictly


class _JsonCall(Call):
    async def json(self) -> Any:
        raw = await self.body()
        return _read(raw) if len(raw) <= SHORT else await aside(lambda: _read(raw))


class Service:
    """One running service."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store = Database(settings.db)
        self.once = Once(self.store)
        self.workers = Workers(settings.limits.processes, settings.limits.queue)
        self.jobs = Jobs(self.store, self.once, self.read_body)
        self.metrics = Metrics(self.store, self.workers)
        self._alone: WeakValueDictionary[bytes, asyncio.Lock] = WeakValueDictionary()

    def close(self) -> None:
        self.workers.close()
        self.store.close()

    def alone(self, tower: bytes) -> asyncio.Lock:
        lock = self._alone.get(tower)
        if lock is None:
            lock = self._alone[tower] = asyncio.Lock()
        return lock

    async def draw(self, request: AnyRequest, progress: RunsDone | None = None) -> Mapping[str, Any]:
        """Return the document that answers a request, from here or from a worker. Raises Problem and
        TooManyFailedDraws.
        """
        is_long = not isinstance(request, Play) and len(request.state or "") > SHORT_STATE
        await aside(lambda: limits.check(request)) if is_long else limits.check(request)
        self.metrics.count_draw(request.do, request.model)
        if isinstance(request, Throw) and _is_light(request):

            def work() -> Mapping[str, Any]:
                return requests.answer(request, *_light(request.tower, request.model))

            return await aside(work) if is_long else work()
        return await self.workers.draw(request, progress)

    async def answer_once(
        self, call: Call, key: str | None, work: Callable[[], Awaitable[Reply]], row: bytes | None = None
    ) -> Response:
        """Answer a request once for its key; `row` names the tower to lock. Raises as `Once.answer` and `work` do."""
        alone = None if row is None else self.alone(row)
        answer, is_again = await self.once.answer(await identify(call, key), work, alone)
        headers = {"Location": answer.location} | ({AGAIN: "true"} if is_again else {})
        return Response(answer.body, answer.status, headers, JSON)

    def read_body(self, identifier: str, kind: str) -> bytes:
        """Raises Problem if there is none."""
        sql = "SELECT body FROM answers WHERE hash = ? AND kind = ?"
        return self.read_row(kind, sql, hash_id(identifier), kind)[0]

    def read_row(self, what: str, sql: str, *values: Any) -> tuple[Any, ...]:
        """Return the one row that `sql` selects. Raises Problem, which calls it `what`."""
        rows = self.store.read(sql, *values)
        if not rows:
            raise Problem("not_found", f"There is no {what} with this identifier, or it is no longer kept.")
        return rows[0]

    def check_ready(self) -> None:
        """Raise Problem or sqlite3.Error unless requests can be drawn and stored."""
        self.workers.check_room()
        if not self.workers.is_ready:
            raise Problem("starting", "The physics is being loaded; throws by physics wait for it.", headers=LATER)
        if not self.store.read("SELECT count(*) FROM towers"):
            raise sqlite3.OperationalError("the file has no tables")


async def identify(call: Call, key: str | None) -> CallIdentity:
    """Return the identity of a request."""
    bare = (key or "").strip('"')
    return CallIdentity(f"{call.method} {call.scope['path']}", bare, hashlib.sha256(await call.body()).digest())


def respond(document: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Answer with a document, or with its bytes."""
    return Response(document if isinstance(document, bytes) else as_json(document), status, headers, JSON)


def as_json(document: Mapping[str, Any]) -> bytes:
    """Return a document as it is sent and stored."""
    return json.dumps(document, allow_nan=False).encode()


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the refusals of an operation for its description."""
    refusals: dict[int | str, dict[str, Any]] = {}
    for status in sorted({*statuses, 401, 500, 503}):
        titles = [f"{code}: {title}" for code, (own, title) in codes.CODES.items() if own == status]
        content = {MEDIA: {"schema": {"$ref": f"#/components/schemas/{ProblemAnswer.__name__}"}}}
        refusals[status] = {"description": " ".join(titles), "content": content}
    return refusals


def _read(raw: bytes) -> dict[str, Any]:
    if sum(len(raw.split(sign, MOST_VALUES)) - 1 for sign in (b",", b"[", b"{")) >= MOST_VALUES:
        raise Problem(codes.BODY_TOO_LARGE, f"The body has more than {MOST_VALUES} values; send fewer.")
    try:
        return read_object(raw, "body", "a JSON object in UTF-8", 'try {"cubes": {"blue": 4}}')
    except ValueError as error:
        raise Problem(codes.NOT_JSON, str(error)) from None


def _is_light(request: Throw) -> bool:
    there = len(request.before.residents) if request.before else 0
    return request.model != PHYSICS and sum(request.cubes.values()) + there <= LIGHT


@cache
def _light(apparatus: str, model: str) -> tuple[Apparatus, Model]:
    shape = load(apparatus)
    return shape, open_model(shape, model)
