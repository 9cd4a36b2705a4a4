"""Long-run means by Fay and Herriot, on towers of coins whose means are known, and on towers made by that very law."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from support import coins
from support.cases import each_case

from tower_sim.calibration.played import AGAIN, add_rounds, density, draw_around, draw_points
from tower_sim.calibration.prior import LEAST, Towers
from tower_sim.calibration.summaries import DROPS, EVERY, WHOLE, Window, find_clogs
from tower_sim.results import COUNTS, UNKNOWN, Results

KNOWN = ("setup", "inside", "out", "own")


@cache
def truth() -> dict[str, np.ndarray]:
    """Long-run means of the towers of coins, from 40 other games of each."""
    games = coins.play(*coins.leaving(coins.table().unit), 40, np.random.default_rng(2))
    return {name: np.nanmean(EVERY[name].of(games), axis=1) for name in (*KNOWN, "colours")}


@each_case("name", [*KNOWN, "colours"])
def test_means_are_known_as_well_as_is_said(name: str):
    """z has mean 0 and variance 1: of 384 towers of two games, whose errors hang together by the regression."""
    at, true = coins.towers().at(EVERY[name]), truth()[name]
    error = np.hypot(at.error, at.games / 40**0.5)
    z = (true - at.mean) / error
    assert abs(z.mean()) < 4 / 384**0.5
    assert z.var() == pytest.approx(1, abs=4 * (2 / 384) ** 0.5)
    own = np.nanmean(EVERY[name].of(coins.table().games), axis=1)
    assert np.mean((true - at.mean) ** 2) < 0.9 * np.mean((true - own) ** 2)  # better than the tower's games alone


def test_means_are_those_of_fay_and_herriot():
    """Where no game clogs."""
    every, window = coins.towers(), WHOLE["setup"]
    flows = ~every.is_clogged.any(1)
    towers = Towers(every.unit[flows], every.games.take(flows))
    at, own = towers.at(window), window.of(towers.games).mean(1)
    x = towers._design
    line = x @ np.linalg.pinv(x)
    error = at.games**2 / 2  # of a tower's two games
    spread = ((own - line @ own) ** 2).sum() / (len(x) - x.shape[1]) - error.mean()
    weight = spread / (spread + error)
    assert at.mean == pytest.approx(weight * own + (1 - weight) * (line @ own))
    of_line = line**2 @ (spread + error)
    assert at.error == pytest.approx(np.sqrt(spread * (1 - weight) + (1 - weight) ** 2 * of_line))


def test_a_tower_that_clogs_in_some_games_has_the_mean_of_both():
    """Of 1,024 towers with two games each: z of means over 60 other games, and the shares of games that clog."""
    towers, unit = coins.towers(1024, clogs=True), coins.table(1024).unit
    many = coins.play(*coins.leaving(unit), 60, np.random.default_rng(3), coins.clogging(unit))
    a, b = towers.clogs
    share = a / (a + b)
    z = (find_clogs(many).mean(1) - share) / np.sqrt(share * (1 - share) * (1 / 60 + (1 - 1 / 60) / (a + b + 1)))
    assert abs(z.mean()) < 0.2
    assert z.var() < 2
    never = towers.is_clogged.sum(1) == 0  # in its own games
    assert share[never] @ np.ones(never.sum()) == pytest.approx(find_clogs(many)[never].mean(1).sum(), rel=0.2)
    for name in KNOWN:
        at = towers.at(EVERY[name])
        z = (np.nanmean(EVERY[name].of(many), axis=1) - at.mean) / np.hypot(at.error, at.games / 60**0.5)
        assert abs(z[never].mean()) < 0.2
        assert z[never].var() == pytest.approx(1, abs=0.35)


def test_the_spread_of_games_is_that_of_towers_that_keep_as_many():
    games = coins.play(*coins.leaving(coins.table(1024).unit), 8, np.random.default_rng(3))
    for name in KNOWN:
        known, at = EVERY[name].of(games).std(1, ddof=1), coins.towers(1024).at(EVERY[name])
        order = np.argsort(EVERY["inside"].of(games).mean(1))
        for third in np.array_split(order, 3):
            sd = max(np.sqrt(np.mean(known[third] ** 2)), LEAST)
            assert np.sqrt(np.mean(at.games[third] ** 2)) == pytest.approx(sd, rel=0.2)  # 341 towers: se 0.04


def test_a_tower_without_games_of_a_window_is_known_by_the_others():
    """Colours of a tower are left out: its mean is then the regression's, its error larger, and still right."""
    table = coins.table(1024)
    left = np.random.default_rng(7).choice(1024, 150, replace=False)
    many = coins.play(*coins.leaving(table.unit[left]), 40, np.random.default_rng(8))
    colours = table.games.grid("colours").copy()
    colours[left] = UNKNOWN
    games = replace(table.games, rows=table.games.rows.having(colours=colours.ravel()))
    at = Towers(table.unit, games).at(EVERY["colours"])
    whole = coins.towers(1024).at(EVERY["colours"])
    assert np.isfinite(at.mean).all()
    assert (at.error[left] > whole.error[left]).all()
    true = np.nanmean(EVERY["colours"].of(many), axis=1)
    z = (true - at.mean[left]) / np.hypot(at.error, at.games / 40**0.5)[left]
    assert abs(z.mean()) < 4 / len(left) ** 0.5
    assert z.var() == pytest.approx(1, abs=4 * (2 / len(left)) ** 0.5)


