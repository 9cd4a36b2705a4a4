"""Where cubes on the board are, by cubes placed by hand and by an independent oracle: no physics runs here."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from support.cases import each_case

from tests.support.bench import World
from tower_sim.apparatus import TOUCH, axes, load, shapes, where, with_board
from tower_sim.physics import PhysicsSettings
from tower_sim.physics.bullet.engine import SteppedScene
from tower_sim.values import Place, Pose, supply

SHIP = with_board(load("dead_reckoning"))
EDGE = SHIP.cube_edge * 1e3  # mm
FLOOR, BORDER_TOP = SHIP.board.floor * 1e3, SHIP.board.border_top * 1e3
FLAT = (0.0, 0.0, 0.0, 1.0)
ON_EDGE = (math.sin(math.pi / 8), 0.0, 0.0, math.cos(math.pi / 8))

quaternions = (
    st.lists(st.floats(-1, 1), min_size=4, max_size=4)
    .filter(lambda q: sum(x * x for x in q) > 0.01)
    .map(lambda q: tuple(np.array(q) / np.linalg.norm(q)))
)


def centre(zone: str) -> tuple[float, float]:
    return tuple((np.mean(SHIP.board.zone(zone).corners, axis=0) * 1e3).tolist())


def border_between(one: str, other: str) -> tuple[float, float]:
    """The middle (mm) of the border between two zones that lie one behind the other."""
    near, far = (np.array(SHIP.board.zone(name).corners) * 1e3 for name in (one, other))
    y = (max(near[:, 1].min(), far[:, 1].min()) + min(near[:, 1].max(), far[:, 1].max())) / 2
    return float(near[:, 0].max() + far[:, 0].min()) / 2, float(y)


def find(*cubes, ship=SHIP) -> list[Place]:
    """Each cube: x, y, z in mm, and its orientation."""
    position = np.array([cube[:3] for cube in cubes]) / 1e3
    return ship.find(position, np.array([cube[3] if len(cube) > 3 else FLAT for cube in cubes]))


def lean(angle: float, lowest: float) -> tuple[float, tuple[float, ...]]:
    """The height of the centre, and the orientation, of a cube turned by `angle` about y, its low edge at `lowest`."""
    height = lowest + EDGE / 2 * (math.sin(angle) + math.cos(angle))
    return height, (0.0, math.sin(angle / 2), 0.0, math.cos(angle / 2))


def test_a_flat_cube_is_in_its_zone_in_every_zone():
    for zone in SHIP.board.zones:
        (found,) = find((*centre(zone.name), FLOOR + EDGE / 2))
        assert found == Place(f"zone:{zone.name}", (zone.name,))


BETWEEN = border_between("strength_2", "choice")
LEAN = lean(math.radians(20), FLOOR)  # its low edge on the floor
LIFTED = lean(math.radians(20), FLOOR + 2 * TOUCH * EDGE)
FRAME = FLOOR + SHIP.profile["board"]["frame_height_mm"]


@each_case(
    ("cube", "expected"),
    [
        ((*centre("choice"), FLOOR + EDGE / math.sqrt(2), ON_EDGE), "zone:choice"),
        ((BETWEEN[0] - 7, BETWEEN[1], *LEAN), "zone:strength_2"),
        ((BETWEEN[0] - 7, BETWEEN[1], *LIFTED), "border"),
        ((*BETWEEN, BORDER_TOP + EDGE / 2), "border"),
        ((SHIP.board.x[0] * 1e3 + 1.5, 0, FRAME + EDGE / 2), "border"),
    ],
    ids=["on its edge", "leaning on a border", "lifted off the floor", "balanced on a border", "on the frame"],
)
def test_a_cube_is_in_a_zone_where_any_of_it_touches_the_floor_and_else_on_the_border(cube, expected):
    touches = (expected.removeprefix("zone:"),) if expected != "border" else ()
    assert find(cube)[0] == Place(expected, touches)


def test_a_stacked_cube_has_the_place_of_the_cube_under_it_in_any_order():
    x, y = centre("damage_fore")
    below, above, top = find(*((x, y, FLOOR + EDGE * (i + 0.5)) for i in range(3)))
    assert below == Place("zone:damage_fore", ("damage_fore",))
    assert above == Place("zone:damage_fore", (), (0,))
    assert top == Place("zone:damage_fore", (), (1,))
    again = find(*((x, y, FLOOR + EDGE * (i + 0.5)) for i in (2, 1, 0)))
    assert [(cube.place, cube.on) for cube in again] == [("zone:damage_fore", on) for on in ((1,), (2,), ())]


def test_a_cube_on_a_cube_on_a_border_is_on_the_border_too():
    x, y = border_between("strength_2", "choice")
    below, above = find((x, y, BORDER_TOP + EDGE / 2), (x, y, BORDER_TOP + 1.5 * EDGE))
    assert (below.place, above.place) == ("border", "border")
    assert above.on == (0,)


def test_a_cube_that_bridges_two_has_the_place_of_the_nearer():
    x, y = border_between("strength_2", "choice")
    on_two = [(x - 6, y, FLOOR + EDGE / 2), (x + 7, y, FLOOR + EDGE / 2), (x - 1, y, FLOOR + 1.5 * EDGE)]
    found = find(*on_two)
    assert [each.place for each in found] == ["zone:strength_2", "zone:choice", "zone:strength_2"]
    assert found[2].on == (0, 1)
    on_two[2] = (x + 2, y, FLOOR + 1.5 * EDGE)
    assert find(*on_two)[2].place == "zone:choice"


def test_a_cube_that_leans_on_another_and_touches_the_floor_is_in_its_zone():
    x, y = centre("choice")
    height, turned = lean(math.radians(30), FLOOR)
    other, leaning = find((x, y, FLOOR + EDGE / 2), (x + 8.5, y, height, turned))
    assert (other.place, leaning.place) == ("zone:choice", "zone:choice")
    assert leaning.on == ()


def test_a_cube_straddling_two_zones_without_a_raised_border_touches_both_the_nearer_first():
    level = replace(SHIP, board=replace(SHIP.board, border_top=SHIP.board.floor))
    x, y = border_between("strength_2", "choice")
    assert find((x - 0.5, y, FLOOR + EDGE / 2), ship=level)[0].touches == ("strength_2", "choice")
    (found,) = find((x + 0.5, y, FLOOR + EDGE / 2), ship=level)
    assert found == Place("zone:choice", ("choice", "strength_2"))


@each_case(
    ("x", "y", "z", "expected"),
    [
        (200, 0, 4, "table"),
        (60, 110, 4, "table"),
        (0, 0, 60, "inside:ship"),
        (20, 0, 36, "inside:ship"),
        (0, 0, 170, "inside:ship"),
        (0, 0, 20, "lost"),  # under the gun deck
        (60, 0, -1, "lost"),
        (3000, 0, 4, "lost"),
        (math.nan, 0, 100, "lost"),
    ],
)
def test_a_cube_off_the_board_is_where_it_lies(x, y, z, expected):
    assert find((x, y, z))[0].place == expected


@pytest.mark.bullet
def test_only_cubes_that_lie_flat_on_the_floor_are_sure_to_stay_in_an_engine_that_remembers_no_contacts():
    x, y = centre("choice")
    height, turned = lean(math.radians(20), FLOOR)
    placed = [
        (x, y, FLOOR + EDGE / 2, FLAT),
        (x, y, FLOOR + 1.5 * EDGE, FLAT),
        (x + 20, y, height, turned),
        (*border_between("strength_2", "choice"), BORDER_TOP + EDGE / 2, FLAT),
    ]
    poses = [Pose((a / 1e3, b / 1e3, c / 1e3), turn) for a, b, c, turn in placed]
    with World(PhysicsSettings(engine="bullet")) as world, world.alone():
        scene = world.scene(SHIP)
        assert isinstance(scene, SteppedScene)
        scene.lay({}, dict(zip(supply({"red": 4}, SHIP.cube_edge), poses, strict=True)))
        assert [math.isinf(quiet) for quiet in scene._quiet.values()] == [True, False, False, False]


def half_spaces(position, orientation, edge: float) -> tuple[np.ndarray, np.ndarray]:
    """A cube as A p <= b."""
    turned = axes(np.array([orientation]))[0].T
    a = np.concatenate([turned, -turned])
    return a, edge / 2 + a @ np.array(position)


def have_a_point_in_common(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether A p <= b for some p; leaves out examples that are within rounding of touching."""
    answers = {
        linprog(np.zeros(3), a, b + shift, bounds=[(None, None)] * 3, method="highs").status == 0
        for shift in (0, -1e-7, 1e-7)
    }
    assume(len(answers) == 1)
    return answers.pop()


