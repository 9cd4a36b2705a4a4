"""Battles of a declared game: odds against their exact law, the command, and what it refuses."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from functools import cache, reduce
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

import pytest
from support.cases import each_case

from tower_sim import registry, requests
from tower_sim.apparatus.catalogue import load
from tower_sim.cli import main
from tower_sim.errors import UsageError
from tower_sim.games.declared.battle import CupOdds, CupWays
from tower_sim.games.game import Game
from tower_sim.models import rule_of_thumb
from tower_sim.requests import OddsRequest, PlayRequest, fill, fill_beside, no_odds, turns
from tower_sim.statistics import clopper_pearson

FEW = 300
MANY = pytest.param(700, marks=pytest.mark.long)
FIGHT = ("battle", "--game", "wallenstein", "--attack", "red=6", "--defend", "blue=4", "--model", "two_thirds")
CHANCES = {  # a cube of the seeding stays; one thrown in a battle comes out; one inside does
    "two_thirds": (Fraction(1, 3), Fraction(2, 3), Fraction(1, 3)),
    "online_rule": (Fraction(3, 10), Fraction(1, 2), Fraction(3, 5)),
}
Law = dict[int, Fraction]


def game() -> Game:
    return registry.get("game", "wallenstein")


def request(runs: int, seed: int = 11, **changed: Any) -> OddsRequest:
    rules = game().read({"rules": {"battles": 1, **changed}})
    return OddsRequest(PlayRequest("wallenstein", rules, "wallenstein", "two_thirds", seed), runs)


@cache
def many_odds(rule: str, games: int, attackers: int, defenders: int, revolts: int) -> CupOdds:
    """Many battles, fought once; nobody adds to them."""
    return odds(rule, request(games, attackers=attackers, defenders=defenders, revolts=revolts))


def odds(rule: str, asked: OddsRequest) -> CupOdds:
    many = no_odds(asked)
    fill(many, asked, rule_of_thumb(load("wallenstein"), rule), lambda done: None)
    assert isinstance(many, CupOdds)
    return many


def binomial(n: int, p: Fraction) -> Law:
    return {k: comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)}


def added(a: Law, b: Law) -> Law:
    law: Counter[int] = Counter()
    for (x, p), (y, q) in product(a.items(), b.items()):
        law[x + y] += p * q  # pyright: ignore[reportArgumentType]
    return dict(law)  # pyright: ignore[reportReturnType]


def exact(rule: str, attackers: int, defenders: int, *, farmers: bool) -> dict[str, Fraction]:
    """Who wins the first battle after the seeding with 7 a side and 10 farmers, by adding up every outcome."""
    stays, thrown, inside = CHANCES[rule]
    attack = added(binomial(attackers, thrown), binomial(7, stays * inside))
    joins = [binomial(10, stays * inside)] if farmers else []
    defence = reduce(added, [binomial(defenders, thrown), binomial(7, stays * inside), *joins])
    wins: dict[str, Fraction] = dict.fromkeys(["attacker", "defender", "nobody"], Fraction(0))
    for (a, p), (d, q) in product(attack.items(), defence.items()):
        wins["attacker" if a > d else "defender" if d > a else "nobody"] += p * q
    assert sum(wins.values()) == 1
    return wins


@pytest.mark.whole
@pytest.mark.parametrize("games", [FEW, MANY])
@each_case("rule", list(CHANCES))
@each_case(("attackers", "defenders", "revolts"), [(6, 4, 0), (9, 5, 2)])
def test_the_odds_of_a_rule_of_thumb_are_its_exact_ones(
    rule: str, attackers: int, defenders: int, revolts: int, games: int
) -> None:
    """Each chance lies in the interval of 99.9 % of 300 battles, whose half width is 0.1; of 700, 0.06."""
    many = many_odds(rule, games, attackers, defenders, revolts)
    for word, chance in exact(rule, attackers, defenders, farmers=revolts < 2).items():
        reach = clopper_pearson(many.wins[word], games, 0.999)
        assert reach.low <= chance <= reach.high


@pytest.mark.parametrize("games", [FEW, MANY])
def test_the_mean_that_stays_is_that_of_the_rule(games: int) -> None:
    """Red: 7 seeded of which 1/3 stay, 6 thrown; after the battle 7/3 · 2/3 + 6/3 inside; within 4 standard errors."""
    many = many_odds("two_thirds", games, 6, 4, 0)
    asked = game().read({"rules": {"battles": 1}})
    assert asked == game().read({"rules": {"battles": 1, "attackers": 6, "defenders": 4, "revolts": 0}})
    inside = many.summary()["inside"]["red"]
    error = (inside["interval"][1] - inside["mean"]) / 1.96
    assert abs(inside["mean"] - (7 / 3 * 2 / 3 + 2)) < 4 * error < 0.3 * (700 / games) ** 0.5


def test_run_r_of_many_is_the_game_of_its_seed_and_every_number_is_told() -> None:
    asked = request(3)
    many = odds("two_thirds", asked)
    model = rule_of_thumb(load("wallenstein"), "two_thirds")
    facts = [list(turns(asked.one, model, run))[-1].facts for run in range(3)]
    assert many.wins == Counter(str(each["winner"]) for each in facts)
    assert many.numbers == {name: [each[name] for each in facts] for name in many.numbers}
    assert {"attackers_out", "farmers_out", "defenders_out", "attackers_left", "defenders_left"} == {*many.numbers}


@pytest.mark.whole
def test_rules_of_thumb_stand_beside_a_model_and_not_beside_themselves() -> None:
    asked = request(2)
    many = odds("two_thirds", asked)
    fill_beside(many, asked, load("wallenstein"))
    assert {name: other.runs for name, other in many.beside.items()} == {"online_rule": 500}


def test_a_battle_without_armies_tells_none() -> None:
    asked = request(1, attackers=0, defenders=0)
    with pytest.raises(UsageError, match="battles fought"):
        CupOdds().add([])
    assert odds("two_thirds", asked).wins == {"nobody": 1}


# The command


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main([*words])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.mark.whole
def test_the_command_says_first_who_wins_and_what_stays(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = told(capsys, *FIGHT, "--games", "40", "--seed", "3")
    first, second, empty, *rest = out.splitlines()
    assert status == 0
    assert "of 100 battles like this" in first
    assert second.startswith("Afterwards ")
    assert empty == ""
    assert any(line.startswith("battles: 40 by 2/3-1/3 rule, 500 by an online rule") for line in rest)


def test_the_document_is_the_same_twice_and_has_the_odds(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "FEWEST_BESIDE", 20)
    words = (*FIGHT, "--games", "20", "--seed", "3", "--json")
    _, out, _ = told(capsys, *words, "--save-plot", str(tmp_path / "odds.png"))
    assert told(capsys, *words)[1] == out
    document = json.loads(out)
    assert list(document) == [
        "schema", "version", "seed", "model", "apparatus", "game", "rules", "summary", "beside",
    ]  # fmt: skip
    assert (document["schema"], document["game"], document["rules"]["battles"]) == (
        "tower-sim/declared-battles", "wallenstein", 1,
    )  # fmt: skip
    assert sum(one["count"] for one in document["summary"]["win"].values()) == 20
    assert (tmp_path / "odds.png").stat().st_size > 5000


def test_one_battle_is_played_as_a_game_and_a_file_may_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(Path(__file__).parent.parent / "tower_sim/games/declared/files/wallenstein.toml")
    of_name = told(capsys, *FIGHT, "--seed", "3")[1]
    of_file = told(capsys, *[file if word == "wallenstein" else word for word in FIGHT], "--seed", "3")[1]
    assert of_name == of_file
    assert "battles 1, attackers 6, defenders 4, attacker red, defender blue" in of_name
    last = of_name.splitlines()[-1]
    assert last.startswith(("red wins. The tower was thrown twice", "blue wins. The", "It ends with nobody. The"))
    several = told(capsys, *FIGHT, "--seed", "3", "--set", "battles=5")[1].splitlines()[-1]
    assert several.startswith("Of 5 battles this many were won: ")


@each_case(
    ("words", "wrong"),
    [
        (("--attack", "red=6"), "required: --defend"),
        (("--attack", "red=6", "--defend", "red=1"), "attacker and defender is 'red'"),
        (("--attack", "red=6", "--defend", "pink=1"), "rules.defender is 'pink'"),
        (("--attack", "red=6,blue=1", "--defend", "blue=1"), "--attack is 'red=6,blue=1'"),
        (("--attack", "red=99", "--defend", "blue=1"), "rules.attackers is 99"),
        (("--attack", "red", "--defend", "blue=1"), "--attack item 'red'"),
        (("--cubes", "red=6"), "unknown option '--cubes'"),
    ],
)
def test_what_is_no_battle_is_refused_in_one_line(
    words: tuple[str, ...], wrong: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, error = told(capsys, "battle", "--game", "wallenstein", *words)
    assert (status, out) == (2, "")
    assert wrong in error
    assert error.count("\n") == 1


def test_a_game_without_battles_has_no_such_command(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(Path(__file__).parent.parent / "tower_sim/games/declared/files/amazonas.toml")
    for name in ("amazonas", file):
        status, _, error = told(capsys, "battle", "--game", name, "--attack", "red=1", "--defend", "blue=1")
        assert status == 2
        assert "dead_reckoning, wallenstein" in error
    assert not isinstance(registry.get("game", "amazonas").ways, CupWays)
