"""`tower-sim list` and `tower-sim completion`: what there is, for people, programs and shells."""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.cases import each_case
from support.command_line import COMMANDS, tower_sim

from tower_sim import cli, registry
from tower_sim.apparatus.catalogue import names
from tower_sim.cli.completion import _MARK, places
from tower_sim.cli.list import listed
from tower_sim.models import MODELS, open_model

TOY = Path(__file__).parent / "toy"
SHELLS = ("bash", "zsh", "fish")


def test_the_list_has_all_that_is_registered_each_with_a_plain_sentence_and_its_package():
    document = listed()
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
    assert cli.main(["list"]) == 0
    told = capsys.readouterr().out
    document = listed()
    for key in ("apparatus", "games", "engines", "models"):
        for entry in document[key]:
            assert f"  {entry['name']} " in told
            assert entry["about"] in told
            assert ", ".join(entry.get("accuracies", [])) in told
    assert "from tower_sim" not in told


def test_what_another_package_brings_is_listed_with_its_name():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TOY), os.environ.get("PYTHONPATH", "")])}
    told = [
        subprocess.run([sys.executable, "-m", "tower_sim", *words], capture_output=True, text=True, env=environment)
        for words in (["list"], ["list", "--json"], ["play", "toy_game", "--help"])
    ]
    assert [done.stderr for done in told] == ["", "", ""]
    assert told[0].stdout.count("[from toy_package]") == 3
    document = json.loads(told[1].stdout)
    brought = [entry for key in ("apparatus", "games", "engines") for entry in document[key] if "toy" in entry["name"]]
    assert [entry["package"] for entry in brought] == ["toy_package"] * 3
    assert "toy_game" in told[2].stdout


@pytest.mark.whole
def test_what_cannot_be_loaded_is_listed_with_the_reason_and_ends_nothing(tmp_path: Path):
    info = tmp_path / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[tower_sim.game]\nbroken_game = broken_package:GAME\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tower_sim", *words]
        return subprocess.run(command, capture_output=True, text=True, env=environment)

    entry = next(e for e in json.loads(run("list", "--json").stdout)["games"] if e["name"] == "broken_game")
    assert "cannot be loaded" in entry["error"]
    assert run("play", "--help").returncode == 0
    assert run("--help").returncode == 0


def test_every_model_of_the_list_can_be_opened():
    from tower_sim import load

    for name in MODELS:
        with open_model(load("amerigo"), name) as model:
            assert model.name == name


# Completion


def test_the_places_of_completion_are_the_commands_with_all_their_options():
    found = {place.path.replace("/", " ").strip(): place for place in places(cli.parser())}
    assert {name for name in found if name not in ("", "campaign", "surrogate")} == set(COMMANDS)
    for name, parser in COMMANDS.items():
        spelt = {spelling for option in found[name].options for spelling in option.spellings}
        assert spelt == {spelling for action in parser._actions for spelling in action.option_strings}
        for action in parser._actions:
            of = next((o for o in found[name].options if set(o.spellings) & set(action.option_strings)), None)
            if of and action.choices:
                assert (of.values or ())[: len(choices := tuple(action.choices))] == choices  # files too may follow
            if of:
                assert (of.values is None) == (action.nargs == 0)
    assert {word for word, _ in found["play"].words} == {*registry.names("game"), _MARK}
    assert {"play", "battle", "list"} <= {word for word, _ in found[""].words}
    assert {word for word, _ in found["campaign"].words} == {"run", "status", "verify"}


def completed(shell: str, line: str, tmp_path: Path) -> set[str]:
    """The words that a shell offers after `line`, in an empty directory with one file."""
    here = tmp_path / "here"
    here.mkdir()
    (here / "mine.toml").touch()
    script = tmp_path / "script"
    script.write_text(tower_sim("completion", shell).stdout)
    if shell == "fish":
        command = ["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"]
    else:
        words = " ".join(f"'{word}'" for word in line.split(" "))
        typed = f"COMP_WORDS=({words}); COMP_CWORD={line.count(' ')}"
        run = f'source {script}; {typed}; _tower_sim; printf "%s\\n" "${{COMPREPLY[@]}}"'
        command = ["bash", "--norc", "-c", run]
    environment = {**os.environ, "HOME": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=here, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    return {said.split("\t")[0] for said in done.stdout.splitlines() if said}


@pytest.mark.whole
@pytest.mark.parametrize("shell", ["bash", "fish"])
@each_case(
    ("line", "offered"),
    [
        ("tower-sim pl", {"play"}),
        ("tower-sim campaign ", {"run", "status", "verify"}),
        ("tower-sim play ", {*registry.names("game"), "mine.toml"}),
        ("tower-sim play amerigo --mod", {"--model"}),
        ("tower-sim play amerigo --model ", {*MODELS, "mine.toml"}),
        ("tower-sim battle --kind m", {"merchant"}),
        ("tower-sim drop amerigo-", {"amerigo-club", "amerigo-rulebook"}),
        ("tower-sim play --seed ", set()),
        ("tower-sim surrogate export x.json --to ", {"js", "json", "npm", "lua", "php", "java"}),
        ("tower-sim campaign run m", {"mine.toml"}),
        ("tower-sim completion ", set(SHELLS)),
    ],
)
def test_a_shell_offers_what_may_come_next(shell: str, line: str, offered: set[str], tmp_path: Path):
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    assert completed(shell, line, tmp_path) == offered


@each_case("shell", SHELLS)
def test_a_script_is_what_its_shell_can_read(shell: str, tmp_path: Path):
    script = tower_sim("completion", shell).stdout
    assert "'" in script or '"' in script
    assert "%(" not in script
    assert argparse.SUPPRESS not in script
    if shutil.which(shell):
        (tmp_path / "script").write_text(script)
        done = subprocess.run([shell, "-n", str(tmp_path / "script")], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