@settings(max_examples=150, deadline=None)
@given(quaternions, st.floats(-0.01, 0.01), st.floats(0.02, 0.09), st.floats(-0.06, 0.06))
def test_a_zone_is_touched_if_some_point_of_the_cube_is_low_enough_over_it(q, rise, x, y):
    zone = np.array(SHIP.board.zone("strength_2").corners)
    floor = SHIP.board.floor + TOUCH * SHIP.cube_edge
    position = (x, y, floor + SHIP.cube_edge / 2 + rise)
    assume(position[2] > 0)  # under the table a cube is lost, and touches nothing
    a, b = half_spaces(position, q, SHIP.cube_edge)
    normals = np.column_stack([-shapes.inward(zone), np.zeros(len(zone))])
    a = np.concatenate([a, normals, [(0, 0, 1)]])
    b = np.concatenate([b, (normals[:, :2] * zone).sum(axis=1), [floor]])
    expected = have_a_point_in_common(a, b)
    (found,) = SHIP.find(np.array([position]), np.array([q]))
    assert ("strength_2" in found.touches) == expected


@settings(max_examples=150, deadline=None)
@given(quaternions, quaternions, st.tuples(*[st.floats(-0.012, 0.012)] * 3))
def test_two_cubes_touch_if_some_point_is_in_both(one, other, away):
    edge = SHIP.cube_edge
    a, b = (
        np.concatenate(x) for x in zip(half_spaces((0, 0, 0), one, edge), half_spaces(away, other, edge), strict=True)
    )
    expected = have_a_point_in_common(a, b)
    poses = np.array([(0, 0, 0, *one), (*away, *other)])
    assert where.touch(poses[0], poses[1], edge, 0.0, np.zeros(where.DESK)) == expected


