"""Compute how deep boxes overlap: cubes with cubes, and cubes with the fixed boxes of an apparatus."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus.parts import Box
from tower_sim.apparatus.solids import axes

Array = npt.NDArray[np.float64]

_PARALLEL = 1e-9  # cross products shorter than this come from parallel edges


def between_cubes(position: Array, orientation: Array, edge: float) -> float:
    """Return the greatest overlap (m) between two cubes; 0 if none overlap.

    Centres (m) have shape (n, 3), unit quaternions (x, y, z, w) shape (n, 4). Two cubes whose centres are nearer than
    an edge overlap by at least the difference. If two centres are nearer than half an edge, the greatest such
    difference is returned and no overlap is computed. So the work stays bounded for a heap of cubes in one place.
    """
    away = np.linalg.norm(position[:, None] - position[None, :], axis=2)
    first, second = np.nonzero(np.triu(away < np.sqrt(3) * edge, k=1))
    nearest = float(away[first, second].min(initial=np.inf))
    if nearest < edge / 2:
        return edge - nearest
    half = np.full((len(first), 3), edge / 2)
    turned = axes(orientation)
    return _deepest(position[first], turned[first], half, position[second], turned[second], half)


def with_boxes(position: Array, orientation: Array, edge: float, boxes: Sequence[Box]) -> float:
    """Return the greatest overlap (m) of a cube with a fixed box, 0 if none; shapes are those of `between_cubes`."""
    if not boxes:
        return 0.0
    centre = np.array([box.centre for box in boxes])
    half = np.array([box.half for box in boxes])
    turned = axes(np.array([box.orientation for box in boxes]))
    inner = np.einsum("bji,nbj->nbi", turned, position[:, None] - centre)  # of the cubes' centres, along a box's axes
    cube, box = np.nonzero(np.all(np.abs(inner) < half + np.sqrt(3) / 2 * edge, axis=2))
    cubes = np.full((len(cube), 3), edge / 2)
    return _deepest(position[cube], axes(orientation)[cube], cubes, centre[box], turned[box], half[box])


def _deepest(a: Array, a_axes: Array, a_half: Array, b: Array, b_axes: Array, b_half: Array) -> float:
    """Return the greatest overlap (m) among k pairs of boxes.

    `a` and `b` are centres, `axes` (k, 3, 3) have a box's axes as columns, and `half` are half edges (m). The overlap
    of a pair is the least one along 15 axes: the 3 face normals of each box and the 9 cross products of their edges.
    Source: Gottschalk, Lin, Manocha 1996.
    """
    if len(a) == 0:
        return 0.0
    normals_a, normals_b = a_axes.transpose(0, 2, 1), b_axes.transpose(0, 2, 1)
    products = np.cross(normals_a[:, :, None], normals_b[:, None, :]).reshape(-1, 9, 3)
    lines = np.concatenate([normals_a, normals_b, products], axis=1)
    length = np.linalg.norm(lines, axis=2)
    spans = length > _PARALLEL
    lines = lines / np.where(spans, length, 1.0)[:, :, None]
    spread = np.einsum("kln,kn->kl", np.abs(lines @ a_axes), a_half) + np.einsum(
        "kln,kn->kl", np.abs(lines @ b_axes), b_half
    )
    overlap = spread - np.abs(np.einsum("kln,kn->kl", lines, b - a))
    return max(0.0, float(np.where(spans, overlap, np.inf).min(axis=1).max()))
