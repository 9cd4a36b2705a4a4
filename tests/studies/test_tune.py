"""A wish in, rules out: known answers are found again, what cannot be is told so, and only fresh games judge."""

from __future__ import annotations

import json
import math
import re
import shlex
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.cases import each_case

import tower_sim
from tower_sim import cli
from tower_sim.apparatus import load, shipped
from tower_sim.errors import UsageError
from tower_sim.physics import accuracy
from tower_sim.requests import read_rules, read_variant
from tower_sim.results import FEWEST
from tower_sim.studies import Tuned, Verdict, compare_files, read_wishes, together, tune
from tower_sim.studies.comparison import play, search
from tower_sim.studies.comparison.play import read_vary, usual
from tower_sim.studies.comparison.search import BY_PHYSICS, Search, search_rules
from tower_sim.studies.comparison.tuned import find_best, parse_wishes, rules_text, sentences, wish_report
from tower_sim.surrogate import shipped as shipped_surrogate
from tower_sim.values import derive_seed

ROOT = Path(__file__).parents[2]
HARVEST = str(ROOT / "docs/games/harvest.py")
Capture = pytest.CaptureFixture[str]


def text_of(found: Tuned) -> str:
    return wish_report(found).text()


@pytest.fixture(name="three", scope="module")
def _three() -> Tuned:
    """Nine cubes of each colour are the answer: 2.810 actions (standard error 0.0013, 20,000 games)."""
    return tune("amerigo", {"actions": 2.81}, {"cubes": range(5, 13)}, seed=3, games=8000)


@each_case(
    ("text", "key", "low", "high", "target"),
    [
        ("actions=3", "actions", 3, 3, 3),
        (" actions >= 3 ", "actions", 3, math.inf, None),
        ("inside<=-0.5", "inside", -math.inf, -0.5, None),
        ("actions=2.9..3.1", "actions", 2.9, 3.1, None),
        ("out-blue=1e-3", "out-blue", 1e-3, 1e-3, 1e-3),
    ],
)
def test_a_wish_is_a_number_a_limit_or_a_range(text: str, key: str, low: float, high: float, target: float | None):
    (wish,) = read_wishes([text])
    assert (wish.key, wish.low, wish.high, wish.target) == (key, low, high, target)


@each_case(
    ("given", "text"),
    [(3, "x=3"), (2.5, "x=2.5"), (">=3", "x>=3"), ("2.9..3.1", "x=2.9..3.1"), ((2, 3), "x=2..3"), (np.int64(3), "x=3")],
)
def test_a_wish_in_python_says_what_one_in_words_says(given: Any, text: str):
    assert parse_wishes({"x": given}) == read_wishes([text])


@each_case(
    ("text", "interval", "verdict"),
    [
        ("x=3", (2.9, 3.1), "met"),  # 3 allows 2.85 to 3.15
        ("x=3", (2.84, 3.1), "open"),
        ("x=3", (2.7, 2.84), "missed"),
        ("x=0", (-0.04, 0.05), "met"),  # of 0, a twentieth of the sd, which is 1
        ("x=0", (0.06, 0.1), "missed"),
        ("x>=3", (3.0, 3.1), "met"),
        ("x>=3", (2.9, 3.1), "open"),
        ("x<=3", (3.01, 3.1), "missed"),
        ("x=2.9..3.1", (2.9, 3.1), "met"),
        ("x=2.9..3.1", (2.8, 3.2), "open"),
    ],
)
def test_an_interval_meets_a_wish_misses_it_or_leaves_it_open(text: str, interval: tuple[float, float], verdict: str):
    assert read_wishes([text])[0].verdict(*interval, sd=1.0) == verdict


def test_wishes_are_met_together_when_each_is():
    met, open_, missed = Verdict.MET, Verdict.OPEN, Verdict.MISSED
    assert [together(each) for each in ([met, met], [met, open_], [open_, missed])] == [met, open_, missed]


@each_case(
    ("text", "values"),
    [
        ("cubes=5..8", ["5", "6", "7", "8"]),
        ("cubes=5..9..2", ["5", "7", "9"]),
        ("knock=0..1..0.25", ["0.0", "0.25", "0.5", "0.75", "1.0"]),
        ("gold_divisor=2,4", ["2", "4"]),
        ("apparatus=amerigo, amerigo-club", ['"amerigo"', '"amerigo-club"']),
        ('phases=["red"],["red", "blue"]', ['["red"]', '["red", "blue"]']),
        ("cubes={ red = 2 }", ["{ red = 2 }"]),
        ("flag=true,false", ["true", "false"]),
    ],
)
def test_a_rule_varies_over_a_range_or_over_a_list(text: str, values: list[str]):
    assert [*read_vary(text).values] == values


