"""How a cube lies is told from where it is, by hand; groups are of towers that keep what they should."""

from typing import cast

import numpy as np
import pytest

from tests.measure.exchange import NARROW, WIDE, Group, Lay, groups, lay_of, table
from tower_sim.apparatus.amerigo.tower import SquareTower
from tower_sim.apparatus.catalogue import parse
from tower_sim.calibration.design import Design
from tower_sim.calibration.parameters import NUMBERS, TOWER, values
from tower_sim.calibration.summaries import DROPS, game_counts
from tower_sim.cubes import Cube
from tower_sim.errors import UsageError
from tower_sim.state import Pose, Resident

FLAT = (0.0, 0.0, 0.0, 1.0)


def test_how_a_cube_lies_is_told_from_its_floor(slots_tower: SquareTower):
    """Slots 10 mm wide along x, 10 mm apart: from y = -15 to -5, and from 5 to 15. Cubes of 8 mm."""
    given = slots_tower.given
    top = given.upper_floor.top

    def lay(y: float, over: float, region: str = "inside:upper_floor") -> list[Lay]:
        cube = Resident(Cube(0, "red", 0.008), region, 0, Pose((0.0, y * 1e-3, top + (4 + over) * 1e-3), FLAT))
        return [lay for _, lay in lay_of([cube], given)]

    assert lay(10, -3) == [Lay.IN_A_SLOT]
    assert lay(0, 0) == [Lay.ON_A_BAR]
    assert lay(7, 0.1) == [Lay.OVER_A_SLOT]
    assert lay(0, 8) == [Lay.ON_CUBES]
    assert lay(0, 0, "inside:ramp") == []


@pytest.fixture(name="slots_tower")
def _slots_tower() -> SquareTower:

    text = (
        TOWER.read_text("utf-8").replace("opening_mm = 16", "opening_mm = 10").replace("ledge_mm = 9", "ledge_mm = 15")
    )
    return cast("SquareTower", parse(text, "slots"))


def design(number: int, inside: int) -> Design:
    unit = np.random.default_rng(3).random((number, len(NUMBERS)))
    counts = np.full((number, 2, DROPS), inside, np.int16)
    return Design(unit, game_counts(*[counts] * 8))


def test_groups_are_of_flat_towers_with_slots_of_their_width():
    drawn = design(600, 14)
    narrow, wide = groups(drawn, 5)
    for group, holds in ((narrow, lambda slots: max(slots) < NARROW), (wide, lambda slots: min(slots) > WIDE)):
        assert 2 <= len(group.towers) <= 5
        for i in group.towers:
            own = values(drawn.unit[i].tolist())
            assert own["slope"] == 0
            assert holds((own["upper_opening"], own["lower_opening"]))
    with pytest.raises(UsageError, match="no tower of the design has narrow slots"):
        groups(design(600, 40), 5)


def test_the_table_has_shares_of_all_and_of_those_that_leave():
    counts = np.array([[30, 10], [5, 0], [50, 2], [3, 0]])
    group = Group("narrow slots", [1, 2], {1: counts, 2: counts}, [[0, 3, 3], [0, 0, 3]])
    rows = table([group]).splitlines()
    assert "| 2 with narrow slots | caught in a slot | 80 | 40% | 25.0% ± 0.0% | 83% |" in rows
    assert rows[-1].startswith(
        "narrow slots (2 towers, 6 phases): 1.50 ± 0.50 of the cubes from inside leave in a phase"
    )
