"""Each statistic of the study against a closed form, an enumeration or data whose truth is known."""

import math
from typing import Any, TypeVar

import numpy as np
import pytest
from scipy import stats
from support.amerigo import play
from support.datasets import series, with_cubes
from support.fakes import CoinTower

from tower_sim.campaign import Campaign
from tower_sim.games import amerigo
from tower_sim.games.amerigo.many import ACTION_POINTS
from tower_sim.results import Resamples, permuted
from tower_sim.results.statistics import percentiles
from tower_sim.studies.retention import battles, retention
from tower_sim.studies.retention.baseline import GameKit, play_rule

T = TypeVar("T")
COLOURS = tuple(amerigo.Rules().colours)
GAME = GameKit(COLOURS, np.repeat(np.arange(7), 7), [*range(7)] * 5)


def boot_of(campaign: Campaign, seed: int = 0, count: int | None = None) -> Resamples:
    return Resamples(campaign.strata, np.random.default_rng(seed), count)


def there(value: T | None) -> T:
    assert value
    return value


def within(count: int, chance: float, of: int) -> bool:
    """Whether a count is inside the central 99.98 % of its binomial law."""
    low, high = stats.binom.ppf([1e-4, 1 - 1e-4], of, chance)
    return low <= count <= high


def alike(a: Any, b: Any) -> bool:
    """Whether two means differ by less than four of their standard errors."""
    return abs(a.mean() - b.mean()) < 4 * math.hypot(stats.sem(a), stats.sem(b))


def test_every_resample_draws_as_many_runs_of_a_stratum_as_there_are():
    boot = Resamples(np.array([0, 0, 0, 1, 1, 1, 1, 1]), np.random.default_rng(1), 300)
    assert set(boot.weights[:, :3].sum(1)) == {3}
    assert set(boot.weights[:, 3:].sum(1)) == {5}
    assert np.abs(boot.weights.mean(0) - 1).max() < 4 / math.sqrt(300)


def test_intervals_by_run_cover_and_those_by_drop_would_not():
    rng = np.random.default_rng(3)
    runs, hit, naive = 15, 0, 0
    for _ in range(200):
        drops = rng.integers(5, 30, runs)
        values = [rng.normal(rng.normal(0, 1), 1, n) for n in drops]
        sums = np.array([[each.sum()] for each in values])
        found = Resamples(np.zeros(runs), rng, 1000).ratios(sums, drops[:, None].astype(float))
        hit += bool(found.low[0] <= 0 <= found.high[0])
        every = np.concatenate(values)
        naive += abs(every.mean()) <= 1.96 * stats.sem(every)
    assert within(hit, 0.95, 200) or within(hit, 0.93, 200)  # a ratio of 15 runs is a little skew
    assert hit >= 175
    assert not within(naive, 0.95, 200)


def test_a_share_without_hits_has_clopper_and_pearsons_interval_by_run():
    boot = Resamples(np.zeros(20), np.random.default_rng(4), 1000)
    found = boot.ratio(np.zeros(20), np.full(20, 50.0), share=True)
    assert found.low == 0
    assert found.high == pytest.approx(stats.beta.ppf(0.975, 1, 20))
    assert boot.ratio(np.full(20, 50.0), np.full(20, 50.0), share=True).low == pytest.approx(
        stats.beta.ppf(0.025, 20, 1)
    )


def test_few_runs_have_no_interval():
    boot = Resamples(np.zeros(4), np.random.default_rng(5))
    assert math.isnan(boot.ratio(np.arange(4.0), np.ones(4)).low)
    boot = Resamples(np.zeros(50), np.random.default_rng(5))
    rare = (np.arange(50) < 3).astype(float)
    assert math.isnan(boot.ratio(rare * 2, rare).low)


def test_percentiles_leave_out_draws_without_a_value():
    draws = np.column_stack([np.arange(101.0), np.arange(101.0)])
    draws[:4, 0] = np.nan
    draws[:50, 1] = np.nan
    low, high = percentiles(draws, np.array([0.25, 0.25]))
    assert low[0] == 4 + 0.25 * 96
    assert high[0] == 4 + 0.75 * 96
    assert math.isnan(low[1])


