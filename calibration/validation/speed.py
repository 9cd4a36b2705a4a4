"""Measure how fast drops are beside Bullet, what two threads are worth, and how fast the surrogate is.

python -m calibration.validation.speed drops
python -m calibration.validation.speed threads
python -m calibration.validation.speed surrogate

Each prints a table of docs/speed.md: medians over rounds with the least and the greatest. What is compared takes turns
in one process. Times are processor times; those of threads are by the clock, less what they waited for a core.
"""

from __future__ import annotations

import os
import platform
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np

from calibration.validation.script import option, print_table, script
from tests.support.towers import RULEBOOK
from tower_sim.apparatus import load
from tower_sim.drops import until_landed
from tower_sim.games.amerigo import GAME, Rules, sample_games
from tower_sim.models import open_model
from tower_sim.physics import STANDARD, accuracy
from tower_sim.simulator import PhysicsModel
from tower_sim.surrogate import SurrogateModel
from tower_sim.tools import processes
from tower_sim.values import supply

DROPS = (("amerigo", 1, 40), ("amerigo", 5, 20), ("amerigo", 49, 1), ("dead_reckoning", 3, 30))
"""Apparatus, cubes thrown into it, and drops that are timed together."""
THREADS = ((RULEBOOK, 49, 12), ("dead_reckoning", 9, 80))
BATCH = 100_000  # games of the surrogate

Way = Callable[[int], float]
"""Do a round, whose number decides what is random; return the seconds that one drop or game took."""


def timed(count: int, work: Callable[[int], object]) -> float:
    """Return the processor time (s) of each of `count` calls, which get numbers from 0 on."""
    begin = time.process_time()
    for number in range(count):
        work(number)
    return (time.process_time() - begin) / count


def take_turns(ways: Mapping[str, Way], rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each way by round; every way is the first in some rounds."""
    names = list(ways)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            seconds[name].append(ways[name](number))
    return seconds


def spread(values: Sequence[float], form: str) -> str:
    """Write the median, then the least and the greatest."""
    return f"{median(values):{form}} ({min(values):{form}} to {max(values):{form}})"


def throw(model: PhysicsModel, cubes: int, seed: int) -> object:
    return model.drop(model.empty(), supply({"any": cubes}, model.cube_edge), np.random.default_rng(seed))


def drops(rounds: int) -> None:
    def row(apparatus: str, cubes: int, count: int) -> Sequence[object]:
        shape = load(apparatus)
        settings = [accuracy(engine, STANDARD) for engine in ("core", "bullet")]
        with PhysicsModel(shape, settings[0]) as core, PhysicsModel(shape, settings[1]) as bullet:
            models = {"core": core, "bullet": bullet}
            for model in models.values():
                throw(model, cubes, rounds)  # loads what is loaded at the first call

            def time_drops(model: PhysicsModel, number: int) -> float:
                return timed(count, lambda k: throw(model, cubes, number * count + k))

            seconds = take_turns({name: partial(time_drops, model) for name, model in models.items()}, rounds)
        ratios = [slow / fast for slow, fast in zip(seconds["bullet"], seconds["core"], strict=True)]
        return (
            f"{cubes} into {apparatus}",
            spread([1e3 * each for each in seconds["core"]], ".3g"),
            spread(ratios, ".2g"),
        )

    print_table(["cubes", "core, ms a drop", "Bullet over core"], (row(*each) for each in DROPS))


def threads(rounds: int) -> None:
    with processes(2) as pool, ThreadPoolExecutor(2) as crew:

        def row(apparatus: str, cubes: int, count: int) -> Sequence[object]:
            def halves(number: int) -> list[range]:
                first, middle = number * count, number * count + count // 2
                return [range(first, middle), range(middle, first + count)]

            work = partial(waited_for, apparatus, cubes)
            ways: dict[str, Way] = {
                "one": lambda number: sum(map(work, halves(number))),
                "drop_many": lambda number: by_drop_many(apparatus, cubes, range(number * count, (number + 1) * count)),
                "two threads": lambda number: max(crew.map(work, halves(number))),
                "two processes": lambda number: max(pool.map(work, halves(number))),
            }
            list(pool.map(work, [range(2)] * 4))
            list(crew.map(work, [range(2)] * 2))
            seconds = take_turns(ways, rounds)
            one = seconds.pop("one")
            gains = ([a / b for a, b in zip(one, other, strict=True)] for other in seconds.values())
            return f"{cubes} into {Path(apparatus).name}", *(spread(each, ".2f") for each in gains)

        head = ["over one thread", "drop_many", "two threads", "two processes"]
        print_table(head, (row(*each) for each in THREADS))


def waited_for(apparatus: str, cubes: int, seeds: Sequence[int]) -> float:
    """Drop with a model of its own; return the seconds that took, less those in which this thread waited for a core."""
    with PhysicsModel(load(apparatus)) as model:
        begun = time.perf_counter() - _queued()
        for seed in seeds:
            throw(model, cubes, seed)
        return time.perf_counter() - _queued() - begun


def by_drop_many(apparatus: str, cubes: int, seeds: Sequence[int]) -> float:
    with PhysicsModel(load(apparatus)) as model:
        draws = [(model.empty(), supply({"any": cubes}, model.cube_edge), seed) for seed in seeds]
        outcomes, others = model.drop_many(draws, workers=2), {each.native_id for each in threading.enumerate()}
        begun = time.perf_counter()
        for _ in seeds:
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


def surrogate(rounds: int) -> None:
    shape, rules = load("amerigo"), Rules()
    with open_model(shape, "surrogate") as model, PhysicsModel(shape) as physics:
        assert isinstance(model, SurrogateModel)
        stream = np.random.SeedSequence(1)
        full = until_landed(partial(model.drop, model.empty(), supply({"any": 49}, model.cube_edge)), stream).state
        state = full.take(full.cubes[8:])
        cubes = supply({"any": 5}, model.cube_edge, first_id=state.next_id)
        ways: dict[str, Way] = {
            "drop": lambda _: timed(1000, lambda k: model.drop(state, cubes, np.random.default_rng(k))),
            "batch": lambda number: timed(1, lambda _: sample_games(model, rules, BATCH, number)) / BATCH,
            "physics": lambda number: timed(1, lambda _: sum(1 for _ in GAME.start(physics, rules, number))),
        }
        take_turns(ways, 1)  # loads what is loaded at the first call
        seconds = take_turns(ways, rounds)
    ratios = [slow / fast for slow, fast in zip(seconds["physics"], seconds["batch"], strict=True)]
    rows = (
        ("one drop of 5 cubes onto 8, us", spread([1e6 * each for each in seconds["drop"]], ".0f")),
        (f"{BATCH:,} games in a batch, games/s", spread([1 / each for each in seconds["batch"]], ",.0f")),
        ("games a second over those of physics", spread(ratios, ",.0f")),
    )
    print_table(["what", "median (least to greatest)"], rows)


WHAT = {"drops": drops, "threads": threads, "surrogate": surrogate}


def measure(what: str, rounds: int) -> None:
    load_now = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    python = platform.python_version()
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {load_now:.1f}, Python {python}, {rounds} rounds\n")
    WHAT[what](rounds)


main = script(
    __doc__, measure, option("what", choices=[*WHAT]), option("--rounds", type=int, default=10, help="(default: 10)")
)

if __name__ == "__main__":
    raise SystemExit(main())
