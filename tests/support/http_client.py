"""A client made of the OpenAPI document by openapi-python-client: every game, and a tower that goes on.

Run it beside the package `made`, with the service's address as argument. pyright checks it strictly.
"""

from __future__ import annotations

import json
import sys

from made import Client
from made.api.default import create_drop, create_game, get_odds, list_games
from made.models import (
    ChancesAnswer,
    Games,
    Odds,
    Play,
    PlayGame,
    PlayRules,
    ProblemAnswer,
    SeafarersRun,
    Throw,
    ThrowAnswer,
)


def main(address: str) -> dict[str, int]:
    client, told = Client(base_url=address), dict[str, int]()
    asked = Throw.from_dict({"cubes": {"blue": 4}, "model": "surrogate", "seed": "7"})
    first = create_drop.sync(client=client, body=asked)
    assert isinstance(first, ThrowAnswer), first
    told["first"] = first.emerged["blue"]
    listed = list_games.sync(client=client)
    assert isinstance(listed, Games)
    for game in listed.games:
        how = {"model": "two_thirds" if game.apparatus == "wallenstein" else "surrogate", "seed": "7"}
        body = Play.from_dict({**how, "game": game.name, "apparatus": None if game.apparatus else "amerigo"})
        if body.game is PlayGame.DEAD_RECKONING:
            body.rules = PlayRules.from_dict({"cubes": {"purple": 4, "green": 3}})
        played = create_game.sync(client=client, body=body)
        body.games = 3
        many = create_game.sync(client=client, body=body)
        assert played is not None
        assert many is not None
        assert not isinstance(played, ProblemAnswer), played
        assert not isinstance(many, ProblemAnswer), many
        if many.schema == "tower-sim/game-run":
            raise AssertionError("odds were asked for")
        assert many.runs == 3
        if played.schema == "tower-sim/game-odds":
            raise AssertionError("one game was asked for")
        told[game.name] = len(played.turns)
        if isinstance(played, SeafarersRun):
            told["event"] = int(str(played.turns[0].facts.event))
    state: str | None = None
    for i in range(10):
        throw = Throw.from_dict({"cubes": {"blue": 3, "red": i}, "model": "surrogate", "state": state})
        drop = create_drop.sync(client=client, body=throw)
        assert isinstance(drop, ThrowAnswer)
        state = drop.state
    body = Odds.from_dict({"model": "surrogate", "state": state, "throws": [{"blue": 3}], "times": 50})
    odds = get_odds.sync(client=client, body=body)
    assert isinstance(odds, ChancesAnswer)
    told["odds"] = odds.throws[0].draws
    refused = create_drop.sync(client=client, body=Throw.from_dict({"cubes": {"blue": -1}}))
    assert isinstance(refused, ProblemAnswer)
    assert refused.code == "field.invalid"
    return told


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
