"""The engine `bullet`: PyBullet with the fixed boxes and the cubes of a scene. SI units outside, centimetres inside.

Bullet's thresholds suit bodies of a size of about 1. Only multibodies (`useMaximalCoordinates=False`) have a true
friction cone; Bullet clamps their velocity coordinates at 100 units unless `maxJointVelocity` is raised. It multiplies
friction and restitution of the two bodies of a pair, so each body gets a factor.
"""

from __future__ import annotations

import contextlib
import importlib
import math
import os
import threading
import weakref
from collections.abc import Generator, Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np

from tower_sim.apparatus.parts import Box, Surface
from tower_sim.errors import UsageError
from tower_sim.physics.engine import Motion
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.state import Pose
from tower_sim.tools.pool import pip_install

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
