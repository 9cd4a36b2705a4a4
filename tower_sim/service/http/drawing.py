"""What is asked for over HTTP, read by the same readers as a line of `serve`, but nothing that names a file."""

from __future__ import annotations

import base64
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, cast

from tower_sim import registry, requests
from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.parts import Apparatus
from tower_sim.fields import refuse_unknown
from tower_sim.models import Model, open_model
from tower_sim.requests import PHYSICS, DropRequest, OddsRequest, Request
from tower_sim.service.opened import Opened
from tower_sim.service.parsing import MAX_STATE, fields, read_drop, read_request, refuse_files
from tower_sim.state import TowerState

DROP, GAME, BATTLE = "drop", "game", "battle"
STATE = "state"  # looks at one, for a tower that is made of it
LIGHT = 100  # cubes thrown and inside that are drawn without asking a worker; about 1 ms
_SMALL = 32_000  # bytes of a state, unpacked, that are read without asking one: the worst take 20 ms
_FILES = "files are not opened over HTTP: install the package that has it, or ask tower-sim serve without --http"


def known_fields(do: str) -> tuple[str, ...]:
    """Return the fields of a body: those of the line that begins with `do`, of a game also those of any game."""
    of = fields()
    return tuple(dict.fromkeys((*of["play"], *of[GAME]))) if do == GAME else of[do]


def narrowed(do: str, given: Mapping[str, Any], known: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields that are there, null left out.

    Raises UsageError for an unknown one, and for what would name a file: an apparatus, a model, a game or rules must be
    among those that are installed.
    """
    refuse_unknown(given, dict.fromkeys(known), do)
    asked = {key: value for key, value in given.items() if value is not None}
    refuse_files(asked, _advice)
    return asked


def _advice(key: str, name: object) -> str:
    """Return what to do instead of asking for `name`, which is none of those that are installed."""
    if isinstance(name, str) and any(sign in name for sign in "./\\"):
        return _FILES
    return "send an object with their keys" if key == "rules" else "check its spelling"


def read(do: str, asked: Mapping[str, Any]) -> Request:
    """Read what `narrowed` gave. Raises UsageError, in one line, for a value that is not allowed."""
    return read_drop(asked) if do == DROP else cast("Request", read_request(line_of(do, asked)))


def line_of(do: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `narrowed` gave as a line of `serve` asks for it. Raises UsageError for an unknown game."""
    if do != GAME:
        return {"do": do, **asked}
    game = asked.get("game", requests.first_game().name)
    first = registry.get("game", game)
    own = {key for key in known_fields(GAME) if key in first.ways.fields}
    if first.ways.request and own & set(asked):
        rest = {key: value for key, value in asked.items() if key != "game"}
        return {"do": first.ways.request, **rest}
    return {"do": "play", "game": game, **asked}


def is_small(token: object) -> bool:
    """Say whether a state token is read in a moment, without reading it; what is no token is refused in a moment."""
    if not isinstance(token, str):
        return True
    if len(token) > _SMALL:
        return False
    try:
        packed = base64.urlsafe_b64decode(token.split(".")[1] + "==")
        return len(zlib.decompressobj().decompress(packed, _SMALL + 1)) <= _SMALL
    except (LookupError, ValueError, zlib.error):
        return True


def stands(token: str) -> dict[str, Any]:
    """Return of which model and apparatus a state is, and how many cubes are inside. Raises UsageError as `read`."""
    state = TowerState.from_token(token, MAX_STATE)
    inside = Counter(cube.colour for cube in state.cubes)
    return {"model": state.model, "apparatus": state.apparatus, "inside": dict(sorted(inside.items()))}


def is_light(request: Request) -> bool:
    """Say whether it is drawn in a moment: a drop without physics, of few cubes."""
    if not isinstance(request, DropRequest) or request.model == PHYSICS:
        return False
    there = len(request.state.residents) if request.state else 0
    return sum(request.cubes.values()) + there <= LIGHT


@cache
def _light(apparatus: str, model: str) -> tuple[Apparatus, Model]:
    """Open a model without physics of a shipped profile: it holds nothing that must be closed."""
    shape = load(apparatus)
    return shape, open_model(shape, model)


def answer_light(request: Request) -> dict[str, Any]:
    """Return the document that answers a light request; see `is_light`."""
    one = cast("DropRequest", request)
    return requests.answer(one, *_light(one.apparatus, one.model))


def work(do: str, fields: Mapping[str, Any], opened: Opened, tell: Callable[[int, int], None]) -> dict[str, Any]:
    """Return the document that a worker is asked for, and tell how many of how many runs are done. Raises as `read`."""
    if do == STATE:
        return stands(fields["state"])
    request = read(do, fields)
    runs = request.runs if isinstance(request, OddsRequest) else 1
    return requests.answer(request, *opened.asked(request), lambda done: tell(done, runs))
