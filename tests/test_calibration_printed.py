"""Records of printed towers: the form that export writes, filled in, is read; what it lacks is told; drops go on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.cases import each_case

from tower_sim import cli
from tower_sim.apparatus.catalogue import load, shipped
from tower_sim.calibration import printed, records
from tower_sim.errors import UsageError
from tower_sim.printing.form import drops_text, record_text

pytestmark = pytest.mark.whole

FILLED = {
    '\nmaterial = ""': '\nmaterial = "PLA"',
    "layer_mm = 0.0": "layer_mm = 0.2",
    'finish = ""': 'finish = "as printed"',
    "cube_edge_mm = 0.0": "cube_edge_mm = 9.5",
    'cube_material = ""': 'cube_material = "beech"',
    "measured_mm = {}": "measured_mm = { upper_opening = 13.1 }",
    'who = ""': 'who = "A. Builder"',
    'when = ""': 'when = "2026-11-23"',
    'licence = ""': 'licence = "CC0-1.0"',
}
DROPS = "0,7,7,7,7,7,7,7,5,5,5,4,5,4,3\n1,5,0,0,0,0,0,0,3,0,0,0,1,0,1\n"


def filled() -> str:
    text = record_text(load("amerigo"), "0123456789abcdef", "stl")
    for blank, words in FILLED.items():
        assert blank in text
        text = text.replace(blank, words)
    return text


@pytest.fixture
def built(tmp_path: Path) -> Path:
    (tmp_path / "record.toml").write_text(filled())
    (tmp_path / "drops.csv").write_text(drops_text(load("amerigo"), "0123456789abcdef") + DROPS)
    (tmp_path / "tower.toml").write_text(shipped()["amerigo"])
    return tmp_path


def test_the_form_filled_in_is_read(built: Path):
    record = printed.read(built / "record.toml")
    assert (record.made, record.material, record.cube_edge_mm) == ("printed", "PLA", 9.5)
    assert record.measured_mm == {"upper_opening": 13.1}
    assert record.profile_digest == load("amerigo").digest


def test_the_form_as_it_is_written_lacks_what_only_a_builder_knows(tmp_path: Path):
    (tmp_path / "record.toml").write_text(record_text(load("amerigo"), "0123456789abcdef", "stl"))
    with pytest.raises(UsageError, match=r"material of record .* is ''; allowed is words"):
        printed.read(tmp_path / "record.toml")


@each_case(
    ("old", "new", "told"),
    [
        ('material = "PLA"', 'materiel = "PLA"', "did you mean material?"),
        ('material = "PLA"', "", "lacks material; allowed are all of"),
        ("layer_mm = 0.2", "layer_mm = nan", "layer_mm of record"),
        ("layer_mm = 0.2", "layer_mm = true", "layer_mm of record"),
        ("cube_edge_mm = 9.5", "cube_edge_mm = 95", "a number from 2 to 40"),
        ("{ upper_opening = 13.1 }", '{ upper_opening = "wide" }', "a table of lengths in mm"),
        ("{ upper_opening = 13.1 }", "13.1", "a table of lengths in mm"),
        ('made = "printed"', 'made = "prined"', "did you mean printed?"),
        ('when = "2026-11-23"', 'when = "23.11.2026"', "a day, as 2026-11-23"),
        ('"0123456789abcdef"', '"0123"', "16 letters"),
        ("version = 1", "version = 2", "fill that in"),
    ],
)
def test_what_cannot_be_is_told_in_a_line(old: str, new: str, told: str, tmp_path: Path):
    assert old in filled()
    (tmp_path / "record.toml").write_text(filled().replace(old, new, 1))
    with pytest.raises(UsageError) as error:
        printed.read(tmp_path / "record.toml")
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_a_record_is_checked_with_its_drops_and_its_profile(built: Path, capsys: pytest.CaptureFixture[str]):
    assert printed.main(["check", str(built / "record.toml")]) == 0
    told = capsys.readouterr().out
    assert told.startswith("A printed tower of PLA, by A. Builder, 2026-11-23: 2 drops recorded.\n")
    assert "Mind" not in told
    assert f"next: tower-sim fairness {built / 'drops.csv'} --apparatus {built / 'tower.toml'}" in told


def test_other_cubes_another_profile_and_changes_are_told(built: Path):
    text = filled().replace("cube_edge_mm = 9.5", "cube_edge_mm = 8").replace('changes = ""', 'changes = "no ribs"')
    (built / "record.toml").write_text(text.replace(load("amerigo").digest, "f" * 16))
    told = "\n".join(printed.checked(built / "record.toml"))
    assert told.count("Mind:") == 3
    assert "others make another tower" in told
    assert "no ribs" in told


def test_a_faulty_record_ends_the_command_with_status_2(built: Path):
    (built / "record.toml").write_text("x = [")
    done: Any = subprocess.run(
        [sys.executable, "-m", "tower_sim.calibration.printed", "check", str(built / "record.toml")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("printed: ")
    assert done.stderr.count("\n") == 1


def test_the_drops_go_straight_into_fairness(built: Path, capsys: pytest.CaptureFixture[str]):
    drops = built / "drops.csv"
    assert len(records.read(drops)) == 2
    words = ["fairness", str(drops), "--apparatus", str(built / "tower.toml"), "--games", "8", "--seed", "0"]
    assert cli.main(words) == 0
    assert "drops give no reason to doubt" in capsys.readouterr().out
