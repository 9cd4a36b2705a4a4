"""`tower-sim serve`: one JSON line out for each line in, in order, whatever the lines are; the clients; the docs."""

import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from support.attacks import garbled, mutated
from support.cases import each_case
from support.fakes import CoinTower
from support.node import NODE, needs_node

from tower_sim.apparatus import Apparatus, load
from tower_sim.drops import DropModel
from tower_sim.physics import ENGINE, PhysicsSettings
from tower_sim.requests import Throw
from tower_sim.service import ModelCache, limits, serve
from tower_sim.service.cache import KEPT
from tower_sim.service.lines import LINES, MAX_LINE, answer, read_request
from tower_sim.surrogate import TwoThirdsRule
from tower_sim.tools import registry

ROOT = Path(__file__).parents[2]
FIELDS = {do: tuple(kind.model_fields) for do, kind in LINES.items()}
DOC = (ROOT / "docs/http.md").read_text("utf-8")
RULE = {"do": "drop", "cubes": {"blue": 4}, "model": "two_thirds", "seed": 7}
COMMAND = (sys.executable, "-m", "tower_sim")
TOWER = load("amerigo")
SIDES = {"purple": 4, "green": 3}


def replies_to(text: str | bytes, opened: ModelCache | None = None) -> list[dict[str, Any]]:
    out = io.BytesIO()
    with opened or ModelCache() as models:
        serve(io.BytesIO(text.encode() if isinstance(text, str) else text), out, models)
    assert not out.getvalue() or out.getvalue().endswith(b"\n")
    replies = [json.loads(line, parse_constant=pytest.fail) for line in out.getvalue().split(b"\n")[:-1]]
    assert all(list(reply)[:3] == ["id", "schema", "version"] for reply in replies)
    return replies


def ask(*requests: object, opened: ModelCache | None = None) -> list[dict[str, Any]]:
    return replies_to("\n".join(map(json.dumps, requests)), opened)


@contextmanager
def service() -> Iterator[subprocess.Popen[str]]:
    pipe = subprocess.PIPE
    process = subprocess.Popen([*COMMAND, "serve"], stdin=pipe, stdout=pipe, stderr=pipe, encoding="utf-8")
    watchdog = threading.Timer(120, process.kill)  # a reply that never comes fails the test instead of hanging it
    watchdog.start()
    try:
        yield process
    finally:
        watchdog.cancel()
        process.kill()
        process.communicate()


def say(process: subprocess.Popen[str], line: str) -> str:
    assert process.stdin
    assert process.stdout
    process.stdin.write(line + "\n")
    process.stdin.flush()
    return process.stdout.readline()


# What it answers


def test_the_same_request_gives_the_same_reply_whatever_came_before():
    alone = ask(RULE)[0]
    other = RULE | {"seed": 8, "cubes": {"red": 30}}
    assert ask(other, RULE, {"do": "nothing"}, RULE)[1::2] == [alone, alone]
    assert ask(dict.fromkeys(FIELDS["drop"]) | RULE) == [alone]  # null counts as left out
    assert ask(RULE | {"seed": "7"}) == ask(RULE | {"seed": "007"}) == [alone]


@each_case("name", [None, 0, -1.5, "a\n\u2028b", [1, {"a": []}], {"x": None}, True])
def test_the_id_is_sent_back_as_it_came(name: object):
    for request in (RULE, {"do": "fly"}):
        assert ask(request | {"id": name})[0]["id"] == name


def test_hello_tells_what_there_is():
    (reply,) = ask({"do": "hello"})
    assert reply["do"] == list(FIELDS) == ["hello", "drop", "play", "odds"]
    assert {"physics", "surrogate"} <= set(reply["models"])
    assert {"amerigo", "dead_reckoning"} <= set(reply["apparatus"])
    assert reply["games"] == list(registry.names("game"))
    assert all("standard" in accuracies for accuracies in reply["engines"].values())
    (drop,) = ask(RULE)
    assert reply["documents"][drop["schema"]] == drop["version"]
    assert {"tower-sim/chances", "tower-sim/game-run", "tower-sim/game-odds"} <= set(reply["documents"])