def test_r_squared_is_the_share_of_variance_that_the_plane_explains():
    rng = np.random.default_rng(6)
    thrown, inside = rng.integers(2, 9, (10, 12)), rng.integers(0, 20, (10, 12))
    out = rng.integers(0, 9, (10, 12)) + thrown
    campaign = series(out, thrown, inside)
    found = retention.slopes(campaign, boot_of(campaign), campaign.is_phase)
    x = np.column_stack([np.ones(120), thrown.ravel(), inside.ravel()])
    beta, residual = np.linalg.lstsq(x, out.ravel(), rcond=None)[:2]
    assert found.value == pytest.approx([*beta, 1 - residual[0] / (120 * out.var())])


def test_moments_and_groups_are_those_of_numpy():
    rng = np.random.default_rng(7)
    campaign = series(rng.integers(0, 9, (8, 10)))
    boot, rows, x = boot_of(campaign), campaign.is_phase, campaign.rows.out
    mean, spread = retention.moments(campaign, boot, x, rows)
    assert (mean.value, spread.value, mean.n) == pytest.approx((x.mean(), x.std(ddof=1), 80))
    group = rng.integers(0, 3, 80)
    found = retention.grouped(campaign, boot, campaign.rows.run[rows], group[rows], 3, x[rows])
    assert found.value == pytest.approx([x[group == i].mean() for i in range(3)])
    assert [each.n for each in found] == np.bincount(group).tolist()
    shares = retention.histogram(campaign, boot, campaign.rows.run, x)
    assert retention.list_counts(shares) == np.bincount(x).tolist()
    assert shares.value == pytest.approx(np.bincount(x) / 80)


def test_the_map_counts_every_drop_once_and_knows_the_rule():
    rng = np.random.default_rng(8)
    thrown, inside = rng.integers(1, 40, (30, 20)), rng.integers(0, 30, (30, 20))
    out = rng.binomial(thrown, 2 / 3) + rng.binomial(inside, 1 / 3)
    campaign = series(out, thrown, inside)
    found = retention.emerged_map(campaign, boot_of(campaign), campaign.is_phase)
    assert found.drops.sum() == out.size
    assert found.drops.shape == (len(found.thrown_edges) - 1, len(found.inside_edges) - 1)
    i, j = 2, 3
    rows = (thrown >= found.thrown_edges[i]) & (thrown < found.thrown_edges[i + 1])
    rows &= (inside >= found.inside_edges[j]) & (inside < found.inside_edges[j + 1])
    assert found.mean.value[i, j] == pytest.approx(out[rows].mean())
    assert found.rule[i, j] == pytest.approx((thrown * 2 / 3 + inside / 3)[rows].mean())
    beyond = ((found.excess.low > 0) | (found.excess.high < 0)).sum()
    assert beyond <= stats.binom.ppf(1 - 1e-4, np.isfinite(found.excess.low).sum(), 0.1)  # small cells: about 5 to 8 %


def test_the_rules_setup_is_binomial():
    games = 3000
    d = play_rule(GAME, games, np.random.default_rng(9)).rows
    inside = d.inside[d.drop == 0]
    assert abs(inside.mean() - 49 / 3) < 4 * math.sqrt(49 * 2 / 9 / games)
    middle = np.arange(10, 23)
    chance = stats.binom.pmf(middle, 49, 1 / 3)
    counts = np.append([(inside == n).sum() for n in middle], games - np.isin(inside, middle).sum())
    assert stats.chisquare(counts, games * np.append(chance, 1 - chance.sum())).pvalue > 1e-4
    assert np.array_equal(d.before + d.thrown, d.out + d.inside)


