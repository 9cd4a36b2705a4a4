"""A slow, exact judge of engines: equal rigid cubes among fixed boxes, by other methods than an engine's.

The law: Coulomb's friction disc at every contact point, friction against the slip that the impulse leaves; Newton's
restitution against the speed of approach where that is above a threshold, in one impulse problem with the friction;
no rolling and no spin friction. The methods: Moreau's midpoint rule with a small fixed step (Moreau 1988; Jean, Comput.
Methods Appl. Mech. Eng. 177, 1999, 235), contacts where bodies overlap at the midpoint and nowhere else, block
Gauss-Seidel over points whose own problem of three unknowns is solved exactly. Nothing sleeps.

    midpoint -> contacts -> impulses -> overlap pushed out, without speed -> midpoint

Poses are kept at the midpoints of steps, where x' = x + h v is the whole rule. All cubes weigh the same and the boxes
infinitely much, so the mass of a cube is 1 and impulses are speeds (m/s).

This is one file, since numba keeps what it has compiled until the caller's file changes; and it is imported by one
name, `calibration.validation.exact_solver`, by which numba knows its types.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tests.support.bench import Launch
from tower_sim.apparatus import Apparatus, Box, Surface
from tower_sim.apparatus.parts import Vector
from tower_sim.values import Pose

try:
    from numba import njit

    kept: Any = njit(cache=True)
except ImportError:  # minutes become hours

    def _unchanged(function: Any) -> Any:
        return function

    kept: Any = _unchanged


Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

POINTS = 4000  # contact points there may be at once
OVERLAP = 1e-4  # edges: overlap that is left, so that what touches goes on touching
PUSH = 0.3  # of the overlap above that, pushed out in a step
NEAR = 0.25  # edges: pairs nearer than this are looked at until something has moved so far
PARALLEL = 1e-6  # squared sine of the angle under which two edges make no axis of their own
EDGE_FIRST = 0.95  # an axis across two edges must overlap by less than this share of what the best face does
NEWTON, POISSON = 0.0, 1.0


class Law(NamedTuple):
    """What is solved, and how finely: lengths in m, times in s.

    threshold: no bounce below this speed of approach (m/s). restitution: NEWTON's is a ratio of normal speeds, after
    over before, POISSON's of normal impulses, in expansion over compression. tolerance: the last sweep changes no
    velocity by more than this share of what 9.81 m/s2 gives in a step. sweeps: at most so many.
    """

    edge: float
    step: float
    gravity: tuple[float, float, float]
    threshold: float = 0.05
    restitution: float = NEWTON
    tolerance: float = 1e-4
    sweeps: int = 500


class Bodies(NamedTuple):
    """Boxes first, cubes after them: n in all, at `place` (n, 3), as `turn` (n, 4) has it, (x, y, z, w).

    frame (n, 3, 3): the axes, as columns. half: half edges (n, 3). motion: velocity and spin (n, 6). free: 1 for a cube
    in play, 0 for a box, -1 for a cube that is not there. friction, restitution (n,): of a cube with this body.
    """

    place: Array
    turn: Array
    frame: Array
    half: Array
    motion: Array
    free: Array
    friction: Array
    restitution: Array


class Contacts(NamedTuple):
    """Points (k): `bodies` (k, 2) that touch there, the first of them a cube; a positive normal speed parts them.

    arms (k, 2, 3): from the centres. axes (k, 3, 3): the rows, the first of them the normal, towards the first body.
    overlap (k,): in m. answer (k, 3, 3): how the speed there, along the axes, answers to an impulse; inverse: of that.
    impulse (k, 3); least, aim (k,): least normal impulse, normal speed after. bounce (k,): restitution that is in
    force. seen (k,): the visit in which the point was last solved; like (k,): which point of the last step it was.
    """

    bodies: Ints
    arms: Array
    axes: Array
    overlap: Array
    answer: Array
    inverse: Array
    impulse: Array
    least: Array
    aim: Array
    bounce: Array
    friction: Array
    seen: Ints
    like: Ints


class Memory(NamedTuple):
    """What is known from the step before. It saves time; and impulses that the law leaves open, in jams, go on.

    axis (n, n): the axis that held a pair apart; first, number, at (n, n): its points, in which step. impulses (k, 3):
    theirs, along x, y, z. pairs (m, 2): those that are looked at, of which there are looked[0]. moved (1,): see `NEAR`.
    """

    axis: Ints
    first: Ints
    number: Ints
    at: Ints
    impulses: Array
    pairs: Ints
    looked: Ints
    moved: Array


# Contacts: which bodies overlap, along which axis, and at which points.


@kept
def _gather(bodies: Bodies, memory: Memory, edge: float) -> None:
    """List the pairs that may touch before something has moved by `NEAR`: a cube's ball and another's, or a box."""
    ball = math.sqrt(3.0) / 2 * edge
    n, count = len(bodies.free), 0
    for i in range(n):
        if bodies.free[i] <= 0:
            continue
        for j in range(i):
            if bodies.free[j] < 0:
                continue
            gap = 0.0
            for k in range(3):
                along = 0.0
                for a in range(3):
                    along += bodies.frame[j, a, k] * (bodies.place[i, a] - bodies.place[j, a])
                if bodies.free[j] == 0:
                    along = max(abs(along) - bodies.half[j, k], 0.0)
                gap += along * along
            reach = ball + 2 * NEAR * edge + (ball if bodies.free[j] else 0.0)
            if gap < reach * reach:
                memory.pairs[count, 0], memory.pairs[count, 1] = i, j
                count += 1
    memory.looked[0] = count
    memory.moved[0] = 0.0


@kept
def _apart(bodies: Bodies, i: int, j: int, axis: int, turn: Array, way: Array) -> float:
    """Return the gap (m) along one of the 15 axes of two boxes, negative where they overlap (Gottschalk 1996).

    0 to 2: of body i, 3 to 5: of body j, then across an edge of i and one of j. turn: axes of j in the frame of i;
    way: from i to j, there.
    """
    p, q = bodies.half[i], bodies.half[j]
    if axis < 3:
        k = axis
        return abs(way[k]) - p[k] - q[0] * abs(turn[k, 0]) - q[1] * abs(turn[k, 1]) - q[2] * abs(turn[k, 2])
    if axis < 6:
        k = axis - 3
        along = abs(way[0] * turn[0, k] + way[1] * turn[1, k] + way[2] * turn[2, k])
        return along - q[k] - p[0] * abs(turn[0, k]) - p[1] * abs(turn[1, k]) - p[2] * abs(turn[2, k])
    k, m = (axis - 6) // 3, (axis - 6) % 3
    k1, k2, m1, m2 = (k + 1) % 3, (k + 2) % 3, (m + 1) % 3, (m + 2) % 3
    square = 1 - turn[k, m] * turn[k, m]
    if square < PARALLEL:
        return -math.inf
    along = abs(way[k2] * turn[k1, m] - way[k1] * turn[k2, m])
    own = p[k1] * abs(turn[k2, m]) + p[k2] * abs(turn[k1, m])
    other = q[m1] * abs(turn[k, m2]) + q[m2] * abs(turn[k, m1])
    return (along - own - other) / math.sqrt(square)


@kept
def _find(bodies: Bodies, contacts: Contacts, memory: Memory, edge: float, now: int) -> int:
    """Find every point where bodies overlap; returns how many. The axis of least overlap is a pair's normal."""
    turn, way, work = np.empty((3, 3)), np.empty(3), np.empty((7, 3))
    count = 0
    for pair in range(memory.looked[0]):
        if count > POINTS - 16:
            raise RuntimeError("there are more contact points than the solver has room for: raise POINTS")
        i, j = memory.pairs[pair, 0], memory.pairs[pair, 1]
        new = count
        for k in range(3):
            way[k] = 0.0
            for a in range(3):
                way[k] += bodies.frame[i, a, k] * (bodies.place[j, a] - bodies.place[i, a])
            for m in range(3):
                turn[k, m] = 0.0
                for a in range(3):
                    turn[k, m] += bodies.frame[i, a, k] * bodies.frame[j, a, m]
        if _apart(bodies, i, j, int(memory.axis[i, j]), turn, way) >= 0:
            continue
        best, gap = -1, -math.inf
        for axis in range(15):
            here = _apart(bodies, i, j, axis, turn, way)
            if here >= 0:
                best, gap = axis, here
                break
            better = EDGE_FIRST * gap + OVERLAP * edge if axis >= 6 and best < 6 else gap
            if here > better:
                best, gap = axis, here
        if gap >= 0:
            memory.axis[i, j] = best
        elif best < 6:
            count = _touch_by_face(bodies, contacts, count, i, j, best, work)
        else:
            count = _touch_by_edges(bodies, contacts, count, i, j, best, -gap)
        if count > new:
            same = memory.at[i, j] == now - 1 and memory.number[i, j] == count - new
            for c in range(new, count):
                contacts.bodies[c, 0], contacts.bodies[c, 1] = i, j
                contacts.like[c] = memory.first[i, j] + c - new if same else -1
            memory.at[i, j], memory.first[i, j], memory.number[i, j] = now, new, count - new
    return count


