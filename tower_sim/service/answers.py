"""Answer a request with a model: the answer is the document that the command line prints with `--json`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tower_sim import chances, outcome, registry, requests
from tower_sim.apparatus.catalogue import names
from tower_sim.chances import chances_document
from tower_sim.errors import fault, near
from tower_sim.games import telling
from tower_sim.models import MODELS
from tower_sim.physics.settings import accuracies
from tower_sim.requests import ChancesRequest, Request
from tower_sim.service.asked import FILES, LINES, Hello, Next, Play, Throw, fields
from tower_sim.service.opened import Opened
from tower_sim.service.told import DocumentName, Here, line
from tower_sim.typed import read
from tower_sim.version import TOWER_SIM

KNOWN = fields()


def read_request(sent: Mapping[str, Any]) -> Hello | Throw | Play | Next:
    """Return the checked request in a JSON line; a field that is null counts as left out."""
    do = sent.get("do")
    if not isinstance(do, str) or do not in LINES:
        meant = near(do, LINES) if isinstance(do, str) else ""
        advice = f'write {{"do": "drop", "cubes": {{"blue": 4}}}}{meant}'
        raise fault("do", do, f"one of {', '.join(LINES)}", advice)
    own = ("id", "do")
    given = {key: value for key, value in sent.items() if key not in own and not (value is None and key in KNOWN[do])}
    return read(LINES[do], given, "", FILES, own)


def answer(asked: Hello | Throw | Play | Next, opened: Opened) -> dict[str, Any]:
    """Return the answer to a request; everything random is drawn from its seed.

    Raises TooManyFailedDraws if every draw of a throw fails.
    """
    if isinstance(asked, Hello):
        return here().model_dump()
    return line(drawn(asked.request(), opened))


def drawn(
    request: Request | ChancesRequest, opened: Opened, tell: Callable[[int], None] = lambda done: None
) -> dict[str, Any]:
    """Return the document that answers a request; call `tell` with the number of runs done. Raises as `answer` does."""
    apparatus, model = opened.asked(request)
    if isinstance(request, ChancesRequest):
        return chances_document(request, model, tell)
    return requests.answer(request, apparatus, model, tell)


def here() -> Here:
    """Return what the service offers: its requests, models, profiles, games, engines and documents."""
    run, odds = (telling.SCHEMA, telling.VERSION), (telling.ODDS, telling.ODDS_VERSION)
    documents = {
        "drop": [(outcome.SCHEMA, outcome.VERSION)],
        "play": [run, odds],
        "odds": [(chances.SCHEMA, chances.VERSION)],
    }
    return Here(
        tower_sim=TOWER_SIM,
        do=list(LINES),
        models=list(MODELS),
        apparatus=names(),
        games=[game.name for game in requests.games()],
        engines={name: list(accuracies(name)) for name in registry.names("engine")},
        documents={
            do: [DocumentName(schema_=name, version=number) for name, number in of] for do, of in documents.items()
        },
    )
