"""Sheets made of boxes: tilted planks, and floors with openings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from tower_sim.apparatus.parts import Box, Vector, span, tilted_about_x, tilted_about_y
from tower_sim.tools import portable

Opening = tuple[float, float, float, float]
"""A rectangular opening: x0, x1, y0, y1 (m)."""


def space_evenly(number: int, width: float, room: float) -> list[tuple[float, float]]:
    """Return the ends (m) of openings of `width` (m), spaced evenly over a `room` (m) around 0."""
    ledge = (room - number * width) / (number + 1)
    starts = [-room / 2 + ledge + i * (ledge + width) for i in range(number)]
    return [(start, start + width) for start in starts]


def space(
    number: int, width: float, room: float, ledge: float | None = None, offset: float = 0.0
) -> list[tuple[float, float]]:
    """Return the ends (m) of openings of `width` (m) in a `room` (m) around 0, shifted by `offset` (m).

    The outermost are `ledge` (m) from the ends before the shift; if None, or with one opening, all are spaced evenly.
    """
    if ledge is None or number == 1:
        places = space_evenly(number, width, room)
    else:
        pitch = (room - 2 * ledge - width) / (number - 1)
        places = [(start, start + width) for start in (-room / 2 + ledge + i * pitch for i in range(number))]
    return [(low + offset, high + offset) for low, high in places] if offset else places


def between(places: Sequence[tuple[float, float]], room: float) -> list[tuple[float, float]]:
    """Return the ends (m) of the pieces that openings, in order, leave of a `room` (m) around 0."""
    ends = [-room / 2, *(end for place in places for end in place), room / 2]
    return [(low, high) for low, high in zip(ends[::2], ends[1::2], strict=True) if high - low > 1e-9]


def pierced(
    part: str, half: tuple[float, float], openings: Sequence[Opening], z: tuple[float, float], surface: str
) -> Iterator[Box]:
    """Yield the boxes that are left of a rectangle around the origin, with half edges `half` (m), without `openings`.

    Openings may reach over the edge. Two that overlap in y must not overlap in x.
    """
    x, y = half
    cuts = sorted({-y, y, *(min(max(end, -y), y) for opening in openings for end in opening[2:])})
    for low, high in pairwise(cuts):
        yield from band(part, (low, high), x, openings, z, surface)


def band(
    part: str,
    y: tuple[float, float],
    half: float,
    openings: Sequence[Opening],
    z: tuple[float, float],
    surface: str,
) -> Iterator[Box]:
    """Yield what `openings` leave of a band of y (m), from -`half` to `half` (m) in x."""
    middle = (y[0] + y[1]) / 2
    in_band = sorted(opening[:2] for opening in openings if opening[2] <= middle <= opening[3])
    start = -half
    for x0, x1 in [*in_band, (half, half)]:
        end = min(x0, half)
        if end - start > 1e-9:
            yield span(part, (start, end), y, z, surface)
        start = max(start, x1)


def plank(part: str, surface: str, upper: Vector, size: Vector, *, about_x: float = 0.0, about_y: float = 0.0) -> Box:
    """Return a plank whose upper face has its middle at `upper` (m), tilted about one axis by an angle (rad).

    `size` has half the extents along x and y, and the thickness (m).
    """
    turned = tilted_about_x(about_x) if about_x else tilted_about_y(about_y)
    down = size[2] / 2
    centre = (
        upper[0] - down * portable.sin(about_y),
        upper[1] + down * portable.sin(about_x),
        upper[2] - down * portable.cos(about_x + about_y),
    )
    return Box(part, surface, centre, (*size[:2], down), turned)
