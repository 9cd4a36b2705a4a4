"""Placing: a hand puts one cube down in a zone of the board."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus.solids import reach, touching
from tower_sim.apparatus.with_board import WithBoard
from tower_sim.state import Pose

Array = npt.NDArray[np.float64]

_TRIES = 200
_GAP = 0.04  # of the edge: kept free around the cube


def put_down(ship: WithBoard, zone: str, others: Sequence[Pose], rng: np.random.Generator) -> Pose:
    """Draw where a hand puts a cube down flat in `zone`, clear of its borders and of the cubes at `others`.

    Random, from `rng`: the place, uniform over the free ones, and the turn about the vertical, uniform. When `_TRIES`
    draws find no free place, the cube is laid upon the cubes at the first place that is clear of the borders.
    """
    edge = ship.cube_edge
    corner = np.array(ship.board.zone(zone).corners)
    side = np.roll(corner, -1, axis=0) - corner
    inward = np.stack([-side[:, 1], side[:, 0]], axis=1) / np.linalg.norm(side, axis=1)[:, None]
    lies = np.array([pose.position for pose in others]).reshape(-1, 3)
    turns = np.array([pose.orientation for pose in others]).reshape(-1, 4)
    first: Pose | None = None
    for _ in range(_TRIES):
        centre: Array = np.asarray(rng.uniform(corner.min(axis=0), corner.max(axis=0)), dtype=np.float64)
        x, y = float(centre[0]), float(centre[1])
        turn = rng.uniform(0.0, math.pi / 2)
        half_width = edge / 2 * np.abs(inward @ _along(turn)).sum(axis=1)  # of the turned square along each normal
        if np.any(((centre - corner) * inward).sum(axis=1) < half_width + _GAP * edge):
            continue
        pose = _flat(x, y, ship.board.floor + edge / 2, turn)
        if not _meets(pose, lies, turns, edge):
            return pose
        first = first or pose
    if first is None:
        raise RuntimeError(f"no place in zone {zone!r} holds a cube flat")  # the catalogue refuses such zones
    x, y, _ = first.position
    near = np.hypot(lies[:, 0] - x, lies[:, 1] - y) < 2 * edge
    top = float((lies[:, 2] + reach(turns, edge)[:, 2])[near].max())
    return Pose((x, y, top + edge / 2), first.orientation)


def _along(turn: float) -> Array:
    cos, sin = math.cos(turn), math.sin(turn)
    return np.array([[cos, -sin], [sin, cos]])


def _flat(x: float, y: float, z: float, turn: float) -> Pose:
    return Pose((x, y, z), (0.0, 0.0, math.sin(turn / 2), math.cos(turn / 2)))


def _meets(pose: Pose, lies: Array, turns: Array, edge: float) -> bool:
    """Tell whether a cube at `pose` would come too near one of the others."""
    position = np.concatenate([lies, [pose.position]])
    orientation = np.concatenate([turns, [pose.orientation]])
    return bool(touching(position, orientation, edge, _GAP * edge)[-1].any())
