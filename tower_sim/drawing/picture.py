"""The picture of an apparatus of any kind: a view cut open, plans and a cube below it, sections, the board's plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from tower_sim.apparatus.dimensions import Dimensions, Section, Width
from tower_sim.apparatus.parts import Apparatus
from tower_sim.drawing.files import FONT, GREY, INK, check_path, save
from tower_sim.drawing.plan import draw_plan, lying_near, said_of_cubes
from tower_sim.drawing.section import Drawing
from tower_sim.drawing.sheet import Sheet, Where, spread, width_of
from tower_sim.drawing.solids import Array, Face, View, from_back_to_front, tilted_box
from tower_sim.drawing.surfaces import (
    cube_faces,
    cuts_of,
    mm,
    part_of,
    section_of,
    shades,
    surface,
    zone_faces,
)
from tower_sim.state import TowerState

_WIDE, _TALL, _TALLER = 10.0, 5.8, 4.3  # inches: the figure, its only row of panels, one of more rows
_STRIP = 0.27  # of a panel's height, for the plans below the view
_LARGE = 0.4  # of a part's largest piece in sight: pieces as large may be pointed at
_ROW = 13.0  # pt from label to label


def draw_apparatus(apparatus: Apparatus, path: str | Path, state: TowerState | None = None) -> None:
    """Draw an apparatus into the file `path`, with the cubes of `state` where they lie; lengths in mm.

    Raises UsageError for a path that cannot be written, or a cube in the state without a pose.
    """
    check_path(path)
    save(apparatus_figure(apparatus, state), path)


def apparatus_figure(apparatus: Apparatus, state: TowerState | None = None) -> Figure:
    """Return the figure that `draw_apparatus` writes."""
    dimensions = apparatus.dimensions()
    lying, far = lying_near(apparatus, state.board.lying if state else ())
    cubes = [*cube_faces(state.residents if state else ()), *lying]
    panels = 1 + len(dimensions.sections) + (apparatus.board is not None)
    rows = (panels + 1) // 2
    height = _TALL if rows == 1 else rows * _TALLER
    figure: Any = Figure(figsize=(_WIDE, height))
    half = 0.46 if rows == 1 else 0.5
    cells = [((0.0, half)[i % 2], 1 - (i // 2 + 1) / rows, (half, 1 - half)[i % 2], 1 / rows) for i in range(panels)]
    left, bottom, width, tall = cells[0]
    said = [said_of_cubes(apparatus, state, far)] if state else []
    said += [dimensions.said] if dimensions.said else []
    head = (0.3 + 0.17 * len(said)) / height
    strip = _STRIP * tall if dimensions.plans else 0.0
    _draw_view(figure, (left, bottom + strip, width, tall - strip - head), apparatus, dimensions, cubes)
    if strip:
        _draw_plans(figure, (left, bottom, width, strip), apparatus, dimensions)
    for section, where in zip(dimensions.sections, cells[1:], strict=False):
        Drawing(section, *section_of(apparatus, dimensions, section), dimensions).draw(figure, where)
    if apparatus.board:
        says = {name: printed.words for name, printed in dimensions.board.printed.items()} if dimensions.board else {}
        draw_plan(figure, cells[-1], apparatus, says, lying)
    size = min(10.0, 10.0 * 0.44 * 72 * _WIDE / width_of(apparatus.name, 10.0, True))
    figure.text(0.02, 1 - 0.09 / height, apparatus.name, fontsize=size, color=INK, va="top", weight="bold")
    figure.text(0.02, 1 - 0.32 / height, "\n".join(said), fontsize=FONT, color=GREY, va="top", linespacing=1.4)
    return figure


def _draw_view(
    figure: Figure, where: Where, apparatus: Apparatus, dimensions: Dimensions, cubes: Sequence[Face]
) -> None:
    """Draw apparatus and cubes in perspective, cut open, its parts named on both sides."""
    faces = [*surface(apparatus.solids, dimensions, cuts_of(dimensions.cuts)), *cubes]
    faces += zone_faces(apparatus.board) if apparatus.board else []
    points = np.concatenate([face.corners for face in faces])
    low, high = points.min(axis=0), points.max(axis=0)
    x, y, z = ((low + high) / 2).tolist()
    view = View(dimensions.eye, target=(x, y, z), distance=5 * float(np.linalg.norm(high - low)))
    painted = from_back_to_front(faces, view)
    seen = view.project(points)
    (x0, y0), (x1, y1) = seen.min(axis=0).tolist(), seen.max(axis=0).tolist()
    names = {name: part_of(dimensions, name).words for name in {face.part for face in painted}}
    middle = float(view.project([(0.0, 0.0, z)])[0][0])  # the hand is over it
    tips = _tips(painted, view, names, middle)
    tips |= {label.words: view.project([mm(label.tip)])[0] for label in dimensions.labels}
    is_left = {words: bool(tip[0] < middle) for words, tip in tips.items()}
    room = [18 + max((width_of(words) for words in tips if is_left[words] == side), default=0.0)
            for side in (True, False)]  # fmt: skip
    sheet = Sheet(figure, where, ([(x0, room[0])], [(x1, room[1])], [(y0, 4)], [(y1, 4)]))
    sheet.paint(painted, view, shades(painted, dimensions), 0.5)
    for side, edge, across in ((True, x0 - 10 * sheet.pt, "right"), (False, x1 + 10 * sheet.pt, "left")):
        there = [words for words in tips if is_left[words] == side]
        for words, place in zip(there, spread([tips[words][1] for words in there], _ROW * sheet.pt), strict=True):
            sheet.leader((tips[words][0], tips[words][1]), words, edge, place, across)


def _tips(painted: Sequence[Face], view: View, names: Mapping[str, str], middle: float) -> dict[str, Array]:
    """Return for each name in words a place, as seen, on what is so named and hidden by nothing.

    Of its pieces it is a large one, that which is farthest from the `middle`.
    """
    rings = [view.project(face.corners) for face in painted]
    low, high = np.array([r.min(axis=0) for r in rings]), np.array([r.max(axis=0) for r in rings])

    def is_seen(i: int, tip: Array) -> bool:
        over = i + 1 + np.flatnonzero(((low[i + 1 :] < tip) & (high[i + 1 :] > tip)).all(axis=1))
        return not any(_is_in(tip, rings[j]) for j in map(int, over))

    seen: dict[str, list[tuple[float, Array]]] = {}
    for i in sorted(range(len(rings)), key=lambda i: -_area(rings[i])):
        words, area = names[painted[i].part], _area(rings[i])
        if words and (words not in seen or area > _LARGE * seen[words][0][0]):
            away = rings[i][:, 0] - middle
            tip = (rings[i].mean(axis=0) + rings[i][int(np.argmax(away if away.mean() > 0 else -away))]) / 2
            if is_seen(i, tip):
                seen.setdefault(words, []).append((area, tip))
    return {words: max(tips, key=lambda tip: abs(tip[1][0] - middle))[1] for words, tips in seen.items()}


def _area(ring: Array) -> float:
    x, y = ring.T
    return abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2


def _is_in(point: Array, ring: Array) -> bool:
    side, away = np.roll(ring, -1, axis=0) - ring, point - ring
    turn = side[:, 0] * away[:, 1] - side[:, 1] * away[:, 0]
    return bool(np.all(turn >= 0) or np.all(turn <= 0))


def _draw_plans(figure: Figure, where: Where, apparatus: Apparatus, dimensions: Dimensions) -> None:
    """Draw the plans and a cube beside them, at one scale."""
    edge = apparatus.cube_edge
    cube = Section("cube", "z", 0.0, (Width(f"{1e3 * edge:g}", -edge / 2, edge / 2),))
    drawings = [Drawing(plan, *section_of(apparatus, dimensions, plan), dimensions) for plan in dimensions.plans]
    faces = tilted_box("cube", (0.0, 0.0, 0.0), mm([edge / 2] * 3), (0.0, 0.0, 0.0, 1.0))
    drawings.append(Drawing(cube, faces, drawings[0].view, dimensions))
    left, bottom, width, tall = where
    share = width / (len(drawings) - 0.5)  # the cube takes half as much as a plan
    cells = [(left + i * share, bottom, share / (1 + (d is drawings[-1])), tall) for i, d in enumerate(drawings)]
    pt = max(drawing.scale(figure, cell) for drawing, cell in zip(drawings, cells, strict=True))
    for drawing, cell in zip(drawings, cells, strict=True):
        drawing.draw(figure, cell, pt)
