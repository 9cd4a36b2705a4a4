r"""Where a cube is, decided by numbers: the rules of towers and ships, compiled for physics in every language.

A rule is one row of numbers (m), which an apparatus gives as `Apparatus.rule`. Its first number says how to read it.

    TOWER    half, outer, top, rise, widens, opening (least x, side), exit_top, air_top, missed, tray (x, y),
             number of walls, number of regions, then the walls' unit normals (x, y), then each region's lower bound

             missed  \           /  missed      next to the opening, at most two edges below the rim
                      \  inside /
               (wall)  |       |
                       | inside|               a cube past the inner face of the exit is out, however it lies there
               out     |__out__|     out        in the doorway, in the tray, or on the table

    MESH     missed, exit_top, exit_x, wall, tray (x0, x1, y0, y1), number of regions, number of layers, then each
             region's lower bound, then of each layer, from the top down, its lower bound, where its outline begins and
             how many sides it has; there for each side its outward unit normal (x, y) and its distance

    SHIP     hull_x, hull_y, deck_low, deck_rise, board (x0, x1, y0, y1, floor, border_top), number of zones, then of
             each zone where its numbers begin and how many corners it has; there for each corner x, y and the inward
             unit normal (x, y) of the side that begins at it

A pose is seven columns: centre x, y, z (m) and unit quaternion x, y, z, w. `desk` is room for DESK numbers.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from tower_sim.compiled import CompiledFile, CompiledFunction
from tower_sim.compiled.marks import T, aside, inner

ASKED, TOWER, SHIP, MESH = 0, 1, 2, 3
"""The rules; a kind that decides in Python itself is ASKED."""

MISSED, ESCAPED, EMERGED = 1, 2, 4
"""What a cube in motion may have done, as bits."""

LOST, DOORWAY, TRAY, TABLE, BORDER, ZONES = -1, 1000, 1001, 1002, 1003, 2000
"""Places as numbers: below DOORWAY the number of a region inside, from ZONES on that of a zone."""

HALF_TABLE = 1.0  # m: half the table's edge
TOUCH = 0.03  # of the edge: cubes at rest overlap or stand off by at most half of this (PhysicsSettings.rest_overlap)
_WELL = 1e-6  # m: much more than rounding
_PARALLEL = 1e-9  # parallel edges have no common normal

_WALLS, _REGIONS, _NORMALS = 13, 14, 15
MESH_REGIONS, MESH_LAYERS, MESH_BOUNDS = 9, 10, 11
_ZONES, FIRST_ZONE = 11, 12
_ONE, _TWO, _LINE, _CORNERS, _LOW = 0, 9, 18, 21, 45  # on the desk: axes of two cubes, a line, corners, points
DESK = 100


@inner
def look(rule: T, edge: float, poses: T, places: T, zones: T, on: T, desk: T) -> None:
    """Find the places of all cubes at `poses`, and what each has done, in bits, as `places[i, 1]`: see `find_all`."""
    find_all(rule, edge, poses, places, zones, on, desk)
    for i in range(poses.shape[0]):
        places[i, 1] = moved(rule, poses[i, 0], poses[i, 1], poses[i, 2])


@aside
def moved(rule: T, x: float, y: float, z: float) -> int:
    """Return what a cube with its centre at x, y, z has done: the bits MISSED, ESCAPED and EMERGED."""
    if rule[0] == SHIP:
        return (0 if _in_ship(rule, x, y, z) else EMERGED) + (ESCAPED if _off_ship(rule, x, y, z) else 0)
    if rule[0] == MESH:
        across = _beyond(rule, x, y, z)
        is_within = across <= 0.0
        missed = not is_within and z > rule[1] and across == across and z == z
        emerged = (across > 0.0 and x > rule[3] and z < rule[2]) or (across > rule[4] and z <= rule[1])
    else:
        across = _across(rule, x, y)
        is_within = across <= _width(rule, z)
        missed = not is_within and z > rule[10] and across == across and z == z
        emerged = _is_out(rule, x, y, z, across)
    on_table = abs(x) < HALF_TABLE and abs(y) < HALF_TABLE and z >= 0.0  # false for nan
    escaped = not (on_table and (is_within or missed or emerged))
    return (MISSED if missed else 0) + (ESCAPED if escaped else 0) + (EMERGED if emerged else 0)


@inner
def _across(rule: T, x: float, y: float) -> float:
    """Return how far a centre is from the tube's axis, perpendicular to the nearest wall."""
    most = -math.inf
    for k in range(int(rule[_WALLS])):
        most = max(most, x * rule[_NORMALS + 2 * k] + y * rule[_NORMALS + 2 * k + 1])
    return most


