"""Sessions under load while the service is killed at random moments; what was acknowledged is then asked for again."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.network import Answer, Client, Running

from tower_sim.apparatus.catalogue import load
from tower_sim.models import Model, open_model
from tower_sim.requests import DropRequest, outcome
from tower_sim.state import TowerState

COLOURS = ("red", "blue", "green", "brown")


Ask = Callable[[str, Any, str], Answer]
"""Sends a body to a path with a key until it is answered, whatever happens to the service meanwhile."""


@dataclass
class Session:
    """A client's tower: the drops that it asks for, in order, and those that were acknowledged."""

    number: int
    asked: list[dict[str, int]]
    made: Answer | None = None
    drops: list[tuple[str, bytes]] = field(default_factory=list[tuple[str, bytes]])

    @property
    def path(self) -> str:
        assert self.made
        return self.made.headers["location"]

    @property
    def identifier(self) -> str:
        assert self.made
        return self.made.document["id"]

    @property
    def steps(self) -> int:
        """How many answers it waits for."""
        return 1 + len(self.asked)

    def play(self, ask: Ask) -> None:
        self.made = ask("/v1/towers", {"model": "surrogate"}, self.key("make"))
        for i, cubes in enumerate(self.asked):
            got = ask(f"{self.path}/drops", {"cubes": cubes}, self.key("drop", i))
            self.drops.append((got.headers["location"], got.body))

    def key(self, step: str, i: int = 0) -> str:
        return f"session-{self.number:08}-{step}-{i:04}"


@dataclass
class Told:
    """What the test counts."""

    kills: int = 0
    acknowledged: int = 0
    sent_again: int = 0
    answered_before: int = 0
    waited: int = 0


class Crashing:
    """A service that is killed and started again, and clients that go on whatever happens."""

    def __init__(self, db: Path, towers: int, kills: int, drops: int, clients: int, seed: int) -> None:
        rng = random.Random(seed)
        self.sessions = [
            Session(number, [{rng.choice(COLOURS): rng.randint(1, 4)} for _ in range(drops)])
            for number in range(towers)
        ]
        self.told = Told()
        self._db, self._rng, self._kills, self._clients = db, rng, kills, clients
        self._lock = threading.Lock()
        self._is_up = threading.Event()
        self._service = Running(db)
        self._is_up.set()
        self._errors: list[BaseException] = []
        self._left = list(reversed(self.sessions))
        self._progress = 0

    def run(self) -> Running:
        """Do every session, with the kills spread over them; return the service that is at work at the end."""
        threads = [threading.Thread(target=self._client, daemon=True) for _ in range(self._clients)]
        for thread in threads:
            thread.start()
        whole = sum(session.steps for session in self.sessions)
        moments = sorted(self._rng.uniform(0.02, 0.98) * whole for _ in range(self._kills))
        for moment in moments:
            while self._progress < moment and not self._errors:
                time.sleep(0.0005)
            time.sleep(self._rng.uniform(0, 0.02))
            self._is_up.clear()
            self._service.kill()
            self.told.kills += 1
            self._service = Running(self._db)
            self._is_up.set()
        for thread in threads:
            thread.join()
        if self._errors:
            raise self._errors[0]
        return self._service

    def _client(self) -> None:
        try:
            while True:
                with self._lock:
                    if not self._left:
                        return
                    session = self._left.pop()
                session.play(self._until_answered)
        except BaseException as error:
            self._errors.append(error)

    def _until_answered(self, path: str, body: Any, key: str) -> Answer:
        sent = 0
        while True:
            self._is_up.wait(60)
            client = Client(self._service.port)
            try:
                sent += 1
                got = client.post(path, body, key=key)
            except (OSError, http.client.HTTPException):
                continue
            finally:
                client.close()
            if got.status in (409, 503):
                with self._lock:
                    self.told.waited += 1
                continue
            assert got.status == 201, got
            with self._lock:
                self._progress += 1
                self.told.acknowledged += 1
                self.told.sent_again += sent > 1
                self.told.answered_before += "idempotency-replayed" in got.headers
            return got


def check(sessions: list[Session], service: Running) -> int:
    """Ask for every acknowledged drop again, byte for byte; return how many there are."""
    client = service.client()
    drops = [_again(client, place, body) for session in sessions for place, body in session.drops]
    assert len({drop["id"] for drop in drops}) == len(drops)
    assert len({drop["seed"] for drop in drops}) == len(drops)
    assert len({session.identifier for session in sessions}) == len(sessions)
    with open_model(load("amerigo"), "surrogate") as model:
        for session in sessions:
            _check_tower(session, client, model)
    return len(drops)


def _again(client: Client, place: str, body: bytes) -> Any:
    again = client.get(place)
    assert (again.status, again.body) == (200, body)
    return again.document


def _check_tower(session: Session, client: Client, model: Model) -> None:
    """Each drop went on from the one before it, by its own seed, with the cubes that this session had asked for."""
    state: TowerState | None = None
    for number, ((_, body), cubes) in enumerate(zip(session.drops, session.asked, strict=True)):
        told = json.loads(body)
        assert (told["tower"], told["number"]) == (session.identifier, number)
        landed = outcome(DropRequest("amerigo", "surrogate", int(told["seed"]), cubes, state), model)
        assert landed.state.token() == told["state"]
        state = landed.state
    history = client.get(f"{session.path}/drops?limit=500").document
    assert history["of"] == len(session.asked)
    assert [drop["number"] for drop in history["drops"]] == list(range(len(session.asked)))
    assert [f"/v1/drops/{drop['id']}" for drop in history["drops"]] == [place for place, _ in session.drops]
