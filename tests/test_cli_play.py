"""`tower-sim play` with games that it has never heard of: their options, their odds, their clashes."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from support.cases import each_case

from tower_sim import cli, registry
from tower_sim.games.chain.game import ChainOfDrops
from tower_sim.games.ways import Asked, Option, Ways

Capture = pytest.CaptureFixture[str]
seen: list[Mapping[str, Any]] = []


class WordWays(Ways):
    """An option that another game has too, but as a word; a list, a switch, a choice, and a command of its own."""

    options = (
        Option("rounds", "WORD", "how many, in words", default="few"),
        Option("colour", "COLOUR", "may be repeated", repeated=True),
        Option("mood", "", "how it is played", choices=("calm", "wild")),
        Option("loud", "", "with bells"),
        Option("needed", "N", "what the command needs", whole=True, required=True),
    )
    command = "words"
    command_help = "play with words"

    def of_options(self, given: Mapping[str, Any], asked: Asked | None) -> Asked:
        seen.append(given)
        return super().of_options({}, asked)


class Words(ChainOfDrops):
    """A chain of drops with options of its own."""

    name = "words"
    title = "Words"
    apparatus = "amerigo"

    @property
    def ways(self) -> Ways:
        return WordWays(self)


GAME = Words()
PLAY = ("--model", "two_thirds", "--seed", "1", "--json")


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    seen.clear()
    with monkeypatch.context() as patched:
        patched.setitem(registry.OWN["game"], "words", f"{__name__}:GAME")
        registry._known.cache_clear()
        yield
    registry._known.cache_clear()


def test_options_of_a_game_come_to_it_as_they_were_declared_and_those_left_out_do_not():
    given = ("--rounds", "many", "--colour", "red", "--colour", "blue", "--mood", "wild", "--loud", "--needed", "3")
    for words in (("play", "words", *given), ("play", *given, "words"), ("words", *given)):
        assert cli.main([*words, *PLAY]) == 0
    several = {"rounds": "many", "colour": ["red", "blue"], "mood": "wild", "loud": True, "needed": 3}
    assert seen == [several] * 3
    assert cli.main(["play", "words", *PLAY]) == 0
    assert seen[-1] == {}


def test_the_document_is_that_of_the_game(capsys: Capture):
    assert cli.main(["words", "--needed", "1", *PLAY]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["apparatus"], document["seed"]) == ("tower-sim/chain", "amerigo", "1")


@each_case(
    ("words", "says"),
    [
        ("play words --mood wid", "argument --mood: 'wid'; allowed is one of calm, wild; did you mean wild?"),
        ("play words --needed x", "argument --needed: 'x'; allowed is a whole number"),
        (
            "play words --knock-after 3=1",
            "'--knock-after': it is of amerigo; words has --rounds, --colour, ",
        ),
        (
            "play amerigo --loud",
            "unknown option '--loud': it is of words; amerigo has --rounds, --knock-after of its own; see",
        ),
        ("play amerigo --rounds many", "argument --rounds: 'many'; allowed is a whole number"),
        ("play words --games 3", "unknown option '--games'"),
        ("words", "the following arguments are required: --needed"),
        ("word --needed 3", "did you mean words?"),
    ],
)
def test_an_option_that_the_game_named_does_not_take_is_refused_in_one_line(words: str, says: str, capsys: Capture):
    assert cli.main([*words.split(), *PLAY]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert says in told.err
    assert told.err.count("\n") == 1
    assert seen == []


def test_the_help_shows_the_options_of_every_game_under_its_name(capsys: Capture):
    with pytest.raises(SystemExit):
        cli.main(["play", "--help"])
    told = capsys.readouterr().out
    block = told.split("options of words:")[1]
    assert all(f"--{name}" in block for name in ("colour", "mood", "loud", "needed"))
    assert re.search(r"--mood \{calm,wild\}", block)
    assert told.count("\n  --rounds") == 1  # of the game that has it first


@each_case(
    ("words", "has", "lacks"),
    [
        (
            "play amerigo --help",
            ("usage: tower-sim play amerigo ", "--rounds", "--rules"),
            ("--side", "--attack", "--set"),
        ),
        ("play --help words", ("usage: tower-sim play words ", "--mood"), ("--knock-after",)),
        ("play wallenstein -h", ("--attack", "--games"), ("--rounds", "--side")),
        ("battle --game=wallenstein --help", ("--game wallenstein ", "--attack"), ("--side", "--rulings")),
        ("battle --help --game dead_reckoning", ("--side", "--games"), ("--attack",)),
    ],
)
def test_the_help_of_a_game_that_is_named_shows_its_options_alone(
    words: str, has: tuple[str, ...], lacks: tuple[str, ...], capsys: Capture
):
    with pytest.raises(SystemExit) as stop:
        cli.main(words.split())
    assert stop.value.code == 0
    told = capsys.readouterr().out
    assert all(word in told for word in has)
    assert not any(word in told for word in lacks)


def test_options_that_several_games_have_are_shown_under_all_their_names(capsys: Capture):
    with pytest.raises(SystemExit):
        cli.main(["play", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert "options of amazonas, seafarers, archipelago, wallenstein: --set KEY=VALUE" in told
    assert cli.main(["play", "amerigo", "--set", "a=1"]) == 2
    assert "it is of amazonas, seafarers, archipelago, wallenstein; amerigo has --rounds" in (capsys.readouterr().err)
