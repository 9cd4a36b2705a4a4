"""The engine: a step reads as the algorithm, a window chooses its steps; cubes are put to sleep, woken, taken out."""

from __future__ import annotations

import math

from tower_sim.compiled.marks import aside, inner
from tower_sim.physics.core import sleep
from tower_sim.physics.core.arrays import (
    ACTIVE,
    AWAKE,
    CLEAR,
    EDGE,
    FAR,
    FIRST,
    FIXED,
    GRAVITY_X,
    GRAVITY_Y,
    GRAVITY_Z,
    LONGEST_STEP,
    LOOK,
    LOOKED,
    ONE,
    OTHER,
    PAD,
    PAIR,
    PAIRS,
    PASSED,
    PASSED_TRAVEL,
    POINT,
    POINTS,
    POSITION,
    QUIET,
    REACH,
    ROWS,
    SECOND,
    SHAPE,
    SHIFT,
    SHIFT_TURN,
    SPIN,
    STALE,
    STEPS,
    TRAVEL,
    VELOCITY,
    WAY,
    WINDOW,
    T,
    Tables,
)
from tower_sim.physics.core.broad import have_moved, seek_pairs
from tower_sim.physics.core.contacts import delay_impacts, keep_forces, prepare
from tower_sim.physics.core.correction import push_apart
from tower_sim.physics.core.hulls import collide_hull
from tower_sim.physics.core.motion import apply_gravity, fastest, integrate, look_ahead, update_axes
from tower_sim.physics.core.narrow import APART, collide, remember
from tower_sim.physics.core.solver import solve, solve_late_impacts

_NANO = 1e-9


@inner
def take_step(w: Tables, step: float) -> bool:
    """Take one step; tells whether there was room for all pairs. If not, nothing has happened."""
    whole, real, bodies, flags, pairs, touches = w.whole, w.real, w.bodies, w.flags, w.pairs, w.touches
    meets, todo, contacts, room, hulls = w.meets, w.todo, w.contacts, w.room, w.hulls
    # Broad phase
    if have_moved(whole, real, bodies, flags) and not seek_pairs(w):
        return False
    # Gravity
    for i in range(whole[FIXED], whole[ROWS]):
        bodies[i, REACH] = 0.0
        for c in range(3):
            bodies[i, SHIFT + c], bodies[i, SHIFT_TURN + c] = 0.0, 0.0
        if flags[i, AWAKE] != 0:
            apply_gravity(real, bodies, i, step)
            look_ahead(bodies, i, step)
    # Narrow phase, until nobody else is woken by what comes near
    whole[LOOK] += 1
    while _find_contacts(whole, real, bodies, flags, pairs, touches, meets, todo, room, hulls, step):
        pass
    # Contacts
    prepare(whole, real, bodies, pairs, touches, meets, todo, contacts, step)
    # Solver
    solve(whole, real, bodies, flags, todo, contacts)
    keep_forces(whole, touches, todo, contacts, step)
    delay_impacts(whole, bodies, todo, contacts)
    solve_late_impacts(whole, real, bodies, flags, meets, todo, contacts, step)
    # Correction
    pushed = push_apart(whole, real, bodies, flags, meets, todo, contacts)
    # Integration
    integrate(whole, bodies, flags, step, pushed)
    whole[STEPS] += 1
    return True


@inner
def _find_contacts(
    whole: T, real: T, bodies: T, flags: T, pairs: T, touches: T, meets: T, todo: T, room: T, hulls: T, step: float
) -> bool:
    """Find the contacts of all that is awake and was not looked at yet in this step; tells whether that woke anyone.

    It lists the pairs in contact.
    """
    fixed, look = whole[FIXED], whole[LOOK]
    woken, active = False, 0
    for pair in range(whole[PAIRS]):
        a, b = pairs[pair, FIRST], pairs[pair, SECOND]
        if pairs[pair, LOOKED] == look:
            active = _list_active(pairs, todo, pair, active)
            continue
        if flags[a, AWAKE] == 0 and flags[b, AWAKE] == 0:
            continue
        pairs[pair, LOOKED] = look
        _find_contact(real, bodies, pairs, touches, meets, room, hulls, pair, a, b)
        active = _list_active(pairs, todo, pair, active)
        if (
            b >= fixed
            and pairs[pair, POINTS] > 0
            and (flags[a, AWAKE] == 0 or flags[b, AWAKE] == 0)
            and _closes(bodies, pairs, meets, pair, step)
        ):
            sleep.wake(whole, bodies, flags, pairs, b if flags[b, AWAKE] == 0 else a)
            for i in range(fixed, whole[ROWS]):
                if flags[i, AWAKE] == sleep.JUST:
                    flags[i, AWAKE] = 1
                    apply_gravity(real, bodies, i, step)
                    look_ahead(bodies, i, step)
            woken = True
    whole[ACTIVE] = active
    return woken


