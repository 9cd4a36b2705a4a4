"""What is free in the fit: the numbers of the tower, with their priors and the reasons for them.

A tower is a point of the unit cube, one coordinate for each of NUMBERS; whatever the point, it is a tower. Everything
else stays as in base.toml beside this file.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

TOWER = Path(__file__).with_name("base.toml")
ENGINE = "core"  # of every game: that of the design that ships, which games of another one would not belong to
SHARD = 4  # games
SURFACES = ("cube", "cardboard", "funnel")
FLOORS = ("upper", "lower")

OPENING = (1.3, 3.2)  # cube edges
WIDER = 0.6  # cube edges that the least opening grows with friction: rough cubes arch over wider ones
LEAST_OPEN = 18.0  # square edges of a floor that are open, unless openings of the most width are fewer
BAR = (0.5, 3.0)  # cube edges
MOST_OPEN = 0.75  # of the tube's width, unless openings of the least width take more
LEAST_LEDGE = 0.13  # cube edges: a narrower ledge is left out, and its room given to the openings
CROSS_BAR = 1.0  # cube edges: the bar that makes a grid of slots
LEAST_LENGTH = 1.6  # cube edges: of an opening of a grid
HEADROOM = 40.0  # mm from the upper floor's highest edge to the tube's top


@dataclass(frozen=True, slots=True)
class Parameter:
    """A free number: from `low` to `high`, in `unit`, with the `reason` for these limits."""

    name: str
    low: float
    high: float
    unit: str
    reason: str


_COUNT = "bars are told of, so two slots or more; as many as the tube has room for"
_OPENING = "narrower, or under 18 square edges open: it clogs; wider: nothing stays"
_LEDGES = "of all that is closed: from bars alone to broad ledges along the walls; bars from half an edge to three"
NUMBERS: tuple[Parameter, ...] = (
    Parameter("edge", 8.0, 10.0, "mm", "cubes of this kind measure 8 to 10 mm"),
    Parameter("tube", 50.0, 80.0, "mm", "two hands of cubes must pass; the box is 9.4 cm deep, the tube packed whole"),
    Parameter("upper_openings", 2, 4, "slots", _COUNT),
    Parameter("upper_opening", *OPENING, "edges", _OPENING),
    Parameter("upper_ledges", 0.0, 1.0, "share", _LEDGES),
    Parameter("lower_openings", 2, 4, "slots", _COUNT),
    Parameter("lower_opening", *OPENING, "edges", _OPENING),
    Parameter("lower_ledges", 0.0, 1.0, "share", _LEDGES),
    Parameter(
        "grid",
        0,
        3,
        "floors",
        "slots with a cross bar: half in no floor (0), else the upper (1), the lower (2), both (3)",
    ),
    Parameter(
        "stagger", 0.0, 1.0, "share", "half: slots of the two floors cross (0); else alike, shifted up to a ledge"
    ),
    Parameter("slope", 0.0, 30.0, "deg", "half: flat; else bars and ledges tilt; steeper, nothing lies on them"),
    Parameter("lower_height", 1.2, 4.0, "edges", "room for a cube over the ramp; the box is 43 cm long"),
    Parameter("distance", 1.3, 4.0, "edges", "room for a cube between the floors; farther apart they do not meet"),
    Parameter("rib_height", 0.0, 30.0, "mm", "two crossed ribs are seen in the funnel, which is 70 mm tall"),
    Parameter("friction", 0.2, 0.577, "", "wood on wood, card, plastic; from tan 30° on cubes lie on the ramp"),
    Parameter("restitution", 0.15, 0.6, "", "small wooden cubes on card and wood; one for all"),
    Parameter("release_height", 5.0, 30.0, "mm", "a hand just over the rim; from higher up cubes bounce over it"),
    Parameter("release_spread", 7.0, 9.5, "edges", "two hands full; closer, 49 cubes stand too high and fall beside"),
)
NAMES = tuple(number.name for number in NUMBERS)
_AT = {name: i for i, name in enumerate(NAMES)}


def _linear(unit: Array, name: str) -> Array:
    number = NUMBERS[_AT[name]]
    return number.low + unit[..., _AT[name]] * (number.high - number.low)


def _step(unit: Array, name: str, number: Array | float) -> Array:
    """Return whole numbers from 0 to below `number`, each for an equal part of the coordinate."""
    return np.minimum(np.floor(unit[..., _AT[name]] * number), number - 1)


def _upper_half(unit: Array, name: str) -> Array:
    """Return 0 for the lower half of the coordinate, from 0 to 1 over its upper half."""
    return np.clip(2 * unit[..., _AT[name]] - 1, 0, 1)


def _floor(unit: Array, floor: str, width: Array, is_grid: Array) -> dict[str, Array]:
    """Return a floor's openings, and in cube edges their width, that of bars, ledges, end ledges, and their length.

    `width` is the tube's, in cube edges.
    """
    least = OPENING[0] + WIDER * (_linear(unit, "friction") - NUMBERS[_AT["friction"]].low)
    most = np.minimum(4, np.floor((width + BAR[0]) / (least + BAR[0])))
    number = 2 + _step(unit, f"{floor}_openings", most - 1)
    gaps = number - 1
    room = np.minimum(MOST_OPEN * width, width - BAR[0] * gaps) / number
    widest = np.maximum(np.minimum(OPENING[1] - 2 * LEAST_LEDGE / number, room), least)
    least = np.clip(LEAST_OPEN / number / np.where(is_grid, width - CROSS_BAR, width), least, widest)
    opening = least + unit[..., _AT[f"{floor}_opening"]] * (widest - least)
    closed = width - number * opening
    most_bars = np.minimum(BAR[1] * gaps, closed)
    bars = most_bars - unit[..., _AT[f"{floor}_ledges"]] * (most_bars - BAR[0] * gaps)
    ledge = (closed - bars) / 2
    ledge = np.where(ledge < LEAST_LEDGE, 0.0, ledge)
    opening = (width - bars - 2 * ledge) / number
    end = np.where(is_grid, np.minimum(ledge, (width - CROSS_BAR - 2 * LEAST_LENGTH) / 2), 0.0)
    return {
        "openings": number,
        "opening": opening,
        "bar": bars / gaps,
        "ledge": ledge,
        "ledges": 2 * ledge / (bars + 2 * ledge),
        "end": end,
        "length": np.where(is_grid, (width - CROSS_BAR) / 2 - end, width),
    }


def _shape(unit: Array) -> dict[str, Array]:
    """Return what the towers at `unit`, shape (..., numbers), are: by name, each of shape (...)."""
    plain = ("edge", "tube", "lower_height", "distance", "rib_height", "friction", "restitution")
    shape = {name: _linear(unit, name) for name in (*plain, "release_height", "release_spread")}
    width = shape["tube"] / shape["edge"]
    shape["grid"] = np.ceil(3 * _upper_half(unit, "grid"))
    shape["stagger"] = _upper_half(unit, "stagger")
    shape["alike"] = (unit[..., _AT["stagger"]] >= 0.5).astype(float)
    shape["slope"] = _upper_half(unit, "slope") * NUMBERS[_AT["slope"]].high
    for i, floor in enumerate(FLOORS):
        is_grid = (shape["grid"].astype(int) >> i & 1).astype(bool)
        of = _floor(unit, floor, width, is_grid)
        of["grid"] = is_grid.astype(float)
        of["slope"] = np.where(is_grid, 0.0, shape["slope"])
        far = np.minimum(np.maximum(of["ledge"] - LEAST_LEDGE, 0), of["opening"])
        of["offset"] = np.where(shape["alike"], shape["stagger"] * far, 0.0)
        of["rise"] = np.maximum(of["bar"], of["ledge"] + of["offset"]) * np.tan(np.radians(of["slope"]))
        shape |= {f"{floor}_{name}": value for name, value in of.items()}
    return shape


def readings(unit: Array) -> Array:
    """Return the free numbers of the towers at `unit`, each in its own unit; both of shape (..., numbers)."""
    shape = _shape(np.asarray(unit, float))
    return np.stack([shape[name] for name in NAMES], -1)


def values(unit: Sequence[float]) -> dict[str, float]:
    """Return the free numbers at `unit`, a point of the unit cube with a coordinate for each of NUMBERS."""
    return dict(zip(NAMES, readings(np.array(unit, float)).tolist(), strict=True))


FEATURES: Mapping[str, tuple[float, float]] = {
    "edge": (8, 10),
    "width": (5, 10),
    **{
        f"{floor}_{name}": limits
        for floor in FLOORS
        for name, limits in {
            "openings": (2, 4),
            "opening": OPENING,
            "bar": (0.0, BAR[1]),
            "ledge": (0.0, 4.0),
            "grid": (0.0, 1.0),
            "slope": (0.0, 30.0),
        }.items()
    },
    "alike": (0.0, 1.0),
    "apart": (0.0, 4.0),
    "lower_height": (1.2, 4.0),
    "distance": (1.3, 4.0),
    "rib_height": (0.0, 30.0),
    "friction": (0.2, 0.577),
    "restitution": (0.15, 0.6),
    "release_height": (5.0, 30.0),
    "release_spread": (7.0, 9.5),
}
"""What the emulator sees of a tower, and its limits: coordinates that choose among shapes become what these are.

