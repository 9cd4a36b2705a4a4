"""The free space in and around a mesh: where a cube's middle can be, and so mouth, inside and exit.

A cell is free if it is half an edge from every surface. Layer by layer from the top down, what no free way leads out of
sideways is inside. Where the inside opens to one side, it ends at the outline of the layer above: that is the exit.

    air      free, and reached from above          mouth    the top of the inside
    inside   reached through the mouth             ways     where the inside opens to the outside; the exit is one
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.errors import fault

ndimage: Any = import_module("scipy.ndimage")  # scipy has no type stubs
spatial: Any = import_module("scipy.spatial")

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

CELLS = 5e6  # at most about so many
_MOST_POINTS = 1e7  # on triangles
NARROW = 2.5  # edges: half the width of what cubes may hold each other in
_SIDES = 16  # directions in which outlines are measured
_SMALL, _LARGE = 0.02, 0.2  # of the largest room: smaller ones are pockets; larger ones are towers
_AROUND = 0.4  # a mean direction that is shorter is none
_CROSS = np.array([[[0, 0, 0], [0, 1, 0], [0, 0, 0]], [[0, 1, 0]] * 3, [[0, 0, 0], [0, 1, 0], [0, 0, 0]]])
_FLAT = np.array([[[0, 1, 0]] * 3] * 3)  # neighbours within a layer


@dataclass(frozen=True, slots=True)
class Way:
    """A way out: the height of its upper edge (mm) and its direction (rad), None if it is all around."""

    top: float
    angle: float | None


@dataclass(frozen=True, slots=True)
class Interior:
    """The height of the rim, and layers of the inside with the outlines' extents.

    `heights` (mm) go from the top; `extents` (n, 16) say how far layers reach along `directions()`. `ways` go from the
    lowest up; `exit` is the chosen one. Under `passed` cubes cannot hold each other. `pitch` is the size of a cell.
    """

    rim: float
    heights: Array
    extents: Array
    ways: tuple[Way, ...]
    exit: Way
    passed: float
    pitch: float


class NoWay(Exception):
    """No cube gets in at the mouth (`is_mouth`) or out at the exit; the widest that would is `width` (mm)."""

    def __init__(self, is_mouth: bool, width: float) -> None:
        super().__init__(is_mouth, width)
        self.is_mouth, self.width = is_mouth, width


def directions() -> Array:
    """Return the unit vectors along which outlines are measured, shape (16, 2)."""
    angles = 2 * math.pi * np.arange(_SIDES) / _SIDES
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def find_normals(triangles: Array) -> tuple[Array, Array]:
    """Return the unit normals of triangles (n, 3, 3), shape (n, 3), and twice their areas."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    sizes = np.linalg.norm(normals, axis=1)
    return normals / np.maximum(sizes, 1e-300)[:, None], sizes


def sample(triangles: Array, step: float) -> tuple[Array, npt.NDArray[np.intp]]:
    """Return points on triangles (n, 3, 3), at most 0.71 `step` from any point, and whose each is."""
    sides = np.linalg.norm(np.roll(triangles, -1, axis=1) - triangles, axis=2)
    longest = sides.argmax(axis=1)
    order = (longest[:, None] + np.arange(3)) % 3
    a, b, c = np.moveaxis(np.take_along_axis(triangles, order[:, :, None], axis=1), 1, 0)
    length = np.maximum(sides.max(axis=1), 1e-300)
    height = np.linalg.norm(np.cross(b - a, c - a), axis=1) / length
    parts = np.maximum(np.ceil(np.stack([length, height], axis=1) / step).astype(int), 1)
    points: list[Array] = []
    owners: list[npt.NDArray[np.intp]] = []
    cuts, group = np.unique(parts, axis=0, return_inverse=True)
    for k, (along, across) in enumerate(cuts.tolist()):
        own = np.flatnonzero(group.ravel() == k)
        u, v = (each.ravel() for each in np.mgrid[0.5:along, 0.5:across])
        u, v = u / along, v / across
        weights = np.stack([(1 - v) * (1 - u), (1 - v) * u, v], axis=1)
        corners = np.stack([a[own], b[own], c[own]], axis=1)
        points.append(np.einsum("wk,tkc->twc", weights, corners).reshape(-1, 3))
        owners.append(np.repeat(own, len(weights)))
    return np.concatenate(points), np.concatenate(owners)


