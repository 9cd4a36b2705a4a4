"""Contacts: the points of this step as rows of numbers, with what the solver starts from and what is kept of it."""

from __future__ import annotations

import math

from tower_sim.compiled.marks import inner
from tower_sim.physics.core.arrays import (
    ACTIVE,
    FIRST_IMPACT,
    FIXED,
    FRICTION,
    GRAVITY_X,
    GRAVITY_Y,
    GRAVITY_Z,
    HAS_IMPACTS,
    INV_INERTIA,
    INV_MASS,
    MOBILE,
    NORMAL,
    ONE,
    OTHER,
    PAIR,
    POINT,
    POINTS,
    POSITION,
    RESTITUTION,
    RESTITUTION_SPEED,
    ROWS,
    SEEN,
    SHIFT,
    SHIFT_TURN,
    SPIN,
    START,
    TOUCHING_GAP,
    VELOCITY,
    T,
)
from tower_sim.physics.core.cuboids import inv_effective_masses
from tower_sim.physics.core.impulses import arm, inv_masses, relative_velocity, set_velocity, velocity_of, with_impulse

# A row: arms from both centres (m); the two directions of friction, principal axes of the inverse effective mass across
# the normal; along the normal and these the inverse effective masses (1/kg) and effective masses (kg); COUPLING, the
# velocity along each of these for a unit impulse along the normal (1/kg); the target of the normal velocity (m/s); the
# impulses (N s); the impulse against spin (N m s), and the inverse inertia about the normal (1/(kg m2)); the point's
# role, and when in the step (s) it touches if it bounces; the normal from the second body to the first.
ARM_A, ARM_B, ALONG, ACROSS = 0, 3, 6, 9
(
    INV_MASS_N, INV_MASS_1, INV_MASS_2, MASS_N, MASS_1, MASS_2, COUPLING_1, COUPLING_2, TARGET, P_N, P_1, P_2, P_SPIN,
    INV_INERTIA_N, ROLE, IMPACT_TIME, FACING,
) = range(12, 29)  # fmt: skip
HOLDS, BOUNCES, WAITS = 0.0, 1.0, 2.0
"""The roles of a point."""
_ROUND = 1e-12
_NEVER = 1 << 40  # later than any visit


@inner
def prepare(whole: T, real: T, bodies: T, pairs: T, touches: T, meets: T, todo: T, contacts: T, step: float) -> None:
    """Lay out the contact points of the active pairs, with the impulses that they had, and let those act.

    The solver does not visit a pair whose points all wait: nothing acts there.
    """
    row = 0
    for m in range(whole[ACTIVE]):
        pair, a, b = todo[m, PAIR], todo[m, ONE], todo[m, OTHER]
        todo[m, START], todo[m, SEEN], todo[m, HAS_IMPACTS] = row, _NEVER, 0
        sx, sy, sz = _across(meets[pair, NORMAL], meets[pair, NORMAL + 1], meets[pair, NORMAL + 2])
        for k in range(pairs[pair, POINTS]):
            _set_masses(bodies, meets, contacts, row, pair, k, a, b, sx, sy, sz)
            _set_target(real, bodies, touches, meets, contacts, row, pair, k, a, b, step)
            _warm_start(bodies, touches, contacts, row, pair, k, b, step)
            if contacts[row, ROLE] != HOLDS:
                todo[m, HAS_IMPACTS] = 1
            if contacts[row, ROLE] != WAITS:
                todo[m, SEEN] = -1
            row += 1
    todo[whole[ACTIVE], START] = row
    for m in range(whole[ACTIVE]):
        a, b = todo[m, ONE], todo[m, OTHER]
        v, w = velocity_of(bodies, a, VELOCITY, SPIN), velocity_of(bodies, b, VELOCITY, SPIN)
        for row in range(todo[m, START], todo[m + 1, START]):
            if contacts[row, P_N] > 0.0:
                x, y, z = impulse(contacts, row, contacts[row, P_N], contacts[row, P_1], contacts[row, P_2])
                v = with_impulse(bodies, a, v, inv_masses(bodies, a), arm(contacts, row, ARM_A), x, y, z)
                w = with_impulse(bodies, b, w, inv_masses(bodies, b), arm(contacts, row, ARM_B), -x, -y, -z)
        set_velocity(bodies, a, VELOCITY, SPIN, v)
        set_velocity(bodies, b, VELOCITY, SPIN, w)


