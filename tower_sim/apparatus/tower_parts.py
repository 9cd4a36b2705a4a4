"""What towers of two floors share, whatever their tube is like: parameters, checks of them, boxes, the tray."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim import portable
from tower_sim.apparatus.common import Cubes, Release, demand, mm
from tower_sim.apparatus.parts import Box, Region, span
from tower_sim.apparatus.sheets import Opening
from tower_sim.apparatus.tower import Tower
from tower_sim.fields import choice, count, number

Array = npt.NDArray[np.float64]

SHEET = 2e-3  # thickness of ramp and tray floor, m
WALL = 6e-3  # walls are this thick outwards, where no cube can be: a fast one overlaps by under 2 mm


class Tube:
    """What every kind's tube says: clear width `inside` (m) from wall to wall, top edge at height `top` (m)."""

    __slots__ = ()
    inside: float
    top: float


@dataclass(frozen=True, slots=True)
class Funnel:
    """The funnel on the tube, of as many walls: clear width `rim` at its top, `height` of its own; 0 is an open top."""

    rim: float = number("mm", 20, 400)
    height: float = number("mm", 0, 300)


@dataclass(frozen=True, slots=True)
class Floor(ABC):
    """A horizontal floor with openings: its upper surface at height `top` over the table; patterns are a kind's."""

    top: float = number("mm", 5, 500)
    thickness: float = number("mm", 0.5, 20)
    pattern: str = choice()
    openings: int = count(1, 6)
    opening: float = number("mm", 1, 200)

    @abstractmethod
    def cut(self, inside: float) -> list[Opening]:
        """Return the openings (m) in a tube `inside` (m) wide."""

    @property
    def underside(self) -> float:
        """Height (m) of the lower surface."""
        return self.top - self.thickness


@dataclass(frozen=True, slots=True)
class Ramp:
    """The ramp from the back wall down to the exit: at `angle`, its lower edge `lip` over the tray."""

    angle: float = number("deg", 5, 60)
    lip: float = number("mm", 0, 50)


class Exit:
    """What every kind's exit says: `height` (m) of the opening over the ramp's lower edge.

    `emerged` cubes are `swept` away as they come out, as a player would, or `left` lying until the drop is over.
    """

    __slots__ = ()
    height: float
    emerged: str


@dataclass(frozen=True, slots=True)
class Tray:
    """The walled tray in front of the exit: clear `length` before the tube's front and `width`, `wall` height."""

    length: float = number("mm", 20, 500)
    width: float = number("mm", 20, 500)
    wall: float = number("mm", 0, 100)