def test_without_a_word_about_it_every_whole_number_varies_from_half_to_twice():
    varied = {vary.key: [int(value) for value in vary.values] for vary in usual(read_variant("amerigo"))}
    assert varied["cubes"] == list(range(4, 15))
    assert varied["rounds"] == list(range(3, 11))
    assert set(varied) == {"cubes", "rounds", "gold_divisor", "gold_divisor_with_token"}
    harvest = {vary.key: vary.values for vary in usual(read_variant(HARVEST))}
    assert set(harvest) == {"seasons", "sun", "rain", "locusts", "throw"}


def test_a_known_answer_is_found_again_and_what_else_changes(three: Tuned):
    assert three.changes == {"cubes": "9"}
    assert three.rules == read_variant("amerigo", ["cubes=9"]).rules
    assert three.verdict is Verdict.MET
    assert (three.tried, three.of) == (8, 8)
    first, also, *_ = sentences(three)
    assert first.startswith("The wish is met by cubes = 9 instead of 7: actions to choose from 2.8")
    assert f" in {three.best.games} games played afresh." in first
    assert also.startswith("It also changes ")  # more action points are a gain
    assert "action points 6.5 instead of 5.0" in also
    assert also.endswith(": certain or very likely.") or also.endswith(": certain.")
    assert "cost" not in text_of(three)
    assert ")  mean out in a phase " in text_of(three)
    assert [len(way.changes) for way in three.ways] == sorted(len(way.changes) for way in three.ways)
    assert three.best in three.ways


def test_what_is_told_is_a_comparison_of_games_that_search_and_choice_have_not_seen(three: Tuned):
    found = three.best.comparison
    assert found.seed not in (three.seed, derive_seed(three.seed, 1))
    games = three.best.games
    alone = compare_files(("amerigo", None), games, found.seed, "surrogate", ["cubes=9"])
    assert [row.mean_b for row in alone.figures] == [row.mean_b for row in found.figures]
    row = three.best.row("actions")
    mean = three.best.means["actions"]
    assert mean.value == row.mean_b
    assert mean.high - mean.low == pytest.approx(2 * 1.9623 * row.sd_b / math.sqrt(games), rel=2e-3)
    wished = {each.key for each in three.wishes}
    significant = {each.key for rows in found.groups for each in rows if each.shown}
    assert {each.key for each in three.best.side_effects} == significant - wished


def test_what_the_search_believes_meets_no_wish(monkeypatch: pytest.MonkeyPatch):
    """Every mean of search and choice is a cube too high: the fresh games say so."""
    honest = search.play_side

    def flattering(*given: Any) -> Any:
        return honest(*given) + 1.0

    monkeypatch.setattr(search, "play_side", flattering)
    found = tune("amerigo", {"actions": 3.9}, {"cubes": [8, 9, 10]}, seed=3, games=4000)
    assert found.alone["actions"]
    assert found.verdict is Verdict.MISSED
    assert sentences(found)[0].startswith("The wish is not met; the nearest of 4 ways that were tried is ")


def test_equal_seeds_give_equal_answers(three: Tuned):
    again = tune("amerigo", {"actions": 2.81}, {"cubes": "5..12"}, seed=3, games=8000)
    assert again.to_json() == three.to_json()
    json.dumps(again.to_json(), allow_nan=False)


def test_a_change_that_only_moves_the_gold_changes_only_gold():
    found = tune("amerigo", {"gold": (3.4, 3.6)}, {"gold_divisor": "1..3"}, seed=1, games=4000)
    assert found.changes == {"gold_divisor": "2"} or found.verdict is not Verdict.MET
    assert [row.key for row in found.best.side_effects] == []
    assert sentences(found)[1] == "No other figure surely changes."


def test_fewest_changes_win_and_no_change_is_one_answer():
    found = tune("amerigo", {"actions": ">=2.4"}, {"cubes": "6..9", "rounds": "4..6"}, seed=1, games=12_000)
    assert found.changes == {}
    assert len(sentences(found)) == 1
    assert sentences(found)[0].startswith("The wish is met without a change: ")
    found = tune("amerigo", {"actions": ">=2.63"}, {"cubes": "6..9", "rounds": "4..6"}, seed=1, games=12_000)
    assert found.verdict is Verdict.MET
    assert found.changes == {"cubes": "8"}  # the least of those that meet it; nine cubes change more


