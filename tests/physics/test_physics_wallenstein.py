"""The Wallenstein-like tower with physics: drops that settle, memory, knocks, a campaign."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.validation import overlap as judge
from tests.support.bench import drop_until_landed
from tower_sim.apparatus import load
from tower_sim.simulator import PhysicsModel
from tower_sim.values import Outcome, Status, supply

SHAPE = load("wallenstein")


@pytest.fixture(name="full", scope="module")
def _full(model: PhysicsModel) -> Outcome:
    return drop_until_landed(model, 49, 1)


@pytest.mark.parametrize("number", [5, 12, 25, 49])
def test_every_drop_that_lands_settles_with_no_cube_deep_in_a_wall(model: PhysicsModel, number: int):
    for seed in range(4):
        outcome = drop_until_landed(model, number, seed)
        assert outcome.status is Status.SETTLED
        inside = replace(outcome, landings=tuple(each for each in outcome.landings if each.inside))
        assert judge.deepest_at_rest(inside, SHAPE) < 0.03
        assert len(outcome.emerged) + len(outcome.state.residents) == number


def test_cubes_stay_on_both_floors_and_come_out_later(model: PhysicsModel, full: Outcome):
    every = [full, *(drop_until_landed(model, 49, seed) for seed in (2, 3))]
    regions = {resident.region for outcome in every for resident in outcome.state.residents}
    assert regions >= {"upper_floor", "lower_floor"}
    state, first = full.state, set(full.state.cubes)
    out = set()
    for drop in range(3):
        new = supply({"new": 8}, model.cube_edge, first_id=100 + 10 * drop)
        outcome = model.drop(state, new, np.random.default_rng(drop))
        out |= first & set(outcome.emerged)
        state = outcome.state
    assert 0 < len(out) < len(first)


def test_a_hard_knock_releases_cubes_and_a_faint_one_none(model: PhysicsModel, full: Outcome):
    faint = model.knock(full.state, 0.01, np.random.default_rng(1))
    assert faint.knocked_out == ()
    hard = [model.knock(full.state, 3.0, np.random.default_rng(seed)) for seed in range(3)]
    assert any(outcome.knocked_out for outcome in hard)
    assert all(outcome.status.is_landing for outcome in hard)
