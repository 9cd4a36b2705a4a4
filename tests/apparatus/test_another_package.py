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
LIST, LIST_IN_WORDS, RULES = "tower list --json", "tower list", "play toy_game --help-rules"
PLAY, PLAY_IN_WORDS = "play toy_game --seed 7 --json", "play toy_game --seed 7"
DROP, SHOW = "throw toy_box --cubes red=3 --seed 1", "tower show toy_box -o box.png"
RUN = "campaign run spec.toml -o data --workers 1"
CHECK, REPORT = "campaign check data", "campaign report data -o report"
COMPARE = "compare toy_game --set cubes=12 --games 12 --model physics --seed 1 --json"


def run_python(*arguments: str, cwd: Path, package: Path = TOY) -> str:
    """Run Python, where it finds the package beside ours; return what it prints."""
    path = [str(package), str(TOY.parent), str(TOY.parent.parent), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path)}
    called = [sys.executable, *arguments]
    done = subprocess.run(called, capture_output=True, text=True, cwd=cwd, env=environment, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def commands(*lines: str, cwd: Path, package: Path = TOY) -> dict[str, tuple[int, str, str]]:
    """Run command lines in one process; return status, output and error of each."""
    answers = json.loads(run_python("-c", ALL, *lines, cwd=cwd, package=package))
    return {line: tuple(answer) for line, answer in zip(lines, answers, strict=True)}


def test_the_package_is_small_and_all_three_keep_their_promises(tmp_path: Path):
    lines = (TOY / "toy_package" / "__init__.py").read_text("utf-8").splitlines()
    assert len(lines) < 170
    run_python(str(TOY / "check_toy.py"), cwd=tmp_path)


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
