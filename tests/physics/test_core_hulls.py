"""Fixed convex hulls: against the same boxes, against answers known without either, and in towers."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support import scenes
from support.cases import each_case
from support.hulls import as_hull, hull, prism, regular
from support.scenes import EDGE, MASS, Array, floor, matrices, pose, run, run_out, set_up, slope_axes, turns

from tests.support.bench import GRAVITY, World
from tests.support.towers import RULEBOOK
from tower_sim.apparatus import Apparatus, Box, Hull, Surface, load, tilted_about_y
from tower_sim.apparatus.parts import Vector
from tower_sim.drawing import draw_apparatus
from tower_sim.errors import UsageError
from tower_sim.physics import PhysicsSettings
from tower_sim.simulator import PhysicsModel
from tower_sim.values import Event, Pose, Resident, TowerState, supply

WOOD = Surface(0.4, 0.4)
CORE = PhysicsSettings(engine="core")
TETRAHEDRON = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
SIDES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))


@each_case(
    ("vertices", "faces", "message"),
    [
        (TETRAHEDRON[:3], SIDES, "has 3 vertices; allowed are 4 to 64"),
        (TETRAHEDRON, SIDES[:3], "is not closed"),
        (TETRAHEDRON, tuple(face[::-1] for face in SIDES), "is not convex at face 0"),
        (TETRAHEDRON, ((0, 2, 7), *SIDES[1:]), "has face 0, (0, 2, 7)"),
        ((*TETRAHEDRON[:3], (0, 0, math.nan)), SIDES, "not three finite numbers"),
        ((*TETRAHEDRON, (2, 2, 2)), SIDES, "has a vertex in no face"),
        # a dent: a vertex inside the tetrahedron replaces a face by three
        ((*TETRAHEDRON, (0.3, 0.3, 0.3)), (*SIDES[:2], SIDES[3], (1, 2, 4), (2, 3, 4), (3, 1, 4)), "is not convex"),
        # a face in two parts
        ((*TETRAHEDRON, (0.5, 0.5, 0)), ((0, 2, 4), (0, 4, 1), SIDES[1], (1, 4, 3), (4, 2, 3), SIDES[3]), "one plane"),
    ],
)
def test_what_is_no_closed_convex_hull_of_whole_faces_is_refused(
    vertices: tuple[Vector, ...], faces: tuple[tuple[int, ...], ...], message: str
):
    with pytest.raises(UsageError, match=re.escape(message)):
        Hull("part", "floor", vertices, faces)


def test_a_hull_tells_its_bounds_and_each_edge_once():
    ring = prism("ring", "floor", regular(10, 0.02), 0.0, 0.01)
    assert len(ring.edges) == 30
    assert ring.bounds[0][2] == 0.0
    assert ring.centre == pytest.approx((0.0, 0.0, 0.005))


def test_a_box_given_as_a_hull_throws_cubes_back_as_the_box_does():
    """120 throws at a tilted box, at faces, edges and corners alike; solved to the end, so that order does not tell."""
    rng = np.random.default_rng(1)
    box = Box("floor", "floor", (0.0, 0.0, 0.0), (0.006, 0.004, 0.01), (0.5, 0.1, -0.3, 0.806225774829855))
    with World(PhysicsSettings(engine="core", residual=1e-10, iterations=1000)) as world:
        hit = 0
        for _ in range(120):
            start = rng.normal(size=3)
            start *= 0.025 / np.linalg.norm(start)
            where, spin = pose(start, turns(rng, 1)[0]), rng.normal(size=3) * 20
            velocity = (rng.normal(size=3) * 0.002 - start) * 40
            ends: list[Array] = []
            for shape in (box, as_hull(box)):
                bodies = set_up(world, [where], WOOD, [shape])
                world.engine.set_velocity(bodies[0], velocity, spin)
                motion = run_out(world, bodies, 0.02)
                ends.append(np.concatenate([motion.velocity[0], EDGE * motion.spin[0]]))
            assert np.abs(ends[1] - ends[0]).max() < 1e-6
            hit += np.linalg.norm(ends[0][:3] - velocity) > 0.5
    assert hit > 90


def wedge(slope: float) -> Hull:
    """Return a wedge 20 cm long on the floor, whose top descends towards +x."""
    x, y, z = 0.1, 0.05, 0.2 * math.tan(slope)
    places = [(-x, -y, 0), (x, -y, 0), (-x, y, 0), (x, y, 0), (-x, -y, z), (-x, y, z)]
    return hull("wedge", "floor", places, [(0, 2, 3, 1), (0, 4, 5, 2), (4, 1, 3, 5), (0, 1, 4), (2, 5, 3)])


@each_case("above", [-1.0, 1.0, 4.0])
def test_a_cube_on_a_wedge_sticks_or_slides_as_coulomb_friction_lets_it(world: World, above: float):
    slope = math.atan(0.4) + math.radians(above)
    across, down = slope_axes(slope)
    place = np.array([-0.06, 0.0, 0.16 * math.tan(slope)]) + across * EDGE / 2
    bodies = set_up(world, [pose(place, tilted_about_y(slope))], WOOD, [floor(), wedge(slope)])
    expected = max(0.0, GRAVITY * (math.sin(slope) - 0.4 * math.cos(slope)))
    assert scenes.acceleration(world, run(world, bodies, 0.3), down) == pytest.approx(expected, rel=0.005, abs=1e-3)


@each_case("sides", [3, 10, 32])
def test_a_cube_that_rests_on_a_plate_of_many_sides_is_held_by_its_weight_at_eight_points_at_most(
    world: World, sides: int
):
    """The plate is smaller than the cube, so that its whole outline touches."""
    plate = prism("plate", "floor", regular(sides, 0.3 * EDGE), 0.0, 0.01)
    bodies, engine = set_up(world, [pose((0, 0, 0.01 + EDGE / 2))], WOOD, [floor(), plate]), scenes.core(world)
    assert engine.run(100) < 100
    assert np.abs(engine.motion(bodies).position[0] - [0, 0, 0.01 + EDGE / 2]).max() < 0.002 * EDGE
    engine.lie_still()
    (touch,) = engine.touches()
    assert touch.other == -2  # after the floor, which is -1
    forces = 1e-9 * np.reshape(touch.forces, (-1, 3))
    assert min(sides, 4) <= len(forces) <= 8
    assert forces.sum(axis=0) == pytest.approx([0, 0, MASS * GRAVITY], abs=0.01 * MASS * GRAVITY)


def test_a_cube_on_the_tip_of_a_pyramid_falls_to_one_side_and_never_into_it(world: World):
    base, top = regular(5, 0.01), (0.0, 0.0, 0.02)
    sides = [(k, (k + 1) % 5, 5) for k in range(5)]
    pyramid = hull("tip", "floor", [(x, y, 0) for x, y in base] + [top], [(4, 3, 2, 1, 0), *sides])
    start = pose((0.0002, 0.0001, 0.021 + EDGE / 2), turns(np.random.default_rng(3), 1)[0])
    bodies = set_up(world, [start], WOOD, [floor(), pyramid])
    deepest = height = 0.0
    for motion in run(world, bodies, 1.0):
        height = float(motion.position[0, 2])
        turn = matrices(motion.orientation)[0]
        tip = np.abs(turn.T @ (np.array(top) - motion.position[0])).max()
        deepest = max(deepest, EDGE / 2 - float(tip))
    assert deepest < 0.01 * EDGE
    assert height < 0.02


def hopper(sides: int, thick: float) -> list[Hull]:
    """Return walls of an upright pyramid that stands on its tip, closed, 4 cm deep and as wide at the rim."""
    inner, outer = regular(sides, 0.04), regular(sides, 0.04 + math.sqrt(2) * thick)
    walls: list[Hull] = []
    for k in range(sides):
        (a, b), (c, d) = (inner[k], inner[(k + 1) % sides]), (outer[k], outer[(k + 1) % sides])
        places = [(*a, 0.04), (*b, 0.04), (0, 0, 0), (*c, 0.04), (*d, 0.04), (0, 0, -math.sqrt(2) * thick)]
        walls.append(hull("hopper", "floor", places, [(0, 1, 2), (3, 5, 4), (0, 3, 4, 1), (1, 4, 5, 2), (0, 2, 5, 3)]))
    return walls


@pytest.mark.parametrize("sides", [4, 7])
def test_nothing_passes_the_1_mm_walls_of_a_pyramid_hopper_at_5_metres_a_second(world: World, sides: int):
    """Under a lid at the rim; a cube whose centre is within the walls' inner faces after 0.1 s passed none of them."""
    rng = np.random.default_rng(4)
    shut = [*hopper(sides, 0.001), prism("lid", "floor", regular(sides, 0.05), 0.04, 0.041)]
    out = 2 * math.pi / sides * np.arange(sides)
    for _ in range(100):
        bodies = set_up(world, [pose((0, 0, 0.025), turns(rng, 1)[0])], WOOD, shut)
        way, spin = rng.normal(size=3), rng.normal(size=3)
        world.engine.set_velocity(bodies[0], 5 * way / np.linalg.norm(way), 200 * spin / np.linalg.norm(spin))
        x, y, z = run_out(world, bodies, 0.1).position[0]
        assert (x * np.cos(out) + y * np.sin(out)).max() < z < 0.04


