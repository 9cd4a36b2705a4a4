"""Amerigo's rules as a file, and its game as a document for other programs."""

import json
import re
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from support.cases import each_case
from support.fakes import CoinTower, ScriptedTower
from support.rulebook import BLUE_PHASE_OUT, PUBLISHED, SETUP_INSIDE, SETUP_OUT, nothing_but

from tower_sim.errors import UsageError, shown
from tower_sim.games.amerigo import GAME, Rules, game_json, play
from tower_sim.games.amerigo.rulings import TokenRulings
from tower_sim.games.rulings import questions
from tower_sim.requests import read_rules


def written() -> dict[str, Any]:
    return tomllib.loads((resources.files("tower_sim.games.amerigo") / "amerigo.toml").read_text("utf-8"))


def test_the_shipped_file_is_the_published_game():
    assert GAME.read({"rules": written()}) == GAME.read({}) == PUBLISHED
    assert (PUBLISHED.drops, sum(PUBLISHED.counts.values()), len(PUBLISHED.supply(0.008))) == (36, 49, 49)
    assert PUBLISHED.phases == PUBLISHED.colours


def test_the_shipped_file_says_every_key():
    assert [*written(), "knocks"] == list(Rules.model_fields)


def test_the_shipped_file_says_the_default_of_every_ruling_and_the_docs_say_what_each_choice_means():
    assert written()["rulings"] == {name: next(iter(each.choices)) for name, each in questions(TokenRulings).items()}
    page = (Path(__file__).parents[2] / "docs/amerigo.md").read_text("utf-8")
    for name, each in questions(TokenRulings).items():
        said = " ".join(f"`{choice}`: {meaning}" for choice, meaning in each.choices.items())
        assert f"| `{name}` | {each.source} | {said} |" in page


def test_rulings_are_those_named_and_the_defaults_for_the_rest():
    rules = GAME.read({"rules": {"rulings": {"stand_in_tokens": "both"}}})
    assert rules == PUBLISHED.but(rulings=TokenRulings(stand_in_tokens="both"))
    assert (rules.rulings.stand_in_exchange, rules != PUBLISHED) == ("not_there", True)


def test_a_file_changes_what_it_names_and_keeps_the_rest(tmp_path):
    file = tmp_path / "house.toml"
    file.write_text('colours = ["red", "blue"]\nphases = ["blue"]\nsubstitute = ""\ncubes = { blue = 3, red = 0 }\n')
    rules = read_rules(GAME, file).rules
    assert rules == Rules(colours=("red", "blue"), phases=("blue",), substitute="", cubes={"red": 0, "blue": 3})
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
        ("rounds = -1", "rules.rounds is -1; allowed is a whole number from 0"),
        ("rounds = 2.5", "rounds is 2.5; allowed is a whole number"),
        ("rounds = true", "rounds is true; allowed is a whole number"),
        ("gold_divisor = 0", "gold_divisor is 0; allowed is a whole number from 1"),
        ("gold_divisor_with_token = 0", "gold_divisor_with_token is 0; allowed is a whole number from 1"),
        ("cubes = 0", "cubes is 0; allowed is a whole number from 1"),
        ('cubes = "7"', "cubes is '7'; allowed is a whole number"),
        ("cubes = { blue = 7 }", "allowed is a number for each of blue, black"),
        ('colours = ["a"]\nphases = []\nsubstitute = ""\ncubes = { a = 0 }', "allowed is one cube or more"),
        (
            'colours = ["a"]\nphases = []\nsubstitute = ""\ncubes = { a = "x" }',
            "rules.cubes is {'a': 'x'}; allowed is a whole",
        ),
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
        (
            "[rulings]\nstand_in_tokens = 'x'",
            "rules.rulings.stand_in_tokens is 'x'; allowed is one of carried_out, chosen, both",
        ),
        ("knocks = [3]", "rules.knocks is [3]; allowed is a table, each value a number from 0 to 1000"),
        ("knocks = { 36 = 1 }", "number of a knock is 36; allowed is a drop's, from 0 to 35"),
        ("knocks = { -1 = 1 }", "number of a knock is '-1'"),
        ("knocks = { 03 = 1 }", "number of a knock is '03'"),
        ("knocks = { '1.0' = 1 }", "number of a knock is '1.0'"),
        (f"knocks = {{ {'9' * 400} = 1 }}", "number of a knock is '999"),
        ("knocks = { 3 = true }", "rules.knocks.3 is true; allowed is a number"),
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
    assert "\n" not in message


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_refused_with_the_shipped_names(content, tmp_path):
    file = tmp_path / "house.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(
        UsageError, match=r"(cannot be read|is not UTF-8).*; (give a TOML file or one of .*amerigo|save it as UTF-8)"
    ):
        read_rules(GAME, str(file))


