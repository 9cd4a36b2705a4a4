"""Cubes do not notice where two pieces of one surface meet: they slide, tumble and bounce as on one box.

Surfaces of thin prisms, as a mesh gives them. Without `least_cosines` a cube is caught by the sides of the next piece.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from support.cases import each_case
from support.hulls import hull
from support.scenes import EDGE, Array, Thing, pose, run, set_up

from tests.support.bench import World
from tower_sim.apparatus import Box, Hull, Surface
from tower_sim.apparatus.parts import Vector
from tower_sim.errors import UsageError
from tower_sim.physics import PhysicsSettings

THICK = 0.0015
SETTINGS = PhysicsSettings(engine="core")
BOX = Box("floor", "floor", (0.1, 0.0, -0.05), (0.2, 0.15, 0.05))
LOW, HIGH, SIDE = -0.1, 0.3, 0.15
CUTS = np.linspace(LOW, HIGH, 81).tolist()  # 40 in 200 mm
Turn = tuple[float, float, float, float]


def piece(corners: Sequence[Sequence[float]], cosines: Sequence[float]) -> Hull:
    """Return a prism of a surface; `cosines` are those of its sides, from the one between its first two corners on."""
    upper = np.array(corners, float)
    normal = np.cross(upper[1] - upper[0], upper[2] - upper[0])
    number, lower = len(upper), upper - THICK * normal / np.linalg.norm(normal)
    around = [(k, k + number, (k + 1) % number + number, (k + 1) % number) for k in range(number)]
    faces = [tuple(range(number)), tuple(range(2 * number - 1, number - 1, -1)), *around]
    places = [*upper.tolist(), *lower.tolist()]
    return replace(hull("floor", "floor", places, faces), least_cosines=(1.0, 2.0, *map(float, cosines)))


def strips() -> list[Hull]:
    return [
        piece([(a, -SIDE, 0), (b, -SIDE, 0), (b, SIDE, 0), (a, SIDE, 0)], (0, b < HIGH, 0, a > LOW))
        for a, b in pairwise(CUTS)
    ]


def triangles() -> list[Hull]:
    below = [piece([(a, -SIDE, 0), (b, -SIDE, 0), (b, SIDE, 0)], (0, b < HIGH, 1)) for a, b in pairwise(CUTS)]
    above = [piece([(a, -SIDE, 0), (b, SIDE, 0), (a, SIDE, 0)], (1, 0, a > LOW)) for a, b in pairwise(CUTS)]
    return below + above


def fan() -> list[Hull]:
    rim = [(0.05 + 0.3 * math.cos(a), 0.003 + 0.3 * math.sin(a), 0) for a in np.linspace(0, 2 * math.pi, 49)]
    return [piece([(0.05, 0.003, 0), one, two], (1, 0, 1)) for one, two in pairwise(rim)]


SURFACES = {"strips": strips, "triangles": triangles, "fan": fan}


def catching(pieces: Sequence[Hull]) -> list[Hull]:
    return [replace(each, least_cosines=()) for each in pieces]


def about(axis: Sequence[float], angle: float) -> Turn:
    x, y, z = (math.sin(angle / 2) * np.array(axis) / np.linalg.norm(axis)).tolist()
    return x, y, z, math.cos(angle / 2)


def world(solids: Sequence[Box | Hull]) -> World:
    bench = World(SETTINGS)
    set_up(bench, [], Surface(0.3, 0.4), solids, thing=Thing(EDGE, 0.0005))
    return bench


def way(world: World, at: Sequence[float], turn: Turn, velocity: Vector, spin: Sequence[float], windows: int) -> Array:
    """Return where a cube is after each window until it sleeps, its velocity and its spin, shape (windows, 9)."""
    body = world.engine.add_cube(pose(at, turn))
    world.engine.set_velocity(body, velocity, spin)
    motions = [*run(world, [body], windows * SETTINGS.window)]
    world.engine.remove(body)
    return np.array([np.concatenate([x.position[0], x.velocity[0], x.spin[0]]) for x in motions])


@each_case("surface", SURFACES)
def test_a_cube_slides_200_mm_over_seams_as_over_one_box(surface: str):
    """It comes to rest within .1 % of the way, and is as fast within .1 % of its speed at first."""
    pieces = SURFACES[surface]()
    for angle in (0.0, 0.3, math.pi / 4):
        start = ((0.0, 0.0, EDGE / 2), about((0, 0, 1), angle), (1.08, 0.04, 0.0), (0.0, 0.0, 0.0), 40)
        whole, cut = way(world([BOX]), *start), way(world(pieces), *start)
        assert 0.19 < whole[-1, 0] < 0.21
        assert np.abs(cut - whole)[:, :3].max() < 1e-3 * 0.2
        assert np.abs(cut - whole)[:, 3:6].max() < 1e-3 * 1.08
        assert way(world(catching(pieces)), *start)[-1, 0] < 0.95 * whole[-1, 0]


@each_case("surface", SURFACES)
def test_cubes_tumble_over_seams_as_far_as_over_one_box(surface: str):
    """Of 60 throws with spin, in pairs, how far they come (mm): some 69, and without `least_cosines` 6 to 9 less."""
    rng = np.random.default_rng(3)
    pieces = SURFACES[surface]()
    worlds = [world(solids) for solids in ([BOX], pieces, catching(pieces))]
    ends: list[list[float]] = []
    for _ in range(60):
        at = (rng.uniform(-0.01, 0.01), rng.uniform(-0.02, 0.02), 0.012)
        turn = about(rng.normal(size=3).tolist(), rng.uniform(0, 3))
        velocity = (rng.uniform(0.4, 0.8), rng.uniform(-0.1, 0.1), -0.2)
        spin = (0.0, rng.uniform(20, 100), rng.uniform(-20, 20))
        ends.append([1e3 * float(way(each, at, turn, velocity, spin, 50)[-1, 0]) for each in worlds])
    whole, cut, caught = np.array(ends).T
    error = np.std(cut - whole) / math.sqrt(len(whole))
    assert abs(np.mean(cut - whole)) < 3 * error
    assert np.median(np.abs(cut - whole)) < 0.5  # a few go another way in the end
    assert np.median(np.abs(caught - whole)) > 3
    assert np.mean(caught - whole) < -4


@each_case("surface, typical, most", [("strips", 0.001, 0.01), ("triangles", 0.001, 0.01), ("fan", 0.02, 0.05)])
def test_a_cube_that_falls_on_a_seam_bounces_as_from_one_box(surface: str, typical: float, most: float):
    """On an edge along the seam or across it, or on a corner, exactly over the seam and beside it, at .7 m/s.

    Differences of velocity (m/s). Over the middle of the fan 48 contacts share what one takes otherwise.
    """
    pieces, off = SURFACES[surface](), list[float]()
    seam = 0.05 if surface == "fan" else CUTS[30]
    worlds = world([BOX]), world(pieces)
    leans = (about((1, 0, 0), math.pi / 4), about((0, 1, 0), math.pi / 4), about((1, -1, 0), 0.9553))
    for turn, beside in product(leans, (0.0, 1e-5, -1e-4, 2e-4)):
        start = ((seam + beside, 0.003, 0.013), turn, (0.0, 0.0, -0.5), (0.0, 0.0, 3.0), 3)
        whole, cut = (way(each, *start) for each in worlds)
        assert whole[:, 5].max() > 0.05  # it bounces
        off.append(float(np.abs(cut - whole)[:, 3:6].max()))
    assert np.median(off) < typical
    assert max(off) < most


@each_case("falls", [0.1, 0.3, 0.6, 1.0, math.pi / 2])
def test_cubes_hit_a_ridge_of_two_pieces_as_that_of_one_solid(falls: float):
    """A roof whose sides fall off by this angle; 40 cubes thrown at its ridge, which is an edge that they touch."""
    x, z = 0.05 * math.cos(falls / 2), -0.05 * math.sin(falls / 2)
    y, cosine = 0.06, math.cos(falls)
    pieces = [
        piece([(-x, -y, z), (0, -y, 0), (0, y, 0), (-x, y, z)], (0, cosine, 0, 0)),
        piece([(0, -y, 0), (x, -y, z), (x, y, z), (0, y, 0)], (0, 0, 0, cosine)),
    ]
    places = [(-x, -y, z), (0, -y, 0), (x, -y, z), (-x, y, z), (0, y, 0), (x, y, z)]
    solid = hull("floor", "floor", places, [(0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (0, 3, 5, 2)])
    rng, off = np.random.default_rng(5), list[float]()
    worlds = world([solid]), world(pieces)
    for _ in range(60):
        at = (rng.uniform(-0.012, 0.012), rng.uniform(-0.03, 0.03), 0.012)
        turn = about(rng.normal(size=3).tolist(), rng.uniform(0, 3))
        velocity = (rng.uniform(-0.5, 0.5), rng.uniform(-0.1, 0.1), -0.3)
        start = (at, turn, velocity, rng.normal(0, 20, 3).tolist(), 5)
        whole, cut = (way(each, *start) for each in worlds)
        off.append(float(np.abs(cut - whole)[:, :3].max()))
    assert np.median(off) < 1e-6
    assert np.quantile(off, 0.9) < 1e-4


def test_least_cosines_are_none_or_one_for_each_face():
    one = strips()[0]
    with pytest.raises(UsageError, match=r"has 2 least cosines; allowed are none, or one for each face"):
        replace(one, least_cosines=(1.0, 1.0))