`width` is the tube's, `apart` how far the floors' slots are shifted against each other; in cube edges, as bars and
ledges are.
"""


def features(unit: Array) -> Array:
    """Return FEATURES of the towers at `unit`, shape (..., numbers), scaled to 0 to 1: shape (..., features)."""
    shape = _shape(np.asarray(unit, float))
    shape["width"] = shape["tube"] / shape["edge"]
    shape["apart"] = shape["upper_offset"] + shape["lower_offset"]
    return np.stack([(shape[name] - low) / (high - low) for name, (low, high) in FEATURES.items()], -1)


def fields(unit: Sequence[float]) -> dict[str, Any]:
    """Return what the profile has at `unit`: dotted fields (as a campaign varies them) and their values."""
    at = {name: float(value) for name, value in _shape(np.array(unit, float)).items()}
    base = _base()
    edge, inside = round(at["edge"], 3), round(at["tube"], 2)
    set_to: dict[str, Any] = {"profile.cubes.edge_mm": edge, "profile.tube.inside_mm": inside}
    foot = 2 + base["ramp"]["lip_mm"] + math.tan(math.radians(base["ramp"]["angle_deg"])) * inside
    peak = foot
    for floor, clear in (("lower", "lower_height"), ("upper", "distance")):
        top = round(peak + at[clear] * edge + base[f"{floor}_floor"]["thickness_mm"], 2)
        peak = top + at[f"{floor}_rise"] * edge
        is_grid = bool(at[f"{floor}_grid"])
        sign = 1 if floor == "lower" else -1
        own = {
            "top_mm": top,
            "openings": int(at[f"{floor}_openings"]),
            "opening_mm": round(at[f"{floor}_opening"] * edge, 3),
            "length_mm": round(at[f"{floor}_length"] * edge, 3) if is_grid else inside,
            "along": "y" if floor == "lower" and not at["alike"] else "x",
            "ledge_mm": round(at[f"{floor}_ledge"] * edge, 3),
            "offset_mm": round(sign * at[f"{floor}_offset"] * edge, 3),
            "slope_deg": round(at[f"{floor}_slope"], 3),
            "rows": 2 if is_grid else 1,
            "end_ledge_mm": round(at[f"{floor}_end"] * edge, 3) if is_grid else 0.0,
        }
        set_to |= {f"profile.{floor}_floor.{key}": value for key, value in own.items()}
    set_to["profile.tube.top_mm"] = round(peak + HEADROOM, 2)
    set_to["profile.funnel.rib_height_mm"] = round(at["rib_height"], 2)
    for surface in SURFACES:
        set_to[f"profile.surfaces.{surface}.friction"] = round(at["friction"], 4)
        set_to[f"profile.surfaces.{surface}.restitution"] = round(at["restitution"], 4)
    set_to["profile.release.height_mm"] = round(at["release_height"], 2)
    set_to["profile.release.spread_mm"] = round(at["release_spread"] * edge, 2)
    return set_to


@cache
def _base() -> dict[str, Any]:
    return tomllib.loads(TOWER.read_text("utf-8"))


def campaign_text(points: Sequence[Sequence[float]], games: int, seed: int) -> str:
    """Write the campaign file that plays `games` games at each of `points` of the unit cube."""
    rows = [fields(unit) for unit in points]
    lines = [tower_text(TOWER, games, seed), "[vary]", 'design = "list"', "", "[vary.fields]"]
    for name in rows[0]:
        lines.append(f'"{name}" = [{", ".join(_toml(row[name]) for row in rows)}]')
    return "\n".join(lines) + "\n"


def tower_text(profile: Path, games: int, seed: int) -> str:
    """Write the campaign file that plays `games` games of the tower of a profile."""
    lines = ["[campaign]", 'kind = "game"', f"apparatus = {json.dumps(str(profile))}"]
    lines += [f"games = {games}", f"shard = {min(games, SHARD)}", f'seed = "{seed}"']
    return "\n".join([*lines, "", "[settings]", f'engine = "{ENGINE}"', ""])


def profile_text(unit: Sequence[float], head: Sequence[str], notes: Mapping[str, str]) -> str:
    """Write the profile at `unit`: base.toml with the fields set, `head` as its first comments.

    `notes` are words for free numbers (by name), put behind the fields they set.
    """
    set_to = fields(unit)
    lines = [f"# {line}".rstrip() for line in head]
    table = ""
    for line in TOWER.read_text("utf-8").splitlines():
        if line.startswith("# The "):
            continue
        if header := re.match(r"\[([\w.]+)\]", line):
            table = header[1]
        key = line.partition("=")[0].strip()
        name = f"profile.{table}.{key}"
        if "=" in line and name in set_to:
            value = set_to[name]
            value = value + 0.0 if isinstance(value, float) else value  # -0.0 is written as 0.0
            note = notes.get(_free(table, key), "")
            line = f"{key} = {_toml(value)}" + (f"  # [F] {note}" if note else "")
        lines.append(line)
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


_SETS = {
    "edge_mm": "edge",
    "inside_mm": "tube",
    "rib_height_mm": "rib_height",
    "height_mm": "release_height",
    "spread_mm": "release_spread",
    "slope_deg": "slope",
    "rows": "grid",
    "offset_mm": "stagger",
}
_SETS_OF_FLOOR = {"openings": "openings", "opening_mm": "opening", "ledge_mm": "ledges"}


def _free(table: str, key: str) -> str:
    """Return the free number that sets a field."""
    if table.endswith("_floor"):
        floor = table.removesuffix("_floor")
        if key == "top_mm":
            return "lower_height" if floor == "lower" else "distance"
        if key in _SETS_OF_FLOOR:
            return f"{floor}_{_SETS_OF_FLOOR[key]}"
    return _SETS.get(key, key)