@kept
def _touch_by_face(bodies: Bodies, contacts: Contacts, count: int, i: int, j: int, axis: int, work: Array) -> int:
    """Add the corners of what two faces have in common, as far as they are overlapped; returns the number of points.

    These are ends of the other face's edges, cut off at the rectangle of the face `axis`, and corners of the face under
    the other's.
          +-------+        the face, from above; o: the points
       .--o---o   |
       |  |   |   |
       '--o---o   |
          +-------+
    """
    r, o, k = (i, j, axis) if axis < 3 else (j, i, axis - 3)
    k1, k2 = (k + 1) % 3, (k + 2) % 3
    frame, other = bodies.frame[r], bodies.frame[o]
    # the other's half edges (0 to 2) and centre (3): across the face (0, 1) and above its plane (2)
    for m in range(4):
        for row, column in ((0, k1), (1, k2), (2, k)):
            work[m, row] = 0.0
            for a in range(3):
                part = bodies.place[o, a] - bodies.place[r, a] if m == 3 else other[a, m] * bodies.half[o, m]
                work[m, row] += frame[a, column] * part
    sign = 1.0 if work[3, 2] > 0 else -1.0
    low = 0
    for m in range(4):
        work[m, 2] *= sign
        if m < 3 and abs(work[m, 2]) / bodies.half[o, m] > abs(work[low, 2]) / bodies.half[o, low]:
            low = m
    down = -1.0 if work[low, 2] > 0 else 1.0
    work[3, 2] -= bodies.half[r, k]
    for row in range(3):
        work[3, row] += down * work[low, row]
    one, two, middle, start, along, at = work[(low + 1) % 3], work[(low + 2) % 3], work[3], work[4], work[5], work[6]
    size = (bodies.half[r, k1], bodies.half[r, k2])
    for side in range(4):  # round the other's face: along one, two, -one, -two
        for row in range(3):
            along[row] = 2 * (one[row] if side % 2 == 0 else two[row]) * (1 if side < 2 else -1)
            start[row] = middle[row] + (-one[row] if side in (0, 3) else one[row])
            start[row] += -two[row] if side < 2 else two[row]
        begin, end = 0.0, 1.0
        for row in range(2):
            for way in (1.0, -1.0):
                rest, speed = size[row] - way * start[row], way * along[row]
                if speed > 0:
                    end = min(end, rest / speed)
                elif speed < 0:
                    begin = max(begin, rest / speed)
                elif rest < 0:
                    end = -1.0
        for t in (begin, end):
            if begin <= end and t < 1:  # at 1 the next edge begins
                for row in range(3):
                    at[row] = start[row] + t * along[row]
                count = _add_over_face(bodies, contacts, count, i, j, r, k, sign, at)
            if begin == 0 and end == 1:
                break
    area = one[0] * two[1] - one[1] * two[0]
    for corner in range(4):
        x = (size[0] if corner % 2 else -size[0]) - middle[0]
        y = (size[1] if corner // 2 else -size[1]) - middle[1]
        a, b = (x * two[1] - y * two[0]) / area, (one[0] * y - one[1] * x) / area
        if abs(a) < 1 and abs(b) < 1:
            for row in range(3):
                at[row] = middle[row] + a * one[row] + b * two[row]
            count = _add_over_face(bodies, contacts, count, i, j, r, k, sign, at)
    return count


@kept
def _add_over_face(
    bodies: Bodies, contacts: Contacts, count: int, i: int, j: int, r: int, k: int, sign: float, at: Array
) -> int:
    """Add a point `at` (two coordinates across the face, one above it) if it is under face k of body r."""
    if at[2] >= 0:
        return count
    height = sign * (bodies.half[r, k] + at[2] / 2)
    for a in range(3):
        f = bodies.frame[r, a]
        point = bodies.place[r, a] + f[(k + 1) % 3] * at[0] + f[(k + 2) % 3] * at[1] + f[k] * height
        contacts.arms[count, 0, a] = point - bodies.place[i, a]
        contacts.arms[count, 1, a] = point - bodies.place[j, a]
        contacts.axes[count, 0, a] = (sign if r == j else -sign) * f[k]
    contacts.overlap[count] = -at[2]
    return count + 1


@kept
def _touch_by_edges(bodies: Bodies, contacts: Contacts, count: int, i: int, j: int, axis: int, overlap: float) -> int:
    """Add the point midway between the edge of i along its axis k and that of j along its axis m."""
    k, m = (axis - 6) // 3, (axis - 6) % 3
    p, q = bodies.frame[i, :, k], bodies.frame[j, :, m]
    normal = np.cross(p, q)
    normal /= math.sqrt((normal * normal).sum())
    between = bodies.place[i] - bodies.place[j]
    if (normal * between).sum() < 0:
        normal = -normal
    first, second = np.zeros(3), np.zeros(3)
    for a in range(3):
        if a != k:
            axis_of = bodies.frame[i, :, a]
            first -= axis_of * (bodies.half[i, a] if (axis_of * normal).sum() > 0 else -bodies.half[i, a])
        if a != m:
            axis_of = bodies.frame[j, :, a]
            second += axis_of * (bodies.half[j, a] if (axis_of * normal).sum() > 0 else -bodies.half[j, a])
    apart = between + first - second
    c = (p * q).sum()
    d, e = (p * apart).sum(), (q * apart).sum()
    s, t = (c * e - d) / (1 - c * c), (e - c * d) / (1 - c * c)
    middle = (bodies.place[i] + first + s * p + bodies.place[j] + second + t * q) / 2
    contacts.arms[count, 0] = middle - bodies.place[i]
    contacts.arms[count, 1] = middle - bodies.place[j]
    contacts.axes[count, 0] = normal
    contacts.overlap[count] = overlap
    return count + 1


# Impulses: the problem of one point, and of all.


@kept
def _slide(w: Array, b: Array, friction: float, fixed: float, p: Array) -> bool:
    """Set p to the impulse of a point that slides on; tells whether there is one.

    The speed is b + w p, along the axes; p = n (1, -friction s), where s, the direction of the slip it leaves, is the
    one unknown: Newton's method on its angle. n: `fixed`, or if that is negative what brings the normal speed to 0.
    """
    x, y = b[1], b[2]
    if p[1] != 0 or p[2] != 0:
        x, y = -p[1], -p[2]
    for go in range(65):
        size = math.hypot(x, y)
        x, y = (x / size, y / size) if size > 0 else (1.0, 0.0)
        for _ in range(20):
            fx, fy = w[1, 0] - friction * (w[1, 1] * x + w[1, 2] * y), w[2, 0] - friction * (w[2, 1] * x + w[2, 2] * y)
            gx, gy = friction * (w[1, 1] * y - w[1, 2] * x), friction * (w[2, 1] * y - w[2, 2] * x)
            n, growth = fixed, 0.0
            if fixed < 0:
                answer = w[0, 0] - friction * (w[0, 1] * x + w[0, 2] * y)
                if answer <= 0:
                    break
                n = -b[0] / answer
                growth = n * friction * (w[0, 2] * x - w[0, 1] * y) / answer
            # slip u and how it changes as s turns left; the turn that makes s x u zero
            ux, uy = b[1] + n * fx, b[2] + n * fy
            dx, dy = growth * fx + n * gx, growth * fy + n * gy
            along, across = x * ux + y * uy, x * uy - y * ux
            slope = -along + x * dy - y * dx
            if along >= 0 and abs(across) <= 1e-12 * (abs(b[0]) + abs(b[1]) + abs(b[2]) + abs(n) * w[0, 0]):
                p[0], p[1], p[2] = n, -friction * n * x, -friction * n * y
                return n >= 0
            turn = max(-0.7, min(0.7, -across / slope)) if slope < 0 else (0.5 if across > 0 else -0.5)
            x, y = x - turn * y, y + turn * x
            size = math.hypot(x, y)
            x, y = x / size, y / size
        x, y = math.cos(go * math.pi / 32), math.sin(go * math.pi / 32)  # from elsewhere
    return False


@kept
def solve_one(w: Array, inverse: Array, b: Array, friction: float, least: float, p: Array) -> bool:
    """Set p to the impulse of a point alone, where b is its speed without it; tells whether there is one.

    It holds still, if that takes no more friction than there is; slides; or parts, if that takes no impulse above
    `least`.
    """
    if b[0] >= 0 and least == 0:
        p[0] = p[1] = p[2] = 0.0
        return True
    n = -(inverse[0, 0] * b[0] + inverse[0, 1] * b[1] + inverse[0, 2] * b[2])
    x = -(inverse[1, 0] * b[0] + inverse[1, 1] * b[1] + inverse[1, 2] * b[2])
    y = -(inverse[2, 0] * b[0] + inverse[2, 1] * b[1] + inverse[2, 2] * b[2])
    if n >= least and x * x + y * y <= friction * friction * n * n:
        p[0], p[1], p[2] = n, x, y
        return True
    if b[0] < 0 and _slide(w, b, friction, -1.0, p) and p[0] >= least:
        return True
    if least == 0:
        return False
    fx, fy = b[1] + w[1, 0] * least, b[2] + w[2, 0] * least
    area = w[1, 1] * w[2, 2] - w[1, 2] * w[2, 1]
    x, y = (w[1, 2] * fy - w[2, 2] * fx) / area, (w[2, 1] * fx - w[1, 1] * fy) / area
    if x * x + y * y <= friction * friction * least * least:
        p[0], p[1], p[2] = least, x, y
        return True
    return _slide(w, b, friction, least, p)


@kept
def _speed(motion: Array, contacts: Contacts, c: int, u: Array) -> None:
    """Set u to the speed at a point, first body against second, along its axes."""
    i, j = contacts.bodies[c]
    r, q = contacts.arms[c, 0], contacts.arms[c, 1]
    v, w = motion[i], motion[j]
    x = v[0] + v[4] * r[2] - v[5] * r[1] - w[0] - w[4] * q[2] + w[5] * q[1]
    y = v[1] + v[5] * r[0] - v[3] * r[2] - w[1] - w[5] * q[0] + w[3] * q[2]
    z = v[2] + v[3] * r[1] - v[4] * r[0] - w[2] - w[3] * q[1] + w[4] * q[0]
    for k in range(3):
        n = contacts.axes[c, k]
        u[k] = n[0] * x + n[1] * y + n[2] * z


@kept
def _give(motion: Array, free: Array, contacts: Contacts, c: int, p: Array, spin: float) -> None:
    """Give both bodies of a point the impulse p, along its axes; spin: 6 / edge squared, one over a cube's inertia."""
    axes = contacts.axes[c]
    x = p[0] * axes[0, 0] + p[1] * axes[1, 0] + p[2] * axes[2, 0]
    y = p[0] * axes[0, 1] + p[1] * axes[1, 1] + p[2] * axes[2, 1]
    z = p[0] * axes[0, 2] + p[1] * axes[1, 2] + p[2] * axes[2, 2]
    for side in range(2):
        body = contacts.bodies[c, side]
        if free[body] > 0:
            v, r = motion[body], contacts.arms[c, side]
            sign = 1.0 - 2.0 * side
            v[0] += sign * x
            v[1] += sign * y
            v[2] += sign * z
            v[3] += sign * spin * (r[1] * z - r[2] * y)
            v[4] += sign * spin * (r[2] * x - r[0] * z)
            v[5] += sign * spin * (r[0] * y - r[1] * x)


@kept
def _solve(bodies: Bodies, contacts: Contacts, count: int, law: Law) -> bool:
    """Solve point after point until no velocity changes any more; tells whether that came about.

    A point neither of whose bodies has been changed since its last visit is as it should be and not visited.
    """
    spin, bound = 6 / law.edge**2, law.tolerance * law.step * 9.81
    stirred = np.zeros(len(bodies.free), np.int64)
    b, p = np.empty(3), np.empty(3)
    contacts.seen[:count] = -1
    clock, found = 0, True
    before = bodies.motion.copy()
    for _ in range(law.sweeps):
        found = True
        for c in range(count):
            i, j = contacts.bodies[c]
            if stirred[i] <= contacts.seen[c] and stirred[j] <= contacts.seen[c]:
                continue
            w, old = contacts.answer[c], contacts.impulse[c]
            _speed(bodies.motion, contacts, c, b)
            for k in range(3):
                b[k] -= w[k, 0] * old[0] + w[k, 1] * old[1] + w[k, 2] * old[2]
                p[k] = old[k]
            b[0] -= contacts.aim[c]
            clock += 1
            contacts.seen[c] = clock
            found = solve_one(w, contacts.inverse[c], b, contacts.friction[c], contacts.least[c], p) and found
            for k in range(3):
                p[k] -= old[k]
                old[k] += p[k]
            _give(bodies.motion, bodies.free, contacts, c, p, spin)
            if max(abs(p[0]), abs(p[1]), abs(p[2])) > 0.01 * bound:
                stirred[i] = clock
                if bodies.free[j] > 0:
                    stirred[j] = clock
        if _changed(before, bodies.motion, law.edge) <= bound:
            return found
    return False


@kept
def _changed(before: Array, motion: Array, edge: float) -> float:
    """Return the largest change of a velocity, or of a spin times half an edge (m/s), and set `before` to `motion`."""
    largest = 0.0
    for i in range(len(motion)):
        for k in range(6):
            change = abs(motion[i, k] - before[i, k])
            largest = max(largest, change if k < 3 else change * edge / 2)
            before[i, k] = motion[i, k]
    return largest


@kept
def _push(bodies: Bodies, contacts: Contacts, count: int, edge: float) -> Array:
    """Return how far bodies are to be moved and turned (n, 6) so that overlap shrinks, without friction or speed."""
    moved = np.zeros_like(bodies.motion)
    deepest = 0.0
    for c in range(count):
        deepest = max(deepest, contacts.overlap[c])
    if deepest < 2 * OVERLAP * edge:
        return moved
    pushed, u, p = np.zeros(count), np.zeros(3), np.zeros(3)
    for _ in range(50):
        largest = 0.0
        for c in range(count):
            _speed(moved, contacts, c, u)
            wanted = PUSH * (contacts.overlap[c] - OVERLAP * edge)
            p[0] = max(pushed[c] + (wanted - u[0]) / contacts.answer[c, 0, 0], 0.0) - pushed[c]
            if p[0] != 0:
                pushed[c] += p[0]
                largest = max(largest, abs(p[0]))
                _give(moved, bodies.free, contacts, c, p, 6 / edge**2)
        if largest < 1e-3 * PUSH * OVERLAP * edge:
            break
    return moved


@kept
def _prepare(bodies: Bodies, contacts: Contacts, count: int, memory: Memory, law: Law) -> int:
    """Fill in what the impulses of this step need; returns how many points bounce."""
    spin, u, bounces = 6 / law.edge**2, np.empty(3), 0
    for c in range(count):
        j = contacts.bodies[c, 1]
        axes, answer = contacts.axes[c], contacts.answer[c]
        n = axes[0]
        least = 0
        for k in range(1, 3):
            if abs(n[k]) < abs(n[least]):
                least = k
        size = math.sqrt(1 - n[least] * n[least])
        a, b = (least + 1) % 3, (least + 2) % 3
        axes[1, least], axes[1, a], axes[1, b] = 0.0, -n[b] / size, n[a] / size
        for k in range(3):
            axes[2, k] = n[(k + 1) % 3] * axes[1, (k + 2) % 3] - n[(k + 2) % 3] * axes[1, (k + 1) % 3]
        answer[:] = 0.0
        for side in range(2):
            if bodies.free[contacts.bodies[c, side]] > 0:
                r = contacts.arms[c, side]
                square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2]
                for k in range(3):
                    u[k] = axes[k, 0] * r[0] + axes[k, 1] * r[1] + axes[k, 2] * r[2]
                for k in range(3):
                    answer[k, k] += 1 + spin * square
                    for m in range(3):
                        answer[k, m] -= spin * u[k] * u[m]
        _invert(answer, contacts.inverse[c])
        _speed(bodies.motion, contacts, c, u)
        contacts.friction[c] = bodies.friction[j]
        contacts.bounce[c] = bodies.restitution[j] if u[0] < -law.threshold else 0.0
        contacts.aim[c] = -(1 - law.restitution) * contacts.bounce[c] * u[0]
        contacts.least[c] = 0.0
        contacts.impulse[c] = 0.0
        if contacts.bounce[c] > 0:
            bounces += 1
    for c in range(count):  # once every speed of approach is known
        if contacts.bounce[c] == 0 and contacts.like[c] >= 0:
            for k in range(3):
                for a in range(3):
                    contacts.impulse[c, k] += contacts.axes[c, k, a] * memory.impulses[contacts.like[c], a]
            _give(bodies.motion, bodies.free, contacts, c, contacts.impulse[c], spin)
    return bounces


