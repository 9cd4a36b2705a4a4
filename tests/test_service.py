"""`tower-sim serve`: one JSON line out for each line in, in order, whatever the lines are; the clients; the docs."""

import io
import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.cases import each_case
from support.command_line import here, tower_sim
from support.fakes import CoinTower
from support.node import NODE

from tower_sim import registry
from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.parts import Apparatus
from tower_sim.contract import DropModel
from tower_sim.physics.settings import ENGINE, PhysicsSettings
from tower_sim.service import Opened, serve
from tower_sim.service.answers import answer
from tower_sim.service.loop import MAX_LINE
from tower_sim.service.opened import KEPT
from tower_sim.service.parsing import MAX_DROPS, MAX_PHYSICS_GAMES, fields, read_request
from tower_sim.surrogate.two_thirds import TwoThirdsRule

ROOT = Path(__file__).parent.parent
FIELDS = fields()
DOC = (ROOT / "docs/service.md").read_text("utf-8")
RULE = {"do": "drop", "cubes": {"blue": 4}, "model": "two_thirds", "seed": 7}
COMMAND = (sys.executable, "-m", "tower_sim")
TOWER = load("amerigo")
APPARATUS = {name: registry.get("game", name).apparatus or "amerigo" for name in registry.names("game")}


def replies_to(text: str | bytes, opened: Opened | None = None) -> list[dict[str, Any]]:
    """Serve `text` in this process; every line that comes out is a JSON object."""
    out = io.BytesIO()
    with opened or Opened() as models:
        serve(io.BytesIO(text.encode() if isinstance(text, str) else text), out, models)
    assert not out.getvalue() or out.getvalue().endswith(b"\n")
    replies = [json.loads(line, parse_constant=pytest.fail) for line in out.getvalue().split(b"\n")[:-1]]
    assert all(list(reply)[:3] == ["id", "schema", "version"] for reply in replies)
    return replies


def ask(*requests: object, opened: Opened | None = None) -> list[dict[str, Any]]:
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


@pytest.mark.whole
def test_replies_are_byte_for_byte_what_the_command_prints_in_another_process(tmp_path: Path):
    """One process answers drops, a knock, a game and battles, between other requests; the command does each alone."""
    first = ["drop", "amerigo", "--cubes", "blue=20,red=10", "--seed", "1", "--json"]
    state = json.loads(tower_sim(*first).stdout)["state"]
    (tmp_path / "rules.toml").write_text('colours = ["red", "blue"]\nsubstitute = ""\ncubes = 3\n')
    rules = {"colours": ["red", "blue"], "substitute": "", "cubes": 3}
    knock = ["--state", state, "--knock", "3"]
    lost = ["--ability", "green=throw:2", "--active", "green"]
    (tmp_path / "rulings.toml").write_text('left_board = "lost"\n')
    lost += ["--rulings", str(tmp_path / "rulings.toml")]
    fight = {"do": "battle", "cubes": {"purple": 4, "green": 3}, "seed": "5"}
    chosen = {"abilities": {"green": ["throw:2"]}, "active": "green", "rulings": {"left_board": "lost"}}
    pairs: list[tuple[dict[str, Any], list[str]]] = [
        ({"do": "drop", "cubes": {"blue": 20, "red": 10}, "seed": "1"}, first),
        (
            {"do": "drop", "cubes": {"green": 4}, "state": state, "knock": 3, "seed": 2},
            ["drop", "amerigo", "--cubes", "green=4", *knock, "--seed", "2", "--json"],
        ),
        (
            {"do": "game", "rules": rules, "rounds": 1, "seed": "3"},
            ["play", "amerigo", "--rules", str(tmp_path / "rules.toml"), "--rounds", "1", "--seed", "3", "--json"],
        ),
        (fight | chosen, ["battle", "--cubes", "purple=4,green=3", *lost, "--seed", "5", "--json"]),
        (
            {"do": "game", "model": "surrogate", "rounds": 1, "seed": "4"},
            ["play", "amerigo", "--model", "surrogate", "--rounds", "1", "--seed", "4", "--json"],
        ),
        (
            fight | {"model": "surrogate"},
            ["battle", "--cubes", "purple=4,green=3", "--model", "surrogate", "--seed", "5", "--json"],
        ),
        (
            fight | {"sides": {"green": {"supply": 4, "damage": 4, "pirate": True}}, "provoked": True},
            [
                *("battle", "--cubes", "purple=4,green=3", "--seed", "5", "--json"),
                *("--side", "green=supply:4,damage:4,pirate", "--provoked"),
            ],
        ),
        (fight | {"games": 2}, ["battle", "--cubes", "purple=4,green=3", "--games", "2", "--seed", "5", "--json"]),
    ]
    requests = [{"id": i} | request for i, (request, _) in enumerate(pairs)]
    lines = "".join(json.dumps(each) + "\n" for request in requests for each in (RULE, request))
    done = subprocess.run([*COMMAND, "serve"], input=lines, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(replies) == 2 * len(pairs)
    for i, (_, arguments) in enumerate(pairs):
        reply = replies[2 * i + 1]
        assert reply.pop("id") == i
        assert json.dumps(reply) + "\n" == here(*arguments).stdout


PLAYED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("game", {"rules": {"cubes": 3, "rounds": 1}}, {"game": "amerigo", "rules": {"cubes": 3, "rounds": 1}}),
    ("game", {}, {"game": "amerigo"}),
    (
        "battle",
        {"cubes": {"purple": 4, "green": 3}, "kind": "merchant"} | {"cubes": {"purple": 4, "black": 3}},
        {"game": "dead_reckoning", "rules": {"cubes": {"purple": 4, "black": 3}, "combat": "merchant"}},
    ),
    (
        "battle",
        {"cubes": {"purple": 4, "green": 3}, "games": 3},
        {"game": "dead_reckoning", "rules": {"battle": {"cubes": {"purple": 4, "green": 3}}}, "games": 3},
    ),
]


