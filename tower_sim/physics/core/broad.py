"""Broad phase: which rows are near each other. Sought anew only when a cube has moved by half of the skin.

Fixed rows are listed once, by the cells of a grid, so that a cube looks at those alone that are near.

Verlet's list (Physical Review 159, 1967, 98): a pair is kept while its bounding spheres are nearer than the skin and
the furthest look ahead, so the list decides what is cheap and never what is true.
"""

from __future__ import annotations

import math

from tower_sim.compiled.marks import aside, inner
from tower_sim.physics.core.arrays import (
    AWAKE,
    AXES,
    BOUNDS,
    CELLS,
    CLEAR,
    CORNER,
    EDGE,
    FAR,
    FIRST,
    FIXED,
    HALF,
    LISTED,
    LOOKED,
    PAIRS,
    PER_METRE,
    POINTS,
    POSITION,
    RADIUS,
    ROWS,
    SECOND,
    SHORT,
    SKIN,
    SOUGHT_AT,
    STALE,
    T,
    Tables,
)


@inner
def have_moved(whole: T, real: T, bodies: T, flags: T) -> bool:
    """Tell whether the pairs must be sought anew."""
    if whole[STALE] != 0:
        return True
    limit = 0.25 * real[SKIN] * real[SKIN]
    for i in range(whole[FIXED], whole[ROWS]):
        if flags[i, AWAKE] != 0:
            x = bodies[i, POSITION] - bodies[i, SOUGHT_AT]
            y = bodies[i, POSITION + 1] - bodies[i, SOUGHT_AT + 1]
            z = bodies[i, POSITION + 2] - bodies[i, SOUGHT_AT + 2]
            if x * x + y * y + z * z > limit:
                return True
    return False


@aside
def seek_pairs(w: Tables) -> bool:
    """List all pairs that may touch soon, in order, with what is known of those listed before.

    Tells whether there was room for them; if not, all is as it was, and SHORT says how many there are.
    """
    whole, bodies, pairs, touches = w.whole, w.bodies, w.pairs, w.touches
    fixed, rows, known = whole[FIXED], whole[ROWS], whole[PAIRS]
    kept, found, room = 0, 0, pairs.shape[0]
    slack = w.real[SKIN] + w.real[FAR]
    for a in range(fixed, rows):
        x, y, z = bodies[a, POSITION], bodies[a, POSITION + 1], bodies[a, POSITION + 2]
        reach = bodies[a, RADIUS] + slack
        first, number = near_rows(w, x, y, z, reach)
        for n in range(number + rows - a - 1):
            if n < number:
                b = w.listed[first + n] if first >= 0 else n
                if not _near_box(bodies, b, x, y, z, reach):
                    continue
            else:
                b = a + 1 + n - number
                if not _near_cube(bodies, b, x, y, z, reach + bodies[b, RADIUS]):
                    continue
            if found < room:
                while kept < known and (
                    pairs[kept, FIRST] < a or (pairs[kept, FIRST] == a and pairs[kept, SECOND] < b)
                ):
                    kept += 1
                w.known_pairs[found, FIRST], w.known_pairs[found, SECOND], w.known_pairs[found, POINTS] = a, b, 0
                w.known_pairs[found, CLEAR], w.known_pairs[found, LOOKED] = 0, 0
                if kept < known and pairs[kept, FIRST] == a and pairs[kept, SECOND] == b:
                    w.known_pairs[found, POINTS] = pairs[kept, POINTS]
                    w.known_pairs[found, CLEAR] = pairs[kept, CLEAR]
                    for k in range(pairs[kept, POINTS]):
                        for c in range(6):
                            w.known_touches[found, k, c] = touches[kept, k, c]
            found += 1
    whole[SHORT] = found if found > room else 0
    if found > room:
        return False
    for p in range(found):
        for c in range(5):
            pairs[p, c] = w.known_pairs[p, c]
        for k in range(pairs[p, POINTS]):
            for c in range(6):
                touches[p, k, c] = w.known_touches[p, k, c]
    for i in range(fixed, rows):
        for c in range(3):
            bodies[i, SOUGHT_AT + c] = bodies[i, POSITION + c]
    whole[PAIRS] = found
    whole[STALE] = 0
    return True


@inner
def near_rows(w: Tables, x: float, y: float, z: float, reach: float) -> tuple[int, int]:
    """Return where in `listed` the fixed rows near a point begin, and how many these are; -1 and all without a grid.

    They are those of the point's cell: all that come nearer than `reach` to it, in order, and some more.
    """
    grid = w.grid
    if not reach <= grid[LISTED]:
        return -1, w.whole[FIXED]
    cell = _cell(grid, 0, x) + int(grid[CELLS]) * (_cell(grid, 1, y) + int(grid[CELLS + 1]) * _cell(grid, 2, z))
    return w.cells[cell], w.cells[cell + 1] - w.cells[cell]


