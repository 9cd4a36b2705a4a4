"""Solids for tests: which boxes a point is in, boxes as hulls, prisms, walls that lean."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product

import numpy as np

from tests.support.scenes import matrices
from tower_sim.apparatus import Apparatus, Box, Hull, load
from tower_sim.apparatus.parts import Vector

_SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def as_hull(box: Box) -> Hull:
    turn = matrices(np.array([box.orientation]))[0]
    signs = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    places = np.array(box.centre) + (np.array(signs) * box.half) @ turn.T
    return hull(box.part, box.surface, places.tolist(), _SIDES)


def count_boxes(boxes: Iterable[Box], points: np.ndarray, slack: float = 1e-9) -> np.ndarray:
    """Return in how many boxes each of points (..., 3) is, of boxes wider by `slack` (m) on each side."""
    counts = np.zeros(points.shape[:-1], dtype=int)
    for box in boxes:
        local = (points - box.centre) @ matrices(np.array([box.orientation]))[0]
        counts += (np.abs(local) <= np.array(box.half) + slack).all(axis=-1)
    return counts


def hull(part: str, surface: str, places: Sequence[Sequence[float]], faces: Sequence[Sequence[int]]) -> Hull:
    vertices: list[Vector] = [(float(x), float(y), float(z)) for x, y, z in places]
    return Hull(part, surface, tuple(vertices), tuple(tuple(face) for face in faces))


def prism(part: str, surface: str, outline: Sequence[tuple[float, float]], low: float, high: float) -> Hull:
    """Make an upright prism of a convex outline, counter-clockwise from above, from height `low` to `high` (m)."""
    n = len(outline)
    places = [(x, y, z) for z in (low, high) for x, y in outline]
    around = [(k, (k + 1) % n, n + (k + 1) % n, n + k) for k in range(n)]
    return hull(part, surface, places, [tuple(reversed(range(n))), tuple(range(n, 2 * n)), *around])


def regular(sides: int, across: float) -> list[tuple[float, float]]:
    """Return the corners of a regular polygon whose sides are `across` (m) from the middle, the first facing +x."""
    out = across / math.cos(math.pi / sides)
    turns = [math.pi * (2 * k - 1) / sides for k in range(sides)]
    return [(out * math.cos(turn), out * math.sin(turn)) for turn in turns]


def pegged(profile: str, number: int) -> Apparatus:
    """Return a tower with so many thin prisms more, each the skin of round pegs that cross its tube."""
    tower = load(profile)
    edge, surface = tower.cube_edge, tower.boxes[0].surface
    hulls = tuple(pegs(surface, 0.35 * edge, 2.6 * edge, tower.rim_top - 3 * edge, number))
    return replace(tower, name=f"{profile}-pegged", hulls=hulls)


def pegs(surface: str, radius: float, apart: float, top: float, number: int) -> Iterator[Hull]:
    """Yield rows of pegs along y from `top` down, of 12 sides, each side cut into four prisms one after the other."""
    sides, cuts = 12, 4
    for row, peg, side, cut in islice(product(range(number), range(3), range(sides), range(cuts)), number):
        x, z = (peg - 1 + 0.25 * (row % 2)) * apart, top - row * apart / 2
        y = [(2 * (cut + k) / cuts - 1) * 1.5 * apart for k in range(2)]
        turns = [2 * math.pi * (side + k) / sides for k in range(2)]
        places = [
            (x + out * math.cos(turn), y[k], z + out * math.sin(turn))
            for out in (radius, 0.6 * radius)
            for turn, k in ((turns[0], 0), (turns[0], 1), (turns[1], 1), (turns[1], 0))
        ]
        around = [(k, k + 4, (k + 1) % 4 + 4, (k + 1) % 4) for k in range(4)]
        yield hull("peg", surface, places, [(0, 1, 2, 3), (7, 6, 5, 4), *around])
