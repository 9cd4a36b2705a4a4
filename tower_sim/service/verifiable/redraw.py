"""Draws made again from a log, by what is installed here; a log comes from others, so it may name no file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

import tower_sim
from tower_sim import registry, requests
from tower_sim.apparatus.catalogue import names
from tower_sim.contract import DropModel
from tower_sim.errors import UsageError, fault, shown
from tower_sim.models import MODELS
from tower_sim.service.asked import Hello, read_request
from tower_sim.service.opened import Opened
from tower_sim.state import TowerState


def made_by(model: DropModel) -> dict[str, str]:
    """Return what a draw says it was made by: the version of tower_sim, the digest of the model and its apparatus."""
    return {"tower_sim": tower_sim.__version__, "model": model.empty().digest}


def made_by_state(state: str) -> dict[str, str]:
    """Return the same of the answer to a drop, by the token of its `state`; raises UsageError for another text."""
    return {"tower_sim": tower_sim.__version__, "model": TowerState.from_token(state).digest}


def answered(asked: Mapping[str, Any], seed: int, opened: Opened) -> tuple[dict[str, Any], dict[str, str]]:
    """Answer a request of a draw with its seed; return the document and what it was made by.

    Raises UsageError, also for a request that names a file, and TooManyFailedDraws.
    """
    check_names(asked)
    request = read_request({**asked, "seed": str(seed)})
    if isinstance(request, Hello):
        raise fault("do", "hello", "what draws", 'write {"do": "drop", "cubes": {"blue": 4}}')
    named = request.one if isinstance(request, requests.OddsRequest) else request
    shape, model = opened.with_apparatus(named.apparatus, named.model, named.settings)
    document = requests.answer(request, shape, model)
    return cast("dict[str, Any]", json.loads(json.dumps(document, allow_nan=False))), made_by(model)


def redrawn(asked: Mapping[str, Any], seed: int, by: Mapping[str, Any], opened: Opened) -> dict[str, Any]:
    """Return the document of a draw made again.

    Raises UsageError where `by` names another model than the one here, and else as `answered`.
    """
    document, here = answered(asked, seed, opened)
    if here["model"] != by.get("model"):
        made = shown(by.get("tower_sim"), 40)
        raise UsageError(
            f"it was drawn by tower_sim {made} with another form of this tower or model ({shown(by.get('model'), 40)}) "
            f"than tower_sim {here['tower_sim']} has here ({here['model']}); install the version that drew it"
        )
    return document


def check_names(asked: Mapping[str, Any]) -> None:
    """Raise UsageError for a request that names what does not ship, such as a file."""
    _check_name("apparatus", asked.get("apparatus"), names())
    _check_name("model", asked.get("model"), MODELS)
    games = registry.names("game")
    _check_name("game", asked.get("game"), games)
    rules = asked.get("rules")
    if isinstance(rules, Mapping):
        table = cast("Mapping[str, Any]", rules)
        _check_name("apparatus of the rules", table.get("apparatus"), names())
        _check_name("game of the rules", table.get("game"), games)
    else:
        _check_name("rules", rules, [*games, *names()])


def _check_name(what: str, value: object, allowed: tuple[str, ...] | list[str]) -> None:
    if value is not None and value not in allowed:
        raise fault(what, value, f"one that ships: {', '.join(allowed)}", "a log can name no file")


def difference(logged: object, drawn: Mapping[str, Any]) -> str | None:
    """Say in words where the answer in a log differs from the one drawn again; None where it does not."""
    if logged == drawn:
        return None
    if not isinstance(logged, Mapping):
        return "the log has no answer there"
    answer = cast("Mapping[str, Any]", logged)
    if answer.get("seed") != drawn.get("seed"):
        return "its seed is not the one that the secret and the words give"
    places = [{x["cube"]: x["place"] for x in one.get("landings", ())} for one in (answer, drawn)]
    for cube, place in places[1].items():
        if (said := places[0].get(cube)) != place:
            return f"the log says that cube {cube} is at {shown(said, 40)}, and drawn again it is at {place}"
    key = next((key for key in {**answer, **drawn} if answer.get(key) != drawn.get(key)), "the order")
    return f"the log says that {shown(key, 40)} is {shown(answer.get(key), 60)}, and drawn again it is " + shown(
        drawn.get(key), 60
    )
