"""Narrow phase of a cube or cuboid and a fixed convex hull; what narrow.py says of two boxes holds here too.

The axes that can keep them apart are the hull's face normals, the box's three axes, and the products of these with the
directions of the hull's edges. A hull is a stretch of `World.hulls`, lengths in metres from the hull's centre:

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
from tower_sim.compiled.marks import T, aside, inner
from tower_sim.physics.core.arrays import AXES, HALF, MOST_POINTS, POINT, POSITION, RADIUS, SHAPE, TOUCHING_GAP
from tower_sim.physics.core.narrow import APART, apart

# Room for numbers in World.room, behind that of narrow.py: two polygons of up to 68 corners, gaps of points, gaps along
# up to 124 faces and three axes, which sides of these; the best product of edges: its normal, axis and direction.
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
    cx, cy, cz = room[0], room[1], room[2]
    vertices, faces = int(numbers[here + 2]), int(numbers[here + 3])
    cosines = int(numbers[here + 4])
    for k in range(cosines):
        hulls[free + k] = numbers[here + 5 + k]
    at, first = free + cosines + 1, here + 5 + cosines
    hulls[at - 1] = float(cosines)
    points, corner = at + 4, first + 3 * vertices  # where vertices are written, where faces are told
    for v in range(vertices):
        hulls[points + 3 * v] = numbers[first + 3 * v] - cx
        hulls[points + 3 * v + 1] = numbers[first + 3 * v + 1] - cy
        hulls[points + 3 * v + 2] = numbers[first + 3 * v + 2] - cz
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
        size = math.sqrt(x * x + y * y + z * z)
        x, y, z = x / size, y / size, z / size
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
            length = math.sqrt(x * x + y * y + z * z)
            x, y, z = x / length, y / length, z / length
            hulls[out], hulls[out + 1], hulls[out + 2], hulls[out + 3] = float(i), x, y, z
            hulls[out + 4] = _height(hulls, points, i, x, y, z)
            out += 5
        hulls[table], hulls[table + 1], hulls[table + 2], hulls[table + 3] = nx, ny, nz, top
        hulls[table + 4], hulls[table + 5] = float(number), float(size)
        number += size
        corner += 1 + size
    return at, out, end


@inner
def _way(hulls: T, points: int, i: int, j: int) -> tuple[float, float, float]:
    """Return the way from one vertex to another."""
    one, two = points + 3 * i, points + 3 * j
    return hulls[two] - hulls[one], hulls[two + 1] - hulls[one + 1], hulls[two + 2] - hulls[one + 2]


@inner
def _height(hulls: T, points: int, i: int, x: float, y: float, z: float) -> float:
    """Return the coordinate of a vertex along a direction."""
    return x * hulls[points + 3 * i] + y * hulls[points + 3 * i + 1] + z * hulls[points + 3 * i + 2]


@inner
def _normal(hulls: T, points: int, numbers: T, corner: int) -> tuple[float, float, float]:
    """Return the outward unit normal of the face told at `corner`: see `normal_of` in apparatus/hull.py."""
    x, y, z, size = 0.0, 0.0, 0.0, int(numbers[corner])
    for k in range(size):
        one = points + 3 * int(numbers[corner + 1 + k])
        two = points + 3 * int(numbers[corner + 1 + (k + 1) % size])
        ax, ay, az, bx, by, bz = hulls[one], hulls[one + 1], hulls[one + 2], hulls[two], hulls[two + 1], hulls[two + 2]
        x, y, z = x + (ay - by) * (az + bz), y + (az - bz) * (ax + bx), z + (ax - bx) * (ay + by)
    length = math.sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length


@aside
def collide_hull(real: T, bodies: T, meets: T, room: T, hulls: T, pair: int, a: int, b: int, ahead: float) -> int:
    """Find the contact of row `a` and hull `b` as far as gaps are less than `ahead`; fills `pair`'s row of meets.

    Returns the number of points.
    """
    dx = bodies[a, POSITION] - bodies[b, POSITION]
    dy = bodies[a, POSITION + 1] - bodies[b, POSITION + 1]
    dz = bodies[a, POSITION + 2] - bodies[b, POSITION + 2]
    over = max(max(abs(dx) - bodies[b, HALF], abs(dy) - bodies[b, HALF + 1]), abs(dz) - bodies[b, HALF + 2])
    if over > bodies[a, RADIUS] + ahead:
        room[APART] = over - bodies[a, RADIUS]
        return 0
    at = int(bodies[b, SHAPE])
    is_piece = hulls[at - 1] != 0.0
    if is_piece:
        face = at + 4 + 3 * int(hulls[at])
        if dx * hulls[face] + dy * hulls[face + 1] + dz * hulls[face + 2] <= hulls[face + 3]:
            return 0  # its middle is behind the surface: another piece is there, or it is lost
    best_face = _along_faces(bodies, room, hulls, at, a, b, dx, dy, dz, ahead)
    if best_face > ahead:
        return 0
    best_edge = _along_products(bodies, room, hulls, at, a, dx, dy, dz, ahead)
    if best_edge > ahead:
        return 0
    hair = real[TOUCHING_GAP]
    is_edge = not is_piece or _allows(hulls, at, room[_EDGE], room[_EDGE + 1], room[_EDGE + 2])
    if (
        best_edge > best_face + hair
        and is_edge
        and _edges(bodies, meets, room, hulls, at, pair, a, b, best_edge, hair) == 1
    ):
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
        if is_piece and not _allows_face(bodies, room, hulls, at, a, face, faces):
            points = 0
        elif face < faces:
            points = _on_hull(bodies, meets, room, hulls, at, pair, a, b, face, ahead, hair)
        else:
            points = _on_box(bodies, meets, room, hulls, at, pair, a, b, face - faces, ahead, hair)
        if points > 0:
            return points
        room[_GAPS + face] = -2e9
    if is_edge and lowest < best_edge <= best_face + hair:
        points = _edges(bodies, meets, room, hulls, at, pair, a, b, best_edge, hair)
        if points > 0:
            return points
    # what is left of a cube over the face that is touched is held by that, unless it is deeper than the piece is thick
    if is_piece and -_thickness(hulls, at) < room[_GAPS] < lowest:
        return _on_hull(bodies, meets, room, hulls, at, pair, a, b, 0, ahead, hair)
    return 0


@inner
def _allows_face(bodies: T, room: T, hulls: T, at: int, a: int, face: int, faces: int) -> bool:
    """Tell whether a piece of a surface can be touched along the normal of one of its faces, or of the box's."""
    if face < faces:
        table = at + 4 + 3 * int(hulls[at]) + 6 * face
        return face == 0 or _allows(hulls, at, hulls[table], hulls[table + 1], hulls[table + 2])
    k = face - faces
    sign = -room[_SIDES + k]
    return _allows(
        hulls, at, sign * bodies[a, AXES + k], sign * bodies[a, AXES + 3 + k], sign * bodies[a, AXES + 6 + k]
    )


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
def widest_gap(bodies: T, room: T, hulls: T, a: int, b: int) -> float:
    """Return the largest gap (m) between row `a` and hull `b` along any axis; negative by how deep they overlap."""
    dx = bodies[a, POSITION] - bodies[b, POSITION]
    dy = bodies[a, POSITION + 1] - bodies[b, POSITION + 1]
    dz = bodies[a, POSITION + 2] - bodies[b, POSITION + 2]
    at = int(bodies[b, SHAPE])
    faces = _along_faces(bodies, room, hulls, at, a, b, dx, dy, dz, 1e9)
    return max(faces, _along_products(bodies, room, hulls, at, a, dx, dy, dz, 1e9))


