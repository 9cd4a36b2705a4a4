"""Requests are checked once, whoever makes them, and the answer to each comes from one place."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError
from support.cases import each_case
from support.command_line import here
from support.fakes import CoinTower
from support.network import Client

from tower_sim import TowerState, UsageError, load, open_model
from tower_sim.drops import MAX_ATTEMPTS, TooManyFailedDraws, until_landed
from tower_sim.games import Asked
from tower_sim.requests import Odds, Play, Throw, check, games, no_odds, read_rules, turns
from tower_sim.requests.request import answer, parse_rules
from tower_sim.service import ModelCache
from tower_sim.service.codes import find_path
from tower_sim.service.lines import answer as answer_line
from tower_sim.service.lines import read_request
from tower_sim.tools import registry
from tower_sim.values import supply

AMERIGO = registry.get("game", "amerigo")
BATTLE = registry.get("game", "dead_reckoning")
CHAIN = registry.get("game", "chain")


def play(game: Any = AMERIGO, **more: Any) -> Play:
    given = {"apparatus": game.apparatus or None, "model": "surrogate", "seed": 7} | more
    return Play.of(game=game.name, **given)


def throw(**more: Any) -> tuple[str, dict[str, Any]]:
    return "drop", {"cubes": {"blue": 1}} | more


G = "; allowed is a number from 0 to 5 (peak acceleration in g)"
BAD: dict[str, list[tuple[tuple[str, dict[str, Any]], str, str]]] = {
    "field.invalid": [
        (throw(cubes={}), "cubes", "cubes is {}; allowed is a count by colour, unless there is a knock"),
        (throw(cubes="blue=4"), "cubes", "cubes is 'blue=4'; allowed is a table"),
        (throw(cubes={"blue": -1}), "cubes.blue", "cubes.blue is -1; allowed is a whole number from 0 to 500"),
        (throw(cubes={"blue": True}), "cubes.blue", "cubes.blue is true"),
        (throw(cubes={"blue": 1.0}), "cubes.blue", "cubes.blue is 1.0"),
        (throw(cubes={"blue": "4"}), "cubes.blue", "cubes.blue is '4'"),
        (throw(cubes={"blue": 501}), "cubes.blue", "allowed is a whole number from 0 to 500"),
        (throw(cubes={"blue": 300, "red": 201}), "cubes", "number of cubes is 501; allowed is up to 500"),
        (throw(cubes={"": 1}), "cubes", "1 to 40 characters"),
        (throw(cubes={"b" * 41: 1}), "cubes", "1 to 40 characters"),
        (throw(cubes={"bleu": 1}), "cubes", "did you mean blue?"),
        (throw(cubes={f"c{i}": 1 for i in range(101)}), "cubes", "up to 100 keys"),
        (throw(seed=-1), "seed", "seed is -1"),
        (throw(seed="1.5"), "seed", "seed is '1.5'"),
        (throw(seed=7.0), "seed", "seed is 7.0"),
        (throw(seed=str(2**128)), "seed", "allowed is a whole number from 0 to 2^128 - 1"),
        (throw(knock="hard"), "knock", f"knock strength is 'hard'{G}"),
        (throw(knock=-1), "knock", f"knock strength is -1{G}"),
        (throw(knock=99), "knock", f"knock strength is 99{G}"),
        (throw(state="TOWER3.x.y"), "state", "damaged"),
        (throw(state=5), "state", "state is 5"),
        (throw(apparatus=3), "apparatus", "allowed is one of amerigo"),
        (throw(model="magic"), "model", "model is 'magic'"),
        (throw(model="surogate"), "model", "did you mean surrogate?"),
        (throw(engine="bulet"), "engine", "did you mean bullet?"),
        (throw(engine=["bullet"]), "engine", "engine is ['bullet']; allowed is one of bullet, core"),
        (throw(engine="core", model="surrogate"), "engine", "has no physics; leave it out"),
        (throw(accuracy="standart"), "accuracy", "did you mean standard?"),
        (("play", {}), "game", "game is missing; allowed is one of amerigo, "),
        (("play", {"game": "amerigoo"}), "game", "did you mean amerigo?"),
        (("play", {"game": ["amerigo"]}), "game", "game is ['amerigo']"),
        (("play", {"game": "amerigo", "rules": "mine.toml"}), "rules", "rules is 'mine.toml'; allowed is a table"),
        (("play", {"game": "amerigo", "games": 0}), "games", "games is 0; allowed is a whole number from 1 to 100000"),
        (("play", {"game": "amerigo", "games": 100_001}), "games", "allowed is a whole number from 1 to 100000"),
        (("play", {"game": "chain"}), "apparatus", "no apparatus is named, and chain has none of its own; allowed"),
        (("odds", {}), "throws", "throws is missing; allowed is a list of 1 to 20, each a table"),
        (("odds", {"throws": []}), "throws", "throws is []; allowed is a list of 1 to 20"),
        (("odds", {"throws": [{}]}), "cubes", "cubes is {}; allowed is a count by colour"),
        (("odds", {"throws": [{"blue": 7}], "times": 1}), "times", "times is 1; allowed is a whole number from 2"),
        (("odds", {"throws": [{"blue": 7}], "state": "TOWER3.x"}), "state", "token"),
    ],
    "field.unknown": [
        (throw(cube={"blue": 1}), "cube", "did you mean cubes?"),
        (throw(sed=1), "sed", "did you mean seed?"),
        (("play", {"game": "amerigo", "rounds": 1}), "rounds", "rounds is unknown"),
        (("play", {"game": "amerigo", "rules": {"round": 1}}), "rules.round", "did you mean rounds?"),
    ],
    "field.too_large": [
        (
            throw(cubes={"blue": 81}),
            "cubes",
            "is 81; allowed is up to 80 in one request; ask for less, or run: tower-sim throw amerigo --cubes blue=81",
        ),
        (("odds", {"throws": [{"blue": 70}], "times": 2000}), "times", "cubes times throws is 140000"),
        (("play", {"game": "amerigo", "games": 1001}), "games", "games is 1001; allowed is up to "),
        (("play", {"game": "amerigo", "rules": {"rounds": 1000}}), "rules", "up to 2000"),
    ],
}
KINDS: dict[str, Any] = {"drop": Throw, "play": Play, "odds": Odds}
PATHS = {"drop": "/v1/drops", "play": "/v1/games", "odds": "/v1/odds"}


@pytest.mark.posix
@each_case(("code", "asked", "path", "says"), [(code, *row) for code, rows in BAD.items() for row in rows])
def test_a_bad_field_is_named_in_one_line_in_python_in_a_line_and_over_http(
    client: Client, code: str, asked: tuple[str, dict[str, Any]], path: str, says: str
):
    do, fields = asked
    calls = [lambda: read_request({"do": do} | fields)]
    if code != "field.too_large":  # Python has no such limits
        calls.append(lambda: KINDS[do].of(**fields))
    for call in calls:
        with pytest.raises(UsageError) as error:
            call()
        assert (error.value.code, find_path(error.value)) == (code, path)
        assert re.fullmatch(f".*{re.escape(says)}.*", str(error.value))
    answer = client.post(PATHS[do], fields)
    assert (answer.status, answer.code, answer.document["path"]) == (422, code, path), answer.document
    assert re.fullmatch(f".*{re.escape(says)}.*", answer.document["detail"])
    assert len(answer.document["detail"]) < 700


def test_a_tower_that_always_fails_is_given_up_after_the_most_attempts_allowed():
    model = CoinTower(failure_rate=1.0)
    with pytest.raises(TooManyFailedDraws) as raised:
        until_landed(lambda rng: model.drop(model.empty(), supply({"red": 3}, 0.008), rng), np.random.SeedSequence(1))
    assert (raised.value.outcome.attempts, raised.value.outcome.state) == (MAX_ATTEMPTS, model.empty())


def test_a_knock_alone_is_something_to_do_and_the_colours_are_those_thrown_then_those_inside():
    with open_model(tower := load("amerigo"), "two_thirds") as model:
        first = answer(Throw.of(model="two_thirds", seed=1, cubes={"red": 6, "blue": 6}), tower, model)
        state = TowerState.from_token(first["state"])
    assert Throw.of(state=state, knock=0.5).colours == ["blue", "red"]
    assert Throw.of(cubes={"white": 1, "red": 1}, state=state).colours == ["white", "red", "blue"]


def test_a_rules_file_has_keys_of_the_games_table_its_other_tables_and_the_apparatus(tmp_path: Path):
    file = tmp_path / "mine.toml"
    file.write_text('apparatus = "own.toml"\ncubes = 5\nrounds = 2\n[knocks]\n3 = 0.5\n')
    asked = read_rules(AMERIGO, file)
    assert asked.apparatus == str(tmp_path / "own.toml")
    assert (asked.rules.cubes, asked.rules.rounds, asked.rules.knocks) == (5, 2, {3: 0.5})
    file.write_text('game = "amerigo"\napparatus = "amerigo-club"\n[rules]\ncubes = 5\n')
    assert read_rules(AMERIGO, file) == Asked(parse_rules(AMERIGO, {"cubes": 5}).rules, "amerigo-club")
    assert read_rules(AMERIGO, "amerigo") == Asked(AMERIGO.read({}))
    assert read_rules(AMERIGO, "amerigo-club") == Asked(AMERIGO.read({}), "amerigo-club")


@pytest.mark.posix
@each_case("game", games(), ids=lambda game: game.name)
def test_a_game_is_answered_alike_by_the_command_a_line_and_over_http_in_its_own_type(client: Client, game: Any):
    apparatus = game.apparatus or "amerigo"
    model = "two_thirds" if apparatus == "wallenstein" else "surrogate"  # nobody fitted that tower
    named = {"seed": "7", "model": model, "apparatus": apparatus, "game": game.name}
    words = ["play", game.name, "--tower", apparatus, "--model", model, "--seed", "7", "--json"]
    for kind, number in zip(game.ways.types(), (None, 3), strict=True):
        printed = here(*words, *(["--games", str(number)] if number else [])).stdout
        document = json.loads(printed)
        assert list(document.items())[2:6] == list(named.items())
        TypeAdapter(kind).validate_python(document, strict=True)
        with pytest.raises(ValidationError):
            TypeAdapter(kind).validate_python(document | {"another": 1})
        with ModelCache() as opened:
            line = answer_line(read_request({"do": "play", **named, "games": number}), opened)
        answered = client.post("/v1/games", named | {"games": number}).document
        assert json.dumps(line) + "\n" == json.dumps(answered) + "\n" == printed


@pytest.mark.posix
@each_case(("model", "knock"), [("physics", {"knock": 3}), ("surrogate", {})])
def test_a_tower_goes_on_by_the_state_that_its_caller_keeps_alike_by_the_command_a_line_and_over_http(
    client: Client, model: str, knock: dict[str, int]
):
    asked: list[tuple[str, dict[str, Any], str]] = [
        ("drop", {"cubes": {"blue": 20}}, "--cubes blue=20"),
        ("drop", {"cubes": {"red": 5, "blue": 1}}, "--cubes red=5,blue=1"),
        ("drop", {"cubes": {"green": 4}} | knock, "--cubes green=4" + " --knock 3" * bool(knock)),
        ("odds", {"throws": [{"blue": 4}, {"red": 1}], "times": 2}, "--cubes blue=4 --cubes red=1 --times 2"),
    ]
    state, kept = None, list[str]()
    for do, fields, words in asked:
        fields |= {"model": model, "seed": "7", "state": state}
        printed = here("throw", "amerigo", *words.split(), "--model", model, "--seed", "7", "--json", *kept).stdout
        with ModelCache() as opened:
            line = answer_line(read_request({"do": do} | fields), opened)
        assert json.dumps(line) + "\n" == client.post(PATHS[do], fields).body.decode() + "\n" == printed
        state = line.get("state", state)
        kept = ["--state", str(state)]
    redone = json.loads(here("redo", str(state), "--json").stdout)
    assert (redone["same"], len(redone["events"])) == (True, 3 + len(knock))


def test_the_odds_are_of_the_runs_of_that_seed_and_the_first_is_the_one_run():
    request = play(BATTLE, games=5)
    with open_model(ship := load("dead_reckoning"), "surrogate") as model:
        whole = answer(request, ship, model)
        by_hand = no_odds(request)
        for run in range(5):
            by_hand.add(list(turns(request, model, run)))
        assert by_hand.document() == whole
        alone = list(turns(request, model))
        assert alone[-1].entry == list(turns(request, model, 0))[-1].entry
    assert whole["runs"] == by_hand.runs == 5


@each_case(
    ("game", "rules", "apparatus", "model", "says"),
    [
        (BATTLE, {}, "amerigo", "two_thirds", "model is 'two_thirds'; allowed is one that knows a board"),
        (AMERIGO, {}, "dead_reckoning", "surrogate", "apparatus 'dead_reckoning' is no tower that keeps cubes"),
        (CHAIN, {}, "dead_reckoning", "surrogate", "apparatus 'dead_reckoning' is no tower that keeps cubes"),
        (AMERIGO, {"knocks": {"30": 0.5}}, "amerigo", "two_thirds", "no knocks"),
    ],
)
def test_a_game_is_not_begun_with_what_it_cannot_be_played_with(
    game: Any, rules: dict[str, Any], apparatus: str, model: str, says: str
):
    request = play(game, rules=rules, apparatus=apparatus, model=model)
    with open_model(shape := load(apparatus), model) as opened, pytest.raises(UsageError, match=re.escape(says)):
        check(request, shape, opened)
