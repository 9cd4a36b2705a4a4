"""Error codes for programs, and the path of the field that an error is about; JSON lines and HTTP share them."""

from __future__ import annotations

import re

from tower_sim.errors import UsageError

INVALID, UNKNOWN, TOO_LARGE = "field.invalid", "field.unknown", "field.too_large"
NOT_JSON, BODY_TOO_LARGE = "json.invalid", "body.too_large"
NO_LANDING, INTERNAL = "no_landing", "internal"
ADVICE = "throw fewer cubes or change the apparatus"

CODES: dict[str, str] = {
    INVALID: "A field has a value that is not allowed.",
    UNKNOWN: "There is no such field.",
    TOO_LARGE: "The request asks for too much.",
    NOT_JSON: "The request is not a JSON object.",
    BODY_TOO_LARGE: "The request is too long.",
    NO_LANDING: "The cubes did not land in five draws.",
    INTERNAL: "The service has a defect.",
}
"""The error codes of both services, each with its sentence. `http.problems` adds the codes that only HTTP has."""

_WORDS = {
    "number of cubes": "cubes",
    "number of cubes, with those in the state": "cubes",
    "number of cubes times drops": "rules",
    "number of cubes times throws": "times",
    "number of drops": "rules",
    "a word in cubes": "cubes",
    "a colour of cubes": "cubes",
}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[^\s.]+)*")
_OF = re.compile(r"cubes of (.+)", re.DOTALL)
_WHOLE = {"line", "body"}
_FIELDS = {"apparatus", "state", "knock", "seed", "model", "engine", "accuracy", "game", "rules", "games", "cubes"}


def path_of(error: UsageError) -> str:
    """Return the path of the field that an error is about, such as `cubes.blue`; "" if it is about no single field."""
    what = error.what
    if what in _WORDS:
        return _WORDS[what]
    if colour := _OF.fullmatch(what):
        return f"cubes.{colour[1]}"
    if _NAME.fullmatch(what) and what not in _WHOLE:
        return what
    first = str(error).split(maxsplit=1)[0] if str(error) else ""
    return first if first in _FIELDS else ""
