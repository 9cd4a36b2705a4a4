"""The report of a calibration: every section, figures as they are in the objects, and honest in odd cases."""

import csv
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from support.calibrations import DRAWS, MADE, MIDDLE, calibration, evidence, scaled

from tower_sim.calibration import pictures
from tower_sim.calibration.findings import entry_of, learnt, pairs, scores, singles, warnings
from tower_sim.calibration.fit import TARGETS, Interval, Posterior, PredictiveCheck
from tower_sim.calibration.parameters import NAMES, NUMBERS, readings
from tower_sim.calibration.result import Budget, Calibration, GamesMean
from tower_sim.calibration.summaries import CUBES, SETUP, SUMMARIES, Window
from tower_sim.calibration.writeup import in_short, write

pytestmark = pytest.mark.whole

SECTIONS = [
    "1. In short",
    "2. Data and provenance",
    "3. Free numbers and priors",
    "4. Posterior",
    "5. Posterior predictive",
    "6. Held out",
    "7. Prediction",
    "8. Discrepancy",
    "9. Confirmed by real drops",
    "10. Budget, failures, and how to make it again",
]


def with_posterior(plain: Calibration, found: Posterior) -> Calibration:
    return replace(plain, fit=replace(plain.fit, posterior=found))


@pytest.fixture(name="report", scope="module")
def _report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(MADE, tmp_path_factory.mktemp("calibration") / "new" / "folder")


