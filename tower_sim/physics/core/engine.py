"""CoreEngine: what the scene speaks to; it lays numbers into the tables and lets the compiled functions run."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from tower_sim.apparatus.parts import Box, Hull, Surface, Upright, Vector
from tower_sim.physics.core import arrays, machine
from tower_sim.physics.core.arrays import T
from tower_sim.physics.core.hulls import write
from tower_sim.physics.engine import Motion
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.state import Pose, Touch

_SKIN = 0.4  # edges
_PAD = 0.01  # edges: contacts are known from this gap on, however slow the cubes are
_FAR = 0.6  # edges: no look ahead is longer, or pairs would be missed; the travel of a step is shorter
_TOUCHING_GAP = 0.002  # edges: see narrow.py
_CORRECTIONS = 8
_NANO = 1e-9
_NO_FILM = np.zeros((0, 0, 7))
_NO_BOXES = np.zeros((0, 6))


class CoreEngine:
    """Cubes among fixed boxes in one set of tables; no state is shared with another engine."""

    title = "the core"
    about = "our own rigid bodies: exact friction and bounce, the same bytes on every machine"
    distribution = "tower_sim"
    faster = staticmethod(machine.faster)

    def __init__(self, settings: PhysicsSettings) -> None:
        self._settings = settings
        self._core = machine.chosen()
        self._before = self._world = arrays.make(0, 1)
        self._bodies: list[int] = []
        self._next = 0
        self._inv_mass, self._inv_inertia = 0.0, 0.0
        self._between = Surface(0.0, 0.0)
        self._fixed: tuple[tuple[Box, ...], Mapping[str, Surface], T] = ((), {}, np.zeros((0, arrays.COLUMNS)))

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """None is needed."""
        return contextlib.nullcontext()

    def close(self) -> None:
        """Nothing is held."""

    def clear(self, edge: float) -> None:
        """Empty the world and set it up, as the settings say, for cubes of edge `edge` (m)."""
        s = self._settings
        self._before, self._world = self._world, arrays.make(0, 1)
        self._bodies = []
        self._next = 0
        real = self._world.real
        real[arrays.EDGE] = edge
        real[arrays.SKIN], real[arrays.PAD], real[arrays.FAR] = _SKIN * edge, _PAD * edge, _FAR * edge
        real[arrays.RESTITUTION_SPEED] = s.restitution_speed
        real[arrays.SLOP], real[arrays.PATCH_RADIUS] = s.slop * edge, s.patch * edge
        real[arrays.TRAVEL], real[arrays.PASSED_TRAVEL] = s.step_travel, s.passed_travel
        real[arrays.PASSED] = -math.inf
        real[arrays.LONGEST_STEP], real[arrays.WINDOW] = s.timestep, s.window
        real[arrays.QUIET_SPEED], real[arrays.QUIET_SPIN] = s.quiet_speed, s.quiet_spin
        real[arrays.QUIET_WINDOWS] = math.ceil(s.quiet_time / s.window - 1e-9)
        real[arrays.TOUCHING_GAP] = _TOUCHING_GAP * edge
        real[arrays.CORRECTIONS] = _CORRECTIONS

    def set_effort(self, iterations: int, residual: float, relaxation: float) -> None:
        """Let the solver sweep up to `iterations` times a step, until no speed changes by more than `residual`, m/s."""
        real = self._world.real
        real[arrays.ITERATIONS], real[arrays.TOLERANCE], real[arrays.RELAXATION_TIME] = iterations, residual, relaxation

    def set_gravity(self, gravity: tuple[float, float, float]) -> None:
        """Set gravity (m/s2)."""
        self._world.real[arrays.GRAVITY_X : arrays.GRAVITY_Z + 1] = gravity

    def set_passed(self, height: float) -> None:
        """Say under which height (m) nothing holds a cube any more, so that it may travel further in a step."""
        self._world.real[arrays.PASSED] = height

    def add_boxes(self, boxes: Iterable[Box], surfaces: Mapping[str, Surface], cube: Surface) -> None:
        """Add fixed boxes; `surfaces` holds the cube's pair with each surface, `cube` the pair of two cubes."""
        boxes = tuple(boxes)
        real = self._world.real
        self._world = w = self._room_for(len(boxes))
        w.real[:] = real
        w.whole[arrays.FIXED] = w.whole[arrays.ROWS] = len(boxes)
        self._between = cube
        if boxes != self._fixed[0] or surfaces != self._fixed[1]:
            for i, box in enumerate(boxes):
                self._write(i, box.centre, box.orientation, box.half, surfaces[box.surface])
                axes = np.abs(w.bodies[i, arrays.AXES : arrays.AXES + 9]).reshape(3, 3)
                for c in range(3):
                    x, y, z = (float(axes[c, k]) * box.half[k] for k in range(3))
                    w.bodies[i, arrays.BOUNDS + c] = x + y + z
            self._fixed = (boxes, dict(surfaces), w.bodies[: len(boxes)].copy())
        w.bodies[: len(boxes)] = self._fixed[2]

    def add_hulls(self, hulls: Iterable[Hull], surfaces: Mapping[str, Surface]) -> None:
        """Add fixed convex hulls after the boxes and before any cube; they are numbered on after the boxes."""
        old, told = self._world, list(hulls)
        boxes = int(old.whole[arrays.FIXED])
        table, starts = [0.0], [0] * len(told)
        for k, hull in enumerate(told):
            starts[k] = len(table)
            table += write(hull)
        self._world = w = self._core.make(boxes + len(told), 64, len(table))
        w.real[:], w.bodies[:boxes], w.hulls[:] = old.real, old.bodies[:boxes], table
        w.whole[arrays.FIXED] = w.whole[arrays.ROWS] = boxes + len(told)
        for k, hull in enumerate(told):
            low, high = hull.bounds
            half = ((high[0] - low[0]) / 2, (high[1] - low[1]) / 2, (high[2] - low[2]) / 2)
            self._write(boxes + k, hull.centre, (0.0, 0.0, 0.0, 1.0), half, surfaces[hull.surface])
            w.bodies[boxes + k, arrays.BOUNDS : arrays.BOUNDS + 3] = half
            w.bodies[boxes + k, arrays.SHAPE] = starts[k]

    def set_cubes(self, mass: float, inertia: float | None = None) -> None:
        """Say what the cubes are: mass (kg) and moment of inertia about each axis (kg m2; None: a uniform cube's)."""
        edge = float(self._world.real[arrays.EDGE])
        self._inv_mass = 1 / mass
        self._inv_inertia = 1 / (mass * edge * edge / 6 if inertia is None else inertia)

    def add_cube(self, pose: Pose) -> int:
        """Add a cube, awake and at rest; returns the body's number in this world."""
        w = self._world
        i = int(w.whole[arrays.ROWS])
        if i == len(w.bodies):
            self._world = w = self._grown(2 * len(self._bodies))
        half = float(w.real[arrays.EDGE]) / 2
        self._write(i, pose.position, pose.orientation, (half, half, half), self._between)
        w.bodies[i, arrays.INV_MASS], w.bodies[i, arrays.INV_INERTIA] = self._inv_mass, self._inv_inertia
        self._let_move(i, np.zeros(6))
        w.whole[arrays.ROWS] = i + 1
        w.whole[arrays.STALE] = 1
        body, self._next = self._next, self._next + 1
        self._bodies.append(body)
        return body

    def add_cuboid(self, pose: Pose, half: Vector, mass: float, inertia: Vector | None = None) -> int:
        """Add a cuboid of half edges `half` (m) and `mass` (kg), awake and at rest; returns its number in this world.

        `inertia` are its moments about its own axes (kg m2), a uniform one's where None. This engine only: the protocol
        knows cubes. Give `clear` the shortest edge of all, by which steps and gaps are measured.
        """
        if inertia is None:
            x, y, z = (each * each for each in half)
            inertia = (mass / 3 * (y + z), mass / 3 * (z + x), mass / 3 * (x + y))
        body = self.add_cube(pose)
        numbers = self._world.bodies[self._row(body)]
        numbers[arrays.HALF : arrays.HALF + 3] = half
        numbers[arrays.RADIUS] = math.sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2])
        numbers[arrays.INV_MASS] = 1 / mass
        numbers[arrays.INV_INERTIAS : arrays.INV_INERTIAS + 3] = [1 / each for each in inertia]
        is_alike = inertia[0] == inertia[1] == inertia[2]
        numbers[arrays.INV_INERTIA] = 1 / inertia[0] if is_alike else -1.0
        return body

    def set_velocity(self, body: int, velocity: Iterable[float], spin: Iterable[float]) -> None:
        """Give a cube a velocity (m/s) and a spin (rad/s)."""
        self._world.bodies[self._row(body), arrays.VELOCITY : arrays.SPIN + 3] = (*velocity, *spin)

    def lay_to_rest(self, poses: Mapping[int, Pose]) -> None:
        """Put cubes, by body, to sleep exactly at `poses`, where they are now; no time passes."""
        w = self._world
        moving: dict[int, T] = {}
        for body in self._bodies:
            row = self._row(body)
            if body in poses:
                w.bodies[row, arrays.POSITION : arrays.TURN + 4] = (*poses[body].position, *poses[body].orientation)
            elif w.flags[row, arrays.AWAKE]:
                moving[row] = w.bodies[row, arrays.VELOCITY : arrays.SPIN + 3].copy()
        self.lie_still()
        for row, velocity in moving.items():
            self._let_move(row, velocity)

    def lie_still(self) -> None:
        """Put all cubes to sleep where they are; what is known then is what the poses and `touches` tell."""
        self._core.lie_still(self._world)

    def touches(self) -> tuple[Touch, ...]:
        """Return which bodies touch, after `lie_still`: numbers of bodies, and of fixed boxes as -1, -2, ..."""
        w, fixed = self._world, int(self._world.whole[arrays.FIXED])
        told: list[Touch] = []
        for pair, (a, b, points) in enumerate(self._pairs()):
            if points > 0:
                forces = np.rint(w.touches[pair, :points, 3:].ravel() / _NANO).astype(np.int64)
                other = -1 - b if b < fixed else self._bodies[b - fixed]
                told.append(Touch(self._bodies[a - fixed], other, tuple(forces.tolist())))
        return tuple(told)

    def press(self, touches: Iterable[Touch]) -> None:
        """Let bodies at rest press on each other as `touches` tells; what touched a body that is gone wakes up."""
        w, fixed = self._world, int(self._world.whole[arrays.FIXED])
        row = {body: fixed + k for k, body in enumerate(self._bodies)} | {-1 - box: box for box in range(fixed)}
        place = {(a, b): (pair, points) for pair, (a, b, points) in enumerate(self._pairs())}
        left: set[int] = set()
        for touch in touches:
            a, b = row.get(touch.cube), row.get(touch.other)
            if a is None or b is None:
                left.update(each for each in (touch.cube, touch.other) if each >= 0 and each in row)
                continue
            pair, points = place.get((a, b), (0, 0))
            if points and 3 * points == len(touch.forces):
                w.touches[pair, :points, 3:] = np.array(touch.forces, np.float64).reshape(points, 3) * _NANO
        for body in sorted(left):
            self.wake(body)

    def put_to_sleep(self, body: int) -> None:
        """Stop a cube; from the next step on it stays where it is, until another body hits it or it is woken."""
        w, i = self._world, self._row(body)
        w.bodies[i, arrays.VELOCITY : arrays.SPIN + 3] = 0.0
        w.bodies[i, arrays.MOBILE], w.flags[i, arrays.AWAKE] = 0.0, 0

    def wake(self, body: int) -> None:
        """Wake a cube, with those that touch it."""
        self._core.wake_row(self._world, self._row(body))

    def remove(self, body: int) -> None:
        """Take a cube out of the world; what touched it wakes up."""
        self._core.take_out(self._world, self._row(body))
        self._bodies.remove(body)

    def step(self, timestep: float, steps: int) -> None:
        """Take `steps` steps of `timestep` seconds each."""
        self._core.take_windows(self._world, 0, _NO_BOXES, _NO_FILM, timestep, steps)

    def run(self, windows: int, calm: Sequence[Upright]) -> int:
        """Take up to `windows` windows of the settings; returns how many: see `run.take_windows`."""
        boxes = np.array(calm, np.float64).reshape(-1, 6)
        return int(self._core.take_windows(self._world, windows, boxes, _NO_FILM, 0.0, 0))

    def all_sleep(self) -> bool:
        """Tell whether all cubes sleep."""
        w = self._world
        return not w.flags[w.whole[arrays.FIXED] : w.whole[arrays.ROWS], arrays.AWAKE].any()

    @property
    def steps(self) -> int:
        """How many steps were taken since `clear`."""
        return int(self._world.whole[arrays.STEPS])

    def overlap(self) -> float:
        """Return how deep (m) the deepest contact is of those that the last step worked on; 0 where there is none.

        After `lie_still` it is the deepest of all.
        """
        return float(self._core.deepest(self._world))

    def motion(self, bodies: Iterable[int]) -> Motion:
        """Return poses and velocities of `bodies`, in their order; rows may be none."""
        bodies = list(bodies)
        fixed = int(self._world.whole[arrays.FIXED])
        if bodies == self._bodies:
            table = self._world.bodies[fixed : fixed + len(bodies)].copy()
        else:
            table = self._world.bodies[[self._row(body) for body in bodies]]
        columns = ((arrays.POSITION, 3), (arrays.TURN, 4), (arrays.VELOCITY, 3), (arrays.SPIN, 3))
        return Motion(*(np.ascontiguousarray(table[:, at : at + width]) for at, width in columns))

    def _room_for(self, fixed: int) -> arrays.Tables:
        """Return an empty world with so many fixed rows, in the tables of the world before where they are of that size.

        A system gives and takes back large tables a page at a time, during which the threads of a process wait.
        """
        w = self._before
        if fixed == 0 or w.whole[arrays.FIXED] != fixed or len(w.hulls) > 1:
            return self._core.make(fixed, 64, 1)
        w.whole[:] = 0
        return w

    def _grown(self, cubes: int) -> arrays.Tables:
        """Return the world with room for so many cubes."""
        w = self._world
        larger = self._core.make(int(w.whole[arrays.FIXED]), cubes, len(w.hulls))
        arrays.move_into(larger, w)
        return larger

    def _pairs(self) -> list[tuple[int, int, int]]:
        """Return the rows of each pair, and how many points it has in contact."""
        return [tuple(row) for row in self._world.pairs[: self._world.whole[arrays.PAIRS]].tolist()]

    def _write(self, row: int, centre: Vector, turn: Sequence[float], half: Vector, pair: Surface) -> None:
        """Write a body that does not move into a row: its shape, and the pair of a cube with it."""
        numbers = self._world.bodies[row]
        numbers[:] = 0.0
        numbers[arrays.POSITION : arrays.POSITION + 3] = centre
        numbers[arrays.TURN : arrays.TURN + 4] = turn
        numbers[arrays.HALF : arrays.HALF + 3] = half
        numbers[arrays.RADIUS] = math.sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2])
        numbers[arrays.FRICTION], numbers[arrays.RESTITUTION] = pair.friction, pair.restitution
        self._world.flags[row] = 0
        self._core.face_row(self._world, row)

    def _let_move(self, row: int, velocity: T) -> None:
        """Let a row be awake, with its velocity and spin."""
        self._world.bodies[row, arrays.VELOCITY : arrays.SPIN + 3] = velocity
        self._world.bodies[row, arrays.MOBILE], self._world.flags[row, arrays.AWAKE] = 1.0, 1

    def _row(self, body: int) -> int:
        return int(self._world.whole[arrays.FIXED]) + self._bodies.index(body)