@kept
def _invert(m: Array, inverse: Array) -> None:
    """Set `inverse` to that of m, three by three, by its cofactors."""
    for k in range(3):
        for r in range(3):
            a, b, c, d = (r + 1) % 3, (r + 2) % 3, (k + 1) % 3, (k + 2) % 3
            inverse[k, r] = m[a, c] * m[b, d] - m[a, d] * m[b, c]
    inverse /= m[0, 0] * inverse[0, 0] + m[0, 1] * inverse[1, 0] + m[0, 2] * inverse[2, 0]


# Motion.


@kept
def _turn_by(bodies: Bodies, i: int, x: float, y: float, z: float) -> None:
    """Turn body i by the rotation vector (x, y, z) (rad)."""
    angle = math.sqrt(x * x + y * y + z * z)
    s = math.sin(angle / 2) / angle if angle > 1e-12 else 0.5
    a, b, c, d = s * x, s * y, s * z, math.cos(angle / 2)
    q = bodies.turn[i]
    e, o, g, h = q
    q[0], q[1] = d * e + a * h + b * g - c * o, d * o + b * h + c * e - a * g
    q[2], q[3] = d * g + c * h + a * o - b * e, d * h - a * e - b * o - c * g
    q /= math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    x, y, z, w = q
    f = bodies.frame[i]
    f[0, 0], f[0, 1], f[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)
    f[1, 0], f[1, 1], f[1, 2] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)
    f[2, 0], f[2, 1], f[2, 2] = 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)


