"""The core: every pair that can touch is looked at, what touched a cube that is gone wakes, and impacts pass on."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from support.cases import each_case
from support.scenes import CORNERS, EDGE, WEIGHTLESS, Array, core, floor, matrices, pose, set_up, turns

from tests.support.bench import World
from tests.support.golden_scenes import SCENES, digest, kept
from tests.support.hulls import pegged
from tower_sim.apparatus import Box, Surface
from tower_sim.physics import PhysicsSettings
from tower_sim.physics.core import CoreEngine, arrays
from tower_sim.values import Pose

WOOD = Surface(0.4, 0.4)
REACH = math.sqrt(3) * EDGE  # of two cubes whose spheres touch


def near_pairs(world: World) -> int:
    """Take a step; count the pairs of cubes whose spheres are nearer than a step looks ahead: each must be listed."""
    w = core(world).tables
    rows = range(int(w.whole[0].fixed), int(w.whole[0].rows))
    at = w.bodies["position"].copy()
    reach = REACH + w.real[0].far
    near = {(a, b) for a, b in combinations(rows, 2) if np.linalg.norm(at[a] - at[b]) < reach}
    core(world).step(0.001, 1)
    w = core(world).tables
    assert near <= {(a, b) for a, b, *_ in w.pairs[: w.whole[0].pairs].tolist()}
    return len(near)


@pytest.mark.parametrize("orientation", [(0.0, 0.0, 0.0, 1.0), tuple(turns(np.random.default_rng(3), 1)[0])])
def test_two_cubes_that_drift_together_are_on_the_list_before_either_looks_ahead_to_the_other(
    orientation: Sequence[float],
):
    """They start where they are just not listed, and come nearer by a twentieth of the skin a step, from both sides."""
    with World(PhysicsSettings(engine="core", quiet_time=10.0)) as world:
        set_up(world, [pose((0, 0, 0))], WOOD, gravity=WEIGHTLESS)
        settings = core(world).tables.real[0]
        skin = float(settings.skin)
        apart = REACH + skin + float(settings.far) + 1e-9
        bodies = set_up(world, [pose((0, 0, 0)), pose((apart, 0, 0), orientation)], WOOD, gravity=WEIGHTLESS)
        for body, way in zip(bodies, (1, -1), strict=True):
            world.engine.set_velocity(body, (way * 0.05 * skin / 0.001, 0, 0), (0, 0, 0))
        assert sum(near_pairs(world) for _ in range(30)) > 5


def test_every_pair_of_a_falling_heap_that_can_touch_is_on_the_list_at_every_step():
    rng = np.random.default_rng(5)
    with World(PhysicsSettings(engine="core")) as world:
        starts = [pose((*rng.normal(0, EDGE, 2), (1 + 1.2 * k) * EDGE), turns(rng, 1)[0]) for k in range(15)]
        set_up(world, starts, WOOD, [floor()])
        assert sum(near_pairs(world) for _ in range(300)) > 3000


@each_case("where", ["among the rows", "far away"])
def test_the_grid_lists_the_pairs_that_a_look_at_all_rows_lists(where: str):
    rng, tower = np.random.default_rng(9), pegged("amerigo", 2000)
    half = rng.uniform(0.001, 0.05, (40, 3)).tolist()
    boxes = [
        Box("b", "s", tuple(rng.normal(0, 0.05, 3)), tuple(half[k]), tuple(turn))
        for k, turn in enumerate(turns(rng, 40).tolist())
    ]
    engine = CoreEngine(PhysicsSettings(engine="core"))
    engine.clear(tower.cube_edge)
    hulls = tuple(replace(each, surface="s") for each in tower.hulls)
    engine.add_solids((*tower.boxes[:3], *boxes), hulls, {each.surface: WOOD for each in (*tower.boxes, *boxes)}, WOOD)
    engine.set_cubes(0.001)
    size = 0.05 if where == "among the rows" else 5.0
    for turn in turns(rng, 60).tolist():
        engine.add_cube(Pose(tuple(rng.normal(0, size, 3)), tuple(turn)))
    for is_large in (False, True):
        if is_large:
            for _ in range(20):
                engine.add_cuboid(Pose(tuple(rng.normal(0, size, 3)), (0.0, 0.0, 0.0, 1.0)), (0.01, 0.02, 0.03), 0.01)
        listed: list[list[list[int]]] = []
        reach = float(engine.tables.grid[0].listed)
        for by_grid in (reach, 0.0):
            engine.tables.grid[0].listed = by_grid
            engine.lie_still()
            listed.append([[a, b] for a, b, *_ in engine.tables.pairs[: engine.tables.whole[0].pairs].tolist()])
        engine.tables.grid[0].listed = reach
        assert reach > 0
        assert listed[0] == listed[1] == sorted(listed[0])
        assert len(listed[0]) > 300 or where == "far away"


def test_pairs_get_room_when_they_need_it_and_no_digit_changes(monkeypatch: pytest.MonkeyPatch):
    """With room for one pair a cube at first, worlds grow within a window, before a look, and at the start."""
    monkeypatch.setattr(arrays, "PAIRS_A_CUBE", 1)
    assert {name: digest(name) for name in SCENES} == kept()


@each_case("gone", [0, 1, 2])
def test_what_touched_a_cube_that_is_taken_out_wakes_up_and_nothing_else(gone: int):
    with World(PhysicsSettings(engine="core")) as world:
        row = [pose((k * EDGE, 0, EDGE / 2)) for k in (0, 1, 2, 9)]
        bodies = set_up(world, row, WOOD, [floor()])
        engine = core(world)
        engine.lie_still()
        engine.remove(bodies[gone])
        w = engine.tables
        awake = w.flags["awake"][w.whole[0].fixed : w.whole[0].rows].tolist()
        assert awake == [1, 1, 0]  # in the order of the rows that are left; islands wake whole


@pytest.mark.parametrize("overlaps", [(1, 2, 3), (3, 1, 2), (2, 3, 1)])
@pytest.mark.parametrize("towards", [(1, 1), (1, -1), (-1, 1), (-1, -1)])
def test_the_deepest_contact_is_that_of_all_points_of_all_pairs(overlaps: Sequence[int], towards: tuple[int, int]):
    """Three cubes, tilted a little towards one of their four corners; the lowest is so many % of an edge in a floor."""
    tilted = np.array([0.003 * towards[0], 0.002 * towards[1], 0.0, 1.0])
    tilted /= np.linalg.norm(tilted)
    low = -EDGE * (CORNERS @ matrices(tilted[None])[0].T)[:, 2].min()
    with World(PhysicsSettings(engine="core")) as world:
        poses = [pose((3 * k * EDGE, 0, low - over / 100 * EDGE), tilted) for k, over in enumerate(overlaps)]
        set_up(world, poses, WOOD, [floor()])
        core(world).lie_still()
        assert world.engine.overlap() == pytest.approx(0.03 * EDGE, rel=1e-6)


def cradle(cubes: int, gap: float, speed: float) -> Array:
    """Cubes in a row, face to face, `gap` (edges) between them; the first comes at `speed`: velocities after a step."""
    with World(PhysicsSettings(engine="core", quiet_time=10.0)) as world:
        row = [pose((k * (1 + gap) * EDGE, 0, 0)) for k in range(cubes)]
        bodies = set_up(world, row, Surface(0.0, 1.0), gravity=WEIGHTLESS)
        world.engine.set_velocity(bodies[0], (speed, 0, 0), (0, 0, 0))
        world.engine.step(0.001, 1)
        return world.engine.motion(bodies).velocity[:, 0]


def test_in_one_step_an_impact_passes_on_four_times_and_is_held_the_fifth():
    """They exchange their speeds: with the contacts, in three rounds more; the next is held off and shares."""
    speed = 0.4  # m/s: a twentieth of an edge a step, six gaps
    for cubes in range(2, 6):
        after = cradle(cubes, 0.008, speed)
        assert after[-1] == pytest.approx(speed, rel=1e-3)
        assert np.abs(after[:-1]).max() < 1e-3 * speed
    after = cradle(6, 0.008, speed)
    assert after.sum() == pytest.approx(speed, rel=1e-9)
    assert np.abs(after[:4]).max() < 1e-3 * speed
    assert 0.1 * speed < after[5] < 0.9 * speed
