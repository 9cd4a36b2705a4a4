"""Draws made again from a log, by what is installed here; a log comes from others, so it may name no file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from tower_sim import requests
from tower_sim.apparatus.parts import Apparatus
from tower_sim.contract import DropModel
from tower_sim.errors import UsageError, fault, shown
from tower_sim.service.opened import Opened
from tower_sim.service.parsing import Hello, read_request, refuse_files
from tower_sim.service.verifiable.states import Traced
from tower_sim.version import TOWER_SIM


@dataclass(frozen=True, slots=True)
class Redrawn:
    """A draw made again: its `document`, with a hash in the place of a state, and the state `after` a drop."""

    document: Mapping[str, Any]
    after: Traced | None = None


def made_by(model: DropModel) -> dict[str, Any]:
    """Return what made a draw: the version of tower_sim, the model's and apparatus's digest, the cubes' edge (m)."""
    return {"tower_sim": TOWER_SIM, "model": model.empty().digest, "edge": model.cube_edge}


def answered(asked: Mapping[str, Any], seed: int, opened: Opened) -> tuple[dict[str, Any], dict[str, Any]]:
    """Answer a request of a draw with its seed; return the document and what it was made by.

    Raises UsageError, also for a request that names a file, and TooManyFailedDraws.
    """
    request, shape, model = _read(asked, seed, opened)
    return _plain(requests.answer(request, shape, model)), made_by(model)


def _read(asked: Mapping[str, Any], seed: int, opened: Opened) -> tuple[requests.Request, Apparatus, DropModel]:
    refuse_files(asked, lambda field, value: "a log can name no file")
    request = read_request({**asked, "seed": str(seed)})
    if isinstance(request, Hello):
        raise fault("do", "hello", "what draws", 'write {"do": "drop", "cubes": {"blue": 4}}')
    return request, *opened.asked(request)


def _plain(document: Mapping[str, Any]) -> dict[str, Any]:
    return json.loads(json.dumps(document, allow_nan=False))


def redrawn(
    opened: Opened, asked: Mapping[str, Any], seed: int, by: Mapping[str, Any], before: Traced | None
) -> Redrawn:
    """Make a draw again; a drop goes on from the state `before`, whatever `asked` tells of it (None: an empty tower).

    Raises UsageError where `by` names another model than the one here, and else as `answered`.
    """
    is_drop = asked.get("do") == "drop"
    told = {key: value for key, value in asked.items() if key != "state"} if is_drop else asked
    request, shape, model = _read(told, seed, opened)
    _check_by(by, made_by(model))
    if not isinstance(request, requests.DropRequest):
        return Redrawn(_plain(requests.answer(request, shape, model)))
    before = before or Traced.of(model.empty())
    request = replace(request, state=before.state)
    landed = requests.outcome(request, model)
    after = before.to(landed.state)
    return Redrawn(_plain(landed.facts(request.seed, request.colours) | {"state": after.hash}), after)


def _check_by(by: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    if here["model"] != by.get("model"):
        made = shown(by.get("tower_sim"), 40)
        raise UsageError(
            f"it was drawn by tower_sim {made} with another form of this tower or model ({shown(by.get('model'), 40)}) "
            f"than tower_sim {here['tower_sim']} has here ({here['model']}); install the version that drew it"
        )
    if here["edge"] != by.get("edge"):
        raise UsageError(
            f"the log says that its cubes' edge is {shown(by.get('edge'), 40)} m, and it is {here['edge']}"
        )


def difference(logged: object, drawn: Mapping[str, Any]) -> str | None:
    """Say in words where the answer in a log differs from the one drawn again; None where it does not."""
    if is_same(logged, drawn):
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
    key = next((key for key in {**answer, **drawn} if not is_same(answer.get(key), drawn.get(key))), "the order")
    return f"the log says that {shown(key, 40)} is {shown(answer.get(key), 60)}, and drawn again it is " + shown(
        drawn.get(key), 60
    )


def is_same(one: object, other: object) -> bool:
    """Say whether two values are the same in JSON, where true is not 1 and 1.0 is not 1; keys may have any order."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
