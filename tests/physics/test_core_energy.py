"""The core: no energy comes from nowhere, cubes come to rest at any threshold, and nothing passes a thin plate."""

from itertools import product

import numpy as np
import pytest
from support.cases import each_case
from support.scenes import EDGE, INERTIA, MASS, Array, awake, core, floor, pose, run, set_up, turns

from calibration.validation.through import PLATE, SIDE, throw
from tests.support.bench import Motion, World
from tests.support.towers import RULEBOOK
from tower_sim.apparatus import Box, Surface, load
from tower_sim.errors import UsageError
from tower_sim.physics import GRAVITY, PhysicsSettings, accuracy
from tower_sim.physics.settings import NUMBERS
from tower_sim.simulator import PhysicsModel
from tower_sim.values import Status, supply

SETTINGS = awake("core")
ASIDE = 3  # cubes along each side of the heap
APART = 1.8 * EDGE  # no two cubes touch at first, however they are turned
HALF = APART * (ASIDE - 1) / 2 + EDGE  # of the box
ROUNDING = 1e-12
LIFTED = 2e-5  # of the energy at first: what lifts all cubes by 1 / 4000 of an edge, as parting overlaps may
UNSOLVED = 1e-7  # without gravity, what the solver's tolerance may leave


@each_case("gravity", [0.0, GRAVITY])
@each_case("restitution", [0.0, 0.3, 0.533, 0.7, 0.9])
@each_case("friction", [0.0, 0.4, 0.9])
def test_a_heap_never_has_more_energy_than_it_began_with(
    world: World, gravity: float, restitution: float, friction: float
):
    """27 cubes in a closed box. Up to a restitution of 0.7 no window adds energy; above, with friction, theory may."""
    energies = np.concatenate([_energies(world, gravity, Surface(friction, restitution), seed) for seed in (0, 1)])
    most = energies.max() - 1
    added = np.diff(energies)[np.diff(energies) < 0.5].max()  # where the second heap begins it is 1 again
    print(f"restitution {restitution}, friction {friction}: at most {most:+.1e}, a window adds at most {added:+.1e}")
    assert most <= ROUNDING
    if restitution <= 0.7:
        assert added <= (LIFTED if gravity else UNSOLVED)


def test_the_energy_of_a_heap_tells_cubes_that_are_made_faster_by_a_thousandth(world: World):
    """The test above, tried: at one moment every cube is given a thousandth more of its velocity."""
    energies = _energies(world, 0.0, Surface(0.0, 1.0), 0, faster=1.001)
    assert np.diff(energies).max() > UNSOLVED


def _energies(world: World, gravity: float, pair: Surface, seed: int, faster: float = 1.0) -> Array:
    rng = np.random.default_rng(seed)
    places = np.array(list(np.ndindex(ASIDE, ASIDE, ASIDE))) * APART - HALF + EDGE
    starts = [pose(place, turn) for place, turn in zip(places, turns(rng, len(places)), strict=True)]
    bodies = set_up(world, starts, pair, _box(), (0.0, 0.0, -gravity))
    for body in bodies:
        world.engine.set_velocity(body, rng.normal(0, 0.7, 3), rng.normal(0, 40.0, 3))

    def energy(motion: Motion) -> float:
        height = motion.position[:, 2] + HALF
        kinetic = (MASS * motion.velocity**2 + INERTIA * motion.spin**2).sum() / 2
        return float(kinetic + MASS * gravity * height.sum())

    energies = [energy(world.engine.motion(bodies))]
    for k, motion in enumerate(run(world, bodies, 1.0)):
        energies.append(energy(motion))
        if faster != 1.0 and k == 1:
            for i, body in enumerate(bodies):
                world.engine.set_velocity(body, faster * motion.velocity[i], faster * motion.spin[i])
    return np.array(energies) / energies[0]


def _box() -> list[Box]:
    thick, walls = 0.02, list[Box]()
    for axis, side in product(np.eye(3), (-1, 1)):
        centre, half = side * (HALF + thick) * axis, HALF + thick - HALF * axis
        walls.append(Box("wall", "floor", tuple(centre.tolist()), tuple(half.tolist())))
    return walls


THRESHOLDS = [0.0, 0.001, 0.005, 0.02, 0.05, 0.2]  # m/s


@each_case("threshold", THRESHOLDS)
@each_case("restitution", [0.0, 0.533, 0.9])
@each_case("timestep", [1 / 1000, 1 / 500, 1 / 100])
def test_a_heap_comes_to_rest_at_any_threshold_that_is_allowed(threshold: float, restitution: float, timestep: float):
    """In half of a drop's time; under a quarter of what gravity adds in a step they may bounce for ever: refused."""
    if (settings := _settings(threshold, timestep)) is None:
        return
    with World(settings) as world:
        rng = np.random.default_rng(1)
        starts = [pose((*rng.normal(0, EDGE / 2, 2), (1 + 1.8 * k) * EDGE), turns(rng, 1)[0]) for k in range(12)]
        set_up(world, starts, Surface(0.4, restitution), [floor()])
        engine, windows = core(world), 0
        while not engine.all_sleep() and windows * settings.window < settings.longest / 2:
            windows += world.advance(engine.motion(()))
        print(f"threshold {threshold}, restitution {restitution}: at rest after {windows * settings.window:.2f} s")
        assert engine.all_sleep()


def _settings(threshold: float, timestep: float) -> PhysicsSettings | None:
    if threshold >= NUMBERS["core"].least_bounce * GRAVITY * timestep:
        return PhysicsSettings(engine="core", restitution_speed=threshold, timestep=timestep)
    with pytest.raises(UsageError, match="restitution_speed"):
        PhysicsSettings(engine="core", restitution_speed=threshold, timestep=timestep)


@pytest.mark.slow
@pytest.mark.parametrize("timestep", [1 / 500, 1 / 250])
@each_case("threshold", THRESHOLDS)
def test_cubes_in_the_tower_come_to_rest_at_any_threshold_that_is_allowed(threshold: float, timestep: float):
    if (settings := _settings(threshold, timestep)) is None:
        return
    with PhysicsModel(load(RULEBOOK), settings) as model:
        cubes = supply({"any": 49}, model.cube_edge)
        ends = [model.drop(model.empty(), cubes, np.random.default_rng(seed)).status for seed in range(3)]
    assert {Status.JAMMED, Status.TIMED_OUT}.isdisjoint(ends)


@each_case("cubes", [1, 2])
@each_case("name", ["standard", "fast"])
def test_no_cube_passes_a_plate_of_1_mm_at_5_m_s_with_a_spin_of_200_rad_s(name: str, cubes: int):
    thrown = [throw(accuracy("core", name), 5.0, 200.0, cubes, seed) for seed in range(9)]
    deepest = np.concatenate([each.deepest for each in thrown])
    assert len(deepest) == 9 * SIDE**2 * cubes
    print(f"{name}, {cubes} in a cell: deepest {deepest.max() / PLATE:.1%} of the plate")
    assert not np.concatenate([each.passed for each in thrown]).any()
    assert deepest.max() < PLATE / 2


@pytest.mark.bullet
def test_bullet_whose_steps_do_not_see_ahead_reaches_deeper_into_plates_than_half():
    """The test above, tried: what it looks for happens, where contacts are not seen before they are made."""
    thrown = [throw(accuracy("bullet", "standard"), 5.0, 200.0, 1, seed) for seed in range(3)]
    assert max(each.deepest.max() for each in thrown) > PLATE / 2
