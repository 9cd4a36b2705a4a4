"""Run a campaign: play the missing shards on an executor, and write them in the client process."""

from __future__ import annotations

import logging
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO
from itertools import groupby
from pathlib import Path
from typing import Any

from tower_sim.campaign.spec import Spec, load
from tower_sim.campaign.store import MANIFEST, Store, difference, environment, make_head
from tower_sim.campaign.tables import Shard, run_shard
from tower_sim.campaign.vary import SAMPLED
from tower_sim.errors import UsageError
from tower_sim.results import FEWEST
from tower_sim.tools import (
    Telling,
    WritingFailed,
    as_path,
    check_workers,
    count_noun,
    need,
    processes,
    report_progress,
    terminable,
    warn,
    without_interrupts,
    without_main,
)

LOCAL = "local"
MAX_DEATHS = 3  # deaths of workers in a row without a finished shard
_CONNECT = 10  # seconds for a scheduler
_WAIT = 30  # seconds for its first worker
_TICK = 1.0  # seconds between two reports of progress: a shard may take minutes


Where = tuple[Executor, Callable[[], int]]
"""An executor that plays shards, and a function that returns how many shards may be in flight."""


class WorkersLost(RuntimeError):
    """Raised when no worker is left; finished shards are kept."""


@dataclass
class Summary:
    """The result of a run."""

    finished: list[int] = field(default_factory=list[int])
    failed: dict[int, Exception] = field(default_factory=dict[int, Exception])
    interrupted: bool = False


class _Here(Executor):
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def run(spec: Spec, directory: str | Path, workers: int = 1, dask: str = "", tell: Telling | None = None) -> Summary:
    r"""Play each shard that is missing or damaged in a directory.

    SIGINT and SIGTERM end the run; finished shards are kept.

    Args:
        spec: The campaign. With one design point it may have more runs than the directory.
        directory: The dataset, which is made if it is missing.
        workers: The number of processes.
        dask: A scheduler's address, or `local` for a new cluster.
        tell: The progress line.

    Returns:
        The shards finished and failed.

    Raises:
        WritingFailed: The disk is full or fails.
        WorkersLost: All workers are lost.

    >>> from tempfile import TemporaryDirectory
    >>> from tower_sim.campaign import parse
    >>> spec = parse('[campaign]\ngame = "amerigo"\nmodel = "surrogate"\nseed = "7"\ngames = 2\nshard = 1')
    >>> with TemporaryDirectory() as folder:
    ...     run(spec, f"{folder}/data").finished
    [0, 1]
    """
    need("campaign", "pyarrow", "sqlite3")
    need("dask", *(["distributed"] if dask else []))
    directory, workers = as_path("directory", directory), check_workers(workers)
    head = make_head(spec)
    if not dask and not (directory / MANIFEST).exists():
        with spec.point(0).open_model():  # a model that is not available raises before anything is written
            pass
    summary = Summary()
    with Store.open(directory, head, spec) as store, terminable():
        with report_progress("shards looked at", spec.shards) as look:
            to_do: list[int] = []
            for index in range(spec.shards):
                to_do += [index] if store.problems(index) else []
                look(index + 1)
        tell = tell or Telling("", None, StringIO(), time.monotonic)
        tell.begin(min(len(to_do) * spec.shard, spec.total), once=workers * spec.shard)
        try:
            _play_all(store, to_do, workers, dask, summary, tell)
        except KeyboardInterrupt:
            summary.interrupted = True
        if not summary.failed and not summary.interrupted:
            store.rewrite([store.lines[index] for index in sorted(store.lines)])
    return summary


