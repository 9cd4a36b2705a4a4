"""`play amerigo` and the service's games: the rules they name, knocks, one file for all, and what they say first."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any, cast

import pytest
from support.cases import each_case
from support.command_line import here
from support.fakes import CoinTower

from tower_sim import cli
from tower_sim.apparatus.parts import Apparatus
from tower_sim.games.amerigo import GAME, Rules, game_json, play
from tower_sim.games.amerigo.words import game_summary, game_title, in_plain_words
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.requests import read_rules
from tower_sim.service import Opened
from tower_sim.service.answers import answer, read_request
from tower_sim.variants import read_variant

ROOT = Path(__file__).parents[2]
HOUSE = 'name = "house"\napparatus = "amerigo-club"\ncubes = 6\nrounds = 1\n'
RULE = ("play", "amerigo", "--model", "two_thirds", "--seed", "3")


@pytest.fixture(name="house")
def _house(tmp_path: Path) -> Path:
    (tmp_path / "house.toml").write_text(HOUSE)
    return tmp_path / "house.toml"


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert cli.main(list(words)) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert cli.main(list(words)) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err


def test_the_first_line_names_the_rules_that_are_played(house: Path, capsys: pytest.CaptureFixture[str]):
    published = told(capsys, *RULE, "--set", "rounds=5").splitlines()[0]
    assert published == "Amerigo, the published rules, tower amerigo, two_thirds, seed 3"
    mine = told(capsys, *RULE, "--rules", str(house)).splitlines()[0]
    assert mine == "Amerigo, rules house with other cubes, rounds, tower amerigo-club, two_thirds, seed 3"
    assert game_title(Rules(gold_divisor=2), "t", "m", 1).startswith(
        "Amerigo, the published rules with other gold_divisor"
    )


def test_one_file_is_a_variant_for_compare_rules_for_play_and_rules_for_the_service(house: Path):
    asked = read_rules(GAME, house)
    assert (asked.rules, asked.apparatus) == (Rules(name="house", cubes=6, rounds=1), "amerigo-club")
    found = read_variant(house)
    assert (found.rules, found.apparatus.name) == (asked.rules, asked.apparatus)
    line = {"do": "play", "game": "amerigo", "rules": tomllib.loads(house.read_text("utf-8"))}
    request: Any = cast("Any", read_request(line)).request()
    assert (request.rules, request.apparatus) == (asked.rules, asked.apparatus)


def test_an_apparatus_that_is_asked_for_goes_before_that_of_the_file(house: Path, capsys: pytest.CaptureFixture[str]):
    assert "tower amerigo," in told(capsys, *RULE, "--rules", str(house), "--tower", "amerigo").splitlines()[0]
    line = {"do": "play", "game": "amerigo", "rules": {"apparatus": "amerigo-club", "cubes": 6}}
    request: Any = cast("Any", read_request(line | {"apparatus": "amerigo"})).request()
    assert request.apparatus == "amerigo"
    inline: Any = cast("Any", read_request(line)).request()
    assert (inline.apparatus, inline.rules.cubes) == ("amerigo-club", 6)


@pytest.mark.parametrize("name", ["published", "six_cubes"])
def test_the_variants_that_ship_as_examples_can_be_played(name: str, capsys: pytest.CaptureFixture[str]):
    out = told(capsys, *RULE, "--rules", str(ROOT / f"docs/variants/{name}.toml"), "--json")
    assert json.loads(out)["apparatus"] == "amerigo"


@each_case("model", ["physics", "surrogate", "two_thirds"])
def test_no_model_plays_amerigo_through_the_combat_ship(model: str, capsys: pytest.CaptureFixture[str]):
    line = refused(capsys, "play", "amerigo", "--tower", "dead_reckoning", "--model", model)
    assert re.search(r"apparatus .?dead_reckoning.? is .*tower", line) or "allowed is a tower" in line
    with Opened() as opened, pytest.raises(ValueError, match="tower"):
        answer(read_request({"do": "play", "game": "amerigo", "apparatus": "dead_reckoning", "model": model}), opened)


@each_case("rounds", ["1429", "999999999999", str(10**30), "9" * 5000])
def test_more_rounds_than_a_game_can_have_are_refused_before_it_begins(rounds: str, capsys: pytest.CaptureFixture[str]):
    line = refused(capsys, *RULE, "--set", f"rounds={rounds}")
    assert "allowed is a whole number" in line
    assert len(line) < 300


def opened() -> Opened:
    def open_it(apparatus: Apparatus, name: str, settings: PhysicsSettings | None) -> CoinTower:
        return CoinTower()

    return Opened(open_it)


def test_the_services_game_takes_knocks_and_is_the_game_that_play_plays():
    rules = Rules(rounds=1, knocks={0: 0.5, 3: 1.0})
    request = read_request(
        {"do": "play", "game": "amerigo", "rules": {"rounds": 1, "knocks": {"0": 0.5, "3": 1}}, "seed": "9"}
    )
    with opened() as models:
        found = answer(request, models)
    entries = play(CoinTower(), rules, 9)
    assert found == game_json(entries, seed=9, model="coin", apparatus="coin", rules=rules)
    assert found["knocks"] == {"0": 0.5, "3": 1.0}
    assert sum(found["drops"][3]["waiting"].values()) > 0


def test_a_model_that_knows_no_knocks_says_so_before_the_first_drop(capsys: pytest.CaptureFixture[str]):
    line = refused(capsys, "play", "amerigo", "--model", "two_thirds", "--set", "knocks.30=0.5")
    assert "allowed is none; take the model physics" in line
    asked = {"do": "play", "game": "amerigo", "model": "two_thirds", "rules": {"knocks": {"30": 0.5}}}
    with Opened() as models, pytest.raises(ValueError, match="take the model physics"):
        answer(read_request(asked), models)


@each_case(
    ("change", "says"),
    [
        ("knocks.3", "--set 'knocks.3'; allowed is KEY=VALUE"),
        ("knocks.3=hard", "rules.knocks.3 is 'hard'"),
        ("knocks.3=6", "knock strength = 6; allowed is 0 to 5"),
        ("knocks.99=1", "number of a knock is 99; allowed is a drop's, from 0 to 35"),
        ("rulings.stand_in_tokens=bot", "rules.rulings.stand_in_tokens is 'bot'; allowed is one of carried_out, "),
        ("cubes.blue=3", "rules.cubes is {'blue': 3}; allowed is a number for each of blue, black"),
    ],
)
def test_a_change_of_the_rules_is_checked(change: str, says: str, capsys: pytest.CaptureFixture[str]):
    assert says in refused(capsys, "play", "amerigo", "--set", change)


def test_a_knock_in_physics_brings_cubes_into_the_tray_that_the_next_drop_throws():
    rules = ("--rules", str(ROOT / "docs/variants/six_cubes.toml"), "--set", "rounds=1")
    document = json.loads(here("play", "amerigo", *rules, "--seed", "5", "--json", "--set", "knocks.2=1.5").stdout)
    quiet = json.loads(here("play", "amerigo", *rules, "--seed", "5", "--json").stdout)
    assert (document["knocks"], quiet["knocks"]) == ({"2": 1.5}, {})
    shaken, after = document["drops"][2:4]
    assert document["drops"][:2] == quiet["drops"][:2]
    assert shaken["emerged"] == quiet["drops"][2]["emerged"]
    waiting = shaken["waiting"]
    assert sum(waiting.values()) > 0
    assert {colour: shaken["inside"][colour] + waiting[colour] for colour in waiting} == quiet["drops"][2]["inside"]
    assert all(after["thrown"][colour] >= waiting[colour] for colour in waiting)


def test_the_summary_begins_with_two_sentences_for_a_player():
    entries = list(play(CoinTower(), Rules(rounds=2), 4))
    phases = entries[1:]
    words = in_plain_words(entries)
    assert f"{sum(len(e.actions) for e in phases) / 14:.1f} actions to choose from in a phase" in words
    assert f"a choice of two or more in {sum(len(e.actions) > 1 for e in phases)} of 14 phases" in words
    inside = [sum(e.inside.values()) for e in phases]
    assert f"{min(inside)} to {max(inside)} cubes stayed in the tower. One game is one draw:" in words
    assert " ".join(game_summary(entries, Rules(rounds=2)).split()).startswith(words)
    assert "cubes stayed in the tower at the set-up" in in_plain_words(entries[:1])
