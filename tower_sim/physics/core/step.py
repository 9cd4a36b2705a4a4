"""The engine: a step reads as the algorithm, a window chooses its steps; cubes are put to sleep, woken, taken out."""

from __future__ import annotations

import math

from tower_sim.compiled.marks import R, aside, inner
from tower_sim.physics.core import sleep
from tower_sim.physics.core.arrays import Tables, copy_row
from tower_sim.physics.core.broad import copy_pair, have_moved, seek_pairs
from tower_sim.physics.core.contacts import delay_impacts, keep_forces, prepare
from tower_sim.physics.core.correction import push_apart
from tower_sim.physics.core.hulls import collide_hull
from tower_sim.physics.core.motion import fall, fastest, integrate, update_axes
from tower_sim.physics.core.narrow import APART, collide, remember
from tower_sim.physics.core.solver import solve, solve_late_impacts
from tower_sim.physics.core.vectors import size

_NANO = 1e-9


@inner
def take_step(w: Tables, step: float) -> bool:
    """Take one step; tells whether there was room for all pairs. If not, nothing has happened."""
    now = w.whole[0]
    # Broad phase
    if have_moved(w) and not seek_pairs(w):
        return False
    # Gravity
    for i in range(now.fixed, now.rows):
        body = w.bodies[i]
        body.reach = 0.0
        for c in range(3):
            body.shift[c], body.shift_turn[c] = 0.0, 0.0
        if w.flags[i].awake != 0:
            fall(w, i, step)
    # Narrow phase, until nobody else is woken by what comes near
    now.look += 1
    while _find_contacts(w, step):
        pass
    # Contacts
    prepare(w, step)
    # Solver
    solve(w)
    keep_forces(w, step)
    delay_impacts(w)
    solve_late_impacts(w, step)
    # Correction
    pushed = push_apart(w)
    # Integration
    integrate(w, step, pushed)
    now.steps += 1
    return True


@inner
def _find_contacts(w: Tables, step: float) -> bool:
    """Find the contacts of all that is awake and was not looked at yet in this step; tells whether that woke anyone.

    It lists the pairs in contact.
    """
    now, flags, woken = w.whole[0], w.flags, False
    now.active = 0
    for p in range(now.pairs):
        pair = w.pairs[p]
        a, b = flags[pair.first], flags[pair.second]
        if pair.looked == now.look:
            _list_active(w, p)
            continue
        if a.awake == 0 and b.awake == 0:
            continue
        pair.looked = now.look
        _find_contact(w, p)
        _list_active(w, p)
        if pair.second >= now.fixed and pair.points > 0 and (a.awake == 0 or b.awake == 0) and _closes(w, p, step):
            sleep.wake(w, pair.second if b.awake == 0 else pair.first)
            for i in range(now.fixed, now.rows):
                if flags[i].awake == sleep.JUST:
                    flags[i].awake = 1
                    fall(w, i, step)
            woken = True
    return woken


@inner
def _find_contact(w: Tables, p: int) -> None:
    """Find the contact of a pair, as far ahead as both can come in this step, and match it with what was known.

    A pair without one that has not come far enough since it was looked at is passed over: it has none.
    """
    pair, settings = w.pairs[p], w.real[0]
    a, b = w.bodies[pair.first], w.bodies[pair.second]
    ahead = a.reach + b.reach + settings.pad
    if ahead > settings.far:
        ahead = settings.far
    way = a.way + b.way
    if pair.points == 0 and way + ahead < _NANO * pair.clear:
        return
    w.room[APART] = 0.0
    points = collide_hull(w, p, ahead) if b.hull != 0.0 else collide(w, p, ahead)
    if points > 0 or pair.points > 0:
        remember(w, p, points)
    if points == 0:
        pair.clear = math.floor((way + w.room[APART]) / _NANO) - 1  # rounded down


@inner
def _closes(w: Tables, p: int, step: float) -> bool:
    """Tell whether some point of a pair will touch within the step, if nothing else happens."""
    pair, meeting = w.pairs[p], w.meets[p]
    for k in range(pair.points):
        approach = _speed_along(w.bodies[pair.first], meeting, k) - _speed_along(w.bodies[pair.second], meeting, k)
        if approach < 0.0 and meeting.points[k].gap + approach * step < 0.0:
            return True
    return False


