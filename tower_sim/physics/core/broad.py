"""Broad phase: which rows are near each other. Sought anew only when a cube has moved by half of the skin.

Verlet's list (Physical Review 159, 1967, 98): a pair is kept while its bounding spheres are nearer than the skin and
the furthest look ahead, so the list decides what is cheap and never what is true.
"""

from __future__ import annotations

from tower_sim.jit import inner
from tower_sim.physics.core.arrays import (
    AWAKE,
    AXES,
    BOUNDS,
    FAR,
    FIRST,
    FIXED,
    HALF,
    PAIRS,
    POINTS,
    POSITION,
    RADIUS,
    ROWS,
    SECOND,
    SKIN,
    SOUGHT_AT,
    STALE,
    T,
)


@inner
def have_moved(whole: T, real: T, bodies: T, flags: T) -> bool:
    """Tell whether the pairs must be sought anew."""
    if whole[STALE] != 0:
        return True
    limit = 0.25 * real[SKIN] * real[SKIN]
    for i in range(whole[FIXED], whole[ROWS]):
        if flags[i, AWAKE] != 0:
            x = bodies[i, POSITION] - bodies[i, SOUGHT_AT]
            y = bodies[i, POSITION + 1] - bodies[i, SOUGHT_AT + 1]
            z = bodies[i, POSITION + 2] - bodies[i, SOUGHT_AT + 2]
            if x * x + y * y + z * z > limit:
                return True
    return False


@inner
def seek_pairs(whole: T, real: T, bodies: T, pairs: T, touches: T, known_pairs: T, known_touches: T) -> None:
    """List all pairs that may touch soon, in order, with what is known of those listed before."""
    fixed, rows, known = whole[FIXED], whole[ROWS], whole[PAIRS]
    for p in range(known):
        for c in range(3):
            known_pairs[p, c] = pairs[p, c]
        for k in range(pairs[p, POINTS]):
            for c in range(6):
                known_touches[p, k, c] = touches[p, k, c]
    kept, found = 0, 0
    slack = real[SKIN] + real[FAR]
    for a in range(fixed, rows):
        x, y, z = bodies[a, POSITION], bodies[a, POSITION + 1], bodies[a, POSITION + 2]
        radius = bodies[a, RADIUS]
        for b in range(rows):
            if b < fixed:
                if not _near_box(bodies, b, x, y, z, radius + slack):
                    continue
            elif b <= a or not _near_cube(bodies, b, x, y, z, radius + bodies[b, RADIUS] + slack):
                continue
            while kept < known and (
                known_pairs[kept, FIRST] < a or (known_pairs[kept, FIRST] == a and known_pairs[kept, SECOND] < b)
            ):
                kept += 1
            pairs[found, FIRST], pairs[found, SECOND], pairs[found, POINTS] = a, b, 0
            if kept < known and known_pairs[kept, FIRST] == a and known_pairs[kept, SECOND] == b:
                pairs[found, POINTS] = known_pairs[kept, POINTS]
                for k in range(known_pairs[kept, POINTS]):
                    for c in range(6):
                        touches[found, k, c] = known_touches[kept, k, c]
            found += 1
    for i in range(fixed, rows):
        for c in range(3):
            bodies[i, SOUGHT_AT + c] = bodies[i, POSITION + c]
    whole[PAIRS] = found
    whole[STALE] = 0


@inner
def _near_cube(bodies: T, b: int, x: float, y: float, z: float, reach: float) -> bool:
    dx, dy, dz = x - bodies[b, POSITION], y - bodies[b, POSITION + 1], z - bodies[b, POSITION + 2]
    return dx * dx + dy * dy + dz * dz < reach * reach


@inner
def _near_box(bodies: T, b: int, x: float, y: float, z: float, reach: float) -> bool:
    """Tell whether a point is nearer than `reach` to a fixed box: first the upright one around it, then itself."""
    dx, dy, dz = x - bodies[b, POSITION], y - bodies[b, POSITION + 1], z - bodies[b, POSITION + 2]
    if (
        abs(dx) > bodies[b, BOUNDS] + reach
        or abs(dy) > bodies[b, BOUNDS + 1] + reach
        or abs(dz) > bodies[b, BOUNDS + 2] + reach
    ):
        return False
    total = 0.0
    for k in range(3):
        over = (
            abs(dx * bodies[b, AXES + k] + dy * bodies[b, AXES + 3 + k] + dz * bodies[b, AXES + 6 + k])
            - bodies[b, HALF + k]
        )
        if over > 0.0:
            total += over * over
    return total < reach * reach
