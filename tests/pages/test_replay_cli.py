"""`tower-sim page replay`: what is written, and what is refused before any work."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.cases import each_case
from support.command_line import refusal
from support.web import document_in

from tower_sim.cli import main

Capture = pytest.CaptureFixture[str]
DROP = ("throw", "amerigo", "--cubes", "blue=6,red=3", "--seed", "7")
BATTLE = ("play", "dead_reckoning", "--set", "cubes={purple=6,green=3}", "--seed", "7")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(capsys: Capture, *words: str) -> str:
    assert main(list(words)) == 0
    return capsys.readouterr().out


def replay_document(capsys: Capture, words: tuple[str, ...], file: str = "game.html") -> dict[str, Any]:
    run(capsys, "page", "replay", *words[1:], "-o", file)
    return document_in(Path(file), "replay")


def test_the_page_of_a_throw_has_its_seed_its_colours_and_its_state(capsys: Capture):
    document = json.loads(run(capsys, *DROP, "--knock", "1", "--json"))
    replay = replay_document(capsys, (*DROP, "--knock", "1"))
    about = replay["about"]
    assert (about["apparatus"], about["model"], about["seed"]) == ("amerigo", "physics", "7")
    assert (about["engine"], about["accuracy"], about["game"]) == ("core", "standard", None)
    assert [colour["name"] for colour in replay["colours"]] == ["blue", "red"]
    assert replay["cubes"] == [[number, int(number > 5)] for number in range(9)]
    assert replay["parts"] == [{"before": None, "after": document["state"]}]
    assert [step["takes"] for step in replay["steps"]] == [2]


def test_a_throw_into_a_state_shows_only_that_throw(capsys: Capture):
    token = json.loads(run(capsys, *DROP, "--json"))["state"]
    replay = replay_document(capsys, ("throw", "amerigo", "--state", token, "--knock", "3", "--seed", "1"))
    assert replay["title"] == "A knock in amerigo"
    assert replay["parts"][0]["before"] == token
    assert [step["takes"] for step in replay["steps"]] == [1]


@pytest.mark.parametrize("words", [BATTLE, ("play", "amerigo", "--set", "rounds=1", "--seed", "3")])
def test_a_game_has_a_step_for_every_line_and_no_line_is_another(words: tuple[str, ...], capsys: Capture):
    plain = run(capsys, *words)
    replay = replay_document(capsys, words)
    texts = [step["text"] for step in replay["steps"]]
    assert [line for line in plain.splitlines() if line in texts] == texts
    assert replay["summary"] in plain
    assert (replay["heading"] or "") in plain


def test_a_knock_in_a_game_is_a_take_of_its_turn(capsys: Capture):
    words = ("play", "amerigo", "--set", "rounds=1", "--seed", "11", "--set", "knocks.2=2")
    takes = [step["takes"] for step in replay_document(capsys, words)["steps"]]
    assert takes == [1, 1, 2, *[1] * 5]


def test_a_game_that_begins_again_with_an_empty_tower_has_a_part_for_each(capsys: Capture):
    replay = replay_document(capsys, ("play", "push_your_luck", "--set", "rounds=2", "--seed", "3"))
    assert replay["parts"][0]["before"] is None
    assert sum(step["takes"] for step in replay["steps"]) >= 2


def test_any_other_game_has_a_page_too(capsys: Capture):
    replay = replay_document(capsys, ("play", "wallenstein", "--seed", "3"))
    assert replay["about"]["game"] == "wallenstein"
    assert sum(step["takes"] for step in replay["steps"]) == len(replay["steps"]) > 2


@each_case(
    ("words", "named"),
    [
        ((*DROP[1:], "-o", "drop.mp4"), "'drop.mp4' ends in '.mp4'; allowed is .html; try a name"),
        ((*DROP[1:], "-o", "nowhere/drop.html"), "an existing folder"),
        ((*BATTLE[1:], "-o", "battle.html", "--model", "surrogate"), "unknown option '--model'"),
        (("amerigo", "-o", "game"), "ends in ''"),
        (("amerigo", "-o", "game.html", "--engine", "bullet"), "engine is 'bullet'; allowed is core"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_one_line_before_any_work(
    words: tuple[str, ...], named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("tower_sim.physics.scene.Scene.settle", None)  # nothing may fall
    assert named in refusal("page", "replay", *words, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []
