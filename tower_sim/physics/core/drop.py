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
from tower_sim.compiled.trig import sin
from tower_sim.physics.core import arrays
from tower_sim.physics.core.arrays import RUNNING, Tables, clear_row
from tower_sim.physics.core.motion import update_axes
from tower_sim.physics.core.overlap import deepest_overlap, overlap_of
from tower_sim.physics.core.step import deepest, lie_still, take_out, wake_row
from tower_sim.physics.core.vectors import xyz

GRAVITY = 9.81  # m/s2
MOST_OVERLAP = 0.05
"""The deepest allowed overlap of a cube of a state with another cube or a part (cube edges).

A drop that ends with a deeper overlap does not count as a landing. docs/physics.md says how deep cubes overlap.
"""
SHAKING = 0.1  # s: [assumed] a table knocked by hand moves out and back in about a tenth of a second
HOLD = 0.1
"""g: [assumed] a weaker knock wakes nothing: a quarter of what friction 0.4 holds, and the engine's own creep."""
_CREEP_SECONDS = 1.0
_FIRM_GOES = 3
_MOST_MISSES = 3  # on average for each cube


@aside
def write_row(
    w: Tables, i: int, x: float, y: float, z: float, a: float, b: float, c: float, d: float,
    hx: float, hy: float, hz: float, friction: float, restitution: float, shape: float,
) -> None:  # fmt: skip
    """Write a body that does not move into a row: pose, half edges, contact with a cube, place of its shape."""
    clear_row(w.bodies, i)
    clear_row(w.flags, i)
    body = w.bodies[i]
    body.position[0], body.position[1], body.position[2] = x, y, z
    body.turn[0], body.turn[1], body.turn[2], body.turn[3] = a, b, c, d
    body.half[0], body.half[1], body.half[2] = hx, hy, hz
    body.radius = math.sqrt(hx * hx + hy * hy + hz * hz)
    body.friction, body.restitution, body.hull = friction, restitution, shape
    update_axes(body)
    for k in range(3):
        body.bounds[k] = abs(body.axes[k, 0]) * hx + abs(body.axes[k, 1]) * hy + abs(body.axes[k, 2]) * hz


@inner
def _write_cube(w: Tables, k: int) -> int:
    """Write cube `k`, awake, into the row behind the last one, where it is let go; return the row."""
    i, half, cube, plan = w.whole[0].rows, w.real[0].edge / 2, w.cubes[k], w.plan[0]
    pose = cube.pose
    write_row(
        w, i, pose[0], pose[1], pose[2], pose[3], pose[4], pose[5], pose[6],
        half, half, half, plan.cube_friction, plan.cube_restitution, 0.0,
    )  # fmt: skip
    body = w.bodies[i]
    body.inv_mass, body.inv_inertia, body.mobile = plan.cube_inv_mass, plan.cube_inv_inertia, 1.0
    for c in range(3):
        body.bounds[c], body.velocity[c], body.spin[c] = 0.0, cube.let_velocity[c], cube.let_spin[c]
    w.flags[i].awake, w.flags[i].number = 1, k
    return i


@aside
def add_cube(w: Tables, k: int) -> None:
    """Add cube `k`, awake, where it is let go."""
    now, drop = w.whole[0], w.drop[0]
    now.rows, now.stale = _write_cube(w, k) + 1, 1
    w.marks[k].state = arrays.THERE
    drop.changes += 1
    drop.is_answered = 0


@aside
def depth_of(w: Tables, k: int) -> float:
    """Return how deep (m) cube `k` would be in another body where it is let go; its row is written, not counted."""
    i = _write_cube(w, k)
    return overlap_of(w, i, i)


@aside
def _remove(w: Tables, i: int, state: int) -> int:
    """Take the cube in row `i` away; return its number."""
    k, body = w.flags[i].number, w.bodies[i]
    cube = w.cubes[k]
    for c in range(3):
        cube.out_pose[c] = body.position[c]
    for c in range(4):
        cube.out_pose[3 + c] = body.turn[c]
    w.marks[k].state = state
    w.drop[0].changes += 1
    take_out(w, i)
    return k


@aside
def wake_all(w: Tables) -> None:
    """Wake every cube."""
    now, drop = w.whole[0], w.drop[0]
    drop.wakes += 1
    for i in range(now.fixed, now.rows):
        if drop.run == arrays.MIRRORED:
            w.flags[i].awake = 1
        else:
            wake_row(w, i)


@inner
def _time(w: Tables) -> float:
    """Return how long (s) the drop has run."""
    return w.drop[0].passed_windows * w.real[0].window


@aside
def set_gravity(w: Tables) -> None:
    """Set the gravity of the next window: in the frame of the apparatus a knock is a swing of gravity.

    The table moves out and back along a horizontal line in proportion to sin^4(pi t / SHAKING), so that it begins and
    ends at rest in the same place. At a strength of 1 g it moves by 2.5 mm.
    """
    settings, plan, time = w.real[0], w.plan[0], _time(w)
    gravity = settings.gravity
    gravity[0], gravity[1], gravity[2] = 0.0, 0.0, -GRAVITY
    if plan.strength >= 0.0:
        time += settings.window / 2
        sine = sin(math.pi * time / SHAKING) if time < SHAKING else 0.0
        u = sine * sine
        swing = plan.strength * GRAVITY * (4 * u * u - 3 * u)
        gravity[0], gravity[1] = swing * plan.shake[0], swing * plan.shake[1]


@inner
def _did(w: Tables, i: int) -> int:
    """Return what the cube in row `i` has done, in bits of where.py."""
    if w.rule[0] == ASKED:
        return w.marks[w.flags[i].number].answer
    return moved(w.rule, *xyz(w.bodies[i].position))


