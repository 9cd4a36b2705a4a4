"""Towers of two floors as data: what solids their profiles become; what the Wallenstein-like one may say."""

import copy
import math
import re
from typing import Any, cast

import numpy as np
import pytest
from support.cases import each_case

from tests.support.hulls import count_boxes
from tests.support.towers import REFERENCE
from tower_sim.apparatus import axes, from_tables, load
from tower_sim.apparatus.tower_parts import WALL, TowerOfFloors
from tower_sim.errors import UsageError

SHIPPED = cast("TowerOfFloors", load("wallenstein"))
FLAT = (0.0, 0.0, 0.0, 1.0)
SHAPES: dict[str, dict[str, dict[str, Any]]] = {
    "shipped": {},
    "square": {"tube": {"sides": 4}, "exit": {"walls": 1}},
    "six sides": {"tube": {"sides": 6}, "exit": {"walls": 1}},
    "twelve sides": {"tube": {"sides": 12}, "exit": {"walls": 3}},
    "twenty-two sides": {"tube": {"sides": 22}, "exit": {"walls": 7}},
    "an open top": {"funnel": {"rim_mm": 70, "height_mm": 0}, "release": {"spread_mm": 40}},
    "no pillar, no tray wall": {"pillar": {"width_mm": 0}, "tray": {"wall_mm": 0}},
    "bars along x over bars": {"upper_floor": {"along": "x"}, "lower_floor": {"pattern": "bars", "along": "y"}},
}
PATTERNS = ("slots", "squares", "corners")  # of Amerigo's floors


def tower(changes: dict[str, dict[str, Any]]) -> TowerOfFloors:
    profile = copy.deepcopy(SHIPPED.profile)
    for table, values in changes.items():
        profile[table].update(values)
    return cast("TowerOfFloors", from_tables(profile, "changed"))


def amerigo(pattern: str, along: str) -> TowerOfFloors:
    profile = copy.deepcopy(load(REFERENCE).profile)
    of_slots = ("ledge_mm", "offset_mm", "slope_deg", "rows", "end_ledge_mm")
    for name in ("upper_floor", "lower_floor"):
        floor = {key: value for key, value in profile[name].items() if key not in of_slots}
        profile[name] = floor | {"pattern": pattern, "along": along, "length_mm": 50}
    return cast("TowerOfFloors", from_tables(profile, pattern))


@pytest.fixture(name="shape", params=[*SHAPES, *((pattern, along) for pattern in PATTERNS for along in "xy")])
def _shape(request: pytest.FixtureRequest) -> TowerOfFloors:
    return amerigo(*request.param) if isinstance(request.param, tuple) else tower(SHAPES[request.param])


def inside_of(shape: TowerOfFloors, points: np.ndarray, *without: str) -> np.ndarray:
    """Return in how many boxes each of points (n, 3) is, those of the parts `without` left out."""
    return count_boxes((box for box in shape.boxes if box.part not in without), points, slack=0.0)


def across(shape: TowerOfFloors, points: np.ndarray) -> np.ndarray:
    """Return how far points are from the tube's axis, perpendicular to the nearest wall, shape (n,)."""
    return (points[:, :2] @ np.array(shape.given.outward).T).max(axis=1)


def in_tube(shape: TowerOfFloors, number: int, z: tuple[float, float], seed: int = 1) -> np.ndarray:
    """Draw points (n, 3) in the clear of the tube."""
    rng = np.random.default_rng(seed)
    half = shape.given.half / math.cos(math.pi / len(shape.given.outward))
    points = rng.uniform((-half, -half, z[0]), (half, half, z[1]), (number, 3))
    return points[across(shape, points) < shape.given.half - 1e-6]


def test_the_tube_is_as_wide_inside_as_the_profile_says_and_nothing_stands_in_it_but_floors_pillar_and_ramp(shape):
    points = in_tube(shape, 4000, (0.003, shape.given.tube.top))
    assert len(points) > 1000
    assert not inside_of(shape, points, "upper_floor", "lower_floor", "pillar", "ramp").any()
    wall = (shape.given.half + WALL / 2) * np.array(shape.given.outward)
    assert inside_of(shape, np.column_stack([wall, np.full(len(wall), shape.given.tube.top - 1e-3)])).all()


