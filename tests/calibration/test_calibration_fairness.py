"""The law of one drop by two groups, and the e-values that hold recorded drops against it.

Sample sizes are such that, were a claim wrong by the amount said beside it, the test would fail in 99 of 100 runs.
"""

import json
import math
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from support.cases import each_case
from support.command_line import here, refusal
from support.fakes import CoinTower
from support.recorded import COLOURS, game, write_records

from tower_sim.apparatus import load
from tower_sim.calibration import bets, summaries, verdict
from tower_sim.calibration.records import Record
from tower_sim.calibration.reference import (
    LAWS,
    DropLaw,
    Reference,
    fit_reference,
    follow,
    learn,
    stack,
)
from tower_sim.calibration.summaries import PUBLISHED, AgedDrop, RecordedThrows, list_throws, observe, watch_throws
from tower_sim.calibration.verdict import STRONG, check, format_sentences, make, make_document
from tower_sim.compiled import call
from tower_sim.errors import UsageError
from tower_sim.surrogate import AGES, AgeOdds, BetaBinomial, GroupsLaw, chance, fit, fit_ages, terms

pytestmark = pytest.mark.slow

FLAT = AgeOdds((2.5, *[0.12] * (len(AGES) - 1)), (2.5, *[0.12] * (len(AGES) - 1)))
LAW = GroupsLaw(BetaBinomial((1.4, -0.2, -0.4, -0.2), 3.0), BetaBinomial((-2.0, 1.0, 0.1, 1.1), 2.5))
SETUP = BetaBinomial((0.35,), 4.0)
BOTH = DropLaw(LAW, {49: SETUP})
EXACT = Reference("law", 0, 0, BOTH, (BOTH,), (0, 49), (0, 49), (0, 99), FLAT)
CERTAIN = 1 - 1e-4  # of a count's binomial law


def record(games: Sequence[Sequence[AgedDrop]]) -> list[Record]:
    return [replace(observed.record, game=i) for i, each in enumerate(games, 1) for observed in each]


def chances(law: Reference, thrown: int, inside: int, number: int = 1, loose: float = -2.0) -> np.ndarray:
    """Return the probability of 0, 1, ... cubes out by law, of throw `number`."""
    most = thrown + inside if number else thrown
    rows, found = np.zeros((5, most + 1)), np.zeros((len(law.drawn), most + 1))
    call(bets.BETS, "list_chances", law.tables, thrown, inside, number, loose, rows, found)
    return found


def colour_laws(cubes: np.ndarray, weights: np.ndarray, out: int) -> list[np.ndarray]:
    """Return for each colour the law of the number of its cubes among `out` cubes."""
    most, found = int(cubes.sum()) + 1, list[np.ndarray]()
    for colour, many in enumerate(cubes):
        series, rows = np.zeros((len(cubes), most)), np.zeros((5, most))
        call(bets.BETS, "write_colour_law", cubes.astype(float), weights, colour, out, series, rows)
        found.append(rows[0, : many + 1])
    return found


def drawn_from(law: Reference, rng: np.random.Generator, drops: int) -> list[Record]:
    """Draw a record of one colour from the law: a set-up, then throws of what is outside, at most 6."""
    result: list[Record] = []
    for i in range(drops):
        before = result[-1].inside["red"] if result else 0
        thrown = min(49 - before, 6) if i else 49
        pmf = chances(law, thrown, before, i, math.log(0.12))[0]
        out = int(rng.choice(len(pmf), p=pmf))
        result.append(Record(i, {"red": thrown}, {"red": out}, {"red": before + thrown - out}))
    return result


@pytest.fixture(name="profile", scope="module")
def _profile() -> Reference:
    rng = np.random.default_rng(1)
    return learn("coins", [game(rng) for _ in range(24)], 0)


def test_a_fit_recovers_the_law():
    """Over 60 fits to 300 drops each parameter has the true mean, to four standard errors."""
    rng = np.random.default_rng(2)
    truth = stack(LAW)
    result = np.zeros((60, *truth.shape))
    for i in range(60):
        cubes, loose = (rng.integers(2, 8, 300), rng.integers(5, 30, 300)), rng.normal(-2, 0.4, 300)
        means = [chance(terms(*cubes, loose) @ np.array(group.coefficients)) for group in LAW]
        sizes = [math.exp(group.log_size) for group in LAW]
        out = [
            rng.binomial(n, rng.beta(mean * size, (1 - mean) * size))
            for n, mean, size in zip(cubes, means, sizes, strict=True)
        ]
        result[i] = stack(fit(*cubes, loose, *out))
    assert np.abs((result.mean(0) - truth) / stats.sem(result)).max() < 4
    assert stats.sem(result).max() < 0.1


