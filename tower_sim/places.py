"""The names of the places where a cube can be."""

from __future__ import annotations

from dataclasses import dataclass

INSIDE = "inside:"
ZONE = "zone:"
DOORWAY = "doorway"
TRAY = "tray"
TABLE = "table"
BORDER = "border"
LOST = "lost"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a cube is: its `place` and, on a board, the zones it `touches` and the rows of the cubes it is `on`."""

    place: str
    touches: tuple[str, ...] = ()
    on: tuple[int, ...] = ()
