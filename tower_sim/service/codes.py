"""Error codes for programs; JSON lines and HTTP share them."""

from __future__ import annotations

import re

from tower_sim.drops import TooManyFailedDraws
from tower_sim.errors import UsageError

INVALID, UNKNOWN, TOO_LARGE = "field.invalid", "field.unknown", "field.too_large"
NOT_JSON, BODY_TOO_LARGE = "json.invalid", "body.too_large"
NO_LANDING, INTERNAL = "no_landing", "internal"
MEDIA_TYPE, NOT_FOUND, METHOD = "media_type", "not_found", "method"
BUSY, STOPPING = "busy", "stopping"

CODES: dict[str, tuple[int, str]] = {
    INVALID: (422, "A field has a value that is not allowed."),
    UNKNOWN: (422, "There is no such field."),
    TOO_LARGE: (422, "The request asks for too much."),
    NOT_JSON: (422, "The request is not a JSON object."),
    BODY_TOO_LARGE: (413, "The request is too long."),
    NO_LANDING: (422, "The cubes did not land in five draws."),
    INTERNAL: (500, "The service has a defect."),
    MEDIA_TYPE: (415, "The body is not plain JSON."),
    NOT_FOUND: (404, "There is nothing here."),
    METHOD: (405, "This cannot be done here."),
    "token.missing": (401, "A bearer token is needed."),
    "token.wrong": (401, "The bearer token is wrong."),
    BUSY: (503, "The service is busy."),
    STOPPING: (503, "The service is stopping."),
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
