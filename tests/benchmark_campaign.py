"""What campaigns cost: run `python tests/benchmark_campaign.py` (about six minutes on two free cores).

Prints Markdown. Ratios are of two things measured in turn in the same run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from support.timing import TOWER, load_average, machine, run_script, timed

from tower_sim.apparatus.catalogue import load
from tower_sim.campaign import Spec, parse, run
from tower_sim.games.amerigo import Rules, play
from tower_sim.games.tower import game_seed
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.simulator import PhysicsModel
from tower_sim.statistics import mean_error

HEAD = f'[campaign]\napparatus = "{TOWER}"\nseed = "7"\n'
DROPS = 36  # of a game


wall_time = partial(timed, clock=time.perf_counter)


def games(number: int, model: str, shard: int) -> Spec:
    return parse(f'{HEAD}game = "amerigo"\nmodel = "{model}"\ngames = {number}\nshard = {shard}\n')


def bare(spec: Spec) -> None:
    """Play the same games in a plain loop that keeps nothing."""
    with PhysicsModel(load(TOWER)) as model:
        for number in range(spec.total):
            for _ in play(model, Rules(), game_seed(spec.seed, number)):
                pass


def overhead(number: int, rounds: int) -> str:
    spec = games(number, "physics", number)
    ours: list[float] = []
    loop: list[float] = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            ours.append(wall_time(partial(run, spec, Path(folder) / "c")))
        loop.append(wall_time(partial(bare, spec)))
    mean, error = mean_error([a / b - 1 for a, b in zip(ours, loop, strict=True)])
    words = f"campaign in one process over a bare loop of the same {number} games"
    return f"{words}: {mean:+.1%} +- {error:.1%} ({rounds} pairs)"


def scaling(number: int) -> str:
    spec = games(number, "physics", 2)
    times: list[float] = []
    for workers in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            times.append(wall_time(partial(run, spec, Path(folder) / "c", workers)))
            size = sum(file.stat().st_size for file in Path(folder).rglob("*.parquet")) / number
    return (
        f"two processes over one, {number} games: {times[0] / times[1]:.2f} times as fast "
        f"({times[0]:.1f} s, {times[1]:.1f} s); {size / 1e3:.1f} kB a game in shards of 2"
    )


MEASURED = """
import resource, tempfile, time
from pathlib import Path
from benchmark_campaign import games
from tower_sim.campaign import run
from tower_sim.study import study
if __name__ == '__main__':
    with tempfile.TemporaryDirectory() as folder:
        data, result = Path(folder) / 'data', Path(folder) / 'result'
        {work}
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10)
"""


def parent_memory(number: int) -> float:
    """Return the peak memory (MiB) of a process that runs a campaign of `number` drops on two workers."""
    work = f"run(games({number // DROPS}, 'two_thirds', 2), data, 2)"
    return float(run_script(MEASURED.format(work=work)))


def study_cost(number: int) -> str:
    work = f"run(games({-(-number // DROPS)}, 'two_thirds', 200), data); begin = time.perf_counter(); "
    work += "study(data, result); print(time.perf_counter() - begin)"
    seconds, mib = run_script(MEASURED.format(work=work)).split()
    return f"study of {number} drops: {float(seconds):.0f} s, peak memory {float(mib) / 2**10:.2f} GiB"


def store_rate(number: int) -> str:
    """Time how fast one client can write shards that cost nothing to make."""
    from tower_sim.campaign.store import Store, make_head
    from tower_sim.campaign.work import run_shard

    spec = games(10 * number, "two_thirds", 10)
    shards = [run_shard(spec, index) for index in range(number)]
    with tempfile.TemporaryDirectory(dir=".") as folder, Store.open(Path(folder) / "c", make_head(spec), spec) as store:
        seconds = wall_time(lambda: [store.put(shard) for shard in shards])
    return f"one client writes {number / seconds:.0f} shards/s (synced to this disk)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=24, help="games of each timed campaign")
    options = parser.parse_args()
    print(f"{machine()}, load at the start {load_average()}; settings {PhysicsSettings().digest()}\n")
    print(f"- {overhead(max(options.games // 4, 2), 5)}", flush=True)
    print(f"- {scaling(options.games)}", flush=True)
    small, large = parent_memory(1_000), parent_memory(10_000)
    print(f"- peak memory of the parent: {small:.1f} MiB for 1,000 drops, {large:.1f} MiB for 10,000", flush=True)
    print(f"- {store_rate(200)}", flush=True)
    print(f"- {study_cost(100_000)}")


if __name__ == "__main__":
    sys.exit(main())
