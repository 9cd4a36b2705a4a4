"""What is drawn follows its law. A Kolmogorov-Smirnov distance exceeds 1.95 / sqrt(n) with chance 0.001 if it does."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import permutations
from statistics import NormalDist

import numpy as np
import pytest
from support.cases import each_case
from support.scenes import matrices

from tower_sim.apparatus import load
from tower_sim.apparatus.parts import Hand
from tower_sim.physics import PhysicsSettings, Scene
from tower_sim.physics.core import CoreEngine

NUMBER = 40_000
SETTINGS = PhysicsSettings()
SHAPE = replace(load("amerigo"), hand=Hand(0.005, 0.05, 1.0, 1.0))


def distance(sample: Sequence[float], law: Callable[[float], float]) -> float:
    expected = np.array([law(x) for x in sorted(sample)])
    steps = np.arange(len(expected) + 1) / len(expected)
    return float(max((steps[1:] - expected).max(), (expected - steps[:-1]).max()))


def bound(number: int) -> float:
    return 1.95 / math.sqrt(number)


@pytest.fixture(scope="module", autouse=True)
def forget() -> Iterator[None]:
    yield
    scene_for.cache_clear()


@cache
def scene_for(_number: int) -> Scene:
    return Scene(CoreEngine(SETTINGS), SHAPE, SETTINGS)


def let_go(number: int, draws: np.ndarray) -> tuple[list[int], np.ndarray]:
    """Let a hand that gives speeds and spins of sd 1 throw cubes; return the cube of each launch, and the rows."""
    scene = scene_for(number)
    tables = scene.core.make_room(number, len(scene.tables.rule))
    assert scene.core.core.let_go(tables, np.arange(float(number)), draws) <= len(draws)
    return tables.marks["id"][:number].tolist(), tables.cubes[:number].copy()


def launches(number: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.concatenate([let_go(50, rng.random(6000))[1] for _ in range(number // 50)])


def normals(number: int, seed: int) -> np.ndarray:
    rows = launches(math.ceil(number / 300) * 50, seed)
    return np.concatenate((rows["let_velocity"], rows["let_spin"]), axis=1).ravel()[:number]


def test_normal_numbers_are_normal():
    """A mean off by 0.025, an sd by 0.018 or a law further than 0.015 from the normal is seen 19 times in 20."""
    sample = normals(NUMBER, 2)
    drawn = sample.tolist()
    assert len(drawn) == NUMBER
    assert abs(sample.mean()) < 3.3 / math.sqrt(NUMBER)
    assert abs(sample.std() - 1) < 3.3 / math.sqrt(2 * NUMBER)
    assert abs((sample**4).mean() - 3) < 3.3 * math.sqrt(96 / NUMBER)
    assert distance(drawn, NormalDist().cdf) < bound(NUMBER)


def test_a_law_that_is_a_little_off_is_seen():
    """Numbers of an sd of 1.05, and sums of three uniform ones, whose tails are short."""
    rng = np.random.default_rng(3)
    wide = [1.05 * x for x in normals(NUMBER, 3)]
    short = [2 * sum(rng.random(3) - 0.5) for _ in range(NUMBER)]
    assert distance(wide, NormalDist().cdf) > bound(NUMBER)
    assert distance(short, NormalDist().cdf) > bound(NUMBER)
    assert abs(np.std(wide) - 1) > 3.3 / math.sqrt(2 * NUMBER)


def test_normal_numbers_do_not_depend_on_each_other():
    """Neither they nor their squares do; of two, both come from one point of a disc."""
    sample = normals(NUMBER, 4)
    for one, other in ((sample[::2], sample[1::2]), (sample[1:-1:2], sample[2::2])):
        for a, b in ((one, other), (one**2, other**2), (one, other**2)):
            assert abs(np.corrcoef(a, b)[0, 1]) < 3.3 / math.sqrt(len(a))


def test_orientations_are_unit_quaternions_uniform_over_rotations():
    """Then every entry of the rotation's matrix is uniform on -1..1 (Archimedes), whatever axis is looked at."""
    number = 10_000
    orientation = launches(number, 6)["pose"][:, 3:7]
    assert np.abs((orientation**2).sum(axis=1) - 1).max() < 1e-15
    for entry in matrices(orientation).reshape(number, 9).T:
        assert distance(entry.tolist(), lambda t: (t + 1) / 2) < bound(number)

    def coordinate(t: float) -> float:  # of a uniform point on the sphere: its density is 2 sqrt(1 - t^2) / pi
        return 0.5 + (t * math.sqrt(1 - t * t) + math.asin(t)) / math.pi

    for part in orientation.T:  # also of the sign, which no rotation shows
        assert distance(part.tolist(), coordinate) < bound(number)


def test_every_order_is_as_likely():
    """Chi-squared of 23 degrees of freedom exceeds 49.7 with chance 0.001."""
    rng = np.random.default_rng(7)
    counts = Counter(tuple(let_go(4, rng.random(600))[0]) for _ in range(24_000))
    assert set(counts) == {*permutations(range(4))}
    assert sum((n - 1000) ** 2 / 1000 for n in counts.values()) < 49.7
    assert sorted(let_go(300, rng.random(40_000))[0]) == list(range(300))
    assert [let_go(n, rng.random(600))[0] for n in (0, 1)] == [[], [0]]


@each_case("number", [2, 3, 7, 49, 64, 200])
def test_the_largest_number_that_a_generator_gives_still_makes_an_order(number: int):
    draws = np.concatenate([np.full(number - 1, 1 - 2.0**-53), np.random.default_rng(8).random(200 * number)])
    assert let_go(number, draws)[0] == list(range(number))