@each_case(
    ("wish", "vary", "says"),
    [
        ({"actions": 6.5}, {"cubes": "5..9"}, "is most (2.8) with cubes = 9 instead of 7; cubes = 9 is the last value"),
        ({"inside": "<=1"}, {"cubes": "5..9"}, "is least (5."),
        ({"actions": ">=2.7", "action_points": "<=4.5"}, {"cubes": "5..9"}, "each wish alone can be met, but no way"),
        ({"actions": (2.6, 2.65)}, {"cubes": "5..9"}, "actions to choose from jumps over 2.6 to 2.65"),
    ],
)
def test_what_cannot_be_is_told_first_and_then_what_stands_in_its_way(wish: Any, vary: Any, says: str):
    found = tune("amerigo", wish, vary, seed=1, games=8000)
    lines = sentences(found)
    assert lines[0].startswith(("The wish is not met; the nearest of 5", "The wishes are not met; the nearest of 5"))
    assert says in found.in_plain_words
    assert found.verdict is Verdict.MISSED


def test_a_wider_space_is_searched_from_the_best_of_fewer_changes():
    hidden = ["cubes=8", "rounds=3", "gold_divisor=5"]
    rows = {row.key: row for row in compare_files(("amerigo", None), 4000, 99, "surrogate", hidden).figures}
    wish = {key: round(rows[key].mean_b, 3) for key in ("actions", "inside", "gold")}
    vary = {"cubes": "4..14", "rounds": "3..10", "gold_divisor": "2..6", "gold_divisor_with_token": "1..4"}
    found = tune("amerigo", wish, vary, seed=2)
    assert found.tried <= 114 < found.of == 11 * 8 * 5 * 4
    assert found.verdict is Verdict.MET
    assert dict(change.split("=") for change in hidden) in [dict(way.changes) for way in found.ways]


def test_a_game_of_ones_own_is_searched_too():
    """Twice the sun and rain, and one locust in place of six, make far more grain than either."""
    vary = {"sun": [20], "rain": [20], "locusts": [0, 6], "throw": [12]}
    found = tune(HARVEST, {"grain": ">=25"}, vary, seed=1, games=240)
    assert found.changes["locusts"] == "0"
    assert "grain in the end" in sentences(found)[0]


def test_the_fast_model_does_not_judge_where_it_does_not_know_such_drops():
    found = tune("amerigo", {"actions": ">=3.5"}, {"cubes": [60]}, seed=1, games=2000)
    assert found.verdict is Verdict.OPEN
    assert sentences(found)[0].startswith("Whether cubes = 60 instead of 7 meets the wish is open: ")
    doubt = "all of the drops lie outside of what the fast model was fitted to"
    assert sentences(found)[-1] == f"Only physics can tell: {doubt}. Add --model physics."
    assert f"; {doubt}\n" in text_of(found)
    assert {way.comparison.model for way in found.ways} == {found.searched}


