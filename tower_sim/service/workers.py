"""Threads that answer requests: the compiled engine runs without Python's lock, so drops run at the same time."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

from tower_sim.requests import AnyRequest, Play, Throw
from tower_sim.requests import request as requests
from tower_sim.service import codes, limits
from tower_sim.service.cache import ModelCache
from tower_sim.service.problems import LATER, Problem, as_json


class Workers:
    """`number` threads, each with its own models; up to `queue` requests wait.

    Runs of many games leave one of several threads free for other requests.
    """

    def __init__(self, number: int, queue: int) -> None:
        self._threads = ThreadPoolExecutor(number, "worker")
        self._most = number + queue
        self._long = asyncio.Semaphore(max(1, number - 1))
        self._own, self._models = threading.local(), list[ModelCache]()
        self._is_closed = False
        self._count = 0

    def check_room(self) -> None:
        """Raise Problem if no request is taken now."""
        if self._is_closed:
            raise stopping()
        if self._count >= self._most:
            raise Problem(codes.BUSY, f"{self._count} requests wait already; ask again later.", headers=LATER)

    async def answer(self, request: AnyRequest) -> bytes:
        """Return the document that answers a request. Raises Problem and TooManyFailedDraws."""
        self.check_room()
        self._count += 1
        try:
            async with self._long if isinstance(request, Play) and request.games else nullcontext():
                return await asyncio.get_running_loop().run_in_executor(self._threads, self._answer, request)
        finally:
            self._count -= 1

    async def warm_up(self) -> None:
        """Load the physics."""
        await self.answer(Throw.of(cubes={"blue": 1}, knock=1.0, seed=0))

    def close(self) -> None:
        """Refuse what comes, and end what is under way: a model that is closed ends its drop."""
        self._is_closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for models in self._models:
            models.close()

    def _answer(self, request: AnyRequest) -> bytes:
        limits.check(request, shared=True)
        models: ModelCache | None = getattr(self._own, "models", None)
        if models is None:
            models = self._own.models = ModelCache()
            self._models.append(models)
        try:
            return as_json(requests.answer(request, *models.get(request), self._go_on))
        except Exception as error:
            if codes.describe(error)[0] == codes.INTERNAL:
                models.close()  # a model in which something broke is not asked again
            raise

    def _go_on(self, done: int) -> None:
        if self._is_closed:
            raise stopping()


def stopping() -> Problem:
    """Return the problem that a service has which ends."""
    return Problem(codes.STOPPING, "The service is stopping; send the same again, to any server.", headers=LATER)
