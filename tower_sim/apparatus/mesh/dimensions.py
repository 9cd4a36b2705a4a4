"""The drawing of a tower from a mesh: two sections, with the outlines that decide where a cube is."""

from __future__ import annotations

from collections.abc import Sequence

from tower_sim.apparatus.common import mm
from tower_sim.apparatus.dimensions import Cut, Dimensions, Height, Part, Section, Width
from tower_sim.apparatus.hull import Hull
from tower_sim.apparatus.mesh.profile import MeshTable, measure_sides
from tower_sim.apparatus.parts import Box, over_table

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