@inner
def _find_contact(
    real: T, bodies: T, pairs: T, touches: T, meets: T, room: T, hulls: T, pair: int, a: int, b: int
) -> None:
    """Find the contact of a pair, as far ahead as both can come in this step, and match it with what was known.

    A pair without one that has not come far enough since it was looked at is passed over: it has none.
    """
    ahead = bodies[a, REACH] + bodies[b, REACH] + real[PAD]
    if ahead > real[FAR]:
        ahead = real[FAR]
    way = bodies[a, WAY] + bodies[b, WAY]
    if pairs[pair, POINTS] == 0 and way + ahead < _NANO * pairs[pair, CLEAR]:
        return
    room[APART] = 0.0
    if bodies[b, SHAPE] != 0.0:
        points = collide_hull(real, bodies, meets, room, hulls, pair, a, b, ahead)
    else:
        points = collide(real, bodies, meets, room, pair, a, b, ahead)
    if points > 0 or pairs[pair, POINTS] > 0:
        remember(real, bodies, pairs, touches, meets, room, pair, a, points)
    if points == 0:
        pairs[pair, CLEAR] = math.floor((way + room[APART]) / _NANO) - 1  # rounded down


@inner
def _closes(bodies: T, pairs: T, meets: T, pair: int, step: float) -> bool:
    """Tell whether some point of a pair will touch within the step, if nothing else happens."""
    a, b = pairs[pair, FIRST], pairs[pair, SECOND]
    for k in range(pairs[pair, POINTS]):
        approach = 0.0
        for i, sign in ((a, 1.0), (b, -1.0)):
            x = meets[pair, POINT + 4 * k] - bodies[i, POSITION]
            y = meets[pair, POINT + 4 * k + 1] - bodies[i, POSITION + 1]
            z = meets[pair, POINT + 4 * k + 2] - bodies[i, POSITION + 2]
            approach += sign * (
                meets[pair, 0] * (bodies[i, VELOCITY] + bodies[i, SPIN + 1] * z - bodies[i, SPIN + 2] * y)
                + meets[pair, 1] * (bodies[i, VELOCITY + 1] + bodies[i, SPIN + 2] * x - bodies[i, SPIN] * z)
                + meets[pair, 2] * (bodies[i, VELOCITY + 2] + bodies[i, SPIN] * y - bodies[i, SPIN + 1] * x)
            )
        if approach < 0.0 and meets[pair, POINT + 4 * k + 3] + approach * step < 0.0:
            return True
    return False


@inner
def _list_active(pairs: T, todo: T, pair: int, active: int) -> int:
    """List a pair if it is in contact; returns how many are listed now."""
    if pairs[pair, POINTS] == 0:
        return active
    todo[active, PAIR], todo[active, ONE], todo[active, OTHER] = pair, pairs[pair, FIRST], pairs[pair, SECOND]
    return active + 1


@inner
def steps_of_window(whole: T, real: T, bodies: T, flags: T) -> int:
    """Return how many steps the next window needs for no cube to travel further in one than allowed."""
    pull = math.sqrt(
        real[GRAVITY_X] * real[GRAVITY_X] + real[GRAVITY_Y] * real[GRAVITY_Y] + real[GRAVITY_Z] * real[GRAVITY_Z]
    )
    window = real[WINDOW]
    rate = 1.0 / real[LONGEST_STEP]
    for i in range(whole[FIXED], whole[ROWS]):
        if flags[i, AWAKE] != 0:
            speed = fastest(bodies, i, pull * window)
            travel = real[PASSED_TRAVEL] if bodies[i, POSITION + 2] < real[PASSED] else real[TRAVEL]
            rate = max(rate, speed / (travel * real[EDGE]))
    return math.ceil(window * rate - 1e-9)


