"""Swept campaigns: every number of the report belongs to one point and is what is known of that point."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from support.campaigns import AMERIGO
from support.cases import each_case
from support.datasets import coin_games, series, study_text, table, write
from support.fakes import CoinTower

from tower_sim.campaign import parse, read_campaign, run
from tower_sim.campaign.spec import Point
from tower_sim.errors import UsageError
from tower_sim.games.amerigo import Rules
from tower_sim.results import HOW_SURE, Estimates, any_difference, contrast
from tower_sim.studies import study
from tower_sim.studies.retention import effects
from tower_sim.studies.retention import swept as swept_report
from tower_sim.studies.retention.design import SweptCurve, Varied, at_point, curves, list_varied, together
from tower_sim.studies.retention.effects import Effect, changes, describe, estimate_effects, slices

pytestmark = pytest.mark.usefixtures("unpainted")

THROWS = (3, 7, 14, 28, 49)
DROPS, RESIDENTS_OUT = 24, 0.8
SWEEP = """
[campaign]
game = "chain"
apparatus = "amerigo"
model = "two_thirds"
chains = {runs}
seed = "{seed}"

[chain]
supply = 98
drops = 24

[vary]
{design}

[vary.fields]
"chain.throw" = {throws}
"""


def share(thrown: int) -> float:
    """The known share of the thrown that come out: smooth, from .88 at 3 to .41 at 49."""
    return 0.9 - 0.5 / (1 + math.exp(-(thrown - 30) / 8))


@dataclass(frozen=True)
class _Coins(CoinTower):
    def __post_init__(self) -> None:
        self._open("coin", "throw")


@dataclass(frozen=True)
class ThrowTower(CoinTower):
    """A tower whose share out depends on the number thrown; with `odd` cubes thrown hardly any comes out."""

    odd: int = 0

    def __post_init__(self) -> None:
        self._open("coin", "throw")

    def drop(self, state: Any, cubes: Any, rng: np.random.Generator) -> Any:
        p = 0.05 if len(cubes) == self.odd else share(len(cubes))
        return _Coins(p_out=p, p_resident=RESIDENTS_OUT).drop(state, cubes, rng)


def known(thrown: int) -> dict[str, float]:
    """What every figure of a chain is expected to be: means over drops of a linear recursion."""
    inside = out = before = 0.0
    residents = 0.0
    for _ in range(DROPS):
        out += thrown * share(thrown) + before * RESIDENTS_OUT
        residents += before
        before = before * (1 - RESIDENTS_OUT) + thrown * (1 - share(thrown))
        inside += before
    means = {"thrown in a drop": thrown, "mean inside in play": inside / DROPS, "mean out in a drop": out / DROPS}
    return means | {"share of thrown out": share(thrown), "share of residents out": RESIDENTS_OUT}


def swept(directory: Path, monkeypatch: pytest.MonkeyPatch, odd: int = 0, runs: int = 8, seed: int = 3) -> Path:
    with monkeypatch.context() as patch:
        patch.setattr(Point, "open_model", lambda *_: ThrowTower(odd=odd))
        run(parse(SWEEP.format(runs=runs, seed=seed, design="", throws=list(THROWS))), directory)
    return directory


@pytest.fixture(name="report", scope="module")
def _report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("sweep")
    with pytest.MonkeyPatch.context() as patch:
        swept(place / "in", patch)
    study(place / "in", place / "out")
    return place / "out"


def test_every_figure_of_every_point_is_the_known_one_of_that_point(report: Path):
    rows = table(report, "points")
    assert [float(row["chain.throw"]) for row in rows] == list(THROWS)
    outside = counted = 0
    for row in rows:
        for name, truth in known(int(row["chain.throw"])).items():
            column = next(key for key in row if key.startswith(f"{name} [") and "," not in key)
            value, low, high = (float(row[column + end]) for end in ("", ", low", ", high"))
            if low == high:  # what a chain throws is fixed
                assert value == truth
                continue
            counted += 1
            outside += not low <= truth <= high
            assert low - (high - low) / 2 <= truth <= high + (high - low) / 2, (row["chain.throw"], name)
    assert counted == 20
    assert outside <= stats.binom.ppf(1 - 1e-3, counted, 0.08)  # eight runs cover about 93 %


def test_the_throw_size_sweep_draws_a_smooth_curve(report: Path):
    """Read off what is drawn: as smooth as the truth, which falls, within what so many independent cubes allow."""
    drawn = np.array([float(row["share of thrown out [1]"]) for row in table(report, "points")])
    truth = np.array([share(n) for n in THROWS])
    se = np.sqrt(truth * (1 - truth) / (8 * DROPS * np.array(THROWS)))  # 8 chains a point
    assert (np.abs(drawn - truth) < 4 * se).all()
    assert (np.diff(drawn) < 4 * np.hypot(se[1:], se[:-1])).all()
    text = (report / "report.md").read_text("utf-8")
    opening = text[: text.index("## 1.")]
    assert "hare of thrown out falls from 0.90 ± 0." in opening, opening
    assert text.index("plots/curves_tower.svg") < text.index("## What was run") < text.index("## Failed attempts")


def test_nothing_of_a_point_changes_when_another_point_does(report: Path, tmp_path: Path, monkeypatch: Any):
    """Every row is of one point: with another tower at the last point alone, all rows of the others are the same."""
    swept(tmp_path / "in", monkeypatch, odd=THROWS[-1])
    study(tmp_path / "in", tmp_path / "out")
    last = str(len(THROWS) - 1)
    names = {path.stem for path in (report / "tables").glob("*.csv")}
    by_point = {"points", "failed_by_point"}
    assert names == by_point | {"campaign", "figures", "effects"}
    for name in by_point:
        of_both = [table(each, name) for each in (report, tmp_path / "out")]
        mine, theirs = ([row for row in rows if row["point"] != last] for rows in of_both)
        assert mine == theirs
        assert {row["point"] for row in mine} == {"0", "1", "2", "3"}
    for mine, theirs in zip(table(report, "figures"), table(tmp_path / "out", "figures"), strict=True):
        others = [{k: v for k, v in row.items() if "= 49" not in k} for row in (mine, theirs)]
        assert others[0] == others[1]
        assert mine != theirs or mine["figure"] == "thrown in a drop"
    points = {row["point"]: row for row in table(report, "points")}
    for row in table(report, "effects"):  # both ends are figures of a point
        column = f"{row['figure']} [{row['unit']}]"
        for end in ("lowest", "highest"):
            assert row[end] == points[row[f"{end} at point"]][column]
            assert row[f"{end} at"] == points[row[f"{end} at point"]]["chain.throw"]


def test_one_point_alone_has_the_report_of_its_own_runs(report: Path, tmp_path: Path, monkeypatch: Any):
    directory = swept(tmp_path / "in", monkeypatch)
    text = study_text(directory, tmp_path / "one", 3)
    assert text.startswith("# Study of a campaign of chains, point 3: chain.throw = 28\n")
    assert f"(8 chains; {HOW_SURE}.)" in text
    (row,) = table(tmp_path / "one", "thrown_out")
    assert (row["thrown [cubes]"], row["drops"]) == ("28", str(8 * DROPS))
    assert row["share of those thrown that come out"] == table(report, "points")[3]["share of thrown out [1]"]
    with pytest.raises(UsageError, match="point is 5; allowed is one with data, from 0 to 4"):
        study(directory, tmp_path / "none", 5)


def test_runs_of_a_point_are_those_of_the_campaign(tmp_path: Path, monkeypatch: Any):
    campaign = read_campaign(swept(tmp_path / "in", monkeypatch, runs=3))
    parts = [at_point(campaign, point) for point in range(5)]
    assert [part.runs for part in parts] == [3] * 5
    assert [int(part.spec["chain"]["throw"]) for part in parts] == list(THROWS)
    assert np.concatenate([part.rows.out for part in parts]).tolist() == campaign.rows.out.tolist()
    assert np.concatenate([part.by_colour["out"] for part in parts]).tolist() == campaign.by_colour["out"].tolist()
    assert sum(len(part.cubes) for part in parts) == len(campaign.cubes)


def test_three_runs_a_point_have_no_interval_anywhere_and_the_report_says_so(tmp_path: Path, monkeypatch: Any):
    swept(tmp_path / "in", monkeypatch, runs=3)
    text = study_text(tmp_path / "in", tmp_path / "out")
    assert "**Too few runs:** figures of a point with fewer than 8 chains have no interval" in text
    assert text.index("Too few runs") < text.index("## 1.")
    for path in (tmp_path / "out" / "tables").glob("*.csv"):
        for row in table(tmp_path / "out", path.stem):
            assert not any(value for key, value in row.items() if key.endswith((", low", ", high")))
    assert {row["shape"] for row in table(tmp_path / "out", "effects")} == {effects.UNKNOWN}


def test_a_sample_of_points_with_one_run_each_is_studied_as_a_sample(tmp_path: Path, monkeypatch: Any):
    design = 'design = "sobol"\npoints = 32'
    text = SWEEP.format(runs=1, seed=5, design=design, throws="{ low = 3, high = 49 }")
    monkeypatch.setattr(Point, "open_model", lambda *_: ThrowTower())
    run(parse(text + '"chain.drops" = { low = 6, high = 20 }\n'), tmp_path / "in")
    report = study_text(tmp_path / "in", tmp_path / "out")
    assert "here the points are the sample" in report
    assert "Too few runs" not in report
    ranks = {(row["figure"], row["field"]): row for row in table(tmp_path / "out", "effects")}
    falls = ranks["share of thrown out", "chain.throw"]
    assert -1 <= float(falls["rank, low"]) < float(falls["rank, high"]) < -0.8
    nothing = ranks["share of thrown out", "chain.drops"]
    assert float(nothing["rank, low"]) < 0 < float(nothing["rank, high"])
    assert "share of thrown out** goes down with `chain.throw`" in report
    assert not any(key.endswith(", low") for key in table(tmp_path / "out", "points")[0])
    assert [path.name for path in (tmp_path / "out" / "plots").iterdir()] == ["curves_tower.svg"]  # contours


def test_a_sweep_of_games_opens_with_what_players_get_point_by_point(tmp_path: Path):
    drops: list[Any] = []
    cubes: list[Any] = []
    values = [3, 5, 8]
    for point, number in enumerate(values):
        more = coin_games(8, Rules(cubes=number, rounds=2), point, first=8 * point)
        drops, cubes = drops + more[0], cubes + more[1]
    write(tmp_path / "in", drops, cubes, points=[{"rules.cubes": number} for number in values])
    text = study_text(tmp_path / "in", tmp_path / "out")
    assert "Sure to change: actions to choose from rises from" in text[: text.index("## 1.")]
    assert text.index("curves_players") < text.index("curves_tower")
    for row, number in zip(table(tmp_path / "out", "points"), values, strict=True):
        low, high = (float(row[f"inside after the set-up [cubes], {end}"]) for end in ("low", "high"))
        assert low < 7 * number / 3 < high
        mine = [drop for drop in drops if drop["point"] == values.index(number) and drop["drop"] > 0]
        actions = np.mean([drop["colours_out"] for drop in mine])
        assert float(row["actions to choose from [actions]"]) == pytest.approx(actions, rel=1e-5)
        two = np.mean([drop["colours_out"] == 2 for drop in mine])
        assert float(row["phases with 2 actions [1]"]) == pytest.approx(two, rel=1e-5, abs=1e-9)
        assert float(row["gold for passing [gold]"]) == pytest.approx(np.mean([d["gold"] for d in mine]), rel=1e-5)
    around = next(curve for curve in curves(read_campaign(tmp_path / "in")) if curve.name == "inside after the set-up")
    rule = around.rule
    assert rule is not None  # of the rule, with each point's own cubes
    assert rule == pytest.approx([7 * number / 3 for number in values], rel=0.05)


def named(name: str, value: Any, unit: str = "cubes", half: float = 0.005) -> SweptCurve:
    return replace(curve(value, half), name=name, unit=unit)


def test_the_first_paragraph_tells_what_moves_most() -> None:
    """With varied cubes the number inside goes from 10 to 25 and a share from .761 to .781: both are sure."""
    curves = [
        replace(named("actions to choose from", [2.0, 2.001], "actions"), about="players"),
        named("share of thrown out", [0.761, 0.781], "1"),
        replace(named("thrown in a phase", [30.0, 70.0]), minor=True),
        named("mean out in a phase", [6.0, 9.0]),
        named("inside after the set-up", [10.0, 25.0]),
    ]
    sure = changes(curves, [along(2)], 2)
    campaign = series(np.ones((2, 1), int))
    moved = swept_report.moving(curves, [pair for pair, p in sure.items() if p <= effects.LEVEL], campaign)
    assert [each.name for each in moved] == ["share of thrown out", "inside after the set-up", "mean out in a phase"]


def curve(value: Any, half: Any = 0.02) -> SweptCurve:
    value = np.asarray(value, float)
    n = len(value)
    error = np.broadcast_to(half, n) / 2
    return SweptCurve("tower", "share", "1", Estimates(value, value - half, value + half), error, np.full(n, 8))


def judged(one: SweptCurve, where: Any) -> list[Effect]:
    return estimate_effects([one], [where], changes([one], [where], len(one.y)))


def along(points: int, is_number: bool = True) -> Any:
    numbers = np.array(THROWS[:points], float) if is_number else np.arange(points)
    return slices([[Varied("x", is_number, numbers, tuple(str(n) for n in THROWS[:points]))]])[0]


@each_case(
    ("value", "shape", "says"),
    [
        ([0.13, 0.21, 0.27, 0.28, 0.20], effects.PEAK, "from 0.13 ± 0.02 to 0.28 ± 0.02, highest at 28"),
        ([0.13, 0.21, 0.22, 0.21, 0.30], effects.RISES, "rises from 0.13 ± 0.02 at 3 to 0.30 ± 0.02 at 49"),
        ([0.9, 0.8, 0.81, 0.5, 0.4], effects.FALLS, "falls from 0.90 ± 0.02 at 3 to 0.40 ± 0.02 at 49"),
        ([0.5, 0.3, 0.2, 0.3, 0.6], effects.DIP, "from 0.20 ± 0.02 to 0.60 ± 0.02, lowest at 14"),
        ([0.5, 0.8, 0.1, 0.7, 0.4], effects.TURNS, "from 0.10 ± 0.02 to 0.80 ± 0.02, lowest at 14, highest at 7"),
        ([0.25, 0.25, 0.25, 0.25, 0.25], effects.UNSEEN, "0.25 ± 0.02 at every point"),
        ([0.20, 0.21, 0.22, 0.21, 0.20], effects.UNSEEN, "from 0.20 ± 0.02 to 0.22 ± 0.02, no difference shown"),
    ],
)  # fmt: skip
def test_an_effect_is_a_range_and_a_shape(value: list[float], shape: str, says: str):
    (found,) = judged(curve(value), along(5))
    assert (found.shape, describe(found)) == (shape, says)


def test_the_p_of_a_field_is_twice_the_lesser_one_of_any_difference_and_of_a_trend():
    one = replace(curve([0.20, 0.21, 0.22, 0.21, 0.23]), error=np.full(5, 0.01), freedom=np.full(5, 9.0))
    means = one.y.value, one.error, one.freedom
    trend = contrast(*means, np.arange(5) - 2)[1]
    lesser = min(any_difference(*means, np.zeros(5, int)), trend)
    assert changes([one], [along(5)], 5) == {(one.name, "x"): pytest.approx(2 * lesser)}


def test_words_have_no_order_and_few_runs_no_shape():
    (found,) = judged(curve([0.2, 0.5, 0.3]), along(3, is_number=False))
    assert found.shape == effects.DIFFERS
    (found,) = judged(curve([0.2, 0.5, 0.3], np.nan), along(3))
    assert found.shape == effects.UNKNOWN
    assert "chance may have made the difference" in describe(found)


def test_a_grid_is_cut_where_one_field_changes_and_fields_that_move_as_one_are_one():
    a, b = np.repeat([1.0, 2.0, 3.0], 2), np.tile([0.0, 1.0], 3)
    alike = [Varied("a", True, a, ("1", "2", "3")), Varied("c", True, 10 * a, ("10", "20", "30"))]
    groups = together([alike[0], Varied("b", False, b, ("x", "y")), alike[1]])
    assert [[each.name for each in group] for group in groups] == [["a", "c"], ["b"]]
    found = slices(groups)
    assert [(each.field.name, each.points.tolist(), each.held) for each in found] == [
        ("a", [0, 2, 4], "b = x"), ("a", [1, 3, 5], "b = y"),
        ("b", [0, 1], "a = 1"), ("b", [2, 3], "a = 2"), ("b", [4, 5], "a = 3"),
    ]  # fmt: skip


def test_levels_that_are_words_are_numbered_and_tables_are_flattened():
    campaign = series(np.zeros((3, 2), int), strata=[0, 1, 2])
    points = [{"a": {"b": "x"}, "c": 1, "d": 1.5}, {"a": {"b": "y"}, "c": 1, "d": 2}, {"a": {"b": "x"}, "c": 1, "d": 2}]
    vars(campaign)["points"] = points
    found = {each.name: each for each in list_varied(campaign)}
    assert {name: each.numbers.tolist() for name, each in found.items()} == {"a.b": [0, 1, 0], "d": [1.5, 2, 2]}
    assert [found["a.b"].at(i) for i in range(3)] == ["x", "y", "x"]
    assert found["d"].levels == ("1.5", "2")


def test_rank_correlations_are_scipys_and_their_intervals_cover():
    rng = np.random.default_rng(2)
    x, y = rng.random(30), rng.random(30)
    assert effects.rank_correlation(x, y).value == pytest.approx(stats.spearmanr(x, y)[0])
    assert math.isnan(effects.rank_correlation(x[:9], y[:9]).low)
    found = effects.rank_correlation(x, y)
    reach = stats.t.ppf(0.975, 28) * math.sqrt((1 + found.value**2 / 2) / 27)  # Bonett and Wright
    assert (math.atanh(found.low) + reach, math.atanh(found.high) - reach) == pytest.approx(
        [math.atanh(found.value)] * 2
    )
    assert effects.rank_correlation(x, x).high <= 1
    rho, covered = 0.6, 0
    truth = 6 / math.pi * math.asin(rho / 2)  # of a normal pair
    for _ in range(300):
        x = rng.normal(size=12)
        y = rho * x + math.sqrt(1 - rho**2) * rng.normal(size=12)
        found = effects.rank_correlation(x, y)
        covered += found.low <= truth <= found.high
    assert covered >= stats.binom.ppf(1e-4, 300, 0.94)


@pytest.mark.slow
@each_case(
    ("tables", "says"),
    [
        ('[vary.fields]\n"rules.rounds" = [0, 1]', "`rules.rounds` is 0 or 1"),  # the first has no phase at all
        ('[rules]\nrounds = 0\n[vary.fields]\n"rules.cubes" = [3, 5]', "`rules.cubes` is 3 or 5"),
        (
            '[rules]\nrounds = 1\nsubstitute = ""\n[vary]\ndesign = "list"\n[vary.fields]\n'
            '"rules.colours" = [["red", "blue"], ["pink", "grey", "lime"]]\n"rules.phases" = [["red"], ["lime"]]',
            "`rules.colours`, `rules.phases` move as one in this design",
        ),
    ],
)
def test_points_without_a_phase_and_points_of_other_colours_are_studied(tables: str, says: str, tmp_path: Path):
    run(parse(f"{AMERIGO}games = 5\n{tables}"), tmp_path / "in")
    text = study_text(tmp_path / "in", tmp_path / "out")
    assert says in text
    assert "nan" not in text
    assert len(table(tmp_path / "out", "points")) == 2
