"""The fit of the tower's surrogate: rows, rungs and laws of counts by enumeration, a known law found, the check."""

from __future__ import annotations

import importlib
import io
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse, stats
from support.cases import each_case
from support.command_line import refusal
from support.datasets import series, with_cubes
from support.exact import exact
from threadpoolctl import threadpool_limits
from vectors.renew import Resting

from calibration.validation import spread
from tower_sim import cli
from tower_sim.apparatus import as_tower
from tower_sim.apparatus import load as load_apparatus
from tower_sim.campaign import parse, read_campaign, run
from tower_sim.errors import UsageError
from tower_sim.games import amerigo
from tower_sim.games.amerigo import Rules
from tower_sim.models import open_model
from tower_sim.studies import check_command, fit
from tower_sim.studies.fitting.command import LEAST_RUNS, ladder_text
from tower_sim.studies.fitting.data import find_apparatus
from tower_sim.studies.fitting.numerics import maximise
from tower_sim.studies.fitting.tower import fit as cascade_fit
from tower_sim.studies.fitting.tower import fit as ladder
from tower_sim.studies.fitting.tower.check import check_tower
from tower_sim.studies.fitting.tower.data import BY_CUBE, BY_DROP, Rows, held_out, read_rows, unseen
from tower_sim.studies.fitting.tower.fit import find_ranges
from tower_sim.studies.fitting.tower.pages import headline, report
from tower_sim.surrogate import (
    CROWD,
    FRESH,
    Cascade,
    Fitted,
    FloorLaw,
    Passing,
    Polyline,
    load_fitted,
    normal_scores,
    shipped,
)
from tower_sim.surrogate import model as surrogate_model
from tower_sim.surrogate.kernel import OUT
from tower_sim.surrogate.table import table_of
from tower_sim.tools import report_progress

SHAPE = load_apparatus("amerigo")
SHIPPED = shipped(SHAPE.name, SHAPE.digest)
TRUE = SHIPPED.cascade_of(SHAPE.digest)
REGIONS = tuple(region.name for region in as_tower(SHAPE).regions)
LEVEL = 1e-3  # of a test's false alarms; its data are fixed
Capture = pytest.CaptureFixture[str]


def made(directory: Path, runs: int, seed: int, kind: str = "game", rest: str = "", model: str = "surrogate") -> Path:
    """Run a campaign of the shipped surrogate's games or chains."""
    spec = parse(f"""
        [campaign]
        game = "{"amerigo" if kind == "game" else kind}"
        apparatus = "amerigo"
        model = "{model}"
        {kind}s = {runs}
        shard = {runs}
        seed = "{seed}"
        {rest}
        """)
    run(spec, directory)
    return directory


SHORT = "[rules]\nrounds = 1"


@dataclass(frozen=True)
class Known:
    """Campaigns of a known law (TRUE), the rows that are fitted and held out, and the fit."""

    directories: Sequence[Path]
    used: Rows
    held: Rows
    fitted: Fitted
    law: Cascade


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    """40 games and 20 chains of 24 drops with 1 to 49 cubes."""
    folder = tmp_path_factory.mktemp("known")
    chains = '[chain]\npolicy = "cover"\ndrops = 24'
    directories = [made(folder / "games", 40, 1), made(folder / "chains", 20, 2, "chain", chains)]
    campaigns = [read_campaign(each) for each in directories]
    rows = read_rows(campaigns, REGIONS)
    is_held = np.concatenate([held_out(each) for each in campaigns])[rows.run]
    fitted = fit(directories)
    return Known(directories, rows.take(~is_held), rows.take(is_held), fitted, fitted.cascade_of(SHAPE.digest))


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """10 games of a round."""
    return made(tmp_path_factory.mktemp("few") / "campaign", 10, 3, rest=SHORT)


@pytest.fixture(scope="module")
def fitted_few(few: Path) -> Fitted:
    return fit([few])


UP, LOW = "inside:up", "inside:low"
# Run 0 throws a crowd of 15, of which 0 and 1 stay; then 15 and 16; then nothing; then 1 again, by itself.
# Run 1 throws a cube of number 0 too, which is of no crowd; its last two drops throw nothing.
ENTRIES = [
    (0, 0, 0, None, UP), (0, 1, 0, None, LOW), *((0, cube, 0, None, "tray") for cube in range(2, CROWD)),
    (1, 0, 1, UP, UP), (1, 1, 1, LOW, "tray"), (1, 15, 0, None, LOW), (1, 16, 0, None, "tray"),
    (3, 0, FRESH + 1, UP, LOW), (3, 1, 0, None, LOW), (3, 15, FRESH, LOW, LOW),
    (4, 0, 0, None, UP),
    (5, 0, 1, UP, "table"), (5, 1, 0, None, UP),
]  # fmt: skip
HAND = replace(
    series(np.zeros((2, 4), int), [[CROWD, 2, 0, 1], [1, 1, 0, 0]]),
    cubes=with_cubes([(row, cube, "red", not was, age, was, now) for row, cube, age, was, now in ENTRIES]),
)


