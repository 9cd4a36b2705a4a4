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

from tower_sim.compiled.marks import inner
from tower_sim.physics.core.arrays import (
    ACTIVE,
    CHANGED,
    FIXED,
    FRICTION,
    HAS_IMPACTS,
    ITERATIONS,
    MOBILE,
    ONE,
    OTHER,
    PAIR,
    PATCH_RADIUS,
    POINT,
    ROWS,
    SEEN,
    SPIN,
    START,
    TOLERANCE,
    VELOCITY,
    VISITS,
    T,
)
from tower_sim.physics.core.contacts import (
    ACROSS,
    ALONG,
    ARM_A,
    ARM_B,
    COUPLING_1,
    COUPLING_2,
    FACING,
    INV_INERTIA_N,
    INV_MASS_1,
    INV_MASS_2,
    INV_MASS_N,
    MASS_1,
    MASS_2,
    MASS_N,
    P_1,
    P_2,
    P_N,
    P_SPIN,
    ROLE,
    TARGET,
    WAITS,
    approach,
    bounce,
    delay_impacts,
    hold,
    impulse,
)
from tower_sim.physics.core.impulses import (
    arm,
    inv_masses,
    relative_velocity,
    set_velocity,
    velocity_at,
    velocity_of,
    with_angular_impulse,
    with_impulse,
)

_NEWTON_STEPS = 8
_ROUNDS = 4  # of bounces that make others bounce, in one step
_NEAR = 1e-6  # of the size of friction that slides; its direction is then as near


@inner
def solve(whole: T, real: T, bodies: T, flags: T, todo: T, contacts: T) -> None:
    """Visit the pairs in turn until no velocity at a contact changes by more than the tolerance.

    The clock ticks at each change; a pair that has seen the last change of both its rows is passed over.
    """
    for i in range(whole[FIXED], whole[ROWS]):
        flags[i, CHANGED] = 0
    clock = 0
    for sweep in range(int(real[ITERATIONS])):
        busy = False
        for place in range(whole[ACTIVE]):
            m = place if sweep % 2 == 0 else whole[ACTIVE] - 1 - place  # to and fro, so that neither end is favoured
            a, b = todo[m, ONE], todo[m, OTHER]
            if flags[a, CHANGED] <= todo[m, SEEN] and flags[b, CHANGED] <= todo[m, SEEN]:
                continue
            todo[m, SEEN] = clock
            whole[VISITS] += 1
            if _visit(real, bodies, todo, contacts, m, a, b) > real[TOLERANCE]:
                clock += 1
                flags[a, CHANGED] = clock
                if bodies[b, MOBILE] != 0.0:
                    flags[b, CHANGED] = clock
                busy = True
        if not busy:
            break


@inner
def solve_late_impacts(whole: T, real: T, bodies: T, flags: T, meets: T, todo: T, contacts: T, step: float) -> None:
    """Let those points bounce that waited and are now driven home within the step, in rounds of one impact each.

    Solved with the first impacts at once, as if they had been there from the start, they would be struck harder than
    anything comes, or hold what should be thrown. What has happened before a round stays; in it all other points hold.
    """
    for turn in range(_ROUNDS):
        struck = False
        for m in range(whole[ACTIVE]):
            pair, a, b = todo[m, PAIR], todo[m, ONE], todo[m, OTHER]
            todo[m, SEEN] = 0
            if todo[m, HAS_IMPACTS] == 0:
                continue
            for row in range(todo[m, START], todo[m + 1, START]):
                if contacts[row, ROLE] == WAITS and _will_touch(
                    bodies, meets, todo, contacts, m, row, pair, a, b, step
                ):
                    todo[m, SEEN] = -1
                    struck = True
        if not struck:
            return
        for m in range(whole[ACTIVE]):
            pair, a, b = todo[m, PAIR], todo[m, ONE], todo[m, OTHER]
            for k in range(todo[m + 1, START] - todo[m, START]):
                row = todo[m, START] + k
                contacts[row, P_N], contacts[row, P_1], contacts[row, P_2], contacts[row, P_SPIN] = 0.0, 0.0, 0.0, 0.0
                if contacts[row, ROLE] != WAITS:
                    hold(meets, contacts, row, pair, k, step)
                elif _will_touch(bodies, meets, todo, contacts, m, row, pair, a, b, step):
                    hold(meets, contacts, row, pair, k, step)
                    if turn < _ROUNDS - 1:
                        bounce(real, bodies, meets, contacts, row, pair, k, a, b, step)
        solve(whole, real, bodies, flags, todo, contacts)
        delay_impacts(whole, bodies, todo, contacts)


