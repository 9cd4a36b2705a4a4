"""Battles of Wallenstein and Shogun: small cases enumerated, exact odds, and what is refused."""

from collections import Counter
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
from scipy.stats import binom, chisquare
from support.cases import each_case
from support.fakes import CoinTower, ScriptedTower

from tower_sim.games import Turn
from tower_sim.games.wallenstein import GAME, result


def play(*out: Mapping[str, int], **rules: Any) -> list[Turn]:
    """Play a battle for each of `out`, the cubes that come out of it; all stay inside while the tower is filled."""
    tower = ScriptedTower(({}, *out))
    return list(GAME.start(tower, GAME.read({"rules": {"battles": len(out), **rules}}), 1))


def fall_in_pairs(own: int, farmers: int, attackers: int) -> tuple[int, int]:
    """Return how many attackers and armies of the defender live: they fall in pairs, farmers first."""
    while attackers and own + farmers:
        attackers, own, farmers = attackers - 1, own - (not farmers), max(0, farmers - 1)
    return attackers, own


@each_case("edition", ["wallenstein", "shogun"])
@each_case("sides", [{}, {"defender": "nobody"}, {"attacker": "farmers"}])
def test_every_small_battle_is_that_of_cubes_that_fall_in_pairs(edition: str, sides: Mapping[str, str]) -> None:
    for revolts in range(4):
        rules = GAME.read({"rules": {**sides, "edition": edition, "revolts": revolts}})
        for red, blue, farmers in product(range(5), repeat=3):
            facts = result(rules, {"red": red, "blue": blue, "farmers": farmers})
            attackers = farmers if sides.get("attacker") else red
            own = 0 if sides.get("defender") else blue
            helps = farmers * ("defender" in sides or (not sides and revolts <= (edition == "wallenstein")))
            left, rest = fall_in_pairs(own, helps, attackers)
            assert facts["attackers_out"] == attackers
            assert (facts["defenders_out"], facts["farmers_out"]) == (own + helps, helps)
            assert facts["attackers_left"] == (0 if sides.get("attacker") else left)
            assert facts["defenders_left"] == (rest if own + helps > attackers else 0)
            if left or attackers == own + helps:
                assert facts["winner"] == ("attacker" if left else "nobody")
            elif facts["winner"] != "defender":
                assert (edition, own, sides, facts["winner"]) == ("shogun", 0, {}, "nobody")


def test_farmers_alone_defend_a_neutral_province() -> None:
    _, lost, won = play({"red": 2, "farmers": 2, "blue": 5}, {"red": 3, "farmers": 1}, defender="nobody", revolts=5)
    assert lost.thrown == {"red": 6, "farmers": 1}
    assert (lost.facts["winner"], lost.facts["defenders_out"]) == ("nobody", 2)
    assert won.thrown == {"red": 6, "blue": 5, "farmers": 1}  # the blue ones of the tray
    assert (won.facts["winner"], won.facts["attackers_left"]) == ("attacker", 2)


def test_in_a_revolt_farmers_attack_and_hold_nothing() -> None:
    _, won, lost = play({"blue": 1, "farmers": 3}, {"blue": 3, "farmers": 1}, attacker="farmers", attackers=3)
    assert won.thrown == {"blue": 4, "farmers": 3}
    assert won.facts.items() >= {"winner": "attacker", "attackers_out": 3, "attackers_left": 0}.items()
    assert (lost.facts["winner"], lost.facts["defenders_left"]) == ("defender", 2)


@each_case(("edition", "most"), [("wallenstein", 1), ("shogun", 0)])
def test_revolt_markers_decide_whether_farmers_help(edition: str, most: int) -> None:
    for revolts in range(6):  # farmers who do not help wait in the tray and are thrown with the next battle
        _, first, second = play({"red": 3, "blue": 2, "farmers": 2}, {}, edition=edition, revolts=revolts)
        helped = revolts <= most
        assert first.facts["winner"] == ("defender" if helped else "attacker")
        assert second.thrown == {"red": 6, "blue": 4} | ({} if helped else {"farmers": 2})


def test_in_shogun_farmers_alone_win_no_battle_for_a_player() -> None:
    out = {"red": 1, "farmers": 3}
    assert play(out)[-1].facts["winner"] == "defender"
    assert play(out, edition="shogun")[-1].facts["winner"] == "nobody"
    assert play(out, edition="shogun", defender="nobody")[-1].facts["winner"] == "defender"


@each_case("players", [3, 4, 5])
def test_the_tower_is_filled_with_seven_armies_a_player_and_ten_farmers(players: int) -> None:
    setup, first, *_ = GAME.start(CoinTower(), GAME.read({"rules": {"players": players}}), 1)
    colours = ("red", "blue", "yellow", "black", "white")[:players]
    assert setup.thrown == {**dict.fromkeys(colours, 7), "farmers": 10}
    assert first.thrown == {"red": 6, "blue": 4}  # what came out went back to the supply


def test_the_odds_of_the_first_battle_are_the_exact_ones() -> None:
    """A cube comes out with 2/3 if it is thrown, with 1/3 · 1/3 if it filled the tower; 800 battles, p over 0.001."""

    def law(thrown: int, filled: int) -> Any:
        return np.convolve(binom.pmf(range(thrown + 1), thrown, 2 / 3), binom.pmf(range(filled + 1), filled, 1 / 9))

    both = np.outer(law(6, 7), law(4, 17))
    exact = {"attacker": np.tril(both, -1).sum(), "defender": np.triu(both, 1).sum(), "nobody": np.trace(both)}
    rules = GAME.read({"rules": {"battles": 1}})
    wins = Counter([*GAME.start(CoinTower(), rules, 5, run)][-1].facts["winner"] for run in range(800))
    assert chisquare([wins[x] for x in exact], [800 * p for p in exact.values()]).pvalue > 1e-3


@each_case(
    ("out", "rules", "says"),
    [
        ({"red": 3, "blue": 1}, {}, "Red attacks with 6, blue defends with 4: red wins 3 to 1; 51 cubes stay"),
        ({"red": 1, "blue": 1, "farmers": 1}, {}, "blue wins 2 to 1 with the help of 1 farmer; 52 cubes stay"),
        ({"red": 2, "blue": 2}, {}, ": a tie at 2, and nobody holds the province; 51"),
        ({"farmers": 1}, {"edition": "shogun"}, ": the farmers alone win 1 to 0, and nobody holds"),
        ({"farmers": 1}, {"defender": "nobody"}, "the farmers defend with 1: the farmers win 1 to 0; 51"),
        ({}, {"attackers": 0, "defenders": 0}, ": a tie at 0, and nobody holds the province; 45"),
        ({"farmers": 2}, {"attacker": "farmers"}, "The farmers attack with 6, blue defends with 4: the farmers win 2"),
    ],
)
def test_a_battle_is_told_in_the_words_of_the_game(out: dict[str, int], rules: dict[str, Any], says: str) -> None:
    assert says in play(out, **rules)[-1].says
