"""House rules A/B: known differences are found, equal games differ in nothing, and the statistics do what they say."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes import CoinTower

from tower_sim import cli
from tower_sim.campaign import parse as parse_campaign
from tower_sim.compare import Comparison, Pairs, Variant, compare, compare_report, play_pairs, read_variant
from tower_sim.compare.comparison import Row
from tower_sim.compare.figures import colour_figures, main_figures, table
from tower_sim.compare.paired import LEVEL, POWER, games_to_show, holm, paired, shows_from
from tower_sim.compare.play import GameSampler, game_seed
from tower_sim.errors import UsageError
from tower_sim.games.amerigo import Rules, play
from tower_sim.games.many import Games
from tower_sim.model import TooManyFailedDraws
from tower_sim.models import open_model

ROOT = Path(__file__).parent.parent
DOC = (ROOT / "docs/compare.md").read_text("utf-8")
VARIANTS = ROOT / "docs/variants"
GAMES = 50
KEYS = [figure.key for figure in main_figures()]


def variant(name: str = "published", **rules: Any) -> Variant:
    published = read_variant("amerigo")
    return replace(published, name=name, rules=replace(published.rules, **rules))


def compared(a: Variant, b: Variant, games: int = GAMES, seed: int = 7) -> Comparison:
    with open_model(a.tower, "two_thirds") as first, open_model(b.tower, "two_thirds") as second:
        pairs = play_pairs((first, second), (a.rules, b.rules), games, seed)
    return compare((a, b), pairs, model="two_thirds", seed=seed, asked=games)


@pytest.fixture(name="six", scope="module")
def _six() -> Comparison:
    return compared(variant(), variant("six", cubes=6, gold_divisor=2))


def row(found: Comparison, key: str) -> Row:
    return next(each for each in found.figures if each.key == key)


# what is played


def test_equal_variants_differ_in_nothing_at_all():
    found = compared(variant(), variant("the same"), games=4)
    assert {each.difference for each in (*found.figures, *found.colours)} == {0.0}
    assert {each.p_adjusted for each in found.figures} == {1.0}
    assert not any(each.shown or each.interval for each in found.figures)
    assert "play alike" in compare_report(found)
    assert found.to_json()["differs"] == []


def test_rules_that_the_tower_does_not_touch_leave_every_figure_as_it_was():
    found = compared(variant(), variant(gold_divisor_with_token=1, substitute=""), games=3)
    assert {each.difference for each in found.figures} == {0.0}
    assert [each["key"] for each in found.to_json()["differs"]] == ["gold_divisor_with_token", "substitute"]


def test_a_pair_is_the_two_games_that_play_amerigo_plays_with_its_seed(six: Comparison):
    seed = game_seed(7, 3)
    for counts, side in ((six.pairs.a, six.a), (six.pairs.b, six.b)):
        with open_model(side.tower, "two_thirds") as model:
            alone = Games.of([list(play(model, side.rules, seed))], side.rules)
        assert np.array_equal(counts.take([3]).emerged, alone.emerged)
        assert np.array_equal(counts.take([3]).inside, alone.inside)


def test_the_seed_of_a_pair_is_that_of_a_campaigns_game():
    head = '[campaign]\nkind = "game"\napparatus = "amerigo"\nmodel = "two_thirds"\nseed = "11"\ngames = 9\n'
    assert [game_seed(11, g) for g in range(9)] == [parse_campaign(head).game_seed(g) for g in range(9)]


class Sampler(CoinTower):
    """Plays many games at once, as a surrogate does; its drops fail, so that asking for one would show."""

    def sample_games(self, rules: Rules, games: int, seed: int) -> Games:
        shape = (games, rules.drops, len(rules.colours))
        counts = np.random.default_rng(seed).integers(0, 3, shape)
        return Games(rules, counts, counts, counts)

    def extrapolated(self, games: Games) -> np.ndarray:
        return games.thrown.sum(-1) > 7


def test_a_model_that_samples_games_is_asked_for_all_of_them_at_once():
    model = Sampler(failure_rate=1.0)
    assert isinstance(model, GameSampler)
    pairs = play_pairs((model, model), (Rules(), Rules(gold_divisor=1)), 25, 3)
    assert len(pairs) == 25
    assert pairs.draws is None
    assert pairs.extrapolated == ((pairs.a.thrown.sum(-1) > 7).mean(), (pairs.b.thrown.sum(-1) > 7).mean())
    assert np.array_equal(pairs.a.emerged, pairs.b.emerged)
    assert pairs.b.gold.sum() > pairs.a.gold.sum()


def test_a_pair_with_a_failed_game_is_left_out_and_counted():
    # a drop fails 5 times in a row with chance 0.5^5, so of 4 drops one does with chance 0.12
    model, rules = CoinTower(failure_rate=0.5), Rules(colours=("red",), rounds=3, substitute="")
    pairs = play_pairs((model, CoinTower()), (rules, rules), 40, 1)
    assert pairs.left_out > 0
    assert len(pairs) == 40 - pairs.left_out
    assert pairs.draws
    assert pairs.draws[0].redrawn > 0 == pairs.draws[1].redrawn
    found = compare((variant(), variant()), pairs, model="coin", seed=1, asked=40)
    assert f"{pairs.left_out} pair" in compare_report(found)
    assert found.to_json()["left_out"] == pairs.left_out


def test_nothing_but_failures_is_told_as_such():
    with pytest.raises(TooManyFailedDraws):
        play_pairs((CoinTower(failure_rate=1.0), CoinTower()), (Rules(), Rules()), 2, 1)


@pytest.mark.parametrize(("done", "kept"), [(1, None), (3, 3)])
def test_an_interruption_keeps_the_pairs_that_are_done(done: int, kept: int | None):
    def stop(at: int) -> None:
        if at == done:
            raise KeyboardInterrupt

    models, rules = (CoinTower(), CoinTower()), (Rules(), Rules(cubes=5))
    if kept is None:
        with pytest.raises(KeyboardInterrupt):
            play_pairs(models, rules, 10, 1, stop)
        return
    pairs = play_pairs(models, rules, 10, 1, stop)
    assert (len(pairs.a), len(pairs.b), pairs.interrupted) == (kept, kept, True)
    assert np.array_equal(pairs.a.emerged, play_pairs(models, rules, kept, 1).a.emerged)


def test_an_interrupted_command_tells_of_what_is_done_and_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def stop(done: int, of: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr("tower_sim.compare.command._progress", stop)
    argv = ["compare", "amerigo", str(VARIANTS / "six_cubes.toml"), "--games", "9", "--model", "two_thirds", "--json"]
    assert cli.main(argv) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["games"], document["pairs"], document["interrupted"]) == (9, 2, True)


# the figures


def test_the_figures_of_a_game_by_hand():
    rules = Rules(colours=("red", "blue"), rounds=2, cubes=4, substitute="", gold_divisor=2)
    # drops: the set-up, then red and blue of two rounds; colours: red, blue
    thrown = np.array([[[4, 4], [3, 0], [0, 2], [1, 0], [0, 0]]])
    emerged = np.array([[[3, 2], [1, 2], [0, 0], [4, 1], [0, 0]]])
    inside = np.array([[[1, 2], [3, 0], [3, 2], [0, 1], [0, 1]]])
    games = Games(rules, thrown, emerged, inside)
    values = dict(zip(KEYS, table(games, main_figures())[0], strict=True))
    assert values == {
        "inside_setup": 3,
        "inside": (3 + 5 + 1 + 1) / 4,
        "most_inside": 5,
        "out": (3 + 0 + 5 + 0) / 4,
        "share_out": 8 / ((3 + 3) + (2 + 3) + (1 + 5) + (0 + 1)),
        "action_points": (2 + 0 + 4 + 0) / 4,
        "actions": (2 + 0 + 2 + 0) / 4,
        "gold": (2 + 0 + 3 + 0) / 4,
        "skipped": 2,
    }
    colours = colour_figures(games, replace(games, rules=Rules(colours=("blue", "green"), substitute="")))
    assert [(each.key, float(each.of(games)[0])) for each in colours] == [("blue", 3 / 4)]


def test_fewer_cubes_leave_that_share_fewer_inside_under_the_two_thirds_rule(six: Comparison):
    found = row(six, "inside_setup")
    # each cube of the set-up stays by itself with 1/3
    expected, error = -7 / 3, found.sd_difference / math.sqrt(GAMES)
    assert found.shown
    assert abs(found.difference - expected) < 4 * error
    assert 4 * error < 1  # the test is one
    assert found.interval
    assert found.interval[0] < found.difference < found.interval[1] < 0


def test_gold_for_fewer_cubes_is_found_and_by_how_much(six: Comparison):
    """The cubes of a game decide the gold under either rule: A's games say what the other divisor pays."""
    only_gold = compared(variant(), variant(gold_divisor=2), games=5)
    assert [each.key for each in only_gold.figures if each.difference] == ["gold"]
    out = only_gold.pairs.a.emerged[:, 1:].sum(-1)
    by_hand = (np.ceil(out / 2) - np.ceil(out / 3)).mean()
    assert row(only_gold, "gold").difference == pytest.approx(by_hand, abs=1e-12)
    assert row(six, "gold").shown


