"""Error codes for programs; JSON lines and HTTP share them."""

from __future__ import annotations

import re

from tower_sim.drops.repeat import TooManyFailedDraws
from tower_sim.errors import UsageError

INVALID, UNKNOWN, TOO_LARGE = "field.invalid", "field.unknown", "field.too_large"
NOT_JSON, BODY_TOO_LARGE = "json.invalid", "body.too_large"
NO_LANDING, INTERNAL = "no_landing", "internal"

CODES: dict[str, tuple[int, str]] = {
    INVALID: (422, "A field has a value that is not allowed."),
    UNKNOWN: (422, "There is no such field."),
    TOO_LARGE: (422, "The request asks for too much."),
    NOT_JSON: (422, "The request is not a JSON object."),
    BODY_TOO_LARGE: (413, "The request is too long."),
    NO_LANDING: (422, "The cubes did not land in five draws."),
    INTERNAL: (500, "The service has a defect."),
    "media_type": (415, "The body is not said to be JSON."),
    "not_found": (404, "There is nothing here, or no longer."),
    "job.lost": (410, "This work was lost when the service ended."),
    "method": (405, "This cannot be done here."),
    "table": (403, "The table's identifier may not do this."),
    "key.missing": (400, "The header Idempotency-Key is missing."),
    "key.invalid": (400, "The header Idempotency-Key is not allowed."),
    "key.reused": (422, "This Idempotency-Key was used with another request."),
    "key.in_flight": (409, "A request with this Idempotency-Key is being answered."),
    "tower.full": (422, "This tower has had as many throws as it may have."),
    "tower.moved": (409, "Another request changed this tower meanwhile."),
    "token.missing": (401, "A bearer token is needed."),
    "token.wrong": (401, "The bearer token is wrong."),
    "starting": (503, "The physics is being loaded."),
    "busy": (503, "The service is busy."),
    "storage": (503, "The answer could not be stored, so it was not given."),
    "stopping": (503, "The service is stopping."),
    "cancelled": (409, "This work was cancelled."),
}
"""The HTTP status and the sentence of every error code. JSON lines use those above `media_type`."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[^\s.]+)*")
_FIELDS = {"apparatus", "state", "knock", "seed", "model", "engine", "accuracy", "game", "rules", "games", "cubes"}


def find_path(error: UsageError) -> str:
    """Return the path of the field that an error is about, such as `cubes.blue`, or ""."""
    what = error.what
    if what in ("number of cubes", "a colour of cubes"):
        return "cubes"
    if what.startswith("cubes of "):
        return f"cubes.{what.removeprefix('cubes of ')}"
    if _NAME.fullmatch(what) and what not in ("line", "body"):
        return what
    first = str(error).partition(" ")[0]
    return first if first in _FIELDS else ""


def describe(error: Exception) -> tuple[str, str, str]:
    """Return the code of an error, its text, and the path of its field."""
    if isinstance(error, UsageError):
        return error.code, str(error), find_path(error)
    if isinstance(error, TooManyFailedDraws):
        return NO_LANDING, f"{error}; throw fewer cubes or change the apparatus", ""
    return INTERNAL, f"internal error: {type(error).__name__}: {error}", ""
