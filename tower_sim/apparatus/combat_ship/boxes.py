"""Build the combat ship's and the board's boxes from their parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tower_sim.apparatus import polygon
from tower_sim.apparatus.board import Board, Zone
from tower_sim.apparatus.combat_ship.profile import SHEET, WALL, ShipAndBoard, deck_height
from tower_sim.apparatus.combat_ship.ship import CombatShip
from tower_sim.apparatus.parts import Box, Region, span, tilted_about_x, tilted_about_y
from tower_sim.apparatus.profile import Profile


def build(ship: ShipAndBoard, profile: Profile) -> CombatShip:
    """Build the boxes of ship and board."""
    board = _board(ship)
    rim_top = max(ship.masts.top if ship.masts.masts else 0.0, ship.hull.top + ship.bulwarks.height)
    return CombatShip(
        **profile.shared(ship.cubes, ship.release, ship.surfaces),
        boxes=(*_ship(ship), *_board_boxes(ship, board), span("table", (-1, 1), (-1, 1), (-0.05, 0), "board")),
        rim_top=rim_top,
        passed=-math.inf,
        swept=False,
        regions=(Region("ship", 0.0),),
        hull_x=ship.hull.beam / 2 + WALL,
        hull_y=ship.hull.length / 2 + WALL,
        deck_low=ship.gun_deck.lip,
        deck_rise=math.tan(ship.gun_deck.slope),
        board=board,
        given=ship,
    )


def _ship(ship: ShipAndBoard) -> Iterator[Box]:
    yield from _hull(ship)
    yield from _bulwarks(ship)
    for i, deck in enumerate(ship.decks):
        low = deck.ridge - deck.span * math.tan(deck.slope)
        for sign in (-1, 1):  # fore, aft
            yield _plank(
                f"deck_{i}",
                (0.0, deck.along + sign * deck.span / 2, (deck.ridge + low) / 2),
                (ship.hull.beam / 2, deck.span / 2 / math.cos(deck.slope)),
                about_x=-sign * deck.slope,
            )
    masts = ship.masts
    half = masts.thickness / 2
    for i in range(masts.masts):
        y = (i - (masts.masts - 1) / 2) * masts.spacing
        yield span("mast", (-half, half), (y - half, y + half), (masts.foot, masts.top - half), "ship")
        # it ends in an edge: no cube stays on it
        edge = half / math.sqrt(2)
        yield Box("mast", "ship", (0.0, y, masts.top - half), (edge, half, edge), tilted_about_y(math.pi / 4))


def _hull(ship: ShipAndBoard) -> Iterator[Box]:
    """Four walls, the one to port only over the ports; the gun deck and its bulkheads, all falling to port."""
    x, y, top = ship.hull.beam / 2, ship.hull.length / 2, ship.hull.top
    gun_deck = ship.gun_deck
    yield span("hull", (-x - WALL, -x), (-y - WALL, y + WALL), (0, top), "ship")
    for sign in (-1, 1):
        ends = sorted((sign * y, sign * (y + WALL)))
        yield span("hull", (-x, x + WALL), (ends[0], ends[1]), (0, top), "ship")
    ports_top = deck_height(ship, x) + gun_deck.port_height
    yield span("hull", (x, x + WALL), (-y, y), (ports_top, top), "ship")
    # deck and bulkheads run from the starboard wall to the outer face of the port side
    middle, run = WALL / 2, 2 * x + WALL
    surface = (middle, 0.0, deck_height(ship, middle))
    half = run / 2 / math.cos(gun_deck.slope)
    yield _plank("gun_deck", surface, (half, y), about_y=gun_deck.slope)
    port = (ship.hull.length - (gun_deck.ports - 1) * gun_deck.bulkhead) / gun_deck.ports
    for i in range(1, gun_deck.ports if gun_deck.bulkhead_height > 0 else 0):
        along = -y + i * (port + gun_deck.bulkhead) - gun_deck.bulkhead / 2
        rise = gun_deck.bulkhead_height
        upper = (middle + rise * math.sin(gun_deck.slope), along, surface[2] + rise * math.cos(gun_deck.slope))
        yield _plank("bulkhead", upper, (half, gun_deck.bulkhead / 2), about_y=gun_deck.slope, thickness=rise)


def _bulwarks(ship: ShipAndBoard) -> Iterator[Box]:
    """Four walls that lean outwards; each reaches past its neighbours' inner faces only outside."""
    rise, run = ship.bulwarks.height, ship.bulwarks.flare
    lean, slant = math.atan2(run, rise), math.hypot(rise, run)
    z = ship.hull.top + rise / 2 - WALL / 2 * math.sin(lean)
    away = run / 2 + WALL / 2 * math.cos(lean)
    x, y = ship.hull.beam / 2, ship.hull.length / 2
    for sign in (1, -1):
        half = (WALL / 2, y + run + WALL, slant / 2)
        yield Box("bulwark", "ship", (sign * (x + away), 0.0, z), half, tilted_about_y(sign * lean))
        half = (x + run + WALL, WALL / 2, slant / 2)
        yield Box("bulwark", "ship", (0.0, sign * (y + away), z), half, tilted_about_x(-sign * lean))


