"""Drops, games and battles that stand alone: drawn once, stored, and got again by their identifier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request as Call
from starlette.responses import Response
from starlette.routing import Route

from tower_sim.errors import fault
from tower_sim.service.codes import TOO_LARGE
from tower_sim.service.http import drawing
from tower_sim.service.http.keys import Answered, KeyedCall
from tower_sim.service.http.problems import Problem
from tower_sim.service.http.service import (
    AGAIN,
    JSON,
    Endpoint,
    Service,
    asked_of,
    encoded,
    given,
    owner_of,
    plain,
    several,
)
from tower_sim.service.http.store import answer_row, hashed, new_id
from tower_sim.service.http.workers import Job

KINDS = {"drops": drawing.DROP, "games": drawing.GAME, "battles": drawing.BATTLE}
MAX_WAITED = 1_000  # games or battles of one request whose caller waits
EXAMPLES = {
    "drops": '{"cubes": {"blue": 4}}',
    "games": '{"model": "surrogate"}',
    "battles": '{"cubes": {"purple": 4, "green": 3}}',
}


def routes(service: Service) -> list[Route]:
    """Return the routes."""
    return [
        route
        for path, kind in KINDS.items()
        for route in (
            several(f"/v1/{path}", POST=_asks(service, path, kind)),
            several(f"/v1/{path}/{{id}}", GET=_got(service, kind)),
        )
    ]


def _got(service: Service, kind: str) -> Endpoint:
    async def got(call: Call) -> Response:
        return Response(service.body_of(call.path_params["id"], kind), 200, None, JSON)

    return got


def _asks(service: Service, path: str, kind: str) -> Endpoint:
    async def work(
        identifier: str, body: dict[str, Any], owner: bytes, watch: Callable[[Job], None] | None
    ) -> Answered:
        drawn = encoded({"id": identifier, **await service.drawn(kind, body, owner, watch)})
        row = answer_row(identifier, kind, drawn)
        return Answered(201, drawn, f"/v1/{path}/{identifier}", (row,), hashed(identifier))

    async def later(identifier: str, body: dict[str, Any], owner: bytes, asked: KeyedCall) -> Response:
        followed, is_again = await service.jobs.start(asked, lambda watch: work(identifier, body, owner, watch))
        headers = {"Location": f"/v1/jobs/{followed.identifier}", "Preference-Applied": "respond-async"}
        if is_again:
            headers[AGAIN] = "true"
        return plain(followed.document(), 202, headers)

    async def asks(call: Call) -> Response:
        digest, body = await service.body(call, EXAMPLES[path])
        asked = asked_of(call, digest, needed=False)
        identifier, owner = new_id(), owner_of(call)
        if path != "drops" and "respond-async" in call.headers.get("prefer", "").lower():
            drawing.read(kind, drawing.narrowed(kind, body, service.fields[kind]))  # what is wrong is told at once
            if service.workers.waiting >= service.settings.queue:
                raise Problem("busy", "Too many requests wait already; ask later.", headers={"Retry-After": "5"})
            return await later(identifier, body, owner, asked)
        if isinstance(body.get("games"), int) and body["games"] > MAX_WAITED:
            advice = "send the header Prefer: respond-async"
            raise fault("games", body["games"], f"up to {MAX_WAITED} while you wait", advice, TOO_LARGE)
        return given(*await service.once.answer(asked, lambda: work(identifier, body, owner, None)))

    return asks
