"""Cuboids: bodies that spin about one axis more easily than about another. Cubes never come here.

A body whose `inv_inertia` is negative is one; `inv_inertias` has 1 / moment of inertia about each of its own axes.
"""

from __future__ import annotations

import math

from tower_sim.compiled.marks import R, aside, inner
from tower_sim.physics.core.vectors import Three, along, axis, dot, xyz

_ROUND = 1e-32  # of the square of the spin: rounding
_FEW = 60  # rounds: each at least halves the error
_MOST_PARTS = 4096


@aside
def inv_inertia_times(body: R, x: float, y: float, z: float) -> Three:
    """Return the change of a cuboid's spin (rad/s) by an angular impulse (N m s, world frame)."""
    gx, gy, gz = 0.0, 0.0, 0.0
    for k in range(3):
        ax, ay, az = axis(body, k)
        gain = body.inv_inertias[k] * along(body, k, x, y, z)
        gx, gy, gz = gx + gain * ax, gy + gain * ay, gz + gain * az
    return gx, gy, gz


@aside
def inv_effective_masses(
    body: R, rx: float, ry: float, rz: float,
    nx: float, ny: float, nz: float, sx: float, sy: float, sz: float,
) -> tuple[float, float, float, float, float, float, float]:  # fmt: skip
    """Return the inverse effective masses of a body at a point, at `r` from its centre.

    Directions n, s and t = n x s: the velocity (1/kg) along n by an impulse along n, then of s by s, t by t, s by t, s
    by n and t by n; last the spin about n by a unit angular impulse about it (1/(kg m2)). With w of an axis k of the
    body for the inverse inertia about it, that of d by f is 1/m d . f + sum w (k . (r x d)) (k . (r x f)).
    """
    tx, ty, tz = ny * sz - nz * sy, nz * sx - nx * sz, nx * sy - ny * sx
    inv_mass = body.inv_mass * body.mobile
    nn, ss, tt, st, sn, tn, spin = inv_mass, inv_mass, inv_mass, 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        inv_inertia = body.mobile * (body.inv_inertias[k] if body.inv_inertia < 0.0 else body.inv_inertia)
        ax, ay, az = axis(body, k)
        # k . (r x d) = (k x r) . d
        gx, gy, gz = ay * rz - az * ry, az * rx - ax * rz, ax * ry - ay * rx
        n = gx * nx + gy * ny + gz * nz
        s = gx * sx + gy * sy + gz * sz
        t = gx * tx + gy * ty + gz * tz
        about = ax * nx + ay * ny + az * nz
        nn += inv_inertia * n * n
        ss += inv_inertia * s * s
        tt += inv_inertia * t * t
        st += inv_inertia * s * t
        sn += inv_inertia * s * n
        tn += inv_inertia * t * n
        spin += inv_inertia * about * about
    return nn, ss, tt, st, sn, tn, spin


