"""Long work as jobs: a request with `Prefer: respond-async` starts one, which can be polled and cancelled.

The work is in memory; the file of answers records its beginning and its end. So after a restart, a job that was at work
is known to be lost.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

from tower_sim.answers import Job
from tower_sim.service.http.keys import CallIdentity, Once, Reply
from tower_sim.service.http.problems import Problem, make_problem
from tower_sim.service.http.store import Database, Statement, answer_row, hash_id, new_id
from tower_sim.service.http.workers import RunsDone

KIND = "job"
_LOST = "The service ended while this was being done; send the same again, with the same Idempotency-Key if it had one."
Work = Callable[[RunsDone], Awaitable[Reply]]


@dataclass(slots=True, eq=False)
class RunningJob:
    """A job at work: the digest of its request, its progress, its task, and its last document."""

    identifier: str
    digest: bytes = b""
    progress: RunsDone = field(default_factory=RunsDone)
    task: asyncio.Task[None] | None = None
    ended: Job | None = None

    def document(self, status: Any = "", location: str | None = None, problem: Problem | None = None) -> Job:
        if self.ended and not status:
            return self.ended
        done, of = self.progress.done, self.progress.of
        return {
            "id": self.identifier,
            "schema": "tower-sim/job",
            "version": 1,
            "status": status or ("running" if of else "queued"),
            "done": of if status == "done" else done,
            "of": of,
            "location": location,
            "problem": problem.document() if problem else None,
        }


class Jobs:
    """The jobs of a service: those at work in memory, the ends of all others in its file.

    `read_body` returns the stored document of an identifier and a kind, or raises Problem.
    """

    def __init__(self, store: Database, once: Once, read_body: Callable[[str, str], bytes]) -> None:
        self._store, self._once, self._body_of = store, once, read_body
        self._at_work: dict[str, RunningJob] = {}
        self._by_key: dict[bytes, RunningJob] = {}

    async def start(self, call: CallIdentity, work: Work) -> tuple[RunningJob, bool]:
        """Return the job, and whether it had begun before with the same key.

        Raises Problem if the key came with another body, and sqlite3.Error.
        """
        before = self._by_key.get(call.scope) if call.key else None
        if before is not None:
            if before.digest != call.digest:
                raise Problem("key.reused", "A job with this key is at work on another body; take a new key.")
            return before, True
        followed = RunningJob(new_id(), call.digest)
        self._at_work[followed.identifier] = followed
        if call.key:
            self._by_key[call.scope] = followed
        try:
            row = json.dumps(followed.document()).encode()
            await self._store.write(answer_row(followed.identifier, KIND, row))
        except BaseException:
            self._forget(followed, call)
            raise
        followed.task = asyncio.create_task(self._follow(followed, call, work))
        return followed, False

    def get(self, identifier: str) -> Job:
        """Raise Problem if there is no job, or if the service ended during its work."""
        if (followed := self._at_work.get(identifier)) is not None:
            return followed.document()
        ended: Job = json.loads(self._body_of(identifier, KIND))
        if ended["status"] not in ("done", "failed", "cancelled"):
            raise Problem("job.lost", _LOST)
        return ended

    def cancel(self, identifier: str) -> None:
        """Raise Problem as `get` does."""
        self.get(identifier)
        followed = self._at_work.get(identifier)
        if followed and followed.task and not followed.ended:
            followed.task.cancel()

    async def _follow(self, followed: RunningJob, call: CallIdentity, work: Work) -> None:
        async def draw() -> Reply:
            answer = await work(followed.progress)
            ended = followed.document("done", answer.location)
            return replace(answer, statements=(*answer.statements, _end_row(ended)))

        try:
            answer, is_again = await self._once.answer(call, draw)
            document = followed.document("done", answer.location)
            if is_again:
                await self._store.write(_end_row(document))
            followed.ended = document
        except asyncio.CancelledError:
            await self._fail(
                followed, Problem("cancelled", "This work was cancelled; ask for it again with a new key.")
            )
        except Exception as error:
            await self._fail(followed, make_problem(error))
        finally:
            self._forget(followed, call)

    async def _fail(self, followed: RunningJob, problem: Problem) -> None:
        status = "cancelled" if problem.code == "cancelled" else "failed"
        document = followed.document(status, problem=problem)
        if problem.code != "stopping":  # the file is being closed; after a restart the job counts as lost
            try:
                await self._store.write(_end_row(document))
            except sqlite3.Error as error:
                make_problem(error)  # prints it on standard error
        followed.ended = document

    def _forget(self, followed: RunningJob, call: CallIdentity) -> None:
        del self._at_work[followed.identifier]
        if call.key:
            del self._by_key[call.scope]


def _end_row(document: Job) -> Statement:
    return "UPDATE answers SET body = ? WHERE hash = ?", (json.dumps(document).encode(), hash_id(document["id"]))