def test_the_law_of_a_group_is_scipys_beta_binomial():
    for cubes, mean, size in ((0, 0.3, 2.0), (1, 0.3, 2.0), (7, 0.9, 0.5), (49, 0.02, 300.0)):
        expected = stats.betabinom.pmf(np.arange(cubes + 1), cubes, mean * size, (1 - mean) * size)
        group = BetaBinomial((math.log(mean / (1 - mean)),), math.log(size))
        first = DropLaw(None, {cubes: group})
        law = replace(EXACT, law=first, drawn=(first,))
        assert chances(law, cubes, 0, 0)[0] == pytest.approx(expected, abs=1e-12)


def pmf(group: BetaBinomial, cubes: int, at: np.ndarray) -> np.ndarray:
    """The beta-binomial law as products, whose rounding errors are smaller than those of gamma functions."""
    mean, size = float(chance(at @ np.array(group.coefficients))), math.exp(group.log_size)

    def rising(x: float, n: int) -> float:
        return math.prod(x + i for i in range(n))

    ways = [math.comb(cubes, k) * rising(mean * size, k) for k in range(cubes + 1)]
    return np.array([way * rising((1 - mean) * size, cubes - k) / rising(size, cubes) for k, way in enumerate(ways)])


def test_the_number_out_has_the_law_of_all_pairs_of_numbers():
    for thrown, inside in ((0, 0), (0, 3), (2, 0), (3, 4)):
        of_drop = terms(thrown, inside, -2.0)
        a, b = (pmf(group, n, of_drop) for group, n in zip(LAW, (thrown, inside), strict=True))
        by_hand = np.zeros(thrown + inside + 1)
        for i, j in product(range(thrown + 1), range(inside + 1)):
            by_hand[i + j] += a[i] * b[j]
        result = chances(EXACT, thrown, inside)[0]
        assert result == pytest.approx(by_hand, abs=1e-15)
        assert result.sum() == pytest.approx(1)


@pytest.mark.parametrize("share", [0, 1])
def test_a_group_that_never_or_always_leaves_has_a_finite_law_that_says_so(share: int):
    thrown, inside = np.full(50, 5), np.full(50, 12)
    law = fit(thrown, inside, np.full(50, -2.0), thrown * share, inside * (1 - share))
    assert np.isfinite(stack(law)).all()
    assert pmf(law.thrown, 5, terms(5, 12, -2.0))[5 * share] > 0.99
    assert pmf(law.resident, 12, terms(5, 12, -2.0))[12 * (1 - share)] > 0.99


def test_odds_by_age_are_those_of_the_counts():
    result = fit_ages(
        np.array([1, 1, 1, 2, 30]), np.array([5, 5, 1, 5, 40]), np.array([True, False, True, False, True])
    )
    assert result.later[1] == 1
    assert result.setup[1] == 3
    assert result.later[-1] == 3
    assert FLAT.loose(np.array([0, 3, 2.5])) == pytest.approx(math.log(0.12))
    assert terms(3, 10, -2.0) == pytest.approx([1, math.log(4), 1, -2])


def test_the_bet_has_expectation_1_in_every_history():
    """All histories of a set-up of 3 cubes and two later throws of 2, under an average of two laws."""
    other = GroupsLaw(replace(LAW.thrown, coefficients=(0.5, 0, 0, 0)), LAW.resident)
    first = DropLaw(LAW, {3: SETUP})
    law = replace(EXACT, law=first, drawn=(first, DropLaw(other, {3: replace(SETUP, coefficients=(-1.0,))})))
    expectation = np.zeros(3)
    for outs in product(range(4), range(6), range(8)):
        inside, row = 0, []
        for i, (thrown, out) in enumerate(zip((3, 2, 2), outs, strict=True)):
            inside += thrown - out
            row.append(Record(i, {"red": thrown}, {"red": out}, {"red": inside}))
        if any(each.inside["red"] < 0 for each in row):
            continue
        night, look = follow(row, FLAT)
        counts = night.thrown[:, 0], look.before[:, 0], look.drops, look.loose
        of_row = [chances(law, *known)[:, out] for *known, out in zip(*counts, outs, strict=True)]
        expectation += np.mean(of_row[0]) * np.mean(of_row[1] * of_row[2]) * np.array(check(row, law).e)
    assert expectation == pytest.approx([1, 1, 1])


