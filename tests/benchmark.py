"""How fast it is, at the settings of the published figures: run `python tests/benchmark.py` (about five minutes).

Prints one Markdown table. Times depend on the machine; ratios against the straightforward script, measured in turn
with ours in the same run, depend on it much less.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import resource
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.parts import Apparatus
from tower_sim.cubes import Cube, supply
from tower_sim.games.amerigo import Rules, play
from tower_sim.games.dead_reckoning.battle import play as play_battle
from tower_sim.games.dead_reckoning.battle import start
from tower_sim.games.dead_reckoning.sides import Setup, Side
from tower_sim.model import until_landed
from tower_sim.physics.bullet import load_bullet
from tower_sim.physics.release import release
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.simulator import PhysicsModel
from tower_sim.state import TowerState
from tower_sim.statistics import mean_error

TOWER = Path(__file__).parent.parent / "calibration" / "tower.toml"

SETTINGS = PhysicsSettings()
RESIDENTS = 15


def straightforward(
    tower: Apparatus, state: TowerState, cubes: tuple[Cube, ...], rng: np.random.Generator, timestep: float
) -> None:
    """Do the same throw as one would write it first: PyBullet's defaults, in metres, every pose read every step.

    The same boxes, friction, restitution, cubes, hand, timestep (our mean) and rule for rest; no cube is taken out.
    """
    bullet = load_bullet()
    client = bullet.connect(bullet.DIRECT)
    bullet.setGravity(0, 0, -9.81, physicsClientId=client)
    bullet.setTimeStep(timestep, physicsClientId=client)
    friction, restitution = (math.sqrt(x) for x in (tower.between_cubes.friction, tower.between_cubes.restitution))

    def add(half: tuple[float, ...], mass: float, position: Any, orientation: Any) -> int:
        shape = bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=half, physicsClientId=client)
        body: int = bullet.createMultiBody(mass, shape, -1, position, orientation, physicsClientId=client)
        bullet.changeDynamics(body, -1, lateralFriction=friction, restitution=restitution, physicsClientId=client)
        return body

    for box in tower.boxes:
        add(box.half, 0, box.centre, box.orientation)
    half = (tower.cube_edge / 2,) * 3
    mass = tower.cube_density * tower.cube_edge**3
    at_rest = (*state.residents, *state.board.lying)
    bodies = [add(half, mass, r.pose.position, r.pose.orientation) for r in at_rest if r.pose]
    for launch in release(cubes, tower.hand, tower.rim_top, tower.cube_edge, rng):
        body = add(half, mass, launch.pose.position, launch.pose.orientation)
        bullet.resetBaseVelocity(body, launch.velocity, launch.spin, physicsClientId=client)
        bodies.append(body)
    quiet = elapsed = 0.0
    while quiet < SETTINGS.quiet_time and elapsed < SETTINGS.longest:
        bullet.stepSimulation(physicsClientId=client)
        still = True
        for body in bodies:
            bullet.getBasePositionAndOrientation(body, physicsClientId=client)
            velocity, spin = bullet.getBaseVelocity(body, physicsClientId=client)
            still &= max(map(abs, velocity)) < SETTINGS.quiet_speed and max(map(abs, spin)) < SETTINGS.quiet_spin
        quiet = quiet + timestep if still else 0.0
        elapsed += timestep
    bullet.disconnect(client)


@dataclass(frozen=True)
class Timed:
    """Seconds of each run of ours and of the straightforward script, in turn."""

    ours: list[float]
    theirs: list[float]


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def throws(model: PhysicsModel, states: list[TowerState], number: int, runs: int, every: int) -> tuple[Timed, float]:
    """Time throws of `number` cubes onto `states` in turn; every `every`-th is also done the straightforward way."""
    ours: list[float] = []
    theirs: list[float] = []
    steps0, seconds0 = model.effort
    mean_step = SETTINGS.timestep
    for i in range(runs):
        state = states[i % len(states)]
        cubes = supply({"any": number}, model.cube_edge, first_id=state.next_id)
        ours.append(timed(partial(model.drop, state, cubes, np.random.default_rng(i))))
        steps, seconds = model.effort
        mean_step = (seconds - seconds0) / (steps - steps0)
        if i % every == 0:
            rng = np.random.default_rng(i)
            theirs.append(timed(partial(straightforward, model.shape, state, cubes, rng, mean_step)))
    return Timed(ours, theirs), mean_step


def row(name: str, runs: Timed, unit: str = "drops") -> str:
    """Return a line of the table: rate with its standard error, and the ratio of the mean times."""
    mean, absolute = mean_error(runs.ours)
    error = absolute / mean
    ratio = f"{statistics.fmean(runs.theirs) / mean:.1f}" if runs.theirs else ""
    return (
        f"| {name} | {1 / mean:.1f} +- {error / mean:.1f} {unit}/s | {mean * 1e3:.0f} ms | {ratio} "
        f"| {len(runs.ours)}{f', {len(runs.theirs)} straightforward' if runs.theirs else ''} |"
    )


def play_whole(model: PhysicsModel, seed: int) -> None:
    """Play a published game."""
    for _ in play(model, Rules(), seed):
        pass


def fight(model: PhysicsModel, setup: Setup, game: int) -> None:
    """Fight a battle without abilities."""
    for _ in play_battle(model, start(model, setup, 0, game)):
        pass


def ship(runs: int, every: int) -> None:
    """Print the rows of the combat ship: throws and battles by how many cubes are thrown."""
    with PhysicsModel(load("dead_reckoning"), SETTINGS) as model:
        for number in (3, 9, 20, 40):
            thrown, _ = throws(model, [model.empty()], number, runs, every)
            print(row(f"{number} cubes through the ship onto the empty board", thrown, "throws"), flush=True)
        for purple, green in ((2, 1), (6, 3), (12, 8), (20, 20)):
            setup = Setup("ship", (Side("purple", purple), Side("green", green)))
            fought = Timed([timed(partial(fight, model, setup, game)) for game in range(runs)], [])
            print(row(f"a battle, {purple} cubes against {green}, no abilities", fought, "battles"), flush=True)


def resident_states(model: PhysicsModel, number: int) -> list[TowerState]:
    """Return states with about `RESIDENTS` cubes inside."""
    cubes = supply({"any": 42}, model.cube_edge)
    found: list[TowerState] = []
    for seed in range(20 * number):
        outcome = until_landed(lambda rng: model.drop(model.empty(), cubes, rng), np.random.SeedSequence([1, seed]))
        if abs(len(outcome.inside) - RESIDENTS) <= 1:
            found.append(outcome.state)
        if len(found) == number:
            break
    return found


def memory_mib() -> float:
    """Return the resident memory of this process now (Linux), else its peak."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100, help="throws timed of each kind")
    parser.add_argument("--memory-drops", type=int, default=2000, help="drops for the memory figure")
    options = parser.parse_args()
    load_average = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"load at the start {load_average:.1f}; one process; settings {SETTINGS.digest()}\n"
    )
    print("| what | rate | mean time | straightforward / ours | runs |\n|---|---|---|---|---|")
    every = max(options.runs // 20, 1)
    with PhysicsModel(load(TOWER), SETTINGS) as model:
        empty, step = throws(model, [model.empty()], 49, options.runs, every)
        print(row("49 cubes into the empty tower", empty), flush=True)
        states = resident_states(model, 10)
        onto, _ = throws(model, states, 5, 2 * options.runs, 2 * every)
        mean = statistics.fmean(len(state.residents) for state in states)
        print(row(f"5 cubes onto {mean:.1f} residents", onto), flush=True)
        seeds = range(max(options.runs // 10, 2))
        games = Timed([timed(partial(play_whole, model, seed)) for seed in seeds], [])
        print(row("a whole game, 36 drops", games, "games"), flush=True)
        ship(2 * options.runs, 2 * every)
        cubes = supply({"any": 5}, model.cube_edge, first_id=1000)
        before = memory_mib()
        readings = []
        for i in range(options.memory_drops):
            model.drop(states[i % len(states)], cubes, np.random.default_rng(i))
            if i % (options.memory_drops // 4) == 0:
                readings.append(memory_mib())
    print(
        f"\nmean step {step * 1e6:.0f} us; memory {before:.1f} MiB before {options.memory_drops} drops, then at each "
        f"quarter {', '.join(f'{r:.1f}' for r in readings)}, {memory_mib():.1f} MiB after"
    )


if __name__ == "__main__":
    sys.exit(main())
