"""Stepper: what a drop needs from an engine that only steps. All quantities are in SI units.

Check a new one with `tower_sim.testing.check_engine`. The core has these methods, too, for tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

from tower_sim.apparatus.parts import Box, Surface
from tower_sim.physics.engine import Motion
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.state import Pose


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