def test_a_tower_of_the_law_itself_is_rarely_suspected():
    """50 records of 40 drops: e ever 20 in at most 5 % (37 % would be seen, 99 in 100)."""
    rng = np.random.default_rng(3)
    alarms = sum(max(check(drawn_from(EXACT, rng, 40), EXACT).e) >= STRONG for _ in range(50))
    assert alarms <= stats.binom.ppf(CERTAIN, 50, 0.05)


def test_thrown_cubes_that_leave_more_often_are_noticed_within_60_drops(profile: Reference):
    """Chances 0.86 for 0.71: in 35 of 40 trials when measured (later drops alone in 22); half of 10 is asked for."""
    rng = np.random.default_rng(4)
    result = [check(record([game(rng, 0.86), game(rng, 0.86)])[:60], profile) for _ in range(10)]
    assert sum(max(each.e) >= STRONG for each in result) >= 5
    sure = [part for each in result for part in (each.setup, each.later) if part.e[-1] >= STRONG]
    assert sure
    assert all(max(part.evidence, key=lambda name: part.evidence[name]) == "lets more go" for part in sure)
    assert all(part.between[0] > 0 for part in sure)


@pytest.fixture(name="of_the_same", scope="module")
def _of_the_same(profile: Reference) -> list[verdict.ProfileCheck]:
    """30 records of two games of the same tower, 72 drops at most."""
    rng = np.random.default_rng(9)
    return [check(record([game(rng), game(rng)]), profile) for _ in range(30)]


def test_the_interval_has_the_true_difference_in_it(of_the_same: list[verdict.ProfileCheck]):
    """The same tower: 0 lies in 95 % or more of 30 intervals (in 54 % would be seen, 99 in 100)."""
    result = [each.later for each in of_the_same]
    assert sum(part.between[0] <= 0 <= part.between[1] for part in result) >= stats.binom.ppf(1 - CERTAIN, 30, 0.95)
    assert all(part.between[0] <= part.out - part.predicted <= part.between[1] for part in result)


def test_drops_added_one_at_a_time_tell_what_all_at_once_do(profile: Reference):
    row = record([game(np.random.default_rng(6)), game(np.random.default_rng(7))])[:45]
    whole = check(row, profile)
    for i in (1, 2, 20, 36, 37, 45):
        part = check(row[:i], profile)
        assert part.e == pytest.approx(whole.e[:i])
        assert part.colours.e == pytest.approx(whole.colours.e[:i])


def test_drops_the_reference_did_not_visit_are_left_out_and_counted(profile: Reference):
    row = record([game(np.random.default_rng(8))])[:3]
    row += [Record(0, *({"blue": n} | dict.fromkeys(COLOURS[1:], 0) for n in (30, 30, 0)), game=2)]
    row += [Record(1, *({"blue": n} | dict.fromkeys(COLOURS[1:], 0) for n in (30, 9, 21)), game=2)]
    row += [Record(2, *({"blue": n} | dict.fromkeys(COLOURS[1:], 0) for n in (0, 1, 20)), game=2)]
    result = check(row, profile)
    assert result.skipped == {
        "first drop of other than the 49 cubes that 8 or more reference games began with": 1,
        f"outside what the reference games visited: {profile.thrown[0]} to {profile.thrown[1]} thrown": 1,
        "nothing thrown": 1,
    }
    assert result.e[3:] == (result.e[2],) * 3
    assert result.setup.drops + result.later.drops == 3
    assert "- Left out: 1 drop, nothing thrown" in make(result).text()


