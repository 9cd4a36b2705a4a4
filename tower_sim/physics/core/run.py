"""What is called from outside: a drop is laid out, begun, and goes on window by window; results are read as tables."""

from __future__ import annotations

import math

from tower_sim.apparatus.where import look
from tower_sim.compiled.marks import T, aside, inner
from tower_sim.physics.core import drop as drops
from tower_sim.physics.core import hulls, overlap, sleep, step
from tower_sim.physics.core.arrays import ALONE, ASKING, NO_DROP, RUNNING, Tables

TOUCH = 27
"""Columns of a table of touches: a cube; the other cube, or -1 - k for fixed part k; points; forces (nN), 3 a point.

A cube is the number of its row in `Tables.cubes`; GONE stands for a body that is not there any more.
"""
GONE = 1e9
_NANO = 1e-9
_GAP = 0.1  # edges: further apart than any engine keeps a contact


def write_hulls(w: Tables, numbers: T, row: int) -> None:
    """Write fixed hulls into the rows from `row` on, as `numbers` has them: see hulls.py."""
    here, at = 0, 1
    while here < numbers.shape[0]:
        friction, restitution = numbers[here], numbers[here + 1]
        hulls.frame(numbers, here, w.room)
        x, y, z, hx, hy, hz = w.room[0], w.room[1], w.room[2], w.room[3], w.room[4], w.room[5]
        shape, at, here = hulls.write(w.hulls, at, numbers, here, w.room)
        drops.write_row(w, row, x, y, z, 0.0, 0.0, 0.0, 1.0, hx, hy, hz, friction, restitution, float(shape))
        row += 1


def begin(w: Tables, touches: T) -> None:
    """Lay the cubes at rest, pressing on each other as `touches` say; what touched a body that is gone wakes up.

    Where `short` says that pairs need room, it is called again.
    """
    now, drop = w.whole[0], w.drop[0]
    now.rows, now.pairs = now.fixed, 0
    for k in range(drop.laid):
        drops.add_cube(w, k)
    if drop.run == ALONE:
        step.lie_still(w)
        if now.short == 0:
            _press(w, touches)


def start(w: Tables) -> None:
    """Start a drop with the launches and the knock that are written; a strong knock wakes all cubes."""
    drop, plan = w.drop[0], w.plan[0]
    drop.status, drop.is_due, drop.passed_windows = RUNNING, 1, 0
    drop.goes, drop.is_near_the_end, drop.misses, drop.again = 0, 0, 0, 0
    plan.last_at = 0.0
    if drop.next < drop.launches:
        plan.last_at = w.cubes[drop.laid + drop.launches - 1].let_at * w.real[0].window
    if plan.strength >= drops.HOLD:
        drops.wake_all(w)


@inner
def _row(w: Tables, body: float) -> int:
    """Return the row of a body of a table of touches, -1 if there is none; no cube was taken out yet."""
    fixed = w.whole[0].fixed
    if body >= 0.0:
        return fixed + int(body) if body < w.drop[0].laid else -1
    return int(-1.0 - body) if body >= -fixed else -1


@aside
def _press(w: Tables, touches: T) -> None:
    laid, fixed = w.drop[0].laid, w.whole[0].fixed
    for k in range(laid):
        w.marks[k].answer = 0
    for t in range(touches.shape[0]):
        a, b, points = _row(w, touches[t, 0]), _row(w, touches[t, 1]), int(touches[t, 2])
        if a < 0 or b < 0:
            if a >= fixed:
                w.marks[a - fixed].answer = 1
            if b >= fixed:
                w.marks[b - fixed].answer = 1
            continue
        for p in range(w.whole[0].pairs):
            pair = w.pairs[p]
            if pair.first == a and pair.second == b and pair.points == points:
                for k in range(points):
                    for c in range(3):
                        w.touches[p].points[k].force[c] = touches[t, 3 + 3 * k + c] * _NANO
    for k in range(laid):
        if w.marks[k].answer != 0:
            step.wake_row(w, fixed + k)


