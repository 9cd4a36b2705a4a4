"""The picture of the Amerigo tower: a view cut open, a dimensioned section, plans of the floors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from tower_sim.apparatus.amerigo.tower import SquareTower
from tower_sim.apparatus.parts import Box
from tower_sim.drawing.cubes import cube_faces, shades
from tower_sim.drawing.files import FONT, GREY, INK
from tower_sim.drawing.section import draw_section
from tower_sim.drawing.shape import Point, Shape, mm, number
from tower_sim.drawing.sheet import Sheet, spread, width_of
from tower_sim.drawing.solids import Face, View, from_back_to_front
from tower_sim.state import TowerState

_GREYS = {"funnel": 0.97, "tray": 0.93, "upper_floor": 0.82, "lower_floor": 0.82, "ramp": 0.82}
_ROW = 13.0  # pt from label to label


def tower_figure(tower: SquareTower, state: TowerState | None = None) -> Figure:
    """Return the picture of `tower`, with the cubes of `state` where they lie; lengths in mm."""
    figure: Any = Figure(figsize=(10, 5.8))
    shape = Shape(tower)
    _draw_view(figure, (0.0, 0.27, 0.44, 0.67), shape, cube_faces(state.residents if state else ()))
    _draw_plans(figure, (0.0, 0.0, 0.44, 0.27), shape)
    draw_section(figure, (0.44, 0.0, 0.56, 0.97), shape)
    inside = f", {len(state.residents)} cubes inside" if state else ""
    figure.text(0.02, 0.985, f"{tower.name}{inside}", fontsize=10, color=INK, va="top", weight="bold")
    figure.text(0.02, 0.945, "near walls cut away", fontsize=FONT, color=GREY, va="top")
    return figure


def _draw_view(figure: Figure, where: tuple[float, float, float, float], shape: Shape, cubes: list[Face]) -> None:
    """Draw tower and cubes in perspective, cut open, with labels."""
    faces = shape.faces(lambda box: _cut(shape, box))
    points = np.concatenate([face.corners for face in faces])
    low, high = points.min(axis=0), points.max(axis=0)
    x, y, z = (low + high) / 2
    view = View((0.36, -0.93, 0.45), target=(x, y, z), distance=5 * float(np.linalg.norm(high - low)))
    seen = view.project(points)
    (x0, y0), (x1, y1) = seen.min(axis=0), seen.max(axis=0)
    sheet = Sheet(figure, where, [(x0, width_of("upper floor") + 18)], [(x1, 6)], [(y0, 4)], [(y1, 4)])
    painted = from_back_to_front([*faces, *cubes], view)
    sheet.paint(painted, view, shades(painted, _GREYS), 0.6)
    left, right = _labels(shape)
    tips = view.project(list(left.values()))
    for name, (u, v), place in zip(left, tips, spread([*tips[:, 1]], _ROW * sheet.pt), strict=True):
        sheet.leader((u, v), name, x0 - 10 * sheet.pt, place, "right")
    tips = view.project(list(right.values()))
    for name, (u, v), place in zip(right, tips, spread([*(tips[:, 1] + 70 * sheet.pt)], _ROW * sheet.pt), strict=True):
        sheet.leader((u, v), name, u + 26 * sheet.pt, place, "left")


def _cut(shape: Shape, box: Box) -> float:
    """Return up to which y the view is open: before the tube's inside, and to the middle of the walls on the right."""
    is_on_the_right = box.part in ("tube", "funnel") and mm(box.centre[0]) > shape.half
    return -math.inf if box.part == "tray" else 0.0 if is_on_the_right else -shape.half


def _labels(shape: Shape) -> tuple[dict[str, Point], dict[str, Point]]:
    """Return where (mm) the labels on the left and on the right of the view point to."""
    half, rib_height = shape.half, mm(shape.tower.funnel.rib_height)
    out = half + 0.6 * (shape.rim - half) + shape.wall / 2
    left = {"funnel": (-out, -half, shape.top + 0.6 * (shape.rim_top - shape.top))}
    if rib_height > 0:
        left["ribs"] = (-0.75 * half, 0.0, shape.top + 0.8 * rib_height)
    left["upper floor"] = shape.front_left("upper_floor")
    left["lower floor"] = shape.front_left("lower_floor")
    left["ramp"] = (-0.6 * half, -0.9 * half, shape.ramp_height(-0.6 * half))
    exit_x, half_y = half + shape.wall, mm(shape.apparatus.tray_half_y)
    right = {
        "exit": (exit_x, 0.0, 0.6 * mm(shape.apparatus.exit_top)),
        "tray": (0.4 * exit_x + 0.6 * shape.tray, 0.5 * half_y, shape.sheet),
    }
    return left, right


def _draw_plans(figure: Figure, where: tuple[float, float, float, float], shape: Shape) -> None:
    """Draw both floors from above and a cube beside them, at one scale."""
    tower, inside, edge = shape.tower, 2 * shape.half, mm(shape.tower.cubes.edge)
    gap = 64.0  # pt between the pictures
    sheet = Sheet(figure, where, [(0, 52)], [(2 * inside + edge, 2 * gap + 20)], [(0, 18)], [(inside, 20)])
    pt = sheet.pt
    for i, (name, floor) in enumerate((("upper floor", tower.upper_floor), ("lower floor", tower.lower_floor))):
        x = i * (inside + gap * pt)
        sheet.rectangle(x, 0, inside, inside, "0.82", 1.2)
        middle, holes = x + shape.half, shape.holes(floor)
        for x0, x1, y0, y1 in holes:
            sheet.rectangle(middle + x0, shape.half + y0, x1 - x0, y1 - y0, "white", 0.7)
        x0, x1, y0, y1 = holes[0]
        sheet.upright(x - 9 * pt, shape.half + y0, shape.half + y1, f"{y1 - y0:g}", x, side=-1)
        sheet.across(middle + x0, middle + x1, -9 * pt, f"{x1 - x0:g}", 0, drop=2)
        sheet.text(middle, inside + 10 * pt, name)
        sheet.text(x + inside + 3 * pt, shape.half, "exit\n→", "left", fontsize=FONT - 1.5, color=GREY)
    x = 2 * (inside + gap * pt)
    sheet.rectangle(x, 0, edge, edge, "white", 0.9)
    sheet.across(x, x + edge, -9 * pt, number(tower.cubes.edge), 0, drop=2)
    sheet.text(x + edge / 2, inside + 10 * pt, "cube")