def test_the_share_that_comes_out_does_not_depend_on_how_many_there_are_under_that_rule(six: Comparison):
    found = row(six, "share_out")
    assert abs(found.difference) < 4 * found.sd_difference / math.sqrt(GAMES)
    assert found.sd_difference > 0


# the statistics


def draws(rng: np.random.Generator, reps: int, n: int, figures: int, shift: float = 0.0) -> list[Any]:
    """`reps` sets of n pairs that correlate, as do the figures; B - A has mean `shift` and sd 1."""
    shared = rng.normal(size=(reps, n, 1))
    apart = 0.8 * shared + 0.6 * rng.normal(size=(reps, n, figures))
    a = rng.normal(size=(reps, n, figures))
    return [paired(a[i], a[i] + apart[i] + shift) for i in range(reps)]


def test_intervals_cover_as_often_as_they_say():
    reps = 1200
    found = draws(np.random.default_rng(1), reps, 12, 1, shift=0.3)
    covered = np.mean([each.low[0] <= 0.3 <= each.high[0] for each in found])
    assert abs(covered - 0.95) < 4 * math.sqrt(0.95 * 0.05 / reps)


def test_a_table_of_equals_shows_anything_as_rarely_as_it_says():
    reps = 1200
    found = draws(np.random.default_rng(2), reps, 12, 9)
    shown = np.mean([(each.adjusted <= LEVEL).any() for each in found])
    naive = np.mean([(each.p <= LEVEL).any() for each in found])
    assert shown < LEVEL + 4 * math.sqrt(LEVEL * (1 - LEVEL) / reps)
    assert naive > 2 * LEVEL  # what the adjustment is for


