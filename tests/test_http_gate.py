"""Requests that are slow, long, from elsewhere or broken off: each is refused, and keeps nobody else waiting."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from support.asgi import Service, serving
from support.cases import each_case
from support.network import Answer

from tower_sim.errors import UsageError
from tower_sim.service.http import drawing, service
from tower_sim.service.http.gate import MOST_AHEAD, MOST_HEAD, Connection, Gate
from tower_sim.service.http.hosts import Hosts, caller, check_origin
from tower_sim.service.http.problems import Problem
from tower_sim.service.http.settings import Settings
from tower_sim.service.http.workers import Workers
from tower_sim.state import TowerState
from tower_sim.token import pack

pytestmark = pytest.mark.posix
LIGHT: dict[str, Any] = {"cubes": {"blue": 4}, "model": "surrogate", "seed": "7"}
KEY: dict[str, Any] = {"idempotency_key": "a-key-of-this-test-0001"}
EMPTY = TowerState("surrogate", "amerigo", "0" * 64).to_plain()
BOMB = pack("TOWER3", EMPTY | {"log": [["drop", "", [], [], 0, ""]] * 2000})  # 600 characters, 60 kB


def code_of(answer: Answer | None) -> str:
    assert answer is not None
    return answer.code


# Long bodies and states


def test_a_long_body_is_read_beside_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    read: list[str] = []
    reader = service.read_object

    def watched(*values: Any) -> dict[str, Any]:
        read.append(threading.current_thread().name)
        return reader(*values)

    monkeypatch.setattr(service, "read_object", watched)

    async def whole() -> None:
        async with serving(tmp_path) as served:
            for spaces in (0, service.SHORT):
                got = await served.ask("POST", "/v1/drops", json.dumps(LIGHT).encode() + b" " * spaces)
                assert got
                assert got.status == 201
            many = b'{"cubes": [' + b"[]," * service.MOST_VALUES + b"1]}"
            assert code_of(await served.ask("POST", "/v1/drops", many)) == "body.too_large"

    asyncio.run(whole())
    assert len(read) == 2
    assert read[0] == threading.main_thread().name
    assert read[1].startswith("reading")


@each_case(
    ("token", "is_small"),
    [
        (pack("TOWER3", EMPTY), True),
        (BOMB, False),
        ("TOWER3." + "A" * 40_000 + ".0", False),
        ("x", True),
        ("a.b.c", True),
        ("TOWER3.\u00e9.0", True),
        (7, True),
    ],
)
def test_a_state_is_known_to_be_large_before_it_is_read(token: Any, is_small: bool):
    assert drawing.is_small(token) == is_small


def test_a_large_state_is_read_by_a_worker_once_and_never_by_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    asked: list[tuple[str, Any]] = []

    def submit(self: Workers, owner: bytes, do: str, fields: dict[str, Any], **_: Any) -> Any:
        asked.append((do, fields["state"]))
        result = asyncio.get_running_loop().create_future()
        if do == drawing.STATE:
            result.set_result({"model": "surrogate", "apparatus": "amerigo", "inside": {"blue": 3}})
        else:
            result.set_exception(Problem("field.invalid", "a worker has looked at it"))
        return SimpleNamespace(result=result)

    def read(token: str, *_: Any) -> TowerState:
        raise AssertionError("read by the loop")

    monkeypatch.setattr(Workers, "submit", submit)
    monkeypatch.setattr(TowerState, "from_token", read)

    async def whole() -> None:
        async with serving(tmp_path) as served:
            assert code_of(await served.ask("POST", "/v1/drops", LIGHT | {"state": BOMB})) == "field.invalid"
            made = await served.ask("POST", "/v1/towers", {"model": "surrogate", "state": BOMB}, **KEY)
            assert made
            assert made.status == 201
            for _ in range(3):
                got = await served.ask("GET", made.headers["location"])
                assert got
                assert got.document == made.document
                assert got.document["inside"] == {"blue": 3}
            thrown = await served.ask("POST", f"{made.headers['location']}/drops", {"cubes": {"red": 1}}, **KEY)
            assert code_of(thrown) == "field.invalid"

    asyncio.run(whole())
    assert asked == [("drop", BOMB), (drawing.STATE, BOMB), ("drop", BOMB)]


# Slow ones, and those that go


def test_a_body_that_stalls_takes_no_place_and_is_answered_in_the_end(tmp_path: Path):
    async def whole() -> None:
        async with serving(tmp_path, max_at_once=1, patience=1) as served:
            slow = [asyncio.ensure_future(served.ask("POST", "/v1/drops", pieces=[b"{"])) for _ in range(3)]
            await asyncio.sleep(0)
            good = await served.ask("POST", "/v1/drops", LIGHT)
            assert good
            assert good.status == 201
            for each in await asyncio.gather(*slow):
                assert each
                assert (each.status, each.code, each.headers["connection"]) == (408, "slow", "close")

    asyncio.run(whole())


def test_metrics_and_health_are_told_when_all_places_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def submit(self: Workers, *_: Any, **__: Any) -> Any:
        return SimpleNamespace(result=asyncio.get_running_loop().create_future())

    monkeypatch.setattr(Workers, "submit", submit)

    async def whole() -> None:
        async with serving(tmp_path, max_at_once=1) as served:
            taken = asyncio.ensure_future(served.ask("POST", "/v1/drops", {"cubes": {"blue": 4}}))
            while b"at_once 1.0" not in (await told(served)).body:
                await asyncio.sleep(0)
            assert code_of(await served.ask("GET", "/v1/drops/x")) == "busy"
            assert code_of(await served.ask("GET", "/v1/jobs/x/events")) == "not_found"  # which takes no place
            health = await served.ask("GET", "/healthz")
            assert health
            assert health.status == 200
            taken.cancel()

    asyncio.run(whole())


async def told(served: Service) -> Answer:
    got = await served.ask("GET", "/metrics")
    assert got
    assert got.status == 200
    return got


def test_a_client_that_hangs_up_is_no_defect(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    async def whole() -> None:
        async with serving(tmp_path) as served:
            for pieces in ([None], [b'{"cubes"', None]):
                assert await served.ask("POST", "/v1/drops", pieces=pieces) is None
            counted = (await told(served)).body
            assert b'status="499"} 2.0' in counted
            assert b'status="500"' not in counted

    asyncio.run(whole())
    assert capsys.readouterr().err == ""


def test_a_client_that_hangs_up_before_several_answers_gets_none_of_them(tmp_path: Path):
    one = b"GET /v1/keys HTTP/1.1\r\nHost: localhost\r\n\r\n"
    connection, wire = Door(tmp_path).connect(sends=one)
    asked = [connection.cycle]
    for _ in range(2):
        connection.data_received(one)
        asked.append(connection.cycle)
    connection.connection_lost(None)
    for each in asked:
        asyncio.run(each.send({"type": "http.response.start", "status": 200, "headers": []}))
    assert wire.sent == b""


# Who asks, and by which name


@each_case("name", ["127.0.0.1", "[::1]:8484", "192.168.1.7:80", "localhost:8484", "LOCALHOST"])
def test_a_name_that_nobody_else_can_have_is_answered(name: str):
    Hosts("0.0.0.0", ["A.example"]).check({"headers": [(b"host", name.encode())], "http_version": "1.1"})


@each_case(
    "sent",
    [
        ["evil.example:8484"],
        ["127.0.0.1.evil.example"],
        ["localhost.evil"],
        [""],
        [],
        ["127.0.0.1", "evil"],
        ["\xff"],
        ["[1"],
    ],
)
def test_a_page_that_has_its_own_name_lead_here_is_refused(sent: list[str]):
    scope = {"headers": [(b"host", name.encode("latin-1")) for name in sent], "http_version": "1.1"}
    with pytest.raises(Problem) as refused:
        Hosts("127.0.0.1", ["a.example"]).check(scope)
    assert refused.value.status == 421


def test_every_route_asks_for_the_name(tmp_path: Path):
    async def whole() -> None:
        async with serving(tmp_path) as served:
            for path in ("/healthz", "/metrics", "/v1/keys"):
                assert code_of(await served.ask("GET", path, host="evil.example:8484")) == "host"

    asyncio.run(whole())


@each_case("origin", ["https://table.example", "http://localhost:8000", "http://[::1]:80", "http://10.0.0.7"])
def test_an_origin_is_allowed_as_browsers_send_it(origin: str):
    if origin.endswith(":80"):
        with pytest.raises(UsageError, match=r"allowed is 'http://\[::1\]'"):
            check_origin(origin)
    else:
        assert check_origin(origin) == origin


@each_case(
    "text",
    ["*", "null", "", "table.example", "https://", "https://table.example/", "https://table.example/lab", "ftp://a.example",
     "https://*.example", "https://a@b.example", "https://a.example:x", "https://A.example", "https://a.example?x"],
)  # fmt: skip
def test_what_is_no_origin_is_refused(text: str):
    with pytest.raises(UsageError, match=r"--cors .*allowed is"):
        check_origin(text)


def test_the_first_half_of_an_address_of_ipv6_is_one_caller():
    assert caller("2001:db8:1:2:3::4") == caller("2001:db8:1:2:ffff::9") != caller("2001:db8:1:3::4")
    assert caller("::ffff:10.0.0.1") != caller("::ffff:10.0.0.2")
    assert caller("10.0.0.1") == "10.0.0.1"


# Connections


class Wire:
    """The transport of a connection that a test holds the other end of."""

    def __init__(self, address: str) -> None:
        self.address, self.sent, self.is_open, self.unsent = address, b"", True, 0

    def get_extra_info(self, name: str) -> Any:
        return (self.address, 1) if name == "peername" else None

    def write(self, data: bytes) -> None:
        self.sent += data

    def close(self) -> None:
        self.is_open = False

    abort = close

    def is_closing(self) -> bool:
        return not self.is_open

    def get_write_buffer_size(self) -> int:
        return self.unsent

    def pause_reading(self) -> None:
        pass

    resume_reading = pause_reading


async def silent(scope: Any, receive: Any, send: Any) -> None:
    """An application that never answers."""


class Door:
    """A gate whose clock is set by hand, and connections through it to an application that never answers."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.now = 100.0
        self.later: list[Any] = []
        self.gate = Gate(Settings(folder / "towers.db", **settings))
        self.loop: Any = SimpleNamespace(
            time=lambda: self.now,
            call_later=lambda delay, done, *values: self.later.append((done, values)),
            create_task=self.task,
        )

    def task(self, work: Any) -> Any:
        work.close()
        return Mock()

    def connect(self, address: str = "10.0.0.1", sends: bytes = b"") -> tuple[Connection, Wire]:
        import uvicorn
        from uvicorn.server import ServerState

        config = uvicorn.Config(silent, interface="asgi3", ws="none", log_config=None, lifespan="off")
        wire = Wire(address)
        made = self.gate.connect(config=config, server_state=ServerState(), app_state={}, _loop=self.loop)
        made.connection_made(wire)  # type: ignore[arg-type]
        if wire.is_open and sends:
            made.data_received(sends)
        return made, wire

    def pass_by(self, seconds: float) -> None:
        self.now += seconds
        done, values = self.later.pop()
        done(*values)


