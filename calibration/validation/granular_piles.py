"""Piles of cubes as granular physics measures them: a box to pour into, a flat-bottomed hopper, upright or tilted.

The bodies, the release, the sleep and the knock are those of the towers; only the fixed boxes are others. Lengths in
the parameters are in cube edges.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tests.support.bench import GRAVITY, Launch, Motion, Shake, World
from tests.support.hulls import prism, regular
from tests.support.scenes import matrices
from tower_sim.apparatus import Apparatus, Box, Hull, Surface, span
from tower_sim.apparatus.parts import Hand, Region
from tower_sim.physics import PhysicsSettings, Scene
from tower_sim.physics.bullet.engine import CM, BulletEngine, SteppedScene
from tower_sim.physics.core import arrays
from tower_sim.values import INSIDE, Cube, Place, Pose, Status

Array = npt.NDArray[np.float64]

EDGE = 0.008
DENSITY = 650.0
PLATE = 0.25
"""Edges: how thick the bottom of a hopper is, as a floor of the towers."""
_CELL = math.sqrt(3) * 1.001  # edges: holds a cube however it is turned
_LAYER = 0.08  # s between two layers that are poured
_FALL = 2.0  # edges from a poured layer down to where the surface is taken to be
_PLACES = 6  # looked at for each cube that is given back


@dataclass(frozen=True, slots=True, kw_only=True)
class Bed(Apparatus):
    """A square box, open above, whose floor is z = 0 and may have a hole in its middle: what falls through emerges.

    The hole `outlet` (edges, along x and y) is a rectangle, or the regular polygon of more `corners` that just fits in.
    """

    width: float
    outlet: tuple[float, float] | None
    corners: int

    def find(self, position: Array, orientation: Array) -> list[Place]:
        """Say that each cube is inside: nobody asks for more."""
        return [Place(f"{INSIDE}box")] * len(position)

    def emerged(self, position: Array) -> npt.NDArray[np.bool_]:
        """Tell which cubes have fallen well below the plate."""
        return np.less(position[:, 2], -2 * EDGE)

    def escaped(self, position: Array) -> npt.NDArray[np.bool_]:
        """Tell which cubes are beside the box, or nowhere."""
        return np.logical_not((np.abs(position[:, :2]) <= self.width * EDGE / 2).all(axis=1))

    def beside(self, position: Array) -> Array:
        """Return how far (m) each cube's centre is beside the hole, seen along z: 0 where it is over it."""
        turn = 2 * math.pi * np.arange(self.corners) / self.corners
        facing = np.stack((np.cos(turn), np.sin(turn)), axis=1)
        reach = np.hypot(*(facing * np.array(self.outlet or (0.0, 0.0)) * EDGE / 2).T)
        return np.maximum((position[:, :2] @ facing.T - reach).max(axis=1), 0.0)


def bed(
    width: float, pair: Surface, outlet: tuple[float, float] | None = None, corners: int = 4, height: float = 100.0
) -> Bed:
    """Make a box `width` edges wide, all contacts of `pair`; `outlet` is the hole's sides along x and y (edges).

    A hole of more than four `corners` (a multiple of four, for the core only) is as wide along x as along y.
    """
    half, high, thick = width * EDGE / 2, height * EDGE, 2 * EDGE
    every, upright = (-half - thick, half + thick), (-PLATE * EDGE if outlet else -thick, high)
    sides, between = ((-half - thick, -half), (half, half + thick)), (-half, half)
    places = [*((side, every) for side in sides), *((between, side) for side in sides)]
    walls = [span("wall", x, y, upright, "all") for x, y in places]
    return Bed(
        name="bed",
        profile={},
        digest="",
        boxes=(*walls, *_bottom(half, outlet)),
        hulls=tuple(_rounding(outlet[0] * EDGE / 2, corners)) if outlet else (),
        surfaces={"all": pair},
        between_cubes=pair,
        cube_edge=EDGE,
        cube_density=DENSITY,
        hand=Hand(0.0, width * EDGE, 0.0, 0.0, 0.0),
        rim_top=high,
        regions=(Region("box", 0.0),),
        passed=-EDGE if outlet else -math.inf,
        swept=outlet is not None,
        width=width,
        outlet=outlet,
        corners=corners,
    )


