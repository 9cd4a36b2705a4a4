"""A combat ship and its board as a draughtsman sees them: lengths in mm, faces, where the parts are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from tower_sim.apparatus import polygon
from tower_sim.apparatus.board import Zone
from tower_sim.apparatus.combat_ship import profile as combat_ship
from tower_sim.apparatus.combat_ship.ship import CombatShip
from tower_sim.apparatus.parts import Apparatus, Box
from tower_sim.drawing.shape import Point, mm, point, tables
from tower_sim.drawing.solids import Array, Face, clipped, prism, tilted_box, union_of_upright

_UPRIGHT = (0.0, 0.0, 0.0, 1.0)
_TURN = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # (x, y, z) -> (y, -x, z)


class ShipShape:
    """The lengths (mm) of a `ship`, and its parameters `given` (SI) as its profile has them.

    `beam`, `length`: half widths inside the hull; `side`, `end`: half widths outside; `top`, `rim_top`: heights of hull
    and bulwarks; `rim`: how far the bulwarks reach beyond the hull's inside; `ports`: where the gun ports are along the
    ship, from fore to aft; `board`: the board's floor inside the frame (x0, x1, y0, y1); `frame`: the frame's width.
    """

    def __init__(self, ship: Apparatus) -> None:
        assert isinstance(ship, CombatShip)
        self.given = combat_ship.read(tables(ship))
        self.ship = ship
        hull, guns, of_board = self.given.hull, self.given.gun_deck, self.given.board
        self.beam, self.length = mm(hull.beam) / 2, mm(hull.length) / 2
        self.side, self.end = mm(ship.hull_x), mm(ship.hull_y)
        self.top, self.rim_top = mm(hull.top), mm(hull.top + self.given.bulwarks.height)
        self.rim = mm(self.given.bulwarks.flare)
        self.frame, self.floor = mm(of_board.border_width), mm(of_board.floor)
        wide = (2 * self.length - (guns.ports - 1) * mm(guns.bulkhead)) / guns.ports
        starts = [-self.length + i * (wide + mm(guns.bulkhead)) for i in range(guns.ports)]
        self.ports = [(start, start + wide) for start in starts]
        (x0, x1), (y0, y1) = ship.board.x, ship.board.y
        self.board = (mm(x0) + self.frame, mm(x1) - self.frame, mm(y0) + self.frame, mm(y1) - self.frame)

    @property
    def highest(self) -> float:
        """The height of the highest part."""
        return max(self.rim_top, mm(self.given.masts.top) if self.given.masts.masts else 0.0)

    @property
    def masts(self) -> list[float]:
        """Where the masts are along the ship, from fore to aft."""
        masts = self.given.masts
        return [(i - (masts.masts - 1) / 2) * mm(masts.spacing) for i in range(masts.masts)]

    def deck_height(self, x: float) -> float:
        """Return the height of the gun deck's surface at `x`."""
        return mm(combat_ship.deck_height(self.given, x / 1e3))

    def faces(self, cut_of: Callable[[Box], float], is_turned: bool = False) -> list[Face]:
        """Return the faces of all but the table, each box open in front of the plane y = `cut_of` it.

        If it `is_turned`, all is turned before it is cut, so that y runs to starboard and x along the ship. Planks and
        bulwarks that are longer than needed where no cube can see it end where they meet.
        """
        faces: list[Face] = []
        for part in dict.fromkeys(box.part for box in self.ship.boxes if box.part not in ("table", "border")):
            boxes = [box for box in self.ship.boxes if box.part == part]
            if part in ("hull", "board", "frame"):
                centre, half = (
                    np.array([point(box.centre) for box in boxes]),
                    np.array([point(box.half) for box in boxes]),
                )
                if is_turned:
                    centre, half = centre @ _TURN.T, half @ np.abs(_TURN)
                faces += union_of_upright(part, centre - half, centre + half, np.array([cut_of(box) for box in boxes]))
                continue
            for box in boxes:
                solid = tilted_box(part, point(box.centre), point(box.half), box.orientation)
                for normal, offset in self._ends(box):
                    solid = clipped(solid, normal, offset, True)
                faces += _opened(solid, cut_of(box), is_turned)
        if self.given.board.border_height > 0:
            border = next(box for box in self.ship.boxes if box.part == "border")
            for zone in self.ship.board.zones:
                for solid in self._border(zone):
                    faces += _opened(solid, cut_of(border), is_turned)
        return faces

    def zone_faces(self) -> list[Face]:
        """Return the floors of the zones, each as the part of its kind."""
        up = np.array([0.0, 0.0, 1.0])
        return [
            Face(
                _kind(zone),
                np.array([(mm(x), mm(y), self.floor) for x, y in zone.corners]),
                up,
                (True,) * len(zone.corners),
            )
            for zone in self.ship.board.zones
        ]

    def _ends(self, box: Box) -> Iterator[tuple[Point, float]]:
        """Yield the planes (normal, offset) that trim a box."""
        x, y, _ = point(box.centre)
        if box.part == "bulwark":
            corner = self.beam - self.length
            is_side = abs(x) > abs(y)
            sign, offset = math.copysign(1, x if is_side else y), corner if is_side else -corner
            for other in (1.0, -1.0):
                yield ((sign, other, 0.0) if is_side else (other, sign, 0.0)), offset
            yield (0.0, 0.0, 1.0), self.top
        elif box.part.startswith("deck_"):
            along = mm(self.given.decks[int(box.part.removeprefix("deck_"))].along)
            sign = math.copysign(1, y - along)
            yield (0.0, sign, 0.0), sign * along
        elif box.part == "gun_deck":
            yield (1.0, 0.0, 0.0), -self.beam
        elif box.part == "mast" and box.orientation != _UPRIGHT:
            yield (0.0, 0.0, 1.0), mm(box.centre[2])

    def _border(self, zone: Zone) -> Iterator[list[Face]]:
        """Yield the border of a zone, half of its width along each side, mitred; only edges at the zone are drawn."""
        corners = np.array([point((*corner, 0.0))[:2] for corner in zone.corners])
        outward = -polygon.inward(corners)
        before = np.roll(outward, 1, axis=0)
        outer = corners + self.frame / 2 * (outward + before) / (1 + (outward * before).sum(axis=1))[:, None]
        for i in range(len(corners)):
            j = (i + 1) % len(corners)
            ring = np.array([corners[j], corners[i], outer[i], outer[j]])
            yield prism("border", ring, self.floor, mm(self.ship.board.border_top), (True, False, False, False))


def _kind(zone: Zone) -> str:
    kind = zone.printed.get("kind")
    return kind if kind in ("explosive", "plunder", "damage", "strength") else "zone"


def _opened(solid: list[Face], cut: float, is_turned: bool) -> list[Face]:
    if is_turned:
        solid = [replace(face, corners=_turned(face.corners), normal=_turned(face.normal)) for face in solid]
    return clipped(solid, (0, 1, 0), cut, True) if math.isfinite(cut) else solid


def _turned(points: Array) -> Array:
    return points @ _TURN.T
