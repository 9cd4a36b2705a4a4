"""The HTTP application: routes behind checks of the token and of the body. It keeps nothing.

request -> limits and token -> fields checked -> answered by a thread (workers.py)
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Union, cast

from fastapi import FastAPI
from fastapi import Request as Call
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, TypeAdapter
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import HTMLResponse, Response
from starlette.routing import Match

from tower_sim.apparatus import ApparatusKind
from tower_sim.documents import answers, mistake
from tower_sim.drops import TooManyFailedDraws
from tower_sim.errors import UsageError
from tower_sim.models import ABOUT
from tower_sim.physics import accuracies
from tower_sim.requests import Odds, Play, Throw, games
from tower_sim.service import codes
from tower_sim.service.codes import CODES
from tower_sim.service.limits import Limits
from tower_sim.service.lines import read_object
from tower_sim.service.problems import MEDIA, Problem, as_json, make_problem
from tower_sim.service.workers import Workers, stopping
from tower_sim.tools import TOWER_SIM, registry
from tower_sim.web import read_built, source

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

JSON = "application/json"
SHORT = 16_384  # bytes of a body that is read in the event loop
MOST_VALUES = 4_000  # in a body: the worst body takes 50 ms to read; the longest useful one has some 2,000
_FREE = {"/", "/docs", "/healthz", "/readyz", "/openapi.json"}  # of the token
_BODIES: dict[str, type[BaseModel]] = {"create_drop": Throw, "create_game": Play, "get_odds": Odds}


def application(limits: Limits, token: str = "", origins: Sequence[str] = ()) -> ASGIApp:
    """Return the application of a service.

    Args:
        limits: Its limits.
        token: What callers must send; "" for nothing.
        origins: Scripts on pages from there may call it.
    """
    workers = Workers(limits.threads, limits.queue)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None, None]:
        await workers.warm_up()
        try:
            yield
        finally:
            workers.close()

    app = FastAPI(
        title="tower_sim",
        version=TOWER_SIM,
        summary="Throws of cube towers, games, and the chances of throws.",
        license_info={"name": "MIT", "identifier": "MIT"},
        servers=[{"url": "/"}],
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: _camel_case(route.name),
        lifespan=lifespan,
    )
    app.router.route_class = _Route
    _add_lists(app, workers)
    _add_requests(app, workers)
    for kind in (HTTPException, UsageError, TooManyFailedDraws, Exception):
        app.add_exception_handler(kind, _refuse)
    app.add_exception_handler(RequestValidationError, _refuse_invalid)
    app.openapi = _describe(app)
    guarded: ASGIApp = Guard(app, limits.max_body, token)
    if origins:
        guarded = CORSMiddleware(
            guarded,
            allow_origins=list(origins),
            allow_methods=["GET", "HEAD", "POST"],
            allow_headers=["Authorization", "Content-Type"],
            expose_headers=["Retry-After"],
        )
    return guarded


# Checks of every request


class Guard:
    """The middleware that checks the token, and reads a body up to `most` bytes."""

    def __init__(self, app: ASGIApp, most: int, token: str) -> None:
        self._app, self._most, self._token = app, most, token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def begin(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            self._check_token(scope)
            if scope["method"] == "POST":
                receive = _replay(await self._body(receive), receive)
            await self._app(scope, receive, begin)
        except Problem as problem:
            await problem.response()(scope, receive, begin)
        except ConnectionError:
            pass  # the client has gone
        except asyncio.CancelledError:  # the service stops and does not wait longer
            if not has_begun:
                await stopping().response()(scope, receive, begin)
        except Exception:
            if not has_begun:  # otherwise `_refuse` has answered
                raise

    def _check_token(self, scope: Scope) -> None:
        if not self._token or scope["path"] in _FREE:
            return
        credentials = dict(scope["headers"]).get(b"authorization")
        asks = {"WWW-Authenticate": "Bearer"}
        if credentials is None:
            raise Problem("token.missing", "Send the header Authorization: Bearer TOKEN.", headers=asks)
        scheme, _, token = credentials.strip().partition(b" ")
        if scheme.lower() != b"bearer" or not hmac.compare_digest(token.strip(), self._token):
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


class _Route(APIRoute):
    """A route that takes no query, and whose body is plain JSON."""

    def get_route_handler(self) -> Callable[[Call], Any]:
        handle = super().get_route_handler()

        async def strictly(call: Call) -> Response:
            for name in call.query_params:
                raise Problem(codes.UNKNOWN, f"The query parameter {name[:80]!r} is unknown; send none.", name[:80])
            if call.method != "POST":
                return await handle(call)
            media, coding = (call.headers.get(name, "") for name in ("content-type", "content-encoding"))
            if media.partition(";")[0].strip().lower() != JSON:
                detail = f"Content-Type is {media[:80]!r}; allowed is {JSON}; send that header."
                raise Problem(codes.MEDIA_TYPE, detail, headers={"Accept": JSON})
            if coding.strip().lower() not in ("", "identity"):
                detail = f"Content-Encoding is {coding[:80]!r}; allowed is identity; send the body as it is."
                raise Problem(codes.MEDIA_TYPE, detail, headers={"Accept-Encoding": "identity"})
            return await handle(_JsonCall(call.scope, call.receive))

        return strictly


class _JsonCall(Call):
    async def json(self) -> Any:
        raw = await self.body()
        return _read(raw) if len(raw) <= SHORT else await asyncio.to_thread(_read, raw)


def _read(raw: bytes) -> dict[str, Any]:
    if sum(len(raw.split(sign, MOST_VALUES)) - 1 for sign in (b",", b"[", b"{")) >= MOST_VALUES:
        raise Problem(codes.BODY_TOO_LARGE, f"The body has more than {MOST_VALUES} values; send fewer.")
    try:
        return read_object(raw, "body", "a JSON object in UTF-8", 'try {"cubes": {"blue": 4}}')
    except ValueError as error:
        raise Problem(codes.NOT_JSON, str(error)) from None


# Routes


def _refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    refusals: dict[int | str, dict[str, Any]] = {}
    for status in sorted({*statuses, 401, 422, 500, 503}):
        titles = [f"{code}: {title}" for code, (own, title) in CODES.items() if own == status]
        content = {MEDIA: {"schema": {"$ref": "#/components/schemas/ProblemAnswer"}}}
        refusals[status] = {"description": " ".join(titles), "content": content}
    return refusals


def _add_lists(app: FastAPI, workers: Workers) -> None:
    def add(path: str, summary: str, show: Callable[[], Mapping[str, Any] | Response], answered: Any = None) -> None:
        async def get() -> Response:
            shown = await asyncio.to_thread(show) if path == "/" else show()
            return shown if isinstance(shown, Response) else Response(as_json(shown), media_type=JSON)

        get.__name__ = show.__name__.strip("_")
        more: dict[str, Any] = {"response_class": HTMLResponse} if answered is None else {"response_model": answered}
        app.get(path, summary=summary, responses=_refusals(), include_in_schema=bool(summary), **more)(get)
        app.head(path, include_in_schema=False, **more)(get)

    def check_health() -> answers.Health:
        return {"status": "ok"}

    def check_ready() -> answers.Health:
        workers.check_room()
        return {"status": "ready"}

    def get_openapi() -> Mapping[str, Any]:
        return app.openapi()

    add("/", "The live page", _show_page)
    add("/offline.js", "", _show_offline)
    add("/docs", "A page to read and try the requests", _show_docs)
    add("/healthz", "Whether it answers", check_health, answers.Health)
    add("/readyz", "Whether it takes requests", check_ready, answers.Health)
    add("/openapi.json", "", get_openapi, dict[str, Any])
    add("/v1/apparatus", "The towers and ships", _list_apparatus, answers.Profiles)
    add("/v1/games", "The games, with their rules", _list_games, answers.Games)
    add("/v1/models", "The models and engines", _list_models, answers.Models)


def _add_requests(app: FastAPI, workers: Workers) -> None:
    def on(path: str, summary: str, answered: Any) -> Any:
        return app.post(path, summary=summary, response_model=answered, responses=_refusals(413, 415))

    @on("/v1/drops", "Throw", answers.ThrowAnswer)
    async def create_drop(request: Throw) -> Response:
        return Response(await workers.answer(request), media_type=JSON)

    @on("/v1/games", "Play a game, or many", Union[tuple(kind for game in games() for kind in game.ways.types())])  # noqa: UP007
    async def create_game(request: Play) -> Response:
        return Response(await workers.answer(request), media_type=JSON)

    @on("/v1/odds", "Get the chances of throws that could come next", answers.ChancesAnswer)
    async def get_odds(request: Odds) -> Response:
        return Response(await workers.answer(request), media_type=JSON)


@cache
def _show_page() -> Response:
    from tower_sim.web import live_page  # needs drawing, which a service does without otherwise

    return HTMLResponse(live_page())


@cache
def _show_offline() -> Response:
    return Response(read_built("offline.js"), media_type="text/javascript")


@cache
def _show_docs() -> Response:
    page = source("tower_sim.service", "docs.html")
    rules = ["default-src 'none'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'"]
    for name in ("script", "style"):
        text = page.partition(f"<{name}>")[2].partition(f"</{name}>")[0]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        rules.append(f"{name}-src 'sha256-{digest}'")
    return HTMLResponse(page, headers={"Content-Security-Policy": "; ".join(rules)})


@cache
def _list_apparatus() -> answers.Profiles:
    kinds: dict[str, ApparatusKind] = registry.every("apparatus")
    rows = sorted((name, kind, each.title) for kind, each in kinds.items() for name in each.profiles())
    profiles: list[answers.ProfileFacts] = [{"name": name, "kind": kind, "about": about} for name, kind, about in rows]
    return {"schema": "tower-sim/apparatus-list", "version": 1, "apparatus": profiles}


@cache
def _list_games() -> answers.Games:
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
def _list_models() -> answers.Models:
    models: list[answers.ModelFacts] = [{"name": name, "about": about} for name, about in ABOUT.items()]
    engines = {name: list(accuracies(name)) for name in registry.names("engine")}
    return {"schema": "tower-sim/models-list", "version": 1, "models": models, "engines": engines}


def _describe(app: FastAPI) -> Callable[[], dict[str, Any]]:
    make_openapi = app.openapi

    @cache
    def describe() -> dict[str, Any]:
        document = make_openapi()
        document["x-problems"] = {code: {"status": status, "title": title} for code, (status, title) in CODES.items()}
        document["components"]["schemas"]["ProblemAnswer"] = TypeAdapter(answers.ProblemAnswer).json_schema()
        document["components"]["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{}, {"bearer": []}]
        return document

    return describe


async def _refuse(call: Call, error: Exception) -> Response:
    if isinstance(error, HTTPException) and not isinstance(error, Problem):
        if error.status_code == 405:
            here = [route for route in call.app.routes if route.matches(call.scope)[0] != Match.NONE]
            allow = ", ".join(sorted(method for route in here for method in route.methods))
            detail = f"{call.method} is not allowed here; allowed is {allow}."
            return Problem(codes.METHOD, detail, headers={"Allow": allow}).response()
        error = Problem(codes.NOT_FOUND, "There is nothing under this path; /openapi.json lists what there is.")
    return make_problem(error).response()


async def _refuse_invalid(call: Call, error: Exception) -> Response:
    invalid = cast("RequestValidationError", error)
    errors = [{**each, "loc": each["loc"][1:]} for each in invalid.errors()]  # the first word is "body"
    if errors[0]["type"] == "missing" and not errors[0]["loc"]:
        problem = Problem(codes.NOT_JSON, 'body is empty; allowed is a JSON object; try {"cubes": {"blue": 4}}')
    else:
        kind = _BODIES[getattr(call.scope.get("route"), "name", "")]
        problem = make_problem(mistake(kind.model_fields, errors, invalid.body))
    return problem.response()


def _camel_case(name: str) -> str:
    first, *more = name.split("_")
    return first + "".join(word.capitalize() for word in more)
