"""The statistics that check a surrogate, on games whose truth is known, enumerations or worked cases; its pictures."""

import importlib
import math
from dataclasses import replace
from functools import cache
from itertools import combinations, islice
from typing import Any

import numpy as np
import pytest
from scipy import stats
from support.cases import each_case
from support.pictures import faults

from tower_sim.apparatus import load
from tower_sim.campaign import Campaign
from tower_sim.errors import UsageError
from tower_sim.games.amerigo import Rules
from tower_sim.games.amerigo.many import ACTION_POINTS, ACTIONS, FIGURES, make_plan
from tower_sim.results import EVERY, THROWN_OUT, Columns, Estimate, Plan, Results, Words, permuted, ratio_gaps
from tower_sim.results.tower import RESIDENTS_OUT
from tower_sim.studies.fitting.compared import Measured, compare
from tower_sim.studies.fitting.tower import pages, whole_games
from tower_sim.studies.fitting.tower.knocks import KnockMeans
from tower_sim.studies.fitting.tower.whole_games import compare_games
from tower_sim.studies.retention.baseline import GameKit, play_rule
from tower_sim.surrogate import RungScore, SurrogateModel, shipped

RULES = Rules()
SHAPE = load("amerigo")
SHORT = Rules(rounds=2)
TABLES = ("thrown", "out", "inside")


def played(games: int, rng: np.random.Generator, shift: float = 0.0, rules: Rules = RULES) -> Results:
    """Games of the 2/3-1/3 rule, every thrown cube's chance of release shifted."""
    width = len(rules.colours)
    stored, inside = np.full((games, width), 7), np.zeros((games, width), int)
    tables = np.zeros((3, games, rules.drops, width), np.int16)
    for drop in range(rules.drops):
        own = np.arange(width) == rules.colours.index(rules.phases[(drop - 1) % len(rules.phases)])
        thrown = stored * (own | (drop == 0))
        requests = thrown.any(1, keepdims=True)
        fresh, older = rng.binomial(thrown, 2 / 3 + shift), rng.binomial(inside * requests, 1 / 3)
        stored, inside = stored - thrown + fresh + older, inside + thrown - fresh - older
        tables[:, :, drop] = thrown, fresh + older, inside
    return counted(tables, rules)


def counted(tables: Any, rules: Rules = RULES) -> Results:
    return Results.of_counts(dict(zip(TABLES, tables, strict=True)), plan=make_plan(rules))


def uniform(p: list[float], steps: int) -> bool:
    """Whether p values, which are multiples of 1 / steps, may come from the uniform law (K-S at 1 in 1000)."""
    rng = np.random.default_rng(0)
    return stats.kstest(np.array(p) - rng.random(len(p)) / steps, "uniform").pvalue > 1e-3


def test_the_energy_distance_is_that_of_its_definition():
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 6, 20), rng.integers(2, 9, 20)
    between, within_a, within_b = (np.abs(x[:, None] - y).mean() for x, y in ((a, b), (a, a), (b, b)))
    steps = whole_games.steps(np.concatenate([a, b])[:, None])
    labels = np.stack([*islice(permuted(np.repeat([True, False], 20), np.zeros(40, int), rng), 4)])
    result = 2 * (ratio_gaps(steps, np.ones((40, 1)), labels) ** 2).sum(1)
    assert result[0] == pytest.approx(2 * between - within_a - within_b)
    assert result[0] > result[1:].max()


def test_permutation_p_agrees_with_the_enumeration_of_all_splits():
    rng = np.random.default_rng(3)
    values = rng.integers(0, 9, (8, 3)) + 4 * (np.arange(8) < 4)[:, None]
    every = np.array([[i in side for i in range(8)] for side in combinations(range(8), 4)])
    steps, ones = whole_games.steps(values), np.ones((8, 1))
    exact = (ratio_gaps(steps, ones, every) ** 2).sum(1)
    p, count = float((exact >= exact[0] * (1 - 1e-9)).mean()), 4000
    measured = Measured("one", "", [""], values.sum(1, keepdims=True), ones, steps)
    (result,) = compare([measured], every[0], np.zeros(8), rng, count)
    assert 2 / 70 <= p < 0.3
    assert abs(result.p - p) < 4 * math.sqrt(p * (1 - p) / count) + 1 / count


