"""Narrow phase of a cube or cuboid and a fixed convex hull; what narrow.py says of two boxes holds here too.

The axes that can keep them apart are the hull's face normals, the box's three axes, and the products of these with the
directions of the hull's edges. A hull is a stretch of `Tables.hulls`, lengths in metres from the hull's centre:

    before: the least cosines of its faces, if it has any; how many these are
    4 numbers: of vertices, faces, edges, and directions of edges
    vertices   x, y, z
    faces      normal x, y, z; its plane's distance; where its corners begin; how many it has
    edges      the indices of two vertices, that of the direction
    directions x, y, z of length 1, no two of them parallel
    corners    the index of the vertex; of the side that begins there, its normal x, y, z in the face, and its distance
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tower_sim.apparatus.parts import Hull, Surface
from tower_sim.compiled.marks import R, T, aside, inner
from tower_sim.physics.core.arrays import MOST_POINTS, Tables
from tower_sim.physics.core.narrow import APART, apart, clip, set_normal, set_point, to_edge
from tower_sim.physics.core.vectors import Three, along, axis, between, unit

# Room for numbers in Tables.room, behind that of narrow.py: two polygons of up to 68 corners, gaps of points, gaps
# along up to 124 faces and three axes, which sides of these; the best product of edges: its normal, axis and direction.
_POLYGON, _OTHER, _HEIGHTS, _GAPS, _SIDES, _EDGE = 160, 376, 592, 664, 792, 795
_PARALLEL = 1e-3  # as in narrow.py
_ALIKE = 1e-12  # the square of the sine of the angle of two edges, under which they are one direction
_STRAIGHT = 1e-5  # of a cosine: normals within a quarter of a degree are one
_TRIES = 6


def hull_numbers(hulls: Sequence[Hull], surfaces: Mapping[str, Surface]) -> tuple[list[float], int]:
    """Return hulls as numbers, and the room that they need when they are written.

    Of each: friction and restitution of a cube with it, how many vertices, faces and least cosines it has, and these;
    x, y, z of the vertices (m); then of each face how many corners it has, and their indices, counter-clockwise as seen
    from outside.
    """
    numbers: list[float] = []
    room = 1
    for hull in hulls:
        surface, corners = surfaces[hull.surface], 0
        numbers += (surface.friction, surface.restitution, len(hull.vertices), len(hull.faces), len(hull.least_cosines))
        numbers += hull.least_cosines
        numbers += (x for vertex in hull.vertices for x in vertex)
        for face in hull.faces:
            numbers += (len(face), *face)
            corners += len(face)
        # half as many edges as corners, and at most as many directions
        room += 5 + 3 * len(hull.vertices) + 7 * len(hull.faces) + 8 * corners
    return numbers, room


@aside
def frame(numbers: T, here: int, room: T) -> None:
    """Put the centre of the bounding box of the hull at `here` in `numbers` into Tables.room, then its half edges."""
    first = here + 5 + int(numbers[here + 4])
    for c in range(3):
        low, high = math.inf, -math.inf
        for v in range(int(numbers[here + 2])):
            low, high = min(low, numbers[first + 3 * v + c]), max(high, numbers[first + 3 * v + c])
        room[c], room[3 + c] = (low + high) / 2, (high - low) / 2


@aside
def write(hulls: T, free: int, numbers: T, here: int, room: T) -> tuple[int, int, int]:
    """Write the hull at `here` in `numbers` from `free` on in `hulls`; return its place there, and where both go on.

    `frame` has put its centre.

    Tables.room then tells which vertices an edge joins: a table of as many rows and columns as there are vertices.
    """
    vertices, faces = int(numbers[here + 2]), int(numbers[here + 3])
    cosines = int(numbers[here + 4])
    for k in range(cosines):
        hulls[free + k] = numbers[here + 5 + k]
    at, first = free + cosines + 1, here + 5 + cosines
    hulls[at - 1] = float(cosines)
    points, corner = at + 4, first + 3 * vertices  # where vertices are written, where faces are told
    for v in range(vertices):
        for c in range(3):
            hulls[points + 3 * v + c] = numbers[first + 3 * v + c] - room[c]
    for k in range(vertices * vertices):
        room[k] = 0.0
    end = corner
    for _ in range(faces):
        size = int(numbers[end])
        for k in range(size):
            i, j = int(numbers[end + 1 + k]), int(numbers[end + 1 + (k + 1) % size])
            room[min(i, j) * vertices + max(i, j)] = 1.0
        end += 1 + size
    first = points + 3 * vertices + 6 * faces
    edges = 0
    for k in range(vertices * vertices):
        if room[k] != 0.0:
            hulls[first + 3 * edges], hulls[first + 3 * edges + 1] = float(k // vertices), float(k % vertices)
            edges += 1
    ways, directions = first + 3 * edges, 0
    for e in range(edges):
        x, y, z = _way(hulls, points, int(hulls[first + 3 * e]), int(hulls[first + 3 * e + 1]))
        x, y, z = unit(x, y, z)
        known = directions
        for k in range(directions - 1, -1, -1):
            p, q, r = hulls[ways + 3 * k], hulls[ways + 3 * k + 1], hulls[ways + 3 * k + 2]
            u, v, w = y * r - z * q, z * p - x * r, x * q - y * p
            if u * u + v * v + w * w < _ALIKE:
                known = k
        if known == directions:
            hulls[ways + 3 * known], hulls[ways + 3 * known + 1], hulls[ways + 3 * known + 2] = x, y, z
            directions += 1
        hulls[first + 3 * e + 2] = float(known)
    hulls[at], hulls[at + 1], hulls[at + 2], hulls[at + 3] = float(vertices), float(faces), float(edges), directions
    out = ways + 3 * directions
    number = 0
    for f in range(faces):
        nx, ny, nz = _normal(hulls, points, numbers, corner)
        size, table, top = int(numbers[corner]), points + 3 * vertices + 6 * f, -math.inf
        for k in range(size):
            i, j = int(numbers[corner + 1 + k]), int(numbers[corner + 1 + (k + 1) % size])
            top = max(top, _height(hulls, points, i, nx, ny, nz))
            a, b, c = _way(hulls, points, i, j)
            x, y, z = b * nz - c * ny, c * nx - a * nz, a * ny - b * nx
            x, y, z = unit(x, y, z)
            hulls[out], hulls[out + 1], hulls[out + 2], hulls[out + 3] = float(i), x, y, z
            hulls[out + 4] = _height(hulls, points, i, x, y, z)
            out += 5
        hulls[table], hulls[table + 1], hulls[table + 2], hulls[table + 3] = nx, ny, nz, top
        hulls[table + 4], hulls[table + 5] = float(number), float(size)
        number += size
        corner += 1 + size
    return at, out, end


@inner
def _way(hulls: T, points: int, i: int, j: int) -> Three:
    """Return the way from one vertex to another."""
    one, two = points + 3 * i, points + 3 * j
    return hulls[two] - hulls[one], hulls[two + 1] - hulls[one + 1], hulls[two + 2] - hulls[one + 2]


@inner
def _middle(hulls: T, points: int, edge: int) -> Three:
    """Return the middle of an edge."""
    one, two = points + 3 * int(hulls[edge]), points + 3 * int(hulls[edge + 1])
    x, y, z = hulls[one] + hulls[two], hulls[one + 1] + hulls[two + 1], hulls[one + 2] + hulls[two + 2]
    return 0.5 * x, 0.5 * y, 0.5 * z


@inner
def _height(hulls: T, points: int, i: int, x: float, y: float, z: float) -> float:
    """Return the coordinate of a vertex along a direction."""
    return x * hulls[points + 3 * i] + y * hulls[points + 3 * i + 1] + z * hulls[points + 3 * i + 2]


@inner
def _normal(hulls: T, points: int, numbers: T, corner: int) -> Three:
    """Return the outward unit normal of the face told at `corner`: see `normal_of` in apparatus/hull.py."""
    x, y, z, size = 0.0, 0.0, 0.0, int(numbers[corner])
    for k in range(size):
        one = points + 3 * int(numbers[corner + 1 + k])
        two = points + 3 * int(numbers[corner + 1 + (k + 1) % size])
        ax, ay, az, bx, by, bz = hulls[one], hulls[one + 1], hulls[one + 2], hulls[two], hulls[two + 1], hulls[two + 2]
        x, y, z = x + (ay - by) * (az + bz), y + (az - bz) * (ax + bx), z + (ax - bx) * (ay + by)
    return unit(x, y, z)


@aside
def collide_hull(w: Tables, p: int, ahead: float) -> int:
    """Find the contact of a pair's box and hull as far as gaps are less than `ahead`; fills its row of meets.

    Returns the number of points.
    """
    room, hulls, meeting, hair = w.room, w.hulls, w.meets[p], w.real[0].touching_gap
    a, b = w.bodies[w.pairs[p].first], w.bodies[w.pairs[p].second]
    dx, dy, dz = between(a, b)
    over = max(max(abs(dx) - b.half[0], abs(dy) - b.half[1]), abs(dz) - b.half[2])
    if over > a.radius + ahead:
        room[APART] = over - a.radius
        return 0
    at = int(b.hull)
    is_piece = hulls[at - 1] != 0.0
    if is_piece:
        face = at + 4 + 3 * int(hulls[at])
        if dx * hulls[face] + dy * hulls[face + 1] + dz * hulls[face + 2] <= hulls[face + 3]:
            return 0  # its middle is behind the surface: another piece is there, or it is lost
    best_face = _along_faces(w, at, a, b, dx, dy, dz, ahead)
    if best_face > ahead:
        return 0
    best_edge = _along_products(w, at, a, dx, dy, dz, ahead)
    if best_edge > ahead:
        return 0
    is_edge = not is_piece or _allows(hulls, at, room[_EDGE], room[_EDGE + 1], room[_EDGE + 2])
    if best_edge > best_face + hair and is_edge and _edges(w, meeting, at, a, b, best_edge, hair) == 1:
        return 1
    faces = int(hulls[at + 1])
    lowest = min(best_face, 0.0) - 8.0 * hair
    for _ in range(_TRIES):
        face, largest = -1, -1e9
        for k in range(faces + 3):
            gap = room[_GAPS + k] + (hair if k < faces else 0.0)  # the fixed one's are preferred by a hair
            if gap > largest:
                face, largest = k, gap
        if face < 0 or room[_GAPS + face] < lowest:
            break
        if is_piece and not _allows_face(w, at, a, face, faces):
            points = 0
        elif face < faces:
            points = _on_hull(w, meeting, at, a, b, face, ahead, hair)
        else:
            points = _on_box(w, meeting, at, a, b, face - faces, ahead, hair)
        if points > 0:
            return points
        room[_GAPS + face] = -2e9
    if is_edge and lowest < best_edge <= best_face + hair:
        points = _edges(w, meeting, at, a, b, best_edge, hair)
        if points > 0:
            return points
    # what is left of a cube over the face that is touched is held by that, unless it is deeper than the piece is thick
    if is_piece and -_thickness(hulls, at) < room[_GAPS] < lowest:
        return _on_hull(w, meeting, at, a, b, 0, ahead, hair)
    return 0


@inner
def _allows_face(w: Tables, at: int, a: R, face: int, faces: int) -> bool:
    """Tell whether a piece of a surface can be touched along the normal of one of its faces, or of the box's."""
    hulls = w.hulls
    if face < faces:
        table = at + 4 + 3 * int(hulls[at]) + 6 * face
        return face == 0 or _allows(hulls, at, hulls[table], hulls[table + 1], hulls[table + 2])
    sign = -w.room[_SIDES + face - faces]
    x, y, z = axis(a, face - faces)
    return _allows(hulls, at, sign * x, sign * y, sign * z)


