"""The Amerigo tower as a draughtsman sees it: its lengths in mm, its faces, where its parts are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from tower_sim.apparatus.amerigo import profile as amerigo
from tower_sim.apparatus.amerigo.boxes import openings
from tower_sim.apparatus.amerigo.tower import SquareTower
from tower_sim.apparatus.parts import Apparatus, Box
from tower_sim.drawing.solids import Face, clipped, tilted_box, union_of_upright

Point = tuple[float, float, float]


class Shape:
    """The lengths (mm) of the tower `apparatus`, and its parameters `tower` (SI) as its profile has them.

    `half`, `rim`: half widths inside tube and funnel; `top`, `rim_top`: their heights; `wall`: thickness of the walls;
    `foot`: height of the ramp's surface at its lower end; `sheet`: thickness of the ramp and of the tray's floor;
    `tray`: where the tray's floor ends.
    """

    def __init__(self, apparatus: Apparatus) -> None:
        if not isinstance(apparatus, SquareTower):
            raise TypeError(f"{apparatus.name} is no tower")
        self.tower = amerigo.read(tables(apparatus))
        self.apparatus = apparatus
        self.half, self.rim = mm(apparatus.tube_half), mm(apparatus.rim_half)
        self.top, self.rim_top = mm(apparatus.tube_top), mm(apparatus.rim_top)
        self.wall, self.tray = mm(apparatus.exit_x) - self.half, mm(apparatus.tray_x)
        self.foot, self.sheet = self.ramp_height(self.half), mm(amerigo.SHEET)

    def ramp_height(self, x: float) -> float:
        """Return the height of the ramp's surface at `x`."""
        return mm(amerigo.ramp_height(self.tower, x / 1e3))

    def holes(self, floor: amerigo.Floor) -> list[tuple[float, float, float, float]]:
        """Return the openings of a floor as rectangles (x0, x1, y0, y1)."""
        return [(mm(a), mm(b), mm(c), mm(d)) for a, b, c, d in openings(floor, self.tower.tube.inside)]

    def front_left(self, part: str) -> Point:
        """Return a point on the front edge of a floor, on the left, or nearest to there if there is an opening."""
        boxes = [(point(box.centre), point(box.half)) for box in self.apparatus.boxes if box.part == part]
        (x, y, z), (dx, dy, _) = min(boxes, key=lambda box: box[0][0] - box[1][0] + box[0][1] - box[1][1])
        return x - dx + min(dx, 2.0), y - dy, z

    def faces(self, cut_of: Callable[[Box], float]) -> list[Face]:
        """Return the faces of all but the table, each box open in front of the plane y = `cut_of` it.

        The funnel's walls, longer than needed where no cube can see it, are mitred; ribs and ramp end at the walls.
        """
        faces: list[Face] = []
        for part in dict.fromkeys(box.part for box in self.apparatus.boxes if box.part != "table"):
            boxes = [box for box in self.apparatus.boxes if box.part == part]
            if part in ("funnel", "rib", "ramp"):
                for box in boxes:
                    solid = tilted_box(part, point(box.centre), point(box.half), box.orientation)
                    for normal, offset in self._ends(box):
                        solid = clipped(solid, normal, offset, part != "funnel")
                    cut = cut_of(box)
                    faces += clipped(solid, (0, 1, 0), cut, True) if math.isfinite(cut) else solid
            else:
                centre = np.array([point(box.centre) for box in boxes])
                half = np.array([point(box.half) for box in boxes])
                faces += union_of_upright(part, centre - half, centre + half, np.array([cut_of(box) for box in boxes]))
        return faces

    def _ends(self, box: Box) -> Iterator[tuple[Point, float]]:
        """Yield the planes (normal, offset) that trim a box of funnel, ribs or ramp."""
        if box.part == "funnel":
            x, y = (0 if abs(v) < 1e-9 else math.copysign(1, v) for v in box.centre[:2])
            yield (x + y, x + y, 0.0), 0.0
            yield (x - y, y - x, 0.0), 0.0
            yield (0.0, 0.0, 1.0), self.top
        elif box.part == "rib":
            rise, run = self.rim_top - self.top, self.rim - self.half
            for sign, is_x in product((1, -1), (True, False)):
                across = (sign * rise, 0.0) if is_x else (0.0, sign * rise)
                yield (*across, run), run * self.top - rise * self.half
        else:
            yield (1.0, 0.0, 0.0), -self.half
            yield (-1.0, 0.0, 0.0), -self.half


def tables(apparatus: Apparatus) -> dict[str, Any]:
    """Return the tables of the profile, as the reader of its kind takes them."""
    return {key: value for key, value in apparatus.profile.items() if key not in ("schema", "version", "kind")}


def point(vector: Sequence[float]) -> Point:
    """Return a place (m) in mm."""
    x, y, z = vector
    return mm(x), mm(y), mm(z)


def mm(metres: float) -> float:
    """Return a length in mm."""
    return metres * 1e3


def number(metres: float) -> str:
    """Return a length in mm as text, as a profile has it."""
    return f"{mm(metres):g}"