@inner
def _along_faces(
    bodies: T, room: T, hulls: T, at: int, a: int, b: int, dx: float, dy: float, dz: float, ahead: float
) -> float:
    """Return the largest gap along the faces of hull and box, or one beyond `ahead`; all are kept in World.room."""
    vertices, faces = int(hulls[at]), int(hulls[at + 1])
    first = at + 4 + 3 * vertices
    best = -1e9
    for f in range(faces):
        nx, ny, nz = hulls[first + 6 * f], hulls[first + 6 * f + 1], hulls[first + 6 * f + 2]
        gap = nx * dx + ny * dy + nz * dz - hulls[first + 6 * f + 3] - half_width(bodies, a, nx, ny, nz)
        if gap > ahead:
            room[APART] = gap
            return gap
        room[_GAPS + f] = gap
        best = max(best, gap)
    for k in range(3):
        x, y, z = bodies[a, AXES + k], bodies[a, AXES + 3 + k], bodies[a, AXES + 6 + k]
        low, high = _span(hulls, at, x, y, z)
        middle, half = x * dx + y * dy + z * dz, bodies[a, HALF + k]
        over, under = middle - half - high, low - middle - half
        gap = max(over, under)
        if gap > ahead:
            room[APART] = apart(bodies, a, b, dx, dy, dz, gap, False)
            return gap
        room[_GAPS + faces + k] = gap
        room[_SIDES + k] = 1.0 if under >= over else -1.0  # the box's face that looks at the hull
        best = max(best, gap)
    return best


