"""The picture of an apparatus: a view cut open, plans and a cube below it, sections, and the board's plan."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from tower_sim.apparatus.dimensions import Dimensions, Section, Width
from tower_sim.apparatus.parts import Apparatus
from tower_sim.drawing.files import FONT, GREY, INK, check_path, save
from tower_sim.drawing.plan import describe_cubes, draw_plan, find_near_cubes
from tower_sim.drawing.section import Drawing
from tower_sim.drawing.sheet import Sheet, Where, measure_width
from tower_sim.drawing.sight import Sight, View, look_at
from tower_sim.drawing.solids import Array, Faces, join, make_boxes, make_faces
from tower_sim.drawing.surfaces import cube_faces, cut_section, find_part, find_shades, find_surface, mm, zone_faces
from tower_sim.state import TowerState

_WIDE, _TALL, _TALLER = 10.0, 5.8, 4.3  # inches: the figure's width, a single row, one of several rows
_STRIP = 0.27  # of a panel's height, for the plans below the view
_LARGE = 0.6  # of a part's largest visible face: a label may point at faces at least so large
_ROW = 13.0  # pt between labels
_COARSE = 400  # samples across the view, to find where labels point


def draw_apparatus(apparatus: Apparatus, path: str | Path, state: TowerState | None = None) -> None:
    """Draw an apparatus, with the cubes of a state where they lie, into a file; lengths are in mm.

    Args:
        apparatus: A tower or a ship.
        path: The picture; its ending says the format.
        state: Its cubes need poses, as physics has them.
    """
    check_path(path)
    save(apparatus_figure(apparatus, state), path)


def apparatus_figure(apparatus: Apparatus, state: TowerState | None = None) -> Figure:
    """Return the matplotlib figure that `draw_apparatus` writes; the arguments are the same.

    >>> from tower_sim import load
    >>> len(apparatus_figure(load("amerigo")).axes)
    5
    """
    dimensions = apparatus.dimensions()
    lying, far = find_near_cubes(apparatus, state.board.lying if state else ())
    cubes = join([cube_faces(state.residents if state else ()), lying])
    panels = 1 + len(dimensions.sections) + (apparatus.board is not None)
    rows = (panels + 1) // 2
    height = _TALL if rows == 1 else rows * _TALLER
    figure: Any = Figure(figsize=(_WIDE, height))
    half = 0.46 if rows == 1 else 0.5
    cells = [((0.0, half)[i % 2], 1 - (i // 2 + 1) / rows, (half, 1 - half)[i % 2], 1 / rows) for i in range(panels)]
    left, bottom, width, tall = cells[0]
    notes = [note for note in (describe_cubes(apparatus, state, far) if state else "", dimensions.note) if note]
    head = (0.3 + 0.17 * len(notes)) / height
    strip = _STRIP * tall if dimensions.plans else 0.0
    zones = [zone_faces(apparatus.board)] if apparatus.board else []
    solids = make_faces(apparatus.solids)
    shown = join([find_surface(solids, dimensions, dimensions.cuts), cubes, *zones])
    _draw_view(figure, (left, bottom + strip, width, tall - strip - head), shown, dimensions)
    if strip:
        _draw_plans(figure, (left, bottom, width, strip), solids, dimensions, apparatus.cube_edge)
    for section, where in zip(dimensions.sections, cells[1:], strict=False):
        Drawing(section, *cut_section(solids, dimensions, section), dimensions).draw(figure, where)
    if apparatus.board:
        says = {name: printed.words for name, printed in dimensions.board.printed.items()} if dimensions.board else {}
        draw_plan(figure, cells[-1], apparatus, says, lying)
    size = min(10.0, 10.0 * 0.44 * 72 * _WIDE / measure_width(apparatus.name, 10.0, True))
    figure.text(0.02, 1 - 0.09 / height, apparatus.name, fontsize=size, color=INK, va="top", weight="bold")
    figure.text(0.02, 1 - 0.32 / height, "\n".join(notes), fontsize=FONT, color=GREY, va="top", linespacing=1.4)
    return figure


def _draw_view(figure: Figure, where: Where, faces: Faces, dimensions: Dimensions) -> None:
    view = look_at(faces, dimensions.eye)
    seen = view.project(faces.corners)
    low, high = seen.min(axis=0), seen.max(axis=0)
    middle = float(view.project([(0.0, 0.0, view.target[2])])[0][0])  # where the apparatus's axis is seen
    tips = find_tips(faces, view, {name: find_part(dimensions, name).words for name in faces.part.tolist()}, middle)
    tips |= {label.words: view.project([mm(label.tip)])[0] for label in dimensions.labels}
    labels = [(words, tip, bool(tip[0] < middle)) for words, tip in tips.items()]
    left, right = (
        18 + max((measure_width(w) for w, _, s in labels if s == side), default=0.0) for side in (True, False)
    )
    sheet = Sheet(figure, where, ([(low[0], left)], [(high[0], right)], [(low[1], 4)], [(high[1], 4)]))
    sheet.paint(faces, view, find_shades(faces, dimensions), 0.5)
    sheet.draw_leaders(labels, (low[0], high[0]), 10.0, _ROW)


def find_tips(faces: Faces, view: View, names: Mapping[str, str], middle: float) -> dict[str, Array]:
    """Return for each text in `names`, by part, the point (mm on the sheet) at which its label points.

    It lies on a large visible surface, far from `middle` (mm across).
    """
    seen = view.project(faces.corners)
    low, high = seen.min(axis=0), seen.max(axis=0)
    pitch = float((high - low).max()) / _COARSE
    columns, rows = (int(size) + 1 for size in (high - low) / pitch)
    face = Sight(faces, view, (float(low[0]), float(high[1])), pitch, (rows, columns)).face
    row, column = np.nonzero(face >= 0)
    of = face[row, column]
    points = np.column_stack([low[0] + pitch * column, high[1] - pitch * row])
    words = np.array([names[name] for name in faces.part[of].tolist()], dtype=str)
    tips: dict[str, Array] = {}
    for word in np.unique(words[words != ""]).tolist():
        is_word = words == word
        numbers, area = np.unique(of[is_word], return_counts=True)
        for number in numbers[area > _LARGE * area.max()]:
            some = points[of == number]
            away = some[:, 0] - middle
            goal = (some.mean(axis=0) + some[int(np.argmax(away if away.mean() > 0 else -away))]) / 2
            tip = some[int(((some - goal) ** 2).sum(axis=1).argmin())]
            if word not in tips or abs(tip[0] - middle) > abs(tips[word][0] - middle):
                tips[word] = tip
    return tips


def _draw_plans(figure: Figure, where: Where, solids: Faces, dimensions: Dimensions, edge: float) -> None:
    cube = Section("cube", "z", 0.0, (Width(f"{1e3 * edge:g}", -edge / 2, edge / 2),))
    drawings = [Drawing(plan, *cut_section(solids, dimensions, plan), dimensions) for plan in dimensions.plans]
    faces = make_boxes(["cube"], (0.0, 0.0, 0.0), mm([edge / 2] * 3), (0.0, 0.0, 0.0, 1.0))
    drawings.append(Drawing(cube, faces, drawings[0].view, dimensions))
    left, bottom, width, tall = where
    share = width / (len(drawings) - 0.5)  # the cube takes half as much as a plan
    cells = [(left + i * share, bottom, share / (1 + (d is drawings[-1])), tall) for i, d in enumerate(drawings)]
    pt = max(drawing.scale(figure, cell) for drawing, cell in zip(drawings, cells, strict=True))
    for drawing, cell in zip(drawings, cells, strict=True):
        drawing.draw(figure, cell, pt)