@inner
def _width(rule: T, z: float) -> float:
    """Return half the clear width of the tube, the funnel or the air over it at the height z."""
    return rule[1] + min(max((z - rule[3]) / rule[4], 0.0), 1.0) * rule[5]


@inner
def _beyond(rule: T, x: float, y: float, z: float) -> float:
    """Return how far a centre is outside the outline of a mesh's inside at the height z; negative within it."""
    layer = MESH_BOUNDS + int(rule[MESH_REGIONS])
    last = layer + 3 * (int(rule[MESH_LAYERS]) - 1)
    while layer < last and z < rule[layer]:
        layer += 3
    most = -math.inf
    for k in range(int(rule[layer + 2])):
        side = int(rule[layer + 1]) + 3 * k
        most = max(most, x * rule[side] + y * rule[side + 1] - rule[side + 2])
    return most


@inner
def _is_out(rule: T, x: float, y: float, z: float, across: float) -> bool:
    if x > rule[6] and abs(y) < rule[7] and z < rule[8] and across > rule[1]:
        return True
    return across > rule[2] and z < (rule[9] if x > rule[2] else rule[8])


@inner
def _deck(rule: T, x: float) -> float:
    return rule[3] + rule[4] * (rule[1] - x)


@inner
def _in_ship(rule: T, x: float, y: float, z: float) -> bool:
    return abs(x) <= rule[1] and abs(y) <= rule[2] and z >= _deck(rule, x)


@inner
def _off_ship(rule: T, x: float, y: float, z: float) -> bool:
    under_deck = abs(x) < rule[1] and abs(y) < rule[2] and z < _deck(rule, x)
    on_table = abs(x) < HALF_TABLE and abs(y) < HALF_TABLE and 0.0 < z < HALF_TABLE  # false for nan
    return not on_table or under_deck


@inner
def find_all(rule: T, edge: float, poses: T, places: T, zones: T, on: T, desk: T) -> None:
    """Find the places of the cubes at `poses`, from the lowest to the highest.

    `places[i, 0]` is its place. On a board, row i of `zones` has the zones it touches, the
    nearest first, and then -1; `on[i, j]` is 1 if cube i rests on cube j. `places[i, 1]` is used for the order.
    """
    number = poses.shape[0]
    if rule[0] != SHIP:
        for i in range(number):
            places[i, 0] = _in_tower(rule, edge, poses, i, desk)
        return
    for i in range(number):
        places[i, 1] = 0
        for j in range(number):
            on[i, j] = 0
    near = TOUCH * edge
    for i in range(number):
        for j in range(i):
            if touch(poses[i], poses[j], edge, near, desk):
                if poses[j, 2] < poses[i, 2] - near:
                    on[i, j] = 1
                elif poses[i, 2] < poses[j, 2] - near:
                    on[j, i] = 1
    for _ in range(number):
        lowest = -1
        for i in range(number):
            if places[i, 1] == 0 and (lowest < 0 or _is_lower(poses[i, 2], poses[lowest, 2])):
                lowest = i
        places[lowest, 1] = 1
        _find_on_ship(rule, edge, poses, number, lowest, places, zones, on, desk)


@inner
def _is_lower(z: float, other: float) -> bool:
    return z < other or (other != other and z == z)


@aside
def _in_tower(rule: T, edge: float, poses: T, i: int, desk: T) -> int:
    x, y, z = poses[i, 0], poses[i, 1], poses[i, 2]
    bits = moved(rule, x, y, z)
    if bits & (MISSED | ESCAPED):
        return LOST
    is_mesh = rule[0] == MESH
    if bits & EMERGED:
        if is_mesh:
            if _beyond(rule, x, y, z) <= rule[4]:
                return DOORWAY
            return TRAY if rule[5] < x < rule[6] and rule[7] < y < rule[8] else TABLE
        if _across(rule, x, y) <= rule[2]:
            return DOORWAY
        return TRAY if 0.0 < x < rule[11] and abs(y) < rule[12] else TABLE
    top = z + reach_up(poses[i], edge, desk)
    regions = int(rule[MESH_REGIONS if is_mesh else _REGIONS])
    first = MESH_BOUNDS if is_mesh else _NORMALS + 2 * int(rule[_WALLS])
    for k in range(regions):
        if top > rule[first + k]:
            return k
    return regions - 1


