"""Contacts: the points of this step as rows of numbers, with what the solver starts from and what is kept of it."""

from __future__ import annotations

import math

from tower_sim.physics.core.arrays import (
    ACTIVE,
    BOUNCE,
    FIRST,
    FIXED,
    FRICTION,
    GRAVITY_X,
    GRAVITY_Y,
    GRAVITY_Z,
    HAIR,
    LIGHT,
    MOBILE,
    NORMAL,
    PAIR,
    POINT,
    POINTS,
    POSITION,
    RESTITUTION,
    ROWS,
    SECOND,
    SEEN,
    SHIFT,
    SPIN,
    START,
    SWERVE,
    SWIFT,
    TOUCHED,
    VELOCITY,
    T,
)
from tower_sim.physics.core.compiled import inner
from tower_sim.physics.core.cuboids import answer, ease

# A row: arms from both centres (m); the two directions of friction, principal axes of how slip answers to it; what the
# velocities along the normal and these answer to a unit impulse (1/kg); the target of the normal velocity (m/s); the
# impulses (N s); the impulse against spin (N m s) and its answer; the point's role, and when in the step (s) it touches
# if it bounces.
ARM_A, ARM_B, ALONG, ACROSS, EASE_N, EASE_1, EASE_2, TARGET, P_N, P_1, P_2, P_SPIN, EASE_SPIN, ROLE, WHEN = (
    0, 3, 6, 9, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
)  # fmt: skip
HOLDS, BOUNCES, WAITS = 0.0, 1.0, 2.0
"""The roles of a point."""
_ROUND = 1e-12


@inner
def prepare(whole: T, real: T, bodies: T, pairs: T, touches: T, meets: T, todo: T, contacts: T, step: float) -> None:
    """Lay out the contact points of the active pairs, with the impulses that they had, and let those act."""
    row = 0
    for m in range(whole[ACTIVE]):
        pair = todo[m, PAIR]
        a, b = pairs[pair, FIRST], pairs[pair, SECOND]
        todo[m, START], todo[m, SEEN] = row, -1
        for k in range(pairs[pair, POINTS]):
            _reach(bodies, meets, contacts, row, pair, k, a, b)
            _set_target(real, bodies, touches, meets, contacts, row, pair, k, a, b, step)
            _begin(bodies, touches, meets, contacts, row, pair, k, b, step)
            row += 1
    todo[whole[ACTIVE], START] = row
    for m in range(whole[ACTIVE]):
        pair = todo[m, PAIR]
        a, b = pairs[pair, FIRST], pairs[pair, SECOND]
        for row in range(todo[m, START], todo[m + 1, START]):
            p_n = contacts[row, P_N]
            if p_n > 0.0:
                act(bodies, meets, contacts, row, pair, a, b, p_n, contacts[row, P_1], contacts[row, P_2])


