"""The surfaces to draw, and the colour of each face."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib.colors import to_rgb

from tower_sim.apparatus import Board, Cut, Dimensions, Part, Section, Vector
from tower_sim.drawing.files import cube_colours
from tower_sim.drawing.sight import View
from tower_sim.drawing.solids import Array, Faces, make_boxes
from tower_sim.errors import UsageError
from tower_sim.values import Resident

CUBE = "cube "  # before the colour, in the name of a cube's faces
ZONE = "zone "  # before the zone's name, in the name of its floor
_UNNAMED = Part()
_GREY_OF_CUT = 0.42
_INTO = 1e-3  # mm: cuts are made so far inside, to hit material that begins at the cut
_LIGHT = np.array([0.35, -0.55, 0.76])


def mm(lengths: Iterable[float]) -> list[float]:
    """Return lengths in m as lengths in mm."""
    return [1e3 * x for x in lengths]


def find_part(dimensions: Dimensions, name: str) -> Part:
    """Return the look of the part called `name`."""
    return dimensions.parts.get(name, _UNNAMED)


def find_surface(
    faces: Faces, dimensions: Dimensions, cuts: Sequence[Cut] = (), parts: Sequence[str] | None = None
) -> Faces:
    """Return the faces in view of solids of `parts` (None: all) that reach above the table.

    Solids are trimmed at their part's planes, and cut open by `cuts`.
    """
    low, high = faces.bounds()
    names = faces.parts()
    is_drawn = (high[:, 2] > 1e-6) & (np.isin(names, parts) if parts is not None else True)
    faces = faces.select(is_drawn[faces.solid])
    for name in np.unique(names).tolist():
        for normal, offset in find_part(dimensions, name).within:
            faces = faces.clip(normal, 1e3 * offset, names == name, False)
    for cut in cuts:
        is_cut = np.isin(names, cut.parts or names)
        if cut.only:
            is_cut &= (low + high) / 2 @ cut.only[0] > 1e3 * cut.only[1]
        faces = faces.clip(cut.plane[0], 1e3 * cut.plane[1] - _INTO, is_cut, True)
    return faces.select(faces.is_skin)


_VIEWS: dict[str, tuple[Vector, Vector, Vector]] = {  # kept half space, eye, up
    "x": ((1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    "y": ((0.0, -1.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0)),
    "z": ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)),
}


def cut_section(faces: Faces, dimensions: Dimensions, section: Section) -> tuple[Faces, View]:
    """Return what a section shows of the faces of solids, and its view."""
    normal, eye, up = _VIEWS[section.axis]
    into = 2e-3 * _INTO if section.axis == "z" else 0.0  # over a floor's surface, not through it
    cut = Cut((normal, sum(normal) * section.at + into))
    return find_surface(faces, dimensions, [cut], section.parts or None), View(eye, up)


def zone_faces(board: Board) -> Faces:
    """Return the floors of a board's zones as faces (mm), a little over the board's own."""
    number, sizes = len(board.zones), np.array([len(zone.corners) for zone in board.zones])
    corners = np.array([(1e3 * x, 1e3 * y, 1e3 * board.floor + _INTO) for zone in board.zones for x, y in zone.corners])
    names, some = np.array([ZONE + zone.name for zone in board.zones]), np.ones(number, dtype=bool)
    up = np.tile([0.0, 0.0, 1.0], (number, 1))
    return Faces(corners, sizes, up, np.arange(number), names, ~some, some)


def cube_faces(residents: Sequence[Resident]) -> Faces:
    """Return the faces (mm) of cubes; raise UsageError if a cube has no pose."""
    for resident in residents:
        if resident.pose is None:
            raise UsageError(
                f"cube {resident.cube.id} in the state has no pose; allowed is a state of the physics model; "
                "draw the apparatus without it"
            )
    poses = [resident.pose for resident in residents if resident.pose]
    half = [mm([resident.cube.edge / 2] * 3) for resident in residents]
    names = [CUBE + resident.cube.colour for resident in residents]
    return make_boxes(names, [mm(pose.position) for pose in poses], half, [pose.orientation for pose in poses])


def find_shades(faces: Faces, dimensions: Dimensions) -> Array:
    """Return the colour of each face in the light, shape (n, 4): red, green, blue and alpha."""
    names, which = np.unique(faces.part, return_inverse=True)
    paint = cube_colours([name.removeprefix(CUBE) for name in names.tolist() if name.startswith(CUBE)])
    colours: dict[str, Any] = {CUBE + name: to_rgb(colour) for name, colour in paint.items()}
    colours |= {name: (part.grey,) * 3 for name, part in dimensions.parts.items()}
    if dimensions.board:
        colours |= {ZONE + name: (printed.grey,) * 3 for name, printed in dimensions.board.printed.items()}
    plain = np.array([colours.get(name, (_UNNAMED.grey,) * 3) for name in names.tolist()]).reshape(-1, 3)
    shade = np.where(faces.is_cut[:, None], _GREY_OF_CUT, light(faces.normal, plain[which], 0.62))
    return np.column_stack([shade, np.ones(len(faces))])


def light(normal: Array, colour: Array, least: float) -> Array:
    """Return colours, shape (n, 3), in light; faces turned away keep the share `least`."""
    facing = np.maximum(0.0, normal @ _LIGHT / np.linalg.norm(_LIGHT))
    return np.minimum(1.0, (least + (1 - least) * facing)[:, None] * colour)
