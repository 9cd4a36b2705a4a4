"""Convex hulls for tests: boxes as hulls, prisms, walls that lean."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tests.support.scenes import matrices
from tower_sim.apparatus.parts import Box, Hull, Vector

_SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def as_hull(box: Box) -> Hull:
    """Return a box as a hull."""
    turn = matrices(np.array([box.orientation]))[0]
    signs = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    places = np.array(box.centre) + (np.array(signs) * box.half) @ turn.T
    return hull(box.part, box.surface, places.tolist(), _SIDES)


def hull(part: str, surface: str, places: Sequence[Sequence[float]], faces: Sequence[Sequence[int]]) -> Hull:
    """Make a hull of any sequences."""
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