@aside
def _find_on_ship(rule: T, edge: float, poses: T, number: int, i: int, places: T, zones: T, on: T, desk: T) -> None:
    """Find the place of cube `i`; those of all lower cubes are known.

    A cube that touches the floor of a zone is in that zone. If it touches several, it is in the zone nearest to its
    centre. All other cubes are in the ship, on the table, on a border, or on cubes. A cube that rests only on cubes has
    the place of the supporting cube whose centre is horizontally nearest.

    Source: the Dead Reckoning rulebook, details of the combat ship, for zones and borders. The other rules are ours.
    """
    near = TOUCH * edge
    x, y, z = poses[i, 0], poses[i, 1], poses[i, 2]
    corners(poses[i], edge, desk)
    lowest = math.inf
    for k in range(8):
        lowest = min(lowest, desk[_CORNERS + 3 * k + 2])
    touched = _touch_zones(rule, x, y, section_below(desk, rule[9] + near), i, zones, desk)
    if _off_ship(rule, x, y, z):
        zones[i, 0] = -1
        _lie_on_none(on, i, number)
        places[i, 0] = LOST
        return
    if touched > 0:
        _lie_on_none(on, i, number)
        places[i, 0] = ZONES + zones[i, 0]
        return
    if _in_ship(rule, x, y, z):
        places[i, 0] = 0
        return
    if lowest <= near:
        places[i, 0] = TABLE
        return
    nearest, under = math.inf, -1
    for j in range(number):
        if on[i, j] != 0:
            dx, dy = poses[j, 0] - x, poses[j, 1] - y
            away = math.sqrt(dx * dx + dy * dy)
            if away < nearest:
                nearest, under = away, j
    points = section_below(desk, rule[10] + near)
    if under >= 0 and not (points > 0 and _meet_board(rule, points, desk)):
        places[i, 0] = places[under, 0]
    else:
        places[i, 0] = BORDER


@inner
def _lie_on_none(on: T, i: int, number: int) -> None:
    for j in range(number):
        on[i, j] = 0


@aside
def _touch_zones(rule: T, x: float, y: float, points: int, i: int, zones: T, desk: T) -> int:
    """Write the zones that the points on the desk touch into row `i` of `zones`, the nearest first; return how many."""
    found = 0
    if points > 0:
        for k in range(int(rule[_ZONES])):
            at, number = int(rule[FIRST_ZONE + 2 * k]), int(rule[FIRST_ZONE + 2 * k + 1])
            if _apart(rule, at, number, points, desk):
                continue
            is_in = True
            for c in range(number):
                dx, dy = desk[_LOW] - rule[at + 4 * c], desk[_LOW + 1] - rule[at + 4 * c + 1]
                if not dx * rule[at + 4 * c + 2] + dy * rule[at + 4 * c + 3] > _WELL:
                    is_in = False
            if is_in or _meet_polygon(rule, at, 4, number, points, desk):
                zones[i, found] = k
                found += 1
    for k in range(1, found):  # a stable sort by the distance of the centre
        zone, place = zones[i, k], k
        away = _distance(rule, int(zone), x, y)
        while place > 0 and _distance(rule, int(zones[i, place - 1]), x, y) > away:
            zones[i, place] = zones[i, place - 1]
            place -= 1
        zones[i, place] = zone
    zones[i, found] = -1
    return found


@inner
def _apart(rule: T, at: int, number: int, points: int, desk: T) -> bool:
    """Tell whether the points on the desk and a zone have upright bounding boxes that are apart."""
    for c in range(2):
        low, high, least, most = math.inf, -math.inf, math.inf, -math.inf
        for k in range(points):
            low, high = min(low, desk[_LOW + 2 * k + c]), max(high, desk[_LOW + 2 * k + c])
        for k in range(number):
            least, most = min(least, rule[at + 4 * k + c]), max(most, rule[at + 4 * k + c])
        if high < least or most < low:
            return True
    return False


