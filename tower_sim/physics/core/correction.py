"""Position correction: what overlaps is pushed apart, by velocities that move bodies and are then forgotten.

Overlap over the slop is corrected at the speed overlap / relaxation, so that it adds no energy that would not vanish
with the step (split impulses; Catto, Game Developers Conference 2006).
"""

from __future__ import annotations

from tower_sim.compiled.marks import inner
from tower_sim.physics.core.arrays import Tables
from tower_sim.physics.core.impulses import inv_masses, relative_velocity, set_velocity, velocity_of, with_impulse
from tower_sim.physics.core.vectors import xyz

_ENOUGH = 0.01  # of the fastest push: the correction need not be exact


@inner
def push_apart(w: Tables) -> bool:
    """Work out a push that parts what overlaps by more than the slop; tells whether there is any.

    Pairs that do not overlap so far are passed over until one of them was pushed.
    """
    now, settings, bodies, flags, todo = w.whole[0], w.real[0], w.bodies, w.flags, w.todo
    deepest = 0.0
    for m in range(now.active):
        task = todo[m]
        task.seen = 0
        for k in range(todo[m + 1].start - task.start):
            point = w.contacts[task.start + k]
            over = -w.meets[task.pair].points[k].gap - settings.slop
            point.p_n, point.target = 0.0, over / settings.relaxation_time
            if over > 0.0:
                task.seen = 1
                deepest = max(deepest, over)
    if deepest <= 0.0:
        return False
    for i in range(now.fixed, now.rows):
        flags[i].changed = 0
        for c in range(3):
            bodies[i].push[c], bodies[i].push_spin[c] = 0.0, 0.0
    enough = _ENOUGH * deepest / settings.relaxation_time
    for _ in range(int(settings.corrections)):
        most = 0.0
        for m in range(now.active):
            a, b = todo[m].one, todo[m].other
            if todo[m].seen == 0 and flags[a].changed == 0 and flags[b].changed == 0:
                continue
            change = _push(w, m)
            if change > 0.0:
                flags[a].changed = 1
                if bodies[b].mobile != 0.0:
                    flags[b].changed = 1
            most = max(most, change)
        if most <= enough:
            break
    return True


@inner
def _push(w: Tables, m: int) -> float:
    """Part the two rows of a pair by their normal impulses alone; returns the largest change of speed (m/s)."""
    task, most = w.todo[m], 0.0
    a, b = w.bodies[task.one], w.bodies[task.other]
    nx, ny, nz = xyz(w.contacts[task.start].facing)
    is_free = b.mobile != 0.0
    inv_a, inv_b = inv_masses(a), inv_masses(b)
    u, v = velocity_of(a.push, a.push_spin), velocity_of(b.push, b.push_spin)
    for row in range(task.start, w.todo[m + 1].start):
        point = w.contacts[row]
        r, s = xyz(point.arm_a), xyz(point.arm_b)
        x, y, z = relative_velocity(u, r, v, s, is_free)
        p_n = point.p_n - (x * nx + y * ny + z * nz - point.target) / point.inv_mass_n
        if p_n < 0.0:
            p_n = 0.0
        change = p_n - point.p_n
        if change == 0.0:
            continue
        point.p_n = p_n
        most = max(most, abs(change) * point.inv_mass_n)
        x, y, z = change * nx, change * ny, change * nz
        u = with_impulse(a, u, inv_a, r, x, y, z)
        if is_free:
            v = with_impulse(b, v, inv_b, s, -x, -y, -z)
    set_velocity(a.push, a.push_spin, u)
    if is_free:
        set_velocity(b.push, b.push_spin, v)
    return most
