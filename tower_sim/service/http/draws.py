"""The routes for throws, games, odds and jobs; throws and games are stored and can be fetched again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Union, get_type_hints

from fastapi import Header
from fastapi import Request as Call
from starlette.responses import Response

from tower_sim.answers import ChancesAnswer, Drop, Identifier, Job, TowerDrop, make_type
from tower_sim.errors import fault
from tower_sim.requests import Odds, Play, Throw, games
from tower_sim.service import limits
from tower_sim.service.codes import TOO_LARGE
from tower_sim.service.http.keys import MaybeKey, Reply
from tower_sim.service.http.service import AGAIN, LOCATED, Id, Routes, Service, as_json, identify, respond
from tower_sim.service.http.store import answer_row, hash_id, new_id
from tower_sim.service.http.workers import RunsDone

MAX_WAITED = 1_000  # games of one request whose caller waits
_PREFER = Header(description="respond-async: answer with a job.", examples=["respond-async"])
_BEGUN = LOCATED | {"model": Job, "description": "A job was begun."}


def game_types() -> Any:
    """Return the union of the types of runs and odds of every installed game."""
    kinds = [kind for game in games() for kind in game.ways.types()]
    fields = [{"id": Identifier, **get_type_hints(kind, include_extras=True)} for kind in kinds]
    types = [make_type(kind.__name__, kind.__doc__, hints) for kind, hints in zip(kinds, fields, strict=True)]
    return Union[tuple(types)]  # noqa: UP007


def add(router: Routes, service: Service) -> None:
    """Add the routes."""
    game = game_types()

    @router.on("POST", "/v1/drops", "Throw", answers=Drop, makes=True)
    async def create_drop(call: Call, request: Throw, key: MaybeKey = None) -> Response:
        async def work() -> Reply:
            return _keep("drops", "drop", await service.draw(request))

        return await service.answer_once(call, key, work)

    @router.on("GET", "/v1/drops/{id}", "Get a throw again", 404, 422, answers=Drop | TowerDrop)
    async def get_drop(id: Id) -> Response:
        return respond(service.read_body(id, "drop"))

    @router.on("POST", "/v1/games", "Play a game, or many", answers=game, makes=True, responses={202: _BEGUN})
    async def create_game(
        call: Call, request: Play, key: MaybeKey = None, prefer: Annotated[str, _PREFER] = ""
    ) -> Response:
        async def work(progress: RunsDone | None = None) -> Reply:
            return _keep("games", "game", await service.draw(request, progress))

        if "respond-async" in prefer.lower():
            limits.check(request)  # refuses a wrong request at once
            service.workers.check_room()
            job, is_again = await service.jobs.start(await identify(call, key), work)
            headers = {"Location": f"/v1/jobs/{job.identifier}", "Preference-Applied": "respond-async"}
            return respond(job.document(), 202, headers | ({AGAIN: "true"} if is_again else {}))
        if (request.games or 0) > MAX_WAITED:
            advice = "send the header Prefer: respond-async"
            raise fault("games", request.games, f"up to {MAX_WAITED} while you wait", advice, TOO_LARGE)
        return await service.answer_once(call, key, work)

    @router.on("GET", "/v1/games/{id}", "Get a game again", 404, 422, answers=game)
    async def get_game(id: Id) -> Response:
        return respond(service.read_body(id, "game"))

    @router.on("POST", "/v1/odds", "Get the chances of throws that could come next", answers=ChancesAnswer)
    async def get_odds(request: Odds) -> Response:
        return respond(await service.draw(request))  # not stored: the same seed gives it again

    @router.on("GET", "/v1/jobs/{id}", "Look how far a job is", 404, 410, 422, answers=Job)
    async def get_job(id: Id) -> Response:
        return respond(service.jobs.get(id))

    @router.on("DELETE", "/v1/jobs/{id}", "Cancel a job", 404, 410, 422)
    async def cancel_job(id: Id) -> Response:
        service.jobs.cancel(id)
        return Response(None, 204)


def _keep(path: str, kind: str, document: Mapping[str, Any]) -> Reply:
    identifier = new_id()
    body = as_json({"id": identifier, **document})
    return Reply(201, body, f"/v1/{path}/{identifier}", (answer_row(identifier, kind, body),), hash_id(identifier))
