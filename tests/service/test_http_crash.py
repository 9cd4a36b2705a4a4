"""What was answered over HTTP is there after `kill -9`, unchanged and once. About 12 s."""

import http.client
import itertools
import json
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from support.network import Answer, Client, Running, new_key, running

from tower_sim.models import open_model
from tower_sim.requests import Throw, outcome
from tower_sim.state import TowerState

pytestmark = pytest.mark.posix
Ask = Callable[[str, Any, str], Answer]
"""Sends a body to a path with a key until it is answered, whatever happens to the service meanwhile."""


@dataclass
class Session:
    """A client's tower: the drops that it asks for, in order, and those that were acknowledged."""

    number: int
    throws: list[dict[str, int]]
    path: str = ""
    tower: str = ""
    drops: list[tuple[str, bytes]] = field(default_factory=list[tuple[str, bytes]])

    def play(self, ask: Ask) -> None:
        tower = ask("/v1/towers", {"model": "surrogate"}, f"session-{self.number:08}-make")
        self.path, self.tower = tower.headers["location"], tower.document["id"]
        for i, cubes in enumerate(self.throws):
            got = ask(f"{self.path}/drops", {"cubes": cubes}, f"session-{self.number:08}-drop-{i:04}")
            self.drops.append((got.headers["location"], got.body))


class Crashing:
    """A service that is killed and started again at random moments, and clients that go on whatever happens."""

    def __init__(self, db: Path, towers: int, kills: int, drops: int, clients: int, seed: int) -> None:
        rng = random.Random(seed)
        asked = [
            [{rng.choice(["red", "blue", "green"]): rng.randint(1, 4)} for _ in range(drops)] for _ in range(towers)
        ]
        self.sessions = [Session(number, cubes) for number, cubes in enumerate(asked)]
        self.acknowledged = self.killed = 0
        self._db, self._rng, self._kills, self._clients = db, rng, kills, clients
        self._lock, self._is_up = threading.Lock(), threading.Event()
        self._service = Running(db)
        self._is_up.set()
        self._errors: list[BaseException] = []
        self._left = iter(self.sessions)

    def run(self) -> Running:
        """Do every session, with the kills spread over them; return the service that is at work at the end."""
        threads = [threading.Thread(target=self._client, daemon=True) for _ in range(self._clients)]
        for thread in threads:
            thread.start()
        whole = sum(1 + len(session.throws) for session in self.sessions)
        for moment in sorted(self._rng.uniform(0.02, 0.98) * whole for _ in range(self._kills)):
            while self.acknowledged < moment and not self._errors:
                time.sleep(0.0005)
            time.sleep(self._rng.uniform(0, 0.02))
            self._is_up.clear()
            self._service.kill()
            self.killed += 1
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
                    session = next(self._left, None)
                if session is None:
                    return
                session.play(self._until_answered)
        except BaseException as error:
            self._errors.append(error)

    def _until_answered(self, path: str, body: Any, key: str) -> Answer:
        while True:
            self._is_up.wait(60)
            client = Client(self._service.port)
            try:
                got = client.post(path, body, key=key)
            except (OSError, http.client.HTTPException):
                continue
            finally:
                client.close()
            if got.status in (409, 503):
                continue
            assert got.status == 201, got
            with self._lock:
                self.acknowledged += 1
            return got


