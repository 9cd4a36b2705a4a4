"""Nights of one tower: pooled they are the product of their likelihoods, and a test says whether they agree."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from support import coins
from support.known import KnownTowers
from support.recorded import game, write_records

from tower_sim.calibration import evidence
from tower_sim.calibration.evidence import MOST_OF_GAMES, Evidence, pool_games
from tower_sim.calibration.fit import fit
from tower_sim.calibration.nights import Agreement, compare_games, sum_squares
from tower_sim.calibration.reference import read_usable
from tower_sim.calibration.summaries import USUAL, WHOLE, Discrepancy, list_windows
from tower_sim.cli import main
from tower_sim.errors import UsageError

PAIRS = 120
WINDOWS = tuple(replace(window, kind=USUAL) for window in WHOLE.values())


def nights(unit: np.ndarray, seed: int, number: int = 2) -> list[Evidence]:
    games = coins.play(*coins.leaving(unit[None]), number, np.random.default_rng(seed))
    known = [[float(window.of(games)[0, i]) for window in WINDOWS] for i in range(number)]
    return [
        Evidence(f"{i}.csv, game 1", "36 recorded drops", f"{i}.csv", "measurement", WINDOWS, tuple(values))
        for i, values in enumerate(known)
    ]


def test_pooled_nights_weigh_towers_as_the_nights_do_one_by_one():
    """With a doubt, and with what the simulation may be off, which all nights share.

    They do so exactly where games of all towers scatter alike. Else the scatter of the games is left out.
    """
    rng = np.random.default_rng(4)
    alike: Any = KnownTowers({name: rng.normal(size=200).tolist() for name in WHOLE}, 0.1, 1.0, 200)
    games = nights(coins.draw_points()[1500], 3, 4)
    for doubt, off in ((1.0, Discrepancy()), (2.0, Discrepancy(*[0.0] * 8))):
        each = [replace(night, doubt=doubt) for night in games]
        (whole,) = pool_games(each)
        assert (whole.games, whole.doubt, whole.source) == (4, doubt, "0.csv; 1.csv; 2.csv; 3.csv")
        for towers, most in ((alike, 1e-9), (coins.towers(), 0.6)):
            one, other, first = (
                fit(towers, parts, np.random.default_rng(1), off, checks=False).posterior.weight
                for parts in ([whole], each, each[:1])
            )
            assert abs(one - other).sum() < most * abs(one - first).sum()


def test_games_of_many_lengths_are_pooled_as_if_all_had_the_middle_one_s():
    """Within a tenth of the longest, and further apart where their values are too many."""
    of_drops = {
        drops: Evidence(f"{drops}", "", "", "measurement", tuple(list_windows(0, drops)), (drops / 10,) * 7)
        for drops in range(20, 37)
    }
    few = [of_drops[drops] for drops in (36, 32, 20)]
    assert pool_games(few) == few
    many = pool_games([of_drops[drops] for drops in (20, 36, 35, 34, 30, 29, 28, 27)])
    assert [(entry.games, entry.windows[1].stop) for entry in many] == [(3, 35), (4, 28), (1, 20)]
    assert many[0].values == pytest.approx((3.5,) * 7)
    assert many[0].words == "3 games of 34 to 36 recorded drops"
    every = pool_games([*of_drops.values(), *(replace(of_drops[drops], doubt=2.0) for drops in (36, 20))])
    assert sum(len(entry.values) for entry in every) <= MOST_OF_GAMES
    assert sorted((entry.doubt, entry.games) for entry in every) == [(1.0, 7), (1.0, 10), (2.0, 1), (2.0, 1)]


def around(values: np.ndarray, precision: np.ndarray) -> float:
    """The least weighted sum of squares around common values, by a general minimiser."""
    roots = np.linalg.cholesky(precision + 1e-12 * np.eye(values.shape[-1]))
    rows = np.concatenate([root.T for root in roots])
    target = np.concatenate([root.T @ value for root, value in zip(roots, values, strict=True)])
    return float(((target - rows @ np.linalg.lstsq(rows, target)[0]) ** 2).sum())


@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.floats(-50, 50))
def test_the_statistic_is_the_least_sum_of_squares_whatever_the_games_share(seed: int, games: int, shift: float):
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(games, 3, 3))
    precision = roots @ roots.transpose(0, 2, 1) + np.eye(3)
    known = rng.random((games, 3)) < 0.7
    both = known[:, :, None] & known[:, None, :]
    precision, values = np.where(both, precision, 0.0), np.where(known, rng.normal(size=(games, 3)), 0.0)
    result, moved = (
        sum_squares(each[None], precision[None])[0] for each in (values, np.where(known, values + shift, 0.0))
    )
    assert moved == pytest.approx(result, abs=1e-3)
    assert result[0] == pytest.approx(around(values, precision), abs=1e-5)
    for i in range(games):
        rest = np.delete(np.arange(games), i)
        assert result[0] - result[1 + i] == pytest.approx(around(values[rest], precision[rest]), abs=1e-5)


def p_of(games: list[Evidence], seed: int) -> Agreement:
    rng = np.random.default_rng(seed)
    sample = fit(coins.towers(), pool_games(games), rng, checks=False).posterior.tower[:800]
    result = compare_games(coins.towers(), games, sample, rng)
    assert result
    return result


def test_nights_of_one_tower_are_seldom_said_to_differ_and_nights_of_two_often():
    """Of 120 pairs a true 5 % gives 1 to 13 in 99.5 %; pairs of two random towers are found in 60 % and more."""
    units = coins.draw_points()[1024 : 1024 + PAIRS]
    same = [p_of(nights(unit, i), i).p for i, unit in enumerate(units)]
    low, high = binom.interval(0.995, PAIRS, 0.05)
    assert low <= sum(p < 0.05 for p in same) <= high
    assert np.mean(same) == pytest.approx(0.5, abs=4 * 0.29 / PAIRS**0.5)
    other = [
        p_of([nights(unit, i)[0], replace(nights(units[i - 1], i)[1], name="1.csv, game 1")], i).p
        for i, unit in enumerate(units[:60])
    ]
    assert sum(p < 0.05 for p in other) >= 36


def test_the_odd_night_of_several_is_named_with_what_it_differs_in():
    low, high = np.full(10, 0.5), np.full(10, 0.5)
    high[9] = 0.95  # cubes leave more readily
    games = [*nights(low, 1, 4), replace(nights(high, 2, 1)[0], name="odd.csv, game 1")]
    result = p_of(games, 1)
    assert result.p < 0.01
    assert min(result.games, key=lambda game: game.p).name == "odd.csv, game 1"
    assert result.format_sentence().startswith("The 5 games do not agree with each other: ")
    assert "odd.csv, game 1 (" in result.format_sentence()
    assert compare_games(coins.towers(), games[:1], np.arange(9), np.random.default_rng(0)) is None


def written(folder: Path, name: str, seed: int, drops: int = 36) -> Path:
    write_records(folder / name, [drop.record for drop in game(np.random.default_rng(seed))][:drops])
    return folder / name


def test_the_command_pools_the_nights_and_says_whether_they_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    files = [str(written(tmp_path, f"night{i}.csv", i)) for i in (1, 2, 3)]
    assert main(["tower", "fit", *files, "-o", str(tmp_path / "mine.toml"), "--seed", "1"]) == 0
    out = capsys.readouterr().out
    assert "The 3 games agree with each other: of one tower, games that differ as much have the probability 0." in out
    report = (tmp_path / "mine.calibration/report.md").read_text("utf-8")
    assert "## Do the recorded games agree?" in report
    assert all(f"| night{i}.csv, game 1 |" in report for i in (1, 2, 3))
    assert "3 records, 3 games" in report
    assert "mean of 3 games" in report


def test_a_night_that_is_given_twice_counts_once(tmp_path: Path):
    one = written(tmp_path, "one.csv", 1)
    (tmp_path / "copy.csv").write_bytes(one.read_bytes())
    with pytest.raises(
        UsageError, match=r"records 'copy\.csv' hold the drops of 'one\.csv'; allowed is each night once"
    ):
        read_usable([one, tmp_path / "copy.csv"])


def test_an_observation_may_be_a_night_with_its_source_and_strength(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    written(tmp_path, "club.csv", 1)
    file = tmp_path / "club.toml"
    text = 'says = "a night"\nsource = "a club"\nkind = "measurement"\nstrength = "weak: x"\nrecords = "club.csv"\n'
    file.write_text(text, "utf-8")
    (night,), (plain,) = read_usable([file]).evidence, read_usable([tmp_path / "club.csv"]).evidence
    assert night == replace(plain, source="a club", doubt=2.0)
    file.write_text(f"{text}out_total = [4, 8]\n", "utf-8")
    assert [entry.source for entry in read_usable([file]).evidence] == ["a club"] * 3
    monkeypatch.setattr(evidence, "FOLDER", tmp_path)
    assert evidence.find_records("club") == tmp_path / "club.csv"