@aside
def rotate_freely(body: R, step: float, pushed: bool) -> None:
    """Turn a cuboid that nothing acts on for a step; its energy and its angular momentum stay, to rounding.

    The midpoint rule for the angular momentum L in the body's axes, with spin w = (L + L') / 2 over the moments of
    inertia: L' - L = step (L + L') / 2 x w. Both |L| and the energy are quadratic in L, so it keeps them; L' is L
    turned by -step w as Cayley's transform has it, and the body turns by the same, so L stays in the world too
    (Simo and Wong, International Journal for Numerical Methods in Engineering 31, 1991, 19). `shift_turn`, and
    `push_spin`
    where it is `pushed`, turn body and spin alike, which keeps the energy.
    """
    w0, w1, w2 = xyz(body.inv_inertias)
    x, y, z = xyz(body.spin)
    x, y, z = along(body, 0, x, y, z), along(body, 1, x, y, z), along(body, 2, x, y, z)
    # so small parts of the step that the rounds below halve the error at least
    strong = max(max(w0, w1), w2) * step * math.sqrt(x * x / (w0 * w0) + y * y / (w1 * w1) + z * z / (w2 * w2))
    parts = 1
    while strong > 0.5 and parts < _MOST_PARTS:
        strong *= 0.5
        parts *= 2
    half = 0.5 * step / parts
    px, py, pz = x, y, z  # the spin after all parts, in the axes before them
    qx, qy, qz, qw = 0.0, 0.0, 0.0, 1.0  # the turn so far
    for _ in range(parts):
        l0, l1, l2 = x / w0, y / w1, z / w2
        m0, m1, m2 = l0, l1, l2
        gx, gy, gz = half * x, half * y, half * z
        for _ in range(_FEW):
            m0, m1, m2 = _turned(-gx, -gy, -gz, l0, l1, l2)
            hx, hy, hz = half * 0.5 * w0 * (l0 + m0), half * 0.5 * w1 * (l1 + m1), half * 0.5 * w2 * (l2 + m2)
            ex, ey, ez = hx - gx, hy - gy, hz - gz
            gx, gy, gz = hx, hy, hz
            if ex * ex + ey * ey + ez * ez <= _ROUND * (gx * gx + gy * gy + gz * gz):
                break
        x, y, z = w0 * m0, w1 * m1, w2 * m2
        qx, qy, qz, qw = (
            qw * gx + qx + qy * gz - qz * gy,
            qw * gy + qy + qz * gx - qx * gz,
            qw * gz + qz + qx * gy - qy * gx,
            qw - qx * gx - qy * gy - qz * gz,
        )
        size = math.sqrt(qx * qx + qy * qy + qz * qz + qw * qw)
        qx, qy, qz, qw = qx / size, qy / size, qz / size, qw / size
    # the spin, first in the axes before the turn, then in the world's
    ux, uy, uz = qy * z - qz * y, qz * x - qx * z, qx * y - qy * x
    px = x + 2.0 * (qw * ux + qy * uz - qz * uy)
    py = y + 2.0 * (qw * uy + qz * ux - qx * uz)
    pz = z + 2.0 * (qw * uz + qx * uy - qy * ux)
    for c in range(3):
        body.spin[c] = dot(body.axes[c], px, py, pz)
    a, b, d, e = body.turn[0], body.turn[1], body.turn[2], body.turn[3]
    a, b, d, e = (
        e * qx + a * qw + b * qz - d * qy,
        e * qy + b * qw + d * qx - a * qz,
        e * qz + d * qw + a * qy - b * qx,
        e * qw - a * qx - b * qy - d * qz,
    )
    gx, gy, gz = 0.5 * body.shift_turn[0], 0.5 * body.shift_turn[1], 0.5 * body.shift_turn[2]
    if pushed:
        gx += 0.5 * step * body.push_spin[0]
        gy += 0.5 * step * body.push_spin[1]
        gz += 0.5 * step * body.push_spin[2]
    if gx != 0.0 or gy != 0.0 or gz != 0.0:
        x, y, z = _turned(gx, gy, gz, *xyz(body.spin))
        body.spin[0], body.spin[1], body.spin[2] = x, y, z
        a, b, d, e = (
            a + gx * e + gy * d - gz * b,
            b + gy * e + gz * a - gx * d,
            d + gz * e + gx * b - gy * a,
            e - gx * a - gy * b - gz * d,
        )
    set_turn(body, a, b, d, e)


@inner
def set_turn(body: R, a: float, b: float, d: float, e: float) -> None:
    """Turn a body as a quaternion says, which is made to length 1."""
    size = math.sqrt(a * a + b * b + d * d + e * e)
    body.turn[0], body.turn[1], body.turn[2], body.turn[3] = a / size, b / size, d / size, e / size


@inner
def _turned(gx: float, gy: float, gz: float, x: float, y: float, z: float) -> Three:
    """Return a vector turned by the quaternion (g, 1) made to length 1: Cayley's transform of 2 g."""
    ux, uy, uz = gy * z - gz * y, gz * x - gx * z, gx * y - gy * x
    share = 2.0 / (1.0 + gx * gx + gy * gy + gz * gz)
    return (
        x + share * (ux + gy * uz - gz * uy),
        y + share * (uy + gz * ux - gx * uz),
        z + share * (uz + gx * uy - gy * ux),
    )
