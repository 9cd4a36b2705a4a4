"""Work that nobody waits for: asked for with `Prefer: respond-async`, looked at, followed and cancelled by its job."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from tower_sim.service.http.keys import Answered
from tower_sim.service.http.problems import Problem, document
from tower_sim.service.http.workers import Job, Workers

SCHEMA, VERSION = "tower-sim/job", 1
KEPT = 10_000  # jobs that are over and still known
_BEAT = 15.0  # s without an event, after which a comment keeps the connection


@dataclass(slots=True, eq=False)
class Followed:
    """A job under its identifier: its task, the work itself once it is in the queue, and where its answer will be."""

    identifier: str
    location: str
    task: asyncio.Task[Answered] | None = None
    job: Job | None = None
    problem: Problem | None = None
    is_over: bool = False
    moved: asyncio.Event = field(default_factory=asyncio.Event)

    def watch(self, job: Job) -> None:
        """Follow the work from now on."""
        self.job = job

    def document(self) -> dict[str, Any]:
        """Return the document that says how far it is."""
        status = "queued" if self.job is None or not self.job.runs else "running"
        if self.is_over:
            status = "failed" if self.problem else "done"
        done, runs = (self.job.done, self.job.runs) if self.job else (0, 0)
        said: dict[str, Any] = {"id": self.identifier, "schema": SCHEMA, "version": VERSION, "status": status}
        said |= {"done": done, "of": runs, "location": self.location if status == "done" else None}
        return said | {"problem": document(self.problem) if self.problem else None}


class Jobs:
    """The jobs there are, by identifier, in memory: after a restart, only their answers are left."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Followed] = OrderedDict()

    def start(
        self,
        identifier: str,
        location: str,
        work: Callable[[Callable[[Job], None]], Awaitable[Answered]],
        as_problem: Callable[[Exception], Problem],
    ) -> Followed:
        """Begin `work`, which is given what watches its job, and return what follows it."""
        followed = Followed(identifier, location)

        async def whole() -> Answered:
            try:
                return await work(followed.watch)
            except Exception as error:
                followed.problem = as_problem(error)
                raise followed.problem from error
            finally:
                followed.is_over = True
                followed.moved.set()

        followed.task = asyncio.get_running_loop().create_task(whole())
        followed.task.add_done_callback(lambda task: task.cancelled() or task.exception())
        self._known[identifier] = followed
        while len(self._known) > KEPT and next(iter(self._known.values())).is_over:
            self._known.popitem(last=False)
        return followed

    def get(self, identifier: str) -> Followed:
        """Return a job. Raises Problem where there is none."""
        followed = self._known.get(identifier)
        if followed is None:
            raise Problem("not_found", "There is no job with this identifier, or it was of before a restart.")
        return followed

    def cancel(self, identifier: str, workers: Workers) -> None:
        """Cancel a job that is not over. Raises Problem where there is none."""
        followed = self.get(identifier)
        if followed.job is not None and not followed.is_over:
            workers.cancel(followed.job)


async def events(followed: Followed) -> AsyncGenerator[bytes, None]:
    """Yield the server-sent events of a job: `progress`, and at its end `done` or `failed`, each with its document."""
    before: tuple[int, int] | None = None
    while not followed.is_over:
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
        if job is not None and job.result.done() and not followed.is_over:
            await followed.moved.wait()  # only its being stored is left
        if not ready and job is not None:
            yield b": still at work\n\n"
    yield _event("failed" if followed.problem else "done", followed.document())


def _event(name: str, said: dict[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(said)}\n\n".encode()
