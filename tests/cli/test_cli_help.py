"""The command line's face: help, version, files that nobody named, and one meaning for one option everywhere."""

import re
import shlex
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from support.cases import each_case
from support.command_line import COMMANDS, WHOLE

from calibration.validation import commands
from tower_sim import cli
from tower_sim.apparatus import names
from tower_sim.cli.commands import _GROUPS
from tower_sim.cli.towers import make_document
from tower_sim.models import MODELS
from tower_sim.physics import ENGINE, find_version
from tower_sim.tools import registry

Capture = pytest.CaptureFixture[str]


def help_text(words: list[str], capsys: Capture) -> str:
    assert cli.main([*words, "--help"]) == 0
    return f" {' '.join(capsys.readouterr().out.split())} "


def test_there_are_nine_commands_in_three_groups_with_a_sentence_each(capsys: Capture):
    text = help_text([], capsys)
    assert {name for names in _GROUPS.values() for name in names} == {*WHOLE.commands}
    assert len(WHOLE.commands) == 9
    for name, command in WHOLE.commands.items():
        assert f" {name} {' '.join(command.help.split())} " in text


@each_case("name", COMMANDS)
def test_a_command_says_in_one_sentence_what_it_does_and_shows_an_example_that_parses(name: str, capsys: Capture):
    sentence, example = COMMANDS[name].help, COMMANDS[name].epilog
    text = help_text(name.split(), capsys)
    assert re.fullmatch(r"[A-Z][^.]+\w\.", sentence)
    assert len(sentence.split()) <= 30
    assert f" {sentence} " in text
    assert text.endswith(f" Example: {example} ")
    assert f"{example} ".startswith(f"tower-sim {name} ")
    COMMANDS[name].make_context(name, shlex.split(example)[1 + len(name.split()) :])


def test_the_page_of_commands_is_what_the_parser_says():
    """After a change of a command or an option: python -m calibration.validation.commands."""
    assert commands.PAGE.read_text("utf-8") == commands.page()


def test_one_option_means_one_thing_everywhere():
    """The same spellings and metavar; the same words, apart from those few that a command's purpose changes."""
    words, spellings = defaultdict(set), defaultdict(set)
    for command in COMMANDS.values():
        for param in command.params:
            assert param.help, (command.name, param.name)
            if param.opts[0].startswith("-"):
                words[param.opts[0]].add(param.help)
                spellings[param.opts[0]].add((*param.opts, param.metavar))
    several = {"--games", "--knock", "--output", "--tower"}
    assert {option for option, helps in words.items() if len(helps) > 1} <= several
    assert all(len(each) == 1 or option == "--output" for option, each in spellings.items())
    assert {"--seed", "--model", "--engine", "--accuracy", "--json", "--set"} <= {*words}


@each_case("words", [[], ["campaign"], ["model"], ["tower"], ["page"]])
def test_a_bare_command_shows_its_help(words: list[str], capsys: Capture):
    assert cli.main(words) == 0
    assert f"Usage: {' '.join(['tower-sim', *words])} [OPTIONS]" in capsys.readouterr().out


def test_the_version_is_told_with_what_it_runs_on(capsys: Capture):
    assert cli.main(["--version"]) == 0
    match = re.fullmatch(r"tower-sim \d+\.\d+\.\d+ \(Python 3\.\d+\.\d+, (.*)\)\n", capsys.readouterr().out)
    assert match
    first, *others = match[1].split(", ")
    assert first == f"{registry.get('engine', ENGINE).title} {find_version(ENGINE)}"
    assert len(others) == len(registry.OWN["engine"]) - 1


def test_the_help_imports_nothing_that_computes():
    code = "import sys; from tower_sim.cli import main; main(['--help']); sys.exit('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_rules_of_a_game_are_listed_with_what_is_allowed(capsys: Capture):
    assert cli.main(["play", "seafarers", "--help-rules"]) == 0
    text = capsys.readouterr().out
    assert "turns: turns of a game (a whole number from 1 to 300; default: 60)" in text


@each_case(("words", "name"), [
    ("page lab", "lab.html"),
    ("page record", "record.html"),
    ("page live --tower amerigo", "live.html"),
    ("page replay amerigo --cubes blue=1 --seed 7", "amerigo.html"),
    ("tower export amerigo", "amerigo.stl"),
    ("tower show amerigo", "amerigo.png"),
])  # fmt: skip
def test_a_file_that_nobody_named_is_new_and_never_replaces_another(
    words: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
):
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("mine")
    assert cli.main(words.split()) == 0
    second = Path(name).with_stem(f"{Path(name).stem}-2")
    assert (Path(name).read_text(), second.stat().st_size > 1000) == ("mine", True)
    assert second.name in capsys.readouterr().out


TOY = Path(__file__).parents[1] / "toy"


def test_the_list_has_all_that_is_registered_each_with_a_plain_sentence_and_its_package():
    document = make_document()
    assert list(document) == ["schema", "version", "apparatus", "games", "engines", "models"]
    for key, group in (("apparatus", "apparatus"), ("games", "game"), ("engines", "engine")):
        assert [entry["name"] for entry in document[key]] == list(registry.names(group))
    assert [entry["name"] for entry in document["models"]] == list(MODELS)
    profiles = [name for entry in document["apparatus"] for name in entry["profiles"]]
    assert sorted(profiles) == names()
    for key in ("apparatus", "games", "engines", "models"):
        for entry in document[key]:
            assert entry["package"] == "tower_sim"
            assert entry["error"] is None
            assert len(entry["about"].split()) > 4
            assert not entry["about"].endswith(".")


def test_the_list_for_people_names_the_same_things(capsys: pytest.CaptureFixture[str]):
    assert cli.main(["tower", "list"]) == 0
    text = capsys.readouterr().out
    document = make_document()
    for key in ("apparatus", "games", "engines", "models"):
        for entry in document[key]:
            assert f"  {entry['name']} " in text
            assert entry["about"] in text
            assert ", ".join(entry.get("accuracies", [])) in text
    assert "from tower_sim" not in text
