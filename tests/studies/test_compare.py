"""House rules A/B: known differences are found, equal games differ in nothing, and the statistics do what they say."""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import Field
from support.cases import each_case
from support.fakes import CoinTower
from support.pictures import faults

from tower_sim import cli
from tower_sim.apparatus import load as load_apparatus
from tower_sim.drops import TooManyFailedDraws
from tower_sim.errors import UsageError
from tower_sim.games import LEVEL, Game, Row, Turn, how_sure, record
from tower_sim.games import Rules as HouseRules
from tower_sim.games.amerigo import GAME, Rules
from tower_sim.games.amerigo.compared import ComparedGames
from tower_sim.games.amerigo.many import FIGURES, make_plan, sample_games
from tower_sim.models import open_model
from tower_sim.requests import Variant, read_rules, read_variant
from tower_sim.results import Estimate, Figure, Plan, Results, RunSampler, percent, table
from tower_sim.studies import Comparison, compare, comparison_figure, comparison_report
from tower_sim.studies.comparison import play as pairs_play
from tower_sim.studies.comparison.paired import POWER, games_to_show, group_rows, rows, shows_from, smaller
from tower_sim.surrogate import SurrogateModel
from tower_sim.tools import registry
from tower_sim.tools.terminal import fold

ROOT = Path(__file__).parents[2]
DOC = (ROOT / "docs/compare.md").read_text("utf-8")
VARIANTS = ROOT / "docs/variants"
GAMES = 50
Capture = pytest.CaptureFixture[str]
KEYS = [figure.key for figure in FIGURES]


def paired(a: Any, b: Any) -> tuple[Row, ...]:
    """Return the rows of figures without a name."""
    return rows(a, b, [Figure("x", "X", "1")] * np.shape(a)[1])


def text_of(found: Comparison) -> str:
    return comparison_report(found).text()


def variant(name: str = "published", **rules: Any) -> Variant:
    published = read_variant("amerigo")
    return replace(published, name=name, rules=published.rules.but(**rules))


def seen(a: Rules, b: Rules) -> ComparedGames:
    found = GAME.compared((a, b))
    assert isinstance(found, ComparedGames)
    return found


def compared(a: Variant, b: Variant, games: int = GAMES, seed: int = 7, model: str = "two_thirds") -> Comparison:
    with open_model(a.apparatus, model) as first, open_model(b.apparatus, model) as second:
        return compare((a, b), (first, second), games, seed)


@pytest.fixture(name="six", scope="module")
def _six() -> Comparison:
    return compared(variant(), variant("six", cubes=6, gold_divisor=2))


def games_of(side: Variant, games: int = GAMES, seed: int = 7) -> Results:
    with open_model(side.apparatus, "two_thirds") as model:
        every = [list(GAME.start(model, side.rules, seed, game)) for game in range(games)]
    return record(GAME, every, side.rules)


def counted(thrown: Any, out: Any, inside: Any, plan: Plan) -> Results:
    return Results.of_counts({"thrown": thrown, "out": out, "inside": inside}, plan=plan)


def row(found: Comparison, key: str) -> Row:
    return next(each for each in found.figures if each.key == key)


@each_case(("name", "model", "run"), [("amerigo", "two_thirds", "game"), ("dead_reckoning", "surrogate", "battle")])
def test_equal_variants_differ_in_nothing_at_all(name: str, model: str, run: str):
    a = read_variant(name)
    found = compared(a, replace(a, name="the same"), 4, model=model)
    assert {each.difference.value for rows in found.groups for each in rows} == {0.0}
    assert {each.p_adjusted for each in found.figures} == {1.0}
    assert not any(each.shown or each.interval for each in found.figures)
    assert found.in_plain_words == f"A and B play alike: from equal seeds every {run} is the same."
    assert found.in_plain_words in " ".join(text_of(found).split())
    assert found.to_json()["differs"] == []


def test_rules_that_the_tower_does_not_touch_leave_every_figure_as_it_was():
    ruled = variant(substitute="", rulings={"stand_in_tokens": "both"})
    found = compared(variant(), ruled, games=3)
    assert {each.difference.value for each in found.figures} == {0.0}
    assert [each["key"] for each in found.to_json()["differs"]] == ["substitute", "rulings.stand_in_tokens"]
    report = " ".join(text_of(found).split())
    assert "No figure below depends on substitute and rulings.stand_in_tokens." in report


@each_case(
    ("rule", "key", "by_hand"),
    [
        ({"gold_divisor_with_token": 1}, "gold_with_token", lambda out: out - np.ceil(out / 2)),
        ({"gold_divisor": 2}, "gold", lambda out: np.ceil(out / 2) - np.ceil(out / 3)),
    ],
)
def test_the_cubes_of_a_game_decide_the_gold_under_either_rule(rule: Any, key: str, by_hand: Any):
    found = compared(variant(), variant(**rule), games=5)
    assert [each.key for each in found.figures if each.difference.value] == [key]
    out = games_of(variant(), 5).each_colour("out")[:, 1:].sum(-1)
    assert row(found, key).difference.value == pytest.approx(by_hand(out).mean(), abs=1e-12)


