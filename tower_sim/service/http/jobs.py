"""Work that nobody waits for: asked for with `Prefer: respond-async`, looked at, followed and cancelled by its job.

What a job does is in memory. That it was begun, and how it ended, is in the file beside the answers: so a job that was
at work when the service ended is known to be lost, and the end of any other is told also after a restart.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tower_sim.service.http.keys import Answered, KeyedCall
from tower_sim.service.http.problems import Problem, document
from tower_sim.service.http.store import Statement, answer_row, hashed, new_id, sealed
from tower_sim.service.http.workers import Job

if TYPE_CHECKING:
    from tower_sim.service.http.service import Service

SCHEMA, VERSION = "tower-sim/job", 1
KIND = "job"
_BEAT = 15.0  # s without an event, after which a comment keeps the connection
_LOST = "The service ended while this was being done; send the same again, with the same Idempotency-Key if it had one."


@dataclass(slots=True, eq=False)
class Followed:
    """A job under its identifier: the work itself once it is in the queue, and the document that it ended with."""

    identifier: str
    digest: bytes = b""
    job: Job | None = None
    ended: dict[str, Any] | None = None
    moved: asyncio.Event = field(default_factory=asyncio.Event)

    def watch(self, job: Job) -> None:
        """Follow the work from now on."""
        self.job = job

    def document(self) -> dict[str, Any]:
        """Return the document that says how far it is."""
        return self.ended or self.said("running" if self.job is not None and self.job.runs else "queued")

    def said(self, status: str, location: str | None = None, problem: Problem | None = None) -> dict[str, Any]:
        """Return the document of a `status`: `done` has the location of the answer, `failed` a problem."""
        done, runs = (self.job.done, self.job.runs) if self.job else (0, 0)
        said: dict[str, Any] = {"id": self.identifier, "schema": SCHEMA, "version": VERSION, "status": status}
        said |= {"done": runs if status == "done" else done, "of": runs, "location": location}
        return said | {"problem": document(problem) if problem else None}

    def end(self, said: dict[str, Any]) -> None:
        """Tell everyone who follows that it is over."""
        self.ended = said
        self.moved.set()


class Jobs:
    """The jobs of a service: those at work, and in its file how the others ended."""

    def __init__(self, service: Service, as_problem: Callable[[Exception], Problem]) -> None:
        self._service = service
        self._as_problem = as_problem
        self._at_work: dict[str, Followed] = {}
        self._by_key: dict[bytes, Followed] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(
        self, asked: KeyedCall, work: Callable[[Callable[[Job], None]], Awaitable[Answered]]
    ) -> tuple[Followed, bool]:
        """Begin `work`, which is given what watches its job; return what follows it, and whether it was begun before.

        What is sent again with its key while it is being done is the same job.
        Raises Problem for the key of another body, sqlite3.Error where it cannot be noted.
        """
        before = self._by_key.get(asked.scope) if asked.key else None
        if before is not None:
            if before.digest != asked.digest:
                raise Problem("key.reused", "A job with this key is at work on another body; take a new key.")
            return before, True
        followed = Followed(new_id(), asked.digest)
        self._at_work[followed.identifier] = followed
        if asked.key:
            self._by_key[asked.scope] = followed
        begun = answer_row(followed.identifier, KIND, json.dumps(followed.document()).encode())
        try:
            await self._service.store.write(begun)
        except BaseException:
            self._forget(followed, asked)
            raise
        task = asyncio.get_running_loop().create_task(self._whole(followed, asked, work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return followed, False

    def get(self, identifier: str) -> Followed:
        """Return a job. Raises Problem where there is none, and where it was at work when the service ended."""
        if (followed := self._at_work.get(identifier)) is not None:
            return followed
        ended = json.loads(self._service.body_of(identifier, KIND))
        if ended["status"] not in ("done", "failed"):
            raise Problem("job.lost", _LOST)
        return Followed(identifier, ended=ended)

    def cancel(self, identifier: str) -> None:
        """Cancel a job that is not over. Raises Problem as `get`."""
        followed = self.get(identifier)
        if followed.job is not None and followed.ended is None:
            self._service.workers.cancel(followed.job)

    async def _whole(
        self,
        followed: Followed,
        asked: KeyedCall,
        work: Callable[[Callable[[Job], None]], Awaitable[Answered]],
    ) -> None:
        async def drawn() -> Answered:
            answered = await work(followed.watch)
            ended = _ended(followed, followed.said("done", answered.location))
            return replace(answered, statements=(*answered.statements, ended))

        try:
            answered, is_again = await self._service.once.answer(asked, drawn)
            said = followed.said("done", answered.location)
            if is_again:
                await self._service.store.write(_ended(followed, said))
            followed.end(said)
        except Exception as error:
            await self._fail(followed, self._as_problem(error))
        finally:
            self._forget(followed, asked)

    async def _fail(self, followed: Followed, problem: Problem) -> None:
        said = followed.said("failed", problem=problem)
        followed.end(said)
        if problem.code != "stopping":  # the file is being closed, and the job will be found lost
            try:
                await self._service.store.write(_ended(followed, said))
            except sqlite3.Error as error:
                self._as_problem(error)  # told on standard error

    def _forget(self, followed: Followed, asked: KeyedCall) -> None:
        del self._at_work[followed.identifier]
        if asked.key:
            del self._by_key[asked.scope]


def _ended(followed: Followed, said: dict[str, Any]) -> Statement:
    name, body = hashed(followed.identifier), json.dumps(said).encode()
    return "UPDATE answers SET body = ?, seal = ? WHERE hash = ?", (body, sealed(name, body), name)


async def events(followed: Followed) -> AsyncGenerator[bytes, None]:
    """Yield the server-sent events of a job: `progress`, and at its end `done` or `failed`, each with its document."""
    before: tuple[int, int] | None = None
    while followed.ended is None:
        job = followed.job
        now = (job.done, job.runs) if job else (0, 0)
        if now != before:
            before = now
            yield _event("progress", followed.document())
        waits = [asyncio.ensure_future(followed.moved.wait())]
        if job is not None:
            job.moved.clear()
            waits.append(asyncio.ensure_future(job.moved.wait()))
        ready, left = await asyncio.wait(waits, timeout=_BEAT if job else 0.2, return_when=asyncio.FIRST_COMPLETED)
        for each in left:
            each.cancel()
        if job is not None and job.result.done() and followed.ended is None:
            await followed.moved.wait()  # only its being stored is left
        if not ready and job is not None:
            yield b": still at work\n\n"
    yield _event(followed.ended["status"], followed.ended)


def _event(name: str, said: dict[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(said)}\n\n".encode()
