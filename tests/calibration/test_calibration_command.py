"""`tower-sim tower fit`: a profile from recorded drops and from wishes, and what it refuses."""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import each_case

from tower_sim.apparatus.catalogue import fitted_with, load
from tower_sim.calibration import command, played
from tower_sim.calibration.command import calibrate, heavy, usual
from tower_sim.calibration.evidence import shipped
from tower_sim.calibration.played import Table
from tower_sim.calibration.prior import NAMES, numbers, profile
from tower_sim.calibration.summaries import SUMMARIES
from tower_sim.calibration.towers import Towers
from tower_sim.cli import main
from tower_sim.errors import UsageError
from tower_sim.games.amerigo import Rules

FLOOR = ("openings", "opening_mm", "rows", "slope_deg")
Capture = pytest.CaptureFixture[str]
EXAMPLE = str(shipped()["my_tower"])


@pytest.fixture(name="asked", autouse=True)
def _asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Nothing is played: towers that would be played on are noted, and the table is as it was."""
    asked: list[int] = []

    def noted(table: Table, towers: Sequence[int] | np.ndarray, file: Path) -> Table:
        asked.extend(int(number) for number in towers)
        assert file.name == "games.npz"
        return table

    monkeypatch.setattr(played, "play_on", noted)
    return asked


def free(file: Path) -> dict[str, Any]:
    """The values of a profile that its remarks call free."""
    tables = tomllib.loads(file.read_text("utf-8"))
    where, table = dict[str, Any](), ""
    for line in file.read_text("utf-8").splitlines():
        if header := re.match(r"\[([\w.]+)\]", line):
            table = header[1]
        elif "# [F] 90 % of the towers that agree: " in line:
            held: Any = tables
            for word in table.split("."):
                held = held[word]
            where[f"{table}.{line.partition(' = ')[0]}"] = held[line.partition(" = ")[0]]
    return where


def test_recorded_drops_become_a_profile_and_its_report(tmp_path: Path, capsys: Capture):
    output = tmp_path / "mine.toml"
    assert main(["tower", "fit", EXAMPLE, "-o", str(output), "--seed", "3"]) == 0
    said = capsys.readouterr()
    assert said.err.endswith("tower fit: done by the seed 3\n")
    lines = said.out.splitlines()
    assert lines[0].startswith("Such a tower keeps about ")
    assert lines[1].startswith("90 % of the towers that agree keep ")
    report = tmp_path / "mine.calibration" / "report.md"
    told = [f"profile: {output}", f"report: {report}", f"to play with it: tower-sim play amerigo --tower {output}"]
    assert lines[-3:] == told
    assert report.read_text("utf-8").splitlines()[2:5:2] == lines[:2]
    tower, text = load(output), output.read_text("utf-8")
    assert tower.name == "mine"
    assert tomllib.loads(text)["exit"]["emerged"] == "cleared"
    assert fitted_with(text) == "core"
    assert f"# Fitted by tower-sim tower fit {EXAMPLE} -o mine.toml --seed 3\n" in text
    table = played.shipped()
    same = [unit for unit in table.unit if numbers_of(profile(unit)) == numbers_of(tomllib.loads(text))]
    assert len(same) == 1  # the profile is a tower of the table
    assert set(free(output).values()) <= {*numbers(same[0]).values(), *numbers_of(profile(same[0]))}
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    output.write_text("name = 'mine'\n")
    assert main(["tower", "fit", EXAMPLE, "-o", str(output), "--seed", "3", "--force"]) == 0
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before


def numbers_of(tables: dict[str, Any]) -> tuple[Any, ...]:
    """What of a profile is free."""
    floors = [tables[floor][key] for floor in ("upper_floor", "lower_floor") for key in FLOOR]
    surface = tables["surfaces"]["cube"]
    rest = surface["friction"], surface["restitution"], tables["release"]["rate_per_s"]
    return (tables["tube"]["inside_mm"], *floors, *rest)


def test_free_values_say_so_and_all_others_are_known_or_assumed(tmp_path: Path):
    calibrate([EXAMPLE], tmp_path / "mine.toml")
    wanted = {f"{floor}_floor.{key}" for floor in ("upper", "lower") for key in FLOOR}
    for name in ("cube", "cardboard", "funnel"):
        wanted |= {f"surfaces.{name}.friction", f"surfaces.{name}.restitution"}
    assert set(free(tmp_path / "mine.toml")) == wanted | {"tube.inside_mm", "release.rate_per_s"}
    assert len(NAMES) == 10


def test_wishes_choose_a_tower_that_does_so(tmp_path: Path, asked: list[int], capsys: Capture):
    output = tmp_path / "wish.toml"
    assert main(["tower", "fit", "--wish", "setup=12", "--wish", "out=5", "-o", str(output), "--seed", "0"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"^inside after the set-up: 12 observed, .*: within$", said, re.MULTILINE)
    assert re.search(r"^mean out in a phase: 5 observed, .*: within$", said, re.MULTILINE)
    text = output.read_text("utf-8")
    assert "# Fitted by tower-sim tower fit --wish=setup=12 --wish=out=5 -o wish.toml --seed 0\n" in text
    load(output)
    table = played.shipped()
    mine = numbers_of(tomllib.loads(text))
    (row,) = [i for i, unit in enumerate(table.unit) if numbers_of(profile(unit)) == mine]
    games = Towers(table.unit[row : row + 1], table.games.take([row])).games
    assert games.inside[0, :2, 0].mean() == pytest.approx(12, abs=6)
    assert games.out[0, :2, 1:].mean() == pytest.approx(5, abs=1)
    assert len(asked) <= command.MOST


def test_where_few_towers_agree_those_that_weigh_are_played_on(
    tmp_path: Path, asked: list[int], monkeypatch: pytest.MonkeyPatch
):
    calibrate([EXAMPLE], tmp_path / "enough.toml", seed=1)
    assert asked == []
    monkeypatch.setattr(command, "ENOUGH", 1e6)
    result = calibrate([EXAMPLE], tmp_path / "few.toml", seed=1)
    weight: Any = result.fit.posterior.weight
    towers = Towers(played.shipped().unit, played.shipped().games)
    assert asked == towers.number[np.argsort(-weight, kind="stable")[: len(asked)]].tolist()
    assert len(asked) == min(command.MOST, len(heavy(weight)))
    assert weight[heavy(weight)].sum() >= command.HEAVY > weight[heavy(weight)[:-1]].sum()
    chosen = usual(result.fit, towers)[0]
    assert chosen in heavy(weight, share=0.5)
    for name, (mean, _) in result.does.items():
        assert mean == pytest.approx(float(SUMMARIES[name].back(towers.at(command.EVERY[name]).mean[chosen])))


@each_case(
    ("words", "says"),
    [
        ([], "observations is 'none'; allowed is a file, a name that ships, or a --wish"),
        (["missing.csv"], "missing.csv"),
        (["knock"], "knock.toml is kept out of fits|knock.toml gives no number"),
        (["no-such-thing"], "observations 'no-such-thing'; allowed are"),
        (["rulebook-setup", "rulebook-setup"], "'rulebook-setup.toml' are named twice"),
        ([EXAMPLE, "my_tower"], "'my_tower.csv' are named twice"),
        (["--wish", "weight=3"], "--wish is 'weight'; allowed is one of setup, inside, out, colours, single"),
        (["--wish", "inside=0"], "--wish inside is 0.0; allowed is a number above 0 and below 49"),
        (["--wish", "inside=-3"], "--wish inside is -3.0; allowed is a number above 0 and below 49"),
        (["--wish", "setup=49"], "--wish setup is 49.0; allowed is a number above 0 and below 49"),
        (["--wish", "out=nan"], "--wish out is nan; allowed is"),
        (["--wish", "out=inf"], "--wish out is inf; allowed is"),
        (["--wish", "single=1"], "--wish single is 1.0; allowed is a number above 0 and below 1"),
        (["--wish", "colours=0.5"], "--wish colours is 0.5; allowed is a number above 1 and below 7"),
        (["--wish", "inside"], "'inside'; allowed is MEAN=NUMBER"),
        (["--wish", "inside=many"], "'inside=many'; allowed is MEAN=NUMBER"),
        (["--wish", "out=5", "--wish", "out=6"], "each mean once"),
        (["rulebook-setup", f"--seed={2**128}"], "allowed is a whole number from 0 to 2\\^128 - 1"),
        (["rulebook-setup", "--seed=-1"], "allowed is a whole number from 0 to 2\\^128 - 1"),
    ],
)
def test_bad_input_is_one_line_before_anything_is_written(words: Any, says: str, tmp_path: Path, capsys: Capture):
    assert main(["tower", "fit", *words, "-o", str(tmp_path / "x.toml")]) == 2
    said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert re.search(says, said.err), said.err
    assert said.out == ""
    assert list(tmp_path.iterdir()) == []


@each_case(
    ("name", "says"),
    [
        ("mine.txt", "allowed is a name that ends in .toml"),
        (".toml", "allowed is a name that ends in .toml"),
        ("mine.toml", "mine.toml' is there already; allowed is a new name; give another, or --force to replace it"),
        ("other.toml", "report folder"),
        (f"{'x' * 300}.toml", "File name too long"),
        ("nowhere/x.toml", "allowed is"),
    ],
)
def test_an_output_that_cannot_be_is_refused(name: str, says: str, tmp_path: Path, capsys: Capture):
    (tmp_path / "mine.toml").write_text("name = 'mine'\n")
    (tmp_path / "other.calibration").write_text("mine")
    assert main(["tower", "fit", "rulebook-setup", "-o", str(tmp_path / name)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert says in said
    assert (tmp_path / "mine.toml").read_text() == "name = 'mine'\n"
    assert {file.name for file in tmp_path.iterdir()} == {"mine.toml", "other.calibration"}


def test_more_values_than_the_fit_can_hold_are_refused(tmp_path: Path):
    """Recorded games of one length are one entry; of twelve lengths they are twelve."""
    row = ["0", *["7"] * 7, *["3"] * 7]
    lines = ["drop," + ",".join(f"{kind}_{colour}" for kind in ("thrown", "out") for colour in Rules().colours)]
    for length in range(2, 14):
        lines += [",".join(row), *(f"{drop}{',' * 14}" for drop in range(1, length))]
    (tmp_path / "mine.csv").write_text("\n".join(lines))
    with pytest.raises(UsageError, match=r"the observations give \d\d values to fit; allowed are up to 40"):
        calibrate([tmp_path / "mine.csv"], tmp_path / "x.toml")
    assert [file.name for file in tmp_path.iterdir()] == ["mine.csv"]
