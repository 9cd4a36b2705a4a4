"""Requests are checked once, whoever makes them, and the answer to each comes from one place."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import each_case
from support.fakes import CoinTower

from tower_sim import TowerState, UsageError, load, open_model, registry
from tower_sim.cubes import supply
from tower_sim.drops.repeat import MAX_ATTEMPTS, TooManyFailedDraws, until_landed
from tower_sim.games.ways import Asked
from tower_sim.requests import (
    Play,
    Throw,
    answer,
    check,
    first_game,
    games,
    no_odds,
    read_rules,
    rules_of,
    turns,
)

AMERIGO = registry.get("game", "amerigo")
BATTLE = registry.get("game", "dead_reckoning")


def play(game: Any = AMERIGO, **more: Any) -> Play:
    given = {"apparatus": game.apparatus or None, "model": "surrogate", "seed": 7} | more
    return Play.of(game=game.name, **given)


@each_case(
    ("make", "says"),
    [
        (lambda: Throw.of(), "cubes is {}; allowed is a count by colour, unless"),
        (lambda: Throw.of(cubes={"blue": -1}), "cubes.blue is -1"),
        (lambda: Throw.of(cubes={"blue": 400, "red": 101}), "number of cubes is 501"),
        (lambda: Throw.of(seed=-1, cubes={"blue": 1}), "seed is -1"),
        (lambda: play(seed=2**128), "allowed is a whole number from 0 to 2^128"),
        (
            lambda: play(registry.get("game", "chain")),
            "no apparatus is named, and chain has none of its own; allowed is",
        ),
        (lambda: Play.of(game="chess"), "game is 'chess'; allowed is one of amerigo"),
        (lambda: play(BATTLE, games=0), "games is 0; allowed is a whole number from 1"),
        (lambda: play(BATTLE, games=100_001), "games is 100001; allowed is a whole number from 1 to 100000"),
    ],
)
def test_a_request_that_cannot_be_is_refused_where_it_is_made(make: Any, says: str):
    with pytest.raises(UsageError) as error:
        make()
    assert says in str(error.value)


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
    assert read_rules(AMERIGO, file) == Asked(rules_of(AMERIGO, {"cubes": 5}).rules, "amerigo-club")
    assert read_rules(AMERIGO, "amerigo") == Asked(AMERIGO.read({}))
    assert read_rules(AMERIGO, "amerigo-club") == Asked(AMERIGO.read({}), "amerigo-club")


@each_case(
    ("text", "says"),
    [
        ("cubez = 3", "rules.cubez is unknown"),
        ("cubes = 3\n[rules]\nrounds = 1", "rules.rules is unknown"),
        ('game = "dead_reckoning"', "game is 'dead_reckoning'; allowed is amerigo, which is to be played"),
        ("apparatus = 3", "apparatus is 3; allowed is one of amerigo"),
        ("[knocks]\n99 = 1", "number of a knock is 99"),
        ("cubes", "is not TOML"),
    ],
)
def test_a_bad_rules_file_is_named_in_one_line(text: str, says: str, tmp_path: Path):
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(UsageError) as error:
        read_rules(AMERIGO, file)
    assert str(file) in str(error.value)
    assert says in str(error.value)


@each_case("game", games(), ids=lambda game: game.name)
def test_the_document_of_every_game_is_json_and_names_what_was_asked_for(game: Any):
    request = play(game, apparatus=game.apparatus or first_game().apparatus)
    name = "two_thirds" if request.tower == "wallenstein" else "surrogate"  # nobody fitted that tower
    with open_model(shape := load(request.tower), name) as model:
        document = answer(request, shape, model)
        assert answer(request, shape, model) == document
    assert json.loads(json.dumps(document)) == document
    head = ["schema", "version", "seed", "model", "apparatus", "game"]
    assert list(document)[:6] == head
    assert [document[key] for key in head[2:]] == ["7", name, request.tower, game.name]


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
    assert whole["summary"]["games"] == by_hand.runs == 5


@each_case(
    ("game", "apparatus", "model", "says"),
    [
        ("dead_reckoning", "amerigo", "two_thirds", "model is 'two_thirds'; allowed is one that knows a board"),
        ("amerigo", "dead_reckoning", "surrogate", "apparatus 'dead_reckoning' is no tower that keeps cubes"),
        ("chain", "dead_reckoning", "surrogate", "apparatus 'dead_reckoning' is no tower that keeps cubes"),
    ],
)
def test_a_game_is_not_begun_with_what_it_cannot_be_played_with(game: str, apparatus: str, model: str, says: str):
    shape = load(apparatus)
    request = play(registry.get("game", game), apparatus=apparatus, model=model)
    with open_model(shape, model) as opened, pytest.raises(UsageError) as error:
        check(request, shape, opened)
    assert says in str(error.value)


def test_knocks_that_a_model_does_not_take_are_refused_before_the_set_up():
    request = play(rules={"knocks": {"30": 0.5}})
    with open_model(shape := load("amerigo"), "two_thirds") as opened, pytest.raises(UsageError, match="no knocks"):
        check(request, shape, opened)
