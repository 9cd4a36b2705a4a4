"""Check that the cubes of a state can be at rest in the apparatus: their poses, their overlaps and their contacts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tower_sim import landing
from tower_sim.apparatus.parts import Apparatus
from tower_sim.apparatus.solids import axes
from tower_sim.errors import UsageError
from tower_sim.physics.overlap import between_cubes, with_boxes
from tower_sim.state import Resident, TowerState

Array = npt.NDArray[np.float64]

MOST_OVERLAP = 0.05
"""The deepest allowed overlap of a cube of a state with another cube or a part (cube edges).

A drop that ends with a deeper overlap does not count as a landing. `python -m tests.measure.gates overlap` measures the
deepest: docs/physics.md.
"""
_GAP = 0.1  # edges: further apart than any engine keeps a contact
_ROUNDING = 1e-9  # m: poses are exact, but the engine converts them before it judges
_HONEST = "allowed is a state that the model has made; take one from an outcome"


def check_at_rest(state: TowerState, apparatus: Apparatus) -> None:
    """Check that the cubes of `state`, which must all have poses, can be at rest where they are.

    Refused are impossible positions, positions that do not fit the region, overlaps deeper than MOST_OVERLAP, and
    contacts out of reach.
    """
    residents = (*state.residents, *state.board.lying)
    position = np.array([resident.pose.position for resident in residents if resident.pose])
    orientation = np.array([resident.pose.orientation for resident in residents if resident.pose])
    inside = len(state.residents)
    _refuse(residents, landing.escaped(position, apparatus), "lies where no cube can be")
    _refuse(residents, landing.emerged(position[:inside], apparatus), "lies outside, but its region is inside")
    if apparatus.board is None:
        up = np.array([0.0, 0.0, _ROUNDING])
        shifted = [landing.find(position + shift, orientation, apparatus) for shift in (-up, 0 * up, up)]
        said = [landing.INSIDE + resident.region for resident in residents]
        fits = [any(places[i].place == region for places in shifted) for i, region in enumerate(said)]
        _refuse(residents, ~np.array(fits), "lies in another region than it says")
    deepest, most = overlap(position, orientation, apparatus), MOST_OVERLAP * apparatus.cube_edge
    if deepest > most + _ROUNDING:
        raise UsageError(
            f"state has a cube that lies {deepest * 1e3:.3g} mm deep in another or in a part; allowed is up to "
            f"{most * 1e3:.3g} mm; take a state from an outcome"
        )
    check_reach(state, position, orientation, apparatus)


def overlap(position: Array, orientation: Array, apparatus: Apparatus) -> float:
    """Return the greatest depth (m) of a cube in another cube or in a fixed box; 0 if there is no overlap.

    Centres (m) have shape (n, 3), unit quaternions (x, y, z, w) shape (n, 4).
    """
    edge = apparatus.cube_edge
    return max(between_cubes(position, orientation, edge), with_boxes(position, orientation, edge, apparatus.boxes))


def check_reach(state: TowerState, position: Array, orientation: Array, apparatus: Apparatus) -> None:
    """Check that each contact of `state` is between bodies that can reach each other.

    Contacts of cubes that were taken since are skipped. Centres (m) and unit quaternions (x, y, z, w), of shape (n, 3)
    and (n, 4), are those of the cubes inside, then of the cubes on the board.
    """
    residents, boxes = (*state.residents, *state.board.lying), apparatus.boxes
    row = {resident.cube.id: i for i, resident in enumerate(residents)}
    row |= {-1 - k: len(residents) + k for k in range(len(boxes))}
    known = [(row[each.cube], row[each.other]) for each in state.touches if {each.cube, each.other} <= row.keys()]
    cube, other = np.array(known, int).reshape(-1, 2).T
    centre = np.concatenate([position, np.reshape([box.centre for box in boxes], (-1, 3))])
    turned = axes(np.concatenate([orientation, np.reshape([box.orientation for box in boxes], (-1, 4))]))
    half = np.reshape([box.half for box in boxes], (-1, 3))
    half = np.concatenate([np.full(position.shape, apparatus.cube_edge / 2), half])
    inner = np.einsum("kji,kj->ki", turned[other], centre[cube] - centre[other])  # along the other body's axes
    away = np.linalg.norm(np.maximum(np.abs(inner) - half[other], 0.0), axis=1)
    too_far = away > (math.sqrt(3) / 2 + _GAP) * apparatus.cube_edge
    _refuse([residents[i] for i, _ in known], too_far, "touches what is too far from it")


def _refuse(cubes: Sequence[Resident], wrong: npt.NDArray[np.bool_], what: str) -> None:
    if wrong.any():
        raise UsageError(f"cube {cubes[int(np.argmax(wrong))].cube.id} in the state {what}; {_HONEST}")
