r"""The upright section of an Amerigo tower along its tray, with dimensions in mm.

            |<---rim--->|
             \    |    /  |  ribs, funnel
tube top      |   |   |   |
upper floor   |--- ---|   |  thickness
lower floor   |-- - --|   |
              | \     |
table         |___\______|  exit, wall
              |<tube->|<--tray-->|
"""

from __future__ import annotations

import math

from matplotlib.figure import Figure
from matplotlib.patches import Arc

from tower_sim.drawing.files import INK
from tower_sim.drawing.shape import Shape, mm, number
from tower_sim.drawing.sheet import Sheet, spread, width_of
from tower_sim.drawing.solids import View, from_back_to_front

_VIEW = View((0.0, -1.0, 0.0))
_ROW = 11.0  # pt from text to text
_GAP = 9.0  # pt from the apparatus to the first dimension line


def draw_section(figure: Figure, where: tuple[float, float, float, float], shape: Shape) -> None:
    """Draw the section of `shape` with its dimensions at `where` (left, bottom, width, height) in the figure."""
    at, outer = _place(shape), shape.rim + shape.wall
    room = max(width_of(words) for words, _ in _levels(shape))
    sheet = Sheet(
        figure,
        where,
        left=[(-outer, room + 20)],
        right=[
            (shape.tray + shape.wall, width_of(_wall_words(shape)) + 18),
            (outer, _rib_room(shape) + width_of(_funnel_words(shape)) + 18),
        ],
        bottom=[(0, 42)],
        top=[(shape.rim_top, 42)],
    )
    _paint(sheet, shape, at)
    _dimension_left(sheet, shape)
    _dimension_across(sheet, shape)
    _dimension_right(sheet, shape)
    place = "through the middle" if at == 0 else f"{-at:.4g} mm in front of the middle"
    sheet.text(sum(sheet.axes.get_xlim()) / 2, shape.rim_top + 36 * sheet.pt, f"section {place}, lengths in mm")


def _place(shape: Shape) -> float:
    """Return the y (mm) of the section that cuts most edges of openings; among equals the one nearest the middle."""
    holes = [hole for floor in (shape.tower.upper_floor, shape.tower.lower_floor) for hole in shape.holes(floor)]

    def edges(y: float) -> int:
        return sum(abs(x) < shape.half - 1e-6 for x0, x1, low, high in holes if low < y < high for x in (x0, x1))

    middles = {round((low + high) / 2, 6) for *_, low, high in holes} | {0.0}
    return max(middles, key=lambda y: (edges(y), -abs(y), -y))


def _paint(sheet: Sheet, shape: Shape, at: float) -> None:
    """Paint what is cut white and hatched, what lies beyond grey; ribs are not hatched, by custom of draughtsmen."""
    faces = from_back_to_front(shape.faces(lambda box: at), _VIEW)
    beyond = [face for face in faces if not face.is_cut]
    cut = sorted((face for face in faces if face.is_cut), key=lambda face: face.part != "rib")
    sheet.paint(beyond, _VIEW, ["0.9" if face.part == "rib" else "0.965" for face in beyond], 0.35)
    sheet.paint(cut, _VIEW, ["0.9" if face.part == "rib" else "white" for face in cut], 0.8)
    sheet.hatch([face for face in cut if face.part == "funnel"], _VIEW, -1)
    sheet.hatch([face for face in cut if face.part not in ("rib", "funnel")], _VIEW, 1)
    ends = (-shape.half - shape.wall - 8 * sheet.pt, shape.tray + shape.wall + 8 * sheet.pt)
    sheet.line((ends[0], 0), (ends[1], 0), width=1.0, colour=INK, zorder=4)


def _dimension_left(sheet: Sheet, shape: Shape) -> None:
    """Write the heights over the table on one running line, and the ramp's angle where there is no room inside."""
    tower, pt = shape.tower, sheet.pt
    column, outside = -shape.rim - shape.wall - 8 * pt, -shape.half - shape.wall - 1.5 * pt
    marks = [(words, z, outside) for words, z in _levels(shape)]
    sheet.line((column, 0), (column, shape.top), colour=INK)
    for _, z, _ in marks:
        sheet.axes.plot(column, z, "o", ms=2, color=INK, zorder=7)
    angle = f"ramp {math.degrees(tower.ramp.angle):g}°"
    if not _draw_angle(sheet, shape, angle):
        marks.append((angle, shape.ramp_height(-shape.half), -shape.half))
    for (words, z, end), y in zip(marks, spread([z for _, z, _ in marks], _ROW * pt), strict=True):
        sheet.line((end, z), (column - 2 * pt, z), (column - 6 * pt, y))
        sheet.text(column - 8 * pt, y, words, "right")


