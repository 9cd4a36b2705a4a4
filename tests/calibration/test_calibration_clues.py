"""What players saw of colours, as evidence: chances by enumeration and integration, and where they move a fit."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import expit, ndtr
from scipy.stats import norm
from support.cases import each_case
from support.coins import leaving, play, towers
from support.known import KnownTowers
from support.recorded import WORDS

from tower_sim.calibration import evidence, records
from tower_sim.calibration.evidence import ColoursOut, Evidence, LeastOut, ThrownLeads, Within
from tower_sim.calibration.fit import Fit, fit
from tower_sim.calibration.law import Keep, Means, chance, law, log_chance
from tower_sim.calibration.observations import read_folder
from tower_sim.calibration.reference import read_usable
from tower_sim.calibration.summaries import EVERY, SETUP, SUMMARIES, Discrepancy
from tower_sim.errors import UsageError
from tower_sim.results import TOTALS, many_key, single_key

NOT_OFF = Discrepancy(*[0.0] * 8)


def read(name: str | Path) -> tuple[Evidence, ...]:
    return read_usable([evidence.shipped().get(str(name), Path(name))]).evidence


def means(known: Mapping[str, float], error: float = 0.0, off: Discrepancy = NOT_OFF) -> Means:
    return Means(KnownTowers(known, error), off)  # type: ignore[arg-type]


def odds(share: float) -> float:
    return float(np.log(share / (1 - share)))


@given(st.floats(0.02, 0.98), st.floats(0.02, 0.98), st.integers(1, 49))
def test_the_numbers_of_colours_share_all_chance_as_the_tree_of_shares_says(one: float, three: float, total: int):
    near = TOTALS[0] if total < 8 else TOTALS[1]
    of = means({single_key(near): odds(one), many_key(near): odds(three)})
    chances = [float(chance(ColoursOut(total, n, most), of)[0]) for n, most in ((1, 1), (2, 2), (3, 7))]
    assert chances == pytest.approx([one, (1 - one) * (1 - three), (1 - one) * three])
    assert float(chance(ColoursOut(total, 1, 2), of)[0]) == pytest.approx(chances[0] + chances[1])
    assert float(chance(ColoursOut(total, 5, 5), of)[0]) == pytest.approx(chances[2])  # as all from three on


def test_the_likelihood_of_three_throws_is_the_product_of_their_shares_to_the_power_of_their_doubt():
    known = {single_key((5, 7)): odds(0.4), many_key((5, 7)): odds(0.25), "leads": odds(0.9)}
    known |= {single_key((8, 10)): odds(0.2), many_key((8, 10)): odds(0.5)}
    throws = [
        Evidence("a", "", "", "photograph", (), (), doubt=1.5, clues=(ColoursOut(6, 2, 2), ThrownLeads(leads=True))),
        Evidence("b", "", "", "illustration", (), (), doubt=4.0, clues=(ColoursOut(9, 3, 3),)),
        Evidence("c", "", "", "illustration", (), (), doubt=1.0, clues=(ColoursOut(5, 1, 1), ThrownLeads(leads=False))),
    ]
    result = law(KnownTowers(known, number=2), throws, NOT_OFF, ["setup"])  # type: ignore[arg-type]
    by_hand = np.log(0.6 * 0.75 * 0.9) / 1.5 + np.log(0.8 * 0.5) / 4 + np.log(0.4 * 0.1)
    assert result.scores(np.zeros(0), Keep(np.zeros(0, int), np.arange(5))) == pytest.approx([by_hand] * 2)
    assert result.scores(np.zeros(0), Keep(np.zeros(0, int), np.array([2]))) == pytest.approx([np.log(0.4) / 4] * 2)


def test_a_range_of_numbers_out_holds_nine_phases_of_ten():
    plain = Evidence("a", "", "", "impression", (), ())
    mean, spread = evidence._convert_number(plain, "out", (4, 14))
    sd = 5 / norm.ppf(0.95)
    scale = SUMMARIES["out"].scale
    assert (mean.values[0], spread.values[0]) == pytest.approx((scale(9), SUMMARIES["spread"].scale(sd)), abs=1e-3)
    assert mean.sd == pytest.approx((scale(9 + sd / 2) - scale(9 - sd / 2)) / 2, abs=1e-3)


@given(st.floats(-3, 3), st.floats(0.01, 1.0))
def test_a_share_is_the_mean_over_what_may_be_wrong_with_its_log_odds(mean: float, wrong: float):
    """MacKay's approximation errs by less than 0.008 of the variance."""
    near = TOTALS[0]
    of = means({single_key(near): mean}, error=wrong)
    exact = quad(lambda x: expit(x) * norm.pdf(x, mean, wrong), mean - 8 * wrong, mean + 8 * wrong)[0]
    assert float(chance(ColoursOut(6, 1, 1), of)[0]) == pytest.approx(exact, abs=0.008 * wrong**2)


