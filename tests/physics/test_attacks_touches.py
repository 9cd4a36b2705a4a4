"""Touches of a state: wrong types and forces are refused in one line; whatever touches whom, no cube is lost."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.cases import each_case
from support.fakes import CoinTower
from support.touches import conserved, pressing

from tower_sim.apparatus import load
from tower_sim.drops import Door, DropModel
from tower_sim.errors import UsageError
from tower_sim.models import open_model
from tower_sim.simulator import PhysicsModel
from tower_sim.values import Cube, Event, Pose, Resident, Touch, TowerState, supply

SHAPE = load("amerigo")
LEVEL = Pose((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
CUBES = supply({"red": 5}, 0.008)
DOOR = Door("physics", "a box", "1", 0.008, frozenset(["box"]), look=lambda state: None)
NONE = (0, 0, 0)


def lying(*touches: Touch) -> TowerState:
    inside = [Resident(cube, "box", 0, LEVEL) for cube in CUBES]
    return TowerState("physics", "a box", "1").after(inside, Event("drop", "", CUBES, ()), touches=touches)


ATTACKS: dict[str, tuple[Any, str]] = {
    "without a point": ((Touch(0, 1, ()),), "number of forces of a touch of the state is 0; allowed is 3 for each"),
    "with two thirds of a point": ((Touch(0, 1, (1, 2)),), "number of forces of a touch of the state is 2"),
    "with a point and a third": ((Touch(0, 1, (1, 2, 3, 4)),), "number of forces of a touch of the state is 4"),
    "with 9 points": ((Touch(0, -1, (1,) * 27),), "is 27; allowed is 3 for each of 1 to 8 points"),
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


@each_case("force", [0, 4_000_000, 10**15])
def test_whatever_touches_whom_with_whatever_force_no_cube_is_lost(model: PhysicsModel, laid: TowerState, force: int):
    state = pressing(laid, SHAPE, force)
    strange = (Touch(9_999, 0, NONE), Touch(-1, 10**50, NONE), Touch(0, 0, NONE), Touch(0, -(10**50), NONE))
    forged = replace(state, touches=(*state.touches, *strange, *state.touches))
    for each in (state, TowerState.from_token(state.token()), state.take(state.cubes[::2]), forged):
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