def _levels(shape: Shape) -> list[tuple[str, float]]:
    tower = shape.tower
    tops = {"tube top": tower.tube.top, "upper floor": tower.upper_floor.top, "lower floor": tower.lower_floor.top}
    return [*((f"{name} {number(top)}", mm(top)) for name, top in tops.items()), ("table 0", 0.0)]


def _draw_angle(sheet: Sheet, shape: Shape, words: str) -> bool:
    """Draw the ramp's angle, with `words` in the wedge under it if there is room; returns whether there was."""
    half, angle, pt = shape.half, shape.tower.ramp.angle, sheet.pt
    foot = shape.foot - shape.sheet / math.cos(angle)
    sheet.line((half, foot), (-half, foot))
    arc = Arc(
        (half, foot), 1.2 * half, 1.2 * half, theta1=180 - math.degrees(angle), theta2=180, color=INK, lw=0.5, zorder=6
    )
    sheet.axes.add_patch(arc)
    free = 2 * half - (width_of(words) + 4) * pt  # between the words and the ramp's lower end
    has_room = free > 0.7 * half and free * math.tan(angle) > 13 * pt
    if has_room:
        sheet.text(-half + 3 * pt, foot + 7 * pt, words, "left", bbox=None)
    return has_room


def _dimension_across(sheet: Sheet, shape: Shape) -> None:
    """Dimension the widths: the rim above; tube and tray below, in one row where both texts fit."""
    tower, pt = shape.tower, sheet.pt
    rim = f"funnel rim {number(tower.funnel.rim)}"
    sheet.across(-shape.rim, shape.rim, shape.rim_top + 11 * pt, rim, shape.rim_top + 1.5 * pt)
    tube = f"tube inside {number(tower.tube.inside)}"
    tray = f"tray {number(tower.tray.length)}, {number(tower.tray.width)} wide"
    apart = (shape.half + shape.tray) / 2 / pt  # between the middles of the texts
    lower = 0 if apart > (width_of(tube) + width_of(tray)) / 2 + 4 else _ROW
    sheet.across(-shape.half, shape.half, -12 * pt, tube, -1.5 * pt, drop=2.5)
    sheet.across(shape.half, shape.tray, -12 * pt, tray, -1.5 * pt, drop=2.5 + lower)


def _dimension_right(sheet: Sheet, shape: Shape) -> None:
    """Dimension the heights of single parts, their words kept apart whatever the proportions."""
    tower, pt = shape.tower, sheet.pt
    near, far, end = shape.half + shape.wall, shape.rim + shape.wall, shape.tray + shape.wall
    height = mm(tower.exit.height)
    uprights = [  # words, low, high, the part's x, the line's x
        (f"exit {number(tower.exit.height)}", shape.foot, shape.foot + height, near, near + _GAP * pt),
        (_funnel_words(shape), shape.top, shape.rim_top, shape.rim, far + (_GAP + _rib_room(shape)) * pt),
    ]
    for floor in (tower.upper_floor, tower.lower_floor):
        words, low = f"thickness {number(floor.thickness)}", mm(floor.top - floor.thickness)
        uprights.append((words, low, mm(floor.top), near, near + _GAP * pt))
    if tower.tray.wall > 0:
        uprights.append((_wall_words(shape), shape.sheet, shape.sheet + mm(tower.tray.wall), end, end + _GAP * pt))
    if tower.funnel.rib_height > 0:
        high = shape.top + mm(tower.funnel.rib_height)
        uprights.append((_rib_words(shape), shape.top, high, near, far + _GAP * pt))
    places = spread([(low + high) / 2 for _, low, high, _, _ in uprights], _ROW * pt)
    for (words, low, high, start, x), y in zip(uprights, places, strict=True):
        sheet.upright(x, low, high, words, start + 1.5 * pt, y)


def _funnel_words(shape: Shape) -> str:
    return f"funnel {number(shape.tower.funnel.height)}"


def _rib_words(shape: Shape) -> str:
    return f"ribs {number(shape.tower.funnel.rib_height)}"


def _wall_words(shape: Shape) -> str:
    return f"wall {number(shape.tower.tray.wall)}"


def _rib_room(shape: Shape) -> float:
    """Return the room (pt) that the ribs' dimension takes beside the funnel's."""
    return width_of(_rib_words(shape)) + 12 if shape.tower.funnel.rib_height > 0 else 0.0
