"""The HTTP application: routes behind checks of the token and of the body, and counts of the answers."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import sqlite3
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from fastapi import FastAPI
from fastapi import Request as Call
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import compile_path

from tower_sim import answers, registry
from tower_sim.apparatus.kind import ApparatusKind
from tower_sim.drops.repeat import TooManyFailedDraws
from tower_sim.errors import UsageError, quote
from tower_sim.models import ABOUT
from tower_sim.physics.settings import accuracies
from tower_sim.requests import Odds, Play, Request, Throw, games
from tower_sim.service import codes
from tower_sim.service.codes import CODES
from tower_sim.service.http import draws, keys, towers
from tower_sim.service.http.metrics import MEDIA as METRICS
from tower_sim.service.http.problems import Problem, make_problem
from tower_sim.service.http.service import AGAIN, Routes, Service, aside, respond
from tower_sim.service.http.settings import Settings
from tower_sim.service.http.store import forget
from tower_sim.typed import mistake
from tower_sim.version import TOWER_SIM
from tower_sim.web.page import source

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_FREE = {"/", "/docs", "/healthz", "/readyz", "/openapi.json"}  # of the token
_HUNG_UP = 499  # counted for a client that does not wait for its answer, as other servers count it
_BODIES: dict[str, type[BaseModel]] = {
    "create_drop": Throw,
    "create_game": Play,
    "get_odds": Odds,
    "create_tower": towers.NewTower,
    "throw_into_tower": towers.TowerThrow,
}


def application(settings: Settings, origins: Sequence[str] = ()) -> ASGIApp:
    """Return the application of a service; scripts on pages from `origins` may call it."""
    service = Service(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None, None]:
        service.workers.begin()
        forgetting = asyncio.create_task(forget(service.store, settings.limits.keep_days))
        try:
            yield
        finally:
            forgetting.cancel()
            service.close()

    app = FastAPI(
        title="tower_sim",
        version=TOWER_SIM,
        summary="Throws of cube towers, games, and towers that are kept.",
        license_info={"name": "MIT", "identifier": "MIT"},
        servers=[{"url": "/"}],
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: _camel_case(route.name),
        lifespan=lifespan,
    )
    for add in (_add, draws.add, towers.add):
        add(Routes(app), service)
    for kind in (HTTPException, UsageError, TooManyFailedDraws, sqlite3.Error, Exception):
        app.add_exception_handler(kind, _refuse)
    app.add_exception_handler(RequestValidationError, _refuse_invalid)
    app.openapi = _describe(app)
    guarded: ASGIApp = Guard(app, service)
    if origins:
        guarded = CORSMiddleware(
            guarded,
            allow_origins=list(origins),
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "Idempotency-Key", "Prefer"],
            expose_headers=["Location", "Retry-After", AGAIN],
        )
    return guarded


class Guard:
    """The middleware that checks every request, and counts every answer."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app, self._metrics = app, service.metrics
        self._most, self._token = service.settings.limits.max_body, service.settings.token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0

        async def count_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            self._check(scope)
            if scope["method"] == "POST":
                receive = _replay(await self._body(receive), receive)
            await self._app(scope, receive, count_status)
        except Problem as problem:
            await problem.response()(scope, receive, count_status)
        except ConnectionError:
            status = _HUNG_UP
        except asyncio.CancelledError:  # the service stops and does not wait longer
            if not status:
                stopping = Problem("stopping", "The service is stopping; ask again when it is back.")
                await stopping.response()(scope, receive, count_status)
        except Exception:
            if not status:  # otherwise `_refuse` has answered
                raise
        route = getattr(scope.get("route"), "path", "none")
        method = scope["method"] if route != "none" else "any"
        self._metrics.count_answer(route, method, status or _HUNG_UP, time.perf_counter() - began)

    def _check(self, scope: Scope) -> None:
        headers = dict(scope["headers"])
        if self._token and scope["path"] not in _FREE:
            credentials, asks = headers.get(b"authorization"), {"WWW-Authenticate": "Bearer"}
            if credentials is None:
                raise Problem("token.missing", "Send the header Authorization: Bearer TOKEN.", headers=asks)
            if not hmac.compare_digest(credentials, b"Bearer " + self._token):
                raise Problem("token.wrong", "Send the token that this service was started with.", headers=asks)

    async def _body(self, receive: Receive) -> bytes:
        whole = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ConnectionError
            whole += message.get("body", b"")
            if len(whole) > self._most:
                detail = f"The body has more than {self._most} bytes; send less, or start again without a state."
                raise Problem(codes.BODY_TOO_LARGE, detail, headers={"Connection": "close"})
            if not message.get("more_body", False):
                return bytes(whole)


def _replay(body: bytes, receive: Receive) -> Receive:
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return messages.pop() if messages else await receive()

    return again