def test_rows_are_those_of_a_campaign_by_hand():
    rows = read_rows([HAND], ["up", "low"])
    assert len(rows) == 5  # a drop without cubes thrown is none
    assert rows.run.tolist() == [0, 0, 0, 1, 1]
    assert rows.thrown.tolist() == [CROWD, 2, 1, 1, 1]
    assert rows.lying.tolist() == [[0, 0], [1, 1], [1, 1], [0, 0], [1, 0]]
    assert rows.fresh.tolist() == [[0, 0], [1, 1], [0, 1], [0, 0], [1, 0]]
    observed = CROWD
    assert rows.drop[observed:].tolist() == [1, 1, 1, 1, 2, 2, 2, 3, 4, 4]
    assert rows.cube[observed:].tolist() == [0, 1, 15, 16, 0, 1, 15, 0, 0, 1]
    assert rows.start[observed:].tolist() == [0, 1, -1, -1, 0, -1, 1, -1, 0, -1]
    assert rows.end.tolist() == [0, 1, *[2] * (CROWD - 2), 0, 2, 1, 2, 1, 1, 1, 0, 2, 0]
    assert rows.out.tolist() == [end == 2 for end in rows.end.tolist()]
    assert rows.age[observed:].tolist() == [1, 1, 0, 0, FRESH + 1, 0, FRESH, 0, 1, 0]
    rests = rows.start >= 0
    # 0 and 1 of run 0 came with the crowd, until 1 was thrown again; 15 and run 1's cubes did not
    assert rows.in_crowd[rests].tolist() == [True, True, True, False, False]
    assert not rows.in_crowd[observed + 5]


def test_rows_of_several_campaigns_are_put_one_after_the_other():
    one, two = read_rows([HAND], ["up", "low"]), read_rows([HAND, HAND], ["up", "low"])
    assert two.run.tolist() == [*one.run, *(one.run + 2)]
    assert two.drop.tolist() == [*one.drop, *(one.drop + 5)]
    for name in ("thrown", "lying", "fresh", "start", "end", "age", "in_crowd", "cube"):
        assert np.array_equal(getattr(two, name), np.concatenate([getattr(one, name)] * 2))
    again = two.take(two.run >= 2)
    assert again.run.tolist() == [*(one.run + 2)]
    for name in ("thrown", "lying", "fresh", "drop", "start", "end", "age", "in_crowd", "cube"):
        assert np.array_equal(getattr(again, name), getattr(one, name))
    with pytest.raises(UsageError, match="cubes in 'inside:up'; allowed are inside:low, inside:attic"):
        read_rows([HAND], ["low", "attic"])


