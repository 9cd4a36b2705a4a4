"""A drop: cubes are let go, fall, come out and are taken away, until all lie still: the loop around the windows.

    come and go   launches that are due; cubes that missed the opening are caught; cubes that came out are swept away
    judge         all at rest? then cubes that missed fall again, one at a time; then, as players do, those that lie
                  outside a tower are taken away, and what they held up moves on, until no more come out. Or time is up.

Both look at where cubes are between two windows. `run.go_on` takes the windows. For an engine that only steps, its
caller does, which mirrors its cubes into the tables (MIRRORED).
"""

from __future__ import annotations

import math

from tower_sim.apparatus.where import ASKED, EMERGED, ESCAPED, MISSED, moved
from tower_sim.compiled.marks import aside, inner
from tower_sim.physics.core.arrays import (
    AGAIN,
    AGAIN_FIRST,
    ALONE,
    ANSWER,
    ASKING,
    AWAKE,
    AXES,
    BOUNDS,
    CAUGHT,
    CHANGES,
    CLEARED,
    CREEP,
    CUBE_FRICTION,
    CUBE_INV_INERTIA,
    CUBE_INV_MASS,
    CUBE_RESTITUTION,
    DEPTH,
    EARLIER,
    EDGE,
    ESCAPED_FROM,
    FIXED,
    FRICTION,
    GOES,
    GRAVITY_X,
    GRAVITY_Y,
    GRAVITY_Z,
    HALF,
    HAND_HEIGHT,
    HAS_BOARD,
    INV_INERTIA,
    INV_MASS,
    IS_ANSWERED,
    IS_CHECKED,
    IS_NEAR_THE_END,
    IS_OPEN,
    IS_SWEPT,
    IS_WEDGED,
    JAMMED,
    LAID,
    LAST_AT,
    LAUNCHES,
    LET_AT,
    LET_VELOCITY,
    LONGEST,
    MIRRORED,
    MISSES,
    MOBILE,
    NEXT,
    NUMBER,
    OUT_POSE,
    PASSED_WINDOWS,
    POSITION,
    QUEUE,
    RADIUS,
    RESTITUTION,
    RIM,
    ROWS,
    RUN,
    RUNNING,
    SETTLED,
    SHAKE_X,
    SHAKE_Y,
    SHAPE,
    SHORT,
    STALE,
    STATE,
    STATUS,
    STRENGTH,
    SWEPT,
    TAKEN,
    THERE,
    TIMED_OUT,
    TURN,
    VELOCITY,
    WAKES,
    WINDOW,
    Tables,
)
from tower_sim.physics.core.motion import update_axes
from tower_sim.physics.core.overlap import deepest_overlap, overlap_of
from tower_sim.physics.core.step import deepest, lie_still, take_out, wake_row
from tower_sim.physics.core.trig import sin

GRAVITY = 9.81  # m/s2
MOST_OVERLAP = 0.05
"""The deepest allowed overlap of a cube of a state with another cube or a part (cube edges).

A drop that ends with a deeper overlap does not count as a landing. docs/physics.md says how deep cubes overlap.
"""
SHAKING = 0.1  # s: [assumed] a table knocked by hand moves out and back in about a tenth of a second
HOLD = (
    0.1  # g: [assumed] a weaker knock wakes nothing: a quarter of what friction 0.4 holds, and the engine's own creep
)
_CREEP_SECONDS = 1.0
_FIRM_GOES = 3
_MOST_MISSES = 3  # on average for each cube


