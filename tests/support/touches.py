"""States that a test changes: their tokens unpacked, and touches found from poses alone, with made-up forces."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tower_sim.apparatus import Apparatus, axes
from tower_sim.physics.core import CoreEngine, arrays
from tower_sim.values import Outcome, Pose, Touch, TowerState

FACES, BESIDE = 0.55, 1.2  # edges from a cube's centre to a box, and to another cube, that are taken to touch it


def unpacked(token: str) -> str:
    """Return the JSON in a token."""
    body = token.split(".")[1]
    return zlib.decompress(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))).decode()


def plain(state: TowerState) -> dict[str, Any]:
    return json.loads(unpacked(state.token()))


def conserved(state: TowerState, outcome: Outcome) -> bool:
    """Return whether every cube of the state is in the outcome exactly once, and goes on from there."""
    before = sorted((*state.cubes, *state.board.cubes))
    out = [] if outcome.state.board.lying else outcome.emerged
    after = sorted((*outcome.state.cubes, *outcome.state.board.cubes, *out))
    return sorted(x.cube for x in outcome.landings) == after == before


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


def lay(engine: CoreEngine, poses: Sequence[Pose], touches: Sequence[Touch] = ()) -> list[int]:
    """Lay cubes to rest in a core without any, as a scene does: pressing on each other as `touches` say.

    Returns their numbers, which are those of their poses, and the ones that `touches` have for them; other numbers
    stand for cubes that are gone. Then the core goes on without a drop.
    """
    rows = [(k, *pose.position, *pose.orientation) for k, pose in enumerate(poses)]
    engine.tables.drop[0].run = arrays.ALONE
    engine.lay(np.array(rows, float).reshape(-1, 8), touches)
    tables = engine.tables
    tables.drop[0].launches, tables.drop[0].run = len(poses), arrays.NO_DROP
    return engine.bodies
