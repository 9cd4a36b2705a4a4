"""`tower-sim page replay`: what is written, and what is refused before any work."""

import json
from collections import Counter
from pathlib import Path

import pytest
from support.cases import each_case

from tests.support.browser import browsing, needs_browser
from tower_sim.cli import main
from tower_sim.replay.document import Replay

Capture = pytest.CaptureFixture[str]
DROP = ("throw", "amerigo", "--cubes", "blue=6,red=3", "--seed", "7")
BATTLE = ("play", "dead_reckoning", "--set", "cubes={purple=6,green=3}", "--seed", "7")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def told(capsys: Capture, *words: str) -> str:
    assert main(list(words)) == 0
    return capsys.readouterr().out


def read(name: str) -> Replay:
    return Replay.read(Path(name).read_text("utf-8"))


def shown(capsys: Capture, words: tuple[str, ...], file: str = "game.html") -> Replay:
    """Write the page of a game or a throw, and read it."""
    told(capsys, "page", "replay", *words[1:], "-o", file)
    return read(file)


def test_the_page_of_a_throw_says_what_its_document_says(capsys: Capture):
    document = json.loads(told(capsys, *DROP, "--knock", "1", "--json"))
    replay = shown(capsys, (*DROP, "--knock", "1"))
    about = replay.header["about"]
    assert (about["apparatus"], about["model"], about["seed"]) == ("amerigo", "physics", "7")
    assert (about["engine"], about["accuracy"], about["game"]) == ("core", "standard", None)
    names = [colour["name"] for colour in replay.header["colours"]]
    assert names == ["blue", "red"]
    colours = {number: names[colour] for number, colour in replay.header["cubes"]}
    knock, throw = replay.takes()
    assert (knock["kind"], knock["strength"]) == ("knock", 1)
    assert [[number, place] for number, place, _ in throw["rest"]] == [
        [landing["cube"], landing["place"]] for landing in document["landings"]
    ]
    inside = Counter(colours[number] for number, place, _ in throw["rest"] if place.startswith("inside:"))
    assert inside == {colour: n for colour, n in document["inside"].items() if n}


def test_a_knock_alone_has_a_page_too(capsys: Capture):
    token = json.loads(told(capsys, *DROP, "--json"))["state"]
    replay = shown(capsys, ("throw", "amerigo", "--state", token, "--knock", "3", "--seed", "1"))
    assert replay.title == "A knock in amerigo"
    assert [take["kind"] for take in replay.takes()] == ["knock"]


@pytest.mark.parametrize("words", [BATTLE, ("play", "amerigo", "--set", "rounds=1", "--seed", "3")])
def test_a_game_has_a_step_for_every_line_and_no_line_is_another(words: tuple[str, ...], capsys: Capture):
    plain = told(capsys, *words)
    replay = shown(capsys, words)
    texts = [step["text"] for step in replay.header["steps"]]
    assert [line for line in plain.splitlines() if line in texts] == texts
    assert replay.header["summary"] in plain
    assert (replay.header["heading"] or "") in plain
    assert all(take["frames"] > 1 for take in replay.takes())


def test_a_knock_in_a_game_is_a_take_of_its_turn(capsys: Capture):
    words = ("play", "amerigo", "--set", "rounds=1", "--seed", "11", "--set", "knocks.2=2")
    kinds = [[take["kind"] for take in step["takes"]] for step in shown(capsys, words).header["steps"]]
    assert kinds == [["drop"], ["drop"], ["drop", "knock"], *[["drop"]] * 5]  # the model was tried before, unseen


def test_any_other_game_has_a_page_too(capsys: Capture):
    replay = shown(capsys, ("play", "wallenstein", "--seed", "3"))
    assert replay.header["about"]["game"] == "wallenstein"
    assert len(replay.takes()) == len(replay.header["steps"]) > 2


@each_case(
    ("words", "named"),
    [
        ((*DROP[1:], "-o", "drop.mp4"), "'drop.mp4' ends in '.mp4'; allowed is .html; try a name"),
        ((*DROP[1:], "-o", "nowhere/drop.html"), "an existing folder"),
        ((*BATTLE[1:], "-o", "battle.html", "--model", "surrogate"), "unknown option '--model'"),
        (("amerigo", "-o", "game"), "ends in ''"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_one_line_before_any_work(
    words: tuple[str, ...], named: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tower_sim.simulator.settle", None)  # nothing may fall
    assert main(["page", "replay", *words]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert named in said.err
    assert list(tmp_path.iterdir()) == []


@needs_browser
def test_a_page_ends_with_every_cube_where_its_outcome_has_it_and_counts_as_that_does(tmp_path: Path, capsys: Capture):
    """At the end of each drop, knock and placing: poses to the last bit, colours to the last cube."""
    ability = ("--set", 'abilities={green=["throw:2", "move"], purple=["move"]}')
    games = {
        "drop": (*DROP, "--knock", "1"),
        "game": ("play", "amerigo", "--set", "rounds=1", "--seed", "3", "--set", "knocks.2=2"),
        "battle": (*BATTLE, *ability),
    }
    with browsing(800, 600, webgl=True, reduced_motion="reduce") as watched:
        for name, words in games.items():
            shown(capsys, words, f"{name}.html")
            replay = read(f"{name}.html")
            page = watched.open(tmp_path / f"{name}.html")
            page.wait_for_function("() => window.towerSim")
            last = replay.takes()[-1]
            page.evaluate("() => window.towerSim.seek(window.towerSim.duration)")
            for number, _, row in last["rest"]:
                if row is not None:
                    assert page.evaluate(f"() => window.towerSim.pose({number})") == replay.exact[row].tolist()
            colours = dict(replay.header["cubes"])
            inside = Counter(colours[number] for number, place, _ in last["rest"] if place.startswith("inside:"))
            counts = page.evaluate("() => window.towerSim.counts()")
            assert [row["name"] for row in counts] == [colour["name"] for colour in replay.header["colours"]]
            assert [row["inside"] for row in counts] == [inside[i] for i in range(len(counts))]
        watched.check()