@kept
def _advance(bodies: Bodies, contacts: Contacts, memory: Memory, law: Law, first: int, steps: int) -> int:
    """Take `steps` steps, of which the first is the step number `first`; returns how many were not solved in time."""
    failed = 0
    for now in range(first, first + steps):
        if memory.moved[0] > NEAR * law.edge:
            _gather(bodies, memory, law.edge)
        count = _find(bodies, contacts, memory, law.edge, now)
        bounces = _prepare(bodies, contacts, count, memory, law)
        for i in range(len(bodies.free)):
            if bodies.free[i] > 0:
                for k in range(3):
                    bodies.motion[i, k] += law.step * law.gravity[k]
        solved = _solve(bodies, contacts, count, law)
        for c in range(count):
            for a in range(3):
                memory.impulses[c, a] = 0.0
                for k in range(3):
                    memory.impulses[c, a] += contacts.impulse[c, k] * contacts.axes[c, k, a]
        if bounces > 0 and law.restitution > 0:
            for c in range(count):  # what was compressed expands
                contacts.least[c] = law.restitution * contacts.bounce[c] * contacts.impulse[c, 0]
                contacts.impulse[c] = contacts.aim[c] = 0.0
            solved = _solve(bodies, contacts, count, law) and solved
        failed += 0 if solved else 1
        moved = _push(bodies, contacts, count, law.edge)
        fastest = 0.0
        for i in range(len(bodies.free)):
            if bodies.free[i] > 0:
                for k in range(6):
                    moved[i, k] += law.step * bodies.motion[i, k]
                for k in range(3):
                    bodies.place[i, k] += moved[i, k]
                _turn_by(bodies, i, moved[i, 3], moved[i, 4], moved[i, 5])
                fastest = max(fastest, moved[i, 0] ** 2 + moved[i, 1] ** 2 + moved[i, 2] ** 2)
        memory.moved[0] += math.sqrt(fastest)
    return failed


