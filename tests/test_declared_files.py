"""The declared games that ship: the counts of their boxes, their exact figures, and what their turns do."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import factorial
from pathlib import Path
from typing import Any, cast

import pytest
from support.cases import each_case

from tower_sim import registry
from tower_sim.apparatus.catalogue import load
from tower_sim.errors import UsageError
from tower_sim.games.declared.checked import declaration_of
from tower_sim.games.declared.game import AnyDeclared, DeclaredGame
from tower_sim.games.declared.play import Throw
from tower_sim.games.declared.rules import DeclaredRules
from tower_sim.games.declared.stands_for import device_of, draws_of
from tower_sim.games.game import Turn
from tower_sim.games.stand_in import StandIn
from tower_sim.models import open_model

VARIANTS = Path(__file__).parent.parent / "docs" / "variants"
RESOURCES = {"fruit": 14, "cattle": 14, "fish": 14, "wood": 14, "stone": 11, "iron": 9}


def game(name: str) -> DeclaredGame:
    return registry.get("game", name)


def rules(name: str, **changed: Any) -> DeclaredRules:
    return game(name).read({"rules": changed})


def device(name: str, which: str, **changed: Any) -> tuple[Any, int]:
    """A device of a file and how many are drawn of it."""
    of = rules(name, **changed)
    declared = of.declaration.devices[which]
    return device_of(of, declared), draws_of(of, declared)


def stand_in(of: DeclaredGame, rules: DeclaredRules) -> StandIn:
    found = of.stand_in(rules)
    assert found is not None
    return found


def play(name: str, seed: int = 1, model: str = "two_thirds", **changed: Any) -> list[Turn]:
    of = game(name)
    return list(of.play(open_model(load(of.apparatus), model), rules(name, **changed), seed))


def values(turns: Sequence[Turn], column: str) -> list[Any]:
    return [turn.facts[column] for turn in turns if turn.facts.get(column) is not None]


# Amazonas


def test_amazonas_has_the_deck_of_its_rulebook() -> None:
    one = stand_in(game("amazonas"), rules("amazonas"))
    deck = one.device
    assert (one.kind, one.column, one.draws, one.is_whole) == ("deck", "event", 18, True)
    assert sorted(deck.counts.values()) == [1, 1, 1, 1, 1, 2, 2, 2, 3, 4]
    assert deck.orders(18) == factorial(18) // (factorial(2) ** 3 * factorial(3) * factorial(4))
    assert (deck.twice(), deck.lumped().twice()) == (Fraction(4, 51), Fraction(22, 153))
    assert {event: deck.mean_first(event, 18) for event in ("jaguar", "fire", "indian", "bonus_fish")} == {
        "jaguar": Fraction(19, 3), "fire": Fraction(19, 4), "indian": Fraction(19, 5), "bonus_fish": Fraction(19, 2),
    }  # fmt: skip
    cards = [event for event, count in deck.counts.items() for _ in range(count)]
    assert deck.twice() == Fraction(sum(a == b for a, b in permutations(cards, 2)), 18 * 17)
    assert deck.times("indian", 2)[2] == Fraction(sum(s == ("indian",) * 2 for s in permutations(cards, 2)), 18 * 17)


@pytest.mark.parametrize(("players", "orders"), [(3, 8 * 7 * 6), (4, 8 * 7 * 6 * 5)])
def test_amazonas_deals_a_mission_a_player(players: int, orders: int) -> None:
    missions, dealt = device("amazonas", "missions", players=players)
    assert dealt == players
    assert missions.orders(dealt) == len(set(permutations(range(8), dealt))) == orders


@each_case("pick", ["uniform", "most"])
@each_case("model", ["two_thirds", "surrogate"])
def test_every_card_of_amazonas_is_the_event_once(pick: str, model: str) -> None:
    for seed in range(8):
        turns = play("amazonas", seed, model, pick=pick)
        counts = stand_in(game("amazonas"), rules("amazonas")).device.counts
        assert Counter(values(turns, "event")) == Counter(counts)
        last: Throw = turns[-1].entry
        assert len(last.table.at("spent")) == 18


def test_the_effects_of_amazonas_change_silver_as_the_rulebook_says() -> None:
    turns = [turn for seed in range(3) for turn in play("amazonas", seed, money=7, tiles=3)]
    told = {turn.facts["effect"]: turn.facts["amount"] for turn in turns if turn.facts.get("effect")}
    assert told == {"jaguar": None, "crocodile": None, "fire": -4, "theft": -3, "indian": -7, "bonus": 3}


# Seafarers


def test_the_thirty_six_cubes_of_seafarers_are_two_dice() -> None:
    of = rules("seafarers")
    one = stand_in(game("seafarers"), of)
    throws = Counter(str(a + b) for a, b in product(range(1, 7), repeat=2))
    assert one.device.counts == {event: n for event, n in of.counts["waiting"].items() if n} == throws
    assert (one.kind, one.draws) == ("dice", 60)
    assert one.device.chances()["7"] == Fraction(1, 6)
    pairs = product(throws.elements(), repeat=2)
    assert one.device.twice() == Fraction(146, 1296) == Fraction(sum(a == b for a, b in pairs), 1296)


@each_case(
    ("which", "size", "orders"),
    [
        ("tokens", 10, factorial(10)),
        ("ports", 10, factorial(10) // factorial(5)),
        ("ports_of_scenario_7", 9, factorial(9) // factorial(4)),
        ("hexes", 24, factorial(24) // (factorial(3) * factorial(2) ** 3 * factorial(12))),
        ("bag_of_scenario_7", 7, factorial(7)),
    ],
)
def test_the_other_counters_of_seafarers_are_decks(which: str, size: int, orders: int) -> None:
    deck, drawn = device("seafarers", which)
    assert (deck.size, drawn, deck.orders(size)) == (size, size, orders)


def test_the_ports_have_as_many_orders_as_can_be_laid() -> None:
    deck, _ = device("seafarers", "ports_of_scenario_7")
    laid = [port for port, count in deck.counts.items() for _ in range(count)]
    assert deck.orders(3) == len(set(permutations(laid, 3)))


def test_the_numbers_of_seafarers_are_the_events_and_all_cubes_return() -> None:
    turns = play("seafarers", model="surrogate")
    assert values(turns, "event") == [str(number) for number in values(turns, "number")]
    assert len(values(turns, "number")) == 60
    table = turns[-1].entry.table
    assert len(table.at("waiting")) + len(turns[-1].state.residents) == 36
    assert {turn.facts["effect"] for turn in turns if turn.facts["event"] == "7"} == {"7"}


def test_a_card_is_stolen_by_cubes_after_each_seven_only_where_the_table_says_so() -> None:
    assert values(play("seafarers"), "stolen") == []
    turns = play("seafarers", theft="cubes", wood_cards=2, wool_cards=0)
    sevens = values(turns, "number").count(7)
    thefts = [turn for turn in turns if turn.facts["phase"] == "theft"]
    assert sum("stolen" in turn.facts for turn in thefts) <= sevens
    assert len(thefts) > 0
    assert set(values(turns, "stolen")) <= {"wood", "grain", "brick", "ore"}


def test_two_sets_of_six_are_thrown_until_both_dice_are_out_and_are_two_dice_too() -> None:
    of: DeclaredGame = registry.get("game", str(VARIANTS / "seafarers_two_sets.toml"))
    model = open_model(load(of.apparatus), "two_thirds")
    turns = list(of.play(model, of.read({}), 4))
    last = {turn.facts["round"]: turn for turn in turns}
    assert len(last) == 60 < len(turns)
    for turn in turns:
        kinds = {cube.colour.split("_")[0] for cube in turn.entry.out}
        is_read = turn is last[turn.facts["round"]]
        assert (kinds == {"white", "red"}) == is_read == (turn.facts.get("number") is not None)
        assert len(turn.entry.table.at("waiting")) + len(turn.state.residents) == 12
    one = stand_in(of, of.read({}))
    assert (one.column, one.device.counts) == ("number", stand_in(game("seafarers"), rules("seafarers")).device.counts)


@each_case(("needs", "told"), [("out", "a list"), (["bag"], "pool"), (["waiting"], "out")])
def test_what_has_to_come_out_is_part_of_what_is_out(needs: Any, told: str) -> None:
    table = json.loads(game("seafarers").declaration.text)
    table["phase"][0]["needs"] = needs
    with pytest.raises(UsageError, match=r"^phase\[0\].needs.* allowed is .*" + told):
        declaration_of(table)


# Archipelago


def test_archipelago_has_the_cubes_of_its_box() -> None:
    counts = rules("archipelago").counts
    assert counts == {"bank": RESOURCES, "market": dict.fromkeys(RESOURCES, 1)}
    assert sum(map(sum, (pool.values() for pool in counts.values()))) == 82
    one = stand_in(game("archipelago"), rules("archipelago"))
    assert (one.kind, one.column, one.draws) == ("bag", "resource", 18)
    assert one.device.chances()["iron"] == Fraction(9, 76)


@each_case("players", [2, 3, 4, 5])
def test_what_archipelago_deals_depends_on_the_players(players: int) -> None:
    order, drawn = device("archipelago", "order_of_play", players=players)
    assert (drawn, order.orders(drawn)) == (players, factorial(players))
    assert device("archipelago", "regions", players=players)[1] == 3 * players
    assert device("archipelago", "regions_left", players=players)[0].size == 24 - players
    goals, dealt = device("archipelago", "objectives", players=players)
    assert (goals.size, dealt) == ((8, 4) if players == 2 else (10, players))


def test_the_other_decks_of_archipelago_have_their_counts() -> None:
    regions, _ = device("archipelago", "regions")
    evolution, laid = device("archipelago", "evolution")
    trend, drawn = device("archipelago", "trend")
    assert (regions.size, regions.orders(2)) == (24, 24 * 23)
    assert (evolution.size, laid, evolution.twice()) == (48, 5, Fraction(2 * 24 * 23, 48 * 47))
    assert (trend.size, drawn, trend.orders(drawn)) == (12, 1, 12)


def test_a_crisis_of_archipelago_asks_for_what_came_out() -> None:
    turns = play("archipelago", model="surrogate", turns=4, sample=5)
    asked = [turn for turn in turns if turn.facts.get("resource")]
    assert [turn.facts["phase"] for turn in asked] == ["interior", "exterior"] * 3
    for turn in asked:
        out = Counter(cube.colour for cube in turn.entry.out)
        assert turn.facts["asked"] == out[turn.facts["resource"]] > 0
        assert len(turn.entry.thrown) <= 5


# Wallenstein


def test_the_cup_is_seeded_with_seven_a_player_and_ten_farmers() -> None:
    for players in (3, 4, 5):
        first = play("wallenstein", players=players)[0]
        assert (first.facts["phase"], len(first.entry.thrown)) == ("setup", 7 * players + 10)
        assert len(first.entry.table.at("supply")) == 55 * players + 10 + len(first.entry.out)


def battle(turn: Turn, revolts: int) -> Mapping[str, Any]:
    """What a battle must come to, from what came out: red attacks blue."""
    out = Counter(cube.colour for cube in turn.entry.out)
    red, blue, farmers = out["red"], out["blue"], out["farmers"] if revolts <= 1 else 0
    dead = farmers, blue  # farmers die first
    left = max(0, blue - max(0, red - dead[0])) if blue + farmers > red else 0
    return {
        "attackers_out": red,
        "farmers_out": farmers,
        "defenders_out": blue + farmers,
        "winner": "attacker" if red > blue + farmers else "defender" if red < blue + farmers else "nobody",
        "attackers_left": max(0, red - blue - farmers),
        "defenders_left": left,
    }


@each_case("revolts", [0, 1, 2])
def test_a_battle_in_the_cup_is_told_and_cleared_away_as_its_rules_say(revolts: int) -> None:
    winners: set[str] = set()
    for seed in range(4):
        turns = play("wallenstein", seed, revolts=revolts, defenders=6, battles=12)
        for before, turn in pairwise(turns):
            wanted = battle(turn, revolts)
            assert {name: turn.facts[name] for name in wanted} == wanted
            table = turn.entry.table
            holding = Counter(cube.colour for cube in table.at("province"))
            assert (holding["red"], holding["blue"]) == (wanted["attackers_left"], wanted["defenders_left"])
            in_cup = {cube.colour for cube in table.at("cup")}
            assert not in_cup & ({"red", "blue"} | ({"farmers"} if revolts <= 1 else set()))
            thrown = Counter(cube.colour for cube in turn.entry.thrown)
            waiting = Counter(cube.colour for cube in before.entry.table.at("cup"))
            assert thrown == waiting + Counter(red=6, blue=6)
            winners.add(turn.facts["winner"])
    assert winners == {"attacker", "defender", "nobody"}


# All of them


@each_case("name", ["amazonas", "seafarers", "archipelago", "wallenstein"])
def test_the_same_seed_plays_the_same_run_and_another_another(name: str) -> None:
    def told(seed: int) -> list[Any]:
        return [dict(turn.facts) for turn in play(name, seed)]

    assert told(5) == told(5) != told(6)


def changed(name: str, **devices: Any) -> dict[str, Any]:
    """The file of a game with other keys in one of its devices."""
    table = dict(game(name).declaration.table)
    table["devices"] = {**table["devices"], **devices}
    return {"declared": table}


@each_case(
    ("of", "path"),
    [
        ({"kind": "deck", "counts": {"a": -1}}, "devices.x.counts.a"),
        ({"kind": "deck", "counts": {"a": 0}}, "devices.x.counts"),
        ({"kind": "deck", "counts": {"a": 1}, "deal": "players"}, "devices.x.deal"),
        ({"kind": "deck", "counts": {"a": "nobody"}}, "a name in devices.x.counts.a"),
        ({"kind": "deck", "counts": {"a": 1}, "kinds": {"k": ["b"]}}, "devices.x.kinds.k"),
        ({"kind": "deck", "counts": {"a": 1, "b": 1}, "kinds": {"b": ["a"]}}, "devices.x.kinds"),
        ({"kind": "deck", "counts": "nowhere"}, "devices.x.counts"),
        ({"kind": "deck"}, "keys of devices.x"),
        ({"kind": "dice", "counts": {"a": 1}}, "keys of devices.x"),
        ({"kind": "dice", "dice": []}, "devices.x.dice"),
        ({"kind": "dice", "dice": [[1] * 999] * 20}, "devices.x.dice"),
        ({"kind": "dice", "dice": [[]]}, "number of items of devices.x.dice"),
        ({"kind": "cards", "counts": {"a": 1}}, "devices.x.kind"),
        ({"kind": "bag", "counts": {"a": 1}, "reads": "nothing"}, "devices.x.reads"),
    ],
)  # fmt: skip
def test_a_device_that_cannot_be_is_refused_in_one_line_with_its_path(of: Any, path: str) -> None:
    with pytest.raises(UsageError, match="allowed is") as refused:
        game("amazonas").read(changed("amazonas", x=of))
    assert str(refused.value).startswith(path)
    assert "\n" not in str(refused.value)


def test_the_game_that_is_bound_to_no_file_plays_what_a_table_declares_as_the_game_of_its_file_does() -> None:
    of, anyone = game("amazonas"), AnyDeclared()
    own = of.read({})
    given = anyone.read({"declared": of.declaration.table})
    assert anyone.plain(given) == of.plain(own)
    model, other = open_model(load(of.apparatus), "two_thirds"), cast("Any", {"colours": 7})
    turns = [list(each.play(model, read, 5, 2)) for each, read in ((of, own), (anyone, given))]
    assert turns[0] == turns[1]
    assert anyone.summary(turns[1], given) == of.summary(turns[0], own)
    for use in (anyone.plain, lambda rules: anyone.play(model, rules, 5)):
        with pytest.raises(UsageError, match=r"^rules .*allowed is rules that the game has read"):
            use(other)
