"""How deep boxes overlap, from poses alone: the judge of cubes at rest. It asks no engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial.transform import Rotation

from tower_sim.apparatus import Apparatus, Box
from tower_sim.values import Outcome, Pose


def deepest_at_rest(outcome: Outcome, apparatus: Apparatus) -> float:
    """Return the deepest overlap (edges) of a cube that has a pose with another or with a fixed box; 0 if none."""
    poses = [landing.pose for landing in outcome.landings if landing.pose is not None]
    return deepest_of(poses, apparatus.cube_edge, apparatus.boxes) / apparatus.cube_edge


def deepest_of(poses: Sequence[Pose], edge: float, boxes: Sequence[Box] = ()) -> float:
    """Return the deepest overlap (m) of cubes of edge `edge` (m) at `poses` with each other and with `boxes`."""
    half = edge / 2
    cubes = [Box("cube", "cube", pose.position, (half, half, half), pose.orientation) for pose in poses]
    return max((deepest(cube, [*boxes, *cubes[i + 1 :]]) for i, cube in enumerate(cubes)), default=0.0)


def deepest(cube: Box, others: Sequence[Box]) -> float:
    """Return by how much (m) `cube` overlaps the one of `others` that it overlaps most; 0 if none.

    The separating axis theorem for two boxes: the least overlap along the 3 + 3 face normals and the 9 cross products
    of edges is the distance by which they must be moved apart.
    """
    if not others:
        return 0.0
    mine = Rotation.from_quat(cube.orientation).as_matrix().T
    theirs = Rotation.from_quat([box.orientation for box in others]).as_matrix().transpose(0, 2, 1)
    crossed = np.cross(mine[None, :, None], theirs[:, None]).reshape(-1, 9, 3)
    axes = np.concatenate([np.broadcast_to(mine, theirs.shape), theirs, crossed], axis=1)
    length = np.linalg.norm(axes, axis=2)
    parallel = length < 1e-6  # two edges in one direction span no plane; the face normals decide then
    axes = axes / np.where(parallel, 1.0, length)[:, :, None]
    reach = np.abs(axes @ mine.T) @ np.array(cube.half)
    half = np.array([box.half for box in others])
    reach += np.einsum("nac,nc->na", np.abs(np.einsum("nai,nci->nac", axes, theirs)), half)
    apart = np.array([box.centre for box in others]) - np.array(cube.centre)
    overlap = reach - np.abs(np.einsum("nai,ni->na", axes, apart))
    return max(0.0, float(np.where(parallel, np.inf, overlap).min(axis=1).max()))
