"""The digest in a state of physics, of the apparatus and the settings that made it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus import Apparatus, Vector, where
from tower_sim.errors import UsageError, fault
from tower_sim.physics.core import CoreEngine, arrays, run
from tower_sim.physics.engine import Motion
from tower_sim.physics.settings import PhysicsSettings, accuracies, accuracy, own_accuracy
from tower_sim.tools import names
from tower_sim.values import LAUNCH, LOST, TRAY, Cube, Landing, Place, Pose, Status, Touch


def state_digest(shape: Apparatus, settings: PhysicsSettings) -> str:
    """Return the digest of states of an apparatus with these settings."""
    return hashlib.sha256(f"{shape.digest} {settings.digest()}".encode()).hexdigest()[:16]


def find_maker(shape: Apparatus, digest: str) -> tuple[str, str] | None:
    """Return the engine and the accuracy that give this `digest` in an apparatus, or None."""
    return _find_makers(shape).get(digest)


def advice_by_digest(shape: Apparatus) -> dict[str, str]:
    """Return, by digest, the engine and the accuracy to continue a state with."""
    advice: dict[str, str] = {}
    for digest, (engine, fineness) in _find_makers(shape).items():
        finer = "" if fineness == own_accuracy(engine, shape.accuracy) else f" --accuracy {fineness}"
        advice[digest] = f"go on with the engine that made it: try --engine {engine}{finer}"
    return advice


def _find_makers(shape: Apparatus) -> dict[str, tuple[str, str]]:
    each = [(engine, fineness) for engine in names("engine") for fineness in accuracies(engine)]
    return {state_digest(shape, accuracy(*one)): one for one in reversed(each)}


Array = npt.NDArray[np.float64]

_AT_ONCE = 25  # windows between two chances to notice an interrupt
_FILM = np.zeros((0, 0, 7))
_STATUSES = {
    arrays.SETTLED: Status.SETTLED,
    arrays.JAMMED: Status.JAMMED,
    arrays.TIMED_OUT: Status.TIMED_OUT,
    arrays.ESCAPED_FROM: Status.ESCAPED,
}


@dataclass(frozen=True, slots=True)
class Launch:
    """The release of a cube `windows` after the start, with velocity (m/s) and spin (rad/s)."""

    cube: Cube
    windows: int
    pose: Pose
    velocity: Vector = (0.0, 0.0, 0.0)
    spin: Vector = (0.0, 0.0, 0.0)


class Scene:
    """An apparatus with its cubes in the tables of the core, which runs a drop by itself."""

    way: ClassVar[int] = arrays.ALONE

    def __init__(self, core: CoreEngine, apparatus: Apparatus, settings: PhysicsSettings) -> None:
        """Build `apparatus` in the emptied world of `core`."""
        self.core, self.apparatus, self.settings = core, apparatus, settings
        self._cubes: dict[int, Cube] = {}
        edge = apparatus.cube_edge
        core.clear(edge)
        core.add_solids(apparatus.boxes, apparatus.hulls, apparatus.surfaces, apparatus.between_cubes)
        core.set_cubes(apparatus.cube_density * edge * edge * edge)
        core.set_passed(apparatus.passed)
        rule = apparatus.rule or (float(where.ASKED),)
        tables = core.make_room(0, len(rule))
        tables.rule[:] = rule
        drop, plan, hand = tables.drop[0], tables.plan[0], apparatus.hand
        drop.run, drop.is_swept, drop.has_board = self.way, apparatus.swept, apparatus.board is not None
        plan.hand_height, plan.hand_spread, plan.hand_fall = hand.height, hand.spread, hand.fall
        plan.hand_speed, plan.hand_spin, plan.hand_rate = hand.speed, hand.spin, hand.rate or 0.0
        plan.rim = apparatus.rim_top

    @property
    def tables(self) -> arrays.Tables:
        """The tables of the drop."""
        return self.core.tables

    @property
    def numbers(self) -> list[int]:
        """The numbers of the cubes that are there, in the engine's order."""
        return self.core.bodies

    @property
    def there(self) -> list[Cube]:
        """The cubes that are there, in the engine's order."""
        return self.named(self.numbers)

    def out(self) -> list[Cube]:
        """Return the cubes that were taken away."""
        states = self.tables.marks["state"]
        return self.named(np.flatnonzero((states == arrays.SWEPT) | (states == arrays.CLEARED)).tolist())

    def named(self, numbers: Sequence[int]) -> list[Cube]:
        """Return cubes by their numbers in the tables."""
        return [self._cubes[i] for i in self.tables.marks["id"][numbers].tolist()]

    @property
    def missed(self) -> int:
        """How often a cube fell next to the opening at the top."""
        return int(self.tables.drop[0].misses)

    @property
    def steps(self) -> int:
        """The number of engine steps in this scene."""
        return int(self.tables.whole[0].steps)

    @property
    def seconds(self) -> float:
        """The duration (s) of the last drop."""
        return int(self.tables.drop[0].passed_windows) * self.settings.window

    def lay(self, inside: Mapping[Cube, Pose], outside: Mapping[Cube, Pose], touches: Iterable[Touch] = ()) -> None:
        """Put resting cubes at their poses, asleep, pressing as `touches` say; what touched one that is gone wakes."""
        laid = {**inside, **outside}
        self._cubes = {cube.id: cube for cube in laid}
        rows = [(cube.id, *pose.position, *pose.orientation) for cube, pose in laid.items()]
        self.core.lay(np.array(rows, float).reshape(-1, 8), touches, len(inside))

    def throw(self, cubes: Sequence[Cube], rng: np.random.Generator) -> None:
        """Let the hand of the apparatus let go of `cubes` in the next drop.

        Random: their order, places, orientations, velocities, spins and times.
        """
        ids = self._expect(cubes)
        self._draw(rng, 64 + 32 * len(cubes), lambda draws: self.core.core.let_go(self.tables, ids, draws))

    def put_down(self, cube: Cube, zone: str, rng: np.random.Generator) -> None:
        """Put a cube flat into a zone, clear of its borders and of other cubes if possible.

        Random: the place and the turn about the vertical.
        """
        ids, board = self._expect([cube]), self.apparatus.board
        assert board is not None  # the model has seen to that
        k = [each.name for each in board.zones].index(zone)
        if not self._draw(rng, 600, lambda draws: self.core.core.put_down(self.tables, ids, draws, k)):
            raise RuntimeError(f"no place in zone {zone!r} holds a cube flat")  # the catalogue refuses such zones

    def launch(self, launches: Sequence[Launch]) -> None:
        """Let cubes go in the next drop, wherever that is."""
        rows = [
            (each.windows, *each.pose.position, *each.pose.orientation, *each.velocity, *each.spin) for each in launches
        ]
        self._launch([each.cube for each in launches], rows, 0)

    def throw_by_hand(self, cubes: Sequence[Cube], rows: Sequence[Sequence[float]]) -> None:
        """Let cubes go in the next drop as a hand can, each at a place that is free then; see `Event.launches`."""
        row, problem = divmod(self._launch(cubes, rows, 1), run.MOST_PROBLEMS)
        if problem == 0 and not self.apparatus.rule:
            row, problem = next(((i, run.AWAY) for i, row in enumerate(rows) if self._is_outside(row)), (0, 0))
        if problem == 0:
            return
        cube, (windows, *numbers) = cubes[row], rows[row]
        times = f"whole windows of {self.settings.window:g} s, none before the one before, up to {run.LATEST:g} s"
        speeds = f"up to {run.FASTEST:g} m/s and {run.MOST_SPIN:g} rad/s along each axis"
        what, value, allowed = {
            run.UNTIMELY: ("time of the launch", windows, times),
            run.TURNED: ("orientation", numbers[3:7], "a unit quaternion"),
            run.FAST: ("speed", numbers[7:], speeds),
            run.AWAY: ("place", numbers[:3], "over or in the apparatus (m)"),
        }[problem]
        raise fault(f"{what} of cube {cube.id}", value, allowed, "take a throw that a page or a state has recorded")

    def _is_outside(self, row: Sequence[float]) -> bool:
        place, shape = np.array([row[1:4]]), self.apparatus
        return bool((shape.escaped(place) | shape.emerged(place) | shape.missed(place))[0])

    def _launch(self, cubes: Sequence[Cube], rows: Sequence[Sequence[float]], is_checked: int) -> int:
        ids = self._expect(cubes)
        table = np.concatenate([np.array([ids], float).T, np.array(rows, float).reshape(-1, LAUNCH)], axis=1)
        return int(self.core.core.launch(self.tables, table, is_checked))

    def _expect(self, cubes: Sequence[Cube]) -> Array:
        """Make room for more cubes, and return their numbers."""
        self._cubes |= {cube.id: cube for cube in cubes}
        drop = self.tables.drop[0]
        self.core.make_room(int(drop.laid + drop.launches) + len(cubes), len(self.tables.rule))
        return np.array([cube.id for cube in cubes], float)

    def _draw(self, rng: np.random.Generator, number: int, draw: Callable[[Array], int]) -> int:
        bits: Any = rng.bit_generator
        begin = bits.state
        while (used := int(draw(rng.random(number)))) > number:
            bits.state, number = begin, 2 * used
        bits.state = begin
        rng.random(used)
        return used

    def settle(self, shake: tuple[float, float, float] | None = None) -> Status:
        """Run the drop until every cube is at rest and none is left outside, or time is up; return how it ended.

        `shake` is a knock: its strength (g) and direction (x, y). Raises UsageError for a launch at no free place.
        """
        self.core.core.start(self.tables, *(shake or (-1.0, 0.0, 0.0)), 0)
        self._run()
        drop = self.tables.drop[0]
        if drop.status == arrays.TAKEN:
            (cube,), deep = self.named([int(drop.laid + drop.next)]), float(self.tables.plan[0].depth)
            raise UsageError(
                f"cube {cube.id} is let go {deep * 1e3:.3g} mm deep in another or in a part; allowed is a free "
                "place; let it go higher"
            )
        return _STATUSES[int(drop.status)]

    def _run(self) -> None:
        while self.tables.drop[0].status == arrays.RUNNING:
            self.core.go_on(_FILM, _AT_ONCE)
            if self.tables.drop[0].status == arrays.ASKING:
                self._answer()

    def _answer(self) -> None:
        position, shape, drop = self.motion().position, self.apparatus, self.tables.drop[0]
        bits = where.MISSED * shape.missed(position) + where.ESCAPED * shape.escaped(position)
        self.tables.marks["answer"][self.numbers] = bits + where.EMERGED * shape.emerged(position)
        drop.status, drop.is_answered = arrays.RUNNING, 1

    def take(self, cube: Cube) -> None:
        """Take a cube away by hand; what touched it wakes up."""
        k = next(k for k in self.numbers if self.tables.marks[k].id == cube.id)
        motion = self.motion().pose(self.numbers.index(k))
        self.tables.cubes[k].out_pose = (*motion.position, *motion.orientation)
        self.tables.marks[k].state = arrays.CLEARED
        self.core.remove(k)

    def lie_still(self) -> tuple[Touch, ...]:
        """Put all cubes to rest; return the contacts."""
        self.core.lie_still()
        return self.core.touches()

    def motion(self) -> Motion:
        """Return poses and velocities of the cubes that are there."""
        return self.core.motion(self.numbers)

    def poses(self) -> list[Pose]:
        """Return the poses of the cubes that are there."""
        motion = self.motion()
        return [motion.pose(i) for i in range(len(motion.position))]

    def read(self) -> dict[Cube, Landing]:
        """Return where all cubes are that were ever there: first, in the engine's order, those that still are.

        One that was swept away or lost has no pose.
        """
        shape, drop = self.apparatus, self.tables.drop[0]
        number = int(drop.laid + drop.launches)
        states, poses, tables = np.zeros((number, 2)), np.zeros((number, 7)), shape.room_to_look(number)
        there = self.core.core.read(self.tables, states, poses, *tables)
        places = shape.named(*tables) if shape.rule else self._ask(states, poses, there)
        cubes = [self._cubes[i] for i in states[:, 0].astype(int).tolist()]
        landings: dict[Cube, Landing] = {}
        for cube, state, place, (x, y, z, a, b, c, d) in zip(cubes, states[:, 1], places, poses.tolist(), strict=True):
            pose = Pose((x, y, z), (a, b, c, d)) if state in (arrays.THERE, arrays.CLEARED) else None
            landing = Landing(cube, place.place, pose, place.touches, tuple(cubes[j].id for j in place.on))
            landings.setdefault(cube, landing)
        return landings

    def _ask(self, states: Array, poses: Array, there: int) -> list[Place]:
        """Return the places of cubes of a kind that decides in Python."""
        last = there + int((states[:, 1] == arrays.CLEARED).sum())
        parts = (poses[:there], poses[there:last])
        found = [place for part in parts for place in self.apparatus.find(part[:, :3], part[:, 3:])]
        return found + [Place(TRAY if state == arrays.SWEPT else LOST) for state in states[last:, 1]]

    def overlap(self) -> float:
        """Return the largest overlap (m) of a cube with another or a part, of cubes just laid."""
        return self.core.core.deepest_overlap(self.tables)