@given(st.floats(0.05, 0.5), st.floats(0.55, 0.95), st.floats(-3, 3), st.floats(0.02, 1.0), st.floats(0.02, 0.5))
def test_bounds_have_the_chance_that_integration_gives(low: float, high: float, mean: float, wrong: float, soft: float):
    clue = Within(EVERY["single"], low, high, soft)
    ends = [odds(low), odds(high)]

    def density(x: float) -> float:
        return norm.pdf(x, mean, wrong) * (ndtr((ends[1] - x) / soft) - ndtr((ends[0] - x) / soft))

    exact = quad(density, mean - 9 * wrong, mean + 9 * wrong, limit=200)[0]
    assert float(chance(clue, means({"single": mean}, error=wrong))[0]) == pytest.approx(exact, abs=1e-5)


def test_an_end_that_nothing_comes_beyond_is_no_end():
    assert Within(EVERY["single"], 0.0, 1.0).ends == (-np.inf, np.inf)
    assert Within(SETUP, 0.0, 24.5).ends == (-np.inf, pytest.approx(float(SUMMARIES["setup"].scale(24.5))))
    assert chance(Within(EVERY["leads"], 0.0, 1.0), means({})) == pytest.approx([1.0])


def test_at_least_so_many_have_the_chance_of_single_phases():
    """A phase varies by the spread over phases, the games' own and what may be wrong: 200,000 drawn, se 0.001."""
    known = {"out": float(np.log(6.25)), "spread": float(np.log(2.25))}
    rng, error = np.random.default_rng(1), 0.1
    of = means(known, error)
    drawn_out = rng.normal(known["out"], np.sqrt((2.25 / 6.25) ** 2 + 0.1**2 + error**2), 200_000)
    assert float(chance(LeastOut(7), of)[0]) == pytest.approx(np.mean(drawn_out > np.log(6.75)), abs=0.005)
    assert float(log_chance(LeastOut(7), of)[0]) == pytest.approx(np.log(chance(LeastOut(7), of)[0]))
    assert np.isfinite(log_chance(LeastOut(49), means({"out": -1.0, "spread": -9.0}))).all()


def test_each_observation_of_the_issue_is_there_and_says_what_it_saw():
    result = {each.name: evidence.of_observation(each) for each in read_folder()}
    silent = {"knock", "memory", "sibling-floors", "bars", "box", "ramp", "sibling-throw"}
    assert {name for name, line in result.items() if not line} == silent
    (setup,) = result["caption-setup"]
    assert (setup.windows, setup.doubt) == ((SETUP,), 1.5)
    assert SUMMARIES["setup"].back(setup.values[0]) == pytest.approx(15)
    (phase,) = result["rulebook-phase"]
    assert phase.clues == (ColoursOut(8, 4, 4), ThrownLeads(leads=True))
    assert SUMMARIES["out"].back(phase.values[0]) == pytest.approx(8)
    (film,) = result["filmed-throw"]
    assert (film.windows, film.clues) == ((), (LeastOut(7), ColoursOut(7, 3, 3)))
    assert result["little-choice"][0].clues == (Within(EVERY["single"], 0.05, 0.25),)
    assert result["several-a"][0].clues == (Within(EVERY["single"], 0.0, 0.5),)
    assert result["most-come-out"][0].clues == (Within(SETUP, 0.0, 24.5),)
    (points,) = result["rulebook-points"]
    assert (points.windows, points.games, points.doubt) == ((EVERY["points"],), 2, 4.0)
    assert {each.name: bool(each.justifies) for each in read_folder() if each.name in silent} == {
        name: name not in ("knock", "memory", "sibling-throw") for name in silent
    }