def test_the_funnel_is_open_inside_and_meets_the_tube_without_a_gap(shape):
    given, rng = shape.given, np.random.default_rng(2)
    if not given.funnel.height:
        assert shape.rim_top == given.tube.top
        return
    points = rng.uniform(-given.funnel.rim, given.funnel.rim, (8000, 3))
    points[:, 2] = rng.uniform(given.tube.top, shape.rim_top - 1e-3, 8000)  # the upper end of a wall is slanted
    clear = given.half + (points[:, 2] - given.tube.top) / given.funnel.height * (given.funnel.rim / 2 - given.half)
    is_clear = across(shape, points) < clear - 1e-6
    assert is_clear.sum() > 200
    assert not inside_of(shape, points[is_clear], "rib").any()
    at_wall = points * [1, 1, 0] * ((clear + 1e-3) / across(shape, points))[:, None] + points * [0, 0, 1]
    assert inside_of(shape, at_wall).all()


def test_it_is_closed_all_round_but_for_the_exit(shape):
    """Level lines out of the axis meet a wall: over the exit's top all round, under it beside it and behind."""
    given = shape.given
    rng = np.random.default_rng(3)
    x, y = getattr(given, "exit_side", (given.half, given.half))
    beside = math.atan2(y, x)
    angle, along = rng.uniform(-np.pi, np.pi, 400), np.arange(0.02, 0.09, WALL / 4)
    for z in (given.exit_top + 1e-3, given.exit_top - 1e-3):
        level = along[:, None, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        out = np.concatenate([level, np.full((*level.shape[:2], 1), z)], axis=2).reshape(-1, 3)
        boxes = inside_of(shape, out, "upper_floor", "lower_floor", "pillar", "ramp", "wing", "tray")
        meets = boxes.reshape(len(along), -1).any(axis=0)
        is_over = z > given.exit_top
        is_clear = np.abs(np.abs(angle) - beside) > (-1 if is_over else 0.15)  # where a wall ends, its thickness shows
        assert (meets == (is_over | (np.abs(angle) > beside)))[is_clear].all()


def test_a_floor_is_solid_exactly_where_no_opening_is_and_ends_in_the_walls(shape):
    for part, floor in (("upper_floor", shape.given.upper_floor), ("lower_floor", shape.given.lower_floor)):
        z = floor.top - floor.thickness / 2
        points = in_tube(shape, 3000, (z, z))
        holes = floor.cut(shape.given.tube.inside)
        is_open = np.zeros(len(points), dtype=bool)
        for x0, x1, y0, y1 in holes:
            is_open |= (x0 < points[:, 0]) & (points[:, 0] < x1) & (y0 < points[:, 1]) & (points[:, 1] < y1)
        others = {box.part for box in shape.boxes} - {part}
        assert np.array_equal(inside_of(shape, points, *others), np.where(is_open, 0, 1))
        assert 0.1 < is_open.mean() < 0.9
        for box in (box for box in shape.boxes if box.part == part):
            corner = np.array([[x, y] for x in (-1, 1) for y in (-1, 1)]) * box.half[:2] + box.centre[:2]
            assert (across(shape, corner) < shape.given.half + WALL).all()


def test_the_ramp_catches_whatever_falls_and_leads_out_of_the_exit(shape):
    given = shape.given
    points = in_tube(shape, 2000, (0.0, 0.0))
    points[:, 2] = [given.ramp_height(x) - 1e-7 for x in points[:, 0]]
    assert inside_of(shape, points, "tube", "wing", "tray").all()
    over = np.array([[given.half + WALL / 2, 0.0, given.ramp_height(given.half + WALL / 2) + h] for h in (1e-3, 0.02)])
    assert not inside_of(shape, over).any()
    assert given.ramp_height(given.ramp_end) == pytest.approx(given.exit_top - given.exit.height)


def place(shape: TowerOfFloors, x: float, y: float, z: float) -> str:
    return shape.find(np.array([[x, y, z]]) / 1e3, np.array([FLAT]))[0].place


@each_case(
    ("x", "y", "z", "expected"),
    [
        (0, 0, 200, "inside:funnel"),
        (70, 0, 219, "inside:funnel"),
        (70, 0, 160, "lost"),  # in the funnel's wall
        (0, 0, 121, "inside:upper_floor"),
        (0, 30, 83, "inside:lower_floor"),
        (-30, 0, 70, "inside:ramp"),
        (30, 12, 100, "inside:lower_floor"),  # inside a round tube and a square one
        (27, 27, 100, "lost"),  # inside a square tube only: here in the wall
        (34, 0, 10, "inside:ramp"),  # before the exit
        (38, 0, 10, "doorway"),  # the centre between the wall's faces
        (42, 0, 10, "tray"),
        (20, 40, 10, "tray"),  # beside the tube, before the wing
        (-20, 40, 10, "table"),  # beside the tube, behind the wing
        (42, 0, 60, "tray"),  # in the air over the tray, as a cube that bounces
        (-50, 0, 60, "lost"),  # behind the tower, higher than a cube bounces
        (100, 0, 20, "tray"),
        (160, 0, 5, "table"),
        (60, 70, 5, "table"),
        (0, 0, -1, "lost"),
        (50, math.nan, 5, "lost"),
    ],
)
def test_a_cube_placed_by_hand_is_where_it_lies(x, y, z, expected):
    assert place(SHIPPED, x, y, z) == expected


def test_a_square_tower_has_the_corners_that_a_round_one_has_not():
    assert place(tower(SHAPES["square"]), 33, 33, 100) == "inside:lower_floor"
    assert place(SHIPPED, 33, 33, 100) == "lost"


def test_an_open_top_has_no_region_of_a_funnel():
    assert [region.name for region in tower(SHAPES["an open top"]).regions] == ["upper_floor", "lower_floor", "ramp"]


BAD = {
    "odd sides": ({"tube": {"sides": 15}}, "tube.sides is 15; allowed is an even number"),
    "no tube": ({"tube": {"sides": 2}}, "tube.sides is 2; allowed is a whole number from 4 to 24"),
    "even exit": ({"exit": {"walls": 4}}, "exit.walls is 4; allowed is an odd number under half of tube.sides = 16"),
    "no wall left": ({"exit": {"walls": 9}}, "exit.walls is 9; allowed is an odd number under half"),
    "narrow exit": ({"tube": {"sides": 24}, "exit": {"walls": 1}}, "exit.walls = 1 are 9.21567 mm wide"),
    "all opening": ({"upper_floor": {"openings": 4}}, "upper_floor.openings = 4 of 22 mm take 88 mm"),
    "small opening": ({"lower_floor": {"opening_mm": 9}}, "lower_floor.opening_mm is 9; allowed is more than"),
    "low floor": ({"lower_floor": {"top_mm": 60}}, "lower_floor.top_mm is 60; allowed is at least"),
    "floors too near": ({"upper_floor": {"top_mm": 90}}, "upper_floor.top_mm is 90; allowed is at least"),
    "floor over the top": ({"upper_floor": {"top_mm": 150}}, "upper_floor.top_mm is 150; allowed is less than tube"),
    "narrow funnel": ({"funnel": {"rim_mm": 60}}, "funnel.rim_mm is 60; allowed is at least tube.inside_mm = 70"),
    "no funnel": ({"funnel": {"height_mm": 0}}, "funnel.rim_mm is 150; allowed is tube.inside_mm = 70 for an open top"),
    "thick pillar": ({"pillar": {"width_mm": 40}}, "pillar.width_mm is 40; allowed is less than 35.359"),
    "flat ramp": ({"ramp": {"angle_deg": 20}}, "ramp.angle_deg is 20; allowed is more than 21.8"),
    "low exit": ({"exit": {"height_mm": 15}}, "exit.height_mm is 15; allowed is more than 17.3205"),
    "high exit": ({"exit": {"height_mm": 80}}, "exit.height_mm is 80; allowed is more than 17.3205"),
    "narrow tray": ({"tray": {"width_mm": 70}}, "tray.width_mm is 70; allowed is at least 82"),
    "short tray": ({"tray": {"length_mm": 15}}, "tray.length_mm is 15; allowed is a number from 20"),
    "wings past the tray": ({"exit": {"splay_deg": 10}}, "tray.length_mm is 110; allowed is more than"),
    "wide hand": ({"release": {"spread_mm": 160}}, "release.spread_mm is 160; allowed is at most funnel.rim_mm = 150"),
}


@each_case("name", BAD)
def test_a_profile_that_makes_no_tower_is_refused_in_one_line(name):
    changes, says = BAD[name]
    with pytest.raises(UsageError, match=re.escape(says)):
        tower(changes)


def test_every_strip_of_the_ramp_goes_from_the_back_wall_out_of_the_exit_or_to_the_front_wall(shape: TowerOfFloors):
    """Along the upper faces: each ends at the height that the ramp has there, the farthest at the ramp's end."""
    given, ends = shape.given, []
    for box in (box for box in shape.boxes if box.part == "ramp"):
        turned, (x, _, z) = axes(np.array([box.orientation]))[0], box.half
        for side in (-1, 1):
            end = box.centre + turned @ np.array([side * x, 0.0, z])
            assert end[2] == pytest.approx(given.ramp_height(end[0]))
            assert -1.1 * given.half - WALL < end[0] < given.ramp_end + 1e-9
            ends.append(end[0])
    assert max(ends) == pytest.approx(given.ramp_end)
    assert min(ends) < -0.99 * given.half
