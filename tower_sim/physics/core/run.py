"""What is called from outside: a drop is laid out, begun, and goes on window by window; results are read as tables."""

from __future__ import annotations

import math

from tower_sim.apparatus.where import look
from tower_sim.compiled.marks import T, aside, inner
from tower_sim.physics.core import broad, hand, hulls, overlap, sleep, step
from tower_sim.physics.core import drop as drops
from tower_sim.physics.core.arrays import (
    AGAIN,
    ALONE,
    ANSWER,
    ASKING,
    CHANGES,
    EDGE,
    FIRST,
    FIXED,
    GOES,
    IS_ANSWERED,
    IS_DUE,
    IS_NEAR_THE_END,
    LAID,
    LAST_AT,
    LAUNCHES,
    LEFT,
    LET_AT,
    MISSES,
    NEXT,
    NO_DROP,
    NUMBER,
    PAIRS,
    PARTS,
    PASSED_WINDOWS,
    POINTS,
    POSITION,
    ROWS,
    RUN,
    RUNNING,
    SECOND,
    SHORT,
    SHOWN,
    STATUS,
    STRENGTH,
    WINDOW,
    Tables,
)

TOUCH = 27
"""Columns of a table of touches: a cube; the other cube, or -1 - k for fixed part k; points; forces (nN), 3 a point.

A cube is the number of its row in `Tables.cubes`; GONE stands for a body that is not there any more.
"""
GONE = 1e9
_NANO = 1e-9
_GAP = 0.1  # edges: further apart than any engine keeps a contact


def write_row(
    w: Tables, row: int, x: float, y: float, z: float, a: float, b: float, c: float, d: float,
    hx: float, hy: float, hz: float, friction: float, restitution: float, shape: float,
) -> None:  # fmt: skip
    """Write a fixed body into a row: see drop.py."""
    drops.write_row(w, row, x, y, z, a, b, c, d, hx, hy, hz, friction, restitution, shape)


def write_hulls(w: Tables, numbers: T, row: int) -> None:
    """Write fixed hulls into the rows from `row` on, as `numbers` has them: see hulls.py."""
    here, at = 0, 1
    while here < numbers.shape[0]:
        friction, restitution = numbers[here], numbers[here + 1]
        hulls.frame(numbers, here, w.room)
        x, y, z, hx, hy, hz = w.room[0], w.room[1], w.room[2], w.room[3], w.room[4], w.room[5]
        shape, at, here = hulls.write(w.hulls, at, numbers, here, w.room)
        drops.write_row(
            w, row, x, y, z, 0.0, 0.0, 0.0, 1.0, hx, hy, hz, friction, restitution, float(shape)
        )  # fmt: skip
        row += 1


def lay_grid(w: Tables) -> None:
    """List the fixed rows by where they are, when all are written: see broad.py."""
    broad.lay_grid(w)


def let_go(w: Tables, draws: T) -> int:
    """Draw how a hand lets the cubes of a throw go: see hand.py. Returns how many draws it used."""
    return hand.let_go(w, draws)


def put_down(w: Tables, draws: T, zone: int) -> int:
    """Draw where a hand puts a cube down in a zone: see hand.py. Returns how many draws it used."""
    return hand.put_down(w, draws, zone)


def begin(w: Tables, touches: T) -> None:
    """Lay the cubes at rest, pressing on each other as `touches` say; what touched a body that is gone wakes up.

    Where SHORT says that pairs need room, it is called again.
    """
    w.whole[ROWS], w.whole[PAIRS] = w.whole[FIXED], 0
    for k in range(w.drop[LAID]):
        drops.add_cube(w, k)
    if w.drop[RUN] == ALONE:
        step.lie_still(w)
        if w.whole[SHORT] == 0:
            _press(w, touches)


def start(w: Tables) -> None:
    """Start a drop with the launches and the knock that are written; a strong knock wakes all cubes."""
    drop, launches = w.drop, w.drop[LAUNCHES]
    drop[STATUS], drop[IS_DUE], drop[PASSED_WINDOWS] = RUNNING, 1, 0
    drop[GOES], drop[IS_NEAR_THE_END], drop[MISSES], drop[AGAIN] = 0, 0, 0, 0
    w.plan[LAST_AT] = w.cubes[drop[LAID] + launches - 1, LET_AT] * w.real[WINDOW] if drop[NEXT] < launches else 0.0
    if w.plan[STRENGTH] >= drops.HOLD:
        drops.wake_all(w)


@inner
def _row(w: Tables, body: float) -> int:
    """Return the row of a body of a table of touches, -1 if there is none; no cube was taken out yet."""
    fixed = w.whole[FIXED]
    if body >= 0.0:
        return fixed + int(body) if body < w.drop[LAID] else -1
    return int(-1.0 - body) if body >= -fixed else -1


@aside
def _press(w: Tables, touches: T) -> None:
    laid, fixed = w.drop[LAID], w.whole[FIXED]
    for k in range(laid):
        w.marks[k, ANSWER] = 0
    for t in range(touches.shape[0]):
        a, b, points = _row(w, touches[t, 0]), _row(w, touches[t, 1]), int(touches[t, 2])
        if a < 0 or b < 0:
            if a >= fixed:
                w.marks[a - fixed, ANSWER] = 1
            if b >= fixed:
                w.marks[b - fixed, ANSWER] = 1
            continue
        for pair in range(w.whole[PAIRS]):
            if w.pairs[pair, FIRST] == a and w.pairs[pair, SECOND] == b and w.pairs[pair, POINTS] == points:
                for k in range(points):
                    for c in range(3):
                        w.touches[pair, k, 3 + c] = touches[t, 3 + 3 * k + c] * _NANO
    for k in range(laid):
        if w.marks[k, ANSWER] != 0:
            step.wake_row(w, fixed + k)


