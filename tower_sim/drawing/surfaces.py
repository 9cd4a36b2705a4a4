"""The surfaces to paint, and the shade of each face."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from matplotlib.colors import to_rgb

from tower_sim.apparatus.board import Board
from tower_sim.apparatus.dimensions import Cut, Dimensions, Part, Plane, Section, Vector
from tower_sim.apparatus.hull import Hull, normal_of
from tower_sim.apparatus.parts import Apparatus, Box, over_table
from tower_sim.drawing.files import cube_colours
from tower_sim.drawing.solids import Face, Solid, View, clipped, joined, tilted_box, union
from tower_sim.errors import UsageError
from tower_sim.state import Resident

CUBE = "cube "  # before the colour, in the name of a cube's faces
ZONE = "zone "  # before the zone's name, in the name of its floor
_UNNAMED = Part()
_GREY_OF_CUT = 0.42
_SAME = 1 - 1e-9  # the cosine of one direction and the same
_INTO = 1e-3  # mm: cuts are made so far inside, to hit material that begins at the cut
_LIGHT = np.array([0.35, -0.55, 0.76])


def mm(lengths: Iterable[float]) -> list[float]:
    """Return lengths in m as lengths in mm."""
    return [1e3 * x for x in lengths]


def part_of(dimensions: Dimensions, name: str) -> Part:
    """Return the look of the part called `name`."""
    return dimensions.parts.get(name, _UNNAMED)


def surface(
    boxes: Iterable[Box | Hull], dimensions: Dimensions, planes_of: Callable[[Box | Hull], Iterable[Plane]]
) -> list[Face]:
    """Return the faces (mm) of boxes and hulls, without the table.

    Solids are trimmed at their part's planes in `dimensions`, and cut open at those that `planes_of` returns.
    """
    solids: dict[str, list[Solid]] = {}
    skins: dict[str, list[Face]] = {}
    for box in filter(over_table, boxes):
        solid = _solid(box)
        for normal, offset in part_of(dimensions, box.part).within:
            solid = clipped(solid, normal, 1e3 * offset, False)
        for normal, offset in planes_of(box):
            solid = clipped(solid, normal, 1e3 * offset - _INTO, True)
        if isinstance(box, Hull) and box.least_cosines:  # a piece of a surface: its other faces are in the material
            outward = np.array(normal_of(box.vertices, box.faces[0]))
            seen = [face for face in solid if face.is_cut or float(face.normal @ outward) > _SAME]
            skins.setdefault(box.part, []).extend(seen)
        elif solid:
            solids.setdefault(box.part, []).append(solid)
    united = [face for of_part in solids.values() for face in union(of_part)]
    return united + [face for of_part in skins.values() for face in joined(of_part)]


def _solid(shape: Box | Hull) -> Solid:
    if isinstance(shape, Box):
        return tilted_box(shape.part, mm(shape.centre), mm(shape.half), shape.orientation)
    corners = 1e3 * np.array(shape.vertices)
    return [
        Face(shape.part, corners[list(face)], np.array(normal_of(shape.vertices, face)), (True,) * len(face))
        for face in shape.faces
    ]


def cuts_of(cuts: Sequence[Cut]) -> Callable[[Box | Hull], Iterable[Plane]]:
    """Return a function that gives the planes (m) at which `cuts` open a box or hull."""

    def is_meant(cut: Cut, box: Box | Hull) -> bool:
        is_there = cut.only is None or float(np.dot(cut.only[0], box.centre)) > cut.only[1]
        return is_there and (not cut.parts or box.part in cut.parts)

    return lambda box: (cut.plane for cut in cuts if is_meant(cut, box))


_SEEN: dict[str, tuple[Vector, Vector, Vector]] = {  # kept half space, eye, up
    "x": ((1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    "y": ((0.0, -1.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0)),
    "z": ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)),
}


def section_of(apparatus: Apparatus, dimensions: Dimensions, section: Section) -> tuple[list[Face], View]:
    """Return the faces (mm) that a section shows, and their view."""
    normal, eye, up = _SEEN[section.axis]
    into = 2e-3 * _INTO if section.axis == "z" else 0.0  # over a floor's surface, not through it
    plane = (normal, sum(normal) * section.at + into)
    boxes = [box for box in apparatus.solids if not section.parts or box.part in section.parts]
    return surface(boxes, dimensions, lambda box: [plane]), View(eye, up)


def zone_faces(board: Board) -> list[Face]:
    """Return the floors of a board's zones as faces (mm)."""
    up = np.array([0.0, 0.0, 1.0])
    rings = {zone.name: 1e3 * np.array([(x, y, board.floor) for x, y in zone.corners]) for zone in board.zones}
    return [Face(ZONE + name, ring, up, (True,) * len(ring)) for name, ring in rings.items()]


def cube_faces(residents: Sequence[Resident]) -> list[Face]:
    """Return the faces (mm) of cubes; raise UsageError if a cube has no pose."""
    faces: list[Face] = []
    for resident in residents:
        if resident.pose is None:
            raise UsageError(
                f"cube {resident.cube.id} in the state has no pose; allowed is a state of the physics model; "
                "draw the apparatus without it"
            )
        half = mm([resident.cube.edge / 2] * 3)
        faces += tilted_box(CUBE + resident.cube.colour, mm(resident.pose.position), half, resident.pose.orientation)
    return faces


def shades(faces: Sequence[Face], dimensions: Dimensions) -> list[tuple[float, ...]]:
    """Return the colour (red, green, blue) of each face: the darker the less light reaches it."""
    paint = cube_colours(sorted({face.part.removeprefix(CUBE) for face in faces if face.part.startswith(CUBE)}))
    greys = {name: part.grey for name, part in dimensions.parts.items()}
    if dimensions.board:
        greys |= {ZONE + name: printed.grey for name, printed in dimensions.board.printed.items()}
    return [_shade(face, paint, greys) for face in faces]


def _shade(face: Face, paint: Mapping[str, str], greys: Mapping[str, float]) -> tuple[float, ...]:
    if face.is_cut:
        return (_GREY_OF_CUT,) * 3
    is_cube = face.part.startswith(CUBE)
    base = to_rgb(paint[face.part.removeprefix(CUBE)]) if is_cube else (greys.get(face.part, _UNNAMED.grey),) * 3
    return lit(face, base, 0.62)


def lit(face: Face, colour: Sequence[float], least: float) -> tuple[float, ...]:
    """Return a colour (red, green, blue) in light from one side; faces turned away keep the share `least` of it."""
    share = least + (1 - least) * max(0.0, float(face.normal @ _LIGHT) / float(np.linalg.norm(_LIGHT)))
    return tuple(min(1.0, share * x) for x in colour)
