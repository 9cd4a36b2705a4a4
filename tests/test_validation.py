"""The scripts that measure and renew: each says what it is for, is listed, and is there where a document names it."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support import coins
from support.cases import each_case

from calibration.validation import nights, spread, surrogate
from calibration.validation.samples import SAMPLES
from calibration.validation.script import COMMAND
from tests.support.web import needs_esbuild
from tower_sim import open_model
from tower_sim.calibration.summaries import PLAN
from tower_sim.surrogate import SurrogateModel

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "calibration" / "validation"
LONG = ("clogged", "alarms")  # ten seconds each
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py") if "\nmain = script(" in path.read_text("utf-8"))


@each_case("name", SCRIPTS)
def test_a_script_says_what_it_is_for_and_how_it_is_called(name: str, capsys: pytest.CaptureFixture[str]):
    script = importlib.import_module(f"calibration.validation.{name}")
    with pytest.raises(SystemExit) as ended:
        script.main(["--help"])
    assert ended.value.code == 0
    purpose, _, rest = (script.__doc__ or "").partition("\n")
    assert purpose.endswith(".")
    assert set(COMMAND.findall(rest)) == {name}
    assert purpose.split(":")[0] in " ".join(capsys.readouterr().out.split())


def test_the_list_has_every_script():
    rows = re.findall(r"^\| (`.*?`) \|", (FOLDER / "README.md").read_text("utf-8"), re.M)
    assert sorted(re.findall(r"`(\w+)`", " ".join(rows[1:]))) == SCRIPTS


def test_documents_name_scripts_that_are_there():
    named = {
        (path.name, name)
        for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("calibration/**/*.csv"))
        for name in COMMAND.findall(path.read_text("utf-8"))
    }
    assert ("physics.md", "through") in named
    assert {name for _, name in named} <= set(SCRIPTS)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in SAMPLES]
)
def test_every_sample_can_be_drawn(name: str):
    assert all(np.isfinite(value) for value in SAMPLES[name].draw(1).values())


@pytest.mark.slow
def test_worker_processes_find_what_a_script_hands_them():
    words = [sys.executable, "-m", "calibration.validation.surrogate", "--games", "3", "--few", "2", "--workers", "1"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout.count("\n")) == (0, 2 + len(surrogate.LAGS) + 1 + len(surrogate.OTHERS)), done


@pytest.mark.slow
def test_classifiers_are_shown_parts_of_the_features(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(spread, "SAMPLED", 80)
    monkeypatch.setattr(spread, "PLAYED", 60)
    with open_model("amerigo", "surrogate") as model:
        assert isinstance(model, SurrogateModel)
        spread.compare(model.sample_runs(PLAN, 60, 1), model)
    table = capsys.readouterr().out.partition("that sees")[2]
    numbers = [int(cells) for cells in re.findall(r"^\| .*? \| (\d+) \| \d+\.\d%", table, re.M)]
    assert len(numbers) == len(spread.SEEN)
    assert numbers[0] == numbers[1] + numbers[2]
    assert numbers[1] == 1
    assert 7 * 2 == numbers[5] < numbers[4] < numbers[3] < numbers[0]


@pytest.mark.slow
def test_recorded_nights_of_towers_of_the_prior_are_fitted_and_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    needs_esbuild()
    monkeypatch.setattr(nights, "TRUE_GAMES", 1)
    monkeypatch.setattr(nights.played, "shipped", lambda: coins.table(128))
    assert nights.main([str(tmp_path), "--towers", "2", "--pairs", "4"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("2 towers, 3 nights of each\n")
    assert all(words in text for words in nights.WHAT.values())
    assert "4 pairs of one tower" in text