@inner
def _will_touch(
    bodies: T, meets: T, todo: T, contacts: T, m: int, row: int, pair: int, a: int, b: int, step: float
) -> bool:
    """Tell whether a point will touch within the step, as its two rows move now."""
    gap = meets[pair, POINT + 4 * (row - todo[m, START]) + 3]
    return gap + approach(bodies, contacts, row, a, b) * step < 0.0


@inner
def _visit(real: T, bodies: T, todo: T, contacts: T, m: int, a: int, b: int) -> float:
    """Solve the points of one pair, each with the others held; returns the largest change of velocity (m/s).

    Friction meets the slip that the change of the normal impulse leaves: how one answers to the other is in the row.
    """
    friction = bodies[b, FRICTION]
    first, end = todo[m, START], todo[m + 1, START]
    nx, ny, nz = arm(contacts, first, FACING)
    most = 0.0
    single = end - first == 1
    is_free = bodies[b, MOBILE] != 0.0  # else it neither moves nor is moved
    inv_a, inv_b = inv_masses(bodies, a), inv_masses(bodies, b)
    v, w = velocity_of(bodies, a, VELOCITY, SPIN), velocity_of(bodies, b, VELOCITY, SPIN)
    for row in range(first, end):
        if contacts[row, ROLE] == WAITS:
            continue
        r, s = arm(contacts, row, ARM_A), arm(contacts, row, ARM_B)
        x, y, z = relative_velocity(v, r, w, s) if is_free else velocity_at(v, r)
        p_n = contacts[row, P_N] - (x * nx + y * ny + z * nz - contacts[row, TARGET]) * contacts[row, MASS_N]
        if p_n < 0.0:
            p_n = 0.0
        change = p_n - contacts[row, P_N]
        if p_n == 0.0 and change == 0.0:
            continue
        u_1 = x * contacts[row, ALONG] + y * contacts[row, ALONG + 1] + z * contacts[row, ALONG + 2]
        u_2 = x * contacts[row, ACROSS] + y * contacts[row, ACROSS + 1] + z * contacts[row, ACROSS + 2]
        p_1, p_2 = _friction(
            contacts[row, P_1] - (u_1 + contacts[row, COUPLING_1] * change) * contacts[row, MASS_1],
            contacts[row, P_2] - (u_2 + contacts[row, COUPLING_2] * change) * contacts[row, MASS_2],
            contacts[row, INV_MASS_1],
            contacts[row, INV_MASS_2],
            friction * p_n,
        )
        change_1, change_2 = p_1 - contacts[row, P_1], p_2 - contacts[row, P_2]
        contacts[row, P_N], contacts[row, P_1], contacts[row, P_2] = p_n, p_1, p_2
        most = max(
            most,
            abs(change) * contacts[row, INV_MASS_N],
            abs(change_1) * contacts[row, INV_MASS_1],
            abs(change_2) * contacts[row, INV_MASS_2],
        )
        x, y, z = impulse(contacts, row, change, change_1, change_2)
        v = with_impulse(bodies, a, v, inv_a, r, x, y, z)
        if is_free:
            w = with_impulse(bodies, b, w, inv_b, s, -x, -y, -z)
        if single:
            # Let a contact of one point resist spin about its normal, as a small flat patch does. A disc of radius r
            # pressed evenly resists with 2/3 r times the friction. [assumed: wooden edges are that blunt]
            turning = (v[3] - w[3]) * nx + (v[4] - w[4]) * ny + (v[5] - w[5]) * nz
            bound = real[PATCH_RADIUS] * friction * p_n / 1.5
            spin = contacts[row, P_SPIN] - turning / contacts[row, INV_INERTIA_N]
            spin = min(max(spin, -bound), bound)
            change = spin - contacts[row, P_SPIN]
            contacts[row, P_SPIN] = spin
            most = max(most, abs(change) * contacts[row, INV_INERTIA_N] * real[PATCH_RADIUS])
            v = with_angular_impulse(bodies, a, v, inv_a[1], change * nx, change * ny, change * nz)
            if is_free:
                w = with_angular_impulse(bodies, b, w, inv_b[1], -change * nx, -change * ny, -change * nz)
    set_velocity(bodies, a, VELOCITY, SPIN, v)
    if is_free:
        set_velocity(bodies, b, VELOCITY, SPIN, w)
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