def test_numbers_are_tested_together_each_in_its_error_and_the_clearest_is_shown():
    """Of three shares the second is off by 0.3 on 200 runs; the third has no data, and of the first half has none."""
    rng = np.random.default_rng(4)
    is_physics = np.arange(400) < 200
    under = np.stack([np.arange(400) % 2, np.ones(400), np.zeros(400)], 1)
    over = (rng.random((400, 3)) < 0.4 + 0.3 * np.outer(~is_physics, [0, 1, 0])) * under
    shares = Measured("shares", "share of runs", "abc", over, under)
    other = Measured("other", "share of runs", "a", over[:, :1], under[:, :1])
    clear, same = compare([shares, other], is_physics, np.zeros(400), rng, 999)
    assert (clear.p, clear.holm, clear.farthest, clear.differs) == (1 / 1000, 2 / 1000, 1, True)
    assert clear.difference.value[1] == over[~is_physics, 1].mean() - over[is_physics, 1].mean()
    assert clear.is_apart.tolist()[1:] == [True, False]
    assert clear.clearness[2] == 0
    assert same.holm == same.p > 0.005


@pytest.mark.slow
def test_p_values_of_games_of_one_law_are_uniform():
    results: list[dict[str, float]] = []
    for rng in np.random.default_rng(5).spawn(150):
        a, b = played(20, rng, rules=SHORT), played(20, rng, rules=SHORT)
        results.append({each.name: each.p for each in compare_games(a, b, rng, 99)})
    for name in ("mean inside in play", "colours out", "autocorrelation of inside"):
        assert uniform([result[name] for result in results], 100), name
    games, rng = played(30, np.random.default_rng(7), rules=SHORT), np.random.default_rng(7)
    same = compare_games(games, games, rng, 200)  # games beside themselves are at no distance
    assert all(each.p == 1 and not each.difference.value.any() for each in same)


def test_figures_show_a_large_shift_and_its_size():
    rng = np.random.default_rng(6)
    a, b = played(150, rng), played(200, rng, 0.1)
    result = {each.name: each for each in compare_games(a, b, rng, 400)}
    # the rule's memory hardly changes with the shift, and it skips no phase
    unseen = {"autocorrelation of inside", "autocorrelation of cubes out", "phases skipped"}
    assert {name for name, each in result.items() if each.differs} >= {*result} - unseen
    inside = result["mean inside in play"]
    assert inside.physics.at(0).value == pytest.approx(a.each_colour("inside")[:, 1:].sum(-1).mean())
    assert inside.physics.at(0).n == 150
    assert inside.difference.high[0] < 0
    assert result["colours out"].cells == RULES.colours
    fan = pages.find_fan(a)
    assert fan.shape == (5, 36)
    assert np.all(np.diff(fan, axis=0) >= 0)


def test_autocorrelations_see_games_that_differ_from_one_another_though_their_means_do_not():
    rng = np.random.default_rng(29)
    a, low, high = played(160, rng), played(80, rng, -0.15), played(80, rng, 0.15)
    mixed = Results.together([low, high])
    inside = {each.name: each for each in compare_games(a, mixed, rng, 400)}["autocorrelation of inside"]
    assert inside.differs
    assert inside.cells[inside.farthest].startswith("lag ")
    assert inside.difference.low[inside.farthest] > 0


