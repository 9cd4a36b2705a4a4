"""Seafarers plays the rulebook: the numbers of two dice, the pirate as a variant, knights, and thefts."""

from collections import Counter
from itertools import pairwise, product
from typing import Any

import pytest
from support.cases import each_case
from support.fakes import CoinTower, ScriptedTower

from tower_sim.games import Turn
from tower_sim.games.seafarers import CARDS, GAME, NUMBERS


def turns_of(seed: int, tower: Any = None, **changed: Any) -> list[Turn]:
    return list(GAME.start(tower or CoinTower(), GAME.read({"rules": changed}), seed))


def moves_of(turns: list[Turn]) -> list[str]:
    return [turn.facts["piece"] for turn in turns if "piece" in turn.facts]


SEVEN = ScriptedTower(drops=({"7": 1},))


def test_there_is_a_cube_for_each_way_that_two_dice_fall():
    ways = Counter(str(a + b) for a, b in product(range(1, 7), repeat=2))
    assert GAME.cubes(GAME.read({})) == ways == NUMBERS


def test_a_turn_has_one_number_and_no_cube_is_spent():
    for seed, pick in product(range(2), ("uniform", "most")):
        turns = turns_of(seed, CoinTower(p_out=0.2, p_resident=0.1), pick=pick)
        numbers = [turn for turn in turns if "number" in turn.facts]
        assert [turn.facts["turn"] for turn in numbers] == [*range(1, 61)]
        for turn in numbers:
            number = str(turn.facts["number"])
            assert turn.out[number] == max(turn.out.values()) if pick == "most" else turn.out[number] > 0
        for before, turn in pairwise(turns):  # every cube outside is thrown, after those inside are taken out or not
            assert not turn.outcomes or sum(turn.thrown.values()) in (36 - len(before.state.residents), 36)


def test_a_turn_throws_again_and_empties_a_tower_that_keeps_every_cube():
    nothing, eight = turns_of(1, ScriptedTower(drops=({}, {"8": 1})), turns=1)
    assert (nothing.says, nothing.facts) == ("Turn 1: No number comes out. Throw again.", {"turn": 1})
    assert (eight.says, eight.thrown) == ("Turn 1: Empty the tower first. The number is 8.", NUMBERS)


def test_the_pirate_is_a_variant_and_off_by_default():
    for seed in range(2):
        turns = turns_of(seed, knights=4)
        assert moves_of(turns) == ["robber"] * (sum(turn.facts.get("number") == 7 for turn in turns) + 4)
        assert not any("pirate" in turn.says for turn in turns)


@each_case(("moves", "pieces"), [("lot", {"pirate", "robber"}), ("pirate", {"pirate"}), ("robber", {"robber"})])
def test_a_7_and_a_knight_move_the_pirate_or_the_robber_as_the_player_chooses(moves: str, pieces: set[str]):
    turns = [turn for seed in range(2) for turn in turns_of(seed, pirate=True, moves=moves, knights=10)]
    for who in ("The 7 ", "A knight "):
        assert {turn.facts["piece"] for turn in turns if turn.says.startswith(who)} == pieces


def test_knights_are_played_in_as_many_turns_before_the_number():
    for seed, knights in product(range(5), (0, 1, 5, 6)):
        turns = turns_of(seed, pirate=True, turns=6, knights=knights)
        knight_turns = [turn.facts["turn"] for turn in turns if turn.says.startswith("A knight moves")]
        assert len({*knight_turns}) == len(knight_turns) == knights
        for turn, after in pairwise(turns):
            if turn.says.startswith("A knight"):
                assert (after.facts["turn"], "number" in after.facts) == (turn.facts["turn"], True)


@each_case(("changed", "stolen"), [
    ({}, 1), ({"ships": 3}, 1), ({"pirate": True, "moves": "pirate", "ships": 3}, 3),
    ({"pirate": True, "moves": "pirate", "ships": 0}, 0), ({"pirate": True, "moves": "robber", "ships": 3}, 1),
    (dict.fromkeys([f"{card}_cards" for card in CARDS], 0), 0),
])  # fmt: skip
def test_every_player_with_a_ship_beside_the_pirate_loses_a_card(changed: dict[str, Any], stolen: int):
    turns = turns_of(1, SEVEN, turns=1, **changed)
    assert (sum(turn.facts.get("cards", 0) for turn in turns), len(moves_of(turns))) == (stolen, 1)
    assert stolen or turns[-1].says.endswith("There is no card to steal.")


def test_the_card_stolen_is_drawn_at_random_from_the_hand():
    hand = {"wool_cards": 3, "ore_cards": 1, "wood_cards": 0, "grain_cards": 0, "brick_cards": 0}
    cards = Counter(turns_of(seed, SEVEN, turns=1, **hand)[1].facts["stolen"] for seed in range(1200))
    assert {*cards} == {"wool", "ore"}
    assert abs(cards["wool"] - 900) <= 4 * (1200 * 3 / 16) ** 0.5  # four standard errors


def test_the_card_stolen_with_cubes_is_one_of_those_that_come_out():
    tower = ScriptedTower(drops=({"7": 1}, {"6": 2}, {"wool": 1}))
    _, again, theft = turns_of(1, tower, turns=1, theft="cubes")
    assert again.thrown == dict.fromkeys(CARDS, 1)
    assert again.says == "The 7 moves the robber. No card comes out. Throw the hand again."
    assert theft.says == "Empty the tower first. A player loses a card: wool."
    assert theft.facts == {"turn": 1, "stolen": "wool", "cards": 1}


def test_figures_count_the_sevens_and_the_cards_of_a_game():
    turns, rules = turns_of(4, knights=2), GAME.read({"rules": {"knights": 2}})
    figures = dict(zip([figure.key for figure in GAME.figures], GAME.measured(turns, rules), strict=True))
    numbers = [turn.facts["number"] for turn in turns if "number" in turn.facts]
    assert (figures["sevens"], figures["cards"]) == (numbers.count(7), numbers.count(7) + 2)
    assert figures["number"] == pytest.approx(sum(numbers) / 60)
    assert figures["repeats"] == pytest.approx(sum(a == b for a, b in pairwise(numbers)) / 59)
