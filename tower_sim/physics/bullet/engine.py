"""A scene for an engine that only steps: it chooses the steps, lets cubes sleep, and mirrors them for the core.

Between two windows the core decides (`come_and_go`, `judge`) from the poses of the cubes in its tables.
"""

from __future__ import annotations

import contextlib
import importlib
import math
import os
import threading
import weakref
from collections.abc import Generator, Iterable, Mapping
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, ClassVar, Protocol

import numpy as np

from tower_sim.apparatus import TOUCH, Apparatus, Box, Surface, axes, corners
from tower_sim.errors import UsageError
from tower_sim.physics.core import CoreEngine, arrays
from tower_sim.physics.engine import Motion
from tower_sim.physics.scene import Scene
from tower_sim.physics.settings import GRAVITY, PhysicsSettings
from tower_sim.tools import pip_install
from tower_sim.values import Cube, Landing, Pose, Touch

_SAME = 1e-12  # of the edge: rounding, not motion


class SteppedScene(Scene):
    """An apparatus with its cubes in an engine that only steps, and remembers no contacts.

    By a cube's number in the tables, `_bodies` has the engine's body, and `_quiet` how long (s) it has been quiet.
    """

    way: ClassVar[int] = arrays.MIRRORED

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

    def read(self) -> dict[Cube, Landing]:
        """Return where all cubes are; see `Scene.read`."""
        for row, pose in zip(self._mirrored(), self.poses(), strict=True):
            row["position"], row["turn"] = pose.position, pose.orientation
        return super().read()

    def _mirrored(self) -> Any:
        tables = self.tables
        return tables.bodies[tables.whole[0].fixed : tables.whole[0].rows]

    def _see(self) -> None:
        motion, rows = self.motion(), self._mirrored()
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


class Stepper(Protocol):
    """One world of fixed boxes and equal cubes, made with the settings: `ENGINE(settings)`.

    `title` is the engine's name for people. `distribution` is the package whose version decides the results. The
    module must be importable without that package; making an engine then raises UsageError, which says what to install.

    A caller calls `clear`, sets effort and gravity, then adds the boxes, sets the kind of cube, and adds cubes. Nothing
    is random: the same calls after a `clear` give the same bytes, in any process. Quaternions are unit quaternions (x,
    y, z, w). Velocities and spins are in the world's frame.
    """

    title: str
    distribution: str

    def __init__(self, settings: PhysicsSettings) -> None:
        """Make an empty world."""

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """The re-entrant lock of a drop; an engine with state for the whole process has one for the process."""
        ...

    def close(self) -> None:
        """Release what the engine holds; a second call does nothing."""

    def clear(self, edge: float) -> None:
        """Empty the world and set it up with the settings, for cubes of edge `edge` (m)."""

    def set_effort(self, iterations: int, residual: float, relaxation: float) -> None:
        """Set the solver's maximum of `iterations` a step; see PhysicsSettings for `residual` and `relaxation`."""

    def set_gravity(self, gravity: tuple[float, float, float]) -> None:
        """Set gravity (m/s2), which wakes no cube; swinging gravity moves the apparatus."""

    def add_boxes(self, boxes: Iterable[Box], surfaces: Mapping[str, Surface], cube: Surface) -> None:
        """Add fixed boxes; `surfaces` has the contact of a cube with each surface, `cube` that of two cubes.

        Friction is Coulomb's, restitution Newton's. Cubes have no rolling or spinning friction and no damping.
        """

    def set_cubes(self, mass: float, inertia: float | None = None) -> None:
        """Set the cubes' mass (kg) and moment of inertia about each axis (kg m2; None: that of a uniform cube)."""

    def add_cube(self, pose: Pose) -> int:
        """Add a cube, awake and at rest; return the body's number in this world."""
        ...

    def set_velocity(self, body: int, velocity: Iterable[float], spin: Iterable[float]) -> None:
        """Give a cube a velocity (m/s) and a spin (rad/s)."""

    def lay_to_rest(self, poses: Mapping[int, Pose]) -> None:
        """Put cubes to sleep exactly at `poses`, where they are now; no time passes."""

    def put_to_sleep(self, body: int) -> None:
        """Stop a cube until another body hits it or `wake` is called."""

    def wake(self, body: int) -> None:
        """Wake a cube."""

    def remove(self, body: int) -> None:
        """Take a cube out of the world."""

    def step(self, timestep: float, steps: int) -> None:
        """Take `steps` steps of `timestep` seconds each."""

    def overlap(self) -> float:
        """Return the greatest penetration (m) of the contacts in the last step, or 0."""
        ...

    def motion(self, bodies: Iterable[int]) -> Motion:
        """Return poses and velocities of `bodies`, in their order; `bodies` may be empty."""
        ...


