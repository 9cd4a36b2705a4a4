"""The application: every route, and what stands before them all: limits, the token, the metrics."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request as Call
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from tower_sim.service.http import draws, jobs, openapi, rounds, towers
from tower_sim.service.http.metrics import MEDIA as METRICS
from tower_sim.service.http.problems import Problem
from tower_sim.service.http.service import AGAIN, JSON, Answering, Service, encoded, refused, several
from tower_sim.service.http.settings import Settings
from tower_sim.service.http.store import forget

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_BURST = 10  # seconds' worth of requests that may come at once
_ADDRESSES = 10_000  # whose rates are known
_FREE = {"/healthz", "/openapi.json"}  # of the token


def application(settings: Settings, origins: Sequence[str] = ()) -> ASGIApp:
    """Return the application of a service with these settings; `origins` are the web pages whose scripts may ask it.

    Raises UsageError for a file that cannot be opened.
    """
    service = Service(settings)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None, None]:
        forgetting = asyncio.create_task(forget(service.store, settings.keep_days))
        try:
            yield
        finally:
            forgetting.cancel()
            service.close()

    app = Starlette(
        routes=[*draws.routes(service), *_own(service), *towers.routes(service), *rounds.routes(service)],
        exception_handlers={HTTPException: _no_route},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
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


def _own(service: Service) -> list[Route]:
    whole = openapi.document()

    async def health(call: Call) -> Response:
        service.store.read("SELECT 1")
        return Response(encoded({"status": "ok"}), 200, None, JSON)

    async def metrics(call: Call) -> Response:
        return Response(service.metrics.text(), 200, {"Content-Type": METRICS})

    async def described(call: Call) -> Response:
        return Response(encoded(whole), 200, None, JSON)

    async def job(call: Call) -> Response:
        return Response(encoded(service.jobs.get(call.path_params["id"]).document()), 200, None, JSON)

    async def cancel(call: Call) -> Response:
        service.jobs.cancel(call.path_params["id"])
        return Response(None, 204)

    async def followed(call: Call) -> Response:
        stream = jobs.events(service.jobs.get(call.path_params["id"]))
        headers = {"Cache-Control": "no-store", "Content-Type": "text/event-stream"}
        return StreamingResponse(stream, headers=headers)

    return [
        Route("/healthz", Answering(health), methods=["GET"]),
        Route("/metrics", Answering(metrics), methods=["GET"]),
        Route("/openapi.json", Answering(described), methods=["GET"]),
        several("/v1/jobs/{id}", GET=job, DELETE=cancel),
        Route("/v1/jobs/{id}/events", Answering(followed), methods=["GET"]),
    ]


async def _no_route(call: Call, error: Exception) -> Response:
    if isinstance(error, HTTPException) and error.status_code == 405:
        headers = {"Allow": (error.headers or {}).get("Allow", "")}
        return refused(Problem("method", f"{call.method} is not allowed here.", headers=headers))
    return refused(Problem("not_found", "There is nothing under this path; /openapi.json lists what there is."))


class Guard:
    """What every request passes first: how many at once, how often, with which token; and what counts it after."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._settings = service.settings
        self._metrics = service.metrics
        self._token = service.settings.token.encode()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, metrics = time.perf_counter(), self._metrics
        status = 500

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        metrics.at_once += 1
        try:
            problem = self._refuses(scope)
            if problem is not None:
                await refused(problem)(scope, receive, counted)
            else:
                await self._app(scope, receive, counted)
        finally:
            metrics.at_once -= 1
            route = scope.get("route")
            path = route.path if isinstance(route, Route) else "none"
            method = scope["method"] if path != "none" else "any"
            metrics.answered(path, method, status, time.perf_counter() - began)

    def _refuses(self, scope: Scope) -> Problem | None:
        path = scope["path"]
        if self._token and path not in _FREE and (problem := self._checked(scope)) is not None:
            return problem
        if path == "/healthz":
            return None
        if self._metrics.at_once > self._settings.max_at_once:
            return Problem("busy", "Too many requests at once; ask again in a moment.", headers={"Retry-After": "1"})
        if self._settings.rate and not self._has_left((scope.get("client") or ("", 0))[0]):
            text = f"More than {self._settings.rate} requests a second; ask again in a second."
            return Problem("rate", text, headers={"Retry-After": "1"})
        return None

    def _checked(self, scope: Scope) -> Problem | None:
        shown = next((value for name, value in scope["headers"] if name == b"authorization"), None)
        asks = {"WWW-Authenticate": "Bearer"}
        if shown is None:
            return Problem("token.missing", "Send the header Authorization: Bearer TOKEN.", headers=asks)
        if not hmac.compare_digest(shown, b"Bearer " + self._token):
            return Problem("token.wrong", "Send the token that this service was started with.", headers=asks)
        return None

    def _has_left(self, address: str) -> bool:
        rate, now = float(self._settings.rate), time.monotonic()
        left, before = self._left.pop(address, (rate * _BURST, now))
        left = min(rate * _BURST, left + (now - before) * rate)
        self._left[address] = (left - 1.0 if left >= 1.0 else left, now)
        if len(self._left) > _ADDRESSES:
            self._left.popitem(last=False)
        return left >= 1.0
