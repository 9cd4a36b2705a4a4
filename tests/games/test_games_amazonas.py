"""Amazonas plays the rulebook: its event cards, the silver that they change, and the Indian in his two forms."""

from collections import Counter
from itertools import pairwise, product
from statistics import fmean, pstdev
from typing import Any

import pytest
from support.cases import each_case
from support.fakes import CoinTower, ScriptedTower

from tower_sim.games import count_words, record
from tower_sim.games.amazonas import BAD, CARDS, EVENTS, GAME, silver, worth


def rules_of(**changed: Any) -> Any:
    return GAME.read({"rules": changed})


def rounds_of(seed: int, tower: Any = None, **changed: Any) -> list[Any]:
    return [turn.facts for turn in GAME.start(tower or CoinTower(), rules_of(**changed), seed) if "event" in turn.facts]


@pytest.mark.parametrize("pick", ["uniform", "most"])
def test_every_event_card_is_an_event_once_in_a_game(pick: str):
    for seed in range(20):
        rounds = rounds_of(seed, CoinTower(p_out=0.2, p_resident=0.1), pick=pick)
        assert Counter(facts["event"] for facts in rounds) == {event: cards for event, (cards, _, _) in EVENTS.items()}
        assert [facts["round"] for facts in rounds] == [*range(1, 19)]
        assert [b["repeats"] for _, b in pairwise(rounds)] == [a["event"] == b["event"] for a, b in pairwise(rounds)]


def test_a_round_throws_again_and_empties_a_tower_that_keeps_every_cube():
    tower = ScriptedTower(drops=({}, {"fire": 2, "indian": 1}, {"fire": 1}))
    turns = GAME.start(tower, rules_of(pick="most"), 1)
    nothing, fire, second = next(turns), next(turns), next(turns)
    assert (nothing.says, nothing.facts) == ("Round 1: No cube comes out. Throw again.", {"round": 1})
    assert fire.says.startswith("Round 1: Empty the tower first. Forest fire: every player receives half the silver")
    assert (second.thrown, second.facts["repeats"]) == ({"fire": 1, "indian": 1}, True)  # the first fire is spent


def test_any_cube_that_comes_out_may_be_the_event_or_one_of_the_most_numerous_colour():
    tower = ScriptedTower(drops=({"jaguar": 1, "fire": 3, "indian": 3},))
    any_cube, most = (
        Counter(next(GAME.start(tower, rules_of(pick=pick), seed)).facts["event"] for seed in range(1400))
        for pick in ("uniform", "most")
    )
    for counts, chances in ((any_cube, {"jaguar": 1 / 7, "fire": 3 / 7}), (most, {"jaguar": 0, "fire": 1 / 2})):
        for event, chance in chances.items():  # four standard errors
            assert abs(counts[event] - 1400 * chance) <= 4 * (1400 * chance * (1 - chance)) ** 0.5


@each_case(("card", "tiles", "indians", "worths"), [
    ("butterfly", 1, 0, 3), ("orchid", 3, 0, 8), ("all_species", 3, 0, 3), ("fish", 2, 1, 4), ("indian", 2, 2, 8),
    ("butterfly", 2, 1, 4), ("all_species", 2, 1, 3),
])  # fmt: skip
def test_an_income_card_is_worth_what_the_rulebook_says(card: str, tiles: int, indians: int, worths: int):
    """The first five are its examples, the others have the Indian tiles under another species or the largest one."""
    assert worth(rules_of(tiles=tiles, species="fish"), card, indians) == worths


@each_case("choice", ["lot", "indian"])
def test_all_seven_cards_are_played_before_any_returns(choice: str):
    thirds, changes = Counter[str](), list[int]()
    for seed in range(100):
        rounds = rounds_of(seed, choice=choice, takes_indian=False)
        hands = [[facts["card"] for facts in rounds[i : i + 7]] for i in (0, 7, 14)]
        assert sorted(hands[0]) == sorted(hands[1]) == sorted(CARDS)
        assert len({*hands[2]}) == len(hands[2]) == 4
        # 1 + 2 + 3 + 4 + 5 + 6 on the cards, and 2 tiles on all cards but the Indian
        assert sum(facts["income"] - facts["silver"] for facts in rounds[:14]) == 2 * (21 + 6 * 2)
        thirds.update(hands[2])
        changes.append(sum(facts["silver"] for facts in rounds))
    if choice == "lot":  # four standard errors
        assert all(abs(thirds[card] - 100 * 4 / 7) <= 4 * (100 * 4 / 7 * 3 / 7) ** 0.5 for card in CARDS)
        # Each card meets each event with the same chance. Worth 2 to 7, the cards lose 1 + 2 + 2 + 3 + 3 + 4 in each of
        # 3 fires and 2 each in 2 thefts. The Indian loses nothing. Five bonuses bring 2.
        exact = 5 * 2 - (3 * 15 + 2 * 6 * 2) / 7
        assert abs(fmean(changes) - exact) <= 4 * pstdev(changes) / 100**0.5


