"""Release: a hand lets cubes go - where, how turned, how fast, and when."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tower_sim.apparatus.parts import Hand, Vector
from tower_sim.cubes import Cube
from tower_sim.state import Pose

_SPLIT = 2.0**27 + 1  # halves the digits of a number (Dekker, Numerische Mathematik 18, 1971, 224)


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
    order = rng.permutation(len(cubes))
    cell = edge * math.sqrt(3) * 1.001
    if hand.interval > 0:
        places = [_layer(hand, cell, rng)[0] for _ in cubes]
        heights = np.zeros(len(cubes))
    else:
        places, levels = _handful(len(cubes), hand, cell, rng)
        heights = np.asarray(levels) * cell
    launches: list[Launch] = []
    for i in range(len(cubes)):
        x, y = places[i]
        z = rim_top + hand.height + cell / 2 + float(heights[i])
        turn = rng.normal(size=4)
        turn /= _length(turn.tolist())
        velocity = rng.normal(0.0, hand.speed, 3)
        spin = rng.normal(0.0, hand.spin, 3)
        pose = Pose((x, y, z), (float(turn[0]), float(turn[1]), float(turn[2]), float(turn[3])))
        launches.append(Launch(cubes[int(order[i])], i * hand.interval, pose, _vector(velocity), _vector(spin)))
    return launches


def _length(vector: Sequence[float]) -> float:
    """Return the length of a vector, the same on every processor.

    numpy's goes through BLAS, whose kernels round differently from one processor to the next, and drops are chaotic.
    The squares are added as those kernels do that fuse product and sum, on which all shipped figures were measured.
    """
    total = 0.0
    for x in vector:
        high = _SPLIT * x - (_SPLIT * x - x)
        low = x - high
        square = x * x
        rest = ((high * high - square) + 2 * high * low) + low * low  # x * x is square + rest, exactly
        total = math.fsum((square, rest, total))  # rounded once
    return math.sqrt(total)


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
    shift = rng.uniform(0.0, cell, 2)
    angle = rng.uniform(0.0, math.pi / 2)
    reach = math.ceil(radius / cell) + 1
    grid = np.arange(-reach, reach + 1) * cell
    near = [(x, y) for x in grid + shift[0] for y in grid + shift[1] if math.hypot(x, y) <= radius]
    cos, sin = math.cos(angle), math.sin(angle)
    turned = [(float(cos * x - sin * y), float(sin * x + cos * y)) for x, y in near]
    return [turned[k] for k in rng.permutation(len(turned))] or [(0.0, 0.0)]


def _vector(array: np.ndarray) -> Vector:
    return (float(array[0]), float(array[1]), float(array[2]))
