"""Draws whose last digit is the same on every machine, from the uniform numbers of a generator.

Only `rng.random()` is asked: a whole number of 53 bits times 2^-53, exact. numpy's `uniform` and `normal` are not used:
they multiply and add in compiled code, which some processors fuse, and the tails of `normal` go through the system's
log and exp. All else is portable arithmetic; what numpy makes of an order of things could change with its version.
"""

from __future__ import annotations

import math

import numpy as np

from tower_sim import portable


def uniform(rng: np.random.Generator, low: float, high: float) -> float:
    """Draw a number from `low` up to `high`."""
    return low + (high - low) * rng.random()


def normals(rng: np.random.Generator, number: int) -> list[float]:
    """Draw `number` numbers from the normal law of mean 0 and sd 1, two at a time (of an odd number one is left over).

    Source: the polar method (G. Marsaglia, T. A. Bray, SIAM Review 6, 1964, 260).
    """
    drawn: list[float] = []
    while len(drawn) < number:
        x, y, square = disc(rng)
        stretch = math.sqrt(-2 * portable.log(square) / square)
        drawn += (x * stretch, y * stretch)
    return drawn[:number]


def turn(rng: np.random.Generator) -> tuple[float, float, float, float]:
    """Draw an orientation, uniform over rotations: a unit quaternion.

    Source: a point of the sphere in four dimensions (G. Marsaglia, Annals of Mathematical Statistics 43, 1972, 645).
    """
    x, y, square = disc(rng)
    z, w, other = disc(rng)
    stretch = math.sqrt((1 - square) / other)
    return x, y, z * stretch, w * stretch


def order(rng: np.random.Generator, number: int) -> list[int]:
    """Draw an order of the numbers from 0 up to `number`, all equally likely (R. Durstenfeld, CACM 7, 1964, 420)."""
    numbers = list(range(number))
    for last in range(number - 1, 0, -1):
        other = int(rng.random() * (last + 1))  # a product that is rounded stays under last + 1
        numbers[last], numbers[other] = numbers[other], numbers[last]
    return numbers


def disc(rng: np.random.Generator) -> tuple[float, float, float]:
    """Draw a point of the unit disc but for its middle, uniform: x, y and the square of its distance."""
    while True:
        x, y = 2 * rng.random() - 1, 2 * rng.random() - 1
        square = x * x + y * y
        if 0 < square < 1:
            return x, y, square