def test_a_table_of_real_games_that_are_equals_shows_anything_as_rarely_as_it_says(six: Comparison):
    """Pairs drawn from one pool of games: not normal, some figures rare, all dependent."""
    pool, rng, reps, n = table(six.pairs.a, main_figures()), np.random.default_rng(3), 1200, 30
    found = [paired(*pool[rng.integers(len(pool), size=(2, n))]) for _ in range(reps)]
    shown = np.mean([(each.adjusted <= LEVEL).any() for each in found])
    assert shown < LEVEL + 4 * math.sqrt(LEVEL * (1 - LEVEL) / reps)


@pytest.mark.parametrize("n", [5, 40])
def test_a_difference_that_games_are_said_to_show_is_shown_that_often(n: int):
    reps, figures = 1200, 9
    shift = shows_from(1.0, n, figures)
    rng = np.random.default_rng(4)
    noise = rng.normal(size=(reps, n, figures))
    noise[:, :, 0] += shift
    found = [paired(np.zeros((n, figures)), each) for each in noise]
    first_step = np.mean([each.p[0] <= LEVEL / figures for each in found])
    assert abs(first_step - POWER) < 4 * math.sqrt(POWER * (1 - POWER) / reps)
    assert np.mean([each.adjusted[0] <= LEVEL for each in found]) >= first_step


def test_the_games_a_smaller_difference_needs_are_the_fewest_that_show_it():
    for difference in (3.0, 0.7, 0.1, 0.004):
        n = games_to_show(difference, 1.3, 9)
        assert shows_from(1.3, n, 9) <= difference
        assert n == 2 or shows_from(1.3, n - 1, 9) > difference