@inner
def _cell(grid: T, axis: int, x: float) -> int:
    """Return in which cell along an axis a coordinate is; those at the ends go on for ever."""
    along = (x - grid[CORNER + axis]) * grid[PER_METRE]
    return int(min(max(along, 0.0), grid[CELLS + axis] - 1.0))


@aside
def lay_grid(w: Tables) -> None:
    """List for each cell of a grid, in order, the fixed rows that come near to any point of it.

    Its cells are of two edges, or of twice that, and so on, until the lists have room. It covers where fixed rows are,
    but for those that are much larger than most; cells at its sides hold all that is beyond.
    """
    whole, bodies, grid = w.whole, w.bodies, w.grid
    fixed, edge, mean = whole[FIXED], w.real[EDGE], 0.0
    half = 0.5 * edge
    reach = 1.0001 * (math.sqrt(half * half + half * half + half * half) + (w.real[SKIN] + w.real[FAR]))
    for b in range(fixed):
        mean += max(max(bodies[b, BOUNDS], bodies[b, BOUNDS + 1]), bodies[b, BOUNDS + 2]) / fixed
    size = 2.0 * edge
    grid[LISTED] = 0.0
    while fixed > 0:
        grid[PER_METRE], cells = 1.0 / size, 1.0
        for c in range(3):
            low, high = math.inf, -math.inf
            for b in range(fixed):
                if max(max(bodies[b, BOUNDS], bodies[b, BOUNDS + 1]), bodies[b, BOUNDS + 2]) <= 4.0 * mean:
                    low = min(low, bodies[b, POSITION + c] - bodies[b, BOUNDS + c])
                    high = max(high, bodies[b, POSITION + c] + bodies[b, BOUNDS + c])
            grid[CORNER + c] = low - reach
            grid[CELLS + c] = math.floor((high - low + 2.0 * reach) / size) + 1.0
            cells *= grid[CELLS + c]
        if cells < w.cells.shape[0] and _list_rows(w, int(cells), reach):
            grid[LISTED] = reach
            return
        size *= 2.0


@inner
def _list_rows(w: Tables, number: int, reach: float) -> bool:
    """Fill the lists of so many cells; tells whether there was room. `cells` has where each begins, and the end."""
    cells, listed, grid, bodies = w.cells, w.listed, w.grid, w.bodies
    for c in range(number + 1):
        cells[c] = 0
    wide, deep = int(grid[CELLS]), int(grid[CELLS + 1])
    for turn in range(2):  # first count, then list
        for b in range(w.whole[FIXED] - 1, -1, -1):
            x0, x1 = _cells(grid, bodies, b, 0, reach)
            y0, y1 = _cells(grid, bodies, b, 1, reach)
            z0, z1 = _cells(grid, bodies, b, 2, reach)
            for k in range(z0, z1 + 1):
                for j in range(y0, y1 + 1):
                    for i in range(x0, x1 + 1):
                        cell = i + wide * (j + deep * k)
                        if turn == 0:
                            cells[cell] += 1
                        else:
                            cells[cell] -= 1
                            listed[cells[cell]] = b
        if turn == 0:
            end = 0
            for c in range(number):
                end += cells[c]
                cells[c] = end
            cells[number] = end
            if end > listed.shape[0]:
                return False
    return True


@inner
def _cells(grid: T, bodies: T, b: int, axis: int, reach: float) -> tuple[int, int]:
    """Return the first and the last cell along an axis that come nearer than `reach` to a fixed row."""
    half = bodies[b, BOUNDS + axis] + reach
    return _cell(grid, axis, bodies[b, POSITION + axis] - half), _cell(grid, axis, bodies[b, POSITION + axis] + half)


@inner
def _near_cube(bodies: T, b: int, x: float, y: float, z: float, reach: float) -> bool:
    dx, dy, dz = x - bodies[b, POSITION], y - bodies[b, POSITION + 1], z - bodies[b, POSITION + 2]
    return dx * dx + dy * dy + dz * dz < reach * reach


@inner
def _near_box(bodies: T, b: int, x: float, y: float, z: float, reach: float) -> bool:
    """Tell whether a point is nearer than `reach` to a fixed box: first the upright one around it, then itself."""
    dx, dy, dz = x - bodies[b, POSITION], y - bodies[b, POSITION + 1], z - bodies[b, POSITION + 2]
    if (
        abs(dx) > bodies[b, BOUNDS] + reach
        or abs(dy) > bodies[b, BOUNDS + 1] + reach
        or abs(dz) > bodies[b, BOUNDS + 2] + reach
    ):
        return False
    total = 0.0
    for k in range(3):
        over = (
            abs(dx * bodies[b, AXES + k] + dy * bodies[b, AXES + 3 + k] + dz * bodies[b, AXES + 6 + k])
            - bodies[b, HALF + k]
        )
        if over > 0.0:
            total += over * over
    return total < reach * reach
