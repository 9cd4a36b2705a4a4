"""What was answered over HTTP is there after `kill -9`, unchanged and once."""

from pathlib import Path

import pytest
from support.crashes import Crashing, check
from support.network import new_key, running

pytestmark = pytest.mark.posix


def of_sessions(db: Path, sessions: int, kills: int, drops: int, clients: int) -> None:
    crashing = Crashing(db, sessions, kills, drops, clients, seed=18)
    service = crashing.run()
    try:
        assert crashing.told.kills == kills
        assert crashing.told.acknowledged == sessions * (drops + 1)
        assert check(crashing.sessions, service) == sessions * drops
        print(crashing.told)
    finally:
        service.kill()


def test_every_acknowledged_drop_survives_kill_9_unchanged_and_once(tmp_path: Path):
    of_sessions(tmp_path / "towers.db", sessions=40, kills=3, drops=5, clients=8)


@pytest.mark.long
def test_a_thousand_sessions_survive_fifty_kills(tmp_path: Path):
    of_sessions(tmp_path / "towers.db", sessions=1_000, kills=50, drops=8, clients=16)


def test_the_check_finds_a_drop_that_was_changed_and_one_that_was_lost(tmp_path: Path):
    import sqlite3

    db = tmp_path / "towers.db"
    crashing = Crashing(db, 2, 0, 2, 1, seed=1)
    service = crashing.run()
    try:
        check(crashing.sessions, service)
        with sqlite3.connect(db, timeout=30) as other:
            other.execute("UPDATE answers SET body = replace(body, 'settled', 'jammed') WHERE number = 1")
        with pytest.raises(AssertionError):
            check(crashing.sessions, service)
        with sqlite3.connect(db, timeout=30) as other:
            other.execute("UPDATE answers SET body = replace(body, 'jammed', 'settled') WHERE number = 1")
        check(crashing.sessions, service)
        with sqlite3.connect(db, timeout=30) as other:
            other.execute("DELETE FROM answers WHERE number = 2")
        with pytest.raises(AssertionError):
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
