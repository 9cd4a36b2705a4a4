"""Answers: from a request and its model to the document that the command line prints with `--json`."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

import numpy as np

import tower_sim
from tower_sim import outcome
from tower_sim.apparatus.catalogue import names
from tower_sim.contract import BoardModel, DropModel
from tower_sim.cubes import supply
from tower_sim.errors import fault
from tower_sim.games import amerigo
from tower_sim.games.dead_reckoning import battle, policies
from tower_sim.games.dead_reckoning import document as battle_json
from tower_sim.games.dead_reckoning.odds import Odds
from tower_sim.model import knock_then_drop, until_landed
from tower_sim.models import MODELS
from tower_sim.service.opened import Opened
from tower_sim.service.requests import FIELDS, BattleRequest, DropRequest, GameRequest, Hello, Request

SCHEMA = "tower-sim/service"
VERSION = 1


def answer(request: Request, opened: Opened) -> dict[str, Any]:
    """Return the document that answers a request; all that is random is drawn from the request's seed.

    Raises UsageError for the caller's mistakes and TooManyFailedDraws when the model gives no landing.
    """
    if isinstance(request, Hello):
        return hello()
    model = opened.model(request.apparatus, request.model)
    if isinstance(request, DropRequest):
        return drop(request, model)
    if isinstance(request, GameRequest):
        return game(request, model)
    if not hasattr(model, "place"):
        raise fault("model", request.model, "one that knows a board", 'leave it out for "physics"')
    return fight(request, cast("BoardModel", model))


def hello() -> dict[str, Any]:
    """Return what the service has: its version, models, shipped apparatus and the documents it answers with."""
    documents = {
        "drop": (outcome.SCHEMA, outcome.VERSION),
        "game": (amerigo.SCHEMA, amerigo.VERSION),
        "battle": (battle_json.SCHEMA, battle_json.VERSION),
    }
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "tower_sim": tower_sim.__version__,
        "do": list(FIELDS),
        "models": list(MODELS),
        "apparatus": names(),
        "documents": {do: {"schema": schema, "version": version} for do, (schema, version) in documents.items()},
    }


def drop(request: DropRequest, model: DropModel) -> dict[str, Any]:
    """Throw, or knock and throw; the document of `drop --json`."""
    stream = np.random.SeedSequence(request.seed)
    state = request.state or model.empty()
    thrown = supply(request.cubes, model.cube_edge, first_id=state.next_id)
    if request.knock is None:
        fallen = until_landed(partial(model.drop, state, thrown), stream)
    else:
        fallen = knock_then_drop(model, state, request.knock, thrown, stream)
    colours = [*request.cubes, *sorted({cube.colour for cube in state.cubes} - set(request.cubes))]
    return fallen.to_json(request.seed, colours)


def game(request: GameRequest, model: DropModel) -> dict[str, Any]:
    """Play the tower's part of a game; the document of `play amerigo --json`."""
    entries = amerigo.play(model, request.rules, request.seed, request.knocks)
    amerigo.check_knocks(model, request.knocks)
    names = {"model": model.name, "apparatus": model.apparatus}
    return amerigo.game_json(entries, seed=request.seed, **names, rules=request.rules, knocks=request.knocks)


def fight(request: BattleRequest, model: BoardModel) -> dict[str, Any]:
    """Fight one battle, or many for the odds; the document of `battle --json`. Sides use abilities when behind."""
    chosen = dict.fromkeys(request.setup.colours, policies.when_behind)
    odds = Odds()
    for number in range(request.games or 1):
        fought = battle.start(model, request.setup, request.seed, number)
        for after in battle.play(model, fought, chosen):
            fought = after
        if request.games is None:
            return battle_json.battle_json(fought)
        odds.add(fought)
    return odds.to_json()
