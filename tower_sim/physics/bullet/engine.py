"""The engine `bullet`: PyBullet with the fixed boxes and the cubes of a scene. SI units outside, centimetres inside.

Bullet's thresholds suit bodies of a size of about 1, hence centimetres. Only multibodies
(`useMaximalCoordinates=False`) have a true friction cone. Bullet clamps each of their velocity coordinates at 100 units
unless `maxJointVelocity` is raised. It multiplies the friction and the restitution of the two bodies of a pair, so each
body gets factors whose products are the wanted values.
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
from tower_sim.tools.extras import pip_install

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

    def close(self) -> None:
        """Disconnect from Bullet."""
        self._give_back()

    def clear(self, edge: float) -> None:
        """Empty the world and set it up."""
        self._edge = edge
        self._bullet.resetSimulation(physicsClientId=self._client)
        self._bullet.setPhysicsEngineParameter(
            numSubSteps=0,
            contactBreakingThreshold=self._settings.contact_breaking * edge * CM,  # for all worlds of the process
            restitutionVelocityThreshold=self._settings.restitution_speed * CM,
            useSplitImpulse=1,
            splitImpulsePenetrationThreshold=0.0,
            physicsClientId=self._client,
        )

    def set_effort(self, iterations: int, residual: float, relaxation: float) -> None:
        """Set the solver's limits."""
        self._relaxation = relaxation
        self._bullet.setPhysicsEngineParameter(
            numSolverIterations=iterations, solverResidualThreshold=residual, physicsClientId=self._client
        )

    def set_gravity(self, gravity: tuple[float, float, float]) -> None:
        """Set gravity (m/s2)."""
        self._bullet.setGravity(*(g * CM for g in gravity), physicsClientId=self._client)

    def add_boxes(self, boxes: Iterable[Box], surfaces: Mapping[str, Surface], cube: Surface) -> None:
        """Add fixed boxes, and set the cubes' surface."""
        self._cube_surface = Surface(math.sqrt(cube.friction), math.sqrt(cube.restitution))
        for box in boxes:
            pair = surfaces[box.surface]
            shape = self._bullet.createCollisionShape(
                self._bullet.GEOM_BOX, halfExtents=[h * CM for h in box.half], physicsClientId=self._client
            )
            body = self._bullet.createMultiBody(
                0,
                shape,
                -1,
                [c * CM for c in box.centre],
                box.orientation,
                useMaximalCoordinates=True,
                physicsClientId=self._client,
            )
            self._bullet.changeDynamics(
                body,
                -1,
                lateralFriction=_factor(pair.friction, self._cube_surface.friction),
                restitution=_factor(pair.restitution, self._cube_surface.restitution),
                rollingFriction=0.0,
                spinningFriction=0.0,
                physicsClientId=self._client,
            )

    def set_cubes(self, mass: float, inertia: float | None = None) -> None:
        """Set the cubes' mass (kg) and moment of inertia (kg m2)."""
        self._cube_shape = self._bullet.createCollisionShape(
            self._bullet.GEOM_BOX, halfExtents=[self._edge / 2 * CM] * 3, physicsClientId=self._client
        )
        self._cube_mass = mass * _GRAM
        self._cube_inertia = None if inertia is None else inertia * _GRAM * CM**2

    def add_cube(self, pose: Pose) -> int:
        """Add a cube at rest and return its number."""
        body: int = self._bullet.createMultiBody(
            self._cube_mass,
            self._cube_shape,
            -1,
            [x * CM for x in pose.position],
            pose.orientation,
            useMaximalCoordinates=False,
            physicsClientId=self._client,
        )
        self._bullet.changeDynamics(
            body,
            -1,
            lateralFriction=self._cube_surface.friction,
            restitution=self._cube_surface.restitution,
            rollingFriction=0.0,
            spinningFriction=0.0,
            linearDamping=0.0,
            angularDamping=0.0,
            maxJointVelocity=_LIFTED_CLAMP,
            activationState=self._bullet.ACTIVATION_STATE_ENABLE_SLEEPING,
            physicsClientId=self._client,
        )
        if self._cube_inertia is not None:
            self._bullet.changeDynamics(
                body, -1, localInertiaDiagonal=[self._cube_inertia] * 3, physicsClientId=self._client
            )
        return body

    def set_velocity(self, body: int, velocity: Iterable[float], spin: Iterable[float]) -> None:
        """Give a cube a velocity (m/s) and a spin (rad/s)."""
        self._bullet.resetBaseVelocity(body, [v * CM for v in velocity], list(spin), physicsClientId=self._client)

    def lay_to_rest(self, poses: Mapping[int, Pose]) -> None:
        """Put cubes to sleep exactly at `poses`, where they are now.

        Bullet lets a multibody sleep only after a step in which it hardly moved. So the engine takes two steps that are
        too short for gravity and correct no overlap. Then it puts each cube back exactly.
        """
        for body in poses:
            self.put_to_sleep(body)
        self._bullet.setPhysicsEngineParameter(fixedTimeStep=_INSTANT, contactERP=0.0, physicsClientId=self._client)
        for _ in range(2):
            self._bullet.stepSimulation(physicsClientId=self._client)
        for body, pose in poses.items():
            position = [x * CM for x in pose.position]
            self._bullet.resetBasePositionAndOrientation(body, position, pose.orientation, physicsClientId=self._client)
            self.put_to_sleep(body)

    def put_to_sleep(self, body: int) -> None:
        """Stop a cube until another body touches it."""
        self.set_velocity(body, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        self._bullet.changeDynamics(
            body, -1, activationState=self._bullet.ACTIVATION_STATE_SLEEP, physicsClientId=self._client
        )

    def wake(self, body: int) -> None:
        """Wake a cube."""
        self._bullet.changeDynamics(
            body, -1, activationState=self._bullet.ACTIVATION_STATE_WAKE_UP, physicsClientId=self._client
        )

    def remove(self, body: int) -> None:
        """Take a cube out of the world."""
        self._bullet.removeBody(body, physicsClientId=self._client)

    def step(self, timestep: float, steps: int) -> None:
        """Take `steps` engine steps of `timestep` seconds each.

        Bullet adds the speed of the correction, overlap / relaxation, to a contact's bounce: its usual setting, a fixed
        fraction in each step, would add energy that does not vanish with the timestep.
        """
        self._bullet.setPhysicsEngineParameter(
            fixedTimeStep=timestep,
            contactERP=min(timestep / self._relaxation, 1.0),
            physicsClientId=self._client,
        )
        for _ in range(steps):
            self._bullet.stepSimulation(physicsClientId=self._client)

    def overlap(self) -> float:
        """Return the largest penetration (m) among the contacts of the last steps."""
        points = self._bullet.getContactPoints(physicsClientId=self._client)
        return max((-point[_CONTACT_DISTANCE] for point in points), default=0.0) / CM

    def motion(self, bodies: Iterable[int]) -> Motion:
        """Return poses and velocities of `bodies`, in their order."""
        client = self._client
        rows: list[tuple[float, ...]] = []
        for body in bodies:
            position, orientation = self._bullet.getBasePositionAndOrientation(body, client)
            velocity, spin = self._bullet.getBaseVelocity(body, client)
            rows.append((*position, *orientation, *velocity, *spin))
        table = np.array(rows, dtype=np.float64).reshape(-1, 13)
        return Motion(table[:, :3] / CM, table[:, 3:7], table[:, 7:10] / CM, table[:, 10:])


def _factor(pair: float, other: float) -> float:
    return pair / other if other > 0 else 0.0