def list_touches(w: Tables, touches: T) -> int:
    """List which bodies touch after `lie_still`, in a table with room for all pairs; return how many do."""
    fixed, found = w.whole[FIXED], 0
    for pair in range(w.whole[PAIRS]):
        points, other = w.pairs[pair, POINTS], w.pairs[pair, SECOND]
        if points > 0:
            touches[found, 0] = w.flags[w.pairs[pair, FIRST], NUMBER]
            touches[found, 1] = w.flags[other, NUMBER] if other >= fixed else -1 - other
            touches[found, 2] = points
            for k in range(points):
                for c in range(3):
                    touches[found, 3 + 3 * k + c] = math.floor(w.touches[pair, k, 3 + c] / _NANO + 0.5)
            found += 1
    return found


def find_far_touch(w: Tables, touches: T) -> int:
    """Return the first of `touches` whose bodies are too far apart, -1 if there is none; those of gone bodies pass."""
    reach = (math.sqrt(3.0) / 2 + _GAP) * w.real[EDGE]
    for t in range(touches.shape[0]):
        a, b = _row(w, touches[t, 0]), _row(w, touches[t, 1])
        if a >= 0 and b >= 0:
            square = 0.0
            for k in range(3):
                over = max(overlap.distance_along(w.bodies, a, b, k), 0.0)
                square += over * over
            if math.sqrt(square) > reach:
                return t
    return -1


def find_places(w: Tables, poses: T, places: T, zones: T, on: T) -> None:
    """Find where the cubes at `poses` are, and what each has done: see where.py."""
    look(w.rule, w.real[EDGE], poses, places, zones, on, w.desk)


def come_and_go(w: Tables) -> None:
    """Do the first half of a look, for a mirrored engine: see drop.py."""
    drops.come_and_go(w)


def judge(w: Tables) -> int:
    """Do the second half of a look, for a mirrored engine; return whether to look again before time passes."""
    return 1 if drops.judge(w) else 0


def set_gravity(w: Tables) -> None:
    """Set the gravity of the next window, for a mirrored engine."""
    drops.set_gravity(w)


def depth_of(w: Tables, k: int) -> float:
    """Return how deep (m) cube `k` would be in another body where it is let go."""
    return drops.depth_of(w, k)


def deepest_overlap(w: Tables) -> float:
    """Return the greatest overlap (m) of a cube with another or with a fixed part; 0 if there is none."""
    return overlap.deepest_overlap(w)


def deepest(w: Tables) -> float:
    """Return how deep (m) the deepest contact of the last step is, or of all after `lie_still`."""
    return step.deepest(w)


def lie_still(w: Tables) -> None:
    """Put all to sleep where they are, and look at who touches whom: see step.py."""
    step.lie_still(w)


def wake_row(w: Tables, row: int) -> None:
    """Wake a row with all that touch it, directly or through others."""
    step.wake_row(w, row)


def take_out(w: Tables, row: int) -> None:
    """Take a cube's row out, with its pairs; what touched it wakes up, and rows behind it move up by one."""
    step.take_out(w, row)


def go_on(w: Tables, film: T, windows: int, seconds: float, steps: int) -> int:
    """Take up to `windows` windows of a drop, and look at the cubes before each; return how many.

    It ends early when the drop is over, when it asks where cubes are (ASKING), when pairs need room (SHORT: again it
    goes on where it was), or, if the poses of the cubes after each window are wanted in `film`, shape
    (windows, cubes, 7), when a cube came or went. Without a drop it ends when all sleep. For 0 windows it then takes
    `steps` steps of `seconds` and no more: a function for these alone would hold all that a step is once again, and be
    compiled as long.
    """
    whole, real, bodies, flags, drop = w.whole, w.real, w.bodies, w.flags, w.drop
    taken, goes_on = 0, whole[SHORT] != 0
    whole[SHORT] = 0
    while True:
        if whole[LEFT] == 0:
            if drop[RUN] == ALONE:
                while drop[IS_DUE] != 0:
                    drops.come_and_go(w)
                    if drop[STATUS] == ASKING:
                        return taken
                    again = drop[STATUS] == RUNNING and drops.judge(w)
                    if whole[SHORT] != 0:
                        return taken
                    if drop[STATUS] != RUNNING or not again:
                        drop[IS_DUE] = 0
                if drop[STATUS] != RUNNING or taken == windows:
                    return taken
                if film.shape[0] > 0 and (taken > 0 or goes_on) and drop[CHANGES] != whole[SHOWN]:
                    return taken
                whole[SHOWN] = drop[CHANGES]
                drops.set_gravity(w)
            if windows > 0:
                steps = step.steps_of_window(whole, real, bodies, flags)
                whole[PARTS] = steps
            whole[LEFT] = steps
        if windows > 0:
            seconds = real[WINDOW] / whole[PARTS]
        while whole[LEFT] > 0:
            if not step.take_step(w, seconds):
                return taken
            whole[LEFT] -= 1
        if windows == 0:
            return 0
        if film.shape[0] > 0:
            for i in range(whole[FIXED], whole[ROWS]):
                for c in range(7):
                    film[taken, i - whole[FIXED], c] = bodies[i, POSITION + c]
        taken += 1
        drop[PASSED_WINDOWS] += 1
        drop[IS_DUE], drop[IS_ANSWERED] = 1, 0
        all_sleep = sleep.fall_asleep(whole, real, bodies, flags, w.pairs)
        if drop[RUN] == NO_DROP and (all_sleep or taken == windows):
            return taken