def list_touches(w: Tables, touches: T) -> int:
    """List which bodies touch after `lie_still`, in a table with room for all pairs; return how many do."""
    fixed, found = w.whole[0].fixed, 0
    for p in range(w.whole[0].pairs):
        pair = w.pairs[p]
        if pair.points > 0:
            touches[found, 0] = w.flags[pair.first].number
            touches[found, 1] = w.flags[pair.second].number if pair.second >= fixed else -1 - pair.second
            touches[found, 2] = pair.points
            for k in range(pair.points):
                for c in range(3):
                    touches[found, 3 + 3 * k + c] = math.floor(w.touches[p].points[k].force[c] / _NANO + 0.5)
            found += 1
    return found


def find_far_touch(w: Tables, touches: T) -> int:
    """Return the first of `touches` whose bodies are too far apart, -1 if there is none; those of gone bodies pass."""
    reach = (math.sqrt(3.0) / 2 + _GAP) * w.real[0].edge
    for t in range(touches.shape[0]):
        a, b = _row(w, touches[t, 0]), _row(w, touches[t, 1])
        if a >= 0 and b >= 0:
            square = 0.0
            for k in range(3):
                over = max(overlap.distance_along(w.bodies[a], w.bodies[b], k), 0.0)
                square += over * over
            if math.sqrt(square) > reach:
                return t
    return -1


def find_places(w: Tables, poses: T, places: T, zones: T, on: T) -> None:
    """Find where the cubes at `poses` are, and what each has done: see where.py."""
    look(w.rule, w.real[0].edge, poses, places, zones, on, w.desk)


def judge(w: Tables) -> int:
    """Do the second half of a look, for a mirrored engine; return whether to look again before time passes."""
    return 1 if drops.judge(w) else 0


def go_on(w: Tables, film: T, windows: int, seconds: float, steps: int) -> int:
    """Take up to `windows` windows of a drop, and look at the cubes before each; return how many.

    It ends early when the drop is over, when it asks where cubes are (ASKING), when pairs need room (`short`: again
    it goes on where it was), or, if the poses of the cubes after each window are wanted in `film`, shape
    (windows, cubes, 7), when a cube came or went. Without a drop it ends when all sleep. For 0 windows it then takes
    `steps` steps of `seconds` and no more: a function for these alone would hold all that a step is once again, and be
    compiled as long.
    """
    now, drop = w.whole[0], w.drop[0]
    taken, goes_on = 0, now.short != 0
    now.short = 0
    while True:
        if now.left == 0:
            if drop.run == ALONE:
                while drop.is_due != 0:
                    drops.come_and_go(w)
                    if drop.status == ASKING:
                        return taken
                    again = drop.status == RUNNING and drops.judge(w)
                    if now.short != 0:
                        return taken
                    if drop.status != RUNNING or not again:
                        drop.is_due = 0
                if drop.status != RUNNING or taken == windows:
                    return taken
                if film.shape[0] > 0 and (taken > 0 or goes_on) and drop.changes != now.shown:
                    return taken
                now.shown = drop.changes
                drops.set_gravity(w)
            if windows > 0:
                steps = step.steps_of_window(w)
                now.parts = steps
            now.left = steps
        if windows > 0:
            seconds = w.real[0].window / now.parts
        while now.left > 0:
            if not step.take_step(w, seconds):
                return taken
            now.left -= 1
        if windows == 0:
            return 0
        if film.shape[0] > 0:
            for i in range(now.fixed, now.rows):
                for c in range(3):
                    film[taken, i - now.fixed, c] = w.bodies[i].position[c]
                for c in range(4):
                    film[taken, i - now.fixed, 3 + c] = w.bodies[i].turn[c]
        taken += 1
        drop.passed_windows += 1
        drop.is_due, drop.is_answered = 1, 0
        all_sleep = sleep.fall_asleep(w)
        if drop.run == NO_DROP and (all_sleep or taken == windows):
            return taken