# For callers.


class ExactSolver:
    """Boxes and up to so many cubes, equal ones, solved as `law` says; `unsolved` counts steps out of tolerance.

    A cube is known by its number, from 0 on in the order of `add`.
    """

    def __init__(
        self, law: Law, boxes: Sequence[Box], surfaces: Mapping[str, Surface], between: Surface, cubes: int
    ) -> None:
        n, self.boxes, self.cubes, self.law = len(boxes) + cubes, len(boxes), 0, law
        pairs = [surfaces[box.surface] for box in boxes] + [between] * cubes
        self.bodies = Bodies(
            place=np.array([box.centre for box in boxes] + [(0.0, 0.0, 0.0)] * cubes, dtype=float).reshape(n, 3),
            turn=np.array([box.orientation for box in boxes] + [(0.0, 0.0, 0.0, 1.0)] * cubes, dtype=float),
            frame=np.zeros((n, 3, 3)),
            half=np.array([box.half for box in boxes] + [(law.edge / 2,) * 3] * cubes, dtype=float),
            motion=np.zeros((n, 6)),
            free=np.repeat([0.0, -1.0], [len(boxes), cubes]),
            friction=np.array([pair.friction for pair in pairs], dtype=float),
            restitution=np.array([pair.restitution for pair in pairs], dtype=float),
        )
        for i in range(len(boxes)):
            _turn_by(self.bodies, i, 0.0, 0.0, 0.0)
        shapes = [(2, 3), (3, 3), (), (3, 3), (3, 3), (3,), (), (), (), ()]
        pairs, whole = np.zeros((POINTS, 2), np.int64), np.zeros(POINTS, np.int64)
        arrays = [np.zeros((POINTS, *shape)) for shape in shapes]
        self.contacts = Contacts._make([pairs, *arrays, whole, whole.copy()])
        squares = [np.full((n, n), value) for value in (0, 0, 0, -2)]
        rest = [np.zeros((POINTS, 3)), np.zeros((n * cubes, 2), np.int64), np.zeros(1, np.int64), np.full(1, math.inf)]
        self.memory = Memory._make([*squares, *rest])
        self.steps = self.unsolved = 0

    def add(self, pose: Pose, velocity: Vector = (0.0, 0.0, 0.0), spin: Vector = (0.0, 0.0, 0.0)) -> int:
        i, half_step = self.boxes + self.cubes, self.law.step / 2
        bodies = self.bodies
        bodies.place[i], bodies.turn[i] = np.array(pose.position) + half_step * np.array(velocity), pose.orientation
        bodies.motion[i], bodies.free[i] = (*velocity, *spin), 1.0
        _turn_by(bodies, i, half_step * spin[0], half_step * spin[1], half_step * spin[2])
        self.memory.moved[0] = math.inf
        self.cubes += 1
        return self.cubes - 1

    def take(self, cubes: npt.NDArray[np.int64]) -> None:
        self.bodies.free[self.boxes + cubes] = -1.0
        self.memory.moved[0] = math.inf

    def there(self) -> npt.NDArray[np.int64]:
        return np.flatnonzero(self.bodies.free[self.boxes :] > 0)

    def position(self) -> Array:
        """Return the centres (m) of the cubes that are there, (n, 3)."""
        return self.bodies.place[self.boxes + self.there()]

    def axes(self) -> Array:
        """Return the rotation matrices of the cubes that are there, (n, 3, 3)."""
        return self.bodies.frame[self.boxes + self.there()]

    def motion(self) -> Array:
        """Return velocity (m/s) and spin (rad/s) of the cubes that are there, (n, 6)."""
        return self.bodies.motion[self.boxes + self.there()]

    def advance(self, steps: int) -> None:
        self.unsolved += _advance(self.bodies, self.contacts, self.memory, self.law, self.steps, steps)
        self.steps += steps


