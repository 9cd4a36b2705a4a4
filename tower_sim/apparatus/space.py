"""The numbers that a designer of a tower of two floors chooses, with their ranges, and the profile that they make.

Lengths that cubes meet are in cube edges, since that is what decides whether a cube gets through. Every choice within
the ranges is a tower: how many openings a floor has follows from their width, that of the bars and that of the tube.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus.catalogue import from_tables
from tower_sim.apparatus.parts import Apparatus
from tower_sim.apparatus.tower_parts import SHEET
from tower_sim.errors import UsageError, fault

Array = npt.NDArray[np.float64]

PREFIX = "tower."
"""What the names begin with in the `[vary.fields]` of a campaign: `tower.tube`."""
TABLES = ("funnel", "tube", "upper_floor", "lower_floor", "ramp", "exit")
"""The parts that numbers are about: tables of every profile that towers are made of."""

LEAST_BAR = 0.25  # cube edges: narrower bars between openings are made wider, at the cost of an opening
LEAST_LEDGE = 0.2  # cube edges: a narrower ledge is left out, and its room given to the bars
MOST_OPENINGS = 6  # of a floor, as profiles allow
CROSS_BAR = 1.0  # cube edges: the bar that halves the slots
LEFT_OPEN = 0.1  # mm: of a floor that is left out, the rim at either wall that stays of it
LEAST_TOP = 50.0  # mm: of a tube, as profiles allow
SURFACES = ("cardboard", "funnel")  # of the tower, which is of one material


@dataclass(frozen=True, slots=True)
class DesignNumber:
    """A number that a designer chooses: from `low` to `high`, in `unit` (empty: a plain number).

    `usual` is that of a tower like those that are sold; `words` say what it is. A count takes whole numbers only.
    """

    name: str
    low: float
    high: float
    unit: str
    usual: float
    words: str
    is_count: bool = False

    def at(self, share: Array) -> Array:
        """Return the values at `share`, 0 to 1, of the range; every whole number of a count is equally likely."""
        if self.is_count:
            return np.minimum(self.high, self.low + np.floor(share * (self.high - self.low + 1)))
        return self.low + share * (self.high - self.low)

    def share(self, value: Array) -> Array:
        """Return where in the range `value` is, 0 to 1; of a count the middle of its part."""
        if self.is_count:
            return (value - self.low + 0.5) / (self.high - self.low + 1)
        return (value - self.low) / (self.high - self.low)


PARAMETERS: tuple[DesignNumber, ...] = (
    DesignNumber("edge_mm", 7.0, 12.0, "mm", 9.5, "edge of a cube"),
    DesignNumber("tube", 5.0, 10.0, "edges", 7.5, "clear width of the square tube"),
    DesignNumber("funnel_rim", 11.0, 16.0, "edges", 12.7, "clear width of the funnel at its rim"),
    DesignNumber("funnel_height", 5.0, 9.0, "edges", 7.4, "height of the funnel"),
    DesignNumber("rib_height", 0.0, 3.0, "edges", 1.6, "height of the two crossed ribs over the tube"),
    DesignNumber("floors", 1, 2, "", 2, "number of floors with openings; of one the upper is left out", is_count=True),
    DesignNumber("upper_opening", 1.2, 3.5, "edges", 1.4, "width of the upper floor's slots"),
    DesignNumber("upper_bar", 0.3, 2.0, "edges", 0.5, "width of the bars between the upper floor's slots"),
    DesignNumber("lower_opening", 1.2, 3.5, "edges", 1.4, "width of the lower floor's slots"),
    DesignNumber("lower_bar", 0.3, 2.0, "edges", 0.6, "width of the bars between the lower floor's slots"),
    DesignNumber("ledge", 0.0, 1.0, "bars", 0.2, "width of the ledge between wall and slot, in bars"),
    DesignNumber(
        "slope_deg", 0.0, 30.0, "deg", 0.0, "tilt of bars and ledges down to the middle (none with cross bars)"
    ),
    DesignNumber(
        "cross_bars", 0, 1, "", 0, "bar across the slots that halves them: none (0) or one (1)", is_count=True
    ),
    DesignNumber("crossed", 0, 1, "", 1, "slots of the two floors: alike (0) or across each other (1)", is_count=True),
    DesignNumber("clearance", 1.2, 5.0, "edges", 1.5, "room under the lower floor, over the ramp's upper end"),
    DesignNumber("floor_distance", 1.2, 5.0, "edges", 3.5, "room between the floors"),
    DesignNumber("headroom", 2.0, 6.0, "edges", 4.2, "from the upper floor to the tube's top edge"),
    DesignNumber("ramp_deg", 30.0, 50.0, "deg", 30.0, "slope of the ramp"),
    DesignNumber("exit_height", 1.8, 4.0, "edges", 3.1, "height of the exit"),
    DesignNumber("cube_friction", 0.15, 0.55, "", 0.32, "friction between two cubes"),
    DesignNumber("tower_friction", 0.15, 0.5, "", 0.32, "friction between a cube and the tower"),
    DesignNumber("restitution", 0.1, 0.6, "", 0.48, "restitution: how much cubes bounce"),
    DesignNumber("release_height", 0.5, 3.0, "edges", 3.0, "the hand over the rim"),
    DesignNumber("release_spread", 6.0, 9.5, "edges", 9.4, "width of the hand"),
    DesignNumber("poured", 0, 1, "", 0, "way to let go: all at once (0) or poured one by one (1)", is_count=True),
)
"""All of them; their order is that of the coordinates of a point of the unit cube."""

NAMES = tuple(parameter.name for parameter in PARAMETERS)
BY_NAME: Mapping[str, DesignNumber] = {parameter.name: parameter for parameter in PARAMETERS}


def usual() -> dict[str, float]:
    """Return the numbers of a tower like those that are sold, counts as whole numbers."""
    return named([each.usual for each in PARAMETERS])


def values(unit: npt.ArrayLike) -> Array:
    """Return the numbers at `unit`, points of the unit cube; both of shape (..., parameters)."""
    shares = np.asarray(unit, float)
    return np.stack([each.at(shares[..., i]) for i, each in enumerate(PARAMETERS)], -1)


def shares(numbers: npt.ArrayLike) -> Array:
    """Return points of the unit cube at which `numbers` are; both of shape (..., parameters)."""
    given = np.asarray(numbers, float)
    return np.stack([each.share(given[..., i]) for i, each in enumerate(PARAMETERS)], -1)


def named(numbers: Sequence[float]) -> dict[str, float]:
    """Return the numbers of a tower, in the order of NAMES, by name, counts as whole numbers."""
    return {p.name: int(x) if p.is_count else float(x) for p, x in zip(PARAMETERS, numbers, strict=True)}


def by_name(numbers: Array) -> dict[str, Array]:
    """Return the columns of `numbers`, shape (T, parameters), by name: each (T,)."""
    return dict(zip(NAMES, numbers.T, strict=True))


@dataclass(frozen=True, slots=True)
class FloorCuts:
    """How floors are cut, each (T,): how many `openings`, and in cube edges the `bar` between two, and the `ledge`."""

    openings: Array
    bar: Array
    ledge: Array


def cut(tube: Array, opening: Array, bar: Array, ledge: Array) -> FloorCuts:
    """Cut slots of width `opening` into floors `tube` wide, bars about `bar` wide; `ledge` is in bars; each is (T,).

    The number of slots is the one whose bars come nearest; bars and ledges then take the rest, so that all fits.
    """
    number = np.clip(np.rint((tube + bar * (1 - 2 * ledge)) / (opening + bar)), 1, MOST_OPENINGS)
    for _ in range(MOST_OPENINGS):
        parts = number - 1 + 2 * ledge
        fits = (number == 1) | (tube - number * opening >= LEAST_BAR * parts)
        number = np.where(fits, number, number - 1)
    closed = tube - number * opening
    fitted = closed / np.where(number == 1, 1.0, number - 1 + 2 * ledge)
    narrow = fitted * ledge < LEAST_LEDGE
    bars = np.where(narrow, closed / np.maximum(number - 1, 1), fitted)
    ledges = np.where(narrow, 0.0, fitted * ledge)
    return FloorCuts(number, np.where(number == 1, 0.0, bars), np.where(number == 1, closed / 2, ledges))


def checked(numbers: Mapping[str, float]) -> dict[str, float]:
    """Return all numbers of a tower: those given, else the usual ones.

    Raises UsageError for an unknown name and a number out of its range, which might be no tower.
    """
    for name, value in numbers.items():
        if name not in BY_NAME:
            raise fault("a number of a tower", name, f"one of {', '.join(NAMES)}", "check its spelling")
        each = BY_NAME[name]
        if isinstance(value, bool) or not each.low <= value <= each.high or (each.is_count and value != int(value)):
            kind = "a whole number " if each.is_count else ""
            raise fault(PREFIX + name, value, f"{kind}{each.low:g} to {each.high:g} {each.unit}".rstrip())
    return usual() | dict(numbers)


def _fields(at: Mapping[str, float], base: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a profile, by dotted name, that make the tower of all numbers `at`, others as in `base`."""
    edge, tube = round(at["edge_mm"], 3), at["tube"]
    inside = round(tube * edge, 2)
    foot = SHEET * 1e3 + base["ramp"]["lip_mm"] + math.tan(math.radians(at["ramp_deg"])) * inside
    peak = foot
    set_to: dict[str, Any] = {"cubes.edge_mm": edge, "tube.inside_mm": inside}
    for floor, clear in (("lower", "clearance"), ("upper", "floor_distance")):
        top = round(peak + at[clear] * edge + base[f"{floor}_floor"]["thickness_mm"], 2) + 0.01
        own, rise = _floor(floor, at, edge, inside)
        peak = top + rise
        set_to |= {f"{floor}_floor.{key}": value for key, value in ({"top_mm": round(top, 2)} | own).items()}
    set_to |= {
        "tube.top_mm": round(max(peak + at["headroom"] * edge, LEAST_TOP), 2),
        "funnel.rim_mm": round(at["funnel_rim"] * edge, 2),
        "funnel.height_mm": round(at["funnel_height"] * edge, 2),
        "funnel.rib_height_mm": round(at["rib_height"] * edge, 2),
        "ramp.angle_deg": round(at["ramp_deg"], 3),
        "exit.height_mm": round(at["exit_height"] * edge, 2),
        "surfaces.cube.friction": round(at["cube_friction"], 4),
        "surfaces.cube.restitution": round(at["restitution"], 4),
        "release.height_mm": round(at["release_height"] * edge, 2),
        "release.spread_mm": round(at["release_spread"] * edge, 2),
        "release.manner": "pour" if at["poured"] else "handful",
    }
    for surface in SURFACES:
        set_to[f"surfaces.{surface}.friction"] = round(at["tower_friction"], 4)
        set_to[f"surfaces.{surface}.restitution"] = round(at["restitution"], 4)
    return set_to