@inner
def _across(nx: float, ny: float, nz: float) -> tuple[float, float, float]:
    """Return a direction across a normal."""
    if abs(nx) > 0.6:
        size = math.sqrt(nx * nx + ny * ny)
        return ny / size, -nx / size, 0.0
    size = math.sqrt(ny * ny + nz * nz)
    return 0.0, nz / size, -ny / size


@inner
def _set_masses(
    bodies: T, meets: T, contacts: T, row: int, pair: int, k: int, a: int, b: int, sx: float, sy: float, sz: float
) -> None:
    """Work out a point's arms, its two directions of friction, and its effective masses."""
    nx, ny, nz = meets[pair, NORMAL], meets[pair, NORMAL + 1], meets[pair, NORMAL + 2]
    x, y, z = meets[pair, POINT + 4 * k], meets[pair, POINT + 4 * k + 1], meets[pair, POINT + 4 * k + 2]
    ax, ay, az = x - bodies[a, POSITION], y - bodies[a, POSITION + 1], z - bodies[a, POSITION + 2]
    bx, by, bz = x - bodies[b, POSITION], y - bodies[b, POSITION + 1], z - bodies[b, POSITION + 2]
    contacts[row, FACING], contacts[row, FACING + 1], contacts[row, FACING + 2] = nx, ny, nz
    contacts[row, ARM_A], contacts[row, ARM_A + 1], contacts[row, ARM_A + 2] = ax, ay, az
    contacts[row, ARM_B], contacts[row, ARM_B + 1], contacts[row, ARM_B + 2] = bx, by, bz
    inv_mass = bodies[a, INV_MASS] * bodies[a, MOBILE] + bodies[b, INV_MASS] * bodies[b, MOBILE]
    inv_inertia_a, inv_inertia_b = (
        bodies[a, INV_INERTIA] * bodies[a, MOBILE],
        bodies[b, INV_INERTIA] * bodies[b, MOBILE],
    )
    # two directions s and t across the normal, which below are turned to the principal axes
    tx, ty, tz = ny * sz - nz * sy, nz * sx - nx * sz, nx * sy - ny * sx
    # of an arm r: (r x d) . (r x f) = (r . r)(d . f) - (r . d)(r . f)
    a_s, a_t, a_n = ax * sx + ay * sy + az * sz, ax * tx + ay * ty + az * tz, ax * nx + ay * ny + az * nz
    b_s, b_t, b_n = bx * sx + by * sy + bz * sz, bx * tx + by * ty + bz * tz, bx * nx + by * ny + bz * nz
    contacts[row, INV_MASS_N] = (
        inv_mass + inv_inertia_a * (a_s * a_s + a_t * a_t) + inv_inertia_b * (b_s * b_s + b_t * b_t)
    )
    ss = inv_mass + inv_inertia_a * (a_t * a_t + a_n * a_n) + inv_inertia_b * (b_t * b_t + b_n * b_n)
    tt = inv_mass + inv_inertia_a * (a_s * a_s + a_n * a_n) + inv_inertia_b * (b_s * b_s + b_n * b_n)
    st = -(inv_inertia_a * a_s * a_t + inv_inertia_b * b_s * b_t)
    sn, tn = (
        -(inv_inertia_a * a_s * a_n + inv_inertia_b * b_s * b_n),
        -(inv_inertia_a * a_t * a_n + inv_inertia_b * b_t * b_n),
    )
    spin = inv_inertia_a + inv_inertia_b
    if inv_inertia_a < 0.0 or inv_inertia_b < 0.0:
        nn_a, ss_a, tt_a, st_a, sn_a, tn_a, spin_a = inv_effective_masses(bodies, a, ax, ay, az, nx, ny, nz, sx, sy, sz)
        nn_b, ss_b, tt_b, st_b, sn_b, tn_b, spin_b = inv_effective_masses(bodies, b, bx, by, bz, nx, ny, nz, sx, sy, sz)
        contacts[row, INV_MASS_N] = nn_a + nn_b
        ss, tt, st, spin = ss_a + ss_b, tt_a + tt_b, st_a + st_b, spin_a + spin_b
        sn, tn = sn_a + sn_b, tn_a + tn_b
    middle, half = 0.5 * (ss + tt), 0.5 * (ss - tt)
    radius = math.sqrt(half * half + st * st)
    c, s = 1.0, 0.0
    if radius > _ROUND * middle:
        # the axis of the larger inverse mass, from whichever row of the matrix loses no digits
        if half > 0.0:
            p, q = half + radius, st
        else:
            p, q = st, radius - half
        size = math.sqrt(p * p + q * q)
        c, s = p / size, q / size
    contacts[row, ALONG], contacts[row, ACROSS] = c * sx + s * tx, c * tx - s * sx
    contacts[row, ALONG + 1], contacts[row, ACROSS + 1] = c * sy + s * ty, c * ty - s * sy
    contacts[row, ALONG + 2], contacts[row, ACROSS + 2] = c * sz + s * tz, c * tz - s * sz
    contacts[row, INV_MASS_1], contacts[row, INV_MASS_2] = middle + radius, middle - radius
    contacts[row, MASS_N] = 1.0 / contacts[row, INV_MASS_N]
    contacts[row, MASS_1], contacts[row, MASS_2] = 1.0 / contacts[row, INV_MASS_1], 1.0 / contacts[row, INV_MASS_2]
    contacts[row, COUPLING_1], contacts[row, COUPLING_2] = c * sn + s * tn, c * tn - s * sn
    contacts[row, P_SPIN], contacts[row, INV_INERTIA_N] = 0.0, spin


