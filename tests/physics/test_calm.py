"""Calm boxes: cubes are in them nearly always while they are inside, whatever the profile."""

import math
from typing import cast

import numpy as np
import numpy.typing as npt
import pytest

from tower_sim.apparatus.calm import SLACK, levels, rectangles
from tower_sim.apparatus.catalogue import load, names
from tower_sim.apparatus.combat_ship.ship import CombatShip
from tower_sim.apparatus.parts import Apparatus
from tower_sim.apparatus.tower_parts import WALL, TowerOfFloors

Array = npt.NDArray[np.float64]
POINTS = 4000


def is_calm(apparatus: Apparatus, position: Array) -> npt.NDArray[np.bool_]:
    low, high = np.array(apparatus.calm).transpose(1, 0, 2)
    return ((position[:, None] >= low) & (position[:, None] <= high)).all(axis=2).any(axis=1)


def clear_of_walls(tower: TowerOfFloors, across: float) -> Array:
    """Return centres drawn in tube and funnel, half an edge or more from their walls; `across` is half the widest."""
    given, rng = tower.given, np.random.default_rng(1)
    position = rng.uniform((-across, -across, 0), (across, across, tower.rim_top + 0.1), (20 * POINTS, 3))
    rise = np.clip((position[:, 2] - given.tube.top) / given.funnel.height, 0, 1)
    slope = (given.funnel.rim / 2 - given.half) / given.funnel.height
    width = given.half + rise * slope * given.funnel.height
    off = np.where(position[:, 2] > given.tube.top, math.hypot(1, slope), 1.0) * tower.cube_edge / 2
    away = tower.across(position)
    return position[(away <= width - off - 2 * SLACK) & (position[:, 2] > SLACK)][:POINTS]


@pytest.mark.parametrize("name", ["amerigo", "amerigo-club"])
def test_a_cube_that_is_in_no_wall_of_a_square_tower_is_in_a_calm_box(name: str):
    tower = cast("TowerOfFloors", load(name))
    position = clear_of_walls(tower, tower.given.funnel.rim / 2)
    assert len(position) > POINTS / 2
    assert is_calm(tower, position).all()


def test_of_cubes_that_are_in_no_wall_of_a_round_tower_nearly_all_are_in_a_calm_box():
    tower = cast("TowerOfFloors", load("wallenstein"))
    position = clear_of_walls(tower, tower.given.funnel.rim / 2)
    in_tube = position[:, 2] < tower.given.tube.top
    assert len(position) > POINTS / 2
    assert is_calm(tower, position)[in_tube].mean() > 0.999
    assert is_calm(tower, position).mean() > 0.9


@pytest.mark.parametrize("name", ["amerigo", "wallenstein"])
def test_a_cube_in_the_exit_in_the_tray_or_beside_the_tower_is_in_a_calm_box_until_it_is_cleared_away(name: str):
    tower = cast("TowerOfFloors", load(name))
    given, rng = tower.given, np.random.default_rng(1)
    x = np.linspace(given.half, given.half + WALL, 50)[1:-1]
    y = np.linspace(-0.2, 0.2, 5) * given.half
    in_exit = np.array([(a, b, given.exit_top / 2) for a in x for b in y])
    assert tower.emerged(in_exit).mean() > 0.9
    assert is_calm(tower, in_exit).mean() > 0.9
    around = rng.uniform((-0.4, -0.4, 0), (0.4, 0.4, given.exit_top), (POINTS, 3))
    around = around[tower.across(around) > given.half + WALL + tower.cube_edge / 2]
    assert tower.emerged(around).all()
    assert is_calm(tower, around).mean() > 0.98


def test_a_cube_on_no_deck_or_table_of_a_ship_is_in_a_calm_box_wherever_it_is():
    ship = cast("CombatShip", load("dead_reckoning"))
    rng = np.random.default_rng(2)
    position = rng.uniform((-0.1, -0.2, 0.001), (0.3, 0.2, 0.3), (POINTS, 3))
    position[: POINTS // 2] = rng.uniform((-0.03, -0.09, 0.001), (0.03, 0.09, 0.08), (POINTS // 2, 3))
    lower = position - np.array([0, 0, ship.cube_edge / 2])
    kept = ~ship.escaped(lower)
    assert kept.sum() > POINTS / 2
    assert (~kept).sum() > POINTS / 20
    assert is_calm(ship, position)[kept].all()


@pytest.mark.parametrize("name", names())
def test_there_are_few_enough_to_be_looked_through(name: str):
    assert len(load(name).calm) <= 60  # none is allowed: the cubes are then looked at after every window


def test_steps_are_no_higher_than_is_asked_but_for_their_number():
    assert levels(0.012, 0.004) == pytest.approx([0, 1 / 3, 2 / 3])
    assert levels(0.001, 0.004) == [0]
    assert len(levels(1.0, 0.004)) == 12


def test_a_square_is_one_rectangle_and_a_round_plan_is_filled_the_better_the_more_there_are():
    assert rectangles([(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)], 5) == [pytest.approx((1, 1))]
    angles = 2 * np.pi * np.arange(16) / 16
    outward = [(math.cos(angle), math.sin(angle)) for angle in angles]
    points = np.random.default_rng(3).uniform(-1, 1, (POINTS, 2))
    points = points[(points @ np.array(outward).T).max(axis=1) <= 1]
    filled = [
        np.mean([any(abs(x) <= a and abs(y) <= b for a, b in rectangles(outward, number)) for x, y in points])
        for number in (1, 5, 15)
    ]
    assert filled[0] < 0.7
    assert filled[1] > 0.85
    assert filled[2] > 0.93
