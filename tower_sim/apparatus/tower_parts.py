"""What towers have in common: parts, and the dimensions from which they are made."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import Field

from tower_sim.apparatus import where
from tower_sim.apparatus.common import Emerged, Parameters, Surfaces, SurfaceTable, demand, demand_length, mm
from tower_sim.apparatus.dimensions import Angle, Dimensions, Height, Level, Part, Plane, Section, Width, flare
from tower_sim.apparatus.kind import ApparatusKind, Profile
from tower_sim.apparatus.parts import Apparatus, Box, Opening, Region, span
from tower_sim.documents import Document, number
from tower_sim.tools import portable


def parts(
    given: Given, around: Sequence[tuple[float, float]], within: tuple[Plane, ...] = (), ramp: tuple[Plane, ...] = ()
) -> dict[str, Part]:
    """Return the look of each part by name; `around` are the sides of the tube (see `flare`).

    The drawing cuts floors off at the planes `within`, and the ramp at `ramp`.
    """
    funnel = flare(around, given.tube.top, given.funnel.height, given.funnel.rim / 2 - given.half, WALL)
    return {
        "tube": Part(),
        "funnel": Part("funnel", 0.97, -1, funnel),
        "upper_floor": Part("upper floor", 0.82, within=within),
        "lower_floor": Part("lower floor", 0.82, within=within),
        "ramp": Part("ramp", 0.82, within=ramp),
        "tray": Part("tray", 0.93),
    }


def section(
    given: Given,
    words: str = "section through the middle",
    at: float = 0.0,
    tube: str = "inside",
    widths: Sequence[Width] = (),
    heights: Sequence[Height] = (),
) -> Section:
    """Return the section along the tower at y = `at` (m); `tube` says how the tube's width is measured."""
    half, outer, tray, rim = given.half, given.half + WALL, given.half + given.tray.length, given.funnel.rim / 2
    top, end, angle = given.tube.top, given.ramp_end, given.ramp.angle
    foot = given.ramp_height(end)
    upper, lower = given.upper_floor, given.lower_floor
    heights = [
        Height(f"exit {mm(given.exit.height)}", foot, given.exit_top, outer),
        *(Height(f"thickness {mm(floor.thickness)}", floor.underside, floor.top, outer) for floor in (upper, lower)),
        Height(f"wall {mm(given.tray.wall)}", SHEET, SHEET + given.tray.wall, tray + WALL),
        *heights,
        Height(f"funnel {mm(given.funnel.height)}", top, given.rim_top, rim, rim + WALL),
    ]
    of_rim = Width(f"funnel rim {mm(given.funnel.rim)}", -rim, rim, given.rim_top, is_above=True)
    levels = (("tube top", top), ("upper floor", upper.top), ("lower floor", lower.top), ("table", 0.0))
    return Section(
        words,
        "y",
        at,
        widths=(
            *([of_rim] if given.funnel.height else []),
            Width(f"tube {tube} {mm(given.tube.inside)}", -half, half),
            Width(f"tray {mm(given.tray.length)}, {mm(given.tray.width)} wide", half, tray),
            *widths,
        ),
        heights=tuple(height for height in heights if height.high > height.low),
        levels=tuple(Level(f"{name} {mm(height)}", height, -outer) for name, height in levels),
        angles=(Angle("ramp", angle, foot - SHEET / math.cos(angle), end, -half - end),),
    )


def plan(
    name: str,
    floor: Floor,
    hole: Opening,
    given: Given,
    at: float,
    beside: Sequence[str] = (),
    words: str = "",
    height: float | None = None,
    ledges: tuple[tuple[Width, ...], tuple[Height, ...]] = ((), ()),
) -> Section:
    """Return the plan of a floor at `height` (m; by default its top), with the dimensions of one opening, `hole`.

    The dimension along y starts from x = `at` (m). One longer than the tube is wide is left out. `beside` names further
    parts, `ledges` are further widths and heights.
    """
    x0, x1, y0, y1 = hole
    across = (Width(mm(x1 - x0), x0, x1),)
    along = (Height(mm(y1 - y0), y0, y1, at, -given.half - WALL, is_left=True),)
    return Section(
        name.replace("_", " ") + words,
        "z",
        floor.top if height is None else height,
        widths=(*(across if x1 - x0 <= given.tube.inside else ()), *ledges[0]),
        heights=(*(along if y1 - y0 <= given.tube.inside else ()), *ledges[1]),
        parts=("tube", name, *beside),
        beside="exit\n→",
    )


