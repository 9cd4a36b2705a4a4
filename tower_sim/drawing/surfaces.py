"""The surfaces to paint, and the shade of each face."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from matplotlib.colors import to_rgb

from tower_sim.apparatus.board import Board
from tower_sim.apparatus.dimensions import Cut, Dimensions, Part, Plane, Section, Vector
from tower_sim.apparatus.hull import Hull, normal_of
from tower_sim.apparatus.parts import Apparatus, Box, over_table
from tower_sim.drawing.files import cube_colours
from tower_sim.drawing.solids import Face, Solid, View, clip, join, tilted_box, unite
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


def find_part(dimensions: Dimensions, name: str) -> Part:
    """Return the look of the part called `name`."""
    return dimensions.parts.get(name, _UNNAMED)


def find_surface(
    boxes: Iterable[Box | Hull], dimensions: Dimensions, planes_of: Callable[[Box | Hull], Iterable[Plane]]
) -> list[Face]:
    """Return the faces (mm) of boxes and hulls, without the table.

    Solids are trimmed at their part's planes, and cut open at those that `planes_of` returns.
    """
    solids: dict[str, list[Solid]] = {}
    skins: dict[str, list[Face]] = {}
    for box in filter(over_table, boxes):
        solid = _make_solid(box)
        for normal, offset in find_part(dimensions, box.part).within:
            solid = clip(solid, normal, 1e3 * offset, False)
        for normal, offset in planes_of(box):
            solid = clip(solid, normal, 1e3 * offset - _INTO, True)
        if isinstance(box, Hull) and box.least_cosines:  # a piece of a surface: its other faces are in the material
            outward = np.array(normal_of(box.vertices, box.faces[0]))
            faces = [face for face in solid if face.is_cut or float(face.normal @ outward) > _SAME]
            skins.setdefault(box.part, []).extend(faces)
        elif solid:
            solids.setdefault(box.part, []).append(solid)
    return [face for part in solids.values() for face in unite(part)] + [
        face for skin in skins.values() for face in join(skin)
    ]


def _make_solid(shape: Box | Hull) -> Solid:
    if isinstance(shape, Box):
        return tilted_box(shape.part, mm(shape.centre), mm(shape.half), shape.orientation)
    corners = 1e3 * np.array(shape.vertices)
    return [
        Face(shape.part, corners[list(face)], np.array(normal_of(shape.vertices, face)), (True,) * len(face))
        for face in shape.faces
    ]


def find_cuts(cuts: Sequence[Cut]) -> Callable[[Box | Hull], Iterable[Plane]]:
    """Return a function that gives the planes (m) at which `cuts` open a solid."""

    def applies(cut: Cut, box: Box | Hull) -> bool:
        is_there = cut.only is None or float(np.dot(cut.only[0], box.centre)) > cut.only[1]
        return is_there and (not cut.parts or box.part in cut.parts)

    return lambda box: (cut.plane for cut in cuts if applies(cut, box))


_VIEWS: dict[str, tuple[Vector, Vector, Vector]] = {  # kept half space, eye, up
    "x": ((1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    "y": ((0.0, -1.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0)),
    "z": ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)),
}


def cut_section(apparatus: Apparatus, dimensions: Dimensions, section: Section) -> tuple[list[Face], View]:
    """Return the faces (mm) that a section shows, and their view."""
    normal, eye, up = _VIEWS[section.axis]
    into = 2e-3 * _INTO if section.axis == "z" else 0.0  # over a floor's surface, not through it
    plane = (normal, sum(normal) * section.at + into)
    boxes = [box for box in apparatus.solids if not section.parts or box.part in section.parts]
    return find_surface(boxes, dimensions, lambda box: [plane]), View(eye, up)


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


def find_shades(faces: Sequence[Face], dimensions: Dimensions) -> list[tuple[float, ...]]:
    """Return the colour (red, green, blue) of each face in the light."""
    paint = cube_colours(sorted({face.part.removeprefix(CUBE) for face in faces if face.part.startswith(CUBE)}))
    colours = {CUBE + name: to_rgb(colour) for name, colour in paint.items()}
    colours |= {name: (part.grey,) * 3 for name, part in dimensions.parts.items()}
    if dimensions.board:
        colours |= {ZONE + name: (printed.grey,) * 3 for name, printed in dimensions.board.printed.items()}
    plain = (_UNNAMED.grey,) * 3
    return [(_GREY_OF_CUT,) * 3 if face.is_cut else light(face, colours.get(face.part, plain), 0.62) for face in faces]


def light(face: Face, colour: Sequence[float], least: float) -> tuple[float, ...]:
    """Return a colour (red, green, blue) in light; faces turned away keep the share `least`."""
    share = least + (1 - least) * max(0.0, float(face.normal @ _LIGHT) / float(np.linalg.norm(_LIGHT)))
    return tuple(min(1.0, share * x) for x in colour)
