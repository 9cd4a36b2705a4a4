"""The command line's face: help, version, near misses, and one meaning for one option everywhere."""

import re
import shlex
import subprocess
import sys
from collections import defaultdict

import pytest
from support.cases import each_case
from support.command_line import COMMANDS, WHOLE

from tests.measure import commands
from tower_sim import cli, registry
from tower_sim.cli.commands import _GROUPS
from tower_sim.physics.engine import version_of
from tower_sim.physics.settings import ENGINE

Capture = pytest.CaptureFixture[str]


def shown_help(words: list[str], capsys: Capture) -> str:
    assert cli.main([*words, "--help"]) == 0
    return f" {' '.join(capsys.readouterr().out.split())} "


def test_there_are_nine_commands_in_three_groups_with_a_sentence_each(capsys: Capture):
    listed = shown_help([], capsys)
    assert {name for names in _GROUPS.values() for name in names} == {*WHOLE.commands}
    assert len(WHOLE.commands) == 9
    for name, command in WHOLE.commands.items():
        assert f" {name} {' '.join(command.help.split())} " in listed


@each_case("name", COMMANDS)
def test_a_command_says_in_one_sentence_what_it_does_and_shows_an_example_that_parses(name: str, capsys: Capture):
    sentence, example = COMMANDS[name].help, COMMANDS[name].epilog
    told = shown_help(name.split(), capsys)
    assert re.fullmatch(r"[A-Z][^.]+\w\.", sentence)
    assert len(sentence.split()) <= 30
    assert f" {sentence} " in told
    assert told.endswith(f" Example: {example} ")
    assert f"{example} ".startswith(f"tower-sim {name} ")
    COMMANDS[name].make_context(name, shlex.split(example)[1 + len(name.split()) :])


def test_the_page_of_commands_is_what_the_parser_says():
    """After a change of a command or an option: python -m tests.measure.commands."""
    assert commands.PAGE.read_text("utf-8") == commands.page()


def test_one_option_means_one_thing_everywhere():
    """The same spellings and metavar; the same words, apart from those few that a command's purpose changes."""
    words, spelt = defaultdict(set), defaultdict(set)
    for command in COMMANDS.values():
        for param in command.params:
            assert param.help, (command.name, param.name)
            if param.opts[0].startswith("-"):
                words[param.opts[0]].add(param.help)
                spelt[param.opts[0]].add((*param.opts, param.metavar))
    several = {"--games", "--knock", "--output", "--tower"}
    assert {option for option, helps in words.items() if len(helps) > 1} <= several
    assert all(len(each) == 1 or option == "--output" for option, each in spelt.items())
    assert {"--seed", "--model", "--engine", "--accuracy", "--json", "--set"} <= {*words}


@each_case("words", [[], ["campaign"], ["model"], ["tower"], ["page"]])
def test_a_bare_command_shows_its_help(words: list[str], capsys: Capture):
    assert cli.main(words) == 0
    assert f"Usage: {' '.join(['tower-sim', *words])} [OPTIONS]" in capsys.readouterr().out


def test_the_version_is_told_with_what_it_runs_on(capsys: Capture):
    assert cli.main(["--version"]) == 0
    told = re.fullmatch(r"tower-sim \d+\.\d+\.\d+ \(Python 3\.\d+\.\d+, (.*)\)\n", capsys.readouterr().out)
    assert told
    first, *others = told[1].split(", ")
    assert first == f"{registry.get('engine', ENGINE).title} {version_of(ENGINE)}"
    assert len(others) == len(registry.OWN["engine"]) - 1


def test_the_help_imports_nothing_that_computes():
    asked = "import sys; from tower_sim.cli import main; main(['--help']); sys.exit('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_rules_of_a_game_are_listed_with_what_is_allowed(capsys: Capture):
    assert cli.main(["play", "seafarers", "--help-rules"]) == 0
    told = capsys.readouterr().out
    assert "turns: turns of a game (a whole number from 1 to 300; default: 60)" in told


