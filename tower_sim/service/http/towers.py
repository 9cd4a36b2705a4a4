"""Towers that the service keeps: each drop goes on from the last, one after the other, and is stored with the state."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request as Call
from starlette.responses import Response
from starlette.routing import Route

from tower_sim.errors import check_whole, fault
from tower_sim.fields import refuse_unknown
from tower_sim.models import settings_of
from tower_sim.requests import PHYSICS, first_game
from tower_sim.service.http import drawing
from tower_sim.service.http.keys import Answered
from tower_sim.service.http.problems import Problem
from tower_sim.service.http.service import Service, encoded, identifier_of, owner_of, plain, query_number, several
from tower_sim.service.http.store import answer_row, checked, hashed, new_id

SCHEMA, VERSION = "tower-sim/tower", 1
HISTORY = "tower-sim/history"
MAX_DROPS = 500  # of one tower: its state holds them all
MADE_WITH = ("apparatus", "model", "engine", "accuracy", "state")
DROPPED_WITH = ("cubes", "knock", "seed")
_TOLD = ("id", "number", "seed", "status", "thrown", "emerged", "inside", "knocked_out")  # of a drop, in a history
_EXAMPLE = '{"model": "surrogate"}'


@dataclass(frozen=True, slots=True)
class _Tower:
    """A tower as it is stored, with how many cubes are `inside` its `state`."""

    identifier: str
    fields: Mapping[str, Any]
    state: str | None
    drops: int
    inside: Mapping[str, int]

    def document(self) -> dict[str, Any]:
        said: dict[str, Any] = {"id": self.identifier, "schema": SCHEMA, "version": VERSION}
        said |= {key: self.fields.get(key) for key in ("apparatus", "model", "engine", "accuracy")}
        return said | {"drops": self.drops, "inside": self.inside, "state": self.state}

    def made(self) -> Answered:
        """Return the answer to who made it, with the statement that stores it."""
        now, row = time.time(), hashed(self.identifier)
        statement = (
            "INSERT INTO towers (hash, made, used, fields, state, drops, inside) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (row, now, now, json.dumps(dict(self.fields)), self.state, self.drops, json.dumps(self.inside)),
        )
        return Answered(201, encoded(self.document()), f"/v1/towers/{self.identifier}", (statement,))


def routes(service: Service) -> list[Route]:
    """Return the routes."""
    towers = _Towers(service)
    return [
        several("/v1/towers", POST=towers.make),
        several("/v1/towers/{id}", GET=towers.get, DELETE=towers.delete),
        several("/v1/towers/{id}/drops", POST=towers.drop, GET=towers.history),
        several("/v1/towers/{id}/forks", POST=towers.fork),
    ]


class _Towers:
    def __init__(self, service: Service) -> None:
        self._service = service

    async def make(self, call: Call) -> Response:
        """Make a tower: empty, or with the state of an earlier answer."""

        async def work(body: dict[str, Any]) -> Answered:
            fields = drawing.narrowed("tower", body, MADE_WITH)
            fields = {"apparatus": first_game().apparatus, "model": PHYSICS} | fields
            for key in ("engine", "accuracy", "state"):
                if key in fields and not isinstance(fields[key], str):
                    raise fault(key, fields[key], "a text in quotes")
            settings_of(fields["model"], fields.get("engine"), fields.get("accuracy"))
            token, inside = fields.pop("state", None), dict[str, int]()
            if token is not None:
                stands = await self._service.stands(token, owner_of(call))
                of, asked_for = (f"{of['model']} of {of['apparatus']}" for of in (stands, fields))
                if of != asked_for:
                    raise fault("state", f"of {of}", f"one of {asked_for}", "name those of the state")
                inside = stands["inside"]
            return _Tower(new_id(), fields, token, 0, inside).made()

        return await self._service.once_for(call, _EXAMPLE, work)

    async def get(self, call: Call) -> Response:
        """Tell how a tower stands."""
        return plain(self._tower(call).document())

    async def delete(self, call: Call) -> Response:
        """Forget a tower; its drops can still be got by their own identifiers."""
        tower = hashed(self._tower(call).identifier)
        async with self._service.alone(tower):
            self._tower(call)
            forgotten = ("UPDATE answers SET tower = NULL, number = NULL WHERE tower = ?", (tower,))
            await self._service.store.write(("DELETE FROM towers WHERE hash = ?", (tower,)), forgotten)
        return Response(None, 204)

    async def drop(self, call: Call) -> Response:
        """Throw into a tower."""
        service, row = self._service, hashed(identifier_of(call))

        async def work(body: dict[str, Any]) -> Answered:
            refuse_unknown(body, dict.fromkeys(DROPPED_WITH), "drop")
            tower = self._tower(call)
            if tower.drops >= MAX_DROPS:
                raise Problem("tower.full", f"It has had {tower.drops} drops; make another, or fork an earlier moment.")
            drawn = await service.drawn(drawing.DROP, {**body, **tower.fields, "state": tower.state}, row)
            identifier, number = new_id(), tower.drops
            document = {"id": identifier, "tower": tower.identifier, "number": number, **drawn}
            whole = encoded(document)
            moved = ("UPDATE towers SET state = ?, drops = ?, used = ?, inside = ? WHERE hash = ?",
                     (drawn["state"], number + 1, time.time(), json.dumps(_inside(drawn)), row))  # fmt: skip
            told = encoded({key: document[key] for key in _TOLD})
            stored = answer_row(identifier, drawing.DROP, whole, row, number, told)
            return Answered(201, whole, f"/v1/drops/{identifier}", (stored, moved), hashed(identifier))

        return await service.once_for(call, '{"cubes": {"blue": 4}}', work, row)

    async def history(self, call: Call) -> Response:
        """Tell the drops of a tower, in order."""
        tower = self._tower(call)
        first = query_number(call, "from", 0, 0, MAX_DROPS)
        limit = query_number(call, "limit", 100, 1, MAX_DROPS)
        rows = self._service.store.read(
            "SELECT told FROM answers WHERE tower = ? AND number >= ? ORDER BY number LIMIT ?",
            hashed(tower.identifier),
            first,
            limit,
        )
        drops = await self._service.aside(lambda: [json.loads(row) for (row,) in rows])
        said = {"tower": tower.identifier, "schema": HISTORY, "version": VERSION, "of": tower.drops, "drops": drops}
        return plain(said)

    async def fork(self, call: Call) -> Response:
        """Make another tower of what this one is now, or was after one of its drops."""

        async def work(body: dict[str, Any]) -> Answered:
            refuse_unknown(body, {"after": None}, "fork")
            tower, after = self._tower(call), body.get("after")
            state, inside = tower.state, tower.inside
            if after is not None:
                if not tower.drops:
                    raise fault("after", after, "nothing before the first drop", "leave it out")
                check_whole("after", after, 0, tower.drops - 1)
                drop = self._drop(tower, after)
                state, inside = drop["state"], _inside(drop)
            return _Tower(new_id(), tower.fields, state, 0, inside).made()

        return await self._service.once_for(call, "{}", work, hashed(identifier_of(call)))

    def _drop(self, tower: _Tower, number: int) -> dict[str, Any]:
        sql = "SELECT hash, body, seal FROM answers WHERE tower = ? AND number = ?"
        rows = self._service.store.read(sql, hashed(tower.identifier), number)
        if not rows:
            raise Problem("not_found", f"Drop {number} of this tower is no longer kept.")
        return json.loads(checked(*rows[0]))

    def _tower(self, call: Call) -> _Tower:
        identifier = identifier_of(call)
        sql = "SELECT hash, fields, state, drops, inside FROM towers WHERE hash = ?"
        fields, state, drops, inside = self._service.row_of("tower", sql, identifier)
        return _Tower(identifier, json.loads(fields), state, drops, json.loads(inside))


def _inside(drop: Mapping[str, Any]) -> dict[str, int]:
    """Return how many cubes of each colour a drop left inside, of those colours that are there."""
    return {colour: number for colour, number in sorted(drop["inside"].items()) if number}