def _floor(floor: str, at: Mapping[str, float], edge: float, inside: float) -> tuple[dict[str, Any], float]:
    """Return the fields of a floor but for its height, and how far (mm) its bars rise over that."""
    along = "y" if floor == "lower" and at["crossed"] else "x"
    own: dict[str, Any] = {"pattern": "slots", "along": along, "offset_mm": 0.0, "rows": 1, "end_ledge_mm": 0.0}
    if floor == "upper" and at["floors"] == 1:
        opening = round(inside - 2 * LEFT_OPEN, 2)
        slots = {"openings": 1, "opening_mm": opening, "length_mm": inside, "ledge_mm": LEFT_OPEN, "slope_deg": 0.0}
        return own | slots, 0.0
    asked = (inside / edge, at[f"{floor}_opening"], at[f"{floor}_bar"], at["ledge"])
    made = cut(*(np.array([each]) for each in asked))
    openings, bar, wide = int(made.openings[0]), float(made.bar[0]), float(made.ledge[0])
    opening = round(at[f"{floor}_opening"] * edge, 3)
    ledge = round((inside - opening) / 2, 4) if openings == 1 else round(wide * edge, 3)
    slope = 0.0 if at["cross_bars"] else round(at["slope_deg"], 3)
    own |= {"openings": openings, "opening_mm": opening, "ledge_mm": ledge, "slope_deg": slope}
    own |= {"length_mm": inside}
    if at["cross_bars"]:
        own |= {"rows": 2, "length_mm": round((inside - CROSS_BAR * edge) / 2, 3)}
    return own, max(bar, wide) * edge * math.tan(math.radians(slope))


def tables(numbers: Mapping[str, float], base: Mapping[str, Any]) -> dict[str, Any]:
    """Return the profile of the tower of `numbers`; what is left out of these is `usual`.

    `base` is the profile that keeps all else: sheets' thickness, the ramp's lip, the tray. Raises UsageError as
    `checked` does, and for a `base` without one of `TABLES`.
    """
    if lacking := [name for name in TABLES if name not in base]:
        raise UsageError(
            f"the apparatus has no {', '.join(lacking)}; where {PREFIX}NAME is set allowed is one with "
            f"{', '.join(TABLES)}; take another, or vary fields of its profile"
        )
    made = deepcopy(dict(base))
    for name, value in _fields(checked(numbers), base).items():
        *path, last = name.split(".")
        table = made
        for word in path:
            table = table.setdefault(word, {})
        table[last] = value
    return made


def tower(numbers: Mapping[str, float], base: Mapping[str, Any], name: str = "design") -> Apparatus:
    """Make the tower of `numbers` from the profile `base`; raises as `tables` does."""
    return from_tables(tables(numbers, base), name)
