"""The registered games keep what every game promises, and are what their own functions play."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.cases import each_case
from support.fakes import CoinTower
from support.ships import DiceShip
from support.towers import RULEBOOK

from tower_sim.campaign import parse
from tower_sim.games import amerigo, chain, dead_reckoning
from tower_sim.games.amerigo import Rules
from tower_sim.games.dead_reckoning import battle
from tower_sim.games.dead_reckoning.policies import when_behind
from tower_sim.games.game import game_seed
from tower_sim.testing import GameContract


class TestAmerigo(GameContract):
    game = amerigo.GAME
    tables = {"rules": {"rounds": 1, "cubes": 3}, "knocks": {"2": 0.5, "7": 1}}  # noqa: RUF012

    @pytest.fixture(scope="class")
    @classmethod
    def model(cls):
        return CoinTower(failure_rate=0.1)


class TestDeadReckoning(GameContract):
    game = dead_reckoning.GAME
    tables = {  # noqa: RUF012
        "battle": {
            "cubes": {"purple": 6, "green": 5},
            "abilities": {"green": ["throw:2", "move"], "purple": ["take_off", "strength:1"]},
            "sides": {"green": {"island": 2, "damage": 1, "pirate": True}},
            "provoked": True,
        }
    }

    @pytest.fixture(scope="class")
    @classmethod
    def model(cls):
        return DiceShip(failure_rate=0.1)


class TestChain(GameContract):
    game = chain.GAME
    tables = {"chain": {"drops": 8, "policy": "cover", "supply": {"red": 20, "blue": 3}}}  # noqa: RUF012

    @pytest.fixture(scope="class")
    @classmethod
    def model(cls):
        return CoinTower(failure_rate=0.1)


def test_run_r_of_a_root_seed_is_the_game_of_its_own_seed():
    rules = amerigo.GAME.read({"rules": {"rounds": 1}})
    alone = list(amerigo.play(CoinTower(), Rules(rounds=1), game_seed(7, 3)))
    assert [turn.entry for turn in amerigo.GAME.play(CoinTower(), rules, 7, 3)] == alone
    assert [turn.entry for turn in amerigo.GAME.play(CoinTower(), rules, 7)] != alone


def test_run_r_of_a_root_seed_is_battle_number_r_and_both_sides_act_when_they_are_behind():
    setup = dead_reckoning.GAME.read({"battle": TestDeadReckoning.tables["battle"]})
    ship = DiceShip()
    fought = list(battle.play(ship, battle.start(ship, setup, 7, 3), dict.fromkeys(setup.colours, when_behind)))
    assert [turn.entry for turn in dead_reckoning.GAME.play(ship, setup, 7, 3)] == fought
    first = battle.start(ship, setup, 7)
    assert next(dead_reckoning.GAME.play(ship, setup, 7)).entry == battle.advance(ship, first, {})


@each_case(
    ("text", "digest"),
    [
        (
            'kind = "game"\napparatus = "amerigo.toml"\nmodel = "two_thirds"\ngames = 5\nshard = 5\n'
            '[rules]\nrounds = 1\n[vary.fields]\n"rules.cubes" = [5, 6]\n',
            "6a3995e83fdefea98bf4fae69893ac9f636b50cc526345070bf77f7f967fb10f",
        ),
        (
            'kind = "chain"\napparatus = "amerigo.toml"\nmodel = "two_thirds"\nchains = 6\nshard = 6\n'
            '[chain]\ndrops = 8\npolicy = "cover"\n',
            "192f33777c928714fc15e0464d6e92d8a9e5e4476df68718a1a47ac722eb1db2",
        ),
        (
            'kind = "battle"\napparatus = "dead_reckoning"\nmodel = "surrogate"\nbattles = 8\nshard = 8\n'
            "[battle]\ncubes = { purple = 6, green = 3 }\n"
            'abilities = { green = ["throw:2", "move"], purple = ["take_off", "strength:1"] }\n',
            "a9f5773d66e8328fbdfb8d9a95d445b643ce462080781b95c55ecf3810301789",
        ),
    ],
)
def test_what_a_campaign_says_has_one_digest(text: str, digest: str, tmp_path: Path):
    shutil.copy(RULEBOOK, tmp_path / "amerigo.toml")
    assert parse(f'[campaign]\nseed = "7"\n{text}', tmp_path).digest == digest


def test_the_colours_of_a_chain_are_those_of_the_cubes_in_amerigo():
    assert Rules().colours == chain.COLOURS
