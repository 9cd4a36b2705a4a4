"""The command line's face: help, version, near misses, and one meaning for one option everywhere."""

import argparse
import re
from typing import Any, cast

import pytest
from support.cases import each_case
from support.command_line import COMMANDS

from tower_sim import cli, registry
from tower_sim.physics.engine import version_of
from tower_sim.physics.settings import ENGINE

Capture = pytest.CaptureFixture[str]


def test_there_are_as_many_commands_as_the_readme_tells():
    assert {name.split()[0] for name in COMMANDS} == {
        "play", "drop", "battle", "compare", "campaign", "study", "calibrate", "fairness", "serve", "surrogate", "show",
        "list", "completion", "redo", "odds", "live", "lab", "verify", "export", "design",
    }  # fmt: skip


@each_case("name", COMMANDS)
def test_every_option_has_a_help_text_and_says_its_default(name: str, capsys: Capture):
    with pytest.raises(SystemExit):
        cli.main([*name.split(), "--help"])
    told = " ".join(capsys.readouterr().out.split())
    formatter: Any = cast("Any", COMMANDS[name].formatter_class)("x")
    for action in COMMANDS[name]._actions:
        assert action.help, action.dest
        if action.option_strings and not any(action.default is x for x in (None, False, "", argparse.SUPPRESS)):
            words = formatter._expand_help(action)  # a seed of 0 is a default too, though 0 == False
            assert action.default == [] or "default" in words, action.dest
            assert "".join(words.split()) in "".join(told.split())  # a line may end at a hyphen


COMMON = {
    "--apparatus": r"a shipped profile \(.*\) or a TOML file( \(default: .*\))?",
    "--model": r"physics, surrogate,?( two_thirds)? or a fitted model's .json file",
    "--engine": rf"rigid-body engine of physics: {', '.join(registry.names('engine'))} \(default: {ENGINE}\)",
    "--accuracy": r"how finely the engine computes: [a-z, ]+ \(default: standard\)",
    "--seed": r"decides all that is random, 0 to 2\^128 - 1 \(default: drawn, and printed\)",
    "--rules": r"house rules as TOML, a file that compare takes too \(default: the published rules\)",
    "--output": None,  # each writes something else
    "--json": r"print one JSON document and nothing else",
    "--save-plot": r"also draw .* into FILE \(\.png, \.pdf or \.svg\)",
    "--replay": r"also write a page that shows .* falling \(\.html\), or a scene \(\.glb\)",
    "--games": r"how many .*, \d+ (to \d+|or more).*",
    "--workers": r"processes to use \(default: all cores\)",
}
DEFAULTS = {  # of commands whose purpose asks for another one than most have
    "--apparatus": {"play": None, "battle": "dead_reckoning", "fairness": "amerigo"},
    "--model": {"compare": "surrogate", "odds": "surrogate"},
    "--games": {"fairness": 24},
}
USUAL = {"--model": "physics", "--json": False}


@each_case("option", COMMON)
def test_one_option_means_one_thing_everywhere(option: str):
    """The same spellings, reader, metavar, words and default, apart from those few that a command's purpose changes."""
    seen: dict[str, argparse.Action] = {}
    for name, parser in COMMANDS.items():
        for action in parser._actions:
            if option in action.option_strings:
                seen[name] = action
    assert len(seen) >= (1 if option == "--rules" else 2)
    assert len({(tuple(a.option_strings), a.type, a.nargs, a.dest) for a in seen.values()}) == 1
    words = COMMON[option]
    for name, action in seen.items():
        assert words is None or re.fullmatch(words, action.help or ""), (name, action.help)
        assert action.default == DEFAULTS.get(option, {}).get(name, USUAL.get(option)), name
    if option == "--output":
        assert all("-o" in a.option_strings for a in seen.values())
    else:
        assert len({a.metavar for a in seen.values()}) == 1


