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
rows has changed since. Overlap is corrected beside that, by a push that moves the rows but leaves them no velocity.
"""

from __future__ import annotations

import math

from tower_sim.physics.core.arrays import (
    ACTIVE,
    BOUNCE,
    CHANGED,
    CORRECTIONS,
    FIRST,
    FIXED,
    FRICTION,
    GRAVITY_X,
    GRAVITY_Y,
    GRAVITY_Z,
    LIGHT,
    MOBILE,
    PAIR,
    PATCH,
    POINT,
    POINTS,
    POSITION,
    PUSH,
    RELAXATION,
    RESTITUTION,
    ROWS,
    SECOND,
    SEEN,
    SLOP,
    SPIN,
    START,
    SWEEPS,
    SWIFT,
    TOLERANCE,
    TWIST,
    VELOCITY,
    VISITS,
    Array,
)
from tower_sim.physics.core.compiled import inner

# A row of World.contact: arms from the centres, the two directions of friction (principal axes of how slip answers),
# what the velocities along normal and friction answer to a unit impulse, target, impulses, spin impulse and its answer.
_ARM_A, _ARM_B, _ALONG, _ACROSS, _EASE_N, _EASE_1, _EASE_2, _TARGET, _P_N, _P_1, _P_2, _SPIN, _EASE_SPIN, _BOUNCES = (
    0, 3, 6, 9, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
)  # fmt: skip
_NEWTON_STEPS = 8
_ROUND = 1e-12
_ENOUGH = 0.01  # of the fastest push: the correction of overlap need not be exact


@inner
def prepare(
    whole: Array,
    real: Array,
    bodies: Array,
    pairs: Array,
    touches: Array,
    meets: Array,
    todo: Array,
    contacts: Array,
    step: float,
) -> None:
    """Lay out the contact points of the active pairs, with the impulses that they had, and let those act."""
    row = 0
    gx, gy, gz = step * real[GRAVITY_X], step * real[GRAVITY_Y], step * real[GRAVITY_Z]
    for m in range(whole[ACTIVE]):
        pair = todo[m, PAIR]
        a, b = pairs[pair, FIRST], pairs[pair, SECOND]
        todo[m, START] = row
        todo[m, SEEN] = -1
        nx, ny, nz = meets[pair, 0], meets[pair, 1], meets[pair, 2]
        light = bodies[a, LIGHT] * bodies[a, MOBILE] + bodies[b, LIGHT] * bodies[b, MOBILE]
        swift_a, swift_b = bodies[a, SWIFT] * bodies[a, MOBILE], bodies[b, SWIFT] * bodies[b, MOBILE]
        # what gravity has added to the approach in this step
        added = (bodies[a, MOBILE] - bodies[b, MOBILE]) * (gx * nx + gy * ny + gz * nz)
        friction, bounce = bodies[b, FRICTION], bodies[b, RESTITUTION]
        points = pairs[pair, POINTS]
        for k in range(points):
            x, y, z = meets[pair, POINT + 4 * k], meets[pair, POINT + 4 * k + 1], meets[pair, POINT + 4 * k + 2]
            ax, ay, az = x - bodies[a, POSITION], y - bodies[a, POSITION + 1], z - bodies[a, POSITION + 2]
            bx, by, bz = x - bodies[b, POSITION], y - bodies[b, POSITION + 1], z - bodies[b, POSITION + 2]
            contacts[row, _ARM_A], contacts[row, _ARM_A + 1], contacts[row, _ARM_A + 2] = ax, ay, az
            contacts[row, _ARM_B], contacts[row, _ARM_B + 1], contacts[row, _ARM_B + 2] = bx, by, bz
            # any two directions across the normal, then turned to the principal axes of the answer
            if abs(nx) > 0.6:
                size = math.sqrt(nx * nx + ny * ny)
                sx, sy, sz = ny / size, -nx / size, 0.0
            else:
                size = math.sqrt(ny * ny + nz * nz)
                sx, sy, sz = 0.0, nz / size, -ny / size
            tx, ty, tz = ny * sz - nz * sy, nz * sx - nx * sz, nx * sy - ny * sx
            # of an arm r: (r x d) . (r x f) = (r . r)(d . f) - (r . d)(r . f)
            as_, at, an = ax * sx + ay * sy + az * sz, ax * tx + ay * ty + az * tz, ax * nx + ay * ny + az * nz
            bs, bt, bn = bx * sx + by * sy + bz * sz, bx * tx + by * ty + bz * tz, bx * nx + by * ny + bz * nz
            contacts[row, _EASE_N] = light + swift_a * (as_ * as_ + at * at) + swift_b * (bs * bs + bt * bt)
            ss = light + swift_a * (at * at + an * an) + swift_b * (bt * bt + bn * bn)
            tt = light + swift_a * (as_ * as_ + an * an) + swift_b * (bs * bs + bn * bn)
            st = -(swift_a * as_ * at + swift_b * bs * bt)
            middle, half = 0.5 * (ss + tt), 0.5 * (ss - tt)
            radius = math.sqrt(half * half + st * st)
            cosine, sine = 1.0, 0.0
            if radius > _ROUND * middle:
                # the axis of the larger answer, from whichever row of the matrix loses no digits
                if half > 0.0:
                    p, q = half + radius, st
                else:
                    p, q = st, radius - half
                size = math.sqrt(p * p + q * q)
                cosine, sine = p / size, q / size
            contacts[row, _ALONG], contacts[row, _ALONG + 1], contacts[row, _ALONG + 2] = (
                cosine * sx + sine * tx,
                cosine * sy + sine * ty,
                cosine * sz + sine * tz,
            )
            contacts[row, _ACROSS], contacts[row, _ACROSS + 1], contacts[row, _ACROSS + 2] = (
                cosine * tx - sine * sx,
                cosine * ty - sine * sy,
                cosine * tz - sine * sz,
            )
            contacts[row, _EASE_1], contacts[row, _EASE_2] = middle + radius, middle - radius
            contacts[row, _SPIN], contacts[row, _EASE_SPIN] = 0.0, swift_a + swift_b
            ux, uy, uz = _slip(bodies, contacts, row, a, b)
            approach = ux * nx + uy * ny + uz * nz
            before = approach - added
            gap = meets[pair, POINT + 4 * k + 3]
            contacts[row, _BOUNCES] = 0.0
            if gap + approach * step < 0.0 and before < -real[BOUNCE]:
                contacts[row, _TARGET] = -bounce * before
                contacts[row, _BOUNCES] = 1.0
            elif gap > 0.0:
                contacts[row, _TARGET] = -gap / step
            else:
                contacts[row, _TARGET] = 0.0
            fx, fy, fz = touches[pair, k, 3], touches[pair, k, 4], touches[pair, k, 5]
            contacts[row, _P_N] = step * (fx * nx + fy * ny + fz * nz)
            contacts[row, _P_1] = step * (
                fx * contacts[row, _ALONG] + fy * contacts[row, _ALONG + 1] + fz * contacts[row, _ALONG + 2]
            )
            contacts[row, _P_2] = step * (
                fx * contacts[row, _ACROSS] + fy * contacts[row, _ACROSS + 1] + fz * contacts[row, _ACROSS + 2]
            )
            if contacts[row, _P_N] <= 0.0 or contacts[row, _BOUNCES] != 0.0:
                contacts[row, _P_N], contacts[row, _P_1], contacts[row, _P_2] = 0.0, 0.0, 0.0
            else:
                size = math.sqrt(contacts[row, _P_1] * contacts[row, _P_1] + contacts[row, _P_2] * contacts[row, _P_2])
                if size > friction * contacts[row, _P_N]:
                    shrink = friction * contacts[row, _P_N] / size
                    contacts[row, _P_1] *= shrink
                    contacts[row, _P_2] *= shrink
            row += 1
    todo[whole[ACTIVE], START] = row
    for m in range(whole[ACTIVE]):
        pair = todo[m, PAIR]
        a, b = pairs[pair, FIRST], pairs[pair, SECOND]
        for row in range(todo[m, START], todo[m + 1, START]):
            if contacts[row, _P_N] > 0.0:
                _act(
                    bodies,
                    meets,
                    contacts,
                    row,
                    pair,
                    a,
                    b,
                    contacts[row, _P_N],
                    contacts[row, _P_1],
                    contacts[row, _P_2],
                )


@inner
def _slip(bodies: Array, contacts: Array, row: int, a: int, b: int) -> tuple[float, float, float]:
    """Return the velocity of row `a` against row `b` at a contact point."""
    ax, ay, az = contacts[row, _ARM_A], contacts[row, _ARM_A + 1], contacts[row, _ARM_A + 2]
    bx, by, bz = contacts[row, _ARM_B], contacts[row, _ARM_B + 1], contacts[row, _ARM_B + 2]
    x = bodies[a, VELOCITY] + bodies[a, SPIN + 1] * az - bodies[a, SPIN + 2] * ay
    y = bodies[a, VELOCITY + 1] + bodies[a, SPIN + 2] * ax - bodies[a, SPIN] * az
    z = bodies[a, VELOCITY + 2] + bodies[a, SPIN] * ay - bodies[a, SPIN + 1] * ax
    x -= bodies[b, VELOCITY] + bodies[b, SPIN + 1] * bz - bodies[b, SPIN + 2] * by
    y -= bodies[b, VELOCITY + 1] + bodies[b, SPIN + 2] * bx - bodies[b, SPIN] * bz
    z -= bodies[b, VELOCITY + 2] + bodies[b, SPIN] * by - bodies[b, SPIN + 1] * bx
    return x, y, z


@inner
def _act(
    bodies: Array,
    meets: Array,
    contacts: Array,
    row: int,
    pair: int,
    a: int,
    b: int,
    p_n: float,
    p_1: float,
    p_2: float,
) -> None:
    """Let an impulse act on both rows."""
    x = p_n * meets[pair, 0] + p_1 * contacts[row, _ALONG] + p_2 * contacts[row, _ACROSS]
    y = p_n * meets[pair, 1] + p_1 * contacts[row, _ALONG + 1] + p_2 * contacts[row, _ACROSS + 1]
    z = p_n * meets[pair, 2] + p_1 * contacts[row, _ALONG + 2] + p_2 * contacts[row, _ACROSS + 2]
    if bodies[a, MOBILE] != 0.0:
        light, swift = bodies[a, LIGHT], bodies[a, SWIFT]
        bodies[a, VELOCITY] += light * x
        bodies[a, VELOCITY + 1] += light * y
        bodies[a, VELOCITY + 2] += light * z
        bodies[a, SPIN] += swift * (contacts[row, _ARM_A + 1] * z - contacts[row, _ARM_A + 2] * y)
        bodies[a, SPIN + 1] += swift * (contacts[row, _ARM_A + 2] * x - contacts[row, _ARM_A] * z)
        bodies[a, SPIN + 2] += swift * (contacts[row, _ARM_A] * y - contacts[row, _ARM_A + 1] * x)
    if bodies[b, MOBILE] != 0.0:
        light, swift = bodies[b, LIGHT], bodies[b, SWIFT]
        bodies[b, VELOCITY] -= light * x
        bodies[b, VELOCITY + 1] -= light * y
        bodies[b, VELOCITY + 2] -= light * z
        bodies[b, SPIN] -= swift * (contacts[row, _ARM_B + 1] * z - contacts[row, _ARM_B + 2] * y)
        bodies[b, SPIN + 1] -= swift * (contacts[row, _ARM_B + 2] * x - contacts[row, _ARM_B] * z)
        bodies[b, SPIN + 2] -= swift * (contacts[row, _ARM_B] * y - contacts[row, _ARM_B + 1] * x)


@inner
def solve(
    whole: Array, real: Array, bodies: Array, flags: Array, pairs: Array, meets: Array, todo: Array, contacts: Array
) -> None:
    """Visit the pairs in turn until no velocity at a contact changes by more than the tolerance."""
    for i in range(whole[ROWS]):
        flags[i, CHANGED] = 0
    clock = 0
    sweeps = int(real[SWEEPS])
    for sweep in range(sweeps):
        busy = False
        for place in range(whole[ACTIVE]):
            m = place if sweep % 2 == 0 else whole[ACTIVE] - 1 - place  # to and fro, so that neither end is favoured
            pair = todo[m, PAIR]
            a, b = pairs[pair, FIRST], pairs[pair, SECOND]
            if flags[a, CHANGED] <= todo[m, SEEN] and flags[b, CHANGED] <= todo[m, SEEN]:
                continue
            todo[m, SEEN] = clock
            whole[VISITS] += 1
            if _visit(real, bodies, meets, todo, contacts, m, pair, a, b) > real[TOLERANCE]:
                clock += 1
                flags[a, CHANGED] = clock
                if bodies[b, MOBILE] != 0.0:
                    flags[b, CHANGED] = clock
                busy = True
        if not busy:
            break


@inner
def _visit(
    real: Array, bodies: Array, meets: Array, todo: Array, contacts: Array, m: int, pair: int, a: int, b: int
) -> float:
    """Solve the points of one pair, each with the others held; returns the largest change of velocity (m/s)."""
    friction = bodies[b, FRICTION]
    nx, ny, nz = meets[pair, 0], meets[pair, 1], meets[pair, 2]
    most = 0.0
    single = todo[m + 1, START] - todo[m, START] == 1
    for row in range(todo[m, START], todo[m + 1, START]):
        ux, uy, uz = _slip(bodies, contacts, row, a, b)
        p_n = contacts[row, _P_N] - (ux * nx + uy * ny + uz * nz - contacts[row, _TARGET]) / contacts[row, _EASE_N]
        if p_n < 0.0:
            p_n = 0.0
        change = p_n - contacts[row, _P_N]
        if change != 0.0:
            _act(bodies, meets, contacts, row, pair, a, b, change, 0.0, 0.0)
            contacts[row, _P_N] = p_n
            most = max(most, abs(change) * contacts[row, _EASE_N])
            ux, uy, uz = _slip(bodies, contacts, row, a, b)
        elif p_n == 0.0:
            continue
        u_1 = ux * contacts[row, _ALONG] + uy * contacts[row, _ALONG + 1] + uz * contacts[row, _ALONG + 2]
        u_2 = ux * contacts[row, _ACROSS] + uy * contacts[row, _ACROSS + 1] + uz * contacts[row, _ACROSS + 2]
        p_1, p_2 = _friction(
            u_1 - contacts[row, _EASE_1] * contacts[row, _P_1],
            u_2 - contacts[row, _EASE_2] * contacts[row, _P_2],
            contacts[row, _EASE_1],
            contacts[row, _EASE_2],
            friction * p_n,
        )
        change_1, change_2 = p_1 - contacts[row, _P_1], p_2 - contacts[row, _P_2]
        if change_1 != 0.0 or change_2 != 0.0:
            _act(bodies, meets, contacts, row, pair, a, b, 0.0, change_1, change_2)
            contacts[row, _P_1], contacts[row, _P_2] = p_1, p_2
            most = max(most, abs(change_1) * contacts[row, _EASE_1], abs(change_2) * contacts[row, _EASE_2])
        if single:
            most = max(most, _resist_spin(real, bodies, meets, contacts, row, pair, a, b, friction * p_n))
    return most


@inner
def _friction(free_1: float, free_2: float, ease_1: float, ease_2: float, most: float) -> tuple[float, float]:
    """Return the friction, not above `most`, that stops the slip `free`, or else opposes the slip that is left.

    Along the principal axes the latter is -free / (ease + y), whose size is `most` at one y > 0. Newton's method for
    1/size finds y from below (More and Sorensen, SIAM J. Sci. Stat. Comput. 4, 1983, 553).
    """
    if most <= 0.0:
        return 0.0, 0.0
    p_1, p_2 = -free_1 / ease_1, -free_2 / ease_2
    size = math.sqrt(p_1 * p_1 + p_2 * p_2)
    if size <= most:
        return p_1, p_2
    y = math.sqrt(free_1 * free_1 + free_2 * free_2) / most - ease_1
    if y < 0.0:
        y = 0.0
    for _ in range(_NEWTON_STEPS):
        p_1, p_2 = -free_1 / (ease_1 + y), -free_2 / (ease_2 + y)
        square = p_1 * p_1 + p_2 * p_2
        size = math.sqrt(square)
        if size - most <= _ROUND * most:
            break
        y += (size - most) / most * square / (p_1 * p_1 / (ease_1 + y) + p_2 * p_2 / (ease_2 + y))
    return p_1 * (most / size), p_2 * (most / size)


@inner
def _resist_spin(
    real: Array, bodies: Array, meets: Array, contacts: Array, row: int, pair: int, a: int, b: int, most: float
) -> float:
    """Let a contact of one point resist spin about its normal, as a small flat patch does; returns m/s at its rim.

    A disc of radius r pressed evenly resists with 2/3 r times the friction. [assumed: wooden edges are that blunt]
    """
    patch = real[PATCH]
    nx, ny, nz = meets[pair, 0], meets[pair, 1], meets[pair, 2]
    turning = (
        (bodies[a, SPIN] - bodies[b, SPIN]) * nx
        + (bodies[a, SPIN + 1] - bodies[b, SPIN + 1]) * ny
        + (bodies[a, SPIN + 2] - bodies[b, SPIN + 2]) * nz
    )
    bound = patch * most / 1.5
    spin = contacts[row, _SPIN] - turning / contacts[row, _EASE_SPIN]
    spin = min(max(spin, -bound), bound)
    change = spin - contacts[row, _SPIN]
    contacts[row, _SPIN] = spin
    swift = bodies[a, SWIFT] * bodies[a, MOBILE] * change
    bodies[a, SPIN] += swift * nx
    bodies[a, SPIN + 1] += swift * ny
    bodies[a, SPIN + 2] += swift * nz
    swift = bodies[b, SWIFT] * bodies[b, MOBILE] * change
    bodies[b, SPIN] -= swift * nx
    bodies[b, SPIN + 1] -= swift * ny
    bodies[b, SPIN + 2] -= swift * nz
    return abs(change) * contacts[row, _EASE_SPIN] * patch


@inner
def keep(whole: Array, pairs: Array, touches: Array, meets: Array, todo: Array, contacts: Array, step: float) -> None:
    """Keep each point's force for the next step; that of a bounce is over."""
    for m in range(whole[ACTIVE]):
        pair = todo[m, PAIR]
        for k in range(todo[m + 1, START] - todo[m, START]):
            row = todo[m, START] + k
            share = 0.0 if contacts[row, _BOUNCES] != 0.0 else 1.0 / step
            for d in range(3):
                touches[pair, k, 3 + d] = share * (
                    contacts[row, _P_N] * meets[pair, d]
                    + contacts[row, _P_1] * contacts[row, _ALONG + d]
                    + contacts[row, _P_2] * contacts[row, _ACROSS + d]
                )