def _add(router: Routes, service: Service) -> None:
    @router.on("GET", "/", "The live page", response_class=HTMLResponse)
    async def show_page() -> Response:
        return HTMLResponse(await aside(_page))

    @router.on("GET", "/docs", "A page to read and try the requests", response_class=HTMLResponse)
    async def show_docs() -> Response:
        page, policy = _docs()
        return HTMLResponse(page, headers={"Content-Security-Policy": policy})

    @router.on("GET", "/healthz", "Whether it answers", answers=answers.Health)
    async def check_health() -> Response:
        return respond({"status": "ok"})

    @router.on("GET", "/readyz", "Whether it can draw and store, the physics loaded", answers=answers.Health)
    async def check_ready() -> Response:
        service.check_ready()
        return respond({"status": "ready"})

    @router.on("GET", "/metrics", "Counts and times, for Prometheus", response_class=PlainTextResponse)
    async def get_metrics() -> Response:
        return Response(service.metrics.text(), 200, None, METRICS)

    @router.on("GET", "/v1/apparatus", "The towers and ships", answers=answers.Profiles)
    async def list_apparatus() -> Response:
        return respond(_profiles())

    @router.on("GET", "/v1/games", "The games, with their rules", answers=answers.Games)
    async def list_games() -> Response:
        return respond(_games())

    @router.on("GET", "/v1/models", "The models and engines", answers=answers.Models)
    async def list_models() -> Response:
        return respond(_models())


@cache
def _page() -> str:
    from tower_sim.web.live import live_page  # needs drawing, which a service does without otherwise

    return live_page()


@cache
def _docs() -> tuple[str, str]:
    page = source("tower_sim.service.http", "docs.html")
    rules = ["default-src 'none'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'"]
    for name in ("script", "style"):
        text = page.partition(f"<{name}>")[2].partition(f"</{name}>")[0]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        rules.append(f"{name}-src 'sha256-{digest}'")
    return page, "; ".join(rules)


@cache
def _profiles() -> answers.Profiles:
    kinds: dict[str, ApparatusKind] = registry.every("apparatus")
    rows = sorted((name, kind, each.title) for kind, each in kinds.items() for name in each.profiles())
    profiles: list[answers.ProfileFacts] = [{"name": name, "kind": kind, "about": about} for name, kind, about in rows]
    return {"schema": "tower-sim/apparatus-list", "version": 1, "apparatus": profiles}


@cache
def _games() -> answers.Games:
    facts: list[answers.GameFacts] = [
        {
            "name": game.name,
            "title": game.title,
            "about": game.about or game.title,
            "apparatus": game.apparatus or None,
            "usual": game.plain(game.read({})),
            "rules": game.Rules.model_json_schema() if issubclass(game.Rules, BaseModel) else None,
        }
        for game in games()
    ]
    return {"schema": "tower-sim/games-list", "version": 1, "games": facts}


@cache
def _models() -> answers.Models:
    models: list[answers.ModelFacts] = [{"name": name, "about": about} for name, about in ABOUT.items()]
    engines = {name: list(accuracies(name)) for name in registry.names("engine")}
    return {"schema": "tower-sim/models-list", "version": 1, "models": models, "engines": engines}


def _describe(app: FastAPI) -> Callable[[], dict[str, Any]]:
    make_openapi = app.openapi

    @cache
    def describe() -> dict[str, Any]:
        document = make_openapi()
        document["x-problems"] = {code: {"status": status, "title": title} for code, (status, title) in CODES.items()}
        document["components"]["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{}, {"bearer": []}]
        return document

    return describe


async def _refuse(call: Call, error: Exception) -> Response:
    if isinstance(error, HTTPException) and not isinstance(error, Problem):
        if error.status_code == 405:
            paths: dict[str, Any] = call.app.openapi()["paths"]
            operations = [ways for path, ways in paths.items() if compile_path(path)[0].match(call.scope["path"])]
            allow = [method.upper() for ways in operations for method in ways]
            refusal = f"{call.method} is not allowed here; allowed is {', '.join(allow)}."
            return Problem("method", refusal, headers={"Allow": ", ".join(allow)}).response()
        error = Problem("not_found", "There is nothing under this path; /openapi.json lists what there is.")
    return make_problem(error).response()


async def _refuse_invalid(call: Call, error: Exception) -> Response:
    invalid = cast("RequestValidationError", error)
    errors = [(each["loc"][0], {**each, "loc": each["loc"][1:]}) for each in invalid.errors()]
    place, first = errors[0]
    if place == "path":
        problem = Problem("not_found", "An identifier has 22 letters, digits, - and _; send one that you got.")
    elif place == "header":
        is_missing = first["type"] == "missing"
        detail = f"Idempotency-Key is {'missing' if is_missing else quote(first['input'])}; {keys.ADVICE}."
        problem = Problem("key.missing" if is_missing else "key.invalid", detail)
    elif place == "query":
        problem = make_problem(mistake(_Page.model_fields, [first], call.query_params))
    elif first["type"] == "missing" and not first["loc"]:
        problem = Problem(codes.NOT_JSON, 'body is empty; allowed is a JSON object; try {"cubes": {"blue": 4}}')
    else:
        kind = _BODIES[getattr(call.scope.get("route"), "name", "")]
        problem = make_problem(
            mistake(kind.model_fields, [each for where, each in errors if where == "body"], invalid.body)
        )
    return problem.response()


class _Page(Request):
    first: int = Field(0, ge=0, le=towers.MAX_KEPT, alias="from")
    limit: int = Field(100, ge=1, le=towers.MAX_KEPT)


def _camel_case(name: str) -> str:
    first, *more = name.split("_")
    return first + "".join(word.capitalize() for word in more)
