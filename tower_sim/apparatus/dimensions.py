"""What a drawing of an apparatus needs besides its boxes: names, dimensions, and where to cut. Lengths are in m.

Each section has two coordinates, across and height:

    axis "y": x, z, seen against y     axis "x": y, z, seen from +x     axis "z": x, y, seen from above
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Vector = tuple[float, float, float]
Plane = tuple[Vector, float]  # a unit normal and an offset: points with normal . x <= offset are kept

OVER_THE_FRONT: Vector = (0.36, -0.93, 0.45)  # the direction of the eye


@dataclass(frozen=True, slots=True)
class Part:
    """How the boxes of a part are drawn: its name `words` (empty: no label), and its `grey` in the view.

    `hatch` is the slope of the lines on its cut faces, 1 or -1; ribs have 0, by custom. Boxes that are longer than the
    part are cut off at the planes `within`.
    """

    words: str = ""
    grey: float = 0.9
    hatch: int = 1
    within: tuple[Plane, ...] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut that removes everything beyond `plane`, from boxes of `parts` (empty: all).

    With `only`, it applies to the boxes whose centre is beyond that plane.
    """

    plane: Plane
    parts: tuple[str, ...] = ()
    only: Plane | None = None


@dataclass(frozen=True, slots=True)
class Label:
    """A name for something in the view that is no part; it points at `tip` (x, y, z)."""

    words: str
    tip: Vector


@dataclass(frozen=True, slots=True)
class Width:
    """A dimension across, below the section or, if `is_above`, above the height `at`."""

    words: str
    low: float
    high: float
    at: float = 0.0
    is_above: bool = False


@dataclass(frozen=True, slots=True)
class Height:
    """A dimension in height, of something whose position across is `at`.

    Its line is right of `at`, or of `clear`; if `is_left`, to the left. Its text stands no lower than `over`, if there
    is room.
    """

    words: str
    low: float
    high: float
    at: float
    clear: float | None = None
    over: float = -math.inf
    is_left: bool = False


@dataclass(frozen=True, slots=True)
class Level:
    """A height over the table, of something at `at` across, written left of the section."""

    words: str
    height: float
    at: float


@dataclass(frozen=True, slots=True)
class Angle:
    """The `angle` (rad) between the horizontal and something that rises from `at` across, at `height`.

    `run` is the horizontal length of the rise, negative to the left.
    """

    words: str
    angle: float
    height: float
    at: float
    run: float


@dataclass(frozen=True, slots=True)
class Section:
    """A section where the coordinate `axis` ("x", "y" or "z") equals `at`, with its title `words`.

    Only boxes of `parts` are drawn (empty: all). `beside` is written right of a horizontal section. `marks` are dashed
    lines through points (across, height).
    """

    words: str
    axis: str
    at: float
    widths: tuple[Width, ...] = ()
    heights: tuple[Height, ...] = ()
    levels: tuple[Level, ...] = ()
    angles: tuple[Angle, ...] = ()
    parts: tuple[str, ...] = ()
    beside: str = ""
    marks: tuple[tuple[tuple[float, float], ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Printed:
    """The look of a zone: `words` under its name, `grey` of its floor, `slopes` of lines printed on it."""

    words: str = ""
    grey: float = 1.1
    slopes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class BoardPlan:
    """The drawing of a board from above, with the apparatus beyond its upper edge.

    Zones lie on the parts `floor`; `around` are next to them. Both are drawn below the height `below` and within the
    planes `within`. `words` is the title; `beyond` is written at the upper edge.
    """

    printed: Mapping[str, Printed] = field(default_factory=dict[str, Printed])
    floor: tuple[str, ...] = ()
    around: tuple[str, ...] = ()
    below: float = math.inf
    within: tuple[Plane, ...] = ()
    widths: tuple[Width, ...] = ()
    heights: tuple[Height, ...] = ()
    words: str = "board from above"
    beyond: str = ""


@dataclass(frozen=True, slots=True)
class Dimensions:
    """Everything that is drawn of an apparatus besides its boxes.

    The view is seen from `eye`, after `cuts`, which `note` describes. `plans` are small horizontal sections with a
    cube. A part that is missing in `parts` has no label.
    """

    parts: Mapping[str, Part]
    sections: tuple[Section, ...]
    plans: tuple[Section, ...] = ()
    board: BoardPlan | None = None
    eye: Vector = OVER_THE_FRONT
    cuts: tuple[Cut, ...] = ()
    labels: tuple[Label, ...] = ()
    note: str = ""


def flare(
    sides: Sequence[tuple[float, float]], base: float, rise: float, run: float, thick: float = 0.0
) -> tuple[Plane, ...]:
    """Return the planes of walls that lean outwards by `run` over a height of `rise`, from the height `base`.

    `sides` are (direction in rad, distance from the axis). They are the inner faces, or, with `thick` (m), the outer
    faces, the upper edges and the foot.
    """
    slant = math.hypot(rise, run) or 1.0
    up, out = rise / slant, run / slant
    planes: list[Plane] = [((0.0, 0.0, -1.0), -base)] if thick else []
    for angle, away in sides:
        x, y = math.cos(angle), math.sin(angle)
        planes.append(((up * x, up * y, -out), away * up - base * out + thick))
        if thick:
            planes.append(((out * x, out * y, up), (away + run) * out + (base + rise) * up))
    return tuple(planes)
