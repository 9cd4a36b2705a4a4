"""The report on single observations: what agrees, what must give way, and what is told of the colours."""

import csv
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from support.calibrations import MADE
from support.coins import Quadratic, drawn, play, told_by_hand

from tower_sim.calibration.answers import ODD, Verdict, in_plain_words, sentence, verdicts
from tower_sim.calibration.bands import bands, played
from tower_sim.calibration.conflict import choice, conflict, leaving, one_by_one, what_was_said
from tower_sim.calibration.evidence import ColoursOut, Evidence, Within, of_the_real_tower, read
from tower_sim.calibration.findings import SHORT, warnings
from tower_sim.calibration.fit import PULLED, TOLD, ClueCheck, Fit, fit
from tower_sim.calibration.leaving import leaving as leaving_of
from tower_sim.calibration.parameters import NUMBERS
from tower_sim.calibration.result import Calibration
from tower_sim.calibration.summaries import EVERY, SUMMARIES
from tower_sim.calibration.writeup import in_short
from tower_sim.campaign import parse, run
from tower_sim.campaign.reader import load_whole
from tower_sim.study.sheets import Sheets

pytestmark = pytest.mark.whole


@cache
def fitted() -> Fit:
    """All evidence of the real tower, and a throw that contradicts it, fitted to towers of coins."""
    unit, rng = drawn(200, 1), np.random.default_rng(2)
    odd = Evidence("odd", "", "", "photograph", (), (), clues=(ColoursOut(9, 1, 1),))
    evidence = [*(each for name in of_the_real_tower() for each in read(name)), odd]
    return fit(Quadratic(unit, play(unit, 4, rng)), evidence, rng, sample=2**11)


def calibration() -> Calibration:
    return replace(MADE, fit=fitted())


@pytest.fixture(name="report", scope="module")
def _report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sheets = Sheets(tmp_path_factory.mktemp("conflict"))
    for section in (one_by_one, conflict, choice):
        section(sheets, calibration())
    sheets.close()
    return sheets.out / "report.md"


