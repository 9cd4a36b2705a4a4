"""Motion: rows under gravity, and where their velocities take them in a step (semi-implicit Euler)."""

from __future__ import annotations

import math

from tower_sim.compiled.marks import inner
from tower_sim.physics.core.arrays import (
    AWAKE,
    AXES,
    FIXED,
    GRAVITY_X,
    GRAVITY_Y,
    GRAVITY_Z,
    HALF,
    INV_INERTIA,
    POSITION,
    PUSH,
    PUSH_SPIN,
    RADIUS,
    REACH,
    ROWS,
    SHIFT,
    SHIFT_TURN,
    SPIN,
    TURN,
    VELOCITY,
    WAY,
    T,
)
from tower_sim.physics.core.cuboids import rotate_freely

FAR_OFF = 1e3
"""A way (m) after which pairs are looked at: of a cuboid, whose turn is no product; of a row that is put elsewhere."""


@inner
def apply_gravity(real: T, bodies: T, i: int, step: float) -> None:
    """Let gravity act on a row for a step."""
    bodies[i, VELOCITY] += step * real[GRAVITY_X]
    bodies[i, VELOCITY + 1] += step * real[GRAVITY_Y]
    bodies[i, VELOCITY + 2] += step * real[GRAVITY_Z]


@inner
def look_ahead(bodies: T, i: int, step: float) -> None:
    """Work out how far any point of a row can come in a step."""
    bodies[i, REACH] = step * fastest(bodies, i, 0.0)


@inner
def fastest(bodies: T, i: int, more: float) -> float:
    """Return a bound on the speed of any point of a row whose centre may become faster by `more`."""
    speed = size(bodies, i, VELOCITY) + more
    return speed + size(bodies, i, SPIN) * size(bodies, i, HALF)


@inner
def size(bodies: T, i: int, c: int) -> float:
    """Return the length of the vector in a row's columns from `c` on."""
    x, y, z = bodies[i, c], bodies[i, c + 1], bodies[i, c + 2]
    return math.sqrt(x * x + y * y + z * z)


@inner
def integrate(whole: T, bodies: T, flags: T, step: float, pushed: bool) -> None:
    """Move all rows that are awake, by their velocities, less what bounces take off, and by the push if they are."""
    for i in range(whole[FIXED], whole[ROWS]):
        if flags[i, AWAKE] == 0:
            continue
        square = 0.0
        for c in range(3):
            speed = bodies[i, VELOCITY + c] + (bodies[i, PUSH + c] if pushed else 0.0)
            moved = step * speed + bodies[i, SHIFT + c]
            bodies[i, POSITION + c] += moved
            square += moved * moved
        bodies[i, WAY] += math.sqrt(square)
        if bodies[i, INV_INERTIA] < 0.0:
            bodies[i, WAY] += FAR_OFF
            rotate_freely(bodies, i, step, pushed)
            update_axes(bodies, i)
            continue
        x, y, z = bodies[i, SPIN], bodies[i, SPIN + 1], bodies[i, SPIN + 2]
        if pushed:
            x, y, z = x + bodies[i, PUSH_SPIN], y + bodies[i, PUSH_SPIN + 1], z + bodies[i, PUSH_SPIN + 2]
        x, y, z = (
            step * x + bodies[i, SHIFT_TURN],
            step * y + bodies[i, SHIFT_TURN + 1],
            step * z + bodies[i, SHIFT_TURN + 2],
        )
        bodies[i, WAY] += bodies[i, RADIUS] * math.sqrt(x * x + y * y + z * z)
        turn(bodies, i, 0.5 * x, 0.5 * y, 0.5 * z)


@inner
def turn(bodies: T, i: int, x: float, y: float, z: float) -> None:
    """Turn a row about (x, y, z) by twice its length (rad, world frame).

    Sine and cosine by their series, of which under 2e-13 is left out up to 0.3 rad: plain sums and products give the
    same digits on every machine, library functions do not. Further turns are taken in halves.
    """
    parts = 1
    square = x * x + y * y + z * z
    while square > 0.09:
        x, y, z, square = 0.5 * x, 0.5 * y, 0.5 * z, 0.25 * square
        parts *= 2
    s = 1.0 + square * (-1.0 / 6 + square * (1.0 / 120 + square * (-1.0 / 5040 + square * (1.0 / 362880))))
    c = 1.0 + square * (-0.5 + square * (1.0 / 24 + square * (-1.0 / 720 + square * (1.0 / 40320 - square / 3628800))))
    x, y, z = s * x, s * y, s * z
    for _ in range(parts):
        a, b, d, e = bodies[i, TURN], bodies[i, TURN + 1], bodies[i, TURN + 2], bodies[i, TURN + 3]
        # the quaternion of the turn, (x, y, z, c), times that of before
        bodies[i, TURN] = c * a + x * e + y * d - z * b
        bodies[i, TURN + 1] = c * b + y * e + z * a - x * d
        bodies[i, TURN + 2] = c * d + z * e + x * b - y * a
        bodies[i, TURN + 3] = c * e - x * a - y * b - z * d
    a, b, d, e = bodies[i, TURN], bodies[i, TURN + 1], bodies[i, TURN + 2], bodies[i, TURN + 3]
    length = math.sqrt(a * a + b * b + d * d + e * e)
    for k in range(4):
        bodies[i, TURN + k] /= length
    update_axes(bodies, i)


@inner
def update_axes(bodies: T, i: int) -> None:
    """Work out the rotation matrix of a row from its quaternion."""
    x, y, z, e = bodies[i, TURN], bodies[i, TURN + 1], bodies[i, TURN + 2], bodies[i, TURN + 3]
    bodies[i, AXES], bodies[i, AXES + 1], bodies[i, AXES + 2] = (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - z * e),
        2.0 * (x * z + y * e),
    )
    bodies[i, AXES + 3], bodies[i, AXES + 4], bodies[i, AXES + 5] = (
        2.0 * (x * y + z * e),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - x * e),
    )
    bodies[i, AXES + 6], bodies[i, AXES + 7], bodies[i, AXES + 8] = (
        2.0 * (x * z - y * e),
        2.0 * (y * z + x * e),
        1.0 - 2.0 * (x * x + y * y),
    )
