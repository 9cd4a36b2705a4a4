"""`tower-sim calibrate` from observations to a profile: with few games, stopped and gone on with, and refused."""

import re
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np
import pytest
from support.cases import each_case
from support.recorded import game

from tests.measure import numerics, posterior, ship
from tower_sim import writing
from tower_sim.apparatus.catalogue import fitted_with, load
from tower_sim.apparatus.parts import Apparatus
from tower_sim.calibration import command, design, effort, records
from tower_sim.calibration.command import Effort, calibrate
from tower_sim.calibration.parameters import ENGINE
from tower_sim.calibration.reference import Reference, learn
from tower_sim.calibration.watched import throws_of
from tower_sim.campaign.reader import load_whole
from tower_sim.cli import main
from tower_sim.errors import UsageError
from tower_sim.fitting.fit import apparatus_of
from tower_sim.games.amerigo import Rules
from tower_sim.surrogate.store import beside, fitted_or_shipped
from tower_sim.writing import WritingFailed

pytestmark = pytest.mark.whole

FEW = Effort(rounds=1, towers=2, games=1, enough=1000, chosen=2)
RULEBOOK = ["rulebook-setup", "rulebook-phase"]


@cache
def a_game() -> float:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(effort, "TIMED", 1)
        return effort.seconds_a_game()


