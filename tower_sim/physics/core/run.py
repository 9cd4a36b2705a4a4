"""What is called from outside: a drop is laid out, begun, and goes on window by window; results are read as tables."""

from __future__ import annotations

import math

from tower_sim.apparatus.where import ASKED, LOST, TRAY, look, moved
from tower_sim.compiled.marks import R, T, aside, inner
from tower_sim.physics.core import drop as drops
from tower_sim.physics.core import hulls as solids
from tower_sim.physics.core import sleep, step
from tower_sim.physics.core.arrays import ALONE, ASKING, CLEARED, NO_DROP, RUNNING, SWEPT, THERE, Tables, clear_row
from tower_sim.physics.core.broad import lay_grid
from tower_sim.physics.core.vectors import xyz

TOUCH = 27
"""Columns of a table of touches: a cube; the other cube, or -1 - k for fixed part k; points; forces (nN), 3 a point.

A cube is there by its number for people. One that is not there any more is passed over.
"""
UNTIMELY, TURNED, FAST, AWAY, DEEP = range(1, 6)
"""Problems of a launch: its time, its turn, its speeds, its place out of the apparatus, or a place that is not free."""
MOST_PROBLEMS = 8
LATEST = 120.0  # s: the latest time at which a cube of a throw is let go
FASTEST, MOST_SPIN = 10.0, 300.0  # m/s and rad/s along each axis: the limits of a cube thrown by hand
UNIT = 1e-6  # how far from 1 the square of a unit quaternion may be
_NANO = 1e-9


def build(w: Tables, boxes: T, hulls: T) -> None:
    """Write the fixed parts: a box is centre, turn, half edges, friction, restitution; hulls are as hulls.py says."""
    now, row = w.whole[0], len(boxes)
    for i in range(row):
        drops.write_row(
            w, i, boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3], boxes[i, 4], boxes[i, 5], boxes[i, 6],
            boxes[i, 7], boxes[i, 8], boxes[i, 9], boxes[i, 10], boxes[i, 11], 0.0,
        )  # fmt: skip
    here, at = 0, 1
    while here < len(hulls):
        friction, restitution = hulls[here], hulls[here + 1]
        solids.frame(hulls, here, w.room)
        x, y, z, hx, hy, hz = w.room[0], w.room[1], w.room[2], w.room[3], w.room[4], w.room[5]
        shape, at, here = solids.write(w.hulls, at, hulls, here, w.room)
        drops.write_row(w, row, x, y, z, 0.0, 0.0, 0.0, 1.0, hx, hy, hz, friction, restitution, float(shape))
        row += 1
    now.fixed = now.rows = row
    lay_grid(w)


def lay(w: Tables, laid: T, touches: T, inside: int) -> None:
    """Empty the world but for its fixed parts, and lay cubes to rest: rows of a number and a pose, those inside first.

    They press on each other as `touches` say; what touched a body that is gone wakes up. Where `short` says that pairs
    need room, it is called again.
    """
    now, drop = w.whole[0], w.drop[0]
    fixed, way, is_swept, has_board = now.fixed, drop.run, drop.is_swept, drop.has_board
    clear_row(w.whole, 0)
    clear_row(w.drop, 0)
    now.fixed = now.rows = fixed
    drop.run, drop.is_swept, drop.has_board = way, is_swept, has_board
    drop.laid, drop.inside = len(laid), inside
    for i in range(fixed):
        clear_row(w.flags, i)
    for k in range(len(w.marks)):
        clear_row(w.marks, k)
    for k in range(len(laid)):
        clear_row(w.cubes, k)
        w.marks[k].id = int(laid[k, 0])
        for c in range(7):
            w.cubes[k].pose[c] = laid[k, 1 + c]
        drops.add_cube(w, k)
        w.marks[k].listed = THERE
    if way == ALONE:
        step.lie_still(w)
        if now.short == 0:
            _press(w, touches)


def launch(w: Tables, rows: T, is_checked: int) -> int:
    """Write launches of the next drop: rows of a cube's number, its time (windows), pose, velocity and spin.

    If `is_checked`, a hand must be able to do so, at a place that is free then. Returns 0, or which of the PROBLEMS the
    first row has that is not so, and MOST_PROBLEMS times its index; then nothing is launched. In a drop that is open a
    cube goes at once, and `depth` says how deep it would be.
    """
    drop, plan = w.drop[0], w.plan[0]
    first = drop.laid + drop.launches
    for i in range(len(rows)):
        cube = w.cubes[first + i]
        w.marks[first + i].id = int(rows[i, 0])
        cube.let_at = rows[i, 1]
        for c in range(7):
            cube.pose[c] = rows[i, 2 + c]
        for c in range(3):
            cube.let_velocity[c], cube.let_spin[c] = rows[i, 9 + c], rows[i, 12 + c]
        if is_checked != 0:
            problem = _problem_of(w, cube, w.cubes[first + i - 1].let_at if drop.launches + i > 0 else 0.0)
            if problem == 0 and drop.is_open != 0:
                plan.depth = drops.depth_of(w, first + i)
                problem = DEEP if plan.depth > drops.MOST_OVERLAP * w.real[0].edge else 0
            if problem != 0:
                return MOST_PROBLEMS * i + problem
    drop.launches, drop.is_checked = drop.launches + len(rows), is_checked
    if drop.is_open != 0:
        drop.is_near_the_end, drop.is_due = 0, 1
        plan.last_at = w.cubes[drop.laid + drop.launches - 1].let_at * w.real[0].window
    return 0