@inner
def _distance(rule: T, zone: int, x: float, y: float) -> float:
    """Return the distance of a point from a zone, 0 inside it."""
    at, number = int(rule[FIRST_ZONE + 2 * zone]), int(rule[FIRST_ZONE + 2 * zone + 1])
    nearest, is_inside = math.inf, True
    for k in range(number):
        one, two = at + 4 * k, at + 4 * ((k + 1) % number)
        sx, sy = rule[two] - rule[one], rule[two + 1] - rule[one + 1]
        dx, dy = x - rule[one], y - rule[one + 1]
        t = min(max((dx * sx + dy * sy) / (sx * sx + sy * sy), 0.0), 1.0)
        rx, ry = dx - t * sx, dy - t * sy
        nearest = min(nearest, math.sqrt(rx * rx + ry * ry))
        if not sx * dy - sy * dx >= 0.0:
            is_inside = False
    return 0.0 if is_inside else nearest


@inner
def _meet_board(rule: T, points: int, desk: T) -> bool:
    """Tell whether the points on the desk meet the board's outline; it is written behind them."""
    at = _LOW + 2 * points
    for k in range(4):
        desk[at + 2 * k] = rule[6] if k == 1 or k == 2 else rule[5]
        desk[at + 2 * k + 1] = rule[8] if k >= 2 else rule[7]
    return _meet_polygon(desk, at, 2, 4, points, desk)


@aside
def _meet_polygon(table: T, at: int, stride: int, number: int, points: int, desk: T) -> bool:
    """Tell whether the convex hull of the points on the desk and a polygon have a point in common.

    The polygon's corners begin at `at` in `table`, `stride` numbers apart. The axes tried are the normals of its sides,
    and the normals and directions of the lines through every two points. The directions are needed if all points are on
    one line.
    """
    if not (
        _overlap_along(table, at, stride, number, points, desk, 1.0, 0.0)
        and _overlap_along(table, at, stride, number, points, desk, 0.0, 1.0)
    ):
        return False
    for k in range(number):
        one, two = at + stride * k, at + stride * ((k + 1) % number)
        x, y = table[two] - table[one], table[two + 1] - table[one + 1]
        if not _overlap_along(table, at, stride, number, points, desk, -y, x):
            return False
    for i in range(points):
        for j in range(i + 1, points):
            x = desk[_LOW + 2 * i] - desk[_LOW + 2 * j]
            y = desk[_LOW + 2 * i + 1] - desk[_LOW + 2 * j + 1]
            if not (
                _overlap_along(table, at, stride, number, points, desk, -y, x)
                and _overlap_along(table, at, stride, number, points, desk, -x, -y)
            ):
                return False
    return True


@inner
def _overlap_along(table: T, at: int, stride: int, number: int, points: int, desk: T, x: float, y: float) -> bool:
    low, high, least, most = math.inf, -math.inf, math.inf, -math.inf
    for k in range(points):
        along = desk[_LOW + 2 * k] * x + desk[_LOW + 2 * k + 1] * y
        low, high = min(low, along), max(high, along)
    for k in range(number):
        along = table[at + stride * k] * x + table[at + stride * k + 1] * y
        least, most = min(least, along), max(most, along)
    return high >= least and most >= low


@aside
def axes(pose: T, desk: T, at: int) -> None:
    """Write the rotation matrix of a pose to the desk, row by row; its columns are the cube's axes."""
    x, y, z, w = pose[3], pose[4], pose[5], pose[6]
    desk[at], desk[at + 1], desk[at + 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)
    desk[at + 3], desk[at + 4], desk[at + 5] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)
    desk[at + 6], desk[at + 7], desk[at + 8] = 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)


@inner
def reach_up(pose: T, edge: float, desk: T) -> float:
    """Return how high (m) a cube reaches over its centre: the sum of the projections of its half edges."""
    axes(pose, desk, _ONE)
    return edge / 2 * (abs(desk[_ONE + 6]) + abs(desk[_ONE + 7]) + abs(desk[_ONE + 8]))


