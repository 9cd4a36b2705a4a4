"""`tower-sim page lab`: the page's file, what it is filled with, and what is refused. About 3 s."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from support.cases import each_case
from support.command_line import refusal
from support.web import document_in

from calibration.validation import renew
from tower_sim import cli
from tower_sim.apparatus import load, shipped
from tower_sim.surrogate import fitted_or_shipped, shipped_names
from tower_sim.web.lab import contents
from tower_sim.web.section import draw_section

ROOT = Path(__file__).parents[2]
Capture = pytest.CaptureFixture[str]


def own(folder: Path, name: str, of: str = "amerigo") -> Path:
    """A profile of one's own with its surrogate beside it, as calibrate writes them."""
    (folder / f"{name}.toml").write_text(shipped()[of], "utf-8")
    (folder / f"{name}.surrogate.json").write_text(fitted_or_shipped(of).to_json(), "utf-8")
    return folder / f"{name}.toml"


def test_the_command_writes_one_page_with_all_that_ships_and_ones_own(tmp_path: Path, capsys: Capture):
    mine, yours = own(tmp_path, "mine"), own(tmp_path, "yours", "dead_reckoning")
    output = tmp_path / "lab.html"
    assert cli.main(["page", "lab", "-o", str(output), "--tower", str(mine), "--tower", str(yours)]) == 0
    assert capsys.readouterr().out.strip() == str(output)
    text = output.read_text("utf-8")
    document = document_in(output, "lab")
    ships = [name for name in shipped_names() if load(name).board]
    assert [tower["name"] for tower in document["towers"]] == ["mine", *(n for n in shipped_names() if n not in ships)]
    assert [ship["name"] for ship in document["ships"]] == ["yours", *ships]
    assert document["first"] == "mine"
    assert document["towers"][0]["named"] == "mine.toml"
    assert not re.search(r"\b(src|href)=", text.split("<script", maxsplit=1)[0])


def test_a_shipped_name_is_no_second_one():
    assert contents(["amerigo-club", "amerigo-club"])["towers"] == contents()["towers"]


def test_what_cannot_be_in_the_page_is_refused_in_one_line(tmp_path: Path):
    alone = tmp_path / "alone.toml"
    alone.write_text(shipped()["amerigo"], "utf-8")
    (tmp_path / "other").mkdir()
    foreign = own(tmp_path, "foreign")
    foreign.write_text(shipped()["amerigo-club"], "utf-8")
    for towers, says in (
        (["nowhere"], "neither a shipped profile nor a file"),
        (["wallenstein"], "has no surrogate"),
        ([alone], "has no surrogate"),
        ([own(tmp_path, "twice"), own(tmp_path / "other", "twice")], "each name once"),
        ([own(tmp_path, "amerigo")], "each name once"),
        ([foreign], "was fitted for apparatus"),
    ):
        words = [word for tower in towers for word in ("--tower", str(tower))]
        assert says in refusal("page", "lab", "-o", str(tmp_path / "x.html"), *words)
        assert not (tmp_path / "x.html").exists()
    assert "output" in refusal("page", "lab", "-o", str(tmp_path / "missing" / "x.html"))


def test_every_shipped_model_says_how_close_it_is_as_its_report_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(renew, "CLOSENESS", tmp_path / "closeness.toml")
    renew.closeness()
    text = (ROOT / "tower_sim" / "web" / "closeness.toml").read_text("utf-8")
    assert (tmp_path / "closeness.toml").read_text("utf-8") == text
    assert {*tomllib.loads(text)} == {fitted_or_shipped(name).digest for name in shipped_names()}


@each_case("name", [name for name in sorted(shipped()) if not load(name).board])
def test_cubes_have_places_on_every_floor_and_in_the_tray_that_do_not_overlap(name: str):
    shape = load(name)
    section, edge = draw_section(shape), 1e3 * shape.cube_edge
    assert len(section.floors) == len(shape.regions)
    left, bottom, right, top = section.bounds
    every = [place for places in (*section.floors, section.tray, section.hand) for place in places]
    is_ours = name in ("amerigo", "amerigo-club", "amerigo-rulebook", "wallenstein")  # others may be smaller
    assert min(map(len, section.floors)) >= (10 if is_ours else 1)
    assert min(len(section.tray), len(section.hand)) >= (40 if is_ours else 1)
    for i, (x, z) in enumerate(every):
        assert left <= x <= right - edge + 0.1
        assert bottom <= z <= top - edge + 0.1
        for other_x, other_z in every[:i]:
            assert abs(x - other_x) > 0.99 * edge or abs(z - other_z) > 0.99 * edge
    for region, places, over in zip(
        shape.regions, section.floors, [shape.rim_top, *(r.above for r in shape.regions)], strict=False
    ):
        assert all(1e3 * region.above <= z + 0.1 and z + edge <= 1e3 * over + edge for _, z in places)


def test_rules_of_a_file_are_variant_b_in_their_tower(tmp_path: Path):
    mine = own(tmp_path, "mine")
    (tmp_path / "house.toml").write_text(f'apparatus = "{mine.name}"\ncubes = 9\nrounds = 4\n', "utf-8")
    found = contents(rules=tmp_path / "house.toml")
    assert found["house"]["name"] == "house"
    assert found["house"]["tower"] == found["towers"][0]["name"] == "mine"
    assert (found["house"]["rules"]["cubes"], found["house"]["rules"]["rounds"]) == (9, 4)
    assert found["rules"] == contents()["rules"]
    assert contents()["house"] is None


@each_case(
    ("text", "says"),
    [
        ("cubes = 31", "cubes of 'RULES' is 31; allowed is a whole number from 0 to 30; the lab has no more"),
        ("rounds = 13", "rounds of 'RULES' is 13; allowed is a whole number from 1 to 12"),
        ("gold_divisor = 11", "gold_divisor of 'RULES' is 11; allowed is a whole number from 1 to 10"),
        ('phases = ["red", "red"]', "allowed is each colour once in the lab"),
        ('substitute = ""', "substitute of 'RULES' is ''; allowed is as published in the lab"),
        ('game = "push_your_luck"', "the game of 'RULES' is 'push_your_luck'; allowed is amerigo"),
        ("cubes = 'x'", "rules.cubes is 'x'"),
    ],
)
def test_rules_that_the_lab_cannot_play_are_refused_in_one_line(text: str, says: str, tmp_path: Path):
    (tmp_path / "RULES").write_text(text, "utf-8")
    assert says in refusal("page", "lab", "--rules", "RULES", "-o", "lab.html", cwd=tmp_path)
