"""Verifiable draws over HTTP: what is answered is what the log tells, in order, once; and the log holds. About 8 s."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.command_line import tower_sim
from support.network import Client, Running, new_key, running
from support.verifiable import checked

pytestmark = pytest.mark.posix
WORDS = "seven green tomatoes"
LIGHT: dict[str, Any] = {"cubes": {"blue": 4}, "model": "surrogate"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("http") / "towers.db", "--rate", "0", "--workers", "1") as service:
        yield service


@pytest.fixture
def client(service: Running) -> Iterator[Client]:
    client = Client(service.port)
    yield client
    client.close()


def begun(client: Client) -> tuple[str, dict[str, Any]]:
    """Open a round and give the words; return its path, and what was told before the words."""
    made = client.post("/v1/rounds", {}, key=new_key())
    assert made.status == 201
    assert made.headers["location"] == f"/v1/rounds/{made.document['id']}"
    path = made.headers["location"]
    assert client.post(f"{path}/words", {"words": WORDS}, key=new_key()).status == 201
    return path, made.document


def log_of(client: Client, path: str) -> bytes:
    got = client.get(f"{path}/log")
    assert (got.status, got.headers["content-type"]) == (200, "application/jsonl")
    return got.body


@pytest.mark.whole
def test_a_round_from_its_commitment_to_the_command_that_checks_it(client: Client, tmp_path: Path):
    path, made = begun(client)
    assert (made["words"], made["secret"], made["draws"]) == (None, None, 0)
    first = client.post(f"{path}/drops", LIGHT, key=new_key())
    assert first.status == 201
    second = client.post(f"{path}/drops", {**LIGHT, "state": first.document["state"]}, key=new_key()).document
    physics = client.post(f"{path}/drops", {"cubes": {"red": 2}}, key=new_key()).document
    assert [drop["index"] for drop in (first.document, second, physics)] == [0, 1, 2]
    assert physics["model"] == "physics"
    assert client.get(first.headers["location"]).body == first.body
    ended = client.post(f"{path}/reveal", {}, key=new_key()).document
    assert hashlib.sha256(bytes.fromhex(ended["secret"])).hexdigest() == made["commitment"]
    log = log_of(client, path)
    assert ended == client.get(path).document
    noted = [WORDS, made["commitment"], made["hash"], first.document["hash"], second["hash"], ended["hash"]]
    key = client.get("/v1/keys").document["key"]
    report = checked(log, key, noted)
    assert report.holds, report.findings
    assert (report.draws, report.redrawn, report.brought) == (3, 3, 0)
    told = [json.loads(line)["entry"] for line in log.splitlines()]
    assert [entry["answer"]["seed"] for entry in told if entry["kind"] == "draw"] == [
        first.document["seed"],
        second["seed"],
        physics["seed"],
    ]
    (tmp_path / "round.jsonl").write_bytes(log)
    done = tower_sim("verify", str(tmp_path / "round.jsonl"), "--key", key, "--noted", made["commitment"])
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.whole
def test_games_and_battles_are_drawn_with_a_rounds_seeds_too(client: Client):
    path, _ = begun(client)
    asks: list[tuple[str, dict[str, Any]]] = [
        ("games", {"model": "surrogate"}),
        ("games", {"model": "two_thirds", "rounds": 2}),
        ("games", {"model": "surrogate", "rules": {"rounds": 3}}),
        ("battles", {"model": "surrogate", "cubes": {"purple": 3, "green": 2}}),
        ("battles", {"model": "surrogate", "cubes": {"purple": 3, "green": 2}, "games": 5}),
        ("battles", {"cubes": {"purple": 1, "green": 1}}),
        ("drops", LIGHT),
    ]
    for index, (what, body) in enumerate(asks):
        got = client.post(f"{path}/{what}", body, key=new_key())
        assert (got.status, got.document["index"]) == (201, index), got.body
        assert client.get(got.headers["location"]).body == got.body
        assert got.headers["location"].startswith(f"/v1/{what}/")
    for what, body, code in (
        ("games", {"model": "surrogate", "seed": "7"}, "field.unknown"),
        ("games", {"model": "surrogate", "game": "none"}, "field.invalid"),
        ("games", {"rules": "/etc/passwd"}, "field.invalid"),
        ("battles", {"model": "surrogate", "cubes": {"purple": 3, "red": 2}, "games": 1001}, "field.too_large"),
    ):
        assert client.post(f"{path}/{what}", body, key=new_key()).code == code
    assert client.post(f"{path}/reveal", {}, key=new_key()).document["draws"] == len(asks)
    report = checked(log_of(client, path))
    assert report.holds, report.findings
    assert (report.redrawn, report.brought) == (len(asks), 0)


def test_steps_out_of_turn_are_refused_and_change_nothing(client: Client):
    made = client.post("/v1/rounds", {}, key=new_key()).document
    path = f"/v1/rounds/{made['id']}"
    early = client.post(f"{path}/drops", LIGHT, key=new_key())
    assert (early.status, early.code) == (409, "round.order")
    for wrong in ("short", 7, None, "x" * 300, "two\nlines of it"):
        refused = client.post(f"{path}/words", {"words": wrong}, key=new_key())
        assert (refused.status, refused.document["path"]) == (422, "words")
    assert client.get(path).document == made
    assert client.post(f"{path}/words", {"words": WORDS}, key=new_key()).status == 201
    assert client.post(f"{path}/words", {"words": WORDS}, key=new_key()).code == "round.order"
    assert client.post(f"{path}/drops", {**LIGHT, "seed": "7"}, key=new_key()).code == "field.unknown"
    assert client.post(f"{path}/drops", {**LIGHT, "apparatus": "/etc/passwd"}, key=new_key()).status == 422
    assert client.post(f"{path}/drops", LIGHT).code == "key.missing"
    assert client.post(f"{path}/reveal", {}, key=new_key()).status == 201
    for step, body in (("drops", LIGHT), ("words", {"words": WORDS}), ("reveal", {})):
        assert client.post(f"{path}/{step}", body, key=new_key()).code == "round.order"
    assert client.get("/v1/rounds/AAAAAAAAAAAAAAAAAAAAAA").status == 404
    assert client.get("/v1/rounds/AAAAAAAAAAAAAAAAAAAAAA/log").status == 404
    assert checked(log_of(client, path)).holds


def test_nothing_that_is_told_before_the_reveal_holds_the_secret(client: Client):
    path, made = begun(client)
    drop = client.post(f"{path}/drops", LIGHT, key=new_key())
    before = log_of(client, path) + drop.body + client.get(path).body + json.dumps(made).encode()
    secret = client.post(f"{path}/reveal", {}, key=new_key()).document["secret"]
    assert secret.encode() not in before
    assert secret.encode() in log_of(client, path)


def test_what_is_sent_again_is_answered_again_and_drawn_once(client: Client):
    path, _ = begun(client)
    key = new_key()
    first, again = (client.post(f"{path}/drops", LIGHT, key=key) for _ in range(2))
    assert first.body == again.body
    assert again.headers["idempotency-replayed"] == "true"
    assert client.get(path).document["draws"] == 1


def test_drops_that_come_at_once_are_drawn_one_after_the_other(service: Running, client: Client):
    path, _ = begun(client)
    answers: list[dict[str, Any]] = []

    def throw() -> None:
        own = Client(service.port)
        for _ in range(5):
            answers.append(own.post(f"{path}/drops", LIGHT, key=new_key()).document)
        own.close()

    threads = [threading.Thread(target=throw) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer["index"] for answer in answers) == [*range(30)]
    assert len({answer["seed"] for answer in answers}) == 30
    client.post(f"{path}/reveal", {}, key=new_key())
    report = checked(log_of(client, path), noted=[answer["hash"] for answer in answers])
    assert report.holds, report.findings
    assert report.redrawn == 30


def test_a_round_goes_on_after_a_kill_and_with_the_key_that_followed(tmp_path: Path):
    file = tmp_path / "towers.db"
    with running(file, "--workers", "1") as service:
        client = Client(service.port)
        path, made = begun(client)
        first = client.post(f"{path}/drops", LIGHT, key=new_key()).document
        client.close()
        service.kill()
    with sqlite3.connect(file) as database:
        database.execute("UPDATE rings SET made = made - 91 * 86400")
    with running(file, "--workers", "1") as service:
        client = Client(service.port)
        second = client.post(f"{path}/drops", LIGHT, key=new_key()).document
        client.post(f"{path}/reveal", {}, key=new_key())
        keys, log = client.get("/v1/keys").document, log_of(client, path)
        client.close()
    assert (first["index"], second["index"]) == (0, 1)
    assert keys["key"] != made["key"] == keys["succession"][0]["old"]
    for known in (made["key"], keys["key"]):
        report = checked(log, known, [made["hash"], first["hash"], second["hash"]])
        assert report.holds, report.findings
    assert report.keys == (made["key"], keys["key"])
