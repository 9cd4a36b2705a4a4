"""What threads of one process are worth, and whether memory grows: a part of benchmark.py."""

from __future__ import annotations

import os
import resource
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from calibration.validation.timing import run_script, spread
from tests.support.towers import RULEBOOK
from tower_sim.apparatus.catalogue import load
from tower_sim.cubes import supply
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.simulator import PhysicsModel

CORE = PhysicsSettings(engine="core")
KINDS = {"49 cubes into the empty rulebook.toml": (RULEBOOK, 49, 12), "9 through the ship": ("dead_reckoning", 9, 80)}
SMALL = 5  # cubes of a drop that memory is measured with
READINGS = 10


def drops(apparatus: str, cubes: int, hands: Sequence[int]) -> float:
    """Do some drops with a model of our own; returns the seconds that took, without those spent waiting for a core.

    So the figure hardly depends on who else uses the machine; what it keeps are the waits for Python's lock.
    """
    with PhysicsModel(load(apparatus), CORE) as model:
        begun = time.perf_counter() - _queued()
        for hand in hands:
            model.drop(model.empty(), supply({"any": cubes}, model.cube_edge), np.random.default_rng(hand))
        return time.perf_counter() - _queued() - begun


def many_drops(apparatus: str, cubes: int, hands: Sequence[int]) -> float:
    """Do some drops by `drop_many` with two workers; returns the seconds, less what a worker waited for a core."""
    with PhysicsModel(load(apparatus), CORE) as model:
        draws = [(model.empty(), supply({"any": cubes}, model.cube_edge), hand) for hand in hands]
        outcomes, others = model.drop_many(draws, workers=2), {each.native_id for each in threading.enumerate()}
        begun = time.perf_counter()
        for _ in hands:
            next(outcomes)
        taken = time.perf_counter() - begun
        waits = [_queued(each.native_id) for each in threading.enumerate() if each.native_id not in others]
        return taken - sum(waits) / 2


def _queued(thread: int | None = None) -> float:
    """Return how long (s) a thread (None: this one) has been ready to run while others did (Linux), else 0."""
    try:
        file = Path(f"/proc/self/task/{thread or threading.get_native_id()}/schedstat")
        return int(file.read_text().split()[1]) * 1e-9
    except OSError:
        return 0.0


def speeds(number: int) -> dict[str, Any]:
    """Time the same drops by one thread, two threads, two processes and `drop_many`, in turn: seconds by kind.

    Of two threads or processes it is the slower one. The four take turns in being the first. Threads and processes are
    started, and have done drops, before the clock; those of `drop_many` start with it.
    """
    found: dict[str, dict[str, float]] = {}
    with get_context("spawn").Pool(2) as pool, ThreadPoolExecutor(2) as crew:
        for words, (apparatus, cubes, each) in KINDS.items():
            first, middle = number * each, number * each + each // 2
            halves = [range(first, middle), range(middle, first + each)]
            work = partial(drops, apparatus, cubes)
            ways: dict[str, Callable[[], float]] = {
                "one": lambda work=work, halves=halves: sum(map(work, halves)),
                "threads": lambda work=work, halves=halves: max(crew.map(work, halves)),
                "drop_many": partial(many_drops, apparatus, cubes, range(first, first + each)),
                "processes": lambda work=work, halves=halves: max(pool.map(work, halves, chunksize=1)),
            }
            pool.map(work, [range(2)] * 4, chunksize=1)
            list(crew.map(work, [range(2)] * 2))
            names = list(ways)
            turn = number % len(names)
            found[words] = {name: ways[name]() for name in names[turn:] + names[:turn]}
    return {"seconds": found}


def speed_words(rounds: Mapping[int, Mapping[str, Any]]) -> str:
    """Say what was found, as medians over rounds with the least and the greatest."""
    parts: list[str] = []
    for words in KINDS if rounds else ():
        times = [line["seconds"][words] for line in rounds.values()]
        ways = ("threads", "processes", "drop_many")
        threads, processes, many = (spread([each["one"] / each[way] for each in times], ".2f") for way in ways)
        parts.append(f"{words}: {threads}; two processes {processes}; drop_many {many}")
    return f"{'; '.join(parts)}; {len(rounds)} rounds" if parts else "not measured yet"


def memory(number: int) -> dict[str, Any]:
    """Do `number` drops on two threads of a new process; its memory (MiB) after the first tenth, and each further."""
    output = run_script(f"from calibration.validation import benchmark_threads as b; b.grow({number})")
    return {"drops": number, "mib": [float(word) for word in output.split()]}


def grow(number: int) -> None:
    """Print the memory of this process (MiB) at each tenth of `number` small drops on two threads."""
    with ThreadPoolExecutor(2) as crew:
        share = number // (2 * READINGS)
        for tenth in range(READINGS):
            halves = [range((2 * tenth + half) * share, (2 * tenth + half + 1) * share) for half in range(2)]
            list(crew.map(partial(drops, RULEBOOK, SMALL), halves))
            print(f"{memory_mib():.1f}", flush=True)


def memory_mib() -> float:
    """Return the resident memory of this process now (Linux), else its peak."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def memory_words(rounds: Mapping[int, Mapping[str, Any]]) -> str:
    if not rounds:
        return "not measured yet"
    (line,) = rounds.values()
    return (
        f"{line['drops']:,} drops of {SMALL} cubes on two threads: {line['mib'][0]:.1f} MiB after a tenth of them, "
        f"{line['mib'][-1]:.1f} after all, {max(line['mib']):.1f} at most"
    )