@each_case(("do", "own", "general"), PLAYED)
def test_a_games_own_request_and_the_general_one_give_the_same_document(
    do: str, own: dict[str, Any], general: dict[str, Any]
):
    seeded = {"model": "surrogate", "seed": 11}
    of_own, of_general = ask({"do": do} | own | seeded, {"do": "play"} | general | seeded)
    assert "error" not in of_own
    assert of_own == of_general


@each_case("game", registry.names("game"))
def test_every_registered_game_is_played_by_the_service_as_by_the_command(game: str):
    model = "two_thirds" if APPARATUS[game] == "wallenstein" else "surrogate"  # which nobody has fitted to that tower
    (reply,) = ask({"do": "play", "game": game, "apparatus": APPARATUS[game], "model": model, "seed": 3})
    assert reply.pop("id") is None
    asked = ("play", game, "--apparatus", APPARATUS[game], "--model", model, "--seed", "3", "--json")
    assert json.dumps(reply) + "\n" == here(*asked).stdout


def test_the_same_request_gives_the_same_reply_whatever_came_before():
    alone = ask(RULE)[0]
    other = RULE | {"seed": 8, "cubes": {"red": 30}}
    assert ask(other, RULE, {"do": "nothing"}, RULE)[1::2] == [alone, alone]


def test_a_seed_that_is_left_out_is_drawn_and_told_and_gives_the_reply_again():
    without = {key: value for key, value in RULE.items() if key != "seed"}
    first, second = ask(without, without)
    assert first["seed"] != second["seed"]  # equal once in 2^128
    assert ask(RULE | {"seed": first["seed"]}) == [first]


def test_a_seed_is_the_same_as_text_and_as_a_number():
    assert ask(RULE)[0] == ask(RULE | {"seed": "7"})[0] == ask(RULE | {"seed": "007"})[0]


def test_a_field_that_is_null_counts_as_left_out():
    nulls = dict.fromkeys(FIELDS["drop"])
    assert ask(nulls | RULE) == ask(RULE)