def test_every_command_that_takes_a_model_takes_its_engine_and_accuracy_and_fairness_too():
    taking = {
        option: {name for name, parser in COMMANDS.items() if parser.has(option)}
        for option in ("--model", "--engine", "--accuracy")
    }
    assert taking["--engine"] == taking["--accuracy"] == taking["--model"] | {"fairness"}
    assert taking["--model"] >= {"play", "drop", "battle", "compare"}


def test_no_option_of_another_spelling_means_what_a_common_one_means():
    """What stands for a file that is written, a seed or a number of processes is called as everywhere."""
    for name, parser in COMMANDS.items():
        spelt = {spelling for action in parser._actions for spelling in action.option_strings}
        if name == "design":
            spelt.remove("--out")  # a wish: cubes that come out
        assert spelt.isdisjoint(
            {"--out", "--plot", "--profile", "--tower", "--ship", "--jobs", "--runs", "-n", "-s"}
        ), name


@each_case("words", [[], ["campaign"], ["surrogate"]])
def test_a_bare_command_shows_its_help(words: list[str], capsys: Capture):
    with pytest.raises(SystemExit) as stop:
        cli.main(words)
    assert stop.value.code == 0
    assert f"usage: {' '.join(['tower-sim', *words])} [-h]" in capsys.readouterr().out


def test_the_version_is_told_with_what_it_runs_on(capsys: Capture):
    with pytest.raises(SystemExit) as stop:
        cli.main(["--version"])
    assert stop.value.code == 0
    told = re.fullmatch(r"tower-sim \d+\.\d+\.\d+ \(Python 3\.\d+\.\d+, (.*)\)\n", capsys.readouterr().out)
    assert told
    first, *others = told[1].split(", ")
    assert first == f"{registry.get('engine', ENGINE).title} {version_of(ENGINE)}"
    assert len(others) == len(registry.OWN["engine"]) - 1


@each_case(
    ("words", "said"),
    [
        ("pley amerigo", "did you mean play?; see tower-sim --help"),
        ("completion bahs", "did you mean bash?; see tower-sim completion --help"),
        ("battle --cubes a=1,b=1 --kind merchnt", "did you mean merchant?; see tower-sim battle --help"),
        ("battle --cubes purple=1,green=1 --ability gren=throw:2", "did you mean green?"),
        ("battle --cubes purple=1,green=1 --active gren", "did you mean green?"),
        ("play dead_reckoning --cubes a=1,b=1 --kind merchnt", "did you mean merchant?; see tower-sim play --help"),
        ("play amerigo --rouns 3", "did you mean --rounds?; see tower-sim play --help"),
        ("play amerigo --kind ship", "unknown option '--kind'"),
        ("compare amerigo --set cubez=6 --games 10", "did you mean cubes?"),
        ("compare amerigo --set rulings.stand_in_token=both --games 10", "did you mean stand_in_tokens?"),
        ("play amerigoo", "did you mean amerigo?; see tower-sim play --help"),
        ("play amerigo --sede 3", "unknown option '--sede'; did you mean --seed?; see tower-sim play --help"),
        ("campaign run a.toml -o b --wokers 2", "did you mean --workers?; see tower-sim campaign run --help"),
        ("study a -o b --out c", "unknown option '--out'; did you mean --output?; see tower-sim study --help"),
        ("study a b -o c", "unknown argument 'b'; see tower-sim study --help"),
        ("--sede", "see tower-sim --help"),
        ("play amerigo --apparatus amerigoo", "did you mean amerigo?"),
        ("play amerigo --model surogate", "did you mean surrogate?"),
        ("play amerigo --engine bulet", "did you mean bullet?"),
        ("battle --cubes purple=1,green=1 --engine bulet", "did you mean bullet?"),
        ("drop amerigo --cubes red=1 --accuracy standart", "did you mean standard?"),
        ("compare amerigo --set cubes=6 --games 10 --model physics --accuracy standart", "did you mean standard?"),
        ("fairness my_tower --accuracy standart", "did you mean standard?"),
    ],
)
def test_a_near_miss_is_suggested_with_the_help_of_that_command(words: str, said: str, capsys: Capture):
    assert cli.main(words.split()) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert said in told.err
    assert told.err.count("\n") == 1