def test_the_rule_played_at_once_is_the_rule_played_by_the_game():
    played = play_rule(GAME, 1000, np.random.default_rng(10))
    d = played.rows
    games = [play(CoinTower(), amerigo.Rules(), seed) for seed in range(60)]
    for drop in (0, 1, 7, 20, 35):
        one = np.array([sum(game[drop].inside.values()) for game in games])
        assert alike(one, d.inside[d.drop == drop])
        out = np.array([sum(game[drop].emerged.values()) for game in games])
        assert alike(out, d.out[d.drop == drop])
        if drop:
            points = np.array([game[drop].action_points for game in games])
            theirs = ACTION_POINTS.by_phase(played)[:, drop - 1]
            assert stats.mannwhitneyu(points, theirs).pvalue > 1e-4


def test_setup_colours_of_the_rule_are_as_chance_makes_them():
    campaign = play_rule(GAME, 800, np.random.default_rng(11))
    found = retention.setup_colours(campaign, boot_of(campaign), campaign.rows.drop == 0)
    error = (found.dispersion.high - found.dispersion.low) / 4
    assert abs(found.dispersion.value - 1) < 4 * error
    present = (1 - (2 / 3) ** 7) ** 7
    assert abs(found.all_present.value - present) < 4 * math.sqrt(present * (1 - present) / 800)


