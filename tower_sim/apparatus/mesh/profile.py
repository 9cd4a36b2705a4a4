"""The profile and the drawing of a tower from a mesh: two sections, with the outlines that decide where a cube is."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import Field

from tower_sim.apparatus.common import Emerged, Parameters, Surfaces, SurfaceTable, demand, demand_length, mm
from tower_sim.apparatus.dimensions import Cut, Dimensions, Height, Part, Section, Width
from tower_sim.apparatus.parts import Box, Hull, over_table, sides, span
from tower_sim.apparatus.tower_parts import tray_walls
from tower_sim.documents import Document, number

_TITLES = {"y": "section through the middle", "x": "section across it, through the middle"}


def dimensions(given: MeshTable, solids: Sequence[Box | Hull]) -> Dimensions:
    """Return what is drawn besides the solids."""
    solids = [solid for solid in solids if over_table(solid)]
    parts = {solid.part: Part(solid.part.replace("_", " ")) for solid in solids}
    return Dimensions(
        parts,
        (_section(given, solids, "y", 0), _section(given, solids, "x", 1)),
        cuts=(Cut(((0.0, -1.0, 0.0), 0.0)),),
        note="the near half is cut away; dashed: mouth, inside, exit, tray",
    )


def _section(given: MeshTable, solids: Sequence[Box | Hull], axis: str, along: int) -> Section:
    rim, top = given.mouth.height, given.exit.top
    right = max(solid.bounds[1][along] for solid in solids)
    low, high = _across(given.mouth.outline_mm, along)
    heights = [Height(mm(rim), 0.0, rim, right)]
    marks = [((low, rim), (high, rim))]
    above = rim
    for layer in given.inside:
        left, end = _across(layer.outline_mm, along)
        marks += [((left, above), (left, layer.bottom)), ((end, above), (end, layer.bottom))]
        above = layer.bottom
    if along == 0:
        heights.append(Height(f"exit {mm(top)}", 0.0, top, right))
        end = _across(given.inside[-1].outline_mm, along)[1]
        marks.append(((end, top), (end + given.exit.wall, top)))
    ground = 1e-3 * (given.tray.x_mm, given.tray.y_mm)[along][0], 1e-3 * (given.tray.x_mm, given.tray.y_mm)[along][1]
    marks.append(((ground[0], 0.0), (ground[1], 0.0)))
    width = Width(f"mouth {mm(high - low)}", low, high, rim, True)
    return Section(_TITLES[axis], axis, 0.0, (width,), tuple(heights), marks=tuple(marks))


def _across(outline: list[list[float]], along: int) -> tuple[float, float]:
    at = [(side[along], side[2]) for side in measure_sides(outline) if abs(side[along]) > 1e-9]
    return max(d / n for n, d in at if n < 0), min(d / n for n, d in at if n > 0)


Material = Literal["printed", "pane", "table"]
Pair = Annotated[list[float], Field(min_length=2, max_length=2)]
Triple = Annotated[list[float], Field(min_length=3, max_length=3)]
Outline = Annotated[list[Pair], Field(min_length=3, max_length=64)]
_OUTLINE = "Its corners x, y, convex, in either direction."


class Source(Document, frozen=True):
    """The mesh that the solids were made from, and where it lies."""

    file: str = Field(description="The name of the mesh's file, beside the profile.")
    digest: str = Field(description="The first 16 digits of its SHA-256.")
    scale: float = Field(gt=0, le=1e5, description="So many mm is one unit of the file: 1, 10, 25.4, 1000 or other.")
    up: Literal["x", "y", "z", "-x", "-y", "-z"] = Field(description="Which way is up in the file.")
    only_mm: Annotated[list[float], Field(min_length=4, max_length=4)] | None = Field(
        None, description="Of several towers in the file, the one in this rectangle: its least x, y, then its largest."
    )
    turn_deg: float = Field(
        ge=-360, le=360, description="It is turned so much about the vertical, from above to the left."
    )
    move_mm: Triple = Field(description="Then it is moved by so much along x, y, z.")
    flat_mm: float = Field(ge=0, le=1, description="What is flat within so much is one face.")


class Solids(Document, frozen=True):
    """The file of solids that the import made."""

    file: str = Field(description="The name of the file of solids, beside the profile.")
    digest: str = Field(description="The first 16 digits of its SHA-256.")
    data: str = Field(
        "", description="The text of that file, where there are no files; it is read from the file otherwise."
    )


class Sheet(Document, frozen=True):
    """An upright box that the file lacks."""

    part: str = Field(min_length=1, max_length=40, description="The name of the part.")
    surface: Material = Field(description="Its material.")
    from_mm: Triple = Field(description="The corner with the smallest x, y, z.")
    to_mm: Triple = Field(description="The corner with the largest x, y, z.")


class Mouth(Document, frozen=True):
    """The opening at the top."""

    height: float = number(
        "height_mm", 10, 2000, "The height of its rim. A cube beside it, down to two edges below, has missed."
    )
    outline_mm: Outline = Field(description=_OUTLINE)


class Inside(Document, frozen=True):
    """A layer of the inside."""

    name: str = Field(
        min_length=1, max_length=40, description="The region's name; layers with one name are one region."
    )
    bottom: float = number("bottom_mm", 0, 2000, "The height on which it begins.")
    outline_mm: Outline = Field(description=_OUTLINE + " It is that of the walls' inner faces.")


class Exit(Document, frozen=True):
    """The exit: a cube whose middle leaves the outline there is out."""

    top: float = number("top_mm", 1, 2000, "The height of its upper edge.")
    side: Literal["front", "around"] = Field(description="`front`: it faces +x. `around`: it is open to all sides.")
    wall: float = number(
        "wall_mm",
        0,
        50,
        "So thick are the walls: a cube outside by more is not in a wall. 0 if there is a window, too.",
    )
    passed: float = number("passed_mm", 0, 2000, "Under this height nothing holds a cube; physics is coarser there.", 0)
    emerged: Emerged


class Tray(Document, frozen=True):
    """The tray: cubes lie in it or on the table."""

    x_mm: Pair = Field(description="From where to where it goes along x.")
    y_mm: Pair = Field(description="From where to where it goes along y.")
    walls: float = number("walls_mm", 0, 100, "The height of walls around it that the file lacks; 0 is none.")


class Materials(Surfaces, frozen=True):
    """The contacts of cubes."""

    printed: SurfaceTable
    pane: SurfaceTable
    table: SurfaceTable


class MeshTable(Parameters, frozen=True):
    """All parameters of a tower from a mesh."""

    source: Source
    solids: Solids
    parts: dict[str, Material] = Field(description="The material of each part of the mesh.")
    surfaces: Materials
    boxes: list[Sheet] = Field(default=[], max_length=100, description="Boxes that the file lacks.")
    mouth: Mouth
    inside: list[Inside] = Field(
        min_length=1, max_length=64, description="The layers of the inside, from the top down."
    )
    exit: Exit
    tray: Tray

    @property
    def solids_digest(self) -> str:
        """The digest of what the solids depend on."""
        return self.digest_of(self.source, 1e3 * self.cubes.edge, [box.model_dump() for box in self.boxes])

    @staticmethod
    def digest_of(source: Source, edge: float, boxes: Sequence[Mapping[str, Any]]) -> str:
        """Return the digest of what solids depend on; `edge` is that of cubes (mm)."""
        corners = [[float(x) for key in ("from_mm", "to_mm") for x in each[key]] for each in boxes]
        content = [source.model_dump(exclude_none=True), float(round(edge, 6)), corners]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def check(given: MeshTable) -> None:
    """Refuse parameters that do not fit together."""
    edge, rim, exit_top = given.cubes.edge, given.mouth.height, given.exit.top
    width = 2 * measure_free(given.mouth.outline_mm)
    demand(
        width > edge,
        f"mouth.outline_mm leaves a circle of {mm(width)} mm about the middle; allowed is more than cubes.edge_mm = "
        f"{mm(edge)}, or no cube fits in; move or widen the mouth",
    )
    allowed = "at most {}, the circle about the middle that the mouth leaves"
    demand_length("release.spread", given.release.spread, allowed, width, "hold the hand closer")
    heights = [rim, *(layer.bottom for layer in given.inside)]
    allowed, advice = "less than {}, where the layer above it begins", "list the layers from the top down"
    for k, (above, below) in enumerate(pairwise(heights)):
        demand_length(f"inside.{k}.bottom", below, allowed, above, advice)
    advice = "lower it (an open front needs a pane)"
    demand_length("exit.top", exit_top, "less than {}, two edges under the rim", rim - 2 * edge, advice)
    for axis in ("x_mm", "y_mm"):
        low, high = getattr(given.tray, axis)
        demand(high > low, f"tray.{axis} is [{low:g}, {high:g}]; allowed is the smaller number first; swap them")


def measure_free(outline: Sequence[Sequence[float]]) -> float:
    """Return the radius (m) of the circle about the origin within a convex outline (mm)."""
    return min(distance for _, _, distance in measure_sides(outline))


def measure_sides(outline: Sequence[Sequence[float]]) -> list[tuple[float, float, float]]:
    """Return each side's outward unit normal x, y and its distance (m), of a convex outline (mm)."""
    area = math.fsum(a[0] * b[1] - a[1] * b[0] for a, b in sides(outline))
    corners = outline if area > 0 else outline[::-1]
    lines: list[tuple[float, float, float]] = []
    for (ax, ay), (bx, by) in sides(corners):
        size = math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))
        demand(size > 0, f"an outline has the corner {ax:g}, {ay:g} twice in a row; allowed is once; remove one")
        x, y = (by - ay) / size, (ax - bx) / size
        lines.append((x, y, (x * ax + y * ay) * 1e-3))
        demand(
            all(x * (cx - ax) + y * (cy - ay) < 1e-6 for cx, cy in corners),
            f"an outline is not convex between {ax:g}, {ay:g} and {bx:g}, {by:g}; allowed are convex ones; cut it "
            "into layers, or leave corners out",
        )
    return lines


def boxes(given: MeshTable) -> list[Box]:
    """Return the boxes that the file lacks."""
    sheets: list[Box] = []
    for sheet in given.boxes:
        x, y, z = ((a * 1e-3, b * 1e-3) for a, b in zip(sheet.from_mm, sheet.to_mm, strict=True))
        sheets.append(span(sheet.part, x, y, z, sheet.surface))
    if not given.tray.walls:
        return sheets
    x, y = ((1e-3 * low, 1e-3 * high) for low, high in (given.tray.x_mm, given.tray.y_mm))
    return [*sheets, *tray_walls(x, y, (0.0, given.tray.walls), "table")]
