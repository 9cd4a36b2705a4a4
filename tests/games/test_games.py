"""The registered games are what their own functions play."""

import re
import shutil
from pathlib import Path
from typing import Literal

import pytest
from pydantic import Field
from support.cases import each_case
from support.fakes import CoinTower
from support.ships import DiceShip
from support.towers import RULEBOOK

from tower_sim.campaign import parse
from tower_sim.errors import UsageError
from tower_sim.games import Rules, amerigo, chain, dead_reckoning, describe_rules
from tower_sim.games.amerigo import Rules as AmerigoRules
from tower_sim.games.dead_reckoning import battle
from tower_sim.games.rules import plain, read
from tower_sim.games.tower import game_seed
from tower_sim.tools import registry

BATTLE = {
    "battle": {
        "cubes": {"purple": 6, "green": 5},
        "abilities": {"green": ["throw:2", "move"], "purple": ["take_off", "strength:1"]},
        "sides": {"green": {"island": 2, "damage": 1, "pirate": True}},
        "provoked": True,
    }
}


def test_run_r_of_a_root_seed_is_the_game_of_its_own_seed():
    rules = amerigo.GAME.read({"rules": {"rounds": 1}})
    alone = list(amerigo.GAME.start(CoinTower(), AmerigoRules(rounds=1), game_seed(7, 3)))
    assert list(amerigo.GAME.start(CoinTower(), rules, 7, 3)) == alone
    assert list(amerigo.GAME.start(CoinTower(), rules, 7)) != alone


def test_run_r_of_a_root_seed_is_battle_number_r_and_both_sides_act_when_they_are_behind():
    rules = dead_reckoning.GAME.read(BATTLE)
    ship = DiceShip()
    battles = list(battle.play(ship, battle.start(ship, rules, 7, 3), dict.fromkeys(rules.colours, battle.when_behind)))
    assert [turn.entry for turn in dead_reckoning.GAME.start(ship, rules, 7, 3)] == battles
    first = battle.start(ship, rules, 7)
    assert next(dead_reckoning.GAME.start(ship, rules, 7)).entry == battle.advance(ship, first, {})


@each_case(
    ("text", "digest"),
    [
        (
            'game = "amerigo"\napparatus = "amerigo.toml"\nmodel = "two_thirds"\ngames = 5\nshard = 5\n'
            '[rules]\nrounds = 1\n[vary.fields]\n"rules.cubes" = [5, 6]\n',
            "19706ba9df0929e917a0c73b7904d571bc33366b053451c662111a3a3ed048d4",
        ),
        (
            'game = "chain"\napparatus = "amerigo.toml"\nmodel = "two_thirds"\nchains = 6\nshard = 6\n'
            '[chain]\ndrops = 8\npolicy = "cover"\n',
            "97c1c45fe33f9cb991f66951d2ec4e095d5048f02530c5af402455ab7b130c9e",
        ),
        (
            'game = "dead_reckoning"\napparatus = "dead_reckoning"\nmodel = "surrogate"\nbattles = 8\nshard = 8\n'
            "[battle]\ncubes = { purple = 6, green = 3 }\n"
            'abilities = { green = ["throw:2", "move"], purple = ["take_off", "strength:1"] }\n',
            "3ab7c60c72199e6d6cbffc10ac85d6b50a53b958cf0582706331d16061cce928",
        ),
    ],
)
def test_what_a_campaign_says_has_one_digest(text: str, digest: str, tmp_path: Path):
    shutil.copy(RULEBOOK, tmp_path / "amerigo.toml")
    assert parse(f'[campaign]\nseed = "7"\n{text}', tmp_path).digest == digest


def test_the_colours_of_a_chain_are_those_of_the_cubes_in_amerigo():
    assert AmerigoRules().colours == chain.COLOURS


class Inner(Rules):
    table = "rules.inner"
    unsaid = ("later",)
    pick: Literal["one", "most"] = Field(default="one", description="how it is picked")
    later: int = Field(default=0, ge=0, le=9, description="came later")


class Outer(Rules):
    unsaid = ("extra",)
    name: str = Field(default="", max_length=5, description="a name")
    inner: Inner = Field(default=Inner(), description="more rules")
    extra: dict[str, int] = Field(default={}, description="came later")


def test_rules_are_changed_told_and_written_without_what_came_later():
    rules = Outer()
    assert plain(rules) == {"name": "", "inner": {"pick": "one"}}
    other = rules.but(extra={"a": 1}, inner={"later": 3})
    assert plain(other) == {"name": "", "inner": {"pick": "one", "later": 3}, "extra": {"a": 1}}
    assert read(Outer, plain(other)) == other != rules
    rows = {name: (usual, allowed) for name, usual, allowed, _ in describe_rules(Outer)}
    assert rows == {
        "name": ("", "a text of up to 5 characters"),
        "inner.pick": ("one", "one of one, most"),
        "inner.later": (0, "a whole number from 0 to 9"),
        "extra": ({}, "a table, each value a whole number"),
    }


