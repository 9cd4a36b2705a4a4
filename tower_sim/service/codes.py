"""Codes of what went wrong, for programs, and the path of the field: the same on every way into the service."""

from __future__ import annotations

import re

from tower_sim.errors import UsageError

INVALID, UNKNOWN, TOO_LARGE = "field.invalid", "field.unknown", "field.too_large"
NOT_JSON, BODY_TOO_LARGE = "json.invalid", "body.too_large"
NO_LANDING, INTERNAL = "no_landing", "internal"

CODES: dict[str, str] = {
    INVALID: "A field has a value that is not allowed.",
    UNKNOWN: "There is no such field.",
    TOO_LARGE: "More is asked for than one request may have.",
    NOT_JSON: "What was sent is no JSON object.",
    BODY_TOO_LARGE: "What was sent is too long.",
    NO_LANDING: "The cubes did not land in five draws.",
    INTERNAL: "The service has a defect.",
}
"""Those of both services, each with its sentence; `http.problems` has those of HTTP alone."""

_WORDS = {
    "number of cubes": "cubes",
    "number of cubes, with those in the state": "cubes",
    "number of cubes times drops": "rules",
    "number of drops": "rules",
    "a word in cubes": "cubes",
}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[^\s.]+)*")
_OF = re.compile(r"cubes of (.+)", re.DOTALL)
_REQUESTS = re.compile(r"^(?:drop|game|battle|play|hello|tower|fork|round|words|reveal)\.")
_WHOLE = {"line", "body"}
_FIELDS = {"apparatus", "state", "knock", "seed", "model", "engine", "accuracy", "game", "rules", "games", "cubes"}


def path_of(error: UsageError) -> str:
    """Return the path of the field that an error is about, as in `cubes.blue`; empty where it is of none alone."""
    what = error.what
    if what in _WORDS:
        return _WORDS[what]
    if colour := _OF.fullmatch(what):
        return f"cubes.{colour[1]}"
    path = _REQUESTS.sub("", what)
    if _NAME.fullmatch(path) and path not in _WHOLE:
        return path
    first = str(error).split(maxsplit=1)[0] if str(error) else ""
    return first if first in _FIELDS else ""
