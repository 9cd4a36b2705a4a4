"""Another package's apparatus, engine and game, found by entry points alone: tests/toy, which nothing here imports.

The kind in docs/apparatus.md is whole: installed as it stands there it keeps its promises and is dropped through.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from calibration.validation import documents

ROOT = Path(__file__).parents[2]
TOY = ROOT / "tests/toy"
CAMPAIGN = """
[campaign]
game = "toy_game"
apparatus = "toy_box"
seed = "7"
rounds = 6
shard = 3
[rules]
cubes = 8
throws = 4
[settings]
engine = "toy_engine"
"""


ALL = """
import json, sys
from support.command_line import here
done = (here(*line.split()) for line in sys.argv[1:])
print(json.dumps([(each.returncode, each.stdout, each.stderr) for each in done]))
"""
LIST, LIST_IN_WORDS, RULES = "tower list --json", "tower list", "play toy_game --help-rules"
PLAY, PLAY_IN_WORDS = "play toy_game --seed 7 --json", "play toy_game --seed 7"
DROP, SHOW = "throw toy_box --cubes red=3 --seed 1", "tower show toy_box -o box.png"
RUN = "campaign run spec.toml -o data --workers 1"
CHECK, REPORT = "campaign check data", "campaign report data -o report"
COMPARE = "compare toy_game --set cubes=12 --games 12 --model physics --seed 1 --json"


def run(*arguments: str, cwd: Path, package: Path = TOY) -> subprocess.CompletedProcess[str]:
    """Run Python, where it finds the package beside ours."""
    path = [str(package), str(ROOT / "tests"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path)}
    called = [sys.executable, *arguments]
    return subprocess.run(called, capture_output=True, text=True, cwd=cwd, env=environment, encoding="utf-8")


def commands(*lines: str, cwd: Path, package: Path = TOY) -> dict[str, tuple[int, str, str]]:
    """Run command lines in one process; return status, output and error of each."""
    done = run("-c", ALL, *lines, cwd=cwd, package=package)
    assert (done.returncode, done.stderr) == (0, "")
    return {line: tuple(answer) for line, answer in zip(lines, json.loads(done.stdout), strict=True)}


@pytest.mark.slow
def test_the_package_is_small_and_all_three_keep_their_promises(tmp_path: Path):
    lines = (TOY / "toy_package" / "__init__.py").read_text("utf-8").splitlines()
    assert len(lines) < 170
    done = run(str(TOY / "check_toy.py"), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_every_command_knows_its_game_its_box_and_its_engine(tmp_path: Path):
    import pyarrow.parquet as parquet

    (tmp_path / "spec.toml").write_text(CAMPAIGN)
    done = commands(
        LIST, LIST_IN_WORDS, RULES, PLAY, PLAY_IN_WORDS, DROP, RUN, CHECK, REPORT, COMPARE, SHOW, cwd=tmp_path
    )
    assert {line: error for line, (status, _, error) in done.items() if status} == {}
    output = {line: out for line, (_, out, _) in done.items()}
    for group, name in (("apparatus", "toy_box"), ("engines", "toy_engine"), ("games", "toy_game")):
        packages = [entry["package"] for entry in json.loads(output[LIST])[group] if entry["name"] == name]
        assert packages == ["toy_package"]
    assert output[LIST_IN_WORDS].count("[from toy_package]") == 3
    assert "cubes: red cubes" in output[RULES]
    total = sum(turn["facts"]["points"] for turn in json.loads(output[PLAY])["turns"])
    assert 0 < total < 18
    assert f"You made {total} points." in output[PLAY_IN_WORDS]
    assert "inside" in output[DROP]
    assert "every file is whole" in output[CHECK]
    points = parquet.read_table(tmp_path / "data/toy_game").column("points").to_pylist()
    assert points == parquet.read_table(tmp_path / "data/drops").column("emerged").to_pylist()
    assert len(points) == 24
    assert 0 < sum(points) < 24 * 8
    assert "points" in (tmp_path / "report/report.md").read_text("utf-8")
    (row,) = json.loads(output[COMPARE])["figures"]
    assert row["key"] == "points"
    assert row["difference"] > 0
    assert (tmp_path / "box.png").stat().st_size > 10_000, "drawn, though it says no dimensions"


@pytest.mark.slow
def test_a_package_that_cannot_be_loaded_spoils_nothing_but_what_it_brings(tmp_path: Path):
    info = tmp_path / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    groups = (f"[tower_sim.{group}]\nbroken = no_such_module:THING\n" for group in ("apparatus", "engine", "game"))
    (info / "entry_points.txt").write_text("\n".join(groups))
    drop, play = "throw amerigo --cubes red=3 --seed 1 --model two_thirds", "play broken"
    done = commands(drop, LIST, LIST_IN_WORDS, play, "play --help", cwd=tmp_path, package=tmp_path)
    assert [done[line][0] for line in (drop, LIST, LIST_IN_WORDS, "play --help")] == [0] * 4
    assert "broken" in done[LIST_IN_WORDS][1]
    (entry,) = (entry for entry in json.loads(done[LIST][1])["games"] if entry["name"] == "broken")
    assert "cannot be loaded" in entry["error"]
    assert (done[play][0], done[play][2].count("\n")) == (2, 1)


DOC = (ROOT / "docs" / "apparatus.md").read_text("utf-8")


def test_the_page_of_keys_is_what_the_models_say():
    """After a change of a field: python -m calibration.validation.documents."""
    assert documents.PAGE.read_text("utf-8") == documents.page()
    for line in documents.page().splitlines():
        if line.startswith("| `") and line.count(" | ") > 2:  # of what a person writes; docs/http.md explains answers
            assert not line.endswith("|  |"), line  # each key has a sentence


def block(name: str) -> str:
    found = re.search(rf"<!-- {name} -->\n```\w+\n(.*?)```", DOC, re.S)
    assert found, f"docs/apparatus.md has no block {name}"
    return found[1]


@pytest.fixture(name="place", scope="module")
def _place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the package of the document lies, as if pip had put it there."""
    place = tmp_path_factory.mktemp("site")
    (place / "hole_box" / "profiles").mkdir(parents=True)
    (place / "hole_box" / "__init__.py").write_text(block("kind"))
    (place / "hole_box" / "profiles" / "hole_box.toml").write_text(block("profile"))
    (place / "check_hole_box.py").write_text(block("test"))
    entry = re.fullmatch(r'\[project\.entry-points\."([\w.]+)"\]\n(\w+) = "([\w:]+)"\n', block("entry"))
    assert entry
    (place / "hole_box-1.0.dist-info").mkdir()
    (place / "hole_box-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: hole_box\nVersion: 1.0\n")
    (place / "hole_box-1.0.dist-info" / "entry_points.txt").write_text(f"[{entry[1]}]\n{entry[2]} = {entry[3]}\n")
    return place


def test_the_kind_of_the_document_is_short_and_keeps_the_promises_of_every_model(place: Path):
    assert len(block("kind").splitlines()) < 70
    done = run("-m", "check_hole_box", cwd=place, package=place)
    assert done.returncode == 0, done.stderr


def test_every_command_of_the_document_with_its_kind_runs_and_some_cubes_stay(place: Path):
    (place / "small.toml").write_text(block("profile").replace("hole_mm = 36", "hole_mm = 9"))
    throw, refused = "throw hole_box --cubes red=25 --seed 3 --json", "throw small.toml --cubes red=2"
    lines = re.findall(r"`tower-sim ([^`]*hole_box[^`]*)`", DOC)
    assert lines
    done = commands(throw, refused, *lines, cwd=place, package=place)
    assert {landing["place"] for landing in json.loads(done[throw][1])["landings"]} == {"inside:box", "tray"}
    status, _, line = done[refused]
    assert (status, line.count("\n")) == (2, 1)
    assert "profile small: case.hole_mm is 9; allowed is more than 10, a cube, and less than 90" in line
    for line in lines:
        assert done[line][0] == 0, done[line]
        assert "thrown" in done[line][1]
