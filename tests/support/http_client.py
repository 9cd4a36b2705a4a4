"""A client made of the OpenAPI document by openapi-python-client: every game, and a live tower.

Run it beside the package `made`, with the service's address as argument. pyright checks it strictly.
"""

from __future__ import annotations

import json
import sys
import uuid

from made import Client
from made.api.default import (
    create_drop,
    create_game,
    create_tower,
    get_game,
    get_odds,
    get_tower,
    list_games,
    list_tower_drops,
    throw_into_tower,
)
from made.models import (
    AmerigoGame,
    BattleAnswer,
    BattleOddsAnswer,
    ChancesAnswer,
    Drop,
    Games,
    History,
    Job,
    NewTower,
    Odds,
    Play,
    PlayGame,
    PlayRules,
    ProblemAnswer,
    SeafarersRun,
    Throw,
    TowerAnswer,
    TowerThrow,
)


def key() -> str:
    return str(uuid.uuid4())


def main(address: str) -> dict[str, int]:
    client, told = Client(base_url=address), dict[str, int]()
    asked = Throw.from_dict({"cubes": {"blue": 4}, "model": "surrogate", "seed": "7"})
    first = create_drop.sync(client=client, body=asked)
    assert isinstance(first, Drop), first
    told["first"] = first.emerged["blue"]
    listed = list_games.sync(client=client)
    assert isinstance(listed, Games)
    for game in listed.games:
        how = {"model": "two_thirds" if game.apparatus == "wallenstein" else "surrogate", "seed": "7"}
        body = Play.from_dict({**how, "game": game.name, "apparatus": None if game.apparatus else "amerigo"})
        if body.game is PlayGame.DEAD_RECKONING:
            body.rules = PlayRules.from_dict({"cubes": {"purple": 4, "green": 3}})
        played = create_game.sync(client=client, body=body, idempotency_key=key())
        body.games = 3
        many = create_game.sync(client=client, body=body, idempotency_key=key())
        assert played is not None
        assert many is not None
        assert not isinstance(played, (ProblemAnswer, Job)), played
        assert not isinstance(many, (ProblemAnswer, Job)), many
        assert get_game.sync(played.id, client=client) == played
        if isinstance(many, BattleOddsAnswer):
            assert many.summary.games == 3
        elif isinstance(many, (BattleAnswer, AmerigoGame)) or many.schema == "tower-sim/game-run":
            raise AssertionError("odds were asked for")
        else:
            assert many.runs == 3
        if isinstance(played, AmerigoGame):
            told[game.name] = len(played.drops)
        elif isinstance(played, BattleAnswer):
            told[game.name] = len(played.steps)
        elif isinstance(played, BattleOddsAnswer) or played.schema == "tower-sim/game-odds":
            raise AssertionError("one game was asked for")
        else:
            told[game.name] = len(played.turns)
        if isinstance(played, SeafarersRun):
            told["event"] = int(str(played.turns[0].facts.event))
    made = NewTower.from_dict({"model": "surrogate"})
    tower = create_tower.sync(client=client, body=made, idempotency_key=key())
    assert isinstance(tower, TowerAnswer)
    for i in range(10):
        throw = TowerThrow.from_dict({"cubes": {"blue": 3, "red": i}})
        drop = throw_into_tower.sync(
            tower.table if i % 2 else tower.id, client=client, body=throw, idempotency_key=key()
        )
        assert drop
        assert not isinstance(drop, ProblemAnswer)
        assert drop.number == i
    stands = get_tower.sync(tower.id, client=client)
    assert isinstance(stands, TowerAnswer)
    body = Odds.from_dict({"model": "surrogate", "state": stands.state, "throws": [{"blue": 3}], "times": 50})
    odds = get_odds.sync(client=client, body=body)
    assert isinstance(odds, ChancesAnswer)
    told["odds"] = odds.throws[0].draws
    history = list_tower_drops.sync(tower.table, client=client)
    assert isinstance(history, History)
    refused = get_tower.sync("x" * 22, client=client)
    assert isinstance(refused, ProblemAnswer)
    assert refused.code == "not_found"
    return {**told, "throws": len(history.drops)}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