@pytest.mark.slow
def test_rows_hold_what_the_model_saw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Every call of the law while two campaigns run, beside their rows."""
    calls: list[tuple[list[Any], list[int]]] = []
    real = surrogate_model.drop

    def spy(law: Any, cubes: Any, *others: Any) -> list[int]:
        resting = [None if place == OUT else Resting(place, *facts) for place, *facts in cubes]
        calls.append((resting, real(law, cubes, *others)))
        return calls[-1][1]

    monkeypatch.setattr(surrogate_model, "drop", spy)
    games = made(tmp_path / "games", 3, 4)
    chains = made(tmp_path / "chains", 3, 5, "chain", '[chain]\npolicy = "cover"\nsupply = 80')
    rows = read_rows([read_campaign(games), read_campaign(chains)], REGIONS)
    assert len(rows) == len(calls)
    first = np.searchsorted(rows.drop, np.arange(len(rows) + 1))
    for drop, (resting, ends) in enumerate(calls):
        cubes = slice(first[drop], first[drop + 1])
        start, age, crowd = (each[cubes].tolist() for each in (rows.start, rows.age, rows.in_crowd))
        cubes_read = [Resting(*facts) if facts[0] >= 0 else None for facts in zip(start, age, crowd, strict=True)]
        assert cubes_read == resting
        assert rows.end[cubes].tolist() == [len(REGIONS) if end == OUT else end for end in ends]
        assert rows.thrown[drop] == resting.count(None)
        rest = [cube for cube in resting if cube]
        assert rows.lying[drop].tolist() == [sum(c.floor == i for c in rest) for i in range(4)]
        assert rows.fresh[drop].tolist() == [sum(c.floor == i and c.age <= FRESH for c in rest) for i in range(4)]
    assert {cube.in_crowd for resting, _ in calls for cube in resting if cube} == {False, True}


def test_the_last_three_of_every_ten_runs_are_held_out():
    campaign = HAND.changed(run_point=np.zeros(23, int))
    assert np.flatnonzero(held_out(campaign)).tolist() == [7, 8, 9, 17, 18, 19]


def flat(*values: float) -> Polyline:
    return Polyline(tuple(range(len(values))), values, (0.0,) * len(values))


def law_of(sd: float) -> Cascade:
    """Two floors; all log-odds are whole numbers of 1/512, so that the table is exact but for the effects."""

    def floor(region: str, up: float) -> FloorLaw:
        return FloorLaw(
            region,
            arriving=Passing(flat(0.0, up, up + 0.5), flat(0.0, -0.25, -0.5), flat(sd)),
            fresh=flat(0.0, 0.125, -0.25),
            pushed=0.75,
            pushed_error=0.0,
            lying=Passing(flat(0.0, up - 1, up - 1.25), flat(0.0, 0.25, -0.5), flat(0.0, sd, 2 * sd)),
            age=flat(0.0, 0.5, 0.25, -0.5),
            crowd=flat(0.0, -0.75, -1.0),
        )

    return Cascade((floor("up", 1.0), floor("low", 0.25)))


# Numbers 0 and 1 are thrown; 2 and 3 lie on the upper floor, 4 on the lower.
INSIDE = [None, None, Resting(0, 1, False), Resting(0, 7, True), Resting(1, 2, False)]
SUBSETS = list(product((False, True), repeat=5))


def subsets() -> Rows:
    """One drop for each subset, which is what came out of it."""
    drops, cubes = len(SUBSETS), len(INSIDE)

    def each(values: Sequence[Any]) -> Any:
        return np.tile(np.array(values), drops)

    start = each([cube.floor if cube else -1 for cube in INSIDE])
    two, lying, fresh = np.full(drops, 2), np.tile([2, 1], (drops, 1)), np.tile([1, 1], (drops, 1))
    return Rows(
        *(("up", "low"), np.zeros(drops, int), two, lying, fresh, np.repeat(np.arange(drops), cubes)),
        start=start,
        end=np.where(np.array(SUBSETS).ravel(), 2, np.maximum(start, 0)),
        age=each([cube.age if cube else 0 for cube in INSIDE]),
        in_crowd=each([bool(cube and cube.in_crowd) for cube in INSIDE]),
        cube=each(range(cubes)),
    )


GROUPS = (0.4, -0.3, 0.2, 1.1, -0.7, 0.25, -0.1, 2.0)
SHARED = (*GROUPS[:4], 0.8, *GROUPS[4:], 0.5)
RUNGS: dict[str, Callable[[], ladder.Rung]] = {
    "two thirds": ladder.two_thirds,
    "groups": lambda: ladder.groups(GROUPS),
    "shared effect": lambda: ladder.make_shared(SHARED),
    "cascade": lambda: ladder.cascade(law_of(0.6)),
    "cascade without effects": lambda: ladder.cascade(law_of(0.0)),
}


@each_case("name", RUNGS)
def test_the_chances_of_all_subsets_add_up_to_one(name: str):
    chance = np.exp(RUNGS[name]().score(subsets()))
    assert chance.sum() == pytest.approx(1)
    assert chance.min() > 0
    assert len(set(chance.round(12))) >= 6  # the rule of thumb's are six powers of 2, over 3^5


def test_rung_0_is_that_by_hand():
    chance = np.exp(ladder.two_thirds().score(subsets()))
    assert chance[SUBSETS.index((True, False, True, False, True))] == pytest.approx(4 / 3**5)
    assert chance[SUBSETS.index((False,) * 5)] == pytest.approx((1 / 3) ** 2 * (2 / 3) ** 3)


def bernoulli(shift: float = 0.0) -> Any:
    """The subsets' chances if every cube goes by itself with the chance of GROUPS, log-odds raised by the effect."""
    x = np.array([1, math.log(3), 0.3])
    thrown, inside = (1 / (1 + math.exp(-x @ np.array(c) - shift)) for c in (GROUPS[:3], GROUPS[4:7]))
    p = np.array([thrown, thrown, inside, inside, inside])
    return np.where(SUBSETS, p, 1 - p).prod(1)


def test_effects_have_mean_0_and_variance_1():
    scores = np.array(normal_scores())
    assert (scores.mean(), scores.var()) == pytest.approx((0, 1))
    expected = stats.norm.ppf((np.arange(len(scores)) + 0.5) / len(scores))
    assert scores == pytest.approx(expected / np.sqrt((expected**2).mean()))
    assert np.array_equal(scores, np.sort(scores))