@aside
def _allows(hulls: T, at: int, nx: float, ny: float, nz: float) -> bool:
    """Tell whether a contact normal does not lean too far to the face that it leans to: see `Hull`.

    That is, of the other faces at the vertex that is furthest out along the normal, the one that faces it most.
    """
    vertices, faces = int(hulls[at]), int(hulls[at + 1])
    first, highest = 0, -1e9
    for v in range(vertices):
        height = _height(hulls, at + 4, v, nx, ny, nz)
        if height > highest:
            first, highest = v, height
    table, corners = at + 4 + 3 * vertices, _corners(hulls, at)
    cosine = nx * hulls[table] + ny * hulls[table + 1] + nz * hulls[table + 2]
    side, most, is_there = 1, -2.0, False
    for f in range(faces):
        begin = corners + 5 * int(hulls[table + 6 * f + 4])
        for c in range(int(hulls[table + 6 * f + 5])):
            if int(hulls[begin + 5 * c]) == first:
                steep = nx * hulls[table + 6 * f] + ny * hulls[table + 6 * f + 1] + nz * hulls[table + 6 * f + 2]
                if f == 0:
                    is_there = True
                elif steep > most:
                    side, most = f, steep
    least = hulls[at - 1 - faces + side]
    return cosine >= least - _STRAIGHT if is_there else least <= 0.0