@each_case("name", [None, 0, -1.5, "a\n\u2028b", [1, {"a": []}], {"x": None}, True])
def test_the_id_is_sent_back_as_it_came(name: object):
    for request in (RULE, {"do": "fly"}):
        assert ask(request | {"id": name})[0]["id"] == name


def test_hello_tells_what_there_is():
    (reply,) = ask({"do": "hello"})
    assert set(reply["do"]) == set(FIELDS)
    assert {"physics", "surrogate"} <= set(reply["models"])
    assert {"amerigo", "dead_reckoning"} <= set(reply["apparatus"])
    assert reply["games"] == list(registry.names("game"))
    assert list(reply["engines"]) == list(registry.names("engine"))
    assert all("standard" in accuracies for accuracies in reply["engines"].values())
    drop, game = ask(RULE, {"do": "game", "rounds": 0, "model": "two_thirds"})
    for name, document in (("drop", drop), ("game", game)):
        assert reply["documents"][name] == {key: document[key] for key in ("schema", "version")}


# What it refuses


@each_case(
    ("line", "says"),
    [
        ("nonsense", "allowed is a JSON object"),
        ("[1, 2]", "line is [1, 2]; allowed is a JSON object"),
        ('{"do": "drop"', "allowed is a JSON object"),
        ('{"id": NaN, "do": "hello"}', "NaN"),
        ('{"id": 1e999, "do": "hello"}', "too large"),
        ('{"id": %s, "do": "hello"}' % ("9" * 4000), "about 4000 digits"),
        ('{"do": "drop", "cubes": {"blue": 1, "blue": 2}}', "twice"),
        ('{"do": "drop", "cubes": {"blue": 1}, "state": "\\ud800"}', "surrogates not allowed"),
        ("[" * 100_000, "while decoding a JSON array"),  # how deep it may go each Python says in its own words
        ("{}", "do is nothing; allowed is one of hello, drop, game, battle, play"),
        ('{"do": ["drop"]}', "do is ['drop']"),
        ('{"do": "drop", "cube": {"blue": 1}}', "drop.cube is unknown; allowed are id, do, apparatus, cubes"),
        ('{"do": "hello", "seed": 1}', "hello.seed is unknown"),
        ('{"do": "dorp"}', "did you mean drop?"),
        ('{"do": "drop", "cube": {"blue": 1}}', "did you mean cubes?"),
        ('{"do": "play"}', "game is nothing; allowed is one of amerigo, "),
        ('{"do": "play", "game": "amerigoo"}', "did you mean amerigo?"),
        ('{"do": "play", "game": ["amerigo"]}', "game is ['amerigo']"),
        ('{"do": "play", "game": "amerigo", "rounds": 1}', "play.rounds is unknown"),
        ('{"do": "play", "game": "amerigo", "rules": {"knocks": {"99": 1}}}', "number of a knock is '99'"),
        ('{"do": "play", "game": "amerigo", "rules": {"round": 1}}', "rules.round is unknown"),
        ('{"do": "play", "game": "amerigo", "games": 3}', "games is 3; allowed is none with amerigo"),
        ('{"do": "play", "game": "dead_reckoning", "rules": {"combat": "duel"}}', "kind of combat is 'duel'"),
        ('{"do": "play", "game": "dead_reckoning", "games": 0}', "games is 0"),
        ('{"do": "play", "game": "chain", "model": "two_thirds"}', "and chain has none of its own; allowed"),
        ('{"do": "drop"}', "cubes is {}"),
        ('{"do": "drop", "cubes": "blue=4"}', "cubes is 'blue=4'; allowed is an object"),
        ('{"do": "drop", "cubes": {"blue": -1}}', "cubes of blue is -1"),
        ('{"do": "drop", "cubes": {"blue": true}}', "cubes of blue is true"),
        ('{"do": "drop", "cubes": {"blue": 1.0}}', "cubes of blue is 1.0"),
        ('{"do": "drop", "cubes": {"": 1}}', "1 to 40 characters"),
        ('{"do": "drop", "cubes": {"blue": 501}}', "number of cubes is 501; allowed is up to 500"),
        ('{"do": "drop", "cubes": {"blue": 1}, "seed": -1}', "seed is -1"),
        ('{"do": "drop", "cubes": {"blue": 1}, "seed": "1.5"}', "seed is '1.5'"),
        ('{"do": "drop", "cubes": {"blue": 1}, "seed": 7.0}', "seed is 7.0"),
        ('{"do": "drop", "cubes": {"blue": 1}, "seed": "340282366920938463463374607431768211456"}', "2^128 - 1"),
        ('{"do": "drop", "cubes": {"blue": 1}, "knock": "hard"}', "knock is 'hard'"),
        ('{"do": "drop", "cubes": {"blue": 1}, "knock": 99}', "allowed is 0 to 5"),
        ('{"do": "drop", "cubes": {"blue": 1}, "state": "TOWER3.x.y"}', "damaged"),
        ('{"do": "drop", "cubes": {"blue": 1}, "state": 5}', "state is 5"),
        ('{"do": "drop", "cubes": {"blue": 1}, "apparatus": "nowhere"}', "neither a shipped profile nor a file"),
        ('{"do": "drop", "cubes": {"blue": 1}, "apparatus": "%s"}' % ("x" * 5000), "path of a TOML file"),
        ('{"do": "drop", "cubes": {"blue": 1}, "model": "magic"}', "model is 'magic'"),
        ('{"do": "drop", "cubes": {"blue": 1}, "engine": "bulet"}', "engine is 'bulet'; allowed is one of bullet"),
        ('{"do": "drop", "cubes": {"blue": 1}, "engine": "bulet"}', "did you mean bullet?"),
        ('{"do": "drop", "cubes": {"blue": 1}, "engine": ["bullet"]}', "engine is ['bullet']; allowed is a text"),
        ('{"do": "game", "accuracy": "standart"}', "did you mean standard?"),
        ('{"do": "battle", "cubes": {"a": 1, "b": 1}, "accuracy": 7}', "accuracy is 7; allowed is a text"),
        (
            '{"do": "drop", "cubes": {"blue": 1}, "engine": "bullet", "model": "surrogate"}',
            "engine is 'bullet'; allowed is none with the model 'surrogate', which has no physics; leave it out",
        ),
        ('{"do": "game", "accuracy": "standard", "model": "two_thirds"}', "accuracy is 'standard'; allowed is none"),
        ('{"do": "hello", "engine": "bullet"}', "hello.engine is unknown"),
        ('{"do": "game", "rules": {"round": 1}}', "rules.round is unknown"),
        ('{"do": "game", "rules": {"cubes": 1000}}', "cubes is 1000; allowed is a whole number from 1 to 71"),
        ('{"do": "game", "rules": "nowhere"}', "rules file 'nowhere' cannot be read"),
        ('{"do": "game", "rules": 1}', "rules is 1"),
        ('{"do": "game", "rounds": -1}', "rounds is -1"),
        ('{"do": "game", "rounds": 1000}', f"number of drops is 7001; allowed is up to {MAX_DROPS}"),
        ('{"do": "battle"}', "number of sides is 0"),
        ('{"do": "battle", "cubes": {"a": 1, "b": 1}, "kind": "duel"}', "kind of combat is 'duel'"),
        ('{"do": "battle", "cubes": {"a": 1, "b": 1}, "active": "c"}', "active side is 'c'"),
        ('{"do": "battle", "cubes": {"a": 1, "b": 1}, "abilities": {"c": []}}', "abilities.c is unknown"),
        ('{"do": "battle", "cubes": {"a": 1, "b": 1}, "abilities": {"a": "move"}}', "a list of texts"),
        ('{"do": "battle", "cubes": {"a": 1, "b": 1}, "abilities": {"a": ["fly"]}}', "ability is 'fly'"),
        (
            '{"do": "battle", "cubes": {"a": 1, "b": 1}, "abilities": {"a": [true, null]}}',
            "abilities.a is [true, nothing]; allowed is a list of texts",
        ),
        ('{"do": "battle", "cubes": {"a": 1, "b": 1}, "rulings": {"stuck": "kicked"}}', "ruling stuck is 'kicked'"),
        ('{"do": "battle", "cubes": {"a": 1, "b": 1}, "sides": {"c": {}}}', "sides.c is unknown"),
        ('{"do": "battle", "cubes": {"a": 1, "b": 1}, "sides": {"a": 3}}', "side a is 3; allowed is a table"),
        ('{"do": "battle", "cubes": {"a": 1, "b": 1}, "sides": {"a": {"pirate": 1}}}', "pirate of a is 1"),
        ('{"do": "battle", "cubes": {"a": 1, "b": 1}, "provoked": 1}', "provoked is 1; allowed is true or false"),
        ('{"do": "battle", "cubes": {"a": 40, "b": 1}}', "cubes of a is 40; allowed is up to 29"),
        ('{"do": "battle", "cubes": {"a": 1, "b": 1}, "games": 0}', "games is 0"),
        ('{"do": "battle", "cubes": {"a": 1, "b": 1}, "games": 1000000}', f"up to {MAX_PHYSICS_GAMES}"),
        ('{"do": "battle", "cubes": {"a": 1, "b": 1}, "games": 1000000, "model": "surrogate"}', "up to 100000 in one"),
        (
            '{"do": "battle", "kind": "tie_break", "cubes": {"a": 29, "b": 29, "c": 29, "d": 29}}',
            "cubes is 116; allowed is",
        ),
        (
            '{"do": "drop", "cubes": {"blue": 101}}',
            "number of cubes, with those in the state is 101; allowed is up to 80",
        ),
        ('{"do": "game", "rules": {"cubes": 15}}', "number of cubes is 105; allowed is up to 80"),
        ('{"do": "game", "rounds": 80}', "number of cubes times drops is 27489; allowed is up to 20000"),
        (
            '{"do": "game", "rules": {"cubes": 70, "rounds": 200}, "model": "two_thirds"}',
            "number of cubes times drops is 686490; allowed is up to 400000",
        ),
        (
            '{"do": "battle", "cubes": {"a": 1, "b": 1}, "apparatus": "amerigo"}',
            "has no board",
        ),
        (
            '{"do": "battle", "cubes": {"a": 1, "b": 1}, "apparatus": "amerigo", "model": "two_thirds"}',
            "model is 'two_thirds'; allowed is one that knows a board",
        ),
    ],
)
def test_a_bad_line_gets_one_line_of_error_and_the_next_is_answered(
    line: str, says: str, capsys: pytest.CaptureFixture[str]
):
    error, good = replies_to(line + "\n" + json.dumps(RULE | {"id": "next"}))
    assert list(error) == ["id", "schema", "version", "error", "code", "path"]
    assert (error["schema"], error["version"]) == ("tower-sim/error", 1)
    assert says in error["error"]
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


