"""Broad phase: which rows are near each other. Sought anew only when a cube has moved by half of the skin.

Fixed rows are listed once, by the cells of a grid, so that a cube looks at those alone that are near.

Verlet's list (Physical Review 159, 1967, 98): a pair is kept while its bounding spheres are nearer than the skin and
the furthest look ahead, so the list decides what is cheap and never what is true.
"""

from __future__ import annotations

import math

from tower_sim.compiled.marks import R, T, aside, inner
from tower_sim.physics.core.arrays import Tables, copy_row
from tower_sim.physics.core.vectors import along, xyz


@inner
def have_moved(w: Tables) -> bool:
    """Tell whether the pairs must be sought anew."""
    now, skin = w.whole[0], w.real[0].skin
    if now.stale != 0:
        return True
    limit = 0.25 * skin * skin
    for i in range(now.fixed, now.rows):
        if w.flags[i].awake != 0 and _square_to(w.bodies[i].position, *xyz(w.bodies[i].sought_at)) > limit:
            return True
    return False


@aside
def seek_pairs(w: Tables) -> bool:
    """List all pairs that may touch soon, in order, with what is known of those listed before.

    Tells whether there was room for them; if not, all is as it was, and `short` says how many there are.
    """
    now, settings, bodies, pairs = w.whole[0], w.real[0], w.bodies, w.pairs
    kept, found = 0, 0
    for a in range(now.fixed, now.rows):
        x, y, z = xyz(bodies[a].position)
        reach = bodies[a].radius + (settings.skin + settings.far)
        first, number = near_rows(w, x, y, z, reach)
        for n in range(number + now.rows - a - 1):
            if n < number:
                b = w.listed[first + n] if first >= 0 else n
                if not _near_box(bodies[b], x, y, z, reach):
                    continue
            else:
                b = a + 1 + n - number
                near = reach + bodies[b].radius
                if not _square_to(bodies[b].position, x, y, z) < near * near:
                    continue
            if found < len(pairs):
                while kept < now.pairs and _is_before(pairs[kept], a, b):
                    kept += 1
                pair = w.known_pairs[found]
                pair.first, pair.second, pair.points, pair.clear = a, b, 0, 0
                if kept < now.pairs and pairs[kept].first == a and pairs[kept].second == b:
                    copy_pair(w.known_pairs, w.known_touches, found, pairs, w.touches, kept)
                pair.looked = 0
            found += 1
    now.short = found if found > len(pairs) else 0
    if found > len(pairs):
        return False
    for p in range(found):
        copy_pair(pairs, w.touches, p, w.known_pairs, w.known_touches, p)
    for i in range(now.fixed, now.rows):
        for c in range(3):
            bodies[i].sought_at[c] = bodies[i].position[c]
    now.pairs, now.stale = found, 0
    return True


@inner
def copy_pair(pairs: R, touches: R, there: int, known: R, known_touches: R, here: int) -> None:
    """Copy a pair, with its touches if it has any, to another row."""
    copy_row(pairs, there, known, here)
    if known[here].points > 0:
        copy_row(touches, there, known_touches, here)


@inner
def _is_before(pair: R, a: int, b: int) -> bool:
    return pair.first < a or (pair.first == a and pair.second < b)


@inner
def _square_to(v: T, x: float, y: float, z: float) -> float:
    """Return the square of the distance of two points."""
    x, y, z = x - v[0], y - v[1], z - v[2]
    return x * x + y * y + z * z


@inner
def near_rows(w: Tables, x: float, y: float, z: float, reach: float) -> tuple[int, int]:
    """Return where in `listed` the fixed rows near a point begin, and how many these are; -1 and all without a grid.

    They are those of the point's cell: all that come nearer than `reach` to it, in order, and some more.
    """
    grid = w.grid[0]
    if not reach <= grid.listed:
        return -1, w.whole[0].fixed
    cell = _cell(grid, 0, x) + int(grid.cells[0]) * (_cell(grid, 1, y) + int(grid.cells[1]) * _cell(grid, 2, z))
    return w.cells[cell], w.cells[cell + 1] - w.cells[cell]


@inner
def _cell(grid: R, c: int, x: float) -> int:
    """Return in which cell along an axis a coordinate is; those at the ends go on for ever."""
    place = (x - grid.corner[c]) * grid.per_metre
    return int(min(max(place, 0.0), grid.cells[c] - 1.0))


@aside
def lay_grid(w: Tables) -> None:
    """List for each cell of a grid, in order, the fixed rows that come near to any point of it.

    Its cells are of two edges, or of twice that, and so on, until the lists have room. It covers where fixed rows are,
    but for those that are much larger than most; cells at its sides hold all that is beyond.
    """
    fixed, settings, grid, mean = w.whole[0].fixed, w.real[0], w.grid[0], 0.0
    half = 0.5 * settings.edge
    reach = 1.0001 * (math.sqrt(half * half + half * half + half * half) + (settings.skin + settings.far))
    for b in range(fixed):
        mean += _longest(w.bodies[b].bounds) / fixed
    width = 2.0 * settings.edge
    grid.listed = 0.0
    while fixed > 0:
        grid.per_metre, cells = 1.0 / width, 1.0
        for c in range(3):
            low, high = math.inf, -math.inf
            for b in range(fixed):
                body = w.bodies[b]
                if _longest(body.bounds) <= 4.0 * mean:
                    low = min(low, body.position[c] - body.bounds[c])
                    high = max(high, body.position[c] + body.bounds[c])
            grid.corner[c] = low - reach
            grid.cells[c] = math.floor((high - low + 2.0 * reach) / width) + 1.0
            cells *= grid.cells[c]
        if cells < len(w.cells) and _list_rows(w, int(cells), reach):
            grid.listed = reach
            return
        width *= 2.0


@inner
def _longest(v: T) -> float:
    return max(max(v[0], v[1]), v[2])


@inner
def _list_rows(w: Tables, number: int, reach: float) -> bool:
    """Fill the lists of so many cells; tells whether there was room. `cells` has where each begins, and the end."""
    cells, listed, grid = w.cells, w.listed, w.grid[0]
    for c in range(number + 1):
        cells[c] = 0
    wide, deep = int(grid.cells[0]), int(grid.cells[1])
    for turn in range(2):  # first count, then list
        for b in range(w.whole[0].fixed - 1, -1, -1):
            x0, x1 = _cells(grid, w.bodies[b], 0, reach)
            y0, y1 = _cells(grid, w.bodies[b], 1, reach)
            z0, z1 = _cells(grid, w.bodies[b], 2, reach)
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
            if end > len(listed):
                return False
    return True


@inner
def _cells(grid: R, body: R, c: int, reach: float) -> tuple[int, int]:
    """Return the first and the last cell along an axis that come nearer than `reach` to a fixed body."""
    half = body.bounds[c] + reach
    return _cell(grid, c, body.position[c] - half), _cell(grid, c, body.position[c] + half)


@inner
def _near_box(body: R, x: float, y: float, z: float, reach: float) -> bool:
    """Tell whether a point is nearer than `reach` to a fixed box: first the upright one around it, then itself."""
    x, y, z = x - body.position[0], y - body.position[1], z - body.position[2]
    bounds, total = body.bounds, 0.0
    if abs(x) > bounds[0] + reach or abs(y) > bounds[1] + reach or abs(z) > bounds[2] + reach:
        return False
    for k in range(3):
        over = abs(along(body, k, x, y, z)) - body.half[k]
        if over > 0.0:
            total += over * over
    return total < reach * reach