@each_case("mark", ["knock", "spilled", "miscount", "emptied", "recount", "beside"])
def test_no_bet_is_made_on_a_drop_that_no_model_predicts(mark: str, profile: Reference):
    row = record([game(np.random.default_rng(8))])[:6]
    last = replace(row[5], out={c: min(n, row[5].thrown[c]) for c, n in row[5].out.items()})
    now = replace(row[4], marks=(mark,), inside=dict.fromkeys(COLOURS, 0) if mark == "emptied" else row[4].inside)
    plain, marked = check([*row[:5], last], profile), check([*row[:4], now, last], profile)
    if mark == "beside":
        assert marked == plain
        return
    assert marked.e[:4] == plain.e[:4] == (*marked.e[:3], marked.e[4])
    assert marked.colours.e[3] == marked.colours.e[4] != plain.colours.e[4]
    assert marked.skipped[f"marked {mark}"] == 1
    assert follow([*row[:4], now, last], profile.ages)[1].drops[5] == (0 if mark == "emptied" else 5)
    held = follow([*row[:4], now], profile.ages)[1].ages.sum(1)
    assert mark == "emptied" or held == pytest.approx([*now.inside.values()], abs=1e-6)


def test_the_laws_of_colours_are_those_of_enumeration():
    cubes, weights, out = np.array([2, 3, 1]), np.array([1.0, 0.5, 3.0]), 3
    by_hand = [np.zeros(n + 1) for n in cubes]
    for counts in product(range(3), range(4), range(2)):
        if sum(counts) == out:
            chance = math.prod(math.comb(n, k) * w**k for n, k, w in zip(cubes, counts, weights, strict=True))
            for law, k in zip(by_hand, counts, strict=True):
                law[k] += chance
    for result, law in zip(colour_laws(cubes, weights, out), by_hand, strict=True):
        assert result == pytest.approx(law / law.sum())
    alike = colour_laws(cubes, np.full(3, 7.0), out)[1]
    assert alike == pytest.approx(stats.hypergeom.pmf(np.arange(4), 6, 3, out))


@each_case(("cubes", "out"), [((450, 50), 77), ((499, 1), 250), ((3, 497), 499), ((250, 250), 1)])
def test_the_laws_of_many_cubes_are_fishers(cubes: tuple[int, int], out: int):
    for odds in (0.01, 1.0, 40.0):
        law = colour_laws(np.array(cubes), np.array([odds, 1.0]) * 3, out)[0]
        k = np.arange(cubes[0] + 1)
        exact = stats.nchypergeom_fisher.pmf(k, sum(cubes), cubes[0], out, odds)
        assert law == pytest.approx(exact, rel=1e-6, abs=1e-12)


def test_colours_that_are_alike_are_rarely_suspected_though_their_ages_differ(of_the_same: list[verdict.ProfileCheck]):
    """30 records of 72 drops: e ever 20 in at most 5 % (46 % would be seen, 99 in 100)."""
    alarms = sum(max(each.colours.e) >= STRONG for each in of_the_same)
    assert alarms <= stats.binom.ppf(CERTAIN, 30, 0.05)


def test_a_sticky_colour_is_noticed_and_named(profile: Reference):
    """White with a fifth of the odds, three games: in 24 of 30 trials when measured; half of 12 is asked for."""
    rng = np.random.default_rng(10)
    result = [check(record([game(rng, sticky=0.2) for _ in range(3)]), profile).colours for _ in range(12)]
    flagged = [each for each in result if max(each.e) >= STRONG]
    assert len(flagged) >= 6
    assert all(max(each.evidence, key=lambda key: each.evidence[key]) == ("white", verdict.STICKS) for each in flagged)


def test_a_game_is_watched_with_the_age_of_every_cube():
    observed = watch_throws(CoinTower(0.7, 0.1), PUBLISHED, 3)
    inside = np.zeros(0, int)
    for each in observed:
        before = sorted(age for age in each.ages if age)
        assert before == sorted(inside + 1)
        assert each.ages.count(0) == sum(each.record.thrown.values())
        assert len(each.out_ages) == sum(each.record.out.values())
        inside = np.array(each.ages[len(each.out_ages) :], int)
        assert len(inside) == sum(each.record.inside.values())