def test_blank_lines_are_skipped_and_a_last_line_needs_no_end():
    line = json.dumps(RULE)
    assert replies_to("") == replies_to("\n \r\n\t\n") == []
    assert replies_to(f"\n{line}\r\n\n  {line}") == ask(RULE, RULE)


class _BrokenRule(TwoThirdsRule):
    """A model with a defect: it can throw one cube only."""

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
    first, second, third = ask(one, RULE | {"id": 5}, one, opened=Opened(opener))
    assert second["error"] == "internal error: RuntimeError: a defect, of ours"
    assert second["id"] == 5
    assert capsys.readouterr().err == "tower-sim: internal error: RuntimeError: a defect, of ours\n"
    assert first == third == ask(one)[0]
    assert len(opened) == 2


def test_cubes_that_never_land_get_an_error():
    coin = Opened(lambda apparatus, name, settings: nullcontext(CoinTower(failure_rate=1.0)))
    (reply,) = ask(RULE, opened=coin)
    assert "5 draws in a row were no landing" in reply["error"]
    assert "throw fewer cubes" in reply["error"]


WORDS = sorted({field for known in FIELDS.values() for field in known} | {"id", "do", "blue", "red", "colours"})
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats() | st.text(max_size=5) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS) | st.text(), inner, max_size=3),
    max_leaves=6,
)
REQUESTS = st.builds(
    lambda do, more: json.dumps({"do": do} | more),
    st.sampled_from(sorted(FIELDS)),
    st.dictionaries(st.sampled_from(WORDS), VALUES, max_size=4),
)
LINES = (st.text(max_size=40) | st.binary(max_size=40) | REQUESTS | VALUES.map(json.dumps)).map(
    lambda line: (line if isinstance(line, bytes) else line.encode(errors="surrogatepass")).replace(b"\n", b" ")
)


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(LINES, max_size=6))
def test_whatever_the_lines_are_each_that_is_not_blank_gets_one_object_in_order(lines: list[bytes]):
    """Between any two lines stands a good request, so that an answer lost or given twice would shift the others."""
    good = [json.dumps(RULE | {"id": ["mine", i]}).encode() for i in range(len(lines) + 1)]
    text = good[0] + b"\n"
    expected: list[object] = [["mine", 0]]
    for i, line in enumerate(lines, 1):
        text += line + b"\n" + good[i] + b"\n"
        expected += [*([None] if line.strip() else []), ["mine", i]]
    replies = replies_to(text, Opened(lambda apparatus, name, settings: TwoThirdsRule(TOWER)))
    assert len(replies) == len(expected)
    for reply, name in zip(replies, expected, strict=True):
        if name is not None:
            assert reply["id"] == name
            assert reply["schema"] == "tower-sim/outcome"
        assert not reply.get("error", "").startswith("internal")