def _play_all(store: Store, to_do: list[int], workers: int, dask: str, summary: Summary, tell: Telling) -> None:
    suspects: set[int] = set()
    deaths = finished = 0
    while left := sorted({*to_do} - {*summary.finished, *summary.failed}):
        alone = [index for index in left if index in suspects][:1]
        flying: dict[Future[Any], int] = {}
        try:
            with _on_dask(dask, workers) if dask else _on_processes(workers) as where:
                _play(store, deque(alone or left), where, flying, summary, tell)
        except BrokenExecutor as error:
            deaths, finished = deaths + 1 if finished == len(summary.finished) else 1, len(summary.finished)
            if deaths == MAX_DEATHS:
                raise WorkersLost(
                    f"{deaths} times in a row a worker died (out of memory, or it cannot start?); finished shards are "
                    "kept; try --workers 1"
                ) from error
            suspects |= set(flying.values())
            summary.failed |= {index: RuntimeError("its worker died") for index in alone}
            tell.note("a worker died; its shard is played again")


def _play(
    store: Store, todo: deque[int], where: Where, flying: dict[Future[Any], int], summary: Summary, tell: Telling
) -> None:
    (executor, room), expected = where, environment()
    done = sum(len(store.spec.runs_of(index)) for index in summary.finished)
    while todo or flying:
        while todo and len(flying) < room():
            flying[executor.submit(_attempt, store.spec, todo[0], expected)] = todo[0]
            todo.popleft()
        for future in wait(flying, _TICK, FIRST_COMPLETED).done:
            result = future.result()
            index = flying.pop(future)
            if isinstance(result, Shard):
                store.put(result)
                summary.finished.append(index)
                done += len(store.spec.runs_of(index))
            else:
                summary.failed[index] = result
                tell.note(f"shard {index}: {result}")
        tell(done)


def _attempt(spec: Spec, index: int, expected: dict[str, str]) -> Shard | Exception:
    if differs := difference(expected, environment()):
        raise UsageError(f"a worker has {differs}; allowed is what the client has; install the same there")
    try:
        return run_shard(spec, index)
    except UsageError as error:
        return error
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        text = " ".join(str(error).split())
        return RuntimeError(f"{type(error).__name__}: {text} at {frame.name}, line {frame.lineno}")


@contextmanager
def _on_processes(workers: int) -> Generator[Where]:
    if workers == 1:
        yield _Here(), lambda: 1
        return
    with processes(workers) as pool:
        yield pool, lambda: 2 * workers