@pytest.fixture(name="plain")
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the two pictures that take long and show nothing of what is tried."""
    for name in ("marginals", "pairs"):
        monkeypatch.setattr(pictures, name, lambda *_: Figure((1, 1)))


def table(report: Path, name: str) -> list[dict[str, str]]:
    with (report.parent / f"tables/{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def column(report: Path, name: str, key: str) -> list[float]:
    return [float(row[key]) for row in table(report, name)]


def close(wanted: Sequence[float] | np.ndarray) -> object:
    return pytest.approx(list(wanted), rel=1e-5, abs=1e-9)


def text(report: Path) -> str:
    return report.read_text("utf-8")


# All of it


def test_every_section_is_there_and_every_link_leads_to_a_file(report: Path):
    assert re.findall(r"^## (.*)$", text(report), re.M) == SECTIONS
    targets = re.findall(r"\]\(([^)]+)\)", text(report))
    assert {x for x in targets if x.endswith(".png")} == {
        f"plots/{name}.png" for name in ("marginals", "pairs", "checks", "prediction")
    }
    assert len(set(targets)) == len(targets) >= 16
    for target in targets:
        data = (report.parent / target).read_bytes()
        assert data.startswith(b"\x89PNG") or target.endswith(".csv")


def test_every_row_of_a_table_has_as_many_cells_as_its_head(report: Path):
    rows = re.findall(r"^\|.*\|$", text(report), re.M)
    heads = [i for i, row in enumerate(rows) if row.startswith("| --- ")]
    assert len(heads) >= 13
    for start, stop in zip(heads, [*heads[1:], len(rows) + 1], strict=True):
        assert {len(re.split(r"(?<!\\)\|", row)) for row in rows[start - 1 : stop - 1]} == {rows[start].count("|") + 1}


def test_the_same_calibration_gives_the_same_bytes(report: Path, tmp_path: Path):
    again = write(calibration(), tmp_path)
    files = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.*"))
    assert len(files) >= 19
    for file in files:
        assert (tmp_path / file).read_bytes() == (report.parent / file).read_bytes()
    assert again.name == "report.md"


# Figures are those of the objects


def test_the_posteriors_figures_are_the_draws(report: Path):
    after, before = (readings(each.unit) for each in (MADE.fit.posterior, MADE.fit.prior))
    of_each = [np.quantile(draws, [0.05, 0.5, 0.95], axis=0).tolist() for draws in (before, after)]
    for name, (low, middle, high) in zip(("prior", "posterior"), of_each, strict=True):
        for key, wanted in (("", middle), (", low", low), (", high", high)):
            assert column(report, "posterior_numbers", f"{name} (90 %){key}") == close(wanted)
    (low, _, high), (after_low, _, after_high) = map(np.array, of_each)
    assert column(report, "posterior_numbers", "width over prior's") == close((after_high - after_low) / (high - low))
    informed = [row["informed"] for row in table(report, "posterior_numbers")]
    assert informed[:2] == ["yes", "yes"]
    assert informed[-5:] == ["no"] * 5
    assert "friction, restitution, release height or release spread." in text(report)


def test_the_correlations_are_of_the_draws(report: Path):
    r = np.asarray(np.corrcoef(readings(MADE.fit.posterior.unit).T))
    (first, *_), last = table(report, "correlations"), table(report, "correlations")[-1]
    assert float(first["edge"]) == pytest.approx(r[1, 0], rel=1e-5)
    assert first["tube"] == ""
    assert float(last["friction"]) == pytest.approx(r[-1, NAMES.index("friction")], rel=1e-5)
    assert f"larger cubes with a wider tube (r = {r[1, 0]:+.2f})" in text(report)
    assert f"(n = {DRAWS} draws" in text(report)


def test_a_number_that_falls_as_another_grows_is_named_so():
    unit = np.random.default_rng(1).random((DRAWS, len(NUMBERS)))
    unit[:, NAMES.index("friction")] = 1 - unit[:, 0]
    found = with_posterior(MADE, replace(MADE.fit.posterior, unit=unit))
    assert pairs(found).r[NAMES.index("friction"), 0] == pytest.approx(-1)


@pytest.mark.parametrize("name", ["predictive", "held_out"])
def test_each_check_has_its_row_with_observed_interval_and_place(name: str, report: Path):
    found = getattr(MADE.fit, name)
    assert column(report, name, "observed") == close([check.observed for check in found])
    for key, end in (("", "middle"), (", low", "low"), (", high", "high")):
        wanted = [getattr(check.predicted, end) for check in found]
        assert column(report, name, f"predicted (90 %){key}") == close(wanted)
    assert column(report, name, "PIT") == close([check.tail for check in found])
    assert [int(row["entry"]) for row in table(report, name)] == [1, 1, 1, 1, 1, 2, 3]
    assert {row["observed is"] for row in table(report, name)} == {"within"}


def test_the_evidence_is_listed_with_how_it_was_read(report: Path):
    rows = table(report, "evidence")
    assert [row["read as"].split(",")[0] for row in rows] == ["mean of 2 games", "one phase", "words about many games"]
    assert rows[1]["says"] == "8 \\| come out"
    assert column(report, "values", "value") == close([*MIDDLE.values(), 8.0, 12.0])
    low, high = (SUMMARIES["inside"].back(scaled("inside", 12.0) + side) for side in (-0.3, 0.3))
    assert table(report, "values")[-1]["plus and minus 1 sd"] == f"{low:.3g} to {high:.3g}"


def test_the_predictions_are_the_targets_intervals(report: Path):
    for words, each in (("prior", MADE.fit.prior), ("posterior", MADE.fit.posterior)):
        spans = [each.interval(target) for target in TARGETS]
        assert column(report, "prediction", f"{words} (90 %), low") == close([span.low for span in spans])
        assert column(report, "prediction", f"{words} (90 %), high") == close([span.high for span in spans])
    ratio = [MADE.fit.posterior.interval(x).width / MADE.fit.prior.interval(x).width for x in TARGETS]
    assert column(report, "prediction", "width over prior's") == close(ratio)


def test_the_discrepancy_is_told_in_cubes_too(report: Path):
    rows = {row["field"]: row for row in table(report, "discrepancy")}
    assert float(rows["inside"]["value"]) == MADE.fit.discrepancy.inside
    assert float(rows["setup"]["value"]) == MADE.fit.discrepancy.setup
    assert "the most is 5.2 cubes at 24.5" in rows["inside"]["what it means"]  # 50 / 4 x 0.42


def test_confirmed_towers_are_told_by_their_z(report: Path):
    z = [each.z for tower in MADE.confirmed for each in tower.compared]
    for i, name in enumerate(("set-up", "inside", "out", "own colour", "spread")):
        assert column(report, "confirmed", f"z, {name}") == close(z[i::5])
    rms = np.sqrt(np.mean(np.square(z)))
    beyond = sum(abs(x) > 2 for x in z)
    assert f"n = 30 z is {rms:.2f};" in text(report)
    assert f"Beyond 2 are {beyond} of 30 (" in text(report)
    assert scores(MADE) == close(z)


def test_the_chosen_tower_is_told_with_its_games(report: Path):
    rows = table(report, "chosen")
    assert [float(row["simulated"]) for row in rows] == pytest.approx(
        [MADE.chosen.simulated[target].mean for target in TARGETS], abs=0.006
    )
    assert {row["games"] for row in rows} == {"40"}
    assert {row["field"]: row["value"] for row in table(report, "profile")}["profile.cubes.edge_mm"] == "9"
    span = MADE.fit.predictive[0].predicted
    inside = sum(span.low <= x <= span.high for x in MADE.chosen.single["setup"])
    assert (singles(MADE).inside, singles(MADE).games) == (inside, 40)
    assert f"After the set-up, {inside} of 40 (" in text(report)
    assert "predictive interval of mine.csv, 2 games (mean of 2 games, doubt 1)" in text(report)


def test_it_tells_how_to_make_it_again(report: Path):
    assert "\ntower-sim calibrate mine.csv book.toml club.toml -o mine.toml --quick --seed 5\n" in text(report)
    rows = {row["what"]: row["value"] for row in table(report, "made")}
    assert rows["SHA-256 of the posterior's draws"] == MADE.digest
    assert rows["SHA-256 of the design"] == MADE.design
    assert (rows["games simulated"], rows["seconds, this run"], rows["emulator's design: towers"]) == (
        "98",
        "431",
        "108",
    )


# Odd cases


@pytest.mark.usefixtures("plain")
def test_nothing_held_out_and_nothing_confirmed_is_said(tmp_path: Path):
    odd = replace(MADE, fit=replace(MADE.fit, held_out=(), predictive=()), confirmed=())
    found = text(write(odd, tmp_path))
    assert "Nothing was held out" in found
    assert "No value was checked." in found
    assert "No tower of the posterior was simulated" in found
    assert "interval of the long-run mean; single games scatter more." in found
    assert "checks.png" not in found
    assert "held out" not in in_short(odd)


@pytest.mark.usefixtures("plain")
def test_no_number_is_informed(tmp_path: Path):
    odd = with_posterior(MADE, replace(MADE.fit.posterior, unit=MADE.fit.prior.unit))
    assert not any(each.informed for each in learnt(odd))
    report = write(odd, tmp_path)
    *others, last = [name.replace("_", " ") for name in NAMES]
    listed = f"{', '.join(others)} or {last}"
    assert text(report).count(f"The data do not inform {listed}.") == 2


def test_all_weight_on_one_point_at_the_edge(tmp_path: Path):
    unit = np.tile([1.0, 0.0, *[0.5] * (len(NUMBERS) - 2)], (DRAWS, 1))
    targets = {"setup": np.full(DRAWS, CUBES + 0.5), "inside": np.full(DRAWS, -0.5), "out": np.zeros(DRAWS)}
    odd = with_posterior(MADE, Posterior(unit, targets, 1.0, -90.0, targets))
    report = write(odd, tmp_path)
    assert "**The largest warning:** The posterior rests on an effective 1 towers that were played" in text(report)
    assert "100 % of the draws of the edge lie in the highest tenth" in text(report)
    assert "100 % of the draws of the tube lie in the lowest tenth" in text(report)
    assert table(report, "correlations")[0]["edge"] == ""
    assert column(report, "posterior_numbers", "width over prior's") == [0] * len(NUMBERS)
    assert not re.search(r"\bnan\b", text(report))


@pytest.mark.usefixtures("plain")
def test_later_drops_are_told_as_held_out(tmp_path: Path):
    part = Window("inside", 20, 36)
    check = PredictiveCheck("mine.csv, game 1", part, 10.0, Interval(11.0, 12.0, 13.0), 0.01)
    odd = replace(MADE, fit=replace(MADE.fit, held_out=(check, check)))
    report = write(odd, tmp_path)
    assert entry_of(check, odd.fit.evidence) is None
    assert "Left out: the later part of the recorded drops" in text(report)
    assert {row["of"] for row in table(report, "held_out")} == {"phases 20 to 35"}
    assert {row["observed is"] for row in table(report, "held_out")} == {"**outside**"}
    assert warnings(odd)[0].startswith("2 of 2 held-out values lie outside")


# Warnings and the lines of the command


def test_the_gravest_warning_comes_first_and_there_is_always_one():
    (only,) = warnings(MADE)
    assert only.startswith("How far the simulation is off a real tower is assumed: about what other physics moves it")
    missed = replace(MADE.fit.predictive[0], predicted=Interval(1.0, 2.0, 3.0))
    odd = replace(MADE, fit=replace(MADE.fit, predictive=(missed, *MADE.fit.predictive[1:]), evidence=evidence()[1:]))
    odd = replace(odd, budget=Budget(100, 1.0, 0, 30))
    odd = replace(odd, chosen=replace(odd.chosen, simulated={"setup": GamesMean(40.0, 0.5, 40)}))
    first, second, third, fourth, _ = warnings(odd)
    assert first == "The fit does not explain 1 of the 7 values fitted: mine.csv, 2 games (set-up)."
    assert second.startswith("The chosen tower has 40.0 cubes inside after the set-up (mean of 40 games")
    assert third.startswith("30 of 100 games never ended")
    assert fourth.startswith("Nothing here was measured")


def test_games_far_from_the_emulator_are_warned_of():
    far = tuple(
        replace(tower, compared=tuple(replace(each, simulated=each.predicted + 1.0) for each in tower.compared))
        for tower in MADE.confirmed
    )
    assert warnings(replace(MADE, confirmed=far))[0].startswith("Simulated games miss the emulator by 5.5 standard")


def test_the_commands_lines_are_few_and_say_what_lies_outside():
    check = PredictiveCheck("book", SETUP, 21.0, Interval(12.6, 20.0, 28.4), 0.5)
    outside = replace(check, name="club", observed=40.0)
    odd = replace(MADE, fit=replace(MADE.fit, predictive=(*[check] * 30, outside)))
    says, sure, empty, *lines = in_short(odd).splitlines()
    assert says == (
        "Such a tower keeps about 20 of its 49 cubes after the set-up and about 11 in play; about 5 come out of a "
        "phase."
    )
    assert re.fullmatch(
        r"How sure: 90 % of the towers that agree, as they were played, keep \S+ to \S+ after the set-up and \S+ to "
        r"\S+ in play, and let \S+ to \S+ out in a phase\.",
        sure,
    )
    assert not empty
    assert "set-up (book): 21 observed, 13 to 28 predicted (90 %): within" in lines
    assert "set-up (club): 40 observed, 13 to 28 predicted (90 %): outside" in lines
    assert "23 more values: 23 within" in lines
    assert "held out: 7 of 7 values within" in lines
    assert len(lines) <= 25
    assert max(map(len, lines[:7])) <= 100
    low, high = (50 + 30 * x for x in np.quantile(MADE.fit.posterior.unit[:, 1], [0.05, 0.95]))
    (tube,) = (line for line in lines if line.startswith("tube "))
    assert re.match(rf"tube .*\({low:.1f} to {high:.1f}\) .* yes$", tube)


@pytest.mark.usefixtures("plain")
def test_the_report_says_why_the_tower_was_chosen_and_what_was_left_out(tmp_path: Path):
    chosen = replace(MADE.chosen, why="It is in the middle.", does="It keeps 16.")
    write(replace(MADE, chosen=chosen, notes=("records 'a|b': 3 are free throws",)), tmp_path)
    text = (tmp_path / "report.md").read_text("utf-8")
    assert "- It is in the middle.\n- It keeps 16.\n- records 'a\\|b': 3 are free throws\n" in text