def test_a_caller_with_too_many_connections_loses_the_one_that_it_has_kept_waiting_longest(tmp_path: Path):
    door = Door(tmp_path, per_address=3)
    wires: list[Wire] = []
    for _ in range(3):
        wires.append(door.connect(sends=b"P")[1])
        door.now += 1
    other = door.connect("10.0.0.2")[1]
    wires.append(door.connect()[1])
    assert [wire.is_open for wire in wires] == [False, True, True, True]
    assert wires[0].sent.startswith(b"HTTP/1.1 408 ")
    assert other.is_open
    asked = b"GET /v1/keys HTTP/1.1\r\nHost: localhost\r\n\r\n"
    answering = [door.connect("10.0.0.3", asked)[1] for _ in range(3)]  # none of which waits for its client
    refused = door.connect("10.0.0.3")[1]
    assert refused.sent.startswith(b"HTTP/1.1 503 ")
    assert not refused.is_open
    assert all(wire.is_open for wire in answering)
    assert door.gate.number == 3 + 1 + 3


def test_where_all_are_too_many_the_caller_with_most_loses_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Settings, "connections", 5)
    door = Door(tmp_path, per_address=0)
    few = door.connect("10.0.0.2")[1]
    many = [door.connect("10.0.0.1")[1] for _ in range(4)]
    new = door.connect("10.0.0.3")[1]
    assert (few.is_open, new.is_open) == (True, True)
    assert sum(wire.is_open for wire in many) == 3


