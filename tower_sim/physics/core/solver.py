r"""Solver: the impulses of one step at all contact points, with exact Coulomb friction and Newton restitution.

At each point the normal impulse p_n and the friction (p_1, p_2) answer to the velocity u of the first row against the
second there, after the impulses:

      u_n                          p_2
       ^                            |  .-'-.        sticks: u_t = 0 inside the disc of radius mu p_n
       |                            | /  o  \
       +--- u_n >= target           |(   .---->p    slides: on its rim, against the slip u_t
       |    p_n >= 0                | \     /  \
       +------------> p_n           |  `-.-'    `-> -u_t
         one of both is tight       +-----------------> p_1

The target is -e u_n(before) where the points will touch within the step and come nearer than the threshold allows
(Newton's restitution, against the speed before gravity acted: what gravity makes in a step is no impact); else -gap /
step, so that they may come to touch and not pass (speculative contact; Catto, Game Developers Conference 2013); 0
where they overlap. Points are visited in turn and each is solved as if the others held still (Gauss-Seidel over whole
points: Jean and Moreau, Contact Mechanics International Symposium 1992); a pair is visited again only when one of its
rows has changed since.
"""

from __future__ import annotations

import math

from tower_sim.compiled.marks import R, inner
from tower_sim.physics.core.arrays import Tables
from tower_sim.physics.core.contacts import WAITS, approach, bounce, delay_impacts, hold, impulse
from tower_sim.physics.core.impulses import (
    inv_masses,
    relative_velocity,
    set_velocity,
    velocity_of,
    with_angular_impulse,
    with_impulse,
)
from tower_sim.physics.core.vectors import dot, xyz

_NEWTON_STEPS = 8
_ROUNDS = 4  # of bounces that make others bounce, in one step
_NEAR = 1e-6  # of the size of friction that slides; its direction is then as near


@inner
def solve(w: Tables) -> None:
    """Visit the pairs in turn until no velocity at a contact changes by more than the tolerance.

    The clock ticks at each change; a pair that has seen the last change of both its rows is passed over.
    """
    now, settings, flags = w.whole[0], w.real[0], w.flags
    for i in range(now.fixed, now.rows):
        flags[i].changed = 0
    clock = 0
    for sweep in range(int(settings.iterations)):
        busy = False
        for place in range(now.active):
            m = place if sweep % 2 == 0 else now.active - 1 - place  # to and fro, so that neither end is favoured
            task = w.todo[m]
            a, b = flags[task.one], flags[task.other]
            if a.changed <= task.seen and b.changed <= task.seen:
                continue
            task.seen = clock
            now.visits += 1
            if _visit(w, m) > settings.tolerance:
                clock += 1
                a.changed = clock
                if w.bodies[task.other].mobile != 0.0:
                    b.changed = clock
                busy = True
        if not busy:
            break


@inner
def solve_late_impacts(w: Tables, step: float) -> None:
    """Let those points bounce that waited and are now driven home within the step, in rounds of one impact each.

    Solved with the first impacts at once, as if they had been there from the start, they would be struck harder than
    anything comes, or hold what should be thrown. What has happened before a round stays; in it all other points hold.
    """
    for turn in range(_ROUNDS):
        struck = False
        for m in range(w.whole[0].active):
            task = w.todo[m]
            task.seen = 0
            if task.has_impacts == 0:
                continue
            for k in range(w.todo[m + 1].start - task.start):
                if _is_driven_home(w, task, k, step):
                    task.seen = -1
                    struck = True
        if not struck:
            return
        for m in range(w.whole[0].active):
            task = w.todo[m]
            a, b = w.bodies[task.one], w.bodies[task.other]
            for k in range(w.todo[m + 1].start - task.start):
                point, gap = w.contacts[task.start + k], w.meets[task.pair].points[k].gap
                point.p_n, point.p_1, point.p_2, point.p_spin = 0.0, 0.0, 0.0, 0.0
                if point.role != WAITS:
                    hold(point, gap, step)
                elif _is_driven_home(w, task, k, step):
                    hold(point, gap, step)
                    if turn < _ROUNDS - 1:
                        bounce(w, point, gap, a, b, step)
        solve(w)
        delay_impacts(w)


@inner
def _is_driven_home(w: Tables, task: R, k: int, step: float) -> bool:
    """Tell whether a point waits that will touch within the step, as its two rows move now."""
    point = w.contacts[task.start + k]
    if point.role != WAITS:
        return False
    closing = approach(point, w.bodies[task.one], w.bodies[task.other]) * step
    return w.meets[task.pair].points[k].gap + closing < 0.0


