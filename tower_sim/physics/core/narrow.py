r"""Narrow phase: where two boxes touch or soon will: a normal, and up to eight points with their gaps.

    reference face        The faces that look at each other most directly: one is the reference, the other, the
    ___________           incident one, is cut to the reference's outline and measured along its normal. Gaps may be
    |    |    |           positive: those are contacts of the near future, which the solver needs so that nothing
    |  . v .  |  gap      passes anything between two steps.
      /   `.  |
     /  incident          Two edges that cross touch in one point, halfway between them.

15 axes can keep two boxes apart (Gottschalk, Lin and Manocha, SIGGRAPH 1996): three of each and their nine products;
the one with the largest gap says how they meet. A face is cut by its sides (Sutherland and Hodgman, Communications of
the ACM 17, 1974, 32), drawn in by a hair: so a cube that slides over two boards side by side is not held by the edge
of the second, on whose side it would lie by that hair only.
"""

from __future__ import annotations

import math

from tower_sim.compiled.marks import R, T, aside, inner
from tower_sim.physics.core.arrays import MOST_POINTS, Tables
from tower_sim.physics.core.vectors import Three, along, axis, between, xyz

# Room for numbers in Tables.room: the second's axes in the first's, the distance in either's axes, gaps along faces,
# two polygons of up to 12 corners of three numbers.
_COSINES, _TO_A, _TO_B, _GAPS, _POLYGON, _OTHER = 0, 9, 12, 15, 24, 60
APART = 150
"""Where in Tables.room a pair that is apart tells by how much: see `apart`."""
_PARALLEL = 1e-3  # the square of the sine of the angle of two edges, under which their product is no axis


@inner
def collide(w: Tables, p: int, ahead: float) -> int:
    """Find the contact of the two boxes of a pair as far as gaps are less than `ahead`; fills its row of meets.

    Returns the number of points.
    """
    room, meeting, hair = w.room, w.meets[p], w.real[0].touching_gap
    a, b = w.bodies[w.pairs[p].first], w.bodies[w.pairs[p].second]
    dx, dy, dz = between(b, a)
    b0, b1, b2 = along(b, 0, dx, dy, dz), along(b, 1, dx, dy, dz), along(b, 2, dx, dy, dz)
    hb0, hb1, hb2 = xyz(b.half)
    is_fixed = b.inv_mass == 0.0
    over = _over(abs(b0) - hb0, abs(b1) - hb1, abs(b2) - hb2)
    reach = a.radius + ahead
    if over > reach * reach:
        room[APART] = apart(a, b, dx, dy, dz, math.sqrt(over) - a.radius, is_fixed)
        return 0
    a0, a1, a2 = along(a, 0, dx, dy, dz), along(a, 1, dx, dy, dz), along(a, 2, dx, dy, dz)
    ha0, ha1, ha2 = xyz(a.half)
    over = _over(abs(a0) - ha0, abs(a1) - ha1, abs(a2) - ha2)
    reach = b.radius + ahead
    if over > reach * reach:
        room[APART] = apart(a, b, dx, dy, dz, math.sqrt(over) - b.radius, False)
        return 0
    # c_ij: the cosine of the angle between axis i of the first and axis j of the second
    c00, c01, c02 = _cosine(a, 0, b, 0), _cosine(a, 0, b, 1), _cosine(a, 0, b, 2)
    c10, c11, c12 = _cosine(a, 1, b, 0), _cosine(a, 1, b, 1), _cosine(a, 1, b, 2)
    c20, c21, c22 = _cosine(a, 2, b, 0), _cosine(a, 2, b, 1), _cosine(a, 2, b, 2)
    # along the axes of the first, and of the second
    f0 = abs(a0) - (ha0 + hb0 * abs(c00) + hb1 * abs(c01) + hb2 * abs(c02))
    f1 = abs(a1) - (ha1 + hb0 * abs(c10) + hb1 * abs(c11) + hb2 * abs(c12))
    f2 = abs(a2) - (ha2 + hb0 * abs(c20) + hb1 * abs(c21) + hb2 * abs(c22))
    f3 = abs(b0) - (hb0 + ha0 * abs(c00) + ha1 * abs(c10) + ha2 * abs(c20))
    f4 = abs(b1) - (hb1 + ha0 * abs(c01) + ha1 * abs(c11) + ha2 * abs(c21))
    f5 = abs(b2) - (hb2 + ha0 * abs(c02) + ha1 * abs(c12) + ha2 * abs(c22))
    best_face = max(max(max(f0, f1), max(f2, f3)), max(f4, f5))
    if best_face > ahead:
        best_of_b = max(max(f3, f4), f5)
        if is_fixed and best_of_b > ahead:
            room[APART] = apart(a, b, dx, dy, dz, best_of_b, True)
        else:
            room[APART] = apart(a, b, dx, dy, dz, best_face, False)
        return 0
    room[_TO_A], room[_TO_A + 1], room[_TO_A + 2] = a0, a1, a2
    room[_TO_B], room[_TO_B + 1], room[_TO_B + 2] = b0, b1, b2
    room[_COSINES], room[_COSINES + 1], room[_COSINES + 2] = c00, c01, c02
    room[_COSINES + 3], room[_COSINES + 4], room[_COSINES + 5] = c10, c11, c12
    room[_COSINES + 6], room[_COSINES + 7], room[_COSINES + 8] = c20, c21, c22
    room[_GAPS], room[_GAPS + 1], room[_GAPS + 2] = f0, f1, f2
    room[_GAPS + 3], room[_GAPS + 4], room[_GAPS + 5] = f3, f4, f5
    edge, best_edge = _find_edge(room, a, b, best_face + hair)
    if best_edge > ahead:
        return 0
    if best_edge > best_face + hair and _edges(room, meeting, a, b, edge, best_edge, hair) == 1:
        return 1
    lowest = min(best_face, 0.0) - 8.0 * hair
    for _ in range(6):
        face, largest = -1, -1e9
        for k in range(6):
            # the second's faces, which are fixed ones' where there are any, are preferred by a hair
            gap = room[_GAPS + k] + (hair if k >= 3 else 0.0)
            if gap > largest:
                face, largest = k, gap
        if face < 0 or room[_GAPS + face] < lowest:
            break
        points = _faces(room, meeting, a, b, face, ahead, hair)
        if points > 0:
            return points
        room[_GAPS + face] = -2e9
    edge, best_edge = _find_any_edge(room, a, b)
    if lowest < best_edge <= best_face + hair:
        return _edges(room, meeting, a, b, edge, best_edge, hair)
    return 0


