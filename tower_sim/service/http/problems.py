"""Problem details (RFC 9457), with a code for programs."""

from __future__ import annotations

import json
import sqlite3

from starlette.exceptions import HTTPException
from starlette.responses import Response

from tower_sim.answers import ProblemAnswer
from tower_sim.service import codes
from tower_sim.service.codes import CODES
from tower_sim.tools.terminal import one_line, warn

MEDIA = "application/problem+json"
LATER = {"Retry-After": "5"}


class Problem(HTTPException):
    """An error that is sent to the client, with the `path` of the field."""

    def __init__(self, code: str, detail: str, path: str = "", headers: dict[str, str] | None = None) -> None:
        super().__init__(CODES[code][0], detail, headers)
        self.code, self.path = code, path

    def document(self) -> ProblemAnswer:
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
        return answer

    def response(self) -> Response:
        return Response(json.dumps(self.document()), self.status_code, self.headers, MEDIA)


def make_problem(error: Exception) -> Problem:
    """Return the problem for an error; print defects and failed writes on standard error."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, sqlite3.IntegrityError):
        return Problem("tower.moved", "Ask for the tower again, then throw with a new key.")
    if isinstance(error, sqlite3.Error):
        warn(one_line(f"the file of answers cannot be written: {error}", 400, 200))
        return Problem("storage", "The answer was thrown away; send the same again later.", headers=LATER)
    code, text, path = codes.describe(error)
    if code == codes.INTERNAL:
        warn(one_line(text, 400, 200))
        text = f"{type(error).__name__}; this is a defect of the service, not of the request."
    return Problem(code, one_line(text, 1_000, 200), path)
