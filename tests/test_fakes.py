"""The fakes: their chances, failures, and the rule of two thirds."""

import numpy as np
import pytest
from support.fakes import CoinTower

from tower_sim.apparatus.catalogue import load
from tower_sim.cubes import supply
from tower_sim.model import MAX_ATTEMPTS, TooManyFailedDraws, until_landed
from tower_sim.surrogate.two_thirds import TwoThirdsRule


def test_thrown_cubes_come_out_with_two_thirds_and_residents_with_one_third():
    model, cubes = CoinTower(), supply({"red": 3000, "blue": 3000}, 0.008)
    inside = CoinTower(p_out=0.0).drop(CoinTower(p_out=0.0).empty(), cubes[:3000], np.random.default_rng(1)).state
    state = model.empty().after(inside.residents, inside.log[0])
    emerged = model.drop(state, cubes[3000:], np.random.default_rng(2)).emerged
    red = sum(cube.colour == "red" for cube in emerged)
    spread = 5 * (3000 * 2 / 9) ** 0.5
    assert abs(red - 1000) < spread
    assert abs(len(emerged) - red - 2000) < spread


def test_a_tower_that_always_fails_is_given_up_after_the_most_attempts_allowed():
    model = CoinTower(failure_rate=1.0)
    cubes = supply({"red": 3}, 0.008)
    with pytest.raises(TooManyFailedDraws) as raised:
        until_landed(lambda rng: model.drop(model.empty(), cubes, rng), np.random.SeedSequence(1))
    assert raised.value.outcome.attempts == MAX_ATTEMPTS
    assert raised.value.outcome.state == model.empty()


def test_the_rule_keeps_a_third_of_what_is_thrown_and_two_thirds_of_what_is_inside():
    """n = 6,000 and about 2,000: 4 standard errors are 0.024 and 0.042."""
    model = TwoThirdsRule(load("amerigo"))
    cubes = supply({"red": 6000}, model.cube_edge)
    first = model.drop(model.empty(), cubes, np.random.default_rng(1))
    assert abs(len(first.emerged) / 6000 - 2 / 3) < 0.024
    second = model.drop(first.state, (), np.random.default_rng(2))
    assert abs(len(second.emerged) / len(first.inside) - 1 / 3) < 0.042
