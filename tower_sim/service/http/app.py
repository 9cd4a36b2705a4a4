"""The application: every route, behind what `guard` asks of each request."""

from __future__ import annotations

import asyncio
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
from tower_sim.service.http.gate import Gate
from tower_sim.service.http.guard import Guard
from tower_sim.service.http.hosts import Hosts
from tower_sim.service.http.metrics import MEDIA as METRICS
from tower_sim.service.http.problems import Problem
from tower_sim.service.http.service import AGAIN, Service, plain, refused, several
from tower_sim.service.http.settings import Settings
from tower_sim.service.http.store import forget

if TYPE_CHECKING:
    from starlette.types import ASGIApp


def application(settings: Settings, gate: Gate, hosts: Hosts, origins: Sequence[str] = ()) -> ASGIApp:
    """Return the application of a service with these settings, behind a `gate`.

    It is asked by the names of `hosts`, and by the scripts of web pages of `origins`. Raises UsageError for a file that
    cannot be opened, and WritingFailed where its disk is full.
    """
    service = Service(settings)
    service.metrics.watch(gate)

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
    guarded: ASGIApp = Guard(app, service, hosts)
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
        return plain({"status": "ok"})

    async def metrics(call: Call) -> Response:
        return Response(service.metrics.text(), 200, {"Content-Type": METRICS})

    async def described(call: Call) -> Response:
        return plain(whole)

    async def job(call: Call) -> Response:
        return plain(service.jobs.get(call.path_params["id"]).document())

    async def cancel(call: Call) -> Response:
        service.jobs.cancel(call.path_params["id"])
        return Response(None, 204)

    async def followed(call: Call) -> Response:
        stream = jobs.events(service.jobs.get(call.path_params["id"]))
        headers = {"Cache-Control": "no-store", "Content-Type": "text/event-stream"}
        return StreamingResponse(stream, headers=headers)

    return [
        several("/healthz", GET=health),
        several("/metrics", GET=metrics),
        several("/openapi.json", GET=described),
        several("/v1/jobs/{id}", GET=job, DELETE=cancel),
        several("/v1/jobs/{id}/events", GET=followed),
    ]


async def _no_route(call: Call, error: Exception) -> Response:
    if isinstance(error, HTTPException) and error.status_code == 405:
        headers = {"Allow": (error.headers or {}).get("Allow", "")}
        return refused(Problem("method", f"{call.method} is not allowed here.", headers=headers))
    return refused(Problem("not_found", "There is nothing under this path; /openapi.json lists what there is."))