@inner
def _reach(bodies: T, meets: T, contacts: T, row: int, pair: int, k: int, a: int, b: int) -> None:
    """Work out a point's arms, its two directions of friction, and how velocities there answer to impulses."""
    nx, ny, nz = meets[pair, NORMAL], meets[pair, NORMAL + 1], meets[pair, NORMAL + 2]
    x, y, z = meets[pair, POINT + 4 * k], meets[pair, POINT + 4 * k + 1], meets[pair, POINT + 4 * k + 2]
    ax, ay, az = x - bodies[a, POSITION], y - bodies[a, POSITION + 1], z - bodies[a, POSITION + 2]
    bx, by, bz = x - bodies[b, POSITION], y - bodies[b, POSITION + 1], z - bodies[b, POSITION + 2]
    contacts[row, ARM_A], contacts[row, ARM_A + 1], contacts[row, ARM_A + 2] = ax, ay, az
    contacts[row, ARM_B], contacts[row, ARM_B + 1], contacts[row, ARM_B + 2] = bx, by, bz
    light = bodies[a, LIGHT] * bodies[a, MOBILE] + bodies[b, LIGHT] * bodies[b, MOBILE]
    swift_a, swift_b = bodies[a, SWIFT] * bodies[a, MOBILE], bodies[b, SWIFT] * bodies[b, MOBILE]
    # any two directions s and t across the normal, then turned to the principal axes
    if abs(nx) > 0.6:
        size = math.sqrt(nx * nx + ny * ny)
        sx, sy, sz = ny / size, -nx / size, 0.0
    else:
        size = math.sqrt(ny * ny + nz * nz)
        sx, sy, sz = 0.0, nz / size, -ny / size
    tx, ty, tz = ny * sz - nz * sy, nz * sx - nx * sz, nx * sy - ny * sx
    # of an arm r: (r x d) . (r x f) = (r . r)(d . f) - (r . d)(r . f)
    a_s, a_t, a_n = ax * sx + ay * sy + az * sz, ax * tx + ay * ty + az * tz, ax * nx + ay * ny + az * nz
    b_s, b_t, b_n = bx * sx + by * sy + bz * sz, bx * tx + by * ty + bz * tz, bx * nx + by * ny + bz * nz
    contacts[row, EASE_N] = light + swift_a * (a_s * a_s + a_t * a_t) + swift_b * (b_s * b_s + b_t * b_t)
    ss = light + swift_a * (a_t * a_t + a_n * a_n) + swift_b * (b_t * b_t + b_n * b_n)
    tt = light + swift_a * (a_s * a_s + a_n * a_n) + swift_b * (b_s * b_s + b_n * b_n)
    st = -(swift_a * a_s * a_t + swift_b * b_s * b_t)
    spin = swift_a + swift_b
    if swift_a < 0.0 or swift_b < 0.0:
        nn_a, ss_a, tt_a, st_a, spin_a = ease(bodies, a, ax, ay, az, nx, ny, nz, sx, sy, sz)
        nn_b, ss_b, tt_b, st_b, spin_b = ease(bodies, b, bx, by, bz, nx, ny, nz, sx, sy, sz)
        contacts[row, EASE_N] = nn_a + nn_b
        ss, tt, st, spin = ss_a + ss_b, tt_a + tt_b, st_a + st_b, spin_a + spin_b
    middle, half = 0.5 * (ss + tt), 0.5 * (ss - tt)
    radius = math.sqrt(half * half + st * st)
    c, s = 1.0, 0.0
    if radius > _ROUND * middle:
        # the axis of the larger answer, from whichever row of the matrix loses no digits
        if half > 0.0:
            p, q = half + radius, st
        else:
            p, q = st, radius - half
        size = math.sqrt(p * p + q * q)
        c, s = p / size, q / size
    contacts[row, ALONG], contacts[row, ACROSS] = c * sx + s * tx, c * tx - s * sx
    contacts[row, ALONG + 1], contacts[row, ACROSS + 1] = c * sy + s * ty, c * ty - s * sy
    contacts[row, ALONG + 2], contacts[row, ACROSS + 2] = c * sz + s * tz, c * tz - s * sz
    contacts[row, EASE_1], contacts[row, EASE_2] = middle + radius, middle - radius
    contacts[row, P_SPIN], contacts[row, EASE_SPIN] = 0.0, spin


@inner
def _set_target(
    real: T, bodies: T, touches: T, meets: T, contacts: T, row: int, pair: int, k: int, a: int, b: int, step: float
) -> None:
    """Say what a point does in this step: it bounces, holds what is near or pressed, or waits as one that may miss."""
    pressed = touches[pair, k, 3] != 0.0 or touches[pair, k, 4] != 0.0 or touches[pair, k, 5] != 0.0
    hold(meets, contacts, row, pair, k, step)
    bounces = bounce(real, bodies, meets, contacts, row, pair, k, a, b, step)
    if not bounces and not pressed and meets[pair, POINT + 4 * k + 3] > real[HAIR]:
        contacts[row, ROLE] = WAITS


@inner
def hold(meets: T, contacts: T, row: int, pair: int, k: int, step: float) -> None:
    """Let a point hold: the two may come to touch, and may not come nearer where they do."""
    gap = meets[pair, POINT + 4 * k + 3]
    contacts[row, ROLE] = HOLDS
    contacts[row, TARGET] = -gap / step if gap > 0.0 else 0.0


@inner
def approach(bodies: T, meets: T, contacts: T, row: int, pair: int, a: int, b: int) -> float:
    """Return the normal velocity (m/s) of row `a` against row `b` at a point: less than 0 where they come nearer."""
    x, y, z = slip(bodies, contacts, row, a, b)
    return x * meets[pair, NORMAL] + y * meets[pair, NORMAL + 1] + z * meets[pair, NORMAL + 2]


@inner
def bounce(real: T, bodies: T, meets: T, contacts: T, row: int, pair: int, k: int, a: int, b: int, step: float) -> bool:
    """Let a point bounce if it does: it will touch within the step, and was fast enough before gravity acted."""
    gap = meets[pair, POINT + 4 * k + 3]
    along = (
        real[GRAVITY_X] * meets[pair, NORMAL]
        + real[GRAVITY_Y] * meets[pair, NORMAL + 1]
        + real[GRAVITY_Z] * meets[pair, NORMAL + 2]
    )
    pull = (bodies[a, MOBILE] - bodies[b, MOBILE]) * along
    now = approach(bodies, meets, contacts, row, pair, a, b)
    before = now - step * pull
    if gap + now * step >= 0.0 or before >= -real[BOUNCE]:
        return False
    # Steps of semi-implicit Euler keep (v - g h / 2)^2 / 2 + g x, so that is what a bounce turns round, at the touch.
    when = max(gap, 0.0) / -now
    half = 0.5 * step * pull
    square = (before + half) * (before + half) - 2.0 * pull * max(gap, 0.0)
    target = bodies[b, RESTITUTION] * math.sqrt(max(square, 0.0)) + (step - when) * pull - half
    contacts[row, TARGET] = max(target, 0.0)
    contacts[row, WHEN] = when
    contacts[row, ROLE] = BOUNCES
    return True