def test_a_simulated_game_is_a_record_like_any_other(monkeypatch: pytest.MonkeyPatch):
    progress: list[object] = []

    @contextmanager
    def report_progress(what: str, total: int) -> Generator[SimpleNamespace]:
        progress.extend((what, total))
        yield SimpleNamespace(step=lambda: progress.append(1))

    monkeypatch.setattr(summaries, "report_progress", report_progress)
    (observed,) = observe(load("amerigo"), 1, 5)
    assert progress == ["games", 1, 1]
    night, look = follow([each.record for each in observed], FLAT)
    assert 30 < len(observed) <= 36  # a phase whose colour is all inside is skipped
    assert night.thrown.sum(1).tolist() == [each.ages.count(0) for each in observed]
    assert (night.thrown + look.before).sum(1).tolist() == [len(each.ages) for each in observed]
    assert night.out.sum(1).tolist() == [len(each.out_ages) for each in observed]
    assert look.ages.sum() == pytest.approx(sum(observed[-1].record.inside.values()), abs=1e-3)


def test_one_drop_is_a_drop_and_a_colour_that_was_never_thrown_is_not_conspicuous(profile: Reference):
    first = record([game(np.random.default_rng(3))])[0]
    half = COLOURS[len(COLOURS) // 2 :]
    thrown, out = ({name: 3 if name in half else 0 for name in COLOURS}, dict.fromkeys(COLOURS, 0) | {half[0]: 1})
    inside = {name: thrown[name] - out[name] for name in COLOURS}
    result = check([replace(first, thrown=thrown, out=out, inside=inside)], profile)
    assert {name for name, _ in result.colours.evidence} == {*half}
    text = make(result).text()
    assert any(f"Most conspicuous: {name}, " in text for name in half)
    assert text.startswith("This drop gives no reason to doubt that your tower is as the profile coins.")
    assert "1 drop beside 24 simulated games" in text
    assert "colours come out? e = " in text
    assert ": 1 drop gives no reason to doubt" in text
    assert not re.search(r"(?<![\d.,])1 drops", text)


def test_the_command_tells_the_same_in_words_and_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, profile: Reference
):
    monkeypatch.setattr(verdict, "fit_reference", lambda *_: profile)
    file = tmp_path / "mine.csv"
    write_records(file, record([game(np.random.default_rng(11))]))
    assert verdict.fairness_command(file, "amerigo", 24, 0, False, out=tmp_path / "report") == 0
    words = capsys.readouterr().out
    assert verdict.fairness_command(file, "amerigo", 24, 0, True) == 0
    document = json.loads(capsys.readouterr().out)
    numbers = (document["e"], document["colours"]["e"])
    assert (document["p"], document["p_colours"]) == tuple(1 / max(1, *e) for e in numbers)
    says, beside, sure, *rest = words.split("\n\n")
    assert (tmp_path / "report/report.md").read_text("utf-8").startswith(f"# {beside}\n\n{says}\n\n{sure}\n")
    assert says == "These 36 drops give no reason to doubt that your tower is as the profile coins."
    assert re.fullmatch(
        r"How sure: that is no proof. The true difference may be from \d\.\d fewer to \d\.\d more cubes out of each of "
        r"the later drops \(95 %\).",
        sure,
    )
    assert beside == "36 drops beside 24 simulated games of coins (seed 0)"
    assert f"How many come out? e = {document['e'][-1]:.3g}: 36 drops give no reason to doubt" in rest[0]
    assert (document["schema"], document["version"], len(document["e"])) == ("tower-sim/fairness", 1, 36)
    assert document["says"] == [says, sure]
    assert sum(document["later"]["evidence"].values()) == pytest.approx(1)
    assert document["colours"]["out"].keys() == set(COLOURS)


@each_case(
    ("games", "begins"),
    [
        ([{"sticky": 1.0}] * 2, "These 60 drops give no reason to doubt"),
        ([{"thrown_out": 0.95}] * 2, "Your tower is not as the profile coins: it lets more go ("),
        ([{"sticky": 0.02}] * 2, "Your tower is not as the profile coins: "),
    ],
)
def test_the_first_two_sentences_are_plain_and_right(games: list[dict[str, float]], begins: str, profile: Reference):
    rng = np.random.default_rng(12)
    result = check(record([game(rng, **each) for each in games])[:60], profile)
    says, sure = format_sentences(result)
    assert says.startswith(begins)
    assert sure.startswith("How sure: ")
    assert ("white leaves less readily than the other colours" in says) == (games[0].get("sticky", 1) < 1)
    hint = replace(result, e=(7.0,) * 60, colours=replace(result.colours, e=(1.0,) * 60))
    assert format_sentences(hint)[0].startswith("There is a hint, no more, that your tower is not as the profile")
    assert format_sentences(hint)[1].startswith("How sure: not sure. Of 7 towers that are as the profile coins, one ")
    for e, words in ((20.9, "quite sure. Of 20 towers"), (54321.0, "very sure. Of 54,321"), (1e200, "Of 1,000,000")):
        assert words in format_sentences(replace(hint, e=(e,) * 60))[1]


