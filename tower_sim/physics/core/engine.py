"""CoreEngine: what the scene speaks to; it lays numbers into the tables and lets the compiled functions run."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from tower_sim.apparatus.parts import Box, Hull, Surface, Vector, tilted_about_y
from tower_sim.compiled.marks import T
from tower_sim.errors import UsageError
from tower_sim.physics.core import arrays, machine, run
from tower_sim.physics.core.hulls import hull_numbers
from tower_sim.physics.core.motion import FAR_OFF
from tower_sim.physics.engine import Motion
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.values.state import Pose, Touch

_SKIN = 0.4  # edges
_PAD = 0.01  # edges: contacts are known from this gap on, however slow the cubes are
_FAR = 0.6  # edges: no look ahead is longer, or pairs would be missed; the travel of a step is shorter
_TOUCHING_GAP = 0.002  # edges: see narrow.py
_CORRECTIONS = 8
_NO_FILM = np.zeros((0, 0, 7))


class CoreEngine:
    """Cubes among fixed parts in one set of tables; no state is shared with another engine.

    `tables` are the world as it is now. A body's number is in `flags`.
    """

    title = "the core"
    about = "our own rigid bodies: exact friction and bounce, the same bytes on every machine"
    distribution = "tower_sim"

    def __init__(self, settings: PhysicsSettings) -> None:
        self._settings = settings
        self.core = machine.chosen_machine()
        self.tables = self.core.make(0, 0, 1, 1, 0)
        self._fixed: tuple[object, ...] = ()
        self._is_open = True

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """None is needed."""
        return contextlib.nullcontext()

    def close(self) -> None:
        """Let no further step be taken; a drop in another thread ends with an error."""
        self._is_open = False

    def clear(self, edge: float) -> None:
        """Empty the world and set it up, as the settings say, for cubes of edge `edge` (m)."""
        s, w = self._settings, self.tables
        for table in (w.whole, w.real, w.drop, w.plan, w.marks):
            table.view(np.int64)[:] = 0
        settings, plan = w.real[0], w.plan[0]
        settings.edge = edge
        settings.skin, settings.pad, settings.far = _SKIN * edge, _PAD * edge, _FAR * edge
        settings.restitution_speed = s.restitution_speed
        settings.slop, settings.patch_radius = s.slop * edge, s.patch * edge
        settings.travel, settings.passed_travel, settings.passed = s.step_travel, s.passed_travel, -math.inf
        settings.longest_step, settings.window = s.timestep, s.window
        settings.quiet_speed, settings.quiet_spin = s.quiet_speed, s.quiet_spin
        settings.quiet_windows = math.ceil(s.quiet_time / s.window - 1e-9)
        settings.touching_gap = _TOUCHING_GAP * edge
        settings.corrections = _CORRECTIONS
        plan.longest, plan.creep, plan.strength = s.longest, s.creep, -1.0
        self.set_effort(s.iterations, s.residual, s.relaxation)

    def set_effort(self, iterations: int, residual: float, relaxation: float) -> None:
        """Let the solver sweep up to `iterations` times a step, until no speed changes by more than `residual`, m/s."""
        settings = self.tables.real[0]
        settings.iterations, settings.tolerance, settings.relaxation_time = iterations, residual, relaxation

    def set_gravity(self, gravity: tuple[float, float, float]) -> None:
        """Set gravity (m/s2)."""
        self.tables.real[0].gravity = gravity

    def set_passed(self, height: float) -> None:
        """Say under which height (m) nothing holds a cube any more, so that it may travel further in a step."""
        self.tables.real[0].passed = height

    def add_boxes(self, boxes: Iterable[Box], surfaces: Mapping[str, Surface], cube: Surface) -> None:
        """Add fixed boxes; `surfaces` holds the cube's pair with each surface, `cube` the pair of two cubes."""
        self.add_solids(tuple(boxes), (), surfaces, cube)

    def add_solids(
        self, boxes: Sequence[Box], hulls: Sequence[Hull], surfaces: Mapping[str, Surface], cube: Surface
    ) -> None:
        """Add fixed boxes and hulls, numbered in this order; they are written once for all drops among them."""
        number, settings = len(boxes) + len(hulls), self.tables.real[0]
        fixed = (boxes, hulls, dict(surfaces), float(settings.edge), float(settings.skin), float(settings.far))
        if fixed != self._fixed:
            numbers, room = hull_numbers(hulls, surfaces)
            self._grow(number, 64, room, 1)
            pairs = [surfaces[box.surface] for box in boxes]
            rows = [
                (*box.centre, *box.orientation, *box.half, pair.friction, pair.restitution)
                for box, pair in zip(boxes, pairs, strict=True)
            ]
            self.core.build(self.tables, np.array(rows, float).reshape(-1, 12), np.array(numbers, float))
            self._fixed = fixed
        w = self.tables
        now, plan = w.whole[0], w.plan[0]
        w.flags[:number].view(np.int64)[:] = 0
        now.fixed = now.rows = number
        plan.cube_friction, plan.cube_restitution = cube.friction, cube.restitution

    def set_cubes(self, mass: float, inertia: float | None = None) -> None:
        """Say what the cubes are: mass (kg) and moment of inertia about each axis (kg m2; None: a uniform cube's)."""
        plan, edge = self.tables.plan[0], float(self.tables.real[0].edge)
        plan.cube_inv_mass = 1 / mass
        plan.cube_inv_inertia = 1 / (mass * edge * edge / 6 if inertia is None else inertia)

    def make_room(self, cubes: int, rule: int = 1) -> arrays.Tables:
        """Return the tables with room for so many cubes in all and so many numbers of a rule; the world stays."""
        w = self.tables
        if len(w.cubes) < cubes or len(w.rule) != rule:
            self._grow(int(w.whole[0].fixed), max(cubes, len(w.cubes)), len(w.hulls), rule)
        return self.tables

    def add_cube(self, pose: Pose) -> int:
        """Add a cube, awake and at rest; returns the body's number in this world."""
        body = int(self.tables.drop[0].launches)
        if body + 1 > len(self.tables.cubes):
            self.make_room(2 * (body + 1), len(self.tables.rule))
        w = self.tables
        arrays.clear_row(w.cubes, body)
        w.cubes[body].pose = (*pose.position, *pose.orientation)
        w.drop[0].launches, w.marks[body].id = body + 1, body
        self.core.add_cube(w, body)
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
        row = self.tables.bodies[self._row(body)]
        row.half, row.radius = half, math.sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2])
        row.inv_mass, row.inv_inertias = 1 / mass, [1 / each for each in inertia]
        is_alike = inertia[0] == inertia[1] == inertia[2]
        row.inv_inertia = 1 / inertia[0] if is_alike else -1.0
        return body

    def set_velocity(self, body: int, velocity: Iterable[float], spin: Iterable[float]) -> None:
        """Give a cube a velocity (m/s) and a spin (rad/s)."""
        row = self.tables.bodies[self._row(body)]
        row.velocity, row.spin = [*velocity], [*spin]

    def lay_to_rest(self, poses: Mapping[int, Pose]) -> None:
        """Put cubes, by body, to sleep exactly at `poses`, where they are now; no time passes."""
        w = self.tables
        moving: dict[int, tuple[T, T]] = {}
        for i, body in enumerate(self.bodies, int(w.whole[0].fixed)):
            row = w.bodies[i]
            if body in poses:
                row.position, row.turn = poses[body].position, poses[body].orientation
                row.way += FAR_OFF
            elif w.flags[i].awake:
                moving[i] = row.velocity.copy(), row.spin.copy()
        self.lie_still()
        w = self.tables
        for i, (velocity, spin) in moving.items():
            row = w.bodies[i]
            row.velocity, row.spin, row.mobile, w.flags[i].awake = velocity, spin, 1.0, 1

    def lie_still(self) -> None:
        """Put all cubes to sleep where they are; what is known then is what the poses and `touches` tell."""
        self.core.lie_still(self.tables)
        while self._is_short():
            self.core.lie_still(self.tables)

    def touches(self) -> tuple[Touch, ...]:
        """Return which bodies touch, after `lie_still`: numbers of bodies, and of fixed boxes as -1, -2, ..."""
        table = np.zeros((int(self.tables.whole[0].pairs), run.TOUCH))
        rows = table[: self.core.list_touches(self.tables, table)].astype(np.int64).tolist()
        return tuple(Touch(a, b, tuple(forces[: 3 * points])) for a, b, points, *forces in rows)

    def put_to_sleep(self, body: int) -> None:
        """Stop a cube; from the next step on it stays where it is, until another body hits it or it is woken."""
        i = self._row(body)
        row = self.tables.bodies[i]
        row.velocity, row.spin, row.mobile, self.tables.flags[i].awake = 0.0, 0.0, 0.0, 0

    def wake(self, body: int) -> None:
        """Wake a cube, with those that touch it."""
        self.core.wake_row(self.tables, self._row(body))

    def remove(self, body: int) -> None:
        """Take a cube out of the world; what touched it wakes up."""
        self.core.take_out(self.tables, self._row(body))

    def step(self, timestep: float, steps: int) -> None:
        """Take `steps` steps of `timestep` seconds each."""
        self.go_on(_NO_FILM, 0, timestep, steps)

    def run(self, windows: int) -> int:
        """Take up to `windows` windows of the settings, fewer when all sleep; returns how many."""
        return self.go_on(_NO_FILM, windows)

    def go_on(self, film: T, windows: int, seconds: float = 0.0, steps: int = 0) -> int:
        """Go on as run.py says, with room for all pairs."""
        if not self._is_open:
            raise UsageError("engine is closed; allowed is one that is open; make it anew")
        taken = self.core.go_on(self.tables, film, windows, seconds, steps)
        while self._is_short():
            taken = self.core.go_on(self.tables, film, windows, seconds, steps)
        return taken

    def lay(self, laid: T, touches: Iterable[Touch] = (), inside: int = 0) -> None:
        """Lay cubes to rest as run.py says, with room for all pairs."""
        rows = [(each.cube, each.other, len(each.forces) // 3, *each.forces) for each in touches]
        table = np.zeros((len(rows), run.TOUCH))
        for row, numbers in zip(table, rows, strict=True):
            row[: len(numbers)] = numbers
        self.make_room(len(laid), len(self.tables.rule))
        self.core.lay(self.tables, laid, table, inside)
        while self._is_short():
            self.core.lay(self.tables, laid, table, inside)

    def all_sleep(self) -> bool:
        """Tell whether all cubes sleep."""
        return not self._cubes(self.tables.flags)["awake"].any()

    @property
    def steps(self) -> int:
        """How many steps were taken since `clear`."""
        return int(self.tables.whole[0].steps)

    def overlap(self) -> float:
        """Return how deep (m) the deepest contact is of those that the last step worked on; 0 where there is none.

        After `lie_still` it is the deepest of all.
        """
        return float(self.core.deepest(self.tables))

    @property
    def bodies(self) -> list[int]:
        """The numbers of the cubes in this world, in the order of their rows."""
        return self._cubes(self.tables.flags)["number"].tolist()

    def motion(self, bodies: Iterable[int]) -> Motion:
        """Return poses and velocities of `bodies`, in their order; rows may be none."""
        known, asked, table = self.bodies, list(bodies), self._cubes(self.tables.bodies)
        if known != asked:
            table = table[[known.index(body) for body in asked]]
        return Motion(*(np.array(table[field]) for field in ("position", "turn", "velocity", "spin")))

    def _cubes(self, table: T) -> T:
        """Return the rows of cubes."""
        now = self.tables.whole[0]
        return table[now.fixed : now.rows]

    def _grow(self, fixed: int, cubes: int, hulls: int, rule: int, pairs: int = 0) -> None:
        """Make tables with this room, and move the world into them."""
        larger = self.core.make(fixed, cubes, hulls, rule, max(pairs, len(self.tables.pairs)))
        arrays.move_into(larger, self.tables)
        self.tables = larger

    def _is_short(self) -> bool:
        """Tell whether a function stopped because pairs need room, which they have now: it is called again."""
        w = self.tables
        needed = int(w.whole[0].short)
        if needed:
            self._grow(int(w.whole[0].fixed), len(w.cubes), len(w.hulls), len(w.rule), needed + needed // 2)
        return needed > 0

    def _row(self, body: int) -> int:
        return int(self.tables.whole[0].fixed) + self.bodies.index(body)


def trial() -> tuple[T, ...]:
    """Return how cubes lie and move that fell on two boxes and a prism: see compiled/trial.py."""
    engine, wood = CoreEngine(PhysicsSettings()), Surface(0.4, 0.4)
    engine.clear(0.01)
    engine.set_gravity((0.0, 0.0, -9.81))
    engine.set_passed(-1.0)
    boxes = (
        Box("floor", "wood", (0.0, 0.0, -0.01), (0.1, 0.1, 0.01)),
        Box("ramp", "wood", (0.03, 0.0, 0.02), (0.03, 0.03, 0.002), tilted_about_y(0.5)),
    )
    corners = tuple((-0.02 + x, y, z) for z in (0.0, 0.02) for x, y in ((-0.02, -0.02), (0.01, 0.0), (-0.01, 0.02)))
    prism = Hull("prism", "wood", corners, ((2, 1, 0), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)))
    engine.add_solids(boxes, (prism,), {"wood": wood}, wood)
    engine.set_cubes(0.0005)
    for k in range(6):
        cube = engine.add_cube(Pose((0.012 * k - 0.03, 0.002 * k, 0.06), tilted_about_y(0.7 * k)))
        engine.set_velocity(cube, (0.1, 0.0, -0.5), (k, 9.0, 1.0))
    engine.run(30)
    engine.lie_still()
    motion = engine.motion(engine.bodies)
    return motion.position, motion.orientation, motion.velocity, motion.spin
