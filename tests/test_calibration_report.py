"""The report of a calibration: every section, figures as they are in the objects, and honest in odd cases."""

import csv
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from calibration import pictures
from calibration.evidence import GAMES, PHASE, SAID, Evidence
from calibration.findings import entry_of, learnt, pairs, scores, singles, warnings
from calibration.fit import TARGETS, Discrepancy, Fit, Interval, Posterior, PredictiveCheck
from calibration.parameters import NUMBERS, PATTERNS, fields, values
from calibration.result import Budget, Calibration, Chosen, Confirmed, ConfirmedSummary, GamesMean
from calibration.summaries import CUBES, SETUP, SUMMARIES, WHOLE, Window
from calibration.writeup import in_short, write

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
DRAWS = 400
MIDDLE = {"setup": 20.0, "inside": 11.0, "out": 5.5, "own": 0.7, "spread": 1.8}


def scaled(summary: str, value: float) -> float:
    return float(SUMMARIES[summary].scale(value))


def evidence() -> tuple[Evidence, ...]:
    """Two recorded games, a worked example of a phase, and words."""
    games = tuple(WHOLE[name] for name in MIDDLE)
    return (
        Evidence("mine.csv, 2 games", "2 games of 36 recorded drops", "mine.csv", "measurement", games,
                 tuple(scaled(name, value) for name, value in MIDDLE.items()), GAMES, 2),
        Evidence("book", "8 | come\nout", "a book", "worked example", (WHOLE["out"],), (scaled("out", 8.0),), PHASE,
                 doubt=2.0),
        Evidence("club", "about 12 inside", "a club", "impression", (WHOLE["inside"],), (scaled("inside", 12.0),), SAID,
                 said=0.3),
    )  # fmt: skip


def posterior(rng: np.random.Generator, unit: np.ndarray, effective: float, wide: float) -> Posterior:
    targets = {name: MIDDLE[name] + wide * rng.normal(size=len(unit)) for name in TARGETS}
    return Posterior(rng.integers(len(PATTERNS), size=len(unit)), unit, targets, effective, -3.5)


def checks(found: Sequence[Evidence], width: float) -> tuple[PredictiveCheck, ...]:
    made: list[PredictiveCheck] = []
    for each in found:
        for window, value in zip(each.windows, each.values, strict=True):
            seen = float(SUMMARIES[window.summary].back(value))
            span = Interval(seen * (1 - width), seen * (1 + width / 3), seen * (1 + width))
            made.append(PredictiveCheck(each.name, window, seen, span, 0.4))
    return tuple(made)


def confirmed(rng: np.random.Generator, number: int) -> tuple[Confirmed, ...]:
    found: list[Confirmed] = []
    for i in range(number):
        pattern, unit = list(PATTERNS)[i % len(PATTERNS)], rng.random(len(NUMBERS))
        compared = [
            ConfirmedSummary(n, scaled(n, v), 0.1, scaled(n, v) + 0.2 * rng.normal(), 0.15, 4)
            for n, v in MIDDLE.items()
        ]
        found.append(Confirmed(pattern, values(pattern, unit.tolist()), tuple(compared)))
    return tuple(found)


def calibration() -> Calibration:
    """A calibration in which the opening and the friction are known, together; nothing in it is of a simulation."""
    rng = np.random.default_rng(7)
    unit = rng.random((DRAWS, len(NUMBERS)))
    unit[:, 0] = 0.3 + 0.4 * unit[:, 1] + 0.05 * rng.normal(size=DRAWS)
    unit[:, 1] = 0.2 + 0.5 * unit[:, 1]
    known = evidence()
    fit = Fit(known, Discrepancy(), posterior(rng, rng.random((DRAWS, len(NUMBERS))), 24576.0, 3.0),
              posterior(rng, unit, 1234.0, 0.8), checks(known, 0.3), checks(known, 0.5))  # fmt: skip
    pattern, at = "slots 2 over 2", [0.5] * len(NUMBERS)
    single = {name: tuple((MIDDLE[name] + 2 * rng.normal(size=40)).tolist()) for name in TARGETS}
    means = {
        name: GamesMean(float(np.mean(x)), float(np.std(x, ddof=1) / np.sqrt(40)), 40) for name, x in single.items()
    }
    return Calibration(
        "mine", "quick", 5, 108, 430, "d" * 64, fit, confirmed(rng, 6),
        Chosen(pattern, values(pattern, at), fields(pattern, at), means, single),
        Budget(98, 431.25, 3, 0), {"tower_sim": "0.1.0", "numpy": "2"},
    )  # fmt: skip


def with_posterior(plain: Calibration, found: Posterior) -> Calibration:
    return replace(plain, fit=replace(plain.fit, posterior=found))


