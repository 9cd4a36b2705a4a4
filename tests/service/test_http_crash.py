"""What was answered over HTTP is there after `kill -9`, unchanged and once. About 12 s."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.crashes import Crashing, check
from support.network import new_key, running

pytestmark = pytest.mark.posix


def of_sessions(folder: Path, towers: int, kills: int, drops: int, clients: int) -> None:
    crashing = Crashing(folder / "towers.db", towers, kills, drops, clients, seed=18)
    service = crashing.run()
    try:
        told = crashing.told
        assert told.kills == kills
        assert told.acknowledged == towers * (drops + 1)
        assert check(crashing.sessions, service) == towers * drops
        print(told)
    finally:
        service.kill()
    with sqlite3.connect(folder / "towers.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.slow
def test_every_acknowledged_step_survives_kill_9_unchanged_and_once(tmp_path: Path):
    of_sessions(tmp_path, towers=22, kills=2, drops=5, clients=8)


@pytest.mark.long
def test_a_thousand_sessions_survive_fifty_kills(tmp_path: Path):
    of_sessions(tmp_path, towers=1_000, kills=50, drops=8, clients=16)


HARMS = {
    "a drop is another": ("answers", "number = 0", "UPDATE answers SET body = replace(body, 'settled', 'jammed')"),
    "a drop is lost": ("answers", "number = 1", "DELETE FROM answers"),
}


@contextmanager
def harmed(db: Path, table: str, rows: str, sql: str) -> Iterator[None]:
    with sqlite3.connect(db, timeout=30) as other:
        before = other.execute(f"SELECT * FROM {table} WHERE {rows}").fetchall()
        other.execute(f"{sql} WHERE {rows}")
    yield
    with sqlite3.connect(db, timeout=30) as other:
        other.execute(f"DELETE FROM {table} WHERE {rows}")
        other.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(before[0]))})", before)


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_the_check_finds_what_was_changed_and_what_was_lost(tmp_path: Path, harm: tuple[str, str, str]):
    db = tmp_path / "towers.db"
    crashing = Crashing(db, towers=2, kills=0, drops=2, clients=1, seed=1)
    service = crashing.run()
    try:
        check(crashing.sessions, service)
        with harmed(db, *harm):
            caught = False
            try:
                check(crashing.sessions, service)
            except AssertionError:
                caught = True
        assert caught
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