# The models it keeps


class _Counting:
    """Opens two_thirds and remembers which are open."""

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
    with Opened(count) as opened:
        names = [f"m{i}" for i in range(KEPT)]
        models = [opened.model("amerigo", name) for name in names]
        assert [opened.model("amerigo", name) for name in names] == models
        assert count.opened == names
        opened.model("amerigo", "m0")
        opened.model("amerigo", "one more")
        assert count.closed == ["m1"]
        assert count.opened == [*names, "one more"]
    assert sorted(count.closed) == sorted(count.opened)


def test_a_model_is_opened_for_each_engine_and_accuracy_and_what_is_left_out_is_the_default():
    count = _Counting()
    one = {"do": "drop", "cubes": {"blue": 1}, "seed": 1}
    default = {"engine": ENGINE, "accuracy": "standard"}
    with Opened(count) as opened:
        for named in ({}, default, {"engine": ENGINE}, {"accuracy": None}, {"model": "two_thirds"}):
            assert answer(read_request(one | named), opened)["attempts"] == 1
        other = PhysicsSettings(timestep=0.0015)
        assert opened.model("amerigo", "physics", other) is not opened.model("amerigo", "physics", PhysicsSettings())
    assert count.settings == [PhysicsSettings(), None, other]


def test_a_profile_that_has_changed_is_read_anew_and_an_old_state_is_refused(tmp_path: Path):
    text = (ROOT / "tower_sim/apparatus/amerigo/profiles/amerigo.toml").read_text("utf-8")
    file = tmp_path / "mine.toml"
    file.write_text(text, "utf-8")
    request = RULE | {"apparatus": str(file)}
    with Opened() as opened:
        before = opened.model(str(file), "two_thirds")
        (first,) = ask(request, opened=Opened())
        assert opened.model(str(file), "two_thirds") is before
        file.write_text(re.sub(r"(?m)^edge_mm = [0-9.]+", "edge_mm = 9.25", text), "utf-8")
        assert opened.model(str(file), "two_thirds").cube_edge == pytest.approx(0.00925)
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
        _, told = process.communicate(timeout=600)
        assert (process.returncode, told) == (1, "tower-sim: interrupted\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize(
    ("end", "status", "says"),
    [
        ("<&-", 2, "standard input is 'closed'; allowed is a pipe or a file of requests"),
        (">&-", 1, "standard output is closed"),
        (">/dev/full", 1, "standard output cannot be written or read (No space left on device)"),
    ],
)
def test_an_input_or_output_that_is_closed_or_full_is_told_in_one_line(end: str, status: int, says: str):
    command = f'echo \'{{"do": "hello"}}\' | "{sys.executable}" -m tower_sim serve {end}'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (status, "")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