def test_holms_adjustment_of_a_worked_example():
    # 0.01 x 4, 0.02 x 3, then 0.03 x 2 = 0.06, and 0.04 x 1 raised to it
    assert holm(np.array([0.02, 0.01, 0.04, 0.03])) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm(np.array([0.6, 0.7])) == pytest.approx([1.0, 1.0])


def test_a_difference_that_all_pairs_share_is_judged_by_its_sign():
    a = np.tile([[1.0, 2.0, 0.1]], (6, 1))
    found = paired(a, a + np.array([0.0, 1.0, 0.2]))
    assert found.p == pytest.approx([1.0, 2**-5, 2**-5])
    assert np.isnan(found.low).all()
    assert found.sd_difference.tolist() == [0, 0, 0]


def test_pairing_gains_what_correlation_gives():
    rng = np.random.default_rng(5)
    a = rng.normal(size=(400, 1))
    found = paired(a, a + 0.5 * rng.normal(size=(400, 1)))
    gain = (found.sd_a**2 + found.sd_b**2) / found.sd_difference**2
    # var A + var B = 1 + 1.25, var (B - A) = 0.25; a ratio of two variances of 400 has relative sd sqrt(4 / 400)
    assert gain[0] == pytest.approx(9, rel=4 * math.sqrt(4 / 400))
    assert found.correlation[0] == pytest.approx(1 / math.sqrt(1.25), abs=4 / math.sqrt(400))


# what is told


def test_the_report_leads_with_what_differs_and_stays_within_120_characters(six: Comparison):
    lines = compare_report(six).splitlines()
    assert lines[4] == "B differs from A in cubes 6 (A: 7); gold_divisor 2 (A: 3)."
    assert lines[5].startswith("Shown, B minus A: inside after the set-up -2.")
    assert max(map(len, lines)) <= 120
    for figure in main_figures():
        assert sum(line.startswith(f"{figure.title} ") for line in lines) == 1


def test_tables_keep_their_width_when_many_games_leave_many_decimals():
    samples = [Sampler().sample_games(Rules(), 5000, seed) for seed in (1, 2)]
    found = compare((variant(), variant("b")), Pairs(samples[0], samples[1]), model="coin", seed=1, asked=5000)
    assert max(map(len, compare_report(found).splitlines())) <= 120


def test_towers_that_differ_are_told_by_the_keys_of_their_profiles(tmp_path: Path):
    (tmp_path / "club.toml").write_text('apparatus = "amerigo-club"\nphases = ["red"]\ncolours = ["red", "white"]\n')
    games = Games.of([list(play(CoinTower(), Rules(), seed)) for seed in (1, 2)], Rules())
    both = (variant(), read_variant(tmp_path / "club.toml"))
    found = compare(both, Pairs(games, games), model="coin", seed=1, asked=2)
    assert "phases red (A: blue black red" in " ".join(compare_report(found).split())
    keys = {each["key"] for each in found.to_json()["differs"]}
    assert keys > {"colours", "phases"}
    assert any(key.startswith("tower.") for key in keys)


def test_the_document_has_the_documented_keys(six: Comparison):
    document = json.loads(json.dumps(six.to_json(), allow_nan=False))
    assert (document["schema"], document["version"], document["seed"]) == ("tower-sim/compare", 1, "7")
    assert (document["games"], document["pairs"], document["left_out"]) == (GAMES, GAMES, 0)
    assert document["differs"] == [{"key": "cubes", "a": 7, "b": 6}, {"key": "gold_divisor", "a": 3, "b": 2}]
    assert [each["key"] for each in document["figures"]] == KEYS
    assert [each["key"] for each in document["colours"]] == list(Rules().colours)
    for key in (*document, *document["a"], *document["figures"][0]):
        assert f"`{key}`" in DOC, key
    figure = document["figures"][0]
    assert figure["difference"] == pytest.approx(figure["b"]["mean"] - figure["a"]["mean"])
    assert figure["smaller"]["difference"] == pytest.approx(abs(figure["difference"]) / 2)


