"""The fake tower keeps the contract, so that what is tested with it holds for any model."""

import importlib
import sys

import numpy as np
import pytest
from support.cases import each_case
from support.fakes import CoinTower
from support.ships import DiceShip

from tower_sim import testing
from tower_sim.apparatus.catalogue import load
from tower_sim.cubes import supply
from tower_sim.errors import UsageError
from tower_sim.model import MAX_ATTEMPTS, TooManyFailedDraws, until_landed
from tower_sim.outcome import Status
from tower_sim.surrogate.two_thirds import TwoThirdsRule
from tower_sim.testing import BoardModelContract, DropModelContract


class TestCoinTower(DropModelContract):
    @pytest.fixture(scope="class")
    @classmethod
    def model(cls):
        return CoinTower()


class TestCoinTowerThatOftenFails(DropModelContract):
    @pytest.fixture(scope="class")
    @classmethod
    def model(cls):
        return CoinTower(failure_rate=0.5)

    def test_its_chain_has_failed_and_landed_drops(self, chain):
        assert {outcome.status for _, outcome in chain} == {Status.SETTLED, Status.TIMED_OUT}


class TestCoinTowerThatKeepsNothing(DropModelContract):
    keeps_cubes = False

    @pytest.fixture(scope="class")
    @classmethod
    def model(cls):
        return CoinTower(p_out=1.0, p_resident=1.0)

    def test_another_rng_may_give_another_outcome(self, model, cubes):
        assert model.drop(model.empty(), cubes, np.random.default_rng(1)).emerged == cubes


class TestTwoThirdsRule(DropModelContract):
    knocks = False

    @pytest.fixture(scope="class")
    @classmethod
    def model(cls):
        return TwoThirdsRule(load("amerigo"))


class TestDiceShip(BoardModelContract):
    @pytest.fixture(scope="class")
    @classmethod
    def model(cls):
        return DiceShip(pushed=0.2)


def test_without_pytest_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    for name in [name for name in sys.modules if name.startswith("tower_sim.testing")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pytest", None)  # an import of it fails then
    with pytest.raises(UsageError, match=r"pytest is not installed .*-m pip install pytest$"):
        importlib.import_module("tower_sim.testing")


@each_case("name", testing.__all__)
def test_every_contract_can_be_had_from_the_package_and_nothing_else(name: str):
    assert getattr(testing, name).__name__ == name
    assert not hasattr(testing, f"{name}2")


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