@aside
def lie_still(w: Tables) -> None:
    """Put all to sleep where they are, and look at who touches whom.

    What is known afterwards depends on the poses and the kept forces only, these in whole nanonewtons: a world that
    is made anew from them is this one. Without room for all pairs it does nothing.
    """
    whole, real, bodies, flags, pairs, touches = w.whole, w.real, w.bodies, w.flags, w.pairs, w.touches
    meets, todo = w.meets, w.todo
    if not seek_pairs(w):
        return
    for i in range(whole[FIXED], whole[ROWS]):
        sleep.lie_down(bodies, flags, i)
        bodies[i, REACH] = 0.0
        flags[i, QUIET] = 0
        update_axes(bodies, i)
    active = 0
    for pair in range(whole[PAIRS]):
        _find_contact(
            real, bodies, pairs, touches, meets, w.room, w.hulls, pair, pairs[pair, FIRST], pairs[pair, SECOND]
        )
        active = _list_active(pairs, todo, pair, active)
        for k in range(pairs[pair, POINTS]):
            for c in range(3):
                touches[pair, k, 3 + c] = math.floor(1e9 * touches[pair, k, 3 + c] + 0.5) * 1e-9
    whole[ACTIVE] = active


@aside
def wake_row(w: Tables, row: int) -> None:
    """Wake a row with all that touch it, directly or through others."""
    whole, bodies, flags, pairs = w.whole, w.bodies, w.flags, w.pairs
    sleep.wake(whole, bodies, flags, pairs, row)
    for i in range(whole[FIXED], whole[ROWS]):
        if flags[i, AWAKE] == sleep.JUST:
            flags[i, AWAKE] = 1


@aside
def take_out(w: Tables, row: int) -> None:
    """Take a cube's row out, with its pairs; what touched it wakes up, and rows behind it move up by one."""
    whole, bodies, flags, pairs, touches = w.whole, w.bodies, w.flags, w.pairs, w.touches
    for pair in range(whole[PAIRS]):
        a, b = pairs[pair, FIRST], pairs[pair, SECOND]
        if pairs[pair, POINTS] > 0 and (a == row or b == row) and b >= whole[FIXED]:
            sleep.wake(whole, bodies, flags, pairs, a + b - row)
    for i in range(whole[FIXED], whole[ROWS]):
        if flags[i, AWAKE] == sleep.JUST:
            flags[i, AWAKE] = 1
    stay = 0
    for pair in range(whole[PAIRS]):
        a, b = pairs[pair, FIRST], pairs[pair, SECOND]
        if a == row or b == row:
            continue
        pairs[stay, FIRST], pairs[stay, SECOND] = a - int(a > row), b - int(b > row)
        pairs[stay, POINTS] = pairs[pair, POINTS]
        pairs[stay, CLEAR], pairs[stay, LOOKED] = pairs[pair, CLEAR], pairs[pair, LOOKED]
        for k in range(pairs[pair, POINTS]):
            for c in range(6):
                touches[stay, k, c] = touches[pair, k, c]
        stay += 1
    for i in range(row, whole[ROWS] - 1):
        for c in range(bodies.shape[1]):
            bodies[i, c] = bodies[i + 1, c]
        for c in range(flags.shape[1]):
            flags[i, c] = flags[i + 1, c]
    whole[PAIRS], whole[ROWS], whole[ACTIVE], whole[STALE] = stay, whole[ROWS] - 1, 0, 1


@aside
def deepest(w: Tables) -> float:
    """Return how deep (m) the deepest contact of the last step is, or of all after `lie_still`."""
    whole, pairs, meets, todo = w.whole, w.pairs, w.meets, w.todo
    most = 0.0
    for m in range(whole[ACTIVE]):
        pair = todo[m, PAIR]
        for k in range(pairs[pair, POINTS]):
            most = max(most, -meets[pair, POINT + 4 * k + 3])
    return most
