"""Problem details (RFC 9457): what every answer that is none looks like, with a code for programs."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from tower_sim.errors import UsageError
from tower_sim.service import codes

MEDIA = "application/problem+json"

STATUS: dict[str, tuple[int, str]] = {
    codes.INVALID: (422, codes.CODES[codes.INVALID]),
    codes.UNKNOWN: (422, codes.CODES[codes.UNKNOWN]),
    codes.TOO_LARGE: (422, codes.CODES[codes.TOO_LARGE]),
    codes.NOT_JSON: (400, codes.CODES[codes.NOT_JSON]),
    codes.BODY_TOO_LARGE: (413, codes.CODES[codes.BODY_TOO_LARGE]),
    codes.NO_LANDING: (422, codes.CODES[codes.NO_LANDING]),
    codes.INTERNAL: (500, codes.CODES[codes.INTERNAL]),
    "damaged": (500, "What was stored has changed on its disk."),
    "slow": (408, "The request took too long to arrive."),
    "head.too_large": (431, "What stands before the body is too long."),
    "host": (421, "The service is not known by this name."),
    "query.invalid": (400, "What stands behind the question mark is not allowed."),
    "media_type": (415, "The body is not said to be JSON."),
    "not_found": (404, "There is nothing here, or no longer."),
    "job.lost": (410, "This work was lost when the service ended."),
    "method": (405, "This cannot be done here."),
    "key.missing": (400, "The header Idempotency-Key is missing."),
    "key.invalid": (400, "The header Idempotency-Key is not allowed."),
    "key.reused": (422, "This Idempotency-Key was used with another request."),
    "key.in_flight": (409, "A request with this Idempotency-Key is being answered."),
    "tower.full": (422, "This tower has had as many drops as one may have."),
    "round.order": (409, "This step of a round is not due."),
    "tower.moved": (409, "This tower was changed by another request meanwhile."),
    "token.missing": (401, "A bearer token is needed."),
    "token.wrong": (401, "The bearer token is not the right one."),
    "rate": (429, "Too many requests in too short a time."),
    "busy": (503, "The service is busy."),
    "storage": (503, "The answer could not be stored, so it was not given."),
    "stopping": (503, "The service is stopping."),
    "cancelled": (409, "This work was cancelled."),
}
"""The status and the title of every code."""


@dataclass(slots=True)
class Problem(Exception):
    """An answer that is none: its `code`, what is wrong in this case (`detail`), and the `path` of the field."""

    code: str
    detail: str
    path: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def status(self) -> int:
        """The status of the answer."""
        return STATUS[self.code][0]

    def body(self) -> bytes:
        """Return the document."""
        return json.dumps(document(self)).encode()


def document(problem: Problem) -> dict[str, Any]:
    """Return the problem details; their `type` is a reference into the service's own OpenAPI document."""
    status, title = STATUS[problem.code]
    where = {"path": problem.path} if problem.path else {}
    kind = f"/openapi.json#/x-problems/{problem.code}"
    return {"type": kind, "title": title, "status": status, "detail": problem.detail, "code": problem.code} | where


def of_usage(error: UsageError) -> Problem:
    """Return the problem of a caller's mistake."""
    return Problem(error.code if error.code in STATUS else codes.INVALID, str(error), codes.path_of(error))