@each_case(
    ("text", "says"),
    [
        (WORDS.replace("weak: z", "z"), "allowed is strong, moderate, weak, very weak"),
        (f"{WORDS}share_single = [0.5, 0.2]", "two numbers from 0 to 1, the smaller first"),
        (f"{WORDS}share_leads = [0.5, 1.5]", "two numbers from 0 to 1"),
        (f"{WORDS}share_several = [0.5, nan]", "finite number"),
        (f"{WORDS}share_ones = 0.1", "two numbers from 0 to 1"),
        (
            f'{WORDS}records = "../night.csv"',
            "bad.records is '../night.csv'; allowed is the name of a .csv in the fo",
        ),
        (
            f'{WORDS}records = "night.ods"',
            "bad.records is 'night.ods'; allowed is the name of a .csv in the folder",
        ),
        (f"{WORDS}setup_at_most = 50", "a whole number from 0 to 49"),
        (f"{WORDS}least_out = 0", "a whole number from 1 to 49"),
        (f"{WORDS}least_out = true", "a whole number from 1 to 49"),
        (f"{WORDS}colours_out = [0, 3]", "two whole numbers from 1 to 7"),
        (f"{WORDS}points = [0]", "a list of up to 20 whole numbers from 1"),
        (f'{WORDS}use = "no"', "true or false"),
        (f"{WORDS}justifies = 3", "a text of up to 2000 characters"),
        (
            WORDS.replace("impression", "rumour"),
            "bad.kind is 'rumour'; allowed is one of measurement, photograph",
        ),
        ('says = "x"\nkind = "impression"\nstrength = "weak: z"', "bad.source is missing"),
        (f'{WORDS}colour = "red"', "bad.colour is unknown; allowed are says, source"),
        ("says = ", "is not TOML"),
        (f"{WORDS}out = {{ red = -1 }}", "a whole number from 0 to 49"),
        (f"{WORDS}out = {{ red = 40, blue = 10 }}", "by colour, up to 49 in all"),
        (f"{WORDS}thrown = 49", "whole numbers from 0 by colour"),
        (f"{WORDS}out_total = [9, 4]", "two whole numbers from 0 to 49, the smaller first"),
        (f"{WORDS}inside_in_play = [40, 60]", "two whole numbers from 0 to 49"),
        (f"{WORDS}from_empty = 1", "true or false"),
        (WORDS.replace("x", "x" * 2001), "a text of 1 to 2000 characters"),
        ("#" * 100_001, "more than 100000 bytes"),
        (f"{WORDS}out = {{ red = 3 }}\nleast_out = 3", "out and least_out"),
        (f"{WORDS}out = {{ red = 3 }}\ncolours_out = [1, 1]", "out and colours_out"),
        (
            f"{WORDS}figures = {{ choice = [2.5, 3.0] }}",
            "figures of observation bad is 'choice'; allowed is one of",
        ),
        (f"{WORDS}figures = {{ actions = [3, 2] }}", "bad.actions is [3.0, 2.0]; allowed is two numbers from 0"),
    ],
)
def test_what_an_observation_may_not_say_is_refused_in_one_line(text: str, says: str, tmp_path: Path):
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(UsageError, match=r"bad") as caught:
        read(tmp_path / "bad.toml")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_weak_impression_weighs_less_than_a_strong_one(tmp_path: Path):
    doubts: list[float] = []
    for strength in ("strong", "moderate", "weak", "very weak"):
        text = f"{WORDS.replace('weak', strength)}share_single = [0.1, 0.3]\n"
        (tmp_path / "said.toml").write_text(text, "utf-8")
        doubts.append(read(tmp_path / "said.toml")[0].doubt)
    assert doubts == [1.0, 1.5, 2.0, 4.0]
    real = [read(name)[0].doubt for name in ("club-retained", "little-choice", "several-a")]
    assert real == [2.0, 2.0, 2.0]


