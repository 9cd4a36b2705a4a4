"""An apparatus with settings as data, from which programs in other languages drop cubes with the core.

apparatus, settings --document--> JSON --web/src/physics + core.wasm--> the drops of PhysicsModel, byte for byte
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from tower_sim.apparatus import where
from tower_sim.apparatus.board import Zone
from tower_sim.apparatus.hull import Hull
from tower_sim.apparatus.parts import Apparatus, Box, Surface, as_apparatus
from tower_sim.errors import UsageError
from tower_sim.physics.belonging import digest_of
from tower_sim.physics.core import CoreEngine
from tower_sim.physics.core.exported import CORE
from tower_sim.physics.scene import Scene
from tower_sim.physics.settings import PhysicsSettings, as_settings

SCHEMA = "tower-sim/physics"
VERSION = 3


def core() -> bytes:
    """Return the bytes of core.wasm, which drops the cubes of a document."""
    return CORE.path.read_bytes()


def drawn(shape: Apparatus) -> dict[str, Any]:
    """Return the drawn parts of an apparatus as plain values: its solids, heights (m), regions and zones."""
    board = shape.board
    return {
        "kind": "board" if board else "tower",
        "rim": shape.rim_top,
        "passed": shape.passed if math.isfinite(shape.passed) else None,
        "boxes": [_box(box) for box in shape.boxes],
        "hulls": [_hull(hull) for hull in shape.hulls],
        "regions": [{"name": region.name, "above": region.above} for region in shape.regions],
        "floor": board.floor if board else None,
        "zones": [_zone(zone) for zone in (board.zones if board else ())],
    }


def document(apparatus: Apparatus, settings: PhysicsSettings | None = None) -> dict[str, Any]:
    """Return all that decides a drop into an apparatus, as plain values; `settings` must be the core's."""
    shape, settings = as_apparatus(apparatus), as_settings(settings)
    if settings.engine != "core":
        raise UsageError(
            f"settings are of the engine {settings.engine}; allowed is the core, which is the only one that runs in "
            "other languages; leave the engine out"
        )
    if not shape.rule:
        raise UsageError(
            f"apparatus {shape.name!r} is of a kind that decides in Python where its cubes are; allowed is one that "
            "gives its rule as numbers, such as those that ship"
        )
    plain, board = drawn(shape), shape.board
    tables = Scene(CoreEngine(settings), shape, settings).tables
    is_tower = shape.rule[0] == where.TOWER
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "name": shape.name,
        "digest": digest_of(shape, settings),
        "settings": settings.table(),
        "cube": {"edge": shape.cube_edge},
        "surfaces": {name: _surface(surface) for name, surface in shape.surfaces.items()},
        "hand": {name: getattr(shape.hand, name) for name in ("height", "spread", "speed", "spin", "rate", "fall")},
        "swept": shape.swept,
        "exit": {"x": shape.rule[1], "top": shape.rule[8]} if is_tower else None,
        "board": {"x": board.x, "y": board.y, "floor": board.floor, "border_top": board.border_top} if board else None,
        "real": [number if math.isfinite(number) else None for number in tables.real.tolist()],
        "plan": tables.plan.tolist(),
        "rule": shape.rule,
        **plain,
    }


def text(plain: Mapping[str, Any]) -> str:
    """Return a document as one line of JSON."""
    return json.dumps(plain, separators=(",", ":"), allow_nan=False)


def _box(box: Box) -> dict[str, Any]:
    return {
        "part": box.part,
        "surface": box.surface,
        "centre": list(box.centre),
        "half": list(box.half),
        "turn": list(box.orientation),
    }


def _hull(hull: Hull) -> dict[str, Any]:
    return {
        "part": hull.part,
        "surface": hull.surface,
        "vertices": [list(vertex) for vertex in hull.vertices],
        "faces": [list(face) for face in hull.faces],
    } | ({"least_cosines": list(hull.least_cosines)} if hull.least_cosines else {})


def _zone(zone: Zone) -> dict[str, Any]:
    return {"name": zone.name, "corners": [list(corner) for corner in zone.corners], "says": _printed(zone.printed)}


def _printed(printed: Mapping[str, Any]) -> str:
    numbers = {key: value for key, value in printed.items() if not isinstance(value, str)}
    words: Sequence[str] = [value for value in printed.values() if isinstance(value, str) and value not in numbers]
    return ", ".join((*words, *(f"{value} {key}" for key, value in numbers.items())))


def _surface(surface: Surface) -> dict[str, float]:
    return {"friction": surface.friction, "restitution": surface.restitution}
