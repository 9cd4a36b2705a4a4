r"""The upright sections of a combat ship, with dimensions in mm: across it with the board, and along its keel.

            |flare|                                   |<--spacing-->|
mast top   \   |   /  bulwarks                   \____|_____________|____/
hull top    |  |  |                     ridge    |    |     /\      |    |
mast foot   |  |  |                     ridge    |  /\            /\     |
            |`-.  |                              |                       |
            |   `-. gun ports            frame   |      |      |         | bulkheads
table       |_____`-.__|__|____|__|_____|        |______|______|_________|
            |beam |<-----board----->|            |<-port->|<--length---->|
"""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Arc

from tower_sim.apparatus.combat_ship import profile as combat_ship
from tower_sim.drawing.files import INK
from tower_sim.drawing.shape import mm, number
from tower_sim.drawing.sheet import Sheet, spread, width_of
from tower_sim.drawing.ship_shape import ShipShape
from tower_sim.drawing.solids import Face, View, from_back_to_front

Where = tuple[float, float, float, float]
Upright = tuple[str, float, float, float, float]  # words, low, high, the part's x, the line's x

_VIEW = View((0.0, -1.0, 0.0))
_ROW = 11.0  # pt from text to text
_GAP = 9.0  # pt from a part to its dimension line
_GREYS = {"mast": "0.88", "bulkhead": "0.9"}
_BEYOND = "0.965"


def draw_across(figure: Figure, where: Where, shape: ShipShape) -> None:
    """Draw the section across ship and board at `where` (left, bottom, width, height), through a gun port."""
    given, at = shape.given, _place(shape)
    levels = [("hull top", mm(given.hull.top)), ("table", 0.0)]
    if given.masts.masts:
        levels += [("mast top", mm(given.masts.top)), ("mast foot", mm(given.masts.foot))]
    levels = [(f"{name} {z:g}", z) for name, z in levels]
    far, edge = shape.board[1] + shape.frame, shape.beam + shape.rim + 5
    frame, angle = f"frame {number(given.board.frame_height)}", f"{math.degrees(given.gun_deck.slope):g}°"
    bulwarks = f"bulwarks {number(given.bulwarks.height)}"
    sheet = Sheet(
        figure,
        where,
        left=[(-edge, 20 + max(width_of(words) for words, _ in levels)), (-shape.side, 0)],
        right=[(far, width_of(frame) + 20), (edge, width_of(bulwarks) + 20)],
        bottom=[(0, 44)],
        top=[(shape.highest, 28), (shape.rim_top, 48)],
    )
    pt = sheet.pt
    _paint(sheet, shape.faces(lambda box: at), at)
    sheet.line((-shape.side - 8 * pt, 0), (far + 8 * pt, 0), width=1.0, colour=INK, zorder=4)
    angle_fits = _draw_angle(sheet, shape, angle)
    marks = [(words, z, -shape.side - 1.5 * pt) for words, z in levels]
    if not angle_fits:
        marks.append((f"gun deck {angle}", shape.deck_height(-shape.beam), -shape.beam))
    _levels(sheet, marks, -edge - 8 * pt)
    # widths
    rim = shape.beam + shape.rim
    if shape.rim > 0:
        words = f"flare {number(given.bulwarks.flare)}"
        sheet.across(shape.beam, rim, shape.rim_top + 11 * pt, words, shape.rim_top + 1.5 * pt)
    beam, length = f"beam {number(given.hull.beam)}", f"board {number(given.board.length)}"
    middles = (sum(shape.board[:2]) / 2) / pt
    lower = 0 if middles > (width_of(beam) + width_of(length)) / 2 + 4 else _ROW
    sheet.across(-shape.beam, shape.beam, -12 * pt, beam, -1.5 * pt, drop=2.5)
    sheet.across(shape.board[0], shape.board[1], -12 * pt, length, -1.5 * pt, drop=2.5 + lower)
    # heights
    low, inner = mm(shape.ship.deck_low), shape.deck_height(shape.beam)
    port = f"gun ports {number(given.gun_deck.port_height)}"
    lip = f"lip {number(given.gun_deck.lip)}"
    line = shape.side + _GAP * pt
    near = [
        (lip, 0.0, low, shape.side, line),
        (port, inner, inner + mm(given.gun_deck.port_height), shape.beam, line),
        (bulwarks, shape.top, shape.rim_top, shape.side, edge + _GAP * pt),
    ]
    free = shape.floor + max(mm(given.board.frame_height), mm(given.board.border_height)) + 8 * pt
    wanted = [max(free, (a + b) / 2) for _, a, b, _, _ in near]
    *places, place = spread([*wanted, wanted[1] + 0.1], _ROW * pt)
    for (words, z0, z1, start, x), y in zip(near, places, strict=True):
        sheet.upright(x, z0, z1, words, start + 1.5 * pt, y)
    if borders := _borders(shape, at):
        words = f"borders {number(given.board.border_height)} high, {number(given.board.border_width)} wide"
        x = min(borders, key=lambda x: abs(x - 0.5 * shape.side - 0.5 * far))
        start = min(x + 8 * pt, far + (width_of(frame) + 16 - width_of(words)) * pt)
        sheet.leader((x, mm(shape.ship.board.border_top)), words, start, place, "left")
    ends: list[Upright] = [(f"floor {number(given.board.floor)}", 0.0, shape.floor, far, far + _GAP * pt)]
    if given.board.frame_height > 0:
        high = shape.floor + mm(given.board.frame_height)
        ends.append((frame, shape.floor, high, far, far + _GAP * pt))
    places = spread([(a + b) / 2 for _, a, b, _, _ in ends], _ROW * pt)
    for (words, z0, z1, start, x), y in zip(ends, places, strict=True):
        sheet.upright(x, z0, z1, words, start + 1.5 * pt, y)
    across = "amidships" if abs(at) < 1e-6 else f"{abs(at):.4g} mm {'fore' if at < 0 else 'aft'} of amidships"
    middle = sum(sheet.axes.get_xlim()) / 2
    top = max(shape.highest + 20 * pt, shape.rim_top + 40 * pt)
    sheet.text(middle, top, f"section across, {across}, lengths in mm")


