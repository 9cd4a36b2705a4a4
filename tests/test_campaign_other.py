"""A game of another package is campaigned, verified and loaded, and read where the package is not installed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import each_case
from support.fakes import CoinTower

from tower_sim import registry
from tower_sim.campaign import Spec, campaign_run, campaign_status, parse, run, verify
from tower_sim.campaign.data import Words
from tower_sim.campaign.environment import environment
from tower_sim.campaign.files import digest, sealed
from tower_sim.campaign.kinds import game_of, installed, kinds
from tower_sim.campaign.point import Point
from tower_sim.campaign.reader import load
from tower_sim.campaign.spec import canonical_json
from tower_sim.campaign.store import Store
from tower_sim.columns import Column
from tower_sim.cubes import supply
from tower_sim.errors import UsageError, check_whole
from tower_sim.fields import refuse_unknown
from tower_sim.games.game import Game, Turn, game_seed
from tower_sim.model import TooManyFailedDraws, until_landed
from tower_sim.testing import GameContract

TEXT = """
[campaign]
kind = "lots"
apparatus = "amerigo"
model = "two_thirds"
evenings = 6
shard = 4
seed = "7"
[lots]
cubes = 8
[vary.fields]
"lots.throws" = [2, 5]
"""


class Lots(Game):
    """Throw all that is out; who has more in the end, the tower or the tray?"""

    name, title, run, tables = "lots", "Lots", "evening", ("lots",)
    columns = (
        Column("luck", "float64", False, "share that came out"),
        Column("leader", "string", True, "who has more; null for a tie"),
        Column("turned", "int16", True, "how many went in; null where it did not land"),
        Column("even", "bool", True, "whether that is even"),
    )

    def read(self, tables: Any) -> dict[str, int]:
        refuse_unknown(tables, {"lots": None}, "tables")
        rules = {"cubes": 6, "throws": 3} | tables.get("lots", {})
        refuse_unknown(rules, {"cubes": None, "throws": None}, "lots")
        for key, value in rules.items():
            check_whole(f"lots.{key}", value, 1, 50)
        return rules

    def plain(self, rules: Any) -> dict[str, Any]:
        return {"lots": dict(rules)}

    def play(self, model: Any, rules: Any, seed: int, run: int | None = None) -> Iterator[Turn]:
        check_whole("seed", seed, 0)
        return self._turns(model, rules, seed if run is None else game_seed(seed, run))

    def _turns(self, model: Any, rules: Any, seed: int) -> Iterator[Turn]:
        state, out = model.empty(), supply({"red": rules["cubes"]}, model.cube_edge)
        for index in range(rules["throws"]):
            own = np.random.SeedSequence(seed, spawn_key=(index,))
            try:
                outcome = until_landed(partial(model.drop, state, out), own)
            except TooManyFailedDraws as error:
                yield Turn(index, state, facts={"luck": 0.0}, failed=error)
                return
            before, state, out = len(out), outcome.state, outcome.emerged
            inside = len(state.cubes)
            leader = None if inside == len(out) else "tower" if inside > len(out) else "tray"
            turned = max(before - len(out), 0)
            facts = {"luck": len(out) / rules["cubes"], "leader": leader, "turned": turned, "even": turned % 2 == 0}
            yield Turn(index, state, facts=facts, entry=outcome)

    def most_cubes(self, rules: Any) -> int:
        return rules["cubes"]

    def summary(self, turns: Any, rules: Any) -> str:
        return f"Played {len(turns)} throws. Another seed gives others."


GAME = Lots()


class TestLots(GameContract):
    game = GAME

    @pytest.fixture(scope="class")
    @classmethod
    def model(cls):
        return CoinTower()


def found(monkeypatch: pytest.MonkeyPatch, **games: str) -> None:
    """Let the registry find these games beside ours, as those of installed packages."""
    points = [metadata.EntryPoint(name, value, "tower_sim.game") for name, value in games.items()]
    real = metadata.entry_points
    monkeypatch.setattr(
        registry.metadata,
        "entry_points",
        lambda group: points if group == "tower_sim.game" else real(group=group),
    )
    registry._known.cache_clear()
    registry._loaded.cache_clear()


@pytest.fixture(name="lots")
def _lots(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """The package with the game, installed until the fixture is undone."""
    found(monkeypatch, lots=f"{__name__}:GAME")
    yield monkeypatch
    monkeypatch.undo()
    registry._known.cache_clear()
    registry._loaded.cache_clear()


def uninstalled(monkeypatch: pytest.MonkeyPatch) -> None:
    found(monkeypatch)


@each_case("name", ["point", "run", "drop", "luck"])
def test_a_column_that_would_overwrite_where_a_row_belongs_is_refused_when_the_game_is_made(name: str):
    taken = (Column("luck", "float64", False, "share"), Column(name, "int16", True, "what it means"))
    with pytest.raises(UsageError, match=f"a column of the game 'late' is '{name}'; allowed is one that no other has"):
        type("Late", (Lots,), {"name": "late", "columns": taken})


def test_a_package_with_such_a_game_is_told_by_its_name_and_spoils_nothing(lots: pytest.MonkeyPatch, tmp_path: Path):
    lots.syspath_prepend(tmp_path)
    (tmp_path / "wrong_columns.py").write_text(
        "from tower_sim.columns import Column\nfrom tower_sim.games.chain import GAME as CHAIN\n"
        "class Wrong(type(CHAIN)):\n    name = 'wrong'\n    columns = (Column('drop', 'int16', False, 'x'),)\n"
        "GAME = Wrong()\n"
    )
    found(lots, wrong="wrong_columns:GAME", lots=f"{__name__}:GAME")
    with pytest.raises(UsageError, match=r"game 'wrong' of the package wrong_columns cannot be loaded .a column of"):
        registry.get("game", "wrong")
    assert "wrong" not in kinds()
    assert installed("lots") is not None


def test_a_game_with_a_table_is_not_called_like_a_folder_of_every_dataset():
    with pytest.raises(UsageError, match="name of a game with a table is 'cubes'; allowed is none of drops, cubes"):
        type("Cubes", (Lots,), {"name": "cubes", "columns": Lots.columns})


def test_a_campaign_that_names_no_apparatus_is_of_the_games_own(lots: pytest.MonkeyPatch):
    unsaid = '[campaign]\nkind = "wallenstein"\nmodel = "two_thirds"\ngames = 2\nseed = "1"\n'
    assert parse(unsaid).apparatus == "wallenstein"
    with pytest.raises(UsageError, match=r"campaign\.apparatus is nothing; allowed is one of"):
        parse(TEXT.replace('apparatus = "amerigo"\n', ""))  # a game without one


def test_its_tables_come_into_the_specs_text_after_what_always_was_there(lots: pytest.MonkeyPatch):
    spec = parse(TEXT)
    plain = json.loads(spec.canonical)
    assert plain["lots"] == {"cubes": 8, "throws": 3}
    assert list(plain)[-3:] == ["design", "points", "lots"]
    assert plain["rules"] == plain["chain"] == plain["battle"] == {}
    assert Spec.from_canonical(spec.canonical) == spec
    assert [spec.point(number).rules["throws"] for number in range(2)] == [2, 5]
    assert parse(TEXT.replace("cubes = 8", "cubes = 9")).digest != spec.digest


def test_its_runs_are_those_of_its_own_play_and_its_facts_a_table(lots: pytest.MonkeyPatch, tmp_path: Path):
    lots.setattr(Point, "open_model", lambda *_: CoinTower(failure_rate=0.6))
    spec = parse(TEXT)
    run(spec, tmp_path / "out")
    assert verify(tmp_path / "out") == []
    assert campaign_status(tmp_path / "out").startswith("All 12 evenings are done.")
    assert Store.read(tmp_path / "out").tables == ("drops", "cubes", "lots")
    campaign = load(tmp_path / "out")
    assert (campaign.kind, campaign.unit, campaign.game) == ("lots", "evening", GAME)
    assert campaign.made_with["game"] == "lots 1"
    turns = [
        turn
        for number in range(12)
        for turn in GAME.play(CoinTower(failure_rate=0.6), spec.point(number // 6).rules, 7, number)
    ]
    assert any(turn.failed for turn in turns)
    landed = [turn.facts for turn in turns if not turn.failed]
    assert {name: told(column) for name, column in campaign.facts.items()} == {
        column.name: [facts[column.name] for facts in landed] for column in GAME.columns
    }
    assert campaign.drops.emerged.tolist() == [len(turn.entry.emerged) for turn in turns if not turn.failed]
    assert (campaign.drops.phase.codes == -1).all()


def told(column: Any) -> list[object]:
    return [(*column.names, None)[i] for i in column.codes] if isinstance(column, Words) else column.tolist()


def test_where_it_is_not_installed_its_dataset_is_read_and_its_campaign_not_run(
    lots: pytest.MonkeyPatch, tmp_path: Path
):
    (tmp_path / "lots.toml").write_text(TEXT, "utf-8")
    assert campaign_run(tmp_path / "lots.toml", tmp_path / "out") == 0
    before = load(tmp_path / "out")
    uninstalled(lots)
    assert verify(tmp_path / "out") == []
    after = load(tmp_path / "out")
    assert (after.game, after.unit, after.kind) == (None, "run", "lots")
    assert {name: told(column) for name, column in after.facts.items()} == {
        name: told(column) for name, column in before.facts.items()
    }
    with pytest.raises(UsageError, match=r"campaign.kind is 'lots'; allowed is one of game, chain, battle, "):
        campaign_run(tmp_path / "lots.toml", tmp_path / "out")
    (tmp_path / "out/lots/00001.parquet").unlink()
    assert verify(tmp_path / "out") == ["lots/00001.parquet: missing, or no regular file"]


def test_a_kind_that_is_ours_stays_ours_and_needs_nobody_elses_package(monkeypatch: pytest.MonkeyPatch):
    found(monkeypatch, another="no_such_module:GAME", lots=f"{__name__}:GAME")
    monkeypatch.setattr(GAME, "kind", "game", raising=False)
    assert game_of("game").name == kinds()["game"].name == "amerigo"
    assert list(kinds())[:3] == ["game", "chain", "battle"]
    assert list(kinds())[-1] == "declared"
    assert installed("lots") is None
    monkeypatch.undo()
    registry._known.cache_clear()
    registry._loaded.cache_clear()


def test_a_campaign_of_ours_goes_on_when_the_package_comes_and_one_of_its_when_it_changes_does_not(
    lots: pytest.MonkeyPatch, tmp_path: Path
):
    with_it = environment()
    made(tmp_path / "out")
    lots.setattr(Lots, "version", 2)
    with pytest.raises(UsageError, match="game lots 2 instead of lots 1"):
        made(tmp_path / "out")
    uninstalled(lots)
    assert environment() == with_it


def test_a_manifest_whose_table_could_lie_elsewhere_is_refused(lots: pytest.MonkeyPatch, tmp_path: Path):
    for name in ("../lots", "drops", "receipts", "", "Lots"):
        store = Store.read(made(tmp_path / str(abs(hash(name)))))
        head = {key: value for key, value in store.head.items() if key != "campaign"}
        head["versions"] = head["versions"] | {"own_table": name}
        forged = head | {"campaign": digest(canonical_json(head).encode()), "shards": None}
        (store.directory / "manifest.json").write_bytes(sealed(forged))
        with pytest.raises(UsageError, match="the name of its own table cannot be"):
            load(store.directory)


def made(directory: Path) -> Path:
    run(parse(TEXT.replace("evenings = 6", "evenings = 1")), directory)
    return directory