def test_physics_judges_every_row_if_it_judges_one(monkeypatch: pytest.MonkeyPatch):
    """The rule of thumb stands for physics, which plays a game in seconds."""
    honest, names = search.open_model, list[str]()

    def quick(apparatus: Any, name: str, settings: Any = None) -> Any:
        names.append(name)
        return honest(apparatus, "two_thirds" if name == "physics" else name)

    monkeypatch.setattr(search, "open_model", quick)
    monkeypatch.setattr(search, "GAMES", (2000, 2000))
    found = tune("amerigo", {"actions": ">=3.5"}, {"cubes": "8..12"}, model="physics", seed=1)
    assert {"physics", "surrogate"} == set(names)
    assert {way.comparison.model for way in found.ways} == {"two_thirds"} != {found.searched}
    assert [way.games for way in found.ways] == [BY_PHYSICS // (2 * len(found.ways) - 1)] * len(found.ways)
    assert "model two_thirds" in text_of(found)


@each_case(
    ("verdicts", "told"),
    [  # of the chosen way, no change and another, which is nearer than both
        (("met", "met", "met"), 0),
        (("open", "open", "open"), 0),
        (("missed", "open", "missed"), 1),
        (("missed", "missed", "missed"), 2),
        (("open", "missed", "met"), 2),
        (("missed", "open", "open"), 2),
    ],
)
def test_no_verdict_is_told_over_a_better_one_of_a_nearer_way(verdicts: Sequence[str], told: int, three: Tuned):
    ways = [
        replace(three.best, changes=way, distance=distance, verdicts={"actions": Verdict(verdict)})
        for way, distance, verdict in zip(({"cubes": "9"}, {}, {"cubes": "8"}), (0.2, 0.3, 0.1), verdicts, strict=True)
    ]
    assert find_best(ways) is ways[told]


def test_towers_and_rules_are_searched_together():
    vary = {"apparatus": "amerigo,amerigo-club", "cubes": [7, 8]}
    found = tune("amerigo", {"actions": "<=2"}, vary, seed=1, games=2000)
    assert found.best.variant.apparatus.name == "amerigo-club"
    assert "apparatus = amerigo-club instead of amerigo" in sentences(found)[0]


def test_the_rules_that_were_found_are_written_for_every_command(three: Tuned, tmp_path: Path, capsys: Capture):
    file = tmp_path / "wished.toml"
    three.write(file)
    game = three.base.game
    assert read_rules(game, file).rules.but(name="amerigo") == three.rules
    assert read_variant(file).apparatus.name == "amerigo"
    for words in (["play", "amerigo", "--rules", str(file)], ["compare", "amerigo", str(file), "--games=20"]):
        assert cli.main([*words, "--model", "surrogate", "--seed", "1"]) == 0
    assert "cubes 9 (A: 7)" in capsys.readouterr().out


def test_paths_in_rules_that_are_written_count_from_their_folder(tmp_path: Path):
    (tmp_path / "mine.toml").write_text(shipped()["amerigo"], "utf-8")
    fitted = shipped_surrogate("amerigo", load("amerigo").digest)
    (tmp_path / "mine.surrogate.json").write_text(fitted.to_json(), "utf-8")
    (tmp_path / "out").mkdir()
    (tmp_path / "farm.py").write_text(Path(HARVEST).read_text("utf-8"), "utf-8")
    changes = [f"apparatus={tmp_path / 'mine.toml'}"]
    found = tune(tmp_path / "farm.py", {"grain": ">=1"}, {"sun": [14]}, changes=changes, games=100)
    found.write(tmp_path / "out" / "wished.toml")
    table = tomllib.loads((tmp_path / "out" / "wished.toml").read_text("utf-8"))
    assert (table["game"], table["apparatus"]) == ("../farm.py", "../mine.toml")
    read = read_variant(tmp_path / "out" / "wished.toml")
    assert read.apparatus.name == "mine"
    assert read.rules.model_dump() == found.rules.model_dump()
    words = ["play", str(tmp_path / "farm.py"), "--rules", str(tmp_path / "out" / "wished.toml"), "--model=surrogate"]
    assert cli.main(words) == 0


def test_the_command_says_and_writes_it(tmp_path: Path, capsys: Capture):
    file = tmp_path / "wished.toml"
    words = ["compare", "amerigo", "--wish", "actions=2.75..2.9", "--vary", "cubes=8..10", "--games=4000", "--seed=3"]
    assert cli.main([*words, "-o", str(file), "--save-plot", str(tmp_path / "p.svg")]) == 0
    output = capsys.readouterr().out
    assert output.startswith("The wish is met by cubes = 9 instead of 7: ")
    assert output.endswith(f"rules: {file}\nplot: {tmp_path / 'p.svg'}\n")
    assert cli.main([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["version"], document["verdict"]) == ("tower-sim/wish", 3, "met")
    assert document["ways"][document["best"]]["changes"] == {"cubes": "9"}
    assert (document["games"], document["model"], document["interrupted"]) == (4000, "surrogate", False)


def test_the_command_in_the_rules_that_were_written_finds_them_again(tmp_path: Path, capsys: Capture):
    words = ["compare", "amerigo", "--wish=gold>=3.4", "--vary=gold_divisor=1,2", "--set=rounds=2", "--seed=5"]
    assert cli.main([*words, "--games=300", "-o", str(tmp_path / "wished.toml")]) == 0
    first = capsys.readouterr().out
    text = (tmp_path / "wished.toml").read_text("utf-8")
    name, *again = shlex.split(re.findall("# Found by: (.*)", text)[0])
    assert name == "tower-sim"
    assert {"--games=300", "--model=surrogate"} <= {*again}
    assert cli.main(again) == 0
    assert first == f"{capsys.readouterr().out}rules: {tmp_path / 'wished.toml'}\n"
    fine = replace(tune("amerigo", {"gold": 3}, {"rounds": [2]}, games=100), settings=accuracy("core", "fine"))
    assert "--engine=core --accuracy=fine" in rules_text(fine, tmp_path / "x.toml")


class Noted:
    """A progress report that keeps what it is told."""

    def __init__(self) -> None:
        self.totals = list[tuple[str, int]]()
        self.done = list[int]()
        self.notes = list[str]()

    @contextmanager
    def report(self, what: str, total: int) -> Iterator[Any]:
        self.totals.append((what, total))
        yield self

    def __call__(self, done: int) -> None:
        self.done.append(done)

    def note(self, text: str) -> None:
        self.notes.append(text)


def search_harvest(report: Noted, games: int | None, seconds: float | None = None) -> Tuned:
    varied = [read_vary("locusts=0..6")]
    wishes = read_wishes(["grain>=1.5"])
    return search_rules(
        read_variant(HARVEST, ["seasons=1"]),
        wishes,
        varied,
        games,
        "surrogate",
        None,
        1,
        report=report.report,
        seconds=seconds,
    )


@each_case("games", [100, 333])
def test_a_search_plays_as_many_games_as_it_was_given_and_counts_them(games: int, monkeypatch: pytest.MonkeyPatch):
    played: list[int] = []
    honest = play._play
    monkeypatch.setattr(play, "_play", lambda *given: played.append(1) or honest(*given))
    report = Noted()
    found = search_harvest(report, games)
    assert report.totals == [("games of the search", games)]
    assert report.done == sorted(report.done)
    assert report.done[-1] == len(played)
    assert 0.95 * games <= len(played) <= games
    assert all(way.games >= FEWEST for way in found.ways)
    assert found.games == games


def test_a_search_without_a_number_of_games_takes_as_many_as_its_time_allows(monkeypatch: pytest.MonkeyPatch):
    """By the clock of this test a game takes 25 ms, so that 40 go into a second and 200 into 5."""
    now, honest = 0.0, search.play_side

    def slow(compared: Any, model: Any, games: int, *given: Any) -> Any:
        nonlocal now
        now += 0.025 * games
        return honest(compared, model, min(games, 20), *given)

    monkeypatch.setattr(search, "time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr(search, "play_side", slow)
    report = Noted()
    found = search_harvest(report, None, 5.0)
    assert found.games == 200
    assert report.totals == [("games of the search", 200)]


@each_case("after", [25, 90, 195, 240])
def test_a_search_that_is_stopped_reports_what_it_has(after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    games, honest = 0, play._play

    def stopping(*given: Any) -> Any:
        nonlocal games
        games += 1
        if games == after:
            raise KeyboardInterrupt
        return honest(*given)

    monkeypatch.setattr(play, "_play", stopping)
    found = search_harvest(Noted(), 250)
    assert found.stopped is not None
    assert after - 10 <= found.stopped[0] < after
    assert (
        sentences(found)[-1] == f"Stopped by Ctrl-C after {found.stopped[0]} of 250 games, so there may be better ways."
    )
    assert found.best.games >= 2
    assert found.to_json()["interrupted"]
    found.write(tmp_path / "wished.toml")
    assert read_variant(tmp_path / "wished.toml").rules.model_dump() == found.rules.model_dump()


def test_a_search_that_is_stopped_at_once_has_nothing_to_report(monkeypatch: pytest.MonkeyPatch):
    def stop(*given: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(search, "play_side", stop)
    with pytest.raises(KeyboardInterrupt):
        search_harvest(Noted(), 200)


def test_a_command_that_is_stopped_writes_its_rules_and_ends_with_status_1(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
):
    honest = Search.pick

    def stop(*given: Any) -> Any:
        monkeypatch.setattr(Search, "pick", honest)
        raise KeyboardInterrupt

    monkeypatch.setattr(Search, "pick", stop)
    file = tmp_path / "wished.toml"
    assert cli.main(["compare", *W, "--vary=cubes=8,9", "--games=400", "-o", str(file)]) == 1
    printed = capsys.readouterr()
    assert " Stopped by Ctrl-C after " in printed.out
    assert printed.out.endswith(f"rules: {file}\n")
    assert "interrupted" in printed.err
    assert "# Stopped by Ctrl-C after " in file.read_text("utf-8")


A = ["amerigo"]
W = ["amerigo", "--wish", "actions=3"]


@each_case(
    ("words", "says"),
    [
        ([*A, "--wish", "actions"], "--wish 'actions'; allowed is FIGURE=3, FIGURE>=3"),
        ([*A, "--wish", "actions=many"], "--wish 'actions=many'; allowed is FIGURE=3"),
        ([*A, "--wish", "actions>=2..3"], "--wish 'actions>=2..3'; allowed is FIGURE=3"),
        ([*A, "--wish", "actions=nan"], "--wish 'actions=nan'; allowed is a finite number"),
        ([*A, "--wish", "actions=3..2"], "--wish actions is '3..2'; allowed is a range from less to more"),
        ([*A, "--wish", "action=3"], "--wish is 'action'; allowed is one of setup, inside, most_inside"),
        ([*W, "--wish", "actions<=4"], "allowed is each figure once; write a range"),
        ([*W, "--vary", "cubes"], "--vary 'cubes'; allowed is KEY=VALUES, such as cubes=5..12"),
        ([*W, "--vary", "cubes=9..5"], "--vary 'cubes=9..5'; allowed are up to 1000 values from less to more"),
        ([*W, "--vary", "cubes=1..5000"], "--vary 'cubes=1..5000'; allowed are up to 1000 values"),
        ([*W, "--vary", "cubes=0.5..2"], "--vary 'cubes=0.5..2' has no step; allowed is FIRST..LAST..STEP"),
        ([*W, "--vary", "cubes=5..4000..3995"], "rules.cubes is 4000; allowed is a whole number from 1 to"),
        ([*W, "--vary", "cube=5..6"], "rules.cube is unknown"),
        ([*W, "--vary", "cubes=5..6", "--vary", "cubes=8"], "--vary is 'cubes'; allowed is each rule once"),
        ([*W, "--vary", "apparatus=wallenstein"], "apparatus is 'wallenstein'; allowed is one with a surrogate"),
        ([*W, "--vary", "rounds=0"], "rounds is 0; allowed is a whole number from 1 in a comparison"),
        ([*A, "six", "--wish", "actions=3"], "B is 'six'; allowed is none with --wish"),
        ([*A, "--vary", "cubes=5..6"], "--vary is ['cubes=5..6']; allowed is none without --wish"),
        ([*A, "--set", "cubes=6", "-o", "x.toml"], "--output is 'x.toml'; allowed is none without --wish"),
        ([*W, "-o", "wished"], "--output is 'wished'; allowed is a name that ends in .toml"),
        ([*W, "--games", "99"], "--games is 99; allowed is a whole number from 100"),
    ],
)
def test_bad_input_gets_one_line_and_status_2(words: Sequence[str], says: str, tmp_path: Path, capsys: Capture):
    assert cli.main(["compare", *words]) == 2
    printed = capsys.readouterr()
    assert printed.err.count("\n") == 1
    assert says in printed.err, printed.err
    assert printed.out == ""


def test_python_refuses_what_the_command_refuses():
    for wish, vary, says in (
        ({"actions": None}, None, "the wish actions is nothing"),
        ({}, None, "--wish is 'nothing'"),
        ({"actions": 3}, {"cubes": 5}, "vary cubes is 5; allowed is a range, a list of values"),
        ({"actions": 3}, {"cubes": []}, "the number of values of --vary cubes is 0"),
    ):
        with pytest.raises(UsageError) as refused:
            tower_sim.tune("amerigo", wish, vary)
        assert says in str(refused.value)


def test_the_report_names_every_way_with_its_verdict(three: Tuned):
    text = text_of(three)
    for way in three.ways:
        assert f"      {len(way.changes)}  {way.verdict}" in text
    assert text.count("<- told above") == 1


@pytest.mark.slow
def test_the_example_of_the_page_is_what_the_command_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.undo()
    page = (ROOT / "docs/compare.md").read_text("utf-8")
    found = re.search(r"`tower-sim (compare amerigo --wish [^`]*)` begins:\n\n<!-- wish -->\n> (.*)\n", page)
    assert found
    monkeypatch.chdir(tmp_path)
    with redirect_stdout(StringIO()) as output:
        assert cli.main(shlex.split(found[1])) == 0
    assert output.getvalue().startswith(found[2])
