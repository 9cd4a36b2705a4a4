"""Scenes for tests of the physics: one of the tower's cubes, a box floor under it, and engines as towers use them."""

from __future__ import annotations

import importlib.util
import math
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt
import pytest

from tests.support.bench import GRAVITY, Launch, Motion, World
from tower_sim.apparatus import Apparatus, Box, Hull, Surface, tilted_about_y
from tower_sim.apparatus.parts import Quaternion, Vector
from tower_sim.physics import PhysicsSettings, Scene
from tower_sim.physics.core import CoreEngine
from tower_sim.values import Cube, Pose

Array = npt.NDArray[np.float64]

EDGE = 0.008
MASS = 650.0 * EDGE**3
INERTIA = MASS * EDGE**2 / 6
UPRIGHT: Quaternion = (0.0, 0.0, 0.0, 1.0)
DOWN: Vector = (0.0, 0.0, -GRAVITY)
WEIGHTLESS: Vector = (0.0, 0.0, 0.0)
CORNERS: Array = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float) / 2


@dataclass(frozen=True)
class Thing:
    """A cube to be: its size, mass and moment of inertia (None: a uniform cube's)."""

    edge: float = EDGE
    mass: float = MASS
    inertia: float | None = None


TOWER_CUBE = Thing()

ENGINES = ("core", pytest.param("bullet", marks=pytest.mark.bullet))
"""The engines that known answers are asked of, for `pytest.fixture(params=ENGINES)`."""


def awake(engine: str) -> PhysicsSettings:
    """Return the settings of an engine as towers have them, but that no cube falls asleep within ten seconds.

    So what stays at rest is held by contacts. Skips the test where the engine is not installed.
    """
    if engine == "bullet" and importlib.util.find_spec("pybullet") is None:
        pytest.skip("PyBullet is not installed")
    return PhysicsSettings(engine=engine, quiet_time=10.0)


def floor(slope: float = 0.0) -> Box:
    """Return a box, 4 m wide, whose top passes through the origin and descends towards +x at the angle `slope`."""
    thick = 0.25
    centre = (-thick * math.sin(slope), 0.0, -thick * math.cos(slope))
    return Box("floor", "floor", centre, (2.0, 2.0, thick), tilted_about_y(slope))


def slope_axes(slope: float) -> tuple[Array, Array]:
    """Return the directions across such a floor and down it."""
    sine, cosine = math.sin(slope), math.cos(slope)
    return np.array([sine, 0.0, cosine]), np.array([cosine, 0.0, -sine])


def core(world: World) -> CoreEngine:
    return cast("CoreEngine", world.engine)


def set_up(
    world: World,
    poses: Sequence[Pose],
    pair: Surface,
    solids: Sequence[Box | Hull] = (),
    gravity: Vector = DOWN,
    thing: Thing = TOWER_CUBE,
) -> list[int]:
    """Clear the world and put `solids` and cubes at rest at `poses` there; `pair` is every contact's."""
    world.clear(thing.edge, gravity)
    boxes, hulls = [x for x in solids if isinstance(x, Box)], [x for x in solids if isinstance(x, Hull)]
    if hulls:
        core(world).add_solids(boxes, hulls, {"floor": pair}, pair)
    else:
        world.engine.add_boxes(boxes, {"floor": pair}, pair)
    world.engine.set_cubes(thing.mass, thing.inertia)
    return [world.engine.add_cube(pose) for pose in poses]


def run(world: World, bodies: Sequence[int], seconds: float) -> Iterator[Motion]:
    """Go on for `seconds`, rounded up to whole windows, as a drop does; yield the motion after every window."""
    motion = world.engine.motion(bodies)
    for _ in range(math.ceil(seconds / world.settings.window - 1e-9)):
        world.advance(motion)
        motion = world.engine.motion(bodies)
        yield motion


def run_out(world: World, bodies: Sequence[int], seconds: float) -> Motion:
    """Go on for `seconds`, rounded up to whole windows, and return the last motion."""
    *_, last = run(world, bodies, seconds)
    return last


