"""The study's intervals hold what they say, and its sweeps see no more than there is: see docs/statistics.md."""

import numpy as np
import pytest
from scipy import stats
from support.datasets import series

from calibration.validation import coverage
from tower_sim.results import Estimates, Resamples
from tower_sim.studies.retention import retention
from tower_sim.studies.retention.design import SweptCurve, Varied
from tower_sim.studies.retention.effects import LEVEL, followed


def at_most(hits: int, of: int, chance: float) -> bool:
    """Whether a count is what that chance, or a lesser one, may make (but for 1 in 10,000)."""
    return hits <= float(stats.binom.ppf(1 - 1e-4, of, chance))


def test_a_sweep_of_nothing_calls_figures_changed_in_one_report_of_twenty_at_most():
    """Of 20 points "intervals that do not meet" called some figure changed in 93 % of such reports."""
    alarms, _, figures = coverage.sweeps(points=20, games=8, reports=60, seed=3)
    assert figures > 10
    assert at_most(alarms, 60, 0.05)


def test_a_sweep_sees_a_trend_over_two_standard_deviations_and_what_is_off_at_one_point():
    points = 20
    trend, off = 2 * np.arange(points) / (points - 1), 2.0 * (np.arange(points) == 7)
    alarms, seen, _ = coverage.sweeps(points, games=8, reports=15, seed=4, shift=trend)
    assert seen >= 13
    assert at_most(alarms, 15, 0.05)
    _, seen, _ = coverage.sweeps(points, games=20, reports=8, seed=5, shift=off)
    assert seen >= 7


def test_a_sample_of_points_in_which_no_field_matters_is_said_to_follow_one_in_one_report_of_twenty_at_most():
    """Ten figures and three fields over 16 points: uncorrected, 54 of 100 such reports named one."""
    rng = np.random.default_rng(9)
    alarms, reports, n = 0, 40, 16
    still = np.zeros(n)
    for _ in range(reports):
        fields = [Varied(name, True, rng.random(n), ()) for name in "abc"]
        values = rng.exponential(size=(10, n))
        curves = [SweptCurve("", str(i), "", Estimates(y, y, y), still, still) for i, y in enumerate(values)]
        alarms += min(followed(curves, fields).values()) <= LEVEL
    assert at_most(alarms, reports, 0.05)


@pytest.mark.slow
def test_sweeps_of_nothing_at_all_sizes():
    for points, games in ((2, 8), (5, 8), (20, 8), (5, 20), (20, 20)):
        alarms, _, _ = coverage.sweeps(points, games, reports=400, seed=6)
        assert at_most(alarms, 400, 0.05), (points, games, alarms)


def test_intervals_of_standard_deviations_and_of_lags_hold():
    """Eight and twenty runs of an autoregression of .8 from its own law, and of one number a run."""
    rng = np.random.default_rng(8)
    for runs in (8, 20):
        reports, drops = 300, 20
        x = np.empty((reports, runs, drops))
        x[:, :, 0] = rng.normal(size=(reports, runs))
        for t in range(1, drops):
            x[:, :, t] = 0.8 * x[:, :, t - 1] + 0.6 * rng.normal(size=(reports, runs))
        campaign = series(np.zeros((runs, drops), int))
        boot = Resamples(campaign.strata, rng, 10)
        missed = np.zeros(4, int)
        first = campaign.rows.drop == 0
        for one in x:
            lags = retention.autocorrelation(campaign, boot, one.ravel())
            found = [retention.moments(campaign, boot, one.ravel(), rows)[1] for rows in (campaign.is_phase, first)]
            found += [lags.at(i, runs) for i in (0, 6)]
            truth = (1, 1, 0.8, 0.8**7)
            missed += [not each.low <= value <= each.high for each, value in zip(found, truth, strict=True)]
        assert all(at_most(count, reports, 0.06) for count in missed), (runs, missed)


@pytest.mark.slow
@pytest.mark.parametrize("games", [8, 20, 50])
def test_every_kind_of_interval_holds(games: int):
    """Within what 200 reports allow; a kind that holds less than 85 to 90 % fails."""
    truth = coverage.truths(seed=11)
    for kind, (share, error, n) in coverage.covered(games, reports=200, truth=truth, seed=12).items():
        assert n >= 200, kind
        assert share + 4 * error > 0.94, (kind, share, error)
