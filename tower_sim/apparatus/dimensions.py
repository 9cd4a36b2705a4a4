"""What a drawing of an apparatus needs besides its boxes: names, dimensions, and where to cut. Lengths are in m.

Each section is drawn in its own plane, with two coordinates called across and height:

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
    """How the boxes of a part are drawn: its name `words` (empty: it has no label), and its `grey` in the view.

    `hatch` is the slope of the lines on its cut faces, 1 or -1. Ribs and similar parts have 0: by custom they are not
    hatched. `within` are planes beyond which the drawing cuts its boxes off. Boxes may be longer than the part where no
    cube notices.
    """

    words: str = ""
    grey: float = 0.9
    hatch: int = 1
    within: tuple[Plane, ...] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut that opens the view: everything beyond `plane` is removed, from boxes of `parts` only (empty: from all).

    If `only` is given, the cut applies to the boxes whose centre is beyond that plane.
    """

    plane: Plane
    parts: tuple[str, ...] = ()
    only: Plane | None = None


@dataclass(frozen=True, slots=True)
class Label:
    """A name, `words`, for something in the view that is no part, such as an opening; it points at `tip` (x, y, z)."""

    words: str
    tip: Vector


@dataclass(frozen=True, slots=True)
class Width:
    """A dimension across, from `low` to `high`.

    Its line is below the section, or above the height `at` if `is_above` is true.
    """

    words: str
    low: float
    high: float
    at: float = 0.0
    is_above: bool = False


@dataclass(frozen=True, slots=True)
class Height:
    """A dimension in height, from `low` to `high`, of something whose position across is `at`.

    Its line is to the right of `at`, or of `clear` if that is given; if `is_left` is true, to the left. Its text stands
    no lower than `over`, unless other text needs the room.
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
    """A height over the table, of something whose position across is `at`; it is written left of the section."""

    words: str
    height: float
    at: float


@dataclass(frozen=True, slots=True)
class Angle:
    """The `angle` (rad) between the horizontal and something called `words` that rises.

    The lower end is `at` across, at `height`. `run` is the horizontal length of the rise, negative if it goes to the
    left.
    """

    words: str
    angle: float
    height: float
    at: float
    run: float


@dataclass(frozen=True, slots=True)
class Section:
    """A section where the coordinate `axis` ("x", "y" or "z") equals `at`, with its title `words` and its dimensions.

    Only boxes of `parts` are drawn; empty means all. `beside` is written to the right of a horizontal section. `marks`
    are drawn as dashed lines through points (across, height).
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
    """The look of a zone: `words` under its name, the `grey` of its floor, the `slopes` of the lines printed on it."""

    words: str = ""
    grey: float = 1.1
    slopes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class BoardPlan:
    """The drawing of a board from above, with the apparatus beyond its upper edge.

    `printed` has the look of each zone by name. `floor` are the parts that zones lie on, `around` the parts next to
    them. Both are drawn below the height `below` and within the planes `within`. `widths` are measured across the plan
    and `heights` up it, from the apparatus's origin. `words` is the title; `beyond` is written at the upper edge.
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

    The view is seen from the direction `eye`, after `cuts`; the sentence `said` describes the cuts. `sections` stand
    next to the view. `plans`, below it, are small horizontal sections, drawn with a cube at one scale. `parts` has the
    look of the parts by name; a part that is missing has no label.
    """

    parts: Mapping[str, Part]
    sections: tuple[Section, ...]
    plans: tuple[Section, ...] = ()
    board: BoardPlan | None = None
    eye: Vector = OVER_THE_FRONT
    cuts: tuple[Cut, ...] = ()
    labels: tuple[Label, ...] = ()
    said: str = ""


def flaring(
    sides: Sequence[tuple[float, float]], base: float, rise: float, run: float, thick: float = 0.0
) -> tuple[Plane, ...]:
    """Return the planes of walls that lean outwards by `run` over a height of `rise`.

    The walls stand at height `base` around a polygon. Its `sides` are (direction that the side faces in rad, distance
    from the axis). Without `thick` (m) these are the planes of the inner faces. With `thick` they are the planes of the
    outer faces, of the upper edges, and of the foot.
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