@inner
def _problem_of(w: Tables, cube: R, before: float) -> int:
    """Return why no hand lets a cube go so, after one that it let go at `before` (windows); 0 if one can."""
    pose, fastest, spin = cube.pose, 0.0, 0.0
    if cube.let_at != math.floor(cube.let_at) or not before <= cube.let_at:
        return UNTIMELY
    if not cube.let_at * w.real[0].window <= LATEST:
        return UNTIMELY
    if not abs(pose[3] * pose[3] + pose[4] * pose[4] + pose[5] * pose[5] + pose[6] * pose[6] - 1.0) < UNIT:
        return TURNED
    for c in range(3):
        fastest, spin = max(fastest, abs(cube.let_velocity[c])), max(spin, abs(cube.let_spin[c]))
    if fastest > FASTEST or spin > MOST_SPIN:
        return FAST
    return AWAY if w.rule[0] != ASKED and moved(w.rule, *xyz(pose)) != 0 else 0


def start(w: Tables, strength: float, x: float, y: float, is_open: int) -> None:
    """Start a drop with the launches that are written; more may come if it `is_open`.

    A knock has a strength (g; none is below 0) and a direction; a strong one wakes all cubes.
    """
    drop, plan = w.drop[0], w.plan[0]
    plan.strength, plan.shake[0], plan.shake[1] = strength, x, y
    drop.status, drop.is_due, drop.passed_windows, drop.is_open = RUNNING, 1, 0, is_open
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
    if body < 0.0:
        return int(-1.0 - body) if body >= -fixed else -1
    for k in range(w.drop[0].laid):
        if w.marks[k].id == body:
            return fixed + k
    return -1


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
            touches[found, 0] = _id(w, pair.first)
            touches[found, 1] = _id(w, pair.second) if pair.second >= fixed else -1 - pair.second
            touches[found, 2] = pair.points
            for k in range(pair.points):
                for c in range(3):
                    touches[found, 3 + 3 * k + c] = math.floor(w.touches[p].points[k].force[c] / _NANO + 0.5)
            found += 1
    return found


@inner
def _id(w: Tables, row: int) -> int:
    """Return the number, for people, of the cube in a row."""
    return w.marks[w.flags[row].number].id


def read(w: Tables, states: T, poses: T, places: T, zones: T, on: T) -> int:
    """Read where all cubes are that were ever there; return how many still are.

    Those come first, in the engine's order, then those that were taken away at a pose, then all others. A row of
    `states` has a cube's number and state. The other tables are those of where.py; one of a kind that is asked stays as
    it is.
    """
    fixed, cubes = w.whole[0].fixed, w.drop[0].laid + w.drop[0].launches
    there = w.whole[0].rows - fixed
    for i in range(there):
        body = w.bodies[fixed + i]
        states[i, 0], states[i, 1] = _id(w, fixed + i), THERE
        for c in range(3):
            poses[i, c] = body.position[c]
        for c in range(4):
            poses[i, 3 + c] = body.turn[c]
    cleared = there
    for k in range(cubes):
        if w.marks[k].state == CLEARED:
            states[cleared, 0], states[cleared, 1] = w.marks[k].id, CLEARED
            for c in range(7):
                poses[cleared, c] = w.cubes[k].out_pose[c]
            cleared += 1
    last = cleared
    for k in range(cubes):
        state = w.marks[k].state
        if state != THERE and state != CLEARED:
            states[last, 0], states[last, 1] = w.marks[k].id, state
            places[last, 0], zones[last, 0] = TRAY if state == SWEPT else LOST, -1
            last += 1
    if w.rule[0] != ASKED:
        for part in range(2):  # what was taken away lies on nothing that is there
            i, j = part * there, there if part == 0 else cleared
            look(w.rule, w.real[0].edge, poses[i:j], places[i:j], zones[i:j], on[i:j], w.desk)
    return there


def changes(w: Tables, states: T) -> int:
    """List the cubes, by number, whose state is another than when they were last listed; return how many."""
    found = 0
    for k in range(w.drop[0].laid + w.drop[0].launches):
        mark = w.marks[k]
        if mark.state != mark.listed:
            mark.listed = mark.state
            states[found, 0], states[found, 1] = mark.id, mark.state
            found += 1
    return found


def did(w: Tables, x: float, y: float, z: float) -> int:
    """Return what a cube with its centre at x, y, z has done: see where.py."""
    return moved(w.rule, x, y, z)


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
    goes_on = now.short != 0
    taken = now.filmed if goes_on else 0
    now.short, now.filmed = 0, taken
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
        now.filmed = taken
        drop.passed_windows += 1
        drop.is_due, drop.is_answered = 1, 0
        all_sleep = sleep.fall_asleep(w)
        if drop.run == NO_DROP and (all_sleep or taken == windows):
            return taken