# What it refuses


DROP = '{"do": "drop", "cubes": {"blue": 1}, '
BAD = [
    ("nonsense", "allowed is a JSON object", ""),
    ("[1, 2]", "line is [1, 2]; allowed is a JSON object", ""),
    ('{"do": "drop"', "allowed is a JSON object", ""),
    ('{"id": NaN, "do": "hello"}', "NaN", ""),
    ('{"id": 1e999, "do": "hello"}', "too large", ""),
    ('{"id": %s, "do": "hello"}' % ("9" * 4000), "about 4000 digits", ""),
    ('{"do": "drop", "cubes": {"blue": 1, "blue": 2}}', "twice", ""),
    (DROP + '"state": "\\ud800"}', "surrogates not allowed", ""),
    ("[" * 100_000, "while decoding a JSON array", ""),  # how deep it may go each Python says in its own words
    ("{}", "do is nothing; allowed is one of hello, drop, play", "do"),
    ('{"do": ["drop"]}', "do is ['drop']", "do"),
    ('{"do": "game"}', "do is 'game'; allowed is one of hello, drop, play", "do"),
    ('{"do": "dorp"}', "did you mean drop?", "do"),
    ('{"do": "hello", "seed": 1}', "seed is unknown; allowed are id, do; correct", "seed"),
    (DROP + '"apparatus": "nowhere"}', "neither a shipped profile nor a file", "apparatus"),
    (DROP + '"apparatus": "%s"}' % ("x" * 5000), "path of a TOML file", "apparatus"),
    ('{"do": "play", "game": "dead_reckoning", "model": "two_thirds"}', "is no tower that keeps cubes", "apparatus"),
]


@each_case(("line", "says", "path"), BAD)
def test_a_bad_line_gets_one_line_of_error_and_the_next_is_answered(
    line: str, says: str, path: str, capsys: pytest.CaptureFixture[str]
):
    error, good = replies_to(line + "\n" + json.dumps(RULE | {"id": "next"}))
    assert list(error) == ["id", "schema", "version", "error", "code", "path"]
    assert (error["schema"], error["version"]) == ("tower-sim/error", 1)
    assert says in error["error"]
    assert error["path"] == path
    assert "\n" not in error["error"]
    assert len(error["error"]) < 700
    assert not error["error"].startswith("internal")
    assert (good["id"], good["schema"]) == ("next", "tower-sim/outcome")
    assert capsys.readouterr().err == ""


def test_a_line_that_is_not_utf_8_or_too_long_gets_an_error_and_the_next_is_answered():
    good = json.dumps(RULE | {"id": 2}).encode()
    for line, says in ((b'{"do": "\xff"}', "utf-8"), (b'"' + b"x" * 3 * MAX_LINE + b'"', f"up to {MAX_LINE} bytes")):
        error, after = replies_to(line + b"\n" + good)
        assert error["id"] is None
        assert says in error["error"]
        assert after["id"] == 2
    longest = good + b" " * (MAX_LINE - len(good) - 1) + b"\n"
    assert [reply["id"] for reply in replies_to(longest + good)] == [2, 2]
    assert "error" in replies_to(b" " + longest)[0]
    assert replies_to("") == replies_to("\n \r\n\t\n") == []
    assert replies_to(f"\n{json.dumps(RULE)}\r\n\n  {json.dumps(RULE)}") == ask(RULE, RULE)


class _BrokenRule(TwoThirdsRule):
    def drop(self, state: Any, cubes: Any, rng: Any) -> Any:
        if len(cubes) > 1:
            raise RuntimeError("a defect,\nof ours")
        return super().drop(state, cubes, rng)


