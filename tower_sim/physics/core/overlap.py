"""How deep bodies overlap: cubes with cubes, and cubes with fixed boxes and hulls, however deep they are in each other.

The overlap of two convex bodies is the least one along the axes that can keep them apart (Gottschalk, Lin, Manocha
1996). The narrow phase finds contacts near the surface; this also judges a cube in the middle of a solid.
"""

from __future__ import annotations

import math

from tower_sim.compiled.marks import T, aside, inner
from tower_sim.physics.core.arrays import AXES, EDGE, FIXED, HALF, POSITION, ROWS, SHAPE, Tables
from tower_sim.physics.core.broad import near_rows
from tower_sim.physics.core.hulls import half_width, widest_gap

_PARALLEL = 1e-9  # cross products shorter than this come from parallel edges


@aside
def deepest_overlap(w: Tables) -> float:
    """Return the greatest overlap (m) of a cube with another cube or a fixed part; 0 if there is none.

    Two cubes whose centres are nearer than half an edge overlap by at least an edge less that distance, which is
    returned at once. So the work stays bounded for a heap of cubes in one place.
    """
    whole, edge = w.whole, w.real[EDGE]
    nearest = math.inf
    for a in range(whole[FIXED], whole[ROWS]):
        for b in range(whole[FIXED], a):
            nearest = min(nearest, _distance(w.bodies, a, b))
    if nearest < edge / 2:
        return edge - nearest
    deepest = 0.0
    for a in range(whole[FIXED], whole[ROWS]):
        deepest = max(deepest, overlap_of(w, a, a))
    return deepest


@aside
def overlap_of(w: Tables, a: int, end: int) -> float:
    """Return the greatest overlap (m) of a cube with a fixed part or with a cube in a row before `end`."""
    whole, real, bodies, room, hulls = w.whole, w.real, w.bodies, w.room, w.hulls
    deepest, reach = 0.0, math.sqrt(3.0) * real[EDGE]
    x, y, z = bodies[a, POSITION], bodies[a, POSITION + 1], bodies[a, POSITION + 2]
    first, number = near_rows(w, x, y, z, reach / 2)
    for n in range(number + end - whole[FIXED]):
        b = n - number + whole[FIXED]
        if n < number:
            b = w.listed[first + n] if first >= 0 else n
            if _is_beyond(bodies, a, b, reach / 2):
                continue
            if bodies[b, SHAPE] != 0.0:
                deepest = max(deepest, -widest_gap(bodies, room, hulls, a, b))
                continue
        elif not _distance(bodies, a, b) < reach:
            continue
        deepest = max(deepest, _overlap(bodies, a, b))
    return deepest


@inner
def _distance(bodies: T, a: int, b: int) -> float:
    x = bodies[a, POSITION] - bodies[b, POSITION]
    y = bodies[a, POSITION + 1] - bodies[b, POSITION + 1]
    z = bodies[a, POSITION + 2] - bodies[b, POSITION + 2]
    return math.sqrt(x * x + y * y + z * z)


@inner
def _is_beyond(bodies: T, a: int, b: int, reach: float) -> bool:
    """Tell whether the centre of `a` is further than `reach` from a face of `b`, along one of its axes."""
    return distance_along(bodies, a, b, 0) >= reach or (
        distance_along(bodies, a, b, 1) >= reach or distance_along(bodies, a, b, 2) >= reach
    )


@inner
def distance_along(bodies: T, a: int, b: int, k: int) -> float:
    """Return how far (m) the centre of `a` is over the nearer face of `b` along its axis `k`; negative inside."""
    x = bodies[a, POSITION] - bodies[b, POSITION]
    y = bodies[a, POSITION + 1] - bodies[b, POSITION + 1]
    z = bodies[a, POSITION + 2] - bodies[b, POSITION + 2]
    along = x * bodies[b, AXES + k] + y * bodies[b, AXES + 3 + k] + z * bodies[b, AXES + 6 + k]
    return abs(along) - bodies[b, HALF + k]


@inner
def _overlap(bodies: T, a: int, b: int) -> float:
    """Return the overlap (m) of two boxes: the least along 15 axes; negative if they are apart."""
    dx = bodies[b, POSITION] - bodies[a, POSITION]
    dy = bodies[b, POSITION + 1] - bodies[a, POSITION + 1]
    dz = bodies[b, POSITION + 2] - bodies[a, POSITION + 2]
    least = math.inf
    for k in range(15):
        x, y, z = 0.0, 0.0, 0.0
        if k < 3:
            x, y, z = bodies[a, AXES + k], bodies[a, AXES + 3 + k], bodies[a, AXES + 6 + k]
        elif k < 6:
            x, y, z = bodies[b, AXES + k - 3], bodies[b, AXES + k], bodies[b, AXES + 3 + k]
        else:
            i, j = (k - 6) // 3, (k - 6) % 3
            ax, ay, az = bodies[a, AXES + i], bodies[a, AXES + 3 + i], bodies[a, AXES + 6 + i]
            bx, by, bz = bodies[b, AXES + j], bodies[b, AXES + 3 + j], bodies[b, AXES + 6 + j]
            x, y, z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        length = math.sqrt(x * x + y * y + z * z)
        if length > _PARALLEL:
            spread = half_width(bodies, a, x, y, z) + half_width(bodies, b, x, y, z)
            least = min(least, (spread - abs(x * dx + y * dy + z * dz)) / length)
    return least
