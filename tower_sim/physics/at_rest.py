"""Check that the cubes of a state can be at rest in the apparatus."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tower_sim.errors import UsageError
from tower_sim.physics.core.drop import MOST_OVERLAP
from tower_sim.physics.scene import Scene
from tower_sim.places import INSIDE
from tower_sim.state import Resident, TowerState

_ROUNDING = 1e-9  # m: poses are exact, but the engine converts them before it judges
_HONEST = "allowed is a state that the model has made; take one from an outcome"


def check_at_rest(state: TowerState, scene: Scene) -> None:
    """Check that the cubes of `state`, which must all have poses, can be at rest in an empty `scene`.

    Refused are impossible positions, another region, overlaps deeper than MOST_OVERLAP, and contacts out of reach.
    """
    shape, residents = scene.apparatus, (*state.residents, *state.board.lying)
    position = np.array([resident.pose.position for resident in residents if resident.pose])
    orientation = np.array([resident.pose.orientation for resident in residents if resident.pose])
    inside = len(state.residents)
    _refuse(residents, shape.escaped(position), "lies where no cube can be")
    _refuse(residents, shape.emerged(position[:inside]), "lies outside, but its region is inside")
    if shape.board is None:
        up = np.array([0.0, 0.0, _ROUNDING])
        shifted = [shape.find(position + shift, orientation) for shift in (-up, 0 * up, up)]
        regions = [INSIDE + resident.region for resident in residents]
        fits = [any(places[i].place == region for places in shifted) for i, region in enumerate(regions)]
        _refuse(residents, ~np.array(fits), "lies in another region than it says")
    scene.put({resident.cube: resident.pose for resident in residents if resident.pose})
    deepest, most = scene.overlap(), MOST_OVERLAP * shape.cube_edge
    if deepest > most + _ROUNDING:
        raise UsageError(
            f"state has a cube that lies {deepest * 1e3:.3g} mm deep in another or in a part; allowed is up to "
            f"{most * 1e3:.3g} mm; take a state from an outcome"
        )
    if (far := scene.far_touch(state.touches)) is not None:
        raise UsageError(f"cube {far} in the state touches what is too far from it; {_HONEST}")


def _refuse(cubes: Sequence[Resident], wrong: npt.NDArray[np.bool_], what: str) -> None:
    if wrong.any():
        raise UsageError(f"cube {cubes[int(np.argmax(wrong))].cube.id} in the state {what}; {_HONEST}")