def test_a_pair_is_the_two_games_that_play_amerigo_plays_with_its_seed(six: Comparison):
    both = seen(six.a.rules, six.b.rules)
    with open_model(six.a.apparatus, "two_thirds") as model:
        for side, (runs, of) in enumerate(zip(six.values, (six.a, six.b), strict=True)):
            alone = both.run(list(GAME.start(model, of.rules, 7, 3)), side)
            assert np.array_equal(runs.values[3:4], alone.values)
            assert np.array_equal(runs.course["inside"][3:4], alone.course["inside"])


class Sampler(CoinTower):
    """Plays many games at once, as a surrogate does; its drops fail, so that asking for one would show."""

    def sample_runs(self, plan: Plan, runs: int, seed: int, *, first: int = 0, shift: float = 0.0) -> Results:
        shape = (1, plan.drops, len(plan.colours))
        streams = [np.random.default_rng((seed, first + run)) for run in range(runs)]
        counts = np.concatenate([rng.integers(0, 3, shape) for rng in streams])
        return counted(counts, counts, counts, plan)

    def extrapolated(self, counts: Results) -> np.ndarray:
        return counts.each_colour("thrown").sum(-1) > 7


def test_a_model_that_samples_games_is_asked_for_many_at_once():
    model = Sampler(failure_rate=1.0)
    assert isinstance(model, RunSampler)
    found = compare((variant(), variant(gold_divisor=1)), (model, model), 25, 3)
    every = sample_games(model, Rules(), 25, 3)
    assert len(found) == 25
    assert found.values[0].draws is None
    assert found.extrapolated == ((every.each_colour("thrown").sum(-1) > 7).mean(),) * 2
    assert np.array_equal(found.courses[0]["inside"], every.each_colour("inside").sum(-1))
    assert row(found, "gold").difference.value > 0


@each_case("size", [1, 7, 100])
def test_how_many_games_are_sampled_at_a_time_changes_no_bit(size: int, monkeypatch: pytest.MonkeyPatch):
    def found(batch: int) -> dict[str, Any]:
        monkeypatch.setattr("tower_sim.studies.comparison.play._BATCH", batch)
        monkeypatch.setattr("tower_sim.studies.comparison.play._PLAIN_BATCH", batch)
        return compare((variant(), variant("b", cubes=5)), (Sampler(), Sampler()), 100, 3).to_json()

    assert found(size) == found(50)


def test_a_number_of_games_out_of_range_is_refused_before_any_is_played():
    for games in (1, 1_000_001, 10**12):
        with pytest.raises(UsageError, match=f"games is {games}; allowed is a whole number from 2 to 1000000"):
            compare((variant(), variant()), (CoinTower(), CoinTower()), games, 1)


def test_a_pair_with_a_failed_game_is_left_out_and_counted():
    # a drop fails 5 times in a row with chance 0.5^5, so of 4 drops one does with chance 0.12
    red = replace(variant(), rules=Rules(colours=("red",), rounds=3, substitute=""))
    found = compare((red, red), (CoinTower(failure_rate=0.5), CoinTower()), 40, 1)
    assert found.left_out > 0
    assert len(found) == 40 - found.left_out
    draws, again = (side.draws for side in found.values)
    assert draws
    assert again
    assert draws[1] > 0 == again[1]
    assert f"{found.left_out} pair" in text_of(found)
    assert found.to_json()["left_out"] == found.left_out
    with pytest.raises(TooManyFailedDraws):
        compare((red, red), (CoinTower(failure_rate=1.0), CoinTower()), 2, 1)


def test_an_interruption_keeps_the_pairs_that_are_done_if_there_are_two():
    both, models = (variant(), variant("b", cubes=5)), (CoinTower(), CoinTower())

    def played(interrupted_at: int) -> Comparison:
        def stop(at: int) -> None:
            if at == interrupted_at:
                raise KeyboardInterrupt

        return compare(both, models, 10, 1, stop)

    with pytest.raises(KeyboardInterrupt):
        played(1)
    found, alone = played(3), compare(both, models, 3, 1)
    assert (len(found), found.interrupted) == (3, True)
    assert np.array_equal(found.values[0].values, alone.values[0].values)
    assert np.array_equal(found.courses[1]["inside"], alone.courses[1]["inside"])


