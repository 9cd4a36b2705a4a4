"""Worker processes that draw long requests, with a queue, a limit, progress and cancellation.

    request -> queue -> the next free process -> progress, then the document or a problem

A process answers one request after the other.
"""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from tower_sim.errors import UsageError
from tower_sim.model import TooManyFailedDraws
from tower_sim.pool import ignore_interrupts, piped
from tower_sim.requests import ChancesRequest, DropRequest, PlayRequest, Request
from tower_sim.service import codes
from tower_sim.service.answers import drawn
from tower_sim.service.http.problems import LATER, Problem, problem_of
from tower_sim.service.opened import Opened

_OFTEN = 0.2  # s between two reports of progress
_Pair = tuple[BaseProcess, Connection]


@dataclass(slots=True)
class RunsDone:
    """The progress of a request: `done` of `of` runs; both are 0 until it begins."""

    done: int = 0
    of: int = 0


class Workers:
    """Up to `number` processes, each started when it is needed; at most `limit` requests wait.

    With several processes, jobs leave one free for requests whose callers wait.
    """

    def __init__(self, number: int, limit: int) -> None:
        self._limit = limit
        self._threads = ThreadPoolExecutor(number, "worker")
        self._any = asyncio.Semaphore(number)
        self._long = asyncio.Semaphore(max(1, number - 1))
        self._idle: list[_Pair] = []
        self._at_work: list[_Pair] = []
        self._is_closed = False
        self.waiting = 0

    @property
    def running(self) -> int:
        """The number of requests that are being drawn."""
        return len(self._at_work)

    def check_room(self) -> None:
        """Check that another request can wait. Raises Problem."""
        if self._is_closed:
            raise Problem("stopping", "The service is stopping; ask again when it is back.")
        if self.waiting >= self._limit:
            raise Problem("busy", f"{self.waiting} requests wait already; ask again later.", headers=LATER)

    async def draw(self, request: Request | ChancesRequest, progress: RunsDone | None = None) -> dict[str, Any]:
        """Return the document that answers a request; a request with `progress` is a job, for which no caller waits.

        To cancel it, cancel the task that awaits it; this kills the process. Raises Problem.
        """
        self.check_room()
        self.waiting += 1
        try:
            async with nullcontext() if progress is None else self._long, self._any:
                self.waiting -= 1
                try:
                    return await self._drawn(request, progress)
                finally:
                    self.waiting += 1
        finally:
            self.waiting -= 1

    async def _drawn(self, request: Request | ChancesRequest, progress: RunsDone | None) -> dict[str, Any]:
        if self._is_closed:
            raise Problem("stopping", "The service is stopping; ask again when it is back.")
        progress = progress or RunsDone()
        progress.of = 1 if isinstance(request, (DropRequest, PlayRequest)) else request.runs
        loop = asyncio.get_running_loop()
        pair = self._idle.pop() if self._idle else piped(_work)
        self._at_work.append(pair)
        try:
            kind, *values = await loop.run_in_executor(self._threads, _conversation, pair[1], request, progress)
        except BaseException:
            pair[0].kill()
            raise
        finally:
            self._at_work.remove(pair)
        if kind == "gone":
            pair[0].kill()
            if self._is_closed:
                raise Problem("stopping", "The service is stopping; ask again when it is back.")
            raise Problem(codes.INTERNAL, "The process that did this work has ended; ask again.")
        self._idle.append(pair)
        if kind == "problem":
            raise Problem(*values)
        return values[0]

    def close(self) -> None:
        """End every process; requests that are being drawn get a problem."""
        self._is_closed = True
        for process, _ in (*self._idle, *self._at_work):
            process.kill()
        self._threads.shutdown()


def _conversation(pipe: Connection, request: Request | ChancesRequest, progress: RunsDone) -> tuple[Any, ...]:
    """Send a request to the process at the other end of a pipe and return its answer, or `gone` if it has ended.

    Runs in a thread, and updates `progress`.
    """
    try:
        pipe.send(request)
        while True:
            kind, *values = pipe.recv()
            if kind != "progress":
                return kind, *values
            progress.done = values[0]
    except (EOFError, OSError):
        return ("gone",)


def _work(pipe: Connection) -> None:
    """Answer requests from a pipe until the service is gone; the main function of a process."""
    ignore_interrupts()
    with Opened() as opened:
        while True:
            try:
                request = pipe.recv()
                pipe.send(_done(request, opened, pipe))
            except (EOFError, OSError):
                return


def _done(request: Request | ChancesRequest, opened: Opened, pipe: Connection) -> tuple[Any, ...]:
    last = 0.0  # so that the first progress is reported at once

    def tell(done: int) -> None:
        nonlocal last
        if (now := time.monotonic()) - last > _OFTEN:
            last = now
            pipe.send(("progress", done))

    try:
        return "document", drawn(request, opened, tell)
    except OSError:
        raise
    except Exception as error:
        if not isinstance(error, (UsageError, TooManyFailedDraws)):
            opened.close()  # a model in which something broke is not asked again
        problem = problem_of(error)
        return "problem", problem.code, problem.detail, problem.path
