"""The kind in docs/apparatus.md is whole: installed as it stands there it keeps its promises and is dropped through."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from calibration.validation import documents

ROOT = Path(__file__).parents[2]
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


def run(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(place), str(ROOT)])
    command = [sys.executable, "-m", *words]
    return subprocess.run(command, cwd=place, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True)


def test_the_kind_of_the_document_is_short_and_keeps_the_promises_of_every_model(place: Path):
    assert len(block("kind").splitlines()) < 70
    done = run(place, "check_hole_box")
    assert done.returncode == 0, done.stderr


def test_cubes_fall_through_the_kind_of_the_document_and_some_stay(place: Path):
    done = run(place, "tower_sim", "throw", "hole_box", "--cubes", "red=25", "--seed", "3", "--json")
    assert done.returncode == 0, done.stderr
    places = [landing["place"] for landing in json.loads(done.stdout)["landings"]]
    assert set(places) == {"inside:box", "tray"}


def test_every_command_of_the_document_with_its_kind_runs(place: Path):
    commands = re.findall(r"`tower-sim ([^`]*hole_box[^`]*)`", DOC)
    assert commands
    for command in commands:
        done = run(place, "tower_sim", *command.split())
        assert done.returncode == 0, done.stderr
        assert "thrown" in done.stdout


def test_a_hole_that_no_cube_fits_is_refused_in_one_line(place: Path):
    profile = block("profile").replace("hole_mm = 36", "hole_mm = 9")
    (place / "small.toml").write_text(profile)
    done = run(place, "tower_sim", "throw", "small.toml", "--cubes", "red=2")
    assert done.returncode == 2
    assert "profile small: case.hole_mm is 9; allowed is more than 10, a cube, and less than 90" in done.stderr