@inner
def _begin(bodies: T, touches: T, meets: T, contacts: T, row: int, pair: int, k: int, b: int, step: float) -> None:
    """Start a point from the force that it had, drawn into the cone of friction; a bounce starts from none."""
    fx, fy, fz = touches[pair, k, 3], touches[pair, k, 4], touches[pair, k, 5]
    p_n = step * (fx * meets[pair, NORMAL] + fy * meets[pair, NORMAL + 1] + fz * meets[pair, NORMAL + 2])
    contacts[row, P_N], contacts[row, P_1], contacts[row, P_2] = 0.0, 0.0, 0.0
    if p_n <= 0.0 or contacts[row, ROLE] != HOLDS:
        return
    p_1 = step * (fx * contacts[row, ALONG] + fy * contacts[row, ALONG + 1] + fz * contacts[row, ALONG + 2])
    p_2 = step * (fx * contacts[row, ACROSS] + fy * contacts[row, ACROSS + 1] + fz * contacts[row, ACROSS + 2])
    size = math.sqrt(p_1 * p_1 + p_2 * p_2)
    most = bodies[b, FRICTION] * p_n
    if size > most:
        p_1, p_2 = p_1 * (most / size), p_2 * (most / size)
    contacts[row, P_N], contacts[row, P_1], contacts[row, P_2] = p_n, p_1, p_2


@inner
def slip(bodies: T, contacts: T, row: int, a: int, b: int) -> tuple[float, float, float]:
    """Return the velocity of row `a` against row `b` at a contact point."""
    ax, ay, az = contacts[row, ARM_A], contacts[row, ARM_A + 1], contacts[row, ARM_A + 2]
    bx, by, bz = contacts[row, ARM_B], contacts[row, ARM_B + 1], contacts[row, ARM_B + 2]
    x = bodies[a, VELOCITY] + bodies[a, SPIN + 1] * az - bodies[a, SPIN + 2] * ay
    y = bodies[a, VELOCITY + 1] + bodies[a, SPIN + 2] * ax - bodies[a, SPIN] * az
    z = bodies[a, VELOCITY + 2] + bodies[a, SPIN] * ay - bodies[a, SPIN + 1] * ax
    x -= bodies[b, VELOCITY] + bodies[b, SPIN + 1] * bz - bodies[b, SPIN + 2] * by
    y -= bodies[b, VELOCITY + 1] + bodies[b, SPIN + 2] * bx - bodies[b, SPIN] * bz
    z -= bodies[b, VELOCITY + 2] + bodies[b, SPIN] * by - bodies[b, SPIN + 1] * bx
    return x, y, z


@inner
def _impulse(
    meets: T, contacts: T, row: int, pair: int, p_n: float, p_1: float, p_2: float
) -> tuple[float, float, float]:
    """Return the impulse (N s) on the first row of a pair at a point, in the world's axes."""
    return (
        p_n * meets[pair, NORMAL] + p_1 * contacts[row, ALONG] + p_2 * contacts[row, ACROSS],
        p_n * meets[pair, NORMAL + 1] + p_1 * contacts[row, ALONG + 1] + p_2 * contacts[row, ACROSS + 1],
        p_n * meets[pair, NORMAL + 2] + p_1 * contacts[row, ALONG + 2] + p_2 * contacts[row, ACROSS + 2],
    )