@inner
def corners(pose: T, edge: float, desk: T) -> None:
    """Write the eight corners of a cube to the desk; corner k has the signs of the bits of k, the highest for x."""
    axes(pose, desk, _ONE)
    for k in range(8):
        a = 1.0 if k & 4 else -1.0
        b = 1.0 if k & 2 else -1.0
        c = 1.0 if k & 1 else -1.0
        for m in range(3):
            along = desk[_ONE + 3 * m] * a + desk[_ONE + 3 * m + 1] * b + desk[_ONE + 3 * m + 2] * c
            desk[_CORNERS + 3 * k + m] = pose[m] + edge / 2 * along


@inner
def section_below(desk: T, height: float) -> int:
    """Write points around the plan of the part at or below `height` of the cube whose corners are on the desk.

    They are the corners that are so low, and the points where edges cross the height. Returns how many there are.
    """
    points = 0
    for k in range(8):
        if desk[_CORNERS + 3 * k + 2] <= height:
            desk[_LOW + 2 * points] = desk[_CORNERS + 3 * k]
            desk[_LOW + 2 * points + 1] = desk[_CORNERS + 3 * k + 1]
            points += 1
    if points == 0 or points == 8:
        return points
    for k in range(8):
        for bit in (1, 2, 4):
            if k & bit:
                one, two = _CORNERS + 3 * k, _CORNERS + 3 * (k - bit)
                z, w = desk[one + 2], desk[two + 2]
                if (z <= height) != (w <= height):
                    t = (height - z) / (w - z)
                    for c in range(2):
                        desk[_LOW + 2 * points + c] = desk[one + c] + t * (desk[two + c] - desk[one + c])
                    points += 1
    return points


@aside
def touch(pose: T, other: T, edge: float, within: float, desk: T) -> bool:
    """Tell whether two cubes are within about `within` (m) of each other.

    Both are enlarged by `within` / 2 on every side. They then overlap unless one of 15 axes separates them: the 3 face
    normals of each, and the 9 products of their edges (Gottschalk, Lin, Manocha 1996).
    """
    half = (edge + within) / 2
    dx, dy, dz = other[0] - pose[0], other[1] - pose[1], other[2] - pose[2]
    if not dx * dx + dy * dy + dz * dz <= 3 * (2 * half) * (2 * half):
        return False
    axes(pose, desk, _ONE)
    axes(other, desk, _TWO)
    for k in range(3):
        if _separates(desk[_ONE + k], desk[_ONE + 3 + k], desk[_ONE + 6 + k], dx, dy, dz, half, desk):
            return False
    for k in range(3):
        if _separates(desk[_TWO + k], desk[_TWO + 3 + k], desk[_TWO + 6 + k], dx, dy, dz, half, desk):
            return False
    for k in range(3):
        ax, ay, az = desk[_ONE + k], desk[_ONE + 3 + k], desk[_ONE + 6 + k]
        for m in range(3):
            bx, by, bz = desk[_TWO + m], desk[_TWO + 3 + m], desk[_TWO + 6 + m]
            x, y, z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
            if _separates(x, y, z, dx, dy, dz, half, desk):
                return False
    return True


@inner
def _separates(x: float, y: float, z: float, dx: float, dy: float, dz: float, half: float, desk: T) -> bool:
    spread = half * (_breadth(x, y, z, desk, _ONE) + _breadth(x, y, z, desk, _TWO))
    return abs(x * dx + y * dy + z * dz) > spread and math.sqrt(x * x + y * y + z * z) > _PARALLEL


@inner
def _breadth(x: float, y: float, z: float, desk: T, at: int) -> float:
    """Return half the width of a cube of half edge 1, whose axes are on the desk, along a line."""
    a = abs(x * desk[at] + y * desk[at + 3] + z * desk[at + 6])
    b = abs(x * desk[at + 1] + y * desk[at + 4] + z * desk[at + 7])
    return a + b + abs(x * desk[at + 2] + y * desk[at + 5] + z * desk[at + 8])


_FLAT, _WIDE = np.zeros(1), np.zeros((1, 0))
_TAKES = (_FLAT, 1.0, np.zeros((1, 7)), np.zeros((1, 2)), _WIDE, _WIDE, _FLAT)
PLACES = CompiledFile("places", (Path(__file__),), {"look": CompiledFunction(look, _TAKES, None)})
"""`look`, for a call without an engine."""
