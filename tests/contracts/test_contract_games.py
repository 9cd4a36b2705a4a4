"""What every shipped game promises: `check_game`, and what campaigns need besides."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.fakes import CoinTower
from support.ships import DiceShip

from tower_sim.campaign import ShardRows
from tower_sim.campaign.tables import CUBES, DROPS
from tower_sim.drops import Recorder
from tower_sim.errors import UsageError
from tower_sim.games import Game
from tower_sim.testing import check_game
from tower_sim.tools import registry

EXAMPLES = [str(path) for path in sorted((Path(__file__).parents[2] / "docs/games").glob("*.py"))]
TABLES: Mapping[str, Mapping[str, Any]] = {
    "amerigo": {"rules": {"rounds": 1, "cubes": 3, "knocks": {"2": 0.5, "7": 1}}},
    "amazonas": {"rules": {"saved": 3, "pick": "most"}},
    "archipelago": {"rules": {"turns": 3, "players": 2}},
    "seafarers": {"rules": {"turns": 6, "pirate": True, "knights": 2}},
    "chain": {"chain": {"drops": 8, "policy": "cover", "supply": {"red": 20, "blue": 3}}},
    "dead_reckoning": {
        "battle": {
            "cubes": {"purple": 6, "green": 5},
            "abilities": {"green": ["throw:2", "move"], "purple": ["take_off", "strength:1"]},
            "sides": {"green": {"island": 2, "damage": 1, "pirate": True}},
            "provoked": True,
        }
    },
}
"""Rules other than the default, that make a short run."""
_WORD = re.compile("[a-z][a-z0-9_]*")
_FILES = {DROPS.name, CUBES.name, "poses"}  # what else lies next to a game's table
_FILE_TABLES = {"campaign", "profile", "settings", "vary", "design", "points", "model", "seed", "runs", "shard"}


@pytest.fixture(name="name", params=[*registry.names("game"), *EXAMPLES])
def _name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(name="game")
def _game(name: str) -> Game:
    return registry.get("game", name)


@pytest.fixture(name="tables")
def _tables(name: str) -> Mapping[str, Any]:
    return TABLES.get(name, {})


@pytest.fixture(name="model")
def _model(game: Game) -> Any:
    return DiceShip(failure_rate=0.1) if game.board else CoinTower(failure_rate=0.1)


def test_it_keeps_its_promises(game: Game, model: Any, tables: Mapping[str, Any]):
    check_game(game, model)
    if tables:
        check_game(game, model, tables)


def test_it_says_what_it_is_in_words_that_files_can_have(game: Game, tables: Mapping[str, Any]):
    names = [column.name for column in game.columns]
    assert all(_WORD.fullmatch(word) for word in (game.name, game.kind, game.run, *game.tables, *names))
    assert game.name not in _FILES
    assert not {*game.tables} & _FILE_TABLES
    assert not {*names} & {column.name for column in (*DROPS.columns, *CUBES.columns)}
    assert all(column.meaning and "\n" not in column.meaning for column in game.columns)
    rules = game.read(tables)
    assert min(game.version, game.shard, game.most_cubes(rules), game.turns(rules)) >= 1
    assert game.about
    assert not game.about.endswith(".")


def test_other_seeds_and_other_runs_are_other_runs(game: Game, model: Any, tables: Mapping[str, Any]):
    rules = game.read(tables)
    for seeds in ([(seed, None) for seed in range(10)], [(7, run) for run in range(10)]):
        runs = (str([turn.state.log for turn in game.start(model, rules, seed, run)]) for seed, run in seeds)
        first = next(runs)
        assert any(run != first for run in runs)  # the first that differs ends it


def test_a_campaign_refuses_unknown_tables_and_keys(game: Game):
    for table in ({"no_such_table": {}}, *({name: {"no_such_key": 1}} for name in game.tables)):
        with pytest.raises(UsageError):
            game.resolved(table)


def test_its_rows_are_written_with_their_types(game: Game, model: Any, tables: Mapping[str, Any]):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows, recorder = ShardRows(), Recorder(model)
    for turn in game.start(recorder.as_model, game.read(tables), 7):
        rows.add((0, 0, turn.index), turn.kind, recorder.take_draws()[-1:], turn.state)
        rows.tell((0, 0, turn.index), game, turn.facts)
    files = rows.to_parquet(game, "", 0, [{}])
    assert list(files) == [DROPS.name, CUBES.name, *([game.name] if game.columns else [])]
    assert all(parquet.read_table(arrow.BufferReader(data)).num_rows >= 0 for data in files.values())