def test_towers_that_were_not_played_to_the_end_twice_are_left_out():
    table = coins.table(128)
    cut: dict[str, Any] = {name: table.games.grid(name).copy() for name in COUNTS}
    for counts in cut.values():
        counts[5, :, 1:] = UNKNOWN  # clogged
        counts[9, 1, 20:] = UNKNOWN  # one whole game only
    towers = Towers(table.unit, Results.of_counts(plan=table.games.plan, **cut))
    assert towers.number.tolist() == [i for i in range(128) if i not in (5, 9)]
    assert (towers.unit == np.delete(table.unit, [5, 9], 0)).all()
    assert towers.at(WHOLE["inside"]).mean.shape == (126,)
    assert towers.numbers.shape == (126, 10)


def test_further_games_of_a_tower_count_for_it():
    table = coins.table(256)
    many = coins.play(*coins.leaving(table.unit), 5, np.random.default_rng(4))
    games: dict[str, Any] = {name: many.grid(name).copy() for name in COUNTS}
    for counts in games.values():
        counts[128:, 2:] = UNKNOWN
    at = Towers(table.unit, Results.of_counts(plan=many.plan, **games)).at(WHOLE["setup"])
    assert at.error[:128].mean() < 0.9 * at.error[128:].mean()


def test_the_correlation_of_summaries_is_that_of_games():
    """Within 4 standard errors of 384 x 2 games; the matrix is one of correlations, also of a window given twice."""
    windows = [WHOLE["setup"], WHOLE["inside"], WHOLE["out"], Window("inside", 1, 12)]
    actual = coins.towers().correlation(windows)
    many = coins.play(*coins.leaving(draw_points()[:384]), 20, np.random.default_rng(5))
    rest = [(of - of.mean(1, keepdims=True)) / of.std(1, keepdims=True) for of in (w.of(many) for w in windows)]
    known = np.corrcoef(np.stack(rest).reshape(4, -1))
    assert np.abs(actual - known).max() < 4 / 384**0.5
    twice = coins.towers().correlation([windows[0], windows[0]])
    assert np.diagonal(twice) == pytest.approx([1, 1])
    assert np.linalg.eigvalsh(twice).min() > 0
    assert DROPS == 36


def test_towers_of_further_rounds_count_so_that_all_together_are_the_prior():
    """The weighted moments of 3,000 points of the prior and 3,000 about three towers are those of the unit square."""
    table, centre, share = coins.table(1024), draw_points()[:3], np.array([0.5, 0.3, 0.2])
    unit = draw_around(centre, share)
    assert unit.min() >= 0
    assert unit.max() <= 1
    games = coins.play(*coins.leaving(unit[:200]), AGAIN, np.random.default_rng(9))
    second = {name: games.grid(name) for name in COUNTS} | {"centre": centre, "share": share}
    third = {name: games.grid(name)[:50] for name in COUNTS} | {"centre": centre[1:], "share": np.array([0.6, 0.4])}
    all_three = add_rounds(table, [second, third])
    assert all_three.games.grid("thrown").shape == (1274, AGAIN, coins.table(8).games.longest)
    assert np.allclose(all_three.unit[1024:1224], unit[:200])
    known = (
        1024
        + 200 * density(all_three.unit, centre, share)
        + 50 * density(all_three.unit, centre[1:], np.array([0.6, 0.4]))
    )
    assert all_three.base == pytest.approx(1274 / known)
    assert add_rounds(table, []).base.tolist() == [1] * 1024
    # a centre is left out of its own density
    alone = [density(centre[:1], centre[i : i + 1], np.ones(1))[0] for i in (1, 2)]
    assert density(centre, centre, share)[0] == pytest.approx((0.3 * alone[0] + 0.2 * alone[1]) / 0.5)
    # how much each counts, in a plane, where a sum over points is precise
    flat, plane = draw_around(centre[:, :2], share, 3000), np.random.default_rng(10).random((3000, 2))
    every = np.concatenate([plane, flat])
    base = 2 / (1 + density(every, centre[:, :2], share))
    for moment, known in ((every, 1 / 2), (every**2, 1 / 3), (every[:, :1] * every[:, 1:], 1 / 4)):
        weighed = base[:, None] * moment
        assert np.abs(weighed.mean(0) - known).max() < 4 * weighed.std(0).max() / 6000**0.5
