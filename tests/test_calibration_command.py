"""`tower-sim calibrate` from observations to a profile: with few games, stopped and gone on with, and refused."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from calibration import command, design
from calibration.command import Effort, calibrate
from calibration.parameters import ENGINE
from tests.measure import numerics, ship
from tower_sim.apparatus.catalogue import fitted_with, load
from tower_sim.cli import main
from tower_sim.errors import UsageError
from tower_sim.games.amerigo import Rules
from tower_sim.physics.bullet import load_bullet
from tower_sim.writing import WritingFailed

FEW = Effort(waves=1, points=2, games=2, confirm=2, chosen=3)
RULEBOOK = ["rulebook-setup", "rulebook-phase"]


@pytest.fixture(name="few")
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(command.EFFORTS, "quick", FEW)


@pytest.mark.bullet
@pytest.mark.usefixtures("few")
def test_stopped_and_gone_on_with_it_writes_a_profile_and_its_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    output = tmp_path / "mine.toml"
    played: list[str] = []
    real = design.play

    def until_chosen(points: object, games: int, seed: int, directory: Path, *rest: object) -> design.Design:
        played.append(directory.name)
        if played == ["wave-1", "confirm", "chosen"]:
            raise KeyboardInterrupt
        return real(points, games, seed, directory, *rest)  # type: ignore[arg-type]

    fits: list[int] = []

    @contextmanager
    def telling(what: str, total: int) -> Generator[Callable[[int], None]]:
        assert (what, total) == ("fits", 1)
        yield fits.append

    monkeypatch.setattr(command, "telling", telling)
    monkeypatch.setattr(design, "play", until_chosen)
    assert main(["calibrate", *RULEBOOK, "-o", str(output), "--seed", "3", "--workers", "1"]) == 1
    told = capsys.readouterr().err
    (line,) = [line for line in told.splitlines() if line.startswith("tower-sim: ")]
    assert line.startswith("tower-sim: interrupted; no profile was written, simulated games are kept; to go on: ")
    assert f"to go on: tower-sim calibrate rulebook-setup rulebook-phase -o {output} --quick --seed 3" in told
    assert not output.exists()
    assert fits == [1, 1]

    assert main(["calibrate", *RULEBOOK, "-o", str(output), "--seed", "3", "--workers", "1"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("Over many games such a tower keeps about ")
    assert told.splitlines()[1].startswith("How sure: with 90 % the tower's own numbers are ")
    assert "21 observed" in told
    assert f"profile: {output}" in told
    tower = load(output)
    text = output.read_text("utf-8")
    assert tower.name == "mine"
    assert "tower-sim calibrate --quick --seed 3 to: rulebook-setup.toml, rulebook-phase.toml" in text
    assert fitted_with(text) == ENGINE
    assert "# Posterior: SHA-256 " in text
    assert text.count("[F]") >= 10
    report = (tmp_path / "mine.calibration/report.md").read_text("utf-8")
    assert "rulebook-setup" in report

    before = output.read_bytes()
    again = calibrate(RULEBOOK, output, seed=3, workers=1)
    assert output.read_bytes() == before
    assert again.budget.games == 2 * 2 + 2 * 2 + 3
    assert len(again.confirmed) == 2
    assert again.points == len(design.shipped().pattern) + 2

    with pytest.raises(UsageError, match="belongs to a calibration with other observations"):
        calibrate(["club-retained"], output, seed=3)


@pytest.mark.parametrize("name", ["mine.txt", "there.toml", ".toml", f"{'x' * 300}.toml"])
def test_an_output_that_cannot_be_is_refused_before_any_work(name: str, tmp_path: Path):
    (tmp_path / "there.toml").write_text("mine")
    with pytest.raises(UsageError, match="allowed is") as refused:
        calibrate(RULEBOOK, tmp_path / name)
    assert "\n" not in str(refused.value)
    assert (tmp_path / "there.toml").read_text() == "mine"
    assert [file.name for file in tmp_path.iterdir()] == ["there.toml"]


@pytest.mark.parametrize("bad", ["missing.csv", "knock", "no-such-thing"])
def test_bad_observations_are_one_line_and_status_2(bad: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["calibrate", bad, "-o", str(tmp_path / "x.toml")]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert bad.split(".")[0] in told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--workers", "0"], "workers is 0; allowed is a whole number from 1 to 512"),
        (["--workers=-1"], "workers is -1; allowed is a whole number from 1 to 512"),
        (["--workers", "100000"], "workers is 100000; allowed"),
        (["--workers", "9" * 5000], "allowed is a whole number of up to 12 digits"),
        (["--workers", "two"], "'two'; allowed is a whole number"),
        (["--seed=-1"], "allowed is a whole number from 0 to 2^128 - 1"),
        (["rulebook-setup"], "'rulebook-setup.toml' are named twice"),
    ],
)
def test_numbers_that_cannot_be_are_one_line_before_any_work(
    words: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """0 workers once waited for ever, -1 ended in three lines."""
    assert main(["calibrate", "rulebook-setup", *words, "-o", str(tmp_path / "x.toml")]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert len(told) < 600
    assert says in told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "error", [WritingFailed("profile 'x.toml' cannot be written (no room)"), design.SimulationFailed("a shard\nfailed")]
)
def test_what_is_nobodys_mistake_is_one_line_and_status_1(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def failing(*_: object) -> None:
        raise error

    monkeypatch.setattr(command, "calibrate", failing)
    assert calibrate_in(tmp_path) == 1
    assert capsys.readouterr().err == f"tower-sim: {' '.join(str(error).split())}\n"


def test_more_values_than_the_fit_can_hold_are_refused_before_any_work(tmp_path: Path):
    """Games of twelve lengths would need 3.3 GB: refused; as many games of one length are one entry."""
    row = ["1", *["7"] * 7, *["3"] * 7]
    lines = ["drop," + ",".join(f"{kind}_{colour}" for kind in ("thrown", "out") for colour in Rules().colours)]
    for length in range(2, 14):
        lines += [",".join(row), *(f"{drop}" for drop in range(2, length + 1))]
    (tmp_path / "mine.csv").write_text("\n".join(lines))
    with pytest.raises(UsageError, match=r"the observations give \d\d values to fit; allowed are up to 40"):
        calibrate([tmp_path / "mine.csv"], tmp_path / "x.toml")
    assert [file.name for file in tmp_path.iterdir()] == ["mine.csv"]


@pytest.mark.bullet
def test_without_scikit_learn_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setitem(sys.modules, "sklearn.gaussian_process", None)
    monkeypatch.setitem(sys.modules, "sklearn.gaussian_process.kernels", None)
    assert calibrate_in(tmp_path) == 2
    assert "pip install pyarrow rich scikit-learn" in capsys.readouterr().err


def test_without_the_engine_of_the_design_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    load_bullet.cache_clear()
    monkeypatch.setitem(sys.modules, "pybullet", None)
    assert calibrate_in(tmp_path) == 2
    told = capsys.readouterr().err
    assert told.startswith("tower-sim: PyBullet, which the engine bullet needs, cannot be imported")
    assert told.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
    load_bullet.cache_clear()


def calibrate_in(directory: Path) -> int:
    return main(["calibrate", "rulebook-setup", "-o", str(directory / "x.toml")])


@pytest.mark.parametrize(
    ("script", "words"), [(numerics, ["--workers", "0", "games"]), (ship, ["board", "--workers", "0"])]
)
def test_the_scripts_that_measure_refuse_no_processes_in_one_line(
    script: Any, words: list[str], capsys: pytest.CaptureFixture[str]
):
    assert script.main(words) == 2
    told = capsys.readouterr().err
    assert "workers is 0; allowed is a whole number from 1" in told
    assert told.count("\n") == 1
