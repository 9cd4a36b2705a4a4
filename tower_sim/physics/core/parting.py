"""Parting: what overlaps is pushed apart beside the bounce, by velocities that move bodies and are then forgotten.

Overlap over the slop is corrected at the speed overlap / relaxation, so that it adds no energy that would not vanish
with the step (split impulses; Catto, Game Developers Conference 2006).
"""

from __future__ import annotations

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
    RELAXATION,
    ROWS,
    SEEN,
    SLOP,
    START,
    TWIST,
    T,
)
from tower_sim.physics.core.compiled import inner
from tower_sim.physics.core.contacts import ARM_A, ARM_B, EASE_N, P_N, TARGET
from tower_sim.physics.core.impulses import apart, arm, lightness, put, struck, taken

_ENOUGH = 0.01  # of the fastest push: the correction need not be exact


@inner
def part(whole: T, real: T, bodies: T, flags: T, meets: T, todo: T, contacts: T) -> bool:
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
            contacts[row, TARGET] = over / real[RELAXATION]
            if over > 0.0:
                todo[m, SEEN] = 1
                deepest = max(deepest, over)
    if deepest <= 0.0:
        return False
    for i in range(whole[FIXED], whole[ROWS]):
        flags[i, CHANGED] = 0
        for d in range(3):
            bodies[i, PUSH + d] = 0.0
            bodies[i, TWIST + d] = 0.0
    enough = _ENOUGH * deepest / real[RELAXATION]
    for _ in range(int(real[CORRECTIONS])):
        most = 0.0
        for m in range(whole[ACTIVE]):
            a, b = todo[m, ONE], todo[m, OTHER]
            if todo[m, SEEN] == 0 and flags[a, CHANGED] == 0 and flags[b, CHANGED] == 0:
                continue
            change = _push(bodies, meets, todo, contacts, m, todo[m, PAIR], a, b)
            if change > 0.0:
                flags[a, CHANGED] = 1
                if bodies[b, MOBILE] != 0.0:
                    flags[b, CHANGED] = 1
            most = max(most, change)
        if most <= enough:
            break
    return True


@inner
def _push(bodies: T, meets: T, todo: T, contacts: T, m: int, pair: int, a: int, b: int) -> float:
    """Part the two rows of a pair by their normal impulses alone; returns the largest change of speed (m/s)."""
    most = 0.0
    nx, ny, nz = meets[pair, 0], meets[pair, 1], meets[pair, 2]
    ease_a, ease_b = lightness(bodies, a), lightness(bodies, b)
    v, w = taken(bodies, a, PUSH, TWIST), taken(bodies, b, PUSH, TWIST)
    for row in range(todo[m, START], todo[m + 1, START]):
        r, s = arm(contacts, row, ARM_A), arm(contacts, row, ARM_B)
        x, y, z = apart(v, r, w, s)
        p_n = contacts[row, P_N] - (x * nx + y * ny + z * nz - contacts[row, TARGET]) / contacts[row, EASE_N]
        if p_n < 0.0:
            p_n = 0.0
        change = p_n - contacts[row, P_N]
        if change == 0.0:
            continue
        contacts[row, P_N] = p_n
        most = max(most, abs(change) * contacts[row, EASE_N])
        x, y, z = change * nx, change * ny, change * nz
        v = struck(bodies, a, v, ease_a, r, x, y, z)
        w = struck(bodies, b, w, ease_b, s, -x, -y, -z)
    put(bodies, a, PUSH, TWIST, v)
    put(bodies, b, PUSH, TWIST, w)
    return most
