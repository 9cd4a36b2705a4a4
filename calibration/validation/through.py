"""Throw cubes against thin plates: how many pass one, or reach deeper into one than half of its thickness.

python -m calibration.validation.through --throws 10000
python -m calibration.validation.through --throws 1000 --cubes 3 --accuracy fast

Each throw is one cube, or a few, in a closed cell of its own, whose walls are plates; speed, spin and friction are
drawn up to the most that is asked for, restitution is one of three. They are watched for a
tenth of a second.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from calibration.validation.script import option, script
from tests.support.bench import GRAVITY, World
from tower_sim.apparatus import Box, Surface
from tower_sim.physics import Motion, PhysicsSettings
from tower_sim.physics import accuracy as choose_settings
from tower_sim.values import Pose

Array = npt.NDArray[np.float64]

EDGE = 8.547e-3  # m, as in towers/rulebook.toml
DENSITY = 650.0  # kg/m3
PLATE = 1e-3  # m
INSIDE = 0.03  # m, of a cell
SIDE = 6  # cells along x, and along y
WINDOWS = 10
RESTITUTIONS = (0.0, 0.53, 0.9)
PITCH = INSIDE + PLATE


@dataclass(frozen=True, slots=True)
class Throws:
    """What became of cubes: `deepest` (n,) is the furthest (m) that each reached into a plate at any window's end,
    `passed` (n,) whether its centre was beyond one. `steps` is what the engine took.
    """

    deepest: Array
    passed: npt.NDArray[np.bool_]
    steps: int


def throw(settings: PhysicsSettings, speed: float, spin: float, cubes: int, seed: int) -> Throws:
    """Fill every cell of one world with `cubes` cubes, throw them and watch; `seed` decides all that is random."""
    rng = np.random.default_rng(seed)
    pair = Surface(float(rng.uniform(0, 0.9)), RESTITUTIONS[seed % len(RESTITUTIONS)])
    centres = np.repeat(_centres(), cubes, axis=0)
    with World(settings) as world:
        world.clear(EDGE, (0.0, 0.0, -GRAVITY))
        world.engine.add_boxes(plates(), {"plate": pair}, pair)
        world.engine.set_cubes(DENSITY * EDGE**3)
        bodies: list[int] = []
        for k, centre in enumerate(centres):
            place, turn = _start(rng, k % cubes, cubes)
            bodies.append(world.engine.add_cube(_pose(centre + place, turn)))
            velocity = _on_sphere(rng) * speed * (0.5 + 0.5 * rng.random())
            world.engine.set_velocity(bodies[-1], velocity, _on_sphere(rng) * spin * rng.random())
        deepest = np.full(len(bodies), -np.inf)
        passed = np.zeros(len(bodies), dtype=bool)
        for motion in _windows(world, bodies):
            away = np.abs(motion.position - centres)
            deepest = np.maximum(deepest, (away + _reach(motion) - INSIDE / 2).max(axis=1))
            passed |= (away > INSIDE / 2).any(axis=1)
        return Throws(deepest, passed, world.steps)


def plates() -> list[Box]:
    """Return the plates of all cells, each as long as all of them together: along x, y and z."""
    middle = PITCH * SIDE / 2
    long = middle + PLATE
    boxes: list[Box] = []
    for k in range(SIDE + 1):
        boxes.append(Box(f"x{k}", "plate", (k * PITCH, middle, 0.0), (PLATE / 2, long, PITCH / 2)))
        boxes.append(Box(f"y{k}", "plate", (middle, k * PITCH, 0.0), (long, PLATE / 2, PITCH / 2)))
    for name, z in (("floor", -PITCH / 2), ("lid", PITCH / 2)):
        boxes.append(Box(name, "plate", (middle, middle, z), (long, long, PLATE / 2)))
    return boxes


def _start(rng: np.random.Generator, which: int, cubes: int) -> tuple[Array, Array]:
    """Return a place (m) about the cell's middle and a turn: any for a cube alone, above each other and level for more.

    None touches another or a plate.
    """
    if cubes == 1:
        turn = rng.normal(size=4)
        return rng.uniform(-0.005, 0.005, 3), turn / np.linalg.norm(turn)
    angle = math.pi * rng.random()
    height = (which - (cubes - 1) / 2) * 1.1 * EDGE
    return np.array([*rng.uniform(-0.005, 0.005, 2), height]), np.array([0, 0, math.sin(angle), math.cos(angle)])


def _centres() -> Array:
    return np.array([((x + 0.5) * PITCH, (y + 0.5) * PITCH, 0.0) for x in range(SIDE) for y in range(SIDE)])


def _windows(world: World, bodies: Sequence[int]) -> Iterator[Motion]:
    motion = world.engine.motion(bodies)
    for _ in range(WINDOWS):
        world.advance(motion)
        motion = world.engine.motion(bodies)
        yield motion


def _reach(motion: Motion) -> Array:
    return EDGE / 2 * np.abs(Rotation.from_quat(motion.orientation).as_matrix()).sum(axis=2)


def _on_sphere(rng: np.random.Generator) -> Array:
    way = rng.normal(size=3)
    return way / np.linalg.norm(way)


def _pose(place: Array, turn: Array) -> Pose:
    x, y, z = (float(v) for v in place)
    a, b, c, w = (float(v) for v in turn)
    return Pose((x, y, z), (a, b, c, w))


def measure(throws: int, cubes: int, speed: float, spin: float, engine: str, accuracy: str) -> None:
    worlds, settings = math.ceil(throws / SIDE**2), choose_settings(engine, accuracy)
    thrown = [throw(settings, speed, spin, cubes, seed) for seed in range(worlds)]
    deepest = np.concatenate([each.deepest for each in thrown])
    passed = np.concatenate([each.passed for each in thrown])
    quantiles = ", ".join(f"{q:.1%} {np.quantile(deepest, q) / PLATE:.2%}" for q in (0.5, 0.99, 0.999))
    print(
        f"{worlds * SIDE**2} throws of {cubes} at up to {speed:g} m/s and {spin:g} rad/s against plates of "
        f"{PLATE * 1e3:g} mm: {passed.sum()} of {len(passed)} cubes passed one, {(deepest > PLATE / 2).sum()} reached "
        f"deeper than half of it; deepest of each, of the plate: {quantiles}, most {deepest.max() / PLATE:.2%}; "
        f"{sum(each.steps for each in thrown)} steps"
    )


main = script(
    __doc__,
    measure,
    option("--throws", type=int, default=10000),
    option("--cubes", type=int, default=1, choices=(1, 2, 3), help="cubes in a cell (default: 1)"),
    option("--speed", type=float, default=5.0, help="m/s, at most (default: 5)"),
    option("--spin", type=float, default=200.0, help="rad/s, at most (default: 200)"),
    option("--engine", default="core"),
    option("--accuracy", default="standard"),
)

if __name__ == "__main__":
    raise SystemExit(main())
