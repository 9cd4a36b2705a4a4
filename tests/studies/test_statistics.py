"""The statistics that all parts share, against closed forms, enumeration and scipy, which are computed apart."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from support.cases import each_case

from tower_sim.results import statistics

SAMPLE = [3, 1, 4, 1, 5, 9, 2, 6]


def test_quantiles_and_tails_are_those_of_the_laws():
    assert statistics.student_quantile(7, 0.975) == pytest.approx(stats.t.ppf(0.975, 7))
    assert statistics.student_quantile(np.array([1, 30]), 0.9) == pytest.approx(stats.t.ppf(0.9, [1, 30]))
    assert statistics.normal_quantile(0.975) == pytest.approx(1.959963984540054)
    assert statistics.normal_share(np.array([0.0, -1.0])) == pytest.approx([0.5, 0.15865525393145707])
    assert statistics.chi2_tail(3, 7.8) == pytest.approx(stats.chi2.sf(7.8, 3))


def test_the_interval_of_a_mean_is_students():
    found = statistics.average(SAMPLE, 0.9)
    assert (found.value, found.n) == (np.mean(SAMPLE), 8)
    assert (found.low, found.high) == pytest.approx(stats.t.interval(0.9, 7, np.mean(SAMPLE), stats.sem(SAMPLE)))
    assert statistics.mean_error(SAMPLE) == pytest.approx((np.mean(SAMPLE), stats.sem(SAMPLE)))
    table = np.array([SAMPLE, SAMPLE[::-1], [2 * value for value in SAMPLE]]).T
    columns = statistics.averages(table)
    assert [columns.at(i, 8) for i in range(3)] == [statistics.average(column) for column in table.T]
    one = statistics.average([4])
    assert (one.value, math.isnan(one.low), math.isnan(one.high)) == (4, True, True)


def test_values_of_a_unit_are_added_up():
    unit = np.array([7, 3, 7, 5, 3])
    assert statistics.sum_by_unit(unit, np.array([1, 2, 4, 8, 16])).tolist() == [18, 8, 5]
    table = np.arange(10.0).reshape(5, 2)
    assert statistics.sum_by_unit(unit, table).tolist() == [[10, 12], [6, 7], [4, 6]]
    assert statistics.sum_by_unit(np.array([], int), np.zeros((0, 2))).shape == (0, 2)


def test_the_error_of_a_sum_is_that_of_the_mean_times_their_number():
    total, error = statistics.sum_error(np.array(SAMPLE))
    assert (total, error) == (31, pytest.approx(8 * stats.sem(SAMPLE)))
    assert math.isnan(statistics.sum_error(np.array([3.0]))[1])


def ratio_of(over: list[int], under: list[int]) -> tuple[float, ...]:
    return tuple(float(each[0]) for each in statistics.ratios_of_sums(np.array([over]).T, np.array([under]).T))


def test_a_ratio_of_sums_over_runs_alike_is_their_mean_and_its_error():
    hits, of = [1, 0, 3, 2, 2], [4] * 5
    assert ratio_of(hits, of) == (8 / 20, pytest.approx(stats.sem(hits) / 4), 4)
    assert ratio_of([1, 2, 5], [4, 8, 20]) == (0.25, 0, 2)  # the same share in every run
    assert ratio_of([0, 0], [0, 0])[0] == 0
    assert math.isnan(ratio_of([1], [4])[1])


@each_case("trials", [1, 7, 40])
@each_case("confidence", [0.9, 0.95])
def test_intervals_of_shares_are_scipys(trials: int, confidence: float):
    for hits in range(trials + 1):
        test = stats.binomtest(hits, trials)
        for method, interval in (("wilson", statistics.wilson), ("exact", statistics.clopper_pearson)):
            found = interval(hits, trials, confidence=confidence)
            assert (found.value, found.n) == (hits / trials, trials)
            assert (found.low, found.high) == pytest.approx(tuple(test.proportion_ci(confidence, method)), abs=1e-9)


def test_trials_that_hang_together_count_as_fewer():
    found, plain = statistics.wilson(30, 60, worth=40), statistics.wilson(20, 40)
    assert (found.low, found.high, found.n) == (plain.low, plain.high, 60)


def test_permutations_keep_how_many_of_each_stratum_have_a_label():
    label = np.array([True, True, False, True, False, False, False])
    strata = np.array([0, 0, 0, 1, 1, 1, 1])
    result = np.stack([*itertools.islice(statistics.permuted(label, strata, np.random.default_rng(1)), 601)])
    assert result[0].tolist() == label.tolist()
    assert set(result[:, :3].sum(1)) == {2}
    assert set(result[:, 3:].sum(1)) == {1}
    assert stats.chisquare(result[1:, 3:].sum(0)).pvalue > 1e-4


def test_the_difference_of_shares_is_newcombes_and_that_of_means_nearly_welchs():
    """Newcombe, Statistics in Medicine 17 (1998) 873, table II, method 10."""
    one, other = (statistics.Estimates.of([statistics.wilson(*share)]) for share in ((48, 80), (56, 70)))
    shares = statistics.difference(one, other).at(0)
    assert (round(shares.low, 4), round(shares.high, 4)) == (0.0524, 0.3339)
    rng = np.random.default_rng(9)
    a, b = rng.normal(3, 1, 40), rng.normal(4, 3, 60)
    means = statistics.difference(*(statistics.averages(side[:, None]) for side in (a, b))).at(0)
    test = stats.ttest_ind(b, a, equal_var=False).confidence_interval(0.95)
    assert (means.value, means.low, means.high) == pytest.approx((b.mean() - a.mean(), test.low, test.high), abs=0.01)


def test_holms_p_is_the_greatest_of_those_up_to_it_each_times_how_many_are_left():
    assert statistics.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert statistics.holm([0.5, 0.9]).tolist() == [1, 1]
    assert statistics.holm([]).shape == (0,)


def test_holms_p_rejects_what_closed_testing_by_bonferroni_rejects():
    for p in itertools.product([0.004, 0.012, 0.02, 0.03, 0.2], repeat=4):
        sets = [of for n in range(1, 5) for of in itertools.combinations(range(4), n)]
        closed = [max(len(of) * min(p[j] for j in of) for of in sets if i in of) for i in range(4)]
        assert statistics.holm(p) == pytest.approx(np.minimum(closed, 1))


@each_case(("groups", "size"), [(2, 5), (4, 9)])
def test_any_difference_between_two_groups_is_welchs_and_between_alike_ones_nearly_fishers(groups: int, size: int):
    samples = np.random.default_rng(groups).normal(np.arange(groups) / 2, 1, (size, groups)) * np.linspace(1, 2, groups)
    means, errors = samples.mean(0), stats.sem(samples)
    freedom = np.full(groups, size - 1)
    p = statistics.any_difference(means, errors, freedom, np.zeros(groups))
    if groups == 2:
        assert p == pytest.approx(stats.ttest_ind(*samples.T, equal_var=False)[1])
        assert statistics.contrast(means, errors, freedom, np.array([1, -1]))[1] == pytest.approx(p)
    else:
        apart = (means - means.mean()) ** 2
        square = np.diag(errors**2)
        centre = np.eye(groups) - 1 / groups
        trace = np.trace(centre @ square)
        spread = np.trace(centre @ square @ centre @ square)
        below = trace**2 / (np.diag(centre) ** 2 * errors**4 / freedom).sum()
        assert p == pytest.approx(stats.f.sf(apart.sum() / trace, trace**2 / spread, below))


def p_of(*pair: statistics.Estimate) -> float:
    return float(statistics.difference(*(statistics.Estimates.of([each]) for each in pair)).p[0])


def test_two_estimates_are_held_against_each_other_by_the_halves_that_face():
    one, other = statistics.Estimate(1, 0.5, 1.3, 9), statistics.Estimate(2, 1.6, 4, 9)
    z = 1 / (math.hypot(0.3, 0.4) / stats.norm.ppf(0.975))
    assert p_of(one, other) == p_of(other, one) == pytest.approx(2 * stats.norm.sf(z))
    assert p_of(one, one) == 1
    assert p_of(statistics.Estimate(1, 1, 1, 9), statistics.Estimate(2, 2, 2, 9)) == 0
    assert math.isnan(p_of(one, statistics.Estimate(2, math.nan, math.nan, 3)))


def test_groups_of_other_blocks_are_not_held_against_each_other():
    means, errors, freedom = np.array([1, 1.1, 50, 50.1]), np.full(4, 0.2), np.full(4, 7)
    assert statistics.any_difference(means, errors, freedom, np.array([0, 0, 1, 1])) > 0.5
    assert statistics.any_difference(means, errors, freedom, np.zeros(4)) < 1e-9


def test_figures_without_any_error_differ_surely_or_not_at_all():
    still, freedom = np.zeros(3), np.full(3, 4)
    for means, p in (([0.1, 0.1, 0.1], 1), ([0.1, 0.1, 0.2], 0)):
        values = np.array(means)
        assert statistics.any_difference(values, still, freedom, still) == p
        assert statistics.contrast(values, still, freedom, np.array([-1, 0, 1]))[1] == p


def test_runs_without_data_do_not_count_in_the_error_of_a_ratio():
    over, under = np.array([[1, 0], [0, 3], [3, 1], [2, 2], [4, 2]]), np.array([[4, 0], [4, 5], [5, 2], [3, 3], [4, 9]])
    _, error, freedom = statistics.ratios_of_sums(over, under)
    assert [*error] == [ratio_of(over[rows, i].tolist(), under[rows, i].tolist())[1]
                        for i, rows in enumerate((slice(0, 5), slice(1, 5)))]  # fmt: skip
    assert freedom.tolist() == [4, 3]


def test_a_resample_has_as_many_units_and_every_one_of_them_as_often():
    picked = statistics.picks(4, 5000, np.random.default_rng(2))
    often = statistics.times_picked(picked)
    assert picked.shape == often.shape == (5000, 4)
    assert set(often.sum(1)) == {4}
    assert often[17].tolist() == [list(picked[17]).count(unit) for unit in range(4)]
    none_of = stats.binomtest(int((often == 0).sum()), often.size, (3 / 4) ** 4)  # cells of a row lean apart: stricter
    assert none_of.pvalue > 1e-4


def test_resampled_ratios_have_the_interval_that_enumeration_gives(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(statistics, "FEWEST", 5)  # of which every resample can be listed
    over, under = np.array([1.0, 2, 2, 4, 6]), np.array([4.0, 3, 5, 4, 6])
    every = [(over[list(i)].sum() / under[list(i)].sum()) for i in itertools.product(range(5), repeat=5)]
    resamples = statistics.Resamples(np.zeros(5), np.random.default_rng(3), 20_000)
    found, tail = resamples.ratio(over, under), float(resamples.tails()[0])
    near = 4 * math.sqrt(tail * (1 - tail) / 20_000)
    for end, share in ((found.low, tail), (found.high, 1 - tail)):
        low, high = np.quantile(every, [max(share - near, 0), min(share + near, 1)])
        assert low <= end <= high


@each_case("strata", [1, 2, 4])
def test_an_interval_of_resamples_has_the_degrees_of_freedom_that_its_strata_leave(strata: int):
    runs = 12
    resamples = statistics.Resamples(np.arange(runs) % strata, np.random.default_rng(1), 10)
    reach = stats.t.ppf(0.975, runs - strata) * math.sqrt(runs / (runs - strata))
    assert resamples.tails() == pytest.approx(stats.norm.sf(reach), rel=1e-6)
