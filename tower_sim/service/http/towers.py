"""The routes for towers that the service keeps: each throw goes on from the last one and is stored with the state.

A tower has two identifiers. The players' program has the first and may do everything. The table has the second: it may
look and throw, and gets no seed, no state and no identifier from which it could learn or repeat the next throw.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi import Request as Call
from starlette.responses import Response

from tower_sim.errors import check_whole, fault
from tower_sim.requests import first_game
from tower_sim.service import told
from tower_sim.service.asked import MAX_KEPT, MAX_STATE, Fork, NewTower, Next, Throw, TowerNext, TowerThrow
from tower_sim.service.http.draws import LOCATED, Id, odds_answer
from tower_sim.service.http.keys import Answered, Key
from tower_sim.service.http.problems import Problem
from tower_sim.service.http.service import ASKED, JsonRoute, Service, aside, problems
from tower_sim.service.http.store import answer_row, hashed, new_id, table_of
from tower_sim.state import TowerState
from tower_sim.typed import read

_MADE = ("apparatus", "model", "engine", "accuracy")
_FACTS = ("number", "status", "thrown", "emerged", "inside", "knocked_out")


@dataclass(frozen=True, slots=True)
class _Tower:
    """A tower that is stored under the hash `row`; `name` is the identifier in the request."""

    name: str
    row: bytes
    is_table: bool
    asked: Mapping[str, Any]
    state: str | None
    drops: int
    inside: Mapping[str, int]

    def document(self) -> told.TowerAnswer | told.TableTower:
        standing = {key: self.asked.get(key) for key in _MADE} | {"drops": self.drops, "inside": self.inside}
        if self.is_table:
            return told.TableTower.model_validate({"id": self.name, **standing})
        table = table_of(self.name)
        return told.TowerAnswer.model_validate({"id": self.name, **standing, "table": table, "state": self.state})

    def made(self) -> Answered:
        """Return the answer to the request that makes the tower, with the statement that stores it."""
        asked, inside = json.dumps(dict(self.asked)), json.dumps(self.inside)
        row = self.row, hashed(table_of(self.name)), time.time(), asked, self.state, self.drops, inside
        sql = "INSERT INTO towers (hash, seen, used, asked, state, drops, inside) VALUES (?, ?, ?, ?, ?, ?, ?)"
        return Answered(201, self.document().model_dump_json().encode(), f"/v1/towers/{self.name}", ((sql, row),))


def routes(service: Service) -> APIRouter:
    """Return the routes for kept towers."""
    router = APIRouter(route_class=JsonRoute)

    def found(name: str, *, only_program: str = "") -> _Tower:
        """Return the tower with an identifier, the program's or the table's. Raises Problem if there is none.

        Also raises Problem for the table's identifier if `only_program` names an action, which the table may not do.
        """
        looked = hashed(name)
        sql = "SELECT hash, asked, state, drops, inside FROM towers WHERE ? IN (hash, seen)"
        row, asked, state, drops, inside = service.row_of("tower", sql, looked)
        if (is_table := row != looked) and only_program:
            detail = f"The table's identifier may look and throw, not {only_program}; use the program's."
            raise Problem("table", detail)
        return _Tower(name, row, is_table, json.loads(asked), state, drops, json.loads(inside))

    def new(asked: Mapping[str, Any], state: str | None, inside: Mapping[str, int]) -> Answered:
        name = new_id()
        return _Tower(name, hashed(name), False, asked, state, 0, inside).made()

    def drop_of(tower: _Tower, number: int) -> dict[str, Any]:
        sql = "SELECT body FROM answers WHERE tower = ? AND number = ?"
        return json.loads(service.row_of("throw of this number", sql, tower.row, number)[0])

    @router.post(
        "/v1/towers",
        status_code=201,
        response_model=told.TowerAnswer,
        operation_id="createTower",
        summary="Make a tower that is kept",
        responses=problems(*ASKED) | {201: LOCATED},
    )
    async def create_tower(call: Call, asked: NewTower, key: Key) -> Response:
        async def work() -> Answered:
            made = asked.model_dump(include=set(_MADE))
            made["apparatus"] = made["apparatus"] or first_game().apparatus
            if (token := asked.state) is None:
                return new(made, None, {})
            state = await aside(lambda: TowerState.from_token(token, MAX_STATE))
            of, wanted = (f"{model} of {place}" for model, place in ((state.model, state.apparatus), _of(made)))
            if of != wanted:
                raise fault("state", f"of {of}", f"one of {wanted}", "name the model and the apparatus of the state")
            return new(made, token, _sorted(Counter(cube.colour for cube in state.cubes)))

        return await service.once_for(call, key, work)

    @router.get(
        "/v1/towers/{id}",
        response_model=told.TowerAnswer | told.TableTower,
        operation_id="getTower",
        summary="Look at a tower",
        responses=problems(404, 422),
    )
    async def get_tower(id: Id) -> told.TowerAnswer | told.TableTower:
        return found(id).document()

    @router.delete(
        "/v1/towers/{id}",
        status_code=204,
        operation_id="deleteTower",
        summary="Forget a tower; its throws can still be got by their own identifiers",
        responses=problems(403, 404, 422),
    )
    async def delete_tower(id: Id) -> Response:
        row = found(id, only_program="delete").row
        async with service.alone(row):
            found(id)
            forgotten = ("UPDATE answers SET tower = NULL, number = NULL WHERE tower = ?", (row,))
            await service.store.write(("DELETE FROM towers WHERE hash = ?", (row,)), forgotten)
        return Response(None, 204)

    @router.post(
        "/v1/towers/{id}/drops",
        status_code=201,
        response_model=told.TowerDrop | told.TableDrop,
        operation_id="throwIntoTower",
        summary="Throw into a tower, or knock on it",
        responses=problems(*ASKED, 403, 404) | {201: LOCATED},
    )
    async def throw_into_tower(call: Call, id: Id, asked: TowerThrow, key: Key) -> Response:
        async def work() -> Answered:
            tower = found(id, only_program="choose a seed" if asked.seed is not None else "")
            if tower.drops >= MAX_KEPT:
                raise Problem(
                    "tower.full", f"It has had {tower.drops} throws; make another, or fork an earlier moment."
                )
            whole = {**tower.asked, **asked.model_dump(), "state": tower.state}
            drawn = await service.drawn(read(Throw, whole))
            identifier, number = new_id(), tower.drops
            program = {"id": identifier, "tower": tower.name, "number": number, **drawn}
            history = {"id": identifier, "seed": drawn["seed"]} | {key: program[key] for key in _FACTS}
            body = json.dumps(told.TowerDrop.model_validate(program) and program, allow_nan=False).encode()
            moved = "UPDATE towers SET state = ?, drops = ?, used = ?, inside = ? WHERE hash = ?"
            inside = json.dumps(_sorted(drawn["inside"]))
            statements = (
                answer_row(identifier, "drop", body, tower.row, number, json.dumps(history).encode()),
                (moved, (drawn["state"], number + 1, time.time(), inside, tower.row)),
            )
            if not tower.is_table:
                return Answered(201, body, f"/v1/drops/{identifier}", statements, hashed(identifier))
            facts = {key: program[key] for key in told.TableDrop.model_fields if key in program}
            table = told.TableDrop.model_validate(facts).model_dump_json().encode()
            return Answered(201, table, f"/v1/towers/{id}/drops?from={number}&limit=1", statements)

        return await service.once_for(call, key, work, found(id).row)

    @router.post(
        "/v1/towers/{id}/odds",
        response_model=told.ChancesAnswer,
        operation_id="getTowerOdds",
        summary="Get the chances of throws that could come next into a tower",
        responses=problems(*ASKED, 403, 404),
    )
    async def get_tower_odds(id: Id, asked: TowerNext) -> Response:
        tower = found(id, only_program="ask for odds")
        return odds_answer(await service.drawn(read(Next, {**tower.asked, **asked.model_dump(), "state": tower.state})))

    @router.get(
        "/v1/towers/{id}/drops",
        response_model=told.History,
        operation_id="listTowerDrops",
        summary="List the throws of a tower",
        responses=problems(404, 422),
    )
    async def list_tower_drops(
        id: Id,
        first: Annotated[int, Query(alias="from", ge=0, le=MAX_KEPT, description="The first number.")] = 0,
        limit: Annotated[int, Query(ge=1, le=MAX_KEPT, description="How many.")] = 100,
    ) -> told.History:
        tower = found(id)
        sql = "SELECT told FROM answers WHERE tower = ? AND number >= ? ORDER BY number LIMIT ?"
        rows = [json.loads(row) for (row,) in service.store.read(sql, tower.row, first, limit)]
        kind = told.TableHistoryDrop if tower.is_table else told.HistoryDrop
        drops = [kind.model_validate({key: row[key] for key in kind.model_fields}) for row in rows]
        return told.History.model_validate({"tower": id, "of": tower.drops, "drops": drops})

    @router.post(
        "/v1/towers/{id}/forks",
        status_code=201,
        response_model=told.TowerAnswer,
        operation_id="forkTower",
        summary="Make another tower that goes on from this one, or from one of its throws",
        responses=problems(*ASKED, 403, 404) | {201: LOCATED},
    )
    async def fork_tower(call: Call, id: Id, asked: Fork, key: Key) -> Response:
        async def work() -> Answered:
            tower = found(id, only_program="fork")
            if asked.after is None:
                return new(tower.asked, tower.state, tower.inside)
            if not tower.drops:
                raise fault("after", asked.after, "null before the first throw", "leave it out")
            check_whole("after", asked.after, 0, tower.drops - 1)
            drop = drop_of(tower, asked.after)
            return new(tower.asked, drop["state"], _sorted(drop["inside"]))

        return await service.once_for(call, key, work, found(id, only_program="fork").row)

    return router


def _of(made: Mapping[str, Any]) -> tuple[str, str]:
    return made["model"], made["apparatus"]


def _sorted(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts above 0, sorted by colour."""
    return {colour: number for colour, number in sorted(counts.items()) if number}
