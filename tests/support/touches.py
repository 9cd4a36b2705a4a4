"""Touches as an engine may remember them, for states of any engine: found from poses alone, with made-up forces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tower_sim.apparatus.parts import Apparatus
from tower_sim.apparatus.solids import axes
from tower_sim.state import Touch, TowerState

FACES, BESIDE = 0.55, 1.2  # edges from a cube's centre to a box, and to another cube, that are taken to touch it


def pressing(state: TowerState, shape: Apparatus, force: int = 4_000_000) -> TowerState:
    """The state with a touch of each cube with each near body, all with 4 points that press with `force` (nN)."""
    lying = (*state.residents, *state.board.lying)
    edge, touches = shape.cube_edge, list[Touch]()
    centres = {each.cube.id: np.array(each.pose.position) for each in lying if each.pose}
    turned = axes(np.array([box.orientation for box in shape.boxes]))
    for cube, centre in centres.items():
        near = [other for other in centres if other > cube and np.linalg.norm(centre - centres[other]) < BESIDE * edge]
        for k, box in enumerate(shape.boxes):
            inner = np.abs(turned[k].T @ (centre - box.centre)) - box.half
            if np.linalg.norm(np.maximum(inner, 0.0)) < FACES * edge:
                near.append(-1 - k)
        touches += [Touch(cube, other, (-3, 0, force) * 4) for other in near]
    return replace(state, touches=tuple(touches))
