"""Amerigo's rules as a file, `play amerigo` and the service's games, and its game as a document for other programs."""

import json
import re
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from support.amerigo import BLUE_PHASE_OUT, PUBLISHED, SETUP_INSIDE, SETUP_OUT, nothing_but, play
from support.cases import each_case
from support.command_line import here
from support.fakes import CoinTower, ScriptedTower

from tower_sim import cli
from tower_sim.errors import UsageError, quote
from tower_sim.games.amerigo import GAME, Rules
from tower_sim.games.amerigo.rules import TokenRulings
from tower_sim.games.rules import questions
from tower_sim.requests import read_rules
from tower_sim.service import ModelCache
from tower_sim.service.lines import answer, read_request

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/amerigo.md").read_text("utf-8")
HOUSE = 'name = "house"\napparatus = "amerigo-club"\ncubes = 6\nrounds = 1\n'
RULE = ("play", "amerigo", "--model", "two_thirds", "--seed", "3")


@pytest.fixture(name="house")
def _house(tmp_path: Path) -> Path:
    (tmp_path / "house.toml").write_text(HOUSE)
    return tmp_path / "house.toml"


def run_cli(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert cli.main(list(words)) == 0
    return capsys.readouterr().out


def test_the_first_line_names_the_rules_that_are_played(house: Path, capsys: pytest.CaptureFixture[str]):
    published = run_cli(capsys, *RULE, "--set", "rounds=5").splitlines()[0]
    assert published == "Amerigo, tower amerigo, two_thirds, seed 3"
    mine = run_cli(capsys, *RULE, "--rules", str(house)).splitlines()[:2]
    assert mine == ["Amerigo, tower amerigo-club, two_thirds, seed 3", "house rules: name house, cubes 6, rounds 1"]


def test_an_apparatus_that_is_asked_for_goes_before_that_of_the_file(house: Path, capsys: pytest.CaptureFixture[str]):
    assert "tower amerigo," in run_cli(capsys, *RULE, "--rules", str(house), "--tower", "amerigo").splitlines()[0]
    line = {"do": "play", "game": "amerigo", "rules": {"apparatus": "amerigo-club", "cubes": 6}}
    request: Any = read_request(line | {"apparatus": "amerigo"})
    assert request.tower == "amerigo"
    inline: Any = read_request(line)
    assert (inline.tower, inline.house.rules.cubes) == ("amerigo-club", 6)


@pytest.mark.parametrize("name", ["published", "six_cubes"])
def test_the_variants_that_ship_as_examples_can_be_played(name: str, capsys: pytest.CaptureFixture[str]):
    out = run_cli(capsys, *RULE, "--rules", str(ROOT / f"docs/variants/{name}.toml"), "--json")
    assert json.loads(out)["apparatus"] == "amerigo"


def test_the_services_game_takes_knocks_and_is_the_game_that_play_plays():
    rules = Rules(rounds=1, knocks={0: 0.5, 3: 1.0})
    table = {"rounds": 1, "knocks": {"0": 0.5, "3": 1}}
    request = read_request({"do": "play", "game": "amerigo", "rules": table, "seed": "9"})
    with ModelCache(lambda apparatus, name, settings: CoinTower()) as models:
        document: Any = answer(request, models)
    turns = list(GAME.start(CoinTower(), rules, 9))
    assert document == GAME.ways.document_of(turns, rules, seed=9, model="coin", apparatus="coin")
    assert document["rules"]["knocks"] == {"0": 0.5, "3": 1.0}
    assert document["turns"][3]["says"].endswith(" wait in the tray")


def test_a_knock_in_physics_brings_cubes_into_the_tray_that_the_next_drop_throws():
    rules = ("--rules", str(ROOT / "docs/variants/six_cubes.toml"), "--set", "rounds=1")
    document = json.loads(here("play", "amerigo", *rules, "--seed", "5", "--json", "--set", "knocks.2=1.5").stdout)
    quiet = json.loads(here("play", "amerigo", *rules, "--seed", "5", "--json").stdout)
    assert (document["rules"]["knocks"], quiet["rules"].get("knocks", {})) == ({"2": 1.5}, {})
    shaken, after = document["turns"][2:4]
    assert document["turns"][:2] == quiet["turns"][:2]
    held = quiet["turns"][2]["inside"]
    waiting = {colour: held[colour] - number for colour, number in shaken["inside"].items()}
    assert sum(waiting.values()) > 0
    assert shaken["says"].endswith(f"; {sum(waiting.values())} wait in the tray")
    assert {colour: shaken["out"][colour] - waiting[colour] for colour in waiting} == quiet["turns"][2]["out"]
    assert all(after["thrown"][colour] >= waiting[colour] for colour in waiting)


def test_the_summary_begins_with_two_sentences_for_a_player():
    rules = Rules(rounds=2)
    turns, drops = list(GAME.start(CoinTower(), rules, 4)), play(CoinTower(), rules, 4)
    words = GAME.summary(turns, rules)
    phases = drops[1:]
    actions = sum(len(phase.actions) for phase in phases) / 14
    points = sum(phase.action_points for phase in phases) / 14
    assert words.startswith(f"Over this game, on average: the players choose from {actions:.2g} actions; ")
    assert f"has {points:.2g} action points" in words
    assert words.endswith(f"{sum(drops[-1].inside.values())} at the end.")


def test_the_shipped_file_is_the_published_game_with_every_key_and_ruling_as_the_docs_have_them():
    table = tomllib.loads((resources.files("tower_sim.games.amerigo") / "amerigo.toml").read_text("utf-8"))
    assert GAME.read({"rules": table}) == GAME.read({}) == PUBLISHED
    assert (PUBLISHED.drops, sum(PUBLISHED.counts.values()), len(PUBLISHED.supply(0.008))) == (36, 49, 49)
    assert PUBLISHED.phases == PUBLISHED.colours
    assert [*table, "knocks"] == list(Rules.model_fields)
    assert table["rulings"] == {name: next(iter(each.choices)) for name, each in questions(TokenRulings).items()}
    for name, each in questions(TokenRulings).items():
        meanings = " ".join(f"`{choice}`: {meaning}" for choice, meaning in each.choices.items())
        assert f"| `{name}` | {each.source} | {meanings} |" in PAGE


def test_a_file_changes_what_it_names_and_keeps_the_rest(tmp_path):
    file = tmp_path / "house.toml"
    file.write_text('colours = ["red", "blue"]\nphases = ["blue"]\nsubstitute = ""\ncubes = { blue = 3, red = 0 }\n'
                    '[rulings]\nstand_in_tokens = "both"\n')  # fmt: skip
    rules = read_rules(GAME, file).rules
    named: Any = {"colours": ("red", "blue"), "phases": ("blue",), "substitute": "", "cubes": {"red": 0, "blue": 3}}
    assert rules == Rules(**named, rulings=TokenRulings(stand_in_tokens="both")) != Rules(**named)
    assert rules.rulings.stand_in_exchange == "not_there"
    assert list(rules.counts.items()) == [("red", 0), ("blue", 3)]
    assert (rules.rounds, rules.gold_divisor, rules.drops) == (5, 3, 6)
    assert [cube.colour for cube in rules.supply(0.01)] == ["blue"] * 3


def test_rules_that_play_alike_are_equal():
    table = dict.fromkeys(reversed(PUBLISHED.colours), 7)
    alike = Rules().but(colours=list(PUBLISHED.colours), phases=PUBLISHED.colours, cubes=table)
    assert alike == PUBLISHED


@each_case(
    ("text", "says"),
    [
        ("round = 5", "rules.round is unknown; allowed are name, colours"),
        ("cubes = 3\n[rules]\nrounds = 1", "rules.rules is unknown"),
        ('game = "dead_reckoning"', "game is 'dead_reckoning'; allowed is amerigo, which is to be played"),
        ("apparatus = 3", "apparatus is 3; allowed is one of amerigo"),
        ('[campaign]\ngame = "amerigo"', "is a campaign file; allowed is rules of a game"),
        ("rounds = -1", "rules.rounds is -1; allowed is a whole number from 0"),
        ("rounds = 2.5", "rounds is 2.5; allowed is a whole number"),
        ("rounds = true", "rounds is true; allowed is a whole number"),
        ("gold_divisor = 0", "gold_divisor is 0; allowed is a whole number from 1"),
        ("gold_divisor_with_token = 0", "gold_divisor_with_token is 0; allowed is a whole number from 1"),
        ("cubes = 0", "cubes is 0; allowed is a whole number from 1"),
        ('cubes = "7"', "cubes is '7'; allowed is a whole number"),
        ("cubes = { blue = 7 }", "allowed is a number for each of blue, black"),
        ('colours = ["a"]\nphases = []\nsubstitute = ""\ncubes = { a = 0 }', "allowed is one cube or more"),
        ('colours = ["a"]\nphases = []\nsubstitute = ""\ncubes = { a = "x" }', "rules.cubes is {'a': 'x'}; allowed is"),
        ("colours = []", "allowed is one or more different words"),
        ('colours = ["red", "red"]', "allowed is one or more different words"),
        ('colours = ["setup"]', "none of them empty or 'setup'"),
        ('colours = "red"', "rules.colours is 'red'; allowed is a list, each a text"),
        ("colours = [1]", "rules.colours is [1]; allowed is a list, each a text"),
        ('phases = ["pink"]', "a colour in rules.phases is 'pink'; allowed is one of blue, black"),
        ('substitute = "pink"', "'pink'; allowed is one of blue, black, red, brown, green, yellow, white; write"),
        ("substitute = 3", "rules.substitute is 3; allowed is a text of up to 100 characters"),
        ('colours = ["red"]', 'write substitute = "" for none'),
        ("name = 3", "rules.name is 3; allowed is a text of up to 100 characters"),
        ("rounds = ", "is not TOML"),
        ("rounds = 1429", "rounds is 1429; allowed is a whole number from 0 to 1428"),
        (f"rounds = {10**30}", "allowed is a whole number from 0 to 9999"),
        ("cubes = 72", "cubes is 72; allowed is a whole number from 1 to 71"),
        ('colours = ["a", "b"]\nphases = []\nsubstitute = ""\ncubes = { a = 300, b = 201 }', "number of cubes is 501"),
        (f"gold_divisor = {10**20}", "allowed is a whole number from 1 to 1000"),
        (f"colours = {[str(i) for i in range(101)]}", "number of colours is 101; allowed is up to 100"),
        (f"name = '{'x' * 101}'", "allowed is a text of up to 100 characters"),
        ('phases = ["red\\n"]', "a word in the rules is"),
        ("rulings = 3", "rules.rulings is 3; allowed is a table"),
        ("[rulings]\nwhite = 'x'", "rules.rulings.white is unknown; allowed are stand_in_tokens, stand_in_exchange"),
        ("[rulings]\nstand_in_tokens = 'x'", "rules.rulings.stand_in_tokens is 'x'; allowed is one of carried_out"),
        (
            "knocks = [3]",
            "rules.knocks is [3]; allowed is a table, each value a number from 0 to 5 (peak acceleration in g)",
        ),
        ("knocks = { 36 = 1 }", "number of a knock is 36; allowed is a drop's, from 0 to 35"),
        ("knocks = { -1 = 1 }", "number of a knock is '-1'"),
        ("knocks = { 03 = 1 }", "number of a knock is '03'"),
        ("knocks = { '1.0' = 1 }", "number of a knock is '1.0'"),
        (f"knocks = {{ {'9' * 400} = 1 }}", "number of a knock is '999"),
        ("knocks = { 3 = true }", "rules.knocks.3 is true; allowed is a number"),
        ("knocks = { 3 = 'hard' }", "rules.knocks.3 is 'hard'"),
        ("knocks = { 3 = 6 }", "rules.knocks.3 is 6; allowed is a number from 0 to 5 (peak acceleration in g)"),
        ("knocks = { 3 = -1 }", "rules.knocks.3 is -1"),
        ("[rulings]\nstand_in_tokens = []", "rules.rulings.stand_in_tokens is []"),
    ],
)
def test_a_bad_rules_file_is_refused_in_one_line_that_says_what_is_allowed(text, says, tmp_path):
    file = tmp_path / "house.toml"
    file.write_text(text)
    with pytest.raises(UsageError) as raised:
        read_rules(GAME, file)
    message = str(raised.value)
    assert says in message
    assert message.startswith((f"rules {str(file)!r}: ", f"rules file {str(file)!r} "))


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_refused_with_the_shipped_names(content, tmp_path):
    file = tmp_path / "house.toml"
    if content is not None:
        file.write_bytes(content)
    says = r"(cannot be read|is not UTF-8).*; (give a TOML file or one of .*amerigo|save it as UTF-8)"
    with pytest.raises(UsageError, match=says):
        read_rules(GAME, str(file))


def test_the_rulebook_game_reads_as_the_promised_document():
    tower = ScriptedTower(drops=(SETUP_OUT, BLUE_PHASE_OUT))
    rules = PUBLISHED.but(rounds=1, phases=["blue"])
    turns = list(GAME.start(tower, rules, 7))
    document: Any = GAME.ways.document_of(turns, rules, apparatus="coin", model="coin", seed=2**127)
    assert (document["schema"], document["game"], document["seed"]) == ("tower-sim/game-run", "amerigo", str(2**127))
    setup, blue = json.loads(json.dumps(document["turns"], allow_nan=False))
    assert setup == {
        "index": 0, "kind": "drop",
        "thrown": dict.fromkeys(PUBLISHED.colours, 7), "out": SETUP_OUT, "inside": SETUP_INSIDE,
        "facts": {"round": 0, "phase": "setup", "skipped": False, "colours_out": 7, "action_points": 0, "gold": 0},
        "says": setup["says"],
    }  # fmt: skip
    assert blue == {
        "index": 1, "kind": "drop", "thrown": nothing_but({"blue": 4}), "out": nothing_but(BLUE_PHASE_OUT),
        "inside": {"blue": 3, "black": 2, "red": 1, "brown": 4, "green": 1, "yellow": 2, "white": 4},
        "facts": {"round": 1, "phase": "blue", "skipped": False, "colours_out": 4, "action_points": 4, "gold": 3},
        "says": "blue: blue 4, black 1, red 1, green 2: 4 action points, 3 gold",
    }  # fmt: skip


def test_what_is_received_is_quoted_in_words_that_every_client_knows():
    assert (quote(None), quote(True), quote(False)) == ("nothing", "true", "false")
    assert quote({"blue": True, "red": [None, "None"]}) == "{'blue': true, 'red': [nothing, 'None']}"


def test_the_python_of_the_docs_says_what_it_says(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    exec(code, {})
    assert f"# {capsys.readouterr().out.strip()}\n" in code
