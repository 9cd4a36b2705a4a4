"""Battles, sweeps, and the report as a whole."""

import csv
import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from test_study_make import coin_games, series, write

from tower_sim.errors import UsageError
from tower_sim.games.amerigo import Rules
from tower_sim.study import battles, memory, study, sweeps
from tower_sim.study.bootstrap import Estimate, Resamples
from tower_sim.study.load import load
from tower_sim.study.sheets import said

BATTLE = """
[campaign]
kind = "battle"
apparatus = "dead_reckoning"
battles = 1
seed = "7"

[battle]
cubes = { purple = 2, green = 2 }
"""


def a_battle(run: int, winner: str, point: int = 0) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """A throw of four, an explosion that knocks cube 0 from a to b, a cube put into a zone, a pass."""
    steps = {
        "throw": [(0, "purple", None, "a"), (1, "purple", None, "boom"), (2, "green", None, "b"),
                  (4, "green", None, "c")],
        "explosion": [(0, "purple", "a", "b"), (1, "purple", None, "b"), (2, "green", "b", "b"),
                      (3, "purple", None, "a"), (4, "green", "c", "c")],
        "ability": [(0, "purple", "b", "b"), (1, "purple", "b", "b"), (2, "green", None, "a"), (3, "purple", "a", "a"),
                    (4, "green", "c", "c")],
        "pass": [],
    }  # fmt: skip
    drops: list[dict[str, Any]] = []
    cubes: list[dict[str, Any]] = []
    for i, (kind, landed) in enumerate(steps.items()):
        where = {"point": point, "run": run, "drop": i}
        thrown = sum(before is None for _, _, before, _ in landed)
        counts = {"thrown": thrown, "emerged": len(landed), "inside_after": 0, "drawn": bool(landed)}
        drops.append(where | counts | {"kind": kind, "winner": winner if kind == "pass" else None})
        for cube, colour, before, after in landed:
            places = {"before": before and f"zone:{before}", "after": f"zone:{after}"}
            cubes.append(
                where | places | {"cube": cube, "colour": colour, "thrown": before is None, "age": i if before else 0}
            )
    return drops, cubes


def write_battles(directory: Path, winners: list[str], points: list[int], overrides: Any = ()) -> None:
    played = [a_battle(run, winner, point) for run, (winner, point) in enumerate(zip(winners, points, strict=True))]
    drops, cubes = ([row for each in played for row in each[i]] for i in (0, 1))
    write(directory, drops, cubes[::-1], BATTLE, overrides)


# Battles


def test_what_a_battle_shows_is_counted_by_hand(tmp_path: Path):
    write_battles(tmp_path, ["purple"] * 4 + ["green"] * 2, [0] * 6)
    campaign = load(tmp_path)
    boot = Resamples(campaign.strata, np.random.default_rng(1))
    landed = battles.landings(campaign, boot)
    # through the ship: a, boom, b and c, then b and a; the cube put into a zone by the ability is no landing
    assert landed.places == ("zone:a", "zone:b", "zone:boom", "zone:c")
    assert (landed.counts / 6).tolist() == [2, 2, 1, 1]
    assert (landed.final_counts / 6).tolist() == [2, 2, 0, 1]
    assert landed.final.high[2] == pytest.approx(1 - 0.025 ** (1 / 6))
    knocked = battles.knocks(campaign, boot)
    assert knocked
    assert (knocked.thrown.tolist(), knocked.throws.tolist()) == ([2], [6])
    assert (knocked.overall.value, knocked.lying.value) == pytest.approx((1, 1 / 3))
    chains = battles.chains(campaign, boot)
    assert chains
    assert chains.counts.tolist() == [6, 6]  # the throw has one explosion, the ability none
    odds = battles.odds(campaign, boot)
    assert odds.sides == ("purple", "green")
    assert odds.cubes.tolist() == [[2, 2]]
    assert odds.wins.value == pytest.approx([4 / 6, 2 / 6, 0])
    assert odds.wins.low[0] <= 4 / 6 <= odds.wins.high[0]