# The clients and the docs


@pytest.fixture(name="three_throws", scope="module")
def _three_throws() -> list[tuple[dict[str, int], dict[str, int]]]:
    """What the clients should print: the same three throws, in this process."""
    state, found = None, list[tuple[dict[str, int], dict[str, int]]]()
    for seed, cubes in enumerate([{"blue": 8, "red": 8}, {"blue": 4}, {"red": 2}]):
        (reply,) = ask({"do": "drop", "cubes": cubes, "state": state, "seed": seed})
        state = reply["state"]
        found.append((reply["emerged"], reply["inside"]))
    return found


@pytest.mark.parametrize(
    "client",
    [
        pytest.param((sys.executable, "docs/clients/client.py"), id="Python"),
        pytest.param(
            (NODE or "node", "docs/clients/client.js"),
            id="JavaScript",
            marks=pytest.mark.skipif(not NODE, reason="there is no node here"),
        ),
    ],
)
def test_a_client_throws_and_carries_on_what_stays_inside(
    client: tuple[str, str], three_throws: list[tuple[dict[str, int], dict[str, int]]]
):
    done = subprocess.run([*client, *COMMAND], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")
    printed = [re.fullmatch(r"out: (.*) inside: (.*)", line) for line in done.stdout.splitlines()]
    assert [(json.loads(line[1]), json.loads(line[2])) for line in printed if line] == three_throws
    assert any(sum(inside.values()) for _, inside in three_throws[:-1]), "nothing is carried on in these throws"
    for command, told in (
        ([sys.executable, "-c", 'print(\'{"error": "no"}\')'], "no"),
        ([sys.executable, "-c", "raise SystemExit(3)"], "gave no answer: it has ended with 3"),
        (["no-such-program"], "cannot be started"),
    ):
        failed = subprocess.run([*client, *command], cwd=ROOT, capture_output=True, text=True)
        assert (failed.returncode, failed.stderr.count("\n")) == (1, 1), failed.stderr
        assert told in failed.stderr


def any_counts(shown: re.Match[str]) -> str:
    return re.sub(r"\d+", r"\\d+", shown[0])


def test_the_session_in_the_docs_is_what_the_service_says():
    found = re.search(r"```\n(> .*?)```", DOC, re.S)
    assert found
    lines = found[1].splitlines()
    assert len(lines) >= 10
    state = ""
    with Opened() as opened:
        for request, shown in zip(lines[::2], lines[1::2], strict=True):
            assert (request[:2], shown[:2]) == ("> ", "< ")
            out = io.BytesIO()
            serve(io.BytesIO(request[2:].replace("TOWER3...", state).encode()), out, opened)
            reply = out.getvalue().decode().rstrip("\n")
            asked = re.escape(shown[2:]).replace(r"\.\.\.", ".*")
            asked = re.sub(r'"(emerged|inside)":\\ \\\{.*?\\\}', any_counts, asked)  # of the engine as it is now
            assert re.fullmatch(asked, reply), reply
            state = json.loads(reply).get("state", state)


def test_the_docs_list_every_field_of_every_request():
    rows = [line.split("|")[1:4] for line in DOC.splitlines() if line.startswith("|")][2:]
    listed: dict[str, set[str]] = {}
    do = ""
    for first, field, _ in rows:
        do = first.strip().strip("`") or do
        listed.setdefault(do, set()).add(field.strip().strip("`"))
    common = listed.pop("all but `hello")
    assert listed.pop("hello") == {""}
    assert {do: fields | common for do, fields in listed.items()} == {
        do: set(fields) for do, fields in FIELDS.items() if do != "hello"
    }
