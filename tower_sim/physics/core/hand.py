"""How a hand lets cubes go: where, how turned, how fast, and when; and where it puts one down on a board.

All is drawn from uniform numbers (0 to 1, of 53 bits) in the table `draws`, one after the other. The functions return
how many they used; if that is more than there are, the result is void, and the caller asks again with more. The order
of the draws is fixed for ever by the states that were made. What is made of them is plain arithmetic and `portable.py`,
so a drop is the same on every machine.
"""

from __future__ import annotations

import math

from tower_sim.apparatus.where import FIRST_ZONE, reach_up, touch
from tower_sim.compiled.marks import R, T, inner
from tower_sim.compiled.trig import cos, log, sin
from tower_sim.physics.core.arrays import Tables
from tower_sim.physics.core.drop import GRAVITY

_TRIES = 20  # places that are tried before a poured cube waits
_ALOFT = 61  # the last cubes let go that may be near; older ones are far below
_PLACES = 200  # places that are tried on a board
_GAP = 0.04  # edges: the gap that is kept free around a cube on a board


@inner
def _next(draws: T, used: int) -> float:
    """Return draw `used`; behind the last one a number with which every search for a place ends."""
    return draws[used] if used < draws.shape[0] else 0.25


@inner
def _disc(draws: T, used: int) -> tuple[float, float, float, int]:
    """Draw a uniform point of the unit disc, never its centre: x, y and its squared distance from the centre."""
    while True:
        x, y = 2 * _next(draws, used) - 1, 2 * _next(draws, used + 1) - 1
        used += 2
        square = x * x + y * y
        if 0 < square < 1:
            return x, y, square, used


@inner
def let_go(w: Tables, ids: T, draws: T) -> int:
    """Write the launches of a throw of cubes, in order of time.

    The cubes are in random order, so colours are exchangeable; turned uniformly over all rotations; with velocities and
    spins from normal laws. They do not overlap when they are let go. A hand with a rate pours: each cube has a place
    uniform over the hand's circle, at least a cell away from the cubes that fall already, or else waits for the next
    window. A hand without one holds a stack of layers.
    """
    plan, drop, marks = w.plan[0], w.drop[0], w.marks
    first, number = drop.laid + drop.next, len(ids)
    drop.launches = drop.next + number
    cell = w.real[0].edge * math.sqrt(3.0) * 1.001  # holds a cube however it is turned
    low = plan.rim + plan.hand_height + cell / 2
    used = 0
    for i in range(number):
        marks[first + i].id = int(ids[i])
    for last in range(number - 1, 0, -1):  # R. Durstenfeld, CACM 7, 1964, 420
        other = int(_next(draws, used) * (last + 1))
        used += 1
        here, there = first + last, first + other
        marks[here].id, marks[there].id = marks[there].id, marks[here].id
    if plan.hand_rate == 0.0:
        used = _stack(w, draws, used, cell)
    for i in range(number):
        cube = w.cubes[first + i]
        if plan.hand_rate != 0.0:
            used = _pour(w, draws, used, cell, i)
        cube.pose[2] = low + cube.pose[2] * cell
        x, y, square, used = _disc(draws, used)  # G. Marsaglia, Annals of Mathematical Statistics 43, 1972, 645
        z, u, other_square, used = _disc(draws, used)
        stretch = math.sqrt((1 - square) / other_square)
        cube.pose[3], cube.pose[4], cube.pose[5], cube.pose[6] = x, y, z * stretch, u * stretch
        for c in range(0, 6, 2):  # the polar method: G. Marsaglia, T. A. Bray, SIAM Review 6, 1964, 260
            x, y, square, used = _disc(draws, used)
            stretch = math.sqrt(-2 * log(square) / square)
            for m in range(2):
                share = (x if m == 0 else y) * stretch
                if c + m < 3:
                    cube.let_velocity[c + m] = plan.hand_speed * share
                else:
                    cube.let_spin[c + m - 3] = plan.hand_spin * share
        cube.let_velocity[2] -= plan.hand_fall
    return used


@inner
def _pour(w: Tables, draws: T, used: int, cell: float, i: int) -> int:
    """Write where and when poured cube `i` is let go; the cubes' small random velocities are ignored."""
    plan, cubes, first, window = w.plan[0], w.cubes, w.drop[0].laid + w.drop[0].next, w.real[0].window
    radius = max(plan.hand_spread / 2 - cell / 2, 0.0)
    every = 1 / (plan.hand_rate * window)  # windows between two cubes
    now = math.ceil(i * every - 1e-9)
    if i > 0:
        now = max(now, int(cubes[first + i - 1].let_at))
    while True:
        for _ in range(_TRIES):
            a, b, _, used = _disc(draws, used)
            x, y, is_free = radius * a, radius * b, True
            for k in range(first + max(i - _ALOFT, 0), first + i):
                passed = (now - cubes[k].let_at) * window
                down = passed * (plan.hand_fall + GRAVITY / 2 * passed)
                dx, dy = x - cubes[k].pose[0], y - cubes[k].pose[1]
                if dx * dx + dy * dy + down * down < cell * cell:
                    is_free = False
                    break
            if is_free:
                _set_place(cubes[first + i], x, y, 0.0, now)
                return used
        now += 1