@inner
def _cosine(a: R, i: int, b: R, j: int) -> float:
    """Return the cosine of the angle between axis `i` of `a` and axis `j` of `b`."""
    return along(b, j, *axis(a, i))


@inner
def _over(x: float, y: float, z: float) -> float:
    """Return the square of the distance from a box of a point so far outside its faces."""
    x, y, z = max(x, 0.0), max(y, 0.0), max(z, 0.0)
    return x * x + y * y + z * z


@inner
def apart(a: R, b: R, dx: float, dy: float, dz: float, gap: float, is_still: bool) -> float:
    """Return how far (m) any points of two bodies can come, in all, before a gap along an axis of one can close.

    An axis that is still loses no more of its gap than that. One that turns with a body sweeps by its turn, times
    how far the other reaches from the centre of the first: a point at the body's own radius comes so far by less.
    """
    if is_still:
        return gap
    away = math.sqrt(dx * dx + dy * dy + dz * dz) + gap
    one, two = a.radius, b.radius
    times = max((away + two) / one, 1.0)
    if b.inv_mass != 0.0:
        times = max(times, (away + one) / two)
    return gap / times


@inner
def _crossed(
    t1: float, t2: float, r1: float, r2: float, s1: float, s2: float,
    ha1: float, ha2: float, hb1: float, hb2: float, cosine: float, least: float,
) -> float:  # fmt: skip
    """Return how far apart two boxes are along the product of an axis of each; those of parallel edges say nothing.

    Of axis i of the first and j of the second: t1, t2 the distance along the first's two axes after i; r1, r2 the
    cosines of these and j; s1, s2 those of i and the second's two axes after j; then the half edges along all four.
    Where it is not more than `least`, a lower number may be returned: no division by less than 1 makes a negative more.
    """
    square = 1.0 - cosine * cosine
    if square < _PARALLEL:
        return -1e9
    gap = abs(t2 * r1 - t1 * r2) - (ha1 * abs(r2) + ha2 * abs(r1) + hb1 * abs(s2) + hb2 * abs(s1))
    return -1e9 if gap <= 0.0 and gap <= least else gap / math.sqrt(square)


