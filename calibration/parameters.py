"""What is free in the fit: the floors' pattern and six numbers, with their priors and the reasons for them.

Everything else of the tower stays as in tower.toml beside this file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOWER = Path(__file__).with_name("tower.toml")
ENGINE = "bullet"  # of every game: that of the design that ships, which games of another one would not belong to
SHARD = 4  # games
SURFACES = ("cube", "cardboard", "funnel")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A free number: uniform from `low` to `high`, in `unit`, with the `reason` for these limits."""

    name: str
    low: float
    high: float
    unit: str
    reason: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """A way to cut the two floors: `upper` and `lower` are the kind of openings and how many.

    The lower floor's openings are `ratio` times as wide as the upper's; `low` and `high` limit the upper's, in cube
    edges.
    """

    upper: tuple[str, int]
    lower: tuple[str, int]
    ratio: float
    low: float
    high: float
    reason: str


PATTERNS: dict[str, Pattern] = {
    "slots 2 over 3": Pattern(
        ("slots", 2), ("slots", 3), 0.725, 1.75, 2.6, "two slots over three narrower ones, crossed; narrower: it clogs"
    ),
    "slots 2 over 2": Pattern(
        ("slots", 2), ("slots", 2), 1.0, 1.4, 2.4, "two slots over two, crossed; wider: nothing stays"
    ),
    "squares 4 over 4": Pattern(
        ("squares", 2), ("squares", 2), 1.0, 2.1, 2.9, "four square holes a floor; wider ones leave no floor between"
    ),
}

OPENING = "opening"
NUMBERS: tuple[Parameter, ...] = (
    Parameter(OPENING, 0.0, 1.0, "of the pattern's range", "from nearly clogged to nearly nothing kept"),
    Parameter("friction", 0.2, 0.65, "", "wood on wood, cardboard and plastic: handbooks give 0.2 to 0.6; one for all"),
    Parameter("restitution", 0.15, 0.6, "", "small wooden cubes on card and wood; one for all"),
    Parameter("edge", 8.0, 10.0, "mm", "cubes of this kind measure 8 to 10 mm"),
    Parameter("release_height", 5.0, 30.0, "mm", "a hand just over the rim; from higher up cubes bounce over it"),
    Parameter("release_spread", 7.0, 9.5, "edges", "two hands full; closer, 49 cubes stand too high and fall beside"),
)
NAMES = tuple(number.name for number in NUMBERS)


def values(pattern: str, unit: Sequence[float]) -> dict[str, float]:
    """Return the free numbers at `unit`, a point of the unit cube with a coordinate for each of NUMBERS.

    `opening` is then the upper floor's, in cube edges.
    """
    numbers = {n.name: n.low + u * (n.high - n.low) for n, u in zip(NUMBERS, unit, strict=True)}
    shape = PATTERNS[pattern]
    numbers[OPENING] = shape.low + numbers[OPENING] * (shape.high - shape.low)
    return numbers


def fields(pattern: str, unit: Sequence[float]) -> dict[str, Any]:
    """Return what the profile has at `unit`: dotted fields (as a campaign varies them) and their values."""
    shape, free = PATTERNS[pattern], values(pattern, unit)
    set_to: dict[str, Any] = {"profile.cubes.edge_mm": round(free["edge"], 3)}
    floors = (("upper_floor", shape.upper, 1.0), ("lower_floor", shape.lower, shape.ratio))
    for floor, (kind, openings), ratio in floors:
        set_to[f"profile.{floor}.pattern"] = kind
        set_to[f"profile.{floor}.openings"] = openings
        set_to[f"profile.{floor}.opening_mm"] = round(ratio * free[OPENING] * free["edge"], 3)
    for surface in SURFACES:
        set_to[f"profile.surfaces.{surface}.friction"] = round(free["friction"], 4)
        set_to[f"profile.surfaces.{surface}.restitution"] = round(free["restitution"], 4)
    set_to["profile.release.height_mm"] = round(free["release_height"], 2)
    set_to["profile.release.spread_mm"] = round(free["release_spread"] * free["edge"], 2)
    return set_to


def campaign_text(points: Sequence[tuple[str, Sequence[float]]], games: int, seed: int) -> str:
    """Write the campaign file that plays `games` games at each of `points` (pattern and unit point)."""
    rows = [fields(pattern, unit) for pattern, unit in points]
    lines = ["[campaign]", 'kind = "game"', f'apparatus = "{TOWER}"']
    lines += [f"games = {games}", f"shard = {min(games, SHARD)}", f'seed = "{seed}"']
    lines += ["", "[settings]", f'engine = "{ENGINE}"']
    lines += ["", "[vary]", 'design = "list"', "", "[vary.fields]"]
    for name in rows[0]:
        lines.append(f'"{name}" = [{", ".join(_toml(row[name]) for row in rows)}]')
    return "\n".join(lines) + "\n"


def profile_text(pattern: str, unit: Sequence[float], head: Sequence[str], notes: Mapping[str, str]) -> str:
    """Write the profile at `unit`: tower.toml with the fields set, `head` as its first comments.

    `notes` are words for free numbers (by name), put behind the fields they set.
    """
    set_to = fields(pattern, unit)
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
            note = notes.get(_free(table, key), "")
            line = f"{key} = {_toml(value)}" + (f"  # [F] {note}" if note else "")
        lines.append(line)
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _free(table: str, key: str) -> str:
    """Return the free number that sets a field."""
    if table.endswith("_floor"):
        return OPENING if key == "opening_mm" else "pattern"
    return {"edge_mm": "edge", "height_mm": "release_height", "spread_mm": "release_spread"}.get(key, key)