@inner
def _launch_due(w: Tables) -> None:
    """Let go the cubes whose time has come; status TAKEN if the place of one is not free and it must be."""
    drop, plan = w.drop[0], w.plan[0]
    while drop.next < drop.launches:
        k = drop.laid + drop.next
        if w.cubes[k].let_at > drop.passed_windows:
            return
        if drop.is_checked != 0:
            plan.depth = depth_of(w, k)
            if plan.depth > MOST_OVERLAP * w.real[0].edge:
                drop.status = arrays.TAKEN
                return
        add_cube(w, k)
        drop.next += 1


@inner
def _catch(w: Tables) -> None:
    """Take the cubes that missed the opening; each will be let go again at half its distance from the middle."""
    now, drop, plan, marks = w.whole[0], w.drop[0], w.plan[0], w.marks
    i = now.fixed
    while i < now.rows:
        if _did(w, i) & MISSED:
            k = _remove(w, i, arrays.CAUGHT)
            cube = w.cubes[k]
            for c in range(7):
                cube.pose[c] = cube.out_pose[c]
            cube.pose[0], cube.pose[1] = cube.pose[0] / 2, cube.pose[1] / 2
            cube.pose[2] = plan.rim + plan.hand_height + w.real[0].edge
            for c in range(3):
                cube.let_velocity[c], cube.let_spin[c] = 0.0, 0.0
            marks[(drop.again_first + drop.again) % len(marks)].queue = k
            drop.again += 1
            drop.misses += 1
        else:
            i += 1


@aside
def come_and_go(w: Tables) -> None:
    """Let go what is due, catch what missed, sweep away what came out; the status tells if the drop ends so."""
    now, drop = w.whole[0], w.drop[0]
    drop.status = RUNNING
    _launch_due(w)
    if drop.status == RUNNING and w.rule[0] == ASKED and drop.is_answered == 0:
        drop.status = arrays.ASKING
    if drop.status != RUNNING:
        return
    _catch(w)
    if drop.misses > _MOST_MISSES * (drop.laid + drop.next):
        drop.status = arrays.ESCAPED_FROM
    for i in range(now.fixed, now.rows):
        if _did(w, i) & ESCAPED:
            drop.status = arrays.ESCAPED_FROM
    if drop.status == RUNNING and drop.is_swept != 0:
        _take_emerged(w, arrays.SWEPT)


@inner
def _take_emerged(w: Tables, state: int) -> bool:
    """Take away the cubes that have come out; tell whether there were any."""
    now = w.whole[0]
    rows, i = now.rows, now.fixed
    while i < now.rows:
        if _did(w, i) & EMERGED:
            _remove(w, i, state)
        else:
            i += 1
    return now.rows < rows


@aside
def judge(w: Tables) -> bool:
    """Judge whether the drop is over; tell whether to look again before time passes.

    Where `short` says that pairs need room, nothing is judged yet: it is called again.
    """
    now, drop, plan, marks = w.whole[0], w.drop[0], w.plan[0], w.marks
    time, end = _time(w), plan.longest + plan.last_at
    asleep = True
    for i in range(now.fixed, now.rows):
        asleep = asleep and w.flags[i].awake == 0
    if asleep and drop.is_open != 0:
        return False  # a hand takes its time
    if asleep and drop.next == drop.launches and not (plan.strength >= 0.0 and time < SHAKING):
        is_firm = (drop.goes >= _FIRM_GOES or drop.is_wedged == 0) and _is_sound(w)
        if now.short != 0:
            return False
        if is_firm:
            if drop.again > 0:
                add_cube(w, marks[drop.again_first % len(marks)].queue)
                drop.again_first += 1
                drop.again -= 1
            elif drop.has_board != 0 or not _take_emerged(w, arrays.CLEARED):
                drop.status = arrays.SETTLED
                return False
            elif drop.run == arrays.MIRRORED:  # such an engine does not wake the neighbours itself
                wake_all(w)
            plan.last_at = time
            drop.is_near_the_end = 0
            return True
        drop.goes += 1
        wake_all(w)
    if time >= end - _CREEP_SECONDS and drop.is_near_the_end == 0:
        drop.is_near_the_end = 1
        for k in range(drop.laid + drop.next):
            w.cubes[k].earlier[0] = math.inf
        for i in range(now.fixed, now.rows):
            for c in range(3):
                w.cubes[w.flags[i].number].earlier[c] = w.bodies[i].position[c]
    if time >= end:
        drop.status = arrays.TIMED_OUT if drop.again > 0 else _stopped(w)
    return False


@inner
def _is_sound(w: Tables) -> bool:
    """Tell whether no cube overlaps another or a part by more than a state may have.

    The core is asked first, with all cubes put to sleep: it knows its contacts, and nearly all drops are far from the
    bound.
    """
    most = MOST_OVERLAP * w.real[0].edge
    if w.drop[0].run == arrays.ALONE:
        lie_still(w)
        if w.whole[0].short != 0:
            return False
        if deepest(w) < most / 2:
            return True
    return deepest_overlap(w) <= most


@inner
def _stopped(w: Tables) -> int:
    """Return the status at the end of time: JAMMED if no cube overlaps too deeply, or crept on in the last second."""
    if not _is_sound(w):
        return arrays.TIMED_OUT if w.whole[0].short == 0 else RUNNING
    now, bound = w.whole[0], w.plan[0].creep * w.real[0].edge
    for i in range(now.fixed, now.rows):
        x, y, z = xyz(w.cubes[w.flags[i].number].earlier)
        x, y, z = w.bodies[i].position[0] - x, w.bodies[i].position[1] - y, w.bodies[i].position[2] - z
        if not math.sqrt(x * x + y * y + z * z) <= bound:
            return arrays.TIMED_OUT
    return arrays.JAMMED