@pytest.mark.parametrize("spread", [0.0, 0.7])
def test_the_likelihood_of_a_cascade_is_the_mean_over_effects_with_its_slope_and_curvature(spread: float):
    """Two drops of two kinds of cubes and of one; per kind so many of so many pass, by hand for every effect."""
    drop, cubes, passed = np.array([0, 0, 1]), np.array([3.0, 2.0, 4.0]), np.array([1.0, 2.0, 0.0])
    x, felt = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([[1.0], [0.5], [1.0]])
    cells = cascade_fit._Cells(drop, cubes, passed, sparse.csr_array(x), sparse.csr_array(felt))
    at = np.array([0.3, -0.4, spread])
    chance = np.zeros((2, len(normal_scores())))
    for i, effect in enumerate(normal_scores()):
        p = 1 / (1 + np.exp(-(x @ at[:2] + felt[:, 0] * spread * effect)))
        each = p**passed * (1 - p) ** (cubes - passed)
        chance[:, i] = each[0] * each[1], each[2]
    result, slope, information = cascade_fit._log_likelihood(at, cells)
    assert result == pytest.approx(np.log(chance.mean(1)).sum())
    if spread:
        ends = [[cascade_fit._log_likelihood(at + s * step, cells) for s in (1, -1)] for step in 1e-5 * np.eye(3)]
        assert slope == pytest.approx([(a[0] - b[0]) / 2e-5 for a, b in ends], abs=1e-7)
        assert information == pytest.approx(np.array([(b[1] - a[1]) / 2e-5 for a, b in ends]), abs=1e-7)


def test_the_penalty_of_a_curve_is_on_its_values_their_steps_and_their_bends():
    at = np.random.default_rng(1).normal(size=cascade_fit._SIZE)
    expected = (at**2).sum() / 5**2
    for block in cascade_fit._BLOCKS.values():
        curve = np.append([0.0] * block.origin, at[block.start : block.stop])
        expected += (np.diff(curve) ** 2).sum() + (np.diff(curve, 2) ** 2).sum() / 0.5**2
    assert at @ cascade_fit._penalty() @ at == pytest.approx(expected)


def test_numbers_thrown_up_to_a_quarter_apart_share_their_range():
    three = subsets().take(np.arange(len(SUBSETS)) < 3)
    rows = replace(three, thrown=np.array([4, 5, 6]), lying=np.array([[1, 0], [4, 5], [0, 3]]))
    assert find_ranges(rows) == ((4, 1, 9), (5, 1, 9), (6, 3, 9))


@each_case(
    ("slopes", "begin", "top", "variance"),
    [
        ((-4.0, 4.0), 0.3, 1.0, 1 / 8),  # at the limit, 0, the slope is 0 too
        ((-4.0, 4.0), 5.0, 1.0, 1 / 8),
        ((-4.0, -4.0), 5.0, 0.0, 0.0),
    ],
)
def test_a_maximum_is_found_at_the_limit_only_if_it_is_there(
    slopes: tuple[float, float], begin: float, top: float, variance: float
):
    """Of a function with the slope a x^3 + b x."""
    a, b = slopes

    def climb(at: Any) -> tuple[float, Any, Any]:
        return float(a * at[0] ** 4 / 4 + b * at[0] ** 2 / 2), a * at**3 + b * at, np.diag(-3 * a * at**2 - b)

    at, covariance = maximise(climb, np.array([begin]), 0.0)
    assert (at[0], covariance[0, 0]) == pytest.approx((top, variance), abs=1e-8)


def test_large_beta_binomials_are_cubes_by_themselves_and_share_no_more_than_the_effect():
    """At size exp(12) the chances of 5 cubes are off by less than 5^2 / exp(12)."""
    thrown, inside = (*GROUPS[:3], 12.0), (*GROUPS[4:7], 12.0)
    error = 25 / math.exp(12)
    assert np.exp(ladder.groups((*thrown, *inside)).score(subsets())) == pytest.approx(bernoulli(), rel=error)
    mixed = np.mean([bernoulli(0.7 * e) for e in normal_scores()], axis=0)
    shared = ladder.make_shared((*thrown, 0.7, *inside, 0.7))
    assert np.exp(shared.score(subsets())) == pytest.approx(mixed, rel=error)
    none = ladder.make_shared((*GROUPS[:4], 0.0, *GROUPS[4:], 0.0))
    assert none.score(subsets()) == pytest.approx(ladder.groups(GROUPS).score(subsets()))


