"""The plan of a board: its zones from above, with text where there is room, and the cubes on the board.

The apparatus is beyond the upper edge, for example for a board at +x:

    +-> y
    x v
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from tower_sim.apparatus import Apparatus, Board, BoardPlan, Cut, Printed, Zone, shapes, with_board
from tower_sim.drawing.files import FONT, GREY, INK
from tower_sim.drawing.paint import Paint
from tower_sim.drawing.section import draw_heights, draw_widths, in_mm
from tower_sim.drawing.sheet import Sheet, Where, measure_width
from tower_sim.drawing.sight import View
from tower_sim.drawing.solids import Array, Faces, join, make_faces
from tower_sim.drawing.surfaces import ZONE, cube_faces, find_shades, find_surface, zone_faces
from tower_sim.tools import count_noun
from tower_sim.values import Resident, TowerState

Box = tuple[float, float, float, float]  # x0, x1, y0, y1

BESIDE = 40.0  # mm: cubes farther from the board are not drawn
SMALL = 7.0  # pt: for names that do not fit at FONT
_LINE = 1.28  # times the type size, from line to line
_PAD = 2.0  # pt around words
_STEPS = 50  # places for them, along and across a zone


def above(board: Board) -> View:
    """Return the view from above, with the apparatus beyond the upper edge."""
    x, y = sum(board.x), sum(board.y)
    up = (-math.copysign(1.0, x), 0.0, 0.0) if abs(x) >= abs(y) else (0.0, -math.copysign(1.0, y), 0.0)
    return View((0.0, 0.0, 1.0), up)


def project_on_plan(board: Board, points: Any) -> Array:
    """Return positions on the plan, shape (n, 2), of points (x, y; mm)."""
    points = np.asarray(points, dtype=float).reshape(-1, 2)
    return above(board).project(np.column_stack([points, np.zeros(len(points))]))


def find_near_cubes(apparatus: Apparatus, lying: Sequence[Resident]) -> tuple[Faces, int]:
    """Return the faces of cubes on or near the board, and the number of others."""
    faces = cube_faces(lying)
    if not lying:
        return faces, 0
    board = with_board(apparatus).board
    low, high = 1e3 * np.array([board.x, board.y]).T
    place = 1e3 * np.array([resident.pose.position[:2] for resident in lying if resident.pose])
    is_near = np.all((low - BESIDE < place) & (place < high + BESIDE), axis=1)
    return faces.select(is_near[faces.solid]), int((~is_near).sum())


def describe_cubes(apparatus: Apparatus, state: TowerState, far: int) -> str:
    """Say how many cubes are where; `far` are out of the picture."""
    inside = len(state.residents)
    if apparatus.board is None:
        return f"{count_noun(inside, 'cube')} inside"
    on_table = len(state.board.at("table"))
    others = ((on_table, "on the table"), (far, "out of the picture"), (inside, "inside"))
    on_board = f"{count_noun(len(state.board.lying) - on_table, 'cube')} on the board"
    return ", ".join([on_board, *(f"{number} {place}" for number, place in others if number)])


@dataclass(frozen=True, slots=True)
class Label:
    """Text as it is set: `name` in bold and `gives` under it, in `size` points around `middle` (mm)."""

    name: str
    gives: str
    size: float
    is_turned: bool
    middle: tuple[float, float] = (0.0, 0.0)


def draw_plan(
    figure: Figure,
    where: Where,
    apparatus: Apparatus,
    says: Mapping[str, str],
    cubes: Faces | None = None,
    *,
    is_painted: bool = True,
) -> Plan:
    """Draw the plan of the board at `where`, with the name of each zone and its text in `says`.

    Text without room goes to a numbered list below. Unless `is_painted`, something at zorder 1 can be seen under the
    zones.
    """
    canvas: Any = figure
    plan, rows = Plan(figure, where, apparatus, cubes, is_painted), 0
    while (needed := plan.fit(says)) > rows:
        canvas.delaxes(plan.sheet.axes)
        plan.sheet, rows = plan.sheet_of(needed), needed
    plan.paint()
    plan.write(says)
    return plan


@dataclass(frozen=True, slots=True)
class _Room:
    places: Array
    away: Array
    inward: Array
    depth: Array
    beside: Array
    over: Array


class Plan:
    """The plan of a board with `cubes`, on a `sheet` with room for a list below."""

    def __init__(
        self, figure: Figure, where: Where, apparatus: Apparatus, cubes: Faces | None, is_painted: bool
    ) -> None:
        self.board, self.is_painted = with_board(apparatus).board, is_painted
        self.dimensions = apparatus.dimensions()
        self.plan = self.dimensions.board or BoardPlan()
        self.view = above(self.board)
        self.points = figure.get_figheight() * where[3] * 72
        self.outer = _box(project_on_plan(self.board, 1e3 * np.array(list(product(self.board.x, self.board.y)))))
        self._zones, self._cubes = zone_faces(self.board), cubes or cube_faces(())
        planes = [((0.0, 0.0, 1.0), self.plan.below), *self.plan.within]
        cuts, solids = [Cut(plane) for plane in planes if math.isfinite(plane[1])], make_faces(apparatus.solids)
        parts = self.plan.floor, self.plan.around
        self._below, self._beside = (find_surface(solids, self.dimensions, cuts, some) for some in parts)
        self._taken = [_box(self.view.project(cube)) for cube in self._cubes.corners.reshape(-1, 24, 3)]
        solid = np.concatenate([self._below.corners, self._beside.corners])
        self.inner = _around([self.outer, *([_box(self.view.project(solid))] if len(solid) else [])])
        self._figure, self._where = figure, where
        self.sheet = self.sheet_of(0)
        self._rooms: dict[str, _Room] = {}
        self._labels: dict[str, Label] = {}
        self._listed: list[str] = []
        self._columns = self._tall = 1
        self._floors = find_shades(self._zones, self.dimensions)[:, :3]

    def sheet_of(self, rows: int) -> Sheet:
        """Return a new sheet with room for a list of `rows` rows."""
        left, right, low, _ = _around([*self._taken, self.outer])
        return Sheet(
            self._figure,
            self._where,
            (
                [(self.outer[0], 40), (left, 4), (self.inner[0], 4)],
                [(self.outer[1], 8), (right, 4), (self.inner[1], 4)],
                [(self.outer[2], 30 + (rows * _LINE * SMALL + 6 if rows else 0)), (low, 4)],
                [(self.inner[3], 32)],
            ),
        )

    def fit(self, says: Mapping[str, str]) -> int:
        """Find places for the zones' text; return how many rows the rest needs."""
        labels: dict[str, Label | None] = {}
        for size in (FONT, SMALL):
            labels = {
                zone.name: self._place(zone, zone.name, says.get(zone.name, ""), size) for zone in self.board.zones
            }
            if all(labels.values()):
                break
        self._labels = {name: label for name, label in labels.items() if label}
        self._listed = [name for name, label in labels.items() if label is None]
        if not self._listed:
            return 0
        for i, name in enumerate(self._listed, 1):
            zone = self.board.zone(name)
            x, y = self._ring(zone).mean(axis=0).tolist()
            self._labels[name] = self._place(zone, str(i), "", SMALL) or Label(str(i), "", SMALL, False, (x, y))
        widest = max(measure_width(row, SMALL, False) for row in self._rows(says)) + 14
        left, right, _ = self._list()
        self._columns = max(1, int((right - left) / self.sheet.pt / widest))
        self._tall = min(math.ceil(len(self._listed) / self._columns), int(0.4 * self.points / _LINE / SMALL))
        return self._tall

    def write(self, says: Mapping[str, str]) -> None:
        """Write the text where `fit` found places, and the list below."""
        for zone, floor in zip(self.board.zones, self._floors, strict=True):
            self._write(self._labels[zone.name], floor)
        rows, pt, room = self._rows(says), self.sheet.pt, self._tall * self._columns
        if len(rows) > room:
            rows = [*rows[: room - 1], f"and {len(rows) - room + 1} more"]
        left, right, low = self._list()
        wide = (right - left) / self._columns
        for i, row in enumerate(rows):
            while measure_width(row, SMALL, False) > wide / pt - 4 and len(row) > 2:
                row = row[:-2] + "…"
            column, line = divmod(i, self._tall)
            x, y = left + column * wide, low - (line + 0.5) * _LINE * SMALL * pt
            self.sheet.text(x, y, row, "left", fontsize=SMALL)

    def _list(self) -> tuple[float, float, float]:
        left, right = self.sheet.axes.get_xlim()
        left = left + 4 * self.sheet.pt if len(self._listed) > 3 else self.outer[0]
        return left, right, self.outer[2] - 28 * self.sheet.pt

    def _rows(self, says: Mapping[str, str]) -> list[str]:
        return [
            f"{i + 1}  {_in_words(name)}{': ' if says.get(name) else ''}{' '.join(says.get(name, '').split())}"
            for i, name in enumerate(self._listed)
        ]

    def _place(self, zone: Zone, name: str, gives: str, size: float) -> Label | None:
        pt = self.sheet.pt
        if zone.name not in self._rooms:
            self._rooms[zone.name] = self._room(zone)
        room = self._rooms[zone.name]
        for label in dict.fromkeys(_wrap_label(name, gives, size)):
            half = np.array(_measure(label)) * pt / 2 + _PAD * pt
            fits: Any = (room.depth >= (np.abs(room.inward) @ half)[:, None]).all(axis=0)
            if fits.any():
                fits &= ((room.beside > half[0]) | (room.over > half[1])).all(axis=0)
            if fits.any():
                x, y = room.places[np.argmin(np.where(fits, room.away, np.inf))].tolist()
                return replace(label, middle=(x, y))
        return None

    def _room(self, zone: Zone) -> _Room:
        ring = self._ring(zone)
        (x0, y0), (x1, y1) = ring.min(axis=0), ring.max(axis=0)
        middle = np.array(_centroid(ring))
        steps = (np.arange(_STEPS) + 0.5) / _STEPS
        grid = np.column_stack([np.tile(x0 + (x1 - x0) * steps, _STEPS), np.repeat(y0 + (y1 - y0) * steps, _STEPS)])
        places = np.concatenate([middle[None], grid])
        inward = shapes.inward(ring)
        taken = np.array(self._taken).reshape(-1, 4)
        taken = taken[((taken[:, ::2] <= (x1, y1)) & (taken[:, 1::2] >= (x0, y0))).all(axis=1)]
        return _Room(
            places,
            away=((places - middle) ** 2).sum(axis=1),
            inward=inward,
            depth=((places - ring[:, None]) * inward[:, None]).sum(axis=2),
            beside=np.maximum(taken[:, :1] - places[:, 0], places[:, 0] - taken[:, 1:2]),
            over=np.maximum(taken[:, 2:3] - places[:, 1], places[:, 1] - taken[:, 3:]),
        )

    def _write(self, label: Label, floor: Array) -> None:
        style: dict[str, Any] = {"fontsize": label.size, "rotation": 90 * label.is_turned, "rotation_mode": "anchor"}
        if self.is_painted:
            style["bbox"] = {"facecolor": tuple(floor), "edgecolor": "none", "pad": 0.3}
        else:
            style |= {"bbox": None, "path_effects": [withStroke(linewidth=2.0, foreground="white")]}
        lines: list[tuple[str, str]] = [(line, "bold") for line in label.name.split("\n")]
        lines += [(line, "normal") for line in label.gives.split("\n") if label.gives]
        for i, (line, weight) in enumerate(lines):
            down = ((i - len(lines) / 2) * _LINE + 0.86) * label.size * self.sheet.pt  # to the base line
            x, y = label.middle
            x, y = (x + down, y) if label.is_turned else (x, y - down)
            self.sheet.text(x, y, line, up="baseline", weight=weight, **style)

    def paint(self) -> None:
        """Paint the board, its zones, the cubes, and the parts around."""
        sheet, printed = self.sheet, self.plan.printed
        pieces = [*([self._below] if self.is_painted else []), self._beside, self._zones, self._cubes]
        faces = join(pieces)
        colour, width, hatch = find_shades(faces, self.dimensions), np.full(len(faces), 0.7), np.zeros(len(faces), int)
        width[-len(self._cubes) :], zones = 0.6, np.char.startswith(faces.part, ZONE)
        colour[zones, 3], width[zones] = self.is_painted, 0.9
        slopes = [printed.get(name.removeprefix(ZONE), Printed()).slopes for name in faces.part[zones].tolist()]
        hatch[zones] = [self.is_painted * sum(slope % 3 for slope in of_zone) for of_zone in slopes]
        sheet.paint(faces, self.view, colour, width, hatch, 5.0, 0.72)
        pt, plan = sheet.pt, self.plan
        x0, x1, y0, y1 = self.outer
        if not (plan.floor or plan.around):
            board = Rectangle((x0, y0), x1 - x0, y1 - y0, facecolor="none", edgecolor=INK, linewidth=0.9)
            sheet.axes.add_patch(board)
        draw_widths(sheet, in_mm(plan.widths), y0)
        draw_heights(sheet, in_mm(plan.heights))
        sheet.text((x0 + x1) / 2, self.inner[3] + 8 * pt, plan.beyond, color=GREY)
        sheet.text((x0 + x1) / 2, self.inner[3] + 24 * pt, f"{plan.words}, lengths in mm")

    def mark(self, lying: Sequence[Resident], paint: Mapping[str, Paint]) -> None:
        """Write on the cubes the letters of their colours; cubes off the board, under others or under text get none."""
        (left, right, low, high), labels = self.outer, self._labels.values()
        faces = cube_faces(lying)
        middles = faces.corners.reshape(-1, 6, 4, 3).mean(axis=2)
        tops = middles[np.arange(len(lying)), faces.normal[:, 2].reshape(-1, 6).argmax(axis=1)]
        for resident, top in zip(lying, tops, strict=True):
            of, edge = paint[resident.cube.colour], 1e3 * resident.cube.edge
            x, y = self.view.project(top[None])[0].tolist()
            is_under = any(z - top[2] > 0.3 * edge and math.hypot(x - top[0], y - top[1]) < edge for x, y, z in tops)
            sizes = ((label.middle, np.array(_measure(label)) * self.sheet.pt / 2 + edge / 2) for label in labels)
            has_words = any(abs(x - at[0]) < half[0] and abs(y - at[1]) < half[1] for at, half in sizes)
            if left < x < right and low < y < high and not is_under and not has_words:
                style: dict[str, Any] = {"fontsize": 0.6 * edge / self.sheet.pt, "color": of.ink, "weight": "bold"}
                self.sheet.text(x, y, of.letter, up="center_baseline", bbox=None, **style)

    def _ring(self, zone: Zone) -> Array:
        return project_on_plan(self.board, 1e3 * np.array(zone.corners))