class Space:
    """The cells around triangles (n, 3, 3; mm) on the table, for cubes of an `edge` (mm)."""

    def __init__(self, triangles: Array, edge: float, cells: float = CELLS) -> None:
        low, high = triangles.min(axis=(0, 1)) - 1.5 * edge, triangles.max(axis=(0, 1)) + 1.5 * edge
        low[2] = 0.0
        self.edge = edge
        x, y, z = (high - low).tolist()
        self.pitch = max(edge / 10, (x * y * z / cells) ** (1 / 3))
        self.low = low
        shape: tuple[int, ...] = tuple((np.ceil((high - low) / self.pitch).astype(int) + 1).tolist())
        step = 0.7 * self.pitch
        area = float(find_normals(triangles)[1].sum()) / 2
        if area > _MOST_POINTS * step**2:
            most = f"up to {_MOST_POINTS * step**2 / 1e6:.3g} m2 for its size"
            raise fault("the surface of the mesh", f"{area / 1e6:.3g} m2", most, "remove triangles on each other")
        taken = np.zeros(shape, dtype=bool)
        taken[tuple(self._cells(sample(triangles, step)[0]).T)] = True
        self.taken: Mask = taken
        away = ndimage.distance_transform_edt(~taken, sampling=self.pitch)
        self.heights: Array = self.pitch * np.arange(0.5, float(shape[2]))
        self.away: Array = np.minimum(away, self.heights)

    def _cells(self, points: Array) -> npt.NDArray[np.intp]:
        return ((points - self.low) / self.pitch).astype(int)

    def find_touched(self, triangles: Array, sure: Mask) -> tuple[Mask, Mask]:
        """Return which triangles (n, 3, 3; mm) a cube can touch from before, and which from behind; after `explore`.

        Those whose outside is `sure` are not looked at from behind. A cube lies before a triangle if a cell that was
        reached is as near as a cube's middle can be, with nothing between.
        """
        _, nearest = ndimage.distance_transform_edt(~self.reached, return_indices=True)
        every, owners = sample(triangles, 1.5 * self.pitch)
        normals = find_normals(triangles)[0]
        before, behind = np.zeros(len(triangles), dtype=bool), np.zeros(len(triangles), dtype=bool)
        for seen, side, asked in ((before, 1.0, np.ones_like(sure)), (behind, -1.0, ~sure)):
            points, rows = every[asked[owners]], owners[asked[owners]]
            for ahead in (0.5, 0.8):
                out = side * normals[rows]
                places = np.clip(self._cells(points + ahead * self.edge * out), 0, np.array(self.taken.shape) - 1)
                cells = nearest[:, places[:, 0], places[:, 1], places[:, 2]].T
                middles = (cells + 0.5) * self.pitch + self.low
                way = middles - points
                is_near = np.linalg.norm(way, axis=1) <= 0.87 * self.edge + self.pitch
                is_near &= np.sum(way * out, axis=1) > 0
                for share in np.arange(2.0, 0.87 * self.edge / self.pitch) / (0.87 * self.edge / self.pitch):
                    where = np.flatnonzero(is_near)
                    on_way = self._cells(points[where] + share * way[where])
                    is_near[where] = ~self.taken[tuple(on_way.T)]
                seen[rows[is_near]] = True
        return before, behind

    def explore(self, near: tuple[float, float] | None = None, exit: float | None = None) -> Interior:
        """Find mouth, inside and ways out; raises NoWay.

        The mouth is the one nearest to `near` (mm), or that of the largest room. The exit is the way out whose upper
        edge is nearest to `exit` (mm), or the lowest.
        """
        doubt = 0.87 * self.pitch  # by so much may a cell's distance be wrong
        width = self.edge
        interior = self._explore(width / 2 - doubt, near, exit)
        if not isinstance(interior, bool):
            return interior
        is_mouth, narrower = not interior, interior
        while isinstance(narrower, bool) and width / 2 - doubt > self.pitch / 2:
            width -= self.pitch / 2
            narrower = self._explore(width / 2 - doubt, near, exit)
        raise NoWay(is_mouth, 0.0 if isinstance(narrower, bool) else width)

    def find_mouths(self) -> list[tuple[float, float]]:
        """Return the middles (mm) of the mouths of all towers, from left to right."""
        rooms, _ = self._find_rooms(self.edge / 2 - 0.87 * self.pitch)
        rim = max((room.start for room in rooms), default=0)
        return sorted(self._find_middle(room.inside[:, :, room.start]) for room in rooms if room.start > rim / 2)

    def _find_middle(self, layer: Mask) -> tuple[float, float]:
        x, y = ((np.argwhere(layer).mean(axis=0) + 0.5) * self.pitch + self.low[:2]).tolist()
        return x, y

    def _find_rooms(self, radius: float) -> tuple[list[_Shaft], bool]:
        """Return large rooms with a way out, and whether there is any room."""
        free = self.away >= radius
        labels, _ = ndimage.label(free)
        top = np.unique(labels[:, :, -1])
        air = np.isin(labels, top[top > 0])
        flat, number = ndimage.label(air, structure=_FLAT)
        border = np.zeros(number + 1, dtype=bool)
        for side in (flat[0], flat[-1], flat[:, 0], flat[:, -1]):
            border[np.unique(side)] = True
        border[0] = True
        labelled: Any = ndimage.label(~border[flat])
        closed: npt.NDArray[np.intp] = labelled[0]
        under_air = np.unique(closed[:, :, :-1][air[:, :, 1:] & border[flat[:, :, 1:]]])
        sizes: Any = np.bincount(closed.reshape(-1))
        boxes: Any = ndimage.find_objects(closed)
        starts = [
            (boxes[k - 1][2].stop - 1, k) for k in under_air[under_air > 0] if sizes[k] > _SMALL * sizes[1:].max()
        ]
        rooms: list[_Shaft] = []
        for start, k in sorted(starts, reverse=True):
            mouth = closed[:, :, start] == k
            if not any((room.inside[:, :, start] & mouth).any() for room in rooms):  # else under a window of that room
                none = np.zeros(start, dtype=bool)
                room = _Shaft(air, flat, border, start, np.zeros_like(air), none.copy())
                room.descend(mouth, none, none, 1)
                rooms.append(room)
        most = max((room.size for room in rooms), default=0)
        return [room for room in rooms if room.is_open.any() and room.size > _LARGE * most], bool(rooms)

    def _explore(self, radius: float, near: tuple[float, float] | None, exit: float | None) -> Interior | bool:
        rooms, is_any = self._find_rooms(radius)
        if not rooms:
            return is_any
        room = max(rooms, key=lambda room: room.size)
        if near is not None:
            room = min(rooms, key=lambda room: math.dist(self._find_middle(room.inside[:, :, room.start]), near))
        # under a way's upper edge cubes come forward before there is a way out: the outline is that over all this
        cut = room.is_open.copy()
        for step in range(1, math.ceil(1.2 * radius / self.pitch) + 2):
            cut[step:] |= room.is_open[:-step]
        cut[: int(np.argmax(room.is_open))] = True
        window = np.append(cut, False)
        window[: int(np.argmin(window))] = False
        room.descend(room.inside[:, :, room.start].copy(), cut, window, math.ceil(3 * self.edge / self.pitch))
        ways = self._find_ways(room, radius)
        return self._search(
            radius, room, ways, ways[0] if exit is None else min(ways, key=lambda way: abs(way.top - exit))
        )

    def _find_ways(self, room: _Shaft, radius: float) -> tuple[Way, ...]:
        """Return the ways out, from the lowest up; of some as high as each other the widest first."""
        outside = room.air & ~room.inside
        labels, number = ndimage.label(outside, structure=_FLAT)
        border = np.zeros(number + 1, dtype=bool)
        for side in (labels[0], labels[-1], labels[:, 0], labels[:, -1]):
            border[np.unique(side)] = True
        border[0] = False
        doors = border[labels] & ndimage.binary_dilation(room.inside, structure=_CROSS)
        doors[:, :, : room.start] &= room.is_open
        doors[:, :, room.start :] = False
        labels, number = ndimage.label(doors, structure=np.ones((3, 3, 3)))
        middle = np.argwhere(room.inside[:, :, room.start]).mean(axis=0)
        found: list[tuple[float, float, complex]] = []  # height, size, mean direction
        for label, box in enumerate(ndimage.find_objects(labels), 1):
            cells = np.argwhere(labels[box] == label) + [part.start for part in box]
            mean = np.exp(1j * np.arctan2(*(cells[:, :2] - middle).T[::-1])).mean()
            found.append((float(self.heights[cells[:, 2].max()]) + radius, float(len(cells)), complex(mean)))
        ways: list[Way] = []
        while found:
            lowest = min(found)[0]
            level = sorted((each for each in found if each[0] < lowest + self.edge / 2), key=lambda each: -each[1])
            found = [each for each in found if each not in level]
            mean = sum(size * direction for _, size, direction in level) / sum(size for _, size, _ in level)
            if abs(mean) < _AROUND:
                level = [(max(level)[0], 1.0, 0j)]
            ways += [Way(top, None if abs(to) < _AROUND else float(np.angle(to))) for top, _, to in level]
        return tuple(ways)

    def _search(self, radius: float, room: _Shaft, ways: tuple[Way, ...], exit: Way) -> Interior:
        air, inside, heights = room.air, room.inside, self.heights
        rim = float(heights[room.start]) - radius
        layers = np.flatnonzero(inside.any(axis=(0, 1)))[::-1]
        out = directions()
        extents = np.array([self._find_extent(inside[:, :, k], out) + radius for k in layers])
        at_rim = int(np.argmax(heights[layers] < rim))
        extents[:at_rim] = extents[at_rim]  # over the rim nothing holds cubes back
        # a cube's middle may be a little over or under where cells say so
        spread = ndimage.maximum_filter1d(extents, 1 + 2 * math.ceil(0.2 * self.edge / self.pitch), axis=0)
        self.reached: Mask = inside | (air & ((heights < exit.top + 2 * self.edge) | (heights > rim - 3 * self.edge)))
        passed = self._find_passed(air, inside, layers)
        return Interior(rim, heights[layers], spread, ways, exit, passed, self.pitch)

    def _find_passed(self, air: Mask, inside: Mask, layers: npt.NDArray[np.intp]) -> float:
        wide = NARROW * self.edge
        passed = float(self.heights[layers[0]])
        for k in layers:
            is_wide = ndimage.distance_transform_edt(~self.taken[:, :, k], sampling=self.pitch) >= wide
            away = ndimage.distance_transform_edt(~(is_wide & air[:, :, k]), sampling=self.pitch)
            if away[inside[:, :, k]].min() >= wide:
                passed = float(self.heights[k]) - 0.87 * self.edge
        return passed

    def _find_extent(self, layer: Mask, out: Array) -> Array:
        points = (np.argwhere(layer) + 0.5) * self.pitch + self.low[:2]
        return (points @ out.T).max(axis=0)


