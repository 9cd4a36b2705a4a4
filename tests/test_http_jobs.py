"""Work that nobody waits for, over a restart and when it is asked for twice; what is old is forgotten. About 10 s."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
from support.network import Answer, Client, new_key, running, until

from tower_sim.service.http.jobs import Followed, events
from tower_sim.service.http.store import Database, forget

pytestmark = pytest.mark.posix
LONG: dict[str, Any] = {"cubes": {"purple": 5, "green": 5}, "games": 100_000, "model": "surrogate"}  # a minute and more
SHORT = LONG | {"games": 100}


def begun(client: Client, body: dict[str, Any], key: str = "") -> Answer:
    got = client.post("/v1/battles", body, key=key, prefer="respond-async")
    assert (got.status, got.headers["preference-applied"]) == (202, "respond-async")
    assert got.headers["location"] == f"/v1/jobs/{got.document['id']}"
    return got


def ended(client: Client, place: str) -> dict[str, Any]:
    """Follow a job to its end; return its last document, which a look at the job tells too."""
    *_, last = [event for event in client.get(f"{place}/events").body.decode().split("\n\n") if "data: " in event]
    document = json.loads(last.partition("data: ")[2])
    assert last.startswith(f"event: {document['status']}\n")
    assert client.get(place).document == document
    return document


@pytest.mark.whole
def test_after_a_kill_what_was_at_work_is_told_to_be_lost_and_what_was_over_is_told_as_before(tmp_path: Path):
    db, key = tmp_path / "towers.db", new_key()
    with running(db, "--workers", "1") as service:
        client = service.client()
        short = begun(client, SHORT).headers["location"]
        done = ended(client, short)
        assert (done["status"], done["done"], done["of"]) == ("done", 100, 100)
        cancelled = begun(client, LONG).headers["location"]
        assert client.ask("DELETE", cancelled).status == 204
        failed = ended(client, cancelled)
        assert (failed["status"], failed["problem"]["code"]) == ("failed", "cancelled")
        old = client.post("/v1/drops", {"cubes": {"blue": 4}, "model": "surrogate"})
        lost = begun(client, LONG, key)
        service.kill()
    with sqlite3.connect(db) as other:
        other.execute("UPDATE answers SET made = made - 367 * 86400 WHERE kind = 'drop'")
        other.execute("UPDATE clock SET seen = seen - 86400")
    with running(db, "--workers", "1") as service:
        client = service.client()
        assert (ended(client, short), ended(client, cancelled)) == (done, failed)
        assert client.get(done["location"]).document["summary"]["games"] == 100
        place = lost.headers["location"]
        for got in (client.get(place), client.get(f"{place}/events"), client.ask("DELETE", place)):
            assert (got.status, got.code) == (410, "job.lost")
            assert "send the same again" in got.document["detail"]
            assert "\n" not in got.document["detail"]
        assert client.get("/v1/jobs/AAAAAAAAAAAAAAAAAAAAAA").code == "not_found"
        anew = begun(client, LONG, key)
        assert anew.document["id"] != lost.document["id"]
        assert "idempotency-replayed" not in anew.headers
        assert client.get(anew.headers["location"]).document["status"] in ("queued", "running")
        until(lambda: client.get(old.headers["location"]).status == 404)  # it was forgotten when the service started


def test_a_job_that_is_asked_for_again_with_its_key_is_the_same_job_and_its_answer_the_same_answer(tmp_path: Path):
    with running(tmp_path / "towers.db", "--workers", "1") as service:
        client, key = service.client(), new_key()
        first = begun(client, LONG, key)
        again = begun(client, LONG, key)
        assert again.document["id"] == first.document["id"]
        assert again.headers["idempotency-replayed"] == "true"
        other = client.post("/v1/battles", SHORT, key=key, prefer="respond-async")
        assert (other.status, other.code) == (422, "key.reused")
        assert client.ask("DELETE", first.headers["location"]).status == 204
        assert ended(client, first.headers["location"])["status"] == "failed"
        second_key = new_key()
        once, twice = (ended(client, begun(client, SHORT, second_key).headers["location"]) for _ in range(2))
        assert once["location"] == twice["location"]
        assert once["id"] != twice["id"]


def test_the_end_of_a_job_is_told_also_to_who_begins_to_follow_later():
    async def whole() -> list[bytes]:
        followed = Followed("x")
        followed.end(followed.said("done", "/v1/battles/x"))
        return [event async for event in events(followed)]

    (only,) = asyncio.run(whole())
    assert only.startswith(b"event: done\n")


def test_what_is_old_is_forgotten_also_while_the_service_runs_and_a_failure_does_not_end_that(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """Three rounds: one row gets old after the first, the file cannot be written in the second, the third does it."""
    told: list[list[tuple[Any, ...]]] = []

    async def whole(store: Database) -> None:
        rounds = iter(range(3))

        async def pause() -> None:
            told.append(store.read("SELECT hash FROM answers ORDER BY hash"))
            match next(rounds):
                case 0:
                    old, new = time.time() - 12 * 86_400, time.time() - 9 * 86_400
                    await store.write(("UPDATE clock SET seen = seen - 86400", ()))
                    for name, made in ((b"new", new), (b"old", old)):
                        insert = "INSERT INTO answers (hash, kind, made, body, seal) VALUES (?, 'drop', ?, x'', x'')"
                        await store.write((insert, (name, made)))
                    await store.write(("ALTER TABLE rounds RENAME TO elsewhere", ()))
                case 1:
                    await store.write(("ALTER TABLE elsewhere RENAME TO rounds", ()))
                case _:
                    raise asyncio.CancelledError

        with pytest.raises(asyncio.CancelledError):
            await forget(store, 10, pause)

    store = Database(tmp_path / "towers.db")
    try:
        asyncio.run(whole(store))
    finally:
        store.close()
    assert told == [[], [(b"new",), (b"old",)], [(b"new",)]]
    assert capsys.readouterr().err.count("could not be forgotten") == 1