@each_case(
    ("table", "says"),
    [
        ({"name": "longer"}, "rules.name is 'longer'; allowed is a text of up to 5 characters"),
        ({"nam": "x"}, "rules.nam is unknown; allowed are name, inner, extra; correct or remove it; did you mean name"),
        ({"inner": {"pick": "mots"}}, "rules.inner.pick is 'mots'; allowed is one of one, most; .* did you mean most?"),
        ({"inner": {"pik": "one"}}, "rules.inner.pik is unknown; allowed are pick, later"),
        ({"inner": 3}, "rules.inner is 3; allowed is a table"),
        ({"extra": {"a": "1"}}, "rules.extra.a is '1'; allowed is a whole number"),
    ],
)
def test_a_value_that_is_not_allowed_is_named_with_its_table(table: dict[str, object], says: str):
    with pytest.raises(UsageError, match=says):
        read(Outer, table)


@each_case(
    ("game", "change", "part"),
    [
        ("amazonas", {"saved": 100}, "rules.saved is 100; allowed is a whole number from 0 to 99"),
        ("amazonas", {"tiles": "two"}, "rules.tiles is 'two'; allowed is a whole number from 0 to 12"),
        ("amazonas", {"takes_indian": 1}, "rules.takes_indian is 1; allowed is true or false"),
        ("amazonas", {"species": "tapir"}, "rules.species is 'tapir'; allowed is one of fish, orchid, butterfly, parr"),
        ("amazonas", {"players": 3}, "players"),
        ("archipelago", {"players": 6}, "rules.players is 6; allowed is a whole number from 2 to 5"),
        ("archipelago", {"sample": 0}, "rules.sample is 0; allowed is a whole number from 1 to 30"),
        ("archipelago", {"pick": "fewest"}, "rules.pick is 'fewest'; allowed is one of uniform, most"),
        ("archipelago", {"buys": 0.5}, "rules.buys is 0.5; allowed is a whole number from 0 to 100"),
        ("archipelago", {"towns": 13}, "rules.towns is 13; allowed is 0 to 12: a town or a temple takes one of 13"),
        ("archipelago", {"temples": 14}, "rules.temples is 14; allowed is a whole number from 0 to 13"),
        ("archipelago", {"market": 1}, "market"),
        ("seafarers", {"turns": 0}, "rules.turns is 0; allowed is a whole number from 1 to 300"),
        ("seafarers", {"moves": "ship"}, "rules.moves is 'ship'; allowed is one of lot, pirate, robber"),
        ("seafarers", {"theft": 0}, "rules.theft is 0; allowed is one of hand, cubes"),
        ("seafarers", {"turns": 3, "knights": 4}, "knights is 4; allowed is 0 to 3, one a turn; play fewer knights or"),
        ("wallenstein", {"players": 3, "attacker": "white"}, "attacker is 'white'; allowed is one of red, blue"),
        ("wallenstein", {"players": 4, "defender": "white"}, "defender is 'white'; allowed is one of red, blue"),
        ("wallenstein", {"attacker": "blue"}, "defender is 'blue'; allowed is another colour than the attacker's"),
        ("wallenstein", {"attacker": "farmers", "defender": "nobody"}, "defender is 'nobody'; allowed is a player's"),
        ("wallenstein", {"attacker": "nobody"}, "rules.attacker is 'nobody'; allowed is one of red"),
        ("wallenstein", {"edition": "amerigo"}, "rules.edition is 'amerigo'; allowed is one of wallenstein, shogun"),
        ("wallenstein", {"attackers": 41}, "rules.attackers is 41; allowed is a whole number from 0 to 40"),
        ("wallenstein", {"revolt": 1}, "did you mean revolts?"),
        ("push_your_luck", {"policy": "coins"}, "rules.policy is 'coins'; allowed is one of points, throws, memory"),
        ("harvest", {"locusts": 41}, "rules.locusts is 41; allowed is a whole number from 0 to 40"),
        ("plunder", {"board": True}, "rules.board is true; allowed is one of clear, keep"),
    ],
)
def test_rules_that_a_game_has_not_are_refused_in_one_line(game: str, change: dict[str, object], part: str):
    file = Path(__file__).parents[2] / f"docs/games/{game}.py"
    with pytest.raises(UsageError, match=re.escape(part)):
        registry.get("game", str(file) if file.exists() else game).read({"rules": change})