SHEET = 2e-3  # thickness of ramp and tray floor, m
WALL = 6e-3  # walls are this thick outwards, where no cube can be: a fast one overlaps by under 2 mm


class Tube(Document, frozen=True):
    """The tube's parameters that every kind has."""

    inside: float = number("inside_mm", 20, 200, "The clear width from wall to wall.")
    top: float = number("top_mm", 50, 500, "The height of the top edge over the table.")


class Funnel(Document, frozen=True):
    """The funnel, with the tube's number of walls."""

    rim: float = number("rim_mm", 20, 400, "The clear width at the funnel's top.")
    height: float = number("height_mm", 0, 300, "The height of the funnel from the tube's top edge. 0 is an open top.")


class Floor(Document, ABC, frozen=True):
    """A floor with openings."""

    top: float = number("top_mm", 5, 500, "The height of the upper surface over the table.")
    thickness: float = number("thickness_mm", 0.5, 20, "The thickness of the floor.")
    pattern: str
    openings: int = Field(ge=1, le=6, description="The number of openings side by side.")
    opening: float = number("opening_mm", 1, 200, "The width of an opening.")

    @abstractmethod
    def cut(self, inside: float) -> list[Opening]:
        """Return the openings (m) in a tube `inside` (m) wide."""

    @property
    def underside(self) -> float:
        """The height (m) of the lower surface."""
        return self.top - self.thickness


class Ramp(Document, frozen=True):
    """The ramp down to the exit."""

    angle: float = number("angle_deg", 5, 60, "The angle at which the ramp falls.")
    lip: float = number("lip_mm", 0, 50, "The height of the ramp's lower edge over the tray.")


class Exit(Document, frozen=True):
    """The exit's parameters that every kind has."""

    height: float = number("height_mm", 5, 200, "The height of the opening over the ramp's lower edge.")
    emerged: Emerged


class Tray(Document, frozen=True):
    """The walled tray in front of the exit."""

    length: float = number("length_mm", 20, 500, "The clear length in front of the tube.")
    width: float = number("width_mm", 20, 500, "The clear width.")
    wall: float = number("wall_mm", 0, 100, "The height of the walls.")


class Cardboard(Surfaces, frozen=True):
    """The contacts of cubes."""

    cardboard: SurfaceTable
    funnel: SurfaceTable


class Given(Parameters, ABC, frozen=True):
    """The parameters of a tower of two floors."""

    surfaces: Cardboard
    tube: Tube
    funnel: Funnel
    upper_floor: Floor
    lower_floor: Floor
    ramp: Ramp
    exit: Exit
    tray: Tray

    @property
    def floors(self) -> Mapping[str, Any]:
        """The floors by name, from top to bottom."""
        return {"upper_floor": self.upper_floor, "lower_floor": self.lower_floor}

    @property
    def half(self) -> float:
        """Half the clear width (m) of the tube."""
        return self.tube.inside / 2

    @property
    def rim_top(self) -> float:
        """The height (m) of the funnel's rim."""
        return self.tube.top + self.funnel.height

    @property
    def exit_top(self) -> float:
        """The height (m) of the exit's upper edge."""
        return SHEET + self.ramp.lip + self.exit.height

    @property
    def missed_over(self) -> float:
        """The height (m) above which a cube beside the funnel has missed it."""
        return self.rim_top - 2 * self.cubes.edge

    @property
    def air_top(self) -> float:
        """The height (m) up to which a cube over the tray has come out."""
        return min(self.tube.top, self.missed_over)

    @property
    def ramp_end(self) -> float:
        """The x (m) of the ramp's lower edge."""
        return self.half

    def ramp_height(self, x: float) -> float:
        """Return the height (m) of the ramp's surface at `x` (m)."""
        return SHEET + self.ramp.lip + portable.tan(self.ramp.angle) * (self.ramp_end - x)

    @abstractmethod
    def check(self) -> None:
        """Refuse parameters that do not fit together."""

    def check_hand_and_tray(self) -> None:
        """Refuse a tray under three cube edges, and a hand wider than the rim."""
        least, hold = 3 * self.cubes.edge, "hold the hand closer"
        for name in ("length", "width"):
            size: float = getattr(self.tray, name)
            demand_length(f"tray.{name}", size, "at least {}, three cube edges", least, "make the tray larger")
        demand_length("release.spread", self.release.spread, "at most funnel.rim_mm = {}", self.funnel.rim, hold)

    def check_top(self) -> None:
        """Refuse an upper floor that reaches the tube's top edge."""
        advice = "lower the floor or make the tube taller"
        demand_length("upper_floor.top", self.upper_floor.top, "less than tube.top_mm = {}", self.tube.top, advice)

    @property
    @abstractmethod
    def outward(self) -> tuple[tuple[float, float], ...]:
        """The unit normals (x, y) of the walls."""

    @property
    @abstractmethod
    def opening(self) -> tuple[float, float]:
        """The exit's place in the walls (m): its smallest x, and its largest |y|."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TowerOfFloors(Apparatus):
    """A tower of two floors whose exit faces +x; `picture` makes its drawing's dimensions."""

    given: Given
    picture: Callable[[Any], Dimensions]

    @property
    def rule(self) -> tuple[float, ...]:
        """The numbers (m) of where.py."""
        given, half = self.given, self.given.half
        return (
            *(where.TOWER, half, half + WALL, given.tube.top, given.funnel.height or 1.0, given.funnel.rim / 2 - half),
            *(*given.opening, given.exit_top, given.air_top, given.missed_over),
            *(half + given.tray.length, given.tray.width / 2, len(given.outward), len(self.regions)),
            *(x for normal in given.outward for x in normal),
            *(region.above for region in self.regions),
        )

    def dimensions(self) -> Dimensions:
        """Return what is drawn besides the boxes."""
        return self.picture(self.given)


