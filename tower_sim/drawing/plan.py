"""The plan of a board: its zones from above, each with words where nothing else stands, and the cubes on it.

from above, the ship beyond the upper edge, its bow to the left:  +-> y
                                                                  x v
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patheffects import withStroke
from matplotlib.textpath import TextToPath

from tower_sim.apparatus import polygon
from tower_sim.apparatus.board import Zone
from tower_sim.drawing.cubes import cube_faces, shades
from tower_sim.drawing.files import FONT, GREY
from tower_sim.drawing.sheet import Sheet
from tower_sim.drawing.ship_shape import ShipShape
from tower_sim.drawing.solids import Array, Face, View, from_back_to_front
from tower_sim.state import Resident, TowerState

Where = tuple[float, float, float, float]
Box = tuple[float, float, float, float]  # x0, x1, y0, y1

ABOVE = View((0.0, 0.0, 1.0), up=(-1.0, 0.0, 0.0))
BESIDE = 40.0  # mm: what lies farther from the board is not drawn
GREYS = {
    "strength": 0.95,
    "plunder": 1.1,
    "damage": 1.1,
    "explosive": 0.95,
    "zone": 1.0,
    "board": 0.9,
    "border": 0.72,
    "frame": 0.8,
}
_HATCHES = {"damage": (1,), "explosive": (1, -1)}
SMALL = 7.0  # pt: names that do not fit at FONT
_LINE = 1.28  # of the type size, from line to line
_PAD = 2.0  # pt around words
_TRIED = 50  # places tried for them along and across a zone


def worth(zone: Zone) -> str:
    """Say what is printed on `zone`."""
    told = {key: value for key, value in zone.printed.items() if value}
    kind = told.pop("kind", None)
    if kind == "plunder" and all(isinstance(value, int) for value in told.values()):
        gives = [f"{told['coins']} coin{'s' * (told['coins'] > 1)}"] if "coins" in told else []
        gives += [f"{told['cargo']} cargo"] if "cargo" in told else []
        gives += [f"{told['choice']} of coins/cargo"] if "choice" in told else []
        return " + ".join(gives)
    named = [] if kind in told or kind is None else ["explosive shot" if kind == "explosive" else str(kind)]
    return ", ".join([*named, *(f"{key} {value}" for key, value in told.items())])


def seen_from_above(points: Any) -> Array:
    """Return where points (n, 2) or (n, 3), in mm, are on the plan."""
    points = np.asarray(points, dtype=float)
    return np.column_stack([points[:, 1], -points[:, 0]])


def lying_near(shape: ShipShape, lying: Sequence[Resident]) -> tuple[list[Face], int]:
    """Return the faces of the cubes on the board or near it, and how many lie too far off to be drawn.

    Raises UsageError for a cube without a pose.
    """
    faces: list[Face] = []
    far = 0
    x0, x1, y0, y1 = _outer(shape)
    for resident in lying:
        cube = cube_faces([resident])
        x, y, _ = np.mean([face.corners.mean(axis=0) for face in cube], axis=0)
        if x0 - BESIDE < x < x1 + BESIDE and y0 - BESIDE < y < y1 + BESIDE:
            faces += cube
        else:
            far += 1
    return faces, far


def said_of_cubes(state: TowerState, far: int) -> str:
    """Say how many cubes of `state` are where, `far` of them out of the picture."""
    on_table = len(state.board.at("table"))
    said = [f"{_cubes(len(state.board.lying) - on_table)} on the board"]
    said += [f"{on_table} on the table"] if on_table else []
    said += [f"{far} out of the picture"] if far else []
    said += [f"{len(state.residents)} in the ship"] if state.residents else []
    return ", ".join(said)


def _cubes(count: int) -> str:
    return f"{count} cube{'s' * (count != 1)}"


@dataclass(frozen=True, slots=True)
class Label:
    """Words as they are set: `name` in bold and under it `gives`, of `size` points, at `middle`, turned or not."""

    name: str
    gives: str
    size: float
    is_turned: bool
    middle: tuple[float, float] = (0.0, 0.0)


def draw_plan(
    figure: Figure,
    where: Where,
    shape: ShipShape,
    says: Mapping[str, str],
    cubes: Sequence[Face] = (),
    *,
    is_painted: bool = True,
) -> Plan:
    """Draw the plan of the board at `where`, with the name of each zone and what `says` has for it.

    Words that do not fit into a zone, or not between the cubes, stand in a list below the board, under a number.
    If it is not `is_painted` the zones' floor is left free, for what is drawn beneath at zorder 1.
    """
    canvas: Any = figure
    plan, rows = Plan(figure, where, shape, cubes, is_painted, 0), 0
    while (needed := plan.fit(says)) > rows:
        canvas.delaxes(plan.sheet.axes)
        plan, rows = Plan(figure, where, shape, cubes, is_painted, needed), needed
    plan.write(says)
    return plan


class Plan:
    """The plan on its `sheet`: the board of `shape` and `cubes`, with room for `rows` of a list below."""

    def __init__(
        self, figure: Figure, where: Where, shape: ShipShape, cubes: Sequence[Face], is_painted: bool, rows: int
    ) -> None:
        self.shape, self.is_painted = shape, is_painted
        x0, x1, y0, y1 = _outer(shape)
        boxes = [_box(seen_from_above(face.corners)) for face in cubes]
        left, right, low, _ = _around([*boxes, (y0, y1, -x1, -x0)])
        self.points = figure.get_figheight() * where[3] * 72
        self.sheet = Sheet(
            figure,
            where,
            left=[(y0, 40), (left, 4), (-shape.end, 4)],
            right=[(y1, 8), (right, 4), (shape.end, 4)],
            bottom=[(-x1, 30 + (rows * _LINE * SMALL + 6 if rows else 0)), (low, 4)],
            top=[(-shape.beam, 32)],
        )
        self._taken = boxes
        self._labels: dict[str, Label] = {}
        self._listed: list[str] = []
        self._columns = self._tall = 1
        self._paint(cubes)
        self._surround()

    def fit(self, says: Mapping[str, str]) -> int:
        """Find places for the words of the zones; returns how many rows of the list below the others need."""
        zones = self.shape.ship.board.zones
        found: dict[str, Label | None] = {}
        for size in (FONT, SMALL):
            found = {
                zone.name: self._place(zone, _settings(zone.name, says.get(zone.name, ""), size)) for zone in zones
            }
            if all(found.values()):
                break
        self._labels = {name: label for name, label in found.items() if label}
        self._listed = [name for name, label in found.items() if label is None]
        if not self._listed:
            return 0
        for i, name in enumerate(self._listed):
            number = _settings(str(i + 1), "", SMALL)
            zone = self.shape.ship.board.zone(name)
            label = self._place(zone, number)
            if label is None:
                middle = _inside(zone).mean(axis=0)
                label = Label(str(i + 1), "", SMALL, False, (float(middle[0]), float(middle[1])))
            self._labels[name] = label
        widest = max(width_on_paper(row, SMALL, False) for row in self._rows(says)) + 14
        left, right, _ = self._list()
        self._columns = max(1, int((right - left) / self.sheet.pt / widest))
        self._tall = min(math.ceil(len(self._listed) / self._columns), int(0.4 * self.points / _LINE / SMALL))
        return self._tall

    def write(self, says: Mapping[str, str]) -> None:
        """Write the words where `fit` found places for them."""
        floors = shades(self.shape.zone_faces(), GREYS)
        for zone, floor in zip(self.shape.ship.board.zones, floors, strict=True):
            self._write(self._labels[zone.name], floor)
        rows = self._rows(says)
        if not rows:
            return
        sheet, pt, room = self.sheet, self.sheet.pt, self._tall * self._columns
        if len(rows) > room:
            rows = [*rows[: room - 1], f"and {len(rows) - room + 1} more"]
        left, right, low = self._list()
        wide = (right - left) / self._columns
        for i, row in enumerate(rows):
            column, line = divmod(i, self._tall)
            place = (left + column * wide, low - (line + 0.5) * _LINE * SMALL * pt)
            sheet.text(place[0], place[1], _shortened(row, wide / pt - 4), "left", fontsize=SMALL)

    def _list(self) -> tuple[float, float, float]:
        """Return where (mm) the list below is: its left and right ends, its top."""
        _, x1, y0, _ = _outer(self.shape)
        left, right = self.sheet.axes.get_xlim()
        return (left + 4 * self.sheet.pt if len(self._listed) > 3 else y0), right, -x1 - 28 * self.sheet.pt

    def _rows(self, says: Mapping[str, str]) -> list[str]:
        """Return the rows of the list below."""
        return [
            f"{i + 1}  {name}{': ' if says.get(name) else ''}{' '.join(says.get(name, '').split())}"
            for i, name in enumerate(self._listed)
        ]

    def _place(self, zone: Zone, settings: Iterator[Label]) -> Label | None:
        """Return the first of `settings` that has room in `zone` clear of the cubes, there nearest to its middle."""
        pt, ring = self.sheet.pt, _inside(zone)
        (x0, y0), (x1, y1) = ring.min(axis=0), ring.max(axis=0)
        middle = np.array(_centroid(ring))
        steps = (np.arange(_TRIED) + 0.5) / _TRIED
        grid = np.column_stack([np.tile(x0 + (x1 - x0) * steps, _TRIED), np.repeat(y0 + (y1 - y0) * steps, _TRIED)])
        places = np.concatenate([middle[None], grid])
        inward = polygon.inward(ring)
        depth = ((places[:, None] - ring) * inward).sum(axis=2)
        taken = np.array(self._taken).reshape(-1, 4)
        off_x = np.maximum(taken[:, 0] - places[:, :1], places[:, :1] - taken[:, 1])
        off_y = np.maximum(taken[:, 2] - places[:, 1:], places[:, 1:] - taken[:, 3])
        away = ((places - middle) ** 2).sum(axis=1)
        for label in settings:
            half = np.array(_size(label)) * pt / 2 + _PAD * pt
            fits = np.all(depth >= np.abs(inward) @ half, axis=1) & np.all(
                (off_x > half[0]) | (off_y > half[1]), axis=1
            )
            if fits.any():
                best = places[np.argmin(np.where(fits, away, np.inf))]
                return replace(label, middle=(float(best[0]), float(best[1])))
        return None

    def _write(self, label: Label, floor: tuple[float, ...]) -> None:
        style: dict[str, Any] = {"fontsize": label.size, "rotation": 90 * label.is_turned, "rotation_mode": "anchor"}
        if self.is_painted:
            style["bbox"] = {"facecolor": floor, "edgecolor": "none", "pad": 0.3}
        else:
            style |= {"bbox": None, "path_effects": [withStroke(linewidth=2.0, foreground="white")]}
        lines: list[tuple[str, str]] = [(line, "bold") for line in label.name.split("\n")]
        lines += [(line, "normal") for line in label.gives.split("\n") if label.gives]
        for i, (line, weight) in enumerate(lines):
            down = ((i - len(lines) / 2) * _LINE + 0.86) * label.size * self.sheet.pt  # to the base line
            x, y = label.middle
            x, y = (x + down, y) if label.is_turned else (x, y - down)
            self.sheet.text(x, y, line, up="baseline", weight=weight, **style)

    def _paint(self, cubes: Sequence[Face]) -> None:
        shape, sheet, painted = self.shape, self.sheet, self.is_painted
        parts = ("board", "border", "frame") if painted else ("frame",)
        board = [face for face in shape.faces(lambda box: -math.inf) if face.part in parts]
        zones = shape.zone_faces()
        faces = from_back_to_front([*board, *(zones if painted else ())], ABOVE)
        sheet.paint(faces, ABOVE, shades(faces, GREYS), 0.7)
        for kind, slopes in _HATCHES.items() if painted else ():
            for slope in slopes:
                sheet.hatch([zone for zone in zones if zone.part == kind], ABOVE, slope, 5.0, "0.72")
        sheet.paint(zones, ABOVE, ["none"] * len(zones), 0.9, 4)
        seen = from_back_to_front(cubes, ABOVE)
        sheet.paint(seen, ABOVE, shades(seen, GREYS), 0.6, 5)

    def _surround(self) -> None:
        """Draw the ship's side with its ports, and dimension the board."""
        shape, sheet, pt = self.shape, self.sheet, self.sheet.pt
        top = -shape.side
        wall = shape.side - shape.beam
        edges = [-shape.end, *(y for port in shape.ports for y in port), shape.end]
        for a, b in zip(edges[::2], edges[1::2], strict=True):
            sheet.rectangle(a, top, b - a, wall, "0.42", 0.7)
        sheet.text(0, top + wall + 8 * pt, "← fore     ship's side, gun ports     aft →", color=GREY)
        sheet.text(0, top + wall + 24 * pt, "board from above, lengths in mm")
        x0, x1, y0, y1 = shape.board
        sheet.upright(y0 - shape.frame - 9 * pt, -x1, -x0, f"{x1 - x0:g}", y0 - shape.frame - 1.5 * pt, side=-1)
        sheet.across(y0, y1, -x1 - shape.frame - 9 * pt, f"{y1 - y0:g}", -x1 - shape.frame - 1.5 * pt, drop=2.5)


