"""A game of another package is campaigned, verified and loaded, and read where the package is not installed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from pydantic import Field
from support.cases import each_case
from support.fakes import CoinTower

from tower_sim.campaign import Spec, campaign_run, campaign_status, parse, read_campaign, run, verify
from tower_sim.campaign.spec import Point, every_game, find_game, open_game
from tower_sim.campaign.store import Store, environment
from tower_sim.errors import UsageError
from tower_sim.games import Game, Rules, Turn
from tower_sim.results import Words
from tower_sim.testing import check_game
from tower_sim.tools import registry

TEXT = """
[campaign]
game = "lots"
apparatus = "amerigo"
model = "two_thirds"
evenings = 6
shard = 4
seed = "7"
[rules]
cubes = 8
[vary.fields]
"rules.throws" = [2, 5]
"""


class LotsRules(Rules):
    """The rules of Lots."""

    cubes: int = Field(6, ge=1, le=50, description="red cubes")
    throws: int = Field(3, ge=1, le=50, description="throws of an evening")


class Lots(Game):
    """throw all that is out; who has more in the end, the tower or the tray?"""

    name, title, run, Rules = "lots", "Lots", "evening", LotsRules
    facts = {"luck": float, "leader": ("tower", "tray"), "turned": int, "even": bool}

    def cubes(self, rules: Any) -> dict[str, int]:
        return {"red": rules.cubes}

    def play(self, tower: Any, rules: Any) -> Iterator[Turn]:
        for _ in range(rules.throws):
            before, out = tower.outside["red"], len(tower.throw(tower.outside).emerged)
            inside = len(tower.state.cubes)
            leader = None if inside == out else "tower" if inside > out else "tray"
            turned = max(before - out, 0)
            yield Turn(facts={"luck": out / rules.cubes, "leader": leader, "turned": turned, "even": turned % 2 == 0})

    def turns(self, rules: Any) -> int:
        return rules.throws


GAME = Lots()


def test_it_keeps_what_every_game_promises():
    check_game(GAME, CoinTower())


def install(monkeypatch: pytest.MonkeyPatch, **games: str) -> None:
    """Let the registry find these games beside ours, as those of installed packages."""
    points = [metadata.EntryPoint(name, value, "tower_sim.game") for name, value in games.items()]
    real = metadata.entry_points
    monkeypatch.setattr(
        registry.metadata, "entry_points", lambda group: points if group == "tower_sim.game" else real(group=group)
    )
    registry._entry_points.cache_clear()
    registry._load.cache_clear()


@pytest.fixture(name="lots")
def _lots(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    install(monkeypatch, lots=f"{__name__}:GAME")
    yield monkeypatch
    monkeypatch.undo()
    registry._entry_points.cache_clear()
    registry._load.cache_clear()


@each_case("name", ["point", "run", "drop"])
def test_a_fact_that_would_overwrite_where_a_row_belongs_is_refused_when_the_game_is_made(name: str):
    with pytest.raises(UsageError, match=f"a fact of the game 'late' is '{name}'; allowed is none of point, run, drop"):
        type("Late", (Lots,), {"name": "late", "facts": {name: int}})
    with pytest.raises(UsageError, match="name of a game with facts is 'cubes'; allowed is none of drops, cubes"):
        type("Cubes", (Lots,), {"name": "cubes"})


def test_a_package_with_such_a_game_is_told_by_its_name_and_spoils_nothing(lots: pytest.MonkeyPatch, tmp_path: Path):
    lots.syspath_prepend(tmp_path)
    (tmp_path / "wrong_columns.py").write_text(
        "from tower_sim.games.chain import GAME as CHAIN\n"
        "class Wrong(type(CHAIN)):\n    name = 'wrong'\n    facts = {'drop': int}\n"
        "GAME = Wrong()\n"
    )
    install(lots, wrong="wrong_columns:GAME", lots=f"{__name__}:GAME")
    with pytest.raises(UsageError, match=r"game 'wrong' of the package wrong_columns cannot be loaded .a fact of"):
        registry.get("game", "wrong")
    assert "wrong" not in [each.name for each in every_game()]
    assert find_game("lots") is not None


def test_a_campaign_that_names_no_apparatus_is_of_the_games_own(lots: pytest.MonkeyPatch):
    unsaid = '[campaign]\ngame = "wallenstein"\nmodel = "two_thirds"\ngames = 2\nseed = "1"\n'
    assert parse(unsaid).apparatus == "wallenstein"
    with pytest.raises(UsageError, match=r"campaign\.apparatus is missing; allowed is one of"):
        parse(TEXT.replace('apparatus = "amerigo"\n', ""))  # a game without one


def test_its_rules_come_into_the_specs_text(lots: pytest.MonkeyPatch):
    spec = parse(TEXT)
    plain = json.loads(spec.canonical)
    assert plain["rules"] == {"cubes": 8, "throws": 3}
    assert Spec.from_canonical(spec.canonical) == spec
    assert [spec.point(number).rules.throws for number in range(2)] == [2, 5]
    assert parse(TEXT.replace("cubes = 8", "cubes = 9")).digest != spec.digest


def test_its_runs_are_those_of_its_own_play_and_its_facts_a_table(lots: pytest.MonkeyPatch, tmp_path: Path):
    lots.setattr(Point, "open_model", lambda *_: CoinTower(failure_rate=0.6))
    spec = parse(TEXT)
    run(spec, tmp_path / "out")
    assert verify(tmp_path / "out") == []
    assert campaign_status(tmp_path / "out").startswith("All 12 evenings are done.")
    assert Store.read(tmp_path / "out").head.tables == ["drops", "cubes", "lots"]
    campaign = read_campaign(tmp_path / "out")
    assert (campaign.kind, campaign.unit, campaign.game) == ("lots", "evening", GAME)
    assert campaign.made_with["game"] == "lots 1"
    runs = [GAME.start(CoinTower(failure_rate=0.6), spec.point(i // 6).rules, 7, i) for i in range(12)]
    turns = [turn for one in runs for turn in one]
    assert any(turn.failed for turn in turns)
    landed = [turn.facts for turn in turns if not turn.failed]
    assert fact_table(campaign) == {column.name: [facts[column.name] for facts in landed] for column in GAME.columns}
    assert campaign.rows.out.tolist() == [sum(turn.out.values()) for turn in turns if not turn.failed]
    assert (campaign.rows.phase.codes == -1).all()


def fact_table(campaign: Any) -> dict[str, list[object]]:
    facts = campaign.facts.by_name.items()
    return {k: [(*x.names, None)[i] for i in x.codes] if isinstance(x, Words) else x.tolist() for k, x in facts}


def test_where_it_is_not_installed_its_dataset_is_read_and_not_run(lots: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "lots.toml").write_text(TEXT, "utf-8")
    assert campaign_run(tmp_path / "lots.toml", tmp_path / "out") == 0
    before = read_campaign(tmp_path / "out")
    install(lots)  # none
    assert verify(tmp_path / "out") == []
    after = read_campaign(tmp_path / "out")
    assert (after.game, after.unit, after.kind) == (None, "run", "lots")
    assert fact_table(after) == fact_table(before)
    with pytest.raises(UsageError, match=r"campaign.game is 'lots'; allowed is one of amerigo, chain, dead_reckoning"):
        campaign_run(tmp_path / "lots.toml", tmp_path / "out")
    (tmp_path / "out/lots/00001.parquet").unlink()
    assert verify(tmp_path / "out") == ["lots/00001.parquet: missing or not readable (No such file or directory)"]


def test_a_name_that_is_ours_stays_ours_and_needs_nobody_elses_package(lots: pytest.MonkeyPatch):
    install(lots, another="no_such_module:GAME", amerigo=f"{__name__}:GAME")
    assert open_game("amerigo").title == "Amerigo"
    assert find_game("lots") is None


def test_a_campaign_of_its_does_not_go_on_when_the_package_changes(lots: pytest.MonkeyPatch, tmp_path: Path):
    with_it, spec = environment(), parse(TEXT.replace("evenings = 6", "evenings = 1"))
    run(spec, tmp_path / "out")
    lots.setattr(Lots, "version", 2)
    with pytest.raises(UsageError, match="game lots 2 instead of lots 1"):
        run(spec, tmp_path / "out")
    install(lots)  # none
    assert environment() == with_it