def test_one_sentence_that_three_tell_counts_once():
    """Their likelihood together is that of one; what a source alone says, and numbers, count as they did."""
    names = ("several-a", "several-b", "several-c", "little-choice", "rulebook-setup", "review-a")
    apart = [read(name)[0] for name in names]
    together = evidence.count_once(apart)
    of = means({"single": odds(0.4)})
    several = [log_chance(entry.clues[0], of) / entry.doubt for entry in together[:3]]
    assert float(np.sum(several)) == pytest.approx(float(log_chance(apart[0].clues[0], of)[0] / apart[0].doubt))
    assert together[3:] == apart[3:]
    usable = read_usable([evidence.shipped()[name] for name in names])
    assert [entry.doubt for entry in usable.evidence[:3]] == [6.0] * 3


def test_what_is_kept_out_of_fits_says_so_when_it_is_asked_for():
    with pytest.raises(UsageError, match="kept out of fits") as caught:
        read("sibling-throw")
    assert "sibling" in str(caught.value)
    assert "sibling-throw" not in evidence.list_published()
    assert {"rulebook-phase", "little-choice", "caption-setup", "club-out"} <= set(evidence.list_published())


def test_colours_that_nobody_wrote_down_are_no_evidence(tmp_path: Path):
    lines = ["drop,thrown,out", "0,49,30", *(f"{drop},7,7" for drop in range(1, 20))]
    (tmp_path / "mine.csv").write_text("\n".join(lines))
    (game,) = read(tmp_path / "mine.csv")
    assert [window.summary for window in game.windows] == ["setup", "inside", "out", "spread"]
    (tmp_path / "free.csv").write_text("throw,thrown,out\n0,20,10\n1,5,5\n")
    with pytest.raises(UsageError, match="free throws; allowed here are games"):
        evidence.of_records(records.read(tmp_path / "free.csv"), "free.csv")


def fitted(evidence: Sequence[Evidence], checks: bool = False) -> Fit:
    return fit(towers(1024), evidence, np.random.default_rng(0), checks=checks)


def test_colours_move_the_fit_to_towers_that_let_residents_go():
    """Without physics: in these towers more colours come out just where residents leave faster."""
    (base,) = read("rulebook-setup")
    many = [each for name in ("rulebook-phase", "review-c", "review-d", "filmed-throw") for each in read(name)]
    clues = [replace(each, windows=(), values=(), doubt=1.0) for each in many]
    few = [
        Evidence("few", "", "", "photograph", (), (), clues=(ColoursOut(7, 1, 1), ColoursOut(8, 1, 1))),
        Evidence("few too", "", "", "photograph", (), (), clues=(Within(EVERY["single"], 0.5, 0.9),)),
    ]
    plain, more, less = fitted([base]), fitted([base, *clues]), fitted([base, *few])
    residents_leave = leaving(towers(1024).unit)[1]
    by_fit = [float(result.posterior.weight @ residents_leave) for result in (less, plain, more)]
    assert by_fit[0] + 0.05 < by_fit[1] < by_fit[2] - 0.005
    assert more.posterior.effective > 100


def test_what_is_told_of_the_colours_is_what_towers_of_the_posterior_do():
    """64 towers of the posterior play a game each: their means lie in the middle of what was told, within 20 %."""
    result = fitted([read("rulebook-setup")[0], *read("little-choice")], checks=True)
    chances = leaving(towers(1024).unit[result.posterior.tower[:64]])
    games = play(*chances, 1, np.random.default_rng(3))
    for name in ("colours", "points", "old"):
        played = SUMMARIES[name].back(EVERY[name].of(games)[:, 0])
        span = result.posterior.interval(name)
        assert float(np.median(played)) == pytest.approx(span.value, rel=0.2)
        assert span.width < result.prior.interval(name).width
    assert result.posterior.interval("single").high < 0.45


def test_any_figure_of_the_game_may_be_a_clue(tmp_path: Path):
    """A posterior that must have two actions to choose from and a half has more of them than the prior."""
    figures = "figures = { actions = [2.5, 3.0], most_inside = [5, 30] }\n"
    (tmp_path / "choice.toml").write_text(f"{WORDS}{figures}", "utf-8")
    (result,) = read(tmp_path / "choice.toml")
    bounds = [clue for clue in result.clues if isinstance(clue, Within)]
    assert [clue.window.summary for clue in bounds] == ["actions", "most_inside"]
    assert bounds[0].ends == pytest.approx(np.log([2.75, 3.25]))
    assert Within(EVERY["actions"], 0.0, 9.0).ends == (-np.inf, pytest.approx(np.log(9.25)))