def table(report: Path, name: str) -> list[dict[str, str]]:
    with (report.parent / f"tables/{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_single_observation_has_its_place_in_the_report(report: Path):
    rows, evidence = table(report, "observations"), fitted().evidence
    assert len(rows) == sum(len(entry.windows) + len(entry.clues) for entry in evidence)
    assert {row["name"] for row in rows} == {*of_the_real_tower(), "odd"}
    for row in rows:
        assert row["name"] == evidence[int(row["entry"]) - 1].name
        assert 0 <= float(row["place"]) <= 1
        assert 0 <= float(row["by the others"]) <= 1


def test_each_that_lies_outside_has_a_sentence_and_no_other(report: Path):
    text = report.read_text("utf-8")
    outside = [row["name"] for row in table(report, "observations") if row["it is"] == "**outside**"]
    assert "odd" in outside
    assert [line.split(" ")[1] for line in text.splitlines() if line.startswith("- ")] == outside
    (told,) = re.findall(r"so they tell little: (.*)\.", text)
    expected = {row["name"] for row in table(report, "observations") if row["it is"] == "to be expected"}
    assert set(told.split(", ")) == expected
    for row in table(report, "observations"):
        is_odd = float(row["place"]) < ODD or (float(row["place"]) > 1 - ODD and row["read as"] == "number")
        assert (row["it is"] == "**outside**") == is_odd


def test_what_all_others_speak_against_must_give_way(report: Path):
    text = report.read_text("utf-8")
    assert "speaks against 1 observation, which must give way" in text
    assert "odd (1 colour in 9 cubes out" in text
    assert any("contradicts 1 of" in warning for warning in warnings(calibration()))
    assert "odd (1 colour in 9 cubes out) has a chance of" in in_short(calibration())


def test_where_the_fit_would_go_without_each_source_is_listed_by_how_far(report: Path):
    rows = table(report, "pulls")
    assert rows[0]["source"] == "all of it"
    pulls = {pull.name or "all of it": pull for pull in fitted().pulls}
    assert {row["source"] for row in rows} == set(pulls) == {"all of it", *of_the_real_tower(), "odd"}
    for row in rows:
        pull = pulls[row["source"]]
        for target in PULLED:
            assert float(row[f"{SHORT[target]}, alone"]) == pytest.approx(pull.alone[target].middle, rel=1e-5)
            assert float(row[f"{SHORT[target]}, without, high"]) == pytest.approx(pull.without[target].high, rel=1e-5)


def test_the_colours_told_are_the_posteriors(report: Path):
    rows = table(report, "colours")
    assert [row["long-run"] for row in rows] == [SUMMARIES[name].words for name in TOLD]
    for row, name in zip(rows, TOLD, strict=True):
        assert float(row["posterior (90 %)"]) == pytest.approx(fitted().posterior.interval(name).middle, rel=1e-5)
        assert float(row["prior (90 %), low"]) == pytest.approx(fitted().prior.interval(name).low, rel=1e-5)
    assert (report.parent / "plots/colours.png").read_bytes().startswith(b"\x89PNG")


def test_the_first_words_tell_how_many_actions_there_are_to_choose_from():
    says, sure = in_plain_words(calibration())
    single = fitted().posterior.interval("single")
    assert f"in {round(10 * (1 - single.middle))} of 10 phases there are two actions or more to choose from" in says
    low, high = (100 * (1 - end) for end in (single.high, single.low))
    assert f"two actions or more in {low:.0f} to {high:.0f} % of the phases" in sure


def test_a_fit_without_clues_says_nothing_of_them(tmp_path: Path):
    sheets = Sheets(tmp_path)
    bare = replace(MADE, fit=replace(MADE.fit, predictive=(), clues=(), pulls=()))
    for section in (one_by_one, conflict, choice):
        section(sheets, bare)
    assert not sheets.lines
    assert "to choose from" not in in_plain_words(bare)[0]


def test_no_conflict_is_said_too(tmp_path: Path):
    sheets = Sheets(tmp_path)
    agreed = replace(
        fitted(),
        predictive=(),
        held_out=(),
        clues=(ClueCheck("several-a", "x", 0.5, 0.4), ClueCheck("little-choice", "y", 0.99, 0.98)),
    )
    for section in (one_by_one, conflict):
        section(sheets, replace(MADE, fit=agreed))
    text = "\n".join(sheets.lines)
    assert "No observation is spoken against by all the others" in text
    assert "None lies outside 0.05 to 0.95 but clues that were to be expected." in text
    (idle,) = [each for each in verdicts(agreed) if each.is_idle]
    assert sentence(idle).startswith("little-choice (y) was to be expected")


def test_how_fast_residents_leave_is_counted_cube_by_cube(tmp_path: Path):
    """Of the 2/3-1/3 rule a third of all residents leave in every drop, however long they lie; counted here by hand."""
    spec = parse('[campaign]\nkind = "game"\napparatus = "amerigo"\nmodel = "two_thirds"\ngames = 6\nseed = "5"\n')
    run(spec, tmp_path / "games")
    campaign = load_whole(tmp_path / "games")
    found = leaving_of(campaign)
    cubes = campaign.cubes
    for row in found:
        at_risk = out = 0
        for i in range(len(cubes)):
            if not cubes.thrown[i] and row.first <= cubes.age[i] <= row.last:
                at_risk += 1
                out += bool(cubes.out[i])
        assert (row.at_risk, row.share.value) == (at_risk, pytest.approx(out / at_risk))
        assert 0 <= row.share.low < row.share.value < row.share.high <= 1
    assert sum(row.at_risk for row in found) == int((~cubes.thrown).sum())
    whole = sum(row.share.value * row.at_risk for row in found) / sum(row.at_risk for row in found)
    assert whole == pytest.approx(1 / 3, abs=4 * np.sqrt(2 / 9 / sum(row.at_risk for row in found)))

    sheets = Sheets(tmp_path / "report")
    leaving(sheets, replace(MADE, chosen=replace(MADE.chosen, leaving=found)))
    sheets.close()
    rows = table(sheets.out / "report.md", "leaving")
    assert [int(row["cubes inside before a drop"]) for row in rows] == [row.at_risk for row in found]
    assert f"stayed in the drop before, {100 * found[0].share.value:.0f} % leave" in sheets.lines[2]


def test_what_players_say_is_held_against_the_games_of_the_chosen_tower(tmp_path: Path):
    point = np.full((1, len(NUMBERS)), 0.5)
    games = play(point, 12, np.random.default_rng(4)).take(0)
    gave = played(games)
    by_game = [
        sum(games.colours[i, d] == 1 for d in range(1, 36) if games.out[i, d]) / sum(games.out[i, 1:] > 0)
        for i in range(12)
    ]
    assert gave["single"].mean == pytest.approx(np.mean(by_game))
    assert gave["single"].se == pytest.approx(np.std(by_game, ddof=1) / 12**0.5)
    assert gave["setup"].mean == pytest.approx(games.inside[:, 0].mean())
    assert gave["leads"].mean == pytest.approx(
        told_by_hand(play(point, 400, np.random.default_rng(5)), "leads"), abs=0.05
    )

    sheets = Sheets(tmp_path)
    share = gave["single"].mean
    said = Evidence("far", "", "", "impression", (), (), clues=(Within(EVERY["single"], share + 0.1, 1.0),))
    fit = replace(fitted(), evidence=(*fitted().evidence, said))
    what_was_said(sheets, replace(MADE, fit=fit, chosen=replace(MADE.chosen, played=gave)))
    sheets.close()
    rows = {row["said by"]: row for row in table(sheets.out / "report.md", "said")}
    assert set(rows) == {each.name for each in bands(fit.evidence, gave)} >= {"little-choice", "most-come-out", "far"}
    assert rows["far"]["it is"] == "**outside**"
    assert rows["most-come-out"]["it is"] == "within"
    assert float(rows["far"]["the chosen tower"]) == pytest.approx(share, rel=0.01)
    assert "far (share with one colour" in sheets.lines[2]


def test_three_colours_or_more_are_many_and_two_are_not():
    games = play(np.full((1, len(NUMBERS)), 0.5), 12, np.random.default_rng(4)).take(0)
    shares = [
        np.mean([n >= 3 for n, out in zip(c[1:], o[1:], strict=True) if out])
        for c, o in zip(games.colours, games.out, strict=True)
    ]
    assert played(games)["many"].mean == pytest.approx(np.mean(shares))


def test_a_chance_of_nothing_by_the_others_is_told_as_it_is():
    assert Verdict(1, "odd", "one colour", is_clue=True, place=0.4, others=0.0).by_others == 0.0
    assert Verdict(1, "odd", "one colour", is_clue=True, place=0.4, others=None).by_others == 0.4