@aside
def write_row(
    w: Tables, i: int, x: float, y: float, z: float, a: float, b: float, c: float, d: float,
    hx: float, hy: float, hz: float, friction: float, restitution: float, shape: float,
) -> None:  # fmt: skip
    """Write a body that does not move into a row: pose, half edges, contact with a cube, place of its shape."""
    bodies = w.bodies
    for column in range(bodies.shape[1]):
        bodies[i, column] = 0.0
    for column in range(w.flags.shape[1]):
        w.flags[i, column] = 0
    bodies[i, POSITION], bodies[i, POSITION + 1], bodies[i, POSITION + 2] = x, y, z
    bodies[i, TURN], bodies[i, TURN + 1], bodies[i, TURN + 2], bodies[i, TURN + 3] = a, b, c, d
    bodies[i, HALF], bodies[i, HALF + 1], bodies[i, HALF + 2] = hx, hy, hz
    bodies[i, RADIUS] = math.sqrt(hx * hx + hy * hy + hz * hz)
    bodies[i, FRICTION], bodies[i, RESTITUTION], bodies[i, SHAPE] = friction, restitution, shape
    update_axes(bodies, i)
    for k in range(3):
        bodies[i, BOUNDS + k] = (
            abs(bodies[i, AXES + 3 * k]) * hx
            + abs(bodies[i, AXES + 3 * k + 1]) * hy
            + abs(bodies[i, AXES + 3 * k + 2]) * hz
        )


@inner
def _write_cube(w: Tables, k: int) -> int:
    """Write cube `k`, awake, into the row behind the last one, where it is let go; return the row."""
    bodies, cubes, plan = w.bodies, w.cubes, w.plan
    i, half = w.whole[ROWS], w.real[EDGE] / 2
    write_row(
        w, i, cubes[k, 0], cubes[k, 1], cubes[k, 2], cubes[k, 3], cubes[k, 4], cubes[k, 5], cubes[k, 6],
        half, half, half, plan[CUBE_FRICTION], plan[CUBE_RESTITUTION], 0.0,
    )  # fmt: skip
    for c in range(3):
        bodies[i, BOUNDS + c] = 0.0
    bodies[i, INV_MASS], bodies[i, INV_INERTIA] = plan[CUBE_INV_MASS], plan[CUBE_INV_INERTIA]
    for c in range(6):
        bodies[i, VELOCITY + c] = cubes[k, LET_VELOCITY + c]
    bodies[i, MOBILE] = 1.0
    w.flags[i, AWAKE], w.flags[i, NUMBER] = 1, k
    return i


@aside
def add_cube(w: Tables, k: int) -> None:
    """Add cube `k`, awake, where it is let go."""
    w.whole[ROWS] = _write_cube(w, k) + 1
    w.whole[STALE] = 1
    w.marks[k, STATE] = THERE
    w.drop[CHANGES] += 1
    w.drop[IS_ANSWERED] = 0


@aside
def depth_of(w: Tables, k: int) -> float:
    """Return how deep (m) cube `k` would be in another body where it is let go; its row is written, not counted."""
    i = _write_cube(w, k)
    return overlap_of(w, i, i)


@aside
def _remove(w: Tables, i: int, state: int) -> int:
    """Take the cube in row `i` away; return its number."""
    k = w.flags[i, NUMBER]
    for c in range(7):
        w.cubes[k, OUT_POSE + c] = w.bodies[i, POSITION + c]
    w.marks[k, STATE] = state
    w.drop[CHANGES] += 1
    take_out(w, i)
    return k


@aside
def wake_all(w: Tables) -> None:
    """Wake every cube."""
    w.drop[WAKES] += 1
    for i in range(w.whole[FIXED], w.whole[ROWS]):
        if w.drop[RUN] == MIRRORED:
            w.flags[i, AWAKE] = 1
        else:
            wake_row(w, i)


@inner
def _all_sleep(w: Tables) -> bool:
    awake = 0
    for i in range(w.whole[FIXED], w.whole[ROWS]):
        awake += w.flags[i, AWAKE]
    return awake == 0


@inner
def is_shaking(w: Tables) -> bool:
    """Tell whether the table still moves after a knock."""
    return w.plan[STRENGTH] >= 0.0 and w.drop[PASSED_WINDOWS] * w.real[WINDOW] < SHAKING