def _outer(shape: ShipShape) -> Box:
    x0, x1, y0, y1 = shape.board
    return x0 - shape.frame, x1 + shape.frame, y0 - shape.frame, y1 + shape.frame


def _box(points: Array) -> Box:
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    return float(x0), float(x1), float(y0), float(y1)


def _around(boxes: Sequence[Box]) -> Box:
    x0, x1, y0, y1 = zip(*boxes, strict=True)
    return min(x0), max(x1), min(y0), max(y1)


def _inside(zone: Zone) -> Array:
    """Return the corners of a zone on the plan."""
    return seen_from_above(1e3 * np.array(zone.corners))


def _centroid(ring: Array) -> tuple[float, float]:
    after = np.roll(ring, -1, axis=0)
    cross = ring[:, 0] * after[:, 1] - after[:, 0] * ring[:, 1]
    x, y = ((ring + after) * cross[:, None]).sum(axis=0) / (3 * cross.sum())
    return float(x), float(y)


def _settings(name: str, gives: str, size: float) -> Iterator[Label]:
    """Yield the ways to set the words of a zone, the best first: upright before turned, in few lines before many.

    A name that says all is set alone where both do not fit.
    """
    both = [(name, gives), *([(name, "")] if name.replace("_", " ") == gives else [])]
    for (bold, plain), is_turned in product(both, (False, True)):
        for limit in (math.inf, 14.0, 11.0, 9.0, 7.0, 5.0):
            yield Label(
                _wrapped(bold, "_", size, limit, True), _wrapped(plain, " ", size, limit, False), size, is_turned
            )


