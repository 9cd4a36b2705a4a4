"""The combat ship, and the numbers that decide where its cubes are."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from tower_sim.apparatus import shapes, where
from tower_sim.apparatus.board import Board, Zone
from tower_sim.apparatus.combat_ship.profile import SHEET, WALL, ShipAndBoard
from tower_sim.apparatus.common import mm
from tower_sim.apparatus.dimensions import (
    Angle,
    BoardPlan,
    Cut,
    Dimensions,
    Height,
    Label,
    Level,
    Part,
    Printed,
    Section,
    Width,
    flare,
)
from tower_sim.apparatus.kind import WithBoard


@dataclass(frozen=True, slots=True, kw_only=True)
class CombatShip(WithBoard):
    """A ship that cubes fall through, and the board next to it; lengths in m.

    The hull reaches from -`hull_x` to `hull_x`, -`hull_y` to `hull_y`, up to `rim_top`. The gun deck ends at x =
    `hull_x`, `deck_low` high, and rises inboard by `deck_rise` (m/m).
    """

    hull_x: float
    hull_y: float
    deck_low: float
    deck_rise: float
    given: ShipAndBoard

    def dimensions(self) -> Dimensions:
        """Return what is drawn besides the boxes."""
        return dimensions(self.given, self.board)

    @property
    def rule(self) -> tuple[float, ...]:
        """The numbers (m) of where.py."""
        board = self.board
        head = (where.SHIP, self.hull_x, self.hull_y, self.deck_low, self.deck_rise, *board.x, *board.y)
        return (*head, board.floor, board.border_top, len(board.zones), *_zones(board.zones, where.FIRST_ZONE))


@lru_cache(maxsize=8)
def _zones(zones: tuple[Zone, ...], first: int) -> tuple[float, ...]:
    starts: list[float] = []
    numbers: list[float] = []
    for zone in zones:
        starts += [first + 2 * len(zones) + len(numbers), len(zone.corners)]
        for corner, normal in zip(zone.corners, shapes.inward(np.array(zone.corners)).tolist(), strict=True):
            numbers += [*corner, *normal]
    return (*starts, *numbers)


_LOOKS = {
    "explosive": Printed(grey=0.95, slopes=(1, -1)),
    "damage": Printed(slopes=(1,)),
    "strength": Printed(grey=0.95),
}
_DECKS = 10  # more different decks than this are only summarised


def dimensions(ship: ShipAndBoard, board: Board) -> Dimensions:
    """Return what is drawn besides the boxes."""
    beam, length = ship.hull.beam / 2, ship.hull.length / 2
    # the view opens the port side up to amidships, or up to the foremost deck's after end
    ends = [deck.along + deck.span for deck in ship.decks]
    open_to = min(max(0.0, min(ends, default=0.0)), 0.8 * length)
    port_side = ((1.0, 0.0, 0.0), beam)
    gun_deck, (low, high) = ship.gun_deck, _ports(ship)[-1]
    height = ship.deck_height(beam) + 0.8 * gun_deck.port_height
    ports = Label(_many("gun port", gun_deck.ports), (beam + WALL, (max(low, open_to) + high) / 2, height))
    near_end = (0.3 * board.x[0] + 0.7 * board.x[1], board.y[1] - ship.board.border_width - 6e-3, board.floor)
    return Dimensions(
        _parts(ship),
        (_along(ship), _across(ship, board)),
        board=_plan(ship, board),
        eye=(0.8, -0.42, 0.62),
        cuts=(Cut(((0.0, -1.0, 0.0), -open_to), ("hull", "bulwark"), port_side),),
        labels=(ports, Label("board", near_end)),
        note="hull cut open on the board's side",
    )


def _many(words: str, number: int) -> str:
    return f"{words}s" if number > 1 else words


def _parts(ship: ShipAndBoard) -> dict[str, Part]:
    beam, length = ship.hull.beam / 2, ship.hull.length / 2
    around = [(i * math.pi / 2, (beam, length)[i % 2]) for i in range(4)]
    lean = flare(around, ship.hull.top, ship.bulwarks.height, ship.bulwarks.flare, WALL)
    decks = {f"deck_{i}": Part(_many("deck", len(ship.decks))) for i in range(len(ship.decks))}
    return decks | {
        "hull": Part("hull", 0.95),
        "bulwark": Part("bulwarks", 0.97, -1, lean),
        "mast": Part(_many("mast", ship.masts.masts), 0.8, 0),
        "gun_deck": Part("gun deck", 0.85),
        "bulkhead": Part("bulkheads", 0.8, -1),
        "board": Part(),
        "border": Part("borders", 0.72),
        "frame": Part("frame", 0.8, -1),
    }


def _ports(ship: ShipAndBoard) -> list[tuple[float, float]]:
    guns, wide = ship.gun_deck, ship.port
    starts = [-ship.hull.length / 2 + i * (wide + guns.bulkhead) for i in range(guns.ports)]
    return [(start, start + wide) for start in starts]


def _along(ship: ShipAndBoard) -> Section:
    length, masts, guns, ports = ship.hull.length / 2, ship.masts, ship.gun_deck, _ports(ship)
    widths = [Width(f"port {1e3 * ship.port:.3g}", *ports[-1])]
    if guns.ports > 1:
        widths.append(Width(f"bulkhead {mm(guns.bulkhead)}", ports[0][1], ports[1][0]))
    widths.append(Width(f"length {mm(ship.hull.length)}", -length, length))
    places, half = ship.mast_places, masts.thickness / 2
    if masts.masts > 1:
        widths.append(Width(f"{mm(masts.spacing)} apart", places[0], places[1], masts.top, is_above=True))
    if masts.masts:
        thick = (places[-1] - half, places[-1] + half)
        widths.append(Width(f"mast {mm(masts.thickness)}", *thick, masts.top, is_above=True))
    heights: list[Height] = []
    if guns.bulkhead_height > 0 and guns.ports > 1:
        low = ship.deck_height(0.0)
        high = low + guns.bulkhead_height / math.cos(guns.slope)
        heights = [Height(f"bulkheads {mm(guns.bulkhead_height)}", low, high, ports[-1][0], length + WALL)]
    return Section(
        "section along the keel, from the board's side",
        "x",
        0.0,
        tuple(widths),
        tuple(heights),
        _deck_levels(ship),
    )


def _deck_levels(ship: ShipAndBoard) -> tuple[Level, ...]:
    of_deck: dict[tuple[float, float, float], list[float]] = {}
    for deck in sorted(ship.decks, key=lambda deck: deck.along):
        of_deck.setdefault((deck.ridge, deck.span, deck.slope), []).append(deck.along)
    levels: list[Level] = []
    for (ridge, span, slope), places in of_deck.items():
        at = f"{_many('ridge', len(places))} {mm(ridge)} at {', '.join(map(mm, places))},"
        words = "\n".join([*textwrap.wrap(at, 22), f"span {mm(span)}, {math.degrees(slope):.4g}°"])
        levels.append(Level(words, ridge, places[0]))
    if len(levels) > _DECKS:
        low, high = min(levels, key=lambda level: level.height), max(levels, key=lambda level: level.height)
        words = f"{len(ship.decks)} decks, ridges\n{mm(low.height)} to {mm(high.height)}"
        return (Level(words, high.height, high.at),)
    return tuple(levels)


def _across(ship: ShipAndBoard, board: Board) -> Section:
    beam, masts, guns, of_board = ship.hull.beam / 2, ship.masts, ship.gun_deck, ship.board
    half = masts.thickness / 2
    middles = [(a + b) / 2 for a, b in _ports(ship)]
    at = min(middles, key=lambda y: (any(abs(y - z) <= half for z in ship.mast_places), round(abs(y), 9), y))
    fore = "amidships" if abs(at) < 1e-9 else f"{abs(1e3 * at):.4g} mm {'fore' if at < 0 else 'aft'} of amidships"
    rim, rim_top, side = beam + ship.bulwarks.flare, ship.hull.top + ship.bulwarks.height, beam + WALL
    inner = (board.x[0] + of_board.border_width, board.x[1] - of_board.border_width)
    over = board.floor + max(of_board.frame_height, of_board.border_height) + 5e-3
    port = ship.deck_height(beam)
    widths = [
        Width(f"flare {mm(ship.bulwarks.flare)}", beam, rim, rim_top, is_above=True),
        Width(f"beam {mm(ship.hull.beam)}", -beam, beam),
        Width(f"board {mm(of_board.length)}", *inner),
    ]
    frame = f"frame {mm(of_board.frame_height)}"
    heights = [
        Height(f"lip {mm(guns.lip)}", 0.0, guns.lip, side, over=over),
        Height(f"gun ports {mm(guns.port_height)}", port, port + guns.port_height, beam, side, over=over),
        Height(f"bulwarks {mm(ship.bulwarks.height)}", ship.hull.top, rim_top, side, rim + 5e-3),
        Height(f"floor {mm(of_board.floor)}", 0.0, board.floor, board.x[1]),
        Height(frame, board.floor, board.floor + of_board.frame_height, board.x[1]),
    ]
    levels = [("hull top", ship.hull.top), ("table", 0.0)]
    levels += [("mast top", masts.top), ("mast foot", masts.foot)] if masts.masts else []
    foot = guns.lip - SHEET / math.cos(guns.slope)
    return Section(
        f"section across, {fore}",
        "y",
        at,
        tuple(width for width in widths if width.high > width.low),
        tuple(height for height in heights if height.high > height.low),
        tuple(Level(f"{name} {mm(height)}", height, -side) for name, height in levels),
        (Angle("gun deck", guns.slope, foot, side, -beam - side),),
    )


def _plan(ship: ShipAndBoard, board: Board) -> BoardPlan:
    beam, of_board = ship.hull.beam / 2, ship.board
    frame = of_board.border_width
    (x0, x1), (y0, y1) = board.x, board.y
    borders = f", borders {mm(of_board.border_height)} high, {mm(frame)} wide"
    return BoardPlan(
        {zone.name: _describe(zone) for zone in board.zones},
        floor=("board", "border"),
        around=("frame", "hull", "bulkhead"),
        # the port side, cut open where the gun ports are
        below=ship.deck_height(beam) + ship.gun_deck.port_height / 2,
        within=(((-1.0, 0.0, 0.0), -beam),),
        widths=(Width(mm(of_board.width), y0 + frame, y1 - frame),),
        heights=(Height(mm(of_board.length), frame - x1, -frame - x0, y0, is_left=True),),
        words=f"board from above{borders if of_board.border_height > 0 else ''}",
        beyond="← fore     ship's side, gun ports     aft →",
    )


def _describe(zone: Zone) -> Printed:
    values = {key: value for key, value in zone.printed.items() if value}
    kind = values.pop("kind", None)
    looks = _LOOKS.get(str(kind), Printed())
    if kind == "plunder" and all(isinstance(value, int) for value in values.values()):
        goods = {"coins": _many("coin", values.get("coins", 0)), "cargo": "cargo", "choice": "coins or cargo"}
        gives = [f"{values[key]} {words}" for key, words in goods.items() if key in values]
        return replace(looks, words=" + ".join(gives))
    names = [] if kind in values or kind is None else ["explosive shot" if kind == "explosive" else str(kind)]
    return replace(looks, words=", ".join([*names, *(f"{key} {value}" for key, value in values.items())]))
