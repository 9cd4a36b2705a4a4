"""The service on the network: its limits, token, jobs, workers and file."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
import time
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import each_case
from support.command_line import tower_sim
from support.network import Answer, Client, Running, running, until

from tower_sim.errors import UsageError
from tower_sim.service.http import guard
from tower_sim.service.http.files import VERSION, backup
from tower_sim.service.http.problems import Problem
from tower_sim.service.http.settings import Settings
from tower_sim.service.http.store import Database, Statement, hashed, joined, new_id, new_seed
from tower_sim.service.http.workers import Workers

pytestmark = pytest.mark.posix
LIGHT: dict[str, Any] = {"cubes": {"blue": 4}, "model": "surrogate", "seed": "7"}
TOKEN = "a-token-that-is-long-enough"
LONG = {"cubes": {"purple": 5, "green": 5}, "games": 100_000, "model": "surrogate"}  # a minute and more


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory):
    """A service with every limit low and a token."""
    folder = tmp_path_factory.mktemp("strict")
    (folder / "token").write_text(TOKEN + "\n")
    limits = ["--max-body", "2000", "--rate", "20", "--workers", "1", "--queue", "2", "--cors", "https://table.example"]
    with running(folder / "towers.db", "--token-file", str(folder / "token"), *limits) as service:
        yield service


def patiently(client: Client, method: str, path: str, body: Any = None, **headers: str) -> Answer:
    """Ask again where the rate was too high."""
    while (got := client.ask(method, path, body, key="", raw=None, **headers)).status == 429:
        time.sleep(0.2)
    return got


def test_the_token_is_asked_for_everywhere_but_for_health_and_the_description(strict: Running):
    nobody, other, friend = strict.client(), strict.client("another-token-of-this-length"), strict.client(TOKEN)
    for path in ("/metrics", "/v1/drops/x", "/v1/nothing"):
        got = patiently(nobody, "GET", path)
        assert (got.code, got.status, got.headers["www-authenticate"]) == ("token.missing", 401, "Bearer")
        assert patiently(other, "GET", path).code == "token.wrong"
        assert patiently(friend, "GET", path).status in (200, 404)
    assert patiently(nobody, "GET", "/healthz").status == 200
    assert patiently(nobody, "GET", "/openapi.json").status == 200
    assert TOKEN not in "".join(strict.said)


def test_too_long_a_body_is_refused_and_the_service_goes_on(strict: Running):
    client = strict.client(TOKEN)
    got = patiently(client, "POST", "/v1/drops", LIGHT | {"state": "x" * 3000})
    assert got.code == "body.too_large"
    assert patiently(strict.client(TOKEN), "POST", "/v1/drops", LIGHT).status == 201


def test_only_pages_that_were_named_may_ask(strict: Running):
    client = strict.client(TOKEN)
    named = patiently(client, "GET", "/healthz", origin="https://table.example").headers
    assert named["access-control-allow-origin"] == "https://table.example"
    other = patiently(client, "GET", "/healthz", origin="https://other.example").headers
    assert "access-control-allow-origin" not in other


def test_long_work_is_followed_cancelled_and_limited(strict: Running):
    client = strict.client(TOKEN)
    begun = [patiently(client, "POST", "/v1/battles", LONG, prefer="respond-async") for _ in range(1)]
    where = begun[0].headers["location"]
    assert begun[0].status == 202
    until(lambda: patiently(client, "GET", where).document["done"] > 0)  # it is at work
    begun += [patiently(client, "POST", "/v1/battles", LONG, prefer="respond-async") for _ in range(2)]
    assert [each.status for each in begun] == [202] * 3
    until(lambda: b"tower_sim_workers_waiting 2.0" in patiently(client, "GET", "/metrics").body)
    full = patiently(client, "POST", "/v1/games", {"model": "surrogate"})
    assert (full.code, full.headers["retry-after"]) == ("busy", "5")
    for each in reversed(begun):
        assert patiently(client, "DELETE", each.headers["location"]).status == 204
    for each in begun:
        path = each.headers["location"]
        until(lambda path=path: patiently(client, "GET", path).document["status"] == "failed")
        assert patiently(client, "GET", path).document["problem"]["code"] == "cancelled"
    short = patiently(client, "POST", "/v1/battles", LONG | {"games": 100}, prefer="respond-async")
    stream = patiently(client, "GET", short.headers["location"] + "/events")
    assert stream.headers["content-type"].startswith("text/event-stream")
    *_, (name, last) = [
        (event.splitlines()[0].removeprefix("event: "), json.loads(event.splitlines()[1].removeprefix("data: ")))
        for event in stream.body.decode().split("\n\n")
        if event.startswith("event: ")
    ]
    assert (name, last["status"]) == ("done", "done")
    assert patiently(client, "GET", last["location"]).document["summary"]["games"] == 100
    assert patiently(client, "POST", "/v1/battles", {"cubes": {"purple": 4}}, prefer="respond-async").status == 422


def test_one_address_that_asks_too_often_is_told_to_wait(strict: Running):
    client, got = strict.client(TOKEN), []
    for _ in range(3000):
        got.append(client.get("/v1/drops/x"))
        if got[-1].status == 429:
            break
    assert got[-1].code == "rate"
    assert got[-1].headers["retry-after"] == "1"
    assert client.get("/healthz").status == 200  # which is never refused


def test_it_ends_when_it_is_asked_to_and_begins_again_with_the_same_file(tmp_path: Path):
    db = tmp_path / "towers.db"
    with running(db) as service:
        got = service.client().post("/v1/drops", LIGHT)
        copied = tower_sim("serve", "--http", "--db", str(db), "--backup", str(tmp_path / "copy.db"))
        assert (copied.returncode, copied.stderr) == (0, "")
        assert service.stop() == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.db", "towers.db"]  # one file
    with running(tmp_path / "copy.db") as service:
        assert service.client().get(got.headers["location"]).body == got.body
    again = tower_sim("serve", "--http", "--db", str(db), "--backup", str(tmp_path / "copy.db"))
    assert (again.returncode, "is there already" in again.stderr) == (2, True)


@each_case(
    ("options", "says"),
    [
        (["--port", "8484"], "add --http"),
        (["--http", "--port", "0", "--db", "no/such/folder/towers.db"], "cannot be opened"),
        (["--http", "--port", "0", "--db", "other.db"], "another program's file"),
        (["--http", "--token-file", "short"], "from 16 characters"),
        (["--http", "--token-file", "nothing-here"], "cannot be read"),
        (["--http", "--port", "70000"], "port is 70000"),
        (["--http", "--host", "256.1.1.1"], "cannot be listened on"),
        (["--http", "--keep-days", "0"], "keep-days is 0"),
        (["--http", "--cors", "*"], "--cors is"),
        (["--http", "--name", "http://towers.example"], "--name is"),
        (["--http", "--backup", "copy.db"], "is no file"),
    ],
)
def test_a_wrong_option_is_one_line_and_nothing_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], says: str
):
    from tower_sim import cli

    monkeypatch.chdir(tmp_path)
    with sqlite3.connect("other.db") as other:
        other.execute("CREATE TABLE mine (x)")
    Path("short").write_text("abc")
    parsed = cli.parser().parse_args(["serve", *options])
    with pytest.raises(UsageError, match=says):
        parsed.run(parsed)


# Rates


def test_a_caller_may_ask_at_once_for_so_many_seconds_and_then_at_the_rate(monkeypatch: pytest.MonkeyPatch):
    """At 2 requests a second, for 3 seconds at once; of more than two callers that of longest ago is forgotten."""
    now = 50.0
    monkeypatch.setattr(guard, "_BURST", 3.0)
    monkeypatch.setattr(guard, "_ADDRESSES", 2)
    monkeypatch.setattr(guard, "time", SimpleNamespace(monotonic=lambda: now))
    service: Any = SimpleNamespace(settings=Settings(Path("towers.db"), rate=2), metrics=None)
    nothing: Any = None
    one = guard.Guard(nothing, service, nothing)

    def passed(caller: str, asked: int) -> int:
        return sum(one._has_left(caller) for _ in range(asked))

    assert passed("a", 8) == 6
    assert passed("b", 2) == 2
    now += 0.4
    assert passed("a", 2) == 0
    now += 0.1
    assert passed("a", 2) == 1
    now += 100.0
    assert passed("a", 8) == 6  # no more is saved up than for 3 seconds
    assert passed("b", 7) == 6
    assert passed("a", 1) == 0
    assert passed("c", 7) == 6  # and b is forgotten
    assert passed("a", 1) == 0
    assert passed("b", 7) == 6


# Workers


def test_callers_take_turns_whoever_has_asked_for_most():
    """Owner a asks for six, then b and c for one each: b and c are served after a's first, not after all of a's."""

    async def order() -> list[bytes]:
        workers = Workers(1, 100)
        served: list[bytes] = []
        workers._serve = lambda: None  # type: ignore[method-assign]  # the queue alone
        for owner in (b"a", b"a", b"a", b"a", b"b", b"c", b"a"):
            workers.submit(owner, "drop", {})
        while workers.waiting:
            job = workers._next()
            assert job
            served.append(job.owner)
        return served

    assert asyncio.run(order()) == [b"a", b"b", b"c", b"a", b"a", b"a", b"a"]


@pytest.mark.parametrize(
    ("number", "first"), [(1, ["a later"]), (2, ["a later", "c"]), (3, ["a later", "b later", "c"])]
)
def test_of_several_workers_one_is_kept_for_who_waits(number: int, first: list[str]):
    """a, b and d ask for what nobody waits for, then c for what c waits for; each worker takes one job, and none ends.

    The one worker of a service that has no more does anything.
    """

    async def begun() -> list[str]:
        workers = Workers(number, 100)
        workers._serve = lambda: None  # type: ignore[method-assign]  # the queue alone
        for owner in (b"a", b"b", b"d"):
            workers.submit(owner, "drop", {}, is_long=True)
        workers.submit(b"c", "drop", {})
        jobs = [workers._next() for _ in range(number)]
        return [job.owner.decode() for job in jobs if job]

    assert asyncio.run(begun()) == first


def test_a_worker_that_is_killed_costs_its_own_job_only():
    async def whole() -> tuple[str, str]:
        workers = Workers(1, 10)
        try:
            fields = {"cubes": {"blue": 4}, "model": "surrogate", "seed": "1"}
            long = workers.submit(b"a", "battle", dict(LONG))
            while not long.done:
                await asyncio.sleep(0.02)
            next(iter(workers._at_work.values())).kill()
            try:
                await long.result
                code = ""
            except Problem as problem:
                code = problem.code
            after = await workers.submit(b"a", "drop", fields).result
            return code, after["schema"]
        finally:
            workers.close()

    assert asyncio.run(whole()) == ("internal", "tower-sim/outcome")


# The file


def test_what_is_written_together_is_there_together_or_not_at_all(tmp_path: Path):
    async def whole() -> None:
        store = Database(tmp_path / "towers.db")
        insert = "INSERT INTO answers (hash, kind, made, body, seal) VALUES (?, 'drop', 1.0, x'00', x'00')"
        try:
            good = [store.write((insert, (bytes([n]),))) for n in range(50)]
            bad = store.write((insert, (b"x",)), (insert, (b"x",)))
            results = await asyncio.gather(*good[:25], bad, *good[25:], return_exceptions=True)
            assert [type(each) for each in results].count(sqlite3.IntegrityError) == 1
            assert store.read("SELECT count(*) FROM answers") == [(50,)]
            assert store.commits <= 51
        finally:
            store.close()

    asyncio.run(whole())


def test_a_file_of_another_version_is_refused_and_an_empty_one_is_filled(tmp_path: Path):
    db = tmp_path / "towers.db"
    db.touch()
    Database(db).close()
    for version in (VERSION + 1, VERSION - 1):
        with sqlite3.connect(db) as other:
            assert other.execute("PRAGMA user_version").fetchone() == (VERSION,)
            other.execute(f"PRAGMA user_version = {version}")
        with pytest.raises(UsageError, match=f"is of version {version}; allowed is {VERSION}; use the tower_sim"):
            Database(db)
        with sqlite3.connect(db) as other:
            other.execute(f"PRAGMA user_version = {VERSION}")


_COUNTS = st.lists(st.sampled_from(["INSERT INTO a VALUES (?, ?)", "INSERT INTO b VALUES (?, 7)", "DELETE FROM a"]))


@given(_COUNTS)
@settings(deadline=None)
def test_statements_that_are_joined_do_what_they_did(asked: list[str]):
    statements = [(sql, tuple(10 * n + i for i in range(sql.count("?")))) for n, sql in enumerate(asked)]

    def after(some: Iterable[Statement]) -> list[list[tuple[int, int]]]:
        with closing(sqlite3.connect(":memory:")) as memory:
            memory.executescript("CREATE TABLE a (x, y); CREATE TABLE b (x, y);")
            for sql, values in some:
                memory.execute(sql, values)
            return [memory.execute(f"SELECT x, y FROM {name} ORDER BY rowid").fetchall() for name in "ab"]

    assert after(joined(statements)) == after(statements)
    assert len(list(joined([("INSERT INTO a VALUES (?, ?)", (1, 2))] * 33))) == 3


def test_a_backup_is_of_one_moment_while_others_write(tmp_path: Path):
    """Each write adds two rows at once: a copy never has one of them alone."""
    store = Database(tmp_path / "towers.db")
    is_over = threading.Event()

    def copy() -> None:
        try:
            for n in range(5):
                backup(tmp_path / "towers.db", tmp_path / f"copy{n}.db")
        finally:
            is_over.set()

    async def write() -> None:
        insert, n = "INSERT INTO answers (hash, kind, made, body, seal) VALUES (?, 'drop', 1.0, x'00', x'00')", 0
        while not is_over.is_set():
            await store.write((insert, (f"a{n}".encode(),)), (insert, (f"b{n}".encode(),)))
            n += 1

    copying = threading.Thread(target=copy)
    copying.start()
    asyncio.run(write())
    copying.join()
    store.close()
    for n in range(5):
        with sqlite3.connect(tmp_path / f"copy{n}.db") as copied:
            assert copied.execute("SELECT count(*) FROM answers").fetchone()[0] % 2 == 0


def test_identifiers_and_seeds_are_of_128_bits_and_never_twice(tmp_path: Path):
    drawn = [new_id() for _ in range(2000)]
    assert len(set(drawn)) == 2000
    assert {len(each) for each in drawn} == {22}
    seeds = [int(new_seed()) for _ in range(2000)]
    assert len(set(seeds)) == 2000
    assert sum(seed.bit_length() > 120 for seed in seeds) > 1900  # 255 in 256 are; 1,992 of 2,000 on average
    assert hashed(drawn[0]) != hashed(drawn[1])


@each_case(
    "wrong",
    [{"token": "short"}, {"rate": -1}, {"queue": 0}, {"max_body": 1}, {"max_body": 2**23}, {"workers": -1},
     {"patience": 0}, {"per_address": -1}],
)  # fmt: skip
def test_a_wrong_setting_is_told(tmp_path: Path, wrong: dict[str, Any]):
    with pytest.raises(UsageError):
        Settings(tmp_path / "towers.db", **wrong)
