"""What Bullet does to towers: statistics of many minutes, run with `pytest -m long`."""

import multiprocessing as mp
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from tests.measure.numerics import VARIANTS, difference, first_drop, measure_carry_over, measure_knock
from tests.support.towers import REFERENCE as TOWER
from tests.support.towers import RULEBOOK
from tower_sim.pool import spread_out
from tower_sim.statistics import clopper_pearson

pytestmark = pytest.mark.long
WORKERS = mp.cpu_count()


@pytest.mark.bullet
def test_recreating_states_moves_the_mean_out_by_less_than_0_3_and_games_not_visibly_by_more_than_0_5():
    """60 games a side, standard errors 0.04 and 0.8: whole games are held to 0.5 beyond their own 95 %."""
    found = measure_carry_over(str(TOWER), 60, WORKERS, "bullet")
    mean, se = found.out_difference()
    assert mean - 1.96 * se > -0.3
    assert mean + 1.96 * se < 0.3
    mean, se = found.inside_difference()
    assert abs(mean) < 0.5 + 1.96 * se


@pytest.mark.bullet
def test_the_chance_that_a_knock_releases_a_cube_rises_from_under_1_to_over_50_percent():
    residents, released = measure_knock(str(TOWER), 200, WORKERS, "bullet")
    assert 14 <= np.mean(residents) <= 16
    chances = {
        strength: clopper_pearson(sum(x > 0 for x in counts), len(counts)) for strength, counts in released.items()
    }
    assert chances[0.05].value < 0.01
    assert chances[1.5].low > 0.5
    ordered = [chance.value for chance in chances.values()]
    assert all(b >= a - 0.03 for a, b in pairwise(ordered))


@pytest.mark.bullet
@pytest.mark.parametrize("name", ["half the step", "100 iterations, no early stop", "relaxation 0.1 s"])
def test_a_finer_setting_keeps_as_many_cubes_within_2_of_49(name: str):
    """400 set-up drops of each, standard error 0.35: the 90 % interval lies within 2 cubes, as for no quarter step."""
    kept: list[list[int]] = []
    for settings in (VARIANTS["as shipped"], VARIANTS[name]):
        results = spread_out(partial(first_drop, RULEBOOK, settings), range(400), WORKERS)
        kept.append([stay for status, stay, _ in results if status.is_landing])
    mean, se = difference(kept[1], kept[0])
    assert abs(mean) + 1.645 * se < 2
