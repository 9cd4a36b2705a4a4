"""Sleep: heaps that lie still take no part until something comes nearer to them than this step allows.

What touches each other, directly or through others, sleeps and wakes together: a cube awake on sleeping ones would
press on nothing that gives.
"""

from __future__ import annotations

from tower_sim.compiled.marks import inner
from tower_sim.physics.core.arrays import (
    AWAKE,
    CHANGED,
    FIRST,
    FIXED,
    ISLAND,
    MOBILE,
    PAIRS,
    POINTS,
    QUIET,
    QUIET_SPEED,
    QUIET_SPIN,
    QUIET_WINDOWS,
    ROWS,
    SECOND,
    SPIN,
    VELOCITY,
    T,
)

JUST = 2
"""`awake` of a row that was woken in this step, on which gravity has not acted yet."""


@inner
def wake(whole: T, bodies: T, flags: T, pairs: T, i: int) -> None:
    """Wake a row with all that touch it, directly or through others."""
    if flags[i, AWAKE] != 0:
        return
    _rouse(bodies, flags, i)
    more = True
    while more:
        more = False
        for pair in range(whole[PAIRS]):
            a, b = pairs[pair, FIRST], pairs[pair, SECOND]
            if pairs[pair, POINTS] > 0 and b >= whole[FIXED]:
                if flags[a, AWAKE] == JUST and flags[b, AWAKE] == 0:
                    _rouse(bodies, flags, b)
                    more = True
                elif flags[b, AWAKE] == JUST and flags[a, AWAKE] == 0:
                    _rouse(bodies, flags, a)
                    more = True


@inner
def _rouse(bodies: T, flags: T, i: int) -> None:
    flags[i, AWAKE] = JUST
    bodies[i, MOBILE] = 1.0
    flags[i, QUIET] = 0


@inner
def fall_asleep(whole: T, real: T, bodies: T, flags: T, pairs: T) -> bool:
    """Count quiet windows, put to sleep what has been quiet for long enough together; tell whether all sleep."""
    fixed, rows = whole[FIXED], whole[ROWS]
    speed, spin, needed = real[QUIET_SPEED], real[QUIET_SPIN], int(real[QUIET_WINDOWS])
    for i in range(fixed, rows):
        flags[i, ISLAND] = i
        if flags[i, AWAKE] != 0:
            flags[i, QUIET] += 1
            for c in range(3):
                if abs(bodies[i, VELOCITY + c]) >= speed or abs(bodies[i, SPIN + c]) >= spin:
                    flags[i, QUIET] = 0
    for pair in range(whole[PAIRS]):
        b = pairs[pair, SECOND]
        if pairs[pair, POINTS] > 0 and b >= fixed:
            one, two = _root(flags, pairs[pair, FIRST]), _root(flags, b)
            if one < two:
                flags[two, ISLAND] = one
            else:
                flags[one, ISLAND] = two
    # an island is as quiet as its most restless: kept in CHANGED, which a step uses otherwise, and sets anew
    for i in range(fixed, rows):
        flags[i, CHANGED] = needed
    for i in range(fixed, rows):
        root = _root(flags, i)
        if flags[i, AWAKE] != 0 and flags[i, QUIET] < flags[root, CHANGED]:
            flags[root, CHANGED] = flags[i, QUIET]
    all_sleep = True
    for i in range(fixed, rows):
        if flags[i, AWAKE] != 0:
            if flags[_root(flags, i), CHANGED] >= needed:
                lie_down(bodies, flags, i)
            else:
                all_sleep = False
    return all_sleep


@inner
def _root(flags: T, i: int) -> int:
    while flags[i, ISLAND] != i:
        flags[i, ISLAND] = flags[flags[i, ISLAND], ISLAND]
        i = flags[i, ISLAND]
    return i


@inner
def lie_down(bodies: T, flags: T, i: int) -> None:
    """Stop a row and put it to sleep."""
    flags[i, AWAKE] = 0
    bodies[i, MOBILE] = 0.0
    for c in range(3):
        bodies[i, VELOCITY + c] = 0.0
        bodies[i, SPIN + c] = 0.0
