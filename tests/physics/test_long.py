"""What Bullet does to towers: statistics of many minutes, run with `pytest -m long`."""

import multiprocessing as mp
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from calibration.validation.living import play_living
from calibration.validation.samples import first
from tests.support.bench import drop_until_landed
from tests.support.pool import spread_out
from tests.support.towers import REFERENCE, RULEBOOK
from tower_sim.apparatus import load
from tower_sim.drops import until_landed
from tower_sim.physics import STANDARD, PhysicsSettings, accuracy
from tower_sim.results import clopper_pearson, mean_error
from tower_sim.simulator import PhysicsModel

pytestmark = [pytest.mark.long, pytest.mark.bullet]
WORKERS = mp.cpu_count()
BULLET = accuracy("bullet", STANDARD)
STRENGTHS = (0.05, 0.1, 0.4, 1.0, 1.5, 3.0)  # of knocks, g


def forked(seed: int) -> float:
    with PhysicsModel(load(REFERENCE), BULLET) as model:
        return float(np.mean([f.recreated_out - f.living_out for f in play_living(model, seed).forks if f.drop > 0]))


def test_recreating_states_moves_the_mean_out_by_less_than_0_3():
    """60 games, standard error 0.04."""
    mean, error = mean_error(list(spread_out(forked, range(60), WORKERS)))
    assert abs(mean) + 1.96 * error < 0.3


def knocked(seed: int) -> tuple[int, list[bool]]:
    with PhysicsModel(load(REFERENCE), BULLET) as model:
        state = drop_until_landed(model, 42, seed).state
        streams = np.random.SeedSequence(seed).spawn(len(STRENGTHS))
        out = [until_landed(partial(model.knock, state, g), s) for g, s in zip(STRENGTHS, streams, strict=True)]
    return len(state.residents), [bool(outcome.emerged) for outcome in out]


def test_the_chance_that_a_knock_releases_a_cube_rises_from_under_1_to_over_50_percent():
    residents, released = zip(*spread_out(knocked, range(200), WORKERS), strict=True)
    assert 14 <= np.mean(residents) <= 16
    counts = np.sum(released, axis=0).tolist()
    chances = dict(zip(STRENGTHS, (clopper_pearson(count, 200) for count in counts), strict=True))
    assert chances[0.05].value < 0.01
    assert chances[1.5].low > 0.5
    assert all(b >= a - 6 for a, b in pairwise(counts))


def kept(settings: PhysicsSettings, seed: int) -> int | None:
    with PhysicsModel(load(RULEBOOK), settings) as model:
        outcome = first(model, 49, seed)
    return len(outcome.state.residents) if outcome.status.is_landing else None


HALF = {name: getattr(BULLET, name) / 2 for name in ("timestep", "step_travel", "passed_travel")}


@pytest.mark.parametrize("changes", [HALF, {"iterations": 100, "residual": 0.0}, {"relaxation": 0.1}])
def test_a_finer_setting_keeps_as_many_cubes_within_2_of_49(changes: dict[str, Any]):
    """400 set-up drops of each, standard error 0.35: the 90 % interval lies within 2 cubes, as for no quarter step."""
    (fine, fine_error), (shipped, shipped_error) = (
        mean_error([n for n in spread_out(partial(kept, each), range(400), WORKERS) if n is not None])
        for each in (replace(BULLET, **changes), BULLET)
    )
    assert abs(fine - shipped) + 1.645 * float(np.hypot(fine_error, shipped_error)) < 2
