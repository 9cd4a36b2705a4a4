"""How deep bodies overlap: cubes with cubes, and cubes with fixed boxes and hulls, however deep they are in each other.

The overlap of two convex bodies is the least one along the axes that can keep them apart (Gottschalk, Lin, Manocha
1996). The narrow phase finds contacts near the surface; this also judges a cube in the middle of a solid.
"""

from __future__ import annotations

import math

from tower_sim.compiled.marks import R, aside, inner
from tower_sim.physics.core.arrays import Tables
from tower_sim.physics.core.broad import near_rows
from tower_sim.physics.core.hulls import half_width, widest_gap
from tower_sim.physics.core.vectors import along, axis, between, xyz

_PARALLEL = 1e-9  # cross products shorter than this come from parallel edges


@aside
def deepest_overlap(w: Tables) -> float:
    """Return the greatest overlap (m) of a cube with another cube or a fixed part; 0 if there is none.

    Two cubes whose centres are nearer than half an edge overlap by at least an edge less that distance, which is
    returned at once. So the work stays bounded for a heap of cubes in one place.
    """
    now, bodies, edge = w.whole[0], w.bodies, w.real[0].edge
    nearest = math.inf
    for a in range(now.fixed, now.rows):
        for b in range(now.fixed, a):
            nearest = min(nearest, _distance(bodies[a], bodies[b]))
    if nearest < edge / 2:
        return edge - nearest
    deepest = 0.0
    for a in range(now.fixed, now.rows):
        deepest = max(deepest, overlap_of(w, a, a))
    return deepest


@aside
def overlap_of(w: Tables, i: int, end: int) -> float:
    """Return the greatest overlap (m) of a cube with a fixed part or with a cube in a row before `end`."""
    a, fixed = w.bodies[i], w.whole[0].fixed
    deepest, reach = 0.0, math.sqrt(3.0) * w.real[0].edge
    first, number = near_rows(w, *xyz(a.position), reach / 2)
    for n in range(number + end - fixed):
        k = n - number + fixed
        if n < number:
            k = w.listed[first + n] if first >= 0 else n
        b = w.bodies[k]
        if n < number:
            if max(distance_along(a, b, 0), distance_along(a, b, 1), distance_along(a, b, 2)) >= reach / 2:
                continue
            if b.hull != 0.0:
                deepest = max(deepest, -widest_gap(w, a, b))
                continue
        elif not _distance(a, b) < reach:
            continue
        deepest = max(deepest, _overlap(a, b))
    return deepest


@inner
def _distance(a: R, b: R) -> float:
    x, y, z = between(a, b)
    return math.sqrt(x * x + y * y + z * z)


@inner
def distance_along(a: R, b: R, k: int) -> float:
    """Return how far (m) the centre of `a` is over the nearer face of `b` along its axis `k`; negative inside."""
    return abs(along(b, k, *between(a, b))) - b.half[k]


@inner
def _overlap(a: R, b: R) -> float:
    """Return the overlap (m) of two boxes: the least along 15 axes; negative if they are apart."""
    dx, dy, dz = between(b, a)
    least = math.inf
    for k in range(15):
        if k < 3:
            x, y, z = axis(a, k)
        elif k < 6:
            x, y, z = axis(b, k - 3)
        else:
            ax, ay, az = axis(a, (k - 6) // 3)
            bx, by, bz = axis(b, (k - 6) % 3)
            x, y, z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        length = math.sqrt(x * x + y * y + z * z)
        if length > _PARALLEL:
            spread = half_width(a, x, y, z) + half_width(b, x, y, z)
            least = min(least, (spread - abs(x * dx + y * dy + z * dz)) / length)
    return least
