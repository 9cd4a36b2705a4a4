"""The work done by a Dask scheduler's workers: each task is a shard, its result the bytes of its tables."""

from __future__ import annotations

import logging
import os
from collections import Counter, deque
from collections.abc import Sequence
from typing import Any

from tower_sim.campaign.engines import MAX_DEATHS, Report, Reports, WorkersLost, attempt, reason
from tower_sim.campaign.environment import Environment, WrongEnvironment, check
from tower_sim.campaign.spec import Spec
from tower_sim.errors import UsageError
from tower_sim.extras import extra
from tower_sim.pool import without_interrupts

LOCAL = "local"
_CONNECT = 10  # seconds for a scheduler
_WAIT = 30  # seconds for its first worker
_PER_THREAD = 2  # tasks in flight for each thread of the workers, so that none is idle while we write


def task(spec_text: str, index: int, expected: Environment) -> Report:
    """Do a shard on a worker; raises WrongEnvironment where the result could differ from the client's."""
    check(expected)
    return attempt(Spec.from_canonical(spec_text), index)


def distributed(spec: Spec, indices: Sequence[int], address: str, workers: int, expected: Environment) -> Reports:
    """Do the shards with the scheduler at `address`, or with a cluster of our own of `workers` (`local`).

    Raises UsageError when it cannot be reached, WrongEnvironment for a worker of other versions, WorkersLost when
    the scheduler is lost.
    """
    dask = extra("distributed", "dask")
    cluster: Any = None
    try:
        if address == LOCAL:
            with without_interrupts():
                cluster = dask.LocalCluster(
                    n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.ERROR
                )
        client = dask.Client(cluster or address, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise UsageError(
            f"--dask {address!r}: no scheduler there ({reason(error)}); allowed is 'local' or an address such as "
            "tcp://127.0.0.1:8786"
        ) from error
    try:
        try:
            client.wait_for_workers(1, timeout=_WAIT)
        except TimeoutError as error:
            raise UsageError(f"--dask {address!r}: no worker came in {_WAIT} s; start some: dask worker ...") from error
        yield from _collected(dask, client, spec, indices, expected)
    except (dask.client.FutureCancelledError, OSError) as error:
        raise WorkersLost(
            f"the Dask scheduler is lost ({reason(error)}); finished shards are kept; run the same again"
        ) from error
    finally:
        client.close()
        if cluster is not None:
            cluster.close()


def _collected(dask: Any, client: Any, spec: Spec, indices: Sequence[int], expected: Environment) -> Reports:
    """Keep so many tasks in flight as the workers have use for, and yield what comes back."""
    todo = deque(indices)
    deaths: Counter[int] = Counter()
    flying: dict[Any, int] = {}
    done = dask.as_completed(loop=client.loop)
    session = os.urandom(8).hex()  # keys are new in every run: the scheduler may still know an earlier run's
    try:
        while todo or flying:
            room = _PER_THREAD * max(1, sum(client.nthreads().values()))
            while todo and len(flying) < room:
                index = todo.popleft()
                key = f"tower-sim-{session}-{index}-{deaths[index]}"
                future = client.submit(task, spec.canonical, index, expected, key=key, pure=False)
                flying[future] = index
                done.add(future)
            future = next(done)
            index = flying.pop(future)
            report = _report(dask, future, index)
            future.release()
            if report.again:
                deaths[index] += 1
                if deaths[index] < MAX_DEATHS:
                    todo.append(index)
                else:
                    report = Report(index, error=report.error)
            yield report
    finally:
        for future in flying:
            future.cancel()


def _report(dask: Any, future: Any, index: int) -> Report:
    try:
        return future.result()
    except (WrongEnvironment, dask.client.FutureCancelledError, OSError):
        raise
    except dask.scheduler.KilledWorker as error:
        return Report(index, error=reason(error), again=True)
    except Exception as error:  # not the shard's: that one comes as a report
        raise WorkersLost(
            f"the Dask workers cannot do a task ({reason(error)}); finished shards are kept; install there what is "
            "installed here"
        ) from error
