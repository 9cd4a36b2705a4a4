"""Engine: what a scene needs from a rigid-body engine. All quantities are in SI units.

Engines are found by name (tower_sim/registry.py, group `engine`); `PhysicsSettings.engine` chooses one. Check a new one
with `tower_sim.testing.check_engine`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import metadata
from typing import Any, Protocol, TypeGuard

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus.parts import Box, Surface, Upright
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.registry import get
from tower_sim.state import Pose, Touch


@dataclass(slots=True)
class Motion:
    """Positions, quaternions (x, y, z, w), velocities and spins of n cubes in SI units.

    The shapes are (n, 3), (n, 4), (n, 3) and (n, 3).
    """

    position: npt.NDArray[np.float64]
    orientation: npt.NDArray[np.float64]
    velocity: npt.NDArray[np.float64]
    spin: npt.NDArray[np.float64]

    def pose(self, i: int) -> Pose:
        """Return the pose of cube `i`."""
        x, y, z = (float(v) for v in self.position[i])
        a, b, c, w = (float(v) for v in self.orientation[i])
        return Pose((x, y, z), (a, b, c, w))


class Engine(Protocol):
    """One world of fixed boxes and equal cubes, made with the settings: `ENGINE(settings)`.

    `title` is the engine's name for people. `distribution` is the installed package whose version decides the results.
    The engine's module must be importable without that package. Making an engine without it raises UsageError, in one
    line that says what to install.

    A caller calls `clear` first, then adds the boxes, sets the kind of cube, and adds cubes. It sets effort and gravity
    again after each `clear`. Nothing is random: the same calls after a `clear` give the same bytes, in any process,
    whatever the engine did before. Units are metres, kilograms, seconds and radians. Quaternions are unit quaternions
    (x, y, z, w). Velocities and spins are in the world's frame.
    """

    title: str
    distribution: str

    def __init__(self, settings: PhysicsSettings) -> None:
        """Make an empty world."""
        ...

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """The lock that a drop holds from `clear` until it has read the result; the same thread may take it again.

        An engine with state for the whole process has one lock for the process. Other engines may have none.
        """
        ...

    def close(self) -> None:
        """Release what the engine holds; a second call does nothing."""
        ...

    def clear(self, edge: float) -> None:
        """Empty the world and set it up with the settings, for cubes of edge `edge` (m)."""
        ...

    def set_effort(self, iterations: int, residual: float, relaxation: float) -> None:
        """Set the solver's maximum of `iterations` a step; see PhysicsSettings for `residual` and `relaxation`."""
        ...

    def set_gravity(self, gravity: tuple[float, float, float]) -> None:
        """Set gravity (m/s2), which wakes no cube; swinging gravity is the same as moving the apparatus."""
        ...

    def add_boxes(self, boxes: Iterable[Box], surfaces: Mapping[str, Surface], cube: Surface) -> None:
        """Add fixed boxes; `surfaces` has the contact of a cube with each surface, `cube` that of two cubes.

        Also sets the surface of all cubes that are added later. Friction is Coulomb's and restitution is Newton's.
        Cubes have no rolling or spinning friction and no damping in flight.
        """
        ...

    def set_cubes(self, mass: float, inertia: float | None = None) -> None:
        """Set the cubes' mass (kg) and moment of inertia about each axis (kg m2; None: that of a uniform cube)."""
        ...

    def add_cube(self, pose: Pose) -> int:
        """Add a cube, awake and at rest; return the body's number in this world."""
        ...

    def set_velocity(self, body: int, velocity: Iterable[float], spin: Iterable[float]) -> None:
        """Give a cube a velocity (m/s) and a spin (rad/s)."""
        ...

    def lay_to_rest(self, poses: Mapping[int, Pose]) -> None:
        """Put cubes, given by body, to sleep exactly at `poses`, where they are now; no time passes."""
        ...

    def put_to_sleep(self, body: int) -> None:
        """Stop a cube; it stays where it is until another body hits it or `wake` is called."""
        ...

    def wake(self, body: int) -> None:
        """Wake a cube."""
        ...

    def remove(self, body: int) -> None:
        """Take a cube out of the world."""
        ...

    def step(self, timestep: float, steps: int) -> None:
        """Take `steps` steps of `timestep` seconds each."""
        ...

    def overlap(self) -> float:
        """Return the greatest penetration depth (m) of the contacts in the last step; 0 if there are none."""
        ...

    def motion(self, bodies: Iterable[int]) -> Motion:
        """Return poses and velocities of `bodies`, in their order; `bodies` may be empty."""
        ...


class Runner(Engine, Protocol):
    """An engine that can run many windows by itself and that remembers the contact forces between cubes at rest.

    It chooses its steps, counts quiet windows and lets cubes sleep as the settings say. When a cube is removed, the
    bodies that touched it wake up. Its cubes at rest are described completely by their poses and touches. A world built
    again from these, with the cubes in the same order, continues with the same bytes.
    """

    @property
    def steps(self) -> int:
        """The number of steps taken since `clear`."""
        ...

    def set_passed(self, height: float) -> None:
        """Set the height (m) below which nothing can hold a cube any more, so that it may travel further in a step."""
        ...

    def run(self, windows: int, calm: Sequence[Upright]) -> int:
        """Run from one to `windows` windows of the settings, and return how many.

        The run ends early when all cubes sleep, or when a cube's centre lies outside of all the upright boxes `calm`
        (low and high corner, m).
        """
        ...

    def all_sleep(self) -> bool:
        """Return whether all cubes sleep."""
        ...

    def lie_still(self) -> None:
        """Put all cubes to sleep where they are; afterwards `overlap` takes all contacts into account."""
        ...

    def touches(self) -> tuple[Touch, ...]:
        """Return the contacts after `lie_still`: by the numbers of bodies, and of fixed boxes as -1, -2, ..."""
        ...

    def press(self, touches: Iterable[Touch]) -> None:
        """Set the contact forces between bodies at rest to `touches`; a body that touched a missing body wakes up."""
        ...


def runs_alone(engine: Engine) -> TypeGuard[Runner]:
    """Return whether an engine is a Runner."""
    return hasattr(engine, "run")


def make(settings: PhysicsSettings) -> Engine:
    """Return a new engine, of the kind that `settings` name."""
    return get("engine", settings.engine)(settings)


def version_of(name: str) -> str | None:
    """Return the version of the package behind the engine `name`, or None if it is not installed."""
    try:
        return metadata.version(get("engine", name).distribution)
    except metadata.PackageNotFoundError:
        return None
