"""Pools of workers: threads, or processes that ignore Ctrl-C, which only the process that started them receives."""

from __future__ import annotations

import importlib
import multiprocessing as mp
import os
import re
import shlex
import shutil
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from importlib import metadata
from multiprocessing.resource_tracker import ensure_running
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

from tower_sim.errors import UsageError, check_whole

MOST_WORKERS = 512  # more than this are a typing error, not a machine
_ON_WINDOWS = 60  # the most processes that Windows can wait for
Task = TypeVar("Task")
Result = TypeVar("Result")


def check_workers(workers: object) -> int:
    """Check a number of workers."""
    return check_whole("workers", workers, 1, MOST_WORKERS)


@contextmanager
def without_interrupts() -> Generator[None, None, None]:
    """Block SIGINT, so that processes started in the block never receive Ctrl-C; Windows cannot."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    ensure_running()  # a helper of multiprocessing; starting it later would let interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def without_main() -> Generator[None, None, None]:
    """Hide the script that runs from processes started in the block, which need nothing of it.

    They would run it again: standard input cannot be, and a script without `if __name__ == "__main__"` starts others.
    """
    main: dict[str, Any] = vars(sys.modules["__main__"])
    before = {name: main[name] for name in ("__spec__", "__file__") if name in main}
    main.update(dict.fromkeys(before))
    try:
        yield
    finally:
        main.update(before)


def ignore_interrupts() -> None:
    """Make this process ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _begin() -> None:
    ignore_interrupts()
    Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    client = mp.parent_process()
    assert client
    client.join()
    os._exit(1)


class Processes(ProcessPoolExecutor):
    """An executor of processes that ignore Ctrl-C, and that end with the process that started them."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Start a process where one is missing, and hand the call to the next one that is free."""
        with without_interrupts(), without_main():
            return super().submit(fn, *args, **kwargs)


@contextmanager
def processes(workers: int) -> Generator[Processes, None, None]:
    """Provide `workers` processes for the block, after which what still runs is ended.

    If one dies, the results that are due raise BrokenExecutor.
    """
    workers = check_workers(workers)
    number = min(workers, _ON_WINDOWS) if sys.platform == "win32" else workers
    pool = Processes(number, mp.get_context("spawn"), _begin)
    try:
        yield pool
    finally:
        with without_interrupts():  # a second Ctrl-C waits until all is put away
            for process in [*(pool._processes or {}).values()]:  # as terminate_workers does from Python 3.14 on
                process.terminate()
            pool.shutdown(cancel_futures=True)


def in_threads(
    work: Callable[[Task], Result], tasks: Iterable[Task], workers: int | None = None
) -> Generator[Result, None, None]:
    """Yield the result of `work` for each of `tasks`, in order, from up to `workers` threads (None: one for each core).

    After an error or an interrupt no task begins any more; those that began are not waited for.
    """
    workers = (os.cpu_count() or 1) if workers is None else check_workers(workers)
    crew = ThreadPoolExecutor(workers)
    futures: deque[Future[Result]] = deque()
    try:
        for task in tasks:
            futures.append(crew.submit(work, task))
            if len(futures) > 2 * workers:
                yield futures.popleft().result()
        while futures:
            yield futures.popleft().result()
    finally:
        crew.shutdown(wait=False, cancel_futures=True)


_NAME = re.compile(r"([A-Za-z0-9_.-]+)(?:\[([\w,-]+)\])?")


def extra(module: str, name: str) -> Any:
    """Import and return `module`; if it is missing, the error says how to install the extra `name`."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise UsageError(
            f"{module} is not installed ({error}); allowed is a Python that has what the extra {name!r} needs; "
            f"try: {pip_install(*packages(name))}"
        ) from None


def need(name: str, *modules: str) -> list[Any]:
    """Import and return `modules` of the extra `name`, before any work is done that needs them."""
    return [extra(module, name) for module in modules]


def pip_install(*names: str) -> str:
    """Return the shell command that installs packages into the running Python."""
    python = shutil.which("python")
    is_this = python is not None and Path(python).parent == Path(sys.executable).parent
    return f"{'python' if is_this else shlex.quote(sys.executable)} -m pip install {' '.join(names)}"


def packages(name: str) -> tuple[str, ...]:
    """Return the packages of the extra `name` and of extras within it, in order."""
    names: list[str] = []
    for line in metadata.requires("tower_sim") or []:
        marker, match = re.search(r"extra == ['\"](.+?)['\"]", line), _NAME.match(line)
        if marker and marker[1] == name and match:
            package, inner = match[1], filter(None, (match[2] or "").split(","))
            is_own = package.replace("-", "_").lower() == "tower_sim"
            names += [each for part in inner for each in packages(part)] if is_own else [package]
    return tuple(dict.fromkeys(names))