@inner
def _find_edge(room: T, a: R, b: R, least: float) -> tuple[int, float]:
    """Return which product of axes has the largest gap, 3 i + j, and that gap; a gap up to `least` may be any less."""
    edge, best = 0, -math.inf
    for i in range(3):
        i1, i2 = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            j1, j2 = (j + 1) % 3, (j + 2) % 3
            gap = _crossed(
                room[_TO_A + i1], room[_TO_A + i2], room[3 * i1 + j], room[3 * i2 + j], room[3 * i + j1],
                room[3 * i + j2], a.half[i1], a.half[i2], b.half[j1], b.half[j2], room[3 * i + j], least,
            )  # fmt: skip
            if gap > best:
                edge, best = 3 * i + j, gap
    return edge, best


@aside
def _find_any_edge(room: T, a: R, b: R) -> tuple[int, float]:
    """Return which product of axes has the largest gap, and that gap, however small it is."""
    return _find_edge(room, a, b, -math.inf)


@inner
def _faces(room: T, meeting: R, a: R, b: R, face: int, ahead: float, hair: float) -> int:
    """Cut the incident face to the outline of the reference face; fills the pair's contact, returns its points."""
    # coordinates: the reference box's axes, its centre the origin; u and v in the face, h outwards
    if face < 3:
        x, y, i = a, b, face
        outwards = 1.0 if room[_TO_A + i] > 0.0 else -1.0
    else:
        x, y, i = b, a, face - 3
        outwards = -1.0 if room[_TO_B + i] > 0.0 else 1.0
    u, v = (i + 1) % 3, (i + 2) % 3
    incident, most = 0, -1.0
    for j in range(3):
        steep = abs(_axis(room, face, i, j))
        if steep > most:
            incident, most = j, steep
    side = -1.0 if outwards * _axis(room, face, i, incident) > 0.0 else 1.0
    j1, j2 = (incident + 1) % 3, (incident + 2) % 3
    for c in range(3):
        k = (i + 1 + c) % 3
        centre = room[_TO_A + k] if face < 3 else -room[_TO_B + k]
        middle = centre + side * y.half[incident] * _axis(room, face, k, incident)
        s, r = y.half[j1] * _axis(room, face, k, j1), y.half[j2] * _axis(room, face, k, j2)
        room[_POLYGON + c] = middle + s + r
        room[_POLYGON + 3 + c] = middle - s + r
        room[_POLYGON + 6 + c] = middle - s - r
        room[_POLYGON + 9 + c] = middle + s - r
    count, at = _cut(room, 4, x.half[u] - hair, x.half[v] - hair)
    found = 0
    top = x.half[i]
    for k in range(count):
        height = outwards * room[at + 3 * k + 2]
        gap = height - top
        if gap < ahead and found < MOST_POINTS:
            middle = outwards * 0.5 * (height + top)
            p, q = room[at + 3 * k], room[at + 3 * k + 1]
            point = meeting.points[found]
            for c in range(3):
                point.place[c] = x.position[c] + x.axes[c, u] * p + x.axes[c, v] * q + x.axes[c, i] * middle
            point.gap = gap
            found += 1
    towards = -outwards if face < 3 else outwards
    for c in range(3):
        meeting.normal[c] = towards * x.axes[c, i]
    return found


@inner
def _axis(room: T, face: int, way: int, j: int) -> float:
    """Return the coordinate along axis `way` of the reference box of axis `j` of the other."""
    return room[3 * way + j] if face < 3 else room[3 * j + way]


@inner
def _cut(room: T, count: int, u: float, v: float) -> tuple[int, int]:
    """Cut the polygon in Tables.room to -u..u and -v..v; returns how many corners are left, and where they stand."""
    here, there = _POLYGON, _OTHER
    for side in range(4):
        c = side // 2
        sign = 1.0 if side % 2 == 0 else -1.0
        limit = u if c == 0 else v
        furthest = -limit
        for k in range(count):
            furthest = max(furthest, sign * room[here + 3 * k + c])
        if furthest <= limit:
            continue
        left = 0
        for k in range(count):
            one, two = here + 3 * k, here + 3 * ((k + 1) % count)
            in_one, in_two = limit - sign * room[one + c], limit - sign * room[two + c]
            left = clip(room, one, two, in_one, in_two, there, left)
        count = left
        if count == 0:
            break
        here, there = there, here
    return count, here


@inner
def clip(room: T, one: int, two: int, in_one: float, in_two: float, there: int, left: int) -> int:
    """Write what is left of a polygon's side, from how far inside its ends are; returns how many corners there are."""
    if in_one >= 0.0:
        for m in range(3):
            room[there + 3 * left + m] = room[one + m]
        left += 1
    if (in_one >= 0.0) != (in_two >= 0.0):
        share = in_one / (in_one - in_two)
        for m in range(3):
            room[there + 3 * left + m] = room[one + m] + share * (room[two + m] - room[one + m])
        left += 1
    return left


