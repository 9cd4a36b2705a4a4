"""The example games of docs/games.md are played, compared, run as campaigns and studied."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.command_line import here
from support.fakes import CoinTower

from tower_sim.games import Game, Turn
from tower_sim.models import open_model
from tower_sim.tools import registry

ROOT = Path(__file__).parents[2]
FILES = {path.stem: path for path in [*(ROOT / "docs/games").glob("*.py"), ROOT / "tower_sim/games/push_your_luck.py"]}
NAMES = sorted(FILES)
HOUSE = {"harvest": "locusts=2", "plunder": "board=keep", "push_your_luck": "at=10"}


def game(name: str) -> Game:
    return registry.get("game", str(FILES[name]))


def play(name: str, model: Any, seed: int = 7, **rules: Any) -> list[Turn]:
    return list(game(name).start(model, game(name).read({"rules": rules}), seed))


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_played_by_its_file(name: str):
    outputs = [here("play", str(FILES[name]), "--model", "surrogate", "--seed", "7").stdout for _ in range(2)]
    assert outputs[0] == outputs[1]
    assert outputs[0].startswith(game(name).title)


@pytest.mark.parametrize("name", HOUSE)
def test_a_house_rule_of_an_example_changes_something(name: str):
    words = here("compare", str(FILES[name]), "--set", HOUSE[name], "--games", "40", "--seed", "7").stdout
    assert words.startswith("B: ")
    assert "certain" in words.splitlines()[0]


@pytest.mark.usefixtures("unpainted")
@pytest.mark.parametrize("name", NAMES)
def test_a_campaign_of_an_example_is_studied(name: str, tmp_path: Path):
    head = f'game = "{FILES[name].as_posix()}"\nmodel = "surrogate"\ngames = 20\nseed = "7"\n'
    (tmp_path / "campaign.toml").write_text(f"[campaign]\n{head}", "utf-8")
    for words in (("campaign", "run", "campaign.toml", "-o", "data"), ("campaign", "report", "data", "-o", "report")):
        result = here(*words, cwd=tmp_path)
        assert result.returncode == 0, result.stderr
    report = (tmp_path / "report" / "report.md").read_text("utf-8")
    assert all(fact in report for fact in game(name).facts)
    assert f"| {game(name).figures[0].title} |".lower() in report.lower()


def test_a_hungry_farmer_knocks_and_harvests_what_comes_out():
    turns = play("harvest", CoinTower(), knock=1.0, throw=4, seasons=40)
    assert {len(turn.outcomes) for turn in turns} == {1, 2}
    for turn in turns:
        grown = min(turn.out.get("sun", 0), turn.out.get("rain", 0))
        assert turn.facts["grain"] == max(0, grown - turn.out.get("locusts", 0))
        assert len(turn.outcomes) == 2 or turn.facts["grain"]


def test_a_player_stops_at_the_number_of_the_policy_or_loses_the_round():
    for policy in ("points", "throws", "memory"):
        points = throws = 0
        for turn in play("push_your_luck", CoinTower(), policy=policy, at=3, rounds=30):
            gold, black = turn.out.get("gold", 0), turn.out.get("black", 0)
            points, throws = points + gold, throws + 1
            seen = {"points": points, "throws": throws, "memory": turn.inside.get("black", 0)}[policy]
            choice = "lost" if black >= 2 else "stop" if seen >= 3 or throws == 20 else "again"
            assert (turn.facts["choice"], turn.facts["banked"]) == (choice, points * (choice == "stop"))
            points, throws = (points, throws) if choice == "again" else (0, 0)


def test_the_crew_with_most_cubes_in_a_zone_takes_its_goods_and_the_board_is_cleared_or_kept():
    with open_model("dead_reckoning", "surrogate") as model:
        raids = {rule: play("plunder", model, raids=3, board=rule) for rule in ("clear", "keep")}
    lead, last = 0, raids["keep"][-1]
    for zone, goods in (("cargo", 1), ("coins", 1), ("coins_and_cargo", 2), ("choice", 2)):
        lying = [cube.colour for cube in last.state.board.at(f"zone:{zone}")]
        lead += goods * int(np.sign(lying.count("purple") - lying.count("green")))
    assert last.facts["goods_purple"] - last.facts["goods_green"] == lead
    assert max(len(turn.state.board.cubes) for turn in raids["clear"]) <= 12 < len(last.state.board.cubes)
