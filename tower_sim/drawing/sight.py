"""Faces as an eye sees them: the view, the order of painting, and which points are hidden."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from tower_sim.drawing.solids import Array, Face, View, from_back_to_front


class Sight:
    """The faces (mm) that an eye sees when it looks at their `middle`, from back to front.

    `eye` is its direction, `far` its distance in diagonals of the faces' bounding box. `low` and `high` bound
    everything in `view`.
    """

    def __init__(self, faces: Sequence[Face], eye: tuple[float, float, float], far: float = 5.0) -> None:
        points = np.concatenate([face.corners for face in faces])
        least, most = points.min(axis=0), points.max(axis=0)
        x, y, z = ((least + most) / 2).tolist()
        self.middle: tuple[float, float, float] = (x, y, z)
        self.view = View(eye, target=self.middle, distance=far * float(np.linalg.norm(most - least)))
        self.faces = from_back_to_front(faces, self.view)
        seen = self.view.project(points)
        self.low: list[float] = seen.min(axis=0).tolist()
        self.high: list[float] = seen.max(axis=0).tolist()

    @cached_property
    def rings(self) -> list[Array]:
        """The corners of each face as seen, in mm at the distance of the middle."""
        return [self.view.project(face.corners) for face in self.faces]

    @cached_property
    def _boxes(self) -> tuple[Array, Array]:
        return np.array([ring.min(axis=0) for ring in self.rings]), np.array([ring.max(axis=0) for ring in self.rings])

    def area(self, i: int) -> float:
        """Return the area of face `i` as seen."""
        x, y = self.rings[i].T
        return abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2

    def largest_first(self) -> list[int]:
        """Return the numbers of the faces, sorted by `area`."""
        return sorted(range(len(self.rings)), key=lambda i: -self.area(i))

    def is_seen(self, i: int, tip: Array) -> bool:
        """Return whether no other face hides the point `tip` of face `i`."""
        low, high = self._boxes
        over = i + 1 + np.flatnonzero(((low[i + 1 :] < tip) & (high[i + 1 :] > tip)).all(axis=1))
        return not any(_is_in(tip, self.rings[j]) for j in map(int, over))


def _is_in(point: Array, ring: Array) -> bool:
    side, away = np.roll(ring, -1, axis=0) - ring, point - ring
    turn = side[:, 0] * away[:, 1] - side[:, 1] * away[:, 0]
    return bool(np.all(turn >= 0) or np.all(turn <= 0))
