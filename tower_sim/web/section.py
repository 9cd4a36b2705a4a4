"""A tower cut open, as a picture for a page, and where cubes of each floor are drawn in it. Lengths in mm."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.image import imsave  # pyright: ignore[reportUnknownVariableType]

from tower_sim.apparatus import Apparatus
from tower_sim.drawing import Faces, Look, View, cut_section, make_faces, render

Array = npt.NDArray[np.float64]
Point = tuple[float, float]
Bounds = tuple[float, float, float, float]

_MOST = 60  # places of a floor; more cubes than that are drawn on top of these
_HAND = 5  # rows of cubes over the rim
_GAP = 1.04  # of edges from cube to cube
_PIXEL, _LINE = 0.25, 1.2  # mm: of the picture; pixels: a line
_GREY, _CLEAR = 0.5, 0.12  # for light and dark pages; the alpha of what is not cut


@dataclass(frozen=True, slots=True)
class TowerSection:
    """A section: the URL of its `picture`, which fills `extent`, and the lower left corners of cubes.

    `floors` has places for each region from the top, the lowest first; `tray` and `hand` those for cubes out and to
    throw. `bounds` are left, bottom, right and top of all; so has `extent` its numbers.
    """

    picture: str
    extent: Bounds
    floors: tuple[tuple[Point, ...], ...]
    tray: tuple[Point, ...]
    hand: tuple[Point, ...]
    bounds: Bounds

    def to_plain(self) -> dict[str, Any]:
        """Return it ready for `json.dumps`."""
        return {name: getattr(self, name) for name in self.__slots__}


def draw_section(apparatus: Apparatus) -> TowerSection:
    """Draw the first upright section of a tower; places are where there is room, not where cubes fell."""
    dimensions = apparatus.dimensions()
    section = next(each for each in dimensions.sections if each.axis != "z")
    faces, view = cut_section(make_faces(apparatus.solids), dimensions, section)
    thin = {name for name, part in dimensions.parts.items() if part.hatch == 0}  # ribs: cubes lie on both sides of them
    is_cut = faces.is_cut & ~np.isin(faces.part, [*thin])
    cut = [view.project(ring) for ring in faces.select(is_cut).rings()]
    edge, rim = 1e3 * apparatus.cube_edge, 1e3 * apparatus.rim_top
    left, right = _inside(cut, 0.5 * (rim + 1e3 * apparatus.regions[0].above))
    floors: list[tuple[Point, ...]] = []
    top = rim
    for region in apparatus.regions:
        low = 1e3 * region.above
        floors.append(_places(cut, _columns(*_inside(cut, top - 0.6 * edge), edge), (low, top), edge)[:_MOST])
        top = low
    seen = view.project(faces.corners)
    (start, ground), (end, over_all) = seen.min(axis=0).tolist(), seen.max(axis=0).tolist()
    over = 1e3 * _above(apparatus) + 2 * edge
    tray = _places(cut, _columns(_outside(cut, over) + 0.3 * edge, end, edge), (0.0, over), edge)
    lowest = min(z for _, z in tray)
    flat = {x for x, z in tray if z < lowest + 0.5 * edge}  # not on the tray's wall
    tray = tuple((x, z) for x, z in tray if x in flat)[:_MOST]
    hand = _rows(_columns(left, right, edge), rim + 0.6 * edge, _HAND, edge)
    extent = start - 1, ground - 1, end + 1, over_all + 1
    bounds = start, min(0.0, ground), end, rim + (0.8 + _HAND * _GAP) * edge
    picture = _draw(faces, view, is_cut, extent)
    return TowerSection(picture, _round(extent), tuple(floors), tray, hand, _round(bounds))


def _round(bounds: Bounds) -> Bounds:
    left, bottom, right, top = (round(x, 1) for x in bounds)
    return left, bottom, right, top


def _draw(faces: Faces, view: View, is_cut: Any, extent: Bounds) -> str:
    left, bottom, right, top = extent
    colour = np.column_stack([np.full((len(faces), 3), _GREY), np.where(is_cut, 1.0, _CLEAR)])
    look = Look(colour, np.full(len(faces), _LINE), np.zeros(len(faces), int), ink=_GREY)
    shape = round((top - bottom) / _PIXEL), round((right - left) / _PIXEL)
    file = io.BytesIO()
    imsave(file, render(faces, view, look, (left, top), _PIXEL, shape), format="png")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


def _above(apparatus: Apparatus) -> float:
    regions = apparatus.regions
    return regions[-2].above if len(regions) > 1 else apparatus.rim_top


def _inside(cut: Sequence[Array], height: float) -> tuple[float, float]:
    left, right = -1e3, 1e3
    for ring in cut:
        ends = _across(ring, height)
        if ends is None:
            continue
        if ends[1] <= 0:
            left = max(left, ends[1])
        elif ends[0] >= 0:
            right = min(right, ends[0])
    return left, right


def _outside(cut: Sequence[Array], height: float) -> float:
    inner = _inside(cut, height)[1]
    ends = [ends for ring in cut if (ends := _across(ring, height)) is not None]
    return max((end for start, end in ends if abs(start - inner) < 1e-6), default=inner)


def _across(ring: Array, height: float) -> tuple[float, float] | None:
    found: list[float] = []
    for (x0, z0), (x1, z1) in zip(ring.tolist(), np.roll(ring, -1, 0).tolist(), strict=True):
        if min(z0, z1) <= height <= max(z0, z1) and z0 != z1:
            found.append(x0 + (height - z0) / (z1 - z0) * (x1 - x0))
    return (min(found), max(found)) if found else None


def _columns(left: float, right: float, edge: float) -> list[float]:
    pitch = _GAP * edge
    count = max(int((right - left + (_GAP - 1) * edge) / pitch), 1)
    start = (left + right - count * pitch + (_GAP - 1) * edge) / 2
    return [start + i * pitch for i in range(count)]


def _places(cut: Sequence[Array], columns: Iterable[float], between: Point, edge: float) -> tuple[Point, ...]:
    found: list[Point] = []
    low, high = between
    columns = list(columns)
    middle = (columns[0] + columns[-1]) / 2
    for x in columns:
        z = max([low, *(_top(ring, x, x + edge, high) for ring in cut)])
        while z + edge <= high:
            found.append((x, z))
            z += _GAP * edge
    found.sort(key=lambda place: (round(place[1] / edge), abs(place[0] - middle), place[0]))
    return tuple((round(x, 1), round(z, 1)) for x, z in found)


def _top(ring: Array, left: float, right: float, limit: float) -> float:
    heights = [z for x, z in ring.tolist() if left <= x <= right]
    for (x0, z0), (x1, z1) in zip(ring.tolist(), np.roll(ring, -1, 0).tolist(), strict=True):
        heights += [z0 + (x - x0) / (x1 - x0) * (z1 - z0) for x in (left, right) if min(x0, x1) < x < max(x0, x1)]
    top = max(heights, default=-1e3)
    return top if top < limit else -1e3


def _rows(columns: Sequence[float], bottom: float, rows: int, edge: float) -> tuple[Point, ...]:
    middle = (columns[0] + columns[-1]) / 2
    order = sorted(columns, key=lambda x: (abs(x - middle), x))
    return tuple((round(x, 1), round(bottom + row * _GAP * edge, 1)) for row in range(rows) for x in order)