def test_a_defect_is_answered_and_told_and_the_next_line_gets_a_new_model(capsys: pytest.CaptureFixture[str]):
    opened: list[str] = []

    def opener(apparatus: Apparatus, name: str, settings: PhysicsSettings | None) -> TwoThirdsRule:
        opened.append(name)
        return _BrokenRule(apparatus)

    one = RULE | {"cubes": {"blue": 1}}
    first, second, third = ask(one, RULE | {"id": 5}, one, opened=ModelCache(opener))
    assert second["error"] == "internal error: RuntimeError: a defect, of ours"
    assert second["id"] == 5
    assert capsys.readouterr().err == "tower-sim: internal error: RuntimeError: a defect, of ours\n"
    assert first == third == ask(one)[0]
    assert len(opened) == 2


def test_cubes_that_never_land_get_an_error():
    coin = ModelCache(lambda apparatus, name, settings: nullcontext(CoinTower(failure_rate=1.0)))
    (reply,) = ask(RULE, opened=coin)
    assert "5 draws in a row were no landing" in reply["error"]
    assert "throw fewer cubes" in reply["error"]


VALID: list[dict[str, Any]] = [
    {"do": "hello", "id": 1},
    {"id": "a", "do": "drop", "cubes": {"blue": 4, "red": 2}, "seed": 7, "model": "two_thirds", "apparatus": "amerigo"},
    {"id": "b", "do": "drop", "cubes": {"blue": 4}, "seed": "8", "model": "surrogate", "state": None, "knock": None},
    {"id": "c", "do": "drop", "cubes": {"purple": 6}, "model": "surrogate", "apparatus": "dead_reckoning"},
    {"id": 11, "do": "play", "game": "amerigo", "rules": {"cubes": 3, "rounds": 1}, "model": "surrogate", "seed": 1},
    {"id": 12, "do": "play", "game": "dead_reckoning", "rules": {"cubes": SIDES}, "model": "surrogate", "games": 2},
    {"id": 13, "do": "play", "game": "chain", "rules": {"drops": 3}, "apparatus": "amerigo", "model": "two_thirds"},
]


def hostile_lines(states: list[str], count: int) -> Iterator[bytes]:
    """Requests with values changed, with characters changed, and other JSON and bytes."""
    rng = random.Random(20261122)
    odd = [
        "[" * 41,
        '{"id": "\\ud800", "do": "hello"}',
        '{"do": "drop", "do": "hello"}',
        "\x00\x1b\x7f\u2028",
        "x" * 9**7,
    ]
    for number in range(count):
        valid = {**rng.choice(VALID)}
        if valid["do"] == "drop" and valid.get("apparatus") != "dead_reckoning" and rng.random() < 0.3:
            valid["state"] = rng.choice(states)
        text = json.dumps(mutated(valid, rng))
        if number % 10 == 8:
            text = garbled(json.dumps(valid), rng)
        elif number % 50 == 9:
            text = rng.choice(odd)
        line = rng.randbytes(rng.randrange(40)) if number % 50 == 19 else text.encode(errors="surrogatepass")
        yield line.replace(b"\n", b" ").replace(b"\r", b" ")


