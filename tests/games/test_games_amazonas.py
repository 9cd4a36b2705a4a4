"""Amazonas plays the rulebook: its event cards, the silver that they change, and the Indian in his two forms."""

from collections import Counter
from itertools import pairwise, product
from typing import Any

import pytest
from support.cases import each_case
from support.fakes import CoinTower, ScriptedTower

from tower_sim.games.amazonas import BAD, EVENTS, GAME, silver


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


def test_a_theft_takes_only_the_silver_that_the_player_has():
    for money, saved, tiles, indians in product(range(4), range(3), range(6), range(3)):
        theft = silver(rules_of(money=money, saved=saved, tiles=tiles), "theft", indians, protected=False)
        assert saved + sum(theft) == max(0, saved + money - tiles - indians)
    assert silver(rules_of(money=0, tiles=5), "theft", 0, protected=False) == (0, 0)


@each_case(("event", "change"), [
    ("fire", -4), ("jaguar", 0), ("crocodile", 0), ("theft", -3), ("bonus_fish", 3), ("indian", -7),
])  # fmt: skip
def test_an_event_changes_the_silver_as_the_rulebook_says(event: str, change: int):
    assert silver(rules_of(money=7, tiles=3), event, 0, protected=False) == (7, change)


def test_the_indian_income_card_protects_at_the_first_bad_event_of_each_hand():
    for seed in range(30):
        rounds = rounds_of(seed, card="indian", takes_indian=False)
        for hand in (rounds[:7], rounds[7:14], rounds[14:]):
            bad = [facts for facts in hand if facts["event"] in BAD]
            assert all((facts["income"], facts["silver"]) == (6, 0) for facts in bad[:1])
            for facts in hand:
                usual = silver(rules_of(takes_indian=False), facts["event"], 0, protected=False)
                assert facts in bad[:1] or (facts["income"] - facts["silver"], facts["silver"]) == usual


def test_every_indian_tile_adds_1_to_the_indian_income_card():
    assert silver(rules_of(), "theft", 2, protected=True) == (8, 0)  # the rulebook's example


@each_case(("event", "card", "announced", "change"), [
    ("bonus_fish", "other", 5, 2 + 3), ("bonus_parrot", "other", 5, 2), ("theft", "other", 5, -2 - 3),
    ("bonus_fish", "species", 5 + 3, 2 + 3), ("fire", "species", 5 + 3, -4),
])  # fmt: skip
def test_an_indian_tile_counts_as_a_tile_of_its_species(event: str, card: str, announced: int, change: int):
    assert silver(rules_of(card=card), event, 3, protected=False) == (announced, change)


def test_a_player_who_takes_every_indian_has_more_tiles_from_then_on():
    for seed, takes in product(range(20), (True, False)):
        indians = 0
        for facts in rounds_of(seed, takes_indian=takes, card="species", species="orchid"):
            has = {"theft": -2 - indians, "bonus_orchid": 2 + indians, "indian": -5 - indians if takes else 0}
            if facts["event"] in has:
                assert (facts["silver"], facts["income"] - facts["silver"]) == (has[facts["event"]], 5 + indians)
            indians += takes and facts["event"] == "indian"
    assert silver(rules_of(tiles=0), "indian", 0, protected=False) == (5, 0)  # no species to put the tile under


def test_figures_and_summary_tell_the_silver_of_a_game():
    turns = list(GAME.start(CoinTower(), rules_of(), 3))
    figures = dict(zip([figure.key for figure in GAME.figures], GAME.measured(turns, rules_of()), strict=True))
    rounds = [turn.facts for turn in turns if "event" in turn.facts]
    assert figures["income"] == 18 * 5 + figures["silver"] == sum(facts["income"] for facts in rounds)
    assert figures["repeats"] == sum(facts.get("repeats", False) for facts in rounds) / 17
    assert f"In 18 rounds and {len(turns)} throws the player gained {figures['income']:g}" in GAME.summary(turns, None)
