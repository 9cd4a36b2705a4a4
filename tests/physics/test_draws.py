"""What is drawn follows its law. A Kolmogorov-Smirnov distance exceeds 1.95 / sqrt(n) with chance 0.001 if it does."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import permutations
from statistics import NormalDist
from types import SimpleNamespace
from typing import Any

import numpy as np
from support.cases import each_case

from tower_sim import draws

NUMBER = 40_000


def distance(sample: Sequence[float], law: Callable[[float], float]) -> float:
    """Return the Kolmogorov-Smirnov distance of a sample from a law, by its distribution function."""
    expected = np.array([law(x) for x in sorted(sample)])
    steps = np.arange(len(expected) + 1) / len(expected)
    return float(max((steps[1:] - expected).max(), (expected - steps[:-1]).max()))


def bound(number: int) -> float:
    return 1.95 / math.sqrt(number)


def test_uniform_numbers_are_uniform():
    rng = np.random.default_rng(1)
    drawn = [draws.uniform(rng, -2.0, 3.0) for _ in range(NUMBER)]
    assert min(drawn) >= -2
    assert max(drawn) <= 3
    assert distance(drawn, lambda x: (x + 2) / 5) < bound(NUMBER)


def test_normal_numbers_are_normal():
    """A mean off by 0.025, an sd by 0.018 or a law further than 0.015 from the normal is seen 19 times in 20."""
    drawn = draws.normals(np.random.default_rng(2), NUMBER)
    assert len(drawn) == NUMBER
    sample = np.array(drawn)
    assert abs(sample.mean()) < 3.3 / math.sqrt(NUMBER)
    assert abs(sample.std() - 1) < 3.3 / math.sqrt(2 * NUMBER)
    assert abs((sample**4).mean() - 3) < 3.3 * math.sqrt(96 / NUMBER)
    assert distance(drawn, NormalDist().cdf) < bound(NUMBER)


def test_a_law_that_is_a_little_off_is_seen():
    """Numbers of an sd of 1.05, and sums of three uniform ones, whose tails are short."""
    rng = np.random.default_rng(3)
    wide = [1.05 * x for x in draws.normals(rng, NUMBER)]
    short = [2 * sum(draws.uniform(rng, -0.5, 0.5) for _ in range(3)) for _ in range(NUMBER)]
    assert distance(wide, NormalDist().cdf) > bound(NUMBER)
    assert distance(short, NormalDist().cdf) > bound(NUMBER)
    assert abs(np.std(wide) - 1) > 3.3 / math.sqrt(2 * NUMBER)


def test_normal_numbers_do_not_depend_on_each_other():
    """Neither they nor their squares do; of two, both come from one point of a disc."""
    sample = np.array(draws.normals(np.random.default_rng(4), NUMBER))
    for one, other in ((sample[::2], sample[1::2]), (sample[1:-1:2], sample[2::2])):
        for a, b in ((one, other), (one**2, other**2), (one, other**2)):
            assert abs(np.corrcoef(a, b)[0, 1]) < 3.3 / math.sqrt(len(a))


@each_case("number", [0, 1, 5, 6])
def test_as_many_normal_numbers_are_drawn_as_are_asked_for(number: int):
    drawn = draws.normals(np.random.default_rng(5), number)
    assert drawn == draws.normals(np.random.default_rng(5), 6)[:number]


def test_orientations_are_unit_quaternions_uniform_over_rotations():
    """Then every entry of the rotation's matrix is uniform on -1..1 (Archimedes), whatever axis is looked at."""
    rng = np.random.default_rng(6)
    number = 10_000
    x, y, z, w = np.array([draws.turn(rng) for _ in range(number)]).T
    assert np.abs(x * x + y * y + z * z + w * w - 1).max() < 1e-15
    entries = (
        *(1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        *(2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        *(2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )
    for entry in entries:
        assert distance(entry.tolist(), lambda t: (t + 1) / 2) < bound(number)
    for part in (x, y, z, w):  # also of the sign, which no rotation shows
        assert distance(part.tolist(), _of_sphere) < bound(number)


def _of_sphere(t: float) -> float:
    """The law of a coordinate of a uniform point on the sphere in four dimensions: density 2 sqrt(1 - t^2) / pi."""
    return 0.5 + (t * math.sqrt(1 - t * t) + math.asin(t)) / math.pi


def test_every_order_is_as_likely():
    """Chi-squared of 23 degrees of freedom exceeds 49.7 with chance 0.001."""
    rng = np.random.default_rng(7)
    counts = Counter(tuple(draws.order(rng, 4)) for _ in range(24_000))
    assert set(counts) == {*permutations(range(4))}
    assert sum((n - 1000) ** 2 / 1000 for n in counts.values()) < 49.7
    assert sorted(draws.order(rng, 300)) == list(range(300))
    assert [draws.order(rng, n) for n in (0, 1)] == [[], [0]]


@each_case("number", [2, 3, 7, 49, 64, 1000])
def test_the_largest_number_that_a_generator_gives_still_makes_an_order(number: int):
    generator: Any = SimpleNamespace(random=lambda: 1 - 2.0**-53)
    assert draws.order(generator, number) == list(range(number))


def test_only_uniform_numbers_of_53_bits_are_asked_of_a_generator():
    """A generator that can do nothing else will do."""
    source = np.random.default_rng(8)
    generator: Any = SimpleNamespace(random=source.random)
    draws.normals(generator, 6)
    draws.turn(generator)
    draws.order(generator, 9)
    draws.uniform(generator, 0.0, 1.0)
    numbers = np.random.default_rng(8).random(1000) * 2.0**53
    assert (numbers == numbers.round()).all()