@inner
def correct(whole: Array, real: Array, bodies: Array, pairs: Array, meets: Array, todo: Array, contacts: Array) -> bool:
    """Work out a push that parts what overlaps by more than the slop; tells whether there is any."""
    deepest = 0.0
    for m in range(whole[ACTIVE]):
        for k in range(todo[m + 1, START] - todo[m, START]):
            row = todo[m, START] + k
            over = -meets[todo[m, PAIR], POINT + 4 * k + 3] - real[SLOP]
            contacts[row, _P_N] = 0.0
            contacts[row, _TARGET] = over / real[RELAXATION]
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
def _push(bodies: Array, meets: Array, todo: Array, contacts: Array, m: int, pair: int, a: int, b: int) -> float:
    """Part the two rows of a pair by their normal impulses alone; returns the largest change of speed (m/s)."""
    most = 0.0
    nx, ny, nz = meets[pair, 0], meets[pair, 1], meets[pair, 2]
    light_a, light_b = bodies[a, LIGHT] * bodies[a, MOBILE], bodies[b, LIGHT] * bodies[b, MOBILE]
    swift_a, swift_b = bodies[a, SWIFT] * bodies[a, MOBILE], bodies[b, SWIFT] * bodies[b, MOBILE]
    for row in range(todo[m, START], todo[m + 1, START]):
        ax, ay, az = contacts[row, _ARM_A], contacts[row, _ARM_A + 1], contacts[row, _ARM_A + 2]
        bx, by, bz = contacts[row, _ARM_B], contacts[row, _ARM_B + 1], contacts[row, _ARM_B + 2]
        ux = bodies[a, PUSH] + bodies[a, TWIST + 1] * az - bodies[a, TWIST + 2] * ay
        uy = bodies[a, PUSH + 1] + bodies[a, TWIST + 2] * ax - bodies[a, TWIST] * az
        uz = bodies[a, PUSH + 2] + bodies[a, TWIST] * ay - bodies[a, TWIST + 1] * ax
        ux -= bodies[b, PUSH] + bodies[b, TWIST + 1] * bz - bodies[b, TWIST + 2] * by
        uy -= bodies[b, PUSH + 1] + bodies[b, TWIST + 2] * bx - bodies[b, TWIST] * bz
        uz -= bodies[b, PUSH + 2] + bodies[b, TWIST] * by - bodies[b, TWIST + 1] * bx
        p_n = contacts[row, _P_N] - (ux * nx + uy * ny + uz * nz - contacts[row, _TARGET]) / contacts[row, _EASE_N]
        if p_n < 0.0:
            p_n = 0.0
        change = p_n - contacts[row, _P_N]
        if change == 0.0:
            continue
        contacts[row, _P_N] = p_n
        most = max(most, abs(change) * contacts[row, _EASE_N])
        x, y, z = change * nx, change * ny, change * nz
        bodies[a, PUSH] += light_a * x
        bodies[a, PUSH + 1] += light_a * y
        bodies[a, PUSH + 2] += light_a * z
        bodies[a, TWIST] += swift_a * (ay * z - az * y)
        bodies[a, TWIST + 1] += swift_a * (az * x - ax * z)
        bodies[a, TWIST + 2] += swift_a * (ax * y - ay * x)
        bodies[b, PUSH] -= light_b * x
        bodies[b, PUSH + 1] -= light_b * y
        bodies[b, PUSH + 2] -= light_b * z
        bodies[b, TWIST] -= swift_b * (by * z - bz * y)
        bodies[b, TWIST + 1] -= swift_b * (bz * x - bx * z)
        bodies[b, TWIST + 2] -= swift_b * (bx * y - by * x)
    return most