def test_the_json_document_has_the_promised_keys_in_order_and_counts_of_every_colour():
    model = CoinTower()
    rules = PUBLISHED.but(knocks={2: 0.5})
    entries = play(model, rules, 7)
    names = {"model": model.name, "apparatus": model.apparatus}
    made = game_json(entries, seed=2**127, **names, rules=rules)
    document = json.loads(json.dumps(made, allow_nan=False))
    assert list(document) == ["schema", "version", "seed", "model", "apparatus", "rules", "knocks", "drops"]
    head = {key: document[key] for key in list(document)[:7]}
    assert head == {
        "schema": "tower-sim/amerigo-game", "version": 1, "seed": str(2**127), "model": "coin", "apparatus": "coin",
        "rules": "amerigo", "knocks": {"2": 0.5},
    }  # fmt: skip
    assert len(document["drops"]) == 36
    for drop in document["drops"]:
        assert list(drop) == [
            "index", "round", "phase", "status", "attempts", "skipped", "thrown", "emerged", "inside", "waiting",
            "actions", "action_points", "gold",
        ]  # fmt: skip
        for key in ("thrown", "emerged", "inside", "waiting"):
            assert list(drop[key]) == list(PUBLISHED.colours)
        assert (drop["status"], type(drop["skipped"])) == ("settled", bool)


def test_the_rulebook_game_reads_as_the_promised_document():
    tower = ScriptedTower(drops=(SETUP_OUT, BLUE_PHASE_OUT))
    setup, blue = (entry.to_json() for entry in play(tower, PUBLISHED.but(rounds=1, phases=["blue"]), 7))
    none = nothing_but({})
    assert setup == {
        "index": 0, "round": 0, "phase": "setup", "status": "settled", "attempts": 1, "skipped": False,
        "thrown": dict.fromkeys(PUBLISHED.colours, 7), "emerged": SETUP_OUT, "inside": SETUP_INSIDE, "waiting": none,
        "actions": [], "action_points": 0, "gold": 0,
    }  # fmt: skip
    assert blue == {
        "index": 1, "round": 1, "phase": "blue", "status": "settled", "attempts": 1, "skipped": False,
        "thrown": nothing_but({"blue": 4}), "emerged": nothing_but(BLUE_PHASE_OUT),
        "inside": {"blue": 3, "black": 2, "red": 1, "brown": 4, "green": 1, "yellow": 2, "white": 4}, "waiting": none,
        "actions": ["blue", "black", "red", "green"], "action_points": 4, "gold": 3,
    }  # fmt: skip


def test_what_is_received_is_quoted_in_words_that_every_client_knows():
    assert (shown(None), shown(True), shown(False)) == ("nothing", "true", "false")
    assert shown({"blue": True, "red": [None, "None"]}) == "{'blue': true, 'red': [nothing, 'None']}"


def test_the_python_of_the_docs_says_what_it_says(capsys):
    (code,) = re.findall(
        r"```python\n(.*?)```", (Path(__file__).parents[2] / "docs/amerigo.md").read_text("utf-8"), re.S
    )
    exec(code, {})
    assert f"# {capsys.readouterr().out.strip()}\n" in code
