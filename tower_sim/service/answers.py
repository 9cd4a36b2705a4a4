"""Answers: from a request and its model to the document that the command line prints with `--json`."""

from __future__ import annotations

from typing import Any

from tower_sim import outcome, registry, requests
from tower_sim.apparatus.catalogue import names
from tower_sim.models import MODELS
from tower_sim.physics.settings import accuracies
from tower_sim.service.opened import Opened
from tower_sim.service.parsing import Hello, fields
from tower_sim.version import TOWER_SIM

SCHEMA = "tower-sim/service"
VERSION = 1


def answer(request: requests.Request | Hello, opened: Opened) -> dict[str, Any]:
    """Return the document that answers a request; all that is random is drawn from the request's seed.

    Raises UsageError for the caller's mistakes and TooManyFailedDraws when the model gives no landing.
    """
    if isinstance(request, Hello):
        return hello()
    return requests.answer(request, *opened.asked(request))


def hello() -> dict[str, Any]:
    """Return what the service has: its version, models, shipped apparatus, games, engines with their accuracies.

    Also the documents that it answers with.
    """
    documents = {"drop": (outcome.SCHEMA, outcome.VERSION)}
    documents |= {game.ways.request: game.ways.document for game in requests.games() if game.ways.request}
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "tower_sim": TOWER_SIM,
        "do": list(fields()),
        "models": list(MODELS),
        "apparatus": names(),
        "games": [game.name for game in requests.games()],
        "engines": {name: list(accuracies(name)) for name in registry.names("engine")},
        "documents": {do: {"schema": schema, "version": version} for do, (schema, version) in documents.items()},
    }
