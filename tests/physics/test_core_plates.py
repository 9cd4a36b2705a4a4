"""The core: nothing passes a thin plate, however fast it comes and spins."""

from __future__ import annotations

import numpy as np
import pytest
from support.cases import each_case

from tests.measure.through import PLATE, SIDE, throw
from tower_sim.physics.settings import accuracy


@each_case("cubes", [1, 2])
@each_case("name", ["standard", "fast"])
def test_no_cube_passes_a_plate_of_1_mm_at_5_m_s_with_a_spin_of_200_rad_s(name: str, cubes: int):
    """324 throws of each kind into closed cells of such plates, with three restitutions."""
    thrown = [throw(accuracy("core", name), 5.0, 200.0, cubes, seed) for seed in range(9)]
    deepest = np.concatenate([each.deepest for each in thrown])
    assert len(deepest) == 9 * SIDE**2 * cubes
    print(f"{name}, {cubes} in a cell: deepest {deepest.max() / PLATE:.1%} of the plate")
    assert not np.concatenate([each.passed for each in thrown]).any()
    assert deepest.max() < PLATE / 2


@pytest.mark.bullet
def test_bullet_whose_steps_do_not_see_ahead_reaches_deeper_into_plates_than_half():
    """The test above, tried: what it looks for happens, where contacts are not seen before they are made."""
    thrown = [throw(accuracy("bullet", "standard"), 5.0, 200.0, 1, seed) for seed in range(3)]
    assert max(each.deepest.max() for each in thrown) > PLATE / 2