def test_autocorrelations_are_those_of_a_known_series():
    rng = np.random.default_rng(8)
    phi, games = 0.7, 4000
    x = np.zeros((games, 40))
    x[:, 0] = rng.normal(0, 1, games)
    for t in range(1, 40):
        x[:, t] = phi * x[:, t - 1] + math.sqrt(1 - phi**2) * rng.normal(0, 1, games)
    x = x + np.sin(np.arange(40))  # a course that all games share is no memory
    x[games // 2 :] += 3  # nor is what all games of one model share
    result = whole_games.memory("x", x, np.arange(games) < games // 2)
    blocks = np.array([over.sum(0) / under.sum(0) for over, under in zip(
        np.split(result.over, 80), np.split(result.under, 80), strict=True)])  # fmt: skip
    error = blocks.std(0, ddof=1) / math.sqrt(80)
    assert np.all(np.abs(result.over.sum(0) / result.under.sum(0) - phi ** np.arange(1, 8)) < 4 * error)


def test_a_mean_is_undecided_with_too_few_games_and_says_how_many_are_needed():
    rng = np.random.default_rng(10)
    many, verdicts = played(2000, rng), list[str]()
    for n in (12, 400):
        few = played(n, rng)
        check = replace(check_of(0.0), figures=compare_games(few, many, rng, 20))
        claim = next(each for each in pages.claims(check) if each.name == "mean inside in play: within 0.3 cubes")
        verdicts.append(claim.verdict)
        each = few.each_colour("inside")[:, 1:].sum(-1).mean(1)
        needed = pages.count_needed(check.means[0].physics.at(0), 0.3)
        # of 12 games the interval is wider by Student's factor; 4 standard errors of a standard deviation
        student = stats.t.ppf(0.975, n - 1) / 1.96
        assert needed == pytest.approx((1.96 * student * each.std(ddof=1) / 0.3) ** 2, rel=0.15)
    assert verdicts == [pages.UNDECIDED, pages.PASSES]
    assert "12 physics games are too few to say" in pages.claims(
        replace(check_of(0.0), figures=compare_games(played(12, rng), many, rng, 20)))[2].why  # fmt: skip


def test_what_cannot_be_compared_is_said_in_one_line():
    rng = np.random.default_rng(11)
    games = played(12, rng, rules=SHORT)
    with pytest.raises(UsageError, match="games on one side is 9; allowed is 10 or more"):
        compare_games(games, games.take(slice(9)), rng)
    with pytest.raises(UsageError, match="plan of the surrogate's games"):
        compare_games(games, played(12, rng, rules=Rules(rounds=1)), rng)
    none = played(12, rng, rules=Rules(rounds=0))
    with pytest.raises(UsageError, match="drops of a game is 1"):
        compare_games(none, none, rng)


def campaign_of(games: int, seed: int) -> Campaign:
    board = GameKit(tuple(RULES.colours), np.repeat(np.arange(7), 7), [*range(7)] * 5)
    return play_rule(board, games, np.random.default_rng(seed)).changed(spec={"kind": "game"})


def test_games_of_a_campaign_keep_every_cube_and_the_facts_of_its_drops():
    campaign = campaign_of(6, 12)
    games = whole_games.read_games(campaign)
    assert games.each_colour("thrown").shape == (6, 36, 7)
    before = np.concatenate([np.zeros((6, 1, 7), int), games.each_colour("inside")[:, :-1]], 1)
    assert np.array_equal(before + games.each_colour("thrown"), games.each_colour("out") + games.each_colour("inside"))
    assert np.all(games.each_colour("thrown")[:, 0] == 7)
    for name, table in (
        ("thrown", games.each_colour("thrown")),
        ("out", games.each_colour("out")),
        ("inside", games.each_colour("inside")),
    ):
        assert np.array_equal(table.sum(-1).ravel(), getattr(campaign.rows, name))
    counts = games.each_colour("out")[:, 1:]
    assert np.array_equal(ACTION_POINTS.by_phase(games), counts.max(-1))
    assert np.array_equal(ACTIONS.by_phase(games), (counts > 0).sum(-1))
    for figure in (*FIGURES, THROWN_OUT, RESIDENTS_OUT):  # whether by the drops' tables or by the games'
        if "old_out" not in figure.names:
            assert np.array_equal(figure.value(campaign), figure.value(games)), figure.key
    some = whole_games.read_games(campaign, np.array([1, 4]))
    assert np.array_equal(some.each_colour("out"), games.each_colour("out")[[1, 4]])


def test_colours_are_matched_by_their_words():
    campaign = campaign_of(3, 13)
    colour = campaign.cubes.colour
    swapped = Words(tuple(reversed(colour.names)), (6 - colour.codes).astype(np.int16))
    other = campaign.changed(cubes=campaign.cubes.having(colour=swapped))
    assert other.colours == tuple(reversed(campaign.colours))
    assert np.array_equal(
        whole_games.read_games(other).each_colour("out"), whole_games.read_games(campaign).each_colour("out")
    )


def test_unfinished_games_are_left_out():
    campaign = campaign_of(4, 14)
    drops, cubes = campaign.rows, campaign.cubes
    kept = ~((drops.run == 1) & (drops.drop >= 20))
    cubes = cubes.take(kept[cubes.row])
    cubes = cubes.having(row=(np.cumsum(kept) - 1)[cubes.row].astype(np.int32))
    failed = Columns({"run": np.array([1]), "drop": np.array([20]), "status": Words.of(["timed_out"])})
    facts = campaign.facts.take(kept)
    short = campaign.changed(rows=drops.take(kept), cubes=cubes, facts=facts, failed=failed)
    assert whole_games.list_finished_runs(short).tolist() == [0, 2, 3]
    whole = whole_games.read_games(campaign)
    assert np.array_equal(whole_games.read_games(short).each_colour("inside"), whole.each_colour("inside")[[0, 2, 3]])


def test_a_campaign_of_other_things_or_of_many_rules_is_refused():
    rules = {"colours": ["blue", "black"], "cubes": 7, "substitute": ""}
    for change, message in (
        ({"spec": {"kind": "chain"}}, "campaign is of chains; allowed is one of games"),
        ({"points": [{"rules.rounds": 4}]}, r"fields of vary\.fields is"),
        ({"spec": {"kind": "game", "rules": rules}}, "colours of the campaign is"),
    ):
        with pytest.raises(UsageError, match=message):
            whole_games.read_games(replace(campaign_of(2, 15), **change))


def test_features_are_of_their_game_only_and_named_once():
    games = played(12, np.random.default_rng(16), rules=SHORT)
    names, table = whole_games.features(games)
    assert len(set(names)) == len(names) == table.shape[1]
    assert np.array_equal(whole_games.features(games.take([3, 7]))[1], table[[3, 7]])
    at = names.index("red out of drop 3")
    assert np.array_equal(table[:, at], games.each_colour("out")[:, 3, RULES.colours.index("red")])
    product = names.index("inside in phase 2 times phase 9")
    assert np.array_equal(
        table[:, product], games.each_colour("inside")[:, 2].sum(1) * games.each_colour("inside")[:, 9].sum(1)
    )


def test_games_whose_every_drop_throws_all_colours_are_compared_too():
    """A plan without series of its own: all that a phase throws is its own colour."""
    plan = Plan(("red", "blue"), (3, 4), (EVERY,) * 6)
    model = SurrogateModel(SHAPE, shipped(SHAPE.name, SHAPE.digest))
    a, b = (model.sample_runs(plan, 40, seed) for seed in (1, 2))
    before = np.concatenate([np.zeros((40, 1, 2), int), a.each_colour("inside")[:, :-1]], 1)
    assert np.array_equal(before + a.each_colour("thrown"), a.each_colour("out") + a.each_colour("inside"))
    assert np.array_equal(a.each_colour("thrown"), np.array([3, 4]) - before)
    names, table = whole_games.features(a)
    assert "action points of the game" not in names
    thrown = [names.index(f"thrown in phase {phase}") for phase in range(1, 6)]
    assert np.array_equal(table[:, thrown], a.each_colour("thrown")[:, 1:].sum(-1))
    assert len(compare_games(a, b, np.random.default_rng(1), 200)) == 7
    with pytest.raises(UsageError, match="runs have several plans"):
        Results.together([a, played(2, np.random.default_rng(3))])


def test_the_features_of_a_game_recover_the_chances_of_the_rule():
    names, table = whole_games.features(played(400, np.random.default_rng(17), 0.05))
    for name, chance in (("thrown cubes' share out of the game", 2 / 3 + 0.05), ("residents' share out", 1 / 3)):
        values = table[:, names.index(name)].astype(float)
        assert abs(values.mean() - chance) < 4 * stats.sem(values) + 0.002  # a ratio of a game is a little skew


@pytest.mark.slow
def test_a_shift_in_release_is_flagged_and_no_shift_is_not():
    rng = np.random.default_rng(18)
    result = whole_games.power(lambda each: (played(300, each), played(300, each, 0.03)), 1, rng)
    assert (result.value, result.n) == (1, 1)
    assert result.low == pytest.approx(stats.binomtest(1, 1).proportion_ci(0.95, method="exact").low)
    same = whole_games.tell_apart(played(300, rng), played(320, rng), rng)
    assert same.games == 300
    # false alarms are about 1 in 20, so one game pair is held against 1 in 10 000
    assert same.p > 1e-4


def test_answers_count_as_two_thirds_as_many_coins_in_the_interval_and_as_all_in_p(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(whole_games, "_right", lambda x, y, rng: np.arange(24) < 16)
    games = played(12, np.random.default_rng(19), rules=SHORT)
    result = whole_games.tell_apart(games, games, np.random.default_rng(1))
    wilson = stats.binomtest(16, 24).proportion_ci(0.95, "wilson")
    assert result.accuracy.low < wilson.low < wilson.high < result.accuracy.high
    assert result.p == pytest.approx(stats.binom.sf(15, 24, 0.5))


@pytest.mark.slow
def test_equal_arguments_tell_alike():
    a, b = (played(40, np.random.default_rng(seed), rules=SHORT) for seed in (19, 20))
    once, again = (whole_games.tell_apart(a, b, np.random.default_rng(1)) for _ in range(2))
    assert (once.accuracy, once.different.cells) == (again.accuracy, again.different.cells)
    assert [*once.different.difference] == [*again.different.difference]


@pytest.mark.long
def test_the_classifier_flags_a_shift_in_nine_of_ten_trials_and_alarms_falsely_in_one_of_twenty():
    rng = np.random.default_rng(21)
    result = whole_games.power(lambda each: (played(300, each), played(300, each, 0.03)), 50, rng)
    assert result.value >= whole_games.POWER
    alarms = whole_games.power(lambda each: (played(300, each), played(300, each)), 100, rng)
    print(f"flagged {result.value:.0%} of {result.n}, false alarms {alarms.value:.0%} of {alarms.n}")
    # at most the greatest count that a rate of 5 % gives once in 1000
    assert alarms.value * 100 <= stats.binom.ppf(0.999, 100, 0.05)


def test_a_missing_scikit_learn_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch):
    real = importlib.import_module

    def missing(name: str, package: str | None = None) -> Any:
        if name.startswith("sklearn"):
            raise ImportError(name)
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", missing)
    games = played(12, np.random.default_rng(22), rules=SHORT)
    with pytest.raises(UsageError, match=r"sklearn.* is not installed.*pip install .*scikit-learn"):
        whole_games.tell_apart(games, games, np.random.default_rng(0))


@cache
def check_of(shift: float, games: int = 60) -> pages.TowerCheck:
    rng = np.random.default_rng(27)
    a, b = played(games, rng), played(games, rng, shift)
    return pages.TowerCheck(
        model="amerigo.json",
        data="games",
        drops=600,
        games=40,
        played=games,
        scores=[RungScore("a", "0 two thirds", -2, 0.1, 0, 0), RungScore("b", "1 groups", -1.5, 0.1, 0.5, 0.02)],
        figures=compare_games(a, b, rng, 200),
        fans=[pages.find_fan(side) for side in (a, b)],
        answers=whole_games.tell_apart(a, b, rng),
        power=Estimate(0.96, 0.86, 0.995, 50),
    )


@pytest.mark.slow
@pytest.mark.usefixtures("unpainted_here")
def test_a_report_leads_with_the_verdict_and_names_what_does_not_pass(tmp_path: Any):
    check = check_of(0.15)
    verdicts = {claim.name: claim for claim in pages.claims(check)}
    failed = [each for each in verdicts.values() if each.verdict == pages.FAILS]
    assert len(failed) >= 3
    assert any("mean inside in play -" in each.why and "p by Holm" in each.why for each in failed)
    pages.report(check).write(tmp_path)
    text = (tmp_path / "report.md").read_text("utf-8")
    assert text.index("## Verdict") < text.index("## Single drops") < text.index("## Whole games")
    assert pages.headline(check) in text
    assert all(claim.name in text for claim in verdicts.values())
    pictures = sorted(path.name for path in (tmp_path / "plots").iterdir())
    assert pictures == ["autocorrelation.svg", "figures.svg", "inside.svg", "log_scores.svg"]
    assert all(f"plots/{name}" in text for name in pictures)
    on_screen = pages.report(check).text(1)
    assert all(f"{claim.name} " in on_screen for claim in verdicts.values())


@pytest.mark.slow
def test_knocks_are_each_told_with_their_verdict():
    sound = check_of(0.0)
    knocks = [KnockMeans(name, 0.3, 0.36, 0.029 + 0.002 * i, 400) for i, name in enumerate(("off", "close"))]
    checked = replace(sound, knocks=knocks)
    off, close = pages.claims(checked)[-2:]
    assert (off.verdict, close.verdict) == (pages.FAILS, pages.PASSES)
    assert off.why == "physics 0.300, surrogate 0.360, standard error 0.029, 400 states"
    assert f"{off.name} " in pages.report(checked).text()


@pytest.mark.slow
def test_few_games_of_one_law_pass_nothing_that_they_cannot_show():
    check = check_of(0.0)
    verdicts = [claim.verdict for claim in pages.claims(check)]
    assert verdicts[0] == pages.UNDECIDED
    assert verdicts[-1] == pages.PASSES
    assert "300 games a side or more are asked" in pages.report(check).text()


@pytest.mark.slow
@each_case("name", ["log_scores", "inside", "figures", "autocorrelation"])
def test_no_picture_of_a_surrogates_check_hides_anything_or_leaves_a_line_unnamed(name: str):
    assert faults(pages.report(check_of(0.15)).charts[name].drawn) == {}
