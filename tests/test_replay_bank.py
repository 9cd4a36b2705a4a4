"""Campaigns that record, the bank made of them, and outcomes shown by its drops."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.campaigns import DROPS_IN_PHYSICS, GAMES, tree
from support.cases import each_case

from tower_sim.campaign import parse, run, run_shard, verify
from tower_sim.campaign.spec import Spec
from tower_sim.errors import UsageError
from tower_sim.replay.matching import OUT, THROWN, moves_of, moves_text
from tower_sim.replay.stored import packed, recorded_cubes, unpacked
from tower_sim.replay.takes import Take

RECORDED = DROPS_IN_PHYSICS.replace("chains = 2", "chains = 4\nshard = 2\nrecord = true")


@pytest.fixture(name="whole", scope="module")
def _whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("recorded") / "bank"
    run(parse(RECORDED), directory)
    return directory


@pytest.fixture(name="rows", scope="module")
def _rows(whole: Path) -> list[dict[str, object]]:
    parquet = pytest.importorskip("pyarrow.parquet")
    return parquet.read_table(whole / "poses").to_pylist()


# The campaign


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


@each_case(
    ("text", "message"),
    [
        (
            GAMES.replace("games = 12", "games = 12\nrecord = true"),
            r"campaign.record is true; allowed is false: the model 'two_thirds'",
        ),
        (RECORDED.replace("record = true", "record = 1"), r"campaign.record is 1; allowed is true or false"),
        ("record = true\n" + RECORDED, r"record is true; allowed is a key of \[campaign\]"),
        (
            RECORDED.replace("shard = 2", "shard = 20000").replace("chains = 4", "chains = 20000"),
            r"rows of a shard is \d+; allowed is up to 500000",
        ),
    ],
)
def test_what_cannot_be_recorded_is_refused(text: str, message: str):
    with pytest.raises(UsageError, match=message):
        parse(text)


def test_recording_changes_no_row_of_the_other_tables():
    parquet = pytest.importorskip("pyarrow.parquet")
    recorded, plain = (run_shard(parse(text), 0) for text in (RECORDED, RECORDED.replace("record = true", "")))
    assert list(recorded.tables) == [*plain.tables, "poses"]
    for name, data in plain.tables.items():
        tables = [parquet.read_table(io.BytesIO(each)) for each in (data, recorded.tables[name])]
        assert tables[0].equals(tables[1])


def test_there_is_a_row_for_every_landing_and_its_counts_are_those_of_the_drop(
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
        take = take_of(row)
        moves = moves_of(recorded_cubes(take))
        assert (row["moves"], row["frames"], row["kind"]) == (moves_text(moves), take.frames, "drop")
        assert moves[THROWN, OUT] == row["emerged_thrown"]


def test_a_campaign_that_was_killed_goes_on_to_the_same_bytes(whole: Path, tmp_path: Path):
    copy = Path(shutil.copytree(whole, tmp_path / "copy"))
    for name in ("receipts/00001.json", "poses/00001.parquet"):
        (copy / name).unlink()
    run(parse(RECORDED), copy)
    assert tree(copy) == tree(whole)
    assert verify(copy) == []


def test_damage_of_recorded_drops_is_found(whole: Path, tmp_path: Path):
    copy = Path(shutil.copytree(whole, tmp_path / "copy"))
    path = copy / "poses/00001.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)
    (copy / "poses/00007.parquet").write_bytes(bytes(data))
    assert verify(copy) == [
        "poses/00001.parquet: changed: its SHA-256 is not that of its receipt",
        "poses/00007.parquet: foreign: of no shard of this campaign",
    ]


# Stored takes


def take_of(row: dict[str, object]) -> Take:
    data = row["motion"]
    assert isinstance(data, bytes)
    return unpacked(data)


def test_a_stored_take_is_read_back(rows: list[dict[str, object]]):
    for row in rows:
        assert packed(take_of(row)) == row["motion"]


@settings(max_examples=200)
@given(data=st.data())
def test_damaged_bytes_are_a_value_error_or_a_take(rows: list[dict[str, object]], data: st.DataObject):
    whole = rows[0]["motion"]
    assert isinstance(whole, bytes)
    cut = data.draw(st.integers(0, len(whole) - 1))
    at = data.draw(st.integers(0, 2000))
    for damaged in (whole[:cut], whole[:at] + bytes([data.draw(st.integers(0, 255))]) + whole[at + 1 :]):
        try:
            unpacked(damaged)
        except ValueError:
            continue
