"""Parting: what overlaps is pushed apart beside the bounce, by velocities that move bodies and are then forgotten.

Overlap over the slop is corrected at the speed overlap / relaxation, so that it adds no energy that would not vanish
with the step (split impulses; Catto, Game Developers Conference 2006).
"""

from __future__ import annotations

from tower_sim.physics.core.arrays import (
    ACTIVE,
    CORRECTIONS,
    FIRST,
    FIXED,
    LIGHT,
    MOBILE,
    PAIR,
    POINT,
    PUSH,
    RELAXATION,
    ROWS,
    SECOND,
    SLOP,
    START,
    SWIFT,
    TWIST,
    T,
)
from tower_sim.physics.core.compiled import inner
from tower_sim.physics.core.contacts import ARM_A, ARM_B, EASE_N, P_N, TARGET
from tower_sim.physics.core.cuboids import answer

_ENOUGH = 0.01  # of the fastest push: the correction need not be exact


@inner
def part(whole: T, real: T, bodies: T, pairs: T, meets: T, todo: T, contacts: T) -> bool:
    """Work out a push that parts what overlaps by more than the slop; tells whether there is any."""
    deepest = 0.0
    for m in range(whole[ACTIVE]):
        for k in range(todo[m + 1, START] - todo[m, START]):
            row = todo[m, START] + k
            over = -meets[todo[m, PAIR], POINT + 4 * k + 3] - real[SLOP]
            contacts[row, P_N] = 0.0
            contacts[row, TARGET] = over / real[RELAXATION]
            deepest = max(deepest, over)
    if deepest <= 0.0:
        return False
    for i in range(whole[FIXED], whole[ROWS]):
        for d in range(3):
            bodies[i, PUSH + d] = 0.0
            bodies[i, TWIST + d] = 0.0
    enough = _ENOUGH * deepest / real[RELAXATION]
    for _ in range(int(real[CORRECTIONS])):
        most = 0.0
        for m in range(whole[ACTIVE]):
            pair = todo[m, PAIR]
            most = max(most, _push(bodies, meets, todo, contacts, m, pair, pairs[pair, FIRST], pairs[pair, SECOND]))
        if most <= enough:
            break
    return True


@inner
def _push(bodies: T, meets: T, todo: T, contacts: T, m: int, pair: int, a: int, b: int) -> float:
    """Part the two rows of a pair by their normal impulses alone; returns the largest change of speed (m/s)."""
    most = 0.0
    nx, ny, nz = meets[pair, 0], meets[pair, 1], meets[pair, 2]
    light_a, light_b = bodies[a, LIGHT] * bodies[a, MOBILE], bodies[b, LIGHT] * bodies[b, MOBILE]
    swift_a, swift_b = bodies[a, SWIFT] * bodies[a, MOBILE], bodies[b, SWIFT] * bodies[b, MOBILE]
    for row in range(todo[m, START], todo[m + 1, START]):
        ax, ay, az = contacts[row, ARM_A], contacts[row, ARM_A + 1], contacts[row, ARM_A + 2]
        bx, by, bz = contacts[row, ARM_B], contacts[row, ARM_B + 1], contacts[row, ARM_B + 2]
        ux = bodies[a, PUSH] + bodies[a, TWIST + 1] * az - bodies[a, TWIST + 2] * ay
        uy = bodies[a, PUSH + 1] + bodies[a, TWIST + 2] * ax - bodies[a, TWIST] * az
        uz = bodies[a, PUSH + 2] + bodies[a, TWIST] * ay - bodies[a, TWIST + 1] * ax
        ux -= bodies[b, PUSH] + bodies[b, TWIST + 1] * bz - bodies[b, TWIST + 2] * by
        uy -= bodies[b, PUSH + 1] + bodies[b, TWIST + 2] * bx - bodies[b, TWIST] * bz
        uz -= bodies[b, PUSH + 2] + bodies[b, TWIST] * by - bodies[b, TWIST + 1] * bx
        p_n = contacts[row, P_N] - (ux * nx + uy * ny + uz * nz - contacts[row, TARGET]) / contacts[row, EASE_N]
        if p_n < 0.0:
            p_n = 0.0
        change = p_n - contacts[row, P_N]
        if change == 0.0:
            continue
        contacts[row, P_N] = p_n
        most = max(most, abs(change) * contacts[row, EASE_N])
        x, y, z = change * nx, change * ny, change * nz
        bodies[a, PUSH] += light_a * x
        bodies[a, PUSH + 1] += light_a * y
        bodies[a, PUSH + 2] += light_a * z
        if swift_a < 0.0:
            answer(bodies, a, TWIST, ay * z - az * y, az * x - ax * z, ax * y - ay * x)
        else:
            bodies[a, TWIST] += swift_a * (ay * z - az * y)
            bodies[a, TWIST + 1] += swift_a * (az * x - ax * z)
            bodies[a, TWIST + 2] += swift_a * (ax * y - ay * x)
        bodies[b, PUSH] -= light_b * x
        bodies[b, PUSH + 1] -= light_b * y
        bodies[b, PUSH + 2] -= light_b * z
        if swift_b < 0.0:
            answer(bodies, b, TWIST, bz * y - by * z, bx * z - bz * x, by * x - bx * y)
        else:
            bodies[b, TWIST] -= swift_b * (by * z - bz * y)
            bodies[b, TWIST + 1] -= swift_b * (bz * x - bx * z)
            bodies[b, TWIST + 2] -= swift_b * (bx * y - by * x)
    return most
