"""Landing and release by hand-placed cubes and analytic shapes: no physics runs here."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from support.cases import each_case

from calibration.validation import overlap as judge
from tests.support.bench import release
from tests.support.scenes import CORNERS, EDGE, UPRIGHT, overlap_in, overlap_with_parts, pose, turns
from tests.support.towers import REFERENCE
from tower_sim.apparatus import Apparatus, Box, load
from tower_sim.apparatus.parts import Hand
from tower_sim.apparatus.shapes import reach
from tower_sim.physics import GRAVITY
from tower_sim.values import supply

TOWER = load(REFERENCE)
WINDOW = 0.01
UNIT = st.floats(0, 1)


def boxes_alone(*boxes: Box) -> Apparatus:
    return replace(TOWER, boxes=boxes, cube_edge=EDGE)


def place(x: float, y: float, z: float, orientation=UPRIGHT) -> str:
    return TOWER.find(np.array([[x, y, z]]) / 1e3, np.array([orientation]))[0].place


@each_case(
    ("x", "y", "z", "expected"),
    [
        (0, 0, 116, "inside:upper_floor"),  # flat on the upper floor
        (10, 0, 108.1, "inside:upper_floor"),  # hanging in an opening, 0.1 mm over the floor's surface
        (10, 0, 107.9, "inside:lower_floor"),  # sunk just below it
        (10, 0, 82, "inside:lower_floor"),
        (-20, 5, 40, "inside:ramp"),
        (29, 0, 10, "inside:ramp"),  # before the exit, the centre not yet past the wall's inner face
        (33, 0, 10, "doorway"),
        (37, 0, 8, "tray"),
        (100, 50, 6, "tray"),
        (150, 0, 4, "table"),  # over the tray's wall
        (60, 70, 4, "table"),
        (0, 0, 151, "inside:funnel"),
        (45, 0, 215, "inside:funnel"),
        (-40, 0, 20, "table"),  # behind the tower
        (80, 0, 60, "tray"),  # in the air over the tray, as a cube that bounces
        (80, 0, 160, "lost"),  # higher than the tube: it cannot have come by the exit
        (80, 0, 215, "lost"),  # beside the funnel: it will be thrown again
        (2000, 0, 5, "lost"),  # beside the table
        (45, 0, 152, "lost"),  # in the funnel's wall
        (0, 40, 100, "lost"),  # in the tube's wall
        (0, 0, -5, "lost"),
        (0, 0, math.nan, "lost"),
        (math.nan, 0, 100, "lost"),
        (80, math.nan, 6, "lost"),  # only one coordinate is none: it would be in the tray
        (-40, 0, 80, "lost"),  # behind the tower, higher than a cube bounces
    ],
)
def test_a_cube_placed_by_hand_is_where_it_lies(x, y, z, expected):
    assert place(x, y, z) == expected


def test_a_cube_on_its_edge_reaches_higher_than_flat():
    tilted = (math.sin(math.pi / 8), 0.0, 0.0, math.cos(math.pi / 8))
    assert place(10, 0, 107.9, tilted) == "inside:upper_floor"


@given(st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda q: sum(x * x for x in q) > 0.01))
def test_the_reach_of_a_turned_cube_is_that_of_its_corners(quaternion):
    q = np.array(quaternion) / np.linalg.norm(quaternion)
    corners = Rotation.from_quat(q).apply(EDGE * CORNERS)
    np.testing.assert_allclose(reach(q[None], EDGE)[0], corners.max(axis=0), atol=1e-12)


RATES = st.none() | st.floats(1, 1000)
HANDS = st.builds(Hand, st.floats(0, 0.1), st.floats(0.005, 0.15), st.floats(0, 1), st.floats(0, 20), RATES, UNIT)


@given(HANDS, st.integers(0, 60), st.integers(0, 2**32))
def test_cubes_in_the_hand_never_overlap_and_stay_within_spread_and_height(hand: Hand, number: int, seed: int):
    """Poured ones too, where those let go before have fallen to; windows and rate are kept."""
    cubes = supply({"a": number}, EDGE)
    (launches,) = release(cubes, hand, 0.2, EDGE, WINDOW, np.random.default_rng(seed))
    assert sorted(launch.cube for launch in launches) == sorted(cubes)
    at = np.array([launch.pose.position for launch in launches]).reshape(-1, 3)
    times = WINDOW * np.array([launch.windows for launch in launches])
    for i in range(1, number):
        passed = times[i] - times[:i]
        down = passed * (hand.fall + GRAVITY / 2 * passed)
        apart = at[:i] - np.column_stack([0 * down, 0 * down, down]) - at[i]
        assert np.linalg.norm(apart, axis=1).min() >= EDGE * math.sqrt(3)
    assert (np.hypot(at[:, 0], at[:, 1]) <= max(hand.spread / 2, EDGE)).all()
    assert (at[:, 2] >= 0.2 + hand.height + EDGE * math.sqrt(3) / 2).all()
    assert all(isinstance(launch.windows, int) for launch in launches)
    assert (np.diff(times) >= 0).all()
    assert (times >= (np.arange(number) / hand.rate if hand.rate else 0) - 1e-9).all()


def release_times(number: int, hand: Hand) -> list[float]:
    (launches,) = release(supply({"a": number}, EDGE), hand, 0.2, EDGE, WINDOW, np.random.default_rng(1))
    return [WINDOW * launch.windows for launch in launches]


def test_poured_cubes_leave_one_after_the_other():
    assert release_times(5, Hand(0.01, 0.03, 0.1, 5.0, 1 / 0.06)) == pytest.approx([0, 0.06, 0.12, 0.18, 0.24])


def test_a_pour_is_as_fast_as_it_is_said_to_be_where_there_is_room():
    """49 cubes at 100 a second into a funnel 12 cm wide take 0.48 s; at 1,000 there is no room for so many."""
    at_100, at_1000 = (release_times(49, Hand(0.01, 0.08, 0.1, 5.0, rate, 0.3))[-1] for rate in (100.0, 1000.0))
    assert at_100 == pytest.approx(0.48)
    assert 0.048 < at_1000 < 0.3


def test_orientations_are_uniform_and_colours_exchangeable():
    """3,000 cubes: coordinates of the first body axis are uniform (Kolmogorov-Smirnov); places ignore the colour."""
    cubes = supply({"a": 25, "b": 25}, EDGE)
    hand = Hand(0.01, 0.05, 0.1, 5.0)
    coordinates, levels = [], {"a": [], "b": []}
    for seed in range(60):
        for launch in release(cubes, hand, 0.2, EDGE, WINDOW, np.random.default_rng(seed))[0]:
            x, y, z, w = launch.pose.orientation
            coordinates.append(2 * (x * z - w * y))
            levels[launch.cube.colour].append(launch.pose.position[2])
    ordered = (np.sort(coordinates) + 1) / 2
    distance = np.abs(ordered - (np.arange(len(ordered)) + 0.5) / len(ordered)).max()
    assert distance < 1.95 / math.sqrt(len(ordered))
    a, b = np.array(levels["a"]), np.array(levels["b"])
    assert abs(a.mean() - b.mean()) < 3.3 * math.hypot(a.std(), b.std()) / math.sqrt(len(a))


def test_the_two_measures_of_overlap_that_share_no_code_agree_on_heaps_drawn_at_random():
    rng = np.random.default_rng(5)
    tower = replace(load("amerigo"), cube_edge=EDGE)
    seen = 0
    for _ in range(60):
        position = rng.uniform((-0.05, -0.05, 0.02), (0.05, 0.05, 0.2), (8, 3))
        position[1] = position[0] + rng.uniform(-0.008, 0.008, 3)
        poses = [pose(*each) for each in zip(position, turns(rng, 8), strict=True)]
        near = min(np.linalg.norm(a - b) for i, a in enumerate(position) for b in position[:i])
        if near >= EDGE / 2:  # nearer ones the door knows to be too deep without measuring
            assert overlap_in(boxes_alone(), poses) == pytest.approx(judge.deepest_of(poses, EDGE), abs=1e-9)
            both = judge.deepest_of(poses, EDGE, tower.boxes)
            assert overlap_in(tower, poses) == pytest.approx(both, abs=1e-9)
            seen += 1
        cubes = [Box("cube", "cube", each.position, (EDGE / 2, EDGE / 2, EDGE / 2), each.orientation) for each in poses]
        fixed = max(judge.deepest(cube, tower.boxes) for cube in cubes)
        assert overlap_with_parts(tower, poses) == pytest.approx(fixed, abs=1e-9)
    assert seen > 20


def test_overlaps_worked_out_by_hand():
    """Upright cubes, in edges: 0 where nothing is near, else what is missing; of a heap in one place, of two cubes."""
    floor = Box("floor", "cardboard", (0.0, 0.0, -1.0), (1.0, 1.0, 1.0))

    def deep(*places: tuple[float, float, float], boxes: Sequence[Box] = ()) -> tuple[float, float]:
        poses = [pose(EDGE * np.array(place)) for place in places]
        both = overlap_in(boxes_alone(), poses), overlap_with_parts(boxes_alone(*boxes), poses)
        assert overlap_in(boxes_alone(*boxes), poses) == max(both)
        return both[0] / EDGE, both[1] / EDGE

    assert deep((0, 0, 5)) == (0, 0)
    assert deep((0, 0, 5), boxes=[floor]) == (0, 0)
    assert deep((0, 0, 0.3), (0, 0, 7), boxes=[floor]) == pytest.approx((0, 0.2))
    assert deep((0, 0, 0), (0, 1.2, 0), (0, 3, 0)) == (0, 0)
    assert deep((0, 0, 0), (0, 0.9, 0), (0, 3, 0.5), (0, 3.6, 0.5)) == pytest.approx((0.4, 0))
    assert deep((0, 0, 0), (0, 0.3, 0), (0.2, 0, 0)) == pytest.approx((0.8, 0))