@pytest.mark.parametrize("count", [300, pytest.param(3000, marks=pytest.mark.slow)])
def test_every_hostile_line_is_answered_by_one_line_soon_and_the_next_line_by_the_next(
    count: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """Longer work is allowed, and tested for its bounds elsewhere: here no request throws by physics."""
    monkeypatch.setattr(limits, "MAX_GAMES", 20)
    monkeypatch.setattr(limits, "MAX_DROPS", 100)
    monkeypatch.setattr(limits, "MAX_PHYSICS_CUBES", -1)
    schemas: Counter[str] = Counter()
    following = json.dumps(RULE | {"id": ["mine"]}).encode()
    with ModelCache() as models:

        def reply(line: bytes) -> dict[str, Any]:
            out, begin = io.BytesIO(), time.process_time()
            serve(io.BytesIO(line + b"\n" + following + b"\n"), out, models)
            assert time.process_time() - begin < 5.0, line[:500]
            *first, last = [json.loads(text, parse_constant=pytest.fail) for text in out.getvalue().splitlines()]
            assert (len(first), last["id"], last["schema"]) == (bool(line.strip()), ["mine"], "tower-sim/outcome")
            return first[0] if first else {"schema": "none"}

        states = [str(reply(json.dumps(VALID[i]).encode())["state"]) for i in (1, 2)]
        for line in hostile_lines(states, count):
            answered = reply(line)
            schemas[answered["schema"]] += 1
            error = answered.get("error", "")
            assert not error.startswith("internal"), line[:500]
            assert len(error) < 800
            assert "\n" not in error
    assert capsys.readouterr().err == ""
    assert schemas["tower-sim/error"] > count / 2
    assert all(schemas[schema] > count / 60 for schema in ("tower-sim/outcome", "tower-sim/service")), schemas


@pytest.mark.posix
def test_files_that_are_none_are_refused_in_one_line(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.json")
    for name in (str(tmp_path / "pipe.json"), "/dev/zero", str(tmp_path), "n" * 300, "a\0b", "/dev/stdin"):
        for field in ("apparatus", "model", "game"):
            (reply,) = ask({"do": "play", "game": "amerigo", "model": "two_thirds", field: name})
            assert re.search("allowed|check its path", reply["error"])


# The models it keeps


class _Counting:
    def __init__(self) -> None:
        self.opened: list[str] = []
        self.settings: list[PhysicsSettings | None] = []
        self.closed: list[str] = []

    @contextmanager
    def __call__(self, apparatus: Apparatus, name: str, settings: PhysicsSettings | None) -> Iterator[DropModel]:
        self.opened.append(name)
        self.settings.append(settings)
        yield TwoThirdsRule(apparatus)
        self.closed.append(name)


def test_a_model_is_opened_once_the_longest_unused_is_closed_and_all_at_the_end():
    count = _Counting()
    with ModelCache(count) as opened:
        names = [f"m{i}.json" for i in range(KEPT)]
        throws = [Throw.of(cubes={"blue": 1}, model=name) for name in [*names, "one more.json"]]
        models = [opened.get(each)[1] for each in throws[:-1]]
        assert [opened.get(each)[1] for each in throws[:-1]] == models
        assert count.opened == names
        opened.get(throws[0])
        opened.get(throws[-1])
        assert count.closed == ["m1.json"]
        assert count.opened == [*names, "one more.json"]
    assert sorted(count.closed) == sorted(count.opened)


def test_a_model_is_opened_for_each_engine_and_accuracy_that_a_request_names():
    count = _Counting()
    one = {"do": "drop", "cubes": {"blue": 1}, "seed": 1}
    default = {"engine": ENGINE, "accuracy": "standard"}
    with ModelCache(count) as opened:
        for named in ({}, default, {"engine": ENGINE}, {"accuracy": None}, {"model": "two_thirds"}):
            assert answer(read_request(one | named), opened)["attempts"] == 1
    assert count.settings == [None, PhysicsSettings(), None]


def test_a_profile_that_has_changed_is_read_anew_and_an_old_state_is_refused(tmp_path: Path):
    text = (ROOT / "tower_sim/apparatus/amerigo/profiles/amerigo.toml").read_text("utf-8")
    file = tmp_path / "mine.toml"
    file.write_text(text, "utf-8")
    request = RULE | {"apparatus": str(file)}
    throw = Throw.of(cubes={"blue": 1}, apparatus=str(file), model="two_thirds")
    with ModelCache() as opened:
        before = opened.get(throw)[1]
        (first,) = ask(request, opened=ModelCache())
        assert opened.get(throw)[1] is before
        file.write_text(re.sub(r"(?m)^edge_mm = [0-9.]+", "edge_mm = 9.25", text), "utf-8")
        assert opened.get(throw)[1].cube_edge == pytest.approx(0.00925)
        (reply,) = ask(request | {"state": first["state"]}, opened=opened)
        assert "state belongs to two_thirds" in reply["error"]
    for change, says in ((lambda: file.write_text("kind = 1"), "profile mine"), (file.unlink, "neither a shipped")):
        change()
        (reply,) = ask(request)
        assert says in reply["error"]


# The process


def test_each_reply_is_written_before_the_next_request_is_read_and_the_end_of_input_is_exit_0():
    with service() as process:
        for i in range(3):
            assert json.loads(say(process, json.dumps(RULE | {"id": i})))["id"] == i
        assert process.communicate(timeout=600) == ("", "")
        assert process.returncode == 0


def test_a_reader_that_goes_away_ends_it_quietly_with_exit_1():
    with service() as process:
        say(process, '{"do": "hello"}')
        assert process.stdout
        assert process.stdin
        assert process.stderr
        process.stdout.close()
        process.stdin.write('{"do": "hello"}\n')
        process.stdin.flush()
        assert process.wait(timeout=600) == 1
        assert process.stderr.read() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_it_with_exit_1_and_one_line(number: int):
    with service() as process:
        say(process, '{"do": "hello"}')
        process.send_signal(number)
        _, text = process.communicate(timeout=600)
        assert (process.returncode, text) == (1, "tower-sim: interrupted\n")


# The clients and the docs


@pytest.mark.parametrize(
    "client",
    [
        pytest.param((sys.executable, "docs/clients/client.py"), id="Python"),
        pytest.param((NODE or "node", "docs/clients/client.js"), id="JavaScript", marks=needs_node),
    ],
)
def test_a_client_throws_and_carries_on_what_stays_inside(client: tuple[str, str]):
    state, expected = None, list[tuple[dict[str, int], dict[str, int]]]()
    for seed, cubes in enumerate([{"blue": 8, "red": 8}, {"blue": 4}, {"red": 2}]):
        (reply,) = ask({"do": "drop", "cubes": cubes, "state": state, "seed": seed})
        state = reply["state"]
        expected.append((reply["emerged"], reply["inside"]))
    done = subprocess.run([*client, *COMMAND], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")
    printed = [re.fullmatch(r"out: (.*) inside: (.*)", line) for line in done.stdout.splitlines()]
    assert [(json.loads(line[1]), json.loads(line[2])) for line in printed if line] == expected
    for command, says in (
        ([sys.executable, "-c", 'print(\'{"error": "no"}\')'], "no"),
        ([sys.executable, "-c", "raise SystemExit(3)"], "gave no answer: it has ended with 3"),
        (["no-such-program"], "cannot be started"),
    ):
        failed = subprocess.run([*client, *command], cwd=ROOT, capture_output=True, text=True)
        assert (failed.returncode, failed.stderr.count("\n")) == (1, 1), failed.stderr
        assert says in failed.stderr


def any_counts(match: re.Match[str]) -> str:
    return re.sub(r"\d+", r"\\d+", match[0])


def test_the_session_in_the_docs_is_what_the_service_says():
    match = re.search(r"```\n(> .*?)```", DOC, re.S)
    assert match
    lines = match[1].splitlines()
    assert len(lines) >= 10
    state = ""
    with ModelCache() as opened:
        for request, line in zip(lines[::2], lines[1::2], strict=True):
            assert (request[:2], line[:2]) == ("> ", "< ")
            out = io.BytesIO()
            serve(io.BytesIO(request[2:].replace("TOWER3...", state).encode()), out, opened)
            reply = out.getvalue().decode().rstrip("\n")
            pattern = re.escape(line[2:]).replace(r"\.\.\.", ".*")
            pattern = re.sub(r'"(emerged|inside)":\\ \\\{.*?\\\}', any_counts, pattern)  # of the engine as it is now
            assert re.fullmatch(pattern, reply), reply
            state = json.loads(reply).get("state", state)