def draw_along(figure: Figure, where: Where, shape: ShipShape) -> None:
    """Draw the section along the ship's keel at `where` (left, bottom, width, height), as seen from the board."""
    given = shape.given
    of_deck: dict[tuple[float, ...], list[float]] = {}
    for deck in given.decks:
        of_deck.setdefault((deck.ridge, deck.span, deck.slope), []).append(mm(deck.along))
    levels = {
        f"ridge{'s' * (len(places) > 1)} {number(ridge)},\nspan {number(span)}, {math.degrees(slope):.4g}°": (
            mm(ridge),
            min(places),
        )
        for (ridge, span, slope), places in of_deck.items()
    }
    edge = shape.length + shape.rim + 5
    bulkheads = f"bulkheads {number(given.gun_deck.bulkhead_height)}"
    room = max((width_of(line) for words in levels for line in words.split("\n")), default=0.0)
    sheet = Sheet(
        figure,
        where,
        left=[(-edge, room + 20)],
        right=[(edge, 12), (shape.end, width_of(bulkheads) + 20)],
        bottom=[(0, 86)],
        top=[(shape.highest, 68 if shape.masts else 28)],
    )
    pt = sheet.pt
    _paint(sheet, shape.faces(lambda box: 0.0 if box.part not in ("board", "frame") else math.inf, True), 0.0)
    sheet.line((-edge, 0), (edge, 0), width=1.0, colour=INK, zorder=4)
    column = -edge - 8 * pt
    places = spread([z for z, _ in levels.values()], 2 * _ROW * pt)
    for (words, (z, along)), y in zip(levels.items(), places, strict=True):
        sheet.line((along, z), (column, z), (column - 6 * pt, y))
        sheet.text(column - 8 * pt, y, words, "right", linespacing=1.1)
    _draw_masts(sheet, shape)
    # widths
    row = -12 * pt
    if alongs := sorted({mm(deck.along) for deck in given.decks} | {0.0} if given.decks else ()):
        sheet.line((alongs[0], row), (alongs[-1], row), colour=INK)
        wide = max(width_of(f"{x:g}") for x in alongs) + 4
        places = spread(alongs, wide * pt)
        for x, place in zip(alongs, places, strict=True):
            sheet.axes.plot(x, row, "o", ms=2, color=INK, zorder=7)
            sheet.line((x, -1.5 * pt), (x, row), (place, row - 3 * pt))
            sheet.text(place, row - 3.5 * pt, f"{x:g}", up="top")
        sheet.text(min(places[0] - wide * pt, -shape.end), row - 3.5 * pt, "decks at", "right", "top")
        row -= 22 * pt
    start = -1.5 * pt
    low, high = shape.ports[-1]
    port = f"port {high - low:.3g}"
    sheet.across(low, high, row, port, start, drop=2.5)
    if len(shape.ports) > 1:
        bulkhead = f"bulkhead {number(given.gun_deck.bulkhead)}"
        free = (low + high - shape.ports[0][1] - shape.ports[1][0]) / 2 / pt
        lower = 0 if free > (width_of(bulkhead) + width_of(port)) / 2 + 4 else _ROW
        sheet.across(shape.ports[0][1], shape.ports[1][0], row, bulkhead, start, drop=2.5 + lower)
        row -= lower * pt
    sheet.across(-shape.length, shape.length, row - 20 * pt, f"length {number(given.hull.length)}", start, drop=2.5)
    # heights
    if given.gun_deck.bulkhead_height > 0 and len(shape.ports) > 1:
        z = shape.deck_height(0.0)
        rise = mm(given.gun_deck.bulkhead_height) / math.cos(given.gun_deck.slope)
        sheet.upright(shape.end + _GAP * pt, z, z + rise, bulkheads, shape.ports[-1][0], z + rise / 2)
    words = "section along the keel, from the board's side, lengths in mm"
    sheet.text(0, shape.highest + (60 if shape.masts else 20) * pt, words)


