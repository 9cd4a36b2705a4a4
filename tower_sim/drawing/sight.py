"""What an eye sees of faces: a depth buffer, the lines where the surface turns or ends, and a picture of both.

faces -> triangles on the sheet -> spans of rows -> the nearest at each sample -> lines, hatching -> pixels
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np

from tower_sim.drawing.solids import Array, Faces

_CREASE = math.cos(math.radians(16))  # where a surface turns by less, it is smooth
_STEP = 0.05  # mm: a lower step in a surface is not drawn
_FINE = 4  # samples of a pixel, across and up
_OVERLAP = 0.02  # samples: faces are so much larger, so that nothing shines through between two
_CHUNK, _SAMPLES = 1 << 20, 1 << 22  # so many at a time are filled, and kept, for memory
_HATCH = 1.6  # pixels: a hatching line's width, along a row
_QUANTUM, _BITS = 1e-5, 23  # mm: of nearer and equally near faces the later is seen; bits for a triangle's number


@dataclass(frozen=True, slots=True)
class View:
    """An eye in the direction `towards`, `distance` mm from `target` (infinite: a parallel projection).

    `up` points up on the sheet.
    """

    towards: tuple[float, float, float]
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    distance: float = math.inf

    @property
    def axes(self) -> Array:
        """The directions across, up and towards the eye, the columns of a matrix."""
        back = np.array(self.towards) / np.linalg.norm(self.towards)
        right = np.cross(self.up, back)
        right /= np.linalg.norm(right)
        return np.stack([right, np.cross(back, right), back], axis=1)

    def project(self, points: Any) -> Array:
        """Return where points (n, 3) are seen, shape (n, 2), in mm at the target's distance."""
        seen = (np.asarray(points, dtype=float) - self.target) @ self.axes
        return seen[:, :2] / (1 - seen[:, 2:] / self.distance)

    def find_planes(self, faces: Faces) -> Array:
        """Return a, b, c of each face, shape (n, 3): it is a x + b y + c near where it is seen at (x, y).

        Nearness is in mm towards the eye for what is at the target. Faces that are turned away have nan.
        """
        across, up, back = (faces.normal @ self.axes).T
        offset = (faces.normal * (faces.corners[faces.starts] - self.target)).sum(axis=1)
        facing = back - offset / self.distance
        return np.stack([-across, -up, offset], axis=1) / np.where(facing > 1e-9, facing, np.nan)[:, None]


def look_at(faces: Faces, eye: tuple[float, float, float], far: float = 5.0) -> View:
    """Return the view of the faces' middle from the direction `eye`, `far` diagonals of their bounding box away."""
    least, most = faces.corners.min(axis=0), faces.corners.max(axis=0)
    x, y, z = ((least + most) / 2).tolist()
    return View(eye, target=(x, y, z), distance=far * float(np.linalg.norm(most - least)))