@aside
def set_gravity(w: Tables) -> None:
    """Set the gravity of the next window: in the frame of the apparatus a knock is a swing of gravity.

    The table moves out and back along a horizontal line in proportion to sin^4(pi t / SHAKING), so that it begins and
    ends at rest in the same place. At a strength of 1 g it moves by 2.5 mm.
    """
    real, plan = w.real, w.plan
    real[GRAVITY_X], real[GRAVITY_Y], real[GRAVITY_Z] = 0.0, 0.0, -GRAVITY
    if plan[STRENGTH] >= 0.0:
        time = w.drop[PASSED_WINDOWS] * real[WINDOW] + real[WINDOW] / 2
        sine = sin(math.pi * time / SHAKING) if time < SHAKING else 0.0
        u = sine * sine
        swing = plan[STRENGTH] * GRAVITY * (4 * u * u - 3 * u)
        real[GRAVITY_X], real[GRAVITY_Y] = swing * plan[SHAKE_X], swing * plan[SHAKE_Y]


@inner
def _did(w: Tables, i: int) -> int:
    """Return what the cube in row `i` has done, in bits of where.py."""
    if w.rule[0] == ASKED:
        return w.marks[w.flags[i, NUMBER], ANSWER]
    return moved(w.rule, w.bodies[i, POSITION], w.bodies[i, POSITION + 1], w.bodies[i, POSITION + 2])


@inner
def _launch_due(w: Tables) -> None:
    """Let go the cubes whose time has come; status TAKEN if the place of one is not free and it must be."""
    drop, cubes = w.drop, w.cubes
    while drop[NEXT] < drop[LAUNCHES] and cubes[drop[LAID] + drop[NEXT], LET_AT] <= drop[PASSED_WINDOWS]:
        k = drop[LAID] + drop[NEXT]
        if drop[IS_CHECKED] != 0:
            w.plan[DEPTH] = depth_of(w, k)
            if w.plan[DEPTH] > MOST_OVERLAP * w.real[EDGE]:
                drop[STATUS] = TAKEN
                return
        add_cube(w, k)
        drop[NEXT] += 1


@inner
def _catch(w: Tables) -> None:
    """Take the cubes that missed the opening; each will be let go again at half its distance from the middle."""
    drop, cubes, marks = w.drop, w.cubes, w.marks
    i = w.whole[FIXED]
    while i < w.whole[ROWS]:
        if _did(w, i) & MISSED:
            k = _remove(w, i, CAUGHT)
            for c in range(7):
                cubes[k, c] = cubes[k, OUT_POSE + c]
            cubes[k, 0], cubes[k, 1] = cubes[k, 0] / 2, cubes[k, 1] / 2
            cubes[k, 2] = w.plan[RIM] + w.plan[HAND_HEIGHT] + w.real[EDGE]
            for c in range(6):
                cubes[k, LET_VELOCITY + c] = 0.0
            marks[(drop[AGAIN_FIRST] + drop[AGAIN]) % marks.shape[0], QUEUE] = k
            drop[AGAIN] += 1
            drop[MISSES] += 1
        else:
            i += 1


@aside
def come_and_go(w: Tables) -> None:
    """Let go what is due, catch what missed, sweep away what came out; the status tells if the drop ends so."""
    drop = w.drop
    drop[STATUS] = RUNNING
    _launch_due(w)
    if drop[STATUS] == RUNNING and w.rule[0] == ASKED and drop[IS_ANSWERED] == 0:
        drop[STATUS] = ASKING
    if drop[STATUS] != RUNNING:
        return
    _catch(w)
    if drop[MISSES] > _MOST_MISSES * (drop[LAID] + drop[NEXT]):
        drop[STATUS] = ESCAPED_FROM
    for i in range(w.whole[FIXED], w.whole[ROWS]):
        if _did(w, i) & ESCAPED:
            drop[STATUS] = ESCAPED_FROM
    if drop[STATUS] == RUNNING and drop[IS_SWEPT] != 0:
        _take_emerged(w, SWEPT)