def acceleration(world: World, motions: Iterable[Motion], way: Array) -> float:
    """Return the acceleration (m/s2) of the first body along `way`, from 0.1 s on, when it lies still but for that."""
    speed = np.array([motion.velocity[0] @ way for motion in motions])
    times = world.settings.window * np.arange(1, len(speed) + 1)
    return float(np.polyfit(times[times > 0.1], speed[times > 0.1], 1)[0])


def bounce(world: World, bodies: Sequence[int], half: float, height: float) -> float:
    """Return the speed of a body after a flat impact over that before it, both at the height of touch `half` (m)."""
    rising = False
    for motion in run(world, bodies, 1.0):
        # the window in which the body turns may end inside the impact, so the next one is read
        if rising:
            energy = motion.velocity[0, 2] ** 2 / 2 + GRAVITY * (motion.position[0, 2] - half)
            return math.sqrt(energy / (GRAVITY * height))
        rising = bool(motion.velocity[0, 2] > 0)
    raise AssertionError(f"a body dropped from {height} m did not bounce within a second")


def matrices(orientation: Array) -> Array:
    """Return the rotation matrices of unit quaternions (x, y, z, w): (n, 4) to (n, 3, 3)."""
    x, y, z, w = orientation.T
    rows = (
        *(1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        *(2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        *(2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )
    return np.stack(rows, axis=1).reshape(-1, 3, 3)


def turns(rng: np.random.Generator, number: int) -> Array:
    """Draw orientations uniform over the rotations: unit quaternions (x, y, z, w), shape (number, 4)."""
    q = rng.normal(size=(number, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def pose(position: Sequence[float] | Array, orientation: Sequence[float] | Array = UPRIGHT) -> Pose:
    x, y, z = (float(v) for v in position)
    a, b, c, w = (float(v) for v in orientation)
    return Pose((x, y, z), (a, b, c, w))


def draw_corners(rng: np.random.Generator, number: int) -> tuple[Array, Array, Array, Array]:
    """Draw cubes at the moment one corner strikes, faster than 0.3 m/s: orientation, velocity and spin, arm, slip."""
    turn = turns(rng, 4 * number)
    motion = np.concatenate([rng.normal(0, 1.0, (4 * number, 3)), rng.normal(0, 30.0, (4 * number, 3))], axis=1)
    corners = np.einsum("nij,kj->nki", matrices(turn), CORNERS * EDGE)
    arm = corners[np.arange(len(corners)), corners[:, :, 2].argmin(axis=1)]
    slip = np.asarray(motion[:, :3] + np.cross(motion[:, 3:], arm), dtype=np.float64)
    fast = np.flatnonzero(slip[:, 2] < -0.3)[:number]
    return turn[fast], motion[fast], arm[fast], slip[fast]


def point_mobility(arm: Array, inertia: float = INERTIA, mass: float = MASS) -> Array:
    """Return how a point's velocity answers to an impulse there (1/kg), for a body of isotropic inertia."""
    crossed = (arm**2).sum(axis=1)[:, None, None] * np.eye(3) - arm[:, :, None] * arm[:, None, :]
    return np.eye(3) / mass + crossed / inertia


def routh(
    slip: Array, mobility: Array, friction: float, restitution: float, pieces: int = 300
) -> tuple[Array, Array, Array]:
    """Integrate impacts at one point along the normal impulse (Routh's method) with Coulomb friction.

    slip (n, 3): the point's velocity before (m/s), z away from the surface, slip[:, 2] < 0; mobility (n, 3, 3): how
    that velocity answers to an impulse (1/kg). Returns the impulses (n, 3) (N s) with Poisson's restitution (ratio of
    normal impulses) and with Newton's (ratio of normal speeds), and by how much (rad) slip changed its direction
    before the later of the two, pi where it stopped or reversed.

    Each piece of normal impulse brings the friction, not above the bound, that leaves the least slip or opposes it:
    slip, sticking and slip anew are one rule. The error is of the order of 1 / `pieces`.
    """
    velocity, impulse = slip.copy(), np.zeros_like(slip)
    piece = -slip[:, 2] / mobility[:, 2, 2] / pieces
    stiffness, frame = np.linalg.eigh(mobility[:, :2, :2])
    first = -slip[:, :2] / np.linalg.norm(slip[:, :2], axis=1, keepdims=True)
    compression = np.full(len(slip), np.inf)
    poisson, newton = np.full_like(slip, np.nan), np.full_like(slip, np.nan)
    turn = np.zeros(len(slip))
    while np.isnan(poisson).any() or np.isnan(newton).any():
        going = np.isnan(poisson[:, 0]) | np.isnan(newton[:, 0])
        free = velocity[:, :2] + mobility[:, :2, 2] * piece[:, None]
        rubbed = _friction(np.einsum("nji,nj->ni", frame, free), stiffness, friction * piece)
        rubbed = np.einsum("nij,nj->ni", frame, rubbed)
        added = np.column_stack([rubbed, piece])
        impulse = impulse + added
        velocity = velocity + np.einsum("nij,nj->ni", mobility, added)

        size = np.linalg.norm(rubbed, axis=1)
        along = np.clip((rubbed * first).sum(axis=1) / np.maximum(size, 1e-300), -1.0, 1.0)
        now = np.where(size < 0.999 * friction * piece, math.pi, np.arccos(along))
        turn = np.where(going, np.maximum(turn, now), turn)

        compression = np.where(np.isinf(compression) & (velocity[:, 2] >= 0), impulse[:, 2], compression)
        ended = np.isnan(poisson[:, 0]) & (impulse[:, 2] >= (1 + restitution) * compression)
        poisson[ended] = impulse[ended]
        ended = np.isnan(newton[:, 0]) & (velocity[:, 2] >= -restitution * slip[:, 2])
        newton[ended] = impulse[ended]
    return poisson, newton, turn


def _friction(free: Array, stiffness: Array, bound: Array) -> Array:
    """Return the friction impulse for slip `free` (n, 2) it would have without, both along the principal axes.

    The impulse that stops the slip if it is within `bound` (n,), else one of size `bound` against the slip it leaves:
    -bound * s with (rho + bound * stiffness) s = free and |s| = 1, whose root rho Newton's method finds from below.
    """
    stopping = -free / stiffness
    sticks = np.linalg.norm(stopping, axis=1) <= bound
    scaled = np.maximum(bound, 1e-300)[:, None] * stiffness
    rho = np.maximum(np.linalg.norm(free, axis=1) - scaled[:, 1], 0.0)
    for _ in range(5):
        s = free / (rho[:, None] + scaled)
        size = np.linalg.norm(s, axis=1)
        slope = (s**2 / (rho[:, None] + scaled)).sum(axis=1)
        rho = np.maximum(rho + (size - 1) * size**2 / slope, 0.0)
    s = free / (rho[:, None] + scaled)
    return np.where(sticks[:, None], stopping, -bound[:, None] * s)


def holds_in_a_fork(claim: Callable[[], bool]) -> bool:
    """Whether a claim holds in a forked process, which has five minutes: it might wait for ever."""
    child = os.fork()
    if child == 0:
        holds = False
        signal.alarm(300)
        try:
            holds = claim()
        finally:
            os._exit(0 if holds else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def overlap_in(shape: Apparatus, poses: Sequence[Pose]) -> float:
    """Return how deep (m) a cube at one of `poses` is in another or in a part of `shape`."""
    scene = _scene(shape)
    scene.lay({Cube(k, "red", shape.cube_edge): each for k, each in enumerate(poses)}, {})
    return scene.overlap()


def overlap_with_parts(shape: Apparatus, poses: Sequence[Pose]) -> float:
    """Return how deep (m) a cube that is let go alone at one of `poses` is in a part of `shape`."""
    scene = _scene(shape)
    scene.launch([Launch(Cube(k, "red", shape.cube_edge), 0, each) for k, each in enumerate(poses)])
    return max((scene.core.core.depth_of(scene.tables, k) for k in range(len(poses))), default=0.0)


def _scene(shape: Apparatus) -> Scene:
    settings = PhysicsSettings()
    return Scene(CoreEngine(settings), shape, settings)
