"""What is printed on a board's zones: what the game refuses, and the shipped worths against the rulebook's example.

The worked example (lines 1066-1101) is checked by enumeration. Its icons are lost in the text; what survives are the
numbers. Which of two numbers of plunder are coins and which cargo is therefore open, and both readings are tried; at
least one must be possible for both sides at once.
"""

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations_with_replacement
from pathlib import Path

import pytest
from support.battles import rules_of
from support.cases import each_case
from support.ships import DiceShip

from tower_sim.apparatus import Board, Zone, catalogue, with_board
from tower_sim.cli import main
from tower_sim.errors import UsageError
from tower_sim.games.dead_reckoning import Battle, start
from tower_sim.games.dead_reckoning.battle import play
from tower_sim.games.dead_reckoning.combat import KINDS, Worth, kind, worth
from tower_sim.tools import registry

BOARD = with_board(catalogue.load("dead_reckoning")).board
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
    text = catalogue.shipped()["dead_reckoning"].replace('kind = "plunder"\ncargo = 1', 'kind = "treasure"\ncargo = 1')
    (tmp_path / "mine.toml").write_text(text)
    spec = '[campaign]\ngame = "dead_reckoning"\napparatus = "mine.toml"\nseed = "9"\nbattles = 2\n'
    (tmp_path / "spec.toml").write_text(f"{spec}[battle]\ncubes = {{ purple = 6, green = 3 }}\n")
    assert main(["campaign", "run", str(tmp_path / "spec.toml"), "-o", str(tmp_path / "data"), "--workers", "1"]) == 2
    assert not (tmp_path / "data").exists()
    with pytest.raises(UsageError, match=r"profile mine: zone cargo\.kind is 'treasure'; allowed is one of explosive"):
        registry.get("game", "dead_reckoning").check(catalogue.load(tmp_path / "mine.toml"))
