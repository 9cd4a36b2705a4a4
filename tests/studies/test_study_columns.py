"""The varied fields are columns of `drops`: of one type in every shard, the same after a kill, not needed to read."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pyarrow.parquet
import pytest
from support.campaigns import AMERIGO
from support.cases import each_case

from tower_sim.campaign import campaign_run, parse, run
from tower_sim.campaign.tables import CUBES, DROPS, varied_columns

SPEC = parse("""
[campaign]
game = "amerigo"
apparatus = "amerigo"
model = "two_thirds"
games = 2
shard = 3
seed = "7"

[rules]
rounds = 1

[vary]
design = "list"

[vary.fields]
"rules.cubes" = [5, 6, 7]
"rules.phases" = [["red"], ["blue", "red"], []]
"rules.substitute" = ["white", "", "red"]
""")
KINDS = {"rules.cubes": "int64", "rules.phases": "string", "rules.substitute": "string"}


@pytest.fixture(name="directory", scope="module")
def _directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("varied") / "out"
    run(SPEC, directory)
    return directory


def test_every_drop_has_the_values_of_its_point(directory: Path):
    frame = pd.read_parquet(directory / "drops")
    for point, values in enumerate(SPEC.points):
        rows = frame[frame["point"] == point]
        assert len(rows) > 0
        for name, value in values.items():
            expected = json.dumps(value) if isinstance(value, list) else value
            assert all(each == expected for each in rows[name]), (point, name)
    assert [name for name in frame if "." in name] == list(SPEC.points[0])
    assert not [name for name in pd.read_parquet(directory / "cubes") if "." in name]


def test_types_follow_from_all_points_so_that_shards_agree(directory: Path):
    for path in sorted((directory / "drops").glob("*.parquet")):
        schema = pyarrow.parquet.read_schema(path)
        assert {name: str(schema.field(name).type) for name in KINDS} == KINDS
        assert schema.names == [*(column.name for column in DROPS.columns), *KINDS]
    schema = pyarrow.parquet.read_schema(next((directory / "cubes").iterdir()))
    assert schema.names == [column.name for column in CUBES.columns]


def test_numbers_words_and_mixtures_have_their_types():
    points = [{"a": True, "b": 1, "c": 2, "d": "x", "e": 1, "f": 2**70}, {"a": False, "b": 1.5, "c": 3, "d": "y"}]
    points[1] |= {"e": "one", "f": 1}
    found = {each.name: (each.kind, each.values) for each in varied_columns(points)}
    assert found == {
        "a": ("bool", (True, False)), "b": ("float64", (1.0, 1.5)), "c": ("int64", (2, 3)), "d": ("string", ("x", "y")),
        "e": ("string", ("1", '"one"')), "f": ("float64", (2.0**70, 1.0)),
    }  # fmt: skip
    assert varied_columns([{}]) == ()


def test_a_swept_campaign_that_was_killed_and_gone_on_with_has_the_same_bytes(directory: Path, tmp_path: Path):
    run(SPEC, tmp_path / "out")
    for name in ("drops/00001.parquet", "cubes/00001.parquet"):  # killed between its tables
        (tmp_path / "out" / name).unlink()
    run(SPEC, tmp_path / "out")
    for path in [path for path in directory.rglob("*") if path.is_file()]:
        assert (tmp_path / "out" / path.relative_to(directory)).read_bytes() == path.read_bytes(), path


@each_case(
    ("design", "games", "says"),
    [
        ('[vary.fields]\n"rules.cubes" = [5, 6]', 7, "7 games at each of 2 points: too few for intervals in a study"),
        ('[vary.fields]\n"rules.cubes" = [5, 6]', 8, ""),
        ('[vary]\ndesign = "sobol"\npoints = 4\n[vary.fields]\n"rules.cubes" = { low = 4, high = 9 }', 1, ""),
        ("", 1, ""),
    ],
)
def test_eight_runs_a_point_are_asked_for_unless_the_points_are_a_sample(
    design: str, games: int, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "spec.toml").write_text(f"{AMERIGO}games = {games}\n[rules]\nrounds = 1\n{design}\n", "utf-8")
    assert campaign_run(tmp_path / "spec.toml", tmp_path / "out") == 0
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == (1 if says else 0)
