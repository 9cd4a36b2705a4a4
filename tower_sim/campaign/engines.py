"""Who does the work: this process, or several. An engine yields a report for each shard, as it comes."""

from __future__ import annotations

import traceback
from collections import Counter, deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from tower_sim.campaign.spec import Spec
from tower_sim.campaign.work import Shard, run_shard
from tower_sim.pool import ignore_interrupts, piped

MAX_DEATHS = 3  # of workers at the same shard, which has then failed
_MAX_DEATHS_IN_A_ROW = 10


class WorkersLost(RuntimeError):
    """There is nobody left to do the work; what was finished is kept."""


@dataclass(frozen=True, slots=True)
class Report:
    """What became of a shard: its result, or why there is none; `again`: its worker died, and it will be done again."""

    index: int
    shard: Shard | None = None
    error: str = ""
    again: bool = False


Reports = Generator[Report, None, None]


def serial(spec: Spec, indices: Sequence[int]) -> Reports:
    """Do the shards one after the other in this process."""
    for index in indices:
        yield attempt(spec, index)


def attempt(spec: Spec, index: int) -> Report:
    """Do a shard and report; an exception is the shard's failure, not ours."""
    try:
        return Report(index, run_shard(spec, index))
    except Exception as error:
        return Report(index, error=reason(error))


def reason(error: BaseException) -> str:
    """Say in one line what was raised, and where."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {frames[-1].name}, line {frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())}{where}"


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    index: int


def processes(spec: Spec, indices: Sequence[int], workers: int) -> Reports:
    """Do the shards in that many processes; each has one shard at a time. Closing the iterator ends them."""
    todo = deque(indices)
    deaths: Counter[int] = Counter()
    in_a_row = 0
    crew: dict[Connection, _Worker] = {}
    try:
        while todo or crew:
            while todo and len(crew) < workers:
                index = todo.popleft()
                process, ours = piped(_work, spec.canonical, index)
                crew[ours] = _Worker(process, index)
            for connection in wait(list(crew)):
                assert isinstance(connection, Connection)
                index = crew[connection].index
                report = _received(connection)
                if report is None:
                    _dismiss(connection, crew.pop(connection))
                    deaths[index] += 1
                    in_a_row += 1
                    again = deaths[index] < MAX_DEATHS
                    if again:
                        todo.appendleft(index)
                    yield Report(index, error="its worker died", again=again)
                    if in_a_row == _MAX_DEATHS_IN_A_ROW:
                        raise WorkersLost(
                            f"{in_a_row} workers in a row died (out of memory, or they cannot start?); finished shards "
                            "are kept; try --workers 1"
                        )
                    continue
                in_a_row = 0
                if not (todo and _given(connection, crew[connection], todo)):
                    _dismiss(connection, crew.pop(connection))
                yield report
    finally:
        for connection, worker in crew.items():
            worker.process.terminate()
            _dismiss(connection, worker)


def _given(connection: Connection, worker: _Worker, todo: deque[int]) -> bool:
    """Give an idle worker the next shard; False when it has died meanwhile."""
    try:
        connection.send(todo[0])
    except OSError:
        return False
    worker.index = todo.popleft()
    return True


def _received(connection: Connection) -> Report | None:
    """Return a worker's report; None when it has died."""
    try:
        return connection.recv()
    except (EOFError, OSError):
        return None


def _dismiss(connection: Connection, worker: _Worker) -> None:
    connection.close()
    worker.process.join(5)
    if worker.process.is_alive():
        worker.process.kill()
        worker.process.join()


def _work(connection: Connection, spec_text: str, index: int) -> None:
    """Be a worker: do shard `index`, then those that come, until the client hangs up or dies."""
    ignore_interrupts()
    spec = Spec.from_canonical(spec_text)
    while True:
        report = attempt(spec, index)
        try:
            connection.send(report)
            index = connection.recv()
        except (EOFError, OSError):
            return
