"""Cubes as solids, where they lie; and the shades in which faces are painted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.colors import to_rgb

from tower_sim.drawing.files import cube_colours
from tower_sim.drawing.shape import mm, point
from tower_sim.drawing.solids import Face, tilted_box
from tower_sim.errors import UsageError
from tower_sim.state import Resident

CUBE = "cube "  # before the colour, in the name of a cube's faces
_GREY = 0.9  # of a part without a grey of its own
_GREY_OF_CUT = 0.42
_LIGHT = np.array([0.35, -0.55, 0.76])


def cube_faces(residents: Sequence[Resident]) -> list[Face]:
    """Return the faces (mm) of cubes; raises UsageError for one without a pose."""
    faces: list[Face] = []
    for resident in residents:
        if resident.pose is None:
            raise UsageError(
                f"cube {resident.cube.id} in the state has no pose; allowed is a state of the physics model; "
                "draw the apparatus without it"
            )
        half = [mm(resident.cube.edge) / 2] * 3
        faces += tilted_box(CUBE + resident.cube.colour, point(resident.pose.position), half, resident.pose.orientation)
    return faces


def shades(faces: Sequence[Face], greys: Mapping[str, float]) -> list[tuple[float, ...]]:
    """Return the colour (red, green, blue) of each face: its part's, the darker the more it faces from the light.

    `greys` has those of parts, from 0 (black) to 1.
    """
    paint = cube_colours(sorted({face.part.removeprefix(CUBE) for face in faces if _is_cube(face)}))
    return [_shade(face, paint, greys) for face in faces]


def _shade(face: Face, paint: Mapping[str, str], greys: Mapping[str, float]) -> tuple[float, ...]:
    if face.is_cut:
        return (_GREY_OF_CUT,) * 3
    lit = 0.62 + 0.38 * max(0.0, float(face.normal @ _LIGHT) / float(np.linalg.norm(_LIGHT)))
    base = to_rgb(paint[face.part.removeprefix(CUBE)]) if _is_cube(face) else (greys.get(face.part, _GREY),) * 3
    return tuple(lit * x for x in base)


def _is_cube(face: Face) -> bool:
    return face.part.startswith(CUBE)
