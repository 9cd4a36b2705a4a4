"""The service on the network: what it answers, what it refuses, and what its description says."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from support.browser import browsing, needs_browser
from support.cases import each_case
from support.command_line import tower_sim
from support.network import Answer, Client, Running, new_key, running, until

from tower_sim import answers, cli, registry
from tower_sim.errors import UsageError
from tower_sim.models import MODELS
from tower_sim.requests import Play, Request, Throw
from tower_sim.service import limits
from tower_sim.service.codes import CODES
from tower_sim.service.http.towers import MAX_KEPT, NewTower, TowerThrow
from tower_sim.typed import read

pytestmark = pytest.mark.posix
LIGHT: dict[str, Any] = {"cubes": {"blue": 4}, "model": "surrogate", "seed": "7"}
BATTLE: dict[str, Any] = {"game": "dead_reckoning", "rules": {"cubes": {"purple": 4, "green": 3}}, "model": "surrogate"}
LONG = BATTLE | {"games": 100_000}  # a minute and more
TOKEN = "a-token-that-is-long-enough"


def a_tower(client: Client, **fields: Any) -> dict[str, Any]:
    made = client.post("/v1/towers", {"model": "surrogate"} | fields, key=new_key())
    assert made.status == 201, made
    assert made.headers["location"] == f"/v1/towers/{made.document['id']}"
    return made.document


def throw(client: Client, tower: str, body: Any = None, key: str = "") -> Answer:
    return client.post(f"/v1/towers/{tower}/drops", body or {"cubes": {"red": 6}}, key=key or new_key())


# What it answers


def test_the_odds_of_the_next_throw_are_those_of_the_command(client: Client, capsys: pytest.CaptureFixture[str]):
    made = a_tower(client)
    throw(client, made["id"])
    state = client.get(f"/v1/towers/{made['id']}").document["state"]
    asked = {"throws": [{"blue": 4}, {"red": 1, "blue": 1}], "times": 100, "seed": "5"}
    command = ["throw", "amerigo", "--model", "surrogate", "--state", state, "--times", "100", "--seed", "5", "--json"]
    assert cli.main([*command, "--cubes", "blue=4", "--cubes", "red=1,blue=1"]) == 0
    odds = json.loads(capsys.readouterr().out)
    got = client.post("/v1/odds", asked | {"model": "surrogate", "state": state})
    assert (got.status, got.document) == (200, odds)
    assert client.post("/v1/odds", {"throws": [{}]}).document["path"] == "cubes"


@pytest.mark.slow
@each_case(
    ("path", "body", "command"),
    [
        ("drops", LIGHT, "throw amerigo --cubes blue=4 --model surrogate"),
        ("drops", {"cubes": {"blue": 4}, "seed": 7}, "throw amerigo --cubes blue=4"),
        ("games", {"game": "amerigo", "rules": {"rounds": 1}, "model": "surrogate", "seed": "7"},
         "play amerigo --set rounds=1 --model surrogate"),
    ],
)  # fmt: skip
def test_an_answer_is_what_the_command_prints_and_is_got_again(
    client: Client, path: str, body: dict[str, Any], command: str
):
    got = client.post(f"/v1/{path}", body)
    assert got.status == 201, got
    assert client.get(got.headers["location"]).body == got.body
    document = got.document
    assert got.headers["location"] == f"/v1/{path}/{document.pop('id')}"
    assert json.dumps(document) + "\n" == tower_sim(*command.split(), "--seed", "7", "--json").stdout


def test_a_tower_goes_on_as_the_command_does_with_the_state_and_redo_repeats_it(client: Client):
    tower = a_tower(client)["id"]
    state: list[str] = []
    got: dict[str, Any] = {}
    for number, seed in enumerate(("3", "5", "8")):
        got = throw(client, tower, {"cubes": {"red": 5}, "seed": seed}).document
        assert (got.pop("tower"), got.pop("number")) == (tower, number)
        assert client.get(f"/v1/drops/{got.pop('id')}").document["number"] == number
        words = ["throw", "amerigo", "--cubes", "red=5", "--model", "surrogate", "--seed", seed, "--json", *state]
        assert json.dumps(got) + "\n" == tower_sim(*words).stdout
        state = ["--state", got["state"]]
    stands = client.get(f"/v1/towers/{tower}").document
    assert (stands["drops"], stands["state"], stands["inside"]) == (3, state[1], {"red": got["inside"]["red"]})
    redone = json.loads(tower_sim("redo", stands["state"], "--json").stdout)
    assert (redone["same"], len(redone["events"])) == (True, 3)
    other = a_tower(client, state=stands["state"])
    assert (other["drops"], other["inside"]) == (0, stands["inside"])


def test_the_table_sees_and_throws_and_learns_neither_seed_nor_state_nor_the_programs_identifier(client: Client):
    made, key = a_tower(client), new_key()
    program, table = made["id"], made["table"]
    throw(client, program, {"cubes": {"red": 9}, "seed": "12345678901234567"})
    first = throw(client, table, {"cubes": {"red": 9}, "knock": None}, key)
    again = throw(client, table, {"cubes": {"red": 9}, "knock": None}, key)
    assert (first.status, again.body, again.headers["idempotency-replayed"]) == (201, first.body, "true")
    seen = [first, client.get(first.headers["location"]), client.get(f"/v1/towers/{table}")]
    seen.append(client.get(f"/v1/towers/{table}/drops"))
    hidden = [program, "12345678901234567", "TOWER3", '"seed"', '"state"']
    hidden += [drop["id"] for drop in client.get(f"/v1/towers/{program}/drops").document["drops"]]
    for answer in seen:
        assert answer.status in (200, 201)
        assert not [word for word in hidden if word in answer.body.decode() + str(answer.headers)]
    seen.append(client.get(f"/v1/towers/{program}"))
    assert [seen[2].document["drops"], seen[3].document["of"], seen[4].document["drops"]] == [2, 2, 2]
    for refused in (
        throw(client, table, {"cubes": {"red": 1}, "seed": 1}),
        client.ask("DELETE", f"/v1/towers/{table}"),
    ):
        assert (refused.status, refused.code) == (403, "table")
    assert not [word for word in hidden[:1] if word in str(refused.body)]


def test_a_tower_goes_on_by_itself_from_the_state_of_a_throw_of_another(client: Client):
    tower = a_tower(client)["id"]
    drops = [throw(client, tower, {"cubes": {"red": 9}, "seed": seed}).document for seed in ("1", "2")]
    earlier = a_tower(client, state=drops[0]["state"])
    assert (earlier["drops"], earlier["state"]) == (0, drops[0]["state"])
    again = throw(client, earlier["id"], {"cubes": {"red": 9}, "seed": "2"}).document
    assert (again["state"], again["number"]) == (drops[1]["state"], 0)
    page = client.get(f"/v1/towers/{tower}/drops?from=1&limit=2").document
    assert ([drop["number"] for drop in page["drops"]], page["of"]) == ([1], 2)
    wrong = client.post("/v1/towers", {"model": "two_thirds", "state": drops[0]["state"]}, key=new_key())
    assert (wrong.code, wrong.document["path"]) == ("field.invalid", "state")


def test_a_deleted_tower_is_gone_and_its_drops_are_still_there(client: Client):
    key = new_key()
    made = client.post("/v1/towers", {}, key=key)
    place, table = made.headers["location"], made.document["table"]
    drop = throw(client, made.document["id"], {"cubes": {"red": 1}, "knock": 0.5, "seed": 1})  # by physics, in a worker
    assert drop.status == 201, drop
    assert client.ask("DELETE", place).status == 204
    for gone in (client.get(place), client.get(f"/v1/towers/{table}"), client.get(f"{place}/drops")):
        assert gone.code == "not_found"
    assert throw(client, made.document["id"]).code == client.ask("DELETE", place).code == "not_found"
    assert client.post("/v1/towers", {}, key=key).code == "not_found"
    assert client.get(drop.headers["location"]).body == drop.body


def test_lists_say_what_there_is(client: Client):
    games = client.get("/v1/games").document["games"]
    assert [game["name"] for game in games] == list(registry.names("game"))
    assert all(game["usual"] for game in games)
    assert any("properties" in (game["rules"] or {}) for game in games)
    assert {"amerigo", "dead_reckoning"} <= {one["name"] for one in client.get("/v1/apparatus").document["apparatus"]}
    models = client.get("/v1/models").document
    assert [one["name"] for one in models["models"]] == list(MODELS)
    assert "standard" in models["engines"]["core"]


def test_the_page_is_there_it_is_healthy_and_counts(client: Client):
    assert client.get("/").body.startswith(b"<!doctype html>")
    assert client.get("/healthz").document == {"status": "ok"}
    until(lambda: client.get("/readyz").status == 200)  # the physics is loaded
    assert client.get("/readyz").document == {"status": "ready"}
    identifier = client.post("/v1/drops", LIGHT).document["id"]
    client.get(f"/v1/drops/{identifier}")
    text = client.get("/metrics").body.decode()
    assert 'tower_sim_requests_total{method="GET",route="/v1/drops/{id}",status="200"}' in text
    assert identifier not in text


# Keys


def test_a_key_is_needed_where_something_is_kept_and_must_be_hard_to_guess(client: Client):
    tower = a_tower(client)["id"]
    for path, body in (("", {}), (f"/{tower}/drops", {"cubes": {"red": 1}})):
        assert client.post(f"/v1/towers{path}", body).code == "key.missing"
        for key in ("a" * 15, "a" * 256, '"with a space in it"', 'with-a-"-quote-in-it'):
            assert client.post(f"/v1/towers{path}", body, key=key).code == "key.invalid"


def test_the_same_key_is_answered_the_same_once_and_another_body_refused(client: Client):
    tower, key = a_tower(client)["id"], new_key()
    first, again = throw(client, tower, key=key), throw(client, tower, key=key.strip('"'))
    assert (again.status, again.body) == (201, first.body)
    assert again.headers["idempotency-replayed"] == "true"
    assert throw(client, tower, {"cubes": {"red": 7}}, key).code == "key.reused"
    assert client.get(f"/v1/towers/{tower}/drops").document["of"] == 1
    other = a_tower(client)["id"]  # a key is one tower's: another's answer is never given
    assert throw(client, other, key=key).document["tower"] == other
    refused = new_key()  # a request that was refused leaves its key unused
    assert throw(client, tower, {"cubes": {"red": -1}}, refused).code == "field.invalid"
    assert throw(client, tower, {"cubes": {"red": 1}}, refused).status == 201


# What it refuses

ONE, PLAY = {"cubes": {"blue": 1}}, {"game": "amerigo"}
SECRET = "files are not opened over HTTP"
BAD = [
    ("/v1/drops", {"cubes": None}, "field.invalid", "cubes", "allowed is a table"),
    ("/v1/drops", ONE | {"do": "drop"}, "field.unknown", "do", "allowed are"),
    ("/v1/drops", ONE | {"model": "fitted.json"}, "field.invalid", "model", SECRET),
    ("/v1/drops", ONE | {"apparatus": "/etc/passwd"}, "field.invalid", "apparatus", SECRET),
    ("/v1/games", {"game": "mine.py"}, "field.invalid", "game", SECRET),
    ("/v1/games", PLAY | {"rules": {"apparatus": "/tmp/x"}}, "field.invalid", "rules.apparatus", SECRET),
    ("/v1/games", PLAY | {"rules": {"game": "./x.py"}}, "field.invalid", "rules.game", SECRET),
    ("/v1/games", PLAY | {"games": 5000, "model": "surrogate"}, "field.too_large", "games", "respond-async"),
    ("/v1/towers", {"apparatus": "amerigoo"}, "field.invalid", "apparatus", "did you mean amerigo?"),
    ("/v1/towers", {"model": "x"}, "field.invalid", "model", "allowed is one of physics"),
    ("/v1/towers", {"state": "TOWER3.x.y"}, "field.invalid", "state", "damaged"),
    ("/v1/towers", {"cubes": {"red": 1}}, "field.unknown", "cubes", "allowed are"),
    ("/v1/towers/{id}/drops", {"cubes": {"red": 4}, "model": "physics"}, "field.unknown", "model", "allowed are "),
    ("/v1/towers/{id}/drops", {"knock": -1}, "field.invalid", "knock", "allowed is a number from 0"),
    ("/v1/towers/{id}/drops", {}, "field.invalid", "cubes", "unless there is a knock"),
]


@each_case(("path", "body", "code", "where", "says"), BAD)
def test_a_bad_field_is_named_in_one_line(client: Client, path: str, body: Any, code: str, where: str, says: str):
    place = path.replace("{id}", a_tower(client)["id"]) if "{id}" in path else path
    got = client.post(place, body, key=new_key())
    assert (got.status, got.code, got.document["path"]) == (422, code, where), got.document
    assert says in got.document["detail"]
    assert "\n" not in got.document["detail"]
    assert len(got.document["detail"]) < 700


@each_case("raw", [b"", b"{", b"[]", b"null", b'{"a": NaN}', b'{"a": 1, "a": 2}', b"\xff", b"[" * 100, b'{"a": 1e999}'])
def test_what_is_no_json_object_is_said_so(client: Client, raw: bytes):
    got = client.ask("POST", "/v1/drops", raw=raw)
    assert (got.status, got.code) == (422, "json.invalid")


def test_a_body_must_be_said_to_be_json_so_that_no_web_page_can_send_one_unasked(client: Client):
    for media in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        got = client.ask("POST", "/v1/drops", raw=json.dumps(LIGHT).encode(), content_type=media)
        assert got.code == "media_type"
    assert client.post("/v1/drops", LIGHT, content_type="application/json; charset=utf-8").status == 201
    assert "access-control-allow-origin" not in client.get("/healthz", origin="http://evil.example").headers


def test_paths_methods_and_queries_that_are_not_there_get_problems(client: Client):
    for path in ("/v1/drops/no-such-drop", "/v1/drops/AAAAAAAAAAAAAAAAAAAAAA", "/v1/nothing", "/v1/jobs/x"):
        assert client.get(path).code == "not_found"
    wrong = client.ask("DELETE", "/v1/games")
    assert (wrong.code, wrong.headers["allow"]) == ("method", "GET, POST")
    tower = a_tower(client)["id"]
    for query in ("from=-1", "limit=0", f"limit={MAX_KEPT + 1}", "from=x", "from=1e3"):
        bad = client.get(f"/v1/towers/{tower}/drops?{query}")
        assert (bad.code, bad.document["path"]) == ("field.invalid", query.partition("=")[0])


NAMES = st.sampled_from([*Throw.model_fields, *Play.model_fields, "after", "blue", "do"])
FILES = ["secret.toml", "./secret.py", "secret.json", "../secret.toml", "/dev/stdin", "amerigo.toml", ""]
HERE = st.sampled_from(FILES)
VALUES = st.recursive(
    HERE | st.none() | st.booleans() | st.integers(-3, 9) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.dictionaries(NAMES | HERE | st.text(max_size=4), inner, max_size=4) | st.lists(inner, max_size=3),
    max_leaves=8,
)


def test_no_name_in_a_request_is_opened_as_a_file_and_whatever_is_wrong_is_one_line():
    """Every open of this process is watched: none has a name that only the request could have given."""
    opened, lines = list[str](), list[str]()
    is_watched = [True]

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if is_watched[0] and event == "open":
            opened.append(str(arguments[0]))

    sys.addaudithook(watch)
    with open(__file__):
        pass
    assert any(name.endswith(Path(__file__).name) for name in opened)  # the watch sees what it should
    opened.clear()

    @settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(
        st.sampled_from([Throw, Play, NewTower, TowerThrow]),
        st.dictionaries(NAMES, VALUES, max_size=5),
        st.booleans(),
    )
    def ask(kind: type[Request], body: dict[str, Any], is_whole: bool) -> None:
        whole = {Play: {"game": "amerigo"}, Throw: ONE}.get(kind, {}) if is_whole else {}
        try:
            request = read(kind, whole | body)
            limits.check(request) if isinstance(request, (Throw, Play)) else request.check()
        except UsageError as error:
            lines.append(str(error))

    ask()
    is_watched[0] = False
    assert not [line for line in lines if "\n" in line]
    assert not [name for name in opened if "secret" in name or name.startswith("/dev/") or name == "amerigo.toml"]


# Limits and jobs


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("strict")
    (folder / "token").write_text(TOKEN + "\n")
    limits = ["--max-body", "2000", "--workers", "1", "--queue", "2", "--cors", "https://table.example"]
    with running(folder / "towers.db", "--token-file", str(folder / "token"), *limits) as service:
        yield service


def test_the_token_is_asked_for_where_there_is_something_to_learn(strict: Running):
    nobody, other, friend = strict.client(), strict.client("another-token-of-this-length"), strict.client(TOKEN)
    for path in ("/metrics", "/v1/drops/x", "/v1/nothing", "/v1/games"):
        got = nobody.get(path)
        assert (got.code, got.status, got.headers["www-authenticate"]) == ("token.missing", 401, "Bearer")
        assert other.get(path).code == "token.wrong"
        assert friend.get(path).status in (200, 404)
    for path in ("/", "/docs", "/healthz", "/openapi.json"):
        assert nobody.get(path).status == 200
    assert TOKEN not in "".join(strict.said)


def test_too_long_a_body_is_refused_and_only_named_pages_may_ask(strict: Running):
    assert strict.client(TOKEN).post("/v1/drops", LIGHT | {"state": "x" * 3000}).code == "body.too_large"
    assert strict.client(TOKEN).post("/v1/drops", LIGHT).status == 201
    named = strict.client().get("/healthz", origin="https://table.example").headers
    assert named["access-control-allow-origin"] == "https://table.example"
    assert "access-control-allow-origin" not in strict.client().get("/healthz", origin="https://x.example").headers


def finish(client: Client, place: str) -> dict[str, Any]:
    until(lambda: client.get(place).document["status"] in ("done", "failed", "cancelled"))
    return client.get(place).document


def begin(client: Client, body: dict[str, Any], key: str = "") -> Answer:
    got = client.post("/v1/games", body, key=key, prefer="respond-async")
    assert (got.status, got.headers["preference-applied"]) == (202, "respond-async"), got
    assert got.headers["location"] == f"/v1/jobs/{got.document['id']}"
    return got


def test_long_work_is_followed_cancelled_and_limited(strict: Running):
    client = strict.client(TOKEN)
    jobs = [begin(client, LONG).headers["location"]]
    until(lambda: client.get(jobs[0]).document["done"] > 0)  # it is at work
    jobs += [begin(client, LONG).headers["location"] for _ in range(2)]
    until(lambda: b"tower_sim_workers_waiting 2.0" in client.get("/metrics").body)
    full = client.post("/v1/games", BATTLE)
    assert (full.status, full.code, full.headers["retry-after"]) == (503, "busy", "5")
    assert client.get("/readyz").code == "busy"
    for place in reversed(jobs):
        assert client.ask("DELETE", place).status == 204
    for place in jobs:
        document = finish(client, place)
        assert (document["status"], document["problem"]["code"]) == ("cancelled", "cancelled")
    done = finish(client, begin(client, BATTLE | {"games": 100}).headers["location"])
    assert (done["status"], done["done"], done["of"]) == ("done", 100, 100)
    assert client.get(done["location"]).document["summary"]["games"] == 100
    wrong = client.post("/v1/games", BATTLE | {"rules": {"combat": "duel"}}, prefer="respond-async")
    assert wrong.status == 422  # what is wrong is told at once


def test_a_job_that_is_asked_for_again_with_its_key_is_the_same_job_and_its_answer_the_same_answer(service: Running):
    client, key = service.client(), new_key()
    first, again = (begin(client, LONG, key) for _ in range(2))
    assert again.document["id"] == first.document["id"]
    assert again.headers["idempotency-replayed"] == "true"
    other = client.post("/v1/games", BATTLE, key=key, prefer="respond-async")
    assert (other.status, other.code) == (422, "key.reused")
    client.ask("DELETE", first.headers["location"])
    assert finish(client, first.headers["location"])["status"] == "cancelled"
    second = new_key()
    once, twice = (finish(client, begin(client, BATTLE | {"games": 50}, second).headers["location"]) for _ in range(2))
    assert once["location"] == twice["location"]
    assert once["id"] != twice["id"]


def test_it_is_ready_once_the_physics_is_loaded_and_then_the_first_throw_is_quick(tmp_path: Path):
    with running(tmp_path / "towers.db") as service:
        client = service.client()
        early = client.get("/readyz")
        assert (early.status, early.code, early.headers["retry-after"]) == (503, "starting", "5")
        assert client.post("/v1/drops", LIGHT).status == 201  # who needs no physics does not wait
        until(lambda: client.get("/readyz").status == 200)
        began = time.perf_counter()
        assert client.post("/v1/drops", {"cubes": {"blue": 4}, "seed": "7"}).status == 201
        assert time.perf_counter() - began < 0.3


def test_a_worker_that_is_killed_costs_its_own_request_only(service: Running):
    client = service.client()
    place = begin(client, LONG).headers["location"]
    until(lambda: client.get(place).document["done"] > 0)
    children = Path(f"/proc/{service.process.pid}/task/{service.process.pid}/children")
    if not children.exists():
        pytest.skip("the children of a process are not told here")
    for child in children.read_text().split():
        if "spawn_main" in Path(f"/proc/{child}/cmdline").read_text():
            os.kill(int(child), signal.SIGKILL)
    assert finish(client, place)["problem"]["code"] == "internal"
    assert client.post("/v1/games", BATTLE).status == 201


# Options


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
        (["--http", "--limits", "wrong.toml"], "limits.queue is 0; allowed is a whole number from 1 to 100000"),
        (["--http", "--limits", "nope.toml"], "cannot be read"),
    ],
)
def test_a_wrong_option_is_one_line_and_nothing_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], options: list[str], says: str
):
    monkeypatch.chdir(tmp_path)
    with sqlite3.connect("other.db") as other:
        other.execute("CREATE TABLE mine (x)")
    Path("short").write_text("abc")
    Path("wrong.toml").write_text("queue = 0")
    assert cli.main(["serve", *options]) == 2
    line = capsys.readouterr().err
    assert says in line
    assert line.count("\n") == 1


# What it says of itself


@needs_browser
def test_a_request_is_tried_in_the_page_within_its_policy_and_nobody_else_is_asked(service: Running):
    address = f"http://127.0.0.1:{service.port}"
    tried = [("POST /v1/towers Make", 201), ("POST /v1/towers/{id}/drops", 201), ("GET /v1/towers/{id} Look", 200)]
    with browsing(offline=False) as watched:
        page = watched.page
        page.goto(f"{address}/docs")
        for summary, status in tried:
            details = page.locator("details", has=page.locator("summary", has_text=summary))
            details.locator("summary").click()
            details.get_by_role("button").click()
            details.locator("pre", has_text=re.compile(rf"^{status} ")).wait_for(timeout=10_000)
        assert page.locator("details").count() > 15
        assert watched.wrong == []
        assert {url.startswith(address) for url in watched.requests} == {True}
        page.evaluate("fetch('https://example.com').catch(() => {})")
        assert any("Content Security Policy" in line for line in watched.wrong)


def test_the_example_of_two_tables_throws_into_both_and_tells_odds(service: Running):
    example = Path(__file__).parents[2] / "docs/clients/two_tables.py"
    assert len(example.read_text("utf-8").splitlines()) < 35
    done = subprocess.run([sys.executable, example, f"http://127.0.0.1:{service.port}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["window", "stove"] * 3
    assert all(re.search(r"out \{.*\}, inside \{'blue': \d", line) for line in lines[:4])
    assert all(re.search(r"2 red bring \d+\.\d cubes out on average, 4 red \d+\.\d", line) for line in lines[4:])


def test_the_description_is_fastapis_and_every_operation_has_an_example_that_is_answered(client: Client):
    """The examples of the schemas are sent; an operation on something that is kept is asked of what was made before."""
    document = client.get("/openapi.json").document
    assert document["openapi"].startswith("3.1")
    assert set(document["x-problems"]) == set(CODES)
    schemas = document["components"]["schemas"]
    tower = a_tower(client)["id"]
    throw(client, tower)
    job = begin(client, BATTLE | {"games": 2}).document["id"]
    game = finish(client, f"/v1/jobs/{job}")["location"].rpartition("/")[2]
    kept = {"towers": tower, "jobs": job, "games": game, "drops": client.post("/v1/drops", LIGHT).document["id"]}
    operations = [(way, path, of) for path, ways in document["paths"].items() for way, of in ways.items()]
    for way, path, operation in sorted(operations, key=lambda each: (each[0] == "delete", each[1])):
        assert operation["operationId"]
        assert operation["summary"]
        assert "HTTPValidationError" not in json.dumps(operation)
        place = path.replace("{id}", kept.get(path.split("/")[2] if path.count("/") > 1 else "", ""))
        bodies: list[Any] = [None]
        if way == "post":
            reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
            bodies = schemas[reference.rpartition("/")[2]]["examples"]
        assert bodies
        for body in bodies:
            got = client.ask(way.upper(), place, body, key=new_key() if way == "post" else "")
            assert got.status in (200, 201, 204), (path, body, got)
            assert str(got.status) in operation["responses"]


def test_no_field_of_a_request_has_a_default_or_lacks_a_description(client: Client):
    """Makers of clients take a field with a default for one that must be sent."""
    document = client.get("/openapi.json").document
    bodies = {json.dumps(of["post"]["requestBody"]) for of in document["paths"].values() if "post" in of}
    names = [name for name in document["components"]["schemas"] if any(f'schemas/{name}"' in body for body in bodies)]
    assert {"Throw", "Play", "Odds", "NewTower", "TowerThrow"} == {*names}
    for name in names:
        for field in document["components"]["schemas"][name]["properties"].values():
            assert "default" not in field
            assert field["description"]


def test_answers_are_of_their_types(client: Client):
    tower = a_tower(client)
    drops = [throw(client, tower[which]).document for which in ("id", "table")]
    job = begin(client, BATTLE | {"games": 2}).document
    refused = client.post("/v1/drops", {"cubes": {"blue": -1}}).document
    looks = [
        client.get(f"/v1/towers/{tower[which]}{end}").document for which in ("id", "table") for end in ("", "/drops")
    ]
    lists = [client.get(f"/v1/{name}").document for name in ("apparatus", "games", "models")]
    kinds = [answers.TowerAnswer, answers.TowerDrop, answers.TableDrop, answers.Job, answers.ProblemAnswer]
    kinds += [answers.TowerAnswer, answers.History, answers.TableTower, answers.History]
    kinds += [answers.Profiles, answers.Games, answers.Models, answers.Drop]
    found = [tower, *drops, job, refused, *looks, *lists, client.post("/v1/drops", LIGHT).document]
    for kind, document in zip(kinds, found, strict=True):
        TypeAdapter(kind).validate_python(document, strict=True)


def test_the_request_at_the_top_of_the_page_is_answered_as_it_shows(client: Client):
    text = (Path(__file__).parents[2] / "docs/http.md").read_text("utf-8")
    asked_of = re.search(r"curl .*127\.0\.0\.1:8484(/v1/\w+) -d '(.*)'\n", text)
    shown = re.search(r"<!-- answer -->\n```\n(.*)\n```", text)
    assert asked_of
    assert shown
    got = client.post(asked_of[1], json.loads(asked_of[2])).body.decode()
    assert re.fullmatch(re.escape(shown[1]).replace(r"\.\.\.", ".*"), got)


def test_the_page_lists_every_code():
    text = (Path(__file__).parents[2] / "docs/http.md").read_text("utf-8")
    assert set(CODES) <= set(re.findall(r"`([a-z_.]+)`", text))