@pytest.mark.slow
def test_a_tower_whose_parts_are_all_hulls_keeps_as_many_cubes():
    """Within three standard errors of 30 drops each: a difference of 4 cubes is seen with a power of 0.8."""
    tower = load(RULEBOOK)
    _compare(tower, _with_hulls(tower, [box for box in tower.boxes if box.part != "table"]), 30)


@pytest.mark.slow
def test_a_ring_of_mitred_hulls_keeps_as_many_cubes_as_wallensteins_tube_of_boxes():
    boxes = load("wallenstein")
    tube = [box for box in boxes.boxes if box.part == "tube"]
    walls: list[Hull] = []
    for k, box in enumerate(tube):
        away, thick, turn = math.hypot(*box.centre[:2]), box.half[0], math.pi / len(tube)
        low, high = box.centre[2] - box.half[2], box.centre[2] + box.half[2]
        corners = [((away - thick) / math.cos(turn), -turn), ((away + thick) / math.cos(turn), -turn)]
        corners += [(corners[1][0], turn), (corners[0][0], turn)]
        outline = [(r * math.cos(2 * turn * k + t), r * math.sin(2 * turn * k + t)) for r, t in corners]
        walls.append(prism("tube", "cardboard", outline, low, high))
    _compare(boxes, replace(_with_hulls(boxes, tube), hulls=tuple(walls)), 20)


