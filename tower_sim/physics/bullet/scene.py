"""A scene for an engine that only steps: it chooses the steps, lets cubes sleep, and mirrors them for the core.

Between two windows the core decides (`come_and_go`, `judge`) from the poses of the cubes in its tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import ClassVar

import numpy as np

from tower_sim.apparatus.parts import Apparatus
from tower_sim.apparatus.shapes import axes, corners
from tower_sim.apparatus.where import TOUCH
from tower_sim.cubes import Cube
from tower_sim.errors import UsageError
from tower_sim.physics.bullet.stepper import Stepper
from tower_sim.physics.core import CoreEngine, arrays
from tower_sim.physics.engine import Motion
from tower_sim.physics.scene import Scene
from tower_sim.physics.settings import GRAVITY, PhysicsSettings
from tower_sim.state import Pose, Touch

_SAME = 1e-12  # of the edge: rounding, not motion


class SteppedScene(Scene):
    """An apparatus with its cubes in an engine that only steps, and remembers no contacts.

    By a cube's number in the tables, `_bodies` has the engine's body, and `_quiet` how long (s) it has been quiet.
    """

    run: ClassVar[int] = arrays.MIRRORED

    def __init__(self, engine: Stepper, apparatus: Apparatus, settings: PhysicsSettings) -> None:
        """Build `apparatus` in the emptied world of `engine`; raise UsageError for parts that are no boxes."""
        if apparatus.hulls:
            raise UsageError(
                f"apparatus {apparatus.name!r} has parts that are no boxes, which engine {engine.title!r} does not "
                "know; allowed is an engine that does; take --engine core"
            )
        super().__init__(CoreEngine(settings), apparatus, settings)
        self.engine = engine
        edge = apparatus.cube_edge
        engine.clear(edge)
        self._work_as_usual()
        engine.add_boxes(apparatus.boxes, apparatus.surfaces, apparatus.between_cubes)
        engine.set_cubes(apparatus.cube_density * edge * edge * edge)
        self._bodies: dict[int, int] = {}
        self._laid: dict[int, Pose] = {}
        self._quiet: dict[int, float] = {}
        self._wakes = 0
        self._steps = 0

    @property
    def steps(self) -> int:
        """The number of engine steps in this scene."""
        return self._steps

    def lay(self, inside: Mapping[Cube, Pose], outside: Mapping[Cube, Pose], touches: Iterable[Touch] = ()) -> None:
        """Put resting cubes at their poses, asleep until they are hit.

        On a board a cube with fewer than four corners near the floor is awake: its support may be gone.
        """
        super().lay(inside, outside)
        self.engine.set_gravity((0.0, 0.0, -GRAVITY))
        poses = (*inside.values(), *outside.values())
        self._laid = dict(enumerate(poses))
        self.mirror()
        self.engine.lay_to_rest({self._bodies[k]: pose for k, pose in self._laid.items()})
        board, edge = self.apparatus.board, self.apparatus.cube_edge
        motion = self.motion()
        height = corners(motion.position, motion.orientation, edge)[:, :, 2]
        for k in self._laid:
            if board and (height[k] <= board.floor + TOUCH * edge).sum() < 4:
                self.engine.wake(self._bodies[k])
            else:
                self._quiet[k] = math.inf

    def _run(self) -> None:
        tables, core = self.tables, self.core.core
        self._work_as_usual()
        self.mirror()
        while True:
            self._see()
            core.come_and_go(tables)
            if tables.drop[0].status == arrays.ASKING:
                self.mirror()
                self._answer()
                core.come_and_go(tables)
            self.mirror()
            if tables.drop[0].status != arrays.RUNNING:
                return
            self.rest()
            is_again = core.judge(tables)
            self.mirror()
            if tables.drop[0].status != arrays.RUNNING:
                return
            if not is_again:
                core.set_gravity(tables)
                x, y, z = tables.real[0].gravity.tolist()
                self.take_window((x, y, z))

    def take_window(self, gravity: tuple[float, float, float]) -> None:
        """Run one window under `gravity` (m/s2), in steps in which no cube travels further than the settings allow."""
        settings, tables = self.settings, self.tables
        self.engine.set_gravity(gravity)
        motion = self.motion()
        passed = motion.position[:, 2] < self.apparatus.passed
        travel = np.where(passed, settings.passed_travel, settings.step_travel) * self.apparatus.cube_edge
        speed = np.linalg.norm(motion.velocity, axis=1) + math.hypot(*gravity) * settings.window
        rate = float((speed / travel).max(initial=1 / settings.timestep))
        steps = math.ceil(settings.window * rate - 1e-9)
        self.engine.step(settings.window / steps, steps)
        self._steps += steps
        tables.drop[0].passed_windows += 1
        tables.drop[0].is_answered = 0

    def _see(self) -> None:
        motion, tables = self.motion(), self.tables
        rows = tables.bodies[tables.whole[0].fixed : tables.whole[0].rows]
        rows["position"], rows["turn"], rows["axes"] = motion.position, motion.orientation, axes(motion.orientation)

    def rest(self) -> bool:
        """Put to sleep the cubes that have been quiet for `quiet_time`; return whether all sleep."""
        settings, motion, tables = self.settings, self.motion(), self.tables
        enough = settings.quiet_time - 1e-9
        speed = np.abs(motion.velocity).max(axis=1, initial=0.0)
        spin = np.abs(motion.spin).max(axis=1, initial=0.0)
        for i, (k, body) in enumerate(self._bodies.items()):
            if speed[i] >= settings.quiet_speed or spin[i] >= settings.quiet_spin:
                self._quiet[k] = 0.0
            elif self._quiet[k] < enough:
                self._quiet[k] += settings.window
                if self._quiet[k] >= enough:
                    self.engine.put_to_sleep(body)
        first = int(tables.whole[0].fixed)
        for i, k in enumerate(self._bodies, first):
            tables.flags[i].awake = self._quiet[k] < enough
        deepest = settings.rest_overlap * self.apparatus.cube_edge
        asleep = all(self._quiet[k] >= enough for k in self._bodies)
        tables.drop[0].is_wedged = asleep and self.engine.overlap() > deepest
        return asleep

    def mirror(self) -> None:
        """Add, remove and wake the engine's bodies as the core has done with its own."""
        tables = self.tables
        numbers = self.core.bodies
        for k in [k for k in self._bodies if k not in numbers]:
            self.engine.remove(self._bodies.pop(k))
        for k in numbers:
            if k not in self._bodies:
                x, y, z, a, b, c, d = tables.cubes[k].pose.tolist()
                self._bodies[k] = self.engine.add_cube(Pose((x, y, z), (a, b, c, d)))
                self._quiet[k] = 0.0
                if k not in self._laid:
                    cube = tables.cubes[k]
                    self.engine.set_velocity(self._bodies[k], cube.let_velocity.tolist(), cube.let_spin.tolist())
        if tables.drop[0].wakes != self._wakes:
            self._wakes = int(tables.drop[0].wakes)
            self._wake_all()

    def _wake_all(self) -> None:
        settings = self.settings
        self.engine.set_effort(settings.firm_iterations, 0.0, settings.firm_relaxation)
        for k, body in self._bodies.items():
            self.engine.wake(body)
            self._quiet[k] = 0.0

    def _work_as_usual(self) -> None:
        self.engine.set_effort(self.settings.iterations, self.settings.residual, self.settings.relaxation)

    def lie_still(self) -> tuple[Touch, ...]:
        """Return no contacts: such an engine remembers none."""
        return ()

    def motion(self) -> Motion:
        """Return poses and velocities of the cubes that are there."""
        return self.engine.motion(self._bodies.values())

    def poses(self) -> list[Pose]:
        """Return the poses of the cubes there: of one that has not moved exactly that at which it was laid."""
        return [self._exact(pose, self._laid.get(k)) for k, pose in zip(self._bodies, super().poses(), strict=True)]

    def _exact(self, now: Pose, laid: Pose | None) -> Pose:
        if laid is None or math.dist(now.position, laid.position) > _SAME * self.apparatus.cube_edge:
            return now
        alike = abs(sum(a * b for a, b in zip(now.orientation, laid.orientation, strict=True)))
        return laid if alike > 1 - _SAME else now


def make_scene(engine: CoreEngine | Stepper, apparatus: Apparatus, settings: PhysicsSettings) -> Scene:
    """Return an apparatus without cubes in the emptied world of an engine."""
    if isinstance(engine, CoreEngine):
        return Scene(engine, apparatus, settings)
    return SteppedScene(engine, apparatus, settings)