def _draw_masts(sheet: Sheet, shape: ShipShape) -> None:
    """Dimension the masts' distance and thickness, in one row where both texts fit."""
    masts, pt = shape.given.masts, sheet.pt
    if not masts.masts:
        return
    start, row = mm(masts.top) + 1.5 * pt, mm(masts.top) + 11 * pt
    thick, apart = f"mast {number(masts.thickness)}", f"{number(masts.spacing)} apart"
    half = mm(masts.thickness) / 2
    last = shape.masts[-1]
    if masts.masts > 1:
        sheet.across(shape.masts[0], shape.masts[1], row, apart, start)
        free = (last - sum(shape.masts[:2]) / 2) / pt
        row += 0 if free > (width_of(thick) + width_of(apart)) / 2 + 4 else 20 * pt
    sheet.across(last - half, last + half, row, thick, start)


def _place(shape: ShipShape) -> float:
    """Return the y (mm) of the section: through the middle of a port, best where it cuts no mast, near amidships."""
    half = mm(shape.given.masts.thickness) / 2
    middles = [(a + b) / 2 for a, b in shape.ports]
    return min(middles, key=lambda y: (any(abs(y - mast) <= half for mast in shape.masts), round(abs(y), 6), y))


def _paint(sheet: Sheet, faces: list[Face], at: float) -> None:
    """Paint what is cut white and hatched, what lies beyond grey."""
    painted = from_back_to_front(faces, _VIEW)
    is_cut = [face.is_cut and bool(np.all(np.abs(face.corners[:, 1] - at) < 1e-3)) for face in painted]
    beyond = [face for face, cut in zip(painted, is_cut, strict=True) if not cut]
    cut = _merged([face for face, cut in zip(painted, is_cut, strict=True) if cut])
    sheet.paint(beyond, _VIEW, [_GREYS.get(face.part, _BEYOND) for face in beyond], 0.35)
    sheet.paint(cut, _VIEW, ["white"] * len(cut), 0.8)
    slopes = {"bulwark": -1, "frame": -1, "bulkhead": -1}
    for slope in (1, -1):
        of_slope = [face for face in cut if face.part != "mast" and slopes.get(face.part, 1) == slope]
        sheet.hatch(of_slope, _VIEW, slope)


def _merged(cut: list[Face]) -> list[Face]:
    """Return the faces with those of borders that touch, halves of one border, made one."""
    borders = sorted((f for f in cut if f.part == "border"), key=lambda face: float(face.corners[:, 0].min()))
    merged: list[Face] = []
    for face in borders:
        if merged and face.corners[:, 0].min() < merged[-1].corners[:, 0].max() + 1e-3:
            both = np.concatenate([merged.pop().corners, face.corners])
            (x0, y, z0), (x1, _, z1) = both.min(axis=0), both.max(axis=0)
            ring = np.array([(x0, y, z0), (x1, y, z0), (x1, y, z1), (x0, y, z1)])
            face = Face("border", ring, face.normal, (True,) * 4, is_cut=True)
        merged.append(face)
    return [*(face for face in cut if face.part != "border"), *merged]


def _borders(shape: ShipShape, at: float) -> list[float]:
    """Return the middles (x) of the borders that the section at y = `at` cuts."""
    if shape.given.board.border_height == 0:
        return []
    faces = shape.faces(lambda box: at if box.part == "border" else math.inf)
    cut = _merged([face for face in faces if face.part == "border" and face.is_cut])
    return [float(face.corners[:, 0].min() + face.corners[:, 0].max()) / 2 for face in cut]


def _levels(sheet: Sheet, marks: list[tuple[str, float, float]], column: float) -> None:
    """Write heights over the table on one running line at x = `column`: words, height, where the part is."""
    pt = sheet.pt
    sheet.line((column, min(z for _, z, _ in marks)), (column, max(z for _, z, _ in marks)), colour=INK)
    for (words, z, end), y in zip(marks, spread([z for _, z, _ in marks], _ROW * pt), strict=True):
        sheet.axes.plot(column, z, "o", ms=2, color=INK, zorder=7)
        sheet.line((end, z), (column - 2 * pt, z), (column - 6 * pt, y))
        sheet.text(column - 8 * pt, y, words, "right")


def _draw_angle(sheet: Sheet, shape: ShipShape, words: str) -> bool:
    """Draw the gun deck's angle, with `words` in the wedge under it if there is room; returns whether there was."""
    slope, pt = shape.given.gun_deck.slope, sheet.pt
    foot = mm(shape.ship.deck_low - combat_ship.SHEET / math.cos(slope))
    run = shape.beam + shape.side
    free = run - (width_of(words) + 5) * pt  # between the words and the deck's lower edge
    if free < 0.4 * run or free * math.tan(slope) < 13 * pt:
        return False
    sheet.line((shape.side, foot), (-shape.beam, foot))
    radius = 2 * 0.85 * free
    arc = Arc(
        (shape.side, foot), radius, radius, theta1=180 - math.degrees(slope), theta2=180, color=INK, lw=0.5, zorder=6
    )
    sheet.axes.add_patch(arc)
    sheet.text(-shape.beam + 3 * pt, foot + 7 * pt, words, "left", bbox=None)
    return True