@inner
def _along_products(
    bodies: T, room: T, hulls: T, at: int, a: int, dx: float, dy: float, dz: float, ahead: float
) -> float:
    """Return the largest gap along products of edges, or one beyond `ahead`; which one it is is kept in World.room."""
    first = at + 4 + 3 * int(hulls[at]) + 6 * int(hulls[at + 1]) + 3 * int(hulls[at + 2])
    best = -1e9
    for j in range(int(hulls[at + 3])):
        ex, ey, ez = hulls[first + 3 * j], hulls[first + 3 * j + 1], hulls[first + 3 * j + 2]
        for i in range(3):
            x, y, z = bodies[a, AXES + i], bodies[a, AXES + 3 + i], bodies[a, AXES + 6 + i]
            nx, ny, nz = y * ez - z * ey, z * ex - x * ez, x * ey - y * ex
            square = nx * nx + ny * ny + nz * nz
            if square < _PARALLEL:
                continue
            size = math.sqrt(square)
            nx, ny, nz = nx / size, ny / size, nz / size
            low, high = _span(hulls, at, nx, ny, nz)
            middle, reach = nx * dx + ny * dy + nz * dz, half_width(bodies, a, nx, ny, nz)
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
def half_width(bodies: T, a: int, x: float, y: float, z: float) -> float:
    """Return how far a box reaches from its centre along a direction."""
    return (
        bodies[a, HALF] * abs(bodies[a, AXES] * x + bodies[a, AXES + 3] * y + bodies[a, AXES + 6] * z)
        + bodies[a, HALF + 1] * abs(bodies[a, AXES + 1] * x + bodies[a, AXES + 4] * y + bodies[a, AXES + 7] * z)
        + bodies[a, HALF + 2] * abs(bodies[a, AXES + 2] * x + bodies[a, AXES + 5] * y + bodies[a, AXES + 8] * z)
    )


@inner
def _span(hulls: T, at: int, x: float, y: float, z: float) -> tuple[float, float]:
    """Return the least and the largest coordinate of a hull along a direction."""
    low, high = 1e9, -1e9
    for v in range(int(hulls[at])):
        height = hulls[at + 4 + 3 * v] * x + hulls[at + 5 + 3 * v] * y + hulls[at + 6 + 3 * v] * z
        low, high = min(low, height), max(high, height)
    return low, high


