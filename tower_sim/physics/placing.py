"""Put one cube into a zone of the board, as a hand does."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tower_sim import draws, portable
from tower_sim.apparatus import polygon
from tower_sim.apparatus.parts import turned_about_z
from tower_sim.apparatus.solids import reach, touching
from tower_sim.apparatus.with_board import WithBoard
from tower_sim.state import Pose

Array = npt.NDArray[np.float64]

_TRIES = 200
_GAP = 0.04  # edges: the gap that is kept free around the cube


def put_down(ship: WithBoard, zone: str, others: Sequence[Pose], rng: np.random.Generator) -> Pose:
    """Draw the pose of a cube that a hand puts flat into `zone`, clear of its borders and of the cubes at `others`.

    Random, from `rng`: the place, uniform over the free places, and the turn about the vertical, uniform. If `_TRIES`
    draws find no free place, the cube is put on top of other cubes, at the first place drawn that is clear of the
    borders.
    """
    edge = ship.cube_edge
    corner = np.array(ship.board.zone(zone).corners)
    inward = polygon.inward(corner)
    (x0, y0), (x1, y1) = corner.min(axis=0).tolist(), corner.max(axis=0).tolist()
    lies = np.array([pose.position for pose in others]).reshape(-1, 3)
    turns = np.array([pose.orientation for pose in others]).reshape(-1, 4)
    first: Pose | None = None
    for _ in range(_TRIES):
        x, y = draws.uniform(rng, x0, x1), draws.uniform(rng, y0, y1)
        turn = draws.uniform(rng, 0.0, math.pi / 2)
        depth = portable.dot(np.array([x, y]) - corner, inward)
        if np.any(depth < _half_width(turn, inward, edge) + _GAP * edge):
            continue
        pose = Pose((x, y, ship.board.floor + edge / 2), turned_about_z(turn))
        if not _meets(pose, lies, turns, edge):
            return pose
        first = first or pose
    if first is None:
        raise RuntimeError(f"no place in zone {zone!r} holds a cube flat")  # the catalogue refuses such zones
    x, y, _ = first.position
    near = portable.lengths(lies[:, :2] - np.array([x, y])) < 2 * edge
    top = float((lies[:, 2] + reach(turns, edge)[:, 2])[near].max())
    return Pose((x, y, top + edge / 2), first.orientation)


def _half_width(turn: float, normals: Array, edge: float) -> Array:
    """Return half the width (m) of a square of `edge`, turned by `turn` (rad), along each of `normals` (k, 2)."""
    cos, sin = portable.cos(turn), portable.sin(turn)
    along, across = np.array([cos, sin]), np.array([-sin, cos])
    return edge / 2 * (np.abs(portable.dot(normals, along)) + np.abs(portable.dot(normals, across)))


def _meets(pose: Pose, lies: Array, turns: Array, edge: float) -> bool:
    """Return whether a cube at `pose` would be nearer than the gap to one of the other cubes."""
    position = np.concatenate([lies, [pose.position]])
    orientation = np.concatenate([turns, [pose.orientation]])
    return bool(touching(position, orientation, edge, _GAP * edge)[-1].any())
