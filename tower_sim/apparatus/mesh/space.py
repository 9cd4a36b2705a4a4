"""The free space in and around a mesh: where a cube's middle can be, and so mouth, inside and exit.

A cell is free if it is half an edge from every surface. Layer by layer from the top down, what no free way leads out of
sideways is inside. Where the inside opens to one side, it ends at the outline of the layer above: that is the exit.

    air      free, and reached from above          mouth    the top of the inside
    inside   reached through the mouth             exit     where the inside opens to the outside
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

ndimage: Any = import_module("scipy.ndimage")  # scipy has no type stubs
spatial: Any = import_module("scipy.spatial")

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

CELLS = 5e6  # at most about so many
NARROW = 2.5  # edges: half the width of what cubes may hold each other in
_SIDES = 16  # directions in which outlines are measured
_FLAT = np.array([[[0, 1, 0]] * 3] * 3)  # neighbours within a layer


@dataclass(frozen=True, slots=True)
class Interior:
    """The height of the rim, and layers of the inside with the outlines' extents.

    `heights` (mm) go from the top; `extents` (n, 16) say how far layers reach along `directions()`. `exit_angle` (rad)
    is the exit's direction, None if all around. Under `passed` cubes cannot hold each other. `pitch` is the size of a
    cell.
    """

    rim: float
    heights: Array
    extents: Array
    exit_top: float
    exit_angle: float | None
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
        taken = np.zeros(shape, dtype=bool)
        taken[tuple(self._cells(sample(triangles, 0.7 * self.pitch)[0]).T)] = True
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

    def explore(self) -> Interior:
        """Find mouth, inside and exit; raises NoWay."""
        doubt = 0.87 * self.pitch  # by so much may a cell's distance be wrong
        width = self.edge
        interior = self._explore(width / 2 - doubt)
        if not isinstance(interior, bool):
            return interior
        is_mouth, narrower = not interior, interior
        while isinstance(narrower, bool) and width / 2 - doubt > self.pitch / 2:
            width -= self.pitch / 2
            narrower = self._explore(width / 2 - doubt)
        raise NoWay(is_mouth, 0.0 if isinstance(narrower, bool) else width)

    def _explore(self, radius: float) -> Interior | bool:
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
        rooms: npt.NDArray[np.intp] = labelled[0]
        count: int = labelled[1]
        under_air = np.unique(rooms[:, :, :-1][air[:, :, 1:] & border[flat[:, :, 1:]]])
        sizes: Any = np.bincount(rooms.reshape(-1), minlength=count + 1)
        sizes[~np.isin(np.arange(count + 1), under_air[under_air > 0])] = 0
        if not sizes.any():
            return False
        room = rooms == int(np.argmax(sizes))
        start = int(np.flatnonzero(room.any(axis=(0, 1)))[-1])
        inside, first = self._descend(air, flat, border, room[:, :, start], start, -1)
        if first < 0:
            return True
        # under the exit's upper edge cubes come forward before there is a way out: the outline is that over all this
        whole = min(first + math.ceil(1.2 * radius / self.pitch) + 1, start - 1)
        inside, _ = self._descend(air, flat, border, room[:, :, start], start, whole)
        return self._search(radius, air, inside, start, first)

    def _descend(self, air: Mask, flat: Any, border: Mask, mouth: Mask, start: int, whole: int) -> tuple[Mask, int]:
        inside = np.zeros_like(air)
        inside[:, :, start] = mouth
        first = -1
        for k in range(start - 1, -1, -1):
            above = inside[:, :, k + 1]
            touched = np.unique(flat[:, :, k][above & air[:, :, k]])
            touched = touched[touched > 0]
            if not len(touched):
                break
            here = np.isin(flat[:, :, k], touched)
            if first < 0 and border[touched].any():
                first = k
            if first >= 0 or k <= whole:
                here &= _fill(above)
            inside[:, :, k] = here
        return inside, first

    def _search(self, radius: float, air: Mask, inside: Mask, start: int, first: int) -> Interior:
        rim, exit_top = float(self.heights[start]) - radius, float(self.heights[first]) + radius
        layers = np.flatnonzero(inside.any(axis=(0, 1)))[::-1]
        out = directions()
        extents = np.array([self._find_extent(inside[:, :, k], out) + radius for k in layers])
        at_rim = int(np.argmax(self.heights[layers] < rim))
        extents[:at_rim] = extents[at_rim]  # over the rim nothing holds cubes back
        # a cube's middle may be a little over or under where cells say so
        spread = ndimage.maximum_filter1d(extents, 1 + 2 * math.ceil(0.2 * self.edge / self.pitch), axis=0)
        way = air[:, :, first] & ~inside[:, :, first] & ndimage.binary_dilation(inside[:, :, first], iterations=2)
        middle = np.argwhere(inside[:, :, start])[:, :2].mean(axis=0)
        angles = np.arctan2(*(np.argwhere(way) - middle).T[::-1])
        mean = np.exp(1j * angles).mean()
        heights = self.heights
        self.reached: Mask = inside | (air & ((heights < exit_top + 2 * self.edge) | (heights > rim - 3 * self.edge)))
        return Interior(
            rim=rim,
            heights=heights[layers],
            extents=spread,
            exit_top=exit_top,
            exit_angle=None if abs(mean) < 0.4 else float(np.angle(mean)),
            passed=self._find_passed(air, inside, layers),
            pitch=self.pitch,
        )

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


def _fill(layer: Mask) -> Mask:
    cells = np.argwhere(layer)
    grid = np.stack(np.meshgrid(*map(np.arange, layer.shape), indexing="ij"), axis=-1)
    try:
        hull = spatial.ConvexHull(cells)
    except (spatial.QhullError, ValueError):  # in one line
        return layer
    return np.all(grid @ hull.equations[:, :2].T + hull.equations[:, 2] <= 1e-9, axis=-1)
