"""Sleep: heaps that lie still take no part until something comes nearer to them than this step allows.

What touches each other, directly or through others, sleeps and wakes together: a cube awake on sleeping ones would
press on nothing that gives.
"""

from __future__ import annotations

from tower_sim.compiled.marks import R, inner
from tower_sim.physics.core.arrays import Tables

JUST = 2
"""`awake` of a row that was woken in this step, on which gravity has not acted yet."""


@inner
def wake(w: Tables, i: int) -> None:
    """Wake a row with all that touch it, directly or through others."""
    if w.flags[i].awake != 0:
        return
    _rouse(w, i)
    more = True
    while more:
        more = False
        for p in range(w.whole[0].pairs):
            pair = w.pairs[p]
            if pair.points > 0 and pair.second >= w.whole[0].fixed:
                one, two = w.flags[pair.first].awake, w.flags[pair.second].awake
                if (one == JUST and two == 0) or (two == JUST and one == 0):
                    _rouse(w, pair.second if two == 0 else pair.first)
                    more = True


@inner
def _rouse(w: Tables, i: int) -> None:
    w.flags[i].awake, w.flags[i].quiet = JUST, 0
    w.bodies[i].mobile = 1.0


@inner
def fall_asleep(w: Tables) -> bool:
    """Count quiet windows, put to sleep what has been quiet for long enough together; tell whether all sleep."""
    now, settings, flags = w.whole[0], w.real[0], w.flags
    speed, spin, needed = settings.quiet_speed, settings.quiet_spin, int(settings.quiet_windows)
    for i in range(now.fixed, now.rows):
        flag, body = flags[i], w.bodies[i]
        flag.island = i
        if flag.awake != 0:
            flag.quiet += 1
            for c in range(3):
                if abs(body.velocity[c]) >= speed or abs(body.spin[c]) >= spin:
                    flag.quiet = 0
    for p in range(now.pairs):
        pair = w.pairs[p]
        if pair.points > 0 and pair.second >= now.fixed:
            one, two = _root(flags, pair.first), _root(flags, pair.second)
            if one < two:
                flags[two].island = one
            else:
                flags[one].island = two
    # an island is as quiet as its most restless: kept in `changed`, which a step uses otherwise, and sets anew
    for i in range(now.fixed, now.rows):
        flags[i].changed = needed
    for i in range(now.fixed, now.rows):
        root = flags[_root(flags, i)]
        if flags[i].awake != 0 and flags[i].quiet < root.changed:
            root.changed = flags[i].quiet
    all_sleep = True
    for i in range(now.fixed, now.rows):
        if flags[i].awake != 0:
            if flags[_root(flags, i)].changed >= needed:
                lie_down(w, i)
            else:
                all_sleep = False
    return all_sleep


@inner
def _root(flags: R, i: int) -> int:
    while flags[i].island != i:
        flags[i].island = flags[flags[i].island].island
        i = flags[i].island
    return i


@inner
def lie_down(w: Tables, i: int) -> None:
    """Stop a row and put it to sleep."""
    body = w.bodies[i]
    w.flags[i].awake, body.mobile = 0, 0.0
    for c in range(3):
        body.velocity[c], body.spin[c] = 0.0, 0.0