@each_case(
    ("words", "said"),
    [
        ("pley amerigo", "unknown command 'pley'; did you mean play?; see tower-sim --help"),
        ("play amerigo --sett a=3", "did you mean --set?; see tower-sim play --help"),
        ("play dead_reckoning --set combat=merchnt", "did you mean merchant?"),
        ("play dead_reckoning --set abilities.gren=['throw']", "did you mean green?"),
        ("play amerigo --set rouns=3", "did you mean rounds?"),
        ("compare amerigo --set cubez=6 --games 10", "did you mean cubes?"),
        ("compare amerigo --set rulings.stand_in_token=both --games 10", "did you mean stand_in_tokens?"),
        ("play amerigoo", "did you mean amerigo?"),
        ("play amerigo --sede 3", "unknown option '--sede'; did you mean --seed?; see tower-sim play --help"),
        ("play amerigo --seed x", "--seed is 'x'; allowed is a whole number from 0 to 2^128 - 1"),
        ("campaign run a.toml -o b --wokers 2", "did you mean --workers?; see tower-sim campaign run --help"),
        ("campaign report a -o b --out c", "did you mean --output?; see tower-sim campaign report --help"),
        ("campaign report a b -o c", "see tower-sim campaign report --help"),
        ("campaign ferify a", "unknown command 'ferify'"),
        ("--sede", "see tower-sim --help"),
        ("play amerigo --tower amerigoo", "did you mean amerigo?"),
        ("play amerigo --model surogate", "did you mean surrogate?"),
        ("play amerigo --engine bulet", "did you mean bullet?"),
        ("throw amerigo --cubes red=1 --accuracy standart", "did you mean standard?"),
        ("throw amerigo --cubes red=1 --times many", "--times is 'many'; allowed is a whole number from 2 to 1000000"),
        ("throw amerigo", "nothing to do: --cubes is empty and there is no --knock; try --cubes blue=4,red=2"),
        ("throw amerigo --cubes red=1 --cubes red=2", "allowed is one throw without --times; add --times 200"),
        ("throw amerigo --times 3", "there is no --cubes; allowed with --times are one or more"),
        ("tower test my_tower --accuracy standart", "did you mean standard?"),
        ("model export amerigo --to jss -o x", "did you mean js?"),
        ("--", "Missing command"),
        ("play chess", "'chess'"),
        ("play amerigo --seed -1", "--seed"),
        ("play amerigo --set rounds=-1", "rounds"),
        ("play chain", "no apparatus is named, and chain has none of its own; allowed is one of amerigo"),
        ("play mine", "push_your_luck or the path of a Python file"),
        ("play wallenstein --set attackers=41", "rules.attackers is 41; allowed is a whole number from 0 to 40"),
        ("play chain --tower amerigo --set drops=0", "chain.drops is 0; allowed is a whole number from 1 to 32767;"),
        (
            "play chain --tower amerigo --set drops",
            "'drops'; allowed is KEY=VALUE, each key once; the keys are",
        ),
        ("play chain --tower amerigo --set policy=covr", "'covr'; allowed is one of fixed, uniform, cover;"),
        ("play amerigo --rules nowhere.toml", "nowhere.toml"),
        ("play amerigo --tower nowhere", "nowhere"),
        ("play amerigo --save-plot game.docx", "game.docx"),
        ("throw amerigo --cubes blue", "COLOUR=N"),
        ("throw amerigo --cubes blue=-3", "COLOUR=N"),
        ("throw amerigo --cubes blue=1,blue=2", "once"),
        ("throw amerigo --cubes blue=5000", "500"),
        ("throw amerigo --cubes blue=1 --knock nan", "allowed is a number from 0 to 5 (peak acceleration in g)"),
        ("throw amerigo --cubes blue=1 --state @/nowhere", "/nowhere"),
        ("throw amerigo --times 3 --cubes bleu=1", "did you mean blue"),
        ("throw amerigo --times 3 --cubes blue=1 --model nonsense", "nonsense"),
        ("throw amerigo --times 3 --state TOWER3.x --cubes blue=1", "token"),
        ("throw amerigo --times 3 --cubes blue=501", "501"),
        ("throw amerigo --times 3 --cubes blue=1 --knock 1", "--knock is 1; allowed is none with --times"),
        ("tower show amerigo -o /nowhere/tower.png", "/nowhere"),
        ("serve --port 3", "--port is of the service on the network; add --http, or leave it out"),
    ],
)
def test_the_callers_mistake_is_one_line_that_says_what_is_allowed_or_was_meant(words: str, said: str, capsys: Capture):
    assert cli.main(words.split()) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert said in told.err
    assert told.err.count("\n") == 1
