"""The service on the network: what it answers, what it refuses, and that it opens nothing of its callers'."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.cases import each_case
from support.command_line import tower_sim
from support.network import Client, Running, new_key, running

from tower_sim.errors import UsageError
from tower_sim.service.codes import CODES
from tower_sim.service.http import drawing, keys
from tower_sim.service.http.openapi import document
from tower_sim.service.http.problems import STATUS
from tower_sim.service.http.towers import MAX_DROPS

pytestmark = pytest.mark.posix
LIGHT: dict[str, Any] = {"cubes": {"blue": 4}, "model": "surrogate", "seed": "7"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("http") / "towers.db", "--rate", "0", "--workers", "1") as service:
        yield service


@pytest.fixture
def client(service: Running) -> Iterator[Client]:
    client = service.client()
    yield client
    client.close()


def a_tower(client: Client, **fields: Any) -> str:
    made = client.post("/v1/towers", {"model": "surrogate"} | fields, key=new_key())
    assert made.status == 201, made
    assert made.headers["location"] == f"/v1/towers/{made.document['id']}"
    return made.document["id"]


# What it answers


@pytest.mark.whole
@each_case(
    ("path", "body", "command"),
    [
        ("drops", LIGHT, "drop amerigo --cubes blue=4 --model surrogate"),
        ("drops", {"cubes": {"blue": 4}, "seed": 7}, "drop amerigo --cubes blue=4"),
        ("games", {"model": "surrogate", "rounds": 1, "seed": "7"}, "play amerigo --rounds 1 --model surrogate"),
        ("games", {"game": "seafarers", "model": "surrogate", "seed": "7"}, "play seafarers --model surrogate"),
        (
            "battles",
            {"cubes": {"purple": 4, "green": 3}, "model": "surrogate", "seed": "7"},
            "battle --cubes purple=4,green=3 --model surrogate",
        ),
        (
            "battles",
            {"cubes": {"purple": 4, "green": 3}, "model": "surrogate", "seed": "7", "games": 5},
            "battle --cubes purple=4,green=3 --model surrogate --games 5",
        ),
    ],
)
def test_an_answer_is_what_the_command_prints_and_is_got_again(
    client: Client, path: str, body: dict[str, Any], command: str
):
    got = client.post(f"/v1/{path}", body)
    assert got.status == 201, got
    assert client.get(got.headers["location"]).body == got.body
    said = got.document
    assert got.headers["location"] == f"/v1/{path}/{said.pop('id')}"
    assert json.dumps(said) + "\n" == tower_sim(*command.split(), "--seed", "7", "--json").stdout


def test_a_tower_goes_on_as_the_command_does_with_the_state(client: Client):
    tower = a_tower(client)
    state: list[str] = []
    got: dict[str, Any] = {}
    for number, seed in enumerate(("3", "5", "8")):
        got = client.post(f"/v1/towers/{tower}/drops", {"cubes": {"red": 5}, "seed": seed}, key=new_key()).document
        assert (got.pop("tower"), got.pop("number")) == (tower, number)
        assert client.get(f"/v1/drops/{got['id']}").document["number"] == number
        del got["id"]
        words = ["drop", "amerigo", "--cubes", "red=5", "--model", "surrogate", "--seed", seed, "--json", *state]
        assert json.dumps(got) + "\n" == tower_sim(*words).stdout
        state = ["--state", got["state"]]
    stands = client.get(f"/v1/towers/{tower}").document
    assert (stands["drops"], stands["state"], stands["inside"]) == (3, state[1], {"red": got["inside"]["red"]})


def test_a_fork_goes_on_by_itself_from_where_it_was_made(client: Client):
    tower = a_tower(client)
    drops = f"/v1/towers/{tower}/drops"
    for seed in ("1", "2"):
        client.post(drops, {"cubes": {"red": 9}, "seed": seed}, key=new_key())
    earlier = client.post(f"/v1/towers/{tower}/forks", {"after": 0}, key=new_key()).document
    now = client.post(f"/v1/towers/{tower}/forks", {}, key=new_key()).document
    assert now["state"] == client.get(f"/v1/towers/{tower}").document["state"] != earlier["state"]
    again = client.post(f"/v1/towers/{earlier['id']}/drops", {"cubes": {"red": 9}, "seed": "2"}, key=new_key()).document
    assert again["state"] == now["state"]
    assert again["number"] == 0
    assert client.get(drops).document["of"] == 2
    assert client.post(f"/v1/towers/{tower}/forks", {"after": 2}, key=new_key()).document["path"] == "after"


def test_a_history_is_told_in_pages(client: Client):
    tower = a_tower(client)
    for _ in range(5):
        client.post(f"/v1/towers/{tower}/drops", {"cubes": {"red": 1}}, key=new_key())
    page = client.get(f"/v1/towers/{tower}/drops?from=2&limit=2").document
    assert [drop["number"] for drop in page["drops"]] == [2, 3]
    assert page["of"] == 5
    for query in ("from=-1", "limit=0", f"limit={MAX_DROPS + 1}", "from=x", "from=1e3", "limit=٣"):
        bad = client.get(f"/v1/towers/{tower}/drops?{query.encode('unicode_escape').decode()}")
        assert bad.code == "query.invalid"


def test_a_deleted_tower_is_gone_and_its_drops_are_still_there(client: Client):
    tower = a_tower(client)
    drop = client.post(f"/v1/towers/{tower}/drops", {"cubes": {"red": 1}}, key=new_key())
    assert client.ask("DELETE", f"/v1/towers/{tower}").status == 204
    assert client.get(f"/v1/towers/{tower}").code == "not_found"
    assert client.get(f"/v1/towers/{tower}/drops").code == "not_found"
    assert client.post(f"/v1/towers/{tower}/drops", {"cubes": {"red": 1}}, key=new_key()).code == "not_found"
    assert client.ask("DELETE", f"/v1/towers/{tower}").code == "not_found"
    assert client.get(drop.headers["location"]).body == drop.body


def test_the_key_that_made_a_tower_says_that_it_is_gone(client: Client):
    key = new_key()
    made = client.post("/v1/towers", {}, key=key)
    assert client.post("/v1/towers", {}, key=key).body == made.body
    client.ask("DELETE", made.headers["location"])
    assert client.post("/v1/towers", {}, key=key).code == "not_found"


def test_a_tower_of_physics_settles_in_a_worker(client: Client):
    tower = a_tower(client, model="physics", accuracy="standard")
    got = client.post(f"/v1/towers/{tower}/drops", {"cubes": {"red": 3}, "knock": 0.5, "seed": "1"}, key=new_key())
    assert got.status == 201, got
    assert got.document["model"] == "physics"


# Keys


def test_a_key_is_needed_where_something_is_kept_and_must_be_hard_to_guess(client: Client):
    tower = a_tower(client)
    for path in ("/v1/towers", f"/v1/towers/{tower}/drops", f"/v1/towers/{tower}/forks"):
        assert client.post(path, {}).code == "key.missing"
        assert client.post(path, {}, key="a" * (keys.LEAST - 1)).code == "key.invalid"
        assert client.post(path, {}, key="a" * (keys.MOST + 1)).code == "key.invalid"
        assert client.post(path, {}, key='"with a space in it"').code == "key.invalid"
        assert client.post(path, {}, key='with-a-"-quote-in-it').code == "key.invalid"
    assert client.post("/v1/drops", LIGHT).status == 201


def test_the_same_key_is_answered_the_same_once_and_another_body_refused(client: Client):
    tower, key = a_tower(client), new_key()
    path = f"/v1/towers/{tower}/drops"
    first = client.post(path, {"cubes": {"red": 6}}, key=key)
    again = client.post(path, {"cubes": {"red": 6}}, key=key.strip('"'))
    assert (again.status, again.body) == (201, first.body)
    assert again.headers["idempotency-replayed"] == "true"
    assert client.get(path).document["of"] == 1
    assert client.post(path, {"cubes": {"red": 7}}, key=key).code == "key.reused"
    assert client.get(path).document["of"] == 1
    other = a_tower(client)  # a key is one tower's: another's answer is never given
    assert client.post(f"/v1/towers/{other}/drops", {"cubes": {"red": 6}}, key=key).document["tower"] == other


def test_a_request_that_was_refused_leaves_its_key_unused(client: Client):
    tower, key = a_tower(client), new_key()
    assert client.post(f"/v1/towers/{tower}/drops", {"cubes": {"red": -1}}, key=key).code == "field.invalid"
    assert client.post(f"/v1/towers/{tower}/drops", {"cubes": {"red": 1}}, key=key).status == 201


# What it refuses


@each_case(
    ("body", "code", "path"),
    [
        ({"cubes": {"blue": -1}}, "field.invalid", "cubes.blue"),
        ({"cubes": {"blue": 1.5}}, "field.invalid", "cubes.blue"),
        ({"cubes": {"blue": 81}}, "field.too_large", "cubes"),
        ({"cubes": {"blue": 501}, "model": "surrogate"}, "field.invalid", "cubes"),
        ({"cubes": {"b" * 41: 1}}, "field.invalid", "cubes"),
        ({"cubes": {}}, "field.invalid", "cubes"),
        ({"cubes": {"blue": 1}, "sed": 1}, "field.unknown", "sed"),
        ({"cubes": {"blue": 1}, "seed": -1}, "field.invalid", "seed"),
        ({"cubes": {"blue": 1}, "model": "fitted.json"}, "field.invalid", "model"),
        ({"cubes": {"blue": 1}, "apparatus": "/etc/passwd"}, "field.invalid", "apparatus"),
        ({"cubes": {"blue": 1}, "engine": "jelly"}, "field.invalid", "engine"),
        ({"cubes": {"blue": 1}, "state": "x"}, "field.invalid", "state"),
        ({"cubes": {"blue": 1}, "knock": "hard"}, "field.invalid", "knock"),
        ({"cubes": {"blue": 1}, "do": "drop"}, "field.unknown", "do"),
        ({"cubes": {"blue": 1}, "id": 1}, "field.unknown", "id"),
    ],
)
def test_a_bad_field_is_named(client: Client, body: Any, code: str, path: str):
    got = client.post("/v1/drops", body)
    assert (got.code, got.document["path"]) == (code, path)
    assert got.status == STATUS[code][0]


@each_case(
    ("field", "value"),
    [("game", "mine.toml"), ("rules", "./mine.toml"), ("rules", {"apparatus": "/tmp/x"}), ("model", "fitted.json")],
)
def test_that_no_file_is_opened_over_http_is_said_to_who_asks_for_one(field: str, value: Any):
    with pytest.raises(UsageError, match="files are not opened over HTTP: install the package"):
        drawing.narrowed(drawing.GAME, {field: value}, drawing.known_fields(drawing.GAME))
    with pytest.raises(UsageError, match=r"check its spelling|send an object with their keys"):
        drawing.narrowed(drawing.GAME, {field: "amerigp"}, drawing.known_fields(drawing.GAME))


@each_case("raw", [b"", b"{", b"[]", b"null", b'{"a": NaN}', b'{"a": 1, "a": 2}', b"\xff", b"[" * 100])
def test_what_is_no_json_object_is_said_so(client: Client, raw: bytes):
    assert client.ask("POST", "/v1/drops", raw=raw).code == "json.invalid"


def test_a_body_must_be_said_to_be_json_so_that_no_web_page_can_send_one_unasked(client: Client):
    for media in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        got = client.ask("POST", "/v1/drops", raw=json.dumps(LIGHT).encode(), content_type=media)
        assert got.code == "media_type"
    assert client.post("/v1/drops", LIGHT, content_type="application/json; charset=utf-8").status == 201
    assert "access-control-allow-origin" not in client.get("/healthz", origin="http://evil.example").headers


def test_paths_and_methods_that_are_not_there_get_problems(client: Client):
    assert client.get("/v1/drops/no-such-drop").code == "not_found"
    assert client.get("/v1/nothing").code == "not_found"
    wrong = client.ask("DELETE", "/v1/drops")
    assert (wrong.code, wrong.headers["allow"]) == ("method", "POST")


def test_the_codes_of_both_services_are_the_same():
    assert set(CODES) <= set(STATUS)
    assert all(STATUS[code][1] == title for code, title in CODES.items())


# No file of a caller's


NAMES = st.sampled_from(
    ["apparatus", "model", "game", "rules", "state", "engine", "accuracy", "rulings", "cubes", "kind"]
)
HERE = st.sampled_from(
    ["secret.toml", "./secret.toml", "secret.json", "../secret.toml", "/dev/stdin", "amerigo.toml", ""]
)
VALUES = st.recursive(
    HERE | st.none() | st.integers(-3, 9) | st.text(max_size=5),
    lambda inner: st.dictionaries(NAMES | HERE | st.text(max_size=4), inner, max_size=4) | st.lists(inner, max_size=3),
    max_leaves=8,
)


def test_no_name_in_a_request_is_opened_as_a_file():
    """Every open of this process is watched: none has a name that only the request could have given."""
    import sys

    opened: list[str] = []
    is_watched = [False]

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if is_watched[0] and event == "open":
            opened.append(str(arguments[0]))

    sys.addaudithook(watch)
    with open(__file__):
        pass
    is_watched[0] = True
    with open(__file__):
        pass
    is_watched[0] = False
    assert any(name.endswith(Path(__file__).name) for name in opened)  # the watch sees what it should
    opened.clear()

    @settings(
        max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
    )
    @given(
        st.sampled_from([drawing.DROP, drawing.GAME, drawing.BATTLE]),
        st.dictionaries(NAMES, VALUES, max_size=5),
        st.booleans(),
    )
    def ask(do: str, body: dict[str, Any], is_whole: bool) -> None:
        whole = ({"cubes": {"purple": 2, "green": 2}} if do == drawing.BATTLE else {}) if is_whole else {}
        is_watched[0] = True
        try:
            asked = drawing.narrowed(do, whole | body, drawing.known_fields(do))
            drawing.read(do, asked)
        except ValueError:
            pass
        finally:
            is_watched[0] = False

    ask()
    assert not [name for name in opened if "secret" in name or name.startswith("/dev/") or name == "amerigo.toml"]


# What it says of itself


def test_the_description_names_every_route_field_and_code(client: Client):
    told = client.get("/openapi.json").document
    assert told == json.loads(json.dumps(document()))
    assert told["openapi"] == "3.1.0"
    asked = told["components"]["schemas"]
    for name, do in (("DropAsked", drawing.DROP), ("GameAsked", drawing.GAME), ("BattleAsked", drawing.BATTLE)):
        assert set(asked[name]["properties"]) == set(drawing.known_fields(do))
    assert set(told["x-problems"]) == set(STATUS)
    (digits,) = re.findall(r'"pattern": "([^"]+)"', json.dumps(asked["DropAsked"]["properties"]["seed"]))
    assert re.fullmatch(digits, str(2**128 - 1))
    names = re.findall(r'"operationId": "(\w+)"', json.dumps(told["paths"]))
    assert len({*names}) == len(names) == json.dumps(told["paths"]).count('"summary"')
    for path, operations in told["paths"].items():
        for method, operation in operations.items():
            if method == "post":
                example = operation["requestBody"]["content"]["application/json"]["example"]
                if "{id}" not in path:
                    assert client.post(path, example, key=new_key()).status == 201


def test_it_is_healthy_and_counts(client: Client):
    assert client.get("/healthz").document == {"status": "ok"}
    identifier = client.post("/v1/drops", LIGHT).document["id"]
    client.get(f"/v1/drops/{identifier}")
    text = client.get("/metrics").body.decode()
    assert 'tower_sim_requests_total{method="GET",route="/v1/drops/{id}",status="200"}' in text
    assert identifier not in text
