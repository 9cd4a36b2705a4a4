"""Release: a hand lets cubes go - where, how turned, how fast, and when."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tower_sim import draws, portable
from tower_sim.apparatus.parts import Hand, Vector
from tower_sim.cubes import Cube
from tower_sim.state import Pose


@dataclass(frozen=True, slots=True)
class Launch:
    """One cube leaving the hand `at` seconds after the drop's start, with pose, velocity (m/s) and spin (rad/s)."""

    cube: Cube
    at: float
    pose: Pose
    velocity: Vector
    spin: Vector


def release(cubes: Sequence[Cube], hand: Hand, rim_top: float, edge: float, rng: np.random.Generator) -> list[Launch]:
    """Draw how the hand lets `cubes` go over the rim at height `rim_top` (m), in the order of time.

    Random, from `rng`: which cube is where (a permutation, so colours are exchangeable), the places, the orientations
    (uniform over rotations), velocities and spins (normal). Cubes of edge `edge` (m) never overlap: each place is a
    cell of a square lattice that holds a cube however it is turned; the lattice is shifted and turned at random.
    """
    order = draws.order(rng, len(cubes))
    cell = edge * math.sqrt(3) * 1.001
    if hand.interval > 0:
        places = [_layer(hand, cell, rng)[0] for _ in cubes]
        levels = [0] * len(cubes)
    else:
        places, levels = _handful(len(cubes), hand, cell, rng)
    launches: list[Launch] = []
    for i, number in enumerate(order):
        x, y = places[i]
        z = rim_top + hand.height + cell / 2 + levels[i] * cell
        pose = Pose((x, y, z), draws.turn(rng))
        a, b, c, u, v, w = draws.normals(rng, 6)
        velocity = (hand.speed * a, hand.speed * b, hand.speed * c)
        spin = (hand.spin * u, hand.spin * v, hand.spin * w)
        launches.append(Launch(cubes[number], i * hand.interval, pose, velocity, spin))
    return launches


def _handful(
    number: int, hand: Hand, cell: float, rng: np.random.Generator
) -> tuple[list[tuple[float, float]], list[int]]:
    """Fill layer on layer from below; the places of the last layer are chosen at random."""
    places: list[tuple[float, float]] = []
    levels: list[int] = []
    level = 0
    while len(places) < number:
        layer = _layer(hand, cell, rng)[: number - len(places)]
        places += layer
        levels += [level] * len(layer)
        level += 1
    return places, levels


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
