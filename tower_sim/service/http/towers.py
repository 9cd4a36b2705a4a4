"""Kept towers, for a program whose players see one tower from several devices.

The program's identifier `id` may do everything. The other, `table`, is for devices: it may look and throw, and gets no
seed, state or identifier that could reveal or repeat the next throw.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Query
from fastapi import Request as Call
from pydantic import Field
from starlette.responses import Response

from tower_sim.answers import History, TableDrop, TableTower, TowerAnswer, TowerDrop
from tower_sim.errors import fault
from tower_sim.requests import SEED, MaybeSeed, Stated, Throw, Thrown, with_examples
from tower_sim.service.http.keys import Key, Reply
from tower_sim.service.http.problems import Problem
from tower_sim.service.http.service import Id, Routes, Service, as_json, aside, respond
from tower_sim.service.http.store import answer_row, derive_table, hash_id, new_id
from tower_sim.typed import read

MAX_KEPT = 500  # throws of a tower: its state holds them all
_HOW = ("apparatus", "model", "engine", "accuracy")
_FACTS = ("number", "status", "thrown", "emerged", "inside", "knocked_out")
_HIDDEN = ("id", "seed", "state")  # from the table


class NewTower(Stated):
    """A tower that the service keeps: empty, or with the state of an earlier answer."""

    model_config = with_examples({"model": "surrogate"})


class TowerThrow(Thrown):
    """A throw, or a knock, into a tower that is kept; only the program's identifier may come with a seed."""

    model_config = with_examples({"cubes": {"blue": 4}}, {"knock": 1})
    seed: MaybeSeed = Field(None, description=SEED, examples=["7"])


@dataclass(frozen=True, slots=True)
class _Tower:
    name: str
    row: bytes
    is_table: bool
    settings: Mapping[str, Any]
    state: str | None
    drops: int
    inside: Mapping[str, int]

    def document(self) -> Mapping[str, Any]:
        own: dict[str, Any] = {} if self.is_table else {"table": derive_table(self.name), "state": self.state}
        schema = {"schema": "tower-sim/table" if self.is_table else "tower-sim/tower", "version": 1}
        return {"id": self.name} | schema | dict(self.settings) | {"drops": self.drops, "inside": self.inside} | own


def add(router: Routes, service: Service) -> None:
    """Add the routes."""

    def find_tower(name: str, *, only_program: str = "") -> _Tower:
        key_hash = hash_id(name)
        sql = "SELECT hash, asked, state, drops, inside FROM towers WHERE ? IN (hash, seen)"
        row, settings, state, drops, inside = service.read_row("tower", sql, key_hash)
        if (is_table := row != key_hash) and only_program:
            detail = f"The table's identifier may look and throw, not {only_program}; use the program's."
            raise Problem("table", detail)
        return _Tower(name, row, is_table, json.loads(settings), state, drops, json.loads(inside))

    @router.on("POST", "/v1/towers", "Make a tower that is kept", answers=TowerAnswer, makes=True)
    async def create_tower(call: Call, request: NewTower, key: Key) -> Response:
        async def work() -> Reply:
            before = await aside(lambda: request.before)
            own = before and (before.model, before.apparatus)
            if own and own != (request.model, request.tower):
                text, allowed = "of {} of {}".format(*own), f"one of {request.model} of {request.tower}"
                raise fault("state", text, allowed, "name the model and the apparatus of the state")
            name, how = new_id(), request.model_dump(include=set(_HOW)) | {"apparatus": request.tower}
            inside = _count_present(Counter(cube.colour for cube in before.cubes) if before else {})
            tower = _Tower(name, hash_id(name), False, how, request.state, 0, inside)
            row = (
                tower.row,
                hash_id(derive_table(name)),
                time.time(),
                json.dumps(how),
                request.state,
                0,
                json.dumps(inside),
            )
            sql = "INSERT INTO towers (hash, seen, used, asked, state, drops, inside) VALUES (?, ?, ?, ?, ?, ?, ?)"
            return Reply(201, as_json(tower.document()), f"/v1/towers/{name}", ((sql, row),))

        return await service.answer_once(call, key, work)

    @router.on("GET", "/v1/towers/{id}", "Look at a tower", 404, 422, answers=TowerAnswer | TableTower)
    async def get_tower(id: Id) -> Response:
        return respond(find_tower(id).document())

    @router.on("DELETE", "/v1/towers/{id}", "Forget a tower; its throws can still be got by their own identifiers",
               403, 404, 422)  # fmt: skip
    async def delete_tower(id: Id) -> Response:
        row = find_tower(id, only_program="delete").row
        async with service.alone(row):
            find_tower(id)
            detach = ("UPDATE answers SET tower = NULL, number = NULL WHERE tower = ?", (row,))
            await service.store.write(("DELETE FROM towers WHERE hash = ?", (row,)), detach)
        return Response(None, 204)

    @router.on("POST", "/v1/towers/{id}/drops", "Throw into a tower, or knock on it", 403, 404,
               answers=TowerDrop | TableDrop, makes=True)  # fmt: skip
    async def throw_into_tower(call: Call, id: Id, request: TowerThrow, key: Key) -> Response:
        async def work() -> Reply:
            tower = find_tower(id, only_program="choose a seed" if request.seed is not None else "")
            if (number := tower.drops) >= MAX_KEPT:
                raise Problem("tower.full", f"It has had {number} throws; make another, with the state of one of them.")
            document = await service.draw(read(Throw, {**tower.settings, **request.model_dump(), "state": tower.state}))
            identifier = new_id()
            program = {"id": identifier, "tower": tower.name, "number": number, **document}
            history = {"id": identifier, "seed": document["seed"]} | {key: program[key] for key in _FACTS}
            body, inside = as_json(program), json.dumps(_count_present(document["inside"]))
            update = "UPDATE towers SET state = ?, drops = ?, used = ?, inside = ? WHERE hash = ?"
            statements = (
                answer_row(identifier, "drop", body, tower.row, number, as_json(history)),
                (update, (document["state"], number + 1, time.time(), inside, tower.row)),
            )
            if not tower.is_table:
                return Reply(201, body, f"/v1/drops/{identifier}", statements, hash_id(identifier))
            public = {key: value for key, value in program.items() if key not in _HIDDEN}
            table = as_json(public | {"schema": "tower-sim/table-drop"})
            return Reply(201, table, f"/v1/towers/{id}/drops?from={number}&limit=1", statements)

        return await service.answer_once(call, key, work, find_tower(id).row)

    @router.on("GET", "/v1/towers/{id}/drops", "List the throws of a tower", 404, 422, answers=History)
    async def list_tower_drops(
        id: Id,
        first: Annotated[int, Query(alias="from", ge=0, le=MAX_KEPT, description="The first number.")] = 0,
        limit: Annotated[int, Query(ge=1, le=MAX_KEPT, description="How many.")] = 100,
    ) -> Response:
        tower = find_tower(id)
        sql = "SELECT told FROM answers WHERE tower = ? AND number >= ? ORDER BY number LIMIT ?"
        drops: list[dict[str, Any]] = [json.loads(row) for (row,) in service.store.read(sql, tower.row, first, limit)]
        if tower.is_table:
            drops = [{key: drop[key] for key in _FACTS} for drop in drops]
        head = {"tower": id, "schema": "tower-sim/history", "version": 1, "of": tower.drops}
        return respond(head | {"drops": drops})


def _count_present(counts: Mapping[str, int]) -> dict[str, int]:
    return {colour: number for colour, number in sorted(counts.items()) if number}
