"""The notebooks run, show their pictures, and ship with what they show."""

from __future__ import annotations

import base64
import json
import re
import struct
import sys
from pathlib import Path
from typing import Any

import pytest
from notebook_runs import Cell, code_cells, execute, notebooks, read

from tower_sim.errors import UsageError

pytestmark = pytest.mark.slow

NOTEBOOKS = notebooks()
RUN = [pytest.param(path, marks=[pytest.mark.bullet] if path.stem == "calibration" else []) for path in NOTEBOOKS]
EXTRAS = {"calibration": ("calibrate", "pyarrow"), "campaign": ("campaign", "pyarrow"), "solvers": ("env", "gymnasium")}
WIDEST, LARGEST = 1000, 400_000  # pixels of a picture, bytes of a notebook
PATHS = re.compile(r"(?<![\w.])/(root|home|work|tmp|usr|opt|var|private|Users|mnt)/|[A-Z]:\\\\|site-packages|file://")


def kinds(outputs: list[Cell]) -> list[str]:
    """What a cell shows: text that is printed, values, pictures."""
    return [next(iter(each["data"])) if "data" in each else each["output_type"] for each in outputs]


def test_there_are_notebooks():
    assert {path.stem for path in NOTEBOOKS} == {"first_steps", "campaign", "calibration", "solvers"}


@pytest.mark.parametrize("path", RUN, ids=lambda path: path.stem)
def test_a_notebook_runs_from_its_first_cell_to_its_last_and_ships_with_what_it_shows(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """What a cell shows is compared by its kind: figures and pictures change with the versions of libraries."""
    monkeypatch.chdir(tmp_path)
    outputs = [kinds(outputs) for outputs in execute(path)]
    assert outputs == [kinds(cell["outputs"]) for cell in code_cells(read(path))]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_shipped_notebook_has_its_pictures_and_nothing_of_the_machine_that_ran_it(path: Path):
    notebook, text = read(path), path.read_text("utf-8")
    cells = code_cells(notebook)
    outputs: list[Any] = [output for cell in cells for output in cell["outputs"]]
    pictures = [output["data"]["image/png"] for output in outputs if "image/png" in output.get("data", {})]
    assert pictures
    for picture in pictures:
        png = base64.b64decode(picture)
        width, height = struct.unpack(">II", png[16:24])
        assert png.startswith(b"\x89PNG")
        assert 300 <= width <= WIDEST
        assert height <= WIDEST
    assert len(text) < LARGEST
    assert [cell["execution_count"] for cell in cells] == [*range(1, len(cells) + 1)]
    words = json.dumps([[{**each, "data": "text/plain" in each.get("data", {}) and each["data"]} for each in outputs],
                        notebook["metadata"], [cell["metadata"] for cell in notebook["cells"]]])  # fmt: skip
    assert not PATHS.search(words)
    assert "Traceback" not in words
    assert '"error"' not in words
    assert "<Figure" not in words


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_names_its_extra_first_and_ends_in_one_line_where_that_is_missing(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    first = "".join(read(path)["cells"][0]["source"])
    if path.stem not in EXTRAS:
        assert "no extra" in first
        return
    extra, module = EXTRAS[path.stem]
    assert f"pip install '.[{extra}]'" in first
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        UsageError, match=f"^{module} is not installed .*; allowed is .*{extra}.*; try: .*-m pip install "
    ) as error:
        execute(path)
    assert any("code cell 0" in str(entry.path) for entry in error.traceback), "in the first cell"
    (line,) = error.value._render_traceback_()
    assert line == f"tower_sim: {error.value}"
    assert "\n" not in line
    assert list(tmp_path.iterdir()) == []
