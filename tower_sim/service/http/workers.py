"""Worker processes that draw what takes long, with a queue, a limit, progress and cancellation.

    request -> queue -> the next free process -> progress, then the document or a problem

A process is free once it has thrown cubes by physics. They start one after the other: the first compiles for all.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from tower_sim import requests
from tower_sim.requests import AnyRequest, Odds, Throw
from tower_sim.service import codes
from tower_sim.service.cache import ModelCache
from tower_sim.service.http.problems import LATER, Problem, make_problem
from tower_sim.tools.pool import ignore_interrupts, start_process
from tower_sim.tools.terminal import warn

_OFTEN = 0.2  # s between two reports of progress
_AGAIN = 5.0  # s until a process that could not start is started again
_Pair = tuple[BaseProcess, Connection]


@dataclass(slots=True)
class RunsDone:
    """The progress of a request; both are 0 until it begins."""

    done: int = 0
    of: int = 0


class Workers:
    """`number` processes; at most `limit` requests wait. Jobs leave one of several processes free for other
    requests.
    """

    def __init__(self, number: int, limit: int) -> None:
        self._number, self._limit = number, limit
        self._threads = ThreadPoolExecutor(number + 1, "worker")
        self._free = asyncio.Semaphore(0)
        self._long = asyncio.Semaphore(max(1, number - 1))
        self._idle: list[_Pair] = []
        self._at_work: list[_Pair] = []
        self._begun: set[asyncio.Task[None]] = set()
        self._is_closed = False
        self.is_ready = False
        self.waiting = self.running = 0

    def begin(self, number: int = 0) -> None:
        """Start `number` processes (0: all) in the background."""
        task = asyncio.create_task(self._begin(number or self._number))
        self._begun.add(task)
        task.add_done_callback(self._begun.discard)

    async def _begin(self, number: int) -> None:
        while number and not self._is_closed:
            pair = start_process(_work)
            self._at_work.append(pair)
            kind, *_ = await self._ask(pair, _receive)
            self._at_work.remove(pair)
            if kind == "gone" and self._is_closed:
                return
            if kind == "gone":
                warn("a worker process has ended while it loaded the physics; another is started")
                await asyncio.sleep(_AGAIN)
                continue
            self._idle.append(pair)
            self._free.release()
            self.is_ready = True
            number -= 1

    def check_room(self) -> None:
        if self._is_closed:
            raise Problem("stopping", "The service is stopping; ask again when it is back.")
        if self.waiting >= self._limit:
            raise Problem("busy", f"{self.waiting} requests wait already; ask again later.", headers=LATER)

    async def draw(self, request: AnyRequest, progress: RunsDone | None = None) -> Mapping[str, Any]:
        """Return the document that answers a request; with `progress` it is a job. Cancelling kills the process.

        Raises Problem.
        """
        self.check_room()
        self.waiting += 1
        is_waiting = True
        try:
            async with nullcontext() if progress is None else self._long:
                await self._free.acquire()
                self.waiting, self.running, is_waiting = self.waiting - 1, self.running + 1, False
                return await self._draw(self._idle.pop(), request, progress or RunsDone())
        finally:
            if is_waiting:
                self.waiting -= 1
            else:
                self.running -= 1

    async def _draw(self, pair: _Pair, request: AnyRequest, progress: RunsDone) -> Mapping[str, Any]:
        progress.of = getattr(request, "games", 1) or 1
        if isinstance(request, Odds):
            progress.of = request.times * len(request.throws)
        self._at_work.append(pair)
        kind, values = "gone", list[Any]()
        try:
            kind, *values = await self._ask(pair, _converse, request, progress)
        finally:
            self._at_work.remove(pair)
            if kind == "gone":
                pair[0].kill()
                self.begin(1)
            else:
                self._idle.append(pair)
                self._free.release()
        if kind == "gone":
            if self._is_closed:
                self.check_room()
            raise Problem(codes.INTERNAL, "The process that did this work has ended; ask again.")
        if kind == "problem":
            raise Problem(*values)
        return values[0]

    async def _ask(self, pair: _Pair, talk: Any, *more: Any) -> tuple[Any, ...]:
        return await asyncio.get_running_loop().run_in_executor(self._threads, talk, pair[1], *more)

    def close(self) -> None:
        self._is_closed = True
        for process, _ in (*self._idle, *self._at_work):
            process.kill()
        for task in self._begun:
            task.cancel()
        self._threads.shutdown()


def _receive(pipe: Connection) -> tuple[Any, ...]:
    try:
        return pipe.recv()
    except (EOFError, OSError):
        return ("gone",)


def _converse(pipe: Connection, request: AnyRequest, progress: RunsDone) -> tuple[Any, ...]:
    try:
        pipe.send(request)
    except OSError:
        return ("gone",)
    while (message := _receive(pipe))[0] == "progress":
        progress.done = message[1]
    return message


def _work(pipe: Connection) -> None:
    ignore_interrupts()
    with ModelCache() as models:
        try:
            pipe.send(_answer(Throw.of(cubes={"blue": 1}, knock=1.0, seed=0), models, pipe))
            while True:
                pipe.send(_answer(pipe.recv(), models, pipe))
        except (EOFError, OSError):
            return


def _answer(request: AnyRequest, models: ModelCache, pipe: Connection) -> tuple[Any, ...]:
    last = 0.0  # so that the first progress is reported at once

    def tell(done: int) -> None:
        nonlocal last
        if (now := time.monotonic()) - last > _OFTEN:
            last = now
            pipe.send(("progress", done))

    try:
        return "document", requests.answer(request, *models.get(request), tell)
    except OSError:
        raise
    except Exception as error:
        problem = make_problem(error)
        if problem.code == codes.INTERNAL:
            models.close()  # a model in which something broke is not asked again
        return "problem", problem.code, problem.detail, problem.path
