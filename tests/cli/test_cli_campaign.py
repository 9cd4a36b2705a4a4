"""`tower-sim campaign` and `tower-sim campaign report` as people and other programs meet them."""

from pathlib import Path

import pytest
from support.command_line import here, tower_sim

SPEC = '[campaign]\ngame = "amerigo"\napparatus = "amerigo"\nmodel = "two_thirds"\ngames = 30\nshard = 10\nseed = "5"\n'


@pytest.fixture(name="place", scope="module")
def _place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("campaign")
    (place / "spec.toml").write_text(SPEC)
    done = tower_sim("campaign", "run", "spec.toml", "--output", "done", "--workers", "2", cwd=place)
    assert done.returncode == 0, done.stderr
    return place


def test_status_and_verify_tell_that_all_is_done_and_whole(place: Path):
    assert "3 done, 0 missing" in here("campaign", "status", "done", cwd=place).stdout
    verified = here("campaign", "check", "done", cwd=place)
    assert (verified.returncode, verified.stdout) == (0, "done: every file is whole\n")


def test_a_damaged_file_is_named_with_status_1(place: Path):
    file = place / "done/drops/00001.parquet"
    before = file.read_bytes()
    file.write_bytes(before[:100])
    verified = here("campaign", "check", "done", cwd=place)
    assert verified.returncode == 1
    assert "drops/00001.parquet" in verified.stdout
    file.write_bytes(before)


@pytest.mark.slow
def test_a_study_writes_report_tables_and_plots(place: Path):
    done = here("campaign", "report", "done", "--output", "report", cwd=place)
    assert done.returncode == 0, done.stderr
    first, *_, last = done.stdout.splitlines()
    assert first.startswith("After the set-up ")
    assert last == "report/report.html  (the same as Markdown, with its tables: report/report.md)"
    text = (place / "report/report.md").read_text("utf-8")
    assert "Questions about the tower" in text
    assert "30 of 30 planned" in text
    assert len(list((place / "report/plots").glob("*.svg"))) >= 5
    assert len(list((place / "report/tables").glob("*.csv"))) >= 10