@inner
def _on_hull(
    bodies: T, meets: T, room: T, hulls: T, at: int, pair: int, a: int, b: int, face: int, ahead: float, hair: float
) -> int:
    """Cut the box's face that looks at a face of the hull to that face's outline; returns the points."""
    table = at + 4 + 3 * int(hulls[at]) + 6 * face
    nx, ny, nz, height = hulls[table], hulls[table + 1], hulls[table + 2], hulls[table + 3]
    incident, most = 0, -1.0
    for k in range(3):
        steep = abs(bodies[a, AXES + k] * nx + bodies[a, AXES + 3 + k] * ny + bodies[a, AXES + 6 + k] * nz)
        if steep > most:
            incident, most = k, steep
    j1, j2 = (incident + 1) % 3, (incident + 2) % 3
    steep = bodies[a, AXES + incident] * nx + bodies[a, AXES + 3 + incident] * ny + bodies[a, AXES + 6 + incident] * nz
    side = -bodies[a, HALF + incident] if steep > 0.0 else bodies[a, HALF + incident]
    for corner in range(4):
        s = bodies[a, HALF + j1] * (1.0 if corner == 0 or corner == 3 else -1.0)
        r = bodies[a, HALF + j2] * (1.0 if corner < 2 else -1.0)
        for c in range(3):
            room[_POLYGON + 3 * corner + c] = (
                bodies[a, POSITION + c]
                - bodies[b, POSITION + c]
                + side * bodies[a, AXES + 3 * c + incident]
                + s * bodies[a, AXES + 3 * c + j1]
                + r * bodies[a, AXES + 3 * c + j2]
            )
    here, there, count = _POLYGON, _OTHER, 4
    corners = _corners(hulls, at) + 5 * int(hulls[table + 4])
    for k in range(int(hulls[table + 5])):
        out = corners + 5 * k
        count = _cut(room, here, there, count, hulls[out + 1], hulls[out + 2], hulls[out + 3], hulls[out + 4] - hair)
        here, there = there, here
        if count == 0:
            return 0
    return _fill(bodies, meets, room, pair, b, here, count, nx, ny, nz, height, 1.0, ahead, hair)


