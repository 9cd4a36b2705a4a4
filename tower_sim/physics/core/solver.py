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

from tower_sim.physics.core.arrays import (
    ACTIVE,
    CHANGED,
    FIRST,
    FRICTION,
    MOBILE,
    PAIR,
    PATCH,
    POINT,
    ROWS,
    SECOND,
    SEEN,
    SPIN,
    START,
    SWEEPS,
    SWIFT,
    TOLERANCE,
    VISITS,
    T,
)
from tower_sim.physics.core.compiled import inner
from tower_sim.physics.core.contacts import (
    ACROSS,
    ALONG,
    EASE_1,
    EASE_2,
    EASE_N,
    EASE_SPIN,
    P_1,
    P_2,
    P_N,
    P_SPIN,
    ROLE,
    TARGET,
    WAITS,
    act,
    approach,
    bounce,
    delay,
    hold,
    slip,
)
from tower_sim.physics.core.cuboids import answer

_NEWTON_STEPS = 8
_ROUNDS = 4  # of bounces that make others bounce, in one step
_ROUND = 1e-12


@inner
def solve(whole: T, real: T, bodies: T, flags: T, pairs: T, meets: T, todo: T, contacts: T) -> None:
    """Visit the pairs in turn until no velocity at a contact changes by more than the tolerance.

    The clock ticks at each change; a pair that has seen the last change of both its rows is passed over.
    """
    for i in range(whole[ROWS]):
        flags[i, CHANGED] = 0
    clock = 0
    for sweep in range(int(real[SWEEPS])):
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
def strike(whole: T, real: T, bodies: T, flags: T, pairs: T, meets: T, todo: T, contacts: T, step: float) -> None:
    """Let those points bounce that waited and are now driven home within the step, in rounds of one impact each.

    Solved with the first impacts at once, as if they had been there from the start, they would be struck harder than
    anything comes, or hold what should be thrown. What has happened before a round stays; in it all other points hold.
    """
    for turn in range(_ROUNDS):
        struck = False
        for m in range(whole[ACTIVE]):
            pair = todo[m, PAIR]
            a, b = pairs[pair, FIRST], pairs[pair, SECOND]
            todo[m, SEEN] = 0
            for row in range(todo[m, START], todo[m + 1, START]):
                if contacts[row, ROLE] == WAITS and _comes_home(
                    bodies, meets, todo, contacts, m, row, pair, a, b, step
                ):
                    todo[m, SEEN] = -1
                    struck = True
        if not struck:
            return
        for m in range(whole[ACTIVE]):
            pair = todo[m, PAIR]
            a, b = pairs[pair, FIRST], pairs[pair, SECOND]
            for k in range(todo[m + 1, START] - todo[m, START]):
                row = todo[m, START] + k
                contacts[row, P_N], contacts[row, P_1], contacts[row, P_2], contacts[row, P_SPIN] = 0.0, 0.0, 0.0, 0.0
                if contacts[row, ROLE] != WAITS:
                    hold(meets, contacts, row, pair, k, step)
                elif _comes_home(bodies, meets, todo, contacts, m, row, pair, a, b, step):
                    hold(meets, contacts, row, pair, k, step)
                    if turn < _ROUNDS - 1:
                        bounce(real, bodies, meets, contacts, row, pair, k, a, b, step)
        solve(whole, real, bodies, flags, pairs, meets, todo, contacts)
        delay(whole, bodies, pairs, meets, todo, contacts)


@inner
def _comes_home(
    bodies: T, meets: T, todo: T, contacts: T, m: int, row: int, pair: int, a: int, b: int, step: float
) -> bool:
    """Tell whether a point will touch within the step, as its two rows move now."""
    gap = meets[pair, POINT + 4 * (row - todo[m, START]) + 3]
    return gap + approach(bodies, meets, contacts, row, pair, a, b) * step < 0.0


@inner
def _visit(real: T, bodies: T, meets: T, todo: T, contacts: T, m: int, pair: int, a: int, b: int) -> float:
    """Solve the points of one pair, each with the others held; returns the largest change of velocity (m/s)."""
    friction = bodies[b, FRICTION]
    nx, ny, nz = meets[pair, 0], meets[pair, 1], meets[pair, 2]
    most = 0.0
    single = todo[m + 1, START] - todo[m, START] == 1
    for row in range(todo[m, START], todo[m + 1, START]):
        if contacts[row, ROLE] == WAITS:
            continue
        ux, uy, uz = slip(bodies, contacts, row, a, b)
        p_n = contacts[row, P_N] - (ux * nx + uy * ny + uz * nz - contacts[row, TARGET]) / contacts[row, EASE_N]
        if p_n < 0.0:
            p_n = 0.0
        change = p_n - contacts[row, P_N]
        if change != 0.0:
            act(bodies, meets, contacts, row, pair, a, b, change, 0.0, 0.0)
            contacts[row, P_N] = p_n
            most = max(most, abs(change) * contacts[row, EASE_N])
            ux, uy, uz = slip(bodies, contacts, row, a, b)
        elif p_n == 0.0:
            continue
        u_1 = ux * contacts[row, ALONG] + uy * contacts[row, ALONG + 1] + uz * contacts[row, ALONG + 2]
        u_2 = ux * contacts[row, ACROSS] + uy * contacts[row, ACROSS + 1] + uz * contacts[row, ACROSS + 2]
        p_1, p_2 = _friction(
            u_1 - contacts[row, EASE_1] * contacts[row, P_1],
            u_2 - contacts[row, EASE_2] * contacts[row, P_2],
            contacts[row, EASE_1],
            contacts[row, EASE_2],
            friction * p_n,
        )
        change_1, change_2 = p_1 - contacts[row, P_1], p_2 - contacts[row, P_2]
        if change_1 != 0.0 or change_2 != 0.0:
            act(bodies, meets, contacts, row, pair, a, b, 0.0, change_1, change_2)
            contacts[row, P_1], contacts[row, P_2] = p_1, p_2
            most = max(most, abs(change_1) * contacts[row, EASE_1], abs(change_2) * contacts[row, EASE_2])
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
def _resist_spin(real: T, bodies: T, meets: T, contacts: T, row: int, pair: int, a: int, b: int, most: float) -> float:
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
    spin = contacts[row, P_SPIN] - turning / contacts[row, EASE_SPIN]
    spin = min(max(spin, -bound), bound)
    change = spin - contacts[row, P_SPIN]
    contacts[row, P_SPIN] = spin
    _spin(bodies, a, change, nx, ny, nz)
    _spin(bodies, b, -change, nx, ny, nz)
    return abs(change) * contacts[row, EASE_SPIN] * patch


@inner
def _spin(bodies: T, i: int, change: float, nx: float, ny: float, nz: float) -> None:
    """Let an angular impulse `change` (N m s) about a direction change the spin of a row."""
    swift = bodies[i, SWIFT] * bodies[i, MOBILE] * change
    if bodies[i, SWIFT] < 0.0 and bodies[i, MOBILE] != 0.0:
        answer(bodies, i, SPIN, change * nx, change * ny, change * nz)
    else:
        bodies[i, SPIN] += swift * nx
        bodies[i, SPIN + 1] += swift * ny
        bodies[i, SPIN + 2] += swift * nz