class Sight:
    """The faces that `view` sees at samples `pitch` mm apart, from the upper left one at `corner`.

    `face` (rows, columns) is the number of that of `faces` seen, -1 where there is none.
    """

    def __init__(
        self, faces: Faces, view: View, corner: tuple[float, float], pitch: float, shape: tuple[int, int]
    ) -> None:
        self.faces, self._pitch = faces, pitch
        self._name = 2 * np.unique(faces.part, return_inverse=True)[1] + faces.is_cut
        plane = view.find_planes(faces)
        self._facing = 1 / np.sqrt(1 + (plane[:, :2] ** 2).sum(axis=1))  # cosine to the eye's direction
        self._plane = np.stack([pitch * plane[:, 0], -pitch * plane[:, 1], plane[:, :2] @ corner + plane[:, 2]], axis=1)
        points = (view.project(faces.corners) - corner) * (1 / pitch, -1 / pitch)  # columns and rows
        fans = np.where(np.isfinite(plane[:, 2]), faces.sizes - 2, 0)  # so many triangles has each face
        of = np.repeat(np.arange(len(faces)), fans)
        first = faces.starts[of]
        third = first + 1 + _count(fans)
        nowhere = np.iinfo(np.int64).min
        nearest = np.full(shape[0] * shape[1], nowhere)
        corners = np.stack([points[first], points[third + 1], points[third]])
        for samples, nearness, face in self._fill(of, corners, shape):
            np.maximum.at(nearest, samples, np.rint(nearness / _QUANTUM).astype(np.int64) << _BITS | face)
        self.face = np.where(nearest == nowhere, -1, nearest & ((1 << _BITS) - 1)).astype(np.int32).reshape(shape)
        for to in (1, shape[1]):  # close what shines through between two solids that touch
            flat = self.face.reshape(-1)
            place = np.flatnonzero((flat[to:-to] != flat[: -2 * to]) & (flat[to:-to] != flat[2 * to :]))
            place = place[~self._is_line(place, 2 * to)]
            flat[place + to] = flat[place]

    def _fill(self, of: Any, corners: Array, shape: tuple[int, int]) -> Iterator[tuple[Any, Any, Any]]:
        """Yield the samples in triangles, and the nearness and number of their faces `of` there.

        `corners` is of shape (3, n, 2): columns and rows, clockwise on the sheet.
        """
        low, high = corners.min(axis=0), corners.max(axis=0)
        first = np.maximum(np.ceil(low[:, 1] - _OVERLAP), 0).astype(np.int64)
        rows = np.maximum(np.minimum(np.floor(high[:, 1] + _OVERLAP), shape[0] - 1).astype(np.int64) - first + 1, 0)
        number = np.repeat(np.arange(len(rows)), rows)
        row = first[number] + _count(rows)
        left, right = low[number, 0] - _OVERLAP, high[number, 0] + _OVERLAP
        for start, end in ((corners[i], corners[(i + 1) % 3]) for i in range(3)):
            across, down = (end - start).T
            run = across / np.where(np.abs(down) > 1e-9, down, np.inf)
            margin = (_OVERLAP * np.sqrt(1 + run**2))[number]
            at = start[number, 0] + (row - start[number, 1]) * run[number]
            to_right: Array = np.where(down > 1e-9, 0.0, np.inf)[number] + at + margin
            to_left: Array = np.where(down < -1e-9, 0.0, -np.inf)[number] + at - margin
            left, right = np.maximum(left, to_left), np.minimum(right, to_right)
        column = np.maximum(np.ceil(left), 0).astype(np.int64)
        count = np.minimum(np.floor(right), shape[1] - 1).astype(np.int64) - column + 1
        face, row, column, count = (values[count > 0] for values in (of[number], row, column, count))
        slope = self._plane[face, 0]
        nearness = slope * column + self._plane[face, 1] * row + self._plane[face, 2]
        total, start = np.cumsum(count), row * shape[1] + column
        ends: list[int] = np.searchsorted(total, np.arange(_CHUNK, int(total[-1:].sum()), _CHUNK)).tolist()
        for a, b in pairwise([0, *ends, len(count)]):
            step = _count(count[a:b])
            span = np.repeat(np.arange(a, b), count[a:b])
            yield start[span] + step, nearness[span] + slope[span] * step, face[span]

    def find_lines(self, width: Array) -> tuple[Any, Array]:
        """Return the samples with a line to the right or below, and the lines' widths.

        A line is where a part, a surface or a cut ends, or a surface turns. `width` is that of the lines at each face;
        the larger of two counts.
        """
        places, widths = list[Any](), list[Any]()
        flat = self.face.reshape(-1)
        for to in (1, self.face.shape[1]):
            place = np.flatnonzero(flat[:-to] != flat[to:])
            places.append(place[self._is_line(place, to)])
            p, q = flat[places[-1]], flat[places[-1] + to]
            widths.append(np.maximum(width[p] * (p >= 0), width[q] * (q >= 0)))
        return np.concatenate(places), np.concatenate(widths)

    def _is_line(self, place: Any, to: int) -> Any:
        """Return whether a line is between the samples at `place` and those `to` samples farther."""
        faces, plane, step = self.faces, self._plane, self.face.shape[1]
        p, q = self.face.reshape(-1)[place], self.face.reshape(-1)[place + to]
        is_line = (p < 0) | (q < 0) | (self._name[p] != self._name[q])
        is_line |= (faces.normal[p] * faces.normal[q]).sum(axis=1) < _CREASE
        rest = np.flatnonzero(~is_line)
        p, q = p[rest], q[rest]
        bent, (row, column) = plane[p] - plane[q], np.divmod(place[rest], step)
        off = bent[:, 0] * column + bent[:, 1] * row + bent[:, 2]  # of the other's plane, at the first sample
        there = off + bent[:, 0] * (to % step) + bent[:, 1] * (to // step)
        apart = np.minimum(np.abs(off) * self._facing[q], np.abs(there) * self._facing[p])
        is_line[rest] = apart > max(_STEP, self._pitch / 2)
        return is_line


def _count(numbers: Any) -> Any:
    """Return 0, 1, ... up to each number less one, in a row."""
    return np.arange(int(numbers.sum())) - np.repeat(np.cumsum(numbers) - numbers, numbers)


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """How faces are drawn: `colour` (n, 4: red, green, blue, alpha), `width` (n,) of lines (pixels) in the grey `ink`.

    `hatch` (n,) is 1 for rising lines, 2 for falling ones, 3 for both, `gap` pixels apart, in `grey`.
    """

    colour: Array
    width: Array
    hatch: Any
    gap: float = 1.0
    grey: float = 0.1
    ink: float = 0.1


def render(
    faces: Faces, view: View, look: Look, corner: tuple[float, float], pixel: float, shape: tuple[int, int]
) -> Any:
    """Return a picture of faces, shape (rows, columns, 4), red, green, blue and alpha from 0 to 255.

    Its upper left corner is at `corner` (mm); a pixel is `pixel` mm wide.
    """
    most = math.ceil(look.width.max(initial=0.0))  # pixels that lines reach into the next band
    band = max(1, _SAMPLES // (shape[1] * _FINE**2))
    pieces = [np.empty((0, shape[1], 4), dtype=np.uint8)]
    for top in range(0, shape[0], band):
        above, rows = min(top, most), min(band, shape[0] - top)
        tall = min(rows + above + most, shape[0] - top + above)
        pitch = pixel / _FINE
        start = corner[0] + pitch / 2, corner[1] - (top - above) * pixel - pitch / 2
        sight = Sight(faces, view, start, pitch, (tall * _FINE, shape[1] * _FINE))
        samples = _colour(sight, look, (top - above) * _FINE)[above * _FINE : (above + rows) * _FINE]
        total = np.zeros((rows, shape[1], 4))
        for i, j in product(range(_FINE), repeat=2):
            total += samples[i::_FINE, j::_FINE]
        total[..., :3] /= np.maximum(total[..., 3:] / 255, 1e-9)
        total[..., 3] /= _FINE**2
        pieces.append(np.rint(total).astype(np.uint8))
    return np.concatenate(pieces)


def _colour(sight: Sight, look: Look, top: int) -> Any:
    """Return the colour of each sample, shape (rows, columns, 4); `top` is the number of the first row."""
    colour, alpha = look.colour[:, :3], look.colour[:, 3:]
    lines = [[0.0] * 4, [look.grey] * 3 + [1.0], [look.ink] * 3 + [1.0]]
    table = np.concatenate([np.column_stack([colour * alpha, alpha]), lines])
    nothing, hatched, ink = len(table) - 3, len(table) - 2, len(table) - 1
    which = np.where(sight.face < 0, nothing, sight.face)
    for bit, fall in ((1, 1), (2, -1)):
        if (look.hatch & bit).any():
            row, column = np.nonzero(np.append(look.hatch & bit, 0)[sight.face])
            is_line = (column + fall * (row + top)) % (look.gap * _FINE) < _HATCH * _FINE
            which[row[is_line], column[is_line]] = hatched
    flat, step = which.reshape(-1), which.shape[1]
    places, widths = sight.find_lines(look.width)
    for width in np.unique(widths[widths > 0]).tolist():
        reach, some = width * _FINE / 2, places[widths == width]
        for up, along in product(range(-int(reach), int(reach) + 1), repeat=2):
            if up**2 + along**2 <= reach**2:
                flat[(some + up * step + along).clip(0, flat.size - 1)] = ink
    return np.rint(255 * table).astype(np.uint8).view(np.uint32)[which, 0].view(np.uint8).reshape(*which.shape, 4)
