"""Vectors: of records' fields, and along the axes of bodies."""

from __future__ import annotations

import math

from tower_sim.compiled.marks import R, T, inner

Three = tuple[float, float, float]


@inner
def xyz(v: T) -> Three:
    """Return the three numbers of a vector."""
    return v[0], v[1], v[2]


@inner
def dot(v: T, x: float, y: float, z: float) -> float:
    """Return the product of a vector and (x, y, z)."""
    return x * v[0] + y * v[1] + z * v[2]


@inner
def size(v: T) -> float:
    """Return the length of a vector."""
    x, y, z = v[0], v[1], v[2]
    return math.sqrt(x * x + y * y + z * z)


@inner
def between(a: R, b: R) -> Three:
    """Return the way from the centre of `b` to that of `a`."""
    return a.position[0] - b.position[0], a.position[1] - b.position[1], a.position[2] - b.position[2]


@inner
def axis(body: R, k: int) -> Three:
    """Return axis `k` of a body."""
    return body.axes[0, k], body.axes[1, k], body.axes[2, k]


@inner
def along(body: R, k: int, x: float, y: float, z: float) -> float:
    """Return the coordinate of a vector along axis `k` of a body."""
    return x * body.axes[0, k] + y * body.axes[1, k] + z * body.axes[2, k]


@inner
def unit(x: float, y: float, z: float) -> Three:
    """Return a vector made to length 1."""
    length = math.sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length