@inner
def _thickness(hulls: T, at: int) -> float:
    """Return how far the other side of a piece is behind its face 0."""
    table = at + 4 + 3 * int(hulls[at])
    low, high = _span(hulls, at, hulls[table], hulls[table + 1], hulls[table + 2])
    return high - low


@inner
def widest_gap(w: Tables, a: R, b: R) -> float:
    """Return the largest gap (m) between box `a` and hull `b` along any axis; negative by how deep they overlap."""
    dx, dy, dz = between(a, b)
    at = int(b.hull)
    faces = _along_faces(w, at, a, b, dx, dy, dz, 1e9)
    return max(faces, _along_products(w, at, a, dx, dy, dz, 1e9))


@inner
def _along_faces(w: Tables, at: int, a: R, b: R, dx: float, dy: float, dz: float, ahead: float) -> float:
    """Return the largest gap along the faces of hull and box, or one beyond `ahead`; all are kept in Tables.room."""
    room, hulls = w.room, w.hulls
    vertices, faces = int(hulls[at]), int(hulls[at + 1])
    first = at + 4 + 3 * vertices
    best = -1e9
    for f in range(faces):
        nx, ny, nz = hulls[first + 6 * f], hulls[first + 6 * f + 1], hulls[first + 6 * f + 2]
        gap = nx * dx + ny * dy + nz * dz - hulls[first + 6 * f + 3] - half_width(a, nx, ny, nz)
        if gap > ahead:
            room[APART] = gap
            return gap
        room[_GAPS + f] = gap
        best = max(best, gap)
    for k in range(3):
        x, y, z = axis(a, k)
        low, high = _span(hulls, at, x, y, z)
        middle, half = x * dx + y * dy + z * dz, a.half[k]
        over, under = middle - half - high, low - middle - half
        gap = max(over, under)
        if gap > ahead:
            room[APART] = apart(a, b, dx, dy, dz, gap, False)
            return gap
        room[_GAPS + faces + k] = gap
        room[_SIDES + k] = 1.0 if under >= over else -1.0  # the box's face that looks at the hull
        best = max(best, gap)
    return best