def _bottom(half: float, outlet: tuple[float, float] | None) -> list[Box]:
    if outlet is None:
        return [span("floor", (-half, half), (-half, half), (-2 * EDGE, 0.0), "all")]
    x, y, z = outlet[0] * EDGE / 2, outlet[1] * EDGE / 2, (-PLATE * EDGE, 0.0)
    sides = [((-half, -x), (-half, half)), ((x, half), (-half, half)), ((-x, x), (-half, -y)), ((-x, x), (y, half))]
    return [span("floor", a, b, z, "all") for a, b in sides if a[1] - a[0] > 1e-9 and b[1] - b[0] > 1e-9]


def _rounding(half: float, corners: int) -> Iterator[Hull]:
    """Fill the corners of a square hole, up to the polygon in it: a prism on each of its slanting sides."""
    outline = regular(corners, half)
    for k, (x, y) in enumerate(outline):
        if k % (corners // 4):
            (a, b), corner = outline[(k + 1) % corners], (math.copysign(half, x), math.copysign(half, y))
            yield prism("floor", "all", [(a, b), (x, y), corner], -PLATE * EDGE, 0.0)


class Pile:
    """Cubes in a bed, from the first that is poured on: `scene` has them, `status` is how the last settling ended.

    `up` is where up is in the frame of the bed: along z until it is tilted.
    """

    def __init__(self, world: World, shape: Bed) -> None:
        self.shape = shape
        self.up = np.array([0.0, 0.0, 1.0])
        self.scene = world.scene(shape)
        self.status = Status.SETTLED
        self._next = 0
        self._given: set[int] = set()

    @property
    def pull(self) -> tuple[float, float, float]:
        """Gravity (m/s2) in the frame of the bed."""
        x, y, z = (-GRAVITY * self.up).tolist()
        return x, y, z

    @property
    def out(self) -> list[int]:
        """The numbers of the cubes that fell out or were taken and were not given back yet."""
        return [cube.id for cube in self.scene.out() if cube.id not in self._given]

    def motion(self) -> Motion:
        return self.scene.motion()

    def pour(self, number: int, rng: np.random.Generator, rise: float = 0.45) -> None:
        """Pour cubes in thin layers from a hand that rises with the pile, turned at random, and let them come to rest.

        The bed stands upright while it is poured into, and while it is tapped.

        The hand is two edges over a pile of the fraction `rise`: over a denser one it rises ahead, and cubes fall
        further the more there are.

        Random, from `rng`: where in a layer (one after the other at places that are free however cubes are turned) and
        the orientations, uniform over rotations.
        """
        launches: list[Launch] = []
        at, spread = 0.0, self.shape.width / 2 - 0.4 * _CELL
        while len(launches) < number:
            z = EDGE * (len(launches) / (rise * self.shape.width**2) + _FALL + _CELL)
            for x, y in _layer(spread, rng)[: number - len(launches)]:
                launches.append(self._launch(x * EDGE, y * EDGE, z, at, rng))
            at += _LAYER
        self.scene.launch(launches)
        self.status = self.scene.settle()

    def tilt(self, angle: float) -> None:
        """Tilt the bed at once by so many degrees, its side at +x down, and wake all cubes: `flow` is tilted so."""
        turn = math.radians(angle)
        self.up = np.array([-math.sin(turn), 0.0, math.cos(turn)])
        wake_all(self.scene)

    def tap(self, strength: float, rng: np.random.Generator) -> None:
        """Knock on the table in a direction drawn from `rng`, and let the cubes come to rest."""
        self.status = self.scene.settle(Shake.draw(strength, rng).row)

    def flow(self, rng: np.random.Generator, most: int, patience: float = math.inf) -> tuple[int, bool]:
        """Let cubes fall through the outlet until nothing moves; returns how many did, and whether it ended by itself.

        What has fallen is let go again over the pile, at a place drawn from `rng`, so that the hopper stays full. After
        `most` cubes the world is stopped as it is. It has ended too when none has fallen for `patience` seconds; when
        something still moves after the longest time of the settings, it has not.
        """
        scene, fallen, waited = self.scene, 0, 0.0
        settings = scene.settings
        while waited < min(settings.longest, patience):
            if out := [scene.there[i] for i in np.flatnonzero(self.shape.emerged(scene.motion().position))]:
                fallen, waited = fallen + len(out), 0.0
                for cube in out:
                    scene.take(cube)
                self.give_back(rng)
                if fallen >= most:
                    return fallen, False
            elif scene.rest() if isinstance(scene, SteppedScene) else scene.core.all_sleep():
                return fallen, True
            stir(scene, self.pull)
            waited += settings.window
        return fallen, patience < settings.longest

    def give_back(self, rng: np.random.Generator) -> None:
        """Let go, just over the surface, what was swept: each at the lowest of some places drawn from `rng`."""
        reach = (self.shape.width / 2 - 0.5 * _CELL) * EDGE
        out = self.out
        self._given |= {*out}
        for _ in out:
            centre = self.motion().position
            places = [(_uniform(rng, -reach, reach), _uniform(rng, -reach, reach)) for _ in range(_PLACES)]
            free = [(x, y, _free_height(centre, x, y)) for x, y in places]
            x, y, z = min(free, key=lambda place: float(self.up @ place))
            self.scene.launch([self._launch(x, y, z, 0.0, rng)])
            appear(self.scene)

    def arch(self) -> list[int]:
        """Return the numbers of the cubes that close the outlet: with centres over it, the lowest and those beside it.

        Beside it are those whose centres are less than an edge higher. Where no centre is over the outlet those count
        that are nearest to being so.
        """
        centre = self.motion().position
        outside = self.shape.beside(centre)
        height = np.where(outside <= outside.min(initial=math.inf), centre[:, 2], math.inf)
        low = height < height.min(initial=math.inf) + EDGE
        return [cube.id for cube, is_low in zip(self.scene.there, low, strict=True) if is_low]

    def take_out(self, numbers: Sequence[int]) -> None:
        """Take cubes out; what touched them wakes up."""
        for cube in [cube for cube in self.scene.there if cube.id in numbers]:
            self.scene.take(cube)
        if isinstance(self.scene, SteppedScene):
            wake_all(self.scene)

    def _launch(self, x: float, y: float, z: float, at: float, rng: np.random.Generator) -> Launch:
        cube = Cube(self._next, "grain", EDGE)
        self._next += 1
        return Launch(cube, round(at / self.scene.settings.window), Pose((x, y, z), _turn(rng)))


def wake_all(scene: Scene) -> None:
    for number in scene.numbers:
        scene.core.wake(number)
    scene.tables.drop[0].wakes += 1
    if isinstance(scene, SteppedScene):
        scene.mirror()


def deepest(scene: Scene) -> float:
    """Return how deep (m) the deepest contact of a scene is, as its engine says."""
    return (scene.engine if isinstance(scene, SteppedScene) else scene.core).overlap()


def appear(scene: Scene) -> None:
    tables = scene.tables
    tables.drop[0].passed_windows = 0
    scene.core.core.come_and_go(tables)
    if isinstance(scene, SteppedScene):
        scene.mirror()


def stir(scene: Scene, pull: tuple[float, float, float]) -> None:
    """Let a window pass in a scene under a gravity of one's own."""
    if isinstance(scene, SteppedScene):
        scene.take_window(pull)
        return
    scene.tables.drop[0].run = arrays.NO_DROP
    scene.core.set_gravity(pull)
    scene.core.run(1)
    scene.tables.drop[0].run = arrays.ALONE


def _uniform(rng: np.random.Generator, low: float, high: float) -> float:
    return low + (high - low) * rng.random()


def _turn(rng: np.random.Generator) -> tuple[float, float, float, float]:
    """Draw a rotation, uniform over all, as the core's hand does."""
    points: list[tuple[float, float, float]] = []
    while len(points) < 2:
        x, y = 2 * rng.random() - 1, 2 * rng.random() - 1
        if 0 < x * x + y * y < 1:
            points.append((x, y, x * x + y * y))
    (x, y, square), (z, w, other) = points
    stretch = math.sqrt((1 - square) / other)
    return x, y, z * stretch, w * stretch


def _free_height(centre: Array, x: float, y: float) -> float:
    """Return the height (m) at which a cube over (x, y) is free of all others, however it and they are turned."""
    apart = np.hypot(centre[:, 0] - x, centre[:, 1] - y) / (_CELL * EDGE)
    near = apart < 1
    over = centre[near, 2] + _CELL * EDGE * np.sqrt(1 - apart[near] ** 2)
    return float(over.max(initial=_CELL * EDGE))


def _layer(spread: float, rng: np.random.Generator, tries: int = 300) -> list[tuple[float, float]]:
    """Draw places (edges) one after the other, none nearer to another than a cell."""
    places: list[tuple[float, float]] = []
    for _ in range(tries):
        x, y = _uniform(rng, -spread, spread), _uniform(rng, -spread, spread)
        if all((x - a) ** 2 + (y - b) ** 2 > _CELL**2 for a, b in places):
            places.append((x, y))
    return places


class Spheres(BulletEngine):
    """Bullet with balls, as wide as the cubes are, in their place."""

    def set_cubes(self, mass: float, inertia: float | None = None) -> None:
        """Say what the balls are: those of the cubes' density, whose mass (kg) is given."""
        ball = math.pi / 6 * mass
        super().set_cubes(ball, 0.1 * ball * self._edge**2)
        self._cube_shape = self._bullet.createCollisionShape(
            self._bullet.GEOM_SPHERE, radius=self._edge / 2 * CM, physicsClientId=self._client
        )


class Crosses(BulletEngine):
    """Bullet with crosses in the cubes' place: three bars through one middle, an edge long and a third of it thick."""

    def set_cubes(self, mass: float, inertia: float | None = None) -> None:
        """Say what the crosses are: seven small cubes each, of the cubes' density, whose mass (kg) is given."""
        cross = 7 / 27 * mass
        super().set_cubes(cross, 31 / 378 * cross * self._edge**2)
        long, thick = self._edge / 2 * CM, self._edge / 6 * CM
        self._cube_shape = self._bullet.createCollisionShapeArray(
            [self._bullet.GEOM_BOX] * 3,
            halfExtents=[[long, thick, thick], [thick, long, thick], [thick, thick, long]],
            collisionFramePositions=[[0, 0, 0]] * 3,
            physicsClientId=self._client,
        )


@contextmanager
def pile(settings: PhysicsSettings, shape: Bed, engine: type[BulletEngine] | None = None) -> Iterator[Pile]:
    """Give an empty pile in a world of its own; `engine` takes the place of the one that the settings name."""
    with World(settings) as world, world.alone():
        if engine is not None:
            world.engine.close()
            world.engine = engine(settings)
        yield Pile(world, shape)


def fraction(motion: Motion, low: Sequence[float], high: Sequence[float], spacing: float = 0.1) -> float:
    """Return which share of the upright box from `low` to `high` (edges) is in cubes: points of a grid are counted."""
    axes = [np.arange(a + spacing / 2, b, spacing) for a, b in zip(low, high, strict=True)]
    filled = np.zeros([len(axis) for axis in axes], bool)
    turned = matrices(motion.orientation)
    for centre, turn in zip(motion.position / EDGE, turned, strict=True):
        near = [np.flatnonzero(np.abs(axis - c) < math.sqrt(3) / 2) for axis, c in zip(axes, centre, strict=True)]
        if all(len(each) for each in near):
            grid = np.stack(np.meshgrid(*(axes[k][near[k]] - centre[k] for k in range(3)), indexing="ij"), axis=-1)
            filled[np.ix_(*near)] |= (np.abs(grid @ turn) <= 0.5).all(axis=-1)
    return float(filled.mean())


def bulk_fraction(motion: Motion, width: float, margin: float = 2.0) -> float:
    """Return the fraction of a pile `margin` edges away from walls, floor and surface (the top but 5 % of cubes)."""
    z = np.sort(motion.position[:, 2]) / EDGE
    top = float(z[int(0.95 * len(z))])
    side = width / 2 - margin
    return fraction(motion, (-side, -side, margin), (side, side, top - margin))