def check(sessions: list[Session], service: Running) -> int:
    """Ask for every acknowledged drop again, byte for byte; return how many there are.

    Each went on from the one before it, by its own seed, with the cubes that its session had asked for.
    """
    client = service.client()
    drops = [*itertools.chain(*(session.drops for session in sessions))]
    for place, body in drops:
        again = client.get(place)
        assert (again.status, again.body) == (200, body)
    documents = [json.loads(body) for _, body in drops]
    assert len({drop["id"] for drop in documents}) == len({drop["seed"] for drop in documents}) == len(drops)
    assert len({session.tower for session in sessions}) == len(sessions)
    with open_model("amerigo", "surrogate") as model:
        for session in sessions:
            state: TowerState | None = None
            for number, ((_, body), cubes) in enumerate(zip(session.drops, session.throws, strict=True)):
                drop = json.loads(body)
                assert (drop["tower"], drop["number"]) == (session.tower, number)
                asked = Throw.of(model="surrogate", seed=drop["seed"], cubes=cubes, state=state)
                state = outcome(asked, model).state
                assert state.token() == drop["state"]
            history = client.get(f"{session.path}/drops?limit=500").document
            assert history["of"] == len(session.throws)
            assert [drop["number"] for drop in history["drops"]] == list(range(len(session.throws)))
            assert [f"/v1/drops/{drop['id']}" for drop in history["drops"]] == [place for place, _ in session.drops]
    return len(drops)


@pytest.mark.parametrize(
    ("towers", "kills", "drops", "clients"),
    [pytest.param(22, 2, 5, 8, marks=pytest.mark.slow), pytest.param(1_000, 50, 8, 16, marks=pytest.mark.long)],
)
def test_every_acknowledged_step_survives_kill_9_unchanged_and_once(
    tmp_path: Path, towers: int, kills: int, drops: int, clients: int
):
    crashing = Crashing(tmp_path / "towers.db", towers, kills, drops, clients, seed=18)
    service = crashing.run()
    try:
        assert (crashing.killed, crashing.acknowledged) == (kills, towers * (drops + 1))
        assert check(crashing.sessions, service) == towers * drops
        print(f"{kills} kills, {crashing.acknowledged} acknowledged")
    finally:
        service.kill()
    with sqlite3.connect(tmp_path / "towers.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


HARMS = {
    "a drop is another": ("number = 0", "UPDATE answers SET body = replace(body, 'settled', 'jammed')"),
    "a drop is lost": ("number = 1", "DELETE FROM answers"),
}


@contextmanager
def harmed(db: Path, rows: str, sql: str) -> Iterator[None]:
    with sqlite3.connect(db, timeout=30) as other:
        before = other.execute(f"SELECT * FROM answers WHERE {rows}").fetchall()
        other.execute(f"{sql} WHERE {rows}")
    yield
    with sqlite3.connect(db, timeout=30) as other:
        other.execute(f"DELETE FROM answers WHERE {rows}")
        other.executemany(f"INSERT INTO answers VALUES ({', '.join('?' * len(before[0]))})", before)


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_the_check_finds_what_was_changed_and_what_was_lost(tmp_path: Path, harm: tuple[str, str]):
    db = tmp_path / "towers.db"
    crashing = Crashing(db, towers=2, kills=0, drops=2, clients=1, seed=1)
    service = crashing.run()
    try:
        check(crashing.sessions, service)
        with harmed(db, *harm), pytest.raises(AssertionError):
            check(crashing.sessions, service)
        check(crashing.sessions, service)
    finally:
        service.kill()


def test_a_key_that_was_used_before_a_kill_gets_the_same_answer_after_it(tmp_path: Path):
    db, key, other = tmp_path / "towers.db", new_key(), new_key()
    with running(db) as service:
        before = service.client().post("/v1/drops", {"cubes": {"blue": 4}, "model": "surrogate"}, key=key)
        tower = service.client().post("/v1/towers", {"model": "surrogate"}, key=other)
    with running(db) as service:
        again = service.client().post("/v1/drops", {"cubes": {"blue": 4}, "model": "surrogate"}, key=key)
        assert (again.status, again.body, again.headers["location"]) == (201, before.body, before.headers["location"])
        assert again.headers["idempotency-replayed"] == "true"
        assert service.client().post("/v1/towers", {"model": "surrogate"}, key=other).body == tower.body
        assert service.client().post("/v1/drops", {"cubes": {"blue": 5}}, key=key).code == "key.reused"