MADE = calibration()


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
    assert len(heads) >= 14
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
    unit = MADE.fit.posterior.unit
    low, middle, high = np.quantile(unit, [0.05, 0.5, 0.95], axis=0)
    spans = np.array([number.high - number.low for number in NUMBERS])
    starts = np.array([number.low for number in NUMBERS])
    for key, wanted in (("", middle), (", low", low), (", high", high)):
        assert column(report, "posterior_numbers", f"posterior (90 %){key}") == close(starts + wanted * spans)
    for key, share in (("", 0.5), (", low", 0.05), (", high", 0.95)):
        assert column(report, "posterior_numbers", f"prior (90 %){key}") == close(starts + share * spans)
    assert column(report, "posterior_numbers", "width over prior's") == close((high - low) / 0.9)
    informed = [row["informed"] for row in table(report, "posterior_numbers")]
    assert informed == ["yes", "yes", "no", "no", "no", "no"]
    assert "The data do not inform restitution, edge, release height or release spread." in text(report)
    counts = np.bincount(MADE.fit.posterior.pattern)
    assert column(report, "posterior_patterns", "posterior probability") == close(counts / DRAWS)
    assert column(report, "posterior_patterns", "draws") == counts.tolist()


def test_the_correlations_are_of_the_most_probable_patterns_draws(report: Path):
    best = int(np.argmax(np.bincount(MADE.fit.posterior.pattern)))
    draws = MADE.fit.posterior.unit[MADE.fit.posterior.pattern == best]
    r = np.corrcoef(draws.T)
    (first, *_), last = table(report, "correlations"), table(report, "correlations")[-1]
    assert float(first["opening"]) == pytest.approx(r[1, 0], rel=1e-5)
    assert first["friction"] == ""
    assert float(last["edge"]) == pytest.approx(r[5, 3], rel=1e-5)
    assert f"a wider opening with more friction (r = {r[1, 0]:+.2f})" in text(report)
    assert f"{list(PATTERNS)[best]} (n = {len(draws)} draws" in text(report)


def test_a_number_that_falls_as_another_grows_is_named_so():
    unit = np.random.default_rng(1).random((DRAWS, len(NUMBERS)))
    unit[:, 3] = 1 - unit[:, 0]
    found = with_posterior(MADE, replace(MADE.fit.posterior, unit=unit))
    assert pairs(found).r[3, 0] == pytest.approx(-1)


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
    assert "the most is 2.5 cubes at 24.5" in rows["inside"]["what it means"]  # 50 / 4 x 0.2


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
    unit = np.random.default_rng(4).random((DRAWS, len(NUMBERS)))
    odd = with_posterior(MADE, replace(MADE.fit.posterior, unit=unit))
    assert not any(each.informed for each in learnt(odd))
    report = write(odd, tmp_path)
    listed = "opening, friction, restitution, edge, release height or release spread"
    assert text(report).count(f"The data do not inform {listed}.") == 2
    assert "nothing trades off" in text(report)


def test_one_pattern_and_all_weight_on_one_point_at_the_edge(tmp_path: Path):
    unit = np.tile([1.0, 0.0, 0.5, 0.5, 0.5, 0.5], (DRAWS, 1))
    targets = {"setup": np.full(DRAWS, CUBES + 0.5), "inside": np.full(DRAWS, -0.5), "out": np.zeros(DRAWS)}
    odd = with_posterior(MADE, Posterior(np.zeros(DRAWS, int), unit, targets, 1.0, -90.0))
    report = write(odd, tmp_path)
    assert "**The largest warning:** The posterior rests on an effective 1 of" in text(report)
    assert "100 % of the draws of the opening lie in the highest tenth" in text(report)
    assert "100 % of the draws of the friction lie in the lowest tenth" in text(report)
    assert table(report, "correlations")[0]["opening"] == ""
    assert column(report, "posterior_patterns", "posterior probability") == [1, 0, 0]
    assert table(report, "posterior_patterns")[1]["opening [edges] (90 %)"] == ""
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
    assert warnings(MADE) == ["How far the simulation is off a real tower is assumed, not measured (section 8)."]
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
        "Over many games such a tower keeps about 10.9 of its 49 cubes inside in play (20.0 after the set-up) and lets "
        "about 5.5 out in a phase."
    )
    assert re.fullmatch(
        r"How sure: with 90 % the tower's own numbers are \S+ to \S+ inside in play, \S+ to \S+ after the set-up and "
        r"\S+ to \S+ out in a phase\.",
        sure,
    )
    assert not empty
    assert "set-up (book): 21 observed, 13 to 28 predicted (90 %): within" in lines
    assert "set-up (club): 40 observed, 13 to 28 predicted (90 %): outside" in lines
    assert "23 more values: 23 within" in lines
    assert "held out: 7 of 7 values within" in lines
    assert len(lines) <= 25
    assert max(map(len, lines[:7])) <= 100
    low, high = (x * 0.45 + 0.2 for x in np.quantile(MADE.fit.posterior.unit[:, 1], [0.05, 0.95]))
    assert re.match(rf"friction .*\({low:.2f} to {high:.2f}\) .* yes$", lines[2])