@inner
def _edges(room: T, meeting: R, a: R, b: R, k: int, gap: float, hair: float) -> int:
    """Find where two edges cross; fills the pair's contact; 0 points when they pass each other."""
    i, j = k // 3, k % 3
    cosine = room[3 * i + j]
    square = 1.0 - cosine * cosine
    length = math.sqrt(square)
    ax, ay, az = axis(a, i)
    bx, by, bz = axis(b, j)
    nx, ny, nz = (ay * bz - az * by) / length, (az * bx - ax * bz) / length, (ax * by - ay * bx) / length
    dx, dy, dz = between(b, a)
    if nx * dx + ny * dy + nz * dz > 0.0:
        nx, ny, nz = -nx, -ny, -nz
    # from the middle of the first's edge to that of the second's
    rx, ry, rz = dx, dy, dz
    for m in range(3):
        if m != i:
            rx, ry, rz = to_edge(a, m, nx, ny, nz, rx, ry, rz)
        if m != j:
            rx, ry, rz = to_edge(b, m, nx, ny, nz, rx, ry, rz)
    along_a = rx * ax + ry * ay + rz * az
    along_b = rx * bx + ry * by + rz * bz
    s = (along_a - cosine * along_b) / square
    r = (cosine * along_a - along_b) / square
    if abs(s) > a.half[i] + hair or abs(r) > b.half[j] + hair:
        return 0
    # halfway between the two points: from the second's point back by half of the gap along the normal
    x, y, z = b.position[0] + r * bx, b.position[1] + r * by, b.position[2] + r * bz
    for m in range(3):
        if m != j:
            x, y, z = to_edge(b, m, nx, ny, nz, x, y, z)
    set_point(meeting, 0, x + 0.5 * gap * nx, y + 0.5 * gap * ny, z + 0.5 * gap * nz, gap)
    set_normal(meeting, nx, ny, nz)
    return 1


@inner
def to_edge(body: R, m: int, nx: float, ny: float, nz: float, x: float, y: float, z: float) -> Three:
    """Return a point moved by half of a box along its axis `m`, to that side which is further along the normal."""
    s = body.half[m] if along(body, m, nx, ny, nz) > 0.0 else -body.half[m]
    return x + s * body.axes[0, m], y + s * body.axes[1, m], z + s * body.axes[2, m]


@inner
def set_point(meeting: R, k: int, x: float, y: float, z: float, gap: float) -> None:
    """Write where a point of a contact is, and its gap."""
    point = meeting.points[k]
    point.place[0], point.place[1], point.place[2], point.gap = x, y, z, gap


@inner
def set_normal(meeting: R, x: float, y: float, z: float) -> None:
    """Write the normal of a contact."""
    meeting.normal[0], meeting.normal[1], meeting.normal[2] = x, y, z


@inner
def remember(w: Tables, p: int, points: int) -> None:
    """Give each of the pair's new points the force of the old one that was nearest in the first's axes, once each."""
    pair, old, room, pad = w.pairs[p], w.touches[p].points, w.room, w.real[0].pad
    body = w.bodies[pair.first]
    limit = 16.0 * pad * pad
    new, force = 96, 120  # room of 8 points each, behind the polygons
    used = 0
    for k in range(points):
        place = w.meets[p].points[k].place
        x, y, z = place[0] - body.position[0], place[1] - body.position[1], place[2] - body.position[2]
        for c in range(3):
            room[new + 3 * k + c], room[force + 3 * k + c] = along(body, c, x, y, z), 0.0
        nearest, least = -1, limit
        for m in range(pair.points):
            if (used >> m) & 1 == 0:
                x = old[m].place[0] - room[new + 3 * k]
                y = old[m].place[1] - room[new + 3 * k + 1]
                z = old[m].place[2] - room[new + 3 * k + 2]
                away = x * x + y * y + z * z
                if away < least:
                    nearest, least = m, away
        if nearest >= 0:
            used |= 1 << nearest
            for c in range(3):
                room[force + 3 * k + c] = old[nearest].force[c]
    for k in range(points):
        for c in range(3):
            old[k].place[c], old[k].force[c] = room[new + 3 * k + c], room[force + 3 * k + c]
    pair.points = points