@inner
def _along_products(w: Tables, at: int, a: R, dx: float, dy: float, dz: float, ahead: float) -> float:
    """Return the largest gap along products of edges, or one beyond `ahead`; which one it is is kept in Tables.room."""
    room, hulls = w.room, w.hulls
    first = at + 4 + 3 * int(hulls[at]) + 6 * int(hulls[at + 1]) + 3 * int(hulls[at + 2])
    best = -1e9
    for j in range(int(hulls[at + 3])):
        ex, ey, ez = hulls[first + 3 * j], hulls[first + 3 * j + 1], hulls[first + 3 * j + 2]
        for i in range(3):
            x, y, z = axis(a, i)
            nx, ny, nz = y * ez - z * ey, z * ex - x * ez, x * ey - y * ex
            square = nx * nx + ny * ny + nz * nz
            if square < _PARALLEL:
                continue
            size = math.sqrt(square)
            nx, ny, nz = nx / size, ny / size, nz / size
            low, high = _span(hulls, at, nx, ny, nz)
            middle, reach = nx * dx + ny * dy + nz * dz, half_width(a, nx, ny, nz)
            over, under = middle - reach - high, low - middle - reach
            gap = max(over, under)
            if gap > ahead:
                return gap
            if gap > best:
                best = gap
                sign = 1.0 if over >= under else -1.0
                room[_EDGE], room[_EDGE + 1], room[_EDGE + 2] = sign * nx, sign * ny, sign * nz
                room[_EDGE + 3], room[_EDGE + 4], room[_EDGE + 5] = i, j, high if over >= under else -low
    return best


