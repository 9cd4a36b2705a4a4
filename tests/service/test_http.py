"""The service on the network: what it answers, what it refuses, and what its description says."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import sys
import threading
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
from support.command_line import here
from support.network import Client, Running, running, until

from tower_sim import cli, load, open_model
from tower_sim.documents import answers, read
from tower_sim.errors import UsageError
from tower_sim.models import MODELS
from tower_sim.requests import Odds, Play, Request, Throw
from tower_sim.requests.request import answer
from tower_sim.service import limits
from tower_sim.service.codes import CODES
from tower_sim.tools import registry

pytestmark = pytest.mark.posix
LIGHT: dict[str, Any] = {"cubes": {"blue": 4}, "model": "surrogate", "seed": "7"}
BATTLE: dict[str, Any] = {"game": "dead_reckoning", "rules": {"cubes": {"purple": 4, "green": 3}}, "model": "surrogate"}
LONG: dict[str, Any] = {"game": "amerigo", "model": "surrogate", "games": 1000}  # half a minute
TOKEN = "a-token-that-is-long-enough"


# What it answers


@each_case(
    ("path", "body"),
    [("drops", {"knock": 1}), ("games", BATTLE), ("odds", {"throws": [{"red": 2}], "model": "surrogate"})],
)
def test_a_seed_that_is_left_out_is_drawn_and_told_and_repeats_the_answer(client: Client, path: str, body: Any):
    first, other = (client.post(f"/v1/{path}", body) for _ in range(2))
    assert first.document["seed"] != other.document["seed"]  # equal once in 2^128
    assert client.post(f"/v1/{path}", body | {"seed": first.document["seed"]}).body == first.body


def test_lists_say_what_there_is(client: Client):
    games = client.get("/v1/games").document["games"]
    assert [game["name"] for game in games] == list(registry.names("game"))
    assert all(game["usual"] for game in games)
    assert any("properties" in (game["rules"] or {}) for game in games)
    assert {"amerigo", "dead_reckoning"} <= {one["name"] for one in client.get("/v1/apparatus").document["apparatus"]}
    models = client.get("/v1/models").document
    assert [one["name"] for one in models["models"]] == list(MODELS)
    assert "standard" in models["engines"]["core"]


@each_case(
    "path",
    ["/", "/offline.js", "/docs", "/healthz", "/readyz", "/openapi.json", "/v1/apparatus", "/v1/games", "/v1/models"],
)
def test_what_is_got_has_a_head_and_takes_no_query(client: Client, path: str):
    got, head, asked = client.get(path), client.ask("HEAD", path), client.get(f"{path}?after=1")
    got.headers.pop("date")
    head.headers.pop("date")
    assert (head.status, head.body, head.headers) == (got.status, b"", got.headers)
    assert got.status == 200
    assert (asked.status, asked.code, asked.document["path"]) == (422, "field.unknown", "after")
    health = {"/healthz": "ok", "/readyz": "ready"}
    assert path not in health or got.document == {"status": health[path]}


# What it refuses

ONE, PLAY = {"cubes": {"blue": 1}}, {"game": "amerigo"}
SECRET = "files are not opened over HTTP"
BAD = [
    ("/v1/drops", ONE | {"do": "drop"}, "field.unknown", "do", "allowed are"),
    ("/v1/drops", ONE | {"model": "fitted.json"}, "field.invalid", "model", SECRET),
    ("/v1/drops", ONE | {"apparatus": "/etc/passwd"}, "field.invalid", "apparatus", SECRET),
    ("/v1/games", {"game": "mine.py"}, "field.invalid", "game", SECRET),
    ("/v1/games", PLAY | {"rules": {"apparatus": "/tmp/x"}}, "field.invalid", "rules.apparatus", SECRET),
    ("/v1/games", PLAY | {"rules": {"game": "./x.py"}}, "field.invalid", "rules.game", SECRET),
    (
        "/v1/games",
        BATTLE | {"games": 1001, "seed": 7},
        "field.too_large",
        "games",
        "allowed is up to 1000 in one request; "
        "ask for less, or run: tower-sim play dead_reckoning --set 'cubes={ purple = 4, green = 3 }' --games 1001",
    ),
    ("/v1/games", {"game": "amerigo", "games": 51}, "field.too_large", "games", "allowed is up to 50 in one request"),
]


@each_case(("path", "body", "code", "where", "says"), BAD)  # more: test_requests.py
def test_a_bad_field_is_named_in_one_line(client: Client, path: str, body: Any, code: str, where: str, says: str):
    got = client.post(path, body)
    assert (got.status, got.code, got.document["path"]) == (422, code, where), got.document
    assert says in got.document["detail"]
    assert "\n" not in got.document["detail"]
    assert len(got.document["detail"]) < 700


@each_case("raw", [b"", b"{", b"[]", b"null", b'{"a": NaN}', b'{"a": 1, "a": 2}', b"\xff", b"[" * 100, b'{"a": 1e999}'])
def test_what_is_no_json_object_is_said_so(client: Client, raw: bytes):
    got = client.ask("POST", "/v1/drops", raw=raw)
    assert (got.status, got.code) == (422, "json.invalid")


@each_case(
    "request_of_too_much",
    [
        Play.of(
            game="amerigo", rules={"rounds": 2, "knocks": {"3": 0.5}, "apparatus": "amerigo-club"}, games=2, seed=7
        ),
        Play.of(**BATTLE | {"rules": {"cubes": {"purple": 2, "green": 3}, "rulings": {"left_board": "lost"}}}, seed=7),
        Throw.of(cubes={"blue": 2, "red": 1}, knock=0.5, seed=7),
        Odds.of(throws=[{"blue": 2}, {"red": 1}], times=8, model="two_thirds", seed=7),
    ],
)
def test_the_command_that_a_refusal_names_gives_the_answer(request_of_too_much: Any):
    words = shlex.split(limits.command(request_of_too_much))
    with open_model(tower := load(request_of_too_much.tower), request_of_too_much.model) as model:
        document = answer(request_of_too_much, tower, model)
    assert words[0] == "tower-sim"
    assert json.loads(here(*words[1:], "--json").stdout) == document


def test_a_body_is_sent_as_it_is(client: Client):
    packed = gzip.compress(json.dumps(LIGHT).encode())
    refused = client.ask("POST", "/v1/drops", raw=packed, content_encoding="gzip")
    assert (refused.status, refused.code, refused.headers["accept-encoding"]) == (415, "media_type", "identity")
    assert client.post("/v1/drops", LIGHT, content_encoding="identity").status == 200


def test_a_body_must_be_said_to_be_json_so_that_no_web_page_can_send_one_unasked(client: Client):
    for media in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        got = client.ask("POST", "/v1/drops", raw=json.dumps(LIGHT).encode(), content_type=media)
        assert got.code == "media_type"
    assert client.post("/v1/drops", LIGHT, content_type="Application/JSON ; charset=utf-8").status == 200
    assert "access-control-allow-origin" not in client.get("/healthz", origin="http://evil.example").headers


def test_paths_and_methods_that_are_not_there_get_problems(client: Client):
    for path in ("/v1/drops/no-such-drop", "/v1/nothing", "/v1/towers", "/metrics"):
        assert client.get(path).code == "not_found"
    wrong = client.ask("DELETE", "/v1/games")
    assert (wrong.status, wrong.code, wrong.headers["allow"]) == (405, "method", "GET, HEAD, POST")


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
        st.sampled_from([Throw, Play, Odds]),
        st.dictionaries(NAMES, VALUES, max_size=5),
        st.booleans(),
    )
    def ask(kind: type[Request], body: dict[str, Any], is_whole: bool) -> None:
        whole = {Play: {"game": "amerigo"}, Throw: ONE}.get(kind, {}) if is_whole else {}
        try:
            request: Any = read(kind, whole | body)
            limits.check(request, shared=True)
        except UsageError as error:
            lines.append(str(error))

    ask()
    is_watched[0] = False
    assert not [line for line in lines if "\n" in line]
    assert not [name for name in opened if "secret" in name or name.startswith("/dev/") or name == "amerigo.toml"]


# Limits


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    token = tmp_path_factory.mktemp("strict") / "token"
    token.write_text(TOKEN + "\n")
    limits = ["--max-body", "2000", "--workers", "1", "--queue", "1", "--cors", "https://table.example"]
    with running("--token-file", str(token), *limits) as service:
        yield service


def test_the_token_is_asked_for_where_there_is_something_to_learn(strict: Running):
    nobody, other, friend = strict.client(), strict.client("another-token-of-this-length"), strict.client(TOKEN)
    for path in ("/v1/drops/x", "/v1/nothing", "/v1/games"):
        got = nobody.get(path)
        assert (got.code, got.status, got.headers["www-authenticate"]) == ("token.missing", 401, "Bearer")
        assert other.get(path).code == "token.wrong"
        assert friend.get(path).status in (200, 404)
    for path in ("/", "/docs", "/healthz", "/openapi.json"):
        assert nobody.get(path).status == 200
    for written in (f"bearer {TOKEN}", f"BEARER   {TOKEN} ", f"Bearer {TOKEN}\t"):
        assert nobody.get("/v1/games", authorization=written).status == 200
    for written in (TOKEN, f"Basic {TOKEN}", "Bearer", f"Bearer {TOKEN}x"):
        assert nobody.get("/v1/games", authorization=written).code == "token.wrong"
    assert TOKEN not in "".join(strict.said)


def test_too_long_a_body_is_refused_and_only_named_pages_may_ask(strict: Running):
    assert strict.client(TOKEN).post("/v1/drops", LIGHT | {"state": "x" * 3000}).code == "body.too_large"
    assert strict.client(TOKEN).post("/v1/drops", LIGHT).status == 200
    named = strict.client().get("/healthz", origin="https://table.example").headers
    assert named["access-control-allow-origin"] == "https://table.example"
    assert "access-control-allow-origin" not in strict.client().get("/healthz", origin="https://x.example").headers


def test_long_work_blocks_no_health_and_what_waits_too_long_is_refused_and_the_end_is_soon(tmp_path: Path):
    """Runs of many games leave one of two threads free; at the end of the service its work ends, too."""
    with running("--workers", "2", "--queue", "1") as service:
        asked = [threading.Thread(target=lambda: service.client().post("/v1/games", LONG)) for _ in range(3)]
        for thread in asked:
            thread.start()
        client = service.client()
        until(lambda: client.get("/readyz").status == 503)
        full = client.post("/v1/games", BATTLE)
        assert (full.status, full.code, full.headers["retry-after"]) == (503, "busy", "5")
        waited: list[float] = []
        for _ in range(20):
            began = time.perf_counter()
            assert client.get("/healthz").status == 200
            waited.append(time.perf_counter() - began)
        assert sorted(waited)[10] < 0.1
        began = time.perf_counter()
        assert service.stop() == 0
        assert time.perf_counter() - began < 25
        for thread in asked:
            thread.join()


# Options


@each_case(
    ("options", "says"),
    [
        (["--port", "8484"], "add --http"),
        (["--http", "--db", "towers.db"], "unknown option '--db'"),
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
    tried = [("POST /v1/drops", 200), ("POST /v1/games", 200), ("GET /v1/models", 200)]
    with browsing(offline=False) as watched:
        page = watched.page
        page.goto(f"{address}/docs")
        for summary, status in tried:
            details = page.locator("details", has=page.locator("summary", has_text=summary))
            details.locator("summary").click()
            details.get_by_role("button").click()
            details.locator("pre", has_text=re.compile(rf"^{status}\b")).wait_for(timeout=10_000)
        assert page.locator("details").count() > 7
        assert watched.wrong == []
        assert {url.startswith(address) for url in watched.requests} == {True}
        page.evaluate("fetch('https://example.com').catch(() => {})")
        assert any("Content Security Policy" in line for line in watched.wrong)


def test_the_description_is_fastapis_and_every_operation_has_an_example_that_is_answered(client: Client):
    document = client.get("/openapi.json").document
    assert document["openapi"].startswith("3.1")
    assert set(document["x-problems"]) == set(CODES)
    schemas = document["components"]["schemas"]
    for path, ways in document["paths"].items():
        for way, operation in ways.items():
            assert operation["operationId"]
            assert operation["summary"]
            assert "HTTPValidationError" not in json.dumps(operation)
            bodies: list[Any] = [None]
            if way == "post":
                reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
                bodies = schemas[reference.rpartition("/")[2]]["examples"]
            assert bodies
            for body in bodies:
                assert client.ask(way.upper(), path, body).status == 200, (path, body)
            assert "200" in operation["responses"]


def test_no_field_of_a_request_has_a_default_or_lacks_a_description(client: Client):
    """Makers of clients take a field with a default for one that must be sent."""
    document = client.get("/openapi.json").document
    bodies = {json.dumps(of["post"]["requestBody"]) for of in document["paths"].values() if "post" in of}
    names = [name for name in document["components"]["schemas"] if any(f'schemas/{name}"' in body for body in bodies)]
    assert {"Throw", "Play", "Odds"} == {*names}
    for name in names:
        for field in document["components"]["schemas"][name]["properties"].values():
            assert "default" not in field
            assert field["description"]


@each_case(
    ("path", "body", "kind"),
    [
        ("apparatus", None, answers.Profiles),
        ("games", None, answers.Games),
        ("models", None, answers.Models),
        ("drops", LIGHT, answers.ThrowAnswer),
        ("odds", {"throws": [{"blue": 4}], "times": 9, "model": "surrogate"}, answers.ChancesAnswer),
        ("drops", {"cubes": {"blue": -1}}, answers.ProblemAnswer),
    ],
)
def test_an_answer_is_of_its_type(client: Client, path: str, body: Any, kind: Any):
    got = client.ask("POST" if body else "GET", f"/v1/{path}", body)
    TypeAdapter(kind).validate_python(got.document, strict=True)


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
