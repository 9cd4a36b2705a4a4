"""Draw how a hand lets cubes go: where, how turned, how fast, and when."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tower_sim import draws, portable
from tower_sim.apparatus.parts import Hand, Vector
from tower_sim.cubes import Cube
from tower_sim.physics.settings import GRAVITY
from tower_sim.state import Pose

_TRIES = 20  # places that are tried before a poured cube waits
_ALOFT = 60  # the last cubes let go that may be near; older ones are far below


@dataclass(frozen=True, slots=True)
class Launch:
    """The release of one cube, `at` seconds after the drop's start, with its pose, velocity (m/s) and spin (rad/s)."""

    cube: Cube
    at: float
    pose: Pose
    velocity: Vector
    spin: Vector


def release(
    cubes: Sequence[Cube], hand: Hand, rim_top: float, edge: float, window: float, rng: np.random.Generator
) -> list[Launch]:
    """Draw the launches of `cubes` of edge `edge` (m) over the rim at height `rim_top` (m), in order of time.

    Random, from `rng`: the order of the cubes (a permutation, so colours are exchangeable), their places, orientations
    (uniform over rotations), velocities and spins (normal). Cubes do not overlap when they are let go. A hand with a
    rate pours: release times are multiples of `window` (s), and a cube without room waits for the next window.
    """
    order = draws.order(rng, len(cubes))
    cell = edge * math.sqrt(3) * 1.001  # holds a cube however it is turned
    low = rim_top + hand.height + cell / 2
    places = _poured if hand.rate else _handful
    launches: list[Launch] = []
    for number, (at, x, y, level) in zip(order, places(len(cubes), hand, cell, window, rng), strict=True):
        pose = Pose((x, y, low + level * cell), draws.turn(rng))
        a, b, c, u, v, w = draws.normals(rng, 6)
        velocity = (hand.speed * a, hand.speed * b, hand.speed * c - hand.fall)
        spin = (hand.spin * u, hand.spin * v, hand.spin * w)
        launches.append(Launch(cubes[number], at, pose, velocity, spin))
    return launches


Places = Iterator[tuple[float, float, float, int]]
"""Where each cube is let go, in order: time (s), x and y (m), level in the stack (0: the lowest)."""


def _poured(number: int, hand: Hand, cell: float, window: float, rng: np.random.Generator) -> Places:
    """Yield places uniform over the hand's circle, each at least one cell away from the cubes that fall already."""
    radius = max(hand.spread / 2 - cell / 2, 0.0)
    every = 1 / ((hand.rate or math.inf) * window)  # windows between two cubes
    falling: list[tuple[int, float, float]] = []
    now = 0
    for i in range(number):
        now = max(now, math.ceil(i * every - 1e-9))
        while (place := _free(falling, now, radius, hand.fall, cell, window, rng)) is None:
            now += 1
        falling = [*falling[-_ALOFT:], (now, *place)]
        yield now * window, *place, 0


def _free(
    falling: Sequence[tuple[int, float, float]],
    now: int,
    radius: float,
    fall: float,
    cell: float,
    window: float,
    rng: np.random.Generator,
) -> tuple[float, float] | None:
    """Draw a free place, or return None after _TRIES attempts. The cubes' small random velocities are ignored."""
    for _ in range(_TRIES):
        a, b, _ = draws.disc(rng)
        x, y = radius * a, radius * b
        for then, u, v in falling:
            passed = (now - then) * window
            down = passed * (fall + GRAVITY / 2 * passed)
            if (x - u) * (x - u) + (y - v) * (y - v) + down * down < cell * cell:
                break
        else:
            return x, y
    return None


def _handful(number: int, hand: Hand, cell: float, window: float, rng: np.random.Generator) -> Places:
    """Yield the places of a stack of layers, from below; the places in the last layer are chosen at random."""
    places: list[tuple[float, float, int]] = []
    level = 0
    while len(places) < number:
        places += [(x, y, level) for x, y in _layer(hand, cell, rng)[: number - len(places)]]
        level += 1
    return ((0.0, *place) for place in places)


def _layer(hand: Hand, cell: float, rng: np.random.Generator) -> list[tuple[float, float]]:
    """Return the cells of a randomly shifted and turned lattice inside the hand's circle, in random order."""
    radius = max(hand.spread / 2 - cell / 2, 0.0)
    shift = (draws.uniform(rng, 0.0, cell), draws.uniform(rng, 0.0, cell))
    angle = draws.uniform(rng, 0.0, math.pi / 2)
    reach = math.ceil(radius / cell) + 1
    grid = [i * cell for i in range(-reach, reach + 1)]
    points = [(x + shift[0], y + shift[1]) for x in grid for y in grid]
    near = [(x, y) for x, y in points if x * x + y * y <= radius * radius]
    cos, sin = portable.cos(angle), portable.sin(angle)
    turned = [(cos * x - sin * y, sin * x + cos * y) for x, y in near]
    return [turned[k] for k in draws.order(rng, len(turned))] or [(0.0, 0.0)]