@inner
def _take_emerged(w: Tables, state: int) -> bool:
    """Take away the cubes that have come out; tell whether there were any."""
    rows, i = w.whole[ROWS], w.whole[FIXED]
    while i < w.whole[ROWS]:
        if _did(w, i) & EMERGED:
            _remove(w, i, state)
        else:
            i += 1
    return w.whole[ROWS] < rows


@aside
def judge(w: Tables) -> bool:
    """Judge whether the drop is over; tell whether to look again before time passes.

    Where SHORT says that pairs need room, nothing is judged yet: it is called again.
    """
    drop, plan, cubes = w.drop, w.plan, w.cubes
    time, end = drop[PASSED_WINDOWS] * w.real[WINDOW], plan[LONGEST] + plan[LAST_AT]
    asleep = _all_sleep(w)
    if asleep and drop[IS_OPEN] != 0:
        return False  # a hand takes its time
    if asleep and drop[NEXT] == drop[LAUNCHES] and not is_shaking(w):
        is_firm = (drop[GOES] >= _FIRM_GOES or drop[IS_WEDGED] == 0) and _is_sound(w)
        if w.whole[SHORT] != 0:
            return False
        if is_firm:
            if drop[AGAIN] > 0:
                add_cube(w, w.marks[drop[AGAIN_FIRST] % w.marks.shape[0], QUEUE])
                drop[AGAIN_FIRST] += 1
                drop[AGAIN] -= 1
            elif drop[HAS_BOARD] != 0 or not _take_emerged(w, CLEARED):
                drop[STATUS] = SETTLED
                return False
            elif drop[RUN] == MIRRORED:  # such an engine does not wake the neighbours itself
                wake_all(w)
            plan[LAST_AT] = time
            drop[IS_NEAR_THE_END] = 0
            return True
        drop[GOES] += 1
        wake_all(w)
    if time >= end - _CREEP_SECONDS and drop[IS_NEAR_THE_END] == 0:
        drop[IS_NEAR_THE_END] = 1
        for k in range(drop[LAID] + drop[NEXT]):
            cubes[k, EARLIER] = math.inf
        for i in range(w.whole[FIXED], w.whole[ROWS]):
            for c in range(3):
                cubes[w.flags[i, NUMBER], EARLIER + c] = w.bodies[i, POSITION + c]
    if time >= end:
        drop[STATUS] = TIMED_OUT if drop[AGAIN] > 0 else _stopped(w)
    return False


@inner
def _is_sound(w: Tables) -> bool:
    """Tell whether no cube overlaps another or a part by more than a state may have.

    The core is asked first, with all cubes put to sleep: it knows its contacts, and nearly all drops are far from the
    bound.
    """
    most = MOST_OVERLAP * w.real[EDGE]
    if w.drop[RUN] == ALONE:
        lie_still(w)
        if w.whole[SHORT] != 0:
            return False
        if deepest(w) < most / 2:
            return True
    return deepest_overlap(w) <= most


@inner
def _stopped(w: Tables) -> int:
    """Return the status at the end of time: JAMMED if no cube overlaps too deeply, or crept on in the last second."""
    if not _is_sound(w):
        return TIMED_OUT if w.whole[SHORT] == 0 else RUNNING
    bound = w.plan[CREEP] * w.real[EDGE]
    for i in range(w.whole[FIXED], w.whole[ROWS]):
        k = w.flags[i, NUMBER]
        x = w.bodies[i, POSITION] - w.cubes[k, EARLIER]
        y = w.bodies[i, POSITION + 1] - w.cubes[k, EARLIER + 1]
        z = w.bodies[i, POSITION + 2] - w.cubes[k, EARLIER + 2]
        if not math.sqrt(x * x + y * y + z * z) <= bound:
            return TIMED_OUT
    return JAMMED
