"""World: one Bullet client with the fixed boxes and the cubes in it. Metres outside, centimetres inside.

Bullet's thresholds suit bodies of about a unit, so lengths are scaled by 100 at this border, both ways.
Cubes are multibodies (`useMaximalCoordinates=False`): only that path has a true friction cone. It clamps every
velocity coordinate at 100 units unless `maxJointVelocity` is raised. Bullet multiplies friction and restitution of
the two bodies of a pair, so each body gets a factor such that the products are the wanted pairs.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus.parts import Box, Surface
from tower_sim.errors import UsageError
from tower_sim.physics.engine import LOCK, bullet
from tower_sim.physics.settings import GRAVITY, PhysicsSettings
from tower_sim.state import Pose

CM = 100.0
_GRAM = 1000.0  # the natural unit of mass beside centimetres
_LIFTED_CLAMP = 1e5
_INSTANT = 1e-5  # s
_CONTACT_DISTANCE = 8  # where getContactPoints has the distance of the two surfaces


@dataclass(slots=True)
class Motion:
    """Poses and velocities of some cubes at one moment: arrays of shape (n, 3), (n, 4), (n, 3), (n, 3), SI, x y z w."""

    position: npt.NDArray[np.float64]
    orientation: npt.NDArray[np.float64]
    velocity: npt.NDArray[np.float64]
    spin: npt.NDArray[np.float64]

    def pose(self, i: int) -> Pose:
        """Return the pose of cube `i`."""
        x, y, z = (float(v) for v in self.position[i])
        a, b, c, w = (float(v) for v in self.orientation[i])
        return Pose((x, y, z), (a, b, c, w))


class World:
    """One Bullet world. Use it as a context manager; `clear` empties it, so that one client serves many drops.

    Its client is given back when it is closed, or at the latest when nobody refers to the world any more.
    `steps` and `seconds` count the engine steps and the simulated time of its whole life.
    """

    def __init__(self, settings: PhysicsSettings) -> None:
        self.settings = settings
        with LOCK:
            self._client: int = bullet.connect(bullet.DIRECT)
        self._give_back = weakref.finalize(self, bullet.disconnect, self._client)
        self.steps = 0
        self.seconds = 0.0
        self._edge = 0.0
        self._pull = 0.0
        self._relaxation = self.settings.relaxation
        self._cube_shape = -1
        self._cube_mass = 0.0
        self._cube_inertia: float | None = None
        self._cube_surface = Surface(0.0, 0.0)

    def __enter__(self) -> World:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Disconnect from the engine, after the drop that goes on; nothing happens to a world closed before."""
        with LOCK:
            self._give_back()

    @contextmanager
    def alone(self) -> Generator[None]:
        """Have the engine to ourselves in this process; raises UsageError when this world is closed."""
        with LOCK:
            if not self._give_back.alive:
                raise UsageError(
                    "model is closed; allowed is one that is open; use it in its `with` block, or make it anew"
                )
            yield

    def clear(self, edge: float, gravity: tuple[float, float, float] = (0.0, 0.0, -GRAVITY)) -> None:
        """Empty the world and set the engine up for cubes of edge `edge` (m) under `gravity` (m/s2)."""
        settings = self.settings
        self._edge = edge
        bullet.resetSimulation(physicsClientId=self._client)
        bullet.setPhysicsEngineParameter(
            numSubSteps=0,
            contactBreakingThreshold=settings.contact_breaking * edge * CM,  # of all worlds of the process
            restitutionVelocityThreshold=settings.restitution_speed * CM,
            useSplitImpulse=1,
            splitImpulsePenetrationThreshold=0.0,
            physicsClientId=self._client,
        )
        self.work_as_usual()
        self.set_gravity(gravity)

    def work_as_usual(self) -> None:
        """Let the contact solver take the settings' iterations a step, with the early stop."""
        self._work(self.settings.iterations, self.settings.residual, self.settings.relaxation)

    def work_harder(self) -> None:
        """Let the contact solver take the settings' firm iterations a step, without the early stop."""
        self._work(self.settings.firm_iterations, 0.0, self.settings.firm_relaxation)

    def _work(self, iterations: int, residual: float, relaxation: float) -> None:
        self._relaxation = relaxation
        bullet.setPhysicsEngineParameter(
            numSolverIterations=iterations, solverResidualThreshold=residual, physicsClientId=self._client
        )

    def set_gravity(self, gravity: tuple[float, float, float]) -> None:
        """Set gravity (m/s2); swinging it is the same as moving the apparatus."""
        self._pull = math.hypot(*gravity)
        bullet.setGravity(*(g * CM for g in gravity), physicsClientId=self._client)

    def add_boxes(self, boxes: Iterable[Box], surfaces: Mapping[str, Surface], cube: Surface) -> None:
        """Add fixed boxes; `surfaces` holds the cube's pair with each surface, `cube` the pair of two cubes.

        Also fixes what every later cube's surface is.
        """
        self._cube_surface = Surface(math.sqrt(cube.friction), math.sqrt(cube.restitution))
        for box in boxes:
            pair = surfaces[box.surface]
            shape = bullet.createCollisionShape(
                bullet.GEOM_BOX, halfExtents=[h * CM for h in box.half], physicsClientId=self._client
            )
            body = bullet.createMultiBody(
                0,
                shape,
                -1,
                [c * CM for c in box.centre],
                box.orientation,
                useMaximalCoordinates=True,
                physicsClientId=self._client,
            )
            bullet.changeDynamics(
                body,
                -1,
                lateralFriction=_factor(pair.friction, self._cube_surface.friction),
                restitution=_factor(pair.restitution, self._cube_surface.restitution),
                rollingFriction=0.0,
                spinningFriction=0.0,
                physicsClientId=self._client,
            )

    def set_cubes(self, mass: float, inertia: float | None = None) -> None:
        """Say what the cubes are: mass (kg) and moment of inertia about each axis (kg m2; None: a uniform cube's)."""
        self._cube_shape = bullet.createCollisionShape(
            bullet.GEOM_BOX, halfExtents=[self._edge / 2 * CM] * 3, physicsClientId=self._client
        )
        self._cube_mass = mass * _GRAM
        self._cube_inertia = None if inertia is None else inertia * _GRAM * CM**2

    def add_cube(self, pose: Pose) -> int:
        """Add a cube at rest; returns its number in this world."""
        body: int = bullet.createMultiBody(
            self._cube_mass,
            self._cube_shape,
            -1,
            [x * CM for x in pose.position],
            pose.orientation,
            useMaximalCoordinates=False,
            physicsClientId=self._client,
        )
        bullet.changeDynamics(
            body,
            -1,
            lateralFriction=self._cube_surface.friction,
            restitution=self._cube_surface.restitution,
            rollingFriction=0.0,
            spinningFriction=0.0,
            linearDamping=0.0,
            angularDamping=0.0,
            maxJointVelocity=_LIFTED_CLAMP,
            activationState=bullet.ACTIVATION_STATE_ENABLE_SLEEPING,
            physicsClientId=self._client,
        )
        if self._cube_inertia is not None:
            bullet.changeDynamics(body, -1, localInertiaDiagonal=[self._cube_inertia] * 3, physicsClientId=self._client)
        return body

    def set_velocity(self, body: int, velocity: Iterable[float], spin: Iterable[float]) -> None:
        """Give a cube a velocity (m/s) and a spin (rad/s, world frame)."""
        bullet.resetBaseVelocity(body, [v * CM for v in velocity], list(spin), physicsClientId=self._client)

    def lay_to_rest(self, poses: Mapping[int, Pose]) -> None:
        """Put cubes to sleep exactly at `poses`, where they are now.

        The engine lets a multibody sleep only after a step in which it hardly moved, and gravity or the correction of
        an overlap alone would wake it. So two steps are taken that are too short for gravity to move anything and that
        correct no overlap, and then each cube is put back, to the last digit.
        """
        for body in poses:
            self.put_to_sleep(body)
        bullet.setPhysicsEngineParameter(fixedTimeStep=_INSTANT, contactERP=0.0, physicsClientId=self._client)
        for _ in range(2):
            bullet.stepSimulation(physicsClientId=self._client)
        for body, pose in poses.items():
            position = [x * CM for x in pose.position]
            bullet.resetBasePositionAndOrientation(body, position, pose.orientation, physicsClientId=self._client)
            self.put_to_sleep(body)

    def put_to_sleep(self, body: int) -> None:
        """Stop a cube and leave it out of the solution until another body touches it."""
        self.set_velocity(body, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        bullet.changeDynamics(body, -1, activationState=bullet.ACTIVATION_STATE_SLEEP, physicsClientId=self._client)

    def wake(self, body: int) -> None:
        """Wake a cube."""
        bullet.changeDynamics(body, -1, activationState=bullet.ACTIVATION_STATE_WAKE_UP, physicsClientId=self._client)

    def remove(self, body: int) -> None:
        """Take a cube out of the world."""
        bullet.removeBody(body, physicsClientId=self._client)

    def advance(self, motion: Motion, passed: float = -math.inf) -> None:
        """Go on by one window of the settings from `motion`, all that moves.

        The steps are so fine that no cube travels further in one than the settings allow; a cube lower than `passed`
        (m), which nothing can hold any more, may travel further.
        """
        settings = self.settings
        travel = np.where(motion.position[:, 2] < passed, settings.passed_travel, settings.step_travel) * self._edge
        speed = np.linalg.norm(motion.velocity, axis=1) + self._pull * settings.window
        rate = float((speed / travel).max(initial=1 / settings.timestep))
        steps = math.ceil(settings.window * rate - 1e-9)
        self.step(settings.window / steps, steps)

    def step(self, timestep: float, steps: int) -> None:
        """Take `steps` engine steps of `timestep` seconds each.

        Overlap is corrected at the rate overlap / relaxation: the engine adds this speed to a contact's bounce, so
        a fixed fraction a step (its usual setting) would add energy that does not vanish with the timestep.
        """
        bullet.setPhysicsEngineParameter(
            fixedTimeStep=timestep,
            contactERP=min(timestep / self._relaxation, 1.0),
            physicsClientId=self._client,
        )
        for _ in range(steps):
            bullet.stepSimulation(physicsClientId=self._client)
        self.steps += steps
        self.seconds += steps * timestep

    def overlap(self) -> float:
        """Return how deep (m) the deepest contact is of those that the last steps worked on."""
        points = bullet.getContactPoints(physicsClientId=self._client)
        return max((-point[_CONTACT_DISTANCE] for point in points), default=0.0) / CM

    def motion(self, bodies: Iterable[int]) -> Motion:
        """Read poses and velocities of `bodies`, in their order."""
        client = self._client
        rows: list[tuple[float, ...]] = []
        for body in bodies:
            position, orientation = bullet.getBasePositionAndOrientation(body, client)
            velocity, spin = bullet.getBaseVelocity(body, client)
            rows.append((*position, *orientation, *velocity, *spin))
        table = np.array(rows, dtype=np.float64).reshape(-1, 13)
        return Motion(table[:, :3] / CM, table[:, 3:7], table[:, 7:10] / CM, table[:, 10:])


def _factor(pair: float, other: float) -> float:
    """Return what a body must carry so that its product with `other` is `pair`."""
    return pair / other if other > 0 else 0.0
