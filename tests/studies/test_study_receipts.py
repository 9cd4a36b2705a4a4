"""A study and a fit read only what the receipts and the manifest vouch for."""

from __future__ import annotations

import os
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support.campaigns import AMERIGO
from support.cases import each_case

from tower_sim.campaign import load_whole, parse, read_campaign, run, spans
from tower_sim.campaign.store import MANIFEST
from tower_sim.errors import UsageError
from tower_sim.studies import check_command, study
from tower_sim.studies.fitting.command import fit

pytestmark = pytest.mark.usefixtures("unpainted")

FLIPS = 120


def play(tmp_path_factory: pytest.TempPathFactory, rounds: int) -> Path:
    directory = tmp_path_factory.mktemp("games") / "games"
    run(parse(f"{AMERIGO}games = 12\nshard = 2\n[rules]\nrounds = {rounds}\n"), directory)
    return directory


@pytest.fixture(name="whole", scope="module")
def _whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play(tmp_path_factory, 1)


@pytest.fixture(name="other", scope="module")
def _other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play(tmp_path_factory, 2)


@pytest.fixture(name="copy")
def _copy(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "games"))


def flip(path: Path, bit: int) -> None:
    data = bytearray(path.read_bytes())
    data[bit // 8] ^= 1 << bit % 8
    path.write_bytes(data)


def test_every_flipped_bit_is_refused_and_its_file_named(copy: Path):
    files = sorted(path for path in copy.rglob("*") if path.suffix in (".parquet", ".jsonl"))
    draw = random.Random(1)
    for _ in range(FLIPS):
        path = draw.choice(files)
        bit = draw.randrange(8 * path.stat().st_size)
        flip(path, bit)
        with pytest.raises(UsageError, match=re.escape(path.name)) as caught:
            read_campaign(copy)
        assert "\n" not in str(caught.value)
        flip(path, bit)
    assert read_campaign(copy).runs == 12


def replaced(path: Path, old: bytes, new: bytes) -> None:
    path.write_bytes(path.read_bytes().replace(old, new))


@each_case(
    ("damage", "says"),
    [
        (lambda copy, _: (copy / "cubes/00003.parquet").unlink(), r"cubes/00003\.parquet: missing"),
        (lambda copy, _: os.truncate(copy / "drops/00001.parquet", 999), r"drops/00001\.parquet: changed"),
        (
            lambda copy, other: shutil.copy(other / "drops/00004.parquet", copy / "drops"),
            r"drops/00004\.parquet: changed",
        ),
        (
            lambda copy, other: shutil.copy(other / "drops/00000.parquet", copy / "drops/00006.parquet"),
            r"drops/00006\.parquet: foreign",
        ),
        (
            lambda copy, _: replaced(copy / MANIFEST, b'{"shard":2', b'{"shard":9'),
            r"manifest\.jsonl: line 4 was changed",
        ),
    ],
    ids=["a table that is gone", "one cut short", "one of another campaign", "a file more", "a line that was changed"],
)
def test_what_is_damaged_or_foreign_is_refused_by_study_fit_and_check(
    damage: Callable[[Path, Path], object], says: str, whole: Path, other: Path, tmp_path: Path
):
    copy = Path(shutil.copytree(whole, tmp_path / "games"))
    damage(copy, other)
    calls: tuple[Callable[[], object], ...] = (
        lambda: study(copy, tmp_path / "report"),
        lambda: fit([copy]),
        lambda: check_command("amerigo", [copy], None, 1),
    )
    for call in calls:
        with pytest.raises(UsageError, match=says) as caught:
            call()
        assert "\n" not in str(caught.value)
    assert not (tmp_path / "report").exists()


@pytest.mark.slow
def test_a_planned_shard_that_is_missing_is_said_at_the_top_and_is_not_fitted(copy: Path, tmp_path: Path):
    """Its tables may be there: of a run that was killed before it wrote the shard's line."""
    lines = (copy / MANIFEST).read_bytes().splitlines(keepends=True)
    (copy / MANIFEST).write_bytes(b"".join(lines[:3] + lines[4:]))
    campaign = read_campaign(copy)
    assert (campaign.missing, campaign.shards, campaign.runs) == ((2,), 6, 10)
    study(copy, tmp_path / "report")
    lines_of_report = (tmp_path / "report" / "report.md").read_text("utf-8").splitlines()
    assert lines_of_report[0].startswith("# Study")
    assert "shard 2 of 6 planned is missing: 10 of 12 games" in lines_of_report[2]
    with pytest.raises(UsageError, match="lacks shards 2 of 6; allowed is a whole one"):
        load_whole(copy)
    with pytest.raises(UsageError, match="lacks shards 2 of 6"):
        fit([copy])


def test_numbers_are_told_shortly():
    assert spans((0, 1, 2, 3, 4, 7, 9, 10, 11)) == "0-4, 7, 9-11"