def test_the_command_prints_a_document_or_a_report_and_draws_the_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    files = [str(VARIANTS / "published.toml"), str(VARIANTS / "six_cubes.toml")]
    argv = ["compare", *files, "--games", "3", "--seed", "5", "--model", "two_thirds"]
    assert cli.main([*argv, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["a"]["name"], document["b"]["name"]) == ("published", "six_cubes")
    assert cli.main([*argv, "--save-plot", str(tmp_path / "it.svg")]) == 0
    assert (tmp_path / "it.svg").stat().st_size > 10_000
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "Amerigo, house rules compared: 3 pairs of games, model two_thirds, seed 5"
    assert printed[-1] == f"plot: {tmp_path / 'it.svg'}"


def test_a_picture_of_games_that_differ_in_nothing_or_in_length_is_drawn(tmp_path: Path):
    from tower_sim.compare.plot import draw_comparison

    for i, b in enumerate((variant("the same"), variant("short", rounds=1, phases=("red",)))):
        draw_comparison(compared(variant(), b, games=2), tmp_path / f"{i}.png")
        assert (tmp_path / f"{i}.png").stat().st_size > 10_000


def test_a_relative_apparatus_counts_from_the_variants_folder(tmp_path: Path):
    profile = ROOT / "tower_sim/apparatus/profiles/amerigo.toml"
    (tmp_path / "mine.toml").write_text(profile.read_text("utf-8"))
    (tmp_path / "a.toml").write_text('apparatus = "mine.toml"\n')
    assert read_variant(tmp_path / "a.toml").tower.digest == read_variant("amerigo").tower.digest


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("cube = 6", "a key of the variant is 'cube'; allowed is one of apparatus, name, colours"),
        ("cubes = 0", "cubes is 0; allowed is a whole number from 1"),
        ("cubes = ", "not TOML"),
        ("rounds = 0", "rounds is 0; allowed is a whole number from 1 in a comparison"),
        ("apparatus = 3", "apparatus is 3; allowed is one of amerigo"),
        ('apparatus = "dead_reckoning"', "is no tower that keeps cubes"),
        ('apparatus = "nowhere.toml"', "is neither a shipped profile nor a file"),
        (None, "check the path (FileNotFoundError)"),
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


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--games", "1"), "--games is 1; allowed is a whole number from 2"),
        (("--games", "2", "--model", "magic"), "model is 'magic'"),
        (("--games", "2", "--save-plot", "a.doc"), "ends in '.doc'"),
        ((), "the following arguments are required: --games"),
    ],
)
def test_bad_input_gets_one_line_and_status_2(
    arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
):
    assert cli.main(["compare", "amerigo", "amerigo", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert says in printed.err
    assert printed.err.count("\n") == 1


def test_the_example_in_the_docs_is_of_its_command_and_its_variants():
    (command,) = re.findall(r"<!-- example -->\n```sh\ntower-sim (compare .*)\n```", DOC)
    words = command.split()
    options = dict(zip(words[3::2], words[4::2], strict=True))
    a, b = (read_variant(ROOT / word) for word in words[1:3])
    (text,) = re.findall(r"<!-- its output -->\n```\n(.*?)\n```", DOC, re.S)
    lines = text.splitlines()
    assert f"{options['--games']} pairs of games, model " in lines[0]
    assert lines[0].endswith(f"seed {options['--seed']}")
    assert lines[1:3] == [f"{x}  {v.name}: rules {v.rules.name!r}, tower {v.tower.name} ({w})"
                          for x, v, w in zip("AB", (a, b), words[1:3], strict=True)]  # fmt: skip
    assert "cubes 6 (A: 7); gold_divisor 2 (A: 3)" in lines[4]
    assert (ROOT / options["--save-plot"]).exists()


def test_physics_compares_profiles_that_have_no_surrogate(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    rules = 'colours = ["red"]\nsubstitute = ""\nrounds = 1\ncubes = 2\n'
    for name, tower in (("a", "amerigo"), ("b", "amerigo-club")):
        (tmp_path / f"{name}.toml").write_text(f'{rules}apparatus = "{tower}"\n')
    files = [str(tmp_path / "a.toml"), str(tmp_path / "b.toml")]
    assert cli.main(["compare", *files, "--games", "2", "--model", "physics", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["model"] == "physics"
    assert document["a"]["draws"]["landed"] >= 2
