"""The scene of a drop: the apparatus and the cubes in a physics world, until the cubes are at rest."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Protocol, runtime_checkable

import numpy as np

from tower_sim import landing
from tower_sim.apparatus.parts import Apparatus, Hull, Surface
from tower_sim.cubes import Cube
from tower_sim.errors import UsageError
from tower_sim.physics.at_rest import MOST_OVERLAP, overlap
from tower_sim.physics.engine import Engine, runs_alone
from tower_sim.physics.release import Launch
from tower_sim.physics.world import Motion, World
from tower_sim.state import Pose, Touch

_SAME = 1e-12  # of the edge: rounding, not motion
_GONE = 2**62  # stands for a body that is gone
_LONGEST_RUN = 25  # windows between two chances to notice an interrupt


@runtime_checkable
class TakesHulls(Protocol):
    """An engine with fixed convex hulls; they are numbered after the boxes."""

    def add_hulls(self, hulls: Iterable[Hull], surfaces: Mapping[str, Surface]) -> None:
        """Add fixed hulls; `surfaces` has the contact of a cube with each surface."""
        ...


class Scene:
    """An apparatus in a world, with its cubes.

    `bodies` has the engine's body for each cube number. `out` has the place and the pose of each cube that was removed.
    `missed` counts how often a cube fell next to the opening at the top. For an engine that does not run alone, the
    scene also keeps how long each cube has been quiet; after `quiet_time` a cube sleeps.
    """

    def __init__(self, world: World, apparatus: Apparatus) -> None:
        """Build `apparatus` in an emptied `world`."""
        world.clear(apparatus.cube_edge)
        world.engine.add_boxes(apparatus.boxes, apparatus.surfaces, apparatus.between_cubes)
        _add_hulls(world.engine, apparatus)
        world.engine.set_cubes(apparatus.cube_density * apparatus.cube_edge * apparatus.cube_edge * apparatus.cube_edge)
        self.world = world
        self.engine = world.engine
        self.apparatus = apparatus
        self.cubes: dict[int, Cube] = {}
        self.bodies: dict[int, int] = {}
        self.out: dict[int, tuple[str, Pose | None]] = {}
        self.missed = 0
        self._laid: dict[int, Pose] = {}
        self._quiet: dict[int, float] = {}

    def lay(self, cubes: Mapping[Cube, Pose], touches: Iterable[Touch] = ()) -> None:
        """Put resting cubes at their poses: asleep until they are hit, or awake if their support may be gone."""
        self.engine.lay_to_rest({self._add(cube, pose): pose for cube, pose in cubes.items()})
        if runs_alone(self.engine):
            self.engine.press(self._renumbered(touch, self.bodies) for touch in touches)
            return
        self._laid = {cube.id: pose for cube, pose in cubes.items()}
        motion = self.motion()
        loose = landing.loose(motion.position, motion.orientation, self.apparatus)
        for (number, body), is_loose in zip(self.bodies.items(), loose, strict=True):
            if is_loose:
                self.engine.wake(body)
            else:
                self._quiet[number] = math.inf

    def lie_still(self) -> tuple[Touch, ...]:
        """Put all cubes to rest where they are, as when the world is built again from the state.

        Returns the contacts between cubes and with the apparatus; none for an engine without contact memory.
        """
        if not runs_alone(self.engine):
            return ()
        self.engine.lie_still()
        numbers = {body: number for number, body in self.bodies.items()}
        return tuple(self._renumbered(touch, numbers) for touch in self.engine.touches())

    @staticmethod
    def _renumbered(touch: Touch, numbers: Mapping[int, int]) -> Touch:
        other = touch.other if touch.other < 0 else numbers.get(touch.other, _GONE)
        return Touch(numbers.get(touch.cube, _GONE), other, touch.forces)

    def launch(self, launch: Launch) -> None:
        """Release a cube with the pose and velocity of `launch`."""
        self.engine.set_velocity(self._add(launch.cube, launch.pose), launch.velocity, launch.spin)

    def wake_all(self) -> None:
        """Wake every cube and raise the solver's effort, because chains of friction between many bodies hold a jam."""
        if not runs_alone(self.engine):
            self.world.work_harder()
        for number, body in self.bodies.items():
            self.engine.wake(body)
            self._quiet[number] = 0.0

    def wedged(self) -> bool:
        """Return whether a cube overlaps another body by more than the settings allow at rest."""
        if runs_alone(self.engine):  # such an engine separates wedged cubes as it runs
            return False
        return self.engine.overlap() > self.world.settings.rest_overlap * self.apparatus.cube_edge

    def is_sound(self, motion: Motion) -> bool:
        """Return whether no cube overlaps another cube or a part by more than a state may have (MOST_OVERLAP).

        An engine that runs alone is asked first, with all cubes put to sleep. It knows its contacts, and nearly all
        drops are far from the bound.
        """
        most = MOST_OVERLAP * self.apparatus.cube_edge
        if runs_alone(self.engine):
            self.engine.lie_still()
            if self.engine.overlap() < most / 2:
                return True
        return overlap(motion.position, motion.orientation, self.apparatus) <= most

    def motion(self) -> Motion:
        """Return poses and velocities in the order of `bodies`."""
        return self.engine.motion(self.bodies.values())

    def pose(self, number: int, motion: Motion, i: int) -> Pose:
        """Return the pose of cube `number`, row `i` of `motion`.

        For a cube that has not moved it is exactly the pose at which the cube was laid. The engine's conversions change
        the last digit each time, and these errors would add up over the drops of a game.
        """
        now, laid = motion.pose(i), self._laid.get(number)
        if laid is None or math.dist(now.position, laid.position) > _SAME * self.apparatus.cube_edge:
            return now
        alike = abs(sum(a * b for a, b in zip(now.orientation, laid.orientation, strict=True)))
        return laid if alike > 1 - _SAME else now

    def sweep(self, motion: Motion) -> bool:
        """Remove cubes from the world as they emerge; return whether there were any."""
        emerged = np.flatnonzero(landing.emerged(motion.position, self.apparatus))
        numbers = list(self.bodies)
        for i in emerged:
            self._take_out(numbers[i], landing.TRAY, None)
        return len(emerged) > 0

    def clear(self, motion: Motion) -> bool:
        """Remove the cubes that lie outside of a tower, and return whether there were any.

        Cubes that lay on them move on. On a board no cube is removed.
        """
        if self.apparatus.board is not None:
            return False
        emerged = np.flatnonzero(landing.emerged(motion.position, self.apparatus))
        places = landing.find(motion.position[emerged], motion.orientation[emerged], self.apparatus)
        numbers = list(self.bodies)
        for i, place in zip(emerged, places, strict=True):
            self._take_out(numbers[i], place.place, motion.pose(int(i)))
        if len(emerged) and not runs_alone(self.engine):  # an engine that runs alone wakes the neighbours itself
            self.wake_all()
        return len(emerged) > 0

    def catch(self, motion: Motion) -> list[Launch]:
        """Remove the cubes that miss the opening at the top and return their next launches.

        A cube is dropped again at half its distance from the middle.
        """
        numbers, shape = list(self.bodies), self.apparatus
        caught: list[Launch] = []
        for i in np.flatnonzero(landing.missed(motion.position, shape)).tolist():
            seen = motion.pose(i)
            (x, y, _), still = seen.position, (0.0, 0.0, 0.0)
            place = (x / 2, y / 2, shape.rim_top + shape.hand.height + shape.cube_edge)
            caught.append(Launch(self.cubes[numbers[i]], 0.0, Pose(place, seen.orientation), still, still))
            self.engine.remove(self.bodies.pop(numbers[i]))
        self.missed += len(caught)
        return caught

    def _take_out(self, number: int, place: str, pose: Pose | None) -> None:
        self.engine.remove(self.bodies.pop(number))
        self.out[number] = (place, pose)

    def rest(self, motion: Motion) -> bool:
        """Update the quiet time of every cube and put resting cubes to sleep; return whether all are at rest."""
        if runs_alone(self.engine):
            return self.engine.all_sleep()
        settings = self.world.settings
        enough = settings.quiet_time - 1e-9
        speed = np.abs(motion.velocity).max(axis=1, initial=0.0)
        spin = np.abs(motion.spin).max(axis=1, initial=0.0)
        for i, (number, body) in enumerate(self.bodies.items()):
            if speed[i] >= settings.quiet_speed or spin[i] >= settings.quiet_spin:
                self._quiet[number] = 0.0
            elif self._quiet[number] < enough:
                self._quiet[number] += settings.window
                if self._quiet[number] >= enough:
                    self.engine.put_to_sleep(body)
        return all(self._quiet[number] >= enough for number in self.bodies)

    def advance(self, motion: Motion, gravity: tuple[float, float, float], windows: int) -> int:
        """Run up to `windows` windows under `gravity` (m/s2), fewer if the caller must look before; return how many."""
        self.world.set_gravity(gravity)
        windows, shape = min(windows, _LONGEST_RUN), self.apparatus
        return self.world.advance(motion, windows, shape.calm, shape.passed)

    def _add(self, cube: Cube, pose: Pose) -> int:
        body = self.engine.add_cube(pose)
        self.cubes[cube.id], self.bodies[cube.id] = cube, body
        self._quiet[cube.id] = 0.0
        return body


def _add_hulls(engine: Engine, apparatus: Apparatus) -> None:
    """Add the hulls of an apparatus, if it has any. Refused if the engine takes no hulls."""
    if not apparatus.hulls:
        return
    if not isinstance(engine, TakesHulls):
        raise UsageError(
            f"apparatus {apparatus.name!r} has parts that are no boxes, which engine {engine.title!r} does not know; "
            "allowed is an engine that does; take --engine core"
        )
    engine.add_hulls(apparatus.hulls, apparatus.surfaces)