def test_the_report_of_battles(tmp_path: Path):
    points = [{"battle.cubes.purple": 2}, {"battle.cubes.purple": 5}]
    write_battles(tmp_path / "in", ["purple", "green", "green"] * 2 + ["purple"] * 6, [0] * 6 + [1] * 6, points)
    study(tmp_path / "in", tmp_path / "out")
    text = (tmp_path / "out" / "report.md").read_text("utf-8")
    for heading in ("Failed attempts", "Where cubes land", "Cubes knocked on", "Explosions", "Who wins", "parameters"):
        assert heading in text
    rows = list(csv.DictReader((tmp_path / "out" / "tables" / "points.csv").read_text("utf-8").splitlines()))
    assert [float(row["won by purple [1]"]) for row in rows] == pytest.approx([2 / 6, 1], rel=1e-5)
    assert len(list((tmp_path / "out" / "plots").glob("sweep_*.png"))) == 4


# Sweeps


def swept(rng: np.random.Generator, points: int) -> tuple[Any, np.ndarray]:
    x = rng.random((points, 3)) * [1, 10, 100]
    out = rng.poisson(5 + 8 * x[:, [0]] - 0.3 * x[:, [1]] + np.zeros((points, 15)))
    return series(out, strata=np.arange(points)), x


def test_a_sweep_finds_the_parameters_that_matter():
    rng = np.random.default_rng(2)
    campaign, x = swept(rng, 80)
    boot = Resamples(campaign.strata, rng)
    quantity = next(q for q in sweeps.quantities(campaign) if q.name == "mean out of a drop")
    found = sweeps.sweep(campaign, boot, quantity, x, ("strong", "weak", "none"))
    mean = campaign.matrix(campaign.drops.emerged).mean(1)
    assert found.y.value == pytest.approx(mean)
    fitted = np.linalg.lstsq(np.column_stack([np.ones(80), x]), mean, rcond=None)[0]
    assert found.raw.value == pytest.approx(fitted[1:])
    assert found.slope.value == pytest.approx(fitted[1:] * x.std(0) / mean.std())
    assert found.rank.value == pytest.approx([stats.spearmanr(x[:, i], mean)[0] for i in range(3)])
    assert found.raw.low[0] < 8 < found.raw.high[0]
    assert found.slope.low[0] > 0.5
    assert found.slope.high[1] < 0
    assert abs(found.slope.value[2]) < 0.15
    if sweeps.has_salib():
        assert found.delta is not None
        assert found.first is not None
        assert found.delta.argmax() == found.first.argmax() == 0
        assert found.dummy
        assert found.first[0] > 0.6
        assert max(found.first[2], found.dummy[1]) < 0.4  # biased upwards with 80 points


def test_intervals_of_slopes_cover(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sweeps, "RESAMPLES", 300)
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(40):
        x = rng.random((30, 1))
        y = 2 * x[:, 0] + rng.normal(0, 0.3, 30)
        campaign = series(np.zeros((30, 2), int), strata=np.arange(30))
        quantity = sweeps.Quantity("y", "1", y, np.ones(30))
        found = sweeps.sweep(campaign, Resamples(campaign.strata, rng, 10), quantity, x, ("x",))
        covered += found.raw.low[0] <= 2 <= found.raw.high[0]
    assert covered >= stats.binom.ppf(1e-4, 40, 0.92)


def test_levels_that_are_words_are_numbered_and_tables_are_flattened():
    campaign = series(np.zeros((3, 2), int), strata=[0, 1, 2])
    points = [{"a": {"b": "x"}, "c": 1, "d": 1.5}, {"a": {"b": "y"}, "c": 1, "d": 2}, {"a": {"b": "x"}, "c": 1, "d": 2}]
    vars(campaign)["points"] = points
    found = sweeps.parameters(campaign)
    assert {name: column.tolist() for name, column in found.items()} == {"a.b": [0, 1, 0], "d": [1.5, 2, 2]}


