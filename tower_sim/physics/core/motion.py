"""Motion: bodies under gravity, and where their velocities take them in a step (semi-implicit Euler)."""

from __future__ import annotations

import math

from tower_sim.compiled.marks import R, inner
from tower_sim.physics.core.arrays import Tables
from tower_sim.physics.core.cuboids import rotate_freely, set_turn
from tower_sim.physics.core.vectors import size

FAR_OFF = 1e3
"""A way (m) after which pairs are looked at: of a cuboid, whose turn is no product; of a body that is put elsewhere."""


@inner
def fall(w: Tables, i: int, step: float) -> None:
    """Let gravity act on a row for a step, and work out how far any point of it can come in that."""
    body, gravity = w.bodies[i], w.real[0].gravity
    for c in range(3):
        body.velocity[c] += step * gravity[c]
    body.reach = step * fastest(body, 0.0)


@inner
def fastest(body: R, more: float) -> float:
    """Return a bound on the speed of any point of a body whose centre may become faster by `more`."""
    speed = size(body.velocity) + more
    return speed + size(body.spin) * size(body.half)


@inner
def integrate(w: Tables, step: float, pushed: bool) -> None:
    """Move all rows that are awake, by their velocities, less what bounces take off, and by the push if they are."""
    now = w.whole[0]
    for i in range(now.fixed, now.rows):
        if w.flags[i].awake == 0:
            continue
        body, square = w.bodies[i], 0.0
        for c in range(3):
            speed = body.velocity[c] + (body.push[c] if pushed else 0.0)
            moved = step * speed + body.shift[c]
            body.position[c] += moved
            square += moved * moved
        body.way += math.sqrt(square)
        if body.inv_inertia < 0.0:
            body.way += FAR_OFF
            rotate_freely(body, step, pushed)
            update_axes(body)
            continue
        x, y, z = body.spin[0], body.spin[1], body.spin[2]
        if pushed:
            x, y, z = x + body.push_spin[0], y + body.push_spin[1], z + body.push_spin[2]
        x, y, z = step * x + body.shift_turn[0], step * y + body.shift_turn[1], step * z + body.shift_turn[2]
        body.way += body.radius * math.sqrt(x * x + y * y + z * z)
        turn(body, 0.5 * x, 0.5 * y, 0.5 * z)


@inner
def turn(body: R, x: float, y: float, z: float) -> None:
    """Turn a body about (x, y, z) by twice its length (rad, world frame).

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
    a, b, d, e = body.turn[0], body.turn[1], body.turn[2], body.turn[3]
    for _ in range(parts):
        # the quaternion of the turn, (x, y, z, c), times that of before
        a, b, d, e = (
            c * a + x * e + y * d - z * b,
            c * b + y * e + z * a - x * d,
            c * d + z * e + x * b - y * a,
            c * e - x * a - y * b - z * d,
        )
    set_turn(body, a, b, d, e)
    update_axes(body)


@inner
def update_axes(body: R) -> None:
    """Work out the rotation matrix of a body from its quaternion."""
    axes, x, y, z, e = body.axes, body.turn[0], body.turn[1], body.turn[2], body.turn[3]
    axes[0, 0], axes[0, 1], axes[0, 2] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * e), 2.0 * (x * z + y * e)
    axes[1, 0], axes[1, 1], axes[1, 2] = 2.0 * (x * y + z * e), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * e)
    axes[2, 0], axes[2, 1], axes[2, 2] = 2.0 * (x * z - y * e), 2.0 * (y * z + x * e), 1.0 - 2.0 * (x * x + y * y)