@inner
def _visit(w: Tables, m: int) -> float:
    """Solve the points of one pair, each with the others held; returns the largest change of velocity (m/s).

    Friction meets the slip that the change of the normal impulse leaves: how one answers to the other is in the row.
    """
    task, patch = w.todo[m], w.real[0].patch_radius
    first, end = task.start, w.todo[m + 1].start
    a, b = w.bodies[task.one], w.bodies[task.other]
    friction = b.friction
    nx, ny, nz = xyz(w.contacts[first].facing)
    most = 0.0
    single = end - first == 1
    is_free = b.mobile != 0.0  # else it neither moves nor is moved
    inv_a, inv_b = inv_masses(a), inv_masses(b)
    u, v = velocity_of(a.velocity, a.spin), velocity_of(b.velocity, b.spin)
    for row in range(first, end):
        point = w.contacts[row]
        if point.role == WAITS:
            continue
        r, s = xyz(point.arm_a), xyz(point.arm_b)
        x, y, z = relative_velocity(u, r, v, s, is_free)
        p_n = point.p_n - (x * nx + y * ny + z * nz - point.target) * point.mass_n
        if p_n < 0.0:
            p_n = 0.0
        change = p_n - point.p_n
        if p_n == 0.0 and change == 0.0:
            continue
        slip_1, slip_2 = dot(point.along, x, y, z), dot(point.across, x, y, z)
        stick_1 = point.p_1 - (slip_1 + point.coupling_1 * change) * point.mass_1
        stick_2 = point.p_2 - (slip_2 + point.coupling_2 * change) * point.mass_2
        p_1, p_2 = _friction(stick_1, stick_2, point.inv_mass_1, point.inv_mass_2, friction * p_n)
        change_1, change_2 = p_1 - point.p_1, p_2 - point.p_2
        point.p_n, point.p_1, point.p_2 = p_n, p_1, p_2
        most = max(most, abs(change) * point.inv_mass_n)
        most = max(most, abs(change_1) * point.inv_mass_1, abs(change_2) * point.inv_mass_2)
        x, y, z = impulse(point, change, change_1, change_2)
        u = with_impulse(a, u, inv_a, r, x, y, z)
        if is_free:
            v = with_impulse(b, v, inv_b, s, -x, -y, -z)
        if single:
            # Let a contact of one point resist spin about its normal, as a small flat patch does. A disc of radius r
            # pressed evenly resists with 2/3 r times the friction. [assumed: wooden edges are that blunt]
            turning = (u[3] - v[3]) * nx + (u[4] - v[4]) * ny + (u[5] - v[5]) * nz
            bound = patch * friction * p_n / 1.5
            spin = min(max(point.p_spin - turning / point.inv_inertia_n, -bound), bound)
            change = spin - point.p_spin
            point.p_spin = spin
            most = max(most, abs(change) * point.inv_inertia_n * patch)
            u = with_angular_impulse(a, u, inv_a[1], change * nx, change * ny, change * nz)
            if is_free:
                v = with_angular_impulse(b, v, inv_b[1], -change * nx, -change * ny, -change * nz)
    set_velocity(a.velocity, a.spin, u)
    if is_free:
        set_velocity(b.velocity, b.spin, v)
    return most


@inner
def _friction(stick_1: float, stick_2: float, inv_1: float, inv_2: float, most: float) -> tuple[float, float]:
    """Return the friction, not above `most`, that stops the slip (`stick` does), or else opposes the slip that is left.

    Along the principal axes the latter is inv / (inv + y) times `stick`, whose size is `most` at one y > 0. Newton's
    method for 1 / size finds y (More and Sorensen, SIAM J. Sci. Stat. Comput. 4, 1983, 553), from where it is to second
    order in how far the two eases differ.
    """
    if most <= 0.0:
        return 0.0, 0.0
    if stick_1 * stick_1 + stick_2 * stick_2 <= most * most:
        return stick_1, stick_2
    free_1, free_2 = inv_1 * stick_1, inv_2 * stick_2
    square_1, square_2 = free_1 * free_1, free_2 * free_2
    free = square_1 + square_2
    share_1, share_2 = square_1 / free, square_2 / free
    total, differ = math.sqrt(free) / most, inv_1 - inv_2
    spread = share_1 * share_2 * (differ * differ)
    y = max(total + 1.5 * spread / total - (share_1 * inv_1 + share_2 * inv_2), 0.0)
    p_1, p_2, size = 0.0, 0.0, 1.0
    for _ in range(_NEWTON_STEPS):
        loose_1, loose_2 = 1.0 / (inv_1 + y), 1.0 / (inv_2 + y)
        p_1, p_2 = free_1 * loose_1, free_2 * loose_2
        square_1, square_2 = p_1 * p_1, p_2 * p_2
        size = math.sqrt(square_1 + square_2)
        over = size - most
        if abs(over) <= _NEAR * most:
            break
        y = max(y + over * (square_1 + square_2) / (most * (square_1 * loose_1 + square_2 * loose_2)), 0.0)
    return p_1 * (most / size), p_2 * (most / size)