@each_case(("event", "card", "change"), [
    ("fire", "orchid", -4), ("jaguar", "orchid", 0), ("crocodile", "orchid", 0), ("theft", "orchid", -2),
    ("bonus_fish", "orchid", 2), ("indian", "orchid", -7), ("indian", "indian", -6), ("bonus_fish", "indian", 2),
    *((event, "indian", 0) for event in BAD),
])  # fmt: skip
def test_an_event_changes_the_silver_as_the_rulebook_says(event: str, card: str, change: int):
    assert silver(rules_of(tiles=2), event, card, 0, 0) == (6 if card == "indian" else 7, change)


@each_case(("event", "card", "announced", "change"), [
    ("bonus_fish", "parrot", 5, 2 + 3), ("bonus_parrot", "parrot", 5, 2), ("bonus_fish", "fish", 3 + 3, 2 + 3),
    ("fire", "fish", 3 + 3, -3), ("indian", "indian", 6 + 3, -9), ("theft", "parrot", 5, -2 - 3),
])  # fmt: skip
def test_an_indian_tile_counts_as_a_tile_of_its_species(event: str, card: str, announced: int, change: int):
    assert silver(rules_of(), event, card, 3, 0) == (announced, change)


def test_a_theft_takes_silver_only_once_and_only_what_the_player_has():
    assert silver(rules_of(), "theft", "butterfly", 4, 0) == (4, -4)  # 6 tiles of the largest species
    assert silver(rules_of(), "theft", "butterfly", 4, 1) == (4, -5)
    assert silver(rules_of(tiles=0), "theft", "fish", 0, 0) == (1, 0)
    lost = 0
    for seed in range(80):
        purse, indians = 0, 0
        for facts in rounds_of(seed, saved=1, tiles=1, choice="lot"):
            if facts["event"] == "theft" and facts["card"] != "indian":
                assert facts["silver"] == -min(1 + indians, purse + facts["income"] - facts["silver"])
                lost += facts["income"] < 0
            purse += facts["income"]
            assert purse >= 0
            purse, indians = min(purse, 1), indians + (facts["event"] == "indian")
    assert lost


def test_the_indian_income_card_is_played_at_the_first_bad_event_of_each_hand_or_as_its_last_card():
    for seed in range(30):
        rounds = rounds_of(seed, choice="indian")
        for hand in (rounds[:7], rounds[7:14], rounds[14:]):
            bad = [i for i, facts in enumerate(hand) if facts["event"] in BAD] or [6]
            assert [i for i, facts in enumerate(hand) if facts["card"] == "indian"] == [bad[0]][: len(hand) > bad[0]]


def test_a_player_who_takes_every_indian_has_more_tiles_from_then_on():
    for seed, takes in product(range(20), (True, False)):
        indians = 0
        for facts in rounds_of(seed, takes_indian=takes, species="orchid"):
            announced = worth(rules_of(species="orchid"), facts["card"], indians)
            has = {"bonus_orchid": 2 + indians, "indian": -announced if takes else 0}
            assert facts["income"] - facts["silver"] == announced
            assert facts["silver"] == has.get(facts["event"], facts["silver"])
            indians += takes and facts["event"] == "indian"
    assert silver(rules_of(tiles=0), "indian", "fish", 0, 0) == (1, 0)  # no species to put the tile under


def test_figures_and_summary_tell_the_silver_of_a_game():
    turns = list(GAME.start(CoinTower(), rules_of(), 3))
    figures = dict(zip([figure.key for figure in GAME.figures], GAME.measured(turns, rules_of()), strict=True))
    rounds = [turn.facts for turn in turns if "event" in turn.facts]
    assert figures["income"] == sum(facts["income"] for facts in rounds)
    assert figures["silver"] == sum(facts["silver"] for facts in rounds)
    assert figures["repeats"] == sum(facts.get("repeats", False) for facts in rounds) / 17
    events, cards = (counts[0] for counts in count_words(record(GAME, [turns], rules_of())).values())
    assert dict(zip(GAME.facts["event"], events, strict=True)) == {
        name: number for name, (number, *_) in EVENTS.items()
    }
    assert cards.sum() == 18
    assert f"In 18 rounds and {len(turns)} throws the player gained {figures['income']:g}" in GAME.summary(turns, None)
