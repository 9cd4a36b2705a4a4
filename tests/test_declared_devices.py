"""Decks, bags and dice of declared games: exact chances against every possible sequence, and the rulebooks' figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from math import factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each_case

from tower_sim.errors import UsageError
from tower_sim.games.devices import Bag, Deck, Device, of_dice

EVENTS = {
    "jaguar": 2, "crocodile": 2, "fire": 3, "theft": 2, "indian": 4,
    "fish": 1, "orchid": 1, "butterfly": 1, "parrot": 1, "reptile": 1,
}  # fmt: skip
BONUS = {"bonus": ["fish", "orchid", "butterfly", "parrot", "reptile"]}
DIE = range(1, 7)

small = st.dictionaries(st.sampled_from("abcd"), st.integers(0, 3), min_size=1).filter(lambda c: sum(c.values()) > 0)


def sequences(device: Device, draws: int) -> list[Sequence[str]]:
    """Every equally likely sequence of so many draws, with each card and cube told apart."""
    things = [word for word, count in device.counts.items() for _ in range(count)]
    if isinstance(device, Deck):
        return list(permutations(things, draws))
    return list(product(things, repeat=draws))


def agree(device: Device, draws: int) -> None:
    """All that a device says of so many draws is what its sequences say."""
    every = sequences(device, draws)

    def share(hits: Sequence[object]) -> Fraction:
        return Fraction(sum(map(bool, hits)), len(every))

    assert sum(device.chances().values()) == 1
    assert device.orders(draws) == len(set(every))
    for event in device.events:
        assert all(device.chances()[event] == share([s[i] == event for s in every]) for i in range(draws))
        number = Counter(s.count(event) for s in every)
        told = {n: chance for n, chance in device.times(event, draws).items() if chance}
        assert told == {n: Fraction(times, len(every)) for n, times in number.items()}
        at = [s.index(event) + 1 if event in s else draws + 1 for s in every]
        assert device.first(event, draws) == [share([n == i for n in at]) for i in range(1, draws + 1)]
        assert device.mean_first(event, draws) == Fraction(sum(at), len(every))
    for i in range(1, draws):
        assert device.twice() == share([s[i] == s[i - 1] for s in every])


@given(small)
def test_a_deck_says_what_all_its_orders_say(counts: dict[str, int]) -> None:
    deck = Deck(counts)
    agree(deck, min(deck.size, 4))


@each_case("counts", [{"a": 1}, {"a": 2, "b": 3, "c": 1}, {"a": 3, "b": 0, "c": 3}])
def test_a_whole_deck_says_what_all_its_orders_say(counts: dict[str, int]) -> None:
    deck = Deck(counts)
    agree(deck, deck.size)
    for event, count in counts.items():
        assert deck.mean_first(event, deck.size) == Fraction(deck.size + 1, count + 1)


@given(small)
def test_a_bag_says_what_all_its_sequences_say(counts: dict[str, int]) -> None:
    agree(Bag(counts), 3 if sum(counts.values()) < 8 else 2)


@each_case("dice", [[DIE], [DIE, DIE], [[1, 1, 3], [0, 2]], [[1, 2]] * 5])
def test_dice_are_the_bag_of_all_their_throws(dice: list[Sequence[int]]) -> None:
    throws = Counter(sum(faces) for faces in product(*dice))
    assert of_dice(dice).counts == {str(total): ways for total, ways in sorted(throws.items())}
    assert list(of_dice(dice).counts) == [str(total) for total in sorted(throws)]


def test_two_dice_are_a_bag_of_thirty_six_cubes() -> None:
    bag = of_dice([DIE, DIE], {"robber": ["7"]})
    assert bag.counts == {str(n): 6 - abs(7 - n) for n in range(2, 13)}
    assert bag.chances()["7"] == bag.lumped().chances()["robber"] == Fraction(1, 6)
    assert bag.twice() == Fraction(146, 1296)
    assert bag.mean_first("7", 100) == 6 * (1 - Fraction(5, 6) ** 101)


def test_the_deck_of_amazonas_has_the_figures_of_its_rulebook() -> None:
    deck = Deck(EVENTS, BONUS)
    assert deck.orders(18) == factorial(18) // (2 * 2 * 6 * 2 * 24)
    assert deck.twice() == Fraction(4, 51)
    assert deck.lumped().twice() == Fraction(22, 153)
    assert deck.lumped().events == ("jaguar", "crocodile", "fire", "theft", "indian", "bonus")
    assert Bag(EVENTS).twice() == Fraction(7, 54)
    assert Bag(EVENTS, BONUS).lumped().twice() == Fraction(31, 162)
    for event, count in EVENTS.items():
        assert deck.mean_first(event, 18) == Fraction(19, count + 1)
    assert deck.lumped().mean_first("bonus", 18) == Fraction(19, 6)


@given(small, st.integers(1, 4))
def test_hands_are_counted_whatever_their_order(counts: dict[str, int], draws: int) -> None:
    deck = Deck(counts)
    things = [word for word, count in sorted(counts.items()) for _ in range(count)]
    assert deck.hands(draws) == len(set(combinations(things, draws)))


def test_dealt_cards_are_counted_in_order_and_in_hands() -> None:
    missions = Deck({str(n): 1 for n in range(8)})
    assert (missions.orders(4), missions.hands(4)) == (8 * 7 * 6 * 5, 70)
    ports = Deck({"any": 5, "ore": 1, "wood": 1, "wool": 1, "wheat": 1, "clay": 1})
    assert ports.orders(10) == factorial(10) // factorial(5)


@given(small, st.integers(1, 3))
def test_a_lumped_device_is_one_with_other_words(counts: dict[str, int], draws: int) -> None:
    kinds = {"both": [word for word in ("a", "c") if word in counts]}
    other = {"a": "both", "c": "both"}
    deck = Deck(counts, kinds)
    draws = min(draws, deck.size)
    renamed = [tuple(other.get(word, word) for word in s) for s in sequences(deck, draws)]
    lumped = deck.lumped()
    for event in lumped.events:
        assert lumped.mean_first(event, draws) == Fraction(
            sum(s.index(event) + 1 if event in s else draws + 1 for s in renamed), len(renamed)
        )
    assert set(lumped.counts) == {other.get(word, word) for word in counts}


@each_case(
    ("wrong", "told"),
    [
        (lambda: Deck({"a": -1}), "counts.a"),
        (lambda: Deck({}), "counts"),
        (lambda: Deck({"a": 10**6}), "counts.a"),
        (lambda: Deck({"a": 1, "b": 1}, {"k": ["c"]}), "kinds.k"),
        (lambda: Deck({"a": 1, "b": 1}, {"k": ["a"], "l": ["a"]}), "kinds.l"),
        (lambda: Deck({"a": 1, "b": 1}, {"b": ["a"]}), "kinds"),
        (lambda: Deck({"a": 1}).times("b", 1), "event"),
        (lambda: Bag({"a": 1}).times("b", 1), "event"),
        (lambda: of_dice([]), "dice"),
        (lambda: of_dice([DIE, []]), "dice"),
        (lambda: of_dice([DIE] * 100), "dice"),
        (lambda: of_dice([DIE, DIE], {"k": ["1"]}), "kinds.k"),
    ],
)
def test_what_no_device_can_be_is_refused_in_one_line(wrong: object, told: str) -> None:
    assert callable(wrong)
    with pytest.raises(UsageError, match=f"^{told} is .*allowed is") as refused:
        wrong()
    assert "\n" not in str(refused.value)