CM = 100.0
_GRAM = 1000.0  # grams in a kilogram; grams suit centimetres
_LIFTED_CLAMP = 1e5
_INSTANT = 1e-5  # s
_CONTACT_DISTANCE = 8  # the index of the distance of the two surfaces in a contact point of getContactPoints

# Bullet keeps some of its state once for the whole process (the contact-breaking threshold is one), not once for each
# client: calls of two threads that mix change each other's results.
LOCK = threading.RLock()
if hasattr(os, "register_at_fork"):  # otherwise a process forked during another thread's drop would wait for ever
    os.register_at_fork(before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release)


@contextlib.contextmanager
def _stderr_away() -> Generator[None]:
    try:
        kept = os.dup(2)
    except OSError:  # standard error is closed: nothing to keep clean
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


@cache
def load_bullet() -> Any:
    """Import PyBullet without the line that it prints on standard error; raise UsageError if it is missing."""
    title, name = BulletEngine.title, BulletEngine.distribution
    try:
        with LOCK, _stderr_away():
            return importlib.import_module(name)
    except ImportError as error:
        raise UsageError(
            f"{title}, which the engine bullet needs, cannot be imported ({error}); allowed is a Python that has it; "
            f"try: {pip_install(name)} (Python 3.11 on Linux has a binary wheel), or another engine, such as core"
        ) from None