@inner
def half_width(box: R, x: float, y: float, z: float) -> float:
    """Return how far a box reaches from its centre along a direction."""
    a, b, c = abs(along(box, 0, x, y, z)), abs(along(box, 1, x, y, z)), abs(along(box, 2, x, y, z))
    return box.half[0] * a + box.half[1] * b + box.half[2] * c


@inner
def _span(hulls: T, at: int, x: float, y: float, z: float) -> tuple[float, float]:
    """Return the least and the largest coordinate of a hull along a direction."""
    low, high = 1e9, -1e9
    for v in range(int(hulls[at])):
        height = _height(hulls, at + 4, v, x, y, z)
        low, high = min(low, height), max(high, height)
    return low, high


@inner
def _on_hull(w: Tables, meeting: R, at: int, a: R, b: R, face: int, ahead: float, hair: float) -> int:
    """Cut the box's face that looks at a face of the hull to that face's outline; returns the points."""
    room, hulls = w.room, w.hulls
    table = at + 4 + 3 * int(hulls[at]) + 6 * face
    nx, ny, nz, height = hulls[table], hulls[table + 1], hulls[table + 2], hulls[table + 3]
    incident, most = 0, -1.0
    for k in range(3):
        steep = abs(along(a, k, nx, ny, nz))
        if steep > most:
            incident, most = k, steep
    j1, j2 = (incident + 1) % 3, (incident + 2) % 3
    steep = along(a, incident, nx, ny, nz)
    side = -a.half[incident] if steep > 0.0 else a.half[incident]
    for corner in range(4):
        s = a.half[j1] * (1.0 if corner == 0 or corner == 3 else -1.0)
        r = a.half[j2] * (1.0 if corner < 2 else -1.0)
        for c in range(3):
            middle = a.position[c] - b.position[c] + side * a.axes[c, incident]
            room[_POLYGON + 3 * corner + c] = middle + s * a.axes[c, j1] + r * a.axes[c, j2]
    here, there, count = _POLYGON, _OTHER, 4
    corners = _corners(hulls, at) + 5 * int(hulls[table + 4])
    for k in range(int(hulls[table + 5])):
        out = corners + 5 * k
        count = _cut(room, here, there, count, hulls[out + 1], hulls[out + 2], hulls[out + 3], hulls[out + 4] - hair)
        here, there = there, here
        if count == 0:
            return 0
    return _fill(room, meeting, b, here, count, nx, ny, nz, height, 1.0, ahead, hair)


