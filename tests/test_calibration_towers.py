"""A posterior of towers that were played: on towers whose cubes toss coins, so that what they do is known."""

from functools import cache

import numpy as np
import pytest
from support.coins import drawn, play

from tests.measure import posterior
from tower_sim.calibration.design import Design, Point
from tower_sim.calibration.discrepancy import Discrepancy
from tower_sim.calibration.emulator import Emulator, Kernels
from tower_sim.calibration.evidence import Evidence, read
from tower_sim.calibration.fit import LEVEL, Fit, fit, fit_sampled
from tower_sim.calibration.parameters import FEATURES
from tower_sim.calibration.rounds import Pool
from tower_sim.calibration.summaries import EVERY, SUMMARIES, WHOLE
from tower_sim.calibration.towers import means, needed
from tower_sim.statistics import clopper_pearson

FITTED = ("setup", "inside", "out", "single")


def kernels(nugget: float = 0.1) -> Kernels:
    """Kernels of all summaries that are smooth in the edge and the tube's width, and see nothing else."""
    lengths = [0.5 if name in ("edge", "width") else 30.0 for name in FEATURES]
    return {
        f"{name} {moment}": np.log([1.0, *lengths, nugget]).tolist()
        for name in ("turn", *EVERY)
        for moment in ("mean", "spread")
    }


def evidence() -> list[Evidence]:
    return [each for name in ("rulebook-setup", "club-retained", "little-choice") for each in read(name)]


def of_coins(points: list[Point] | np.ndarray, games: int, seed: int) -> Design:
    unit = np.array(points)
    return Design(unit, play(unit, games, np.random.default_rng(seed)))


@cache
def played() -> tuple[Pool, Fit]:
    """Two rounds of 40 towers, 4 games each, beside 100 even ones; the emulator's error is large: a nugget of 0.5."""
    pool, rng = Pool(of_coins(drawn(100, 1), 2, 2), kernels(0.5)), np.random.default_rng(3)
    for number in range(2):

        def some(*given: object, **others: bool) -> Fit:
            return fit(*given, sample=2**10, **others)  # type: ignore[arg-type]

        pool.add(evidence(), Discrepancy(), 40, rng, lambda points, n=number: of_coins(list(points), 4, 10 + n), some)
    weighed = pool.sampled(evidence(), Discrepancy(), rng)
    return pool, fit_sampled(weighed, evidence(), rng, Discrepancy())


def test_the_mean_of_a_tower_is_known_by_its_own_games_as_well_as_it_says():
    """60 towers of two games, held against 100 more games: 90 % +- 4 %, and z is about 0 with an sd of about 1."""
    unit = drawn(100, 5)
    known, _ = means(Emulator(of_coins(unit, 2, 6), kernels()), needed([]))
    truth = play(unit[:60], 60, np.random.default_rng(7))
    for name in FITTED:
        at = known.at(EVERY[name], unit)
        true = np.nanmean(EVERY[name].of(truth), axis=1)
        error = at.error[:60] if name != "out" else np.hypot(at.error[:60], known.at(WHOLE["inside"], unit).error[:60])
        z = (true - at.mean[:60]) / error
        assert abs(np.mean(z)) < 0.45
        assert np.mean(np.abs(z) < 1.645) > 0.78


def test_fresh_games_of_towers_drawn_from_the_posterior_lie_in_its_intervals():
    """48 draws, 8 games each with new seeds: as often within as the level says, with no side preferred."""
    found = played()[1].posterior
    rows = np.random.default_rng(8).choice(len(found.unit), 48, replace=False)
    games = play(found.unit[rows], 8, np.random.default_rng(9))
    for name in FITTED:
        means_of = np.nanmean(EVERY[name].of(games), axis=1)
        span = found.interval(name)
        seen = np.asarray(SUMMARIES[name].back(means_of))
        held = int(((seen >= span.low) & (seen <= span.high)).sum())
        assert clopper_pearson(held, 48, 0.95).high > LEVEL, (name, held)
        drawn_means = SUMMARIES[name].scale(found.played[name])
        assert abs(means_of.mean() - drawn_means.mean()) < 4 * drawn_means.std() / 48**0.5


def test_the_command_that_judges_a_posterior_tells_a_right_one_from_a_wrong_one():
    """Of 48 draws 40 to 47 lie within right intervals, few within those of a narrow posterior somewhere else."""
    document = played()[1].posterior.document()
    points = posterior.drawn(document, 48, 4)
    assert len(set(points)) > 15
    games = of_coins(points, 8, 5).games
    cells = [line.split(" | ") for line in posterior.judged(document, games).splitlines()[2:]]
    rows = {cell[0].removeprefix("| "): cell for cell in cells}
    assert {*FITTED} <= set(rows)
    assert rows["inside"][2] == "39 to 47"
    assert all(int(rows[name][1].split()[0]) >= 39 for name in FITTED)
    for told in document["told"].values():
        told["mean"] += 2 * told["sd"]
        told["low"] = told["middle"]
    wrong = [line.split(" | ") for line in posterior.judged(document, games).splitlines()[2:]]
    assert all(int(cell[1].split()[0]) < 39 and float(cell[4]) < -1 for cell in wrong if cell[0][2:] in FITTED)


def test_a_posterior_of_towers_is_the_one_that_an_emulator_without_error_has():
    """With a nugget of almost nothing the emulator knows these towers: both fits say the same."""
    pool, found = played()
    exact = fit(Emulator(pool.design, kernels(0.001)), evidence(), np.random.default_rng(1), sample=2**11, checks=False)
    for name in ("setup", "inside", "out"):
        mine, other = found.posterior.interval(name), exact.posterior.interval(name)
        assert mine.middle == pytest.approx(other.middle, abs=0.35 * other.width)
        assert mine.width == pytest.approx(other.width, rel=0.5)
    assert found.posterior.effective > 15
    assert set(map(tuple, found.posterior.unit)) <= set(map(tuple, pool.design.unit))


def test_where_towers_were_drawn_often_each_weighs_less():
    """Weighted by their density, all towers of all rounds stand for the prior: their coordinates are even."""
    pool = played()[0]
    weight = 1 / pool.density()
    weight /= weight.sum()
    assert weight @ pool.design.unit == pytest.approx(np.full(pool.design.unit.shape[1], 0.5), abs=0.15)
    rounds = weight[pool.even :]
    assert rounds.sum() < 0.9 * len(rounds) / len(weight)  # less than their number, since they crowd
    for each in pool.rounds:
        assert each.density(pool.design.unit[: pool.even]).mean() == pytest.approx(1, abs=0.25)
    assert pool.times.sum() == 100 + 2 * 40


def test_the_spread_of_games_is_large_where_games_clog():
    """Of towers that keep much every eighth game clogs, of others none: the emulator's variance is of that size."""
    unit = drawn(600, 11)
    rng = np.random.default_rng(12)
    games = play(unit, 2, rng)
    clogs = games.inside.mean((1, 2)) > 16
    is_clogged = clogs[:, None] & (rng.random((600, 2)) < 0.125)
    games.inside[is_clogged] = np.minimum(games.inside[is_clogged] + 25, 49)
    at = Emulator(Design(unit, games), kernels()).at(WHOLE["inside"], unit)
    seen = np.nanvar(WHOLE["inside"].of(games), axis=1, ddof=1)
    assert 0.6 < np.mean(at.games[clogs] ** 2) / seen[clogs].mean() < 1.5  # 0.15 by the process alone
    assert np.mean(at.games[~clogs] ** 2) < 0.1 * seen[clogs].mean()
