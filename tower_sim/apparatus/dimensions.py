"""What a draughtsman must know of an apparatus beside its boxes: names, dimensions, where to cut. Lengths in m.

A section is seen in its own plane: (across, height), where `across` and `height` are

    axis "y": x, z, seen against y     axis "x": y, z, seen from +x     axis "z": x, y, seen from above
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Vector = tuple[float, float, float]
Plane = tuple[Vector, float]  # a unit normal and an offset: what is kept has normal . x <= offset

OVER_THE_FRONT: Vector = (0.36, -0.93, 0.45)  # where the eye is


@dataclass(frozen=True, slots=True)
class Part:
    """How the boxes of a part are drawn: its name in `words` (none: not named), its `grey` in the view, its hatching.

    `hatch` is the slope of the lines where it is cut, 1 or -1; 0 for ribs and the like, which by custom have none.
    `within` are planes at which boxes end that are longer than needed where no cube can see it.
    """

    words: str = ""
    grey: float = 0.9
    hatch: int = 1
    within: tuple[Plane, ...] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """What of the near walls is taken away in the view: all beyond `plane`, of boxes of `parts` (none named: all).

    `only` narrows it to boxes whose centre is beyond that plane.
    """

    plane: Plane
    parts: tuple[str, ...] = ()
    only: Plane | None = None


@dataclass(frozen=True, slots=True)
class Label:
    """The name, in `words`, of something in the view that is no part, such as an opening, at `tip` (x, y, z)."""

    words: str
    tip: Vector


@dataclass(frozen=True, slots=True)
class Width:
    """A dimension from `low` to `high` across, of something at height `at`; its line is below the section or above."""

    words: str
    low: float
    high: float
    at: float = 0.0
    is_above: bool = False


@dataclass(frozen=True, slots=True)
class Height:
    """A dimension from height `low` to `high` of something that is `at` across.

    Its line is on the right of `at`, or of `clear` if that is given; or on the left. Words are not lower than `over`.
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
    """A height over the table, of something that is `at` across, on the running line to the left of the section."""

    words: str
    height: float
    at: float


@dataclass(frozen=True, slots=True)
class Angle:
    """The `angle` (rad) at which something called `words` rises from its foot, `at` across and at `height`.

    It rises over a `run`, to the left if that is negative.
    """

    words: str
    angle: float
    height: float
    at: float
    run: float


@dataclass(frozen=True, slots=True)
class Section:
    """A section called `words` across `axis` ("x", "y" or "z") where that is `at`, with its dimensions.

    Only the boxes of `parts` are drawn, all when none is named. `beside` is written on its right.
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


@dataclass(frozen=True, slots=True)
class Printed:
    """How a zone looks: `words` under its name, the `grey` of its floor, the `slopes` of lines printed on it."""

    words: str = ""
    grey: float = 1.1
    slopes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class BoardPlan:
    """The board from above, the apparatus beyond its upper edge: what is `printed` on each zone, by its name.

    `floor` are the parts on which zones lie, `around` those beside them, cut open above `below` and within `within`.
    `widths` and `heights` are measured across the plan and up it, the origin where the apparatus's is. `words` are
    its name, and `beyond` what is written at its upper edge.
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
    """All that is drawn of an apparatus beside its boxes.

    The view is seen from `eye`, without what `cuts` take away, which `said` tells. `sections` stand beside it, and
    `plans`, small horizontal sections at one scale with a cube, below it. Parts that are not in `parts` are unnamed.
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
    """Return the planes of walls around a polygon of `sides` (angle faced, distance) at height `base`.

    They lean outwards by `run` over `rise`. If they are `thick` (m) the planes are those of their outsides, those of
    their upper edges, and that at their foot.
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