@pytest.mark.parametrize(("sd", "error"), [(0.0, 1e-8), (0.6, 0.005)], ids=["no effect", "effects"])
def test_the_cascades_score_is_the_enumeration_of_all_ways_through_the_table(sd: float, error: float):
    """The table rounds chances to 2^-33, and effects by 1 / 1024 at up to 10 passings; chances move by a quarter."""
    ends = exact(table_of(law_of(sd)), INSIDE)
    chance = dict.fromkeys(SUBSETS, 0.0)
    for way, weight in ends.items():
        chance[tuple(end == OUT for end in way)] += float(weight)
    result = np.exp(ladder.cascade(law_of(sd)).score(subsets()))
    assert result == pytest.approx([chance[subset] for subset in SUBSETS], abs=error)


def test_laws_of_counts_are_those_of_the_enumeration(monkeypatch: pytest.MonkeyPatch):
    rows, law = subsets(), law_of(0.6)
    number = np.array([sum(subset) for subset in SUBSETS])
    chance = np.bincount(number, np.exp(ladder.cascade(law).score(rows)))
    upto = np.cumsum(chance)
    for at_once in (spread.AT_ONCE, 1):  # all drops together, and one by one
        monkeypatch.setattr(spread, "AT_ONCE", at_once)
        below, most, mean, out = spread.count_laws(law, rows)
        assert out.tolist() == number.tolist()
        assert most == pytest.approx(upto[number])
        assert below == pytest.approx((upto - chance)[number])
        assert mean == pytest.approx(chance @ np.arange(6))
    assert upto[-1] == pytest.approx(1)


@pytest.mark.slow
def test_laws_of_counts_of_drops_of_any_size_are_whole(known: Known):
    some = known.held.take(np.arange(len(known.held)) % 3 == 0)
    below, upto, mean, number = spread.count_laws(TRUE, some)
    assert np.all((below > -1e-12) & (below < upto) & (upto < 1 + 1e-12))
    all_out = number == some.thrown + some.lying.sum(1)
    assert upto[all_out] == pytest.approx(1)
    assert np.abs(below[number == 0]).max() < 1e-12
    assert {True, False} == set(all_out.tolist())
    # under the true law the number out less its mean is 0 on average: 4 standard errors
    apart = number - mean
    assert abs(apart.mean()) < 4 * apart.std() / math.sqrt(len(apart))


def curves_of(floor: FloorLaw) -> dict[str, Polyline]:
    """The curves of means: those of the shared effects' sds are bounded by 0 and have no normal errors."""
    groups = {"arriving": floor.arriving, "lying": floor.lying}
    curves = {f"{name} {of}": getattr(group, of) for name, group in groups.items() for of in ("thrown", "lying")}
    return curves | {name: getattr(floor, name) for name in ("fresh", "age", "crowd")}


def z_scores(law: Cascade) -> dict[str, float]:
    """Fitted less true values in standard errors, where the data say more than the penalty (an error below 0.3)."""
    result: dict[str, float] = {}
    for fitted, true in zip(law.floors, TRUE.floors, strict=True):
        for name, curve in curves_of(fitted).items():
            truth = curves_of(true)[name].at(curve.knots)
            for knot, value, error, want in zip(curve.knots, curve.values, curve.errors, truth, strict=True):
                if 0 < error < 0.3:
                    result[f"{fitted.region}, {name} at {knot}"] = float(value - want) / error
        if 0 < fitted.pushed_error < 0.3:
            result[f"{fitted.region}, pushed"] = (fitted.pushed - true.pushed) / fitted.pushed_error
    return result