@dataclass(slots=True, eq=False)
class _Shaft:
    """The air, its parts in each layer, which of them reach the border, and what is reached from a mouth at `start`.

    `is_open` says of each layer under the mouth whether there is a way out.
    """

    air: Mask
    flat: npt.NDArray[np.intp]
    border: Mask
    start: int
    inside: Mask
    is_open: Mask

    @property
    def size(self) -> int:
        """The number of cells inside."""
        return int(self.inside.sum())

    def descend(self, mouth: Mask, cut: Mask, window: Mask, depth: int) -> None:
        """Find what is inside from a mouth down.

        Open layers, and those to `cut`, end at the outline over them; those at a `window` end at the outline of `depth`
        layers over the window.
        """
        self.inside[:] = False
        self.inside[:, :, self.start] = mouth
        wall: Mask | None = None
        for k in range(self.start - 1, -1, -1):
            above = self.inside[:, :, k + 1]
            touched = np.unique(self.flat[:, :, k][above & self.air[:, :, k]])
            touched = touched[touched > 0]
            if not len(touched):
                break
            self.is_open[k] = self.border[touched].any()
            here = np.isin(self.flat[:, :, k], touched)
            if not window[k]:
                wall = None
            elif wall is None:
                over: Any = self.inside[:, :, k + 1 : k + 1 + depth]
                wall = _fill(over.any(axis=2))
            if wall is not None:
                here &= wall
            elif self.is_open[k] or cut[k]:
                here &= _fill(above)
            self.inside[:, :, k] = here


def _fill(layer: Mask) -> Mask:
    cells = np.argwhere(layer)
    grid = np.stack(np.meshgrid(*map(np.arange, layer.shape), indexing="ij"), axis=-1)
    try:
        hull = spatial.ConvexHull(cells)
    except (spatial.QhullError, ValueError):  # in one line
        return layer
    return np.all(grid @ hull.equations[:, :2].T + hull.equations[:, 2] <= 1e-9, axis=-1)