@dataclass(frozen=True, slots=True)
class Given:
    """The parameters of a tower of two floors; each part is one table of the profile.

    `shared` are the arguments of `Apparatus` that follow from what every profile has.
    """

    cubes: Cubes
    tube: Tube
    funnel: Funnel
    upper_floor: Floor
    lower_floor: Floor
    ramp: Ramp
    exit: Exit
    tray: Tray
    release: Release
    shared: dict[str, Any]

    @property
    def floors(self) -> Mapping[str, Floor]:
        """The floors by name, from top to bottom."""
        return {"upper_floor": self.upper_floor, "lower_floor": self.lower_floor}

    @property
    def half(self) -> float:
        """Half the clear width (m) of the tube."""
        return self.tube.inside / 2

    @property
    def rim_top(self) -> float:
        """Height (m) of the funnel's rim."""
        return self.tube.top + self.funnel.height

    @property
    def exit_top(self) -> float:
        """Height (m) of the exit's upper edge."""
        return SHEET + self.ramp.lip + self.exit.height

    @property
    def ramp_end(self) -> float:
        """Where (x, m) the ramp's lower edge is: in the tube's front wall."""
        return self.half

    def ramp_height(self, x: float) -> float:
        """Height (m) of the ramp's surface at `x`."""
        return SHEET + self.ramp.lip + portable.tan(self.ramp.angle) * (self.ramp_end - x)

    def of_tower(self) -> dict[str, Any]:
        """Return the arguments of `Tower` that every kind fills in the same way, the boxes left to it."""
        funnel = (Region("funnel", self.tube.top),) if self.funnel.height else ()
        floors = (Region("upper_floor", self.upper_floor.top), Region("lower_floor", self.lower_floor.top))
        return self.shared | {
            "swept": self.exit.emerged == "swept",
            "regions": (*funnel, *floors, Region("ramp", 0.0)),
            "rim_top": self.rim_top,
            "passed": self.lower_floor.underside - math.sqrt(3) / 2 * self.cubes.edge,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class TowerOfFloors(Tower):
    """A tower of two floors with a tray before its exit, at x > 0; `given` are its parameters."""

    given: Given

    def in_tray(self, position: Array) -> npt.NDArray[np.bool_]:
        """Tell which of the cubes that have come out lie in the tray."""
        x, y = position[:, 0], np.abs(position[:, 1])
        return (x < self.given.half + self.given.tray.length) & (y < self.given.tray.width / 2)


def demand_openings_fit(name: str, floor: Floor, number_across: int, inside: float) -> None:
    """Refuse a floor whose openings, `number_across` side by side, take all of a tube `inside` (m) wide."""
    taken = number_across * floor.opening
    demand(
        taken < inside,
        f"{name}.openings = {floor.openings} of {mm(floor.opening)} mm take {mm(taken)} mm; allowed is less than "
        f"tube.inside_mm = {mm(inside)}; cut fewer or narrower openings",
    )


def demand_floor_in_tube(given: Given) -> None:
    """Refuse an upper floor over the tube's top edge."""
    demand(
        given.upper_floor.top < given.tube.top,
        f"upper_floor.top_mm = {mm(given.upper_floor.top)}; allowed is less than tube.top_mm = {mm(given.tube.top)}; "
        "lower the floor or make the tube taller",
    )


def demand_hand_over_rim(given: Given) -> None:
    """Refuse a hand that lets cubes go beside the funnel."""
    demand(
        given.release.spread <= given.funnel.rim,
        f"release.spread_mm = {mm(given.release.spread)}; allowed is at most funnel.rim_mm = {mm(given.funnel.rim)}; "
        "hold the hand closer",
    )


def slanted(given: Given) -> tuple[float, float, float, float]:
    """Return how the funnel's walls stand: their lean (rad), length up the slant, distance from the axis, height (m).

    The last two are of a wall's middle: that of its inner face, moved out by half the thickness along the normal.
    """
    half, rim, rise = given.half, given.funnel.rim / 2, given.funnel.height
    lean, slant = portable.atan2(rim - half, rise), portable.length((rise, rim - half))
    away = (half + rim) / 2 + WALL / 2 * portable.cos(lean)
    return lean, slant, away, given.tube.top + rise / 2 - WALL / 2 * portable.sin(lean)


def tray_floor(given: Given) -> Iterator[Box]:
    """Yield the tray's floor, which goes on under the tower, and its far wall."""
    end, width = given.half + given.tray.length, given.tray.width / 2 + WALL
    yield span("tray", (-given.half, end + WALL), (-width, width), (0, SHEET), "cardboard")
    if given.tray.wall > 0:
        yield span("tray", (end, end + WALL), (-width, width), (SHEET, given.tray.wall + SHEET), "cardboard")


def tray_side(given: Given, sign: int, back: float) -> Iterator[Box]:
    """Yield the tray's wall on the side of y that `sign` (1, -1) tells, from x = `back` (m) on, if it has walls."""
    if given.tray.wall > 0:
        width = given.tray.width / 2
        y = sorted((sign * width, sign * (width + WALL)))
        x, z = (back, given.half + given.tray.length), (SHEET, given.tray.wall + SHEET)
        yield span("tray", x, (y[0], y[1]), z, "cardboard")
