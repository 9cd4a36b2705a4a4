"""The digest in a state of physics, of the apparatus and the settings that made it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus import Apparatus, Vector, where
from tower_sim.errors import UsageError
from tower_sim.physics.core import CoreEngine, arrays
from tower_sim.physics.core.run import GONE, TOUCH
from tower_sim.physics.engine import Motion
from tower_sim.physics.settings import PhysicsSettings, accuracies, accuracy, own_accuracy
from tower_sim.tools import names
from tower_sim.values import TRAY, Cube, Place, Pose, Status, Touch


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
    """An apparatus with its cubes in the tables of the core, which runs a drop by itself.

    `cubes` are all cubes that were ever there, by their numbers in the tables.
    """

    run: ClassVar[int] = arrays.ALONE

    def __init__(self, core: CoreEngine, apparatus: Apparatus, settings: PhysicsSettings) -> None:
        """Build `apparatus` in the emptied world of `core`."""
        self.core, self.apparatus, self.settings = core, apparatus, settings
        self.cubes: list[Cube] = []
        edge = apparatus.cube_edge
        core.clear(edge)
        core.add_solids(apparatus.boxes, apparatus.hulls, apparatus.surfaces, apparatus.between_cubes)
        core.set_cubes(apparatus.cube_density * edge * edge * edge)
        core.set_passed(apparatus.passed)
        rule = apparatus.rule or (float(where.ASKED),)
        tables = core.make_room(0, len(rule))
        tables.rule[:] = rule
        drop, plan, hand = tables.drop[0], tables.plan[0], apparatus.hand
        drop.run, drop.is_swept, drop.has_board = self.run, apparatus.swept, apparatus.board is not None
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
        return [self.cubes[number] for number in self.numbers]

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
        self.put({**inside, **outside})
        self.tables.drop[0].inside = len(inside)
        self.core.begin(self._rows(tuple(touches)))

    def put(self, laid: Mapping[Cube, Pose]) -> None:
        """Write the cubes at rest of the next `begin` into the tables."""
        self.cubes = list(laid)
        tables = self.core.make_room(len(laid), len(self.tables.rule))
        for k, pose in enumerate(laid.values()):
            arrays.clear_row(tables.cubes, k)
            tables.cubes[k].pose = (*pose.position, *pose.orientation)
        tables.drop[0].laid = len(laid)

    def _rows(self, touches: Sequence[Touch]) -> Array:
        number = {cube.id: float(k) for k, cube in enumerate(self.cubes)}
        rows = np.zeros((len(touches), TOUCH))
        for row, touch in zip(rows, touches, strict=True):
            other = float(touch.other) if touch.other < 0 else number.get(touch.other, GONE)
            row[:3] = number.get(touch.cube, GONE), other, len(touch.forces) // 3
            row[3 : 3 + len(touch.forces)] = touch.forces
        return rows

    def throw(self, cubes: Sequence[Cube], rng: np.random.Generator) -> None:
        """Let the hand of the apparatus let go of `cubes` in the next drop.

        Random: their order, places, orientations, velocities, spins and times.
        """
        first = self._expect(len(cubes))
        self._draw(rng, 64 + 32 * len(cubes), self.core.core.let_go)
        which = self.tables.marks[first : first + len(cubes)]["which"].tolist()
        self.cubes += [cubes[k] for k in which]

    def put_down(self, cube: Cube, zone: str, rng: np.random.Generator) -> None:
        """Put a cube flat into a zone, clear of its borders and of other cubes if possible.

        Random: the place and the turn about the vertical.
        """
        self._expect(1)
        board = self.apparatus.board
        assert board is not None  # the model has seen to that
        k = [each.name for each in board.zones].index(zone)

        def draw(tables: arrays.Tables, draws: Array) -> int:
            return self.core.core.put_down(tables, draws, k)

        if not self._draw(rng, 600, draw):
            raise RuntimeError(f"no place in zone {zone!r} holds a cube flat")  # the catalogue refuses such zones
        self.cubes.append(cube)

    def launch(self, launches: Sequence[Launch], *, is_checked: bool = False) -> None:
        """Let cubes go in the next drop; if `is_checked`, each place must then be free."""
        first = self._expect(len(launches))
        tables = self.tables
        for k, launch in enumerate(launches, first):
            row = tables.cubes[k]
            row.pose, row.let_at = (*launch.pose.position, *launch.pose.orientation), launch.windows
            row.let_velocity, row.let_spin = launch.velocity, launch.spin
        tables.drop[0].is_checked = is_checked
        self.cubes += [launch.cube for launch in launches]

    def _expect(self, cubes: int) -> int:
        first = len(self.cubes)
        tables = self.core.make_room(first + cubes, len(self.tables.rule))
        tables.drop[0].launches = first + cubes - tables.drop[0].laid
        return first

    def _draw(self, rng: np.random.Generator, number: int, draw: Callable[[arrays.Tables, Array], int]) -> int:
        bits: Any = rng.bit_generator
        begin = bits.state
        while (used := int(draw(self.tables, rng.random(number)))) > number:
            bits.state, number = begin, 2 * used
        bits.state = begin
        rng.random(used)
        return used

    def settle(self, shake: tuple[float, float, float] | None = None) -> Status:
        """Run the drop until every cube is at rest and none is left outside, or time is up; return how it ended.

        `shake` is a knock: its strength (g) and direction (x, y). Raises UsageError for a launch at no free place.
        """
        tables = self.tables
        first, plan = int(tables.drop[0].laid), tables.plan[0]
        plan.strength, plan.shake[0], plan.shake[1] = shake or (-1.0, 0.0, 0.0)
        self.core.core.start(tables)
        self._run()
        drop, plan = self.tables.drop[0], self.tables.plan[0]
        if drop.status == arrays.TAKEN:
            cube, deep = self.cubes[first + int(drop.next)], float(plan.depth)
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
        k = next(k for k in self.numbers if self.cubes[k] == cube)
        motion = self.motion().pose(self.numbers.index(k))
        self.tables.cubes[k].out_pose = (*motion.position, *motion.orientation)
        self.tables.marks[k].state = arrays.CLEARED
        self.core.remove(k)

    def lie_still(self) -> tuple[Touch, ...]:
        """Put all cubes to rest; return the contacts."""
        self.core.lie_still()
        ids = [cube.id for cube in self.cubes]
        return tuple(
            Touch(ids[touch.cube], touch.other if touch.other < 0 else ids[touch.other], touch.forces)
            for touch in self.core.touches()
        )

    def motion(self) -> Motion:
        """Return poses and velocities of the cubes that are there."""
        return self.core.motion(self.numbers)

    def poses(self) -> list[Pose]:
        """Return the poses of the cubes that are there."""
        motion = self.motion()
        return [motion.pose(i) for i in range(len(motion.position))]

    def places(self) -> list[Place]:
        """Return the places of the cubes that are there."""
        motion = self.motion()
        return self._find(np.concatenate([motion.position, motion.orientation], axis=1))

    def _find(self, poses: Array) -> list[Place]:
        shape = self.apparatus
        if not shape.rule:
            return shape.find(poses[:, :3], poses[:, 3:])
        room = shape.room_to_look(len(poses))
        self.core.core.find_places(self.tables, poses, *room)
        return shape.named(*room)

    def overlap(self) -> float:
        """Return the largest overlap (m) of a cube with another or a part, of the cubes that `put` wrote."""
        self.core.begin(np.zeros((0, TOUCH)))
        return self.core.core.deepest_overlap(self.tables)

    def out(self) -> dict[Cube, tuple[str, Pose | None]]:
        """Return the place and pose of each cube that was taken away; a swept cube has no pose."""
        states = self.tables.marks[: len(self.cubes)]["state"].tolist()
        swept: dict[Cube, tuple[str, Pose | None]] = {
            cube: (TRAY, None) for cube, state in zip(self.cubes, states, strict=True) if state == arrays.SWEPT
        }
        rest = [k for k, state in enumerate(states) if state == arrays.CLEARED]
        poses = self.tables.cubes["out_pose"][rest]
        return swept | {
            self.cubes[k]: (place.place, Pose((x, y, z), (a, b, c, d)))
            for k, place, (x, y, z, a, b, c, d) in zip(rest, self._find(poses), poses.tolist(), strict=True)
        }
