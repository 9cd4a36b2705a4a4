"""The report of a calibration of towers of coins: its bytes, its sentences, and every number that it quotes."""

import csv
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from support import coins
from support.cases import each_case

from tower_sim.calibration.evidence import NORMAL, PHASE, Evidence, ThrownLeads, Within
from tower_sim.calibration.fit import CLOGS, Posterior, fit
from tower_sim.calibration.law import TARGETS, TOLD
from tower_sim.calibration.prior import NUMBERS
from tower_sim.calibration.report import (
    FEW,
    LEVELS,
    SHOWN,
    Calibration,
    Learnt,
    compare_numbers,
    format_sentences,
    list_warnings,
    make,
)
from tower_sim.calibration.summaries import EVERY, SETUP, SUMMARIES, WHOLE
from tower_sim.results import Estimate, show


@cache
def calibration() -> Calibration:
    games = coins.play(*coins.leaving(np.full((1, 10), 0.6)), 1, np.random.default_rng(1))
    windows = (SETUP, WHOLE["inside"], WHOLE["out"], WHOLE["own"])
    values = tuple(float(window.of(games)[0, 0]) for window in windows)
    evidence = (
        Evidence("mine.csv, game 1", "36 recorded drops", "mine.csv", "measurement", windows, values),
        Evidence(
            "a|book", "8 | come\nout", "a book", "worked example", (WHOLE["out"],), (np.log(6.25),), PHASE, doubt=2
        ),
        Evidence("club", "about 6", "a club", "impression", (WHOLE["inside"],), (values[1] + 0.1,), NORMAL, sd=0.3),
        Evidence("photo", "red leads", "a page", "photograph", (), (), clues=(ThrownLeads(leads=True),)),
        Evidence("little", "seldom one", "a page", "impression", (), (), clues=(Within(EVERY["single"], 0.0, 0.6),)),
    )
    fitted = fit(coins.towers(), evidence, np.random.default_rng(2))
    does = {name: (float(SUMMARIES[name].back(coins.towers().at(EVERY[name]).mean[7])), 0.25) for name in TARGETS}
    again = "tower-sim tower fit x -o mine.toml"
    return Calibration("mine", fitted, 384, 768, "Its means are usual.", does, again, ("a note",))


def tables(report: Path) -> dict[str, list[list[str]]]:
    files = (report.parent / "tables").iterdir()
    return {file.stem: list(csv.reader(file.read_text("utf-8").splitlines())) for file in files}


def is_said(cells: list[str], span: Estimate) -> bool:
    """Whether three cells have an interval: its middle and its ends."""
    return [float(cell) for cell in cells] == pytest.approx((span.value, span.low, span.high), rel=1e-5)


@pytest.fixture(name="report", scope="module")
def _report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    make(calibration()).write(folder := tmp_path_factory.mktemp("report") / "mine.calibration")
    return folder / "report.md"


def test_the_same_calibration_gives_the_same_bytes(report: Path, tmp_path: Path):
    make(calibration()).write(again := tmp_path / "mine.calibration")
    files = sorted(file.relative_to(again) for file in again.rglob("*") if file.is_file())
    assert len(files) > 8
    for file in files:
        assert (again / file).read_bytes() == (report.parent / file).read_bytes(), file


def test_two_sentences_come_first_and_say_what_the_fit_says(report: Path):
    title, _, what, _, sure = report.read_text("utf-8").splitlines()[:5]
    assert title == "# Calibration of mine"
    assert (what, sure) == format_sentences(calibration().fit)
    posterior = calibration().fit.posterior
    setup, inside, out = (posterior.interval(name) for name in TARGETS)
    match = re.fullmatch(
        r"Such a tower keeps about (\d+) of 49 cubes after the set-up and about (\d+) in play, and about (\d+) come "
        r"out in a phase; (\d+|nearly all|hardly any)( of 10)? phases offer two actions or more\.",
        what,
    )
    assert match
    assert [int(match[i]) for i in (1, 2, 3)] == [round(each.value) for each in (setup, inside, out)]
    choice = 10 * (1 - posterior.interval("single").value)
    assert match[4] == {0: "hardly any", 10: "nearly all"}.get(round(choice), f"{choice:.0f}")
    match = re.fullmatch(
        r"90 % of the towers that agree keep ([\d.]+) to ([\d.]+) after the set-up and ([\d.]+) to ([\d.]+) in play; "
        r"this rests on an effective (\d+) simulated towers\.",
        sure,
    )
    assert match
    known = (setup.low, setup.high, inside.low, inside.high)
    assert [float(match[i]) for i in (1, 2, 3, 4)] == pytest.approx(known, abs=0.5)
    assert int(match[5]) == round(posterior.effective)