@dataclass(frozen=True)
class Kept:
    """How a drop ended: `kept` inside, or how it `failed` ("": it did not); simulated `seconds`, `unsolved` steps."""

    kept: int
    failed: str
    seconds: float
    unsolved: int


LOOK = 0.01  # s: emerged cubes are taken out, and the others looked at, so often
QUIET_SPEED, QUIET_SPIN, QUIET_TIME = 0.005, 1.0, 0.3  # m/s, rad/s, s
LONGEST = 12.0  # s


def throw(apparatus: Apparatus, launches: Sequence[Launch], law: Law) -> Kept:
    """Throw cubes into an empty apparatus and say how many stay there."""
    solver = ExactSolver(law, apparatus.boxes, apparatus.surfaces, apparatus.between_cubes, len(launches))
    waiting, looks, quiet = deque(launches), 0, 0
    while True:
        while waiting and waiting[0].windows <= looks:
            launch = waiting.popleft()
            solver.add(launch.pose, launch.velocity, launch.spin)
        position = solver.position()
        seconds = looks * LOOK
        if apparatus.escaped(position).any():
            return Kept(0, "escaped", seconds, solver.unsolved)
        solver.take(solver.there()[apparatus.emerged(position)])
        speed = np.abs(solver.motion())
        still = (speed[:, :3] < QUIET_SPEED).all() and (speed[:, 3:] < QUIET_SPIN).all()
        quiet = quiet + 1 if still and not waiting else 0
        if quiet * LOOK >= QUIET_TIME:
            return Kept(len(speed), "", seconds, solver.unsolved)
        if seconds >= LONGEST:
            return Kept(len(speed), "not at rest", seconds, solver.unsolved)
        solver.advance(round(LOOK / law.step))
        looks += 1