def test_the_report_of_a_sweep_tells_what_moves_what(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sweeps, "has_salib", lambda: False)
    monkeypatch.setattr("tower_sim.study.sections_sweep.has_salib", lambda: False)
    drops: list[Any] = []
    cubes: list[Any] = []
    values = [3, 5, 8]
    for point, number in enumerate(values):
        more = coin_games(6, Rules(cubes=number, rounds=2), point, first=6 * point)
        drops, cubes = drops + more[0], cubes + more[1]
    write(tmp_path / "in", drops, cubes, points=[{"rules.cubes": number} for number in values])
    study(tmp_path / "in", tmp_path / "out")
    text = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert "moved by `rules.cubes`" in text
    assert "SALib is not installed (pip install SALib adds it)" in text
    rows = list(csv.DictReader((tmp_path / "out" / "tables" / "sweep.csv").read_text("utf-8").splitlines()))
    setup = next(row for row in rows if row["figure"] == "inside after set-up")
    assert float(setup["slope in their units, low"]) < 7 / 3 < float(setup["slope in their units, high"])
    # the rule is played with each point's own cubes
    beside = list(csv.DictReader((tmp_path / "out" / "tables" / "beside_the_rule.csv").read_text("utf-8").splitlines()))
    assert float(beside[0]["2/3-1/3 rule"]) == pytest.approx(7 * np.mean(values) / 3, rel=0.05)


# The report of games


@pytest.fixture(scope="module")
def coin_campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("campaign")
    write(directory, *coin_games(40, failures=0.02))
    return directory


def files(directory: Path) -> dict[str, str]:
    found = sorted(path for path in directory.rglob("*") if path.is_file())
    return {str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def test_the_study_of_coin_games_agrees_with_the_rule_and_is_the_same_again(coin_campaign: Path, tmp_path: Path):
    study(coin_campaign, tmp_path)
    first = files(tmp_path)
    study(coin_campaign, tmp_path)
    assert files(tmp_path) == first
    text = (tmp_path / "report.md").read_text("utf-8")
    assert text.index("## Failed attempts") < text.index("## 1. The seven questions")
    for number in range(1, 8):
        assert f"**{number}. " in text
    for name in (line.split("](")[1].rstrip(")") for line in text.splitlines() if line.startswith("![")):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    assert not any(name.endswith(".part") for name in first)
    rows = list(csv.DictReader((tmp_path / "tables" / "beside_the_rule.csv").read_text("utf-8").splitlines()))
    apart = [
        row["figure"]
        for row in rows
        if row["this campaign, low"]
        and (
            float(row["this campaign, low"]) > float(row["2/3-1/3 rule, high"])
            or float(row["this campaign, high"]) < float(row["2/3-1/3 rule, low"])
        )
    ]
    assert len(rows) > 15
    assert len(apart) <= 1, apart
    setup = rows[0]
    assert float(setup["this campaign, low"]) < 49 / 3 < float(setup["this campaign, high"])
    rate = next(csv.DictReader((tmp_path / "tables" / "failed_attempts.csv").read_text("utf-8").splitlines()))
    assert float(rate["share of draws, low"]) < 0.02 < float(rate["share of draws, high"])


@pytest.mark.parametrize("games", [1, 3])
def test_few_games_make_a_report_that_says_so(tmp_path: Path, games: int):
    write(tmp_path / "in", *coin_games(games))
    study(tmp_path / "in", tmp_path / "out")
    text = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert f"Runs here: {games}. Figures have no interval" in text
    assert ("needs two or more" in text) == (games == 1)
    assert f"this needs {memory.FOLDS} runs or more" in text or games == 1


def test_an_empty_campaign_and_an_unwritable_report_are_the_callers_mistakes(coin_campaign: Path, tmp_path: Path):
    write(tmp_path / "in", [], [])
    with pytest.raises(UsageError, match="run the campaign first"):
        study(tmp_path / "in", tmp_path / "out")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="report folder is .*Not a directory|report folder is .*File exists"):
        study(coin_campaign, tmp_path / "file" / "out")


def test_a_game_of_the_setup_only_has_a_report(tmp_path: Path):
    write(tmp_path / "in", *coin_games(6, Rules(rounds=0)))
    study(tmp_path / "in", tmp_path / "out")
    assert "nothing more to study" in (tmp_path / "out" / "report.md").read_text("utf-8")


def test_estimates_are_said_to_two_digits_of_their_interval():
    assert said(Estimate(21.2345, 20.1, 22.9, 9)) == "21.2 (20.1 to 22.9)"
    assert said(Estimate(0.123456, 0.1234, 0.1236, 9), "cubes") == "0.12346 cubes (0.12340 to 0.12360)"
    assert said(Estimate(1234.5, 1000, 1500, 9)) == "1234 (1000 to 1500)"
    assert said(Estimate(2.0, float("nan"), float("nan"), 1)) == "2 (no interval)"
