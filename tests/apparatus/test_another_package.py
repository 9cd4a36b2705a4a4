"""Another package's apparatus, engine and game, found by entry points alone: tests/toy, which nothing here imports."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TOY = Path(__file__).parents[1] / "toy"
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
LIST, PLAY, TOLD = "tower list --json", "play toy_game --seed 7 --json", "play toy_game --seed 7"
DROP, SHOW = "throw toy_box --cubes red=3 --seed 1", "tower show toy_box -o box.png"
RUN, VERIFY, STUDY = (
    "campaign run spec.toml -o data --workers 1",
    "campaign check data",
    "campaign report data -o report",
)
COMPARE = "compare toy_game --set cubes=12 --games 12 --model physics --seed 1 --json"


def commands(*lines: str, cwd: Path, package: Path = TOY) -> dict[str, tuple[int, str, str]]:
    """Run command lines in one process that finds the package beside ours; return status, output and error of each."""
    path = [str(package), str(TOY.parent), str(TOY.parent.parent), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path)}
    called = [sys.executable, "-c", ALL, *lines]
    done = subprocess.run(called, capture_output=True, text=True, cwd=cwd, env=environment, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    return {line: (status, out, error) for line, (status, out, error) in zip(lines, told, strict=True)}


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("toy")


@pytest.fixture(name="told", scope="module")
def _told(folder: Path) -> dict[str, str]:
    (folder / "spec.toml").write_text(CAMPAIGN)
    done = commands(LIST, PLAY, TOLD, DROP, RUN, VERIFY, STUDY, COMPARE, SHOW, cwd=folder)
    assert {line: error for line, (status, _, error) in done.items() if status} == {}
    return {line: out for line, (_, out, _) in done.items()}


def test_the_package_is_small():
    lines = (TOY / "toy_package" / "__init__.py").read_text("utf-8").splitlines()
    assert len(lines) < 170


def test_all_three_keep_their_promises():
    path = [str(TOY), str(TOY.parent.parent), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path)}
    called = [sys.executable, str(TOY / "check_toy.py")]
    done = subprocess.run(called, capture_output=True, text=True, env=environment, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")


def test_all_three_are_listed_with_the_package_they_come_from(told: dict[str, str]):
    listed = json.loads(told[LIST])
    for what, name in (("apparatus", "toy_box"), ("engines", "toy_engine"), ("games", "toy_game")):
        (entry,) = [entry for entry in listed[what] if entry["name"] == name]
        assert entry["package"] == "toy_package"


def test_its_game_is_played_in_its_box_with_bullet(told: dict[str, str]):
    points = sum(turn["facts"]["points"] for turn in json.loads(told[PLAY])["turns"])
    assert 0 < points < 18
    assert f"You made {points} points." in told[TOLD]
    assert "inside" in told[DROP]


def test_a_campaign_of_its_game_in_its_box_with_its_engine_is_whole_and_its_points_are_a_table(
    told: dict[str, str], folder: Path
):
    import pyarrow.parquet as parquet

    assert "every file is whole" in told[VERIFY]
    points = parquet.read_table(folder / "data/toy_game").column("points").to_pylist()
    emerged = parquet.read_table(folder / "data/drops").column("emerged").to_pylist()
    assert len(points) == 24
    assert points == emerged
    assert 0 < sum(points) < 24 * 8


def test_the_report_on_it_has_its_own_points(told: dict[str, str], folder: Path):
    assert STUDY in told
    assert "points" in (folder / "report/report.md").read_text("utf-8")


def test_house_rules_of_it_are_compared(told: dict[str, str]):
    (row,) = json.loads(told[COMPARE])["figures"]
    assert row["key"] == "points"
    assert row["difference"] > 0


def test_its_box_is_drawn_though_it_says_no_dimensions(told: dict[str, str], folder: Path):
    assert SHOW in told
    assert (folder / "box.png").stat().st_size > 10_000


def test_a_package_that_cannot_be_loaded_spoils_nothing_but_what_it_brings(tmp_path: Path):
    info = tmp_path / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    groups = (f"[tower_sim.{group}]\nbroken = no_such_module:THING\n" for group in ("apparatus", "engine", "game"))
    (info / "entry_points.txt").write_text("\n".join(groups))
    drop, listed, play = "throw amerigo --cubes red=3 --seed 1 --model two_thirds", "tower list", "play broken"
    done = commands(drop, listed, play, cwd=tmp_path, package=tmp_path)
    assert (done[drop][0], done[listed][0]) == (0, 0)
    assert "broken" in done[listed][1]
    assert (done[play][0], done[play][2].count("\n")) == (2, 1)
