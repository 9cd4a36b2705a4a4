"""How a scene looks: which faces of walls are left out, the picture on a cube's faces, where its camera stands."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

Array = npt.NDArray[np.float64]

LENS = math.radians(30)
"""rad: the whole angle of the camera's view upwards."""
_FROM = {"tower": (-62, 17), "board": (-38, 40)}  # degrees about the vertical and over the table, as the page has it
_SIDE = 128  # pixels of a face's picture
_THIN = 0.4  # of a plate's length: what is thicker is no wall
_TALL = 1.6  # cubes' edges: what is lower is no wall


@dataclass(frozen=True, slots=True)
class Solid:
    """A fixed part: corners (m), shape (n, 3), and its faces, counter-clockwise from outside."""

    vertices: Array
    faces: Sequence[Sequence[int]]

    def planes(self) -> tuple[Array, Array]:
        """Return the outward unit normal of each face, and how far along it the face lies (m)."""
        normals = np.array([self._normal(face) for face in self.faces])
        return normals, np.array([n @ self.vertices[f[0]] for n, f in zip(normals, self.faces, strict=True)])

    def _normal(self, face: Sequence[int]) -> Array:
        corners = self.vertices[list(face)]
        normal = np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)
        return normal / np.linalg.norm(normal)


def outer_faces(solids: Sequence[Solid], edge: float) -> list[int | None]:
    """Return for each solid its face that looks away from the middle if it is an outer wall, else None.

    Without these faces one sees into the apparatus from every side: programs that show scenes draw faces from the front
    alone, and a wall that is near is seen from behind. `edge` (m) is the cubes'.
    """
    found = [_outside(solid, edge) for solid in solids]
    middles = [solid.vertices.mean(axis=0) for solid in solids]
    for i, face in enumerate(found):
        if face is not None:
            way = solids[i].planes()[0][face] * (1, 1, 0)
            way /= np.linalg.norm(way)
            if any(_is_hit(middles[i], way, other) for j, other in enumerate(solids) if j != i):
                found[i] = None
    return found


def _outside(solid: Solid, edge: float) -> int | None:
    """Return the outer face of an upright plate beside the middle."""
    normals, far = solid.planes()
    depths = far - (solid.vertices @ normals.T).min(axis=0)
    thinnest = int(depths.argmin())
    flat = solid.vertices.mean(axis=0) * (1, 1, 0)
    out = normals[thinnest] * (1 if normals[thinnest] @ flat >= 0 else -1)
    is_plate = depths[thinnest] < _THIN * depths.max() and abs(out[2]) < 0.85
    is_wall = out @ flat > edge and np.ptp(solid.vertices[:, 2]) > _TALL * edge
    return int((normals @ out).argmax()) if is_plate and is_wall else None


def _is_hit(start: Array, way: Array, solid: Solid) -> bool:
    """Tell whether a ray that begins outside a convex solid meets it."""
    normals, far = solid.planes()
    gap, speed = far - normals @ start, normals @ way
    along = np.abs(speed) < 1e-12
    if (along & (gap < 0)).any():
        return False
    enter = np.max(gap[speed < -1e-12] / speed[speed < -1e-12], initial=0.0)
    leave = np.min(gap[speed > 1e-12] / speed[speed > 1e-12], initial=math.inf)
    return bool(1e-4 < enter < leave)


def face_picture(paint: Mapping[str, Any]) -> bytes:
    """Return the picture on the faces of a colour's cubes as PNG: its colour, a rim, its letter; equal for equal."""
    figure: Any = Figure(figsize=(1, 1), dpi=_SIDE, facecolor=paint["rgb"], edgecolor=paint["ink"], linewidth=3)
    letter = {"ha": "center", "va": "center", "fontsize": 46, "fontweight": "bold"}
    figure.text(0.5, 0.47, paint["letter"], color=paint["ink"], parse_math=False, **letter)
    with io.BytesIO() as file:
        figure.savefig(file, format="png", metadata={"Software": None})
        return file.getvalue()


def camera_pose(points: Array, kind: str) -> tuple[list[float], list[float], float]:
    """Return where a camera stands that sees all points, shape (n, 3): place (m), quaternion x y z w, and its distance.

    It looks at the middle of them from where the page looks first at an apparatus of this kind.
    """
    turn, rise = (math.radians(angle) for angle in _FROM.get(kind, _FROM["tower"]))
    back = np.array([math.cos(rise) * math.cos(turn), math.cos(rise) * math.sin(turn), math.sin(rise)])
    right = np.array([-math.sin(turn), math.cos(turn), 0.0])
    axes = np.stack([right, np.cross(back, right), back])
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    seen = (points - middle) @ axes.T
    distance = float((np.abs(seen[:, :2]).max(axis=1) / math.tan(LENS / 2) + seen[:, 2]).max()) * 1.05
    half = (turn + math.pi / 2) / 2, (math.pi / 2 - rise) / 2  # about the vertical, and before it about x
    (s, c), (t, d) = ((math.sin(angle), math.cos(angle)) for angle in half)
    return (middle + distance * back).tolist(), [c * t, s * t, s * d, c * d], distance