def test_every_number_of_the_tables_is_one_of_the_fit(report: Path):
    actual, result = tables(report), calibration().fit
    assert [row[0] for row in actual["means"][1:]] == [*TARGETS, *TOLD, CLOGS]
    for key, words, *cells in actual["means"][1:]:
        assert words == (SUMMARIES[key].words if key in SUMMARIES else "share of games that clog")
        assert is_said(cells[:3], result.prior.interval(key))
        assert is_said(cells[3:6], result.posterior.interval(key))
        assert [float(error) for error in cells[6:]] == pytest.approx(
            [result.posterior.error(key, level) for level in LEVELS], rel=1e-5
        )
    for row, number, each in zip(actual["numbers"][1:], NUMBERS, compare_numbers(result), strict=True):
        assert row[0].startswith(number.name.replace("_", " "))
        assert is_said(row[1:4], each.prior)
        assert is_said(row[4:7], each.posterior)
        assert row[7:] == ["yes" if each.is_informed else "no", number.reason]
    checks = [row for row in actual["observations"][1:] if row[2]]
    for row, check in zip(checks, result.predictive, strict=True):
        (other,) = [each.tail for each in result.held_out if (each.name, each.window) == (check.name, check.window)]
        is_within = check.predicted.low <= check.observed <= check.predicted.high
        assert is_said(row[3:6], check.predicted)
        assert row[6] == ("within" if is_within else "outside")
        assert [float(row[i]) for i in (2, 7, 8)] == pytest.approx([check.observed, check.tail, other], rel=1e-5)
    clues = [row for row in actual["observations"][1:] if not row[2]]
    chances = [[float(cell) for cell in row[7:]] for row in clues]
    assert chances == [pytest.approx([clue.chance, clue.others], rel=1e-5) for clue in result.clues]
    for row, name in zip(actual["chosen"][1:], TARGETS, strict=True):
        mean, error = calibration().does[name]
        assert (float(row[1]), float(row[2])) == pytest.approx((mean, error), rel=1e-5)
        assert is_said(row[3:], result.posterior.interval(name))


def test_the_page_shows_the_tables_and_what_was_said_cannot_break_them(report: Path):
    text = report.read_text("utf-8")
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    for row in make(calibration()).tables["means"].rows:
        assert "| " + " | ".join(map(show, row)) + " |" in lines
    book = r"| a\|book | 8 \| come out | a book | worked example | one phase | 2 |"
    assert any(line.startswith(book) for line in lines)
    widths = {len(re.split(r"(?<!\\)\|", line)) for line in lines if r"a\|book" in line}
    assert widths == {8, 9}  # evidence and observations: their columns and the two edges
    assert "- a note\n" in text
    assert calibration().again in text
    assert calibration().fit.posterior.digest in text
    assert "384 towers were drawn from the prior and played, 768 games in all" in text
    assert (report.parent / "report.html").read_text("utf-8").count("<svg") == 3  # one also beside its answer


def test_the_terminal_says_what_comes_first_on_the_page():
    lines = make(calibration()).text(SHOWN).split("\n\n")
    says, sure = format_sentences(calibration().fit)
    assert lines[:3] == [says, "Calibration of mine", sure]
    informed = [
        each.parameter.name.replace("_", " ") for each in compare_numbers(calibration().fit) if each.is_informed
    ]
    assert all(name in lines[3] for name in informed)
    assert "friction" in informed  # the towers of coins obey it
    assert lines[4] == "How far to trust it"
    assert lines[5].splitlines() == [f"- {line}" for line in (*list_warnings(calibration().fit), "a note")]
    values = [line for line in lines[-1].splitlines() if re.search(r"  (within|outside)  ", line)]
    assert len(values) == len(calibration().fit.predictive)


def test_a_number_is_informed_by_a_narrower_interval_or_a_median_that_moved():
    number = NUMBERS[0]  # 50 to 80 mm
    prior = Estimate(65.0, 51.5, 78.5, 9)
    assert not Learnt(number, prior, prior).is_informed
    assert not Learnt(number, prior, Estimate(67.9, 53, 78.5, 9)).is_informed
    assert Learnt(number, prior, Estimate(65.0, 55, 78.5, 9)).is_informed
    assert Learnt(number, prior, Estimate(68.1, 51.5, 78.5, 9)).is_informed


@each_case(
    ("effective", "observed", "chance", "says"),
    [
        (
            FEW - 1.0,
            None,
            None,
            "The effective number of towers that agree with the evidence is only 39: intervals are rough.",
        ),
        (FEW + 1.0, 1e3, None, "The fit does not explain 1 of 6 values: mine.csv, game 1 (inside after the set-up)."),
        (FEW + 1.0, None, 0.04, "The fit contradicts 1 of 2 clues: photo (the thrown colour leads)."),
        (FEW + 1.0, None, None, "How far the simulation is off a real tower is assumed"),
    ],
)
def test_the_gravest_warning_comes_first(effective: float, observed: float | None, chance: float | None, says: str):
    result = calibration().fit
    middle = [replace(check, observed=check.predicted.value) for check in result.predictive]
    clues = [replace(clue, chance=0.5) for clue in result.clues]
    if observed is not None:
        middle[0] = replace(middle[0], observed=observed)
    if chance is not None:
        clues[0] = replace(clues[0], chance=chance)
    posterior: Posterior = replace(result.posterior, effective=effective)
    warnings = list_warnings(replace(result, posterior=posterior, predictive=tuple(middle), clues=tuple(clues)))
    assert warnings[0].startswith(says)
    assert warnings[-1].startswith("How far the simulation is off")
    words = tuple(replace(entry, kind="impression") for entry in result.evidence)
    unmeasured = "Nothing here was measured: the evidence is words, pictures and worked examples."
    assert unmeasured in list_warnings(replace(result, evidence=words))
