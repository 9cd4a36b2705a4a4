"""The combat ship, and where its cubes are: in a zone, on a border, on the table, or still in the ship."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim import portable
from tower_sim.apparatus import calm as calm_boxes
from tower_sim.apparatus import polygon
from tower_sim.apparatus.board import Zone
from tower_sim.apparatus.combat_ship.dimensions import dimensions
from tower_sim.apparatus.combat_ship.profile import ShipAndBoard
from tower_sim.apparatus.dimensions import Dimensions
from tower_sim.apparatus.parts import Upright
from tower_sim.apparatus.solids import corners, section_below, touching
from tower_sim.apparatus.with_board import WithBoard
from tower_sim.places import BORDER, INSIDE, LOST, TABLE, ZONE, Place

Array = npt.NDArray[np.float64]

TOUCH = 0.03  # of the edge: cubes at rest overlap or stand off by at most half of this (PhysicsSettings.rest_overlap)
_FAR = 1.0  # m: the table ends here
_WELL = 1e-6  # m: much more than rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class CombatShip(WithBoard):
    """A ship that cubes fall through, and the board next to it; lengths in m.

    The hull fills -`hull_x` to `hull_x` and -`hull_y` to `hull_y`, up to `rim_top`. Its port side, at x = `hull_x`,
    faces the board. Cubes leave on the gun deck. The deck's surface is at height `deck_low` at x = `hull_x`, and rises
    inboard by `deck_rise` (m/m). `given` are the parameters that the ship was made from.
    """

    hull_x: float
    hull_y: float
    deck_low: float
    deck_rise: float
    given: ShipAndBoard

    def dimensions(self) -> Dimensions:
        """Return what is drawn besides the boxes."""
        return dimensions(self.given, self.board)

    def where(self) -> dict[str, Any]:
        """Return, as data, the rule and the numbers that decide which cubes are in the ship; the board is left out."""
        names = ("hull_x", "hull_y", "deck_low", "deck_rise")
        return {"rule": "ship"} | {name: getattr(self, name) for name in names}

    def inside(self, position: Array) -> npt.NDArray[np.bool_]:
        """Return whether each cube is in the ship, shape (n,).

        The centre of such a cube is within the hull's plan and over the gun deck.
        """
        x, y, z = position.T
        over_plan = (np.abs(x) <= self.hull_x) & (np.abs(y) <= self.hull_y)
        return over_plan & (z >= _deck(x, self))

    def emerged(self, position: Array) -> npt.NDArray[np.bool_]:
        """Return whether each cube has come out of the ship, shape (n,)."""
        return ~self.inside(position)

    def escaped(self, position: Array) -> npt.NDArray[np.bool_]:
        """Return whether each cube is where no cube can be, shape (n,).

        Such places are under the table or the gun deck, and far away. A position with nan counts too.
        """
        x, y, z = position.T
        under_deck = (np.abs(x) < self.hull_x) & (np.abs(y) < self.hull_y) & (z < _deck(x, self))
        allowed = (np.abs(position).max(axis=1) < _FAR) & (z > 0) & ~under_deck
        return ~allowed

    def loose(self, position: Array, orientation: Array) -> npt.NDArray[np.bool_]:
        """Return whether fewer than four corners of each cube reach down to the zones' floor, shape (n,).

        Such a cube leans, or lies on something other than the floor.
        """
        height = corners(position, orientation, self.cube_edge)[:, :, 2]
        return (height <= self.board.floor + TOUCH * self.cube_edge).sum(axis=1) < 4

    def find(self, position: Array, orientation: Array) -> list[Place]:
        """Return the place of each cube, with the zones that it touches and the cubes that it rests on.

        A cube that touches the floor of a zone is in that zone. If it touches several, it is in the zone nearest to its
        centre. All other cubes are in the ship, on the table, on a border, or on cubes. A cube that rests only on cubes
        has the place of the supporting cube whose centre is horizontally nearest.

        Source: the Dead Reckoning rulebook, details of the combat ship, for zones and borders. The other rules are
        ours.
        """
        edge = self.cube_edge
        near = TOUCH * edge
        corner = corners(position, orientation, edge)
        height = position[:, 2]
        lowest = corner[:, :, 2].min(axis=1)
        pairs = touching(position, orientation, edge, near)
        lost, in_ship = self.escaped(position), self.inside(position)
        zones = _zones(self.board.zones)
        floor = self.board.floor + near
        touches = [zones.touched(section_below(corner[i], floor), position[i]) for i in range(len(position))]
        places: dict[int, Place] = {}
        from_below = np.argsort(height, kind="stable")  # so that the places of supporting cubes are known first
        for i in map(int, from_below):
            under = tuple(int(j) for j in np.flatnonzero(pairs[i] & (height < height[i] - near)))
            if lost[i]:
                places[i] = Place(LOST)
            elif touches[i]:
                places[i] = Place(ZONE + touches[i][0], touches[i])
            elif in_ship[i]:
                places[i] = Place(INSIDE + "ship", on=under)
            elif lowest[i] <= near:
                places[i] = Place(TABLE, on=under)
            elif under and not _on_border(corner[i], self, near):
                away = portable.lengths(position[list(under), :2] - position[i, :2])
                places[i] = Place(places[under[int(np.argmin(away))]].place, on=under)
            else:
                places[i] = Place(BORDER, on=under)
        return [places[i] for i in range(len(position))]


def _deck(x: Array, ship: CombatShip) -> Array:
    return ship.deck_low + ship.deck_rise * (ship.hull_x - x)


def calm(hull: tuple[float, float], deck_low: float, deck_rise: float, edge: float) -> Iterator[Upright]:
    """Yield the calm boxes of a ship; see `Apparatus.calm`.

    `hull` is half the ship's plan (x, y; m). `deck_low` and `deck_rise` are as in `CombatShip`, and `edge` is the edge
    (m) of a cube. Around the hull, and over the gun deck, cubes are allowed at every height.
    """
    (x, y), everywhere = hull, (-_FAR, _FAR)
    rise = 2 * x * deck_rise
    yield calm_boxes.upright((x, _FAR), everywhere, (0.0, _FAR))
    for part in calm_boxes.levels(rise, edge / 2):
        yield calm_boxes.upright((x - 2 * x * (1 - part), _FAR), everywhere, (deck_low + rise * (1 - part), _FAR))
    yield calm_boxes.upright((-_FAR, -x), everywhere, (0.0, _FAR))
    yield calm_boxes.upright(everywhere, (y, _FAR), (0.0, _FAR))
    yield calm_boxes.upright(everywhere, (-_FAR, -y), (0.0, _FAR))


class _Zones:
    """The zones of a board as polygons, with bounding boxes that quickly rule out most zones."""

    def __init__(self, zones: Sequence[Zone]) -> None:
        self._names = [zone.name for zone in zones]
        self._shapes = [np.array(zone.corners) for zone in zones]
        self._inward = [polygon.inward(shape) for shape in self._shapes]
        self._low = np.array([shape.min(axis=0) for shape in self._shapes])
        self._high = np.array([shape.max(axis=0) for shape in self._shapes])

    def touched(self, low: Array, centre: Array) -> tuple[str, ...]:
        """Return the names of the zones whose floor a cube touches, the nearest to its `centre` first.

        `low` are points, shape (k, 2). Their convex hull is the plan of the part of the cube that is at or below the
        floor. If there is no such part, k is 0.
        """
        if len(low) == 0:
            return ()
        far = ((low.max(axis=0) < self._low) | (self._high < low.min(axis=0))).any(axis=1)
        found = [k for k in np.flatnonzero(~far).tolist() if self._is_in(low, k) or polygon.meet(low, self._shapes[k])]
        if len(found) > 1:
            away = {k: float(polygon.distance(centre[None, :2], self._shapes[k])[0]) for k in found}
            found.sort(key=lambda k: away[k])
        return tuple(self._names[k] for k in found)

    def _is_in(self, low: Array, k: int) -> bool:
        """Return whether the first point of `low` is well inside zone `k`, which proves that the zone is touched."""
        return bool((portable.dot(low[0] - self._shapes[k], self._inward[k]) > _WELL).all())


@lru_cache(maxsize=8)
def _zones(zones: tuple[Zone, ...]) -> _Zones:
    return _Zones(zones)


def _on_border(corner: Array, ship: CombatShip, near: float) -> bool:
    """Return whether a cube that touches no zone touches the board; `corner` are the cube's corners, shape (8, 3)."""
    low = section_below(corner, ship.board.border_top + near)
    (x0, x1), (y0, y1) = ship.board.x, ship.board.y
    return len(low) > 0 and polygon.meet(low, np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)]))