def _box(points: Array) -> Box:
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    return float(x0), float(x1), float(y0), float(y1)


def _around(boxes: Sequence[Box]) -> Box:
    x0, x1, y0, y1 = zip(*boxes, strict=True)
    return min(x0), max(x1), min(y0), max(y1)


def _centroid(ring: Array) -> tuple[float, float]:
    after = np.roll(ring, -1, axis=0)
    cross = ring[:, 0] * after[:, 1] - after[:, 0] * ring[:, 1]
    x, y = ((ring + after) * cross[:, None]).sum(axis=0) / (3 * cross.sum())
    return float(x), float(y)


def _in_words(name: str) -> str:
    return name.replace("_", " ")


def _wrap_label(name: str, gives: str, size: float) -> Iterator[Label]:
    bold = _in_words(name)
    plain = "" if gives == bold else gives
    for is_turned, limit in product((False, True), (math.inf, 14.0, 11.0, 9.0, 7.0, 5.0)):
        yield Label(_wrap(bold, size, limit, True), _wrap(plain, size, limit, False), size, is_turned)


def _wrap(words: str, size: float, limit: float, is_bold: bool) -> str:
    lines: list[str] = []
    for line in words.split("\n"):
        lines.append("")
        for word in line.split(" "):
            if lines[-1] and measure_width(f"{lines[-1]} {word}", size, is_bold) > limit * size:
                lines.append("")
            lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(line.strip() for line in lines)


def _measure(label: Label) -> tuple[float, float]:
    wide = max(measure_width(label.name, label.size, True), measure_width(label.gives, label.size))
    tall = _LINE * label.size * len(f"{label.name}\n{label.gives}".strip().split("\n"))
    return (tall, wide) if label.is_turned else (wide, tall)
