"""Battles, sweeps, and the report as a whole."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.datasets import coin_games, study_text, table, write, write_battles

from tower_sim.campaign import read_campaign
from tower_sim.errors import UsageError
from tower_sim.games.amerigo import Rules
from tower_sim.results import Estimate, Resamples, plain_share, plainly, show
from tower_sim.studies import study
from tower_sim.studies.retention import battles


def test_what_a_battle_shows_is_counted_by_hand(tmp_path: Path):
    write_battles(tmp_path, ["purple"] * 5 + ["green"] * 3, [0] * 8)
    campaign = read_campaign(tmp_path)
    parts: Any = battles.sections(campaign, Resamples(campaign.strata, np.random.default_rng(1)))
    landed, knocked, chains, odds = ([*map(list, s.table.rows)] for s in parts if s.table)
    # through the ship: a, boom, b and c, then b and a; the cube put into a zone by the ability is no landing
    assert [(place, count / 8, at_end / 8) for place, count, _, at_end, _ in landed] == [
        ("zone:a", 2, 2), ("zone:b", 2, 2), ("zone:boom", 1, 0), ("zone:c", 1, 1),
    ]  # fmt: skip
    assert landed[2][4].high == pytest.approx(1 - 0.025 ** (1 / 8))
    ((thrown, throws, moved, share),) = knocked
    assert (thrown, throws, moved.value, share.value) == ("2", 8, 1, pytest.approx(1 / 3))
    assert [row[:2] for row in chains] == [[0, 8], [1, 8]]  # the throw has one explosion, the ability none
    head = ["purple [cubes]", "green [cubes]", "battles", "won by purple", "won by green", "no winner"]
    assert parts[3].table.head == head
    ((purple, green, fought, *wins),) = odds
    assert (purple, green, fought) == (2, 2, 8)
    assert [each.value for each in wins] == pytest.approx([5 / 8, 3 / 8, 0])
    assert wins[0].low <= 5 / 8 <= wins[0].high


@pytest.mark.usefixtures("unpainted_here")
def test_the_report_of_battles(tmp_path: Path):
    points = [{"battle.cubes.purple": 2}, {"battle.cubes.purple": 5}]
    write_battles(tmp_path / "in", ["purple", "green", "green"] * 2 + ["purple"] * 6, [0] * 6 + [1] * 6, points)
    text = study_text(tmp_path / "in", tmp_path / "out")
    for heading in ("point by point", "varied fields do", "report DIR --point 0 -o", "What was run", "Failed attempts"):
        assert heading in text
    rows = table(tmp_path / "out", "points")
    assert [float(row["won by purple [1]"]) for row in rows] == pytest.approx([2 / 6, 1], rel=1e-5)
    text = study_text(tmp_path / "in", tmp_path / "one", 1)
    for heading in ("Failed attempts", "Where cubes land", "Cubes knocked on", "Explosions", "Who wins"):
        assert heading in text
    assert "With 2 to 2 cubes purple wins 100 %" in text


def files(directory: Path) -> dict[str, str]:
    found = sorted(path for path in directory.rglob("*") if path.is_file())
    return {str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


@pytest.mark.parametrize("of", ["battles", pytest.param("games", marks=pytest.mark.slow)])
def test_a_study_with_all_its_pictures_is_the_same_again(tmp_path: Path, of: str):
    if of == "games":
        write(tmp_path / "in", *coin_games(6))
    else:
        write_battles(tmp_path / "in", ["purple"] * 4 + ["green"] * 2, [0] * 6)
    study(tmp_path / "in", tmp_path / "out")
    first = files(tmp_path / "out")
    text = study_text(tmp_path / "in", tmp_path / "out")
    assert files(tmp_path / "out") == first
    assert not any(name.endswith(".part") for name in first)
    pictures = [line.split("](")[1].rstrip(")") for line in text.splitlines() if line.startswith("![")]
    assert len(pictures) > 3
    for name in pictures:
        assert (tmp_path / "out" / name).read_bytes().startswith(b"<svg")


@pytest.mark.slow
@pytest.mark.usefixtures("unpainted_here")
def test_the_study_of_coin_games_agrees_with_the_rule(tmp_path: Path):
    write(tmp_path / "in", *coin_games(40, failures=0.02))
    text = study_text(tmp_path / "in", tmp_path)
    assert text.index("## 1. Questions about the tower") < text.index("## Failed attempts")
    places = [text.index(f"\n{number}. ") for number in range(1, 8)]  # on the first page, in order
    assert places == sorted(places)
    assert places[-1] < text.index("\n## ")
    assert all(f"\n### {number}. " in text for number in range(1, 8))
    rows = table(tmp_path, "beside_the_rule")
    ends = [f"{of}, {end}" for of in ("this campaign", "2/3-1/3 rule") for end in ("low", "high")]
    known = {row["figure"]: [float(row[end]) for end in ends] for row in rows if row[ends[0]]}
    apart = [name for name, (low, high, least, most) in known.items() if low > most or high < least]
    assert len(rows) > 15
    assert len(apart) <= 1, apart
    setup = rows[0]
    assert float(setup["this campaign, low"]) < 49 / 3 < float(setup["this campaign, high"])
    course = table(tmp_path, "inside_by_drop")
    assert len(course) == 36
    for row in course:  # coins are the rule; 40 games, sd 3.3 of a set-up
        assert abs(float(row["mean inside [cubes]"]) - float(row["rule"])) < 5 * 3.3 / 40**0.5
    rate = table(tmp_path, "failed_attempts")[0]
    assert float(rate["share of draws, low"]) < 0.02 < float(rate["share of draws, high"])


@pytest.mark.slow
@pytest.mark.usefixtures("unpainted_here")
@pytest.mark.parametrize("games", [1, 3])
def test_few_games_make_a_report_that_says_so(tmp_path: Path, games: int):
    write(tmp_path / "in", *coin_games(games))
    text = study_text(tmp_path / "in", tmp_path / "out")
    sentence = f"{games} game{'s' * (games > 1)}, too few to tell how sure this is (an interval needs 8)."
    assert sentence in text.split("\n\n")[1]
    assert "±" not in text.split("##", maxsplit=1)[0]
    assert ("needs two or more" in text) == (games == 1)


def test_a_game_of_the_setup_only_an_empty_campaign_and_an_unwritable_report(tmp_path: Path):
    write(tmp_path / "in", *coin_games(6, Rules(rounds=0)))
    assert "nothing more to study" in study_text(tmp_path / "in", tmp_path / "out")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"report folder is .*Not a directory|report folder is .*File exists"):
        study(tmp_path / "in", tmp_path / "file" / "out")
    write(tmp_path / "empty", [], [])
    with pytest.raises(UsageError, match="run the campaign first"):
        study(tmp_path / "empty", tmp_path / "out")


def test_estimates_are_said_to_two_digits_of_their_interval():
    assert show(Estimate(21.2345, 20.1, 22.9, 9)) == "21.2 (20.1 to 22.9)"
    assert show(Estimate(0.123456, 0.1234, 0.1236, 9), "cubes") == "0.12346 cubes (0.12340 to 0.12360)"
    assert show(Estimate(1234.5, 1000, 1500, 9)) == "1234 (1000 to 1500)"
    assert show(Estimate(2.0, float("nan"), float("nan"), 1)) == "2 (no interval)"


def test_players_read_one_digit_of_an_interval_and_three_of_a_figure():
    assert plainly(Estimate(13.94, 13.80, 14.09, 9)) == "13.9 ± 0.1"
    assert plainly(Estimate(2.6434, 2.6399, 2.6466, 9), "gold") == "2.64 gold"
    assert plainly(Estimate(1234.5, 1000, 1500, 9)) == "1234 ± 250"
    assert plainly(Estimate(0.0, 0.0, 0.0, 9), "%") == "0 %"
    assert plain_share(Estimate(0.2094, 0.2069, 0.2119, 9)) == "20.9 ± 0.2 %"
    assert plain_share(Estimate(1.0, 0.54, 1.0, 6)) == "100 % (54 to 100)"
    assert plainly(Estimate(2.0, float("nan"), float("nan"), 1)) == "2.00"
    assert plainly(Estimate(float("nan"), float("nan"), float("nan"), 0)) == "-"
