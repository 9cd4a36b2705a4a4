"""Read the zones of a board from a profile, check them, and find each zone's neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator, Field

from tower_sim.apparatus import shapes as polygon
from tower_sim.apparatus.board import Zone
from tower_sim.apparatus.common import demand, mm
from tower_sim.documents import Document

Array = npt.NDArray[np.float64]

_SLACK = 1e-6  # m: profiles are written in rounded mm
_STEP = 2.5e-4  # m: between points on an outline

# All pairs of zones and corners are compared. With these limits that takes a second or two at most.
MAX_ZONES = 60
MAX_CORNERS = 24
MAX_MM = 1000
MAX_NAME = 40


def _name(name: str) -> str:
    if not name.isidentifier() or len(name) > MAX_NAME:
        raise ValueError
    return name


def _corners(corners: list[list[float]]) -> list[list[float]]:
    if any(len(corner) != 2 or max(map(abs, corner)) > MAX_MM for corner in corners):
        raise ValueError
    if not polygon.is_convex(polygon.counter_clockwise(np.array(corners, dtype=np.float64))):
        raise ValueError
    return corners


class ZoneTable(Document, extra="allow", frozen=True):
    """A zone of the board; the game reads all further fields."""

    name: Annotated[str, AfterValidator(_name)] = Field(
        description="The name of the zone.",
        json_schema_extra={"allowed": f"up to {MAX_NAME} letters, digits and _, no digit first"},
    )
    corners_mm: Annotated[list[list[float]], AfterValidator(_corners)] = Field(
        min_length=3,
        max_length=MAX_CORNERS,
        description="The corners in order, x from the frame on the apparatus's side, y from amidships.",
        json_schema_extra={
            "allowed": f"3 to {MAX_CORNERS} corners [x, y] of a convex polygon within {MAX_MM} mm of the board's "
            "origin; other shapes are cut into convex zones"
        },
    )


def read_zones(tables: Sequence[ZoneTable]) -> tuple[Zone, ...]:
    """Return the zones of `tables`, their corners (m) counter-clockwise."""
    names = [table.name for table in tables]
    for name in names:
        demand(names.count(name) == 1, f"zone {name!r} is there twice; allowed is each name once; rename one")
    rings = [polygon.counter_clockwise(np.array(table.corners_mm, dtype=np.float64)).tolist() for table in tables]
    return tuple(
        Zone(table.name, tuple((x * 1e-3, y * 1e-3) for x, y in ring), table.model_extra or {})
        for table, ring in zip(tables, rings, strict=True)
    )


def find_neighbours(zones: tuple[Zone, ...], border: float, edge: float) -> dict[str, tuple[str, ...]]:
    """Return the neighbours of each zone: they face it across a `border` (m) over more than an `edge` (m)."""
    neighbours: dict[str, tuple[str, ...]] = {zone.name: () for zone in zones}
    shapes = {zone.name: np.array(zone.corners) for zone in zones}
    near = 1.05 * border + _SLACK
    for one, other in combinations(shapes, 2):
        if _is_far(shapes[one], shapes[other], near):
            continue
        outline = polygon.along(shapes[one], _STEP)
        if int((polygon.distance(outline, shapes[other]) <= near).sum()) * _STEP > edge:
            neighbours[one] += (other,)
            neighbours[other] += (one,)
    return neighbours


def _is_far(one: Array, other: Array, distance: float) -> bool:
    gap = np.maximum(one.min(axis=0) - other.max(axis=0), other.min(axis=0) - one.max(axis=0))
    return bool(gap.max() > distance)


def check_places(
    zones: tuple[Zone, ...], bounds: tuple[tuple[float, float], tuple[float, float]], border: float
) -> None:
    """Refuse zones off the board ((x0, x1), (y0, y1); m) or too near for a border (m) between them."""
    shapes: dict[str, Array] = {zone.name: np.array(zone.corners) for zone in zones}
    low, high = np.array(bounds).T
    for name, shape in shapes.items():
        inside = bool(np.all(shape >= low + border / 2 - _SLACK) and np.all(shape <= high - border / 2 + _SLACK))
        demand(
            inside,
            f"zone {name!r} cannot be reached: it is not on the board; allowed is x from {mm(low[0])} to "
            f"{mm(high[0])} and y from {mm(low[1])} to {mm(high[1])}, half a border inside; move its corners",
        )
    for one, other in combinations(shapes, 2):
        if _is_far(shapes[one], shapes[other], border):
            continue
        demand(
            not polygon.meet(shapes[one], shapes[other]),
            f"zones {one!r} and {other!r} overlap; allowed are zones at least board.border_width_mm = {mm(border)} "
            "apart; move a corner",
        )
        # the shortest distance of two separate convex polygons ends at a corner of one of them
        gap = min(float(polygon.distance(shapes[a], shapes[b]).min()) for a, b in ((one, other), (other, one)))
        demand(
            gap >= border - _SLACK,
            f"zones {one!r} and {other!r} are {gap * 1e3:.3g} mm apart; allowed is at least board.border_width_mm = "
            f"{mm(border)}; move a corner",
        )


def check_reach(zones: tuple[Zone, ...], across: Mapping[str, tuple[str, ...]], border: float, edge: float) -> None:
    """Refuse zones too small for a cube of an `edge` (m) to lie flat, or without a neighbour across a `border` (m)."""
    for zone in zones:
        demand(
            len(polygon.inset(np.array(zone.corners), edge / np.sqrt(2))) > 0,
            f"zone {zone.name!r} cannot be reached: no cube of {mm(edge)} mm lies flat in it however it is turned; "
            f"allowed is room for a circle of {mm(edge * np.sqrt(2))} mm; make it wider",
        )
        demand(
            len(zones) == 1 or len(across[zone.name]) > 0,
            f"zone {zone.name!r} cannot be reached from another: no zone lies across a border from it; allowed is at "
            f"least one, board.border_width_mm = {mm(border)} away; move it nearer",
        )
