"""Work of measurements, spread out over processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from tower_sim.tools import processes, report_progress

Task = TypeVar("Task")
Result = TypeVar("Result")


def spread_out(
    work: Callable[[Task], Result], tasks: Sequence[Task], workers: int, what: str = "pieces"
) -> Iterator[Result]:
    """Yield the result of `work` for each of `tasks`, in order, from up to `workers` processes.

    Standard error shows how many are done; `what` names them in the plural.
    """
    with processes(min(workers, max(len(tasks), 1))) as pool, report_progress(what, len(tasks)) as tell:
        for i, result in enumerate(pool.map(work, tasks), 1):
            tell(i)
            yield result
