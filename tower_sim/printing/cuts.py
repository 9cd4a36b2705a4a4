"""A solid cut into parts that a printer can make: floors lie on the print bed, and each part fits it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tower_sim.apparatus.parts import Apparatus
from tower_sim.errors import UsageError
from tower_sim.printing import solid
from tower_sim.printing.mesh import Array
from tower_sim.printing.walls import FILLED, Piece, on_grid

_LEAST = 5.0  # mm: a part is at least so high
_TRIED = 33  # places of a cut, of which that through least material is taken
_MARGIN = 9.0  # mm from a cut to an end, so that a peg has room
_LOST = 1e-3  # mm^3: what is smaller is no part
MOST_PARTS = 200
SLACK = 0.01  # mm, by which a part may be larger than the bed that it fits


@dataclass(frozen=True, slots=True)
class Bed:
    """What a printer can make: `width`, `depth` and `height` in mm."""

    width: float
    depth: float
    height: float

    def fits(self, size: Sequence[float] | Array) -> bool:
        """Tell whether something so large (x, y, z) stands on it, turned by a quarter where that helps."""
        x, y, z = (float(length) - SLACK for length in size)
        upright = (x <= self.width and y <= self.depth) or (y <= self.width and x <= self.depth)
        return upright and z <= self.height

    def __str__(self) -> str:
        return " x ".join(f"{length:g}" for length in (self.width, self.depth, self.height)) + " mm"


@dataclass(frozen=True, slots=True)
class Parting:
    """A plane across `axis` (0, 1 or 2: x, y, z) at so many mm, on both sides of which parts meet."""

    axis: int
    at: float


def heights(apparatus: Apparatus, found: Sequence[Piece]) -> list[float]:
    """Return at which heights (mm) a tower is cut: under each floor, funnel and lintel, which so lie on the bed."""
    regions = {region.name for region in apparatus.regions}
    undersides: list[float] = []
    for piece in found:
        lowest = piece.corners[:, 2]
        is_plate = float(np.sort(piece.half)[1]) >= 2 * float(piece.half[piece.axis])
        if not piece.is_upright and piece.is_wall:
            lowest = lowest[piece.corners @ piece.outward < piece.inner + 1e-6]  # where its inner face begins
        elif not piece.is_upright and (piece.part in FILLED or piece.part not in regions):
            continue
        if is_plate and lowest.min() >= _LEAST:
            undersides.append(float(on_grid(lowest.min())))  # just where the wall below it ends
    kept: list[float] = []
    for height in sorted(undersides):
        if height - (kept[-1] if kept else 0.0) >= _LEAST:
            kept.append(height)
    return kept


def parts(
    whole: solid.Solid, at: Sequence[float], bed: Bed, spare: float = 0.0
) -> tuple[list[solid.Solid], list[Parting]]:
    """Cut a solid at heights, and then until each part fits the bed with `spare` mm left on every side.

    Returns the parts from the lowest to the highest, and the cuts. Raises UsageError where the bed is too small.
    """
    cuts = [Parting(2, height) for height in at]
    left = list(_layers(whole, at))
    done: list[solid.Solid] = []
    while left:
        part = left.pop(0)
        low, high = solid.bounds(part)
        size = high - low
        if bed.fits((size[0] + 2 * spare, size[1] + 2 * spare, size[2])):
            done.append(part)
            continue
        if len(left) + len(done) > MOST_PARTS:
            raise UsageError(f"print bed {bed} makes more than {MOST_PARTS} parts; allowed is a larger bed; take one")
        cut = _place(part, bed, spare)
        cuts.append(cut)
        left += [piece for half in solid.halves(part, np.eye(3)[cut.axis], cut.at)[::-1] for piece in _pieces(half)]
    return sorted(done, key=lambda part: tuple(solid.bounds(part)[0][::-1].round(3))), cuts


def _layers(whole: solid.Solid, at: Sequence[float]) -> Iterator[solid.Solid]:
    for height in at:
        below = solid.halves(whole, (0.0, 0.0, 1.0), height)[1]
        yield from _pieces(below)
        whole = solid.above(whole, height)
    yield from _pieces(whole)


def _pieces(part: solid.Solid) -> Iterator[solid.Solid]:
    yield from (piece for piece in part.decompose() if piece.volume() > _LOST)


def _place(part: solid.Solid, bed: Bed, spare: float) -> Parting:
    """Return where a part that does not fit is cut: in the middle of what is too long, through least material."""
    low, high = solid.bounds(part)
    size = high - low
    limits = sorted((bed.width - 2 * spare, bed.depth - 2 * spare))
    across = sorted((0, 1), key=lambda i: float(size[i]))
    over = [float(size[across[0]]) / limits[0], float(size[across[1]]) / limits[1]]
    axis, limit = (across[1], limits[1]) if over[1] >= over[0] else (across[0], limits[0])
    if size[2] > bed.height:
        axis, limit = 2, bed.height
    if limit < 2 * _MARGIN + 2:
        raise UsageError(f"print bed {bed} is too small for pegs; allowed are 40 mm and more; take a larger one")
    number = math.ceil(float(size[axis]) / limit - 1e-9)
    first, last = float(low[axis]) + _MARGIN, float(low[axis]) + limit
    if number == 2:
        first, last = max(first, float(high[axis]) - limit), min(last, float(high[axis]) - _MARGIN)
    else:
        first = max(first, last - limit / 2)
    places: list[float] = np.linspace(first, max(first, last), _TRIED).tolist()
    middle = float(low[axis]) + float(size[axis]) / number
    areas: list[float] = [solid.section(part, axis, at).area() for at in places]
    best = min(range(_TRIED), key=lambda i: (round(areas[i] / 5), abs(places[i] - middle)))
    return Parting(axis, round(places[best], 3))
