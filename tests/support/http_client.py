"""A client made of the OpenAPI document by openapi-python-client: every game, a battle, a tower thrown into and forked.

Run beside the package `made`, with the service's address as argument.
"""

# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
from __future__ import annotations

import json
import sys
import uuid
from typing import Any

from made import Client
from made.api.default import create_game, create_tower, fork_tower, get_game, get_tower, list_games, throw_into_tower
from made.models import Fork, NewTower, Play, ProblemAnswer, TowerThrow


def had(answer: Any) -> Any:
    assert answer is not None, "no answer"
    assert not isinstance(answer, ProblemAnswer), answer.detail
    return answer


def key() -> str:
    return str(uuid.uuid4())


def played(client: Client, **asked: Any) -> Any:
    return had(create_game.sync(client=client, body=Play.from_dict(asked), idempotency_key=key()))


def main(address: str) -> dict[str, int]:
    client, told = Client(base_url=address), {}
    for game in had(list_games.sync(client=client)).games:
        model = "two_thirds" if game.apparatus == "wallenstein" else "surrogate"
        given = {"apparatus": None if game.apparatus else "amerigo", "seed": "7"}
        made = played(client, game=game.name, model=model, **given)
        assert had(get_game.sync(made.id, client=client)).to_dict() == made.to_dict()
        told[game.name] = len(made.to_dict().get("turns", made.to_dict()))
    rules = {"cubes": {"purple": 4, "green": 3}}
    battle = played(client, game="dead_reckoning", model="physics", rules=rules, seed="8")
    tower = had(
        create_tower.sync(client=client, body=NewTower.from_dict({"model": "surrogate"}), idempotency_key=key())
    )
    drops = [
        had(throw_into_tower.sync(tower.id, client=client, body=TowerThrow.from_dict(asked), idempotency_key=key()))
        for asked in ({"cubes": {"blue": 3, "red": i}} for i in range(10))
    ]
    assert [drop.number for drop in drops] == [*range(10)]
    fork = had(fork_tower.sync(tower.id, client=client, body=Fork(after=4), idempotency_key=key()))
    before = drops[4].inside.to_dict()
    assert fork.inside.to_dict() == {colour: count for colour, count in before.items() if count}
    refused = get_tower.sync("x" * 22, client=client)
    assert isinstance(refused, ProblemAnswer)
    assert refused.code == "not_found"
    throws = had(get_tower.sync(tower.id, client=client)).drops
    return {**told, "battle": len(battle.to_dict()), "throws": throws}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
