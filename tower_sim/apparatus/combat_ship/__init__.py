"""The combat ship of Dead Reckoning, and the board next to it, as boxes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tower_sim.apparatus import shapes
from tower_sim.apparatus.board import Board, Zone
from tower_sim.apparatus.combat_ship.dimensions import CombatShip
from tower_sim.apparatus.combat_ship.profile import SHEET, WALL, ShipAndBoard
from tower_sim.apparatus.kind import ApparatusKind, Profile
from tower_sim.apparatus.parts import Box, Region, plank, span, table, tilted_about_x, tilted_about_y, turned_about_z
from tower_sim.apparatus.zones import check_places, check_reach, find_neighbours, read_zones
from tower_sim.tools import portable


def make(profile: Profile) -> CombatShip:
    """Make the ship and the board that a profile describes."""
    ship = profile.read(ShipAndBoard)
    edge, border, length, width = ship.cubes.edge, ship.board.border_width, ship.board.length, ship.board.width
    on_board = read_zones(ship.zones)
    check_places(on_board, ((0.0, length), (-width / 2, width / 2)), border)
    neighbours = find_neighbours(on_board, border, edge)
    ship.check()
    check_reach(on_board, neighbours, border, edge)
    board = _board(ship, on_board, neighbours)
    return CombatShip(
        **profile.shared(ship),
        boxes=(*_ship(ship), *_board_boxes(ship, board), table("board")),
        rim_top=max(ship.masts.top if ship.masts.masts else 0.0, ship.hull.top + ship.bulwarks.height),
        swept=False,
        regions=(Region("ship", 0.0),),
        hull_x=ship.hull.beam / 2 + WALL,
        hull_y=ship.hull.length / 2 + WALL,
        deck_low=ship.gun_deck.lip,
        deck_rise=portable.tan(ship.gun_deck.slope),
        board=board,
        given=ship,
    )


def _ship(ship: ShipAndBoard) -> Iterator[Box]:
    yield from _hull(ship)
    yield from _bulwarks(ship)
    for i, deck in enumerate(ship.decks):
        low = deck.ridge - deck.span * portable.tan(deck.slope)
        for sign in (-1, 1):  # fore, aft
            upper = (0.0, deck.along + sign * deck.span / 2, (deck.ridge + low) / 2)
            size = (ship.hull.beam / 2, deck.span / 2 / portable.cos(deck.slope), SHEET)
            yield plank(f"deck_{i}", "ship", upper, size, about_x=-sign * deck.slope)
    masts = ship.masts
    half = masts.thickness / 2
    for y in ship.mast_places:
        yield span("mast", (-half, half), (y - half, y + half), (masts.foot, masts.top - half), "ship")
        # the top is an edge, so that no cube stays on it
        edge = half / math.sqrt(2)
        yield Box("mast", "ship", (0.0, y, masts.top - half), (edge, half, edge), tilted_about_y(math.pi / 4))


def _hull(ship: ShipAndBoard) -> Iterator[Box]:
    x, y, top = ship.hull.beam / 2, ship.hull.length / 2, ship.hull.top
    gun_deck = ship.gun_deck
    yield span("hull", (-x - WALL, -x), (-y - WALL, y + WALL), (0, top), "ship")
    for sign in (-1, 1):
        ends = sorted((sign * y, sign * (y + WALL)))
        yield span("hull", (-x, x + WALL), (ends[0], ends[1]), (0, top), "ship")
    ports_top = ship.deck_height(x) + gun_deck.port_height
    yield span("hull", (x, x + WALL), (-y, y), (ports_top, top), "ship")
    # deck and bulkheads run from the starboard wall to the outer face of the port side
    middle, run = WALL / 2, 2 * x + WALL
    surface = (middle, 0.0, ship.deck_height(middle))
    half = run / 2 / portable.cos(gun_deck.slope)
    yield plank("gun_deck", "ship", surface, (half, y, SHEET), about_y=gun_deck.slope)
    for i in range(1, gun_deck.ports if gun_deck.bulkhead_height > 0 else 0):
        along = -y + i * (ship.port + gun_deck.bulkhead) - gun_deck.bulkhead / 2
        rise = gun_deck.bulkhead_height
        upper = (middle + rise * portable.sin(gun_deck.slope), along, surface[2] + rise * portable.cos(gun_deck.slope))
        yield plank("bulkhead", "ship", upper, (half, gun_deck.bulkhead / 2, rise), about_y=gun_deck.slope)


def _bulwarks(ship: ShipAndBoard) -> Iterator[Box]:
    rise, run = ship.bulwarks.height, ship.bulwarks.flare
    lean, slant = portable.atan2(run, rise), portable.length((rise, run))
    z = ship.hull.top + rise / 2 - WALL / 2 * portable.sin(lean)
    away = run / 2 + WALL / 2 * portable.cos(lean)
    x, y = ship.hull.beam / 2, ship.hull.length / 2
    for sign in (1, -1):
        half = (WALL / 2, y + run + WALL, slant / 2)
        yield Box("bulwark", "ship", (sign * (x + away), 0.0, z), half, tilted_about_y(sign * lean))
        half = (x + run + WALL, WALL / 2, slant / 2)
        yield Box("bulwark", "ship", (0.0, sign * (y + away), z), half, tilted_about_x(-sign * lean))


def _board(ship: ShipAndBoard, zones: tuple[Zone, ...], neighbours: dict[str, tuple[str, ...]]) -> Board:
    side, given = ship.hull.beam / 2 + WALL, ship.board
    frame = given.border_width
    x0 = side + frame
    return Board(
        zones=tuple(replace(zone, corners=tuple((x + x0, y) for x, y in zone.corners)) for zone in zones),
        neighbours=neighbours,
        x=(side, side + given.length + 2 * frame),
        y=(-given.width / 2 - frame, given.width / 2 + frame),
        floor=given.floor,
        border_top=given.floor + given.border_height,
    )


def _board_boxes(ship: ShipAndBoard, board: Board) -> Iterator[Box]:
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
    direction = side / portable.lengths(side)[:, None]
    before = np.roll(direction, 1, axis=0)
    sine = before[:, 0] * direction[:, 1] - before[:, 1] * direction[:, 0]  # of the turning angle at each corner
    mitre = width * sine / (1 + portable.dot(before, direction))  # width * tan(angle / 2)
    outward = -shapes.inward(corner)
    for i in range(len(corner)):
        j = (i + 1) % len(corner)
        start, end = corner[i] - mitre[i] * direction[i], corner[j] + mitre[j] * direction[i]
        x, y = (start + end) / 2 + width / 2 * outward[i]
        angle = portable.atan2(float(direction[i, 1]), float(direction[i, 0]))
        half = (portable.length((end - start).tolist()) / 2, width / 2, (high - low) / 2)
        yield Box("border", "board", (float(x), float(y), (low + high) / 2), half, turned_about_z(angle))


KIND = ApparatusKind("combat_ship", "a ship that cubes fall through, and a board with zones", __name__, make)
