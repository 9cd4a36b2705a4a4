"""States with touches that no engine has left: refused in one line before any physics; those it may leave pass."""

import math
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from support.cases import each_case
from support.fakes import CoinTower
from support.touches import conserved, pressing

from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.parts import Box
from tower_sim.contract import DropModel
from tower_sim.cubes import Cube, supply
from tower_sim.door import Door
from tower_sim.errors import UsageError
from tower_sim.models import open_model
from tower_sim.physics.core import CoreEngine
from tower_sim.physics.scene import Scene
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.simulator import PhysicsModel
from tower_sim.state import Event, Pose, Resident, Touch, TowerState

SHAPE = load("amerigo")
LEVEL = Pose((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
CUBES = supply({"red": 5}, 0.008)
DOOR = Door("physics", "a box", "1", 0.008, frozenset(["box"]), look=lambda state: None, boxes=3)
NONE = (0, 0, 0)


def lying(*touches: Touch) -> TowerState:
    """Cubes 0 to 3 inside; cube 4 came out; cube 2 was taken after the last drop, cube 3 before it."""
    state = TowerState("physics", "a box", "1")
    inside = [Resident(cube, "box", 0, LEVEL) for cube in CUBES[:4]]
    state = state.after(inside, Event("drop", "", CUBES, (4,))).take([CUBES[3]])
    state = state.after(inside[:3], Event("drop", "", (), ()), touches=touches)
    return state.take([CUBES[2]])


def full(number: int, forces: int = 3) -> tuple[Touch, ...]:
    return tuple(Touch(0, -1 - k, (1,) * forces) for k in range(number))


def test_touches_of_cubes_there_or_taken_since_and_of_boxes_pass():
    """Of cube 0 with cubes 1 and 2 and boxes 0 and 2, with 1 and with 8 points; also of two that are not there."""
    DOOR.enter(
        lying(Touch(0, 1, NONE), Touch(2, 0, (10**15, -(10**15), 0) * 8), Touch(0, -1, NONE), Touch(1, -3, NONE))
    )
    DOOR.enter(lying(Touch(2, -1, NONE)))
    replace(DOOR, boxes=99).enter(lying(*full(64)))


ATTACKS: dict[str, tuple[Any, str]] = {
    "of a stranger": ((Touch(9, 0, NONE),), "a touch of cube 9, which did not lie there after the last drop"),
    "with a stranger": ((Touch(0, 9, NONE),), "a touch of cube 9, which did not lie there"),
    "of a cube that came out": ((Touch(0, 4, NONE),), "a touch of cube 4"),
    "of a cube taken before": ((Touch(3, 0, NONE),), "a touch of cube 3"),
    "of a box": ((Touch(-1, 0, NONE),), "a touch of cube -1"),
    "with a box that is not there": ((Touch(0, -4, NONE),), "box of a touch of the state is 3; allowed is 0 to 2"),
    "with box 10^50": ((Touch(0, -1 - 10**50, NONE),), "box of a touch of the state is a number of about 50 digits"),
    "with itself": ((Touch(0, 0, NONE),), "a touch of cube 0 with itself"),
    "twice": ((Touch(0, -1, NONE), Touch(0, -1, (1, 2, 3))), "or two with one other body"),
    "twice, from both sides": ((Touch(0, 1, NONE), Touch(1, 0, NONE)), "a touch of cube 1 with itself, or two"),
    "without a point": ((Touch(0, 1, ()),), "number of forces of a touch of the state is 0; allowed is 3 for each"),
    "with two thirds of a point": ((Touch(0, 1, (1, 2)),), "number of forces of a touch of the state is 2"),
    "with a point and a third": ((Touch(0, 1, (1, 2, 3, 4)),), "number of forces of a touch of the state is 4"),
    "with 9 points": (full(1, forces=27), "is 27; allowed is 3 for each of 1 to 8 points"),
    "too strong": ((Touch(0, 1, (0, 0, 10**15 + 1)),), "force of a touch of the state is 10+1; allowed is within 10"),
    "pulled too hard": ((Touch(0, 1, (0, 0, -(10**70))),), "force of a touch of the state is a number of about 70"),
    "of a fraction": ((Touch(0, 1, (0, 0, 1.5)),), "force of a touch of the state is 1.5; allowed is a int"),  # type: ignore[arg-type]
    "of nothing": ((Touch(0, 1, (0, 0, None)),), "force of a touch of the state is nothing"),  # type: ignore[arg-type]
    "of truth": ((Touch(0, 1, (0, True, 0)),), "force of a touch of the state is true"),
    "of numpy": ((Touch(0, 1, (0, np.int64(1), 0)),), "force of a touch of the state is"),  # type: ignore[arg-type]
    "a list of forces": ((Touch(0, 1, [0, 0, 0]),), "forces of a touch of the state is"),  # type: ignore[arg-type]
    "a fraction of a cube": ((Touch(0.5, 1, NONE),), "cube of a touch of the state is 0.5"),  # type: ignore[arg-type]
    "a word as the other": ((Touch(0, "box", NONE),), "other of a touch of the state is 'box'"),  # type: ignore[arg-type]
    "that is none": ((None,), "a touch of the state is nothing"),
    "that is a row": (((0, 1, 0, 0, 0),), "a touch of the state is"),
}


@each_case("what", ATTACKS)
def test_a_touch_that_no_engine_leaves_is_refused(what: str):
    touches, reason = ATTACKS[what]
    with pytest.raises(UsageError, match=reason) as error:
        DOOR.enter(lying(*touches))
    assert len(str(error.value)) < 300


@each_case("touches", [None, [], "", [Touch(0, 1, NONE)]])
def test_touches_that_are_no_tuple_are_refused(touches: Any):
    with pytest.raises(UsageError, match=r"touches of state is .*; allowed is a tuple"):
        DOOR.enter(replace(lying(), touches=touches))


def test_a_cube_has_at_most_64_touches():
    with pytest.raises(UsageError, match="touches of cube 0 in the state is 65; allowed is up to 64"):
        replace(DOOR, boxes=99).enter(lying(*full(65)))


@each_case("model", [CoinTower(), open_model(SHAPE, "surrogate"), open_model(SHAPE, "two_thirds")])
def test_models_without_poses_know_no_touches(model: DropModel):
    cubes = supply({"red": 20}, model.cube_edge)
    state = model.drop(model.empty(), cubes, np.random.default_rng(1)).state
    assert state.residents
    assert state.touches == ()
    with pytest.raises(UsageError, match=f"state has touches, unlike those of {model.name}"):
        model.drop(replace(state, touches=(Touch(0, -1, NONE),)), (), np.random.default_rng(1))


@pytest.fixture(name="laid", scope="module")
def _laid(model: PhysicsModel) -> TowerState:
    thrown = supply({"red": 49}, model.cube_edge)
    state = pressing(model.drop(model.empty(), thrown, np.random.default_rng([14, 1])).state, SHAPE)
    assert any(touch.other >= 0 for touch in state.touches)
    return state


def test_touches_across_a_gap_are_refused_before_any_physics(model: PhysicsModel, laid: TowerState):
    at = {each.cube.id: each.pose.position for each in laid.residents if each.pose}
    one, other = max(combinations(at, 2), key=lambda pair: math.dist(at[pair[0]], at[pair[1]]))
    boxes = SHAPE.boxes
    far = max(range(len(boxes)), key=lambda k: math.dist(boxes[k].centre, at[one]) - math.hypot(*boxes[k].half))
    before = model.effort
    for pair in ((one, other), (other, one), (one, -1 - far)):
        others = [touch for touch in laid.touches if {touch.cube, touch.other} != {*pair}]
        with pytest.raises(UsageError, match=r"cube \d+ in the state touches what is too far from it"):
            model.drop(replace(laid, touches=(*others, Touch(*pair, NONE))), (), np.random.default_rng(1))
    assert model.effort == before


def test_a_cube_touches_the_far_end_of_a_long_tilted_plate_but_not_where_that_is_not():
    """A plate 40 cm long at 30 degrees; a cube touches its end from as far as a corner and a tenth of an edge reach."""
    settings, edge = PhysicsSettings(), SHAPE.cube_edge
    cube = Cube(0, "red", edge)
    along, across = np.array([-math.cos(math.pi / 6), 0.0, 0.5]), np.array([0.5, 0.0, math.cos(math.pi / 6)])
    end = 0.2 * along + 0.001 * across
    for tilt, away, is_reached in ((1, 0.5, True), (1, 0.96, True), (1, 0.97, False), (-1, 0.5, False)):
        turn = (0.0, tilt * math.sin(math.pi / 12), 0.0, math.cos(math.pi / 12))
        plate = Box("plate", "cardboard", (0.0, 0.0, 0.0), (0.2, 0.05, 0.001), turn)
        x, y, z = (end + away * edge * across).tolist()
        scene = Scene(CoreEngine(settings), replace(SHAPE, boxes=(plate,)), settings)
        scene.lay({cube: replace(LEVEL, position=(x, y, z))}, {})
        assert scene.far_touch([Touch(0, -1, NONE)]) == (None if is_reached else 0)


@each_case("force", [0, 4_000_000, 10**15])
def test_touches_of_near_bodies_pass_whatever_their_forces_and_no_cube_is_lost(
    model: PhysicsModel, laid: TowerState, force: int
):
    state = pressing(laid, SHAPE, force)
    for each in (state, TowerState.from_token(state.token()), state.take(state.cubes[::2])):
        assert conserved(each, model.drop(each, (), np.random.default_rng(1)))


def test_a_thrown_cube_has_nothing_of_a_taken_one_with_its_number(model: PhysicsModel, laid: TowerState):
    """A cube is taken, and one of its number is thrown, or one of another: all cubes lie where they else do."""
    taken = next(touch.cube for touch in laid.touches if touch.other >= 0)
    state = laid.take([cube for cube in laid.cubes if cube.id == taken])
    assert any(taken in (touch.cube, touch.other) for touch in state.touches)
    again, another = (
        model.drop(state, [Cube(number, "red", model.cube_edge)], np.random.default_rng(2)) for number in (taken, 99)
    )
    assert again.status.is_landing
    assert [(x.place, x.pose) for x in again.landings] == [(x.place, x.pose) for x in another.landings]
