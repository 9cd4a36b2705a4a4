"""The core: cubes in a closed box never have more energy than they began with, whatever they are made of."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from support.cases import each_case
from support.scenes import EDGE, INERTIA, MASS, Array, awake, pose, run, set_up, turns

from tower_sim.apparatus.parts import Box, Surface
from tower_sim.physics.world import GRAVITY, Motion, World

ASIDE = 3  # cubes along each side of the heap
APART = 1.8 * EDGE  # no two cubes touch at first, however they are turned
HALF = APART * (ASIDE - 1) / 2 + EDGE  # of the box
ROUNDING = 1e-12
LIFTED = 2e-5  # of the energy at first: what lifts all cubes by 1 / 4000 of an edge, as parting overlaps may
UNSOLVED = 1e-7  # without gravity, what the solver's tolerance may leave


@pytest.fixture
def world() -> Iterator[World]:
    with World(awake("core")) as world:
        yield world


@each_case("gravity", [0.0, GRAVITY])
@each_case("restitution", [0.0, 0.3, 0.533, 0.7, 0.9])
@each_case("friction", [0.0, 0.4, 0.9])
def test_a_heap_never_has_more_energy_than_it_began_with(
    world: World, gravity: float, restitution: float, friction: float
):
    """27 cubes in a closed box that fly, collide and come to lie. Beyond that, no window adds any, up to 0.7.

    Above that Newton's restitution itself, with friction, may, also in single impacts: Routh's method says so too.
    """
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
    """Return kinetic and potential energy after each window of a second, over those at first."""
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
    thick = 0.02
    walls: list[Box] = []
    for axis in range(3):
        for side in (-1, 1):
            centre, half = [0.0] * 3, [HALF + thick] * 3
            centre[axis], half[axis] = side * (HALF + thick), thick
            (x, y, z), (a, b, c) = centre, half
            walls.append(Box(f"wall {axis} {side}", "floor", (x, y, z), (a, b, c)))
    return walls
