"""Contacts: the points of this step as rows of numbers, with what the solver starts from and what is kept of it."""

from __future__ import annotations

import math

from tower_sim.compiled.marks import R, T, inner
from tower_sim.physics.core.arrays import Tables
from tower_sim.physics.core.cuboids import inv_effective_masses
from tower_sim.physics.core.impulses import inv_masses, relative_velocity, set_velocity, velocity_of, with_impulse
from tower_sim.physics.core.vectors import Three, dot, xyz

HOLDS, BOUNCES, WAITS = 0.0, 1.0, 2.0
"""The roles of a point."""
_ROUND = 1e-12
_NEVER = 1 << 40  # later than any visit


@inner
def prepare(w: Tables, step: float) -> None:
    """Lay out the contact points of the active pairs, with the impulses that they had, and let those act.

    The solver does not visit a pair whose points all wait: nothing acts there.
    """
    now, todo, row = w.whole[0], w.todo, 0
    for m in range(now.active):
        task = todo[m]
        pair, a, b = task.pair, w.bodies[task.one], w.bodies[task.other]
        task.start, task.seen, task.has_impacts = row, _NEVER, 0
        meeting = w.meets[pair]
        s = _across(*xyz(meeting.normal))
        for k in range(w.pairs[pair].points):
            point, gap, force = w.contacts[row], meeting.points[k].gap, w.touches[pair].points[k].force
            _set_masses(point, meeting.normal, meeting.points[k].place, a, b, s)
            # it bounces, holds what is near or pressed, or waits as one that may miss
            hold(point, gap, step)
            pressed = force[0] != 0.0 or force[1] != 0.0 or force[2] != 0.0
            if not bounce(w, point, gap, a, b, step) and not pressed and gap > w.real[0].touching_gap:
                point.role = WAITS
            _warm_start(point, force, b.friction, step)
            if point.role != HOLDS:
                task.has_impacts = 1
            if point.role != WAITS:
                task.seen = -1
            row += 1
    todo[now.active].start = row
    for m in range(now.active):
        task = todo[m]
        a, b = w.bodies[task.one], w.bodies[task.other]
        u, v = velocity_of(a.velocity, a.spin), velocity_of(b.velocity, b.spin)
        for row in range(task.start, todo[m + 1].start):
            point = w.contacts[row]
            if point.p_n > 0.0:
                x, y, z = impulse(point, point.p_n, point.p_1, point.p_2)
                u = with_impulse(a, u, inv_masses(a), xyz(point.arm_a), x, y, z)
                v = with_impulse(b, v, inv_masses(b), xyz(point.arm_b), -x, -y, -z)
        set_velocity(a.velocity, a.spin, u)
        set_velocity(b.velocity, b.spin, v)


@inner
def _across(nx: float, ny: float, nz: float) -> Three:
    """Return a direction across a normal."""
    if abs(nx) > 0.6:
        size = math.sqrt(nx * nx + ny * ny)
        return ny / size, -nx / size, 0.0
    size = math.sqrt(ny * ny + nz * nz)
    return 0.0, nz / size, -ny / size


@inner
def _set_masses(point: R, normal: T, place: T, a: R, b: R, across: Three) -> None:
    """Work out a point's arms, its two directions of friction, and its effective masses."""
    nx, ny, nz = xyz(normal)
    sx, sy, sz = across
    for c in range(3):
        point.facing[c] = normal[c]
        point.arm_a[c], point.arm_b[c] = place[c] - a.position[c], place[c] - b.position[c]
    ax, ay, az = xyz(point.arm_a)
    bx, by, bz = xyz(point.arm_b)
    inv_mass_a, inv_inertia_a = inv_masses(a)
    inv_mass_b, inv_inertia_b = inv_masses(b)
    inv_mass = inv_mass_a + inv_mass_b
    # two directions s and t across the normal, which below are turned to the principal axes
    tx, ty, tz = ny * sz - nz * sy, nz * sx - nx * sz, nx * sy - ny * sx
    # of an arm r: (r x d) . (r x f) = (r . r)(d . f) - (r . d)(r . f)
    a_s, a_t, a_n = ax * sx + ay * sy + az * sz, ax * tx + ay * ty + az * tz, ax * nx + ay * ny + az * nz
    b_s, b_t, b_n = bx * sx + by * sy + bz * sz, bx * tx + by * ty + bz * tz, bx * nx + by * ny + bz * nz
    nn = inv_mass + inv_inertia_a * (a_s * a_s + a_t * a_t) + inv_inertia_b * (b_s * b_s + b_t * b_t)
    ss = inv_mass + inv_inertia_a * (a_t * a_t + a_n * a_n) + inv_inertia_b * (b_t * b_t + b_n * b_n)
    tt = inv_mass + inv_inertia_a * (a_s * a_s + a_n * a_n) + inv_inertia_b * (b_s * b_s + b_n * b_n)
    st = -(inv_inertia_a * a_s * a_t + inv_inertia_b * b_s * b_t)
    sn = -(inv_inertia_a * a_s * a_n + inv_inertia_b * b_s * b_n)
    tn = -(inv_inertia_a * a_t * a_n + inv_inertia_b * b_t * b_n)
    spin = inv_inertia_a + inv_inertia_b
    if inv_inertia_a < 0.0 or inv_inertia_b < 0.0:
        nn_a, ss_a, tt_a, st_a, sn_a, tn_a, spin_a = inv_effective_masses(a, ax, ay, az, nx, ny, nz, sx, sy, sz)
        nn_b, ss_b, tt_b, st_b, sn_b, tn_b, spin_b = inv_effective_masses(b, bx, by, bz, nx, ny, nz, sx, sy, sz)
        nn, ss, tt, st, spin = nn_a + nn_b, ss_a + ss_b, tt_a + tt_b, st_a + st_b, spin_a + spin_b
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
    point.along[0], point.across[0] = c * sx + s * tx, c * tx - s * sx
    point.along[1], point.across[1] = c * sy + s * ty, c * ty - s * sy
    point.along[2], point.across[2] = c * sz + s * tz, c * tz - s * sz
    point.inv_mass_n, point.inv_mass_1, point.inv_mass_2 = nn, middle + radius, middle - radius
    point.mass_n, point.mass_1, point.mass_2 = 1.0 / nn, 1.0 / (middle + radius), 1.0 / (middle - radius)
    point.coupling_1, point.coupling_2 = c * sn + s * tn, c * tn - s * sn
    point.p_spin, point.inv_inertia_n = 0.0, spin