@pytest.mark.slow
def test_a_fit_to_games_of_a_known_law_finds_it_and_its_errors_are_right(known: Known):
    result = z_scores(known.law)
    z = np.array([*result.values()])
    assert len(z) > 60
    assert {name.split(",")[0] for name in result} >= {"upper_floor", "lower_floor"}
    worst = max(result, key=lambda name: abs(result[name]))
    assert abs(result[worst]) < stats.norm.isf(LEVEL / (2 * len(z))), worst
    # of intervals that hold 95 % some 95 % should hold; those of neighbouring knots go together, as if there were a
    # fourth as many
    low = stats.binom.ppf(LEVEL, len(z) // 4, 0.95) / (len(z) // 4)
    assert np.mean(np.abs(z) < 1.96) >= low
    assert 0.5 < math.sqrt(np.mean(z**2)) < 1.5


@pytest.mark.slow
def test_cubes_that_arrive_together_on_an_empty_floor_may_vary_more_than_on_a_full_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """60 games of a law whose effect on arriving cubes is there only while a floor is empty, as in a set-up."""
    wide = tuple(
        replace(floor, arriving=replace(floor.arriving, sd=Polyline((0, 2), (sd, 0.0), (0.0, 0.0))))
        for floor, sd in zip(TRUE.floors, (0.0, 0.8, 0.8, 0.0), strict=True)
    )
    fitted = replace(SHIPPED, law=replace(TRUE, floors=wide))
    monkeypatch.setattr(importlib.import_module("tower_sim.surrogate.store"), "shipped", lambda *_: fitted)
    law = cascade_fit.fit_cascade(read_rows([read_campaign(made(tmp_path / "wide", 60, 7, rest=SHORT))], REGIONS))
    for floor in law.floors[1:3]:
        assert floor.arriving.sd.at([0, 20]) == pytest.approx([0.8, 0.0], abs=0.3)


@pytest.mark.slow
def test_the_fit_foretells_held_out_drops_nearly_as_well_as_the_truth(known: Known):
    """A fit of k parameters to N drops loses some k / 2N a drop; 4 standard errors are added for these drops."""
    truth, result = (ladder.cascade(law).score(known.held) for law in (TRUE, known.law))
    lost = truth - result
    parameters = len(z_scores(known.law))
    assert lost.mean() < parameters / (2 * len(known.used)) + 4 * lost.std() / math.sqrt(len(lost))
    assert lost.mean() > -4 * lost.std() / math.sqrt(len(lost))


@pytest.mark.slow
def test_the_cascade_wins_where_it_is_the_truth(known: Known):
    """Beyond any doubt over the rule of thumb, and over the rungs between in mean."""
    scores = {each.name: each for each in known.fitted.scores}
    assert [*scores] == ["two_thirds", "groups", "shared", "cascade"]
    last = scores["cascade"]
    assert last.gain - stats.norm.isf(LEVEL) * last.gain_se > 0
    assert last.score > max(scores[name].score for name in ("two_thirds", "groups", "shared"))
    assert last.gain == pytest.approx(last.score - scores["two_thirds"].score, abs=2e-6)
    assert "more data needed" not in ladder_text(known.fitted.scores)
    turned = ladder_text([*known.fitted.scores[::-1]])
    assert "more data needed: the model's rung, '0 two thirds, one third', does not win here, but '3 cascade" in turned


@pytest.mark.slow
def test_the_scores_are_means_over_the_held_out_drops_with_errors_over_runs(known: Known):
    rung = ladder.two_thirds()
    (result,) = ladder.scores([rung], known.held)
    each = rung.score(known.held)
    assert result.score == pytest.approx(each.mean(), abs=1e-6)
    runs, drops = np.unique(known.held.run, return_counts=True)
    rest = np.array([(each - each.mean())[known.held.run == number].sum() for number in runs])
    error = math.sqrt((rest**2).sum() * len(runs) / (len(runs) - 1)) / drops.sum()
    assert result.se == pytest.approx(error, abs=1e-6)
    assert (result.gain, result.gain_se) == (0, 0)


@pytest.mark.slow
def test_the_model_says_what_it_was_fitted_to_and_what_that_covers(known: Known):
    fitted, used = known.fitted, known.used
    assert (fitted.kind, fitted.apparatus, fitted.apparatus_digest) == ("tower", "amerigo", SHAPE.digest)
    assert [each.digest for each in fitted.data] == [read_campaign(each).digest for each in known.directories]
    assert [each.runs for each in fitted.data] == [28, 14]
    assert sum(each.drops for each in fitted.data) == len(used)
    assert known.law.regions == REGIONS
    assert fitted.covered == find_ranges(used)
    inside = used.lying.sum(1)
    assert all(fitted.covers(int(n), int(m)) for n, m in zip(used.thrown, inside, strict=True))
    assert [n for n, _, _ in fitted.covered] == np.unique(used.thrown).tolist()
    by_hand = {n: (low, high) for n, low, high in fitted.covered}
    alike = (used.thrown >= 6) & (used.thrown <= 8)  # within a ratio of 1.25 of 7
    assert by_hand[7] == (inside[alike].min(), inside[alike].max())
    assert unseen(read_campaign(known.directories[0]), fitted).sum() == 12


@pytest.mark.slow
def test_a_fit_of_the_same_data_gives_the_same_file_which_plays(
    few: Path, fitted_few: Fitted, tmp_path: Path, capsys: Capture
):
    out = tmp_path / "model.json"
    assert cli.main(["model", "fit", str(few), "-o", str(out)]) == 0
    printed = capsys.readouterr()
    assert all(line.startswith("... ") for line in printed.err.splitlines())  # progress, on a slow machine
    assert load_fitted(out) == fitted_few
    assert out.read_text("utf-8").startswith(fitted_few.to_json().removesuffix("\n}\n"))  # then who made it
    assert [path.name for path in tmp_path.iterdir()] == ["model.json"]
    drops = sum(source.drops for source in fitted_few.data)
    assert printed.out == (f"tower amerigo: fitted to 7 runs, {drops} drops\n{ladder_text(fitted_few.scores)}\n{out}\n")
    with open_model(SHAPE, str(out)) as model:
        entries = [*amerigo.GAME.start(model, Rules(rounds=1), 1)]
    assert len(entries) == 8


def shuffled(rows: Rows) -> Rows:
    """The same drops in another order, and the cubes of each drop too."""
    random = np.random.default_rng(46)
    drops = random.permutation(len(rows))
    place = np.argsort(drops)[rows.drop]
    cubes = np.lexsort((random.random(len(place)), place))
    by_drop = {name: getattr(rows, name)[drops] for name in BY_DROP}
    by_cube = {name: getattr(rows, name)[cubes] for name in BY_CUBE}
    return Rows(rows.regions, **by_drop, **by_cube | {"drop": place[cubes]})


@pytest.mark.slow
def test_equal_data_give_equal_bytes_in_any_order_and_with_any_number_of_threads(
    known: Known, monkeypatch: pytest.MonkeyPatch
):
    module = importlib.import_module("tower_sim.studies.fitting.tower.fit")
    climb = module.climb
    monkeypatch.setattr(module, "climb", lambda rows, note: climb(shuffled(rows), note))
    texts: list[str] = []
    for threads in (1, 3):
        with threadpool_limits(threads):
            texts.append(fit(known.directories).to_json())
    assert texts == [known.fitted.to_json()] * 2


@pytest.mark.slow
def test_held_out_runs_have_no_part_in_the_law(few: Path, fitted_few: Fitted, monkeypatch: pytest.MonkeyPatch):
    """The same campaign, but all cubes of its held-out runs came out."""
    module = importlib.import_module("tower_sim.studies.fitting.command")
    campaign = read_campaign(few)
    code = campaign.cubes.after.names.index("tray")
    held = held_out(campaign)[campaign.rows.run[campaign.cubes.row]]
    after = replace(campaign.cubes.after, codes=np.where(held, code, campaign.cubes.after.codes))
    changed = campaign.changed(cubes=campaign.cubes.having(after=after))
    monkeypatch.setattr(module, "load_whole", lambda directory: changed)
    result = fit([few])
    assert (result.law, result.lower_rungs) == (fitted_few.law, fitted_few.lower_rungs)
    assert (result.covered, result.data) == (fitted_few.covered, fitted_few.data)
    assert all(a.score != b.score for a, b in zip(fitted_few.scores, result.scores, strict=True))


@pytest.mark.slow
def test_campaigns_of_another_model_or_several_towers_are_refused(few: Path, tmp_path: Path):
    rule = made(tmp_path / "rule", 10, 1, rest=SHORT, model="two_thirds")
    line = refusal("model", "fit", str(rule), "-o", str(tmp_path / "model.json"))
    assert "campaign.model is 'two_thirds'; allowed is 'physics'" in line
    campaign = read_campaign(few)
    profile = json.loads(json.dumps(campaign.spec["profile"]))
    profile["funnel"]["rim_mm"] += 1
    other = replace(campaign, spec={**campaign.spec, "profile": profile})
    with pytest.raises(UsageError, match=r"campaigns are of 2 apparatuses \(amerigo \(\w+\), amerigo"):
        find_apparatus([campaign, other])
    varied = replace(campaign, points=[{"profile.funnel.rim_mm": 120}])
    with pytest.raises(UsageError, match=r"a field of vary.fields is 'profile\.funnel\.rim_mm'; allowed is none"):
        find_apparatus([varied])
    assert find_apparatus([campaign, campaign]).digest == SHAPE.digest
    bullets, others = (
        replace(campaign, spec={**campaign.spec, "model": "physics", "settings": settings})
        for settings in ({"timestep": 0.002, "engine": "bullet"}, {"timestep": 0.002, "engine": "another"})
    )
    assert find_apparatus([others, others, campaign]).digest == SHAPE.digest
    with pytest.raises(UsageError, match="campaigns are of the engines bullet, another; allowed is one"):
        find_apparatus([bullets, others])
    assert not (tmp_path / "model.json").exists()


@pytest.mark.slow
def test_too_few_runs_what_is_no_campaign_and_a_model_that_cannot_be_written_are_refused(few: Path, tmp_path: Path):
    nine = made(tmp_path / "nine", LEAST_RUNS - 1, 1, rest=SHORT)
    (tmp_path / "empty").mkdir()
    for data, out, says in (
        (nine, "model.json", "runs of the campaigns is 9; allowed is 10 or more"),
        (tmp_path / "empty", "model.json", "holds no manifest.jsonl"),
        (tmp_path / "none", "model.json", "holds no manifest.jsonl"),
        (few, "missing/model.json", "No such file or directory"),
        (few, "empty", "Is a directory"),
    ):
        assert says in refusal("model", "fit", str(data), "-o", str(tmp_path / out))
    assert {path.name for path in tmp_path.iterdir()} == {"nine", "empty"}


@pytest.mark.slow
@pytest.mark.usefixtures("unpainted_here")
def test_a_check_on_other_games_says_all_of_it(tmp_path: Path):
    """20 games of the law itself: the least corrected p is below 0.5 % once in 200 seeds or less."""
    games = made(tmp_path / "games", 20, 6, rest=SHORT)
    lines = io.StringIO()
    with report_progress("steps", stream=lines, clock=count(step=100).__next__) as tell:
        result = check_tower(SHIPPED, [read_campaign(games)], 1, tell, trials=2)
    counted = [int(line.split()[1]) for line in lines.getvalue().splitlines()]
    assert counted == list(range(1, 23))  # 20 games to knock on and 2 trials
    assert all(f" of {counted[-1]} steps" in line for line in lines.getvalue().splitlines())
    assert (result.games, result.drops) == (20, len(read_rows([read_campaign(games)], REGIONS)))
    assert result.power is not None
    assert result.power.n == 2
    assert [each.name for each in result.scores] == ["two_thirds", "groups", "shared", "cascade"]
    assert min(each.holm for each in result.figures) > 0.005
    message = report(result).text()
    assert headline(result) in message.splitlines()
    assert all(each.title in message for each in result.scores)
    report(result).write(tmp_path / "report")
    assert headline(result) in (tmp_path / "report" / "report.md").read_text("utf-8")
    assert {path.stem for path in (tmp_path / "report" / "plots").iterdir()} >= {"log_scores", "inside", "figures"}
    assert (tmp_path / "report" / "tables" / "verdict.csv").read_text("utf-8").count("\n") >= 5


@pytest.mark.slow
def test_a_check_of_what_cannot_be_checked_is_refused(known: Known, few: Path, tmp_path: Path):
    with pytest.raises(UsageError, match=r"campaign.kind is .*'chain'.*; allowed is game"):
        check_tower(SHIPPED, [read_campaign(known.directories[1])], 1)
    rule = made(tmp_path / "rule", 10, 1, rest=SHORT, model="two_thirds")
    assert "two_thirds" in refusal("model", "check", "amerigo", str(rule))
    observed = replace(SHIPPED, data=(replace(SHIPPED.data[0], digest=read_campaign(few).digest),))
    with pytest.raises(UsageError, match="games on one side is 3; allowed is 10 or more"):
        check_tower(observed, [read_campaign(few)], 1)
    elsewhere = replace(SHIPPED, apparatus_digest="another")
    with pytest.raises(UsageError, match=r"surrogate was fitted for apparatus 'amerigo' \(another\)"):
        check_tower(elsewhere, [read_campaign(few)], 1)
    with pytest.raises(UsageError, match="several sets of rules"):
        check_tower(SHIPPED, [read_campaign(few), read_campaign(known.directories[0])], 1)
    with pytest.raises(UsageError, match="no_such_model"):
        check_command("no_such_model", [few], None, 1)


def manifest(directory: Path) -> Any:
    return json.loads((directory / "manifest.jsonl").read_text("utf-8").splitlines()[0])


@pytest.mark.slow
def test_a_campaign_of_a_surrogate_names_its_law(few: Path, tmp_path: Path):
    assert [point["settings"] for point in manifest(few)["points"]] == [SHIPPED.digest]
    ship = load_apparatus("dead_reckoning")
    run(parse(BATTLE), tmp_path / "battles")
    law = shipped(ship.name, ship.digest)
    assert [point["settings"] for point in manifest(tmp_path / "battles")["points"]] == [law.digest]
    assert law.digest != SHIPPED.digest
    assert len(read_campaign(tmp_path / "battles").run_point) == 3


BATTLE = """
[campaign]
game = "dead_reckoning"
apparatus = "dead_reckoning"
model = "surrogate"
battles = 3
seed = "1"
[battle]
cubes = { purple = 2, green = 2 }
"""


def test_a_campaign_of_a_tower_or_model_without_a_law_is_refused(tmp_path: Path):
    with pytest.raises(UsageError, match=r"campaign\.model is 'two_thirds'; allowed is one of physics, surrogate"):
        parse(BATTLE.replace("surrogate", "two_thirds"))
    with pytest.raises(UsageError, match=r"settings.*the model 'surrogate' has no settings"):
        made(tmp_path / "no", 1, 1, rest="[settings]\nsubsteps = 2")
    assert not (tmp_path / "no").exists()