class BulletEngine:
    """A Stepper with one client of Bullet, which is released when the engine is closed or garbage collected."""

    title = "PyBullet"
    about = "Bullet's rigid bodies, to hold the core against"
    distribution = "pybullet"
    lock = LOCK

    def __init__(self, settings: PhysicsSettings) -> None:
        self._settings = settings
        self._bullet = load_bullet()
        with LOCK:
            self._client: int = self._bullet.connect(self._bullet.DIRECT)
        self._give_back = weakref.finalize(self, self._bullet.disconnect, self._client)
        self._edge = 0.0
        self._relaxation = settings.relaxation
        self._cube_shape = -1
        self._cube_mass = 0.0
        self._cube_inertia: float | None = None
        self._cube_surface = Surface(0.0, 0.0)

    def _do(self, name: str, *arguments: Any, **options: Any) -> Any:
        return getattr(self._bullet, name)(*arguments, physicsClientId=self._client, **options)

    def _make_box(self, half: Iterable[float]) -> int:
        return self._do("createCollisionShape", self._bullet.GEOM_BOX, halfExtents=[x * CM for x in half])

    def _set_dynamics(self, body: int, **options: Any) -> None:
        self._do("changeDynamics", body, -1, **options)

    def close(self) -> None:
        self._give_back()

    def clear(self, edge: float) -> None:
        self._edge = edge
        self._do("resetSimulation")
        self._do(
            "setPhysicsEngineParameter",
            numSubSteps=0,
            contactBreakingThreshold=self._settings.contact_breaking * edge * CM,  # for all worlds of the process
            restitutionVelocityThreshold=self._settings.restitution_speed * CM,
            useSplitImpulse=1,
            splitImpulsePenetrationThreshold=0.0,
        )

    def set_effort(self, iterations: int, residual: float, relaxation: float) -> None:
        self._relaxation = relaxation
        self._do("setPhysicsEngineParameter", numSolverIterations=iterations, solverResidualThreshold=residual)

    def set_gravity(self, gravity: tuple[float, float, float]) -> None:
        self._do("setGravity", *(g * CM for g in gravity))

    def add_boxes(self, boxes: Iterable[Box], surfaces: Mapping[str, Surface], cube: Surface) -> None:
        self._cube_surface = Surface(math.sqrt(cube.friction), math.sqrt(cube.restitution))
        for box in boxes:
            pair, shape, centre = surfaces[box.surface], self._make_box(box.half), [x * CM for x in box.centre]
            body = self._do("createMultiBody", 0, shape, -1, centre, box.orientation, useMaximalCoordinates=True)
            self._set_dynamics(
                body,
                lateralFriction=_factor(pair.friction, self._cube_surface.friction),
                restitution=_factor(pair.restitution, self._cube_surface.restitution),
                rollingFriction=0.0,
                spinningFriction=0.0,
            )

    def set_cubes(self, mass: float, inertia: float | None = None) -> None:
        self._cube_shape = self._make_box([self._edge / 2] * 3)
        self._cube_mass = mass * _GRAM
        self._cube_inertia = None if inertia is None else inertia * _GRAM * CM**2

    def add_cube(self, pose: Pose) -> int:
        position, mass, shape = [x * CM for x in pose.position], self._cube_mass, self._cube_shape
        body: int = self._do(
            "createMultiBody", mass, shape, -1, position, pose.orientation, useMaximalCoordinates=False
        )
        self._set_dynamics(
            body,
            lateralFriction=self._cube_surface.friction,
            restitution=self._cube_surface.restitution,
            rollingFriction=0.0,
            spinningFriction=0.0,
            linearDamping=0.0,
            angularDamping=0.0,
            maxJointVelocity=_LIFTED_CLAMP,
            activationState=self._bullet.ACTIVATION_STATE_ENABLE_SLEEPING,
        )
        if self._cube_inertia is not None:
            self._set_dynamics(body, localInertiaDiagonal=[self._cube_inertia] * 3)
        return body

    def set_velocity(self, body: int, velocity: Iterable[float], spin: Iterable[float]) -> None:
        self._do("resetBaseVelocity", body, [v * CM for v in velocity], list(spin))

    def lay_to_rest(self, poses: Mapping[int, Pose]) -> None:
        """Put cubes to sleep exactly at `poses`.

        Bullet lets a multibody sleep only after a step in which it hardly moved, so the engine takes two steps that are
        too short for gravity and correct no overlap, and puts each cube back.
        """
        for body in poses:
            self.put_to_sleep(body)
        self._take_steps(2, _INSTANT, 0.0)
        for body, pose in poses.items():
            position = [x * CM for x in pose.position]
            self._do("resetBasePositionAndOrientation", body, position, pose.orientation)
            self.put_to_sleep(body)

    def put_to_sleep(self, body: int) -> None:
        self.set_velocity(body, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        self._set_dynamics(body, activationState=self._bullet.ACTIVATION_STATE_SLEEP)

    def wake(self, body: int) -> None:
        self._set_dynamics(body, activationState=self._bullet.ACTIVATION_STATE_WAKE_UP)

    def remove(self, body: int) -> None:
        self._do("removeBody", body)

    def step(self, timestep: float, steps: int) -> None:
        """Take `steps` engine steps of `timestep` seconds each.

        Bullet adds the speed of the correction, overlap / relaxation, to a contact's bounce. A fixed fraction in each
        step, as usual, would add energy that does not vanish with the timestep.
        """
        self._take_steps(steps, timestep, min(timestep / self._relaxation, 1.0))

    def _take_steps(self, steps: int, timestep: float, correction: float) -> None:
        self._do("setPhysicsEngineParameter", fixedTimeStep=timestep, contactERP=correction)
        for _ in range(steps):
            self._do("stepSimulation")

    def overlap(self) -> float:
        return max((-point[_CONTACT_DISTANCE] for point in self._do("getContactPoints")), default=0.0) / CM

    def motion(self, bodies: Iterable[int]) -> Motion:
        rows: list[tuple[float, ...]] = []
        for body in bodies:
            position, orientation = self._do("getBasePositionAndOrientation", body)
            velocity, spin = self._do("getBaseVelocity", body)
            rows.append((*position, *orientation, *velocity, *spin))
        table = np.array(rows, dtype=np.float64).reshape(-1, 13)
        return Motion(table[:, :3] / CM, table[:, 3:7], table[:, 7:10] / CM, table[:, 10:])


def _factor(pair: float, other: float) -> float:
    return pair / other if other > 0 else 0.0