@contextmanager
def _on_dask(address: str, workers: int) -> Generator[Where]:
    (dask,) = need("dask", "distributed")
    cluster: Any = None
    try:
        if address == LOCAL:
            with without_interrupts(), without_main():
                cluster = dask.LocalCluster(
                    n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.ERROR
                )
        client = dask.Client(cluster or address, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        allowed = "'local' or an address such as tcp://127.0.0.1:8786"
        raise UsageError(f"--dask {address!r}: no scheduler there ({error}); allowed is {allowed}") from error
    try:
        try:
            client.wait_for_workers(1, timeout=_WAIT)
        except TimeoutError as error:
            raise UsageError(f"--dask {address!r}: no worker came in {_WAIT} s; start some: dask worker ...") from error
        yield client.get_executor(pure=False), lambda: 2 * max(1, sum(client.nthreads().values()))
    except (CancelledError, dask.scheduler.KilledWorker, OSError) as error:
        text = f"the Dask scheduler or its workers are lost ({type(error).__name__})"
        raise WorkersLost(f"{text}; finished shards are kept; run the same again") from error
    finally:
        client.close()
        if cluster is not None:
            cluster.close()


def campaign_run(spec_path: str | Path, out: str | Path, workers: int = 1, dask: str = "") -> int:
    """Run a campaign file, print the result and return the exit status."""
    spec = load(spec_path)
    if few := _few_runs(spec):
        warn(few)
    workers = check_workers(workers)
    with_whom = (f" --workers {workers}" if workers > 1 else "") + (f" --dask {dask}" if dask else "")
    again = f"tower-sim campaign run {spec_path} -o {out}{with_whom}"
    try:
        with report_progress(spec.game.runs) as tell:
            summary = run(spec, out, workers, dask, tell)
    except (WritingFailed, WorkersLost) as error:
        warn(str(error) if "are kept" in str(error) else f"{error}; finished shards are kept")
        return 1
    failed = sorted(summary.failed.items())
    mistake = next((error for _, error in failed if isinstance(error, UsageError)), None)
    if mistake and not summary.interrupted:  # a mistake in the game's code, not in this program
        print(campaign_status(out))
        raise UsageError(f"{mistake} ({len(failed)} of {spec.shards} shards failed, the others are kept)")
    for index, error in failed:
        warn(f"shard {index} failed: {error}")
    if summary.interrupted:
        warn(f"interrupted; finished shards are kept; to go on: {again}")
    elif failed:
        warn(f"{count_noun(len(failed), 'shard')} failed; to try again: {again}")
    print(campaign_status(out))
    return int(summary.interrupted or bool(failed))


def _few_runs(spec: Spec) -> str:
    if len(spec.points) == 1 or spec.design in SAMPLED or spec.runs >= FEWEST:
        return ""
    what = spec.game.runs
    return (
        f"{spec.runs} {what} at each of {len(spec.points)} points: too few for intervals in a study; "
        f"write {what} = {FEWEST} or more"
    )


def status(directory: str | Path) -> dict[str, Any]:
    """Return the progress of a campaign.

    Args:
        directory: The directory that `run` writes.

    Returns:
        The document of `campaign status --json`.
    """
    store = Store.read(as_path("directory", directory))
    spec, redrawn, unfinished = store.spec, *store.failures()
    done = [index for index in range(spec.shards) if store.is_there(index)]
    return {
        "schema": "tower-sim/campaign-status",
        "version": 2,
        "kind": spec.kind,
        "apparatus": spec.apparatus,
        "model": spec.model,
        "seed": str(spec.seed),
        "digest": spec.digest,
        "points": len(spec.points),
        "runs": {"done": sum(len(spec.runs_of(index)) for index in done), "of": spec.total},
        "shards": {"of": spec.shards, "done": done, "missing": sorted({*range(spec.shards)} - {*done})},
        "redrawn": redrawn,
        "unfinished": unfinished,
    }


def campaign_status(directory: str | Path) -> str:
    """Return the progress of a campaign as a few lines of text."""
    now = status(directory)
    spec, runs, shards = Store.read(Path(directory)).spec, now["runs"], now["shards"]
    what, point = spec.game.runs, "point" if now["points"] == 1 else "points"
    rest = f"{runs['done']} of {runs['of']} {what} are done; run the campaign again to do the rest."
    lines = [
        rest if shards["missing"] else f"All {runs['of']} {what} are done.",
        f"{directory}: {spec.kind} at {now['points']} {point}, {spec.apparatus}, {spec.model}, seed {spec.seed}",
        f"shards: {len(shards['done'])} done, {len(shards['missing'])} missing, of {shards['of']}",
        *([f"missing: {spans(shards['missing'])}"] if shards["missing"] else []),
        f"draws that were no landing: {now['redrawn']}; runs cut short by five in a row: {now['unfinished']}",
    ]
    return "\n".join(lines)


def spans(values: Sequence[int]) -> str:
    """Return sorted numbers as short text: 0-4, 7, 9-11."""
    pieces = [[value for _, value in piece] for _, piece in groupby(enumerate(values), lambda x: x[1] - x[0])]
    return ", ".join(str(piece[0]) if len(piece) == 1 else f"{piece[0]}-{piece[-1]}" for piece in pieces)


def verify(directory: str | Path) -> list[str]:
    """Check every byte of a campaign's dataset.

    Args:
        directory: The directory that `run` wrote.

    Returns:
        One line for each file with a problem.
    """
    store = Store.read(as_path("directory", directory))
    problems = [*store.damaged, *(line for index in range(store.spec.shards) for line in store.problems(index))]
    return problems + [f"{name}: foreign: of no shard of this campaign" for name in store.foreign()]


def campaign_verify(directory: str | Path) -> tuple[str, int]:
    """Check a campaign's directory; return the text to print and the exit status."""
    problems = verify(directory)
    if not problems:
        return f"{directory}: every file is whole", 0
    return "\n".join(
        [*problems, f"{directory}: {count_noun(len(problems), 'problem')}; run the campaign again to mend the dataset"]
    ), 1