@inner
def act(
    bodies: T,
    meets: T,
    contacts: T,
    row: int,
    pair: int,
    a: int,
    b: int,
    p_n: float,
    p_1: float,
    p_2: float,
) -> None:
    """Let an impulse act on both rows."""
    x, y, z = _impulse(meets, contacts, row, pair, p_n, p_1, p_2)
    if bodies[a, MOBILE] != 0.0:
        light, swift = bodies[a, LIGHT], bodies[a, SWIFT]
        bodies[a, VELOCITY] += light * x
        bodies[a, VELOCITY + 1] += light * y
        bodies[a, VELOCITY + 2] += light * z
        tx = contacts[row, ARM_A + 1] * z - contacts[row, ARM_A + 2] * y
        ty = contacts[row, ARM_A + 2] * x - contacts[row, ARM_A] * z
        tz = contacts[row, ARM_A] * y - contacts[row, ARM_A + 1] * x
        if swift < 0.0:
            answer(bodies, a, SPIN, tx, ty, tz)
        else:
            bodies[a, SPIN] += swift * tx
            bodies[a, SPIN + 1] += swift * ty
            bodies[a, SPIN + 2] += swift * tz
    if bodies[b, MOBILE] != 0.0:
        light, swift = bodies[b, LIGHT], bodies[b, SWIFT]
        bodies[b, VELOCITY] -= light * x
        bodies[b, VELOCITY + 1] -= light * y
        bodies[b, VELOCITY + 2] -= light * z
        tx = contacts[row, ARM_B + 1] * z - contacts[row, ARM_B + 2] * y
        ty = contacts[row, ARM_B + 2] * x - contacts[row, ARM_B] * z
        tz = contacts[row, ARM_B] * y - contacts[row, ARM_B + 1] * x
        if swift < 0.0:
            answer(bodies, b, SPIN, -tx, -ty, -tz)
        else:
            bodies[b, SPIN] -= swift * tx
            bodies[b, SPIN + 1] -= swift * ty
            bodies[b, SPIN + 2] -= swift * tz


@inner
def delay(whole: T, bodies: T, pairs: T, meets: T, todo: T, contacts: T) -> None:
    """Let what bounced go on as before until it touches: bodies move with their new velocities all through the step.

    Without that each would turn back before it has come, and act as if it were larger by half of its way in a step.
    A body that bounces off several does so when it touches the first: later it could have passed that.
    """
    for i in range(whole[FIXED], whole[ROWS]):
        bodies[i, TOUCHED] = 1e9
    for m in range(whole[ACTIVE]):
        pair = todo[m, PAIR]
        a, b = pairs[pair, FIRST], pairs[pair, SECOND]
        for row in range(todo[m, START], todo[m + 1, START]):
            if contacts[row, ROLE] == BOUNCES and contacts[row, P_N] > 0.0:
                bodies[a, TOUCHED] = min(bodies[a, TOUCHED], contacts[row, WHEN])
                bodies[b, TOUCHED] = min(bodies[b, TOUCHED], contacts[row, WHEN])
    for m in range(whole[ACTIVE]):
        pair = todo[m, PAIR]
        a, b = pairs[pair, FIRST], pairs[pair, SECOND]
        for row in range(todo[m, START], todo[m + 1, START]):
            if contacts[row, ROLE] != BOUNCES or contacts[row, P_N] <= 0.0:
                continue
            p_n, p_1, p_2 = contacts[row, P_N], contacts[row, P_1], contacts[row, P_2]
            x, y, z = _impulse(meets, contacts, row, pair, p_n, p_1, p_2)
            _take_off(bodies, contacts, row, a, ARM_A, -bodies[a, TOUCHED], x, y, z)
            _take_off(bodies, contacts, row, b, ARM_B, bodies[b, TOUCHED], x, y, z)


@inner
def _take_off(bodies: T, contacts: T, row: int, i: int, arm: int, when: float, x: float, y: float, z: float) -> None:
    light, swift = when * bodies[i, LIGHT] * bodies[i, MOBILE], when * bodies[i, SWIFT] * bodies[i, MOBILE]
    rx, ry, rz = contacts[row, arm], contacts[row, arm + 1], contacts[row, arm + 2]
    bodies[i, SHIFT] += light * x
    bodies[i, SHIFT + 1] += light * y
    bodies[i, SHIFT + 2] += light * z
    if bodies[i, SWIFT] * bodies[i, MOBILE] < 0.0:
        answer(bodies, i, SWERVE, when * (ry * z - rz * y), when * (rz * x - rx * z), when * (rx * y - ry * x))
    else:
        bodies[i, SWERVE] += swift * (ry * z - rz * y)
        bodies[i, SWERVE + 1] += swift * (rz * x - rx * z)
        bodies[i, SWERVE + 2] += swift * (rx * y - ry * x)


@inner
def keep(whole: T, pairs: T, touches: T, meets: T, todo: T, contacts: T, step: float) -> None:
    """Keep each point's force for the next step; that of a bounce is over."""
    for m in range(whole[ACTIVE]):
        pair = todo[m, PAIR]
        for k in range(todo[m + 1, START] - todo[m, START]):
            row = todo[m, START] + k
            share = 1.0 / step if contacts[row, ROLE] == HOLDS else 0.0
            for d in range(3):
                touches[pair, k, 3 + d] = share * (
                    contacts[row, P_N] * meets[pair, d]
                    + contacts[row, P_1] * contacts[row, ALONG + d]
                    + contacts[row, P_2] * contacts[row, ACROSS + d]
                )
