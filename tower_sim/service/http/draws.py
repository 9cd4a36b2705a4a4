"""The routes for throws and games without a kept tower, for odds, and for jobs.

Throws and games are drawn once and stored, and can be fetched again by their identifier.
"""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path
from fastapi import Request as Call
from starlette.responses import Response

from tower_sim.errors import fault
from tower_sim.service import told
from tower_sim.service.asked import Next, Play, Throw
from tower_sim.service.codes import TOO_LARGE
from tower_sim.service.http.keys import Answered, MaybeKey
from tower_sim.service.http.service import AGAIN, ASKED, JSON, JsonRoute, Service, keyed, problems
from tower_sim.service.http.store import answer_row, hashed, new_id
from tower_sim.service.http.workers import RunsDone

MAX_WAITED = 1_000  # games of one request whose caller waits
EXAMPLE_ID = "X2WFOWCkRgSM5X9JCcIMVA"
Id = Annotated[str, Path(pattern="^[A-Za-z0-9_-]{22}$", description="The identifier.", examples=[EXAMPLE_ID])]
_PREFER = Header(description="respond-async: answer with a job.", examples=["respond-async"])
LOCATED = {"headers": {"Location": {"schema": {"type": "string"}, "description": "Where to get it again."}}}


def routes(service: Service) -> APIRouter:
    """Return the routes for throws, games, odds and jobs."""
    router = APIRouter(route_class=JsonRoute)

    @router.post(
        "/v1/drops",
        status_code=201,
        response_model=told.Drop,
        operation_id="createDrop",
        summary="Throw",
        responses=problems(*ASKED) | {201: LOCATED},
    )
    async def create_drop(call: Call, asked: Throw, key: MaybeKey = None) -> Response:
        async def work() -> Answered:
            return _answered("drops", "drop", told.Drop, await service.drawn(asked))

        return await service.once_for(call, key, work)

    @router.get(
        "/v1/drops/{id}",
        response_model=told.Drop | told.TowerDrop,
        operation_id="getDrop",
        summary="Get a throw again",
        responses=problems(404, 422),
    )
    async def get_drop(id: Id) -> Response:
        return Response(service.body_of(id, "drop"), 200, None, JSON)

    @router.post(
        "/v1/games",
        status_code=201,
        response_model=told.Played,
        operation_id="createGame",
        summary="Play a game, or many",
        responses=problems(*ASKED)
        | {201: LOCATED, 202: LOCATED | {"model": told.Job, "description": "A job was begun."}},
    )
    async def create_game(
        call: Call, asked: Play, key: MaybeKey = None, prefer: Annotated[str, _PREFER] = ""
    ) -> Response:
        async def work(progress: RunsDone | None = None) -> Answered:
            return _answered("games", "game", None, await service.drawn(asked, progress))

        if "respond-async" in prefer.lower():
            asked.request()  # refuses a wrong request at once
            service.workers.check_room()
            followed, is_again = await service.jobs.start(await keyed(call, key), work)
            headers = {"Location": f"/v1/jobs/{followed.identifier}", "Preference-Applied": "respond-async"}
            headers |= {AGAIN: "true"} if is_again else {}
            return Response(followed.document().model_dump_json(), 202, headers, JSON)
        if (asked.games or 0) > MAX_WAITED:
            advice = "send the header Prefer: respond-async"
            raise fault("games", asked.games, f"up to {MAX_WAITED} while you wait", advice, TOO_LARGE)
        return await service.once_for(call, key, work)

    @router.post(
        "/v1/odds",
        response_model=told.ChancesAnswer,
        operation_id="getOdds",
        summary="Get the chances of throws that could come next",
        responses=problems(*ASKED),
    )
    async def get_odds(asked: Next) -> Response:
        return odds_answer(await service.drawn(asked))

    @router.get(
        "/v1/games/{id}",
        response_model=told.Played,
        operation_id="getGame",
        summary="Get a game again",
        responses=problems(404, 422),
    )
    async def get_game(id: Id) -> Response:
        return Response(service.body_of(id, "game"), 200, None, JSON)

    @router.get(
        "/v1/jobs/{id}",
        response_model=told.Job,
        operation_id="getJob",
        summary="Look how far a job is",
        responses=problems(404, 410, 422),
    )
    async def get_job(id: Id) -> told.Job:
        return service.jobs.get(id).document()

    @router.delete(
        "/v1/jobs/{id}",
        status_code=204,
        operation_id="cancelJob",
        summary="Cancel a job",
        responses=problems(404, 410, 422),
    )
    async def cancel_job(id: Id) -> Response:
        service.jobs.cancel(id)
        return Response(None, 204)

    return router


def odds_answer(drawn: dict[str, Any]) -> Response:
    """Return chances as an answer, which is not stored: the same request with the same seed gives it again."""
    told.ChancesAnswer.model_validate(drawn)
    return Response(json.dumps(drawn, allow_nan=False), 200, None, JSON)


def _answered(path: str, kind: str, model: type[told.Answer] | None, drawn: dict[str, Any]) -> Answered:
    """Return a document with a new identifier as an answer, with the statement that stores it."""
    identifier = new_id()
    document = {"id": identifier, **drawn}
    if model is None:
        told.played(document)
    else:
        model.model_validate(document)
    body = json.dumps(document, allow_nan=False).encode()
    row = answer_row(identifier, kind, body)
    return Answered(201, body, f"/v1/{path}/{identifier}", (row,), hashed(identifier))