@inner
def _on_box(w: Tables, meeting: R, at: int, a: R, b: R, k: int, ahead: float, hair: float) -> int:
    """Cut the hull's face that looks at the box's along its axis `k` to that face's outline; returns the points.

    It is that, of the faces at the hull's vertex which comes first, which looks at the box's most directly.
    """
    room, hulls = w.room, w.hulls
    sign, (x, y, z) = room[_SIDES + k], axis(a, k)
    nx, ny, nz = sign * x, sign * y, sign * z
    dx, dy, dz = between(a, b)
    first, lowest = 0, 1e9
    for v in range(int(hulls[at])):
        height = _height(hulls, at + 4, v, nx, ny, nz)
        if height < lowest:
            first, lowest = v, height
    table, corners = at + 4 + 3 * int(hulls[at]), _corners(hulls, at)
    incident, least = 0, 2.0
    for f in range(int(hulls[at + 1])):
        steep = hulls[table + 6 * f] * nx + hulls[table + 6 * f + 1] * ny + hulls[table + 6 * f + 2] * nz
        if steep < least:
            for c in range(int(hulls[table + 6 * f + 5])):
                if int(hulls[corners + 5 * (int(hulls[table + 6 * f + 4]) + c)]) == first:
                    incident, least = f, steep
    count = int(hulls[table + 6 * incident + 5])
    for c in range(count):
        vertex = at + 4 + 3 * int(hulls[corners + 5 * (int(hulls[table + 6 * incident + 4]) + c)])
        for m in range(3):
            room[_POLYGON + 3 * c + m] = hulls[vertex + m]
    here, there = _POLYGON, _OTHER
    for m in range(4):
        j = (k + 1 + m // 2) % 3
        out = 1.0 if m % 2 == 0 else -1.0
        x, y, z = axis(a, j)
        x, y, z = out * x, out * y, out * z
        count = _cut(room, here, there, count, x, y, z, x * dx + y * dy + z * dz + a.half[j] - hair)
        here, there = there, here
        if count == 0:
            return 0
    top = nx * dx + ny * dy + nz * dz + a.half[k]
    return _fill(room, meeting, b, here, count, nx, ny, nz, top, -1.0, ahead, hair)


@inner
def _corners(hulls: T, at: int) -> int:
    """Return where the corners of a hull's faces begin."""
    return at + 4 + 3 * int(hulls[at]) + 6 * int(hulls[at + 1]) + 3 * int(hulls[at + 2]) + 3 * int(hulls[at + 3])


@inner
def _cut(room: T, here: int, there: int, count: int, x: float, y: float, z: float, limit: float) -> int:
    """Cut the polygon `here` where its coordinate along (x, y, z) is over `limit`; returns the corners left `there`."""
    left = 0
    for k in range(count):
        one, two = here + 3 * k, here + 3 * ((k + 1) % count)
        in_one = limit - (room[one] * x + room[one + 1] * y + room[one + 2] * z)
        in_two = limit - (room[two] * x + room[two + 1] * y + room[two + 2] * z)
        left = clip(room, one, two, in_one, in_two, there, left)
    return left


@inner
def _fill(
    room: T, meeting: R, b: R, here: int, count: int,
    nx: float, ny: float, nz: float, top: float, towards: float, ahead: float, hair: float,
) -> int:  # fmt: skip
    """Fill the pair's contact from a polygon over the plane at `top` along n; of many points the deepest, then always
    the one that is furthest from those taken.
    """
    near = 0
    for k in range(count):
        p = here + 3 * k
        gap = room[p] * nx + room[p + 1] * ny + room[p + 2] * nz - top
        if gap < ahead:
            for m in range(3):
                room[here + 3 * near + m] = room[p + m]
            room[_HEIGHTS + near] = gap
            near += 1
    count = near
    if count > MOST_POINTS:
        _choose(room, here, count, hair)
        count = MOST_POINTS
    for k in range(count):
        gap = room[_HEIGHTS + k]
        at, half = here + 3 * k, 0.5 * gap
        x, y, z = b.position[0] + room[at], b.position[1] + room[at + 1], b.position[2] + room[at + 2]
        set_point(meeting, k, x - half * nx, y - half * ny, z - half * nz, gap)
    set_normal(meeting, towards * nx, towards * ny, towards * nz)
    return count


@inner
def _choose(room: T, here: int, count: int, hair: float) -> None:
    """Bring eight points of a polygon to its front: the deepest, then each time the one furthest from those there.

    Of those as deep or far but for a hair the first is taken, so that rounding does not change which points are known.
    """
    for taken in range(MOST_POINTS):
        best, most = taken, -1e9
        for k in range(taken, count):
            worth = -room[_HEIGHTS + k]
            if taken > 0:
                worth = 1e9
                for m in range(taken):
                    x = room[here + 3 * k] - room[here + 3 * m]
                    y = room[here + 3 * k + 1] - room[here + 3 * m + 1]
                    z = room[here + 3 * k + 2] - room[here + 3 * m + 2]
                    worth = min(worth, x * x + y * y + z * z)
            if worth > most + (hair if taken == 0 else hair * hair):
                best, most = k, worth
        room[_HEIGHTS + taken], room[_HEIGHTS + best] = room[_HEIGHTS + best], room[_HEIGHTS + taken]
        for m in range(3):
            one, two = here + 3 * taken + m, here + 3 * best + m
            room[one], room[two] = room[two], room[one]


@inner
def _edges(w: Tables, meeting: R, at: int, a: R, b: R, gap: float, hair: float) -> int:
    """Find where an edge of the box and one of the hull cross; fills the contact; 0 when they pass each other."""
    room, hulls = w.room, w.hulls
    nx, ny, nz = room[_EDGE], room[_EDGE + 1], room[_EDGE + 2]
    i, j, top = int(room[_EDGE + 3]), int(room[_EDGE + 4]), room[_EDGE + 5]
    # the hull's edge of that direction which is furthest out, if nothing of the hull is further
    edges = at + 4 + 3 * int(hulls[at]) + 6 * int(hulls[at + 1])
    found, highest = -1, top - hair
    for e in range(int(hulls[at + 2])):
        if int(hulls[edges + 3 * e + 2]) == j:
            mx, my, mz = _middle(hulls, at + 4, edges + 3 * e)
            height = mx * nx + my * ny + mz * nz
            if height > highest:
                found, highest = e, height
    if found < 0:
        return 0
    way = edges + 3 * int(hulls[at + 2]) + 3 * j
    bx, by, bz = hulls[way], hulls[way + 1], hulls[way + 2]
    x, y, z = _way(hulls, at + 4, int(hulls[edges + 3 * found]), int(hulls[edges + 3 * found + 1]))
    half = 0.5 * abs(x * bx + y * by + z * bz)
    mx, my, mz = _middle(hulls, at + 4, edges + 3 * found)
    # from the middle of the box's edge to that of the hull's
    dx, dy, dz = between(a, b)
    rx, ry, rz = mx - dx, my - dy, mz - dz
    for m in range(3):
        if m != i:
            rx, ry, rz = to_edge(a, m, nx, ny, nz, rx, ry, rz)
    ax, ay, az = axis(a, i)
    cosine = ax * bx + ay * by + az * bz
    square = 1.0 - cosine * cosine
    along_a, along_b = rx * ax + ry * ay + rz * az, rx * bx + ry * by + rz * bz
    s = (along_a - cosine * along_b) / square
    r = (cosine * along_a - along_b) / square
    if abs(s) > a.half[i] + hair or abs(r) > half + hair:
        return 0
    x, y, z = b.position[0] + mx + r * bx, b.position[1] + my + r * by, b.position[2] + mz + r * bz
    set_point(meeting, 0, x + 0.5 * gap * nx, y + 0.5 * gap * ny, z + 0.5 * gap * nz, gap)
    set_normal(meeting, nx, ny, nz)
    return 1