@inner
def _set_target(
    real: T, bodies: T, touches: T, meets: T, contacts: T, row: int, pair: int, k: int, a: int, b: int, step: float
) -> None:
    """Say what a point does in this step: it bounces, holds what is near or pressed, or waits as one that may miss."""
    pressed = touches[pair, k, 3] != 0.0 or touches[pair, k, 4] != 0.0 or touches[pair, k, 5] != 0.0
    hold(meets, contacts, row, pair, k, step)
    bounces = bounce(real, bodies, meets, contacts, row, pair, k, a, b, step)
    if not bounces and not pressed and meets[pair, POINT + 4 * k + 3] > real[TOUCHING_GAP]:
        contacts[row, ROLE] = WAITS


@inner
def hold(meets: T, contacts: T, row: int, pair: int, k: int, step: float) -> None:
    """Let a point hold: the two may come to touch, and may not come nearer where they do."""
    gap = meets[pair, POINT + 4 * k + 3]
    contacts[row, ROLE] = HOLDS
    contacts[row, TARGET] = -gap / step if gap > 0.0 else 0.0


@inner
def approach(bodies: T, contacts: T, row: int, a: int, b: int) -> float:
    """Return the normal velocity (m/s) of row `a` against row `b` at a point: less than 0 where they come nearer."""
    x, y, z = slip(bodies, contacts, row, a, b)
    return x * contacts[row, FACING] + y * contacts[row, FACING + 1] + z * contacts[row, FACING + 2]


@inner
def bounce(real: T, bodies: T, meets: T, contacts: T, row: int, pair: int, k: int, a: int, b: int, step: float) -> bool:
    """Let a point bounce if it does: it will touch within the step, and was fast enough before gravity acted."""
    gap = meets[pair, POINT + 4 * k + 3]
    along = (
        real[GRAVITY_X] * contacts[row, FACING]
        + real[GRAVITY_Y] * contacts[row, FACING + 1]
        + real[GRAVITY_Z] * contacts[row, FACING + 2]
    )
    pull = (bodies[a, MOBILE] - bodies[b, MOBILE]) * along
    now = approach(bodies, contacts, row, a, b)
    before = now - step * pull
    if gap + now * step >= 0.0 or before >= -real[RESTITUTION_SPEED]:
        return False
    # Steps of semi-implicit Euler keep (v - g h / 2)^2 / 2 + g x, so that is what a bounce turns round, at the touch.
    when = max(gap, 0.0) / -now
    half = 0.5 * step * pull
    square = (before + half) * (before + half) - 2.0 * pull * max(gap, 0.0)
    target = bodies[b, RESTITUTION] * math.sqrt(max(square, 0.0)) + (step - when) * pull - half
    contacts[row, TARGET] = max(target, 0.0)
    contacts[row, IMPACT_TIME] = when
    contacts[row, ROLE] = BOUNCES
    return True


