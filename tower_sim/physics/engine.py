"""Engine: what a scene needs from a rigid-body engine, and nothing more. SI units at its border.

Engines are found by name (tower_sim/registry.py, group `engine`); `PhysicsSettings.engine` says which one drops.
Check a new one with `tower_sim.testing.check_engine`.
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
    """Positions, quaternions (x, y, z, w), velocities, spins of n cubes, SI: shapes (n, 3), (n, 4), (n, 3), (n, 3)."""

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

    `title` is what people call the engine, `distribution` the installed package whose version decides its results; its
    module can be imported without that package, and making an engine raises UsageError, in one line that says what to
    install, where it is missing.

    `clear` comes first, then the boxes, then the kind of cube, then cubes; effort and gravity are said again after each
    `clear`. Nothing is random: the same calls after a `clear` give the same bytes, in any process, whatever the engine
    did before. Metres, kilograms, seconds, radians; unit quaternions x y z w; velocities and spins in the world's
    frame.
    """

    title: str
    distribution: str

    def __init__(self, settings: PhysicsSettings) -> None:
        """Make an empty world."""
        ...

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """What a drop holds from `clear` to its last look; the same thread may take it again.

        An engine that keeps state once for the whole process has one for the process; others may have none.
        """
        ...

    def close(self) -> None:
        """Give back what the engine holds; nothing happens when it was closed before."""
        ...

    def clear(self, edge: float) -> None:
        """Empty the world and set it up, as the settings say, for cubes of edge `edge` (m)."""
        ...

    def set_effort(self, iterations: int, residual: float, relaxation: float) -> None:
        """Let the contact solver take up to `iterations` a step; see PhysicsSettings for `residual`, `relaxation`."""
        ...

    def set_gravity(self, gravity: tuple[float, float, float]) -> None:
        """Set gravity (m/s2); swinging it is the same as moving the apparatus. It wakes nothing."""
        ...

    def add_boxes(self, boxes: Iterable[Box], surfaces: Mapping[str, Surface], cube: Surface) -> None:
        """Add fixed boxes; `surfaces` holds the cube's pair with each surface, `cube` the pair of two cubes.

        Also fixes what every later cube's surface is. A pair has Coulomb friction and Newton restitution; cubes neither
        roll nor spin against a friction of their own, and fly undamped.
        """
        ...

    def set_cubes(self, mass: float, inertia: float | None = None) -> None:
        """Say what the cubes are: mass (kg) and moment of inertia about each axis (kg m2; None: a uniform cube's)."""
        ...

    def add_cube(self, pose: Pose) -> int:
        """Add a cube, awake and at rest; returns the body's number in this world."""
        ...

    def set_velocity(self, body: int, velocity: Iterable[float], spin: Iterable[float]) -> None:
        """Give a cube a velocity (m/s) and a spin (rad/s)."""
        ...

    def lay_to_rest(self, poses: Mapping[int, Pose]) -> None:
        """Put cubes, by body, to sleep exactly at `poses`, where they are now; no time passes."""
        ...

    def put_to_sleep(self, body: int) -> None:
        """Stop a cube; from the next step on it stays where it is, until another body hits it or it is woken."""
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
        """Return how deep (m) the deepest contact is of those that the last step worked on; 0 where there is none."""
        ...

    def motion(self, bodies: Iterable[int]) -> Motion:
        """Return poses and velocities of `bodies`, in their order; rows may be none."""
        ...


class Runner(Engine, Protocol):
    """An engine that also runs many windows by itself, and whose cubes at rest remember how they press on each other.

    It chooses its steps, counts quiet windows and lets cubes sleep as the settings say. What touched a cube that is
    removed wakes up. Where cubes lie still, poses and touches are all that it knows: a world made anew from them, its
    cubes in the same order, goes on as the one that they were taken from, byte by byte.
    """

    @property
    def steps(self) -> int:
        """How many steps were taken since `clear`."""
        ...

    def set_passed(self, height: float) -> None:
        """Say under which height (m) nothing holds a cube any more, so that it may travel further in a step."""
        ...

    def run(self, windows: int, calm: Sequence[Upright]) -> int:
        """Take up to `windows` windows of the settings, and at least one; returns how many.

        Fewer when all sleep, and when a cube's centre is in none of the upright boxes `calm` (low and high corner, m).
        """
        ...

    def all_sleep(self) -> bool:
        """Tell whether all cubes sleep."""
        ...

    def lie_still(self) -> None:
        """Put all cubes to sleep where they are; `overlap` then tells how deep the deepest contact of all is."""
        ...

    def touches(self) -> tuple[Touch, ...]:
        """Return which bodies touch, after `lie_still`: numbers of bodies, and of fixed boxes as -1, -2, ..."""
        ...

    def press(self, touches: Iterable[Touch]) -> None:
        """Let bodies at rest press on each other as `touches` tells; what touched a body that is gone wakes up."""
        ...


def runs_alone(engine: Engine) -> TypeGuard[Runner]:
    """Tell whether an engine is a Runner."""
    return hasattr(engine, "run")


def make(settings: PhysicsSettings) -> Engine:
    """Return a new engine of the name in `settings`."""
    return get("engine", settings.engine)(settings)


def version_of(name: str) -> str | None:
    """Return the version of the package that the engine `name` is, None where it is not installed."""
    try:
        return metadata.version(get("engine", name).distribution)
    except metadata.PackageNotFoundError:
        return None