G = TypeVar("G", bound=Given)


def kind(
    name: str,
    title: str,
    package: str,
    model: type[G],
    boxes: Callable[[G], Iterable[Box]],
    picture: Callable[[G], Dimensions],
) -> ApparatusKind:
    """Return the kind of the towers whose parameters are a `model`; `picture` makes a drawing's dimensions."""

    def make(profile: Profile) -> TowerOfFloors:
        given = profile.read(model)
        given.check()
        funnel = (Region("funnel", given.tube.top),) if given.funnel.height else ()
        floors = (Region("upper_floor", given.upper_floor.top), Region("lower_floor", given.lower_floor.top))
        return TowerOfFloors(
            **profile.shared(given),
            boxes=tuple(boxes(given)),
            given=given,
            picture=picture,
            swept=given.exit.emerged == "swept",
            regions=(*funnel, *floors, Region("ramp", 0.0)),
            rim_top=given.rim_top,
            passed=given.lower_floor.underside - math.sqrt(3) / 2 * given.cubes.edge,
        )

    return ApparatusKind(name, title, package, make)


def demand_openings_fit(name: str, floor: Floor, number_across: int, inside: float) -> None:
    """Refuse openings that leave nothing of a tube `inside` (m) wide."""
    taken = number_across * floor.opening
    demand(
        taken < inside,
        f"{name}.openings = {floor.openings} of {mm(floor.opening)} mm take {mm(taken)} mm; allowed is less than "
        f"tube.inside_mm = {mm(inside)}; cut fewer or narrower openings",
    )


def measure_funnel(given: Given) -> tuple[float, float, float, float]:
    """Return the funnel's walls: lean (rad), slant length, distance from the axis and height (m) of a middle."""
    half, rim, rise = given.half, given.funnel.rim / 2, given.funnel.height
    lean, slant = portable.atan2(rim - half, rise), portable.length((rise, rim - half))
    away = (half + rim) / 2 + WALL / 2 * portable.cos(lean)
    return lean, slant, away, given.tube.top + rise / 2 - WALL / 2 * portable.sin(lean)


def tray(given: Given, back: float) -> list[Box]:
    """Return the tray's floor, which extends under the tower, and its walls, if any: far, at y > 0, at y < 0.

    The side walls begin at x = `back` (m).
    """
    end, width = given.half + given.tray.length, given.tray.width / 2
    floor = span("tray", (-given.half, end + WALL), (-width - WALL, width + WALL), (0, SHEET), "cardboard")
    if given.tray.wall <= 0:
        return [floor]
    z = (SHEET, given.tray.wall + SHEET)
    far, low, high = tray_walls((back, end), (-width, width), z, "cardboard")
    return [floor, far, high, low]


def tray_walls(
    x: tuple[float, float], y: tuple[float, float], z: tuple[float, float], surface: str
) -> tuple[Box, Box, Box]:
    """Return the walls around a tray with clear extents (m): at x[1], at y[0], at y[1]."""
    return (
        span("tray", (x[1], x[1] + WALL), (y[0] - WALL, y[1] + WALL), z, surface),
        span("tray", x, (y[0] - WALL, y[0]), z, surface),
        span("tray", x, (y[1], y[1] + WALL), z, surface),
    )