@inner
def _warm_start(bodies: T, touches: T, contacts: T, row: int, pair: int, k: int, b: int, step: float) -> None:
    """Start a point from the force that it had, drawn into the cone of friction; a bounce starts from none."""
    fx, fy, fz = touches[pair, k, 3], touches[pair, k, 4], touches[pair, k, 5]
    p_n = step * (fx * contacts[row, FACING] + fy * contacts[row, FACING + 1] + fz * contacts[row, FACING + 2])
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
    v, w = velocity_of(bodies, a, VELOCITY, SPIN), velocity_of(bodies, b, VELOCITY, SPIN)
    return relative_velocity(v, arm(contacts, row, ARM_A), w, arm(contacts, row, ARM_B))


@inner
def impulse(contacts: T, row: int, p_n: float, p_1: float, p_2: float) -> tuple[float, float, float]:
    """Return the impulse (N s) on the first row of a pair at a point, in the world's axes."""
    return (
        p_n * contacts[row, FACING] + (p_1 * contacts[row, ALONG] + p_2 * contacts[row, ACROSS]),
        p_n * contacts[row, FACING + 1] + (p_1 * contacts[row, ALONG + 1] + p_2 * contacts[row, ACROSS + 1]),
        p_n * contacts[row, FACING + 2] + (p_1 * contacts[row, ALONG + 2] + p_2 * contacts[row, ACROSS + 2]),
    )


@inner
def delay_impacts(whole: T, bodies: T, todo: T, contacts: T) -> None:
    """Let what bounced go on as before until it touches: bodies move with their new velocities all through the step.

    Without that each would turn back before it has come, and act as if it were larger by half of its way in a step.
    A body that bounces off several does so when it touches the first: later it could have passed that.
    """
    for i in range(whole[FIXED], whole[ROWS]):
        bodies[i, FIRST_IMPACT] = 1e9
    for m in range(whole[ACTIVE]):
        if todo[m, HAS_IMPACTS] == 0:
            continue
        a, b = todo[m, ONE], todo[m, OTHER]
        for row in range(todo[m, START], todo[m + 1, START]):
            if contacts[row, ROLE] == BOUNCES and contacts[row, P_N] > 0.0:
                bodies[a, FIRST_IMPACT] = min(bodies[a, FIRST_IMPACT], contacts[row, IMPACT_TIME])
                bodies[b, FIRST_IMPACT] = min(bodies[b, FIRST_IMPACT], contacts[row, IMPACT_TIME])
    for m in range(whole[ACTIVE]):
        if todo[m, HAS_IMPACTS] == 0:
            continue
        a, b = todo[m, ONE], todo[m, OTHER]
        for row in range(todo[m, START], todo[m + 1, START]):
            if contacts[row, ROLE] != BOUNCES or contacts[row, P_N] <= 0.0:
                continue
            x, y, z = impulse(contacts, row, contacts[row, P_N], contacts[row, P_1], contacts[row, P_2])
            _take_off(bodies, contacts, row, a, ARM_A, -bodies[a, FIRST_IMPACT], x, y, z)
            _take_off(bodies, contacts, row, b, ARM_B, bodies[b, FIRST_IMPACT], x, y, z)


@inner
def _take_off(bodies: T, contacts: T, row: int, i: int, c: int, when: float, x: float, y: float, z: float) -> None:
    way = velocity_of(bodies, i, SHIFT, SHIFT_TURN)
    way = with_impulse(bodies, i, way, inv_masses(bodies, i), arm(contacts, row, c), when * x, when * y, when * z)
    set_velocity(bodies, i, SHIFT, SHIFT_TURN, way)


@inner
def keep_forces(whole: T, touches: T, todo: T, contacts: T, step: float) -> None:
    """Keep each point's force for the next step; that of a bounce is over."""
    for m in range(whole[ACTIVE]):
        pair = todo[m, PAIR]
        for k in range(todo[m + 1, START] - todo[m, START]):
            row = todo[m, START] + k
            share = 1.0 / step if contacts[row, ROLE] == HOLDS else 0.0
            for d in range(3):
                touches[pair, k, 3 + d] = share * (
                    contacts[row, P_N] * contacts[row, FACING + d]
                    + contacts[row, P_1] * contacts[row, ALONG + d]
                    + contacts[row, P_2] * contacts[row, ACROSS + d]
                )