@pytest.fixture(name="few")
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few games and points of the prior, of the design that ships 96 towers only, and one game timed for all tests."""
    monkeypatch.setattr(command, "fit", partial(command.fit, sample=512))
    monkeypatch.setattr(command, "seconds_a_game", a_game)
    monkeypatch.setitem(command.EFFORTS, "quick", FEW)
    some = design.shipped().take(np.arange(96))
    monkeypatch.setattr(design, "shipped", lambda: some)


@pytest.mark.usefixtures("few", "unpainted")
def test_stopped_and_gone_on_with_it_writes_a_profile_and_its_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    output = tmp_path / "mine.toml"
    real = design.play_tower

    def stopped(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    fits: list[int] = []

    @contextmanager
    def telling(what: str, total: int) -> Generator[Callable[[int], None]]:
        assert (what, total) == ("fits", 1)
        yield fits.append

    stood: list[tuple[object, ...]] = []

    law = fitted_or_shipped("amerigo")

    def stand_in(*given: object) -> SimpleNamespace:
        stood.append(given)
        writing.write(beside(output), law.to_json())
        return SimpleNamespace(words="It is as good as that.", details="a check\n")

    monkeypatch.setattr(command, "telling", telling)
    monkeypatch.setattr(command, "stand_in", stand_in)
    monkeypatch.setattr(design, "play_tower", stopped)
    assert main(["calibrate", *RULEBOOK, "-o", str(output), "--seed", "3", "--workers", "1"]) == 1
    told = capsys.readouterr().err
    (line,) = [line for line in told.splitlines() if line.startswith("tower-sim: ")]
    assert line.startswith("tower-sim: interrupted; no profile was written, simulated games are kept; to go on: ")
    assert f"to go on: tower-sim calibrate rulebook-setup rulebook-phase -o {output} --quick --seed 3" in told
    assert re.match(
        r"calibrate: this compares \d observed values with 96 simulated towers, plays up to 4 games of towers that "
        r"agree, chooses one and fits its surrogate\. About .* (minutes?|hours) on this machine \(1 at work; a game "
        r"takes \d",
        told,
    )
    assert not output.exists()
    assert fits == [1, 1]

    monkeypatch.setattr(design, "play_tower", real)
    assert main(["calibrate", *RULEBOOK, "-o", str(output), "--seed", "3", "--workers", "1"]) == 0
    told = capsys.readouterr().out
    assert "21 observed" in told
    assert "\nThe tower of the profile keeps about " in told
    assert "\nWhy this tower: Of " in told
    assert "\nIt is as good as that.\n" in told
    assert f"profile: {output}\nsurrogate: {tmp_path / 'mine.surrogate.json'}\n" in told
    assert told.endswith(f"tower-sim play amerigo --apparatus {output} --model surrogate\n")
    tower = load(output)
    assert stood == [(tmp_path / "mine.calibration/chosen", output, 3)]
    assert apparatus_of([load_whole(tmp_path / "mine.calibration/chosen")]).digest == tower.digest
    text = output.read_text("utf-8")
    assert tower.name == "mine"
    assert "tower-sim calibrate --quick --seed 3 to: rulebook-setup.toml, rulebook-phase.toml" in text
    assert fitted_with(text) == ENGINE
    assert "# Posterior: SHA-256 " in text
    assert re.search(r"^# Of \d+ towers that were played and agree with the evidence it is", text, re.MULTILINE)
    assert text.count("[F]") >= 10
    report = (tmp_path / "mine.calibration/report.md").read_text("utf-8")
    assert "rulebook-setup" in report
    folder, games = tmp_path / "mine.calibration", ["--towers", "2", "--games", "1"]
    assert posterior.main([str(folder), "--out", str(tmp_path / "proof"), *games]) == 0
    assert "| inside | " in capsys.readouterr().out
    assert (tmp_path / "mine.calibration/surrogate.txt").read_text("utf-8") == "a check\n"

    before, kept = output.read_bytes(), []

    def keeping(*given: Any) -> Any:
        kept.append(calibrate(*given))
        return kept[-1]

    monkeypatch.setattr(command, "calibrate", keeping)
    law = replace(law, failed="It failed its check.")
    assert main(["calibrate", *RULEBOOK, "-o", str(output), "--seed", "3", "--workers", "1"]) == 0
    assert capsys.readouterr().out.endswith(f"tower-sim play amerigo --apparatus {output}\n")  # with physics
    assert output.read_bytes() == before
    (again,) = kept
    output.write_text("name = 'mine'\n")
    assert main(["calibrate", *RULEBOOK, "-o", str(output), "--seed", "3", "--workers", "1"]) == 2
    assert "nothing in it says that tower-sim calibrate made it" in capsys.readouterr().err
    assert again.budget.games == 2 + 2
    assert len(again.confirmed) == 2
    assert again.points == len(design.shipped().unit) + 2

    with pytest.raises(UsageError, match="belongs to a calibration with other observations"):
        calibrate(["club-retained"], output, seed=3)


@pytest.mark.usefixtures("few", "unpainted")
def test_drops_that_cannot_be_fitted_are_said_and_held_against_the_tower(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """The law that they are held against is of coins; what the tower throws for it is what was recorded."""
    monkeypatch.setitem(command.EFFORTS, "quick", replace(FEW, towers=1))
    (tmp_path / "throws.csv").write_text("throw,thrown,out\n0,20,14\n1,15,9\n0,20,11\n")
    asked: list[object] = []

    def law(tower: object, games: int, seed: int, settings: object, throws: object) -> Reference:
        asked.extend([tower, games, seed, throws])
        return learn("coins", [game(np.random.default_rng(i)) for i in range(8)], 0)

    def no_stand_in(*_: object) -> NoReturn:
        raise UsageError("games on one side are 3; allowed are 10 or more; play more")

    monkeypatch.setattr(command, "reference", law)
    monkeypatch.setattr(command, "stand_in", no_stand_in)
    files = ["rulebook-setup", str(tmp_path / "throws.csv")]
    assert main(["calibrate", *files, "-o", str(tmp_path / "mine.toml"), "--seed", "0", "--workers", "1"]) == 0
    told = capsys.readouterr()
    line = "records 'throws.csv': 0 of 3 drops can be fitted, 3 are free throws"
    assert told.err.startswith(f"{line}\ncalibrate: this compares 1 observed value")
    assert f"{line}\nWhat of 'throws.csv' was not fitted, held against the tower: " in told.out
    assert "\nNo surrogate was made: games on one side are 3; allowed are 10 or more; play more\nprofile: " in told.out
    assert told.out.endswith(f"to play with it: tower-sim play amerigo --apparatus {tmp_path / 'mine.toml'}\n")
    tower, games, seed, throws = asked
    assert isinstance(tower, Apparatus)
    assert (tower.digest, games, seed) == (load(tmp_path / "mine.toml").digest, 24, 0)
    assert throws == throws_of(records.read(tmp_path / "throws.csv"))


@each_case("name", ["mine.txt", "there.toml", ".toml", f"{'x' * 300}.toml"])
def test_an_output_that_cannot_be_is_refused_before_any_work(name: str, tmp_path: Path):
    (tmp_path / "there.toml").write_text("mine")
    with pytest.raises(UsageError, match="allowed is") as refused:
        calibrate(RULEBOOK, tmp_path / name)
    assert "\n" not in str(refused.value)
    assert (tmp_path / "there.toml").read_text() == "mine"
    assert [file.name for file in tmp_path.iterdir()] == ["there.toml"]


@each_case("bad", ["missing.csv", "knock", "no-such-thing"])
def test_bad_observations_are_one_line_and_status_2(bad: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["calibrate", bad, "-o", str(tmp_path / "x.toml")]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert bad.split(".")[0] in told
    assert list(tmp_path.iterdir()) == []


@each_case(
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


@each_case(
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
    row = ["0", *["7"] * 7, *["3"] * 7]
    lines = ["drop," + ",".join(f"{kind}_{colour}" for kind in ("thrown", "out") for colour in Rules().colours)]
    for length in range(2, 14):
        lines += [",".join(row), *(f"{drop}{',' * 14}" for drop in range(1, length))]
    (tmp_path / "mine.csv").write_text("\n".join(lines))
    with pytest.raises(UsageError, match=r"the observations give \d\d values to fit; allowed are up to 40"):
        calibrate([tmp_path / "mine.csv"], tmp_path / "x.toml")
    assert [file.name for file in tmp_path.iterdir()] == ["mine.csv"]


@pytest.mark.usefixtures("few")
def test_without_scikit_learn_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    assert calibrate_in(tmp_path) == 2
    assert "pip install numba pyarrow rich markdown-it-py scikit-learn" in capsys.readouterr().err


def test_without_the_engine_of_the_design_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def missing(_: object) -> NoReturn:
        raise UsageError("the engine cannot be had; allowed is one that is installed; install it")

    monkeypatch.setattr(command, "make", missing)
    assert calibrate_in(tmp_path) == 2
    assert capsys.readouterr().err.startswith("tower-sim: the engine cannot be had; allowed is one that")
    assert list(tmp_path.iterdir()) == []


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
