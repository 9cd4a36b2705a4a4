"""The core: cubes come to rest whatever the speed below which nothing bounces; no step sets a least one."""

from __future__ import annotations

import numpy as np
import pytest
from support.cases import each_case
from support.scenes import EDGE, floor, pose, set_up, turns

from tests.support.towers import RULEBOOK
from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.parts import Surface
from tower_sim.cubes import supply
from tower_sim.errors import UsageError
from tower_sim.outcome import Status
from tower_sim.physics.engine import runs_alone
from tower_sim.physics.settings import GRAVITY, NUMBERS, PhysicsSettings
from tower_sim.physics.world import World
from tower_sim.simulator import PhysicsModel

THRESHOLDS = [0.0, 0.001, 0.005, 0.02, 0.05, 0.2]  # m/s


@each_case("threshold", THRESHOLDS)
@each_case("restitution", [0.0, 0.533, 0.9])
@each_case("timestep", [1 / 1000, 1 / 500, 1 / 100])
def test_a_heap_comes_to_rest_at_any_threshold_that_is_allowed(threshold: float, restitution: float, timestep: float):
    """12 cubes fall on a floor, one on the other; in half of the time that a drop may take all sleep.

    Where the threshold is under a quarter of what gravity adds in a step cubes may bounce for ever, with Bullet under
    twice that: such a setting is refused.
    """
    if threshold < NUMBERS["core"].least_bounce * GRAVITY * timestep:
        with pytest.raises(UsageError, match="restitution_speed"):
            PhysicsSettings(engine="core", restitution_speed=threshold, timestep=timestep)
        return
    settings = PhysicsSettings(engine="core", restitution_speed=threshold, timestep=timestep)
    with World(settings) as world:
        rng = np.random.default_rng(1)
        starts = [pose((*rng.normal(0, EDGE / 2, 2), (1 + 1.8 * k) * EDGE), turns(rng, 1)[0]) for k in range(12)]
        set_up(world, starts, Surface(0.4, restitution), [floor()])
        engine, windows = world.engine, 0
        assert runs_alone(engine)
        while not engine.all_sleep() and windows * settings.window < settings.longest / 2:
            windows += world.advance(engine.motion(()))
        print(f"threshold {threshold}, restitution {restitution}: at rest after {windows * settings.window:.2f} s")
        assert engine.all_sleep()


@pytest.mark.slow
@pytest.mark.parametrize("timestep", [1 / 500, 1 / 250])
@each_case("threshold", THRESHOLDS)
def test_cubes_in_the_tower_come_to_rest_at_any_threshold_that_is_allowed(threshold: float, timestep: float):
    if threshold < NUMBERS["core"].least_bounce * GRAVITY * timestep:
        return  # refused: see above
    settings = PhysicsSettings(engine="core", restitution_speed=threshold, timestep=timestep)
    with PhysicsModel(load(RULEBOOK), settings) as model:
        cubes = supply({"any": 49}, model.cube_edge)
        ends = [model.drop(model.empty(), cubes, np.random.default_rng(seed)).status for seed in range(3)]
    assert {Status.JAMMED, Status.TIMED_OUT}.isdisjoint(ends)