@inner
def _on_box(
    bodies: T, meets: T, room: T, hulls: T, at: int, pair: int, a: int, b: int, k: int, ahead: float, hair: float
) -> int:
    """Cut the hull's face that looks at the box's along its axis `k` to that face's outline; returns the points.

    It is that, of the faces at the hull's vertex which comes first, which looks at the box's most directly.
    """
    sign = room[_SIDES + k]
    nx, ny, nz = sign * bodies[a, AXES + k], sign * bodies[a, AXES + 3 + k], sign * bodies[a, AXES + 6 + k]
    dx = bodies[a, POSITION] - bodies[b, POSITION]
    dy = bodies[a, POSITION + 1] - bodies[b, POSITION + 1]
    dz = bodies[a, POSITION + 2] - bodies[b, POSITION + 2]
    first, lowest = 0, 1e9
    for v in range(int(hulls[at])):
        height = hulls[at + 4 + 3 * v] * nx + hulls[at + 5 + 3 * v] * ny + hulls[at + 6 + 3 * v] * nz
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
        x, y, z = out * bodies[a, AXES + j], out * bodies[a, AXES + 3 + j], out * bodies[a, AXES + 6 + j]
        count = _cut(room, here, there, count, x, y, z, x * dx + y * dy + z * dz + bodies[a, HALF + j] - hair)
        here, there = there, here
        if count == 0:
            return 0
    top = nx * dx + ny * dy + nz * dz + bodies[a, HALF + k]
    return _fill(bodies, meets, room, pair, b, here, count, nx, ny, nz, top, -1.0, ahead, hair)


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
def _fill(
    bodies: T, meets: T, room: T, pair: int, b: int, here: int, count: int,
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
        meets[pair, POINT + 4 * k] = bodies[b, POSITION] + room[here + 3 * k] - 0.5 * gap * nx
        meets[pair, POINT + 4 * k + 1] = bodies[b, POSITION + 1] + room[here + 3 * k + 1] - 0.5 * gap * ny
        meets[pair, POINT + 4 * k + 2] = bodies[b, POSITION + 2] + room[here + 3 * k + 2] - 0.5 * gap * nz
        meets[pair, POINT + 4 * k + 3] = gap
    meets[pair, 0], meets[pair, 1], meets[pair, 2] = towards * nx, towards * ny, towards * nz
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
def _edges(bodies: T, meets: T, room: T, hulls: T, at: int, pair: int, a: int, b: int, gap: float, hair: float) -> int:
    """Find where an edge of the box and one of the hull cross; fills the contact; 0 when they pass each other."""
    nx, ny, nz = room[_EDGE], room[_EDGE + 1], room[_EDGE + 2]
    i, j, top = int(room[_EDGE + 3]), int(room[_EDGE + 4]), room[_EDGE + 5]
    # the hull's edge of that direction which is furthest out, if nothing of the hull is further
    edges = at + 4 + 3 * int(hulls[at]) + 6 * int(hulls[at + 1])
    found, highest = -1, top - hair
    for e in range(int(hulls[at + 2])):
        if int(hulls[edges + 3 * e + 2]) == j:
            one, two = at + 4 + 3 * int(hulls[edges + 3 * e]), at + 4 + 3 * int(hulls[edges + 3 * e + 1])
            height = 0.5 * (
                (hulls[one] + hulls[two]) * nx + (hulls[one + 1] + hulls[two + 1]) * ny
                + (hulls[one + 2] + hulls[two + 2]) * nz
            )  # fmt: skip
            if height > highest:
                found, highest = e, height
    if found < 0:
        return 0
    one, two = at + 4 + 3 * int(hulls[edges + 3 * found]), at + 4 + 3 * int(hulls[edges + 3 * found + 1])
    way = edges + 3 * int(hulls[at + 2]) + 3 * j
    bx, by, bz = hulls[way], hulls[way + 1], hulls[way + 2]
    half = 0.5 * abs(
        (hulls[two] - hulls[one]) * bx + (hulls[two + 1] - hulls[one + 1]) * by + (hulls[two + 2] - hulls[one + 2]) * bz
    )
    mx = 0.5 * (hulls[one] + hulls[two])
    my = 0.5 * (hulls[one + 1] + hulls[two + 1])
    mz = 0.5 * (hulls[one + 2] + hulls[two + 2])
    # from the middle of the box's edge to that of the hull's
    rx = mx - (bodies[a, POSITION] - bodies[b, POSITION])
    ry = my - (bodies[a, POSITION + 1] - bodies[b, POSITION + 1])
    rz = mz - (bodies[a, POSITION + 2] - bodies[b, POSITION + 2])
    for m in range(3):
        if m != i:
            x, y, z = bodies[a, AXES + m], bodies[a, AXES + 3 + m], bodies[a, AXES + 6 + m]
            s = bodies[a, HALF + m] if x * nx + y * ny + z * nz > 0.0 else -bodies[a, HALF + m]
            rx, ry, rz = rx + s * x, ry + s * y, rz + s * z
    ax, ay, az = bodies[a, AXES + i], bodies[a, AXES + 3 + i], bodies[a, AXES + 6 + i]
    cosine = ax * bx + ay * by + az * bz
    square = 1.0 - cosine * cosine
    along_a, along_b = rx * ax + ry * ay + rz * az, rx * bx + ry * by + rz * bz
    s = (along_a - cosine * along_b) / square
    r = (cosine * along_a - along_b) / square
    if abs(s) > bodies[a, HALF + i] + hair or abs(r) > half + hair:
        return 0
    meets[pair, POINT] = bodies[b, POSITION] + mx + r * bx + 0.5 * gap * nx
    meets[pair, POINT + 1] = bodies[b, POSITION + 1] + my + r * by + 0.5 * gap * ny
    meets[pair, POINT + 2] = bodies[b, POSITION + 2] + mz + r * bz + 0.5 * gap * nz
    meets[pair, POINT + 3] = gap
    meets[pair, 0], meets[pair, 1], meets[pair, 2] = nx, ny, nz
    return 1
