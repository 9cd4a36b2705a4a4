"""The picture of a combat ship: ship and board with a side cut open, two dimensioned sections, the board's plan."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from tower_sim.apparatus import polygon
from tower_sim.apparatus.combat_ship.ship import CombatShip
from tower_sim.drawing.cubes import cube_faces, shades
from tower_sim.drawing.files import FONT, GREY, INK
from tower_sim.drawing.plan import GREYS, draw_plan, lying_near, said_of_cubes, width_on_paper, worth
from tower_sim.drawing.shape import Point, mm
from tower_sim.drawing.sheet import Sheet, spread, width_of
from tower_sim.drawing.ship_section import draw_across, draw_along
from tower_sim.drawing.ship_shape import ShipShape
from tower_sim.drawing.solids import Face, View, from_back_to_front
from tower_sim.state import TowerState

Where = tuple[float, float, float, float]

_ROW = 13.0  # pt from label to label
_GREYS = {"hull": 0.95, "bulwark": 0.97, "gun_deck": 0.85, "mast": 0.8, "bulkhead": 0.8} | GREYS


def ship_figure(ship: CombatShip, state: TowerState | None = None) -> Figure:
    """Return the picture of `ship` and board, with the cubes of `state` where they lie; lengths in mm."""
    figure: Any = Figure(figsize=(10, 8.6))
    shape = ShipShape(ship)
    lying, far = lying_near(shape, state.board.lying if state else ())
    inside = cube_faces(state.residents if state else ())
    _draw_view(figure, (0.0, 0.49, 0.52, 0.45), shape, [*inside, *lying])
    draw_along(figure, (0.53, 0.51, 0.47, 0.47), shape)
    draw_across(figure, (0.0, 0.0, 0.49, 0.47), shape)
    says = {zone.name: worth(zone) for zone in ship.board.zones}
    draw_plan(figure, (0.49, 0.0, 0.51, 0.49), shape, says, lying)
    size = min(10.0, 10.0 * 0.5 * 720 / width_on_paper(ship.name, 10.0, True))
    figure.text(0.02, 0.99, ship.name, fontsize=size, color=INK, va="top", weight="bold")
    said = [said_of_cubes(state, far)] if state else []
    said.append("hull cut open on the board's side")
    figure.text(0.02, 0.965, "\n".join(said), fontsize=FONT, color=GREY, va="top", linespacing=1.4)
    return figure


def _draw_view(figure: Figure, where: Where, shape: ShipShape, cubes: list[Face]) -> None:
    """Draw ship, board and cubes in perspective from the board's side, the ship's side cut open forward."""
    cut = _cut(shape)
    is_open = {
        id(box) for box in shape.ship.boxes if box.part in ("hull", "bulwark") and mm(box.centre[0]) > shape.beam
    }
    faces = shape.faces(lambda box: cut if id(box) in is_open else -math.inf)
    faces += shape.zone_faces()
    points = np.concatenate([face.corners for face in [*faces, *cubes]])
    low, high = points.min(axis=0), points.max(axis=0)
    x, y, z = (low + high) / 2
    view = View((0.8, -0.42, 0.62), target=(x, y, z), distance=5 * float(np.linalg.norm(high - low)))
    seen = view.project(points)
    (x0, y0), (x1, y1) = seen.min(axis=0), seen.max(axis=0)
    left, right = _labels(shape, cut)
    room = [10 + max(map(width_of, names)) + 8 for names in (left, right)]
    sheet = Sheet(figure, where, [(x0, room[0])], [(x1, room[1])], [(y0, 4)], [(y1, 4)])
    painted = from_back_to_front([*faces, *cubes], view)
    sheet.paint(painted, view, shades(painted, _GREYS), 0.5)
    for labels, edge, side in ((left, x0 - 10 * sheet.pt, "right"), (right, x1 + 10 * sheet.pt, "left")):
        tips = view.project(list(labels.values()))
        for name, (u, v), place in zip(labels, tips, spread([*tips[:, 1]], _ROW * sheet.pt), strict=True):
            sheet.leader((u, v), name, edge, place, side)


def _cut(shape: ShipShape) -> float:
    """Return the y (mm) aft of which the ship's side stands: amidships, or aft of the foremost deck."""
    ends = [mm(deck.along + deck.span) for deck in shape.given.decks]
    return min(max(0.0, min(ends, default=0.0)), 0.8 * shape.length)


def _labels(shape: ShipShape, cut: float) -> tuple[dict[str, Point], dict[str, Point]]:
    """Return where (mm) the labels on the left and on the right of the view point to."""
    given = shape.given
    rim = (shape.rim, 0.5 * (shape.top + shape.rim_top))
    left: dict[str, Point] = {}
    right: dict[str, Point] = {}
    if shape.masts:
        top = mm(given.masts.top) - 0.7 * mm(given.masts.thickness)
        left["masts" if len(shape.masts) > 1 else "mast"] = (0.0, shape.masts[0], top)
    left["bulwarks"] = (0.0, -shape.length - 0.5 * rim[0], rim[1])
    if given.decks:
        deck = min(given.decks, key=lambda deck: deck.along)
        left["decks" if len(given.decks) > 1 else "deck"] = (0.8 * shape.beam, mm(deck.along), mm(deck.ridge))
    low, high = shape.ports[0]
    left["gun deck"] = (0.8 * shape.beam, (low + high) / 2, shape.deck_height(0.8 * shape.beam))
    right["hull"] = (shape.side, 0.5 * (cut + shape.length), shape.top - 6)
    low, high = shape.ports[-1]
    middle = 0.5 * (shape.deck_height(shape.side) + shape.deck_height(shape.beam) + mm(given.gun_deck.port_height))
    right["gun ports" if len(shape.ports) > 1 else "gun port"] = (shape.side, (max(low, cut) + high) / 2, middle)
    x0, x1, _, y1 = shape.board
    if given.board.border_height > 0:
        zone = max(shape.ship.board.zones, key=lambda zone: max(y + x for x, y in zone.corners))
        corners = np.array(zone.corners) * 1e3
        i = int(np.argmin(polygon.inward(corners) @ (-1, -0.1)))
        x, y = (corners[i] + corners[(i + 1) % len(corners)] - polygon.inward(corners)[i] * shape.frame) / 2
        right["borders"] = (float(x), float(y), mm(shape.ship.board.border_top))
    right["board"] = (0.3 * x0 + 0.7 * x1, y1 - 6, shape.floor)
    if given.board.frame_height > 0:
        right["frame"] = (x1, y1 + shape.frame / 2, shape.floor + mm(given.board.frame_height))
    return left, right
