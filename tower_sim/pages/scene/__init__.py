"""The scene: an apparatus with its cubes, drawn in a page; whoever shows one gives it poses."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tower_sim.apparatus.parts import Apparatus
from tower_sim.pages.html import source

_TABLE = "table"
_SCRIPTS = ("algebra", "solids", "tray", "camera", "shaders", "gl", "prints", "renderer", "stage", "hands")


def script() -> str:
    """Return what draws a scene, for after pages/common.js: stage.js is where its users begin."""
    return source("tower_sim.pages.scene", *(f"{name}.js" for name in _SCRIPTS))


def seen(shape: Apparatus) -> dict[str, Any]:
    """Return what of an apparatus is drawn: its solids but for the table, heights (m), regions, zones."""
    board = shape.board
    return {
        "kind": "board" if board else "tower",
        "rim": shape.rim_top,
        "passed": shape.passed if math.isfinite(shape.passed) else None,
        "boxes": [
            {
                "part": box.part,
                "surface": box.surface,
                "centre": list(box.centre),
                "half": list(box.half),
                "turn": list(box.orientation),
            }
            for box in shape.boxes
            if box.part != _TABLE
        ],
        "hulls": [
            {
                "part": hull.part,
                "surface": hull.surface,
                "vertices": [list(vertex) for vertex in hull.vertices],
                "faces": [list(face) for face in hull.faces],
            }
            for hull in shape.hulls
        ],
        "regions": [{"name": region.name, "above": region.above} for region in shape.regions],
        "floor": board.floor if board else None,
        "zones": [
            {
                "name": zone.name,
                "corners": [list(corner) for corner in zone.corners],
                "says": _printed(zone.printed),
            }
            for zone in (board.zones if board else ())
        ],
    }


def _printed(printed: Mapping[str, Any]) -> str:
    """Say what is printed on a zone: numbers with their names, and a word that names none of them."""
    numbers = {key: value for key, value in printed.items() if not isinstance(value, str)}
    words = [value for value in printed.values() if isinstance(value, str) and value not in numbers]
    return ", ".join((*words, *(f"{value} {key}" for key, value in numbers.items())))