def test_headers_that_do_not_come_are_waited_for_only_so_long(tmp_path: Path):
    door = Door(tmp_path, patience=10)
    begun = door.connect(sends=b"GET /healthz HTTP/1.1\r\n")[1]
    silent = door.connect()[1]
    reading, slow_body = door.connect(sends=b"POST /v1/drops HTTP/1.1\r\nContent-Length: 9\r\n\r\n{")
    door.pass_by(9)
    assert begun.is_open
    door.pass_by(2)
    assert (begun.is_open, silent.is_open, silent.sent) == (False, False, b"")
    assert begun.sent.startswith(b"HTTP/1.1 408 ")
    assert b'"code": "slow"' in begun.sent
    assert slow_body.is_open  # the reader of the body says so
    reading.cycle.response_complete = True  # it was refused, and its body still comes
    reading.on_response_complete()
    door.pass_by(11)
    assert not slow_body.is_open


def test_an_answer_that_is_not_taken_is_kept_only_so_long(tmp_path: Path):
    door = Door(tmp_path, patience=10)
    _, wire = door.connect(sends=b"GET /v1/keys HTTP/1.1\r\nHost: localhost\r\n\r\n")
    door.pass_by(1000)
    assert wire.is_open  # it is being answered
    for unsent in (9000, 8000, 7000):
        wire.unsent = unsent
        door.pass_by(9)
        assert wire.is_open
    door.pass_by(11)
    assert not wire.is_open