@inner
def _stack(w: Tables, draws: T, used: int, cell: float) -> int:
    """Write the places of a stack, from below: layers of a lattice, randomly shifted and turned, in the hand's circle.

    The places in a layer are in random order, so those of the last layer are chosen at random. The level (0: the
    lowest) stands for the height.
    """
    drop = w.drop[0]
    first, number = drop.laid + drop.next, drop.launches - drop.next
    radius = max(w.plan[0].hand_spread / 2 - cell / 2, 0.0)
    reach = math.ceil(radius / cell) + 1
    placed, level = 0, 0
    while placed < number:
        right, back = cell * _next(draws, used), cell * _next(draws, used + 1)
        angle = math.pi / 2 * _next(draws, used + 2)
        used += 3
        cosine, sine = cos(angle), sin(angle)
        near = min(_count(radius, cell, reach, right, back, -1)[0], len(w.room))
        for p in range(near):
            w.room[p] = p
        for last in range(near - 1, 0, -1):
            other = int(_next(draws, used) * (last + 1))
            used += 1
            w.room[last], w.room[other] = w.room[other], w.room[last]
        if near == 0 and placed < number:
            _set_place(w.cubes[first + placed], 0.0, 0.0, level, 0.0)
            placed += 1
        for p in range(min(near, number - placed)):
            _, x, y = _count(radius, cell, reach, right, back, int(w.room[p]))
            _set_place(w.cubes[first + placed], cosine * x - sine * y, sine * x + cosine * y, level, 0.0)
            placed += 1
        level += 1
    return used


@inner
def _set_place(cube: R, x: float, y: float, z: float, at: float) -> None:
    cube.pose[0], cube.pose[1], cube.pose[2], cube.let_at = x, y, z, at


@inner
def _count(radius: float, cell: float, reach: int, right: float, back: float, wanted: int) -> tuple[int, float, float]:
    """Return how many points of a shifted lattice are within the radius, or point `wanted` of them."""
    near = 0
    for i in range(-reach, reach + 1):
        for j in range(-reach, reach + 1):
            x, y = i * cell + right, j * cell + back
            if x * x + y * y <= radius * radius:
                if near == wanted:
                    return near, x, y
                near += 1
    return near, 0.0, 0.0


@inner
def put_down(w: Tables, ids: T, draws: T, zone: int) -> int:
    """Write the launch of the one cube of `ids`, put down flat in a zone, clear of its borders and of others.

    The place is uniform over the free places, and so is the turn about the vertical. If _PLACES draws find no free
    place, the cube is put on top of other cubes, at the first place drawn that is clear of the borders. Returns 0 draws
    if no place in the zone holds a cube flat.
    """
    rule, cubes, desk, edge = w.rule, w.cubes, w.desk, w.real[0].edge
    k = w.drop[0].laid + w.drop[0].next
    w.drop[0].launches = w.drop[0].next + 1
    w.marks[k].id = int(ids[0])
    at, number = int(rule[FIRST_ZONE + 2 * zone]), int(rule[FIRST_ZONE + 2 * zone + 1])
    x0, x1, y0, y1 = math.inf, -math.inf, math.inf, -math.inf
    for c in range(number):
        x0, x1 = min(x0, rule[at + 4 * c]), max(x1, rule[at + 4 * c])
        y0, y1 = min(y0, rule[at + 4 * c + 1]), max(y1, rule[at + 4 * c + 1])
    used, has_first, first_x, first_y, first_turn = 0, False, 0.0, 0.0, 0.0
    for _ in range(_PLACES):
        x = x0 + (x1 - x0) * _next(draws, used)
        y = y0 + (y1 - y0) * _next(draws, used + 1)
        turn = math.pi / 2 * _next(draws, used + 2)
        used += 3
        if not _is_clear(rule, at, number, edge, x, y, turn):
            continue
        _lay(cubes[k], x, y, rule[9] + edge / 2, turn)
        meets = False
        for other in range(w.drop[0].inside, k):
            meets = meets or touch(cubes[k].pose, cubes[other].pose, edge, _GAP * edge, desk)
        if not meets:
            return used
        if not has_first:
            has_first, first_x, first_y, first_turn = True, x, y, turn
    if not has_first:
        return 0
    top = -math.inf
    for other in range(w.drop[0].inside, k):
        pose = cubes[other].pose
        dx, dy = pose[0] - first_x, pose[1] - first_y
        if math.sqrt(dx * dx + dy * dy) < 2 * edge:
            top = max(top, pose[2] + reach_up(pose, edge, desk))
    _lay(cubes[k], first_x, first_y, top + edge / 2, first_turn)
    return used


@inner
def _lay(cube: R, x: float, y: float, z: float, turn: float) -> None:
    _set_place(cube, x, y, z, 0.0)
    cube.pose[3], cube.pose[4], cube.pose[5], cube.pose[6] = 0.0, 0.0, sin(turn / 2), cos(turn / 2)
    for c in range(3):
        cube.let_velocity[c], cube.let_spin[c] = 0.0, 0.0


@inner
def _is_clear(rule: T, at: int, number: int, edge: float, x: float, y: float, turn: float) -> bool:
    """Tell whether a square of `edge`, turned by `turn`, stays a gap away from every side of a zone."""
    cosine, sine = cos(turn), sin(turn)
    for c in range(number):
        corner = at + 4 * c
        u, v = rule[corner + 2], rule[corner + 3]
        depth = (x - rule[corner]) * u + (y - rule[corner + 1]) * v
        half = edge / 2 * (abs(u * cosine + v * sine) + abs(u * -sine + v * cosine))
        if depth < half + _GAP * edge:
            return False
    return True
