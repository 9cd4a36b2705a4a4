"""`tower-sim tower fit`: a profile from recorded drops and from wishes, and what it refuses."""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import each_case
from support.command_line import refusal

from tower_sim.apparatus import fitted_with, load
from tower_sim.calibration import command, nights, played
from tower_sim.calibration.command import calibrate, select_heavy, usual
from tower_sim.calibration.evidence import MOST_OF_GAMES, MOST_VALUES, shipped
from tower_sim.calibration.played import Table
from tower_sim.calibration.prior import SURFACES, Towers, numbers, profile
from tower_sim.calibration.reference import read_usable
from tower_sim.calibration.summaries import FIGURES, PLAN, SUMMARIES
from tower_sim.campaign import load_whole
from tower_sim.cli import main
from tower_sim.games.amerigo import Rules
from tower_sim.results import COUNTS, Results
from tower_sim.studies import read_games, read_wishes

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
    printed = capsys.readouterr()
    assert printed.err.endswith("tower fit: done by the seed 3\n")
    lines = printed.out.splitlines()
    assert lines[0].startswith("Such a tower keeps about ")
    assert lines[4].startswith("90 % of the towers that agree keep ")
    report = tmp_path / "mine.calibration" / "report.md"
    paths = [f"profile: {output}", f"report: {report}", f"to play with it: tower-sim play amerigo --tower {output}"]
    assert lines[-3:] == paths
    assert report.read_text("utf-8").splitlines()[2:5:2] == lines[:5:4]
    tower, text = load(output), output.read_text("utf-8")
    assert tower.name == "mine"
    assert tomllib.loads(text)["exit"]["emerged"] == "cleared"
    assert fitted_with(text) == "core"
    assert f"# Fitted by tower-sim tower fit {EXAMPLE} -o mine.toml --seed 3\n" in text
    table = played.shipped()
    same = [unit for unit in table.unit if numbers_of(profile(unit)) == numbers_of(tomllib.loads(text))]
    assert len(same) == 1  # the profile is a tower of the table
    assert set(free(output).values()) <= {*numbers(same[0]).values(), *numbers_of(profile(same[0]))}
    expected = {f"{floor}_floor.{key}" for floor in ("upper", "lower") for key in FLOOR}
    expected |= {f"surfaces.{name}.{key}" for name in SURFACES for key in ("friction", "restitution")}
    assert set(free(output)) == expected | {"tube.inside_mm", "release.rate_per_s"}
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    output.write_text("name = 'mine'\n")
    assert main(["tower", "fit", EXAMPLE, "-o", str(output), "--seed", "3", "--force"]) == 0
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before


def numbers_of(tables: dict[str, Any]) -> tuple[Any, ...]:
    floors = [tables[floor][key] for floor in ("upper_floor", "lower_floor") for key in FLOOR]
    surface = tables["surfaces"]["cube"]
    rest = surface["friction"], surface["restitution"], tables["release"]["rate_per_s"]
    return (tables["tube"]["inside_mm"], *floors, *rest)