def _with_hulls(tower: Apparatus, chosen: Sequence[Box]) -> Apparatus:
    kept = tuple(box for box in tower.boxes if box not in chosen)
    return replace(tower, boxes=kept, hulls=tuple(map(as_hull, chosen)))


def _compare(one: Apparatus, other: Apparatus, drops: int) -> None:
    kept = [_kept(shape, drops, seed) for shape, seed in ((one, 1), (other, 2))]
    error = math.sqrt(sum(np.var(each, ddof=1) / len(each) for each in kept))
    difference = float(kept[1].mean() - kept[0].mean())
    assert 0 < kept[1].mean() < 49
    assert abs(difference) < 3 * error


def _kept(shape: Apparatus, drops: int, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    with PhysicsModel(shape, CORE) as model:
        cubes = supply({"any": 49}, model.cube_edge)
        outcomes = [model.drop(model.empty(), cubes, rng) for _ in range(drops)]
    assert sum(outcome.status.is_landing for outcome in outcomes) >= 0.9 * drops
    return np.array([len(outcome.state.residents) for outcome in outcomes if outcome.status.is_landing], float)


@pytest.fixture(name="mixed", scope="module")
def _mixed() -> Apparatus:
    tower = load(RULEBOOK)
    return _with_hulls(tower, [box for box in tower.boxes if "floor" in box.part])


def test_a_tower_of_hulls_that_is_saved_and_continued_is_the_one_that_lives_on(mixed: Apparatus):
    """States count hulls after the boxes; its residents press on hulls, and those touches come back."""
    with PhysicsModel(mixed, CORE) as model:
        cubes = supply({"any": 30}, model.cube_edge)
        first = model.drop(model.empty(), cubes[:20], np.random.default_rng(1))
        again = TowerState.from_token(first.state.token())
        assert min(touch.other for touch in first.state.touches) < -len(mixed.boxes)
        one, two = (model.drop(state, cubes[20:], np.random.default_rng(2)) for state in (first.state, again))
        assert one.state == two.state


MIDDLE = (0.003, -0.002, 0.25)
SOLID = Box("block", "cardboard", MIDDLE, (0.02, 0.03, 0.04), tuple(turns(np.random.default_rng(4), 1)[0].tolist()))


@pytest.fixture(name="blocked", scope="module")
def _blocked() -> tuple[Apparatus, Apparatus]:
    tower = load(RULEBOOK)
    return replace(tower, boxes=(*tower.boxes, SOLID)), replace(tower, hulls=(as_hull(SOLID),))


def test_a_cube_in_a_solid_is_as_deep_in_the_hull_as_in_the_box(blocked: tuple[Apparatus, Apparatus]):
    """In its middle, turned as it is: half of the block's shortest edge and half of the cube's; then anywhere."""
    as_box, as_a_hull = blocked
    edge = as_box.cube_edge
    for shape in blocked:
        middle = Pose(MIDDLE, SOLID.orientation)
        assert scenes.overlap_in(shape, [middle]) == pytest.approx(0.02 + edge / 2, abs=1e-9)
        assert scenes.overlap_with_parts(shape, [middle]) == pytest.approx(0.02 + edge / 2, abs=1e-9)
    rng, deep = np.random.default_rng(6), list[float]()
    for turn in turns(rng, 300):
        there = [pose(np.array(MIDDLE) + rng.uniform(-0.05, 0.05, 3), turn)]
        deep.append(scenes.overlap_in(as_box, there))
        assert scenes.overlap_in(as_a_hull, there) == pytest.approx(deep[-1], abs=1e-9)
        assert scenes.overlap_with_parts(as_a_hull, there) == pytest.approx(deep[-1], abs=1e-9)
    assert min(deep) == 0
    assert 30 < sum(each > 0.01 for each in deep) < 270


def test_a_state_and_a_throw_by_hand_with_a_cube_in_the_middle_of_a_solid_are_refused(
    blocked: tuple[Apparatus, Apparatus],
):
    for shape in blocked:
        with PhysicsModel(shape, CORE) as model:
            cubes = supply({"any": 1}, model.cube_edge)
            inside = (Resident(cubes[0], "funnel", 0, Pose(MIDDLE, SOLID.orientation)),)
            state = replace(model.empty(), residents=inside, log=(Event("drop", "", cubes, ()),))
            with pytest.raises(UsageError, match=r"a cube that lies 24\.3 mm deep in another or in a part"):
                model.drop(state, (), np.random.default_rng(1))
            launch = [0, *MIDDLE, *SOLID.orientation, 0, 0, 0, 0, 0, 0]
            with pytest.raises(UsageError, match=r"cube 0 is let go 24\.3 mm deep in another or in a part"):
                model.throw_by_hand(model.empty(), cubes, [launch])


@pytest.mark.bullet
def test_an_engine_that_knows_no_hulls_says_so_in_one_line(mixed: Apparatus):
    with PhysicsModel(mixed, PhysicsSettings(engine="bullet")) as model, pytest.raises(UsageError) as refused:
        model.drop(model.empty(), supply({"any": 1}, model.cube_edge), np.random.default_rng(1))
    assert "--engine core" in str(refused.value)


def test_hulls_are_drawn_as_boxes_are(mixed: Apparatus, tmp_path: Path):
    tower = load(RULEBOOK)
    draw_apparatus(tower, tmp_path / "boxes.svg")
    draw_apparatus(mixed, tmp_path / "hulls.svg")
    lengths = [len((tmp_path / name).read_text(encoding="utf-8")) for name in ("boxes.svg", "hulls.svg")]
    assert lengths[1] == pytest.approx(lengths[0], rel=0.02)