@each_case(
    ("owner", "name", "calls", "model", "kept"),
    [
        (pairs_play, "_play", 5, "two_thirds", 2),  # in the second game of the third pair
        (SurrogateModel, "extrapolated", 4, "surrogate", 8),  # in the third batch
    ],
)
def test_an_interrupted_command_tells_of_what_is_done_and_ends_with_1(
    owner: Any, name: str, calls: int, model: str, kept: int, monkeypatch: pytest.MonkeyPatch, capsys: Capture
):
    real, left = getattr(owner, name), iter(range(calls))

    def stop(*given: Any) -> Any:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return real(*given)

    monkeypatch.setattr(owner, name, stop)
    monkeypatch.setattr(pairs_play, "_BATCH", 4)
    argv = ["compare", "amerigo", str(VARIANTS / "six_cubes.toml"), "--games", "90", "--model", model, "--seed", "1"]
    assert cli.main([*argv, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["games"], document["pairs"], document["interrupted"]) == (90, kept, True)


def test_the_figures_of_a_game_by_hand():
    rules = Rules(colours=("red", "blue"), rounds=2, cubes=4, substitute="", gold_divisor=2, gold_divisor_with_token=4)
    # drops: the set-up, then red and blue of two rounds; colours: red, blue
    thrown = np.array([[[4, 4], [3, 0], [0, 2], [1, 0], [0, 0]]])
    emerged = np.array([[[3, 2], [1, 2], [0, 0], [4, 1], [0, 0]]])
    inside = np.array([[[1, 2], [3, 0], [3, 2], [0, 1], [0, 1]]])
    games = counted(thrown, emerged, inside, make_plan(rules))
    values = dict(zip(KEYS, table(games, FIGURES)[0], strict=True))
    assert values == {
        "setup": 3,
        "inside": (3 + 5 + 1 + 1) / 4,
        "most_inside": 5,
        "out": (3 + 0 + 5 + 0) / 4,
        "share_out": 8 / ((3 + 3) + (2 + 3) + (1 + 5) + (0 + 1)),
        "action_points": (2 + 0 + 4 + 0) / 4,
        "actions": (2 + 0 + 2 + 0) / 4,
        "gold": (2 + 0 + 3 + 0) / 4,
        "gold_with_token": (1 + 0 + 2 + 0) / 4,
        "skipped": 2,
    }
    both = seen(rules, Rules(colours=("blue", "green"), substitute="", rounds=2))
    assert [each.key for each in both.groups[1].figures] == ["blue"]
    assert both.measure(games, 0).values[0, -1] == 3 / 4


def test_fewer_cubes_leave_that_share_fewer_inside_under_the_two_thirds_rule(six: Comparison):
    found, share = row(six, "setup"), row(six, "share_out")
    expected, error = -7 / 3, found.sd_difference / math.sqrt(GAMES)  # each cube stays by itself with 1/3
    assert found.shown
    assert abs(found.difference.value - expected) < 4 * error < 1
    assert found.interval
    assert found.interval[0] < found.difference.value < found.interval[1] < 0
    assert abs(share.difference.value) < 4 * share.sd_difference / math.sqrt(GAMES)
    assert share.sd_difference > 0


def test_intervals_cover_as_often_as_they_say():
    """12 pairs that correlate; B - A has mean 0.3 and sd 1."""
    reps, rng = 1200, np.random.default_rng(1)
    shared, own, a = rng.normal(size=(3, reps, 12, 1))
    found = [paired(a[i], a[i] + 0.8 * shared[i] + 0.6 * own[i] + 0.3) for i in range(reps)]
    covered = np.mean([each.difference.low <= 0.3 <= each.difference.high for (each,) in found])
    assert abs(covered - 0.95) < 4 * math.sqrt(0.95 * 0.05 / reps)


def test_a_difference_that_games_are_said_to_show_is_shown_that_often():
    reps, figures, n = 1200, 9, 5
    noise = np.random.default_rng(4).normal(size=(reps, n, figures))
    noise[:, :, 0] += shows_from(1.0, n, figures)
    found = [paired(np.zeros((n, figures)), each) for each in noise]
    first_step = np.mean([each[0].p <= LEVEL / figures for each in found])
    assert abs(first_step - POWER) < 4 * math.sqrt(POWER * (1 - POWER) / reps)
    assert np.mean([each[0].shown for each in found]) >= first_step


def test_the_games_a_smaller_difference_needs_are_the_fewest_that_show_it():
    for difference in (3.0, 0.7, 0.1, 0.004):
        n = games_to_show(difference, 1.3, 9)
        assert shows_from(1.3, n, 9) <= difference
        assert n == 2 or shows_from(1.3, n - 1, 9) > difference


def test_a_difference_that_all_pairs_share_is_judged_by_its_sign():
    a = np.tile([[1.0, 2.0, 0.1]], (6, 1))
    found = paired(a, a + np.array([0.0, 1.0, 0.2]))
    assert [each.p for each in found] == pytest.approx([1.0, 2**-5, 2**-5])
    assert {each.interval for each in found} == {None}
    assert {each.sd_difference for each in found} == {0}


def test_pairing_gains_what_correlation_gives():
    rng = np.random.default_rng(5)
    a = rng.normal(size=(400, 1))
    (found,) = paired(a, a + 0.5 * rng.normal(size=(400, 1)))
    # var A + var B = 1 + 1.25, var (B - A) = 0.25; a ratio of two variances of 400 has relative sd sqrt(4 / 400)
    assert found.pairing_gain == pytest.approx(9, rel=4 * math.sqrt(4 / 400))
    assert found.correlation == pytest.approx(1 / math.sqrt(1.25), abs=4 / math.sqrt(400))


def test_the_report_leads_with_what_differs_and_its_tables_are_80_columns_wide_at_most(six: Comparison):
    text = text_of(six)
    lines = text.splitlines()
    assert max(len(line) for line in lines if "  " in line) <= 80
    assert max(map(len, fold(text, 80).splitlines())) <= 80
    assert "\nB differs from A in cubes 6 (A: 7); gold_divisor 2 (A: 3).\n\nShown, B minus A: inside after the" in text
    assert re.match(r"B: \d\.\d instead of \d\.\d cubes stay in the tower; the players choose from", text)
    for figure in six.figures:
        assert sum(line.startswith(f"{figure.title} ") for line in lines) == 2 * (not figure.never)
    assert "e+" not in text


def test_towers_that_differ_are_told_by_the_keys_of_their_profiles(tmp_path: Path):
    (tmp_path / "club.toml").write_text('apparatus = "amerigo-club"\nphases = ["red"]\ncolours = ["red", "white"]\n')
    found = compared(variant(), read_variant(tmp_path / "club.toml"), games=2)
    assert "phases red (A: blue black red" in " ".join(text_of(found).split())
    keys = {each["key"] for each in found.to_json()["differs"]}
    assert keys > {"colours", "phases"}
    assert any(key.startswith("tower.") for key in keys)


def test_the_document_has_the_documented_keys(six: Comparison):
    document = json.loads(json.dumps(six.to_json(), allow_nan=False))
    assert (document["schema"], document["version"], document["seed"]) == ("tower-sim/compare", 2, "7")
    assert (document["games"], document["pairs"], document["left_out"]) == (GAMES, GAMES, 0)
    assert document["differs"] == [{"key": "cubes", "a": 7, "b": 6}, {"key": "gold_divisor", "a": 3, "b": 2}]
    assert [each["key"] for each in document["figures"]] == KEYS
    assert [each["key"] for each in document["colours"]] == list(Rules().colours)
    for key in (*document, *document["a"], *document["figures"][0]):
        assert f"`{key}`" in DOC, key
    figure = document["figures"][0]
    assert figure["difference"] == pytest.approx(figure["b"]["mean"] - figure["a"]["mean"])
    assert figure["smaller"]["difference"] == pytest.approx(abs(figure["difference"]) / 2)


def test_the_command_prints_a_document_or_a_report_and_draws_the_picture(tmp_path: Path, capsys: Capture):
    files = [str(VARIANTS / "published.toml"), str(VARIANTS / "six_cubes.toml")]
    argv = ["compare", *files, "--games", "3", "--seed", "5", "--model", "two_thirds"]
    assert cli.main([*argv, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["a"]["name"], document["b"]["name"]) == ("published", "six_cubes")
    for plot in (tmp_path / "it.svg", tmp_path / "it.html"):
        assert cli.main([*argv, "--save-plot", str(plot)]) == 0
        assert plot.stat().st_size > 10_000
        printed = capsys.readouterr().out.splitlines()
        assert "Amerigo, house rules compared: 3 pairs of games, model two_thirds, seed 5" in printed
        assert printed[-1] == f"plot: {plot}"


@pytest.mark.slow
def test_a_picture_of_games_that_differ_in_nothing_or_in_length_is_drawn():
    for b in (variant("the same"), variant("short", rounds=1, phases=("red",))):
        assert faults(comparison_figure(compared(variant(), b, games=2))) == {}


def test_the_page_of_a_comparison_has_its_words_its_tables_and_its_picture(six: Comparison):
    text = comparison_report(six).page()
    assert six.in_plain_words.split(". ")[0] in text
    assert text.count("<svg") == 1
    assert text.count("<table>") == 2 * len(six.groups)
    assert all(each.title in text for group in six.groups for each in group if not each.never)
    assert faults(comparison_figure(six)) == {}


def test_a_relative_apparatus_counts_from_the_variants_folder(tmp_path: Path):
    profile = ROOT / "tower_sim/apparatus/amerigo/profiles/amerigo.toml"
    (tmp_path / "mine.toml").write_text(profile.read_text("utf-8"))
    (tmp_path / "a.toml").write_text('apparatus = "mine.toml"\n')
    assert read_variant(tmp_path / "a.toml").apparatus.digest == read_variant("amerigo").apparatus.digest


@each_case(
    ("text", "says"),
    [
        ("cube = 6", "rules.cube is unknown; allowed are name, colours"),
        ("cubes = 0", "cubes is 0; allowed is a whole number from 1"),
        ("cubes = ", "not TOML"),
        ("apparatus = 3", "apparatus is 3; allowed is one of amerigo"),
        ('apparatus = "dead_reckoning"', "is no tower that keeps cubes"),
        ('apparatus = "nowhere.toml"', "is neither a shipped profile nor a file"),
        (None, "cannot be read: it is not there; check its spelling and the folder that you are in; give a TOML file"),
    ],
)
def test_a_bad_variant_is_refused_in_one_line_that_names_the_file(text: str | None, says: str, tmp_path: Path):
    file = tmp_path / "bad.toml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(UsageError) as error:
        read_variant(file)
    assert says in str(error.value)
    assert str(file) in str(error.value)
    assert "\n" not in str(error.value)


@each_case(
    ("arguments", "says"),
    [
        ("amerigo amerigo --games 1", "--games is 1; allowed is a whole number from 2 to 1000000; try --games 1000"),
        ("amerigo amerigo --games 100000000000", "is 100000000000; allowed is a whole number from 2 to 1000000"),
        ("amerigo amerigo --set cubes=6 --set 'cubes =7'", "a change is 'cubes =7'; allowed is each key once"),
        ("amerigo amerigo --model magic", "model is 'magic'"),
        ("amerigo amerigo --save-plot a.doc", "ends in '.doc'"),
        ("amerigo amerigo --set cubes", "a change is 'cubes'; allowed is KEY=VALUE"),
        ("amerigo amerigo --set cubes=0", "variant 'amerigo': rules.cubes is 0; allowed"),
        ("amerigo amerigo --set rounds=0", "rounds is 0; allowed is a whole number from 1 in a comparison"),
        ("amerigo amerigo --set apparatus=dead_reckoning", "is no tower that keeps cubes"),
        ("amerigo", "allowed is a file, a shipped name or --set KEY=VALUE; try --set cubes=6"),
        ("dead_reckoning amerigo", "the game of B is 'amerigo'; allowed is dead_reckoning, the game of A"),
        ("dead_reckoning --set cubes.green=99", "variant 'dead_reckoning': battle.cubes.green is 99; allowed"),
        ("dead_reckoning --set cubez.green=9", "battle.cubez is unknown"),
        ("dead_reckoning --set apparatus=amerigo", "variant 'dead_reckoning': apparatus 'amerigo'"),
        ("dead_reckoning --set game=chess", "game is 'chess'; allowed is one of amerigo, chain, dead_reckoning"),
        ("dead_reckoning --set combat=tie_break --set active= --set cubes.red=3", "number of sides is 3; allowed is 2"),
    ],
)
def test_bad_input_gets_one_line_and_status_2(arguments: str, says: str, capsys: Capture):
    games = [] if "--games" in arguments else ["--games", "4"]
    assert cli.main(["compare", *shlex.split(arguments), *games]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert says in printed.err
    assert printed.err.count("\n") == 1


@each_case("name", ["amerigo", "dead_reckoning", "amerigo-club"])
def test_the_name_of_a_game_or_tower_is_the_game_as_published_with_it(name: str):
    published = read_variant(name)
    game = registry.get("game", "amerigo" if name == "amerigo-club" else name)
    assert (published.name, published.game, published.apparatus.name) == (name, game, name)
    assert game.plain(published.rules) == game.plain(game.read({}))


def test_changes_are_made_to_b_which_may_be_left_out(capsys: Capture):
    argv = ["compare", "amerigo", "--games", "2", "--seed", "5", "--model", "two_thirds", "--json"]
    for words in (["--set", "cubes=6"], ["amerigo", "--set", "cubes=6"]):
        assert cli.main([*argv, *words]) == 0
        document = json.loads(capsys.readouterr().out)
        assert document["differs"] == [{"key": "cubes", "a": 7, "b": 6}]
        assert [document[x]["name"] for x in "ab"] == ["amerigo", "amerigo cubes=6"]
        assert [document[x]["set"] for x in "ab"] == [[], ["cubes=6"]]


def test_a_change_is_toml_a_bare_word_or_a_key_in_a_table(tmp_path: Path):
    file = tmp_path / "house.toml"
    file.write_text('apparatus = "amerigo-club"\ncubes = 6\n[rulings]\nstand_in_exchange = "there"\n')
    assert read_variant(file, ["substitute="]).rules.substitute == ""
    changes = ['phases=["red"]', "substitute = red", "rulings.stand_in_tokens=both", "apparatus=amerigo"]
    found = read_variant(file, changes)
    rulings = {"stand_in_tokens": "both", "stand_in_exchange": "there"}
    assert found.rules == Rules().but(cubes=6, phases=["red"], substitute="red", rulings=rulings)
    assert found.apparatus.name == "amerigo"
    assert read_variant(file).apparatus.name == "amerigo-club"


def test_a_file_that_is_played_is_compared_and_one_with_knocks_is_refused(tmp_path: Path, capsys: Capture):
    file = tmp_path / "house.toml"
    file.write_text('game = "amerigo"\napparatus = "amerigo-club"\n[rules]\ncubes = 6\n')
    read = read_rules(registry.get("game", "amerigo"), file)
    found = read_variant(file)
    assert (found.rules, found.apparatus.name) == (read.rules, read.apparatus)
    file.write_text("cubes = 6\n[knocks]\n3 = 0.5\n")
    assert read_rules(registry.get("game", "amerigo"), file).rules.knocks == {3: 0.5}
    assert cli.main(["compare", "amerigo", str(file), "--games", "2", "--model", "two_thirds"]) == 2
    assert "variant house: knocks is {3: 0.5}; allowed is none in a comparison" in capsys.readouterr().err


BATTLE = 'game = "dead_reckoning"\n[cubes]\npurple = 5\ngreen = {}\n'


def battles(tmp_path: Path, *green: int) -> tuple[Variant, ...]:
    for number in green:
        (tmp_path / f"green{number}.toml").write_text(BATTLE.format(number))
    return tuple(read_variant(tmp_path / f"green{number}.toml") for number in green)


@pytest.mark.slow
def test_a_side_with_more_cubes_wins_more(tmp_path: Path):
    """The other side has 8 cubes in B, 2 in A; the chances that battles of their own seeds have are the same."""
    games = 150
    a, b = battles(tmp_path, 2, 8)
    found = compared(a, b, games, seed=3, model="surrogate")
    wins = row(found, "active_wins")
    assert wins.shown
    assert wins.difference.value < -0.1
    lone = compared(a, b, games, seed=4, model="surrogate")
    error = math.hypot(wins.sd_difference, row(lone, "active_wins").sd_difference) / math.sqrt(games)
    assert abs(row(lone, "active_wins").difference.value - wins.difference.value) < 4 * error
    assert row(found, "strength_other").difference.value > 1
    assert "; the active side wins about " in found.in_plain_words
    assert faults(comparison_figure(found)) == {}
    report = text_of(found)
    assert "Dead Reckoning, house rules compared: 150 pairs of battles, model surrogate, seed 3" in report
    assert "\nB differs from A in cubes.green 8 (A: 2).\n" in report


@pytest.mark.parametrize("game", [pytest.param("amerigo", marks=pytest.mark.slow), "dead_reckoning"])
def test_a_table_of_equals_shows_anything_as_rarely_as_it_says(six: Comparison, game: str):
    """Pairs drawn from one pool of games: not normal, many zeros, all figures dependent."""
    if game == "amerigo":
        pool, n = table(games_of(six.a), FIGURES), 30
    else:
        a, n = read_variant(game, ["cubes.purple=5"]), 60
        pool = compared(a, a, 150, 5, "surrogate").values[0].values
    rng, reps = np.random.default_rng(3), 1200
    tests = [paired(*pool[rng.integers(len(pool), size=(2, n))]) for _ in range(reps)]
    share = np.mean([any(each.shown for each in test) for test in tests])
    naive = np.mean([any(each.p <= LEVEL for each in test) for test in tests])
    assert share < LEVEL + 4 * math.sqrt(LEVEL * (1 - LEVEL) / reps)
    assert naive > 2 * LEVEL  # what the adjustment is for


def test_the_figures_of_a_battle_are_those_of_its_result(tmp_path: Path):
    (a,) = battles(tmp_path, 5)
    with open_model(a.apparatus, "surrogate") as model:
        for run in range(5):
            turns = list(a.game.start(model, a.rules, 8, run))
            fought = turns[-1].entry
            result = fought.result()
            figures = dict(zip([f.key for f in a.game.figures], a.game.measured(turns, a.rules), strict=True))
            for colour, side in (("purple", "active"), ("green", "other")):
                for key in ("strength", "coins", "cargo", "choice", "damage_given", "damage_taken"):
                    assert figures[f"{key}_{side}"] == getattr(result.sides[colour], key)
            assert figures["active_wins"] == (result.winner == "purple")
            assert figures["explosions"] == sum(step.kind == "explosion" for step in fought.steps)
            assert figures["throws"] == sum(bool(step.thrown) for step in fought.steps)


def test_set_ups_are_compared_by_the_command(tmp_path: Path, capsys: Capture):
    changes = ("--set", "cubes.green=4", "--set", "sides.green.damage=1")
    argv = ["compare", "dead_reckoning", *changes, "--games", "4", "--seed", "5"]
    assert cli.main([*argv, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    damage = {"key": "sides.green.damage", "a": 0, "b": 1}
    assert document["differs"] == [{"key": "cubes.green", "a": 3, "b": 4}, damage]
    assert [document[x]["game"] for x in "ab"] == ["dead_reckoning"] * 2
    assert document["b"]["rules"]["cubes"] == {"purple": 6, "green": 4}
    assert document["a"]["draws"]["landed"] >= 4
    battles(tmp_path, 2, 8)
    files = [str(tmp_path / "green2.toml"), str(tmp_path / "green8.toml")]
    assert cli.main(["compare", *files, "--games", "4", "--seed", "5"]) == 0
    side = "A is green2: purple 5 (active) against green 2, ship against ship, ship dead_reckoning"
    assert side in capsys.readouterr().out


class HeadsRules(HouseRules):
    """The rules of Heads."""

    cubes: int = Field(4, ge=1, description="red cubes")


class Heads(Game):
    """throws its cubes once; it has two figures, and no words of its own"""

    name, title, run, apparatus, Rules = "heads", "Heads", "throw", "amerigo", HeadsRules
    figures = (Figure("out", "cubes out", "cubes", of="out"), Figure("any", "any inside", "1", of="inside > 0"))

    def cubes(self, rules: Any) -> dict[str, int]:
        return {"red": rules.cubes}

    def play(self, tower: Any, rules: Any) -> Iterator[Turn]:
        tower.throw(tower.outside)
        yield Turn()


def test_a_game_that_only_has_figures_is_compared_told_and_drawn():
    a = Variant("heads", "heads", Heads(), HeadsRules(cubes=4), load_apparatus("amerigo"))
    b = replace(a, name="more", rules=HeadsRules(cubes=8))
    found = compared(a, b, 60)
    out = row(found, "out")
    # each cube comes out by itself with 2/3
    assert abs(out.difference.value - 8 / 3) < 4 * out.sd_difference / math.sqrt(60)
    assert out.shown
    assert found.in_plain_words.startswith("B: cubes out about ")
    report = text_of(found)
    assert "Heads, house rules compared: 60 pairs of throws, model two_thirds, seed 7" in report
    assert "B differs from A in cubes 8 (A: 4)." in report
    assert [key for key in found.to_json() if key in ("figures", "colours")] == ["figures"]
    assert faults(comparison_figure(found)) == {}


def test_the_words_a_player_reads_first_say_how_sure_they_are():
    few = compared(variant(), variant("six", cubes=6), games=2)
    assert few.in_plain_words == ("No difference between A and B is shown in any of 17 figures: too few games to tell.")
    report = text_of(few)
    assert "2 pairs, too few to tell how sure this is (an interval needs 8)." in report
    assert "how sure\n" not in report
    assert {smaller(each) or each.interval for each in few.figures} == {None}
    gold = compared(variant(), variant("gold", gold_divisor=2), games=20).in_plain_words
    said = r"B: passing pays \d\.\d instead of \d\.\d gold: certain\. Of 16 other figures no difference is shown\."
    assert re.fullmatch(said, gold)


def put(found: Comparison, key: str, **changes: Any) -> Comparison:
    """Return a comparison with other numbers in one row of its first table."""
    first = tuple(replace(each, **changes) if each.key == key else each for each in found.figures)
    return replace(found, groups=(first, *found.groups[1:]))


@each_case(("adjusted", "said"), [(1e-4, "certain"), (1.01e-4, "very likely"), (0.04, "very likely")])
def test_certain_is_said_by_the_p_of_all_figures_together(adjusted: float, said: str):
    row = Row("x", "X", "cubes", Estimate(-1.0, -1.2, -0.8, 50), 3.0, 2.0, 1.0, 1.0, 1.0, 0.0, 1e-6, adjusted, 9)
    assert how_sure(row) == said


def test_a_difference_that_is_not_shown_is_likely_or_may_be_large_and_is_said_so(six: Comparison):
    """Likely leaves 0 out; what may be over a tenth of A's mean is named; the surest come first."""

    def say(difference: float, interval: tuple[float, float], key: str = "inside") -> str:
        by, rows = Estimate(difference, *interval, 50), six.compared.groups[0].figures
        none = Estimate(0.0, -0.01, 0.01, 50)
        of = {"mean_a": 4.8, "mean_b": 4.8, "difference": none, "p_adjusted": 0.9}
        found = [replace(row, **of) for row, _ in zip(six.figures, rows, strict=True)]
        changes = {"difference": by, "mean_b": 4.8 + difference, "p_adjusted": 0.2}
        return six.compared.words([replace(row, **changes) if row.key == key else row for row in found])

    begins, rest = "B: 12.9 instead of 4.8 cubes stay in the tower: ", "Of 9 other figures no difference is shown."
    assert say(8.1, (1.4, 14.8)) == f"{begins}likely, but not sure, and it may be 1.4 to 14.8 more. {rest}"
    assert "and it may be 1.4 to 3.8 less. " in say(-2.6, (-3.8, -1.4))
    none = "No difference between A and B is shown in any of 10 figures"
    assert say(8.1, (-1.4, 17.6)) == f"{none}. It may be large all the same, over a tenth, in mean inside in play."
    assert say(0.1, (-0.2, 0.4)) == f"{none}."
    assert say(8.1, (1.4, 14.8), "out") == f"{none}."  # it has no sentence: one of so many is likely by chance
    assert say(8.1, (-1.4, 17.6), "skipped") == f"{none}."


def test_words_of_equals_claim_as_rarely_as_the_page_says(six: Comparison):
    """Games of one pool: at n = 30 words say `likely` of any of the four figures that they tell in up to 1 of 7."""
    pool, rng, reps, n = table(games_of(six.a), FIGURES), np.random.default_rng(4), 600, 30
    places = [i for i, figure in enumerate(FIGURES) if figure.sentence]
    assert len(places) == 4
    found = [paired(*pool[rng.integers(len(pool), size=(2, n))]) for _ in range(reps)]
    ends = [[(one[at].difference.low, one[at].difference.high) for at in places] for one in found]
    likely = np.mean([any(low > 0 or high < 0 for low, high in each) for each in ends])
    print(f"likely in {likely:.3f} of {reps}")
    assert likely < 1 / 7 + 4 * math.sqrt(6 / 49 / reps)


def test_what_never_appears_has_no_row_in_table_or_picture(six: Comparison):
    by = Estimate(0.0, math.nan, math.nan, 50)
    found = put(six, "skipped", mean_a=0.0, mean_b=0.0, sd_a=0.0, sd_b=0.0, difference=by, p_adjusted=1.0)
    report = text_of(found)
    assert "\nphases skipped " not in report
    assert "0 in every game of A and B, and so not in the tables: phases skipped." in report
    labels = [text.get_text() for text in comparison_figure(found).axes[0].get_yticklabels()]
    assert len(labels) == len(six.figures) - 1
    assert "skipped" in json.dumps(found.to_json())


def test_a_difference_too_large_for_the_picture_is_told_in_its_place(six: Comparison):
    by = Estimate(0.89, 0.887, 0.893, 50)
    figure = comparison_figure(put(six, "skipped", mean_a=0.01, mean_b=0.9, difference=by, p_adjusted=1e-6))
    assert faults(figure) == {}
    assert any("A 0.01, B 0.9: 0.890 ± 0.003" in text.get_text() for text in figure.axes[0].get_yticklabels())
    assert figure.axes[0].get_xlim()[1] < 200


def test_means_that_differ_are_told_with_decimals_that_differ(six: Comparison):
    assert row(six, "gold").shown
    told = put(six, "gold", mean_a=2.4507, mean_b=2.4513).in_plain_words
    assert "passing pays 2.4513 instead of 2.4507 gold: certain." in told


def test_shares_are_written_so_that_something_is_not_nothing():
    said = ["none", "under 0.1 %", "3.1 %", "99.5 %", "over 99.9 %", "all"]
    assert [percent(share) for share in (0.0, 0.00001, 0.0312, 0.995, 0.99999, 1.0)] == said


@each_case(("seeds", "games", "rounds"), [((1, 2), 5000, 5), ((1, 1), 30, 1)])
def test_a_report_of_many_games_has_no_powers_of_ten(seeds: Any, games: int, rounds: int):
    a, b = (sample_games(Sampler(), Rules(rounds=rounds), games, seed) for seed in seeds)
    b.by_colour["out"][b.rows.drop == 1] += 1
    both = seen(Rules(rounds=rounds), Rules(rounds=rounds))
    beyond = a.each_colour("thrown").shape[0] * a.each_colour("thrown").shape[1]
    values = both.measure(a, 0, beyond), both.measure(b, 1, 0)
    text = text_of(Comparison(variant(), variant("b"), "coin", 1, games, both, values, group_rows(both, values)))
    assert "e+" not in text
    assert "outside of what the model was fitted to: all and none (A and B)" in text


def test_spreads_and_correlations_are_numpys():
    a, b = np.random.default_rng(9).normal(50, 3, (2, 1000, 4))
    found = paired(a, b)
    assert [each.sd_difference for each in found] == pytest.approx((b - a).std(0, ddof=1), rel=1e-12)
    assert [each.correlation for each in found] == pytest.approx(
        [np.corrcoef(a[:, i], b[:, i])[0, 1] for i in range(4)], rel=1e-9
    )


def test_the_example_in_the_docs_is_of_its_command_and_its_variants():
    (command,) = re.findall(r"<!-- example -->\n```sh\ntower-sim (compare .*)\n```", DOC)
    words = command.split()
    options = dict(zip(words[3::2], words[4::2], strict=True))
    a, b = (read_variant(ROOT / word) for word in words[1:3])
    (text,) = re.findall(r"<!-- its output -->\n```\n(.*?)\n```", DOC, re.S)
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("Amerigo, house rules compared: "))
    assert lines[0].startswith("B: 5.5 instead of 6.1 cubes stay")
    assert f"{options['--games']} pairs of games, model " in lines[at]
    assert lines[at].endswith(f"seed {options['--seed']}")
    said = " ".join(lines[at + 1 :])
    for side, of, word in zip("AB", (a, b), words[1:3], strict=True):
        assert f" {side} is {of.name}: rules {of.rules.name!r}, tower {of.apparatus.name} ({word})." in said
    assert "cubes 6 (A: 7); gold_divisor 2 (A: 3)" in said
    assert (ROOT / options["--save-plot"]).exists()