def test_the_triangle_of_sides_3_4_and_5_away_from_the_origin():
    """Its normals, insets and distances, whichever corner is first and whichever way round; a circle of 1 fits in."""
    away, middle = np.array([10.0, 20.0]), (11.0, 21.0)
    triangle = np.array([(0.0, 0.0), (4.0, 0.0), (0.0, 3.0)]) + away
    for first in range(3):
        given = np.roll(triangle, first, axis=0)
        assert np.array_equal(shapes.counter_clockwise(given), given)
        assert np.array_equal(shapes.counter_clockwise(given[::-1]), given)
        assert shapes.is_convex(given)
    np.testing.assert_allclose(shapes.inward(triangle), [(0, 1), (-0.6, -0.8), (1, 0)], atol=1e-15)
    half = shapes.inset(triangle, 0.5)  # half as large, around the same middle
    np.testing.assert_allclose(sorted(half.tolist()), [(10.5, 20.5), (10.5, 22), (12.5, 20.5)], atol=1e-12)
    np.testing.assert_allclose(shapes.inset(triangle, 1 - 1e-9), [middle] * 3, atol=1e-8)
    assert len(shapes.inset(triangle, 1.01)) == 0
    points = away + np.array([(1.0, 1.0), (4.0, 3.0), (-3.0, -4.0), (2.0, -0.5), (7.0, -4.0)])
    assert shapes.distance(points, triangle) == pytest.approx([0, 2.4, 5, 0.5, 5])


def test_a_dent_and_a_star_that_goes_round_twice_are_not_convex():
    assert not shapes.is_convex(np.array([(0.0, 0.0), (1.0, 0.0), (0.2, 0.2), (0.0, 1.0)]))
    angles = 2 * np.pi * 2 * np.arange(5) / 5
    assert not shapes.is_convex(np.column_stack([np.cos(angles), np.sin(angles)]))