@pytest.mark.slow
def test_a_tower_for_a_wish_is_judged_by_other_games_and_needs_no_other_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
):
    """Ten games judge and make the fast model here. The tower is one of the table; compare and the lab take it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(nights, "JUDGE", 10)
    monkeypatch.setattr(nights, "ROUNDS", ((2, range(200, 201)), (1, range(204, 205))))
    asked = ["--wish", "setup=8..16", "--wish", "out>=5"]
    assert main(["tower", "fit", *asked, "-o", "wish.toml", "--seed", "0"]) == 0
    printed = capsys.readouterr().out
    first = printed.splitlines()[0]
    assert first.startswith(("The wishes are ", "Whether this tower meets the wishes is too close to tell: "))
    assert "in 10 games of physics played afresh." in first
    assert "Held out" not in printed
    assert "fast model: wish.surrogate.json" in printed
    text = Path("wish.toml").read_text("utf-8")
    assert "# Fitted by tower-sim tower fit --wish=setup=8..16 '--wish=out>=5' -o wish.toml --seed 0\n" in text
    (folder,) = Path("wish.calibration").glob("games-*")
    counted = read_games(load_whole(folder))
    for key in ("setup", "out"):
        mean = float(FIGURES[key].value(counted).mean())
        assert (f"{mean:.2f}" if mean < 10 else f"{mean:.1f}") in first
    assert Path("wish.calibration/report.md").read_text("utf-8").splitlines()[2] == first
    table = played.shipped()
    mine = numbers_of(tomllib.loads(text))
    assert sum(numbers_of(profile(unit)) == mine for unit in table.unit) == 1
    assert main(["compare", "wish.toml", "--set", "cubes=6", "--games", "20", "--seed", "1"]) == 0
    assert "tower wish" in capsys.readouterr().out
    assert main(["page", "lab", "--tower", "wish.toml", "-o", "lab.html"]) == 0
    assert main(["page", "live", "--tower", "wish.toml", "-o", "live.html"]) == 0


def games_with(inside: int) -> Results:
    """Twenty games in which so many of 49 cubes stay after each drop, one more in every other game."""
    kept = np.full((20, 36), inside, np.int16) + np.arange(20, dtype=np.int16)[:, None] % 2
    counts: dict[str, Any] = dict.fromkeys(COUNTS, kept)
    return Results.of_counts(plan=PLAN, **counts)


@each_case(
    ("wish", "says"),
    [
        ("inside=4..6", "The wish is met: mean inside in play 5.50 (5.26 to 5.74), in 20 games of physics played "),
        ("inside=9", "The wish is not met; this is the nearest of 7 simulated towers: mean inside in play 5.50 (5.26 "),
        ("inside<=5.5", "Whether this tower meets the wish is too close to tell: mean inside in play 5.50 (5.26 to "),
    ],
)
def test_the_first_sentence_says_whether_the_wish_is_met(wish: str, says: str):
    assert nights.format_sentences(games_with(5), read_wishes([wish]), 7)[0].startswith(says)


def test_towers_are_chosen_by_what_they_do_in_physics(monkeypatch: pytest.MonkeyPatch):
    """Simulated towers predict a wish each; what they do in games of physics decides."""
    towers = Towers(played.shipped().unit, played.shipped().games, played.shipped().base)
    wishes = read_wishes(["inside=5"])
    asked: list[int] = []

    def keeps(shape: object, number: int, games: Sequence[int]) -> Results:
        asked.append(number)
        return games_with(4 if asked.index(number) == 3 else 12)  # the fourth that is played comes nearest

    monkeypatch.setattr(played, "play", keeps)
    chosen = nights.choose(np.arange(len(towers.number)), towers, wishes)
    assert towers.number[chosen] == asked[3]
    assert len(asked) == sum(many for many, _ in nights.ROUNDS)
    predicted = towers.at(command.EVERY["inside"]).mean
    first = [int(np.flatnonzero(towers.number == number)[0]) for number in asked[:8]]
    assert np.abs(SUMMARIES["inside"].back(predicted[first]) - 5).max() < 0.5


@pytest.mark.slow
def test_where_few_towers_agree_those_that_weigh_are_played_on(
    tmp_path: Path, asked: list[int], monkeypatch: pytest.MonkeyPatch
):
    calibrate([EXAMPLE], tmp_path / "enough.toml", seed=1)
    assert asked == []
    monkeypatch.setattr(command, "ENOUGH", 1e6)
    result = calibrate([EXAMPLE], tmp_path / "few.toml", seed=1)
    weight: Any = result.fit.posterior.weight
    towers = Towers(played.shipped().unit, played.shipped().games, played.shipped().base)
    assert asked == towers.number[np.argsort(-weight, kind="stable")[: len(asked)]].tolist()
    assert len(asked) == min(command.MOST, len(select_heavy(weight)))
    assert weight[select_heavy(weight)].sum() >= command.HEAVY > weight[select_heavy(weight)[:-1]].sum()
    chosen = usual(result.fit, towers)[0]
    assert chosen in select_heavy(weight, share=0.5)
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
        (["--wish", "weight=3"], "--wish is 'weight'; allowed is one of setup, inside, out, share_out, actions, "),
        (["--wish", "inside=0"], "--wish inside is 0.0; allowed is a number above 0 and below 49"),
        (["--wish", "inside=-3"], "--wish inside is -3.0; allowed is a number above 0 and below 49"),
        (["--wish", "setup=49"], "--wish setup is 49.0; allowed is a number above 0 and below 49"),
        (["--wish", "out=nan"], "--wish 'out=nan'; allowed is a finite number"),
        (["--wish", "out=inf"], "--wish 'out=inf'; allowed is a finite number"),
        (["--wish", "single=1"], "--wish single is 1.0; allowed is a number above 0 and below 1"),
        (["--wish", "colours=0.5"], "--wish colours is 0.5; allowed is a number above 1 and below 7"),
        (["--wish", "inside"], "--wish 'inside'; allowed is FIGURE=3"),
        (["--wish", "inside=many"], "--wish 'inside=many'; allowed is FIGURE=3"),
        (["--wish", "out=5", "--wish", "out=6"], "allowed is each figure once"),
        (["rulebook-setup", f"--seed={2**128}"], "allowed is a whole number from 0 to 2\\^128 - 1"),
        (["rulebook-setup", "--seed=-1"], "allowed is a whole number from 0 to 2\\^128 - 1"),
    ],
)
def test_bad_input_is_one_line_before_anything_is_written(words: Any, says: str, tmp_path: Path):
    assert re.search(says, refusal("tower", "fit", *words, "-o", str(tmp_path / "x.toml")))
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
def test_an_output_that_cannot_be_is_refused(name: str, says: str, tmp_path: Path):
    (tmp_path / "mine.toml").write_text("name = 'mine'\n")
    (tmp_path / "other.calibration").write_text("mine")
    assert says in refusal("tower", "fit", "rulebook-setup", "-o", str(tmp_path / name))
    assert (tmp_path / "mine.toml").read_text() == "name = 'mine'\n"
    assert {file.name for file in tmp_path.iterdir()} == {"mine.toml", "other.calibration"}


def test_games_of_twelve_lengths_are_fitted_though_one_by_one_they_have_too_many_values(tmp_path: Path):
    row = ["0", *["7"] * 7, *["3"] * 7]
    lines = ["drop," + ",".join(f"{kind}_{colour}" for kind in ("thrown", "out") for colour in Rules().colours)]
    for length in range(2, 14):
        lines += [",".join(row), *(f"{drop}{',' * 14}" for drop in range(1, length))]
    (tmp_path / "mine.csv").write_text("\n".join(lines))
    outcome_found = read_usable([tmp_path / "mine.csv"])
    assert sum(len(game.values) for game in outcome_found.games) > MOST_VALUES
    for part in (outcome_found.evidence, outcome_found.halves):
        assert sum(len(entry.values) for entry in part) <= MOST_OF_GAMES
        assert sum(entry.games for entry in part) == len(outcome_found.games)
