"""Problem details (RFC 9457), with a code for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import Response

from tower_sim.documents import ProblemAnswer
from tower_sim.service import codes
from tower_sim.service.codes import CODES
from tower_sim.tools import one_line, warn

MEDIA = "application/problem+json"
LATER = {"Retry-After": "5"}


class Problem(HTTPException):
    """An error that is sent to the client, with the `path` of the field."""

    def __init__(self, code: str, detail: str, path: str = "", headers: dict[str, str] | None = None) -> None:
        super().__init__(CODES[code][0], detail, headers)
        self.code, self.path = code, path

    def response(self) -> Response:
        status, title = CODES[self.code]
        answer: ProblemAnswer = {
            "type": f"/openapi.json#/x-problems/{self.code}",
            "title": title,
            "status": status,
            "detail": self.detail,
            "code": self.code,
        }
        if self.path:
            answer["path"] = self.path
        return Response(as_json(answer), self.status_code, self.headers, MEDIA)


def make_problem(error: Exception) -> Problem:
    """Return the problem for an error; print defects on standard error."""
    if isinstance(error, Problem):
        return error
    code, text, path = codes.describe(error)
    if code == codes.INTERNAL:
        warn(one_line(text, 400, 200))
        text = f"{type(error).__name__}; this is a defect of the service, not of the request."
    return Problem(code, one_line(text, 1_000, 200), path)


def as_json(document: Mapping[str, Any]) -> bytes:
    """Return a document as it is sent."""
    return json.dumps(document, allow_nan=False).encode()
