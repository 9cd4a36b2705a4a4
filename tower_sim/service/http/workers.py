"""Processes that draw what takes long: a fair queue, a limit, a cancel.

job -> queue of its caller -> the next free process, callers in turn -> progress, then the document or a problem
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from tower_sim.errors import UsageError
from tower_sim.model import TooManyFailedDraws
from tower_sim.pool import ignore_interrupts, piped
from tower_sim.service import codes
from tower_sim.service.http import drawing
from tower_sim.service.http.problems import Problem, of_usage
from tower_sim.service.opened import Opened
from tower_sim.terminal import one_line, warn

_OFTEN = 0.2  # s between two words of progress
ADVICE = "throw fewer cubes or change the apparatus"


@dataclass(slots=True, eq=False)
class Job:
    """One piece of work of a caller, `owner`: the fields of a request `do`, and how far it is: `done` of `runs`."""

    owner: bytes
    do: str
    fields: dict[str, Any]
    loop: asyncio.AbstractEventLoop
    result: asyncio.Future[dict[str, Any]]
    is_long: bool = False
    done: int = 0
    runs: int = 0
    is_cancelled: bool = False
    moved: asyncio.Event = field(default_factory=asyncio.Event)

    def settle(self, document: dict[str, Any] | None, problem: Problem | None) -> None:
        """Give the result to whoever waits; from any thread."""

        def give() -> None:
            self.moved.set()
            if self.result.done():
                return
            if problem is not None:
                self.result.set_exception(problem)
            else:
                self.result.set_result(document or {})

        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(give)

    def advance(self, done: int, runs: int) -> None:
        """Note the progress; from any thread."""
        self.done, self.runs = done, runs
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.moved.set)


class Workers:
    """So many processes, each started when there is work for it, and at most `limit` jobs that wait."""

    def __init__(self, number: int, limit: int) -> None:
        self._limit = limit
        self._number = number
        self._changed = threading.Condition()
        self._queues: OrderedDict[bytes, deque[Job]] = OrderedDict()
        self._waiting = 0
        self._idle = 0
        self._long = 0
        self._at_work: dict[Job, BaseProcess] = {}
        self._threads: list[threading.Thread] = []
        self._is_closed = False

    @property
    def waiting(self) -> int:
        """How many jobs wait."""
        return self._waiting

    @property
    def running(self) -> int:
        """How many jobs are at work."""
        return len(self._at_work)

    def submit(self, owner: bytes, do: str, fields: dict[str, Any], *, is_long: bool = False) -> Job:
        """Put a job into the queue of its owner, one that nobody waits for (`is_long`) into another.

        Raises Problem when too many wait.
        """
        loop = asyncio.get_running_loop()
        job = Job(owner + b" later" * is_long, do, fields, loop, loop.create_future(), is_long)
        with self._changed:
            if self._is_closed:
                raise Problem("stopping", "The service is stopping; ask again when it is back.")
            if self._waiting >= self._limit:
                raise Problem(
                    "busy", f"{self._waiting} requests wait already; ask later.", headers={"Retry-After": "5"}
                )
            self._queues.setdefault(job.owner, deque()).append(job)
            self._waiting += 1
            if self._waiting > self._idle and len(self._threads) < self._number:
                thread = threading.Thread(target=self._serve, name="worker", daemon=True)
                self._threads.append(thread)
                thread.start()
            self._changed.notify()
        return job

    def cancel(self, job: Job) -> None:
        """Take a job out of its queue, or end the process that does it; a new one takes that one's place."""
        with self._changed:
            job.is_cancelled = True
            queue = self._queues.get(job.owner)
            if queue and job in queue:
                queue.remove(job)
                self._waiting -= 1
                if not queue:
                    del self._queues[job.owner]
            if (process := self._at_work.get(job)) is not None:
                process.kill()
        job.settle(None, Problem("cancelled", "This work was cancelled; ask for it again with a new key."))

    def close(self) -> None:
        """End every process; what waits and what is at work gets a problem."""
        stopping = Problem("stopping", "The service is stopping; ask again when it is back.")
        with self._changed:
            self._is_closed = True
            left = [job for queue in self._queues.values() for job in queue] + list(self._at_work)
            self._queues.clear()
            self._waiting = 0
            for process in self._at_work.values():
                process.kill()
            self._changed.notify_all()
        for job in left:
            job.settle(None, stopping)
        for thread in self._threads:
            thread.join(10)

    def _next(self) -> Job | None:
        """Wait for a job: the first of the caller whose turn it is, who then goes to the end of the row."""
        with self._changed:
            self._idle += 1
            while (turn := self._turn()) is None and not self._is_closed:
                self._changed.wait()
            self._idle -= 1
            if self._is_closed or turn is None:
                return None
            queue = self._queues.pop(turn)
            job = queue.popleft()
            if queue:
                self._queues[turn] = queue
            self._waiting -= 1
            self._long += job.is_long
            return job

    def _turn(self) -> bytes | None:
        """Return whose turn it is. Where there are several processes, one is kept for work that somebody waits for."""
        can_be_long = self._long < max(1, self._number - 1)
        return next((owner for owner, jobs in self._queues.items() if can_be_long or not jobs[0].is_long), None)

    def _serve(self) -> None:
        process, pipe = piped(_work)
        while (job := self._next()) is not None:
            with self._changed:
                if job.is_cancelled or self._is_closed:
                    self._long -= job.is_long
                    continue
                self._at_work[job] = process
            problem = _done_by(pipe, job)
            with self._changed:
                del self._at_work[job]
                self._long -= job.is_long
                self._changed.notify_all()
            if problem is not None:
                process.kill()
                process.join()
                pipe.close()
                job.settle(None, problem)
                if not self._is_closed:
                    process, pipe = piped(_work)
        pipe.close()
        process.kill()
        process.join()


def _done_by(pipe: Connection, job: Job) -> Problem | None:
    """Have the process at the other end do a job; returns a problem when that process is gone."""
    try:
        pipe.send((job.do, job.fields))
        while True:
            kind, *values = pipe.recv()
            if kind == "progress":
                job.advance(*values)
            elif kind == "document":
                job.settle(values[0], None)
                return None
            else:
                job.settle(None, Problem(*values))
                return None
    except (EOFError, OSError):
        if job.is_cancelled:
            return Problem("cancelled", "This work was cancelled; ask for it again with a new key.")
        return Problem(codes.INTERNAL, "The process that did this work has ended; ask again.")


def _work(pipe: Connection) -> None:
    """Do one job after the other until the service is gone."""
    ignore_interrupts()
    with Opened() as opened:
        while True:
            try:
                do, fields = pipe.recv()
                pipe.send(_done(do, fields, opened, pipe))
            except (EOFError, OSError):
                return


def _done(do: str, fields: dict[str, Any], opened: Opened, pipe: Connection) -> tuple[Any, ...]:
    told = 0.0  # the first word of progress is told at once

    def tell(done: int, runs: int) -> None:
        nonlocal told
        if (now := time.monotonic()) - told > _OFTEN:
            told = now
            pipe.send(("progress", done, runs))

    try:
        return "document", drawing.work(do, fields, opened, tell)
    except UsageError as error:
        problem = of_usage(error)
        return "problem", problem.code, problem.detail, problem.path
    except TooManyFailedDraws as error:
        return "problem", codes.NO_LANDING, f"{error}; {ADVICE}", ""
    except OSError:
        raise
    except Exception as error:
        opened.close()  # a model in which something broke is not asked again
        text = one_line(f"internal error: {type(error).__name__}: {error}", 400, 200)
        warn(text)
        return "problem", codes.INTERNAL, text, ""
