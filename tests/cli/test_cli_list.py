"""`tower-sim tower list` and `tower-sim completion`: what there is, for people, programs and shells."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tower_sim import cli
from tower_sim.apparatus import names
from tower_sim.cli.towers import make_document
from tower_sim.models import MODELS, open_model
from tower_sim.tools import registry

TOY = Path(__file__).parents[1] / "toy"
SHELLS = ("bash", "zsh", "fish")


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


def tower_sim_with(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-m", "tower_sim", *words]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def test_what_another_package_brings_is_listed_with_its_name():
    commands = ("tower list", "tower list --json", "play toy_game --help-rules")
    runs = [tower_sim_with(TOY, *words.split()) for words in commands]
    assert [done.stderr for done in runs] == ["", "", ""]
    assert runs[0].stdout.count("[from toy_package]") == 3
    document = json.loads(runs[1].stdout)
    entries = [entry for key in ("apparatus", "games", "engines") for entry in document[key] if "toy" in entry["name"]]
    assert [entry["package"] for entry in entries] == ["toy_package"] * 3
    assert "cubes: red cubes" in runs[2].stdout


@pytest.mark.slow
def test_what_cannot_be_loaded_is_listed_with_the_reason_and_ends_nothing(tmp_path: Path):
    info = tmp_path / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[tower_sim.game]\nbroken_game = broken_package:GAME\n")
    games = json.loads(tower_sim_with(tmp_path, "tower", "list", "--json").stdout)["games"]
    entry = next(entry for entry in games if entry["name"] == "broken_game")
    assert "cannot be loaded" in entry["error"]
    assert tower_sim_with(tmp_path, "play", "--help").returncode == 0
    assert tower_sim_with(tmp_path, "--help").returncode == 0


def test_every_model_of_the_list_can_be_opened():
    from tower_sim import load

    for name in MODELS:
        with open_model(load("amerigo"), name) as model:
            assert model.name == name
