"""Battles with the real ship: colours are alike, the active side has only the ties.

What is printed on its board's zones: what the game refuses, and the shipped worths against the rulebook's example. The
example (lines 1066-1101) is checked by enumeration. Its icons are lost in the text; what survives are the numbers.
Which of two numbers of plunder are coins and which cargo is therefore open, and both readings are tried; at least one
must be possible for both sides at once.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations_with_replacement
from pathlib import Path

import pytest
from support.battles import rules_of
from support.cases import each_case
from support.ships import DiceShip

from tower_sim.apparatus import Board, Surface, Zone, load, shipped, with_board
from tower_sim.cli import main
from tower_sim.errors import UsageError
from tower_sim.games.dead_reckoning import Ability, Battle, BattleRules, start, when_behind
from tower_sim.games.dead_reckoning.battle import play
from tower_sim.games.dead_reckoning.combat import KINDS, Worth, kind, worth
from tower_sim.simulator import PhysicsModel
from tower_sim.tools import registry

BATTLES = 15
POLICIES = {"purple": when_behind, "green": when_behind}
ABLE = BattleRules(
    cubes={"purple": 6, "green": 5},
    abilities={
        "purple": tuple(map(Ability.parse, ("throw:2", "move", "strength:1"))),
        "green": tuple(map(Ability.parse, ("throw:2", "take_off", "card:1"))),
    },
)


@pytest.fixture(name="model", scope="module")
def _model():
    with PhysicsModel(load("dead_reckoning")) as model:
        yield model


def fight(model: PhysicsModel, rules: BattleRules, game: int) -> Battle:
    *_, battle = play(model, start(model, rules, 11, game), POLICIES)
    return battle


@pytest.fixture(name="even", scope="module")
def _even(model: PhysicsModel) -> list[Battle]:
    rules = BattleRules(cubes={"purple": 5, "green": 5})
    return [fight(model, rules, game) for game in range(BATTLES)]


def test_with_the_colours_exchanged_the_same_battle_is_fought_with_the_colours_exchanged(model, even):
    other = {"purple": "green", "green": "purple"}
    rules = BattleRules(cubes={"green": 5, "purple": 5})
    for game, battle in enumerate(even):
        exchanged = fight(model, rules, game)
        assert exchanged.result().winner == other[battle.result().winner]
        for step, same in zip(battle.steps, exchanged.steps, strict=True):
            assert [(x.cube.id, other[x.cube.colour], x.place) for x in step.landings] == [
                (x.cube.id, x.cube.colour, x.place) for x in same.landings
            ]


def test_the_active_side_has_the_ties_and_nothing_else(model, even):
    rules = BattleRules(cubes={"purple": 5, "green": 5}, active="green")
    ties = 0
    for game, battle in enumerate(even):
        turned = fight(model, rules, game)
        assert turned.steps == battle.steps
        one, other = battle.result(), turned.result()
        strengths = [one.sides[colour].strength for colour in ("purple", "green")]
        ties += (is_tie := strengths[0] == strengths[1])
        assert (one.winner, other.winner) == (("purple", "green") if is_tie else (one.winner, one.winner))
    assert 0 < ties < BATTLES  # both cases were seen


def test_every_cube_is_accounted_for_abilities_and_explosions_are_seen_and_every_battle_ends_in_zones(model):
    seen = Counter[str]()
    for game in range(BATTLES):
        *steps, battle = play(model, start(model, ABLE, 12, game), POLICIES)
        for each in (*steps, battle):
            counts = sum((Counter(by_colour) for by_colour in each.account().values()), Counter[str]())
            assert counts == {"purple": 29, "green": 29}
            assert each.state.residents == ()
            assert Battle.from_token(each.token()) == each
        seen.update(step.ability or step.kind for step in battle.steps)
        assert all(place.startswith("zone:") for place in battle.places.values())
        assert not battle.state.board.at("zone:explosive_shot")
    assert min(seen["explosion"], seen["throw:2"], seen["move"]) > 0


def test_rulings_that_throw_again_end_and_those_that_lose_cubes_account_for_them(model):
    rulings = {"on_cube": "rethrown", "left_board": "lost", "pushed_onto_border": "stays"}
    crowded = ABLE.but(cubes={"purple": 20, "green": 20}, abilities={}, rulings=rulings)
    lost = 0
    for game in range(8):
        battle = fight(model, crowded, game)
        lost += len(battle.lost)
        assert sum(sum(counts.values()) for counts in battle.account().values()) == 58
        assert set(battle.account()["table"].values()) == {0}
    assert lost > 0


def test_cubes_that_stick_in_a_rough_ship_are_shaken_free_and_the_battle_goes_on():
    """With friction 0.8 a cube stays on a deck of 35 degrees (it slides above 38.7), until the ship is shaken."""
    ship = load("dead_reckoning")
    rough = replace(ship, surfaces={**ship.surfaces, "ship": Surface(0.8, 0.1)})
    freed = 0
    with PhysicsModel(rough) as model:
        for game in range(3):
            *_, battle = play(model, start(model, BattleRules(), 3, game))
            stuck = [sum(x.inside for x in step.landings) for step in battle.steps]
            shakes = [i for i, step in enumerate(battle.steps) if step.kind == "shake"]
            assert all(stuck[i - 1] > 0 for i in shakes)
            freed += sum(stuck[i] < stuck[i - 1] for i in shakes)
            assert stuck[-1] == 0
            assert sum(sum(counts.values()) for counts in battle.account().values()) == 58
    assert freed > 0


BOARD = with_board(load("dead_reckoning")).board
ENDS = (*{worth(zone): zone for zone in BOARD.zones if kind(zone) != "explosive"},)  # of cubes at the end


# Green's 3 thrown, 2 of an ability and 1 extra of explosive shot: 3 strength, 1 damage, plunder.
GREEN = Worth(strength=3, damage=1, coins=1, cargo=1)
VIOLET = Worth(strength=2, choice=2)  # with plunder of 5 and 2; 8 cubes, no damage


def ways(ends: Iterable[Worth], cubes: int, total: Worth) -> list[tuple[Worth, ...]]:
    """Every way in which so many cubes can lie at `ends` and bring this total."""
    every = combinations_with_replacement(sorted(ends, key=repr), cubes)
    return [way for way in every if sum(way, Worth()) == total]


@pytest.mark.parametrize("plunder", [Worth(coins=5, cargo=2), Worth(coins=2, cargo=5)])
def test_the_shipped_board_can_end_as_the_worked_example_does_whichever_icon_is_which(plunder: Worth):
    assert ways(ENDS, 6, GREEN)
    assert any(w.coins and w.cargo for way in ways(ENDS, 8, VIOLET + plunder) for w in way)  # a zone of two things


def test_the_shipped_board_has_every_kind_of_zone_the_game_has_and_both_strengths():
    assert {kind(zone) for zone in BOARD.zones} == set(KINDS)
    assert {worth(zone).strength for zone in BOARD.zones if kind(zone) == "strength"} == {1, 2}
    plunder = [worth(zone) for zone in BOARD.zones if kind(zone) == "plunder"]
    gives = {tuple(bool(x) for x in (zone.coins, zone.cargo, zone.choice)) for zone in plunder}
    assert gives == {(True, False, False), (False, True, False), (True, True, False), (False, False, True)}


BAD = {
    "unknown kind": ("choice", {"kind": "treasure"}, "choice.kind is 'treasure'; allowed is one of explosive, plunder"),
    "no kind": ("choice", {"kind": None}, "choice.kind is missing; allowed is one of explosive,"),
    "value of another kind": ("choice", {"strength": 2}, "choice.strength = 2; allowed for kind 'plunder' is coins or"),
    "value of none": ("damage_aft", {"coins": 2}, "damage_aft.coins = 2; allowed for kind 'damage' is no value"),
    "no value": ("strength_2", {"strength": 0}, "strength_2 of kind 'strength' gives nothing"),
    "value too many": ("strength_2", {"strength": 12}, "strength_2.strength is 12; allowed is a whole number from 0"),
    "a truth": ("strength_2", {"strength": True}, "strength_2.strength is true; allowed is a whole number"),
    "unknown key": ("choice", {"worth": 2}, "choice.worth is unknown"),
}


def board_with(name: str, **changes: object) -> Board:
    def change(zone: Zone) -> Zone:
        printed = {key: value for key, value in (dict(zone.printed) | changes).items() if value is not None}
        return replace(zone, printed=printed) if zone.name == name else zone

    return replace(BOARD, zones=tuple(change(zone) for zone in BOARD.zones))


@each_case("name", BAD)
def test_a_battle_on_a_board_whose_print_the_game_does_not_know_is_refused_before_anything_is_thrown(name: str):
    where, changes, says = BAD[name]
    ship = DiceShip(ship="mine", board=board_with(where, **changes))
    with pytest.raises(UsageError) as caught:
        start(ship, rules_of(violet=3, green=2), 1)
    assert str(caught.value).startswith(f"profile mine: zone {says}")


def test_zeros_that_are_printed_change_nothing_and_a_saved_battle_is_read_back_the_same():
    setup = rules_of(violet=3, green=2)
    chances = {f"zone:{zone.name}": 1 / len(BOARD.zones) for zone in BOARD.zones}
    boards = (BOARD, board_with("choice", coins=0, strength=0))
    ships = (DiceShip(board=board, chances=chances, ship="mine") for board in boards)
    one, other = ([*play(ship, start(ship, setup, 3))][-1] for ship in ships)
    assert one.board == other.board
    assert one.result() == other.result()
    assert Battle.from_token(other.token()) == other


def test_a_campaign_of_battles_on_such_a_board_is_refused_before_its_directory_is_made(tmp_path: Path):
    text = shipped()["dead_reckoning"].replace('kind = "plunder"\ncargo = 1', 'kind = "treasure"\ncargo = 1')
    (tmp_path / "mine.toml").write_text(text)
    spec = '[campaign]\ngame = "dead_reckoning"\napparatus = "mine.toml"\nseed = "9"\nbattles = 2\n'
    (tmp_path / "spec.toml").write_text(f"{spec}[battle]\ncubes = {{ purple = 6, green = 3 }}\n")
    assert main(["campaign", "run", str(tmp_path / "spec.toml"), "-o", str(tmp_path / "data"), "--workers", "1"]) == 2
    assert not (tmp_path / "data").exists()
    with pytest.raises(UsageError, match=r"profile mine: zone cargo\.kind is 'treasure'; allowed is one of explosive"):
        registry.get("game", "dead_reckoning").check(load(tmp_path / "mine.toml"))
