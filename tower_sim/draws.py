"""Draw random numbers that are the same to the last digit on every machine.

All draws use `rng.random()` only, which is exact: a whole number of 53 bits times 2^-53. numpy's `uniform` and `normal`
are avoided. They multiply and add in compiled code, which some processors fuse, and the tails of `normal` use the
system's log and exp. numpy's permutations are avoided because they may change with its version.
"""

from __future__ import annotations

import math

import numpy as np

from tower_sim import portable


def uniform(rng: np.random.Generator, low: float, high: float) -> float:
    """Draw a number uniformly from `low` up to `high`."""
    return low + (high - low) * rng.random()


def normals(rng: np.random.Generator, number: int) -> list[float]:
    """Draw `number` standard normal numbers, two at a time; for an odd `number` the last one drawn is discarded.

    Source: the polar method (G. Marsaglia, T. A. Bray, SIAM Review 6, 1964, 260).
    """
    drawn: list[float] = []
    while len(drawn) < number:
        x, y, square = disc(rng)
        stretch = math.sqrt(-2 * portable.log(square) / square)
        drawn += (x * stretch, y * stretch)
    return drawn[:number]


def turn(rng: np.random.Generator) -> tuple[float, float, float, float]:
    """Draw a rotation, uniform over all rotations, as a unit quaternion.

    Source: a point on the sphere in four dimensions (G. Marsaglia, Annals of Mathematical Statistics 43, 1972, 645).
    """
    x, y, square = disc(rng)
    z, w, other = disc(rng)
    stretch = math.sqrt((1 - square) / other)
    return x, y, z * stretch, w * stretch


def order(rng: np.random.Generator, number: int) -> list[int]:
    """Draw a permutation of the numbers from 0 to `number` - 1, all equally likely.

    Source: R. Durstenfeld, CACM 7, 1964, 420.
    """
    numbers = list(range(number))
    for last in range(number - 1, 0, -1):
        other = int(rng.random() * (last + 1))  # a product that is rounded stays under last + 1
        numbers[last], numbers[other] = numbers[other], numbers[last]
    return numbers


def disc(rng: np.random.Generator) -> tuple[float, float, float]:
    """Draw a uniform point of the unit disc, never its centre; return x, y and its squared distance from the centre."""
    while True:
        x, y = 2 * rng.random() - 1, 2 * rng.random() - 1
        square = x * x + y * y
        if 0 < square < 1:
            return x, y, square
