"""Position correction: what overlaps is pushed apart, by velocities that move bodies and are then forgotten.

Overlap over the slop is corrected at the speed overlap / relaxation, so that it adds no energy that would not vanish
with the step (split impulses; Catto, Game Developers Conference 2006).
"""

from __future__ import annotations

from tower_sim.compiled.marks import inner
from tower_sim.physics.core.arrays import (
    ACTIVE,
    CHANGED,
    CORRECTIONS,
    FIXED,
    MOBILE,
    ONE,
    OTHER,
    PAIR,
    POINT,
    PUSH,
    PUSH_SPIN,
    RELAXATION_TIME,
    ROWS,
    SEEN,
    SLOP,
    START,
    T,
)
from tower_sim.physics.core.contacts import ARM_A, ARM_B, FACING, INV_MASS_N, P_N, TARGET
from tower_sim.physics.core.impulses import (
    arm,
    inv_masses,
    relative_velocity,
    set_velocity,
    velocity_at,
    velocity_of,
    with_impulse,
)

_ENOUGH = 0.01  # of the fastest push: the correction need not be exact


@inner
def push_apart(whole: T, real: T, bodies: T, flags: T, meets: T, todo: T, contacts: T) -> bool:
    """Work out a push that parts what overlaps by more than the slop; tells whether there is any.

    Pairs that do not overlap so far are passed over until one of them was pushed.
    """
    deepest = 0.0
    for m in range(whole[ACTIVE]):
        todo[m, SEEN] = 0
        for k in range(todo[m + 1, START] - todo[m, START]):
            row = todo[m, START] + k
            over = -meets[todo[m, PAIR], POINT + 4 * k + 3] - real[SLOP]
            contacts[row, P_N] = 0.0
            contacts[row, TARGET] = over / real[RELAXATION_TIME]
            if over > 0.0:
                todo[m, SEEN] = 1
                deepest = max(deepest, over)
    if deepest <= 0.0:
        return False
    for i in range(whole[FIXED], whole[ROWS]):
        flags[i, CHANGED] = 0
        for d in range(3):
            bodies[i, PUSH + d] = 0.0
            bodies[i, PUSH_SPIN + d] = 0.0
    enough = _ENOUGH * deepest / real[RELAXATION_TIME]
    for _ in range(int(real[CORRECTIONS])):
        most = 0.0
        for m in range(whole[ACTIVE]):
            a, b = todo[m, ONE], todo[m, OTHER]
            if todo[m, SEEN] == 0 and flags[a, CHANGED] == 0 and flags[b, CHANGED] == 0:
                continue
            change = _push(bodies, todo, contacts, m, a, b)
            if change > 0.0:
                flags[a, CHANGED] = 1
                if bodies[b, MOBILE] != 0.0:
                    flags[b, CHANGED] = 1
            most = max(most, change)
        if most <= enough:
            break
    return True


@inner
def _push(bodies: T, todo: T, contacts: T, m: int, a: int, b: int) -> float:
    """Part the two rows of a pair by their normal impulses alone; returns the largest change of speed (m/s)."""
    most = 0.0
    nx, ny, nz = arm(contacts, todo[m, START], FACING)
    is_free = bodies[b, MOBILE] != 0.0
    inv_a, inv_b = inv_masses(bodies, a), inv_masses(bodies, b)
    v, w = velocity_of(bodies, a, PUSH, PUSH_SPIN), velocity_of(bodies, b, PUSH, PUSH_SPIN)
    for row in range(todo[m, START], todo[m + 1, START]):
        r, s = arm(contacts, row, ARM_A), arm(contacts, row, ARM_B)
        x, y, z = relative_velocity(v, r, w, s) if is_free else velocity_at(v, r)
        p_n = contacts[row, P_N] - (x * nx + y * ny + z * nz - contacts[row, TARGET]) / contacts[row, INV_MASS_N]
        if p_n < 0.0:
            p_n = 0.0
        change = p_n - contacts[row, P_N]
        if change == 0.0:
            continue
        contacts[row, P_N] = p_n
        most = max(most, abs(change) * contacts[row, INV_MASS_N])
        x, y, z = change * nx, change * ny, change * nz
        v = with_impulse(bodies, a, v, inv_a, r, x, y, z)
        if is_free:
            w = with_impulse(bodies, b, w, inv_b, s, -x, -y, -z)
    set_velocity(bodies, a, PUSH, PUSH_SPIN, v)
    if is_free:
        set_velocity(bodies, b, PUSH, PUSH_SPIN, w)
    return most