def _plank(
    part: str,
    surface: tuple[float, float, float],
    half: tuple[float, float],
    *,
    about_x: float = 0.0,
    about_y: float = 0.0,
    thickness: float = SHEET,
) -> Box:
    """Make a plank whose upper face has its middle at `surface`, tilted about one axis; `half` its half extents."""
    turned = tilted_about_x(about_x) if about_x else tilted_about_y(about_y)
    down = thickness / 2
    centre = (
        surface[0] - down * math.sin(about_y),
        surface[1] + down * math.sin(about_x),
        surface[2] - down * math.cos(about_x + about_y),
    )
    return Box(part, "ship", centre, (*half, down), turned)


def _board(ship: ShipAndBoard) -> Board:
    """Move the zones from the board's coordinates to the apparatus's; the frame stands around the board."""
    side, table = ship.hull.beam / 2 + WALL, ship.board
    frame = table.border_width
    return Board(
        zones=tuple(_moved(zone, side + frame) for zone in ship.zones),
        neighbours=ship.neighbours,
        x=(side, side + table.length + 2 * frame),
        y=(-table.width / 2 - frame, table.width / 2 + frame),
        floor=table.floor,
        border_top=table.floor + table.border_height,
    )


def _moved(zone: Zone, x: float) -> Zone:
    return replace(zone, corners=tuple((a + x, b) for a, b in zone.corners))


def _board_boxes(ship: ShipAndBoard, board: Board) -> Iterator[Box]:
    """The floor, the frame around it, and half a border's width along every side of every zone, mitred at corners."""
    (x0, x1), (y0, y1), frame = board.x, board.y, ship.board.border_width
    yield span("board", (x0, x1), (y0, y1), (0, board.floor), "board")
    top = board.floor + ship.board.frame_height
    if ship.board.frame_height > 0:
        yield span("frame", (x0, x0 + frame), (y0, y1), (board.floor, top), "board")
        yield span("frame", (x1 - frame, x1), (y0, y1), (board.floor, top), "board")
        yield span("frame", (x0 + frame, x1 - frame), (y0, y0 + frame), (board.floor, top), "board")
        yield span("frame", (x0 + frame, x1 - frame), (y1 - frame, y1), (board.floor, top), "board")
    if ship.board.border_height > 0:
        for zone in board.zones:
            yield from _borders(zone, frame / 2, board.floor, board.border_top)


def _borders(zone: Zone, width: float, low: float, high: float) -> Iterator[Box]:
    corner = np.array(zone.corners)
    side = np.roll(corner, -1, axis=0) - corner
    length = np.linalg.norm(side, axis=1)
    direction = side / length[:, None]
    before = np.roll(direction, 1, axis=0)
    turn = np.arccos(np.clip((before * direction).sum(axis=1), -1, 1))  # at each corner
    mitre = width * np.tan(turn / 2)  # how far the border runs past it
    outward = -polygon.inward(corner)
    for i in range(len(corner)):
        j = (i + 1) % len(corner)
        start, end = corner[i] - mitre[i] * direction[i], corner[j] + mitre[j] * direction[i]
        x, y = (start + end) / 2 + width / 2 * outward[i]
        angle = math.atan2(direction[i, 1], direction[i, 0])
        half = (float(np.linalg.norm(end - start)) / 2, width / 2, (high - low) / 2)
        turned = (0.0, 0.0, math.sin(angle / 2), math.cos(angle / 2))
        yield Box("border", "board", (float(x), float(y), (low + high) / 2), half, turned)