def test_a_head_without_end_and_requests_without_end_are_refused(tmp_path: Path):
    door = Door(tmp_path)
    connection, wire = door.connect(sends=b"GET / HTTP/1.1\r\n")
    for _ in range(MOST_HEAD // 1000 + 1):
        if wire.is_open:
            connection.data_received(b"x-%d: " % len(wire.sent) + b"a" * 990 + b"\r\n")
    assert wire.sent.startswith(b"HTTP/1.1 431 ")
    long = b"POST /v1/drops HTTP/1.1\r\nContent-Length: 300000\r\n\r\n" + b"x" * 100_000
    posted, wire = door.connect(sends=long)  # of which nothing is too long
    for _ in range(2):
        posted.data_received(b"x" * 100_000)
        assert wire.is_open
    assert not posted.cycle.more_body
    one = b"GET /v1/keys HTTP/1.1\r\nHost: localhost\r\n\r\n"
    assert door.connect(sends=one * MOST_AHEAD)[1].is_open
    assert not door.connect(sends=one * (MOST_AHEAD + 2))[1].is_open


# Odd requests


M = 300_000  # bytes
LONG: dict[str, bytes] = {
    "numbers": b'{"cubes":[' + b"1," * (M // 2) + b"1]}",
    "objects": b'{"cubes":[' + b"{}," * (M // 3) + b"1]}",
    "colours": json.dumps({"model": "surrogate", "cubes": {f"c{i}": 1 for i in range(3_500)}}).encode(),
    "fields": json.dumps({f"seed{i}": 1 for i in range(3_500)}).encode(),
    "a fraction": b'{"model":"surrogate","knock":1.' + b"1" * M + b"}",
    "a number": b'{"seed":' + b"1" * M + b"}",
    "a seed": b'{"cubes":{"blue":1},"seed":"' + b"1" * M + b'"}',
    "a colour": b'{"model":"surrogate","cubes":{"' + b"b" * M + b'":1}}',
    "a model": b'{"cubes":{"blue":1},"model":"' + b"\\u0041" * (M // 6) + b'"}',
    "a state": b'{"model":"surrogate","state":"TOWER3.' + b"A" * M + b'.0000000000000000"}',
    "dots": b'{"model":"surrogate","state":"' + b"." * M + b'"}',
    "half letters": b'{"model":"' + b"\\ud800" * (M // 6) + b'"}',
    "no letters": b"\xff" * M,
    "lines": b"\n" * M,
    "depth": b"[" * M,
    "abilities": json.dumps({"abilities": {"green": ["throw:2"] * 3_500}}).encode(),
}
ODD = [
    b"null", b"[]", b'""', b"{", b"\x00", b'{"a":NaN}', b'{"a":1,"a":2}', b'{"a":1e999}', b'{"cubes":{"blue":true}}',
    b'{"cubes":{"":1}}', b'{"cubes":{"a":-1}}', b'{"cubes":{"a":1e3}}', b'{"cubes":[]}',
    b'{"cubes":{"blue":4},"state":""}',
    b'{"cubes":{"blue":4},"seed":"0x7"}', b'{"cubes":{"blue":4},"seed":1.5}',
]  # fmt: skip


def test_odd_bodies_are_refused_and_none_is_a_defect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """No worker is asked, but for states that are too long to be looked at here."""
    asked: list[str] = []

    def submit(self: Workers, owner: bytes, do: str, fields: dict[str, Any], **_: Any) -> Any:
        asked.append(do)
        raise Problem("busy", "it would be asked")

    monkeypatch.setattr(Workers, "submit", submit)

    async def whole() -> None:
        async with serving(tmp_path, rate=0) as served:
            for path in ("/v1/drops", "/v1/games", "/v1/towers", "/v1/rounds"):
                for name, raw in [*LONG.items(), *((repr(raw), raw) for raw in ODD)]:
                    got = await served.ask("POST", path, raw, **KEY)
                    assert got
                    is_asked = name in ("a state", "dots") and path in ("/v1/drops", "/v1/towers")
                    assert got.code == "busy" if is_asked else 400 <= got.status < 500, (path, name, got)
                    assert len(got.body) < 3_000
                    assert "\n" not in got.document["detail"]

    asyncio.run(whole())
    assert asked == ["drop", "drop", "state", "state"]
    assert capsys.readouterr().err == ""
