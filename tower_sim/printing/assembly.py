"""The picture of how parts go together: each moved away from the middle, with its number, its name and its size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from tower_sim.drawing.files import FONT, GREY, INK
from tower_sim.drawing.sheet import Sheet, width_of
from tower_sim.drawing.sight import Sight
from tower_sim.drawing.solids import Face
from tower_sim.drawing.surfaces import lit
from tower_sim.printing.mesh import Mesh, normals, owners

_EYE = (0.5, -0.95, 0.55)
_APART = (0.35, 0.35, 0.75)  # of a part's way from the middle along x, y and z: so much farther it is drawn
_FAR_APART = (1.1, 1.1, 0.9)  # the same of many panels
_CREASE = 1e-3  # sine of the angle between two triangles whose common edge is drawn
_ROW = 13.0  # pt from label to label
_SIZE = (8.0, 8.0)  # inches
_MANY = 10  # parts, from which on they are told on both sides, without their sizes
_TINTS = ("#d9cbb0", "#b9c9d6", "#cfd8bd", "#dcc0b4", "#c9c2d8", "#e0d6a8")


def assembly_figure(parts: Sequence[tuple[str, Mesh]], title: str, said: str) -> Figure:
    """Return a picture of parts, each with its name, pulled apart."""
    figure: Any = Figure(figsize=_SIZE)
    middle = (np.min([m.bounds[0] for _, m in parts], axis=0) + np.max([m.bounds[1] for _, m in parts], axis=0)) / 2
    are_many = len(parts) > _MANY
    apart = np.array(_FAR_APART if are_many else _APART)
    pulled = [(name, mesh.moved(apart * (sum(mesh.bounds) / 2 - middle))) for name, mesh in parts]
    faces = [face for name, mesh in pulled for face in _faces(name, mesh)]
    sight = Sight(faces, _EYE, far=6.0)
    (x0, y0), (x1, y1) = sight.low, sight.high
    tips = _tips(sight)
    words = {name: name if are_many else f"{name}\n{_size(mesh)}" for name, mesh in parts}
    middle_x = float(np.median([tip[0] for tip in tips.values()])) if are_many else -np.inf
    is_left = {name: tip[0] < middle_x for name, tip in tips.items()}
    room = 24 + max(map(width_of, words.values()))
    sheet = Sheet(
        figure, (0.0, 0.0, 1.0, 0.92), ([(x0, room if are_many else 10.0)], [(x1, room)], [(y0, 8)], [(y1, 8)])
    )
    colours = {name: to_rgb(_TINTS[i % len(_TINTS)]) for i, (name, _) in enumerate(parts)}
    sheet.paint(sight.faces, sight.view, [lit(face, colours[face.part], 0.6) for face in sight.faces], 0.4)
    tipped = [(words[name], tips[name], is_left[name]) for name, _ in parts]
    sheet.leaders(tipped, (x0, x1), 14.0, (1.0 if are_many else 2.2) * _ROW)
    figure.text(0.02, 0.985, title, fontsize=10, color=INK, va="top", weight="bold")
    figure.text(0.02, 0.96, said, fontsize=FONT, color=GREY, va="top", linespacing=1.4)
    return figure


def _size(mesh: Mesh) -> str:
    low, high = mesh.bounds
    return " × ".join(f"{length:.0f}" for length in high - low) + " mm"


def _tips(sight: Sight) -> dict[str, tuple[float, float]]:
    """Return for each part a place on it, as seen, that nothing hides, in as large a triangle as there is."""
    found: dict[str, tuple[float, float]] = {}
    for i in sight.largest_first():
        tip = sight.rings[i].mean(axis=0)
        if sight.faces[i].part not in found and sight.is_seen(i, tip):
            found[sight.faces[i].part] = (float(tip[0]), float(tip[1]))
    for face, ring in zip(sight.faces, sight.rings, strict=True):
        found.setdefault(face.part, (float(ring[0, 0]), float(ring[0, 1])))
    return found


def _faces(name: str, mesh: Mesh) -> list[Face]:
    """Return the triangles of a mesh; an edge between two of one plane is not drawn."""
    corners, owner = mesh.corners, owners(mesh.faces)
    normal = normals(corners)[0]
    neighbours = [[owner.get((f[(k + 1) % 3], f[k]), i) for k in range(3)] for i, f in enumerate(mesh.faces.tolist())]
    is_crease = np.linalg.norm(np.cross(normal[:, None], normal[neighbours]), axis=2) > _CREASE
    drawn: list[list[bool]] = is_crease.tolist()
    return [Face(name, corners[i], normal[i], tuple(drawn[i])) for i in range(len(drawn))]
