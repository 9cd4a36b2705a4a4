"""Sessions under load while the service is killed at random moments; what was acknowledged is then asked for again."""

from __future__ import annotations

import http.client
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.network import Answer, Client, Running

from tower_sim.apparatus.catalogue import load
from tower_sim.models import open_model
from tower_sim.requests import DropRequest, outcome
from tower_sim.state import TowerState

COLOURS = ("red", "blue", "green", "brown")


@dataclass
class Session:
    """A tower of a client's: what it asked, in order, and what was acknowledged."""

    number: int
    asked: list[dict[str, int]]
    made: bytes = b""
    tower: str = ""
    drops: list[tuple[str, bytes]] = field(default_factory=list[tuple[str, bytes]])


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

    def __init__(self, db: Path, sessions: int, kills: int, drops: int, clients: int, seed: int) -> None:
        rng = random.Random(seed)
        self.sessions = [
            Session(number, [{rng.choice(COLOURS): rng.randint(1, 4)} for _ in range(drops)])
            for number in range(sessions)
        ]
        self.told = Told()
        self._db, self._rng, self._kills, self._clients = db, rng, kills, clients
        self._lock = threading.Lock()
        self._is_up = threading.Event()
        self._service = Running(db, "--rate", "0")
        self._is_up.set()
        self._errors: list[BaseException] = []
        self._left = list(reversed(self.sessions))
        self._progress = 0

    def run(self) -> Running:
        """Do every session, with the kills spread over them; return the service that is at work at the end."""
        threads = [threading.Thread(target=self._client, daemon=True) for _ in range(self._clients)]
        for thread in threads:
            thread.start()
        whole = sum(1 + len(session.asked) for session in self.sessions)
        moments = sorted(self._rng.uniform(0.02, 0.98) * whole for _ in range(self._kills))
        for moment in moments:
            while self._progress < moment and not self._errors:
                time.sleep(0.0005)
            time.sleep(self._rng.uniform(0, 0.02))
            self._is_up.clear()
            self._service.kill()
            self.told.kills += 1
            self._service = Running(self._db, "--rate", "0")
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
                self._session(session)
        except BaseException as error:
            self._errors.append(error)

    def _session(self, session: Session) -> None:
        made = self._until_answered("/v1/towers", {"model": "surrogate"}, f"make-the-tower-{session.number:08}")
        session.made, session.tower = made.body, made.document["id"]
        for i, cubes in enumerate(session.asked):
            path, key = f"/v1/towers/{session.tower}/drops", f"drop-into-it-{session.number:08}-{i:04}"
            got = self._until_answered(path, {"cubes": cubes}, key)
            session.drops.append((got.headers["location"], got.body))

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
    """Ask for everything that was acknowledged again; return how many drops were the same, byte for byte."""
    client, same = service.client(), 0
    shape = load("amerigo")
    identifiers: Counter[str] = Counter()
    with open_model(shape, "surrogate") as model:
        for session in sessions:
            state: TowerState | None = None
            for number, ((location, body), cubes) in enumerate(zip(session.drops, session.asked, strict=True), 1):
                again = client.get(location)
                assert (again.status, again.body) == (200, body)
                told = again.document
                identifiers[told["id"]] += 1
                assert (told["tower"], told["number"]) == (session.tower, number)
                asked = DropRequest("amerigo", "surrogate", int(told["seed"]), cubes, state)
                landed = outcome(asked, model)
                assert landed.state.token() == told["state"]  # it went on from the drop before, by its own seed
                state = landed.state
                same += 1
            history = client.get(f"/v1/towers/{session.tower}/drops?limit=500").document
            assert history["of"] == len(session.asked)
            assert [drop["number"] for drop in history["drops"]] == list(range(1, len(session.asked) + 1))
            assert [f"/v1/drops/{drop['id']}" for drop in history["drops"]] == [place for place, _ in session.drops]
    assert set(identifiers.values()) == {1}
    assert len({session.tower for session in sessions}) == len(sessions)
    return same
