"""Campaigns that record what draws looked like."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.campaigns import DROPS_IN_PHYSICS, tree

from tower_sim.campaign import parse, run, run_shard, verify
from tower_sim.campaign.spec import Spec
from tower_sim.errors import UsageError
from tower_sim.replay.stored import packed, unpacked

DOC = (Path(__file__).parents[2] / "docs/replay.md").read_text("utf-8")
RECORDED = DROPS_IN_PHYSICS.replace("chains = 2", "chains = 4\nshard = 2\nrecord = true")


@pytest.fixture(name="whole", scope="module")
def _whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("recorded") / "DIRECTORY"
    run(parse(RECORDED), directory)
    return directory


@pytest.fixture(name="rows", scope="module")
def _rows(whole: Path) -> list[dict[str, object]]:
    parquet = pytest.importorskip("pyarrow.parquet")
    return parquet.read_table(whole / "poses").to_pylist()


def test_a_spec_says_that_it_records_only_where_it_does():
    plain, false, true = (
        parse(DROPS_IN_PHYSICS.replace("chains = 2", f"chains = 2\n{more}"))
        for more in ("", "record = false", "record = true")
    )
    assert plain.canonical == false.canonical
    assert "record" not in plain.canonical
    assert true.digest != plain.digest
    assert Spec.from_canonical(true.canonical) == true
    with pytest.raises(UsageError, match="written otherwise"):
        Spec.from_canonical(true.canonical.replace('"record":true', '"record":false'))


def test_recording_changes_no_row_of_the_other_tables():
    parquet = pytest.importorskip("pyarrow.parquet")
    recorded, plain = (run_shard(parse(text), 0) for text in (RECORDED, RECORDED.replace("record = true", "")))
    assert list(recorded.tables) == [*plain.tables, "poses"]
    for name, data in plain.tables.items():
        tables = [parquet.read_table(io.BytesIO(each)) for each in (data, recorded.tables[name])]
        assert tables[0].equals(tables[1])


def test_there_is_a_row_for_every_landing_with_the_counts_of_the_drop_and_its_take(
    whole: Path, rows: list[dict[str, object]]
):
    parquet = pytest.importorskip("pyarrow.parquet")
    drops = {
        (x["run"], x["drop"]): x for x in parquet.read_table(whole / "drops").to_pylist() if x["emerged"] is not None
    }
    landed = {key: drop for key, drop in drops.items() if drop["drawn"]}
    assert {(x["run"], x["drop"]) for x in rows} == set(landed)
    for row in rows:
        drop = landed[row["run"], row["drop"]]
        assert [row[name] for name in ("inside_before", "thrown", "emerged")] == [
            drop[name] for name in ("inside_before", "thrown", "emerged")
        ]
        motion = row["motion"]
        assert isinstance(motion, bytes)
        take = unpacked(motion)
        assert (row["frames"], row["kind"]) == (take.frames, "drop")
        assert [len(take.start), len(take.thrown)] == [row["inside_before"], row["thrown"]]
        assert packed(take) == motion


def test_a_missing_and_a_damaged_file_are_made_again(whole: Path, tmp_path: Path):
    copy = Path(shutil.copytree(whole, tmp_path / "copy"))
    (copy / "poses/00001.parquet").write_bytes((copy / "poses/00001.parquet").read_bytes()[:-1] + b"x")
    (copy / "poses/00000.parquet").unlink()
    assert [problem.split(":")[0] for problem in verify(copy)] == ["poses/00000.parquet", "poses/00001.parquet"]
    run(parse(RECORDED), copy)
    assert tree(copy) == tree(whole)


def test_the_python_that_reads_a_take_runs(whole: Path, rows: list[dict[str, object]]):
    _, _, section = DOC.partition("## Takes of a campaign")
    (code,) = re.findall(r"```python\n(.*?)```", section, re.S)
    done = subprocess.run([sys.executable, "-c", code], cwd=whole.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    longest = max(rows, key=lambda row: int(str(row["frames"])))
    assert done.stdout.startswith(f"run {longest['run']}, drop {longest['drop']}: {longest['frames']} frames\n")
    assert len(done.stdout.splitlines()) == 1 + int(str(longest["thrown"]))
