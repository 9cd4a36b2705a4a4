"""`tower-sim page live`: the page's file, what it is filled with, and what is refused."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from support.command_line import refusal
from support.web import document_in

from tests.support.hulls import as_hull
from tower_sim import cli
from tower_sim.apparatus import load, names, shipped
from tower_sim.web.live import contents, opening

Capture = pytest.CaptureFixture[str]


def test_the_command_writes_one_small_page_that_asks_for_nothing(tmp_path: Path, capsys: Capture):
    (tmp_path / "mine.toml").write_text(shipped()["amerigo"], "utf-8")
    output = tmp_path / "tower.html"
    asked = [word for name in (str(tmp_path / "mine.toml"), "dead_reckoning") for word in ("--tower", name)]
    assert cli.main(["page", "live", "-o", str(output), *asked]) == 0
    assert capsys.readouterr().out.strip() == str(output)
    text = output.read_text("utf-8")
    assert len(text.encode()) < 500_000
    assert not re.search(r"\b(src|href)=|https?:", text.split("<script", maxsplit=1)[0])
    for allowed in ("script-src 'sha256-", "'wasm-unsafe-eval'", "default-src 'none'"):
        assert allowed in text
    towers = document_in(output, "live")["towers"]
    assert [tower["name"] for tower in towers] == ["mine", "dead_reckoning"]
    assert [tower["long_run"] for tower in towers] == [None, None]  # no law lies beside it; of a ship none is told


def test_the_page_in_the_repository_is_what_the_command_writes(tmp_path: Path):
    assert cli.main(["page", "live", "-o", str(tmp_path / "live.html")]) == 0
    kept = Path(__file__).parents[2] / "docs" / "live.html"
    is_same = kept.read_bytes() == (tmp_path / "live.html").read_bytes()
    assert is_same, "write it again: tower-sim page live -o docs/live.html"


def test_all_that_ship_are_in_it_and_the_long_run_is_that_of_whole_games():
    document = contents()
    assert [tower["name"] for tower in document["towers"]] == sorted(names(), key=lambda name: name != "amerigo")
    amerigo = document["towers"][0]
    run = amerigo["long_run"]
    assert run["set_up"]["thrown"] == 49
    assert 0 < run["set_up"]["out"] < 49
    assert {"3", "7"} <= {*map(str, run["throws"])}
    assert run["commonest"] == 7
    for usual in run["throws"].values():
        assert usual["outs"][0] <= usual["out"] <= usual["outs"][1]
        assert usual["insides"][0] <= usual["inside"] <= usual["insides"][1]
    for tower in document["towers"]:
        assert 2 * tower["edge"] < tower["opening"] < 0.1, tower["name"]
        assert set(tower["colours"]) <= document["paints"].keys()


@pytest.mark.parametrize("name", names())
def test_the_room_for_a_hand_is_the_same_where_boxes_are_hulls(name: str):
    shape = load(name)
    hulls = replace(shape, boxes=(), hulls=tuple(map(as_hull, shape.boxes)))
    assert opening(hulls) == opening(shape)
    assert shape.board or opening(shape) > opening(replace(shape, boxes=()))


def test_what_cannot_be_in_the_page_is_refused_in_one_line(tmp_path: Path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "twice.toml").write_text(shipped()["amerigo"], "utf-8")
    for towers, says in ((["one/twice.toml", "two/twice.toml"], "another one is too"), (["nothing"], "nothing")):
        words = [word for tower in towers for word in ("--tower", tower)]
        assert says in refusal("page", "live", "-o", "x.html", *words, cwd=tmp_path)
    assert not (tmp_path / "x.html").exists()


def test_house_rules_bring_their_tower_and_their_cubes(tmp_path: Path):
    rules = tmp_path / "house.toml"
    rules.write_text('apparatus = "amerigo-club"\ncubes = 9\nrounds = 2\n', "utf-8")
    found = contents(rules=rules)
    assert found["towers"][0]["name"] == "amerigo-club"
    assert (found["house"]["name"], found["house"]["rules"]["cubes"]) == ("house", 9)
    assert found["towers"][0]["long_run"]["set_up"]["thrown"] == 63
    assert "house" not in contents()
    for text, says in (("knocks = { 3 = 0.5 }", "knocks of"), ('game = "push_your_luck"', "the game of")):
        rules.write_text(text, "utf-8")
        assert says in refusal("page", "live", "--rules", str(rules), "-o", str(tmp_path / "x.html"))