def one_colour(cubes: int, drops: int) -> list[Record]:
    """A record of `cubes` red cubes and a blue one, as somebody may mistype it; half of the red come out each time."""
    row = [Record(0, {"red": cubes, "blue": 1}, {"red": cubes // 2, "blue": 0}, {"red": cubes - cubes // 2, "blue": 1})]
    for number in range(1, drops):
        thrown, inside = row[-1].out["red"], row[-1].inside["red"]
        out = (thrown + inside) // 2
        row.append(Record(number, {"red": thrown, "blue": 0}, {"red": out, "blue": 0}, {"red": cubes - out, "blue": 1}))
    return row


@each_case("cubes", [450, 499])
def test_hundreds_of_cubes_of_one_colour_give_numbers(cubes: int, profile: Reference):
    """Here "e = nan: no reason to doubt" was once the answer."""
    for row in (one_colour(cubes, 1), one_colour(cubes, 5)):
        result = check(row, profile)
        assert np.isfinite([*result.e, *result.colours.e, *result.colours.expected.values()]).all()
        assert "nan" not in make(result).text()
        plain = json.loads(json.dumps(make_document(result), allow_nan=False))
        assert (plain["setup"]["drops"], plain["setup"]["out"], plain["setup"]["between"]) == (0, None, None)


def test_no_verdict_comes_from_what_is_no_number(profile: Reference):
    result = check(record([game(np.random.default_rng(13))]), profile)
    in_colours = replace(result, colours=replace(result.colours, e=(math.inf,) * 36))
    for broken in (replace(result, e=(*result.e[:-1], math.nan)), in_colours):
        assert "Nothing can be said of your tower: the evidence of these drops is beyond" in make(broken).text()
        assert "No verdict, since the evidence is beyond what numbers can hold" in make(broken).text()
        plain = json.loads(json.dumps(make_document(broken), allow_nan=False))
        assert plain["says"][0].startswith("Nothing can be said of your tower")
        assert None in (plain["e"][-1], plain["colours"]["e"][-1])


def test_a_record_without_a_drop_to_compare_says_so(profile: Reference):
    result = check([Record(0, {"red": 20}, {"red": 9}, {"red": 11})], profile)
    says, sure = format_sentences(result)
    assert says == "Nothing can be said of your tower: of 1 drop none can be compared with the profile coins."
    assert "1: first drop of other than the 49 cubes" in sure


@pytest.mark.parametrize("is_free", [False, True])
def test_reference_games_throw_what_was_recorded_as_far_as_it_lies_outside(is_free: bool):
    """What is thrown comes from the colours that lie outside; free throws have cubes enough."""
    counts = [{"red": 20, "blue": 10}, {"red": 9, "blue": 0}, {"red": 0, "blue": 0}, {"red": 0, "blue": 15}]
    row = [Record(i, n, dict.fromkeys(n, 0), {}, 1, is_free) for i, n in enumerate(counts)]
    (requests,) = list_throws(row)
    assert requests is not None
    observed = watch_throws(CoinTower(p_out=0.4, p_resident=0.3), requests, 5)
    assert [each.record.thrown for each in observed][::2][0] == counts[0]
    outside = {"red": 20, "blue": 10}
    for each, counts_recorded in zip(observed, [counts[0], counts[1], counts[3]], strict=True):
        thrown = {c: n if is_free else min(n, outside[c]) for c, n in counts_recorded.items()}
        assert each.record.thrown == thrown
        assert sum(each.record.inside.values()) == len(each.ages) - len(each.out_ages)
        assert each.ages.count(0) == sum(thrown.values())
        outside = {c: outside[c] - thrown[c] + each.record.out[c] for c in outside}
    assert watch_throws(CoinTower(p_out=0.4, p_resident=0.3), requests, 5) == observed


def test_a_published_game_is_thrown_as_published_and_equal_games_once(profile: Reference):
    game_of_42 = Record(0, {"any": 42}, {"any": 20}, {"any": 22})
    rows = [*record([game(np.random.default_rng(1))] * 2), replace(game_of_42, game=3), replace(game_of_42, game=4)]
    assert list_throws(rows) == (PUBLISHED, RecordedThrows(((("any", 42),),), is_free=False))
    assert list_throws([Record(0, {"any": 0}, {"any": 0}, {"any": 0})]) == (PUBLISHED,)


def coins(p_out: float, series: int, seed: int) -> list[list[AgedDrop]]:
    """Free throws of 10, 15, 5 and 12 cubes into a tower of coins, and of 20 alone."""
    kinds = RecordedThrows(tuple((("any", n),) for n in (10, 15, 5, 12)), True), RecordedThrows(((("any", 20),),), True)
    return [watch_throws(CoinTower(p_out, p_out / 4), kinds[i % 2], seed + i) for i in range(series)]


@pytest.fixture(name="of_throws", scope="module")
def _of_throws() -> Reference:
    return learn("coins", coins(0.6, 32, 0), 0)


@pytest.mark.parametrize(("p_out", "begins"), [(0.6, "These 60 drops give no reason"), (0.85, "Your tower is not as")])
def test_free_throws_are_held_against_the_same_throws(p_out: float, begins: str, of_throws: Reference):
    """Of 60 other records 0.6 is suspected in none, 0.85 and 0.75 are noticed in all (so 1 in 20 at most fail)."""
    law = of_throws
    assert sorted(law.law.setups) == [10, 20]
    row = record(coins(p_out, 24, 1000))
    result = check(row, law)
    assert format_sentences(result)[0].startswith(begins)
    assert (result.setup.drops, result.drops, result.colours.drops) == (24, 60, 0)
    assert result.later.drops + sum(result.skipped.values()) == 36


def test_single_throws_into_the_empty_tower_need_no_later_drop():
    law = learn("coins", [[each[0]] for each in coins(0.6, 24, 0)], 0)
    assert law.law.later is None
    row = [Record(0, {"any": 20}, {"any": 12}, {"any": 8}), Record(1, {"any": 3}, {"any": 1}, {"any": 10})]
    result = check(row, law)
    assert result.setup.drops == 1
    assert result.skipped == {"later drops, to which fewer than 8 reference games came": 1}


def test_ctrl_c_ends_in_one_line(monkeypatch: pytest.MonkeyPatch):
    def stop(*_: object) -> Reference:
        raise KeyboardInterrupt

    monkeypatch.setattr(verdict, "fit_reference", stop)
    done = here("tower", "test", "my_tower")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "tower-sim: interrupted\n")


@each_case(
    ("words", "says"),
    [
        (["my_tower", "--games", "7"], "games is 7; allowed is a whole number from 8 to 10000"),
        (["my_tower", "--games=-1"], "games is -1; allowed is a whole number from 8 to 10000"),
        (["my_tower", "--games", "1000000000"], "games is 1000000000; allowed is a whole number from 8 to 10000"),
        (["my_tower", "--games", "9" * 5000], "9'; allowed is a whole number from 8 to 10000"),
        (["my_tower", "--seed=-1"], "allowed is a whole number from 0 to 2^128 - 1"),
        (
            ["rulebook-setup"],
            "'rulebook-setup' is an observation; allowed is records of drops; give it to tower-sim tower fit",
        ),
        (["/dev/zero"], "allowed is a regular file"),
        (["x" * 300], "cannot be read: no file has so long a name"),
    ],
)
def test_what_fairness_cannot_take_is_one_line(words: list[str], says: str):
    line = refusal("tower", "test", *words)
    assert says in line
    assert len(line) < 700


def test_a_reference_refuses_what_cannot_be():
    with pytest.raises(UsageError, match="games is 3; allowed is a whole number from 8 to 10000"):
        fit_reference(load("amerigo"), 3, 0)
    with pytest.raises(UsageError):
        fit_reference(load("dead_reckoning"), 8, 0)
    with pytest.raises(UsageError, match="0 reference games came to a later drop"):
        learn("none", [[]] * 9, 0)


def test_a_reference_draws_as_many_laws_as_said_from_its_seed(of_throws: Reference):
    assert learn("coins", coins(0.6, 32, 0), 0) == of_throws
    assert len(set(of_throws.drawn)) == LAWS