@inner
def _speed_along(body: R, meeting: R, k: int) -> float:
    """Return the velocity of a body along the normal, at a point."""
    place, normal, velocity, spin = meeting.points[k].place, meeting.normal, body.velocity, body.spin
    x, y, z = place[0] - body.position[0], place[1] - body.position[1], place[2] - body.position[2]
    return (
        normal[0] * (velocity[0] + spin[1] * z - spin[2] * y)
        + normal[1] * (velocity[1] + spin[2] * x - spin[0] * z)
        + normal[2] * (velocity[2] + spin[0] * y - spin[1] * x)
    )


@inner
def _list_active(w: Tables, p: int) -> None:
    """List a pair if it is in contact."""
    pair, now = w.pairs[p], w.whole[0]
    if pair.points > 0:
        task = w.todo[now.active]
        task.pair, task.one, task.other = p, pair.first, pair.second
        now.active += 1


@inner
def steps_of_window(w: Tables) -> int:
    """Return how many steps the next window needs for no cube to travel further in one than allowed."""
    now, settings = w.whole[0], w.real[0]
    pull = size(settings.gravity) * settings.window
    rate = 1.0 / settings.longest_step
    for i in range(now.fixed, now.rows):
        if w.flags[i].awake != 0:
            body = w.bodies[i]
            travel = settings.passed_travel if body.position[2] < settings.passed else settings.travel
            rate = max(rate, fastest(body, pull) / (travel * settings.edge))
    return math.ceil(settings.window * rate - 1e-9)


@aside
def lie_still(w: Tables) -> None:
    """Put all to sleep where they are, and look at who touches whom.

    What is known afterwards depends on the poses and the kept forces only, these in whole nanonewtons: a world that
    is made anew from them is this one. Without room for all pairs it does nothing.
    """
    now = w.whole[0]
    if not seek_pairs(w):
        return
    for i in range(now.fixed, now.rows):
        sleep.lie_down(w, i)
        w.bodies[i].reach, w.flags[i].quiet = 0.0, 0
        update_axes(w.bodies[i])
    now.active = 0
    for p in range(now.pairs):
        _find_contact(w, p)
        _list_active(w, p)
        for k in range(w.pairs[p].points):
            force = w.touches[p].points[k].force
            for c in range(3):
                force[c] = math.floor(1e9 * force[c] + 0.5) * 1e-9


@inner
def _let_go_on(w: Tables) -> None:
    """Count those as awake that were just woken."""
    now = w.whole[0]
    for i in range(now.fixed, now.rows):
        if w.flags[i].awake == sleep.JUST:
            w.flags[i].awake = 1


@aside
def wake_row(w: Tables, row: int) -> None:
    """Wake a row with all that touch it, directly or through others."""
    sleep.wake(w, row)
    _let_go_on(w)


@aside
def take_out(w: Tables, row: int) -> None:
    """Take a cube's row out, with its pairs; what touched it wakes up, and rows behind it move up by one."""
    now = w.whole[0]
    for p in range(now.pairs):
        a, b = w.pairs[p].first, w.pairs[p].second
        if w.pairs[p].points > 0 and (a == row or b == row) and b >= now.fixed:
            sleep.wake(w, a + b - row)
    _let_go_on(w)
    stay = 0
    for p in range(now.pairs):
        pair = w.pairs[p]
        if pair.first != row and pair.second != row:
            pair.first, pair.second = pair.first - int(pair.first > row), pair.second - int(pair.second > row)
            copy_pair(w.pairs, w.touches, stay, w.pairs, w.touches, p)
            stay += 1
    for i in range(row, now.rows - 1):
        copy_row(w.bodies, i, w.bodies, i + 1)
        copy_row(w.flags, i, w.flags, i + 1)
    now.pairs, now.rows, now.active, now.stale = stay, now.rows - 1, 0, 1


@aside
def deepest(w: Tables) -> float:
    """Return how deep (m) the deepest contact of the last step is, or of all after `lie_still`."""
    most = 0.0
    for m in range(w.whole[0].active):
        p = w.todo[m].pair
        for k in range(w.pairs[p].points):
            most = max(most, -w.meets[p].points[k].gap)
    return most