@inner
def hold(point: R, gap: float, step: float) -> None:
    """Let a point hold: the two may come to touch, and may not come nearer where they do."""
    point.role = HOLDS
    point.target = -gap / step if gap > 0.0 else 0.0


@inner
def approach(point: R, a: R, b: R) -> float:
    """Return the normal velocity (m/s) of `a` against `b` at a point: less than 0 where they come nearer."""
    u, v = velocity_of(a.velocity, a.spin), velocity_of(b.velocity, b.spin)
    return dot(point.facing, *relative_velocity(u, xyz(point.arm_a), v, xyz(point.arm_b), True))


@inner
def bounce(w: Tables, point: R, gap: float, a: R, b: R, step: float) -> bool:
    """Let a point bounce if it does: it will touch within the step, and was fast enough before gravity acted."""
    pull = (a.mobile - b.mobile) * dot(point.facing, *xyz(w.real[0].gravity))
    now = approach(point, a, b)
    before = now - step * pull
    if gap + now * step >= 0.0 or before >= -w.real[0].restitution_speed:
        return False
    # Steps of semi-implicit Euler keep (v - g h / 2)^2 / 2 + g x, so that is what a bounce turns round, at the touch.
    when = max(gap, 0.0) / -now
    half = 0.5 * step * pull
    square = (before + half) * (before + half) - 2.0 * pull * max(gap, 0.0)
    target = b.restitution * math.sqrt(max(square, 0.0)) + (step - when) * pull - half
    point.role, point.target, point.impact_time = BOUNCES, max(target, 0.0), when
    return True


@inner
def _warm_start(point: R, force: T, friction: float, step: float) -> None:
    """Start a point from the force that it had, drawn into the cone of friction; a bounce starts from none."""
    x, y, z = xyz(force)
    p_n = step * dot(point.facing, x, y, z)
    point.p_n, point.p_1, point.p_2 = 0.0, 0.0, 0.0
    if p_n <= 0.0 or point.role != HOLDS:
        return
    p_1, p_2 = step * dot(point.along, x, y, z), step * dot(point.across, x, y, z)
    size = math.sqrt(p_1 * p_1 + p_2 * p_2)
    most = friction * p_n
    if size > most:
        p_1, p_2 = p_1 * (most / size), p_2 * (most / size)
    point.p_n, point.p_1, point.p_2 = p_n, p_1, p_2


@inner
def impulse(point: R, p_n: float, p_1: float, p_2: float) -> Three:
    """Return the impulse (N s) on the first row of a pair at a point, in the world's axes."""
    n, s, t = point.facing, point.along, point.across
    return (
        p_n * n[0] + (p_1 * s[0] + p_2 * t[0]),
        p_n * n[1] + (p_1 * s[1] + p_2 * t[1]),
        p_n * n[2] + (p_1 * s[2] + p_2 * t[2]),
    )


@inner
def delay_impacts(w: Tables) -> None:
    """Let what bounced go on as before until it touches: bodies move with their new velocities all through the step.

    Without that each would turn back before it has come, and act as if it were larger by half of its way in a step.
    A body that bounces off several does so when it touches the first: later it could have passed that.
    """
    now, todo = w.whole[0], w.todo
    for i in range(now.fixed, now.rows):
        w.bodies[i].first_impact = 1e9
    for turn in range(2):  # first when, then what
        for m in range(now.active):
            task = todo[m]
            if task.has_impacts == 0:
                continue
            a, b = w.bodies[task.one], w.bodies[task.other]
            for row in range(task.start, todo[m + 1].start):
                point = w.contacts[row]
                if point.role != BOUNCES or point.p_n <= 0.0:
                    continue
                if turn == 0:
                    a.first_impact = min(a.first_impact, point.impact_time)
                    b.first_impact = min(b.first_impact, point.impact_time)
                else:
                    x, y, z = impulse(point, point.p_n, point.p_1, point.p_2)
                    _take_off(a, point.arm_a, -a.first_impact, x, y, z)
                    _take_off(b, point.arm_b, b.first_impact, x, y, z)


@inner
def _take_off(body: R, arm: T, when: float, x: float, y: float, z: float) -> None:
    way = velocity_of(body.shift, body.shift_turn)
    way = with_impulse(body, way, inv_masses(body), xyz(arm), when * x, when * y, when * z)
    set_velocity(body.shift, body.shift_turn, way)


@inner
def keep_forces(w: Tables, step: float) -> None:
    """Keep each point's force for the next step; that of a bounce is over."""
    for m in range(w.whole[0].active):
        task = w.todo[m]
        for k in range(w.todo[m + 1].start - task.start):
            point, force = w.contacts[task.start + k], w.touches[task.pair].points[k].force
            share = 1.0 / step if point.role == HOLDS else 0.0
            for c in range(3):
                force[c] = share * (
                    point.p_n * point.facing[c] + point.p_1 * point.along[c] + point.p_2 * point.across[c]
                )
