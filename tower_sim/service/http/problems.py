"""Problem details (RFC 9457): the answers to requests that fail, with a code for programs."""

from __future__ import annotations

import sqlite3
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import Response

from tower_sim.errors import UsageError
from tower_sim.model import TooManyFailedDraws
from tower_sim.service import codes, told
from tower_sim.terminal import one_line, warn

MEDIA = "application/problem+json"
LATER = {"Retry-After": "5"}

STATUS: dict[str, tuple[int, str]] = {
    codes.INVALID: (422, codes.CODES[codes.INVALID]),
    codes.UNKNOWN: (422, codes.CODES[codes.UNKNOWN]),
    codes.TOO_LARGE: (422, codes.CODES[codes.TOO_LARGE]),
    codes.NOT_JSON: (422, codes.CODES[codes.NOT_JSON]),
    codes.BODY_TOO_LARGE: (413, codes.CODES[codes.BODY_TOO_LARGE]),
    codes.NO_LANDING: (422, codes.CODES[codes.NO_LANDING]),
    codes.INTERNAL: (500, codes.CODES[codes.INTERNAL]),
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
    "busy": (503, "The service is busy."),
    "storage": (503, "The answer could not be stored, so it was not given."),
    "stopping": (503, "The service is stopping."),
    "cancelled": (409, "This work was cancelled."),
}
"""The HTTP status and the title of every error code."""


class Problem(HTTPException):
    """An error that is sent to the client: its `code`, one line of `detail`, and the `path` of the field."""

    def __init__(self, code: str, detail: str, path: str = "", headers: dict[str, str] | None = None) -> None:
        super().__init__(STATUS[code][0], detail, headers)
        self.code, self.path = code, path

    def document(self) -> dict[str, Any]:
        """Return the problem details; their `type` is a reference into the service's own OpenAPI document."""
        title, kind = STATUS[self.code][1], f"/openapi.json#/x-problems/{self.code}"
        path = self.path or None
        problem = told.ProblemAnswer(
            type=kind, title=title, status=self.status_code, detail=self.detail, code=self.code, path=path
        )
        return problem.model_dump(exclude_none=True)

    def response(self) -> Response:
        """Return the problem as an HTTP response."""
        problem = told.ProblemAnswer(**self.document()).model_dump_json(exclude_none=True)
        return Response(problem, self.status_code, self.headers, MEDIA)


def problem_of(error: Exception) -> Problem:
    """Return the problem for an error; print defects and failed writes on standard error, without the request."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, UsageError):
        code = error.code if error.code in STATUS else codes.INVALID
        return Problem(code, one_line(str(error), 1_000, 200), codes.path_of(error))
    if isinstance(error, TooManyFailedDraws):
        return Problem(codes.NO_LANDING, f"{error}; {codes.ADVICE}")
    if isinstance(error, sqlite3.IntegrityError):
        return Problem("tower.moved", "Ask for the tower again, then throw with a new key.")
    if isinstance(error, sqlite3.Error):
        warn(one_line(f"the file of answers cannot be written: {error}", 400, 200))
        return Problem("storage", "The answer was thrown away; send the same again later.", headers=LATER)
    warn(one_line(f"internal error: {type(error).__name__}: {error}", 400, 200))
    return Problem(codes.INTERNAL, f"{type(error).__name__}; this is a defect of the service, not of the request.")
