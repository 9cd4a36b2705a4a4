"""A bench for single parts of the physics: an engine that is stepped by hand, a hand alone, a knock alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from tower_sim.apparatus import WithBoard, load
from tower_sim.apparatus.parts import Hand
from tower_sim.drops import until_landed
from tower_sim.physics import Motion, PhysicsSettings, Scene, world
from tower_sim.physics.core import CoreEngine
from tower_sim.physics.core.drop import GRAVITY, SHAKING
from tower_sim.physics.scene import Launch
from tower_sim.simulator import PhysicsModel, draw_direction
from tower_sim.values import Cube, Outcome, Pose, supply

__all__ = ["GRAVITY", "SHAKING", "Launch", "Motion", "Shake", "World", "drop_until_landed", "put_down", "release"]


def drop_until_landed(model: PhysicsModel, number: int, seed: int) -> Outcome:
    """Drop so many cubes into the empty tower; what is no landing is drawn again."""
    cubes = supply({"any": number}, model.cube_edge)
    return until_landed(partial(model.drop, model.empty(), cubes), np.random.SeedSequence(seed))


class World(world.World):
    """An engine of any kind that a test fills and steps; `steps` and `seconds` count what it took."""

    def __init__(self, settings: PhysicsSettings) -> None:
        super().__init__(settings)
        self.steps, self.seconds = 0, 0.0
        self._edge = self._pull = 0.0

    def clear(self, edge: float, gravity: tuple[float, float, float] = (0.0, 0.0, -GRAVITY)) -> None:
        """Empty the world and set up the engine for cubes of edge `edge` (m) under `gravity` (m/s2)."""
        self._edge = edge
        self.engine.clear(edge)
        settings = self.settings
        self.engine.set_effort(settings.iterations, settings.residual, settings.relaxation)
        self.set_gravity(gravity)

    def set_gravity(self, gravity: tuple[float, float, float]) -> None:
        self._pull = math.hypot(*gravity)
        self.engine.set_gravity(gravity)

    def advance(self, motion: Motion, windows: int = 1) -> int:
        """Run up to `windows` windows of the settings from `motion`, one with Bullet; return how many."""
        settings = self.settings
        if isinstance(self.engine, CoreEngine):
            before = self.engine.steps
            taken = self.engine.run(windows)
            self.steps += self.engine.steps - before
            self.seconds += taken * settings.window
            return taken
        speed = np.linalg.norm(motion.velocity, axis=1) + self._pull * settings.window
        rate = float((speed / (settings.step_travel * self._edge)).max(initial=1 / settings.timestep))
        steps = math.ceil(settings.window * rate - 1e-9)
        self.step(settings.window / steps, steps)
        return 1

    def step(self, timestep: float, steps: int) -> None:
        """Take `steps` engine steps of `timestep` seconds each, and count them."""
        self.engine.step(timestep, steps)
        self.steps += steps
        self.seconds += steps * timestep


@dataclass(frozen=True)
class Shake:
    """A knock: its peak acceleration `strength` (g) and its direction."""

    strength: float
    x: float
    y: float

    @staticmethod
    def draw(strength: float, rng: np.random.Generator) -> Shake:
        return Shake(strength, *draw_direction(rng))

    @property
    def row(self) -> tuple[float, float, float]:
        return self.strength, self.x, self.y

    def gravity(self, time: float) -> tuple[float, float, float]:
        """Return the gravity (m/s2) that the core lets cubes feel at `time` (s) after the knock began."""
        core = CoreEngine(PhysicsSettings())
        tables = core.tables
        tables.real[0].window = 2 * time  # in whose middle it is
        tables.plan[0].strength, tables.plan[0].shake = self.strength, (self.x, self.y)
        core.core.set_gravity(tables)
        x, y, z = tables.real[0].gravity.tolist()
        return x, y, z


def release(
    cubes: Sequence[Cube], hand: Hand, rim_top: float, edge: float, window: float, *rngs: np.random.Generator
) -> list[list[Launch]]:
    """Draw with each generator the launches of a throw by a hand of cubes of `edge` (m) over a rim."""
    shape = replace(load("amerigo"), hand=hand, cube_edge=edge)
    settings = PhysicsSettings(window=window)
    scene = Scene(CoreEngine(settings), shape, settings)
    scene.tables.plan[0].rim = rim_top
    drawn: list[list[Launch]] = []
    for rng in rngs:
        scene.lay({}, {})
        scene.throw(cubes, rng)
        drawn.append(read_launches(scene))
    return drawn


def put_down(ship: WithBoard, zone: str, others: Sequence[Pose], rng: np.random.Generator) -> Pose:
    """Draw where a hand puts a cube down in a zone beside cubes at `others`."""
    settings = PhysicsSettings()
    scene = Scene(CoreEngine(settings), ship, settings)
    scene.lay({}, {Cube(k, "red", ship.cube_edge): pose for k, pose in enumerate(others)})
    scene.put_down(Cube(len(others), "red", ship.cube_edge), zone, rng)
    return read_launches(scene)[0].pose


def read_launches(scene: Scene) -> list[Launch]:
    """Return the launches that a scene's next drop makes."""
    drop = scene.tables.drop[0]
    rows = range(int(drop.laid), int(drop.laid + drop.launches))
    launches: list[Launch] = []
    for row, cube in zip(rows, scene.named(rows), strict=True):
        pose, windows, velocity, spin, *_ = scene.tables.cubes[row].tolist()
        x, y, z, *turn = pose.tolist()
        launches.append(Launch(cube, int(windows), Pose((x, y, z), tuple(turn)), tuple(velocity), tuple(spin)))
    return launches
