"""What campaigns cost: run `python tests/benchmark_campaign.py` (about six minutes on two free cores).

Prints Markdown. Ratios are of two things measured in turn in the same run.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tower_sim.apparatus.catalogue import load
from tower_sim.campaign import Spec, parse, run
from tower_sim.games.amerigo import Rules, play
from tower_sim.games.tower import game_seed
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.simulator import PhysicsModel
from tower_sim.statistics import mean_error

TOWER = Path(__file__).parent / "measure" / "towers" / "tower.toml"

HEAD = f'[campaign]\napparatus = "{TOWER}"\nseed = "7"\n'
DROPS = 36  # of a game


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


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
            ours.append(timed(lambda folder=folder: run(spec, Path(folder) / "c")))
        loop.append(timed(lambda: bare(spec)))
    ratio = [a / b - 1 for a, b in zip(ours, loop, strict=True)]
    mean, error = mean_error(ratio)
    return (
        f"campaign in one process over a bare loop of the same {number} games: {mean:+.1%} +- {error:.1%} "
        f"({rounds} pairs)"
    )


def scaling(number: int) -> str:
    spec = games(number, "physics", 2)
    times: list[float] = []
    for workers in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            times.append(timed(lambda folder=folder, workers=workers: run(spec, Path(folder) / "c", workers)))
            size = sum(file.stat().st_size for file in Path(folder).rglob("*.parquet")) / number
    return (
        f"two processes over one, {number} games: {times[0] / times[1]:.2f} times as fast "
        f"({times[0]:.1f} s, {times[1]:.1f} s); {size / 1e3:.1f} kB a game in shards of 2"
    )


def parent_memory(number: int) -> float:
    """Return the peak memory (MiB) of a process that runs a campaign of `number` drops on two workers."""
    code = (
        "import sys, resource, tempfile\nfrom pathlib import Path\nfrom benchmark_campaign import games\n"
        "from tower_sim.campaign import run\n"
        "if __name__ == '__main__':\n"
        "    with tempfile.TemporaryDirectory() as folder:\n"
        f"        run(games({number // DROPS}, 'two_thirds', 2), Path(folder) / 'c', 2)\n"
        "    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10)\n"
    )
    return float(_in_a_process(code))


def study_cost(number: int) -> str:
    code = (
        "import sys, resource, tempfile, time\nfrom pathlib import Path\nfrom benchmark_campaign import games\n"
        "from tower_sim.campaign import run\nfrom tower_sim.study import study\n"
        "if __name__ == '__main__':\n"
        "    with tempfile.TemporaryDirectory() as folder:\n"
        f"        run(games({-(-number // DROPS)}, 'two_thirds', 200), Path(folder) / 'c')\n"
        "        begun = time.perf_counter()\n"
        "        study(Path(folder) / 'c', Path(folder) / 'r')\n"
        "        print(time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)\n"
    )
    seconds, gib = _in_a_process(code).split()
    return f"study of {number} drops: {float(seconds):.0f} s, peak memory {float(gib):.2f} GiB"


def store_rate(number: int) -> str:
    """Time how fast one client can write shards that cost nothing to make."""
    from tower_sim.campaign.store import Store, head_of
    from tower_sim.campaign.work import run_shard

    spec = games(10 * number, "two_thirds", 10)
    shards = [run_shard(spec, index) for index in range(number)]
    with tempfile.TemporaryDirectory(dir=".") as folder, Store.opened(Path(folder) / "c", head_of(spec), spec) as store:
        seconds = timed(lambda: [store.put(shard) for shard in shards])
    return f"one client writes {number / seconds:.0f} shards/s (synced to this disk)"


def _in_a_process(code: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script.py"
        script.write_text(code)
        paths = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parent.parent)])
        environment = os.environ | {"PYTHONPATH": paths}
        done = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=24, help="games of each timed campaign")
    options = parser.parse_args()
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, load at the start "
        f"{os.getloadavg()[0]:.1f}; settings {PhysicsSettings().digest()}\n"
    )
    print(f"- {overhead(max(options.games // 4, 2), 5)}", flush=True)
    print(f"- {scaling(options.games)}", flush=True)
    small, large = parent_memory(1_000), parent_memory(10_000)
    print(f"- peak memory of the parent: {small:.1f} MiB for 1,000 drops, {large:.1f} MiB for 10,000", flush=True)
    print(f"- {store_rate(200)}", flush=True)
    print(f"- {study_cost(100_000)}")


if __name__ == "__main__":
    sys.exit(main())
