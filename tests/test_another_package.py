"""Another package's apparatus, engine and game, found by entry points alone: tests/toy, which nothing here imports."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TOY = Path(__file__).parent / "toy"
CAMPAIGN = """
[campaign]
kind = "toy_game"
apparatus = "toy_box"
seed = "7"
rounds = 6
shard = 3
[toy_game]
cubes = 8
throws = 4
[settings]
engine = "toy_engine"
"""


def tower_sim(*words: object, package: Path = TOY) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process that finds the package beside ours."""
    beside = {"PYTHONPATH": os.pathsep.join([str(package), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-m", "tower_sim", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | beside)


@pytest.fixture(name="campaign", scope="module")
def _campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("toy")
    (directory / "spec.toml").write_text(CAMPAIGN)
    run = tower_sim("campaign", "run", directory / "spec.toml", "-o", directory / "data", "--workers", 1)
    assert run.returncode == 0, run.stderr
    return directory / "data"


def test_the_package_is_small():
    lines = (TOY / "toy_package" / "__init__.py").read_text("utf-8").splitlines()
    assert len(lines) < 150


def test_all_three_are_listed_with_the_package_they_come_from():
    listed = json.loads(tower_sim("list", "--json").stdout)
    for what, name in (("apparatus", "toy_box"), ("engines", "toy_engine"), ("games", "toy_game")):
        (entry,) = [entry for entry in listed[what] if entry["name"] == name]
        assert entry["package"] == "toy_package"


def test_its_game_is_played_in_its_box_with_bullet():
    played = tower_sim("play", "toy_game", "--seed", 7, "--json")
    assert played.returncode == 0, played.stderr
    document = json.loads(played.stdout)
    points = sum(turn["points"] for turn in document["turns"])
    assert 0 < points < 18
    assert f"You made {points} points." in tower_sim("play", "toy_game", "--seed", 7).stdout
    assert tower_sim("drop", "toy_box", "--cubes", "red=3", "--seed", 1).returncode == 0


def test_a_campaign_of_its_game_in_its_box_with_its_engine_is_whole_and_its_points_are_a_table(campaign: Path):
    import pyarrow.parquet as parquet

    assert "every file is whole" in tower_sim("campaign", "verify", campaign).stdout
    points = parquet.read_table(campaign / "toy_game").column("points").to_pylist()
    emerged = parquet.read_table(campaign / "drops").column("emerged").to_pylist()
    assert len(points) == 24
    assert points == emerged
    assert 0 < sum(points) < 24 * 8


def test_the_report_on_it_has_its_own_points(campaign: Path, tmp_path: Path):
    studied = tower_sim("study", campaign, "-o", tmp_path / "report")
    assert studied.returncode == 0, studied.stderr
    assert "points" in (tmp_path / "report" / "report.md").read_text("utf-8")


def test_house_rules_of_it_are_compared():
    compared = tower_sim(
        "compare", "toy_game", "--set", "cubes=12", "--games", 12, "--model", "physics", "--seed", 1, "--json"
    )
    assert compared.returncode == 0, compared.stderr
    (row,) = json.loads(compared.stdout)["figures"]
    assert row["key"] == "points"
    assert row["difference"] > 0


def test_its_box_is_drawn_though_it_says_no_dimensions(tmp_path: Path):
    drawn = tower_sim("show", "toy_box", "-o", tmp_path / "box.png")
    assert drawn.returncode == 0, drawn.stderr
    assert (tmp_path / "box.png").stat().st_size > 10_000


def test_a_package_that_cannot_be_loaded_spoils_nothing_but_what_it_brings(tmp_path: Path):
    info = tmp_path / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    groups = (f"[tower_sim.{group}]\nbroken = no_such_module:THING\n" for group in ("apparatus", "engine", "game"))
    (info / "entry_points.txt").write_text("\n".join(groups))
    drop = tower_sim("drop", "amerigo", "--cubes", "red=3", "--seed", 1, "--model", "two_thirds", package=tmp_path)
    assert drop.returncode == 0, drop.stderr
    listed = tower_sim("list", package=tmp_path)
    assert listed.returncode == 0, listed.stderr
    assert "broken" in listed.stdout
    played = tower_sim("play", "broken", package=tmp_path)
    assert (played.returncode, played.stderr.count("\n")) == (2, 1)