def _wrapped(words: str, after: str, size: float, limit: float, is_bold: bool) -> str:
    """Break `words` after the character `after` into lines of at most `limit` times the type size, where it can be."""
    lines: list[str] = []
    for line in words.split("\n"):
        lines.append("")
        for piece in (piece + after for piece in line.split(after)):
            if lines[-1] and width_on_paper((lines[-1] + piece).strip(), size, is_bold) > limit * size:
                lines.append("")
            lines[-1] += piece
        lines[-1] = lines[-1].removesuffix(after)
    return "\n".join(line.strip() for line in lines)


def _shortened(words: str, wide: float) -> str:
    """Cut `words` of the list so that they are at most `wide` (pt)."""
    while width_on_paper(words, SMALL, False) > wide and len(words) > 2:
        words = words[:-2] + "…"
    return words


def _lines(words: str) -> int:
    return words.count("\n") + 1 if words else 0


def _size(label: Label) -> tuple[float, float]:
    """Return how wide and high (pt) a label is on paper."""
    both = ((label.name, True), (label.gives, False))
    wide = max(width_on_paper(line, label.size, is_bold) for words, is_bold in both for line in words.split("\n"))
    tall = _LINE * label.size * (_lines(label.name) + _lines(label.gives))
    return (tall, wide) if label.is_turned else (wide, tall)


@cache
def width_on_paper(words: str, size: float, is_bold: bool) -> float:
    """Return how wide (pt) a line of `words` is on paper."""
    font = FontProperties(size=size, weight="bold" if is_bold else "normal")
    maker: Any = TextToPath()
    return float(maker.get_text_width_height_descent(words, font, False)[0])