def test_setup_colours_that_go_together_are_more_unlike_than_chance():
    """All seven cubes of three colours stay and none of the others: counts 7 and 0, where chance has a mean of 3."""
    ends = ["inside:floor"] * 3 + ["tray"] * 4
    cubes = [(run, cube, cube // 7) for run in range(8) for cube in range(49)]
    rows = [(run, cube, COLOURS[colour], True, 0, None, ends[colour]) for run, cube, colour in cubes]
    campaign = series(np.full((8, 1), 28), np.full((8, 1), 49)).changed(cubes=with_cubes(rows))
    found = retention.setup_colours(campaign, boot_of(campaign), campaign.is_phase)
    by_hand = (3 * (7 - 3) ** 2 + 4 * (0 - 3) ** 2) / 7
    by_chance = stats.hypergeom(49, 7, 21).var()
    assert found.dispersion.value == pytest.approx(by_hand / by_chance)
    assert found.all_present.value == 0


def stays(lives: Any, followed: Any, region: Any = None) -> Campaign:
    """One cube a run: it stays in drop 0 and leaves after `lives` drops, seen for `followed` drops after the first."""
    lives, followed = np.asarray(lives), np.asarray(followed)
    drops = int(followed.max()) + 1
    campaign = series(np.zeros((len(lives), drops), int), np.ones((len(lives), drops), int))
    rows: list[Any] = []
    for run, (life, last) in enumerate(zip(lives, followed, strict=True)):
        where = "inside:" + ("floor" if region is None else region[run])
        rows.append((run * drops, run, "red", True, 0, None, where))
        for age in range(1, min(life, last) + 1):
            rows.append((run * drops + age, run, "red", False, age, where, "tray" if age == life else where))
    return campaign.changed(cubes=with_cubes(rows))


def test_kaplan_meier_by_hand():
    # lives 1, 2, 3 seen; two more were still inside after 2 and 4 drops, when their runs ended
    campaign = stays([1, 2, 9, 3, 9], [5, 5, 2, 5, 4])
    found = there(retention.survival(campaign, boot_of(campaign)))
    assert found.at_risk.tolist() == [5, 4, 2, 1]
    assert found.released.tolist() == [1, 1, 1, 0]
    assert found.survival.value == pytest.approx([4 / 5, 4 / 5 * 3 / 4, 4 / 5 * 3 / 4 / 2, 4 / 5 * 3 / 4 / 2])
    assert found.median.value == 3
    assert found.mean_within.value == pytest.approx(1 + 4 / 5 + 3 / 5 + 3 / 10 + 3 / 10)  # no curve after age 4
    assert found.entered == 5


def test_exponential_stays_survive_exponentially_under_censoring():
    rng = np.random.default_rng(12)
    rate, runs = 0.3, 1500
    campaign = stays(np.ceil(rng.exponential(1 / rate, runs)).astype(int), rng.integers(1, 9, runs))
    found = there(retention.survival(campaign, boot_of(campaign)))
    terms = found.released / (found.at_risk * (found.at_risk - found.released))
    greenwood = found.survival.value * np.sqrt(np.cumsum(terms))
    truth = np.exp(-rate * found.age)
    assert (np.abs(found.survival.value - truth) < 4 * greenwood).all()
    assert (found.survival.high - found.survival.low)[2] == pytest.approx(2 * 1.96 * greenwood[2], rel=0.15)
    assert abs(found.mean_within.value - np.exp(-rate * np.arange(7)).sum()) < 4 * greenwood[:6].sum()
    # leaving the censored out, as if only finished stays counted, is what the estimate avoids
    ended = found.released.cumsum() / found.released.sum()
    assert abs(1 - ended[2] - truth[2]) > 4 * greenwood[2]


def test_release_by_region_finds_each_regions_chance():
    rng = np.random.default_rng(13)
    region = rng.choice(["high", "low"], 800)
    chance = np.where(region == "high", 0.6, 0.2)
    campaign = stays(rng.geometric(chance), np.full(800, 8), region)
    found = there(retention.survival(campaign, boot_of(campaign)))
    assert found.regions == ("high", "low")
    for i, p in enumerate((0.6, 0.2)):
        each = found.by_region.at(i)
        assert abs(each.value - p) < 4 * math.sqrt(p * (1 - p) / each.n)


def test_cubes_that_never_leave_those_that_never_stay_and_those_on_a_board():
    found = there(retention.survival(campaign := stays([99] * 6, [12] * 6), boot_of(campaign)))
    assert found.mean_within.value == retention.WITHIN == 7
    campaign = series(np.full((6, 4), 5))
    assert retention.survival(campaign, boot_of(campaign)) is None
    rows = [(run, run, "red", False, 1, "zone:coins", "zone:coins") for run in range(6)]
    campaign = series(np.zeros((6, 1), int), np.ones((6, 1), int)).changed(cubes=with_cubes(rows))
    assert not len(retention.resident_rows(campaign))


def test_autocorrelation_of_an_autoregression_whatever_course_all_runs_share():
    rng = np.random.default_rng(14)
    runs, drops, phi = 400, 30, 0.6
    x = np.zeros((runs, drops))
    x[:, 0] = rng.normal(size=runs)
    for t in range(1, drops):
        x[:, t] = phi * x[:, t - 1] + math.sqrt(1 - phi**2) * rng.normal(size=runs)
    campaign = series(np.zeros((runs, drops), int))
    boot = boot_of(campaign)
    found = retention.autocorrelation(campaign, boot, x.ravel())
    error = (found.high - found.low) / (2 * 1.96)
    assert (np.abs(found.value - phi ** np.arange(1, 8)) < 4 * error).all()
    shared = retention.autocorrelation(campaign, boot, (x + 50 * np.exp(-np.arange(drops))).ravel())
    assert shared.value == pytest.approx(found.value)


def thrown_cubes(rng: np.random.Generator, runs: int, chance: dict[str, float], each: int = 4) -> Campaign:
    rows: list[Any] = []
    for run in range(runs):
        level = rng.normal(0, 0.1)  # drops differ, colours do not
        for i, colour in enumerate([*chance] * each):
            out = rng.random() < chance[colour] + level
            rows.append((run, i, colour, True, 0, None, "tray" if out else "inside:floor"))
    return series(np.zeros((runs, 1), int)).changed(cubes=with_cubes(rows))


def judge_colours(campaign: Campaign, rng: np.random.Generator, situations: Any = battles.thrown_situations) -> Any:
    return there(battles.compare_colours(campaign, boot_of(campaign), situations(campaign), rng))


@pytest.mark.slow
def test_the_permutation_test_has_its_size(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(battles, "PERMUTATIONS", 199)
    rng = np.random.default_rng(20)
    rejected = limit = 0
    for _ in range(200):
        campaign = thrown_cubes(rng, 12, {"red": 0.5, "blue": 0.5, "green": 0.5})
        found = judge_colours(campaign, rng)
        rejected += found.p <= 0.05
        limit += found.p_chi2 <= 0.05
    assert within(rejected, 0.05, 200)
    assert within(limit, 0.05, 200)


def test_the_permutation_test_finds_a_colour_that_slips_out():
    rng = np.random.default_rng(21)
    campaign = thrown_cubes(rng, 200, {"red": 0.4, "blue": 0.4, "green": 0.6})
    found = judge_colours(campaign, rng)
    colour, effect = found.largest()
    assert found.p == 1 / (1 + found.permutations)
    assert colour == "green"
    assert effect.low <= 0.6 - 1.4 / 3 <= effect.high


def test_labels_are_permuted_within_each_situation_only():
    cell = np.array([0, 0, 0, 0, 0, 1, 1])
    colour = np.array([0, 0, 0, 1, 1, 2, 3])
    out = np.array([True, True, False, False, False, True, False])
    mixed = permuted(colour, cell, np.random.default_rng(22))
    assert next(mixed) is colour
    drawn = np.array([np.bincount(next(mixed)[out], minlength=4) for _ in range(4000)])
    assert (drawn[:, :2].sum(1) == 2).all()
    assert (drawn[:, 2:].sum(1) == 1).all()
    expected = stats.hypergeom.pmf([0, 1, 2], 5, 3, 2) * 4000
    assert stats.chisquare(np.bincount(drawn[:, 0], minlength=3), expected).pvalue > 1e-4


def test_colours_that_lie_in_different_regions_are_not_called_unlike():
    """Red lies mostly where cubes leave easily: within a region colours are alike."""
    rng = np.random.default_rng(23)
    p: list[float] = []
    for _ in range(20):
        rows: list[Any] = []
        for run in range(60):
            for i in range(12):
                colour = "red" if i % 2 else "blue"
                easy = rng.random() < (0.8 if colour == "red" else 0.2)
                place = "inside:easy" if easy else "inside:hard"
                out = rng.random() < (0.8 if easy else 0.1)
                rows.append((run, i, colour, False, 1, place, "tray" if out else place))
        campaign = series(np.zeros((60, 1), int)).changed(cubes=with_cubes(rows))
        found = judge_colours(campaign, rng, battles.resident_situations)
        p.append(found.p)
    assert within(sum(each <= 0.05 for each in p), 0.05, 20)


def test_the_chance_of_release_of_old_cubes_is_that_from_five_drops_on():
    campaign = stays([5, 6, 4, 9], [9, 9, 9, 5])
    found = there(retention.survival(campaign, boot_of(campaign)))
    assert found.old_hazard
    assert (found.old_hazard.value, found.old_hazard.n) == (2 / 4, 4)


def test_the_jackknife_of_a_mean_has_students_interval_with_satterthwaites_freedom():
    values = np.random.default_rng(25).exponential(size=12)
    sums = np.column_stack([values, np.ones(12)])
    plain: retention.Scale = np.asarray, np.asarray
    found = retention.jackknifed(sums.sum(0), sums, np.zeros(12, int), lambda s: s[:, :1] / s[:, 1:], plain)
    freedom = min(24 / (stats.kurtosis(values, fisher=False) - 1 + 2 / 11), 11)
    known = stats.t.interval(0.95, freedom, values.mean(), stats.sem(values))
    assert (found.low[0], found.high[0]) == pytest.approx(known)


def test_the_distance_of_two_colours_is_the_squared_z_of_the_hypergeometric_law():
    """One drop of 5 red and 3 blue cubes, of which 3 red and none blue come out."""
    ends = ["tray"] * 3 + ["inside:floor"] * 5
    rows = [(0, i, "red" if i < 5 else "blue", True, 0, None, end) for i, end in enumerate(ends)]
    campaign = series(np.array([[3]]), np.array([[8]])).changed(cubes=with_cubes(rows))
    rng = np.random.default_rng(26)
    found = judge_colours(campaign, rng)
    law = stats.hypergeom(8, 5, 3)
    assert found.statistic == pytest.approx((3 - law.mean()) ** 2 / law.var())
    assert found.p_chi2 == pytest.approx(stats.chi2.sf(found.statistic, 1))
